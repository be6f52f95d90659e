"""Labels in blocks, and sums over them, by this process or by workers."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

if TYPE_CHECKING:
    from annobench.scale._workers import Workers

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=tuple[Any, ...])


class Holder(Protocol):
    """A store of numbered blocks of labels."""

    def block(self, number: int) -> Annotations:
        """Give the labels of a block."""

    def names(self, number: int) -> tuple[str, ...]:
        """Give the names of its items, by code."""

    def first_rows(self, number: int) -> NDArray[np.int64]:
        """Return the first row of each item in the source."""


class Block:
    """Some items and all their labels, read on demand."""

    def __init__(self, holder: Holder, number: int) -> None:
        self.number = number
        self.posterior: NDArray[np.float64] | None = None
        self._holder = holder
        self._made: dict[Callable[[Annotations], Any], Any] = {}

    @cached_property
    def annotations(self) -> Annotations:
        """The labels; names of items may be missing."""
        return self._holder.block(self.number)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the items, by code."""
        return self._holder.names(self.number)

    @cached_property
    def first_rows(self) -> NDArray[np.int64]:
        """First row of each item in the source."""
        return self._holder.first_rows(self.number)

    def made(self, make: Callable[[Annotations], T]) -> T:
        """Return a cached function of the labels."""
        if make not in self._made:
            self._made[make] = make(self.annotations)
        found: T = self._made[make]
        return found


class BlockedLabels(ABC):
    """Labels in blocks, as used by models and coefficients."""

    folder: Path | None
    categories: tuple[str, ...]
    scale: Scale
    item_counts: tuple[int, ...]
    label_counts: tuple[int, ...]
    is_shared: bool

    @property
    @abstractmethod
    def annotators(self) -> tuple[str, ...]:
        """Names of the J annotators, by code."""

    @property
    def n_items(self) -> int:
        """The number of items I."""
        return sum(self.item_counts)

    @property
    def n_labels(self) -> int:
        """The number of labels N."""
        return sum(self.label_counts)

    @property
    def n_annotators(self) -> int:
        """The number of annotators J."""
        return len(self.annotators)

    @property
    def n_categories(self) -> int:
        """The number of categories K."""
        return len(self.categories)

    def codes_of(
        self, gold: Mapping[str, str]
    ) -> dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Look up items with known categories; rejected, as names are not kept."""
        raise AnnotationError(
            "gold: items of labels in chunks are not looked up by name. Write the labels into "
            "partitions first, with annobench.io.partition."
        )

    @abstractmethod
    def tasks(self) -> Iterable[Iterable[Block]]:
        """Yield the blocks, in groups that are summed one by one."""

    def map_sum(
        self,
        workers: Workers | None,
        function: Callable[Concatenate[Block, P], S],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> S:
        """Sum a function over blocks."""
        return added(
            added(function(block, *arguments, **options) for block in task) for task in self.tasks()
        )


@dataclass(frozen=True, eq=False)
class _Held:
    """Labels in memory, after so many items of others."""

    annotations: Annotations
    before: int = 0

    def block(self, number: int) -> Annotations:
        return self.annotations

    def names(self, number: int) -> tuple[str, ...]:
        return self.annotations.items

    def first_rows(self, number: int) -> NDArray[np.int64]:
        return np.arange(self.before, self.before + self.annotations.n_items)


class InMemory(BlockedLabels):
    """Labels in memory, as one block."""

    folder = None

    def __init__(self, annotations: Annotations) -> None:
        self.categories, self.scale = annotations.categories, annotations.scale
        self.item_counts = (annotations.n_items,)
        self.label_counts = (annotations.n_labels,)
        self.is_shared = bool(annotations.is_shared.any())
        self.whole = Block(_Held(annotations), 0)

    @property
    def annotators(self) -> tuple[str, ...]:
        return self.whole.annotations.annotators

    def tasks(self) -> Iterable[Iterable[Block]]:
        """Give the one block."""
        return [[self.whole]]


class Chunks(BlockedLabels):
    """Labels yielded by a function, chunk by chunk, for each pass."""

    folder = None

    def __init__(self, make: Callable[[], Iterable[Annotations]]) -> None:
        self._make = make
        self._named: dict[str, Any] = {}
        sizes = []
        self.is_shared = False
        for chunk in self._chunks():
            sizes.append((chunk.n_items, chunk.n_labels))
            self.is_shared = self.is_shared or bool(chunk.is_shared.any())
        if not sizes:
            raise AnnotationError("Labels in chunks: there are no chunks. Give at least one.")
        self.item_counts, self.label_counts = zip(*sizes, strict=True)
        self.categories, self.scale = self._named["categories"], self._named["scale"]

    @property
    def annotators(self) -> tuple[str, ...]:
        names: tuple[str, ...] = self._named["annotators"]
        return names

    def tasks(self) -> Iterable[Iterable[Block]]:
        """Give the chunks of a pass."""
        return [self._blocks()]

    def _blocks(self) -> Iterator[Block]:
        sizes, first = [], 0
        for number, chunk in enumerate(self._chunks()):
            sizes.append((chunk.n_items, chunk.n_labels))
            yield Block(_Held(chunk, first), number)
            first += chunk.n_items
        if sizes != list(zip(self.item_counts, self.label_counts, strict=True)):
            raise AnnotationError(
                "Labels in chunks: a later pass over the chunks gave other items than the first. "
                "Give a function that yields the same chunks whenever it is called."
            )

    def _chunks(self) -> Iterator[Annotations]:
        for chunk in self._make():
            named = {name: getattr(chunk, name) for name in ("annotators", "categories", "scale")}
            self._named = self._named or named
            for what, value in named.items():
                if value != self._named[what]:
                    raise AnnotationError(
                        f"Labels in chunks: the {what} of a chunk are not those of the first. "
                        "Give every chunk all names in the same order."
                    )
            yield chunk


def added(parts: Iterable[S]) -> S:
    """Sum named tuples, at least one, field by field, in order."""
    rest = iter(parts)
    total = next(rest)
    for part in rest:
        total = type(total)(*map(operator.add, total, part))
    return total
