"""Which line of a paper's own modules made a value."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Final

#: What the packages of papers' modules are called, each import of a folder with its number.
PACKAGE: Final = "paper{number}_{folder}"

_OF_A_PAPER = re.compile(r"paper\d+_\w+\.")


def paper_line() -> str:
    """Find the innermost line of a paper's own modules that is being run."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _OF_A_PAPER.match(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
