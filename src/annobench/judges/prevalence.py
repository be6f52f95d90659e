r"""Estimates of the prevalence of a category from a fallible judge.

Items with a gold category and a label of the judge calibrate the judge; for the others only the
judge's label is known. With the share p judged positive of N others, sensitivity q1 (of m1 gold
positives) and specificity q0 (of m0 gold negatives), m = m0 + m1:

- ``judged``: the share that the judge labels positive; biased, however many items.
- ``gold``: the share of positives among the gold items, without the judge.
- ``rogan_gladen``: ``(p + q0 - 1) / (q0 + q1 - 1)``, truncated to [0, 1], with the interval of Lee
  et al. (2025), which adds pseudo-counts and shifts the centre. The gold items may be chosen by
  category.
- ``ppi`` and ``ppi_plus``: see `annobench.evaluation.prediction_powered`.
- ``joint``: maximum likelihood of prevalence, sensitivity and specificity from all items at once,
  the latent class model with one judge and gold. The likelihood factors into that of the judge's
  labels and that of gold given these, so the estimate has a closed form: with u1 and u0 the shares
  of gold positives among items judged positive and negative, and p the share judged positive of
  *all* items, ``(1 - p) u0 + p u1``. The interval combines Wilson's intervals of u1 and u0 and the
  error of p by square and add, as for a rate in strata. Its coverage is .92 to .99 from a
  prevalence of .01 with 30 gold items, where intervals by the delta method have .73 to .97.

All but ``rogan_gladen`` need gold items drawn at random from the same items. As q0 + q1 - 1
approaches 0, ``rogan_gladen`` becomes unstable; the other methods then rely on the gold items
alone.

With clusters, every interval is widened by the design effect of its estimate
(`annobench.judges.clusters`); the residual of an item is the change of the estimate from one more
item of its kind, minus the mean of these changes.

Rogan and Gladen (1978), American Journal of Epidemiology 107, 71-76; Lee, Zeng, Jeong, Sohn and Lee
(2025), How to correctly report LLM-as-a-judge evaluations, arXiv 2511.21140; Tenenbein (1970),
Journal of the American Statistical Association 65, 1350-1361, for ``joint``; Zou and Donner (2008),
Statistics in Medicine 27, 1693-1702, and Yan and Su (2010), Statistics in Biopharmaceutical
Research 2, 329-335, for its interval.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.core.results import SummarisedScalars
from annobench.core.tolerances import ZERO
from annobench.evaluation.prediction_powered import FEWEST_OF_RARER_KIND, prediction_powered_mean
from annobench.judges.clusters import cluster_codes, design_effect, widen
from annobench.judges.panel import NO_LABEL
from annobench.judges.rates import rates_by_gold
from annobench.resampling.intervals import Interval, normal_interval
from annobench.resampling.proportions import proportion_interval, wilson_limits
from annobench.resampling.ratios import ratio

__all__ = [
    "METHODS",
    "JudgedCounts",
    "PrevalenceEstimate",
    "caution_of",
    "estimate_prevalence",
    "gold",
    "joint",
    "judged",
    "ppi",
    "ppi_plus",
    "rogan_gladen",
]

#: The counts that a judge's labels of one category against the others make.
N_CELLS: Final = 6


@dataclass(frozen=True)
class JudgedCounts(SummarisedScalars):
    """Counts of items by gold category and judge's label, for one category against the others.

    Attributes
    ----------
    true_positive, false_negative, false_positive, true_negative : int
        Items with a gold category: positives that the judge labels positive and negative, and
        negatives likewise.
    judged_positive, judged_negative : int
        Items without a gold category, by the judge's label.
    """

    true_positive: int
    false_negative: int
    false_positive: int
    true_negative: int
    judged_positive: int
    judged_negative: int

    def __post_init__(self) -> None:
        """Reject negative counts."""
        if min(self._scalars().values()) < 0:
            raise AnnotationError(f"JudgedCounts: a count is negative in {self!r}. Correct it.")

    @classmethod
    def of(cls, judge: ArrayLike, gold: ArrayLike, category: int) -> JudgedCounts:
        """Count the labels of a judge.

        Parameters
        ----------
        judge, gold : array_like of int, shape (I,)
            Codes of categories; -1 for none.
        category : int
            Code of the positive category.

        Returns
        -------
        JudgedCounts
            Counts of the items that the judge labelled.
        """
        cells = _cells(judge, gold, category)
        return cls(*np.bincount(cells[cells >= 0], minlength=N_CELLS).tolist())

    @property
    def positives(self) -> int:
        """Gold items of the category."""
        return self.true_positive + self.false_negative

    @property
    def negatives(self) -> int:
        """Gold items of another category."""
        return self.false_positive + self.true_negative

    @property
    def gold(self) -> int:
        """Items with a gold category."""
        return self.positives + self.negatives

    @property
    def others(self) -> int:
        """Items without a gold category."""
        return self.judged_positive + self.judged_negative


@dataclass(frozen=True)
class PrevalenceEstimate(SummarisedScalars):
    """An estimate of a prevalence.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    estimate : float
        In [0, 1]; NaN where it is undefined.
    lower, upper : float
        The interval, in [0, 1].
    standard_error : float
        Standard error of the estimate before truncation to [0, 1]; NaN if the method has none.
    level : float
        Of the interval.
    """

    method: str
    estimate: float
    lower: float
    upper: float
    standard_error: float
    level: float


def judged(counts: JudgedCounts, level: float = 0.95) -> PrevalenceEstimate:
    """Return the share of all items that the judge labels positive.

    Parameters
    ----------
    counts : JudgedCounts
        At least one item.
    level : float, default 0.95
        Of Wilson's interval.

    Returns
    -------
    PrevalenceEstimate
        Estimate of the judge's share of positives, not of the prevalence.
    """
    k = counts.true_positive + counts.false_positive + counts.judged_positive
    return _share("judged", k, counts.gold + counts.others, level)


def gold(counts: JudgedCounts, level: float = 0.95) -> PrevalenceEstimate:
    """Return the share of positives among the gold items.

    Parameters
    ----------
    counts : JudgedCounts
        At least one gold item.
    level : float, default 0.95
        Of Wilson's interval.

    Returns
    -------
    PrevalenceEstimate
        Estimate without the judge.
    """
    return _share("gold", counts.positives, counts.gold, level)


def rogan_gladen(counts: JudgedCounts, level: float = 0.95) -> PrevalenceEstimate:
    """Correct the share judged positive by sensitivity and specificity.

    Parameters
    ----------
    counts : JudgedCounts
        At least one gold item of each kind, and one without.
    level : float, default 0.95
        Of the interval.

    Returns
    -------
    PrevalenceEstimate
        NaN where sensitivity and specificity sum to 1.

    References
    ----------
    Rogan and Gladen (1978), eq. 1; Lee et al. (2025), for the interval.

    Examples
    --------
    >>> found = rogan_gladen(JudgedCounts(180, 20, 60, 140, 400, 600))
    >>> round(found.estimate, 4), round(found.lower, 5), round(found.upper, 5)
    (0.1667, 0.05635, 0.26273)
    """
    n, m0, m1 = counts.others, counts.negatives, counts.positives
    if not (n and m0 and m1):
        return _nothing("rogan_gladen", level)
    z = _quantile(level)
    p, q0, q1 = counts.judged_positive / n, counts.true_negative / m0, counts.true_positive / m1
    estimate = float(np.clip(ratio(p + q0 - 1, abs(q0 + q1 - 1)) * np.sign(q0 + q1 - 1), 0, 1))
    # With z^2 labels added to the others, and two to the gold items of each kind.
    p = (n * p + z**2 / 2) / (n + z**2)
    q0, q1 = (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)
    n_, m0_, m1_ = n + z**2, m0 + 2, m1 + 2
    youden = q0 + q1 - 1
    if abs(youden) < ZERO:
        return PrevalenceEstimate("rogan_gladen", estimate, 0.0, 1.0, math.nan, level)
    theta = float(np.clip((p + q0 - 1) / youden, 0, 1))
    v0, v1 = q0 * (1 - q0) / m0_, q1 * (1 - q1) / m1_
    centre = theta + 2 * z**2 * (theta * v1 - (1 - theta) * v0)
    variance = p * (1 - p) / n_ + (1 - theta) ** 2 * v0 + theta**2 * v1
    error = math.sqrt(variance) / abs(youden)
    lower, upper = _within(centre - z * error, centre + z * error)
    return PrevalenceEstimate("rogan_gladen", estimate, lower, upper, error, level)


def ppi(counts: JudgedCounts, level: float = 0.95) -> PrevalenceEstimate:
    """Estimate by prediction-powered inference.

    Parameters
    ----------
    counts : JudgedCounts
        At least two gold items, drawn at random.
    level : float, default 0.95
        Level of the normal interval, truncated to [0, 1].

    Returns
    -------
    PrevalenceEstimate
        Estimate with weight 1.
    """
    return _powered("ppi", counts, 1.0, level)


def ppi_plus(counts: JudgedCounts, level: float = 0.95) -> PrevalenceEstimate:
    """Estimate by prediction-powered inference with the optimal weight (PPI++).

    Parameters
    ----------
    counts : JudgedCounts
        At least two gold items, drawn at random.
    level : float, default 0.95
        Level of the normal interval, truncated to [0, 1].

    Returns
    -------
    PrevalenceEstimate
        Estimate with the weight of minimum variance.
    """
    return _powered("ppi_plus", counts, None, level)


def joint(counts: JudgedCounts, level: float = 0.95) -> PrevalenceEstimate:
    """Estimate prevalence, sensitivity and specificity jointly by maximum likelihood.

    Parameters
    ----------
    counts : JudgedCounts
        At least one gold item, drawn at random.
    level : float, default 0.95
        Of the interval.

    Returns
    -------
    PrevalenceEstimate
        The share of gold positives given the judge's label, weighted by the label's frequency.

    Examples
    --------
    >>> found = joint(JudgedCounts(1, 3, 3, 21, 40, 208))
    >>> round(found.estimate, 4)  # 3/24 + 44/276 (1/4 - 3/24)
    0.1449
    """
    if not counts.gold:
        return _nothing("joint", level)
    total = counts.gold + counts.others
    n_positive = counts.true_positive + counts.false_positive
    p = (n_positive + counts.judged_positive) / total
    label = [
        (counts.true_positive, n_positive, p),
        (counts.false_negative, counts.gold - n_positive, 1 - p),
    ]
    z = _quantile(level)
    estimate, variance, below, above, shares = 0.0, 0.0, 0.0, 0.0, []
    for positives, n, weight in label:
        # The share of positives among items of a label without gold is not known.
        u, lower, upper = positives / n if n else 0.5, 0.0, 1.0
        if n:
            lower, upper = (float(limit) for limit in wilson_limits(u, n, None, z))
        estimate += weight * u
        variance += weight**2 * u * (1 - u) / max(n, 1)
        below += (weight * (u - lower)) ** 2
        above += (weight * (upper - u)) ** 2
        shares.append(u)
    of_judge = (shares[0] - shares[1]) ** 2 * p * (1 - p) / total
    lower = estimate - math.sqrt(below + z**2 * of_judge)
    upper = estimate + math.sqrt(above + z**2 * of_judge)
    error = math.sqrt(variance + of_judge)
    lower, upper = _within(lower, upper)
    return PrevalenceEstimate("joint", estimate, lower, upper, error, level)


#: The estimates, in the order of a table.
METHODS: Final[dict[str, Callable[[JudgedCounts, float], PrevalenceEstimate]]] = {
    function.__name__: function for function in (judged, gold, rogan_gladen, ppi, ppi_plus, joint)
}


def estimate_prevalence(counts: JudgedCounts, *, level: float = 0.95) -> pd.DataFrame:
    """Estimate a prevalence by every method.

    Parameters
    ----------
    counts : JudgedCounts
        Of one category against the others.
    level : float, default 0.95
        Level of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        One row per method: method, estimate, lower, upper, standard_error, level.

    Warns
    -----
    DegenerateWarning
        If sensitivity + specificity may equal 1, so that the judge may be uninformative and Rogan
        and Gladen's correction divides by a number that may be 0.
    IntervalWarning
        If there are fewer than ten gold items of the category or of the others, in which case
        intervals of PPI and PPI++ are too narrow.

    Examples
    --------
    >>> table = estimate_prevalence(JudgedCounts(45, 5, 10, 40, 300, 700))
    >>> table.set_index("method")["estimate"].round(3).to_dict()["rogan_gladen"]
    0.143
    """
    check_level(level, "estimate_prevalence")
    if caution := caution_of(counts, level=level):
        warnings.warn(caution, DegenerateWarning, stacklevel=2)
    if caution := rarity_caution(counts):
        warnings.warn(caution, IntervalWarning, stacklevel=2)
    return pd.DataFrame([method(counts, level)._scalars() for method in METHODS.values()])


def clustered_estimates(
    judge: ArrayLike,
    gold: ArrayLike,
    category: int,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> list[PrevalenceEstimate]:
    """Estimate a prevalence by every method, with clustered items."""
    check_level(level, "clustered_estimates")
    counts = JudgedCounts.of(judge, gold, category)
    found = [method(counts, level) for method in METHODS.values()]
    cells = _cells(judge, gold, category)
    group = cluster_codes(clusters, cells.size)
    if group is None:
        return found
    seen = cells >= 0
    influence = np.array([_influence(counts, name, level) for name in METHODS])
    effects = design_effect(influence.T[cells[seen]], group[seen])
    return [_widened(each, effect) for each, effect in zip(found, effects, strict=True)]


def _cells(judge: ArrayLike, gold: ArrayLike, category: int) -> NDArray[np.int64]:
    """Return the cell of each item; -1 without a label of the judge."""
    labels, truth = np.asarray(judge), np.asarray(gold)
    kind = np.where(truth < 0, 4, np.where(truth == category, 0, 2))
    return np.where(labels == NO_LABEL, -1, kind + (labels != category))


def _influence(counts: JudgedCounts, method: str, level: float) -> list[float]:
    """Return the centred influence of an item in each cell on an estimate."""
    cells = np.array(astuple(counts))
    estimate = METHODS[method](counts, level).estimate
    with_one_more = [
        METHODS[method](JudgedCounts(*(cells + one).tolist()), level).estimate - estimate
        for one in np.eye(N_CELLS, dtype=np.int64)
    ]
    change = np.nan_to_num(with_one_more)
    return list(change - change @ cells / max(1, cells.sum()))


def _widened(found: PrevalenceEstimate, effect: float) -> PrevalenceEstimate:
    wide = widen(
        Interval(found.estimate, found.lower, found.upper, found.level, found.method),
        effect,
        0.0,
        1.0,
    )
    return replace(
        found,
        lower=float(wide.lower),
        upper=float(wide.upper),
        standard_error=found.standard_error * math.sqrt(effect),
    )


def caution_of(counts: JudgedCounts, *, level: float = 0.95) -> str:
    """Return a caution if the judge may be uninformative about the category.

    Parameters
    ----------
    counts : JudgedCounts
        Of one category against the others.
    level : float, default 0.95
        Of the interval of Youden's index.

    Returns
    -------
    str
        A sentence; empty if the whole interval of sensitivity + specificity - 1 is above 0.
    """
    if not (counts.positives and counts.negatives):
        return (
            "The gold items are all positive or all negative, so sensitivity or specificity is "
            "unknown. Check some items of the other kind."
        )
    labels = np.repeat([1, 0, 1, 0], _gold_cells(counts))
    truth = np.repeat([1, 1, 0, 0], _gold_cells(counts))
    found = rates_by_gold(labels, truth, ("other", "category"), level=level).youden
    lower, upper = found.lower[1], found.upper[1]
    if lower > 0:
        return ""
    return (
        f"Sensitivity + specificity - 1 of the judge is {found.estimate[1]:.2f} "
        f"({level:.0%} interval {lower:.2f} to {upper:.2f}): its labels may be independent of the "
        "category, and correction by these rates divides by a number that may be 0. Report the "
        "gold items alone, or check more."
    )


def rarity_caution(counts: JudgedCounts) -> str:
    """Return a caution if there are too few gold items of one kind for PPI and PPI++."""
    rarer = min(counts.positives, counts.negatives)
    if not counts.gold or rarer >= FEWEST_OF_RARER_KIND:
        return ""
    kind = "this category" if counts.positives <= counts.negatives else "other categories"
    return (
        f"Fewer than {FEWEST_OF_RARER_KIND} gold items ({rarer} of {counts.gold:,}) are of {kind}: "
        "the intervals of PPI and PPI++ are too narrow. Use the joint model, or the gold items "
        "alone, with Wilson's interval."
    )


def _gold_cells(counts: JudgedCounts) -> list[int]:
    c = counts
    return [c.true_positive, c.false_negative, c.false_positive, c.true_negative]


def _within(*values: float) -> list[float]:
    """Truncate to [0, 1]."""
    return [min(max(float(value), 0.0), 1.0) for value in values]


def _quantile(level: float) -> float:
    return float(-ndtri((1 - level) / 2))


def _share(method: str, k: int, n: int, level: float) -> PrevalenceEstimate:
    found = proportion_interval(k, n, level=level)
    error = math.sqrt(found.estimate * (1 - found.estimate) / n) if n else math.nan
    return PrevalenceEstimate(method, found.estimate, found.lower, found.upper, error, level)


def _nothing(method: str, level: float) -> PrevalenceEstimate:
    nan = math.nan
    return PrevalenceEstimate(method, nan, nan, nan, nan, level)


def _powered(
    method: str, counts: JudgedCounts, weight: float | None, level: float
) -> PrevalenceEstimate:
    if counts.gold < 2:
        return _nothing(method, level)
    cells = _gold_cells(counts)
    truth, said = np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
    rest = np.repeat([1, 0], [counts.judged_positive, counts.judged_negative])
    found = prediction_powered_mean(truth, said, rest, weight=weight)
    interval = normal_interval(found.estimate, found.standard_error, level)
    estimate, lower, upper = _within(interval.estimate, interval.lower, interval.upper)
    return PrevalenceEstimate(method, estimate, lower, upper, found.standard_error, level)
