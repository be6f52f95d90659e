"""The bank: enough questions, each with numbers of the student's own and a solution."""

import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.errors import CourseError
from annobench.course import bank
from annobench.course.texts import fill, table

STUDENTS = ["Ann", "李 明", "s3141592"]


def test_a_session_adds_at_least_six_questions(lesson):
    listed = bank.catalogue([lesson.id])
    enough = 1 if lesson.id == "00_example" else 6
    assert sum(id in lesson.bank for id in listed.index) == len(lesson.bank) >= enough


@pytest.mark.parametrize("student", STUDENTS)
def test_a_question_stands_alone_and_has_its_solution(lesson, student):
    for id in bank.catalogue([lesson.id]).index:
        asked = bank.question(id, student)
        assert len(asked.text) > 20, id
        assert asked.answer, id
        assert asked.solution.strip(), id
        for text in (asked.text, asked.solution):
            assert not re.search(r"[{}$]|session\.|\bnan\b|array\(", text), f"{id}: {text}"


def test_numbers_differ_between_students_and_from_the_notebook(lesson):
    varied = 0
    listed = bank.catalogue([lesson.id])
    for id in listed.index:
        texts = {repr(bank.question(id, student)) for student in STUDENTS}
        varied += len(texts) > 1
        assert bank.question(id, "Ann") == bank.question(id, "Ann")
    assert varied >= 0.8 * len(listed)


def test_an_exam_is_written_for_every_student(tmp_path):
    students = tmp_path / "students.txt"
    students.write_text("Ann\n\n <b>Bob</b> \n")
    command = ["course", "exam", str(students), "--out", str(tmp_path / "exam")]
    done = CliRunner().invoke(app, [*command, "--questions", "3", "--session", "00_example"])
    assert done.exit_code == 0, done.output
    assert "3 questions for 2 students" in done.output
    answers = pd.read_csv(tmp_path / "exam" / "answers.csv", dtype=str)
    assert answers["student"].tolist() == ["Ann"] * 3 + ["<b>Bob</b>"] * 3
    page = (tmp_path / "exam" / "exam_002.html").read_text()
    solutions = (tmp_path / "exam" / "solutions.html").read_text()
    assert "&lt;b&gt;Bob&lt;/b&gt;" in page
    assert "<b>Bob" not in page + solutions
    assert 'class="solution"' not in page
    for answer in answers["answer"]:
        assert answer in solutions
    assert [p.name for p in sorted((tmp_path / "exam").iterdir())] == [
        ".annobench.json",
        "answers.csv",
        "exam_001.html",
        "exam_002.html",
        "solutions.html",
    ]


def test_tables_of_an_exam_have_no_empty_title_and_scroll_by_the_keyboard(tmp_path):
    bank.write_bank(tmp_path / "bank.html", "Ann")
    page = (tmp_path / "bank.html").read_text()
    assert page.count("<table") == page.count('<table tabindex="0"') > 0
    assert "<th></th>" not in page


def test_questions_are_spread_over_the_sessions_and_the_same_each_time():
    listed = bank.catalogue()
    n = listed["session"].nunique()
    chosen = bank.choose(n, rng=1)
    assert listed.loc[chosen, "session"].nunique() == n
    assert chosen == bank.choose(n, rng=1)
    assert len(bank.choose(len(listed))) == len(listed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: bank.choose(0), r"between 1 and"),
        (lambda folder: bank.choose(10**6), r"between 1 and"),
        (lambda folder: bank.question("0.99", "Ann"), r"no question '0\.99'"),
        (lambda folder: bank.catalogue(["01_chanc"]), r"no session '01_chanc'"),
        (lambda folder: bank.write_exam([], folder), r"no student"),
        (lambda folder: bank.write_exam(["Ann", "Ann "], folder), r"more than once: Ann"),
    ],
)
def test_what_can_not_be_is_refused(tmp_path, call, message):
    with pytest.raises(CourseError, match=message):
        call(tmp_path)


def test_a_text_is_filled():
    given = {"share": 1 / 3, "matrix": [[1, 2]], "name": "Ann"}
    assert fill("{share:.2f} of {matrix} for {name}", given) == "0.33 of [[1, 2]] for Ann"
    assert fill(lambda values: values["name"], given) == "Ann"
    assert "| x | 1 | 2 |" in table([[1, 2]], rows=["x"], columns=["a", "b"])
