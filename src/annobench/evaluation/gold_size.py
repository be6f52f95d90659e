"""Number of gold items needed to detect a difference between two methods.

Two methods are compared on the same gold items. On item i the difference d_i is 1 if only the first
is correct, -1 if only the second is, and 0 otherwise, with intermediate values for ties. With delta
the mean of d and psi the mean of d squared, which without ties is the share of items on which
exactly one of the two is right (the discordance), the number of items needed at two-sided level
alpha for power 1 - beta is

    n = (z(1 - alpha / 2) sqrt(psi) + z(1 - beta) sqrt(psi - delta^2))^2 / delta^2,

z the quantiles of the standard normal distribution. The test is McNemar's, sum(d) / sqrt(sum(d^2))
being standard normal if delta is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import SummarisedScalars
from annobench.models.base import best_categories
from annobench.resampling.multiplicity import holm

__all__ = ["AccuracyDifference", "compare_accuracies", "detectable", "items_needed"]


@dataclass(frozen=True)
class AccuracyDifference(SummarisedScalars):
    """The difference between the accuracies of two methods on one gold standard.

    Attributes
    ----------
    n_items : int
        Gold items.
    difference : float
        Accuracy of the first minus that of the second, in [-1, 1].
    discordance : float
        Mean square of the items' differences, in [0, 1].
    p_value : float
        P-value of McNemar's test; 1 if the methods never differ.
    items_needed : float
        Number of gold items needed, if difference and discordance are as observed; infinite if the
        difference is 0.
    detectable : float
        The difference detectable with the present number of items, if the discordance is as
        observed.
    """

    n_items: int
    difference: float
    discordance: float
    p_value: float
    items_needed: float
    detectable: float


def items_needed(
    difference: float, discordance: float, *, level: float = 0.05, power: float = 0.8
) -> float:
    """Return the number of gold items needed to detect a difference.

    Parameters
    ----------
    difference : float
        Difference of the accuracies, in [-1, 1].
    discordance : float
        Share of the items on which exactly one of the two is right; with ties, the mean square of
        the items' differences.
    level : float, default 0.05
        Level of the two-sided test.
    power : float, default 0.8
        Probability of detecting the difference.

    Returns
    -------
    float
        A whole number, or infinity if the difference is 0.

    Raises
    ------
    AnnotationError
        If the discordance is less than the square of the difference or more than 1, or level or
        power are out of (0, 1).

    Notes
    -----
    The formula is that at the top of this module. A difference estimated from few items may be far
    from the true one, and so may the number of items.

    References
    ----------
    Connor (1987), Sample size for testing differences in proportions for the paired-sample design,
    Biometrics 43, 207-211; after Miettinen (1968), Biometrics 24, 339-352.

    Examples
    --------
    >>> items_needed(0.05, 0.1)  # (1.96 sqrt(.1) + .8416 sqrt(.1 - .0025))^2 / .0025
    312.0
    """
    check_level(level, "items_needed")
    check_level(power, "items_needed")
    if not difference**2 <= discordance <= 1:
        raise AnnotationError(
            "items_needed: discordance must be between the square of the difference, "
            f"{difference**2:g}, and 1, got {discordance:g}. Give the share of items on which one "
            "method is right."
        )
    if difference == 0:
        return math.inf
    z_level, z_power = _quantiles(level, power)
    root = z_level * math.sqrt(discordance) + z_power * math.sqrt(discordance - difference**2)
    return float(math.ceil((root / difference) ** 2))


def _quantiles(level: float, power: float) -> tuple[float, float]:
    """Return the standard normal quantiles of a two-sided test and of its power."""
    return float(scipy.stats.norm.isf(level / 2)), float(scipy.stats.norm.ppf(power))


def detectable(
    discordance: float, n_items: int, *, level: float = 0.05, power: float = 0.8
) -> float:
    """Return the difference of accuracies that a number of gold items can detect.

    Parameters
    ----------
    discordance : float
        As for `items_needed`.
    n_items : int
        Gold items, at least 1.
    level, power : float
        As for `items_needed`.

    Returns
    -------
    float
        ``(z(1 - level / 2) + z(power)) sqrt(discordance / n_items)``, a little more than the
        difference for which `items_needed` gives this number.

    Raises
    ------
    AnnotationError
        If level or power are out of (0, 1).

    Examples
    --------
    >>> round(detectable(0.1, 312), 4)
    0.0502
    """
    check_level(level, "detectable")
    check_level(power, "detectable")
    z_level, z_power = _quantiles(level, power)
    return float((z_level + z_power) * math.sqrt(discordance / n_items))


def compare_accuracies(
    first: ArrayLike, second: ArrayLike, gold: ArrayLike, *, level: float = 0.05, power: float = 0.8
) -> AccuracyDifference:
    """Compare the accuracies of two methods on the same gold items.

    Parameters
    ----------
    first, second : array_like, shape (I, K)
        Probabilities of the categories. Of t tied best categories each counts 1/t.
    gold : array_like of int, shape (I,)
        Codes of the gold categories; items with -1 are left out.
    level : float, default 0.05
        Level of the two-sided test.
    power : float, default 0.8
        Required probability of detecting the difference.

    Returns
    -------
    AccuracyDifference
        The difference, its test, and the number of gold items needed.

    Raises
    ------
    AnnotationError
        If no item has a gold category, or level or power are out of (0, 1).

    Notes
    -----
    Linear in the number of items.

    References
    ----------
    McNemar (1947), Psychometrika 12, 153-157; Connor (1987), Biometrics 43, 207-211.

    Examples
    --------
    >>> sure = np.eye(2)
    >>> found = compare_accuracies(sure[[0, 0, 1, 1]], sure[[0, 1, 1, 1]], [0, 0, 1, 0])
    >>> found.difference, found.discordance, round(found.p_value, 4)  # z = 1 / sqrt(1)
    (0.25, 0.25, 0.3173)
    """
    codes = np.asarray(gold, dtype=np.int64)
    kept = codes >= 0
    if not kept.any():
        raise AnnotationError(
            "compare_accuracies: no item has a gold category. Give a gold standard with some."
        )
    own, other = (_right(table, codes, kept) for table in (first, second))
    d = own - other
    n, difference, discordance = d.size, float(d.mean()), float((d**2).mean())
    z = d.sum() / math.sqrt((d**2).sum()) if discordance else 0.0
    return AccuracyDifference(
        n_items=n,
        difference=difference,
        discordance=discordance,
        p_value=float(2 * scipy.stats.norm.sf(abs(z))),
        items_needed=items_needed(difference, discordance, level=level, power=power),
        detectable=detectable(discordance, n, level=level, power=power),
    )


def _right(
    posterior: ArrayLike, gold: NDArray[np.int64], kept: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return each gold item's contribution to the number correct, shape (I,)."""
    best = best_categories(np.asarray(posterior, dtype=np.float64)[kept])
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares[np.arange(len(shares)), gold[kept]]


def differences_in_accuracy(
    first: str, posteriors: Mapping[str, ArrayLike], gold: ArrayLike
) -> pd.DataFrame:
    """Test which methods differ significantly in accuracy from one of them."""
    rows = []
    for name, posterior in posteriors.items():
        difference = compare_accuracies(posterior, posteriors[first], gold)
        rows.append(
            {
                "method": name,
                "minus_best": difference.difference,
                "discordance": difference.discordance,
                "p_value": math.nan if name == first else difference.p_value,
                "items_needed": math.nan if name == first else difference.items_needed,
            }
        )
    table = pd.DataFrame(rows)
    others = table["p_value"].notna()
    table.loc[others, "p_value"] = holm(table.loc[others, "p_value"].to_numpy())
    return table
