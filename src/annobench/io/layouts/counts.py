"""One row per item, with numbers of annotators by category: in columns, or in one cell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence, Set
from itertools import combinations, pairwise
from typing import Any

from annobench.core.errors import ReaderError
from annobench.core.names import MadeName, Name, joined
from annobench.io.formats.base import Intake
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    GOLD_NAMES,
    ITEM_NAMES,
    TEXT_NAMES,
    Layout,
    Table,
    as_mapping,
    as_text,
    listed_columns,
    push_text,
    row_name,
)
from annobench.io.layouts._last_rows import LastRows
from annobench.io.layouts._said import listed, said_of_columns
from annobench.labels.column_kinds import has_thousands, number_of, unlike_labels
from annobench.labels.columns import LESS_USUAL_NAMES, RESOLVED_NAMES, USUAL_NAMES, plain_name
from annobench.labels.item_column import names_annotator, total_of_rows

#: Names of the columns of a table with a row per item and category.
_COUNT_NAMES = ("count", "counts", "n", "votes", "freq", "frequency", "n_annotators")
_CATEGORY_NAMES = (*USUAL_NAMES["label"], *LESS_USUAL_NAMES["label"])

#: Rows from which a column may be said to follow from the others.
_MIN_ROWS = 5

#: Probability that cells in another order would follow from the others, too.
_COINCIDENCE = 0.001

#: What the counts answer.
QUESTION = "label"


def _recognise(table: Table) -> str | None:
    """Return the variant: cells of counts, or columns whose rows have equal sums."""
    if cells := _in_cells(table):
        return f"counts in {', '.join(cells)}"
    if _long_columns(table) is not None:
        return "a row per item and category"
    if table.column(ANNOTATOR_NAMES) is not None:
        return None
    columns = _columns(table, None, _are_all_counts)
    total = total_of_rows({name: _cells(table, name) for name in columns})
    return None if total is None else f"{total} labels an item"


def _cells(table: Table, name: str) -> list[str]:
    return [as_text(row.get(name, "")) for row in table.preview]


def _long_columns(table: Table) -> tuple[str, str, str] | None:
    """Return the columns of item, category and count, if a row counts one category of an item."""
    if table.column(ANNOTATOR_NAMES) is not None:
        return None
    count, category = table.column(_COUNT_NAMES), table.column(_CATEGORY_NAMES)
    item = table.column(ITEM_NAMES)
    if item is None or category is None or count is None or not may_count(table, [count]):
        return None
    if _counts_rows(_cells(table, count)):
        return None
    pairs = [(as_text(row[item]), as_text(row[category])) for row in table.preview]
    return (item, category, count) if len(set(pairs)) == len(pairs) else None


def _in_cells(table: Table) -> list[str]:
    """Return the columns whose cells name categories with their counts."""
    found = []
    for name in table.header:
        cells = [as_mapping(row.get(name, "")) for row in table.preview if row.get(name)]
        if cells and all(cell is not None and _are_counts(cell) for cell in cells):
            found.append(name)
    return found


def _are_counts(cell: dict[str, Any]) -> bool:
    return bool(cell) and all(
        isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in cell.values()
    )


def _columns(table: Table, item: str | None, is_fit: Callable[[list[str]], bool]) -> list[str]:
    """Return the columns whose cells fit that are no item, total or annotator."""
    items = {*listed_columns(item, table.header), table.column((*ITEM_NAMES, ""))}
    cells = {
        name: _cells(table, name)
        for name in table.header
        if name not in items and plain_name(name) not in {*TEXT_NAMES, *GOLD_NAMES, *RESOLVED_NAMES}
    }
    unlike = unlike_labels(cells)
    whole = [
        name
        for name, own in cells.items()
        if name not in unlike and own and is_fit(own) and not names_annotator(name)
    ]
    # An item may be numbered in a column without a usual name, if no other names it.
    running = [name for name in whole if _counts_rows(cells[name])]
    if len(running) == 1 and items <= {None}:
        whole = [name for name in whole if name not in running]
    return _but_results({name: list(map(_count, cells[name])) for name in whole})


def _but_results(counts: dict[str, list[float]]) -> list[str]:
    """Leave out the sum of other columns, and the number of the largest of them."""
    names = list(counts)
    rows = list(zip(*counts.values(), strict=True))
    if len(names) < 3 or len(rows) < _MIN_ROWS:
        return names
    for total in names:
        if parts := _parts(counts, total):
            return parts
    if len({sum(row) for row in rows}) == 1:
        return names
    for result in names:
        parts = [name for name in names if name != result]
        if any(_numbers_largest(counts, result, parts, start) for start in (0, 1)):
            return parts
    return names


def _parts(counts: dict[str, list[float]], total: str) -> list[str] | None:
    """Return the columns of which one is the sum in every row, but for at most two results."""
    whole = counts[total]
    others = [name for name in counts if name != total]
    # Two and more annotators of every item are their number's sum in all rows.
    is_constant = min(whole) == max(whole) > 1
    if not is_constant and _is_coincidence(whole, [{n} for n in whole]):
        return None
    for n_further in range(min(3, len(others) - 1)):
        for further in combinations(others, n_further):
            parts = [name for name in others if name not in further]
            sums = map(sum, zip(*(counts[name] for name in parts), strict=True))
            if list(sums) == whole and sum(any(counts[name]) for name in parts) > 1:
                return parts
    return None


def _numbers_largest(
    counts: dict[str, list[float]], result: str, parts: list[str], start: int
) -> bool:
    """Return whether a column says which of the others has the most in its row."""
    rows = zip(*(counts[name] for name in parts), strict=True)
    largest: list[set[float]] = [
        {k for k, n in enumerate(row, start) if n == max(row)} for row in rows
    ]
    chosen = counts[result]
    is_result = all(n in possible for n, possible in zip(chosen, largest, strict=True))
    return is_result and not _is_coincidence(chosen, largest)


def _is_coincidence(column: list[float], possible: Sequence[Set[float]]) -> bool:
    """Return whether a column's cells, drawn anew for each row, would often be possible ones."""
    shares = Counter(column)
    chance = math.prod(sum(shares[n] for n in cells) / len(column) for cells in possible)
    return chance > _COINCIDENCE


def find_total(table: Table) -> str | None:
    """Return the column that is the sum of others in every row, as of numbers of annotators."""
    cells = {name: _cells(table, name) for name in table.header}
    counts = {
        name: list(map(_count, own))
        for name, own in cells.items()
        if name and any(own) and _are_all_counts(own) and not _counts_rows(own)
    }
    if len(counts) < 3 or len(table.preview) < _MIN_ROWS:
        return None
    return next((name for name in counts if _parts(counts, name)), None)


def may_count(table: Table, columns: list[str]) -> bool:
    """Return whether columns may have numbers of annotators, although row sums differ."""
    cells = [cell for name in columns for cell in _cells(table, name)]
    return any(cells) and all(map(_is_count, cells)) and not any(map(names_annotator, columns))


def has_zeros(table: Table, columns: list[str]) -> bool:
    """Return whether a category was chosen by nobody for some item, as is usual."""
    return any(not cell or not number_of(cell) for name in columns for cell in _cells(table, name))


def _is_count(cell: str) -> bool:
    number = number_of(cell) if cell else 0.0
    return number >= 0 and number.is_integer() and not has_thousands(cell)


def _count(cell: str) -> float:
    return number_of(cell) if cell and _is_count(cell) else 0.0


def _are_all_counts(cells: list[str]) -> bool:
    return all(map(_is_count, cells))


def _are_mostly_counts(cells: list[str]) -> bool:
    given = [cell for cell in cells if cell]
    return 2 * sum(map(_is_count, given)) > len(given) or not given


def _hint(cell: str) -> str:
    return ": write it without the point" if has_thousands(cell) else ""


def _counts_rows(cells: list[str]) -> bool:
    numbers = [number_of(cell) for cell in cells]
    return len(cells) > 3 and all(b == a + 1 for a, b in pairwise(numbers))


def _read(table: Table, intake: Intake) -> None:
    """Push as many labels as each cell counts."""
    intake.anonymous = True
    if long := _long_columns(table):
        _read_long(table, intake, *long)
        return
    in_cells = _in_cells(table)
    # Of columns of counts a cell may be wrong; the row is then at fault, not the column.
    gold = intake.options.gold
    columns = [] if in_cells else _columns(table, intake.options.item, _are_mostly_counts)
    columns = [name for name in columns if name != gold]
    if len(columns) < 2 and not in_cells:
        raise ReaderError(
            f"{table.path}: no table of counts: neither two columns of whole numbers beside that "
            "of the items, nor one of categories with their counts. Give a column to each category."
        )
    if gold is not None:
        _refuse_numbers(table, gold, columns)
    item = listed_columns(intake.options.item, table.header) or _item(table, columns)
    if columns:
        intake.question(QUESTION, "choice", columns)
    last = LastRows(item, [*columns, *in_cells], table.preview)
    for where, row in last.of_items(table.rows(False)):
        intake.read()
        parts = [as_text(row[name]) for name in item]
        name: Name = joined(parts, " / ") if parts else row_name(table, where)
        if not all(parts):
            intake.leave_out(where, "rows without an item")
            continue
        counts = _counts(row, columns, in_cells)
        wrong = next((n for own in counts.values() for n in own.values() if not _is_count(n)), None)
        if wrong is not None:
            intake.fault(where, f"{wrong!r} is not a number of annotators{_hint(wrong)}")
            continue
        if not any(number_of(n) for own in counts.values() for n in own.values() if n):
            intake.leave_out(where, "rows without labels")
            continue
        push_text(table, intake, name, row)
        for question, own in counts.items():
            if gold is not None and row[gold]:
                intake.gold(name, question, as_text(row[gold]))
            _push(intake, name, question, own, where)
    last.leave_out(intake)
    intake.read_as = said_of_columns(
        table,
        item=item,
        annotators=(),
        questions=in_cells,
        gold=gold,
        unused={},
        used={*columns, *in_cells},
    ).replace("annotators: ", f"annotators unknown; categories: {_named(columns)}")
    if intake.options.format is None and columns:
        intake.notes.append(
            "The numbers of every row have the same sum: they were read as numbers of annotators, "
            "and the columns as categories. If each column is an annotator's, name them with "
            "--annotators."
        )


def _refuse_numbers(table: Table, gold: str, columns: list[str]) -> None:
    """Refuse known categories that are none of the columns of categories."""
    if gold not in table.header:
        raise ReaderError(
            f"{table.path}: no column is called {gold!r}, given with gold=. Name one of "
            f"{listed(table.header)}."
        )
    golds = {cell for cell in _cells(table, gold) if cell}
    if columns and not golds & set(columns):
        raise ReaderError(
            f"{table.path}: {gold!r}, given with gold=, holds {listed(sorted(golds))}, and none of "
            f"the categories {listed(columns)}. Write their names there, or leave gold= out."
        )


def _read_long(table: Table, intake: Intake, item: str, category: str, count: str) -> None:
    """Push as many labels as each row counts of its category."""
    seen: Counter[str] = Counter()
    known: set[tuple[str, str]] = set()
    gold = table.column(GOLD_NAMES)
    for where, row in table.rows(False):
        intake.read()
        name, chosen, n = (as_text(row[column]) for column in (item, category, count))
        if not name or not chosen:
            intake.leave_out(where, "rows without an item or a category")
        elif not _is_count(n):
            intake.fault(where, f"{n!r} is not a number of annotators{_hint(n)}")
        elif (name, chosen) in known:
            intake.fault(where, f"item {name!r} and category {chosen!r} were counted above")
        elif not n or not number_of(n):
            intake.leave_out(where, "rows that count nobody")
        else:
            push_text(table, intake, name, row)
            if gold is not None and row[gold]:
                intake.gold(name, category, as_text(row[gold]))
            for _ in range(int(number_of(n))):
                seen[name] += 1
                intake.answer(name, MadeName(str(seen[name])), category, chosen, where=where)
        known.add((name, chosen))
    intake.read_as = (
        f"A row is an item and a category, named by {item!r} and {category!r}; {count!r} is the "
        "number of annotators who chose it; annotators unknown."
    )


def _named(columns: list[str]) -> str:
    return ", ".join(map(repr, columns)) if columns else "in the cells"


def _item(table: Table, columns: list[str]) -> tuple[str, ...]:
    plain = [name for name in table.header if not any(map(as_mapping, _cells(table, name)))]
    by_name = {plain_name(name): name for name in reversed(plain)}
    usual = next((by_name[name] for name in (*ITEM_NAMES, "") if name in by_name), None)
    if usual is not None:
        return (usual,)
    rest = [
        name for name in table.header if name not in columns and plain_name(name) not in GOLD_NAMES
    ]
    only = [name for name in rest if len({*_cells(table, name)}) == len(table.preview)]
    return tuple(only[:1])


def _counts(
    row: dict[str, Any], columns: list[str], in_cells: list[str]
) -> dict[str, dict[str, str]]:
    """Return the counts of a row, by question and category, as texts."""
    if columns:
        return {QUESTION: {name: as_text(row[name]) for name in columns}}
    found = {}
    for name in in_cells:
        cell = as_mapping(row[name]) if row[name] else {}
        if cell is None:
            found[name] = {"": as_text(row[name])}
        else:
            found[name] = {category: as_text(str(n)) for category, n in cell.items()}
    return found


def _push(intake: Intake, item: Name, question: str, counts: dict[str, str], where: int) -> None:
    turn = 0
    for category, n in counts.items():
        for _ in range(int(number_of(n)) if n else 0):
            turn += 1
            intake.answer(item, MadeName(str(turn)), question, category, where=where)


LAYOUT = Layout(
    name="counts",
    title="counts of labels",
    note=(
        "A row is an item, and its cells are numbers of annotators by category; annotators are "
        "unknown."
    ),
    recognise=_recognise,
    read=_read,
    kind="wide",
    records=True,
)
FORMAT = as_format(LAYOUT)
