"""Columns without labels in wide tables: dates, addresses, totals, comments.

Mistaken for an annotator's, such a column changes every coefficient unnoticed.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from annobench.core.names import EMAIL
from annobench.labels.columns import plain_name

__all__ = ["has_thousands", "number_of"]

#: The share of the cells that are not empty from which a column is of their kind.
_MOST = 0.8
#: Rows from which a number that follows from the others' is no coincidence.
_MIN_ROWS = 3

_DATE = re.compile(
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[ T,]+\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?: ?[AaPp][Mm])?"
)

_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: By what a column then holds, the names that say so.
_NAMES: Mapping[str, frozenset[str]] = {
    "times": _words(
        "date time datetime timestamp created created_at createdat updated updated_at submitted "
        "submitted_at submission_time submit_time submit_date start_time end_time starttime "
        "endtime "
        "start_date end_date startdate enddate started started_at finished_at completed_at "
        "recordeddate recorded_date duration duration_(in_seconds) time_spent lead_time seconds "
        "elapsed"
    ),
    "e-mail addresses": _words("email e_mail mail email_address e_mail_address"),
    "comments": _words(
        "comments note notes remark remarks explanation explanations rationale reason reasons "
        "justification feedback annotator_comment annotator_notes memo "
        "any_comments any_comment other_comments further_comments additional_comments "
        "general_comments anmerkung anmerkungen bemerkung bemerkungen kommentar kommentare"
    ),
    "totals": _words(
        "total totals grand_total gesamtergebnis average avg mean std stdev stddev variance "
        "n_annotators n_raters n_coders "
        "n_labels n_votes num_annotators num_raters num_labels num_votes number_of_raters "
        "number_of_annotators freq frequency tally"
    ),
    "agreement": _words(
        "agreement agree agreed match matches matched percent_agreement pct_agreement %_agreement "
        "agreement_% disagreement disagree unanimous cohen_kappa cohens_kappa cohen's_kappa "
        "fleiss_kappa fleiss'_kappa krippendorff_alpha krippendorff's_alpha "
        "%_agree agree_% %_agreed agreement_rate agreement_(%) %agreement agreement_pct"
    ),
    "what a tool notes": _words(
        "status progress finished ip ipaddress ip_address userlanguage user_language locale "
        "distributionchannel distribution_channel recipientemail recipientfirstname "
        "recipientlastname externalreference locationlatitude locationlongitude"
    ),
}

#: What is called after another column, or is numbered, and goes with a label: "Anna_conf".
_CONFIDENCES = _words("confidence conf certainty certain sure how_sure sicherheit")
_AFTER_NUMBERS = re.compile(r"(.*?[^\W\d_])_?\d+")

#: Names that may be a person's, too: they say so only of such numbers.
_STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "max": max,
    "maximum": max,
    "min": min,
    "minimum": min,
    "median": statistics.median,
    "mode": statistics.mode,
    "sd": statistics.pstdev,
}
_COUNTS = frozenset({"n", "count", "counts"})
_COEFFICIENTS = frozenset({"alpha", "kappa", "icc", "entropy", "pi", "ac1"})


def unlike_labels(cells: Mapping[Any, Sequence[str]]) -> dict[Hashable, str]:
    """Find the columns without labels, and describe their contents."""
    plain = {plain_name(name) for name in cells}
    found = {
        name: what for name in cells if (what := _by_name(name) or _beside(plain_name(name), plain))
    }
    alike = {n: what for n, own in cells.items() if n not in found and (what := _by_cells(own))}
    # Where nearly all columns hold dates, dates are the labels.
    if len(cells) - len(found) - len(alike) > 1:
        found |= alike
    rest: dict[Hashable, Sequence[str]] = {n: own for n, own in cells.items() if n not in found}
    numbers = {name: [number_of(cell) for cell in own] for name, own in rest.items()}
    columns = _Numbers(numbers, {name: _rounding(own) for name, own in rest.items()})
    return found | {name: what for name in rest if (what := columns.follows(name))}


def is_coefficient(name: Hashable, cells: Sequence[str]) -> bool:
    """Return whether a column holds a coefficient of agreement, by name and numbers."""
    plain, numbers = plain_name(name), [number_of(cell) for cell in cells if cell]
    named = plain in _COEFFICIENTS or plain in _NAMES["agreement"]
    return named and any(number % 1 for number in numbers if number == number)


def _by_name(name: Hashable) -> str:
    plain = plain_name(name).rstrip("?:!")
    return next((what for what, names in _NAMES.items() if plain in names), "")


def _rounding(cells: Sequence[str]) -> float:
    """Return how far a number may be from what was rounded: by its decimals, two or more."""
    decimals = 2
    for cell in cells:
        try:
            exponent = Decimal(cell.replace(",", ".")).normalize().as_tuple().exponent
        except InvalidOperation:
            continue
        decimals = max(decimals, -exponent if isinstance(exponent, int) else 0)
    return 0.6 * 10.0**-decimals


def _beside(plain: str, known: Collection[str]) -> str:
    """Say what a column holds that is called after another one: "Anna time", "Certainty (Ben)"."""
    numbered = _AFTER_NUMBERS.fullmatch(plain)
    if numbered and numbered[1] in _CONFIDENCES:
        return "confidences"
    words = plain.split("_")
    for cut in range(1, len(words)):
        ends = "_".join(words[:cut]), "_".join(words[cut:])
        for other, rest in (ends, ends[::-1]):
            rest = rest.strip("()?!:")
            if other.strip("()") in known and (rest in _CONFIDENCES or _by_name(rest)):
                return _by_name(rest) or "confidences"
    return ""


def _by_cells(cells: Sequence[str]) -> str:
    given = [cell for cell in cells if cell]
    for what, pattern in (("e-mail addresses", EMAIL), ("times", _DATE)):
        if given and sum(map(bool, map(pattern.fullmatch, given))) >= _MOST * len(given):
            return what
    return ""


class _Numbers:
    """The cells of columns as numbers, NaN if not numeric, and row sums."""

    def __init__(
        self, columns: Mapping[Hashable, Sequence[float]], rounding: Mapping[Hashable, float]
    ) -> None:
        self._columns, self._rounding = columns, rounding
        rows = list(zip(*columns.values(), strict=True))
        given = [[n for n in row if not math.isnan(n)] for row in rows]
        self._sums, self._sizes = list(map(sum, given)), list(map(len, given))

    def follows(self, name: Hashable) -> str:
        """Describe how the numbers of a column follow from the others, if they do."""
        own = self._columns[name]
        if any(map(math.isnan, own)) or len(own) < _MIN_ROWS or len(self._columns) < 3:
            return ""
        plain = plain_name(name)
        if plain in _COEFFICIENTS and not all(n.is_integer() for n in own):
            return "agreement"
        sizes = [n - 1 for n in self._sizes]
        if plain in _COUNTS and (not any(sizes) or list(own) == sizes):
            return "totals"
        if not all(sizes):
            return ""
        if plain in _STATISTICS and self._are_equal(
            own, map(_STATISTICS[plain], self._others(name))
        ):
            return "totals"
        # A mean or a sum: of equal labels each is one, and a label may happen to be.
        sums = [whole - n for whole, n in zip(self._sums, own, strict=True)]
        means = [whole / n for whole, n in zip(sums, sizes, strict=True)]
        rounding, others = self._rounding[name], self._others(name)
        # Of equal labels the mean is one more.
        differ = any(max(row) - min(row) > 2 * rounding for row in others)
        is_mean = differ and self._are_equal(own, means, rounding)
        if not is_mean and not self._are_equal(own, sums, rounding):
            return ""
        labels = [n for row in others for n in row]
        varied = len(set(own)) > 1 and len(set(labels)) > 1
        # A sum beyond all labels, or a mean between them, is no label itself.
        beyond = min(own) > max(labels) or not all(n.is_integer() for n in own)
        return "totals" if varied and beyond else ""

    def _others(self, name: Hashable) -> list[list[float]]:
        """Return the numbers of the other columns, by row."""
        others = [own for other, own in self._columns.items() if other != name]
        return [[n for n in row if not math.isnan(n)] for row in zip(*others, strict=True)]

    @staticmethod
    def _are_equal(own: Sequence[float], others: Iterable[float], rounding: float = 0.006) -> bool:
        pairs = zip(own, others, strict=True)
        return all(math.isclose(n, other, abs_tol=rounding) for n, other in pairs)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, with a decimal point or comma."""
    return not math.isnan(number_of(cell))


def number_of(cell: str) -> float:
    """Return a cell as a number.

    Parameters
    ----------
    cell : str
        With a decimal point or comma.

    Returns
    -------
    float
        NaN if it is not a number.
    """
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return math.nan


def has_thousands(cell: str) -> bool:
    """Return whether a number, such as 1.000 or 1,000, may have a sign between its thousands.

    Parameters
    ----------
    cell : str
        A number of items or annotators.

    Returns
    -------
    bool
        Whether it may be either a thousand or one.
    """
    return _THOUSANDS.fullmatch(cell) is not None
