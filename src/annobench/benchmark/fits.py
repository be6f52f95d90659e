"""Fits with a limit of processor time, and their records in files."""

from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from annobench.benchmark.cases import BenchmarkCase
from annobench.core.errors import AnnotationError, MethodTimeoutError
from annobench.core.files import replacing
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._guard import against_votes
from annobench.models.base import Method

__all__ = [
    "FitRecord",
    "Model",
    "fit_all",
    "fit_once",
    "in_order",
    "prepare",
    "read_fits",
    "write_fits",
]

Floats = NDArray[np.float64]
Status = Literal["scored", "over budget", "not applicable", "failed"]

#: What a record has that is no plain value.
ARRAYS: Final = ("posterior", "confusion")

#: A quick fit is repeated until this many seconds are measured, as the processor's clock may be
#: coarse, but not more often than this.
MIN_TIMING_SECONDS: Final = 0.01
MAX_REPEATS: Final = 200

#: A fit that waits for something else than the processor is stopped after the limit times this.
TIMEOUT_FACTOR: Final = 10


class Model(Protocol):
    """A method to compare: a module of `annobench.models`, or any object with these attributes.

    Attributes
    ----------
    METHOD : Method
        The record; its name must be unique.
    fit : callable
        Maps annotations, and `rng` unless the record is deterministic, to an object with
        `posterior`, optionally `converged` and `confusion`, and, if the fit was a separate process,
        its `seconds` and `peak_bytes`.
    """

    METHOD: Method
    fit: Any


@dataclass(frozen=True, eq=False)
class FitRecord:
    """The outcome of one method on one case.

    Attributes
    ----------
    problem, method : str
        Their names.
    status : {"scored", "over budget", "not applicable", "failed"}
        A method that rejects the labels is not applicable.
    note : str
        The reason if there is no score; otherwise the cautions from comparing it with the votes.
    seconds : float
        Processor time of the fit over all threads, averaged over several fits if short; NaN if
        there is none.
    peak_bytes : float
        Increase of resident memory during the fit; NaN if it can't be measured.
    converged : bool or None
        Whether the fit converged; None if unknown.
    posterior : ndarray, shape (I, K), or None
        Probabilities of the categories; None unless scored.
    confusion : ndarray, shape (J, K, K), or None
        Confusion matrices of the annotators, if estimated.
    """

    problem: str
    method: str
    status: Status
    note: str = ""
    seconds: float = math.nan
    peak_bytes: float = math.nan
    converged: bool | None = None
    posterior: Floats | None = None
    confusion: Floats | None = None


def in_order(cases: Sequence[BenchmarkCase], records: Iterable[FitRecord]) -> list[FitRecord]:
    """Sort records by method, then by the number of labels, as `fit_all` returns them.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        The cases; ties in size keep this order.
    records : iterable of FitRecord
        Records from any number of calls of `fit_all`.

    Returns
    -------
    list of FitRecord
        All of them.
    """
    ordered = sorted(cases, key=lambda case: case.annotations.n_labels)
    place = {case.name: n for n, case in enumerate(ordered)}
    return sorted(records, key=lambda record: (record.method, place[record.problem]))


def fit_all(
    cases: Sequence[BenchmarkCase], methods: Iterable[Model], *, limit: float, seed: int
) -> list[FitRecord]:
    """Fit methods to cases, each fit within the limit.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        The cases, fitted in order of their number of labels.
    methods : iterable of Model
        The methods, such as the values of `annobench.models.discover`.
    limit : float
        Processor time of a fit in seconds, more than 0.
    seed : int
        Together with the names of method and case it seeds a random method.

    Returns
    -------
    list of FitRecord
        One per pair of method and case, by method.

    Raises
    ------
    ValueError
        If the limit is not positive.

    Notes
    -----
    Must be called in the main thread, since the limit is set by a signal. A fit inside compiled
    code is stopped when that code returns. Each method is fitted to tiny labels first, so that
    compilation is not counted.
    """
    if not limit > 0:
        raise ValueError(f"fit_all: limit must be more than 0 seconds, got {limit}.")
    ordered = sorted(cases, key=lambda case: case.annotations.n_labels)
    records = []
    for method in methods:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            prepare(method)
            records += [_fit(method, case, limit, seed) for case in ordered]
    return records


def prepare(model: Model) -> None:
    """Fit a method to tiny labels, so that what it compiles is compiled.

    Parameters
    ----------
    model : Model
        The method; its errors are ignored here.
    """
    for n_categories in (2, 3):
        item, annotator = np.divmod(np.arange(24), 4)
        label = (item + (annotator == item % 4)) % n_categories
        tiny = Annotations.from_arrays(item, annotator, label, categories=range(n_categories))
        if not _refusal(model, tiny):
            # What it can't fit here it is recorded for elsewhere.
            with suppress(Exception):
                _fitted(model, tiny, [0])


def _refusal(model: Model, annotations: Annotations) -> str:
    try:
        model.METHOD.check(annotations)
    except AnnotationError as error:
        return str(error)
    return ""


class TimeLimitExceeded(BaseException):
    """The time limit of a fit is exceeded. Not an `Exception`, so that no model catches it."""


def _fit(model: Model, case: BenchmarkCase, limit: float, seed: int) -> FitRecord:
    """Fit a method, and record result and cost, or the reason for failure."""
    name, annotations = model.METHOD.name, case.annotations
    record = FitRecord(case.name, name, "over budget", f"more than {limit:g} s of processor time")
    if reason := _refusal(model, annotations):
        return replace(record, status="not applicable", note=reason)
    entropy = [seed, zlib.crc32(name.encode()), zlib.crc32(case.name.encode())]
    resident = _reset_peak()
    start, repeats = time.process_time(), 1
    try:
        with _time_limit(limit):
            fitted = _fitted(model, annotations, entropy, case.name)
        spent = time.process_time() - start
        peak = _memory("VmHWM")
        posterior, confusion = _checked(fitted, annotations)
        # A program that is a process of its own says what it took.
        alone = not math.isnan(getattr(fitted, "seconds", math.nan))
        while not alone and spent < MIN_TIMING_SECONDS and repeats < MAX_REPEATS:
            _fitted(model, annotations, entropy, case.name)
            repeats += 1
            spent = time.process_time() - start
    except TimeLimitExceeded:
        return replace(record, seconds=time.process_time() - start)
    except MethodTimeoutError as error:
        return replace(record, seconds=limit, note=str(error))
    except AnnotationError as error:
        return replace(record, status="not applicable", note=str(error))
    except Exception as error:
        return replace(record, status="failed", note=f"{type(error).__name__}: {error}")
    record = replace(
        record,
        seconds=fitted.seconds if alone else spent / repeats,
        peak_bytes=fitted.peak_bytes if alone else max(0.0, peak - resident),
        converged=getattr(fitted, "converged", None),
    )
    # The signal arrives late where compiled code runs long.
    if record.seconds > limit:
        return record
    said = " ".join(each.text for each in against_votes(posterior, annotations))
    return replace(record, status="scored", note=said, posterior=posterior, confusion=confusion)


def fit_once(
    model: Model, annotations: Annotations, entropy: list[int], limit: float, case: str = ""
) -> Any:
    """Fit a method within a limit.

    Parameters
    ----------
    model : Model
        The method.
    annotations : Annotations
        The labels.
    entropy : list of int
        Seeds the generator of a random method.
    limit : float
        Processor time in seconds, more than 0.
    case : str, optional
        Name of the data set.

    Returns
    -------
    Any
        What the method's `fit` returns, with `posterior` as an array of probabilities.

    Raises
    ------
    AnnotationError
        If the method rejects the labels.
    TimeLimitExceeded
        If it takes longer.
    ValueError
        If its posterior is invalid.
    """
    annotations = as_annotations(annotations, "fit_once")
    model.METHOD.check(annotations)
    with _time_limit(limit):
        fitted = _fitted(model, annotations, entropy, case)
    _checked(fitted, annotations)
    return fitted


def _fitted(model: Model, annotations: Annotations, entropy: list[int], case: str = "") -> Any:
    options = {} if model.METHOD.deterministic else {"rng": np.random.default_rng(entropy)}
    if "unseen" in model.METHOD.offers:
        # What was learned from labels with gold is not to have seen these.
        options |= cast(Any, model).unseen(case)
    # A copy, as annotations keep the orders that a fit has asked for.
    return model.fit(replace(annotations), **options)


def _checked(fitted: Any, annotations: Annotations) -> tuple[Floats, Floats | None]:
    """Return posterior and confusion matrices of a fit after checking them."""
    n_items, k = annotations.n_items, annotations.n_categories
    table = np.asarray(fitted.posterior, dtype=np.float64)
    if table.shape != (n_items, k):
        raise ValueError(f"its posterior has shape {table.shape}, not {(n_items, k)}")
    if not ((table >= 0).all() and np.allclose(table.sum(axis=1), 1, rtol=0, atol=1e-6)):
        raise ValueError("its posterior has rows that are not probabilities")
    given = getattr(fitted, "confusion", None)
    if given is None:
        return table, None
    confusion, shape = np.asarray(given, dtype=np.float64), (annotations.n_annotators, k, k)
    if confusion.shape != shape:
        raise ValueError(f"its confusion matrices have shape {confusion.shape}, not {shape}")
    return table, confusion


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimitExceeded` after the limit of processor time, or much more elapsed time."""

    def stop(*_: object) -> None:
        raise TimeLimitExceeded

    timers = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    usual = {name: signal.signal(name, stop) for name in timers}
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, TIMEOUT_FACTOR * seconds + 60)
        yield
    finally:
        for name, timer in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(name, usual[name])


def _reset_peak() -> float:
    """Reset the peak of resident memory, and return the resident memory."""
    # What was freed but kept would be used again and not show.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return math.nan
    return _memory("VmRSS")


def _memory(field: str) -> float:
    """Return a figure of this process's memory in bytes; NaN if unavailable."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return math.nan
    found = [float(line.split()[1]) for line in lines if line.startswith(f"{field}:")]
    return 1024 * found[0] if found else math.nan


def write_fits(records: Iterable[FitRecord], stem: str | os.PathLike[str]) -> None:
    """Write records of fits as ``<stem>.json``, and their arrays as ``<stem>.npz``.

    Parameters
    ----------
    records : iterable of FitRecord
        The records; nothing is rounded.
    stem : path
        Path without the ending; its folder exists.
    """
    found = list(records)
    rows = [asdict(replace(each, posterior=None, confusion=None)) for each in found]
    with replacing(f"{os.fspath(stem)}.json") as draft:
        draft.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    arrays = {
        f"{name}_{row}": array
        for row, each in enumerate(found)
        for name in ARRAYS
        if (array := getattr(each, name)) is not None
    }
    with replacing(f"{os.fspath(stem)}.npz") as draft, draft.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_fits(stem: str | os.PathLike[str]) -> list[FitRecord]:
    """Read records written by `write_fits`.

    Parameters
    ----------
    stem : path
        Path without the ending.

    Returns
    -------
    list of FitRecord
        In the same order.
    """
    rows = json.loads(Path(f"{os.fspath(stem)}.json").read_text(encoding="utf-8"))
    # Opened here, as NumPy leaves open what is no archive.
    with Path(f"{os.fspath(stem)}.npz").open("rb") as file, np.load(file) as arrays:
        return [
            FitRecord(**row | {name: arrays.get(f"{name}_{n}") for name in ARRAYS})
            for n, row in enumerate(rows)
        ]
