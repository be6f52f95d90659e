"""Gamma: by hand, against every alignment there is, and against its first implementation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.resampling.ratios import ratio
from annobench.spans import Marks, Span, gamma_agreement, gamma_alignment
from annobench.spans.gamma_alignment import Dissimilarity, Units, best_alignment
from annobench.spans.gamma_categories import LabelDisorder
from annobench.spans.gamma_chance import Texts


def units_of(*documents):
    """Return the units of one annotator: rows of (start, end, label) of each document."""
    rows = [row for own in documents for row in own]
    start, end, label = zip(*rows, strict=True) if rows else ((), (), ())
    codes = np.array(["abcdefghijklm".index(name) for name in label], dtype=np.int64)
    document = np.repeat(np.arange(len(documents)), [len(own) for own in documents])
    return Units(np.array(start, dtype=float), np.array(end, dtype=float), codes, document)


def marks_of(*annotators, length=60):
    spans = {
        ("d", f"a{j}"): [Span(s, e, label) for s, e, label in rows]
        for j, rows in enumerate(annotators)
    }
    return Marks.collect(spans, texts={"d": "." * length})


def disorder(rows):
    """Return the disorder of the best alignment, by units per annotator, as the paper prints it."""
    found = best_alignment([units_of(own) for own in rows], Dissimilarity(), ["d"])
    return found.disorder[0] / (sum(map(len, rows)) / len(rows))


def test_dissimilarity_by_hand():
    d = Dissimilarity()
    first, second = units_of([(0, 4, "a")]), units_of([(1, 7, "b")])
    # (1 + 3) / (4 + 6), squared, and 1 for the label
    assert d.between(first, second) == pytest.approx(0.16 + 1)
    assert Dissimilarity(3, 0.5, 2).between(first, second) == pytest.approx(2 * (3 * 0.16 + 0.5))
    assert d.between(first, first) == 0


# Printed by pygamma-agreement 0.5.9 (commit 44587ef) with alpha = beta = delta_empty = 1, in the
# fixtures of DKPro Statistics: single precision.
SIMPLE = [[(1, 5, "a"), (6, 10, "b"), (11, 15, "a")], [(2, 6, "a"), (7, 11, "b"), (12, 16, "a")]]
UNEQUAL = [
    [(1, 5, "a"), (6, 10, "b"), (20, 24, "a"), (30, 34, "b")],
    [(2, 6, "a"), (31, 35, "b")],
]
THREE = [
    [(1, 5, "a"), (10, 14, "b")],
    [(2, 6, "a"), (11, 15, "b")],
    [(1, 4, "a"), (9, 14, "c")],
]
SAMPLE = [
    [(673002, 4673002, "a"), (5099477, 9099477, "b"), (10706344, 14706344, "a")],
    [(540361, 4540361, "a"), (5368021, 9368021, "b"), (10758210, 14758210, "b")],
]
SAMPLE_OF_THREE = [
    [(373938, 716439, "c"), (1130082, 1613892, "a")],
    [(339553, 673303, "a"), (845304, 1238337, "c")],
    [(253388, 677929, "a"), (1017483, 1427270, "a")],
]


#: Annotators, weight of position, best disorder, expected disorder of 200 random annotations.
PEER = [
    (("Alex", "Suzan"), 1, 0.5601851940155029, 1.2725660800933838),
    (("Alex", "Suzan"), 3, 0.6805555820465088, 1.5383297204971313),
    (("Alex", "Paul", "Suzan"), 1, 0.6535416841506958, None),
    (("Alex", "Paul", "Suzan"), 3, 0.9606249332427979, None),
]


@pytest.mark.parametrize(
    ("rows", "printed"),
    [
        (SIMPLE, 0.0625),
        (UNEQUAL, 0.7083333134651184),
        (THREE, 0.40875643491744995),
        (SAMPLE, 0.3352583348751068),
        (SAMPLE_OF_THREE, 0.8253426551818848),
    ],
)
def test_disorder_of_the_peer(rows, printed):
    assert disorder(rows) == pytest.approx(printed, rel=1e-6)


#: The example of Krippendorff et al. (2016), moved to the beginning of the text.
EXAMPLE = {
    "Alex": ["a 0 7", "b 9 15", "e 22 28", "f 30 34", "f 34 42", "g 42 58"],
    "Paul": ["a 0 7", "c 9 15", "e 17 23", "f 30 42"],
    "Suzan": ["a 0 7", "d 9 15", "e 19 25", "f 30 34", "f 34 38", "f 38 42"],
}


@pytest.mark.parametrize(("names", "position", "printed", "by_chance"), PEER)
def test_gamma_of_the_peer(names, position, printed, by_chance):
    # pygamma-agreement 0.5.9: CombinedCategoricalDissimilarity(alpha=position, beta=1,
    # delta_empty=1), ShuffleContinuumSampler(), compute_gamma(n_samples=200) after
    # numpy.random.seed(1). It draws other numbers, so that chance agrees within its error. With
    # three annotators its expected disorder is lower, 1.419 and 1.697 (60 samples): when it leaves
    # out what is near a distance drawn before, it widens the other intervals, so that a third
    # distance may fall beside the first.
    rows = [[(int(s), int(e), k) for k, s, e in map(str.split, EXAMPLE[name])] for name in names]
    found = gamma_agreement(marks_of(*rows, length=58), position=position, draws=100, rng=1)
    per_annotator = sum(map(len, rows)) / len(rows)
    assert found.observed[0] / per_annotator == pytest.approx(printed, rel=1e-6)
    if by_chance is not None:
        draws = found.expected[0] / per_annotator
        error = draws.std(ddof=1) * np.sqrt(1 / 100 + 1 / 200)
        assert abs(draws.mean() - by_chance) < 3 * error


def partitions(sizes):
    """List every way to put the units of several annotators into rows."""

    def extend(left):
        if not any(left):
            yield []
            return
        j = next(n for n, own in enumerate(left) if own)
        head, *tail = left[j]
        rest = [tail if n == j else own for n, own in enumerate(left)]
        choices = [[None, *own] if n > j else [None] for n, own in enumerate(rest)]
        for others in product(*choices):
            row = tuple(head if n == j else other for n, other in enumerate(others))
            after = [[u for u in own if u != row[n]] for n, own in enumerate(rest)]
            for more in extend(after):
                yield [row, *more]

    yield from extend([list(range(size)) for size in sizes])


def every_alignment(rows, weights):
    n = len(rows)
    units = [units_of(own) for own in rows]

    def cost(row):
        total = 0.0
        for i in range(n):
            for j in range(i):
                if row[i] is None or row[j] is None:
                    total += weights.empty
                else:
                    pair = [units[x].at(np.array([row[x]])) for x in (i, j)]
                    total += float(weights.between(*pair)[0])
        return total / (n * (n - 1) / 2)

    return min(sum(map(cost, alignment)) for alignment in partitions([len(r) for r in rows]))


def random_rows(rng, sizes):
    """Return rows of (start, end, label) of annotators with that many units."""
    found = []
    for size in sizes:
        start = rng.integers(0, 20, size)
        end = start + rng.integers(1, 12, size)
        label = rng.choice(list("ab"), size)
        found.append(list(zip(start.tolist(), end.tolist(), label.tolist(), strict=True)))
    return found


@pytest.mark.parametrize(
    "weights", [Dissimilarity(), Dissimilarity(3, 1), Dissimilarity(0.2, 2, 0.5)]
)
@pytest.mark.parametrize("sizes", [(3, 4), (3, 2, 3), (2, 2, 1, 2), (0, 3)])
def test_no_other_alignment_is_better(rng, sizes, weights):
    rows = random_rows(rng, sizes)
    found = best_alignment([units_of(own) for own in rows], weights, ["d"])
    assert found.disorder[0] == pytest.approx(every_alignment(rows, weights))
    used = [sorted(column[column >= 0].tolist()) for column in found.tuples.T]
    assert used == [list(range(size)) for size in sizes]


@pytest.mark.parametrize("most", [gamma_alignment.MAX_CANDIDATES, 1_200])
def test_documents_are_aligned_together_as_they_are_alone(rng, most, monkeypatch):
    sizes = rng.integers(0, 6, size=(40, 4))
    documents = [random_rows(rng, row) for row in sizes]
    monkeypatch.setattr(gamma_alignment, "MAX_CANDIDATES", most)
    units = [units_of(*own) for own in zip(*documents, strict=True)]
    names = [f"d{n}" for n in range(len(documents))]
    found = best_alignment(units, Dissimilarity(), names)
    alone = [
        best_alignment([units_of(own) for own in rows], Dissimilarity(), ["d"]).disorder[0]
        for rows in documents
    ]
    np.testing.assert_allclose(found.disorder, alone)
    assert (np.diff(found.document) >= 0).all()
    for own, column in zip(units, found.tuples.T, strict=True):
        at = column >= 0
        assert sorted(column[at]) == list(range(own.start.size))
        assert (own.document[column[at]] == found.document[at]).all()


def test_where_the_linear_programme_takes_halves_an_integer_programme_decides():
    rows = [
        [(11, 14, "b"), (8, 19, "b"), (19, 20, "b")],
        [(5, 13, "a"), (18, 28, "b")],
        [(18, 26, "b"), (0, 2, "b"), (7, 13, "b")],
    ]
    found = best_alignment([units_of(own) for own in rows], Dissimilarity(), ["d"])
    assert found.disorder[0] == pytest.approx(every_alignment(rows, Dissimilarity()))
    assert (found.tuples >= 0).sum() == 8


def test_gamma_of_identical_annotations_is_one():
    assert gamma_agreement(marks_of(SIMPLE[0], SIMPLE[0]), rng=1).estimate == 1


def test_gamma_is_one_less_the_ratio_of_disorders():
    found = gamma_agreement(marks_of(*SIMPLE, length=20), draws=50, rng=1)
    table = found.by_document()
    assert found.observed[0] == pytest.approx(3 * 0.0625)
    assert found.estimate == pytest.approx(1 - 3 * 0.0625 / found.expected.mean())
    assert table.loc[0, "gamma"] == pytest.approx(found.estimate)
    assert table.loc[0, "n_units"] == 6


def test_the_same_seed_gives_the_same_gamma_and_another_one_within_the_error():
    marks = marks_of(*SIMPLE)
    one, same = (gamma_agreement(marks, rng=3) for _ in range(2))
    assert one.estimate == same.estimate
    other = gamma_agreement(marks, draws=150, rng=4)
    assert other.standard_error < one.standard_error
    assert abs(one.estimate - other.estimate) < 4 * np.hypot(
        one.standard_error, other.standard_error
    )


def test_random_annotations_have_a_gamma_near_zero(rng):
    spans, texts = {}, {}
    for d in range(20):
        texts[f"d{d}"] = "." * 200
        for j in "ab":
            start = np.sort(rng.integers(0, 190, 6))
            spans[f"d{d}", j] = [
                Span(int(s), int(s) + 8, str(rng.choice(list("xyz")))) for s in start
            ]
    found = gamma_agreement(Marks.collect(spans, texts=texts), draws=5, rng=1)
    assert abs(found.estimate) < 0.1
    interval = found.interval(replicates=300, rng=1)
    assert interval.lower < 0 < interval.upper


def test_documents_count_by_their_units_and_unmarked_ones_add_nothing():
    spans = {
        ("d", "a"): [Span(0, 4, "x")],
        ("d", "b"): [Span(0, 4, "x")],
        ("e", "a"): [],
        ("e", "b"): [],
    }
    marks = Marks.collect(spans, texts={"d": "." * 30, "e": "." * 30})
    found = gamma_agreement(marks, rng=1)
    assert found.estimate == 1
    assert np.isnan(found.by_document().loc[1, "gamma"])
    assert np.isnan(gamma_agreement(marks.select(documents=["e"]), rng=1).estimate)


def moved(*annotators, length, draws):
    """Return starts and widths of the units of random annotations, by draw and annotator."""
    texts = Texts.of(marks_of(*annotators, length=length), [0])
    units = texts.with_random(draws, np.random.default_rng(1))
    first = [own.at(np.flatnonzero(own.document == 0)) for own in units]
    kept = [[tuple(map(int, row[:2])) for row in zip(*own, strict=True)] for own in first]
    assert kept == [[row[:2] for row in own] for own in annotators]
    return [
        [(own.start[own.document == d], (own.end - own.start)[own.document == d]) for own in units]
        for d in range(1, 1 + draws)
    ]


def test_moving_keeps_lengths_labels_and_stays_on_the_text():
    drawn = moved([(0, 4, "a"), (50, 58, "b")], [(20, 24, "a")], length=60, draws=200)
    for start, width in (own for annotators in drawn for own in annotators):
        assert sorted(width.tolist()) in ([4.0], [4.0, 8.0])
        assert ((start >= 0) & (start <= 60)).all()


def test_distances_of_movement_differ_where_there_is_room():
    starts = []
    for annotators in moved(*[[(0, 20, "a")]] * 3, length=200, draws=500):
        shifts = [float(start[0]) for start, _ in annotators]
        # Whole characters, so that half the mean length of 20 may be one short
        assert min(np.diff(sorted(shifts))) >= 9
        starts.append(shifts)
    # The first is uniform on the text: by its mean within four standard errors, and its range.
    first = np.array(starts)[:, 0]
    assert abs(first.mean() - 100) < 4 * 200 / np.sqrt(12 * 500)
    assert first.min() < 10 < 190 < first.max()


def test_movement_without_room_is_uniform_and_nobody_is_left_without_units():
    # 100 characters of 100: whatever the first distance is, no second is 50 away from it.
    for annotators in moved([(0, 100, "a")], [], [(0, 100, "b")], length=100, draws=200):
        assert sum(start.size for start, _ in annotators) > 0
        assert all(0 <= start <= 100 for own, _ in annotators for start in own)


def test_impossible_requests_are_refused():
    marks = marks_of(*SIMPLE)
    with pytest.raises(AnnotationError, match="weights must not be negative"):
        gamma_agreement(marks, position=-1)
    with pytest.raises(AnnotationError, match="draws must be at least 1"):
        gamma_agreement(marks, draws=0)
    with pytest.raises(AnnotationError, match="no document of the layer 'spans'"):
        gamma_agreement(marks.select(annotators=["a0"]))


def test_too_many_alignments_are_refused_in_time(monkeypatch):
    monkeypatch.setattr(gamma_alignment, "MAX_CANDIDATES", 100_000)  # of which there are enough
    crowd = [[(0, 10, "a"), (1, 11, "a"), (2, 12, "b")]] * 12
    with pytest.raises(AnnotationError, match="ways to align its units"):
        gamma_agreement(marks_of(*crowd), rng=1)


# ------------------------------------------------------------------------- categories


def test_disorder_of_labels_by_hand():
    # Three pairs; the first two agree, each weighed by 1 - p ** 2, p the shift over the length.
    found = gamma_agreement(marks_of(*SAMPLE, length=16_000_000), draws=5, rng=1).labels
    p = np.array([132_641, 268_544, 51_866]) * 2 / 8_000_000
    weights = 1 - p**2
    np.testing.assert_allclose(
        found.weight[0], [weights.sum(), weights[[0, 2]].sum(), weights[1:].sum()]
    )
    np.testing.assert_allclose(found.differing[0], [weights[2]] * 3)


def test_a_row_of_three_units_counts_as_one_and_a_half_pairs():
    # Limits are equal, so that a pair weighs a half; a, a and b make two of three pairs differ.
    marks = marks_of([(0, 9, "a")], [(0, 9, "a")], [(0, 9, "b")], length=200)
    found = gamma_agreement(marks, draws=400, rng=1)
    np.testing.assert_allclose(found.labels.weight, [[1.5, 1.5, 1]])
    np.testing.assert_allclose(found.labels.differing, [[1, 1, 1]])
    # Of the weight of a two thirds differ, of that of b all: more than by chance.
    by_chance = np.nanmean(found.labels.expected[0], axis=0)
    expected = 1 - np.array([2 / 3, 1]) / by_chance[1:]
    np.testing.assert_allclose(found.by_label()["gamma"], expected)
    assert (expected < 0).all()


def test_gamma_of_categories_of_the_peer():
    # tests/test_gammas.py of pygamma-agreement (commit 2d40fc4) states of this example, with
    # alpha = 3, that gamma-cat is from .67 to .70, and gamma-k 1 of the first, fifth and sixth
    # category and at most 0 of the others. Chance is drawn otherwise: see above. The released 0.5.9
    # counts units that stand alone in full, and gave .40.
    rows = [[(int(s), int(e), k) for k, s, e in map(str.split, own)] for own in EXAMPLE.values()]
    found = gamma_agreement(marks_of(*rows, length=58), position=3, draws=100, rng=1)
    error = ratio(found.labels.standard_error, found.labels.by_chance.sum(axis=0))
    observed = 1 - found.labels.gamma()
    slack = 3 * error * observed
    assert 0.67 - slack[0] <= found.categories <= 0.70 + slack[0]
    gamma = found.by_label().set_index("label")["gamma"]
    assert gamma["a"] == gamma["e"] == gamma["f"] == 1
    others = [1 + list(gamma.index).index(label) for label in "bcd"]
    assert (gamma[["b", "c", "d"]].to_numpy() <= slack[others]).all()
    assert np.isnan(gamma["g"])  # its only unit stands alone


def test_a_unit_without_a_counterpart_adds_nothing_to_the_disorder_of_labels():
    # pygamma-agreement 0.5.9, delta_empty = 1: get_best_alignment(...).gamma_k_disorder(...) prints
    # 0.6666667, and 0, 1 and 1 of a, b and c, as it counts the lone unit as a pair that differs.
    rows = [(0, 10, "a"), (20, 30, "b"), (40, 50, "c")], [(0, 10, "a"), (20, 30, "c")]
    found = gamma_agreement(marks_of(*rows, length=60), draws=5, rng=1).labels
    np.testing.assert_allclose(found.weight, [[2, 1, 1, 1]])
    np.testing.assert_allclose(found.differing, [[1, 0, 1, 1]])
    lone = np.array([1, 0, 0, 1])
    printed = [0.6666667, 0, 1, 1]
    np.testing.assert_allclose(
        (found.differing + lone)[0] / (found.weight + lone)[0], printed, rtol=1e-7
    )


def test_gamma_of_categories_puts_positions_aside(rng):
    spans, texts = {}, {}
    for d in range(12):
        texts[f"d{d}"] = "." * 300
        start = np.arange(5) * 60 + 10
        label = rng.choice(list("xyz"), 5)
        for j, shift in (("a", 0), ("b", 3)):
            spans[f"d{d}", j] = [
                Span(int(s) + shift, int(s) + shift + 12, str(k))
                for s, k in zip(start, label, strict=True)
            ]
    marks = Marks.collect(spans, texts=texts)
    found = gamma_agreement(marks, draws=5, rng=1)
    assert found.categories == 1
    assert found.estimate < 1
    interval = found.interval(of="categories", replicates=100, rng=1)
    assert (interval.lower, interval.upper) == (1, 1)
    assert found.by_label()["gamma"].tolist() == [1, 1, 1]


def test_the_monte_carlo_error_is_that_of_a_mean_of_draws():
    shares = np.array([[0.2, 0.4, 0.6, 0.8], [0.1, 0.3, np.nan, 0.2]])
    found = LabelDisorder(np.array([[2.0], [3.0]]), np.zeros((2, 1)), shares[:, :, None])
    errors = [2 * np.std(shares[0], ddof=1) / 2, 3 * np.nanstd(shares[1], ddof=1) / np.sqrt(3)]
    np.testing.assert_allclose(found.standard_error, [np.hypot(*errors)])


def test_gamma_of_a_label_that_only_chance_aligns_is_undefined():
    # By chance units of "y" meet others, but the one there is stands alone.
    rows = [(0, 10, "x"), (20, 30, "x"), (50, 60, "y")], [(0, 10, "x"), (20, 30, "x")]
    found = gamma_agreement(marks_of(*rows, length=60), draws=50, rng=1)
    gamma = found.by_label().set_index("label")["gamma"]
    assert np.isnan(gamma["y"])
    assert np.isfinite(gamma["x"])


def test_gamma_of_one_label_or_of_units_that_stand_alone_is_undefined():
    one = marks_of([(0, 4, "x")], [(0, 4, "x")])
    assert np.isnan(gamma_agreement(one, draws=5, rng=1).categories)
    apart = marks_of([(0, 4, "x")], [(50, 54, "y")])
    found = gamma_agreement(apart, draws=5, rng=1)
    assert np.isnan(found.by_label()["gamma"]).all()
