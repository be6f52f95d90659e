"""Entropy and information, by hand and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annobench.evaluation import information

#: Three annotators of Passonneau and Carpenter (2014), section 2.2.1: categories 1 and 2 have
#: the prevalences 0.2 and 0.8.
PREVALENCE = np.array([0.2, 0.8])
ANNOTATORS = np.array(
    [[[0.75, 0.25], [0.40, 0.60]], [[0.65, 0.35], [0.30, 0.70]], [[0.90, 0.10], [0.20, 0.80]]]
)
SPAMMER = np.array([[0.9, 0.1], [0.9, 0.1]])
ALWAYS_WRONG = np.array([[0.0, 1.0], [1.0, 0.0]])


def bits(*probability: float) -> float:
    return -sum(p * np.log2(p) for p in probability if p)


def symmetric(accuracy: float) -> np.ndarray:
    return np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]])


distributions = hnp.arrays(np.float64, 3, elements=st.floats(0, 1)).filter(lambda p: p.sum() > 0.1)


# One label.


def test_entropy_by_hand():
    # 0.2 log2 5 + 0.8 log2 1.25
    assert information.entropy(PREVALENCE) == pytest.approx(0.7219280948873623, rel=1e-12)
    assert information.entropy([1, 0, 0]) == 0
    assert information.entropy(np.full((2, 8), 1 / 8)).tolist() == pytest.approx([3, 3])


def test_three_annotators_by_hand():
    # The third says 1 with 0.2 x 0.9 + 0.8 x 0.2 = 0.34, and is then right with 0.18 / 0.34; it
    # says 2 with 0.66, and the category is then 1 with 0.02 / 0.66. The paper prints 0.47 and 0.25.
    left = 0.34 * bits(18 / 34, 16 / 34) + 0.66 * bits(2 / 66, 64 / 66)
    assert left == pytest.approx(0.4684509845, abs=1e-10)
    # The first: 0.15 + 0.32 and 0.05 + 0.48. The second: 0.13 + 0.24 and 0.07 + 0.56.
    first = 0.47 * bits(15 / 47, 32 / 47) + 0.53 * bits(5 / 53, 48 / 53)
    second = 0.37 * bits(13 / 37, 24 / 37) + 0.63 * bits(7 / 63, 56 / 63)
    expected = np.array([first, second, left])
    np.testing.assert_allclose(
        information.conditional_entropy(PREVALENCE, ANNOTATORS), expected, rtol=1e-12
    )
    np.testing.assert_allclose(
        information.mutual_information(PREVALENCE, ANNOTATORS),
        bits(0.2, 0.8) - expected,
        rtol=1e-12,
    )


def test_a_spammer_gives_nothing_and_the_always_wrong_of_two_everything():
    came = information.mutual_information(PREVALENCE, [SPAMMER, ALWAYS_WRONG, np.eye(2)])
    np.testing.assert_allclose(came, [0, bits(0.2, 0.8), bits(0.2, 0.8)], rtol=1e-12, atol=1e-16)


def test_always_wrong_among_three_categories_is_not_everything():
    # Wrong evenly: a label rules one category out of three, log2 3 - 1 bits.
    wrong = (1 - np.eye(3)) / 2
    came = information.mutual_information(np.full(3, 1 / 3), [wrong])
    assert came == pytest.approx(np.log2(3) - 1, rel=1e-12)


@given(prevalence=distributions, confusion=st.lists(distributions, min_size=3, max_size=3))
def test_information_is_between_nothing_and_the_entropy(prevalence, confusion):
    prevalence = prevalence / prevalence.sum()
    matrix = np.array([row / row.sum() for row in confusion])
    came = information.mutual_information(prevalence, [matrix])[0]
    entropy = information.entropy(prevalence)
    assert 0 <= came <= entropy + 1e-12
    left = information.conditional_entropy(prevalence, [matrix])[0]
    assert came == pytest.approx(entropy - left, abs=1e-12)


def test_renaming_the_labels_changes_no_information():
    # Another annotator's words for the same things
    first = information.mutual_information(PREVALENCE, ANNOTATORS)
    np.testing.assert_allclose(
        information.mutual_information(PREVALENCE, ANNOTATORS[..., ::-1]), first, rtol=1e-12
    )


def test_draws_of_the_parameters_give_draws_of_the_information(rng):
    prevalence = rng.dirichlet([2, 8], size=50)
    confusion = rng.dirichlet([3, 1], size=(50, 4, 2))
    came = information.mutual_information(prevalence, confusion)
    assert came.shape == (50, 4)
    pairs = zip(prevalence, confusion, strict=True)
    one_by_one = [information.mutual_information(*pair) for pair in pairs]
    np.testing.assert_allclose(came, one_by_one, rtol=1e-12)
    interval = information.with_interval(came, level=0.9)
    assert (interval.lower < interval.estimate).all()
    assert (interval.estimate < interval.upper).all()
    inside = ((came >= interval.lower) & (came <= interval.upper)).mean(axis=0)
    np.testing.assert_allclose(inside, 0.9, atol=1 / 50)


# Several labels.


def test_two_labels_by_hand():
    # 0.8 and 0.8, uniform prevalence: equal labels with 0.64 + 0.04 = 0.68, and then the category
    # is theirs with 64/68; different labels leave 1 bit.
    curve = information.information_curve([0.5, 0.5], [symmetric(0.8)] * 2)
    expected = [1, bits(0.8, 0.2), 0.68 * bits(64 / 68, 4 / 68) + 0.32]
    np.testing.assert_allclose(curve.entropy, expected, rtol=1e-12)
    np.testing.assert_allclose(curve.information, 1 - np.array(expected), rtol=1e-12, atol=1e-15)
    assert curve.standard_error.tolist() == [0, 0, 0]


def test_a_label_never_hurts_and_repeats_some_of_what_is_known():
    curve = information.information_curve(PREVALENCE, np.concatenate([ANNOTATORS] * 3))
    gains = np.diff(curve.information)
    alone = np.tile(information.mutual_information(PREVALENCE, ANNOTATORS), 3)
    assert (gains > 0).all()
    assert (gains[1:] < alone[1:]).all()
    assert gains[0] == pytest.approx(alone[0], rel=1e-12)


def test_the_order_of_the_labels_does_not_matter_in_the_end():
    one = information.information_curve(PREVALENCE, ANNOTATORS)
    other = information.information_curve(PREVALENCE, ANNOTATORS[::-1])
    assert one.entropy[-1] == pytest.approx(other.entropy[-1], rel=1e-12)
    assert one.entropy[1] != pytest.approx(other.entropy[1], rel=1e-3)


def test_sampling_agrees_with_enumeration_within_its_error(rng):
    labels = np.concatenate([ANNOTATORS] * 3)
    exact = information.information_curve(PREVALENCE, labels)
    sampled = information.information_curve(PREVALENCE, labels, rng=rng, draws=20_000)
    z = (sampled.entropy - exact.entropy)[1:] / sampled.standard_error[1:]
    bound = scipy.stats.norm.isf(0.001 / 2 / z.size)
    assert np.abs(z).max() < bound
    # Negative control: the labels of other annotators are found out.
    others = information.information_curve(PREVALENCE, labels[::-1])
    z = (sampled.entropy - others.entropy)[1:] / sampled.standard_error[1:]
    assert np.abs(z).max() > bound


def test_many_labels_do_not_underflow(rng):
    curve = information.information_curve([0.5, 0.5], [symmetric(0.6)] * 1_000, rng=rng, draws=50)
    assert np.isfinite(curve.entropy).all()
    assert curve.entropy[-1] < 1e-3


def test_a_curve_takes_draws_too(rng):
    prevalence, confusion = rng.dirichlet([1, 1], size=5), rng.dirichlet([3, 1], size=(5, 3, 2))
    curve = information.information_curve(prevalence, confusion)
    assert curve.entropy.shape == (5, 4)
    np.testing.assert_allclose(
        curve.entropy[2], information.information_curve(prevalence[2], confusion[2]).entropy
    )
    sampled = information.information_curve(prevalence, confusion, rng=rng, draws=10)
    assert sampled.entropy.shape == (5, 4)


# Money.


def test_bits_for_money_by_hand():
    curve = information.information_curve(
        [0.5, 0.5], [np.eye(2), symmetric(0.8)], price=[2.0, 0.05]
    )
    np.testing.assert_allclose(curve.cost, [0, 2, 2.05])
    # All is known after the first label.
    np.testing.assert_allclose(curve.bits_per_cost, [np.nan, 1 / 2, 1 / 2.05], rtol=1e-12)


def test_labels_for_nothing_have_no_bits_per_cost():
    curve = information.information_curve([0.5, 0.5], [np.eye(2)], price=[0.0])
    assert np.isnan(curve.bits_per_cost).all()


# Labels to certainty.


def ruin_duration(accuracy: float, barrier: int) -> float:
    """Give the mean length of the gambler's ruin from 0 to +-barrier (Feller 1968, XIV.3)."""
    p, q = accuracy, 1 - accuracy
    ratio = q / p
    wins = (1 - ratio**barrier) / (1 - ratio ** (2 * barrier))
    return (2 * barrier * wins - barrier) / (p - q)


@pytest.mark.parametrize(("accuracy", "barrier"), [(0.7, 2), (0.8, 3), (0.6, 4)])
def test_labels_needed_is_the_gamblers_ruin(accuracy, barrier, rng):
    # Certainty just below that of `barrier` labels more for one category than for the other
    odds = (accuracy / (1 - accuracy)) ** barrier
    needed = information.labels_needed(
        [0.5, 0.5], [symmetric(accuracy)], odds / (1 + odds) - 1e-9, rng=rng, n_items=20_000
    )
    assert needed.share_certain == 1
    z = (needed.expected - ruin_duration(accuracy, barrier)) / needed.standard_error
    assert abs(z) < scipy.stats.norm.isf(0.0005)
    # At the stop every item has the same certainty, which is therefore the accuracy.
    right = odds / (1 + odds)
    error = np.sqrt(right * (1 - right) / 20_000)
    assert abs(needed.expected_accuracy - right) < scipy.stats.norm.isf(0.0005) * error
    parity = np.arange(needed.distribution.size) % 2 != barrier % 2
    assert needed.distribution[parity].sum() == 0


def test_a_spammer_never_makes_certain_and_the_mean_says_it_is_cut(rng):
    needed = information.labels_needed(
        [0.5, 0.5], [SPAMMER], 0.9, rng=rng, n_items=10, max_labels=20
    )
    assert needed.share_certain == 0
    assert needed.expected == 20


def test_a_certain_prevalence_needs_no_label(rng):
    needed = information.labels_needed([0.95, 0.05], [SPAMMER], 0.9, rng=rng, n_items=10)
    assert needed.expected == 0
    assert needed.distribution[0] == 1


def test_better_annotators_take_fewer_labels(rng):
    pool = [symmetric(0.9), symmetric(0.6)]

    def expected(share):
        return information.labels_needed([0.5, 0.5], pool, 0.95, rng=rng, share=share).expected

    assert expected([1, 0]) < expected(None) < expected([0, 1])


# What is refused.


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: information.entropy([0.5, 0.6]), r"entropy: probability must .* \[0.5, 0.6\]"),
        (lambda: information.entropy([np.nan, 1]), "must be probabilities"),
        (lambda: information.entropy([-0.5, 1.5]), "must be probabilities"),
        (lambda: information.entropy([]), "is empty"),
        (lambda: information.mutual_information([0.5, 0.5], np.eye(2)), "single matrix"),
        (lambda: information.mutual_information([0.5, 0.5], [np.eye(3)]), "with K = 2"),
        (lambda: information.with_interval([]), "no draws"),
        (lambda: information.with_interval([1.0], level=95), "level must be between 0 and 1"),
        (
            lambda: information.information_curve([0.5, 0.5], [np.eye(2)] * 30),
            "30 labels in 2 categories are too many sequences",
        ),
        (
            lambda: information.information_curve([0.5, 0.5], [np.eye(2)], price=[-1]),
            r"price must be 1 numbers of at least 0.*\[-1.0\]",
        ),
        (
            lambda: information.information_curve(
                [0.5, 0.5], [np.eye(2)], rng=np.random.default_rng(1), draws=1
            ),
            "draws must be at least 2, got 1",
        ),
    ],
)
def test_bad_input_is_refused(call, match):
    with pytest.raises(ValueError, match=match):
        call()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"certainty": 1}, "certainty must be between 0 and 1, got 1"),
        ({"n_items": 1}, "n_items must be at least 2"),
        ({"max_labels": -1}, "max_labels at least 0, got 10000 and -1"),
        ({"share": [0.5, 0.5]}, "one entry for each of the 1 annotators"),
        ({"prevalence": [[0.5, 0.5]]}, r"prevalence must have shape \(K,\)"),
    ],
)
def test_bad_options_of_labels_needed_are_refused(options, match, rng):
    given_ = {"prevalence": [0.5, 0.5], "confusion": [np.eye(2)], "certainty": 0.9} | options
    with pytest.raises(ValueError, match=match):
        information.labels_needed(**given_, rng=rng)
