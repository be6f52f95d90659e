"""NUTS on another package gives the same posterior of the hierarchical Dawid-Skene model."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.stats

from annobench.models import hierarchical_dawid_skene

FOLDER = Path(__file__).resolve().parent / "hierarchical_dawid_skene"
#: Chance of a false alarm of one test, shared out among the numbers it compares.
LEVEL = 1e-3


def script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def reference() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "posterior.csv", comment="#", dtype={"name": str})


@cache
def sampled(exponent: float) -> pd.DataFrame:
    module = script()
    fitted = hierarchical_dawid_skene.fit(
        module.load(),
        rng=np.random.default_rng(8),
        draws=4_000,
        thin=2,
        concentration_exponent=exponent,
    )
    draws = {name: getattr(fitted.draws, name) for name in ("prevalence", "mean", "concentration")}
    return module.tabulate(draws | {"confusion": fitted.draws.confusion})


def largest(ours: pd.DataFrame, theirs: pd.DataFrame) -> tuple[float, float]:
    """Return the largest difference of means in Monte Carlo standard errors, and its bound."""
    both = ours.merge(theirs, on=["parameter", "name"], suffixes=("", "_theirs"))
    assert len(both) == len(ours) == len(theirs) == 3 + 9 + 3 + 90
    error = np.hypot(both["mcse_mean"], both["mcse_mean_theirs"])
    z = (both["mean"] - both["mean_theirs"]).abs() / error
    return z.max(), scipy.stats.norm.isf(LEVEL / 2 / len(z))


def test_the_stored_posterior_converged():
    assert reference()["r_hat"].max() < 1.01
    assert reference()["ess_bulk"].min() > 400


def test_posterior_means_agree_within_monte_carlo_error():
    z, bound = largest(sampled(1.5), reference())
    assert z < bound


def test_another_prior_of_the_scale_does_not_agree():
    z, bound = largest(sampled(0.25), reference())
    assert z > bound
