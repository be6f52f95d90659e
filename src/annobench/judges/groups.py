r"""Agreement of a judge with gold by group, such as for each system that it grades.

A benchmark reports a judge's agreement as the mean over the systems whose answers it judges, and
also asks whether its scores rank the systems as humans do. In each group the judge's labels and
gold form a table of two annotators; with observed agreement :math:`p_o`

.. math:: \pi = \frac{p_o - \sum_k \bar p_k^2}{1 - \sum_k \bar p_k^2}, \qquad
          \kappa = \frac{p_o - \sum_k p_k q_k}{1 - \sum_k p_k q_k},

where :math:`p_k` and :math:`q_k` are the shares of category k in judge and gold, and :math:`\bar
p_k` is their mean (Scott 1955; Cohen 1960). They differ if the shares do: Scott's pi penalises such
bias, Cohen's kappa does not. The *score* of a group is the share of a category, such as of correct
answers.

Systems that answer the same questions are not independent, and neither are the groups. The
bootstrap therefore draws clusters, such as questions, jointly for all groups.

Scott (1955). Reliability of content analysis. Public Opinion Quarterly 19, 321-325. Cohen (1960). A
coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 37-46.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.judges.clusters import cluster_codes
from annobench.judges.panel import NO_LABEL
from annobench.resampling.clusters import cluster_draws
from annobench.resampling.intervals import Interval, percentile_interval
from annobench.resampling.ratios import ratio

__all__ = ["MEASURES", "GroupedAgreement", "agreement_by_group", "bias_of_errors"]

Floats = NDArray[np.float64]

#: What is measured in each group.
MEASURES = ("agreement", "scott_pi", "cohen_kappa", "score_difference")


@dataclass(frozen=True, eq=False)
class GroupedAgreement(Summarised):
    """Agreement of a judge with gold in each group, and its mean.

    Attributes
    ----------
    groups : tuple
        Names of the G groups, in the order of appearance.
    counts : ndarray of shape (C, G, K, K)
        ``[c, g, k, l]``: items of cluster c and group g with gold k that the judge labels l.
    category : int
        Code of the category whose share is the score.
    """

    groups: tuple[object, ...]
    counts: NDArray[np.int64]
    category: int

    @property
    def by_group(self) -> pd.DataFrame:
        """One row per group: n_items, the `MEASURES`, and both scores."""
        total = self.counts.sum(axis=0)
        scores = {name: _score(total, axis, self.category) for name, axis in _SIDES.items()}
        columns: dict[str, object] = {"group": self.groups, "n_items": total.sum(axis=(1, 2))}
        return pd.DataFrame(columns | _measures(total, self.category) | scores)

    def mean(self, measure: str) -> float:
        """Return the mean over groups in which the measure is defined.

        Parameters
        ----------
        measure : str
            Of `MEASURES`.

        Returns
        -------
        float
            The mean.
        """
        return float(np.nanmean(_measures(self.counts.sum(axis=0), self.category)[measure]))

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the groups' scores by the judge and by gold."""
        return float(_spearman(self.counts.sum(axis=0)[None], self.category)[0])

    def bootstrap(
        self,
        *,
        replicates: int = 1_000,
        level: float = 0.95,
        rng: np.random.Generator | int | None = None,
    ) -> dict[str, Interval]:
        """Resample clusters jointly for all groups.

        Parameters
        ----------
        replicates : int, default 1000
            Number of replicates.
        level : float, default 0.95
            Level of the intervals.
        rng : numpy.random.Generator or int, optional
            Source of randomness, or a seed.

        Returns
        -------
        dict of str to Interval
            Intervals for the mean of each of `MEASURES`, and for "rank_correlation".
        """
        n_clusters = self.counts.shape[0]
        draws = cluster_draws(n_clusters, replicates, rng=np.random.default_rng(rng))
        drawn = np.tensordot(draws, self.counts.astype(np.float64), axes=1)
        samples = {
            name: np.nanmean(values, axis=1)
            for name, values in _measures(drawn, self.category).items()
        }
        estimates = {name: self.mean(name) for name in MEASURES}
        samples["rank_correlation"] = _spearman(drawn, self.category)
        estimates["rank_correlation"] = self.rank_correlation
        return {
            name: percentile_interval(estimates[name], values[~np.isnan(values)], level)
            for name, values in samples.items()
        }

    def summary(self) -> pd.DataFrame:
        """Return the table by group.

        Returns
        -------
        DataFrame
            As `by_group`.
        """
        return self.by_group

    def _headline(self) -> str:
        return (
            f"mean agreement {self.mean('agreement'):.3g}, Scott's pi {self.mean('scott_pi'):.3g} "
            f"over {len(self.groups)} groups; rank correlation {self.rank_correlation:.3g}"
        )


def agreement_by_group(
    judge: ArrayLike,
    gold: ArrayLike,
    groups: ArrayLike,
    n_categories: int,
    *,
    category: int = -1,
    clusters: ArrayLike | None = None,
) -> GroupedAgreement:
    """Compare a judge with gold in each group.

    Parameters
    ----------
    judge, gold : array_like of int, shape (I,)
        Codes of categories, -1 for none; items without one of them are left out.
    groups : array_like, shape (I,)
        Group of each item, such as the system that is judged.
    n_categories : int
        Number of categories K.
    category : int, default -1
        Code of the category whose share is a group's score; by default the last.
    clusters : array_like, shape (I,), optional
        Cluster of each item for the bootstrap, such as its question; by default each item is one.

    Returns
    -------
    GroupedAgreement
        Measures by group, their means, rank correlation and bootstrap.

    Raises
    ------
    AnnotationError
        If lengths differ, or no item has both.

    Examples
    --------
    >>> found = agreement_by_group([1, 1, 0, 0], [1, 0, 0, 0], ["a", "a", "b", "b"], 2)
    >>> found.by_group["agreement"].tolist()
    [0.5, 1.0]
    """
    labels, truth, names = np.asarray(judge), np.asarray(gold), np.asarray(groups)
    if not labels.shape == truth.shape == names.shape:
        raise AnnotationError(
            f"agreement_by_group: {labels.size} labels of the judge, {truth.size} gold categories "
            f"and {names.size} groups. Give one of each per item, -1 for no label."
        )
    kept = (labels != NO_LABEL) & (truth >= 0)
    if not kept.any():
        raise AnnotationError(
            "agreement_by_group: no item has a gold category and a label of the judge. Give gold "
            "categories of items that it labelled."
        )
    group, known = pd.factorize(names)
    cluster = cluster_codes(clusters, labels.size)
    cluster = np.arange(labels.size) if cluster is None else cluster
    cluster = pd.factorize(cluster[kept])[0]
    shape = (int(cluster.max()) + 1, len(known), n_categories, n_categories)
    place = np.ravel_multi_index((cluster, group[kept], truth[kept], labels[kept]), shape)
    counts = np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)
    return GroupedAgreement(tuple(known.tolist()), counts, category % n_categories)


def bias_of_errors(sensitivity: ArrayLike, specificity: ArrayLike) -> Floats:
    """Return the share of positive labels among a judge's guesses.

    Assume that a judge knows the category with a probability that does not depend on it, and
    guesses otherwise. It then knows with probability sensitivity + specificity - 1 (Youden's
    index), and guesses "positive" with probability (1 - specificity) / (2 - sensitivity -
    specificity).

    Parameters
    ----------
    sensitivity, specificity : array_like of float
        In [0, 1].

    Returns
    -------
    ndarray
        In [0, 1]: 1/2 for unbiased guesses, more for a lenient judge; NaN for one without errors.

    References
    ----------
    Thakur et al. (2024), Appendix O.

    Examples
    --------
    >>> bias_of_errors([0.95, 0.9], [0.85, 0.9]).round(2)
    array([0.75, 0.5 ])
    """
    missed = 1 - np.asarray(sensitivity, dtype=np.float64)
    invented = 1 - np.asarray(specificity, dtype=np.float64)
    return ratio(invented, missed + invented)


#: Axes of the last two that are summed over for the marginal distribution of each side.
_SIDES = {"gold_score": -1, "judge_score": -2}


def _measures(counts: NDArray[np.generic], category: int) -> dict[str, Floats]:
    total = counts.sum(axis=(-2, -1))
    observed = ratio(np.trace(counts, axis1=-2, axis2=-1), total)
    shares = [ratio(counts.sum(axis=axis), total[..., None]) for axis in _SIDES.values()]
    product = (shares[0] * shares[1]).sum(axis=-1)
    square = (((shares[0] + shares[1]) / 2) ** 2).sum(axis=-1)
    gold, judge = (_score(counts, axis, category) for axis in _SIDES.values())
    return {
        "agreement": observed,
        "scott_pi": ratio(observed - square, 1 - square),
        "cohen_kappa": ratio(observed - product, 1 - product),
        "score_difference": judge - gold,
    }


def _score(counts: NDArray[np.generic], axis: int, category: int) -> Floats:
    total = counts.sum(axis=(-2, -1))
    return ratio(counts.sum(axis=axis)[..., category], total)


def _spearman(counts: NDArray[np.generic], category: int) -> Floats:
    """Correlate mid-ranks of the groups' scores in each sample."""
    ranks = []
    for axis in _SIDES.values():
        score = _score(counts, axis, category)
        ranks.append(np.sign(score[:, :, None] - score[:, None, :]).sum(axis=2))
    judge, gold = ranks
    squares = (judge**2).sum(axis=1) * (gold**2).sum(axis=1)
    return ratio((judge * gold).sum(axis=1), np.sqrt(squares))
