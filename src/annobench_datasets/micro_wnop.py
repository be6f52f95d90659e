"""Micro-WNOp: how positive and how negative annotators find the senses of WordNet 2.0.

Every synset has a score for positivity and one for negativity, both from 0 to 1 and
together at most 1; what is left to 1 is its neutrality. Three annotators rated Group 1,
two others Group 2, and the synsets of Common were rated by all of them together. Each
group and score is a data set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import numbers, read_text, report

_SOURCE = pinned(
    "micro_wnop",
    repository="aesuli/SentiWordNet",
    commit="b10f69f6d7fb763fb8a89fe0b9267a6eff49393d",
    licence="research release (see its ReadMe)",
)
(_FILE,) = _SOURCE.files
#: The scores in the order in which the file has them for each annotator.
_SCORES = ("positive", "negative")


@dataclass(frozen=True)
class _Ratings:
    """Calibrated ratings of one group and score.

    Annotators give values by rank: the n-th part of the items, in the order in which an
    annotator sees them, gets the n-th value. On clear items all annotators see one order;
    on the others each sees it through noise of their own.

    Attributes
    ----------
    values : tuple of float
        The values in use, in ascending order.
    counts : tuple of tuple of int
        For each annotator, how often each value was given.
    clear : float
        Share of the items that are clear.
    fidelity : tuple of float
        For each annotator, the correlation of their order of unclear items with the true one.
    """

    values: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    clear: float
    fidelity: tuple[float, ...]


@dataclass(frozen=True)
class _Group:
    """A group of synsets: its name in the file, and who rated it."""

    heading: str
    annotators: tuple[str, ...]
    who: str


_GROUPS = {
    "common": _Group("Common", ("all",), "five annotators together"),
    "group1": _Group("Group1", ("1", "2", "3"), "three annotators"),
    "group2": _Group("Group2", ("4", "5"), "two annotators"),
}


def _section(path: Path, heading: str) -> list[tuple[int, str]]:
    """Return the rows of one group with their lines, or say that the group is not whole."""
    lines = read_text(path).splitlines()
    marks = [f"# {edge} {heading}" for edge in ("begin", "end")]
    lost = [mark for mark in marks if lines.count(mark) != 1]
    report(path, ((len(lines), f"not one line {mark!r}") for mark in lost))
    begin, end = map(lines.index, marks)
    numbered_rows = enumerate(lines[begin + 1 : end], start=begin + 2)
    rows = [(number, row) for number, row in numbered_rows if row and not row.startswith("#")]
    report(path, [] if rows else [(begin + 1, f"no synset of {heading} follows")])
    return rows


def _parse(files: Mapping[str, Path], *, group: _Group, score: str) -> DataTables:
    path = files[_FILE.path]
    rows = [(number, row.split("\t")) for number, row in _section(path, group.heading)]
    n_fields = len(_SCORES) * len(group.annotators) + 1
    report(
        path,
        (
            (number, f"{len(fields)} fields where {n_fields} are needed")
            for number, fields in rows
            if len(fields) != n_fields
        ),
    )
    frame = pd.DataFrame(
        [fields for _, fields in rows], index=[number for number, _ in rows], dtype="str"
    )
    columns = [numbers(path, frame[n], "score") for n in range(n_fields - 1)]
    scores = np.column_stack(columns).reshape(len(rows), len(group.annotators), len(_SCORES))
    # Without rounding, floating-point error could raise a sum above 1.
    outside = (scores < 0).any(axis=2) | (scores.sum(axis=2).round(6) > 1)
    report(
        path,
        (
            (frame.index[i], f"scores {scores[i, j].tolist()} are below 0, or above 1 in sum")
            for i, j in np.argwhere(outside)
        ),
    )
    texts = frame[n_fields - 1]
    report(path, ((line, "this synset is rated above") for line in frame.index[texts.duplicated()]))
    return _tables(scores[:, :, _SCORES.index(score)], group, texts)


def _tables(
    ratings: NDArray[np.float64], group: _Group, texts: pd.Series[str] | None
) -> DataTables:
    """Lay out ratings of shape (I, J), item by item."""
    n_items, n_annotators = ratings.shape
    item = np.repeat(np.arange(n_items), n_annotators)
    labels = pd.DataFrame(
        {
            "item": numbered(item),
            "annotator": pd.Series(group.annotators * n_items, dtype="str"),
            "label": ratings.ravel(),
        }
    )
    items = pd.DataFrame({"item": numbered(np.arange(n_items)), "gold": np.nan})
    items["text"] = pd.Series(None if texts is None else texts.to_numpy(), items.index, dtype="str")
    return DataTables(labels, items)


def _simulate(
    rng: np.random.Generator, files: Mapping[str, Path], *, group: _Group, spec: _Ratings
) -> DataTables:
    counts = np.array(spec.counts)
    n_items, n_annotators = int(counts[0].sum()), len(counts)
    place = rng.standard_normal((n_items, 1))
    noise = rng.standard_normal((n_items, n_annotators))
    clear = rng.random((n_items, 1)) < spec.clear
    fidelity = np.where(clear, 1.0, np.array(spec.fidelity))
    rank = ndtr(fidelity * place + np.sqrt(1 - fidelity**2) * noise)
    bounds = counts.cumsum(axis=1)[:, :-1] / n_items
    step = (rank[:, :, None] >= bounds).sum(axis=2)
    return _tables(np.array(spec.values)[step], group, None)


_EIGHTHS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 0.875, 1.0)
#: In Group 2 the file has eighths with two digits.
_ROUNDED = (0.0, 0.13, 0.25, 0.38, 0.5, 0.75, 1.0)
_RATINGS = {
    ("common", "positive"): _Ratings(_EIGHTHS, ((78, 5, 6, 5, 4, 2, 0, 10),), 1.0, (1.0,)),
    ("common", "negative"): _Ratings(_EIGHTHS, ((67, 5, 9, 5, 7, 5, 0, 12),), 1.0, (1.0,)),
    ("group1", "positive"): _Ratings(
        _EIGHTHS,
        (
            (336, 18, 24, 7, 45, 24, 0, 42),
            (305, 1, 20, 13, 10, 21, 0, 126),
            (308, 24, 61, 0, 38, 31, 0, 34),
        ),
        clear=0.143,
        fidelity=(0.978, 0.960, 0.947),
    ),
    ("group1", "negative"): _Ratings(
        _EIGHTHS,
        (
            (358, 18, 29, 7, 34, 24, 0, 26),
            (346, 1, 22, 13, 8, 12, 1, 93),
            (353, 24, 40, 1, 45, 24, 0, 9),
        ),
        clear=0.167,
        fidelity=(0.960, 0.985, 0.956),
    ),
    ("group2", "positive"): _Ratings(
        _ROUNDED,
        ((354, 15, 31, 5, 19, 15, 60), (346, 18, 31, 8, 20, 20, 56)),
        clear=0.411,
        fidelity=(0.971, 0.971),
    ),
    ("group2", "negative"): _Ratings(
        _ROUNDED,
        ((344, 15, 26, 5, 9, 20, 80), (332, 18, 21, 8, 11, 17, 92)),
        clear=0.928,
        fidelity=(0.875, 0.875),
    ),
}
_TARGETS = {
    ("common", "positive"): {"mean": 0.159, "sd": 0.31, "zeros": 0.709},
    ("common", "negative"): {"mean": 0.218, "sd": 0.341, "zeros": 0.609},
    ("group1", "positive"): {
        "mean": 0.232,
        "sd": 0.365,
        "zeros": 0.638,
        "item_sd": 0.334,
        "annotator_sd": 0.073,
    },
    ("group1", "negative"): {
        "mean": 0.17,
        "sd": 0.318,
        "zeros": 0.71,
        "item_sd": 0.291,
        "annotator_sd": 0.058,
    },
    ("group2", "positive"): {"mean": 0.187, "sd": 0.342, "zeros": 0.701, "item_sd": 0.336},
    ("group2", "negative"): {"mean": 0.231, "sd": 0.388, "zeros": 0.677, "item_sd": 0.384},
}
_CALIBRATION = (
    "sizes (Su and Markert 2008, section 4.1) and how often each annotator gave each value",
    "correlation and alpha of each pair of annotators (Su and Markert 2008, table 5)",
)


def _data_set(name: str, score: str) -> DataSet:
    group, spec = _GROUPS[name], _RATINGS[name, score]
    n_items, n_annotators = sum(spec.counts[0]), len(spec.counts)
    sizes = {
        "n_items": n_items,
        "n_annotators": n_annotators,
        "n_labels": n_items * n_annotators,
        "median_load": n_items,
        "max_load": n_items,
    }
    noun = "positivity" if score == "positive" else "negativity"
    return DataSet(
        id=f"micro_wnop_{name}_{score}",
        title=f"How strong is the {noun} of {n_items} WordNet synsets? Rated by {group.who}",
        citation=(
            "Cerini, Compagnoni, Demontis, Formentelli and Gandini (2007). Micro-WNOp: a gold "
            "standard for the evaluation of automatically compiled lexical resources for opinion "
            "mining. In: Language resources and linguistic theory, 200-210. FrancoAngeli."
        ),
        home=("http://www.unipv.it/wnop/", "https://github.com/aesuli/SentiWordNet"),
        source=_SOURCE,
        files=(_FILE,),
        scale="interval",
        categories=None,
        parse=partial(_parse, group=group, score=score),
        simulate=partial(_simulate, group=group, spec=spec),
        calibration=_CALIBRATION,
        targets=sizes | _TARGETS[name, score],
    )


DATASETS = tuple(_data_set(name, score) for name, score in _RATINGS)
