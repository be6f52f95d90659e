"""Mutants are single changes that compile, are drawn alike twice, and are told on the page."""

from __future__ import annotations

import ast
import importlib.util
import json
import sys
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.mutants import stored
from tests.mutants.changes import SEED, code_lines, draw, find
from tests.mutants.reach import Imports
from tests.mutants.stored import Outcome, Package, Plan
from tests.mutants.workshop import EXAMPLES, Calls, Chosen, Recorder, Workshop

CODE = '''\
"""Text 1."""
from __future__ import annotations
LIMIT: tuple[1, 2] = 3


@cached(size=4)
def value(x: Literal[5] = 6.0, *, deep=False):
    """Say 7."""
    if not x < 8 and deep:
        raise ValueError("x" + str(x - 9))
    for _ in x:
        continue
    warnings.warn(f"{x + 10}", stacklevel=11)
    x += abs(-x) if deep else np.sum(x, axis=0) // max(x, key=len)
    if x is None:
        return ~x | x**2
    return "a" + f"{x * 12}"
'''


def changes(source):
    return {(one.operator, one.original, one.mutant) for one in find(source, "m.py")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {("comparison", "a < b", "(a <= b)")}),
        ("a in b", {("comparison", "a in b", "(a not in b)")}),
        (
            "a == b != c",
            {("comparison", "a == b != c", f"({new})") for new in ("a != b != c", "a == b == c")},
        ),
        ("a - b", {("arithmetic", "a - b", "(a + b)")}),
        ("a += b", {("arithmetic", "a += b", "a -= b")}),
        ("a and b", {("logic", "a and b", "(a or b)")}),
        ("not a", {("logic", "not a", "(a)")}),
        ("-a", {("sign", "-a", "(a)")}),
        ("a if b else c", {("condition", "a if b else c", "(c if b else a)")}),
        ("0", {("constant", "0", "(1)")}),
        ("3", {("constant", "3", "(4)"), ("constant", "3", "(2)")}),
        ("0.5", {("constant", "0.5", "(1.0)")}),
        ("True", {("constant", "True", "(False)")}),
        ("math.sqrt(a)", {("unwrap", "math.sqrt(a)", "(a)")}),
        ("min(a)", {("function", "min(a)", "(max(a))")}),
        ("a.all()", {("function", "a.all()", "(a.any())")}),
        ("def f():\n    return g(a, b=c)", {("keyword", "g(a, b=c)", "(g(a))")}),
        ("f(a, b=c)", set()),
        ("f(a, dtype=c, strict=True)", set()),
        ("f(axis=0)", {("axis", "f(axis=0)", "(f(axis=1))"), ("constant", "0", "(1)")}),
        ("'a' + b", set()),
        ("for a in b:\n    break", {("exit", "break", "pass")}),
        ("def f():\n    if a:\n        return b\n    return c", {("exit", "return b", "pass")}),
    ],
)
def test_each_operator_makes_its_change(source, expected):
    assert changes(source) == expected


def test_every_mutant_is_one_change_that_compiles():
    found = find(CODE, "m.py")
    assert {one.operator for one in found} == {
        "comparison",
        "arithmetic",
        "logic",
        "sign",
        "condition",
        "constant",
        "unwrap",
        "function",
        "axis",
        "keyword",
        "exit",
    }
    whole = ast.dump(ast.parse(CODE))
    made = [one.apply(CODE) for one in found]
    assert all(ast.dump(ast.parse(source)) != whole for source in made)
    assert len(set(made)) == len(made)


def test_messages_types_docstrings_and_decorators_stay():
    constants = {one.original for one in find(CODE, "m.py") if one.operator == "constant"}
    assert constants == {"3", "6.0", "False", "8", "0", "2"}


def test_a_change_is_made_where_it_stands_whatever_letters_come_before():
    source = "é = 'ü'; a = [1, 1]\n"
    first, second = (one.apply(source) for one in find(source, "m.py"))
    assert first == "é = 'ü'; a = [(2), 1]\n"
    assert second == "é = 'ü'; a = [1, (2)]\n"


def test_a_change_keeps_to_its_place_among_operators():
    (product,) = (one for one in find("a - b * c", "m.py") if one.original == "b * c")
    assert product.apply("a - b * c") == "a - (b / c)"


def test_mutants_are_drawn_alike_from_all_operators_and_again():
    source = "\n".join(f"a{n} = {n}.5" for n in range(50)) + "\nb = c < d\ne = -f\n"
    drawn = draw(find(source, "m.py"), 6)
    assert {one.operator for one in drawn} == {"constant", "comparison", "sign"}
    assert drawn == draw(find(source, "m.py"), 6)
    assert drawn != draw(find(source, "m.py"), 6, seed=SEED + 1)
    # Lines above move all lines, and change no draw.
    moved = draw(find("\n\n" + source, "m.py"), 6)
    assert [one.key for one in moved] == [one.key for one in drawn]


def test_a_draw_does_not_change_when_modules_move_to_another_folder():
    source = "\n".join(f"a{n} = {n}.5" for n in range(50)) + "\nb = c < d\ne = -f\n"
    here, there = (draw(find(source, module), 6) for module in ("a/m.py", "b/c/m.py"))
    assert [one.key[1:] for one in here] == [one.key[1:] for one in there]
    assert here != draw(find(source, "a/other.py"), 6)


def test_equal_changes_of_a_function_are_counted():
    found = find("def f(a):\n    return a + 1 + 1\n\n\ndef g(a):\n    return a + 1\n", "m.py")
    constants = [(one.function, one.nth) for one in found if one.operator == "constant"]
    assert constants == [("f", 0), ("f", 1), ("g", 0)]
    assert len({one.key for one in found}) == len(found)


def test_the_digest_of_a_function_changes_with_its_code_alone():
    def digests(source):
        return {one.function: one.source for one in find(source, "m.py")}

    first = digests("A = 1\n\n\ndef f(a):\n    'Old.'\n    return a < 1\n")
    same = digests("A = 1\nB = 'b'\n\n\ndef f(a):  # as before\n    'New.'\n    return (a < 1)\n")
    other = digests("A = 1\n\n\ndef f(a):\n    'Old.'\n    return a < 2\n")
    assert first == same
    assert first[""] == other[""]
    assert first["f"] != other["f"]


def test_lines_of_code_are_those_that_no_docstring_comment_or_blank_takes():
    assert code_lines(CODE) == 13
    assert code_lines('"""One.\n\nTwo."""\n\n# three\nx = """\ny\n"""\n') == 3


def test_an_equivalent_mutant_that_is_none_any_more_is_refused(tmp_path):
    path = tmp_path / "equivalent.csv"
    header = "module,function,operator,original,mutant,nth,reason\n"

    def read(row, source):
        path.write_text(header + row, encoding="utf-8")
        return stored.read_equivalent(path, lambda module: find(source, module))

    row = "m.py,,comparison,a < b,(a <= b),0,never equal\n"
    assert list(read(row, "x = a < b").values()) == ["never equal"]
    with pytest.raises(SystemExit, match=r"line 2: m\.py has no mutant .*a < b"):
        read(row, "x = a <= b")
    with pytest.raises(SystemExit, match="line 2"):
        read(row.replace("never equal", ""), "x = a < b")


def made(mutant, status="killed"):
    return Outcome(*mutant.key[:2], mutant.line, *mutant.key[2:], mutant.source, status)


def test_outcomes_are_stored_sorted_and_read_again(tmp_path):
    outcomes = [
        Outcome("b.py", "f", 3, "logic", "a or b", "(a and b)", 0, "1a", "survived"),
        Outcome("a.py", "f", 12, "sign", "-a", "(a)", 1, "2b", "equivalent", "", "squared"),
    ]
    stored.write_results(outcomes, tmp_path / "results.csv")
    assert stored.read_results(tmp_path / "results.csv") == outcomes[::-1]
    packages = [Package("io", 120, 2, 0.75)]
    stored.write_packages(packages, tmp_path / "packages.csv")
    assert stored.read_packages(tmp_path / "packages.csv") == packages


@pytest.fixture
def library(tmp_path):
    """Files of a library with a module of 201 lines of code in a planned package."""
    for name, text in {
        "io/long.py": "".join(f"a{n} = {n}.5\n" for n in range(200)) + "b = c < d\n",
        "io/short.py": "def f(a):\n    return a < 1\n",
        "io/exports/left.py": "a = 1\n",
        "course/left.py": "a = 1\n",
        "annobench_datasets/beside.py": "def g(a):\n    return a < 1\n",
    }.items():
        path = tmp_path / ("" if name.startswith("annobench_") else "annobench") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_mutant_is_planned_for_a_hundred_lines_and_one_that_was_run_stays(library):
    first = Plan(library, []).mutants("io")
    assert len(first) == 3  # for 203 lines
    assert {one.module for one in first} <= {"io/long.py", "io/short.py"}
    other = next(one for one in find("b = c < d\n", "io/long.py") if one.operator == "comparison")
    plan = Plan(library, [made(other)])
    assert {one.key for one in plan.mutants("io")} == {one.key for one in [*first, other]}
    assert {package.name: package.planned for package in plan.packages()}["io"] == len(
        plan.mutants("io")
    )


def test_an_outcome_holds_until_the_code_of_its_function_changes(library):
    (one, *_) = find("def f(a):\n    return a < 1\n", "io/short.py")
    plan = Plan(library, [])
    assert plan.holds(made(one))
    assert not plan.holds(replace(made(one), source="another"))
    assert not plan.holds(replace(made(one), function="g"))


def test_an_outcome_follows_its_module_to_another_folder(library):
    (one, *_) = find("def f(a):\n    return a < 1\n", "gone/short.py")
    assert [found.module for found in Plan(library, [made(one)]).outcomes] == ["io/short.py"]
    changed = replace(made(one), source="another")
    assert [found.module for found in Plan(library, [changed]).outcomes] == ["gone/short.py"]
    (one, *_) = find("def g(a):\n    return a < 1\n", "datasets/beside.py")
    (found,) = Plan(library, [made(one)]).outcomes
    assert (found.module, found.package) == ("annobench_datasets/beside.py", "annobench_datasets")


def test_the_page_counts_what_was_planned_run_killed_and_survived():
    outcomes = [
        Outcome("io/a.py", "f", 1, "sign", "-a", "(a)", 0, "1", "killed", "t.py::test"),
        Outcome("io/a.py", "f", 2, "sign", "-b", "(b)", 0, "1", "survived"),
        Outcome("io/a.py", "f", 2, "sign", "-c", "(c)", 0, "1", "equivalent", "", "squared"),
        Outcome("io/b.py", "f", 2, "sign", "-d", "(d)", 0, "1", "timeout"),
        Outcome("studies/c.py", "f", 2, "sign", "-d", "(d)", 0, "1", "survived"),
    ]
    packages = [Package("io", 480, 5, 0.75), Package("core", 30, 1, 0.75)]
    text = stored.page(outcomes, packages, 20)
    assert "| core | 1 | 0 | 0 | 0 | 0 | 0 |  | 75% |" in text
    assert "| io | 5 | 4 | 1 | 1 | 1 | 1 | 66.7% | 75% |" in text
    assert "| studies | 1 | 1 | 0 | 0 | 0 | 1 | 0.0% |  |" in text
    assert "`core` (0 of 1 run), `io` (4 of 5 run)." in text
    assert "Of 7 planned mutants, 5 have been run. The tests kill 2, 1 of these by\ntimeout" in text


@pytest.fixture
def imports(tmp_path):
    """What a small library and its tests import."""
    for name, text in {
        "src/annobench/__init__.py": "",
        "src/annobench/labels/__init__.py": "import lazy_loader\n",
        "src/annobench/labels/table.py": "class Table:\n    pass\n",
        "src/annobench/labels/far.py": "from .table import Table\n",
        "src/annobench/models/__init__.py": "modules = records(__path__)\n",
        "src/annobench/models/votes.py": "from annobench.labels.far import Table\n",
        "tests/unit/test_table.py": "from annobench.labels.table import Table\n",
        "tests/unit/test_by_name.py": "from annobench.labels import Table\n",
        "tests/unit/test_votes.py": "from annobench import models\nmodels.votes.fit()\n",
        "tests/contract/test_models.py": "import annobench.models\n",
        "tests/unit/test_nothing.py": "import numpy\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Imports(tmp_path / "src", tmp_path / "tests")


def test_the_tests_of_a_module_are_those_whose_imports_lead_to_it_the_nearest_first(imports):
    def names(module):
        return [[path.stem for path in paths] for paths in imports.candidates(module)]

    assert names("labels/table.py") == [
        ["test_table", "test_by_name"],
        ["test_votes", "test_models"],
    ]
    assert names("models/votes.py") == [["test_votes"], ["test_models"]]


def test_tests_that_call_a_function_or_a_function_in_it_are_found():
    calls = Calls(
        seconds={"a": 1.0, "b": 2.0, "c": 0.1},
        functions={"a": {"m.py::f"}, "b": {"m.py::f.inner", "m.py::g"}, "c": {"n.py::f"}},
        shared={"m.py::by_fixture"},
    )
    assert calls.of("m.py", "f") == ["a", "b"]
    assert calls.of("m.py", "g") == ["b"]
    assert calls.of("m.py", "by_fixture") == ["a", "b", "c"]
    assert calls.of("m.py", "") == ["a", "b"]
    assert calls.of("m.py", "never") == []


def test_the_recorder_names_the_functions_of_the_library_that_are_called(tmp_path):
    path = tmp_path / "m.py"
    path.write_text("def f():\n    def g():\n        pass\n    g()\n\n\ndef h():\n    pass\n")
    spec = importlib.util.spec_from_file_location("m", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    before = sys.gettrace()
    recorder = Recorder(tmp_path, tmp_path / "trace.jsonl")
    try:
        module.f()
        json.dumps({})
        found = recorder.take()
        thread = threading.Thread(target=module.h)
        thread.start()
        thread.join()
        of_thread = recorder.take()
    finally:
        sys.settrace(before)
        threading.settrace(before)
    assert found == ["m.py::f", "m.py::f.g"]
    assert of_thread == ["m.py::h"]
    assert recorder.take() == []


def test_a_run_with_a_path_of_its_own_is_refused(monkeypatch, tmp_path):
    """Tests would import the library from there, unchanged, and every mutant would survive."""
    monkeypatch.setenv("PYTHONPATH", "src")
    with pytest.raises(SystemExit, match=r"PYTHONPATH is 'src'.*env -u PYTHONPATH"):
        Workshop(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_of_the_tests_collected_those_chosen_run_the_quickest_first(tmp_path):
    items = [SimpleNamespace(nodeid=name) for name in "abcd"]
    chosen = Chosen({"a": 2.0, "d": 0.5, "c": 1.0}, tmp_path / "failed.txt")
    chosen.pytest_collection_modifyitems(None, None, items)
    assert [item.nodeid for item in items] == ["d", "c", "a"]
    chosen.pytest_runtest_logreport(SimpleNamespace(failed=False, nodeid="d"))
    chosen.pytest_runtest_logreport(SimpleNamespace(failed=True, nodeid="c"))
    assert (tmp_path / "failed.txt").read_text() == "c"


def test_the_page_tells_what_is_stored():
    outcomes, packages = stored.read_results(), stored.read_packages()
    assert stored.PAGE.read_text(encoding="utf-8") == stored.page(outcomes, packages, EXAMPLES)


def test_of_all_mutants_and_of_those_of_each_package_wholly_run_enough_are_killed():
    outcomes = stored.read_results()
    assert len(outcomes) >= 150
    assert sum(one.status == "survived" for one in outcomes) <= len(outcomes) / 10
    assert {one.status for one in outcomes} <= set(stored.STATUSES)
    assert all(one.reason for one in outcomes if one.status == "equivalent")
    for package in stored.read_packages():
        run = [one for one in outcomes if one.package == package.name]
        if len(run) < package.planned:
            continue
        alive = sum(one.status == "survived" for one in run)
        different = sum(one.status != "equivalent" for one in run)
        assert alive <= (1 - package.target) * different + 1e-9, package.name
