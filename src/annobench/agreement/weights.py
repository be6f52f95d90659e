"""Weights of agreement and distances between categories, as K x K tables.

Weights of agreement are 1 on the diagonal and at most 1 elsewhere; distances are 0 on the
diagonal and at least 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.labels.annotations import Annotations

__all__ = ["MAX_CATEGORIES", "WEIGHTS", "Weights", "agreement_weights", "distances"]

#: Named weights of agreement.
WEIGHTS: Final = ("linear", "quadratic")
#: Named distances.
METRICS: Final = (
    "nominal",
    "ordinal",
    "interval",
    "ratio",
    "circular",
    "absolute",
    "masi",
    "jaccard",
)

#: More categories than this are labels read as categories by mistake, or numbers.
MAX_CATEGORIES: Final = 20_000
#: A K x K table of more categories than this does not fit in memory with room to work.
MAX_TABULATED: Final = 3_000

Weights = Literal["linear", "quadratic"] | ArrayLike | None
Metric = str | ArrayLike | Callable[[str, str], float] | None


def agreement_weights(
    annotations: Annotations, weights: Weights, name: str
) -> NDArray[np.float64] | None:
    """Return the table of weights for a coefficient.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    weights : {"linear", "quadratic"} or array_like of shape (K, K) or None
        A name, with distances by value on the interval scale and by order otherwise; a table; or
        None, if only equal labels agree.
    name : str
        The coefficient, for messages.

    Returns
    -------
    ndarray of float, shape (K, K), or None
        Symmetric, 1 on the diagonal.

    Raises
    ------
    AnnotationError
        If the name is unknown, or the table has a wrong shape, is not symmetric, not finite,
        above 1, or not 1 on the diagonal.

    References
    ----------
    Cohen (1968), Psychological Bulletin 70 (linear); Fleiss and Cohen (1973) (quadratic).
    """
    check_category_count(annotations, name)
    if weights is None:
        return None
    k = annotations.n_categories
    check_tabulated(annotations, name)
    if isinstance(weights, str):
        if weights not in WEIGHTS:
            raise AnnotationError(
                f"{name}: weights {weights!r} is not one of {', '.join(WEIGHTS)}. "
                "Name one of them, or give a table."
            )
        x = _positions(annotations)
        width = np.ptp(x) if k > 1 else 1.0
        share = np.abs(np.subtract.outer(x, x)) / (width or 1.0)
        return 1 - (share if weights == "linear" else share**2)
    table = _table(annotations, weights, name, "weights")
    if not np.allclose(np.diag(table), 1, rtol=0, atol=1e-12) or (table > 1).any():
        raise AnnotationError(
            f"{name}: weights must be 1 on the diagonal and at most 1 elsewhere, got "
            f"{np.diag(table).min():g} to {np.diag(table).max():g} on the diagonal and up to "
            f"{table.max():g}. Convert weights of disagreement v to 1 - v / max(v)."
        )
    return table


def checked_weights(
    annotations: Annotations, weights: Weights, name: str
) -> tuple[Weights, NDArray[np.float64] | None]:
    """Check weights, and return them with the corresponding distances."""
    table = agreement_weights(annotations, weights, name)
    kept = weights if weights is None or isinstance(weights, str) else table
    return kept, None if table is None else 1 - table


def checked_metric(annotations: Annotations, metric: Metric, name: str) -> Metric:
    """Check a table of distances, and return a read-only copy."""
    if isinstance(metric, str) or callable(metric):
        return metric
    return distances(annotations, metric, name)


def distances(
    annotations: Annotations, metric: Metric, name: str, period: float | None = None
) -> NDArray[np.float64]:
    """Return the table of distances between categories.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    metric : str, array_like of shape (K, K) or callable
        A name in `METRICS`, except "ordinal", whose distances depend on how often each label is
        used; a table; or a function of two categories' names, on the interval scale of their
        numbers.
    name : str
        The coefficient, for messages.
    period : float, optional
        Period of the circular metric, such as 24 for hours.

    Returns
    -------
    ndarray of float, shape (K, K)
        Symmetric, 0 on the diagonal, not negative.

    Raises
    ------
    AnnotationError
        If the metric is unknown, the labels are outside its domain, or the table has a
        wrong shape, is not symmetric, not finite, negative, or not 0 on the diagonal.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability; MASI: Passonneau (2006),
    LREC, section 4; Jaccard: one minus the share of common elements.
    """
    check_tabulated(annotations, name)
    if callable(metric):
        given: Sequence[Any] = annotations.categories
        if annotations.scale == "interval":
            given = annotations.category_values.tolist()
        try:
            rows = [[metric(first, second) for second in given] for first in given]
        except Exception as error:
            raise AnnotationError(
                f"{name}: the metric fails on categories such as {given[0]!r}: {error}"
            ) from error
        return _check_distances(_table(annotations, rows, name, "metric"), name)
    if not isinstance(metric, str):
        return _check_distances(_table(annotations, metric, name, "metric"), name)
    if metric == "nominal":
        return 1 - np.eye(annotations.n_categories)
    if metric in ("masi", "jaccard"):
        return _set_distances(annotations, metric, name)
    if metric in ("interval", "absolute", "ratio", "circular"):
        return _numeric_distances(annotations, metric, name, period)
    raise AnnotationError(
        f"{name}: metric {metric!r} is not one of {', '.join(METRICS)}. "
        "Name one of them, or give a table of distances."
    )


def check_category_count(annotations: Annotations, name: str) -> None:
    """Reject labels that are not categories."""
    if annotations.n_categories > MAX_CATEGORIES:
        raise AnnotationError(
            f"{name}: the labels have {annotations.n_categories:,} categories, more than "
            f"{MAX_CATEGORIES:,}; for example {', '.join(map(repr, annotations.categories[:3]))}. "
            "Check that this is the column of labels; for numbers use the interval scale."
        )


def check_tabulated(annotations: Annotations, name: str) -> None:
    """Reject more categories than a table can have."""
    if annotations.n_categories > MAX_TABULATED:
        raise AnnotationError(
            f"{name}: weights or distances of {annotations.n_categories:,} categories need a table "
            f"of {annotations.n_categories**2:,} entries; at most {MAX_TABULATED:,} categories are "
            "allowed. Check the column of labels, use nominal labels, or numbers on the interval "
            "scale with the interval metric."
        )


def _positions(annotations: Annotations) -> NDArray[np.float64]:
    if annotations.scale == "interval":
        return annotations.category_values
    return np.arange(annotations.n_categories, dtype=float)


def _table(
    annotations: Annotations, values: ArrayLike | None, name: str, what: str
) -> NDArray[np.float64]:
    k = annotations.n_categories
    if isinstance(values, pd.DataFrame):
        values = _by_name(annotations, values, name, what)
    try:
        table = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise AnnotationError(f"{name}: {what} must be a name or a table of numbers.") from error
    if table.shape != (k, k):
        raise AnnotationError(
            f"{name}: {what} must have the shape ({k}, {k}), one row and column for each category "
            f"({', '.join(map(repr, annotations.categories[:10]))}), got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise AnnotationError(f"{name}: {what} must be finite; replace NaN and infinity.")
    if not np.allclose(table, table.T, rtol=1e-12, atol=1e-12):
        row, column = np.argwhere(~np.isclose(table, table.T, rtol=1e-12, atol=1e-12))[0]
        raise AnnotationError(
            f"{name}: {what} must be symmetric, but [{row}, {column}] is {table[row, column]:g} "
            f"and [{column}, {row}] is {table[column, row]:g}. Make them equal."
        )
    table.setflags(write=False)
    return table


def _by_name(annotations: Annotations, frame: pd.DataFrame, name: str, what: str) -> pd.DataFrame:
    """Put the rows and columns of a frame in the order of the categories."""
    named = frame.rename(index=plain_number, columns=plain_number)
    wanted = list(annotations.categories)
    if sorted(named.index) != sorted(wanted) or sorted(named.columns) != sorted(wanted):
        raise AnnotationError(
            f"{name}: the rows and columns of {what} must be named after the categories, "
            f"{', '.join(map(repr, wanted[:10]))}; got {', '.join(map(repr, named.index[:10]))}."
        )
    return named.loc[wanted, wanted]


def _check_distances(table: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if np.diag(table).any() or (table < 0).any():
        raise AnnotationError(
            f"{name}: distances must be 0 on the diagonal and at least 0 elsewhere. "
            "Convert weights of agreement w to 1 - w."
        )
    return table


def _set_distances(annotations: Annotations, metric: str, name: str) -> NDArray[np.float64]:
    if annotations.scale != "set":
        raise AnnotationError(
            f"{name}: the metric {metric!r} compares sets, but the labels are on the "
            f"{annotations.scale} scale. Build them with Annotations.from_sets."
        )
    has = annotations.membership.astype(np.int64)
    common = has @ has.T
    size = has.sum(axis=1)
    union = np.add.outer(size, size) - common
    share = np.ones(common.shape)
    np.divide(common, union, out=share, where=union > 0)
    if metric == "jaccard":
        return 1 - share
    smaller, larger = np.minimum.outer(size, size), np.maximum.outer(size, size)
    monotonicity = np.select(
        [(common == smaller) & (smaller == larger), common == smaller, common > 0],
        [1.0, 2 / 3, 1 / 3],
        default=0.0,
    )
    return 1 - share * monotonicity


def _numeric_distances(
    annotations: Annotations, metric: str, name: str, period: float | None
) -> NDArray[np.float64]:
    x = annotations.category_values
    difference = np.abs(np.subtract.outer(x, x))
    if metric == "absolute":
        return difference
    if metric == "interval":
        return difference**2
    if metric == "ratio":
        if (x < 0).any():
            raise AnnotationError(
                f"{name}: the ratio metric needs labels of at least 0, got {x.min():g}. "
                "Use the interval metric."
            )
        total = np.add.outer(x, x)
        share = np.divide(difference, total, out=np.zeros_like(total), where=total > 0)
        return share**2
    if period is None or not np.isfinite(period) or period <= 0:
        raise AnnotationError(
            f"{name}: the circular metric needs period=, the positive period of the labels, such "
            "as 24 for hours."
        )
    outside = x[(x < 0) | (x >= period)]
    if outside.size:
        raise AnnotationError(
            f"{name}: circular labels must be at least 0 and less than the period {period:g}, "
            f"got {outside[0]:g}."
        )
    return np.sin(np.pi * difference / period) ** 2
