"""Compiled code is kept where it can be, and runs where it can't."""

import ast
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from annobench.core import compiled

SOURCE = Path(compiled.__file__).parents[1]


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch):
    monkeypatch.setattr(compiled, "_told", set())


def add_one(x):
    return x + 1


def test_every_compiled_function_is_made_in_one_place():
    makers = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil"}
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba")
        if makers & {alias.name for alias in node.names}
    ]
    assert [place.partition(":")[0] for place in found] == ["core/compiled.py"]


def test_without_a_place_for_it_code_is_compiled_anew_and_that_is_said_once(monkeypatch, caplog):
    def refuse(*_):
        raise RuntimeError("cannot cache function 'add_one': no locator available")

    monkeypatch.setattr(compiled._Cache, "__init__", refuse)
    assert [compiled.kernel()(add_one)(2), compiled.kernel()(add_one)(3)] == [3, 4]
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "Compiled code can't be kept"
    ]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("where", ["_load_overload", "_save_overload"])
def test_a_cache_that_fails_later_stops_nothing(monkeypatch, tmp_path, caplog, number, where):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(compiled._Cache, where, refuse)
    assert compiled.kernel()(add_one)(2) == 3
    assert len(caplog.records) == (where == "_save_overload")


def test_what_was_compiled_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert compiled.kernel()(add_one)(2) == 3
    assert list(tmp_path.rglob("*.nbc"))
    again = compiled.kernel()(add_one)
    assert again(2) == 3
    assert sum(again.stats.cache_hits.values()) == 1


@pytest.mark.parametrize(("terminal", "said"), [(True, 1), (False, 0)])
def test_a_terminal_is_told_once_that_compiling_takes_time(
    monkeypatch, tmp_path, capsys, terminal, said
):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    function = compiled.kernel()(add_one)
    assert [function(2), function(2.0)] == [3, 3.0]
    assert capsys.readouterr().err.count("compiling") == said


@pytest.fixture
def open_folder():
    """A folder that every user may enter; those of pytest are private."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


#: Runs a command as a user who may read everything and write nothing that is not open to all.
READER = (
    *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)


def can_become_a_reader():
    if os.name != "posix" or os.geteuid() != 0 or shutil.which(READER[0]) is None:
        return False
    return subprocess.run([*READER, "true"], capture_output=True).returncode == 0


@pytest.mark.slow  # it compiles what a report needs
@pytest.mark.skipif(not can_become_a_reader(), reason="root may write anywhere, others only here")
def test_report_and_consensus_need_neither_the_package_nor_a_home_to_write_to(open_folder):
    labels, out, home = (open_folder / name for name in ("labels.csv", "out", "home"))
    labels.write_text("item,annotator,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n3,a,y\n3,b,y\n")
    out.mkdir()
    out.chmod(0o777)
    home.mkdir(mode=0o555)
    kept = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    settings = {name: value for name, value in os.environ.items() if name not in kept}
    settings |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(out)}
    for command in ("report", "consensus"):
        code = f"from annobench.cli import app; app([{command!r}, {str(labels)!r}, '--out', '.'])"
        done = subprocess.run(
            [*READER, sys.executable, "-c", code],
            **{"env": settings, "cwd": out, "capture_output": True, "text": True},
        )
        assert done.returncode == 0, done.stderr
        assert (out / f"{command}.html").is_file()
        assert done.stderr.count("Compiled code can't be kept") == 1
