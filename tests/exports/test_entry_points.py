"""Formats of other distributions: found by their entry points, reported if they can't be used."""

import json
import os
import subprocess
import sys
import textwrap
import tomllib
import warnings

import documented
import pytest

from annobench.core.errors import FormatWarning, ReaderError
from annobench.io import read_labels
from annobench.io.formats import discover, discovery

#: What the page shows: a package, its entry point, and a file.
SHOWN = documented.files("docs/how-to/exports/own-format.md")
FORMAT = SHOWN["our_lab_formats/lists.py"]
PROJECT = tomllib.loads(SHOWN["pyproject.toml"])["project"]
LAYOUT = """
    from annobench.io.formats.containers import as_format
    from annobench.io.formats.tables import Layout

    def recognise(table):
        return "version 1" if "rubric" in table.header else None

    def read(table, intake):
        for where, row in table.rows(False):
            intake.read()
            intake.answer(row["essay"], row["reader"], row["rubric"], row["mark"], where=where)

    LAYOUT = Layout("rubrics", "our lab's rubrics", "A row is a label.", recognise, read)
    FORMAT = as_format(LAYOUT)
"""


@pytest.fixture(autouse=True)
def found_afresh():
    discovery._found.cache_clear()
    yield
    discovery._found.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution: a package of formats beside what pip writes of it."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(*, named=None, **sources):
        [(group, points)] = PROJECT["entry-points"].items()
        [(name, package)] = points.items()
        folder = tmp_path / package
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        for module, source in sources.items():
            (folder / f"{module}.py").write_text(textwrap.dedent(source))
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"
        )
        (info / "entry_points.txt").write_text(f"[{group}]\n{named or name} = {package}\n")
        return tmp_path

    yield installed
    for name in [name for name in sys.modules if name.startswith("our_lab_formats")]:
        del sys.modules[name]


def lists(folder):
    path = folder / "labels.lab"
    path.write_text(SHOWN["labels.lab"])
    return path


def table(folder):
    path = folder / "labels.csv"
    path.write_text("item,annotator,label\ni1,ann,good\ni1,bob,bad\n")
    return path


def task(folder):
    path = folder / "tasks.json"
    answer = {"completed_by": 1, "result": [choice("good")]}
    path.write_text(json.dumps([{"id": 1, "data": {"text": "a"}, "annotations": [answer]}]))
    return path


def choice(name):
    return {"from_name": "mood", "to_name": "text", "type": "choices", "value": {"choices": [name]}}


def test_a_format_of_another_distribution_is_recognised_and_read(install):
    path = lists(install(lists=FORMAT))
    labels = read_labels(path)
    assert labels.to_frame().to_numpy().tolist() == [
        ["i1", "ann", "good"],
        ["i1", "bob", "bad"],
        ["i2", "ann", "good"],
    ]
    assert {"label_studio", "our_lab"} <= set(discover())
    assert list(discover()) == sorted(discover())


def test_the_command_line_knows_it(install):
    folder = install(lists=FORMAT)
    lists(folder)
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", "from annobench.cli import app; app()", "inspect", "labels.lab"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "a list of our laboratory" in done.stdout


def test_a_layout_of_another_distribution_is_read_from_a_workbook(install):
    openpyxl = pytest.importorskip("openpyxl")
    folder = install(rubrics=LAYOUT)
    book = openpyxl.Workbook()
    for row in (["essay", "reader", "rubric", "mark"], ["e1", "ann", "style", "good"]):
        book.active.append(row)
    book.save(folder / "marks.xlsx")
    assert read_labels(folder / "marks.xlsx").categories == ("good",)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import a_library_that_is_not_there", "No module named 'a_library_that_is_not_there'"),
        ("FORMAT = 'lists'", "'str' object has no attribute 'id'"),
        ("raise SystemError('out of order')", "SystemError: out of order. Fix"),
        (FORMAT.replace('"our_lab"', '"brat"'), "another format called 'brat'"),
    ],
)
def test_a_package_that_can_t_be_used_is_reported_once_by_name(install, source, said):
    folder = install(lists=source)
    with pytest.warns(FormatWarning, match=r"our_lab_formats \(of our-lab-formats\)") as caught:
        assert read_labels(task(folder)).n_labels == 1
    assert len(caught) == 1
    assert said in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_labels(task(folder)).n_labels == 1
    assert "our_lab" not in discover()


def test_a_malformed_line_is_an_error_with_its_place(install):
    path = lists(install(lists=FORMAT))
    path.write_text("our-lab 1\ni1|ann\n")
    with pytest.raises(ReaderError, match=r"line 2: not item\|annotator\|label"):
        read_labels(path)


def test_a_table_is_read_without_looking_for_formats(install):
    folder = install(lists="raise SystemError('out of order')")
    assert read_labels(table(folder)).n_labels == 2


def test_a_format_of_ours_is_never_replaced(install):
    install(named="a_first_one", lists=FORMAT.replace('"our_lab"', '"brat"'))
    with pytest.warns(FormatWarning, match="another format called 'brat'"):
        assert discover()["brat"].read.__module__ == "annobench_exports.brat"


@pytest.mark.parametrize("record", ["FORMAT", "LAYOUT"])
def test_what_is_no_record_is_refused(install, record):
    install(lists=f"class Record:\n    name = 'ours'\n{record} = Record()")
    with pytest.warns(FormatWarning, match=rf"\.lists: {record} must be "):
        discover()


def test_metadata_without_our_entry_point_are_reported_with_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(discovery, "entry_points", lambda group: ())
    with pytest.warns(FormatWarning, match=r"annotation tools can't be read.*pip install -e \."):
        known = discover()
    assert {"wide", "spreadsheet"} <= set(known)
    assert "label_studio" not in known
    assert read_labels(table(tmp_path)).n_labels == 2
    with pytest.raises(ReaderError, match="unknown format"):
        read_labels(task(tmp_path))
