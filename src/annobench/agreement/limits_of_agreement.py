"""Limits of agreement (Bland and Altman) of two annotators who give numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import nctdtrit, ndtri, stdtr, stdtrit

from annobench.agreement.forms.counts import LabelPairs
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import plain
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LimitsOfAgreement", "limits_of_agreement"]


@dataclass(frozen=True, repr=False, eq=False)
class LimitsOfAgreement(Summarised):
    """Limits of agreement of two annotators.

    Attributes
    ----------
    first, second : str
        The annotators; differences are first - second.
    n_items : int
        Number of items that both labelled.
    bias, bias_lower, bias_upper : float
        The mean difference, with its confidence limits.
    standard_deviation : float
        Standard deviation of the differences, at least 0.
    lower, lower_lower, lower_upper : float
        The lower limit of agreement, with its confidence limits.
    upper, upper_lower, upper_upper : float
        The upper limit of agreement, with its confidence limits.
    slope, slope_p_value : float
        Slope of the regression of differences on means, and the two-sided p-value of slope 0; NaN
        if all means are equal or there are fewer than three items.
    coverage, level : float
        Intended share of differences between the limits, and the level of the confidence limits.
    differences, means : ndarray, shape (n_items,)
        Difference and mean of the labels of each item.
    """

    first: str
    second: str
    n_items: int
    bias: float
    bias_lower: float
    bias_upper: float
    standard_deviation: float
    lower: float
    lower_lower: float
    lower_upper: float
    upper: float
    upper_lower: float
    upper_upper: float
    slope: float
    slope_p_value: float
    coverage: float
    level: float
    differences: NDArray[np.float64]
    means: NDArray[np.float64]

    def summary(self) -> pd.DataFrame:
        """Return bias and limits with their confidence limits.

        Returns
        -------
        DataFrame
            Three rows: estimate, lower, upper.
        """
        rows = [
            (self.bias, self.bias_lower, self.bias_upper),
            (self.lower, self.lower_lower, self.lower_upper),
            (self.upper, self.upper_lower, self.upper_upper),
        ]
        names = ["bias", "lower limit", "upper limit"]
        return pd.DataFrame(rows, index=names, columns=["estimate", "lower", "upper"])

    def _headline(self) -> str:
        return (
            f"{self.first} - {self.second}: {self.lower:.4g} to {self.upper:.4g}, "
            f"bias {self.bias:.4g}, {self.n_items:,} items"
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot differences against means, with the limits and their confidence limits.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        Axes
            The axes.

        References
        ----------
        Bland and Altman (1986), The Lancet 327, Figure 2.
        """
        from annobench.plotting import BLUE, GREY, INK, VERMILION

        axes = axes_or_new(axes)
        # Equal pairs of labels are one circle, whose area grows with their number.
        points, times = np.unique(
            np.column_stack([self.means, self.differences]), axis=0, return_counts=True
        )
        area = 14 * np.sqrt(times)
        x, y = points.T
        axes.scatter(x, y, s=area, facecolors="none", edgecolors=BLUE, linewidths=0.9)
        for name, row in self.summary().iterrows():
            colour = INK if name == "bias" else VERMILION
            axes.axhspan(row["lower"], row["upper"], color=colour, alpha=0.1, linewidth=0)
            axes.axhline(row["estimate"], color=colour, linewidth=1)
        axes.axhline(0, color=GREY, linewidth=0.8, linestyle=":")
        first, second = plain(self.first), plain(self.second)
        axes.set(xlabel=f"mean of {first} and {second}", ylabel=f"{first} − {second}")
        return axes


def limits_of_agreement(
    annotations: Annotations, *, coverage: float = 0.95, level: float = 0.95
) -> LimitsOfAgreement:
    """Estimate the limits of agreement of two annotators.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators, whose labels are numbers; items that lack a label of either
        are left out.
    coverage : float, default 0.95
        The share of differences between the limits, in (0, 1).
    level : float, default 0.95
        Level of the confidence limits, in (0, 1).

    Returns
    -------
    LimitsOfAgreement
        Bias and limits, in the unit of the labels.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, they have fewer than two items in common, one
        labelled an item twice, a label is not a number, or a share is not in (0, 1).

    Notes
    -----
    The limits are bias ± z s, with s the standard deviation of the differences, which are assumed
    to be normal. The confidence limits are then exact, by the noncentral t distribution; Bland and
    Altman's, with standard error s sqrt(1/n + z^2 / (2n - 2)), are a large-sample approximation.

    References
    ----------
    Bland and Altman (1986), The Lancet 327, 307-310; Carkeet (2015), Optometry and Vision Science
    92, e71-e80, for the exact limits.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("wxyz" * 2), list("aaaabbbb"), [1, 2, 3, 4, 1, 1, 3, 5])
    >>> found = limits_of_agreement(a)
    >>> found.bias, round(found.standard_deviation, 4)  # of 0, 1, 0, -1
    (0.0, 0.8165)
    """
    a = as_annotations(annotations, "limits_of_agreement")
    check_level(level, "limits_of_agreement")
    check_level(coverage, "limits_of_agreement")
    a.check_annotators("limits_of_agreement")
    if a.n_annotators != 2:
        raise AnnotationError(
            f"limits_of_agreement: needs exactly two annotators, got {a.n_annotators}. Choose two "
            "with select(annotators=...)."
        )
    if a.first_repeat is not None:
        raise AnnotationError(
            "limits_of_agreement: an annotator labelled an item twice. Keep one label of each."
        )
    pairs = LabelPairs(a)
    n = pairs.first.size
    if n < 2:
        raise AnnotationError(
            f"limits_of_agreement: needs two items that both annotators labelled, got {n}. Choose "
            "annotators and items that overlap."
        )
    number = np.asarray(a.values)
    first, second = number[pairs.first], number[pairs.second]
    d, m = first - second, (first + second) / 2
    bias, s = float(d.mean()), float(d.std(ddof=1))
    tail, z, root = (1 - level) / 2, float(ndtri((1 + coverage) / 2)), math.sqrt(n)
    half_width = -float(stdtrit(n - 1, tail)) * s / root
    near, far = (float(nctdtrit(n - 1, z * root, p)) * s / root for p in (tail, 1 - tail))
    slope, slope_p_value = _trend(m, d)
    return LimitsOfAgreement(
        first=a.annotators[0],
        second=a.annotators[1],
        n_items=n,
        bias=bias,
        bias_lower=bias - half_width,
        bias_upper=bias + half_width,
        standard_deviation=s,
        lower=bias - z * s,
        lower_lower=bias - far,
        lower_upper=bias - near,
        upper=bias + z * s,
        upper_lower=bias + near,
        upper_upper=bias + far,
        slope=slope,
        slope_p_value=slope_p_value,
        coverage=coverage,
        level=level,
        differences=d,
        means=m,
    )


def _trend(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Regress differences on means."""
    x, y = x - x.mean(), y - y.mean()
    below = float(x @ x)
    if x.size < 3 or below <= 1e-12 * x.size:
        return math.nan, math.nan
    slope = float(x @ y) / below
    left = y - slope * x
    error = math.sqrt(float(left @ left) / (x.size - 2) / below)
    p = 2 * float(stdtr(x.size - 2, -abs(slope) / error)) if error > 0 else float(slope == 0)
    return slope, p


def widest_pair(annotations: Annotations, *, fewest: int) -> tuple[int, int] | None:
    """Return the pair with the largest mean squared difference, with at least `fewest` items."""
    pairs = LabelPairs(annotations)
    number = np.asarray(annotations.values)
    d = number[pairs.first] - number[pairs.second]
    n = np.bincount(pairs.pair, minlength=pairs.n_pairs)
    apart = np.bincount(pairs.pair, d**2, minlength=pairs.n_pairs) / np.maximum(n, 1)
    if not (n >= fewest).any():
        return None
    p = int(np.where(n >= fewest, apart, -1).argmax())
    return int(pairs.first_annotator[p]), int(pairs.second_annotator[p])
