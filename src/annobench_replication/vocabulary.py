"""The words of the tables of a comparison: kinds, provenances, verdicts, causes."""

from typing import Final

__all__ = ["CAUSES", "EVIDENCE", "KINDS", "PARTS", "STATUSES", "VERDICTS", "WEIGHTS", "part_of"]

KINDS: Final = ("result", "input", "cited")

BASES: Final = ("closed_form", "printed_table", "public_data", "simulation", "given", "none")

PROVENANCES: Final = ("real", "printed_table", "closed_form", "simulated")

#: The provenance of a figure or a table that could not be made.
NOT_MADE: Final = "not_made"

VERDICTS: Final = (
    "reproduced",
    "within_interval",
    "inconclusive",
    "unresolved",
    "deviates",
    "missing",
    "restated",
    "stand_in",
    "second_hand",
    "not_public",
    "given",
    "input",
    "cited",
)

#: Why a value comes out different: the last where no reading is known that gives it, and
#: nothing shows that the paper is wrong.
CAUSES: Final = (
    "misprint",
    "rounding",
    "formula",
    "contradiction",
    "other_data",
    "method",
    "unexplained",
)

#: How much a mistake matters: it changes a conclusion of the paper, a value, or a last digit. That
#: of a formula or a sentence counts by what it does to a reader who follows it; `digit` if nothing.
WEIGHTS: Final = ("conclusion", "value", "digit")

#: What a discrepancy between a paper and what was computed is, by its cause and condition
#: (`part_of`): only the first are counted as errata.
PARTS: Final = ("proven", "conditional", "difference", "open")

#: What became of it. Nobody has been asked until somebody was.
STATUSES: Final = ("not_contacted", "contacted", "confirmed", "disputed", "corrected")

#: The verdicts that are evidence; they are counted by provenance.
EVIDENCE: Final = ("reproduced", "within_interval")

#: The columns of computed values that are numbers.
ESTIMATES: Final = (
    *("value", "lower", "upper", "level"),
    *("check_lower", "check_upper", "rounding_lower", "rounding_upper"),
    "base_rate",
)


def part_of(cause: str, condition: str) -> str:
    """Say what a discrepancy is: an erratum that is proven, or something less.

    Parameters
    ----------
    cause : str
        Of `CAUSES`; empty where nobody has explained it yet.
    condition : str
        What it holds under; empty where it holds without one.

    Returns
    -------
    str
        Of `PARTS`: "open" where no cause is known; "difference" where other data or another
        method explain it; "conditional" where the paper contradicts itself or errs only under a
        condition; and "proven".
    """
    if cause in ("", CAUSES[-1]):
        return "open"
    if cause in ("other_data", "method"):
        return "difference"
    return "conditional" if condition else "proven"
