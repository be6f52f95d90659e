"""Lazy annotators by name: labels that have nothing to do with the truth.

Beigman Klebanov and Beigman (2010, section 6) infer a share of lazy annotators, who flip one coin
whatever the item, from the counts of positive labels alone. Where the truth is known and the
annotators have names, the lazy ones can be pointed out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.stats
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, xlog1py, xlogy

from annobench.core.errors import AnnotationError
from annobench.evaluation import scores
from annobench.labels.annotations import Annotations

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LazyAnnotators:
    """Annotators of two kinds, the diligent and the lazy.

    Attributes
    ----------
    lazy_share : float
        Share of the annotators that are lazy.
    share_of_labels : float
        Expected share of the labels that lazy annotators gave.
    coin : float
        Chance that a lazy annotator says "1", whatever the item.
    rate : ndarray, shape (2,)
        Chance that a diligent one does, on items whose truth is 0 and 1.
    table : DataFrame
        One row an annotator, the laziest first: `annotator`, `labels`, `sensitivity` and
        `specificity` against the truth (NaN without such items), `p_better_than_chance` (Fisher's
        exact test, one-sided) and `lazy_probability`.
    """

    lazy_share: float
    share_of_labels: float
    coin: float
    rate: Floats
    table: pd.DataFrame


def find_lazy(
    annotations: Annotations, truth: ArrayLike, *, max_iterations: int = 1_000
) -> LazyAnnotators:
    """Tell lazy from diligent annotators by maximum likelihood (EM).

    Parameters
    ----------
    annotations : Annotations
        Binary labels.
    truth : array_like of int, shape (I,)
        The true category of every item, 0 or 1.
    max_iterations : int, default 1_000
        Steps of EM at most; it stops when the probabilities stand still.

    Returns
    -------
    LazyAnnotators
        The two kinds, and each annotator's chance of being lazy.

    Raises
    ------
    AnnotationError
        If there are not two categories, no label, or the truth is not a category for every item.
    """
    if annotations.n_categories != 2:
        raise AnnotationError(
            f"find_lazy: {annotations.n_categories} categories. Make the labels binary first."
        )
    if not annotations.n_labels:
        raise AnnotationError("find_lazy: there are no labels. Give at least one.")
    counts = scores.confusion_counts(annotations, np.asarray(truth))
    n, k = counts.sum(axis=2).astype(float), counts[:, :, 1].astype(float)
    lazy_share, coin = 0.2, float(k.sum() / n.sum())
    rate = (k.sum(axis=0) + 0.5) / (n.sum(axis=0) + 1)
    chance = np.full(len(n), lazy_share)
    for _ in range(max_iterations):
        gain = xlogy(k, coin) + xlog1py(n - k, -coin) - xlogy(k, rate) - xlog1py(n - k, -rate)
        before, chance = chance, expit(logit(lazy_share) + gain.sum(axis=1))
        lazy_share = float(np.clip(chance.mean(), 1e-9, 1 - 1e-9))
        # Half a label more of each kind keeps an empty kind from dividing by nothing.
        coin = float((chance @ k.sum(axis=1) + 0.5) / (chance @ n.sum(axis=1) + 1))
        rate = ((1 - chance) @ k + 0.5) / ((1 - chance) @ n + 1)
        if np.abs(chance - before).max() < 1e-10:
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
    return LazyAnnotators(lazy_share, of_labels, coin, rate, table)
