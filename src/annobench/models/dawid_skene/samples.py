"""EM for bootstrap samples of the items, eight at a time.

A sample is a vector of item weights, so no label is copied. A pass reads the labels once for eight
samples, whose numbers fill one or two vector registers. A converged sample is replaced by the next,
as numbers of passes differ widely. Items with the same labels by the same annotators are merged,
and their weights added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.models._fixed_point import Search
from annobench.models.dawid_skene.em import Floats, Problem, State, parameter_space
from annobench.models.kernels import dawid_skene as kernels

#: How many samples are fitted at once.
LANES: Final = 8


def distinct_items(problem: Problem) -> tuple[Problem, NDArray[np.int64]]:
    """Return the problem for distinct items, and the index of each item among these.

    Items are compared by 128 random bits (Zobrist hashing): each pair of annotator and label has a
    number, and an item's hash is their sum.
    """
    offsets, cells, gold = problem.offsets, problem.cells, problem.settings.gold
    rng = np.random.default_rng(0)
    keys: dict[str, NDArray[np.generic]] = {"gold": gold} if gold.size else {}
    for half in ("high", "low"):
        number = rng.integers(2**64, size=int(cells.max(initial=0)) + 1, dtype=np.uint64)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(number[cells])])  # modulo 2^64
        keys[half] = np.diff(sums[offsets])
    which = pd.DataFrame(keys).groupby(list(keys), sort=False).ngroup()
    first = np.flatnonzero(~pd.Series(which).duplicated().to_numpy())
    sizes = np.diff(offsets)[first]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    own = np.arange(starts[-1]) + np.repeat(offsets[first] - starts[:-1], sizes)
    settings = replace(problem.settings, gold=gold[first]) if gold.size else problem.settings
    names = tuple(problem.items[i] for i in first)
    distinct = Problem(starts, cells[own], settings, problem.n_categories, names)
    return distinct, np.asarray(which, np.int64)


def fit_samples(
    problem: Problem, start: State, samples: Iterable[Floats]
) -> Iterator[tuple[int, State]]:
    """Fit the model to samples, each given by item weights, shape (I,).

    Yields each sample with its number once fitted, since all may not fit in memory. As posteriors
    are not kept, the parameters have to settle.
    """
    settings, k = problem.settings, problem.n_categories
    space = parameter_space(start.prevalence, start.table, k)
    waiting = enumerate(samples)
    number: dict[int, int] = {}  # of the sample in a lane
    weight = np.zeros((problem.offsets.size - 1, LANES))
    states = [_fresh(start, k) for _ in range(LANES)]
    searches: dict[int, Search] = {}

    def admit(lane: int) -> None:
        """Assign the next sample, if there is one, to a lane."""
        states[lane] = _fresh(start, k)
        first = space.pack((start.prevalence, start.table))
        searches[lane] = Search(first, settings.tolerance, settings.max_iterations, space.mend)
        number.pop(lane, None)
        for number[lane], weight[:, lane] in waiting:
            break

    for lane in range(LANES):
        admit(lane)
    while number:
        _expect(problem, states, weight, *_together(states))
        for lane in tuple(number):
            state, search = states[lane], searches[lane]
            problem.update(state)
            image = space.pack((state.prevalence, state.table))
            search.receive(image, None, np.nan)
            if search.point is not image:
                state.prevalence[:], state.table[:] = space.unpack(search.point)
            if not search.is_on:
                state.n_iterations, state.converged = search.n_iterations, search.converged
                yield number[lane], state
                admit(lane)


def _fresh(start: State, k: int) -> State:
    return replace(
        start,
        prevalence=start.prevalence.copy(),
        table=start.table.copy(),
        posterior=np.empty((0, k)),
    )


def _together(states: list[State]) -> tuple[Floats, Floats]:
    """Interleave the samples' prevalences, (W, LANES), and tables, (G K W, LANES)."""
    return (
        np.stack([state.prevalence for state in states], axis=1),
        np.stack([state.table.ravel() for state in states], axis=1),
    )


def _expect(
    problem: Problem, states: list[State], weight: Floats, prevalence: Floats, table: Floats
) -> None:
    """Do the E-step of all samples."""
    mass, counts = np.zeros_like(prevalence), np.zeros_like(table)
    kernels.sweep_samples(
        problem.offsets,
        problem.cells,
        problem.settings.gold,
        weight,
        prevalence.ravel(),
        table.ravel(),
        np.empty(prevalence.size),
        np.empty(2 * LANES),
        counts.ravel(),
        mass.ravel(),
    )
    for lane, state in enumerate(states):
        state.counts = counts[:, lane].copy().reshape(state.table.shape)
        state.mass = mass[:, lane].copy()
