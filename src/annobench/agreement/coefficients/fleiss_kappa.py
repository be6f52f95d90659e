"""Fleiss' kappa: any number of annotators, chance agreement from their common distribution.

    kappa = (A_o - A_e) / (1 - A_e),   A_e = sum_k p_k^2

Items may have different annotators. For unequal numbers of labels m_i there are two conventions:
"items" averages the agreement of pairs within an item, and the item's shares of labels, over items;
"labels" weights an item's disagreement by m_i - 1 and counts every label once in p_k.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.pooled import Pooled
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "fleiss_kappa"]

METHOD = Coefficient(
    name="fleiss_kappa",
    title="Fleiss' kappa",
    reference="Fleiss (1971), Psychological Bulletin 76",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    pools=True,
    missing="Items with one label count in p_k only.",
    degenerate="Every label is the same, so the expected agreement is 1.",
    standard_error="Gwet (2014), chapter 5: linearisation over items, annotators fixed",
    aliases=("multi_pi",),
    ddof=1,
    assumes="Chance: all annotators label blindly, by the shares of all labels.",
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
)


def fleiss_kappa(
    annotations: Annotations,
    *,
    weighting: Literal["items", "labels"] = "items",
    weights: Weights = None,
) -> Agreement:
    """Estimate Fleiss' kappa, which for two annotators is Scott's pi.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, one label of each for an item.
    weighting : {"items", "labels"}, default "items"
        The convention for unequal numbers of labels; equal numbers give the same value.
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
    Fleiss (1971), Psychological Bulletin 76, equations 3 to 7; unequal numbers: Gwet (2014),
    Handbook of Inter-Rater Reliability, chapter 2 (items); Fleiss and Cuzick (1979), Applied
    Psychological Measurement 3 (labels).

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), [1, 1, 1, 0, 0, 1])
    >>> round(fleiss_kappa(a).estimate, 4)  # (2/3 - 5/9) / (1 - 5/9)
    0.25
    """
    if weighting not in ("items", "labels"):
        raise AnnotationError(f"fleiss_kappa: weighting {weighting!r} is not one of items, labels.")
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Pooled(labels, copies, distances, weighting, "pooled")

    refit = partial(fleiss_kappa, weighting=weighting, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
