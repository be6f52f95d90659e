"""The tables of a comparison: printed and computed values, explanations, standing, verdicts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, astuple, dataclass, field, fields
from pathlib import Path
from typing import Final

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import replacing
from annobench_replication import schemas
from annobench_replication.made_by import paper_line
from annobench_replication.vocabulary import ESTIMATES, STATUSES

__all__ = [
    "CALIBRATION_METHOD",
    "COMPARISON_COLUMNS",
    "PAPER_METHOD",
    "Computed",
    "read_comparison",
    "read_computed",
    "read_errata",
    "read_published",
    "read_remarks",
    "read_standing",
    "write_comparison",
]

#: The method whose row is compared with the printed value.
PAPER_METHOD: Final = "paper"

#: The method of what the nearest of so many readings gives (`annobench_replication.searches`).
SEARCH_METHOD: Final = "best of {:,} readings"

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
    "base_rate",
    "search_rate",
    "rivals",
    "rivals_excluded",
    "rests_on",
    "restates",
    "changes",
    "changes_refuted",
    "unit",
    "label",
    "erratum",
    "cause",
    "weight",
    "explanation",
    "evidence",
    "search",
    "condition",
    "status",
    "date",
    "note",
    "made_by",
)

NUMBERS: Final = (
    "computed",
    "lower",
    "upper",
    "check_lower",
    "check_upper",
    "level",
    "interval_width",
    "rounding_lower",
    "rounding_upper",
    "base_rate",
    "search_rate",
    "changes",
    "changes_refuted",
)


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
        (`annobench_replication.rounding`), both or neither.
    base_rate : float, optional
        Of a claim about one item, annotator or row: the share in [0, 1] of all of its kind of
        which it is true.
    method : str, default "paper"
        "paper" is compared with the printed value, others are shown beside it.
    provenance : {"real", "printed_table", "closed_form", "simulated"}
        The weakest of the inputs'; `annobench_replication.results` fills it in.
    made_by : str
        The line of the paper's own modules that made it, such as ``values.py:42``; found when
        the row is made, and empty where no module of a paper was being run.
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
    base_rate: float | None = None
    method: str = PAPER_METHOD
    provenance: str = ""
    made_by: str = field(default_factory=paper_line, compare=False)


#: The columns of `computed.csv`, in their order.
COMPUTED_COLUMNS: Final = tuple(entry.name for entry in fields(Computed))


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
    frame = _read_text(path, tuple(schemas.PUBLISHED.columns))
    return schemas.validated(frame, schemas.PUBLISHED, path)


def read_errata(path: str | Path) -> pd.DataFrame:
    """Read and validate the explanations of values that deviate.

    Parameters
    ----------
    path : str or Path
        An `errata.csv` with the columns target, id, cause, weight, explanation, evidence, search,
        condition, status and date. Values that one slip explains share its id; the first of them
        has all columns, and the others may leave empty what is the same. The weight says how much
        the slip matters (`WEIGHTS`) and is that of all values of the id. Search is "yes" where the
        cause was found by trying readings, whose values and chance the analysis gives
        (`annobench_replication.searches`). The condition completes
        the sentence "It holds only if"; it is empty where the finding holds without one. The
        status says what became of it (`STATUSES`), by default that its authors were not
        contacted, and the date since when it has this status.

    Returns
    -------
    DataFrame
        The rows with every cell filled, every column as text.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    frame = _read_text(path, tuple(schemas.ERRATA.columns))
    shared = ["cause", "weight", "explanation", "evidence", "search", "condition"]
    shared += ["status", "date"]
    first = frame.groupby("id")[shared].transform("first")
    for name in shared:
        frame[name] = frame[name].where(frame[name] != "", first[name])
    return schemas.validated(_with_status(frame), schemas.ERRATA, path)


def read_remarks(path: str | Path) -> pd.DataFrame:
    """Read and validate the mistakes of formulas and of prose, which have no printed number.

    Parameters
    ----------
    path : str or Path
        A `remarks.csv` with the columns id, source, printed, should_be, cause, weight,
        explanation, evidence, condition, status and date. `printed` is what the paper says and
        `should_be` what it should say, both as plain text without TeX; what is within quotation
        marks stands in the paper word for word, the rest is said in other words. The others are
        as in `errata.csv`.

    Returns
    -------
    DataFrame
        The rows in the paper's order, every column as text.

    Raises
    ------
    PublicationError
        Listing every fault with its line.
    """
    frame = _read_text(path, tuple(schemas.REMARKS.columns))
    return schemas.validated(_with_status(frame), schemas.REMARKS, path)


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
    frame = _read_text(path, tuple(schemas.STANDING.columns))
    return schemas.validated(frame, schemas.STANDING, path)


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
    for name in ESTIMATES:
        numbers = pd.to_numeric(frame[name], errors="coerce").astype(float)
        wrong = numbers.isna() & ~frame[name].str.lower().isin(["", "nan"])
        faults += [
            f"{path}, line {line}: {name} {frame.loc[line, name]!r} is not a number."
            for line in frame.index[wrong]
        ]
        frame[name] = numbers
    if faults:
        raise PublicationError("\n".join([*faults, "Correct what writes it and run it again."]))
    return schemas.validated(frame, schemas.COMPUTED, path)


def write_computed(rows: Iterable[Computed], path: str | Path) -> None:
    """Write a paper's computed values, validated, whole or not at all."""
    frame = pd.DataFrame([astuple(row) for row in rows], columns=list(COMPUTED_COLUMNS))
    # Row n of the list stands on line n + 2 of the file, below the header.
    frame.index = pd.RangeIndex(2, len(frame) + 2)
    types = dict.fromkeys(COMPUTED_COLUMNS, "str") | dict.fromkeys(ESTIMATES, "float64")
    _write(schemas.validated(frame.astype(types), schemas.COMPUTED, path), path)


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
    for name in NUMBERS:
        frame[name] = pd.to_numeric(frame[name], errors="coerce").astype(float)
    return frame


def _with_status(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill in that nobody was contacted where nothing is said."""
    return frame.assign(status=frame["status"].where(frame["status"] != "", STATUSES[0]))


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
