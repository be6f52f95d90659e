"""Breakdowns of agreement by category, annotator, pair of annotators and item."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from annobench.agreement.forms.base import Floats, Form, Rows, dense
from annobench.agreement.forms.counts import LabelPairs
from annobench.agreement.intervals import interval
from annobench.agreement.replicates import without_annotator
from annobench.agreement.statistic import Statistic
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.view import View
from annobench.resampling.weights import MAX_CELLS

__all__ = ["by_annotator", "by_category", "by_item", "by_pair", "contingency", "leave_one_out"]

#: Pairs of labels in a chunk; a pair of annotators is never split.
MAX_ROWS = 100_000


def contingency(annotations: Annotations) -> NDArray[np.float64]:
    """Cross-tabulate the labels of two annotators on the items that both labelled.

    Parameters
    ----------
    annotations : Annotations
        Two annotators.

    Returns
    -------
    ndarray, shape (K, K)
        ``[k, l]``: items labelled k by the first and l by the second.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, or one labelled an item twice.

    Examples
    --------
    >>> contingency(Annotations.from_contingency([[1, 2], [0, 3]]))
    array([[1., 2.],
           [0., 3.]])
    """
    annotations = as_annotations(annotations, "contingency")
    if annotations.n_annotators != 2:
        raise AnnotationError(
            f"contingency: needs exactly two annotators, got {annotations.n_annotators}. "
            "Choose two with select(annotators=...)."
        )
    if annotations.first_repeat is not None:
        raise AnnotationError(
            "contingency: an annotator labelled an item twice. Keep one label of each."
        )
    pairs = LabelPairs(annotations)
    k = annotations.n_categories
    label = annotations.label.astype(np.int64)
    flat = np.bincount(label[pairs.first] * k + label[pairs.second], minlength=k * k)
    return flat.reshape(k, k).astype(np.float64)


def by_category(statistic: Statistic, level: float) -> pd.DataFrame:
    """Compute the coefficient of each category against the rest.

    Parameters
    ----------
    statistic : Statistic
        A coefficient without weights or metric.
    level : float
        Of the analytic intervals, in (0, 1).

    Returns
    -------
    DataFrame
        category, n_labels, estimate, standard_error, lower, upper; NaN for a category that all
        labels, or none, name.

    Raises
    ------
    AnnotationError
        If categories cannot be merged because the coefficient has weights or a metric.

    Warns
    -----
    IntervalWarning
        If intervals have zero width.
    """
    check_level(level, statistic.name)
    if not statistic.collapsible:
        raise AnnotationError(
            f"{statistic.name}: categories cannot be merged if their order, distance or value "
            "matters. Use a coefficient of nominal labels, "
            "without weights or metric."
        )
    annotations = statistic.annotations
    counts = np.bincount(annotations.label, minlength=annotations.n_categories)
    found = []
    no_width = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)  # of all categories in one, below
        for category, n_labels in zip(annotations.categories, counts, strict=True):
            one = statistic.refit(annotations.binarize(category))
            ends = interval(one, "analytic", "items", level, 0, None)
            if ends.caution:
                no_width.append(category)
            found.append(
                (category, int(n_labels), one.estimate, one.standard_error, ends.lower, ends.upper)
            )
    if no_width:
        warnings.warn(
            f"{statistic.name}: the intervals of {', '.join(map(repr, no_width[:10]))} have "
            "zero width and are uninformative: report how many items agree instead.",
            IntervalWarning,
            stacklevel=3,
        )
    columns = ["category", "n_labels", "estimate", "standard_error", "lower", "upper"]
    return pd.DataFrame(found, columns=columns)


def expand_pairs(
    annotations: Annotations, first: NDArray[np.int64], second: NDArray[np.int64]
) -> Annotations:
    """Convert pairs of labels to separate items of two annotators."""
    n = first.size
    item = np.arange(n, dtype=np.int32)
    return replace(
        annotations,
        item=np.concatenate([item, item]),
        annotator=np.repeat(np.array([0, 1], dtype=np.int32), n),
        label=annotations.label[np.concatenate([first, second])],
        items=("",) * n,
        annotators=("1", "2"),
    )


def by_pair(statistic: Statistic) -> pd.DataFrame:
    """Compute a coefficient for every pair of annotators with common items.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.

    Returns
    -------
    DataFrame
        first, second, n_items, estimate, standard_error, observed_agreement.

    Raises
    ------
    AnnotationError
        If there are more than a hundred million pairs of labels.
    """
    statistic.annotations.check_annotators("by_pair")
    annotations = statistic.annotations
    pairs = LabelPairs(annotations)
    estimate, error, observed = (np.full(pairs.n_pairs, math.nan) for _ in range(3))
    by_pair = View.of(pairs.pair, pairs.n_pairs)

    def form_of(chosen: NDArray[np.int64]) -> Form:
        first, second = pairs.first[chosen], pairs.second[chosen]
        return statistic.make_form(expand_pairs(annotations, first, second), None)

    n_sums = form_of(by_pair.order[:1]).rows.shape[1]
    step = max(1, MAX_CELLS // (n_sums * min(n_sums, 200)))
    with np.errstate(invalid="ignore", divide="ignore"):
        start = 0
        while start < pairs.n_pairs:
            last = np.searchsorted(by_pair.offsets, by_pair.offsets[start] + MAX_ROWS, "right") - 1
            stop = min(max(start + 1, int(last)), start + step)
            chosen = by_pair.order[by_pair.offsets[start] : by_pair.offsets[stop]]
            form = form_of(chosen)
            rows, pair = form.rows, pairs.pair[chosen] - start
            n = np.bincount(pair)
            belongs = sparse.csr_array(
                (np.ones(pair.size), np.arange(pair.size), np.append(0, np.cumsum(n)))
            )
            totals = dense(belongs @ rows)
            part = slice(start, stop)
            estimate[part] = form.value(totals)
            observed[part] = 1 - form.disagreements(totals)[0] / form.scale
            added = _influence_by_pair(form, totals, rows, pair)
            mean = (belongs @ added) / n
            spread = belongs @ (added - mean[pair]) ** 2
            divisor = n - statistic.method.ddof
            error[part] = np.where(n > 1, np.sqrt(spread * n / np.maximum(divisor, 1)), math.nan)
            start = stop
    names = np.array(annotations.annotators, dtype=object)
    return pd.DataFrame(
        {
            "first": names[pairs.first_annotator],
            "second": names[pairs.second_annotator],
            "n_items": np.diff(by_pair.offsets),
            "estimate": estimate,
            "standard_error": error,
            "observed_agreement": observed,
        }
    )


def _influence_by_pair(
    form: Form, totals: Floats, rows: Rows, pair: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the empirical influence value of each item on the coefficient of its pair."""
    gradient = np.empty(totals.shape)
    for at, one in enumerate(totals):
        quick = form.gradient(one)
        if quick is None:
            break
        gradient[at] = quick
    else:
        return _row_products(rows, gradient, pair)
    for total in range(totals.shape[1]):
        moved = totals.astype(complex)
        moved[:, total] += 1e-30j
        gradient[:, total] = form.value(moved).imag / 1e-30
    return _row_products(rows, gradient, pair)


def _row_products(rows: Rows, gradient: Floats, pair: NDArray[np.int64]) -> NDArray[np.float64]:
    if isinstance(rows, sparse.csr_array):
        item = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        terms = rows.data * gradient[pair[item], rows.indices]
        return np.bincount(item, terms, minlength=rows.shape[0]).astype(np.float64)
    return np.einsum("is,is->i", rows, gradient[pair])


def leave_one_out(statistic: Statistic) -> pd.DataFrame:
    """Compute a coefficient leaving out each annotator in turn.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.

    Returns
    -------
    DataFrame
        annotator, estimate; NaN where it is undefined or no pair of annotators is left.
    """
    statistic.annotations.check_annotators("leave_one_out")
    values = [without_annotator(statistic, j) for j in range(statistic.n_annotators)]
    return pd.DataFrame({"annotator": statistic.annotations.annotators, "estimate": values})


def by_annotator(statistic: Statistic) -> pd.DataFrame:
    """Compare each annotator with the others.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.

    Returns
    -------
    DataFrame
        annotator; n_labels; n_pairs, the pairs of labels with another annotator's on the same
        item; observed_agreement, their mean; without, the coefficient when the annotator is left
        out; change, without minus the overall coefficient.
    """
    statistic.annotations.check_annotators("by_annotator")
    annotations = statistic.annotations
    pairs = by_pair(statistic)
    both = pd.concat(
        [
            pairs.rename(columns={one: "annotator"})[["annotator", "n_items", "observed_agreement"]]
            for one in ("first", "second")
        ]
    )
    both["agreeing"] = both["n_items"] * both["observed_agreement"]
    sums = both.groupby("annotator", sort=False)[["n_items", "agreeing"]].sum(min_count=1)
    sums = sums.reindex(list(annotations.annotators))
    without = leave_one_out(statistic)["estimate"].to_numpy()
    n_pairs = sums["n_items"].fillna(0).to_numpy(dtype=np.int64)
    agreeing = sums["agreeing"].to_numpy(dtype=np.float64)
    return pd.DataFrame(
        {
            "annotator": annotations.annotators,
            "n_labels": np.diff(annotations.by_annotator.offsets),
            "n_pairs": n_pairs,
            "observed_agreement": np.divide(
                agreeing, n_pairs, out=np.full(n_pairs.size, math.nan), where=n_pairs > 0
            ),
            "without": without,
            "change": without - statistic.estimate,
        }
    )


def by_item(statistic: Statistic) -> pd.DataFrame:
    """Return the observed agreement of every item.

    Parameters
    ----------
    statistic : Statistic
        The coefficient on its labels.

    Returns
    -------
    DataFrame
        item, n_labels, observed_agreement (NaN with fewer than two labels).
    """
    annotations = statistic.annotations
    return pd.DataFrame(
        {
            "item": annotations.items,
            "n_labels": np.diff(annotations.by_item.offsets),
            "observed_agreement": 1 - statistic.form.item_disagreement / statistic.form.scale,
        }
    )
