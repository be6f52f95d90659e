"""Models as passes over labels: the sums of a pass, and the parameters computed from them.

An iteration of EM needs only sums over items. A model that defines the sums of one pass over some
items, and the parameters given the totals, is fitted by the same code to labels
in memory, which are one block, and to partitions, whose sums Dask's workers return.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.labels.partitions import PartitionedLabels
from annobench.models._kept import ENDING, KeptItems, read_arrays, write_arrays
from annobench.models._votes import EMTrace, Floats, Settled, Votes, run_em
from annobench.models.base import Fit

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T", bound=tuple[Any, ...])
S = TypeVar("S", bound=tuple[Any, ...])
S_co = TypeVar("S_co", bound=tuple[Any, ...], covariant=True)
T_contra = TypeVar("T_contra", bound=tuple[Any, ...], contravariant=True)


class Begins(Protocol[S_co]):
    """A function that sums over items; objects are sent to workers."""

    def begin(self, votes: Votes, number: int) -> S_co:
        """Add up what the first parameters follow from, of the partition of this number."""


class Sweeps(Protocol[T_contra, S_co]):
    """A function that sums over items under given parameters."""

    def sweep(self, votes: Votes, theta: T_contra, number: int) -> tuple[S_co, Floats]:
        """Compute the items' posterior, shape (I, K), and add up what it says."""


class Passes(Protocol[T, S]):
    """A model as passes; T is a named tuple of parameters, S one of sums over items."""

    @property
    def parameters(self) -> type[T]:
        """The class of the parameters."""

    def begin(self, votes: Votes, number: int) -> S:
        """Add up what the first parameters follow from, of the partition of this number."""

    def sweep(self, votes: Votes, theta: T, number: int) -> tuple[S, Floats]:
        """Compute the items' posterior, shape (I, K), and add up what it says."""

    def update(self, total: S, theta: T | None) -> T:
        """Make better parameters of the sums over all items."""

    def objective(self, total: S, theta: T) -> tuple[float, float]:
        """Return the log likelihood and the objective."""


class PartitionedFit(NamedTuple):
    """A fit to partitions, and the function for the posterior of each.

    Attributes
    ----------
    fit : Fit
        Without items.
    passes : Passes
        The model.
    theta : tuple
        Its parameters.
    """

    fit: Fit
    passes: Any
    theta: Any


def run_in_memory(
    passes: Passes[T, S],
    votes: Votes,
    tolerance: float,
    max_iterations: int,
    start: T | None = None,
) -> EMTrace[T, tuple[S, Floats]]:
    """Fit a model to labels in memory.

    Parameters
    ----------
    passes : Passes
        The model.
    votes : Votes
        The labels.
    tolerance, max_iterations
        As for `annobench.models._votes.run_em`.
    start : tuple, optional
        The first parameters; by default those that follow from `begin`.

    Returns
    -------
    EMTrace
        What is expected are the sums, and the items' posterior.
    """

    def expect(theta: T) -> tuple[tuple[S, Floats], float, float]:
        total, posterior = passes.sweep(votes, theta, 0)
        return (total, posterior), *passes.objective(total, theta)

    def maximise(expected: tuple[S, Floats], theta: T) -> T:
        return passes.update(expected[0], theta)

    first = passes.update(passes.begin(votes, 0), None) if start is None else start
    return run_em(first, expect, maximise, tolerance, max_iterations)


@dataclass(frozen=True, eq=False)
class Workers:
    """Labels in partitions, and Dask's workers that pass over them.

    Attributes
    ----------
    labels : PartitionedLabels
        The labels.
    client : distributed.Client
        Whose workers see their folder.
    say : callable
        Called with a line after every pass.
    checkpoint : Path or None
        A folder with a file that is written after every pass, by which an interrupted fit goes on.
    resume : bool
        Whether to go on from it.
    """

    labels: PartitionedLabels
    client: Client
    say: Callable[[str], None] = lambda line: None
    checkpoint: Path | None = None
    resume: bool = False

    def begin(self, passes: Begins[S]) -> S:
        """Sum the statistics for the first parameters over all partitions.

        Parameters
        ----------
        passes : Passes
            The model.

        Returns
        -------
        tuple
            Sums.
        """
        return self.labels.total(self.client, _begin, passes)

    def sweep(self, passes: Sweeps[T, S], theta: T) -> S:
        """Do the E-step of all partitions.

        Parameters
        ----------
        passes : Passes
            The model.
        theta : tuple
            Its parameters.

        Returns
        -------
        tuple
            Sums.
        """
        return self.labels.total(self.client, _sweep, passes, theta)

    def kept_items(self, passes_of: type, what: object = "") -> KeptItems:
        """Find a place for the parameters of items, which stay on disk as labels do.

        Parameters
        ----------
        passes_of : type
            The class of the model's passes.
        what : object
            What is fitted.

        Returns
        -------
        KeptItems
            In the folder of the checkpoint.

        Raises
        ------
        AnnotationError
            If there is none.
        """
        if self.checkpoint is None:
            raise AnnotationError(
                "Parameters of items need a folder for the checkpoint, which workers see. Name one."
            )
        return KeptItems(self.checkpoint / "items", _fingerprint(self.labels, passes_of, what))

    def run(
        self,
        passes: Passes[T, S],
        tolerance: float,
        max_iterations: int,
        *,
        start: Callable[[], T] | None = None,
        name: str = "parameters",
        what: object = "",
        settled: Settled | None = None,
        improve: Callable[[S, T], T] | None = None,
    ) -> EMTrace[T, S]:
        """Fit a model, in one pass per iteration unless a step needs more.

        Parameters
        ----------
        passes : Passes
            The model.
        tolerance, max_iterations
            As for `annobench.models._votes.run_em`.
        start : callable, optional
            Makes the first parameters; by default they follow from `begin`.
        name : str, default "parameters"
            Of the checkpoint's file.
        what : object
            What is fitted, by which a checkpoint is told from others.
        settled : callable, optional
            As for `annobench.models._votes.run_em`.
        improve : callable, optional
            Makes better parameters of sums and parameters; by default the model's `update`.

        Returns
        -------
        EMTrace
            What is expected are the sums.

        Raises
        ------
        AnnotationError
            If there is no checkpoint to go on from, or that of another fit.
        """
        before: list[float] = []
        first, path = None, None
        of = _fingerprint(self.labels, type(passes), what)
        if self.checkpoint is not None:
            path = self.checkpoint / f"{name}{ENDING}"
            # Of several starts the later ones may not have begun.
            if self.resume and (path.exists() or not any(self.checkpoint.glob(f"*{ENDING}"))):
                first, before = _read(path, of, passes.parameters)
        if first is None:
            first = passes.update(self.begin(passes), None) if start is None else start()
        clock = time.monotonic()

        def expect(theta: T) -> tuple[S, float, float]:
            total = self.sweep(passes, theta)
            return total, *passes.objective(total, theta)

        def follow(state: EMTrace[T, S]) -> None:
            nonlocal clock
            if path is not None:
                _write(path, of, state.parameters, state.history)
            now = time.monotonic()
            self.say(
                f"iteration {state.n_iterations}: log likelihood {state.log_likelihood:.10g}, "
                f"{now - clock:.1f} s"
            )
            clock = now

        return run_em(
            first,
            expect,
            improve or passes.update,
            tolerance,
            max_iterations,
            before=before,
            follow=follow,
            settled=settled,
        )


def _write(path: Path, of: str, theta: tuple[Any, ...], history: list[float]) -> None:
    parameters = {f"parameter_{n}": value for n, value in enumerate(theta)}
    write_arrays(path, of, parameters | {"history": history})


def _read(path: Path, of: str, parameters: type[T]) -> tuple[T, list[float]]:
    """Return the parameters after an iteration, and what was maximised before them."""
    arrays = read_arrays(path, of)
    history = arrays.pop("history").tolist()[:-1]
    return parameters(*(each if each.ndim else each.item() for each in arrays.values())), history


def _fingerprint(labels: PartitionedLabels, passes: type, what: object) -> str:
    sizes = [labels.item_counts, labels.label_counts, labels.categories]
    with np.printoptions(threshold=sys.maxsize):  # long arrays in full
        asked = repr(what)
    text = json.dumps([passes.__module__, passes.__qualname__, asked, str(labels.folder), sizes])
    return hashlib.sha256(text.encode()).hexdigest()


def _begin(labels: PartitionedLabels, number: int, passes: Begins[S]) -> S:
    return passes.begin(Votes(labels.block(number)), number)


def _sweep(labels: PartitionedLabels, number: int, passes: Sweeps[T, S], theta: T) -> S:
    return passes.sweep(Votes(labels.block(number)), theta, number)[0]
