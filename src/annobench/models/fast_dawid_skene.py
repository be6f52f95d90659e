"""Fast Dawid-Skene: EM in which every item is assigned to its most probable category.

The model is that of `dawid_skene`. A step assigns each item to the category that is most probable
under the parameters and counts the labels of the items of each category, whereas EM weights them by
the posterior. It increases the log probability of the labels together with the assigned
categories, ::

    sum over items of max over k of log(prevalence[k] prod over labels (j, l) of confusion[j, k, l])

converges after a few steps, when no assignment changes, and is known as classification EM. It
starts from the winners of the vote. The hybrid version first does steps of EM from the vote shares
until the prevalence changes by at most 0.005, summed over categories.

What differs from the paper: equally probable categories share an item, whereas the paper draws one
of them; the sum above is the same. We stop when the assignments no longer change, the paper when
the prevalence changes by less than 1e-4, which may happen while assignments still change. A row of
a confusion matrix without any count is uniform, as in `dawid_skene`; in the authors' program it is
zero, so that a category in which an annotator has no item is impossible for all items labelled by
that annotator.

Sinha, Rao and Balasubramanian (2018), Fast Dawid-Skene, KDD workshop on issues of sentiment
discovery and opinion mining, sections 3.3 and 3.4; classification EM: Celeux and Govaert (1992),
Computational Statistics and Data Analysis 14, 315-332.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models._votes import Floats, check_search
from annobench.models.base import ConfusionFit, Conventions, Method, accuracy, warned_of
from annobench.models.dawid_skene.em import NO_WEIGHT, Problem, Settings, State
from annobench.models.dawid_skene.starts import votes_start
from annobench.models.kernels import dawid_skene as kernels

__all__ = ["METHOD", "FastDawidSkeneFit", "fit"]

METHOD = Method(
    name="fast_dawid_skene",
    title="fast Dawid-Skene",
    reference="Sinha, Rao and Balasubramanian (2018), sections 3.3 and 3.4",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy", "log_likelihood", "objective"),
            *("n_iterations", "n_soft_iterations", "converged", "history"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' confusion matrices; categories as probable share an item",
        smoothing="none",
        start="winners of the vote; vote shares for the hybrid",
        optimum="a local maximum of the probability of labels and assigned categories",
    ),
    compares=True,
    unchanged_by=frozenset({"repeated items", "idle category"}),
)

#: Change of the prevalence, summed over categories, at which the hybrid begins to assign.
SWITCH = 0.005
#: Posteriors that differ by less, relative to the larger, differ by rounding.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class FastDawidSkeneFit(ConfusionFit):
    """A fit of fast Dawid-Skene.

    Attributes
    ----------
    posterior : ndarray, shape (I, K)
        Probability of each category for each item under the parameters below; the assigned category
        is the most probable.
    prevalence : ndarray, shape (K,)
        Share of the items that are assigned to each category.
    confusion : ndarray, shape (J, K, K)
        ``[j, k, l]``: annotator j gives l when the truth is k; rows sum to 1, and are uniform where
        nothing was counted.
    log_likelihood : float
        Log probability of the labels, categories summed out.
    objective : float
        The objective: log probability of labels and assigned categories, plus the log densities of
        the priors, without their constants, if smoothed.
    n_iterations : int
        Updates of the parameters.
    n_soft_iterations : int
        Number of initial steps of EM; 0 unless hybrid.
    converged : bool
        Whether the last update changed no assignment.
    history : ndarray, shape (n_iterations + 1,)
        `objective` at the start and after every update; it never falls. In the hybrid version the
        first `n_soft_iterations` values are the log posterior, which never falls either; the switch
        lowers the value.
    """

    prevalence: Floats
    confusion: Floats
    log_likelihood: float
    objective: float
    n_iterations: int
    n_soft_iterations: int
    converged: bool
    history: Floats

    @cached_property
    def accuracy(self) -> Floats:
        """Probability that each annotator is right on an item of the population, shape (J,)."""
        return accuracy(self.prevalence, self.confusion)


def fit(
    annotations: Annotations,
    *,
    hybrid: bool = False,
    smoothing: float = 0.0,
    max_iterations: int = 1_000,
) -> FastDawidSkeneFit:
    """Fit the model of Dawid and Skene by assigning items to categories.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories. A repeated label is one more label.
    hybrid : bool, default False
        Whether to start with steps of EM, until the prevalence changes by at most 0.005.
    smoothing : float, default 0
        Added to every count of the confusion matrices and of the prevalence, at least 0.
    max_iterations : int, default 1_000
        Maximum number of updates of the parameters.

    Returns
    -------
    FastDawidSkeneFit
        Posterior, prevalence, confusion matrices, objective, convergence.

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
    The posterior of an item without labels is the prevalence; it does not affect the fit. A step
    costs 2 N K multiplications and additions.

    References
    ----------
    Sinha, Rao and Balasubramanian (2018), eqs. 1 to 4.

    Examples
    --------
    >>> rows = ["001", "111", "001", "111", "011", "111"]  # the third says 1 to everything
    >>> labels = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    >>> found = fit(Annotations.from_arrays(*zip(*labels)))
    >>> found.prevalence.round(3), found.confusion[0]
    (array([0.333, 0.667]), array([[1.  , 0.  ],
           [0.25, 0.75]]))
    """
    annotations = METHOD.check(annotations)
    check_search(METHOD.name, 0, max_iterations)
    if not 0 <= smoothing < np.inf:
        raise ValueError(
            "fast_dawid_skene.fit: smoothing must be a finite number of at least 0, got "
            f"{smoothing}."
        )
    problem = Problem.of(
        annotations, Settings.plain(annotations, smoothing, max_iterations=max_iterations)
    )
    labelled = np.diff(problem.offsets) > 0
    shares = votes_start(annotations)
    before = shares if hybrid else _assigned(shares)
    state = problem.begin(before, None)
    is_soft, n_soft, history = hybrid, 0, []
    while True:
        problem.expect(state)
        assigned = _assigned(state.posterior)
        in_all = state.log_posterior
        if not is_soft:
            in_all += float(np.log(state.posterior[labelled].max(axis=1)).sum())
            unmoved = np.array_equal(assigned[labelled], before[labelled])
            state.converged = unmoved and state.n_iterations > n_soft
        history.append(in_all)
        if state.converged or state.n_iterations == max_iterations:
            break
        prevalence = state.prevalence.copy()
        if not is_soft:
            _count(problem, state, assigned)
            before = assigned
        problem.update(state)
        state.n_iterations += 1
        if is_soft:
            n_soft += 1
            is_soft = bool(np.abs(state.prevalence - prevalence).sum() > SWITCH)
    k = annotations.n_categories
    fitted = FastDawidSkeneFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=state.posterior,
        prevalence=state.prevalence[:k].copy(),
        confusion=state.table[:, :, :k].swapaxes(1, 2).copy(),
        log_likelihood=min(state.log_likelihood, 0.0),
        objective=history[-1],
        n_iterations=state.n_iterations,
        n_soft_iterations=n_soft,
        converged=state.converged,
        history=np.array(history),
    )
    return warned_of(METHOD.name, fitted)


def _assigned(posterior: Floats) -> Floats:
    """Assign each item to its most probable category, in equal parts if tied."""
    best = posterior >= posterior.max(axis=1, keepdims=True) * (1 - SAME)
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def _count(problem: Problem, state: State, assigned: Floats) -> None:
    """Count labels by the assigned categories of their items."""
    state.counts[:], state.mass[:] = 0.0, 0.0
    kernels.collect(
        problem.offsets,
        problem.cells,
        problem.settings.gold,
        NO_WEIGHT,
        assigned,
        state.counts.ravel(),
        state.mass,
    )
