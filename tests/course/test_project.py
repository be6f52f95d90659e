"""The checklist of the project with one's own labels: what it finds missing, and what not."""

import csv
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench_course import check_project
from annobench_course.errors import CourseError
from annobench_course.project import MIN_ITEMS, REPORT_WORDS, SECTIONS

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "project.md"
CATEGORIES = ("yes", "no", "unclear")


def write_labels(path, n_items=70, annotators=("A", "B", "C"), seed=1):
    rng = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "annotator", "label"])
        for i in range(n_items):
            truth = rng.integers(3)
            for annotator in annotators:
                k = truth if rng.random() < 0.75 else rng.integers(3)
                writer.writerow([f"t{i:03d}", annotator, CATEGORIES[k]])


def compute(folder):
    for command in ("report", "consensus"):
        done = CliRunner().invoke(app, [command, str(folder / "labels.csv"), "--force"])
        assert done.exit_code == 0, done.output


def write_report(folder, words=700):
    with (folder / "labels_agreement" / "report.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["breakdown"] == "overall"]
    alpha = next(row for row in rows if row["coefficient"] == "krippendorff_alpha")
    low, high = (f"{float(alpha[name]):.2f}" for name in ("lower", "upper"))
    estimate = f"{float(alpha['estimate']):.2f}".removeprefix("0")
    by_item = {}
    with (folder / "labels.csv").open() as file:
        for row in csv.DictReader(file):
            by_item.setdefault(row["item"], set()).add(row["label"])
    disputed = [item for item, labels in by_item.items() if len(labels) > 1]
    text = "\n\n".join(f"## {name}" for name in SECTIONS)
    text += f"\n\nAlpha is {estimate} (95% interval {low} to {high}). {', '.join(disputed[:3])}. "
    text += "word " * (words - len(text.split()))
    (folder / "report.md").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project") / "mine"
    folder.mkdir()
    write_labels(folder / "labels.csv")
    compute(folder)
    write_report(folder)
    text = " ".join(["We label sentences: yes, no or unclear."] + ["word"] * 160)
    (folder / "guidelines.md").write_text(text)
    return folder


@pytest.fixture
def project(complete, tmp_path):
    return Path(shutil.copytree(complete, tmp_path / "mine"))


def missing(folder):
    return [point.name for point in check_project(folder).points if not point.done]


def test_a_complete_folder_is_complete(project):
    found = check_project(project)
    assert found.is_complete, found
    assert "9 of 9 points" in repr(found)
    done = CliRunner().invoke(app, ["course", "project", str(project)])
    assert (done.exit_code, done.output.count("[x]")) == (0, 9)


def edit(folder, name, change):
    path = folder / name
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


DEFECTS = {
    "a category without a word": (
        lambda f: edit(f, "guidelines.md", lambda text: text.replace("unclear", "other")),
        ["guidelines"],
        "nothing about the category 'unclear'",
    ),
    "short guidelines": (
        lambda f: (f / "guidelines.md").write_text("yes no unclear"),
        ["guidelines"],
        "has 3 words",
    ),
    "no guidelines": (lambda f: (f / "guidelines.md").unlink(), ["guidelines"], "is no guide"),
    "guidelines of another program": (
        lambda f: (f / "guidelines.md").write_bytes(b"\xff\xfe\x00yes"),
        ["guidelines"],
        "Save it as text",
    ),
    "labels changed afterwards": (
        lambda f: (
            edit(f, "labels.csv", lambda text: text.replace("t000,A,yes", "t000,A,no", 1))
            if "t000,A,yes" in (f / "labels.csv").read_text()
            else edit(f, "labels.csv", lambda text: re.sub(r"t000,A,\w+", "t000,A,yes", text))
        ),
        ["agreement"],
        "alpha differs",
    ),
    "no report made": (
        lambda f: shutil.rmtree(f / "labels_agreement"),
        ["agreement", "agreement in the report"],
        "annobench report labels.csv",
    ),
    "no consensus made": (
        lambda f: shutil.rmtree(f / "labels_consensus"),
        ["consensus"],
        "annobench consensus labels.csv",
    ),
    "consensus of fewer items": (
        lambda f: edit(
            f, "labels_consensus/items.csv", lambda text: text.rstrip().rpartition("\n")[0]
        ),
        ["consensus"],
        "other items",
    ),
    "a section left out": (
        lambda f: edit(f, "report.md", lambda text: text.replace("## Limits", "Limits")),
        ["sections of the report"],
        "no section Limits",
    ),
    "a long report": (
        lambda f: edit(f, "report.md", lambda text: text + " word" * REPORT_WORDS[1]),
        ["length of the report"],
        "Two pages",
    ),
    "alpha without its interval": (
        lambda f: edit(
            f, "report.md", lambda text: re.sub(r"interval \S+ to", "interval to", text)
        ),
        ["agreement in the report"],
        "the interval of alpha",
    ),
    "an alpha of one's own": (
        lambda f: edit(f, "report.md", lambda text: re.sub(r"Alpha is \S+", "Alpha is .99", text)),
        ["agreement in the report"],
        "doesn't quote Krippendorff's alpha",
    ),
    "nothing discussed": (
        lambda f: edit(f, "report.md", lambda text: re.sub(r"t\d{3}", "it", text)),
        ["disagreement in the report"],
        "names 0 items",
    ),
    "two files of labels": (
        lambda f: shutil.copy(f / "labels.csv", f / "labels.tsv"),
        [
            "labels",
            "names",
            "guidelines",
            "agreement",
            "consensus",
            "agreement in the report",
            "disagreement in the report",
        ],
        "labels.csv, labels.tsv",
    ),
    "no report": (
        lambda f: (f / "report.md").unlink(),
        [
            "sections of the report",
            "length of the report",
            "agreement in the report",
            "disagreement in the report",
        ],
        "There is no report.md",
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_what_is_missing_is_named_and_nothing_else(project, defect):
    make, points, message = DEFECTS[defect]
    make(project)
    found = missing(project)
    if defect == "two files of labels":  # agreement in the report needs no labels
        points = [point for point in points if point in found]
        assert "labels" in found
    assert found == points
    assert message in repr(check_project(project))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"annotators": ("A",)}, "There is only one annotator"),
        ({"n_items": MIN_ITEMS - 1}, f"there must be {MIN_ITEMS}"),
    ],
)
def test_too_few_labels_are_too_few(project, labels, message):
    write_labels(project / "labels.csv", **labels)
    assert missing(project)[0] == "labels"
    assert message in repr(check_project(project))


def test_addresses_are_no_names(project):
    write_labels(project / "labels.csv", annotators=("A", "b@example.org"))
    assert "names" in missing(project)


def test_an_empty_folder_lacks_everything_and_breaks_nothing(tmp_path):
    found = check_project(tmp_path)
    assert not any(point.done for point in found.points)
    done = CliRunner().invoke(app, ["course", "project", str(tmp_path)])
    assert (done.exit_code, "[x]" in done.output) == (1, False)
    with pytest.raises(CourseError, match="no such folder"):
        check_project(tmp_path / "nowhere")
    assert CliRunner().invoke(app, ["course", "project", str(tmp_path / "nowhere")]).exit_code == 1


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"item,annotator\n1,a\n", b"<script>"])
def test_labels_that_are_none_are_said_to_be_none(project, content):
    (project / "labels.csv").write_bytes(content)
    assert "labels.csv can't be read" in repr(check_project(project))


def test_what_a_folder_is_called_is_escaped(tmp_path):
    folder = tmp_path / "<script>"
    folder.mkdir()
    (folder / "labels.csv").write_text("item,annotator,label\n1,<b>,<i>x\n")
    (folder / "guidelines.md").write_text("nothing")
    assert "<script>" not in check_project(folder)._repr_html_()
    assert "<i>x" not in check_project(folder)._repr_html_()


def test_ordinal_labels_may_be_reported_as_such(project):
    text = (project / "labels.csv").read_text()
    for k, category in enumerate(CATEGORIES):
        text = text.replace(f",{category}\n", f",{k}\n")
    (project / "labels.csv").write_text(text)
    done = CliRunner().invoke(
        app, ["report", str(project / "labels.csv"), "--scale", "ordinal", "--force"]
    )
    assert done.exit_code == 0, done.output
    assert "agreement" not in missing(project)


def test_the_guide_is_of_two_pages_and_says_what_is_checked():
    guide = GUIDE.read_text(encoding="utf-8")
    assert 700 < len(guide.split()) < 1100
    low, high = REPORT_WORDS
    assert f"{low} to {high:,} words" in guide
    assert f"{MIN_ITEMS} items or more" in guide
    assert all(f"*{name}*" in guide for name in SECTIONS)
    points = [int(n) for n in re.findall(r"^\| \w+ \| (\d+) \|", guide, re.MULTILINE)]
    assert sum(points) == 20
    assert "Twenty points" in guide
