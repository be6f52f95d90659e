"""Formats of numbers and names on pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from annobench.core.texts import counted
from annobench.reporting.printed import unit_of

if TYPE_CHECKING:
    from annobench.labels.annotations import Annotations
    from annobench.scale._blocks import BlockedLabels

__all__ = ["breakable", "by_interval", "level", "number", "percent", "shown", "signed"]


def number(value: float | None, places: int = 3) -> str:
    """Format a number with a true minus sign; a dash if it is missing.

    Parameters
    ----------
    value : float or None
        None and NaN give the dash.
    places : int, default 3
        Digits after the point.

    Returns
    -------
    str
        Such as "0.512".

    Examples
    --------
    >>> number(-0.25, 2), number(float("nan"))
    ('−0.25', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:.{places}f}"
    return text.replace("-", "") if float(text) == 0 else _true_minus(text)


def signed(value: float, places: int = 3) -> str:
    """Format a difference with its sign.

    Parameters
    ----------
    value : float
        NaN gives a dash.
    places : int, default 3
        Digits after the point.

    Returns
    -------
    str
        Such as "+0.012".
    """
    text = number(value, places)
    return f"+{text}" if value > 0 and float(text) > 0 else text


def by_interval(
    lower: float, upper: float, reference: float, *, above: str, below: str, neither: str
) -> str:
    """Choose the words that an interval supports.

    Parameters
    ----------
    lower, upper : float
        The interval; words are empty if a limit is NaN.
    reference : float
        The value with which the quantity is compared.
    above, below : str
        Words if the whole interval is above the reference, or below.
    neither : str
        Words if it is not; ``{within}`` becomes the distance of the farther limit, rounded up.

    Returns
    -------
    str
        One of the three.

    Examples
    --------
    >>> words = {"above": "more", "below": "less", "neither": "as much, within ±{within}"}
    >>> by_interval(0.06, 0.13, 0, **words), by_interval(-0.021, 0.05, 0, **words)
    ('more', 'as much, within ±0.05')
    """
    if math.isnan(lower) or math.isnan(upper):
        return ""
    if lower > reference:
        return above
    if upper < reference:
        return below
    distance = max(upper - reference, reference - lower)
    if math.isfinite(distance):
        distance = math.ceil(100 * distance - 1e-9) / 100
    return neither.format(within=number(distance, 2))


def percent(share: float) -> str:
    """Format a share in percent.

    Parameters
    ----------
    share : float
        In [0, 1]; NaN gives a dash.

    Returns
    -------
    str
        Whole percentages, or two digits below 10%.
    """
    if math.isnan(share):
        return "–"
    return f"{100 * share:.0f}%" if share >= 0.0995 or share == 0 else f"{100 * share:.2g}%"


def level(share: float) -> str:
    """Format the level of an interval in percent, without rounding.

    Parameters
    ----------
    share : float
        In (0, 1).

    Returns
    -------
    str
        Such as "95%" or "99.9%".
    """
    return f"{100 * share:.6g}%"


def shown(value: float, published: str = "") -> str:
    """Format a computed number for comparison with a published one.

    Parameters
    ----------
    value : float
        NaN gives an empty text.
    published : str, optional
        The number as printed.

    Returns
    -------
    str
        With two more decimals than the published number, or six digits.
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "\u2212∞"
    if value == int(value) and abs(value) < 1e15:
        return _true_minus(f"{value:,.0f}")
    if not published:
        return _true_minus(f"{value:.6g}")
    places = max(0, -int(unit_of(published).adjusted())) + 2
    return _true_minus(f"{value:,.{places}f}")


def extent_of(labels: Annotations | BlockedLabels) -> str:
    """Describe the numbers of labels, items and, if known, annotators."""
    from annobench.labels.frames import as_annotations
    from annobench.scale._blocks import BlockedLabels

    if isinstance(labels, BlockedLabels):
        return extent(labels.n_labels, labels.n_annotators, labels.n_items)
    a = as_annotations(labels, "extent_of")
    if a.anonymous:
        return (
            f"{counted(a.n_labels, 'label')} for {counted(a.n_items, 'item')}, annotators unknown"
        )
    return extent(a.n_labels, a.n_annotators, a.n_items)


def extent(n_labels: int, n_annotators: int, n_items: int) -> str:
    """Describe the numbers of labels, annotators and items."""
    return (
        f"{counted(n_labels, 'label')} of {counted(n_annotators, 'annotator')} for "
        f"{counted(n_items, 'item')}"
    )


def shorten(name: str, longest: int = 22) -> str:
    """Truncate a long name."""
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"


def breakable(name: str) -> Markup:
    """Let a long name break after a dot or an underscore.

    Parameters
    ----------
    name : str
        Any; it is escaped.

    Returns
    -------
    Markup
        HTML.
    """
    escaped = str(escape(name))
    return Markup(escaped.replace(".", ".<wbr>").replace("_", "_<wbr>"))  # noqa: S704  (escaped)


def _true_minus(text: str) -> str:
    return text.replace("-", "\u2212")
