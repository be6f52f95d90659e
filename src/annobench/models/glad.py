"""GLAD: annotators of different ability label items of different difficulty.

All categories are as probable. Annotator j labels item i rightly with the probability

    sigma(alpha_j beta_i) = 1 / (1 + exp(-alpha_j beta_i))

and otherwise gives one of the K - 1 wrong labels, each with the same probability. alpha_j is the
annotator's ability: 0 is a coin, negative is against the truth. beta_i > 0 is the item's easiness,
1 / beta_i its difficulty: near 0 everybody guesses with a chance of one half. Priors:
alpha_j ~ Normal(1, 1) and log beta_i ~ Normal(1, 1).

Fitted by EM from alpha_j = 1 and log beta_i = 1. The M-step takes a Newton step in every ability,
then in every easiness, each halved until what it maximises does not fall. Multiplying all
abilities and dividing all easinesses by a number changes the priors alone, and single steps are
slow to find the best number; a third step does.

What differs from the paper: K categories, its section 2 being about two (the extension is the
paper's own remark, errors spread evenly); M-steps by Newton, not by gradient ascent.

Whitehill, Ruvolo, Wu, Bergsma and Movellan (2009), NIPS 22, 2035-2043.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models._votes import Floats, Votes, check_search, normalised, run_em
from annobench.models.base import Conventions, Fit, Method
from annobench.models.kernels.votes import add_scaled_votes, slopes

METHOD = Method(
    name="glad",
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
        optimum="a local maximum of the posterior density by EM; relative change of 1e-9",
    ),
    compares=True,
    unchanged_by=frozenset({"separate blocks"}),
)

#: Mean of the priors of abilities and of log easiness; their standard deviations are 1.
PRIOR_MEAN = 1.0
#: Longest Newton step, and how often it is halved at most.
LONGEST_STEP, HALVINGS = 1.0, 20

Mask = NDArray[np.bool_]
#: From numbers to what is maximised over each of them, its slope, and minus its curvature.
Evaluate = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class GladFit(Fit):
    """A fit of GLAD.

    Attributes
    ----------
    items, annotators, categories : tuple of str
        Names, by code.
    posterior : ndarray, shape (I, K)
        Probability of each category for each item; 1/K for an item without labels.
    ability : ndarray, shape (J,)
        alpha; the prior's mean 1 for an annotator without labels.
    easiness : ndarray, shape (I,)
        beta > 0; the prior's median e for an item without labels.
    log_likelihood : float
        Log probability of the labels under these, categories summed out.
    log_posterior : float
        The same plus the log densities of the priors without their constants.
    n_iterations : int
        Updates of the parameters.
    converged : bool
        Whether the relative change of `log_posterior` came down to the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_posterior` at the start and after every update; it never falls.
    """

    _premise: ClassVar[str] = (
        "annotators err independently of each other given category and difficulty"
    )

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: Floats
    ability: Floats
    easiness: Floats
    log_likelihood: float
    log_posterior: float
    n_iterations: int
    converged: bool
    history: Floats

    @cached_property
    def difficulty(self) -> Floats:
        """Difficulty of each item, 1 / beta, shape (I,)."""
        return 1 / self.easiness

    def accuracy_on(self, item: int) -> Floats:
        """Return the probability that each annotator labels an item rightly.

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


def fit(
    annotations: Annotations, *, tolerance: float = 1e-9, max_iterations: int = 2_000
) -> GladFit:
    """Fit GLAD by EM, the mode of abilities and easinesses under their priors.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories.
    tolerance : float, default 1e-9
        Relative change of the log posterior at which EM stops; with 0 all updates are done. Smaller
        than in other models, as one Newton step is less than a whole M-step.
    max_iterations : int, default 2_000
        Updates after which EM stops in any case. More than in other models, for the same reason.

    Returns
    -------
    GladFit
        Posterior, abilities, easinesses, likelihood, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, they are on another scale, or no item has labels of two
        annotators.
    ValueError
        If a number is out of its range.

    Notes
    -----
    With one category known labels say nothing, and the priors' means are returned. An
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
    METHOD.check(annotations)
    check_search(METHOD.name, tolerance, max_iterations)
    votes = Votes(annotations)
    n_items, n_annotators = annotations.n_items, annotations.n_annotators
    k = annotations.n_categories
    # Of one category every label is right, which is no evidence of anything.
    item, annotator, label = (column[: None if k > 1 else 0] for column in votes.columns)
    wrong_each = np.log(max(k - 1, 1))
    has_labels = votes.given.sum(axis=1) > 0

    def expect(theta: _Parameters) -> tuple[Floats, float, float]:
        score, base = np.zeros((n_items, k)), np.zeros(n_items)
        easiness = np.exp(theta.log_easiness)
        add_scaled_votes(item, annotator, label, theta.ability, easiness, wrong_each, score, base)
        posterior, of_items = normalised(score - np.log(k))
        given = of_items + base - wrong_each * np.bincount(item, minlength=n_items)
        likelihood = float(given.sum())
        return posterior, likelihood, likelihood + _log_prior(*theta)

    def maximise(posterior: Floats, theta: _Parameters) -> _Parameters:
        def of_abilities(ability: Floats) -> Floats:
            out = _prior(ability)
            easiness = np.exp(theta.log_easiness)
            slopes(item, annotator, label, posterior, ability, easiness, False, out)
            return out

        ability = _newton(of_abilities, theta.ability)

        def of_easinesses(log_easiness: Floats) -> Floats:
            out = _prior(log_easiness)
            easiness = np.exp(log_easiness)
            slopes(item, annotator, label, posterior, ability, easiness, True, out)
            return out

        log_easiness = _newton(of_easinesses, theta.log_easiness)
        return _rescaled(ability, log_easiness, has_labels, votes.labelled)

    start = _Parameters(np.full(n_annotators, PRIOR_MEAN), np.full(n_items, PRIOR_MEAN))
    end = run_em(start, expect, maximise, tolerance, max_iterations)
    return GladFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=end.expected,
        ability=end.parameters.ability,
        easiness=np.exp(end.parameters.log_easiness),
        log_likelihood=min(end.log_likelihood, 0.0),
        log_posterior=end.history[-1],
        n_iterations=end.n_iterations,
        converged=end.converged,
        history=np.array(end.history),
    )


def _log_prior(ability: Floats, log_easiness: Floats) -> float:
    return float(_prior(ability)[0].sum() + _prior(log_easiness)[0].sum())


def _prior(x: Floats) -> Floats:
    """Give the log density of each number, its slope, and minus its curvature, in three rows."""
    return np.stack([-((x - PRIOR_MEAN) ** 2) / 2, PRIOR_MEAN - x, np.ones_like(x)])


def _newton(evaluate: Evaluate, x: Floats) -> Floats:
    """Take a Newton step in each number, halved where it would lead down."""
    value, slope, curvature = evaluate(x)
    step = np.clip(slope / curvature, -LONGEST_STEP, LONGEST_STEP)
    floor = value - 1e-12 * np.abs(value)  # a step lost in rounding is none down
    for _ in range(HALVINGS):
        down = evaluate(x + step)[0] < floor
        if not down.any():
            return np.asarray(x + step)
        step[down] /= 2
    return np.asarray(np.where(down, x, x + step))


def _rescaled(ability: Floats, log_easiness: Floats, annotators: Mask, items: Mask) -> _Parameters:
    """Multiply abilities and divide easinesses by the number that the priors like best.

    Those without labels stay at their prior's mean.
    """

    def of_log_factor(log_factor: Floats) -> Floats:
        up = _prior(ability[annotators] * np.exp(log_factor))
        down = _prior(log_easiness[items] - log_factor)
        scaled = ability[annotators] * np.exp(log_factor)
        curvature = max((scaled**2 - up[1] * scaled).sum(), 0.0) + items.sum()
        slope = (up[1] * scaled).sum() - down[1].sum()
        return np.array([[up[0].sum() + down[0].sum()], [slope], [curvature]])

    log_factor = _newton(of_log_factor, np.zeros(1))
    return _Parameters(
        np.where(annotators, ability * np.exp(log_factor), ability),
        np.where(items, log_easiness - log_factor, log_easiness),
    )
