"""What a benchmark measured, stored for the results page as the tables were printed."""

from __future__ import annotations

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
        found = [platform.python_implementation() + " " + platform.python_version()]
        for package in self.packages:
            try:
                found.append(f"{package} {version(package)}")
            except ModuleNotFoundError:
                found.append(f"without {package}")
        cores = f"{os.cpu_count()} cores"
        day = datetime.datetime.now(datetime.UTC).date()
        with (
            replacing(FOLDER / f"{self.name}.csv") as draft,
            draft.open("w", encoding="utf-8", newline="") as file,
        ):
            file.write("# " + "; ".join([f"measured {day}", cores, *found]) + "\n")
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *self.rows])
