"""Rogot and Goldberg's A2: the mean specific agreement on the two categories.

    A2 = a / (2a + b + c) + d / (2d + b + c)

for a items that both annotators put in the positive category, b and c that one of them did, and
d that neither did.
"""

from __future__ import annotations

import numpy as np

from annobench.agreement.forms.base import Floats, Form, Totals
from annobench.agreement.forms.binary_table import BinaryTable
from annobench.agreement.record import Coefficient
from annobench.agreement.result import Agreement
from annobench.labels.annotations import Annotations
from annobench.resampling.ratios import ratio

METHOD = Coefficient(
    name="rogot_goldberg",
    title="Rogot and Goldberg's A2",
    reference="Rogot and Goldberg (1966), Journal of Chronic Diseases 19, 991-1006",
    accepts=frozenset({"nominal", "ordinal"}),
    annotators="two",
    missing="Items without a label of both annotators are left out.",
    degenerate="Nobody used one of the two categories.",
    standard_error="Delta method on the multinomial of pairs of labels",
    lowest=0.0,
    assumes="Nothing about chance: both categories weigh the same, however rare one is.",
    chance_corrected=False,
    binary=True,
    variants={"nominal": ({},), "ordinal": ({},)},
)


class MeanSpecific(BinaryTable):
    """The mean of the two specific agreements, from the four cells.

    Parameters
    ----------
    annotations : Annotations
        Two annotators who both labelled every item, two categories.
    """

    def value(self, totals: Totals) -> Totals:
        """Return A2.

        Parameters
        ----------
        totals : ndarray, shape (..., 4)
            Items in each cell.

        Returns
        -------
        ndarray, shape (...)
            In [0, 1]; NaN where a category was not used.
        """
        a, b, c, d = np.moveaxis(totals, -1, 0)
        return ratio(a, 2 * a + b + c) + ratio(d, 2 * d + b + c)


def rogot_goldberg(annotations: Annotations) -> Agreement:
    """Estimate Rogot and Goldberg's A2.

    Parameters
    ----------
    annotations : Annotations
        Exactly two annotators and two categories; items that lack a label of either are left out.

    Returns
    -------
    Agreement
        Estimate in [0, 1], standard error and intervals.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators and two categories, no item has a label of
        both, or an annotator labelled an item twice.

    Warns
    -----
    DegenerateWarning
        If nobody used one of the categories; the estimate is then NaN.

    References
    ----------
    Rogot and Goldberg (1966), Journal of Chronic Diseases 19, 991-1006.

    Examples
    --------
    >>> table = Annotations.from_contingency([[60, 10], [10, 20]])
    >>> round(rogot_goldberg(table).estimate, 4)  # 20 / 60 + 60 / 140
    0.7619
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return MeanSpecific(labels)

    return Agreement.of(METHOD, annotations, make_form, rogot_goldberg, collapsible=False)
