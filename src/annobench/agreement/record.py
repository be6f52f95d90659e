"""The record of a coefficient: its definition, requirements and assumptions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from annobench.core.choices import Scale
from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["Coefficient", "Example", "Options"]

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """Options of a coefficient and the labels to which they apply, as used in studies.

    Attributes
    ----------
    options : mapping
        Options of the function; a category is added if the record requires one.
    scale : {"nominal", "ordinal", "interval", "set"}
        Of the labels.
    n_categories : int
        Number of categories; on the set scale, one more than the number of elements.
    """

    options: Options = field(default_factory=dict, hash=False)
    scale: Scale = "nominal"
    n_categories: int = 2


@dataclass(frozen=True)
class Coefficient:
    """The record of one coefficient: its source, requirements and assumptions.

    Reports, studies, pages and contract tests rely on the record alone and name no coefficient.

    Attributes
    ----------
    name : str
        Unique among the coefficients; also the name of its function.
    title : str
        Title on pages.
    reference : str
        Author, year, section or equation.
    accepts : frozenset of str
        Accepted scales: "nominal", "ordinal", "interval", "set".
    annotators : {"two", "any"}
        Number of annotators.
    missing : str
        Treatment of missing labels.
    degenerate : str
        Condition under which it is undefined.
    standard_error : str
        Source of the standard error over items.
    aliases : tuple of str
        Other names of the coefficient.
    lowest, highest : float
        The range of its values. The lowest is minus infinity if there is none, or if it depends on
        the number of categories, weights or missing labels: its form then computes it.
    ddof : {0, 1}
        The variance of its standard error divides by n - ddof: 0 in the multinomial formula.
    assumes : str
        In one sentence, its model of chance, or its other assumptions.
    chance_corrected : bool
        Whether 0 means that labels are independent of the items; it is then undefined if all labels
        are the same, unless it counts categories.
    symmetric : bool
        Whether it is invariant to the order of the annotators.
    numeric : bool
        Whether it treats the labels as numbers, whatever their scale.
    by_rank : bool
        Whether only the order of labels counts, so that ordinal categories need not be numbers.
    pools : bool
        Whether it is independent of which annotator gave which label, so that counts are enough.
    binary : bool
        Whether it needs exactly two categories.
    per_category : bool
        Whether it refers to one category, named by the option `category`.
    counts_categories : bool
        Whether it depends on the number of categories, used or not.
    complete : bool
        Whether it leaves out items that lack a label of any annotator.
    small_sample : bool
        Whether its estimate is corrected for the number of items, and so changes if every item is
        duplicated.
    pairwise : bool
        Whether its cost grows with the number of pairs of labels.
    by_pair : bool
        Whether a report also shows it for pairs of more than two annotators, as for coefficients of
        two.
    variants : mapping of str to tuple of mappings
        Options shown in a report, for each scale on which the coefficient is informative; by
        default none, on every accepted scale.
    examples : tuple of Example
        Cases of the coverage study; by default nominal labels with two categories, or none if the
        coefficient depends on the number of annotators.
    """

    name: str
    title: str
    reference: str
    accepts: frozenset[str]
    annotators: Literal["two", "any"]
    missing: str
    degenerate: str
    standard_error: str
    aliases: tuple[str, ...] = ()
    lowest: float = -math.inf
    highest: float = 1.0
    ddof: Literal[0, 1] = 0
    assumes: str = ""
    chance_corrected: bool = True
    symmetric: bool = True
    numeric: bool = False
    by_rank: bool = False
    pools: bool = False
    binary: bool = False
    per_category: bool = False
    counts_categories: bool = False
    complete: bool = False
    small_sample: bool = False
    pairwise: bool = False
    by_pair: bool = False
    variants: Mapping[str, tuple[Options, ...]] = field(default_factory=dict, hash=False)
    examples: tuple[Example, ...] = (Example(),)

    def check(self, annotations: Annotations, *, pools: bool | None = None) -> Annotations:
        """Reject labels that the coefficient can't use, and drop items that it ignores.

        Parameters
        ----------
        annotations : Annotations or DataFrame
            The labels; a data frame has one row per label, see `as_annotations`.
        pools : bool, optional
            Whether it pools annotators with the chosen options; by default as recorded.

        Returns
        -------
        Annotations
            The items that all annotators labelled, for coefficients of two annotators or of
            complete items; otherwise all.

        Raises
        ------
        AnnotationError
            If it is neither, the annotators are unknown and it needs them, there are too few or too
            many annotators, an annotator labelled an item twice, no item has two labels, the scale
            is not accepted, or labels are not numbers or not of two categories as required.
        """
        annotations = as_annotations(annotations, self.name)
        if annotations.scale not in self.accepts:
            raise AnnotationError(
                f"{self.name}: takes {', '.join(sorted(self.accepts))} labels, got the "
                f"{annotations.scale} scale. Choose another coefficient, or another scale."
            )
        if annotations.anonymous and not (self.pools if pools is None else pools):
            raise AnnotationError(
                f"{self.name}: needs to know who gave each label, but these labels are anonymous. "
                "Choose a coefficient that pools annotators, such as Krippendorff's alpha or "
                "Fleiss' kappa."
            )
        if annotations.first_repeat is not None:
            at = annotations.first_repeat
            raise AnnotationError(
                f"{self.name}: annotator {annotations.annotators[annotations.annotator[at]]!r} "
                f"labelled an item twice: {annotations.items[annotations.item[at]]!r}. Keep one "
                "label of each; for the agreement of annotators with themselves, give the second "
                "round another name."
            )
        if self.annotators == "two" and annotations.n_annotators != 2:
            raise AnnotationError(
                f"{self.name}: needs exactly two annotators, got {annotations.n_annotators}. "
                "Choose two with select(annotators=...), or use by_pair of a coefficient for "
                "any number."
            )
        if annotations.n_annotators < 2:
            raise AnnotationError(
                f"{self.name}: needs at least two annotators, got {annotations.n_annotators}. "
                "Agreement is between annotators; with one there is none to measure."
            )
        if self.annotators == "any" and not (np.diff(annotations.by_item.offsets) > 1).any():
            raise AnnotationError(
                f"{self.name}: no item has labels of two annotators. Choose annotators and items "
                "that overlap."
            )
        if self.annotators == "two" or self.complete:
            annotations = self._complete(annotations)
        if self.numeric and not (self.by_rank and annotations.scale == "ordinal"):
            annotations.values  # noqa: B018  labels that are no numbers are refused here
        if self.binary and annotations.n_categories != 2:
            raise AnnotationError(
                f"{self.name}: needs exactly two categories, got {annotations.n_categories} "
                f"({', '.join(map(repr, annotations.categories[:10]))}). Set one against the rest."
            )
        return annotations

    def _complete(self, annotations: Annotations) -> Annotations:
        """Keep the items that every annotator labelled."""
        complete = annotations.complete()
        if not complete.n_items:
            every = "both annotators" if annotations.n_annotators == 2 else "all annotators"
            raise AnnotationError(
                f"{self.name}: no item has a label of {every}. Choose annotators and items that "
                "overlap."
            )
        return complete

    def category_code(self, annotations: Annotations, category: str) -> int:
        """Return the code of the category of a single-category coefficient.

        Parameters
        ----------
        annotations : Annotations
            The labels.
        category : str
            Name of the category.

        Returns
        -------
        int
            In [0, K).

        Raises
        ------
        AnnotationError
            If there is no such category.
        """
        category = plain_number(category)
        if category not in annotations.categories:
            raise AnnotationError(
                f"{self.name}: category {category!r} is not among "
                f"{', '.join(map(repr, annotations.categories[:10]))}. Name one of them."
            )
        return annotations.categories.index(category)
