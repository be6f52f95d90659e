"""Scores of methods with intervals, and paired differences.

Items are resampled with replacement, jointly for all methods. Let d be a difference between two
methods, with standard error s, the standard deviation of the resampled differences. There are two
intervals: d ± 1.96 s for a single difference, and d ± c s simultaneously for all methods against a
reference on a data set. The critical value c is the 95% quantile of the largest absolute
studentised resampled difference,

    max over a of |d*_a - mean d*_a| / s_a,

so that all intervals of the family cover simultaneously with probability 0.95 (Romano and Wolf
2005, Econometrica 73, 1237-1282, section 3; Hothorn, Bretz and Westfall 2008, Biometrical Journal
50, 346-363). Unlike Holm's correction it uses the correlation of methods: for twenty nearly
identical methods c is little more than 1.96, and for twenty independent ones 3.02. `critical` is c.
Methods with identical answers have s = 0 and are left out of the family.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.fits import FitRecord
from annobench.benchmark.scores import SCORES, curves, resampled_scores, score_confusion
from annobench.core.errors import AnnotationError

__all__ = ["BLOCK", "LEVEL", "NORMAL", "ROUNDING", "Comparison", "compare"]

Floats = NDArray[np.float64]

LEVEL: Final = 0.95

#: Standard errors in half of such an interval.
NORMAL: Final = float(ndtri((1 + LEVEL) / 2))

#: The name of the score of confusion matrices.
CONFUSION: Final = "confusion_error"

#: Resampled items times resamples that are held at once.
BLOCK: Final = 2_000_000

#: A standard error of a difference that is not above this is rounding.
ROUNDING: Final = 1e-12

#: Columns of a table of differences before those that have a method's name.
KEYS: Final = ("problem", "score", "method", "critical")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of `compare` for one case.

    Attributes
    ----------
    scores : DataFrame
        One row per method and score: problem, method, score, estimate, lower, upper. Percentile
        intervals, over resampled items; for `confusion_error`, which only fits with confusion
        matrices have, over resampled annotators.
    differences : DataFrame
        One row per score and method: problem, score, method, critical (for simultaneous intervals
        of differences from this method), and one column per earlier method, with the standard error
        of the difference between the two.
    curves : DataFrame
        One row per method and point of a curve, as from `annobench.benchmark.scores`: problem,
        method, curve, x, y, n_items.
    """

    scores: pd.DataFrame
    differences: pd.DataFrame
    curves: pd.DataFrame


def compare(
    case: BenchmarkCase, records: Iterable[FitRecord], *, replicates: int, seed: int
) -> Comparison:
    """Score the methods on one case, with intervals and differences.

    Parameters
    ----------
    case : BenchmarkCase
        The labels with gold.
    records : iterable of FitRecord
        Fits to the case; those without a posterior are left out.
    replicates : int
        Number of resamples, at least 2.
    seed : int
        Seed of the resampling.

    Returns
    -------
    Comparison
        Tables; empty if no method has a score.

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
    fits = list(records)
    fitted = {each.method: each.posterior[kept] for each in fits if each.posterior is not None}
    names, source = sorted(fitted), [seed, zlib.crc32(case.name.encode())]
    values = {name: np.empty((replicates + 1, len(SCORES))) for name in names}
    row = 0
    for times in _resamples(gold.size, replicates, np.random.default_rng(source)):
        for name in names:
            values[name][row : row + len(times)] = resampled_scores(fitted[name], gold, times)
        row += len(times)
    found = {score: {name: values[name][:, n] for name in names} for n, score in enumerate(SCORES)}
    found[CONFUSION] = _confusion_errors(case, fits, replicates, np.random.default_rng(source))
    points = [curves(fitted[name], gold).assign(method=name) for name in names]
    return Comparison(
        _estimates(found).assign(problem=case.name),
        _differences(found).assign(problem=case.name),
        pd.concat(points, ignore_index=True).assign(problem=case.name) if points else _NONE,
    )


_NONE: Final = pd.DataFrame(columns=["problem", "method", "curve", "x", "y", "n_items"])


def _resamples(n: int, replicates: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield blocks of bootstrap multiplicities of n units; the first sample is the data."""
    yield np.ones((1, n), dtype=np.int64)
    size = max(1, BLOCK // n)
    for first in range(0, replicates, size):
        rows = min(size, replicates - first)
        drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=n * rows).reshape(rows, n)


def _confusion_errors(
    case: BenchmarkCase, records: Iterable[FitRecord], replicates: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Return the errors of confusion matrices by method, over resampled annotators."""
    sums = {
        each.method: score_confusion(each.confusion, case.annotations, case.gold)
        for each in sorted(records, key=lambda record: record.method)
        if each.confusion is not None
    }
    times = np.vstack(list(_resamples(case.annotations.n_annotators, replicates, rng)))
    with np.errstate(invalid="ignore"):
        return {name: (times @ error) / (times @ n) for name, (error, n) in sums.items()}


def _estimates(found: Mapping[str, Mapping[str, Floats]]) -> pd.DataFrame:
    rows = []
    for score, values in found.items():
        for method, drawn in values.items():
            lower, upper = np.nanquantile(drawn[1:], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            rows.append((method, score, drawn[0], lower, upper))
    columns = ["method", "score", "estimate", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)


def _differences(found: Mapping[str, Mapping[str, Floats]]) -> pd.DataFrame:
    tables = []
    for score, values in found.items():
        names = list(values)
        if not names:
            continue
        drawn = np.array([values[name][1:] for name in names])
        rows: dict[str, Floats] = {}
        critical = np.full(len(names), np.nan)
        for n in range(len(names)):
            error, critical[n] = studentise(np.delete(drawn, n, axis=0) - drawn[n])
            rows[names[n]] = np.r_[np.full(n + 1, np.nan), error[n:]]
        about = {"score": score, "method": names, "critical": critical}
        tables.append(pd.DataFrame(about | rows))
    if not tables:
        return pd.DataFrame(columns=list(KEYS))
    return pd.concat(tables, ignore_index=True)


def studentise(drawn: Floats, level: float = LEVEL) -> tuple[Floats, float]:
    """Return standard errors of estimates, and the critical value of simultaneous intervals."""
    if not drawn.size:
        return np.zeros(len(drawn)), np.nan
    deviation = drawn - drawn.mean(axis=1, keepdims=True)
    errors = deviation.std(axis=1, ddof=1)
    errors = np.where(errors > ROUNDING, errors, 0.0)
    vary = errors > 0
    if not vary.any():
        return errors, np.nan
    largest = np.abs(deviation[vary] / errors[vary, None]).max(axis=0)
    return errors, float(np.quantile(largest, level))


def differences_to(reference: str, scores: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of all methods from one, where both have a score."""
    keys = ["problem", "score"]
    if reference not in differences:
        return pd.DataFrame(columns=[*keys, "method", "difference", "error", "critical"])
    own = differences[differences["method"] == reference]
    names = [name for name in differences.columns if name not in KEYS]
    below = own.melt([*keys, "critical"], names, "other", "error")
    above = differences[[*keys, "method", reference]].set_axis([*keys, "other", "error"], axis=1)
    above = above.merge(own[[*keys, "critical"]], on=keys)
    errors = pd.concat([below, above]).dropna(subset="error").rename(columns={"other": "method"})
    value = scores.set_index([*keys, "method"])["estimate"]
    base = scores[scores["method"] == reference].set_index(keys)["estimate"]
    found = errors.join(value, on=[*keys, "method"]).join(base.rename("base"), on=keys)
    found["difference"] = found["estimate"] - found["base"]
    ordered = [*keys, "method", "difference", "error", "critical"]
    return found[ordered].sort_values([*keys, "method"], ignore_index=True)
