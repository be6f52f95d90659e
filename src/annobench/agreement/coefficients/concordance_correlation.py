"""Lin's concordance correlation: closeness of numeric labels, any number of annotators.

For two annotators 2 s_12 / (s_1^2 + s_2^2 + (m_1 - m_2)^2), Pearson's correlation times a factor
for differences in mean and scale; for more, numerators and denominators are summed over all pairs.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from annobench.agreement.forms.base import Floats, Form
from annobench.agreement.forms.numeric import Concordance
from annobench.agreement.record import Coefficient, Example
from annobench.agreement.result import Agreement
from annobench.agreement.statistic import Statistic
from annobench.labels.annotations import Annotations

__all__ = ["METHOD", "concordance_correlation"]

METHOD = Coefficient(
    name="concordance_correlation",
    title="Lin's concordance correlation",
    reference="Lin (1989), Biometrics 45; more annotators: Barnhart, Haber and Song (2002)",
    accepts=frozenset({"nominal", "ordinal", "interval"}),
    annotators="any",
    missing="Items that lack a label of any annotator are left out.",
    degenerate="All labels are the same number.",
    standard_error="Delta method over items; the analytic interval is Lin's, by Fisher's z",
    aliases=("lin_ccc",),
    lowest=-1.0,
    assumes="Labels are numbers, and differences between annotators' means and scales count as "
    "disagreement.",
    numeric=True,
    complete=True,
    variants={"interval": ({},)},
    examples=(Example(scale="ordinal", n_categories=5),),
)


def concordance_correlation(annotations: Annotations) -> Agreement:
    """Estimate Lin's concordance correlation; for more than two annotators, the overall one.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators, whose labels are numbers; items that lack a label of any
        are left out.

    Returns
    -------
    Agreement
        Estimate in [-1, 1]; its analytic interval is that of Fisher's transformation.

    Raises
    ------
    AnnotationError
        If no item is complete, an annotator labelled an item twice, or a label is not a number.

    Warns
    -----
    DegenerateWarning
        If all labels are the same number; the estimate is then NaN.

    References
    ----------
    Lin (1989), Biometrics 45, equation 3 and Section 3; Barnhart, Haber and Song (2002),
    Biometrics 58.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xyzxyz"), list("aaabbb"), [1, 2, 3, 2, 3, 4])
    >>> round(concordance_correlation(a).estimate, 4)  # 2 * 2/3 / (2/3 + 2/3 + 1)
    0.5714
    """
    annotations = METHOD.check(annotations)

    def make_form(labels: Annotations, copies: Floats | None) -> Form:
        return Concordance(labels, copies)

    return Agreement.of(
        METHOD,
        annotations,
        make_form,
        concordance_correlation,
        collapsible=False,
        analytic_limits=_limits,
    )


def _limits(statistic: Statistic, level: float) -> tuple[float, float]:
    """Return limits by Fisher's z, whose standard error is se / (1 - estimate^2)."""
    estimate, error = statistic.estimate, statistic.standard_error
    if math.isnan(error):
        return math.nan, math.nan
    room = 1 - estimate**2
    if error == 0 or room <= 0:
        return estimate, estimate
    half_width = -float(ndtri((1 - level) / 2)) * error / room
    centre = float(np.arctanh(estimate))
    return math.tanh(centre - half_width), math.tanh(centre + half_width)
