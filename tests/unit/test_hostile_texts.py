"""Names that could do harm are kept as they stand, and only shown, on pages and in terminals."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hostile import FEW, HOSTILE, NAMES, UNSEEN, labels_of, run_commands
from typer.testing import CliRunner

import annobench as ab
from annobench.cli import _shared, app
from annobench.core.files import write_csv
from annobench.core.texts import is_formula, plain, visible
from annobench.labels.annotations import Annotations
from annobench.reporting import pages
from annobench_course import teacher


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    return run_commands(FEW[:12], tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("text", NAMES)
def test_what_is_shown_has_no_character_that_acts(text):
    shown = visible(text)
    assert not UNSEEN.search(shown)
    assert visible(shown) == shown
    assert (shown == text) == (UNSEEN.search(text) is None)


@pytest.mark.parametrize("text", [*HOSTILE["formulas"][:-2], "-2+3", "+A1", "@a"])
def test_formulas_are_known(text):
    assert is_formula(text)


@pytest.mark.parametrize("text", ["", "-1", "+1.5e3", "-inf", "+", "=", "a=b", "1-2", " =1", "−1"])
def test_numbers_and_signs_are_no_formulas(text):
    assert not is_formula(text)


@pytest.mark.commands
def test_pages_of_all_commands_have_names_as_text(ran):
    assert {path.stem for path in ran.pages} == {
        *("report", "consensus", "certificate", "plan", "to_check", "audit", "judges", "index"),
        "ranking",
    }
    for path in ran.pages:
        html = path.read_text(encoding="utf-8")
        assert not UNSEEN.search(html), path
        own = re.sub(r"<script[ >].*?</script>", "", html, flags=re.DOTALL)
        tags = re.findall(r"<[a-zA-Z/!][^>]*>", own)
        assert not [tag for tag in tags if "window.hit" in unescape(re.sub(r'"[^"]*"', "", tag))]
        assert ("<script" in html) == (path.stem in ("index", "to_check")), path
        assert "&lt;" in html, path


def test_every_command_prints_names_visibly(ran):
    for command, printed in ran.printed.items():
        assert not UNSEEN.search(printed), command
    assert "\\x1b[2J\\u202e" in ran.printed["--verbose 0"]


def test_commands_write_where_they_are_told_and_nowhere_else(ran):
    top = {path.name for path in ran.folder.iterdir()}
    assert top == {
        *("in", "converted.csv", "ledger.csv", "report", "consensus", "certificate", "plan"),
        *("audit", "judges", "ranking", "compared", "spans"),
    }
    assert not list(ran.folder.parent.rglob("escaped*"))
    names = [path.name for path in ran.folder.rglob("*") if "in" not in path.parts]
    assert all(re.fullmatch(r"[\w.]+", name) for name in names)


def test_tables_give_names_back(ran):
    table, _ = labels_of(FEW[:12])
    known = set(table["item"].to_pylist())
    for name in ("consensus/items.csv", "audit/items.csv", "audit/to_check.csv", "converted.csv"):
        with (ran.folder / name).open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert {row["item"] for row in rows} <= known, name
        if name != "audit/to_check.csv":
            assert {row["item"] for row in rows} == known, name


def test_a_command_says_which_tables_a_spreadsheet_would_compute(ran):
    said = ran.printed["convert 1"]
    assert "Note: a spreadsheet would evaluate cells of converted.csv, such as" in said
    assert "items.csv" in ran.printed["consensus 3"]


def test_tables_of_harmless_names_are_not_noted(tmp_path, capsys):
    table = pd.DataFrame({"item": ["a", "-", "x,=y", "a\n=b"], "change": [-0.5, 1, -np.inf, 2]})
    write_csv(table, tmp_path / "table.csv")
    _shared.note_formulas([tmp_path / "table.csv", tmp_path / "none.csv", tmp_path / "x.parquet"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["a\rb", "a\r\nb", "\r", 'a"\r', "a\nb", "\x1e", "\x85", "\u2028"])
def test_a_name_with_a_line_end_stays_one_cell(tmp_path, name):
    table = pd.DataFrame({"item": [name, "plain"], name: [0.5, -1]})
    write_csv(table, tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream)) == [["item", name], [name, "0.5"], ["plain", "-1.0"]]
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "table.csv"), table)
    named = table.set_index("item", drop=False)
    write_csv(named[[name]], tmp_path / "table.csv", index=True)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "table.csv"), table)
    write_csv(named, tmp_path / "table.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "table.csv"), table)


@pytest.mark.parametrize("kind", HOSTILE)
def test_figures_take_any_name(kind):
    names = [*HOSTILE[kind], "fine"]
    table, _ = labels_of(names)
    labels = Annotations.from_frame(table.to_pandas())
    for drawn in (ab.agreement.krippendorff_alpha(labels), ab.models.fit(labels, "voting")):
        axes = drawn.plot()
        text = io.StringIO()
        axes.figure.savefig(text, format="svg")
        ElementTree.fromstring(text.getvalue())
        plt.close(axes.figure)
    assert all(len(plain(name)) <= 80 for name in names)


def test_a_notebook_shows_names_as_text():
    table, _ = labels_of(FEW[:8])
    labels = Annotations.from_frame(table.to_pandas())
    for found in (ab.models.fit(labels, "voting"), ab.agreement.krippendorff_alpha(labels)):
        html = found._repr_html_()
        assert not UNSEEN.search(html + repr(found))
        assert "<script>" not in html
        assert "mathjax_ignore" in html


def test_an_exam_shows_names_as_text_and_notes_formulas(tmp_path):
    students = tmp_path / "students.txt"
    students.write_text("\n".join(name for name in NAMES if name.isprintable()), encoding="utf-8")
    (tmp_path / "secret.txt").write_text("a long secret of the teacher's")
    words = ["course", "exam", str(students), "--secret", str(tmp_path / "secret.txt")]
    words += ["--questions", "1", "--out", str(tmp_path / "exam")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "cells of answers.csv" in done.output
    for path in (tmp_path / "exam").glob("*.html"):
        assert "<script" not in path.read_text(encoding="utf-8")


def test_pages_show_line_ends_of_windows_as_such():
    home = Path(teacher.__file__).parent
    page = pages.render(
        "exam.html.j2", home, title="a\r\nb\rc", depth=0, papers=[], solutions=False
    )
    assert "<title>a\nb\\rc</title>" in page
