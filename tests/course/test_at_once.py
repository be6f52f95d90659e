"""Notebooks are graded at once: none waits for another, and the table has their order."""

import io
import threading
import time
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench_course import sessions
from annobench_course.draws import draw
from annobench_course.teacher import grading


@pytest.fixture
def together(tmp_path, monkeypatch):
    """Grade by a stand-in that returns only when two notebooks are graded at the same time."""
    barrier = threading.Barrier(2, timeout=60)

    def graded(path, seconds, confined):
        barrier.wait()
        if path.stem == "d":
            raise RuntimeError("a fault of ours")
        return grading._Submission(student=path.stem, ended="It ended.")

    monkeypatch.setattr(grading, "_graded", graded)
    monkeypatch.setattr(grading, "confinement", lambda *a, **k: None)
    monkeypatch.setattr(grading, "compile_apart", lambda: None)
    monkeypatch.setattr(grading.os, "cpu_count", lambda: 2)

    def written(names):
        for name in names:
            (tmp_path / f"{name}.ipynb").write_text("{}")
        return tmp_path

    return written


def test_two_processors_grade_two_notebooks_at_once_in_the_order_of_files(together):
    said = []
    table = grading.grade(together("bafc"), follow=lambda *n: said.append(n))
    assert table["student"].tolist() == ["a", "b", "c", "f"]
    assert said == [(n, 4) for n in range(1, 5)]


def test_the_time_of_a_file_is_written(together):
    table = grading.grade(together("ab"))
    assert table["submitted"].str.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d[+-]\d\d:\d\d").all()


def test_a_fault_of_ours_is_not_hidden(together):
    with pytest.raises(RuntimeError, match="a fault of ours"):
        grading.grade(together("ad"))


def test_the_command_shows_how_far_it_is(together):
    done = CliRunner().invoke(app, ["course", "grade", str(together("ab"))])
    assert done.exit_code == 0, done.output
    assert "100%" in done.output
    assert "2 notebooks" in done.output


def test_calls_of_a_function_end_at_their_time_without_an_alarm():
    pipes = SimpleNamespace(stdin=io.BytesIO(), stdout=io.BytesIO())
    busy = grading._Conversation(pipes, 180)
    busy.begin_answer()
    # Long enough for ten seconds of work on a fiftieth of a processor
    assert busy._deadline - time.monotonic() > 500
    conversation = grading._Conversation(pipes, -5)
    conversation.begin_answer()
    exercises = sessions.get("01_chance").exercises
    [function] = [e for e in exercises.values() if type(e).__name__ == "Function"][:1]
    outcome = function.check(conversation.call, draw(function.id, exercises, "Ann"))
    assert outcome.mistake == "too slow"
    assert pipes.stdin.getvalue() == b"", "nothing more was asked"
