"""Sources of labels: a file or folder, recognised once, with the contents read so far."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from annobench.core.errors import ReaderError, UnclearLayoutError
from annobench.io.formats import tables
from annobench.io.formats.base import AnnotatorFrom, ExportFormat, Options
from annobench.io.formats.base import Source as Content
from annobench.io.formats.discovery import discover
from annobench.io.formats.export import Export, read_as
from annobench.io.formats.layers import layers
from annobench.io.formats.recognition import (
    begins_as_json,
    format_of,
    unrecognised,
    variants_of,
)
from annobench.io.options import refuse_idle_options
from annobench.io.table import PARQUET
from annobench.labels.columns import USUAL_NAMES, choose_columns
from annobench.scale._format import is_partitioned
from annobench.scale.partitions import PartitionedLabels

__all__ = ["Source"]

#: What labels may be kept in; "spans" is an export of which a layer of marks is meant.
SourceKind = Literal["long", "wide", "export", "spans", "partitions"]

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
        The format of the export; None for a table with one row per label and for partitions.
    variant : str
        Variant of the format.
    partitions : PartitionedLabels or None
        The labels, if the path is a folder of partitions.
    columns : mapping of str to (str or None)
        The given columns of "item", "annotator" and "label".
    options : Options
        The user's options for the reader of an export.
    keep_names : bool
        Whether to keep people's names and e-mail addresses instead of pseudonyms.
    """

    path: Path
    content: Content
    format: ExportFormat | None = None
    variant: str = ""
    partitions: PartitionedLabels | None = None
    columns: Mapping[str, str | None] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    keep_names: bool = False

    @classmethod
    def of(
        cls,
        path: str | Path,
        *,
        format: str | None = None,
        item: str | None = None,
        annotator: str | None = None,
        label: str | None = None,
        question: str | None = None,
        annotator_from: AnnotatorFrom | None = None,
        text: str | None = None,
        shown_first: str | None = None,
        annotators: Collection[str] = (),
        transpose: bool = False,
        counts: bool = False,
        weight: str | None = None,
        gold: str | None = None,
        sheet: str | None = None,
        header_rows: int | None = None,
        keep_names: bool = False,
        people: Collection[str] = (),
    ) -> Source:
        """Recognise a file or folder from its content.

        Parameters
        ----------
        path : str or Path
            A table, an export of an annotation tool, or a folder of partitions.
        format : str, optional
            Name of the format of an export, if the content is ambiguous.
        item, annotator, label : str, optional
            Names of the columns of a table. If one is given, a text file has one row per label,
            unless it is the item and the content shows another layout.
        question : str, optional
            The question whose answers are the labels, or the layer of spans.
        annotator_from : {"person", "file", "session"}, optional
            What counts as an annotator, in formats with a choice.
        text : str, optional
            Column or field of the text that annotators saw.
        shown_first : str, optional
            Column or field of the answer that was shown first, of two.
        annotators : collection of str, optional
            The annotators' columns in a table with one column per annotator; if each has several,
            the common prefix or suffix of their names.
        transpose : bool, default False
            Whether rows are annotators and columns are items.
        counts : bool, default False
            Whether cells are numbers of annotators.
        weight : str, optional
            Column with the number of items per row.
        gold : str, optional
            Column of known categories, which is not an annotator's.
        sheet : str, optional
            The sheet of a workbook to read.
        header_rows : int, optional
            Number of rows of the header, below titles.
        keep_names : bool, default False
            Whether to keep people's names and e-mail addresses instead of pseudonyms.
        people : collection of str, optional
            Annotators that the command names: a column called so is an annotator's.

        Returns
        -------
        Source
            The recognised source.

        Raises
        ------
        ReaderError
            If the path does not exist, or its format is ambiguous or unknown.
        AnnotationError
            If partitions are of another version or damaged.
        """
        if not isinstance(path, str | os.PathLike):
            raise ReaderError(
                "Labels are read from the path of a file or folder, not from "
                f"{type(path).__name__}. Give a path, or build annotations from data in memory "
                "with "
                "Annotations.from_arrays, from_frame or from_wide."
            )
        content = Content(path)
        columns = {"item": item, "annotator": annotator, "label": label}
        layout = _layout_of(path, annotators, transpose, counts, weight)
        options = Options(
            annotator_from,
            text,
            question,
            shown_first,
            item,
            annotator,
            tuple(annotators),
            gold,
            weight,
            sheet,
            header_rows,
            format or layout,
            people=tuple(people),
        )
        found = cls(content.path, content, columns=columns, options=options, keep_names=keep_names)
        given = {
            name: value
            for name, value in {
                **columns,
                "question": question,
                "annotator_from": annotator_from,
                "text": text,
                "from_format": format,
                "annotators": annotators or None,
                "transpose": transpose or None,
                "counts": counts or None,
                "weight": weight,
                "sheet": sheet,
                "header_rows": header_rows,
            }.items()
            if value is not None
        }
        if layout is not None and format not in (None, layout):
            raise ReaderError(
                f"{path}: --from {format} is another layout than the options name, which is "
                f"{layout}. Leave one of them out."
            )
        named, format = format, format or layout
        if is_partitioned(path):
            refuse_idle_options(str(path), "partitions", given)
            return replace(found, partitions=PartitionedLabels.open(path))
        content.shared["options"] = options
        _refuse_idle_layout(content, given, named)
        is_table = format is None and _is_table(content)
        is_long = is_table and (annotator or label or _has_usual_columns(content))
        if is_table and not is_long and _names_columns(content, options):
            format = "wide"
        known = None if is_long else _format_of(content, format)
        if known is None or (is_table and item is not None and known[0].kind != "wide"):
            refuse_idle_options(str(path), "long", given)
            if is_table and not {"annotator", "label"} & given.keys():
                _refuse_wide(content, item)
            if is_table:
                _refuse_unnamed(content, columns)
            return found
        if annotator is not None and known[0].kind == "wide" and known[0].name != "form":
            raise ReaderError(
                f"{path}: --annotator has no effect on {known[0].title}. Name the columns of "
                "annotators with --annotators; or, if a row is an annotator, add --transpose."
            )
        refuse_idle_options(str(path), known[0].kind, given)
        return replace(found, format=known[0], variant=known[1])

    @cached_property
    def kind(self) -> SourceKind:
        """Kind of the source; an export is read to determine whether it has spans.

        Raises
        ------
        ReaderError
            If the export is malformed.
        """
        if self.partitions is not None:
            return "partitions"
        if self.format is None:
            return "long"
        return "spans" if self.has_spans else self.format.kind

    @property
    def has_spans(self) -> bool:
        """Whether an export's question is a layer of marks, or it has only layers.

        Raises
        ------
        ReaderError
            If the export is malformed.
        """
        if self.format is None:
            return False
        known, asked = layers(self.export), self.options.question
        if asked is not None:
            return asked in known
        kinds = self.export.questions["kind"]
        return bool(known) and bool(kinds.isin(["spans", "relations", "text"]).all())

    @cached_property
    def export(self) -> Export:
        """All that the export holds.

        Raises
        ------
        ReaderError
            If it is malformed or without answers, or the source is no export.
        """
        if self.format is None:
            raise ReaderError(unrecognised(self.content, {}))
        return read_as(
            self.format, self.variant, self.content, self.options, keep_names=self.keep_names
        )

    def asking(
        self,
        *,
        text: str | None = None,
        shown_first: str | None = None,
        over: str | None = None,
    ) -> Source:
        """Return the source with other options, without recognising it again.

        Parameters
        ----------
        text : str, optional
            The column or field of the text that annotators saw; by default as before.
        shown_first : str, optional
            The column or field that says which of two answers was shown first; by default as
            before.
        over : str, optional
            The column of times; by default as before.

        Returns
        -------
        Source
            The same file or folder.
        """
        if text is None and shown_first is None and over is None:
            return self
        options = replace(
            self.options,
            text=text or self.options.text,
            shown_first=shown_first or self.options.shown_first,
            over=over or self.options.over,
        )
        return replace(self, options=options)


def _layout_of(
    path: str | Path,
    annotators: Collection[str],
    transpose: bool,
    counts: bool,
    weight: str | None,
) -> str | None:
    """Return the layout of which some options say that a table has it."""
    if counts and (transpose or annotators or weight):
        raise ReaderError(
            f"{path}: --counts is for tables that name no annotator, so that --annotators, "
            "--transpose and --weight have no effect. Leave one of them out."
        )
    if transpose and (annotators or weight):
        raise ReaderError(
            f"{path}: with --transpose a row is an annotator, so that --annotators and --weight "
            "have no effect. Leave one of them out."
        )
    if counts or transpose:
        return "counts" if counts else "form"
    return "wide" if annotators or weight else None


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
    table = tables.text_table(content)
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


def _has_usual_columns(content: Content) -> bool:
    """Return whether a text is a table of labels by its header, so that no format is asked."""
    if b"[" in content.head:
        return False
    table = tables.text_table(content)
    if table is None or not {tables.plain_name(name) for name in table.header} <= _USUAL:
        return False
    return _has_all_roles(content)
