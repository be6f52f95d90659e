"""Verbs of labels: select and recode them.

Each verb returns new `Annotations` and leaves the original unchanged. Names, scale and the order of
items, annotators, categories and labels are kept unless a verb says otherwise, and the cost is
linear in the number of labels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.choices import SCALES, Scale
from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.labels.view import View

__all__ = ["in_order", "listed"]

#: How many names an error message lists.
_SHOWN = 5


class Verbs:
    """The transformations of `Annotations`."""

    if TYPE_CHECKING:
        item: NDArray[np.int32]
        annotator: NDArray[np.int32]
        label: NDArray[Any]
        items: tuple[str, ...]
        annotators: tuple[str, ...]
        categories: tuple[str, ...]
        scale: Scale

        @property
        def n_items(self) -> int: ...
        @property
        def n_annotators(self) -> int: ...
        @property
        def by_item(self) -> View: ...
        @property
        def first_repeat(self) -> int | None: ...
        @property
        def category_values(self) -> NDArray[np.float64]: ...

    def select(
        self,
        *,
        items: ArrayLike | None = None,
        annotators: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> Self:
        """Select items, annotators or labels."""
        of_item = _mask("items", items, self.n_items, lambda: self.items)
        of_annotator = _mask("annotators", annotators, self.n_annotators, lambda: self.annotators)
        stays = _mask("labels", labels, self.label.size)
        if of_item.all() and of_annotator.all() and stays.all():
            return self
        stays = stays & of_item[self.item] & of_annotator[self.annotator]
        return self._with(
            item=_renumbered(of_item)[self.item[stays]],
            annotator=_renumbered(of_annotator)[self.annotator[stays]],
            label=self.label[stays],
            items=tuple(compress(self.items, of_item)),
            annotators=tuple(compress(self.annotators, of_annotator)),
        )

    def complete(self) -> Self:
        """Keep the items that every annotator labelled."""
        if self.first_repeat is not None:
            raise AnnotationError(
                "complete: an annotator labelled an item twice. Keep one label of each, such as "
                "with first_labels()."
            )
        return self.select(items=np.diff(self.by_item.offsets) == self.n_annotators)

    def first_labels(self) -> Self:
        """Keep the first label of each annotator for each item."""
        pair = self.item.astype(np.int64) * self.n_annotators + self.annotator
        return self.select(labels=~pd.Series(pair).duplicated().to_numpy())

    def subsample(self, per_item: int, rng: np.random.Generator | int | None = None) -> Self:
        """Draw labels of each item at random, without replacement."""
        try:
            size = operator.index(per_item)
        except TypeError:
            size = 0
        if size < 1:
            raise AnnotationError(
                f"subsample: per_item is {per_item!r}. Give a whole number of at least 1."
            )
        mixed = np.random.default_rng(rng).permutation(self.label.size)
        by_item = View.of(self.item[mixed], self.n_items)
        drawn = mixed[by_item.order[by_item.ranks < size]]
        return self.select(labels=drawn)

    def split_by(self, key: ArrayLike | Iterable[Hashable]) -> dict[Any, Self]:
        """Split the items into groups."""
        key = in_order(key, self.items, "split_by")
        column = key if isinstance(key, np.ndarray | pd.Series | pd.Index) else list(cast(Any, key))
        if np.ndim(column) != 1 or len(column) != self.n_items:
            raise AnnotationError(
                f"split_by: got groups of shape {np.shape(column)} for {self.n_items} items. "
                "Give one for each item, in the order of `items`."
            )
        group, names = pd.factorize(pd.Series(column).reset_index(drop=True))
        if (group < 0).any():
            first = self.items[int(np.argmax(group < 0))]
            raise AnnotationError(
                f"split_by: {int((group < 0).sum())} item(s) have no group, the first is "
                f"{first!r}. Name a group for each, or select the others first."
            )
        own = View.of(group, len(names))
        labels = View.of(group[self.item], len(names))
        place = np.empty(self.n_items, dtype=np.int32)
        place[own.order] = own.ranks
        return {
            name: self._with(
                item=place[self.item[labels[g]]],
                annotator=self.annotator[labels[g]],
                label=self.label[labels[g]],
                items=tuple(self.items[i] for i in own[g]),
            )
            for g, name in enumerate(names.tolist())
        }

    def relabel(
        self,
        codes: ArrayLike,
        *,
        categories: Iterable[object] | None = None,
        scale: Scale | None = None,
    ) -> Self:
        """Replace the labels, keeping items and annotators."""
        given = self.categories if categories is None else tuple(map(str, categories))
        names = tuple(map(plain_number, given))
        if scale is None:
            new_for_sets = self.scale == "set" and categories is not None
            scale = "nominal" if new_for_sets else self.scale
        elif scale not in SCALES[:-1]:
            raise AnnotationError(
                f"relabel: scale {scale!r} is not one of {', '.join(SCALES[:-1])}."
            )
        if len(set(names)) < len(names) or "" in names:
            raise AnnotationError(
                f"relabel: the categories {listed(given)} are not different names. Name each once."
            )
        label = np.asarray(codes)
        if label.shape != self.label.shape or (label.size and label.dtype.kind not in "biu"):
            raise AnnotationError(
                f"relabel: got codes of shape {label.shape} and type {label.dtype} for "
                f"{self.label.size} labels. Give one whole number for each."
            )
        if label.size and not 0 <= label.min() <= label.max() < len(names):
            raise AnnotationError(
                f"relabel: codes from {label.min()} to {label.max()} for {len(names)} categories. "
                "Give the position of each label's category, counted from 0."
            )
        small = np.int16 if len(names) <= np.iinfo(np.int16).max else np.int32
        dtype = self.label.dtype if categories is None else small
        changes: dict[str, Any] = {"label": label.astype(dtype), "scale": scale}
        if self.scale == "set" and scale != "set":
            changes |= {"members": (), "elements": ()}
        found = self._with(categories=names, **changes)
        # The property refuses what is no number.
        if scale == "interval" and np.unique(found.category_values).size < len(names):
            raise AnnotationError(
                f"relabel: two of the categories {listed(names)} are equal numbers. Name each "
                "number once."
            )
        return found

    def recode(
        self,
        mapping: Mapping[str, str],
        *,
        categories: Iterable[object] | None = None,
        scale: Scale | None = None,
    ) -> Self:
        """Rename or merge categories."""
        new = text_mapping(mapping, "recode")
        if self.scale == "set":
            raise AnnotationError(
                "recode: the labels are sets of elements. Recode the elements before building the "
                "annotations."
            )
        lost = [name for name in self.categories if name not in new]
        if lost:
            raise AnnotationError(
                f"recode: no new name is given for {listed(lost)}. Map every category, to its own "
                "name if it is to stay."
            )
        known = set(self.categories)
        unknown = [name for name in new if name not in known]
        if unknown:
            raise AnnotationError(
                f"recode: a new name is given for {listed(unknown)}, which the annotations do not "
                f"have among {listed(self.categories)}. Correct the name, or name all categories "
                "when building the annotations."
            )
        names = [new[name] for name in self.categories]
        order = list(dict.fromkeys(names) if categories is None else map(plain_number, categories))
        code = {name: k for k, name in enumerate(order)}
        left_out = [name for name in dict.fromkeys(names) if name not in code]
        if left_out:
            raise AnnotationError(
                f"recode: the new name {listed(left_out)} is not among the categories "
                f"{listed(order)}. Add it."
            )
        of_category = np.array([code[name] for name in names], dtype=np.int64)
        is_ordinal = (scale or self.scale) == self.scale == "ordinal"
        if is_ordinal and categories is None and (np.diff(of_category) < 0).any():
            raise AnnotationError(
                f"recode: the order of {listed(order)} is unknown, as categories are merged that "
                "are not next to each other. Give all categories in order with categories=, or "
                'scale="nominal".'
            )
        return self.relabel(of_category[self.label], categories=order, scale=scale)

    def binarize(self, category: str) -> Self:
        """Recode one category against all others."""
        category = plain_number(category)
        if category not in self.categories:
            raise AnnotationError(
                f"binarize: category {category!r} is not among {listed(self.categories)}. Name "
                "one of them."
            )
        return self.relabel(
            self.label == self.categories.index(category),
            categories=(f"not {category}", category),
            scale="nominal",
        )

    def _with(self, **changes: Any) -> Self:
        return cast(Self, replace(cast(Any, self), **changes))


def text_mapping(mapping: Mapping[str, str], name: str) -> dict[str, str]:
    """Take the names of a mapping of categories as text."""
    text = {plain_number(old): plain_number(new) for old, new in mapping.items()}
    if "" in text or "" in text.values():
        raise AnnotationError(f"{name}: a name is empty. Name it.")
    if len(text) < len(mapping):
        names = pd.Series(list(map(plain_number, mapping)))
        twice = names[names.duplicated()].unique()
        raise AnnotationError(f"{name}: two new names are given for {listed(twice)}. Keep one.")
    return text


def in_order(values: Any, names: tuple[str, ...], function: str) -> Any:
    """Return values of items or annotators in the order of these, if a mapping or index names them.

    Parameters
    ----------
    values : object
        A mapping from names, a series whose index has the names, or values that are in order.
    names : tuple of str
        The items or annotators.
    function : str
        What error messages begin with.

    Returns
    -------
    object
        The values, in order.

    Raises
    ------
    AnnotationError
        If a mapping lacks a name.
    """
    if isinstance(values, Mapping):
        of_name = {str(name): value for name, value in values.items()}
        if lacking := [name for name in names if name not in of_name]:
            raise AnnotationError(
                f"{function}: no value is given for {listed(lacking)}. Give one for each."
            )
        return [of_name[name] for name in names]
    if isinstance(values, pd.Series) and not isinstance(values.index, pd.RangeIndex):
        index = pd.Index(values.index.map(str), dtype=object)
        if len(index) == len(names) and set(index) == set(names):
            return values.set_axis(index).loc[list(names)].reset_index(drop=True)
    return values


def listed(names: Iterable[object]) -> str:
    """Quote the first names of a list for an error message.

    Parameters
    ----------
    names : iterable
        Names.

    Returns
    -------
    str
        At most five names, and the number of further ones.
    """
    shown = list(map(repr, names))
    rest = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _mask(
    what: str,
    chosen: ArrayLike | None,
    n: int,
    names: Callable[[], tuple[str, ...]] | None = None,
) -> NDArray[np.bool_]:
    """Convert a mask, codes or names to a mask."""
    if chosen is None:
        return np.ones(n, dtype=bool)
    if names is not None and isinstance(chosen, pd.Series) and chosen.dtype.kind == "b":
        chosen = in_order(chosen, names(), "select")
    wanted = np.asarray(chosen)
    if wanted.ndim != 1 or (wanted.dtype == bool and wanted.size != n):
        raise AnnotationError(
            f"select: got {what} of shape {wanted.shape}. Give True or False for each of the {n} "
            f"{what}, or list those to keep."
        )
    if wanted.dtype == bool:
        return wanted
    if wanted.dtype.kind in "iu" or not wanted.size:
        codes = wanted.astype(np.int64)
    elif names is not None:
        codes = pd.Index(cast(Any, names())).get_indexer(wanted)
    else:
        raise AnnotationError(
            f"select: {what} are given as {wanted.dtype}. Give a mask, or indices as whole numbers."
        )
    wrong = (codes < 0) | (codes >= n)
    if wrong.any():
        raise AnnotationError(
            f"select: {what} {listed(wanted[wrong].tolist())} unknown. Give existing names, or "
            f"whole numbers from 0 to {n - 1}."
        )
    mask = np.zeros(n, dtype=bool)
    mask[codes] = True
    if mask.sum() < codes.size:
        raise AnnotationError(f"select: some {what} are listed twice. List each once.")
    return mask


def _renumbered(mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    return (np.cumsum(mask) - 1).astype(np.int32)
