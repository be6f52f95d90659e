"""Calibration of a model's probabilities on gold items, with cross-validated scores.

A model's probabilities are calibrated if a share p of the items to which it assigns a category with
probability p belongs to that category. Uncalibrated probabilities are corrected by a map fitted to
gold items. With p_k the probability of category k, the maps are

``temperature``
    q_k = (1 - e) s_k + e / K with s_k proportional to p_k^(1 / T): T is above 1 if the model is
    overconfident, and e is the share of items on which p is uninformative.
``beta``
    For each category log(q / (1 - q)) = a log p - b log(1 - p) + c, with a and b above 0, and the
    q_k are then normalised: three parameters per category, or three in all for two categories.
``isotonic``
    For each category the rising step function of p closest to the gold items, and the q_k
    normalised.
``none``
    The probabilities unchanged, if there are too few gold items to improve them.

The logarithms of T, a and b, and c, have standard normal priors, and log(e / (1 - e)) a normal one
about -log(n + 1) with standard deviation 2, so that few gold items, or gold items without errors,
change the probabilities little and never to 0 or 1. For temperature and beta, with n gold items,
probabilities below 1 / (n + 2) are raised to this value, and rows renormalised: vote shares of the
gold category are often 0, and a single infinite log loss would dominate the fit. A step of the
isotonic map on m items is kept 1 / (m + 2) away from 0 and 1.

Scores are cross-validated: gold items are divided into folds, and the probabilities of each fold
are mapped by a map fitted to the others.

References
----------
Guo et al. (2017), ICML, section 4.2, for temperature; Kull, Silva Filho and Flach (2017), AISTATS,
section 3, for beta; Zadrozny and Elkan (2002), KDD, for isotonic regression and one category
against the rest; Niculescu-Mizil and Caruana (2005), ICML, section 4, who find that isotonic
regression overfits below about 1,000 items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, log_softmax, softmax

from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised, axes_or_new
from annobench.models.base import best_categories
from annobench.resampling.weights import multinomial_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Calibration", "Kind", "Map", "calibrate", "expected_calibration_error", "fit_map"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Map = Callable[[Floats], Floats]
Kind = Literal["auto", "temperature", "beta", "isotonic", "none"]

#: A smaller probability of the gold category counts as this in the log loss, which is then 13.8.
MIN_PROBABILITY: Final = 1e-6
#: Bins of equal width, [0, 0.1) to [0.9, 1], of the probability of the most probable category.
BINS: Final = 10
#: What readers should know of the scores, and of those after a map was fitted.
BIASED: Final = "The calibration error is biased upward if bins have few items."
MAP_TAKEN_AS_KNOWN: Final = (
    "Intervals take the map as known: those after calibration, and of the change, may be too "
    "narrow."
)
#: Gold items from which each map is taken; the last two for two categories.
FEWEST_FOR_TEMPERATURE: Final = 20
FEWEST_FOR_BETA: Final = 100
FEWEST_FOR_ISOTONIC: Final = 1_000


@dataclass(frozen=True, eq=False)
class Calibration(Summarised):
    """Probabilities before and after calibration on gold items.

    Attributes
    ----------
    kind : str
        The map: "temperature", "beta", "isotonic" or "none".
    n_gold : int
        Number of gold items to which the map was fitted.
    parameters : dict of str to float
        T and e of a temperature; a, b and c of each category for beta, such as ``a_1``; else empty.
    posterior : ndarray, shape (I, K)
        Calibrated probabilities of all items; for gold items by the map fitted without their fold.
    scores : DataFrame
        One row each for accuracy, confidence, log_loss, brier and calibration_error on the gold
        items, index `score`: `before`, `after` and `change`, each with interval limits, such as
        `before_lower`.
    level : float
        Level of the intervals.
    curves : DataFrame
        One row per bin of confidence with gold items, before and after: `when`, `confidence`
        (mean), `accuracy`, `n_items`.
    map : callable
        Maps probabilities, shape (M, K), to calibrated ones.
    """

    kind: str
    n_gold: int
    parameters: dict[str, float]
    posterior: Floats
    scores: pd.DataFrame
    level: float
    curves: pd.DataFrame
    map: Map

    def summary(self) -> pd.DataFrame:
        """Return the scores before and after.

        Returns
        -------
        DataFrame
            `scores`.
        """
        return self.scores

    def _headline(self) -> str:
        loss = self.scores.loc["log_loss"]
        return (
            f"{self.kind} on {self.n_gold:,} gold items: log loss {loss['before']:.3f} before and "
            f"{loss['after']:.3f} after"
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw accuracy against confidence, before and after.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from annobench.plotting import BLUE, GREY, VERMILION

        axes = axes_or_new(axes)
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=1)
        for when, colour in (("before", VERMILION), ("after", BLUE)):
            rows = self.curves[self.curves["when"] == when]
            size = 8 + 120 * rows["n_items"] / max(self.n_gold, 1)
            axes.plot(rows["confidence"], rows["accuracy"], color=colour, linewidth=1, label=when)
            axes.scatter(rows["confidence"], rows["accuracy"], s=size, color=colour, zorder=3)
        axes.set(xlabel="confidence", ylabel="accuracy on gold", xlim=(0, 1.02), ylim=(0, 1.02))
        axes.legend(frameon=False)
        return axes


def calibrate(
    posterior: ArrayLike,
    gold: ArrayLike,
    *,
    kind: Kind = "auto",
    weight: ArrayLike | None = None,
    folds: int = 10,
    rng: np.random.Generator | int | None = None,
    replicates: int = 1_000,
    level: float = 0.95,
) -> Calibration:
    """Fit a map from a model's probabilities to calibrated ones, and score it by cross-fitting.

    Parameters
    ----------
    posterior : array_like, shape (I, K)
        Probabilities; rows sum to 1. Those of gold items must not depend on their gold category.
    gold : array_like of int, shape (I,)
        Codes of the gold categories; -1 if unknown.
    kind : {"auto", "temperature", "beta", "isotonic", "none"}, default "auto"
        The map. "auto" chooses by the number of gold items: isotonic from 1,000, beta from 100 (of
        K > 2 categories from K / 2 times as many), temperature from 20, else none.
    weight : array_like, shape (I,), optional
        Weights of gold items above 0, such as the inverse of an item's sampling probability.
    folds : int, default 10
        Number of folds, at least 2; at most the number of gold items.
    rng : numpy.random.Generator or int, optional
        Source of randomness for folds and bootstrap, or a seed.
    replicates : int, default 1_000
        Bootstrap samples of gold items for the intervals of scores.
    level : float, default 0.95
        Level of the intervals.

    Returns
    -------
    Calibration
        The map, the calibrated probabilities, and scores before and after.

    Raises
    ------
    AnnotationError
        If shapes differ, no item has a gold category, a weight is not above 0, or a number is out
        of range.
    ValueError
        If there is no such map.

    Notes
    -----
    The bootstrap resamples gold items without refitting the maps.

    Examples
    --------
    A model that is always sure, and right in three of four cases:

    >>> sure = np.tile([[0.99, 0.01]], (400, 1))
    >>> gold = np.tile([0, 0, 0, 1], 100)
    >>> found = calibrate(sure, gold, kind="temperature", rng=1, replicates=50)
    >>> found.map(np.array([[0.99, 0.01]])).round(2)
    array([[0.75, 0.25]])
    """
    table, codes = np.asarray(posterior, dtype=np.float64), np.asarray(gold)
    _check(table, codes, folds)
    check_level(level, "calibrate")
    rng = np.random.default_rng(rng)
    known = np.flatnonzero(codes >= 0)
    own, right = table[known], codes[known].astype(np.int64)
    weights = _weights(weight, codes)[known]
    chosen = kind_for(known.size, table.shape[1]) if kind == "auto" else kind
    fit = _fitter(chosen)
    mapped, parameters = fit(own, right, weights)
    crossed = _cross_fitted(fit, own, right, weights, min(folds, known.size), rng)
    calibrated = mapped(table)
    calibrated[known] = crossed
    return Calibration(
        kind=chosen,
        n_gold=known.size,
        parameters=parameters,
        posterior=calibrated,
        scores=_scores(own, crossed, right, weights, rng, replicates, level),
        level=level,
        curves=pd.concat(
            [_curve("before", own, right, weights), _curve("after", crossed, right, weights)],
            ignore_index=True,
        ),
        map=mapped,
    )


def fit_map(posterior: ArrayLike, gold: ArrayLike, *, kind: Kind = "auto") -> Map:
    """Fit a map from a model's probabilities to calibrated ones, without scores.

    Parameters
    ----------
    posterior : array_like, shape (n, K)
        Probabilities of items with a known category.
    gold : array_like of int, shape (n,)
        Codes of these categories.
    kind : {"auto", "temperature", "beta", "isotonic", "none"}, default "auto"
        As for `calibrate`.

    Returns
    -------
    callable
        Maps probabilities, shape (M, K), to calibrated ones.

    Raises
    ------
    AnnotationError
        If shapes differ, or a code is not a category's.
    ValueError
        If there is no such map.

    Examples
    --------
    >>> sure = np.tile([[0.99, 0.01]], (400, 1))
    >>> fit_map(sure, np.tile([0, 0, 0, 1], 100), kind="temperature")(sure[:1]).round(2)
    array([[0.75, 0.25]])
    """
    table, codes = np.asarray(posterior, dtype=np.float64), np.asarray(gold)
    _check(table, codes, folds=2)
    known = codes >= 0
    own, right = table[known], codes[known].astype(np.int64)
    chosen = kind_for(right.size, table.shape[1]) if kind == "auto" else kind
    return _fitter(chosen)(own, right, np.ones(right.size))[0]


def expected_calibration_error(
    confidence: ArrayLike, correct: ArrayLike, *, bins: int = BINS, counts: ArrayLike | None = None
) -> float | Floats:
    """Compute the expected calibration error, with bins closed above.

    Parameters
    ----------
    confidence : array_like, shape (I,)
        Probability of the most probable category, in (0, 1].
    correct : array_like, shape (I,)
        1 if this category is correct, 0 otherwise; a share if ties count in part.
    bins : int, default 10
        Number of bins of equal width: (0, 0.1] to (0.9, 1] by default.
    counts : array_like, shape (B, I), optional
        Multiplicity of each item in each of B resamples.

    Returns
    -------
    float or ndarray, shape (B,)
        Sum over bins of the share of items times the absolute difference between mean confidence
        and accuracy; with counts, for each resample.

    Raises
    ------
    AnnotationError
        If the lengths differ or a confidence is outside (0, 1].

    Notes
    -----
    The scores of `calibrate` use bins that are closed below. The two differ if confidences are
    multiples of the width, such as vote shares.

    References
    ----------
    Guo et al. (2017), ICML, equation 3.

    Examples
    --------
    >>> round(expected_calibration_error([0.9, 0.8], [1, 1]), 2)
    0.15
    """
    sure, right = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if sure.ndim != 1 or sure.shape != right.shape or not ((sure > 0) & (sure <= 1)).all():
        raise AnnotationError(
            f"expected_calibration_error: confidences of shape {sure.shape} for {right.shape} "
            "correct or incorrect items. Give each item a confidence above 0, at most 1."
        )
    edges = np.linspace(0, 1, bins + 1)
    own = np.eye(bins)[np.searchsorted(edges, sure, side="left") - 1]
    gap = (right - sure)[:, None] * own
    if counts is None:
        return float(np.abs(gap.sum(axis=0)).sum() / sure.size)
    drawn = np.asarray(counts, dtype=np.float64)
    return np.asarray(np.abs(drawn @ gap).sum(axis=1) / drawn.sum(axis=1))


def kind_for(n_gold: int, n_categories: int) -> Kind:
    """Choose the map by the number of gold items."""
    of_categories = 1 if n_categories == 2 else n_categories / 2
    if n_gold >= FEWEST_FOR_ISOTONIC * of_categories:
        return "isotonic"
    if n_gold >= FEWEST_FOR_BETA * of_categories:
        return "beta"
    return "temperature" if n_gold >= FEWEST_FOR_TEMPERATURE else "none"


def log_losses(posterior: Floats, gold: Ints) -> Floats:
    """Return minus the logarithm of each item's probability of its gold category."""
    chance = posterior[np.arange(gold.size), gold]
    return cast(Floats, -np.log(np.maximum(chance, MIN_PROBABILITY)))


Fitter = Callable[[Floats, Ints, Floats], tuple[Map, dict[str, float]]]


def _fitter(kind: str) -> Fitter:
    fitters: dict[str, Fitter] = {
        "temperature": _fit_temperature,
        "beta": _fit_beta,
        "isotonic": _fit_isotonic,
        "none": lambda table, gold, weight: (np.array, {}),
    }
    if kind not in fitters:
        raise ValueError(f"calibrate: kind {kind!r} is not one of auto, {', '.join(fitters)}.")
    return fitters[kind]


def _fit_temperature(table: Floats, gold: Ints, weight: Floats) -> tuple[Map, dict[str, float]]:
    n, n_categories = table.shape
    logs, at = np.log(_floored(table, n)), np.arange(n)
    centre = -np.log(n + 1)

    def loss(x: Floats) -> float:
        sharpened = log_softmax(logs * np.exp(-x[0]), axis=1)[at, gold]
        fitted = np.logaddexp(log_expit(-x[1]) + sharpened, log_expit(x[1]) - np.log(n_categories))
        return float(-(weight * fitted).sum() + 0.5 * (x[0] ** 2 + ((x[1] - centre) / 2) ** 2))

    found = scipy.optimize.minimize(
        loss, [0.0, centre], method="L-BFGS-B", bounds=[(-5, 9), (-30, 9)]
    )
    log_t, e = found.x[0], expit(found.x[1])

    def mapped(other: Floats) -> Floats:
        sharpened = softmax(np.log(_floored(other, n)) * np.exp(-log_t), axis=1)
        return cast(Floats, (1 - e) * sharpened + e / n_categories)

    return mapped, {"T": float(np.exp(log_t)), "e": float(e)}


def _fit_beta(table: Floats, gold: Ints, weight: Floats) -> tuple[Map, dict[str, float]]:
    n, n_categories = table.shape
    table = _floored(table, n)
    # Of two categories, the map of one gives that of the other.
    mapped_ones = range(1, 2) if n_categories == 2 else range(n_categories)
    found = {k: _fit_beta_of_one(table[:, k], gold == k, weight) for k in mapped_ones}

    def calibrated(k: int, p: Floats) -> Floats:
        a, b, c = found[k]
        return cast(Floats, expit(a * np.log(p) - b * np.log1p(-p) + c))

    def mapped(other: Floats) -> Floats:
        other = _floored(other, n)
        if n_categories == 2:
            second = calibrated(1, other[:, 1])
            return np.column_stack([1 - second, second])
        return _sharing(np.column_stack([calibrated(k, other[:, k]) for k in range(n_categories)]))

    parameters = {
        f"{name}_{k}": float(value)
        for k, values in found.items()
        for name, value in zip("abc", values, strict=True)
    }
    return mapped, parameters


def _fit_beta_of_one(p: Floats, is_k: NDArray[np.bool_], weight: Floats) -> Floats:
    """Fit a, b and c of one category against the rest by the mode of the posterior."""
    features = np.column_stack([np.log(p), -np.log1p(-p)])
    sign = np.where(is_k, 1.0, -1.0)

    def loss(x: Floats) -> tuple[float, Floats]:
        slope = np.exp(x[:2])
        score = features @ slope + x[2]
        value = (weight * np.logaddexp(0, -sign * score)).sum() + 0.5 * (x**2).sum()
        push = -weight * sign * expit(-sign * score)
        return float(value), np.append(slope * (push @ features), push.sum()) + x

    x = scipy.optimize.minimize(
        loss, np.zeros(3), jac=True, method="L-BFGS-B", bounds=[(-9, 9)] * 3
    ).x
    return np.append(np.exp(x[:2]), x[2])


def _fit_isotonic(table: Floats, gold: Ints, weight: Floats) -> tuple[Map, dict[str, float]]:
    steps = [_steps(table[:, k], gold == k, weight) for k in range(table.shape[1])]

    def mapped(other: Floats) -> Floats:
        return _sharing(
            np.column_stack([np.interp(other[:, k], *step) for k, step in enumerate(steps)])
        )

    return mapped, {}


def _steps(p: Floats, is_k: NDArray[np.bool_], weight: Floats) -> tuple[Floats, Floats]:
    """Return the knots of the closest increasing step function."""
    points, place = np.unique(p, return_inverse=True)
    total = np.bincount(place, weight)
    share = np.bincount(place, weight * is_k) / total
    found = scipy.optimize.isotonic_regression(share, weights=total)
    n_of = np.bincount(place)
    n_items = np.add.reduceat(n_of, found.blocks[:-1])
    least = np.repeat(1 / (n_items + 2), np.diff(found.blocks))
    # Blocks of few items at the ends are what the limits hold back; they rise again after it.
    return points, np.maximum.accumulate(np.clip(found.x, least, 1 - least))


def _cross_fitted(
    fit: Fitter, table: Floats, gold: Ints, weight: Floats, folds: int, rng: np.random.Generator
) -> Floats:
    """Map the items of each fold by a map fitted to the others."""
    if folds < 2:
        return table.copy()
    fold = rng.permutation(np.arange(gold.size) % folds)
    crossed = np.empty_like(table)
    for each in range(folds):
        out = fold == each
        crossed[out] = fit(table[~out], gold[~out], weight[~out])[0](table[out])
    return crossed


def _scores(
    before: Floats,
    after: Floats,
    gold: Ints,
    weight: Floats,
    rng: np.random.Generator,
    replicates: int,
    level: float,
) -> pd.DataFrame:
    """Score both on the gold items, with bootstrap quantiles."""
    parts = [_Parts.of(table, gold, weight) for table in (before, after)]
    n = gold.size
    drawn = multinomial_counts(np.ones(n, dtype=np.int64), replicates, rng)
    ones = np.ones((1, n))
    values = np.array([each.scores(ones)[0] for each in parts])
    draws = np.array([each.scores(drawn) for each in parts])
    tails = [(1 - level) / 2, (1 + level) / 2]
    columns: dict[str, Any] = {}
    for name, value, sample in (
        ("before", values[0], draws[0]),
        ("after", values[1], draws[1]),
        ("change", values[1] - values[0], draws[1] - draws[0]),
    ):
        lower, upper = np.quantile(sample, tails, axis=0)
        columns |= {name: value, f"{name}_lower": lower, f"{name}_upper": upper}
    return pd.DataFrame(columns, pd.Index(_Parts.NAMES, name="score"))


@dataclass(frozen=True, eq=False)
class _Parts:
    """Terms whose sums give the scores of resampled items."""

    weight: Floats
    columns: Floats
    bins: Floats

    NAMES = ("accuracy", "confidence", "log_loss", "brier", "calibration_error")

    @classmethod
    def of(cls, table: Floats, gold: Ints, weight: Floats) -> _Parts:
        best = best_categories(table)
        right = best[np.arange(gold.size), gold] / best.sum(axis=1)
        sure = table.max(axis=1)
        apart = ((table - np.eye(table.shape[1])[gold]) ** 2).sum(axis=1)
        columns = np.column_stack([right, sure, log_losses(table, gold), apart])
        return cls(weight, columns, np.eye(BINS)[_bin(sure)])

    def scores(self, counts: NDArray[Any]) -> Floats:
        drawn = counts * self.weight
        total = drawn.sum(axis=1, keepdims=True)
        means = drawn @ self.columns / total
        gap = (self.columns[:, 0] - self.columns[:, 1])[:, None] * self.bins
        error = np.abs(drawn @ gap).sum(axis=1, keepdims=True) / total
        return np.hstack([means, error])


def _bin(confidence: Floats) -> Ints:
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)


def _curve(when: str, table: Floats, gold: Ints, weight: Floats) -> pd.DataFrame:
    parts = _Parts.of(table, gold, weight)
    right, sure = parts.columns[:, 0], parts.columns[:, 1]
    grouped = pd.DataFrame(
        {"bin": _bin(sure), "w": weight, "right": weight * right, "sure": weight * sure}
    ).groupby("bin")
    sums = grouped.sum()
    return pd.DataFrame(
        {
            "when": when,
            "confidence": sums["sure"] / sums["w"],
            "accuracy": sums["right"] / sums["w"],
            "n_items": grouped.size(),
        }
    ).reset_index(drop=True)


def _floored(table: Floats, n_gold: int) -> Floats:
    """Raise probabilities to the smallest value distinguishable from 0 with n gold items."""
    return _sharing(np.maximum(table, 1 / (n_gold + 2)))


def _sharing(table: Floats) -> Floats:
    """Divide rows by their sums."""
    return cast(Floats, table / table.sum(axis=1, keepdims=True))


def _weights(weight: ArrayLike | None, gold: NDArray[Any]) -> Floats:
    """Return weights whose mean over the gold items is 1."""
    if weight is None:
        return np.ones(gold.size)
    values = np.asarray(weight, dtype=np.float64)
    known = gold >= 0
    if values.shape != gold.shape or not (np.isfinite(values[known]) & (values[known] > 0)).all():
        raise AnnotationError(
            "calibrate: weight must be a number above 0 for each gold item, in an array of "
            f"{gold.size}, one for each item."
        )
    return cast(Floats, values / values[known].mean())


def _check(table: Floats, gold: NDArray[Any], folds: int) -> None:
    if table.ndim != 2 or gold.shape != table.shape[:1]:
        raise AnnotationError(
            f"calibrate: probabilities of shape {table.shape} for gold of shape {gold.shape}. "
            "Give a row of probabilities and a gold code, or -1, for each item."
        )
    if gold.dtype.kind not in "bui" or gold.max(initial=-1) >= table.shape[1]:
        raise AnnotationError(
            f"calibrate: gold must be codes of the {table.shape[1]} categories, or -1. Give codes."
        )
    if not (gold >= 0).any():
        raise AnnotationError(
            "calibrate: no item has a gold category. Give a gold standard with some."
        )
    if folds < 2:
        raise AnnotationError(f"calibrate: folds must be at least 2, got {folds}.")
