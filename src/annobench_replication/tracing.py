"""Run a paper's analysis with changed numbers, constants and data, to see what moves.

The analysis is run as the workflow runs it, at quick effort, and stopped as soon as it has
handed over its values. Nothing is written.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annobench.datasets import LoadedData
from annobench.reporting.printed import parse_printed
from annobench_replication.analysis import Analysis
from annobench_replication.dependence import (
    N_DRAWS,
    Changes,
    Number,
    cell_name,
    numbers_of,
)
from annobench_replication.ledger import CALIBRATION_METHOD, PAPER_METHOD
from annobench_replication.results import Results
from annobench_replication.searches import SEARCHED
from annobench_replication.study import Study

__all__ = ["TracedPaper"]

#: The group of the constants that an analysis declares: names of capitals in its modules.
CONSTANTS = "constants of the analysis"
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")

#: The share of labels that are drawn anew in the last draw of changed data, each label that there
#: is with the same probability.
CHANGED_SHARE = 1 / 3

#: One item of so many is left out of changed data, and one annotator of so many.
ITEMS_EACH, ANNOTATORS_EACH = 8, 12


class _ValuesComplete(BaseException):
    """The analysis has handed over its values; what it draws and tabulates is not wanted."""


class _ValuesOnly(Results):
    """Takes the values of an analysis and stops it before the first table or figure."""

    def __init__(self, study: Study) -> None:
        super().__init__(study, Path(), figures=(), tables=(), seed=0)

    def complete_values(self) -> None:
        raise _ValuesComplete


class TracedPaper:
    """A paper's analysis as a function of the numbers and data that it reads.

    Parameters
    ----------
    folder : Path
        The paper's folder, with its modules and `tables/`.
    data : mapping of str to Path
        Folders of its data sets by id.
    seed : int
        Of every run.
    """

    def __init__(self, folder: Path, data: Mapping[str, Path], seed: int) -> None:
        self._analysis, self._seed = Analysis(folder), seed
        study = Study.of_folder(folder, data)
        self._data = {id: study.data(id) for id in study.datasets}
        self._tables = {
            name: study.printed(name, dtype="str", keep_default_na=False) for name in study.tables
        }
        # What is searched for is no input of what is found.
        self._inputs = {n: table for n, table in self._tables.items() if n != SEARCHED}
        self._places = {
            name: {
                cell_name(f"{name}.csv", table, row, column): (row, column)
                for row in range(len(table))
                for column in range(1, len(table.columns))
            }
            for name, table in self._tables.items()
        }

    @property
    def data(self) -> list[str]:
        """The ids of the data sets."""
        return list(self._data)

    @property
    def numbers(self) -> list[Number]:
        """The numbers of the printed tables, and the constants of the analysis."""
        printed = [n for name, t in self._inputs.items() for n in numbers_of(f"{name}.csv", t)]
        constants = {
            name: Number(name, CONSTANTS, text)
            for module in self._analysis.modules
            for name, text in _leaves(vars(module))
        }
        return [*printed, *constants.values()]

    def __call__(self, changes: Changes, changed_data: Mapping[str, int]) -> dict[str, float]:
        """Return the values by target, from changed numbers and draws of data."""
        by_name = {number.name: text for number, text in changes.items()}
        data = {
            id: _changed(loaded, changed_data[id]) if id in changed_data else loaded
            for id, loaded in self._data.items()
        }
        study = Study(data, {name: self._table(name, by_name) for name in self._tables})
        results = _ValuesOnly(study)
        with warnings.catch_warnings(), ExitStack() as patches:
            warnings.simplefilter("ignore")
            for module in self._analysis.modules:
                constants = _changed_constants(vars(module), by_name)
                patches.enter_context(_patched(vars(module), constants))
            with suppress(_ValuesComplete):
                self._analysis.run(study, results, self._seed, "quick")
        return {
            row.target: float(row.value)
            for row in results.rows
            if row.method in (PAPER_METHOD, CALIBRATION_METHOD)
        }

    def _table(self, name: str, by_name: Mapping[str, str]) -> str:
        """Return the text of a printed table with changed cells."""
        frame = self._tables[name]
        cells = frame.to_numpy(dtype=object, copy=True)
        for cell, place in self._places[name].items():
            if cell in by_name:
                cells[place] = by_name[cell]
        changed = pd.DataFrame(cells, columns=frame.columns)
        return changed.to_csv(index=False, lineterminator="\n")


def _changed(data: LoadedData, draw: int) -> LoadedData:
    """Return other data: with items left out, others in each draw, or with labels by chance."""
    if draw < N_DRAWS - 1:
        return _with_items_left_out(data, draw)
    rng = np.random.default_rng(draw)
    given = data.labels["label"]
    known = given.dropna().drop_duplicates()
    drawn = known.iloc[rng.integers(len(known), size=len(given))].set_axis(given.index)
    stays = rng.random(len(given)) >= CHANGED_SHARE
    labels = data.labels.assign(label=given.where(stays, drawn))
    return LoadedData(data.id, labels, data.items, data.meta)


def _with_items_left_out(data: LoadedData, draw: int) -> LoadedData:
    """Leave out some items with their labels, and where there are many annotators, some."""
    items = _kept(data.items["item"], ITEMS_EACH, draw)
    labels = _kept(data.labels["item"], ITEMS_EACH, draw)
    if data.labels["annotator"].nunique() >= ANNOTATORS_EACH:
        labels &= _kept(data.labels["annotator"], ANNOTATORS_EACH, draw)
    return LoadedData(
        data.id,
        data.labels[labels].reset_index(drop=True),
        data.items[items].reset_index(drop=True),
        data.meta,
    )


def _kept(names: pd.Series, each: int, draw: int) -> pd.Series:
    """Keep all names but one of so many, the same ones in every data set, others in each draw."""
    kept = {name: zlib.crc32(str(name).encode()) % each != draw for name in names.unique()}
    return names.map(kept).astype(bool)


def _leaves(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """List the numbers among a module's constants, those in tuples, lists and dicts too."""
    for name, value in values.items():
        if _CONSTANT.fullmatch(name):
            yield from _numbers_in(name, value)


def _numbers_in(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        text = f"{value:.12f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
        try:
            parse_printed(text)
        except ValueError:
            return
        yield name, text
    elif isinstance(value, tuple | list):
        for n, part in enumerate(value):
            yield from _numbers_in(f"{name}[{n}]", part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers_in(f"{name}[{key!r}]", part)


def _changed_constants(values: Mapping[str, Any], by_name: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: _rebuilt(name, value, by_name)
        for name, value in values.items()
        if _CONSTANT.fullmatch(name)
    }


def _rebuilt(name: str, value: Any, by_name: Mapping[str, str]) -> Any:
    if name in by_name:
        return type(value)(float(by_name[name]))
    if type(value) in (tuple, list):
        return type(value)(_rebuilt(f"{name}[{n}]", part, by_name) for n, part in enumerate(value))
    if type(value) is dict:
        return {key: _rebuilt(f"{name}[{key!r}]", part, by_name) for key, part in value.items()}
    return value


@contextmanager
def _patched(namespace: dict[str, Any], values: Mapping[str, Any]) -> Iterator[None]:
    before = {name: namespace[name] for name in values}
    namespace.update(values)
    try:
        yield
    finally:
        namespace.update(before)
