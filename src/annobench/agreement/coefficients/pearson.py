"""Pearson's correlation of two annotators: the linear association of their labels.

It does not measure equality: if one annotator's labels are always twice the other's, the
correlation is 1.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.numeric import PearsonCorrelation
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.agreement.statistic import Statistic
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "pearson"]

METHOD = Coefficient(
    name="pearson",
    title="Pearson's correlation",
    reference="Pearson (1895); interval: Fisher (1921)",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="An annotator gave all items the same label, or there are fewer than two items.",
    standard_error="Delta method over items",
    lowest=-1.0,
    assumes="Equality of labels is irrelevant: only linear association counts.",
    numeric=True,
    variants={"interval": ({},)},
    examples=(Example(scale="ordinal", n_categories=5),),
)


def pearson(annotations: Annotations) -> Agreement:
    """Estimate Pearson's correlation of two annotators.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators, whose labels are numbers; items that lack a label of either
        are left out.

    Returns
    -------
    Agreement
        Estimate in [-1, 1]; its analytic interval is Fisher's, which assumes normally distributed
        labels.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, they have no item in common, one labelled an
        item twice, or a label is not a number.

    Warns
    -----
    DegenerateWarning
        If an annotator gave all items the same label; the estimate is then NaN.

    References
    ----------
    Fisher (1921), Metron 1.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xyzxyz"), list("aaabbb"), [1, 2, 3, 2, 4, 6])
    >>> round(pearson(a).estimate, 4)
    1.0
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return PearsonCorrelation(labels, copies)

    return Agreement.of(
        METHOD, annotations, make_form, pearson, collapsible=False, analytic_limits=fisher_interval
    )


def fisher_interval(statistic: Statistic, level: float) -> tuple[float, float]:
    """Return Fisher's interval of a correlation."""
    if statistic.n_items < 4:
        return -1.0, 1.0
    half_width = -ndtri((1 - level) / 2) / math.sqrt(statistic.n_items - 3)
    centre = np.arctanh(np.clip(statistic.estimate, -1 + 1e-15, 1 - 1e-15))
    return float(np.tanh(centre - half_width)), float(np.tanh(centre + half_width))
