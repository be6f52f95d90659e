"""What methods are compared on: labels with a gold standard that they don't see."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annobench import datasets
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["BenchmarkCase", "read_cases"]


@dataclass(frozen=True, eq=False)
class BenchmarkCase:
    """Labels with a gold standard that the methods don't see.

    Attributes
    ----------
    name : str
        Of the data set or simulated regime.
    annotations : Annotations
        The labels.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories; -1 where there is none.
    provenance : str
        "real", "simulated" for a data set that was not to be had, or "regime".
    about : str
        What it is, a sentence.
    why_simulated : str
        Why it was not to be had, if it is simulated.
    """

    name: str
    annotations: Annotations
    gold: NDArray[np.int64]
    provenance: str
    about: str = ""
    why_simulated: str = ""

    @classmethod
    def of(cls, data: LoadedData) -> BenchmarkCase:
        """Take a data set as a case.

        Parameters
        ----------
        data : LoadedData
            The data set.

        Returns
        -------
        BenchmarkCase
            Of its name.
        """
        why = data.meta.get("why_simulated", "")
        return cls(data.id, data.annotations, data.gold, data.provenance, data.meta["title"], why)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Whether an item counts: it has a gold category and a label; shape (I,)."""
        counts = np.bincount(self.annotations.item, minlength=self.annotations.n_items)
        return np.asarray((self.gold >= 0) & (counts > 0))


def digest(labels: Annotations, gold: NDArray[np.int64] | None = None) -> str:
    """Return a digest of labels with the names that they are known by, and of their gold."""
    labels = as_annotations(labels, "digest")
    found = hashlib.sha256()
    found.update(json.dumps([labels.items, labels.annotators, labels.categories]).encode())
    columns = (labels.item, labels.annotator, labels.label, *([] if gold is None else [gold]))
    for codes in columns:
        found.update(codes.astype("<i4").tobytes())
    return found.hexdigest()[:16]


def version_of(cases: Iterable[BenchmarkCase]) -> str:
    """Return the version of data: a digest of all labels and gold categories, in any order."""
    each = sorted(digest(case.annotations, case.gold) for case in cases)
    return hashlib.sha256("".join(each).encode()).hexdigest()[:16]


def read_cases(folders: Iterable[Path]) -> list[BenchmarkCase]:
    """Read data sets as the workflow writes them.

    Parameters
    ----------
    folders : iterable of Path
        Of data sets; those without a gold label to score are left out.

    Returns
    -------
    list of BenchmarkCase
        In the same order.
    """
    known = [BenchmarkCase.of(datasets.read(folder)) for folder in folders]
    return [case for case in known if case.scored.any()]
