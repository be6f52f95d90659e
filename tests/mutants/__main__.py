"""Change the library in small ways, one at a time, and list the changes that no test detects.

``python -m tests.mutants [package or module ...]`` runs the mutants of the plan that have no
outcome for the code as it is, and stores what became of them in `results.csv` and
`docs/explanation/mutants.md`. It may be interrupted, and continues where it was. The library is
copied to a temporary folder and changed there, one file at a time. It needs a system that can fork.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.mutants import stored
from tests.mutants.changes import Key, Mutant
from tests.mutants.stored import TARGETS, Outcome, Plan
from tests.mutants.workshop import EXAMPLES, Workshop


def main(names: list[str], again: bool, minutes: float, folder: Path) -> None:
    """Run the mutants of the packages or modules named, or of all."""
    ends = time.monotonic() + 60 * minutes
    plan = Plan(stored.SOURCE, stored.read_results())
    reasons = stored.read_equivalent(stored.EQUIVALENT, plan.find)
    chosen = [
        one
        for name in TARGETS
        if not names or name in map(stored.package_of, names)
        for one in plan.mutants(name)
        if not names or one.module.startswith(tuple(names))
    ]
    if not chosen:
        raise SystemExit(f"no mutant is planned in {names}. Packages are {', '.join(TARGETS)}.")
    known = {one.key: one for one in plan.outcomes if plan.holds(one)}
    workshop = Workshop(folder)
    for one in chosen:
        before = known.get(one.key)
        if before and not (again and before.status == "survived"):
            continue
        if time.monotonic() > ends:
            break
        began = time.time()
        reason = reasons.get(one.key, "")
        found = ("equivalent", "", reason) if reason else workshop.judge(one)
        print(f"{found[0]} {one.module}:{one.line}: {one.original} -> {one.mutant}", end=" ")
        print(f"({time.time() - began:.0f} s) {found[1]}{found[2]}", flush=True)
        status, test, why = found
        # Why a survivor is left alone was written by hand.
        keep(one, status, test, why or (before.reason if before and status == "survived" else ""))
    write(plan, reasons)


def keep(one: Mutant, status: str, test: str, reason: str) -> None:
    """Store an outcome at once, in the place of an older one."""
    # Read anew, since another run may have stored its own meanwhile.
    others = [other for other in stored.read_results() if other.key != one.key]
    made = Outcome(*one.key[:2], one.line, *one.key[2:], one.source, status, test, reason)
    stored.write_results([*others, made])


def write(plan: Plan, reasons: Mapping[Key, str]) -> None:
    """Write the plan and the page, and the outcomes of code that is still there."""
    packages = plan.packages()
    plan.read(stored.read_results())  # anew, since a run may have stored some meanwhile
    outcomes = [
        replace(one, status="equivalent", reason=reasons[one.key]) if one.key in reasons else one
        for one in plan.outcomes
        if plan.holds(one)
    ]
    stored.write_results(outcomes)
    stored.write_packages(packages)
    stored.PAGE.write_text(stored.page(outcomes, packages, EXAMPLES), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as agreement or io/xml.py; by default all")
    parser.add_argument("--again", action="store_true", help="also those that survived")
    parser.add_argument("--page", action="store_true", help="write the page, run nothing")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin none after")
    parser.add_argument("--folder", type=Path, help="for the copy; by default a temporary one")
    asked = parser.parse_args()
    if asked.page:
        current = Plan(stored.SOURCE, stored.read_results())
        write(current, stored.read_equivalent(stored.EQUIVALENT, current.find))
    elif asked.folder:
        asked.folder.mkdir(parents=True, exist_ok=True)
        main(asked.modules, asked.again, asked.minutes, asked.folder)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(asked.modules, asked.again, asked.minutes, Path(temporary))
