"""Bradley and Terry's model of pairwise judgements, with ties after Davidson (1970)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import counted, plain, visible
from annobench.labels.doubts import doubtful_spellings
from annobench.pairwise._likelihood import (
    Model,
    centred,
    information,
    maximise,
    probabilities,
    scores,
)
from annobench.pairwise._order import Order, order_of, why_no_side, within
from annobench.pairwise._posterior import Posterior, sandwich
from annobench.pairwise._reliability import Reliable, fit_reliability
from annobench.pairwise.comparisons import LEFT, TIE, Comparisons
from annobench.resampling.intervals import Interval
from annobench.resampling.multiplicity import holm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BradleyTerry", "bradley_terry"]

Floats = NDArray[Any]

#: Clusters below which limits and tests are cautioned against.
FEW_CLUSTERS: Final = 10


@dataclass(frozen=True, repr=False, eq=False)
class BradleyTerry(Summarised):
    """Strengths of items that were compared in pairs.

    Attributes
    ----------
    table : DataFrame
        One row per item, the strongest first: item, strength (log odds, with mean 0 over the items
        whose strengths are finite), standard_error, lower, upper, beats_average (the probability to
        win against an item of strength 0, ties left out), rank (shared by items of the same
        strength), rank_best and rank_worst (the range of ranks compatible with the significant
        differences, after Holm's adjustment), n_comparisons, wins, ties, losses. The strength is
        infinite for items that never lost or never won against the others, and NaN for those not
        connected with the others by comparisons.
    tie : float
        The parameter nu: two equal items tie with probability nu / (2 + nu); 0 without ties.
    covariance : ndarray, shape (F, F)
        Of the finite strengths, in the order of the table.
    annotators : DataFrame or None
        One row per annotator, the least reliable first: annotator, n_comparisons, reliability (the
        share of judgements that follow the strengths and are not guesses; NaN unless estimated),
        reliability_lower, reliability_upper, chose_left (of those without a tie), agrees (of those
        without a tie, the share won by the stronger item).
    first : Interval
        The probability that of two equal items the one shown first wins, ties left out; NaN if
        the comparisons do not tell it from the strengths.
    level : float
        Of the limits.
    n_clusters : int or None
        Clusters for which limits and tests allow.
    cautions : tuple of str
        Cautions about the strengths.
    """

    table: pd.DataFrame
    tie: float
    covariance: NDArray[np.float64]
    annotators: pd.DataFrame | None
    first: Interval
    level: float
    n_clusters: int | None
    cautions: tuple[str, ...]

    def summary(self) -> pd.DataFrame:
        """Return the items.

        Returns
        -------
        DataFrame
            By item, the strongest first.
        """
        return self.table.set_index("item")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the ranking shows, by its tests and limits.

        Returns
        -------
        tuple of str
            Who is first and how certainly; the preference for a position, if there is one.
        """
        return (self._leader(), self._preference()) if self.biased else (self._leader(),)

    @property
    def biased(self) -> bool:
        """Whether the limits of `first` exclude one half."""
        return bool(self.first.lower > 0.5 or self.first.upper < 0.5)

    def _leader(self) -> str:
        first, n = self.table.iloc[0], int(self.table["rank"].notna().sum())
        name, worst = f"“{visible(first['item'])}”", int(first["rank_worst"])
        if math.isinf(first["strength"]):
            more = int((self.table["strength"] == math.inf).sum()) - 1
            others = f" and {counted(more, 'other item')}" if more else ""
            return (
                f"{name}{others} never lost to the rest, even indirectly: first of {n:,} items, "
                f"but without a test; the rank may be as low as {worst:,}."
            )
        robust = "" if self.n_clusters is None else "cluster-robust "
        test = f"{robust}Wald tests of all pairs, Holm's adjustment, level {1 - self.level:.3g}"
        if worst == 1:
            others = "the other item" if n == 2 else f"each of the {n - 1:,} other items"
            return f"{name} is first, significantly better than {others} ({test})."
        return (
            f"{name} has the largest strength of {n:,} items, but is not significantly better than "
            f"all others: its rank may be as low as {worst:,} ({test})."
        )

    def _preference(self) -> str:
        rate, low, high = (
            f"{100 * x:.0f}%" for x in (self.first.estimate, self.first.lower, self.first.upper)
        )
        return (
            f"Of equal items the one shown first wins {rate} of the comparisons without a tie "
            f"({100 * self.level:g}% interval {low} to {high}): judgements depend on the position."
        )

    def _headline(self) -> str:
        n = int(self.table["n_comparisons"].sum() // 2)
        return f"{counted(n, 'comparison')}. {self._leader()}"

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
        Comparisons of two or more items; if they have clusters, limits and tests allow for
        dependence within clusters.
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
        annotators are unknown or fewer than two; if there are no more clusters than parameters; or
        if the level is not in (0, 1).

    Notes
    -----
    The item i, shown first, beats j with probability g p_i / (g p_i + p_j + nu sqrt(g p_i p_j)) and
    ties with nu sqrt(g p_i p_j) over the same; strengths are log p, and log g is the effect of
    being shown first. It is estimated if some pair was shown in both orders and its maximum is
    finite; else g = 1. The maximum of the likelihood is finite for strongly connected items, which
    beat each other directly or through others; strengths are estimated for the largest such group,
    and the other items are infinitely stronger, weaker, or not comparable. Limits are Wald's.

    With clusters, covariances are Liang and Zeger's, and limits and tests Student's.

    With `reliability`, a judgement of annotator j follows the model with probability r_j and is
    otherwise a guess, mostly without a preference for a side. Reliabilities are drawn from a Beta
    distribution of unknown mean and concentration. Where no two strengths differ much, data show
    the products of reliability and strengths alone; the scale then comes from the prior of the
    mean: .98 with probability .46, .92 with .20, .82 with .15, .70 with .11, .58 with .08.
    Log-strengths have a normal prior with variance 10. Strengths are posterior medians; limits
    are those of the mixture over means and concentrations, by Laplace's approximation, and
    so hold the uncertainty of the scale; p-values are averages over the mixture.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345; Davidson (1970), Journal of the American
    Statistical Association 65, 317-328; Davidson and Beaver (1977), Biometrics 33, 693-702, on the
    order; Ford (1957), American Mathematical Monthly 64, 28-33; Liang and Zeger (1986), Biometrika
    73, 13-22; Chen et al. (2013), Pairwise ranking aggregation in a crowdsourced setting, WSDM;
    Louis (1982), Journal of the Royal Statistical Society B 44, 226-233; Rue, Martino and Chopin
    (2009), Journal of the Royal Statistical Society B 71, 319-392, on mixtures over a grid.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"left": ["x"] * 4, "right": ["y"] * 4, "winner": list("xxxy")})
    >>> ranking = bradley_terry(Comparisons.from_frame(table))
    >>> ranking.table["strength"].round(3).tolist()  # half of log 3 each
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
    core = within(comparisons, order.core)
    if (core.outcome == TIE).all():
        raise AnnotationError(
            f"bradley_terry: all {core.n_comparisons:,} comparisons of items whose strength is "
            "finite are ties: with an infinite tie parameter any strengths fit. Collect "
            "comparisons with a winner."
        )
    no_side = why_no_side(core)
    model = Model.of(core, side=not no_side)
    n_clusters = None if core.cluster is None else int(core.cluster.max()) + 1
    cautions = _cautions(comparisons, order, no_side)
    if n_clusters is not None:
        cautions += _few_clusters(n_clusters, model.n_parameters - 1)
    estimate = maximise(model)
    reliable = None
    if reliability:
        reliable = fit_reliability(core, estimate, side=model.side, level=level)
        posterior = reliable.posterior
        if not reliable.converged:
            cautions.append("The reliabilities of annotators did not converge.")
    else:
        posterior = _at_maximum(model, estimate, core)
    # Relative to the mean strength.
    k, contrasts = model.n_items, np.eye(model.n_parameters)
    contrasts[:k, :k] -= 1 / k
    posterior = posterior.of(contrasts)
    quantiles = posterior.quantiles(0.5, (1 - level) / 2, (1 + level) / 2)
    # Medians of skewed distributions add up to nearly 0.
    strength = quantiles[0, :k] - quantiles[0, :k].mean()
    covariance = posterior.total_covariance()
    table, place = _table(
        comparisons, order, posterior, np.vstack([strength, quantiles[1:, :k]]), level
    )
    first = expit(quantiles[:, k]) if model.side else np.full(3, math.nan)
    return BradleyTerry(
        table,
        math.exp(quantiles[0, -1]) if model.ties else 0.0,
        covariance[np.ix_(place, place)],
        _annotators(comparisons, order, strength, reliable),
        Interval(float(first[0]), float(first[1]), float(first[2]), level, "Wald"),
        level,
        n_clusters,
        tuple(cautions),
    )


def _at_maximum(model: Model, at: Floats, of: Comparisons) -> Posterior:
    """Return the distribution of the maximum of the likelihood."""
    n = of.n_comparisons
    p = probabilities(model, at)
    inverse = np.linalg.inv(centred(model, information(model, p, model.weight)))
    weighted = sparse.diags_array(model.weight) @ scores(model, p)
    covariance = sandwich(inverse, weighted, of.cluster, n)
    df = np.inf if of.cluster is None else float(of.cluster.max())
    return Posterior(np.ones(1), at[None], covariance[None], df)


def _few_clusters(n_clusters: int, n_parameters: int) -> list[str]:
    """Refuse or caution against few clusters."""
    if n_clusters <= n_parameters:
        raise AnnotationError(
            f"bradley_terry: {counted(n_clusters, 'cluster')} for {n_parameters:,} strengths and "
            "other parameters; limits need more clusters than parameters. Name a column with more "
            "values, or leave out clusters."
        )
    if n_clusters < FEW_CLUSTERS:
        return [
            f"Only {n_clusters:,} clusters: intervals and tests are reliable from about "
            f"{FEW_CLUSTERS:,} on."
        ]
    return []


def _table(
    of: Comparisons, order: Order, posterior: Posterior, values: Floats, level: float
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Lay out the items, the strongest first; also return the order of the finite strengths."""
    n_core, core = int(order.core.sum()), order.core
    columns = {name: np.full(of.n_items, math.nan) for name in ("standard_error", "best", "worst")}
    strength = np.full(of.n_items, math.nan)
    strength[order.above], strength[order.below] = math.inf, -math.inf
    lower, upper = strength.copy(), strength.copy()
    # Equal up to rounding shares a rank.
    strength[core] = values[0].round(9) + 0.0
    lower[core], upper[core] = values[1:]
    columns["standard_error"][core] = np.sqrt(posterior.total_covariance().diagonal()[:n_core])
    ranked = ~np.isnan(strength)
    columns["best"][ranked], columns["worst"][ranked] = 1, ranked.sum()
    # Nothing is known of how far infinite strengths are from the others.
    better, worse = _significant(posterior, values[0], 1 - level)
    columns["best"][core] = 1 + better
    columns["worst"][core] = ranked.sum() - worse
    table = of.tally()
    table = table.assign(
        strength=strength,
        standard_error=columns["standard_error"],
        lower=lower,
        upper=upper,
        beats_average=expit(strength),
        rank=pd.Series(strength).rank(ascending=False, method="min"),
        rank_best=columns["best"],
        rank_worst=columns["worst"],
        share=(table["wins"] + table["ties"] / 2) / table["n_comparisons"],
    ).sort_values(["strength", "share"], ascending=False, kind="stable", na_position="last")
    counts = ["n_comparisons", "wins", "ties", "losses"]
    names = ["item", *table.columns.drop(["item", "share", *counts]), *counts]
    place = (np.cumsum(core) - 1)[table.index[core[table.index]]]
    return table[names].reset_index(drop=True), place


def _significant(
    posterior: Posterior, strength: Floats, alpha: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count for each item those that are significantly better and worse."""
    k = strength.size
    i, j = np.triu_indices(k, 1)
    significant = holm(posterior.p_values(i, j)) < alpha
    ahead = strength[i] > strength[j]
    higher, lower = np.where(ahead, i, j)[significant], np.where(ahead, j, i)[significant]
    return np.bincount(lower, minlength=k), np.bincount(higher, minlength=k)


def _annotators(
    of: Comparisons, order: Order, strength: Floats, reliable: Reliable | None
) -> pd.DataFrame | None:
    """Describe the annotators, the least reliable first."""
    annotator = of.annotator
    if annotator is None:
        return None
    n = len(of.annotators)
    decided = of.outcome != TIE
    every = np.full(of.n_items, math.nan)
    every[order.core] = strength
    ahead = every[of.left] - every[of.right]
    told = decided & ~np.isnan(ahead) & (ahead != 0)
    right = (ahead > 0) == (of.outcome == LEFT)

    def share(what: NDArray[np.bool_], among: NDArray[np.bool_]) -> Floats:
        total = np.bincount(annotator, weights=of.weights * among, minlength=n)
        part = np.bincount(annotator, weights=of.weights * (among & what), minlength=n)
        return np.asarray(np.divide(part, total, out=np.full(n, math.nan), where=total > 0))

    r = np.full((n, 3), math.nan) if reliable is None else reliable.reliability
    table = pd.DataFrame(
        {
            "annotator": of.annotators,
            "n_comparisons": np.bincount(annotator, of.weights, n).round().astype(np.int64),
            "reliability": r[:, 0],
            "reliability_lower": r[:, 1],
            "reliability_upper": r[:, 2],
            "chose_left": share(of.outcome == LEFT, decided),
            "agrees": share(right, told),
        }
    )
    by = "agrees" if reliable is None else "reliability"
    return table.sort_values(by, kind="stable").reset_index(drop=True)


def _cautions(of: Comparisons, order: Order, no_side: str) -> list[str]:
    """Say which strengths are infinite or unknown, and why the effect of order is."""

    def listed(chosen: NDArray[np.bool_]) -> str:
        names = [repr(name) for name, yes in zip(of.items, chosen, strict=True) if yes]
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")

    texts = []
    apart = ~(order.core | order.above | order.below)
    if order.above.any():
        texts.append(
            f"{listed(order.above)}: never lost to the others, even indirectly, so the strength is "
            "infinite. The comparisons do not show how much stronger."
        )
    if order.below.any():
        texts.append(
            f"{listed(order.below)}: never won against the others, even indirectly, so the "
            "strength is minus infinity."
        )
    if apart.any():
        texts.append(
            f"{listed(apart)}: not connected with the others by comparisons, so strengths can't be "
            "compared. Compare some items of both groups."
        )
    if no_side:
        texts.append(f"Whether the position matters can't be estimated: {no_side}.")
    if of.n_left_out:
        texts.append(f"{counted(of.n_left_out, 'row')} without a winner left out.")
    texts += doubtful_spellings("items that are ranked", of.items)
    texts += doubtful_spellings("annotators", of.annotators)
    return texts
