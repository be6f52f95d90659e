"""The list of reference posteriors: one record each, in `records.toml`.

A posterior is a model with its options on a data set. Items, annotators and categories are numbered
from 1, in the order of the annotations that `Posterior.annotations` returns.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd

from annobench import datasets
from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError
from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.simulation import panels

__all__ = ["Posterior", "get", "names", "priors"]


@dataclass(frozen=True)
class Posterior(SummarisedScalars):
    """The record of a reference posterior.

    Attributes
    ----------
    name : str
        ``<data>-<model>``.
    title : str
        Title of the posterior.
    model : str
        Name of the model.
    data : mapping
        Either `rows`, one text of labels for each item, "." where one is missing; or `simulate`,
        the arguments of `annobench.simulation.panels.nominal`; or `id`, a data set with real
        labels, of which every `every`-th item is taken, and the annotators numbered `annotators`.
    seed : int
        Of the sampler.
    warmup : int
        Number of warm-up sweeps per chain.
    thin : int
        Thinning interval in sweeps.
    options : mapping
        Options of the model's `fit`.
    modes : int
        Number of separate modes of the posterior.
    enumerated : bool
        Whether the draws are checked against sums over all categories of all items.
    """

    name: str
    title: str
    model: str
    data: Mapping[str, Any]
    seed: int
    warmup: int
    thin: int
    options: Mapping[str, Any] = field(default_factory=dict)
    modes: int = 1
    enumerated: bool = False

    def annotations(self) -> Annotations:
        """Obtain the labels.

        Returns
        -------
        Annotations
            Items and annotators in the order in which they are numbered.

        Raises
        ------
        DataUnavailableError
            If the data set is real and its files can't be had.
        """
        if "rows" in self.data:
            cells = [[None if c == "." else c for c in row] for row in self.data["rows"]]
            return Annotations.from_wide(np.array(cells, dtype=object))
        if "simulate" in self.data:
            settings = dict(self.data["simulate"])
            return panels.nominal(rng=settings.pop("seed"), **settings).annotations
        found = datasets.load(self.data["id"], mode="real").annotations
        items = np.arange(0, found.n_items, self.data.get("every", 1))
        annotators = np.array(self.data.get("annotators", range(1, found.n_annotators + 1))) - 1
        found = found.select(items=items, annotators=annotators)
        return found.select(annotators=np.diff(found.by_annotator.offsets) > 0)

    def origin(self) -> str:
        """Say where the labels come from.

        Returns
        -------
        str
            Such as "anesthesia" or "caries, every 20th item".
        """
        if "rows" in self.data:
            return "labels written in the record"
        if "simulate" in self.data:
            return f"simulated, seed {self.data['simulate']['seed']}"
        parts = [str(self.data["id"])]
        if "every" in self.data:
            parts.append(f"items 1, {1 + self.data['every']}, {1 + 2 * self.data['every']}, ...")
        if "annotators" in self.data:
            parts.append(f"annotators {', '.join(map(str, self.data['annotators']))}")
        return ", ".join(parts)


@cache
def _file() -> dict[str, Any]:
    home = resources.files("annobench.posteriors")
    return tomllib.loads((home / "records.toml").read_text(encoding="utf-8"))


def names() -> tuple[str, ...]:
    """Return the names of the reference posteriors.

    Returns
    -------
    tuple of str
        In alphabetical order.
    """
    return tuple(sorted(_file()["posterior"]))


def get(name: str) -> Posterior:
    """Return the record of a reference posterior.

    Parameters
    ----------
    name : str
        As `names` lists it.

    Returns
    -------
    Posterior
        The record.

    Raises
    ------
    AnnotationError
        If there is none of this name; lists those there are.

    Examples
    --------
    >>> get("anesthesia-hierarchical_dawid_skene").model
    'hierarchical_dawid_skene'
    """
    known = _file()["posterior"]
    if name not in known:
        raise AnnotationError(
            f"posteriors: there is no reference posterior {name!r}.{did_you_mean(name, known)} "
            f"There are {', '.join(names())}."
        )
    return Posterior(name=name, **known[name])


def priors(model: str) -> tuple[str, ...]:
    """Return the distributions that define a model's posterior.

    Parameters
    ----------
    model : str
        Its name.

    Returns
    -------
    tuple of str
        One per line: priors, restriction, likelihood, with the names of the draws.
    """
    return tuple(_file()["model"][model]["distributions"])


def labels_frame(annotations: Annotations) -> pd.DataFrame:
    """Number the labels as a reference posterior numbers its parameters."""
    annotations = as_annotations(annotations, "labels_frame")
    return pd.DataFrame(
        {
            "item": annotations.item.astype(np.int64) + 1,
            "annotator": annotations.annotator.astype(np.int64) + 1,
            "label": annotations.label.astype(np.int64) + 1,
        }
    )


def fingerprint(annotations: Annotations) -> str:
    """Return the SHA-256 of the numbered labels, which identifies them."""
    annotations = as_annotations(annotations, "fingerprint")
    text = labels_frame(annotations).to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(text.encode()).hexdigest()
