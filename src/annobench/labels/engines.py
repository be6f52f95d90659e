"""Where labels are worked on: in memory, or by partition on Dask's workers."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.partitions import PartitionedLabels, is_partitioned

Engine = Literal["auto", "memory", "dask"]

#: Up to so many labels, partitions are read into memory unless Dask is asked for.
MEMORY_LABELS = 5_000_000


def partitions_for(
    source: Annotations | PartitionedLabels | str | Path, engine: Engine
) -> PartitionedLabels | None:
    """Return the partitions that Dask's workers are to pass over, if they are.

    Parameters
    ----------
    source : Annotations, PartitionedLabels, str or Path
        Labels, or where they are.
    engine : {"auto", "memory", "dask"}
        Partitions of more than 5,000,000 labels go to Dask by "auto". All else goes to memory.

    Returns
    -------
    PartitionedLabels or None
        None for labels that are worked on in memory.

    Raises
    ------
    AnnotationError
        If there is no such engine, or Dask is asked for and these are no partitions.
    """
    if engine not in get_args(Engine):
        raise AnnotationError(
            f"engine {engine!r} is none of {', '.join(get_args(Engine))}. Name one of them."
        )
    if isinstance(source, PartitionedLabels):
        labels = source
    elif isinstance(source, str | Path) and is_partitioned(source):
        labels = PartitionedLabels.open(source)
    elif engine == "dask":
        what = str(source) if isinstance(source, str | Path) else "labels in memory"
        raise AnnotationError(
            f"{what}: engine dask takes a folder of partitions. Make one first, with `annobench "
            "partition` or annobench.io.partition."
        )
    else:
        return None
    on_dask = engine == "dask" or (engine == "auto" and labels.n_labels > MEMORY_LABELS)
    return labels if on_dask else None


def in_memory(source: Annotations | PartitionedLabels | str | Path, name: str) -> Annotations:
    """Return labels, read if they are in partitions.

    Parameters
    ----------
    source : Annotations, PartitionedLabels, str or Path
        Labels, or a folder of partitions.
    name : str
        The function that was given them, for messages.

    Returns
    -------
    Annotations
        In memory.

    Raises
    ------
    AnnotationError
        If it is neither.
    """
    if not isinstance(source, PartitionedLabels | str | Path):
        return as_annotations(source, name)
    if not isinstance(source, PartitionedLabels) and not Path(source).is_dir():
        raise AnnotationError(
            f"{source}: not a folder of partitions. Read labels first, with annobench.read_labels."
        )
    labels = source if isinstance(source, PartitionedLabels) else PartitionedLabels.open(source)
    return labels.read()
