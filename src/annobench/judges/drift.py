r"""Drift of a judge on an anchor set.

The anchor set consists of items with a gold category, or with labels of humans. The *agreement* of
a judge's label is whether it equals gold, or the share of the humans' labels that it equals; if
labels have scores, its *score difference* is its score minus the anchor's, which may change
although agreement does not.

Labels are grouped in windows of time: one per distinct time, such as the number or date of a run,
if there are at most 60 with ten or more labels each on average; otherwise one per day, under the
same condition; otherwise up to twelve windows with equal numbers of labels. Least squares on
indicators of windows gives

- ``latest``: the last window minus the mean of all earlier labels;
- ``trend``: the change from the first window to the last, linear in the window's number;
- ``any``: whether the windows' means are equal, which detects temporary changes, too. The statistic
  is the sum of squares that the indicators explain, compared with its values if the residuals of
  each item, or cluster, keep or change their sign at random. Unlike Wald's test this needs no
  inverse of a covariance of all windows, so there may be more windows than items, and unlike a
  permutation of an item's labels it remains valid if these depend on each other, as those of a
  judge that repeats itself.

If most labels are of items labelled in several windows, comparisons are within items: each item has
a fixed effect, so differences between the windows' items do not matter. Otherwise windows with
harder items look like drift. Standard errors allow for dependence within items, or within the
clusters that these belong to (`annobench.judges.regression`).

Canay, Romano and Shaikh (2017), Econometrica 85, 1013-1030, for tests by changes of sign; Cameron,
Gelbach and Miller (2008), Review of Economics and Statistics 90, 414-427, for clusters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from annobench.core.errors import AnnotationError, check_level
from annobench.core.numbers import plain_number
from annobench.core.results import Summarised
from annobench.core.times import as_numbers
from annobench.judges.clusters import cluster_codes, design_effect, widen
from annobench.judges.panel import split_judges
from annobench.judges.regression import LeastSquares, least_squares
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.intervals import TOLERANCE, Interval
from annobench.resampling.proportions import wilson_limits

__all__ = ["JudgeDrift", "judge_drift"]

Floats = NDArray[np.float64]

#: At most so many values of the time are windows, with so many labels each on average.
MAX_RUNS: Final = 60
MIN_LABELS: Final = 10
#: At most so many windows of equal size.
MAX_WINDOWS: Final = 12
#: With fewer items, or clusters, a test by changes of sign cannot reject at .05.
FEWEST_CLUSTERS: Final = 6
#: Changes of sign that are drawn.
REPLICATES: Final = 999


@dataclass(frozen=True, repr=False)
class JudgeDrift(Summarised):
    """A judge on an anchor set, by windows of time.

    Attributes
    ----------
    windows : DataFrame
        One row per window: window (from 1), begins, ends, n_labels, n_items, agreement with lower
        and upper, and score_difference with score_difference_lower and score_difference_upper;
        these three are NaN without scores.
    tests : DataFrame
        One row per measure ("agreement", "score_difference") and contrast ("latest", "trend"):
        estimate, lower, upper, p_value, and p_any, the p-value of equal means in all windows. NaN
        where undefined; p_any is with fewer than six items, or clusters.
    within_items : bool
        Whether comparisons are within items.
    n_undated, n_elsewhere : int
        Numbers of the judge's labels left out because their time is unknown, or their item is not
        an anchor.
    level : float
        Level of the intervals.
    """

    windows: pd.DataFrame
    tests: pd.DataFrame
    within_items: bool
    n_undated: int
    n_elsewhere: int
    level: float

    def summary(self) -> pd.DataFrame:
        """Return the windows.

        Returns
        -------
        DataFrame
            By window.
        """
        return self.windows.set_index("window")

    def _headline(self) -> str:
        first, last = self.windows["agreement"].iloc[[0, -1]]
        return f"agreement {first:.3f} to {last:.3f} in {len(self.windows)} windows"


def judge_drift(
    annotations: Annotations,
    judges: Sequence[str],
    times: ArrayLike,
    *,
    gold: Mapping[str, str] | None = None,
    values: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> dict[str, JudgeDrift]:
    """Estimate the drift of each judge's agreement with an anchor set.

    Parameters
    ----------
    annotations : Annotations
        Labels of humans and judges; a judge may have labelled an item many times.
    judges : sequence of str
        Names of the judges among the annotators; all others are humans.
    times : array_like of datetime64 or float, shape (N,)
        Time of each label, such as the number of the run; NaT or NaN if unknown. Times of humans'
        labels are not used.
    gold : mapping of str to str, optional
        Categories of the anchor items. By default the anchors are the items labelled by humans.
    values : array_like of float, shape (K,), optional
        Value of each category, for the score difference; by default there is none.
    clusters : array_like, shape (I,), optional
        Cluster of each item; by default items are independent.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed, of the test of all windows.

    Returns
    -------
    dict of str to JudgeDrift
        Drift of the judges that labelled anchor items at two or more times.

    Raises
    ------
    AnnotationError
        If there is not one time per label, times are neither numbers nor dates, or no judge
        labelled anchor items at two times.

    Examples
    --------
    >>> labels = Annotations.from_arrays([*"xyxy"], ["llm"] * 4, [*"0111"])
    >>> gold = {"x": "0", "y": "1"}
    >>> judge_drift(labels, ["llm"], [1, 1, 2, 2], gold=gold)["llm"].windows["agreement"].tolist()
    [1.0, 0.5]
    """
    check_level(level, "judge_drift")
    generator = np.random.default_rng(rng)
    a = as_annotations(annotations, "judge_drift")
    time, is_date = as_numbers(times, a.n_labels, "judge_drift")
    share = _anchor(a, judges, gold)
    known = np.isfinite(share[:, 0])
    of_category = None if values is None else np.asarray(values, dtype=np.float64)
    group = cluster_codes(clusters, a.n_items)
    group = np.arange(a.n_items) if group is None else group
    found = {}
    for name in judges:
        own = a.annotator == a.annotators.index(name)
        dated, anchored = np.isfinite(time), known[a.item]
        used = np.flatnonzero(own & dated & anchored)
        if not used.size or np.ptp(time[used]) == 0:
            continue
        item, label = a.item[used], a.label[used]
        measures = {"agreement": share[item, label]}
        if of_category is not None:
            measures["score_difference"] = of_category[label] - share[item] @ of_category
        window = _windows(time[used], is_date=is_date)
        within = _within_items(item, window)
        ends = _limits(time[used], window, is_date=is_date)
        found[name] = JudgeDrift(
            _table(measures, window, item, group[item], ends, level),
            _tests(measures, window, item if within else None, group[item], level, generator),
            within,
            int((own & ~dated).sum()),
            int((own & dated & ~anchored).sum()),
            level,
        )
    if not found:
        raise AnnotationError(
            "judge_drift: no judge labelled items with gold, or with labels of humans, at two "
            "times. Have the judges label the same anchor items again from time to time."
        )
    return found


#: In microseconds.
_DAY: Final = 86_400e6


def _anchor(a: Annotations, judges: Sequence[str], gold: Mapping[str, str] | None) -> Floats:
    """Return the share of each category among the humans' labels of each item, or gold."""
    humans = split_judges(a, judges).humans if gold is None else None
    if humans is not None:
        n = humans.counts.sum(axis=1, keepdims=True)
        return np.where(n > 0, humans.counts / np.maximum(n, 1), np.nan)
    code = {name: k for k, name in enumerate(a.categories)}
    shares = np.full((a.n_items, a.n_categories), np.nan)
    for i, item in enumerate(a.items):
        given = plain_number((gold or {}).get(item, ""))
        if given in code:
            shares[i] = np.arange(a.n_categories) == code[given]
    return shares


def _windows(time: Floats, *, is_date: bool) -> NDArray[np.int64]:
    """Assign labels to windows, from 0."""
    for values in (time, np.floor(time / _DAY)) if is_date else (time,):
        distinct, window = np.unique(values, return_inverse=True)
        if 2 <= distinct.size <= max(2, min(MAX_RUNS, time.size // MIN_LABELS)):
            return window
    n = min(MAX_WINDOWS, max(2, time.size // MIN_LABELS))
    rank = pd.Series(time).rank(method="min").to_numpy() - 1
    return np.unique(np.floor(rank * n / time.size), return_inverse=True)[1]


def _limits(
    time: Floats, window: NDArray[np.int64], *, is_date: bool
) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Return the times of the first and last label in each window."""
    ends = [getattr(pd.Series(time).groupby(window), name)() for name in ("min", "max")]
    first, last = (pd.to_datetime(x, unit="us") if is_date else x for x in ends)
    return first, last


def _within_items(item: NDArray[Any], window: NDArray[np.int64]) -> bool:
    """Return whether most labels are of items labelled in several windows."""
    n_windows = pd.Series(window).groupby(item).nunique()
    return bool((n_windows > 1)[item].mean() > 0.5)


def _table(
    measures: Mapping[str, Floats],
    window: NDArray[np.int64],
    item: NDArray[Any],
    group: NDArray[np.int64],
    ends: tuple[pd.Series[Any], pd.Series[Any]],
    level: float,
) -> pd.DataFrame:
    """Average the measures by window, with intervals."""
    z = float(ndtri((1 + level) / 2))
    rows = []
    for w in range(int(window.max()) + 1):
        here = window == w
        score, clusters = measures["agreement"][here], group[here]
        mean = float(score.mean())
        lower, upper = wilson_limits(mean, score.size, None, z)
        band = Interval(mean, float(lower), float(upper), level, "wilson")
        if np.unique(clusters).size < clusters.size:
            effect = design_effect((score - mean)[:, None], clusters)[0]
            band = widen(band, effect, 0.0, 1.0)
        row = {
            "window": w + 1,
            "begins": ends[0].iloc[w],
            "ends": ends[1].iloc[w],
            "n_labels": score.size,
            "n_items": np.unique(item[here]).size,
            "agreement": mean,
            "lower": float(band.lower),
            "upper": float(band.upper),
        }
        found = dict.fromkeys(("estimate", "lower", "upper"), np.nan)
        if "score_difference" in measures:
            ones = np.ones((score.size, 1))
            found = least_squares(ones, measures["score_difference"][here], clusters).test(0, level)
        row |= {
            "score_difference": found["estimate"],
            "score_difference_lower": found["lower"],
            "score_difference_upper": found["upper"],
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _tests(
    measures: Mapping[str, Floats],
    window: NDArray[np.int64],
    item: NDArray[Any] | None,
    group: NDArray[np.int64],
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Test windows for differences; within items if these are given."""
    n = int(window.max()) + 1
    indicators = np.eye(n)[window][:, 1:]
    contrasts = {"latest": indicators[:, -1:], "trend": (window / (n - 1.0))[:, None]}
    rows = []
    for measure, score in measures.items():
        p_any = _p_of_any(_centred(indicators, item), _centred(score[:, None], item), group, rng)
        for contrast, column in contrasts.items():
            tested = _fit(column, score, item, group).test(0, level)
            rows.append({"measure": measure, "contrast": contrast} | tested | {"p_any": p_any})
    return pd.DataFrame(rows)


def _fit(
    columns: Floats, score: Floats, item: NDArray[Any] | None, group: NDArray[np.int64]
) -> LeastSquares:
    """Regress on columns with a constant, or with item effects."""
    if item is None:
        return least_squares(np.column_stack([columns, np.ones(score.size)]), score, group)
    return least_squares(_centred(columns, item), _centred(score[:, None], item)[:, 0], group)


def _centred(columns: Floats, item: NDArray[Any] | None) -> Floats:
    """Subtract the means of columns, or those of each item."""
    if item is None:
        return np.asarray(columns - columns.mean(axis=0))
    table = pd.DataFrame(columns)
    centred: Floats = np.asarray(table - table.groupby(item).transform("mean"))
    return centred


def _p_of_any(
    columns: Floats, residual: Floats, group: NDArray[np.int64], rng: np.random.Generator
) -> float:
    """Test by changes of sign of clusters whether columns explain any of the residuals."""
    used, place = np.unique(group, return_inverse=True)
    sums = np.zeros((used.size, columns.shape[1]))
    np.add.at(sums, place, columns * residual)
    if used.size < FEWEST_CLUSTERS:
        return math.nan
    inverse = np.linalg.pinv(columns.T @ columns, hermitian=True)

    def explained(total: Floats) -> Floats:
        return np.asarray(((total @ inverse) * total).sum(axis=-1))

    signs = rng.choice((-1.0, 1.0), (REPLICATES, used.size))
    observed, drawn = explained(sums.sum(axis=0)), explained(signs @ sums)
    if np.ptp(drawn) <= TOLERANCE * drawn.max() < drawn.max():
        return math.nan  # every window has a cluster of its own
    return float((1 + (drawn >= observed * (1 - TOLERANCE)).sum()) / (1 + REPLICATES))
