"""Data frames with one row per label as annotations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from annobench.core.errors import AnnotationError, ReaderError
from annobench.labels.annotations import Annotations, Scale
from annobench.labels.columns import FRAME, choose_columns

__all__ = ["as_annotations"]


def from_long(
    frame: pd.DataFrame,
    *,
    item: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    categories: Iterable[object] | None = None,
    scale: Scale | None = None,
) -> Annotations:
    """Build annotations from a data frame with usual or given column names."""
    wanted = {"item": item, "annotator": annotator, "label": label}
    header = list(map(str, frame.columns))
    roles = choose_columns(FRAME, header, wanted)
    columns = {role: frame.iloc[:, header.index(name)] for name, role in roles.items()}
    return Annotations.from_frame(pd.DataFrame(columns), categories=categories, scale=scale)


def as_annotations(value: Any, name: str) -> Annotations:
    """Convert the argument of a function to annotations.

    Every public function on annotations calls this, so that it also accepts a data frame with one
    row per label.

    Parameters
    ----------
    value : Annotations or DataFrame
        Annotations, or a data frame with one row per label and usual column names.
    name : str
        The function, for messages.

    Returns
    -------
    Annotations
        The labels.

    Raises
    ------
    AnnotationError
        If it is anything else; the message says what to call.
    """
    if isinstance(value, Annotations):
        return value
    if isinstance(value, pd.DataFrame):
        try:
            return from_long(value)
        except ReaderError as error:
            raise AnnotationError(
                f"{name} takes annotations ({error}) Call annobench.read_labels(frame, item=..., "
                "annotator=..., label=...) first for a data frame with one row per label, or "
                "annobench.Annotations.from_wide(frame) for one column per annotator."
            ) from error
    raise AnnotationError(
        f"{name} takes annotations, not {type(value).__name__}: call annobench.read_labels first "
        "for a file or a data frame with one row per label, annobench.Annotations.from_wide for a "
        "table with one column per annotator, or Annotations.from_arrays for three columns."
    )
