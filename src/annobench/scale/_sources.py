"""Choice of the source of blocks, and of the workers that process them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.scale._blocks import BlockedLabels, Chunks
from annobench.scale._format import is_partitioned
from annobench.scale._workers import Scheduler, Workers, open_workers
from annobench.scale.partitions import PartitionedLabels

Engine = Literal["auto", "memory", "dask"]
#: Labels in blocks; the folder of partitions they are in; what gives them chunk by chunk.
BlockSource: TypeAlias = BlockedLabels | str | Path | Callable[[], Iterable[Annotations]]

#: Up to so many labels, partitions are read into memory unless Dask is asked for.
MEMORY_LABELS = 5_000_000


def blocks_of(
    source: Annotations | BlockSource, engine: Engine = "auto", scheduler: Scheduler = None
) -> BlockedLabels | None:
    """Return the labels as blocks, if they are to be processed in blocks."""
    if engine not in get_args(Engine):
        raise AnnotationError(
            f"engine {engine!r} is not one of {', '.join(get_args(Engine))}. Name one of them."
        )
    of_python = isinstance(scheduler, Executor)
    if of_python and engine != "auto":
        raise AnnotationError(
            f"engine {engine} does not use a {type(scheduler).__name__}. Leave one of them out."
        )
    if isinstance(source, PartitionedLabels):
        labels = source
    elif isinstance(source, str | Path) and is_partitioned(source):
        labels = PartitionedLabels.open(source)
    elif engine == "dask" or of_python:
        what = str(source) if isinstance(source, str | Path) else "labels in memory"
        who = type(scheduler).__name__ if of_python else "engine dask"
        raise AnnotationError(
            f"{what}: {who} needs a folder of partitions. Make one first, with `annobench "
            "partition` or annobench.io.partition."
        )
    elif isinstance(source, BlockedLabels):
        return source
    else:
        return Chunks(source) if callable(source) else None
    is_large = engine == "auto" and labels.n_labels > MEMORY_LABELS
    return labels if engine == "dask" or of_python or is_large else None


def workers_of(
    labels: BlockedLabels,
    scheduler: Scheduler = None,
    *,
    say: Callable[[str], None] | None = None,
) -> AbstractContextManager[Workers | None]:
    """Return the workers: workers for partitions, this process for other blocks."""
    if labels.folder is None:
        return nullcontext()
    return open_workers(scheduler, say=say)


def in_memory(source: Annotations | BlockSource, name: str) -> Annotations:
    """Return labels, read if they are in partitions."""
    if not isinstance(source, PartitionedLabels | str | Path):
        return as_annotations(source, name)
    if not isinstance(source, PartitionedLabels) and not Path(source).is_dir():
        raise AnnotationError(
            f"{source}: not a folder of partitions. Read labels first, with annobench.read_labels."
        )
    labels = source if isinstance(source, PartitionedLabels) else PartitionedLabels.open(source)
    return labels.read()
