"""The bank: enough questions, each with numbers of the student's own and a solution."""

import re
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench_course.errors import CourseError
from annobench_course.teacher import exams
from annobench_course.teacher.questions import ChoiceQuestion
from annobench_course.teacher.secret import Secret, read_secret
from annobench_course.texts import fill, table

STUDENTS = ["Ann", "李 明", "s3141592"]
SECRET, OTHER = Secret("a secret of the tests"), Secret("another secret of theirs")


@pytest.fixture
def questions(lesson):
    """The session's questions, which one of a teacher's own may lack."""
    if not lesson.bank and not lesson.is_ours:
        pytest.skip("this session has no bank.py")
    return exams.catalogue([lesson.id])


def test_a_session_of_ours_adds_at_least_six_questions(lesson, questions):
    assert list(questions.index) == list(lesson.bank)
    assert len(lesson.bank) >= (6 if lesson.is_ours else 1)
    assert not set(lesson.bank) & set(lesson.exercises), "exams draw from the bank alone"


@pytest.mark.parametrize("student", STUDENTS)
def test_a_question_stands_alone_and_has_its_solution(questions, student):
    for id in questions.index:
        asked = exams.question(id, student, SECRET)
        assert len(asked.text) > 20, id
        assert asked.answer, id
        assert asked.solution.strip(), id
        for text in (asked.text, asked.solution):
            assert not re.search(r"[{}$]|session\.|\bnan\b|array\(", text), f"{id}: {text}"


def test_numbers_differ_between_students_and_from_the_notebook(questions):
    varied = 0
    for id in questions.index:
        texts = {repr(exams.question(id, student, SECRET)) for student in STUDENTS}
        varied += len(texts) > 1
        assert exams.question(id, "Ann", SECRET) == exams.question(id, "Ann", SECRET)
    assert varied >= 0.8 * len(questions)


def test_who_knows_the_bank_but_not_the_secret_has_no_answer(lesson):
    secrets = [Secret(f"the teacher's secret, {n}") for n in range(24)]
    for id in lesson.bank:
        papers = [exams.question(id, "Ann", secret) for secret in secrets]
        [(answer, times)] = Counter(paper.answer for paper in papers).most_common(1)
        assert times <= 16, f"the answer of {id} is {answer} with {times} of 24 secrets"
        if isinstance(lesson.bank[id], ChoiceQuestion):
            right = {paper.options[paper.answer] for paper in papers}
            assert len(right) > 1, f"one option of {id} is right for all secrets"
        shown = {(paper.text, tuple(paper.options.items())) for paper in papers}
        assert len(shown) > 1, f"{id} is the same for all secrets"


def test_questions_too_are_chosen_by_the_secret():
    assert exams.choose(10, SECRET) == exams.choose(10, SECRET)
    assert exams.choose(10, SECRET) != exams.choose(10, OTHER)


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "can't be read"), ("", "can be guessed"), ("a" * 99, "can be guessed")],
)
def test_there_is_no_exam_without_a_secret(tmp_path, text, words):
    students, secret = tmp_path / "students.txt", tmp_path / "secret.txt"
    students.write_text("Ann\n")
    if text is not None:
        secret.write_text(text)
    with pytest.raises(CourseError, match=rf"secret\.txt.*{words}.*token_hex"):
        read_secret(secret)
    words = ["course", "exam", str(students), "--out", str(tmp_path / "exam")]
    assert CliRunner().invoke(app, words).exit_code == 2
    assert CliRunner().invoke(app, [*words, "--secret", str(secret)]).exit_code == 1
    assert not (tmp_path / "exam").exists()


def test_a_secret_is_not_shown():
    assert SECRET.text not in repr(SECRET) + SECRET.student("Ann")
    assert SECRET.student("Ann ") == SECRET.student("ann") != SECRET.student("Bob")


def test_an_exam_is_written_for_every_student(tmp_path):
    students = tmp_path / "students.txt"
    students.write_text("Ann\n\n <b>Bob</b> \n")
    secret = tmp_path / "secret.txt"
    secret.write_text("a long secret of the teacher's\n")
    command = [
        "course",
        "exam",
        str(students),
        "--secret",
        str(secret),
        "--out",
        str(tmp_path / "exam"),
    ]
    done = CliRunner().invoke(app, [*command, "--questions", "1", "--session", "00_example"])
    assert done.exit_code == 0, done.output
    assert "1 questions for 2 students" in done.output
    answers = pd.read_csv(tmp_path / "exam" / "answers.csv", dtype=str)
    assert answers["student"].tolist() == ["Ann", "<b>Bob</b>"]
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


def test_tables_of_an_exam_have_no_empty_title_and_scroll_by_the_keyboard(tmp_path, monkeypatch):
    asked = exams.question("0.B1", "Ann", SECRET)
    asked = replace(asked, text=table([[1, 2]], rows=["x"], columns=["a", "b"]))
    monkeypatch.setattr(exams, "question", lambda *which: asked)
    exams.write_bank(tmp_path / "bank.html", SECRET)
    page = (tmp_path / "bank.html").read_text()
    assert page.count("<table") == page.count('<table tabindex="0"') > 0
    assert "<th></th>" not in page


def test_questions_are_spread_over_the_sessions_and_the_same_each_time():
    listed = exams.catalogue()
    n = listed["session"].nunique()
    chosen = exams.choose(n, SECRET)
    assert listed.loc[chosen, "session"].nunique() == n
    assert chosen == exams.choose(n, SECRET)
    assert len(exams.choose(len(listed), SECRET)) == len(listed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: exams.choose(0, SECRET), r"between 1 and"),
        (lambda folder: exams.choose(10**6, SECRET), r"between 1 and"),
        (lambda folder: exams.question("0.99", "Ann", SECRET), r"no question '0\.99'"),
        (lambda folder: exams.catalogue(["01_chanc"]), r"no session '01_chanc'"),
        (lambda folder: exams.write_exam([], folder, SECRET), r"no student"),
        (lambda folder: exams.write_exam(["Ann", "Ann "], folder, SECRET), r"more than once: Ann"),
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
