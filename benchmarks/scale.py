"""EM of Dawid and Skene's model on partitions: time and peak memory against the number of labels.

Labels are drawn by partition, as `annobench partition` would write them: 10 of each item, two
categories, a thousandth as many annotators as items but at most 100,000. Dask workers of one
thread each, one a core, fit the model. Time is that of a pass, elapsed, from the second pass on;
memory is the peak of the larger worker. crowd-kit, in a process of its own, fits the same labels
as long as it finds memory.

``python -m benchmarks.scale`` goes to 10^7 labels, which shows that it works and stores nothing;
``python -m benchmarks.scale 1e9``, on an idle machine, stores what it measures. The scratch that is
needed is checked before it begins.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client

from annobench.core.memory import available_memory
from annobench.io.partitioning import PARTITION_LABELS
from annobench.models import dawid_skene
from annobench.models._passes import Passing
from annobench.scale._format import write_rows
from annobench.scale._workers import dask_client
from annobench.scale.partitions import PartitionedLabels
from benchmarks._measure import alone, timed
from benchmarks._record import Record

PER_ITEM = 10
N_ITERATIONS = 4
#: Bytes of scratch per label, names of items included, and the limit of all.
SCRATCH_PER_LABEL, MAX_SCRATCH = 8, 40e9
#: Nanoseconds per label and pass, and bytes of a worker, at 10^9 labels.
TARGET_NANOSECONDS, TARGET_BYTES = 5, 4 * 2**30
#: Labels beyond which crowd-kit takes too long; of so many it is run once.
LARGEST_OF_CROWD_KIT = 10**8

RECORD = Record("scale", "dask", "distributed", "pyarrow", "crowd-kit")


def n_annotators(n_labels: int) -> int:
    """Return how many annotators give so many labels."""
    return int(np.clip(n_labels // PER_ITEM // 1_000, 50, 100_000))


def rows_of(number: int, n_items: int, first: int, annotators: int) -> pd.DataFrame:
    """Draw the labels of one partition; annotators are right with .6 to .95."""
    rng = np.random.default_rng(number)
    item = np.repeat(np.arange(n_items), PER_ITEM)
    annotator = rng.integers(annotators, size=item.size, dtype=np.int32)
    right = rng.random(item.size, dtype=np.float32) < 0.6 + 0.35 * annotator / annotators
    truth = rng.random(n_items) < 0.3
    return pd.DataFrame(
        {
            "item": pd.Series((first + item).astype(str)),
            "row": first * PER_ITEM + np.arange(item.size),
            "annotator": annotator,
            "label": np.where(right, truth[item], ~truth[item]).astype(np.int32),
        }
    )


def write(client: Client, folder: Path, n_labels: int) -> PartitionedLabels:
    """Draw all partitions on the workers."""
    annotators = n_annotators(n_labels)
    each = PARTITION_LABELS // PER_ITEM
    starts = range(0, n_labels // PER_ITEM, each)
    counts = [min(each, n_labels // PER_ITEM - start) for start in starts]
    tasks = [
        client.submit(draw, folder, number, counts[number], start, annotators)
        for number, start in enumerate(starts)
    ]
    client.gather(tasks)
    pq.write_table(
        pa.table({"annotator": [f"annotator {j}" for j in range(annotators)]}),
        folder / "annotators.parquet",
    )
    labels = PartitionedLabels(
        folder,
        ("no", "yes"),
        "nominal",
        tuple(counts),
        tuple(PER_ITEM * count for count in counts),
        True,
    )
    labels.write()
    return labels


def draw(folder: Path, number: int, n_items: int, first: int, annotators: int) -> None:
    """Write one partition."""
    write_rows(folder, number, rows_of(number, n_items, first, annotators), 2)


def peak() -> int:
    """Return the largest resident memory of this process so far, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def bench(n_labels: int) -> float:
    """Measure one size; return nanoseconds per label and pass."""
    with tempfile.TemporaryDirectory() as scratch:
        with dask_client() as c:
            seconds, labels = timed(lambda: write(c, Path(scratch), n_labels), time.perf_counter)
        with dask_client() as c:
            return measure(c, labels, seconds)


def measure(c: Client, labels: PartitionedLabels, seconds: float) -> float:
    """Fit the model on fresh workers, whose memory is their own, and take time and memory."""
    n_labels, folder = labels.n_labels, labels.folder
    passes: list[float] = []
    before = time.perf_counter()

    def note(_: str) -> None:
        nonlocal before
        now = time.perf_counter()
        passes.append(now - before)
        before = now

    dawid_skene.fit_partitions(
        Passing(labels, c, note, folder / "checkpoint"),
        tolerance=0,
        max_iterations=N_ITERATIONS,
    )
    bytes_of = max(c.run(peak).values())
    stored = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    nanoseconds = min(passes[1:]) / n_labels * 1e9
    work = f"{n_labels:,} labels"
    target = f"at most {TARGET_NANOSECONDS} ns, 4 GiB" if n_labels == 10**9 else ""
    RECORD.add(work, "annobench on Dask", "elapsed per label and pass", "ns", nanoseconds, target)
    RECORD.add(work, "annobench on Dask", "elapsed per pass", "s", min(passes[1:]))
    RECORD.add(work, "annobench on Dask", "peak memory of a process", "MiB", bytes_of / 2**20)
    RECORD.add(work, "annobench on Dask", "stored per label", "bytes", stored / n_labels)
    RECORD.add(work, "annobench on Dask", "drawing the labels", "s", seconds)
    print(
        f"{n_labels:>14,}  {nanoseconds:>8.2f} ns per label and pass  "
        f"{bytes_of / 2**20:>8.0f} MiB a worker  {stored / n_labels:>5.2f} bytes stored a label"
    )
    if n_labels <= LARGEST_OF_CROWD_KIT:
        crowd_kit(labels, work, n_labels)
    return nanoseconds


def crowd_kit(labels: PartitionedLabels, work: str, n_labels: int) -> None:
    """Time crowd-kit on the same labels, if it is installed."""
    try:
        from crowdkit.aggregation import DawidSkene
    except ModuleNotFoundError:
        return

    def fit() -> float:
        limit = int(available_memory())
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        numbers = range(labels.n_partitions)
        starts = np.cumsum([0, *labels.item_counts])
        blocks = [labels.block(n) for n in numbers]
        frame = pd.DataFrame(
            {
                "task": np.concatenate([b.item + s for b, s in zip(blocks, starts, strict=False)]),
                "worker": np.concatenate([block.annotator for block in blocks]),
                "label": np.concatenate([block.label for block in blocks]),
            }
        )

        def run(n: int) -> None:
            DawidSkene(n_iter=n, tol=-np.inf).fit(frame)

        DawidSkene(n_iter=1).fit(frame.head(1_000))  # what a first call alone takes
        repeats = range(2 if n_labels < LARGEST_OF_CROWD_KIT else 1)
        few = min(timed(lambda: run(1), time.perf_counter)[0] for _ in repeats)
        many = min(timed(lambda: run(5), time.perf_counter)[0] for _ in repeats)
        return (many - few) / 4

    seconds, bytes_of = alone(fit, otherwise=float("nan"))
    if np.isnan(seconds):
        RECORD.add(work, "crowd-kit", "ran out of memory", "GiB", available_memory() / 2**30)
        print(f"{'crowd-kit':>14}  runs out of memory")
        return
    RECORD.add(work, "crowd-kit", "elapsed per label and pass", "ns", seconds / n_labels * 1e9)
    RECORD.add(work, "crowd-kit", "elapsed per pass", "s", seconds)
    RECORD.add(work, "crowd-kit", "peak memory of a process", "MiB", bytes_of / 2**20)
    print(f"{'crowd-kit':>14}  {seconds / n_labels * 1e9:>8.0f} ns  {bytes_of / 2**20:>8.0f} MiB")


def main(largest: float = 1e7) -> None:
    """Measure every size up to the largest."""
    need = SCRATCH_PER_LABEL * largest
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if need > min(free, MAX_SCRATCH):
        raise SystemExit(f"benchmarks.scale: needs {need / 1e9:.0f} GB of scratch.")
    sizes = [10**n for n in range(5, 10) if 10**n <= largest]
    found = {size: bench(size) for size in sizes}
    large = [size for size in sizes if size >= 10**7]
    if len(large) > 1:
        total = [found[size] * size for size in large]
        slope = float(np.polyfit(np.log(large), np.log(total), 1)[0])
        work = "Growth from 10,000,000 labels on"
        RECORD.add(
            work, "annobench on Dask", "slope of log time in log labels", "", slope, ".95 to 1.05"
        )
        print(f"slope of log time in log labels from 10^7 on: {slope:.3f}")
    if largest >= 1e9:
        RECORD.save()


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
