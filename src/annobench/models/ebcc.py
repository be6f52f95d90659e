"""Enhanced Bayesian classifier combination (EBCC): categories with subtypes, correlated annotators.

As in `ibcc`, but a category has M subtypes, such as items of different difficulty or kind, and
annotators have a row of label probabilities for each subtype. Labels are independent given the
subtype, and hence dependent given only the category::

    prevalence ~ Dirichlet(alpha)                    z_i ~ Categorical(prevalence)
    subtypes[k] ~ Dirichlet(a / M, ..., a / M)       g_i ~ Categorical(subtypes[z_i])
    rows[j, k, m] ~ Dirichlet(beta_k)                y_ij ~ Categorical(rows[j, z_i, g_i])

beta_k is `diagonal` at k and `off_diagonal` elsewhere. If a is small, only a few subtypes of a
category have items. The posterior is approximated by a product of a joint distribution of each
item's category and subtype, and a distribution of each row of parameters. Random starts divide an
item's vote shares among the subtypes; the last start leaves them undivided, in one subtype per
category. The start with the highest final bound is kept.

Li, Rubinstein and Cohn (2019), Exploiting worker correlation for label aggregation in
crowdsourcing, ICML, 3886-3895. The settings are those of the authors' published runs, except the
undivided start, which is ours. In these runs the parameters of the prevalence's prior are the sums
of the vote shares, so that votes count twice; the authors' other setting is 1 for each category.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import base, voting
from annobench.models._fixed_point import SETTLED, TOLERANCE
from annobench.models._variational import (
    Dirichlets,
    ascend,
    check_positive,
    dirichlet_priors,
    log_likelihood,
)
from annobench.models._votes import Floats, Votes, check_search
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of

__all__ = ["METHOD", "EbccFit", "fit"]

METHOD = Method(
    name="ebcc",
    title="EBCC",
    reference="Li, Rubinstein and Cohn (2019)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "accuracy", "confusion", "subtypes", "parameters", "log_likelihood"),
            *("objective", "n_iterations", "converged", "history", "starts"),
        }
    ),
    deterministic=False,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by prevalence and rows; nearly equal probabilities if these tie, too",
        smoothing="Dirichlet priors: 4 for right and 1 for wrong labels, vote counts for the "
        "prevalence, 0.1 in all for a category's subtypes",
        start="vote shares, divided among subtypes at random, 40 times, and undivided; the best is "
        "kept",
        optimum=f"a local maximum of the variational bound; {SETTLED}",
    ),
    compares=True,
)


@dataclass(frozen=True, eq=False)
class EbccFit(ConfusionFit):
    """A fit of EBCC.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Approximate posterior probability of each category for each item; the prevalence for an
        item without labels.
    subtypes : ndarray, shape (I, K, M)
        Posterior of each category and subtype; sums over subtypes to `posterior`.
    parameters : Dirichlets
        Parameters of the Dirichlet distributions that approximate the posterior of the prevalence,
        of the shares of subtypes, and of the annotators' rows.
    log_likelihood : float
        Log probability of the labels under the posterior means, categories and subtypes summed
        out.
    objective : float
        The lower bound of the log evidence.
    n_iterations : int
        Updates of the items' posterior in the best start.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        The bound of the best start, initially and after every update; it never falls.
    starts : ndarray, shape (n_starts + 1,)
        Final bound of each start, the undivided one last; different values are local optima. Of
        shape (1,) if a start was given.
    """

    subtypes: Floats
    parameters: Dirichlets
    log_likelihood: float
    objective: float
    n_iterations: int
    converged: bool
    history: Floats
    starts: Floats
    _premise: ClassVar[str] = "annotators err independently of each other given the subtype"

    @cached_property
    def prevalence(self) -> Floats:
        """Posterior mean probability of each category, shape (K,), sums to 1."""
        return self.parameters.means().prevalence

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices at the posterior means, shape (J, K, K): ``[j, truth, label]``."""
        mean = self.parameters.means()
        return np.asarray(np.einsum("km,jkml->jkl", mean.subtypes, mean.labels))

    @cached_property
    def accuracy(self) -> Floats:
        """Probability that each annotator is right, at the posterior means, shape (J,)."""
        return base.accuracy(self.prevalence, self.confusion)

    def dependence(self, annotations: Annotations) -> None:
        """Return None: subtypes let the labels of an item depend on each other.

        Parameters
        ----------
        annotations : Annotations
            Not used.
        """


def fit(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    n_subtypes: int = 10,
    subtype_prior: float = 0.1,
    diagonal: float = 4.0,
    off_diagonal: float = 1.0,
    prevalence_prior: float | Literal["votes"] = "votes",
    n_starts: int = 40,
    start: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> EbccFit:
    """Fit EBCC by variational Bayes from several starts and keep the best.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the starts, or a seed.
    n_subtypes : int, default 10
        Subtypes of each category, at least 1.
    subtype_prior : float, default 0.1
        Sum of the parameters of the Dirichlet prior of a category's subtypes, above 0.
    diagonal, off_diagonal : float, default 4.0 and 1.0
        Parameters of a row's Dirichlet prior for the correct label and for wrong ones, above 0.
    prevalence_prior : float or "votes", default "votes"
        Parameter of the prevalence's Dirichlet prior, above 0; or, for each category, the sum of
        its vote shares over the items, at least 1.
    n_starts : int, default 40
        Number of random starts, at least 1; the undivided start is added.
    start : array_like, shape (I, K, M), optional
        Initial division of an item's vote share of a category among its subtypes; sums to 1 over
        the last axis. If given, the only start.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates per start.

    Returns
    -------
    EbccFit
        Posterior, parameters, the bound of each start, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, no item has labels of two annotators,
        or `start` has another shape or does not sum to 1.
    ValueError
        If an option is invalid.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.

    Notes
    -----
    An item without labels has the prevalence for its posterior and does not affect the fit; an
    annotator without labels has the prior's means. An iteration costs 2 K M additions per label, a
    digamma and a log gamma function for each of the J K M K cells, and I K M exponentials.

    References
    ----------
    Li, Rubinstein and Cohn (2019), ICML, 3886-3895.

    Examples
    --------
    The labels of `b` and `c` are equal, right or wrong; a second subtype makes one of the two.

    >>> rows = ["111", "000", "100", "011"] * 5
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in zip("abc", row)]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)), rng=1)
    >>> found.subtypes.shape, found.converged
    ((20, 2, 10), True)
    """
    rng = np.random.default_rng(rng)
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    settings = {"subtype_prior": subtype_prior, "diagonal": diagonal, "off_diagonal": off_diagonal}
    if not isinstance(prevalence_prior, str):
        settings["prevalence_prior"] = prevalence_prior
    elif prevalence_prior != "votes":
        raise ValueError(
            f"ebcc.fit: prevalence_prior must be a number or 'votes', got {prevalence_prior!r}."
        )
    check_positive(METHOD.name, **settings)
    if n_subtypes < 1 or n_starts < 1:
        raise ValueError(
            f"ebcc.fit: n_subtypes and n_starts must be at least 1, got {n_subtypes} and "
            f"{n_starts}."
        )
    votes = Votes(annotations)
    shares = voting.fit(annotations).posterior
    if prevalence_prior == "votes":
        of_categories = np.maximum(shares[votes.labelled].sum(axis=0), 1)
    else:
        of_categories = np.full(annotations.n_categories, prevalence_prior)
    priors = dirichlet_priors(
        annotations.n_categories,
        prevalence=of_categories,
        subtypes=np.full(n_subtypes, subtype_prior / n_subtypes),
        diagonal=diagonal,
        off_diagonal=off_diagonal,
    )
    shape = annotations.n_items, annotations.n_categories, n_subtypes

    def divisions() -> Iterator[Floats]:
        if start is not None:
            yield _checked(start, shape)
            return
        for _ in range(n_starts):
            yield rng.dirichlet(np.ones(n_subtypes), shape[:2])
        yield np.tile(np.eye(n_subtypes)[0], (*shape[:2], 1))

    reached, best = [], None
    for division in divisions():
        end = ascend(votes, shares[:, :, None] * division, priors, tolerance, max_iterations)
        reached.append(end.history[-1])
        if best is None or end.history[-1] > best.history[-1]:
            best = end
    assert best is not None
    fitted = EbccFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=best.responsibility.sum(axis=2),
        subtypes=best.responsibility,
        parameters=best.parameters,
        log_likelihood=log_likelihood(votes, best.parameters),
        objective=best.history[-1],
        n_iterations=best.n_iterations,
        converged=best.converged,
        history=np.array(best.history),
        starts=np.array(reached),
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def _checked(start: ArrayLike, shape: tuple[int, int, int]) -> Floats:
    given = np.asarray(start, dtype=np.float64)
    if given.shape != shape or not (given >= 0).all() or not np.allclose(given.sum(axis=2), 1):
        raise AnnotationError(
            f"ebcc: start must be of shape {shape} (items, categories, subtypes), at least 0, and "
            f"sum to 1 over the subtypes; got shape {given.shape}. Divide each item's share of "
            "each category among the subtypes."
        )
    return given
