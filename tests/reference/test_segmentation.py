"""nltk and segeval find the same Pk and WindowDiff; and what segmentations of annotators are."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import pandas as pd
import pytest

from annobench.core.errors import AnnotationError
from annobench.reporting import spans_page
from annobench.spans import Marks, Span, pk, report_spans, segmentation, window_diff

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "segmentation"
STORED = pd.read_csv(FOLDER / "values.csv", comment="#")


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()
TEXT = "a b c d e f g h i j"


def marks_of(**segments) -> Marks:
    """Cut ten tokens after those that are named, for each annotator."""
    spans = {}
    for name, ends in segments.items():
        limits = [0, *ends, 10]
        spans["d", name] = [
            Span(2 * start, 2 * end - 1, "s") for start, end in itertools.pairwise(limits)
        ]
    return Marks.collect(spans, texts={"d": TEXT})


def test_what_is_stored_was_made_by_the_script():
    lines = (FOLDER / "values.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    assert (ROOT / header["script"]).is_file()
    assert "segeval==" in header["packages"]
    assert set(STORED["case"]) == set(SCRIPT.CASES)


@pytest.mark.parametrize(
    "row", STORED.to_dict("records"), ids=lambda r: f"{r['case']}-{r['package']}"
)
def test_the_packages_find_the_same(row):
    reference, hypothesis = SCRIPT.pair(row["case"])
    window = SCRIPT.CASES[row["case"]][3]
    assert pk(reference, hypothesis, window=window) == pytest.approx(row["pk"], rel=1e-12)
    found = window_diff(reference, hypothesis, window=window)
    assert found == pytest.approx(row["window_diff"], rel=1e-12)


def test_annotators_are_compared_by_windows_of_half_a_segment():
    found = segmentation(marks_of(ann=[3, 6], bob=[3, 7], cem=[3, 6]))
    # Nine segments of 90 / 9 / 3 tokens: windows of two places, eight of them.
    assert found.window == 2
    table = found.summary().set_index(["first", "second"])
    assert table.loc[("ann", "bob"), "window_diff"] == pytest.approx(2 / 8)
    assert table.loc[("ann", "cem"), "window_diff"] == 0
    assert table["n_windows"].tolist() == [8, 8, 8]
    assert found.interval("pk").estimate == pytest.approx(4 / 24)


def test_all_documents_have_one_window():
    # Segments of two tokens in one document and of six in the other: half of the mean of both.
    ends = {
        "short": ([2, 4, 6, 8, 10, 12], [3, 4, 6, 8, 10, 12]),
        "long": ([12, 24, 36], [11, 24, 36]),
    }
    spans = {
        (name, annotator): [
            Span(2 * start, 2 * end - 1, "s") for start, end in itertools.pairwise([0, *own])
        ]
        for name, both in ends.items()
        for annotator, own in zip(("ann", "bob"), both, strict=True)
    }
    found = segmentation(Marks.collect(spans, texts={"short": "a " * 12, "long": "a " * 36}))
    by_document = found.by_document.set_index("document")
    for name, both in ends.items():
        size = both[0][-1] - 1
        places = [[n + 1 in own for n in range(size)] for own in both]
        for measure, f in (("pk", pk), ("window_diff", window_diff)):
            expected = f(*places, window=found.window)
            assert by_document.loc[name, measure] == pytest.approx(expected)
    assert found.window not in (1, 6)


def test_who_comes_first_does_not_matter():
    one = segmentation(marks_of(ann=[2, 4, 6], bob=[5])).summary()
    other = segmentation(marks_of(ann=[5], bob=[2, 4, 6])).summary()
    assert one[["pk", "window_diff"]].equals(other[["pk", "window_diff"]])


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([Span(0, 5, "s")], "leave tokens out"),
        ([Span(0, 11, "s"), Span(8, 19, "s")], "overlap"),
    ],
)
def test_spans_that_do_not_divide_the_text_are_refused(spans, message):
    marks = Marks.collect(
        {("d", "ann"): [Span(0, 19, "s")], ("d", "bob"): spans}, texts={"d": TEXT}
    )
    with pytest.raises(AnnotationError, match=message):
        segmentation(marks)


def test_windows_that_do_not_fit_are_refused():
    with pytest.raises(AnnotationError, match="a window of 5 does not fit into 3 positions"):
        pk([0, 1, 0], [0, 0, 1], window=5)
    with pytest.raises(AnnotationError, match="shapes"):
        window_diff([0, 1], [0, 1, 1])
    with pytest.raises(AnnotationError, match="no text is longer than a window"):
        segmentation(
            Marks.collect(
                {("d", name): [Span(0, 3, "s")] for name in ("ann", "bob")}, texts={"d": "a b"}
            )
        )
    with pytest.raises(AnnotationError, match="no document was opened by two"):
        segmentation(marks_of(ann=[3]))


def test_the_report_has_boundaries_where_spans_divide_the_text():
    marks = marks_of(ann=[3, 6], bob=[3, 7])
    table = report_spans(marks, draws=2, replicates=5, rng=1).set_index(["measure", "breakdown"])
    assert table.loc[("one_minus_window_diff", "overall"), "estimate"] == pytest.approx(6 / 8)
    assert table.loc[("one_minus_pk", "pair"), "of"] == "ann - bob"
    page = spans_page.render(marks, table.reset_index(), source="texts")
    assert "1 − WindowDiff" in page
    gaps = Marks.collect(
        {("d", name): [Span(0, 3, "s"), Span(4, 7, "s")] for name in ("ann", "bob")},
        texts={"d": TEXT},
    )
    assert "one_minus_pk" not in set(report_spans(gaps, draws=2, replicates=5, rng=1)["measure"])
