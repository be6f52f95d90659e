"""Models as passes over labels: what a pass adds up, and what follows from the sums.

An iteration of EM needs of the labels only sums over items. A model that states what one pass over
some items adds up, and what parameters follow from the totals, is fitted by the same code to labels
in memory, which are one block, and to partitions, whose sums Dask's workers return.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.labels.partitions import PartitionedLabels
from annobench.models._votes import EMTrace, Floats, Settled, Votes, run_em
from annobench.models.base import Fit

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T", bound=tuple[Any, ...])
S = TypeVar("S", bound=tuple[Any, ...])
S_co = TypeVar("S_co", bound=tuple[Any, ...], covariant=True)
T_contra = TypeVar("T_contra", bound=tuple[Any, ...], contravariant=True)


class Begins(Protocol[S_co]):
    """What adds up sums over items; objects are sent to workers."""

    def begin(self, votes: Votes, number: int) -> S_co:
        """Add up what the first parameters follow from, of the partition of this number."""


class Sweeps(Protocol[T_contra, S_co]):
    """What adds up sums over items under given parameters."""

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
        """Return the log likelihood, and what is maximised."""


class PartitionedFit(NamedTuple):
    """A fit to partitions, and what makes the posterior of each.

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
        """Add up over all partitions what the first parameters follow from.

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
    ) -> EMTrace[T, S]:
        """Fit a model, in one pass an iteration.

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
        first, kept = None, None
        if self.checkpoint is not None:
            path = self.checkpoint / f"{name}.npz"
            kept = _Checkpoint(path, _fingerprint(self.labels, passes, what))
            # Of several starts the later ones may not have begun.
            if self.resume and (path.exists() or not any(self.checkpoint.glob("*.npz"))):
                values, before = kept.read()
                first = passes.parameters(*values)
        if first is None:
            first = passes.update(self.begin(passes), None) if start is None else start()
        clock = time.monotonic()

        def expect(theta: T) -> tuple[S, float, float]:
            total = self.sweep(passes, theta)
            return total, *passes.objective(total, theta)

        def follow(state: EMTrace[T, S]) -> None:
            nonlocal clock
            if kept is not None:
                kept.write(state.parameters, state.history)
            now = time.monotonic()
            self.say(
                f"iteration {state.n_iterations}: log likelihood {state.log_likelihood:.10g}, "
                f"{now - clock:.1f} s"
            )
            clock = now

        return run_em(
            first,
            expect,
            passes.update,
            tolerance,
            max_iterations,
            before=before,
            follow=follow,
            settled=settled,
        )


class _Checkpoint:
    """The parameters after an iteration, in a file."""

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self.fingerprint = fingerprint

    def write(self, theta: tuple[Any, ...], history: list[float]) -> None:
        arrays: dict[str, Any] = {f"parameter_{n}": value for n, value in enumerate(theta)}
        arrays |= {"history": history, "fingerprint": self.fingerprint}
        with replacing(self.path) as draft, draft.open("wb") as stream:
            np.savez(stream, **arrays)

    def read(self) -> tuple[list[Any], list[float]]:
        """Return the parameters, and what was maximised before them."""
        try:
            with np.load(self.path) as found:
                if str(found["fingerprint"]) != self.fingerprint:
                    raise AnnotationError(
                        f"{self.path}: the checkpoint is of other labels, another model or other "
                        "options. Begin anew, without resuming."
                    )
                values = [found[name] for name in found.files if name.startswith("parameter_")]
                numbers = [value if value.ndim else value.item() for value in values]
                return numbers, found["history"].tolist()[:-1]
        except (OSError, ValueError, KeyError, EOFError) as error:
            if isinstance(error, AnnotationError):
                raise
            raise AnnotationError(
                f"{self.path}: there is no whole checkpoint ({error}). Begin anew, without "
                "resuming."
            ) from error


def _fingerprint(labels: PartitionedLabels, passes: object, what: object) -> str:
    sizes = [labels.item_counts, labels.label_counts, labels.categories]
    text = json.dumps([type(passes).__name__, repr(what), str(labels.folder), sizes])
    return hashlib.sha256(text.encode()).hexdigest()


def _begin(labels: PartitionedLabels, number: int, passes: Begins[S]) -> S:
    return passes.begin(Votes(labels.block(number)), number)


def _sweep(labels: PartitionedLabels, number: int, passes: Sweeps[T, S], theta: T) -> S:
    return passes.sweep(Votes(labels.block(number)), theta, number)[0]
