"""Reject labels that need more memory than is available, before they are read."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from annobench.core.memory import refuse_beyond_memory
from annobench.core.optional import require

if TYPE_CHECKING:
    from annobench.io.source import Source

#: What a command needs before it reads anything, and for each label, in bytes: what
#: `make test-faults` measured with a million labels of 100,000 items, rounded up.
START = 300_000_000
PER_LABEL = {
    "audit": 250,
    "certificate": 250,
    "compare": 300,
    "consensus": 400,
    "convert": 200,
    "inspect": 200,
    "judge": 700,
    "plan": 250,
    "report": 450,
}
#: Bytes of a label in the export of a tool, whose length in lines says nothing.
_IN_EXPORT = 200
_TEXT, _PARQUET = (".csv", ".tsv", ".tab", ".txt"), (".parquet", ".pq")
_PASSES = (
    "`annobench consensus` and `annobench report` pass over partitions one at a time with "
    "`--engine dask`: see how-to/large-labels in the documentation."
)


def refuse_too_many_labels(source: Source, command: str) -> None:
    """Reject labels that need more memory than is available."""
    n = estimated_labels(source)
    refuse_beyond_memory(
        START + n * PER_LABEL[command],
        f"{source.path}: about {n:,.0f} labels, for which annobench {command}",
        _remedy(source),
    )


def estimated_labels(source: Source) -> float:
    """Estimate the number of labels from the size of the source."""
    path = source.path
    if source.partitions is not None:
        return source.partitions.n_labels
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / _IN_EXPORT
    if path.suffix.lower() in _PARQUET:
        pa, pq = require("pyarrow", "Parquet"), require("pyarrow.parquet", "Parquet")

        try:
            return float(pq.read_metadata(path).num_rows)
        except (pa.ArrowException, OSError):
            return 0
    size = path.stat().st_size
    if path.suffix.lower() not in _TEXT:
        return size / _IN_EXPORT
    head = source.content.head
    return size * head.count(b"\n") / max(len(head), 1)


def _remedy(source: Source) -> str:
    if source.partitions is not None:
        return _PASSES
    path = source.path
    if path.suffix.lower() in _TEXT + _PARQUET:
        command = f"annobench partition {shlex.quote(str(path))} partitions/"
        return f"Partition them with `{command}`. {_PASSES}"
    return "Use fewer items, or a machine with more memory."
