"""What a method from outside is compared on: data sets, regimes, or the user's own labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from annobench import datasets
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.studies.benchmark.cases import BenchmarkCase, read_cases
from annobench.studies.benchmark.regimes import simulate_regimes

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
    """Return the small data sets and regimes that a method is compared on by default.

    Parameters
    ----------
    seed : int
        Of what is simulated.

    Returns
    -------
    list of BenchmarkCase
        A data set that can't be had is simulated, and its provenance says so.
    """
    return find_cases(DATA_SETS, seed) + simulate_regimes(REGIMES, seed)


def find_cases(names: Sequence[str], seed: int) -> list[BenchmarkCase]:
    """Return labels with gold by the names of data sets, or of folders that hold one.

    Parameters
    ----------
    names : sequence of str
        Ids of data sets, or folders that `annobench data fetch` wrote.
    seed : int
        Of the simulation of a data set that can't be had.

    Returns
    -------
    list of BenchmarkCase
        In the same order.

    Raises
    ------
    AnnotationError
        If a data set has no gold standard, or numbers for labels.
    UnknownDatasetError
        If there is neither such a data set nor such a folder.
    """
    return [case for name in names for case in [_case(name, seed)]]


def _case(name: str, seed: int) -> BenchmarkCase:
    if Path(name).is_dir():
        case = next(iter(read_cases([Path(name)])), None)
    elif datasets.get(name).scale not in ("nominal", "ordinal"):
        raise AnnotationError(
            f"compare: the labels of {name} are numbers, and these methods take categories. Name "
            "another data set."
        )
    else:
        data = datasets.load(name, seed=seed)
        case = BenchmarkCase(
            data.id, data.annotations, data.gold, data.provenance, data.meta["title"]
        )
    if case is None or not case.scored.any():
        raise AnnotationError(
            f"compare: {name} has no item with a gold category and a label. Name another data set."
        )
    return case


def own_case(name: str, labels: Annotations, gold: dict[str, str]) -> BenchmarkCase:
    """Join labels and gold categories.

    Parameters
    ----------
    name : str
        For tables.
    labels : Annotations
        The labels.
    gold : dict of str to str
        The gold category of some items; items without labels are left out.

    Returns
    -------
    BenchmarkCase
        Its categories are those of labels and gold, sorted if gold has others than the labels.

    Raises
    ------
    AnnotationError
        If no item has both.
    """
    labels = as_annotations(labels, "own_case")
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
    case = BenchmarkCase(name, labels, codes.astype(np.int64), "real", "labels of your own")
    if not case.scored.any():
        raise AnnotationError(
            f"compare: none of the {len(gold):,} items with gold has a label. Labels are of items "
            f"such as {labels.items[0]!r}, gold of items such as {next(iter(gold), '')!r}: use the "
            "same names."
        )
    return case
