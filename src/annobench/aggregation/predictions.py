"""The contribution of a classifier's probabilities to a pool of models, on gold items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models import pool
from annobench.models.pool import PoolFit
from annobench.resampling.intervals import Interval

__all__ = ["AddedValue", "added_value"]

#: Folds of gold items.
FOLDS: Final = 10
#: Gold items from which a mean has a t interval.
FEWEST: Final = 10


@dataclass(frozen=True, eq=False)
class AddedValue(Summarised):
    """Cross-validated log loss of a pool with and without predictions.

    Attributes
    ----------
    table : DataFrame
        Log loss and accuracy, and their differences with intervals: `score`, `without`,
        `with_predictions`, `difference`, `lower`, `upper`.
    log_loss : Interval
        Interval of the difference of log losses; predictions help if it is below 0.
    weight, weight_error : float
        Weight of the predictions in the pool, with its standard deviation.
    n_gold : int
        Number of gold items used.
    n_left_out : int
        Predicted items that have no labels.
    """

    table: pd.DataFrame
    log_loss: Interval
    weight: float
    weight_error: float
    n_gold: int
    n_left_out: int

    def summary(self) -> pd.DataFrame:
        """Return the scores.

        Returns
        -------
        DataFrame
            `table`, by score.
        """
        return self.table.set_index("score")

    @property
    def verdict(self) -> str:
        """The conclusion from the gold items."""
        if self.log_loss.upper < 0:
            return "the predictions add to the labels"
        if self.log_loss.lower > 0:
            return "the predictions make the probabilities worse: leave them out"
        return "these gold items do not show whether the predictions add anything"

    def _headline(self) -> str:
        without, with_them = self.table.loc[0, ["without", "with_predictions"]]
        d = self.log_loss
        return (
            f"log loss {with_them:.3f} with predictions and {without:.3f} without, on "
            f"{self.n_gold:,} gold items left out of the weights: difference {d.estimate:.3f} "
            f"({100 * d.level:g}% interval {d.lower:.3f} to {d.upper:.3f}), so that {self.verdict}"
        )


def added_value(
    annotations: Annotations,
    fitted: PoolFit,
    predictions: pd.DataFrame | ArrayLike,
    *,
    weight: ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
    level: float = 0.95,
) -> AddedValue:
    """Compare a pool with predictions and without, by cross-validation on gold items.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    fitted : PoolFit
        With predictions and gold.
    predictions : DataFrame or array_like, shape (I, K)
        What it was fitted with.
    weight : array_like, shape (I,), optional
        Weights of gold items above 0 whose sum is their effective number; by default 1.
    rng : numpy.random.Generator or int, optional
        Divides gold items into ten folds.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    AddedValue
        Scores with and without, differences with t intervals over gold items.

    Raises
    ------
    AnnotationError
        If there are fewer than ten gold items with labels.

    Notes
    -----
    Each gold item is scored by weights fitted without its fold. As training sets overlap, the
    variance of a mean over items is multiplied by 1 + F / (F - 1), with F the number of folds,
    following Nadeau and Bengio.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281,
    section 3.
    """
    annotations = as_annotations(annotations, "added_value")
    rng = np.random.default_rng(rng)
    labelled = np.diff(annotations.by_item.offsets) > 0
    known = np.flatnonzero((fitted.gold >= 0) & labelled)
    if known.size < FEWEST:
        raise AnnotationError(
            f"predictions: {known.size} gold items with labels are too few to measure the "
            f"contribution of predictions. Give {FEWEST} or more."
        )
    fold = np.full(fitted.gold.size, -1)
    fold[known] = rng.permutation(np.arange(known.size) % FOLDS)
    judged = {each: np.zeros((known.size, annotations.n_categories)) for each in (False, True)}
    for each in range(FOLDS):
        hidden = np.where(fold == each, -1, fitted.gold)
        out = fold[known] == each
        for with_them, found in judged.items():
            given = predictions if with_them else None
            again = pool.refit(
                annotations, fitted, gold=hidden, gold_weights=weight, predictions=given
            )
            found[out] = again.posterior[known[out]]
    category = fitted.gold[known]
    w = np.ones(known.size) if weight is None else np.asarray(weight)[known]
    losses, hits = (
        _compared(score(judged[False], category), score(judged[True], category), w, level)
        for score in (_losses, _hits)
    )
    rows = [{"score": "log loss"} | losses, {"score": "accuracy"} | hits]
    last = len(pool.MEMBERS)
    return AddedValue(
        table=pd.DataFrame(rows),
        log_loss=Interval(losses["difference"], losses["lower"], losses["upper"], level, "t"),
        weight=float(fitted.member_weights[last]),
        weight_error=float(np.sqrt(fitted.covariance[last, last])),
        n_gold=known.size,
        n_left_out=len(np.asarray(predictions)) - annotations.n_items,
    )


def _losses(posterior: NDArray[np.float64], category: NDArray[np.integer]) -> NDArray[np.float64]:
    least = np.finfo(np.float64).tiny
    return np.asarray(-np.log(np.maximum(posterior[np.arange(category.size), category], least)))


def _hits(posterior: NDArray[np.float64], category: NDArray[np.integer]) -> NDArray[np.float64]:
    return np.asarray(posterior.argmax(axis=1) == category, dtype=np.float64)


def _compared(
    without: NDArray[np.float64],
    with_them: NDArray[np.float64],
    weight: NDArray[np.float64],
    level: float,
) -> dict[str, float]:
    difference = with_them - without
    n = weight.sum()
    mean = float(weight @ difference / n)
    variance = weight @ (difference - mean) ** 2 / (n - 1)
    error = np.sqrt(variance * (1 + FOLDS / (FOLDS - 1)) / n)
    margin = float(stdtrit(n - 1, (1 + level) / 2) * error)
    return {
        "without": float(weight @ without / n),
        "with_predictions": float(weight @ with_them / n),
        "difference": mean,
        "lower": mean - margin,
        "upper": mean + margin,
    }
