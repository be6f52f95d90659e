r"""Whether a judge agrees with itself: over repeats, and when two answers are swapped.

A judge that labels an item several times, with another seed or prompt, should give the same label.
A judge that compares two answers should not depend on their order. If the order is random, it picks
the first answer with probability 1/2 unless it has a *position bias*; if each pair is shown in both
orders, the pairs judged differently show the bias directly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, ttest_1samp

from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.core.results import SummarisedScalars
from annobench.judges.clusters import cluster_codes, design_effect, widen
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.ratios import ratio

__all__ = ["PositionBias", "position_bias"]


def repeat_consistency(annotations: Annotations, *, order: ArrayLike | None = None) -> pd.DataFrame:
    """Compare the labels that an annotator gave the same item."""
    annotations = as_annotations(annotations, "repeat_consistency")
    annotations.check_annotators("repeat_consistency")
    a = annotations
    item, n_items = a.item.astype(np.int64), a.n_items
    if order is not None:
        orders, names = pd.factorize(np.asarray(order, dtype=object), use_na_sentinel=False)
        item, n_items = item * len(names) + orders, n_items * len(names)
    pair = a.annotator.astype(np.int64) * n_items + item
    given, of_pair = np.unique(pair, return_inverse=True)
    size = np.bincount(of_pair)
    cells, counts = np.unique(of_pair * a.n_categories + a.label, return_counts=True)
    equal = np.bincount(cells // a.n_categories, counts * (counts - 1.0), given.size)
    most = np.zeros(given.size)
    np.maximum.at(most, cells // a.n_categories, counts)
    agreement = ratio(equal, size * (size - 1))
    annotator = given // max(n_items, 1)
    rows = []
    for j in np.unique(annotator[size > 1]):
        own = (annotator == j) & (size > 1)
        unanimous = proportion_interval(int((most[own] == size[own]).sum()), int(own.sum()))
        share = np.bincount(a.label[own[of_pair]], minlength=a.n_categories) / size[own].sum()
        observed, expected = float(agreement[own].mean()), float((share**2).sum())
        rows.append(
            {
                "annotator": a.annotators[j],
                "n_items": int(own.sum()),
                "n_labels": int(size[own].sum()),
                "unanimous": unanimous.estimate,
                "lower": unanimous.lower,
                "upper": unanimous.upper,
                "agreement": observed,
                "expected_agreement": expected,
                "kappa": float(ratio(observed - expected, 1 - expected)),
            }
        )
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else _COLUMNS)


_COLUMNS = [
    *("annotator", "n_items", "n_labels", "unanimous", "lower", "upper", "agreement"),
    *("expected_agreement", "kappa"),
]


@dataclass(frozen=True)
class PositionBias(SummarisedScalars):
    """Position bias of a judge that compares pairs of answers.

    Attributes
    ----------
    n : int
        Comparisons.
    picks_first : float
        Share of comparisons in which the first answer is picked; 1/2 without bias if the order is
        random.
    lower, upper : float
        Its 95% interval (Wilson), over comparisons.
    p_value : float
        P-value of the two-sided binomial test of 1/2.
    n_both : int
        Items shown in both orders.
    consistent : float
        Share of these on which the same answer wins both times; NaN without any.
    first_if_inconsistent : float
        Of the inconsistent items, the share on which the answer shown first wins both times
        (otherwise the second does); NaN without any.
    """

    n: int
    picks_first: float
    lower: float
    upper: float
    p_value: float
    n_both: int
    consistent: float
    first_if_inconsistent: float


def position_bias(
    item: ArrayLike,
    shown_first: ArrayLike,
    picked: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
) -> PositionBias:
    """Measure the position bias of a judge.

    Parameters
    ----------
    item : array_like, shape (N,)
        The pair of each comparison.
    shown_first, picked : array_like, shape (N,)
        The answer shown first, and the answer picked. Remove ties beforehand.
    clusters : array_like, shape (N,), optional
        Cluster of each comparison, such as its question; by default they are independent. The
        interval is then widened (`annobench.judges.clusters`), and the test is a t test of the
        clusters' sums.

    Returns
    -------
    PositionBias
        Over all comparisons, and over pairs shown in both orders; if a pair is repeated in the same
        order, only the first comparison is used for the latter.

    Raises
    ------
    AnnotationError
        If there is no comparison, or lengths differ.

    Examples
    --------
    >>> found = position_bias(["x", "x", "y", "y"], ["A", "B", "A", "B"], ["A", "B", "B", "B"])
    >>> found.picks_first, found.consistent, found.first_if_inconsistent
    (0.75, 0.5, 1.0)
    """
    columns = {"item": item, "first": shown_first, "picked": picked}
    lengths = {len(np.atleast_1d(np.asarray(column, dtype=object))) for column in columns.values()}
    if len(lengths) > 1 or lengths == {0}:
        raise AnnotationError(
            "position_bias: give each comparison its item, the answer shown first, and the one "
            "picked, and at least one comparison."
        )
    table = pd.DataFrame({k: np.asarray(v, dtype=object) for k, v in columns.items()})
    table["won_first"] = table["first"] == table["picked"]
    k, n = int(table["won_first"].sum()), len(table)
    share, p_value = proportion_interval(k, n), float(binomtest(k, n).pvalue)
    group = cluster_codes(clusters, n)
    if group is not None:
        excess = np.bincount(group, 2.0 * table["won_first"] - 1).astype(np.float64)
        share = widen(
            share, design_effect(table["won_first"].to_numpy()[:, None] - k / n, group)[0], 0, 1
        )
        p_value = _p_value_of_mean(excess)
    turned = table.drop_duplicates(["item", "first"])
    turned = turned[turned.groupby("item")["first"].transform("size") == 2]
    wins = turned.groupby("item")["won_first"].sum()
    apart = wins != 1
    return PositionBias(
        n,
        share.estimate,
        float(share.lower),
        float(share.upper),
        p_value,
        len(wins),
        float(ratio((wins == 1).sum(), len(wins))),
        float(ratio((wins == 2).sum(), apart.sum())),
    )


def _p_value_of_mean(sums: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of a t test that clusters' sums have mean 0."""
    if sums.size < 2 or not sums.std():
        return float(sums.size < 2 or not sums.any())
    return float(ttest_1samp(sums, 0.0).pvalue)


def position_table(
    annotations: Annotations, shown_first: ArrayLike, *, clusters: ArrayLike | None = None
) -> pd.DataFrame:
    """Measure the position bias of each annotator who compared two answers."""
    annotations = as_annotations(annotations, "position_table")
    a = annotations
    code = {name: k for k, name in enumerate(a.categories)}
    names = np.asarray(shown_first, dtype=object)
    first = np.array([code.get(plain_number(name), -1) for name in names])
    answers = np.unique(first[first >= 0])
    if answers.size < 2:
        shown = f"always {a.categories[answers[0]]!r}" if answers.size else "none of the categories"
        raise AnnotationError(
            f"position_table: what was shown first is {shown}. To distinguish a preference for a "
            "position from one for an answer, show either answer first in some comparisons."
        )
    group = cluster_codes(clusters, a.n_items)
    rows = []
    for j, name in enumerate(a.annotators):
        own = (a.annotator == j) & (first >= 0)
        picked = own & np.isin(a.label, answers)
        if not picked.any():
            continue
        found = position_bias(
            a.item[picked],
            first[picked],
            a.label[picked],
            clusters=None if group is None else group[a.item[picked]],
        )
        n_ties = int(own.sum() - picked.sum())
        rows.append({"annotator": name, **found._scalars(), "n_ties": n_ties})
    return pd.DataFrame(rows)
