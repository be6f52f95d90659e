r"""A jury: several judges whose labels of an item are pooled.

Judges with correlated errors are worth fewer independent judges. With d_ij the error of judge j on
gold item i (1 if wrong, else 0) minus the judge's error rate on items of that category, the
*effective number* of J judges is ::

    J_eff = J * sum_ij d_ij^2 / sum_i (sum_j d_ij)^2

the number of independent judges whose mean error would vary as much: J if errors are uncorrelated,
1 if they are identical (Kish 1965, for units in a cluster). It refers to errors, not agreement, as
two judges that agree may both be right.

A jury's probabilities are a log-linear pool of its labels, y_ij, with weights from gold::

    log q(i, k) = sum_j w_j [y_ij = k] + b_k + constant

with normal priors, w around 0 with standard deviation 2, b around 0 with 1. Weights are fitted
jointly, so that judges with correlated errors share a weight.

The best jury for a budget is chosen by its log loss in cross-validation. The score by which it was
chosen is optimistic, being the best of several; the choice is therefore repeated without each fold
of gold items and evaluated on that fold (nested cross-validation).

Kish (1965), Survey Sampling, section 5.4; Genest and Zidek (1986), Statistical Science 1, 114-148;
Varma and Simon (2006), Bias in error estimation when using cross-validation for model selection,
BMC Bioinformatics 7, 91; Nadeau and Bengio (2003), Machine Learning 52, 239-281, for intervals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.judges.clusters import cluster_codes, design_effect
from annobench.models._log_linear import Mode, log_loss, minimise, pooled
from annobench.resampling.intervals import Interval
from annobench.resampling.proportions import wilson_limits

__all__ = ["FEWEST", "Jury", "assess_jury", "effective_judges"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Members = tuple[int, ...]

#: Standard deviations of the priors of weights and offsets.
_SPREADS: Final = (2.0, 1.0)
#: Folds of gold items, outside and inside.
FOLDS: Final = 5
#: Factors of the variance of log loss and of accuracy. The first is Nadeau and Bengio's. An item's
#: label by the jury seldom depends on the fold that was left out: with their factor the interval of
#: accuracy covers in all data sets of the study of intervals, with none in 90% of small ones.
_OVERLAP: Final = (1 + FOLDS / (FOLDS - 1), FOLDS / (FOLDS - 1))
#: Gold items with labels of judges; judges out of whom to choose, and juries.
FEWEST: Final = 20
MOST_JUDGES: Final = 16
MOST_JURIES: Final = 300


@dataclass(frozen=True, eq=False)
class Jury(Summarised):
    """Results for several judges as a jury.

    Attributes
    ----------
    effective : Interval
        The effective number of judges; NaN if no error varies.
    correlation : float
        Mean correlation between two judges' errors on an item, given its category.
    n_items, n_complete : int
        Numbers of gold items with a label of at least one judge, and of all judges.
    weights : DataFrame
        One row per judge: `judge`, `cost` per item, `weight` in the jury of all judges and its
        `standard_error`, and whether it is `chosen`.
    juries : DataFrame
        One row per jury, the best by cross-validation first: `judges`, joined by plus signs,
        `cost`, and `log_loss` and `accuracy` in cross-validation and in the sample
        (`log_loss_in_sample`, `accuracy_in_sample`).
    estimates : DataFrame
        Expected performance of the chosen jury on new items, estimated in three ways: `how` (in
        sample, for the best jury there; cross-validated, for the best; nested cross-validation),
        `log_loss` and `accuracy`, with ``_lower`` and ``_upper`` for the last.
    budget : float or None
        Maximum cost per item; None for the jury of all judges.
    n_same : int
        Number of the five folds without which the same jury is chosen.
    posterior : ndarray, shape (I, K)
        Probabilities of the categories by the chosen jury; uniform for an item without a label.
    """

    effective: Interval
    correlation: float
    n_items: int
    n_complete: int
    weights: pd.DataFrame
    juries: pd.DataFrame
    estimates: pd.DataFrame
    budget: float | None
    n_same: int
    posterior: Floats

    def summary(self) -> pd.DataFrame:
        """Return the estimates.

        Returns
        -------
        DataFrame
            `estimates`, by how they were made.
        """
        return self.estimates.set_index("how")

    @property
    def optimism(self) -> float:
        """Accuracy in the sample minus accuracy by nested cross-validation."""
        accuracy = self.estimates["accuracy"]
        return float(accuracy.iloc[0] - accuracy.iloc[-1])

    def sentence(self) -> str:
        """Summarise the jury in one or two sentences.

        Returns
        -------
        str
            The effective number, the chosen jury and its accuracy.
        """
        n, e = len(self.weights), self.effective
        worth = (
            "errors are too few to estimate their dependence"
            if math.isnan(e.estimate)
            else f"{n} judges are worth {e.estimate:.1f} independent ones "
            f"({100 * e.level:g}% interval {e.lower:.1f} to {e.upper:.1f})"
        )
        last, best = self.estimates.iloc[-1], self.juries.iloc[0]
        within = "" if self.budget is None else f" within a budget of {self.budget:g} per item"
        return (
            f"By their errors on {self.n_complete:,} gold items, {worth}. The jury of "
            f"{best['judges']}{within} is right on {last['accuracy']:.1%} of new items "
            f"({last['accuracy_lower']:.1%} to {last['accuracy_upper']:.1%})."
        )

    def _headline(self) -> str:
        return self.sentence()


def effective_judges(
    judges: Mapping[str, ArrayLike],
    gold: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Estimate the effective number of independent judges from their errors.

    Parameters
    ----------
    judges : mapping of str to array_like of int, shape (I,)
        Labels as codes; -1 for none.
    gold : array_like of int, shape (I,)
        Categories; -1 if unknown.
    clusters : array_like, shape (I,), optional
        Cluster of each item; by default items are independent.
    level : float, default 0.95
        Of the interval.

    Returns
    -------
    Interval
        Interval of the effective number, above 0, by the delta method on the log scale; NaN if
        errors do not vary, or cancel on every item.

    Raises
    ------
    AnnotationError
        If there is one judge, or no gold item has labels of all; if the level is out of range.

    Notes
    -----
    Errors are counted on gold items that all judges labelled, whatever the wrong label. A category
    with a single item is uninformative.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4.

    Examples
    --------
    >>> gold = [0] * 8
    >>> one, other = [1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0]
    >>> effective_judges({"a": one, "b": one}, gold).estimate
    1.0
    >>> round(effective_judges({"a": one, "b": other}, gold).estimate, 6)  # correlation -1/3
    3.0
    """
    check_level(level, "effective_judges")
    labels, known = _table(judges), np.asarray(gold, dtype=np.int64)
    codes = cluster_codes(clusters, known.size)
    complete = np.flatnonzero((known >= 0) & (labels >= 0).all(axis=1))
    if labels.shape[1] < 2 or not complete.size:
        raise AnnotationError(
            f"effective_judges: {labels.shape[1]} judges, and {complete.size} gold items with "
            "labels of all. Two or more judges are needed, and gold items that all labelled."
        )
    errors = (labels[complete] != known[complete, None]).astype(np.float64)
    deviation = errors - _means(errors, known[complete])
    own, of_sum = (deviation**2).sum(axis=1), deviation.sum(axis=1) ** 2
    if not (own.sum() > 0 and of_sum.sum() > 0):
        return Interval(math.nan, math.nan, math.nan, level, "delta", unit="items")
    estimate = labels.shape[1] * own.sum() / of_sum.sum()
    residual = own / own.sum() - of_sum / of_sum.sum()
    n, variance = complete.size, float((residual**2).sum())
    freedom = n - 1
    if codes is not None:
        variance *= float(design_effect(residual[:, None], codes[complete])[0])
        freedom = np.unique(codes[complete]).size - 1
    margin = (
        float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(variance * n / (n - 1))
        if freedom > 0 and math.isfinite(variance)
        else math.inf
    )
    lower, upper = (float(estimate * math.exp(sign * margin)) for sign in (-1, 1))
    return Interval(float(estimate), lower, upper, level, "delta", unit="items")


def assess_jury(
    judges: Mapping[str, ArrayLike],
    gold: ArrayLike,
    n_categories: int,
    *,
    costs: Mapping[str, float] | None = None,
    budget: float | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> Jury:
    """Weight judges by gold, and choose the best jury for a budget.

    Parameters
    ----------
    judges : mapping of str to array_like of int, shape (I,)
        Labels as codes; -1 for none.
    gold : array_like of int, shape (I,)
        Categories; -1 if unknown.
    n_categories : int
        K.
    costs : mapping of str to float, optional
        Cost of a label by each judge, above 0; by default 1.
    budget : float, optional
        Budget for the labels of an item. By default the jury consists of all judges.
    clusters : array_like, shape (I,), optional
        Cluster of each item; folds keep clusters together.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the folds, or a seed.

    Returns
    -------
    Jury
        Effective number, weights, the chosen jury and its expected performance.

    Raises
    ------
    AnnotationError
        If there is one judge, there are fewer than 20 gold items with labels, a cost is not above 0
        or names no judge, no judge is within the budget, or more than 300 juries are.

    Notes
    -----
    Only maximal juries within the budget are compared, to which no judge can be added; a judge that
    adds little gets a small weight.

    References
    ----------
    Varma and Simon (2006), BMC Bioinformatics 7, 91, for nested cross-validation.
    """
    effective = effective_judges(judges, gold, clusters=clusters, level=level)
    generator = np.random.default_rng(rng)
    names, labels = list(judges), _table(judges)
    known = np.asarray(gold, dtype=np.int64)
    price = _prices(names, costs or {})
    candidates = _candidates(names, price, budget)
    used = np.flatnonzero((known >= 0) & (labels >= 0).any(axis=1))
    if used.size < FEWEST:
        raise AnnotationError(
            f"jury: {used.size} gold items have labels of judges. Give {FEWEST} or more, to fit "
            "weights and choose a jury."
        )
    votes = _votes(labels, n_categories)
    sample, category = votes[used], known[used]
    codes = cluster_codes(clusters, known.size)
    groups = np.arange(used.size) if codes is None else codes[used]
    fold = _folds(groups, generator)
    tables = [_held_out(sample, category, fold, each) for each in candidates]
    losses = np.array([_losses(each, category).mean() for each in tables])
    fitted = [_fit(sample, category, each) for each in candidates]
    inside = [_judged(sample, mode, each) for mode, each in zip(fitted, candidates, strict=True)]
    best = int(losses.argmin())
    chosen = []
    outside = np.zeros_like(inside[0])
    for each in np.unique(fold):
        out = fold == each
        mine = _choose(sample[~out], category[~out], groups[~out], candidates, generator)
        mode = _fit(sample[~out], category[~out], candidates[mine])
        outside[out] = _judged(sample[out], mode, candidates[mine])
        chosen.append(mine)
    of_all = _fit(sample, category, everyone := tuple(range(len(names))))
    rows = [
        {
            "judges": " + ".join(names[j] for j in each),
            "cost": float(price[list(each)].sum()),
            **_scores(tables[n], category),
            **{f"{name}_in_sample": x for name, x in _scores(inside[n], category).items()},
        }
        for n, each in enumerate(candidates)
    ]
    apparent = min(range(len(candidates)), key=lambda n: _scores(inside[n], category)["log_loss"])
    n = len(candidates)
    estimates = [
        {"how": f"in sample, best of {n}"} | _scores(inside[apparent], category),
        {"how": f"cross-validated, best of {n}"} | _scores(tables[best], category),
        {"how": "nested cross-validation"} | _with_ends(outside, category, groups, level),
    ]
    j = len(names)
    correlation = (j / effective.estimate - 1) / (j - 1)
    return Jury(
        effective=effective,
        correlation=float(correlation),
        n_items=int(used.size),
        n_complete=int(((known >= 0) & (labels >= 0).all(axis=1)).sum()),
        weights=pd.DataFrame(
            {
                "judge": names,
                "cost": price,
                "weight": of_all.theta[: len(everyone)],
                "standard_error": np.sqrt(np.diag(of_all.covariance)[: len(everyone)]),
                "chosen": [n in candidates[best] for n in everyone],
            }
        ),
        juries=pd.DataFrame(rows).sort_values("log_loss", kind="stable", ignore_index=True),
        estimates=pd.DataFrame(estimates),
        budget=budget,
        n_same=chosen.count(best),
        posterior=_judged(votes, fitted[best], candidates[best]),
    )


def _table(judges: Mapping[str, ArrayLike]) -> Ints:
    return np.column_stack([np.asarray(codes, dtype=np.int64) for codes in judges.values()])


def _means(errors: Floats, category: Ints) -> Floats:
    """Return each judge's error rate on items of each item's category."""
    place = np.unique(category, return_inverse=True)[1]
    sums = np.zeros((place.max() + 1, errors.shape[1]))
    np.add.at(sums, place, errors)
    return np.asarray((sums / np.bincount(place)[:, None])[place])


def _prices(names: Sequence[str], costs: Mapping[str, float]) -> Floats:
    for name, cost in costs.items():
        if name not in names:
            raise AnnotationError(
                f"jury: a cost names {name!r}, which is not a judge.{did_you_mean(name, names)} "
                f"Judges are {', '.join(map(repr, names))}. Correct the name."
            )
        if not (math.isfinite(cost) and cost > 0):
            raise AnnotationError(f"jury: the cost of {name!r} is {cost:g}. Give one above 0.")
    return np.array([costs.get(name, 1.0) for name in names])


def _candidates(names: Sequence[str], price: Floats, budget: float | None) -> list[Members]:
    """List the maximal juries within the budget."""
    everyone = tuple(range(len(names)))
    if budget is None:
        return [everyone]
    # Sums of costs such as .1 are rounded.
    limit = budget * (1 + 1e-12)
    if not price.min() <= limit:
        raise AnnotationError(
            f"jury: no judge is within a budget of {budget:g} per item; the cheapest costs "
            f"{price.min():g}. Raise the budget, or correct the costs."
        )
    found: list[Members] = []
    for size in range(1, len(names) + 1 if len(names) <= MOST_JUDGES else 1):
        for each in combinations(everyone, size):
            left = limit - price[list(each)].sum()
            if left >= 0 and all(price[j] > left for j in everyone if j not in each):
                found.append(each)
    if not 0 < len(found) <= MOST_JURIES:
        raise AnnotationError(
            f"jury: too many juries of {len(names)} judges are within the budget; at most "
            f"{MOST_JURIES}, of at most {MOST_JUDGES} judges, are compared. Name fewer judges."
        )
    return found


def _votes(labels: Ints, k: int) -> Floats:
    """Return which category each judge names, shape (I, K, J)."""
    return np.asarray((labels[:, None, :] == np.arange(k)[None, :, None]).astype(np.float64))


def _fit(votes: Floats, category: Ints, members: Members) -> Mode:
    own = votes[:, :, list(members)]
    deviation = np.repeat(_SPREADS, [len(members), votes.shape[1]])
    return minimise(
        lambda theta: log_loss(theta, own, category), np.zeros(deviation.size), deviation**-2.0
    )


def _judged(votes: Floats, mode: Mode, members: Members) -> Floats:
    w, b = np.split(mode.theta, [len(members)])
    return np.asarray(pooled(votes[:, :, list(members)], w, b))


def _folds(groups: Ints, rng: np.random.Generator) -> Ints:
    """Divide groups of items at random."""
    place = np.unique(groups, return_inverse=True)[1]
    n = int(place.max()) + 1
    return np.asarray(rng.permutation(np.arange(n) % min(FOLDS, n))[place])


def _held_out(votes: Floats, category: Ints, fold: Ints, members: Members) -> Floats:
    """Predict each item with weights fitted without its fold."""
    found = np.zeros(votes.shape[:2])
    for each in np.unique(fold):
        out = fold == each
        found[out] = _judged(votes[out], _fit(votes[~out], category[~out], members), members)
    return found


def _choose(
    votes: Floats,
    category: Ints,
    groups: Ints,
    candidates: Sequence[Members],
    rng: np.random.Generator,
) -> int:
    if len(candidates) == 1:
        return 0
    fold = _folds(groups, rng)
    tables = [_held_out(votes, category, fold, each) for each in candidates]
    return int(np.argmin([_losses(each, category).mean() for each in tables]))


def _losses(q: Floats, category: Ints) -> Floats:
    return np.asarray(-np.log(q[np.arange(category.size), category]))


def _scores(q: Floats, category: Ints) -> dict[str, float]:
    right = q.argmax(axis=1) == category
    return {"log_loss": float(_losses(q, category).mean()), "accuracy": float(right.mean())}


def _with_ends(q: Floats, category: Ints, groups: Ints, level: float) -> dict[str, float]:
    """Add intervals: t for the log loss, Wilson's for the accuracy.

    Variances are multiplied by the design effect of the clusters, and, as training sets overlap, by
    `_OVERLAP`.
    """
    loss = _losses(q, category)
    right = (q.argmax(axis=1) == category).astype(np.float64)
    residual = np.column_stack([loss - loss.mean(), right - right.mean()])
    # As many independent items would tell as much.
    size = loss.size / np.array(_OVERLAP) / design_effect(residual, groups)
    quantile = float(stdtrit(np.unique(groups).size - 1, (1 + level) / 2))
    margin = quantile * loss.std(ddof=1) / math.sqrt(size[0])
    lower, upper = wilson_limits(right.mean(), size[1], None, quantile)
    return _scores(q, category) | {
        "log_loss_lower": max(0.0, float(loss.mean() - margin)),
        "log_loss_upper": float(loss.mean() + margin),
        "accuracy_lower": float(lower),
        "accuracy_upper": float(upper),
    }
