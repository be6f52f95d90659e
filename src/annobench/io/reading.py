"""Labels from any file: a plain table of labels, or the export of another tool."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.exports.base import AnnotatorFrom, is_email
from annobench.io.exports.export import (
    Empty,
    GoldItems,
    Repeats,
    Selection,
    is_export,
    read_export,
)
from annobench.io.table import read_beside_labels, read_gold, read_table, read_texts
from annobench.labels.annotations import Annotations, Scale
from annobench.labels.partitions import PartitionedLabels, is_partitioned


def read_labels(
    path: str | Path,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
    question: str | None = None,
) -> Annotations:
    r"""Read labels from a table with one row a label, or from another tool's export.

    Parameters
    ----------
    path : str or Path
        A CSV, TSV or Parquet file with one row a label, or a file or folder that an annotation
        tool exported; which of them it is shows its content. A folder of partitions is read whole.
    item, annotator, label : str, optional
        Names of the columns of a table. By default the usual ones are recognised, such as
        `item_id`, `worker` and `response`.
    categories : iterable, optional
        All categories in their order; a label that is none of them is an error.
    scale : {"nominal", "ordinal", "interval", "set"}, optional
        What the order and distance of the labels mean; by default what the file says, and
        otherwise nominal.
    question : str, optional
        The question whose answers are the labels, if an export has several.

    Returns
    -------
    Annotations
        The labels. Of an export the finished answers, without those on control items; see
        `annobench.io.select_labels` for others, and for the ledger of what was left out.

    Raises
    ------
    ReaderError
        If the file is missing, empty, malformed, of an unknown format, or has malformed rows;
        names file, line and remedy, for up to ten faults at once.
    AnnotationError
        If a question has to be named, or an annotator answered twice for an item of an export.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("item,worker,response\nx,ann,yes\nx,bob,no\n")
    ...     read_labels(path)
    Annotations(1 items, 2 annotators, 2 categories, 2 labels, nominal)
    """
    if _is_export(path, (item, annotator, label)):
        export = read_export(path, question=question)
        return export.labels(question, categories=categories, scale=scale)
    if is_partitioned(path):
        return PartitionedLabels.open(path).read()
    return read_table(
        path, item=item, annotator=annotator, label=label, categories=categories, scale=scale
    )


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
    text: str | None = None,
    shown_first: str | None = None,
    keep_names: bool = False,
) -> Selection:
    """Read labels as `read_labels` does, with a ledger of what was left out.

    Parameters
    ----------
    path : str or Path
        A table with one row a label, or the file or folder of an annotation tool.
    item, annotator, label : str, optional
        Names of the columns of a table.
    categories : iterable, optional
        All categories in their order.
    scale : {"nominal", "ordinal", "interval", "set"}, optional
        What the order and distance of the labels mean.
    format : str, optional
        Name of the format, where the content may be of several.
    question : str, optional
        The question whose answers are the labels, if an export has several.
    annotator_from : {"person", "file", "session"}, optional
        Who counts as an annotator, in formats that leave a choice.
    status : collection of str, default ("done",)
        How far the work on an item must have come.
    repeats : {"error", "first", "last", "all"}, default "error"
        What to do if an annotator labelled an item more than once.
    gold_items : {"leave-out", "use"}, default "leave-out"
        What to do with control items.
    empty : {"missing", "category"}, default "missing"
        Whether an annotator who saw an item and chose nothing gave no label, or a category of
        its own.
    text : str, optional
        The column or field of the text that annotators saw.
    shown_first : str, optional
        Of comparisons of two answers: the column or field that says which was shown first.
    keep_names : bool, default False
        Whether people's names and e-mail addresses stay, in place of pseudonyms.

    Returns
    -------
    Selection
        The labels, gold categories and texts that the file holds, and the ledger.

    Raises
    ------
    ReaderError
        If the file is missing, empty, malformed or of an unknown format.
    AnnotationError
        If a question has to be named, nothing is left, or labels are repeated and `repeats` is
        "error".
    """
    if format is not None or _is_export(path, (item, annotator, label)):
        export = read_export(
            path,
            format=format,
            annotator_from=annotator_from,
            text=text,
            question=question,
            shown_first=shown_first,
            keep_names=keep_names,
        )
        return export.select(
            question,
            status=status,
            repeats=repeats,
            gold_items=gold_items,
            empty=empty,
            categories=categories,
            scale=scale,
        )
    if is_partitioned(path):
        labels = PartitionedLabels.open(path).read()
    else:
        labels = read_table(
            path, item=item, annotator=annotator, label=label, categories=categories, scale=scale
        )
    texts = {} if text is None else read_texts(path, text, item=item)
    first = None if shown_first is None else read_beside_labels(path, shown_first, label=label)
    steps = [("rows with a label", labels.n_labels, "")]
    remarks = []
    labels, kept, remark = _without_repeats(labels, Path(path), repeats)
    first = first if first is None else first[kept]
    dropped = int((~kept).sum())
    if dropped:
        steps.append((f"left out: repeated labels, of which the {repeats} is kept", dropped, ""))
        remarks.append(remark)
    people = [name for name in labels.annotators if is_email(name)]
    if people and not keep_names:
        width = len(str(len(people)))
        new = {name: f"person-{n:0{width}}" for n, name in enumerate(people, start=1)}
        names = tuple(new.get(name, name) for name in labels.annotators)
        labels = replace(labels, annotators=names)
        remarks.append(
            f"{len(new)} annotators with e-mail addresses got pseudonyms (person-1, ...); keep "
            "them with --keep-names."
        )
    steps.append(("labels", labels.n_labels, ""))
    ledger = pd.DataFrame(steps, columns=["what", "rows", "first"])
    return Selection(labels, label or "label", {}, texts, ledger, tuple(remarks), first)


def _is_export(path: str | Path, columns: tuple[str | None, ...]) -> bool:
    """Whether a file is an export: a folder, or of a known format while no columns are named."""
    path = Path(path)
    if is_partitioned(path):
        return False
    return path.is_dir() or (path.is_file() and not any(columns) and is_export(path))


def _without_repeats(
    labels: Annotations, path: Path, repeats: Repeats
) -> tuple[Annotations, NDArray[np.bool_], str]:
    """Refuse repeated labels or leave them out: the labels, which were kept, a remark."""
    at = labels.first_repeat
    if at is None or repeats == "all":
        return labels, np.ones(labels.n_labels, dtype=bool), ""
    pair = labels.item.astype(np.int64) * labels.n_annotators + labels.annotator
    which: Literal["first", "last"] = "last" if repeats == "last" else "first"
    repeated = pd.Series(pair).duplicated(keep=which).to_numpy()
    n_repeats = int(repeated.sum())
    rows = pd.DataFrame([labels.item, labels.annotator, labels.label]).T
    n_equal = int(rows.duplicated().sum())
    what = (
        f"{n_repeats:,} of {labels.n_labels:,} labels are not the annotator's first for the "
        f"item, {n_equal:,} of them the same label again"
    )
    if repeats == "error":
        raise AnnotationError(
            f"{path}: {what}; such as annotator {labels.annotators[labels.annotator[at]]!r}, item "
            f"{labels.items[labels.item[at]]!r}. Keep one row of each; or keep one with --repeats "
            "first or --repeats last; or, if it is a second round, give the annotator another "
            "name there."
        )
    return labels.select(labels=~repeated), ~repeated, f"{what}: the {repeats} was kept."


def read_known_gold(
    path: str | Path, gold: str, *, item: str | None = None, selection: Selection | None = None
) -> dict[str, str]:
    """Read gold categories from a file of their own, a column, or the export itself.

    Parameters
    ----------
    path : str or Path
        The file of the labels.
    gold : str
        A file of gold categories; or a column of the labels' file; or "export" for the known
        answers that an export holds.
    item : str, optional
        Column of the items.
    selection : Selection, optional
        What was read of the labels' file.

    Returns
    -------
    dict of str to str
        The gold category of each item that has one.

    Raises
    ------
    ReaderError
        If there is no such file or column, it is malformed, or an item has two gold categories.
    """
    if Path(gold).is_file():
        return read_gold(gold, item=item)
    if selection is not None and selection.gold and gold == "export":
        return selection.gold
    if Path(path).is_dir() or gold == "export":
        raise ReaderError(
            f"--gold {gold}: no such file, and {path} holds no known answers. Name a file with one "
            "row an item."
        )
    try:
        return read_gold(path, item=item, gold=gold)
    except ReaderError as error:
        raise ReaderError(
            f"--gold {gold}: neither a file nor a usable column of {path}. {error}"
        ) from error
