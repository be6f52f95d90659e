"""Rows of computed values with intervals."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from annobench_replication.ledger import PAPER_METHOD, Computed
from annobench_replication.rounding import Rounded

if TYPE_CHECKING:
    from annobench.agreement import Agreement

__all__ = ["Value", "coefficient_row", "interval_columns", "shown_beside", "value_row"]

#: A number alone, with the range that rounded inputs allow, or with its interval.
Value = float | Rounded | tuple[float, float, float]


def value_row(
    target: str,
    value: Value,
    *,
    level: float = 0.95,
    method: str = PAPER_METHOD,
) -> Computed:
    """Return a value alone, with its interval, or with the range that rounded inputs allow.

    Parameters
    ----------
    target : str
        Of the printed value.
    value : float, Rounded or tuple of float
        The value alone; as `propagate` returns it; or with the lower and the upper end of its
        interval.
    level : float, default 0.95
        Of the interval.
    method : str, default "paper"
        Whose value it is.

    Returns
    -------
    Computed
        A row without provenance.
    """
    if isinstance(value, Rounded):
        estimate, lower, upper = map(float, value)
        return Computed(target, estimate, rounding_lower=lower, rounding_upper=upper, method=method)
    if isinstance(value, tuple):
        estimate, lower, upper = map(float, value)
        return Computed(target, estimate, lower=lower, upper=upper, level=level, method=method)
    return Computed(target, float(value), method=method)


def coefficient_row(
    target: str, found: Agreement, *, scale: float = 1.0, method: str = PAPER_METHOD
) -> Computed:
    """Return a coefficient with its 95% interval.

    Parameters
    ----------
    target : str
        Of the printed value.
    found : Agreement
        The coefficient.
    scale : float, default 1
        The printed unit: 100 for percentages.
    method : str, default "paper"
        Whose value it is.

    Returns
    -------
    Computed
        A row without provenance.
    """
    interval = found.interval()
    return Computed(
        target,
        scale * found.estimate,
        lower=scale * interval.lower,
        upper=scale * interval.upper,
        level=interval.level,
        method=method,
    )


def shown_beside(
    rows: Iterable[Computed], judged: Container[str], method: str = "labels"
) -> list[Computed]:
    """Leave to another method the targets that are judged otherwise.

    Parameters
    ----------
    rows : iterable of Computed
        Of the method "paper".
    judged : container of str
        Targets whose verdict rests on something else, such as other printed numbers.
    method : str, default "labels"
        Under which their rows are shown beside it.

    Returns
    -------
    list of Computed
        All rows.
    """
    return [replace(row, method=method) if row.target in judged else row for row in rows]


def interval_columns(interval: Any, prefix: str = "") -> dict[str, float]:
    """Return the ends of an interval as columns of a table.

    Parameters
    ----------
    interval : Interval
        Or anything else with `lower` and `upper`.
    prefix : str, default ""
        Of the names of the columns.

    Returns
    -------
    dict
        ``<prefix>lower`` and ``<prefix>upper``.
    """
    return {f"{prefix}{end}": float(getattr(interval, end)) for end in ("lower", "upper")}
