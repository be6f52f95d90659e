"""Mean, standard deviation and quantiles of draws, with their Monte Carlo standard errors.

The errors are those of Vehtari et al. (2021), section 4, as the package `posterior` of R computes
them. With e the effective sample size that belongs to a statistic,

- of the mean: standard deviation / sqrt(e), e of the draws;
- of the standard deviation s: the delta method on the mean square m2 of the deviations,
  sqrt((m4 - m2 ** 2) / e) / (2 s), e of the squared deviations;
- of the p-quantile: half the distance of the quantiles at the 15.9% and 84.1% points of
  Beta(e p + 1, e (1 - p) + 1), e of the indicator of draws up to the quantile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from annobench.models import convergence

__all__ = ["QUANTILES", "summarise"]

Floats = NDArray[np.float64]

#: The quantiles that are compared, by name.
QUANTILES = {"q5": 0.05, "q50": 0.5, "q95": 0.95}
#: Smaller differences, relative to a value or to 1, are rounding of numbers in files.
STORED_PRECISION = 1e-6


def summarise(names: Sequence[str], values: Floats) -> pd.DataFrame:
    """Tabulate statistics of draws, their errors, and convergence.

    Parameters
    ----------
    names : sequence of str
        Of P parameters.
    values : ndarray, shape (C, S, P)
        Draws, S at least 4. A single chain is split into halves.

    Returns
    -------
    DataFrame
        By parameter: `mean`, `sd`, `q5`, `q50`, `q95`, with ``mcse_`` before each its Monte Carlo
        standard error and with ``ess_`` its effective sample size; `kurtosis` (3 if normal);
        `ess_bulk`, `ess_tail`, `r_hat`. Parameters that hardly move, by less than
        `STORED_PRECISION`, have NaN for all but the first five.
    """
    if len(values) == 1:
        half = values.shape[1] // 2
        values = np.stack([values[0, :half], values[0, -half:]])
    flat = values.reshape(-1, values.shape[2])
    mean, sd = flat.mean(axis=0), flat.std(axis=0, ddof=1)
    found: dict[str, Floats] = {"mean": mean, "sd": sd}
    quantiles = np.quantile(flat, list(QUANTILES.values()), axis=0)
    found |= dict(zip(QUANTILES, quantiles, strict=True))
    moves = np.ptp(flat, axis=0) > STORED_PRECISION * np.maximum(1, np.abs(mean))
    moving, columns = values[:, :, moves], found.copy()
    centred = flat[:, moves] - mean[moves]
    square = np.mean(centred**2, axis=0)
    columns["kurtosis"] = np.mean(centred**4, axis=0) / square**2
    columns["ess_mean"] = convergence.ess_mean(moving)
    columns["mcse_mean"] = sd[moves] / np.sqrt(columns["ess_mean"])
    columns["ess_sd"] = convergence.ess_mean((moving - mean[moves]) ** 2)
    columns["mcse_sd"] = np.sqrt((columns["kurtosis"] - 1) / columns["ess_sd"] * square) / 2
    ordered = np.sort(flat[:, moves], axis=0)
    for name, p in QUANTILES.items():
        ess = convergence.ess_mean((moving <= found[name][moves]).astype(float))
        columns[f"ess_{name}"] = ess
        columns[f"mcse_{name}"] = _quantile_error(ordered, p, ess)
    columns["ess_bulk"] = convergence.ess_bulk(moving)
    columns["ess_tail"] = np.minimum(columns["ess_q5"], columns["ess_q95"])
    columns["r_hat"] = convergence.r_hat(moving)
    for name in columns.keys() - found.keys():
        found[name] = np.full(len(names), np.nan)
        found[name][moves] = columns[name]
    order = [*found][:5], sorted([*found][5:])
    return pd.DataFrame(found, index=pd.Index(names, name="parameter"))[[*order[0], *order[1]]]


def effective_size_below(values: Floats, limit: Floats) -> Floats:
    """Return the effective sample size of the share of draws up to a limit."""
    below = (values <= limit).astype(np.float64)
    both = np.ptp(below, axis=(0, 1)) > 0
    sizes = np.full(limit.size, np.nan)
    sizes[both] = convergence.ess_mean(below[:, :, both])
    return sizes


def _quantile_error(ordered: Floats, p: float, ess: Floats) -> Floats:
    n = len(ordered)
    ends = [special.betaincinv(ess * p + 1, ess * (1 - p) + 1, q) for q in (0.1586553, 0.8413447)]
    lower = np.maximum(np.floor(ends[0] * n - 1), 0).astype(int)
    upper = np.minimum(np.ceil(ends[1] * n - 1), n - 1).astype(int)
    columns = np.arange(ordered.shape[1])
    return np.asarray((ordered[upper, columns] - ordered[lower, columns]) / 2)
