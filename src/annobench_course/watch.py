"""A limit on the time that a student's function may take."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = [
    "ELAPSED_PER_SECOND",
    "ELAPSED_SECONDS",
    "FUNCTION_SECONDS",
    "TooSlowError",
    "time_limit",
]

#: Seconds by the clock for each second on a processor, which other processes need, too.
ELAPSED_PER_SECOND = 6

#: Seconds on a processor after which a student's function is stopped, and those by the clock.
FUNCTION_SECONDS = 10.0
ELAPSED_SECONDS = ELAPSED_PER_SECOND * FUNCTION_SECONDS


class TooSlowError(BaseException):
    """Code that was stopped at its limit; no ordinary error, so that `except` does not hold it."""


@contextmanager
def time_limit(seconds: float, *, elapsed: float) -> Iterator[None]:
    """Stop what runs inside after a time, where the system can do that.

    Parameters
    ----------
    seconds : float
        The limit of this process's time on a processor, the same on a busy machine as on an idle
        one.
    elapsed : float
        The limit by the clock, for code that waits and takes no such time.

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

    limits = {signal.ITIMER_PROF: seconds, signal.ITIMER_REAL: elapsed}
    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    outer = {timer: signal.setitimer(timer, limit)[0] for timer, limit in limits.items()}
    try:
        yield
    finally:
        left = {timer: signal.setitimer(timer, 0)[0] for timer in limits}
        for number, handler in before.items():
            signal.signal(number, handler)
        for timer, limit in outer.items():
            if limit:  # what this limit stands inside of goes on
                signal.setitimer(timer, max(limit - limits[timer] + left[timer], 1e-3))
