"""EM of several samples of the items, eight at once.

A sample is a weight for each item, so that no label is copied. A pass reads the labels once for
eight samples, whose numbers are one or two vectors of the processor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from annobench.models.dawid_skene.em import Floats, Problem, State
from annobench.models.kernels import dawid_skene as kernels

#: How many samples are fitted at once.
LANES: Final = 8


def fit_samples(problem: Problem, start: State, weight: Floats, least: float) -> list[State]:
    """Fit the model to samples of the items.

    Parameters
    ----------
    problem : Problem
        The labels.
    start : State
        Whose parameters EM begins with.
    weight : ndarray, shape (I, LANES)
        How often each sample has each item; no sample is empty.
    least : float
        A sample is at rest when an M-step raises the expected log posterior of the complete data
        by at most this. The log posterior itself then rises at most twice as much, near the
        optimum; it would need the logarithm of every item's likelihood.

    Returns
    -------
    list of State, length LANES
        Parameters and expected counts; no posteriors and likelihoods.
    """
    weight = np.ascontiguousarray(weight)  # the kernel reads it by position
    unused = np.empty((0, problem.n_categories))
    states = [
        replace(
            start, prevalence=start.prevalence.copy(), table=start.table.copy(), posterior=unused
        )
        for _ in range(LANES)
    ]
    going = states
    while going:
        _expect(problem, states, weight)
        going = [state for state in going if not _is_at_rest(problem, state, least)]
    return states


def _expect(problem: Problem, states: list[State], weight: Floats) -> None:
    """Do the E-step of all samples, those at rest too."""
    prevalence, table = (
        np.stack([getattr(state, name).ravel() for state in states], axis=1)
        for name in ("prevalence", "table")
    )
    mass, counts = np.zeros_like(prevalence), np.zeros_like(table)
    kernels.sweep_samples(
        problem.offsets,
        problem.cells,
        problem.settings.gold,
        weight,
        prevalence.ravel(),
        table.ravel(),
        np.empty(prevalence.size),
        counts.ravel(),
        mass.ravel(),
    )
    for lane, state in enumerate(states):
        state.counts = counts[:, lane].copy().reshape(state.table.shape)
        state.mass = mass[:, lane].copy()


def _is_at_rest(problem: Problem, state: State, least: float) -> bool:
    """Do the M-step, and say whether it is the last."""
    if state.n_iterations == problem.settings.max_iterations:
        return True
    before = replace(state, prevalence=state.prevalence.copy(), table=state.table.copy())
    problem.update(state)
    state.n_iterations += 1
    gain = problem.log_prior(state) - problem.log_prior(before)
    for expected, new, old in (
        (state.counts, state.table, before.table),
        (state.mass, state.prevalence, before.prevalence),
    ):
        both = (new > 0) & (old > 0)  # what underflows has no share in the rise
        gain += float(expected[both] @ np.log(new[both] / old[both]))
    state.converged = gain <= least
    return state.converged
