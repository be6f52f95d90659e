"""The guide to a session of one's own is followed: its files, as shown, and its commands."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from annobench_course import sessions
from annobench_course.draws import draw

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "how-to" / "own-session.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ANNOBENCH_SESSIONS=my_sessions (.*)$", PAGE, re.MULTILINE)


def test_a_text_and_four_exercises_suffice(home, monkeypatch):
    monkeypatch.setattr(sessions, "__path__", [*sessions.__path__, str(home)])
    held = sessions.get("13_votes")
    assert held.lesson.title == "Three annotators vote"
    assert sorted(path.name for path in held.folder.glob("*.*")) == ["exercises.py", "session.md"]
    assert len({type(exercise) for exercise in held.exercises.values()}) == len(held.exercises) == 4
    given = draw("13.1", held.exercises, "Ann")
    assert held.exercises["13.1"].check(sum(given["right"]) / 3, given).mistake == "mean"


def test_the_first_command_checks_it(home):
    program, *words = shlex.split(COMMANDS[0])
    assert program == "python"
    environment = os.environ | {sessions.FOLDERS: str(home)}
    command = [sys.executable, *words, "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    passed = re.search(r"(\d+) passed", done.stdout)
    assert int(passed[1]) > 30
    assert "failed" not in done.stdout


def test_it_finds_a_fault(home, tmp_path):
    # The negative control: a mistake whose answer is the right one, and a typed number
    folder = tmp_path / "s14_votes"
    folder.mkdir()
    text = (home / "s13_votes" / "session.md").read_text(encoding="utf-8")
    text = text.replace("decides.", "decides, in 0.75 of the cases.").replace("13", "14")
    code = (home / "s13_votes" / "exercises.py").read_text(encoding="utf-8")
    code = code.replace('sum(given["right"]) / 3', "by_vote(given)").replace("13.", "14.")
    (folder / "session.md").write_text(text, encoding="utf-8")
    (folder / "exercises.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    chosen = ["tests/course/test_sessions.py", "-k", "14_votes and (contract or right_answers)"]
    done = subprocess.run(
        [*command, "-m", "not slow", *chosen],
        cwd=TOP,
        env=os.environ | {sessions.FOLDERS: str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout
    assert "the number 0.75 is typed" in done.stdout
    assert "were never all different" in done.stdout


def test_the_second_command_is_the_one_that_makes_the_course():
    # What it makes, with a session in a folder of one's own: test_adding.py
    assert COMMANDS[1:] == ["make course"]
