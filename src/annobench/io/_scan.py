"""Compiled kernels that follow rows and quotes through the bytes of a text."""

from __future__ import annotations

from annobench.core.compiled import kernel

#: Where a byte stands: before a row or a field, in one, in quotes, or behind a quote that may
#: have closed them.
ROW, FIELD, PLAIN, QUOTED, CLOSED = range(5)
SOUND, BEHIND_QUOTE, LONG = range(3)
QUOTE = ord('"')


@kernel(inline="always")
def _ends(sign):
    return (sign == 10) | (sign == 13)


@kernel()
def follow(data, delimiter, state, rows, length, longest):
    """Scan rows and quotes up to the first fault; return fault, position and state."""
    n, start = 0, -length
    while n < data.size:
        if state == QUOTED:
            while n < data.size and data[n] != QUOTE:
                n += 1
            if n < data.size:
                state = CLOSED
                n += 1
            continue
        sign = data[n]
        if _ends(sign):
            if n - start > longest:
                break
            state, start = ROW, n + 1
        else:
            rows += state == ROW
            if sign == delimiter:
                state = FIELD
            elif sign == QUOTE and state != PLAIN:
                state = QUOTED
            elif state == CLOSED:
                return BEHIND_QUOTE, n, state, rows, n - start
            else:
                state = PLAIN
        n += 1
    if n - start > longest:
        return LONG, 0, state, rows, n - start
    return SOUND, n, state, rows, n - start


@kernel()
def follow_plain(data, delimiter, state, rows, length, longest):
    """Scan a block without quotes that is not longer than a row may be."""
    if not data.size:
        return SOUND, 0, state, rows, length
    first, last = 0, data.size
    while first < data.size and not _ends(data[first]):
        first += 1
    while last > first and not _ends(data[last - 1]):
        last -= 1
    rows += state == ROW and first > 0
    if length + first > longest:
        return LONG, 0, state, rows, length
    for n in range(1, data.size):  # without a branch, so that many bytes are compared at once
        rows += (not _ends(data[n])) & _ends(data[n - 1])
    length = length + data.size if first == data.size else data.size - last
    end = data[data.size - 1]
    state = ROW if _ends(end) else FIELD if end == delimiter else PLAIN
    return SOUND, data.size, state, rows, length
