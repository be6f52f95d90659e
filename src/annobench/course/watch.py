"""A limit on the time that a student's function may take."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(BaseException):
    """Code that was stopped at its limit; no ordinary error, so that `except` does not hold it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop what runs inside after a time, where the system can do that.

    Parameters
    ----------
    seconds : float
        The limit.

    Yields
    ------
    None
        Without a limit on Windows and outside the main thread, which have no alarm.

    Raises
    ------
    TooSlowError
        At the limit.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
