"""Fitness of patients before anaesthesia: the example of Dawid and Skene (1979).

Five anaesthetists classed 45 patients from 1 to 4; the first did so three times. The copy of the R
package rater differs from the printed Table 1 in one label, and is here both as it is and with that
label as printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.core.errors import ReaderError
from annobench.core.optional import require
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import Stratum, draw_confusions, draw_labels

_SOURCE = pinned(
    "anesthesia",
    repository="jeffreypullin/rater",
    commit="bc1e414eba27dcfb11f8e6dcf3aaef916644e457",
    licence="GPL-2",
)
(_FILE,) = _SOURCE.files
_CATEGORIES = ("1", "2", "3", "4")
_N_ITEMS = 45

#: The label of the copy that is another one in print, by item, annotator and repetition.
_AS_PRINTED = {("7", "1", 2): "2"}

# The annotators of the labels of an item; the first of them labelled it three times.
_ROUND = ("1", "1", "1", "2", "3", "4", "5")
_REPETITION = (1, 2, 3, 1, 1, 1, 1)

# Maximum likelihood estimates of Dawid and Skene (1979): prevalence, and the confusion
# matrix pooled over annotators; the concentration is that of the expected counts by the
# method of moments. In the last row annotators differ no more than expected by chance.
_PREVALENCE = (0.400, 0.421, 0.112, 0.067)
_ANNOTATORS = Stratum(
    1,
    (
        (0.929, 0.071, 0.0, 0.0),
        (0.083, 0.804, 0.113, 0.0),
        (0.0, 0.233, 0.682, 0.085),
        (0.0, 0.0, 0.429, 0.571),
    ),
    (54.0, 41.0, 6.7, 200.0),
)


def _parse(
    files: Mapping[str, Path], corrections: Mapping[tuple[str, str, int], str]
) -> DataTables:
    # Imported here because reading R's format is slow to import and rarely needed.
    rdata = require("rdata", "The data set of the R package")

    path = files[_FILE.path]
    try:
        frame = rdata.read_rda(path)["anesthesia"]
        rows = frame[["item", "rater", "rating"]].astype(int)
    except Exception as error:  # the reader raises exceptions of any type
        raise ReaderError(
            f"{path}: not an R data file with item, rater and rating ({error}). "
            "Supply the pinned file."
        ) from error
    labels = pd.DataFrame(
        {
            "item": rows["item"].astype("str"),
            "annotator": rows["rater"].astype("str"),
            "label": rows["rating"].astype("str"),
            "repetition": rows.groupby(["item", "rater"]).cumcount() + 1,
        }
    )
    for (item, annotator, repetition), label in corrections.items():
        place = labels["item"].eq(item) & labels["annotator"].eq(annotator)
        labels.loc[place & labels["repetition"].eq(repetition), "label"] = label
    return DataTables.without_gold(labels)


def _simulate(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    category = rng.choice(len(_CATEGORIES), _N_ITEMS, p=_PREVALENCE)
    confusion = draw_confusions(rng, (_ANNOTATORS,), np.ones(5, dtype=np.int64))
    item = np.repeat(np.arange(_N_ITEMS), len(_ROUND))
    annotator = np.tile(np.array(_ROUND, dtype=np.int64) - 1, _N_ITEMS)
    label = draw_labels(rng, confusion, annotator, category[item])
    labels = pd.DataFrame(
        {
            "item": pd.Series(item + 1).astype("str"),
            "annotator": pd.Series(_ROUND * _N_ITEMS, dtype="str"),
            "label": pd.Series(label + 1).astype("str"),
            "repetition": np.tile(_REPETITION, _N_ITEMS),
        }
    )
    return DataTables.without_gold(labels)


def _record(
    id: str, title: str, corrections: Mapping[tuple[str, str, int], str], counts: tuple[int, ...]
) -> DataSet:
    return DataSet(
        id=id,
        title=title,
        citation=(
            "Dawid and Skene (1979). Maximum likelihood estimation of observer error-rates "
            "using the EM algorithm. Applied Statistics 28, 20-28."
        ),
        home=("https://doi.org/10.2307/2346806",),
        source=_SOURCE,
        files=(_FILE,),
        # The classes are ordered, but the paper and its successors treat them as names.
        scale="nominal",
        categories=_CATEGORIES,
        parse=partial(_parse, corrections=corrections),
        simulate=_simulate,
        calibration=(
            "sizes and repetitions of the design (Dawid and Skene 1979, table 1)",
            "maximum likelihood estimates of prevalence and of the pooled confusion matrix",
        ),
        targets={
            "n_items": 45,
            "n_annotators": 5,
            "n_labels": 315,
            "max_load": 135,
            "median_load": 45,
            **{f"label:{name}": n / 315 for name, n in zip(_CATEGORIES, counts, strict=True)},
        },
    )


DATASETS = (
    _record(
        "anesthesia",
        "Fitness of 45 patients for anaesthesia, classed from 1 to 4 by five annotators",
        {},
        (128, 124, 48, 15),
    ),
    _record(
        "anesthesia_table1",
        "Fitness of 45 patients for anaesthesia, with the labels as printed in 1979",
        _AS_PRINTED,
        (127, 125, 48, 15),
    ),
)
