r"""The information of labels: bits, labels needed for certainty, bits per cost.

The category Z of an item has the distribution `prevalence`. An annotator gives it the label
Y = l with probability ``confusion[k, l]`` if Z = k, and labels are independent given Z. Then::

    H[Z]           = - sum over k of p(k) log2 p(k)              entropy
    H[Z | Y]       = sum over l of p(l) H[Z | Y = l]             conditional entropy
    I[Z; Y]        = H[Z] - H[Z | Y]                             mutual information

All in bits. An annotator whose labels do not depend on the category (a spammer) gives 0 bits. One
who is always right gives H[Z] bits, and so does one who is always wrong on two categories: labels
can be informative without being correct. The probabilities are treated as known; for estimates,
pass posterior draws or bootstrap replicates, and use `with_interval` on the result.

References: Passonneau and Carpenter (2014), section 2.2.2; Cover and Thomas (1991), chapter 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, rel_entr

from annobench.core.results import Summarised, axes_or_new
from annobench.core.tolerances import SUM_TO_ONE
from annobench.resampling.intervals import Interval, percentile_interval
from annobench.resampling.ratios import ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "InformationCurve",
    "LabelsNeeded",
    "conditional_entropy",
    "entropy",
    "information_curve",
    "labels_needed",
    "mutual_information",
    "with_interval",
]

#: Sequences of labels that are enumerated at most, for one prevalence and set of matrices.
MAX_SEQUENCES: Final = 2**20

FloatArray = NDArray[np.float64]


def entropy(probability: ArrayLike) -> FloatArray:
    """Compute the entropy of distributions.

    Parameters
    ----------
    probability : array_like, shape (..., K)
        Distributions over the last axis.

    Returns
    -------
    ndarray, shape (...)
        Bits, in [0, log2 K].

    Raises
    ------
    ValueError
        If a row is not a distribution.

    References
    ----------
    Passonneau and Carpenter (2014), section 2.2.2.

    Examples
    --------
    >>> entropy([[0.5, 0.5], [0.25, 0.75], [1, 0]]).round(4)  # 2 - 0.75 log2 3 = 0.8113
    array([1.    , 0.8113, 0.    ])
    """
    return _entropy(_distribution("entropy", "probability", probability))


def conditional_entropy(prevalence: ArrayLike, confusion: ArrayLike) -> FloatArray:
    """Compute the expected entropy after one label.

    Parameters
    ----------
    prevalence : array_like, shape (..., K)
        Distribution of the category before the label.
    confusion : array_like, shape (..., J, K, L)
        ``[j, k, l]``: annotator j gives l when the truth is k. Leading axes, such as draws,
        are matched with those of `prevalence`.

    Returns
    -------
    ndarray, shape (..., J)
        H[Z | Y] in bits for each annotator.

    Raises
    ------
    ValueError
        If a row is not a distribution, or the numbers of categories differ.

    References
    ----------
    Passonneau and Carpenter (2014), section 2.2.2.

    Examples
    --------
    >>> conditional_entropy([0.5, 0.5], [[[1, 0], [0, 1]], [[0.9, 0.1], [0.9, 0.1]]])
    array([0., 1.])
    """
    joint = _joint("conditional_entropy", prevalence, confusion)
    return cast(FloatArray, _unnormalised_entropy(joint.swapaxes(-1, -2)).sum(axis=-1))


def mutual_information(prevalence: ArrayLike, confusion: ArrayLike) -> FloatArray:
    """Compute the expected information of one label of each annotator, in bits.

    Parameters
    ----------
    prevalence : array_like, shape (..., K)
        Distribution of the category before the label.
    confusion : array_like, shape (..., J, K, L)
        ``[j, k, l]``: annotator j gives l when the truth is k. Leading axes, such as draws,
        are matched with those of `prevalence`.

    Returns
    -------
    ndarray, shape (..., J)
        I[Z; Y] in bits, in [0, H[Z]].

    Raises
    ------
    ValueError
        If a row is not a distribution, or the numbers of categories differ.

    Notes
    -----
    Computed as the relative entropy of the joint distribution to the product of its margins,
    which is accurate near 0.

    References
    ----------
    Passonneau and Carpenter (2014), section 2.2.2.

    Examples
    --------
    >>> always_wrong, spammer = [[0, 1], [1, 0]], [[0.9, 0.1], [0.9, 0.1]]
    >>> mutual_information([0.5, 0.5], [always_wrong, spammer])
    array([1., 0.])
    """
    joint = _joint("mutual_information", prevalence, confusion)
    product = joint.sum(axis=-1, keepdims=True) * joint.sum(axis=-2, keepdims=True)
    # A product of tiny probabilities that is 0 for lack of digits stands for no bits.
    terms = np.where(product > 0, rel_entr(joint, product), 0.0)
    bits = terms.sum(axis=(-1, -2)) / np.log(2)
    # By Gibbs' inequality it is at least 0; the terms have both signs, and their sum rounding.
    return cast(FloatArray, np.maximum(bits, 0.0))


def with_interval(draws: ArrayLike, level: float = 0.95) -> Interval:
    """Summarise draws of information, such as those from a fit's draws or bootstrap.

    Parameters
    ----------
    draws : array_like, shape (S, ...)
        Draws over the first axis, such as `mutual_information` of S draws of the parameters.
    level : float, default 0.95
        Share of the draws inside the interval, in (0, 1).

    Returns
    -------
    Interval
        Mean and quantiles.

    Raises
    ------
    ValueError
        If there are no draws, or the level is out of range.

    Notes
    -----
    Information can't be negative, so with estimated parameters even a spammer has positive
    information on average: rely on the lower limit, not on the mean.

    Examples
    --------
    >>> found = with_interval([0.1, 0.2, 0.3], level=0.5)
    >>> round(found.lower, 12), round(found.upper, 12)
    (0.15, 0.25)
    """
    values = np.asarray(draws, dtype=np.float64)
    if values.ndim == 0 or values.shape[0] == 0:
        raise ValueError("with_interval: there are no draws. Give at least one, on the first axis.")
    if not 0 < level < 1:
        raise ValueError(f"with_interval: level must be between 0 and 1, got {level}.")
    return percentile_interval(values.mean(axis=0), values, float(level))


@dataclass(frozen=True, eq=False)
class InformationCurve(Summarised):
    """The information and the cost of an item's first 0, 1, ..., M labels.

    Attributes
    ----------
    entropy : ndarray, shape (..., M + 1)
        Expected entropy of the category after each number of labels, in bits.
    standard_error : ndarray, shape (..., M + 1)
        Monte Carlo error of `entropy`; 0 where it is exact.
    cost : ndarray, shape (M + 1,)
        Cumulative cost; the number of labels if no prices were given.
    """

    entropy: FloatArray
    standard_error: FloatArray
    cost: FloatArray

    def summary(self) -> pd.DataFrame:
        """Return the means over the curves, by number of labels.

        Returns
        -------
        DataFrame
            Columns `entropy`, `information` and `cost`, indexed by `n_labels`.
        """
        size = self.cost.size
        return pd.DataFrame(
            {
                "entropy": self.entropy.reshape(-1, size).mean(axis=0),
                "information": self.information.reshape(-1, size).mean(axis=0),
                "cost": self.cost,
            },
            index=pd.RangeIndex(size, name="n_labels"),
        )

    def _headline(self) -> str:
        found = self.summary().iloc[-1]
        return (
            f"{found['information']:.3g} of {self.summary()['entropy'].iloc[0]:.3g} bits after "
            f"{self.cost.size - 1} labels at a cost of {found['cost']:.3g}"
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the mean information by cost.

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
        table = self.summary()
        axes.plot(table["cost"], table["information"], marker="o")
        axes.set(xlabel="cost", ylabel="information in bits", xlim=(0, None), ylim=(0, None))
        return axes

    @cached_property
    def information(self) -> FloatArray:
        """Cumulative information in bits, ``entropy[..., 0] - entropy``."""
        return self.entropy[..., :1] - self.entropy

    @cached_property
    def bits_per_cost(self) -> FloatArray:
        """Cumulative information per unit of cost, shape (..., M + 1); NaN if the cost is 0."""
        return ratio(self.information, self.cost)


def information_curve(
    prevalence: ArrayLike,
    confusion: ArrayLike,
    *,
    price: ArrayLike | None = None,
    draws: int | None = None,
    rng: np.random.Generator | int | None = None,
) -> InformationCurve:
    """Compute the expected entropy of a category after several labels, and their cost.

    Parameters
    ----------
    prevalence : array_like, shape (..., K)
        Distribution of the category before any label.
    confusion : array_like, shape (..., M, K, L)
        Confusion matrix of the annotator of each label, in the order of the labels. An annotator
        who labels twice, independently, occurs twice.
    price : array_like, shape (M,), optional
        Price of each label, at least 0. By default every label costs 1.
    draws : int, optional
        Items whose labels are sampled, at least 2. By default all sequences of labels are
        enumerated, and the result is exact.
    rng : numpy.random.Generator or int, optional
        Source of randomness for sampling, or a seed.

    Returns
    -------
    InformationCurve
        Expected entropy, information and cost after 0 to M labels.

    Raises
    ------
    ValueError
        If a row is not a distribution, shapes do not match, a price is negative, there are too many
        sequences to enumerate, or too few draws.

    Notes
    -----
    Enumeration costs L ** M posteriors, sampling M per draw. The information of n labels never
    exceeds the sum of their individual information, as labels are redundant.

    References
    ----------
    Passonneau and Carpenter (2014), section 2.2.2, for one and two labels.

    Examples
    --------
    >>> noisy = [[0.8, 0.2], [0.2, 0.8]]
    >>> curve = information_curve([0.5, 0.5], [noisy, noisy, noisy], price=[0.05, 0.05, 0.05])
    >>> curve.information.round(3)
    array([0.   , 0.278, 0.461, 0.594])
    >>> curve.bits_per_cost.round(2)
    array([ nan, 5.56, 4.61, 3.96])
    """
    caller = "information_curve"
    start = _distribution(caller, "prevalence", prevalence)
    matrices = _distribution(caller, "confusion", confusion)
    _check_shapes(caller, start, matrices)
    n_labels = matrices.shape[-3]
    cost = np.concatenate([[0.0], np.cumsum(_prices(price, n_labels))])
    batch = np.broadcast_shapes(start.shape[:-1], matrices.shape[:-3])
    start = np.broadcast_to(start, (*batch, start.shape[-1]))
    matrices = np.broadcast_to(matrices, (*batch, *matrices.shape[-3:]))
    if draws is None:
        expected = _enumerate(start, matrices)
        return InformationCurve(expected, np.zeros_like(expected), cost)
    if draws < 2:
        raise ValueError(f"{caller}: draws must be at least 2, got {draws}.")
    rng = np.random.default_rng(rng)
    expected = np.empty((*batch, n_labels + 1))
    error = np.empty_like(expected)
    for place in np.ndindex(*batch):
        expected[place], error[place] = _sample(start[place], matrices[place], rng, draws)
    return InformationCurve(expected, error, cost)


@dataclass(frozen=True, eq=False)
class LabelsNeeded(Summarised):
    """The number of labels until an item's category is sufficiently certain.

    Attributes
    ----------
    distribution : ndarray, shape (M + 1,)
        Share of the items that stopped after 0, 1, ..., M labels. Items that are not certain after
        M labels are not counted, so the sum is `share_certain`.
    standard_error : float
        Monte Carlo error of `expected`.
    expected_accuracy : float
        Share of items whose most probable category is correct when labelling stops.
    """

    distribution: FloatArray
    standard_error: float
    expected_accuracy: float

    def summary(self) -> pd.DataFrame:
        """Return the mean number of labels, and how certain items become.

        Returns
        -------
        DataFrame
            One row: `expected`, `standard_error`, `expected_accuracy`, `share_certain`.
        """
        names = ("expected", "standard_error", "expected_accuracy", "share_certain")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])

    def _headline(self) -> str:
        return (
            f"{self.expected:.3g} labels per item on average (standard error "
            f"{self.standard_error:.2g}), {self.share_certain:.1%} of items certain"
        )

    @cached_property
    def share_certain(self) -> float:
        """Share of the items that became certain within the limit, in [0, 1]."""
        return float(self.distribution.sum())

    @cached_property
    def expected(self) -> float:
        """Mean number of labels per item, with M for items that never become certain.

        A lower bound, therefore, if `share_certain` is below 1.
        """
        limit = self.distribution.size - 1
        return float(self.distribution @ np.arange(limit + 1.0) + limit * (1 - self.share_certain))


def labels_needed(
    prevalence: ArrayLike,
    confusion: ArrayLike,
    certainty: float,
    *,
    rng: np.random.Generator | int | None = None,
    share: ArrayLike | None = None,
    n_items: int = 10_000,
    max_labels: int = 1_000,
) -> LabelsNeeded:
    """Simulate the number of labels needed to be certain of an item's category.

    Each label comes from an annotator drawn from the pool with replacement. The item's
    posterior is updated, and labelling stops when its largest probability reaches `certainty`.

    Parameters
    ----------
    prevalence : array_like, shape (K,)
        Distribution of the category before any label.
    confusion : array_like, shape (J, K, L)
        Confusion matrices of the pool.
    certainty : float
        Required posterior probability, in (0, 1).
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.
    share : array_like, shape (J,), optional
        Share of the labels that each annotator gives; by default equal shares.
    n_items : int, default 10_000
        Simulated items, at least 2.
    max_labels : int, default 1_000
        Maximum number of labels per item.

    Returns
    -------
    LabelsNeeded
        Distribution and mean of the number of labels, and the accuracy reached.

    Raises
    ------
    ValueError
        If a row is not a distribution, shapes do not match, or a number is out of range.

    Notes
    -----
    This is Wald's sequential test, and for one symmetric annotator of two categories the
    gambler's ruin. The accuracy is at least `certainty` if all items became certain.

    References
    ----------
    Wald (1945), Annals of Mathematical Statistics 16, 117-186.

    Examples
    --------
    >>> perfect = [[[1, 0], [0, 1]]]
    >>> labels_needed([0.5, 0.5], perfect, 0.99, rng=np.random.default_rng(1)).expected
    1.0
    """
    rng = np.random.default_rng(rng)
    caller = "labels_needed"
    start = _distribution(caller, "prevalence", prevalence)
    pool = _distribution(caller, "confusion", confusion)
    if start.ndim != 1 or pool.ndim != 3:
        raise ValueError(
            f"{caller}: prevalence must have shape (K,) and confusion (J, K, L), got "
            f"{start.shape} and {pool.shape}."
        )
    _check_shapes(caller, start, pool)
    if not 0 < certainty < 1:
        raise ValueError(f"{caller}: certainty must be between 0 and 1, got {certainty}.")
    if n_items < 2 or max_labels < 0:
        raise ValueError(
            f"{caller}: n_items must be at least 2 and max_labels at least 0, got {n_items} "
            f"and {max_labels}."
        )
    frequency = np.full(pool.shape[0], 1 / pool.shape[0]) if share is None else share
    chance = _distribution(caller, "share", frequency)
    if chance.shape != pool.shape[:1]:
        raise ValueError(
            f"{caller}: share must have one entry for each of the {pool.shape[0]} annotators, "
            f"got shape {chance.shape}."
        )
    truth = rng.choice(start.size, size=n_items, p=start)
    needed = np.full(n_items, max_labels + 1)
    posterior = np.broadcast_to(start, (n_items, start.size)).copy()
    going = np.arange(n_items)
    for given in range(max_labels + 1):
        certain = posterior[going].max(axis=1) >= certainty
        needed[going[certain]] = given
        going = going[~certain]
        if going.size == 0 or given == max_labels:
            break
        annotator = rng.choice(chance.size, size=going.size, p=chance)
        label = _draw_labels(pool[annotator, truth[going]], rng)
        posterior[going] = _updated(posterior[going], pool[annotator, :, label])
    counts = np.bincount(needed, minlength=max_labels + 2)[: max_labels + 1]
    spread = np.minimum(needed, max_labels).std(ddof=1)
    return LabelsNeeded(
        counts / n_items,
        float(spread / np.sqrt(n_items)),
        float((posterior.argmax(axis=1) == truth).mean()),
    )


def _distribution(caller: str, name: str, value: ArrayLike) -> FloatArray:
    rows = np.asarray(value, dtype=np.float64)
    if rows.ndim == 0 or rows.shape[-1] == 0:
        raise ValueError(f"{caller}: {name} is empty. Give the probability of each category.")
    total = rows.sum(axis=-1, keepdims=True)
    # Written so that NaN is refused too.
    if not ((rows >= 0).all() and (np.abs(total - 1) <= SUM_TO_ONE).all()):
        wrong = rows.reshape(-1, rows.shape[-1])
        bad = wrong[~((wrong >= 0).all(axis=1) & (np.abs(wrong.sum(axis=1) - 1) <= SUM_TO_ONE))][0]
        raise ValueError(
            f"{caller}: {name} must be probabilities of at least 0 that sum to 1 over the last "
            f"axis, got {bad.tolist()}. Divide counts by their sum."
        )
    return cast(FloatArray, rows / total)


def _check_shapes(caller: str, prevalence: FloatArray, confusion: FloatArray) -> None:
    if confusion.ndim < 3 or confusion.shape[-2] != prevalence.shape[-1]:
        raise ValueError(
            f"{caller}: confusion must have shape (..., J, K, L) with K = {prevalence.shape[-1]} "
            f"as in prevalence, got {confusion.shape}. Put a single matrix into a list."
        )


def _joint(caller: str, prevalence: ArrayLike, confusion: ArrayLike) -> FloatArray:
    """Give the joint distributions of category and label, shape (..., J, K, L)."""
    start = _distribution(caller, "prevalence", prevalence)
    matrices = _distribution(caller, "confusion", confusion)
    _check_shapes(caller, start, matrices)
    return start[..., None, :, None] * matrices


def _prices(price: ArrayLike | None, n_labels: int) -> FloatArray:
    prices = np.ones(n_labels) if price is None else np.asarray(price, dtype=np.float64)
    if prices.shape != (n_labels,) or not (np.isfinite(prices) & (prices >= 0)).all():
        raise ValueError(
            f"information_curve: price must be {n_labels} numbers of at least 0, one for each "
            f"label, got {prices.tolist()}."
        )
    return prices


def _entropy(probability: FloatArray) -> FloatArray:
    return cast(FloatArray, entr(probability).sum(axis=-1) / np.log(2))


def _unnormalised_entropy(joint: FloatArray) -> FloatArray:
    """Give p(y) H[Z | y] from the probabilities of y and each category, the last axis."""
    total = joint.sum(axis=-1)
    bits = (entr(joint).sum(axis=-1) - entr(total)) / np.log(2)
    return cast(FloatArray, np.maximum(bits, 0.0))


def _enumerate(prevalence: FloatArray, confusion: FloatArray) -> FloatArray:
    """Follow the joint probabilities of all sequences of labels and each category."""
    *batch, n_labels, n_categories, n_codes = confusion.shape
    if n_codes**n_labels * n_categories * max(1, int(np.prod(batch))) > MAX_SEQUENCES:
        raise ValueError(
            f"information_curve: {n_labels} labels in {n_codes} categories are too many sequences "
            "to enumerate. Give draws to sample items instead."
        )
    joint = prevalence[..., None, :]
    expected = [_unnormalised_entropy(joint).sum(axis=-1)]
    for n in range(n_labels):
        likelihood = confusion[..., n, :, :].swapaxes(-1, -2)
        joint = joint[..., :, None, :] * likelihood[..., None, :, :]
        joint = joint.reshape(*batch, -1, n_categories)
        expected.append(_unnormalised_entropy(joint).sum(axis=-1))
    return np.stack(expected, axis=-1)


def _sample(
    prevalence: FloatArray, confusion: FloatArray, rng: np.random.Generator, draws: int
) -> tuple[FloatArray, FloatArray]:
    """Estimate the expected entropy after 0 to M labels, and its Monte Carlo error."""
    truth = rng.choice(prevalence.size, size=draws, p=prevalence)
    posterior = np.broadcast_to(prevalence, (draws, prevalence.size))
    expected, error = [float(_entropy(prevalence))], [0.0]
    for matrix in confusion:
        label = _draw_labels(matrix[truth], rng)
        posterior = _updated(posterior, matrix[:, label].T)
        left = _entropy(posterior)
        expected.append(float(left.mean()))
        error.append(float(left.std(ddof=1) / np.sqrt(draws)))
    return np.asarray(expected), np.asarray(error)


def _draw_labels(chance: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one label from each row."""
    edges = np.cumsum(chance, axis=1)
    # Scaled by the last edge, which rounding leaves a little off 1: no label is ever out of range.
    point = rng.random((len(chance), 1)) * edges[:, -1:]
    return cast(NDArray[np.int64], (edges <= point).sum(axis=1))


def _updated(posterior: FloatArray, likelihood: FloatArray) -> FloatArray:
    """Apply Bayes' rule by row; the label was drawn, so its probability is above 0."""
    joint = posterior * likelihood
    return cast(FloatArray, joint / joint.sum(axis=1, keepdims=True))
