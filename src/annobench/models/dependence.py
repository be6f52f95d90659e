r"""A posterior predictive check whether annotators err together, beyond what a fit allows.

Models with a prevalence and confusion matrices assume that the labels of an item are independent
given its category. If they are not, as on a hard or misleading item, probabilities are
overconfident.

Let e_n = 1[x_n = k] - theta_{j_n,k,k} be the residual of a label of an item of category k: 1 or 0,
for right or wrong, minus the probability of being right. If labels are independent given the
category, the
residuals of two labels are uncorrelated. The statistic is their estimated intraclass correlation,
averaged over the item's posterior q_i under the fitted parameters::

    r = sum_ik q_ik sum_{m != n} e_m e_n / sum_ik q_ik sum_{m != n} sd(e_m) sd(e_n)

Under the fitted parameters the numerator has expectation 0 exactly: the average over labels and
posterior is the average over labels and categories. Its standard deviation is estimated from labels
drawn from the fit for the same items and annotators, a parametric bootstrap. Parameters are not
estimated again for them.

With a correlation r, n labels of an item are as informative about it as n / (1 + (n - 1) r)
independent ones (Kish 1965, section 5.4: the design effect of a mean).

The correlation tends to be underestimated: an error that all annotators of an item share looks like
an item of the other category to every check without a gold standard (Albert and Dodd
2004).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.kernels.dependence import draw_labels, residual_products

__all__ = ["DependenceCheck", "check"]

#: From which p-value on a fit warns.
ALARM = 0.01


@dataclass(frozen=True)
class DependenceCheck(SummarisedScalars):
    """Whether the labels of an item depend on each other given its category.

    Attributes
    ----------
    n_labels : int
        Of items with at least two labels.
    correlation : float
        r, at most 1: the mean correlation of two labels of an item being right, given its category.
        NaN if no item has two labels, or none can be wrong.
    null_deviation : float
        Standard deviation of r among labels drawn from the fit; their mean is 0 in theory.
    p_value : float
        Of as large an r among such labels, by the t distribution; NaN if r is.
    effective_labels : float
        The effective number of independent labels, sum_i n_i / (1 + (n_i - 1) r);
        `n_labels` if r is negative or NaN.
    """

    n_labels: int
    correlation: float
    null_deviation: float
    p_value: float
    effective_labels: float

    @property
    def is_alarming(self) -> bool:
        """Whether the p-value is below `ALARM`."""
        return self.p_value < ALARM

    def sentence(self) -> str:
        """Return the finding in words.

        Returns
        -------
        str
            Two sentences.
        """
        return (
            f"Annotators err together here: given the category, whether two labels of an item are "
            f"right correlates by {self.correlation:.2f} (p = {self.p_value:.1g} if independent). "
            f"The effective number of independent labels is {self.effective_labels:,.0f} of "
            f"{self.n_labels:,} or less, and probabilities near 1 are overconfident."
        )


def check(
    annotations: Annotations,
    prevalence: NDArray[np.float64],
    confusion: NDArray[np.float64],
    *,
    replicates: int = 20,
    rng: np.random.Generator | int | None = 0,
) -> DependenceCheck:
    """Check labels for dependence given the category under fitted parameters.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    prevalence : ndarray, shape (K,)
        Fitted probability of each category.
    confusion : ndarray, shape (J, K, K)
        Fitted confusion matrices; a row of NaN is taken for even.
    replicates : int, default 20
        Sets of labels drawn from the fit, at least 2.
    rng : numpy.random.Generator or int, default 0
        Of these draws.

    Returns
    -------
    DependenceCheck
        Correlation, p-value, and the effective number of labels.

    Raises
    ------
    ValueError
        If fewer than two replicates are asked for.

    Notes
    -----
    One pass over the labels costs K operations a label, and there are `replicates` + 1.

    References
    ----------
    Gelman, Meng and Stern (1996), Statistica Sinica 6, 733-807, for the check. Kish (1965), Survey
    Sampling, section 5.4. Albert and Dodd (2004), Biometrics 60, 427-435.

    Examples
    --------
    >>> import numpy as np
    >>> a = Annotations.from_wide([[1] * 5, [0] * 5] * 20)  # always of one mind, right or wrong
    >>> found = check(a, np.full(2, 0.5), np.tile([[0.8, 0.2], [0.2, 0.8]], (5, 1, 1)))
    >>> round(found.correlation, 2), found.is_alarming
    (0.25, True)
    """
    annotations = as_annotations(annotations, "dependence.check")
    if replicates < 2:
        raise ValueError(f"dependence.check: replicates must be at least 2, got {replicates}.")
    view = annotations.by_item
    offsets, annotator = view.offsets, annotations.annotator[view.order]
    observed = annotations.label[view.order].astype(np.int64)
    per_item = np.diff(offsets)
    per_item = per_item[per_item > 1]
    n_labels = int(per_item.sum())
    rows = np.where(np.isnan(confusion), 1 / annotations.n_categories, confusion)
    share = np.maximum(np.asarray(prevalence, dtype=np.float64), np.finfo(float).tiny)
    product, scale = np.empty(annotations.n_items), np.empty(annotations.n_items)
    log_share, score = np.log(share), np.empty(share.size)
    logs = np.log(np.maximum(rows, np.finfo(float).tiny))
    right = np.diagonal(rows, axis1=1, axis2=2).copy()
    deviation = np.sqrt(np.maximum(right * (1 - right), 0))

    def correlation(label: NDArray[np.int64]) -> float:
        tables = logs, right, deviation
        residual_products(offsets, annotator, label, log_share, *tables, score, product, scale)
        whole = scale.sum()
        return float(product.sum() / whole) if whole > 1e-9 * n_labels else np.nan

    found = correlation(observed)
    if not np.isfinite(found):
        return DependenceCheck(n_labels, np.nan, np.nan, np.nan, float(n_labels))
    rng = np.random.default_rng(rng)
    drawn, null = np.empty_like(observed), []
    for _ in range(replicates):
        draw_labels(rng, offsets, annotator, share, rows, drawn)
        null.append(correlation(drawn))
    spread = float(np.sqrt(np.nanmean(np.square(null)))) if np.isfinite(null).any() else np.nan
    p_value = float(stdtr(replicates, -found / spread)) if spread > 0 else np.nan
    effective = float((per_item / (1 + (per_item - 1) * max(found, 0.0))).sum())
    return DependenceCheck(n_labels, found, spread, p_value, effective)
