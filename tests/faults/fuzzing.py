"""Feed mutated inputs to a reader, and compare what it takes with what a second reader finds."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from faults.mutations import endless

#: How many inputs each reader gets, and what is slower, or beside the readers of labels;
#: `make test-faults INPUTS=20000` feeds as many to all.
TIMES, FEWER = (int(os.environ.get("INPUTS", otherwise)) for otherwise in (100_000, 5_000))

#: How many seconds a reader may take for one input.
LIMIT = 5

#: After so many different failures a campaign ends.
MAX_FAILURES = 8


class UnclearError(Exception):
    """An input of which the second reader does not know what it means; it is not counted."""


class Outcome(NamedTuple):
    """How many inputs were asked for; how often the two readers agreed, the first refused one."""

    times: int
    same: int
    refused: int
    unclear: int


def count(outcome: Outcome, tried: Callable[..., None], area: str, fault: str) -> None:
    """Take a row of the campaign's table."""
    tried(area, fault, times=outcome.times, same=outcome.same, refused=outcome.refused)


class _Failures:
    """What went wrong, one input of each kind kept."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.folder, self.seed = folder, seed
        self.found: dict[str, str] = {}

    def add(self, kind: str, what: str, number: int, data: bytes) -> None:
        if kind not in self.found:
            kept = self.folder / f"failure-{len(self.found)}"
            kept.write_bytes(data)
            self.found[kind] = f"seed {self.seed!r}, input {number}, kept in {kept}: {what}"

    def raise_any(self) -> None:
        assert not self.found, "\n\n".join(self.found.values())


def feed(
    read: Callable[[bytes], Any],
    second: Callable[[bytes], Any],
    make: Callable[[Random], bytes],
    *,
    refusals: tuple[type[Exception], ...],
    folder: Path,
    seed: str,
    named: str = "",
    times: int = TIMES,
) -> Outcome:
    """Feed inputs to a reader until so many of them were refused or read alike.

    Parameters
    ----------
    read : callable
        The reader; gets the bytes of a file.
    second : callable
        The second reader, slow and obvious: gives the same from the same bytes, or raises
        `UnclearError`.
    make : callable
        Makes an input from a source of random numbers.
    refusals : tuple of type
        The errors with which the reader refuses an input.
    folder : Path
        Where inputs are kept that neither was read alike nor refused.
    seed : str
        Tells all inputs.
    named : str
        What the message of a refusal must hold: the name of the file.
    times : int
        How many inputs are counted.

    Returns
    -------
    Outcome
        What came of them.
    """
    failures = _Failures(folder, seed)
    same = refused = unclear = 0
    inputs: Iterator[bytes] = endless(make, seed)
    before = signal.signal(signal.SIGALRM, _too_slow)
    try:
        for number, data in enumerate(inputs):
            if same + refused >= times or len(failures.found) >= MAX_FAILURES:
                break
            try:
                signal.setitimer(signal.ITIMER_REAL, LIMIT)
                try:
                    found = read(data)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except refusals as error:
                refused += 1
                if named not in str(error):
                    failures.add(str(error)[:25], f"no file is named: {error}", number, data)
                continue
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} {where.filename} {where.lineno}"
                failures.add(kind, "".join(traceback.format_exception(error)[-4:]), number, data)
                continue
            try:
                expected = second(data)
            except UnclearError:
                unclear += 1
                continue
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} {where.lineno}"
                said = f"{data!r:.600}\n read {found!r:.600}\n the second reader refuses: {error!r}"
                failures.add(kind, said, number, data)
                continue
            if found == expected:
                same += 1
            else:
                failures.add(
                    f"differs {len(failures.found)}",
                    f"{data!r:.600}\n read     {found!r:.800}\n expected {expected!r:.800}",
                    number,
                    data,
                )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    failures.raise_any()
    # A reader that refuses all it gets would pass without this.
    assert same > times / 100, f"only {same} of {times} inputs were read"
    assert unclear < times / 2, f"{unclear} inputs are unclear to the second reader"
    return Outcome(times, same, refused, unclear)


def folder_in_memory(factory: pytest.TempPathFactory) -> Path:
    """Make a folder for inputs: in memory where the system has such a place."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        return factory.mktemp("input")
    path = Path(tempfile.mkdtemp(prefix="annobench-", dir=memory))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def _too_slow(*_: object) -> None:
    raise TimeoutError(f"more than {LIMIT} s")
