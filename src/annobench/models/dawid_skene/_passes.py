"""The model of Dawid and Skene as passes over blocks of items, for labels beyond memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import Space
from annobench.models._votes import Floats, Votes
from annobench.models.dawid_skene.em import (
    Parameters,
    Problem,
    Settings,
    State,
    parameter_space,
    width_of,
)
from annobench.models.dawid_skene.starts import votes_start

#: Codes of items and of their categories, by the number of the partition.
Gold = Mapping[int, tuple[NDArray[np.int32], NDArray[np.int32]]]


class Theta(NamedTuple):
    """The parameters in the kernels' layout.

    Attributes
    ----------
    prevalence : ndarray, shape (W,)
        Probability of each category.
    table : ndarray, shape (G, K, W)
        Probability of a label (second axis) given the category (last axis).
    """

    prevalence: Floats
    table: Floats


class Sums(NamedTuple):
    """The sums of a pass.

    Attributes
    ----------
    counts : ndarray, shape (G, K, W)
        Expected labels, laid out as the table.
    mass : ndarray, shape (W,)
        Expected items.
    log_likelihood : float
        Of the labels.
    n_labelled : int
        Number of items that have labels or a known category.
    n_shared : int
        Items with labels of two annotators, in the first pass.
    """

    counts: Floats
    mass: Floats
    log_likelihood: float
    n_labelled: int
    n_shared: int


@dataclass(frozen=True)
class DawidSkenePasses:
    """The model as passes.

    Attributes
    ----------
    settings : Settings
        The options of the fit, without gold.
    n_categories : int
        K.
    gold : mapping
        Known categories by block number.
    """

    settings: Settings
    n_categories: int
    gold: Gold = field(default_factory=dict)
    parameters: ClassVar[type[Theta]] = Theta

    def begin(self, votes: Votes, number: int) -> Sums:
        """Count labels weighted by vote shares."""
        problem = self._problem(votes.annotations, number)
        state = problem.begin(votes_start(votes.annotations), None)
        shared = int(votes.annotations.is_shared.sum())
        return self._sums(problem, state, 0.0, shared)

    def sweep(self, votes: Votes, theta: Theta, number: int) -> tuple[Sums, Floats]:
        """Do the E-step of a block, and count."""
        problem = self._problem(votes.annotations, number)
        state = self._state(theta, votes.annotations.n_items)
        problem.expect(state)
        return self._sums(problem, state, state.log_likelihood, 0), state.posterior

    def update(self, total: Sums, theta: Theta | None) -> Theta:
        """Do the M-step."""
        problem, state = self.ended(total, None)
        problem.update(state)
        return Theta(state.prevalence, state.table)

    def objective(self, total: Sums, theta: Theta) -> tuple[float, float]:
        """Return the log likelihood and the log posterior."""
        problem, state = self.ended(total, theta)
        likelihood = float(total.log_likelihood)
        return likelihood, likelihood + problem.log_prior(state)

    def space(self, theta: Theta) -> Space:
        """Return the layout of the parameters as a vector."""
        prevalence, table = theta
        layout = parameter_space(prevalence, table, self.n_categories)
        unpack = layout.unpack
        return layout._replace(unpack=lambda vector: Theta(*unpack(vector)))

    def start(self, parameters: Parameters) -> Theta:
        """Start from given parameters."""
        state = self._whole().begin(None, parameters)
        return Theta(state.prevalence, state.table)

    def ended(self, total: Sums, theta: Theta | None) -> tuple[Problem, State]:
        """Return a problem without labels, and a state with the given sums and parameters."""
        g, k, width = total.counts.shape
        made = Theta(np.zeros(width), np.zeros((g, k, width))) if theta is None else theta
        state = self._state(made, 0)
        state.counts, state.mass = total.counts, total.mass
        state.log_likelihood = float(total.log_likelihood)
        return self._whole(), state

    def _whole(self) -> Problem:
        nothing = np.zeros(0, dtype=np.uint32)
        return Problem(np.zeros(1, dtype=np.int64), nothing, self.settings, self.n_categories, ())

    def _problem(self, block: Annotations, number: int) -> Problem:
        codes = np.zeros(0, dtype=np.int32)
        if number in self.gold:
            items, categories = self.gold[number]
            codes = np.full(block.n_items, -1, dtype=np.int32)
            codes[items] = categories
        return Problem.of(block, replace(self.settings, gold=codes))

    def _state(self, theta: Theta, n_items: int) -> State:
        width = width_of(self.n_categories)
        return State(
            theta.prevalence,
            theta.table,
            np.empty((n_items, self.n_categories)),
            np.zeros_like(theta.table),
            np.zeros(width),
        )

    def _sums(self, problem: Problem, state: State, log_likelihood: float, shared: int) -> Sums:
        labelled = np.diff(problem.offsets) > 0
        if problem.settings.gold.size:
            labelled |= problem.settings.gold >= 0
        n_labelled = int(labelled.sum())
        return Sums(state.counts, state.mass, log_likelihood, n_labelled, shared)
