"""A log-linear pool of models, with weights learned from data sets with gold.

The probability q(i, k) that item i is of category k combines those of M members, p_m(i, k)::

    log q(i, k) = sum_m w_m log p_m(i, k) + b_k + constant

Members are fitted to the labels alone, by their defaults; probabilities below `_log_linear.FLOOR`
are raised to it. Without gold, the weights w are those that minimise the log loss on public data
sets, and b is 0. Known categories of some items update them: w has a normal prior around the
shipped weights, b one around 0, with the standard deviations that weights and offsets have across
data sets. All of these are learned by `workflow/studies/pool` and stored in `pool.json`. A
classifier's probabilities may be a further member, whose weight has a normal prior with mean 0.

Stone (1961), The opinion pool, Annals of Mathematical Statistics 32, 1339-1342; Genest and Zidek
(1986), Combining probability distributions, Statistical Science 1, 114-148, for log-linear pools;
Wolpert (1992), Stacked generalization, Neural Networks 5, 241-259, for weights by gold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from types import ModuleType
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from annobench.core.errors import AnnotationError, check_level
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models import base
from annobench.models._gold import gold_codes
from annobench.models._log_linear import Mode, log_features, log_loss, minimise, pooled
from annobench.models._predictions import probabilities
from annobench.models._votes import Floats, normalised
from annobench.models.base import ConfusionFit, Conventions, Method
from annobench.models.kernels.votes import collect_confusion

__all__ = [
    "MEMBERS",
    "METHOD",
    "PREDICTIONS",
    "PoolFit",
    "Weights",
    "bootstrap",
    "fit",
    "fit_members",
    "refit",
    "shipped_weights",
    "unseen",
]

METHOD = Method(
    name="pool",
    title="pool of models",
    reference="Genest and Zidek (1986), Statistical Science 1, 114-148; weights are ours",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "accuracy", "confusion", "member_weights", "offsets", "covariance"),
            *("logs", "gold", "unconverged"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="as in each member",
        ties="by the members; equal probabilities if these tie, too",
        smoothing="probabilities below .001 count as .001; normal priors of weights and offsets",
        start="no search without gold; the shipped weights with it",
        optimum="the one mode of weights and offsets, by Newton's method",
    ),
    compares=True,
    bounded=True,
    offers=frozenset({"bootstrap", "refit", "unseen"}),
)

#: The models that are pooled; the last member is the smoothed vote.
MODELS: Final = ("dawid_skene", "random_clumped", "bwa", "ibcc", "one_coin", "glad")
MEMBERS: Final = (*MODELS, "smoothed votes")
#: What a classifier's probabilities are called, as one more member.
PREDICTIONS: Final = "predictions"
#: Standard deviation of their weight, around 0: calibrated ones would have a weight of 1 alone.
_SPREAD: Final = 1.0

#: Added to every count of the confusion matrices, as in Dawid and Skene's model.
_SMOOTHING: Final = 0.01


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the members, and their variation between data sets.

    Attributes
    ----------
    mean : ndarray, shape (M,)
        Weights without gold, in the order of `MEMBERS`.
    spread : float
        Standard deviation of individual data sets' weights around these, above 0.
    offset_spread : float
        Standard deviation of individual data sets' offsets around 0, above 0.
    """

    mean: Floats
    spread: float
    offset_spread: float

    def update(self, logs: Floats, gold: NDArray[np.integer], weight: float | Floats = 1.0) -> Mode:
        """Fit weights and offsets to items with known categories.

        Parameters
        ----------
        logs : ndarray, shape (n, K, M) or (n, K, M + 1)
            Log probabilities of the members, and predictions.
        gold : ndarray of int, shape (n,)
            Known categories. Without items the result is the prior.
        weight : float or ndarray, shape (n,), default 1
            Of the items.

        Returns
        -------
        Mode
            M (or M + 1) weights and K offsets.
        """
        m, k = self.mean.size, logs.shape[1]
        more = logs.shape[2] - m
        deviation = np.repeat([self.spread, _SPREAD, self.offset_spread], [m, more, k])
        centre = np.append(self.mean, np.zeros(more + k))
        return minimise(lambda theta: log_loss(theta, logs, gold, weight), centre, deviation**-2.0)


@dataclass(frozen=True, eq=False)
class PoolFit(ConfusionFit):
    """A pool of models.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Pooled probability of each category for each item; 1 for a known category.
    prevalence : ndarray, shape (K,)
        Mean of the posterior over items that have labels.
    confusion : ndarray, shape (J, K, K)
        Confusion matrices implied by the posterior; 0.01 is added to each count.
    member_weights : ndarray, shape (M,)
        Weights of the members, in the order of `MEMBERS`, followed by the weight of the predictions
        if there are any.
    offsets : ndarray, shape (K,)
        b, by category; 0 without gold.
    covariance : ndarray, shape (M + K, M + K)
        Covariance matrix of weights and offsets.
    logs : ndarray, shape (I, K, M)
        Log probabilities of the members, floored, followed by those of the predictions if there are
        any.
    gold : ndarray of int, shape (I,)
        Known categories; -1 if unknown.
    unconverged : tuple of str
        Members that stopped before convergence.
    """

    prevalence: Floats
    confusion: Floats
    member_weights: Floats
    offsets: Floats
    covariance: Floats
    logs: Floats
    gold: NDArray[np.int32]
    unconverged: tuple[str, ...]
    _premise: ClassVar[str] = "weights learned on other labels suit these"

    @cached_property
    def accuracy(self) -> Floats:
        """Probability that each annotator is right on an item of the population, shape (J,)."""
        return base.accuracy(self.prevalence, self.confusion)

    def premise(self) -> str:
        """Return the assumptions of the probabilities.

        Returns
        -------
        str
            To be read after "if".
        """
        if (self.gold >= 0).any():
            return "the gold items are like the others"
        return self._premise

    def item_intervals(self, level: float = 0.95) -> Floats:
        """Return an interval of the probability of each item's best category.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        ndarray, shape (2, I)
            Lower and upper ends; 1 for known categories.

        Raises
        ------
        AnnotationError
            If the level is out of range.

        Notes
        -----
        It reflects the uncertainty of weights and offsets, by the delta method on log odds, but not
        that of the members' parameters.
        """
        check_level(level, "pool")
        known = self.gold >= 0
        k, rows = len(self.categories), np.arange(len(self.posterior))
        q = pooled(self.logs, self.member_weights, self.offsets)
        best = q.argmax(axis=1)
        score = self.logs @ self.member_weights + self.offsets
        odds = np.full(rows.size, np.inf)
        error = np.zeros(rows.size)
        if k > 1:
            score[rows, best], own = -np.inf, score[rows, best]
            other, total = normalised(score)
            odds = own - total
            of_weights = self.logs[rows, best] - np.einsum("nk,nkm->nm", other, self.logs)
            of_offsets = np.eye(k)[best] - other
            slope = np.hstack([of_weights, of_offsets])
            error = np.sqrt(np.einsum("np,pq,nq->n", slope, self.covariance, slope, optimize=True))
        margin = float(ndtri((1 + level) / 2)) * error
        ends = 1 / (1 + np.exp(-np.stack([odds - margin, odds + margin])))
        return np.where(known, 1.0, ends)

    def dependence(self, annotations: Annotations) -> None:
        """Return None: the pool does not assume that annotators err independently.

        Parameters
        ----------
        annotations : Annotations
            Not used.
        """

    def cautions(self, annotations: Annotations | None = None) -> list[str]:
        said = super().cautions(annotations)
        if not self.unconverged:
            return said
        return [f"Members that stopped before convergence: {', '.join(self.unconverged)}.", *said]

    def _headline(self) -> str:
        n = int((self.gold >= 0).sum())
        return f"{super()._headline()}, weights {f'by {n:,} gold items' if n else 'as shipped'}"


class Draws(NamedTuple):
    """Draws of prevalence and confusion matrices.

    Attributes
    ----------
    prevalence : ndarray, shape (S, K)
        Probability of each category.
    confusion : ndarray, shape (S, J, K, K)
        Confusion matrices.
    n_switched : int
        0: label switching cannot occur in a pool.
    """

    prevalence: Floats
    confusion: Floats
    n_switched: int = 0


def fit(
    annotations: Annotations,
    *,
    gold: Mapping[str, str] | ArrayLike | None = None,
    gold_weights: ArrayLike | None = None,
    weights: Weights | None = None,
    predictions: pd.DataFrame | ArrayLike | None = None,
) -> PoolFit:
    """Fit the members, and pool them.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    gold : mapping of str to str, or array_like of int, shape (I,), optional
        Known categories: by item, or codes with -1 if unknown. They update the weights; the members
        do not use them.
    gold_weights : array_like, shape (I,), optional
        Weight of each gold item in the update, at least 0, by default 1; 0 fixes its category
        without learning from it.
    weights : Weights, optional
        Weights to use instead of the shipped ones.
    predictions : DataFrame, or array_like of shape (I, K), optional
        A classifier's probabilities, as a further member: a table indexed by item with a column per
        category (other items are ignored), or an array in the order of the labels' items and
        categories. They need gold items on which the classifier was not trained.

    Returns
    -------
    PoolFit
        Posterior, weights with their covariance, and implied parameters of annotators.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, no item has labels of two annotators, or
        gold does not fit these items; if predictions do not fit these items, or are given without
        gold.

    Notes
    -----
    The cost is that of all members; the pool itself costs a logarithm and an exponential per
    member, item and category. Memory is M times that of the posterior, plus that of the largest
    member.

    References
    ----------
    Genest and Zidek (1986), Statistical Science 1, 114-148.

    Examples
    --------
    >>> rows = [[1] * 5, [0] * 5, [1] * 5, [0] * 5, [1, 1, 0, 1, 0], [0, 1, 0, 0, 1]]
    >>> result = fit(Annotations.from_wide(rows))
    >>> result.posterior.argmax(axis=1).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    annotations = METHOD.check(annotations)
    known = gold_codes(METHOD.name, annotations, gold)
    more = _further(annotations, predictions)
    if more and not (known >= 0).any():
        raise AnnotationError(
            "pool.fit: predictions need gold. Labels on which a classifier may have been trained "
            "do not show its accuracy, so without gold its weight would be 0. Give the categories "
            "of some items on which it was not trained (--gold)."
        )
    tables, unconverged = fit_members(annotations)
    return _assembled(
        annotations,
        log_features([*tables, *more]),
        known,
        unconverged,
        weights or shipped_weights(),
        gold_weights,
    )


def refit(
    annotations: Annotations,
    fitted: PoolFit,
    *,
    gold: Mapping[str, str] | ArrayLike | None = None,
    gold_weights: ArrayLike | None = None,
    weights: Weights | None = None,
    predictions: pd.DataFrame | ArrayLike | None = None,
) -> PoolFit:
    """Pool the fitted members again with other gold or predictions.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    fitted : PoolFit
        The fit whose members are used.
    gold, gold_weights, weights, predictions : optional
        As for `fit`; without gold the weight of predictions is 0.

    Returns
    -------
    PoolFit
        As `fit` would return.

    Raises
    ------
    AnnotationError
        If gold or predictions do not fit these items.
    """
    annotations = as_annotations(annotations, "pool.refit")
    known = gold_codes(METHOD.name, annotations, gold)
    logs = fitted.logs[:, :, : len(MEMBERS)]
    if more := _further(annotations, predictions):
        logs = np.concatenate([logs, log_features(more)], axis=2)
    return _assembled(
        annotations, logs, known, fitted.unconverged, weights or shipped_weights(), gold_weights
    )


def fit_members(annotations: Annotations) -> tuple[list[Floats], tuple[str, ...]]:
    """Fit the members.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    list of ndarray, shape (I, K)
        Their posteriors, in the order of `MEMBERS`.
    tuple of str
        Members that did not converge.
    """
    annotations = as_annotations(annotations, "pool.fit_members")
    # Copies, as annotations keep the orders that a fit has asked for.
    fits = {name: _module(name).fit(replace(annotations)) for name in MODELS}
    votes = annotations.counts.astype(np.float64)
    k = annotations.n_categories
    shares = (votes + 1 / k) / (votes.sum(axis=1, keepdims=True) + 1)
    unconverged = tuple(name for name, each in fits.items() if not each.converged)
    return [*(each.posterior for each in fits.values()), shares], unconverged


def bootstrap(
    annotations: Annotations,
    fitted: PoolFit,
    *,
    rng: np.random.Generator | int | None = None,
    replicates: int = 200,
) -> Draws:
    """Draw prevalence and confusion matrices, with random weights and resampled items.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    fitted : PoolFit
        The fit.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.
    replicates : int, default 200
        Number of draws.

    Returns
    -------
    Draws
        They reflect the uncertainty of weights and offsets, and the sampling of items; the members
        are not refitted.

    Raises
    ------
    AnnotationError
        If there are no replicates, or the labels are not those of the fit.
    """
    annotations = as_annotations(annotations, "pool.bootstrap")
    if replicates < 1 or annotations.items != fitted.items:
        raise AnnotationError(
            "pool.bootstrap: needs the labels that were fitted and at least one replicate, got "
            f"{annotations.n_items:,} items for {len(fitted.items):,} and {replicates} replicates."
        )
    rng = np.random.default_rng(rng)
    m = fitted.member_weights.size
    centre = np.append(fitted.member_weights, fitted.offsets)
    thetas = rng.multivariate_normal(centre, fitted.covariance, size=replicates, method="cholesky")
    labelled = np.flatnonzero(np.bincount(annotations.item, minlength=annotations.n_items))
    found = []
    for theta in thetas:
        posterior = _known(pooled(fitted.logs, theta[:m], theta[m:]), fitted.gold)
        drawn = labelled[rng.integers(labelled.size, size=labelled.size)]
        times = np.bincount(drawn, minlength=annotations.n_items).astype(np.float64)
        found.append(_implied(annotations, posterior, times))
    prevalence, confusion = (np.stack(parts) for parts in zip(*found, strict=True))
    return Draws(prevalence, confusion)


@cache
def _stored() -> dict[str, Any]:
    text = files("annobench.models").joinpath("pool.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored


def shipped_weights(dataset: str | None = None) -> Weights:
    """Return weights learned from public data sets.

    Parameters
    ----------
    dataset : str, optional
        A data set whose family is excluded from learning; by default no family is.

    Returns
    -------
    Weights
        Weights learned from the other families.
    """
    stored = _stored()
    family = stored["families"].get(dataset)
    found = stored["all"] if family is None else stored["without"][family]
    return Weights(np.array(found["weights"]), found["spread"], found["offset_spread"])


def unseen(dataset: str) -> dict[str, Weights]:
    """Return options of `fit` with weights not learned from a data set's family.

    Parameters
    ----------
    dataset : str
        Its name.

    Returns
    -------
    dict of str to Weights
        `weights`, as from `shipped_weights`.
    """
    return {"weights": shipped_weights(dataset)}


def _further(
    annotations: Annotations, predictions: pd.DataFrame | ArrayLike | None
) -> list[Floats]:
    """Return the probabilities of further members."""
    return [] if predictions is None else [probabilities(annotations, predictions)]


def _module(name: str) -> ModuleType:
    return import_module(f"annobench.models.{name}")


def _assembled(
    annotations: Annotations,
    logs: Floats,
    gold: NDArray[np.int32],
    unconverged: tuple[str, ...],
    weights: Weights,
    gold_weights: ArrayLike | None,
) -> PoolFit:
    known = gold if gold.size else np.full(annotations.n_items, -1, dtype=np.int32)
    counts = np.bincount(annotations.item, minlength=annotations.n_items)
    # Of an item without labels the members know nothing that a weight could be learned from.
    used = np.flatnonzero((known >= 0) & (counts > 0))
    of_gold = np.ones(known.size) if gold_weights is None else np.asarray(gold_weights)
    mode = weights.update(logs[used], known[used], of_gold[used])
    w, b = np.split(mode.theta, [logs.shape[2]])
    posterior = _known(pooled(logs, w, b), known)
    prevalence, confusion = _implied(annotations, posterior, (counts > 0).astype(np.float64))
    return PoolFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior,
        prevalence=prevalence,
        confusion=confusion,
        member_weights=w,
        offsets=b,
        covariance=mode.covariance,
        logs=logs,
        gold=known,
        unconverged=unconverged,
    )


def _known(posterior: Floats, gold: NDArray[np.int32]) -> Floats:
    """Replace probabilities by known categories."""
    at = np.flatnonzero(gold >= 0)
    posterior[at] = 0.0
    posterior[at, gold[at]] = 1.0
    return posterior


def _implied(annotations: Annotations, posterior: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Return prevalence and confusion matrices, with items weighted by their counts."""
    a, k = annotations, annotations.n_categories
    weighted = posterior * times[:, None]
    counts = np.full((a.n_annotators, k, k), _SMOOTHING)
    collect_confusion(a.item, a.annotator, a.label, weighted, counts)
    return weighted.sum(axis=0) / times.sum(), counts / counts.sum(axis=2, keepdims=True)
