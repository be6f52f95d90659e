"""Pearson's correlation of two annotators: whether their labels lie on one line.

It says nothing about equal labels: an annotator who always gives twice as much correlates
perfectly.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from annobench.agreement.base import Agreement, Coefficient
from annobench.agreement.forms import Floats, Form
from annobench.agreement.interval_forms import PearsonCorrelation
from annobench.labels.annotations import Annotations

METHOD = Coefficient(
    name="pearson",
    title="Pearson's correlation",
    reference="Pearson (1895); interval: Fisher (1921)",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="An annotator gave all items one label, or there are fewer than two items.",
    standard_error="Delta method over items",
    lowest=-1.0,
    assumes="Nothing about equal labels: only whether the labels of the two lie on one line.",
    variants={"interval": ({},)},
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
        Estimate in [-1, 1]; its analytic interval is Fisher's, which takes the labels for
        normal.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, they have no item in common, one labelled an
        item twice, or a label is no number.

    Warns
    -----
    DegenerateWarning
        If an annotator gave all items one label; the estimate is then NaN.

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
    annotations.values  # noqa: B018  labels that are no numbers are refused here

    def build(labels: Annotations, copies: Floats | None) -> Form:
        return PearsonCorrelation(labels, copies)

    return Agreement.of(
        METHOD, annotations, build, pearson, collapsible=False, analytic_ends=fisher_interval
    )


def fisher_interval(agreement: Agreement, level: float) -> tuple[float, float]:
    """Return Fisher's interval of a correlation.

    Parameters
    ----------
    agreement : Agreement
        A correlation.
    level : float
        In (0, 1).

    Returns
    -------
    lower, upper : float
        With fewer than four items, which exclude nothing, -1 and 1.
    """
    if agreement.n_items < 4:
        return -1.0, 1.0
    reach = -ndtri((1 - level) / 2) / math.sqrt(agreement.n_items - 3)
    centre = np.arctanh(np.clip(agreement.estimate, -1 + 1e-15, 1 - 1e-15))
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))
