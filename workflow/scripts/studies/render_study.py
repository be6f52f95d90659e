"""Render the figures and the page of a study; every statement is computed from its tables."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from annobench.core.files import recording
from study_contract.running import OwnStudy, read_settings


def main(
    key: str, tables: Path, files: Mapping[str, Path], folder: Path, templates: Sequence[Path]
) -> None:
    """Write the figures and the page of the tables in a folder."""
    study = OwnStudy(read_settings(tables), files=files)
    import_module(f"studies.{key}.page").show(study, tables, folder, templates)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        files = map(Path, snakemake.input.files)
        main(
            snakemake.params.key,
            Path(snakemake.input.settings).parent,
            dict(zip(snakemake.params.files, files, strict=True)),
            Path(snakemake.output.page).parent,
            [Path(snakemake.input.template).parent, Path(snakemake.input.site[0]).parent],
        )
