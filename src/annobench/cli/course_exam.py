"""The command that writes exams, for teachers alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, note_formulas, say
from annobench.cli._writing import Writing


def exam(
    students: Annotated[Path, typer.Argument(help="Text file: one name or ID a line.")],
    secret: Annotated[
        Path,
        typer.Option(help="Text file with the secret on which questions and numbers depend."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("exam"),
    questions: Annotated[int, typer.Option(min=1, help="How many questions.")] = 8,
    session: Annotated[
        list[str] | None,
        typer.Option(help="A session that is asked about; several times for several. Default all."),
    ] = None,
    title: Annotated[str, typer.Option(help="Heading.")] = "Annotation statistics: exam",
    force: ForceOption = False,
) -> None:
    """Write an exam with each student's own numbers, and all solutions.

    Example: annobench course exam students.txt --secret secret.txt --questions 8
    """
    from annobench.course.exam import bank
    from annobench.course.exam.secret import read_secret

    writing = Writing("course exam", out, force, (students, secret))
    try:
        names = students.read_text(encoding="utf-8").splitlines()
        known = read_secret(secret)
        files = bank.exam_files(names)
        writing.check(files)
        answers = bank.write_exam(names, out, known, n=questions, only=session, title=title)
        writing.record(files)
    except (ValueError, OSError) as error:
        fail(error)
    note_formulas([out / bank.ANSWERS])
    say(f"{out}: {questions} questions for {answers['student'].nunique()} students")
