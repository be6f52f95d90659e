"""A copy of the library in which one file at a time is changed, and tests are run on it."""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import math
import os
import resource
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.changes import Mutant
from tests.mutants.reach import Imports
from tests.mutants.stored import LIBRARY, SOURCE, TOP, path_of

#: The limit of CPU time, as a multiple of the tests' usual time and seconds on top of it.
TIMEOUT = (3, 20)
#: The limit of wall-clock time, as a multiple of that of CPU time.
WAITING = 10
MEMORY = 12 * 2**30
#: That a property's test tries, unless it says itself how many.
EXAMPLES = 20
#: The CPU seconds that the tests of a mutant may take when nothing is changed.
BUDGET = 40.0
#: The CPU seconds of a file of tests, and of one test, when it is first run.
FIRST_RUN, LONGEST = 120, 10
#: So many files whose tests call the changed function are asked, and so many candidates looked at.
FILES, CANDIDATES = 5, 8
#: What a process returns in which pytest itself did not run.
OWN_FAULT = 99


@dataclass
class Calls:
    """The passing tests of a file: the seconds of each, and the functions of the library it calls.

    What is called before tests begin, by imports and by fixtures, is called for all of them.
    """

    seconds: dict[str, float]
    functions: dict[str, set[str]]
    shared: set[str]

    def of(self, module: str, function: str) -> list[str]:
        """List the tests that call a function; for code outside of functions, any in the module."""

        def calls(name: str) -> bool:
            place, _, called = name.partition("::")
            inside = called == function or called.startswith(f"{function}.")
            return place == module and (not function or inside)

        if any(map(calls, self.shared)) and function:
            return list(self.seconds)
        return [test for test, names in self.functions.items() if any(map(calls, names))]


class Recorder:
    """A plugin of pytest that writes which functions of a package each test calls."""

    def __init__(self, package: Path, path: Path) -> None:
        self.package = f"{package}/"
        self.path = path
        self.calls: dict[int, object] = {}
        self.began = 0.0
        sys.settrace(self.trace)
        threading.settrace(self.trace)  # of threads to come

    def trace(self, frame, event, arg):
        """Remember the code that is called, and do not follow its lines."""
        code = frame.f_code
        self.calls.setdefault(id(code), code)

    def take(self) -> list[str]:
        """Name the functions called since the last time."""
        # A new mapping, since this comprehension is itself a call that is traced.
        calls, self.calls = self.calls, {}
        names = {
            f"{code.co_filename.removeprefix(self.package).removeprefix(f'{LIBRARY}/')}::"
            f"{code.co_qualname.replace('.<locals>', '')}"
            for code in calls.values()
            if code.co_filename.startswith(self.package)
        }
        return sorted(names)

    def write(self, **entry) -> None:
        """Store an entry at once: the process may end at its limit of time."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(entry)}\n")

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(shared=self.take())
        self.began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)

    def pytest_runtest_logreport(self, report):
        if report.when == "setup":
            self.write(shared=self.take())
        if report.when == "call":
            signal.setitimer(signal.ITIMER_PROF, 0)
            seconds = time.process_time() - self.began
            functions = self.take()
            if report.passed:
                self.write(test=report.nodeid, seconds=round(seconds, 2), functions=functions)
        if report.when == "teardown":
            self.take()


class Chosen:
    """A plugin of pytest that keeps the tests named, the quickest first, and tells which fails."""

    def __init__(self, tests: dict[str, float], failed: Path) -> None:
        self.tests = tests
        self.failed = failed

    def pytest_collection_modifyitems(self, session, config, items):
        kept = [item for item in items if item.nodeid in self.tests]
        items[:] = sorted(kept, key=lambda item: self.tests[item.nodeid])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.write_text(report.nodeid, encoding="utf-8")


class Workshop:
    """A copy of the library in which one file at a time is changed, and tests run on it."""

    def __init__(self, folder: Path) -> None:
        if path := os.environ.get("PYTHONPATH"):
            raise SystemExit(
                f"PYTHONPATH is {path!r}, from which tests would import the library unchanged. "
                "Run env -u PYTHONPATH python -m tests.mutants."
            )
        self.package = folder / "src"
        self.whole = folder / "whole"
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for copied in (self.package, self.whole):  # with the files' times, for numba's cache
            shutil.rmtree(copied, ignore_errors=True)
            shutil.copytree(SOURCE, copied, ignore=ignore)
        self.log = folder / "log.txt"
        self.failed = folder / "failed.txt"
        self.basetemp = folder / "pytest"
        self.traces = folder / "traces"
        self.traces.mkdir(exist_ok=True)
        self.clock = int(time.time())
        self.imports = Imports(SOURCE, TOP / "tests")
        self._calls: dict[tuple[Path, bool], Calls] = {}
        texts = (path.read_bytes() for path in sorted(SOURCE.rglob("*.py")))
        self.library = hashlib.sha256(b"".join(texts)).hexdigest()
        sys.dont_write_bytecode = False
        sys.pycache_prefix = str(folder / "bytecode")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
        os.environ["NUMBA_CACHE_DIR"] = str(folder / "numba")
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
        os.environ["PYTHONPATH"] = str(folder / "src")
        sys.path.insert(0, str(folder / "src"))
        os.chdir(TOP)
        # What tests import most is imported once, and shared with every fork.
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        shared = ("numba", "scipy.stats", "scipy.optimize", "pandas", "pyarrow.parquet")
        for name in (*shared, "matplotlib.pyplot", "typer.testing", "hypothesis", "pytest"):
            importlib.import_module(name)
        gc.freeze()

    def is_compiled(self, module: str) -> bool:
        """Tell whether a module holds inner loops that are compiled.

        Such a module's mutants run uncompiled: a kernel in another file that was compiled with the
        old one would be taken from numba's cache.
        """
        return "import kernel" in path_of(module, self.whole).read_text(encoding="utf-8")

    def run(self, arguments: list[str], seconds: float, plain: bool, plugin) -> str:
        """Run tests in a process of its own: passed, failed, timeout or none."""
        self.failed.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            self._test(arguments, seconds, plain, plugin)
        _, status, _ = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == OWN_FAULT:
            raise SystemExit(f"pytest did not run; see {self.log}")
        # Of pytest, 5 is that no test was selected.
        known = {0: "passed", 5: "none", -signal.SIGXCPU: "timeout", -signal.SIGALRM: "timeout"}
        return known.get(code, "failed")

    def _test(self, arguments: list[str], seconds: float, plain: bool, plugin) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), resource.RLIM_INFINITY))
        signal.alarm(WAITING * math.ceil(seconds))
        signal.signal(signal.SIGPROF, _too_long)
        log = os.open(self.log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        code = OWN_FAULT
        try:
            pytest = importlib.import_module("pytest")
            hypothesis = importlib.import_module("hypothesis")
            numba = importlib.import_module("numba")
            numba.config.DISABLE_JIT = plain
            hypothesis.settings.register_profile(
                "mutants", max_examples=EXAMPLES, derandomize=True, database=None, deadline=None
            )
            hypothesis.settings.load_profile("mutants")
            # Hypothesis is imported already, and its assertions need no rewriting.
            # A folder of its own, which another run of tests does not clean up meanwhile.
            quiet = ["-q", "-p", "no:cacheprovider", f"--basetemp={self.basetemp}"]
            warned = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            options = [*quiet, *warned, "-m", "not slow and not commands"]
            code = int(pytest.main([*options, *arguments], plugins=[plugin(), _Untraced()]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def trace(self, path: Path, plain: bool) -> Path:
        """Return where it is stored which functions a file of tests calls."""
        state = f"{self.library}{plain}".encode() + path.read_bytes()
        return self.traces / f"{path.stem}-{hashlib.sha256(state).hexdigest()[:16]}.jsonl"

    def calls(self, path: Path, plain: bool) -> Calls:
        """Run a file of tests on the unchanged library, and return which functions they call."""
        if (path, plain) in self._calls:
            return self._calls[path, plain]
        stored, draft = self.trace(path, plain), self.traces / "draft"
        if not stored.exists():
            draft.unlink(missing_ok=True)
            draft.touch()
            began = time.time()
            arguments = [str(path.relative_to(TOP))]
            found = self.run(arguments, FIRST_RUN, plain, lambda: Recorder(self.package, draft))
            print(f"    {path.name}: {found}, {time.time() - began:.0f} s", flush=True)
            if not draft.stat().st_size and found != "none":  # that is, all are slow
                raise SystemExit(f"{path}: no test began; see {self.log}")
            draft.replace(stored)
        calls = Calls({}, {}, set())
        for line in stored.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if "shared" in entry:
                calls.shared |= set(entry["shared"])
            else:
                calls.seconds[entry["test"]] = entry["seconds"]
                calls.functions[entry["test"]] = set(entry["functions"])
        self._calls[path, plain] = calls
        return calls

    def judge(self, mutant: Mutant) -> tuple[str, str, str]:
        """Change the library, run the tests, and put the file back: status, test, reason."""
        plain = self.is_compiled(mutant.module)
        left, asked = BUDGET, 0
        near, far = self.imports.candidates(mutant.module)
        new = 0
        for path in [*near, *far]:
            new += not self.trace(path, plain).exists()
            if new > CANDIDATES:
                break
            found = self.calls(path, plain)
            chosen: dict[str, float] = {}
            tests = found.of(mutant.module, mutant.function)
            for test in sorted(tests, key=lambda test: found.seconds[test]):
                if sum(chosen.values()) + found.seconds[test] <= left:
                    chosen[test] = found.seconds[test]
            if not chosen:
                continue
            left -= sum(chosen.values())
            status, test = self._try(mutant, path, chosen, plain)
            if status in ("killed", "timeout"):
                return status, test, ""
            asked += status == "survived"
            if asked == FILES:
                break
        return "survived", "", "" if asked else "no test calls it"

    def _try(
        self, mutant: Mutant, path: Path, tests: Collection[str], plain: bool
    ) -> tuple[str, str]:
        changed = path_of(mutant.module, self.package)
        source = path_of(mutant.module, self.whole)
        changed.write_text(mutant.apply(source.read_text(encoding="utf-8")), encoding="utf-8")
        # A time of its own, lest compiled code of another mutant is taken for this one's.
        self.clock += 1
        os.utime(changed, (self.clock, self.clock))
        seconds = TIMEOUT[0] * sum(tests.values()) + TIMEOUT[1]
        arguments = ["-x", str(path.relative_to(TOP))]
        try:
            found = self.run(arguments, seconds, plain, lambda: Chosen(tests, self.failed))
        finally:
            shutil.copy2(source, changed)
        if found == "passed":
            return "survived", ""
        failed = self.failed.read_text(encoding="utf-8") if self.failed.exists() else path.name
        return {"failed": "killed"}.get(found, found), failed.partition("[")[0]


class _Untraced:
    """Ends tracing with the session, whose reports need none."""

    def pytest_sessionfinish(self):
        sys.settrace(None)
        threading.settrace(None)


def _too_long(number, frame):
    raise TimeoutError(f"a test takes more than {LONGEST} CPU seconds")
