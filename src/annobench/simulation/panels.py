"""Simulated annotations with known truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations, Scale

__all__ = [
    "SimulatedBinary",
    "SimulatedPanel",
    "binary",
    "common_loadings",
    "correlation_from_kappa",
    "cut",
    "kappa_from_correlation",
    "nominal",
    "ordinal",
]


def _size(annotations: Annotations) -> str:
    return f"{annotations.n_items:,} items, {annotations.n_annotators:,} annotators"


@dataclass(frozen=True, eq=False)
class SimulatedBinary(Summarised):
    """Binary annotations and their true parameters.

    Attributes
    ----------
    annotations : Annotations
        Categories "0" and "1"; every item and annotator is named, labelled or not.
    category : ndarray of int8, shape (I,)
        The true categories.
    sensitivity, specificity : ndarray, shape (J,)
        Of each annotator.
    """

    annotations: Annotations
    category: NDArray[np.int8]
    sensitivity: NDArray[np.float64]
    specificity: NDArray[np.float64]

    def summary(self) -> pd.DataFrame:
        """Return the true values of the annotators.

        Returns
        -------
        DataFrame
            By annotator: `sensitivity` and `specificity`.
        """
        return pd.DataFrame(
            {"sensitivity": self.sensitivity, "specificity": self.specificity},
            index=pd.Index(self.annotations.annotators, name="annotator"),
        )

    def _headline(self) -> str:
        return f"{_size(self.annotations)}, {int(self.category.sum()):,} items of category 1"


def binary(
    *,
    n_items: int,
    n_annotators: int,
    prevalence: float,
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    missing: float,
    rng: np.random.Generator | int | None = None,
) -> SimulatedBinary:
    """Simulate a binary panel with labels missing completely at random.

    Parameters
    ----------
    n_items, n_annotators : int
        I and J.
    prevalence : float
        Probability of category 1, in [0, 1].
    sensitivity, specificity : tuple of float
        The (alpha, beta) of the beta distributions that annotators are drawn from.
    missing : float
        Probability that an annotator did not label an item, in [0, 1), not balanced by
        item or annotator.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    SimulatedBinary
        Labels and truth.

    Raises
    ------
    ValueError
        If a probability is out of range.

    References
    ----------
    Carpenter (2008), section 3.
    """
    rng = np.random.default_rng(rng)
    if not 0 <= prevalence <= 1:
        raise ValueError(f"panels.binary: prevalence must be in [0, 1], got {prevalence}.")
    if not 0 <= missing < 1:
        raise ValueError(f"panels.binary: missing must be in [0, 1), got {missing}.")
    category = (rng.random(n_items) < prevalence).astype(np.int8)
    theta_1 = rng.beta(*sensitivity, size=n_annotators)
    theta_0 = rng.beta(*specificity, size=n_annotators)
    says_one = np.where(category[:, None] == 1, theta_1, 1 - theta_0)
    labels = rng.random((n_items, n_annotators)) < says_one
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) >= missing)
    return SimulatedBinary(
        Annotations.from_arrays(
            item,
            annotator,
            labels[item, annotator].astype(np.int8),
            items=range(n_items),
            annotators=range(n_annotators),
            categories=("0", "1"),
        ),
        category,
        theta_1,
        theta_0,
    )


@dataclass(frozen=True, eq=False)
class SimulatedPanel(Summarised):
    """Labels by annotators with a common impression of each item.

    Attributes
    ----------
    annotations : Annotations
        Every annotator labelled every item, item by item; categories "0", "1", ....
    impression : ndarray, shape (I,)
        The common impression: a number (ordinal) or a category's code (nominal).
    perception : ndarray, shape (I, J)
        Each annotator's perception: a standard normal number, which `cut` converts to a label
        (ordinal), or the code of the label (nominal).
    """

    annotations: Annotations
    impression: NDArray[np.float64]
    perception: NDArray[np.float64]

    def summary(self) -> pd.DataFrame:
        """Return how often each annotator gave each label.

        Returns
        -------
        DataFrame
            Numbers of labels; a row for each annotator and a column for each category.
        """
        a = self.annotations
        labels = pd.crosstab(a.annotator, a.label)
        labels = labels.reindex(
            index=range(a.n_annotators), columns=range(a.n_categories), fill_value=0
        )
        return labels.set_axis(pd.Index(a.annotators, name="annotator")).set_axis(
            pd.Index(a.categories, name="category"), axis="columns"
        )

    def _headline(self) -> str:
        return f"{_size(self.annotations)}, {self.annotations.n_categories} categories"


def ordinal(
    *,
    n_items: int,
    prevalence: ArrayLike,
    loading: ArrayLike,
    rng: np.random.Generator | int | None = None,
    annotators: Iterable[object] | None = None,
) -> SimulatedPanel:
    """Simulate annotators who judge items on one ordinal scale.

    Every item makes a standard normal impression z. Annotator j perceives
    ``loading[j] * z + sqrt(1 - loading[j] ** 2) * noise``, again standard normal, and
    `cut` turns that into a label so that categories come out with their prevalence. The
    perceptions of j and k correlate by ``loading[j] * loading[k]``. A reference for comparison is a
    further annotator; an annotator who judges twice is two annotators with the same loading.

    Parameters
    ----------
    n_items : int
        I.
    prevalence : array_like, shape (K,)
        Share of each category, lowest first, for all annotators; sums to 1.
    loading : array_like, shape (J,)
        Correlation of each annotator's perception with the impression, in [0, 1].
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.
    annotators : iterable, optional
        Names of the annotators; by default "0", "1", ....

    Returns
    -------
    SimulatedPanel
        Labels, impression and perceptions.

    Raises
    ------
    ValueError
        If the prevalence is not a distribution or a loading is out of range.

    References
    ----------
    Spearman's single factor behind Pearson's polychoric correlation.
    """
    rng = np.random.default_rng(rng)
    share, weight = _checked("ordinal", prevalence, loading)
    impression = rng.standard_normal(n_items)
    noise = rng.standard_normal((n_items, weight.size))
    perception = weight * impression[:, None] + np.sqrt(1 - weight**2) * noise
    labels = cut(perception, share)
    return SimulatedPanel(_panel(labels, share.size, annotators, "ordinal"), impression, perception)


def nominal(
    *,
    n_items: int,
    prevalence: ArrayLike,
    loading: ArrayLike,
    rng: np.random.Generator | int | None = None,
    annotators: Iterable[object] | None = None,
) -> SimulatedPanel:
    """Simulate annotators who sort items into unordered categories.

    Every item gives the impression of one category, drawn by prevalence. Annotator j
    reports it with probability ``loading[j]`` and otherwise guesses, again by
    prevalence. Cohen's kappa of j and k is then ``loading[j] * loading[k]`` on average,
    whatever the prevalence.

    Parameters
    ----------
    n_items : int
        I.
    prevalence : array_like, shape (K,)
        Share of each category; sums to 1.
    loading : array_like, shape (J,)
        Probability that an annotator reports the impression, in [0, 1].
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.
    annotators : iterable, optional
        Names of the annotators; by default "0", "1", ....

    Returns
    -------
    SimulatedPanel
        Labels and impression.

    Raises
    ------
    ValueError
        If the prevalence is not a distribution or a loading is out of range.
    """
    rng = np.random.default_rng(rng)
    share, weight = _checked("nominal", prevalence, loading)
    impression = rng.choice(share.size, size=n_items, p=share)
    guess = rng.choice(share.size, size=(n_items, weight.size), p=share)
    reports = rng.random(guess.shape) < weight
    labels = np.where(reports, impression[:, None], guess)
    return SimulatedPanel(
        _panel(labels, share.size, annotators, "nominal"),
        impression.astype(np.float64),
        labels.astype(np.float64),
    )


def cut(perception: ArrayLike, prevalence: ArrayLike) -> NDArray[np.int64]:
    """Convert standard normal perceptions to categories of an ordinal scale.

    Parameters
    ----------
    perception : array_like
        Standard normal numbers.
    prevalence : array_like, shape (K,)
        Share of each category, lowest first; sums to 1.

    Returns
    -------
    ndarray of int, shape of `perception`
        Codes in [0, K), each category with its share of the normal distribution.

    Raises
    ------
    ValueError
        If the prevalence is not a distribution.

    Examples
    --------
    >>> cut([-1.0, 0.0, 1.0], [0.25, 0.5, 0.25]).tolist()  # quartiles at -0.67 and 0.67
    [0, 1, 2]
    """
    share, _ = _checked("cut", prevalence, [])
    return np.searchsorted(_thresholds(share), np.asarray(perception, dtype=np.float64))


def kappa_from_correlation(correlation: float, prevalence: ArrayLike) -> float:
    """Return Cohen's kappa of two annotators whose perceptions correlate.

    Parameters
    ----------
    correlation : float
        Of two standard normal perceptions, in [-1, 1].
    prevalence : array_like, shape (K,)
        Share of each category in the labels of both, lowest first; sums to 1.

    Returns
    -------
    float
        The value on infinitely many items of `ordinal`, where the correlation is the
        product of two loadings.

    Raises
    ------
    ValueError
        If the correlation is out of range, or the prevalence is not a distribution of at least two
        categories.

    Examples
    --------
    >>> round(kappa_from_correlation(0.5, [0.5, 0.5]), 12)  # 2 arcsin(1/2) / pi
    0.333333333333
    """
    share, _ = _checked("kappa_from_correlation", prevalence, [])
    if not -1 <= correlation <= 1:
        raise ValueError(
            f"panels.kappa_from_correlation: correlation must be in [-1, 1], got {correlation}."
        )
    if (share > 0).sum() < 2:
        raise ValueError(
            "panels.kappa_from_correlation: with one category agreement is certain and the "
            "coefficient undefined. Give at least two."
        )
    upper = _thresholds(share)
    pairs = np.stack([upper, upper], axis=1), np.stack([upper[:-1], upper[1:]], axis=1)
    both, neighbours = (_below(points, correlation) for points in pairs)
    # A category's cell is a square: its upper corner, less two edges, and its lower corner.
    below = np.concatenate([[0.0], both, [1.0]])
    margin = np.cumsum(share)[:-1]
    edges = np.concatenate([[0.0], neighbours, margin[-1:]])
    observed = float(np.sum(below[1:] + below[:-1] - 2 * edges))
    expected = float(share @ share)
    return (observed - expected) / (1 - expected)


def correlation_from_kappa(kappa: float, prevalence: ArrayLike) -> float:
    """Return the correlation of two perceptions that gives a value of Cohen's kappa.

    Parameters
    ----------
    kappa : float
        Wanted value, in [0, 1].
    prevalence : array_like, shape (K,)
        Share of each category in the labels of both, lowest first; sums to 1.

    Returns
    -------
    float
        In [0, 1]; the inverse of `kappa_from_correlation`.

    Raises
    ------
    ValueError
        If the value is out of range, or the prevalence is not a distribution of at least two
        categories.

    Examples
    --------
    >>> round(correlation_from_kappa(1 / 3, [0.5, 0.5]), 9)
    0.5
    """
    if not 0 <= kappa <= 1:
        raise ValueError(f"panels.correlation_from_kappa: kappa must be in [0, 1], got {kappa}.")
    at_one = kappa_from_correlation(1.0, prevalence)
    if kappa >= at_one:
        return 1.0
    return float(
        scipy.optimize.brentq(
            lambda correlation: kappa_from_correlation(correlation, prevalence) - kappa,
            -1e-9,
            1.0,
            xtol=1e-12,
        )
    )


def common_loadings(products: ArrayLike) -> NDArray[np.float64]:
    """Find loadings whose products come nearest to a symmetric table.

    Calibrates `ordinal` (a table of correlations) and `nominal` (a table of values of
    Cohen's kappa) to pairwise agreement.

    Parameters
    ----------
    products : array_like, shape (J, J)
        Wanted products of the loadings of each pair; NaN where unknown. The diagonal is
        not used, and neither is what lies below it.

    Returns
    -------
    ndarray, shape (J,)
        Loadings in [0, 1], by least squares over the known pairs.

    Raises
    ------
    ValueError
        If the table is not square, or there are fewer known pairs than annotators, or
        fewer than two of one annotator.

    Notes
    -----
    With three annotators the loading of the first is ``sqrt(p12 * p13 / p23)``, where
    that is in [0, 1]. An annotator known from one pair alone would take up all of its
    misfit.

    Examples
    --------
    >>> nan = float("nan")
    >>> common_loadings([[nan, 0.72, 0.63], [nan, nan, 0.56], [nan, nan, nan]]).round(6)
    array([0.9, 0.8, 0.7])
    """
    table = np.asarray(products, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(
            f"panels.common_loadings: the table must be square, got shape {table.shape}."
        )
    first, second = np.triu_indices(table.shape[0], k=1)
    known = np.isfinite(table[first, second])
    first, second = first[known], second[known]
    pairs_of = np.bincount(np.concatenate([first, second]), minlength=table.shape[0])
    if first.size < table.shape[0] or pairs_of.min() < 2:
        raise ValueError(
            f"panels.common_loadings: {first.size} known pairs do not determine "
            f"{table.shape[0]} loadings. Give at least as many pairs as annotators, and two "
            "of each."
        )
    wanted = table[first, second]
    start = np.full(table.shape[0], np.sqrt(np.clip(wanted.mean(), 0.01, 0.99)))

    def misfit(loading: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(loading[first] * loading[second] - wanted)

    fitted = scipy.optimize.least_squares(
        misfit, start, bounds=(0, 1), xtol=1e-12, ftol=1e-12, gtol=1e-12
    )
    return np.asarray(fitted.x, dtype=np.float64)


def _checked(
    caller: str, prevalence: ArrayLike, loading: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    share = np.asarray(prevalence, dtype=np.float64)
    weight = np.asarray(loading, dtype=np.float64)
    if share.ndim != 1 or not (share >= 0).all() or not np.isclose(share.sum(), 1, atol=1e-9):
        raise ValueError(
            f"panels.{caller}: prevalence must be shares of at least 0 that sum to 1, "
            f"got {share.tolist()}."
        )
    if weight.ndim != 1 or not ((weight >= 0) & (weight <= 1)).all():
        raise ValueError(
            f"panels.{caller}: loading must be a list of numbers in [0, 1], got {weight.tolist()}."
        )
    return share / share.sum(), weight


def _thresholds(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(scipy.stats.norm.ppf(np.minimum(np.cumsum(share)[:-1], 1)))


def _below(points: NDArray[np.float64], correlation: float) -> NDArray[np.float64]:
    """Give the probability that both of two correlated normals lie below each point."""
    if abs(correlation) >= 1:
        first, second = scipy.stats.norm.cdf(points).T
        if correlation > 0:
            return np.asarray(np.minimum(first, second))
        return np.asarray(np.maximum(first + second - 1, 0))
    distribution = scipy.stats.multivariate_normal(
        mean=[0, 0], cov=[[1, correlation], [correlation, 1]], allow_singular=True
    )
    return np.atleast_1d(distribution.cdf(points)) if len(points) else np.zeros(0)


def _panel(
    labels: NDArray[np.int64], n_categories: int, names: Iterable[object] | None, scale: Scale
) -> Annotations:
    n_items, n_annotators = labels.shape
    annotators = tuple(map(str, range(n_annotators) if names is None else names))
    return Annotations.from_arrays(
        np.repeat(np.arange(n_items), n_annotators),
        np.tile(np.asarray(annotators, dtype=object), n_items),
        labels.ravel(),
        items=range(n_items),
        annotators=annotators,
        categories=range(n_categories),
        scale=scale,
    )
