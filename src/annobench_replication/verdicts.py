"""Compare what a paper printed with what its analysis computed.

A verdict follows from the tables alone: the published value as text, the computed
value with its check interval where it was sampled, the kind and basis of the claim, and
what the value rests on (`annobench_replication.dependence`). A verdict must be able to fail: a
value that restates a number typed in, an interval that would meet the rival values as well, or a
value that no change of its inputs refutes, is no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from typing import Any, Final, NamedTuple

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.reporting.printed import MEASURED, agrees, parse_printed, unit_of
from annobench_replication.ledger import (
    CALIBRATION_METHOD,
    COMPARISON_COLUMNS,
    NUMBERS,
    PAPER_METHOD,
    SEARCH_METHOD,
)
from annobench_replication.vocabulary import CAUSES, ESTIMATES, EVIDENCE

__all__ = ["MOST", "Failure", "check", "compare", "other_methods"]

#: A search that finds more than this share of values that were never printed shows no cause.
MAX_SEARCH_RATE: Final = 0.05

#: A claim that is true of more than this share of its kind is no evidence.
MOST: Final = 0.5


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


def compare(
    published: pd.DataFrame,
    computed: pd.DataFrame,
    errata: pd.DataFrame,
    *,
    standing: pd.DataFrame | None = None,
    dependence: pd.DataFrame | None = None,
    paper: str = "",
    second_hand: Collection[str] = (),
) -> pd.DataFrame:
    """Give every printed value of a paper its verdict.

    Parameters
    ----------
    published, computed, errata, standing : DataFrame
        As `read_published`, `read_computed`, `read_errata` and `read_standing` return them.
    dependence : DataFrame, optional
        What each value rests on, as `annobench_replication.dependence.read` returns it; without it
        no restatement is found but those of `standing`.
    paper : str
        The paper's key.
    second_hand : collection of str
        The sources whose values are known only from a copy or a conversion of the text.

    Returns
    -------
    DataFrame
        One row a printed value, in the paper's order, with the columns
        `COMPARISON_COLUMNS`. `rivals_excluded` is such as "5/6"; `changes` counts the
        changed inputs that moved the value, by a unit of the last printed place or more unless a
        limit is printed; `changes_refuted` those with which it no longer agreed with that.

    Raises
    ------
    PublicationError
        If a computed value, an explanation or a standing answers no printed value, a value names
        rivals that there are none of, a simulated input entered a value whose basis is a printed
        table or a closed form, or the check interval of a percentage leaves 0 to 100.

    Notes
    -----
    The first rule that fits decides: kind `input` or `cited`; `given` (basis `given`); `not_public`
    (basis `none`); `missing` (no computed row, or NaN); `stand_in` (basis `public_data`, simulated
    in this run, or a value that the simulation was calibrated to, which is left blank);
    `second_hand` (its source is one of these); `restated` (it moves in proportion to a single
    number that was typed in, or with no number, and no data move it by a unit of the last printed
    place, unless `standing` says why it counts; or `standing` says that it does not);
    `inconclusive` (the check interval meets what was printed, but also at least half of its rivals,
    or there are fewer than two and none is a method's; a limit with an end of the interval on
    either side; a claim that is true of more than half of its kind; or it agrees, but no change of
    its inputs, no rival, no base rate and no test of `standing` refutes it); `within_interval` (the
    check interval meets what was printed); `reproduced` (no check interval, and equal to the
    printed precision or the relation holds); `unresolved` (cause `unexplained`); `deviates`.

    The rivals of a value are the other distinct values that are printed with the same name in
    the column `rivals`: those of the same quantity and the same kind of model. Or the column names
    a method of `computed.csv`, whose value is the rival. A value computed from rounded
    inputs agrees if its rounding interval does; if the value itself does not, it is judged as
    a sampled one is: the interval must exclude more than half of the rivals.
    """
    name = paper or "comparison"
    known = set(published["target"])
    own = _by_target(computed[computed["method"].isin((PAPER_METHOD, CALIBRATION_METHOD))])
    explained = _by_target(errata.rename(columns={"id": "erratum"}))
    standings = {} if standing is None else _by_target(standing)
    traced = {} if dependence is None else _by_target(dependence)
    methods = set(zip(computed["target"], computed["method"], strict=True))
    by_methods = {method for _, method in methods}
    rivals = _rivals(published, computed)
    is_search = computed["method"].str.startswith(SEARCH_METHOD.partition("{")[0])
    searched = computed[is_search].set_index("target")["base_rate"].to_dict()
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
            f"{name}: target {row['target']!r} has the rivals {row['rivals']!r}, but no "
            "method of computed.csv and no other value has this name. Correct them, or "
            "leave them empty."
            for row in published.to_dict("records")
            if row["rivals"]
            and (row["target"], row["rivals"]) not in methods
            # What is a method of one value is no class of printed ones where it was not computed.
            and (row["rivals"] in by_methods or (published["rivals"] == row["rivals"]).sum() < 2)
        ]
        + [
            f"{name}: target {target!r} is a calibration target, but its provenance is "
            f"{row['provenance']!r}. Only a simulation is calibrated."
            for target, row in own.items()
            if row["method"] == CALIBRATION_METHOD and row["provenance"] != "simulated"
        ]
    )
    nothing = dict.fromkeys(
        (
            *("method", "provenance", "made_by", "erratum", "cause"),
            *("weight", "explanation", "evidence", "search", "condition", "status", "date"),
        ),
        "",
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
        numbers = {column: found.get(column, math.nan) for column in ESTIMATES if column != "value"}
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
        judged = _Judged(
            row,
            numbers,
            found["provenance"],
            rivals[target],
            is_target=is_target,
            has_method=(target, row["rivals"]) in methods,
            is_second_hand=row["source"] in second_hand,
        )
        changes = judged.changes(traced.get(target))
        restates, why_not = _restatement(
            traced.get(target), standings.get(target), by_data=changes["moved_by_data"]
        )
        verdict, excluded = judged.verdict(restates, found["cause"])
        refuted = (
            changes["changes_refuted"]
            or excluded
            or judged.is_refuted_by_a_method()
            or numbers["base_rate"] <= MOST
        )
        # What `standing` lets count is refuted by the test that it names.
        is_open = target in traced and not refuted and not why_not
        if verdict in EVIDENCE and (is_open or numbers["base_rate"] > MOST):
            verdict = "inconclusive"
        rows.append(
            found
            | row
            | numbers
            | changes
            | {"paper": paper, "published": row["value"], "verdict": verdict}
            | {"search_rate": searched.get(target, math.nan)}
            | {"rivals_excluded": excluded, "restates": restates or why_not}
        )
    if faults:
        raise PublicationError("\n".join(faults))
    frame = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    return frame.astype(
        dict.fromkeys(COMPARISON_COLUMNS, "str") | dict.fromkeys(NUMBERS, "float64")
    )


def _rivals(published: pd.DataFrame, computed: pd.DataFrame) -> dict[str, list[str]]:
    """Return the rivals of each target, as printed: a method's value, or those of its class."""
    by_method = computed.set_index(["target", "method"])["value"].to_dict()
    rivals: dict[str, list[str]] = {target: [] for target in published["target"]}
    for (name, _), group in published[published["rivals"] != ""].groupby(["rivals", "unit"]):
        printed = {number.value: number.unit for number in map(parse_printed, group["value"])}
        for target, text in zip(group["target"], group["value"], strict=True):
            if (target, name) in by_method:
                value = Decimal(by_method[target, name]).quantize(unit_of(text))
                rivals[target] = [f"{value:f}"]
            else:
                own = parse_printed(text)
                # A rival with fewer places is that number all the same, not all that round to it.
                rivals[target] = [
                    f"{value.quantize(min(unit, own.unit)):f}"
                    for value, unit in printed.items()
                    if value != own.value
                ]
    return rivals


def _restatement(
    traced: dict[str, Any] | None, standing: dict[str, Any] | None, *, by_data: bool
) -> tuple[str, str]:
    """Say what a value restates, or, of one that counts all the same, why it does."""
    if standing is not None and standing["counts"] == "no":
        return standing["reason"], ""
    found = "" if traced is None or by_data else traced["restates"]
    if standing is None:
        return found, ""
    moves = f"moves with {found}, but counts" if found else "counts"
    return "", f"{moves}: {standing['reason']} ({standing['test']})"


@dataclass(frozen=True)
class _Judged:
    """One printed value and what was computed for it."""

    row: dict[Hashable, Any]
    numbers: dict[str, float]
    provenance: str
    rivals: list[str]
    _: KW_ONLY
    is_target: bool
    has_method: bool
    is_second_hand: bool

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
        if self.is_second_hand:
            return "second_hand", ""
        if restates:
            return "restated", ""
        disagrees = "unresolved" if cause == CAUSES[-1] else "deviates"
        sampled = self._interval("check")
        if sampled is None:
            return self._deterministic(disagrees)
        if not self._agrees(*sampled):
            return disagrees, ""
        if self.row["relation"] in MEASURED:
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
        if self.row["relation"] not in MEASURED:
            return "inconclusive", ""
        conclusive, share = self._tells_rivals_apart(*rounded)
        return ("reproduced" if conclusive else "inconclusive"), share

    def _tells_rivals_apart(self, lower: float, upper: float) -> tuple[bool, str]:
        """Say whether an interval excludes more than half of its rivals, and how many."""
        enough = len(self.rivals) >= (1 if self.has_method else 2)
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
            nothing: dict[str, Any] = {"changes": math.nan, "changes_refuted": math.nan}
            return {"rests_on": "", "moved_by_data": False} | nothing
        ends = self._interval("check") or self._interval("rounding")
        value = self.numbers["computed"]
        below, above = (value - ends[0], ends[1] - value) if ends else (0.0, 0.0)
        # A limit has no precision: what crosses it has moved.
        is_measured = self.row["relation"] in MEASURED
        least = float(unit_of(self.row["value"])) * (1 - 1e-9) if is_measured else 0.0
        by_numbers, by_data = (
            [
                number
                for number in map(float, traced[column].split())
                if abs(number - float(traced["base"])) >= least
            ]
            for column in ("values", "data_values")
        )
        changed = by_numbers + by_data
        refuted = sum(not self._agrees(number - below, number + above) for number in changed)
        return {
            "rests_on": traced["rests_on"],
            "moved_by_data": bool(by_data),
            "changes": float(len(changed)),
            "changes_refuted": float(refuted),
        }

    def is_refuted_by_a_method(self) -> bool:
        """Return whether the method that its row names as a rival, if it does, disagrees."""
        return self.has_method and not self._agrees(float(self.rivals[0]))


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
        explanations of values that do not, values that are said to miss the last digit and
        miss more, and evidence that rests on nothing that could have moved it. A stand-in
        can't be judged, so its explanation is not stale.
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
        if explained and verdict not in ("deviates", "unresolved", "stand_in", "second_hand"):
            found.append(
                (
                    f"explained in errata.csv, but its verdict is {verdict}",
                    "remove the stale row from errata.csv",
                )
            )
        if verdict == "deviates" and row["search"] and math.isnan(row["search_rate"]):
            found.append(
                (
                    f"{printed}; its cause was found by search, "
                    "and its probability by chance is not known",
                    "let the analysis run the search (annobench_replication.searches)",
                )
            )
        # What contradicts the paper's own numbers does so whatever a search finds besides.
        is_reading = row["search"] or row["cause"] in ("other_data", "method")
        if verdict == "deviates" and is_reading and row["search_rate"] > MAX_SEARCH_RATE:
            share = f"{row['search_rate']:.0%}"
            found.append(
                (
                    f"{printed}; its cause was found by a search that finds {share} of the values "
                    "that were never printed",
                    "call it unexplained in errata.csv",
                )
            )
        of_digit = row["weight"] == "digit" and verdict in ("deviates", "unresolved")
        if of_digit and not _is_next(row["published"], row["computed"]):
            found.append(
                (
                    f"{printed}, computed {row['computed']:.12g}: more than the last digit",
                    "give it another weight in errata.csv",
                )
            )
        if verdict in EVIDENCE and not row["rests_on"] and not row["restates"]:
            found.append(
                (
                    f"{printed}; it counts as evidence, but no input is known to move it",
                    "let the analysis read its inputs from tables/ or data, or say in "
                    "standing.csv whether it counts",
                )
            )
        failures += [Failure(row["paper"], row["target"], *failure) for failure in found]
    return failures


def _is_next(published: str, computed: float) -> bool:
    """Say whether a number, rounded as the printed one, is at most one last digit off it."""
    printed = parse_printed(published)
    # A unit, and half of one for the rounding; beyond the twelfth digit is no difference.
    return abs(computed - float(printed.value)) <= 1.5 * float(printed.unit) * (1 + 1e-9)
