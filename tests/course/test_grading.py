"""Grading believes no submission, and no submission stops it."""

import json
import time

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.errors import CourseError
from annobench.course import grading
from annobench.course.wire import Foreign, decode, encode
from editions.course_source import read_source, solutions_edition, student_edition

#: A course of submissions is graded, each in a process of its own.
pytestmark = pytest.mark.slow

FIRST = 'import annobench as ab\nsession = ab.course.session("00_example", student="{student}")\n'
RIGHT = """
m = session.given("0.1")["matrix"]
session.check("0.1", m.trace() / m.sum())
"""
#: What ends a notebook's process, or keeps it from saying anything more.
FATAL = {
    "ends": "import os; os._exit(0)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "closes all": "import os\nos.closerange(3, 100)",
    "is long": "session.check('0.2', list(range(3_000_000)))",
    "returns much": "session.check('0.4', lambda *a: 'x' * 10_000_000)",
    "asks often": "for _ in range(100): session.check('0.2', 0)",
}
#: What is done in one notebook, which goes on.
ODD = [
    "raise SystemExit",
    'print("x" * 50_000_000)',
    "x = [bytearray(1 << 28) for _ in range(1000)]",
    "import os\nfor _ in range(5): os.fork()",
    "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "x = []\nfor _ in range(100000): x = [x]\nsession.check('0.2', x)",
    "session.check('0.4', lambda *a: object())",
    "session.check('0.2', object())",
    "session.check('0.2', 10**5000)",
    "import os\nfor n in range(3, 30):\n    try: os.write(n, b'{[' * 1000 + b'\\n[]\\n')\n"
    "    except OSError: pass",
    "session.check('0.2', 1)  # read with the nonsense before it",
]
#: None of these makes an answer right.
FORGERIES = [
    "class S:\n    def check(self, *a): return 'passed'\nS().check('0.1', 1)",
    "import annobench.course.outcomes as o\no.Checked.passed = True\nsession.check('0.1', 1)",
    "session.exercises['0.4'].__dict__['reference'] = len\n"
    "import annobench.course.functions as f\nf.same = lambda *a: True\n"
    "session.check('0.4', lambda one, other: 2)",
    "import annobench.course.numbers as n\n"
    "n.Number.right_answer = lambda self, given: 1.0\nsession.check('0.1', 1)",
    "class E(float):\n    def __eq__(self, o): return True\n    __hash__ = None\n"
    "session.check('0.4', lambda one, other: E(2))",
    "open('../grades.csv', 'w').write('Ann,0.1,True')",
    "session.check('0.99', 1)",
    "s = ab.course.session('00_example', student='Zoe')\nm = s.given('0.1')['matrix']\n"
    "s.check('0.1', m.trace() / m.sum())",
    "import os, json\n"
    "line = json.dumps({'kind': 'checked', 'passed': True, 'message': '', 'mistake': None})\n"
    "for n in range(3, 30):\n    try: os.write(n, line.encode() + b'\\n')\n"
    "    except OSError: pass\nsession.check('0.1', 1)",
    "session.check = lambda *a: True\nsession.check('0.1', 1)",
]
NOT_NOTEBOOKS = {
    "text": b"this is no notebook",
    "bytes": bytes(range(256)) * 10,
    "list": b"[1, 2]",
    "<script>": json.dumps({"cells": [{"cell_type": "code"}]}).encode(),
    "plain": b'{"cells": []}',
}


def write(folder, name, *cells, student="Ann"):
    path = folder / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    sources = [FIRST.format(student=student), *cells]
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)


def passed(table):
    return set(table.loc[table["passed"], "exercise"])


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    path = tmp_path_factory.mktemp("teacher") / "victim.txt"
    path.write_text("kept")
    return path


@pytest.fixture(scope="module")
def graded(tmp_path_factory, other_processes, results, example_source, victim):
    """Everything graded at once, as a teacher does; the table by file."""
    folder = tmp_path_factory.mktemp("submissions")
    source = read_source(example_source)
    nbformat.write(solutions_edition(source, results), folder / "full.ipynb")
    nbformat.write(student_edition(source, results), folder / "empty.ipynb")
    for name, code in FATAL.items():
        write(folder, name, RIGHT, code, 'session.check("0.3", 0.5)', student=name)
    write(folder, "odd", RIGHT, *ODD, student="[bold]odd")
    write(folder, "forged", *FORGERIES, student="forger")
    for name, content in NOT_NOTEBOOKS.items():
        (folder / f"{name}.ipynb").write_bytes(content)
    (folder / "folder.ipynb").mkdir()
    (folder / "link.ipynb").symlink_to("/dev/zero")
    write(folder, "formula", RIGHT, student="=HYPERLINK(1)\\n<b>[red]" + "x" * 5000)
    write(folder / "one", "twin", RIGHT, student="twin")
    write(folder / "two", "twin", RIGHT, student="twin")
    write(
        folder,
        "reaching out",
        "open('mine.txt', 'w').write('x')",
        f"open({str(victim)!r}, 'w').write('x')",
        f"import os; os.remove({str(victim)!r})",
        "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
        "import subprocess; subprocess.run(['true'])",
        student="reaching",
    )
    done = CliRunner().invoke(app, ["course", "grade", str(folder)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(folder / "grades.csv", keep_default_na=False, dtype={"exercise": str})
    assert table.columns.tolist() == list(grading.COLUMNS)
    return done.output, dict(list(table.groupby("file")))


def test_the_solutions_pass_and_the_empty_edition_does_not(graded):
    output, tables = graded
    assert passed(tables["full.ipynb"]) == {f"0.{n}" for n in range(1, 7)}
    assert passed(tables["empty.ipynb"]) == set()
    assert tables["empty.ipynb"]["message"].str.contains("Hint").all()
    assert "full.ipynb (your name or ID): 6 of 6 passed" in output


@pytest.mark.parametrize("name", FATAL)
def test_a_notebook_that_ends_keeps_what_it_had(graded, name):
    table = graded[1][f"{name}.ipynb"]
    assert len(table) == 6
    assert passed(table) == {"0.1"}
    assert set(table["student"]) == {name}
    last = table.set_index("exercise").loc["0.6", "message"]
    ended = ("ended its process", "too long", "more than 20 times")
    assert any(words in last for words in ended), last


def test_a_notebook_that_does_odd_things_goes_on(graded):
    output, tables = graded
    table = tables["odd.ipynb"].set_index("exercise")
    assert passed(table.reset_index()) == {"0.1"}
    assert set(table["student"]) == {"[bold]odd"}
    assert "not the number" in table.loc["0.2", "message"] or "Give" in table.loc["0.2", "message"]
    assert "odd.ipynb ([bold]odd): 1 of 6 passed" in output


def test_a_forged_result_does_not_count(graded):
    table = graded[1]["forged.ipynb"]
    assert len(table) == 6
    assert passed(table) == set()
    assert set(table["student"]) == {"forger"}


@pytest.mark.parametrize("name", [*NOT_NOTEBOOKS, "folder"])
def test_what_is_no_notebook_has_one_row(graded, name):
    table = graded[1][f"{name}.ipynb"]
    assert table["exercise"].tolist() == [""]
    assert len(table["message"].iloc[0]) > 20


def test_a_link_is_left_out(graded):
    assert "link.ipynb" not in graded[1]


def test_a_name_is_one_line_and_no_formula(graded):
    [student] = set(graded[1]["formula.ipynb"]["student"])
    assert student.startswith("'=HYPERLINK(1) <b>[red]xxx")
    assert len(student) <= 101


def test_two_notebooks_of_one_name_are_marked(graded):
    for path in ("one/twin.ipynb", "two/twin.ipynb"):
        assert graded[1][path]["message"].str.contains("Several notebooks").all()
        assert passed(graded[1][path]) == {"0.1"}
    assert not graded[1]["odd.ipynb"]["message"].str.contains("Several").any()


def test_a_submission_writes_only_in_its_own_folder_and_reaches_nobody(graded, victim):
    assert victim.read_text() == "kept"
    failed = graded[1]["reaching out.ipynb"]["message"].iloc[0]
    assert "fail: " + ", ".join(f"{n} (PermissionError)" for n in range(3, 7)) in failed


def test_messages_are_short(graded):
    assert max(table["message"].str.len().max() for table in graded[1].values()) <= 600


def test_time_is_limited(tmp_path, other_processes):
    stubborn = "while 1:\n    try: time.sleep(9)\n    except BaseException: pass"
    write(tmp_path, "a", RIGHT, f"import time\n{stubborn}")
    start = time.monotonic()
    table = grading.grade(tmp_path, seconds=30)
    assert 30 < time.monotonic() - start < 40
    assert passed(table) == {"0.1"}
    assert "stopped after 30 seconds" in table["message"].iloc[-1]


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_notebooks_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CourseError, match=r"no such folder|no notebook"):
        grading.grade(tmp_path / name)
    done = CliRunner().invoke(app, ["course", "grade", str(tmp_path / name)])
    assert done.exit_code == 1


def test_values_come_through_unchanged_and_objects_do_not():
    value = {"a": (1, 2.5, None, "x", ..., True), "b": [float("inf"), {3, 4}]}
    assert decode(encode(value)) == value
    assert decode(encode(print)) == Foreign("function")
    assert decode(encode(1j)) == Foreign("complex")
    assert decode(encode(pd.DataFrame({"x": [1, 2]}))).tolist() == [[1], [2]]


@pytest.mark.parametrize(
    "text", ["", "{}", '{"set": [[]]}', '{"array": [[1], 2], "kind": "f"}', "9" * 10_000]
)
def test_a_malformed_value_is_refused(text):
    with pytest.raises(ValueError, match="malformed"):
        decode(text)
