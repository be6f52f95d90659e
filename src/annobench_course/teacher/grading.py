"""Grade a folder of notebooks: each runs in a process of its own, and is believed nothing.

A submission only says what its answers are, and isn't told what comes of them. They are checked
here, in the grader's process, with the numbers of the student it names; a function is called in the
submission's process on inputs drawn anew for each grading, and its values are compared here.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import secrets
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from annobench.core.texts import is_formula
from annobench_course import sessions
from annobench_course.draws import draw
from annobench_course.errors import CourseError
from annobench_course.functions import Function
from annobench_course.outcomes import Checked
from annobench_course.results import FILE
from annobench_course.student import DATA, NOBODY
from annobench_course.teacher.compiling import compile_apart
from annobench_course.teacher.confinement import Confinement, confinement
from annobench_course.teacher.limits import MAX_ANSWERS, MAX_AT_ONCE, MAX_FILE, MAX_LINE
from annobench_course.teacher.wire import Foreign, decode, error_of
from annobench_course.watch import ELAPSED_PER_SECOND, TooSlowError

__all__ = ["COLUMNS", "TOTAL", "grade"]

#: Columns of the table of grades.
COLUMNS = ("student", "exercise", "passed", "of", "message", "session", "file", "submitted")

#: What stands for the exercise in the row of a notebook's total.
TOTAL = "total"

#: How many failed cells are named.
MAX_FAILED = 5

_UNCHECKED = "The notebook checks no answer."


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

    @property
    def trouble(self) -> str:
        """What went wrong in it, for its row."""
        said = [self.ended] if self.ended else []
        if self.failed_cells:
            said.append(f"Cells that fail: {', '.join(self.failed_cells)}.")
        return " ".join(said)


def grade(
    folder: Path | str,
    *,
    seconds: int = 180,
    data: Path | str | None = None,
    trusted: bool = False,
    follow: Callable[[int, int], None] = lambda done, n: None,
) -> pd.DataFrame:
    """Run and grade every notebook of a folder, as many at once as there are processors.

    Parameters
    ----------
    folder : path
        Notebooks may lie in folders inside it.
    seconds : int, default 180
        Limit of the time of each on a processor; by the clock it has `ELAPSED_PER_SECOND` times
        as long, since other processes may have the processor.
    data : path, optional
        The course's folder of data; by default `data` in the folder or in one above it.
    trusted : bool, default False
        Whether submissions may run unconfined if this computer can't confine them.
    follow : callable, optional
        Called after each notebook with the number of those that are done, and of all.

    Returns
    -------
    DataFrame
        One row for each exercise of each notebook and one for its total, with the columns of
        `COLUMNS`. A notebook that can't be graded has one row, which says why.

    Raises
    ------
    CourseError
        If there is no such folder or it has no notebook, or if submissions are neither confined nor
        trusted.
    """
    home = Path(folder)
    if not home.is_dir():
        raise CourseError(f"{home}: there is no such folder. Name the one with the submissions.")
    notebooks = list(_notebooks(home))
    if not notebooks:
        raise CourseError(f"{home}: there is no notebook (*.ipynb) in it.")
    shared = _data_folder(home) if data is None else Path(data)
    confined = confinement(shared, home, trusted=trusted)
    compile_apart()
    rows: list[tuple[object, ...]] = []
    for path, found in zip(
        notebooks, _all_graded(notebooks, seconds, confined, follow), strict=True
    ):
        changed = _changed(path)
        rows += [(*row, changed) for row in _rows(path.relative_to(home).as_posix(), found)]
    return _doubles_marked(pd.DataFrame(rows, columns=list(COLUMNS)))


def _notebooks(home: Path) -> Iterator[Path]:
    for path in sorted(home.rglob("*.ipynb")):
        if ".ipynb_checkpoints" not in path.parts and not path.is_symlink():
            yield path


def _changed(path: Path) -> str:
    """Return when a file was last changed, to the minute, in local time."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime).astimezone().isoformat(" ", "minutes")
    except OSError:
        return ""


def _data_folder(home: Path) -> Path | None:
    places = (home.absolute(), *home.absolute().parents, Path.cwd())
    return next((p / DATA for p in places if (p / DATA / FILE).is_file()), None)


def _cells(path: Path) -> list[str]:
    """Return the code of a notebook's cells."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE:
            raise _EndedError("This is no file, or one of more than 50 megabytes.")
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _EndedError("This is not a Jupyter notebook, or it is damaged.") from None
    except OSError as error:
        raise _EndedError(f"The notebook can't be read ({error.strerror}).") from None
    return code


def _all_graded(
    paths: list[Path], seconds: int, confined: Confinement, follow: Callable[[int, int], None]
) -> list[_Submission]:
    """Grade notebooks at once: each works in a process of its own, for which a thread waits."""
    with ThreadPoolExecutor(min(os.cpu_count() or 1, MAX_AT_ONCE)) as pool:
        running = [pool.submit(_graded, path, seconds, confined) for path in paths]
        try:
            for done, _ in enumerate(as_completed(running), 1):
                follow(done, len(running))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [each.result() for each in running]


def _graded(path: Path, seconds: int, confined: Confinement) -> _Submission:
    """Run one notebook and check what it answers."""
    found = _Submission()
    try:
        cells = _cells(path)
        with (
            confined.running(seconds) as process,
            _Conversation(process, seconds) as conversation,
        ):
            conversation.begin(cells)
            _listen(conversation, found)
    except _EndedError as error:
        found.ended = str(error)
    except OSError as error:
        found.ended = f"The notebook could not be run ({error.strerror or type(error).__name__})."
    return found


def _listen(process: _Conversation, found: _Submission) -> None:
    """Follow what a submission says, and check its answers, until it ends."""
    while True:
        said = process.next()
        kind = said.get("kind")
        if kind == "end":
            return
        if kind == "session":
            found.student = found.student or _plain(said.get("student"), 100)
            if _same_name(found.student, NOBODY):
                raise _EndedError(
                    f"The first cell says {NOBODY!r}. Put in the name, and grade again."
                )
            _begin(_plain(said.get("session"), 50), found)
        elif kind == "error" and len(found.failed_cells) < MAX_FAILED:
            found.failed_cells.append(
                f"{_plain(said.get('cell'), 5)} ({_plain(said.get('error'), 50)})"
            )
        elif kind == "answer":
            session, exercise = str(said.get("session")), str(said.get("exercise"))
            _check(process, found, session, exercise, str(said.get("value")))
            process.tell(kind="heard")


def _begin(session: str, found: _Submission) -> None:
    try:
        exercises = sessions.get(session).exercises
    except CourseError:
        return
    found.outcomes.setdefault(session, {id: Checked(id, False, _UNCHECKED) for id in exercises})


def _check(process: _Conversation, found: _Submission, session: str, id: str, value: str) -> None:
    """Check an answer to an exercise that there is; the last one counts."""
    if found.student is None or id not in found.outcomes.get(session, {}):
        return
    found.answers[session, id] = found.answers.get((session, id), 0) + 1
    if found.answers[session, id] > MAX_ANSWERS:
        raise _EndedError(f"The notebook checks exercise {id} more than {MAX_ANSWERS} times.")
    exercises = sessions.get(session).exercises
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
        process.begin_answer()
        answer = process.call
    found.outcomes[session][id] = exercise.check(answer, given)
    if process.broken:
        raise _EndedError(process.broken)


class _Conversation:
    """What is said to the process of a submission and by it, up to a time."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._target, self._source = process.stdin, process.stdout
        self._seconds, self._elapsed = seconds, ELAPSED_PER_SECOND * seconds
        self._calls = 0
        self._deadline = float("inf")
        self._stopped = threading.Event()
        #: Why it says no more, found out during a call.
        self.broken = ""
        self._limit = threading.Timer(self._elapsed, self._stop, [process])
        self._limit.daemon = True

    def __enter__(self) -> _Conversation:
        self._limit.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._limit.cancel()

    def begin(self, cells: list[str]) -> None:
        """Send the cells to run."""
        self._say(json.dumps(cells))

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        self._stopped.set()
        process.kill()

    def _ended(self) -> _EndedError:
        if self._stopped.is_set():
            return _EndedError(
                f"The notebook was stopped after {self._elapsed} seconds by the clock. Does a cell "
                "wait for something? If the computer was busy, grade again with more --seconds."
            )
        return _EndedError(
            f"The notebook ended its process, or was stopped after {self._seconds} seconds on a "
            "processor, or at the limit of memory. Does a loop never end?"
        )

    def _say(self, line: str) -> None:
        try:
            self._target.write(line.encode() + b"\n")
            self._target.flush()
        except OSError:
            raise self._ended() from None

    def begin_answer(self) -> None:
        """Give the calls of one function half of the notebook's time, as threads have no alarm."""
        self._deadline = time.monotonic() + self._elapsed / 2

    def tell(self, **message: object) -> None:
        """Say something to the submission, which may be gone or not listen."""
        self._say(json.dumps(message))

    def next(self) -> dict[str, Any]:
        """Return the next thing that the submission says."""
        line = self._source.readline(MAX_LINE)
        if len(line) == MAX_LINE:
            raise _EndedError("An answer of the notebook is too long to be read.")
        if not line.endswith(b"\n"):
            raise self._ended()
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        return said if isinstance(said, dict) else {}

    def call(self, *arguments: Any) -> Any:
        """Call the function that the submission has just given as its answer."""
        if time.monotonic() > self._deadline:
            raise TooSlowError
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


def _rows(file: str, found: _Submission) -> Iterator[tuple[object, ...]]:
    student, trouble = _safe(found.student or ""), found.trouble
    if not found.outcomes:
        why = trouble if found.ended else f"The notebook begins no session of the course. {trouble}"
        yield student, "", 0, 0, _safe(why), "", _safe(file)
    for session, outcomes in found.outcomes.items():
        for id, outcome in outcomes.items():
            message = outcome.message
            if message == _UNCHECKED:
                message = f"{message} {trouble}"
            yield student, id, int(outcome.passed), 1, _safe(message), session, _safe(file)
        passed = sum(outcome.passed for outcome in outcomes.values())
        yield student, TOTAL, passed, len(outcomes), _safe(trouble), session, _safe(file)


def _doubles_marked(table: pd.DataFrame) -> pd.DataFrame:
    """Say of notebooks with one student's name and session that there are several."""
    named = table[(table["student"] != "") & (table["session"] != "")]
    files = named.groupby(["student", "session"])["file"].transform("nunique")
    several = files.index[files > 1]
    table.loc[several, "message"] += " (Several notebooks have this student's name.)"
    return table


def _same_name(one: str, other: str) -> bool:
    return "".join(one.casefold().split()) == "".join(other.casefold().split())


def _plain(value: object, length: int) -> str:
    """Return a text of a submission as one short line of visible characters."""
    text = "".join(c if c.isprintable() else " " for c in str(value)[: 4 * length])
    return " ".join(text.split())[:length]


def _safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; nothing reads the table back."""
    text = _plain(text, 500)
    return f"'{text}" if is_formula(text) else text
