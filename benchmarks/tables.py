"""Reading a wide table: processor time relative to the same labels in a long table.

A million labels of five annotators, some missing, once a row per label and once a row per item
with a column per annotator.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from annobench import read_labels
from benchmarks._measure import alone, timed
from benchmarks._record import Record

ITEMS, ANNOTATORS, CATEGORIES, MISSING = 250_000, 5, 4, 0.2
#: The two are timed in turn, each in a process of its own.
TURNS = 5
TARGET = 2.0

RECORD = Record("tables", "pandas")


def write(long: Path, wide: Path) -> int:
    """Write the same labels in both layouts, and return their number."""
    rng = np.random.default_rng(1979)
    labels = pd.DataFrame(
        rng.integers(CATEGORIES, size=(ITEMS, ANNOTATORS)),
        columns=[f"annotator{n + 1}" for n in range(ANNOTATORS)],
    ).map("ABCD".__getitem__)
    labels = labels.mask(rng.random(labels.shape) < MISSING)
    labels.insert(0, "item", [f"i{n}" for n in range(ITEMS)])
    labels.to_csv(wide, index=False)
    rows = labels.melt("item", var_name="annotator", value_name="label").dropna()
    rows.sample(frac=1, random_state=1).to_csv(long, index=False)
    return len(rows)


def read(path: Path) -> int:
    """Read the labels."""
    return read_labels(path).n_labels


def seconds(path: Path, expected: int) -> float:
    """Return the processor time of reading a table, whose labels are counted."""
    (time, n), _ = alone(lambda: timed(lambda: read(path)), otherwise=(float("nan"), 0))
    if n != expected:
        raise RuntimeError(f"{path.name}: {n:,} labels read of {expected:,}")
    return time


def main() -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        long, wide = Path(folder, "long.csv"), Path(folder, "wide.csv")
        n = write(long, wide)
        turns = [(seconds(long, n), seconds(wide, n)) for _ in range(TURNS)]
    work = f"tables, {n:,} labels of {ANNOTATORS} annotators"
    ratio = statistics.median(each / base for base, each in turns)
    print(work)
    for name, column in zip(("long", "wide"), zip(*turns, strict=True), strict=True):
        print(f"  {name:<10}{statistics.median(column):>8.2f} s")
        RECORD.add(work, f"{name} table", "time", "s", statistics.median(column))
    print(f"  {'wide':<10}{ratio:>8.2f} times as long as long; target {TARGET:g}")
    RECORD.add(work, "wide table", "times the long table", "", ratio, f"at most {TARGET:g}")
    RECORD.save()


if __name__ == "__main__":
    main()
