"""Conversion of an external method's answer to probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import MethodError
from annobench.core.numbers import plain_number
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

Floats = NDArray[np.float64]


class AnswerError(MethodError):
    """An answer that is not a table of probabilities of the items' categories."""


#: By how much a row may miss the sum 1, as rounded numbers in a file do; it is then scaled.
ROUNDING = 1e-3

#: How many offending names a message lists.
SHOWN = 5


def to_posterior(answer: Any, labels: Annotations) -> Floats:
    """Convert the answer of a method to probabilities of the categories."""
    labels = as_annotations(labels, "to_posterior")
    if hasattr(answer, "posterior"):
        answer = answer.posterior
    if answer is None:
        raise AnswerError(
            f"expected probabilities, {_shape(labels)}; got None. Let the function return them."
        )
    if isinstance(answer, pd.DataFrame):
        return _probabilities(_table(answer, labels), labels)
    if isinstance(answer, pd.Series):
        return _certain(_by_item(answer, labels), labels)
    try:
        array = np.asarray(answer)
    except ValueError as error:
        raise AnswerError(
            f"expected an array of probabilities, {_shape(labels)}; got {type(answer).__name__} "
            f"that is not an array ({error}). Return one row per item, all of the same length."
        ) from error
    if array.ndim == 1 and array.size == labels.n_items:
        return _certain(array, labels)
    return _probabilities(array, labels)


def _shape(labels: Annotations) -> str:
    return (
        f"shape ({labels.n_items}, {labels.n_categories}): a row for each item and a column for "
        "each category"
    )


def _names(names: Iterable[object]) -> str:
    listed = list(names)
    return ", ".join(map(repr, listed[:SHOWN])) + (" ..." if len(listed) > SHOWN else "")


def _by_place(index: pd.Index[Any], n: int) -> bool:
    """Return whether an index is a default range, not names."""
    return pd.api.types.is_integer_dtype(index) and index.equals(pd.RangeIndex(n))


def _item_codes(index: pd.Index[Any], labels: Annotations) -> NDArray[np.intp]:
    """Return the row of each item, in the order of the items."""
    if _by_place(index, labels.n_items):
        return np.arange(labels.n_items)
    names = index.map(str)
    if names.has_duplicates:
        twice = names[names.duplicated()].unique()
        raise AnswerError(
            f"expected one row per item; got several for {_names(twice)}. Return each item once."
        )
    known = pd.Index(labels.items)
    unknown = names.difference(known, sort=False)
    if len(unknown):
        raise AnswerError(
            f"expected rows named after the items, such as {labels.items[0]!r}; got "
            f"{_names(unknown)}, which {'is' if len(unknown) == 1 else 'are'} not among them. "
            "Keep the names as text: read as numbers, '01' becomes 1 (pandas: dtype=str; R: "
            'colClasses = "character").'
        )
    found = names.get_indexer(known)
    if (found < 0).any():
        absent = known[found < 0]
        raise AnswerError(
            f"expected a row for each of {labels.n_items:,} items; got none for "
            f"{len(absent):,}: {_names(absent)}. Return a row for every item with a label."
        )
    return found


def _table(frame: pd.DataFrame, labels: Annotations) -> Any:
    """Arrange a frame as items by categories; a category without a column has probability 0."""
    rows = _item_codes(frame.index, labels)
    if _by_place(frame.columns, labels.n_categories):
        return frame.to_numpy()[rows]
    names = frame.columns.map(plain_number)
    unknown = names.difference(pd.Index(labels.categories), sort=False)
    if len(unknown) or names.has_duplicates:
        mangled = any(name[:1] == "X" and name[1:] in labels.categories for name in unknown)
        hint = (
            "R wrote 'X' before them: make the data frame with check.names = FALSE."
            if mangled
            else "Name each column after its category, without other columns."
        )
        raise AnswerError(
            f"expected columns named after the categories, {_names(labels.categories)}; got "
            f"{_names(frame.columns)}. {hint}"
        )
    whole = frame.set_axis(names, axis=1).reindex(columns=list(labels.categories), fill_value=0.0)
    return whole.to_numpy()[rows]


def _by_item(labels_of: pd.Series[Any], labels: Annotations) -> NDArray[Any]:
    return labels_of.to_numpy()[_item_codes(labels_of.index, labels)]


def _certain(answer: NDArray[Any], labels: Annotations) -> Floats:
    """Give probability 1 to the answered category of an item."""
    if answer.dtype.kind in "iub":
        codes = answer.astype(np.int64)
        expected = f"codes of categories, whole numbers in [0, {labels.n_categories})"
        wrong = (codes < 0) | (codes >= labels.n_categories)
    elif answer.dtype.kind == "f":
        # A table of integers with a gap, such as scikit-learn makes, holds them as floats.
        expected = f"codes of categories, whole numbers in [0, {labels.n_categories})"
        whole = np.isfinite(answer) & (answer == np.floor(answer))
        codes = np.where(whole, answer, -1).astype(np.int64)
        wrong = (codes < 0) | (codes >= labels.n_categories)
    else:
        expected = f"one of the categories {_names(labels.categories)} for each item"
        names = pd.Index(answer.astype(object)).map(plain_number)
        codes = pd.Index(labels.categories).get_indexer(names).astype(np.int64)
        wrong = codes < 0
    if wrong.any():
        first = int(wrong.argmax())
        raise AnswerError(
            f"expected {expected}; got {answer[first : first + 1].tolist()[0]!r} for item "
            f"{labels.items[first]!r}. Return labels as given, or probabilities, "
            f"{_shape(labels)}."
        )
    return np.asarray(np.eye(labels.n_categories)[codes])


def _probabilities(answer: Any, labels: Annotations) -> Floats:
    """Check a table, and scale rows whose sums are rounded."""
    shape = labels.n_items, labels.n_categories
    try:
        table = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise AnswerError(
            f"expected numbers, {_shape(labels)}; got {type(answer).__name__} with other contents "
            f"({error}). Return probabilities."
        ) from error
    if table.shape != shape:
        raise AnswerError(
            f"expected {_shape(labels)}; got shape {table.shape}. {_reshaping(table, labels)}"
        )
    wrong = ~np.isfinite(table)
    if wrong.any():
        i, k = np.argwhere(wrong)[0]
        raise AnswerError(
            f"expected finite probabilities; got {table[i, k]} for item {labels.items[i]!r} and "
            f"category {labels.categories[k]!r}, and {int(wrong.sum()):,} such values in all. "
            "Guard against division by 0 and the logarithm of 0, as for a category without labels."
        )
    sums = table.sum(axis=1)
    wrong_rows = (table < 0).any(axis=1) | (np.abs(sums - 1) > ROUNDING)
    if wrong_rows.any():
        i = int(wrong_rows.argmax())
        hint = (
            "These look like logarithms: exponentiate and divide by the sum of the row."
            if (table <= 0).all()
            else "Divide each row by its sum: p / p.sum(axis=1, keepdims=True)."
            if (table >= 0).all()
            else "Probabilities are at least 0; convert scores to probabilities first."
        )
        raise AnswerError(
            "expected rows of probabilities that sum to 1; got "
            f"{np.array2string(table[i], precision=4, threshold=6)} with the sum {sums[i]:.6g} for "
            f"item {labels.items[i]!r}, and {int(wrong_rows.sum()):,} such rows in all. {hint}"
        )
    return np.asarray(table / sums[:, None])


def _reshaping(table: Floats, labels: Annotations) -> str:
    """Explain how to correct the shape of a table."""
    n_items, n_categories = labels.n_items, labels.n_categories
    if table.shape == (n_categories, n_items):
        return "Transpose it."
    idle = np.flatnonzero(np.bincount(labels.label, minlength=n_categories) == 0)
    if table.ndim == 2 and table.shape == (n_items, n_categories - idle.size):
        names = _names(labels.categories[k] for k in idle)
        return (
            f"A column is missing for {names}, which no label names here. Take the number of "
            "categories from labels.n_categories, not from the labels."
        )
    if table.ndim == 1:
        return "Return the probabilities of all categories, even if there are two."
    return "Take the sizes from labels.n_items and labels.n_categories."
