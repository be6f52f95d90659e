"""Spearman's correlation of two annotators: whether they rank the items in the same order.

Pearson's correlation of the ranks; equal labels share the mean of their ranks.
"""

from __future__ import annotations

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.numeric import SpearmanCorrelation
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "spearman"]

METHOD = Coefficient(
    name="spearman",
    title="Spearman's correlation",
    reference="Spearman (1904), American Journal of Psychology 15",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="An annotator gave all items the same label, or there are fewer than two items.",
    standard_error="Delta method over items, the ranks of all items included",
    lowest=-1.0,
    assumes="Equality of labels is irrelevant: only the order of items counts.",
    numeric=True,
    by_rank=True,
    variants={"ordinal": ({},), "interval": ({},)},
    examples=(Example(scale="ordinal", n_categories=5),),
)


def spearman(annotations: Annotations) -> Agreement:
    """Estimate Spearman's correlation of two annotators.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators, whose labels are ordinal or numbers; items that lack a label of
        either are left out.

    Returns
    -------
    Agreement
        Estimate in [-1, 1], standard error and intervals.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, they have no item in common, one labelled an
        item twice, or a label is neither
        ordinal nor a number.

    Warns
    -----
    DegenerateWarning
        If an annotator gave all items the same label; the estimate is then NaN.

    References
    ----------
    Spearman (1904), American Journal of Psychology 15.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xyzxyz"), list("aaabbb"), [1, 2, 3, 1, 4, 90])
    >>> round(spearman(a).estimate, 4)
    1.0
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return SpearmanCorrelation(labels, copies)

    return Agreement.of(METHOD, annotations, make_form, spearman, collapsible=False)
