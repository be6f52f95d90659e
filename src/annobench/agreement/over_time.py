"""How agreement, and each annotator's agreement with the others, changes over time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from annobench.agreement.annotators import agreement_of_labels
from annobench.agreement.coefficients.krippendorff_alpha import krippendorff_alpha
from annobench.agreement.groups import alpha_of
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.core.times import as_numbers
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.multiplicity import holm
from annobench.resampling.proportions import wilson_limits

__all__ = ["OverTime", "over_time"]

#: At most so many windows, of at least so many items with two labels.
MAX_WINDOWS: Final = 12
MIN_ITEMS: Final = 25
#: Labels of an annotator that others labelled, too, below which no trend is tested.
MIN_LABELS: Final = 20


@dataclass(frozen=True, repr=False)
class OverTime(Summarised):
    """Agreement by windows of time.

    Attributes
    ----------
    windows : DataFrame
        One row per window: window (from 1), begins, ends, n_items, n_labels, and Krippendorff's
        alpha of its items: estimate, lower, upper. NaN where alpha is undefined.
    change, p_value : float
        Change of alpha from the first window to the last by a linear trend, windows weighted by
        their items, and the two-sided p-value of no trend; NaN with fewer than three windows.
    annotators : DataFrame
        One row per annotator and window: annotator, window, n_labels on items that others labelled,
        too, observed_agreement with them, lower, upper.
    trends : DataFrame
        One row per annotator with enough labels: annotator, n_labels, change of the observed
        agreement from the annotator's first label to the last, lower, upper, p_value, and
        p_adjusted by Holm's method; the smallest p-value first.
    level : float
        Level of the intervals.
    n_undated : int
        Number of labels left out because their time is unknown.
    """

    windows: pd.DataFrame
    change: float
    p_value: float
    annotators: pd.DataFrame
    trends: pd.DataFrame
    level: float
    n_undated: int

    def summary(self) -> pd.DataFrame:
        """Return the windows.

        Returns
        -------
        DataFrame
            By window.
        """
        return self.windows.set_index("window")

    def _headline(self) -> str:
        first, last = self.windows["estimate"].iloc[[0, -1]]
        return f"alpha {first:.3f} to {last:.3f} in {len(self.windows)} windows"


def over_time(
    annotations: Annotations,
    times: ArrayLike,
    *,
    windows: int | None = None,
    level: float = 0.95,
) -> OverTime:
    r"""Measure agreement over time: Krippendorff's alpha by window, and each annotator's trend.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    times : array_like of datetime64 or float, shape (N,)
        Time of each label; NaT or NaN if unknown.
    windows : int, optional
        Number of windows, at least 2; by default at most 12, with at least 25 items each.
    level : float, default 0.95
        Level of the intervals, in (0, 1).

    Returns
    -------
    OverTime
        Windows and trends.

    Raises
    ------
    AnnotationError
        If there is not one time per label, all times are equal, there are fewer items with two
        labels of known time than windows, or the annotators are unknown.

    Notes
    -----
    An item belongs to the window of the median time of its labels, so that its labels stay
    together; windows have equal numbers of items, except for ties. Their alphas are independent
    given the annotators. The trend is the line through them by least squares, weighted by items,
    and is tested by its score: the covariance of time and the items' influence on the alpha of all,
    whose variance, if items are exchangeable over time, is that of all permutations. Wald's test,
    with the windows' own standard errors, rejects too often, as an alpha of few items and its
    standard error are correlated.

    The score of an annotator's label is the share of the others' labels of the item that agree with
    it (on the interval scale, 1 minus the squared difference divided by its maximum). The trend is
    the least-squares line of these scores on the rank of the label in time, with standard errors
    that allow unequal variances (HC3) and Student's t. Bands are Wilson's, with the number of
    labels as the number of trials: they are conservative if a label is compared with several
    others. If items become harder, the scores of all annotators fall.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability. MacKinnon and White (1985),
    Journal of Econometrics 29, 305-325, for HC3. Holm (1979), Scandinavian Journal of Statistics 6,
    65-70.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(2, size=200)
    >>> late = truth ^ (rng.random(200) < np.linspace(0, 0.5, 200))
    >>> labels = Annotations.from_wide(np.column_stack([truth, late]))
    >>> found = over_time(labels, np.arange(200)[labels.item], windows=4)
    >>> found.windows["estimate"].round(2).tolist()
    [0.96, 0.76, 0.24, -0.03]
    """
    annotations = as_annotations(annotations, "over_time")
    check_level(level, "over_time")
    annotations.check_annotators("over_time")
    time, is_date = as_numbers(times, annotations.n_labels, "over_time")
    time = time / 1e6 if is_date else time
    known = np.isfinite(time)
    if not known.any() or np.ptp(time[known]) == 0:
        raise AnnotationError(
            "over_time: all labels have the same time, or none has one. Give the time of each "
            "label."
        )
    a, time = annotations.select(labels=known), time[known]
    window, n = _windows(a, time, windows)
    starts, ends = _limits(time, window[a.item], n, is_date=is_date)
    by_window = [_window(a.select(items=window == w), level) for w in range(n)]
    table = pd.DataFrame(
        {"window": np.arange(1, n + 1), "begins": starts, "ends": ends}
        | {name: [row[name] for row in by_window] for name in by_window[0]}
    )
    change, p_value = _trend(a, window, table["estimate"].to_numpy())
    score, others = agreement_of_labels(a)
    compared = others > 0
    share = score[compared] / others[compared]
    who, when = a.annotator[compared], time[compared]
    return OverTime(
        table,
        change,
        p_value,
        _bands(a, who, window[a.item[compared]], share, n, level),
        _trends(a, who, when, share, level),
        level,
        int((~known).sum()),
    )


def _windows(
    a: Annotations, time: NDArray[np.float64], wanted: int | None
) -> tuple[NDArray[np.int64], int]:
    """Assign items with two labels to windows by their median time, other items to -1."""
    paired = np.flatnonzero(np.diff(a.by_item.offsets) > 1)
    n = wanted or min(MAX_WINDOWS, max(2, paired.size // MIN_ITEMS))
    if n < 2:
        raise AnnotationError(f"over_time: windows={n} cannot show a change. Give at least 2.")
    if paired.size < 2 * n:
        raise AnnotationError(
            f"over_time: {paired.size} items have two labels of known time, too few for {n} "
            "windows. Give fewer windows, or more items."
        )
    median = pd.Series(time).groupby(a.item).median().reindex(paired).to_numpy()
    rank = pd.Series(median).rank(method="min").to_numpy() - 1
    place = np.floor(rank * n / paired.size).astype(np.int64)
    _, place = np.unique(place, return_inverse=True)
    if place.max() == 0:
        raise AnnotationError(
            "over_time: the items' labels all have the same median time. Give the time of each "
            "label."
        )
    window = np.full(a.n_items, -1)
    window[paired] = place
    return window, int(place.max()) + 1


def _limits(
    time: NDArray[np.float64], window: NDArray[np.int64], n: int, *, is_date: bool
) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return the times of the first and last label in each window."""
    by_window = pd.Series(time).groupby(window)
    ends = [getattr(by_window, name)().reindex(range(n)) for name in ("min", "max")]
    first, last = (pd.to_datetime(x, unit="s") if is_date else x for x in ends)
    return first.reset_index(drop=True), last.reset_index(drop=True)


def _window(a: Annotations, level: float) -> dict[str, float]:
    found = {"n_items": a.n_items, "n_labels": a.n_labels} | alpha_of(a, level)
    return {name: value for name, value in found.items() if name != "standard_error"}


def _trend(
    a: Annotations, window: NDArray[np.int64], estimate: NDArray[np.float64]
) -> tuple[float, float]:
    """Fit a line to the windows' alphas, weighted by their items, and test it by its score."""
    usable = np.isfinite(estimate)
    if usable.sum() < 3:
        return math.nan, math.nan
    n_items = np.bincount(window[window >= 0])
    x = np.linspace(0, 1, estimate.size)
    weight = np.sqrt(n_items[usable])  # of residuals, which are squared
    slope = float(np.polyfit(x[usable], estimate[usable], 1, w=weight)[0])
    influence = krippendorff_alpha(a).influence[window >= 0]
    time = x[window[window >= 0]]
    time, influence = time - time.mean(), influence - influence.mean()
    # Permuted at random over time, the influence values have this variance with it.
    variance = float((time @ time) * (influence @ influence) / (time.size - 1))
    score = float(time @ influence)
    return slope, float(2 * ndtr(-abs(score) / math.sqrt(variance))) if variance else math.nan


def _bands(
    a: Annotations,
    who: NDArray[np.int32],
    window: NDArray[np.int64],
    share: NDArray[np.float64],
    n: int,
    level: float,
) -> pd.DataFrame:
    """Average the scores of each annotator's labels by window."""
    cell = who.astype(np.int64) * n + window
    n_labels = np.bincount(cell, minlength=a.n_annotators * n)
    filled = np.flatnonzero(n_labels)
    mean = np.bincount(cell, share, minlength=n_labels.size)[filled] / n_labels[filled]
    z = float(ndtri((1 + level) / 2))
    lower, upper = wilson_limits(np.clip(mean, 0, 1), n_labels[filled], None, z)
    names = np.array(a.annotators, dtype=object)
    return pd.DataFrame(
        {
            "annotator": names[filled // n],
            "window": filled % n + 1,
            "n_labels": n_labels[filled],
            "observed_agreement": mean,
            "lower": lower,
            "upper": upper,
        }
    )


def _trends(
    a: Annotations,
    who: NDArray[np.int32],
    time: NDArray[np.float64],
    share: NDArray[np.float64],
    level: float,
) -> pd.DataFrame:
    """Test each annotator with enough labels for a linear trend."""
    rows = []
    order = np.lexsort((time, who))
    cuts = np.searchsorted(who[order], np.arange(a.n_annotators + 1))
    for j in range(a.n_annotators):
        own = order[cuts[j] : cuts[j + 1]]
        if own.size < MIN_LABELS or np.ptp(time[own]) == 0:
            continue
        x = pd.Series(time[own]).rank().to_numpy()
        x = (x - x[0]) / (x[-1] - x[0])
        x -= x.mean()
        y = share[own]
        slope = float(x @ y / (x @ x))
        left = (y - y.mean() - slope * x) / (1 - 1 / own.size - x**2 / (x @ x))
        error = math.sqrt(float((x**2) @ left**2)) / float(x @ x)
        p = float(2 * stdtr(own.size - 2, -abs(slope) / error)) if error > 0 else 1.0
        margin = float(stdtrit(own.size - 2, (1 + level) / 2)) * error
        ends = (slope - margin, slope + margin)
        rows.append((a.annotators[j], own.size, slope, *ends, p))
    columns = ["annotator", "n_labels", "change", "lower", "upper", "p_value"]
    found = pd.DataFrame(rows, columns=columns).sort_values("p_value", kind="stable")
    return found.assign(p_adjusted=holm(found["p_value"])).reset_index(drop=True)
