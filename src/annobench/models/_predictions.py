"""A classifier's probabilities, checked against the labels with which they are pooled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from annobench.core.errors import AnnotationError
from annobench.core.numbers import spelling_hint
from annobench.labels.annotations import Annotations
from annobench.models._votes import Floats

#: How far the probabilities of an item may be from a sum of 1, as rounded ones are.
ROUNDED: Final = 0.01


def probabilities(annotations: Annotations, predictions: pd.DataFrame | ArrayLike) -> Floats:
    """Return the probabilities of the labelled items, shape (I, K).

    Raises
    ------
    AnnotationError
        If an item or category is missing, a category is unknown, or values are not probabilities.
    """
    if isinstance(predictions, pd.DataFrame):
        predictions = _in_order(annotations, predictions)
    try:
        found = np.asarray(predictions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise AnnotationError(
            "pool.fit: predictions must be a table of probabilities by item and category; on the "
            "command line, a file: --predictions model.csv."
        ) from error
    shape = annotations.n_items, annotations.n_categories
    if found.shape != shape:
        raise AnnotationError(
            f"pool.fit: predictions must have a row for each of the {shape[0]:,} items and a "
            f"column for each of the {shape[1]} categories, got shape {found.shape}."
        )
    total = found.sum(axis=1)
    wrong = ~((found >= 0).all(axis=1) & (np.abs(total - 1) <= ROUNDED))
    if wrong.any():
        i = int(wrong.argmax())
        raise AnnotationError(
            f"pool.fit: the predictions of {wrong.sum():,} items are not probabilities, such as "
            f"{', '.join(f'{p:g}' for p in found[i, :10])} of item {annotations.items[i]!r}. Give "
            "numbers of at least 0 that sum to 1."
        )
    return np.asarray(found / total[:, None])


def _in_order(annotations: Annotations, table: pd.DataFrame) -> pd.DataFrame:
    items, categories = (list(map(str, names)) for names in (table.index, table.columns))
    _refuse_missing("item", annotations.items, items)
    _refuse_missing("category", annotations.categories, categories)
    if unknown := [name for name in categories if name not in annotations.categories]:
        raise AnnotationError(
            f"pool.fit: the predictions have a column {unknown[0]!r}, which is not a category of "
            f"the labels: {', '.join(map(repr, annotations.categories[:10]))}. Leave it out, or "
            "list it among the categories of the labels (--categories)."
        )
    if len(set(items)) < len(items):
        raise AnnotationError("pool.fit: predictions have two rows for the same item. Give one.")
    named = table.set_axis(items, axis=0).set_axis(categories, axis=1)
    return named.loc[list(annotations.items), list(annotations.categories)]


def _refuse_missing(what: str, names: Sequence[str], given: Sequence[str]) -> None:
    known = set(given)
    missing = [name for name in names if name not in known]
    if not missing:
        return
    several = {"item": "items", "category": "categories"}[what]
    more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
    raise AnnotationError(
        f"pool.fit: the predictions lack {len(missing):,} of {len(names):,} {several}: "
        f"{', '.join(map(repr, missing[:5]))}{more}. Add a "
        f"{'row' if what == 'item' else 'column'} for each, or leave out predictions."
        f"{spelling_hint(missing, given)}"
    )
