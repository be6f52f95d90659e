"""The words of the tables of a comparison: kinds, provenances, verdicts, causes."""

from typing import Final

KINDS: Final = ("result", "input", "cited")

BASES: Final = ("closed_form", "printed_table", "public_data", "simulation", "given", "none")

PROVENANCES: Final = ("real", "printed_table", "closed_form", "simulated")

VERDICTS: Final = (
    "reproduced",
    "within_interval",
    "inconclusive",
    "unresolved",
    "deviates",
    "missing",
    "restated",
    "stand_in",
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

#: The verdicts that are evidence; they are counted by provenance.
EVIDENCE: Final = ("reproduced", "within_interval")

#: The columns of computed values that are numbers.
ESTIMATES: Final = (
    *("value", "lower", "upper", "level"),
    *("check_lower", "check_upper", "rounding_lower", "rounding_upper"),
    "base_rate",
)
