"""The exceptions and warnings of annobench.

Every message has three parts: what is wrong with the value, where it is, and how to fix it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "AnnotationError",
    "ChecksumError",
    "ConvergenceWarning",
    "DataUnavailableError",
    "DatasetWarning",
    "DegenerateWarning",
    "FormatWarning",
    "FullDiskError",
    "IntervalWarning",
    "ItemColumnWarning",
    "MethodError",
    "MethodTimeoutError",
    "MissingLibraryError",
    "PublicationError",
    "ReaderError",
    "UnclearLayoutError",
    "check_level",
    "report_faults",
]

#: How many faults of one file are reported together.
MAX_FAULTS = 10


class AnnotationError(ValueError):
    """Labels that can't be made into `Annotations`, or that a method can't use."""


class MissingLibraryError(AnnotationError):
    """A library of an extra is not installed: names what needs it, and the extra."""


class ReaderError(ValueError):
    """A file that can't be read: names the file, the line if known, and the remedy."""


class UnclearLayoutError(ReaderError):
    """A table that can be read in several ways, with different results.

    Parameters
    ----------
    message : str
        What is unclear.
    path : path-like
        The file.
    readings : mapping of str to dict
        By the options of the command line, those of `annobench.io.select_labels`.

    Attributes
    ----------
    statement : str
        The message alone, to which the error adds the readings.
    """

    def __init__(
        self, message: str, path: str | os.PathLike[str], readings: Mapping[str, dict[str, Any]]
    ) -> None:
        ways = [
            ", ".join(f"{name}={value!r}" for name, value in options.items())
            for options in readings.values()
        ]
        super().__init__(f"{message} Read it with {'; or with '.join(ways)}." if ways else message)
        self.statement = message
        self.path = path
        self.readings = dict(readings)


class DataUnavailableError(RuntimeError):
    """Real data were demanded, and neither mirror, cache nor network has them."""


class ChecksumError(ValueError):
    """A file whose bytes are not the pinned ones."""


class FullDiskError(OSError):
    """A file that can't be written to a full disk: names the file, the disk and the remedy."""


class PublicationError(ValueError):
    """A paper's folder whose tables break the contract of published and computed values."""


class MethodError(ValueError):
    """An external method that can't be found or run, or whose answer is not probabilities."""


class MethodTimeoutError(MethodError):
    """An external method that was stopped at its time limit."""


class DegenerateWarning(UserWarning):
    """An estimate that the data leave undefined; the value returned is NaN."""


class ConvergenceWarning(UserWarning):
    """A search or sampler that has not converged; its estimates are not those of the model."""


class IntervalWarning(UserWarning):
    """An interval that is too narrow; the message says why, and what to use instead."""


class FormatWarning(UserWarning):
    """Formats that are missing because their package can't be used; the message says why."""


class DatasetWarning(UserWarning):
    """Data sets that are missing because their package can't be used; the message says why."""


class ItemColumnWarning(UserWarning):
    """A column not read as an annotator's because of its values or name; the message says why."""


def as_sentence(message: object, name: str = "") -> str:
    """Return a message as a complete sentence, for a note."""
    said = str(message).removeprefix(f"{name}: ")
    is_word = said.partition(" ")[0].rstrip(",;").isalpha()
    return said[:1].upper() + said[1:] if is_word else said


def report_faults(path: str | os.PathLike[str], faults: Sequence[str], remedy: str) -> None:
    """Raise one error for the faults of a file, if there are any.

    Parameters
    ----------
    path : path
        The file.
    faults : sequence of str
        The faults, each with its line if known; the first `MAX_FAULTS` are shown.
    remedy : str
        How to fix them.

    Raises
    ------
    ReaderError
        If there is a fault.
    """
    if faults:
        shown = "".join(f"\n  {fault}" for fault in faults[:MAX_FAULTS])
        more = f"\n  and {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
        raise ReaderError(f"{os.fspath(path)}:{shown}{more}\n{remedy}")


def check_level(level: float, name: str) -> None:
    """Reject a level outside (0, 1).

    Parameters
    ----------
    level : float
        The level.
    name : str
        Name of the caller, for messages.

    Raises
    ------
    AnnotationError
        If it is outside.
    """
    if not 0 < level < 1:
        raise AnnotationError(f"{name}: level must be between 0 and 1, got {level}; such as 0.95.")
