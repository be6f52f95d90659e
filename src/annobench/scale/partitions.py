"""Labels in a folder of partitions, for data that do not fit in memory.

All labels of an item are in the same partition, so a sum over items is a sum over partitions, and
methods that need only such sums, such as EM, hold one partition in memory at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.numbers import plain_number, spelling_hint
from annobench.core.optional import optional
from annobench.labels.annotations import Annotations
from annobench.scale._blocks import Block, BlockedLabels, P, S, added
from annobench.scale._format import (
    ANNOTATORS,
    CONTENTS,
    OF_PARQUET,
    VERSION,
    digest_of_file,
    labels_file,
    mapped,
    partition_file,
    partition_of,
)
from annobench.scale._workers import Workers, results

if TYPE_CHECKING:
    import pyarrow.parquet as pq
else:
    pq = optional("pyarrow.parquet", "A folder of partitions")

__all__ = ["PartitionedLabels", "Place"]

#: Tasks of a pass. A task sums its partitions in their order, and the tasks' sums are added in
#: theirs, so that a total is the same to the last bit whatever the number of workers.
MAX_TASKS = 64


class Place(NamedTuple):
    """Partitions and codes of items.

    Attributes
    ----------
    partition : ndarray of int64, shape (M,)
        The partition of each item; -1 if there is no such item.
    code : ndarray of int32, shape (M,)
        Code of the item there.
    """

    partition: NDArray[np.int64]
    code: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PartitionedLabels(BlockedLabels):
    """Labels in a folder written by `annobench.io.partition`.

    Attributes
    ----------
    folder : Path
        The folder.
    categories : tuple of str
        Names of the K categories, by code.
    scale : {"nominal", "ordinal"}
        Scale of the labels.
    item_counts, label_counts : tuple of int
        Numbers of items and labels in each partition.
    is_shared : bool
        Whether some item has labels of two annotators.
    digests : mapping of str to str
        Digests of the files, by path in the folder; each process verifies a file before first
        reading it.
    version : int
        Version of the folder's format.
    """

    folder: Path
    categories: tuple[str, ...]
    scale: Scale
    item_counts: tuple[int, ...]
    label_counts: tuple[int, ...]
    is_shared: bool
    digests: Mapping[str, str] = field(default_factory=dict, repr=False)
    version: int = VERSION

    @classmethod
    def open(cls, folder: str | Path) -> PartitionedLabels:
        """Open a folder; labels are read on use.

        Parameters
        ----------
        folder : str or Path
            Folder written by `annobench.io.partition`.

        Returns
        -------
        PartitionedLabels
            The labels.

        Raises
        ------
        AnnotationError
            If the folder is not a complete folder of partitions.
        """
        folder = Path(folder).absolute()
        path = folder / CONTENTS
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise AnnotationError(
                f"{folder}: not a finished folder of partitions ({error}). Make one with "
                "`annobench partition`, or finish it with the same command."
            ) from error
        try:
            found = _fields_of(text)
            version = found["version"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AnnotationError(
                f"{path}: damaged, or of another version of the library ({error}). Remove it, and "
                "run the same `annobench partition` again, which rereads the source."
            ) from error
        if version not in (OF_PARQUET, VERSION):
            raise AnnotationError(
                f"{folder}: partitions of version {version}, but this library reads {OF_PARQUET} "
                f"and {VERSION}. Make them again with `annobench partition`."
            )
        categories = tuple(map(plain_number, found["categories"]))
        if len(set(categories)) < len(categories):
            raise AnnotationError(
                f"{folder}: an earlier version of the library treated numbers with and without a "
                "decimal point, such as 5 and 5.0, as two categories. Make the partitions again "
                "in another folder."
            )
        return cls(
            folder,
            categories,
            found["scale"],
            tuple(found["item_counts"]),
            tuple(found["label_counts"]),
            found["is_shared"],
            found["digests"],
            version,
        )

    def write(self) -> None:
        """Write the file that marks the folder as complete."""
        fields = {
            "version": self.version,
            "categories": self.categories,
            "scale": self.scale,
            "item_counts": self.item_counts,
            "label_counts": self.label_counts,
            "is_shared": self.is_shared,
            "digests": dict(self.digests),
        }
        fields["digest"] = _digest_of_fields(fields)
        with replacing(self.folder / CONTENTS) as draft:
            draft.write_text(json.dumps(fields, indent=1), encoding="utf-8")

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        table = pq.read_table(self._whole(self.folder / ANNOTATORS))
        return tuple(table["annotator"].to_pylist())

    @property
    def n_partitions(self) -> int:
        """The number of partitions."""
        return len(self.item_counts)

    def file(self, kind: str, number: int) -> Path:
        """Return the verified path of a partition's file.

        Parameters
        ----------
        kind : {"labels", "items"}
            Kind of file: labels, or names of items.
        number : int
            Number of the partition.

        Returns
        -------
        Path
            Path in the folder.

        Raises
        ------
        AnnotationError
            If it is missing or was changed.
        """
        path = partition_file(self.folder, kind, number)
        return self._whole(path if kind == "items" else self._labels_path(number))

    def _labels_path(self, number: int) -> Path:
        if self.version == OF_PARQUET:
            return partition_file(self.folder, "labels", number)
        return labels_file(self.folder, number)

    def _whole(self, path: Path) -> Path:
        """Verify a file by its digest, once per process."""
        digest = self.digests.get(path.relative_to(self.folder).as_posix())
        try:
            found = path.stat()
            whole = digest is None or _has_digest(path, digest, found.st_size, found.st_mtime_ns)
        except OSError:
            whole = False
        if not whole:
            raise AnnotationError(
                f"{path}: damaged, removed or replaced after it was written. Remove it and "
                f"{self.folder / CONTENTS}, and run the same `annobench partition` again, which "
                "recreates it."
            )
        return path

    def block(self, number: int) -> Annotations:
        """Read the labels of one partition.

        Parameters
        ----------
        number : int
            Number of the partition.

        Returns
        -------
        Annotations
            Sorted by item; item names are empty, as they need more memory than labels.
        """
        path, n_items = self.file("labels", number), self.item_counts[number]
        if self.version == OF_PARQUET:
            columns = _numbers(path, ["annotator", "label"])
            annotator, label = columns["annotator"], columns["label"]
            sizes = _numbers(self.file("items", number), ["n_labels"])["n_labels"]
        else:
            lists = mapped(path).get_batch(0)["labels"]
            labels = lists.flatten()
            annotator, label = (labels.field(name).to_numpy() for name in ("annotator", "label"))
            sizes = np.diff(lists.offsets.to_numpy())
        return Annotations(
            np.repeat(np.arange(n_items, dtype=np.int32), sizes),
            annotator,
            label,
            ("",) * n_items,
            self.annotators,
            self.categories,
            self.scale,
        )

    def names(self, number: int) -> tuple[str, ...]:
        """Read the names of a partition's items.

        Parameters
        ----------
        number : int
            Number of the partition.

        Returns
        -------
        tuple of str
            By code.
        """
        return tuple(
            pq.read_table(self.file("items", number), columns=["item"])["item"].to_pylist()
        )

    def first_rows(self, number: int) -> NDArray[np.int64]:
        """Read the first row of each item of a partition in the source.

        Parameters
        ----------
        number : int
            Number of the partition.

        Returns
        -------
        ndarray of int64, shape (items of the partition,)
            Numbers of rows, over all files of the source.
        """
        return _numbers(self.file("items", number), ["first_row"])["first_row"]

    def find(self, names: Sequence[str]) -> Place:
        """Look up items by their names.

        Parameters
        ----------
        names : sequence of str
            Names of M items.

        Returns
        -------
        Place
            The place of each item.
        """
        wanted: Any = pd.Index(np.array(names, dtype=object))
        where = partition_of(wanted, self.n_partitions)
        code = np.full(len(wanted), -1, dtype=np.int32)
        for number in np.unique(where):
            at = np.flatnonzero(where == number)
            known = pd.Index(self.names(int(number)), dtype=object)
            code[at] = known.get_indexer(wanted[at])
        return Place(np.where(code < 0, -1, where), code)

    def codes_of(
        self, gold: Mapping[str, str]
    ) -> dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Look up items with known categories.

        Parameters
        ----------
        gold : mapping of str to str
            Names of categories by names of items.

        Returns
        -------
        dict
            Codes of items and of their categories, by the number of the partition.

        Raises
        ------
        AnnotationError
            If there is no such item or category.
        """
        names = [str(name) for name in gold]
        code = {name: k for k, name in enumerate(self.categories)}
        place = self.find(names)
        for name, category, partition in zip(names, gold.values(), place.partition, strict=True):
            if partition < 0 or plain_number(category) not in code:
                what = f"the item {name!r}" if partition < 0 else f"the category {category!r}"
                hint = self._hint(name) if partition < 0 else ""
                raise AnnotationError(
                    f"{self.folder}: gold names {what}, which does not exist. Remove it, or "
                    f"correct it.{hint}"
                )
        categories = np.array([code[plain_number(name)] for name in gold.values()], dtype=np.int32)
        return {
            int(n): (place.code[place.partition == n], categories[place.partition == n])
            for n in np.unique(place.partition)
        }

    def _hint(self, name: str) -> str:
        """Suggest an item whose name is the same number in another spelling."""
        others = [plain_number(name), f"{plain_number(name)}.0"]
        there = self.find(others).partition >= 0
        return spelling_hint(
            [name], [other for other, is_item in zip(others, there, strict=True) if is_item]
        )

    def read(self) -> Annotations:
        """Read all labels into memory.

        Returns
        -------
        Annotations
            Items in the order of their first rows, labels sorted by item.
        """
        numbers = range(self.n_partitions)
        blocks = [self.block(number) for number in numbers]
        names = [name for number in numbers for name in self.names(number)]
        order = np.argsort(np.concatenate([self.first_rows(number) for number in numbers]))
        code = np.empty(order.size, dtype=np.int32)
        code[order] = np.arange(order.size, dtype=np.int32)
        starts = np.cumsum([0, *self.item_counts[:-1]])
        item = code[
            np.concatenate(
                [block.item + start for block, start in zip(blocks, starts, strict=True)]
            )
        ]
        by_item = np.argsort(item, kind="stable")
        return Annotations(
            item[by_item],
            np.concatenate([block.annotator for block in blocks])[by_item],
            np.concatenate([block.label for block in blocks])[by_item],
            tuple(names[n] for n in order.tolist()),
            self.annotators,
            self.categories,
            self.scale,
        )

    def tasks(self) -> Iterable[Iterable[Block]]:
        """Divide the partitions among the tasks of a pass.

        Returns
        -------
        iterable of iterable of Block
            Runs of partitions.
        """
        return ((Block(self, number) for number in run) for run in self._runs())

    def _runs(self) -> list[range]:
        ends = np.linspace(0, self.n_partitions, min(self.n_partitions, MAX_TASKS) + 1)
        return [range(*pair) for pair in pairwise(ends.round().astype(int).tolist())]

    def map_sum(
        self,
        workers: Workers | None,
        function: Callable[Concatenate[Block, P], S],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> S:
        """Sum a function over partitions.

        Parameters
        ----------
        workers : Client, Executor or None
            Workers with access to the folder; None for this process.
        function : callable
            Returns a named tuple of numbers, arrays or other values that can be added.
        *arguments, **options
            Passed to it after the block.

        Returns
        -------
        tuple
            The sum of each value over partitions.

        Raises
        ------
        AnnotationError
            If the workers were lost.
        """
        if workers is None:
            return super().map_sum(None, function, *arguments, **options)
        given = arguments, options
        sums: list[S] = results(workers, _sum, self._runs(), function, self.folder, given=given)
        return added(sums)


@lru_cache(maxsize=1 << 16)
def _has_digest(path: Path, digest: str, size: int, version: int) -> bool:
    return digest_of_file(path) == digest


def _fields_of(text: str) -> dict[str, Any]:
    """Read and verify the file of contents."""
    found: dict[str, Any] = json.loads(text)
    if found.pop("digest") != _digest_of_fields(found):
        raise ValueError("its digest differs")
    return found


def _digest_of_fields(fields: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def _numbers(path: Path, names: list[str]) -> dict[str, NDArray[Any]]:
    table = pq.ParquetFile(path, memory_map=True).read(columns=names)
    return {name: table[name].to_numpy() for name in names}


@lru_cache(maxsize=4)
def _opened(folder: Path, version: int) -> PartitionedLabels:
    """Open a folder once per worker, which may outlive the folder."""
    return PartitionedLabels.open(folder)


def _sum(
    run: Iterable[int],
    function: Callable[..., S],
    folder: Path,
    given: tuple[tuple[Any, ...], dict[str, Any]],
) -> S:
    labels = _opened(folder, (folder / CONTENTS).stat().st_mtime_ns)
    arguments, options = given
    return added(function(Block(labels, number), *arguments, **options) for number in run)
