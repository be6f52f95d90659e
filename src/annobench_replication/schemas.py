"""What the tables of a paper must hold, as schemas of pandera."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.optional import optional
from annobench.reporting.printed import RELATIONS, parse_printed, parse_range
from annobench_replication.vocabulary import (
    BASES,
    CAUSES,
    ESTIMATES,
    KINDS,
    PROVENANCES,
    STATUSES,
    WEIGHTS,
)

if TYPE_CHECKING:
    import pandera.pandas as pa
else:
    pa = optional("pandera.pandas", "Checking a paper's tables")

__all__ = ["PUBLISHED", "validated"]

_TARGET = re.compile(r"[a-z0-9_.]+")


def _is_printed(text: str) -> bool:
    try:
        parse_printed(text)
    except ValueError:
        return False
    return True


def _is_claim(relation: str, text: str) -> bool:
    try:
        parse_range(text) if relation == "within" else parse_printed(text)
    except ValueError:
        return False
    return True


def _is_zero(text: str) -> bool:
    return _is_printed(text) and parse_printed(text).value == 0


def _one_of(names: Sequence[str]) -> pa.Check:
    return pa.Check.isin(names, error=f"is not one of {', '.join(names)}")


def _filled() -> pa.Check:
    return pa.Check(lambda column: column.str.strip() != "", error="is empty")


def _plain() -> pa.Check:
    return pa.Check(
        lambda column: ~column.str.contains(r"[$\\]"), error="has TeX in it, not plain text"
    )


def _clause() -> pa.Check:
    return pa.Check(
        lambda column: (column == "") | column.str.match(r"(?!if )\S.*[^.\s]$"),
        error="does not complete 'It holds only if', without a full stop",
    )


def _date() -> pa.Check:
    return pa.Check(lambda column: column.map(_is_date), error="is not a day, such as 2026-11-26")


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


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


PUBLISHED: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=True),
        "source": pa.Column(str, _filled()),
        "relation": pa.Column(str, _one_of(RELATIONS)),
        "value": pa.Column(str),
        "unit": pa.Column(str),
        "kind": pa.Column(str, _one_of(KINDS)),
        "basis": pa.Column(str, _one_of(BASES)),
        "rivals": pa.Column(str),
        "label": pa.Column(str),
        "note": pa.Column(str),
    },
    checks=[
        pa.Check(
            lambda frame: pd.Series(
                map(_is_claim, frame["relation"], frame["value"]), index=frame.index, dtype=bool
            ),
            error="has a value that is not a printed number, or no range where it is 'within' one",
        ),
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
            error="says 'about 0', which is not a number; write what the paper says",
        ),
    ],
    strict=True,
    ordered=True,
)

ERRATA: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=True),
        "id": _target(unique=False),
        "cause": pa.Column(str, _one_of(CAUSES)),
        "weight": pa.Column(str, _one_of(WEIGHTS)),
        "explanation": pa.Column(str, _filled()),
        "evidence": pa.Column(str, _filled()),
        "search": pa.Column(str, _one_of(("", "yes"))),
        "condition": pa.Column(str, _clause()),
        "status": pa.Column(str, _one_of(STATUSES)),
        "date": pa.Column(str, _date()),
    },
    checks=[
        pa.Check(
            lambda frame: frame["weight"] == frame.groupby("id")["weight"].transform("first"),
            error="has another weight than the first value of its id",
        )
    ],
    strict=True,
    ordered=True,
)

REMARKS: Final = pa.DataFrameSchema(
    {
        "id": _target(unique=True),
        "source": pa.Column(str, _filled()),
        "printed": pa.Column(str, [_filled(), _plain()]),
        "should_be": pa.Column(str, [_filled(), _plain()]),
        "cause": pa.Column(str, _one_of(CAUSES)),
        "weight": pa.Column(str, _one_of(WEIGHTS)),
        "explanation": pa.Column(str, [_filled(), _plain()]),
        "evidence": pa.Column(str, [_filled(), _plain()]),
        "condition": pa.Column(str, _clause()),
        "status": pa.Column(str, _one_of(STATUSES)),
        "date": pa.Column(str, _date()),
    },
    strict=True,
    ordered=True,
)

STANDING: Final = pa.DataFrameSchema(
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


COMPUTED: Final = pa.DataFrameSchema(
    {
        "target": _target(unique=False),
        **{name: pa.Column(float, nullable=True) for name in ESTIMATES},
        "method": pa.Column(str, _filled()),
        "provenance": pa.Column(str, _one_of(PROVENANCES)),
        "made_by": pa.Column(str),
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
            lambda frame: frame["base_rate"].isna() | frame["base_rate"].between(0, 1),
            error="has a base rate that is no share",
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


def validated(frame: pd.DataFrame, schema: pa.DataFrameSchema, path: str | Path) -> pd.DataFrame:
    """Check a table against its schema.

    Parameters
    ----------
    frame : DataFrame
        Indexed by the line of the file that each row begins on.
    schema : pandera.DataFrameSchema
        What it must hold.
    path : str or Path
        The file, for messages.

    Returns
    -------
    DataFrame
        The rows, numbered from 0.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
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
