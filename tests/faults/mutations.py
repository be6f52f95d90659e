"""Mutated inputs: small sound files, harmed by bytes, by cells, or by parts of a record."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

#: What is put into files: quotes, delimiters, ends of lines, controls, marks of encodings and of
#: the direction of writing, halves of characters, names of nothing, numbers of every kind.
TOKENS = [
    *(b'"', b'""', b"'", b",", b"\t", b";", b"|", b"\\", b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r\n"),
    *(b"\0", b"\x01", b"\x0b", b"\x0c", b"\x1a", b"\x1b[31m", b"\x7f", b"\xc2\x85", b"\xc2\xa0"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80"),
    *("\u2028", "\u202e", "\u2066", "\u200f", "\u200b", "e\u0301", "\U0001f600", "\uffff"),
    *("=1+1", "@x", "<b>&amp;", "{}", "%s", "../x", "#", "N/A", "nan", "NULL", "None", "true"),
    *(
        "0",
        "-0",
        "-1",
        "1.0",
        "1.5",
        "1e5",
        "1e400",
        "0x10",
        "1_0",
        "00",
        "1,5",
        "\uff11",
        "\u00b2",
    ),
    *("9007199254740993", "1" * 30, "9" * 400, "9" * 5_000, " ", "  ", "x" * 70, "x" * 300),
    *("[", "]", "{", "}", ":", "[1]", "[[", '{"a":1}', '["a","a"]', "\\ud800", "\\u0000", "\\n"),
]
BYTES = [token if isinstance(token, bytes) else token.encode() for token in TOKENS]

#: What is put into cells; also what is no text.
CELLS = [token.decode("utf-8", "replace") for token in BYTES] + ["", "", "a", "b", "x", "yes", "1"]

#: What is put into records.
PARTS: list[Any] = [
    *(None, True, False, -1, 0, 1, 7, 2**53 + 1, 2**70, 10**400, 0.5, 1.0, -0.0, 1e308),
    *(float("inf"), float("nan"), "", " ", "x", "1", [], {}, [None], [[]], [{}], ["a", "a"], ["b"]),
    *({"a": 1}, {"value": None}, [1, 2], [0, 2, "x"], "\ud800", "a\0b", "\u202ea", "\U0001f600"),
    *("1_0", "\uff11", "9" * 5_000, "null", "None", "a\nb", "a,b", "a|b", "<b>", "x" * 300),
]


def of_bytes(seeds: Sequence[bytes], draw: Random, keep: int = 0) -> bytes:
    """Harm one of the files; its first bytes stay, so many as `keep` says."""
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        start = min(keep, len(data))
        place, other = (draw.randint(start, len(data)) for _ in range(2))
        other = min(other, place + 40)
        kind = draw.randrange(9)
        if kind == 0 and place < len(data):
            data[place] ^= 1 << draw.randrange(8)
        elif kind == 1 and place < len(data):
            data[place] = draw.randrange(256)
        elif kind == 2:
            data[place:place] = draw.choice(BYTES)
        elif kind == 3:
            data[place : max(place, other)] = draw.choice(BYTES)
        elif kind == 4:
            del data[place : max(place, other)]
        elif kind == 5:
            data[place:place] = data[other : other + draw.randrange(30)]
        elif kind == 6:
            from_other = draw.choice(seeds)
            at = draw.randrange(len(from_other) + 1)
            data[place:place] = from_other[at : at + draw.randrange(40)]
        elif kind == 7:
            lines = data[start:].split(b"\n")
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
            data[start:] = b"\n".join(lines)
        elif draw.random() < 0.3:
            del data[place:]
        else:
            data[start:] = _rewritten(bytes(data[start:]), draw)
    return bytes(data)


def _rewritten(data: bytes, draw: Random) -> bytes:
    """Write the file with other ends of lines, or in another encoding."""
    kind = draw.randrange(6)
    if kind < 2:
        return data.replace(b"\n", (b"\r\n", b"\r")[kind])
    if kind == 2:
        return b"\xef\xbb\xbf" + data
    encoding = ("utf-16", "latin-1", "utf-16-le")[kind - 3]
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def of_cells(
    tables: Sequence[Sequence[Sequence[str]]], draw: Random, delimiter: str = ",", keep: bool = True
) -> bytes:
    """Harm the cells of a table and write it as a text; with `keep` its header stays."""
    rows = [list(row) for row in draw.choice(tables)]
    first = 1 if keep or draw.random() < 0.8 else 0
    for _ in range(draw.choice((1, 1, 2, 3))):
        row = rows[draw.randrange(first, len(rows))] if len(rows) > first else rows[0]
        at = draw.randrange(len(row)) if row else 0
        kind = draw.randrange(8)
        if kind < 4 and row:
            row[at] = draw.choice(CELLS)
        elif kind == 4 and row:
            cut = draw.randrange(len(row[at]) + 1)
            row[at] = row[at][:cut] + draw.choice(CELLS) + row[at][cut:]
        elif kind == 5:
            rows.insert(draw.randint(1, len(rows)), list(draw.choice(rows)))
        elif kind == 6 and len(rows) > 1:
            row[at : at + 1] = draw.choice(rows[1:])[at : at + 1]
        elif draw.random() < 0.3 and row:
            del row[at]
        else:
            row.insert(at, draw.choice(CELLS))
    text = io.StringIO(newline="")
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    end = draw.choice(("\n", "\n", "\r\n", "\r"))
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def of_parts(records: Any, draw: Random) -> Any:
    """Harm parts of what JSON holds: another value, name or order, more of it, less of it."""
    found = copy.deepcopy(records)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        inside, key = _place(found, draw)
        kind = draw.randrange(8)
        if kind < 3:
            inside[key] = copy.deepcopy(draw.choice(PARTS))
        elif kind == 3:
            del inside[key]
        elif kind == 4:
            other, name = _place(found, draw)
            inside[key] = copy.deepcopy(other[name])
        elif kind == 5 and isinstance(inside, list):
            inside.insert(key, copy.deepcopy(draw.choice(inside)))
        elif kind == 6 and isinstance(inside, dict):
            inside[draw.choice(("x", "", "id", "label", "text", key.upper()))] = inside.pop(key)
        elif isinstance(inside[key], str):
            cut = draw.randrange(len(inside[key]) + 1)
            inside[key] = inside[key][:cut] + draw.choice(CELLS) + inside[key][cut:]
        else:
            inside[key] = draw.choice(([inside[key]], {"a": inside[key]}, str(inside[key])))
        if not found:
            found = copy.deepcopy(records)
    return found


def _place(found: Any, draw: Random) -> tuple[Any, Any]:
    """Choose a part: what holds it, and under which name or number."""
    inside, key = found, draw.choice(list(found)) if isinstance(found, dict) else 0
    while True:
        key = draw.choice(list(inside)) if isinstance(inside, dict) else draw.randrange(len(inside))
        part = inside[key]
        if not isinstance(part, dict | list) or not part or draw.random() < 0.15:
            return inside, key
        inside = part


def as_json(found: Any, draw: Random, *, lines: bool) -> bytes:
    """Write records as one list or a line each."""
    ascii_only = draw.random() < 0.5
    parts = found if lines and isinstance(found, list) else [found]
    text = "\n".join(json.dumps(part, ensure_ascii=ascii_only) for part in parts)
    return text.encode("utf-8", "surrogatepass")


def mixed(*makers: Callable[[Random], bytes]) -> Callable[[Random], bytes]:
    """Take a maker of inputs at random each time."""
    return lambda draw: draw.choice(makers)(draw)


def endless(make: Callable[[Random], bytes], seed: str) -> Iterator[bytes]:
    """Yield inputs; the seed tells them all."""
    draw = Random(seed)
    while True:
        yield make(draw)
