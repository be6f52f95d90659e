"""Models as passes over labels: the sums of a pass, and the parameters computed from them.

An iteration of EM needs of the labels only sums over items. A model that states what one pass over
some items adds up, and what parameters follow from the totals, is fitted by the same code to labels
in memory, which are one block, to chunks, and to partitions, whose sums workers return.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models._votes import EMTrace, Floats, Settled, Votes, run_em
from annobench.models.base import Fit
from annobench.scale._blocks import Block, BlockedLabels, InMemory
from annobench.scale._kept import ENDING, KeptItems, read_arrays, write_arrays
from annobench.scale._workers import Workers

T = TypeVar("T", bound=tuple[Any, ...])
S = TypeVar("S", bound=tuple[Any, ...])
S_co = TypeVar("S_co", bound=tuple[Any, ...], covariant=True)
T_contra = TypeVar("T_contra", bound=tuple[Any, ...], contravariant=True)


class Begins(Protocol[S_co]):
    """A function that sums over items; objects are sent to workers."""

    def begin(self, votes: Votes, number: int) -> S_co:
        """Add up what the first parameters follow from, of the block of this number."""


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
        """Add up what the first parameters follow from, of the block of this number."""

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


@dataclass(frozen=True, eq=False)
class Passing:
    """Labels in blocks, who passes over them, and where a fit keeps what it goes on from.

    Attributes
    ----------
    labels : BlockedLabels
        The labels.
    workers : distributed.Client, concurrent.futures.Executor or None
        Who passes over partitions, and sees their folder; None for this process.
    say : callable
        Called with a line after every pass.
    checkpoint : Path or None
        A folder with a file that is written after every pass, by which an interrupted fit goes on.
    resume : bool
        Whether to go on from it.
    """

    labels: BlockedLabels
    workers: Workers | None = None
    say: Callable[[str], None] = lambda line: None
    checkpoint: Path | None = None
    resume: bool = False

    @classmethod
    def in_memory(cls, annotations: Annotations) -> Passing:
        """Pass over labels that are in memory."""
        return cls(InMemory(annotations))

    @property
    def posterior(self) -> Floats:
        """Of the items of labels in memory, after the last pass, shape (I, K)."""
        assert isinstance(self.labels, InMemory)
        assert self.labels.whole.posterior is not None
        return self.labels.whole.posterior

    def begin(self, passes: Begins[S]) -> S:
        """Add up over all blocks what the first parameters follow from."""
        return self.labels.map_sum(self.workers, _begin, passes)

    def sweep(self, passes: Sweeps[T, S], theta: T) -> S:
        """Do the E-step of all blocks."""
        return self.labels.map_sum(self.workers, _sweep, passes, theta)

    def kept_items(self, passes_of: type, what: object = "") -> KeptItems:
        """Find a place for the parameters of items, which stay on disk as labels do."""
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
        """Fit a model, in one pass an iteration unless better parameters take others."""
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


def _fingerprint(labels: BlockedLabels, passes: type, what: object) -> str:
    sizes = [labels.item_counts, labels.label_counts, labels.categories]
    with np.printoptions(threshold=sys.maxsize):  # long arrays in full
        asked = repr(what)
    text = json.dumps(
        [passes.__module__, passes.__qualname__, asked, str(labels.folder or ""), sizes]
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _begin(block: Block, passes: Begins[S]) -> S:
    return passes.begin(block.made(Votes), block.number)


def _sweep(block: Block, passes: Sweeps[T, S], theta: T) -> S:
    total, block.posterior = passes.sweep(block.made(Votes), theta, block.number)
    return total
