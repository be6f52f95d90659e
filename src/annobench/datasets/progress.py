"""Progress of reading many files."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


def tracked(things: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Yield things one by one; a bar on a terminal, elsewhere five lines in the log."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track

        console = Console(stderr=True)
        yield from track(things, what, total=total, console=console, transient=True)
        return
    step = max(1, total // 5)
    for n, thing in enumerate(things, start=1):
        yield thing
        if n % step == 0:
            _LOG.info("%s: %d of %d files", what, n, total)
