"""The files of a folder of partitions.

The folder has ::

    labels.json              categories, scale, sizes of the partitions, digests of the files
    annotators.parquet       names of annotators, by code
    labels/00000.arrow       one row per item: its labels, a list of codes of annotator and category
    items/00000.parquet      names of items by code, their first row in the source, their labels

Codes of annotators and categories are those of `annobench.read_labels` on the same rows, and items
of a partition are in the order of their first rows. Labels, which are read in every iteration, are
stored in Arrow's IPC format, which is memory-mapped without decoding. Up to version 2 of the format
they were Parquet, one row per label, which is read, too.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.files import replacing
from annobench.core.optional import optional

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "A folder of partitions")
    pq = optional("pyarrow.parquet", "A folder of partitions")

#: The file that is written last, and its version.
CONTENTS, VERSION = "labels.json", 3
#: The last version whose labels are Parquet.
OF_PARQUET = 2
ANNOTATORS = "annotators.parquet"


def is_partitioned(path: str | Path) -> bool:
    """Return whether a folder is a complete folder of partitions."""
    return (Path(path) / CONTENTS).is_file()


def partition_of(names: Any, n_partitions: int) -> NDArray[np.int64]:
    """Return the partition that an item belongs to, by its name."""
    frame = pd.DataFrame({"item": pd.Series(names, dtype=object)})
    hashes = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return (hashes % np.uint64(n_partitions)).astype(np.int64)


def partition_file(folder: Path, kind: str, number: int) -> Path:
    """Return the path of a partition's file."""
    return folder / kind / f"{number:05d}.parquet"


def labels_file(folder: Path, number: int) -> Path:
    """Return the path of the file with a partition's labels."""
    return partition_file(folder, "labels", number).with_suffix(".arrow")


def label_type(n_categories: int) -> type[np.int16 | np.int32]:
    """Return the type of codes of categories."""
    return np.int16 if n_categories <= np.iinfo(np.int16).max else np.int32


def write_rows(folder: Path, number: int, frame: pd.DataFrame, n_categories: int) -> None:
    """Write a partition's two files atomically, the labels last."""
    frame = frame.sort_values("row")
    code, names = pd.factorize(frame["item"])
    first_row = frame["row"].to_numpy()[np.unique(code, return_index=True)[1]]
    given = frame["label"].to_numpy() >= 0
    order = np.argsort(code[given], kind="stable")
    item, annotator, label = (
        column[given][order]
        for column in (code, frame["annotator"].to_numpy(), frame["label"].to_numpy())
    )
    n_labels = np.bincount(item, minlength=len(names))
    first_of = np.r_[0, np.cumsum(n_labels)[:-1]][item] if item.size else item
    is_shared = bool((annotator != annotator[first_of]).any()) if item.size else False
    items = {
        "item": pa.array(names, pa.string()),
        "first_row": first_row,
        "n_labels": n_labels.astype(np.int32),
    }
    with replacing(partition_file(folder, "items", number)) as draft:
        pq.write_table(
            pa.table(items),
            draft,
            # What is read apart from names is stored as it is used.
            compression={name: "none" if name == "n_labels" else "zstd" for name in items},
            use_dictionary=False,
            row_group_size=max(len(names), 1),
        )
    offsets = pa.array(np.r_[0, np.cumsum(n_labels)], pa.int32())
    labels = pa.StructArray.from_arrays(
        [annotator.astype(np.int32), label.astype(label_type(n_categories))],
        names=["annotator", "label"],
    )
    lists = pa.record_batch({"labels": pa.ListArray.from_arrays(offsets, labels)})
    lists = lists.replace_schema_metadata({"is_shared": str(int(is_shared))})
    with (
        replacing(labels_file(folder, number)) as draft,
        pa.ipc.new_file(draft, lists.schema) as file,
    ):
        file.write_batch(lists)
    partition_file(folder, "labels", number).unlink(missing_ok=True)  # of an earlier version


class Head(NamedTuple):
    """Metadata of a partition's files."""

    n_items: int
    n_labels: int
    is_shared: bool


def head_of(folder: Path, number: int) -> Head:
    """Read the metadata of a partition's files."""
    file = mapped(labels_file(folder, number))
    lists = file.get_batch(0)["labels"]
    return Head(len(lists), len(lists.flatten()), file.schema.metadata[b"is_shared"] == b"1")


def digest_of_file(path: Path) -> str:
    """Compute the digest of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def mapped(path: Path) -> Any:
    """Map a file of labels into memory."""
    return pa.ipc.open_file(pa.memory_map(str(path)))
