"""Partitioning of label files of any size, by Dask's shuffle."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from annobench.core.choices import Scale
from annobench.core.errors import MAX_FAULTS, AnnotationError, ReaderError, report_faults
from annobench.core.files import remove_abandoned_drafts, replacing
from annobench.core.numbers import plain_categories
from annobench.core.optional import optional, require
from annobench.io import _pieces as pieces
from annobench.labels.annotations import Annotations
from annobench.scale._format import (
    ANNOTATORS,
    CONTENTS,
    digest_of_file,
    head_of,
    labels_file,
    partition_file,
    partition_of,
    write_rows,
)
from annobench.scale._workers import check_connected, dask_client
from annobench.scale.partitions import PartitionedLabels

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from distributed import Client
else:
    pa = optional("pyarrow", "annobench partition")
    pq = optional("pyarrow.parquet", "annobench partition")

__all__ = ["PARTITION_LABELS", "partition"]

#: Labels of a partition, about.
PARTITION_LABELS = 2_000_000
#: What was asked for, by which the same command knows its unfinished folder.
_SOURCE = "source.json"
#: Names and copies that are needed until the folder is finished.
_SCRATCH = ".unfinished"
#: Survey results that are merged at once.
_MERGED = 16

#: Called with what is done, how much of it, and of how much.
Follow = Callable[[str, int, int], None]


def partition(
    source: str | Path,
    folder: str | Path,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    partition_labels: int = PARTITION_LABELS,
    replace: bool = False,
    scheduler: str | Client | None = None,
    say: Callable[[str], None] | None = None,
    follow: Follow | None = None,
) -> PartitionedLabels:
    """Partition labels by item into a folder, whatever their number.

    Parameters
    ----------
    source : str or Path
        A CSV, TSV or Parquet file with one row per label, a folder of such files, read in the order
        of their names, or an address for fsspec, such as ``s3://bucket/labels/``. Text may be
        compressed with gzip.
    folder : str or Path
        Output folder; workers must have access to it.
    item, annotator, label : str, optional
        Names of the columns. By default usual names are recognised.
    categories : iterable, optional
        All categories in order; other labels are errors. By default those recorded by
        `annobench.write_labels` in Parquet, if equal in all files, or else those that occur.
    scale : {"nominal", "ordinal"}, optional
        Scale of the labels. By default as recorded by `annobench.write_labels`, or else "nominal".
    partition_labels : int, default 2_000_000
        Approximate number of labels per partition; a worker holds several times as many rows.
    replace : bool, default False
        Whether to replace partitions of other labels in the folder.
    scheduler : str or distributed.Client, optional
        Dask's; by default workers are started locally, one per core.
    say : callable, optional
        Called with the address of Dask's dashboard, in a line.
    follow : callable, optional
        Called with the step, the number of parts done, and their total.

    Returns
    -------
    PartitionedLabels
        The labels. Codes of annotators and categories are those of `annobench.read_labels`.

    Raises
    ------
    ReaderError
        If a file is malformed, lacks a column, or has rows that can't be labels; names files and
        rows, for up to ten faults at once.
    AnnotationError
        If there is nothing to read, the folder holds something else, or Dask is not installed.

    Notes
    -----
    After an interruption, a rerun resumes: text read, names collected and partitions written are
    kept, unless the source has changed. A row with an empty label is an item that the annotator saw
    and did not label.

    Text is read by one process per file. A worker holds 250,000 rows at a time, and finally one
    partition; the labels of an item must fit in a worker's memory.
    """
    if partition_labels < 1:
        raise AnnotationError(
            f"partition: partition_labels must be at least 1, got {partition_labels}."
        )
    folder = Path(folder).absolute()
    known = None if categories is None else plain_categories(categories)
    columns = {"item": item, "annotator": annotator, "label": label}
    files = _files(str(source))
    asked = {
        "files": files,
        "columns": columns,
        "categories": known,
        "scale": scale,
        "partition_labels": partition_labels,
    }
    addresses = [address for address, _ in files]
    outlines = {
        address: pieces.outline(address, columns)
        for address in addresses
        if address.lower().endswith(pieces.PARQUET)
    }
    known, scale = _stated(outlines, known, scale)
    if scale not in ("nominal", "ordinal"):
        raise AnnotationError(
            f"partition: needs nominal or ordinal labels, got the {scale} scale. Convert the "
            "labels to categories."
        )
    if _is_finished(folder, json.loads(json.dumps(asked)), replace=replace):
        return PartitionedLabels.open(folder)
    remove_abandoned_drafts(folder)
    with dask_client(scheduler, say=say, keep_memory=False) as client:
        steps = _Steps(client, follow)
        found = _found(steps, addresses, outlines, columns, folder / _SCRATCH)
        n_rows = sum(piece.n_rows for piece in found)
        if not n_rows:
            raise ReaderError(f"{source}: a header but no rows. Give one row per label.")
        names = _names(steps, found, known, scale, folder, str(source))
        n_partitions = -(-n_rows // partition_labels)
        _shuffle(steps, found, names, folder, n_partitions)
        return _finish(steps, folder, names["category"], scale, n_partitions)


class _Steps:
    """Runs tasks on workers and says how far they are."""

    def __init__(self, client: Client, follow: Follow | None) -> None:
        self.client = client
        self.follow = follow or (lambda what, done, total: None)

    def wait(self, what: str, futures: list[Any]) -> list[Any]:
        """Return the tasks when all are done; the first error is raised."""
        from distributed import as_completed

        self.follow(what, 0, len(futures))
        check_connected(self.client)
        for done, future in enumerate(as_completed(futures), start=1):
            if future.status == "error":
                error = future.exception()
                self.client.cancel(futures)
                raise error
            self.follow(what, done, len(futures))
        return futures

    def each(self, what: str, function: Callable[..., Any], *columns: Iterable[Any]) -> list[Any]:
        """Run a function for each row of arguments; return the futures."""
        futures = [
            self.client.submit(function, *row, pure=False) for row in zip(*columns, strict=True)
        ]
        return self.wait(what, futures)


def _files(source: str) -> list[tuple[str, str]]:
    """List the files of a source, and what changes when they do."""
    fsspec = require("fsspec", "annobench partition")
    local = require("fsspec.implementations.local", "annobench partition")
    try:
        system, path = fsspec.core.url_to_fs(source)
    except ImportError as error:
        raise AnnotationError(
            f"partition: {source} needs a package that is not installed ({error}). In the folder "
            'of the clone: pip install ".[scale]", and what fsspec needs for such addresses.'
        ) from error
    endings = (*pieces.PARQUET, *pieces.TEXT)
    if system.isdir(path):
        paths = sorted(name for name in system.find(path) if name.lower().endswith(endings))
        paths = [name for name in paths if not Path(name).name.startswith((".", "_"))]
    elif system.exists(path):
        paths = [path]
        if not path.lower().endswith(endings):
            raise AnnotationError(
                f"partition: {source} ends in none of {', '.join(endings)}. Write it as one of "
                "these first, such as with annobench convert."
            )
    else:
        raise AnnotationError(f"partition: {source} does not exist. Correct the address.")
    if not paths:
        raise AnnotationError(
            f"partition: {source} holds no file that ends in {', '.join(endings)}. Name a folder "
            "with tables of labels."
        )
    is_local = isinstance(system, local.LocalFileSystem)
    addresses = paths if is_local else map(system.unstrip_protocol, paths)
    return [(address, system.ukey(name)) for address, name in zip(addresses, paths, strict=True)]


def _stated(
    outlines: dict[str, pieces.Outline], categories: tuple[str, ...] | None, scale: Scale | None
) -> tuple[tuple[str, ...] | None, Scale]:
    """Return categories and scale: those asked for, or what all Parquet files note of them."""
    if scale is None:
        scale = _in_all("scale", {name: each.scale for name, each in outlines.items()})
    if categories is None:
        noted = {name: each.categories for name, each in outlines.items()}
        if scale == "ordinal" or len(set(noted.values())) == 1:
            categories = _in_all("categories", noted)
    return categories, scale or "nominal"


def _in_all(what: str, noted: dict[str, Any]) -> Any:
    """Return what files note, None if no file does; no two may differ."""
    for (first, value), (second, other) in pairwise(noted.items()):
        if value != other:
            raise AnnotationError(
                f"partition: {first} and {second} differ in the {what} that annobench noted in "
                f"them ({value or 'none'}; {other or 'none'}). Give the {what} of all files."
            )
    return next(iter(noted.values()), None)


def _is_finished(folder: Path, asked: dict[str, Any], *, replace: bool) -> bool:
    """Begin a folder, or find one that was begun with the same source; say if it is finished."""
    note = folder / _SOURCE
    if note.exists():
        try:
            begun = json.loads(note.read_text(encoding="utf-8"))
        except ValueError:  # damaged
            begun = None
        if begun == asked:
            return (folder / CONTENTS).exists()
        if not replace:
            raise AnnotationError(
                f"partition: {folder} holds partitions of other labels, or of a source that has "
                "changed since. Name another folder, or replace them with --force."
            )
        for name in (CONTENTS, ANNOTATORS, _SOURCE):
            (folder / name).unlink(missing_ok=True)
        for name in ("items", "labels", _SCRATCH):
            _remove(folder / name)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise AnnotationError(f"partition: {folder} exists and is not empty. Name another folder.")
    with replacing(note) as draft:
        draft.write_text(json.dumps(asked, indent=1), encoding="utf-8")
    return False


def _found(
    steps: _Steps,
    addresses: list[str],
    outlines: dict[str, pieces.Outline],
    columns: dict[str, str | None],
    scratch: Path,
) -> list[pieces.Piece]:
    """Divide all files into pieces; text, and Parquet with large row groups, is copied first."""
    copies = {
        address: scratch / "copies" / f"{number:05d}.parquet"
        for number, address in enumerate(addresses)
        if address not in outlines or outlines[address].largest_group > 4 * pieces.PIECE_ROWS
    }
    missing = {address: target for address, target in copies.items() if not target.exists()}
    if missing:
        steps.each("reading", pieces.copy, missing, [columns] * len(missing), missing.values())
    plain: dict[str, str | None] = {role: role for role in pieces.ROLES}
    listed = steps.each(
        "opening",
        pieces.pieces_of,
        [str(copies.get(address, address)) for address in addresses],
        addresses,
        [plain if address in copies else columns for address in addresses],
    )
    found: list[pieces.Piece] = []
    n_rows = 0
    for part in steps.client.gather(listed):
        found += pieces.renumbered(part, n_rows)
        n_rows += sum(piece.n_rows for piece in part)
    return found


def _names(
    steps: _Steps,
    found: list[pieces.Piece],
    categories: tuple[str, ...] | None,
    scale: Scale,
    folder: Path,
    source: str,
) -> dict[str, tuple[str, ...]]:
    """Collect the names of annotators and categories, or refuse rows that can't be labels."""
    files = {"annotator": folder / ANNOTATORS, "category": folder / _SCRATCH / "category.parquet"}
    if not all(path.exists() for path in files.values()):
        n = len(found)
        parts = steps.each("names", pieces.survey, found, [categories] * n, [scale] * n)
        while len(parts) > 1:
            groups = [parts[i : i + _MERGED] for i in range(0, len(parts), _MERGED)]
            parts = steps.each("merging names", pieces.merged, groups)
        names: pieces.Names = parts[0].result()
        if names.n_faults:
            lines = [f"{file}, row {row}: {text}" for file, row, text in names.faults]
            lines = lines[:MAX_FAULTS] + [""] * (names.n_faults - len(lines[:MAX_FAULTS]))
            report_faults(source, lines, "Correct these rows.")
        seen = list(names.labels.sort_values().index)
        dashes = ["-"] * len(seen)
        ordered = Annotations.from_arrays(
            dashes, dashes, seen, categories=categories, scale=scale
        ).categories
        if not ordered:
            raise ReaderError(f"{source}: no row has a label. Give at least one.")
        _write_names(files["category"], "category", ordered)
        _write_names(files["annotator"], "annotator", names.annotators.sort_values().index)
    return {what: tuple(pq.read_table(path)[what].to_pylist()) for what, path in files.items()}


def _write_names(path: Path, what: str, names: Iterable[str]) -> None:
    with replacing(path) as draft:
        pq.write_table(pa.table({what: pa.array(list(names), pa.string())}), draft)


def _shuffle(
    steps: _Steps,
    found: list[pieces.Piece],
    names: dict[str, tuple[str, ...]],
    folder: Path,
    n_partitions: int,
) -> None:
    """Bring all rows of an item to one partition, and write those that are missing."""
    import dask.dataframe as dd
    from distributed import futures_of

    finished = tuple(n for n in range(n_partitions) if _is_written(folder, n))
    if len(finished) < n_partitions:
        index = {
            "annotator": folder / ANNOTATORS,
            "category": folder / _SCRATCH / "category.parquet",
        }
        rows = dd.from_map(
            pieces.coded,
            found,
            names=index,
            finished=finished,
            n_partitions=n_partitions,
            meta=pieces.empty(),
        )
        shuffled = rows.shuffle(on="item", npartitions=n_partitions, shuffle_method="p2p")
        written = shuffled.map_partitions(
            write_partition,
            folder,
            len(names["category"]),
            n_partitions,
            meta=pd.DataFrame({"partition": pd.Series([], dtype=np.int64)}),
        )
        steps.wait("partitions", futures_of(steps.client.persist(written)))
    for number in range(n_partitions):
        if not _is_written(folder, number):  # no item belongs to it
            write_rows(folder, number, pieces.empty(), len(names["category"]))


def _is_written(folder: Path, number: int) -> bool:
    files = partition_file(folder, "items", number), labels_file(folder, number)
    return all(path.exists() for path in files)


def write_partition(
    frame: pd.DataFrame, folder: Path, n_categories: int, n_partitions: int
) -> pd.DataFrame:
    """Write the rows that a shuffle brought together."""
    if not len(frame):
        return pd.DataFrame({"partition": np.zeros(0, dtype=np.int64)})
    numbers = np.unique(partition_of(frame["item"].unique(), n_partitions))
    if numbers.size > 1:
        raise RuntimeError(
            "partition: this version of Dask divides rows by another rule. Install the one that "
            "the extra `scale` names."
        )
    write_rows(folder, int(numbers[0]), frame, n_categories)
    return pd.DataFrame({"partition": numbers})


def _finish(
    steps: _Steps, folder: Path, categories: tuple[str, ...], scale: Scale, n_partitions: int
) -> PartitionedLabels:
    numbers = range(n_partitions)
    items = [partition_file(folder, "items", n) for n in numbers]
    paths = [folder / ANNOTATORS, *items, *(labels_file(folder, n) for n in numbers)]
    digests = steps.client.gather(steps.each("digests", digest_of_file, paths))
    heads = [head_of(folder, n) for n in numbers]
    found = PartitionedLabels(
        folder,
        categories,
        scale,
        tuple(head.n_items for head in heads),
        tuple(head.n_labels for head in heads),
        any(head.is_shared for head in heads),
        dict(zip((path.relative_to(folder).as_posix() for path in paths), digests, strict=True)),
    )
    found.write()
    _remove(folder / _SCRATCH)
    return found


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
