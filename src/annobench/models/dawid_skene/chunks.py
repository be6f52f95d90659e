"""The model of Dawid and Skene for more labels than memory holds.

EM needs of the labels only expected counts, and these are sums over items. So the labels can come
in chunks, all those of an item in one, and be read anew in every iteration. What stays in memory
are the matrices and one chunk. Answers are those of `dawid_skene.fit` but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models.dawid_skene.em import NO_WEIGHT, Problem, Settings, State, confusion_of
from annobench.models.dawid_skene.model import METHOD, DawidSkeneFit
from annobench.models.dawid_skene.starts import votes_start
from annobench.models.kernels import dawid_skene as kernels

Chunks = Callable[[], Iterable[Annotations]]


def fit_chunks(
    chunks: Chunks, *, smoothing: float = 0.01, tolerance: float = 1e-8, max_iterations: int = 1_000
) -> DawidSkeneFit:
    """Fit the model by EM from the votes, reading the labels once an iteration.

    Parameters
    ----------
    chunks : callable
        Called without arguments for every pass, it gives the chunks, such as a generator that
        reads files one by one. All have the same annotators and categories, in the same order;
        all labels of an item are in one chunk.
    smoothing : float, default 0.01
        Added to every count, above 0.
    tolerance : float, default 1e-8
        EM stops when the log posterior changes by no more than this, relative to it; with 0
        all iterations are done.
    max_iterations : int, default 1_000
        Updates of the parameters at most, at least 1.

    Returns
    -------
    DawidSkeneFit
        Without items: `posterior` has no row. `predict` gives the posterior of a chunk.

    Raises
    ------
    AnnotationError
        If there are no chunks or labels, chunks differ in annotators or categories, or a later
        pass gives other chunks than the first, as an iterator does that can be read but once.
    ValueError
        If a number is out of its range.

    References
    ----------
    Dawid and Skene (1979), eqs. 2.3 to 2.5.

    Examples
    --------
    >>> first = Annotations.from_arrays(list("xxyy"), list("abab"), list("1101"))
    >>> second = Annotations.from_arrays(list("zz"), list("ab"), list("00"), categories="01")
    >>> fitted = fit_chunks(lambda: [first, second])
    >>> fitted.predict(second).argmax(axis=1)
    array([0])
    """
    if not 0 < smoothing < np.inf:
        raise ValueError(f"fit_chunks: smoothing must be a number above 0, got {smoothing}.")
    for name, value, smallest in (
        ("tolerance", tolerance, 0),
        ("max_iterations", max_iterations, 1),
    ):
        if not value >= smallest:
            raise ValueError(f"fit_chunks: {name} must be at least {smallest}, got {value}.")
    first = next(iter(chunks()), None)
    if first is None:
        raise AnnotationError("fit_chunks: there are no chunks. Give at least one.")
    k = first.n_categories
    settings = Settings.plain(first, smoothing, tolerance=tolerance, max_iterations=max_iterations)
    problem = Problem.of(first, settings)
    state = problem.begin(votes_start(first), None)
    n_labelled = _count_votes(chunks, first, settings, state)
    problem.update(state)
    history: list[float] = []
    while True:
        if _expect(chunks, first, settings, state) != n_labelled:
            raise AnnotationError(
                "fit_chunks: a later pass over the chunks gave other items than the first. Give a "
                "function that makes the chunks anew whenever it is called."
            )
        state.log_posterior = state.log_likelihood + problem.log_prior(state)
        history.append(state.log_posterior)
        if history[1:] and problem.is_settled(history[-1], history[-2]):
            state.converged = True
            break
        if state.n_iterations == max_iterations:
            break
        problem.update(state)
        state.n_iterations += 1
    return DawidSkeneFit(
        (),
        first.annotators,
        first.categories,
        posterior=np.zeros((0, k)),
        prevalence=state.prevalence[:k].copy(),
        confusion=confusion_of(problem, state),
        log_likelihood=state.log_likelihood,
        log_posterior=state.log_posterior,
        n_iterations=state.n_iterations,
        converged=state.converged,
        history=np.array(history),
        n_labelled=n_labelled,
        n_parameters=k - 1 + int((state.counts.sum(axis=(1, 2)) > 0).sum()) * k * (k - 1),
        settings=settings,
    )


def _count_votes(chunks: Chunks, first: Annotations, settings: Settings, state: State) -> int:
    """Count labels with the vote shares for weights; return the number of items with labels."""
    state.counts[:], state.mass[:] = 0.0, 0.0
    n_labelled = 0
    overlap = False
    for chunk in chunks():
        problem = _problem(chunk, first, settings)
        overlap = overlap or bool(chunk.is_shared.any())
        kernels.collect(
            problem.offsets,
            problem.cells,
            settings.gold,
            NO_WEIGHT,
            votes_start(chunk),
            state.counts.ravel(),
            state.mass,
        )
        n_labelled += int((np.diff(problem.offsets) > 0).sum())
    if not n_labelled:
        raise AnnotationError("fit_chunks: there are no labels. Give at least one.")
    METHOD.check_overlap(first, overlap)
    return n_labelled


def _expect(chunks: Chunks, first: Annotations, settings: Settings, state: State) -> int:
    """Do the E-step of all chunks, and count; return the number of items with labels."""
    state.counts[:], state.mass[:] = 0.0, 0.0
    state.log_likelihood = 0.0
    n_labelled = 0
    for chunk in chunks():
        problem = _problem(chunk, first, settings)
        posterior = np.empty((chunk.n_items, chunk.n_categories))
        state.log_likelihood += float(
            kernels.sweep(
                0,
                chunk.n_items,
                problem.offsets,
                problem.cells,
                settings.gold,
                NO_WEIGHT,
                state.prevalence,
                state.table.ravel(),
                posterior,
                state.counts.ravel(),
                state.mass,
            )
        )
        n_labelled += int((np.diff(problem.offsets) > 0).sum())
    return n_labelled


def _problem(chunk: Annotations, first: Annotations, settings: Settings) -> Problem:
    for what in ("annotators", "categories", "scale"):
        if getattr(chunk, what) != getattr(first, what):
            raise AnnotationError(
                f"fit_chunks: the {what} of a chunk are not those of the first. Give every chunk "
                "all names in the same order."
            )
    if chunk.n_labels:
        METHOD.check(chunk, informed=True)  # the overlap may be in another chunk
    return Problem.of(chunk, settings)
