r"""The alternative annotator test: whether a judge is as good a member of a panel as its humans.

Leave human j out. On an item that j and another human labelled, the score of a label is its
agreement with those of the *other* humans: the share of them that are equal ("accuracy"),
or minus the root mean square of the differences ("rmse"). Judge and human are compared::

    W_judge = 1 if the judge's score is at least that of j, else 0
    W_human = 1 if the score of j is at least the judge's,  else 0

A one-sided t test over items, of E[W_human - W_judge] < epsilon, shows whether the judge is at most
epsilon worse than j; epsilon is the loss that is acceptable because a judge costs less. The
procedure of Benjamini and Yekutieli controls the false discovery rate of the J tests. The *winning
rate* is the share of humans for whom the test rejects, and the judge passes if it is at least one
half. The *advantage probability* is the mean over humans of the mean of W_judge.

Scores are compared within items, and only the sign of the difference counts:
W_human - W_judge is 1, 0 or -1. Ties are common, and count in favour of the judge.

If several items belong to the same text, pass `clusters`: the tests then use sums over texts, with
degrees of freedom equal to the number of texts minus one. Without clusters this is the published
test.

Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge, ACL,
16051-16081; Benjamini and Yekutieli (2001), Annals of Statistics 29, 1165-1188.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import stdtr

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, axes_or_new
from annobench.core.texts import plain
from annobench.judges.panel import NO_LABEL
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.intervals import TOLERANCE, Interval, percentile_interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import check_replicates, chunk_sizes, weighted_sum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AlternativeAnnotatorTest",
    "Score",
    "TestReplicates",
    "adjusted_p_values",
    "alternative_annotator_test",
]

Floats = NDArray[np.float64]
#: How alike two categories are, by their codes, for arrays of pairs; larger is better.
Similarity = Callable[[NDArray[Any], NDArray[Any]], Floats]
Score = Literal["accuracy", "rmse"]

#: Fewer items of a human make no t test, says the paper.
MIN_ITEMS: Final = 30
#: The winning rate from which a judge passes.
PASSES_FROM: Final = 0.5
#: What is kept of each cluster and human: items, sum of differences, its square, their product,
#: the square of the items, one, and the items on which the judge is as good.
N_SUMS: Final = 7


@dataclass(frozen=True, eq=False)
class AlternativeAnnotatorTest(Summarised):
    """The test of one judge.

    Attributes
    ----------
    annotators : tuple of str
        The H humans against whom it was tested.
    n_items : ndarray of int, shape (H,)
        Number of each human's items that another human labelled, too.
    difference : ndarray, shape (H,)
        Mean of W_human - W_judge, in [-1, 1]; below 0 the judge is better.
    standard_error : ndarray, shape (H,)
        Of the difference.
    advantage : ndarray, shape (H,)
        Share of the items on which the judge is at least as good as the human.
    p_value : ndarray, shape (H,)
        P-value of the hypothesis that the difference is at least epsilon.
    rejected : ndarray of bool, shape (H,)
        Whether the judge wins against each human.
    epsilon : float
        The margin by which humans may outperform the judge.
    fdr : float
        False discovery rate of the tests, in (0, 1).
    left_out : tuple of str
        Humans with too few items.
    sums : csr_array, shape (C, 7 H)
        Contribution of each cluster to the statistics of each human.
    """

    annotators: tuple[str, ...]
    n_items: NDArray[np.int64]
    difference: Floats
    standard_error: Floats
    advantage: Floats
    p_value: Floats
    rejected: NDArray[np.bool_]
    epsilon: float
    fdr: float
    left_out: tuple[str, ...]
    sums: sparse.csr_array

    @property
    def winning_rate(self) -> float:
        """Share of the humans against whom the judge wins."""
        return float(self.rejected.mean())

    @property
    def advantage_probability(self) -> float:
        """Mean over humans of the share of items on which the judge is at least as good."""
        return float(self.advantage.mean())

    @property
    def passes(self) -> bool:
        """Whether the winning rate is at least one half."""
        return self.winning_rate >= PASSES_FROM

    @cached_property
    def passing_epsilon(self) -> float:
        """The smallest epsilon with which the judge passes, in steps of 0.001, in [-1, 1.001].

        Below 0 the judge is better than half of the humans; above 1 it never passes.
        """
        grid = np.arange(-1000, 1002) / 1000
        low, high = 0, grid.size - 1
        while low < high:
            middle = (low + high) // 2
            if self.winning_rates(grid[middle]) >= PASSES_FROM:
                high = middle
            else:
                low = middle + 1
        return float(grid[low])

    def winning_rates(self, epsilon: ArrayLike) -> Floats:
        """Return the winning rate for other values of epsilon.

        Parameters
        ----------
        epsilon : array_like, shape (...)
            In [-1, 1].

        Returns
        -------
        ndarray, shape (...)
            Non-decreasing in epsilon.
        """
        found = _tests(_total(self.sums), np.asarray(epsilon, dtype=np.float64)[..., None])
        return np.asarray(_rejected(found.p_value, self.fdr).mean(axis=-1))

    def summary(self) -> pd.DataFrame:
        """Return the results for each human.

        Returns
        -------
        DataFrame
            One row per human: annotator, n_items, difference, standard_error, advantage, p_value,
            rejected.
        """
        names = ("n_items", "difference", "standard_error", "advantage", "p_value", "rejected")
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame({"annotator": list(self.annotators), **columns})

    def _headline(self) -> str:
        verdict = "passes" if self.passes else "does not pass"
        return (
            f"{verdict} with epsilon {self.epsilon:g}: winning rate {self.winning_rate:.3g} "
            f"({int(self.rejected.sum())} of {len(self.annotators)} humans), advantage "
            f"probability {self.advantage_probability:.3g}"
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the difference from each human with its one-sided limit, and epsilon.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        axes = axes_or_new(axes)
        y = np.arange(len(self.annotators))
        for wins, marker, name in ((True, "o", "the judge wins"), (False, "x", "it does not")):
            own = self.rejected == wins
            axes.errorbar(
                self.difference[own],
                y[own],
                xerr=1.96 * self.standard_error[own],
                fmt=marker,
                color="#222222",
                label=name,
            )
        axes.axvline(self.epsilon, linestyle="--", color="#D55E00", label="epsilon")
        axes.set_yticks(y, [plain(name) for name in self.annotators])
        axes.invert_yaxis()
        axes.set(xlabel="human minus judge: mean of W_human − W_judge")
        axes.legend(loc="best")
        return axes

    def bootstrap(
        self,
        *,
        replicates: int = 1_000,
        rng: np.random.Generator | int | None = None,
        n_clusters: int | None = None,
    ) -> TestReplicates:
        """Repeat the test on bootstrap samples of the items.

        Parameters
        ----------
        replicates : int, default 1000
            Number of replicates.
        rng : numpy.random.Generator or int, optional
            Source of randomness, or a seed.
        n_clusters : int, optional
            Number of clusters (or items) drawn; by default as many as there are. Other numbers
            simulate a smaller or larger study.

        Returns
        -------
        TestReplicates
            The winning rate and advantage probability of each replicate.

        Raises
        ------
        AnnotationError
            If there is no replicate or no cluster.

        Notes
        -----
        The humans are fixed. Whole clusters are drawn with replacement.
        """
        check_replicates(replicates)
        generator = np.random.default_rng(rng)
        held = self.sums.shape[0]
        size = held if n_clusters is None else n_clusters
        if size < 1:
            raise AnnotationError(f"bootstrap: n_clusters must be at least 1, got {size}.")
        winning, advantage = [], []
        for n in chunk_sizes(replicates, held):
            weights = generator.multinomial(size, np.full(held, 1 / held), size=n)
            found = _tests(weighted_sum(self.sums, weights), self.epsilon)
            winning.append(_rejected(found.p_value, self.fdr).mean(axis=1))
            advantage.append(np.nanmean(found.advantage, axis=1))
        return TestReplicates(
            self.winning_rate,
            self.advantage_probability,
            np.concatenate(winning),
            np.concatenate(advantage),
        )


@dataclass(frozen=True, eq=False)
class TestReplicates(Summarised):
    """A test repeated on resampled items.

    Attributes
    ----------
    winning_rate, advantage_probability : float
        Values of the original test.
    winning_rates, advantage_probabilities : ndarray, shape (R,)
        Values in each replicate.
    """

    __test__ = False  # not a class of tests

    winning_rate: float
    advantage_probability: float
    winning_rates: Floats
    advantage_probabilities: Floats

    @property
    def passes(self) -> float:
        """Share of the replicates in which the judge passes."""
        return float((self.winning_rates >= PASSES_FROM).mean())

    def interval(
        self, what: Literal["winning_rate", "advantage_probability"], level: float = 0.95
    ) -> Interval:
        """Return a percentile interval.

        Parameters
        ----------
        what : {"winning_rate", "advantage_probability"}
            The quantity.
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        Interval
            Of the kind "percentile".
        """
        draws = self.winning_rates if what == "winning_rate" else self.advantage_probabilities
        return percentile_interval(getattr(self, what), draws, level)

    def summary(self) -> pd.DataFrame:
        """Return both with their 95% intervals.

        Returns
        -------
        DataFrame
            Two rows: estimate, lower, upper; index the quantity.
        """
        rows = {}
        for what in ("winning_rate", "advantage_probability"):
            found = self.interval(what)
            rows[what] = {"estimate": found.estimate, "lower": found.lower, "upper": found.upper}
        return pd.DataFrame(rows).T

    def _headline(self) -> str:
        return f"passes in {self.passes:.0%} of {self.winning_rates.size:,} replicates"


def alternative_annotator_test(
    humans: Annotations,
    judge: ArrayLike,
    *,
    epsilon: float = 0.1,
    score: Score | Similarity = "accuracy",
    clusters: ArrayLike | None = None,
    min_items: int = MIN_ITEMS,
    fdr: float = 0.05,
) -> AlternativeAnnotatorTest:
    """Test whether a judge is as good a member of the panel as its humans.

    Parameters
    ----------
    humans : Annotations
        Labels of the humans only. Only the first label of an item by an annotator is used.
    judge : array_like of int, shape (I,)
        The judge's label of each item, a code of `humans.categories`, or -1 for none; as returned
        by `split_judges`.
    epsilon : float, default 0.1
        The margin by which humans may outperform the judge, in [-1, 1]. The paper suggests .1 for
        crowd workers, .15 for trained annotators, and .2 for experts.
    score : {"accuracy", "rmse"} or callable, default "accuracy"
        Agreement of a label with the others: share of equal labels, minus the root mean square of
        the differences (for numeric categories), or the mean of a function that takes two arrays of
        codes and returns the similarity of each pair.
    clusters : array_like, shape (I,), optional
        Cluster of each item, such as its text; by default items are independent.
    min_items : int, default 30
        Humans with fewer items are left out.
    fdr : float, default 0.05
        False discovery rate of the tests, in (0, 1).

    Returns
    -------
    AlternativeAnnotatorTest
        Results for each human, and overall.

    Raises
    ------
    AnnotationError
        If the judge's labels are not one code per item, epsilon or the rate is out of range, or no
        human has enough items that another human and the judge labelled.

    Notes
    -----
    A judge that passes agrees with the humans about as often as they agree with each other. It may
    still be uninformative: if one category dominates, a judge that always gives it passes, too.
    Compare it with such a judge (`annobench.judges.baselines`), and look at its sensitivity and
    specificity.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 100)
    >>> wide = pd.DataFrame({j: truth ^ (rng.random(100) < 0.2) for j in "abc"}).astype(str)
    >>> humans = Annotations.from_wide(wide)
    >>> alternative_annotator_test(humans, truth, epsilon=0.1).passes
    True
    """
    humans = as_annotations(humans, "alternative_annotator_test")
    humans.check_annotators("alternative_annotator_test")
    codes = _check_judge(humans, judge, epsilon, fdr)
    compared = _compare(humans.first_labels(), codes, score)
    group = np.arange(humans.n_items) if clusters is None else pd.factorize(np.asarray(clusters))[0]
    if group.shape != (humans.n_items,) or (group < 0).any():
        raise AnnotationError(
            f"alternative_annotator_test: {group.size} clusters for {humans.n_items} items. Give "
            "each item one."
        )
    n_items = np.bincount(compared.annotator, minlength=humans.n_annotators)
    tested = np.flatnonzero(n_items >= max(min_items, 1))
    if not tested.size:
        most = int(n_items.max(initial=0))
        raise AnnotationError(
            f"alternative_annotator_test: no human has {min_items} items that the judge and "
            f"another human labelled, too; the most is {most}. Have more items labelled by two "
            "humans or more."
        )
    sums = _sums(compared, group, tested)
    found = _tests(_total(sums), epsilon)
    return AlternativeAnnotatorTest(
        annotators=tuple(humans.annotators[j] for j in tested),
        n_items=n_items[tested],
        difference=found.difference,
        standard_error=found.standard_error,
        advantage=found.advantage,
        p_value=found.p_value,
        rejected=_rejected(found.p_value, fdr),
        epsilon=epsilon,
        fdr=fdr,
        left_out=tuple(
            name for name, n in zip(humans.annotators, n_items, strict=True) if n < min_items
        ),
        sums=sums,
    )


def adjusted_p_values(p_value: ArrayLike) -> Floats:
    """Adjust p-values by the procedure of Benjamini and Yekutieli.

    Parameters
    ----------
    p_value : array_like, shape (..., H)
        P-values of H tests.

    Returns
    -------
    ndarray, shape (..., H)
        A hypothesis is rejected at a false discovery rate if its adjusted p-value is at most that
        rate.

    References
    ----------
    Benjamini and Yekutieli (2001), theorem 1.3.

    Examples
    --------
    >>> adjusted_p_values([0.01, 0.04]).round(3)  # times (1 + 1/2) 2/1 and 2/2
    array([0.03, 0.06])
    """
    p = np.asarray(p_value, dtype=np.float64)
    n = p.shape[-1]
    rank = np.arange(1, n + 1)
    order = np.argsort(p, axis=-1)
    raised = np.take_along_axis(p, order, axis=-1) * (1 / rank).sum() * n / rank
    lowest = np.minimum.accumulate(raised[..., ::-1], axis=-1)[..., ::-1]
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(lowest, 1), axis=-1)
    return adjusted


@dataclass(frozen=True, eq=False)
class _Compared:
    """Comparisons of judge and human: human, item, and sign of the difference."""

    annotator: NDArray[Any]
    item: NDArray[Any]
    sign: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Tests:
    difference: Floats
    standard_error: Floats
    advantage: Floats
    p_value: Floats


def _check_judge(
    humans: Annotations, judge: ArrayLike, epsilon: float, fdr: float
) -> NDArray[np.int64]:
    codes = np.asarray(judge)
    caller = "alternative_annotator_test"
    if codes.shape != (humans.n_items,) or codes.dtype.kind not in "bui":
        raise AnnotationError(
            f"{caller}: the judge needs the code of one category for each of the "
            f"{humans.n_items} items, -1 for none, got {codes.dtype} of shape {codes.shape}. Use "
            "split_judges."
        )
    codes = codes.astype(np.int64)
    if ((codes < NO_LABEL) | (codes >= humans.n_categories)).any():
        raise AnnotationError(
            f"{caller}: a label of the judge is not in [-1, {humans.n_categories}). Give codes of "
            "the humans' categories."
        )
    if not -1 <= epsilon <= 1 or not 0 < fdr < 1:
        raise AnnotationError(
            f"{caller}: epsilon must be in [-1, 1] and fdr in (0, 1), got {epsilon} and {fdr}."
        )
    return codes


def _compare(humans: Annotations, judge: NDArray[np.int64], score: Score | Similarity) -> _Compared:
    """Compare the judge with each human on each of their items that another human labelled."""
    kept = (judge[humans.item] != NO_LABEL) & (np.diff(humans.by_item.offsets)[humans.item] > 1)
    item, annotator = humans.item[kept], humans.annotator[kept]
    own, of_judge = humans.label[kept].astype(np.int64), judge[item]
    if callable(score):
        lead = _lead_by_similarity(item, own, of_judge, score)
    elif score == "accuracy":
        lead = _lead_by_counts(item, own, of_judge, humans.n_categories)
    elif score == "rmse":
        lead = _lead_by_squares(item, own, of_judge, humans.category_values, humans.n_items)
    else:
        raise AnnotationError(
            f"alternative_annotator_test: score {score!r} is neither 'accuracy' nor 'rmse' nor a "
            "function."
        )
    return _Compared(annotator, item, np.sign(lead).astype(np.int64))


def _lead_by_counts(
    item: NDArray[Any], own: NDArray[Any], judge: NDArray[Any], n_categories: int
) -> Floats:
    """Count how many more of the other humans agree with the human than with the judge."""
    pairs, counts = np.unique(item.astype(np.int64) * n_categories + own, return_counts=True)

    def votes(label: NDArray[Any]) -> NDArray[np.int64]:
        wanted = item.astype(np.int64) * n_categories + label
        place = np.minimum(np.searchsorted(pairs, wanted), pairs.size - 1)
        return np.where(pairs[place] == wanted, counts[place], 0)

    # The human's own label is among the votes, of the judge's category if both agree.
    return np.asarray((votes(own) - 1) - (votes(judge) - (judge == own)), dtype=np.float64)


def _lead_by_squares(
    item: NDArray[Any], own: NDArray[Any], judge: NDArray[Any], values: Floats, n_items: int
) -> Floats:
    """Sum the judge's squared distances from the others, minus the human's."""
    centred = values - values.mean()
    x, y = centred[own], centred[judge]
    n, total = np.bincount(item, minlength=n_items), np.bincount(item, x, n_items)
    # Over the others, sum (y - z)^2 - sum (x - z)^2, where the squares of z cancel.
    others, rest = n[item] - 1, total[item] - x
    lead = others * (y**2 - x**2) - 2 * (y - x) * rest
    size = others * (y**2 + x**2) + 2 * (np.abs(x) + np.abs(y)) * np.abs(rest)
    return np.asarray(np.where(np.abs(lead) <= TOLERANCE * size, 0.0, lead))


def _lead_by_similarity(
    item: NDArray[Any], own: NDArray[Any], judge: NDArray[Any], similarity: Similarity
) -> Floats:
    """Sum the human's similarity to the others, minus the judge's."""
    order = np.argsort(item, kind="stable")
    _, start, size = np.unique(item[order], return_index=True, return_counts=True)
    size = np.repeat(size, size)
    first = np.repeat(start, np.diff([*start, order.size]))
    one = np.repeat(np.arange(order.size), size)
    within = np.arange(one.size) - np.repeat(np.cumsum(size) - size, size)
    other = first[one] + within
    apart = one != other
    one, other = order[one[apart]], order[other[apart]]
    gained = similarity(own[one], own[other]) - similarity(judge[one], own[other])
    lead = np.bincount(one, gained, item.size)
    size_of = np.bincount(one, minlength=item.size)
    return np.asarray(np.where(np.abs(lead) <= TOLERANCE * size_of, 0.0, lead))


def _sums(compared: _Compared, group: NDArray[Any], tested: NDArray[np.int64]) -> sparse.csr_array:
    """Sum the statistics of the tests by cluster and human."""
    place = np.full(int(compared.annotator.max(initial=0)) + 1, -1)
    place[tested] = np.arange(tested.size)
    rows = place[compared.annotator] >= 0
    human, sign = place[compared.annotator[rows]], compared.sign[rows]
    used, cluster = np.unique(group[compared.item[rows]], return_inverse=True)
    cells, cell = np.unique(cluster * tested.size + human, return_inverse=True)
    n = np.bincount(cell).astype(np.float64)
    total = np.bincount(cell, sign)
    good = np.bincount(cell, sign <= 0)
    values = [n, total, total**2, total * n, n**2, np.ones(n.size), good]
    row, column = np.divmod(cells, tested.size)
    # Column s * H + h: sum s of human h.
    columns = np.concatenate([column + s * tested.size for s in range(N_SUMS)])
    entries = (np.concatenate(values), (np.tile(row, N_SUMS), columns))
    return sparse.csr_array(sparse.coo_array(entries, shape=(used.size, N_SUMS * tested.size)))


def _total(sums: sparse.csr_array) -> Floats:
    return np.asarray(sums.sum(axis=0), dtype=np.float64).ravel()


def _tests(totals: Floats, epsilon: ArrayLike) -> _Tests:
    """Compute t tests from totals of shape (..., 7 H)."""
    n, s, ss, sn, nn, clusters, good = np.split(totals, N_SUMS, axis=-1)
    mean = ratio(s, n)
    spread = np.maximum(ss - 2 * mean * sn + mean**2 * nn, 0.0)
    spread = np.where(spread <= TOLERANCE * nn, 0.0, spread)
    error = np.sqrt(ratio(clusters, clusters - 1) * spread) / np.where(n > 0, n, np.nan)
    above = mean - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(clusters - 1, above / error)
    # Without spread the mean is on one side for certain; without two clusters nothing is known.
    p = np.where(error == 0, np.where(above < 0, 0.0, 1.0), p)
    return _Tests(mean, error, ratio(good, n), np.nan_to_num(p, nan=1.0))


def _rejected(p_value: Floats, fdr: float) -> NDArray[np.bool_]:
    return np.asarray(adjusted_p_values(p_value) <= fdr * (1 + TOLERANCE))
