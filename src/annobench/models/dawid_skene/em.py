"""The EM algorithm of the model of Dawid and Skene, in the kernels' layout."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import Search, Space, kept_positive
from annobench.models.kernels import dawid_skene as kernels
from annobench.scale._blocks import BlockedLabels

__all__ = ["Parameters", "Problem", "Settings", "State", "confusion_of", "parameter_space"]

Floats = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]
Tie = Literal["none", "category", "one_coin"]

TIES = {"none": kernels.FREE, "category": kernels.CATEGORY, "one_coin": kernels.ONE_COIN}
NO_WEIGHT: Floats = np.zeros(0)
#: No item has a known category.
NO_GOLD: NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Parameters(NamedTuple):
    """The parameters of the model, as a start.

    Attributes
    ----------
    prevalence : ndarray, shape (K,)
        Probability of each category.
    confusion : ndarray, shape (J, K, K)
        ``[j, k, l]``: annotator j gives l when the truth is k.
    """

    prevalence: Floats
    confusion: Floats


@dataclass(frozen=True, eq=False)
class Settings:
    """The checked and complete options of a fit.

    Attributes
    ----------
    smoothing : ndarray, shape (G, K, K)
        Added to the counts of each of the G matrices, ``[g, k, l]``.
    prevalence_smoothing : ndarray, shape (K,)
        Added to the expected numbers of items.
    tie : {"none", "category", "one_coin"}
        Which entries of a matrix are tied.
    group : ndarray of int64, shape (J,)
        The matrix of each annotator, in [0, G).
    gold : ndarray of int32, shape (I,) or (0,)
        Known categories, -1 where unknown; empty if none is known.
    tolerance : float
        How far an item's probability may be from its limit.
    max_iterations : int
        Maximum number of updates of the parameters.
    threads : int
        Threads.
    """

    smoothing: Floats
    prevalence_smoothing: Floats
    tie: Tie
    group: NDArray[np.int64]
    gold: NDArray[np.int32]
    tolerance: float
    max_iterations: int
    threads: int

    @classmethod
    def plain(
        cls,
        annotations: Annotations | BlockedLabels,
        smoothing: float,
        *,
        tolerance: float = 0.0,
        max_iterations: int,
    ) -> Settings:
        """Return settings for one matrix per annotator, equal smoothing, and no gold.

        Parameters
        ----------
        annotations : Annotations or BlockedLabels
            Labels with the annotators and categories.
        smoothing : float
            Added to every count.
        tolerance : float, default 0
            How far an item's probability may be from its limit; with 0 all updates are done.
        max_iterations : int
            Maximum number of updates of the parameters.

        Returns
        -------
        Settings
            The complete settings.
        """
        j, k = annotations.n_annotators, annotations.n_categories
        return cls(
            np.broadcast_to(float(smoothing), (j, k, k)),
            np.broadcast_to(float(smoothing), (k,)),
            "none",
            np.arange(j),
            NO_GOLD,
            float(tolerance),
            int(max_iterations),
            1,
        )

    @property
    def n_groups(self) -> int:
        """The number of matrices G."""
        return int(self.smoothing.shape[0])

    @property
    def is_smoothed(self) -> bool:
        """Whether the fit is a mode of a posterior, not a maximum of the likelihood."""
        return bool(self.smoothing.any() or self.prevalence_smoothing.any())


def width_of(n_categories: int) -> int:
    """Return K padded to the kernels' vector width."""
    return 2 if n_categories <= 2 else -(-n_categories // 4) * 4


def cells_of(owner: Codes, label: Codes, k: int) -> NDArray[np.uint32]:
    """Return the cell of each label, from its matrix and category."""
    row = owner.astype(np.uint32) * np.uint32(k) + label.astype(np.uint32)
    return np.asarray(row * np.uint32(width_of(k)))


@dataclass
class State:
    """The state of EM; arrays are written in place.

    Attributes
    ----------
    prevalence : ndarray, shape (W,)
        Probability of each category, padded to `width_of` K.
    table : ndarray, shape (G, K, W)
        Probability of a label (second axis) given the category (last axis).
    posterior : ndarray, shape (I, K)
        Probability of each category for each item.
    counts : ndarray, shape (G, K, W)
        Expected counts, laid out as `table`.
    mass : ndarray, shape (W,)
        Expected numbers of items.
    log_likelihood, log_posterior : float
        After the last E-step; the latter without constants.
    moved : float
        Largest change of a posterior by the last E-step.
    n_iterations : int
        Updates of the parameters so far.
    converged : bool
        Whether the items' probabilities have settled.
    history : tuple of float
        The log posterior after each E-step.
    """

    prevalence: Floats
    table: Floats
    posterior: Floats
    counts: Floats
    mass: Floats
    log_likelihood: float = -np.inf
    log_posterior: float = -np.inf
    moved: float = np.inf
    n_iterations: int = 0
    converged: bool = False
    history: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Problem:
    """Labels in the kernels' layout, and the options of the fit.

    Attributes
    ----------
    offsets : ndarray of int64, shape (I + 1,)
        Where each item's labels start.
    cells : ndarray of uint32, shape (N,)
        Offset of each label's annotator and category in the flat table.
    settings : Settings
        The options of the fit.
    n_categories : int
        K.
    items : tuple of str
        Names, for messages.
    """

    offsets: NDArray[np.int64]
    cells: NDArray[np.uint32]
    settings: Settings
    n_categories: int
    items: tuple[str, ...]

    @classmethod
    def of(cls, annotations: Annotations, settings: Settings) -> Problem:
        """Sort the labels by item.

        Parameters
        ----------
        annotations : Annotations
            The labels.
        settings : Settings
            The options of the fit.

        Returns
        -------
        Problem
            The input of EM.

        Raises
        ------
        AnnotationError
            If the confusion matrices have more entries than can be numbered.
        """
        k = annotations.n_categories
        width = width_of(k)
        if settings.n_groups * k * width >= 2**32:
            raise AnnotationError(
                f"dawid_skene.fit: {settings.n_groups} matrices of {k} categories have more than "
                "2^32 entries. Put annotators in groups, or collapse the categories."
            )
        owner = annotations.annotator
        if settings.n_groups < annotations.n_annotators:
            owner = settings.group.astype(np.int32)[owner]
        cells = cells_of(owner, annotations.label, k)[annotations.by_item.order]
        return cls(annotations.by_item.offsets.copy(), cells, settings, k, annotations.items)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Ranges of items with about equal numbers of labels, one per thread."""
        ends = np.linspace(0, self.cells.size, self.settings.threads + 1)
        cuts = np.searchsorted(self.offsets, ends)
        cuts[0], cuts[-1] = 0, self.offsets.size - 1
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    def begin(
        self,
        posterior: Floats | None,
        parameters: Parameters | None,
        weight: Floats = NO_WEIGHT,
    ) -> State:
        """Make the first parameters.

        Parameters
        ----------
        posterior : ndarray, shape (I, K), optional
            The parameters follow from it by an M-step.
        parameters : Parameters, optional
            Required if `posterior` is not given.
        weight : ndarray, shape (I,) or (0,)
            Weights of items in the M-step; empty for 1 each.

        Returns
        -------
        State
            Before the first E-step.
        """
        k, width, g = self.n_categories, width_of(self.n_categories), self.settings.n_groups
        state = State(
            np.zeros(width),
            np.zeros((g, k, width)),
            np.empty((self.offsets.size - 1, k)),
            np.zeros((g, k, width)),
            np.zeros(width),
        )
        if parameters is not None:
            state.prevalence[:k] = parameters.prevalence
            members = np.bincount(self.settings.group, minlength=g)
            np.add.at(
                state.table[:, :, :k], self.settings.group, parameters.confusion.swapaxes(1, 2)
            )
            state.table /= members[:, None, None]
            return state
        assert posterior is not None
        gold = self.settings.gold
        if gold.size:
            posterior = np.where(gold[:, None] >= 0, gold[:, None] == np.arange(k), posterior)
        kernels.collect(
            self.offsets, self.cells, gold, weight, posterior, state.counts.ravel(), state.mass
        )
        self.update(state)
        return state

    def update(self, state: State) -> None:
        """Do the M-step.

        Parameters
        ----------
        state : State
            Its parameters are computed from its counts.
        """
        k = self.n_categories
        settings = self.settings
        kernels.maximise(state.counts, settings.smoothing, TIES[settings.tie], state.table)
        mass = state.mass[:k] + settings.prevalence_smoothing
        state.prevalence[:k] = mass / mass.sum()

    def expect(
        self, state: State, weight: Floats = NO_WEIGHT, pool: ThreadPoolExecutor | None = None
    ) -> None:
        """Do the E-step and count.

        Parameters
        ----------
        state : State
            Its posterior, counts and likelihoods are computed from its parameters.
        weight : ndarray, shape (I,) or (0,)
            Weights of items; empty for 1 each.
        pool : ThreadPoolExecutor, optional
            Processes all blocks of items except the first.
        """
        state.counts[:], state.mass[:] = 0.0, 0.0

        def run(block: tuple[int, int], counts: Floats, mass: Floats) -> tuple[float, float]:
            log_likelihood, moved = kernels.sweep(
                *block,
                self.offsets,
                self.cells,
                self.settings.gold,
                weight,
                state.prevalence,
                state.table.ravel(),
                state.posterior,
                counts.ravel(),
                mass,
            )
            return float(log_likelihood), float(moved)

        if pool is None:
            whole = 0, self.offsets.size - 1
            state.log_likelihood, state.moved = run(whole, state.counts, state.mass)
        else:
            own = [(np.zeros_like(state.counts), np.zeros_like(state.mass)) for _ in self.blocks]
            first, *others = zip(self.blocks, own, strict=True)
            # This thread works, too: to wake another takes as long as 100,000 labels.
            later = [pool.submit(run, block, *sums) for block, sums in others]
            values, moves = zip(
                run(first[0], *first[1]), *(each.result() for each in later), strict=True
            )
            state.log_likelihood, state.moved = sum(values), max(moves)
            for counts, mass in own:  # in the order of blocks, not of their ends
                state.counts += counts
                state.mass += mass
        state.log_posterior = state.log_likelihood + self.log_prior(state)

    def log_prior(self, state: State) -> float:
        """Return the log densities of the priors, without their constants.

        Parameters
        ----------
        state : State
            The state, with its parameters.

        Returns
        -------
        float
            0 if nothing is smoothed.
        """
        settings, k = self.settings, self.n_categories
        with np.errstate(divide="ignore"):  # a given start may have zeros
            return self._log_densities(state, settings, k)

    @staticmethod
    def _log_densities(state: State, settings: Settings, k: int) -> float:
        value = 0.0
        if settings.prevalence_smoothing.any():
            value += float(settings.prevalence_smoothing @ np.log(state.prevalence[:k]))
        if settings.smoothing.any():
            logs = np.log(state.table[:, :, :k])
            if settings.smoothing.strides == (0, 0, 0):
                value += float(settings.smoothing[0, 0, 0]) * float(logs.sum())
            else:
                value += float(np.einsum("gkl,glk->", settings.smoothing, logs))
        return value

    def maximise_likelihood(
        self, state: State, weight: Floats = NO_WEIGHT, *, given: bool = False
    ) -> None:
        """Alternate E- and M-steps until the items' probabilities have settled.

        Parameters
        ----------
        state : State
            From `begin`; ends with an E-step, so that its posterior belongs to its parameters.
        weight : ndarray, shape (I,) or (0,)
            Weights of items; empty for 1 each.
        given : bool, default False
            Whether the caller gave the start, under which labels may be impossible.

        Raises
        ------
        AnnotationError
            If an item's labels are impossible under a given start.
        """
        settings = self.settings
        space = parameter_space(state.prevalence, state.table, self.n_categories)
        parameters = state.prevalence, state.table
        search = Search(
            space.pack(parameters), settings.tolerance, settings.max_iterations, space.mend
        )
        pool = ThreadPoolExecutor(settings.threads - 1) if settings.threads > 1 else None
        try:
            while search.is_on:
                self.expect(state, weight, pool)
                if given and not search.history and state.log_likelihood == -np.inf:
                    self._refuse_start(state)
                if not search.refuses(state.log_posterior):
                    image = search.point
                    if not search.is_last(state.moved):
                        self.update(state)
                        image = space.pack(parameters)
                    search.receive(image, state.moved, state.log_posterior)
                    if search.point is image:
                        continue
                for own, part in zip(parameters, space.unpack(search.point), strict=True):
                    own[:] = part
        finally:
            if pool is not None:
                pool.shutdown()
        state.n_iterations, state.converged = search.n_iterations, search.converged
        state.history = tuple(search.history)

    def _refuse_start(self, state: State) -> None:
        tables = state.counts.ravel().copy(), state.mass.copy()
        for i, name in enumerate(self.items):
            value, _ = kernels.sweep(
                i,
                i + 1,
                self.offsets,
                self.cells,
                self.settings.gold,
                NO_WEIGHT,
                state.prevalence,
                state.table.ravel(),
                state.posterior,
                *tables,
            )
            if value == -np.inf:
                raise AnnotationError(
                    f"dawid_skene.fit: the labels of item {name!r} have probability 0 under the "
                    "given start, and zeros stay zero. Give a start without zeros there."
                )


def parameter_space(prevalence: Floats, table: Floats, n_categories: int) -> Space:
    """Return the layout of the prevalence and of tables in the kernels' layout as a vector.

    Parameters
    ----------
    prevalence : ndarray, shape (W,)
        An example.
    table : ndarray, shape (G, K, W)
        An example.
    n_categories : int
        K.

    Returns
    -------
    Space
        Without the padding.
    """
    k, shape = n_categories, table.shape

    def pack(parameters: tuple[Floats, Floats]) -> Floats:
        return np.concatenate([parameters[0][:k], parameters[1][:, :, :k].ravel()])

    def unpack(vector: Floats) -> tuple[Floats, Floats]:
        parameters = np.zeros_like(prevalence), np.zeros(shape)
        parameters[0][:k] = vector[:k]
        parameters[1][:, :, :k] = vector[k:].reshape(shape[0], k, k)
        return parameters

    def mend(proposal: Floats, image: Floats) -> Floats:
        made = kept_positive(proposal, image)
        made[:k] /= made[:k].sum()
        matrices = made[k:].reshape(shape[0], k, k)
        matrices /= matrices.sum(axis=1, keepdims=True)
        return made

    return Space(pack, unpack, mend)


def confusion_of(problem: Problem, state: State) -> Floats:
    """Return the confusion matrices of all annotators.

    Parameters
    ----------
    problem : Problem
        Its settings define which annotators share a matrix.
    state : State
        After EM.

    Returns
    -------
    ndarray, shape (J, K, K)
        ``[j, k, l]``; NaN in rows without any count.
    """
    k, settings = problem.n_categories, problem.settings
    matrices = state.table[:, :, :k].swapaxes(1, 2).copy()
    if not settings.smoothing.any():
        support = state.counts[:, :, :k].sum(axis=1)
        if settings.tie == "one_coin":
            support = np.broadcast_to(support.sum(axis=1, keepdims=True), support.shape)
        matrices[support == 0] = np.nan
    return np.asarray(matrices[settings.group])
