"""Refusing labels of which a command would need more memory than there is, before it reads them."""

from __future__ import annotations

import shlex
from pathlib import Path

from annobench.core.memory import refuse_beyond_memory

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
_HEAD = 1 << 20
_PASSES = (
    "`annobench consensus` and `annobench report` pass over partitions one at a time with "
    "`--engine dask`: see how-to/large-labels in the documentation."
)


def refuse_too_many_labels(path: Path, command: str) -> None:
    """Refuse labels that need more memory than there is.

    Parameters
    ----------
    path : Path
        The file or folder of the labels; what is wrong with it is for its reader to say.
    command : str
        Name of the command, one of `PER_LABEL`.

    Raises
    ------
    AnnotationError
        If there is not so much memory; it says how much is needed, and what to do.
    """
    n = estimated_labels(path)
    refuse_beyond_memory(
        START + n * PER_LABEL[command],
        f"{path}: about {n:,.0f} labels, for which annobench {command}",
        _remedy(path),
    )


def estimated_labels(path: Path) -> float:
    """Estimate how many labels a file or folder holds, from its size.

    Parameters
    ----------
    path : Path
        A table, an export, or a folder of partitions.

    Returns
    -------
    float
        Exact for Parquet and partitions; of text by the length of its first lines; of an export
        by a usual length of records. 0 where there is no such file.
    """
    from annobench.labels.partitions import PartitionedLabels, is_partitioned

    if is_partitioned(path):
        return PartitionedLabels.open(path).n_labels
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / _IN_EXPORT
    if not path.is_file():
        return 0
    if path.suffix.lower() in _PARQUET:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return float(pq.read_metadata(path).num_rows)
        except (pa.ArrowException, OSError):
            return 0
    size = path.stat().st_size
    if path.suffix.lower() not in _TEXT:
        return size / _IN_EXPORT
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    return size * head.count(b"\n") / max(len(head), 1)


def _remedy(path: Path) -> str:
    from annobench.labels.partitions import is_partitioned

    if is_partitioned(path):
        return _PASSES
    if path.suffix.lower() in _TEXT + _PARQUET:
        command = f"annobench partition {shlex.quote(str(path))} partitions/"
        return f"Sort them into partitions with `{command}`. {_PASSES}"
    return "Take a part of the items, or a machine with more memory."
