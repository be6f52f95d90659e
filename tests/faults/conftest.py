"""Faults, as a campaign: each test says what it tried, how often, and what came of it.

With ``--store-faults all`` what the tests said is written to ``benchmarks/measured/faults``, whose
tables the results page shows; nothing is stored if a test fails. ``--store-faults these`` is for a
part of the campaign.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from benchmarks._record import FOLDER, circumstances

from annobench.core.files import replacing

HERE = Path(__file__).parent
STORED = pytest.StashKey[dict[str, list[Any]]]()


class Tried(NamedTuple):
    """A row of the campaign's table.

    Attributes
    ----------
    area : str
        What was harmed, such as "Workflow" or "Reader of CSV".
    fault : str
        What was done to it, in words for the page.
    times : int
        How often.
    same : int
        After which of these the result was the same, once the command had been given again.
    refused : int
        After which of these an error said what to do.
    lost : int
        All others.
    """

    area: str
    fault: str
    times: int
    same: int
    refused: int
    lost: int


class Memory(NamedTuple):
    """A row of the table of memory.

    Attributes
    ----------
    what : str
        What had it: a command or a rule, in words for the page.
    peak, limit : float
        The most at once, and how much it may be, in megabytes of 10^6 bytes.
    """

    what: str
    peak: float
    limit: float


#: The tables, by what they are stored as.
TABLES: dict[str, Any] = {"tried": Tried, "memory": Memory}
#: The first columns, which tell a row of a table from its others.
KEYS = {"tried": 2, "memory": 1}


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Take a row of the table; whatever is neither the same nor refused is lost, and fails."""

    def note(area: str, fault: str, *, times: int, same: int = 0, refused: int = 0) -> None:
        row = Tried(area, fault, times, same, refused, times - same - refused)
        assert times > 0
        assert row.lost == 0, row
        record_property("tried", list(row))

    return note


@pytest.fixture
def within_memory(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Take a row of the table of memory; what goes beyond its limit fails."""

    def note(what: str, peak: float, limit: float) -> None:
        assert 0 < peak <= limit, f"{what}: {peak:.0f} MB, and at most {limit:.0f} are allowed"
        record_property("memory", [what, round(peak), round(limit)])

    return note


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--store-faults",
        choices=["all", "these"],
        help="store what was tried, if no test fails: alone, or in place of the same rows",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STORED] = {name: [] for name in TABLES}
    config.pluginmanager.register(_Collector(config))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)


class _Collector:
    """Collects rows where the reports of all processes arrive."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            for name, row in report.user_properties:
                if name in TABLES:
                    self.config.stash[STORED][name].append(TABLES[name](*row))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        wanted = self.config.getoption("--store-faults", default=None)
        if wanted and exitstatus == 0 and not hasattr(self.config, "workerinput"):
            for name, rows in self.config.stash[STORED].items():
                if rows or wanted == "all":  # the date is that of what was measured
                    store(name, rows, alone=wanted == "all")


def store(name: str, rows: list[Any], *, alone: bool) -> None:
    """Write a table whole, the circumstances in its first line."""
    path = FOLDER / "faults" / f"{name}.csv"
    if not alone:
        with path.open(encoding="utf-8", newline="") as file:
            before = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
        key = KEYS[name]
        anew = {tuple(row[:key]) for row in rows}
        rows = rows + [row for row in before if tuple(row[:key]) not in anew]
    rows = sorted([str(each) for each in row] for row in rows)
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {circumstances('snakemake', 'pyarrow', 'dask')}\n")
        csv.writer(file, lineterminator="\n").writerows([TABLES[name]._fields, *rows])
