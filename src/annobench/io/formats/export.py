"""Contents of another tool's file, and the selection of answers as labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.choices import NOTHING, Empty
from annobench.core.discovery import did_you_mean
from annobench.core.errors import MAX_FAULTS, AnnotationError, ReaderError, report_faults
from annobench.core.names import pseudonyms, said_of_pseudonyms, unused
from annobench.core.numbers import plain_categories, plain_number, with_points
from annobench.core.results import Summarised
from annobench.io._distinctions import Distinction, what_repeats
from annobench.io._repeats import Repeated, repeated
from annobench.io.categories import coded_labels, label_fault
from annobench.io.formats.base import (
    STATUSES,
    Box,
    ExportFormat,
    Intake,
    Kind,
    LeftOut,
    Marks,
    Source,
    is_email,
    label_name,
)
from annobench.io.formats.recognition import format_of, unrecognised
from annobench.io.options import GoldItems, Options, Repeats, refuse_idle_options, takes_options
from annobench.labels._coding import names_of, objects
from annobench.labels.annotations import Annotations, Scale
from annobench.labels.columns import named_columns

if TYPE_CHECKING:
    from annobench.io.cells import Cells

__all__ = ["Export", "Selection", "read_export"]

#: Options that say which answers become labels.
SELECTING = ("status", "repeats", "gold_items", "empty", "missing", "categories", "scale")

#: What the ledger calls answers of each status that do not become labels.
_STATUS_WORDS = {
    "done": "finished answers",
    "rejected": "rejected answers",
    "skipped": "skipped or ignored answers",
    "unfinished": "unfinished or expired answers",
    "curated": "answers of a curator",
}


@dataclass(frozen=True, repr=False)
class Selection(Summarised):
    """The labels of one question, and an account of what was left out.

    Attributes
    ----------
    labels : Annotations
        The labels.
    question : str
        What was asked.
    gold : dict of str to str
        Known categories of items, including control items.
    texts : dict of str to str
        Texts that annotators saw, by item, if the file has them.
    ledger : DataFrame
        One row per step from records to labels: `what`, `rows`, `first` (position of the first).
    remarks : tuple of str
        Remarks for the user.
    shown_first : ndarray of str, shape (N,), or None
        The answer shown first, for each label, if requested; empty if unknown.
    pseudonyms : dict of str to str
        Pseudonym of each annotator identified by a person's name.
    read_as : str
        How the columns of a table were interpreted; empty if a format leaves no choice.
    times : ndarray of str, shape (N,), or None
        Time of each label, as in the file, if requested; empty if unknown.
    boxes : mapping of (str, str) to tuple of Box
        Boxes of the labels, by item and annotator, possibly none; empty if a file has no boxes.
    """

    labels: Annotations
    question: str
    gold: dict[str, str]
    texts: dict[str, str]
    ledger: pd.DataFrame
    remarks: tuple[str, ...]
    shown_first: NDArray[Any] | None = None
    pseudonyms: dict[str, str] = field(default_factory=dict)
    read_as: str = ""
    times: NDArray[Any] | None = None
    boxes: Mapping[tuple[str, str], tuple[Box, ...]] = field(default_factory=dict)

    @property
    def said(self) -> tuple[str, ...]:
        """The interpretation of the columns, and the remarks."""
        return (self.read_as, *self.remarks) if self.read_as else self.remarks

    def summary(self) -> pd.DataFrame:
        """Return the ledger.

        Returns
        -------
        DataFrame
            `rows` and `first`, by step.
        """
        return self.ledger.set_index("what")

    def _headline(self) -> str:
        return f"{self.question}, {self.labels!r}"


class Export:
    """The contents of another tool's file or folder.

    Parameters
    ----------
    intake : Intake
        The reader's intake.
    format : ExportFormat
        The format.
    variant : str
        Variant of the format.
    named : Path, optional
        What messages call the source; by default its path.

    Attributes
    ----------
    pseudonyms : dict of str to str
        Pseudonym of each annotator identified by a person's name.
    """

    def __init__(
        self,
        intake: Intake,
        format: ExportFormat,
        variant: str,
        *,
        named: Path | None = None,
    ) -> None:
        intake.settle()
        self._intake = intake
        self._named = intake.path if named is None else named
        self.format = format
        self.variant = variant
        names = [*intake.annotators.codes, *(marks.annotator for marks in intake.marked)]
        people = dict.fromkeys(
            name for name in names if name in intake.personal or is_email(str(name))
        )
        self.personal = tuple(people)
        self.pseudonyms = {} if intake.options.keep_names else pseudonyms(people, names)
        self._columns = intake.columns()
        self._labels = list(map(_plain, intake.labels.codes))
        self._kinds: dict[str, tuple[Kind, tuple[str, ...] | None]] = {
            name: (kind, None if options is None else plain_categories(options))
            for name, (kind, options) in intake.kinds.items()
        }

    @property
    def path(self) -> Path:
        """The file or folder."""
        return self._named

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Names of items with an answer of any status."""
        return tuple(map(str, self._intake.items.codes))

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names or pseudonyms of the annotators who gave them."""
        return tuple(self._shown(str(name)) for name in self._intake.annotators.codes)

    @property
    def texts(self) -> dict[str, str]:
        """Texts that annotators saw, by item."""
        return self._intake.texts

    @property
    def documents(self) -> dict[str, str]:
        """Texts of the documents in which spans are marked."""
        return self._intake.documents

    @property
    def left_out(self) -> list[LeftOut]:
        """Records without an answer, by reason."""
        return list(self._intake.left_out.values())

    @property
    def notes(self) -> list[str]:
        """The reader's guesses, for the user to confirm."""
        return list(self._intake.notes)

    @property
    def read_as(self) -> str:
        """How the columns of a table were interpreted."""
        return self._intake.read_as

    @property
    def anonymous(self) -> bool:
        """Whether annotators are unknown."""
        return self._intake.anonymous

    def marks(
        self, layer: str | None = None, *, status: Collection[str] = ("done",)
    ) -> list[Marks]:
        """Return the spans that annotators marked.

        Parameters
        ----------
        layer : str, optional
            The layer; by default all.
        status : collection of str, default ("done",)
            Accepted statuses of the work.

        Returns
        -------
        list of Marks
            One for each document, annotator and layer, with pseudonyms.
        """
        return [
            marks._replace(annotator=self._shown(marks.annotator))
            for marks in self._intake.marked
            if marks.status in status and layer in (None, marks.layer)
        ]

    def _shown(self, annotator: str) -> str:
        return self.pseudonyms.get(annotator, annotator)

    @cached_property
    def questions(self) -> pd.DataFrame:
        """The questions: `question`, `kind`, `answers`, `items`, `annotators`, `categories`.

        Counts of finished answers; `categories` lists those that occur.
        """
        rows = []
        done = self._columns["status"] == STATUSES.index("done")
        for code, name in enumerate(self._intake.questions.codes):
            chosen = done & (self._columns["question"] == code)
            given = self._given(chosen)
            rows.append(
                {
                    "question": name,
                    "kind": self.kind(name),
                    "answers": int(chosen.sum()),
                    "items": len(np.unique(self._columns["item"][chosen])),
                    "annotators": len(np.unique(self._columns["annotator"][chosen])),
                    "categories": sorted({x for n in given for x in _as_set(self._labels[n])}),
                }
            )
        layers = dict.fromkeys(marks.layer for marks in self._intake.marked)
        for layer in layers:
            marked = self.marks(layer)
            labels = {span.label for marks in marked for span in marks.spans}
            rows.append(
                {
                    "question": layer,
                    "kind": "spans",
                    "answers": sum(len(marks.spans) for marks in marked),
                    "items": len({marks.document for marks in marked}),
                    "annotators": len({marks.annotator for marks in marked}),
                    "categories": sorted(labels),
                }
            )
        columns = ["question", "kind", "answers", "items", "annotators", "categories"]
        return pd.DataFrame(rows, columns=columns)

    def totals(self) -> dict[str, int]:
        """Count the contents of the file.

        Returns
        -------
        dict of str to int
            Records, records left out by reason, answers by status, answers on control items,
            answers that chose nothing, and repeated answers.
        """
        status = self._columns["status"]
        left_out = {entry.reason: entry.n for entry in self._intake.left_out.values()}
        repeats = 0
        for code in range(len(self._intake.questions.codes)):
            rows = (self._columns["question"] == code) & (status == 0)
            repeats += int(self._repeats(rows).is_repeat.sum())
        return {
            "records": self._intake.n_read,
            **left_out,
            **{word: int((status == n).sum()) for n, word in enumerate(_STATUS_WORDS.values())},
            "answers on control items": int(self._columns["control"].sum()),
            "answers that chose nothing": int((self._columns["label"] < 0).sum()),
            "repeated answers": repeats,
        }

    def _given(self, chosen: NDArray[np.bool_]) -> list[int]:
        return [code for code in _used(self._columns["label"][chosen]) if code >= 0]

    def kind(self, question: str) -> Kind:
        """Return the kind of a question's answers, as declared or inferred.

        Parameters
        ----------
        question : str
            Its name.

        Returns
        -------
        str
            Such as "choice".
        """
        if question in self._kinds:
            return self._kinds[question][0]
        chosen = self._columns["question"] == self._intake.questions.codes[question]
        given = [self._labels[code] for code in self._given(chosen)]
        if any(isinstance(label, frozenset) for label in given):
            return "choices"
        return "rating" if given and all(isinstance(n, float) for n in given) else "choice"

    def combined_options(self, question: str) -> tuple[str, ...]:
        """Return the options of a question with several options per answer.

        Parameters
        ----------
        question : str
            Its name.

        Returns
        -------
        tuple of str
            The most frequent first; empty if every finished answer is a single label.
        """
        chosen = self._columns["question"] == self._intake.questions.codes[question]
        chosen &= (self._columns["status"] == STATUSES.index("done")) & (
            self._columns["label"] >= 0
        )
        codes, counts = np.unique(self._columns["label"][chosen], return_counts=True)
        given = [self._labels[code] for code in codes]
        if not any(isinstance(label, frozenset) and len(label) > 1 for label in given):
            return ()
        times: Counter[str] = Counter()
        for label, n in zip(given, counts.tolist(), strict=True):
            times.update(dict.fromkeys(sorted(_as_set(label)), n))
        return tuple(name for name, _ in times.most_common())

    def labels(self, question: str | None = None, **choices: Any) -> Annotations:
        """Return the labels of one question; see `select` for the choices.

        Parameters
        ----------
        question : str, optional
            The question; needed if there are several.
        **choices
            As in `select`.

        Returns
        -------
        Annotations
            The labels.
        """
        return self.select(question, **choices).labels

    @takes_options(*SELECTING)
    def select(self, question: str | None = None, **choices: Any) -> Selection:
        """Return the labels of one question, and account for every answer.

        Parameters
        ----------
        question : str, optional
            The question; needed if there are several. For a question with several options,
            ``question=option`` gives yes or no for this option.
        **choices
            As of `Options`.

        Returns
        -------
        Selection
            The labels and the ledger.

        Raises
        ------
        AnnotationError
            If a question must be named or is unknown, an option is invalid, nothing is left, or
            there are repeated labels and `repeats` is "error".
        """
        asked = Options(**choices)
        status, repeats, empty, missing = asked.status, asked.repeats, asked.empty, asked.missing
        gold_items, categories, scale = asked.gold_items, asked.categories, asked.scale
        self._check(status=(status, STATUSES), repeats=(repeats, get_args(Repeats)))
        self._check(gold_items=(gold_items, get_args(GoldItems)), empty=(empty, get_args(Empty)))
        name, option = self._chosen(question)
        ledger = _Ledger(self._intake, self._columns, self.is_long)
        kept = self._columns["question"] == self._intake.questions.codes[name]
        ledger.answers(kept, name)
        remarks = self.notes + self._without_effect(kept, status, gold_items, empty)
        for number, word in enumerate(STATUSES):
            if word not in status:
                kept = ledger.drop(kept, self._columns["status"] == number, _STATUS_WORDS[word])
        if gold_items == "leave-out":
            kept = ledger.drop(kept, self._columns["control"] == 1, "answers on control items")
        if empty == "missing":
            nothing = "empty labels" if self.is_long else "answers that chose nothing"
            kept = ledger.drop(kept, self._columns["label"] < 0, nothing)
        for code in map(plain_number, missing):
            named = [n for n, label in enumerate(self._labels) if label_name(label) == code]
            dropped = np.isin(self._columns["label"], named)
            if not (kept & dropped).any():
                remarks.append(f"No label is {code!r}, so that --missing {code} changes nothing.")
            kept = ledger.drop(kept, dropped, f"labels {code!r}, a code for missing ones")
        rows = np.flatnonzero(kept)
        if not rows.size:
            raise AnnotationError(
                f"{self.path}: no label is left of the question {name!r}:\n{ledger.text()}"
                f"{self._instead(status, gold_items)}"
            )
        try:
            if option is None:
                labels, remark = self._annotations(name, rows, categories, scale, missing)
                remarks += [remark] if remark else []
            else:
                labels = self._contains(option, rows)
        except AnnotationError as error:
            raise AnnotationError(f"{self.path}: {error}") from error
        again = self._repeats(rows, repeats, has_repeats=labels.first_repeat is not None)
        distinction = self.distinction(rows) if again.what else Distinction()
        advice = f" {distinction.advice}" if distinction.advice else ""
        if again.what and repeats == "error":
            if distinction.are_spans:
                raise AnnotationError(f"{self.path}:{advice}")
            raise AnnotationError(self._say_repeats(again.what, rows[again.is_repeat][0]) + advice)
        remarks += [f"{again.remark}{advice}"] if again.remark else []
        if again.what and repeats != "all":
            dropped = np.zeros_like(kept)
            dropped[rows[again.is_repeat]] = True
            kept = ledger.drop(kept, dropped, f"repeated labels, of which the {repeats} is kept")
            rows = rows[~again.is_repeat]
            labels = labels.select(labels=~again.is_repeat)
        ledger.labels(rows.size)
        remarks += said_of_pseudonyms(self.pseudonyms)
        return Selection(
            replace(labels, anonymous=True) if self.anonymous else labels,
            name if option is None else f"{name}={option}",
            self._intake.golds.get(name, {}) if option is None else {},
            self._intake.texts,
            ledger.frame(),
            tuple(remarks),
            self._shown_first(rows),
            self.pseudonyms,
            self.read_as,
            self._times(rows),
            self._boxes(name, status) if option is None else {},
        )

    @property
    def table(self) -> Cells | None:
        """The table with a row per label that was read, if the source is one."""
        tables = self._intake.tables
        return tables[0] if len(tables) == 1 else None

    @property
    def is_long(self) -> bool:
        """Whether every row is an answer to one question."""
        has_tables = bool(self._intake.tables) or self.format.kind == "long"
        return has_tables and len(self._intake.questions.codes) == 1

    def _instead(self, status: Sequence[str], gold_items: GoldItems) -> str:
        """Say what to do where no label is left."""
        if self.is_long:
            return "\nGive labels, or correct --missing."
        column = self._columns["status"]
        others = [w for n, w in enumerate(STATUSES) if w not in status and (column == n).any()]
        ways = [f"other answers with --status {','.join([*status, *others])}"] if others else []
        if gold_items == "leave-out" and self._columns["control"].any():
            ways.append("control items with --gold-items use")
        return f"\nUse {', or '.join(ways)}." if ways else ""

    def distinction(self, rows: NDArray[np.intp] | None = None) -> Distinction:
        """Find what may distinguish repeated labels of a table.

        Parameters
        ----------
        rows : ndarray of int, optional
            Codes of the answers; by default all with a label.

        Returns
        -------
        Distinction
            Empty if nothing does, or the source is another.
        """
        if self.table is None:
            return Distinction()
        rows = np.flatnonzero(self._columns["label"] >= 0) if rows is None else rows
        where, item, annotator = (
            self._columns[name][rows] for name in ("where", "item", "annotator")
        )
        return what_repeats(self.table, self._intake.options, where - 1, item, annotator)

    def _boxes(
        self, question: str, status: Collection[str]
    ) -> dict[tuple[str, str], tuple[Box, ...]]:
        items, annotators = self.items, self.annotators
        return {
            (items[i], annotators[j]): boxes
            for (i, j), (how, boxes) in self._intake.boxed.get(question, {}).items()
            if how in status
        }

    def _without_effect(
        self, asked: NDArray[np.bool_], status: Collection[str], gold_items: str, empty: str
    ) -> list[str]:
        """Report choices without effect on the question's answers."""
        found = []
        for word in status:
            is_so = self._columns["status"] == STATUSES.index(word)
            if word != "done" and not (asked & is_so).any():
                found.append(f"No answer is {word}, so that --status {word} adds none.")
        if gold_items == "use" and not (asked & (self._columns["control"] == 1)).any():
            found.append("No item is a control item, so that --gold-items use changes nothing.")
        if empty == "category" and not (asked & (self._columns["label"] < 0)).any():
            what = "label is empty" if self.is_long else "answer chose nothing"
            found.append(f"No {what}, so that --empty category changes nothing.")
        return found

    def _shown_first(self, rows: NDArray[np.intp]) -> NDArray[Any] | None:
        """Return the answers shown first, if requested."""
        asked = self._intake.options.shown_first
        if asked is None:
            return None
        names = np.array(list(self._intake.firsts.codes), dtype=object)
        shown: NDArray[Any] = names[self._columns["first"][rows]]
        if not any(shown):
            raise AnnotationError(
                f"{self.path}: no record has the answer shown first in {asked!r}, given with "
                "--shown-first. Name a column of a table, or a field of a log of judges."
            )
        return shown

    def _times(self, rows: NDArray[np.intp]) -> NDArray[Any] | None:
        """Return the times of the labels, if requested."""
        asked = self._intake.options.over
        if asked is None:
            return None
        fields = self._intake.time_fields
        if fields and asked not in ("time", *fields):
            raise AnnotationError(
                f"{self.path}: --over {asked}: the times of this export stand in "
                f"{' and '.join(map(repr, fields))}. Say --over time."
            )
        names = np.array(list(self._intake.times.codes), dtype=object)
        times: NDArray[Any] = names[self._columns["time"][rows]]
        if not any(times):
            raise AnnotationError(
                f"{self.path}: --over {asked} needs the times of labels, but no record has one. "
                "Write a table with one row per label and a column of times: annobench convert."
            )
        return times

    @staticmethod
    def _check(**options: Any) -> None:
        for name, (given, known) in options.items():
            for word in (given,) if isinstance(given, str) else given:
                if word not in known:
                    raise AnnotationError(
                        f"--{name.replace('_', '-')} {word!r} is not one of {', '.join(known)}."
                        f"{did_you_mean(word, known)}"
                    )

    def _chosen(self, question: str | None) -> tuple[str, str | None]:
        """Return the requested question and, if any, option."""
        known: list[str] = list(self._intake.questions.codes)
        if question is not None and question in known:
            return question, None
        for name in known:
            if question is not None and question.startswith(f"{name}="):
                return name, self._option(name, question.removeprefix(f"{name}="))
        usable = [name for name in known if self.kind(name) != "text"]
        names = named_columns(usable, most=20)
        if question is not None:
            raise AnnotationError(
                f"{self.path}: no question is called {question!r}.{did_you_mean(question, known)} "
                f"There are {names or 'spans only'}."
            )
        if len(usable) == 1:
            return usable[0], None
        if not usable:
            if self._intake.marked:
                raise AnnotationError(
                    f"{self.path}: the file has spans but no labels of items. Measure agreement on "
                    "spans with `annobench report`, or convert them to items with --spans tokens "
                    "or --spans candidates."
                )
            raise AnnotationError(
                f"{self.path}: the answers are free texts, which are not compared. Code them into "
                "categories first, in a table with one row per answer."
            )
        raise AnnotationError(
            f"{self.path}: there are {len(usable)} questions: {names}. Name one with --question."
        )

    def _option(self, question: str, option: str) -> str:
        rows = self._columns["question"] == self._intake.questions.codes[question]
        options = {name for code in self._given(rows) for name in _as_set(self._labels[code])}
        options |= set(self._kinds.get(question, ("", None))[1] or ())
        option = plain_number(option)
        if option not in options:
            raise AnnotationError(
                f"{self.path}: {question!r} has no option {option!r}."
                f"{did_you_mean(option, options)} There are "
                f"{named_columns(sorted(options), most=20)}."
            )
        return option

    def _contains(self, option: str, rows: NDArray[np.intp]) -> Annotations:
        """Build labels for whether an option was chosen."""
        item, annotator = self._names(rows)
        chosen = [
            code >= 0 and option in _as_set(self._labels[code])
            for code in self._columns["label"][rows].tolist()
        ]
        given = ["yes" if each else "no" for each in chosen]
        return Annotations.from_arrays(item, annotator, given, categories=["no", "yes"])

    def _names(self, rows: NDArray[np.intp]) -> tuple[pd.Series[Any], pd.Series[Any]]:
        """Return the names of items and annotators of the chosen rows, by their codes."""
        items, annotators = (
            pd.Series(
                pd.Categorical.from_codes(self._columns[role][rows], pd.Index(names, dtype=object))
            )
            for role, names in (("item", self.items), ("annotator", self.annotators))
        )
        return items, annotators

    def _repeats(
        self, rows: NDArray[Any], repeats: Repeats = "first", *, has_repeats: bool = True
    ) -> Repeated:
        item, annotator, label = (
            self._columns[name][rows] for name in ("item", "annotator", "label")
        )
        return repeated(item, annotator, label, repeats, has_repeats=has_repeats)

    def _say_repeats(self, what: str, first: int) -> str:
        item = list(self._intake.items.codes)[self._columns["item"][first]]
        annotator = list(self._intake.annotators.codes)[self._columns["annotator"][first]]
        return (
            f"{self.path}: {what}; such as that of {self._shown(annotator)!r} on {item!r} "
            f"({self._place(first)}). {self._intake.repeats_are}Keep one of them with --repeats "
            "first or --repeats last."
        )

    def _annotations(
        self,
        question: str,
        rows: NDArray[np.intp],
        categories: Iterable[object] | None,
        scale: Scale | None,
        missing: Collection[str] = (),
    ) -> tuple[Annotations, str]:
        """Build annotations from the chosen rows."""
        kind = self.kind(question)
        codes = self._columns["label"][rows]
        values = [self._labels[code] for code in _used(codes) if code >= 0]
        single = all(not isinstance(label, frozenset) or len(label) == 1 for label in values)
        remark = ""
        if scale is None:
            scale = self._intake.declared.get("scale", "nominal")
            if kind == "rating":
                scale = "interval"
            elif kind == "choices" and single:
                remark = (
                    f"{question!r} allows several options, but no answer has more than one: the "
                    "labels are nominal."
                )
            elif kind == "choices":
                scale = "set"
        if scale == "set":
            sets = [
                frozenset() if code < 0 else _as_set(self._labels[code]) for code in codes.tolist()
            ]
            return Annotations.from_sets(*self._names(rows), sets), remark
        names = [*map(label_name, self._labels)]
        names.append(unused(NOTHING, names))
        used = _used(codes)
        if scale == "interval":
            points = dict(zip(used, with_points([names[code] for code in used]), strict=True))
            names = [points.get(code, name) for code, name in enumerate(names)]
        order = None if categories is None else plain_categories(categories)
        declared = self._kinds.get(question, (kind, None))[1]
        is_typed = scale == "interval" and not self._intake.declared
        if order is None and declared is not None and not is_typed:
            # An option may have been renamed or dropped since it was chosen.
            seen = {names[code] for code in used} - set(declared)
            order = (*declared, *sorted(seen))
        if order is not None:
            left_out = {*map(plain_number, missing)}
            order = tuple(name for name in order if name not in left_out)
        self._refuse_labels(rows, {code: names[code] for code in used}, order, scale)
        label, order = coded_labels([names[code] for code in used], order, scale)
        code_of = np.zeros(len(names), dtype=label.dtype)
        code_of[used] = label
        (item, items), (annotator, annotators) = (
            self._coded(role, rows, all_names)
            for role, all_names in (("item", self.items), ("annotator", self.annotators))
        )
        if self.table is None or self.table.has_lists:  # other texts are UTF-8
            names_of(objects([*items, *annotators, *order]))
        return Annotations(item, annotator, code_of[codes], items, annotators, order, scale), remark

    def _coded(
        self, role: str, rows: NDArray[np.intp], names: tuple[str, ...]
    ) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """Return codes, and the names: of a table all, else those that occur or are declared."""
        codes = self._columns[role][rows]
        declared = self._intake.declared.get(f"{role}s")
        if declared is not None and role == "annotator":
            declared = tuple(map(self._shown, declared))
        if declared is not None:
            code_of = pd.Index(declared).get_indexer(pd.Index(names))
            if (code_of < 0).any():
                name = names[int(np.argmax(code_of < 0))]
                raise ReaderError(
                    f"{self.path}: the metadata lacks the name {name!r} of a row. Write the file "
                    "again."
                )
            return code_of.astype(np.int32)[codes], tuple(declared)
        if self.is_long:
            return codes, names
        is_used = np.zeros(len(names), dtype=bool)
        is_used[codes] = True
        if is_used.all():
            return codes, names
        code_of = np.cumsum(is_used, dtype=np.int32) - 1
        return code_of[codes], tuple(compress(names, is_used))

    def _refuse_labels(
        self,
        rows: NDArray[np.intp],
        names: dict[int, str],
        categories: tuple[str, ...] | None,
        scale: Scale,
    ) -> None:
        """Report labels that are none of the categories, or no numbers."""
        wrong = {
            code: fault
            for code, name in names.items()
            if (fault := label_fault(name, categories, scale)) is not None
        }
        if not wrong:
            return
        codes = self._columns["label"][rows]
        bad = np.flatnonzero(np.isin(codes, list(wrong)))
        faults = [f"{self._place(rows[n])}: {wrong[codes[n]]}" for n in bad[: MAX_FAULTS + 1]]
        report_faults(
            self.path,
            faults + [""] * (bad.size - len(faults)),
            "Correct these rows, list the label among the categories, or leave a code for missing "
            "labels out with missing=.",
        )

    def _place(self, row: int) -> str:
        """Return the position of an answer, of a table the line."""
        where, file = int(self._columns["where"][row]), int(self._columns["file"][row])
        if self.table is not None:
            return self.table.lines()[where - 1]
        return self._intake.place(where, file)


def _used(codes: NDArray[np.integer[Any]]) -> list[int]:
    """Return the codes that occur, of -1 and larger ones."""
    counts = np.bincount(codes.astype(np.intp) + 1)
    return (np.flatnonzero(counts) - 1).tolist()


class _Ledger:
    """The steps from records to labels."""

    def __init__(self, intake: Intake, columns: dict[str, NDArray[Any]], is_long: bool) -> None:
        self._intake, self._columns = intake, columns
        #: Whether every row is an answer to the one question.
        self._is_long = is_long
        records = "rows" if is_long else "records"
        self._rows: list[tuple[str, int, str]] = [(f"{records} read", intake.n_read, "")]
        for reason, n, place in intake.left_out.values():
            self._rows.append((f"left out: {reason}", n, place))
        if not self._is_long:
            self._rows.append(("records with answers", intake.n_used, ""))

    def answers(self, kept: NDArray[np.bool_], question: str) -> None:
        if self._is_long:
            return
        self._rows.append((f"answers to {question!r}", int(kept.sum()), self._first(kept)))

    def drop(
        self, kept: NDArray[np.bool_], dropped: NDArray[np.bool_], what: str
    ) -> NDArray[np.bool_]:
        out = kept & dropped
        if out.any():
            self._rows.append((f"left out: {what}", int(out.sum()), self._first(out)))
        return kept & ~dropped

    def labels(self, n: int) -> None:
        self._rows.append(("labels", n, ""))

    def _first(self, chosen: NDArray[np.bool_]) -> str:
        if not chosen.any():
            return ""
        row = int(np.argmax(chosen))
        return self._intake.place(int(self._columns["where"][row]), int(self._columns["file"][row]))

    def text(self) -> str:
        return "\n".join(f"  {n:,} {what}" for what, n, _ in self._rows)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self._rows, columns=["what", "rows", "first"])


def _plain(label: Any) -> Any:
    """Merge whole numbers with and without a decimal point, including ratings."""
    if isinstance(label, frozenset):
        return frozenset(map(plain_number, label))
    return plain_number(label) if isinstance(label, str) else label


def _as_set(label: Any) -> frozenset[str]:
    return label if isinstance(label, frozenset) else frozenset({label_name(label)})


@takes_options("format", "annotator_from", "text", "question", "shown_first", "item", "keep_names")
def read_export(path: str | Path, **options: Any) -> Export:
    """Read a file or folder exported by another tool.

    Parameters
    ----------
    path : str or Path
        The file or folder.
    **options
        As of `Options`.

    Returns
    -------
    Export
        The contents of the export.

    Raises
    ------
    ReaderError
        If the file is missing, of unknown or ambiguous format, malformed, or without answers, or
        its format has no column of items.
    """
    source, asked = Source(path), Options(**options)
    recognised = format_of(source, asked.format)
    if recognised is None:
        raise ReaderError(unrecognised(source, {}))
    return read_as(*recognised, source, replace(asked, format=None))


def read_as(format: ExportFormat, variant: str, source: Source, options: Options) -> Export:
    """Read a source with a known format, as `read_export` does."""
    if options.item is not None:
        refuse_idle_options(str(source.path), format.kind, {"item": options.item})
    asked = options.annotator_from
    if asked is not None and asked not in format.annotators:
        known = " and ".join(format.annotators)
        raise ReaderError(
            f"{source.path}: --annotator-from {asked} has no effect on {format.title}, which "
            f"allows {known or 'no choice'}. Leave it out."
        )
    intake = Intake(source.path, options)
    try:
        format.read(source, intake)
        if source.is_folder:
            intake.leave_out_others(source)
    except OSError as error:
        raise ReaderError(
            f"{source.path}: can't be read ({error}). Check its permissions."
        ) from error
    except RecursionError as error:
        raise ReaderError(
            f"{source.path}: a record is nested too deeply. Export the file again."
        ) from error
    intake.check()
    return Export(intake, format, variant, named=source.named)
