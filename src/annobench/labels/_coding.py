"""Coding of columns of names: distinct values, and the code of each entry."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number, with_points
from annobench.labels._grouping import codes_of_numbers
from annobench.labels.columns import named_columns

#: The largest number on the interval scale, whose square is still a number.
LARGEST = 1e150

#: Bytes of the widest integer, which may have the bits of a number.
_WIDEST = 8

#: What errors say of labels such as NA.
_CODES = "Codes for missing labels are left out with missing=."

#: How many offending values an error message lists.
SHOWN = 5

#: Types of values that are no names: their texts depend on order, or on how Python shows them.
_NO_NAMES = (list, set, frozenset, dict, np.ndarray, bytes)


def is_number(kind: object) -> bool:
    """Return whether a dtype is numeric or boolean."""
    return isinstance(kind, np.dtype) and kind.kind in "buif"


def column_of(values: Any, name: str) -> pd.Series[Any]:
    """Return a column of names, one entry per label; tuples and the like are entries, too."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise AnnotationError(
            f"Annotations: {name} must be a column of names, one for each label, got {values!r}."
        )
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise AnnotationError(
            f"Annotations: {name} must have one dimension, got shape {values.shape}. Give one "
            "entry for each label; a table of items by annotators goes to from_wide."
        )
    if isinstance(values, np.ma.MaskedArray):
        values = unmasked(values)
    if isinstance(values, np.ndarray) and not is_number(values.dtype):
        values = values.astype(object)
    if isinstance(values, np.ndarray | pd.Series | pd.Index):
        return pd.Series(values, dtype=values.dtype, copy=False)
    return pd.Series(objects(values), dtype=object)


def declared_by(
    kinds: Iterable[object], categories: Iterable[object] | None, scale: Scale | None
) -> tuple[Iterable[object] | None, Scale]:
    """Return the categories and the scale of labels, by default those of categorical columns."""
    kinds = list(kinds)
    declared = [kind for kind in kinds if isinstance(kind, pd.CategoricalDtype)]
    if not declared or len(declared) < len(kinds):
        return categories, scale or "nominal"
    orders = {tuple(kind.categories): kind for kind in declared}
    is_ordered = all(kind.ordered for kind in declared)
    if categories is None and len(orders) == 1:
        categories = declared[0].categories
    elif categories is None and is_ordered and scale in (None, "ordinal"):
        shown = " and ".join(", ".join(map(repr, order[:SHOWN])) for order in list(orders)[:2])
        raise AnnotationError(
            f"Annotations: ordered categorical columns differ in categories or order: {shown}. "
            "Give the common order with categories=, lowest first."
        )
    return categories, scale or ("ordinal" if is_ordered else "nominal")


def unmasked(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Return an array with None for what is masked."""
    hidden = np.ma.getmaskarray(values)
    if not hidden.any():
        return np.asarray(values.data)
    found = np.array(values.data, dtype=object)
    found[hidden] = None
    return found


def objects(values: Iterable[object]) -> NDArray[np.object_]:
    """Return an object array of values; tuples and the like are entries, too."""
    return np.fromiter(values, dtype=object)


class Column(NamedTuple):
    """The distinct values of a column, and the code of each entry.

    If they are `whole` numbers, none is missing, and names are unique.
    """

    distinct: NDArray[Any]
    codes: NDArray[np.integer[Any]]
    whole: bool = False

    @classmethod
    def of(cls, column: pd.Series[Any]) -> Column:
        """Find the distinct values, for numbers without creating objects."""
        kind = column.dtype
        if isinstance(kind, pd.CategoricalDtype):
            codes, places = pd.factorize(column.cat.codes.to_numpy())
            return cls(objects([*kind.categories, None])[places], codes)
        if isinstance(kind, np.dtype) and kind.kind in "bui":
            return cls(*_whole_numbers(column.to_numpy()), whole=True)
        if isinstance(kind, np.dtype) and kind.kind == "f" and kind.itemsize <= _WIDEST:
            # By their bits, as 0.0 and -0.0 are equal and have different names.
            codes, bits = pd.factorize(column.to_numpy().view(f"i{kind.itemsize}"))
            return cls(bits.view(kind).astype(object), codes)
        if not isinstance(kind, pd.StringDtype):
            column = column.astype(object)
            # Equal values may have different names, as 1, 1.0 and True have: all stay.
            if pd.api.types.infer_dtype(column) not in ("string", "integer", "boolean"):
                return cls(column.to_numpy(), np.arange(len(column)))
        codes, different = pd.factorize(column, use_na_sentinel=False)
        return cls(np.asarray(different, dtype=object), codes)

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        if self.whole:
            return np.zeros(len(self.codes), dtype=bool)
        found: NDArray[np.bool_] = missing(self.distinct)[self.codes]
        return found

    def named(
        self, known: Iterable[object] | None, what: str
    ) -> tuple[NDArray[np.int32], tuple[str, ...] | NDArray[Any]]:
        """Return the code of each entry, and all names, known ones first."""
        if self.whole and known is None:
            return self.codes.astype(np.int32, copy=False), self.distinct
        codes, names = codes_of(names_of(self.distinct), known, what)
        return codes[self.codes], names


def _whole_numbers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """Return the distinct numbers, in the order of first appearance, and their codes."""
    codes, distinct = (pd.factorize if values.dtype.kind == "b" else codes_of_numbers)(values)
    return distinct, codes


def missing(values: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Mark missing values: None, NaN and the like, and empty texts."""
    empty = np.fromiter((isinstance(v, str) and not v for v in values), bool, len(values))
    found: NDArray[np.bool_] = pd.isna(values) | empty
    return found


def names_of(values: NDArray[Any]) -> NDArray[np.object_]:
    """Return the names of values, rejecting names that can't be written to a file."""
    wrong = next((value for value in values if isinstance(value, _NO_NAMES)), None)
    if isinstance(wrong, bytes):
        raise AnnotationError(
            f"Annotations: the name {wrong!r} is bytes. Make it text, such as with .decode()."
        )
    if wrong is not None:
        raise AnnotationError(
            f"Annotations: {wrong!r} is a collection, not a name. Give one name for each label; if "
            "labels are sets, use from_sets."
        )
    names = objects(map(str, values))
    try:
        "".join(names).encode("utf-8")
    except UnicodeEncodeError:
        wrong = next(name for name in names if not _is_unicode(name))
        raise AnnotationError(
            f"Annotations: the name {wrong!r} is not valid Unicode. Rename it."
        ) from None
    return names


def _is_unicode(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def numbers_of(values: NDArray[Any]) -> NDArray[np.object_]:
    """Normalise numbers, so that "00", "-0" and 0.0 are equal; commas may be decimal."""
    if any(isinstance(value, str) and "," in value for value in values):
        values = objects(with_points(list(map(str, values))))
    numbers = pd.to_numeric(pd.Series(values, dtype=object), errors="coerce").to_numpy(np.float64)
    wrong = ~(np.abs(numbers) <= LARGEST)
    if wrong.any():
        shown = named_columns(pd.unique(values[wrong]), most=SHOWN)
        raise AnnotationError(
            f"Annotations: interval labels must be finite numbers up to {LARGEST:g}, got {shown}. "
            f"Correct them, or use the nominal scale. {_CODES}"
        )
    codes, distinct = pd.factorize(numbers)
    names = [str(int(x)) if x == int(x) else repr(float(x)) for x in distinct]
    return np.array(names, dtype=object)[codes]


def check_order(labels: NDArray[np.object_]) -> None:
    """Reject ordinal labels without a given order."""
    seen = pd.Series(pd.unique(labels), dtype=object)
    if pd.to_numeric(seen, errors="coerce").isna().any():
        raise AnnotationError(
            "Annotations: the order of the ordinal categories "
            f"{named_columns(seen, most=SHOWN)} is "
            f"unknown. Give all categories in order with categories=, lowest first. {_CODES}"
        )


def codes_of(
    names: NDArray[np.object_], known: Iterable[object] | None, what: str
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the code of each name, and all names: the known ones, or else those found."""
    of_name, different = pd.factorize(names)
    if what == "label":
        different = objects(map(plain_number, different))
    uniques = pd.Index(different, dtype=object)
    if known is None:
        if what != "label":
            return of_name.astype(np.int32), tuple(uniques)
        known = sorted_names(uniques.unique())
    order = tuple(map(str, known))
    index = pd.Index(order, dtype=object)
    if index.has_duplicates:
        twice = named_columns(index[index.duplicated()].unique(), most=SHOWN)
        raise AnnotationError(f"Annotations: {what} {twice} is listed twice. List each name once.")
    codes = index.get_indexer(uniques) if len(uniques) else np.zeros(0, dtype=np.int32)
    if (codes < 0).any():
        unknown = uniques[codes < 0].unique()
        shown = named_columns(unknown, most=SHOWN)
        raise AnnotationError(
            f"Annotations: {what} {shown} not among the "
            f"{len(order)} known ({named_columns(order, most=10)}). "
            f"Correct the {what}, or add it to the list."
            + (f" {_CODES}" if what == "label" else "")
        )
    return codes.astype(np.int32)[of_name], order


def sorted_names(names: Iterable[str]) -> tuple[str, ...]:
    """Sort the names of categories."""
    names = tuple(names)
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return tuple(sorted(names))
    if not all(map(math.isfinite, numbers)):
        return tuple(sorted(names))
    return tuple(name for _, name in sorted(zip(numbers, names, strict=True)))
