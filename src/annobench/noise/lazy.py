"""Lazy annotators, whose labels are independent of the true category.

Beigman Klebanov and Beigman (2010, section 6) infer the share of lazy annotators, who label at one
rate whatever the item, from the counts of positive labels alone. If the true categories and the
annotator of each label are known, the lazy annotators can be identified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, xlog1py, xlogy

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, axes_or_new
from annobench.evaluation import scores
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._fixed_point import Settling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LazyAnnotators", "find_lazy"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LazyAnnotators(Summarised):
    """A mixture of diligent and lazy annotators.

    Attributes
    ----------
    lazy_share : float
        Share of lazy annotators.
    share_of_labels : float
        Expected share of the labels that lazy annotators gave.
    lazy_rate : float
        Rate of positive labels of lazy annotators.
    rate : ndarray, shape (2,)
        Rate of positive labels of diligent annotators on items of category 0 and 1.
    table : DataFrame
        One row per annotator, by descending `lazy_probability`: `annotator`, `labels`,
        `sensitivity` and `specificity` (NaN without such items), `p_better_than_chance` (Fisher's
        exact test, one-sided) and `lazy_probability`.
    """

    lazy_share: float
    share_of_labels: float
    lazy_rate: float
    rate: Floats
    table: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """Return the estimated parameters.

        Returns
        -------
        DataFrame
            One row: lazy_share, share_of_labels, lazy_rate, and the rates of diligent annotators
            rate_0, rate_1.
        """
        return pd.DataFrame(
            {
                "lazy_share": [self.lazy_share],
                "share_of_labels": [self.share_of_labels],
                "lazy_rate": [self.lazy_rate],
                "rate_0": [self.rate[0]],
                "rate_1": [self.rate[1]],
            }
        )

    def annotators_frame(self) -> pd.DataFrame:
        """Return a row for each annotator.

        Returns
        -------
        DataFrame
            `table`.
        """
        return self.table

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the annotators in the plane of sensitivity and specificity.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Probable lazy annotators are crosses; on the diagonal labels are independent of the
            true category.
        """
        axes = axes_or_new(axes)
        lazy = self.table["lazy_probability"] > 0.5
        for rows, marker, name in ((~lazy, "o", "diligent"), (lazy, "x", "probably lazy")):
            shown = self.table[rows]
            axes.plot(shown["sensitivity"], shown["specificity"], marker, label=name)
        axes.plot([0, 1], [1, 0], color="grey", linestyle=":")
        axes.set(xlabel="sensitivity", ylabel="specificity", xlim=(0, 1.02), ylim=(0, 1.02))
        axes.legend()
        return axes

    def _headline(self) -> str:
        n_lazy = int((self.table["lazy_probability"] > 0.5).sum())
        return (
            f"{n_lazy} of {len(self.table)} annotators probably lazy, with "
            f"{self.share_of_labels:.1%} of the labels"
        )


def find_lazy(
    annotations: Annotations,
    truth: ArrayLike,
    *,
    tolerance: float = 1e-10,
    max_iterations: int = 1_000,
) -> LazyAnnotators:
    """Fit a mixture of diligent and lazy annotators by EM.

    Parameters
    ----------
    annotations : Annotations
        Binary labels.
    truth : array_like of int, shape (I,)
        The true category of every item, 0 or 1.
    tolerance : float, default 1e-10
        Stop when no probability of being lazy is farther than this from its limit.
    max_iterations : int, default 1_000
        Maximum number of EM steps.

    Returns
    -------
    LazyAnnotators
        Parameters, and each annotator's posterior probability of being lazy.

    Raises
    ------
    AnnotationError
        If there are not two categories, no label, or `truth` is not a category for every item.
    """
    annotations = as_annotations(annotations, "find_lazy")
    if annotations.n_categories != 2:
        raise AnnotationError(
            f"find_lazy: {annotations.n_categories} categories. Make the labels binary first."
        )
    if not annotations.n_labels:
        raise AnnotationError("find_lazy: there are no labels. Give at least one.")
    counts = scores.confusion_counts(annotations, np.asarray(truth))
    n, k = counts.sum(axis=2).astype(float), counts[:, :, 1].astype(float)
    lazy_share, lazy_rate = 0.2, float(k.sum() / n.sum())
    rate = (k.sum(axis=0) + 0.5) / (n.sum(axis=0) + 1)
    chance = np.full(len(n), lazy_share)
    settling = Settling(tolerance)
    for _ in range(max_iterations):
        gain = xlogy(k, lazy_rate) + xlog1py(n - k, -lazy_rate)
        gain = gain - xlogy(k, rate) - xlog1py(n - k, -rate)
        before, chance = chance, expit(logit(lazy_share) + gain.sum(axis=1))
        lazy_share = float(np.clip(chance.mean(), 1e-9, 1 - 1e-9))
        # Half a label added to each cell avoids division by 0.
        lazy_rate = float((chance @ k.sum(axis=1) + 0.5) / (chance @ n.sum(axis=1) + 1))
        rate = ((1 - chance) @ k + 0.5) / ((1 - chance) @ n + 1)
        if settling.has_settled(before, chance):
            break
    right = np.stack([n[:, 0] - k[:, 0], k[:, 1]], axis=1)
    accuracy = np.divide(right, n, where=n > 0, out=np.full_like(n, np.nan))
    table = pd.DataFrame(
        {
            "annotator": annotations.annotators,
            "labels": n.sum(axis=1).astype(int),
            "sensitivity": accuracy[:, 1],
            "specificity": accuracy[:, 0],
            "p_better_than_chance": [
                scipy.stats.fisher_exact(each, alternative="greater").pvalue for each in counts
            ],
            "lazy_probability": chance,
        }
    ).sort_values("lazy_probability", ascending=False, kind="stable", ignore_index=True)
    of_labels = float(chance @ n.sum(axis=1) / n.sum())
    return LazyAnnotators(lazy_share, of_labels, lazy_rate, rate, table)
