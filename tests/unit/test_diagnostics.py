"""Convergence measures, on a process whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.signal
import scipy.stats

from annobench import Annotations
from annobench.core.errors import ConvergenceWarning
from annobench.models import pooled_multinomial
from annobench.models.diagnostics import convergence_table, has_converged

LEVEL = 1e-3


def autoregression(rng, coefficient: float, shape: tuple[int, int, int]) -> np.ndarray:
    """Stationary chains x_t = coefficient x_(t-1) + e_t of variance 1; autocorrelation c^lag."""
    noise = rng.standard_normal(shape)
    noise[:, 1:] *= math.sqrt(1 - coefficient**2)
    return scipy.signal.lfilter([1], [1, -coefficient], noise, axis=1)


def autocorrelation_time(draws: np.ndarray) -> float:
    table = convergence_table({"x": (draws, [""])})
    return draws.size / table["ess_bulk"].iloc[0]


def test_autocorrelation_time_of_an_autoregression_is_found(rng):
    # 1 + 2 sum of 0.9^lag = (1 + 0.9) / (1 - 0.9) = 19. An estimate that sums W lags of n draws has
    # relative standard error sqrt(2 (2 W + 1) / n) (Sokal 1997, equation 3.19); autocorrelations
    # sink into the noise by W = 6 * 19.
    n = 400_000
    time = autocorrelation_time(autoregression(rng, 0.9, (4, n // 4, 1)))
    bound = scipy.stats.norm.isf(LEVEL / 2) * math.sqrt(2 * (2 * 6 * 19 + 1) / n)
    assert abs(time / 19 - 1) < bound
    # (1 + 0.8) / (1 - 0.8) = 9 is distinguished
    other = autocorrelation_time(autoregression(rng, 0.8, (4, n // 4, 1)))
    assert abs(other / 19 - 1) > bound


def test_independent_draws_have_autocorrelation_time_one(rng):
    time = autocorrelation_time(rng.standard_normal((4, 25_000, 1)))
    assert abs(time - 1) < scipy.stats.norm.isf(LEVEL / 2) * math.sqrt(2 * 7 / 100_000)


def test_monte_carlo_errors_of_means_are_honest(rng):
    draws = autoregression(rng, 0.9, (4, 5_000, 200))
    table = convergence_table({"x": (draws, [str(p) for p in range(200)])})
    z = (table["mean"] / table["mcse_mean"]).to_numpy()
    # The mean is 0, so z @ z is chi-square with 200 degrees of freedom
    low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=z.size)
    assert low < z @ z < high
    # errors stated at half their size are caught
    assert 4 * z @ z > high


def test_monte_carlo_errors_of_means_are_those_of_the_draws_and_not_of_their_ranks(rng):
    # Two kinds of draws: a slow autoregression, and rare excursions a thousand times as large that
    # last 50 draws each. Ranks hardly see the excursions, the mean is made by them.
    slow = rng.standard_normal((4, 20_000))
    excursions = 1_000 * np.repeat(rng.random((4, 400)) < 0.02, 50, axis=1)
    table = convergence_table({"x": ((slow + excursions)[..., None], [""])})
    # Of 1,600 independent blocks, each of mean 1000 Bernoulli(0.02): sd 140 / sqrt(1600) = 3.5.
    # A sum of squares over 32 excursions is known to a sixth; three times that is allowed.
    assert table["mcse_mean"].iloc[0] == pytest.approx(3.5, rel=0.5)


def test_chains_that_disagree_have_a_large_r_hat(rng):
    agreeing = rng.standard_normal((4, 1_000, 1))
    table = convergence_table({"x": (agreeing, [""])})
    assert 0.99 < table["r_hat"].iloc[0] < 1.01
    # Two chains at 0 and two at 10, all of variance 1: ranks separate completely
    apart = agreeing + np.array([0, 0, 10, 10])[:, None, None]
    assert convergence_table({"x": (apart, [""])})["r_hat"].iloc[0] > 1.5


def test_a_component_that_never_moves_is_flagged_and_has_no_r_hat(rng):
    draws = rng.standard_normal((2, 100, 3))
    draws[..., 1] = 0.25
    table = convergence_table({"x": (draws, ["a", "b", "c"])})
    assert table["constant"].tolist() == [False, True, False]
    row = table.loc[("x", "b")]
    assert row["mean"] == 0.25
    assert row["standard_deviation"] == 0
    assert row[["r_hat", "ess_bulk", "ess_tail", "mcse_mean"]].isna().all()


def test_rows_carry_parameter_and_name(rng):
    table = convergence_table(
        {"a": (rng.random((2, 50, 1)), [""]), "b": (rng.random((2, 50, 2)), ["x", "y"])}
    )
    assert table.index.names == ["parameter", "name"]
    assert list(table.index) == [("a", ""), ("b", "x"), ("b", "y")]
    assert table.loc[("b", "y"), "mean"] == pytest.approx(0.5, abs=0.2)


def test_draws_of_two_equally_frequent_values_raise_no_alarm(rng):
    # Both values are equally far from their median, so the spread about it is
    # compared as 0/0; probabilities next to 1 come to this in single precision.
    draws = np.empty((4, 50, 2))
    draws[..., 0] = np.arange(50) % 2
    draws[..., 1] = rng.standard_normal((4, 50))
    table = convergence_table({"x": (draws, ["two values", "moving"])})
    assert not table["constant"].any()
    assert np.isfinite(table.loc[("x", "moving"), "r_hat"])
    assert table.loc[("x", "two values"), "mean"] == 0.5


@pytest.mark.parametrize("n_draws", [1, 3, 5])
def test_chains_of_a_few_draws_have_not_converged(rng, n_draws):
    table = convergence_table({"x": (rng.normal(size=(6, n_draws, 2)), ["moving", "too"])})
    assert table["r_hat"].isna().all() == (n_draws < 4)
    labels = Annotations.from_contingency([[40, 5], [5, 50]])
    message = "R-hat needs 4 draws per chain" if n_draws < 4 else r"R-hat up to \d"
    with pytest.warns(ConvergenceWarning, match=message):
        fitted = pooled_multinomial.fit(labels, rng=1, warmup=10, draws=n_draws, chains=6)
    assert not fitted.converged


def test_draws_that_are_all_equal_count_as_converged():
    assert has_converged(convergence_table({"x": (np.ones((4, 1000, 1)), ["fixed"])}))
