"""Brennan and Prediger's kappa, Bennett's S: uniform chance agreement.

    S = (A_o - 1/K) / (1 - 1/K)

With weights, 1/K becomes the mean of all weights. At K = 2 it is 2 A_o - 1, the prevalence and
bias adjusted kappa (PABAK). K counts every category of the scheme, used or not.
"""

from __future__ import annotations

from functools import partial

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.pooled import Pooled
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "brennan_prediger"]

METHOD = Coefficient(
    name="brennan_prediger",
    title="Brennan-Prediger (Bennett's S)",
    reference="Brennan and Prediger (1981), Educational and Psychological Measurement 41",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    pools=True,
    missing="Items with fewer than two labels are left out.",
    degenerate="There is only one category.",
    standard_error="Gwet (2014), chapter 5: linearisation over items",
    aliases=("bennett_s", "pabak"),
    ddof=1,
    assumes="Chance: annotators label blindly and give every category equally often.",
    counts_categories=True,
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
)


def brennan_prediger(annotations: Annotations, *, weights: Weights = None) -> Agreement:
    """Estimate Brennan and Prediger's kappa, Bennett's S.

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
    Bennett, Alpert and Goldstein (1954), Public Opinion Quarterly 18; Brennan and Prediger
    (1981), Educational and Psychological Measurement 41; PABAK: Byrt, Bishop and Carlin (1993),
    Journal of Clinical Epidemiology 46.

    Examples
    --------
    >>> table = Annotations.from_contingency([[118, 5], [2, 0]])
    >>> round(brennan_prediger(table).estimate, 4)  # 2 * 118/125 - 1
    0.888
    """
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Pooled(labels, copies, distances, "items", "uniform")

    refit = partial(brennan_prediger, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
