r"""The worth of a judge's label in human labels.

A judge's label of an item carries I bits of information on its category, a human's label H bits on
average over the pool, and n labels of humans drawn from the pool H(n) bits, a concave function
(`annobench.evaluation.information`). The judge is worth the n at which H(n) = I, by linear
interpolation: 0 if its labels are uninformative, and more than 1 if they are more informative than
a human's. The values assume that all err independently given the category; information shared by
two judges, or by a judge and the humans, would be counted twice.

The interval is that of draws of all confusion matrices. In each the ratio I / H is computed anew;
H(n) / H, which hardly depends on them, is the same in all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.evaluation.information import information_curve, mutual_information
from annobench.judges.rates import PanelDraws
from annobench.resampling.ratios import ratio

__all__ = ["DRAWS", "Worth", "worth"]

#: Labels of humans up to which the curve is followed.
MAX_LABELS: Final = 10
#: Items that are simulated for the curve.
DRAWS: Final = 3_000


@dataclass(frozen=True)
class Worth(SummarisedScalars):
    """The worth of a judge's label.

    Attributes
    ----------
    bits : float
        Information of one label of the judge.
    human_bits : float
        Information of one label of a human drawn from the pool.
    entropy : float
        Entropy of an item's category before any label, in bits.
    human_labels : float
        Number of human labels as informative as one of the judge's; infinite if ten are less
        informative.
    lower, upper : float
        Interval of human_labels; NaN without draws.
    """

    bits: float
    human_bits: float
    entropy: float
    human_labels: float
    lower: float = math.nan
    upper: float = math.nan


def worth(
    prevalence: ArrayLike,
    humans: ArrayLike,
    judge: ArrayLike,
    *,
    share: ArrayLike | None = None,
    draws: PanelDraws | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> Worth:
    """Compute the worth of a judge's label in human labels.

    Parameters
    ----------
    prevalence : array_like, shape (K,)
        Distribution of the category.
    humans : array_like, shape (J, K, K)
        Confusion matrices of the humans; matrices with NaN are left out.
    judge : array_like, shape (K, K)
        Confusion matrix of the judge, with a row for each category.
    share : array_like, shape (J,), optional
        Share of the labels that each human gives; by default equal shares.
    draws : PanelDraws, optional
        Draws of the prevalence and of all confusion matrices, for the interval.
    level : float, default 0.95
        Of the interval.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed, for the labels of several humans.

    Returns
    -------
    Worth
        The worth in bits and in labels.

    Raises
    ------
    AnnotationError
        If no human has a matrix.

    Examples
    --------
    >>> human = [[0.8, 0.2], [0.2, 0.8]]
    >>> worth([0.5, 0.5], [human, human], human, rng=1).human_labels
    1.0
    """
    pool = np.asarray(humans, dtype=np.float64)
    weight = np.ones(len(pool)) if share is None else np.asarray(share, dtype=np.float64)
    known = np.isfinite(pool).all(axis=(1, 2)) & (weight > 0)
    if not known.any():
        raise AnnotationError("worth: no human has a confusion matrix. Give one at least.")
    pool, weight = pool[known], weight[known] / weight[known].sum()
    of_judge = np.asarray(judge, dtype=np.float64)
    bits = float(mutual_information(prevalence, of_judge[None])[0])
    of_human = float(mutual_information(prevalence, pool) @ weight)
    curve = _curve(prevalence, pool, weight, np.random.default_rng(rng))
    # The first label is known exactly, the others are simulated.
    curve[1] = of_human
    curve = np.maximum.accumulate(curve)

    def labels(ratio_of_bits: NDArray[np.float64]) -> NDArray[np.float64]:
        relative = curve / of_human if of_human else curve
        worth_of = np.interp(ratio_of_bits, relative, np.arange(curve.size), right=np.inf)
        return np.where(ratio_of_bits > 0, worth_of, 0.0)

    value = float(labels(np.array(bits / of_human if of_human else bits)))
    limits = [math.nan, math.nan]
    if draws is not None:
        humans_bits = _bits(draws.prevalence[:, None], draws.humans[:, known]) @ weight
        drawn = labels(ratio(_bits(draws.prevalence, draws.judge), humans_bits))
        limits = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="lower").tolist()
        limits = [min(limits[0], value), max(limits[1], value)]
    chance = np.asarray(prevalence, dtype=np.float64)
    entropy = float(-(chance[chance > 0] * np.log2(chance[chance > 0])).sum())
    return Worth(bits, of_human, entropy, value, *limits)


def _bits(prevalence: NDArray[np.float64], confusion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mutual information of category and label, with any leading axes, in bits."""
    label = np.einsum("...k,...kl->...l", prevalence, confusion)
    within = np.einsum("...k,...kl->...", prevalence, entr(confusion))
    return np.asarray(np.maximum(entr(label).sum(axis=-1) - within, 0.0) / math.log(2))


def _curve(
    prevalence: ArrayLike,
    pool: NDArray[np.float64],
    weight: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return the bits of 0 to ten labels, averaged over panels drawn from the pool."""
    n_panels = min(10, 4 * len(pool))
    panels = rng.choice(len(pool), size=(n_panels, MAX_LABELS), p=weight)
    draws = max(2, DRAWS // n_panels)
    found = [
        information_curve(prevalence, pool[panel], draws=draws, rng=rng).information
        for panel in panels
    ]
    return np.asarray(np.mean(found, axis=0))
