"""Grade a folder of notebooks: each runs in a process of its own, and is believed nothing.

A submission only says what its answers are. They are checked here, in the grader's process, with
the numbers of the student it names; a function is called in the submission's process on inputs
drawn anew for each grading, and its values are compared here.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.errors import CourseError
from annobench.core.texts import is_formula
from annobench.course import sessions
from annobench.course.base import Exercise
from annobench.course.draws import draw
from annobench.course.functions import Function
from annobench.course.outcomes import Checked
from annobench.course.results import FILE
from annobench.course.student import DATA
from annobench.course.wire import Foreign, decode, error_of

__all__ = ["COLUMNS", "MAX_ANSWERS", "MAX_FILE", "MAX_LINE", "MAX_MEMORY", "grade"]

#: Columns of the table of grades.
COLUMNS = ("student", "exercise", "passed", "message", "session", "file")

#: Limits of a submission: bytes of its file, of memory, and of one line that it says.
MAX_FILE = 50 << 20
MAX_MEMORY = 2 << 30
MAX_LINE = 4 << 20

#: How many answers to one exercise are looked at.
MAX_ANSWERS = 20


class _EndedError(Exception):
    """A submission's process that says no more; the text says why."""


@dataclass
class _Submission:
    """What is known of a submission while it runs."""

    student: str | None = None
    outcomes: dict[str, dict[str, Checked]] = field(default_factory=dict)
    answers: dict[tuple[str, str], int] = field(default_factory=dict)
    ended: str = ""
    failed_cells: list[str] = field(default_factory=list)


def grade(
    folder: Path | str, *, seconds: int = 180, data: Path | str | None = None
) -> pd.DataFrame:
    """Run and grade every notebook of a folder.

    Parameters
    ----------
    folder : path
        Notebooks may lie in folders inside it.
    seconds : int, default 180
        Limit of time for each.
    data : path, optional
        The course's folder of data; by default `data` in the folder or in one above it.

    Returns
    -------
    DataFrame
        One row for each exercise of each notebook, with the columns of `COLUMNS`. A notebook that
        can't be run has one row, which says why.

    Raises
    ------
    CourseError
        If there is no such folder or it has no notebook.
    """
    home = Path(folder)
    if not home.is_dir():
        raise CourseError(f"{home}: there is no such folder. Name the one with the submissions.")
    notebooks = list(_notebooks(home))
    if not notebooks:
        raise CourseError(f"{home}: there is no notebook (*.ipynb) in it.")
    shared = _data_folder(home) if data is None else Path(data)
    rows: list[tuple[object, ...]] = []
    # Compiled loops are kept for the whole run, apart from those of the grader.
    with tempfile.TemporaryDirectory(prefix="annobench-grading-") as compiled:
        for path in notebooks:
            name = path.relative_to(home).as_posix()
            rows += _rows(name, _graded(path, seconds, shared, Path(compiled)))
    return _doubles_marked(pd.DataFrame(rows, columns=list(COLUMNS)))


def _notebooks(home: Path) -> Iterator[Path]:
    for path in sorted(home.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts and not path.is_symlink():
            yield path


def _data_folder(home: Path) -> Path | None:
    places = (home.absolute(), *home.absolute().parents, Path.cwd())
    return next((p / DATA for p in places if (p / DATA / FILE).is_file()), None)


def _graded(path: Path, seconds: int, data: Path | None, compiled: Path) -> _Submission:
    """Run one notebook and check what it answers."""
    found = _Submission()
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE:
            found.ended = "This is no file, or one of more than 50 megabytes."
            return found
        with tempfile.TemporaryDirectory(prefix="annobench-submission-") as name:
            work = Path(name)
            shutil.copy(path, work / "submission.ipynb")
            if data is not None:
                (work / DATA).symlink_to(data.absolute())
            with _Process(work, seconds, compiled) as process:
                _listen(process, found)
    except _EndedError as error:
        found.ended = str(error)
    except OSError as error:
        found.ended = f"The notebook could not be run ({error.strerror or type(error).__name__})."
    return found


def _listen(process: _Process, found: _Submission) -> None:
    """Follow what a submission says, and check its answers, until it ends."""
    while True:
        said = process.next()
        kind = said.get("kind")
        if kind == "end":
            return
        if kind == "unreadable":
            raise _EndedError("This is not a Jupyter notebook, or it is damaged.")
        if kind == "session":
            found.student = found.student or _plain(said.get("student"), 100)
            _begin(_plain(said.get("session"), 50), found)
        elif kind == "error":
            found.failed_cells.append(
                f"{_plain(said.get('cell'), 5)} ({_plain(said.get('error'), 50)})"
            )
        elif kind == "answer":
            session, exercise = str(said.get("session")), str(said.get("exercise"))
            outcome = _checked(process, found, session, exercise, str(said.get("value")))
            if outcome is not None:
                process.tell(
                    kind="checked",
                    passed=outcome.passed,
                    message=outcome.message,
                    mistake=outcome.mistake,
                )


def _begin(session: str, found: _Submission) -> None:
    try:
        exercises = sessions.get(session).EXERCISES
    except CourseError:
        return
    found.outcomes.setdefault(
        session,
        {e.id: Checked(e.id, False, "The notebook checks no answer.") for e in exercises},
    )


def _checked(
    process: _Process, found: _Submission, session: str, id: str, value: str
) -> Checked | None:
    """Check an answer here; a function through its values. None if there is no such exercise."""
    if found.student is None or id not in found.outcomes.get(session, {}):
        return None
    found.answers[session, id] = found.answers.get((session, id), 0) + 1
    if found.answers[session, id] > MAX_ANSWERS:
        raise _EndedError(f"The notebook checks exercise {id} more than {MAX_ANSWERS} times.")
    exercises: dict[str, Exercise] = {e.id: e for e in sessions.get(session).EXERCISES}
    exercise = exercises[id]
    student = found.student
    if isinstance(exercise, Function):
        student = f"{student} {secrets.token_hex()}"  # inputs that no notebook can know
    given = draw(id, exercises, student)
    try:
        answer = decode(value)
    except ValueError:
        answer = Foreign("unknown type")
    if isinstance(answer, Foreign) and answer.type_name == "function":
        answer = process.call
    outcome = exercise.check(answer, given)
    if process.broken:
        raise _EndedError(process.broken)
    if not found.outcomes[session][id].passed:
        found.outcomes[session][id] = outcome
    return outcome


class _Process:
    """The process of a submission, and the pipes to it."""

    def __init__(self, work: Path, seconds: int, compiled: Path) -> None:
        self._deadline = time.monotonic() + seconds
        self._seconds = seconds
        self._buffer = b""
        self._calls = 0
        #: Why it says no more, found out during a call.
        self.broken = ""
        asked_here, self._target = os.pipe()
        self._source, told_there = os.pipe()
        command = [sys.executable, "-m", "annobench.course.submission", "submission.ipynb"]
        command += [str(asked_here), str(told_there), str(seconds), str(MAX_MEMORY), str(compiled)]
        try:
            self._process = subprocess.Popen(  # noqa: S603  (in bounds: limits, guards)
                [*_isolation(), *command],
                cwd=work,
                env=_environment(work, compiled),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(asked_here, told_there),
                start_new_session=True,
            )
        finally:
            os.close(asked_here)
            os.close(told_there)
        os.set_blocking(self._source, False)
        os.set_blocking(self._target, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._source, selectors.EVENT_READ)

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._selector.close()
        os.close(self._source)
        os.close(self._target)

    def tell(self, **message: object) -> None:
        """Say something to the submission, which may be gone or not listen."""
        left = json.dumps(message).encode() + b"\n"
        while left:
            try:
                left = left[os.write(self._target, left) :]
            except BlockingIOError:
                if time.monotonic() > self._deadline:
                    raise self._too_slow() from None
                time.sleep(0.01)
            except OSError:
                raise _EndedError("The notebook ended its process.") from None

    def next(self) -> dict[str, Any]:
        """Return the next thing that the submission says."""
        while b"\n" not in self._buffer:
            left = self._deadline - time.monotonic()
            if left <= 0 or not self._selector.select(left):
                raise self._too_slow()
            piece = os.read(self._source, 1 << 16)
            if not piece:
                raise _EndedError(
                    "The notebook ended its process, or was stopped at the limit of time or memory."
                )
            self._buffer += piece
            if len(self._buffer) > MAX_LINE:
                raise _EndedError("An answer of the notebook is too long to be read.")
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        return said if isinstance(said, dict) else {}

    def _too_slow(self) -> _EndedError:
        return _EndedError(
            f"The notebook was stopped after {self._seconds} seconds. Does a loop never end?"
        )

    def call(self, *arguments: Any) -> Any:
        """Call the function that the submission has just given as its answer."""
        self._calls += 1
        try:
            packed = base64.b64encode(pickle.dumps(arguments)).decode()
            self.tell(kind="call", call=str(self._calls), arguments=packed)
            while (said := self.next()).get("call") != str(self._calls):
                pass
        except _EndedError as error:
            self.broken = str(error)
            raise
        if said.get("kind") == "raised":
            raise error_of(str(said.get("error"))[:80], str(said.get("text"))[:300])
        value = decode(str(said.get("value")))
        if isinstance(value, Foreign):
            raise TypeError(f"it returns a value of type {value.type_name}")
        return value


@cache
def _isolation() -> tuple[str, ...]:
    """Return the command that leaves a submission no network and no other's processes, if any."""
    unshare = shutil.which("unshare")
    command = ("--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child")
    if unshare is None:
        return ()
    try:
        tried = subprocess.run(  # noqa: S603  (our own)
            [unshare, *command, sys.executable, "-c", ""], capture_output=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return (unshare, *command) if tried.returncode == 0 else ()


def _environment(work: Path, compiled: Path) -> dict[str, str]:
    """Return an environment with nothing of the teacher's but what Python needs."""
    from annobench.datasets.sources import cache_folder

    nowhere = "http://127.0.0.1:9"
    kept = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "ANNOBENCH_DATA_MIRROR")
    return {name: os.environ[name] for name in kept if name in os.environ} | {
        "ANNOBENCH_CACHE": str(cache_folder().absolute()),
        "HOME": str(work),
        "HTTPS_PROXY": nowhere,
        "HTTP_PROXY": nowhere,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(compiled / "matplotlib"),
        "NUMBA_CACHE_DIR": str(compiled / "numba"),
        "NUMBA_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(work),
        "http_proxy": nowhere,
        "https_proxy": nowhere,
    }


def _rows(file: str, found: _Submission) -> Iterator[tuple[object, ...]]:
    student = _safe(found.student or "")
    if not found.outcomes:
        why = found.ended or "The notebook begins no session of the course."
        if found.failed_cells and not found.ended:
            why += f" Cells that fail: {', '.join(found.failed_cells[:5])}."
        yield student, "", False, _safe(why), "", _safe(file)
    for session, outcomes in found.outcomes.items():
        for id, outcome in outcomes.items():
            message = outcome.message
            if not outcome.passed and outcome.message == "The notebook checks no answer.":
                message = " ".join(filter(None, [message, found.ended]))
                if found.failed_cells:
                    message += f" Cells that fail: {', '.join(found.failed_cells[:5])}."
            yield student, id, outcome.passed, _safe(message), session, _safe(file)


def _doubles_marked(table: pd.DataFrame) -> pd.DataFrame:
    """Say of notebooks with one student's name and session that there are several."""
    named = table[(table["student"] != "") & (table["session"] != "")]
    files = named.groupby(["student", "session"])["file"].transform("nunique")
    several = files.index[files > 1]
    table.loc[several, "message"] += " (Several notebooks have this student's name.)"
    return table


def _plain(value: object, length: int) -> str:
    """Return a text of a submission as one short line of visible characters."""
    text = "".join(c if c.isprintable() else " " for c in str(value)[: 4 * length])
    return " ".join(text.split())[:length]


def _safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; nothing reads the table back."""
    text = _plain(text, 500)
    return f"'{text}" if is_formula(text) else text
