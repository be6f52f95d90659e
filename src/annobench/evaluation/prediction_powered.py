r"""Means from a few gold values and many predictions: prediction-powered inference.

Y is known for n randomly drawn items, and predicted by f for these and N others. With a weight w of
the predictions, ::

    mean = w mean_N(f) + mean_n(Y - w f)
    variance = w^2 var_N(f) / N + var_n(Y - w f) / n

for any f, because its mean is added and subtracted. Weight 1 is prediction-powered inference; PPI++
uses the weight with minimum variance, cov_n(Y, f) / ((1 + n / N) var(f)), truncated to [0, 1], so
that useless predictions hardly increase the variance over that of the gold values alone. The
intervals are normal, and too narrow if few gold values differ from the mode. With 100 gold items,
3,000 others, a sensitivity of .9 and a specificity of .95, the empirical coverage of 95% intervals
over 4,000 simulated studies is::

    prevalence           .02    .05    .10
    gold items alone    .950   .966   .932    Wilson's interval
    PPI                 .916   .926   .933
    PPI++               .846   .885   .916
    joint model         .956   .965   .969

as `measure_prevalence_coverage` (workflow/papers/judge_arena/prevalence_coverage.py) has it for
``[Cell(p, 0.9, 0.95, 100, 3_000) for p in (0.02, 0.05, 0.1)]``, ``repetitions=4_000, rng=1``.

For a prevalence use the joint model, `annobench.judges.prevalence.joint`, or the gold items alone.

Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Science 382, 669-674; Angelopoulos, Duchi
and Zrnic (2023), PPI++: efficient prediction-powered inference, arXiv 2311.01453.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from annobench.core.errors import AnnotationError, IntervalWarning, check_level
from annobench.core.results import SummarisedScalars
from annobench.resampling.intervals import Interval, normal_interval

__all__ = ["PredictionPoweredMean", "prediction_powered_mean"]

#: With fewer gold values that differ from the most common one, normal intervals are too narrow.
FEWEST_OF_RARER_KIND: Final = 10


@dataclass(frozen=True)
class PredictionPoweredMean(SummarisedScalars):
    """A mean estimated from gold values and predictions.

    Attributes
    ----------
    estimate : float
        Not truncated to a range.
    standard_error : float
        Of the estimate.
    weight : float
        Weight of the predictions, from 0 to 1.
    n_gold, n_others : int
        Numbers of items with a gold value, and of others with a prediction.
    gold_variance : float
        Of the gold values.
    n_differing : int
        Number of gold values that differ from the mode; for binary values, the number of the rarer.
    """

    estimate: float
    standard_error: float
    weight: float
    n_gold: int
    n_others: int
    gold_variance: float
    n_differing: int

    def interval(self, level: float = 0.95) -> Interval:
        """Return the normal interval.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        Interval
            Not truncated to a range.

        Warns
        -----
        IntervalWarning
            If fewer than ten gold values differ from the most common one.
        """
        if self.n_differing < FEWEST_OF_RARER_KIND:
            warnings.warn(
                f"prediction_powered_mean: {self.n_differing} of {self.n_gold} gold values differ "
                f"from the most common one, fewer than {FEWEST_OF_RARER_KIND}, and the normal "
                "interval is too narrow. Check more items, or for a prevalence use "
                "annobench.judges.prevalence.joint.",
                IntervalWarning,
                stacklevel=2,
            )
        check_level(level, "prediction_powered_mean")
        return normal_interval(self.estimate, self.standard_error, level)


def prediction_powered_mean(
    gold: ArrayLike, predicted: ArrayLike, others: ArrayLike, *, weight: float | None = None
) -> PredictionPoweredMean:
    """Estimate a mean from gold values of some items and predictions of all.

    Parameters
    ----------
    gold, predicted : array_like, shape (n,)
        Gold values of randomly drawn items, and predictions for these; at least two.
    others : array_like, shape (N,)
        Predictions for other items; if there are none, the mean of the gold values is returned.
    weight : float, optional
        1 for prediction-powered inference, 0 for the gold values alone. By default the weight of
        minimum variance (PPI++).

    Returns
    -------
    PredictionPoweredMean
        The estimate.

    Raises
    ------
    AnnotationError
        If there are fewer than two gold values, lengths differ, or a number is not finite.

    Examples
    --------
    >>> found = prediction_powered_mean([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0, 1, 0], weight=1)
    >>> found.estimate  # 3/6 + 1/4
    0.75
    """
    y, f, rest = (np.asarray(part, dtype=np.float64) for part in (gold, predicted, others))
    if y.ndim != 1 or y.shape != f.shape or y.size < 2:
        raise AnnotationError(
            f"prediction_powered_mean: {y.size} gold values and {f.size} predictions for them. "
            "Give two or more of each."
        )
    if not all(np.isfinite(part).all() for part in (y, f, rest)):
        raise AnnotationError("prediction_powered_mean: a number is not finite. Leave it out.")
    n, n_others = y.size, rest.size
    if not n_others:
        weight = 0.0
    elif weight is None:
        spread = (1 + n / n_others) * np.concatenate([f, rest]).var(ddof=1)
        weight = float(np.clip(np.cov(y, f)[0, 1] / spread, 0, 1)) if spread > 0 else 0.0
    left = y - weight * f
    estimate = left.mean() + (weight * rest.mean() if weight else 0.0)
    of_others = rest.var(ddof=1) / n_others if n_others > 1 else 0.0
    variance = weight**2 * of_others + left.var(ddof=1) / n
    return PredictionPoweredMean(
        float(estimate),
        float(np.sqrt(variance)),
        weight,
        n,
        n_others,
        float(y.var(ddof=1)),
        int(n - np.unique(y, return_counts=True)[1].max()),
    )
