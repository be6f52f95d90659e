"""Faults, as a campaign: each test says what it tried, how often, and what came of it.

With ``--store-faults`` what the tests said is written to ``benchmarks/measured/faults``, whose
table the results page shows; nothing is stored if a test fails.
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
TRIED = pytest.StashKey[list["Tried"]]()


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


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Take a row of the table; whatever is neither the same nor refused is lost, and fails."""

    def note(area: str, fault: str, *, times: int, same: int = 0, refused: int = 0) -> None:
        row = Tried(area, fault, times, same, refused, times - same - refused)
        assert times > 0
        assert row.lost == 0, row
        record_property("tried", list(row))

    return note


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--store-faults", action="store_true", help="store what was tried")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TRIED] = []
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
            rows: list[Any] = [value for name, value in report.user_properties if name == "tried"]
            self.config.stash[TRIED] += [Tried(*row) for row in rows]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        wanted = self.config.getoption("--store-faults", default=False)
        if wanted and exitstatus == 0 and not hasattr(self.config, "workerinput"):
            store(sorted(self.config.stash[TRIED]))


def store(rows: list[Tried]) -> None:
    """Write the table whole, the circumstances in its first line."""
    path = FOLDER / "faults" / "tried.csv"
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {circumstances('snakemake', 'pyarrow', 'dask')}\n")
        csv.writer(file, lineterminator="\n").writerows([Tried._fields, *rows])
