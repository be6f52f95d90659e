"""Bradley and Terry's model of pairwise judgements, with ties after Davidson (1970)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import counted, plain
from annobench.labels.doubts import doubtful_spellings
from annobench.pairwise._likelihood import Estimate, information, maximise
from annobench.pairwise._order import Order, order_of, within
from annobench.pairwise._reliability import Reliable, fit_reliability, observed_information
from annobench.pairwise.comparisons import LEFT, TIE, Comparisons
from annobench.resampling.intervals import Interval
from annobench.resampling.multiplicity import holm
from annobench.resampling.proportions import proportion_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BradleyTerry", "bradley_terry"]

Floats = NDArray[Any]


@dataclass(frozen=True, repr=False, eq=False)
class BradleyTerry(Summarised):
    """Strengths of items that were compared in pairs.

    Attributes
    ----------
    table : DataFrame
        One row per item, the strongest first: item, strength (log odds, with mean 0 over the items
        whose strengths are finite), standard_error, lower, upper, beats_average (the probability to
        win against an item of strength 0, ties left out), rank, rank_best and rank_worst (the range
        of ranks compatible with the significant differences, after Holm's adjustment),
        n_comparisons, wins, ties, losses. The strength is infinite for items that never lost or
        never won against the others, and NaN for those not connected with the others by
        comparisons.
    tie : float
        The parameter nu: two equal items tie with probability nu / (2 + nu); 0 without ties.
    covariance : ndarray, shape (F, F)
        Of the finite strengths, in the order of the table.
    annotators : DataFrame or None
        One row per annotator, the least reliable first: annotator, n_comparisons, reliability (the
        share of judgements that follow the strengths and are not guesses; NaN unless estimated),
        chose_left (of those without a tie), agrees (of those without a tie, the share won by the
        stronger item).
    chose_left : Interval
        Share of all comparisons without a tie won by the left item; Wilson's.
    level : float
        Of the limits.
    cautions : tuple of str
        Cautions about the strengths.
    """

    table: pd.DataFrame
    tie: float
    covariance: NDArray[np.float64]
    annotators: pd.DataFrame | None
    chose_left: Interval
    level: float
    cautions: tuple[str, ...]

    def summary(self) -> pd.DataFrame:
        """Return the items.

        Returns
        -------
        DataFrame
            By item, the strongest first.
        """
        return self.table.set_index("item")

    def _headline(self) -> str:
        first = self.table.iloc[0]
        n = int(self.table["n_comparisons"].sum() // 2)
        return f"{first['item']} first of {len(self.table):,} items, {n:,} comparisons"

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot strengths with their limits.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where; by default a new figure.

        Returns
        -------
        Axes
            With the plot; items without a finite strength are not shown.
        """
        from annobench.plotting import BLUE

        axes = axes_or_new(axes)
        rows = self.table[np.isfinite(self.table["strength"])].iloc[::-1]
        y = np.arange(len(rows))
        axes.hlines(y, rows["lower"], rows["upper"], color=BLUE)
        axes.plot(rows["strength"], y, "o", color=BLUE)
        axes.set_yticks(y, [plain(name) for name in rows["item"]])
        axes.set_xlabel("strength (log odds)")
        return axes


def bradley_terry(
    comparisons: Comparisons, *, reliability: bool = False, level: float = 0.95
) -> BradleyTerry:
    """Rank items by pairwise judgements.

    Parameters
    ----------
    comparisons : Comparisons
        Comparisons of two or more items.
    reliability : bool, default False
        Whether to estimate annotators' reliability, too.
    level : float, default 0.95
        Of the limits, in (0, 1).

    Returns
    -------
    BradleyTerry
        Strengths with limits, ranks, annotators.

    Raises
    ------
    AnnotationError
        If there are no two items that beat each other, directly or through others, so that every
        strength is infinite; if these items only tie; if reliabilities are asked for and
        annotators are unknown or fewer than two; or if the level is not in (0, 1).

    Notes
    -----
    The left item i beats j with probability p_i / (p_i + p_j + nu sqrt(p_i p_j)) and ties with
    nu sqrt(p_i p_j) over the same; strengths are log p. The maximum of the likelihood is finite for
    strongly connected items, which beat each other directly or through others; strengths are
    estimated for the largest such group, and the other items are infinitely stronger, weaker, or
    not comparable. Limits are Wald's. Comparisons are assumed to be independent given the
    strengths.

    With `reliability`, a judgement of annotator j follows the model with a probability of their own
    and is otherwise a guess with their own preference for a side. It is estimated by EM; each
    annotator has one more comparison, half judged and half guessed, and log-strengths a normal
    prior with standard deviation 10. Limits treat the annotators' parameters as known.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345; Davidson (1970), Journal of the American
    Statistical Association 65, 317-328; Ford (1957), American Mathematical Monthly 64, 28-33;
    Chen et al. (2013), Pairwise ranking aggregation in a crowdsourced setting, WSDM; Louis (1982),
    Journal of the Royal Statistical Society B 44, 226-233.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"left": ["x"] * 4, "right": ["y"] * 4, "winner": list("xxxy")})
    >>> found = bradley_terry(Comparisons.from_frame(table))
    >>> found.table["strength"].round(3).tolist()  # half of log 3 each
    [0.549, -0.549]
    """
    check_level(level, "bradley_terry")
    if reliability and len(comparisons.annotators) < 2:
        raise AnnotationError(
            "bradley_terry: reliabilities need two annotators or more, got "
            f"{len(comparisons.annotators)}. Name the column of the annotators, or leave them out."
        )
    order = order_of(comparisons)
    if order.core.sum() < 2:
        raise AnnotationError(
            "bradley_terry: no two items beat or tie with each other, directly or through others: "
            "every strength is infinite. Collect more comparisons of items that are close."
        )
    core, _ = within(comparisons, order.core)
    if (core.outcome == TIE).all():
        raise AnnotationError(
            f"bradley_terry: all {core.n_comparisons:,} comparisons of items whose strength is "
            "finite are ties: with an infinite tie parameter any strengths fit. Collect "
            "comparisons with a winner."
        )
    ones = np.ones(core.n_comparisons)
    estimate = maximise(core, ones)
    reliable = None
    if reliability:
        reliable = fit_reliability(core, estimate)
        estimate = reliable.estimate
        matrix = observed_information(core, reliable)
    else:
        matrix = information(core, estimate, ones)
    covariance = _covariance(matrix, core.n_items, math.isfinite(estimate.log_tie))
    cautions = [*_cautions(comparisons, order)]
    if reliable is not None and not reliable.converged:
        cautions.append("The reliabilities of annotators did not converge.")
    table, kept = _table(comparisons, order, estimate, covariance, level)
    left = comparisons.outcome[comparisons.outcome != TIE] == LEFT
    return BradleyTerry(
        table,
        math.exp(estimate.log_tie),
        covariance[np.ix_(kept, kept)],
        _annotators(comparisons, order, estimate, reliable),
        proportion_interval(int(left.sum()), left.size, level=level),
        level,
        tuple(cautions),
    )


def _covariance(matrix: Floats, k: int, ties: bool) -> NDArray[np.float64]:
    """Invert the information on strengths of sum 0."""
    free = k + ties
    shifted = matrix[:free, :free].copy()
    shifted[:k, :k] += 1 / k
    inverse = np.linalg.inv(shifted)[:k, :k]
    return np.asarray(inverse - np.outer(inverse.mean(axis=1), np.ones(k)))


def _table(
    of: Comparisons, order: Order, at: Estimate, covariance: Floats, level: float
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Lay out the items, the strongest first; also return the order of the finite strengths."""
    table = of.tally()
    strength = np.full(of.n_items, math.nan)
    strength[order.above], strength[order.below] = math.inf, -math.inf
    strength[order.core] = at.strength
    error = np.full(of.n_items, math.nan)
    error[order.core] = np.sqrt(np.maximum(covariance.diagonal(), 0))
    z = -float(ndtri((1 - level) / 2))
    best, worst = np.full(of.n_items, math.nan), np.full(of.n_items, math.nan)
    known = ~np.isnan(strength)
    best[known], worst[known] = 1, known.sum()
    better, worse = _significant(at.strength, covariance, 1 - level)
    n_core = int(order.core.sum())
    # Nothing is known of how far infinite strengths are from the others.
    best[order.core] = 1 + better
    worst[order.core] = known.sum() - worse
    table = table.assign(
        strength=strength,
        standard_error=error,
        lower=strength - z * error,
        upper=strength + z * error,
        beats_average=expit(strength),
        rank=pd.Series(strength).rank(ascending=False, method="min"),
        rank_best=best,
        rank_worst=worst,
    )
    share = (table["wins"] + table["ties"] / 2) / table["n_comparisons"]
    table = (
        table.assign(share=share)
        .sort_values(["strength", "share"], ascending=False, kind="stable", na_position="last")
        .drop(columns="share")
    )
    counts = ["n_comparisons", "wins", "ties", "losses"]
    columns = ["item", *table.columns.drop(["item", *counts]), *counts]
    place = np.cumsum(order.core) - 1
    kept = np.array([place[i] for i in table.index if order.core[i]])
    assert kept.size == n_core
    return table[columns].reset_index(drop=True), kept


def _significant(
    strength: Floats, covariance: Floats, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count for each item those that are significantly better and worse."""
    i, j = np.triu_indices(strength.size, 1)
    spread = covariance.diagonal()
    error = np.sqrt(np.maximum(spread[i] + spread[j] - 2 * covariance[i, j], 1e-300))
    difference = strength[i] - strength[j]
    found = holm(2 * ndtr(-np.abs(difference) / error)) < alpha
    higher = np.where(difference > 0, i, j)[found]
    lower = np.where(difference > 0, j, i)[found]
    k = strength.size
    return np.bincount(lower, minlength=k), np.bincount(higher, minlength=k)


def _annotators(
    of: Comparisons, order: Order, at: Estimate, reliable: Reliable | None
) -> pd.DataFrame | None:
    """Describe the annotators, the least reliable first."""
    annotator = of.annotator
    if annotator is None:
        return None
    n = len(of.annotators)
    decided = of.outcome != TIE
    strength = np.full(of.n_items, math.nan)
    strength[order.core] = at.strength
    ahead = strength[of.left] - strength[of.right]
    told = decided & ~np.isnan(ahead) & (ahead != 0)
    right = (ahead > 0) == (of.outcome == LEFT)

    def share(what: NDArray[np.bool_], among: NDArray[np.bool_]) -> Floats:
        total = np.bincount(annotator[among], minlength=n)
        part = np.bincount(annotator[among & what], minlength=n)
        return np.asarray(np.divide(part, total, out=np.full(n, math.nan), where=total > 0))

    table = pd.DataFrame(
        {
            "annotator": of.annotators,
            "n_comparisons": np.bincount(annotator, minlength=n),
            "reliability": math.nan if reliable is None else reliable.reliability,
            "chose_left": share(of.outcome == LEFT, decided),
            "agrees": share(right, told),
        }
    )
    by = "agrees" if reliable is None else "reliability"
    return table.sort_values(by, kind="stable").reset_index(drop=True)


def _cautions(of: Comparisons, order: Order) -> list[str]:
    """Say which strengths are infinite or unknown."""

    def listed(chosen: NDArray[np.bool_]) -> str:
        names = [repr(name) for name, yes in zip(of.items, chosen, strict=True) if yes]
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")

    found = []
    apart = ~(order.core | order.above | order.below)
    if order.above.any():
        found.append(
            f"{listed(order.above)}: never lost to the others, even indirectly, so the strength is "
            "infinite. The comparisons do not show how much stronger."
        )
    if order.below.any():
        found.append(
            f"{listed(order.below)}: never won against the others, even indirectly, so the "
            "strength is minus infinity."
        )
    if apart.any():
        found.append(
            f"{listed(apart)}: not connected with the others by comparisons, so strengths can't be "
            "compared. Compare some items of both groups."
        )
    if of.n_left_out:
        found.append(f"{counted(of.n_left_out, 'row')} without a winner left out.")
    found += doubtful_spellings("items that are ranked", of.items)
    found += doubtful_spellings("annotators", of.annotators)
    return found
