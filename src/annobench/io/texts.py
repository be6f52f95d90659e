"""Texts with a table whose encoding or separator is unusual."""

from __future__ import annotations

import codecs
import csv
import re
from pathlib import Path

from annobench.core.errors import ReaderError
from annobench.io.formats.headers import DELIMITERS, LOOKED_AT
from annobench.labels.column_kinds import is_number

#: A cell between blanks: in quotes, of which inner ones are doubled or escaped, or a word.
_CELL = re.compile(r'"((?:[^"\\]|\\.|"")*)"|(\S+)')

#: What R writes for a missing value.
_MISSING = "NA"


def is_utf_16(head: bytes) -> bool:
    """Return whether a text begins with the byte order mark of UTF-16."""
    return head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def has_blanks(head: bytes) -> bool:
    """Return whether the beginning of a text is a table with blanks between its columns.

    The first line has different names, none of which is a number, and all others as many cells, or
    all one more, the name of the row.
    """
    head = head.removeprefix(codecs.BOM_UTF8)
    # Nearly every table has a delimiter in its first line.
    first = head.lstrip(b"\r\n").partition(b"\n")[0]
    if any(sign.encode() in first for sign in DELIMITERS):
        return False
    text = head.decode("utf-8", errors="replace")
    lines = [line for line in text.splitlines()[:-1] if line.strip()][:LOOKED_AT]
    if len(lines) < 3:
        return False
    names, *rows = map(_split, lines)
    widths = {len(row) for row in rows}
    is_header = len(names) > 1 and len({*names}) == len(names) and not any(map(is_number, names))
    if not is_header or widths not in ({len(names)}, {len(names) + 1}):
        return False
    # A text of words has no numbers in one of its columns.
    return any(
        any(column) and all(not cell or is_number(cell) for cell in column)
        for column in zip(*rows, strict=True)
    )


def _split(line: str) -> list[str]:
    """Return the cells of a line between blanks; what R writes for a missing one is empty."""
    cells = []
    for quoted, word in _CELL.findall(line):
        text = quoted.replace('""', '"').replace('\\"', '"')
        cells.append(text if not word else "" if word == _MISSING else word)
    return cells


def write_readable(path: Path, folder: Path) -> None:
    """Write a text in UTF-16 as UTF-8, or one with blanks between its columns with tabs.

    Raises
    ------
    ReaderError
        If a line has more or fewer cells than the header.
    """
    data = path.read_bytes()
    if is_utf_16(data):
        text = data.decode("utf-16")
        (folder / path.name).write_text(text, encoding="utf-8", newline="")
        return
    lines = data.removeprefix(codecs.BOM_UTF8).decode("utf-8").splitlines()
    rows = [(number, _split(line)) for number, line in enumerate(lines, start=1) if line.strip()]
    header = rows[0][1]
    n_more = len(rows[1][1]) - len(header)
    target = folder / f"{path.stem}.tsv"
    with target.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(header)
        for number, row in rows[1:]:
            if len(row) != len(header) + n_more:
                raise ReaderError(
                    f"{path}, line {number}: {len(row)} cells where the line above has "
                    f"{len(header) + n_more}. Put each cell that holds blanks in quotation marks."
                )
            # The name of a row is no cell of a column.
            writer.writerow(row[n_more:])
