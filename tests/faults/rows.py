"""A second reader of text with a delimiter: a state machine, one character at a time."""

from __future__ import annotations

START, PLAIN, QUOTED, CLOSING = range(4)


class BadTextError(ValueError):
    """Text that is no table; whoever reads it has to refuse it."""


def rows_of(text: str, delimiter: str) -> list[list[str]]:
    """Read rows of fields; a field in quotes may hold anything, a quote twice."""
    rows: list[list[str]] = []
    row: list[str] = []
    field: list[str] = []
    state, at_start, n = START, True, 0
    while n < len(text):
        sign = text[n]
        n += 1
        if state == QUOTED:
            if sign == '"':
                state = CLOSING
            else:
                field.append(sign)
        elif state == CLOSING and sign == '"':
            field.append(sign)
            state = QUOTED
        elif sign == delimiter:
            row.append("".join(field))
            field, state, at_start = [], START, False
        elif sign in "\r\n":
            if sign == "\r" and text[n : n + 1] == "\n":
                n += 1
            if not at_start or state != START:
                row.append("".join(field))
            rows.append(row)
            row, field, state, at_start = [], [], START, True
        elif state == CLOSING:
            raise BadTextError("text after a closing quote")
        elif sign == '"' and state == START:
            state = QUOTED
        else:
            field.append(sign)
            state = PLAIN
    if state == QUOTED:
        raise BadTextError("the text ends within quotes")
    if not at_start or state != START:
        row.append("".join(field))
        rows.append(row)
    return rows


def decoded(data: bytes) -> str:
    """Read UTF-8, with or without a byte order mark."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadTextError("not UTF-8") from error


def table_of(data: bytes, delimiter: str, *, ragged: bool = False) -> list[dict[str, str]]:
    """Read the rows below the header as fields by column; empty lines are none."""
    header, *rows = [row for row in rows_of(decoded(data), delimiter) if row]
    found = []
    for row in rows:
        if len(row) > len(header) or (len(row) < len(header) and not ragged):
            raise BadTextError("a row that does not fit the header")
        found.append(dict(zip(header, row + [""] * len(header), strict=False)))
    return found


def category(name: str) -> str:
    """Name a category: a whole number without a point and the zeros behind it."""
    sign = name[:1] if name[:1] in ("+", "-") else ""
    whole, point, behind = name[len(sign) :].partition(".")
    digits = set(whole) <= set("0123456789") and whole != ""
    if not digits or (len(whole) > 1 and whole[0] == "0") or (point and set(behind) != {"0"}):
        return name
    return whole if whole == "0" and sign == "-" else sign + whole
