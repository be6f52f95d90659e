r"""Whether a judge agrees with itself: over repeats, and when two answers change places.

A judge that labels an item several times, by another seed or another prompt, should say the same.
One that compares two answers should not care which of them is shown first. Where the order was
drawn at random, the share of first answers that it picks is 1/2 without a *position bias*; where
each pair was shown both ways, those that it judges differently show it at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.resampling.proportions import proportion_interval
from annobench.resampling.ratios import ratio


def repeat_consistency(annotations: Annotations) -> pd.DataFrame:
    """Compare the labels that an annotator gave the same item.

    Parameters
    ----------
    annotations : Annotations
        Labels, of which some annotators gave an item several.

    Returns
    -------
    DataFrame
        One row an annotator with repeats: annotator, n_items (labelled more than once), n_labels
        (of these), unanimous (share of these items with one label alone, with Wilson's 95% interval
        lower, upper), agreement (mean over items of the probability that two of its labels are
        equal), expected_agreement (of labels drawn from the annotator's own distribution), and
        kappa, the agreement corrected for that.

    Examples
    --------
    >>> labels = Annotations.from_arrays(list("xxyy"), ["llm"] * 4, list("1110"))
    >>> repeat_consistency(labels)[["n_items", "unanimous", "agreement"]].iloc[0].tolist()
    [2.0, 0.5, 0.5]
    """
    a = annotations
    pair = a.annotator.astype(np.int64) * a.n_items + a.item
    given, of_pair = np.unique(pair, return_inverse=True)
    size = np.bincount(of_pair)
    cells, counts = np.unique(of_pair * a.n_categories + a.label, return_counts=True)
    equal = np.bincount(cells // a.n_categories, counts * (counts - 1.0), given.size)
    most = np.zeros(given.size)
    np.maximum.at(most, cells // a.n_categories, counts)
    agreement = ratio(equal, size * (size - 1))
    annotator = given // max(a.n_items, 1)
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
    """How a judge of pairs depends on which answer is shown first.

    Attributes
    ----------
    n : int
        Comparisons.
    picks_first : float
        Share in which the first answer is picked; 1/2 without bias where the order is random.
    lower, upper : float
        Its 95% interval (Wilson), over comparisons.
    p_value : float
        Of the two-sided binomial test of 1/2.
    n_both : int
        Items shown in both orders.
    consistent : float
        Share of these on which the same answer wins both times; NaN without any.
    first_if_inconsistent : float
        Of the others, the share on which the first answer wins both times (the rest pick the second
        both times); NaN without any.
    """

    n: int
    picks_first: float
    lower: float
    upper: float
    p_value: float
    n_both: int
    consistent: float
    first_if_inconsistent: float


def position_bias(item: ArrayLike, shown_first: ArrayLike, picked: ArrayLike) -> PositionBias:
    """Measure the position bias of a judge.

    Parameters
    ----------
    item : array_like, shape (N,)
        The pair of each comparison.
    shown_first, picked : array_like, shape (N,)
        Which answer was shown first, and which one the judge picked. Ties are left out before.

    Returns
    -------
    PositionBias
        Over all comparisons, and over pairs shown in both orders; of several comparisons of a pair
        in one order the first counts there.

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
    share = proportion_interval(k, n)
    turned = table.drop_duplicates(["item", "first"])
    turned = turned[turned.groupby("item")["first"].transform("size") == 2]
    wins = turned.groupby("item")["won_first"].sum()
    apart = wins != 1
    return PositionBias(
        n,
        share.estimate,
        share.lower,
        share.upper,
        float(binomtest(k, n).pvalue),
        len(wins),
        float(ratio((wins == 1).sum(), len(wins))),
        float(ratio((wins == 2).sum(), apart.sum())),
    )
