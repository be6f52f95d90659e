"""Cohen's kappa: two annotators, chance agreement from each annotator's own distribution.

    kappa = (A_o - A_e) / (1 - A_e),   A_e = sum_kl w_kl p_k. p_.l

with w the weights of agreement, by default 1 for equal labels and 0 otherwise.
"""

from __future__ import annotations

from functools import partial

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.margins import Margins
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "cohen_kappa"]

METHOD = Coefficient(
    name="cohen_kappa",
    title="Cohen's kappa",
    reference="Cohen (1960), Educational and Psychological Measurement 20; weights: Cohen (1968)",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="Every label is the same, so the expected agreement is 1.",
    standard_error="Fleiss, Cohen and Everitt (1969), equation 13 (delta method)",
    assumes="Chance: each of the two annotators labels blindly, by the shares of their own labels.",
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
    examples=(
        Example(),
        Example({"weights": "linear"}, "ordinal", 5),
        Example({"weights": "quadratic"}, "ordinal", 5),
    ),
)


def cohen_kappa(annotations: Annotations, *, weights: Weights = None) -> Agreement:
    """Estimate Cohen's kappa, weighted or not.

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
    Cohen (1960), Educational and Psychological Measurement 20; Cohen (1968), Psychological
    Bulletin 70; standard error: Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72,
    equation 13.

    Examples
    --------
    >>> table = Annotations.from_contingency([[30, 10], [10, 30]])
    >>> cohen_kappa(table).estimate  # (0.75 - 0.5) / (1 - 0.5)
    0.5
    """
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Margins(labels, copies, distances)

    refit = partial(cohen_kappa, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
