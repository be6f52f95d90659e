"""Compare what a paper printed with what its analysis computed.

A verdict follows from the tables alone: the published value as text, the computed
value with its check interval where it was sampled, and the kind and basis of the
claim. No tolerance is chosen anywhere; the printed precision decides.
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

from annobench.errors import PublicationError
from annobench.files import replacing

RELATIONS: Final = ("eq", "lt", "le", "gt", "ge", "about")
KINDS: Final = ("result", "input", "cited")
BASES: Final = ("closed_form", "printed_table", "public_data", "simulation", "none")
PROVENANCES: Final = ("real", "printed_table", "closed_form", "simulated")
VERDICTS: Final = (
    "reproduced",
    "within_interval",
    "deviates",
    "missing",
    "stand_in",
    "not_public",
    "input",
    "cited",
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
    "unit",
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
        Interval of a sampled summary, both or neither; it decides the verdict.
    method : str, default "paper"
        "paper" is compared with the printed value, others are shown beside it.
    provenance : {"real", "printed_table", "closed_form", "simulated"}
        The weakest of the inputs'.
    """

    target: str
    value: float
    _: KW_ONLY
    lower: float | None = None
    upper: float | None = None
    level: float | None = None
    check_lower: float | None = None
    check_upper: float | None = None
    method: str = PAPER_METHOD
    provenance: str


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
_ESTIMATES: Final = ("value", "lower", "upper", "level", "check_lower", "check_upper")


class Printed(NamedTuple):
    """A printed number and the places it was printed to.

    Attributes
    ----------
    value : Decimal
        The number.
    unit : Decimal
        One unit of the last printed place.
    significant_unit : Decimal
        One unit of the last significant place: 100 for "1600", whose noughts may only
        fill up, and 0.01 for "0.50".
    """

    value: Decimal
    unit: Decimal
    significant_unit: Decimal


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
    # Noughts at the end fill up only where no decimal point says that they were measured.
    filling = 0 if "." in text else len(digits) - len(digits.rstrip("0") or digits)
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
        one, a tie in either direction; "about" one unit of the last significant place.
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
    value, unit, significant_unit = parse_printed(published)
    low = _TWELVE_DIGITS.create_decimal_from_float(lower)
    high = low if upper is None else _TWELVE_DIGITS.create_decimal_from_float(upper)
    match relation:
        case "eq" | "about":
            slack = unit / 2 if relation == "eq" else significant_unit
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
        "note": pa.Column(str),
    },
    checks=[
        pa.Check(
            lambda frame: (
                ~((frame["basis"] == "none") & (frame["kind"] == "result") & (frame["note"] == ""))
            ),
            error="has basis 'none' and no note that says why it can't be recomputed",
        )
    ],
    strict=True,
    ordered=True,
)

ERRATA_SCHEMA: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=True),
        "explanation": pa.Column(str, _filled()),
        "evidence": pa.Column(str, _filled()),
    },
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
            lambda frame: _both_or_neither(frame, "check_lower", "check_upper"),
            error="has one of check_lower and check_upper, not both or neither",
        ),
        pa.Check(
            lambda frame: (
                _in_order(frame, "lower", "upper") & _in_order(frame, "check_lower", "check_upper")
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
        An `errata.csv` with the columns target, explanation and evidence.

    Returns
    -------
    DataFrame
        The rows, every column as text.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    return _validated(_read_text(path, tuple(ERRATA_SCHEMA.columns)), ERRATA_SCHEMA, path)


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
    published: pd.DataFrame, computed: pd.DataFrame, errata: pd.DataFrame, *, paper: str = ""
) -> pd.DataFrame:
    """Give every printed value of a paper its verdict.

    Parameters
    ----------
    published, computed, errata : DataFrame
        As `read_published`, `read_computed` and `read_errata` return them.
    paper : str
        The paper's key.

    Returns
    -------
    DataFrame
        One row a printed value, in the paper's order, with the columns
        `COMPARISON_COLUMNS`.

    Raises
    ------
    PublicationError
        If a computed value or an explanation answers no printed value, or a simulated
        input entered a value whose basis is a printed table or a closed form.

    Notes
    -----
    The first rule that fits decides: kind `input` or `cited`; `not_public` (basis `none`);
    `missing` (no computed row, or NaN); `stand_in` (basis `public_data`, simulated in this
    run, or a value that the simulation was calibrated to, which is left blank);
    `within_interval` (the check interval meets what was printed); `reproduced` (no
    check interval, and equal to the printed precision or the relation holds); `deviates`.
    """
    name = paper or "comparison"
    known = set(published["target"])
    own = _by_target(computed[computed["method"].isin((PAPER_METHOD, CALIBRATION_METHOD))])
    explained = _by_target(errata)
    faults = (
        [
            f"{name}: target {target!r} is computed by method {PAPER_METHOD!r} but not published. "
            "Add its row to published.csv, or name another method."
            for target in own
            if target not in known
        ]
        + [
            f"{name}: target {target!r} is explained in errata.csv but not published. "
            "Correct the target, or remove the explanation."
            for target in explained
            if target not in known
        ]
        + [
            f"{name}: target {target!r} is a calibration target, but its provenance is "
            f"{row['provenance']!r}. Only a simulation is calibrated."
            for target, row in own.items()
            if row["method"] == CALIBRATION_METHOD and row["provenance"] != "simulated"
        ]
    )
    nothing = {"method": "", "provenance": "", "explanation": "", "evidence": ""}
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
            column: found.get(column, math.nan)
            for column in ("lower", "upper", "check_lower", "check_upper", "level")
        }
        is_target = found.get("method") == CALIBRATION_METHOD
        numbers["computed"] = math.nan if is_target else found.get("value", math.nan)
        numbers["interval_width"] = numbers["check_upper"] - numbers["check_lower"]
        verdict = _verdict(row, numbers, found["provenance"], is_target=is_target)
        rows.append(
            found | row | numbers | {"paper": paper, "published": row["value"], "verdict": verdict}
        )
    if faults:
        raise PublicationError("\n".join(faults))
    frame = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    return frame.astype(
        dict.fromkeys(COMPARISON_COLUMNS, "str") | dict.fromkeys(_NUMBERS, "float64")
    )


def _by_target(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["target"]: {str(k): v for k, v in row.items()} for row in frame.to_dict("records")}


def _verdict(
    row: dict[Hashable, Any], numbers: dict[str, float], provenance: str, *, is_target: bool
) -> str:
    if row["kind"] in ("input", "cited"):
        return str(row["kind"])
    if row["basis"] == "none":
        return "not_public"
    if is_target:
        return "stand_in"
    if math.isnan(numbers["computed"]):
        return "missing"
    if row["basis"] == "public_data" and provenance == "simulated":
        return "stand_in"
    sampled = not math.isnan(numbers["check_lower"])
    ends = ("check_lower", "check_upper") if sampled else ("computed", "computed")
    if not agrees(row["value"], row["relation"], *(numbers[end] for end in ends)):
        return "deviates"
    return "within_interval" if sampled else "reproduced"


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
        Results that are missing, values that deviate without an explanation, and
        explanations of values that do not deviate. A stand-in can't be judged, so its
        explanation is not stale.
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
                    "correct analysis.py, or explain it with evidence in errata.csv",
                )
            )
        if explained and verdict not in ("deviates", "stand_in"):
            found.append(
                (
                    f"explained in errata.csv, but its verdict is {verdict}",
                    "remove the stale row from errata.csv",
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
