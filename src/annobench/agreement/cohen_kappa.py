"""Cohen's kappa: agreement of two annotators beyond what their own margins give by chance."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annobench.annotations import Annotations
from annobench.errors import AnnotationError, DegenerateWarning


@dataclass(frozen=True)
class CohenKappa:
    """Cohen's kappa of two annotators.

    Attributes
    ----------
    estimate : float
        In [-1, 1]; NaN if expected agreement is 1.
    standard_error : float
        Large-sample standard error, >= 0.
    observed_agreement, expected_agreement : float
        In [0, 1].
    n_items : int
        Items with a label of both.
    """

    estimate: float
    standard_error: float
    observed_agreement: float
    expected_agreement: float
    n_items: int


def cohen_kappa(annotations: Annotations) -> CohenKappa:
    """Estimate Cohen's kappa and its large-sample standard error.

    Parameters
    ----------
    annotations : Annotations
        Two annotators who labelled each item at most once; items that lack either
        label are left out.

    Returns
    -------
    CohenKappa
        Estimate, standard error, observed and expected agreement.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, one labelled an item twice, or no item
        has both labels.

    Warns
    -----
    DegenerateWarning
        If expected agreement is 1 (every label the same); the estimate is then NaN.

    References
    ----------
    Cohen (1960); standard error: Fleiss, Cohen and Everitt (1969), Psychological
    Bulletin 72, equation 13.

    Examples
    --------
    >>> table = Annotations.from_contingency([[30, 10], [10, 30]])
    >>> cohen_kappa(table).estimate  # (0.75 - 0.5) / (1 - 0.5)
    0.5
    """
    share = contingency(annotations)
    n_items = int(share.sum())
    if n_items == 0:
        raise AnnotationError(
            "cohen_kappa: no item has a label of both annotators. Choose two that overlap."
        )
    share /= n_items
    row, column = share.sum(axis=1), share.sum(axis=0)
    observed, expected = float(np.trace(share)), float(row @ column)
    if expected >= 1:
        warnings.warn(
            "cohen_kappa: every label is the same, so expected agreement is 1 and the "
            "coefficient is undefined (NaN).",
            DegenerateWarning,
            stacklevel=2,
        )
        return CohenKappa(math.nan, math.nan, observed, expected, n_items)
    kappa = (observed - expected) / (1 - expected)
    weight = np.add.outer(column, row)  # [k, l]: p_.k + p_l.
    agreeing = np.diag(share)
    on_diagonal = float(agreeing @ (1 - np.diag(weight) * (1 - kappa)) ** 2)
    off_diagonal = (1 - kappa) ** 2 * float(((share - np.diag(agreeing)) * weight**2).sum())
    variance = on_diagonal + off_diagonal - (kappa - expected * (1 - kappa)) ** 2
    error = math.sqrt(max(variance, 0.0) / n_items) / (1 - expected)
    return CohenKappa(kappa, error, observed, expected, n_items)


def contingency(annotations: Annotations) -> NDArray[np.float64]:
    """Cross-tabulate the labels of two annotators on the items that both labelled.

    Parameters
    ----------
    annotations : Annotations
        Two annotators.

    Returns
    -------
    ndarray, shape (K, K)
        ``[k, l]``: items labelled k by the first and l by the second.

    Raises
    ------
    AnnotationError
        If there are not exactly two annotators, or one labelled an item twice.
    """
    if annotations.n_annotators != 2:
        raise AnnotationError(
            f"contingency: needs exactly two annotators, got {annotations.n_annotators}. "
            "Choose two with keep_annotators."
        )
    labels = np.full((2, annotations.n_items), -1, dtype=np.int64)
    labels[annotations.annotator, annotations.item] = annotations.label
    if (labels >= 0).sum() < annotations.n_labels:
        raise AnnotationError(
            "contingency: an annotator labelled an item twice. Keep one label of each."
        )
    both = (labels >= 0).all(axis=0)
    k = annotations.n_categories
    flat = np.bincount(labels[0, both] * k + labels[1, both], minlength=k * k)
    return flat.reshape(k, k).astype(np.float64)
