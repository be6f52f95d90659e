"""Delimited text, checked while being read.

Arrow accepts a cell such as `"a"b` (as `ab`), unclosed quotes, and NUL bytes. All three show that a
file is damaged or handwritten, so whatever violates RFC 4180 is rejected.
"""

from __future__ import annotations

import codecs
import io
from typing import Any

import numpy as np

from annobench.io import _scan


class CheckedText(io.RawIOBase):
    """A stream of bytes that ends before the first fault, and records it."""

    def __init__(self, stream: Any, delimiter: str, longest: int) -> None:
        self.fault: tuple[int, str] | None = None
        self._stream = stream
        self._delimiter = ord(delimiter)
        self._longest = longest
        self._held = b""
        # What it was in, how many rows began, and the bytes of the last.
        self._state = _scan.ROW, 0, 0
        self._sound = 0
        self._at_start = True

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read on, up to the first fault."""
        if self.fault is not None:
            return b""
        sound, wrong, at_end = b"", "", False
        while not (sound or wrong or at_end):
            data: bytes = self._stream.read(size - len(self._held))
            at_end = not data
            sound, wrong = self._text(self._held + data, at_end)
        self._follow(sound)
        if self.fault is None and wrong:
            self._note(wrong)
        if at_end and self._state[0] == _scan.QUOTED:
            self._note("a quote that is not closed")
        # Behind a fault nothing can be told; the row that it cuts is the one it is in.
        return sound if self.fault is None else sound[: self._sound]

    def _text(self, data: bytes, at_end: bool) -> tuple[bytes, str]:
        """Return how far a block is text, and what is wrong there; keep half a character or end."""
        wrong, self._held = "", b""
        # Most blocks are of ASCII alone, which is found faster than text is made.
        if not data.isascii():
            try:
                end = codecs.utf_8_decode(data, "strict", at_end)[1]
                data, self._held = data[:end], data[end:]
            except UnicodeDecodeError as error:
                data = data[: error.start]
                wrong = "not UTF-8; it may be Latin-1 or Windows-1252"
        if data.endswith(b"\r") and not at_end:
            # Arrow leaves out a line feed behind it that begins a block, also within quotes.
            data, self._held = data[:-1], b"\r" + self._held
        if b"\0" in data:
            data = data[: data.index(b"\0")]
            wrong = "a NUL byte; this is not a text file, or it is damaged"
        return data, wrong

    def _follow(self, data: bytes) -> None:
        """Follow rows and quotes up to the first fault, and note it."""
        mark = len(codecs.BOM_UTF8) if self._at_start and data.startswith(codecs.BOM_UTF8) else 0
        self._at_start = False
        found = np.frombuffer(data, dtype=np.uint8)[mark:]
        quoted = self._state[0] in (_scan.QUOTED, _scan.CLOSED) or b'"' in data
        scan = _scan.follow if quoted else _scan.follow_plain
        fault, at, state, rows, length = scan(found, self._delimiter, *self._state, self._longest)
        self._state = state, rows, length
        self._sound = mark + at
        if fault == _scan.BEHIND_QUOTE:
            self._note("text after a closing quote")
        elif fault == _scan.LONG:
            self._note(f"more than {self._longest:,} bytes; a quote may not be closed")

    def _note(self, what: str) -> None:
        state, rows, _ = self._state
        self.fault = rows if state == _scan.ROW else rows - 1, what
