"""The posterior distribution of the number of hard items in a gold standard (Equation 1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.results import Summarised, axes_or_new
from annobench.noise.easy_hard._checks import FloatArray, check_integer, check_open_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["HardItems", "hard_given_agreed"]


@dataclass(frozen=True, eq=False)
class HardItems(Summarised):
    """The posterior distribution of the number of hard items in a gold standard.

    Attributes
    ----------
    n_items : int
        n, at least 1.
    n_disagreed : int
        d, from 0 to n.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1).
    n_split_kept : int
        Number of the d disagreed items kept with their majority label. All are hard.
    pmf : ndarray, shape (n - d + 1,)
        ``[j]``: probability that j of the agreed items are hard; sums to 1.
    """

    n_items: int
    n_disagreed: int
    chance: float
    n_split_kept: int
    pmf: FloatArray

    def summary(self) -> pd.DataFrame:
        """Return mean, standard deviation and 95% bound of the number of hard items.

        Returns
        -------
        DataFrame
            One row: n_kept, mean, standard_deviation, upper, rate (`upper` as a share).
        """
        return pd.DataFrame(
            {
                "n_kept": [self.n_kept],
                "mean": [self.mean],
                "standard_deviation": [self.standard_deviation],
                "upper": [self.upper()],
                "rate": [self.rate()],
            }
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the posterior distribution.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to plot; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The probability of each number, and the 95% bound.
        """
        axes = axes_or_new(axes)
        axes.plot(self.support, self.pmf)
        axes.axvline(self.upper(), color="grey", linestyle=":", label="95% bound")
        axes.set(xlabel="hard items in the gold standard", ylabel="probability")
        axes.legend()
        return axes

    def _headline(self) -> str:
        return (
            f"of {self.n_kept:,} kept items {self.mean:.1f} are expected to be hard, at most "
            f"{self.upper():,} with 95%"
        )

    @property
    def n_agreed(self) -> int:
        """Return the number of items that all annotators agree on.

        Returns
        -------
        int
            n - d.
        """
        return self.n_items - self.n_disagreed

    @property
    def n_kept(self) -> int:
        """Return the size of the gold standard.

        Returns
        -------
        int
            The agreed items, and the disagreed ones kept with their majority label.
        """
        return self.n_agreed + self.n_split_kept

    @property
    def support(self) -> NDArray[np.int64]:
        """Return the possible numbers of hard items among the kept.

        Returns
        -------
        ndarray, shape (n - d + 1,)
            Numbers of items, corresponding to `pmf`.
        """
        return self.n_split_kept + np.arange(self.n_agreed + 1)

    @property
    def mean(self) -> float:
        """Return the expected number of hard items among the kept.

        Returns
        -------
        float
            From `n_split_kept` to `n_kept`.
        """
        return float(self.support @ self.pmf)

    @property
    def standard_deviation(self) -> float:
        """Return the standard deviation of the number of hard items among the kept.

        Returns
        -------
        float
            At least 0.
        """
        return float(np.sqrt((self.support - self.mean) ** 2 @ self.pmf))

    @cached_property
    def _exceeding(self) -> FloatArray:
        """P(more than j agreed items are hard), j = 0..n - d, summed from the smallest terms."""
        tail = np.cumsum(self.pmf[:0:-1])[::-1]
        return np.append(np.minimum(tail, 1), 0.0)

    def tail(self, t: ArrayLike) -> Any:
        """Compute the probability that more than t of the kept items are hard.

        Parameters
        ----------
        t : int or array_like of int
            Numbers of items.

        Returns
        -------
        float or ndarray
            P(hard > t), of the shape of `t`.
        """
        j = np.asarray(t, dtype=np.int64) - self.n_split_kept
        found = np.where(j < 0, 1.0, self._exceeding[np.clip(j, 0, self.n_agreed)])
        return found if found.ndim else float(found)

    def upper(self, level: float = 0.95) -> int:
        """Bound the number of hard items among the kept.

        Parameters
        ----------
        level : float, default 0.95
            Confidence, in (0, 1).

        Returns
        -------
        int
            The smallest t with P(hard > t) < 1 - level.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        check_open_unit("level", level)
        return self.n_split_kept + int(np.count_nonzero(self._exceeding >= 1 - level))

    def rate(self, level: float = 0.95) -> float:
        """Bound the share of hard items among the kept: the noise rate of the gold standard.

        Parameters
        ----------
        level : float, default 0.95
            Confidence, in (0, 1).

        Returns
        -------
        float
            In [0, 1]; NaN where no item is kept.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        t = self.upper(level)
        return t / self.n_kept if self.n_kept else float("nan")

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """Return the equal-tailed interval of the number of hard items.

        Parameters
        ----------
        level : float, default 0.95
            Minimum probability of the interval, in (0, 1).

        Returns
        -------
        tuple of int
            Lower and upper limits, both included.

        Raises
        ------
        ValueError
            If the level is not in (0, 1).
        """
        check_open_unit("level", level)
        outside = (1 - level) / 2
        lower = int(np.count_nonzero(np.cumsum(self.pmf) <= outside))
        upper = int(np.count_nonzero(self._exceeding > outside))
        return self.n_split_kept + lower, self.n_split_kept + upper


def hard_given_agreed(
    n_items: int,
    n_disagreed: int,
    chance: float,
    *,
    n_split_kept: int = 0,
    prior: ArrayLike | None = None,
) -> HardItems:
    """Compute the posterior number of hard items in a gold standard (Equation 1).

    Parameters
    ----------
    n_items : int
        n, at least 1.
    n_disagreed : int
        d, the items on which annotators disagree, from 0 to n.
    chance : float
        p, the probability that annotators agree on a hard item, in (0, 1); see
        `agreement_chance`.
    n_split_kept : int, default 0
        Number of disagreed items that enter the gold standard with their majority label.
    prior : array_like, shape (n + 1,), optional
        Prior weights of 0..n hard items, by default equal. The paper gives equal weights to
        1..n, which makes a difference only if d = 0.

    Returns
    -------
    HardItems
        The posterior distribution, with its `tail`, `upper` bound and noise `rate`.

    Raises
    ------
    ValueError
        If a number is out of range, or the prior has no weight on d..n.

    Notes
    -----
    Time and memory are linear in n: 100,000 items take some hundredths of a second. The log weights
    are accumulated outwards from the mode, so that rounding errors are smallest where the
    probability is largest.

    As n grows, with equal weights, the posterior P(hard > t) becomes the tail probability of a
    binomial test. The bound is therefore also a confidence bound at every number of hard items
    (`bound_coverage`), except for a few near n.

    References
    ----------
    Beigman Klebanov and Beigman (2009), Equation 1 and footnote 5.

    Examples
    --------
    >>> hard_given_agreed(2, 1, 0.5).pmf  # C(1, 1) : C(2, 1) / 2 = 1 : 1
    array([0.5, 0.5])
    >>> hard_given_agreed(1000, 100, 0.5).upper(0.95)
    125
    """
    n = check_integer("n_items", n_items, minimum=1)
    d = check_integer("n_disagreed", n_disagreed, minimum=0)
    if d > n:
        raise ValueError(f"n_disagreed={d} exceeds n_items={n}. Give d from 0 to n.")
    split = check_integer("n_split_kept", n_split_kept, minimum=0)
    if split > d:
        raise ValueError(
            f"n_split_kept={split} exceeds n_disagreed={d}. Only disagreed items can be split."
        )
    log_weight = _log_weights(n - d, d, check_open_unit("chance", chance))
    if prior is not None:
        log_weight = log_weight + _log_prior(prior, n)[d:]
        if not np.isfinite(log_weight.max()):
            raise ValueError(
                f"prior has no weight on {d}..{n} hard items, though {d} are disagreed on. "
                "Give positive weight to the observed numbers."
            )
    pmf = np.exp(log_weight - log_weight.max())
    pmf /= pmf.sum()
    pmf.flags.writeable = False
    return HardItems(n, d, float(chance), split, pmf)


def _log_weights(n_agreed: int, n_disagreed: int, chance: float) -> FloatArray:
    """Return log C(d + j, d) p^j for j = 0..n - d, minus its maximum."""
    steps = np.log(chance) + np.log1p(n_disagreed / np.arange(1, n_agreed + 1))
    mode = int(np.count_nonzero(steps > 0))  # the steps decrease, so the weights are unimodal
    before = -np.cumsum(steps[:mode][::-1])[::-1]
    return np.concatenate([before, [0.0], np.cumsum(steps[mode:])])


def _log_prior(prior: ArrayLike, n_items: int) -> FloatArray:
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (n_items + 1,) or not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError(
            f"prior has shape {weights.shape}. Give {n_items + 1} weights, none negative, one "
            f"for each number of hard items from 0 to {n_items}."
        )
    with np.errstate(divide="ignore"):
        return np.log(weights)
