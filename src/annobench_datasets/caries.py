"""Caries in dental X-rays: the example of Espeland and Handelman (1989).

Five dentists judged 3,869 X-rays of teeth as sound (0) or carious (1).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_rows, report

_SOURCE = pinned(
    "caries",
    repository="bob-carpenter/crowdsource-computo",
    commit="36efc81555e54a3c74494174b894e7171d8d1b99",
    licence="MIT",
)
(_FILE,) = _SOURCE.files
_CATEGORIES = ("0", "1")
_N_ITEMS = 3_869
_N_ANNOTATORS = 5

# How many X-rays got each of the 32 patterns of labels, in the order 00000, 00001, ...,
# 11111, the first dentist first (Espeland and Handelman 1989, table 1). The counts of the
# package `rater` give 12 for 10000, and so 3,859 X-rays in all; the paper has 3,869.
_PATTERNS = (
    *(1880, 789, 43, 75, 23, 63, 8, 22, 188, 191, 17, 67, 15, 85, 8, 56),
    *(22, 26, 6, 14, 1, 20, 2, 17, 2, 20, 6, 27, 3, 72, 1, 100),
)


def _parse(files: Mapping[str, Path]) -> DataTables:
    path = files[_FILE.path]
    rows = read_rows(path, ("rater", "item", "rating"), delimiter=",", comment="#")
    report(
        path,
        (
            (line, f"label {rows['rating'][line]!r} is not 0 or 1")
            for line in rows.index[~rows["rating"].isin(_CATEGORIES)]
        ),
    )
    twice = rows.index[rows.duplicated(["rater", "item"])]
    report(path, ((line, "this dentist has judged this item above") for line in twice))
    labels = rows.rename(columns={"rater": "annotator", "rating": "label"})
    labels = labels[["item", "annotator", "label"]].reset_index(drop=True)
    return DataTables.without_gold(labels)


def _labels_of(pattern: NDArray[np.int64]) -> NDArray[np.int64]:
    """Turn patterns into labels, shape (I, J); the first dentist is the highest bit."""
    return (pattern[:, None] >> np.arange(_N_ANNOTATORS)[::-1]) & 1


def _simulate(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    share = np.array(_PATTERNS) / _N_ITEMS
    label = _labels_of(rng.choice(share.size, _N_ITEMS, p=share)).ravel()
    labels = pd.DataFrame(
        {
            "item": numbered(np.repeat(np.arange(_N_ITEMS), _N_ANNOTATORS)),
            "annotator": numbered(np.tile(np.arange(_N_ANNOTATORS), _N_ITEMS)),
            "label": pd.Series(label).astype("str"),
        }
    )
    return DataTables.without_gold(labels)


DATASETS = (
    DataSet(
        id="caries",
        title="Caries in 3,869 dental X-rays, judged by five dentists",
        citation=(
            "Espeland and Handelman (1989). Using latent class models to characterize and "
            "assess relative error in discrete measurements. Biometrics 45, 587-599."
        ),
        home=("https://doi.org/10.2307/2531499",),
        source=_SOURCE,
        files=(_FILE,),
        scale="nominal",
        categories=_CATEGORIES,
        parse=_parse,
        simulate=_simulate,
        calibration=("counts of the 32 patterns of labels (Espeland and Handelman 1989, table 1)",),
        targets={
            "n_items": 3869,
            "n_annotators": 5,
            "n_labels": 19345,
            "label:1@1": 0.0876,
            "label:1@2": 0.2218,
            "label:1@3": 0.1282,
            "label:1@4": 0.1212,
            "label:1@5": 0.4249,
            "unanimous": 0.5118,
        },
    ),
)
