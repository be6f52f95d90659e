"""Krippendorff's alpha for unitizing, by printed examples, by hand and by a slow definition."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.spans import Marks, Span, alpha_u, unitizing_alpha

#: The example of Krippendorff et al. (2016), also Krippendorff (2019), figure 12.11.
ALEX_PAUL_SUZAN = {
    "Alex": ["1 2 9", "2 11 17", "5 24 30", "6 32 36", "6 36 44", "7 44 60"],
    "Paul": ["1 2 9", "3 11 17", "5 19 25", "6 32 44"],
    "Suzan": ["1 2 9", "4 11 17", "5 21 27", "6 32 36", "6 36 40", "6 40 44"],
}


def marks_of(rows, length, document="d"):
    spans = {
        (document, annotator): [
            Span(int(start), int(end), label) for label, start, end in map(str.split, own)
        ]
        for annotator, own in rows.items()
    }
    return Marks.collect(spans, texts={document: "." * length})


def random_marks(rng, n_documents=1, n_annotators=3, length=40, labels="xyz"):
    spans, texts = {}, {}
    for d in range(n_documents):
        texts[f"d{d}"] = "." * length
        for j in range(n_annotators):
            cuts = np.sort(rng.choice(length + 1, size=8, replace=False))
            spans[f"d{d}", f"a{j}"] = [
                Span(int(s), int(e), str(rng.choice(list(labels))))
                for s, e in zip(cuts[::2], cuts[1::2], strict=True)
            ]
    return Marks.collect(spans, texts=texts)


def test_the_example_of_the_paper():
    found = unitizing_alpha(marks_of(ALEX_PAUL_SUZAN, 60))
    assert [round(value, 3) for value in (found.u, found.binary_u, found.cu)] == [
        0.510,
        0.413,
        0.724,
    ]
    table = found.by_label().set_index("label")
    assert table["alpha"].drop("7").tolist() == [1, 0, 0, 0, 1, 1]
    assert table.loc["5", "coverage"] == pytest.approx(8 / 18)
    assert np.isnan(table.loc["7", "alpha"])
    assert table.loc["7", "coverage"] == 0


def by_characters(marks):
    """Compute u, binary u, cu and (k)u from what is said of every character."""
    labels = ["", *marks.labels]
    size = len(labels)
    coincidences = np.zeros((size, size))
    own, paired = np.zeros(size), np.zeros(size)
    for d in marks.shared:
        readers, length = marks.opened_by(d), marks.length(d)
        said = {j: [""] * length for j in readers}
        for j in readers:
            for span in marks.spans[d, j]:
                for at in range(span.start, span.end):
                    said[j][at] = span.label
        for i, j in permutations(readers, 2):
            for at in range(length):
                c, k = labels.index(said[i][at]), labels.index(said[j][at])
                coincidences[c, k] += 1 / (len(readers) - 1)
            for span in marks.spans[d, i]:
                met = sum(said[j][at] != "" for at in range(span.start, span.end))
                paired[labels.index(span.label)] += met**2 / (len(readers) - 1)
        for j in readers:
            own[0] += said[j].count("")
            for span in marks.spans[d, j]:
                own[labels.index(span.label)] += (span.end - span.start) ** 2
    margin, total = coincidences.sum(axis=1), coincidences.sum()
    expected = total * (np.outer(margin, margin) - np.diag(own)) / (total**2 - own.sum())
    both = coincidences[1:, 1:]
    row, all_both = both.sum(axis=1), both.sum()
    by_chance = np.outer(row, row) - np.diag(paired[1:])
    by_chance = by_chance / (all_both - paired.sum() / all_both)
    return {
        "u": 1 - (total - np.trace(coincidences)) / (total - np.trace(expected)),
        "binary_u": 1 - (margin[0] - coincidences[0, 0]) / (expected[0].sum() - expected[0, 0]),
        "cu": 1 - (all_both - np.trace(both)) / (all_both - np.trace(by_chance)),
        "ku": 1
        - (by_chance.sum(axis=1) / row)
        * (row - np.diag(both))
        / (by_chance.sum(axis=1) - np.diag(by_chance)),
    }


@pytest.mark.parametrize(("n_documents", "n_annotators"), [(1, 2), (1, 4), (3, 3)])
def test_sums_of_intersections_are_those_of_characters(rng, n_documents, n_annotators):
    marks = random_marks(rng, n_documents, n_annotators)
    found, slow = unitizing_alpha(marks), by_characters(marks)
    for name in ("u", "binary_u", "cu"):
        assert getattr(found, name) == pytest.approx(slow[name], abs=1e-12)
    assert found.by_label()["alpha"].to_numpy() == pytest.approx(slow["ku"], abs=1e-12)


def test_nobody_meets_anybody():
    # Margins: 14 of gaps, 3 of x, 3 of y, of 20; nobody says x or y where another says anything
    found = unitizing_alpha(marks_of({"a": ["x 0 3"], "b": ["y 5 8"]}, 10))
    observed = 20 - 8
    expected = 20 - 20 * (14**2 - 14 + 3**2 - 3**2 + 3**2 - 3**2) / (20**2 - 14 - 9 - 9)
    assert found.u == pytest.approx(1 - observed / expected)
    assert np.isnan(found.cu)


def test_labels_count_only_where_both_marked():
    same = unitizing_alpha(marks_of({"a": ["x 0 6", "y 9 12"], "b": ["x 3 6", "y 9 15"]}, 20))
    assert same.cu == 1
    assert same.u < 1
    swapped = unitizing_alpha(marks_of({"a": ["x 0 6", "y 9 12"], "b": ["y 0 6", "x 9 12"]}, 20))
    assert swapped.binary_u == 1
    assert swapped.cu < 0


def test_documents_that_nobody_marked_raise_the_agreement_on_gaps():
    rows = {"a": ["x 0 6"], "b": ["x 3 9"]}
    one = marks_of(rows, 10)
    spans = {("d", name): one.spans[0, j] for j, name in enumerate(one.annotators)}
    two = Marks.collect(
        spans | {("e", "a"): [], ("e", "b"): []}, texts={"d": "." * 10, "e": "." * 90}
    )
    assert unitizing_alpha(two).u > unitizing_alpha(one).u
    alone = Marks.collect(spans | {("e", "a"): []}, texts={"d": "." * 10, "e": "." * 90})
    assert unitizing_alpha(alone).u == unitizing_alpha(one).u


def test_nothing_marked_is_undefined():
    found = unitizing_alpha(marks_of({"a": [], "b": []}, 10))
    assert np.isnan([found.u, found.binary_u, found.cu]).all()
    assert np.isnan(found.interval(replicates=9, rng=1).lower)


def test_overlapping_spans_of_one_annotator_are_refused():
    with pytest.raises(AnnotationError, match="'x' and 'y' of annotator 'a' overlap at 3"):
        unitizing_alpha(marks_of({"a": ["x 0 6", "y 3 9"], "b": []}, 10))


def test_the_interval_is_of_documents(rng):
    found = unitizing_alpha(random_marks(rng, n_documents=12))
    interval = found.interval("cu", replicates=200, rng=1)
    assert interval.estimate == found.cu
    assert interval.lower < found.cu < interval.upper
    assert found.interval("cu", replicates=200, rng=1) == interval
    with pytest.raises(AnnotationError, match="coefficient='c' is not one of u, binary_u, cu"):
        found.interval("c")


def test_many_annotators_who_agree_by_chance(rng):
    found = unitizing_alpha(random_marks(rng, n_documents=60, n_annotators=3))
    assert abs(found.u) < 0.1
    assert abs(found.binary_u) < 0.1
    assert abs(found.cu) < 0.15


# What follows are the figures that DKPro Statistics prints in its tests, from Krippendorff (1995,
# p. 57) and (2004, p. 254), with the number of places given there.

EXAMPLE_1995 = {
    "A": (["2 10", "14 20"], ["4 8", "15 17"]),
    "B": (["0 18"], ["0 2", "2 3", "3 4", "4 5", "5 6", "6 9", "9 10"]),
    "C": (["2 8", "10 12", "14 18", "20 22"], ["0 2", "4 8", "10 14", "16 18", "20 22"]),
    "D": (
        ["0 2", "2 10", "10 14", "14 20", "20 24"],
        ["0 4", "4 8", "8 15", "15 17", "17 24"],
    ),
}


def example_1995(label, stretch=1.0):
    both = [
        [f"{label} {int(int(s) * stretch)} {int(int(e) * stretch)}" for s, e in map(str.split, own)]
        for own in EXAMPLE_1995[label]
    ]
    return marks_of(dict(zip("ij", both, strict=True)), int(24 * stretch))


@pytest.mark.parametrize(
    ("label", "observed"), [("A", 0.03125), ("B", 2.26736), ("C", 0.02777), ("D", 0.38715)]
)
def test_observed_disagreement_of_1995(label, observed):
    assert alpha_u(example_1995(label)).loc[0, "observed"] == pytest.approx(observed, abs=1e-5)


@pytest.mark.parametrize(
    ("label", "expected", "alpha"), [("A", 0.06990, 0.553), ("D", 0.41445, 0.066)]
)
def test_the_limit_of_long_texts_of_1995(label, expected, alpha):
    found = alpha_u(example_1995(label, 1_200_000 / 24)).loc[0]
    assert found["expected"] == pytest.approx(expected, abs=1e-5)
    assert found["alpha"] == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize(
    ("label", "expected", "alpha"), [("B", 1.17731, -0.926), ("C", 0.08642, 0.679)]
)
def test_two_limits_of_1995_that_the_definition_of_2004_does_not_give(label, expected, alpha):
    # DKPro, whose definition this is, allows 0.005 and 0.02 for an error in the print of 1995.
    found = alpha_u(example_1995(label, 1_200_000 / 24)).loc[0]
    assert found["expected"] == pytest.approx(expected, abs=0.005)
    assert found["alpha"] == pytest.approx(alpha, abs=0.02)
    assert found["expected"] != pytest.approx(expected, abs=1e-3)


def test_the_limit_printed_for_c_lacks_a_term():
    # Without the units' own pairs in the divisor, sum b (b - 1) = 104 of 48**2 at the first length
    found = alpha_u(example_1995("C", 1_200_000 / 24)).loc[0, "expected"]
    assert found * (48**2 - 104) / 48**2 == pytest.approx(0.08642, abs=1e-5)


def test_expected_disagreement_of_a_short_text_of_1995():
    assert alpha_u(example_1995("C", 0.5)).loc[0, "expected"] == pytest.approx(0.05494, abs=1e-5)


def test_the_example_of_2004():
    rows = {
        "i": ["c 75 145", "c 220 250", "k 30 90", "k 150 200"],
        "j": ["c 70 150", "c 205 225", "c 250 270", "k 30 90", "k 150 200"],
    }
    found = alpha_u(marks_of(rows, 300)).set_index("label")
    assert found.loc["c"].round(4).tolist() == [0.0144, 0.0532, 0.7286]
    assert found.loc["k"].round(4).tolist() == [0.0, 0.0490, 1.0]
    # Printed is 0.8591, computed from the rounded disagreements
    assert round(1 - (0.0144 + 0.0) / (0.0532 + 0.0490), 4) == 0.8591
    assert found.loc["all", "alpha"] == pytest.approx(0.8587, abs=5e-5)


def test_the_example_of_dkpro():
    # Its test cuts 0.53519 after four places
    found = alpha_u(marks_of({"0": ["A 1 9"], "1": ["A 2 3", "A 4 5", "A 6 7"]}, 10)).loc[0]
    assert found[["observed", "expected", "alpha"]].tolist() == pytest.approx(
        [0.91, 0.5351, -0.7003], abs=1e-4
    )


@pytest.mark.parametrize(
    ("rows", "alpha"),
    [
        ({"user1": [], "user3": ["test 0 4"]}, -4.5),
        ({"user1": ["+ 0 1"], "user2": ["+ 4 5"]}, -0.0714),
    ],
)
def test_cases_of_inception(rows, alpha):
    # Two documents "test" end to end in the second one
    length = 4 if "user3" in rows else 8
    assert alpha_u(marks_of(rows, length)).iloc[-1]["alpha"] == pytest.approx(alpha, abs=1e-3)


def test_documents_are_laid_end_to_end():
    two = Marks.collect(
        {
            ("a", "user1"): [Span(0, 1, "+")],
            ("a", "user2"): [],
            ("b", "user1"): [],
            ("b", "user2"): [Span(0, 1, "+")],
        },
        texts={"a": "test", "b": "test"},
    )
    assert alpha_u(two).iloc[-1]["alpha"] == pytest.approx(-0.0714, abs=5e-5)


def test_alpha_u_of_one_annotator_is_refused():
    with pytest.raises(AnnotationError, match="1 annotators and 0 documents"):
        alpha_u(marks_of({"a": ["x 0 3"]}, 9))
    with pytest.raises(AnnotationError, match="spans 'x' of annotator 'a' overlap"):
        alpha_u(marks_of({"a": ["x 0 6", "x 3 9"], "b": []}, 10))
