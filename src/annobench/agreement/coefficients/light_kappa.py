"""Light's kappa: the mean of Cohen's kappas of all pairs of annotators.

A pair's observed agreement is that on the items that both labelled. Its expected agreement follows
from the distributions of all labels of the two, which in complete data are those of the same items.
Pairs without a defined kappa are left out of the mean, with a warning.
"""

from __future__ import annotations

import warnings
from functools import partial

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.margins import PairMean
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.agreement.weights import Weights, checked_weights
from annobench.core.errors import DegenerateWarning
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "light_kappa"]

METHOD = Coefficient(
    name="light_kappa",
    title="Light's kappa",
    reference="Light (1971), Psychological Bulletin 76",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    missing="Each pair's observed agreement is on the items that both labelled; its expected "
    "agreement follows from all labels of each.",
    degenerate="No pair of annotators has a defined Cohen's kappa.",
    standard_error="Jackknife over items, annotators fixed",
    ddof=1,
    assumes="Chance as for Cohen's kappa, pair by pair, on shared items as on others; all pairs "
    "have equal weight, however few items they share.",
    variants={
        "nominal": ({},),
        "ordinal": ({}, {"weights": "linear"}, {"weights": "quadratic"}),
        "interval": ({"weights": "quadratic"},),
    },
    pairwise=True,
)


def light_kappa(annotations: Annotations, *, weights: Weights = None) -> Agreement:
    """Estimate Light's kappa.

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
        If pairs of annotators gave all common items the same label; they are left out, and the
        estimate is NaN if no pair remains.

    Notes
    -----
    Cohen's kappa of a pair that shares n items has a bias of order 1/n, mostly because the expected
    agreement is estimated from the same n items. The bias of a mean over many such pairs exceeds
    its standard error; with the distributions of all labels of both annotators it is small. The
    standard error is the jackknife's, in which a pair loses its kappa without its only common item;
    the expected agreement is linearised. For complete labels it equals the delta method's.

    References
    ----------
    Light (1971), Psychological Bulletin 76; Gwet (2014), Handbook of Inter-Rater Reliability, 4th
    edition, chapter 2, for expected agreement from all labels of each annotator.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), [1, 1, 1, 0, 0, 1])
    >>> round(light_kappa(a).estimate, 4)  # 1, 0 and 0
    0.3333
    """
    annotations = METHOD.check(annotations)
    weights, distances = checked_weights(annotations, weights, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return PairMean(labels, copies, distances)

    refit = partial(light_kappa, weights=weights)
    result = Agreement.of(METHOD, annotations, make_form, refit, collapsible=weights is None)
    form = result.form
    assert isinstance(form, PairMean)
    undefined = int((form.pair_disagreements(result.totals)[1] <= ZERO).sum())
    if 0 < undefined < form.pairs.n_pairs:
        warnings.warn(
            f"light_kappa: {undefined} of {form.pairs.n_pairs} pairs of annotators gave all common "
            "items the same label; they have no kappa and are left out of the mean.",
            DegenerateWarning,
            stacklevel=2,
        )
    return result
