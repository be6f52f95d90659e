"""R-hat and effective sample sizes against arviz, whose code is another."""

from types import SimpleNamespace

import arviz
import numpy as np
import pytest

from annobench.models import convergence
from annobench.models.base import SampledFit

MEASURES = {
    "r_hat": (convergence.r_hat, arviz.rhat, {}),
    "ess_mean": (convergence.ess_mean, arviz.ess, {"method": "mean"}),
    "ess_bulk": (convergence.ess_bulk, arviz.ess, {"method": "bulk"}),
    "ess_tail": (convergence.ess_tail, arviz.ess, {"method": "tail"}),
}


def _draws(kind, n_chains, n_draws):
    rng = np.random.default_rng(20081)
    found = rng.normal(size=(n_chains, n_draws, 8))
    if kind in ("slow", "alternating"):
        carried = 0.9 if kind == "slow" else -0.8
        for t in range(1, n_draws):
            found[:, t] += carried * found[:, t - 1]
    if kind == "random walk":
        found = np.cumsum(found, axis=1)
    if kind == "chains apart":
        found += 5 * rng.normal(size=(n_chains, 1, 8))
    if kind == "ties":
        found = np.round(found)
    if kind == "two values":
        found = (found > 0).astype(float)
    if kind == "heavy tails":
        found = rng.standard_cauchy(size=found.shape)
    return found


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("n_chains", "n_draws"), [(2, 5), (2, 10), (4, 51), (4, 400), (3, 999)])
@pytest.mark.parametrize(
    "kind",
    [
        *("independent", "slow", "alternating", "random walk"),
        *("chains apart", "ties", "two values", "heavy tails"),
    ],
)
def test_measures_are_those_of_arviz(measure, n_chains, n_draws, kind):
    ours, theirs, options = MEASURES[measure]
    draws = _draws(kind, n_chains, n_draws)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = theirs(arviz.convert_to_dataset({"x": draws}), **options)["x"].to_numpy()
    np.testing.assert_allclose(ours(draws), expected, rtol=1e-9)


def test_blocks_of_parameters_change_nothing(monkeypatch):
    draws = _draws("slow", 4, 50)
    whole = {name: ours(draws) for name, (ours, _, _) in MEASURES.items()}
    monkeypatch.setattr(convergence, "BLOCK", 500)
    for name, (ours, _, _) in MEASURES.items():
        np.testing.assert_array_equal(ours(draws), whole[name])


@pytest.mark.parametrize("measure", MEASURES)
def test_what_has_no_measure(measure):
    ours = MEASURES[measure][0]
    assert np.isnan(ours(np.ones((2, 3, 4)))).all()
    assert ours(np.ones((2, 10, 0))).shape == (0,)


def test_one_chain_has_sizes_but_no_r_hat():
    draws = _draws("independent", 1, 50)
    assert np.isnan(convergence.r_hat(draws)).all()
    assert (convergence.ess_bulk(draws) > 0).all()


def test_draws_that_are_all_equal_count_each():
    assert convergence.ess_mean(np.ones((2, 10, 3))).tolist() == [20.0] * 3


def test_the_tail_of_a_quantile_that_is_a_draw_contains_it():
    # Of 101 draws the 5% quantile is the sixth: six draws are up to it.
    draws = np.random.default_rng(1).permuted(np.arange(101.0))[None, :, None]
    low, high = (convergence.ess_mean((draws <= q).astype(float)) for q in (5, 95))
    assert convergence.ess_tail(draws) == np.minimum(low, high)


@pytest.mark.parametrize(("switches", "is_named"), [([4, 0, 0, 0], False), ([5, 0, 0, 0], True)])
def test_switches_of_one_sweep_in_a_hundred_are_named(switches, is_named):
    fitted = SimpleNamespace(_shape=(4, 100), label_switches=np.array(switches))
    assert SampledFit._switches_labels(fitted) is is_named
