"""What the Makefile offers, and what each target would run."""

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

TOP = Path(__file__).parents[1]


def targets() -> list[str]:
    """Return the targets that `make help` lists."""
    told = subprocess.run(["make", "help"], cwd=TOP, check=True, capture_output=True, text=True)
    return re.findall(r"^  make (\S+)", told.stdout, flags=re.M)


def lines(target: str, *variables: str) -> list[str]:
    """Return the lines that make would run for a target."""
    # With PYTHON given, make does not look for one, each time.
    command = ["make", "--dry-run", target, f"PYTHON={sys.executable}", *variables]
    told = subprocess.run(command, cwd=TOP, check=True, capture_output=True, text=True)
    return told.stdout.replace("\\\n", " ").splitlines()


@cache
def runs_of_snakemake(target: str, *variables: str) -> list[list[str]]:
    """Return the arguments of each run of Snakemake that a target begins."""
    found = []
    for line in lines(target, *variables):
        words = shlex.split(line)
        programs = [n for n, word in enumerate(words) if Path(word).name == "snakemake"]
        found += [words[n + 1 :] for n in programs[:1]]
    return found
