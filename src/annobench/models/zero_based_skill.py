"""Zero-based skill: weighted votes and agreement with the winners, alternately to convergence.

Labels are weighted by their annotators' accuracies a_j, which move towards the share s_j of the
annotator's labels that agree with the winner of the weighted vote; a label that ties with t - 1
others counts 1/t. Round r is ::

    a_j <- a_j + rate_r (s_j - a_j)

a gradient step on (s_j - a_j)^2. The rate is 1 in the first nineteen rounds and then halved every
twenty. With a rate of 1 the old accuracy is discarded, so that the starting value does not matter:
no round is an unweighted vote, one is `wawa`, and more are Wawa repeated. The sum of n_j a_j^2 then
never decreases, n_j being the number of an annotator's labels, by the Cauchy-Schwarz inequality;
when it stays constant, so do winners and accuracies. More than nineteen rounds are rarely needed,
and smaller rates only slow convergence.

Ustalov, Pavlichenko and Tseitlin (2024), Journal of Open Source Software 9(96), 6227: crowd-kit,
which always does a hundred rounds, and breaks ties by the order of the categories' names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import TOLERANCE
from annobench.models._votes import Floats, Votes, check_search, shares_of
from annobench.models.base import CHANGES, Conventions, Fit, Method, warned_of

__all__ = ["METHOD", "ZeroBasedSkillFit", "fit"]

METHOD = Method(
    name="zero_based_skill",
    title="zero-based skill",
    reference="Ustalov, Pavlichenko and Tseitlin (2024), JOSS 9(96), 6227: ZeroBasedSkill of "
    "crowd-kit",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset({"accuracy", "n_iterations", "converged"}),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a vote of its own",
        ties="shared; winners that tie count 1/t each when agreement is counted",
        smoothing="none",
        start="equal accuracies, that is the unweighted vote",
        optimum="accuracies equal to the agreement with the winners they make, or 100 rounds",
    ),
    compares=True,
    unchanged_by=frozenset(CHANGES),
)

#: Rounds after which the rate, at first 1, is multiplied by the factor.
ROUNDS, FACTOR = 20, 0.5


@dataclass(frozen=True, eq=False)
class ZeroBasedSkillFit(Fit):
    """Votes weighted by self-consistent accuracies.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Shares of the weighted votes; 1/K each for an item without labels.
    accuracy : ndarray of float, shape (J,)
        In [0, 1], the weight of each of an annotator's labels; NaN for one without labels.
    n_iterations : int
        Rounds.
    converged : bool
        Whether accuracies and agreement with the winners converged.
    """

    accuracy: Floats
    n_iterations: int
    converged: bool


def fit(
    annotations: Annotations, *, tolerance: float = TOLERANCE, max_iterations: int = 100
) -> ZeroBasedSkillFit:
    """Alternate between weighted voting and agreement with the winners.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories; repeated labels are further votes.
    tolerance : float, default 1e-6
        Stop when no accuracy differs from its agreement by more than this; with 0 all rounds are
        done.
    max_iterations : int, default 100
        Maximum number of rounds. Fewer than in other models, as in crowd-kit, since the rate is
        then 1/32.

    Returns
    -------
    ZeroBasedSkillFit
        Shares of the weighted votes, accuracies, convergence.

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
    Rounds after the last would change the accuracies by less than the tolerance. A round costs
    three additions per label.

    References
    ----------
    Ustalov, Pavlichenko and Tseitlin (2024), Journal of Open Source Software 9(96), 6227.

    Examples
    --------
    >>> rows = {"x": "111", "y": "001", "z": "-01"}  # unweighted, z is a tie
    >>> labels = [(i, j, l) for i, row in rows.items() for j, l in enumerate(row) if l != "-"]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)))
    >>> found.accuracy.round(6), found.posterior[2]  # annotator 1 decides, and then is right
    (array([1.      , 1.      , 0.333333]), array([0.75, 0.25]))
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    counted = Votes(annotations)
    accuracy = np.where(counted.n_given > 0, 1.0, np.nan)
    votes, winners = counted.weighted(accuracy)
    rate, converged, n_iterations = 1.0, False, 0
    while n_iterations < max_iterations and not converged:
        n_iterations += 1
        if n_iterations % ROUNDS == 0:
            rate *= FACTOR
        gap = counted.agreement(winners) - accuracy
        converged = tolerance > 0 and bool(np.nanmax(np.abs(gap)) <= tolerance)
        accuracy = accuracy + rate * gap
        votes, winners = counted.weighted(accuracy)
    fitted = ZeroBasedSkillFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=shares_of(votes),
        accuracy=accuracy,
        n_iterations=n_iterations,
        converged=converged,
    )
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
