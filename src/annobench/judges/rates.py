r"""Sensitivity and specificity of a judge, by a gold standard or by the humans' posterior.

For category k against the others the sensitivity is the probability that the judge gives k to an
item of category k, the specificity that it does not give k to an item of another category. Their
sum minus 1 is *Youden's index* J: 1 for a judge that is always right, 0 for one whose labels are
independent of the category, and negative for one that reverses them.

With a gold standard these are proportions with Wilson intervals, combined by Newcombe's
square-and-add method into an interval of J. Without one, a model of annotation gives each item
probabilities p(k) from the labels of the *humans* alone, and the judge gives the label l with
probability sum over k of p(k) C[k, l]. The confusion matrix C is estimated by maximum likelihood
(EM), and its intervals come from a Gibbs sampler of categories and C under Jeffreys' prior; with
the humans' labels their confusion matrices and the prevalence are sampled, too, else the p(k) count
as known. This is valid if the model is, that is, if judge and humans err independently given the
category. Weighting the judge's labels only by p(k) would bias all rates towards each other, because
an uncertain item counts for every category.

Accuracy is the share of correct labels, *mean Youden* the mean of J over categories, weighted by
their prevalence; with gold it has the normal interval of its linearisation.

With clusters all intervals are widened by their design effects (`annobench.judges.clusters`).

Youden (1950), Cancer 3, 32-35; Newcombe (1998), Statistics in Medicine 17, 873-890.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import softmax

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import plain
from annobench.judges.clusters import cluster_codes, design_effect, widen
from annobench.judges.panel import NO_LABEL, labels_of
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._fixed_point import TOLERANCE, Search, kept_positive, largest_change
from annobench.resampling.intervals import Interval, central_limits, normal_interval
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


class PanelDraws(NamedTuple):
    """Draws from the posterior distribution of confusion matrices and prevalence.

    Attributes
    ----------
    prevalence : ndarray, shape (S, K)
        Rows sum to 1.
    humans : ndarray, shape (S, J, K, K)
        Of the J humans; J is 0 if only the judge's was sampled.
    judge : ndarray, shape (S, K, K)
        Of the judge.
    """

    prevalence: Floats
    humans: Floats
    judge: Floats


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
    accuracy, mean_youden : Interval
        Share of the items that the judge labels correctly, and mean of Youden's index.
    design_effect : float
        That of the mean of Youden's index; 1 without clusters.
    draws : PanelDraws or None
        Draws of confusion matrices, without gold.
    """

    categories: tuple[str, ...]
    confusion: Floats
    sensitivity: Interval
    specificity: Interval
    youden: Interval
    accuracy: Interval
    mean_youden: Interval
    design_effect: float = 1.0
    draws: PanelDraws | None = None

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
            rated = getattr(self, name)
            columns |= {name: rated.estimate, f"{name}_lower": rated.lower}
            columns[f"{name}_upper"] = rated.upper
        return pd.DataFrame(columns)

    def _headline(self) -> str:
        low = int((~self.is_informative).sum())
        return (
            f"accuracy {self.accuracy.estimate:.3g} on {self.confusion.sum():.6g} items; for {low} "
            f"of {len(self.categories)} categories Youden's index may be 0"
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
        rated = self.youden
        axes.hlines(y, rated.lower, rated.upper, color="#7F7F7F")
        axes.plot(rated.estimate, y, "o", color="#222222")
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
    >>> rated = rates_by_gold([0, 0, 1, 1, 1], [0, 0, 0, 1, 1], ("no", "yes"))
    >>> rated.sensitivity.estimate.round(2), rated.youden.estimate.round(2)
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
    right, of_category, verdict = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    others = counts.sum() - of_category
    wrongly = verdict - right
    sensitivity = _wilson(right, of_category, level)
    specificity = _wilson(others - wrongly, others, level)
    gold_codes = truth[both].astype(np.int64)
    accuracy = proportion_interval(int(right.sum()), int(counts.sum()), level=level)
    youden = _youden(sensitivity, specificity)
    share = of_category / counts.sum()
    rated = JudgeRates(
        categories,
        counts.astype(float),
        sensitivity,
        specificity,
        youden,
        accuracy,
        normal_interval(float(np.nansum(share * youden.estimate)), np.nan, level),
    )
    of_items = _residuals(rated, np.eye(n_categories)[gold_codes], labels[both])
    error = float(np.sqrt(((of_items.youden @ share) ** 2).sum()))
    rated = replace(
        rated, mean_youden=normal_interval(float(rated.mean_youden.estimate), error, level)
    )
    group = cluster_codes(clusters, labels.size)
    categories_of = np.zeros((labels.size, n_categories))
    categories_of[both] = np.eye(n_categories)[gold_codes]
    return _widened(rated, labels, both, categories_of, group)


def rates_by_posterior(
    judge: ArrayLike,
    posterior: ArrayLike,
    categories: tuple[str, ...],
    *,
    sampled: PanelDraws | None = None,
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
    sampled : PanelDraws, optional
        Draws of the confusion matrices of the humans and the judge, as from `sample_panel`. By
        default the posterior counts as known.
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
    counts = _most_likely(labels[both], weights[both])
    confusion = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
    if sampled is None:
        sampled = _sample(weights, None, labels, draws, np.random.default_rng(rng))
    joint = np.zeros(weights.shape)
    joint[both] = weights[both] * confusion[:, labels[both]].T
    truth = ratio(joint, joint.sum(axis=1, keepdims=True))
    group = cluster_codes(clusters, labels.size)
    rated = _of_panel(labels, both, truth, categories, sampled.prevalence, sampled.judge, level)
    return replace(_widened(rated, labels, both, truth, group), draws=sampled)


def human_rates(
    humans: Annotations,
    posterior: Floats,
    sampled: PanelDraws,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> list[JudgeRates]:
    """Estimate the rates of each human from the posterior of all humans' labels."""
    humans = as_annotations(humans, "human_rates")
    group = cluster_codes(clusters, humans.n_items)
    rates = []
    for j in range(humans.n_annotators):
        labels = labels_of(humans, j)
        both = labels != NO_LABEL
        draws = sampled.humans[:, j]
        rated = _of_panel(
            labels, both, posterior, humans.categories, sampled.prevalence, draws, level
        )
        rates.append(_widened(rated, labels, both, posterior, group))
    return rates


def _of_panel(
    labels: NDArray[np.int64],
    both: NDArray[np.bool_],
    truth: Floats,
    categories: tuple[str, ...],
    prevalence: Floats,
    confusion: Floats,
    level: float,
) -> JudgeRates:
    """Compute rates from probabilities of categories, with intervals from draws."""
    counts = truth[both].T @ np.eye(len(categories))[labels[both]]
    estimate = _against_others(ratio(counts, counts.sum(axis=1, keepdims=True)), counts.sum(axis=1))
    drawn = np.stack([_against_others(c, p) for c, p in zip(confusion, prevalence, strict=True)])
    sensitivity, specificity = (_of_draws(estimate[part], drawn[:, part], level) for part in (0, 1))
    youden = _of_draws(estimate.sum(axis=0) - 1, drawn.sum(axis=1) - 1, level)
    right = np.einsum("sk,skk->s", prevalence, confusion)
    mean = np.nansum(prevalence * (drawn.sum(axis=1) - 1), axis=1)
    share = counts.sum(axis=1) / counts.sum()
    return JudgeRates(
        categories,
        counts,
        sensitivity,
        specificity,
        youden,
        _of_draws(np.trace(counts) / counts.sum(), right, level),
        _of_draws(np.nansum(share * youden.estimate), mean, level),
    )


def sample_panel(
    humans: Annotations,
    posterior: Floats,
    judge: NDArray[np.int64] | None = None,
    *,
    draws: int,
    rng: np.random.Generator | int | None,
) -> PanelDraws:
    """Sample confusion matrices and categories by Gibbs' method, from a posterior."""
    humans = as_annotations(humans, "sample_panel")
    labels = np.full(humans.n_items, NO_LABEL) if judge is None else judge
    return _sample(posterior, humans, labels, draws, np.random.default_rng(rng))


def _sample(
    posterior: Floats,
    humans: Annotations | None,
    labels: NDArray[np.int64],
    draws: int,
    generator: np.random.Generator,
) -> PanelDraws:
    """Sample from the most likely confusion matrix of the judge."""
    k = posterior.shape[1]
    used = np.flatnonzero(np.isfinite(posterior).all(axis=1))
    panel = None if humans is None else _one_hot(humans)[used]
    n_humans = 0 if humans is None else humans.n_annotators
    labels, weights = labels[used], posterior[used]
    judged = labels != NO_LABEL
    counts = _most_likely(labels[judged], weights[judged])
    confusion = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
    kept = PanelDraws(
        np.empty((draws, k)), np.empty((draws, n_humans, k, k)), np.empty((draws, k, k))
    )
    for draw in range(-WARMUP, draws):
        joint = weights.copy()
        joint[judged] *= confusion[:, labels[judged]].T
        edges = np.cumsum(joint, axis=1)
        point = generator.random((used.size, 1)) * edges[:, -1:]
        truth = np.minimum((edges <= point).sum(axis=1), k - 1)
        prevalence = dirichlet(np.bincount(truth, minlength=k), generator)
        cells = np.bincount(truth[judged] * k + labels[judged], minlength=k**2)
        confusion = dirichlet(cells.reshape(k, k), generator)
        people = np.empty((0, k, k))
        if panel is not None:
            counts = (panel.T @ np.eye(k)[truth]).reshape(n_humans, k, k)
            people = dirichlet(counts.swapaxes(1, 2), generator)
            chance = np.log(people).swapaxes(1, 2).reshape(-1, k)
            weights = softmax(np.log(prevalence) + panel @ chance, axis=1)
        if draw >= 0:
            kept.prevalence[draw] = prevalence
            kept.humans[draw], kept.judge[draw] = people, confusion
    return kept


def dirichlet(counts: NDArray[Any], rng: np.random.Generator) -> Floats:
    """Draw probabilities of the last axis, under Jeffreys' prior."""
    drawn = np.maximum(rng.standard_gamma(counts + JEFFREYS), np.finfo(np.float64).tiny)
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def _one_hot(humans: Annotations) -> sparse.csr_array:
    """Return the number of each annotator's labels by item, shape (I, J K)."""
    first = humans.first_labels()
    column = first.annotator.astype(np.int64) * first.n_categories + first.label
    shape = (first.n_items, first.n_annotators * first.n_categories)
    return sparse.csr_array((np.ones(column.size), (first.item, column)), shape=shape)


class _Residuals(NamedTuple):
    """Contributions of items to the errors of rates, shape (I, K), and of the accuracy, (I,)."""

    sensitivity: Floats
    specificity: Floats
    accuracy: Floats

    @property
    def youden(self) -> Floats:
        return np.nan_to_num(self.sensitivity + self.specificity)


def _residuals(rated: JudgeRates, truth: Floats, labels: NDArray[Any]) -> _Residuals:
    """Linearise the rates; `truth` is the probability of each category of an item."""
    verdict, others = np.eye(truth.shape[1])[labels], 1 - truth
    return _Residuals(
        ratio(truth * (verdict - rated.sensitivity.estimate), truth.sum(axis=0)),
        ratio(others * (1 - verdict - rated.specificity.estimate), others.sum(axis=0)),
        ((truth * verdict).sum(axis=1) - rated.accuracy.estimate) / labels.size,
    )


def _widened(
    rated: JudgeRates,
    labels: NDArray[np.int64],
    both: NDArray[np.bool_],
    truth: Floats,
    group: NDArray[np.int64] | None,
) -> JudgeRates:
    """Widen the intervals by their design effects, if items are clustered."""
    if group is None:
        return rated
    sensitivity, specificity, accuracy = of_items = _residuals(rated, truth[both], labels[both])
    share = truth[both].mean(axis=0)
    overall = np.column_stack([accuracy, of_items.youden @ share])
    of_accuracy, of_mean = design_effect(overall, group[both])

    def wider(interval: Interval, residuals: Floats, lowest: float) -> Interval:
        return widen(interval, design_effect(residuals, group[both]), lowest, 1.0)

    return replace(
        rated,
        sensitivity=wider(rated.sensitivity, sensitivity, 0.0),
        specificity=wider(rated.specificity, specificity, 0.0),
        youden=wider(rated.youden, sensitivity + specificity, -1.0),
        accuracy=widen(rated.accuracy, of_accuracy, 0.0, 1.0),
        mean_youden=widen(rated.mean_youden, of_mean, -1.0, 1.0),
        design_effect=float(of_mean),
    )


def _most_likely(labels: NDArray[np.int64], weights: Floats) -> Floats:
    """Find the judge's confusion matrix by EM; return expected counts of category and label."""
    verdict = np.eye(weights.shape[1])[labels]
    start = weights.T @ verdict
    search = Search(start.ravel(), TOLERANCE, MAX_ITERATIONS, kept_positive)
    posterior = weights
    while search.is_on:
        counts = search.point.reshape(start.shape)
        confusion = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
        joint = weights * confusion[:, labels].T
        total = joint.sum(axis=1, keepdims=True)
        before, posterior = posterior, ratio(joint, total)
        log_likelihood = float(np.log(total).sum())
        image = (posterior.T @ verdict).ravel()
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
    rated = [proportion_interval(a, b, level=level) for a, b in zip(k, n, strict=True)]
    estimate, lower, upper = np.array([(i.estimate, i.lower, i.upper) for i in rated]).T
    return Interval(estimate, lower, upper, level, "wilson")


def _youden(sensitivity: Interval, specificity: Interval) -> Interval:
    """Combine two independent intervals by Newcombe's method of square and add."""
    a, b = sensitivity, specificity
    estimate = a.estimate + b.estimate - 1
    below = np.hypot(a.estimate - a.lower, b.estimate - b.lower)
    above = np.hypot(a.upper - a.estimate, b.upper - b.estimate)
    return Interval(estimate, estimate - below, estimate + above, a.level, "newcombe")
