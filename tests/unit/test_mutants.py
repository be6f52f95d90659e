"""Mutants are single changes that compile, are drawn alike twice, and are told on the page."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
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


@pytest.fixture(scope="module")
def mutants():
    path = TOP / "tests" / "mutants" / "mutants.py"
    spec = importlib.util.spec_from_file_location("annobench_mutants", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def changes(mutants, source):
    return {(one.operator, one.original, one.mutant) for one in mutants.find(source, "m.py")}


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
def test_each_operator_makes_its_change(mutants, source, expected):
    assert changes(mutants, source) == expected


def test_every_mutant_is_one_change_that_compiles(mutants):
    found = mutants.find(CODE, "m.py")
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


def test_messages_types_docstrings_and_decorators_stay(mutants):
    constants = {one.original for one in mutants.find(CODE, "m.py") if one.operator == "constant"}
    assert constants == {"3", "6.0", "False", "8", "0", "2"}


def test_a_change_is_made_where_it_stands_whatever_letters_come_before(mutants):
    source = "é = 'ü'; a = [1, 1]\n"
    first, second = (one.apply(source) for one in mutants.find(source, "m.py"))
    assert first == "é = 'ü'; a = [(2), 1]\n"
    assert second == "é = 'ü'; a = [1, (2)]\n"


def test_a_change_keeps_to_its_place_among_operators(mutants):
    (product,) = (one for one in mutants.find("a - b * c", "m.py") if one.original == "b * c")
    assert product.apply("a - b * c") == "a - (b / c)"


def test_mutants_are_drawn_alike_from_all_operators_and_again(mutants):
    source = "\n".join(f"a{n} = {n}.5" for n in range(50)) + "\nb = c < d\ne = -f\n"
    drawn = mutants.draw(mutants.find(source, "m.py"), 6)
    assert {one.operator for one in drawn} == {"constant", "comparison", "sign"}
    assert drawn == mutants.draw(mutants.find(source, "m.py"), 6)
    assert drawn != mutants.draw(mutants.find(source, "m.py"), 6, seed=mutants.SEED + 1)
    # Lines above move all lines, and change no draw.
    moved = mutants.draw(mutants.find("\n\n" + source, "m.py"), 6)
    assert [one.key for one in moved] == [one.key for one in drawn]


def test_an_equivalent_mutant_that_is_none_any_more_is_refused(mutants, tmp_path):
    path = tmp_path / "equivalent.csv"
    header = "module,function,operator,original,mutant,reason\n"

    def read(row, source):
        path.write_text(header + row, encoding="utf-8")
        return mutants.read_equivalent(path, lambda module: mutants.find(source, module))

    row = "m.py,,comparison,a < b,(a <= b),never equal\n"
    assert list(read(row, "x = a < b").values()) == ["never equal"]
    with pytest.raises(SystemExit, match=r"line 2: m\.py has no mutant .*a < b"):
        read(row, "x = a <= b")
    with pytest.raises(SystemExit, match="line 2"):
        read(row.replace("never equal", ""), "x = a < b")


def test_outcomes_are_stored_and_read_again(mutants, tmp_path):
    outcomes = [
        mutants.Outcome("b.py", "f", 3, "logic", "a or b", "(a and b)", "survived"),
        mutants.Outcome("a.py", "f", 12, "sign", "-a", "(a)", "equivalent", "squared"),
    ]
    mutants.write_results(outcomes, tmp_path / "results.csv")
    assert mutants.read_results(tmp_path / "results.csv") == outcomes[::-1]


def test_the_page_tells_what_is_stored(mutants):
    outcomes = mutants.read_results()
    assert mutants.PAGE.read_text(encoding="utf-8") == mutants.page(outcomes)


def test_of_three_hundred_mutants_or_more_nineteen_in_twenty_are_noticed(mutants):
    outcomes = mutants.read_results()
    alive = [one for one in outcomes if one.status == "survived"]
    assert len(outcomes) >= 300
    assert len(alive) <= len(outcomes) / 20
    assert {one.status for one in outcomes} <= {"killed", "timeout", "equivalent", "survived"}
    assert all(one.reason for one in outcomes if one.status == "equivalent")


def test_every_module_with_mutants_names_tests_that_are_there(mutants):
    rows = mutants.read_table(TOP / "tests" / "mutants" / "modules.csv")
    assert rows
    for row in rows:
        assert (mutants.SOURCE / row["module"]).is_file(), row["module"]
        tests = row["tests"].replace(";", " ").replace("--deselect=", "").split()
        paths = [test.partition("::")[0] for test in tests]
        assert paths, row["module"]
        assert all((TOP / path).is_file() for path in paths), row["module"]
