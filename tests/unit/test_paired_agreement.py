"""A_m: hand-computed examples, and a slow count straight from the paper's sentences."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annobench.agreement.coefficients.paired_agreement import (
    PairedForm,
    from_membership,
    membership_array,
    paired_agreement,
)
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations


def measure(membership, **options):
    return paired_agreement(from_membership(membership), **options)


PANELS = st.tuples(st.integers(1, 6), st.integers(2, 5), st.integers(2, 4)).flatmap(
    lambda shape: hnp.arrays(np.bool_, shape)
)


def counted(membership, combinations):
    """Observed and expected agreement, counted one case at a time."""
    n_items, n_annotators, n_categories = membership.shape
    category_pairs = list(itertools.combinations(range(n_categories), 2))
    annotator_pairs = list(itertools.combinations(range(n_annotators), 2))

    def combination(i, u, a, b):
        return (bool(membership[i, u, a]), bool(membership[i, u, b]))

    agreeing = chance = 0.0
    for a, b in category_pairs:
        for u, v in annotator_pairs:
            given = [[combination(i, w, a, b) for i in range(n_items)] for w in (u, v)]
            agreeing += sum(x == y for x, y in zip(*given, strict=True))
            if combinations == 3:
                given = [[tuple(sorted(x)) for x in own] for own in given]
            kinds = set(given[0]) | set(given[1])
            chance += sum(math.prod(own.count(kind) / n_items for own in given) for kind in kinds)
    n = len(category_pairs) * len(annotator_pairs)
    return agreeing / n / n_items, chance / n


@settings(deadline=None)
@given(membership=PANELS, combinations=st.sampled_from([3, 4]))
def test_the_vectorised_measure_is_the_counted_one(membership, combinations):
    observed, expected = counted(membership, combinations)
    if expected > 1 - 1e-9:
        with pytest.warns(DegenerateWarning, match="undefined"):
            result = measure(membership, combinations=combinations)
        assert math.isnan(result.estimate)
        assert math.isnan(result.standard_error)
    else:
        result = measure(membership, combinations=combinations)
        assert result.estimate == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)
    assert result.observed_agreement == pytest.approx(observed, abs=1e-12)
    assert result.expected_agreement == pytest.approx(expected, abs=1e-12)


# Two items, three annotators, three categories a, b, c:
#   first item:  a     a     ab         second item: -     c     c
BY_HAND = np.array(
    [[[1, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [0, 0, 1], [0, 0, 1]]], dtype=bool
)


def test_every_intermediate_value_by_hand():
    result = measure(BY_HAND)
    # The third annotator differs on b: of ab, ac, bc it touches ab and bc, where one of three
    # pairs of annotators agrees. On the second item the first differs on c: ac and bc.
    third = 1 / 3
    np.testing.assert_allclose(result.item_pair_agreement, [[third, 1, third], [1, third, third]])
    np.testing.assert_allclose(result.item_agreement, [5 / 9, 5 / 9])
    assert result.observed_agreement == pytest.approx(5 / 9)
    # ac: the second and third have [0 1] or [1 0] throughout, the first in half: 1/2, 1/2, 1.
    np.testing.assert_allclose(result.combination_agreement[1], [0, 2 / 3, 0])
    # ab: 00 in half of all: 1/4; [1 0] in half of the first and second: 1/4, 0, 0.
    np.testing.assert_allclose(result.combination_agreement[0], [1 / 4, 1 / 12, 0])
    # bc: 00 in 1, 1/2, 0; [0 1] in 0, 1/2, 1 (the third: [1 0] and [0 1]).
    np.testing.assert_allclose(result.combination_agreement[2], [1 / 6, 1 / 6, 0])
    np.testing.assert_allclose(result.pair_agreement, [1 / 3, 2 / 3, 1 / 3])
    assert result.expected_agreement == pytest.approx(4 / 9)
    assert result.estimate == pytest.approx((5 / 9 - 4 / 9) / (5 / 9))


def test_four_combinations_take_apart_what_the_paper_pools():
    result = measure(BY_HAND, combinations=4)
    # ac: [1 0] in 1/2, 1/2, 1/2 and [0 1] in 0, 1/2, 1/2: 1/4 and 1/12.
    np.testing.assert_allclose(result.combination_agreement[1], [0, 1 / 12, 1 / 4, 0])
    # bc: [0 1] in 0, 1/2, 1/2: 1/12; [1 0] in 0, 0, 1/2: nothing.
    np.testing.assert_allclose(result.pair_agreement, [1 / 3, 1 / 3, 1 / 6 + 1 / 12])
    assert result.observed_agreement == measure(BY_HAND).observed_agreement
    assert result.estimate > measure(BY_HAND).estimate


def test_independent_annotators_have_no_agreement_but_the_pooled_measure_says_less(rng):
    membership = rng.random((20_000, 3, 6)) < 0.5
    four = measure(membership, combinations=4)
    three = measure(membership)
    assert abs(four.estimate) < 5 * four.standard_error
    # With every share one half: P_o = 1/4, P_e = 1/16 + 1/4 + 1/16 = 3/8, so A_m = -1/5.
    assert abs(three.estimate + 0.2) < 5 * three.standard_error


@pytest.mark.slow
@pytest.mark.parametrize("combinations", [3, 4])
def test_the_standard_error_is_that_of_new_samples(rng, combinations):
    def draw():
        truth = rng.random((400, 1, 4)) < 0.3
        return truth ^ (rng.random((400, 3, 4)) < 0.1)

    results = [measure(draw(), combinations=combinations) for _ in range(400)]
    spread = np.std([result.estimate for result in results], ddof=1)
    # The deviation of 400 estimates is known to 1 / sqrt(2 * 400) = 3.5%.
    claimed = np.mean([result.standard_error for result in results])
    assert claimed == pytest.approx(spread, rel=5 * 0.036)


@settings(deadline=None)
@given(membership=PANELS, data=st.data())
def test_order_does_not_matter_and_agreement_is_at_most_one(membership, data):
    orders = [data.draw(st.permutations(range(n))) for n in membership.shape]
    other = membership[np.ix_(*orders)]
    for combinations in (3, 4):
        forms = [PairedForm(each, None, combinations) for each in (membership, other)]
        first, second = (form.value(form.rows.sum(axis=0)) for form in forms)
        np.testing.assert_allclose(first, second, atol=1e-12)
        assert np.isnan(first) or first <= 1 + 1e-12


@settings(deadline=None)
@given(membership=PANELS, data=st.data())
def test_a_multiplicity_is_that_many_annotators_without_pairs_of_copies(membership, data):
    times = data.draw(
        st.lists(
            st.integers(0, 3), min_size=membership.shape[1], max_size=membership.shape[1]
        ).filter(lambda times: sum(n > 0 for n in times) > 1)
    )
    form = PairedForm(membership, np.array(times, dtype=float), 3)
    observed, expected = form.disagreements(form.rows.sum(axis=0))
    pairs = [
        (times[u] * times[v], *counted(membership[:, [u, v]], 3))
        for u, v in itertools.combinations(range(len(times)), 2)
    ]
    weight = sum(n for n, _, _ in pairs)
    assert 1 - observed == pytest.approx(sum(n * o for n, o, _ in pairs) / weight, abs=1e-12)
    assert 1 - expected == pytest.approx(sum(n * e for n, _, e in pairs) / weight, abs=1e-12)


def test_perfect_agreement_is_one_without_error():
    membership = np.repeat(np.array([[[0, 1, 0]], [[1, 1, 0]], [[0, 0, 0]]], dtype=bool), 3, axis=1)
    result = measure(membership)
    assert result.estimate == pytest.approx(1, rel=1e-14)
    assert result.standard_error == pytest.approx(0, abs=1e-12)
    # Of 3 items that agree, 1 - 0.05 ** (1 / 3) = 63% of others may not.
    with pytest.warns(IntervalWarning, match="3 items agree.*Up to 63%"):
        assert result.interval().lower == pytest.approx(1)


def test_three_annotators_agree_in_no_two_of_three_pairs(rng):
    # If two pairs of three annotators agree, so does the third.
    membership = rng.random((500, 3, 6)) < 0.5
    found = np.unique(measure(membership).item_pair_agreement)
    np.testing.assert_allclose(found, [0, 1 / 3, 1])


def test_an_array_and_annotations_are_the_same_thing():
    names = np.array(["a", "b", "c"])
    rows = [(i, j, names[BY_HAND[i, j]]) for i in range(2) for j in range(3)]
    annotations = Annotations.from_sets(*map(list, zip(*rows, strict=True)))
    membership, given = membership_array(annotations)
    np.testing.assert_array_equal(membership, BY_HAND)
    np.testing.assert_array_equal(membership_array(from_membership(BY_HAND))[0], BY_HAND)
    assert given.all()
    result = paired_agreement(annotations)
    assert result.category_pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert result.estimate == measure(BY_HAND).estimate


def test_one_of_two_categories_makes_the_pooled_measure_undefined_though_labels_differ(rng):
    chosen = rng.random((50, 3)) < 0.5
    membership = np.stack([chosen, ~chosen], axis=2)
    with pytest.warns(DegenerateWarning, match=r"\[0 1\] and \[1 0\] counting as one"):
        assert math.isnan(measure(membership).estimate)
    assert abs(measure(membership, combinations=4).estimate) < 0.5


def test_items_that_an_annotator_did_not_label_are_left_out():
    annotations = Annotations.from_sets(
        ["x", "x", "y", "z", "z"],
        ["j", "k", "j", "j", "k"],
        [["a"], ["b"], [], ["a", "b"], ["a", "b"]],
    )
    found = paired_agreement(annotations)
    assert found.n_items == 2
    assert found.estimate == measure([[[1, 0], [0, 1]], [[1, 1], [1, 1]]]).estimate


def test_pairs_and_annotators_left_out_are_the_measure_of_the_rest(rng):
    membership = (rng.random((60, 1, 3)) < 0.4) ^ (rng.random((60, 4, 3)) < 0.15)
    result = measure(membership)
    pairs = result.by_pair().set_index(["first", "second"])
    for u, v in itertools.combinations(range(4), 2):
        alone = measure(membership[:, [u, v]])
        assert pairs.loc[(str(u), str(v)), "estimate"] == pytest.approx(alone.estimate)
        assert pairs.loc[(str(u), str(v)), "standard_error"] == pytest.approx(alone.standard_error)
    without = result.leave_one_out().set_index("annotator")["estimate"]
    assert without["2"] == pytest.approx(measure(membership[:, [0, 1, 3]]).estimate)
    items = result.by_item()["observed_agreement"]
    np.testing.assert_allclose(items, result.item_agreement)


def test_bootstrap_intervals_are_like_the_analytic_one(rng):
    membership = (rng.random((300, 1, 4)) < 0.4) ^ (rng.random((300, 3, 4)) < 0.15)
    result = measure(membership)
    analytic, percentile = result.interval(), result.interval("percentile", rng=rng)
    width = analytic.upper - analytic.lower
    assert percentile.lower == pytest.approx(analytic.lower, abs=0.15 * width)
    assert percentile.upper == pytest.approx(analytic.upper, abs=0.15 * width)


def test_labels_that_are_no_sets_and_repeated_labels_are_refused():
    twice = Annotations.from_sets(["x", "x", "x"], ["j", "k", "j"], [["a"], ["b"], []])
    with pytest.raises(AnnotationError, match="labelled an item twice"):
        paired_agreement(twice)
    with pytest.raises(AnnotationError, match="labelled an item twice"):
        membership_array(twice)
    nominal = Annotations.from_arrays(["x", "x"], ["j", "k"], ["a", "b"])
    with pytest.raises(AnnotationError, match="takes set labels, got the nominal scale"):
        paired_agreement(nominal)
    with pytest.raises(AnnotationError, match="labels are nominal, but must be sets"):
        membership_array(nominal)


@pytest.mark.parametrize(
    ("membership", "options", "message"),
    [
        (np.zeros((2, 3)), {}, r"shape \(2, 3\) must have the shape"),
        (np.full((2, 3, 2), 0.5), {}, "contain only 0 and 1"),
        (np.full((2, 3, 2), np.nan), {}, "contain only 0 and 1"),
        (np.zeros((2, 1, 2)), {}, "at least two annotators, got 1"),
        (np.zeros((2, 3, 1)), {}, "pairs of categories need two"),
        (np.zeros((0, 3, 2)), {}, "no item has labels"),
        (np.zeros((2, 3, 2)), {"combinations": 2}, "must be 3 or 4, got 2"),
    ],
)
def test_bad_input_is_refused(membership, options, message):
    with pytest.raises(AnnotationError, match=message):
        measure(membership, **options)
