"""What a start costs: a clone of the last commit, nothing in HOME, an empty cache.

Wall time, processor time of all processes, and disk, as README quotes them. `python -m
benchmarks.start NAME ...` measures those starts alone; the rows of the others stay. Downloads of
pip are included; data come from the mirror (`ANNOBENCH_DATA_MIRROR`), if there is one.
"""

from __future__ import annotations

import csv
import os
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks._record import FOLDER, Record

TOP = Path(__file__).parents[1]
README = TOP / "README.md"
BEGIN, END = "<!-- measured: python -m benchmarks start -->", "<!-- end of what is measured -->"
PAPER = "carpenter2008"
PIP, MAKE = ".venv-pip", ".venv"


@dataclass(frozen=True)
class Start:
    """A start: what README calls it, its commands, what comes before them, whose size counts."""

    words: str
    commands: tuple[str, ...]
    before: tuple[str, ...] = ()
    folder: str = "results"


STARTS = {
    "pip": Start(
        "installing with pip",
        (f"{sys.executable} -m venv {PIP}", f"{PIP}/bin/pip install --quiet ."),
        folder=PIP,
    ),
    "compare": Start(
        "a first comparison",
        (f"{PIP}/bin/annobench compare my_method.py",),
        (f"{sys.executable} -m venv {PIP}", f"{PIP}/bin/pip install --quiet .[data]"),
        folder="my_method_comparison",
    ),
    "make": Start("installing with make", ("make install",), folder=MAKE),
    "paper": Start(
        f"one paper, {PAPER}", (f"{MAKE}/bin/snakemake --cores all {PAPER}",), ("make install",)
    ),
    "results": Start("all results", ("make results",), ("make install",)),
}
#: By the quantity: its unit.
UNITS = {"wall": "min", "processor": "min", "disk": "MB"}


def measure(start: Start, clone: Path) -> dict[str, float]:
    """Return the minutes and megabytes of a start in a clone, of which environments alone stay."""
    subprocess.run(["git", "clean", "-xdfq", "-e", MAKE, "-e", PIP], cwd=clone, check=True)
    page = (TOP / "docs/how-to/compare-a-method.md").read_text(encoding="utf-8")
    [method] = re.findall(r"^`my_method.py`:?\n\n```python\n(.*?)^```", page, re.M | re.S)
    (clone / "my_method.py").write_text(method, encoding="utf-8")
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "ANNOBENCH_CACHE", "XDG_CACHE_HOME"}
    with tempfile.TemporaryDirectory() as home:
        settings = {name: value for name, value in os.environ.items() if name not in hidden}
        settings["HOME"] = home

        def run(command: str) -> None:
            subprocess.run(command.split(), cwd=clone, env=settings, check=True)

        for command in start.before:
            run(command)
        began, used = time.perf_counter(), _processor_time()
        for command in start.commands:
            run(command)
        wall, used = time.perf_counter() - began, _processor_time() - used
    disk = subprocess.check_output(["du", "-sm", clone / start.folder], text=True).split()[0]
    return {"wall": wall / 60, "processor": used / 60, "disk": float(disk)}


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def stored() -> tuple[str, list[dict[str, str]]]:
    """Return the circumstances of what is stored, and its rows."""
    path = FOLDER / "start.csv"
    if not path.is_file():
        return "", []
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    return first.removeprefix("# "), list(csv.DictReader(lines))


def quoted(circumstances: str, rows: Iterable[Mapping[str, str]]) -> str:
    """Say for README what was measured."""
    values: dict[str, dict[str, float]] = {}
    for row in rows:
        values.setdefault(row["work"], {})[row["quantity"]] = float(row["value"])
    day, machine = circumstances.split("; ")[:2]
    parts = [
        f"{work} {_minutes(value['wall'])} and {_minutes(value['processor'])} minutes, "
        f"{value['disk']:,.0f} MB"
        for work, value in values.items()
    ]
    text = (
        f"Wall and processor time, and disk, from a fresh clone with an empty cache ({day}, "
        f"{machine}): {'; '.join(parts)}."
    )
    return textwrap.fill(text, 120)


def _minutes(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def quote() -> str:
    """Return README's text with what is stored."""
    text = README.read_text(encoding="utf-8")
    block = f"{BEGIN}\n{quoted(*stored())}\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: block, text, flags=re.S)


def main(names: list[str]) -> None:
    """Measure starts, all or those named, store them, and write them into README."""
    if unknown := sorted(set(names) - set(STARTS)):
        raise SystemExit(f"benchmarks: {unknown[0]!r} is not one of {', '.join(STARTS)}.")
    before, (_, rows) = {}, stored()
    for row in rows:
        before.setdefault(row["work"], []).append(tuple(row.values()))
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "annobench"
        subprocess.run(["git", "clone", "--quiet", TOP, clone], check=True)
        for name in names or STARTS:
            words, record = STARTS[name].words, Record("start")
            for quantity, value in measure(STARTS[name], clone).items():
                record.add(words, "annobench", quantity, UNITS[quantity], value)
                print(f"{words}: {quantity} {value:.1f} {UNITS[quantity]}", flush=True)
            before[words] = record.rows
            record.rows = [row for start in STARTS.values() for row in before.get(start.words, ())]
            record.save()
            README.write_text(quote(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
