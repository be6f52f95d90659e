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
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models._fixed_point import EMTrace, Search, Space, largest_change, run_em
from annobench.models._votes import Floats, Votes
from annobench.models.base import Fit
from annobench.scale._blocks import Block, BlockedLabels, InMemory, added
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

    def space(self, theta: T) -> Space:
        """Return the layout of parameters like these as a vector."""


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
        return self._swept(passes, theta, None)[0]

    def _swept(self, passes: Sweeps[T, S], theta: T, last: T | None) -> tuple[S, float]:
        """Do the E-step, and return the largest change of a posterior since the last parameters."""
        part = self.labels.map_sum(self.workers, _sweep, passes, theta, last).part
        return part.total, part.moved

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
        improve: Callable[[S, T], T] | None = None,
    ) -> EMTrace[T, S]:
        """Fit a model, usually with one pass per iteration."""
        first, last, state, path = None, None, None, None
        of = _fingerprint(self.labels, type(passes), what)
        if self.checkpoint is not None:
            path = self.checkpoint / f"{name}{ENDING}"
            # Of several starts the later ones may not have begun.
            if self.resume and (path.exists() or not any(self.checkpoint.glob(f"*{ENDING}"))):
                first, last, state = _read(path, of, passes.parameters)
        if first is None:
            first = passes.update(self.begin(passes), None) if start is None else start()
        clock, before, moved, likelihood, is_near = time.monotonic(), last, np.inf, 0.0, False

        def expect(theta: T) -> tuple[S, float, float]:
            nonlocal before, last, moved, likelihood
            total, moved = self._swept(passes, theta, last if is_near else None)
            before, last = last, theta
            likelihood, value = passes.objective(total, theta)
            return total, likelihood, value

        def follow(theta: T, search: Search) -> None:
            nonlocal clock, is_near
            is_near = search.is_near
            if path is not None:
                _write(path, of, theta, before, search)
            now = time.monotonic()
            self.say(
                f"iteration {len(search.history)}: log likelihood {likelihood:.10g}, "
                f"{now - clock:.1f} s"
            )
            clock = now

        return run_em(
            first,
            expect,
            improve or passes.update,
            tolerance,
            max_iterations,
            space=passes.space(first),
            moved=lambda before, after: moved,
            resumed=state,
            follow=follow,
        )


def _write(
    path: Path, of: str, theta: tuple[Any, ...], before: tuple[Any, ...] | None, search: Search
) -> None:
    parameters = {f"parameter_{n}": value for n, value in enumerate(theta)}
    earlier = {f"before_{n}": value for n, value in enumerate(before or ())}
    write_arrays(path, of, parameters | earlier | search.state())


def _read(path: Path, of: str, parameters: type[T]) -> tuple[T, T | None, dict[str, Any]]:
    """Return parameters, those before them, and the state of the search."""
    arrays = read_arrays(path, of)

    def named(prefix: str) -> list[Any]:
        values = [arrays.pop(name) for name in list(arrays) if name.startswith(prefix)]
        return [value if value.ndim else value.item() for value in values]

    theta, before = parameters(*named("parameter_")), named("before_")
    return theta, parameters(*before) if before else None, arrays


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


@dataclass(frozen=True)
class _Part(Generic[S]):
    """Sums over some items, and the largest change of a probability of one."""

    total: S
    moved: float

    def __add__(self, other: _Part[S]) -> _Part[S]:
        return _Part(added([self.total, other.total]), max(self.moved, other.moved))


class _Swept(NamedTuple):
    part: _Part[Any]


def _sweep(block: Block, passes: Sweeps[T, S], theta: T, last: T | None) -> _Swept:
    votes, before = block.made(Votes), block.posterior
    if before is None and last is not None:  # it is not kept where labels do not fit in memory
        before = passes.sweep(votes, last, block.number)[1]
    total, block.posterior = passes.sweep(votes, theta, block.number)
    moved = np.inf if before is None else largest_change(before, block.posterior)
    return _Swept(_Part(total, moved))
