"""Merge categories that annotators do not distinguish, and measure gains and losses.

Agreement on a coarser inventory is higher, but that is no evidence for merging: merging any
categories raises the share of equal labels and lowers the information of a label. A merge is
therefore evaluated in three ways: whether the labels distinguish the two categories at all; the
changes in agreement, certainty and information; and the same changes for random merges of the same
sizes.

Two categories are distinguished by their rows in the confusion matrix of all annotators pooled: the
labels of each item, allocated by the posterior of a model of annotation, such as Dawid and Skene's.
The Bhattacharyya distance d of the rows determines the rate at which labels become informative:
after n labels, the probability of confusing the two categories is at most about exp(-n d) / 2, so
that log(1 / (2 e)) / d labels are needed for an error probability of e.

A partition is an array of K codes: categories with the same code are merged. `hierarchy` builds a
`Hierarchy` from partitions, to collapse labels.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from annobench.core.errors import AnnotationError, check_level
from annobench.core.numbers import plain_number
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.hierarchy import Hierarchy
from annobench.resampling.weights import draw_counts

__all__ = [
    "CERTAIN",
    "Evidence",
    "from_pairs",
    "hierarchy",
    "judge_pairs",
    "labels_needed",
    "merge_path",
    "parents",
    "separation",
    "shuffled",
    "supported_partition",
]

Floats = NDArray[np.float64]
Partition = NDArray[np.int64]

#: An item is certain if one category has more than this probability.
CERTAIN: Final = 0.99
#: A category with fewer items, expected or by its labels, is too sparse for a verdict.
MIN_ITEMS: Final = 5.0
Verdict = Literal["merge", "keep", "inconclusive", "sparse"]

#: A lower bound of distances, so that the labels needed stay finite.
_MIN_DISTANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Evidence(Summarised):
    """Counts of labels from which any partition can be evaluated by sums.

    Attributes
    ----------
    categories : tuple of str
        The K categories.
    mergeable : ndarray of bool, shape (K,)
        Whether a category may be merged.
    counts : ndarray, shape (I, K)
        Counts of labels of each item.
    posterior : ndarray, shape (I, K)
        Probability of each category for each item.
    """

    categories: tuple[str, ...]
    mergeable: NDArray[np.bool_]
    counts: Floats
    posterior: Floats

    @classmethod
    def of(
        cls, annotations: Annotations, posterior: ArrayLike, *, apart: Collection[str] = ()
    ) -> Evidence:
        """Count the labels.

        Parameters
        ----------
        annotations : Annotations
            Nominal labels.
        posterior : array_like, shape (I, K)
            Posterior of a model fitted to the labels; rows sum to 1.
        apart : collection of str
            Categories that are never merged, such as "none of the above".

        Returns
        -------
        Evidence
            Evidence from these items.

        Raises
        ------
        AnnotationError
            If the posterior has another shape or is not a distribution, or the labels are sets.
        """
        annotations = as_annotations(annotations, "Evidence.of")
        probability = np.asarray(posterior, dtype=np.float64)
        shape = annotations.n_items, annotations.n_categories
        if annotations.scale == "set":
            raise AnnotationError("Evidence: the labels are sets. Merge their members one by one.")
        rows_are_shares = (probability >= 0).all() and np.allclose(probability.sum(axis=-1), 1)
        if probability.shape != shape or not rows_are_shares:
            raise AnnotationError(
                f"Evidence: the posterior has shape {probability.shape}. Give probabilities of "
                f"shape {shape} whose rows sum to 1, such as those of a fit to the same labels."
            )
        mergeable = np.array([name not in apart for name in annotations.categories])
        counts = annotations.counts.astype(np.float64)
        return cls(annotations.categories, mergeable, counts, probability)

    @property
    def n_items(self) -> int:
        """The number of items I."""
        return len(self.counts)

    @property
    def expected_items(self) -> Floats:
        """The expected number of items of each category, shape (K,)."""
        return np.asarray(self.posterior.sum(axis=0))

    @property
    def sizes(self) -> Floats:
        """The smaller number of items of each category, by posterior or by labels; (K,).

        A model may use a category that annotators hardly chose for something else, such as a second
        group of items of a frequent category.
        """
        m = max(float(self.counts.sum()) / max(1, self.n_items), 1.0)
        return np.asarray(np.minimum(self.expected_items, self.counts.sum(axis=0) / m))

    @property
    def frequent(self) -> NDArray[np.bool_]:
        """Whether a category may be merged and is not sparse, shape (K,)."""
        return np.asarray(self.mergeable & (self.sizes >= MIN_ITEMS))

    def summary(self) -> pd.DataFrame:
        """Return the size of each category.

        Returns
        -------
        DataFrame
            By category: `mergeable`, number of `labels`, and `expected_items`.
        """
        return pd.DataFrame(
            {
                "mergeable": self.mergeable,
                "labels": self.counts.sum(axis=0),
                "expected_items": self.expected_items,
            },
            index=pd.Index(self.categories, name="category"),
        )

    def _headline(self) -> str:
        return (
            f"{self.counts.sum():,.0f} labels of {self.n_items:,} items in "
            f"{len(self.categories)} categories, {int(self.frequent.sum())} of them frequent"
        )

    @cached_property
    def coincidences(self) -> Floats:
        """Pairs of labels of each item by their categories, over m - 1; shape (I, K, K)."""
        m = self.counts.sum(axis=1)
        pairs = self.counts[:, :, None] * self.counts[:, None, :]
        k = np.arange(len(self.categories))
        pairs[:, k, k] -= self.counts
        per_pair = np.where(m > 1, 1 / np.where(m > 1, m - 1, 1), 0.0)
        return np.asarray(per_pair[:, None, None] * pairs)

    @cached_property
    def confusions(self) -> Floats:
        """Labels of each item, allocated to categories by the posterior; shape (I, K, K)."""
        return self.posterior[:, :, None] * self.counts[:, None, :]

    def resampled(self, replicates: int, rng: np.random.Generator) -> Floats:
        """Draw weights of bootstrap samples of the items.

        Parameters
        ----------
        replicates : int
            Number of replicates.
        rng : numpy.random.Generator
            The source of randomness.

        Returns
        -------
        ndarray, shape (replicates, I)
            Multiplicity of each item.
        """
        return draw_counts(self.n_items, replicates, rng)

    def confusion(self, weights: Floats | None = None) -> Floats:
        """Sum the allocated labels over items.

        Parameters
        ----------
        weights : ndarray, shape (B, I), optional
            Weights of the items.

        Returns
        -------
        ndarray, shape (K, K) or (B, K, K)
            ``[k, l]``: labels l of items of category k.
        """
        return _summed(self.confusions, weights)

    def alpha(self, partition: ArrayLike, weights: Floats | None = None) -> Floats:
        """Compute Krippendorff's alpha of the merged labels.

        Parameters
        ----------
        partition : array_like of int, shape (..., K)
            One or several partitions.
        weights : ndarray, shape (B, I), optional
            Weights of the items, for a single partition.

        Returns
        -------
        ndarray
            One value per partition or replicate; NaN if all labels are equal, or no item has two.
        """
        same = same_group(partition)
        pairs = _summed(self.coincidences, weights)
        label = pairs.sum(axis=-1)
        n = label.sum(axis=-1)
        both = (same * label[..., :, None] * label[..., None, :]).sum(axis=(-1, -2))
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = (same * pairs).sum(axis=(-1, -2)) / n
            expected = (both - n) / (n * (n - 1))
            return np.asarray(np.where(expected < 1, 1 - (1 - observed) / (1 - expected), np.nan))

    def certain(self, partition: ArrayLike) -> Floats:
        """Compute the share of items with a certain merged category.

        Parameters
        ----------
        partition : array_like of int, shape (..., K)
            One or several partitions.

        Returns
        -------
        ndarray, shape (...)
            In [0, 1].
        """
        same = same_group(partition).astype(np.float64)
        largest = (self.posterior @ same).max(axis=-1)
        return np.asarray((largest > CERTAIN).mean(axis=-1))

    def information(self, partition: ArrayLike) -> tuple[Floats, Floats]:
        """Compute the information of a merged label and the entropy of the category, in bits.

        Parameters
        ----------
        partition : array_like of int, shape (..., K)
            One or several partitions.

        Returns
        -------
        bits, entropy : ndarray, shape (...)
            Information of a label by the pooled annotators, and entropy of the category.
        """
        same = same_group(partition).astype(np.float64)
        table = self.confusion()
        joint = table / table.sum()
        merged = same @ joint @ same
        category, label = same @ joint.sum(axis=1), same @ joint.sum(axis=0)
        product = category[..., :, None] * label[..., None, :]
        there = (joint > 0) & (product > 0)
        ratio = np.where(there, merged / np.where(there, product, 1), 1.0)
        bits = (joint * np.log2(ratio)).sum(axis=(-1, -2))
        entropy = -(xlogy(joint.sum(axis=1), category) / np.log(2)).sum(axis=-1)
        return np.maximum(bits, 0.0), np.maximum(entropy, 0.0)

    def measures(self, partition: ArrayLike) -> dict[str, Floats]:
        """Compute all measures.

        Parameters
        ----------
        partition : array_like of int, shape (..., K)
            One or several partitions.

        Returns
        -------
        dict of str to ndarray
            alpha, certain, bits and entropy.
        """
        bits, entropy = self.information(partition)
        return {
            "alpha": self.alpha(partition),
            "certain": self.certain(partition),
            "bits": bits,
            "entropy": entropy,
        }


def same_group(partition: ArrayLike) -> NDArray[np.bool_]:
    """Return which categories a partition merges."""
    code = np.asarray(partition)
    return np.asarray(code[..., :, None] == code[..., None, :])


def separation(confusion: ArrayLike) -> Floats:
    """Compute the Bhattacharyya distance between the rows of a confusion matrix.

    Parameters
    ----------
    confusion : array_like, shape (..., K, L)
        Counts or probabilities of labels by category; rows need not sum to 1.

    Returns
    -------
    ndarray, shape (..., K, K)
        ``-log sum_l sqrt(p_kl q_ml)`` at least 0, infinite for rows without a common label; NaN for
        empty rows.

    References
    ----------
    Bhattacharyya (1943), Bulletin of the Calcutta Mathematical Society 35, 99-109.

    Examples
    --------
    >>> separation([[1, 0], [0.5, 0.5]]).round(4)[0].tolist()  # -log sqrt(1/2)
    [0.0, 0.3466]
    """
    counts = np.asarray(confusion, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(counts / counts.sum(axis=-1, keepdims=True))
        distance = -np.log(np.minimum(root @ np.swapaxes(root, -1, -2), 1.0))
    return np.asarray(distance + 0.0)


def labels_needed(distance: ArrayLike, certainty: float = CERTAIN) -> Floats:
    """Compute the number of labels that distinguish two equally frequent categories.

    Parameters
    ----------
    distance : array_like
        Bhattacharyya distances.
    certainty : float, default 0.99
        In (0.5, 1).

    Returns
    -------
    ndarray
        ``log(1 / (2 (1 - certainty))) / distance``: sufficient by Bhattacharyya's bound.

    Raises
    ------
    AnnotationError
        If the certainty is out of range.

    Examples
    --------
    >>> round(float(labels_needed(0.3466)), 2)
    11.29
    """
    if not 0.5 < certainty < 1:
        raise AnnotationError(f"labels_needed: certainty is {certainty}. Give one above 1/2.")
    nats = -np.log(2 * (1 - certainty))
    return np.asarray(nats / np.maximum(np.asarray(distance, dtype=np.float64), _MIN_DISTANCE))


def judge_pairs(
    evidence: Evidence,
    n_labels: float,
    *,
    level: float = 0.95,
    replicates: int = 200,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Decide for each pair of categories whether to merge or keep them.

    Parameters
    ----------
    evidence : Evidence
        The labels.
    n_labels : float
        Number of labels per item. Two categories are merged if more are needed to distinguish them,
        and kept if fewer suffice.
    level : float, default 0.95
        Level of the interval of the labels needed, in (0, 1).
    replicates : int, default 200
        Bootstrap samples of items.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    DataFrame
        first, second, items_first, items_second (`Evidence.sizes`), labels_needed, lower, upper,
        and verdict: "merge" if the whole interval lies above `n_labels`, "keep" if below,
        "inconclusive" otherwise; "sparse" if one has fewer than `MIN_ITEMS` items.

    Raises
    ------
    AnnotationError
        If the level is not in (0, 1), or there are no replicates.

    Notes
    -----
    The posterior is computed from the same labels, which sharpens the rows and underestimates the
    labels needed. The verdict "merge" is thus conservative.
    """
    _check("judge_pairs", level, replicates)
    boot = separation(evidence.confusion(evidence.resampled(replicates, rng)))
    needed = labels_needed(separation(evidence.confusion()))
    tail = (1 - level) / 2
    lower, upper = np.nanquantile(labels_needed(boot), [tail, 1 - tail], axis=0)
    items = evidence.sizes
    rows = []
    places = np.flatnonzero(evidence.mergeable)
    for n, k in enumerate(places):
        for other in places[n + 1 :]:
            verdict: Verdict = "inconclusive"
            if min(items[k], items[other]) < MIN_ITEMS:
                verdict = "sparse"
            elif lower[k, other] > n_labels:
                verdict = "merge"
            elif upper[k, other] < n_labels:
                verdict = "keep"
            rows.append(
                (
                    evidence.categories[k],
                    evidence.categories[other],
                    items[k],
                    items[other],
                    needed[k, other],
                    lower[k, other],
                    upper[k, other],
                    verdict,
                )
            )
    columns = [
        "first",
        "second",
        "items_first",
        "items_second",
        "labels_needed",
        "lower",
        "upper",
        "verdict",
    ]
    return pd.DataFrame(rows, columns=columns)


def merge_path(evidence: Evidence) -> NDArray[np.int64]:
    """Merge the two closest groups, step by step.

    Parameters
    ----------
    evidence : Evidence
        The labels.

    Returns
    -------
    ndarray of int, shape (S, K)
        The partitions, from no merge to a single group of all mergeable categories that are not
        sparse; each has one group fewer than the previous.

    Notes
    -----
    Rows and labels are merged at each step, so a merge changes all other distances. Sparse
    categories (`MIN_ITEMS`) are not merged. Ties are broken by order.
    """
    code = np.arange(len(evidence.categories))
    table = evidence.confusion()
    frequent = evidence.frequent
    path = [code.copy()]
    while True:
        groups = np.unique(code[frequent])
        if groups.size < 2:
            return np.array(path)
        distance = separation(_collapsed(table, code)[np.ix_(groups, np.unique(code))])
        distance[np.tril_indices(groups.size)] = np.inf
        # Distances of groups that share no label are all infinite; the first pair is as good.
        first, second = divmod(int(np.nanargmin(distance)), groups.size)
        if first == second:
            second = 1
        code[code == groups[second]] = groups[first]
        path.append(code.copy())


def supported_partition(
    evidence: Evidence,
    n_labels: float,
    *,
    level: float = 0.95,
    replicates: int = 200,
    rng: np.random.Generator,
) -> Partition:
    """Merge as long as the labels support it.

    Parameters
    ----------
    evidence : Evidence
        The labels.
    n_labels : float
        Number of labels per item.
    level : float, default 0.95
        Level of the interval of the labels needed.
    replicates : int, default 200
        Bootstrap samples of items.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray of int, shape (K,)
        The last partition of `merge_path` all of whose merges are supported: the lower limit of
        the labels needed to distinguish the two groups is above `n_labels`.

    Raises
    ------
    AnnotationError
        As in `judge_pairs`.
    """
    _check("supported_partition", level, replicates)
    boot = evidence.confusion(evidence.resampled(replicates, rng))
    path = merge_path(evidence)
    tail = (1 - level) / 2
    for before, after in itertools.pairwise(path):
        moved = int(np.flatnonzero(before != after)[0])
        ends = np.unique(before), before[moved], after[moved]
        rows = np.searchsorted(ends[0], ends[1:])
        merged = _collapsed(boot, before)[:, ends[0]][:, :, ends[0]][:, rows]
        needed = labels_needed(separation(merged)[:, 0, 1])
        if not np.nanquantile(needed, tail) > n_labels:
            return np.asarray(before)
    return np.asarray(path[-1])


def shuffled(
    partition: ArrayLike, mergeable: ArrayLike, n: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw random partitions with the same group sizes.

    Parameters
    ----------
    partition : array_like of int, shape (K,)
        The partition that defines the group sizes.
    mergeable : array_like of bool, shape (K,)
        Whether a category is permuted; the others are fixed.
    n : int
        Number of replicates.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray of int, shape (n, K)
        Partitions.
    """
    code = np.asarray(partition, dtype=np.int64)
    free = np.flatnonzero(mergeable)
    result = np.tile(code, (n, 1))
    for row in result:
        row[free] = code[rng.permutation(free)]
    return result


def from_pairs(categories: Iterable[str], pairs: Iterable[tuple[str, str]]) -> Partition:
    """Merge the categories of pairs, transitively.

    Parameters
    ----------
    categories : iterable of str
        All K categories.
    pairs : iterable of (str, str)
        Pairs to merge; if a is merged with b and b with c, all three are.

    Returns
    -------
    ndarray of int, shape (K,)
        The partition.

    Raises
    ------
    AnnotationError
        If a pair names no category.

    Examples
    --------
    >>> from_pairs("abcd", [("a", "c"), ("c", "d")]).tolist()
    [0, 1, 0, 0]
    """
    place = {name: k for k, name in enumerate(map(plain_number, categories))}
    code = np.arange(len(place))
    for pair in (tuple(map(plain_number, each)) for each in pairs):
        lost = [name for name in pair if name not in place]
        if lost:
            raise AnnotationError(
                f"from_pairs: {lost[0]!r} is not a category. Known: {list(place)}."
            )
        first, second = sorted(int(code[place[name]]) for name in pair)
        code[code == second] = first
    return code


def parents(partition: ArrayLike, categories: Iterable[str]) -> dict[str, str]:
    """Name the groups of a partition by their members.

    Parameters
    ----------
    partition : array_like of int, shape (K,)
        Codes.
    categories : iterable of str
        Names of the categories.

    Returns
    -------
    dict of str to str
        The group of each category, such as "1+3", to use with `Annotations.recode`.

    Raises
    ------
    AnnotationError
        If there is not one code per category, or two groups would have the same name, as with the
        categories "a", "b" and "a+b".

    Examples
    --------
    >>> parents([0, 1, 0], ["1", "2", "3"])
    {'1': '1+3', '2': '2', '3': '1+3'}
    """
    names = list(categories)
    if np.shape(partition) != (len(names),):
        raise AnnotationError(
            f"parents: a partition of shape {np.shape(partition)} for {len(names)} categories. "
            "Give one code per category."
        )
    members: dict[int, list[str]] = {}
    for name, code in zip(names, np.asarray(partition).tolist(), strict=True):
        members.setdefault(code, []).append(name)
    if len({"+".join(group) for group in members.values()}) < len(members):
        raise AnnotationError(
            f"parents: of {', '.join(map(repr, names[:10]))} two groups would have the same name. "
            "Rename categories with a + in their names."
        )
    title = {name: "+".join(group) for group in members.values() for name in group}
    return {name: title[name] for name in names}


def hierarchy(partitions: Mapping[str, ArrayLike], categories: Iterable[str]) -> Hierarchy:
    """Build a hierarchy from named partitions.

    Parameters
    ----------
    partitions : mapping of str to array_like of int, shape (K,)
        The levels.
    categories : iterable of str
        Names of the categories.

    Returns
    -------
    Hierarchy
        A hierarchy with one level per partition.

    Examples
    --------
    >>> hierarchy({"two": [0, 0, 1]}, ["1", "2", "3"]).parents("two")
    ('1+2', '3')
    """
    names = list(categories)
    return Hierarchy({level: parents(codes, names) for level, codes in partitions.items()})


def _check(caller: str, level: float, replicates: int) -> None:
    """Reject invalid options of a bootstrap interval."""
    check_level(level, caller)
    if replicates < 1:
        raise AnnotationError(f"{caller}: replicates must be at least 1, got {replicates}.")


def _summed(tables: Floats, weights: Floats | None) -> Floats:
    """Sum tables over items, once per row of weights."""
    if weights is None:
        return np.asarray(tables.sum(axis=0))
    flat = weights @ tables.reshape(len(tables), -1)
    return np.asarray(flat.reshape(len(weights), *tables.shape[1:]))


def _collapsed(table: Floats, partition: NDArray[Any]) -> Floats:
    """Sum rows and columns at the index of their group's code; other entries are 0."""
    k = table.shape[-1]
    to = np.zeros((k, k))
    to[np.arange(k), partition] = 1.0
    return np.asarray(to.T @ table @ to)
