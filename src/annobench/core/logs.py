"""What the library logs, where somebody says the same in another way."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["quiet"]


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Keep a part of the library from logging warnings.

    Parameters
    ----------
    name : str
        Of its logger, such as ``"annobench.datasets"``.

    Yields
    ------
    None
        While it is quiet.
    """
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)
