"""The empirical coverage of the noise certificate: exact where possible, else by simulation.

A certificate holds if no more retained labels are guesses than it says. Three tables:

`exact_coverage`
    The model "easy_hard" with a known distribution of guesses. The number of disagreements is
    binomial, so that the coverage at every number of hard items is a finite sum.
`simulated_coverage`
    Everything else, on labels simulated under a `Regime`: estimated guesses, more categories,
    the model "rates", and regimes in which an assumption fails, which say so.
`simulated_power`
    The power that `noise.certification_power` plans, against certificates of simulated labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise import easy_hard
from annobench.noise._guessing import Guess, chance_of_agreement
from annobench.noise._votes import Votes
from annobench.noise.certificate import (
    EASY_RATE,
    Model,
    Systems,
    bounds,
    posterior_bound,
    unexplained_difference,
)
from annobench.noise.planning import certification_power
from annobench.resampling.proportions import proportion_interval

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Shares of hard items that the table of exact coverage shows.
SHARES: Final = (0.02, 0.1, 0.3, 0.5, 0.9, 1.0)
#: The most annotators of the exact curves; with more, hardly a guess stays undetected.
EXACT_ANNOTATORS: Final = (2, 3)
#: Designs whose planned power is compared with simulation: items, annotators, share of hard items.
POWER_DESIGNS: Final = (
    (300, 2, 0.02),
    (300, 2, 0.05),
    (300, 3, 0.1),
    (300, 4, 0.2),
    (1000, 4, 0.2),
)


def exact_coverage(
    n_items: int, chance: float, *, confidence: float = 0.95, share: float | None = None
) -> pd.DataFrame:
    """Compute how often the bounds hold at each number of hard items, without simulation.

    Parameters
    ----------
    n_items : int
        n.
    chance : float
        That all guesses on a hard item agree, known; in (0, 1).
    confidence : float, default 0.95
        Nominal.
    share : float, optional
        Return the row of this share of hard items alone.

    Returns
    -------
    DataFrame
        A row for each number 0..n of hard items: n_hard, certificate and equation1, the
        probabilities that either bound holds.

    Raises
    ------
    AnnotationError
        If there is no item, or `chance` or `share` is out of range.

    Notes
    -----
    O(n^2), and O(n^2) for the bounds of Equation 1.
    """
    if n_items < 1 or not 0 < chance < 1 or not (share is None or 0 <= share <= 1):
        raise AnnotationError(
            "exact_coverage: needs an item, a chance in (0, 1) and a share in [0, 1], got "
            f"{n_items}, {chance} and {share}."
        )
    d = np.arange(n_items + 1)
    hidden = stats.nbinom.isf(1 - confidence, d + 1, 1 - chance)
    limits = {
        "certificate": np.minimum(hidden, n_items - d),
        "equation1": np.array(
            [easy_hard.hard_given_agreed(n_items, int(k), chance).upper(confidence) for k in d]
        ),
    }
    numbers = d if share is None else np.array([round(share * n_items)])
    found: dict[str, Any] = {"n_hard": numbers}
    for name, limit in limits.items():
        found[name] = [float(stats.binom.pmf(d, h, 1 - chance) @ (h - d <= limit)) for h in numbers]
    return pd.DataFrame(found)


def exact_summary(
    items: Iterable[int],
    annotators: Iterable[int],
    guesses: Iterable[float],
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Tabulate the exact coverage: averaged over the prior, the least, and at fixed numbers.

    Parameters
    ----------
    items, annotators, guesses : iterable
        Numbers of items and of labels per item, and probabilities of a guess, which are crossed.
    confidence : float, default 0.95
        Nominal.

    Returns
    -------
    DataFrame
        A row for each combination and bound: n_items, n_annotators, guess, chance, bound
        ("certificate" or "equation1"), prior (coverage averaged over 0..n hard items, equally
        likely), least, least_at (the number of hard items there), and one column for each of
        `SHARES`, named hard_<share>.
    """
    rows = []
    for n, j, p in product(items, annotators, guesses):
        chance = chance_of_agreement([1 - p, p], [j])
        table = exact_coverage(n, chance, confidence=confidence)
        for bound in ("certificate", "equation1"):
            held = table[bound].to_numpy()
            rows.append(
                {
                    "n_items": n,
                    "n_annotators": j,
                    "guess": p,
                    "chance": chance,
                    "bound": bound,
                    "prior": held.mean(),
                    "least": held.min(),
                    "least_at": int(held.argmin()),
                }
                | {f"hard_{share:g}": held[round(share * n)] for share in SHARES}
            )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Regime:
    """How labels are simulated, and what the certificate is told.

    Attributes
    ----------
    name : str
        In words.
    n_items, n_annotators : int
        I, and labels per item.
    hard : float
        Share of hard items: a fixed number of them, or if below 0, a number drawn evenly from
        0..I.
    guess : tuple of float
        Distribution of guesses, one number per category.
    model : {"easy_hard", "rates"}
        That certifies.
    given : float, sequence or None
        The guesses that the certificate is told; None to estimate them.
    keep : float
        Share of labels that an item needs.
    error : float
        Probability of a wrong label on an easy item.
    spread : float
        Concentration of a Dirichlet distribution of each hard item's own guesses around `guess`;
        0 for guesses all alike.
    pool : int
        Annotators that the labels of all items come from; 0 for new ones each time.
    lazy : float
        Share of the pool that guesses on every item.
    copying : float
        Probability that a label is copied from the item's label before.
    missing : float
        Probability that a label beyond the first two is absent.
    adaptive : float
        The same, for hard items beside.
    inside : bool
        Whether the certificate's assumptions hold.
    """

    name: str
    n_items: int
    n_annotators: int
    hard: float
    guess: tuple[float, ...] = (0.5, 0.5)
    model: Model = "easy_hard"
    given: Guess | None = None
    keep: float = 1.0
    error: float = 0.0
    spread: float = 0.0
    pool: int = 0
    lazy: float = 0.0
    copying: float = 0.0
    missing: float = 0.0
    adaptive: float = 0.0
    inside: bool = True

    @property
    def n_categories(self) -> int:
        """The number of categories K."""
        return len(self.guess)

    def draw(self, rng: np.random.Generator) -> tuple[Annotations, Floats, NDArray[np.bool_]]:
        """Simulate labels.

        Parameters
        ----------
        rng : numpy.random.Generator
            The source of randomness.

        Returns
        -------
        annotations : Annotations
            Two labels per item at least.
        rates : ndarray, shape (I, K)
            What share of all annotators would give each label.
        hard : ndarray of bool, shape (I,)
            Which items are hard.
        """
        n, k, j = self.n_items, self.n_categories, self.n_annotators
        number = round(self.hard * n) if self.hard >= 0 else int(rng.integers(0, n + 1))
        hard = np.arange(n) < number
        category = rng.integers(0, k, size=n)
        rates: Floats = np.full((n, k), self.error / (k - 1))
        rates[np.arange(n), category] = 1 - self.error
        guess = np.asarray(self.guess)
        rates[hard] = rng.dirichlet(self.spread * guess, number) if self.spread else guess
        lazy = np.arange(self.pool) < round(self.lazy * self.pool)
        who = np.arange(n * j).reshape(n, j)
        by_label = np.repeat(rates[:, None], j, axis=1)
        if self.pool:
            who = rng.random((n, self.pool)).argsort(axis=1)[:, :j]
            by_label = np.where(lazy[who][..., None], guess, by_label)
            rates = lazy.mean() * guess + (1 - lazy.mean()) * rates
        above = rng.random((n, j, 1)) > np.cumsum(by_label, axis=2)[..., :-1]
        label = np.asarray(above.sum(axis=2))
        if self.copying:
            for later in range(1, j):
                copied = rng.random(n) < self.copying
                label[copied, later] = label[copied, later - 1]
        absent = rng.random((n, j)) < (self.missing + self.adaptive * hard)[:, None]
        absent[:, :2] = False
        item, turn = np.nonzero(~absent)
        annotations = Annotations(
            item.astype(np.int32),
            who[item, turn].astype(np.int32),
            label[item, turn].astype(np.int16),
            tuple(map(str, range(n))),
            tuple(map(str, range(max(self.pool, n * j)))),
            tuple(map(str, range(k))),
        )
        return annotations, rates, hard


@dataclass(frozen=True)
class Trial:
    """One simulated certificate beside the truth.

    Attributes
    ----------
    n_retained, n_guesses, truth : int
        Retained labels, how many are guesses at most, and how many are.
    posterior : float
        The posterior bound; NaN where there is none.
    refused : bool
        Whether there was no certificate: the guesses could not be estimated, or the labels
        rejected the model.
    explained : tuple of bool
        Whether the difference of two systems that are equally good but for guesses stayed below
        the smallest that guesses can't explain: systems opposed, independent.
    """

    n_retained: int
    n_guesses: int
    truth: int
    posterior: float
    refused: bool
    explained: tuple[bool, bool]

    @property
    def holds(self) -> bool:
        """Whether no more labels are guesses than certified."""
        return self.truth <= self.n_guesses


def trial(regime: Regime, rng: np.random.Generator, *, confidence: float = 0.95) -> Trial:
    """Simulate labels and certify them.

    Parameters
    ----------
    regime : Regime
        How.
    rng : numpy.random.Generator
        The source of randomness.
    confidence : float, default 0.95
        Of the certificate.

    Returns
    -------
    Trial
        Where there is no certificate, all retained labels may be guesses.
    """
    annotations, rates, hard = regime.draw(rng)
    votes = Votes.of(annotations, "trial")
    kept = votes.kept(regime.keep)
    label = votes.counts.argmax(axis=1)
    number = int(kept.sum())
    unsettled = rates[np.arange(label.size), label] < EASY_RATE
    guessed = hard if regime.model == "easy_hard" else unsettled
    truth = int((kept & guessed).sum())
    try:
        bound, _, guesses = bounds(votes, regime.model, regime.given, EASY_RATE, confidence)
        found = [bound(regime.keep, miss) for miss in (1 - confidence, (1 - confidence) / 2)]
        posterior = posterior_bound(votes, guesses, regime.keep, 1 - confidence)
    except AnnotationError:
        found, posterior = [-1, -1], math.nan
    refused = found[0] < 0
    most, half = ((number if refused else min(x, number)) for x in found)
    ahead = _differences(label[kept & guessed], regime.n_categories, rng)
    systems: tuple[Systems, Systems] = ("opposed", "independent")
    explained = tuple(
        difference < unexplained_difference(most, half, confidence, kind)
        for difference, kind in zip(ahead, systems, strict=True)
    )
    return Trial(number, most, truth, posterior, refused, (explained[0], explained[1]))


def _differences(label: Labels, n_categories: int, rng: np.random.Generator) -> tuple[int, int]:
    """Let two systems answer the guessed items at random: differently, and independently."""
    first = rng.integers(0, n_categories, size=label.size)
    other = (first + rng.integers(1, n_categories, size=label.size)) % n_categories
    second = rng.integers(0, n_categories, size=label.size)
    right = [int((system == label).sum()) for system in (first, other, second)]
    return abs(right[0] - right[1]), abs(right[0] - right[2])


def simulated_coverage(
    regime: Regime, *, repetitions: int, seed: int, confidence: float = 0.95
) -> dict[str, Any]:
    """Count how often certificates hold.

    Parameters
    ----------
    regime : Regime
        How labels are simulated.
    repetitions : int
        Data sets.
    seed : int
        Of the study; the stream depends on the regime's name too.
    confidence : float, default 0.95
        Nominal.

    Returns
    -------
    dict
        One row: what the regime is, repetitions, n_refused (no certificate), coverage with its
        95% Wilson interval lower and upper, posterior (how often the posterior bound holds, where
        there is one), mean_posterior (its mean rate), mean_rate (certified), mean_truth (share of
        guesses among the retained), opposed and independent (how often the difference of two
        systems stayed unexplained, as it should with probability `confidence`), and verdict.
    """
    rng = np.random.default_rng([seed, *regime.name.encode()])
    trials = [trial(regime, rng, confidence=confidence) for _ in range(repetitions)]
    held = sum(each.holds for each in trials)
    within = proportion_interval(held, repetitions)
    retained = np.maximum([each.n_retained for each in trials], 1)
    with_posterior = [each for each in trials if not math.isnan(each.posterior)]
    truths, posteriors, sizes = (
        np.array([getattr(each, name) for each in with_posterior])
        for name in ("truth", "posterior", "n_retained")
    )
    sizes = np.maximum(sizes, 1)
    return {
        "regime": regime.name,
        "model": regime.model,
        "n_items": regime.n_items,
        "n_annotators": regime.n_annotators,
        "n_categories": regime.n_categories,
        "hard": regime.hard,
        "guess": max(regime.guess),
        "keep": regime.keep,
        "inside": regime.inside,
        "repetitions": repetitions,
        "n_refused": sum(each.refused for each in trials),
        "coverage": held / repetitions,
        "lower": within.lower,
        "upper": within.upper,
        "posterior": float(np.mean(truths <= posteriors)) if posteriors.size else math.nan,
        "mean_posterior": float(np.mean(posteriors / sizes)) if posteriors.size else math.nan,
        "mean_rate": float(np.mean([each.n_guesses for each in trials] / retained)),
        "mean_truth": float(np.mean([each.truth for each in trials] / retained)),
        "opposed": float(np.mean([each.explained[0] for each in trials])),
        "independent": float(np.mean([each.explained[1] for each in trials])),
        "verdict": "low" if within.upper < confidence else "holds",
    }


def simulated_power(
    n_items: int,
    n_annotators: int,
    hard: float,
    *,
    guess: float = 0.5,
    rate: float = 0.05,
    repetitions: int,
    seed: int,
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Compare how often a rate is certified with its planned power.

    Parameters
    ----------
    n_items, n_annotators : int
        Of the design.
    hard : float
        Probability of an item to be hard.
    guess : float, default 0.5
        Of the second of two categories.
    rate : float, default 0.05
        To be certified.
    repetitions : int
        Data sets.
    seed : int
        Of the study.
    confidence : float, default 0.95
        Of the certificate.

    Returns
    -------
    dict
        One row: the design, planned (power), simulated with its 95% Wilson interval lower and
        upper, and verdict: "holds" if the interval of 99.9% contains the planned power.
    """
    rng = np.random.default_rng([seed, n_items, n_annotators, round(1e6 * hard)])
    certified = 0
    for _ in range(repetitions):
        number = rng.binomial(n_items, hard)
        regime = Regime("power", n_items, n_annotators, number / n_items, (1 - guess, guess))
        annotations, _, _ = regime.draw(rng)
        votes = Votes.of(annotations, "power")
        bound, _, _ = bounds(votes, "easy_hard", guess, EASY_RATE, confidence)
        kept = int(votes.unanimous.sum())
        certified += kept > 0 and min(bound(1.0, 1 - confidence), kept) <= rate * kept
    planned = certification_power(
        n_items, n_annotators, hard, rate=rate, guess_distribution=guess, level=confidence
    )
    wilson = proportion_interval(certified, repetitions)
    wide = proportion_interval(certified, repetitions, method="exact", level=0.999)
    return {
        "n_items": n_items,
        "n_annotators": n_annotators,
        "hard": hard,
        "guess": guess,
        "rate": rate,
        "repetitions": repetitions,
        "planned": planned,
        "simulated": certified / repetitions,
        "lower": wilson.lower,
        "upper": wilson.upper,
        "verdict": "holds" if wide.lower <= planned <= wide.upper else "low",
    }


def exact_curves(items: Sequence[int], guesses: Sequence[float]) -> pd.DataFrame:
    """Compute the exact coverage at every number of hard items.

    Parameters
    ----------
    items : sequence of int
        Numbers of items.
    guesses : sequence of float
        Probabilities that a guess is the second of two categories, in (0, 1).

    Returns
    -------
    DataFrame
        Rows of `exact_coverage` with n_items, n_annotators (each of `EXACT_ANNOTATORS`) and guess.
    """
    return pd.concat(
        [
            exact_coverage(n, chance_of_agreement([1 - p, p], [j])).assign(
                n_items=n, n_annotators=j, guess=p
            )
            for n, j, p in product(items, EXACT_ANNOTATORS, guesses)
        ],
        ignore_index=True,
    )


def power_table(*, repetitions: int, seed: int) -> pd.DataFrame:
    """Compare planned and simulated power on each of `POWER_DESIGNS`.

    Parameters
    ----------
    repetitions : int
        Data sets of each design.
    seed : int
        Of the study.

    Returns
    -------
    DataFrame
        Rows of `simulated_power`.
    """
    return pd.DataFrame(
        [simulated_power(*design, repetitions=repetitions, seed=seed) for design in POWER_DESIGNS]
    )


def regimes(grid: Mapping[str, Any]) -> list[Regime]:
    """List what is simulated.

    Parameters
    ----------
    grid : mapping
        items, annotators, rate_annotators, guesses and hard: lists that are crossed.

    Returns
    -------
    list of Regime
        Those whose assumptions hold, then those in which one fails.
    """
    found = []
    for n, j, p, h in product(grid["items"], grid["annotators"], grid["guesses"], grid["hard"]):
        pair = (1 - p, p)
        if j >= 3:
            found.append(Regime(f"guesses estimated, {n}/{j}/{p:g}/{h:g}", n, j, h, pair))
        low, high = max(0.05, p - 0.15), min(0.95, p + 0.15)
        found.append(
            Regime(f"a range given, {n}/{j}/{p:g}/{h:g}", n, j, h, pair, given=(low, high))
        )
    for n, j in product(grid["items"], grid["annotators"]):
        found.append(Regime(f"prior, 0.5 given, {n}/{j}", n, j, -1, given=0.5))
        three = (0.5, 0.3, 0.2)
        if j >= 3:
            found.append(Regime(f"prior, guesses estimated, {n}/{j}", n, j, -1))
            found.append(Regime(f"three categories, estimated, {n}/{j}", n, j, 0.3, three))
            found.append(Regime(f"labels missing, {n}/{j}", n, j, 0.3, missing=0.3))
            found.append(Regime(f"majority, {n}/{j}", n, j, 0.2, keep=0.5))
    rates: dict[str, Any] = {"model": "rates", "keep": 0.5}
    for n, j, h in product(grid["items"], grid["rate_annotators"], grid["hard"]):
        at = f"{n}/{j}/{h:g}"
        found += [
            Regime(f"rates: coins, {at}", n, j, h, error=0.1, **rates),
            Regime(f"rates: just below settled, {at}", n, j, h, (0.41, 0.59), error=0.05, **rates),
            Regime(f"rates: all degrees, {at}", n, j, h, spread=2, error=0.15, **rates),
        ]
    for n, j in product(grid["items"], grid["rate_annotators"]):
        found.append(
            Regime(
                f"rates: four fifths kept, {n}/{j}",
                n,
                j,
                0.3,
                (0.41, 0.59),
                error=0.1,
                model="rates",
                keep=0.8,
            )
        )
        found.append(
            Regime(
                f"rates: three categories, missing, {n}/{j}",
                n,
                j,
                0.3,
                (0.55, 0.35, 0.1),
                error=0.1,
                missing=0.3,
                **rates,
            )
        )
    return found + _outside(grid)


def _outside(grid: Mapping[str, Any]) -> list[Regime]:
    """List regimes in which an assumption fails."""
    n, j = max(grid["items"]), max(max(grid["annotators"]), 3)
    many = max(grid["rate_annotators"])
    out: dict[str, Any] = {"inside": False}
    return [
        Regime("a fair coin given, guesses are 0.8", n, 2, 0.3, (0.2, 0.8), given=0.5, **out),
        Regime("hard items differ, estimated", n, j, 0.3, spread=2, **out),
        Regime("hard items differ, fair coin given", n, 2, 0.3, spread=2, given=0.5, **out),
        Regime("easy items with 5% errors, estimated", n, j, 0.2, error=0.05, **out),
        Regime(
            "easy items with 5% errors, guesses of 0.85", n, j, 0.2, (0.15, 0.85), error=0.05, **out
        ),
        Regime("hard items have fewer labels", n, j, 0.3, adaptive=0.6, **out),
        Regime("a third copies, easy_hard", n, j, 0.3, copying=0.33, **out),
        Regime(
            "a third copies, rates",
            n,
            many,
            0.3,
            error=0.1,
            copying=0.33,
            model="rates",
            keep=0.5,
            **out,
        ),
        Regime(
            "a pool of 20 with 4 lazy, rates",
            n,
            many,
            0.3,
            (0.41, 0.59),
            error=0.05,
            model="rates",
            keep=0.5,
            pool=20,
            lazy=0.2,
            **out,
        ),
    ]
