"""Strengths by pairwise judgements, as `annobench rank` prints them.

Comparisons of a prompt are dependent through a common draw, which decides half of them: each keeps
its probability by Bradley and Terry's model, so that the strengths are what intervals are to cover.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from annobench.pairwise import BradleyTerry, Comparisons, bradley_terry
from studies.intervals.case import Case

FOUR = (0.67, 0.24, -0.25, -0.66)
EIGHT = tuple(np.linspace(-1.5, 1.5, 8).round(2))
MIXED = (0.99, 0.9, 0.6) * 3
COVERAGE = (0.93, 0.97)
SLOPE = (0.9, 1.1)


@dataclass(frozen=True)
class Contest:
    """A design of comparisons."""

    n: int
    strengths: tuple[float, ...] = FOUR
    order: float = 0.0  # log odds for the first of two equal items
    unbalanced: bool = False  # the first item is in four of five comparisons
    prompts: int = 0
    annotators: tuple[float, ...] = ()  # their reliabilities

    @property
    def words(self) -> str:
        """The design in words."""
        largest = max(self.strengths)
        parts = [f"{self.n} comparisons, {len(self.strengths)} items to ±{largest:g}"]
        parts += ["four of five with one item"] * self.unbalanced
        parts += [f"log odds {self.order:g} for the first"] * (self.order != 0)
        parts += [f"{self.prompts} prompts, dependent"] * (self.prompts > 0)
        if self.annotators:
            values = ", ".join(f"{r:g}" for r in sorted(set(self.annotators), reverse=True))
            parts.append(f"{len(self.annotators)} annotators of reliability {values}")
        return ", ".join(parts)

    def draw(self, rng: np.random.Generator) -> Comparisons:
        """Draw comparisons."""
        k, n, strength = len(self.strengths), self.n, np.array(self.strengths)
        left = rng.integers(0, k, n)
        right = (left + rng.integers(1, k, n)) % k
        if self.unbalanced:
            with_first = rng.random(n) < 0.8
            other = rng.integers(1, k, n)
            turned = rng.random(n) < 0.5
            left = np.where(with_first, np.where(turned, 0, other), left)
            right = np.where(with_first, np.where(turned, other, 0), right)
        chance = rng.random(n)
        cluster = None
        if self.prompts:
            cluster = rng.permutation(np.arange(n) % self.prompts)
            chance = np.where(rng.random(n) < 0.5, rng.random(self.prompts)[cluster], chance)
        won = chance < expit(strength[left] - strength[right] + self.order)
        annotator, names = None, tuple(f"a{j}" for j in range(len(self.annotators)))
        if names:
            annotator = rng.permutation(np.arange(n) % len(names))
            guessed = rng.random(n) > np.array(self.annotators)[annotator]
            won = np.where(guessed, rng.random(n) < 0.5, won)
        items = tuple(f"item {i}" for i in range(k))
        outcome = np.where(won, 0, 2)
        return Comparisons(items, left, right, outcome, names, annotator, cluster=cluster)

    def rank(self, rng: np.random.Generator) -> BradleyTerry:
        """Draw comparisons and rank the items."""
        return bradley_terry(self.draw(rng), reliability=bool(self.annotators))


def cases() -> list[Case]:
    """List the designs."""
    plain = [Contest(n, FOUR, 0.4, unbalanced=True) for n in (100, 400)]
    plain += [Contest(400, EIGHT, 0.4)]
    clustered = [Contest(400, FOUR, 0.4, prompts=c) for c in (20, 80)]
    crowds = [
        Contest(400, FOUR, annotators=(0.99,) * 9),
        Contest(400, EIGHT, annotators=(0.99,) * 9),
        Contest(400, FOUR, annotators=MIXED),
        Contest(400, EIGHT, annotators=MIXED),
        Contest(400, FOUR, annotators=MIXED, prompts=80),
    ]
    rows = []
    for contest in plain + clustered + crowds:
        name = "rank.strength_with_reliability" if contest.annotators else "rank.strength"
        sets = 200 if contest.annotators else 1000
        rows += [
            Case(name, contest.words, "coverage", COVERAGE, partial(_strength, contest), sets),
            Case(f"{name}_slope", contest.words, "value", SLOPE, partial(_slope, contest), 100),
        ]
        if contest.order:
            rows.append(
                Case("rank.first", contest.words, "coverage", COVERAGE, partial(_first, contest))
            )
    equal = [Contest(400, (0.0,) * 4), Contest(400, (0.0,) * 4, prompts=20)]
    rows += [
        Case("rank.any_difference", contest.words, "level", (0.02, 0.06), partial(_level, contest))
        for contest in equal
    ]
    for contest in (Contest(400, FOUR), Contest(400, EIGHT)):
        design = f"{contest.words}, 9 annotators of reliability from Beta(4, 1)"
        trial = partial(_reliability, contest)
        rows.append(Case("rank.reliability", design, "coverage", COVERAGE, trial, 200))
    return rows


def _finite(
    contest: Contest, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return estimates with limits of the finite strengths, and what they estimate."""
    table = contest.rank(rng).table
    table = table[np.isfinite(table["strength"])]
    places = [int(name.split()[1]) for name in table["item"]]
    truth = np.array(contest.strengths)[places]
    return table[["strength", "lower", "upper"]].to_numpy(), truth - truth.mean()


def _strength(contest: Contest, rng: np.random.Generator) -> tuple[float, ...]:
    rows, truth = _finite(contest, rng)
    item = int(rng.integers(len(truth)))
    return rows[item, 1], rows[item, 2], truth[item]


def _slope(contest: Contest, rng: np.random.Generator) -> tuple[float, ...]:
    rows, truth = _finite(contest, rng)
    return (float(rows[:, 0] @ truth / (truth @ truth)),)


def _first(contest: Contest, rng: np.random.Generator) -> tuple[float, ...]:
    first = contest.rank(rng).first
    return float(first.lower), float(first.upper), float(expit(contest.order))


def _level(contest: Contest, rng: np.random.Generator) -> tuple[float, ...]:
    """Return 0, as if a p-value, if a difference of equal items is significant, and 1 if none."""
    return (float((contest.rank(rng).table["rank_worst"] == len(contest.strengths)).all()),)


def _reliability(contest: Contest, rng: np.random.Generator) -> tuple[float, ...]:
    crowd = replace(contest, annotators=tuple(rng.beta(4, 1, 9)))
    table = crowd.rank(rng).annotators
    assert table is not None
    row = table.iloc[int(rng.integers(len(table)))]
    truth = crowd.annotators[int(row["annotator"][1:])]
    return row["reliability_lower"], row["reliability_upper"], truth
