"""The simulator of binary panels draws what it says."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from annobench import simulate
from annobench.evaluation import confusion_counts

#: Two-sided chance of a false alarm of each check.
LEVEL = 1e-3

DESIGN = {
    "n_items": 2_000,
    "n_annotators": 50,
    "prevalence": 0.2,
    "sensitivity": (20, 8),
    "specificity": (40, 8),
    "missing": 0.5,
}


def inside(count: int, n: int, probability: float) -> bool:
    low, high = scipy.stats.binom.ppf([LEVEL / 2, 1 - LEVEL / 2], n, probability)
    return low <= count <= high


def test_sizes_prevalence_and_missing_labels_follow_the_design(rng):
    truth = simulate.binary(**DESIGN, rng=rng)
    assert truth.annotations.n_items == 2_000
    assert truth.annotations.n_annotators == 50
    assert truth.annotations.categories == ("0", "1")
    assert inside(truth.category.sum(), 2_000, 0.2)
    assert inside(truth.annotations.n_labels, 100_000, 0.5)
    assert not inside(truth.category.sum(), 2_000, 0.3)


def test_annotators_come_from_the_beta_distributions(rng):
    truth = simulate.binary(**DESIGN | {"n_annotators": 2_000, "n_items": 1}, rng=rng)
    for drawn, law in ((truth.sensitivity, (20, 8)), (truth.specificity, (40, 8))):
        assert scipy.stats.kstest(drawn, scipy.stats.beta(*law).cdf).pvalue > LEVEL
    assert scipy.stats.kstest(truth.sensitivity, scipy.stats.beta(40, 8).cdf).pvalue < LEVEL


def test_labels_are_right_as_often_as_sensitivity_and_specificity_say(rng):
    truth = simulate.binary(**DESIGN, rng=rng)
    counts = confusion_counts(truth.annotations, truth.category)
    for k, theta in ((1, truth.sensitivity), (0, truth.specificity)):
        right, total = counts[:, k, k], counts[:, k].sum(axis=1)
        z = (right - total * theta) / np.sqrt(total * theta * (1 - theta))
        # z @ z is chi-square, one degree of freedom an annotator
        low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=z.size)
        assert low < z @ z < high


def test_a_full_panel_has_every_label_once(rng):
    truth = simulate.binary(**DESIGN | {"n_items": 7, "n_annotators": 3, "missing": 0.0}, rng=rng)
    pairs = set(zip(truth.annotations.item, truth.annotations.annotator, strict=True))
    assert truth.annotations.n_labels == len(pairs) == 21


def test_certain_annotators_give_the_categories(rng):
    always = {"sensitivity": (1e9, 1e-9), "specificity": (1e9, 1e-9), "missing": 0.0}
    truth = simulate.binary(**DESIGN | always, rng=rng)
    np.testing.assert_array_equal(truth.annotations.label, truth.category[truth.annotations.item])


def test_the_same_seed_gives_the_same_panel():
    first, second = (simulate.binary(**DESIGN, rng=np.random.default_rng(3)) for _ in range(2))
    other = simulate.binary(**DESIGN, rng=np.random.default_rng(4))
    assert first.annotations.label.tobytes() == second.annotations.label.tobytes()
    assert first.sensitivity.tobytes() == second.sensitivity.tobytes()
    assert first.sensitivity.tobytes() != other.sensitivity.tobytes()


@pytest.mark.parametrize("name", ["prevalence", "missing"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_probability_outside_its_range_is_refused(rng, name, value):
    with pytest.raises(ValueError, match=rf"simulate\.binary: {name} must be"):
        simulate.binary(**DESIGN | {name: value}, rng=rng)
