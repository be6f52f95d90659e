"""Run a student's notebook in this process, which the grader started for it alone.

``python -m annobench.course.submission NOTEBOOK IN OUT SECONDS BYTES`` runs the code cells one
after the other. What is checked goes to the grader by the pipe OUT; the grader answers by IN, and
may ask for calls of a function. This process decides nothing.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any, TextIO

from annobench.course.watch import FUNCTION_SECONDS, TooSlowError, time_limit

__all__ = ["main"]

#: Events of Python that a notebook has no need of: processes, signals, connections.
_REFUSED = {
    *("os.exec", "os.fork", "os.forkpty", "os.kill", "os.killpg", "os.posix_spawn", "os.system"),
    *("pty.spawn", "signal.pthread_kill", "socket.bind", "socket.connect", "socket.sendto"),
    "subprocess.Popen",
}
#: Events that change the file named by their first argument.
_CHANGES = {
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir"),
    *("os.symlink", "os.truncate", "os.utime", "shutil.move", "shutil.rmtree"),
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class _Grader:
    """The other end of the pipes."""

    def __init__(self, source: TextIO, target: TextIO, *, seconds: float, elapsed: float) -> None:
        self._source, self._target = source, target
        self._seconds, self._elapsed = seconds, elapsed

    def tell(self, **message: str) -> None:
        self._target.write(json.dumps(message) + "\n")
        self._target.flush()

    def check(self, session: str, exercise: str, answer: Any) -> tuple[bool, str, str | None]:
        """Give an answer, call the function if it is one, and return what the grader says."""
        from annobench.course.wire import encode

        self.tell(kind="answer", session=session, exercise=exercise, value=encode(answer))
        while True:
            asked = json.loads(self._source.readline())
            if asked["kind"] == "checked":
                return asked["passed"], asked["message"], asked["mistake"]
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


def _limit(seconds: int, size: int) -> None:
    """Limit time of processor, memory and the size of files, where the system can do that."""
    try:
        import resource
    except ImportError:  # on Windows
        return
    for kind, limit in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_FSIZE, 1 << 26),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def _guard(folders: tuple[str, ...]) -> None:
    """Refuse processes, connections and writing outside some folders, as far as Python can."""
    allowed = tuple(os.path.realpath(folder) + os.sep for folder in folders)

    def inside(path: object) -> bool:
        if isinstance(path, int) or path == os.devnull:
            return True
        return (os.path.realpath(os.fsdecode(path)) + os.sep).startswith(allowed)  # type: ignore[arg-type]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = bool(set(mode or "") & set("wax+")) or (flags or 0) & _WRITES
            if writes and not inside(path):
                raise PermissionError(f"a submission may not write {path}")
        elif event in _CHANGES:
            if not inside(arguments[0]):
                raise PermissionError(f"a submission may not change {arguments[0]}")
        elif event in _REFUSED:
            raise PermissionError(f"a submission may not use {event}")

    sys.addaudithook(hook)


def _cells(notebook: Path) -> list[str]:
    """Return the code of a notebook's cells, without lines for IPython."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    return [
        "\n".join(
            line for line in source.splitlines() if not line.lstrip().startswith(("%", "!", "?"))
        )
        for source in sources
    ]


def _run(cells: list[str], grader: _Grader, seconds: float) -> None:
    """Run cells as a notebook does; one that fails does not keep the others from running."""
    from annobench.course import student
    from annobench.course.outcomes import Checked

    class Recorded(student.Session):
        def __init__(self, id: str, student: str) -> None:
            super().__init__(id, student)
            grader.tell(kind="session", session=self.lesson.id, student=self.student[:200])

        def check(self, id: str, answer: Any = ...) -> Checked:
            exercise = self._exercise(id).id
            return Checked(exercise, *grader.check(self.lesson.id, exercise, answer))

    student.Session = Recorded  # type: ignore[misc]
    # Data are loaded only by a notebook that uses them.
    student.session = Recorded
    names = {"__name__": "__main__", "display": lambda *values, **options: None}
    for number, source in enumerate(cells, 1):
        try:
            with time_limit(seconds, elapsed=seconds):
                exec(compile(source, f"<cell {number}>", "exec"), names)  # noqa: S102
        except BaseException as error:
            grader.tell(kind="error", cell=str(number), error=type(error).__name__[:80])


def main() -> None:
    """Run the notebook that the arguments name."""
    notebook, source, target, seconds, size, *folders = sys.argv[1:]
    _limit(int(seconds), int(size))
    # A cell that never ends shall not keep those after it from running.
    share = int(seconds) / 2
    with os.fdopen(int(source), encoding="utf-8") as asked, os.fdopen(int(target), "w") as told:
        grader = _Grader(asked, told, seconds=min(FUNCTION_SECONDS, share), elapsed=share)
        try:
            cells = _cells(Path(notebook))
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            grader.tell(kind="unreadable", error=type(error).__name__)
            return
        _guard((os.getcwd(), *folders))
        _run(cells, grader, share)
        grader.tell(kind="end")


if __name__ == "__main__":
    main()
