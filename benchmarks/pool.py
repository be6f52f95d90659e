"""The pool of models on a million labels: what it costs beside its members and Dawid and Skene's.

Processor time of one fit each, and of 200 draws for intervals.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, pool
from benchmarks._record import Record

LABELS, PER_ITEM, DRAWS = 1_000_000, 5, 200
#: Times the members, and times Dawid and Skene's model with its intervals.
TARGETS = {"members": 1.2, "dawid_skene": 3.0}

RECORD = Record("pool", "scipy")


def labels(n: int) -> Annotations:
    """Return labels of two categories, an annotator for every hundred items."""
    rng = np.random.default_rng(20081)
    n_items = n // PER_ITEM
    n_annotators = max(PER_ITEM, n_items // 100)
    item = np.repeat(np.arange(n_items), PER_ITEM)
    first = rng.integers(n_annotators, size=n_items)
    annotator = (first[item] + np.tile(np.arange(PER_ITEM), n_items)) % n_annotators
    truth, right = rng.integers(2, size=n_items), rng.beta(8, 3, n_annotators)
    correct = rng.random(item.size) < right[annotator]
    return Annotations.from_arrays(item, annotator, np.where(correct, truth[item], 1 - truth[item]))


def spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of some work, and what it returned."""
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def measure(n: int) -> dict[str, float]:
    """Return seconds of processor time by what was done."""
    tiny, large = labels(500), labels(n)
    # What is compiled is compiled here.
    pool.bootstrap(tiny, pool.fit(tiny), rng=1, replicates=2)
    dawid_skene.bootstrap(tiny, dawid_skene.fit(tiny), rng=1, replicates=2)
    found = {}
    found["dawid_skene"], fitted = spent(lambda: dawid_skene.fit(replace(large)))
    found["dawid_skene, draws"], _ = spent(
        lambda: dawid_skene.bootstrap(large, fitted, rng=1, replicates=DRAWS)
    )
    found["pool"], pooled = spent(lambda: pool.fit(replace(large)))
    # All that is no member: the same fit with members that are there.
    found["pool, without members"], _ = spent(lambda: pool.refit(large, pooled))
    found["pool, draws"], _ = spent(lambda: pool.bootstrap(large, pooled, rng=1, replicates=DRAWS))
    return found


if __name__ == "__main__":
    found = measure(LABELS)
    work = f"{LABELS:,} labels"
    for contender, seconds in found.items():
        RECORD.add(work, contender, "processor time", "s", seconds)
    members = found["pool"] - found["pool, without members"]
    both = found["dawid_skene"] + found["dawid_skene, draws"]
    for name, ratio in (
        ("members", found["pool"] / members),
        ("dawid_skene", (found["pool"] + found["pool, draws"]) / both),
    ):
        RECORD.add(work, f"pool to {name}", "ratio", "", ratio, f"at most {TARGETS[name]:g}")
    RECORD.save()
    for row in RECORD.rows:
        print(*row)
