"""What a benchmark measured, stored for the results page as the tables were printed."""

from __future__ import annotations

import contextlib
import csv
import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path

from annobench.core.files import replacing

#: Committed: the page shows what was measured last, and the command that measures again.
FOLDER = Path(__file__).parent / "measured"
COLUMNS = ("work", "contender", "quantity", "unit", "value", "target")


def circumstances(*packages: str) -> str:
    """Return day, cores, and versions of Python and of those packages that are installed."""
    found = [platform.python_implementation() + " " + platform.python_version()]
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except ModuleNotFoundError:
            found.append(f"without {package}")
    day = datetime.datetime.now(datetime.UTC).date()
    return "; ".join([f"measured {day}", f"{os.cpu_count()} cores of {_processor()}", *found])


def _processor() -> str:
    """Return the name of the processor; where the system gives none, its architecture."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


class Record:
    """The measurements of one benchmark.

    Parameters
    ----------
    name : str
        The benchmark's module.
    packages : str
        What took part beside this library; those installed are named with their versions.
    """

    def __init__(self, name: str, *packages: str) -> None:
        self.name = name
        self.packages = ("numpy", "numba", *packages)
        self.rows: list[tuple[str, str, str, str, str, str]] = []

    def add(
        self, work: str, contender: str, quantity: str, unit: str, value: float, target: str = ""
    ) -> None:
        """Add one number, to four digits, and what was aimed at."""
        self.rows.append((work, contender, quantity, unit, f"{value:.4g}", target))

    def save(self) -> None:
        """Write the file whole, the circumstances in its first line."""
        with (
            replacing(FOLDER / f"{self.name}.csv") as draft,
            draft.open("w", encoding="utf-8", newline="") as file,
        ):
            file.write(f"# {circumstances(*self.packages)}\n")
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *self.rows])
