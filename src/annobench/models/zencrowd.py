"""ZenCrowd: EM with one reliability for each annotator and equally probable categories.

An item is of any category with the same probability. Annotator j labels it correctly with
probability ``accuracy[j]``, and otherwise gives one of the K - 1 wrong labels, each with the same
probability; labels are independent given the category. EM starts from an accuracy of 0.8 for every
annotator. The E-step weights the labels by the accuracies; the M-step sets an annotator's accuracy
to the mean probability that the annotator's labels are correct.

The model is `one_coin` with a uniform prevalence, without smoothing, and with another start. EM
therefore maximises the likelihood.

What differs from the paper: it links words to entities with a factor graph, in which a label
accepts or rejects a link, links of the same word are mutually exclusive, and prior probabilities of
links come from a classifier. Without these its update is the one above, as in the survey by Zheng,
Li, Li, Shan and Cheng (2017) for any number of categories, with twenty updates; ours stop by a
convergence rule.

Demartini, Difallah and Cudre-Mauroux (2012), WWW, 469-478, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import (
    SETTLED,
    TOLERANCE,
    Space,
    kept_probable,
    largest_change,
    run_em,
)
from annobench.models._votes import (
    Floats,
    Votes,
    check_search,
    even_error_logs,
    even_errors,
)
from annobench.models.base import ConfusionFit, Conventions, Method, warned_of

__all__ = ["METHOD", "START", "ZenCrowdFit", "fit"]

METHOD = Method(
    name="zencrowd",
    title="ZenCrowd",
    reference="Demartini, Difallah and Cudre-Mauroux (2012), section 4; Zheng et al. (2017)",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {"accuracy", "confusion", "log_likelihood", "n_iterations", "converged", "history"}
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' accuracies; equal probabilities if these tie, too",
        smoothing="none",
        start="accuracies of 0.8",
        optimum=f"a local maximum of the likelihood by EM; {SETTLED}",
    ),
    compares=True,
    unchanged_by=frozenset({"repeated items", "separate blocks"}),
)

#: The accuracy that everybody begins with.
START = 0.8


@dataclass(frozen=True, eq=False)
class ZenCrowdFit(ConfusionFit):
    """A fit of ZenCrowd.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item; 1/K for an item without labels.
    accuracy : ndarray, shape (J,)
        Probability that annotator j is right, in [0, 1]; 1/K for guessing.
    log_likelihood : float
        Log probability of the labels, categories summed out.
    n_iterations : int
        Updates of the accuracies.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_likelihood` at the start and after every update; it never falls.
    """

    accuracy: Floats
    log_likelihood: float
    n_iterations: int
    converged: bool
    history: Floats

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters: accuracies.

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
        return n_annotators

    @cached_property
    def confusion(self) -> Floats:
        """Confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        return even_errors(self.accuracy, len(self.categories))


def fit(
    annotations: Annotations, *, tolerance: float = TOLERANCE, max_iterations: int = 1_000
) -> ZenCrowdFit:
    """Fit ZenCrowd by EM, from accuracies of 0.8.

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
    ZenCrowdFit
        Posterior, accuracies, likelihood, convergence.

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
    The accuracy of an annotator without labels is 1/K. With only one category every accuracy is 1.
    An iteration costs two additions per label and an exponential per item and category.

    References
    ----------
    Demartini, Difallah and Cudre-Mauroux (2012), WWW, 469-478, section 4.

    Examples
    --------
    >>> rows = ["111", "111", "000", "000", "110", "001"]  # the third errs twice, the others never
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> fit(Annotations.from_arrays(*zip(*labels))).accuracy.round(2)
    array([1.  , 1.  , 0.67])
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    votes = Votes(annotations)
    k = annotations.n_categories
    guess = np.full(votes.n_given.shape, 1 / k)
    even = np.full(k, -np.log(k))

    def expect(accuracy: Floats) -> tuple[Floats, float, float]:
        posterior, likelihood = votes.expect(*even_error_logs(accuracy, k), even)
        return posterior, likelihood, likelihood

    def maximise(posterior: Floats, _: object) -> Floats:
        right = votes.right(posterior).sum(axis=1)
        share = np.divide(right, votes.n_given, out=guess.copy(), where=votes.n_given > 0)
        return np.asarray(np.minimum(share, 1))  # rounding must not leave a share above 1

    start = np.where(votes.n_given > 0, START if k > 1 else 1.0, guess)
    end = run_em(
        start,
        expect,
        maximise,
        tolerance,
        max_iterations,
        space=Space(np.asarray, np.asarray, kept_probable),
        moved=largest_change,
    )
    fitted = ZenCrowdFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=end.expected,
        accuracy=end.parameters,
        log_likelihood=end.log_likelihood,
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
