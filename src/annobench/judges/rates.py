r"""Sensitivity and specificity of a judge, by a gold standard or by the humans' posterior.

For category k against the others the sensitivity is the probability that the judge gives k to an
item of category k, the specificity that it does not give k to an item of another category. Their
sum minus 1 is *Youden's index* J: 1 for a judge that is always right, 0 for one whose labels are
independent of the category, and negative for one that reverses them.

With a gold standard these are proportions with Wilson intervals, combined by Newcombe's
square-and-add method into an interval of J. Without one, a model of annotation gives each item
probabilities p(k) from the labels of the *humans* alone, and the judge gives the label l with
probability sum over k of p(k) C[k, l]. The confusion matrix C is estimated by maximum likelihood
(EM), and its intervals come from a Gibbs sampler of categories and C under Jeffreys' prior. This is
valid if the model is, that is, if judge and humans err independently given the category; the
parameters of the model are treated as known. Weighting the judge's labels only by p(k) would bias
all rates towards each other, because an uncertain item counts for every category.

With clusters all intervals are widened by their design effects (`annobench.judges.clusters`).

Youden (1950), Cancer 3, 32-35; Newcombe (1998), Statistics in Medicine 17, 873-890.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import plain
from annobench.judges.clusters import cluster_codes, design_effect, widen
from annobench.judges.panel import NO_LABEL
from annobench.models._fixed_point import TOLERANCE, Search, kept_positive, largest_change
from annobench.resampling.intervals import Interval, central_limits
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.ratios import ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["WARMUP", "JudgeRates", "rates_by_gold", "rates_by_posterior"]

Floats = NDArray[np.float64]

#: Draws that are thrown away, and what is added to every count for Jeffreys' prior.
WARMUP: Final = 100
JEFFREYS: Final = 0.5
MAX_ITERATIONS: Final = 2_000


@dataclass(frozen=True, eq=False)
class JudgeRates(Summarised):
    """Sensitivity and specificity of a judge by category.

    Attributes
    ----------
    categories : tuple of str
        Names.
    confusion : ndarray, shape (K, K)
        ``[k, l]``: items of category k that the judge labels l; expected counts without gold.
    sensitivity, specificity, youden : Interval
        Each with arrays of shape (K,): of category k against the others.
    """

    categories: tuple[str, ...]
    confusion: Floats
    sensitivity: Interval
    specificity: Interval
    youden: Interval

    @property
    def accuracy(self) -> float:
        """Share of the items that the judge labels correctly."""
        return float(ratio(np.trace(self.confusion), self.confusion.sum()))

    @property
    def is_informative(self) -> NDArray[np.bool_]:
        """Whether the whole interval of Youden's index is above 0, by category, shape (K,)."""
        return np.asarray(self.youden.lower > 0)

    def summary(self) -> pd.DataFrame:
        """Return the rates by category.

        Returns
        -------
        DataFrame
            One row per category: category, n_items, sensitivity, specificity and youden, each with
            its interval (`_lower`, `_upper`).
        """
        columns: dict[str, object] = {
            "category": list(self.categories),
            "n_items": self.confusion.sum(axis=1),
        }
        for name in ("sensitivity", "specificity", "youden"):
            found = getattr(self, name)
            columns |= {name: found.estimate, f"{name}_lower": found.lower}
            columns[f"{name}_upper"] = found.upper
        return pd.DataFrame(columns)

    def _headline(self) -> str:
        low = int((~self.is_informative).sum())
        return (
            f"accuracy {self.accuracy:.3g} on {self.confusion.sum():.6g} items; for {low} of "
            f"{len(self.categories)} categories Youden's index may be 0"
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot Youden's index of each category with its interval.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        axes = axes_or_new(axes)
        y = np.arange(len(self.categories))
        found = self.youden
        axes.hlines(y, found.lower, found.upper, color="#7F7F7F")
        axes.plot(found.estimate, y, "o", color="#222222")
        axes.axvline(0, linestyle="--", color="#D55E00")
        axes.set_yticks(y, [plain(name) for name in self.categories])
        axes.invert_yaxis()
        axes.set(xlabel="sensitivity + specificity − 1")
        return axes


def rates_by_gold(
    judge: ArrayLike,
    gold: ArrayLike,
    categories: tuple[str, ...],
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> JudgeRates:
    """Count the labels of a judge by gold category.

    Parameters
    ----------
    judge, gold : array_like of int, shape (I,)
        Codes of categories; -1 for none.
    categories : tuple of str
        Names, K of them.
    clusters : array_like, shape (I,), optional
        Cluster of each item, such as its text; by default items are independent.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    JudgeRates
        NaN where a category has no items.

    Raises
    ------
    AnnotationError
        If lengths differ, or no item has both.

    Examples
    --------
    >>> found = rates_by_gold([0, 0, 1, 1, 1], [0, 0, 0, 1, 1], ("no", "yes"))
    >>> found.sensitivity.estimate.round(2), found.youden.estimate.round(2)
    (array([0.67, 1.  ]), array([0.67, 0.67]))
    """
    labels, truth = np.asarray(judge), np.asarray(gold)
    if labels.shape != truth.shape:
        raise AnnotationError(
            f"rates_by_gold: {labels.size} labels of the judge for {truth.size} gold categories. "
            "Give one of each per item, -1 for none."
        )
    both = (labels != NO_LABEL) & (truth >= 0)
    if not both.any():
        raise AnnotationError(
            "rates_by_gold: no item has a gold category and a label of the judge. Give gold "
            "categories of items that it labelled."
        )
    n_categories = len(categories)
    flat = truth[both].astype(np.int64) * n_categories + labels[both]
    counts = np.bincount(flat, minlength=n_categories**2).reshape(n_categories, -1)
    right, of_category, said = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    others = counts.sum() - of_category
    wrongly = said - right
    sensitivity = _wilson(right, of_category, level)
    specificity = _wilson(others - wrongly, others, level)
    found = JudgeRates(
        categories,
        counts.astype(float),
        sensitivity,
        specificity,
        _youden(sensitivity, specificity),
    )
    group = cluster_codes(clusters, labels.size)
    if group is None:
        return found
    return _clustered(found, np.eye(n_categories)[truth[both]], labels[both], group[both])


def rates_by_posterior(
    judge: ArrayLike,
    posterior: ArrayLike,
    categories: tuple[str, ...],
    *,
    clusters: ArrayLike | None = None,
    draws: int = 1_000,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> JudgeRates:
    """Estimate the rates of a judge from the probabilities of the items' categories.

    Parameters
    ----------
    judge : array_like of int, shape (I,)
        Codes of categories; -1 for none.
    posterior : array_like, shape (I, K)
        Posterior of each item from the humans' labels alone. Rows of NaN are left out.
    categories : tuple of str
        Names.
    clusters : array_like, shape (I,), optional
        Cluster of each item, such as its text; by default items are independent.
    draws : int, default 1000
        Number of draws for the intervals.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    JudgeRates
        Expected counts, and rates with equal-tailed intervals.

    Raises
    ------
    AnnotationError
        If shapes do not match, or no item has both.
    """
    labels, weights = np.asarray(judge), np.asarray(posterior, dtype=np.float64)
    if weights.shape != (labels.size, len(categories)):
        raise AnnotationError(
            f"rates_by_posterior: a posterior of shape {weights.shape} for {labels.size} labels in "
            f"{len(categories)} categories. Give each item a row."
        )
    both = (labels != NO_LABEL) & np.isfinite(weights).all(axis=1)
    if not both.any():
        raise AnnotationError(
            "rates_by_posterior: no item has a label of the judge and a posterior. Have the judge "
            "label items of the humans."
        )
    generator = np.random.default_rng(rng)
    group = cluster_codes(clusters, labels.size)
    labels, weights = labels[both], weights[both]
    n_categories = len(categories)
    counts = _most_likely(labels, weights)
    confusion = ratio(counts, counts.sum(axis=1, keepdims=True))
    found = np.empty((draws, 2, n_categories))
    for draw in range(WARMUP + draws):
        joint = weights * np.nan_to_num(confusion)[:, labels].T
        edges = np.cumsum(joint, axis=1)
        point = generator.random((labels.size, 1)) * edges[:, -1:]
        truth = np.minimum((edges <= point).sum(axis=1), n_categories - 1)
        drawn = np.bincount(truth * n_categories + labels, minlength=n_categories**2)
        drawn = drawn.reshape(n_categories, -1)
        confusion = generator.standard_gamma(drawn + JEFFREYS)
        confusion /= confusion.sum(axis=1, keepdims=True)
        if draw >= WARMUP:
            found[draw - WARMUP] = _against_others(confusion, drawn.sum(axis=1))
    estimate = _against_others(ratio(counts, counts.sum(axis=1, keepdims=True)), counts.sum(axis=1))
    sensitivity, specificity = (_of_draws(estimate[part], found[:, part], level) for part in (0, 1))
    youden = _of_draws(estimate.sum(axis=0) - 1, found.sum(axis=1) - 1, level)
    rates = JudgeRates(categories, counts, sensitivity, specificity, youden)
    if group is None:
        return rates
    most_likely = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
    joint = weights * most_likely[:, labels].T
    return _clustered(rates, ratio(joint, joint.sum(axis=1, keepdims=True)), labels, group[both])


def _clustered(
    found: JudgeRates, truth: Floats, labels: NDArray[Any], clusters: NDArray[np.int64]
) -> JudgeRates:
    """Widen the intervals by their design effects; `truth` is the probability of each category."""
    said = np.eye(truth.shape[1])[labels]
    sensitivity = ratio(truth * (said - found.sensitivity.estimate), truth.sum(axis=0))
    others = 1 - truth
    specificity = ratio(others * (1 - said - found.specificity.estimate), others.sum(axis=0))
    return JudgeRates(
        found.categories,
        found.confusion,
        widen(found.sensitivity, design_effect(sensitivity, clusters), 0.0, 1.0),
        widen(found.specificity, design_effect(specificity, clusters), 0.0, 1.0),
        widen(found.youden, design_effect(sensitivity + specificity, clusters), -1.0, 1.0),
    )


def _most_likely(labels: NDArray[np.int64], weights: Floats) -> Floats:
    """Find the judge's confusion matrix by EM; return expected counts of category and label."""
    said = np.eye(weights.shape[1])[labels]
    start = weights.T @ said
    search = Search(start.ravel(), TOLERANCE, MAX_ITERATIONS, kept_positive)
    posterior = weights
    while search.is_on:
        counts = search.point.reshape(start.shape)
        confusion = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
        joint = weights * confusion[:, labels].T
        total = joint.sum(axis=1, keepdims=True)
        before, posterior = posterior, ratio(joint, total)
        log_likelihood = float(np.log(total).sum())
        image = (posterior.T @ said).ravel()
        search.receive(image, largest_change(before, posterior), log_likelihood)
    return search.point.reshape(start.shape)


def _against_others(confusion: Floats, n_items: NDArray[Any]) -> Floats:
    """Return sensitivity and specificity of each category, shape (2, K)."""
    wrongly = np.nan_to_num(confusion) * (1 - np.eye(len(confusion))) * n_items[:, None]
    others = n_items.sum() - n_items
    return np.stack([np.diagonal(confusion), 1 - ratio(wrongly.sum(axis=0), others)])


def _of_draws(estimate: Floats, draws: Floats, level: float) -> Interval:
    lower, upper = central_limits(draws, level)
    inside = np.minimum(lower, estimate), np.maximum(upper, estimate)
    return Interval(estimate, *inside, level, "bayesian")


def _wilson(k: NDArray[np.int64], n: NDArray[np.int64], level: float) -> Interval:
    found = [proportion_interval(a, b, level=level) for a, b in zip(k, n, strict=True)]
    estimate, lower, upper = np.array([(i.estimate, i.lower, i.upper) for i in found]).T
    return Interval(estimate, lower, upper, level, "wilson")


def _youden(sensitivity: Interval, specificity: Interval) -> Interval:
    """Combine two independent intervals by Newcombe's method of square and add."""
    a, b = sensitivity, specificity
    estimate = a.estimate + b.estimate - 1
    below = np.hypot(a.estimate - a.lower, b.estimate - b.lower)
    above = np.hypot(a.upper - a.estimate, b.upper - b.estimate)
    return Interval(estimate, estimate - below, estimate + above, a.level, "newcombe")
