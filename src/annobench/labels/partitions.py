"""Labels in a folder of partitions, for labels that do not fit in memory.

All labels of an item are in one partition, so that a sum over items is a sum over partitions, and
methods that need only such sums, like EM, need one partition in memory at a time. The folder has ::

    labels.json              categories, scale, sizes of the partitions, digests of the files
    annotators.parquet       names of annotators, by code
    labels/00000.parquet     item (its code in the partition), annotator, label; sorted by item
    items/00000.parquet      names of items by code, their first row in the source, their labels

Codes of annotators and categories are those of `annobench.read_labels` on the same rows, and items
of a partition are in the order of their first rows. Numbers that are read in every iteration are
stored uncompressed in the form in which they are used, so that they are read at the speed of the
disk.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.numbers import plain_number, spelling_hint
from annobench.core.workers import check_connected
from annobench.labels.annotations import Annotations

if TYPE_CHECKING:
    from distributed import Client

P = ParamSpec("P")
S = TypeVar("S", bound=tuple[Any, ...])

#: The file that is written last, and its version.
CONTENTS, VERSION = "labels.json", 2
ANNOTATORS = "annotators.parquet"
#: Tasks of a pass. A task sums its partitions in their order, and the tasks' sums are added in
#: theirs, so that a total is the same to the last bit whatever the number of workers.
MAX_TASKS = 64


class Place(NamedTuple):
    """Where items are, by their names.

    Attributes
    ----------
    partition : ndarray of int64, shape (M,)
        The partition of each item; -1 if there is no such item.
    code : ndarray of int32, shape (M,)
        Its code there.
    """

    partition: NDArray[np.int64]
    code: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PartitionedLabels:
    """Labels in a folder that `annobench.io.partition` wrote.

    Attributes
    ----------
    folder : Path
        The folder.
    categories : tuple of str
        Names of the K categories, by code.
    scale : {"nominal", "ordinal"}
        What the order of the categories means.
    item_counts, label_counts : tuple of int
        Items and labels of each partition.
    is_shared : bool
        Whether some item has labels of two annotators.
    digests : mapping of str to str
        Of the files, by their path in the folder; each process compares a file with its digest
        before it first reads it.
    """

    folder: Path
    categories: tuple[str, ...]
    scale: Scale
    item_counts: tuple[int, ...]
    label_counts: tuple[int, ...]
    is_shared: bool
    digests: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, folder: str | Path) -> PartitionedLabels:
        """Read what a folder holds; labels are read when they are used.

        Parameters
        ----------
        folder : str or Path
            Written by `annobench.io.partition`.

        Returns
        -------
        PartitionedLabels
            Its labels.

        Raises
        ------
        AnnotationError
            If the folder is not one of partitions, or not a finished one.
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
                "give the same `annobench partition` again, which reads the source anew."
            ) from error
        if version != VERSION:
            raise AnnotationError(
                f"{folder}: partitions of version {version}, and this library reads {VERSION}. "
                "Make them again with `annobench partition`."
            )
        categories = tuple(map(plain_number, found["categories"]))
        if len(set(categories)) < len(categories):
            raise AnnotationError(
                f"{folder}: an earlier version of the library took a number with and without a "
                "decimal point, such as 5 and 5.0, for two categories. Make the partitions again "
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
        )

    def write(self) -> None:
        """Write the file without which the folder is not finished."""
        fields = {
            "version": VERSION,
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
        """Names of the J annotators, by code."""
        table = pq.read_table(self._whole(self.folder / ANNOTATORS))
        return tuple(table["annotator"].to_pylist())

    @property
    def n_partitions(self) -> int:
        """The number of partitions."""
        return len(self.item_counts)

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

    def file(self, kind: str, number: int) -> Path:
        """Return the path of a partition's file, which is as it was written.

        Parameters
        ----------
        kind : {"labels", "items"}
            Its labels, or the names of its items.
        number : int
            Of the partition.

        Returns
        -------
        Path
            In the folder.

        Raises
        ------
        AnnotationError
            If it is not there, or another.
        """
        return self._whole(partition_file(self.folder, kind, number))

    def _whole(self, path: Path) -> Path:
        """Compare a file with its digest, unless this process has done so."""
        digest = self.digests.get(path.relative_to(self.folder).as_posix())
        try:
            found = path.stat()
            whole = digest is None or _has_digest(path, digest, found.st_size, found.st_mtime_ns)
        except OSError:
            whole = False
        if not whole:
            raise AnnotationError(
                f"{path}: damaged, removed or replaced after it was written. Remove it and "
                f"{self.folder / CONTENTS}, and give the same `annobench partition` again, which "
                "makes it anew."
            )
        return path

    def block(self, number: int) -> Annotations:
        """Read the labels of one partition.

        Parameters
        ----------
        number : int
            Of the partition.

        Returns
        -------
        Annotations
            Sorted by item; all items have the empty name, as names take more memory than labels.
        """
        columns = _numbers(self.file("labels", number), ["annotator", "label"])
        sizes = _numbers(self.file("items", number), ["n_labels"])["n_labels"]
        n_items = self.item_counts[number]
        return Annotations(
            np.repeat(np.arange(n_items, dtype=np.int32), sizes),
            columns["annotator"],
            columns["label"],
            ("",) * n_items,
            self.annotators,
            self.categories,
            self.scale,
        )

    def item_names(self, number: int) -> pa.ChunkedArray:
        """Read the names of a partition's items.

        Parameters
        ----------
        number : int
            Of the partition.

        Returns
        -------
        ChunkedArray of str
            By code.
        """
        return pq.read_table(self.file("items", number), columns=["item"])["item"]

    def first_rows(self, number: int) -> NDArray[np.int64]:
        """Read where in the source the items of a partition come first.

        Parameters
        ----------
        number : int
            Of the partition.

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
            Where each is.
        """
        wanted: Any = pd.Index(np.array(names, dtype=object))
        where = partition_of(wanted, self.n_partitions)
        code = np.full(len(wanted), -1, dtype=np.int32)
        for number in np.unique(where):
            at = np.flatnonzero(where == number)
            known = pd.Index(self.item_names(int(number)).to_pandas().astype(object))
            code[at] = known.get_indexer(wanted[at])
        return Place(np.where(code < 0, -1, where), code)

    def codes_of(
        self, gold: Mapping[str, str]
    ) -> dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Look up items whose categories are known.

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
                    f"{self.folder}: gold names {what}, which is not there. Remove it, or correct "
                    f"it.{hint}"
                )
        categories = np.array([code[plain_number(name)] for name in gold.values()], dtype=np.int32)
        return {
            int(n): (place.code[place.partition == n], categories[place.partition == n])
            for n in np.unique(place.partition)
        }

    def _hint(self, name: str) -> str:
        """Say of an item that is not there whether it is, as a number in another spelling."""
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
            Items in the order of their first rows, labels in that of their items.
        """
        numbers = range(self.n_partitions)
        blocks = [self.block(number) for number in numbers]
        names = [name for number in numbers for name in self.item_names(number).to_pylist()]
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

    def tasks(self) -> list[range]:
        """Divide the partitions among the tasks of a pass.

        Returns
        -------
        list of range
            Runs of partitions.
        """
        ends = np.linspace(0, self.n_partitions, min(self.n_partitions, MAX_TASKS) + 1)
        return [range(*pair) for pair in pairwise(ends.round().astype(int).tolist())]

    def total(
        self,
        client: Client,
        function: Callable[Concatenate[PartitionedLabels, int, P], S],
        *arguments: P.args,
        **options: P.kwargs,
    ) -> S:
        """Sum a function's results over partitions, on Dask's workers.

        Parameters
        ----------
        client : distributed.Client
            Whose workers see the folder.
        function : callable
            Makes a named tuple of numbers, arrays or other values that can be added.
        *arguments, **options
            Passed to it after the labels and the number of the partition.

        Returns
        -------
        tuple
            The sum over partitions of each of its values.

        Raises
        ------
        AnnotationError
            If the scheduler has gone away.
        """
        # In the graph once, and known to the scheduler, which makes it anew if a worker is lost.
        given = client.submit(_given, arguments, options, pure=False)
        futures = [
            client.submit(_sum, function, self.folder, numbers, given, pure=False)
            for numbers in self.tasks()
        ]
        check_connected(client)
        sums: list[S] = client.gather(futures)
        return added(sums)


def is_partitioned(path: str | Path) -> bool:
    """Say whether a folder is a finished one of partitions.

    Parameters
    ----------
    path : str or Path
        Any path.

    Returns
    -------
    bool
        By its file of contents.
    """
    return (Path(path) / CONTENTS).is_file()


def partition_of(names: Any, n_partitions: int) -> NDArray[np.int64]:
    """Return the partition that an item belongs to, by its name.

    Parameters
    ----------
    names : array_like of str, shape (M,)
        Names of items.
    n_partitions : int
        The number of partitions.

    Returns
    -------
    ndarray of int64, shape (M,)
        In [0, n_partitions): Dask's, which is pandas' hash of a frame of the one column.
    """
    frame = pd.DataFrame({"item": pd.Series(names, dtype=object)})
    hashes = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return (hashes % np.uint64(n_partitions)).astype(np.int64)


def partition_file(folder: Path, kind: str, number: int) -> Path:
    """Return the path of a partition's file.

    Parameters
    ----------
    folder : Path
        Of the partitions, or of what is written by partition.
    kind : str
        The folder in it.
    number : int
        Of the partition.

    Returns
    -------
    Path
        Such as ``labels/00012.parquet``.
    """
    return folder / kind / f"{number:05d}.parquet"


def label_type(n_categories: int) -> type[np.int16 | np.int32]:
    """Return the type of codes of categories.

    Parameters
    ----------
    n_categories : int
        K.

    Returns
    -------
    type
        Which labels are stored in, and read without a conversion.
    """
    return np.int16 if n_categories <= np.iinfo(np.int16).max else np.int32


def digest_of_file(path: Path) -> str:
    """Compute the digest of a file.

    Parameters
    ----------
    path : Path
        Of the file.

    Returns
    -------
    str
        SHA-256, in hexadecimal.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=1 << 16)
def _has_digest(path: Path, digest: str, size: int, version: int) -> bool:
    return digest_of_file(path) == digest


def _fields_of(text: str) -> dict[str, Any]:
    """Read the file of contents, if it is as it was written."""
    found: dict[str, Any] = json.loads(text)
    if found.pop("digest") != _digest_of_fields(found):
        raise ValueError("its digest is another")
    return found


def _digest_of_fields(fields: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def _numbers(path: Path, names: list[str]) -> dict[str, NDArray[Any]]:
    table = pq.ParquetFile(path, memory_map=True).read(columns=names)
    return {name: table[name].to_numpy() for name in names}


@lru_cache(maxsize=4)
def _opened(folder: Path, version: int) -> PartitionedLabels:
    """Open a folder once in a worker, which may live longer than the folder."""
    return PartitionedLabels.open(folder)


def _given(arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    return arguments, options


def _sum(
    function: Callable[..., S], folder: Path, numbers: Iterable[int], given: tuple[Any, ...]
) -> S:
    labels = _opened(folder, (folder / CONTENTS).stat().st_mtime_ns)
    arguments, options = given
    return added(function(labels, number, *arguments, **options) for number in numbers)


def added(parts: Iterable[S]) -> S:
    """Add up named tuples, value by value, in their order.

    Parameters
    ----------
    parts : iterable of named tuples
        At least one.

    Returns
    -------
    tuple
        Their sum.
    """
    rest = iter(parts)
    total = next(rest)
    for part in rest:
        total = type(total)(*map(operator.add, total, part))
    return total
