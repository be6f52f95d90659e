"""Labels from any file: a plain table of labels, or the export of another tool."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.choices import NOTHING, Empty
from annobench.core.errors import AnnotationError, ItemColumnWarning, ReaderError
from annobench.core.names import pseudonyms, said_of_pseudonyms
from annobench.core.numbers import plain_number
from annobench.io._columns import ChosenColumns, chosen_columns
from annobench.io._repeats import Repeats, repeated
from annobench.io.formats.base import AnnotatorFrom, is_email
from annobench.io.formats.export import GoldItems, Selection
from annobench.io.options import refuse_idle_options
from annobench.io.source import Source
from annobench.io.table import (
    count_labels,
    names_of_columns,
    read_beside_labels,
    read_gold,
    read_groups_of_rows,
    read_rows,
    read_texts,
)
from annobench.labels.annotations import Annotations, Scale
from annobench.labels.columns import ROUND_NAME, plain_name
from annobench.labels.frames import from_long

#: Values of a column that may name questions.
_MANY_QUESTIONS = 50

#: Names of columns of the ends of spans.
_STARTS = re.compile(r"(?:.*_)?(?:start|begin)(?:_(?:offset|char|token|index|idx|pos))?")
_ENDS = re.compile(r"(?:.*_)?(?:end|stop)(?:_(?:offset|char|token|index|idx|pos))?")

__all__ = ["read_labels", "select", "select_labels"]


def read_labels(
    path: str | Path | pd.DataFrame,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    question: str | None = None,
    **layout: Any,
) -> Annotations:
    r"""Read labels from a table with one row per label, or from another tool's export.

    Parameters
    ----------
    path : str, Path or DataFrame
        A CSV, TSV or Parquet file with one row per label, or a file or folder exported by an
        annotation tool, recognised from its content. A folder of partitions is read into memory. Or
        a data frame with one row per label.
    item, annotator, label : str, optional
        Names of the columns of a table. By default usual names are recognised, such as `item_id`,
        `worker` and `response`.
    categories : iterable, optional
        All categories in order; other labels are errors.
    scale : {"nominal", "ordinal", "interval", "set"}, optional
        Scale of the labels; by default as recorded in the file, ordinal for an ordered categorical
        column of a data frame, and otherwise nominal.
    question : str, optional
        The question whose answers are the labels, if an export has several.
    **layout
        How a table is laid out: `format`, `annotators`, `transpose`, `counts`, `weight`, `gold`,
        `sheet` and `header_rows` of `annobench.io.select_labels`.

    Returns
    -------
    Annotations
        The labels. For an export, the finished answers, except on control items; see
        `annobench.io.select_labels` for other choices, and for the ledger of what was left out.

    Raises
    ------
    ReaderError
        If the file is missing, empty, malformed, of an unknown format, or has malformed rows;
        names file, line and remedy, for up to ten faults at once.
    AnnotationError
        If a question has to be named, or an annotator answered twice for an item of an export.

    Warns
    -----
    ItemColumnWarning
        If, in a table with one column per annotator, the item column was identified by its values.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("item,worker,response\nx,ann,yes\nx,bob,no\n")
    ...     read_labels(path)
    Annotations(1 items, 2 annotators, 2 categories, 2 labels, nominal)
    >>> frame = pd.DataFrame({"scan": ["x", "x"], "rater": ["ann", "bob"], "label": ["yes", "no"]})
    >>> read_labels(frame, item="scan").items
    ('x',)
    """
    if isinstance(path, pd.DataFrame):
        if question is not None:
            raise AnnotationError(
                f"read_labels: question={question!r} is for exports; a data frame has one "
                "question. Name the column of its answers with label=."
            )
        return from_long(
            path,
            item=item,
            annotator=annotator,
            label=label,
            categories=categories,
            scale=scale,
        )
    source = Source.of(
        path, item=item, annotator=annotator, label=label, question=question, **layout
    )
    if source.format is not None:
        for guess in source.export.notes:
            warnings.warn(guess, ItemColumnWarning, stacklevel=2)
        return source.export.labels(question, categories=categories, scale=scale)
    return _labels(source, categories, scale)[0]


def select_labels(
    path: str | Path,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    format: str | None = None,
    question: str | None = None,
    annotator_from: AnnotatorFrom | None = None,
    status: Collection[str] = ("done",),
    repeats: Repeats = "error",
    gold_items: GoldItems = "leave-out",
    empty: Empty = "missing",
    missing: Collection[str] = (),
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
) -> Selection:
    """Read labels as `read_labels` does, with a ledger of what was left out.

    Parameters
    ----------
    path : str or Path
        A table with one row per label, or the file or folder of an annotation tool.
    item, annotator, label : str, optional
        Names of the columns of a table. `item` may list several separated by commas if there is one
        column per annotator, and lists the items' columns if rows are annotators.
    categories : iterable, optional
        All categories in order.
    scale : {"nominal", "ordinal", "interval", "set"}, optional
        Scale of the labels.
    format : str, optional
        Name of the format, if the content is ambiguous.
    question : str, optional
        The question whose answers are the labels, if an export has several.
    annotator_from : {"person", "file", "session"}, optional
        What counts as an annotator, in formats with a choice.
    status : collection of str, default ("done",)
        Accepted statuses of the work on an item.
    repeats : {"error", "first", "last", "all"}, default "error"
        What to do if an annotator labelled an item more than once.
    gold_items : {"leave-out", "use"}, default "leave-out"
        What to do with control items.
    empty : {"missing", "category"}, default "missing"
        Whether "saw the item and chose nothing" is a missing label or a category.
    missing : collection of str, optional
        Codes for missing labels, such as 99.
    text : str, optional
        Column or field of the text that annotators saw.
    shown_first : str, optional
        For comparisons of two answers: column or field of the answer that was shown first.
    annotators : collection of str, optional
        The annotators' columns in a table with one column per annotator; if each has several, the
        common prefix or suffix of their names.
    transpose : bool, default False
        Whether rows are annotators and columns are items.
    counts : bool, default False
        Whether cells are numbers of annotators.
    weight : str, optional
        Column with the number of items per row.
    gold : str, optional
        Column of known categories in a table with one column per annotator.
    sheet : str, optional
        The sheet of a workbook to read.
    header_rows : int, optional
        Number of rows of the header, below titles.
    keep_names : bool, default False
        Whether to keep people's names and e-mail addresses instead of pseudonyms.

    Returns
    -------
    Selection
        The labels, gold categories and texts in the file, and the ledger.

    Raises
    ------
    ReaderError
        If the file is missing, empty, malformed or of an unknown format.
    AnnotationError
        If a question must be named, nothing is left, or labels are repeated and `repeats` is
        "error".
    """
    source = Source.of(
        path,
        format=format,
        item=item,
        annotator=annotator,
        label=label,
        question=question,
        annotator_from=annotator_from,
        text=text,
        shown_first=shown_first,
        annotators=annotators,
        transpose=transpose,
        counts=counts,
        weight=weight,
        gold=gold,
        sheet=sheet,
        header_rows=header_rows,
        keep_names=keep_names,
    )
    return select(
        source,
        categories=categories,
        scale=scale,
        status=status,
        repeats=repeats,
        gold_items=gold_items,
        empty=empty,
        missing=missing,
    )


def select(
    source: Source,
    *,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    status: Collection[str] = ("done",),
    repeats: Repeats = "error",
    gold_items: GoldItems = "leave-out",
    empty: Empty = "missing",
    missing: Collection[str] = (),
) -> Selection:
    """Read the labels of a source, as `select_labels` does.

    Parameters
    ----------
    source : Source
        The source of the labels.
    categories : iterable, optional
        All categories in order.
    scale : {"nominal", "ordinal", "interval", "set"}, optional
        Scale of the labels.
    status : collection of str, default ("done",)
        Accepted statuses of the work on an item.
    repeats : {"error", "first", "last", "all"}, default "error"
        What to do if an annotator labelled an item more than once.
    gold_items : {"leave-out", "use"}, default "leave-out"
        What to do with control items.
    empty : {"missing", "category"}, default "missing"
        Whether "saw the item and chose nothing" is a missing label or a category.
    missing : collection of str, optional
        Codes for missing labels, such as 99.

    Returns
    -------
    Selection
        The labels, gold categories and texts in the file, and the ledger.

    Raises
    ------
    ReaderError
        If the file is missing, empty or malformed.
    AnnotationError
        If a question must be named, nothing is left, or labels are repeated and `repeats` is
        "error".
    """
    chosen = {
        "status": None if tuple(status) == ("done",) else status,
        "gold_items": None if gold_items == "leave-out" else gold_items,
        "empty": None if empty == "missing" else empty,
        "missing": missing or None,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    if given:
        refuse_idle_options(str(source.path), source.kind, given)
    if source.format is not None:
        return source.export.select(
            source.options.question,
            status=status,
            repeats=repeats,
            gold_items=gold_items,
            empty=empty,
            missing=missing,
            categories=categories,
            scale=scale,
        )
    path, content = source.path, source.content.whole
    label = source.columns.get("label")
    asked, keep_names = source.options, source.keep_names
    labels, n_rows = _labels(source, categories, scale, empty, missing)
    texts = texts_by_item(source)
    wanted = {"--shown-first": asked.shown_first, "--over": asked.over}
    beside = {
        option: read_beside_labels(
            path, name, option, label=label, empty=empty, missing=missing, content=content
        )
        for option, name in wanted.items()
        if name is not None
    }
    steps = [("rows read", n_rows, "")]
    remarks = []
    times = count_labels(path, label=label, content=content) if missing else {}
    for word in map(plain_number, missing):
        if n := times.get(word, 0):
            steps.append((f"left out: labels {word!r}, a code for missing ones", n, ""))
        else:
            remarks.append(f"No label is {word!r}, so that --missing {word} changes nothing.")
    if n_empty := n_rows - labels.n_labels - sum(n for _, n, _ in steps[1:]):
        steps.append(("left out: empty labels", n_empty, ""))
    if empty == "category" and not any(name.startswith(NOTHING) for name in labels.categories):
        remarks.append("No label is empty, so that --empty category changes nothing.")
    hint = ""
    if labels.first_repeat is not None and not any(wanted.values()):
        distinction = what_repeats(source, labels, empty=empty, missing=missing)
        if distinction.are_spans and repeats == "error":
            raise AnnotationError(f"{path}: {distinction.advice}")
        hint = f" {distinction.advice}" if distinction.advice else ""
    people = [] if keep_names else [name for name in labels.annotators if is_email(name)]
    new = pseudonyms(people, labels.annotators)
    if new:
        names = tuple(new.get(name, name) for name in labels.annotators)
        labels = replace(labels, annotators=names)
    labels, kept, remark = _without_repeats(labels, path, repeats, hint)
    beside = {option: values[kept] for option, values in beside.items()}
    dropped = int((~kept).sum())
    if dropped:
        steps.append((f"left out: repeated labels, of which the {repeats} is kept", dropped, ""))
    remarks += [remark] if remark else []
    remarks += said_of_pseudonyms(new)
    steps.append(("labels", labels.n_labels, ""))
    ledger = pd.DataFrame(steps, columns=["what", "rows", "first"])
    return Selection(
        labels,
        label or "label",
        {},
        texts,
        ledger,
        tuple(remarks),
        beside.get("--shown-first"),
        new,
        read_as=_said_of_columns(source),
        times=beside.get("--over"),
    )


def _chosen_columns(source: Source) -> tuple[ChosenColumns, list[str]]:
    """Return the columns of a table with one row per label, and the others."""
    header = names_of_columns(source.path, source.content.head)
    wanted = {role: source.columns.get(role) for role in ("item", "annotator", "label")}
    chosen = chosen_columns(source.path, header, wanted)
    return chosen, [name for name in header if name and name not in chosen.names]


def _said_of_columns(source: Source) -> str:
    """Report the unused columns of a table with one row per label."""
    if source.partitions is not None:
        return ""
    chosen, rest = _chosen_columns(source)
    if not rest:
        return ""
    # What lists names belongs to the layouts, which a plain table does not need.
    from annobench.io.layouts._said import listed

    column = {role: repr(name) for role, name in chosen.roles.items()}
    column |= {"item": " and ".join(map(repr, chosen.parts))} if chosen.parts else {}
    return (
        f"A row is a label: {column['label']} of {column['annotator']} for {column['item']}; "
        f"other columns: {listed(rest)}."
    )


def texts_by_item(source: Source) -> dict[str, str]:
    """Read the texts that annotators saw, according to a source's options."""
    if source.format is not None:
        return source.export.texts
    text, item = source.options.text, source.columns.get("item")
    if text is None:
        return {}
    return read_texts(source.path, text, item=item, content=source.content.whole)


def _labels(
    source: Source,
    categories: Iterable[object] | None,
    scale: Scale | None,
    empty: Empty = "missing",
    missing: Collection[str] = (),
) -> tuple[Annotations, int]:
    """Read the labels of a table with one row per label, or of partitions, and count rows."""
    if source.partitions is None:
        columns = {role: source.columns.get(role) for role in ("item", "annotator", "label")}
        whole = source.content.whole
        return read_rows(source.path, columns, categories, scale, empty, missing, whole)
    labels = source.partitions.read()
    # Of ordinal categories the order may be passed over, and nothing else be changed.
    if categories is not None or scale not in (None, "nominal", labels.scale):
        raise AnnotationError(
            f"{source.path}: partitions have their scale and categories from `annobench "
            "partition`. "
            "Name neither here, or make the partitions again."
        )
    return labels if scale is None else replace(labels, scale=scale), labels.n_labels


class Distinction(NamedTuple):
    """What distinguishes the labels that an annotator gave one item.

    Attributes
    ----------
    sentence : str
        What the rows are; where `item` is not empty, up to the option that names it.
    item : str
        The columns that together name the items; empty if repeated labels are those of one item.
    are_spans : bool
        Whether rows are spans.
    """

    sentence: str = ""
    item: str = ""
    are_spans: bool = False

    @property
    def advice(self) -> str:
        """The sentence, with the option that names the items; empty if nothing distinguishes."""
        option = f" add --item {shlex.quote(self.item)}." if self.item else ""
        return f"{self.sentence}{option}"


def what_repeats(
    source: Source, labels: Annotations, *, empty: Empty = "missing", missing: Collection[str] = ()
) -> Distinction:
    """Find the columns that distinguish repeated labels: of spans, repetitions, or questions."""
    if source.content.is_folder:
        return Distinction()
    label, content = source.columns.get("label"), source.content.whole
    pair = labels.item.astype(np.int64) * labels.n_annotators + labels.annotator
    chosen, rest = _chosen_columns(source)
    items = [*(chosen.parts or [chosen.roles["item"]])]

    def cells(name: str) -> NDArray[np.object_]:
        return read_beside_labels(
            source.path, name, name, label=label, empty=empty, missing=missing, content=content
        )

    ends = [
        next((name for name in rest if pattern.fullmatch(plain_name(name))), None)
        for pattern in (_STARTS, _ENDS)
    ]
    if None not in ends:
        start, end = (pd.to_numeric(pd.Series(cells(str(name))), errors="coerce") for name in ends)
        if (start.le(end) & start.mod(1).eq(0) & end.mod(1).eq(0)).all():
            return Distinction(
                f"each row is a span, from {ends[0]!r} to {ends[1]!r} of {items[-1]!r}, and no "
                "label of an item. Agreement on spans is computed from exports such as brat's. To "
                "compare the labels of equal spans,",
                ",".join([*items, *map(str, ends)]),
                are_spans=True,
            )
    for name in rest:
        if ROUND_NAME.fullmatch(plain_name(name).strip("_")):
            together = pd.DataFrame([pair, pd.factorize(cells(name))[0]]).T
            if not together.duplicated().any():
                return Distinction(
                    f"Column {name!r} numbers repetitions of one item: --repeats first compares "
                    "the first of each."
                )
    for name in rest:
        codes, names = pd.factorize(cells(name))
        values = pd.DataFrame({"value": codes, "item": labels.item}).drop_duplicates()["value"]
        # Each question has several items; a time or a number of a row does not come again.
        few = 2 <= len(names) <= _MANY_QUESTIONS and values.value_counts().min() > 1
        if few and "" not in names and not pd.DataFrame([pair, codes]).T.duplicated().any():
            return Distinction(
                f"Column {name!r} distinguishes them: if it names questions or systems, keep the "
                "rows of one; or, to take each answer for an item,",
                ",".join([*items, name]),
            )
    return Distinction()


def _without_repeats(
    labels: Annotations, path: Path, repeats: Repeats, hint: str
) -> tuple[Annotations, NDArray[np.bool_], str]:
    """Reject, drop or keep repeated labels; return labels, a mask and a remark."""
    at = labels.first_repeat
    if at is None and repeats in ("error", "all"):
        return labels, np.ones(labels.n_labels, dtype=bool), ""
    again = repeated(labels.item, labels.annotator, labels.label, repeats)
    if repeats == "error" and at is not None:
        raise AnnotationError(
            f"{path}: {again.what}; such as annotator "
            f"{labels.annotators[labels.annotator[at]]!r}, item {labels.items[labels.item[at]]!r}. "
            "Keep one row of each; or keep one with --repeats first or --repeats last; or, if it "
            f"is a second round, give the annotator another name there.{hint}"
        )
    kept = ~again.is_repeat | (repeats == "all")
    chosen = labels if kept.all() else labels.select(labels=kept)
    return chosen, kept, f"{again.remark}{hint}"


def read_known_gold(
    source: Source, gold: str, *, selection: Selection | None = None
) -> dict[str, str]:
    """Read gold categories from a file of their own, a column, or the export itself."""
    path, item = source.path, source.columns.get("item")
    if Path(gold).is_file():
        return read_gold(gold, item=item)
    is_wide = source.format is not None and source.format.kind == "wide"
    own = ("export", source.options.gold) if is_wide else ("export",)
    if selection is not None and selection.gold and gold in own:
        return selection.gold
    if source.content.is_folder or gold == "export":
        raise ReaderError(
            f"--gold {gold}: no such file, and {path} holds no known answers. Name a file with one "
            "row per item."
        )
    if selection is not None and selection.gold and source.kind == "export":
        raise ReaderError(
            f"--gold {gold}: no such file, and {path} is an export, whose known answers are read "
            "with its labels. Use --gold export."
        )
    try:
        return read_gold(path, item=item, gold=gold, content=source.content.whole)
    except ReaderError as error:
        raise ReaderError(
            f"--gold {gold}: neither a file nor a usable column of {path}. {error}"
        ) from error


def read_groups(
    source: Source, by: str, selection: Selection
) -> tuple[Literal["items", "annotators"], list[str | None]]:
    """Read the group of each item or annotator, from a file with two columns or a column."""
    labels = selection.labels
    if Path(by).is_file():
        given = _groups_of_file(Path(by))
        people = {name: given[name] for name in selection.pseudonyms if name in given}
        given |= {selection.pseudonyms[name]: group for name, group in people.items()}
        kinds: dict[Literal["items", "annotators"], tuple[str, ...]] = {
            "items": labels.items,
            "annotators": labels.annotators,
        }
        known = {kind: sum(name in given for name in names) for kind, names in kinds.items()}
        kind = max(kinds, key=lambda each: known[each])
        if not known[kind]:
            raise ReaderError(
                f"--by {by}: its first column names no item or annotator of the labels. Name them "
                "as the labels do."
            )
        return kind, [given.get(name) for name in kinds[kind]]
    if source.format is not None or source.partitions is not None:
        try:
            of_item = texts_by_item(source.asking(text=by))
        except (AnnotationError, ReaderError) as error:
            raise ReaderError(str(error).replace("--text", "--by")) from error
        return "items", [of_item.get(name) for name in labels.items]
    columns = {name: source.columns.get(name) for name in ("item", "annotator")}
    of = read_groups_of_rows(source.path, by, columns, content=source.content.whole)
    for new, name in ((new, name) for name, new in selection.pseudonyms.items()):
        if name in of["annotators"]:
            of["annotators"][new] = of["annotators"][name]
    if not of["items"] and not of["annotators"]:
        raise ReaderError(
            f"--by {by}: items as well as annotators have several values there. Name a column that "
            "describes either items or annotators."
        )
    if of["items"]:
        return "items", [of["items"].get(name) for name in labels.items]
    return "annotators", [of["annotators"].get(name) for name in labels.annotators]


def _groups_of_file(path: Path) -> dict[str, str]:
    # Readers of workbooks and the like are loaded where they are needed.
    from annobench.io.formats.base import Source as FileSource
    from annobench.io.formats.containers import opened
    from annobench.io.formats.tables import as_text

    with opened(FileSource(path)) as tables:
        if len(tables) != 1 or len(tables[0].header) != 2:
            raise ReaderError(
                f"--by {path}: give a table of two columns, the names of items or annotators and "
                "their groups."
            )
        name, group = tables[0].header
        rows = [(as_text(row[name]), as_text(row[group])) for _, row in tables[0].rows(False)]
    given: dict[str, str] = {}
    for key, value in rows:
        if key and value and given.setdefault(key, value) != value:
            raise ReaderError(
                f"--by {path}: {key!r} is in the groups {given[key]!r} and {value!r}. Give it one."
            )
    return given
