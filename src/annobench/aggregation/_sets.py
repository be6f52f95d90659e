"""Category sets of a consensus, and their guarantee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.aggregation.gold import GoldCheck
from annobench.core.results import Summarised
from annobench.evaluation.category_sets import credible_sets
from annobench.models.base import Fit

__all__ = ["CategorySets", "category_sets"]


@dataclass(frozen=True, eq=False)
class CategorySets(Summarised):
    """A set of categories for each item.

    Attributes
    ----------
    inside : ndarray of bool, shape (I, K)
        Whether a category is in an item's set.
    level : float
        Nominal probability that a set contains its item's category.
    promise : str
        The guarantee and its assumption, in one or two sentences.
    """

    inside: NDArray[np.bool_]
    level: float
    promise: str

    def names(self, categories: tuple[str, ...]) -> NDArray[np.object_]:
        """Return the categories of each set, with commas."""
        listed = np.empty(len(self.inside), dtype=object)
        # Few different sets are common to all items.
        different, place = np.unique(self.inside, axis=0, return_inverse=True)
        for number, row in enumerate(different):
            text = ", ".join(name for name, own in zip(categories, row, strict=True) if own)
            listed[place.ravel() == number] = text
        return listed

    def summary(self) -> pd.DataFrame:
        """Return how many items have one category, several, or none.

        Returns
        -------
        DataFrame
            `n_items`, by `categories`: "one", "several", "none".
        """
        counts = self.counts()
        return pd.DataFrame(
            {"n_items": counts.values()}, index=pd.Index(list(counts), name="categories")
        )

    def _headline(self) -> str:
        n = self.counts()
        return (
            f"sets at level {self.level:g}: {n['one']:,} items with one category, "
            f"{n['several']:,} with several, {n['none']:,} with none"
        )

    def counts(self) -> dict[str, int]:
        """Return the numbers of items with one category, several and none."""
        size = self.inside.sum(axis=1)
        return {
            "one": int((size == 1).sum()),
            "several": int((size > 1).sum()),
            "none": int((size == 0).sum()),
        }


def category_sets(fitted: Fit, checked: GoldCheck | None, level: float) -> CategorySets | None:
    """Return conformal sets if there is gold that represents all items, credible ones without."""
    if checked is not None and checked.sets is None:
        return None
    if checked is None or checked.sets is None:
        return CategorySets(
            credible_sets(fitted.posterior, level),
            level,
            f"Each set has a probability of at least {level:g} if {fitted.premise()}. Nothing was "
            "checked on these items.",
        )
    if checked.fixed:
        promise = (
            f"Sets are cross-conformal at level {level:g}: gold items inform the fit, and each was "
            "compared by a fit without it. The probability that a set contains the item's "
            f"category is usually near {level:g}; about {max(0.0, 2 * level - 1):g} is guaranteed, "
            f"{_condition(checked)}."
        )
    else:
        promise = (
            f"Sets are split conformal at level {level:g}: the probability that a set contains the "
            f"item's category is at least {level:g}, {_condition(checked)}."
        )
    promise += (
        " This holds for the items of every category."
        if checked.sets_by_category
        else " This holds on average over all items (marginally): sets of items of a rare category "
        "may contain it less often. --sets-by-category makes it hold for each category."
    )
    return CategorySets(checked.sets, level, promise)


def _condition(checked: GoldCheck) -> str:
    if not checked.sample.differs:
        return "if the gold items were drawn at random"
    by = " and ".join(checked.sample.by)
    return f"if the gold items were drawn at random given {by}, by which they are weighted"
