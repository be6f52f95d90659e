"""Recompute a paper: its values, tables and figures, as its analysis says."""

from collections.abc import Mapping
from pathlib import Path

from annobench.core.errors import PublicationError
from annobench.datasets import LoadedData
from annobench_replication.analysis import Analysis, Effort
from annobench_replication.results import Results
from annobench_replication.study import Study
from catalogue import Paper, read_paper
from pages.broken import recording_paper


def prepare(
    paper: Paper,
    data: Mapping[str, Path | LoadedData],
    folder: Path,
    seed: int | None,
    resources: Mapping[str, Path] | None = None,
) -> tuple[Study, Results]:
    """Return what a paper's analysis reads, and what it writes into a folder."""
    study = Study.of_folder(paper.folder, data, resources)
    results = Results(
        study,
        folder,
        figures=paper.figures,
        tables=paper.tables,
        calibrated=paper.calibrated,
        seed=seed if paper.random else None,
    )
    return study, results


def analyse(
    paper: Paper, study: Study, results: Results, seed: int | None, effort: Effort = "full"
) -> None:
    """Write computed.csv, tables/, figures/ and captions.json.

    Raises
    ------
    PublicationError
        If the analysis draws random numbers and its record denies it, or the reverse.
    """
    seed = seed if paper.random else None
    drew = Analysis(paper.folder).run(study, results, seed, effort)
    if drew != paper.random:
        raise PublicationError(
            f"{paper.folder / 'paper.yaml'}, key random: {str(paper.random).lower()}, but the "
            f"analysis draws {'' if drew else 'no '}random numbers from `rng`. Write "
            f"{str(drew).lower()}, which decides whether another seed computes it again."
        )


def main(
    paper: Paper,
    data: Mapping[str, Path | LoadedData],
    folder: Path,
    seed: int | None,
    *,
    effort: Effort = "full",
) -> None:
    """Prepare and run the analysis of a paper."""
    analyse(paper, *prepare(paper, data, folder, seed), seed, effort)


if snakemake := globals().get("snakemake"):
    ids = snakemake.params.datasets
    paper = read_paper(Path(snakemake.input.record), ids)
    study, results = prepare(
        paper,
        {id: Path(snakemake.input[id][0]).parent for id in ids},
        Path(snakemake.output.computed).parent,
        snakemake.params.seed,
        {name: Path(path) for name, path in snakemake.params.resources.items()},
    )
    # Whatever an analysis raises is a fault of its paper.
    with recording_paper(snakemake, results.abandon, Exception):
        analyse(paper, study, results, snakemake.params.seed)
