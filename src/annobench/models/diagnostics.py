"""Convergence of Markov chains as one tidy table, and draws in arviz's layout."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.optional import require
from annobench.models import convergence

if TYPE_CHECKING:
    from arviz import InferenceData

__all__ = ["convergence_table"]


#: The largest R-hat of chains that have converged; Vehtari et al. (2021), section 4.
MAX_R_HAT: Final = 1.01
#: The fewest effective draws, in bulk and tails, of which R-hat and standard errors can be relied
#: on: 50 for each half of four chains; Vehtari et al. (2021), section 4.
MIN_EFFECTIVE: Final = 400


def has_converged(table: pd.DataFrame) -> bool:
    """Return whether chains have converged, by every R-hat and effective sample size."""
    sizes = table[["ess_bulk", "ess_tail"]].to_numpy()
    return bool(not (table["r_hat"] > MAX_R_HAT).any() and not (sizes < MIN_EFFECTIVE).any())


def convergence_table(
    parameters: Mapping[str, tuple[NDArray[Any], Sequence[str]]],
) -> pd.DataFrame:
    """Tabulate R-hat and effective sample sizes of every parameter.

    Parameters
    ----------
    parameters : mapping
        Maps each parameter to draws of shape (C, S, P) and the P names of its components.

    Returns
    -------
    DataFrame
        Indexed by (parameter, name), with the columns `mean`, `standard_deviation`,
        `r_hat` (rank-normalised, split), `ess_bulk`, `ess_tail`, `mcse_mean` (by the
        effective sample size of the draws, not of their ranks) and `constant`. R-hat is NaN for a
        component whose draws are all equal (constant is then True), and for chains of fewer than
        four draws, whose halves have no variance.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Bayesian Analysis 16.
    """
    tables = []
    for parameter, (draws, names) in parameters.items():
        constant = np.ptp(draws, axis=(0, 1)) == 0
        moving = draws[..., ~constant].astype(np.float64)
        columns = {}
        for column, measure in (
            ("r_hat", convergence.r_hat),
            ("ess_bulk", convergence.ess_bulk),
            ("ess_tail", convergence.ess_tail),
            ("ess_mean", convergence.ess_mean),
        ):
            columns[column] = np.full(len(names), np.nan)
            columns[column][~constant] = measure(moving)
        deviation = draws.std(axis=(0, 1), dtype=np.float64)
        error = deviation / np.sqrt(columns.pop("ess_mean"))
        tables.append(
            pd.DataFrame(
                {
                    "mean": draws.mean(axis=(0, 1), dtype=np.float64),
                    "standard_deviation": deviation,
                    **columns,
                    "mcse_mean": error,
                    "constant": constant,
                },
                index=pd.MultiIndex.from_product([[parameter], names], names=["parameter", "name"]),
            )
        )
    return pd.concat(tables)


def inference_data(
    draws: Mapping[str, NDArray[Any]],
    *,
    dimensions: Mapping[str, Sequence[str]],
    names: Mapping[str, Sequence[str]],
) -> InferenceData:
    """Lay out draws for arviz."""
    with warnings.catch_warnings():
        # Importing arviz warns of its future versions.
        warnings.simplefilter("ignore", FutureWarning)
        arviz = require("arviz", "InferenceData")
    found: InferenceData = arviz.from_dict(
        posterior=dict(draws),
        dims={name: list(axes) for name, axes in dimensions.items()},
        coords={name: list(along) for name, along in names.items()},
    )
    return found
