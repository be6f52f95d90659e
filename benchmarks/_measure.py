"""Work in a process of its own: its peak memory is its own, and its time can be CPU time."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def timed(
    work: Callable[[], Value], clock: Callable[[], float] = time.process_time
) -> tuple[float, Value]:
    """Return the seconds that a piece of work takes, CPU time by default, and its value."""
    before = clock()
    value = work()
    return clock() - before, value


def alone(work: Callable[[], Value], otherwise: Value) -> tuple[Value, float]:
    """Run a piece of work in a process of its own.

    Parameters
    ----------
    work : callable
        Its value is sent back.
    otherwise
        The value where the process dies, as it does when memory runs out.

    Returns
    -------
    value, peak
        The work's value, and the most bytes in use at once above those at its start; NaN where
        the process died.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        start = _resident()
        value = work()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - start
        sender.send((value, max(peak, 0)))

    gc.collect()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)  # or the child would take again, unseen, what was freed here
    process = context.Process(target=child)
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return otherwise, float("nan")
    finally:
        process.join()


def _resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()
