"""Gwet's AC1, and with weights AC2: chance agreement is low if one category dominates.

    AC1 = (A_o - A_e) / (1 - A_e),   A_e = T / (K (K - 1)) sum_k p_k (1 - p_k)

with T the sum of all weights (K without weights), and p_k the share of category k, averaged over
items. K counts every category of the scheme, used or not.
"""

from __future__ import annotations

from functools import partial

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.pooled import Pooled
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "gwet_ac1"]

METHOD = Coefficient(
    name="gwet_ac1",
    title="Gwet's AC1 / AC2",
    reference="Gwet (2008), British Journal of Mathematical and Statistical Psychology 61",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    pools=True,
    missing="Items with one label count in p_k only.",
    degenerate="There is only one category.",
    standard_error="Gwet (2008), equation for any number of annotators: linearisation over items",
    aliases=("gwet_ac2",),
    ddof=1,
    assumes="Chance: annotators guess evenly, but only on hard items, which are rarer the more one "
    "category dominates.",
    counts_categories=True,
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
    examples=(Example(), Example({"weights": "quadratic"}, "ordinal", 5)),
)


def gwet_ac1(annotations: Annotations, *, weights: Weights = None) -> Agreement:
    """Estimate Gwet's AC1, or AC2 with weights.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, one label of each for an item.
    weights : {"linear", "quadratic"} or array_like of shape (K, K), optional
        How much two categories agree; see `annobench.agreement.weights`.

    Returns
    -------
    Agreement
        Estimate, observed and expected agreement, standard error, intervals, breakdowns.

    Raises
    ------
    AnnotationError
        If no item has two labels, an annotator labelled an item twice, or the weights are invalid.

    Warns
    -----
    DegenerateWarning
        If the expected agreement is 1; the estimate is then NaN.

    References
    ----------
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61; weights: Gwet
    (2014), Handbook of Inter-Rater Reliability, chapter 4.

    Examples
    --------
    >>> table = Annotations.from_contingency([[118, 5], [2, 0]])
    >>> round(gwet_ac1(table).estimate, 4)
    0.9408
    """
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Pooled(labels, copies, distances, "items", "gwet")

    refit = partial(gwet_ac1, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
