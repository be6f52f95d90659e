"""Grading believes no submission, and no submission stops it."""

import json
import time

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

from annobench.cli import app
from annobench_course.errors import CourseError
from annobench_course.student import NOBODY
from annobench_course.teacher import grading
from annobench_course.teacher.wire import Foreign, decode, encode
from editions.course_source import read_source, solutions_edition, student_edition

#: A course of submissions is graded, each in a process of its own.
pytestmark = pytest.mark.slow

FIRST = """
import annobench_course as course
session = course.session("00_example", student="{student}")
"""
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
    "import annobench_course.outcomes as o\no.Checked.passed = True\nsession.check('0.1', 1)",
    "session.exercises['0.4'].__dict__['reference'] = len\n"
    "import annobench_course.functions as f\nf.same = lambda *a: True\n"
    "session.check('0.4', lambda one, other: 2)",
    "import annobench_course.numbers as n\n"
    "n.Number.right_answer = lambda self, given: 1.0\nsession.check('0.1', 1)",
    "class E(float):\n    def __eq__(self, o): return True\n    __hash__ = None\n"
    "session.check('0.4', lambda one, other: E(2))",
    "session.check('0.99', 1)",
    "s = course.session('00_example', student='Zoe')\nm = s.given('0.1')['matrix']\n"
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
    answered = table[table["exercise"] != grading.TOTAL]
    return set(answered.loc[answered["passed"] == 1, "exercise"])


def total(table):
    [row] = table[table["exercise"] == grading.TOTAL].to_dict("records")
    return row


@pytest.fixture(scope="module")
def graded(tmp_path_factory, other_processes, results, example_source):
    """Everything graded at once, as a teacher does; the table by file."""
    folder = tmp_path_factory.mktemp("submissions")
    source = read_source(example_source)
    for name, edition in (("full", solutions_edition), ("empty", student_edition)):
        notebook = edition(source, results)
        nbformat.write(notebook, folder / f"unnamed {name}.ipynb")
        for cell in notebook.cells:
            cell.source = cell.source.replace(NOBODY, name)
        nbformat.write(notebook, folder / f"{name}.ipynb")
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
    done = CliRunner().invoke(app, ["course", "grade", str(folder)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(folder / "grades.csv", keep_default_na=False, dtype={"exercise": str})
    assert table.columns.tolist() == list(grading.COLUMNS)
    return done.output, dict(list(table.groupby("file")))


def test_the_solutions_pass_and_the_empty_edition_does_not(graded):
    output, tables = graded
    assert passed(tables["full.ipynb"]) == {f"0.{n}" for n in range(1, 7)}
    assert passed(tables["empty.ipynb"]) == set()
    assert not tables["empty.ipynb"]["message"].str.contains("Hint").any()
    assert "full.ipynb (full): 6 of 6 passed" in output
    assert (total(tables["full.ipynb"])["passed"], total(tables["full.ipynb"])["of"]) == (6, 6)


def test_a_notebook_without_a_name_is_refused(graded):
    for name in ("full", "empty"):
        table = graded[1][f"unnamed {name}.ipynb"]
        assert table["passed"].tolist() == [0]
        assert "Put in the name" in table["message"].iloc[0]


@pytest.mark.parametrize("name", FATAL)
def test_a_notebook_that_ends_keeps_what_it_had(graded, name):
    table = graded[1][f"{name}.ipynb"]
    assert len(table) == 7
    assert passed(table) == {"0.1"}
    assert total(table)["passed"] == 1
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
    assert len(table) == 7
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


def test_messages_are_short(graded):
    assert max(table["message"].str.len().max() for table in graded[1].values()) <= 600


#: What no limit within its process stops.
STUBBORN = """
import signal, time
for alarm in (signal.SIGALRM, signal.SIGPROF):
    signal.signal(alarm, signal.SIG_IGN)
while True:
    {}
"""


def test_time_is_limited(tmp_path, other_processes, monkeypatch):
    write(tmp_path, "a", RIGHT, STUBBORN.format("time.sleep(9)"))
    monkeypatch.setattr(grading, "compile_apart", lambda: None)
    monkeypatch.setattr(grading, "ELAPSED_PER_SECOND", 1)
    start = time.monotonic()
    table = grading.grade(tmp_path, seconds=45)
    assert 45 < time.monotonic() - start < 90
    assert passed(table) == {"0.1"}
    assert "stopped after 45 seconds by the clock" in table["message"].iloc[-1]


def test_time_on_a_processor_is_limited(tmp_path, other_processes, monkeypatch):
    write(tmp_path, "a", RIGHT, STUBBORN.format("pass"))
    monkeypatch.setattr(grading, "compile_apart", lambda: None)
    monkeypatch.setattr(grading, "ELAPSED_PER_SECOND", 100)  # however busy the computer is
    table = grading.grade(tmp_path, seconds=15)
    assert passed(table) == {"0.1"}
    assert "15 seconds on a processor" in table["message"].iloc[-1]


def test_time_that_others_have_the_processor_is_not_counted(tmp_path, other_processes, monkeypatch):
    # A notebook that sleeps is one that waits for its turn: 24 seconds, of 15
    cells = [f"import time\ntime.sleep({seconds})" for seconds in (12, 12)]
    write(tmp_path, "a", *cells, RIGHT)
    monkeypatch.setattr(grading, "compile_apart", lambda: None)
    table = grading.grade(tmp_path, seconds=15)
    assert passed(table) == {"0.1"}
    assert total(table)["message"] == ""


#: Right in Jupyter, by the syntax of IPython.
OF_IPYTHON = [
    "%matplotlib inline\n%config InlineBackend.figure_format = 'svg'\n"
    "m = session.given('0.1')['matrix']",
    "answer = (m.trace()\n    / m.sum()\n    % 1)\nsession.check('0.1', answer)",
    "m, n = session.given('0.2')['matrix'], 1",
    "%time expected = m.sum(axis=1) @ m.sum(axis=0) / m.sum() ** 2\nsession.check('0.2', expected)",
    "listed = !echo 1",
    "%%capture said\nobserved = m.trace() / m.sum()",
    "session.check('0.3', (observed - expected) / (int(listed[0]) - expected))",
    "%cd /nowhere\n?len\nsession?",
]


def test_cells_are_run_as_ipython_runs_them(tmp_path, other_processes):
    write(tmp_path, "a", *OF_IPYTHON)
    table = grading.grade(tmp_path)
    assert passed(table) == {"0.1", "0.2", "0.3"}
    assert total(table)["message"] == ""


def test_the_last_answer_counts_and_none_is_told_what_comes_of_it(tmp_path, other_processes):
    guess = "for letter in 'abc':\n    if session.check('0.5', letter).passed: break"
    rounds = "for letter in 'abcabc': session.check('0.5', letter)"
    for name in "pqrstuvw":
        write(tmp_path, name, RIGHT, "session.check('0.1', 0)", guess, student=name)
        write(tmp_path, name * 2, RIGHT, rounds, student=name * 2)
    tables = dict(list(grading.grade(tmp_path).groupby("file")))
    assert all("0.1" not in passed(tables[f"{name}.ipynb"]) for name in "pqrstuvw")
    assert all("0.1" in passed(tables[f"{name * 2}.ipynb"]) for name in "pqrstuvw")
    for times in (1, 2):
        found = ["0.5" in passed(tables[f"{name * times}.ipynb"]) for name in "pqrstuvw"]
        assert 0 < sum(found) < 8, "as often as the first letter, or the last, is right"


def test_a_cell_that_failed_leaves_no_earlier_answer(tmp_path, other_processes):
    answer = "answer = m.trace() / m.sum()"
    write(
        tmp_path,
        "a",
        "m = session.given('0.1')['matrix']\n" + answer,
        "answer = 1 / 0",
        "session.check('0.1', answer)",
        f"{answer}\n1 / 0",
        "session.check('0.1', answer)",
        answer,
        "answer = (m.trace() /",
        "session.check('0.1', answer)",
    )
    table = grading.grade(tmp_path)
    assert passed(table) == set()
    assert "4 (NameError), 5 (ZeroDivisionError), 6 (NameError)" in total(table)["message"]


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
    single = [np.float32(1 / 3), np.ones(2, np.float32)]
    assert [part.dtype for part in decode(encode(single))] == [np.float32, np.float32]
    assert decode(encode(print)) == Foreign("function")
    assert decode(encode(1j)) == Foreign("complex")
    assert decode(encode(pd.DataFrame({"x": [1, 2]}))).tolist() == [[1], [2]]


@pytest.mark.parametrize(
    "text", ["", "{}", '{"set": [[]]}', '{"array": [[1], 2], "kind": "f"}', "9" * 10_000]
)
def test_a_malformed_value_is_refused(text):
    with pytest.raises(ValueError, match="malformed"):
        decode(text)


READS = """
import annobench as ab
import annobench_course as course
session = course.session("11_spans", student="Ann")
marks = ab.io.select_layer(ab.io.read_export(session.folder / "corpus")).marks
assert "anesthesia" in ab.datasets.names()
"""


def test_a_submission_has_the_readers_and_data_sets_of_other_packages(tmp_path):
    nbformat.write(new_notebook(cells=[new_code_cell(READS)]), tmp_path / "reads.ipynb")
    done = CliRunner().invoke(app, ["course", "grade", str(tmp_path)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "grades.csv", keep_default_na=False, dtype={"exercise": str})
    assert "fail" not in total(table)["message"]
