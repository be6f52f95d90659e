r"""Sample size for the alternative annotator test, by simulation.

Studies are drawn from a model: categories from the prevalence, humans from a pool with replacement,
labels from their confusion matrices, and the judge's from its own, all independent given the
category. The share of the studies in which the judge passes is the test's power, or, for a judge
that should not pass, its error rate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from annobench.core.errors import AnnotationError
from annobench.judges.alternative_annotators import PASSES_FROM, adjusted_p_values
from annobench.resampling.proportions import proportion_interval

__all__ = ["plan_test"]

Floats = NDArray[np.float64]


def plan_test(
    prevalence: ArrayLike,
    humans: ArrayLike,
    judge: ArrayLike,
    *,
    n_items: Sequence[int] = (50, 100, 200, 400),
    n_humans: Sequence[int] = (3, 5, 10),
    epsilon: float = 0.1,
    fdr: float = 0.05,
    replicates: int = 200,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Simulate the power of the alternative annotator test by the size of the study.

    Parameters
    ----------
    prevalence : array_like, shape (K,)
        Distribution of the category.
    humans : array_like, shape (J, K, K)
        Confusion matrices of the pool; matrices with NaN are left out.
    judge : array_like, shape (K, K)
        Confusion matrix of the judge.
    n_items, n_humans : sequence of int
        Numbers of items and humans, crossed; every human labels every item. At least two of each.
    epsilon, fdr : float
        As in `alternative_annotator_test`.
    replicates : int, default 200
        Studies of each size.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    DataFrame
        One row per size: n_items, n_humans, n_labels (of humans), passes (share of the studies)
        with Wilson's 95% interval (lower, upper), winning_rate (mean).

    Raises
    ------
    AnnotationError
        If no human has a matrix, or a size is too small.

    Notes
    -----
    Scores are shares of equal labels. Humans are drawn from the pool with replacement, as a new
    study has other humans of the same kind.

    Examples
    --------
    >>> good = [[0.9, 0.1], [0.1, 0.9]]
    >>> found = plan_test([0.5, 0.5], [good], good, n_items=[30], n_humans=[3], epsilon=0.3, rng=1)
    >>> bool(found["passes"][0] > 0.9)
    True
    """
    pool = np.asarray(humans, dtype=np.float64)
    pool = pool[np.isfinite(pool).all(axis=(1, 2))]
    if not len(pool) or min(n_items) < 2 or min(n_humans) < 2:
        raise AnnotationError(
            "plan_test: needs the confusion matrix of a human, and sizes of two items and two "
            "humans or more."
        )
    generator = np.random.default_rng(rng)
    chance = np.asarray(prevalence, dtype=np.float64)
    of_judge = np.asarray(judge, dtype=np.float64)
    rows = []
    for people in n_humans:
        for items in n_items:
            winning = [
                _one_study(chance, pool, of_judge, items, people, epsilon, fdr, generator)
                for _ in range(replicates)
            ]
            passed = proportion_interval(int(np.sum(np.array(winning) >= PASSES_FROM)), replicates)
            rows.append(
                {
                    "n_items": items,
                    "n_humans": people,
                    "n_labels": items * people,
                    "passes": passed.estimate,
                    "lower": passed.lower,
                    "upper": passed.upper,
                    "winning_rate": float(np.mean(winning)),
                }
            )
    return pd.DataFrame(rows)


def _one_study(
    prevalence: Floats,
    pool: Floats,
    judge: Floats,
    n_items: int,
    n_humans: int,
    epsilon: float,
    fdr: float,
    rng: np.random.Generator,
) -> float:
    """Draw a study, and return the judge's winning rate."""
    truth = rng.choice(prevalence.size, size=n_items, p=prevalence)
    people = rng.integers(len(pool), size=n_humans)
    labels = _draw(pool[people][:, truth], rng)
    said = _draw(judge[truth], rng)
    votes = (labels[..., None] == np.arange(prevalence.size)).sum(axis=0)
    item = np.arange(n_items)
    of_human = votes[item, labels] - 1
    of_judge = votes[item, said] - (labels == said)
    sign = np.sign(of_human - of_judge).astype(np.float64)
    error = sign.std(axis=1, ddof=1) / np.sqrt(n_items)
    above = sign.mean(axis=1) - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(n_items - 1, above / error)
    p = np.where(error == 0, np.where(above < 0, 0.0, 1.0), p)
    return float((adjusted_p_values(p) <= fdr).mean())


def _draw(chance: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a label from each distribution of the last axis."""
    edges = np.cumsum(chance, axis=-1)
    point = rng.random((*edges.shape[:-1], 1)) * edges[..., -1:]
    return np.asarray((edges <= point).sum(axis=-1))
