"""What the students' archive may hold: labels whose licence lets anyone pass them on."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from exam_words import EXAM, words_of_the_exam

from annobench import datasets
from annobench_course import sessions
from annobench_course.source import TEACHERS
from annobench_course.teacher.confinement import IMAGE
from scripts.course import archive_course, build_wheel
from scripts.course.archive_course import (
    licences,
    may_be_passed_on,
    read_permissions,
    students_files,
    teachers_files,
)

TOP = Path(__file__).parents[2]
ARCHIVE = TOP / "results" / "course" / "annobench-course.zip"
OWN = TOP / "src" / "annobench_course" / "teacher" / "archive"
PERMISSIONS = read_permissions(OWN / "licences.toml")
USED = sorted({id for held in sessions.discover().values() for id in held.lesson.data})


def meta(id, provenance="real"):
    """What lies beside the labels of a data set."""
    source = datasets.get(id).source
    return {
        "id": id,
        "title": datasets.get(id).title,
        "citation": datasets.get(id).citation,
        "licence": source.licence,
        "repository": source.repository,
        "commit": source.commit,
        "provenance": provenance,
    }


def packed(tmp_path, metas):
    """Return the files of data that the archive gets."""
    inputs = {"permissions": [OWN / "licences.toml"]}
    inputs["licences"] = sorted((OWN / "licences").iterdir())
    for name in ("annobench-1.2-wheel", "requirements", "readme", "licence", "terms", "results"):
        inputs[name.split("-")[-1]] = [tmp_path / name]
        (tmp_path / name).write_text(name)
    inputs["project"] = [TOP / "docs" / "how-to" / "project.md"]
    inputs |= {"student": [], "tables": [], "data": []}
    for id in metas:
        (tmp_path / id).mkdir()
        for name in ("labels.parquet", "meta.json"):
            inputs["data"].append(tmp_path / id / name)
            inputs["data"][-1].write_text(name)
    names = [Path(name) for name, _ in students_files(inputs, metas)]
    return {name for name in names if len(name.parts) == 3 and name.parts[0] == "data"}


def folders(files):
    return {name.parts[1] for name in files} - {"licences"}


def test_only_labels_that_anyone_may_pass_on_are_packed(tmp_path):
    metas = {id: meta(id) for id in USED}
    files = packed(tmp_path, metas)
    assert folders(files) == set(PERMISSIONS)
    texts = {name.name for name in files if name.parts[1] == "licences"}
    assert texts == {permission.text for permission in PERMISSIONS.values()}
    assert texts == {path.name for path in (OWN / "licences").iterdir()}, "a text of no data set"
    for id in folders(files):
        words = metas[id]["licence"].lower()
        assert not any(word in words for word in ("none stated", "research release")), id


def test_a_licence_over_labels_of_others_does_not_count(tmp_path):
    # RTE-1 twice: from its authors, who state no licence, and in a collection under MIT's
    assert "MIT" in meta("ti_rte")["licence"]
    assert "none stated" in meta("snow2008_rte")["licence"]
    metas = {id: meta(id) for id in ("ti_rte", "snow2008_rte", "ti_bluebird")}
    assert folders(packed(tmp_path, metas)) == {"ti_bluebird"}
    page = licences(metas.values(), PERMISSIONS)
    assert page.count("**Fetched.** Those who made the labels state no licence") == 2


def test_simulated_labels_are_not_packed(tmp_path):
    metas = {id: meta(id, "simulated") for id in USED}
    assert packed(tmp_path, metas) == set()
    page = licences(metas.values(), PERMISSIONS)
    assert page.count("not available when the archive was made") == len(PERMISSIONS)


def test_another_statement_is_looked_at_first():
    for licence in ("MIT, for members", "none stated", "GPL-2"):
        assert not may_be_passed_on(meta("caries") | {"licence": licence}, PERMISSIONS)


def test_every_licence_has_its_text():
    words = {
        "ami.txt": "licenses/by/4.0",
        "anesthesia.txt": "GNU GENERAL PUBLIC LICENSE",
        "bluebird.txt": "Peter Welinder",
        "caries.txt": "Copyright (c) 2024 Bob Carpenter",
        "masc_crowd.txt": "Redistributions of source code must retain",
        "metaphor_discourse.txt": "Apache License",
    }
    for name, text in words.items():
        assert text in (OWN / "licences" / name).read_text("utf-8")
    assert set(words) == {permission.text for permission in PERMISSIONS.values()}


def test_the_page_of_licences_names_every_data_set():
    page = licences([meta(id) for id in USED], PERMISSIONS)
    for id in USED:
        assert f"(`{id}`)" in page
        assert f"Licence, as stated: {meta(id)['licence']}." in page
    for permission in PERMISSIONS.values():
        assert permission.because in page
        assert f"licences/{permission.text}" in page
    assert page.count("**Fetched.**") == len(USED) - len(PERMISSIONS)


def test_the_guide_in_the_teachers_archive_leads_on(tmp_path):
    (tmp_path / "students.zip").write_bytes(b"")
    inputs = {
        "terms": [OWN / "TERMS.md"],
        "teacher": [OWN / "TEACHER.md"],
        "bank": [tmp_path / "students.zip"],
    }
    names = ("how-to/teach", "how-to/own-session", "explanation/course")
    inputs["guide"] = [TOP / "docs" / f"{name}.md" for name in names]
    inputs["project"] = [TOP / "docs" / "how-to" / "project.md"]
    inputs |= {"solutions": [], "slides": [], "container": [OWN / "Containerfile"]}
    for name in ("annobench-1.2-py3-none-any.whl", "requirements.txt"):
        (tmp_path / name).write_bytes(b"")
    inputs["package"] = [tmp_path / "annobench-1.2-py3-none-any.whl"]
    inputs["requirements"] = [tmp_path / "requirements.txt"]
    files = dict(teachers_files(inputs, tmp_path / "students.zip"))
    named = set(re.findall(r"`(guide/[^`]+)`", files["README.md"].decode()))
    assert named == {"guide/how-to/teach.md", "guide/how-to/project.md"}
    assert f"docker build --tag {IMAGE} ." in inputs["guide"][0].read_text("utf-8")
    assert b"version 1.2. CC BY 4.0" in files["TERMS.md"]
    built = b"docker build --tag annobench-course:1.2 ."
    assert built in files["README.md"]
    assert built in files["package/Containerfile"]
    assert b"COPY annobench-1.2-py3-none-any.whl requirements.txt" in files["package/Containerfile"]
    assert b"annobench-1.2-py3-none-any.whl" in files["package/requirements.txt"]
    for name, text in files.items():
        if name.startswith("guide/"):
            for link in re.findall(r"\]\((?!http)([^)#]+)", text.decode()):
                assert os.path.normpath(Path(name).parent / link) in files, (name, link)


def test_students_get_the_guide_to_a_project_without_the_teachers_part():
    guide = archive_course.project_guide(TOP / "docs" / "how-to" / "project.md").decode()
    assert "## Rubric" in guide
    assert "For the teacher" not in guide
    assert not EXAM.search(guide.encode())
    assert not re.findall(r"\]\((?!http)([^)#]+)", guide), "no link leads out of the archive"


def test_the_guide_for_teachers_names_the_sessions_that_fetch_labels():
    fetching = [
        str(int(id.partition("_")[0]))
        for id, held in sorted(sessions.discover().items())
        if set(held.lesson.data) - set(PERMISSIONS)
    ]
    guide = (TOP / "docs" / "how-to" / "teach.md").read_text("utf-8")
    assert f"sessions {', '.join(fetching[:-1])} and {fetching[-1]} have" in guide


def test_licences_are_those_of_the_sources():
    mirror = os.environ.get("ANNOBENCH_DATA_MIRROR")
    if mirror is None or not (Path(mirror) / "SOURCES.csv").is_file():
        pytest.skip("ANNOBENCH_DATA_MIRROR names no folder with SOURCES.csv")
    with (Path(mirror) / "SOURCES.csv").open(newline="", encoding="utf-8") as file:
        sources = {row["dataset"]: row for row in csv.DictReader(file)}
    for id in USED:
        source = datasets.get(id).source
        if source.mirrored and source.mirrored.startswith("exports/"):
            continue  # SOURCES.csv doesn't list them
        row = sources[source.name]
        assert (row["repository"], row["commit"]) == (source.repository, source.commit), id
        assert source.licence.startswith(row["licence"]), id


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Both wheels: the students' and the teacher's."""
    folder = tmp_path_factory.mktemp("wheels")
    students, teacher = folder / "students.whl", folder / "teacher.whl"
    build_wheel.build(TOP, students, OWN / "README.md", students=True)
    build_wheel.build(TOP, teacher, TOP / "README.md", students=False)
    return students, teacher


@pytest.mark.slow
def test_the_students_wheel_has_no_word_of_the_exam_and_the_teachers_has_the_bank(wheels):
    students, teacher = wheels
    assert list(words_of_the_exam(students)) == []
    found = list(words_of_the_exam(teacher))
    assert {f"annobench_course/teacher/exam{name}" for name in ("s.py", ".html.j2")} <= set(found)
    with zipfile.ZipFile(students) as one, zipfile.ZipFile(teacher) as other:
        lacking = set(other.namelist()) - set(one.namelist())
        texts = [name for name in one.namelist() if name.endswith("/session.md")]
        taught = [one.read(name).decode() for name in texts]
        names = one.namelist()
    assert "annobench_course/sessions/s01_chance/bank.py" in lacking
    assert {Path(name).name for name in lacking if "/teacher/" not in name} == {"bank.py"}
    corpora = {name for name in names if "/corpus/" in name}
    assert len(texts) == len(sessions.discover()) - 1  # but the example of the tests
    brought = (TOP / "src" / "annobench_course" / "sessions").glob("*/corpus/**/*.*")
    assert corpora == {path.relative_to(TOP / "src").as_posix() for path in brought}
    assert len(corpora) > 40
    for tag in TEACHERS:
        assert not [text for text in taught if re.search(rf'(:tags:|"tags":) \[.*{tag}', text)]


@pytest.mark.slow
def test_the_students_wheel_runs_without_the_bank(wheels, tmp_path):
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(tmp_path)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    def run(*command):
        words = [sys.executable, *command]
        return subprocess.run(words, env=environment, capture_output=True, text=True, cwd=tmp_path)

    code = (
        "import annobench_course as course\n"
        "session = course.Session('01_chance', 'Ann')\n"
        "print(course.__file__, session.check('1.1', 7), dir(course))"
    )
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    program = ("-c", "from annobench.cli import app; app()")
    assert "course" not in run(*program, "--help").stdout
    assert run(*program, "course", "exam").returncode == 2


@pytest.mark.slow
def test_the_archive_that_was_made_has_no_word_of_the_exam():
    if not ARCHIVE.is_file():
        pytest.skip("results/course/annobench-course.zip is not made: run `make course`")
    assert list(words_of_the_exam(ARCHIVE)) == []


@pytest.mark.slow
def test_the_archive_that_was_made_holds_holds_nothing_else():
    if not ARCHIVE.is_file():
        pytest.skip("results/course/annobench-course.zip is not made: run `make course`")
    with zipfile.ZipFile(ARCHIVE) as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    metas = {name: json.loads(text) for name, text in files.items() if name.endswith("meta.json")}
    assert metas
    assert all(may_be_passed_on(found, PERMISSIONS) for found in metas.values())
    texts = {PERMISSIONS[found["id"]].text for found in metas.values()}
    assert texts == {Path(name).name for name in files if name.startswith("data/licences/")}
    labels = {name for name in files if name.endswith(".parquet")}
    assert labels == {
        name.replace("meta.json", part) for name, found in metas.items() for part in found["hashes"]
    }
    for name, found in metas.items():
        for part, digest in found["hashes"].items():
            content = files[name.replace("meta.json", part)]
            assert hashlib.sha256(content).hexdigest() == digest
