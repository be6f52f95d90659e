"""How often a search through readings finds a value that was never printed.

Where a paper doesn't say how a value was computed, many readings may be tried. That one of them
gives the printed value shows little if one of them would give any value. So the same search is
run for values that nobody printed: those printed at that place, each shifted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from annobench.reporting.printed import parse_printed
from annobench_replication.ledger import SEARCH_METHOD, Computed
from annobench_replication.study import Study

__all__ = ["Search", "chance", "search_rows", "searched_values", "single_values"]

#: Values never printed for which a search is run again.
N_SHIFTED: Final = 1000

#: The printed table of values whose reading is searched for, if no other table has them.
SEARCHED: Final = "searched"

#: They differ from printed ones by one to so many units of the last place.
MAX_SHIFT: Final = 9


@dataclass(frozen=True)
class Search:
    """What all readings give for the values of one question.

    Attributes
    ----------
    printed : tuple of str
        The T values as printed, all of which one reading must give.
    readings : ndarray of shape (R, T)
        What each reading gives; NaN where it gives nothing.
    """

    printed: tuple[str, ...]
    readings: np.ndarray

    def deviations(self, shifts: Sequence[int] | None = None) -> np.ndarray:
        """Return how far each reading is off what is printed.

        Parameters
        ----------
        shifts : sequence of int of shape (T,), optional
            Units of the last place by which the printed values are shifted.

        Returns
        -------
        ndarray of shape (R,)
            The largest deviation over the values, in units of their last place.
        """
        numbers = [parse_printed(text) for text in self.printed]
        values = np.array([float(number.value) for number in numbers])
        units = np.array([float(number.unit) for number in numbers])
        moved = 0 if shifts is None else np.asarray(shifts)
        off = np.abs(np.atleast_2d(self.readings) / units - values / units - moved)
        largest: np.ndarray = np.nan_to_num(off, nan=np.inf).max(axis=1)
        return largest

    def finds(self, shifts: Sequence[int] | None = None) -> bool:
        """Say whether some reading gives all values.

        Parameters
        ----------
        shifts : sequence of int of shape (T,), optional
            As of `deviations`.

        Returns
        -------
        bool
            True where the values of one reading all round to what is printed, or to that and
            the shifts.
        """
        return bool(self.deviations(shifts).min(initial=np.inf) <= 0.5 * (1 + 1e-9))

    @property
    def best(self) -> np.ndarray:
        """What the nearest reading gives, an array of shape (T,)."""
        nearest: np.ndarray = self.readings[int(self.deviations().argmin())]
        return nearest


def chance(searches: Sequence[Search], rng: np.random.Generator, n: int = N_SHIFTED) -> float:
    """Estimate how often a search finds values that were never printed.

    Parameters
    ----------
    searches : sequence of Search
        The same search for each question at that place of the paper, whether it is answered or
        not.
    rng : Generator
        Draws a question, and shifts each of its values up or down by 1 to `MAX_SHIFT` units of
        the last place.
    n : int, default `N_SHIFTED`
        How many are drawn.

    Returns
    -------
    float
        The share in [0, 1] of draws for which some reading gives all values.
    """
    drawn = rng.integers(len(searches), size=n)
    found = 0
    for search in (searches[k] for k in drawn):
        shifts = rng.integers(1, MAX_SHIFT, len(search.printed), endpoint=True)
        found += search.finds(shifts * rng.choice([-1, 1], len(search.printed)))
    return found / n


def search_rows(targets: Sequence[str], search: Search, chance: float) -> list[Computed]:
    """Return what the nearest reading gives, with the chance that such a search finds anything.

    Parameters
    ----------
    targets : sequence of str of length T
        Of the values of the search.
    search : Search
        What all readings give.
    chance : float
        As `chance` returns it.

    Returns
    -------
    list of Computed
        Rows of the method "best of R readings", which are shown beside the paper's own; the base
        rate is the chance.
    """
    method = SEARCH_METHOD.format(len(search.readings))
    return [
        Computed(target, float(value), method=method, base_rate=chance)
        for target, value in zip(targets, search.best, strict=True)
    ]


def searched_values(study: Study) -> pd.Series[str]:
    """Return the printed values whose reading is searched for.

    Parameters
    ----------
    study : Study
        With a printed table `SEARCHED`.

    Returns
    -------
    Series
        The values as printed, by target.
    """
    return study.printed(SEARCHED, dtype="str").set_index("name")["value"]


def single_values(
    printed: Mapping[str, str],
    readings: Mapping[str, Sequence[float] | np.ndarray],
    rng: np.random.Generator,
) -> list[Computed]:
    """Return the nearest reading of each value of one place, with the chance of finding any.

    Parameters
    ----------
    printed : mapping of str to str
        The values as printed, by target.
    readings : mapping of str to sequence of float
        What all readings give, by target.
    rng : Generator
        As of `chance`.

    Returns
    -------
    list of Computed
        As `search_rows` returns them.
    """
    searches = {
        target: Search((printed[target],), np.array([*found], float)[:, None])
        for target, found in readings.items()
    }
    by_chance = chance([*searches.values()], rng)
    return [
        row
        for target, search in searches.items()
        for row in search_rows([target], search, by_chance)
    ]
