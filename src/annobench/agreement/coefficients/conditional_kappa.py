"""Conditional kappa: agreement on the items that the first annotator put in one category.

    kappa_k = (p_kk / p_k. - p_.k) / (1 - p_.k)

It measures the agreement of the second annotator with the first on these items, and is not
symmetric. The symmetric coefficient of one category against the rest is `Agreement.by_category`.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from annobench.agreement.forms.base import Floats, Form, Rows, Totals
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio

__all__ = ["METHOD", "conditional_kappa"]

METHOD = Coefficient(
    name="conditional_kappa",
    title="Conditional kappa",
    reference="Light (1971), Psychological Bulletin 76; Bishop, Fienberg and Holland (1975), 11.4",
    accepts=frozenset({"nominal", "ordinal"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="The first annotator never gave the category, or the second always did.",
    standard_error="Delta method on the multinomial of pairs of labels",
    assumes="Chance: the second annotator labels blindly where the first gave the category.",
    symmetric=False,
    per_category=True,
    variants={"nominal": ({},), "ordinal": ({},)},
)


class Conditional(Form):
    """How often the second annotator agrees with the first in one category."""

    def __init__(self, annotations: Annotations, code: int) -> None:
        self.gives = np.zeros((annotations.n_items, 2), dtype=bool)
        self.gives[annotations.item, annotations.annotator] = annotations.label == code

    @cached_property
    def rows(self) -> Rows:
        """One, whether the first, the second and both gave the category, shape (I, 4)."""
        first, second = self.gives.T
        cells = [np.ones_like(first), first, second, first & second]
        return np.column_stack(cells).astype(np.float64)

    @cached_property
    def item_disagreement(self) -> Floats:
        """Whether the second disagrees, shape (I,); NaN where the first gave another category."""
        first, second = self.gives.T
        return np.where(first, ~second, np.nan)

    def disagreements(self, totals: Totals) -> tuple[Totals, Totals]:
        n, first, second, both = np.moveaxis(totals, -1, 0)
        return ratio(first - both, first), ratio(n - second, n)


def conditional_kappa(annotations: Annotations, category: str) -> Agreement:
    """Estimate the kappa of the items that the first annotator put in a category.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators; items that lack a label of either are left out.
    category : str
        Name of the category.

    Returns
    -------
    Agreement
        Estimate, at most 1.

    Raises
    ------
    AnnotationError
        If there is no such category, there are not exactly two annotators, they have no item
        in common, or one labelled an item twice.

    Warns
    -----
    DegenerateWarning
        If the first annotator never gave the category, or the second always did; the
        estimate is then NaN.

    References
    ----------
    Light (1971), Psychological Bulletin 76; Bishop, Fienberg and Holland (1975), Discrete
    Multivariate Analysis, section 11.4.

    Examples
    --------
    >>> table = Annotations.from_contingency([[30, 10], [20, 40]])
    >>> conditional_kappa(table, "0").estimate  # (30/40 - 1/2) / (1 - 1/2)
    0.5
    """
    annotations = METHOD.check(annotations)
    code = METHOD.category_code(annotations, category)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Conditional(labels, code)

    refit = partial(conditional_kappa, category=category)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=False)
