"""Recompute a paper: its values, tables and figures, as its analysis says."""

from collections.abc import Mapping
from pathlib import Path

from annobench.core.errors import PublicationError
from annobench.core.files import recording
from annobench.datasets import LoadedData
from annobench_replication.analysis import Analysis, Effort
from annobench_replication.results import Results
from annobench_replication.study import Study
from catalogue import Paper, read_paper


def main(
    paper: Paper,
    data: Mapping[str, Path | LoadedData],
    folder: Path,
    seed: int | None,
    *,
    effort: Effort = "full",
    resources: Mapping[str, Path] | None = None,
) -> None:
    """Write computed.csv, tables/, figures/ and captions.json into a folder.

    Raises
    ------
    PublicationError
        If the analysis draws random numbers and its record denies it, or the reverse.
    """
    seed = seed if paper.random else None
    study = Study.of_folder(paper.folder, data, resources)
    results = Results(
        study,
        folder,
        figures=paper.figures,
        tables=paper.tables,
        calibrated=paper.calibrated,
        seed=seed,
    )
    drew = Analysis(paper.folder).run(study, results, seed, effort)
    if drew != paper.random:
        raise PublicationError(
            f"{paper.folder / 'paper.yaml'}, key random: {str(paper.random).lower()}, but the "
            f"analysis draws {'' if drew else 'no '}random numbers from `rng`. Write "
            f"{str(drew).lower()}, which decides whether another seed computes it again."
        )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        ids = snakemake.params.datasets
        main(
            read_paper(Path(snakemake.input.record), ids),
            {id: Path(snakemake.input[id][0]).parent for id in ids},
            Path(snakemake.output.computed).parent,
            snakemake.params.seed,
            resources={name: Path(path) for name, path in snakemake.params.resources.items()},
        )
