"""Classifiers learned from the labels of several annotators, each of other items.

Where no item has two labels, agreement can't be computed, but features tell what others would have
said: annotators that differ on like items differ in the classifiers trained on them. All here
are built of maximum entropy classifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.core.optional import require
from annobench.core.results import Summarised
from annobench.evaluation.selective import ABSTAIN

__all__ = [
    "AnnotatorClassifier",
    "fit_feature_augmentation",
    "fit_raykar",
    "probabilities",
    "unanimous",
]


def unanimous(answers: NDArray[np.integer]) -> NDArray[np.int64]:
    """Answer where all voters give one answer, and abstain elsewhere.

    Parameters
    ----------
    answers : ndarray of int, shape (V, I)
        Codes of the categories that V voters answer.

    Returns
    -------
    ndarray of int, shape (I,)
        The common answer, or `selective.ABSTAIN`.

    Raises
    ------
    AnnotationError
        If there is no voter.

    References
    ----------
    Reidsma and op den Akker (2008), section 2.2, the voting classifier.

    Examples
    --------
    >>> unanimous(np.array([[0, 1, 2], [0, 1, 1]]))
    array([ 0,  1, -1])
    """
    if not len(answers):
        raise AnnotationError("unanimous: there is no voter. Give the answers of at least one.")
    return np.where((answers == answers[0]).all(axis=0), answers[0], ABSTAIN).astype(np.int64)


def probabilities(model: Any, features: Any, n_categories: int) -> NDArray[np.float64]:
    """Return a classifier's probabilities of all categories, also of those never trained on.

    Parameters
    ----------
    model : fitted scikit-learn classifier
        Its classes are codes of categories in [0, K).
    features : array or sparse matrix, shape (I, F)
        Of the items.
    n_categories : int
        K.

    Returns
    -------
    ndarray, shape (I, K)
        Rows sum to 1; 0 for a category that the training data lacked.
    """
    result = np.zeros((features.shape[0], n_categories))
    result[:, model.classes_] = model.predict_proba(features)
    return result


@dataclass(frozen=True, eq=False)
class AnnotatorClassifier(Summarised):
    """Predictions of what each annotator would label items.

    Attributes
    ----------
    by_annotator : ndarray, shape (J, I, K)
        ``[j, i, k]``: the probability that annotator j gives item i the label k.
    """

    by_annotator: NDArray[np.float64]

    @property
    def soft(self) -> NDArray[np.float64]:
        """Mean over annotators, shape (I, K): the label of one of them taken at random."""
        return np.asarray(self.by_annotator.mean(axis=0))

    def of_annotator(self, annotator: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the probabilities for the annotator of each item, shape (I, K).

        Parameters
        ----------
        annotator : ndarray of int, shape (I,)
            Codes in [0, J).

        Returns
        -------
        ndarray, shape (I, K)
            Rows sum to 1.
        """
        return np.asarray(self.by_annotator[annotator, np.arange(annotator.size)])

    def summary(self) -> pd.DataFrame:
        """Return how often each annotator would give each label.

        Returns
        -------
        DataFrame
            Mean probability over the items; a row for each annotator and a column for each
            category, by their codes.
        """
        table = pd.DataFrame(self.by_annotator.mean(axis=1))
        return table.rename_axis(index="annotator", columns="category")

    def _headline(self) -> str:
        annotators, items, categories = self.by_annotator.shape
        return f"{annotators} annotators, {items:,} items, {categories} categories"


def fit_feature_augmentation(
    features: Any,
    label: NDArray[np.integer],
    annotator: NDArray[np.integer],
    new_features: Any,
    *,
    own_scale: float = 0.5,
) -> AnnotatorClassifier:
    """Learn weights common to all annotators, plus weights of each annotator's own.

    Parameters
    ----------
    features : array or sparse matrix, shape (N, F)
        Of the items labelled, on a common scale.
    label, annotator : ndarray of int, shape (N,)
        Codes in [0, K) and [0, J).
    new_features : array or sparse matrix, shape (I, F)
        Of the items to predict.
    own_scale : float, default 0.5
        Size of the annotators' copies of the features; the smaller, the more an annotator's
        own weights are shrunk to 0.

    Returns
    -------
    AnnotatorClassifier
        Predictions for the new items.

    Raises
    ------
    AnnotationError
        If the arrays differ in length, a code is below 0, or all labels are equal.

    References
    ----------
    Daume (2007), Frustratingly easy domain adaptation, ACL, section 3.
    """
    label, annotator, n_categories, n_annotators = _checked(features, label, annotator)

    def spread(x: Any, who: NDArray[np.integer]) -> Any:
        parts = [sp.diags_array(own_scale * (who == j)) @ x for j in range(n_annotators)]
        return sp.hstack([x, *parts]).tocsr()

    new = sp.csr_matrix(new_features)
    model = _maximum_entropy().fit(spread(sp.csr_matrix(features), annotator), label)
    size = new.shape[0]
    found = [
        probabilities(model, spread(new, np.full(size, j)), n_categories)
        for j in range(n_annotators)
    ]
    return AnnotatorClassifier(np.stack(found))


def fit_raykar(
    features: Any,
    label: NDArray[np.integer],
    annotator: NDArray[np.integer],
    new_features: Any,
    *,
    n_rounds: int = 4,
    prior: float = 50.0,
) -> tuple[AnnotatorClassifier, NDArray[np.float64]]:
    """Learn a classifier of the true category and a confusion matrix an annotator, by EM.

    Parameters
    ----------
    features : array or sparse matrix, shape (N, F)
        Of the items labelled.
    label, annotator : ndarray of int, shape (N,)
        Codes in [0, K) and [0, J); an item with several labels stands there several times and
        its labels are then taken for those of different items.
    new_features : array or sparse matrix, shape (I, F)
        Of the items to predict.
    n_rounds : int, default 4
        Rounds of EM, at least 1.
    prior : float, default 50
        Labels added to the diagonal of each confusion matrix, so that categories keep their
        names.

    Returns
    -------
    tuple of (AnnotatorClassifier, ndarray)
        Predicted labels of the new items, and the probabilities of their true categories,
        shape (I, K).

    Raises
    ------
    AnnotationError
        If the arrays differ in length, a code is below 0, all labels are equal, or a number is
        out of range.

    Notes
    -----
    With one label per item, only what the features expect distinguishes the annotators, and how far
    the classifier or the matrices explain a difference rests on the prior.

    References
    ----------
    Raykar et al. (2010), Learning from crowds, Journal of Machine Learning Research 11, section 2.
    """
    label, annotator, k, n_annotators = _checked(features, label, annotator)
    if n_rounds < 1 or not prior >= 0:
        raise AnnotationError(
            f"fit_raykar: needs a round and a prior of at least 0, got {n_rounds} rounds "
            f"and {prior}."
        )
    x = sp.csr_matrix(features)
    given = np.eye(k)[label]
    truth = 0.9 * given + 0.1 / k
    repeated, category = sp.vstack([x] * k).tocsr(), np.repeat(np.arange(k), label.size)
    model = _maximum_entropy()
    confusion = np.zeros((n_annotators, k, k))
    for _ in range(n_rounds):
        model.fit(repeated, category, sample_weight=truth.T.ravel())
        for j in range(n_annotators):
            counts = truth[annotator == j].T @ given[annotator == j] + prior * np.eye(k) + 1
            confusion[j] = counts / counts.sum(axis=1, keepdims=True)
        truth = probabilities(model, x, k) * confusion[annotator, :, label]
        truth /= truth.sum(axis=1, keepdims=True)
    new = probabilities(model, sp.csr_matrix(new_features), k)
    return AnnotatorClassifier(np.einsum("ik,jkl->jil", new, confusion)), new


def _maximum_entropy() -> Any:
    linear_model = require("sklearn.linear_model", "A maximum entropy classifier")
    return linear_model.LogisticRegression(C=1.0, max_iter=200, tol=1e-3)


def _checked(
    features: Any, label: NDArray[np.integer], annotator: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    """Return labels and annotators as codes, and the numbers of categories and annotators."""
    labels, annotators = (np.asarray(codes, dtype=np.int64) for codes in (label, annotator))
    if not features.shape[0] == labels.size == annotators.size:
        raise AnnotationError(
            f"learning: {features.shape[0]} rows of features, {labels.size} labels and "
            f"{annotators.size} annotators. Give each label all three."
        )
    if np.unique(labels).size < 2:
        raise AnnotationError("learning: there are not two different labels. Give more labels.")
    if min(labels.min(), annotators.min()) < 0:
        raise AnnotationError("learning: a code is below 0. Leave out items without a label.")
    return labels, annotators, int(labels.max()) + 1, int(annotators.max()) + 1
