"""Hugging Face data sets on disk, and other Parquet and Arrow files in a known layout."""

from __future__ import annotations

from pathlib import Path

from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.columnar import INFO, REMEDY, features_of, files_of, tables_of
from annobench.io.formats.discovery import layout_of
from annobench.io.formats.tables import check_columns
from annobench.labels.columns import named_columns

#: What describes a data set, its splits and their files.
_ABOUT = {INFO, "dataset_dict.json", "state.json"}


def _recognise(source: Source) -> str | None:
    """Return the variant: a saved data set, or a file of it, in a known layout."""
    files = files_of(source)
    if not files or not _is_ours(source, files):
        return None
    try:
        tables = tables_of(source, files)
        layout = layout_of(tables[0])
    except (ReaderError, OSError):
        return None
    if layout is None:
        return "unknown columns" if features_of(source, files[0]) else None
    if layout[0].name == "plain" and not source.is_folder and not features_of(source, files[0]):
        # A plain Parquet file is what `read_labels` reads.
        return None
    splits = f", {len(tables)} splits" if len(tables) > 1 else ""
    return f"{layout[0].title}{splits}"


def _is_ours(source: Source, files: list[Path]) -> bool:
    known = {*files}
    return all(
        path in known or path.suffix in (".json", ".md", ".lock") or path.name.startswith("cache-")
        for path in source.files
    )


def _read(source: Source, intake: Intake) -> None:
    """Push what every split holds."""
    files = files_of(source)
    if not files:
        raise ReaderError(f"{source.path}: no Parquet or Arrow file. {REMEDY}")
    intake.uses(*(path for path in source.files if path.name in _ABOUT))
    for table in tables_of(source, files):
        found = layout_of(table)
        if found is None:
            raise ReaderError(
                f"{table.path}: no columns of items, annotators and labels, nor another known "
                f"layout. The columns are {named_columns(table.header, most=20)}."
            )
        check_columns(table, intake)
        intake.begin(table.name, "row")
        found[0].read(table, intake)


FORMAT = ExportFormat(
    name="hugging_face",
    title="a data set of Hugging Face",
    recognise=_recognise,
    read=_read,
    note=(
        "A saved data set (Arrow or Parquet) whose columns are in one of the known layouts; the "
        "names of a ClassLabel replace its numbers."
    ),
)
