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
    """Fit the model to samples of the items."""
    weight = np.ascontiguousarray(weight)  # the kernel reads it by position
    settings, k = problem.settings, problem.n_categories
    states = [
        replace(
            start,
            prevalence=start.prevalence.copy(),
            table=start.table.copy(),
            posterior=np.empty((0, k)),
        )
        for _ in range(LANES)
    ]
    # What smoothing adds to the counts, laid out as they are.
    more_mass, more_counts = np.zeros_like(start.prevalence), np.zeros_like(start.table)
    more_mass[:k] = settings.prevalence_smoothing
    more_counts[:, :, :k] = settings.smoothing.swapaxes(1, 2)
    prevalence, table = _together(states)
    going = list(range(LANES))
    while going:
        mass, counts = _expect(problem, states, weight, prevalence, table)
        going = [lane for lane in going if states[lane].n_iterations < settings.max_iterations]
        for lane in going:
            problem.update(states[lane])
            states[lane].n_iterations += 1
        before = prevalence, table
        prevalence, table = _together(states)
        rise = _rise(mass + more_mass[:, None], before[0], prevalence)
        rise += _rise(counts + more_counts.reshape(-1, 1), before[1], table)
        for lane in going:
            states[lane].converged = bool(rise[lane] <= least)
        going = [lane for lane in going if not states[lane].converged]
    return states


def _together(states: list[State]) -> tuple[Floats, Floats]:
    """Put prevalences, (W, LANES), and tables, (G K W, LANES), of all samples side by side."""
    return (
        np.stack([state.prevalence for state in states], axis=1),
        np.stack([state.table.ravel() for state in states], axis=1),
    )


def _expect(
    problem: Problem, states: list[State], weight: Floats, prevalence: Floats, table: Floats
) -> tuple[Floats, Floats]:
    """Do the E-step of all samples, converged ones included."""
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
    return mass, counts


def _rise(expected: Floats, before: Floats, after: Floats) -> Floats:
    """Return by how much an M-step raised the expected log posterior of each sample."""
    both = (before > 0) & (after > 0)  # what underflows has no share in it
    change = np.log(np.divide(after, before, out=np.ones_like(after), where=both))
    return np.asarray((expected * change).sum(axis=0))
