"""GLAD: annotators of different ability label items of different difficulty.

All categories are equally probable. Annotator j labels item i correctly with the probability

    sigma(alpha_j beta_i) = 1 / (1 + exp(-alpha_j beta_i))

and otherwise gives one of the K - 1 wrong labels, each with the same probability. alpha_j is the
annotator's ability: at 0 labels are correct with probability one half, negative values are worse.
beta_i > 0 is the item's easiness, 1 / beta_i its difficulty: as beta_i tends to 0, every annotator
is correct with probability one half. Priors: alpha_j ~ Normal(1, 1) and log beta_i ~ Normal(1, 1).

Fitted by EM from alpha_j = 1 and log beta_i = 1. The M-step takes a Newton step in every ability,
then in every easiness, each halved until its objective does not decrease. Multiplying all abilities
and dividing all easiness parameters by the same factor changes only the prior density, and separate
steps converge to the best factor slowly; a third step optimises it.

On partitions an iteration takes two passes, and one more for each halving of a step in abilities:
one pass computes the sums for the step in abilities, the other evaluates the step and updates the
easiness parameters of its items, which are stored on disk by partition.

What differs from the paper: K categories, whereas its section 2 has two (the extension, with evenly
spread errors, is suggested in the paper); M-steps by Newton's method, not by gradient ascent.

Whitehill, Ruvolo, Wu, Bergsma and Movellan (2009), NIPS 22, 2035-2043.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import (
    SETTLED,
    TOLERANCE,
    EMTrace,
    Space,
    as_proposed,
    largest_change,
    run_em,
    space_of,
)
from annobench.models._passes import PartitionedFit, Passing
from annobench.models._votes import Floats, Votes, check_search, normalised
from annobench.models.base import Conventions, Fit, Method, warned_of
from annobench.models.kernels.votes import add_scaled_votes, slopes
from annobench.scale._blocks import Block, BlockedLabels
from annobench.scale._kept import KeptItems

__all__ = ["METHOD", "GladFit", "fit", "fit_partitions"]

METHOD = Method(
    name="glad",
    title="GLAD",
    reference="Whitehill, Ruvolo, Wu, Bergsma and Movellan (2009), sections 2 and 3",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("ability", "easiness", "difficulty", "log_likelihood", "log_posterior"),
            *("n_iterations", "converged", "history"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' abilities; equal probabilities if these tie, too",
        smoothing="normal priors, mean 1 and variance 1, of abilities and log easinesses",
        start="every ability and log easiness at 1",
        optimum=f"a local maximum of the posterior density by EM; {SETTLED}",
    ),
    compares=True,
    offers=frozenset({"fit_partitions"}),
    unchanged_by=frozenset({"separate blocks"}),
)

#: Mean of the priors of abilities and of log easiness; their standard deviations are 1.
PRIOR_MEAN = 1.0
#: Longest Newton step, and how often it is halved at most.
LONGEST_STEP, HALVINGS = 1.0, 20


@dataclass(frozen=True, eq=False)
class GladFit(Fit):
    """A fit of GLAD.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item; 1/K for an item without labels.
    ability : ndarray, shape (J,)
        alpha; the prior mean 1 for an annotator without labels.
    easiness : ndarray, shape (I,)
        beta > 0; the prior median e for an item without labels.
    log_likelihood : float
        Log probability of the labels under these parameters, categories summed out.
    log_posterior : float
        `log_likelihood` plus the log densities of the priors without their constants.
    n_iterations : int
        Updates of the parameters.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_posterior` at the start and after every update; it never falls.
    """

    _premise: ClassVar[str] = (
        "annotators err independently of each other given category and difficulty"
    )

    ability: Floats
    easiness: Floats
    log_likelihood: float
    log_posterior: float
    n_iterations: int
    converged: bool
    history: Floats

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters: abilities and easiness of items.

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
        return n_annotators + n_items

    @cached_property
    def difficulty(self) -> Floats:
        """Difficulty of each item, 1 / beta, shape (I,)."""
        return 1 / self.easiness

    def accuracy_on(self, item: int) -> Floats:
        """Return the probability that each annotator labels an item correctly.

        Parameters
        ----------
        item : int
            Code of the item.

        Returns
        -------
        ndarray, shape (J,)
            In [0, 1].
        """
        return np.asarray(1 / (1 + np.exp(-self.ability * self.easiness[item])))


class _Parameters(NamedTuple):
    ability: Floats
    log_easiness: Floats


class _Shared(NamedTuple):
    """Parameters on partitions: log easiness is a stored version minus the log factor."""

    ability: Floats
    log_factor: float
    version: int


class _Sums(NamedTuple):
    """The sums of a pass.

    Per annotator, the expected log likelihood, its gradient and negative second derivative, shape
    (3, J), and the number of labels; the log likelihood, and the log prior of the easiness
    parameters.
    """

    of_abilities: Floats
    given: Floats
    log_likelihood: float
    log_prior: float


class _Attempt(NamedTuple):
    """The objective at trial abilities, and the easiness parameters given these.

    Per annotator, the expected log likelihood, shape (J,); the number of items with labels, and the
    sums of the deviations of log easiness from the prior mean and of their squares.
    """

    of_abilities: Floats
    n_items: int
    above: float
    squares: float


def fit(
    annotations: Annotations, *, tolerance: float = TOLERANCE, max_iterations: int = 1_000
) -> GladFit:
    """Fit GLAD by EM to the mode of the posterior of abilities and easiness parameters.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates.

    Returns
    -------
    GladFit
        Posterior, abilities, easiness parameters, likelihood, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    With only one category labels are uninformative, and the priors' means are returned. An
    iteration reads the labels five times or more.

    References
    ----------
    Whitehill, Ruvolo, Wu, Bergsma and Movellan (2009), section 3.

    Examples
    --------
    >>> rows = ["1111", "0001", "1110", "0000", "1110", "0001", "1111"]  # the fourth errs often
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> int(fit(Annotations.from_arrays(*zip(*labels))).ability.argmin())
    3
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    votes = Votes(annotations)

    def expect(theta: _Parameters) -> tuple[tuple[_Sums, Floats], float, float]:
        total, posterior = _expected(votes, *theta)
        return (total, posterior), *_objective(total, theta.ability)

    def maximise(expected: tuple[_Sums, Floats], theta: _Parameters) -> _Parameters:
        total, posterior = expected
        log_easiness = theta.log_easiness

        def attempt(ability: Floats) -> _Attempt:
            nonlocal log_easiness
            tried, log_easiness = _attempted(votes, posterior, ability, theta.log_easiness)
            return tried

        ability, log_factor = _maximised(total, theta.ability, attempt)
        return _Parameters(ability, _divided(log_easiness, log_factor, votes.labelled))

    start = _Parameters(
        *(np.full(n, PRIOR_MEAN) for n in (votes.n_given.size, votes.labelled.size))
    )
    end = run_em(
        start,
        expect,
        maximise,
        tolerance,
        max_iterations,
        space=space_of(start, (as_proposed, as_proposed)),
        moved=lambda before, after: largest_change(before[1], after[1]),
    )
    easiness = np.exp(end.parameters.log_easiness)
    fitted = _fit_of(annotations, annotations.items, end, end.expected[1], easiness)
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def fit_partitions(
    passing: Passing, *, tolerance: float = TOLERANCE, max_iterations: int = 1_000
) -> PartitionedFit:
    """Fit GLAD to partitions, as `fit` does to labels in memory.

    Parameters
    ----------
    passing : Passing
        The labels, the workers that process them, and a checkpoint folder, which also stores the
        easiness parameters.
    tolerance, max_iterations
        As for `fit`.

    Returns
    -------
    PartitionedFit
        Without items.
    """
    labels = passing.labels
    METHOD.check(labels)
    check_search(METHOD.name, tolerance, max_iterations)
    passes = _Passes(passing.kept_items(_Passes))
    improve = partial(_improved, passes, passing)
    end = passing.run(passes, tolerance, max_iterations, improve=improve)
    nobody = np.zeros((0, labels.n_categories))
    fitted = _fit_of(labels, (), end, nobody, np.zeros(0))
    warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
    return PartitionedFit(fitted, passes, end.parameters)


@dataclass(frozen=True)
class _Passes:
    kept: KeptItems
    parameters: ClassVar[type[_Shared]] = _Shared

    def begin(self, votes: Votes, number: int) -> _Sums:
        return self.sweep(votes, _first(votes.n_given.size), number)[0]

    def sweep(self, votes: Votes, theta: _Shared, number: int) -> tuple[_Sums, Floats]:
        return _expected(votes, theta.ability, self._log_easiness(votes, theta, number))

    def update(self, total: _Sums, theta: _Shared | None) -> _Shared:
        return _first(total.given.size) if theta is None else theta

    def objective(self, total: _Sums, theta: _Shared) -> tuple[float, float]:
        return _objective(total, theta.ability)

    def space(self, theta: _Shared) -> Space:
        return Space(lambda shared: shared.ability, np.asarray, is_whole=False)

    def attempt(
        self, votes: Votes, theta: _Shared, number: int, ability: Floats, version: int
    ) -> _Attempt:
        """Evaluate abilities, and store the resulting easiness parameters as a version."""
        log_easiness = self._log_easiness(votes, theta, number)
        posterior = _expected(votes, theta.ability, log_easiness)[1]
        tried, better = _attempted(votes, posterior, ability, log_easiness)
        self.kept.write(number, version, better)
        return tried

    def _log_easiness(self, votes: Votes, theta: _Shared, number: int) -> Floats:
        if theta.version == 0:
            return np.full(votes.labelled.size, PRIOR_MEAN)
        kept = self.kept.read(number, theta.version)
        return _divided(kept, theta.log_factor, votes.labelled)


def _improved(passes: _Passes, passing: Passing, total: _Sums, theta: _Shared) -> _Shared:
    """Do the M-step by passes."""
    version = theta.version
    passes.kept.forget(before=version)

    def attempt(ability: Floats) -> _Attempt:
        nonlocal version
        version += 1
        return passing.labels.map_sum(passing.workers, _attempt, passes, theta, ability, version)

    ability, log_factor = _maximised(total, theta.ability, attempt)
    return _Shared(ability, log_factor, version)


def _attempt(
    block: Block, passes: _Passes, theta: _Shared, ability: Floats, version: int
) -> _Attempt:
    return passes.attempt(block.made(Votes), theta, block.number, ability, version)


def _first(n_annotators: int) -> _Shared:
    return _Shared(np.full(n_annotators, PRIOR_MEAN), 0.0, 0)


def _fit_of(
    labels: Annotations | BlockedLabels,
    items: tuple[str, ...],
    end: EMTrace[Any, Any],
    posterior: Floats,
    easiness: Floats,
) -> GladFit:
    return GladFit(
        items,
        labels.annotators,
        labels.categories,
        posterior=posterior,
        ability=end.parameters.ability,
        easiness=easiness,
        log_likelihood=min(end.log_likelihood, 0.0),
        log_posterior=end.history[-1],
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )


def _columns(
    votes: Votes,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    item, annotator, label = votes.columns
    # Of one category every label is right, which is no evidence of anything.
    stop = None if votes.annotations.n_categories > 1 else 0
    return item[:stop], annotator[:stop], label[:stop]


def _expected(votes: Votes, ability: Floats, log_easiness: Floats) -> tuple[_Sums, Floats]:
    """Do the E-step, and compute the sums for the abilities."""
    item, annotator, label = _columns(votes)
    n_items, k = log_easiness.size, votes.annotations.n_categories
    easiness, wrong_each = np.exp(log_easiness), np.log(max(k - 1, 1))
    score, base = np.zeros((n_items, k)), np.zeros(n_items)
    add_scaled_votes(item, annotator, label, ability, easiness, wrong_each, score, base)
    posterior, of_items = normalised(score - np.log(k))
    likelihood = of_items + base - wrong_each * np.bincount(item, minlength=n_items)
    of_abilities = np.zeros((3, ability.size))
    slopes(item, annotator, label, posterior, ability, easiness, False, of_abilities)
    prior = float(_prior(log_easiness)[0].sum())
    return _Sums(of_abilities, votes.n_given, float(likelihood.sum()), prior), posterior


def _objective(total: _Sums, ability: Floats) -> tuple[float, float]:
    prior = float(_prior(ability)[0].sum()) + total.log_prior
    return total.log_likelihood, total.log_likelihood + prior


def _attempted(
    votes: Votes, posterior: Floats, ability: Floats, log_easiness: Floats
) -> tuple[_Attempt, Floats]:
    """Evaluate abilities, and take a step in every log easiness given them."""
    item, annotator, label = _columns(votes)
    of_abilities = np.zeros((3, ability.size))
    easiness = np.exp(log_easiness)
    slopes(item, annotator, label, posterior, ability, easiness, False, of_abilities)

    def easiness_derivatives(at: Floats) -> Floats:
        out = _prior(at)
        slopes(item, annotator, label, posterior, ability, np.exp(at), True, out)
        return out

    better = _newton(
        easiness_derivatives(log_easiness), lambda at: easiness_derivatives(at)[0], log_easiness
    )
    above = (better - PRIOR_MEAN)[votes.labelled]
    return _Attempt(of_abilities[0], above.size, float(above.sum()), float(above @ above)), better


def _maximised(
    total: _Sums, ability: Floats, attempt: Callable[[Floats], _Attempt]
) -> tuple[Floats, float]:
    """Improve the abilities, and return the log factor by which easiness is then divided."""
    tried: _Attempt | None = None
    at = ability

    def value(trial: Floats) -> Floats:
        nonlocal tried, at
        tried, at = attempt(trial), trial
        return np.asarray(tried.of_abilities + _prior(trial)[0])

    better = _newton(total.of_abilities + _prior(ability), value, ability)
    if tried is None or at is not better:
        tried = attempt(better)
    has_labels = total.given > 0
    log_factor = _best_log_factor(better[has_labels], tried)
    return np.where(has_labels, better * np.exp(log_factor), better), log_factor


def _best_log_factor(ability: Floats, tried: _Attempt) -> float:
    """Find the factor between abilities and easiness that maximises the prior density."""

    def factor_derivatives(at: Floats) -> Floats:
        scaled = ability * np.exp(at)
        up = _prior(scaled)
        value = up[0].sum() - (tried.squares - 2 * at * tried.above + tried.n_items * at**2) / 2
        slope = (up[1] * scaled).sum() + tried.above - tried.n_items * at
        curvature = max((scaled**2 - up[1] * scaled).sum(), 0.0) + tried.n_items
        return np.stack([value, slope, np.full(1, curvature)])

    start = np.zeros(1)
    return float(_newton(factor_derivatives(start), lambda at: factor_derivatives(at)[0], start)[0])


def _divided(log_easiness: Floats, log_factor: float, has_labels: NDArray[np.bool_]) -> Floats:
    return np.where(has_labels, log_easiness - log_factor, log_easiness)


def _prior(x: Floats) -> Floats:
    """Return the log prior density, its gradient and negative second derivative, in three rows."""
    return np.stack([-((x - PRIOR_MEAN) ** 2) / 2, PRIOR_MEAN - x, np.ones_like(x)])


def _newton(here: Floats, value: Callable[[Floats], Floats], x: Floats) -> Floats:
    """Take a Newton step in each parameter, halved while the objective would fall."""
    step = np.clip(here[1] / here[2], -LONGEST_STEP, LONGEST_STEP)
    floor = here[0] - 1e-12 * np.abs(here[0])  # a step lost in rounding is none down
    for _ in range(HALVINGS):
        trial = np.asarray(x + step)
        down = value(trial) < floor
        if not down.any():
            return trial
        step[down] /= 2
    return np.asarray(np.where(down, x, trial))
