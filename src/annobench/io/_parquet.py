"""Batches of rows of a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annobench.core.optional import optional

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "Parquet")
    pq = optional("pyarrow.parquet", "Parquet")


def batches(
    file: pq.ParquetFile, size: int, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file by row group."""
    for group in range(file.num_row_groups):
        stated, n_rows = file.metadata.row_group(group).num_rows, 0
        for batch in file.iter_batches(size, row_groups=[group], columns=columns):
            n_rows += batch.num_rows
            yield batch
        if n_rows != stated:
            raise pa.ArrowInvalid(f"row group {group + 1} states {stated} rows and has {n_rows}")
