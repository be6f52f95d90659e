"""Scott's pi: two annotators, chance agreement from their common distribution of labels.

    pi = (A_o - A_e) / (1 - A_e),   A_e = sum_k p_k^2

with p_k the share of category k among the labels of both.
"""

from __future__ import annotations

from functools import partial

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.pooled import Pooled
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "scott_pi"]

METHOD = Coefficient(
    name="scott_pi",
    title="Scott's pi",
    reference="Scott (1955), Public Opinion Quarterly 19",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="Every label is the same, so the expected agreement is 1.",
    standard_error="Delta method on the multinomial of pairs of labels",
    assumes="Chance: both annotators label blindly, by the shares of all their labels.",
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
)


def scott_pi(annotations: Annotations, *, weights: Weights = None) -> Agreement:
    """Estimate Scott's pi.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators; items that lack a label of either are left out.
    weights : {"linear", "quadratic"} or array_like of shape (K, K), optional
        How much two categories agree; see `annobench.agreement.weights`.

    Returns
    -------
    Agreement
        Estimate, observed and expected agreement, standard error, intervals, breakdowns.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, they have no item in common, one labelled an
        item twice, or the weights are invalid.

    Warns
    -----
    DegenerateWarning
        If the expected agreement is 1; the estimate is then NaN.

    References
    ----------
    Scott (1955), Public Opinion Quarterly 19, 321-325.

    Examples
    --------
    >>> table = Annotations.from_contingency([[30, 10], [10, 30]])
    >>> scott_pi(table).estimate
    0.5
    """
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Pooled(labels, copies, distances, "items", "pooled")

    refit = partial(scott_pi, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
