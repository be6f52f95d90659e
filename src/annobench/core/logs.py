"""Suppression of log messages that are reported in another way."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["quiet"]


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Suppress warnings of a part of the library.

    Parameters
    ----------
    name : str
        Name of the logger, such as ``"annobench.datasets"``.

    Yields
    ------
    None
        Within the context.
    """
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)
