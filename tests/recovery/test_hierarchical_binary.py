"""The multilevel binary model finds known parameters, and its intervals are honest.

Intervals of a Bayesian model hold the truth as often as they say if the truth is drawn from the
prior. So it is here: means uniform on m_0 + m_1 > 1 and scales from the Pareto prior, or, without
the hierarchy, annotators from Beta(1, 1), on average better than chance.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.stats

from annobench.models import hierarchical_binary
from annobench.simulation import panels

#: Two-sided chance of a false alarm of one bound.
LEVEL = 1e-3

N_PANELS = 150
EXPONENT = 1.5


def draw_panel(rng, *, hierarchical: bool) -> tuple[panels.SimulatedBinary, dict[str, float]]:
    """Draw parameters from the prior, and a panel of 40 items and 5 annotators from them."""
    prevalence = rng.random()
    truth = {"prevalence": prevalence}
    shapes = {"sensitivity": (1.0, 1.0), "specificity": (1.0, 1.0)}
    if hierarchical:
        means = rng.random(2)
        if means.sum() <= 1:  # the triangle m_0 + m_1 > 1 is half the square
            means = 1 - means
        for name, mean, scale in zip(shapes, means, rng.random(2) ** (-1 / EXPONENT), strict=True):
            truth |= {f"{name}_mean": mean, f"{name}_concentration": scale}
            shapes[name] = (mean * scale, (1 - mean) * scale)
    while True:
        panel = panels.binary(
            n_items=40, n_annotators=5, prevalence=prevalence, missing=0.2, rng=rng, **shapes
        )
        if hierarchical or (panel.sensitivity + panel.specificity).mean() > 1:
            break
    # One annotator stands for all: intervals of one panel are not independent.
    return panel, truth | {"sensitivity": panel.sensitivity[0], "specificity": panel.specificity[0]}


def covered(intervals: np.ndarray, truth: np.ndarray) -> int:
    return int(((intervals[:, 0] <= truth) & (truth <= intervals[:, 1])).sum())


@cache
def fitted_panels(hierarchical: bool) -> list[tuple[panels.SimulatedBinary, dict, Any]]:
    """Draw and fit the panels that the tests share."""
    rng = np.random.default_rng(2008)
    found = []
    for _ in range(N_PANELS):
        panel, truth = draw_panel(rng, hierarchical=hierarchical)
        fitted = hierarchical_binary.fit(
            panel.annotations,
            rng=rng,
            hierarchical=hierarchical,
            concentration_exponent=EXPONENT,
            chains=2,
            warmup=300,
            draws=800,
        )
        found.append((panel, truth, fitted))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("hierarchical", [True, False])
def test_ninety_five_percent_intervals_hold_the_truth_that_often(hierarchical):
    truths, intervals = {}, {}
    for _, truth, fitted in fitted_panels(hierarchical):
        for name, value in truth.items():
            ends = fitted.interval(name)
            truths.setdefault(name, []).append(value)
            intervals.setdefault(name, []).append(ends if ends.ndim == 1 else ends[:, 0])
    low, high = scipy.stats.binom.ppf([LEVEL / 2, 1 - LEVEL / 2], N_PANELS, 0.95)
    for name in truths:
        truth, ends = np.array(truths[name]), np.array(intervals[name])
        assert low <= covered(ends, truth) <= high, name
        if not name.endswith("_concentration"):
            # Intervals of half the width are caught. (Those of the scales are so skewed that
            # half the width about the middle leaves out nearly nothing but the low end.)
            middle = ends.mean(axis=1, keepdims=True)
            assert covered(middle + (ends - middle) / 2, truth) < low, name


def test_the_simulated_panel_of_the_paper_is_recovered(rng):
    # Carpenter (2008), section 3
    panel = panels.binary(
        n_items=1_000,
        n_annotators=20,
        prevalence=0.2,
        sensitivity=(20, 8),
        specificity=(40, 8),
        missing=0.5,
        rng=rng,
    )
    fitted = hierarchical_binary.fit(panel.annotations, rng=rng, warmup=500, draws=1_000)
    table = fitted.diagnostics
    rows = table.loc[["sensitivity", "specificity"]]
    known = np.concatenate([panel.sensitivity, panel.specificity])
    z = ((rows["mean"] - known) / rows["standard_deviation"]).to_numpy()
    # The posterior is close to normal here: z @ z is chi-square, one degree a value
    low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=40)
    assert low < z @ z < high
    # deviations stated at half their size are caught
    assert 4 * z @ z > high
    truth = {
        "prevalence": panel.category.mean(),
        "sensitivity_mean": 20 / 28,
        "specificity_mean": 40 / 48,
    }
    for name, value in truth.items():
        z = (table.loc[(name, ""), "mean"] - value) / table.loc[(name, ""), "standard_deviation"]
        assert abs(z) < scipy.stats.norm.isf(LEVEL / 2), name
    assert fitted.label_switches.tolist() == [0, 0, 0, 0]


@pytest.mark.slow
def test_probabilities_of_the_items_are_those_of_their_categories():
    # Given the labels, a category c has mean p, so that (c - p) (p - 1/2) has mean 0: it is
    # negative on average if probabilities are too near 0 and 1, and positive if too far.
    honest, surer = [], []
    for panel, _, fitted in fitted_panels(True):
        p = fitted.posterior[:, 1]
        honest.append((panel.category - p) @ (p - 0.5))
        # the negative control: odds cubed
        p = p**3 / (p**3 + (1 - p) ** 3)
        surer.append((panel.category - p) @ (p - 0.5))

    def z(sums):  # panels are independent, items of one are not
        return np.mean(sums) / scipy.stats.sem(sums)

    bound = scipy.stats.t.isf(LEVEL / 2, df=N_PANELS - 1)
    assert abs(z(honest)) < bound
    assert z(surer) < -bound, z(honest)
