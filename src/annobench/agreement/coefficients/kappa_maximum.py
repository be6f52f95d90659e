"""The maximum of Cohen's kappa given two annotators' distributions of labels.

    kappa_max = (sum_k min(p_k., p_.k) - A_e) / (1 - A_e),   A_e = sum_k p_k. p_.k

with p the marginal shares.
"""

from __future__ import annotations

import numpy as np

from annobench.agreement.forms.base import Floats, Form, Totals
from annobench.agreement.forms.margins import Margins
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.agreement.weights import check_category_count
from annobench.core.tolerances import ZERO
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio

__all__ = ["METHOD", "LargestKappa", "kappa_maximum"]

METHOD = Coefficient(
    name="kappa_maximum",
    title="Maximum of Cohen's kappa given the margins",
    reference="Cohen (1960), Educational and Psychological Measurement 20",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="Every label is the same, so the expected agreement is 1.",
    standard_error="Delta method; unreliable if the two distributions are nearly equal",
    lowest=0.0,
    assumes="Not a measure of agreement: how high Cohen's kappa could be, given how often each "
    "annotator uses each category.",
    chance_corrected=False,
    variants={"nominal": ({},), "ordinal": ({},)},
)


class LargestKappa(Margins):
    """Cohen's kappa of the table with maximal agreement for its margins.

    Parameters
    ----------
    annotations : Annotations
        Two annotators who both labelled every item.
    multiplicity : ndarray, shape (J,), or None
        Not used: two annotators can't be resampled.
    distances : ndarray, shape (K, K), or None
        None: kappa without weights.
    """

    def value(self, totals: Totals) -> Totals:
        _, expected = self.disagreements(totals)
        margins = totals[..., 2:].reshape(*totals.shape[:-1], 2, -1)
        first, second = margins[..., 0, :], margins[..., 1, :]
        # At a tie the derivative is the mean of its two sides.
        smaller = np.where(first.real < second.real, first, second)
        smaller = np.where(first.real == second.real, (first + second) / 2, smaller)
        apart = 1 - ratio(smaller.sum(axis=-1), first.sum(axis=-1))
        return 1 - ratio(apart, expected, ZERO)


def kappa_maximum(annotations: Annotations) -> Agreement:
    """Estimate the maximum of Cohen's kappa given the annotators' distributions of labels.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators; items that lack a label of either are left out.

    Returns
    -------
    Agreement
        Estimate in [0, 1].

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, they have no item in common, or one labelled
        an item twice.

    Warns
    -----
    DegenerateWarning
        If every label is the same; the estimate is then NaN.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20, 42-43.

    Examples
    --------
    >>> table = Annotations.from_contingency([[40, 20], [0, 40]])
    >>> round(kappa_maximum(table).estimate, 4)  # (0.8 - 0.48) / (1 - 0.48)
    0.6154
    """
    annotations = METHOD.check(annotations)
    check_category_count(annotations, METHOD.name)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return LargestKappa(labels, copies, None)

    return Agreement.of(METHOD, annotations, make_form, kappa_maximum, collapsible=False)
