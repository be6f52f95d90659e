"""What the samplers for K categories share: starts, chains in threads, memory limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

Floats = NDArray[np.float64]


def check_categories(name: str, annotations: Annotations) -> None:
    """Reject labels in a single category."""
    if annotations.n_categories < 2:
        raise AnnotationError(
            f"{name}: needs at least two categories, got {annotations.n_categories} "
            f"({', '.join(map(repr, annotations.categories))}). Name all categories of the scheme "
            "if only one occurs."
        )


def check_memory(name: str, n_stored: int, n_numbers: int, limit: int) -> None:
    """Reject too many draws; chains are copied once, into one array."""
    need = 2 * 4 * n_stored * n_numbers
    if need > limit:
        raise AnnotationError(
            f"{name}.fit: {n_stored} draws need {need / 2**20:,.0f} MiB, and memory_limit is "
            f"{limit / 2**20:,.0f} MiB. Raise the limit, or store fewer draws of matrices and "
            "items with a larger thin."
        )


def noisy_votes(rng: np.random.Generator, annotations: Annotations) -> Floats:
    """Return vote shares mixed with noise of random strength."""
    k = annotations.n_categories
    noise = rng.uniform(0, 0.8)
    votes = annotations.counts + 0.5 / k
    shares = (1 - noise) * votes / votes.sum(axis=1, keepdims=True)
    return np.asarray(shares + noise * rng.dirichlet(np.ones(k)))


def draw_categories(rng: np.random.Generator, probability: Floats) -> NDArray[np.int64]:
    """Draw a category for each item."""
    edges = probability.cumsum(axis=1)
    category = (rng.random((len(edges), 1)) * edges[:, -1:] > edges).sum(axis=1)
    return np.asarray(np.minimum(category, edges.shape[1] - 1), dtype=np.int64)


def for_all(matrix: Floats, annotators: Sequence[str]) -> Floats:
    """Broadcast common confusion matrices to all annotators, without copying."""
    *several, k, _ = matrix.shape
    return np.broadcast_to(matrix[..., None, :, :], (*several, len(annotators), k, k))


def unless(stopped: Event, blocks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield blocks of sweeps until a chain is told to stop."""
    for block in blocks:
        if stopped.is_set():
            raise CancelledError
        yield block


def run_chains(
    run: Callable[[np.random.Generator, Event], tuple[Any, ...]],
    rng: np.random.Generator,
    chains: int,
    threads: int | None = None,
) -> list[NDArray[Any]]:
    """Run chains in threads, each with a generator spawned from one."""
    stopped = Event()
    with ThreadPoolExecutor(max_workers=threads or chains) as pool:
        running = [pool.submit(run, generator, stopped) for generator in rng.spawn(chains)]
        try:
            found = [each.result() for each in running]
        except BaseException:  # an interruption, too, must not wait for chains to end
            stopped.set()
            raise
    return [np.stack(part) for part in zip(*found, strict=True)]
