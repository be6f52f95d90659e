"""The prevalence index: how far two categories are from being equally frequent.

    PI = (a - d) / (a + b + c + d)

for two annotators and the table a (both positive), b and c (one positive), d (both negative).
The positive category is the last.
"""

from __future__ import annotations

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.binary_table import CellShare
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "prevalence_index"]

METHOD = Coefficient(
    name="prevalence_index",
    title="Prevalence index",
    reference="Byrt, Bishop and Carlin (1993), Journal of Clinical Epidemiology 46",
    accepts=frozenset({"nominal", "ordinal"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="There is no common item.",
    standard_error="Delta method on the multinomial of pairs of labels",
    lowest=-1.0,
    assumes="Not a measure of agreement: how much more frequent the positive category is.",
    chance_corrected=False,
    binary=True,
    variants={"nominal": ({},), "ordinal": ({},)},
)


def prevalence_index(annotations: Annotations) -> Agreement:
    """Estimate the prevalence index of two annotators and two categories.

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
    >>> prevalence_index(table).estimate  # (80 - 5) / 100
    0.75
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return CellShare(labels, (1.0, 0.0, 0.0, -1.0))

    return Agreement.of(METHOD, annotations, make_form, prevalence_index, collapsible=False)
