"""Chance agreement of guesses, and guess distributions estimated from disagreements."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from annobench.core.errors import DegenerateWarning
from annobench.core.results import Summarised, SummarisedScalars
from annobench.core.tolerances import SUM_TO_ONE
from annobench.models._fixed_point import Settling
from annobench.noise.easy_hard._checks import (
    FloatArray,
    check_distributions,
    guess_rows,
)
from annobench.noise.reliability_threshold import poisson_binomial_pmf

__all__ = [
    "GuessFit",
    "GuessRate",
    "agreement_chance",
    "disagreed_shares",
    "fit_guesses",
    "guess_rate_from_disagreement",
]


def agreement_chance(guess: ArrayLike, n_annotators: int = 2, *, kept: int | None = None) -> float:
    """Compute the probability that the guesses on a hard item agree.

    Parameters
    ----------
    guess : float or array_like, shape (K,) or (J, K)
        Distribution of a guess: the probability of one of two categories, in (0, 1); of each
        of K categories; or of each category for each annotator.
    n_annotators : int, default 2
        J, at least 2. With a row for each annotator, J is the number of rows.
    kept : int, optional
        Number of the J annotators who must give the same label for the item to be kept: more than
        half. By default all.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If `guess` is not a distribution, there are fewer than two annotators, or `kept` is not
        a majority.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2; with `kept`, the majority label that their
    introduction mentions.

    Examples
    --------
    >>> agreement_chance(0.5), agreement_chance(0.5, 5)  # 2 / 2^2 and 2 / 2^5
    (0.5, 0.0625)
    >>> agreement_chance(0.5, 5, kept=4)  # of 32 outcomes, 2 are 5-0 and 10 are 4-1
    0.375
    """
    rows = guess_rows(guess, n_annotators)
    n = len(rows)
    if kept is None:
        return float(rows.prod(axis=0).sum())
    if not (isinstance(kept, (int, np.integer)) and n / 2 < kept <= n):
        raise ValueError(
            f"agreement_chance: kept={kept!r} is not a majority of {n} annotators. "
            f"Give a whole number from {n // 2 + 1} to {n}."
        )
    return float(sum(poisson_binomial_pmf(column)[kept:].sum() for column in rows.T))


@dataclass(frozen=True)
class GuessRate(SummarisedScalars):
    """The paper's estimate of chance agreement, and the values compatible with the shares.

    Attributes
    ----------
    chance : float
        Footnote 3's estimate of p.
    min_chance : float
        The smallest true p that gives these shares with two annotators and two categories; NaN
        otherwise.
    identified : bool
        Whether the shares identify p, by another estimator; see `fit_guesses`.
    """

    chance: float
    min_chance: float
    identified: bool


def guess_rate_from_disagreement(shares: ArrayLike) -> GuessRate:
    """Estimate chance agreement from the disagreed items alone, as in footnote 3.

    The label distribution of each annotator on the disagreed items is taken as the annotator's
    guess distribution. This ignores selection: hard items on which the guesses agreed are not
    among the disagreed items.

    Parameters
    ----------
    shares : array_like, shape (J,) or (J, K)
        For each annotator, the share of one of two categories among the labels of disagreed
        items, or of every category.

    Returns
    -------
    GuessRate
        `chance` is the sum over categories of the product over annotators.

    Raises
    ------
    ValueError
        If the shares are not distributions, there are fewer than two annotators, or the shares
        are impossible for disagreed items.

    Notes
    -----
    Two annotators and two categories: where one gives 1 the other gives 0, so the shares are q
    and 1 - q, and the estimate is 2q(1 - q), at most one half. Only the odds ratio of the two
    guess distributions is identified, o = q / (1 - q): p is at least 2 sqrt(o) / (1 + sqrt(o))^2,
    which exceeds the estimate 2o / (1 + o)^2 unless o = 1, and may be arbitrarily close to 1. So
    the estimate is never above the true value, and equals it only for two fair coins.

    References
    ----------
    Beigman Klebanov and Beigman (2009), footnote 3.

    Examples
    --------
    >>> found = guess_rate_from_disagreement([0.8, 0.2])  # o = 4: 8 / 25 and 4 / 9
    >>> round(found.chance, 4), round(found.min_chance, 4), found.identified
    (0.32, 0.4444, False)
    """
    rows = _share_rows(shares)
    chance = float(rows.prod(axis=0).sum())
    if rows.shape != (2, 2):
        return GuessRate(chance, float("nan"), True)
    root = np.sqrt(rows[0, 0] * rows[0, 1])  # sqrt(o) / (1 + o)
    return GuessRate(chance, float(2 * root / (1 + 2 * root)), False)


def disagreed_shares(guess: ArrayLike, n_annotators: int = 2) -> FloatArray:
    """Compute the label distributions of guesses on disagreed items.

    Parameters
    ----------
    guess : float or array_like, shape (K,) or (J, K)
        Distribution of a guess, as for `agreement_chance`.
    n_annotators : int, default 2
        J, at least 2. With a row for each annotator, J is the number of rows.

    Returns
    -------
    ndarray, shape (J, K)
        ``[j, k]``: probability that annotator j gives k, given that not all annotators agree.

    Raises
    ------
    ValueError
        If `guess` is not a distribution, or guesses never differ.

    References
    ----------
    Beigman Klebanov and Beigman (2009), section 2 and footnote 3.

    Examples
    --------
    >>> disagreed_shares(0.9)[0], disagreed_shares(0.75, 3)[0].round(4)  # (1 + q) / 3
    (array([0.5, 0.5]), array([0.5833, 0.4167]))
    """
    rows = guess_rows(guess, n_annotators)
    alike = rows.prod(axis=0)
    if alike.sum() >= 1:
        raise ValueError(
            "guess: all annotators always guess the same, and never disagree. Give probabilities "
            "below 1."
        )
    found: FloatArray = (rows - alike) / (1 - alike.sum())
    return found


@dataclass(frozen=True, eq=False)
class GuessFit(Summarised):
    """Guess distributions fitted to the labels of disagreed items.

    Attributes
    ----------
    guess : ndarray, shape (J, K)
        ``[j, k]``: probability that annotator j guesses k; rows sum to 1.
    chance : float
        Probability that all agree on a hard item, in [0, 1].
    converged : bool
        Whether the iterations converged.
    n_iterations : int
        Number of iterations.
    """

    guess: FloatArray
    chance: float
    converged: bool
    n_iterations: int

    def summary(self) -> pd.DataFrame:
        """Return the guess distributions.

        Returns
        -------
        DataFrame
            A row for each annotator, a column for each category, both by number from 0.
        """
        return pd.DataFrame(self.guess).rename_axis(index="annotator", columns="category")

    def _headline(self) -> str:
        n_annotators, n_categories = self.guess.shape
        return (
            f"{n_annotators} annotators, {n_categories} categories, "
            f"chance agreement {self.chance:.4f}"
        )


def fit_guesses(
    shares: ArrayLike,
    *,
    shared: bool = False,
    tolerance: float = 1e-12,
    max_iterations: int = 100_000,
) -> GuessFit:
    """Fit guess distributions to disagreed items by conditional maximum likelihood.

    The likelihood is that of independent guesses given that they are not all equal. It solves
    ``guess[j, k] - a(k) = shares[j, k] (1 - chance)``, with a(k) the product of
    ``guess[j, k]`` over annotators, and chance the sum of a(k).

    Parameters
    ----------
    shares : array_like, shape (J,) or (J, K)
        For each annotator, the share of one of two categories among the labels of disagreed
        items, or of every category. Every annotator labelled every item.
    shared : bool, default False
        Whether all annotators have the same guess distribution.
    tolerance : float, default 1e-12
        Stop when no probability is farther than this from its limit.
    max_iterations : int, default 100000
        Maximum number of iterations.

    Returns
    -------
    GuessFit
        Guess distributions and chance agreement.

    Raises
    ------
    ValueError
        If the shares are not distributions or are impossible for disagreed items, or the guesses
        are not identified: two annotators with two categories, or with a shared distribution.

    Warns
    -----
    DegenerateWarning
        If the iterations do not converge, as when the likelihood increases towards a chance of 1.

    Notes
    -----
    EM: the expected agreements are imputed from the current guesses. Two annotators suffice with
    at least three categories: the off-diagonal cells of their table then follow the model of
    quasi-independence.

    References
    ----------
    The model is that of Beigman Klebanov and Beigman (2009), section 2; the estimate replaces
    their footnote 3.

    Examples
    --------
    >>> fit = fit_guesses([7 / 12, 7 / 12, 7 / 12], shared=True)  # three: shares (1 + q) / 3
    >>> round(float(fit.guess[0, 0]), 6), round(fit.chance, 6)  # 27 / 64 + 1 / 64
    (0.75, 0.4375)
    """
    rows = _share_rows(shares)
    n_annotators, n_categories = rows.shape
    if n_annotators == 2 and (shared or n_categories == 2):
        raise ValueError(
            f"fit_guesses: the disagreements of two annotators on {n_categories} categories do "
            f"not determine {'a common guess distribution' if shared else 'their guesses'}. Add a "
            "third annotator, or give the chance agreement, or a range of it."
        )
    if shared:
        rows = np.tile(rows.mean(axis=0), (n_annotators, 1))
    guess, converged, n, settling = rows.copy(), False, 0, Settling(tolerance)
    while not converged and n < max_iterations:
        alike = guess.prod(axis=0)
        better = rows * (1 - alike.sum()) + alike
        converged = settling.has_settled(guess.ravel(), better.ravel())
        guess, n = better, n + 1
    if not converged:
        warnings.warn(
            f"fit_guesses: not converged after {n} iterations; the chance agreement is now "
            f"{guess.prod(axis=0).sum():.6f}. The estimate may be on the boundary: chance "
            "agreement is then not identified below 1.",
            DegenerateWarning,
            stacklevel=2,
        )
    guess.flags.writeable = False
    return GuessFit(guess, float(guess.prod(axis=0).sum()), converged, n)


def _share_rows(shares: ArrayLike) -> FloatArray:
    """Return the shares of every category for each annotator, shape (J, K)."""
    given = np.asarray(shares, dtype=np.float64)
    if given.ndim == 1:
        given = np.column_stack([given, 1 - given])
    if given.ndim != 2 or given.shape[0] < 2 or given.shape[1] < 2:
        raise ValueError(
            f"shares has shape {given.shape}. Give one share, or one for each of at least two "
            "categories, for each of at least two annotators."
        )
    check_distributions("shares", given)
    largest = given.sum(axis=0).max()
    if largest > len(given) - 1 + SUM_TO_ONE:
        raise ValueError(
            f"shares of one category sum to {largest:.6g} over {len(given)} annotators. On a "
            f"disagreed item at most {len(given) - 1} of them give the same label: count only the "
            "labels of disagreed items."
        )
    return given
