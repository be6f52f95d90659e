"""Published numbers: their value, their precision, and what agrees with them."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Final, NamedTuple

__all__ = ["MEASURED", "RELATIONS", "Printed", "agrees", "parse_printed", "unit_of"]

RELATIONS: Final = ("eq", "about", "lt", "le", "gt", "ge", "within")

#: The relations of one number that was measured; the others set limits.
MEASURED: Final = ("eq", "about")

_PRINTED = re.compile(
    r"(?P<sign>[-+\u2212])?"
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d*)"
    r"(?:\.(?P<fraction>\d*))?"
    r"(?:e(?P<exponent>[-+]?\d+))?%?"
)

# Twelve digits are more than any paper prints and fewer than a double holds, so that
# 0.1 + 0.2 is 0.3 and dust in the last bits never decides at a tie.
_TWELVE_DIGITS = Context(prec=12)


class Printed(NamedTuple):
    """A published number and its precision.

    Attributes
    ----------
    value : Decimal
        The number.
    unit : Decimal
        One unit of the last printed place.
    last_unit : Decimal
        One unit of the last digit that is not 0: 100 for "1600" and 0.1 for "0.50"; the
        unit itself for 0.
    """

    value: Decimal
    unit: Decimal
    last_unit: Decimal

    @property
    def about(self) -> Decimal:
        """Tolerance of "about" this number: one last unit, and at most 20%."""
        return min(self.last_unit, abs(self.value) / 5)


def parse_printed(text: str) -> Printed:
    """Read a number as it was printed.

    Parameters
    ----------
    text : str
        Such as "0.928", ".50", "1,600", "-3", "2e-5" or "92.5%" (the unit is dropped:
        computed values are in the printed unit).

    Returns
    -------
    Printed
        The value and its precision.

    Raises
    ------
    ValueError
        If the text is not a number.

    Examples
    --------
    >>> parse_printed(".50").unit
    Decimal('0.01')
    """
    match = _PRINTED.fullmatch(text)
    if match is None or not (match["whole"] or match["fraction"]):
        raise ValueError(f"{text!r} is not a printed number")
    whole, fraction = match["whole"].replace(",", ""), match["fraction"] or ""
    exponent = int(match["exponent"] or 0) - len(fraction)
    sign = 1 if match["sign"] in ("-", "\u2212") else 0
    digits = whole + fraction
    value = Decimal((sign, tuple(map(int, digits)), exponent))
    filling = len(digits) - len(digits.rstrip("0") or digits)
    return Printed(value, _power_of_ten(exponent), _power_of_ten(exponent + filling))


def parse_range(text: str) -> tuple[Printed, Printed]:
    """Read two limits as they were printed."""
    lower, _, upper = text.partition(" to ")
    limits = parse_printed(lower), parse_printed(upper)
    if limits[0].value >= limits[1].value:
        raise ValueError(f"{text!r} does not begin with its lower limit")
    return limits


def unit_of(text: str) -> Decimal:
    """Return one unit of the last decimal place of a number, or of the lower of two limits.

    Parameters
    ----------
    text : str
        A number or a range as printed.

    Returns
    -------
    Decimal
        Such as 0.01 for "0.50" and 1 for "4 to 7".
    """
    return parse_printed(text.partition(" to ")[0]).unit


def _power_of_ten(exponent: int) -> Decimal:
    return Decimal((0, (1,), exponent))


def agrees(published: str, relation: str, lower: float, upper: float | None = None) -> bool:
    """Return whether a computed number, or an interval, agrees with a published one.

    Parameters
    ----------
    published : str
        The number as printed, or the range of "within".
    relation : {"eq", "about", "lt", "le", "gt", "ge", "within"}
        The paper's claim. "eq" allows every number that rounds to the published one, ties in either
        direction; "about" a difference of one unit of its last nonzero digit, and at most 20%;
        "within" every number from the lower to the upper limit.
    lower, upper : float
        The computed number alone, or the ends of its check interval. An interval agrees if it
        contains a number that the relation allows. For counts, whose check interval is continuous,
        the half unit is the usual correction for continuity.

    Returns
    -------
    bool
        True if they agree.

    Raises
    ------
    ValueError
        If the text is not a number, or the relation is unknown.

    Examples
    --------
    >>> agrees(".928", "eq", 0.9275), agrees(".927", "eq", 0.9275), agrees(".926", "eq", 0.9275)
    (True, True, False)
    """
    low = _TWELVE_DIGITS.create_decimal_from_float(lower)
    high = low if upper is None else _TWELVE_DIGITS.create_decimal_from_float(upper)
    if relation == "within":
        least, most = parse_range(published)
        return low <= most.value and least.value <= high
    printed = parse_printed(published)
    value = printed.value
    match relation:
        case "eq" | "about":
            slack = printed.unit / 2 if relation == "eq" else printed.about
            return low <= value + slack and value - slack <= high
        case "lt":
            return low < value
        case "le":
            return low <= value
        case "gt":
            return high > value
        case "ge":
            return high >= value
    raise ValueError(f"relation {relation!r} is not one of {', '.join(RELATIONS)}")
