"""The one-coin model: the model of Dawid and Skene with one accuracy for each annotator.

An item is of category k with probability ``prevalence[k]``. Annotator j labels it rightly with
probability ``accuracy[j]``, and otherwise gives one of the K - 1 wrong labels, each with the same
probability; labels are independent given the category. An annotator's confusion matrix thus has
``accuracy[j]`` all along its diagonal and ``(1 - accuracy[j]) / (K - 1)`` elsewhere.

Fitted by EM from the vote shares. With smoothing it finds the mode of the posterior under
Dirichlet priors: `smoothing` is added to each of the K x K cells of an annotator's counts and to
each of the K of the prevalence, as in `dawid_skene`, whose confusion matrices tied to one
accuracy this model is.

Zhang, Chen, Zhou and Jordan (2016), Journal of Machine Learning Research 17, section 2 (one-coin
model); EM as in Dawid and Skene (1979).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models._votes import (
    Floats,
    Votes,
    check_search,
    even_error_logs,
    even_errors,
    log,
    run_em,
)
from annobench.models.base import ConfusionFit, Conventions, Method

METHOD = Method(
    name="one_coin",
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
        optimum="a local maximum of the posterior density by EM; relative change of 1e-8",
    ),
    compares=True,
)


@dataclass(frozen=True, eq=False)
class OneCoinFit(ConfusionFit):
    """A fit of the one-coin model.

    Attributes
    ----------
    items, annotators, categories : tuple of str
        Names, by code.
    posterior : ndarray, shape (I, K)
        Probability of each category for each item under the parameters below.
    prevalence : ndarray, shape (K,)
        Probability of each category, sums to 1.
    accuracy : ndarray, shape (J,)
        Probability that annotator j is right, in [0, 1]; 1/K is guessing.
    log_likelihood : float
        Log probability of the labels, categories summed out.
    log_posterior : float
        The same plus the log densities of the priors without their constants.
    n_iterations : int
        Updates of the parameters.
    converged : bool
        Whether the relative change of `log_posterior` came down to the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_posterior` at the start and after every update; it never falls.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: Floats
    prevalence: Floats
    accuracy: Floats
    log_likelihood: float
    log_posterior: float
    n_iterations: int
    converged: bool
    history: Floats

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        return even_errors(self.accuracy, len(self.categories))


class _Parameters(NamedTuple):
    prevalence: Floats
    accuracy: Floats


def fit(
    annotations: Annotations,
    *,
    smoothing: float = 0.01,
    tolerance: float = 1e-8,
    max_iterations: int = 1_000,
) -> OneCoinFit:
    """Fit the one-coin model by EM, from the vote shares.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    smoothing : float, default 0.01
        Added to every count, at least 0; 0 is maximum likelihood.
    tolerance : float, default 1e-8
        Relative change of the log posterior at which EM stops; with 0 all updates are done.
    max_iterations : int, default 1_000
        Updates after which EM stops in any case.

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
        If a number is out of its range.

    Notes
    -----
    An item without labels has the prevalence for its posterior and no part in it. An annotator
    without labels has the accuracy 1/K. With one category known every accuracy is 1. An
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
    METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    if not 0 <= smoothing < np.inf:
        raise ValueError(
            f"one_coin.fit: smoothing must be a finite number of at least 0, got {smoothing}."
        )
    votes = Votes(annotations)
    k = annotations.n_categories

    def expect(theta: _Parameters) -> tuple[Floats, float, float]:
        log_right, log_wrong = even_error_logs(theta.accuracy, k)
        posterior, likelihood = votes.expect(log_right, log_wrong, log(theta.prevalence))
        cells = k * log_right[:, 0].sum() + k * (k - 1) * log_wrong[:, 0].sum()
        prior = smoothing * (cells + log(theta.prevalence).sum())
        return posterior, likelihood, likelihood + float(prior)

    def maximise(posterior: Floats, _: object = None) -> _Parameters:
        mass = posterior[votes.labelled].sum(axis=0) + smoothing
        right = votes.right(posterior).sum(axis=1) + k * smoothing
        total = votes.n_given + k * k * smoothing
        guess = np.full(total.shape, 1 / k)
        # Rounding must not leave a share above 1.
        accuracy = np.minimum(np.divide(right, total, out=guess, where=total > 0), 1)
        return _Parameters(mass / mass.sum(), accuracy)

    start = maximise(voting.fit(annotations).posterior)
    end = run_em(start, expect, maximise, tolerance, max_iterations)
    return OneCoinFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=end.posterior,
        prevalence=end.parameters.prevalence,
        accuracy=end.parameters.accuracy,
        log_likelihood=end.log_likelihood,
        log_posterior=end.history[-1],
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )
