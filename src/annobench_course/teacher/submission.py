"""Run a student's cells in this process, which the grader started for them alone.

``python -m annobench_course.teacher.submission SECONDS [FILES]`` reads the cells from its input,
runs them one after the other as IPython does, and says what they answer on its output. The grader
may ask for calls of a function. This process decides nothing. FILES says what it may read, if it is
confined by namespaces.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from annobench_course.teacher.limits import MAX_MEMORY, MAX_WRITTEN
from annobench_course.watch import ELAPSED_PER_SECOND, FUNCTION_SECONDS, TooSlowError, time_limit

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["main"]

#: Nothing listens there.
_NOWHERE = "http://127.0.0.1:9"


class _Grader:
    """The other end of the pipes."""

    def __init__(self, source: TextIO, target: TextIO, *, seconds: float, elapsed: float) -> None:
        self._source, self._target = source, target
        self._seconds, self._elapsed = seconds, elapsed

    def cells(self) -> list[str]:
        return list(json.loads(self._source.readline()))

    def tell(self, **message: str) -> None:
        self._target.write(json.dumps(message) + "\n")
        self._target.flush()

    def answer(self, session: str, exercise: str, answer: Any) -> None:
        """Give an answer, and call the function if it is one."""
        from annobench_course.teacher.wire import encode

        self.tell(kind="answer", session=session, exercise=exercise, value=encode(answer))
        while (asked := json.loads(self._source.readline()))["kind"] == "call":
            # From the grader, who made it, so that it may be unpickled.
            arguments = pickle.loads(base64.b64decode(asked["arguments"]))  # noqa: S301
            try:
                with time_limit(self._seconds, elapsed=self._elapsed):
                    value = encode(answer(*arguments))
                self.tell(kind="value", call=asked["call"], value=value)
            except (Exception, TooSlowError) as error:
                self.tell(
                    kind="raised",
                    call=asked["call"],
                    error=type(error).__name__[:80],
                    text=str(error)[:300],
                )


def _limit(seconds: int) -> None:
    """Limit time of processor, memory and the size of files, where the system can do that.

    Whatever else runs on the computer goes first.
    """
    try:
        import resource
    except ImportError:  # on Windows
        return
    for kind, limit in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_FSIZE, MAX_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))
    os.nice(10)


def _settle() -> None:
    """Make this folder the home of all that writes, with its own copy of compiled code."""
    from annobench_course.teacher.compiling import copy_compiled

    home = Path.cwd()
    copy_compiled(home / "compiled")
    os.environ.update(
        ARROW_DEFAULT_MEMORY_POOL="system",  # others reserve far more than they use
        HOME=str(home),
        IPYTHONDIR=str(home / "ipython"),
        MPLBACKEND="Agg",
        MPLCONFIGDIR=str(home / "matplotlib"),
        NUMBA_CACHE_DIR=str(home / "compiled"),
        NUMBA_NUM_THREADS="1",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
        PYTHONDONTWRITEBYTECODE="1",
        TMPDIR=str(home),
    )
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        os.environ[name] = _NOWHERE


def _shell() -> InteractiveShell:
    """Return the shell of IPython, which keeps no history."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        def enable_gui(self, gui: str | None = None) -> None:
            """Do nothing: %matplotlib asks for it, and there are no windows here."""

    return Shell.instance(config=Config({"HistoryManager": {"enabled": False}}))


def _run(cells: list[str], grader: _Grader, seconds: float) -> None:
    """Run cells as a notebook does; one that fails does not keep the others from running."""
    from annobench_course import student
    from annobench_course.failed_cells import clear_after_failures
    from annobench_course.outcomes import Checked

    class Recorded(student.Session):
        def __init__(self, id: str, student: str) -> None:
            super().__init__(id, student)
            grader.tell(kind="session", session=self.lesson.id, student=self.student[:200])

        def check(self, id: str, answer: Any = ...) -> Checked:
            exercise = self._exercise(id).id
            grader.answer(self.lesson.id, exercise, answer)
            # Whoever tries one answer after the other is done with the first.
            return Checked(exercise, True, "It is checked by the grader.")

    student.Session = Recorded  # type: ignore[misc]
    # Data are loaded only by a notebook that uses them.
    student.session = Recorded
    shell = _shell()
    clear_after_failures()
    for number, source in enumerate(cells, 1):
        error: BaseException | None
        try:
            with time_limit(seconds, elapsed=ELAPSED_PER_SECOND * seconds):
                done = shell.run_cell(source)  # type: ignore[no-untyped-call]
            error = done.error_before_exec or done.error_in_exec
        except BaseException as raised:
            error = raised
        if error is not None:
            grader.tell(kind="error", cell=str(number), error=type(error).__name__[:80])


def _pipes() -> tuple[TextIO, TextIO]:
    """Return what leads from and to the grader, and lead what cells read and print to nowhere."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return os.fdopen(source, encoding="utf-8"), os.fdopen(target, "w", encoding="utf-8")


def main() -> None:
    """Run the cells that the grader sends."""
    seconds, *files = sys.argv[1:]
    if files:
        from annobench_course.teacher.namespaces import enter

        described = json.loads(files[0])
        enter(Path(described.pop("root")), **described)
    _limit(int(seconds))
    source, target = _pipes()
    # A cell that never ends shall not keep those after it from running.
    share = int(seconds) / 2
    elapsed = ELAPSED_PER_SECOND * share
    grader = _Grader(source, target, seconds=min(FUNCTION_SECONDS, share), elapsed=elapsed)
    cells = grader.cells()
    _settle()
    _run(cells, grader, share)
    grader.tell(kind="end")


if __name__ == "__main__":
    main()
