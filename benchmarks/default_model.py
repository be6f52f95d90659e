"""The default model of a consensus beside Dawid and Skene's: the processor time of a consensus.

All that `annobench.consensus` computes is included: the fit, cautions, 200 draws, tables.
"""

from __future__ import annotations

import numpy as np

from annobench.aggregation.consensus import consensus
from annobench.core.choices import DEFAULT_MODEL
from annobench.labels.annotations import Annotations
from benchmarks._record import Record
from benchmarks.pool import spent

LABELS = (10_000, 100_000, 1_000_000)
PER_ITEM, CATEGORIES, PER_ANNOTATOR = 10, 4, 2_000
RIVAL = "dawid_skene"
#: Times Dawid and Skene's model.
TARGET = 3.0

RECORD = Record("default_model", "scipy")


def labels(n: int) -> Annotations:
    """Return labels of four categories, ten an item, 2,000 an annotator, errors uniform."""
    rng = np.random.default_rng(20081)
    n_annotators = max(20, n // PER_ANNOTATOR)
    item = np.repeat(np.arange(n // PER_ITEM), PER_ITEM)
    annotator = rng.integers(n_annotators, size=n)
    truth = rng.integers(CATEGORIES, size=n // PER_ITEM)[item]
    correct = rng.random(n) < rng.beta(8, 3, n_annotators)[annotator]
    return Annotations.from_arrays(
        item, annotator, np.where(correct, truth, rng.integers(CATEGORIES, size=n))
    )


if __name__ == "__main__":
    for n in LABELS:
        seconds = {}
        for model in (RIVAL, DEFAULT_MODEL):
            consensus(labels(1_000), model=model, rng=1)  # what is compiled is compiled here
            large = labels(n)
            seconds[model], _ = spent(lambda: consensus(large, model=model, rng=1))  # noqa: B023
            RECORD.add(f"{n:,} labels", model, "processor time", "s", seconds[model])
        ratio = seconds[DEFAULT_MODEL] / seconds[RIVAL]
        RECORD.add(
            f"{n:,} labels",
            f"{DEFAULT_MODEL} to {RIVAL}",
            "ratio",
            "",
            ratio,
            f"at most {TARGET:g}",
        )
    RECORD.save()
    for row in RECORD.rows:
        print(*row)
