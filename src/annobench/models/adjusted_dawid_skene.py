r"""Dawid and Skene's model with partial pooling, adjusted for dependence between errors.

Categories and labels are those of Dawid and Skene's model: item i has category k with probability
prevalence_k, and annotator j labels it l with probability confusion_jkl. Row k of every annotator
has a Dirichlet prior with mean m_k and concentration s, which are estimated from the vote shares
and then from expected counts, in a fixed number of updates (empirical Bayes); under this prior EM
maximises the posterior density. Let S_ik be the log likelihood of the labels of item i for category
k, where the rows are estimated without item i, so that no label confirms itself.

If errors are independent given the category, the posterior is::

    q0_ik  proportional to  prevalence_k exp(S_ik)

Otherwise n labels carry the information of fewer. With the correlation rho they count as
n / (1 + (n - 1) rho) labels (Kish 1965, section 5.4, the design effect), and categories that the
model infers against the majority are less certain, too. With the smoothed vote shares v_ik =
(n_ik + 1/K) / (n_i + 1)::

    q_ik   proportional to  prevalence_k^a v_ik^b exp(S_ik / (1 + (n_i - 1) rho))
    q1_ik  = (1 - e) q_ik + e / K

The posterior is the mixture (1 - w) q0 + w q1, where w is the probability that errors are
dependent. It follows from the estimated correlation between two labels of an item being correct,
given its category, and its standard error under independence (`annobench.models.dependence`): under
independence the estimate is normal with mean 0, under dependence its mean is log-normal over data
sets. The prior probability of independence is .8 times the power of the check: where labels are too
few to measure the correlation, errors are taken to be as dependent as on public data sets.

The correlation tends to be underestimated: an error that all annotators share cannot be
distinguished from an item of another category. rho, a, b and e are therefore learned from public
data sets with gold, on nearly all of which errors are dependent; so are the distribution of the
correlation over data sets, and how far annotators' accuracy on gold is from its estimate.
`workflow/studies/default_model` learns them, without each family of data sets in turn.

Confusion matrices are those that the posterior implies, again partially pooled. Rows are shifted to
the annotator's accuracy, which has a beta prior estimated from all annotators.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtr, roots_hermitenorm, softmax

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models import base
from annobench.models._accuracy import (
    accuracy_posteriors,
    confusion_of_counts,
    hits_of,
    with_accuracy,
)
from annobench.models._fixed_point import SETTLED, TOLERANCE
from annobench.models._gold import gold_codes
from annobench.models._passes import PartitionedFit, Passing
from annobench.models._pooling import pooled_rows
from annobench.models._votes import Floats, Votes, check_search, log
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of
from annobench.models.dawid_skene._passes import DawidSkenePasses
from annobench.models.dawid_skene.em import NO_GOLD, Problem, Settings
from annobench.models.dawid_skene.starts import votes_start
from annobench.models.dependence import ENOUGH, DependenceCheck, check
from annobench.models.kernels.votes import collect_confusion
from annobench.scale._blocks import Block, BlockedLabels

__all__ = [
    "METHOD",
    "AdjustedFit",
    "Adjustment",
    "Evidence",
    "bootstrap",
    "combine",
    "fit",
    "fit_partitions",
    "shipped",
    "unseen",
]

METHOD = Method(
    name="adjusted_dawid_skene",
    title="Dawid and Skene's model, adjusted for dependence",
    reference="Dawid and Skene (1979); Carpenter (2008), section 2, for partial pooling; Kish "
    "(1965), section 5.4, for the design effect; the adjustment is ours",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy", "mean", "concentration", "adjustment"),
            *("dependence_check", "weight", "evidence", "gold", "n_iterations", "converged"),
        }
    ),
    deterministic=False,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' confusion matrices",
        smoothing="rows are partially pooled; one item is added to each category",
        start="vote shares",
        optimum=f"a maximum of the posterior density of prevalence and rows; {SETTLED}",
    ),
    compares=True,
    offers=frozenset({"bootstrap", "fit_partitions", "unseen"}),
)

#: Pseudo-counts of a mean row: on the diagonal, and off the diagonal in total.
_RIGHT, _WRONG = 1.0, 1.0
#: Gamma prior, shape and rate, of the concentration of annotators' rows.
_CONCENTRATION = (2.0, 0.2)
#: Updates in which mean and concentration are estimated, before they are held fixed: updated for
#: ever, they need not converge, as expected counts and concentration reinforce each other.
_POOLING = 20
#: Entries of matrices from which they are estimated at most.
_ENTRIES = 100_000
#: Labels whose scores are computed at a time.
_CHUNK = 65_536
#: Prior probability of independent errors if the check is powerful; where it has no power, errors
#: are taken to be dependent, as on public data sets. Chosen on simulated crowds.
_INDEPENDENT: Final = 0.8
#: Correlations below which the check cannot be trusted: its working model is not exactly right.
_NEGLIGIBLE: Final = 0.003
#: Nodes and weights for the mean over a normal distribution.
_NODES, _WEIGHTS = roots_hermitenorm(41)


@dataclass(frozen=True)
class Adjustment(SummarisedScalars):
    """What was learned from public data sets with gold.

    Attributes
    ----------
    correlation : float
        rho, in [0, 1]: the correlation by which labels are discounted if errors are dependent.
    prevalence_power, votes_power : float
        a and b, at least 0.
    floor : float
        e, in [0, 1): share of items of which the labels say nothing.
    location, scale : float
        Mean and standard deviation, over data sets, of the log of the measured correlation.
    accuracy_spread : float
        Standard deviation, on the logit scale, of annotators' accuracy on gold around its estimate,
        beyond sampling errors, if errors are dependent.
    prevalence_spread : float
        The same of the prevalence, on the log scale.
    """

    correlation: float
    prevalence_power: float
    votes_power: float
    floor: float
    location: float
    scale: float
    accuracy_spread: float
    prevalence_spread: float


class Evidence(NamedTuple):
    """What the labels of each item say.

    Attributes
    ----------
    scores : ndarray, shape (I, K)
        S, the log likelihood of the item's labels for each category.
    log_prevalence : ndarray, shape (K,)
        Log probability of each category.
    votes : ndarray of int, shape (I, K)
        Number of labels.
    """

    scores: Floats
    log_prevalence: Floats
    votes: NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class AdjustedFit(ConfusionFit):
    """A fit of the adjusted model.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item; 1 for a known category.
    prevalence : ndarray, shape (K,)
        Mean of the posterior over items that have labels.
    confusion : ndarray, shape (J, K, K)
        ``[j, k, l]``: annotator j gives l when the truth is k; the mean row for an annotator
        without labels.
    mean : ndarray, shape (K, K)
        m: the mean rows.
    concentration : float
        s > 0: concentration of the annotators' rows.
    weight : float
        w, in [0, 1]: probability that errors are dependent.
    dependence_check : DependenceCheck
        The measured correlation between two labels of an item being correct, given its category.
    adjustment : Adjustment
        The learned constants.
    evidence : Evidence
        What the labels of each item say.
    gold : ndarray of int, shape (I,) or (0,)
        Known categories; -1 if unknown; empty without gold.
    n_iterations : int
        Updates of the parameters, without those that estimate mean rows and concentration.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    """

    _premise: ClassVar[str] = "errors are as dependent as on public data sets with gold"

    prevalence: Floats
    confusion: Floats
    mean: Floats
    concentration: float
    weight: float
    dependence_check: DependenceCheck
    adjustment: Adjustment
    evidence: Evidence
    gold: NDArray[np.int32]
    n_iterations: int
    converged: bool

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
        return ConfusionFit._premise if self.weight < 0.5 else self._premise

    def explanation(self) -> str:
        """Say how dependent the errors are, and how the probabilities allow for it.

        Returns
        -------
        str
            Two sentences.
        """
        measured, rho = self.dependence_check, self.adjustment.correlation
        if np.isnan(measured.correlation):
            finding = (
                "These labels cannot show whether errors are dependent, as they hardly disagree."
            )
        else:
            finding = (
                "Given the category, two labels of an item are right or wrong together with a "
                f"correlation of {measured.correlation:.3f} (standard error "
                f"{measured.null_deviation:.3f} under independence): errors are dependent with "
                f"probability {self.weight:.2f}."
            )
        counted = f"n labels of an item count as n / (1 + {rho:.2f} (n - 1))"
        if self.weight > 0.95:
            return f"{finding} Therefore {counted}."
        if self.weight < 0.05:
            return f"{finding} Labels therefore count in full."
        return (
            f"{finding} Probabilities average both cases, with that weight; if errors are "
            f"dependent, {counted}."
        )

    def dependence(self, annotations: Annotations) -> None:
        """Return None: the posterior already allows for the measured dependence.

        Parameters
        ----------
        annotations : Annotations
            Not used.
        """

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the parameters that are not pooled: prevalence, mean rows, concentration.

        Parameters
        ----------
        n_annotators, n_items : int
            Not used.

        Returns
        -------
        int
            K squared.
        """
        return len(self.categories) ** 2


class Draws(NamedTuple):
    """Draws of prevalence and confusion matrices.

    Attributes
    ----------
    prevalence : ndarray, shape (S, K)
        Probability of each category.
    confusion : ndarray, shape (S, J, K, K)
        Confusion matrices.
    n_switched : int
        0: no draw is refitted, so label switching cannot occur.
    """

    prevalence: Floats
    confusion: Floats
    n_switched: int = 0


def fit(
    annotations: Annotations,
    *,
    gold: Mapping[str, str] | ArrayLike | None = None,
    adjustment: Adjustment | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
    rng: np.random.Generator | int | None = None,
) -> AdjustedFit:
    """Fit the model, measure how dependent errors are, and adjust the probabilities.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    gold : mapping of str to str, or array_like of int, shape (I,), optional
        Known categories: by item, or codes with -1 if unknown.
    adjustment : Adjustment, optional
        Constants to use instead of the shipped ones.
    tolerance : float, default 1e-6
        Stop when no item's probability, before the adjustment, is farther than this from its limit,
        as estimated from the rate of convergence; with 0 all updates are done.
    max_iterations : int, default 1_000
        Maximum number of updates.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the null distribution of the correlation, or a seed; by default 0,
        so that the same labels give the same result.

    Returns
    -------
    AdjustedFit
        Posterior, prevalence, confusion matrices, and the measured dependence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, no item has labels of two annotators, or
        gold does not fit these items.
    ValueError
        If a number is out of range.

    Notes
    -----
    An update costs one pass over the labels, with K operations each, and evaluates the digamma
    function at up to 200,000 entries of the matrices. The check for dependence is described in
    `annobench.models.dependence`.

    References
    ----------
    Dawid and Skene (1979), Applied Statistics 28, 20-28. Carpenter (2008), section 2. Kish (1965),
    Survey Sampling, section 5.4. Minka (2000), Estimating a Dirichlet distribution.

    Examples
    --------
    >>> rows = [[1] * 5, [0] * 5, [1] * 5, [0] * 5, [1, 1, 0, 1, 0], [0, 1, 0, 0, 1]]
    >>> result = fit(Annotations.from_wide(rows))
    >>> result.posterior.argmax(axis=1).tolist()
    [1, 0, 1, 0, 1, 0]
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    codes = gold_codes(METHOD.name, annotations, gold)
    adjustment = shipped() if adjustment is None else adjustment
    pooled = _fit_pooled(annotations, codes, tolerance, max_iterations)
    seen = _evidence(annotations, pooled)
    independent = combine(seen, 0.0, adjustment)
    measured = check(annotations, independent, rng=0 if rng is None else rng)
    weight = _weight(measured, adjustment)
    posterior = _with_gold(combine(seen, weight, adjustment), codes)
    labelled = seen.votes.any(axis=1)
    prevalence = posterior[labelled].mean(axis=0)
    counts = np.zeros_like(pooled.counts)
    collect_confusion(annotations.item, annotations.annotator, annotations.label, posterior, counts)
    fitted = AdjustedFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior,
        prevalence=prevalence,
        confusion=confusion_of_counts(counts, pooled.mean, pooled.concentration, prevalence),
        mean=pooled.mean,
        concentration=pooled.concentration,
        weight=weight,
        dependence_check=measured,
        adjustment=adjustment,
        evidence=seen,
        gold=codes,
        n_iterations=pooled.n_iterations,
        converged=pooled.converged,
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


class _Pooled(NamedTuple):
    """The fit before the adjustment."""

    posterior: Floats
    prevalence: Floats
    mean: Floats
    concentration: float
    counts: Floats
    n_iterations: int
    converged: bool


class _Prior:
    """The Dirichlet prior of rows, estimated from expected counts."""

    def __init__(self, n_annotators: int, k: int) -> None:
        self.pseudo = np.full((k, k), _WRONG / max(k - 1, 1))
        np.fill_diagonal(self.pseudo, _RIGHT)
        self.every = -(-n_annotators * k * k // _ENTRIES)
        self.mean: Floats | None = None
        self.concentration = _CONCENTRATION[0] / _CONCENTRATION[1]
        #: As the kernels smooth, of shape (J, K, K); changed in place.
        self.smoothing = np.zeros((n_annotators, k, k))

    def update(self, counts: Floats) -> None:
        """Update mean and concentration, given expected counts, shape (J, K, K)."""
        if self.mean is None:
            mean = counts.sum(axis=0) + self.pseudo
            self.mean = mean / mean.sum(axis=1, keepdims=True)
        self.mean, self.concentration = pooled_rows(
            counts[:: self.every], self.mean, self.concentration, self.pseudo, _CONCENTRATION
        )
        self.smoothing[:] = self.concentration * self.mean

    def settings(
        self, labels: Annotations | BlockedLabels, tolerance: float, max_iterations: int
    ) -> Settings:
        """Return the settings of EM under this prior."""
        plain = Settings.plain(labels, 0.0, tolerance=tolerance, max_iterations=max_iterations)
        one_each = np.ones(labels.n_categories)
        return replace(plain, smoothing=self.smoothing, prevalence_smoothing=one_each)


def _fit_pooled(
    annotations: Annotations,
    gold: NDArray[np.int32],
    tolerance: float,
    max_iterations: int,
) -> _Pooled:
    """Estimate the prior of rows, then fit prevalence and rows by EM under this prior."""
    k = annotations.n_categories
    prior = _Prior(annotations.n_annotators, k)
    settings = replace(prior.settings(annotations, tolerance, max_iterations), gold=gold)
    problem = Problem.of(annotations, settings)
    state = problem.begin(votes_start(annotations), None)
    counts = state.counts[:, :, :k].swapaxes(1, 2)
    for _ in range(_POOLING):
        prior.update(counts)
        problem.update(state)
        problem.expect(state)
    problem.maximise_likelihood(state)
    assert prior.mean is not None
    return _Pooled(
        state.posterior,
        state.prevalence[:k],
        prior.mean,
        prior.concentration,
        counts,
        state.n_iterations,
        state.converged,
    )


def fit_partitions(
    passing: Passing,
    *,
    gold: Mapping[str, str] | None = None,
    adjustment: Adjustment | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
    rng: np.random.Generator | int | None = None,
) -> PartitionedFit:
    """Fit the model to partitions, as `fit` does to labels in memory.

    Parameters
    ----------
    passing : Passing
        The labels, and the workers that process them.
    gold : mapping of str to str, optional
        Known categories of some items, by name; they stay in memory.
    adjustment, tolerance, max_iterations, rng
        As for `fit`. Dependence is measured on a random sample of about 100,000 labels.

    Returns
    -------
    PartitionedFit
        Without items.

    Raises
    ------
    AnnotationError
        As for `fit`.
    ValueError
        If a number is out of range.
    """
    labels = METHOD.check(passing.labels, informed=gold is not None)
    check_search(METHOD.name, tolerance, max_iterations)
    adjustment = shipped() if adjustment is None else adjustment
    k = labels.n_categories
    prior = _Prior(labels.n_annotators, k)
    codes = {} if gold is None else labels.codes_of(gold)
    passes = DawidSkenePasses(prior.settings(labels, tolerance, max_iterations), k, codes)
    total = passing.begin(passes)
    for _ in range(_POOLING):
        prior.update(total.counts[:, :, :k].swapaxes(1, 2))
        theta = passes.update(total, None)
        total = passing.sweep(passes, theta)
    what = sorted((gold or {}).items())
    end = passing.run(passes, tolerance, max_iterations, start=lambda: theta, what=what)
    assert prior.mean is not None
    adjusted = _AdjustedPasses(passes, prior.mean, prior.concentration, adjustment)
    last = _Final(*end.parameters, end.expected.counts, np.float64(0.0))
    seed = np.random.default_rng(0 if rng is None else rng)
    share = min(1.0, ENOUGH / labels.n_labels)
    sample = labels.map_sum(
        passing.workers, _sample, adjusted, last, share, int(seed.integers(2**32))
    ).sample
    measured = check(
        *sample.whole(labels.categories, labels.annotators), rng=0 if rng is None else rng
    )
    last = last._replace(weight=np.float64(_weight(measured, adjustment)))
    sums = passing.sweep(adjusted, last)
    prevalence = sums.mass / sums.mass.sum()
    fitted = AdjustedFit(
        (),
        labels.annotators,
        labels.categories,
        posterior=np.empty((0, k)),
        prevalence=prevalence,
        confusion=confusion_of_counts(sums.counts, prior.mean, prior.concentration, prevalence),
        mean=prior.mean,
        concentration=prior.concentration,
        weight=float(last.weight),
        dependence_check=measured,
        adjustment=adjustment,
        evidence=Evidence(
            np.empty((0, k)), np.log(end.parameters.prevalence[:k]), np.empty((0, k), dtype=int)
        ),
        gold=NO_GOLD,
        n_iterations=end.n_iterations,
        converged=end.converged,
    )
    warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
    return PartitionedFit(fitted, adjusted, last)


class _Final(NamedTuple):
    """The parameters after EM, the expected counts, and the probability of dependent errors."""

    prevalence: Floats
    table: Floats
    counts: Floats
    weight: np.float64


class _FinalSums(NamedTuple):
    """Expected labels, (J, K, K), and items, (K,)."""

    counts: Floats
    mass: Floats


@dataclass(frozen=True)
class _AdjustedPasses:
    """The adjusted posterior of blocks of items."""

    passes: DawidSkenePasses
    mean: Floats
    concentration: float
    adjustment: Adjustment

    def evidence(self, votes: Votes, theta: _Final, number: int) -> Evidence:
        """Compute the evidence of a block."""
        k = self.mean.shape[0]
        parameters = self.passes.parameters(theta.prevalence, theta.table)
        pooled = _Pooled(
            self.passes.sweep(votes, parameters, number)[1],
            theta.prevalence[:k],
            self.mean,
            self.concentration,
            theta.counts[:, :, :k].swapaxes(1, 2),
            0,
            True,
        )
        return _evidence(votes.annotations, pooled)

    def sweep(self, votes: Votes, theta: _Final, number: int) -> tuple[_FinalSums, Floats]:
        """Compute the posterior of a block, and count."""
        seen = self.evidence(votes, theta, number)
        posterior = combine(seen, float(theta.weight), self.adjustment)
        items, categories = self.passes.gold.get(number, (NO_GOLD, NO_GOLD))
        codes = np.full(len(posterior), -1, dtype=np.int32)
        codes[items] = categories
        _with_gold(posterior, codes)
        a = votes.annotations
        counts = np.zeros((a.n_annotators, *self.mean.shape))
        collect_confusion(a.item, a.annotator, a.label, posterior, counts)
        return _FinalSums(counts, posterior[seen.votes.any(axis=1)].sum(axis=0)), posterior


@dataclass(frozen=True)
class _Sample:
    """Labels of some items of some blocks, and the posterior with independent errors."""

    blocks: tuple[tuple[Annotations, Floats], ...]

    def __add__(self, other: _Sample) -> _Sample:
        return _Sample(self.blocks + other.blocks)

    def whole(
        self, categories: tuple[str, ...], annotators: tuple[str, ...]
    ) -> tuple[Annotations, Floats]:
        """Join the blocks."""
        parts = [labels for labels, _ in self.blocks]
        starts = np.cumsum([0, *(labels.n_items for labels in parts)])
        shifted = [labels.item + first for labels, first in zip(parts, starts[:-1], strict=True)]
        joined = Annotations(
            item=np.concatenate(shifted).astype(np.int32),
            annotator=np.concatenate([labels.annotator for labels in parts]),
            label=np.concatenate([labels.label for labels in parts]),
            items=tuple(map(str, range(starts[-1]))),
            annotators=annotators,
            categories=categories,
        )
        return joined, np.concatenate([posterior for _, posterior in self.blocks])


class _Sampled(NamedTuple):
    sample: _Sample


def _sample(
    block: Block, passes: _AdjustedPasses, theta: _Final, share: float, seed: int
) -> _Sampled:
    """Draw items of a block."""
    votes = block.made(Votes)
    rng = np.random.default_rng([seed, block.number])
    items = np.flatnonzero(rng.random(votes.annotations.n_items) < share)
    seen = passes.evidence(votes, theta, block.number)
    posterior = combine(seen, 0.0, passes.adjustment)[items]
    return _Sampled(_Sample(((votes.annotations.select(items=items), posterior),)))


def _evidence(annotations: Annotations, pooled: _Pooled) -> Evidence:
    """Compute the scores of items under rows that are estimated without them."""
    view = annotations.by_item
    scores = np.zeros((annotations.n_items, annotations.n_categories))
    given = pooled.counts.sum(axis=2)
    prior = pooled.concentration * pooled.mean
    item = annotations.item[view.order]
    for first in range(0, item.size, _CHUNK):
        some = slice(first, first + _CHUNK)
        order = view.order[some]
        annotator, label = annotations.annotator[order], annotations.label[order]
        without = pooled.posterior[item[some]]
        cell = np.maximum(pooled.counts[annotator, :, label] - without, 0) + prior.T[label]
        row = np.maximum(given[annotator] - without, 0) + pooled.concentration
        # Labels are sorted by item, and an item may continue in the next chunk.
        items, starts = np.unique(item[some], return_index=True)
        scores[items] += np.add.reduceat(log(cell) - np.log(row), starts, axis=0)
    return Evidence(scores, np.log(pooled.prevalence), annotations.counts)


def combine(seen: Evidence, weight: float, adjustment: Adjustment) -> Floats:
    """Return the posterior, a mixture of those with independent and with dependent errors.

    Parameters
    ----------
    seen : Evidence
        What the labels say.
    weight : float
        w, in [0, 1].
    adjustment : Adjustment
        The learned constants.

    Returns
    -------
    ndarray, shape (I, K)
        Rows sum to 1.
    """
    n = np.maximum(seen.votes.sum(axis=1), 1)
    discounted = seen.scores / (1 + (n - 1) * adjustment.correlation)[:, None]
    dependent = softmax(
        adjustment.prevalence_power * seen.log_prevalence
        + adjustment.votes_power * _log_shares(seen.votes)
        + discounted,
        axis=1,
    )
    dependent = (1 - adjustment.floor) * dependent + adjustment.floor / dependent.shape[1]
    independent = softmax(seen.log_prevalence + seen.scores, axis=1)
    return np.asarray((1 - weight) * independent + weight * dependent)


def _log_shares(votes: NDArray[np.integer]) -> Floats:
    """Return the logarithms of smoothed vote shares, shape (I, K)."""
    k = votes.shape[1]
    return np.asarray(np.log(votes + 1 / k) - np.log(votes.sum(axis=1, keepdims=True) + 1))


def _weight(measured: DependenceCheck, adjustment: Adjustment) -> float:
    """Return the probability that errors are dependent, given the measured correlation."""
    estimate = measured.correlation
    if np.isnan(estimate):
        return 1.0  # as on public data sets
    deviation = float(np.hypot(measured.null_deviation, _NEGLIGIBLE))
    correlations = np.exp(adjustment.location + adjustment.scale * _NODES)
    # How often an estimate under independence is closer to 0 than the median on public data sets.
    power = 2 * float(ndtr(np.exp(adjustment.location) / deviation)) - 1
    prior = _INDEPENDENT * power
    # The logarithm of the ratio of normal densities, at each correlation.
    log_ratios = correlations * (estimate - correlations / 2) / deviation**2
    evidence_for = _log_mean(log_ratios)
    return float(expit(logit(1 - prior) + evidence_for))


def _log_mean(values: Floats) -> float:
    """Return the log of the mean of exponentials over the nodes."""
    top = float(values.max())
    return top + float(np.log(_WEIGHTS @ np.exp(values - top) / _WEIGHTS.sum()))


def _with_gold(posterior: Floats, gold: NDArray[np.int32]) -> Floats:
    """Replace probabilities by known categories, in place."""
    at = np.flatnonzero(gold >= 0)
    posterior[at] = 0.0
    posterior[at, gold[at]] = 1.0
    return posterior


def bootstrap(
    annotations: Annotations,
    fitted: AdjustedFit,
    *,
    rng: np.random.Generator | int | None = None,
    replicates: int = 200,
) -> Draws:
    """Draw prevalence and confusion matrices.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    fitted : AdjustedFit
        The fit.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.
    replicates : int, default 200
        Number of draws.

    Returns
    -------
    Draws
        Categories are drawn from the posterior, prevalence and rows from Dirichlet distributions
        given these, and accuracies from beta distributions. Accuracies are shifted on the logit
        scale, half of the variance being common to all annotators, by as much as estimates differ
        from gold on public data sets; so is the prevalence on the log scale, if errors are
        dependent.

    Raises
    ------
    AnnotationError
        If there are no replicates, or the labels are not those of the fit.

    Notes
    -----
    Nothing is refitted: a draw costs one pass over the labels.

    References
    ----------
    Rubin (1987), Multiple imputation for nonresponse in surveys, chapter 3, for the categories.
    """
    annotations = as_annotations(annotations, "adjusted_dawid_skene.bootstrap")
    if replicates < 1 or annotations.items != fitted.items:
        raise AnnotationError(
            "adjusted_dawid_skene.bootstrap: needs the labels that were fitted and at least one "
            f"replicate, got {annotations.n_items:,} items for {len(fitted.items):,} and "
            f"{replicates} replicates."
        )
    rng = np.random.default_rng(rng)
    a, k = annotations, annotations.n_categories
    labelled = np.bincount(a.item, minlength=a.n_items) > 0
    upper = fitted.posterior.cumsum(axis=1)[:, :-1]
    prior = fitted.concentration * fitted.mean
    row = a.annotator.astype(np.int64) * k
    spread = fitted.adjustment.accuracy_spread / np.sqrt(2)
    shift = np.sqrt(fitted.weight) * fitted.adjustment.prevalence_spread
    prevalence = np.empty((replicates, k))
    confusion = np.empty((replicates, a.n_annotators, k, k))
    for draw in range(replicates):
        category = (rng.random((a.n_items, 1)) > upper).sum(axis=1)
        cells = (row + category[a.item]) * k + a.label
        counts = np.bincount(cells, minlength=confusion[0].size).reshape(confusion.shape[1:])
        share = _dirichlet(rng, np.bincount(category[labelled], minlength=k) + 1.0)
        share *= np.exp(shift * rng.standard_normal(k))
        prevalence[draw] = share / share.sum()
        accuracy = rng.beta(*accuracy_posteriors(*hits_of(counts)))
        error = spread * (rng.standard_normal() + rng.standard_normal(a.n_annotators))
        confusion[draw] = with_accuracy(
            _dirichlet(rng, counts + prior), prevalence[draw], expit(logit(accuracy) + error)
        )
    return Draws(prevalence, confusion)


def _dirichlet(rng: np.random.Generator, parameters: NDArray[Any]) -> Floats:
    """Draw from Dirichlet distributions along the last axis."""
    drawn = np.maximum(rng.standard_gamma(parameters), np.finfo(float).tiny)
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


@cache
def _stored() -> dict[str, Any]:
    text = files("annobench.models").joinpath(f"{METHOD.name}.json").read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    return stored


def shipped(dataset: str | None = None) -> Adjustment:
    """Return the constants learned from public data sets.

    Parameters
    ----------
    dataset : str, optional
        A data set whose family is excluded from learning; by default no family is.

    Returns
    -------
    Adjustment
        Constants learned from the other families.
    """
    stored = _stored()
    family = stored["families"].get(dataset)
    return Adjustment(**(stored["all"] if family is None else stored["without"][family]))


def unseen(dataset: str) -> dict[str, Adjustment]:
    """Return options of `fit` with constants not learned from a data set's family.

    Parameters
    ----------
    dataset : str
        Its name.

    Returns
    -------
    dict of str to Adjustment
        `adjustment`, as from `shipped`.
    """
    return {"adjustment": shipped(dataset)}
