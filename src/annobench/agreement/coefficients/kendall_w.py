"""Kendall's W: whether several annotators rank the items in the same order.

W = 12 S / (J^2 (n^3 - n) - J T), with S the sum of squared deviations of the rank sums of the n
items from their mean, and T the sum of t^3 - t over the groups of t equal labels of all J
annotators: the variance of the rank sums divided by its maximum given the ties.
"""

from __future__ import annotations

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.numeric import KendallConcordance
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "kendall_w"]

METHOD = Coefficient(
    name="kendall_w",
    title="Kendall's W",
    reference="Kendall and Babington Smith (1939); ties: Kendall and Gibbons (1990), Section 6.6",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    missing="Items that lack a label of any annotator are left out.",
    degenerate="Each annotator gave all items the same label, or fewer than two items are "
    "complete.",
    standard_error="Delta method over items, the ranks of all items included",
    lowest=0.0,
    assumes="Equality of labels is irrelevant: only the order of items counts. Unrelated rankings "
    "give 1 / J, not 0.",
    chance_corrected=False,
    numeric=True,
    by_rank=True,
    complete=True,
    variants={"ordinal": ({},), "interval": ({},)},
    # W depends on the number of annotators, the coverage study's estimand is of very many.
    examples=(),
)


def kendall_w(annotations: Annotations) -> Agreement:
    """Estimate Kendall's coefficient of concordance W, corrected for ties.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, whose labels are ordinal or numbers; items that lack a label
        of any are left out.

    Returns
    -------
    Agreement
        Estimate in [0, 1], standard error and intervals.

    Raises
    ------
    AnnotationError
        If no item is complete, an annotator labelled an item twice, or a label is neither
        ordinal nor a number.

    Warns
    -----
    DegenerateWarning
        If each annotator gave all items the same label; the estimate is then NaN.

    References
    ----------
    Kendall and Babington Smith (1939), Annals of Mathematical Statistics 10; Kendall and Gibbons
    (1990), Rank Correlation Methods, Section 6.6.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xyz" * 3), list("aaabbbccc"), [1, 2, 3, 1, 3, 2, 2, 1, 3])
    >>> round(kendall_w(a).estimate, 4)  # rank sums 4, 6, 8: S = 8 of 18
    0.4444
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return KendallConcordance(labels, copies)

    return Agreement.of(METHOD, annotations, make_form, kendall_w, collapsible=False)
