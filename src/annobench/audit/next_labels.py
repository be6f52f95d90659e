"""Items to label next, by the expected information of another label relative to its price.

With q the probabilities of an item's category and C the confusion matrix of an annotator, another
label Y carries I[Z; Y] bits about the category Z, the entropy of q minus the expected entropy that
remains (`annobench.evaluation.information`). C is the average over the present annotators, weighted
by their numbers of labels: the expected number of labels l on items of category k, by the fit's
probabilities, with rows normalised. It requires only probabilities, so any model can be used.

References: Lindley (1956), Annals of Mathematical Statistics 27, 986-1005, for the expected
information of an experiment; Sheng, Provost and Ipeirotis (2008), KDD, for repeated labelling of
uncertain items.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import entr

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.base import Fit

__all__ = ["average_confusion", "expected_information", "next_labels"]

Floats = NDArray[np.float64]

#: Added to every expected number of labels, so that a rare category has a row.
_SMOOTHING: Final = 0.1


def average_confusion(annotations: Annotations, posterior: Floats) -> Floats:
    """Estimate the confusion matrix of an annotator drawn by the number of labels.

    Parameters
    ----------
    annotations : Annotations
        The labels.
    posterior : ndarray, shape (I, K)
        Probabilities of the categories.

    Returns
    -------
    ndarray, shape (K, K)
        ``[k, l]``: probability of the label l given the category k; rows sum to 1.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxyy"), list("abab"), list("0011"))
    >>> average_confusion(a, np.eye(2)).round(3)
    array([[0.955, 0.045],
           [0.045, 0.955]])
    """
    annotations = as_annotations(annotations, "average_confusion")
    k = posterior.shape[1]
    expected = np.full((k, k), _SMOOTHING)
    for label in range(k):
        expected[:, label] += posterior[annotations.item[annotations.label == label]].sum(axis=0)
    return np.asarray(expected / expected.sum(axis=1, keepdims=True))


def expected_information(posterior: Floats, confusion: Floats) -> Floats:
    """Return the expected information of one label about each item, in bits.

    Parameters
    ----------
    posterior : ndarray, shape (I, K)
        Probabilities of the categories.
    confusion : ndarray, shape (K, L)
        Confusion matrix of the annotator.

    Returns
    -------
    ndarray, shape (I,)
        In [0, entropy of the row].

    Examples
    --------
    >>> expected_information(np.array([[0.5, 0.5], [1, 0]]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    array([0.53100441, 0.        ])
    """
    # H[Y] - H[Y | Z], which needs no array of items, categories and labels.
    of_label = entr(posterior @ confusion).sum(axis=1)
    given = posterior @ entr(confusion).sum(axis=1)
    return np.asarray(np.maximum(of_label - given, 0.0) / np.log(2))


def next_labels(annotations: Annotations, fitted: Fit, *, price: float = 1.0) -> pd.DataFrame:
    """Rank items by the expected information of another label.

    Parameters
    ----------
    annotations : Annotations
        The present labels.
    fitted : Fit
        A model's fit to them.
    price : float, default 1.0
        Price of a label, above 0.

    Returns
    -------
    DataFrame
        One row per item, the most informative first: `item`, `n_labels`, `category`, `probability`,
        `information` in bits, `information_per_cost`.

    Raises
    ------
    AnnotationError
        If the price is not above 0.

    Notes
    -----
    O(N + I K^2). An overconfident model underestimates the information on items on which annotators
    err together; further labels by such annotators would not reveal it.
    """
    annotations = as_annotations(annotations, "next_labels")
    if not price > 0:
        raise AnnotationError(f"next_labels: price must be above 0, got {price}.")
    posterior = fitted.posterior
    bits = expected_information(posterior, average_confusion(annotations, posterior))
    table = fitted.items_frame()[["item", "category", "probability"]]
    table.insert(1, "n_labels", np.diff(annotations.by_item.offsets))
    table["information"] = bits
    table["information_per_cost"] = bits / price
    order = np.lexsort((table["n_labels"], -bits))
    return table.iloc[order].reset_index(drop=True)
