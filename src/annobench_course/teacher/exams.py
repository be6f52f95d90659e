"""Write exams: every student has questions with numbers of their own, and so have the solutions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.files import replacing, write_csv
from annobench_course.draws import draw
from annobench_course.errors import CourseError
from annobench_course.teacher import banks
from annobench_course.teacher.questions import Asked, ChoiceQuestion
from annobench_course.teacher.secret import Secret
from annobench_course.texts import fill

__all__ = ["ANSWERS", "Question", "catalogue", "choose", "question", "write_bank"]

ANSWERS = "answers.csv"
_PAPER, _SOLUTIONS = "exam_{:03d}.html", "solutions.html"


@dataclass(frozen=True)
class Question:
    """A question of an exam as one student has it.

    Attributes
    ----------
    id : str
        Id of the exercise, such as "1.B2".
    session : str
        Id of its session.
    title : str
        A few words.
    text : str
        The question, in markdown.
    options : mapping of str to str
        Texts by letters, of a choice; else empty.
    answer : str
        The right answer: a number with the decimals asked for, or a letter.
    solution : str
        How it is found, in markdown.
    """

    id: str
    session: str
    title: str
    text: str
    options: Mapping[str, str]
    answer: str
    solution: str


def catalogue(only: Iterable[str] | None = None) -> pd.DataFrame:
    """List the questions of the bank.

    Parameters
    ----------
    only : iterable of str, optional
        Ids of sessions; by default all.

    Returns
    -------
    DataFrame
        One row for each: `session`, `kind` ("number" or "choice") and `title`, by its id.

    Raises
    ------
    CourseError
        If there is no session of an id.
    """
    rows = {
        id: (session, "choice" if isinstance(asked, ChoiceQuestion) else "number", asked.title)
        for session in (banks.discover() if only is None else only)
        for id, asked in banks.get(session).items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["session", "kind", "title"])


def question(id: str, student: str, secret: Secret) -> Question:
    """Return a question with a student's numbers and its solution.

    Parameters
    ----------
    id : str
        Id of a question of the bank.
    student : str
        Name or ID.
    secret : Secret
        The teacher's; with another one all numbers, and the order of options, are others.

    Returns
    -------
    Question
        Text, answer and solution.

    Raises
    ------
    CourseError
        If the bank has no such question.
    """
    for session in banks.discover():
        known = banks.get(session)
        if id in known:
            return _filled(session, known[id], draw(id, known, secret.student(student)))
    raise CourseError(f"The bank has no question {id!r}. `catalogue` lists those it has.")


def choose(n: int, secret: Secret, only: Iterable[str] | None = None) -> list[str]:
    """Choose questions for an exam, as many from each session as can be.

    Parameters
    ----------
    n : int
        How many.
    secret : Secret
        The teacher's; with another one the questions are others.
    only : iterable of str, optional
        Ids of sessions; by default all.

    Returns
    -------
    list of str
        Ids of questions, in the order of the sessions.

    Raises
    ------
    CourseError
        If there are not so many.
    """
    listed = catalogue(only)
    if not 0 < n <= len(listed):
        raise CourseError(
            f"n must be between 1 and {len(listed)}, the questions there are; got {n}."
        )
    shuffled = listed.iloc[secret.rng().permutation(len(listed))]
    turn = shuffled.groupby("session").cumcount()
    chosen = set(turn.sort_values(kind="stable").index[:n])
    return [id for id in listed.index if id in chosen]


def write_exam(
    students: Sequence[str],
    folder: Path | str,
    secret: Secret,
    *,
    n: int = 8,
    only: Iterable[str] | None = None,
    title: str = "Annotation statistics: exam",
) -> pd.DataFrame:
    """Write an exam: a page for each student, one with all solutions, and a table of answers."""
    names = _distinct(students)
    ids, target = choose(n, secret, only), Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    papers, rows = [], []
    for number, name in enumerate(names, 1):
        asked = [question(id, name, secret) for id in ids]
        file = _PAPER.format(number)
        papers.append({"student": name, "questions": asked})
        _write(target / file, title, papers[-1:], solutions=False)
        rows += [(name, file, i, q.id, q.answer) for i, q in enumerate(asked, 1)]
    _write(target / _SOLUTIONS, f"{title}, solutions", papers, solutions=True)
    answers = pd.DataFrame(rows, columns=["student", "file", "number", "question", "answer"])
    write_csv(answers, target / ANSWERS)
    return answers


def exam_files(students: Sequence[str]) -> list[str]:
    """Return the names of the files that `write_exam` writes."""
    papers = [_PAPER.format(number) for number in range(1, len(_distinct(students)) + 1)]
    return [*papers, _SOLUTIONS, ANSWERS]


def _distinct(students: Sequence[str]) -> list[str]:
    """Return the names of students, of which none may be there twice."""
    names = [" ".join(name.split()) for name in students if name.strip()]
    if not names:
        raise CourseError("There is no student. Give one name or ID per line.")
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise CourseError(f"Named more than once: {', '.join(twice)}. Give each student an ID.")
    return names


def write_bank(path: Path | str, secret: Secret, *, only: Iterable[str] | None = None) -> None:
    """Write a page of all questions with the numbers of some student and the solutions.

    Parameters
    ----------
    path : path
        The page, HTML.
    secret : Secret
        One that no exam has.
    only : iterable of str, optional
        Ids of sessions; by default all.
    """
    asked = [question(id, "sample", secret) for id in catalogue(only).index]
    paper = {"student": "Numbers of a sample, which no student gets", "questions": asked}
    _write(Path(path), "Questions for an exam", [paper], solutions=True)


def _write(path: Path, title: str, papers: list[dict[str, Any]], *, solutions: bool) -> None:
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    from annobench.reporting.pages import render

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    def shown(text: str) -> Markup:
        # A table scrolls, by the keyboard too, and its corner is no title.
        page = markdown.render(text).replace("<table>", '<table tabindex="0">')
        # Text of the bank, in which HTML is escaped.
        return Markup(page.replace("<th></th>", "<td></td>"))  # noqa: S704

    html = render(
        "exam.html.j2",
        Path(__file__).parent,
        title=title,
        depth=0,
        papers=papers,
        solutions=solutions,
        markdown=shown,
    )
    with replacing(path) as draft:
        draft.write_text(html, encoding="utf-8")


def _filled(session: str, asked: Asked, given: Mapping[str, Any]) -> Question:
    if isinstance(asked, ChoiceQuestion):
        case, right = asked.cases[given["right"]], asked.options[given["right"]]
        [answer] = [letter for letter, text in given["options"].items() if text == right]
        text, solution, options = case.question, case.solution, given["options"]
    else:
        answer = _rounded(asked.right_answer(given), asked.digits)
        text, options = fill(asked.question, given), {}
        solution = fill(asked.solution, given, answer=answer)
    return Question(asked.id, session, asked.title, text, options, answer, solution)


def _rounded(number: float, digits: int) -> str:
    text = f"{number:.{digits}f}"
    return text.removeprefix("-") if re.fullmatch(r"-0(\.0*)?", text) else text
