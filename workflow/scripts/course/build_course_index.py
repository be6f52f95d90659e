"""Render the page of the course, and the bank of exam questions with sample numbers."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annobench.core.files import recording, replacing
from annobench_course import sessions
from annobench_course.teacher import banks, exams
from annobench_course.teacher.secret import Secret
from annobench_replication.pages import render

#: Of the numbers that the bank shows. It is public, and so no secret.
SAMPLE = Secret("a sample that no exam may use")


def described(id: str, titles: dict[str, str]) -> dict[str, Any]:
    """Return what the page says of a session."""
    held = sessions.get(id)
    lesson = asdict(held.lesson)
    needs = [titles.get(need, need) for need in lesson["needs"]]
    return lesson | {
        "number": int(id.partition("_")[0]),
        "n_exercises": len(held.exercises),
        "homework": [id for id in held.exercises if held.lesson.when(id) == "homework"],
        "needs": needs,
    }


def course_page(ids: Iterable[str], site: Path) -> str:
    """Return the page of the course."""
    ids = list(ids)
    titles = {id: f"session {int(id.partition('_')[0])}" for id in ids}
    return render(
        "course.html.j2",
        site,
        title="A course in annotation statistics",
        lessons=[described(id, titles) for id in ids],
        n_questions=len(exams.catalogue(_asked(ids))),
    )


def _asked(ids: Iterable[str]) -> list[str]:
    """Return those sessions on which the bank has questions."""
    return [id for id in banks.discover() if id in set(ids)]


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        chosen = list(snakemake.params.sessions)
        page = course_page(chosen, Path(snakemake.input.site[0]).parent)
        with replacing(snakemake.output.page) as draft:
            draft.write_text(page, encoding="utf-8")
        exams.write_bank(Path(snakemake.output.bank), SAMPLE, only=_asked(chosen))
