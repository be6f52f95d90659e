"""The benchmark of models: each on labels with a gold standard, under the same rules.

The rules, so that a new method is compared fairly with published ones:

- A method sees the labels alone: never the gold standard, the name of the data set or another
  method's answer. It runs as its `fit` does by default, from a seed of the method and the data.
- All labels of a data set are seen; scored are the items that have a gold category and at least
  one label. Nothing is tuned, so that there is no split into parts.
- Where several categories are equally probable, each counts by its share.
- A fit has a limit of processor time, compilation not counted. A method that exceeds it has no
  score there.
- Intervals come from resampling items. All methods see the same resampled items, so that
  differences are paired. No fit is repeated: the intervals are conditional on the fits.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import signal
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench import datasets, models
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.evaluation.scores import category_scores
from annobench.labels.annotations import Annotations
from annobench.models.base import best_categories

Floats = NDArray[np.float64]
Status = Literal["scored", "over budget", "not applicable", "failed"]
Kind = Literal["good", "mixed", "spam", "adversarial"]

#: The scores, and whether more is better.
SCORES: Final[Mapping[str, bool]] = {
    "accuracy": True,
    "macro_f": True,
    "log_loss": False,
    "brier": False,
    "calibration_error": False,
}

#: Models that all are compared with, where they were scored.
REFERENCES: Final = ("voting", "dawid_skene")

#: A smaller probability of the gold category counts as this in the log loss, which is then 13.8.
MIN_PROBABILITY: Final = 1e-6

#: Bins of equal width, [0, 0.1) to [0.9, 1], of the probability of the most probable category.
BINS: Final = 10

#: A quick fit is repeated until this many seconds are measured, as the processor's clock may be
#: coarse, but not more often than this.
MIN_TIMING_SECONDS: Final = 0.03
MAX_REPEATS: Final = 200

#: A fit that waits for something else than the processor is stopped after the limit times this.
TIMEOUT_FACTOR: Final = 10

KINDS: Final[tuple[Kind, ...]] = ("good", "mixed", "spam", "adversarial")


@dataclass(frozen=True, eq=False)
class BenchmarkCase:
    """Labels with a gold standard that the methods don't see.

    Attributes
    ----------
    name : str
        Of the data set or simulated regime.
    annotations : Annotations
        The labels.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories; -1 where there is none.
    provenance : str
        Either "real" or "simulated".
    """

    name: str
    annotations: Annotations
    gold: NDArray[np.int64]
    provenance: str

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Whether an item counts: it has a gold category and a label; shape (I,)."""
        counts = np.bincount(self.annotations.item, minlength=self.annotations.n_items)
        return np.asarray((self.gold >= 0) & (counts > 0))


@dataclass(frozen=True, eq=False)
class FitRecord:
    """The outcome of one method on one case.

    Attributes
    ----------
    problem, method : str
        Their names.
    status : {"scored", "over budget", "not applicable", "failed"}
        A method that refuses the labels is not applicable.
    note : str
        Why there is no score; empty otherwise.
    seconds : float
        Processor time of the fit, all threads together, the mean of several if it is short; NaN if
        there is none.
    peak_bytes : float
        By how much the fit raised the memory resident; NaN where that can't be measured.
    converged : bool or None
        What the fit says of its search; None if it says nothing.
    posterior : ndarray, shape (I, K), or None
        Probabilities of the categories; None unless scored.
    """

    problem: str
    method: str
    status: Status
    note: str = ""
    seconds: float = math.nan
    peak_bytes: float = math.nan
    converged: bool | None = None
    posterior: Floats | None = None


def score(posterior: ArrayLike, gold: ArrayLike) -> dict[str, float]:
    """Score probabilities of categories against a gold standard.

    Parameters
    ----------
    posterior : array_like, shape (I, K)
        Probabilities; rows sum to 1.
    gold : array_like of int, shape (I,)
        Codes of the gold categories; items with -1 are left out.

    Returns
    -------
    dict of str to float
        `accuracy` in [0, 1], where an item with t equally probable best categories counts 1/t if
        the gold category is among them; `macro_f` in [0, 1], the mean over categories of the
        F-scores, ties shared likewise; `log_loss` in nats, at most 13.8, the mean of minus the
        logarithm of the gold category's probability, or of 1e-6 if that is larger; `brier` in
        [0, 2], the mean squared distance to certainty of the gold category, summed over
        categories; `calibration_error` in [0, 1], the mean over items of the distance, in the
        item's bin of confidence, between mean confidence and accuracy, with ten bins of equal
        width.

    Raises
    ------
    AnnotationError
        If no item has a gold category, or a category is out of range.

    Notes
    -----
    The calibration error is biased upward where bins hold few items (Kumar, Liang and Ma 2019,
    Verified uncertainty calibration, section 4): compare it between methods on the same items.

    References
    ----------
    Brier (1950), Monthly Weather Review 78, 1-3, equation 2. Naeini, Cooper and Hauskrecht
    (2015), Obtaining well calibrated probabilities using Bayesian binning, section 3.

    Examples
    --------
    >>> found = score([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [0, 0, -1])
    >>> found["accuracy"], round(found["brier"], 3)  # (1 + 1/2) / 2, (0.02 + 0.5) / 2
    (0.75, 0.26)
    """
    table, codes = np.asarray(posterior, dtype=np.float64), np.asarray(gold, dtype=np.int64)
    kept = codes >= 0
    if not kept.any():
        raise AnnotationError("score: no item has a gold category. Score labels that have some.")
    if codes.max() >= table.shape[1]:
        raise AnnotationError(
            f"score: gold category {codes.max()} is not in [0, {table.shape[1]}). "
            "Give codes of the posterior's categories."
        )
    means = _features(table[kept], codes[kept]).mean(axis=0)
    values = _scores(means, table.shape[1])
    return dict(zip(SCORES, map(float, values), strict=True))


def _features(posterior: Floats, gold: NDArray[np.int64]) -> Floats:
    """Return what the scores are functions of the means of, shape (I, 3 + K * K + BINS)."""
    n, k = posterior.shape
    best = best_categories(posterior)
    shared = best / best.sum(axis=1, keepdims=True)
    is_gold = np.eye(k)[gold]
    right = shared[np.arange(n), gold]
    confidence = posterior.max(axis=1)
    # A share such as 7 / 10 can fall short of its bin's edge by rounding.
    place = np.minimum(np.floor(confidence * BINS + 1e-9).astype(np.int64), BINS - 1)
    return np.column_stack(
        [
            right,
            -np.log(np.maximum(posterior[np.arange(n), gold], MIN_PROBABILITY)),
            ((posterior - is_gold) ** 2).sum(axis=1),
            (is_gold[:, :, None] * shared[:, None, :]).reshape(n, k * k),
            np.eye(BINS)[place] * (confidence - right)[:, None],
        ]
    )


def _scores(means: Floats, n_categories: int) -> Floats:
    """Return the scores in their order, shape (..., 5), from the means of the features."""
    square = n_categories**2
    confusion = means[..., 3 : 3 + square].reshape(*means.shape[:-1], n_categories, n_categories)
    macro_f = category_scores(confusion).averaged_f1
    calibration = np.abs(means[..., 3 + square :]).sum(axis=-1)
    accuracy, log_loss, brier = (means[..., column] for column in range(3))
    return np.stack([accuracy, macro_f, log_loss, brier, calibration], axis=-1)


def compare(
    case: BenchmarkCase,
    records: Iterable[FitRecord],
    *,
    replicates: int,
    seed: int,
    level: float = 0.95,
) -> pd.DataFrame:
    """Score the methods on one case, with intervals and differences to the references.

    Parameters
    ----------
    case : BenchmarkCase
        The labels and golds.
    records : iterable of FitRecord
        Fits to it; those without a posterior are left out.
    replicates : int
        Resamples of the items.
    seed : int
        Of the resampling.
    level : float, default 0.95
        Of the intervals, in (0, 1).

    Returns
    -------
    DataFrame
        A row for every method and score: problem, provenance, n_items (scored), method, score,
        estimate, lower, upper, and for each reference r the difference ``minus_r`` with
        ``minus_r_lower`` and ``minus_r_upper``; NaN where the reference has no score. Intervals
        are percentiles.

    Raises
    ------
    AnnotationError
        If no item has both a gold category and a label.
    """
    kept = case.scored
    gold = case.gold[kept]
    if not gold.size:
        raise AnnotationError(
            f"compare: {case.name} has no item with a gold category and a label. Leave it out."
        )
    rng = np.random.default_rng([seed, zlib.crc32(case.name.encode())])
    weights = np.vstack([np.full(gold.size, 1 / gold.size), _resampled(gold.size, replicates, rng)])
    k = case.annotations.n_categories
    values = {
        record.method: _scores(weights @ _features(record.posterior[kept], gold), k)
        for record in records
        if record.posterior is not None
    }
    about = {
        "problem": case.name,
        "provenance": case.provenance,
        "n_items": gold.size,
        "n_labels": case.annotations.n_labels,
        "n_categories": k,
    }
    rows = []
    for method, own in values.items():
        versus = {
            f"minus_{name}": own - values[name] if name in values else np.full_like(own, np.nan)
            for name in REFERENCES
        }
        for column, name in enumerate(SCORES):
            row = about | {"method": method, "score": name}
            row |= _interval("estimate", "", own[:, column], level)
            for title, difference in versus.items():
                row |= _interval(title, f"{title}_", difference[:, column], level)
            rows.append(row)
    return pd.DataFrame(rows)


def _resampled(n: int, replicates: int, rng: np.random.Generator) -> Floats:
    """Return shares of n items drawn n times with replacement, shape (replicates, n)."""
    drawn = rng.integers(n, size=(replicates, n)) + n * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=n * replicates).reshape(replicates, n) / n


def _interval(title: str, prefix: str, values: Floats, level: float) -> dict[str, float]:
    """Name an estimate (the first value) and the percentiles of the others."""
    lower, upper = np.quantile(values[1:], [(1 - level) / 2, (1 + level) / 2])
    return {title: values[0], f"{prefix}lower": lower, f"{prefix}upper": upper}


def cases(
    folders: Iterable[Path], regimes: Mapping[str, Any] | None, seed: int
) -> list[BenchmarkCase]:
    """Read data sets, and simulate regimes of annotators.

    Parameters
    ----------
    folders : iterable of Path
        Of data sets; those without a gold label to score are left out.
    regimes : mapping or None
        Lists categories and labels_per_item, which are crossed with `KINDS`, and numbers items and
        annotators; None for no regimes.
    seed : int
        Of the simulation.

    Returns
    -------
    list of BenchmarkCase
        Data sets, then regimes.
    """
    read = (datasets.read(folder) for folder in folders)
    known = [BenchmarkCase(data.id, data.annotations, data.gold, data.provenance) for data in read]
    found = [case for case in known if case.scored.any()]
    if regimes is None:
        return found
    crossed = product(KINDS, regimes["categories"], regimes["labels_per_item"])
    return found + [
        simulate(
            kind,
            n_categories=n_categories,
            labels_per_item=n_labels,
            n_items=regimes["items"],
            n_annotators=regimes["annotators"],
            seed=seed,
        )
        for kind, n_categories, n_labels in crossed
    ]


def in_order(cases: Sequence[BenchmarkCase], records: Iterable[FitRecord]) -> list[FitRecord]:
    """Sort records by method, then by the number of labels, as `fit_all` returns them.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        Of which equally large ones stay in this order.
    records : iterable of FitRecord
        From any number of calls of `fit_all`.

    Returns
    -------
    list of FitRecord
        All of them.
    """
    ordered = sorted(cases, key=lambda case: case.annotations.n_labels)
    place = {case.name: n for n, case in enumerate(ordered)}
    return sorted(records, key=lambda record: (record.method, place[record.problem]))


def fit_all(
    cases: Sequence[BenchmarkCase],
    *,
    limit: float,
    seed: int,
    methods: Sequence[str] | None = None,
) -> list[FitRecord]:
    """Fit models to cases, each fit within the limit.

    Parameters
    ----------
    cases : sequence of BenchmarkCase
        Fitted from the one with the fewest labels.
    limit : float
        Processor time of a fit in seconds, more than 0.
    seed : int
        With the names of method and case it makes the generator of a random method.
    methods : sequence of str, optional
        Names of models; by default all that are discovered.

    Returns
    -------
    list of FitRecord
        One for each pair of method and case.

    Raises
    ------
    ValueError
        If the limit is not positive.

    Notes
    -----
    To be called in the main thread, since the limit is set by a signal. A fit inside compiled code
    is stopped when that code returns. Each model is fitted to tiny labels first, so that
    compilation is not counted.
    """
    if not limit > 0:
        raise ValueError(f"fit_all: limit must be more than 0 seconds, got {limit}.")
    found = models.discover()
    ordered = sorted(cases, key=lambda case: case.annotations.n_labels)
    records = []
    for name in sorted(found) if methods is None else methods:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _compile(found[name])
            records += [_fit(found[name], case, limit, seed) for case in ordered]
    return records


def _compile(model: ModuleType) -> None:
    """Fit a model to tiny labels."""
    for n_categories in (2, 3):
        item, annotator = np.divmod(np.arange(24), 4)
        label = (item + (annotator == item % 4)) % n_categories
        tiny = Annotations.from_arrays(item, annotator, label, categories=range(n_categories))
        if not _refusal(model, tiny):
            # What it can't fit here it is recorded for elsewhere.
            with suppress(Exception):
                _fitted(model, tiny, [0])


def _refusal(model: ModuleType, annotations: Annotations) -> str:
    try:
        model.METHOD.check(annotations)
    except AnnotationError as error:
        return str(error)
    return ""


class _TimeLimitExceeded(BaseException):
    """Not an `Exception`, so that no model takes it for an error of its own."""


def _fit(model: ModuleType, case: BenchmarkCase, limit: float, seed: int) -> FitRecord:
    """Fit, and record what it gave and cost, or why it gave nothing."""
    name, annotations = model.METHOD.name, case.annotations
    record = FitRecord(case.name, name, "over budget", f"more than {limit:g} s of processor time")
    if reason := _refusal(model, annotations):
        return replace(record, status="not applicable", note=reason)
    entropy = [seed, zlib.crc32(name.encode()), zlib.crc32(case.name.encode())]
    resident = _reset_peak()
    start, repeats = time.process_time(), 1
    try:
        with _time_limit(limit):
            fitted = _fitted(model, annotations, entropy)
        spent = time.process_time() - start
        peak = _memory("VmHWM")
        posterior = _checked(fitted.posterior, annotations)
        while spent < MIN_TIMING_SECONDS and repeats < MAX_REPEATS:
            _fitted(model, annotations, entropy)
            repeats += 1
            spent = time.process_time() - start
    except _TimeLimitExceeded:
        return replace(record, seconds=time.process_time() - start)
    except AnnotationError as error:
        return replace(record, status="not applicable", note=str(error))
    except Exception as error:
        return replace(record, status="failed", note=f"{type(error).__name__}: {error}")
    record = replace(
        record,
        seconds=spent / repeats,
        peak_bytes=max(0.0, peak - resident),
        converged=getattr(fitted, "converged", None),
    )
    # The signal arrives late where compiled code runs long.
    if record.seconds > limit:
        return record
    return replace(record, status="scored", note="", posterior=posterior)


def _fitted(model: ModuleType, annotations: Annotations, entropy: list[int]) -> Any:
    # A copy, as annotations keep the orders that a fit has asked for.
    options = {} if model.METHOD.deterministic else {"rng": np.random.default_rng(entropy)}
    return model.fit(replace(annotations), **options)


def _checked(posterior: Any, annotations: Annotations) -> Floats:
    table = np.asarray(posterior, dtype=np.float64)
    shape = (annotations.n_items, annotations.n_categories)
    if table.shape != shape:
        raise ValueError(f"its posterior has shape {table.shape}, not {shape}")
    if not ((table >= 0).all() and np.allclose(table.sum(axis=1), 1, rtol=0, atol=1e-6)):
        raise ValueError("its posterior has rows that are no probabilities")
    return table


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_TimeLimitExceeded` after so much processor time, or much more elapsed time."""

    def stop(*_: object) -> None:
        raise _TimeLimitExceeded

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
    """Let the peak of resident memory begin anew; return what is resident."""
    # What was freed but kept would be used again and not show.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return math.nan
    return _memory("VmRSS")


def _memory(field: str) -> float:
    """Return what the system says of this process's memory, in bytes; NaN if it says nothing."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return math.nan
    found = [float(line.split()[1]) for line in lines if line.startswith(f"{field}:")]
    return 1024 * found[0] if found else math.nan


def write_fits(records: Iterable[FitRecord], stem: str | os.PathLike[str]) -> None:
    """Write records of fits as ``<stem>.json``, and their posteriors as ``<stem>.npz``.

    Parameters
    ----------
    records : iterable of FitRecord
        Nothing is rounded.
    stem : path
        Path without the ending; its folder exists.
    """
    found = list(records)
    rows = [asdict(replace(each, posterior=None)) for each in found]
    with replacing(f"{os.fspath(stem)}.json") as draft:
        draft.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    tables = {
        str(row): each.posterior for row, each in enumerate(found) if each.posterior is not None
    }
    with replacing(f"{os.fspath(stem)}.npz") as draft, draft.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **tables)


def read_fits(stem: str | os.PathLike[str]) -> list[FitRecord]:
    """Read what `write_fits` wrote.

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
    with np.load(f"{os.fspath(stem)}.npz") as tables:
        return [FitRecord(**row | {"posterior": tables.get(str(n))}) for n, row in enumerate(rows)]


def tabulate(cases: Iterable[BenchmarkCase], records: Iterable[FitRecord]) -> pd.DataFrame:
    """Tabulate the outcome and the cost of each fit.

    Parameters
    ----------
    cases : iterable of BenchmarkCase
        All that were fitted.
    records : iterable of FitRecord
        As from `fit_all`.

    Returns
    -------
    DataFrame
        A row for each record: problem, provenance, n_labels, method, status, seconds of processor
        time, megabytes, converged, note.
    """
    by_name = {case.name: case for case in cases}
    return pd.DataFrame(
        [
            {
                "problem": each.problem,
                "provenance": by_name[each.problem].provenance,
                "n_labels": by_name[each.problem].annotations.n_labels,
                "method": each.method,
                "status": each.status,
                "seconds": each.seconds,
                "megabytes": each.peak_bytes / 1e6,
                "converged": each.converged,
                "note": each.note,
            }
            for each in records
        ]
    )


def verdict(table: pd.DataFrame, reference: str) -> pd.Series[str]:
    """Say whether a method does better than a reference.

    Parameters
    ----------
    table : DataFrame
        Rows of `compare`.
    reference : str
        One of `REFERENCES`.

    Returns
    -------
    Series of str
        "better" or "worse" where the interval of the difference lies wholly on one side of 0,
        "unclear" where it does not, "" where there is no difference to tell.
    """
    lower, upper = (table[f"minus_{reference}_{end}"] for end in ("lower", "upper"))
    more_is_better = table["score"].map(SCORES).astype(bool)
    named = np.select(
        [lower.isna() | (table["method"] == reference), lower > 0, upper < 0],
        [
            "",
            np.where(more_is_better, "better", "worse"),
            np.where(more_is_better, "worse", "better"),
        ],
        "unclear",
    )
    return pd.Series(named, index=table.index, name=f"versus_{reference}")


def simulate(
    kind: Kind,
    *,
    n_categories: int,
    labels_per_item: int,
    n_items: int,
    n_annotators: int,
    seed: int,
) -> BenchmarkCase:
    """Simulate labels of annotators of one kind, with known categories as gold standard.

    Parameters
    ----------
    kind : {"good", "mixed", "spam", "adversarial"}
        An annotator has one probability of being right, and errs evenly. In "good" it is drawn
        from beta(17, 3), with mean 0.85; in "mixed" evenly between chance, 1/K, and 0.95. In
        "spam" half of the annotators are good, and the others draw labels from a uniform
        Dirichlet distribution of their own without regard to the item. In "adversarial" seven in
        ten are good, and the others say the next category where the good say the right one.
    n_categories : int
        K, at least 2. The first category is twice as frequent as each other.
    labels_per_item : int
        By different annotators, chosen evenly; at most `n_annotators`.
    n_items, n_annotators : int
        I and J.
    seed : int
        With the other arguments it makes the generator.

    Returns
    -------
    BenchmarkCase
        Its name tells kind, K and labels per item.

    Raises
    ------
    ValueError
        If the kind is unknown, or there are fewer annotators than labels an item.
    """
    if kind not in KINDS:
        raise ValueError(f"simulate: kind must be one of {KINDS}, got {kind!r}.")
    if labels_per_item > n_annotators:
        raise ValueError(
            f"simulate: {labels_per_item} labels per item need as many annotators, "
            f"got {n_annotators}."
        )
    size = (n_categories, labels_per_item, n_items, n_annotators)
    rng = np.random.default_rng([seed, KINDS.index(kind), *size])
    share = np.r_[2.0, np.ones(n_categories - 1)] / (n_categories + 1)
    category = rng.choice(n_categories, n_items, p=share)
    confusion = _confusions(kind, n_annotators, n_categories, rng)
    chosen = rng.random((n_items, n_annotators)).argsort(axis=1)[:, :labels_per_item]
    item, annotator = np.repeat(np.arange(n_items), labels_per_item), chosen.ravel()
    bounds = np.cumsum(confusion[annotator, category[item]], axis=1)[:, :-1]
    label = (rng.random(item.size)[:, None] >= bounds).sum(axis=1)
    return BenchmarkCase(
        f"{kind}, K = {n_categories}, {labels_per_item} labels",
        Annotations.from_arrays(
            item,
            annotator,
            label,
            items=range(n_items),
            annotators=range(n_annotators),
            categories=range(n_categories),
        ),
        category.astype(np.int64),
        "simulated",
    )


def _confusions(kind: Kind, n_annotators: int, k: int, rng: np.random.Generator) -> Floats:
    """Draw the confusion matrices of annotators, shape (J, K, K)."""
    right = rng.beta(17, 3, n_annotators)
    if kind == "mixed":
        right = rng.uniform(1 / k, 0.95, n_annotators)
    off = (1 - right) / (k - 1)
    result = off[:, None, None] + (right - off)[:, None, None] * np.eye(k)
    if kind == "spam":
        spammers = n_annotators // 2
        result[:spammers] = rng.dirichlet(np.ones(k), spammers)[:, None, :]
    if kind == "adversarial":
        others = round(0.3 * n_annotators)
        result[:others] = np.roll(result[:others], 1, axis=2)
    return np.asarray(result)
