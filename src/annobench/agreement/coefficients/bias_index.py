"""The bias index: the difference in how often two annotators give the positive category.

    BI = (b - c) / (a + b + c + d)

for two annotators and the table a (both positive), b and c (one positive), d (both negative).
The positive category is the last.
"""

from __future__ import annotations

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.binary_table import CellShare
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "bias_index"]

METHOD = Coefficient(
    name="bias_index",
    title="Bias index",
    reference="Byrt, Bishop and Carlin (1993), Journal of Clinical Epidemiology 46",
    accepts=frozenset({"nominal", "ordinal"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="There is no common item.",
    standard_error="Delta method on the multinomial of pairs of labels",
    lowest=-1.0,
    assumes="Not a measure of agreement: how much more often one annotator gives the positive "
    "category.",
    chance_corrected=False,
    symmetric=False,
    binary=True,
    variants={"nominal": ({},), "ordinal": ({},)},
)


def bias_index(annotations: Annotations) -> Agreement:
    """Estimate the bias index of two annotators and two categories.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators and two categories, the positive one last; items that lack a
        label of either are left out.

    Returns
    -------
    Agreement
        Estimate in [-1, 1], standard error and intervals.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators and two categories, no item has a label of
        both, or an annotator labelled an item twice.

    References
    ----------
    Byrt, Bishop and Carlin (1993), Journal of Clinical Epidemiology 46.

    Examples
    --------
    >>> table = Annotations.from_contingency([[5, 10], [5, 80]])
    >>> bias_index(table).estimate  # the first alone 5 times, the second alone 10 times
    -0.05
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return CellShare(labels, (0.0, 1.0, -1.0, 0.0))

    return Agreement.of(METHOD, annotations, make_form, bias_index, collapsible=False)
