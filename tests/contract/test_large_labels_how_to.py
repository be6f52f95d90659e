"""The page on labels that memory does not hold: all that it says to type, typed in its order."""

import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra `scale` is not installed")

from annobench.simulation import panels

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "large-labels.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
PROGRAMS = Path(sys.executable).parent


@pytest.fixture
def folder(tmp_path):
    """A folder with Parquet files of labels, and gold categories of some items."""
    made = panels.binary(
        n_items=60,
        n_annotators=5,
        prevalence=0.4,
        sensitivity=(20, 4),
        specificity=(20, 4),
        missing=0.1,
        rng=np.random.default_rng(7),
    )
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


def test_what_the_page_says_runs(folder, address):
    serving, n_run = [], 0
    try:
        for language, block in BLOCKS:
            if language == "python":
                (folder / "script.py").write_text(block, encoding="utf-8")
                commands = [[sys.executable, "script.py"]]
            else:
                lines = block.replace("host:8786", address).splitlines()
                commands = [shlex.split(line) for line in lines]
            for program, *words in commands:
                if program == "pip":
                    continue
                if program == "dask":
                    at = ["--host", "127.0.0.1", "--port", address.split(":")[1]]
                    words += at if words == ["scheduler"] else []
                    serving.append(subprocess.Popen([PROGRAMS / program, *words], cwd=folder))
                    continue
                done = subprocess.run(
                    [PROGRAMS / program, *words],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=300,
                    check=False,
                )
                assert done.returncode == 0, f"{block}\n{done.stderr}"
                n_run += 1
    finally:
        for process in reversed(serving):
            process.terminate()
            process.wait(timeout=60)
    assert (n_run, len(serving)) == (8, 2)
    items = pd.read_csv(folder / "partitions_consensus" / "items.csv")
    assert len(items) == 60
