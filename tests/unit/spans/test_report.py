"""The table, the page and the command that report agreement on spans."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.reporting import spans_page
from annobench.spans import (
    Marks,
    Relation,
    Span,
    gamma_alignment,
    pairwise_f1,
    report_spans,
    unitizing_alpha,
)

TEXT = "Ada Lovelace met Charles Babbage in London."
SPANS = {
    ("d", "ann"): [Span(0, 12, "PER"), Span(17, 32, "PER"), Span(36, 42, "LOC")],
    ("d", "bob"): [Span(0, 3, "PER"), Span(17, 32, "PER"), Span(36, 42, "LOC")],
    ("e", "ann"): [Span(0, 3, "PER")],
    ("e", "bob"): [Span(0, 3, "PER")],
    ("f", "ann"): [],
    ("f", "bob"): [],
    ("g", "ann"): [Span(0, 3, "PER")],
}
MARKS = Marks.collect(SPANS, texts=dict.fromkeys("defg", TEXT))
OPTIONS = {"replicates": 50, "draws": 3, "rng": 1}


@pytest.fixture(scope="module")
def table():
    return report_spans(MARKS, **OPTIONS)


def overall(table):
    return table[table["breakdown"] == "overall"].set_index("measure")


def test_the_table_has_every_measure(table):
    found = overall(table)
    assert list(found.index) == [
        *("f1_exact", "f1_overlap", "f1_token"),
        *("alpha_u", "alpha_binary_u", "alpha_cu", "gamma", "gamma_cat"),
    ]
    assert found.loc["f1_exact", "estimate"] == pairwise_f1(MARKS).estimate
    assert found.loc["alpha_u", "estimate"] == unitizing_alpha(MARKS).u
    assert found["estimate"].drop("gamma_cat").between(0, 1).all()
    # Three random annotations of so few spans never align different labels.
    assert "never aligned by chance" in found.loc["gamma_cat", "note"]
    assert (found["n_documents"] == 3).all()


def test_labels_pairs_and_documents_are_listed(table):
    kinds = table.groupby(["measure", "breakdown"]).size()
    assert kinds["f1_exact"].to_dict() == {"document": 3, "label": 2, "overall": 1, "pair": 1}
    assert kinds["alpha_ku", "label"] == kinds["gamma_k", "label"] == 2
    empty = table[(table["of"] == "f") & (table["measure"] == "f1_exact")].iloc[0]
    assert math.isnan(empty["estimate"])
    assert empty["note"] == "Nobody marked anything here."


def test_what_gamma_does_not_give_is_said(monkeypatch):
    both = [Span(0, 10, "PER"), Span(20, 30, "PER")]
    alone = {("d", "ann"): [*both, Span(50, 60, "LOC")], ("d", "bob"): both}
    found = report_spans(Marks.collect(alone, texts={"d": "." * 60}), **OPTIONS | {"draws": 50})
    notes = found[found["measure"] == "gamma_k"].set_index("of")["note"]
    assert notes.to_dict() == {"PER": "", "LOC": "None of its spans are aligned with others."}
    monkeypatch.setattr(gamma_alignment, "MAX_CANDIDATES", 0)
    found = report_spans(MARKS, **OPTIONS)
    [row] = found[found["measure"].str.startswith("gamma")].to_dict("records")
    assert row["note"].startswith("Not computed: ")
    assert math.isnan(row["estimate"])


def test_a_measure_without_value_says_why():
    nested = Marks.collect(
        SPANS | {("d", "ann"): [Span(0, 12, "PER"), Span(0, 3, "NAME")]},
        texts=dict.fromkeys("defg", TEXT),
    )
    found = overall(report_spans(nested, **OPTIONS))
    assert math.isnan(found.loc["alpha_u", "estimate"])
    assert "overlap at 0" in found.loc["alpha_u", "note"]
    assert found.loc["gamma", "estimate"] < 1
    nothing = Marks.collect({("d", "a"): [], ("d", "b"): []}, texts={"d": TEXT})
    found = overall(report_spans(nothing, **OPTIONS))
    assert found["estimate"].isna().all()
    assert found.loc["f1_exact", "note"] == "Nobody marked anything."


def test_relations_have_rows_of_their_own():
    link = Relation(Span(0, 3, "x"), Span(17, 32, "x"), "met")
    alone = Marks.collect(
        {("d", "a"): [], ("d", "b"): []}, {("d", "a"): [link], ("d", "b"): [link]}
    )
    found = overall(report_spans(alone, **OPTIONS))
    assert found["estimate"].to_dict() == {"relation_f1_exact": 1, "relation_f1_overlap": 1}
    assert "F1 of relations" in spans_page.render(alone, report_spans(alone, **OPTIONS), source="x")


def test_the_page_shows_the_values_and_needs_nothing_else(table):
    page = spans_page.render(MARKS, table, source="project")
    lead = overall(table).loc["f1_exact", "estimate"]
    assert f"{lead:.3f}" in page
    for text in ("Gamma", "Unitizing alpha", "By label", "Marked by some", "Ada Lovelace"):
        assert text in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert "In 1 opened document nobody marked anything." in page
    assert "1 document opened by one annotator" in page


def test_of_many_labels_the_page_says_how_many_there_are():
    names = [f"kind {n}" for n in range(41)]
    spans = {
        ("d", who): [Span(2 * n, 2 * n + 1, name) for n, name in enumerate(names)]
        for who in ("ann", "bob")
    }
    marks = Marks.collect(spans, texts={"d": "." * 82})
    page = spans_page.render(marks, report_spans(marks, **OPTIONS), source="x")
    assert "The 40 most frequent of 41 labels." in page


def test_what_half_of_the_annotators_marked_comes_first():
    # The first word is marked by one of four annotators, the second by two, the third by three.
    words = [Span(0, 3, "PER"), Span(4, 12, "PER"), Span(13, 16, "PER")]
    spans = {("d", f"a{n}"): [s for k, s in enumerate(words) if n <= k] for n in range(4)}
    marks = Marks.collect(spans, texts={"d": TEXT})
    page = spans_page.render(marks, report_spans(marks, **OPTIONS), source="x")
    section = page[page.index('<h2 id="examples">') :]
    shown = re.findall(r"<b>([^<]*)</b>.*?</td><td class=\"right\">(\d+%)</td>", section)
    assert shown[0] == ("Lovelace", "50%")
    assert set(shown[1:]) == {("Ada", "25%"), ("met", "75%")}


def test_hostile_names_are_escaped():
    bad = "<script>alert(1)</script>"
    spans = {(bad, bad): [Span(0, 3, bad)], (bad, "b"): [Span(0, 2, bad)]}
    marks = Marks.collect(spans, texts={bad: bad}, layer=bad)
    page = spans_page.render(marks, report_spans(marks, **OPTIONS), source=bad, remarks=[bad])
    assert "<script>alert" not in page


def test_advice_names_the_label_and_the_annotator(rng):
    spans, texts = {}, {}
    for d in range(6):
        texts[f"d{d}"] = TEXT
        for name in ("ann", "bob", "cat"):
            shift = 2 if name == "cat" else 0
            spans[f"d{d}", name] = [Span(10 + shift, 20, "LOOSE"), Span(30, 34, "TIGHT")]
    marks = Marks.collect(spans, texts=texts)
    advice = spans_page.advice(marks, report_spans(marks, **OPTIONS))
    assert any(
        "“LOOSE”: annotators mark the same places with different boundaries" in text
        for text in advice
    )
    assert any("“cat” agrees less with the others" in text for text in advice)
    assert not any("TIGHT" in text for text in advice)


def write_project(folder):
    for (document, annotator), own in SPANS.items():
        path = folder / annotator / f"{document}.ann"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"T{n}\t{s.label} {s.start} {s.end}\t-" for n, s in enumerate(own, 1)]
        path.write_text("\n".join(lines))
        path.with_suffix(".txt").write_text(TEXT)
    return folder


def test_the_command_reports_on_spans(tmp_path):
    project = write_project(tmp_path / "project")
    result = CliRunner().invoke(app, ["report", str(project), "--seed", "1"])
    assert result.exit_code == 0, result.output
    assert "F1, equal limits" in result.output
    folder = tmp_path / "project_agreement"
    written = {path.name for path in folder.iterdir()}
    assert written == {".annobench.json", "report.csv", "report.html", "ledger.csv"}
    stored = pd.read_csv(folder / "report.csv")
    assert overall(stored).loc["f1_exact", "estimate"] == pairwise_f1(MARKS).estimate
    again = CliRunner().invoke(app, ["report", str(project), "--question", "nothing"])
    assert again.exit_code != 0
    assert "nothing" in again.output


@pytest.mark.parametrize(("spans", "n_items"), [("tokens", 4 * 8), ("candidates", 4 + 1 + 1)])
def test_spans_become_items_of_other_commands(tmp_path, spans, n_items):
    project = write_project(tmp_path / "project")
    out = tmp_path / "labels.csv"
    command = ["convert", str(project), str(out), "--spans", spans]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    stored = pd.read_csv(out)
    assert stored["item"].nunique() == n_items
    assert set(stored["label"]) <= {"O", "PER", "LOC"}
    # d and e by two annotators, f by two without marks, g by one
    assert len(stored) == {"tokens": (2 + 2 + 2 + 1) * 8, "candidates": 4 * 2 + 2 + 1}[spans]


def test_items_of_a_file_without_spans_are_refused(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label\ni,a,x\ni,b,x\n")
    result = CliRunner().invoke(app, ["report", str(path), "--spans", "tokens"])
    assert result.exit_code != 0
    assert "--spans has no effect on a table" in " ".join(result.output.split())


def test_the_same_seed_gives_the_same_table():
    first, second = (report_spans(MARKS, **OPTIONS) for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    other = report_spans(MARKS, **OPTIONS | {"rng": np.random.default_rng(2)})
    assert overall(other).loc["f1_exact", "estimate"] == overall(first).loc["f1_exact", "estimate"]
