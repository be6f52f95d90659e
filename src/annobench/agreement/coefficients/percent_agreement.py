"""Percent agreement: the share of pairs of labels that agree, not corrected for chance.

    A_o = mean over items of  sum_k n_k (n_k - 1) / (m (m - 1))

for an item with n_k labels of category k, m in all.
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

__all__ = ["METHOD", "percent_agreement"]

METHOD = Coefficient(
    name="percent_agreement",
    title="Percent agreement",
    reference="Fleiss (1971), Psychological Bulletin 76, equation 2",
    accepts=frozenset({"nominal", "ordinal", "interval", "set"}),
    annotators="any",
    pools=True,
    missing="Items with fewer than two labels are left out.",
    degenerate="There is no pair of labels.",
    standard_error="Standard error of a mean over items; with pairs as weights, of a ratio.",
    aliases=("observed_agreement", "raw_agreement"),
    lowest=0.0,
    ddof=1,
    assumes="Nothing about chance: it rises when one category prevails, whatever annotators do.",
    chance_corrected=False,
    by_pair=True,
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}),
        "interval": ({"weights": "linear"},),
        "set": ({},),
    },
)


def percent_agreement(
    annotations: Annotations,
    *,
    weighting: Literal["items", "pairs"] = "items",
    weights: Weights = None,
) -> Agreement:
    """Estimate the share of pairs of labels that agree.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, one label of each for an item.
    weighting : {"items", "pairs"}, default "items"
        Whether items or pairs of labels have equal weight.
    weights : {"linear", "quadratic"} or array_like of shape (K, K), optional
        How much two categories agree; see `annobench.agreement.weights`.

    Returns
    -------
    Agreement
        Estimate in [0, 1], standard error, intervals and breakdowns.

    Raises
    ------
    AnnotationError
        If no item has two labels, an annotator labelled an item twice, or weighting or
        weights are unknown.

    References
    ----------
    Fleiss (1971), Psychological Bulletin 76, equation 2.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), [1, 1, 0, 1, 1, 1])
    >>> round(percent_agreement(a).estimate, 4)  # (1/3 + 1) / 2
    0.6667
    """
    if weighting not in ("items", "pairs"):
        raise AnnotationError(
            f"percent_agreement: weighting {weighting!r} is not one of items, pairs."
        )
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Pooled(labels, copies, distances, weighting, "none")

    refit = partial(percent_agreement, weighting=weighting, weights=weights)
    return Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
