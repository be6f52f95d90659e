"""The page on labels that memory does not hold: its commands and scripts run, in its order."""

import re
import shlex
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd
import pytest
from panels import skilled

pytest.importorskip("distributed", reason="the extra `scale` is not installed")


pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "large-labels.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
PROGRAMS = Path(sys.executable).parent


@pytest.fixture
def folder(tmp_path):
    """A folder with Parquet files of labels, and gold categories of some items."""
    made = skilled(60, 5, missing=0.1)
    (tmp_path / "labels").mkdir()
    rows = made.annotations.to_frame()
    for n in range(3):
        rows.iloc[n::3].to_parquet(tmp_path / "labels" / f"{n}.parquet", index=False)
    gold = pd.DataFrame({"item": made.annotations.items, "gold": made.category})
    gold.head(20).to_csv(tmp_path / "gold.csv", index=False)
    return tmp_path


@pytest.fixture
def address():
    """Return an address at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def commands(folder, address):
    """Yield what the page says to type, but for the installation; its scripts become files."""
    for language, block in BLOCKS:
        if language == "python":
            (folder / "script.py").write_text(block, encoding="utf-8")
            yield [sys.executable, "script.py"]
            continue
        for line in block.replace("host:8786", address).splitlines():
            program, *words = shlex.split(line)
            if program != "pip":
                yield [str(PROGRAMS / program), *words]


@contextmanager
def served(command, folder):
    """Run a command as long as the block lasts."""
    with subprocess.Popen(command, cwd=folder) as process:
        try:
            yield
        finally:
            process.terminate()


def test_what_the_page_says_runs(folder, address):
    n_run = n_served = 0
    with ExitStack() as servers:
        for command in commands(folder, address):
            if Path(command[0]).name == "dask":
                if command[1:] == ["scheduler"]:
                    command += ["--host", "127.0.0.1", "--port", address.split(":")[1]]
                servers.enter_context(served(command, folder))
                n_served += 1
                continue
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            n_run += 1
    assert (n_run, n_served) == (9, 2)
    items = pd.read_csv(folder / "partitions_consensus" / "items.csv")
    assert len(items) == 60
