"""The printed tables of a paper as they are printed, each number beside the computed one.

A layout is a table in CSV, in the rows, columns and order of the print. A cell names the printed
value by its target in braces, as in ``{table1.love.kappa}``; everything else is words of the
print. A heading of several levels has bars between them, as in ``Random | N``, and a row with its
first cell alone is the heading of those below.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from annobench.core.errors import PublicationError
from annobench.reporting.formats import shown
from annobench.reporting.pages import records
from annobench_replication.faces import FACES, RELATIONS
from annobench_replication.pages import render

__all__ = ["Cell", "Heading", "PrintedTable", "Value", "read_layout"]

_TARGET = re.compile(r"\{([^{}]*)\}")

#: What LaTeX would take for a command.
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


@dataclass(frozen=True)
class Value:
    """A printed number and what was computed for it.

    Attributes
    ----------
    target, label : str
        Its id, and its name in words.
    printed, computed : str
        As they are written; computed is empty where nothing was.
    verdict, provenance : str
        Of the comparison.
    """

    target: str
    label: str
    printed: str
    computed: str
    verdict: str
    provenance: str


@dataclass(frozen=True)
class Cell:
    """What stands in one cell.

    Attributes
    ----------
    parts : tuple of str and Value
        Words and numbers, in their order.
    column : str
        The heading of its column, for screens on which a row is folded.
    """

    parts: tuple[str | Value, ...]
    column: str

    @property
    def numbers(self) -> list[Value]:
        """Without the words."""
        return [part for part in self.parts if isinstance(part, Value)]

    @property
    def printed(self) -> str:
        """The cell as it is printed."""
        return "".join(part.printed if isinstance(part, Value) else part for part in self.parts)


@dataclass(frozen=True)
class Heading:
    """A heading over one column or several.

    Attributes
    ----------
    words : str
        Its text.
    columns : int
        How many it is over.
    """

    words: str
    columns: int


@dataclass(frozen=True)
class PrintedTable:
    """A printed table, each number with what was computed for it.

    Attributes
    ----------
    name, source, title : str
        Of its file, its place in the paper, and what it shows.
    headings : tuple of tuple of Heading
        One row of headings a level.
    rows : tuple of tuple of Cell
        In the order of the print. A row of one cell is a heading of those below.
    caption : Cell
        What the print says of the table besides.
    n_stubs : int
        Columns at the left that name the rows: the first, and those beside it without numbers.
    """

    name: str
    source: str
    title: str
    headings: tuple[tuple[Heading, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: Cell
    n_stubs: int

    @property
    def n_columns(self) -> int:
        """How many columns it has."""
        return sum(heading.columns for heading in self.headings[-1])

    def is_words(self, column: int) -> bool:
        """Say whether a column has words alone, which are set from the left.

        Parameters
        ----------
        column : int
            From 0 on.

        Returns
        -------
        bool
            False for a column of numbers.
        """
        full = [row for row in self.rows if len(row) > 1]
        cells = [row[column] for row in full]
        return not any(cell.numbers for cell in cells) and any(
            character.isalpha() for cell in cells for character in cell.printed
        )

    @property
    def verdicts(self) -> list[str]:
        """The verdicts that it has, in the order of `FACES`."""
        cells = [cell for row in (*self.rows, (self.caption,)) for cell in row]
        found = {value.verdict for cell in cells for value in cell.numbers}
        return [verdict for verdict in FACES if verdict in found]

    def html(self, page: str = "") -> Markup:
        """Draw the table.

        Parameters
        ----------
        page : str, optional
            Address of the page whose records the numbers lead to; by default the page itself.

        Returns
        -------
        Markup
            With its own style.
        """
        return Markup(render("printed_table_alone.html.j2", table=self, page=page))  # noqa: S704  (escaped)

    def frame(self) -> pd.DataFrame:
        """Return one row a number: its place, printed and computed, and its verdict.

        Returns
        -------
        DataFrame
            In the order of the print.
        """
        cells, group = [], ""
        for row in (*self.rows, (self.caption,)):
            if len(row) == 1 and not row[0].numbers:
                group = row[0].printed
                continue
            name = " ".join(cell.printed for cell in row[: self.n_stubs] if cell.printed)
            cells += [
                {
                    "row": f"{group}: {name}" if group else name,
                    "column": cell.column,
                    "printed": value.printed,
                    "computed": value.computed,
                    "verdict": value.verdict,
                    "provenance": value.provenance,
                    "value": value.label,
                    "target": value.target,
                }
                for cell in row
                for value in cell.numbers
            ]
        columns = ["row", "column", "printed", "computed", "verdict", "provenance", "value"]
        return pd.DataFrame(cells, columns=[*columns, "target"])

    def latex(self) -> str:
        """Return the table in LaTeX, of which each cell is a line printed and a line computed.

        Returns
        -------
        str
            A float that needs the packages booktabs, amssymb and makecell.
        """
        align = "l" * self.n_stubs + "r" * (self.n_columns - self.n_stubs)
        head = [
            " & ".join(
                rf"\multicolumn{{{heading.columns}}}{{c}}{{{_escaped(heading.words)}}}"
                if heading.columns > 1
                else _escaped(heading.words)
                for heading in level
            )
            for level in self.headings
        ]
        body = [
            rf"\multicolumn{{{self.n_columns}}}{{l}}{{\textit{{{_escaped(row[0].printed)}}}}}"
            if len(row) == 1 and self.n_columns > 1
            else " & ".join(_latex_cell(cell) for cell in row)
            for row in self.rows
        ]
        marks = [f"{FACES[verdict].latex} {FACES[verdict].words}" for verdict in self.verdicts]
        lines = [
            r"\begin{table}",
            rf"\caption{{{_escaped(self.source)}. {_escaped(self.title)}. "
            rf"First lines: printed; second: computed. {', '.join(marks)}.}}",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            *(rf"{line} \\" for line in head),
            r"\midrule",
            *(rf"{line} \\" for line in body),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\\", _latex_cell(self.caption)] if self.caption.parts else []),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"


def read_layout(
    path: Path, comparison: pd.DataFrame, *, source: str, title: str, caption: str = ""
) -> PrintedTable:
    """Read a layout, and fill it with printed and computed values.

    Parameters
    ----------
    path : Path
        The layout.
    comparison : DataFrame
        What `annobench_replication.ledger.read_comparison` returns for the paper.
    source, title, caption : str
        The table's place in the paper, what it shows, and what the print says besides, in which
        braces name values, too.

    Returns
    -------
    PrintedTable
        Every number from the comparison.

    Raises
    ------
    PublicationError
        If rows differ in length, or a cell names a value that the comparison does not have.
    """
    (_, header), *lines = _lines(path)
    values = {row["target"]: _value(row) for row in records(comparison)}
    columns = [" ".join(part.strip() for part in heading.split("|")) for heading in header]
    rows = []
    for number, line in lines:
        if len(line) != len(header):
            raise PublicationError(
                f"{path}, line {number}: {len(line)} cells below {len(header)} headings. "
                "Give each row as many."
            )
        if len(line) > 1 and line[0] and not any(line[1:]):
            line = line[:1]
        rows.append(
            tuple(
                Cell(tuple(_parts(cell, values, f"{path}, line {number}")), column)
                for cell, column in zip(line, columns, strict=False)
            )
        )
    full = [row for row in rows if len(row) == len(header)]
    n_stubs = 1
    while n_stubs < len(header) and not any(row[n_stubs].numbers for row in full):
        n_stubs += 1
    return PrintedTable(
        path.stem,
        source,
        title,
        tuple(_levels(header)),
        tuple(rows),
        Cell(tuple(_parts(caption, values, f"{path}, caption")), "caption"),
        n_stubs,
    )


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        lines = [(number, line) for number, line in enumerate(csv.reader(file), 1) if line]
    if not lines:
        raise PublicationError(f"{path}: the file is empty. Write the headings and the rows.")
    return lines


def _value(row: dict[str, Any]) -> Value:
    is_claim = row["verdict"] not in ("input", "cited", "given", "missing", "not_public")
    return Value(
        row["target"],
        row["label"],
        RELATIONS[row["relation"]] + row["published"],
        shown(row["computed"], row["published"]) if is_claim else "",
        row["verdict"],
        row["provenance"],
    )


def _parts(cell: str, values: dict[str, Value], where: str) -> Iterator[str | Value]:
    # Every second part is a name in braces.
    for number, part in enumerate(_TARGET.split(cell)):
        if number % 2 == 0:
            if part:
                yield part
        elif part in values:
            yield values[part]
        else:
            raise PublicationError(
                f"{where}: published.csv has no value {part!r}. Correct the name, or add the "
                "printed value."
            )


def _levels(header: Iterable[str]) -> Iterator[tuple[Heading, ...]]:
    """Join equal neighbours of a level that are equal above it, too; the last stays apart."""
    parts = [[part.strip() for part in heading.split("|")] for heading in header]
    depth = max(map(len, parts))
    columns = [[""] * (depth - len(own)) + own for own in parts]
    for level in range(depth):
        is_last = level == depth - 1
        keys = [
            (column[: level + 1], n if is_last or not column[level] else None)
            for n, column in enumerate(columns)
        ]
        yield tuple(Heading(path[-1], len(list(group))) for (path, _), group in groupby(keys))


def _escaped(text: str) -> str:
    return text.translate(_LATEX)


def _latex_cell(cell: Cell) -> str:
    if not cell.numbers:
        return _escaped(cell.printed)
    computed = " ".join(
        f"{_escaped(value.computed)} {FACES[value.verdict].latex}".strip() for value in cell.numbers
    )
    return rf"\makecell[r]{{{_escaped(cell.printed)} \\ {computed}}}"
