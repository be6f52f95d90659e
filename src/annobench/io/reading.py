"""Labels from any file: a plain table of labels, or the export of another tool."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from annobench.core.errors import AnnotationError, ItemColumnWarning, ReaderError
from annobench.io.cells import cells_of
from annobench.io.formats.base import Source as FileSource
from annobench.io.formats.export import SELECTING, Selection
from annobench.io.long import gold_of, groups_of_rows, read_gold
from annobench.io.options import refuse_idle_options, takes_options
from annobench.io.source import Source
from annobench.labels.annotations import Annotations, Scale
from annobench.labels.frames import from_long

__all__ = ["read_labels", "select_labels"]


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
        path,
        item=item,
        annotator=annotator,
        label=label,
        categories=categories,
        scale=scale,
        question=question,
        **layout,
    )
    if source.kind in ("long", "partitions"):
        return select(source.asking(keep_names=True, repeats="all")).labels
    for guess in source.export.notes:
        warnings.warn(guess, ItemColumnWarning, stacklevel=2)
    return source.export.labels(question, categories=categories, scale=scale)


@takes_options()
def select_labels(path: str | Path, **options: Any) -> Selection:
    """Read labels as `read_labels` does, with a ledger of what was left out.

    Parameters
    ----------
    path : str or Path
        A table with one row per label, or the file or folder of an annotation tool.
    **options
        As of `Options`.

    Returns
    -------
    Selection
        The labels, gold categories and texts in the file, and the ledger.

    Raises
    ------
    ReaderError
        If the file is missing, empty, malformed or of an unknown format.
    AnnotationError
        If a question must be named, nothing is left, labels are repeated and `repeats` is "error",
        or an option has no effect.
    """
    return select(Source.of(path, **options))


def select(source: Source, **choices: Any) -> Selection:
    """Read the labels of a source, as `select_labels` does, also with other choices."""
    options = replace(source.options, **choices)
    selecting = {name: value for name, value in options.given().items() if name in SELECTING}
    if selecting:
        refuse_idle_options(str(source.path), source.kind, selecting)
    categories, scale = options.categories, options.scale
    # Of ordinal categories the order may be passed over, and nothing else be changed.
    if source.partitions is not None and (
        categories is not None or scale not in (None, "nominal", source.partitions.scale)
    ):
        raise AnnotationError(
            f"{source.path}: partitions have their scale and categories from `annobench "
            "partition`. Name neither here, or make the partitions again."
        )
    return source.export.select(
        options.question, **{name: getattr(options, name) for name in SELECTING}
    )


def read_known_gold(
    source: Source, gold: str, *, selection: Selection | None = None
) -> dict[str, str]:
    """Read gold categories from a file of their own, a column, or the export itself."""
    path, item = source.path, source.options.item
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
        return gold_of(cells_of(source.content), item, gold)
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
    table = source.export.table
    if table is None:
        try:
            of_item = source.asking(text=by).export.texts
        except (AnnotationError, ReaderError) as error:
            raise ReaderError(str(error).replace("--text", "--by")) from error
        return "items", [of_item.get(name) for name in labels.items]
    columns = {"item": source.options.item, "annotator": source.options.annotator}
    of = groups_of_rows(table, by, columns)
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
    cells = cells_of(FileSource(path))
    if len(cells.header) != 2:
        raise ReaderError(
            f"--by {path}: give a table of two columns, the names of items or annotators and "
            "their groups."
        )
    columns = map(cells.coded, cells.header)
    names, groups = ([[*c.names, ""][code] for code in c.codes.tolist()] for c in columns)
    given: dict[str, str] = {}
    for key, value in zip(names, groups, strict=True):
        if key and value and given.setdefault(key, value) != value:
            raise ReaderError(
                f"--by {path}: {key!r} is in the groups {given[key]!r} and {value!r}. Give it one."
            )
    return given
