"""Annotations: labels by item and annotator, as small integer codes.

The one data structure of the library. It is validated on construction and immutable; orderings by
item and annotator are computed on first use and cached.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.choices import SCALES as SCALES
from annobench.core.choices import Scale as Scale
from annobench.core.errors import AnnotationError, ItemColumnWarning
from annobench.core.numbers import plain_categories, plain_number
from annobench.core.results import as_html
from annobench.core.texts import visible
from annobench.labels._coding import (
    SHOWN,
    Column,
    check_order,
    codes_of,
    column_of,
    declared_by,
    is_number,
    missing,
    names_of,
    numbers_of,
    objects,
    unmasked,
)
from annobench.labels._grouping import find_repeat
from annobench.labels.columns import named_columns
from annobench.labels.item_column import with_items
from annobench.labels.select import Verbs
from annobench.labels.view import View

__all__ = ["Annotations"]

ArrayT = TypeVar("ArrayT", bound=NDArray[Any])

#: Labels, and categories, that a notebook shows.
SHOWN_LABELS = 10

_NO_COLUMNS = (
    "{}: item={!r} names a column, but the table is not a data frame. Give a data frame, or leave "
    "item out."
)


@dataclass(frozen=True, eq=False)
class Annotations(Verbs):
    """Labels that annotators gave to items.

    Use the constructors `from_arrays`, `from_frame`, `from_wide`, `from_sets`, `from_counts`
    and `from_contingency`; which validate. Missing labels are absent rows, repeated labels are
    duplicate rows, and the number of labels may vary between items. The verbs `select`, `complete`,
    `first_labels`, `subsample`, `split_by`, `relabel`, `recode` and `binarize` return transformed
    annotations.

    Attributes
    ----------
    item : ndarray of int32, shape (N,)
        Code of the item of the n-th label, in [0, I).
    annotator : ndarray of int32, shape (N,)
        Code of the annotator who gave it, in [0, J).
    label : ndarray of int16 or int32, shape (N,)
        Code of the label given, in [0, K).
    items, annotators, categories : tuple of str
        The original names, by code. Items and annotators are in the order of first appearance,
        categories sorted unless given. The categories 5 and 5.0 are the same, named 5.
    scale : {"nominal", "ordinal", "interval", "set"}
        Scale of measurement. On the set scale a category is a set of elements.
    members : tuple of frozenset of str
        The elements of each category, by code; empty on other scales.
    elements : tuple of str
        The C elements of sets; empty on other scales.
    anonymous : bool
        Whether annotators are unknown, as in a table of counts. Codes of annotators then only
        number the labels of each item, and methods that depend on annotators reject such labels.
    """

    item: NDArray[np.int32]
    annotator: NDArray[np.int32]
    label: NDArray[Any]
    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    scale: Scale = field(default="nominal")
    members: tuple[frozenset[str], ...] = ()
    elements: tuple[str, ...] = ()
    anonymous: bool = False

    def __post_init__(self) -> None:
        """Make the columns read-only, and merge different spellings of whole numbers."""
        # On the interval scale labels are numbers already, and a set has no spelling of its own.
        if self.scale in ("nominal", "ordinal"):
            plain = tuple(map(plain_number, self.categories))
            if plain != self.categories:
                self._rename_categories(plain)
        for column in (self.item, self.annotator, self.label):
            column.setflags(write=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> tuple[str, ...]:
            """Create the names of items or annotators that are whole numbers on first use."""
            numbers = self.__dict__.get("_numbers", {})
            if name not in numbers:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            names = self.__dict__[name] = tuple(map(str, numbers[name].tolist()))
            return names

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled state, read-only."""
        self.__dict__.update(state)
        self.__post_init__()

    def check_annotators(self, caller: str) -> None:
        """Reject anonymous labels.

        Parameters
        ----------
        caller : str
            Name of the function, for the message.

        Raises
        ------
        AnnotationError
            If the labels are anonymous.
        """
        if self.anonymous:
            raise AnnotationError(
                f"{caller}: needs to know who gave each label, but these labels are anonymous "
                "counts. Give labels with their annotators."
            )

    def _rename_categories(self, names: tuple[str, ...]) -> None:
        """Rename categories, merging those with equal names."""
        codes, distinct = pd.factorize(np.array(names, dtype=object))
        if len(distinct) < len(names):
            object.__setattr__(self, "label", codes.astype(self.label.dtype)[self.label])
        object.__setattr__(self, "categories", tuple(distinct))

    @classmethod
    def from_arrays(
        cls,
        item: ArrayLike | Sequence[object],
        annotator: ArrayLike | Sequence[object],
        label: ArrayLike | Sequence[object],
        *,
        items: Iterable[object] | None = None,
        annotators: Iterable[object] | None = None,
        categories: Iterable[object] | None = None,
        scale: Scale | None = None,
    ) -> Annotations:
        """Build annotations from three parallel columns of names.

        Parameters
        ----------
        item, annotator, label : array_like, shape (N,)
            Names, converted by `str`. A missing label (None, NaN or an empty string) means that the
            annotator did not label the item.
        items, annotators, categories : iterable, optional
            All names in the desired order, including those without labels. By default the names
            found: items and annotators by first appearance, categories sorted (numerically if all
            are numbers). Ordinal categories that are not numbers must be given.
        scale : {"nominal", "ordinal", "interval"}, optional
            Scale of measurement; by default ordinal if the labels are an ordered categorical, whose
            categories are then used, and otherwise nominal. On the interval scale labels must be
            numbers, and equal numbers are the same category. On any scale whole numbers with and
            without a decimal point are the same category: 5 and 5.0, written 5.

        Returns
        -------
        Annotations
            N labels of J annotators for I items in K categories.

        Raises
        ------
        AnnotationError
            If the columns differ in length, an item or annotator has no name, a name is not in the
            given list, the order of ordinal categories that are not numbers is missing, or an
            interval label is not a finite number.

        Examples
        --------
        >>> a = Annotations.from_arrays(["x", "x", "y"], ["ann", "bob", "ann"], ["no", "yes", "no"])
        >>> a.n_items, a.n_annotators, a.categories
        (2, 2, ('no', 'yes'))
        """
        columns = {
            name: Column.of(column_of(values, name))
            for name, values in (("item", item), ("annotator", annotator), ("label", label))
        }
        categories, scale = declared_by([getattr(label, "dtype", None)], categories, scale)
        return cls._from_columns(columns, items, annotators, categories, scale)

    @classmethod
    def _from_columns(
        cls,
        columns: dict[str, Column],
        items: Iterable[object] | None,
        annotators: Iterable[object] | None,
        categories: Iterable[object] | None,
        scale: Scale,
    ) -> Annotations:
        if scale not in SCALES or scale == "set":
            raise AnnotationError(
                f"Annotations: scale {scale!r} is not one of {', '.join(SCALES[:-1])}. "
                "For labels that are sets use from_sets."
            )
        lengths = {name: column.codes.size for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise AnnotationError(
                "Annotations: item, annotator and label must have the same length, got "
                + ", ".join(f"{name} {n}" for name, n in lengths.items())
                + ". Give one entry of each for every label."
            )
        for name in ("item", "annotator"):
            unnamed = np.flatnonzero(columns[name].is_missing)
            if unnamed.size:
                raise AnnotationError(
                    f"Annotations: {unnamed.size} row(s) have no {name}, the first at row "
                    f"{unnamed[0]} (counted from 0). Name it, or remove the row."
                )
        given = ~columns["label"].is_missing
        all_given = bool(given.all())

        def of_given(codes: NDArray[Any]) -> NDArray[Any]:
            return codes if all_given else codes[given]

        item_codes, item_names = columns["item"].named(items, "item")
        annotator_codes, annotator_names = columns["annotator"].named(annotators, "annotator")
        kept = ~missing(columns["label"].distinct)
        labels = columns["label"].distinct[kept]
        if scale == "interval":
            labels = numbers_of(labels)
            categories = None if categories is None else numbers_of(objects(categories))
        if scale == "ordinal" and categories is None:
            check_order(labels)
        elif categories is not None:
            categories = plain_categories(categories)
        label_codes, label_names = codes_of(names_of(labels), categories, "label")
        small = np.int16 if len(label_names) <= np.iinfo(np.int16).max else np.int32
        code_of = np.full(kept.size, -1, dtype=small)
        code_of[kept] = label_codes
        names = {"items": item_names, "annotators": annotator_names}
        numbers = {name: own for name, own in names.items() if isinstance(own, np.ndarray)}
        found = cls(
            _frozen(of_given(item_codes)),
            _frozen(of_given(annotator_codes)),
            _frozen(code_of[of_given(columns["label"].codes)]),
            **names | dict.fromkeys(numbers, ()),  # type: ignore[arg-type]
            categories=label_names,
            scale=scale,
        )
        # Writing them out takes longer than all else, and a coefficient needs no names.
        for name in numbers:
            del found.__dict__[name]
        found.__dict__["_numbers"] = numbers
        return found

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        items: Iterable[object] | None = None,
        annotators: Iterable[object] | None = None,
        categories: Iterable[object] | None = None,
        scale: Scale | None = None,
    ) -> Annotations:
        """Build annotations from the columns `item`, `annotator` and `label` of a frame.

        Parameters
        ----------
        frame : DataFrame
            One row per label. Other columns are ignored. The categories and order of a categorical
            column `label` are used.
        items, annotators, categories, scale
            As in `from_arrays`.

        Returns
        -------
        Annotations
            The labels as codes.

        Raises
        ------
        AnnotationError
            If a column is missing or duplicated, or as in `from_arrays`.
        """
        wanted = ("item", "annotator", "label")
        twice = [c for c in wanted if (frame.columns == c).sum() > 1]
        if twice:
            raise AnnotationError(
                f"Annotations.from_frame: column {twice[0]!r} occurs twice. Rename one."
            )
        missing = [c for c in wanted if c not in frame.columns]
        if missing:
            raise AnnotationError(
                f"Annotations.from_frame: column(s) {', '.join(missing)} missing; the frame has "
                f"{named_columns(frame.columns, most=10)}. Rename its columns first."
            )
        return cls.from_arrays(
            frame["item"],
            frame["annotator"],
            frame["label"],
            items=items,
            annotators=annotators,
            categories=categories,
            scale=scale,
        )

    @classmethod
    def from_contingency(
        cls, contingency: ArrayLike, *, categories: Iterable[object] | None = None
    ) -> Annotations:
        """Build the labels of two annotators from a table of counts.

        Parameters
        ----------
        contingency : array_like of int, shape (K, K)
            ``[k, l]``: items labelled k by the first annotator and l by the second.
        categories : iterable, optional
            Names of the categories; by default the names of a frame's rows, or else "0", "1", ....

        Returns
        -------
        Annotations
            Two annotators, ``contingency.sum()`` items, two labels per item.

        Raises
        ------
        AnnotationError
            If the table is not square, has a negative or fractional count, or the categories are
            not unique names, one per row.

        Examples
        --------
        >>> Annotations.from_contingency([[30, 10], [10, 30]]).n_items
        80
        """
        if categories is None and isinstance(contingency, pd.DataFrame):
            categories = contingency.index
        counts = _whole_counts(contingency, "from_contingency")
        if counts.shape[0] != counts.shape[1]:
            raise AnnotationError(
                f"from_contingency: the table must be square, got shape {counts.shape}. "
                "Give every category, even an empty one, a row and a column."
            )
        names = tuple(map(str, range(len(counts)) if categories is None else categories))
        if len(names) != len(counts) or len(set(names)) < len(names):
            raise AnnotationError(
                f"from_contingency: categories must be {len(counts)} different names, one for "
                f"each row, got {named_columns(names, most=10)}."
            )
        n_categories = counts.shape[0]
        first, second = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_categories)
        n_items = first.size
        item = np.arange(n_items, dtype=np.int32)
        return cls(
            _frozen(np.concatenate([item, item])),
            _frozen(np.repeat(np.array([0, 1], dtype=np.int32), n_items)),
            _frozen(np.concatenate([first, second]).astype(np.int16)),
            tuple(map(str, range(n_items))),
            ("1", "2"),
            names,
        )

    @classmethod
    def from_sets(
        cls,
        item: ArrayLike | Sequence[object],
        annotator: ArrayLike | Sequence[object],
        label: Sequence[Iterable[object] | None],
        *,
        items: Iterable[object] | None = None,
        annotators: Iterable[object] | None = None,
        elements: Iterable[object] | None = None,
    ) -> Annotations:
        """Build annotations whose labels are sets, such as topics of a text.

        Parameters
        ----------
        item, annotator : array_like, shape (N,)
            Names.
        label : sequence of iterables, length N
            The elements that the annotator chose; an empty set is a label, None a missing one.
        items, annotators : iterable, optional
            As in `from_arrays`.
        elements : iterable, optional
            All elements in the desired order; by default those found, sorted.

        Returns
        -------
        Annotations
            Annotations on the set scale; each distinct set is a category, and `membership` has its
            elements.

        Raises
        ------
        AnnotationError
            If a label is a single name instead of a set, an element is not in the list
            given, or as in `from_arrays`.

        Examples
        --------
        >>> a = Annotations.from_sets(["x", "x"], ["ann", "bob"], [{"joy", "fear"}, set()])
        >>> a.categories
        ('{}', '{fear, joy}')
        """
        sets = [_elements(value) for value in label]
        seen = sorted(set().union(*(members for members in sets if members is not None)))
        order = seen if elements is None else list(plain_categories(elements))
        unknown = sorted(set(seen) - set(order))
        if unknown:
            raise AnnotationError(
                f"Annotations.from_sets: element {named_columns(unknown, most=SHOWN)} not among "
                f"the {len(order)} known ({named_columns(order, most=10)}). "
                "Correct the label, or add the element to the list."
            )
        if len(set(order)) < len(order):
            raise AnnotationError(
                "Annotations.from_sets: an element is listed twice. List each name once."
            )
        rank = {name: position for position, name in enumerate(order)}
        distinct = sorted(
            {members for members in sets if members is not None},
            key=lambda members: (len(members), sorted(rank[name] for name in members)),
        )
        code = {members: str(number) for number, members in enumerate(distinct)}
        plain = cls.from_arrays(
            item,
            annotator,
            [None if members is None else code[members] for members in sets],
            items=items,
            annotators=annotators,
            categories=code.values(),
        )
        names = tuple(
            "{" + ", ".join(_quoted(name) for name in sorted(members, key=rank.__getitem__)) + "}"
            for members in distinct
        )
        return replace(
            plain, categories=names, scale="set", members=tuple(distinct), elements=tuple(order)
        )

    @classmethod
    def from_wide(
        cls,
        table: ArrayLike | pd.DataFrame,
        *,
        item: Hashable | None = None,
        categories: Iterable[object] | None = None,
        scale: Scale | None = None,
    ) -> Annotations:
        """Build annotations from a table with one row per item and one column per annotator.

        Parameters
        ----------
        table : DataFrame or array_like, shape (I, J)
            Labels; None, NaN or an empty string if missing. A frame's rows and columns are named
            after items and annotators; otherwise the names are "0", "1", ....
        item : hashable, optional
            Column of a frame with the names of the items. If the rows are only numbered, it is
            detected by default: by a usual name such as `item` or `id`, or by its values: a column
            that has no name, counts the rows, has a different text in each row, or has numbers
            among columns of words. Further unnamed columns that are empty or count the rows are
            ignored. If the index has a name, all columns are annotators', except those called gold,
            final, consensus and the like, if two others are left.
        categories, scale
            As in `from_arrays`; the columns of annotators may be ordered categoricals with the same
            order.

        Returns
        -------
        Annotations
            I items and J annotators, including those without labels.

        Raises
        ------
        AnnotationError
            If the table does not have two dimensions, names occur twice, there is no column `item`,
            it is ambiguous whether a column is an annotator's or names the items, or as in
            `from_arrays`.

        Warns
        -----
        ItemColumnWarning
            If a column was identified as the names of the items by its values, or as known or
            adjudicated labels by its name.

        Examples
        --------
        >>> Annotations.from_wide([[1, 1, 2], [3, None, 3]]).n_labels
        5
        >>> frame = pd.DataFrame({"scan": [17, 29], "ann": ["no", "yes"], "bob": ["no", "no"]})
        >>> Annotations.from_wide(frame, item="scan").items
        ('17', '29')
        """
        if isinstance(table, pd.DataFrame):
            table, note = with_items(table, item, "from_wide")
            if note:
                warnings.warn(note, ItemColumnWarning, stacklevel=2)
            items: list[object] | None = list(table.index)
            annotators: list[object] | None = list(table.columns)
            categories, scale = declared_by(list(table.dtypes), categories, scale)
            # Of columns of several types each keeps its own.
            kinds = set(table.dtypes)
            native = len(kinds) == 1 and all(map(is_number, kinds))
            cells = table.to_numpy(dtype=None if native else object)
        elif item is not None:
            raise AnnotationError(_NO_COLUMNS.format("from_wide", item))
        else:
            if isinstance(table, np.ma.MaskedArray):
                table = unmasked(table)
            cells = np.asarray(table, dtype=None if isinstance(table, np.ndarray) else object)
            if cells.ndim != 2:
                raise AnnotationError(
                    "from_wide: the table must have a row for each item and a column for each "
                    f"annotator, got shape {cells.shape}."
                )
            items = annotators = None
        n_items, n_annotators = cells.shape
        rows = np.arange(n_items) if items is None else objects(items)
        names = np.arange(n_annotators) if annotators is None else objects(annotators)
        # Most cells of a table of many annotators are empty.
        given = ~pd.isna(cells)
        row, column = np.nonzero(given)
        columns = {
            "item": Column(rows, row, whole=items is None),
            "annotator": Column(names, column, whole=annotators is None),
            "label": Column.of(column_of(cells[given], "label")),
        }
        return cls._from_columns(columns, items, annotators, categories, scale or "nominal")

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike | pd.DataFrame,
        *,
        item: Hashable | None = None,
        categories: Iterable[object] | None = None,
        scale: Scale = "nominal",
    ) -> Annotations:
        """Build annotations from counts of labels per item by unknown annotators.

        The labels are `anonymous`: the codes of annotators number the labels of each item.
        Coefficients that pool annotators (Fleiss' kappa, alpha, AC1, Brennan-Prediger) need no
        more; methods that depend on annotators reject such labels.

        Parameters
        ----------
        counts : DataFrame or array_like of int, shape (I, K)
            ``[i, k]``: number of labels k of item i. A frame's rows and columns are named after
            items and categories; otherwise the names are "0", "1", ....
        item : hashable, optional
            Column of a frame with the names of the items, detected as in `from_wide`.
        categories : iterable, optional
            Names of the columns.
        scale : {"nominal", "ordinal", "interval"}, default "nominal"
            As in `from_arrays`.

        Returns
        -------
        Annotations
            Annotations with as many annotators as the maximum number of labels of an item.

        Raises
        ------
        AnnotationError
            If the table does not have two dimensions, a count is negative or not a whole number,
            there is not one category per column, there is no column `item`, or it is ambiguous
            whether a column has counts or names the items.

        Warns
        -----
        ItemColumnWarning
            If a column was identified as the names of the items by its values.

        Examples
        --------
        >>> Annotations.from_counts([[2, 1], [0, 3]]).n_annotators
        3
        """
        items = None
        if isinstance(counts, pd.DataFrame):
            counts, note = with_items(counts, item, "from_counts", of="category")
            if note:
                warnings.warn(note, ItemColumnWarning, stacklevel=2)
            items = list(counts.index)
            categories = list(counts.columns) if categories is None else categories
        elif item is not None:
            raise AnnotationError(_NO_COLUMNS.format("from_counts", item))
        table = _whole_counts(counts, "from_counts")
        names: list[object] = list(range(table.shape[1]) if categories is None else categories)
        if len(names) != table.shape[1]:
            raise AnnotationError(
                f"from_counts: got {len(names)} categories for {table.shape[1]} columns. "
                "Name each column once."
            )
        items = list(range(table.shape[0])) if items is None else items
        size = table.sum(axis=1)
        rows, label = np.divmod(np.repeat(np.arange(table.size), table.ravel()), table.shape[1])
        turn = np.arange(rows.size) - np.repeat(np.cumsum(size) - size, size)
        labels = cls.from_arrays(
            np.array(items, dtype=object)[rows],
            turn + 1,
            np.array(names, dtype=object)[label],
            items=items,
            annotators=range(1, int(size.max(initial=0)) + 1),
            categories=names,
            scale=scale,
        )
        return replace(labels, anonymous=True)

    @cached_property
    def membership(self) -> NDArray[np.bool_]:
        """The table of shape (K, C): ``[k, c]``: whether category k contains the element c."""
        table = [[name in members for name in self.elements] for members in self.members]
        return _frozen(np.asarray(table, dtype=bool).reshape(self.n_categories, len(self.elements)))

    @property
    def n_items(self) -> int:
        """The number of items I, including those without labels."""
        return self._n_named("items")

    @property
    def n_annotators(self) -> int:
        """The number of annotators J."""
        return self._n_named("annotators")

    def _n_named(self, what: str) -> int:
        names = self.__dict__.get(what)
        return len(self.__dict__["_numbers"][what] if names is None else names)

    @property
    def n_categories(self) -> int:
        """The number of categories K."""
        return len(self.categories)

    @property
    def n_labels(self) -> int:
        """The number of labels N."""
        return int(self.label.size)

    @cached_property
    def by_item(self) -> View:
        """The labels grouped by item."""
        return View.of(self.item, self.n_items)

    @cached_property
    def by_annotator(self) -> View:
        """The labels grouped by annotator."""
        return View.of(self.annotator, self.n_annotators)

    @cached_property
    def is_shared(self) -> NDArray[np.bool_]:
        """Whether an item has labels of two or more annotators, shape (I,)."""
        return _frozen(_differs(self.item, self.annotator, self.n_items))

    @cached_property
    def is_disputed(self) -> NDArray[np.bool_]:
        """Whether an item has different labels, shape (I,)."""
        return _frozen(_differs(self.item, self.label, self.n_items))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The table of shape (I, K): ``[i, k]``: number of labels k of item i."""
        flat = self.item.astype(np.int64)
        flat *= self.n_categories
        flat += self.label
        table = np.bincount(flat, minlength=self.n_items * self.n_categories)
        table.setflags(write=False)
        return table.reshape(self.n_items, self.n_categories)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The labels as numbers, shape (N,); interval scale, or categories that are numbers.

        Raises
        ------
        AnnotationError
            If a category is not a finite number.
        """
        return _frozen(self.category_values[self.label])

    @cached_property
    def category_values(self) -> NDArray[np.float64]:
        """The categories as numbers, shape (K,).

        Raises
        ------
        AnnotationError
            If a category is not a finite number.
        """
        numbers = numbers_of(objects(self.categories))
        return _frozen(np.asarray(numbers, dtype=np.float64))

    @cached_property
    def first_repeat(self) -> int | None:
        """Index of the first repeated label, by item."""
        by_item = self.by_item
        return find_repeat(by_item.offsets, by_item.order, self.annotator, self.n_annotators)

    def to_frame(self) -> pd.DataFrame:
        """Return the labels by name.

        Returns
        -------
        DataFrame
            One row per label; the columns `item`, `annotator` and `label` hold names.
        """
        return pd.DataFrame(
            {
                "item": np.asarray(self.items, dtype=object)[self.item],
                "annotator": np.asarray(self.annotators, dtype=object)[self.annotator],
                "label": np.asarray(self.categories, dtype=object)[self.label],
            },
            dtype=object,
        )

    def __repr__(self) -> str:
        """Return the sizes in one line."""
        return (
            f"Annotations({self.n_items} items, {self.n_annotators} annotators, "
            f"{self.n_categories} categories, {self.n_labels} labels, {self.scale})"
        )

    def _repr_html_(self) -> str:
        """Return the sizes, the categories and the first labels as HTML; names are escaped."""
        first = replace(
            self,
            item=self.item[:SHOWN_LABELS],
            annotator=self.annotator[:SHOWN_LABELS],
            label=self.label[:SHOWN_LABELS],
        )
        shown = ", ".join(map(repr, self.categories[:SHOWN_LABELS]))
        more = ", ..." if self.n_categories > SHOWN_LABELS else ""
        lines = f"{self!r}; categories {shown}{more}"
        if self.n_labels > SHOWN_LABELS:
            lines += f". The first {SHOWN_LABELS} labels:"
        return as_html(visible(lines), first.to_frame())


def _differs(item: NDArray[Any], code: NDArray[Any], n_items: int) -> NDArray[np.bool_]:
    """Mark the items with different codes, in time linear in their number."""
    one = np.zeros(n_items, dtype=code.dtype)
    one[item] = code
    found = np.zeros(n_items, dtype=bool)
    found[item[one[item] != code]] = True
    return found


def _frozen(array: ArrayT) -> ArrayT:
    array = array.copy() if array.base is not None else array
    array.setflags(write=False)
    return array


def _whole_counts(table: Any, name: str) -> NDArray[np.int64]:
    try:
        counts = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise AnnotationError(f"{name}: the table must hold numbers of items only.") from error
    if counts.ndim != 2:
        raise AnnotationError(
            f"{name}: the table must have rows and columns (a square for two annotators), got "
            f"shape {counts.shape}."
        )
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))).all():
        raise AnnotationError(
            f"{name}: counts must be whole numbers of at least 0. Give numbers of items, not "
            "shares."
        )
    return counts.astype(np.int64)


def _elements(value: Any) -> frozenset[str] | None:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise AnnotationError(
            f"Annotations.from_sets: the label {value!r} is not a set of names. "
            "Give a set or a list; an empty one for no element."
        )
    members = list(value)
    if any(name is None or name is pd.NA or name != name for name in members):
        raise AnnotationError(
            f"Annotations.from_sets: the label {value!r} has an element without a name. Remove it."
        )
    return frozenset(map(plain_number, members))


def _quoted(name: str) -> str:
    """Quote an element that would read as several."""
    return repr(name) if set(name) & set(",{}'\"") else name
