"""Which reading options apply to which kind of source; others are rejected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from annobench.core.errors import AnnotationError

__all__ = ["LABELS", "READING", "TABLES", "Option"]

#: What labels may be kept in, and what messages call it.
SOURCES: dict[str, str] = {
    "long": "a table with one row per label",
    "wide": "a table with a column, or a folder with a file, for each annotator",
    "export": "an export of labels",
    "spans": "marked spans",
    "partitions": "a folder of partitions",
}

TABLES = "long wide"
LABELS = f"{TABLES} export"
IN_MEMORY = f"{LABELS} spans partitions"


class Option(NamedTuple):
    """Where an option applies.

    Attributes
    ----------
    inputs : str
        What it has an effect on: keys of `SOURCES`, or others that a command has, with spaces.
    does : str
        What it does, for messages.
    needs : tuple of str
        The name and value of an option without which it has no effect, the value empty for any;
        empty for none.
    excludes : str
        An option with which it has no effect; empty for none.
    """

    inputs: str
    does: str
    needs: tuple[str, ...] = ()
    excludes: str = ""


#: By the names of parameters on the command line.
READING: Mapping[str, Option] = {
    "item": Option(TABLES, "names the column of the items"),
    "annotator": Option("long wide", "names the column of the annotators"),
    "annotators": Option("wide", "names the columns of the annotators"),
    "transpose": Option("wide", "reads a row as an annotator and a column as an item"),
    "counts": Option("wide", "reads cells as numbers of annotators"),
    "weight": Option("wide", "names the column of how many items a row stands for"),
    "sheet": Option(LABELS, "names the sheet of a workbook"),
    "header_rows": Option(LABELS, "says how many rows the header has"),
    "label": Option("long", "names the column of the labels"),
    "question": Option("wide export spans", "chooses a question or a layer of spans"),
    "annotator_from": Option("export spans", "says who counts as an annotator of an export"),
    "spans": Option("spans", "makes items of marked spans"),
    "status": Option("export spans", "chooses by how far the work came in an annotation tool"),
    "repeats": Option(IN_MEMORY, "says what to do with repeated labels"),
    "gold_items": Option("export", "says what to do with the control items of an export"),
    "empty": Option("long export", "says what it means that an annotator chose nothing"),
    "missing": Option(LABELS, "names codes for missing labels"),
    "text": Option(LABELS, "names what annotators saw"),
    "gold": Option(f"{IN_MEMORY} dask", "names known categories"),
    "from_format": Option(f"{LABELS} spans", "names the format of a file"),
    "keep_names": Option(IN_MEMORY, "keeps names that become pseudonyms"),
    "key": Option(IN_MEMORY, "writes the names behind pseudonyms", excludes="keep_names"),
}


def refuse_idle_options(
    called: str,
    source: str,
    given: Mapping[str, Any],
    *,
    options: Mapping[str, Option] = READING,
    sources: Mapping[str, str] = SOURCES,
) -> None:
    """Reject options that have no effect on the source or with the other options."""
    for name, option in options.items():
        if name not in given:
            continue
        idle = ""
        needed, value = option.needs or ("", "")
        if needed not in given and needed and not value:
            idle = f"without {written(needed)}"
        elif source not in option.inputs.split():
            idle = f"on {sources[source]}"
        elif value and given.get(needed) != value:
            idle = f"without {written(needed)} {value}"
        elif option.excludes in given:
            idle = f"with {written(option.excludes)}"
        if idle:
            raise AnnotationError(
                f"{called}: {written(name)} has no effect {idle}: it {option.does}. Leave it out."
            )


def written(name: str) -> str:
    """Return an option as it is written, by the name of its parameter."""
    return f"--{ {'from_format': 'from', 'judges': 'judge'}.get(name, name).replace('_', '-') }"
