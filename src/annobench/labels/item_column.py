"""Find the column of item names in a table with one column per annotator.

If an id column is read as an annotator, every coefficient is wrong, so wide tables are always
checked for one. Distinct values alone are no evidence: ten items scored from 0 to 100 may all have
different labels.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import pandas as pd

from annobench.core.errors import AnnotationError
from annobench.labels.column_kinds import number_of, unlike_labels
from annobench.labels.columns import (
    GOLD_NAMES,
    ITEM_NAMES,
    RESOLVED_NAMES,
    named_columns,
    plain_name,
)

__all__ = ["ItemColumn"]

#: Rows of a table that are looked at.
ROWS = 1_000

#: Fewer consecutive numbers may well be labels.
_MIN_RUNNING = 5

#: Names that say "annotator number so and so"; of the answers to several questions they would
#: not be numbered labels or ratings.
_WORDS = (
    "annotator|annot|ann|rater|coder|worker|judge|labell?er|expert|reviewer|turker|crowd|assessor"
    "|grader|user|person|human"
)
_NUMBERED = re.compile(
    r"(?:(?:label|rating|score|annotation|vote|class)s?_)?(?:by_)?"
    rf"(?:(?:{_WORDS})(?:_?\d+|_[a-z])"
    r"|(?:label|rating|vote|annotation)_?\d+|[arcj]\d+)(?:_(?:label|rating|score|vote)s?)?"
)
#: Such as raterA; "Anna" and "raters" are none.
_LETTERED = re.compile(rf"(?i:{_WORDS})[A-Z]")

#: What items of questionnaires are called, and some annotators.
_SCALE_ITEM = re.compile(r"[a-z]\d+")

#: Rows in which a column sides with most of the others, from which it is no coincidence.
_MIN_DECIDED = 10

#: What names the items where no column does.
_INDEX = object()

#: What pandas calls a column or an index without a name.
_UNNAMED = re.compile(r"(?:unnamed:_\d+|__index_level_\d+__)?")


@dataclass(frozen=True)
class ItemColumn:
    """The column that names the items of a table.

    Attributes
    ----------
    name : hashable or None
        The column; None if there is none.
    note : str
        Why it is identified as the item column, if not by its name.
    doubt : str
        The possible readings, and how to choose one; empty if there is only one.
    idle : tuple of hashable
        Unnamed columns that are empty or count the rows.
    resolved : tuple of hashable
        Columns of known or adjudicated labels, by their names, or else by their cells.
    concluded : tuple of hashable
        Those of them that only their cells show to be so.
    unlike : mapping of hashable to str
        Contents of further columns without labels: "times".
    doubtful : tuple of hashable
        The columns in doubt.
    """

    name: Hashable | None = None
    note: str = ""
    doubt: str = ""
    idle: tuple[Hashable, ...] = ()
    resolved: tuple[Hashable, ...] = ()
    concluded: tuple[Hashable, ...] = ()
    unlike: Mapping[Hashable, str] = field(default_factory=dict)
    doubtful: tuple[Hashable, ...] = ()

    @property
    def left_out(self) -> set[Hashable]:
        """The columns that are neither annotators' nor the items'."""
        return {*self.idle, *self.resolved, *self.unlike}

    @property
    def notes(self) -> list[str]:
        """All guesses, for the user to confirm."""
        found = [self.note] if self.note else []
        for name in self.concluded:
            found.append(
                f"Column {name!r} equals each of the others more often than they equal one "
                "another, as a majority or an adjudicated label does: it was not read as an "
                f'annotator. Compare annotators with it by gold="{name}", or name all columns of '
                "annotators if it is one."
            )
        if by_name := [name for name in self.resolved if name not in self.concluded]:
            shown = ", ".join(map(repr, by_name))
            found.append(
                f"By its name {shown} has known or adjudicated labels: it was not read as an "
                "annotator. Rename the column if it is one."
                if len(by_name) == 1
                else f"By their names {shown} have known or adjudicated labels: they were not read "
                "as annotators. Rename a column if it is one."
            )
        if self.unlike:
            listed = ", ".join(f"{name!r} ({what})" for name, what in self.unlike.items())
            found.append(
                f"Not read as annotators: {listed}. If they are, name the annotators' columns."
            )
        return found


def names_annotator(column: object) -> bool:
    """Return whether a column's name is that of a numbered annotator."""
    text = str(column).strip()
    is_lettered = _LETTERED.fullmatch(text) is not None and not text.isupper()
    return is_lettered or _NUMBERED.fullmatch(plain_name(column)) is not None


def find_item_column(
    cells: Mapping[Any, Sequence[str]], item: Hashable | None = None, *, of: str = "annotator"
) -> ItemColumn:
    """Find the column that names the items."""
    by_name = {plain_name(name): name for name in reversed(list(cells))}
    named = item
    if named is None:
        named = next((by_name[name] for name in ITEM_NAMES if name in by_name), None)
    if of == "annotator":
        others = {name: own for name, own in cells.items() if name != named}
        resolved = resolved_columns(list(others))
        concluded = () if resolved else concluded_column(others)
        resolved = resolved or concluded
        unlike = unlike_labels({n: own for n, own in others.items() if not names_annotator(n)})
        unlike = {name: what for name, what in unlike.items() if name not in resolved}
        if named is None and (only := _only_name(unlike, cells)) is not None:
            del unlike[only]
        if resolved or unlike:
            rest = {n: own for n, own in cells.items() if n not in unlike and n not in resolved}
            inner = find_item_column(rest, item)
            return replace(
                inner,
                resolved=(*resolved, *inner.resolved),
                concluded=(*concluded, *inner.concluded),
                unlike={**unlike, **inner.unlike},
            )
    columns = [_Column(name, cells[name]) for name in cells if name != named]
    idle = tuple(
        each.name
        for each in columns
        if _is_unnamed(each.name) and (not each.distinct or (named is not None and each.is_running))
    )
    columns = [each for each in columns if each.distinct and each.name not in idle]
    if item is not None:
        return ItemColumn(item, idle=idle)
    found = _signs(columns)
    if named is not None:
        numbering = _numbering(columns, cells[named])
        if numbering is not None:
            return ItemColumn(
                named,
                doubt=f"Column {numbering!r} numbers the rows of each {named!r}. If both name the "
                f"items, join them in one column item; if {numbering!r} is that of one {of}, say "
                f"{_choice(named)}.",
                idle=idle,
            )
        doubt = (
            f"{_listed(found)}. Is it that of one {of}? If not, leave it out, as {named!r} names "
            f"the items; if it is, say {_choice(named)}."
        )
        return ItemColumn(named, doubt=doubt if found else "", idle=idle, doubtful=tuple(found))
    n_others = len(columns) - 1
    if len(found) == 1 and n_others > 1:
        [name] = found
        note = (
            f"{_listed(found)}: it is taken for the names of the items. Say {_choice(name)} if "
            f"that is right; if it is that of one {of}, add a column item."
        )
        return ItemColumn(name, note, idle=idle)
    found = found or (_weak_signs(columns) if of == "annotator" else {})
    if not found:
        return ItemColumn(idle=idle)
    name = next(iter(found))
    return ItemColumn(
        doubt=f"{_listed(found)}. Does {name!r} name the items, which leaves "
        f"{_counted(n_others, of)}? Then say {_choice(name)}. Or is it that of one of "
        f"{_counted(n_others + 1, of)}? Then add a column item with the names of the items.",
        idle=idle,
        doubtful=(name,),
    )


def resolved_columns(columns: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return the columns that hold known or adjudicated labels by their names.

    The names may have a word in common with those of two others, as label_ann, label_ben and
    label_gold; where several would be adjudicated by that, each is a round of an annotator.
    """
    known = {*GOLD_NAMES, *RESOLVED_NAMES}
    plain = {name: plain_name(name) for name in columns}
    found = [name for name in columns if plain[name] in known]
    if not found:
        heads = Counter(name.partition("_")[0] for name in plain.values())
        tails = Counter(name.rpartition("_")[2] for name in plain.values())
        found = [
            name
            for name, own in plain.items()
            for (head, _, rest), (begin, _, tail) in [(own.partition("_"), own.rpartition("_"))]
            if (rest in known and heads[head] > 2) or (begin in known and tails[tail] > 2)
        ]
        found = found if len(found) == 1 else []
    return tuple(found) if len(columns) - len(found) > 1 else ()


def concluded_column(cells: Mapping[Any, Sequence[str]]) -> tuple[Hashable, ...]:
    """Return the column that by its cells is what the labels of the others were resolved to.

    It equals each of the others more often than any two of them are equal, and the label of most
    of them in nearly all rows where they disagree. Two others leave no majority where they
    disagree: it then equals them where they agree, and each of them more often by a margin.
    """
    every = [_Column(name, column) for name, column in cells.items()]
    columns = [
        column
        for column in every
        if not column.never_repeats
        and any(len(column.distinct & other.distinct) > 1 for other in every if other is not column)
    ]
    if len(columns) < 3 or any(names_annotator(column.name) for column in columns):
        return ()
    rows = [row for row in zip(*(column.cells for column in columns), strict=True) if all(row)]
    if len(rows) < _MIN_DECIDED:
        return ()
    pairs = combinations(range(len(columns)), 2)
    equal = {pair: sum(row[pair[0]] == row[pair[1]] for row in rows) / len(rows) for pair in pairs}
    margin, least = (0.1, 2 * _MIN_DECIDED) if len(columns) == 3 else (0.0, _MIN_DECIDED)
    for k, column in enumerate(columns):
        with_it = min(share for pair, share in equal.items() if k in pair)
        without_it = max(share for pair, share in equal.items() if k not in pair)
        if with_it - without_it <= margin:
            continue
        decided = []
        for row in rows:
            votes = Counter(row[:k] + row[k + 1 :]).most_common(2)
            agree = len(votes) == 1
            if agree if len(columns) == 3 else not agree and votes[0][1] > votes[1][1]:
                decided.append(row[k] == votes[0][0])
        if len(decided) >= least and sum(decided) >= 0.95 * len(decided):
            return (column.name,)
    return ()


def is_short(column: Hashable) -> bool:
    """Return whether a column's name is a letter and a number, as A1."""
    return _SCALE_ITEM.fullmatch(plain_name(column)) is not None


def is_of_questionnaire(columns: Sequence[Hashable]) -> bool:
    """Return whether columns are named A1, A2, C1, C2, like items of several scales."""
    letters = [plain_name(name)[0] for name in columns if is_short(name)]
    return len(letters) == len(columns) > 2 and len(set(letters)) > 1


def total_of_rows(cells: Mapping[Any, Sequence[str]]) -> int | None:
    """Return the common row sum, if the numbers may be counts of annotators.

    They are whole, some are 0 and some above 1, no column is named like an annotator's, and at
    least three rows have the same sum.
    """
    if len(cells) < 2 or any(map(names_annotator, cells)):
        return None
    rows = [[number_of(cell) for cell in row] for row in zip(*cells.values(), strict=True)]
    numbers = {n for row in rows for n in row}
    totals = {sum(row) for row in rows}
    is_whole = all(n >= 0 and n.is_integer() for n in numbers)
    if len(rows) < 3 or not is_whole or 0 not in numbers or max(numbers) < 2 or len(totals) > 1:
        return None
    return int(totals.pop())


def said_of_counts(cells: Mapping[Any, Sequence[str]], *, in_python: bool = False) -> str:
    """Explain why columns may be categories, and cells numbers of annotators."""
    total = total_of_rows(cells)
    if total is None:
        return ""
    counts, columns = "add --counts", "name them with --annotators, separated by commas"
    if in_python:
        counts = "call Annotations.from_counts"
        columns = "name them annotator_1, annotator_2, and so on"
    return (
        f"The numbers of every row sum to {total}. If the columns are categories, and the cells "
        f"numbers of annotators, {counts}. If each column is an annotator's, "
        f"{columns}."
    )


def with_items(
    frame: pd.DataFrame, item: Hashable | None, name: str, *, of: str = "annotator"
) -> tuple[pd.DataFrame, str]:
    """Move the names of the items of a data frame from its columns to its index."""
    if item is not None and item not in frame.columns:
        raise AnnotationError(
            f"{name}: column {item!r}, given as item, is not among the columns. They are "
            f"{named_columns(frame.columns)}."
        )
    by_index = frame.index.name is not None or not pd.api.types.is_integer_dtype(frame.index)
    if item is None and of == "category" and (by_index or _has_one_total(frame)):
        return frame, ""
    if frame.columns.has_duplicates:
        column = frame.columns[frame.columns.duplicated()][0]
        raise AnnotationError(f"{name}: column {column!r} is listed twice. Rename one.")
    cells = {column: _texts(frame[column].head(ROWS)) for column in frame}
    if item is None and by_index:
        # A name that is no column: the index names the items.
        found = replace(find_item_column(cells, _INDEX), name=None)
    else:
        found = find_item_column(cells, item, of=of)
    if found.doubt:
        raise AnnotationError(f"{name}: {found.doubt}")
    frame = frame.drop(columns=list(found.left_out))
    if found.name is not None:
        frame = frame.set_index(found.name)
    # Two rows of one item are rather two questions, or two items of which only a part is named.
    twice = frame.index[frame.index.duplicated()]
    if len(twice):
        raise AnnotationError(
            f"{name}: {'the index' if found.name is None else repr(found.name)} names "
            f"{twice[0]!r} in several rows. Give each item one row; or say which column names the "
            "items with item=."
        )
    counts = said_of_counts({column: cells[column] for column in frame}, in_python=True)
    if of == "annotator" and counts:
        raise AnnotationError(f"{name}: {counts}")
    return frame, " ".join(found.notes)


def _has_one_total(frame: pd.DataFrame) -> bool:
    if not all(map(pd.api.types.is_numeric_dtype, frame.dtypes)):
        return False
    totals = frame.sum(axis=1).to_numpy()
    return bool((totals == totals[:1]).all())


def _texts(column: pd.Series[Any]) -> list[str]:
    missing = column.isna()
    return ["" if empty else str(cell) for cell, empty in zip(column, missing, strict=True)]


@dataclass(frozen=True)
class _Column:
    """A column and properties of its cells."""

    name: Hashable
    cells: Sequence[str]

    @cached_property
    def distinct(self) -> set[str]:
        return set(self.cells) - {""}

    @cached_property
    def numbers(self) -> list[float]:
        """Cells as numbers; empty if any is not numeric."""
        found = [number_of(cell) for cell in self.cells if cell]
        return found if all(map(math.isfinite, found)) else []

    @cached_property
    def is_of_words(self) -> bool:
        return not any(math.isfinite(number_of(value)) for value in self.distinct)

    @cached_property
    def never_repeats(self) -> bool:
        return len(self.cells) > 1 and len(self.distinct) == len(self.cells)

    @cached_property
    def is_running(self) -> bool:
        """Whether it counts the rows."""
        steps = zip(self.numbers, self.numbers[1:], strict=False)
        counts = bool(self.numbers) and all(after == before + 1 for before, after in steps)
        return self.never_repeats and counts


def _only_name(
    unlike: Mapping[Hashable, str], cells: Mapping[Any, Sequence[str]]
) -> Hashable | None:
    """Return the column of addresses or times that alone identifies the items, if any."""
    fits = [name for name in unlike if _Column(name, cells[name]).never_repeats]
    rest = [_Column(name, own) for name, own in cells.items() if name not in unlike]
    return fits[0] if len(fits) == 1 and not _signs(rest) and len(unlike) == 1 else None


def _is_unnamed(column: object) -> bool:
    return _UNNAMED.fullmatch(plain_name(column)) is not None


def _signs(columns: Sequence[_Column]) -> dict[Hashable, str]:
    """Return the evidence against each column being an annotator's."""
    found: dict[Hashable, str] = {}
    open_ones = [each for each in columns if not names_annotator(each.name)]
    running = [each for each in open_ones if each.is_running and len(each.cells) >= _MIN_RUNNING]
    counted: set[float] = {n for each in columns if each not in running for n in each.numbers}
    for each in open_ones:
        others = [other for other in columns if other is not each]
        if _is_unnamed(each.name):
            found[each.name] = "has no name"
        elif (
            each in running and len(running) < len(columns) and not counted.issuperset(each.numbers)
        ):
            found[each.name] = "counts the rows"
        elif not each.numbers and each.never_repeats and _share_values(others, but=each.distinct):
            found[each.name] = "has a different text in each row"
    rest = [each for each in columns if each.name not in found]
    numbers = [each for each in rest if each.numbers]
    words = [each for each in rest if each.is_of_words]
    for few, many, what in (
        (numbers, words, "has numbers, while most others have words"),
        (words, numbers, "has words, while most others have numbers"),
    ):
        if 1 < len(many) > len(few):
            found |= {each.name: what for each in few if each in open_ones}
    return found


def _numbering(columns: Sequence[_Column], items: Sequence[str]) -> Hashable | None:
    """Find a column that numbers rows within items, such as sentences in documents."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(items):
        rows.setdefault(name, []).append(row)
    several = [own for own in rows.values() if len(own) > 1]
    if len(several) < 2:
        return None
    open_ones = (each for each in columns if not names_annotator(each.name))
    return next(
        (
            each.name
            for each in open_ones
            if all(_Column(None, [each.cells[row] for row in own]).is_running for own in several)
        ),
        None,
    )


def _share_values(columns: Sequence[_Column], *, but: set[str]) -> bool:
    """Return whether columns share values with each other, but not with another column."""
    seen: set[str] = set()
    shared = False
    for each in columns:
        shared |= not seen.isdisjoint(each.distinct)
        seen |= each.distinct
    return shared and seen.isdisjoint(but)


def _weak_signs(columns: Sequence[_Column]) -> dict[Hashable, str]:
    """Return weak evidence against a column being an annotator's, unless several have it."""
    found: dict[Hashable, str] = {}
    for each in columns:
        others = [other for other in columns if other is not each]
        numbers = [n for other in others for n in other.numbers]
        if names_annotator(each.name) or not each.numbers or not numbers:
            continue
        lowest, highest = min(numbers), max(numbers)
        n_inside = sum(lowest <= n <= highest for n in each.numbers)
        rises = all(before < after for before, after in pairwise(each.numbers))
        alone = not all(other.never_repeats for other in others)
        if each.is_running and len(each.cells) > 2:
            found[each.name] = "counts the rows"
        elif len(each.cells) < _MIN_RUNNING:
            continue
        elif each.never_repeats and alone and (rises or n_inside <= len(each.numbers) / 2):
            found[each.name] = "has a different number in each row, unlike the other columns"
        elif not n_inside and _share_values(others, but=each.distinct):
            found[each.name] = "has none of the numbers of the other columns"
    return found if len(found) == 1 else {}


def _listed(signs: Mapping[Hashable, str]) -> str:
    """Join statements about columns."""
    return "; ".join(f"Column {name!r} {sign}" for name, sign in signs.items())


def _choice(name: Hashable) -> str:
    return f'item="{name}"'


def _counted(n: int, what: str) -> str:
    plural = {"annotator": "annotators", "category": "categories"}[what]
    return f"1 {what}" if n == 1 else f"{n} {plural}"
