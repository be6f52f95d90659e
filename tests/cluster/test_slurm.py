"""The workflow on a SLURM cluster of one node, made for the test: `make test-cluster`, as root."""

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOP = Path(__file__).parents[2]
EXECUTOR = TOP / ".venv-cluster"

#: Papers on real or simulated data, on printed tables and with draws: every rule of an analysis.
TARGETS = [f"results/papers/{key}/comparison.csv" for key in ("su2008", "volk2008", "bhowmick2008")]

#: What a cluster of two slots needs beside the profile.
OPTIONS = [
    *("--profile", "profiles/slurm", "--cores", "2", "--slurm-no-account"),
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "3"),
    *("--seconds-between-status-checks", "3", "--latency-wait", "10"),
]

#: Of the status of the script where no cluster can be made.
NO_CLUSTER = 77


def clone(folder):
    """Copy what is under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=TOP, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TOP / name, target)
    return folder


def run(folder, *command):
    """Run snakemake in a copy, with a cache of its own."""
    paths = [folder / "src", EXECUTOR]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "ANNOBENCH_CACHE": str(folder / "cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        [*command], cwd=folder, env=environment, capture_output=True, text=True, timeout=1800
    )


def files(folder):
    """Return the results of a run, without its logs, which tell times."""
    found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {path for path in found if path.parts[0] != "logs"}


@pytest.mark.skipif(not EXECUTOR.is_dir(), reason="`make test-cluster` installs the executor")
def test_a_run_on_a_cluster_gives_the_files_of_a_local_one(tmp_path):
    far, near = (clone(tmp_path / name) for name in ("cluster", "local"))
    done = run(far, far / "tests/cluster/slurm.sh", "snakemake", *OPTIONS, *TARGETS)
    if done.returncode == NO_CLUSTER:
        pytest.skip(done.stderr.strip())
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-4000:]
    assert "submitted with SLURM jobid" in said
    local = run(near, "snakemake", "--cores", "2", *TARGETS)
    assert local.returncode == 0, local.stderr[-4000:]
    expected = files(near / "results")
    assert files(far / "results") == expected
    _, differing, unreadable = filecmp.cmpfiles(
        far / "results", near / "results", sorted(map(str, expected)), shallow=False
    )
    assert (differing, unreadable) == ([], [])
    submissions = said.count("submitted with SLURM jobid")
    jobs = sum(line.startswith("Finished jobid") for line in said.splitlines())
    assert submissions < jobs
