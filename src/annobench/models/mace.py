"""MACE: annotators either know the category or spam with an individual strategy.

All categories are equally probable. Annotator j labels an item correctly with probability
``competence[j]``. Otherwise the annotator spams: the label l is drawn with probability
``strategy[j, l]``, whatever the item's category, and may thus be correct by chance. Labels are
independent given the category::

    z_i ~ Uniform(1, ..., K)         s_ij ~ Bernoulli(1 - theta_j)
    y_ij = z_i if s_ij = 0,          y_ij ~ Categorical(xi_j) if s_ij = 1

Fitted by variational Bayes with the priors theta_j ~ Beta(0.5, 0.5) and xi_j ~ Dirichlet(10, ...,
10), or by EM with smoothed counts; both as in the paper. The first start has theta_j = 1/2 and
uniform strategies, the others are random near it, and the start with the highest final objective is
kept.

What differs from the paper: iteration ends by a convergence rule, not after 50 iterations, and the
first start
is not random.

Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), NAACL-HLT, 1120-1130.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import digamma, gammaln

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import SETTLED, TOLERANCE, EMTrace, Space, kept_positive
from annobench.models._passes import PartitionedFit, Passing
from annobench.models._votes import Floats, Votes, check_search, log
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of
from annobench.scale._blocks import BlockedLabels

__all__ = ["METHOD", "MaceFit", "fit", "fit_partitions"]

METHOD = Method(
    name="mace",
    title="MACE",
    reference="Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), section 2",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("competence", "strategy", "accuracy", "confusion", "log_likelihood", "objective"),
            *("n_iterations", "converged", "history", "starts"),
        }
    ),
    deterministic=False,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by competences and strategies; equal probabilities if these tie, too",
        smoothing="Beta(0.5, 0.5) for competences, Dirichlet(10, ..., 10) for strategies",
        start="even strategies and competences of 1/2, and random ones near; the best end is kept",
        optimum=f"a local maximum of the variational bound; {SETTLED}",
    ),
    compares=True,
    offers=frozenset({"fit_partitions"}),
    unchanged_by=frozenset({"separate blocks"}),
)

Inference = Literal["variational", "em"]

#: Priors of the paper's variational version: Beta(a, a) and Dirichlet(b, ..., b).
COMPETENCE_PRIOR, STRATEGY_PRIOR = 0.5, 10.0
#: Random starts are made of numbers between 1 and this, as shares.
LARGEST_START = 1.5


@dataclass(frozen=True, eq=False)
class MaceFit(ConfusionFit):
    """A fit of MACE.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item; 1/K for an item without labels.
    competence : ndarray, shape (J,)
        Probability that an annotator knows and does not spam, in [0, 1]; posterior mean if
        variational.
    strategy : ndarray, shape (J, K)
        Distribution of an annotator's labels when spamming; rows sum to 1.
    log_likelihood : float
        Log probability of the labels under `competence` and `strategy`, categories summed out.
    objective : float
        The objective: the lower bound of the log evidence (variational), or the log likelihood plus
        the log prior without its constants (EM).
    n_iterations : int
        Updates of the best start.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        The objective of the best start, initially and after every update; it never falls.
    starts : ndarray, shape (n_starts,)
        Final objective of each start; different values are local optima.
    """

    competence: Floats
    strategy: Floats
    log_likelihood: float
    objective: float
    n_iterations: int
    converged: bool
    history: Floats
    starts: Floats

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters: a competence and a strategy for each annotator.

        Parameters
        ----------
        n_annotators : int
            Annotators who gave labels.
        n_items : int
            I.

        Returns
        -------
        int
            Number of free parameters.
        """
        return n_annotators * len(self.categories)

    @cached_property
    def accuracy(self) -> Floats:
        """Probability of a correct label if categories are equally probable, shape (J,)."""
        return self.competence + (1 - self.competence) / len(self.categories)

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        spam = (1 - self.competence)[:, None] * self.strategy
        return spam[:, None, :] + self.competence[:, None, None] * np.eye(len(self.categories))


class _Parameters(NamedTuple):
    """Log probabilities of knowing, of spamming, and of labels when spamming, by annotator.

    All follow from `counts`, shape (J, 1 + K): expected numbers of known labels, and of labels when
    spamming. In variational Bayes they are expected logarithms, whose exponentials sum to less than
    1, and the log prior is minus the Kullback-Leibler divergence of the posterior from the prior.
    """

    know: Floats
    spam: Floats
    strategy: Floats
    log_prior: float
    competence: Floats
    strategy_mean: Floats
    counts: Floats


def fit(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    inference: Inference = "variational",
    smoothing: float = 0.01,
    n_starts: int = 10,
    even_start: bool = True,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> MaceFit:
    """Fit MACE from several starts and keep the best.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the starts, or a seed.
    inference : {"variational", "em"}, default "variational"
        Variational Bayes, or EM with smoothed counts.
    smoothing : float, default 0.01
        For EM: this over K is added to every expected count, at least 0.
    n_starts : int, default 10
        Number of starts, including the uniform one, at least 1.
    even_start : bool, default True
        Whether the first start is the uniform one; otherwise it is random, too.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates per start.

    Returns
    -------
    MaceFit
        Posterior, competences, strategies, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If an option is invalid.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    The probabilities of an item without labels are uniform. The parameters of an annotator without
    labels are the prior's means, or uniform in EM. With only one category every label is right, and
    the competences depend on the prior alone. An iteration costs two additions per label and an
    exponential per item and category.

    References
    ----------
    Hovy, Berg-Kirkpatrick, Vaswani and Hovy (2013), sections 2.1 to 2.4.

    Examples
    --------
    >>> rows = ["000", "110", "000", "110", "010", "110", "000"]  # the third says nothing but 0
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)), rng=np.random.default_rng(1))
    >>> int(found.competence.argmin())
    2
    """
    annotations = METHOD.check(annotations)
    passes = _checked(inference, smoothing, n_starts, tolerance, max_iterations)
    passing = Passing.in_memory(annotations)
    ends, posteriors = [], []
    for first in _guesses(annotations, n_starts, rng, even_start=even_start):
        start = partial(_after, passes, passing, first)
        ends.append(passing.run(passes, tolerance, max_iterations, start=start))
        posteriors.append(passing.posterior)
    best = _best(ends)
    likelihood = passing.sweep(passes, _means(best.parameters)).log_likelihood
    posterior = posteriors[ends.index(best)]
    fitted = _fit_of(annotations, annotations.items, ends, posterior, likelihood)
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def fit_partitions(
    passing: Passing,
    *,
    rng: np.random.Generator | int | None = None,
    inference: Inference = "variational",
    smoothing: float = 0.01,
    n_starts: int = 10,
    even_start: bool = True,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> PartitionedFit:
    """Fit MACE to partitions, as `fit` does to labels in memory, one start after the other.

    Parameters
    ----------
    passing : Passing
        The labels, and the workers that process them.
    rng, inference, smoothing, n_starts, even_start, tolerance, max_iterations
        As for `fit`.

    Returns
    -------
    PartitionedFit
        Without items.
    """
    labels = passing.labels
    METHOD.check(labels)
    passes = _checked(inference, smoothing, n_starts, tolerance, max_iterations)
    ends = []
    for number, first in enumerate(_guesses(labels, n_starts, rng, even_start=even_start)):
        ends.append(
            passing.run(
                passes,
                tolerance,
                max_iterations,
                start=partial(_after, passes, passing, first),
                name=f"start-{number}",
                # Numbers that the start was drawn as tell a checkpoint of another seed.
                what=(inference, smoothing, first.competence[:5].tolist()),
            )
        )
    best = _best(ends)
    likelihood = passing.sweep(passes, _means(best.parameters)).log_likelihood
    nobody = np.zeros((0, labels.n_categories))
    fitted = _fit_of(labels, (), ends, nobody, likelihood)
    warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
    return PartitionedFit(fitted, passes, best.parameters)


def _after(passes: _Passes, passing: Passing, first: _Parameters) -> _Parameters:
    """Update the parameters once."""
    return passes.update(passing.sweep(passes, first), first)


class _Sums(NamedTuple):
    """Numbers of labels by annotator and category: expected correct, and all, shape (J, K)."""

    right: Floats
    given: Floats
    log_likelihood: float


@dataclass(frozen=True)
class _Passes:
    inference: Inference
    smoothing: float
    parameters: ClassVar[type[_Parameters]] = _Parameters

    def begin(self, votes: Votes, number: int) -> _Sums:
        return self.sweep(votes, next(_guesses(votes.annotations)), number)[0]

    def sweep(self, votes: Votes, theta: _Parameters, number: int) -> tuple[_Sums, Floats]:
        k = theta.strategy.shape[1]
        log_wrong = theta.spam[:, None] + theta.strategy
        log_right = np.logaddexp(theta.know[:, None], log_wrong)
        posterior, likelihood = votes.expect(log_right, log_wrong, np.full(k, -np.log(k)))
        return _Sums(votes.right(posterior), votes.given, likelihood), posterior

    def update(self, total: _Sums, theta: _Parameters | None) -> _Parameters:
        if theta is None:
            n_annotators, n_categories = total.given.shape
            theta = _even(n_annotators, n_categories)
        # A label that is right was known, or spammed and right by chance.
        odds = theta.spam[:, None] + theta.strategy - theta.know[:, None]
        right = total.right / (1 + np.exp(np.minimum(odds, 700.0)))
        known, spammed = right.sum(axis=1), np.maximum(total.given - right, 0)
        return self._of_counts(np.column_stack([known, spammed]))

    def _of_counts(self, counts: Floats) -> _Parameters:
        if self.inference == "variational":
            return _variational(counts)
        return _smoothed(counts, self.smoothing / (counts.shape[1] - 1))

    def space(self, theta: _Parameters) -> Space:
        shape = theta.counts.shape
        return Space(
            lambda parameters: parameters.counts.ravel(),
            lambda vector: self._of_counts(vector.reshape(shape)),
            kept_positive,
        )

    def objective(self, total: _Sums, theta: _Parameters) -> tuple[float, float]:
        return total.log_likelihood, total.log_likelihood + theta.log_prior


def _checked(
    inference: Inference, smoothing: float, n_starts: int, tolerance: float, max_iterations: int
) -> _Passes:
    check_search(METHOD.name, tolerance, max_iterations)
    if inference not in get_args(Inference):
        raise ValueError(
            f"mace.fit: inference must be one of {', '.join(get_args(Inference))}, "
            f"got {inference!r}."
        )
    if not 0 <= smoothing < np.inf or n_starts < 1:
        raise ValueError(
            "mace.fit: smoothing must be a finite number of at least 0 and n_starts at least 1, "
            f"got {smoothing} and {n_starts}."
        )
    return _Passes(inference, smoothing)


def _guesses(
    labels: Annotations | BlockedLabels,
    n_starts: int = 1,
    rng: np.random.Generator | int | None = None,
    *,
    even_start: bool = True,
) -> Iterator[_Parameters]:
    """Yield the starts: uniform parameters unless excluded, then random ones near them."""
    generator = np.random.default_rng(rng)
    shape = labels.n_annotators, labels.n_categories
    if even_start:
        yield _even(*shape)
    for _ in range(n_starts - even_start):
        competence = _near_even((shape[0], 2), generator)
        yield _parameters(competence, _near_even(shape, generator))


def _best(ends: list[EMTrace[_Parameters, Any]]) -> EMTrace[_Parameters, Any]:
    return ends[int(np.argmax([end.history[-1] for end in ends]))]


def _means(theta: _Parameters) -> _Parameters:
    """Return logs of the means instead of expected logs, for the likelihood."""
    return theta._replace(
        know=log(theta.competence),
        spam=log(1 - theta.competence),
        strategy=log(theta.strategy_mean),
        log_prior=0.0,
    )


def _fit_of(
    labels: Annotations | BlockedLabels,
    items: tuple[str, ...],
    ends: list[EMTrace[_Parameters, Any]],
    posterior: Floats,
    log_likelihood: float,
) -> MaceFit:
    best = _best(ends)
    return MaceFit(
        items,
        labels.annotators,
        labels.categories,
        posterior=posterior,
        competence=best.parameters.competence,
        strategy=best.parameters.strategy_mean,
        log_likelihood=log_likelihood,
        objective=best.history[-1],
        n_iterations=best.n_iterations,
        converged=best.converged,
        history=np.array(best.history),
        starts=np.array([end.history[-1] for end in ends]),
    )


def _even(n_annotators: int, n_categories: int) -> _Parameters:
    strategy = np.full((n_annotators, n_categories), 1 / n_categories)
    return _parameters(np.full((n_annotators, 2), 0.5), strategy)


def _parameters(competence: Floats, strategy: Floats) -> _Parameters:
    know, spam = np.log(competence.T)
    counts = np.zeros((len(strategy), 1 + strategy.shape[1]))  # none yet
    return _Parameters(know, spam, np.log(strategy), 0.0, competence[:, 0], strategy, counts)


def _near_even(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    numbers = rng.uniform(1, LARGEST_START, size=shape)
    return np.asarray(numbers / numbers.sum(axis=1, keepdims=True))


def _smoothed(counts: Floats, smoothing: float) -> _Parameters:
    """Normalise counts, the mode under Dirichlet priors; uniform if there are none."""
    known, spammed = counts[:, 0], counts[:, 1:]
    either = _shares(np.stack([known, spammed.sum(axis=1)], axis=1), smoothing)
    strategy = _shares(spammed, smoothing)
    log_prior = smoothing * (log(either).sum() + log(strategy).sum())
    know, spam = log(either.T)
    log_strategy = log(strategy)
    return _Parameters(know, spam, log_strategy, float(log_prior), either[:, 0], strategy, counts)


def _shares(counts: Floats, smoothing: float) -> Floats:
    total = counts.sum(axis=1, keepdims=True) + counts.shape[1] * smoothing
    even = np.full(counts.shape, 1 / counts.shape[1])
    np.divide(counts + smoothing, total, out=even, where=total > 0)
    return even


def _variational(counts: Floats) -> _Parameters:
    """Compute expected logs under the beta and Dirichlet posteriors given counts."""
    known, spammed = counts[:, 0], counts[:, 1:]
    either, either_gap = _posterior(
        np.stack([known, spammed.sum(axis=1)], axis=1), COMPETENCE_PRIOR
    )
    strategy, strategy_gap = _posterior(spammed, STRATEGY_PRIOR)
    know, spam = _expected_logs(either).T
    return _Parameters(
        know,
        spam,
        _expected_logs(strategy),
        -(either_gap + strategy_gap),
        either[:, 0] / either.sum(axis=1),
        strategy / strategy.sum(axis=1, keepdims=True),
        counts,
    )


def _posterior(counts: Floats, prior: float) -> tuple[Floats, float]:
    """Return the parameters of Dirichlet posteriors, and their total divergence from the prior."""
    after = counts + prior
    n = after.shape[1]
    constants = gammaln(after.sum(axis=1)) - gammaln(after).sum(axis=1)
    before = gammaln(n * prior) - n * gammaln(prior)
    tilt = (counts * _expected_logs(after)).sum(axis=1)
    return after, float((constants - before + tilt).sum())


def _expected_logs(parameters: Floats) -> Floats:
    return np.asarray(digamma(parameters) - digamma(parameters.sum(axis=1, keepdims=True)))
