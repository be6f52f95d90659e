"""Heterogeneity of items and of annotators: four models compared by cross-validation.

An item belongs to one of T components; given the component, an annotator gives label k with a
certain probability. The components are the K categories, or the categories and a component of hard
items. Annotators share the probabilities of the component, or each has individual probabilities
from a Dirichlet distribution around them (beta for two categories). This gives four models:

=====================  ===========================================================
"plain"                K components, homogeneous annotators (a mixture of K binomials)
"hard items"           K + 1 components, homogeneous annotators (K + 1 binomials)
"own annotators"       K components, heterogeneous annotators (Dawid and Skene 1979; the
                       annotation model of Beigman Klebanov and Beigman 2010, Figure 4, when an
                       annotator labels several items)
"both"                 K + 1 components, heterogeneous annotators
=====================  ===========================================================

Probabilities are posterior modes found by EM; the concentration of the Dirichlet distribution is
chosen by cross-validation. Each label is held out once, and predicted from the other labels of the
item and of the annotator.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.noise._votes import Votes

__all__ = ["MODELS", "ComponentFit", "heterogeneity"]

Floats = NDArray[np.float64]

#: Candidate concentrations of the Dirichlet distribution of annotators.
_CONCENTRATIONS = (3.0, 10.0, 30.0, 100.0)
#: Pseudocount of each label in the prior of a component.
_PRIOR = 0.5
_ITERATIONS = 40
MODELS = ("plain", "hard items", "own annotators", "both")


@dataclass(frozen=True, eq=False)
class ComponentFit(Summarised):
    """Components of items, with the label probabilities of annotators.

    Attributes
    ----------
    share : ndarray, shape (T,)
        Share of items in each component.
    rate : ndarray, shape (T, K)
        Probability of each label given the component, over all annotators.
    annotator_rate : ndarray, shape (J, T, K)
        Probability of each label by annotator; equal to `rate` for homogeneous annotators.
    posterior : ndarray, shape (I, T)
        Probability of each component for each item.
    """

    share: Floats
    rate: Floats
    annotator_rate: Floats
    posterior: Floats

    def summary(self) -> pd.DataFrame:
        frame = pd.DataFrame(self.rate).rename_axis("component")
        frame.insert(0, "share", self.share)
        return frame

    def _headline(self) -> str:
        return f"{self.share.size} components of shares {np.round(self.share, 3).tolist()}"


def fit_components(
    annotations: Annotations,
    *,
    hard: bool,
    concentration: float | None,
    iterations: int = _ITERATIONS,
) -> ComponentFit:
    """Fit components of items by EM."""
    item, annotator = annotations.item, annotations.annotator
    n_categories = annotations.n_categories
    votes = annotations.counts + _PRIOR
    shares = votes / votes.sum(axis=1, keepdims=True)
    if hard:
        # Items without a clear majority start partly in the hard component.
        unsure = (1 - shares.max(axis=1, keepdims=True)) * n_categories / (n_categories - 1)
        shares = np.hstack([shares * (1 - unsure), unsure])
    posterior = shares / shares.sum(axis=1, keepdims=True)
    n_components = posterior.shape[1]
    prior = np.full((n_components, n_categories), _PRIOR)
    pair = annotator.astype(np.int64) * n_categories + annotations.label
    for _ in range(iterations):
        share = posterior.sum(axis=0) + 1
        share /= share.sum()
        counted = (
            np.stack(
                [
                    np.bincount(pair, posterior[item, t], annotations.n_annotators * n_categories)
                    for t in range(n_components)
                ],
                axis=1,
            )
            .reshape(annotations.n_annotators, n_categories, n_components)
            .transpose(0, 2, 1)
        )
        rate = counted.sum(axis=0) + prior
        rate /= rate.sum(axis=1, keepdims=True)
        if concentration is None:
            own = np.broadcast_to(rate, counted.shape)
        else:
            own = counted + concentration * rate
            own = own / own.sum(axis=2, keepdims=True)
        log_label = np.log(own)[annotator, :, annotations.label]
        log_post = np.log(share) + np.stack(
            [np.bincount(item, log_label[:, t], annotations.n_items) for t in range(n_components)],
            axis=1,
        )
        log_post -= log_post.max(axis=1, keepdims=True)
        posterior = np.exp(log_post)
        posterior /= posterior.sum(axis=1, keepdims=True)
    return ComponentFit(share, rate, np.array(own), posterior)


def heterogeneity(
    annotations: Annotations, *, rng: int | np.random.Generator | None = None, folds: int = 5
) -> pd.DataFrame:
    """Compare models with heterogeneous items, annotators, both or neither.

    Parameters
    ----------
    annotations : Annotations
        Nominal or ordinal labels; numbers after `noise.dichotomise`.
    rng : int, numpy.random.Generator or None, optional
        Seed or generator of the random folds.
    folds : int, default 5
        Number of folds of the labels, at least 2.

    Returns
    -------
    DataFrame
        A row for each of the four models: model, n_components, own (whether annotators are
        heterogeneous), concentration (NaN if not), score (mean log probability of a held-out label,
        in nats), minus_best (difference from the best model), standard_error (of that difference,
        clustered by item), hard_share (share of the hard component, NaN without one) and hard_rate
        (its largest probability of a label).

    Raises
    ------
    AnnotationError
        As `noise.certificate`, or if `folds` is not a whole number from 2 to the number of labels.

    Notes
    -----
    The concentration is chosen on the held-out labels that give the score, which is slightly
    optimistic.
    """
    annotations = as_annotations(annotations, "heterogeneity")
    Votes.of(annotations, "heterogeneity")
    if not 2 <= folds <= annotations.n_labels or folds != int(folds):
        raise AnnotationError(
            f"heterogeneity: folds must be a whole number from 2 to {annotations.n_labels}, got "
            f"{folds}."
        )
    fold = np.random.default_rng(rng).permutation(annotations.n_labels) % int(folds)
    rows, scores = [], []
    hard_and_own = [(False, False), (True, False), (False, True), (True, True)]
    for name, (hard, own) in zip(MODELS, hard_and_own, strict=True):
        tried = {
            concentration: _held_out_scores(
                annotations, fold, hard=hard, concentration=concentration
            )
            for concentration in (_CONCENTRATIONS if own else (None,))
        }
        concentration = max(tried, key=lambda s: tried[s].mean())
        scores.append(tried[concentration])
        fitted = fit_components(annotations, hard=hard, concentration=concentration)
        rows.append(
            {
                "model": name,
                "n_components": fitted.share.size,
                "own": own,
                "concentration": np.nan if concentration is None else concentration,
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


def _held_out_scores(
    annotations: Annotations, fold: NDArray[np.int64], *, hard: bool, concentration: float | None
) -> Floats:
    """Return the log probability of each label by the fit to the other folds."""
    score = np.zeros(annotations.n_labels)
    for part in range(fold.max() + 1):
        held_out = fold == part
        seen = annotations.select(labels=~held_out)
        fitted = fit_components(seen, hard=hard, concentration=concentration)
        item, annotator = annotations.item[held_out], annotations.annotator[held_out]
        given = fitted.annotator_rate[annotator, :, annotations.label[held_out]]
        score[held_out] = np.log((fitted.posterior[item] * given).sum(axis=1))
    return score


def _error(difference: Floats, annotations: Annotations) -> float:
    """Return the standard error of a mean over labels, clustered by item."""
    centred = difference - difference.mean()
    total = np.bincount(annotations.item, centred, annotations.n_items)
    return float(np.sqrt(total @ total) / difference.size)
