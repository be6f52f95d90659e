"""Partitions for tests, and passes over them, without the seconds that Dask takes to start."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from annobench.scale._format import (
    ANNOTATORS,
    digest_of_file,
    labels_file,
    partition_file,
    partition_of,
    write_rows,
)
from annobench.scale.partitions import PartitionedLabels


class AtOnce:
    """In place of Dask's client: does in this process, at once, what is sent to a worker."""

    status = "running"

    def submit(self, function, *arguments, pure):
        function, arguments = pickle.loads(pickle.dumps((function, arguments)))
        return function(*arguments)

    def gather(self, results):
        return results


def partitioned(annotations, folder, n_partitions):
    """Write labels as `annobench partition` would."""
    names = np.array(annotations.items, dtype=object)
    frame = pd.DataFrame(
        {
            "item": names[annotations.item],
            "row": np.arange(annotations.n_labels),
            "annotator": annotations.annotator,
            "label": annotations.label,
        }
    )
    seen = pd.DataFrame({"item": names[~np.isin(np.arange(names.size), annotations.item)]})
    seen = seen.assign(row=frame.shape[0] + np.arange(len(seen)), annotator=0, label=-1)
    frame = pd.concat([frame, seen], ignore_index=True)
    number = partition_of(frame["item"], n_partitions)
    counts = []
    for n in range(n_partitions):
        rows = frame[number == n]
        write_rows(folder, n, rows, annotations.n_categories)
        counts.append((rows["item"].nunique(), int((rows["label"] >= 0).sum())))
    pq.write_table(pa.table({"annotator": list(annotations.annotators)}), folder / ANNOTATORS)
    files = [
        folder / ANNOTATORS,
        *(labels_file(folder, n) for n in range(len(counts))),
        *(partition_file(folder, "items", n) for n in range(len(counts))),
    ]
    labels = PartitionedLabels(
        folder,
        annotations.categories,
        annotations.scale,
        *zip(*counts, strict=True),
        bool(annotations.is_shared.any()),
        {str(path.relative_to(folder)): digest_of_file(path) for path in files},
    )
    labels.write()
    return labels
