"""The command that grades submissions to the course."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annobench.cli._replacing import ForceOption
from annobench.cli._shared import fail, note_formulas, say, terminal
from annobench.cli._writing import Writing
from annobench.core.files import write_csv


def grade(
    folder: Annotated[Path, typer.Argument(help="Folder of notebooks, also in folders inside it.")],
    out: Annotated[
        Path | None, typer.Option(help="Table to write; by default grades.csv in the folder.")
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, help="Limit of time for each notebook.")] = 180,
    data: Annotated[
        Path | None,
        typer.Option(help="The course's folder of data; by default looked for above the folder."),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Run submissions even if nothing keeps them from your files."),
    ] = False,
    force: ForceOption = False,
) -> None:
    """Run and grade every notebook of a folder, each where it can reach no other and no file.

    Example: annobench course grade submissions
    """
    from annobench.course import grading

    table = folder / "grades.csv" if out is None else out
    notebooks = tuple(folder.rglob("*.ipynb"))
    writing = Writing("course grade", table.parent, force, notebooks)
    try:
        writing.check([table.name])
        with terminal(stderr=True).status("Grading"):
            grades = grading.grade(folder, seconds=seconds, data=data, trusted=trust)
        write_csv(grades, table)
        writing.record([table.name])
    except (ValueError, OSError) as error:
        fail(error)
    for row in grades[grades["exercise"].isin(["", grading.TOTAL])].to_dict("records"):
        said = f"{row['passed']} of {row['of']} passed" if row["exercise"] else row["message"]
        say(f"{row['file']} ({row['student'] or 'no name'}): {said}")
    note_formulas([table])
    say(f"{table}: {grades['file'].nunique()} notebooks")
