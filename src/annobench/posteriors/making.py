"""Make a reference posterior: long chains, thinned until draws are nearly independent, and checks.

The definition is that of posteriordb: 10 chains of 1,000 draws after thinning; R-hat of every
parameter below 1.01; effective sample sizes of bulk and tails as for independent draws, with
probability 95%. Its energy diagnostic applies to Hamiltonian samplers; these are Gibbs samplers.
With few items, means are checked against sums over all categories.

References
----------
posteriordb, REFERENCE_POSTERIOR_DEFINITION; Vehtari, Gelman, Simpson, Carpenter and Buerkner
(2021), Bayesian Analysis 16.
"""

from __future__ import annotations

import platform
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from annobench import models
from annobench.core.optional import installed_versions
from annobench.core.results import Summarised
from annobench.models.diagnostics import MAX_R_HAT
from annobench.posteriors import enumeration, measures
from annobench.posteriors.draws import Draws, flatten, on_scale, split_name
from annobench.posteriors.records import Posterior, fingerprint, priors

__all__ = ["Reference", "check", "make"]

#: Chains, and draws of each after thinning.
CHAINS, DRAWS = 10, 1_000
#: Of 10,000 independent draws in 10 chains, one in a hundred tail sizes is below the first number,
#: and one in ten times as many is lower by the second: quantiles of 8,000 simulated sizes.
_LOW, _PER_DECADE = 9_013, 367
#: Chance that independent draws have some size out of bounds.
_SIZE_LEVEL = 0.05
#: Chance that the check against exact values fails a correct sampler, shared among the values.
ENUMERATION_LEVEL = 0.01
#: What made the draws.
PACKAGES = ("annobench", "arviz", "numba", "numpy", "scipy")


@dataclass(frozen=True, eq=False)
class Reference(Summarised):
    """Reference draws of a posterior, with diagnostics and provenance.

    Attributes
    ----------
    record : Posterior
        Record of the posterior.
    draws : Draws
        All draws, or the stored ones.
    table : DataFrame
        Statistics of all draws from `measures.summarise`, by parameter, with concentrations on the
        log scale. The column `axes` names the meaning of the indices.
    information : dict
        In posteriordb's layout: how the draws were made, diagnostics, checks, versions.
    """

    record: Posterior
    draws: Draws
    table: pd.DataFrame
    information: dict[str, Any]

    def summary(self) -> pd.DataFrame:
        """Return the statistics of all draws.

        Returns
        -------
        DataFrame
            By parameter.
        """
        return self.table

    def _headline(self) -> str:
        checks = self.information["checks_made"]
        passed = sum(map(bool, checks.values()))
        return (
            f"{self.record.name}, {self.information['diagnostics']['ndraws']:,} draws of "
            f"{len(self.table):,} parameters, {passed} of {len(checks)} checks passed"
        )


def make(record: Posterior, *, chains: int = CHAINS, draws: int = DRAWS) -> Reference:
    """Draw from a posterior according to its record, and check the draws.

    Parameters
    ----------
    record : Posterior
        Record with the posterior and settings.
    chains, draws : int
        Chains, and draws of each after thinning. Other numbers than the default fail checks.

    Returns
    -------
    Reference
        All draws. The same record gives the same draws.

    Raises
    ------
    DataUnavailableError
        If the data set is real and its files can't be had.
    """
    annotations = record.annotations()
    fit = models.get(record.model).fit
    parts = []
    axes: dict[str, list[str]] = {}
    # One chain at a time: a fit keeps draws of some parameters that are not thinned.
    for stream in np.random.default_rng(record.seed).spawn(chains):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fit(
                annotations,
                rng=stream,
                chains=1,
                warmup=record.warmup,
                draws=draws * record.thin,
                thin=record.thin,
                **record.options,
            ).to_inference_data()
        arrays = {str(name): x.to_numpy() for name, x in found.posterior.data_vars.items()}
        axes = {str(name): list(x.dims[2:]) for name, x in found.posterior.data_vars.items()}
        parts.append(flatten(arrays))
    values = np.concatenate([part.array for part in parts])
    # What an option fixes is no parameter; a probability may be 0 or 1 to single precision.
    fixed = np.ptp(values, axis=(0, 1)) == 0
    kept = [n for n, name in enumerate(parts[0].names) if not fixed[n] or "[" in name]
    all_draws = Draws(tuple(parts[0].names[n] for n in kept), values[:, :, kept])
    table = measures.summarise(all_draws.names, on_scale(all_draws))
    table.insert(0, "axes", [" ".join(axes[split_name(name)[0]]) for name in table.index])
    information: dict[str, Any] = {
        "name": record.name,
        "inference": {
            "method": "gibbs_sampling",
            "method_arguments": {
                "model": record.model,
                **record.options,
                "chains": chains,
                "draws": draws,
                "warmup": record.warmup,
                "thin": record.thin,
                "seed": record.seed,
            },
        },
        "priors": list(priors(record.model)),
        "data": {
            "origin": record.origin(),
            "n_items": annotations.n_items,
            "n_annotators": annotations.n_annotators,
            "n_categories": annotations.n_categories,
            "n_labels": annotations.n_labels,
            "sha256": fingerprint(annotations),
        },
        "diagnostics": {
            "ndraws": chains * draws,
            "nchains": chains,
            "n_parameters": sum("item" not in counted.split() for counted in table["axes"]),
            "r_hat": _ends(table["r_hat"]),
            "effective_sample_size_bulk": _ends(table["ess_bulk"]),
            "effective_sample_size_tail": _ends(table["ess_tail"]),
            "expected_fraction_of_missing_information": None,
        },
    }
    checks = check(table, chains, draws)
    if record.enumerated:
        exact = enumeration.exact_means(annotations, record.model)
        error = enumeration_errors(table, exact)
        information["diagnostics"]["enumeration"] = {
            "n_values": len(error),
            "largest_error_in_mcse": float(error.abs().max()),
        }
        limit = special.ndtri(1 - ENUMERATION_LEVEL / 2 / len(error))
        checks["means_as_enumerated"] = bool(error.abs().max() <= limit)
    information["checks_made"] = checks
    information["versions"] = {
        "python": platform.python_version(),
        **installed_versions(PACKAGES),
    }
    return Reference(record, all_draws, table, information)


def check(table: pd.DataFrame, chains: int, draws: int) -> dict[str, bool]:
    """Check draws against the definition of reference draws.

    Parameters
    ----------
    table : DataFrame
        Statistics from `measures.summarise`.
    chains, draws : int
        Their numbers.

    Returns
    -------
    dict of str to bool
        By posteriordb's names. Parameters that hardly move are left out of the last two.

    Notes
    -----
    posteriordb allows effective sample sizes of n draws within n +- 4 sqrt(7 n), whatever the
    number of parameters. Independent draws have 0.1% of bulk and 0.7% of tail sizes below that, so
    the lower bound used here is the value that all sizes of independent draws exceed with
    probability 95%: with few parameters above posteriordb's, with hundreds below.
    """
    n = chains * draws
    sizes = table[["ess_bulk", "ess_tail"]].to_numpy(dtype=np.float64)
    lowest = smallest_size(sizes.size) * n / 10_000
    return {
        "ndraws_is_10k": n == 10_000,
        "nchains_is_gte_4": chains >= 4,
        "ess_within_bounds": bool(
            np.nanmin(sizes) >= lowest and np.nanmax(sizes) <= n + 4 * np.sqrt(7 * n)
        ),
        "r_hat_below_1_01": bool(table["r_hat"].max() < MAX_R_HAT),
    }


def smallest_size(n_sizes: int) -> float:
    """Return what effective sample sizes of 10,000 independent draws exceed, all together."""
    return float(_LOW - _PER_DECADE * np.log10(0.01 * n_sizes / _SIZE_LEVEL))


def enumeration_errors(table: pd.DataFrame, exact: pd.Series[float]) -> pd.Series:
    """Return the differences from exact means in Monte Carlo standard errors."""
    rows = table.loc[exact.index]
    return (rows["mean"] - exact) / rows["mcse_mean"]


def _ends(values: pd.Series[float]) -> dict[str, float]:
    return {"lowest": round(float(values.min()), 4), "highest": round(float(values.max()), 4)}
