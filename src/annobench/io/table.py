"""Labels written as a table: one row per label, as CSV, TSV or Parquet."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.optional import optional
from annobench.io.cells import METADATA, PARQUET, TABBED
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")

__all__ = ["write_labels"]


def write_labels(annotations: Annotations, path: str | Path) -> None:
    """Write labels as a table with the columns `item`, `annotator` and `label`.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    path : str or Path
        The file; .parquet or .pq gives Parquet, .tsv or .tab gives tabs, all else commas. It is
        written atomically.

    Raises
    ------
    AnnotationError
        If a name has a NUL byte and the file is text, or the labels are sets.

    Notes
    -----
    Names are written unchanged, even if a spreadsheet would read them as formulas, and
    `annobench.read_labels` restores them exactly; see `annobench.core.texts`. A text file has only
    its rows: the order of the categories, unused categories, items and annotators without labels,
    and the scale are lost, unless given to `annobench.read_labels` again. Parquet keeps everything.
    """
    annotations = as_annotations(annotations, "write_labels")
    path = Path(path)
    if annotations.scale == "set":
        raise AnnotationError(
            f"{path}: labels that are sets can't be written as a long table and read back. Write "
            "one row per element, or build a table from to_frame and membership."
        )
    parquet = path.suffix.lower() in PARQUET
    names = (annotations.items, annotations.annotators, annotations.categories)
    for name in (name for group in names for name in group if not parquet and "\0" in name):
        raise AnnotationError(
            f"{path}: the name {name!r} has a NUL byte, which a text file can't hold. "
            "Rename it, or write Parquet."
        )
    with replacing(path) as draft:
        if parquet:
            pq.write_table(_to_arrow(annotations), draft)
            return
        tabbed = path.suffix.lower() in TABBED
        with draft.open("w", encoding="utf-8", newline="") as stream:
            # The writer quotes only the line ends it uses itself, a reader knows them all.
            unusual = any("\r" in name for group in names for name in group)
            writer = csv.writer(
                stream,
                delimiter="\t" if tabbed else ",",
                lineterminator="\n",
                quoting=csv.QUOTE_ALL if unusual else csv.QUOTE_MINIMAL,
            )
            writer.writerow(("item", "annotator", "label"))
            columns = (annotations.item, annotations.annotator, annotations.label)
            texts = (
                np.array(group, dtype=object)[codes]
                for group, codes in zip(names, columns, strict=True)
            )
            writer.writerows(zip(*texts, strict=True))


def _to_arrow(annotations: Annotations) -> pa.Table:
    columns = {
        "item": (annotations.item, annotations.items),
        "annotator": (annotations.annotator, annotations.annotators),
        "label": (annotations.label, annotations.categories),
    }
    table = pa.table(
        {
            name: pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
            for name, (codes, names) in columns.items()
        }
    )
    kept: dict[str, Any] = {"scale": annotations.scale, "categories": annotations.categories}
    # Names are repeated only where the rows do not tell them.
    for role, codes, names in (
        ("items", annotations.item, annotations.items),
        ("annotators", annotations.annotator, annotations.annotators),
    ):
        first = np.unique(codes, return_index=True)
        in_order = len(first[0]) == len(names) and bool((np.diff(first[1]) > 0).all())
        kept[role] = None if in_order else names
    return table.replace_schema_metadata({METADATA: json.dumps(kept)})
