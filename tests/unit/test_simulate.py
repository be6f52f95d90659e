"""The simulators draw what they say, and their closed forms are right."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from annobench.agreement.coefficients.cohen_kappa import cohen_kappa
from annobench.evaluation.scores import confusion_counts
from annobench.labels.annotations import Annotations
from annobench.simulation import panels

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
    truth = panels.binary(**DESIGN, rng=rng)
    assert truth.annotations.n_items == 2_000
    assert truth.annotations.n_annotators == 50
    assert truth.annotations.categories == ("0", "1")
    assert inside(truth.category.sum(), 2_000, 0.2)
    assert inside(truth.annotations.n_labels, 100_000, 0.5)
    assert not inside(truth.category.sum(), 2_000, 0.3)


def test_annotators_come_from_the_beta_distributions(rng):
    truth = panels.binary(**DESIGN | {"n_annotators": 2_000, "n_items": 1}, rng=rng)
    for drawn, shape in ((truth.sensitivity, (20, 8)), (truth.specificity, (40, 8))):
        assert scipy.stats.kstest(drawn, scipy.stats.beta(*shape).cdf).pvalue > LEVEL
    assert scipy.stats.kstest(truth.sensitivity, scipy.stats.beta(40, 8).cdf).pvalue < LEVEL


def test_labels_are_right_as_often_as_sensitivity_and_specificity_say(rng):
    truth = panels.binary(**DESIGN, rng=rng)
    counts = confusion_counts(truth.annotations, truth.category)
    for k, theta in ((1, truth.sensitivity), (0, truth.specificity)):
        right, total = counts[:, k, k], counts[:, k].sum(axis=1)
        z = (right - total * theta) / np.sqrt(total * theta * (1 - theta))
        # z @ z is chi-square, one degree of freedom an annotator
        low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=z.size)
        assert low < z @ z < high


def test_a_full_panel_has_every_label_once(rng):
    truth = panels.binary(**DESIGN | {"n_items": 7, "n_annotators": 3, "missing": 0.0}, rng=rng)
    pairs = set(zip(truth.annotations.item, truth.annotations.annotator, strict=True))
    assert truth.annotations.n_labels == len(pairs) == 21


def test_certain_annotators_give_the_categories(rng):
    always = {"sensitivity": (1e9, 1e-9), "specificity": (1e9, 1e-9), "missing": 0.0}
    truth = panels.binary(**DESIGN | always, rng=rng)
    np.testing.assert_array_equal(truth.annotations.label, truth.category[truth.annotations.item])


def test_the_same_seed_gives_the_same_panel():
    first, second = (panels.binary(**DESIGN, rng=np.random.default_rng(3)) for _ in range(2))
    other = panels.binary(**DESIGN, rng=np.random.default_rng(4))
    assert first.annotations.label.tobytes() == second.annotations.label.tobytes()
    assert first.sensitivity.tobytes() == second.sensitivity.tobytes()
    assert first.sensitivity.tobytes() != other.sensitivity.tobytes()


@pytest.mark.parametrize("name", ["prevalence", "missing"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_probability_outside_its_range_is_refused(rng, name, value):
    with pytest.raises(ValueError, match=rf"panels\.binary: {name} must be"):
        panels.binary(**DESIGN | {name: value}, rng=rng)


# ----------------------------------------------- annotators who share an impression

SHARES = np.array([0.05, 0.1, 0.3, 0.4, 0.15])
LOADING = np.array([0.95, 0.8, 0.6])


def pair_kappa(panel: panels.SimulatedPanel, first: int, second: int) -> float:
    """Kappa of two annotators, and its standard error."""
    labels = np.empty((panel.annotations.n_items, panel.annotations.n_annotators), dtype=int)
    labels[panel.annotations.item, panel.annotations.annotator] = panel.annotations.label
    table = np.zeros((panel.annotations.n_categories,) * 2, dtype=int)
    np.add.at(table, (labels[:, first], labels[:, second]), 1)
    return cohen_kappa(Annotations.from_contingency(table))


@pytest.mark.parametrize("make", [panels.ordinal, panels.nominal])
def test_a_panel_is_complete_and_keeps_the_prevalence(rng, make):
    panel = make(n_items=4_000, prevalence=SHARES, loading=LOADING, rng=rng)
    annotations = panel.annotations
    assert (annotations.n_items, annotations.n_annotators) == (4_000, 3)
    assert annotations.n_labels == 12_000
    assert annotations.categories == tuple("01234")
    for j in range(3):
        counts = np.bincount(annotations.label[annotations.annotator == j], minlength=5)
        assert all(inside(n, 4_000, share) for n, share in zip(counts, SHARES, strict=True))
        assert not inside(counts[0], 4_000, 0.1)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 2), (1, 2)])
def test_kappa_of_ordinal_annotators_is_the_closed_form_of_their_correlation(rng, first, second):
    panel = panels.ordinal(n_items=20_000, prevalence=SHARES, loading=LOADING, rng=rng)
    found = pair_kappa(panel, first, second)
    expected = panels.kappa_from_correlation(LOADING[first] * LOADING[second], SHARES)
    assert abs(found.estimate - expected) < 4 * found.standard_error
    assert abs(found.estimate - expected / 2) > 4 * found.standard_error


@pytest.mark.parametrize("shares", [SHARES, np.full(8, 1 / 8)])
def test_kappa_of_nominal_annotators_is_the_product_of_their_loadings(rng, shares):
    panel = panels.nominal(n_items=20_000, prevalence=shares, loading=LOADING, rng=rng)
    found = pair_kappa(panel, 0, 1)
    assert abs(found.estimate - 0.95 * 0.8) < 4 * found.standard_error
    assert abs(found.estimate - 0.95) > 4 * found.standard_error


def test_an_annotator_who_sees_the_impression_gives_its_category(rng):
    panel = panels.ordinal(n_items=50, prevalence=SHARES, loading=[1.0], rng=rng)
    np.testing.assert_allclose(panel.perception[:, 0], panel.impression)
    np.testing.assert_array_equal(panel.annotations.label, panels.cut(panel.impression, SHARES))
    copied = panels.nominal(n_items=50, prevalence=SHARES, loading=[1.0], rng=rng)
    np.testing.assert_array_equal(copied.annotations.label, copied.impression)


def test_perceptions_can_be_cut_on_another_scale(rng):
    # Merging categories and cutting at the merged shares are the same.
    panel = panels.ordinal(n_items=200, prevalence=SHARES, loading=LOADING, rng=rng)
    merged = np.array([0, 0, 1, 2, 2])
    fine, coarse = SHARES, np.bincount(merged, weights=SHARES)
    np.testing.assert_array_equal(
        merged[panels.cut(panel.perception, fine)], panels.cut(panel.perception, coarse)
    )


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.3, 0.9])
def test_kappa_of_two_halves_is_sheppards_arc_sine(correlation):
    # Both on one side of the median: 1/2 + arcsin(r)/pi, by chance 1/2.
    kappa = panels.kappa_from_correlation(correlation, [0.5, 0.5])
    assert kappa == pytest.approx(2 * np.arcsin(correlation) / np.pi, abs=1e-9)


def test_kappa_of_no_correlation_is_none_and_of_full_correlation_one():
    assert panels.kappa_from_correlation(0.0, SHARES) == pytest.approx(0, abs=1e-9)
    assert panels.kappa_from_correlation(1.0, SHARES) == pytest.approx(1, abs=1e-12)
    # Opposite perceptions on halves never agree: (0 - 1/2) / (1/2)
    assert panels.kappa_from_correlation(-1.0, [0.5, 0.5]) == pytest.approx(-1, abs=1e-12)


def test_an_empty_category_changes_nothing():
    with_empty = np.insert(SHARES, [0, 2, 5], 0.0)
    assert panels.kappa_from_correlation(0.7, with_empty) == pytest.approx(
        panels.kappa_from_correlation(0.7, SHARES), abs=1e-9
    )


@pytest.mark.parametrize("kappa", [0.0, 0.03, 0.5, 0.97, 1.0])
def test_the_correlation_of_a_kappa_gives_that_kappa(kappa):
    correlation = panels.correlation_from_kappa(kappa, SHARES)
    assert panels.kappa_from_correlation(correlation, SHARES) == pytest.approx(kappa, abs=1e-8)


def test_loadings_are_found_from_their_products():
    products = np.outer(LOADING, LOADING)
    np.testing.assert_allclose(panels.common_loadings(products), LOADING, atol=1e-6)
    four = np.array([0.9, 0.7, 0.5, 0.3])
    unknown = np.outer(four, four)
    unknown[0, 3] = np.nan
    np.testing.assert_allclose(panels.common_loadings(unknown), four, atol=1e-6)


def test_loadings_that_would_exceed_one_are_held_at_one():
    # sqrt(0.8 * 0.8 / 0.4) = 1.26: no loadings have these products.
    table = np.array([[np.nan, 0.8, 0.8], [0, np.nan, 0.4], [0, 0, np.nan]])
    found = panels.common_loadings(table)
    assert found[0] == pytest.approx(1, abs=1e-6)
    assert found.max() <= 1


FAULTS = [
    (
        lambda rng: panels.ordinal(n_items=2, prevalence=[0.5, 0.6], loading=[1], rng=rng),
        r"panels\.ordinal: prevalence must be",
    ),
    (
        lambda rng: panels.nominal(n_items=2, prevalence=[1.5, -0.5], loading=[1], rng=rng),
        r"panels\.nominal: prevalence must be",
    ),
    (
        lambda rng: panels.ordinal(n_items=2, prevalence=[1.0], loading=[1.1], rng=rng),
        r"panels\.ordinal: loading must be",
    ),
    (
        lambda rng: panels.nominal(n_items=2, prevalence=[1.0], loading=[np.nan], rng=rng),
        r"panels\.nominal: loading must be",
    ),
    (lambda rng: panels.cut([0.0], [[1.0]]), r"panels\.cut: prevalence must be"),
    (lambda rng: panels.kappa_from_correlation(1.1, [0.5, 0.5]), "correlation must be in"),
    (lambda rng: panels.kappa_from_correlation(0.5, [1.0, 0.0]), "Give at least two"),
    (lambda rng: panels.correlation_from_kappa(-0.1, [0.5, 0.5]), "kappa must be in"),
    (lambda rng: panels.common_loadings([[1.0, 0.5]]), "table must be square"),
    (lambda rng: panels.common_loadings(np.full((3, 3), np.nan)), "0 known pairs"),
]


@pytest.mark.parametrize(("call", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_what_no_panel_can_be_made_of_is_refused(rng, call, message):
    with pytest.raises(ValueError, match=message):
        call(rng)
