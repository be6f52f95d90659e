"""Where a submission runs: where it reaches nothing but a folder of its own.

Namespaces of Linux need no more than the kernel; elsewhere a container does the same. Without
either, submissions run only if the teacher says that they are trusted.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import annobench
from annobench_course import sessions
from annobench_course.errors import CourseError
from annobench_course.teacher.limits import MAX_FOLDER, MAX_MEMORY, MAX_PROCESSES
from annobench_course.watch import ELAPSED_PER_SECOND

__all__ = ["IMAGE", "Confinement", "Container", "Namespaces", "Unconfined", "confinement"]

#: The container's image, made from the Containerfile of the teacher's archive.
IMAGE = f"annobench-course:{annobench.__version__}"

_MODULE = "annobench_course.teacher.submission"
_ENGINES = ("podman", "docker")


@dataclass(frozen=True)
class Confinement(ABC):
    """A way of running submissions.

    Attributes
    ----------
    data : path or None
        The course's folder of data, which a submission may read.
    hidden : path or None
        The folder of all submissions, which it may not.
    """

    data: Path | None = None
    hidden: Path | None = None

    @abstractmethod
    def command(self, folder: Path, seconds: int) -> list[str]:
        """Return the command that runs one submission, whose cells it reads from its input.

        Parameters
        ----------
        folder : path
            An empty folder.
        seconds : int
            Limit of its time on a processor.

        Returns
        -------
        list of str
            The command.
        """

    @contextmanager
    def running(self, seconds: int) -> Iterator[subprocess.Popen[bytes]]:
        """Start the process of a submission, and end it with all that it started.

        Parameters
        ----------
        seconds : int
            As in `command`.

        Yields
        ------
        subprocess.Popen
            Its input and output are pipes.
        """
        with tempfile.TemporaryDirectory(prefix="annobench-submission-") as name:
            process = subprocess.Popen(  # noqa: S603  (of the classes below)
                self.command(Path(name), seconds),
                cwd=name,
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                yield process
            finally:
                _end(process)

    def works(self) -> bool:
        """Tell whether a submission without cells comes to its end.

        Returns
        -------
        bool
            False also where the system lacks what is needed.
        """
        try:
            with self.running(60) as process:
                said, _ = process.communicate(b"[]\n", timeout=60)
        except (OSError, subprocess.SubprocessError):
            return False
        return b'"end"' in said


class Namespaces(Confinement):
    """Namespaces of Linux: no other files, processes or network are there."""

    def command(self, folder: Path, seconds: int) -> list[str]:
        described = {
            "root": str(folder),
            "readable": sorted({str(path) for path in _readable() if path.exists()}),
            "hidden": None if self.hidden is None else str(self.hidden.absolute()),
            "data": None if self.data is None else str(self.data.absolute()),
        }
        unshare = shutil.which("unshare") or "unshare"
        namespaces = ["--user", "--map-root-user", "--mount", "--net", "--pid", "--ipc"]
        python = [sys.executable, "-m", _MODULE, str(seconds)]
        return [unshare, *namespaces, "--fork", "--kill-child", *python, json.dumps(described)]


@dataclass(frozen=True)
class Container(Confinement):
    """A container of the course's image.

    Attributes
    ----------
    engine : str
        "podman" or "docker".
    """

    engine: str = "docker"

    def command(self, folder: Path, seconds: int) -> list[str]:
        options = [
            *("--rm", "--interactive", "--network=none", "--read-only", "--cap-drop=ALL"),
            *("--security-opt=no-new-privileges", "--user=65534:65534", "--workdir=/submission"),
            f"--tmpfs=/submission:size={MAX_FOLDER},mode=1777",
            f"--memory={MAX_MEMORY}",
            f"--pids-limit={MAX_PROCESSES}",
        ]
        if self.data is not None:
            options.append(f"--volume={self.data.absolute()}:/submission/data:ro")
        # Killing the engine's client leaves the container running.
        limited = ["timeout", "--signal=KILL", str(2 * ELAPSED_PER_SECOND * seconds)]
        python = ["python", "-m", _MODULE, str(seconds)]
        return [self.engine, "run", *options, IMAGE, *limited, *python]

    def has_image(self) -> bool:
        """Tell whether the engine runs and has the image.

        Returns
        -------
        bool
            False also if the engine is not installed.
        """
        if shutil.which(self.engine) is None:
            return False
        asked = [self.engine, "image", "inspect", IMAGE]
        try:
            return not subprocess.run(asked, capture_output=True, timeout=60).returncode  # noqa: S603
        except (OSError, subprocess.TimeoutExpired):
            return False


class Unconfined(Confinement):
    """A process of the teacher's, which may do all that the teacher may."""

    def command(self, folder: Path, seconds: int) -> list[str]:
        if self.data is not None:
            (folder / "data").symlink_to(self.data.absolute())
        return [sys.executable, "-m", _MODULE, str(seconds)]


def confinement(data: Path | None, hidden: Path | None, *, trusted: bool = False) -> Confinement:
    """Return the first way of running submissions that this computer has.

    Parameters
    ----------
    data : path or None
        The course's folder of data.
    hidden : path or None
        The folder of all submissions.
    trusted : bool, default False
        Whether they may run unconfined if there is no other way.

    Returns
    -------
    Confinement
        Namespaces, a container or, if trusted, neither.

    Raises
    ------
    CourseError
        If there is no way and they are not trusted; says how to make one.
    """
    namespaces = Namespaces(data, hidden)
    if namespaces.works():
        return namespaces
    for engine in _ENGINES:
        container = Container(data, hidden, engine)
        if container.has_image():
            return container
    if trusted:
        return Unconfined(data, hidden)
    raise CourseError(
        "Submissions are programs, and nothing here prevents them from reading, changing or "
        f"deleting your files: this system has no user namespaces, and no {' or '.join(_ENGINES)} "
        f"with the image {IMAGE}. Build the image once, in the folder `package` of the "
        "teacher's archive:\n"
        f"    docker build --tag {IMAGE} .\n"
        "or, if you trust the author of every submission, add --trust."
    )


def _readable() -> Iterator[Path]:
    """Yield what Python and the library need to run and to load data, and nothing else."""
    from annobench.datasets.sources import cache_folder

    yield from map(Path, (sys.prefix, sys.base_prefix, sys.exec_prefix, *sessions.__path__))
    # Where the packages are: in another's checkout, if they are installed from one.
    for name in sorted(_packages()):
        spec = importlib.util.find_spec(name)
        places = (spec.submodule_search_locations if spec else None) or ()
        yield from (Path(path).resolve() for path in places)
    yield from map(Path, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    if site.ENABLE_USER_SITE:
        yield Path(site.getusersitepackages())
    yield cache_folder().absolute()
    if mirror := os.environ.get("ANNOBENCH_DATA_MIRROR"):
        yield Path(mirror).absolute()


def _packages() -> set[str]:
    """Return the library, the course, and the packages that give the library readers and data."""
    points = (p for each in importlib.metadata.distributions() for p in each.entry_points)
    found = {point.module for point in points if point.group.startswith("annobench.")}
    return {module.partition(".")[0] for module in found} | {"annobench", "annobench_course"}


def _environment() -> dict[str, str]:
    """Return an environment with nothing of the teacher's but what programs need to be found."""
    from annobench.datasets.sources import cache_folder
    from annobench_course.teacher.compiling import FOLDER, compiled_folder

    kept = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "SYSTEMROOT", "ANNOBENCH_DATA_MIRROR")
    engines = ("HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST")
    return {name: os.environ[name] for name in (*kept, *engines) if name in os.environ} | {
        "ANNOBENCH_CACHE": str(cache_folder().absolute()),
        FOLDER: str(compiled_folder()),
        sessions.FOLDERS: os.pathsep.join(list(sessions.__path__)[1:]),
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for pipe in filter(None, (process.stdin, process.stdout)):
        with contextlib.suppress(OSError):  # of what was to be said to a process that is gone
            pipe.close()
