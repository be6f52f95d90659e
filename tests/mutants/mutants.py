"""Change the library in small ways, one at a time, and list the changes that no test detects.

``python tests/mutants/mutants.py [module ...]`` draws mutants by `modules.csv`, runs the tests it
names for each, and stores what became of them in `results.csv` and `docs/explanation/mutants.md`;
``--again`` leaves out those stored as noticed, ``--page`` only writes the page. The library is
copied to a temporary folder and changed there, one file at a time; the copy keeps the files' times,
so that numba's cache holds for the files that are not changed. It needs a system that can fork.
"""

from __future__ import annotations

import argparse
import ast
import copy
import csv
import gc
import hashlib
import importlib
import math
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

HERE = Path(__file__).parent
TOP = HERE.parents[1]
SOURCE = TOP / "src" / "annobench"
PAGE = TOP / "docs" / "explanation" / "mutants.md"
SEED = 2008
#: The limit of CPU time, as a multiple of the tests' usual time and seconds on top of it.
TIMEOUT = (3, 15)
#: The limit of wall-clock time, as a multiple of that of CPU time.
WAITING = 10
MEMORY = 12 * 2**30
#: That a property's test tries, unless it says itself how many.
EXAMPLES = 20
#: What a process returns in which pytest itself did not run.
OWN_FAULT = 99

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
TWINS = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("fmin", "fmax"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("ceil", "floor"),
    ("sum", "mean"),
    ("cumsum", "cumprod"),
    ("zeros", "ones"),
]
SWAPS = dict(TWINS) | {second: first for first, second in TWINS}
UNWRAPPED = ("abs", "sqrt", "log", "exp", "log1p", "expm1", "sorted", "unique", "clip", "isnan")
#: Keywords that change no answer: a format, or a check of what cannot happen.
HARMLESS = ("dtype", "encoding", "strict", "stacklevel", "newline", "copy", "name")


@dataclass(frozen=True)
class Mutant:
    """One change: the operator, the source it replaces, and what becomes of it."""

    module: str
    function: str
    line: int
    operator: str
    original: str
    mutant: str
    start: int
    end: int

    @property
    def key(self) -> tuple[str, ...]:
        """What names a mutant when lines move."""
        return self.module, self.function, self.operator, self.original, self.mutant

    def apply(self, source: str) -> str:
        """Return the changed source."""
        text = source.encode()
        return (text[: self.start] + self.mutant.encode() + text[self.end :]).decode()


def _with(node, **changes):
    """Copy a node with some fields replaced."""
    new = copy.copy(node)
    for name, value in changes.items():
        setattr(new, name, value)
    return new


def _is_text(node) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def expressions(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the changes of an expression: operator and new expression."""
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                ops = [*node.ops[:at], COMPARISONS[type(op)](), *node.ops[at + 1 :]]
                yield "comparison", _with(node, ops=ops)
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            if not (_is_text(node.left) or _is_text(node.right)):
                yield "arithmetic", _with(node, op=ARITHMETIC[type(node.op)]())
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "logic", _with(node, op=other)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield "logic" if isinstance(node.op, ast.Not) else "sign", node.operand
        case ast.IfExp():
            yield "condition", _with(node, body=node.orelse, orelse=node.body)
        case ast.Constant(value=bool()):
            yield "constant", ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield "constant", ast.Constant(node.value + 1)
            if node.value > 1:
                yield "constant", ast.Constant(node.value - 1)
        case ast.Constant(value=float()):
            yield "constant", ast.Constant(2 * node.value or 1.0)
        case ast.Call():
            yield from _calls(node)


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    named = isinstance(node.func, ast.Name)
    name = node.func.id if named else getattr(node.func, "attr", "")
    if name in SWAPS:
        changed = {"id" if named else "attr": SWAPS[name]}
        yield "function", _with(node, func=_with(node.func, **changed))
    if name in UNWRAPPED and node.args:
        yield "unwrap", node.args[0]
    for at, keyword in enumerate(node.keywords):
        rest = [*node.keywords[:at], *node.keywords[at + 1 :]]
        if keyword.arg == "axis" and isinstance(keyword.value, ast.Constant):
            other = _with(keyword, value=ast.Constant(int(keyword.value.value == 0)))
            yield "axis", _with(node, keywords=[*node.keywords[:at], other, *rest[at:]])
        elif keyword.arg is not None and keyword.arg not in HARMLESS:
            yield "keyword", _with(node, keywords=rest)


def statements(node: ast.AST, last: bool) -> Iterator[tuple[str, ast.AST]]:
    """Yield the changes of a statement; of the last one of a function, its return stays."""
    match node:
        case ast.Return() if not last:
            yield "exit", ast.Pass()
        case ast.Raise() | ast.Continue() | ast.Break():
            yield "exit", ast.Pass()
        case ast.AugAssign() if type(node.op) in ARITHMETIC and not _is_text(node.value):
            yield "arithmetic", _with(node, op=ARITHMETIC[type(node.op)]())


def find(source: str, module: str) -> list[Mutant]:
    """List every mutant of a module, in the order of its source."""
    text = source.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []

    def add(node, operator, new, function):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        mutated = ast.unparse(ast.fix_missing_locations(new))
        if isinstance(node, ast.expr):
            mutated = f"({mutated})"
        original = " ".join(text[start:end].decode().split())
        found.append(Mutant(module, function, node.lineno, operator, original, mutated, start, end))

    def visit(node, function, last=False):
        if isinstance(node, ast.expr):
            if isinstance(node, ast.JoinedStr):
                return
            for operator, new in expressions(node):
                # Records at the top of a module break at once without a field.
                if operator != "keyword" or function:
                    add(node, operator, new, function)
        elif isinstance(node, ast.stmt):
            for operator, new in statements(node, last):
                add(node, operator, new, function)
        for child, is_last in _children(node):
            inside = isinstance(node, ast.FunctionDef | ast.ClassDef)
            here = f"{function}.{node.name}".lstrip(".") if inside else function
            visit(child, here, is_last)

    visit(ast.parse(source), "")
    return found


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield what is visited in a node, and whether it is the last statement of a function.

    Types, decorators and messages are left out.
    """
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Raise() | ast.Assert():
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Call(func=ast.Attribute(attr="warn")):
            return
        case ast.keyword() if node.arg in HARMLESS:
            return
        case ast.FunctionDef():
            for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                yield default, False
            for statement in node.body:
                yield statement, statement is node.body[-1]
        case ast.ClassDef():
            yield from ((statement, False) for statement in node.body)
        case ast.AnnAssign():
            if node.value is not None:
                yield node.value, False
        case _:
            yield from ((child, False) for child in ast.iter_child_nodes(node))


def draw(mutants: list[Mutant], number: int, seed: int = SEED) -> list[Mutant]:
    """Draw so many mutants, of all operators alike, and the same ones when other code changes."""

    def lot(one: Mutant) -> str:
        return hashlib.sha256(repr((seed, *one.key)).encode()).hexdigest()

    ranks: Counter[str] = Counter()
    order = []
    for one in sorted(mutants, key=lot):
        order.append((ranks[one.operator], lot(one), one.start, one))
        ranks[one.operator] += 1
    return sorted((entry[-1] for entry in sorted(order)[:number]), key=lambda one: one.start)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant; a row of `results.csv`."""

    module: str
    function: str
    line: int
    operator: str
    original: str
    mutant: str
    status: str
    reason: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """As that of a mutant."""
        return self.module, self.function, self.operator, self.original, self.mutant


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV file, as one mapping a row."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_results(path: Path = HERE / "results.csv") -> list[Outcome]:
    """Read the stored outcomes."""
    if not path.exists():
        return []
    return [Outcome(**{**row, "line": int(row["line"])}) for row in read_table(path)]


def write_results(outcomes: list[Outcome], path: Path = HERE / "results.csv") -> None:
    """Store the outcomes in the order of modules and lines."""
    rows = sorted(outcomes, key=lambda one: (one.module, one.line, *one.key))
    half = path.with_suffix(f".{os.getpid()}")
    with half.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Outcome)])
        writer.writerows(astuple(one) for one in rows)
    half.replace(path)


def read_equivalent(path: Path, known: Callable[[str], list[Mutant]]) -> dict[tuple, str]:
    """Read the reasons of mutants that change nothing, and refuse one that is no mutant any more.

    `known` gives the mutants of a module.
    """
    reasons, stale = {}, []
    for number, row in enumerate(read_table(path), start=2):
        key = tuple(row[name] for name in ("module", "function", "operator", "original", "mutant"))
        if not any(one.key == key for one in known(row["module"])) or not row["reason"]:
            stale.append(f"{path.name}, line {number}: {row['module']} has no mutant {key[1:]}")
        reasons[key] = row["reason"]
    if stale:
        raise SystemExit("\n".join([*stale, "Remove or correct these entries."]))
    return reasons


class Workshop:
    """A copy of the library in which one file at a time is changed, and tests run on it."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "src" / "annobench"
        self.whole = folder / "whole"
        ignore = shutil.ignore_patterns("__pycache__")
        for copied in (self.package, self.whole):  # with the files' times
            shutil.rmtree(copied, ignore_errors=True)
            shutil.copytree(SOURCE, copied, ignore=ignore)
        self.log = folder / "log.txt"
        self.clock = int(time.time())
        os.environ["NUMBA_CACHE_DIR"] = str(folder / "numba")
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
        os.environ["PYTHONPATH"] = str(folder / "src")
        sys.path.insert(0, str(folder / "src"))
        os.chdir(TOP)
        # What tests import most is imported once, and shared with every fork.
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        for name in ("numba", "scipy.stats", "scipy.optimize", "pandas", "hypothesis", "pytest"):
            importlib.import_module(name)
        gc.freeze()

    def run(self, tests: list[str], seconds: float) -> tuple[str, float]:
        """Run tests in a process of its own: passed, failed, timeout or none, and CPU seconds."""
        child = os.fork()
        if child == 0:
            self._test(tests, seconds)
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == OWN_FAULT:
            raise SystemExit(f"pytest did not run; see {self.log}")
        # Of pytest, 4 is a test that is not there, and 5 is that none was selected.
        known = {0: "passed", 4: "none", 5: "none", -signal.SIGXCPU: "timeout"}
        known[-signal.SIGALRM] = "timeout"
        return known.get(code, "failed"), usage.ru_utime + usage.ru_stime

    def _test(self, tests: list[str], seconds: float) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), resource.RLIM_INFINITY))
        signal.alarm(WAITING * math.ceil(seconds))
        log = os.open(self.log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        code = OWN_FAULT
        try:
            pytest = importlib.import_module("pytest")
            # Hypothesis is imported already, and its assertions need no rewriting.
            quiet = [
                "-q",
                "-p",
                "no:cacheprovider",
                "-W",
                "ignore::pytest.PytestAssertRewriteWarning",
            ]
            options = ["-x", "-m", "not slow"]
            code = int(pytest.main([*quiet, *options, *tests]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def usual(self, tests: list[str]) -> float:
        """Run tests on the unchanged library, which they must pass, and return the CPU seconds."""
        found, seconds = self.run(tests, 600)
        if found != "passed":
            raise SystemExit(f"{' '.join(tests)}: {found} without a change; see {self.log}")
        return seconds

    def judge(self, mutant: Mutant, stages: list[tuple[list[str], float]]) -> str:
        """Change the library, run the tests, and put the file back: killed, survived, timeout."""
        path = self.package / mutant.module
        source = self.whole / mutant.module
        path.write_text(mutant.apply(source.read_text(encoding="utf-8")), encoding="utf-8")
        # A time of its own, lest compiled code of another mutant is taken for this one's.
        self.clock += 1
        os.utime(path, (self.clock, self.clock))
        try:
            for tests, usual in stages:
                found, _ = self.run(tests, TIMEOUT[0] * usual + TIMEOUT[1])
                if found != "passed":
                    return {"failed": "killed"}.get(found, found)
        finally:
            shutil.copy2(source, path)
        return "survived"


def main(modules: list[str], again: bool, folder: Path) -> None:
    """Run the mutants of the modules named, or of all, and store what became of them."""
    sources = {row["module"]: row for row in read_table(HERE / "modules.csv")}
    unknown = [name for name in modules if not any(key.startswith(name) for key in sources)]
    if unknown:
        raise SystemExit(f"not in modules.csv: {unknown}. Known are {', '.join(sources)}")
    workshop = Workshop(folder)

    def known(module: str) -> list[Mutant]:
        path = workshop.whole / module
        return find(path.read_text(encoding="utf-8"), module) if path.exists() else []

    reasons = read_equivalent(HERE / "equivalent.csv", known)
    before = [one for one in read_results() if one.module in sources]
    write_results(before)
    noticed = {one.key for one in before if one.status in ("killed", "timeout")}
    noticed -= {one.key for one in before if one.status == "survived"}
    chosen = dict.fromkeys(
        module for name in modules for module in sources if module.startswith(name)
    )
    for module in chosen or sources:
        row = sources[module]
        only = re.compile(row["functions"])
        drawn = [one for one in known(module) if only.match(one.function)]
        drawn = draw(drawn, int(row["mutants"]))
        stays = {one.key for one in drawn} & noticed if again else set()
        stages = []
        if not all(one.key in stays or one.key in reasons for one in drawn):
            parts = [tests.split() for tests in row["tests"].split(";")]
            stages = [(tests, workshop.usual(tests)) for tests in parts]
        print(f"{module}: {', '.join(f'{seconds:.1f} s' for _, seconds in stages)}", flush=True)
        keep(module, stays, [])
        for one in drawn:
            if one.key in stays:
                continue
            reason = reasons.get(one.key, "")
            status = "equivalent" if reason else workshop.judge(one, stages)
            print(f"  {status} {one.line}: {one.original} -> {one.mutant}", flush=True)
            keep(module, stays, [Outcome(*astuple(one)[:6], status, reason)])
            stays.add(one.key)


def keep(module: str, stays: set[tuple], made: list[Outcome]) -> None:
    """Store new outcomes at once, and of the module's older ones those that stay."""
    # Read anew, since another run may have stored its own meanwhile.
    older = [one for one in read_results() if one.module != module or one.key in stays]
    write_results([*older, *made])
    PAGE.write_text(page(read_results()), encoding="utf-8")


TEXT = """\
# Mutation testing

A *mutant* is the library with one small change: `<` for `<=`, `+` for `-`, a constant increased by
one, a negated condition, a minus sign, a square root or a keyword left out, `min` for `max`,
another axis, an early return skipped. If the tests pass on a mutant, they do not check the changed
line. Messages, docstrings and types are not changed. Mutants are drawn at random with a stored
seed, evenly over the kinds of change. `tests/mutants/modules.csv` states the number of mutants of
each module and the tests that are run on them; in data sets, only functions that parse are mutated.
Slow tests are left out, and property-based tests try {examples} examples.

The tests kill {killed} of {total} mutants, {timeout} of these by timeout;
{equivalent} are equivalent, that is, they give the same results, for the reasons below;
{survived} survive. That is {share} killed or equivalent.

{areas}

## Surviving mutants

{survivors}

## Equivalent mutants

{equivalents}

## Mutants that remain to be run

{run}

`make mutants`<!-- not run: takes an hour --> runs all mutants, one after another, in about an
hour on one core; `python tests/mutants/mutants.py --again`<!-- not run: takes minutes --> runs
only those that survived or were not run before.
Neither changes the sources; both write `tests/mutants/results.csv` and this page.
"""


def page(outcomes: list[Outcome]) -> str:
    """Write the page of the documentation from the stored outcomes."""
    areas: dict[str, Counter[str]] = {}
    for one in outcomes:
        areas.setdefault(one.module.split("/")[0].removesuffix(".py"), Counter())[one.status] += 1
    order = ("killed", "timeout", "equivalent", "survived")
    rows = [
        [name, str(sum(found.values())), *(str(found[status]) for status in order)]
        for name, found in sorted(areas.items())
    ]
    counts = Counter(one.status for one in outcomes)
    alive = [one for one in outcomes if one.status == "survived"]
    equal = [one for one in outcomes if one.status == "equivalent"]
    change = ["module", "line", "function", "original", "mutant"]

    def cells(one: Outcome) -> list[str]:
        codes = [_code(text) for text in (one.function, one.original, one.mutant)]
        return [one.module, str(one.line), *codes]

    return TEXT.format(
        total=len(outcomes),
        examples=EXAMPLES,
        killed=counts["killed"] + counts["timeout"],
        timeout=counts["timeout"],
        equivalent=counts["equivalent"],
        survived=counts["survived"],
        share=f"{1 - counts['survived'] / max(1, len(outcomes)):.1%}",
        run=_run(outcomes),
        areas=_table(["package", "mutants", *order], rows),
        survivors=_table(change, map(cells, alive)) if alive else "None.",
        equivalents=_table([*change, "reason"], ([*cells(one), one.reason] for one in equal))
        if equal
        else "None.",
    )


def _run(outcomes: list[Outcome]) -> str:
    """Say which modules wait for mutants that are to be drawn from them."""
    made = Counter(one.module for one in outcomes)
    waiting = [
        f"`{row['module']}` ({made[row['module']]} of {row['mutants']})"
        for row in read_table(HERE / "modules.csv")
        if made[row["module"]] < int(row["mutants"])
    ]
    return f"Run so far: {', '.join(waiting)}." if waiting else "None."


def _code(text: str) -> str:
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as agreement or io/nxt.py; by default all")
    parser.add_argument("--again", action="store_true", help="but those noticed before")
    parser.add_argument("--page", action="store_true", help="write the page, run nothing")
    parser.add_argument("--folder", type=Path, help="for the copy; by default a temporary one")
    asked = parser.parse_args()
    if asked.page:
        PAGE.write_text(page(read_results()), encoding="utf-8")
    elif asked.folder:
        main(asked.modules, asked.again, asked.folder)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(asked.modules, asked.again, Path(temporary))
