"""Collapse categories along a hierarchy.

An annotation scheme can often be read at a coarser level: a scheme of subjectivity and polarity by
subjectivity alone, a wide scale by its halves. A level names the parent of every category;
collapsing replaces each label by its parent. Agreement at a level is then any coefficient of the
collapsed labels.

Collapsing can only raise observed agreement, since equal labels stay equal. A chance-corrected
coefficient can rise or fall, depending on whether disagreements are mainly within or between
parents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.select import listed, text_mapping

__all__ = ["Hierarchy"]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Named levels of parents over a set of categories.

    Attributes
    ----------
    levels : mapping of str to mapping of str to str
        For each level, the parent of every category. Levels need not be nested, and the
        order of a level's parents is that of their first appearance. All levels must name
        the same categories.

    Raises
    ------
    AnnotationError
        If there is no level or no category, a name is empty, or levels have different categories.

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
                    f"Hierarchy: level {name!r} has no parent for {listed(lost)}, which another "
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
        """Replace every label by its parent at a level.

        Parameters
        ----------
        annotations : Annotations
            Labels in exactly the categories of the hierarchy, in any order.
        level : str
            Name of the level.
        scale : {"nominal", "ordinal"}, default "nominal"
            Scale of the parents.

        Returns
        -------
        Annotations
            The same items and annotators, with the parents as categories.

        Raises
        ------
        AnnotationError
            If there is no such level, the scale is unknown, or as in `Annotations.recode`.
        """
        annotations = as_annotations(annotations, "Hierarchy.collapse")
        if scale not in ("nominal", "ordinal"):
            raise AnnotationError(
                f"Hierarchy.collapse: scale {scale!r} is not one of nominal, ordinal."
            )
        parents = self.parents(level)
        return annotations.recode(self._level(level), categories=parents, scale=scale)

    def _level(self, name: str) -> Mapping[str, str]:
        try:
            return self.levels[name]
        except KeyError:
            raise AnnotationError(
                f"Hierarchy: there is no level {name!r}. Known: {listed(self.levels)}."
            ) from None


def _parents(level: Mapping[str, str], name: object) -> dict[str, str]:
    """Return a level with its names as text, after checking it."""
    if not level:
        raise AnnotationError(f"Hierarchy: {name!r} names no category. Give each a parent.")
    return text_mapping(level, f"Hierarchy: {name!r}")
