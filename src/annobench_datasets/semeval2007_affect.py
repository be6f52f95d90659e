"""The six individual annotators of SemEval-2007 Affective Text.

Each of six annotators gave each of 1,000 news headlines seven numbers: how much anger,
disgust, fear, joy, sadness and surprise is in it (0 to 100), and its valence (-100 to
100). The annotators' files have one line per headline: number, six emotions, valence.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._text import numbers, read_text, report

_SOURCE = pinned(
    "semeval2007_affect",
    repository="MichiganNLP/Affective-Text-Individual-Annotations",
    commit="ad7601ccd856ef4253898ccc8afa64df5deace0a",
    licence="none stated (SemEval-2007 release)",
)
_FILES = {path.removesuffix(".txt"): file for path, file in _SOURCE.below("Annotations/").items()}
_TEXT = _SOURCE.file("affectivetext_test.xml")
_CITATION = (
    "Strapparava and Mihalcea (2007). SemEval-2007 task 14: Affective text. SemEval, 70-74. "
    "https://aclanthology.org/S07-1013/"
)
_HOME = (
    "http://web.eecs.umich.edu/~mihalcea/affectivetext/",
    "https://github.com/MichiganNLP/Affective-Text-Individual-Annotations",
)
_COLUMNS = ("item", "anger", "disgust", "fear", "joy", "sadness", "surprise", "valence")
_FIRST_ITEM, _N_ITEMS = 500, 1000


def _parse(files: Mapping[str, Path], *, column: str) -> DataTables:
    """Take one column of the six files; items stand in the order of the texts."""
    items = _read_texts(files[_TEXT.path])
    labels = []
    for annotator, file in _FILES.items():
        path = files[file.path]
        rows = _read_rows(path)
        _same_items(path, rows["item"], items["item"])
        label = numbers(path, rows[column], column)
        low = -100 if column == "valence" else 0
        outside = label.index[~label.between(low, 100)]
        report(path, ((n, f"{column} {label[n]:g} is not in [{low}, 100]") for n in outside))
        labels.append(pd.DataFrame({"item": rows["item"], "annotator": annotator, "label": label}))
    table = pd.concat(labels, ignore_index=True).astype({"item": "str", "annotator": "str"})
    return DataTables(table, items)


def _read_rows(path: Path) -> pd.DataFrame:
    """Read a file of numbers between blanks, with the line of every row as its index."""
    rows = [
        (number, line.split())
        for number, line in enumerate(read_text(path).splitlines(), start=1)
        if line.strip()
    ]
    report(
        path,
        (
            (number, f"{len(fields)} fields where {len(_COLUMNS)} are needed")
            for number, fields in rows
            if len(fields) != len(_COLUMNS)
        ),
    )
    frame = pd.DataFrame([fields for _, fields in rows], columns=list(_COLUMNS), dtype="str")
    frame.index = pd.Index([number for number, _ in rows])
    return frame


def _same_items(path: Path, found: pd.Series[str], wanted: pd.Series[str]) -> None:
    """Check that every headline has one line and no other has."""
    twice = found.index[found.duplicated()]
    unknown = found.index[~found.isin(wanted)]
    report(
        path,
        [
            *((n, f"headline {found[n]!r} stands there twice") for n in twice),
            *((n, f"no text for headline {found[n]!r}") for n in unknown),
            *(("(none)", f"headline {n!r} is missing") for n in wanted[~wanted.isin(found)]),
        ],
    )


def _read_texts(path: Path) -> pd.DataFrame:
    """Read the headlines: one element `instance` each, with the attribute `id`."""
    text = read_text(path)
    # The pinned file declares no entity; one that did could expand without bound.
    if "<!" in text:
        raise ReaderError(f"{path}: it declares a document type. Supply the pinned file.")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 (no document type, so no entities)
    except ElementTree.ParseError as error:
        raise ReaderError(f"{path}: not XML ({error}). Supply the pinned file.") from error
    found = [(element.get("id"), element.text) for element in root.iter("instance")]
    faults = [
        (f"of headline {number}", f"it needs an id and a text, got {pair}")
        for number, pair in enumerate(found, start=1)
        if not all(pair)
    ]
    report(path, faults)
    names, texts = zip(*found, strict=True) if found else ((), ())
    return _items(names, texts)


def _items(names: object, texts: object) -> pd.DataFrame:
    # The task's gold standard is the mean of these annotators, so there is none beside them.
    items = pd.DataFrame({"item": pd.Series(names, dtype="str"), "gold": np.nan})
    return items.assign(text=pd.Series(texts, index=items.index, dtype="str"))


class _Part(NamedTuple):
    """The labels above or below 0: their share, mean and standard deviation, without the sign."""

    share: float
    mean: float
    deviation: float

    def size(self, rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn ranks in [0, 1] into whole numbers from 1 to 100, by a beta distribution."""
        mean, deviation = (self.mean - 1) / 99, self.deviation / 99
        concentration = mean * (1 - mean) / deviation**2 - 1
        inverse = betaincinv(mean * concentration, (1 - mean) * concentration, rank)
        return np.asarray(np.round(1 + 99 * inverse))


class _Annotator(NamedTuple):
    """How one annotator labels, and the loading on what all see in the headline."""

    name: str
    below: _Part
    above: _Part
    loading: float


_NONE = _Part(0.0, 0.0, 0.0)


def _simulate(
    rng: np.random.Generator, files: Mapping[str, Path], *, annotators: tuple[_Annotator, ...]
) -> DataTables:
    """Draw ranks with one common factor, and give each annotator a distribution of their own."""
    common = rng.standard_normal(_N_ITEMS)
    names = pd.Series(np.arange(_FIRST_ITEM, _FIRST_ITEM + _N_ITEMS)).astype("str")
    labels = []
    for annotator in annotators:
        own = rng.standard_normal(_N_ITEMS)
        factor = annotator.loading * common + np.sqrt(1 - annotator.loading**2) * own
        label = _label(ndtr(factor), annotator)
        labels.append(pd.DataFrame({"item": names, "annotator": annotator.name, "label": label}))
    table = pd.concat(labels, ignore_index=True).astype({"item": "str", "annotator": "str"})
    return DataTables(table, _items(names, None))


def _label(rank: NDArray[np.float64], annotator: _Annotator) -> NDArray[np.float64]:
    below, above = annotator.below, annotator.above
    label = np.zeros(rank.size)
    low, high = rank < below.share, rank > 1 - above.share
    if below.share:
        label[low] = -below.size(1 - rank[low] / below.share)
    label[high] = above.size((rank[high] - 1 + above.share) / above.share)
    return label


# Each annotator's labels by sign: share, mean and standard deviation of absolute values (the
# published files). Loadings are fitted so that simulated labels correlate with the mean of the
# other five annotators as the published ones do.
_ANNOTATORS: dict[str, tuple[_Annotator, ...]] = {
    "anger": (
        _Annotator("F1", _NONE, _Part(0.174, 47.99, 22.26), 0.789),
        _Annotator("F2", _NONE, _Part(0.446, 43.89, 28.52), 0.701),
        _Annotator("F3", _NONE, _Part(0.06, 76.83, 16.58), 0.759),
        _Annotator("M1", _NONE, _Part(0.207, 23.43, 16.17), 0.722),
        _Annotator("M2", _NONE, _Part(0.1, 24.73, 13.69), 0.631),
        _Annotator("M3", _NONE, _Part(0.196, 41.54, 27.49), 0.781),
    ),
    "disgust": (
        _Annotator("F1", _NONE, _Part(0.118, 44.31, 22.06), 0.844),
        _Annotator("F2", _NONE, _Part(0.3, 41.53, 29.0), 0.612),
        _Annotator("F3", _NONE, _Part(0.04, 86.5, 17.68), 0.492),
        _Annotator("M1", _NONE, _Part(0.103, 26.53, 22.21), 0.823),
        _Annotator("M2", _NONE, _Part(0.037, 18.92, 15.68), 0.975),
        _Annotator("M3", _NONE, _Part(0.16, 29.48, 22.85), 0.717),
    ),
    "fear": (
        _Annotator("F1", _NONE, _Part(0.195, 49.81, 25.85), 0.846),
        _Annotator("F2", _NONE, _Part(0.65, 57.06, 28.47), 0.767),
        _Annotator("F3", _NONE, _Part(0.199, 82.01, 16.04), 0.792),
        _Annotator("M1", _NONE, _Part(0.301, 29.08, 23.32), 0.794),
        _Annotator("M2", _NONE, _Part(0.214, 27.48, 12.88), 0.847),
        _Annotator("M3", _NONE, _Part(0.295, 48.93, 30.68), 0.842),
    ),
    "joy": (
        _Annotator("F1", _NONE, _Part(0.344, 54.94, 25.41), 0.893),
        _Annotator("F2", _NONE, _Part(0.545, 51.31, 25.63), 0.696),
        _Annotator("F3", _NONE, _Part(0.393, 87.61, 15.64), 0.842),
        _Annotator("M1", _NONE, _Part(0.345, 22.33, 19.85), 0.639),
        _Annotator("M2", _NONE, _Part(0.198, 17.87, 9.27), 0.75),
        _Annotator("M3", _NONE, _Part(0.324, 52.36, 25.95), 0.778),
    ),
    "sadness": (
        _Annotator("F1", _NONE, _Part(0.197, 62.94, 30.38), 0.936),
        _Annotator("F2", _NONE, _Part(0.657, 61.02, 29.24), 0.705),
        _Annotator("F3", _NONE, _Part(0.235, 74.0, 18.25), 0.864),
        _Annotator("M1", _NONE, _Part(0.32, 33.92, 22.54), 0.874),
        _Annotator("M2", _NONE, _Part(0.288, 26.14, 13.15), 0.8),
        _Annotator("M3", _NONE, _Part(0.347, 46.39, 30.5), 0.834),
    ),
    "surprise": (
        _Annotator("F1", _NONE, _Part(0.184, 44.39, 19.37), 0.775),
        _Annotator("F2", _NONE, _Part(0.879, 53.75, 25.91), 0.168),
        _Annotator("F3", _NONE, _Part(0.211, 74.64, 21.8), 0.649),
        _Annotator("M1", _NONE, _Part(0.232, 29.31, 16.39), 0.563),
        _Annotator("M2", _NONE, _Part(0.372, 19.91, 11.29), 0.685),
        _Annotator("M3", _NONE, _Part(0.489, 43.48, 23.47), 0.597),
    ),
    "valence": (
        _Annotator("F1", _Part(0.476, 66.6, 22.65), _Part(0.336, 61.8, 19.05), 0.912),
        _Annotator("F2", _Part(0.478, 63.14, 24.67), _Part(0.51, 52.6, 21.57), 0.772),
        _Annotator("F3", _Part(0.387, 85.71, 14.47), _Part(0.386, 86.21, 15.65), 0.845),
        _Annotator("M1", _Part(0.479, 51.46, 23.46), _Part(0.354, 44.92, 22.03), 0.823),
        _Annotator("M2", _Part(0.449, 35.9, 14.18), _Part(0.266, 24.62, 7.13), 0.867),
        _Annotator("M3", _Part(0.443, 59.16, 26.87), _Part(0.354, 42.57, 25.51), 0.853),
    ),
}

#: Aggregates of the published labels.
_TARGETS = {
    "anger": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": 8.0,
        "sd": 20.125,
        "zeros": 0.803,
        "item_sd": 12.575,
        "annotator_sd": 6.101,
    },
    "disgust": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": 4.883,
        "sd": 16.31,
        "zeros": 0.874,
        "item_sd": 9.454,
        "annotator_sd": 4.042,
    },
    "fear": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": 15.364,
        "sd": 28.373,
        "zeros": 0.691,
        "item_sd": 19.188,
        "annotator_sd": 11.307,
    },
    "joy": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": 18.25,
        "sd": 30.722,
        "zeros": 0.642,
        "item_sd": 20.074,
        "annotator_sd": 11.713,
    },
    "sadness": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": 17.393,
        "sd": 29.91,
        "zeros": 0.659,
        "item_sd": 21.162,
        "annotator_sd": 11.677,
    },
    "surprise": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": 17.772,
        "sd": 27.668,
        "zeros": 0.606,
        "item_sd": 13.384,
        "annotator_sd": 15.523,
    },
    "valence": {
        "n_items": 1000,
        "n_annotators": 6,
        "n_labels": 6000,
        "median_load": 1000,
        "max_load": 1000,
        "mean": -7.273,
        "sd": 56.543,
        "zeros": 0.18,
        "item_sd": 46.401,
        "annotator_sd": 4.596,
    },
}

DATASETS = tuple(
    DataSet(
        id=f"semeval2007_{column}",
        title=f"SemEval-2007 affective text: {column} in 1,000 headlines, by six annotators",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(*_FILES.values(), _TEXT),
        scale="interval",
        categories=None,
        parse=partial(_parse, column=column),
        simulate=partial(_simulate, annotators=_ANNOTATORS[column]),
        calibration=(
            "sizes: six annotators, each with a label for each of 1,000 headlines",
            "each annotator's share of zeros, mean and standard deviation of the other labels, by "
            "sign",
            "each annotator's correlation with the mean of the other five",
        ),
        targets=_TARGETS[column],
    )
    for column in _COLUMNS[1:]
)
