"""What is stored of mutants: their outcomes, the plan, and the page that shows both."""

from __future__ import annotations

import csv
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

from tests.mutants.changes import Key, Mutant, code_lines, draw, find

HERE = Path(__file__).parent
TOP = HERE.parents[1]
SOURCE = TOP / "src"
#: The library; its modules are named by their paths in it, those of other packages by all of it.
LIBRARY = "annobench"
PAGE = TOP / "docs" / "explanation" / "mutants.md"
RESULTS = HERE / "results.csv"
PACKAGES = HERE / "packages.csv"
EQUIVALENT = HERE / "equivalent.csv"

#: One mutant is drawn for so many lines of code.
LINES = 100
#: The least share of mutants to be killed: in packages that compute statistics, and elsewhere.
STATISTICS, ELSEWHERE = 0.90, 0.75
#: The planned packages, in the order in which they are run.
TARGETS = dict.fromkeys(
    (
        "agreement",
        "evaluation",
        "labels",
        "resampling",
        "models",
        "audit",
        "judges",
        "noise",
        "spans",
        "aggregation",
        "simulation",
        "scale",
        "benchmark",
        "alignment",
    ),
    STATISTICS,
) | dict.fromkeys(
    (
        *("core", "io", "reporting", "cli", "plotting", "datasets"),
        *("annobench_replication", "annobench_datasets"),
    ),
    ELSEWHERE,
)
STATUSES = ("killed", "timeout", "equivalent", "survived")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant; a row of `results.csv`.

    `source` is the digest of the code in which it was made, and `test` the first test to fail.
    """

    module: str
    function: str
    line: int
    operator: str
    original: str
    mutant: str
    nth: int
    source: str
    status: str
    test: str = ""
    reason: str = ""

    @property
    def key(self) -> Key:
        """As that of a mutant."""
        return self.module, self.function, self.operator, self.original, self.mutant, self.nth

    @property
    def package(self) -> str:
        """The package of its module."""
        return package_of(self.module)


@dataclass(frozen=True)
class Package:
    """A package whose mutants are run; a row of `packages.csv`."""

    name: str
    lines: int
    planned: int
    target: float


def module_of(path: Path, source: Path) -> str:
    """Return how a module is called, by its file in the folder of sources."""
    return path.relative_to(source).as_posix().removeprefix(f"{LIBRARY}/")


def path_of(module: str, source: Path) -> Path:
    """Return the file of a module, which need not be there."""
    inside = source / LIBRARY / module
    return inside if inside.is_file() else source / module


def package_of(module: str) -> str:
    """Return the first part of a module's path."""
    return module.split("/")[0].removesuffix(".py")


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV file, as one mapping a row; of a file that is not there, none."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, kind: type, rows: Iterable) -> None:
    half = path.with_suffix(f".{os.getpid()}")
    with half.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(kind)])
        writer.writerows(astuple(one) for one in rows)
    half.replace(path)


def read_results(path: Path = RESULTS) -> list[Outcome]:
    """Read the stored outcomes."""
    rows = read_table(path)
    return [Outcome(**row | {"line": int(row["line"]), "nth": int(row["nth"])}) for row in rows]


def write_results(outcomes: Iterable[Outcome], path: Path = RESULTS) -> None:
    """Store the outcomes in the order of modules and lines."""
    _write(path, Outcome, sorted(outcomes, key=lambda one: (one.module, one.line, *one.key)))


def read_packages(path: Path = PACKAGES) -> list[Package]:
    """Read the stored plan."""
    return [
        Package(row["name"], int(row["lines"]), int(row["planned"]), float(row["target"]))
        for row in read_table(path)
    ]


def write_packages(packages: Iterable[Package], path: Path = PACKAGES) -> None:
    """Store the plan."""
    _write(path, Package, packages)


def read_equivalent(path: Path, known: Callable[[str], list[Mutant]]) -> dict[Key, str]:
    """Read the reasons of mutants that change nothing, and refuse one that is no mutant any more.

    `known` gives the mutants of a module, none of a module that is not there.
    """
    reasons, stale = {}, []
    for number, row in enumerate(read_table(path), start=2):
        change = (row[name] for name in ("module", "function", "operator", "original", "mutant"))
        key = (*change, int(row["nth"]))
        mutants = known(row["module"])
        if (mutants and not any(one.key == key for one in mutants)) or not row["reason"]:
            stale.append(f"{path.name}, line {number}: {row['module']} has no mutant {key[1:]}")
        reasons[key] = row["reason"]
    if stale:
        raise SystemExit("\n".join([*stale, "Remove or correct these entries."]))
    return reasons


class Plan:
    """The mutants to be run: those drawn, and those drawn before that are still in the code."""

    def __init__(self, source: Path, outcomes: Iterable[Outcome]) -> None:
        self.source = source
        self.modules: dict[str, list[str]] = defaultdict(list)
        for path in sorted(source.rglob("*.py")):
            module = module_of(path, source)
            if package_of(module) in TARGETS:
                self.modules[package_of(module)].append(module)
        self._found: dict[str, list[Mutant]] = {}
        self._drawn: dict[str, list[Mutant]] = {}
        self._lines: dict[str, int] = {}
        self.outcomes: list[Outcome] = []
        self.read(outcomes)

    def read(self, outcomes: Iterable[Outcome]) -> None:
        """Take stored outcomes; those of modules that are elsewhere now get the new places."""
        places = defaultdict(list)
        for path in self.source.rglob("*.py"):
            places[path.name].append(module_of(path, self.source))
        self.outcomes = []
        for one in outcomes:
            if not path_of(one.module, self.source).is_file():
                new = [replace(one, module=place) for place in places[Path(one.module).name]]
                new = [other for other in new if self.holds(other)]
                one = new[0] if len(new) == 1 else one
            self.outcomes.append(one)

    def text(self, module: str) -> str:
        """Return the source of a module."""
        return path_of(module, self.source).read_text(encoding="utf-8")

    def find(self, module: str) -> list[Mutant]:
        """List the mutants of a module, none of one that is not there."""
        if module not in self._found:
            there = path_of(module, self.source).is_file()
            self._found[module] = find(self.text(module), module) if there else []
        return self._found[module]

    def lines(self, package: str) -> int:
        """Count the lines of code of a package."""
        if package not in self._lines:
            texts = map(self.text, self.modules[package])
            self._lines[package] = sum(map(code_lines, texts))
        return self._lines[package]

    def mutants(self, package: str) -> list[Mutant]:
        """List the planned mutants of a package."""
        found = [one for module in self.modules[package] for one in self.find(module)]
        if package not in self._drawn:
            self._drawn[package] = draw(found, -(-self.lines(package) // LINES))
        drawn = {one.key for one in self._drawn[package]}
        run = {(*one.key, one.source) for one in self.outcomes if one.package == package}
        before = {key[:-1] for key in run}
        return [
            one
            for one in found
            if one.key in drawn or (one.key in before and (*one.key, one.source) in run)
        ]

    def packages(self) -> list[Package]:
        """Return the plan as it is stored."""
        return [
            Package(name, self.lines(name), len(self.mutants(name)), target)
            for name, target in TARGETS.items()
        ]

    def holds(self, outcome: Outcome) -> bool:
        """Tell whether the mutant of an outcome is still made in the same code."""
        return any(
            one.key == outcome.key and one.source == outcome.source
            for one in self.find(outcome.module)
        )


TEXT = """\
# Mutation testing

A *mutant* is the library with one small change: `<` for `<=`, `+` for `-`, a constant increased by
one, a negated condition, a minus sign, a square root or a keyword left out, `min` for `max`,
another axis, an early return skipped. If the tests pass on a mutant, they do not check the changed
line. Messages, docstrings and types are not changed. One mutant for every {lines} lines of code is
drawn at random from each package with a stored seed, evenly over the kinds of change; mutants drawn
earlier are kept while their function stays as it is but for the words of its messages. On each
mutant run the tests that call the changed function, those of the module's own name first, up to a
limit of time. Slow tests are left out, and property-based tests try {examples} examples.
Compiled kernels run uncompiled, except for two mutants of `models/kernels/dawid_skene.py`, `sweep`
and `_sweep_wide`, whose tests need compiled code; these two were run one by one.

Of {planned} planned mutants, {total} have been run. The tests kill {killed}, {timeout} of these by
timeout; {equivalent} are equivalent, that is, they give the same results, for the reasons below;
{survived} survive. That is {share} killed, equivalent mutants apart. The target is {statistics:.0%}
in packages of statistics and {elsewhere:.0%} in the others.

{areas}

## Surviving mutants

{survivors}

## Equivalent mutants

{equivalents}

## Mutants that remain to be run

{waiting}

`make mutants`<!-- not run: takes hours --> runs, one after another, the planned mutants that have
no outcome for the code as it is; it can be interrupted, and then continues where it was.
`python -m tests.mutants --again PACKAGE`<!-- not run: takes minutes --> also runs those that
survived. Neither changes the sources; both write `tests/mutants/results.csv` and this page.
"""


def page(outcomes: list[Outcome], packages: list[Package], examples: int) -> str:
    """Write the page of the documentation from what is stored."""
    counts = Counter(one.status for one in outcomes)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one in outcomes:
        found[one.package][one.status] += 1
    plans = {one.name: one for one in packages}
    rows, waiting = [], []
    for name in sorted(found.keys() | plans.keys()):
        run = found[name].total()
        planned = plans[name].planned if name in plans else run
        if run < planned:
            waiting.append(f"`{name}` ({run} of {planned} run)")
        row = [name, planned, run, *(found[name][status] for status in STATUSES)]
        target = f"{plans[name].target:.0%}" if name in plans else ""
        rows.append([*map(str, row), killed_share(found[name]), target])
    alive = [one for one in outcomes if one.status == "survived"]
    equal = [one for one in outcomes if one.status == "equivalent"]
    change = ["module", "line", "function", "original", "mutant", "reason"]

    def cells(one: Outcome) -> list[str]:
        codes = [_code(text) for text in (one.function, one.original, one.mutant)]
        return [one.module, str(one.line), *codes, one.reason]

    def explained(some: list[Outcome]) -> str:
        return _table(change, map(cells, some)) if some else "None."

    return TEXT.format(
        lines=LINES,
        planned=sum(int(row[1]) for row in rows),
        total=len(outcomes),
        examples=examples,
        killed=counts["killed"] + counts["timeout"],
        timeout=counts["timeout"],
        equivalent=counts["equivalent"],
        survived=counts["survived"],
        share=killed_share(counts),
        statistics=STATISTICS,
        elsewhere=ELSEWHERE,
        areas=_table(["package", "planned", "run", *STATUSES, "share killed", "target"], rows),
        survivors=explained(alive),
        equivalents=explained(equal),
        waiting=f"{', '.join(waiting)}." if waiting else "None.",
    )


def killed_share(counts: Counter[str]) -> str:
    """Return the share of mutants that tests kill, of those that change anything."""
    different = counts.total() - counts["equivalent"]
    return f"{1 - counts['survived'] / different:.1%}" if different else ""


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
