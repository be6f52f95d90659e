"""Parsing of times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError

__all__ = ["parse_times"]

#: Numbers beyond these count seconds, or milliseconds, since 1970.
_SECONDS, _MILLISECONDS = 1e8, 1e11

#: Of C's asctime with a time zone before the year, as in Mechanical Turk's files.
_ASCTIME = re.compile(
    r"^[A-Z][a-z]{2} ([A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d)(?: [A-Z]{2,5})? (\d{4})$"
)

#: Day and month in numbers, in either order, before the year.
_SLASHED = re.compile(r"^\d{1,2}([/.-])\d{1,2}\1\d{4}")


def parse_times(texts: Sequence[str], what: str) -> NDArray[Any]:
    """Parse times in a common format.

    Parameters
    ----------
    texts : sequence of str
        ISO 8601 dates and times, seconds or milliseconds since 1970, other numbers, C's asctime
        (Tue Nov 24 10:05:00 PST 2026, without regard to the zone), or dates with day and month in
        numbers; empty if unknown.
    what : str
        Description, for messages.

    Returns
    -------
    ndarray of datetime64 or float, shape (N,)
        Times; numbers that are not seconds stay numbers. NaT or NaN if unknown.

    Raises
    ------
    AnnotationError
        If a time can't be read, or all are ambiguous between day first and month first.

    Examples
    --------
    >>> parse_times(["2026-11-24T10:05:00Z", ""], "time").tolist()
    [datetime.datetime(2026, 11, 24, 10, 5), None]
    >>> parse_times(["24/11/2026", "01/12/2026"], "time").astype("datetime64[D]").tolist()
    [datetime.date(2026, 11, 24), datetime.date(2026, 12, 1)]
    """
    given = pd.Series(list(texts), dtype="str").str.strip()
    known = given[given != ""]
    if known.empty:
        raise AnnotationError(f"{what}: no label has a time. Name another column.")
    numbers = pd.to_numeric(known, errors="coerce")
    if numbers.notna().all():
        found = _of_numbers(numbers)
    elif (asctime := known.str.extract(_ASCTIME)).notna().all(axis=None):
        found = pd.to_datetime(asctime[0] + " " + asctime[1], format="%b %d %H:%M:%S %Y")
    elif known.str.match(_SLASHED).all():
        found = _of_slashed(known, what)
    else:
        found = _parsed(known, "ISO8601")
        if found.isna().any():
            found = _parsed(known.str.removesuffix(" UTC"), "ISO8601")
    if found.isna().any():
        raise AnnotationError(
            f"{what}: {known[found.isna()].iloc[0]!r} is not a readable time. Write times as "
            "2026-11-24 10:05:00, or as increasing numbers."
        )
    full = found.reindex(given.index)
    if pd.api.types.is_numeric_dtype(full):
        return full.to_numpy(dtype=np.float64)
    return full.to_numpy(dtype="datetime64[s]")


def _of_numbers(numbers: pd.Series[float]) -> pd.Series[Any]:
    """Interpret large numbers as seconds or milliseconds since 1970."""
    least = float(numbers.min())
    if least < _SECONDS:
        return numbers
    return pd.to_datetime(numbers, unit="ms" if least >= _MILLISECONDS else "s")


def _of_slashed(known: pd.Series[str], what: str) -> pd.Series[Any]:
    """Parse dates with numeric day and month, if the column is unambiguous."""
    plain = known.str.replace(r"^(\d{1,2})[/.-](\d{1,2})[/.-]", r"\1/\2/", regex=True)
    ways = {}
    for first, date in (("day", "%d/%m/%Y"), ("month", "%m/%d/%Y")):
        for time in ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p"):
            read = _parsed(plain, date + time)
            if read.notna().all():
                ways[first] = read
    if len(ways) == 2 and not ways["day"].equals(ways["month"]):
        raise AnnotationError(
            f"{what}: {known.iloc[0]!r} and all others may be read with the day or the month "
            "first. Write times as 2026-11-24 10:05:00."
        )
    return next(iter(ways.values()), pd.Series(pd.NaT, index=known.index))


def _parsed(texts: pd.Series[str], format: str) -> pd.Series[Any]:
    """Read times in one format, without their zone; NaT where that fails."""
    return pd.to_datetime(texts, format=format, errors="coerce", utc=True).dt.tz_localize(None)


def as_numbers(times: ArrayLike, n_labels: int, caller: str) -> tuple[NDArray[np.float64], bool]:
    """Convert the times of labels to numbers."""
    given = np.asarray(times)
    if given.shape != (n_labels,):
        raise AnnotationError(
            f"{caller}: times have the shape {given.shape}, and there are {n_labels:,} labels. "
            "Give one time per label."
        )
    if np.issubdtype(given.dtype, np.datetime64):
        passed = given.astype("datetime64[us]").astype(np.int64)
        return np.where(np.isnat(given), np.nan, passed.astype(np.float64)), True
    try:
        return given.astype(np.float64), False
    except (TypeError, ValueError) as error:
        raise AnnotationError(
            f"{caller}: times are neither numbers nor datetime64. Convert them, such as with "
            "pandas.to_datetime."
        ) from error
