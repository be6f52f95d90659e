r"""Comparison of systems scored by a judge, corrected by humans' scores of some answers.

A judge scores N_s answers of system s by f, and humans score n_s of them by y, drawn at random. The
score of the system is estimated by the difference estimator

.. math:: \hat\theta_s = \bar y_{n_s} + w (\bar f_{N_s} - \bar f_{n_s}),

the humans' mean, adjusted by the difference between the judge's mean over all answers and over
those scored by humans. It is unbiased for any judge, because both of the judge's means have the
same expectation. With w = 1 it is the judge's mean corrected by its mean error; w = 0 ignores the
judge. The difference of two systems uses the same weight for both.

Two systems that answer the same questions are compared within questions. Each answer contributes a
residual to the error of the difference, ::

    r = sign ((y - w f - mean of these) / n_s + w g / N_s)   scored by humans, too
    r = sign  w g / N_s                                       by the judge alone

with the sign of its system, where g is f minus its mean over answers of its kind. The variance is
that of the sums of r over questions, so that a question's difficulty for both systems cancels;
larger clusters, such as documents, may replace questions. Residuals of a system have the factor
C / (C - 1) for its C clusters with human scores, likewise those without. The weight minimises this
variance: it is the regression coefficient of the humans' part on the judge's, truncated to [0, 1].
An estimated weight is a second parameter: the factor is then C / (C - 2), and the variance of the
weight itself adds to that of the estimate, as in a regression estimator.

Intervals are Student's. With few human scores of one system and many of the other, the degrees of
freedom are nearly those of the first: clusters are grouped by the systems that humans scored in
them, and Satterthwaite's formula combines the groups' parts V_g of the variance, ::

    df = (sum of V_g)^2 / sum of V_g^2 / d_g,   d_g = C_g (1 - p / C)

with p the number of parameters, and C the clusters of the group's system that has fewer. This is
Welch's test for systems with separate questions, and the paired t test if humans scored the same
questions. Differences in slices are compared by Welch's analysis of variance.

Cochran (1977), Sampling Techniques, sections 7.3 and 12.6, for the estimator; Angelopoulos, Bates,
Fannjiang, Jordan and Zrnic (2023), Science 382, 669-674, and Angelopoulos, Duchi and Zrnic (2023),
arXiv 2311.01453, for prediction-powered inference, to which it is equivalent for single means:
their weight is w times the share of the answers without a human score. Satterthwaite (1946),
Biometrics Bulletin 2, 110-114; Welch (1951), Biometrika 38, 330-336, for slices.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import f as fisher
from scipy.stats import t

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.judges.clusters import cluster_codes
from annobench.judges.regression import least_squares
from annobench.resampling.multiplicity import holm

__all__ = ["SystemComparison", "compare_systems"]

Floats = NDArray[np.float64]

#: With fewer clusters that humans scored of a system, or that differ, intervals may be too narrow.
FEWEST_CLUSTERS: Final = 10


@dataclass(frozen=True, eq=False)
class SystemComparison(Summarised):
    """Systems compared by a judge and humans.

    Attributes
    ----------
    systems : DataFrame
        One row per system: system, n_answers scored by the judge, n_human of them scored by humans,
        n_clusters of these, judge_score (the judge's mean), human_score (the humans' mean), and the
        estimate with standard_error, degrees_of_freedom, lower, upper, weight and caution. NaN if
        fewer than two clusters have human scores.
    differences : DataFrame
        One row per pair of systems: system, baseline, n_answers, n_human, n_clusters with human
        scores, judge_score and human_score (differences of means), estimate (system minus
        baseline), standard_error, degrees_of_freedom, lower, upper, weight, p_value of no
        difference, human_standard_error without the judge, caution, and p_adjusted by Holm's
        method.
    slices : DataFrame
        As `differences`, by slice, with p_value_slices, the p-value of equal differences in all
        slices; empty without slices.
    selection : dict of str to float
        Difference between the judge's scores of answers scored by humans and of others of the same
        system: estimate, lower, upper and p_value. If it is far from 0, they are not a random
        sample.
    level : float
        Level of the intervals.
    """

    systems: pd.DataFrame
    differences: pd.DataFrame
    slices: pd.DataFrame
    selection: dict[str, float]
    level: float

    def summary(self) -> pd.DataFrame:
        """Return the differences.

        Returns
        -------
        DataFrame
            By pair of systems.
        """
        return self.differences.set_index(["system", "baseline"])

    def _headline(self) -> str:
        first = self.differences.iloc[0]
        return (
            f"{first['system']} minus {first['baseline']}: {first['estimate']:.3g} "
            f"({first['lower']:.3g} to {first['upper']:.3g}); {len(self.systems)} systems"
        )


def compare_systems(
    judge: ArrayLike,
    human: ArrayLike,
    systems: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    baseline: str | None = None,
    slices: ArrayLike | None = None,
    weight: float | None = None,
    level: float = 0.95,
) -> SystemComparison:
    """Compare the scores of systems by a judge, corrected by the scores of humans.

    Parameters
    ----------
    judge : array_like of float, shape (I,)
        The judge's score of each answer; answers with NaN are left out.
    human : array_like of float, shape (I,)
        The humans' scores of answers drawn at random within each system; NaN for the others.
    systems : array_like of str, shape (I,)
        The system that gave the answer.
    clusters : array_like, shape (I,), optional
        Question of each answer, by which systems are paired, or a larger cluster; by default
        answers are independent.
    baseline : str, optional
        The system with which all others are compared; by default all pairs are compared, each
        system with those that appear before it.
    slices : array_like, shape (I,), optional
        The slice of each answer, such as its language; None for none.
    weight : float, optional
        Weight of the judge, in [0, 1]. By default that of minimum variance.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    SystemComparison
        Scores, differences, and differences by slice.

    Raises
    ------
    AnnotationError
        If lengths differ, there are fewer than two systems, the baseline is unknown, the weight is
        outside [0, 1], or no answer has both scores.

    Examples
    --------
    >>> judge, human = [3, 2, 4, 3, 5, 3, 4, 4], [3, 2, 5, 3, np.nan, np.nan, np.nan, np.nan]
    >>> found = compare_systems(judge, human, ["new", "old"] * 4, clusters=[*"aabbccdd"], weight=1)
    >>> found.differences["estimate"].tolist()  # old minus new: -1.5 + (-1 - -1)
    [-1.5]
    """
    check_level(level, "compare_systems")
    f, y = np.asarray(judge, dtype=np.float64), np.asarray(human, dtype=np.float64)
    names = np.asarray(systems, dtype=object)
    if f.ndim != 1 or not f.shape == y.shape == names.shape:
        raise AnnotationError(
            f"compare_systems: {f.size} scores of the judge, {y.size} of humans and {names.size} "
            "systems. Give one of each per answer, NaN for no score."
        )
    if weight is not None and not 0 <= weight <= 1:
        raise AnnotationError(
            f"compare_systems: the weight {weight} is outside [0, 1]. Give one within."
        )
    group = cluster_codes(clusters, f.size)
    group = np.arange(f.size) if group is None else group
    kept = np.isfinite(f)
    f, y, names, group = f[kept], y[kept], names[kept], group[kept]
    if not np.isfinite(y).any():
        raise AnnotationError(
            "compare_systems: no answer was scored by the judge and by humans. Have some answers "
            "of each system scored by humans."
        )
    code, known = pd.factorize(names)
    pairs = _pairs([str(name) for name in known], baseline)

    def differences(of: NDArray[np.bool_]) -> pd.DataFrame:
        rows = [_contrast(f, y, code, group, of, pair, weight, level) for pair in pairs]
        table = pd.DataFrame(rows)
        table.insert(0, "system", [str(known[new]) for new, _ in pairs])
        table.insert(1, "baseline", [str(known[old]) for _, old in pairs])
        return table.assign(p_adjusted=holm(table["p_value"]))

    everything = np.ones(f.size, dtype=bool)
    table = pd.DataFrame(
        _contrast(f, y, code, group, everything, (system, None), weight, level)
        for system in range(len(known))
    )
    table.insert(0, "system", [str(name) for name in known])
    return SystemComparison(
        table.drop(columns=["p_value", "human_standard_error"]),
        differences(everything),
        _by_slice(slices, kept, differences),
        _selection(f, np.isfinite(y), code, group, level),
        level,
    )


def _pairs(known: list[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return the pairs of systems to compare."""
    if len(known) < 2:
        raise AnnotationError(
            f"compare_systems: every answer is by {known[0]!r}. Give answers of two systems."
        )
    if baseline is None:
        return [(new, old) for old, new in combinations(range(len(known)), 2)]
    if baseline not in known:
        raise AnnotationError(
            f"compare_systems: no system is called {baseline!r}.{did_you_mean(baseline, known)} "
            f"There are {', '.join(map(repr, known[:10]))}. Correct --baseline."
        )
    old = known.index(baseline)
    return [(new, old) for new in range(len(known)) if new != old]


def _contrast(
    f: Floats,
    y: Floats,
    code: NDArray[np.int64],
    group: NDArray[np.int64],
    of: NDArray[np.bool_],
    pair: tuple[int, int | None],
    weight: float | None,
    level: float,
) -> dict[str, Any]:
    """Estimate a system's score, or the difference of two."""
    human, judged = np.zeros(f.size), np.zeros(f.size)  # residuals: human - weight * judged
    estimate, means = np.zeros(2), np.zeros(2)
    n_human, n_clusters = [], []
    pattern = np.zeros(f.size, dtype=np.int64)  # which systems humans scored
    scored = np.isfinite(y) & of
    for number, (sign, system) in enumerate(zip((1, -1), pair, strict=True)):
        if system is None:
            continue
        own = (code == system) & of
        both, alone = own & scored, own & ~scored
        n, total = int(both.sum()), int(own.sum())
        n_human.append(n)
        n_clusters.append(np.unique(group[both]).size)
        if not n:
            estimate[:], means[:] = np.nan, np.nan
            continue
        share = 1 - n / total
        means += sign * np.array([f[own].mean(), y[both].mean()])
        estimate += sign * np.array([y[both].mean(), f[both].mean() - f[own].mean()])
        pattern[both] = 1 << number
        scale = _bessel(group[both])
        human[both] = sign * scale * (y[both] - y[both].mean()) / n
        judged[both] = sign * scale * share * (f[both] - f[both].mean()) / n
        if alone.any():
            judged[alone] = -sign * _bessel(group[alone]) * (f[alone] - f[alone].mean()) / total
    used = of & np.isin(code, [system for system in pair if system is not None])
    sums = _Sums.of(human[used], judged[used], group[used], pattern[used], n_clusters)
    w = sums.best_weight if weight is None else weight
    # The estimate changes by the difference of the judge's means with the weight.
    error, df = sums.error_of(w, float(estimate[1]) if weight is None and w > 0 else None)
    value = float(estimate[0] - w * estimate[1])
    p_value = math.nan
    if error > 0:
        p_value = float(2 * t.sf(abs(value) / error, df))
    elif not math.isnan(error):
        p_value = float(value == 0)
    half = float(t.ppf((1 + level) / 2, df)) * error if error > 0 else error
    return {
        "n_answers": int(used.sum()),
        "n_human": sum(n_human),
        "n_clusters": sums.n_scored,
        "judge_score": means[0],
        "human_score": means[1],
        "estimate": value,
        "standard_error": error,
        "degrees_of_freedom": df,
        "lower": value - half,
        "upper": value + half,
        "weight": w,
        "p_value": p_value,
        "human_standard_error": sums.error_of(0.0)[0],
        "caution": sums.caution,
    }


def _bessel(group: NDArray[np.int64]) -> float:
    """Return the factor of residuals around a mean over clusters."""
    n = np.unique(group).size
    return math.sqrt(n / (n - 1)) if n > 1 else 1.0


@dataclass(frozen=True, eq=False)
class _Sums:
    """Residuals summed over clusters, with the systems that humans scored in each, as bits."""

    human: Floats
    judged: Floats
    pattern: NDArray[np.int64]
    n_clusters: list[int]  # of each system, with human scores

    @classmethod
    def of(
        cls,
        human: Floats,
        judged: Floats,
        group: NDArray[np.int64],
        pattern: NDArray[np.int64],
        n_clusters: list[int],
    ) -> _Sums:
        used, place = np.unique(group, return_inverse=True)
        a, b = (np.bincount(place, part, used.size).astype(np.float64) for part in (human, judged))
        systems = np.zeros(used.size, dtype=np.int64)
        np.bitwise_or.at(systems, place, pattern)
        return cls(a, b, systems, n_clusters)

    @property
    def n_scored(self) -> int:
        """Number of clusters with human scores."""
        return int((self.pattern > 0).sum())

    @property
    def caution(self) -> str:
        """A caution if there are few human scores of a system."""
        if not min(self.n_clusters):
            return "no answer scored by humans"
        sums = np.round(self.human[self.pattern > 0], 12)
        n_differing = sums.size - np.unique(sums, return_counts=True)[1].max(initial=0)
        if min(*self.n_clusters, n_differing) < FEWEST_CLUSTERS:
            return "few human scores: the interval may be too narrow"
        return ""

    @property
    def best_weight(self) -> float:
        """The weight of minimum variance; 0 with too few clusters to estimate it."""
        square = float(self.judged @ self.judged)
        if min(self.n_clusters) < 3 or not square:
            return 0.0
        return float(np.clip(self.human @ self.judged / square, 0, 1))

    def error_of(self, weight: float, slope: float | None = None) -> tuple[float, float]:
        """Return standard error and degrees of freedom; NaN with a single cluster of a system.

        With a slope, the change of the estimate with the weight, the weight counts as estimated.
        """
        if min(self.n_clusters) < 2:
            return math.nan, math.nan
        square = (self.human - weight * self.judged) ** 2
        n_parameters, leverage = (1, 0.0) if slope is None else (2, slope**2 / self._spread)
        parts, degrees = [], []
        for pattern in np.unique(self.pattern):
            here = self.pattern == pattern
            part, size = float(square[here].sum()), int(here.sum())
            if pattern:
                fewest = min(n for bit, n in enumerate(self.n_clusters) if pattern >> bit & 1)
                part *= (fewest - 1) / (fewest - n_parameters) * (1 + leverage)
                degrees.append(size * (1 - n_parameters / fewest))
            else:
                degrees.append(max(size - 1, 1))
            parts.append(part)
        variance = math.fsum(parts)
        lost = math.fsum(part**2 / degree for part, degree in zip(parts, degrees, strict=True))
        return math.sqrt(variance), variance**2 / lost if lost else math.inf

    @property
    def _spread(self) -> float:
        """Sum of squares of the judge's part of clusters with human scores, times their number."""
        scored = self.judged[self.pattern > 0]
        return float(scored.size * (scored @ scored))


def _selection(
    f: Floats,
    scored: NDArray[np.bool_],
    code: NDArray[np.int64],
    group: NDArray[np.int64],
    level: float,
) -> dict[str, float]:
    """Compare the judge's scores of answers with and without a human score, within systems."""
    columns = np.column_stack([scored, code[:, None] == np.unique(code)]).astype(np.float64)
    return least_squares(columns, f, group).test(0, level)


def _by_slice(
    slices: ArrayLike | None,
    kept: NDArray[np.bool_],
    differences: Callable[[NDArray[np.bool_]], pd.DataFrame],
) -> pd.DataFrame:
    """Compare systems in each slice, and test whether their differences are equal in all."""
    if slices is None:
        return pd.DataFrame()
    names = np.asarray(slices, dtype=object)
    if names.shape != kept.shape:
        raise AnnotationError(
            f"compare_systems: {names.size} slices of {kept.size} answers. Give one of each."
        )
    code, known = pd.factorize(names[kept])
    tables = [
        differences(code == number).assign(slice=str(name)) for number, name in enumerate(known)
    ]
    table = pd.concat(tables, ignore_index=True)
    table.insert(0, "slice", table.pop("slice"))
    pair = [table["system"], table["baseline"]]
    table["p_adjusted"] = holm(table["p_value"])
    columns = ["estimate", "standard_error", "degrees_of_freedom"]
    equal = table.groupby(["system", "baseline"], sort=False)[columns].apply(_p_of_equal)
    table["p_value_slices"] = [equal[key] for key in zip(*pair, strict=True)]
    return table


def _p_of_equal(rows: pd.DataFrame) -> float:
    """Test by Welch's analysis of variance whether independent estimates are equal."""
    estimated = rows[rows["standard_error"] > 0]
    n = len(estimated)
    if n < 2:
        return math.nan
    weight = estimated["standard_error"] ** -2.0
    mean = np.average(estimated["estimate"], weights=weight)
    between = float(weight @ (estimated["estimate"] - mean) ** 2) / (n - 1)
    lost = float(((1 - weight / weight.sum()) ** 2 / estimated["degrees_of_freedom"]).sum())
    statistic = between / (1 + 2 * (n - 2) / (n**2 - 1) * lost)
    return float(fisher.sf(statistic, n - 1, (n**2 - 1) / (3 * lost)))
