"""Where labels are: a file or folder, recognised once, and what was read of it on the way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from annobench.core.errors import ReaderError
from annobench.io.formats import tables
from annobench.io.formats.base import AnnotatorFrom, ExportFormat, Options
from annobench.io.formats.base import Source as Content
from annobench.io.formats.export import Export, read_as
from annobench.io.formats.layers import layers
from annobench.io.formats.recognition import format_of, unrecognised
from annobench.io.options import refuse_idle_options
from annobench.io.table import PARQUET
from annobench.labels.columns import USUAL_NAMES
from annobench.scale._format import is_partitioned
from annobench.scale.partitions import PartitionedLabels

__all__ = ["Source"]

#: What labels may be kept in; "spans" is an export of which a layer of marks is meant.
SourceKind = Literal["long", "wide", "export", "spans", "partitions"]

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

    Make one with `Source.of`, and pass it on: neither is its format recognised again, nor its
    export read again.

    Attributes
    ----------
    path : Path
        The file or folder.
    content : Content
        What was read to recognise it, such as the head of a file, its header and first record.
    format : ExportFormat or None
        The format of the export; None for a table with one row per label and for partitions.
    variant : str
        What the content shows of the format.
    partitions : PartitionedLabels or None
        The labels, if the path is a folder of partitions.
    columns : mapping of str to (str or None)
        The columns of "item", "annotator" and "label" that were named.
    options : Options
        What the reader of an export has to know of its user's wishes.
    keep_names : bool
        Whether people's names and e-mail addresses stay, in place of pseudonyms.
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
        keep_names: bool = False,
    ) -> Source:
        """Recognise a file or folder by its content.

        Parameters
        ----------
        path : str or Path
            A table, an export of an annotation tool, or a folder of partitions.
        format : str, optional
            Name of the format of an export, where the content may be of several.
        item, annotator, label : str, optional
            Names of the columns of a table. A text file for which one is given has one row per
            label, unless it is the item and the content shows another layout.
        question : str, optional
            The question whose answers are the labels, or the layer of spans.
        annotator_from : {"person", "file", "session"}, optional
            Who counts as an annotator, in formats that leave a choice.
        text : str, optional
            The column or field of the text that annotators saw.
        shown_first : str, optional
            The column or field that says which of two answers was shown first.
        keep_names : bool, default False
            Whether people's names and e-mail addresses stay, in place of pseudonyms.

        Returns
        -------
        Source
            What it is.

        Raises
        ------
        ReaderError
            If there is nothing at the path, it is of several formats, or of none and no table.
        AnnotationError
            If partitions are of another version or damaged.
        """
        if not isinstance(path, str | os.PathLike):
            raise ReaderError(
                f"Labels are read from the path of a file or folder, not from "
                f"{type(path).__name__}. Give a path, or make annotations of data in memory with "
                "Annotations.from_arrays, from_frame or from_wide."
            )
        content = Content(path)
        columns = {"item": item, "annotator": annotator, "label": label}
        options = Options(annotator_from, text, question, shown_first, item)
        found = cls(content.path, content, columns=columns, options=options, keep_names=keep_names)
        given = {
            name: value
            for name, value in {
                **columns,
                "question": question,
                "annotator_from": annotator_from,
                "text": text,
                "from_format": format,
            }.items()
            if value is not None
        }
        if is_partitioned(path):
            refuse_idle_options(str(path), "partitions", given)
            return replace(found, partitions=PartitionedLabels.open(path))
        is_table = format is None and _is_table(content)
        is_long = is_table and (annotator or label or _has_usual_columns(content))
        known = None if is_long else format_of(content, format)
        if known is None or (is_table and item is not None and known[0].kind != "wide"):
            refuse_idle_options(str(path), "long", given)
            return found
        refuse_idle_options(str(path), known[0].kind, given)
        return replace(found, format=known[0], variant=known[1])

    @cached_property
    def kind(self) -> SourceKind:
        """What the labels are kept in; an export is read to say whether spans are meant.

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
        """Whether an export's question is a layer of marks, or none is named and it has no other.

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

    def asking(self, *, text: str | None = None, shown_first: str | None = None) -> Source:
        """Return the source with other wishes; it is not recognised again.

        Parameters
        ----------
        text : str, optional
            The column or field of the text that annotators saw; by default as before.
        shown_first : str, optional
            The column or field that says which of two answers was shown first; by default as
            before.

        Returns
        -------
        Source
            The same file or folder.
        """
        if text is None and shown_first is None:
            return self
        options = replace(
            self.options,
            text=text or self.options.text,
            shown_first=shown_first or self.options.shown_first,
        )
        return replace(self, options=options)


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
    roles = (tables.ITEM_NAMES, tables.ANNOTATOR_NAMES, USUAL_NAMES["label"])
    return all(table.column(names) is not None for names in roles)
