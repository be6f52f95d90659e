"""Rows of computed values with intervals."""

from __future__ import annotations

from collections.abc import Mapping

from annobench.agreement import Agreement
from annobench.replication.compare import PAPER_METHOD, Computed
from annobench.replication.rounding import Rounded


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


def rounded_rows(values: Mapping[str, Rounded], *, method: str = PAPER_METHOD) -> list[Computed]:
    """Return values computed from rounded numbers, with the ranges that the rounding allows.

    Parameters
    ----------
    values : mapping of str to Rounded
        Values by target, as `annobench.rounding.propagate` returns them.
    method : str, default "paper"
        Whose values they are.
    """
    return [
        Computed(target, value, rounding_lower=lower, rounding_upper=upper, method=method)
        for target, (value, lower, upper) in values.items()
    ]
