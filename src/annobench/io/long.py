"""Tables with a row per label, and tables with a row per item, from any container."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.core.errors import MAX_FAULTS, ReaderError, report_faults
from annobench.io._columns import ChosenColumns, Column
from annobench.io.cells import Cells, cells_of
from annobench.io.formats.base import ExportFormat, Intake, Source
from annobench.io.formats.tables import TEXT_NAMES, as_list, scalar
from annobench.labels.columns import GOLD_NAMES, named_columns, plain_name

__all__ = ["read_gold"]


def _read(source: Source, intake: Intake) -> None:
    intake.begin("", "row")
    read_long(cells_of(source), intake)


LONG = ExportFormat(
    name="long",
    title="a row per label",
    note="Columns of items, annotators and labels.",
    recognise=lambda source: None,
    read=_read,
    kind="long",
)


def read_long(cells: Cells, intake: Intake) -> None:
    """Push the label of every row.

    Parameters
    ----------
    cells : Cells
        The table.
    intake : Intake
        Where its labels go; its options name columns.

    Raises
    ------
    ReaderError
        If a column is missing, or a row has no item or no annotator.
    """
    options = intake.options
    chosen, columns = cells.columns(options.roles)
    item, annotator, label = (columns[role] for role in ("item", "annotator", "label"))
    if not label.codes.size:
        raise ReaderError(f"{cells.path}: a header but no rows. Give one row per label.")
    is_empty = (item.codes < 0) & (annotator.codes < 0) & (label.codes < 0)
    _refuse_unnamed(cells, item.codes < 0, annotator.codes < 0, is_empty)
    intake.read(label.codes.size)
    if is_empty.any():
        intake.leave_out(int(np.argmax(is_empty)) + 1, "empty rows", int(is_empty.sum()))
    question = chosen.roles["label"]
    beside = {
        role: _beside(cells, name, option)
        for role, option, name in (
            ("first", "--shown-first", options.shown_first),
            ("time", "--over", options.over),
        )
        if name is not None
    }
    if options.over is not None:
        intake.time_fields[options.over] = None
    declared = cells.declared(question)
    rows = ~is_empty if is_empty.any() else slice(None)
    intake.rows(
        question,
        where=np.arange(1, label.codes.size + 1, dtype=np.int32)[rows],
        item=(item.names, item.codes[rows]),
        annotator=(annotator.names, annotator.codes[rows]),
        label=(_labels(label.names) if cells.has_lists else label.names, label.codes[rows]),
        **{role: (column.names, column.codes[rows]) for role, column in beside.items()},
    )
    if "categories" in declared:
        intake.question(question, "choice", declared["categories"])
    intake.declared |= {name: value for name, value in declared.items() if value is not None}
    text, gold = options.text, None
    if text is not None:
        intake.asked_text((text,))
    if cells.has_lists:  # of other files these would take time, and are read if asked for
        names = {plain_name(name): name for name in reversed(cells.header)}
        text = text or next((names[name] for name in TEXT_NAMES if name in names), None)
        gold = next((names[name] for name in GOLD_NAMES if name in names), None)
    if text is not None:
        for name, cell in _first_by_item(item, _beside(cells, text, "--text")).items():
            intake.text(name, cell)
    if gold not in (None, question):
        for name, cell in _first_by_item(item, _beside(cells, gold, "--gold")).items():
            intake.gold(name, question, cell)
    intake.tables.append(cells)
    intake.read_as = _said_of_columns(cells, chosen)


def _beside(cells: Cells, name: str, option: str) -> Column:
    _, columns = cells.columns({option: name})
    return columns[option]


def _labels(names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return labels, of which lists are several options."""
    lists = map(as_list, names)
    return tuple(
        name if options is None else frozenset(map(scalar, options))
        for name, options in zip(names, lists, strict=True)
    )


def _first_by_item(item: Column, column: Column) -> dict[str, str]:
    rows = np.flatnonzero((item.codes >= 0) & (column.codes >= 0))
    items, first = np.unique(item.codes[rows], return_index=True)
    texts = column.codes[rows[first]]
    return {item.names[i]: column.names[t] for i, t in zip(items, texts, strict=True)}


def _refuse_unnamed(
    cells: Cells,
    no_item: NDArray[np.bool_],
    no_annotator: NDArray[np.bool_],
    is_empty: NDArray[np.bool_],
) -> None:
    """Report rows without an item or an annotator."""
    unnamed = (no_item | no_annotator) & ~is_empty
    rows = np.flatnonzero(unnamed)
    if not rows.size:
        return
    where = cells.lines()
    faults = []
    for n in rows[: MAX_FAULTS + 1]:
        roles = [role for role, no in (("item", no_item), ("annotator", no_annotator)) if no[n]]
        faults.append(f"{where[n]}: {' and '.join(f'no {role}' for role in roles)}")
    faults += [""] * (rows.size - len(faults))
    # Of cells that were merged only the first holds what stood in all.
    is_merged = not unnamed[0] and unnamed.mean() >= 1 / 3
    remedy = "If cells were merged, unmerge them, and write the name into every row."
    report_faults(cells.path, faults, remedy if is_merged else "Correct these rows.")


def _said_of_columns(cells: Cells, chosen: ChosenColumns) -> str:
    """Report the unused columns."""
    rest = [name for name in cells.header if name and name not in chosen.names]
    if not rest:
        return ""
    column = {role: repr(name) for role, name in chosen.roles.items()}
    column |= {"item": " and ".join(map(repr, chosen.parts))} if chosen.parts else {}
    return (
        f"A row is a label: {column['label']} of {column['annotator']} for {column['item']}; "
        f"other columns: {named_columns(rest, most=10)}."
    )


def groups_of_rows(
    cells: Cells, by: str, wanted: Mapping[str, str | None]
) -> dict[str, dict[str, str]]:
    """Read the groups in a column, of items and of annotators; none where one has several."""
    _, columns = cells.columns({**wanted, "--by": by})
    groups = columns["--by"]
    groups_of: dict[str, dict[str, str]] = {}
    for role in ("item", "annotator"):
        names = columns[role]
        filled = (names.codes >= 0) & (groups.codes >= 0)
        pairs = np.unique(np.column_stack([names.codes[filled], groups.codes[filled]]), axis=0)
        one_each = np.unique(pairs[:, 0]).size == len(pairs)
        pairs = pairs if one_each else pairs[:0]
        groups_of[f"{role}s"] = {names.names[i]: groups.names[g] for i, g in pairs.tolist()}
    return groups_of


def read_gold(
    path: str | Path, *, item: str | None = None, gold: str | None = None
) -> dict[str, str]:
    r"""Read a gold standard: a table with a header and one row per item.

    Parameters
    ----------
    path : str or Path
        CSV, TSV, Parquet, a workbook of one sheet, or JSON with one record per item; an empty cell
        means that there is no gold category.
    item : str, optional
        Name of the column of the items; by default usual names are recognised.
    gold : str, optional
        Name of the column of the gold categories; by default `gold`, `truth`, `label` and the
        like are recognised.

    Returns
    -------
    dict of str to str
        Gold categories by item; 5.0 becomes 5.

    Raises
    ------
    ReaderError
        As for `annobench.read_labels`, and if an item has two gold categories.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "gold.csv")
    ...     _ = path.write_text("item,gold\nx,yes\ny,\n")
    ...     read_gold(path)
    {'x': 'yes'}
    """
    path = Path(path)
    if not path.is_file():
        kind = "is a folder" if path.is_dir() else "does not exist"
        raise ReaderError(f"{path}: {kind}. Give the path of a table of gold categories.")
    return gold_of(cells_of(Source(path)), item, gold)


def gold_of(cells: Cells, item: str | None, gold: str | None) -> dict[str, str]:
    """Read gold categories by item from columns of a table."""
    _, columns = cells.columns({"item": item, "gold": gold})
    golds: dict[str, str] = {}
    faults: list[tuple[int, str]] = []
    for row, (i, k) in enumerate(zip(columns["item"].codes, columns["gold"].codes, strict=True)):
        if i < 0:
            faults.append((row, "no item"))
        elif k >= 0:
            name, category = columns["item"].names[i], columns["gold"].names[k]
            if golds.setdefault(name, category) != category:
                above = golds[name]
                faults.append((row, f"item {name!r} is {category!r} here and {above!r} above"))
    if faults:
        where = cells.lines()
        texts = [f"{where[row]}: {text}" for row, text in faults]
        report_faults(cells.path, texts, "Correct these rows: an item has one gold category.")
    return golds
