"""Labels of `ti_product` with the names that annotators and items had on the platform.

Zheng et al. (2017) compared methods on these files; the copy of Li et al. (2019), in
`truth_inference`, has numbers for names and the rows in another order. A method that depends on
either shows it here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from annobench.datasets.base import DataTables
from annobench_datasets import truth_inference
from annobench_datasets._pins import pinned
from annobench_datasets._text import read_rows, report

_REPOSITORY = "zhydhkcws/crowd_truth_infer"
_SOURCE = pinned(
    "crowd_truth_infer",
    repository=_REPOSITORY,
    commit="8d216471071f09b9e474ee19f8d692447f982f88",
    licence="none stated",
)
_FOLDER = "datasets/d_jn-product"
_LABELS, _GOLDS = _SOURCE.file(f"{_FOLDER}/answer.csv"), _SOURCE.file(f"{_FOLDER}/truth.csv")
_CATEGORIES = ("0", "1")

#: The same labels under other names, with the same simulator.
(_TWIN,) = (record for record in truth_inference.DATASETS if record.id == "ti_product")


def _parse(files: Mapping[str, Path]) -> DataTables:
    """Parse the two files; items stand in the order of the labels."""
    path, gold_path = files[_LABELS.path], files[_GOLDS.path]
    labels = read_rows(path, ("question", "worker", "answer"), delimiter=",")
    golds = read_rows(gold_path, ("question", "truth"), delimiter=",")
    _check(path, labels["answer"], "answer")
    _check(gold_path, golds["truth"], "truth")
    items = pd.unique(labels["question"])
    unknown = golds.index[~golds["question"].isin(items)]
    report(gold_path, ((n, f"item {golds['question'][n]!r} has no labels") for n in unknown))
    twice = golds.index[golds["question"].duplicated()]
    report(gold_path, ((n, f"item {golds['question'][n]!r} stands above") for n in twice))
    gold = golds.set_index("question")["truth"].reindex(items)
    return DataTables(
        labels.set_axis(["item", "annotator", "label"], axis=1).reset_index(drop=True),
        pd.DataFrame({"item": items, "gold": gold.to_numpy()}, dtype="str"),
    )


def _check(path: Path, column: pd.Series[str], what: str) -> None:
    wrong = column.index[~column.isin(_CATEGORIES)]
    report(path, ((n, f"{what} {column[n]!r} is not 0 or 1") for n in wrong))


DATASETS = (
    replace(
        _TWIN,
        id="cti_product",
        title=f"{_TWIN.title}, by the names of the platform",
        home=(*_TWIN.home[:1], f"https://github.com/{_REPOSITORY}"),
        source=_SOURCE,
        files=(_LABELS, _GOLDS),
        parse=_parse,
    ),
)
