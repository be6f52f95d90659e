"""Cases of a comparison: labels with a gold standard hidden from the methods."""

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
    """Labels with a gold standard hidden from the methods.

    Attributes
    ----------
    name : str
        Name of the data set or simulated regime.
    annotations : Annotations
        The labels.
    gold : ndarray of int, shape (I,)
        Codes of the gold categories; -1 if unknown.
    provenance : str
        "real", "simulated" for an unavailable data set, or "regime".
    about : str
        Description, in a sentence.
    why_simulated : str
        Why it was unavailable, if it is simulated.
    """

    name: str
    annotations: Annotations
    gold: NDArray[np.int64]
    provenance: str
    about: str = ""
    why_simulated: str = ""

    @classmethod
    def of(cls, data: LoadedData) -> BenchmarkCase:
        """Convert a data set to a case.

        Parameters
        ----------
        data : LoadedData
            The data set.

        Returns
        -------
        BenchmarkCase
            Case with the name of the data set.
        """
        why = data.meta.get("why_simulated", "")
        return cls(data.id, data.annotations, data.gold, data.provenance, data.meta["title"], why)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Whether an item is scored, with a gold category and a label; shape (I,)."""
        counts = np.bincount(self.annotations.item, minlength=self.annotations.n_items)
        return np.asarray((self.gold >= 0) & (counts > 0))


def digest(labels: Annotations, gold: NDArray[np.int64] | None = None) -> str:
    """Return a digest of labels, names and gold categories."""
    labels = as_annotations(labels, "digest")
    found = hashlib.sha256()
    found.update(json.dumps([labels.items, labels.annotators, labels.categories]).encode())
    columns = (labels.item, labels.annotator, labels.label, *([] if gold is None else [gold]))
    for codes in columns:
        found.update(codes.astype("<i4").tobytes())
    return found.hexdigest()[:16]


def version_of(cases: Iterable[BenchmarkCase]) -> str:
    """Return a digest of all labels and gold categories that does not depend on order."""
    each = sorted(digest(case.annotations, case.gold) for case in cases)
    return hashlib.sha256("".join(each).encode()).hexdigest()[:16]


def read_cases(folders: Iterable[Path]) -> list[BenchmarkCase]:
    """Read data sets written by the workflow.

    Parameters
    ----------
    folders : iterable of Path
        Folders of data sets; those without a scored item are left out.

    Returns
    -------
    list of BenchmarkCase
        In the same order.
    """
    known = [BenchmarkCase.of(datasets.read(folder)) for folder in folders]
    return [case for case in known if case.scored.any()]
