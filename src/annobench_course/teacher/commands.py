"""The commands `annobench course ...`, found by their entry point."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, note_formulas, say, terminal
from annobench.cli._writing import Writing
from annobench.core.files import write_csv

__all__ = ["app"]

app = typer.Typer(
    help="The course in annotation statistics.", no_args_is_help=True, add_completion=False
)


@app.command()
def exam(
    students: Annotated[Path, typer.Argument(help="Text file: one name or ID per line.")],
    secret: Annotated[
        Path,
        typer.Option(help="Text file with the secret on which questions and numbers depend."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("exam"),
    questions: Annotated[int, typer.Option(min=1, help="How many questions.")] = 8,
    session: Annotated[
        list[str] | None,
        typer.Option(help="Session to ask about; may be repeated. Default: all."),
    ] = None,
    title: Annotated[str, typer.Option(help="Heading.")] = "Annotation statistics: exam",
    force: ForceOption = False,
) -> None:
    """Write an exam with each student's own numbers, and all solutions.

    Example: annobench course exam students.txt --secret secret.txt --questions 8
    """
    from annobench_course.teacher import exams
    from annobench_course.teacher.secret import read_secret

    writing = Writing("course exam", out, force, (students, secret))
    try:
        names = students.read_text(encoding="utf-8").splitlines()
        known = read_secret(secret)
        files = exams.exam_files(names)
        writing.check(files)
        answers = exams.write_exam(names, out, known, n=questions, only=session, title=title)
        writing.record(files)
    except (ValueError, OSError) as error:
        fail(error)
    note_formulas([out / exams.ANSWERS])
    say(f"{out}: {questions} questions for {answers['student'].nunique()} students")


@app.command()
def grade(
    folder: Annotated[Path, typer.Argument(help="Folder of notebooks; subfolders count, too.")],
    out: Annotated[
        Path | None, typer.Option(help="Table to write; by default grades.csv in the folder.")
    ] = None,
    seconds: Annotated[
        int,
        typer.Option(
            min=1,
            help="Limit of a notebook's processor time; by the clock it has six times that.",
        ),
    ] = 180,
    data: Annotated[
        Path | None,
        typer.Option(help="The course's folder data; by default searched for above the notebooks."),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Run submissions even if nothing protects your files from them."
        ),
    ] = False,
    force: ForceOption = False,
) -> None:
    """Run and grade every notebook of a folder, each isolated from the others and from your files.

    Example: annobench course grade submissions
    """
    from rich.progress import Progress

    from annobench_course.teacher import grading

    table = folder / "grades.csv" if out is None else out
    notebooks = tuple(folder.rglob("*.ipynb"))
    writing = Writing("course grade", table.parent, force, notebooks)
    try:
        writing.check([table.name])
        with Progress(console=terminal(stderr=True)) as bars:
            bar = bars.add_task("Grading", total=len(notebooks) or None)

            def follow(done: int, total: int) -> None:
                bars.update(bar, completed=done, total=total)

            grades = grading.grade(folder, seconds=seconds, data=data, trusted=trust, follow=follow)
        write_csv(grades, table)
        writing.record([table.name])
    except (ValueError, OSError) as error:
        fail(error)
    for row in grades[grades["exercise"].isin(["", grading.TOTAL])].to_dict("records"):
        said = f"{row['passed']} of {row['of']} passed" if row["exercise"] else row["message"]
        say(f"{row['file']} ({row['student'] or 'no name'}): {said}")
    note_formulas([table])
    say(f"{table}: {grades['file'].nunique()} notebooks")


@app.command()
def gradebook(
    grades: Annotated[Path, typer.Argument(help="Table that `annobench course grade` wrote.")],
    participants: Annotated[
        Path, typer.Argument(help="CSV: Canvas's gradebook, or Moodle's participants or grades.")
    ],
    out: Annotated[Path, typer.Option(help="Table to import there.")] = Path("gradebook.csv"),
    due: Annotated[
        list[str] | None,
        typer.Option(help="When a session is due, SESSION=TIME in local time; may be repeated."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write grades as Moodle or Canvas imports them, and list what is late or missing.

    Example: annobench course gradebook grades.csv participants.csv --due 01_chance=2026-10-01T12:00
    """
    from annobench_course.teacher import gradebook as platform

    remarks = out.with_name(f"{out.stem}_remarks.csv")
    writing = Writing("course gradebook", out.parent, force, (grades, participants))
    try:
        writing.check([out.name, remarks.name])
        table, said = platform.fill(
            platform.read_grades(grades),
            platform.read_list(participants),
            platform.read_due(due or []),
        )
        write_csv(table, out)
        write_csv(said, remarks)
        writing.record([out.name, remarks.name])
    except (ValueError, OSError) as error:
        fail(error)
    note_formulas([out, remarks])
    for row in said.to_dict("records"):
        say(f"{row['session'] or row['file']}, {row['student'] or 'no name'}: {row['remark']}")
    say(f"{out}: {table.shape[0]} rows; {remarks}: {len(said)} remarks")


@app.command()
def project(
    folders: Annotated[list[Path], typer.Argument(help="Folders of projects, one per student.")],
) -> None:
    """Say what is missing in the folders of projects with students' own labels.

    Example: annobench course project projects/ann projects/bob
    """
    from annobench_course.project import check_project

    complete = True
    for folder in folders:
        try:
            found = check_project(folder)
        except ValueError as error:
            fail(error)
        complete &= found.is_complete
        say(repr(found))
    if not complete:
        raise typer.Exit(1)
