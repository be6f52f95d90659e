"""Simulation-based calibration of the sampler of the multilevel binary model.

Parameters are drawn from the prior, labels from the parameters, and the posterior is sampled.
The rank of a parameter among independent draws from its posterior is then uniform
(Talts et al. 2018), whatever the data look like, and only if prior, likelihood and sampler fit
together. Every part of the model is checked at once: the restriction to one half, the prior of the
scale in each of its readings, both samplers, and the variant without the hierarchy.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from annobench.models import hierarchical_binary
from annobench.simulation import panels as simulate

pytestmark = pytest.mark.slow

N_PANELS = 600
#: Draws that a rank is taken among; with 19 there are 20 ranks, 30 panels expected in each.
N_RANKED = 19
#: Sweeps between two of them, many times the autocorrelation of a panel this small.
APART = 100
#: Chance of a false alarm of one setting, shared out among its quantities.
LEVEL = 0.05

SETTINGS = {
    "as_printed": {"concentration_exponent": 1.5},
    "uniform_inverse_square": {"concentration_exponent": 2.0},
    "uniform_inverse_root": {"concentration_exponent": 0.5},
    "not_collapsed": {"concentration_exponent": 1.5, "collapsed": False},
    "no_hierarchy": {"hierarchical": False},
}


def draw_truth(rng, setting: dict) -> tuple[simulate.SimulatedBinary, dict[str, float]]:
    truth = {"prevalence": rng.random()}
    shapes = {"sensitivity": (1.0, 1.0), "specificity": (1.0, 1.0)}
    hierarchical = setting.get("hierarchical", True)
    if hierarchical:
        means = rng.random(2)
        if means.sum() <= 1:  # uniform on the triangle m_0 + m_1 > 1
            means = 1 - means
        scales = rng.random(2) ** (-1 / setting["concentration_exponent"])
        for name, mean, scale in zip(shapes, means, scales, strict=True):
            truth |= {f"{name}_mean": mean, f"{name}_concentration": scale}
            shapes[name] = (mean * scale, (1 - mean) * scale)
    while True:
        panel = simulate.binary(
            n_items=30,
            n_annotators=5,
            prevalence=truth["prevalence"],
            missing=0.2,
            rng=rng,
            **shapes,
        )
        if hierarchical or (panel.sensitivity + panel.specificity).mean() > 1:
            break
    for j in (0, 1):
        truth[f"sensitivity {j}"] = panel.sensitivity[j]
        truth[f"specificity {j}"] = panel.specificity[j]
    return panel, truth


def draws_of(fitted: hierarchical_binary.HierarchicalBinaryFit, name: str) -> np.ndarray:
    parameter, _, annotator = name.partition(" ")
    draws = getattr(fitted.draws, parameter)[0]
    return draws[::APART, int(annotator)] if annotator else draws[::APART]


@pytest.fixture(scope="module", params=SETTINGS)
def panels(request):
    """Truth and independent posterior draws, by quantity: shapes (P,) and (P, 19)."""
    rng = np.random.default_rng(20180418)
    setting = SETTINGS[request.param]
    truths, draws = {}, {}
    for _ in range(N_PANELS):
        panel, truth = draw_truth(rng, setting)
        fitted = hierarchical_binary.fit(
            panel.annotations,
            rng=rng,
            chains=1,
            warmup=500,
            draws=APART * (N_RANKED - 1) + 1,
            thin=APART,
            **setting,
        )
        for name, value in truth.items():
            truths.setdefault(name, []).append(value)
            draws.setdefault(name, []).append(draws_of(fitted, name))
    return {name: (np.array(truths[name]), np.array(draws[name])) for name in truths}


def p_value(rng, truth: np.ndarray, draws: np.ndarray) -> float:
    """Test the ranks for uniformity; ties (values that round to 0 or 1) are broken at random."""
    below = (draws < truth[:, None]).sum(axis=1)
    rank = below + rng.integers((draws == truth[:, None]).sum(axis=1) + 1)
    return scipy.stats.chisquare(np.bincount(rank, minlength=N_RANKED + 1)).pvalue


def test_ranks_of_the_truth_among_posterior_draws_are_uniform(panels, rng):
    p_values = {name: p_value(rng, *pair) for name, pair in panels.items()}
    assert min(p_values.values()) > LEVEL / len(p_values), p_values


def test_shifted_draws_do_not_have_uniform_ranks(panels, rng):
    # by a third of a posterior standard deviation; of its logarithm, where it is a scale
    for name, (truth, draws) in panels.items():
        if name.endswith("_concentration"):
            truth, draws = np.log(truth), np.log(draws)
        shifted = draws + draws.std(axis=1, keepdims=True) / 3
        assert p_value(rng, truth, shifted) < LEVEL / len(panels), name
