"""The one-coin model: the model of Dawid and Skene with one accuracy for each annotator.

An item is of category k with probability ``prevalence[k]``. Annotator j labels it correctly with
probability ``accuracy[j]``, and otherwise gives one of the K - 1 wrong labels, each with the same
probability; labels are independent given the category. An annotator's confusion matrix thus has
``accuracy[j]`` all along its diagonal and ``(1 - accuracy[j]) / (K - 1)`` elsewhere.

Fitted by EM from the vote shares. With smoothing it finds the posterior mode under Dirichlet
priors: `smoothing` is added to each of the K x K counts of an annotator and each of the K counts of
the prevalence, as in `dawid_skene`. The model equals `dawid_skene` with confusion matrices tied to
one accuracy.

Zhang, Chen, Zhou and Jordan (2016), Journal of Machine Learning Research 17, section 2 (one-coin
model); EM as in Dawid and Skene (1979).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import (
    SETTLED,
    TOLERANCE,
    EMTrace,
    Space,
    kept_probable,
    kept_shares,
    space_of,
)
from annobench.models._passes import PartitionedFit, Passing
from annobench.models._votes import (
    Floats,
    Votes,
    check_search,
    even_error_logs,
    even_errors,
    log,
)
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of
from annobench.scale._blocks import BlockedLabels

__all__ = ["METHOD", "OneCoinFit", "fit", "fit_partitions"]

METHOD = Method(
    name="one_coin",
    title="one-coin model",
    reference="Zhang, Chen, Zhou and Jordan (2016), section 2; Dawid and Skene (1979)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "accuracy", "confusion", "log_likelihood", "log_posterior"),
            *("n_iterations", "converged", "history"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' accuracies; equal probabilities if these tie, too",
        smoothing="0.01 added to every count of a confusion matrix and of the prevalence",
        start="vote shares",
        optimum=f"a local maximum of the posterior density by EM; {SETTLED}",
    ),
    compares=True,
    offers=frozenset({"fit_partitions"}),
)


@dataclass(frozen=True, eq=False)
class OneCoinFit(ConfusionFit):
    """A fit of the one-coin model.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item under the parameters below.
    prevalence : ndarray, shape (K,)
        Probability of each category, sums to 1.
    accuracy : ndarray, shape (J,)
        Probability that annotator j is right, in [0, 1]; 1/K for guessing.
    log_likelihood : float
        Log probability of the labels, categories summed out.
    log_posterior : float
        `log_likelihood` plus the log densities of the priors without their constants.
    n_iterations : int
        Updates of the parameters.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_posterior` at the start and after every update; it never falls.
    """

    prevalence: Floats
    accuracy: Floats
    log_likelihood: float
    log_posterior: float
    n_iterations: int
    converged: bool
    history: Floats

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters: accuracies, and the prevalence.

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
        return n_annotators + len(self.categories) - 1

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        return even_errors(self.accuracy, len(self.categories))


class _Parameters(NamedTuple):
    prevalence: Floats
    accuracy: Floats


class _Sums(NamedTuple):
    """Expected items by category; expected correct labels, and all labels, by annotator."""

    mass: Floats
    right: Floats
    given: Floats
    log_likelihood: float


@dataclass(frozen=True)
class _Passes:
    smoothing: float
    parameters: ClassVar[type[_Parameters]] = _Parameters

    def begin(self, votes: Votes, number: int) -> _Sums:
        return self._sums(votes, votes.shares, 0.0)

    def sweep(self, votes: Votes, theta: _Parameters, number: int) -> tuple[_Sums, Floats]:
        log_right, log_wrong = even_error_logs(theta.accuracy, theta.prevalence.size)
        posterior, likelihood = votes.expect(log_right, log_wrong, log(theta.prevalence))
        return self._sums(votes, posterior, likelihood), posterior

    def update(self, total: _Sums, theta: _Parameters | None) -> _Parameters:
        k = total.mass.size
        mass = total.mass + self.smoothing
        right = total.right + k * self.smoothing
        given = total.given + k * k * self.smoothing
        guess = np.full(given.shape, 1 / k)
        # Rounding must not leave a share above 1.
        accuracy = np.minimum(np.divide(right, given, out=guess, where=given > 0), 1)
        return _Parameters(mass / mass.sum(), accuracy)

    def objective(self, total: _Sums, theta: _Parameters) -> tuple[float, float]:
        k = theta.prevalence.size
        log_right, log_wrong = even_error_logs(theta.accuracy, k)
        cells = k * log_right[:, 0].sum() + k * (k - 1) * log_wrong[:, 0].sum()
        prior = self.smoothing * (cells + log(theta.prevalence).sum())
        return total.log_likelihood, total.log_likelihood + float(prior)

    def space(self, theta: _Parameters) -> Space:
        return space_of(theta, (kept_shares, kept_probable))

    @staticmethod
    def _sums(votes: Votes, posterior: Floats, log_likelihood: float) -> _Sums:
        return _Sums(
            posterior[votes.labelled].sum(axis=0),
            votes.right(posterior).sum(axis=1),
            votes.n_given,
            log_likelihood,
        )


def fit(
    annotations: Annotations,
    *,
    smoothing: float = 0.01,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> OneCoinFit:
    """Fit the one-coin model by EM, from the vote shares.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    smoothing : float, default 0.01
        Added to every count, at least 0; 0 is maximum likelihood.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates.

    Returns
    -------
    OneCoinFit
        Posterior, prevalence, accuracies, likelihood, convergence.

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
    The posterior of an item without labels is the prevalence; it does not affect the fit. The
    accuracy of an annotator without labels is 1/K. With only one category every accuracy is 1. An
    iteration costs two additions per label and an exponential per item and category.

    References
    ----------
    Zhang, Chen, Zhou and Jordan (2016), Journal of Machine Learning Research 17, section 2.

    Examples
    --------
    >>> rows = ["111", "111", "000", "000", "110", "001"]  # the third errs twice, the others never
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> fit(Annotations.from_arrays(*zip(*labels))).accuracy.round(2)
    array([1.  , 1.  , 0.67])
    """
    annotations = METHOD.check(annotations)
    passes = _checked(smoothing, tolerance, max_iterations)
    passing = Passing.in_memory(annotations)
    end = passing.run(passes, tolerance, max_iterations)
    fitted = _fit_of(annotations, annotations.items, end, passing.posterior)
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def fit_partitions(
    passing: Passing,
    *,
    smoothing: float = 0.01,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> PartitionedFit:
    """Fit the model to partitions, as `fit` does to labels in memory.

    Parameters
    ----------
    passing : Passing
        The labels, and the workers that process them.
    smoothing, tolerance, max_iterations
        As for `fit`.

    Returns
    -------
    PartitionedFit
        Without items.
    """
    labels = passing.labels
    METHOD.check(labels)
    passes = _checked(smoothing, tolerance, max_iterations)
    end = passing.run(passes, tolerance, max_iterations, what=smoothing)
    nobody = np.zeros((0, labels.n_categories))
    fitted = _fit_of(labels, (), end, nobody)
    warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
    return PartitionedFit(fitted, passes, end.parameters)


def _checked(smoothing: float, tolerance: float, max_iterations: int) -> _Passes:
    check_search(METHOD.name, tolerance, max_iterations)
    if not 0 <= smoothing < np.inf:
        raise ValueError(
            f"one_coin.fit: smoothing must be a finite number of at least 0, got {smoothing}."
        )
    return _Passes(smoothing)


def _fit_of(
    labels: Annotations | BlockedLabels,
    items: tuple[str, ...],
    end: EMTrace[_Parameters, Any],
    posterior: Floats,
) -> OneCoinFit:
    return OneCoinFit(
        items,
        labels.annotators,
        labels.categories,
        posterior=posterior,
        prevalence=end.parameters.prevalence,
        accuracy=end.parameters.accuracy,
        log_likelihood=end.log_likelihood,
        log_posterior=end.history[-1],
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )
