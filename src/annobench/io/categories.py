"""Labels as categories: their codes and order, and those that are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.labels._coding import sorted_names
from annobench.labels.annotations import Annotations, Scale


def coded_labels(
    names: Sequence[str], categories: tuple[str, ...] | None, scale: Scale
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the code of each distinct label, and the categories; the rows are codes already."""
    if categories is None and scale == "nominal":
        order = sorted_names(dict.fromkeys(names))
        rank = {name: code for code, name in enumerate(order)}
        small = np.int16 if len(order) <= np.iinfo(np.int16).max else np.int32
        return np.array([rank[name] for name in names], dtype=small), order
    placeholders = ["-"] * len(names)
    distinct = Annotations.from_arrays(
        placeholders, placeholders, names, categories=categories, scale=scale
    )
    return distinct.label, distinct.categories


def label_fault(name: str, categories: tuple[str, ...] | None, scale: Scale) -> str | None:
    """Say why a label is none of the categories, or no number; None if it is."""
    if scale == "interval":
        try:
            number = float(name)
        except ValueError:
            comma = _number(name.replace(",", ".")) is not None
            return f"label {name!r} is not a number" + (": write a decimal point" if comma else "")
        if not np.isfinite(number):
            return f"label {name!r} is not a finite number"
        if categories is None or any(number == _number(other) for other in categories):
            return None
    elif categories is None or name in categories:
        return None
    return f"label {name!r} is not one of {', '.join(map(repr, categories or ()))}"


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
