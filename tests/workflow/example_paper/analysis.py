"""Recompute the worked example from its labels.

Table 1 and Figure 1: `table1_sizes`, `figure1_labels`. Section 2: `section2_voting`.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from annobench import datasets
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData
from annobench.models import voting
from annobench.replication.compare import Computed, write_computed
from annobench.reporting import plotting

#: Section 2: how often one annotator is right.
ACCURACY = 0.7


def table1_sizes(data: LoadedData) -> dict[str, float]:
    """Count patients and labels, and the patients whose vote is a tie."""
    ties = voting.fit(data.annotations).is_tie
    sizes = {"patients": len(ties), "labels": data.annotations.n_labels, "ties": ties.sum()}
    return {f"table1.{name}": float(size) for name, size in sizes.items()}


def section2_voting(accuracy: float) -> float:
    """Give the accuracy of the majority of three annotators who err independently."""
    return accuracy**3 + 3 * accuracy**2 * (1 - accuracy)


def figure1_labels(data: LoadedData, stem: Path) -> None:
    """Draw how many labels each annotator gave."""
    annotations = data.annotations
    stand_in = None if data.provenance == "real" else "Simulated stand-in"
    with plotting.house_figure(1, stand_in=stand_in) as (figure, [axes]):
        axes.bar(annotations.annotators, np.diff(annotations.by_annotator.offsets))
        axes.set(xlabel="annotator", ylabel="labels")
        plotting.save_figure(figure, stem)


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write the computed values, and then the table and the figure with its caption."""
    loaded = datasets.read(data["anesthesia"])
    sizes = table1_sizes(loaded)
    rows = [Computed(name, value, provenance=loaded.provenance) for name, value in sizes.items()]
    accuracy = section2_voting(ACCURACY)
    rows.append(Computed("section2.accuracy_of_three", accuracy, provenance="closed_form"))
    write_computed(rows, folder / "computed.csv")

    with replacing(folder / "tables" / "table1.csv") as draft:
        lines = [f"{target},{value:.0f}" for target, value in sizes.items()]
        draft.write_text("\n".join(["what,number", *lines, ""]))
    (folder / "figures").mkdir(exist_ok=True)
    figure1_labels(loaded, folder / "figures" / "figure1")
    text = "How many labels each annotator gave; the first labelled every patient three times."
    caption = {"caption": text, "provenance": loaded.provenance, "seed": seed}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps({"figure1": caption}))


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={"anesthesia": Path(snakemake.input.anesthesia[0]).parent},
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
