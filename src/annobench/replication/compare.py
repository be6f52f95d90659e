"""Compare what a paper printed with what its analysis computed.

A verdict follows from the tables alone: the published value as text, the computed
value with its check interval where it was sampled, the kind and basis of the claim, and
what the value rests on (`annobench.replication.dependence`). A verdict must be able to fail:
a value that restates a number typed in, or an interval that would meet the rival values as
well, is no evidence.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, astuple, dataclass, fields
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
import pandera.pandas as pa

from annobench.core.errors import PublicationError
from annobench.core.files import replacing

RELATIONS: Final = ("eq", "lt", "le", "gt", "ge", "about")
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

#: The verdicts that are evidence; they are counted by provenance.
EVIDENCE: Final = ("reproduced", "within_interval")

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

#: The method whose row is compared with the printed value.
PAPER_METHOD: Final = "paper"

#: The method of a value that a simulation was calibrated to: it is no result of it.
CALIBRATION_METHOD: Final = "calibration target"

COMPARISON_COLUMNS: Final = (
    "paper",
    "target",
    "source",
    "kind",
    "basis",
    "relation",
    "published",
    "computed",
    "lower",
    "upper",
    "check_lower",
    "check_upper",
    "verdict",
    "provenance",
    "method",
    "level",
    "interval_width",
    "rounding_lower",
    "rounding_upper",
    "rival",
    "rivals_excluded",
    "rests_on",
    "restates",
    "changes",
    "changes_refuted",
    "unit",
    "label",
    "erratum",
    "cause",
    "explanation",
    "evidence",
    "note",
)
_NUMBERS: Final = (
    "computed",
    "lower",
    "upper",
    "check_lower",
    "check_upper",
    "level",
    "interval_width",
    "rounding_lower",
    "rounding_upper",
    "changes",
    "changes_refuted",
)

_TARGET = re.compile(r"[a-z0-9_.]+")
_PRINTED = re.compile(
    r"(?P<sign>[-+\u2212])?"
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d*)"
    r"(?:\.(?P<fraction>\d*))?"
    r"(?:e(?P<exponent>[-+]?\d+))?%?"
)

# Twelve digits are more than any paper prints and fewer than a double holds, so that
# 0.1 + 0.2 is 0.3 and dust in the last bits never decides at a tie.
_TWELVE_DIGITS = Context(prec=12)


@dataclass(frozen=True)
class Computed:
    """One computed value: a row of `computed.csv`.

    Attributes
    ----------
    target : str
        The target of the published value that it answers.
    value : float
        In the printed unit; NaN where the analysis has no answer.
    lower, upper, level : float, optional
        Interval of the estimate and its level in (0, 1), all three or none; they never
        decide a verdict.
    check_lower, check_upper : float, optional
        Interval of a sampled summary, both or neither; it decides the verdict. That of a
        percentage stays within 0 and 100.
    rounding_lower, rounding_upper : float, optional
        Range of a deterministic value over all inputs that round to the printed ones
        (`annobench.replication.rounding`), both or neither.
    method : str, default "paper"
        "paper" is compared with the printed value, others are shown beside it.
    provenance : {"real", "printed_table", "closed_form", "simulated"}
        The weakest of the inputs'; `annobench.replication.results` fills it in.
    """

    target: str
    value: float
    _: KW_ONLY
    lower: float | None = None
    upper: float | None = None
    level: float | None = None
    check_lower: float | None = None
    check_upper: float | None = None
    rounding_lower: float | None = None
    rounding_upper: float | None = None
    method: str = PAPER_METHOD
    provenance: str = ""


def plain_rows(
    values: Mapping[str, float], provenance: str, method: str = PAPER_METHOD
) -> list[Computed]:
    """Make rows of values without an interval.

    Parameters
    ----------
    values : mapping of str to float
        Values by target.
    provenance : {"real", "printed_table", "closed_form", "simulated"}
        Of all of them.
    method : str, default "paper"
        Of all of them.

    Returns
    -------
    list of Computed
        One row a value, in their order.
    """
    return [
        Computed(target, float(value), method=method, provenance=provenance)
        for target, value in values.items()
    ]


#: The columns of `computed.csv`, in their order, and those of them that are numbers.
COMPUTED_COLUMNS: Final = tuple(entry.name for entry in fields(Computed))
_ESTIMATES: Final = (
    *("value", "lower", "upper", "level"),
    *("check_lower", "check_upper", "rounding_lower", "rounding_upper"),
)


class Printed(NamedTuple):
    """A printed number and the places it was printed to.

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
        """How far off "about" this number may be: one last unit, and at most 20% of it."""
        return min(self.last_unit, abs(self.value) / 5)


class Failure(NamedTuple):
    """Something that `check` refuses.

    Attributes
    ----------
    paper, target : str
        Where it stands.
    problem : str
        What is wrong.
    remedy : str
        How to mend it.
    """

    paper: str
    target: str
    problem: str
    remedy: str


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
        If the text is no number.

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


def _power_of_ten(exponent: int) -> Decimal:
    return Decimal((0, (1,), exponent))


def agrees(published: str, relation: str, lower: float, upper: float | None = None) -> bool:
    """Say whether a computed number, or an interval, is what was printed.

    Parameters
    ----------
    published : str
        The number as printed.
    relation : {"eq", "lt", "le", "gt", "ge", "about"}
        What the paper says of it. "eq" allows every number that rounds to the printed
        one, a tie in either direction; "about" one unit of its last nonzero digit, and at
        most 20% of it.
    lower, upper : float
        The computed number alone, or the ends of its check interval. An interval agrees
        if it meets the numbers that the relation allows. For counts, whose check interval
        is continuous, the half unit is the usual correction for continuity.

    Returns
    -------
    bool
        True where they agree.

    Raises
    ------
    ValueError
        If the text is no printed number, or the relation is not known.

    Examples
    --------
    >>> agrees(".928", "eq", 0.9275), agrees(".927", "eq", 0.9275), agrees(".926", "eq", 0.9275)
    (True, True, False)
    """
    printed = parse_printed(published)
    value = printed.value
    low = _TWELVE_DIGITS.create_decimal_from_float(lower)
    high = low if upper is None else _TWELVE_DIGITS.create_decimal_from_float(upper)
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


def _is_printed(text: str) -> bool:
    try:
        parse_printed(text)
    except ValueError:
        return False
    return True


def _is_zero(text: str) -> bool:
    return _is_printed(text) and parse_printed(text).value == 0


def _one_of(names: Sequence[str]) -> pa.Check:
    return pa.Check.isin(names, error=f"is not one of {', '.join(names)}")


def _filled() -> pa.Check:
    return pa.Check(lambda column: column.str.strip() != "", error="is empty")


def _target(*, unique: bool) -> pa.Column:
    checks = [
        pa.Check(
            lambda column: column.map(lambda text: _TARGET.fullmatch(text) is not None),
            error="is not of small letters, digits, '_' and '.'",
        )
    ]
    if unique:
        checks.append(
            pa.Check(lambda column: ~column.duplicated(keep="first"), error="stands there twice")
        )
    return pa.Column(str, checks)


PUBLISHED_SCHEMA: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=True),
        "source": pa.Column(str, _filled()),
        "relation": pa.Column(str, _one_of(RELATIONS)),
        "value": pa.Column(
            str, pa.Check(lambda column: column.map(_is_printed), error="is not a printed number")
        ),
        "unit": pa.Column(str),
        "kind": pa.Column(str, _one_of(KINDS)),
        "basis": pa.Column(str, _one_of(BASES)),
        "rival": pa.Column(
            str,
            pa.Check(
                lambda column: column.map(lambda text: text == "" or _is_printed(text)),
                error="is neither empty nor a number",
            ),
        ),
        "label": pa.Column(str),
        "note": pa.Column(str),
    },
    checks=[
        pa.Check(
            lambda frame: (
                ~((frame["basis"] == "none") & (frame["kind"] == "result") & (frame["note"] == ""))
            ),
            error="has basis 'none' and no note that says why it can't be recomputed",
        ),
        pa.Check(
            lambda frame: ~((frame["basis"] == "given") & (frame["kind"] != "result")),
            error="has basis 'given', which only a result has: an input's basis is 'none'",
        ),
        pa.Check(
            lambda frame: (
                ~((frame["relation"] == "about") & frame["value"].map(_is_zero).astype(bool))
            ),
            error="says 'about 0', which no number is; write what the paper says",
        ),
    ],
    strict=True,
    ordered=True,
)

ERRATA_SCHEMA: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=True),
        "id": pa.Column(
            str,
            pa.Check(
                lambda column: column.map(lambda text: _TARGET.fullmatch(text) is not None),
                error="is not of small letters, digits, '_' and '.'",
            ),
        ),
        "cause": pa.Column(str, _one_of(CAUSES)),
        "explanation": pa.Column(str, _filled()),
        "evidence": pa.Column(str, _filled()),
    },
    strict=True,
    ordered=True,
)

STANDING_SCHEMA: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=True),
        "counts": pa.Column(str, _one_of(("yes", "no"))),
        "reason": pa.Column(str, _filled()),
        "test": pa.Column(str),
    },
    checks=[
        pa.Check(
            lambda frame: (frame["counts"] == "yes") == (frame["test"] != ""),
            error="needs a test where it counts, and has none where it doesn't",
        )
    ],
    strict=True,
    ordered=True,
)


def _both_or_neither(frame: pd.DataFrame, first: str, second: str) -> pd.Series[bool]:
    return frame[first].isna() == frame[second].isna()


def _in_order(frame: pd.DataFrame, first: str, second: str) -> pd.Series[bool]:
    return frame[first].isna() | frame[second].isna() | (frame[first] <= frame[second])


COMPUTED_SCHEMA: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=False),
        **{name: pa.Column(float, nullable=True) for name in _ESTIMATES},
        "method": pa.Column(str, _filled()),
        "provenance": pa.Column(str, _one_of(PROVENANCES)),
    },
    checks=[
        pa.Check(
            lambda frame: ~frame.duplicated(["target", "method"]),
            error="stands there twice with one method",
        ),
        pa.Check(
            lambda frame: ~frame["value"].isin([math.inf, -math.inf]),
            error="has an infinite value",
        ),
        pa.Check(
            lambda frame: frame["level"].isna() | frame["level"].between(0, 1, inclusive="neither"),
            error="has a level that is not between 0 and 1",
        ),
        pa.Check(
            lambda frame: (
                _both_or_neither(frame, "lower", "upper")
                & _both_or_neither(frame, "lower", "level")
            ),
            error="has some of lower, upper and level, not all three or none",
        ),
        pa.Check(
            lambda frame: (
                _both_or_neither(frame, "check_lower", "check_upper")
                & _both_or_neither(frame, "rounding_lower", "rounding_upper")
            ),
            error="has one end of a check or rounding interval, not both or neither",
        ),
        pa.Check(
            lambda frame: frame["check_lower"].isna() | frame["rounding_lower"].isna(),
            error="has both a check interval, which is of sampled values, and a rounding interval",
        ),
        pa.Check(
            lambda frame: (
                _in_order(frame, "lower", "upper")
                & _in_order(frame, "check_lower", "check_upper")
                & _in_order(frame, "rounding_lower", "rounding_upper")
            ),
            error="has an interval whose lower end lies above its upper end",
        ),
    ],
    strict=True,
    ordered=True,
)


def read_published(path: str | Path) -> pd.DataFrame:
    """Read and validate a paper's printed values.

    Parameters
    ----------
    path : str or Path
        A `published.csv`; header only for a paper that prints no number.

    Returns
    -------
    DataFrame
        The rows in the paper's order, every column as text.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    return _validated(_read_text(path, tuple(PUBLISHED_SCHEMA.columns)), PUBLISHED_SCHEMA, path)


def read_errata(path: str | Path) -> pd.DataFrame:
    """Read and validate the explanations of values that deviate.

    Parameters
    ----------
    path : str or Path
        An `errata.csv` with the columns target, id, cause, explanation and evidence. Values
        that one slip explains share its id; the first of them has cause, explanation and
        evidence, and the others may leave empty what is the same.

    Returns
    -------
    DataFrame
        The rows with every cell filled, every column as text.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    frame = _read_text(path, tuple(ERRATA_SCHEMA.columns))
    shared = ["cause", "explanation", "evidence"]
    first = frame.groupby("id")[shared].transform("first")
    for name in shared:
        frame[name] = frame[name].where(frame[name] != "", first[name])
    return _validated(frame, ERRATA_SCHEMA, path)


def read_standing(path: str | Path) -> pd.DataFrame:
    """Read and validate which rows are evidence where the numbers alone don't say it.

    Parameters
    ----------
    path : str or Path
        A `standing.csv` with the columns target, counts, reason and test. Counts "no": the
        value restates its answer in a way that changing numbers can't show; it holds by
        construction, any value that it can take would pass, or it was chosen by comparing
        with what is printed. Counts "yes": the value moves with a single number, or with
        none, and is evidence all the same, which the named test shows.

    Returns
    -------
    DataFrame
        The rows, every column as text.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    return _validated(_read_text(path, tuple(STANDING_SCHEMA.columns)), STANDING_SCHEMA, path)


def read_computed(path: str | Path) -> pd.DataFrame:
    """Read and validate a paper's computed values.

    Parameters
    ----------
    path : str or Path
        A `computed.csv`.

    Returns
    -------
    DataFrame
        The rows; numbers as float64, NaN where a cell is empty.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    frame = _read_text(path, COMPUTED_COLUMNS)
    faults = []
    for name in _ESTIMATES:
        numbers = pd.to_numeric(frame[name], errors="coerce").astype(float)
        wrong = numbers.isna() & ~frame[name].str.lower().isin(["", "nan"])
        faults += [
            f"{path}, line {line}: {name} {frame.loc[line, name]!r} is not a number."
            for line in frame.index[wrong]
        ]
        frame[name] = numbers
    if faults:
        raise PublicationError("\n".join([*faults, "Correct what writes it and run it again."]))
    return _validated(frame, COMPUTED_SCHEMA, path)


def write_computed(rows: Iterable[Computed], path: str | Path) -> None:
    """Write a paper's computed values, validated, whole or not at all.

    Parameters
    ----------
    rows : iterable of Computed
        In any order; they are written in the order given.
    path : str or Path
        The `computed.csv` to write.

    Raises
    ------
    PublicationError
        If a row breaks the contract of the file.
    """
    frame = pd.DataFrame([astuple(row) for row in rows], columns=list(COMPUTED_COLUMNS))
    # Row n of the list stands on line n + 2 of the file, below the header.
    frame.index = pd.RangeIndex(2, len(frame) + 2)
    types = dict.fromkeys(COMPUTED_COLUMNS, "str") | dict.fromkeys(_ESTIMATES, "float64")
    _write(_validated(frame.astype(types), COMPUTED_SCHEMA, path), path)


def compare(
    published: pd.DataFrame,
    computed: pd.DataFrame,
    errata: pd.DataFrame,
    *,
    standing: pd.DataFrame | None = None,
    dependence: pd.DataFrame | None = None,
    paper: str = "",
) -> pd.DataFrame:
    """Give every printed value of a paper its verdict.

    Parameters
    ----------
    published, computed, errata, standing : DataFrame
        As `read_published`, `read_computed`, `read_errata` and `read_standing` return them.
    dependence : DataFrame, optional
        What each value rests on, as `annobench.replication.dependence.read` returns it; without it
        no restatement is found but those of `standing`.
    paper : str
        The paper's key.

    Returns
    -------
    DataFrame
        One row a printed value, in the paper's order, with the columns
        `COMPARISON_COLUMNS`. `rivals_excluded` is such as "5/6"; `changes` counts the
        changed inputs that moved the value, `changes_refuted` those with which it no longer
        agreed with what is printed.

    Raises
    ------
    PublicationError
        If a computed value, an explanation or a standing answers no printed value, a
        simulated input entered a value whose basis is a printed table or a closed form, or
        the check interval of a percentage leaves 0 to 100.

    Notes
    -----
    The first rule that fits decides: kind `input` or `cited`; `given` (basis `given`);
    `not_public` (basis `none`); `missing` (no computed row, or NaN); `stand_in` (basis
    `public_data`, simulated in this run, or a value that the simulation was calibrated to,
    which is left blank); `restated` (it moves one for one with a single number that was
    typed in, or with no number and no data, unless `standing` says why it counts; or
    `standing` says that it does not); `inconclusive` (the check interval meets what was
    printed, but also at least half of its rivals; fewer than two rivals and no stated null;
    an inequality with an end of the interval on each side); `within_interval` (the check
    interval meets what was printed); `reproduced` (no check interval, and equal to the
    printed precision or the relation holds); `unresolved` (cause `unexplained`); `deviates`.

    The rivals of a value are the other distinct values printed at the same place in the
    same unit, or the value under the null that its row states. A value computed from rounded
    inputs agrees if its rounding interval does; if the value itself does not, it is judged as
    a sampled one is: the interval must exclude more than half of the rivals.
    """
    name = paper or "comparison"
    known = set(published["target"])
    own = _by_target(computed[computed["method"].isin((PAPER_METHOD, CALIBRATION_METHOD))])
    explained = _by_target(errata.rename(columns={"id": "erratum"}))
    standings = {} if standing is None else _by_target(standing)
    traced = {} if dependence is None else _by_target(dependence)
    rivals = _rivals(published)
    faults = (
        [
            f"{name}: target {target!r} is computed by method {PAPER_METHOD!r} but not published. "
            "Add its row to published.csv, or name another method."
            for target in own
            if target not in known
        ]
        + [
            f"{name}: target {target!r} is in {file} but not published. "
            "Correct the target, or remove the row."
            for file, rows in (("errata.csv", explained), ("standing.csv", standings))
            for target in rows
            if target not in known
        ]
        + [
            f"{name}: target {target!r} is a calibration target, but its provenance is "
            f"{row['provenance']!r}. Only a simulation is calibrated."
            for target, row in own.items()
            if row["method"] == CALIBRATION_METHOD and row["provenance"] != "simulated"
        ]
    )
    nothing = dict.fromkeys(
        ("method", "provenance", "erratum", "cause", "explanation", "evidence"), ""
    )
    rows = []
    for row in published.to_dict("records"):
        target = row["target"]
        found = nothing | own.get(target, {}) | explained.get(target, {})
        if row["basis"] in ("closed_form", "printed_table") and found["provenance"] == "simulated":
            faults.append(
                f"{name}: target {target!r} has basis {row['basis']!r}, but was computed from "
                "simulated data. Correct its basis or the analysis."
            )
        numbers = {
            column: found.get(column, math.nan) for column in _ESTIMATES if column != "value"
        }
        if row["unit"] in ("%", "percent") and (
            numbers["check_lower"] < 0 or numbers["check_upper"] > 100
        ):
            faults.append(
                f"{name}: target {target!r} is a percentage, and its check interval is "
                f"{numbers['check_lower']:g} to {numbers['check_upper']:g}. Let the analysis "
                "give an interval within 0 and 100."
            )
        is_target = found.get("method") == CALIBRATION_METHOD
        numbers["computed"] = math.nan if is_target else found.get("value", math.nan)
        numbers["interval_width"] = numbers["check_upper"] - numbers["check_lower"]
        judged = _Judged(row, numbers, found["provenance"], rivals[target], is_target=is_target)
        restates, why_not = _restatement(traced.get(target), standings.get(target))
        verdict, excluded = judged.verdict(restates, found["cause"])
        rows.append(
            found
            | row
            | numbers
            | judged.changes(traced.get(target))
            | {"paper": paper, "published": row["value"], "verdict": verdict}
            | {"rivals_excluded": excluded, "restates": restates or why_not}
        )
    if faults:
        raise PublicationError("\n".join(faults))
    frame = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    return frame.astype(
        dict.fromkeys(COMPARISON_COLUMNS, "str") | dict.fromkeys(_NUMBERS, "float64")
    )


def _rivals(published: pd.DataFrame) -> dict[str, list[str]]:
    """Return the rivals of each target, as printed: of the null that it states, or its place."""
    rivals = {}
    for _, group in published.groupby(["source", "unit"]):
        printed = {parse_printed(text).value: text for text in group["value"]}
        for row in group.to_dict("records"):
            own = parse_printed(row["value"])
            others = [text for value, text in printed.items() if value != own.value]
            if row["rival"]:
                # A null of 0 is 0.00 beside a value printed to two places.
                others = [f"{parse_printed(row['rival']).value.quantize(own.unit):f}"]
            rivals[row["target"]] = others
    return rivals


def _restatement(traced: dict[str, Any] | None, standing: dict[str, Any] | None) -> tuple[str, str]:
    """Say what a value restates, or, of one that counts all the same, why it does."""
    if standing is not None and standing["counts"] == "no":
        return standing["reason"], ""
    found = "" if traced is None else traced["restates"]
    if found and standing is not None:
        return "", f"moves with {found}, but counts: {standing['reason']} ({standing['test']})"
    return found, ""


@dataclass(frozen=True)
class _Judged:
    """One printed value and what was computed for it."""

    row: dict[Hashable, Any]
    numbers: dict[str, float]
    provenance: str
    rivals: list[str]
    _: KW_ONLY
    is_target: bool

    def verdict(self, restates: str, cause: str) -> tuple[str, str]:
        """Return the verdict and, of an interval, how many of the rivals it excludes."""
        kind, basis = self.row["kind"], self.row["basis"]
        if kind in ("input", "cited"):
            return str(kind), ""
        if basis in ("given", "none"):
            return ("given" if basis == "given" else "not_public"), ""
        if self.is_target:
            return "stand_in", ""
        if math.isnan(self.numbers["computed"]):
            return "missing", ""
        if basis == "public_data" and self.provenance == "simulated":
            return "stand_in", ""
        if restates:
            return "restated", ""
        disagrees = "unresolved" if cause == CAUSES[-1] else "deviates"
        sampled = self._interval("check")
        if sampled is None:
            return self._deterministic(disagrees)
        if not self._agrees(*sampled):
            return disagrees, ""
        if self.row["relation"] in ("eq", "about"):
            conclusive, share = self._tells_rivals_apart(*sampled)
        else:
            conclusive, share = all(self._agrees(end, end) for end in sampled), ""
        return ("within_interval" if conclusive else "inconclusive"), share

    def _deterministic(self, disagrees: str) -> tuple[str, str]:
        if self._agrees(self.numbers["computed"]):
            return "reproduced", ""
        rounded = self._interval("rounding")
        if rounded is None or not self._agrees(*rounded):
            return disagrees, ""
        if self.row["relation"] not in ("eq", "about"):
            return "inconclusive", ""
        conclusive, share = self._tells_rivals_apart(*rounded)
        return ("reproduced" if conclusive else "inconclusive"), share

    def _tells_rivals_apart(self, lower: float, upper: float) -> tuple[bool, str]:
        """Say whether an interval excludes more than half of its rivals, and how many."""
        enough = len(self.rivals) >= (1 if self.row["rival"] else 2)
        excluded = self._excluded(lower, upper)
        return enough and 2 * excluded > len(self.rivals), f"{excluded}/{len(self.rivals)}"

    def _interval(self, name: str) -> tuple[float, float] | None:
        lower, upper = self.numbers[f"{name}_lower"], self.numbers[f"{name}_upper"]
        return None if math.isnan(lower) else (lower, upper)

    def _agrees(self, lower: float, upper: float | None = None) -> bool:
        return agrees(self.row["value"], self.row["relation"], lower, upper)

    def _excluded(self, lower: float, upper: float) -> int:
        relation = self.row["relation"]
        return sum(not agrees(rival, relation, lower, upper) for rival in self.rivals)

    def changes(self, traced: dict[str, Any] | None) -> dict[str, Any]:
        """Count the changed inputs that moved the value, and those that refuted it."""
        if traced is None:
            return {"rests_on": "", "changes": math.nan, "changes_refuted": math.nan}
        ends = self._interval("check") or self._interval("rounding")
        value = self.numbers["computed"]
        below, above = (value - ends[0], ends[1] - value) if ends else (0.0, 0.0)
        changed = [float(number) for number in traced["values"].split()]
        refuted = sum(
            math.isnan(number) or not self._agrees(number - below, number + above)
            for number in changed
        )
        return {
            "rests_on": traced["rests_on"],
            "changes": float(len(changed)),
            "changes_refuted": float(refuted),
        }


def _by_target(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["target"]: {str(k): v for k, v in row.items()} for row in frame.to_dict("records")}


def other_methods(computed: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of methods that are shown beside the paper's own.

    Parameters
    ----------
    computed : DataFrame
        As `read_computed` returns it.

    Returns
    -------
    DataFrame
        The rows of other methods, with the columns of `computed.csv`.
    """
    beside = ~computed["method"].isin((PAPER_METHOD, CALIBRATION_METHOD))
    return computed[beside].reset_index(drop=True)


def check(comparisons: pd.DataFrame) -> list[Failure]:
    """List what keeps a set of comparisons from being complete and explained.

    Parameters
    ----------
    comparisons : DataFrame
        As `compare` returns it, for one paper or several.

    Returns
    -------
    list of Failure
        Results that are missing, values that come out different without an explanation,
        explanations of values that do not, and evidence that rests on nothing that could
        have moved it. A stand-in can't be judged, so its explanation is not stale.
    """
    failures = []
    for row in comparisons.to_dict("records"):
        explained, verdict = bool(row["explanation"]), row["verdict"]
        printed = f"{row['source']} prints {row['published']}"
        found = []
        if verdict == "missing":
            found.append((f"{printed}; no value was computed", "compute it in analysis.py"))
        if verdict == "deviates" and not explained:
            found.append(
                (
                    f"{printed}, computed {row['computed']:.12g}, unexplained",
                    "correct analysis.py, or explain it with cause and evidence in errata.csv",
                )
            )
        if explained and verdict not in ("deviates", "unresolved", "stand_in"):
            found.append(
                (
                    f"explained in errata.csv, but its verdict is {verdict}",
                    "remove the stale row from errata.csv",
                )
            )
        if verdict in EVIDENCE and not row["rests_on"] and not row["restates"]:
            found.append(
                (
                    f"{printed}; it counts as evidence, but no input is known to move it",
                    "let the analysis take what it rests on from tables/ or data, or say in "
                    "standing.csv whether it counts",
                )
            )
        failures += [Failure(row["paper"], row["target"], *failure) for failure in found]
    return failures


def write_comparison(comparison: pd.DataFrame, path: str | Path) -> None:
    """Write a comparison, whole or not at all.

    Parameters
    ----------
    comparison : DataFrame
        As `compare` returns it.
    path : str or Path
        The `comparison.csv` to write.
    """
    _write(comparison[list(COMPARISON_COLUMNS)], path)


def read_comparison(path: str | Path) -> pd.DataFrame:
    """Read a comparison that `write_comparison` wrote.

    Parameters
    ----------
    path : str or Path
        A `comparison.csv`.

    Returns
    -------
    DataFrame
        The rows; numbers as float64, everything else as text.

    Raises
    ------
    PublicationError
        If the file has other columns.
    """
    frame = _read_text(path, COMPARISON_COLUMNS).reset_index(drop=True)
    for name in _NUMBERS:
        frame[name] = pd.to_numeric(frame[name], errors="coerce").astype(float)
    return frame


def _write(frame: pd.DataFrame, path: str | Path) -> None:
    with replacing(path) as draft:
        frame.to_csv(draft, index=False, lineterminator="\n")


def _read_text(path: str | Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read a table as text, indexed by the line each row begins on."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = next(reader, [])
            if tuple(header) != tuple(columns):
                raise PublicationError(
                    f"{path}, line 1: the header is {','.join(header)!r}. "
                    f"Write {','.join(columns)!r}."
                )
            rows, lines, faults = [], [], []
            line = reader.line_num + 1
            for row in reader:
                if row and len(row) != len(columns):
                    faults.append(
                        f"{path}, line {line}: {len(row)} fields where the header has "
                        f"{len(columns)}. Quote a field that has a comma in it."
                    )
                elif row:
                    rows.append(row)
                    lines.append(line)
                line = reader.line_num + 1
    except (csv.Error, UnicodeDecodeError) as error:
        raise PublicationError(
            f"{path}: no table of comma-separated UTF-8 text ({error})."
        ) from error
    if faults:
        raise PublicationError("\n".join(faults))
    return pd.DataFrame(rows, columns=list(columns), index=pd.Index(lines, dtype="int64")).astype(
        "str"
    )


def _validated(frame: pd.DataFrame, schema: pa.DataFrameSchema, path: str | Path) -> pd.DataFrame:
    try:
        return schema.validate(frame, lazy=True).reset_index(drop=True)
    except pa.errors.SchemaErrors as error:
        cases = error.failure_cases
    faults = []
    # A check of the whole frame reports every cell of a row it fails; one line says it.
    for (line, _), rows in cases.groupby(["index", "check"], sort=True):
        case = rows.iloc[0]
        if case["schema_context"] == "Column":
            what = f"{case['column']} {case['failure_case']!r} {case['check']}"
        else:
            what = f"target {frame.loc[line, 'target']!r} {case['check']}"
        faults.append(f"{path}, line {line}: {what}.")
    raise PublicationError("\n".join([*faults, "Correct the rows named."]))
