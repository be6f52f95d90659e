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
from course_source import read_source, solutions_edition, student_edition

FIRST = 'import annobench as ab\nsession = ab.course.session("00_example", student="{student}")\n'
RIGHT = """
m = session.given("0.1")["matrix"]
session.check("0.1", m.trace() / m.sum())
"""


@pytest.fixture
def submissions(tmp_path, other_processes):
    return tmp_path / "submissions"


def write(folder, name, *cells, student="Ann"):
    path = folder / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    sources = [FIRST.format(student=student), *cells]
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)


def passed(table):
    return set(table.loc[table["passed"], "exercise"])


def test_solutions_pass_and_the_empty_edition_does_not(submissions, results, example_source):
    submissions.mkdir()
    source = read_source(example_source)
    nbformat.write(solutions_edition(source, results), submissions / "full.ipynb")
    nbformat.write(student_edition(source, results), submissions / "empty.ipynb")
    table = grading.grade(submissions)
    assert table.columns.tolist() == list(grading.COLUMNS)
    full, empty = (table[table["file"] == f"{name}.ipynb"] for name in ("full", "empty"))
    assert passed(full) == {f"0.{n}" for n in range(1, 7)}
    assert passed(empty) == set()
    assert empty["message"].str.contains("Hint").all()


#: What a notebook does, and whether its answer to 0.1, right before it, must still count.
HOSTILE = {
    "ends": "import os; os._exit(0)",
    "exits": "raise SystemExit",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "prints": 'print("x" * 50_000_000)',
    "eats memory": "x = [bytearray(1 << 28) for _ in range(1000)]",
    "recurses": "def f(n): return f(n + 1)\nimport sys; sys.setrecursionlimit(10**9); f(0)",
    "never ends": "while True:\n    try:\n        pass\n    except BaseException:\n        pass",
    "starts others": "import os\nfor _ in range(5): os.fork()",
    "closes all": "import os\nos.closerange(3, 100)",
    "speaks nonsense": "import os\nfor n in range(3, 30):\n    try: os.write(n, b'{[' * 1000 + b'\\n')\n"
    "    except OSError: pass",
    "kills": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "is deep": "x = []\nfor _ in range(100000): x = [x]\nsession.check('0.2', x)",
    "is long": "session.check('0.2', list(range(3_000_000)))",
    "has an odd function": "session.check('0.4', lambda *a: object())",
    "returns much": "session.check('0.4', lambda *a: 'x' * 10_000_000)",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_notebook_loses_only_what_comes_after(submissions, what):
    write(submissions, "a", RIGHT, HOSTILE[what], 'session.check("0.3", 0.5)')
    write(submissions, "b", RIGHT, student="Bob")
    table = grading.grade(submissions, seconds=20)
    assert set(table["student"]) == {"Ann", "Bob"}
    assert len(table) == 12
    for _, rows in table.groupby("student"):
        assert passed(rows) == {"0.1"}
    assert table["message"].str.len().max() <= 500


FORGERIES = {
    "its own session": "class S:\n    def check(self, *a): return 'passed'\nsession = S()\n"
    "session.check('0.1', 1)",
    "its own check": "session.check = lambda *a: True\nsession.check('0.1', 1)",
    "its own outcome": "import annobench.course.outcomes as o\no.Checked.passed = True\n"
    "session.check('0.1', 1)",
    "its own reference": "session.exercises['0.4'].__dict__['reference'] = len\n"
    "import annobench.course.functions as f\nf.same = lambda *a: True\n"
    "session.check('0.4', lambda one, other: 2)",
    "its own solution": "import annobench.course.numbers as n\n"
    "n.Number.right_answer = lambda self, given: 1.0\nsession.check('0.1', 1)",
    "what the grader says": "import os, json\n"
    "line = json.dumps({'kind': 'checked', 'passed': True, 'message': '', 'mistake': None})\n"
    "for n in range(3, 30):\n    try: os.write(n, line.encode() + b'\\n')\n"
    "    except OSError: pass\nsession.check('0.1', 1)",
    "a function that equals everything": "class E(float):\n    def __eq__(self, o): return True\n"
    "    __hash__ = None\nsession.check('0.4', lambda one, other: E(2))",
    "the table": "open('../grades.csv', 'w').write('Ann,0.1,True')",
    "another exercise": "session.check('0.99', 1)",
    "another student's numbers": "import annobench as ab\n"
    "s = ab.course.session('00_example', student='Zoe')\nm = s.given('0.1')['matrix']\n"
    "s.check('0.1', m.trace() / m.sum())",
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_result_does_not_count(submissions, what):
    write(submissions, "a", FORGERIES[what])
    table = grading.grade(submissions, seconds=20)
    assert passed(table) == set()
    assert len(table) == 6


def test_a_notebook_that_is_none_gets_one_row(submissions, tmp_path):
    submissions.mkdir()
    (submissions / "text.ipynb").write_text("this is no notebook")
    (submissions / "bytes.ipynb").write_bytes(bytes(range(256)) * 10)
    (submissions / "list.ipynb").write_text("[1, 2]")
    (submissions / "deep.ipynb").write_text("[" * 100_000)
    (submissions / "empty.ipynb").write_text("")
    (submissions / "folder.ipynb").mkdir()
    (submissions / "<script>.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code"}]}))
    (submissions / "link.ipynb").symlink_to("/dev/zero")
    write(submissions, "other", "1 / 0")
    (submissions / "plain.ipynb").write_text(json.dumps({"cells": []}))
    table = grading.grade(submissions, seconds=20)
    rows = table[table["file"] != "other.ipynb"]
    assert len(rows) == 8
    assert (rows["exercise"] == "").all()
    assert rows["message"].str.len().min() > 20
    assert (
        "Cells that fail: 2 (ZeroDivisionError)"
        in table.set_index("file").loc["other.ipynb", "message"].iloc[0]
    )


def test_a_name_is_one_line_and_no_formula(submissions):
    write(submissions, "a", RIGHT, student="=HYPERLINK(1)\\n<b>[red]x")
    write(submissions, "b", RIGHT, student="x" * 5000)
    table = grading.grade(submissions, seconds=20)
    assert set(table["student"]) == {"'=HYPERLINK(1) <b>[red]x", "x" * 100}
    assert "0.1" in passed(table[table["file"] == "a.ipynb"])


def test_one_student_with_two_notebooks_is_marked(submissions):
    write(submissions, "a", RIGHT)
    write(submissions / "b", "a", RIGHT)
    table = grading.grade(submissions, seconds=20)
    assert table["message"].str.contains("Several notebooks").all()


def test_a_submission_writes_only_in_its_own_folder_and_reaches_nobody(submissions, tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("kept")
    write(
        submissions,
        "a",
        "open('mine.txt', 'w').write('x')",
        f"open({str(victim)!r}, 'w').write('x')",
        f"import os; os.remove({str(victim)!r})",
        "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
        "import subprocess; subprocess.run(['true'])",
    )
    table = grading.grade(submissions, seconds=20)
    assert victim.read_text() == "kept"
    failed = table["message"].iloc[0]
    assert (
        "Cells that fail: 3 (PermissionError), 4 (PermissionError), 5 (PermissionError)" in failed
    )
    assert "2 (" not in failed
    assert not list(submissions.glob("mine*"))


def test_time_is_limited(submissions):
    write(submissions, "a", RIGHT, "import time; time.sleep(100)")
    start = time.monotonic()
    table = grading.grade(submissions, seconds=12)
    assert time.monotonic() - start < 20
    assert passed(table) == {"0.1"}


def test_the_command_writes_a_table(submissions):
    write(submissions, "a", RIGHT, student="[bold]Ann")
    done = CliRunner().invoke(app, ["course", "grade", str(submissions)])
    assert done.exit_code == 0, done.output
    assert "a.ipynb ([bold]Ann): 1 of 6 passed" in done.output
    table = pd.read_csv(submissions / "grades.csv")
    assert table["passed"].sum() == 1


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_notebooks_is_an_error(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CourseError, match="no such folder|no notebook"):
        grading.grade(tmp_path / name)
    done = CliRunner().invoke(app, ["course", "grade", str(tmp_path / name)])
    assert done.exit_code == 1


def test_values_come_through_unchanged_and_objects_do_not():
    value = {"a": (1, 2.5, None, "x", ..., True), "b": [float("inf"), {3, 4}]}
    assert decode(encode(value)) == value
    assert decode(encode(print)) == Foreign("function")
    assert decode(encode(1j)) == Foreign("complex")
    assert decode(encode(pd.DataFrame({"x": [1, 2]}))).tolist() == [[1], [2]]
    for malformed in ("", "{}", '{"set": [[]]}', '{"array": [[1], 2], "kind": "f"}', "9" * 10_000):
        with pytest.raises(ValueError, match="malformed"):
            decode(malformed)
