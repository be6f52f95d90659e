"""Recompute the worked example from its labels."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench import plotting
from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

#: Section 2: how often one annotator is right.
ACCURACY = 0.7


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Compute Table 1, Section 2 and Figure 1; nothing is drawn from `rng`."""
    labels = study.data("anesthesia").annotations
    sizes = table1_sizes(labels)
    results.values({f"table1.{name}": n for name, n in sizes.items()}, of="anesthesia")
    results.values({"section2.accuracy_of_three": majority_of_three(ACCURACY)}, of="closed_form")
    results.table(
        "table1", pd.DataFrame(sizes.items(), columns=["what", "number"]), of="anesthesia"
    )
    results.figure("figure1", labels_by_annotator, labels, of="anesthesia")


def table1_sizes(labels: Annotations) -> dict[str, int]:
    """Count patients and labels, and the patients whose vote is a tie."""
    ties = voting.fit(labels).is_tie
    return {"patients": len(ties), "labels": labels.n_labels, "ties": int(ties.sum())}


def majority_of_three(accuracy: float) -> float:
    """Return the accuracy of the majority of three annotators who err independently."""
    return accuracy**3 + 3 * accuracy**2 * (1 - accuracy)


def labels_by_annotator(labels: Annotations) -> Figure:
    """Draw how many labels each annotator gave."""
    figure, (axes,) = plotting.panels(1)
    axes.bar(labels.annotators, np.diff(labels.by_annotator.offsets))
    axes.set(xlabel="annotator", ylabel="labels")
    return figure
