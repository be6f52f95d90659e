"""Whole commands: what a user waits for, from the first key to the last file.

Elapsed time of a process and its processor time, which other work on the machine hardly changes,
each the best of several, Python's start included. The first use of a model is measured with an
empty folder of compiled code.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annobench.io import write_labels
from annobench.labels.annotations import Annotations
from benchmarks._record import Record

ANNOBENCH = Path(sys.executable).with_name("annobench")
REPEATS = 3
#: Seconds (the library's own aims); milliseconds of a document.
TARGETS = {"consensus": 4.0, "report": 5.0, "spans": 5.0, "first use": 3.0}
#: Models whose first use is measured.
MODELS = "dawid_skene", "hierarchical_dawid_skene", "item_difficulty"

#: Whether there is other work on the machine: elapsed times are then printed and not stored.
BUSY = os.getloadavg()[0] > 1

RECORD = Record("commands")


class Took(NamedTuple):
    """Seconds of a command."""

    elapsed: float
    processor: float


def took(*arguments: str, folder: Path, more: Mapping[str, str] | None = None) -> Took:
    """Run a command in a folder and return the seconds that it takes."""
    # An installed package has compiled modules, which a machine may forbid to write beside a clone.
    given = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [str(ANNOBENCH), *arguments],
        cwd=folder,
        env={**given, **(more or {})},
        check=True,
        capture_output=True,
    )
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return Took(end - begin, user + system)


def best(*arguments: str, folder: Path) -> Took:
    """Return the least times of several runs, after one that compiles and fills caches."""
    runs = [took(*arguments, "--force", folder=folder) for _ in range(1 + REPEATS)]
    return Took(*(min(seconds) for seconds in zip(*runs, strict=True)))


def labels(n_items: int) -> Annotations:
    """Return five labels of each item by 200 annotators, of whom each is right seven in ten."""
    rng = np.random.default_rng(20081)
    item = np.repeat(np.arange(n_items), 5)
    annotator = (rng.integers(200, size=n_items)[item] + np.tile(np.arange(5), n_items)) % 200
    truth = rng.integers(2, size=n_items)[item]
    label = np.where(rng.random(item.size) < 0.7, truth, 1 - truth)
    return Annotations.from_arrays(item, annotator, label)


def spans(n_documents: int) -> list[dict[str, object]]:
    """Return documents in which two annotators marked a span each, as Label Studio writes them."""
    rng = np.random.default_rng(20081)
    text = "word " * 60

    def marked(start: int) -> list[dict[str, object]]:
        value = {"start": start, "end": start + 4, "text": text[start : start + 4]}
        return [
            {
                "from_name": "label",
                "to_name": "text",
                "type": "labels",
                "value": value | {"labels": [str(rng.choice(["PER", "LOC"]))]},
            }
        ]

    return [
        {
            "id": n,
            "data": {"text": text},
            "annotations": [
                {"id": 2 * n + j, "completed_by": j, "result": marked(start + int(shift))}
                for j, shift in enumerate(rng.integers(-2, 3, 2))
            ],
        }
        for n, start in enumerate(rng.integers(10, 280, n_documents).tolist())
    ]


def show(work: str, name: str, value: Took, unit: str = "s", target: str = "") -> None:
    """Print and record the times of a command."""
    print(f"  {work:<50}{name:<50}{value.elapsed:>8.3g} {value.processor:>8.3g} {unit}  {target}")
    if not BUSY:
        RECORD.add(work, name, "elapsed", unit, value.elapsed, target)
    RECORD.add(work, name, "processor time", unit, value.processor, target)


def bench_labels(folder: Path) -> None:
    """Time the most used commands on a few labels and on a million."""
    for n_items in (20, 200_000):
        name = f"labels{n_items}.csv"
        write_labels(labels(n_items), folder / name)
        for command in ("consensus", "report"):
            aim = f"{command} at most {TARGETS[command]:g} s" if n_items > 20 else ""
            seconds = best(command, name, "--out", f"{command}{n_items}", folder=folder)
            show(f"A CSV file of {5 * n_items:,} labels", f"annobench {command}", seconds, "s", aim)


def bench_spans(folder: Path) -> None:
    """Time the report on spans."""
    work, seconds = "Documents in which two annotators marked a span", {}
    for n in (10, 1_000):
        (folder / f"spans{n}.json").write_text(json.dumps(spans(n)), encoding="utf-8")
        seconds[n] = best("report", f"spans{n}.json", "--out", f"spans{n}", folder=folder)
        show(work, f"annobench report, {n:,} documents", seconds[n])
    more = Took(*(1_000 * (b - a) / 990 for a, b in zip(seconds[10], seconds[1_000], strict=True)))
    show(work, "a document more", more, "ms", f"at most {TARGETS['spans']:g} ms a document")


def bench_first_use(folder: Path) -> None:
    """Time the first use of models, for which their kernels are compiled."""
    write_labels(labels(20), folder / "few.csv")
    work, aim = "First use: annobench consensus, 100 labels", f"at most {TARGETS['first use']:g} s"
    for model in MODELS:
        arguments = "consensus", "few.csv", "--model", model, "--out", model, "--force"
        with tempfile.TemporaryDirectory() as cache:
            more = {"NUMBA_CACHE_DIR": cache}
            first, again = (took(*arguments, folder=folder, more=more) for _ in range(2))
        compiling = Took(*(b - a for a, b in zip(again, first, strict=True)))
        show(work, f"{model}, compiling", compiling, "s", f"compiling {aim}")
        show(work, f"{model}, every time", again)


def main() -> None:
    """Measure everything and print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench_labels(folder)
        bench_spans(folder)
        bench_first_use(folder)
    RECORD.save()


if __name__ == "__main__":
    main()
