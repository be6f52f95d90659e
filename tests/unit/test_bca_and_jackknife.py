"""Intervals by BCa and the jackknife, beside scipy's and beside sums done by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from annobench import agreement as ag
from annobench.agreement.replicates import jackknife
from annobench.core.errors import DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations
from annobench.resampling.intervals import acceleration, bca_levels, bias_correction

LEVEL = 0.9


def labelled(labels: np.ndarray, **options) -> Annotations:
    """Make annotations of a full table of labels, a row per item and a column per annotator."""
    item, annotator = np.indices(labels.shape)
    names = [f"a{j}" for j in range(labels.shape[1])]
    return Annotations.from_arrays(
        item.ravel(), np.array(names)[annotator.ravel()], labels.ravel(), **options
    )


def percent_agreement(first, second):
    return (first == second).mean()


def cohen_kappa(first, second):
    chance = sum((first == k).mean() * (second == k).mean() for k in range(3))
    return ((first == second).mean() - chance) / (1 - chance)


def krippendorff_alpha(first, second):
    pooled = np.concatenate([first, second])
    # Of two labels drawn without replacement.
    apart = 1 - sum(
        (pooled == k).mean() * ((pooled == k).sum() - 1) / (pooled.size - 1) for k in range(3)
    )
    return 1 - (first != second).mean() / apart


def pearson(first, second):
    return np.corrcoef(first, second)[0, 1]


# Many agree on the rare category 0, so that the coefficients are skewed, and differently.
TRUTH = np.random.default_rng(5).choice(3, size=40, p=[0.12, 0.28, 0.6])
NOISE = np.random.default_rng(6)
PAIR = np.stack(
    [np.where(NOISE.random(40) < 0.75, TRUTH, NOISE.integers(0, 3, 40)) for _ in range(2)], axis=1
)
CROWD = np.stack(
    [np.where(NOISE.random(40) < p, TRUTH, NOISE.integers(0, 3, 40)) for p in np.linspace(0, 1, 8)],
    axis=1,
)


def scipys(draws, n, statistic, estimate):
    """Ask scipy for the interval by BCa of the same replicates."""
    # Rounded, so that replicates equal to the estimate are equal, whoever computed them.
    found = stats.bootstrap(
        (np.arange(n),),
        lambda at: round(statistic(at.astype(int)), 12),
        n_resamples=0,
        vectorized=False,
        confidence_level=LEVEL,
        method="BCa",
        bootstrap_result=SimpleNamespace(bootstrap_distribution=np.round(draws, 12)),
    )
    assert statistic(np.arange(n)) == pytest.approx(estimate, rel=1e-12)
    return found.confidence_interval


@pytest.mark.parametrize("statistic", [percent_agreement, cohen_kappa, krippendorff_alpha, pearson])
def test_bca_of_items_is_scipys(statistic):
    result = getattr(ag, statistic.__name__)(labelled(PAIR, categories=range(3)))
    theirs = scipys(
        result.bootstrap(replicates=999, rng=1),
        40,
        lambda at: statistic(*PAIR[at].T),
        result.estimate,
    )
    ours = result.interval("bca", level=LEVEL, replicates=999, rng=1)
    plain = result.interval("percentile", level=LEVEL, replicates=999, rng=1)
    np.testing.assert_allclose((ours.lower, ours.upper), theirs, rtol=1e-9)
    assert (ours.lower, ours.upper) != (plain.lower, plain.upper)


def test_bca_of_annotators_is_scipys():
    result = ag.fleiss_kappa(labelled(CROWD))

    def statistic(annotators):
        counts = np.stack([(CROWD[:, annotators] == k).sum(axis=1) for k in range(3)], axis=1)
        return looped_fleiss(counts)

    draws = result.bootstrap(unit="annotators", replicates=499, rng=2)
    theirs = scipys(draws, 8, statistic, result.estimate)
    with pytest.warns(IntervalWarning, match="over 8 annotators is too narrow"):
        ours = result.interval("bca", unit="annotators", level=LEVEL, replicates=499, rng=2)
    np.testing.assert_allclose((ours.lower, ours.upper), theirs, rtol=1e-9)


def looped_fleiss(counts):
    m = counts[0].sum()
    observed = np.mean([sum(n * (n - 1) for n in row) / (m * (m - 1)) for row in counts])
    expected = ((counts.mean(axis=0) / m) ** 2).sum()
    return (observed - expected) / (1 - expected)


def test_the_levels_of_bca_are_those_worked_out_by_hand():
    # Nine items agree and one does not. Left out, one that agrees leaves 8/9, the other 9/9; their
    # mean is 0.9, and mean less value is 1/90 nine times and -9/90 once. So the sum of squares is
    # (9 + 81)/90^2 and that of cubes (9 - 729)/90^3; the acceleration, with 90^3 cancelled, is
    # -720/(6 * 90^1.5).
    result = ag.percent_agreement(Annotations.from_contingency([[4, 1], [0, 5]]))
    skewness = -720 / (6 * 90**1.5)
    # Two of ten replicates are below the estimate and two equal it, which count half: 3/10.
    values = np.array([0.7, 0.8, 0.9, 0.9, *[1.0] * 6])
    bias = ndtri(0.3)
    for z, tail in zip((-1.645, 1.645), tails(result, values, ndtr(-1.645)), strict=True):
        assert tail == pytest.approx(
            ndtr(bias + (bias + z) / (1 - skewness * (bias + z))), rel=1e-12
        )


def tails(result, values, tail):
    correction = bias_correction(result.estimate, values)
    return bca_levels(correction, acceleration(jackknife(result, "items")), tail)


def test_replicates_all_on_one_side_are_taken_for_half_a_replicate_on_the_other():
    # All items alike, so that nothing accelerates: the levels are those of 2 z0 - z and 2 z0 + z.
    result = ag.percent_agreement(Annotations.from_contingency([[5, 0], [0, 5]]))
    for values, below in ((np.full(20, 0.5), 1 - 0.5 / 20), (np.full(20, 1.5), 0.5 / 20)):
        expected = [ndtr(2 * ndtri(below) + z) for z in (-1.0, 1.0)]
        np.testing.assert_allclose(tails(result, values, ndtr(-1.0)), expected, rtol=1e-12)


def test_without_bias_and_acceleration_the_levels_are_those_of_the_percentiles():
    # As many items agree as do not: the cubes cancel. As many replicates lie below as above.
    result = ag.percent_agreement(Annotations.from_contingency([[3, 5], [3, 5]]))
    np.testing.assert_allclose(tails(result, np.array([0.2, 0.5, 0.8]), 0.05), (0.05, 0.95))


TWO_ITEMS = Annotations.from_contingency([[1, 0], [0, 1]])


def test_bca_without_a_value_of_the_jackknife_is_not_accelerated():
    # Kappa is undefined on either item alone, and 1 on both; all defined replicates are of both.
    no_width = pytest.warns(IntervalWarning, match="has zero width")
    with no_width, pytest.warns(DegenerateWarning, match="of 50 replicates"):
        found = ag.cohen_kappa(TWO_ITEMS).interval("bca", replicates=50, rng=1)
    assert (found.lower, found.upper) == (1, 1)
    assert 0 < found.n_undefined < 50


def test_an_undefined_coefficient_has_no_interval_and_no_replicate():
    with pytest.warns(DegenerateWarning, match="undefined"):
        result = ag.cohen_kappa(Annotations.from_contingency([[3, 0], [0, 0]]))
    for kind in ("analytic", "bca", "jackknife"):
        found = result.interval(kind, rng=1)
        assert math.isnan(found.lower)
        assert math.isnan(found.upper)
        assert found.n_undefined == 0


def test_no_replicate_at_all_leaves_no_bca():
    result = ag.cohen_kappa(TWO_ITEMS)
    with pytest.warns(DegenerateWarning, match="of 1 replicates"):
        found = result.interval("bca", replicates=1, rng=undefined_seed(result))
    assert math.isnan(found.lower)
    assert math.isnan(found.upper)
    assert found.n_undefined == 1


def undefined_seed(result):
    return next(s for s in range(99) if np.isnan(result.bootstrap(replicates=1, rng=s)).all())


def test_the_jackknife_is_worked_out_by_hand():
    # Two of three items agree. Left out, one that agrees leaves 1/2, the other leaves 1; the mean
    # is 2/3, the sum of squares (1 + 1 + 4)/36 = 1/6, the variance 2/3 of it, the error 1/3.
    # Student's t on two degrees of freedom has the quantile (2q - 1)/sqrt(2q(1 - q)).
    found = ag.percent_agreement(Annotations.from_contingency([[1, 1], [0, 1]])).interval(
        "jackknife", level=0.5
    )
    half_width = 0.5 / math.sqrt(2 * 0.75 * 0.25) / 3
    assert found.lower == pytest.approx(2 / 3 - half_width, rel=1e-12)
    assert found.upper == pytest.approx(2 / 3 + half_width, rel=1e-12)
    assert found.n_undefined == 0


@pytest.mark.parametrize("unit", ["items", "annotators"])
def test_the_jackknife_leaves_out_what_varies(unit):
    a = labelled(CROWD)
    result = ag.fleiss_kappa(a)
    axis = ("items", "annotators").index(unit)
    n = CROWD.shape[axis]
    values = np.array(
        [ag.fleiss_kappa(labelled(np.delete(CROWD, at, axis=axis))).estimate for at in range(n)]
    )
    # With pseudovalues n * estimate - (n - 1) * value, the error is that of their mean.
    pseudovalues = n * result.estimate - (n - 1) * values
    half_width = stats.t(n - 1).ppf((1 + LEVEL) / 2) * stats.sem(pseudovalues)
    found = result.interval("jackknife", unit=unit, level=LEVEL)
    assert found.lower == pytest.approx(result.estimate - half_width, rel=1e-9)
    assert found.upper == pytest.approx(result.estimate + half_width, rel=1e-9)


# Without its last item, all labels are equal and alpha is undefined. Five items have two labels
# and three have three, so that the others' values are not all one.
UNEVEN = [["x", "x"]] * 5 + [["x", "x", "x"]] * 3 + [["x", "y", "y"]]


def alpha_without(item):
    rows = [
        (i, f"a{j}", label)
        for i, labels in enumerate(UNEVEN)
        for j, label in enumerate(labels)
        if i != item
    ]
    return ag.krippendorff_alpha(Annotations.from_arrays(*zip(*rows, strict=True), categories="xy"))


def test_undefined_values_of_the_jackknife_lose_their_degrees_of_freedom():
    values = np.array([alpha_without(i).estimate for i in range(8)])
    half_width = stats.t(7).ppf((1 + LEVEL) / 2) * math.sqrt(7 * values.var())
    result = alpha_without(None)
    with pytest.warns(DegenerateWarning, match="1 of 9 replicates"):
        found = result.interval("jackknife", level=LEVEL)
    assert found.n_undefined == 1
    assert half_width > 1e-3
    assert found.upper - result.estimate == pytest.approx(half_width, rel=1e-9)


def test_undefined_values_of_the_jackknife_do_not_accelerate():
    values = np.array([alpha_without(i).estimate for i in range(8)])
    result = alpha_without(None)
    # Half of the replicates below, so that only the acceleration moves the levels.
    found = tails(result, result.estimate + np.array([-0.1, 0.1]), ndtr(-1.5))
    apart = values.mean() - values
    acceleration = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    assert abs(acceleration) > 1e-3
    expected = [ndtr(z / (1 - acceleration * z)) for z in (-1.5, 1.5)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_jackknife_of_two_values_has_one_degree_of_freedom():
    # One of two items agrees: left out, they leave 0 and 1, with error sqrt(1/2 * 1/2) = 1/2.
    # On one degree of freedom, t is tan(pi (q - 1/2)); at level 1/3 that is tan(pi/6).
    found = ag.percent_agreement(Annotations.from_contingency([[1, 1], [0, 0]])).interval(
        "jackknife", level=1 / 3
    )
    assert found.upper - 0.5 == pytest.approx(math.tan(math.pi / 6) / 2, rel=1e-12)
