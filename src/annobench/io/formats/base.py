"""The interface of readers of formats: source, intake and record.

A reader pushes every answer in a file, including rejected and unfinished ones, into an `Intake`.
`export.py` alone decides which of them become labels.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import struct
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from annobench.core.discovery import did_you_mean
from annobench.core.errors import MAX_FAULTS, ReaderError, report_faults
from annobench.core.names import EMAIL, Name, settle
from annobench.core.names import MadeName as MadeName
from annobench.core.numbers import plain_number
from annobench.io.formats.headers import delimiter_of
from annobench.io.formats.records import first_object
from annobench.io.options import AnnotatorFrom as AnnotatorFrom
from annobench.io.options import Options as Options
from annobench.spans.boxes import Box as Box
from annobench.spans.marks import Relation as Relation
from annobench.spans.marks import Span as Span

__all__ = [
    "STATUSES",
    "ExportFormat",
    "Intake",
    "Kind",
    "LeftOut",
    "Marks",
    "Names",
    "Source",
]

#: How far an annotator's work on an item came.
Status = Literal["done", "rejected", "skipped", "unfinished", "curated"]
STATUSES: tuple[Status, ...] = get_args(Status)

#: What the answers to a question are.
Kind = Literal["choice", "choices", "rating", "text", "spans", "relations"]

#: Distinct values, and the code of each entry.
Coded = tuple[Sequence[Any], NDArray[np.integer[Any]]]

#: Bytes of a file that are looked at to recognise its format.
HEAD_BYTES = 65_536

#: A larger number is none to calculate with; a larger whole one may stand for another.
_LARGEST, _LARGEST_WHOLE = 1e300, 2**53

#: What the library of archives raises for damaged and encrypted ones.
DAMAGED_ARCHIVE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)


@dataclass(frozen=True)
class ExportFormat:
    """The record of a format, named `FORMAT` in a module of a package of formats.

    Attributes
    ----------
    name : str
        Name in options and messages, such as ``"label_studio"``.
    title : str
        Usual name of the format.
    recognise : callable
        Maps a `Source` to the variant of the format in its content, or None.
    read : callable
        Pushes the contents of a `Source` into an `Intake`.
    note : str
        What becomes an item, an annotator and a label, in one sentence.
    kind : {"export", "wide", "long"}
        Whether it is a tool's export, a table with a row per label, or one in another layout.
    annotators : tuple of {"person", "file", "session"}
        What may count as an annotator, if there is a choice.
    """

    name: str
    title: str
    recognise: Callable[[Source], str | None]
    read: Callable[[Source, Intake], None]
    note: str
    kind: Literal["export", "wide", "long"] = "export"
    annotators: tuple[AnnotatorFrom, ...] = ()


class Source:
    """A file or folder whose format is not yet known.

    Parameters
    ----------
    path : str or Path
        The file or folder.

    Raises
    ------
    ReaderError
        If there is nothing at the path, or it can't be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        #: What several formats make of the source alike, made once.
        self.shared: dict[str, Any] = {}
        if not self.path.exists():
            raise ReaderError(f"{self.path}: does not exist. Give the path of a file or folder.")
        try:
            self.head = b"" if self.is_folder else self._read_head()
        except OSError as error:
            raise ReaderError(
                f"{self.path}: can't be read ({error}). Check its permissions."
            ) from error

    def _read_head(self) -> bytes:
        with self.path.open("rb") as stream:
            return stream.read(HEAD_BYTES)

    @property
    def whole(self) -> bytes | None:
        """The contents of the file, if it is small enough to have been read."""
        return None if self.is_folder or len(self.head) == HEAD_BYTES else self.head

    @property
    def asked(self) -> Options:
        """The user's options for the layout, if any."""
        found: Options = self.shared.get("options", Options())
        return found

    @property
    def named(self) -> Path:
        """What messages call it: the path, or that of the archive that holds it."""
        named: Path = self.shared.get("archive", self.path)
        return named

    @cached_property
    def is_folder(self) -> bool:
        """Whether the path is a folder."""
        return self.path.is_dir()

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The file itself, or the files in a folder and its subfolders, except hidden ones."""
        if not self.is_folder:
            return (self.path,)
        return tuple(
            path
            for path in sorted(self.path.rglob("*"))
            if not any(part.startswith(".") for part in path.relative_to(self.path).parts)
            and path.is_file()
        )

    @cached_property
    def first_record(self) -> dict[str, Any] | None:
        """The first JSON object of a file of JSON or JSON lines, or None."""
        return None if self.is_folder else first_object(self.path, self.head, self.whole)

    @cached_property
    def _beginning(self) -> str:
        text = self.head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
        return text.lstrip("\r\n")

    @cached_property
    def delimiter(self) -> str:
        """The delimiter of a text."""
        return delimiter_of(self._beginning)

    @cached_property
    def header(self) -> tuple[str, ...] | None:
        """The fields of the first row; None if it is not a text or was not read whole."""
        text = self._beginning
        if self.is_folder or "\0" in text or text.lstrip()[:1] in ("{", "["):
            return None
        try:
            # A quoted name of a column may hold a line end.
            stream = io.StringIO(text, newline="")
            found = tuple(next(csv.reader(stream, delimiter=self.delimiter), ()))
        except csv.Error:
            return None
        is_cut = len(self.head) == HEAD_BYTES and stream.tell() == len(text)
        return None if is_cut else found or None

    def inside(self, path: Path) -> Source:
        """Return a file of the folder as a source.

        Parameters
        ----------
        path : Path
            One of `files`.

        Returns
        -------
        Source
            The file.
        """
        return Source(path)


class Marks(NamedTuple):
    """The spans that one annotator marked in one document, in one layer.

    Attributes
    ----------
    document, annotator, layer : str
        Names.
    spans : tuple of Span
        Empty if the annotator saw the document and marked nothing.
    relations : tuple of Relation
        Relations between these spans.
    status : str
        One of `STATUSES`.
    place : str
        Position in the file.
    """

    document: str
    annotator: str
    layer: str
    spans: tuple[Span, ...]
    relations: tuple[Relation, ...]
    status: Status
    place: str


class LeftOut(NamedTuple):
    """Records that hold no answer.

    Attributes
    ----------
    reason : str
        The reason, in the plural: "tasks without annotations".
    n : int
        Number of records.
    place : str
        Position of the first of them.
    """

    reason: str
    n: int
    place: str


class Names:
    """Names and their codes, in the order of first appearance."""

    def __init__(self) -> None:
        self.codes: dict[Any, int] = {}

    def code(self, name: Any) -> int:
        """Return the code of a name.

        Parameters
        ----------
        name : hashable
            The name.

        Returns
        -------
        int
            Code of the name.
        """
        return self.codes.setdefault(name, len(self.codes))

    def merge(self, names: Sequence[Any], codes: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Code further entries, given by distinct names and codes.

        Parameters
        ----------
        names : sequence of hashable
            Distinct names.
        codes : ndarray of int, shape (N,)
            Code of each entry among them; -1 if missing.

        Returns
        -------
        ndarray of int, shape (N,)
            Code of each entry among all names.
        """
        if not self.codes:
            self.codes = dict(zip(names, range(len(names)), strict=True))
            return codes.astype(np.int32, copy=False)
        code_of = np.array([*map(self.code, names), -1], dtype=np.int32)
        return np.take(code_of, codes)

    def rename(self, new: Mapping[MadeName, str]) -> None:
        """Replace generated names by their final form.

        Parameters
        ----------
        new : mapping of MadeName to str
            Final form of each name.
        """
        if new:
            self.codes = {new.get(name, name): code for name, code in self.codes.items()}


@dataclass
class Intake:
    """Collects what a reader finds, in the order of the file.

    Attributes
    ----------
    path : Path
        The file or folder, for messages.
    options : Options
        The user's options.
    """

    path: Path
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        """Start empty."""
        self.items, self.annotators, self.questions, self.labels = (Names() for _ in range(4))
        self.places, self.firsts, self.times = Names(), Names(), Names()
        self._blocks: list[dict[str, NDArray[Any]]] = []
        self._clear()
        self.kinds: dict[str, tuple[Kind, tuple[str, ...] | None]] = {}
        self.golds: dict[str, dict[Any, str]] = {}
        self.texts: dict[Any, str] = {}
        self.documents: dict[Any, str] = {}
        self.marked: list[Marks] = []
        #: By question, and codes of item and annotator: the status of the work, and the boxes.
        self.boxed: dict[str, dict[tuple[int, int], tuple[Status, tuple[Box, ...]]]] = {}
        self.left_out: dict[str, LeftOut] = {}
        self.personal: set[Any] = set()
        self.faults: list[str] = []
        self.used: set[Path] = set()
        self._text_fields: dict[str, None] = {}
        self._has_asked_text = False
        #: What the reader guessed, for the user to confirm.
        self.notes: list[str] = []
        #: What it took each column for.
        self.read_as = ""
        #: Why an annotator may have labelled an item twice, where the layout makes it unlikely.
        self.repeats_are = ""
        #: What a table with a row per label declares: its scale, and its items and annotators.
        self.declared: dict[str, Any] = {}
        #: The tables with a row per label that were read.
        self.tables: list[Any] = []
        #: Whether nobody knows which labels are by one annotator.
        self.anonymous = False
        self.n_read = 0
        #: Number of records that hold at least one answer; those of a record come together.
        self.n_used = 0
        self._last = (-1, -1)
        #: The fields of times, which a user may name.
        self.time_fields: dict[str, None] = {}
        self.begin("", "record")
        self.at(None)

    def _clear(self) -> None:
        """Start the columns of answers that are added one by one."""
        self.item, self.annotator, self.question_of, self.label = (array("i") for _ in range(4))
        self.where, self.file = array("q"), array("i")
        self.first, self.time = array("i"), array("i")
        self.status, self.control = array("b"), array("b")

    def at(self, time: object, field: str = "") -> None:
        """Set the time of the next answers.

        Parameters
        ----------
        time : object
            Time as in the file; None or empty if missing.
        field : str
            Field of the time.
        """
        if field:
            self.time_fields[field] = None
        self._time = self.times.code("" if time is None else str(time))

    def begin(self, file: str | Path, unit: str = "record") -> None:
        """Set the file of the next records.

        Parameters
        ----------
        file : str or Path
            The file inside the folder or archive; empty if there is only one.
        unit : str
            Name of a record: "line", "row", "task".
        """
        self._file = self.places.code((str(file), unit))

    def uses(self, *paths: Path) -> None:
        """Register files that were used although they have no records.

        Parameters
        ----------
        *paths : Path
            Files such as the text of a document, or the description of a project.
        """
        self.used.update(paths)

    def leave_out_others(self, source: Source) -> None:
        """Count the files of a folder that were not used.

        Parameters
        ----------
        source : Source
            The folder, after reading.
        """
        begun = {name for name, _ in self.places.codes}
        others = [
            (path, path.relative_to(source.path)) for path in source.files if path not in self.used
        ]
        for path, place in others:
            if str(place) not in begun:
                self.begin(place, "file")
                self.read()
                is_empty = path.stat().st_size == 0
                self.leave_out(1, "empty files" if is_empty else "files of other kinds")

    def place(self, where: int, file: int | None = None) -> str:
        """Return the position of a record.

        Parameters
        ----------
        where : int
            Number of the record, from 1.
        file : int, optional
            Code of its file; by default the current file.

        Returns
        -------
        str
            Such as ``"ann.jsonl, line 3"``.
        """
        name, unit = list(self.places.codes)[self._file if file is None else file]
        return f"{name}, {unit} {where}" if name else f"{unit} {where}"

    def read(self, n: int = 1) -> None:
        """Count records, whatever their use.

        Parameters
        ----------
        n : int, default 1
            Number of records.
        """
        self.n_read += n

    def answer(
        self,
        item: Name,
        annotator: Name,
        question: str,
        label: str | float | Iterable[str] | None,
        *,
        where: int,
        status: Status = "done",
        control: bool = False,
        personal: bool = False,
        first: str | None = None,
    ) -> None:
        """Add an annotator's answer to a question on an item.

        Parameters
        ----------
        item, annotator : str or MadeName
            Names as in the file, or generated if it has none.
        question : str
            Name of the question, as in the file.
        label : str, number, iterable of str or None
            A choice or free text, a rating, or several options; None or NaN if the annotator saw
            the item and chose nothing.
        where : int
            Number of the record, from 1.
        status : str
            Status of the work, one of `STATUSES`.
        control : bool
            Whether it is a control item, to check annotators.
        personal : bool
            Whether the annotator is identified by a person's name.
        first : str, optional
            For a comparison of two answers, the label of the one shown first.
        """
        if item == "" or annotator == "":
            self.fault(where, "an answer without the name of its item or annotator")
            return
        if label is None or label == "" or label != label:
            code = -1
        elif isinstance(label, str):
            code = self.labels.code(label)
        elif isinstance(label, bool):
            code = self.labels.code("true" if label else "false")
        elif isinstance(label, int | float):
            code = self.labels.code(float(label) if _is_exact(label) else str(label))
        else:
            code = self.labels.code(frozenset(label))
        self.item.append(self.items.code(item))
        self.annotator.append(self.annotators.code(annotator))
        self.question_of.append(self.questions.code(question))
        self.label.append(code)
        self.where.append(where)
        self.file.append(self._file)
        self.status.append(STATUSES.index(status))
        self.control.append(control)
        self.first.append(self.firsts.code(first or ""))
        self.time.append(self._time)
        self._use(where)
        if personal:
            self.personal.add(annotator)

    def grid(
        self,
        items: Sequence[int],
        where: Sequence[int],
        columns: Sequence[tuple[int, int]],
        labels: Sequence[Sequence[str]],
    ) -> None:
        """Add many rows of finished answers, as `answer` does.

        Parameters
        ----------
        items : sequence of int
            Code of each row's item in `items`.
        where : sequence of int
            Number of each row's record, from 1; rows of a record are contiguous.
        columns : sequence of (int, int)
            Codes of each column's annotator and question.
        labels : sequence of sequence of str
            Labels by row and column; empty if missing. Each row has at least one.
        """
        flat = list(chain.from_iterable(labels))
        codes = {text: self.labels.code(text) if text else -1 for text in dict.fromkeys(flat)}
        label = np.fromiter(map(codes.__getitem__, flat), dtype=np.int32, count=len(flat))
        given = label >= 0
        label = label[given]
        annotator, question = np.array(columns, dtype=np.int32).T
        n_rows, n_columns, n = len(items), len(columns), label.size

        def of_rows(values: Sequence[int], kind: type[np.signedinteger[Any]]) -> bytes:
            return np.repeat(np.array(values, dtype=kind), n_columns)[given].tobytes()

        self.item.frombytes(of_rows(items, np.int32))
        self.where.frombytes(of_rows(where, np.int64))
        self.annotator.frombytes(np.tile(annotator, n_rows)[given].tobytes())
        self.question_of.frombytes(np.tile(question, n_rows)[given].tobytes())
        self.label.frombytes(label.tobytes())
        for column, value in (
            (self.file, self._file),
            (self.first, self.firsts.code("")),
            (self.time, self._time),
        ):
            column.frombytes(np.full(n, value, dtype=np.int32).tobytes())
        self.status.frombytes(bytes(n))
        self.control.frombytes(bytes(n))
        if n_rows:
            is_last = self._last == (self._file, where[0])
            self.n_used += len(set(where)) - is_last
            self._last = (self._file, where[-1])

    def rows(
        self,
        question: str,
        *,
        where: NDArray[np.int32],
        item: Coded,
        annotator: Coded,
        label: Coded,
        first: Coded | None = None,
        time: Coded | None = None,
    ) -> None:
        """Add many finished answers to one question, each a record of its own.

        Parameters
        ----------
        question : str
            Name of the question.
        where : ndarray of int, shape (N,)
            Number of each answer's record, from 1.
        item, annotator, label, first, time : (sequence, ndarray of int)
            Distinct values, as for `answer` and `at`, and the code of each answer; -1 if missing.
        """
        self._end_block()
        n = where.size
        names = {
            "item": (self.items, item),
            "annotator": (self.annotators, annotator),
            "label": (self.labels, label),
            "first": (self.firsts, first or (("",), np.broadcast_to(np.int32(0), n))),
            "time": (self.times, time or (("",), np.broadcast_to(np.int32(0), n))),
        }
        block = {role: of.merge(*column) for role, (of, column) in names.items()}
        for role in ("first", "time"):
            block[role] = np.where(block[role] < 0, names[role][0].code(""), block[role])
        for role, value in (("question", self.questions.code(question)), ("file", self._file)):
            block[role] = np.broadcast_to(np.int32(value), n)
        block |= {role: np.broadcast_to(np.int8(0), n) for role in ("status", "control")}
        self._blocks.append(block | {"where": where})
        self.n_used += n

    def _end_block(self) -> None:
        """Make a block of the answers that were added one by one."""
        columns = {
            "item": self.item,
            "annotator": self.annotator,
            "question": self.question_of,
            "label": self.label,
            "where": self.where,
            "file": self.file,
            "status": self.status,
            "control": self.control,
            "first": self.first,
            "time": self.time,
        }
        if self.item or not self._blocks:
            self._blocks.append(
                {role: np.frombuffer(own, dtype=own.typecode) for role, own in columns.items()}
            )
            self._clear()

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the answers by column, in the order of the file.

        Returns
        -------
        dict of str to ndarray, shape (N,)
            Codes of item, annotator, question, label (-1 if missing), first, time, file and
            status; where, the number of the record; control, whether it is a control item.
        """
        self._end_block()
        blocks = [block for block in self._blocks if block["item"].size] or self._blocks[:1]
        if len(blocks) == 1:
            return blocks[0]
        return {role: np.concatenate([block[role] for block in blocks]) for role in blocks[0]}

    def question(self, name: str, kind: Kind, options: Iterable[str] | None = None) -> None:
        """Declare a question.

        Parameters
        ----------
        name : str
            Name.
        kind : str
            Kind of its answers.
        options : iterable of str, optional
            All options, in order.
        """
        self.kinds[name] = (kind, None if options is None else tuple(options))

    def gold(self, item: Name, question: str, label: str | float | Sequence[str]) -> None:
        """Add the known answer of an item.

        Parameters
        ----------
        item : str or MadeName
            Name.
        question : str
            Name of the question.
        label : str, number or sequence of str
            The answer; several options are joined by semicolons.
        """
        if not isinstance(label, str | int | float):
            label = "; ".join(map(plain_number, label))
        self.golds.setdefault(question, {})[item] = label_name(label)

    def text(self, item: Name, text: str) -> None:
        """Add the text that annotators saw.

        Parameters
        ----------
        item : str or MadeName
            Name.
        text : str
            The text.
        """
        self.texts.setdefault(item, text)

    def document(self, name: Name, text: str) -> None:
        """Add the text of a document in which spans are marked.

        Parameters
        ----------
        name : str or MadeName
            Name.
        text : str
            The text to which positions refer.
        """
        self.documents.setdefault(name, text)

    def marks(
        self,
        document: Name,
        annotator: Name,
        layer: str,
        spans: Iterable[Span],
        *,
        where: int,
        status: Status = "done",
        relations: Iterable[Relation] = (),
        personal: bool = False,
    ) -> None:
        """Add the spans marked by an annotator in a document.

        Parameters
        ----------
        document, annotator : str or MadeName
            Names as in the file, or generated if it has none.
        layer : str
            Name.
        spans : iterable of Span
            Empty if the annotator saw the document and marked nothing.
        where : int
            Number of the record, from 1.
        status : str
            Status of the work, one of `STATUSES`.
        relations : iterable of Relation
            Relations between these spans.
        personal : bool
            Whether the annotator is identified by a person's name.
        """
        self._use(where)
        if personal:
            self.personal.add(annotator)
        self.marked.append(
            Marks(
                cast(str, document),  # `settle` makes it one
                cast(str, annotator),
                layer,
                tuple(spans),
                tuple(relations),
                status,
                self.place(where),
            )
        )

    def boxes(
        self, item: Name, annotator: Name, question: str, boxes: Iterable[Box], status: Status
    ) -> None:
        """Add the boxes drawn by an annotator, whose labels answer a question.

        Parameters
        ----------
        item, annotator, question : str or MadeName
            As for `answer`.
        boxes : iterable of Box
            Empty if the annotator saw the item and drew nothing.
        status : str
            Status of the work, one of `STATUSES`.
        """
        pair = self.items.code(item), self.annotators.code(annotator)
        self.boxed.setdefault(question, {})[pair] = status, tuple(boxes)

    def leave_out(self, where: int, reason: str, n: int = 1) -> None:
        """Count records that hold no answer.

        Parameters
        ----------
        where : int
            Number of the first of them, from 1.
        reason : str
            The reason, in the plural, in the same words for the same cause: "tasks without
            annotations".
        n : int, default 1
            Number of records.
        """
        before = self.left_out.get(reason)
        place = self.place(where) if before is None else before.place
        self.left_out[reason] = LeftOut(reason, n + (before.n if before else 0), place)

    def fault(self, where: int, what: str) -> None:
        """Record a fault; all are reported together.

        Parameters
        ----------
        where : int
            Number of the record, from 1.
        what : str
            The fault.
        """
        if len(self.faults) <= MAX_FAULTS:
            self.faults.append(f"{self.place(where)}: {what}")
        else:
            self.faults.append("")

    def settle(self) -> None:
        """Finalise generated names, once all names of the file are known."""
        marked = self.marked
        items = settle([*self.items.codes, *self.texts, *(mark.document for mark in marked)])
        annotators = settle([*self.annotators.codes, *(mark.annotator for mark in marked)])
        self.annotators.rename(annotators)
        self.personal = {annotators.get(name, name) for name in self.personal}
        if items:
            self.items.rename(items)
            for names in (self.texts, self.documents, *self.golds.values()):
                settled = {items.get(name, name): text for name, text in names.items()}
                names.clear()
                names.update(settled)
        if items or annotators:
            self.marked = [
                mark._replace(
                    document=items.get(cast(MadeName, mark.document), mark.document),
                    annotator=annotators.get(cast(MadeName, mark.annotator), mark.annotator),
                )
                for mark in marked
            ]

    def asked_text(self, fields: Iterable[str]) -> str | None:
        """Return the text field named by the user, if a record has it.

        Parameters
        ----------
        fields : iterable of str
            Fields of the record with a text.

        Returns
        -------
        str or None
            None also if the user named none.
        """
        asked = self.options.text
        if asked is None:
            return None
        seen = set(fields)
        if not self._has_asked_text:
            self._text_fields.update(dict.fromkeys(sorted(seen)))
            self._has_asked_text = asked in self._text_fields
        return asked if asked in seen else None

    def check(self) -> None:
        """Report faults, or that there are no answers, or no requested text.

        Raises
        ------
        ReaderError
            If there are faults, no answer, or no text field as named by the user; lists what there
            is.
        """
        report_faults(self.path, self.faults, "Correct these records, or export the file again.")
        asked = self.options.text
        if asked is not None and not self._has_asked_text:
            there = ", ".join(map(repr, self._text_fields)) or "none that can be named"
            raise ReaderError(
                f"{self.path}: no record has a text in the field {asked!r}, given with --text."
                f"{did_you_mean(asked, self._text_fields)} Fields of texts: {there}."
            )
        if not self.item and not self._blocks and not self.marked:
            reasons = (f"{reason} ({n:,})" for reason, n, _ in self.left_out.values())
            found = f" There are {'; '.join(reasons)}." if self.left_out else ""
            raise ReaderError(
                f"{self.path}: no annotator's answer was found.{found} Export the annotations, not "
                "only the tasks."
            )

    def _use(self, where: int) -> None:
        if self._last != (self._file, where):
            self._last = (self._file, where)
            self.n_used += 1


def _is_exact(number: float) -> bool:
    largest = _LARGEST_WHOLE if isinstance(number, int) else _LARGEST
    return -largest <= number <= largest


def label_name(value: str | float | frozenset[str]) -> str:
    """Write a label as a name."""
    if isinstance(value, str):
        return plain_number(value)
    if isinstance(value, frozenset):
        return "; ".join(sorted(value))
    return str(int(value)) if float(value).is_integer() else str(value)


def is_email(name: str) -> bool:
    """Return whether a name looks like an e-mail address."""
    return "@" in name and EMAIL.search(name) is not None


def as_json(value: object) -> str:
    """Write a value without a name, such as a list, as JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
