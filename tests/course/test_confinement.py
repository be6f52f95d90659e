"""A submission that would cheat, destroy or disturb does no harm, and is marked like any other."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from typer.testing import CliRunner

import annobench_course
from annobench.cli import app
from annobench_course.errors import CourseError
from annobench_course.teacher import confinement as confining
from annobench_course.teacher import grading
from annobench_course.teacher.confinement import (
    IMAGE,
    Container,
    Namespaces,
    Unconfined,
    confinement,
)
from annobench_course.watch import ELAPSED_PER_SECOND

pytestmark = pytest.mark.slow

#: What "changes the library" would change.
PACKAGE = Path(annobench_course.__file__).parent

FIRST = """
import annobench_course as course
session = course.session("00_example", student="{student}")
"""
RIGHT = 'm = session.given("0.1")["matrix"]\nsession.check("0.1", m.trace() / m.sum())'

#: What a hostile submission does, after an answer that is right. `HOME` is the teacher's folder,
#: with a file `victim.txt`, `SUBMISSIONS` one in it, and PORT somebody listens at.
HOSTILE = {
    "writes": "open('HOME/victim.txt', 'w').write('x')",
    "deletes by arrow": "from pyarrow import fs\n"
    "fs.LocalFileSystem().delete_file('HOME/victim.txt')",
    "writes by sqlite": "import sqlite3\n"
    "sqlite3.connect('HOME/new.db').execute('create table a (b)').connection.commit()",
    "deletes by ctypes": "import ctypes\nassert not ctypes.CDLL(None).unlink(b'HOME/victim.txt')",
    "deletes by the shell": "text = !rm -r HOME/* && echo done\nassert 'done' in text",
    "changes the library": "import annobench_course.outcomes as o\n"
    "open(o.__file__, 'a').write('Checked.passed = True')",
    "changes compiled code": "import os, pathlib\n"
    "for name in (os.environ['NUMBA_CACHE_DIR'], os.environ['ANNOBENCH_COMPILED']):\n"
    "    for file in pathlib.Path(name).rglob('*.nbc'): file.write_bytes(b'spoiled')",
    "copies from another": "import glob\n"
    "[one] = glob.glob('SUBMISSIONS/honest.ipynb')\nexec(open(one).read())",
    "writes its grades": "open('SUBMISSIONS/grades.csv', 'w').write('0.2,1')",
    "connects": "import socket\nsocket.create_connection(('127.0.0.1', PORT), 2)",
    "kills": "import os\nos.kill(os.getppid(), 9)\nos.kill(PARENT, 9)",
    "forks": "import os\nfor _ in range(8): os.fork()",
    "sets the kernel": "import os\nos.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)",
    "stays": "import subprocess\nsubprocess.Popen(['setsid', 'sleep', '4711.25'])",
    "fills the disk": "import itertools\n"
    "for n in itertools.count(): open(f'{n}.bin', 'wb').write(bytes(1 << 25))",
    "mounts": "import ctypes\n"
    "assert not ctypes.CDLL(None).mount(None, b'/usr', None, 32 | 4096, None)",
    "unshares": "import ctypes\nlibc = ctypes.CDLL(None)\n"
    "assert not libc.unshare(0x10000000 | 0x20000)\n"
    "assert not libc.mount(None, b'/usr', None, 32 | 4096, None)",
    "reads secrets": "text = open('HOME/victim.txt').read()",
}
#: Those that change only what is theirs. (Root may have as many processes as there can be.)
SILENT = {"changes compiled code", "stays", "forks"}


def write(folder, name, *cells, student=None):
    folder.mkdir(parents=True, exist_ok=True)
    sources = [FIRST.format(student=student or name), *cells]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    nbformat.write(notebook, folder / f"{name}.ipynb")


def contents(folder):
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The teacher's folder, which holds what is worth harming."""
    folder = tmp_path_factory.mktemp("teacher")
    (folder / "victim.txt").write_text("kept")
    return folder


@pytest.fixture(scope="module")
def graded(home, other_processes, tmp_path_factory):
    """All of them graded between two honest ones; the tables by file."""
    import socket

    if not Namespaces().works():
        pytest.skip("no namespaces here")
    cache = tmp_path_factory.mktemp("cache")
    submissions = home / "submissions"
    reads = {"HOME": str(home), "SUBMISSIONS": str(submissions), "PARENT": str(os.getpid())}
    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as server:
        patch.setenv("ANNOBENCH_CACHE", str(cache))
        reads["PORT"] = str(server.getsockname()[1])
        for name, code in HOSTILE.items():
            for word, text in reads.items():
                code = code.replace(word, text)
            write(submissions, name, RIGHT, code, student=name)
        for name in ("honest", "zealous"):
            write(submissions, name, RIGHT)
        before = contents(home)
        library = contents(PACKAGE)
        table = grading.grade(submissions, seconds=20)
        compiled = contents(cache)
    return dict(list(table.groupby("file"))), before, library, compiled


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_marked_and_fails(graded, name):
    table = graded[0][f"{name}.ipynb"].set_index("exercise")
    assert table.loc["0.1", "passed"] == 1
    assert table.loc["total", "passed"] == 1
    said = table.loc["total", "message"]
    assert said.startswith(("Cells that fail: 3", "The notebook")) or name in SILENT, said


def test_it_does_no_harm(graded, home):
    tables, before, library, compiled = graded
    assert contents(home) == before
    assert contents(PACKAGE) == library
    assert compiled
    assert hashlib.sha256(b"spoiled").hexdigest() not in compiled.values()
    assert (
        "4711.25"
        not in subprocess.run(["ps", "axo", "args"], capture_output=True, text=True).stdout
    )
    for name in ("honest", "zealous"):
        table = tables[f"{name}.ipynb"].set_index("exercise")
        assert (table.loc["total", "passed"], table.loc["total", "message"]) == (1, "")


def test_without_confinement_it_is_refused_unless_trusted(tmp_path, monkeypatch, other_processes):
    write(tmp_path, "Ann", RIGHT)
    monkeypatch.setattr(Namespaces, "works", lambda self: False)
    monkeypatch.setattr(Container, "has_image", lambda self: False)
    with pytest.raises(CourseError, match=r"(?s)docker build --tag annobench-course:.*--trust"):
        grading.grade(tmp_path)
    refused = CliRunner().invoke(app, ["course", "grade", str(tmp_path)])
    assert refused.exit_code == 1
    assert not (tmp_path / "grades.csv").exists()
    done = CliRunner().invoke(app, ["course", "grade", str(tmp_path), "--trust"])
    assert done.exit_code == 0, done.output
    assert "1 of 6 passed" in done.output


def test_a_container_is_taken_where_there_are_no_namespaces(monkeypatch):
    monkeypatch.setattr(Namespaces, "works", lambda self: False)
    monkeypatch.setattr(Container, "has_image", lambda self: self.engine == "docker")
    assert confinement(None, None) == Container(None, None, "docker")


def test_a_container_has_no_network_and_changes_nothing(tmp_path):
    command = Container(tmp_path, None, "podman").command(tmp_path, 60)
    assert command[:2] == ["podman", "run"]
    for option in ("--network=none", "--read-only", "--cap-drop=ALL", "--rm"):
        assert option in command
    assert f"--volume={tmp_path}:/submission/data:ro" in command
    assert str(2 * ELAPSED_PER_SECOND * 60) in command[command.index(IMAGE) :]


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """A container engine that has the image, and runs its command without a container."""
    place = tmp_path / "bin"
    place.mkdir()
    script = place / "podman"
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "if sys.argv[1:3] == ['image', 'inspect']:\n    raise SystemExit\n"
        f"command = sys.argv[sys.argv.index({IMAGE!r}) + 1:]\n"
        f"command[command.index('python')] = {sys.executable!r}\n"
        "os.execvp(command[0], command)\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=os.pathsep)


def test_a_container_is_talked_to_through_its_engine(
    tmp_path, engine, monkeypatch, other_processes
):
    if shutil.which("timeout") is None:
        pytest.skip("no `timeout`, which the image has")
    monkeypatch.setattr(Namespaces, "works", lambda self: False)
    write(tmp_path / "all", "Ann", RIGHT)
    table = grading.grade(tmp_path / "all")
    assert table.set_index("exercise").loc["total", "passed"] == 1


def test_an_end_is_an_end(tmp_path, monkeypatch):
    # Whatever a process started is gone with it
    monkeypatch.setattr(confining, "_readable", lambda: iter(()))
    assert not Namespaces().works(), "Python itself can't be read"
    with Unconfined().running(5) as process:
        time.sleep(0.1)
    assert process.returncode is not None


def test_without_confinement_they_do_harm(tmp_path, monkeypatch, other_processes):
    # The negative control, of what stays in this test's own folder
    (tmp_path / "victim.txt").write_text("kept")
    monkeypatch.setattr(Namespaces, "works", lambda self: False)
    monkeypatch.setattr(Container, "has_image", lambda self: False)
    submissions = tmp_path / "submissions"
    for name in ("copies from another", "writes by sqlite", "deletes by arrow"):
        code = HOSTILE[name].replace("HOME", str(tmp_path))
        write(submissions, name, code.replace("SUBMISSIONS", str(submissions)), student=name)
    write(submissions, "honest", RIGHT)
    grading.grade(submissions, trusted=True)
    assert (tmp_path / "new.db").exists()
    assert not (tmp_path / "victim.txt").exists()
