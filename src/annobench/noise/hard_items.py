"""Items that are probably hard, with reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models import dawid_skene
from annobench.noise import _rates
from annobench.noise._votes import Votes
from annobench.noise.certificate import EASY_RATE

__all__ = ["hard_items"]

#: A posterior probability below this is a reason to doubt the label.
_CERTAIN = 0.95


def hard_items(
    annotations: Annotations,
    *,
    easy_rate: float = EASY_RATE,
    gold: ArrayLike | None = None,
) -> pd.DataFrame:
    """Rank the items by their probability of being hard, with reasons.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `noise.dichotomise`.
    easy_rate : float, default 0.6
        In [0.5, 1): an item is hard if the rate of its most frequent label is lower.
    gold : array_like of int, shape (I,), optional
        Codes of gold categories, -1 where there is none; used for the reasons, not for the
        probability.

    Returns
    -------
    DataFrame
        A row for each item with at least two labels, most probably hard first: item, n_labels,
        label (the most frequent; the first of several), votes (its count), probability (of being
        hard), p_value (of the count, if the rate of the label is `easy_rate`), posterior (of the
        most probable category by Dawid and Skene), category (that one), and reasons.

    Raises
    ------
    AnnotationError
        As `noise.certificate`, or if `gold` is not one code of a category per item.

    Notes
    -----
    Empirical Bayes: the distribution of rates over all items is estimated nonparametrically, and
    items with few labels are shrunk towards it.

    Examples
    --------
    >>> rows = [["no"] * n + ["yes"] * (10 - n) for n in (9, 5, 10, 0)]
    >>> labels = Annotations.from_wide(rows)
    >>> hard_items(labels)["reasons"].iloc[0]
    'the labels are tied between no and yes'
    """
    annotations = as_annotations(annotations, "hard_items")
    if not 0.5 <= easy_rate < 1:
        raise AnnotationError(f"hard_items: easy_rate must be in [0.5, 1), got {easy_rate!r}.")
    votes = Votes.of(annotations, "hard_items")
    codes = _gold_codes(gold, annotations, votes)
    best = votes.counts.argmax(axis=1)
    # Without annotators there is nobody to weigh, and votes are all there is.
    posterior = np.eye(votes.n_categories)[best]
    if not annotations.anonymous:
        posterior = dawid_skene.fit(annotations).posterior[votes.item]
    category = posterior.argmax(axis=1)
    names = np.asarray(annotations.categories, dtype=object)
    frame = pd.DataFrame(
        {
            "item": np.asarray(annotations.items, dtype=object)[votes.item],
            "n_labels": votes.size,
            "label": names[best],
            "votes": votes.top,
            "probability": _rates.RateDistribution.of(votes, easy_rate).guess_probability(
                easy_rate
            ),
            "p_value": stats.binom.cdf(votes.top, votes.size, easy_rate),
            "posterior": posterior.max(axis=1),
            "category": names[category],
        }
    )
    frame["reasons"] = [
        "; ".join(_reasons(votes.counts[m], best[m], category[m], row, codes[m], names, easy_rate))
        for m, row in enumerate(frame[["posterior", "probability", "p_value"]].itertuples())
    ]
    order = np.lexsort((frame["posterior"], -frame["probability"].round(12)))
    return frame.iloc[order].reset_index(drop=True)


def _gold_codes(
    gold: ArrayLike | None, annotations: Annotations, votes: Votes
) -> NDArray[np.int64]:
    if gold is None:
        return np.full(votes.n_items, -1)
    codes = np.asarray(gold)
    if codes.shape != (annotations.n_items,) or codes.dtype.kind not in "iu":
        raise AnnotationError(
            f"hard_items: gold must be {annotations.n_items} codes of categories, got "
            f"{codes.dtype} of shape {codes.shape}. Give -1 where there is no gold category."
        )
    if codes.max(initial=-1) >= votes.n_categories:
        raise AnnotationError(
            f"hard_items: gold code {codes.max()} is none of the {votes.n_categories} categories. "
            "Give codes from 0, and -1 where there is no gold category."
        )
    return codes.astype(np.int64)[votes.item]


def _reasons(
    counts: NDArray[np.int64],
    best: int,
    category: int,
    row: Any,
    gold: int,
    names: NDArray[np.object_],
    easy_rate: float,
) -> list[str]:
    """Return the reasons why an item may be hard, if any."""
    size, top = counts.sum(), counts[best]
    found = []
    tied = np.flatnonzero(counts == top)
    if tied.size > 1:
        found.append(f"the labels are tied between {' and '.join(map(str, names[tied]))}")
    elif 2 * top <= size:
        found.append(f"no majority: {names[best]} has {top} of {size} labels")
    elif row.p_value < 0.05:
        found.append(f"{top} of {size} labels are too few for {easy_rate:.6g} of all annotators")
    elif row.probability >= 0.5:
        found.append(f"with {top} of {size} labels more probably hard than not, among these items")
    if tied.size == 1 and category != best:
        found.append(f"weighting annotators by accuracy gives {names[category]}")
    elif tied.size == 1 and row.posterior < _CERTAIN:
        found.append(f"Dawid and Skene's model gives {names[category]} only {row.posterior:.2f}")
    if gold >= 0 and gold != best:
        found.append(f"gold says {names[gold]}")
    return found
