"""Compute the tables of a study, as its analysis says."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from annobench.core.files import recording
from study_contract.running import OwnStudy, StudyResults


def main(key: str, study: OwnStudy, folder: Path, tables: Sequence[str]) -> None:
    """Write the tables, and what made them, into a folder."""
    results = StudyResults(folder, tables)
    import_module(f"studies.{key}.analysis").analyse(study, results)
    results.finish(study)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        folders = [Path(meta).parent for meta in snakemake.input.metas]
        files = map(Path, snakemake.input.files)
        main(
            snakemake.params.key,
            OwnStudy(
                snakemake.params.settings,
                {folder.name: folder for folder in folders},
                dict(zip(snakemake.params.files, files, strict=True)),
                [Path(path) for path in snakemake.input.parts],
            ),
            Path(snakemake.output.settings).parent,
            snakemake.params.listed,
        )
