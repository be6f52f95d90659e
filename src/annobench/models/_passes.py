"""Models as passes over labels: the sums of a pass, and the parameters computed from them.

An iteration of EM needs only sums over items. A model that defines the sums of a pass over some
items, and the parameters that follow from the totals, is fitted by the same code to labels in
memory (one block), to chunks, and to partitions, whose sums are returned by workers.
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
    """A function that sums over items and can be sent to workers."""

    def begin(self, votes: Votes, number: int) -> S_co:
        """Compute a block's sums for the initial parameters."""


class Sweeps(Protocol[T_contra, S_co]):
    """A function that sums over items, given parameters."""

    def sweep(self, votes: Votes, theta: T_contra, number: int) -> tuple[S_co, Floats]:
        """Compute the items' posterior, shape (I, K), and its sums."""


class Passes(Protocol[T, S]):
    """A model as passes; T is a named tuple of parameters, S one of sums over items."""

    @property
    def parameters(self) -> type[T]:
        """The class of the parameters."""

    def begin(self, votes: Votes, number: int) -> S:
        """Compute a block's sums for the initial parameters."""

    def sweep(self, votes: Votes, theta: T, number: int) -> tuple[S, Floats]:
        """Compute the items' posterior, shape (I, K), and its sums."""

    def update(self, total: S, theta: T | None) -> T:
        """Update the parameters from the sums over all items."""

    def objective(self, total: S, theta: T) -> tuple[float, float]:
        """Return the log likelihood and the objective."""


class PartitionedFit(NamedTuple):
    """A fit to partitions, with the model and parameters for the posterior of each.

    Attributes
    ----------
    fit : Fit
        The fit, without items.
    passes : Passes
        The model.
    theta : tuple
        The parameters.
    """

    fit: Fit
    passes: Any
    theta: Any


@dataclass(frozen=True, eq=False)
class Passing:
    """Labels in blocks, the workers that process them, and the checkpoint of a fit.

    Attributes
    ----------
    labels : BlockedLabels
        The labels.
    workers : distributed.Client, concurrent.futures.Executor or None
        Workers with access to the folder of the partitions; None for this process.
    say : callable
        Called with a line of progress after every pass.
    checkpoint : Path or None
        Folder of a file written after every pass, from which an interrupted fit resumes.
    resume : bool
        Whether to resume from the checkpoint.
    """

    labels: BlockedLabels
    workers: Workers | None = None
    say: Callable[[str], None] = lambda line: None
    checkpoint: Path | None = None
    resume: bool = False

    @classmethod
    def in_memory(cls, annotations: Annotations) -> Passing:
        """Process labels in memory."""
        return cls(InMemory(annotations))

    @property
    def posterior(self) -> Floats:
        """Posterior of items in memory after the last pass, shape (I, K)."""
        assert isinstance(self.labels, InMemory)
        assert self.labels.whole.posterior is not None
        return self.labels.whole.posterior

    def begin(self, passes: Begins[S]) -> S:
        """Sum over all blocks for the initial parameters."""
        return self.labels.map_sum(self.workers, _begin, passes)

    def sweep(self, passes: Sweeps[T, S], theta: T) -> S:
        """Do the E-step of all blocks."""
        return self.labels.map_sum(self.workers, _sweep, passes, theta)

    def kept_items(self, passes_of: type, what: object = "") -> KeptItems:
        """Return the store of item parameters, which stay on disk as labels do."""
        if self.checkpoint is None:
            raise AnnotationError(
                "Item parameters need a checkpoint folder that workers can access. Name one."
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
        """Fit a model, usually with one pass per iteration."""
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
    """Return the parameters after an iteration, and the history of the objective."""
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
