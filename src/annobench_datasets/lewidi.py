"""Labels of two sets of the shared task on learning with disagreements, second edition (2023).

Each annotator judged every tweet: three in ArMIS (misogyny in Arabic), six in HS-Brexit (hate
speech in English). There is no gold standard: how annotators differ is what the task is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench_datasets._pins import pinned
from annobench_datasets._text import read_json, wrong

_REPOSITORY = "Le-Wi-Di/le-wi-di.github.io"
_SOURCE = pinned(
    "lewidi",
    repository=_REPOSITORY,
    commit="45d7b06e",
    licence="none stated",
    mirrored="exports/lewidi",
)
_CATEGORIES = ("0", "1")
_SPLITS = ("train", "dev")


@dataclass(frozen=True)
class _Set:
    """One set: its name, title and origin, the sizes of its splits, and what was counted.

    `patterns` has how many items got each pattern of labels, in the order 0...00, 0...01, ..., the
    first annotator first.
    """

    name: str
    folder: str
    title: str
    citation: str
    sizes: tuple[int, int]
    patterns: tuple[int, ...]

    @property
    def n_annotators(self) -> int:
        return len(self.patterns).bit_length() - 1

    @property
    def files(self) -> dict[str, SourceFile]:
        place = f"LeWiDi_2-2023/{self.folder}_dataset/{self.folder}"
        return {split: _SOURCE.file(f"{place}_{split}.json") for split in _SPLITS}

    def record(self) -> DataSet:
        """Return the record of the data set."""
        n_items = sum(self.patterns)
        count = np.array(self.patterns)
        share = count @ self.labels_of(np.arange(count.size)) / n_items
        return DataSet(
            id=f"lewidi_{self.name}",
            title=self.title,
            citation=self.citation,
            home=(f"https://github.com/{_REPOSITORY}",),
            source=_SOURCE,
            files=tuple(self.files.values()),
            scale="nominal",
            categories=_CATEGORIES,
            parse=partial(_parse, design=self),
            simulate=partial(_simulate, design=self),
            calibration=("counts of the patterns of labels",),
            targets={
                "n_items": n_items,
                "n_annotators": self.n_annotators,
                "n_labels": n_items * self.n_annotators,
                "unanimous": (count[0] + count[-1]) / n_items,
                **{f"label:1@Ann{j + 1}": float(each) for j, each in enumerate(share)},
            },
        )

    def labels_of(self, pattern: NDArray[np.int64]) -> NDArray[np.int64]:
        """Turn patterns into labels, shape (I, J); the first annotator is the highest bit."""
        return (pattern[:, None] >> np.arange(self.n_annotators)[::-1]) & 1


def _parse(files: Mapping[str, Path], design: _Set) -> DataTables:
    rows, items = [], []
    for split, file in design.files.items():
        path = files[file.path]
        found = read_json(path)
        try:
            for number, row in found.items():
                item = f"{split}_{number}"
                names = [name.strip() for name in row["annotators"].split(",")]
                labels = [label.strip() for label in row["annotations"].split(",")]
                rows += [(item, *pair) for pair in zip(names, labels, strict=True)]
                items.append((item, None, row["text"], split))
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            what = f"not items with text, annotators and annotations ({error!r})"
            raise wrong(path, what) from error
    return _tables(rows, items)


def _simulate(rng: np.random.Generator, files: Mapping[str, Path], design: _Set) -> DataTables:
    count = np.array(design.patterns)
    n_items = int(count.sum())
    labels = design.labels_of(rng.choice(count.size, n_items, p=count / n_items))
    split = np.repeat(_SPLITS, design.sizes)
    names = [f"{part}_{n}" for n, part in enumerate(split)]
    rows = [
        (name, f"Ann{j + 1}", str(label))
        for name, given in zip(names, labels.tolist(), strict=True)
        for j, label in enumerate(given)
    ]
    items = [(name, None, "", part) for name, part in zip(names, split.tolist(), strict=True)]
    return _tables(rows, items)


def _tables(rows: Sequence[tuple[object, ...]], items: Sequence[tuple[object, ...]]) -> DataTables:
    labels = pd.DataFrame(rows, columns=["item", "annotator", "label"], dtype="str")
    about = pd.DataFrame(items, columns=["item", "gold", "text", "split"], dtype="str")
    return DataTables(labels, about)


_TASK = (
    "Leonardelli et al. (2023). SemEval-2023 task 11: Learning with disagreements (LeWiDi). "
    "SemEval, 2304-2318. https://doi.org/10.18653/v1/2023.semeval-1.314 "
)
DATASETS = tuple(
    design.record()
    for design in (
        _Set(
            name="armis",
            folder="ArMIS",
            title="Misogyny and sexism in 798 Arabic tweets, by three annotators",
            citation=_TASK + "Labels: Almanea and Poesio (2022). ArMIS. LREC, 2282-2291.",
            sizes=(657, 141),
            patterns=(337, 69, 14, 10, 51, 85, 44, 188),
        ),
        _Set(
            name="hs_brexit",
            folder="HS-Brexit",
            title="Hate speech in 952 tweets on Brexit, by two groups of three annotators",
            citation=_TASK
            + "Labels: Akhtar, Basile and Patti (2021). Whose opinions matter? arXiv 2106.15896.",
            sizes=(784, 168),
            patterns=(
                *(648, 22, 43, 17, 15, 10, 47, 51, 6, 0, 3, 1, 2, 1, 5, 8),
                *(3, 0, 4, 2, 2, 3, 1, 6, 1, 0, 0, 1, 1, 0, 3, 5),
                *(1, 0, 0, 3, 2, 0, 0, 8, 0, 1, 0, 0, 0, 0, 1, 6),
                *(0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 3, 11),
            ),
        ),
    )
)
