"""Sources of labels: a file or folder, recognised once, with the contents read so far."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from annobench.core.errors import ReaderError, UnclearLayoutError
from annobench.io.archives import content_of, naming_archive
from annobench.io.cells import PARQUET
from annobench.io.formats import tables
from annobench.io.formats.base import ExportFormat, Intake, Options
from annobench.io.formats.base import Source as Content
from annobench.io.formats.discovery import discover
from annobench.io.formats.export import SELECTING, Export, read_as
from annobench.io.formats.layers import layers
from annobench.io.formats.recognition import (
    begins_as_json,
    format_of,
    variants_of,
)
from annobench.io.long import LONG
from annobench.io.options import refuse_idle_options
from annobench.labels.annotations import Annotations
from annobench.labels.columns import USUAL_NAMES, choose_columns
from annobench.scale._format import is_partitioned
from annobench.scale.partitions import PartitionedLabels

__all__ = ["Source"]

#: What labels may be kept in; "spans" is an export of which a layer of marks is meant.
SourceKind = Literal["long", "wide", "export", "spans", "partitions"]

#: Options that may be named with any source, and those that `select` checks.
_ALWAYS = {"gold", "keep_names", "people", "shown_first", "over", *SELECTING}

#: Formats of files in which rows may be labels, whatever their columns are called.
_TABLES = {"hugging_face", "judge_log", "spreadsheet"}

#: Options that say that a table has a layout.
_OF_LAYOUTS = ("annotators", "transpose", "counts", "weight")

#: What the columns of a table are called of which no more has to be known.
_USUAL = {
    *tables.ITEM_NAMES,
    *tables.ANNOTATOR_NAMES,
    *USUAL_NAMES["label"],
    *tables.GOLD_NAMES,
    *tables.TEXT_NAMES,
}


@dataclass(frozen=True, eq=False)
class Source:
    """A file or folder of labels, recognised.

    Construct it with `Source.of` and pass it on, so that formats are recognised and exports read
    only once.

    Attributes
    ----------
    path : Path
        The file or folder.
    content : Content
        The contents read for recognition, such as the head of a file, its header and first record.
    format : ExportFormat or None
        The format; None for partitions.
    variant : str
        Variant of the format.
    partitions : PartitionedLabels or None
        The labels, if the path is a folder of partitions.
    options : Options
        The user's options for the reader.
    """

    path: Path
    content: Content
    format: ExportFormat | None = None
    variant: str = ""
    partitions: PartitionedLabels | None = None
    options: Options = field(default_factory=Options)

    @classmethod
    def of(cls, path: str | Path, **options: Any) -> Source:
        """Recognise a file or folder from its content.

        Parameters
        ----------
        path : str or Path
            A table, an export of an annotation tool, or a folder of partitions.
        **options
            As of `Options`.

        Returns
        -------
        Source
            The recognised source.

        Raises
        ------
        ReaderError
            If the path does not exist, or its format is ambiguous or unknown.
        AnnotationError
            If partitions are of another version or damaged, or an option has no effect.
        """
        if not isinstance(path, str | os.PathLike):
            raise ReaderError(
                "Labels are read from the path of a file or folder, not from "
                f"{type(path).__name__}. Give a path, or build annotations from data in memory "
                "with Annotations.from_arrays, from_frame or from_wide."
            )
        asked = Options(**options)
        layout = _layout_of(path, asked)
        if layout is not None and asked.format not in (None, layout):
            raise ReaderError(
                f"{path}: --from {asked.format} is another layout than the options name, which is "
                f"{layout}. Leave one of them out."
            )
        given = {
            {"format": "from_format"}.get(name, name): value
            for name, value in asked.given().items()
            if name not in _ALWAYS
        }
        content = content_of(path)
        source = cls(Path(path), content, options=replace(asked, format=asked.format or layout))
        if is_partitioned(path):
            refuse_idle_options(str(path), "partitions", given)
            return replace(source, partitions=PartitionedLabels.open(path))
        content.shared["options"] = source.options
        with naming_archive(content):
            _refuse_idle_layout(content, given, asked.format)
            format, variant = _recognised(content, source.options, given)
        return replace(source, format=format, variant=variant)

    @cached_property
    def kind(self) -> SourceKind:
        """Kind of the source; an export is read to determine whether it has spans.

        Raises
        ------
        ReaderError
            If the export is malformed.
        """
        if self.format is None:
            return "partitions"
        if self.format is LONG or self.has_spans:
            return "spans" if self.has_spans else "long"
        return "long" if self.export.is_long else self.format.kind

    @property
    def has_spans(self) -> bool:
        """Whether an export's question is a layer of marks, or it has only layers.

        Raises
        ------
        ReaderError
            If the export is malformed.
        """
        if self.format in (None, LONG):
            return False
        known, asked = layers(self.export), self.options.question
        if asked is not None:
            return asked in known
        kinds = self.export.questions["kind"]
        return bool(known) and bool(kinds.isin(["spans", "relations", "text"]).all())

    @cached_property
    def export(self) -> Export:
        """All that the source holds.

        Raises
        ------
        ReaderError
            If it is malformed or without answers.
        """
        if self.partitions is not None:
            intake = Intake(self.path, self.options)
            _push(self.partitions.read(), intake)
            return Export(intake, LONG, LONG.title)
        assert self.format is not None
        with naming_archive(self.content):
            return read_as(self.format, self.variant, self.content, self.options)

    def asking(self, **options: Any) -> Source:
        """Return the source with other options, without recognising it again.

        Parameters
        ----------
        **options
            As of `Options`; those that are None stay as they are.

        Returns
        -------
        Source
            The same file or folder.
        """
        changes = {name: value for name, value in options.items() if value is not None}
        return replace(self, options=replace(self.options, **changes)) if changes else self


def _recognised(
    content: Content, options: Options, given: Mapping[str, Any]
) -> tuple[ExportFormat, str]:
    """Return the format of a file or folder and its variant, and refuse options without effect."""
    path, named = str(content.path), options.format
    item, annotator = options.item, options.annotator
    is_table = named is None and _is_table(content)
    has_rows = is_table or (named is None and _has_rows(content))
    names_columns = bool(annotator or options.label)
    if names_columns and has_rows and not is_table:
        names_columns = not set(variants_of(content)) - _TABLES
    is_long = has_rows and (names_columns or _has_usual_columns(content))
    if is_table and not is_long and _names_columns(content, options):
        named = "wide"
    recognised = None if is_long else _format_of(content, named)
    if recognised is None or (is_table and item is not None and recognised[0].kind != "wide"):
        refuse_idle_options(path, "long", given)
        if is_table and not {"annotator", "label"} & given.keys():
            _refuse_wide(content, item)
        if is_table:
            _refuse_unnamed(content, options.roles)
        return LONG, LONG.title
    if annotator is not None and recognised[0].kind == "wide" and recognised[0].name != "form":
        raise ReaderError(
            f"{path}: --annotator has no effect on {recognised[0].title}. Name the columns of "
            "annotators with --annotators; or, if a row is an annotator, add --transpose."
        )
    refuse_idle_options(path, recognised[0].kind, given)
    return recognised


def _push(labels: Annotations, intake: Intake) -> None:
    """Push the labels of partitions."""
    intake.read(labels.n_labels)
    intake.rows(
        "label",
        where=np.arange(1, labels.n_labels + 1, dtype=np.int32),
        item=(labels.items, labels.item),
        annotator=(labels.annotators, labels.annotator),
        label=(labels.categories, labels.label),
    )
    intake.question("label", "choice", labels.categories)
    intake.declared = {
        "scale": labels.scale,
        "items": labels.items,
        "annotators": labels.annotators,
    }


def _layout_of(path: str | Path, asked: Options) -> str | None:
    """Return the layout of which some options say that a table has it."""
    named = asked.annotators or asked.weight
    if asked.counts and (asked.transpose or named):
        raise ReaderError(
            f"{path}: --counts is for tables that name no annotator, so that --annotators, "
            "--transpose and --weight have no effect. Leave one of them out."
        )
    if asked.transpose and named:
        raise ReaderError(
            f"{path}: with --transpose a row is an annotator, so that --annotators and --weight "
            "have no effect. Leave one of them out."
        )
    if asked.counts or asked.transpose:
        return "counts" if asked.counts else "form"
    return "wide" if named else None


def _refuse_idle_layout(content: Content, given: Mapping[str, Any], named: str | None) -> None:
    """Reject options of a layout if the content has another."""
    path = str(content.path)
    asked = {name: given[name] for name in _OF_LAYOUTS if name in given}
    of_book = {name: given[name] for name in ("sheet", "header_rows") if name in given}
    if not asked and not of_book:
        return
    from annobench.io.layouts.spreadsheet import is_workbook

    if asked and named is None:
        if _is_table(content) and _has_all_roles(content):
            refuse_idle_options(path, "long", asked)
        exports = [f for f in variants_of(content) if discover()[f].kind == "export"]
        if exports and not set(exports) & {"spreadsheet", "hugging_face"}:
            refuse_idle_options(path, "export", asked)
    if of_book and not is_workbook(content):
        if tables.text_table(content) is not None and "sheet" not in of_book:
            return
        raise ReaderError(
            f"{path}: --{next(iter(of_book)).replace('_', '-')} has no effect on what is no "
            "workbook: it is for tables with several sheets, or rows above their header. Leave it "
            "out."
        )


def _has_all_roles(content: Content) -> bool:
    """Return whether a text has the columns of a table with a row per label, and others."""
    return _names_roles(tables.text_table(content))


def _names_roles(table: tables.Table | None) -> bool:
    roles = (tables.ITEM_NAMES, tables.ANNOTATOR_NAMES, USUAL_NAMES["label"])
    return table is not None and all(table.column(names) is not None for names in roles)


def _format_of(content: Content, format: str | None) -> tuple[ExportFormat, str] | None:
    try:
        return format_of(content, format)
    except ReaderError:
        if format is None and begins_as_json(content):
            _refuse_wide(content)
        raise


def _names_columns(content: Content, options: Options) -> bool:
    """Return whether the command names columns of which all others hold the same labels."""
    table = tables.text_table(content)
    roles = (tables.ANNOTATOR_NAMES, USUAL_NAMES["label"])
    if table is None or any(table.column(names) is not None for names in roles):
        return False
    named = [name for name in (*options.people, options.gold) if name in table.header]
    from annobench.io.layouts import wide

    return bool(named) and wide.are_labels(table, options, named)


def _refuse_unnamed(content: Content, columns: Mapping[str, str | None]) -> None:
    """Refuse a table whose columns have other names than usual, and say which they may be."""
    table = tables.text_table(content)
    if table is None or any(name and name not in table.header for name in columns.values()):
        return
    try:
        choose_columns(content.path, list(table.header), dict(columns))
    except ReaderError as error:
        from annobench.io.layouts._roles import readings_of

        if readings := readings_of(table, columns):
            raise UnclearLayoutError(str(error), content.path, readings) from error


def _refuse_wide(content: Content, item: str | None = None) -> None:
    """Refuse a table without columns of annotators and labels, and say how it may be read."""
    table = tables.text_table(content)
    roles = (tables.ANNOTATOR_NAMES, USUAL_NAMES["label"])
    is_json = table is None
    if table is not None and any(table.column(names) is not None for names in roles):
        return
    from annobench.io.formats import containers
    from annobench.io.layouts import counts, wide
    from annobench.io.layouts._said import listed

    table = containers.first_records(content) if table is None else table
    if table is None or any(table.column(names) is not None for names in roles):
        return
    try:
        wide.refuse_survey(table)
        made = wide.plan(table, Options(format="wide", item=item))
    except UnclearLayoutError:
        raise
    except ReaderError:
        return
    if (not made.item and made.weight is None) or (is_json and not made.share_labels(table)):
        return
    _refuse_contingency(content, table, made.item, list(made.places))
    begin = f"{content.path}: nothing names annotators, as in a table with a row per label."
    may_count = counts.may_count(table, list(made.places))
    if may_count and (total := counts.find_total(table)) is not None:
        raise UnclearLayoutError(
            f"{begin} {total!r} is the sum of others in every row, as where cells say how many "
            "annotators chose a category. Else name the columns with item=, annotator= and "
            "label=, or with annotators=.",
            content.path,
            {"--counts": {"counts": True}},
        )
    named = {} if item is None else {"item": item}
    option = f"--from wide{f' --item {shlex.quote(item)}' if item else ''}"
    readings: dict[str, dict[str, Any]] = {option: {"format": "wide"} | named}
    items = "" if made.weight else f", and {' and '.join(map(repr, made.item))} the items"
    ways = f"columns {listed(made.annotators)} may be annotators{items}."
    if made.item == ("",):
        readings["--transpose"] = {"transpose": True}
        if is_json:
            ways = (
                f"inner keys {listed(made.annotators)} may be annotators and the outer ones items."
            )
    known = f" {made.gold!r} would be known categories." if made.gold else ""
    known += f" {listed(made.unused)} would not be used." if made.unused else ""
    if may_count and counts.has_zeros(table, list(made.places)):
        readings["--counts"] = {"counts": True}
    raise UnclearLayoutError(
        f"{begin} The {ways}{known} Choose a reading. Else name the columns with item=, annotator= "
        "and label=.",
        content.path,
        readings,
    )


def _refuse_contingency(
    content: Content, table: tables.Table, item: tuple[str, ...], columns: list[str]
) -> None:
    """Refuse a table of two annotators' categories, which counts items."""
    rows = [tables.as_text(row[item[0]]) for row in table.preview] if len(item) == 1 else []
    if rows and set(rows) == set(columns):
        raise ReaderError(
            f"{content.path}: rows and columns have the same names, as in a table of two "
            "annotators, whose cells count items. In Python call Annotations.from_contingency; or "
            "write a row for each pair of labels and their number, and name it with --weight."
        )


def _is_table(content: Content) -> bool:
    """Return whether a file has columns that may be named."""
    return content.header is not None or content.path.suffix.lower() in PARQUET


def _has_rows(content: Content) -> bool:
    """Return whether a file has a table with rows, as a workbook or records of JSON have."""
    from annobench.io.formats import containers
    from annobench.io.layouts.spreadsheet import is_workbook

    return is_workbook(content) or containers.first_records(content) is not None


def _has_usual_columns(content: Content) -> bool:
    """Return whether a file is a table of labels by its header, so that no format is asked."""
    table = tables.text_table(content)
    if table is not None and b"[" in content.head:
        return False
    if table is None:
        from annobench.io.formats import containers
        from annobench.io.layouts.judge_log import says_more

        table = containers.first_records(content)
        return _names_roles(table) and not (table is None or says_more(table.header))
    if table is None or not {tables.plain_name(name) for name in table.header} <= _USUAL:
        return False
    return _names_roles(table)
