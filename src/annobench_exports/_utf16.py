"""Offsets of tools that run in Java or a browser, which count units of UTF-16."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable


def from_utf16(text: str | None) -> Callable[[int], int]:
    """Return what turns offsets in units of UTF-16 into offsets in characters."""
    wide: list[int] = []
    if text is not None and not text.isascii():
        wide = [n for n, character in enumerate(text) if ord(character) > 0xFFFF]
    if not wide:
        return lambda offset: offset
    units = [n + before for before, n in enumerate(wide)]
    return lambda offset: offset - bisect_left(units, offset)
