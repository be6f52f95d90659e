"""Known categories of items, as an option of a model's fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number, spelling_hint
from annobench.labels.annotations import Annotations
from annobench.scale._blocks import BlockedLabels


def gold_codes(
    model: str,
    annotations: Annotations | BlockedLabels,
    gold: Mapping[str, str] | ArrayLike | None,
) -> NDArray[np.int32]:
    """Return the code of each item's known category, -1 where there is none; empty without gold.

    Raises
    ------
    AnnotationError
        If gold does not fit these items.
    """
    if gold is None or isinstance(annotations, BlockedLabels):
        return np.zeros(0, dtype=np.int32)
    if isinstance(gold, Mapping):
        return _by_name(model, annotations, gold)
    codes = np.asarray(gold)
    if codes.shape != (annotations.n_items,):
        raise AnnotationError(
            f"{model}.fit: gold must have one code for each of the {annotations.n_items} "
            f"items, got shape {codes.shape}. Give -1 where the category is unknown."
        )
    wrong = ~((codes >= -1) & (codes < annotations.n_categories) & (codes == np.floor(codes)))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        raise AnnotationError(
            f"{model}.fit: gold of item {annotations.items[i]!r} is {codes[i]}, not one of the "
            f"categories 0 to {annotations.n_categories - 1} "
            f"({', '.join(map(repr, annotations.categories[:10]))}). Correct it, or give -1."
        )
    return codes.astype(np.int32)


def _by_name(model: str, annotations: Annotations, gold: Mapping[str, str]) -> NDArray[np.int32]:
    codes = np.full(annotations.n_items, -1, dtype=np.int32)
    item = {name: i for i, name in enumerate(annotations.items)}
    category = {name: k for k, name in enumerate(annotations.categories)}
    for name, value in gold.items():
        if str(name) not in item:
            raise AnnotationError(
                f"{model}.fit: gold names the item {name!r}, which is not among the "
                f"{annotations.n_items} items. Remove it, or add the item to the annotations."
                f"{spelling_hint([str(name)], item)}"
            )
        if plain_number(value) not in category:
            raise AnnotationError(
                f"{model}.fit: gold of item {name!r} is {value!r}, not one of the categories "
                f"{', '.join(map(repr, annotations.categories[:10]))}. Correct it, or "
                "add the category to the annotations."
            )
        codes[item[str(name)]] = category[plain_number(value)]
    return codes
