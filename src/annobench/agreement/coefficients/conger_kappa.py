"""Conger's kappa: Cohen's kappa for any number of annotators, each with its own distribution.

    kappa = (A_o - A_e) / (1 - A_e),   A_e = mean over pairs a, b of sum_kl w_kl p_ak p_bl

Observed and expected agreement are averaged over pairs before they enter the ratio; Light's kappa
instead is the mean of the pairs' kappas.
"""

from __future__ import annotations

from functools import partial

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.margins import Margins
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "conger_kappa"]

METHOD = Coefficient(
    name="conger_kappa",
    title="Conger's kappa",
    reference="Conger (1980), Psychological Bulletin 88",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    missing="Items with one label count in that annotator's distribution only.",
    degenerate="Every label is the same, so the expected agreement is 1.",
    standard_error="Gwet (2014), chapter 5: linearisation over items, annotators fixed",
    aliases=("multi_kappa",),
    ddof=1,
    assumes="Chance: each annotator labels blindly, by the shares of their own labels.",
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
)


def conger_kappa(annotations: Annotations, *, weights: Weights = None) -> Agreement:
    """Estimate Conger's kappa, which for two annotators is Cohen's.

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
    Conger (1980), Psychological Bulletin 88, equation 9; as multi-kappa: Davies and Fleiss (1982),
    Biometrics 38.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), [1, 1, 1, 0, 0, 1])
    >>> round(conger_kappa(a).estimate, 4)  # observed 2/3, expected 1/2
    0.3333
    """
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Margins(labels, copies, distances)

    refit = partial(conger_kappa, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
