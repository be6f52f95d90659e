"""A panel of humans, and judges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["NO_LABEL", "Panel", "split_judges"]

#: The code of an item that a judge did not label.
NO_LABEL = -1


@dataclass(frozen=True, eq=False)
class Panel:
    """A panel of humans, and judges.

    Attributes
    ----------
    humans : Annotations
        The labels of the humans, for all items and categories.
    judges : dict of str to ndarray of int, shape (I,)
        The label of each judge by item, a code of `humans.categories`; -1 for none. If a judge
        labelled an item repeatedly, the first label.
    """

    humans: Annotations
    judges: dict[str, NDArray[np.int64]]


def split_judges(annotations: Annotations, judges: Iterable[str]) -> Panel:
    """Separate the judges from the humans.

    Parameters
    ----------
    annotations : Annotations
        The labels of all.
    judges : iterable of str
        Names of the judges among the annotators.

    Returns
    -------
    Panel
        All other annotators are humans.

    Raises
    ------
    AnnotationError
        If a name is unknown or occurs twice, none is given, or no human is left.

    Examples
    --------
    >>> labels = Annotations.from_arrays(list("xxyy"), ["ann", "llm"] * 2, list("1110"))
    >>> panel = split_judges(labels, ["llm"])
    >>> panel.humans.annotators, panel.judges["llm"].tolist()
    (('ann',), [1, 0])
    """
    annotations = as_annotations(annotations, "split_judges")
    annotations.check_annotators("split_judges")
    names = list(judges)
    if not names:
        raise AnnotationError(
            "split_judges: no judge is named. Name the judges among the annotators."
        )
    for name in names:
        if name not in annotations.annotators:
            shown = ", ".join(map(repr, annotations.annotators[:10]))
            raise AnnotationError(
                f"split_judges: no annotator is called {name!r}."
                f"{did_you_mean(name, annotations.annotators)} There are {shown}"
                f"{', ...' if annotations.n_annotators > 10 else ''}. Correct the name."
            )
    if len(set(names)) < len(names):
        raise AnnotationError("split_judges: a judge is named twice. Name each once.")
    people = [name for name in annotations.annotators if name not in names]
    if not people:
        raise AnnotationError(
            "split_judges: every annotator is named as a judge. Leave the humans out of the list."
        )
    return Panel(
        annotations.select(annotators=people),
        {name: labels_of(annotations, annotations.annotators.index(name)) for name in names},
    )


def labels_of(annotations: Annotations, annotator: int) -> NDArray[np.int64]:
    """Return an annotator's first label of each item, -1 for none."""
    own = np.flatnonzero(annotations.annotator == annotator)[::-1]
    codes = np.full(annotations.n_items, NO_LABEL, dtype=np.int64)
    codes[annotations.item[own]] = annotations.label[own]  # the first of several is written last
    return codes
