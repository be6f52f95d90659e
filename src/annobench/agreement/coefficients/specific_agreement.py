"""Specific agreement: how often a second annotator chooses the category chosen by a first.

    p_k = sum over items of n_k (n_k - 1)  /  sum over items of n_k (m - 1)

for an item with n_k labels of category k, m in all. If two annotators both put a items in the
category, and b and c items alone, it is 2a / (2a + b + c): the F-score of either annotator against
the other. Items that nobody put in the category are not used, so their number need not be known.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from annobench.agreement.forms.base import Floats, Form, Rows, Totals
from annobench.agreement.forms.counts import copies_of_items
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio

__all__ = ["METHOD", "specific_agreement"]

METHOD = Coefficient(
    name="specific_agreement",
    title="Specific agreement",
    reference="Cicchetti and Feinstein (1990), Journal of Clinical Epidemiology 43, 551-558",
    accepts=frozenset({"nominal", "ordinal"}),
    annotators="any",
    pools=True,
    missing="Items with fewer than two labels are left out.",
    degenerate="Nobody gave the category to an item with two labels.",
    standard_error="Delta method on a ratio of sums over items",
    aliases=("positive_agreement", "positive_specific_agreement", "dice"),
    lowest=0.0,
    assumes="Nothing about chance: it rises with the share of the category.",
    chance_corrected=False,
    per_category=True,
    variants={"nominal": ({},), "ordinal": ({},)},
)


class Specific(Form):
    """The probability that a second label is of a category, given that the first is."""

    def __init__(self, annotations: Annotations, multiplicity: Floats | None, code: int) -> None:
        n_items = annotations.n_items
        copied = np.ones(annotations.n_annotators) if multiplicity is None else multiplicity
        weight = copied[annotations.annotator]
        in_category = annotations.label == code

        def total(values: Floats) -> Floats:
            return np.bincount(annotations.item, values, minlength=n_items)

        size, own = total(weight), total(weight * in_category)
        self.paired = size**2 > copies_of_items(annotations, multiplicity, size)
        # A label is no pair with itself, nor with a copy of itself.
        copies = total(weight**2 * in_category)
        self.together = np.where(self.paired, own**2 - copies, 0.0)
        self.chosen = np.where(self.paired, own * size - copies, 0.0)

    @cached_property
    def rows(self) -> Rows:
        """One, pairs whose first label is in the category, and pairs with both there, (I, 3)."""
        return np.column_stack([self.paired, self.chosen, self.together]).astype(np.float64)

    @cached_property
    def item_disagreement(self) -> Floats:
        return ratio(self.chosen - self.together, self.chosen)

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        """Return the observed disagreement, and NaN for the expected."""
        chosen, together = totals[..., 1], totals[..., 2]
        return ratio(chosen - together, chosen), np.full(totals.shape[:-1], np.nan)

    def value(self, totals: Totals) -> Totals:
        return 1 - self.disagreements(totals)[0]


def specific_agreement(annotations: Annotations, category: str) -> Agreement:
    """Estimate how often a second annotator chooses a category chosen by a first.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, one label of each for an item.
    category : str
        Name of the category.

    Returns
    -------
    Agreement
        Estimate in [0, 1], standard error and intervals.

    Raises
    ------
    AnnotationError
        If there is no such category, no item has two labels, or an annotator labelled an item
        twice.

    Warns
    -----
    DegenerateWarning
        If nobody gave the category to an item with two labels; the estimate is then NaN.

    References
    ----------
    Cicchetti and Feinstein (1990), Journal of Clinical Epidemiology 43, 551-558; for any
    number of annotators Fleiss (1981), Statistical Methods for Rates and Proportions, 13.1.

    Examples
    --------
    >>> table = Annotations.from_contingency([[30, 10], [20, 40]])
    >>> round(specific_agreement(table, "0").estimate, 4)  # 60 / (60 + 10 + 20)
    0.6667
    """
    annotations = METHOD.check(annotations)
    code = METHOD.category_code(annotations, category)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Specific(labels, copies, code)

    refit = partial(specific_agreement, category=category)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=False)
