"""Baselines: every model on labels with a gold standard, under the same rules.

The rules, so that a new method is compared fairly with published ones:

- A method sees the labels alone: never the gold standard, the name of the data set or another
  method's answer. It runs as its `fit` does by default, from a seed of the method and the data.
- All labels of a data set are seen; scored are the items that have a gold category and at least
  one label. Nothing is tuned, so that there is no split into parts.
- Where several categories are equally probable, each counts by its share.
- A fit has a limit of processor time, compilation not counted. A method that exceeds it gets no
  score there, and is not tried on data with as many labels, annotators and categories or more.
- Intervals come from resampling items. All methods see the same resampled items, so that
  differences are paired. No fit is repeated: the annotators, and what was learnt of them, stand.
"""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import resource
import signal
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench import models
from annobench.core.errors import AnnotationError
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
SMALLEST: Final = 1e-6

#: Bins of equal width, [0, 0.1) to [0.9, 1], of the probability of the most probable category.
BINS: Final = 10

#: Quick fits are repeated for so many seconds, as the clock of the processor may be coarse.
SHORTEST: Final = 0.03
MOST_REPEATS: Final = 200

#: A fit that waits for something else than the processor is given up after the limit times this.
PATIENCE: Final = 10

KINDS: Final[tuple[Kind, ...]] = ("good", "mixed", "spam", "adversarial")


@dataclass(frozen=True, eq=False)
class Problem:
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
class Attempt:
    """What came of one method on one problem.

    Attributes
    ----------
    problem, method : str
        Names.
    status : {"scored", "over budget", "not applicable", "failed"}
        A method that refuses the labels is not applicable.
    note : str
        Why it is not scored; empty otherwise.
    seconds : float
        Processor time of the fit, all threads together, the mean of several if it is short; NaN if
        it was not made.
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
        raise AnnotationError(
            "baselines.score: no item has a gold category. Score labels that have some."
        )
    if codes.max() >= table.shape[1]:
        raise AnnotationError(
            f"baselines.score: gold category {codes.max()} is not in [0, {table.shape[1]}). "
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
            -np.log(np.maximum(posterior[np.arange(n), gold], SMALLEST)),
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
    problem: Problem,
    attempts: Iterable[Attempt],
    *,
    replicates: int,
    seed: int,
    level: float = 0.95,
) -> pd.DataFrame:
    """Score the methods of one problem, with intervals and differences to the references.

    Parameters
    ----------
    problem : Problem
        The labels and golds.
    attempts : iterable of Attempt
        What the methods made of it; those without a posterior are left out.
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
    kept = problem.scored
    gold = problem.gold[kept]
    if not gold.size:
        raise AnnotationError(
            f"baselines: {problem.name} has no item with a gold category and a label. Leave it out."
        )
    rng = np.random.default_rng([seed, zlib.crc32(problem.name.encode())])
    weights = np.vstack([np.full(gold.size, 1 / gold.size), _resampled(gold.size, replicates, rng)])
    k = problem.annotations.n_categories
    values = {
        attempt.method: _scores(weights @ _features(attempt.posterior[kept], gold), k)
        for attempt in attempts
        if attempt.posterior is not None
    }
    about = {
        "problem": problem.name,
        "provenance": problem.provenance,
        "n_items": gold.size,
        "n_labels": problem.annotations.n_labels,
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


def attempt_all(
    problems: Sequence[Problem], *, limit: float, seed: int, methods: Sequence[str] | None = None
) -> list[Attempt]:
    """Fit every model to every problem, each within the limit.

    Parameters
    ----------
    problems : sequence of Problem
        Tried from the one with the fewest labels.
    limit : float
        Processor time of a fit in seconds, more than 0.
    seed : int
        With the names of method and problem it makes the generator of a random method.
    methods : sequence of str, optional
        Names of models; by default all that are discovered.

    Returns
    -------
    list of Attempt
        One for each pair.

    Raises
    ------
    ValueError
        If the limit is not positive.

    Notes
    -----
    Each model runs in a process of its own, which is ended when its time is up. It fits some
    tiny labels first, so that compilation is not counted.
    """
    if not limit > 0:
        raise ValueError(f"baselines.attempt_all: limit must be more than 0 seconds, got {limit}.")
    found = models.discover()
    ordered = sorted(problems, key=lambda problem: problem.annotations.n_labels)
    return [
        attempt
        for name in (sorted(found) if methods is None else methods)
        for attempt in _attempt_in_turn(found[name], ordered, limit, seed)
    ]


def _attempt_in_turn(
    model: ModuleType, problems: Sequence[Problem], limit: float, seed: int
) -> Iterator[Attempt]:
    """Try one model on problems in ascending order of labels."""
    name = model.METHOD.name
    exceeded: list[Problem] = []
    worker: _Worker | None = None
    for problem in problems:
        attempt = Attempt(problem.name, name, "over budget")
        smaller = next((each for each in exceeded if _at_least_as_large(problem, each)), None)
        if reason := _refusal(model, problem.annotations):
            attempt = replace(attempt, status="not applicable", note=reason)
        elif smaller:
            attempt = replace(attempt, note=f"not tried, as {smaller.name} took too long")
        else:
            worker = worker or _Worker(model)
            entropy = [seed, zlib.crc32(name.encode()), zlib.crc32(problem.name.encode())]
            attempt = replace(attempt, **worker.run(problem.annotations, entropy, limit))
            if attempt.status == "over budget":
                exceeded.append(problem)
            if not worker.process.is_alive():
                worker = None
        yield attempt
    if worker:
        worker.close()


def _at_least_as_large(problem: Problem, other: Problem) -> bool:
    ours, theirs = (
        (each.n_labels, each.n_annotators, each.n_categories)
        for each in (problem.annotations, other.annotations)
    )
    return all(own >= its for own, its in zip(ours, theirs, strict=True))


def _refusal(model: ModuleType, annotations: Annotations) -> str:
    try:
        model.METHOD.check(annotations)
    except AnnotationError as error:
        return str(error)
    return ""


class _Worker:
    """A process that fits one model to what it is sent."""

    def __init__(self, model: ModuleType) -> None:
        # Forked, as a process started anew would run the calling script again.
        context = multiprocessing.get_context("fork")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, model), daemon=True)
        self.process.start()
        other.close()

    def run(self, annotations: Annotations, entropy: list[int], limit: float) -> dict[str, Any]:
        """Return the fields of an attempt; the process is gone if the limit was exceeded."""
        over = {"status": "over budget", "note": f"more than {limit:g} s of processor time"}
        try:
            self.connection.send((annotations, entropy, limit))
            if self.connection.poll(PATIENCE * limit + 60):
                answer: dict[str, Any] = self.connection.recv()
                late = answer.get("seconds", 0) > limit
                return answer | over | {"posterior": None} if late else answer
        except (EOFError, ConnectionError):
            self.process.join()
            code = self.process.exitcode
            if code != -signal.SIGXCPU:
                return {"status": "failed", "note": f"its process ended with code {code}"}
        self.close()
        return over

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, model: ModuleType) -> None:
    """Fit the model to whatever comes, in a process of its own."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n_categories in (2, 3):
            toy = _toy(n_categories)
            if not _refusal(model, toy):
                _fit(model, toy, [0])
        while True:
            annotations, entropy, limit = connection.recv()
            with _processor_limit(limit):
                answer = _fit(model, annotations, entropy)
            connection.send(answer)


def _toy(n_categories: int) -> Annotations:
    item, annotator = np.divmod(np.arange(24), 4)
    label = (item + (annotator == item % 4)) % n_categories
    return Annotations.from_arrays(item, annotator, label, categories=range(n_categories))


def _fit(model: ModuleType, annotations: Annotations, entropy: list[int]) -> dict[str, Any]:
    """Fit, and return the fields of an attempt."""

    def once() -> Any:
        # A copy, as annotations keep the orders that a fit has asked for.
        options = {} if model.METHOD.deterministic else {"rng": np.random.default_rng(entropy)}
        return model.fit(replace(annotations), **options)

    resident = _reset_peak()
    start, repeats = time.process_time(), 1
    try:
        fitted = once()
        peak = _memory("VmHWM")
        posterior = _checked(fitted.posterior, annotations)
        while (spent := time.process_time() - start) < SHORTEST and repeats < MOST_REPEATS:
            once()
            repeats += 1
    except AnnotationError as error:
        return {"status": "not applicable", "note": str(error)}
    except Exception as error:
        return {"status": "failed", "note": f"{type(error).__name__}: {error}"}
    return {
        "status": "scored",
        "seconds": spent / repeats,
        "peak_bytes": max(0.0, peak - resident),
        "converged": getattr(fitted, "converged", None),
        "posterior": posterior,
    }


def _checked(posterior: Any, annotations: Annotations) -> Floats:
    table = np.asarray(posterior, dtype=np.float64)
    shape = (annotations.n_items, annotations.n_categories)
    if table.shape != shape:
        raise ValueError(f"its posterior has shape {table.shape}, not {shape}")
    if not ((table >= 0).all() and np.allclose(table.sum(axis=1), 1, rtol=0, atol=1e-6)):
        raise ValueError("its posterior has rows that are no probabilities")
    return table


@contextmanager
def _processor_limit(seconds: float) -> Iterator[None]:
    """Have this process ended when it has used so much more processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    # Whole seconds alone can be set; who ends a little late is found out by the clock.
    soft = math.ceil(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, hard))


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


def costs(problems: Iterable[Problem], attempts: Iterable[Attempt]) -> pd.DataFrame:
    """Tabulate what became of each attempt, and what it cost.

    Parameters
    ----------
    problems : iterable of Problem
        All that were attempted.
    attempts : iterable of Attempt
        As from `attempt_all`.

    Returns
    -------
    DataFrame
        A row for each attempt: problem, provenance, n_labels, method, status, seconds of
        processor time, megabytes, converged, note.
    """
    by_name = {problem.name: problem for problem in problems}
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
            for each in attempts
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
) -> Problem:
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
    Problem
        Its name tells kind, K and labels an item.

    Raises
    ------
    ValueError
        If the kind is unknown, or there are fewer annotators than labels an item.
    """
    if kind not in KINDS:
        raise ValueError(f"baselines.simulate: kind must be one of {KINDS}, got {kind!r}.")
    if labels_per_item > n_annotators:
        raise ValueError(
            f"baselines.simulate: {labels_per_item} labels an item need as many annotators, "
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
    return Problem(
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
