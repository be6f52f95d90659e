"""Collapse categories along a hierarchy.

An annotation scheme often answers several questions at once, and can be read at a
coarser level: a scheme of subjectivity and polarity by subjectivity alone, a wide scale
by its halves. A level names the parent of every category; collapsing replaces each label
by its parent. Agreement at a level is then any coefficient of the collapsed labels.

The share of items on which annotators agree can only rise by collapsing, for labels that
are equal stay equal. A coefficient corrected for chance can rise or fall: it rises where
the disagreements lie within parents, and the equal labels do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

#: How many names an error message lists.
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Named levels over one set of categories.

    Attributes
    ----------
    levels : mapping of str to mapping of str to str
        For each level, the parent of every category. Levels need not be nested, and the
        order of a level's parents is that of their first appearance. All levels must name
        the same categories.

    Raises
    ------
    AnnotationError
        If there is no level or no category, a name is empty, or a level lacks a category
        that another one has.

    Examples
    --------
    >>> weather = Hierarchy({"wet": {"rain": "wet", "snow": "wet", "sun": "dry"}})
    >>> weather.categories, weather.parents("wet")
    (('rain', 'snow', 'sun'), ('wet', 'dry'))
    """

    levels: Mapping[str, Mapping[str, str]]

    def __post_init__(self) -> None:
        levels = {str(name): _parents(level, name) for name, level in self.levels.items()}
        if not levels:
            raise AnnotationError("Hierarchy: there is no level. Name at least one.")
        every = {category for level in levels.values() for category in level}
        for name, level in levels.items():
            lost = sorted(every - set(level))
            if lost:
                raise AnnotationError(
                    f"Hierarchy: level {name!r} has no parent for {_listed(lost)}, which another "
                    "level has. Give every level the same categories."
                )
        frozen = {name: MappingProxyType(level) for name, level in levels.items()}
        object.__setattr__(self, "levels", MappingProxyType(frozen))

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories at the bottom, in the order of the first level."""
        return tuple(next(iter(self.levels.values())))

    def parents(self, level: str) -> tuple[str, ...]:
        """Return the categories of a level.

        Parameters
        ----------
        level : str
            Name of the level.

        Returns
        -------
        tuple of str
            The parents, in the order of their first appearance.

        Raises
        ------
        AnnotationError
            If there is no such level.
        """
        return tuple(dict.fromkeys(self._level(level).values()))

    def collapse(
        self,
        annotations: Annotations,
        level: str,
        *,
        scale: Literal["nominal", "ordinal"] = "nominal",
    ) -> Annotations:
        """Replace every label by its parent at one level.

        Parameters
        ----------
        annotations : Annotations
            Labels in exactly the categories of the hierarchy, in any order.
        level : str
            Name of the level.
        scale : {"nominal", "ordinal"}, default "nominal"
            What the order of the parents means.

        Returns
        -------
        Annotations
            The same items and annotators, with the parents as categories.

        Raises
        ------
        AnnotationError
            If there is no such level, or as in `collapse`.
        """
        return collapse(annotations, self._level(level), scale=scale)

    def _level(self, name: str) -> Mapping[str, str]:
        try:
            return self.levels[name]
        except KeyError:
            raise AnnotationError(
                f"Hierarchy: there is no level {name!r}. Known: {_listed(list(self.levels))}."
            ) from None


def collapse(
    annotations: Annotations,
    parents: Mapping[str, str],
    *,
    scale: Literal["nominal", "ordinal"] = "nominal",
) -> Annotations:
    """Replace every label by the parent of its category.

    Parameters
    ----------
    annotations : Annotations
        Labels in K categories, such as `Annotations.from_contingency` makes from a table.
    parents : mapping of str to str
        The parent of every category, and of no other; a parent may have one child, and may
        have its name.
    scale : {"nominal", "ordinal"}, default "nominal"
        What the order of the parents means.

    Returns
    -------
    Annotations
        The same items and annotators. Categories are the parents, in the order of their
        first appearance in `parents`, those without a label included.

    Raises
    ------
    AnnotationError
        If a category has no parent, `parents` names a category that the annotations do not
        have, a name is empty, the labels are sets, or the scale is another.

    Notes
    -----
    Several steps of a nested hierarchy are one call each. The cost is linear in N.

    Examples
    --------
    Of 80 items the annotators agree on 50; 20 of the 30 disagreements are between the two
    kinds of precipitation.

    >>> table = [[20, 15, 5], [5, 15, 0], [5, 0, 15]]
    >>> a = Annotations.from_contingency(table, categories=["rain", "snow", "sun"])
    >>> wet = collapse(a, {"rain": "wet", "snow": "wet", "sun": "dry"})
    >>> wet.categories, int((wet.label[:80] == wet.label[80:]).sum())
    (('wet', 'dry'), 70)
    """
    level = _parents(parents, "parents")
    if scale not in ("nominal", "ordinal"):
        raise AnnotationError(f"collapse: scale {scale!r} is not one of nominal, ordinal.")
    if annotations.scale == "set":
        raise AnnotationError(
            "collapse: the labels are sets of categories. Collapse the members before the "
            "annotations are built."
        )
    orphans = [name for name in annotations.categories if name not in level]
    if orphans:
        raise AnnotationError(
            f"collapse: no parent is given for {_listed(orphans)}. "
            "Map every category, to its own name if it is to stay."
        )
    strangers = sorted(set(level) - set(annotations.categories))
    if strangers:
        raise AnnotationError(
            f"collapse: a parent is given for {_listed(strangers)}, which the annotations do "
            f"not have among {_listed(list(annotations.categories))}. Correct the name, or name "
            "all categories when building the annotations."
        )
    code = {name: k for k, name in enumerate(dict.fromkeys(level.values()))}
    of_category = np.array(
        [code[level[name]] for name in annotations.categories], dtype=annotations.label.dtype
    )
    label = of_category[annotations.label]
    label.setflags(write=False)
    return Annotations(
        annotations.item,
        annotations.annotator,
        label,
        annotations.items,
        annotations.annotators,
        tuple(code),
        scale,
    )


def _parents(level: Mapping[str, str], name: object) -> dict[str, str]:
    """Return a level with its names as text, or say which are empty or come twice."""
    pairs = [(str(category), str(parent)) for category, parent in level.items()]
    if not pairs:
        raise AnnotationError(f"Hierarchy: {name!r} names no category. Give each a parent.")
    if any(not category or not parent for category, parent in pairs):
        raise AnnotationError(f"Hierarchy: {name!r} has an empty name. Name it.")
    twice = [category for category, n in Counter(first for first, _ in pairs).items() if n > 1]
    if twice:
        raise AnnotationError(
            f"Hierarchy: {name!r} gives two parents to {_listed(twice)}. Keep one."
        )
    return dict(pairs)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:_SHOWN]))
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
