"""Cases for external methods: data sets, regimes, or the user's own labels."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from annobench import datasets
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.regimes import simulate_regimes
from annobench.core.errors import AnnotationError
from annobench.core.names import unused
from annobench.core.numbers import plain_number, spelling_hint
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["REGIMES", "find_cases", "own_case"]

_LOG = logging.getLogger(__name__)

#: Data sets that are small and of several kinds: few and many annotators and categories, good and
#: bad annotators.
DATA_SETS: Final = ("snow2008_temp", "snow2008_rte", "ti_bluebird", "ti_dog")

#: Regimes that are small; their annotators are known, and they need no network.
REGIMES: Final[dict[str, Any]] = {
    "items": 200,
    "annotators": 20,
    "crossed": [
        {
            "kinds": ["good", "mixed", "spam", "adversarial", "correlated", "difficulty", "drift"],
            "categories": [3],
            "labels_per_item": [5],
        }
    ],
}


def default_cases(seed: int) -> list[BenchmarkCase]:
    """Return the default cases: small data sets and regimes."""
    return find_cases(DATA_SETS, seed) + simulate_regimes(REGIMES, seed)


def find_cases(names: Sequence[str], seed: int) -> list[BenchmarkCase]:
    """Return cases by the names of data sets or folders.

    Parameters
    ----------
    names : sequence of str
        Ids of data sets, or folders written by `annobench data fetch`. A folder is a path with a
        slash, such as ``"./snow2008_rte"``, to distinguish it from a data set.
    seed : int
        Seed of the simulation of an unavailable data set.

    Returns
    -------
    list of BenchmarkCase
        In the same order, with unique names. Simulated data sets are named in a warning in the log.

    Raises
    ------
    AnnotationError
        If a data set has no gold standard, or numeric labels.
    ReaderError
        If a folder holds no data set.
    UnknownDatasetError
        If there is no such data set.
    """
    cases: dict[str, BenchmarkCase] = {}
    for name in dict.fromkeys(names):
        case = _case(name, seed)
        if case.name in cases:
            case = replace(case, name=unused(name, cases))
        cases[case.name] = case
    return list(cases.values())


def said_of_simulated(cases: Iterable[BenchmarkCase]) -> list[str]:
    """List the simulated data sets, with reasons."""
    return [
        f"{case.name} is SIMULATED, not real ({case.why_simulated}): results on it say nothing "
        "about the real labels."
        for case in cases
        if case.provenance == "simulated"
    ]


def is_path(name: str) -> bool:
    """Return whether a name is a path to a folder, not the name of a data set."""
    separators = {"/", os.sep, os.altsep} - {None}
    return name in (os.curdir, os.pardir) or any(str(mark) in name for mark in separators)


def _case(name: str, seed: int) -> BenchmarkCase:
    if is_path(name):
        data = datasets.read(name)
        if data.provenance == "simulated":
            why = data.meta["why_simulated"]
            _LOG.warning("data set %s of %s is SIMULATED, not real: %s", data.id, name, why)
    elif name not in datasets.names() and Path(name).is_dir():
        raise datasets.UnknownDatasetError(
            f"compare: {name!r} is a folder, not a data set. Write {os.path.join(os.curdir, name)} "
            "for the folder."
        )
    else:
        _check_scale(name, datasets.get(name).scale)
        data = datasets.load(name, seed=seed)
    _check_scale(name, data.meta["scale"])
    case = BenchmarkCase.of(data)
    if not case.scored.any():
        raise AnnotationError(
            f"compare: {name} has no item with a gold category and a label. Name another data set."
        )
    return case


def _check_scale(name: str, scale: str) -> None:
    if scale not in ("nominal", "ordinal"):
        raise AnnotationError(
            f"compare: the labels of {name} are numbers, but these methods need categories. Name "
            "another data set."
        )


def own_case(name: str, labels: Annotations, gold: dict[str, str]) -> BenchmarkCase:
    """Join labels and gold categories.

    Parameters
    ----------
    name : str
        Name for tables.
    labels : Annotations
        The labels.
    gold : dict of str to str
        Gold categories of some items; items without labels are left out.

    Returns
    -------
    BenchmarkCase
        Case with the categories of labels and gold, sorted if gold has further categories.

    Raises
    ------
    AnnotationError
        If no item has both.
    """
    labels = as_annotations(labels, "own_case")
    gold = {item: plain_number(category) for item, category in gold.items()}
    extra = sorted(set(gold.values()) - set(labels.categories))
    if extra:
        known = [*labels.categories, *extra]
        categories = Annotations.from_arrays(known, known, known).categories
        labels = Annotations.from_frame(
            labels.to_frame(),
            items=labels.items,
            annotators=labels.annotators,
            categories=categories,
        )
    code = {category: k for k, category in enumerate(labels.categories)}
    codes = np.array([code[gold[item]] if item in gold else -1 for item in labels.items])
    case = BenchmarkCase(name, labels, codes.astype(np.int64), "real", "your own labels")
    if not case.scored.any():
        raise AnnotationError(
            f"compare: none of the {len(gold):,} items with gold has a label. Labels have items "
            f"such as {labels.items[0]!r}, gold has items such as {next(iter(gold), '')!r}: use "
            f"the same names.{spelling_hint(gold, labels.items)}"
        )
    return case
