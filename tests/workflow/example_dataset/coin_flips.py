"""Two annotators who label 20 items heads or tails: a data set as small as one can be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import Source, SourceFile
from annobench_datasets._text import read_rows

# The commit and the checksum pin the bytes; a file that differs is refused.
_FILE = SourceFile("labels.tsv", sha256="0" * 64)
_SOURCE = Source(
    name="coin_flips",
    repository="example/coin-flips",
    commit="0" * 40,
    licence="CC0",
    files=(_FILE,),
)
_CATEGORIES = ("heads", "tails")
_N_ITEMS = 20


def _parse(files: Mapping[str, Path]) -> DataTables:
    rows = read_rows(files[_FILE.path], ("item", "annotator", "label"))
    return _tables(rows.reset_index(drop=True))


def _simulate(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    names = pd.Series(np.repeat(np.arange(_N_ITEMS), 2)).astype("str")
    annotators = pd.Series(["ann", "bob"] * _N_ITEMS, dtype="str")
    labels = pd.Series(rng.choice(_CATEGORIES, 2 * _N_ITEMS), dtype="str")
    return _tables(pd.DataFrame({"item": names, "annotator": annotators, "label": labels}))


def _tables(labels: pd.DataFrame) -> DataTables:
    items = pd.DataFrame({"item": pd.Series(labels["item"].unique(), dtype="str")})
    return DataTables(labels, items.assign(gold=pd.Series(None, index=items.index, dtype="str")))


DATASETS = (
    DataSet(
        id="coin_flips",
        title="Two annotators flip a coin 20 times",
        citation="Made up for the tests of the workflow.",
        home=(),
        source=_SOURCE,
        files=(_FILE,),
        scale="nominal",
        categories=_CATEGORIES,
        parse=_parse,
        simulate=_simulate,
        calibration=("20 items, 2 annotators, fair coins",),
        targets={"n_items": 20, "n_annotators": 2, "n_labels": 40},
    ),
)
