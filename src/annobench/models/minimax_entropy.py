"""Minimax conditional entropy: both annotators and items have a confusion matrix.

Given an item's category c, annotator j gives item i the label k with a probability whose logarithm
is the sum of a term of the annotator, a term of the item, and a normalising constant::

    P(y_ij = k | c) = exp(sigma_j[c, k] + tau_i[c, k]) / Z_ij[c]

It is the distribution of the labels with maximum entropy among those that give each annotator and
each item the expected number of each label in each category; the categories minimise this entropy.
The dual problem, with penalties that relax these constraints, is to maximise over sigma, tau and
the items' posteriors Q ::

    sum of Q_i[c] log P(y_ij | c) + sum of the entropies of Q_i
        - alpha / 2 sum of sigma**2 - beta / 2 sum of tau**2

With Q eliminated this is the log likelihood of the labels, with equally probable categories, minus
the penalties. It is maximised by EM from the vote shares; the M-step takes a Newton step in the
terms of each annotator, then of each item, each halved until the objective does not decrease. alpha
is
`regularisation` times K squared, and beta is alpha times the mean number of labels of an
annotator over that of an item.

What differs from the papers: the 2012 paper has terms tau_i[k] and no penalties; the papers of 2014
and 2015 choose `regularisation` between 1/4 and 4 by cross-validation, whereas here it is 1/4, as
in the second author's published program, which others used for comparisons; M-steps are Newton
steps, not a library's optimiser.

Zhou, Platt, Basu and Mao (2012), NIPS 25, 2195-2203; Zhou, Liu, Platt and Meek (2014), ICML,
262-270; Zhou, Liu, Platt, Meek and Shah (2015), arXiv 1503.07240.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models._fixed_point import (
    SETTLED,
    TOLERANCE,
    as_proposed,
    largest_change,
    run_em,
    space_of,
)
from annobench.models._votes import Floats, check_search, normalised
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of
from annobench.models.kernels.minimax_entropy import add_log_probabilities, refit_terms

__all__ = ["METHOD", "MinimaxEntropyFit", "fit"]

METHOD = Method(
    name="minimax_entropy",
    title="minimax entropy",
    reference="Zhou, Liu, Platt, Meek and Shah (2015), section 3; Zhou et al. (2012)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("annotator_terms", "item_terms", "confusion", "accuracy", "log_likelihood"),
            *("log_posterior", "n_iterations", "converged", "history"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the terms of annotators and items; equal probabilities if these tie, too",
        smoothing="quadratic penalties: K squared / 4 for annotators, more by labels for items",
        start="vote shares, all terms 0",
        optimum=f"a local maximum of the penalised likelihood by EM; {SETTLED}",
    ),
    compares=True,
)


@dataclass(frozen=True, eq=False)
class MinimaxEntropyFit(ConfusionFit):
    """A fit of minimax conditional entropy.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item; 1/K for an item without labels.
    annotator_terms : ndarray, shape (J, K, K)
        sigma, by category and label; 0 for an annotator without labels.
    item_terms : ndarray, shape (I, K, K)
        tau, by category and label; 0 for an item without labels.
    log_likelihood : float
        Log probability of the labels, with equally probable categories, summed out.
    log_posterior : float
        `log_likelihood` minus the penalties.
    n_iterations : int
        Updates of the terms.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_posterior` at the start and after every update; it never falls.
    """

    annotator_terms: Floats
    item_terms: Floats
    log_likelihood: float
    log_posterior: float
    n_iterations: int
    converged: bool
    history: Floats

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices on items whose terms are 0, shape (J, K, K): ``[j, truth, label]``."""
        share = np.exp(self.annotator_terms - self.annotator_terms.max(axis=2, keepdims=True))
        return np.asarray(share / share.sum(axis=2, keepdims=True))

    @cached_property
    def accuracy(self) -> Floats:
        """Mean diagonal of the confusion matrices, shape (J,)."""
        return np.asarray(np.einsum("jkk->j", self.confusion) / len(self.categories))


class _Terms(NamedTuple):
    annotator: Floats
    item: Floats


def fit(
    annotations: Annotations,
    *,
    regularisation: float = 0.25,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> MinimaxEntropyFit:
    """Fit the terms of annotators and items by penalised EM, from the vote shares.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    regularisation : float, default 0.25
        Penalty of the annotators' terms divided by K squared, above 0. The items' penalty follows.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates.

    Returns
    -------
    MinimaxEntropyFit
        Posterior, terms, likelihood, convergence.

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
    An iteration costs about 5 K^2 exponentials per label; memory is K^2 numbers per item and per
    annotator.

    References
    ----------
    Zhou, Liu, Platt, Meek and Shah (2015), section 3.

    Examples
    --------
    >>> rows = ["1110", "0001", "1110", "0001", "1110", "0011"]  # the fourth is wrong nearly always
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)))
    >>> int(found.accuracy.argmin())
    3
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    if not 0 < regularisation < np.inf:
        raise ValueError(
            "minimax_entropy.fit: regularisation must be a finite number above 0, got "
            f"{regularisation}."
        )
    a, k = annotations, annotations.n_categories
    per_item, per_annotator = a.by_item, a.by_annotator
    of_annotators = regularisation * k**2
    # The mean number of labels of an annotator over that of an item, of those that have any.
    n_items, n_annotators = (
        np.count_nonzero(np.diff(view.offsets)) for view in (per_item, per_annotator)
    )
    of_items = of_annotators * n_items / n_annotators

    def expect(terms: _Terms) -> tuple[Floats, float, float]:
        score = np.full((a.n_items, k), -np.log(k))
        add_log_probabilities(a.item, a.annotator, a.label, *terms, score)
        posterior, of_item = normalised(score)
        likelihood = min(float(of_item.sum()), 0.0)
        penalty = of_annotators * (terms.annotator**2).sum() + of_items * (terms.item**2).sum()
        return posterior, likelihood, likelihood - 0.5 * float(penalty)

    def maximise(posterior: Floats, terms: _Terms) -> _Terms:
        annotator, item = terms.annotator.copy(), terms.item.copy()
        groups = per_annotator.offsets, per_annotator.order
        refit_terms(*groups, a.item, a.item, a.label, posterior, item, of_annotators, annotator)
        groups = per_item.offsets, per_item.order
        refit_terms(*groups, a.item, a.annotator, a.label, posterior, annotator, of_items, item)
        return _Terms(annotator, item)

    zero = _Terms(np.zeros((a.n_annotators, k, k)), np.zeros((a.n_items, k, k)))
    start = maximise(voting.fit(a).posterior, zero)
    end = run_em(
        start,
        expect,
        maximise,
        tolerance,
        max_iterations,
        space=space_of(start, (as_proposed, as_proposed)),
        moved=largest_change,
    )
    fitted = MinimaxEntropyFit(
        a.items,
        a.annotators,
        a.categories,
        posterior=end.expected,
        annotator_terms=end.parameters.annotator,
        item_terms=end.parameters.item,
        log_likelihood=end.log_likelihood,
        log_posterior=end.history[-1],
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
