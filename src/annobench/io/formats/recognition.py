"""Recognition of formats from the content of a file or folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annobench.core.discovery import did_you_mean
from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Source
from annobench.io.formats.discovery import discover
from annobench.io.formats.records import json_records
from annobench.labels.columns import named_columns

__all__ = ["recognise"]

#: How names of files of JSON end.
_JSON = (".json", ".jsonl", ".ndjson")


def recognise(path: str | Path) -> dict[str, str]:
    """Return the possible formats of a file or folder, by its content.

    Parameters
    ----------
    path : str or Path
        The file or folder.

    Returns
    -------
    dict of str to str
        The variant by name of the format; empty if none is recognised.

    Raises
    ------
    ReaderError
        If there is nothing at the path.
    """
    return variants_of(Source(path))


def variants_of(source: Source) -> dict[str, str]:
    """Return the possible formats of a source, as `recognise` does.

    A tool's export is not also recognised as a plain table.
    """
    known = discover()
    found = {name: variant for name, f in known.items() if (variant := _variant(f, source))}
    exports = {name: own for name, own in found.items() if known[name].kind == "export"}
    return exports or found


def format_of(source: Source, name: str | None = None) -> tuple[ExportFormat, str] | None:
    """Return the format of a source and its variant."""
    known = discover()
    if name is not None:
        if name not in known:
            raise ReaderError(
                f"{source.path}: no format is called {name!r}.{did_you_mean(name, known)} "
                f"There are {', '.join(known)}."
            )
        return known[name], _variant(known[name], source) or "as named"
    variants = variants_of(source)
    if len(variants) == 1:
        [(name, variant)] = variants.items()
        return known[name], variant
    if variants or source.is_folder or begins_as_json(source):
        raise ReaderError(unrecognised(source, variants))
    return None


def _variant(format: ExportFormat, source: Source) -> str | None:
    try:
        return format.recognise(source)
    except RecursionError:
        return None  # nested more deeply than any export


def begins_as_json(source: Source) -> bool:
    """Return whether a file is JSON by name or first character, valid or not."""
    if source.path.suffix.lower() in _JSON:
        return True
    return re.match(rb'(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*[\[{"\]])', source.head) is not None


def unrecognised(source: Source, variants: Mapping[str, str]) -> str:
    """Explain why a source can't be read as an export."""
    if variants:
        return (
            f"{source.path}: may be {' or '.join(variants)}. Choose with --from "
            f"{next(iter(variants))}."
        )
    fields = ""
    if begins_as_json(source):
        try:
            _, record = next(json_records(source.path), (0, {}))
        except ReaderError as error:
            return str(error)
        fields = _said_of_fields(record)
    known = ", ".join(format.title for format in discover().values())
    what = "the folder has no files" if source.is_folder and not source.files else "unknown format"
    kinds = ""
    if source.is_folder and source.files:
        counts = Counter(path.suffix or path.name for path in source.files)
        kinds = f" It holds {', '.join(f'{n} {kind}' for kind, n in counts.most_common(5))}."
    return (
        f"{source.path}: {what}.{kinds}{fields} Known are tables with the columns item, annotator "
        f"and label, and exports of {known}."
    )


def _said_of_fields(record: dict[str, Any]) -> str:
    """Describe the records' fields, and how to make them readable."""
    names = named_columns(record) or "none"
    if len(record) > 1 and all(isinstance(value, dict) for value in record.values()):
        return (
            f" It holds one object with the keys {names}. If these are columns, as pandas writes "
            "them, write records: to_json(orient='records')."
        )
    return (
        f" Its records have the fields {names}. For one label per record, name the fields item, "
        "annotator (or judge) and label (or verdict). If each annotator has a field of labels, "
        "add --from wide."
    )
