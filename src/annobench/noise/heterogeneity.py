"""Do items differ, or annotators? Fitted models of both, judged by labels that they did not see.

An item is of one of T types; given its type, an annotator gives label k with a probability. The
types are the K categories, or the categories and one more, of hard items. Annotators all have the
probabilities of the type, or each has their own, drawn from a Dirichlet distribution around those
of the type (beta for two categories). Four models follow:

=====================  ===========================================================
"plain"                K types, annotators alike (a mixture of K binomials)
"hard items"           K + 1 types, annotators alike (K + 1 binomials)
"own annotators"       K types, annotators of their own (Dawid and Skene 1979; the annotation
                       model with annotator heterogeneity of Beigman Klebanov and Beigman 2010,
                       Figure 4, when the same annotator labels several items)
"both"                 K + 1 types, annotators of their own
=====================  ===========================================================

Probabilities are found by EM, as the mode of the posterior; how strongly annotators are drawn to
their type is chosen by the labels left out. Each label is left out once, and its probability is
computed from the item's and the annotator's other labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise._votes import Votes

Floats = NDArray[np.float64]

#: Labels that the Dirichlet distribution around a type is worth; the best by what is left out.
_STRENGTHS = (3.0, 10.0, 30.0, 100.0)
#: Labels that each type's own distribution is worth at first: right labels, and others.
_PRIOR = 0.5
_STEPS = 40
MODELS = ("plain", "hard items", "own annotators", "both")


@dataclass(frozen=True, eq=False)
class TypeFit:
    """Types of items, and what annotators make of them.

    Attributes
    ----------
    share : ndarray, shape (T,)
        Of each type among items.
    rate : ndarray, shape (T, K)
        Probability of each label given the type, over all annotators.
    annotator_rate : ndarray, shape (J, T, K)
        Of each annotator; equal to `rate` where annotators are alike.
    posterior : ndarray, shape (I, T)
        Probability of each item's type.
    """

    share: Floats
    rate: Floats
    annotator_rate: Floats
    posterior: Floats


def fit_types(
    annotations: Annotations, *, hard: bool, strength: float | None, steps: int = _STEPS
) -> TypeFit:
    """Fit types of items by EM.

    Parameters
    ----------
    annotations : Annotations
        N labels of J annotators for I items.
    hard : bool
        Whether there is a type beside the categories; it starts from equal probabilities.
    strength : float or None
        Labels that the distribution around a type is worth; None for annotators alike.
    steps : int, default 40
        Of EM.

    Returns
    -------
    TypeFit
        The first K types are the categories.

    Notes
    -----
    Linear in N, K and T for each step.
    """
    item, annotator = annotations.item, annotations.annotator
    n_categories = annotations.n_categories
    votes = annotations.counts + _PRIOR
    shares = votes / votes.sum(axis=1, keepdims=True)
    if hard:
        # Items far from a clear majority start as hard, in part.
        unsure = (1 - shares.max(axis=1, keepdims=True)) * n_categories / (n_categories - 1)
        shares = np.hstack([shares * (1 - unsure), unsure])
    posterior = shares / shares.sum(axis=1, keepdims=True)
    types = posterior.shape[1]
    prior = np.full((types, n_categories), _PRIOR)
    pair = annotator.astype(np.int64) * n_categories + annotations.label
    for _ in range(steps):
        share = posterior.sum(axis=0) + 1
        share /= share.sum()
        counted = (
            np.stack(
                [
                    np.bincount(pair, posterior[item, t], annotations.n_annotators * n_categories)
                    for t in range(types)
                ],
                axis=1,
            )
            .reshape(annotations.n_annotators, n_categories, types)
            .transpose(0, 2, 1)
        )
        rate = counted.sum(axis=0) + prior
        rate /= rate.sum(axis=1, keepdims=True)
        if strength is None:
            own = np.broadcast_to(rate, counted.shape)
        else:
            own = counted + strength * rate
            own = own / own.sum(axis=2, keepdims=True)
        log_label = np.log(own)[annotator, :, annotations.label]
        log_post = np.log(share) + np.stack(
            [np.bincount(item, log_label[:, t], annotations.n_items) for t in range(types)], axis=1
        )
        log_post -= log_post.max(axis=1, keepdims=True)
        posterior = np.exp(log_post)
        posterior /= posterior.sum(axis=1, keepdims=True)
    return TypeFit(share, rate, np.array(own), posterior)


def heterogeneity(
    annotations: Annotations, *, rng: np.random.Generator, folds: int = 5
) -> pd.DataFrame:
    """Compare models in which items, annotators, both or neither differ.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `noise.dichotomise`.
    rng : numpy.random.Generator
        Splits the labels.
    folds : int, default 5
        Parts of the labels, each left out once; at least 2.

    Returns
    -------
    DataFrame
        A row for each of the four models: model, types, own (whether annotators have rates of
        their own), strength (NaN where they have none), score (mean log probability of a label
        left out, in nats), minus_best (the score less the best model's), standard_error (of that
        difference, over items), hard_share (share of the further type, NaN where there is none)
        and hard_rate (its largest probability of a label).

    Raises
    ------
    AnnotationError
        As `noise.certificate`, or if `folds` is no whole number from 2 to the number of labels.

    Notes
    -----
    The strength is chosen by the same labels that it is scored on, one number among many labels.
    """
    Votes.of(annotations, "heterogeneity")
    if not 2 <= folds <= annotations.n_labels or folds != int(folds):
        raise AnnotationError(
            f"heterogeneity: folds must be a whole number from 2 to {annotations.n_labels}, got "
            f"{folds}."
        )
    fold = rng.permutation(annotations.n_labels) % int(folds)
    rows, scores = [], []
    for name, hard, own in zip(MODELS, (False, True, False, True), (False, False, True, True),
                               strict=True):  # fmt: skip
        tried = {
            strength: _left_out(annotations, fold, hard=hard, strength=strength)
            for strength in (_STRENGTHS if own else (None,))
        }
        strength = max(tried, key=lambda s: tried[s].mean())
        scores.append(tried[strength])
        fitted = fit_types(annotations, hard=hard, strength=strength)
        rows.append(
            {
                "model": name,
                "types": fitted.share.size,
                "own": own,
                "strength": np.nan if strength is None else strength,
                "score": scores[-1].mean(),
                "hard_share": fitted.share[-1] if hard else np.nan,
                "hard_rate": fitted.rate[-1].max() if hard else np.nan,
            }
        )
    frame = pd.DataFrame(rows)
    best = scores[int(frame["score"].argmax())]
    frame.insert(5, "minus_best", [float((mine - best).mean()) for mine in scores])
    frame.insert(6, "standard_error", [_error(mine - best, annotations) for mine in scores])
    return frame


def _left_out(
    annotations: Annotations, fold: NDArray[np.int64], *, hard: bool, strength: float | None
) -> Floats:
    """Return the log probability of each label, from a fit to the other folds."""
    score = np.zeros(annotations.n_labels)
    for part in range(fold.max() + 1):
        out = fold == part
        seen = Annotations(
            annotations.item[~out], annotations.annotator[~out], annotations.label[~out],
            annotations.items, annotations.annotators, annotations.categories, annotations.scale,
        )  # fmt: skip
        fitted = fit_types(seen, hard=hard, strength=strength)
        item, annotator = annotations.item[out], annotations.annotator[out]
        given = fitted.annotator_rate[annotator, :, annotations.label[out]]
        score[out] = np.log((fitted.posterior[item] * given).sum(axis=1))
    return score


def _error(difference: Floats, annotations: Annotations) -> float:
    """Return the standard error of a mean over labels, items being the independent parts."""
    centred = difference - difference.mean()
    total = np.bincount(annotations.item, centred, annotations.n_items)
    return float(np.sqrt(total @ total) / difference.size)
