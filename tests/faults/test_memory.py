"""Memory: of commands on a million labels, and of rules beside what they declare."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench.cli._memory import PER_LABEL, START

TOP = Path(__file__).parents[2]
RESULTS = Path(os.environ.get("ANNOBENCH_RESULTS", TOP / "results"))
AREA = "Memory"

#: Megabytes that a command may have with a million labels: 1 GiB.
LIMIT = 2**30 / 1e6
N_ITEMS, N_ANNOTATORS, CATEGORIES = 100_000, 50, ("no", "maybe", "yes")
#: Runs a command and leaves the most memory, in kB, that it and the largest of its children had.
PROGRAM = """
import atexit, resource, sys
from pathlib import Path

place = Path(sys.argv[1])

def leave():
    status = Path("/proc/self/status").read_text()
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    own = int(status.split("VmHWM:")[1].split()[0])
    place.write_text(f"{own + children}")

atexit.register(leave)
from annobench.__main__ import main
sys.argv = ["annobench", *sys.argv[2:]]
main()
"""
#: What commands are given beside the labels.
MORE = {
    "audit": ["--checks", "200"],
    "certificate": ["--min-agreement", "majority"],
    "compare": ["--gold", "{gold}", "--against", "voting", "--replicates", "20"],
    "convert": ["{out}.parquet"],
    "judge": ["--judge", "a0"],
}


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    """Write a million labels, ten of each item, of which four in five are right, and gold."""
    folder = tmp_path_factory.mktemp("labels")
    rng = np.random.default_rng(1)
    truth = rng.integers(len(CATEGORIES), size=N_ITEMS)
    item = np.repeat(np.arange(N_ITEMS), 10)
    annotator = (rng.integers(N_ANNOTATORS, size=N_ITEMS)[:, None] + np.arange(10) * 5) % 50
    other = rng.integers(1, len(CATEGORIES), size=item.size)
    wrong = rng.random(item.size) > 0.8
    label = (truth[item] + wrong * other) % len(CATEGORIES)
    frame = pd.DataFrame({"item": item, "annotator": annotator.ravel(), "label": label})
    frame["item"] = "item-" + frame["item"].astype(str)
    frame["annotator"] = "a" + frame["annotator"].astype(str)
    frame["label"] = np.array(CATEGORIES, dtype=object)[label]
    frame.to_csv(folder / "labels.csv", index=False)
    gold = {"item": frame["item"][::1000], "gold": np.array(CATEGORIES, dtype=object)[truth[::100]]}
    pd.DataFrame(gold).to_csv(folder / "gold.csv", index=False)
    return folder / "labels.csv"


@pytest.mark.parametrize("command", PER_LABEL)
def test_a_command_has_less_than_a_gibibyte(labels, tmp_path, within_memory, tried, command):
    places = {"gold": str(labels.with_name("gold.csv")), "out": str(tmp_path / "out")}
    words = [command, *(["--labels"] if command == "compare" else []), str(labels)]
    words += [word.format(**places) for word in MORE.get(command, [])]
    if command == "compare":
        method = tmp_path / "my_method.py"
        method.write_text(
            "def fit(labels, rng):\n"
            "    return labels.counts / labels.counts.sum(axis=1, keepdims=True)\n"
        )
        words.insert(1, str(method))
    if command not in ("convert", "inspect"):
        words += ["--out", places["out"]]
    left = tmp_path / "peak"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(left), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    peak = 1024 * int(left.read_text()) / 1e6
    within_memory(f"annobench {command}", peak, LIMIT)
    # What is refused by the estimate would need as much, and no command is refused that need not.
    n_labels = 10 * N_ITEMS
    estimate = (START + n_labels * PER_LABEL[command]) / 1e6
    assert peak <= estimate <= 1.5 * peak, f"{peak:.0f} MB, estimated {estimate:.0f}"
    tried(AREA, f"annobench {command} with a million labels", times=1, same=1)


@pytest.mark.parametrize("command", ["consensus", "report", "convert"])
def test_a_command_refuses_what_memory_does_not_hold(labels, tmp_path, tried, command):
    """Give a command less memory than it needs: it says so at once, and is not killed."""
    words = [command, str(labels), *([str(tmp_path / "x.csv")] if command == "convert" else [])]
    program = (
        "import resource, sys\n"
        "from annobench.cli import app\n"
        "from annobench.aggregation import consensus\n"
        "from annobench.reporting import consensus_page, report_page\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + 384 * 2**20,) * 2)\n"
        "app(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )
    said = " ".join(done.stderr.split())
    assert done.returncode == 1, said
    assert "labels.csv: about 1,0" in said
    assert f"labels, for which annobench {command} would need about" in said
    assert "Traceback" not in said
    tried(AREA, f"annobench {command} with a million labels, 384 MiB left", times=1, refused=1)


def test_rules_have_what_they_declare(within_memory, tried):
    """Compare the benchmark files of a finished run with the resources that stand in them."""
    files = sorted(RESULTS.glob("logs/**/*.benchmark.tsv"))
    if not files:
        pytest.skip(f"{RESULTS} has no finished run: `make results` makes one")
    rows = pd.concat([pd.read_csv(path, sep="\t") for path in files], ignore_index=True)
    rows = rows[rows["max_rss"].notna()]
    rows["limit"] = [ast.literal_eval(each)["mem_mb"] for each in rows["resources"]]
    rows["peak"] = 2**20 / 1e6 * rows["max_rss"]
    most = rows.groupby("rule_name")[["peak", "limit"]].max()
    beyond = most[most["peak"] > most["limit"]]
    assert beyond.empty, beyond
    tried(AREA, "a job of a run beside its declared memory", times=len(rows), same=len(rows))
    near = most.loc[(most["peak"] / most["limit"]).sort_values().index[-10:]]
    for name, (peak, limit) in near.iterrows():
        within_memory(f"rule {name}", peak, limit)
