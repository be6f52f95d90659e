"""Recompute the table of categorical aggregation of Ustalov, Pavlichenko and Tseitlin (2024).

The models are ours, in the settings that the release has by default where these belong to a
method's definition; what the released code itself gives was measured beside, in
`tables/released.csv`.
"""

import numpy as np

from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, values


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute the table, and what it depends on."""
    seed = int(rng.integers(2**32))  # every fit has the same starts, whatever the labels
    found = {
        name: values.accuracies(study.data(id), seed, effort)
        for name, id in values.DATASETS.items()
    }
    names = values.accuracies(study.data("cti_product"), seed, effort)

    for name, id in values.DATASETS.items():
        for reading, by_method in values.by_reading(found[name]).items():
            by_target = {
                f"{method}.{name}": value
                for method, value in by_method.items()
                if (method, name) != values.NOT_PRINTED
            }
            results.values(by_target, of=id, method=reading)
    original = values.by_reading(names)["paper"]
    by_target = {
        f"{method}.product": value
        for method, value in original.items()
        if (method, "product") != values.NOT_PRINTED
    }
    results.values(by_target, of="cti_product", method="original names")

    labels = tuple(values.DATASETS.values())
    accuracy = results.table("accuracy", values.table, found, of=labels)
    steps = {name: values.steps(study.data(id), effort) for name, id in values.DATASETS.items()}
    by_steps = results.table("steps", values.table_of_steps, steps, of=labels)
    starts = {
        name: values.mace_starts(study.data(id), effort) for name, id in values.DATASETS.items()
    }
    by_start = results.table("mace", values.table_of_mace, starts, of=labels)
    released = study.printed("released")
    results.table("released", released, of="printed")

    results.figure("accuracy", figures.accuracy, accuracy, of=labels)
    results.figure("steps", figures.steps, by_steps, of=labels)
    package = {"package": "crowd-kit 1.4.2"}
    results.figure("mace", figures.mace, by_start, released, of=(*labels, "printed"))
    results.figure("released", figures.released, released, of="printed", caption=package)
