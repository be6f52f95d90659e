"""Reading a large export: time relative to parsing its lines alone, and peak memory.

The file holds a million records of JSON lines as Prodigy writes them, five for each text. Parsing
them with `json.loads` and keeping nothing is what no reader can be faster than.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from annobench.io import read_export
from benchmarks._measure import alone, timed
from benchmarks._record import Record

RECORDS, PER_ITEM, ANNOTATORS = 1_000_000, 5, 50
#: Seconds and bytes (the library's own aims).
TARGETS = {"time": 20.0, "memory": 2**30}
OPTIONS = ("POSITIVE", "NEGATIVE", "NEUTRAL")

RECORD = Record("exports")


def write(path: Path, n: int) -> None:
    """Write a data set in which annotators chose one of three options."""
    rng = np.random.default_rng(20081)
    words = np.array(
        [
            "the",
            "of",
            "and",
            "to",
            "in",
            "is",
            "you",
            "that",
            "it",
            "he",
            "was",
            "for",
            "on",
            "are",
            "as",
            "with",
            "his",
            "they",
        ]
    )
    choice = rng.integers(len(OPTIONS), size=n)
    options = [{"id": option, "text": option.lower()} for option in OPTIONS]
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            if i % PER_ITEM == 0:
                text = f"{' '.join(rng.choice(words, size=14))} {i // PER_ITEM}"
            record = {
                "text": text,
                "_input_hash": i // PER_ITEM,
                "_task_hash": -i,
                "options": options,
                "_view_id": "choice",
                "accept": [OPTIONS[choice[i]]],
                "config": {"choice_style": "single"},
                "answer": "accept",
                "_annotator_id": f"reviews-{i % ANNOTATORS}",
                "_session_id": f"reviews-{i % ANNOTATORS}",
            }
            file.write(json.dumps(record) + "\n")


def parse(path: Path) -> int:
    """Parse every line and keep nothing."""
    with path.open("rb") as lines:
        return sum(1 for line in lines if json.loads(line))


def read(path: Path) -> int:
    """Read the labels."""
    return read_export(path).labels().n_labels


def main() -> None:
    """Measure and print the table."""
    work = f"Prodigy, {RECORDS:,} records of JSON lines"
    print(work)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reviews.jsonl")
        write(path, RECORDS)
        (bare, _), _ = alone(lambda: timed(lambda: parse(path)), otherwise=(float("nan"), 0))
        (seconds, n), peak = alone(lambda: timed(lambda: read(path)), otherwise=(float("nan"), 0))
    print(f"  {'parsed with json.loads':<30}{bare:>8.2f} s")
    print(f"  {'labels read':<30}{seconds:>8.2f} s, {seconds / bare:.2f} times as long")
    print(f"  {'peak memory':<30}{peak / 2**20:>8,.0f} MiB; {n:,} labels")
    RECORD.add(work, "json.loads alone", "time", "s", bare)
    RECORD.add(work, "annobench", "time", "s", seconds, f"at most {TARGETS['time']:g} s")
    RECORD.add(work, "annobench", "times json.loads", "", seconds / bare)
    RECORD.add(work, "annobench", "peak memory", "MB", peak / 1e6, "at most 1,074 MB")
    RECORD.save()


if __name__ == "__main__":
    main()
