"""Independent Bayesian classifier combination (IBCC) by variational Bayes.

The model of Dawid and Skene with priors on its parameters: an item is of category k with
probability ``prevalence[k]``, and annotator j labels an item of category k with l with probability
``confusion[j, k, l]``, independently of the others::

    prevalence ~ Dirichlet(alpha, ..., alpha)        z_i ~ Categorical(prevalence)
    confusion[j, k] ~ Dirichlet(beta_k)              y_ij ~ Categorical(confusion[j, z_i])

beta_k is `diagonal` at k and `off_diagonal` elsewhere. The posterior is approximated by a product
of one distribution for each item and one for each row of parameters, by closed-form updates that
increase a lower bound of the log evidence, starting from the vote shares.

What differs from the paper: it uses Gibbs sampling, with exponential hyperpriors. Variational Bayes
with fixed priors, the default values, the start and the stopping rule follow Li, Rubinstein and
Cohn (2019), who use the model as a baseline.

Kim and Ghahramani (2012), Bayesian classifier combination, AISTATS, 619-627, section 2; Li,
Rubinstein and Cohn (2019), Exploiting worker correlation for label aggregation in crowdsourcing,
ICML, 3886-3895.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

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

__all__ = ["METHOD", "IbccFit", "fit"]

METHOD = Method(
    name="ibcc",
    title="IBCC",
    reference="Kim and Ghahramani (2012), section 2; Li, Rubinstein and Cohn (2019)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "accuracy", "confusion", "parameters", "log_likelihood", "objective"),
            *("n_iterations", "converged", "history"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by prevalence and confusion matrices; equal probabilities if these tie, too",
        smoothing="Dirichlet priors: 4 for right and 1 for wrong labels, 1 for the prevalence",
        start="vote shares",
        optimum=f"a local maximum of the variational bound; {SETTLED}",
    ),
    compares=True,
)


@dataclass(frozen=True, eq=False)
class IbccFit(ConfusionFit):
    """A fit of IBCC.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Approximate posterior probability of each category for each item; the prevalence for an
        item without labels.
    parameters : Dirichlets
        Parameters of the Dirichlet distributions that approximate the posterior of the prevalence
        and of the rows of the confusion matrices; there is one subtype for each category.
    log_likelihood : float
        Log probability of the labels under the posterior means, categories summed out.
    objective : float
        The lower bound of the log evidence.
    n_iterations : int
        Updates of the items' posterior.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        The bound at the start and after every update; it never falls.
    """

    parameters: Dirichlets
    log_likelihood: float
    objective: float
    n_iterations: int
    converged: bool
    history: Floats

    @cached_property
    def prevalence(self) -> Floats:
        """Posterior mean probability of each category, shape (K,), sums to 1."""
        return self.parameters.means().prevalence

    @cached_property
    def confusion(self) -> Floats:
        """Posterior mean confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        return self.parameters.means().labels[:, :, 0]

    @cached_property
    def accuracy(self) -> Floats:
        """Probability that each annotator is right, at the posterior means, shape (J,)."""
        return base.accuracy(self.prevalence, self.confusion)


def fit(
    annotations: Annotations,
    *,
    diagonal: float = 4.0,
    off_diagonal: float = 1.0,
    prevalence_prior: float = 1.0,
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> IbccFit:
    """Fit IBCC by variational Bayes, from the vote shares.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    diagonal, off_diagonal : float, default 4.0 and 1.0
        Parameters of a row's Dirichlet prior for the correct label and for wrong ones, above 0.
    prevalence_prior : float, default 1.0
        Parameter of the prevalence's Dirichlet prior, above 0.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates.

    Returns
    -------
    IbccFit
        Posterior, parameters, the bound, convergence.

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
    An item without labels has the prevalence for its posterior and does not affect the fit; an
    annotator without labels has the prior's means. An iteration costs 2 K additions per label, a
    digamma and a log gamma function for each cell of a confusion matrix, and an exponential per
    item and category.

    References
    ----------
    Kim and Ghahramani (2012), section 2; settings of Li, Rubinstein and Cohn (2019).

    Examples
    --------
    >>> rows = ["111", "111", "000", "000", "110", "001"]  # the third errs twice, the others never
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> fit(Annotations.from_arrays(*zip(*labels))).accuracy.round(2)
    array([0.87, 0.87, 0.75])
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    check_positive(
        METHOD.name,
        diagonal=diagonal,
        off_diagonal=off_diagonal,
        prevalence_prior=prevalence_prior,
    )
    votes = Votes(annotations)
    priors = dirichlet_priors(
        annotations.n_categories,
        prevalence=prevalence_prior,
        subtypes=np.ones(1),
        diagonal=diagonal,
        off_diagonal=off_diagonal,
    )
    start = voting.fit(annotations).posterior[:, :, None]
    end = ascend(votes, start, priors, tolerance, max_iterations)
    fitted = IbccFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=end.responsibility[:, :, 0],
        parameters=end.parameters,
        log_likelihood=log_likelihood(votes, end.parameters),
        objective=end.history[-1],
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
