"""Each annotator compared with all others, and pairs of annotators with common items."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.counts import count_label_pairs
from annobench.agreement.weights import distances
from annobench.labels.annotations import Annotations

__all__ = ["annotator_agreement"]

#: Pairs of labels beyond which only the annotators with the most labels are paired, for time.
MAX_COUNTED_PAIRS: Final = 20_000_000


def annotator_agreement(annotations: Annotations) -> pd.DataFrame:
    """Compare each annotator's labels with those of all others on the same items.

    Labels agree if they are equal; on the interval scale by 1 - (x - y)^2 / range^2, and
    sets by 1 - their MASI distance.

    Parameters
    ----------
    annotations : Annotations
        The labels.

    Returns
    -------
    DataFrame
        annotator, n_labels, n_items (shared with others), n_pairs of labels, and
        observed_agreement, the mean over these pairs; NaN without any.

    Notes
    -----
    The cost is linear in the number of labels; for sets, times the number of distinct sets.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyy"), list("abcab"), [1, 1, 0, 1, 0])
    >>> annotator_agreement(a)["observed_agreement"].round(3).tolist()
    [0.333, 0.333, 0.0]
    """
    annotations.check_annotators("annotator_agreement")
    a = annotations
    agreeing, others = agreement_of_labels(a)
    n_pairs = np.bincount(a.annotator, others, minlength=a.n_annotators).astype(np.int64)
    total = np.bincount(a.annotator, agreeing, minlength=a.n_annotators)
    return pd.DataFrame(
        {
            "annotator": a.annotators,
            "n_labels": np.diff(a.by_annotator.offsets),
            "n_items": np.bincount(a.annotator[others > 0], minlength=a.n_annotators),
            "n_pairs": n_pairs,
            "observed_agreement": np.divide(
                total, n_pairs, out=np.full(n_pairs.size, math.nan), where=n_pairs > 0
            ),
        }
    )


def agreement_of_labels(a: Annotations) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sum each label's agreement with the other labels of its item, and count these."""
    others = np.diff(a.by_item.offsets)[a.item] - 1
    return _agreeing_with_others(a, others), others


def _agreeing_with_others(a: Annotations, others: NDArray[Any]) -> NDArray[np.float64]:
    if a.scale == "interval":
        x = a.category_values[a.label]
        x = x - (x.mean() if x.size else 0.0)
        width = float(np.ptp(x)) if x.size else 0.0
        first = np.bincount(a.item, x, minlength=a.n_items)[a.item]
        second = np.bincount(a.item, x**2, minlength=a.n_items)[a.item]
        apart = (others + 1) * x**2 - 2 * x * first + second
        return np.asarray(others - apart / (width**2 or 1.0), dtype=np.float64)
    cell = a.item.astype(np.int64) * a.n_categories + a.label
    if a.scale != "set":
        _, place, times = np.unique(cell, return_inverse=True, return_counts=True)
        return np.asarray(times[place] - 1, dtype=np.float64)
    near = 1 - distances(a, "masi", "report")
    counts = sparse.csr_array(
        (np.ones(a.n_labels), (a.item, a.label)), shape=(a.n_items, a.n_categories)
    )
    found = np.empty(a.n_labels)
    step = max(1, 4_000_000 // max(1, a.n_categories))
    for start in range(0, a.n_labels, step):
        part = slice(start, start + step)
        found[part] = (counts[a.item[part]].multiply(near[a.label[part]])).sum(axis=1) - 1
    return found


def pair_annotators(annotations: Annotations) -> pd.DataFrame:
    """Count the common items of each pair of annotators."""
    annotations.check_annotators("pair_annotators")
    a = annotations
    stays = np.ones(a.n_annotators, dtype=bool)
    if count_label_pairs(a) > MAX_COUNTED_PAIRS:
        stays = np.zeros(a.n_annotators, dtype=bool)
        stays[np.argsort(-np.diff(a.by_annotator.offsets), kind="stable")[:300]] = True
    rows = stays[a.annotator]
    given = sparse.csr_array(
        (np.ones(rows.sum(), dtype=np.int64), (a.item[rows], a.annotator[rows])),
        shape=(a.n_items, a.n_annotators),
    )
    common = sparse.triu(given.T @ given, k=1).tocoo()
    order = np.lexsort((common.col, common.row, -common.data))
    return pd.DataFrame(
        {"first": common.row[order], "second": common.col[order], "n_items": common.data[order]}
    )
