"""The list of the guide is followed with the worked example, to the last edition."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from exam_words import words_of_the_exam

from annobench_course import sessions
from annobench_course.student import NOBODY
from annobench_course.teacher import grading

TOP = Path(__file__).parents[2]
HERE = Path(__file__).parent
OWN = HERE / "own_sessions"
#: What the rules of the course need of the repository.
PARTS = (
    "Snakefile",
    "LICENSE",
    "README.md",
    "CONTRIBUTING.md",
    "benchmarks",
    "config",
    "envs",
    "profiles",
)
PARTS += ("pyproject.toml", "requirements", "src", "workflow", "tests/reference/agreement")
PARTS += (
    "docs/how-to/teach.md",
    "docs/how-to/own-session.md",
    "docs/how-to/project.md",
    "docs/explanation/course.md",
)

pytestmark = [pytest.mark.slow, pytest.mark.workflow]


def test_the_guide_names_what_exists():
    text = (TOP / "docs" / "how-to" / "teach.md").read_text()
    named = set(re.findall(r"`((?:tests|src)/[\w./]+)`", text))
    assert "src/annobench_course/sessions" in named
    assert not [name for name in named if not (TOP / name).exists()]


@pytest.fixture(scope="module")
def made(tmp_path_factory, results_file, home):
    """The results of `make course` in a copy with two folders of sessions, none of them ours."""
    top = tmp_path_factory.mktemp("clone") / "clone"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "s[0-9][0-9]_*")
    for part in PARTS:
        if (TOP / part).is_dir():
            shutil.copytree(TOP / part, top / part, ignore=ignored)
        else:
            (top / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / part, top / part)
    papers = top / "workflow" / "papers"
    shutil.rmtree(papers)
    shutil.copytree(TOP / "tests/workflow/example_paper", papers / "example_paper")
    (top / "notebooks").mkdir()
    shutil.move(papers / "example_paper/example_paper.ipynb", top / "notebooks")
    environment = {
        **os.environ,
        "PYTHONPATH": str(top / "src"),
        sessions.FOLDERS: os.pathsep.join(map(str, (OWN, home))),
        "ANNOBENCH_CACHE": str(top / "cache"),
        "XDG_CACHE_HOME": str(top / "cache"),
        "ANNOBENCH_DATA_URL": "http://127.0.0.1:9",
    }
    environment.pop("ANNOBENCH_DATA_MIRROR", None)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "course"]
    run = subprocess.run(command, cwd=top, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return top / "results" / "course"


def test_all_editions_are_made(made):
    assert (made / "solutions/13_votes.html").read_text().count(": passed.") == 4
    for name in ("student/00_example", "solutions/00_example"):
        assert (made / f"{name}.ipynb").stat().st_size > 1000
        page = (made / f"{name}.html").read_text()
        assert "<math" in page
        assert "data:image/png" in page
    solutions = (made / "solutions/00_example.html").read_text()
    assert solutions.count(": passed.") == 6
    assert "Rubric" in solutions
    student = (made / "student/00_example.html").read_text()
    assert "Rubric" not in student
    assert "Teacher" not in student
    assert "of 0.784" in " ".join(student.split())


@pytest.mark.parametrize("kind", ["student", "solutions", "slides"])
def test_a_page_asks_no_server_for_anything(made, kind):
    page = (made / kind / "00_example.html").read_text()
    loads = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"([^\"]+)\"", page)
    outside = [url for url in loads if not url.startswith(("data:", "#"))]
    # What reveal.js's own program may write into a page is no address.
    assert [url for url in outside if "$" not in url and "'" not in url] == []
    assert not re.search(
        r"@import|url\((?!['\"]?(?:data:|#))", re.sub(r"<script.*?</script>", "", page, flags=re.S)
    )


def test_slides_hold_explanations_and_no_solutions(made):
    slides = (made / "slides/00_example.html").read_text()
    assert "Reveal.initialize" in slides
    assert slides.count("<section") >= 8
    assert "np.trace(matrix) / matrix.sum()" not in slides
    assert '<aside class="notes">' in slides


def names(path):
    with zipfile.ZipFile(path) as archive:
        return {name.partition("/")[2] for name in archive.namelist()}


def test_the_archives_hold_what_they_should(made):
    students = names(made / "annobench-course.zip")
    assert {"README.md", "LICENSE", "TERMS.md", "00_example.ipynb"} <= students
    assert "requirements.txt" in students
    assert {"data/results.csv", "data/LICENCES.md", "pages/00_example.html"} <= students
    assert sum(name.endswith(".whl") for name in students) == 1
    assert list(words_of_the_exam(made / "annobench-course.zip")) == []
    # Without a mirror the labels are simulated, and stand-ins are not handed out as data.
    assert not [name for name in students if "anesthesia" in name]
    assert not [name for name in students if "workflow" in name or name.endswith(".smk")]
    teacher = names(made / "annobench-course-teacher.zip")
    assert {"README.md", "annobench-course.zip", "bank.html"} <= teacher
    assert {"package/requirements.txt", "package/Containerfile"} <= teacher
    assert sum(name.endswith(".whl") for name in teacher) == 1
    assert {"solutions/00_example.ipynb", "slides/00_example.html"} <= teacher


def test_the_packages_have_the_sessions_of_a_teachers_own(made):
    [students], [teacher] = (made.glob(f"{part}annobench-*.whl") for part in ("", "package/"))
    with zipfile.ZipFile(students) as one, zipfile.ZipFile(teacher) as other:
        packed, more = set(one.namelist()), set(other.namelist())
    folder = "annobench_course/sessions"
    assert {f"{folder}/s13_votes/session.md", f"{folder}/s00_example/exercises.py"} <= packed
    assert f"{folder}/s00_example/bank.py" in more - packed


def test_the_requirements_hold_the_wheel_by_its_hash(made):
    with zipfile.ZipFile(made / "annobench-course.zip") as archive:
        text = archive.read("annobench-course/requirements.txt").decode()
        readme = archive.read("annobench-course/README.md").decode()
    wheel = re.match(r"\./(annobench-\S+\.whl) \\\n    --hash=sha256:[0-9a-f]{64}\n", text)
    assert wheel
    assert wheel.group(1) in readme
    assert "WHEEL" not in readme
    assert "jupyterlab==" in text


def test_the_page_of_the_course_leads_everywhere(made):
    page = (made / "index.html").read_text()
    links = [link for link in re.findall(r'href="([^"#:]+)"', page) if "../" not in link]
    assert len(links) >= 8
    assert not [link for link in links if not (made / link).exists()]
    assert "0.B1" in (made / "bank.html").read_text()


def test_the_solutions_of_the_archive_are_graded(made, home, monkeypatch, tmp_path):
    monkeypatch.setattr(sessions, "__path__", [*sessions.__path__, str(home)])
    for name in ("00_example", "13_votes"):
        notebook = (made / f"solutions/{name}.ipynb").read_text().replace(NOBODY, "Ann")
        (tmp_path / f"{name}.ipynb").write_text(notebook)
    grades = grading.grade(tmp_path, data=made / "data")
    assert (grades["passed"] == grades["of"]).all()
    assert set(grades["session"]) == {"00_example", "13_votes"}
