"""The last rows of a table, which sum up the others: totals, means, coefficients of agreement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from annobench.io.formats.base import Intake
from annobench.io.formats.tables import ITEM_NAMES, Layout, Table, as_text
from annobench.io.layouts._said import listed
from annobench.labels.column_kinds import is_number, number_of
from annobench.labels.columns import USUAL_NAMES, plain_name

_SUMS = frozenset(
    {"n", "total", "totals", "gesamtergebnis", "sum", "mean", "means", "average", "averages"}
    | {"avg", "median", "sd", "std", "kappa", "alpha", "agreement", "count", "counts", "%", "σ"}
    | {"gesamt", "summe", "mittelwert", "durchschnitt", "somme", "moyenne", "suma", "promedio"}
)
#: Those that people and items may be called, too.
_COEFFICIENTS = frozenset({"alpha", "kappa"})
#: What the name of a sum holds beside.
_OF_SUMS = frozenset(
    {"all", "cohen", "dev", "deviation", "fleiss", "grand", "in", "krippendorff", "of", "overall"}
    | {"percent", "percentage", "row", "rows", "s", "score", "scores", "standard", "the"}
)
_Row = dict[str, Any]

_WORDS = re.compile(r"[^\W_]+|%")
#: Longer names are texts.
_LONGEST = 40


class LastRows:
    """Tells rows that may stand at the end of a table from those of items.

    Parameters
    ----------
    name, places : sequence of str
        The columns that name the rows, and those of labels.
    rows : iterable of mapping
        The first rows, which show the labels.
    of : {"item", "annotator"}, default "item"
        What the rows are.
    """

    def __init__(
        self,
        name: Sequence[str],
        places: Sequence[str],
        rows: Iterable[Mapping[str, Any]],
        of: Literal["item", "annotator"] = "item",
    ) -> None:
        self._name, self._places, self._of = name, places, of
        self._sums: list[tuple[int, _Row]] = []
        plain = (row for row in rows if not self._is_called_so(self._words(row)))
        self._labels = {label for row in plain for label in self._given(row)}

    def of_items(self, rows: Iterable[tuple[int, _Row]]) -> Iterator[tuple[int, _Row]]:
        """Yield numbered rows, but for the last that are sums."""
        self._sums.clear()
        waiting: list[tuple[int, _Row]] = []
        for each in rows:
            waiting.append(each)
            if not self.may_end(each[1]):
                yield from waiting
                waiting.clear()
        yield from self.set_aside(waiting)

    def may_end(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row may be one of the last: a sum, or without an item or labels."""
        return self.is_idle(row) or self._is_sum(row)

    def set_aside(self, rows: list[tuple[int, _Row]]) -> list[tuple[int, _Row]]:
        """Set aside sums among rows of which nothing else may be left; return the others."""
        self._sums += [each for each in rows if not self.is_idle(each[1])]
        return [each for each in rows if self.is_idle(each[1])]

    def leave_out(self, intake: Intake) -> None:
        """Note that the sums were left out."""
        intake.read(len(self._sums))
        for where, _ in self._sums:
            intake.leave_out(where, "rows below the table that sum it up")
        if self._sums:
            said = listed([as_text(row[self._name[0]]) for _, row in self._sums])
            one = len(self._sums) == 1
            note = (
                f"The last {'row' if one else 'rows'}, {said}, {'sums' if one else 'sum'} up the "
                f"table and {'was' if one else 'were'} left out. Give an {self._of} another name "
                "if it is one."
            )
            if note not in intake.notes:  # several files of a folder may end alike
                intake.notes.append(note)

    def is_idle(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row names no item, or has no label."""
        return not all(row.get(name, "") for name in self._name) or not self._given(row)

    def _is_sum(self, row: Mapping[str, Any]) -> bool:
        words = self._words(row)
        if not self._is_called_so(words):
            return False
        # A person may be called Alpha; a coefficient is hardly ever a whole number.
        if (
            words[0] in _COEFFICIENTS
            and len(words) == 1
            and not any(map(_is_share, self._given(row)))
        ):
            return False
        is_named = self._of == "item" and {*words} <= (_SUMS | _OF_SUMS) - _COEFFICIENTS
        # "Total yes" may be an item, and Alpha a person, unless no label is like what it holds.
        return is_named or self._labels.isdisjoint(self._given(row))

    @staticmethod
    def _is_called_so(words: Sequence[str]) -> bool:
        return bool(words) and not _SUMS.isdisjoint((words[0], words[-1]))

    def _words(self, row: Mapping[str, Any]) -> list[str]:
        name = as_text(row.get(self._name[0], "")) if len(self._name) == 1 else ""
        return _WORDS.findall(plain_name(name)) if len(name) <= _LONGEST else []

    def _given(self, row: Mapping[str, Any]) -> list[str]:
        return [as_text(row[name]) for name in self._places if row.get(name, "") != ""]


def _is_share(cell: str) -> bool:
    return is_number(cell) and not number_of(cell).is_integer()


def read_but_sums(layout: Layout, table: Table, intake: Intake) -> None:
    """Read the labels of one annotator, but for the last rows that sum them up."""
    named = table.column(ITEM_NAMES), table.column(USUAL_NAMES["label"])
    item, label = ([name] if name else [] for name in named)
    last = LastRows(item, label, table.preview)

    def rows(ragged: bool) -> Iterator[tuple[int, _Row]]:
        return last.of_items(table.rows(ragged))

    layout.read(replace(table, rows=rows), intake)
    last.leave_out(intake)
