"""Accuracy on gold that was drawn at random or chosen, and conformal sets.

Items have five labels, the easy ones of annotators with an accuracy of .9, the hard ones of .45,
and nine in ten labels of a misleading item name the same wrong category; an item's category is that
of the votes. Gold is chosen by agreement: an item on which labels disagree is so many times as
likely to have gold as a unanimous one.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from annobench import Annotations
from annobench.core.choices import DEFAULT_SEED
from annobench.evaluation.category_sets import conformal_sets
from annobench.evaluation.gold_sample import GoldSample, compare_gold
from studies.intervals.case import Case

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

N_ITEMS: Final = 3_000
#: Items on which the accuracy is taken for the truth.
LONG_RUN: Final = 400_000
#: How many times as likely an item has gold on which labels disagree.
CHOSEN: Final = {
    "drawn at random": 1.0,
    "twice as often where labels disagree": 2.0,
    "ten times as often where labels disagree": 10.0,
    "where labels disagree": np.inf,
}
N_GOLD: Final = (30, 300)
#: Shares of easy, hard and misleading items.
KINDS: Final = (0.7, 0.26, 0.04)
#: Level of the conformal sets.
SETS: Final = 0.9
#: Prevalence of the categories of the conformal sets.
RARE: Final = (0.6, 0.3, 0.1)


def cases() -> list[Case]:
    """List the intervals of accuracy on gold, the test, and the sets."""
    wanted = (0.93, 0.97)
    return [
        *(
            Case("consensus.gold_accuracy", f"{n} gold items, {how}", "coverage", wanted, trial)
            for how, times in CHOSEN.items()
            for n in N_GOLD
            for trial in [partial(_accuracy, times, n)]
        ),
        *(
            Case(
                f"consensus.{quantity}",
                f"{n} gold items, {how}",
                "coverage",
                # Of about ten items few shares are possible.
                wanted if n > 30 else (0.93, 1.0),
                partial(_of_category, quantity, CHOSEN[how], n),
                300,
            )
            for quantity in ("precision", "recall")
            for how in ("drawn at random", "ten times as often where labels disagree")
            for n in N_GOLD
        ),
        *(
            Case(
                "consensus.gold_is_random",
                f"{n} of {N_ITEMS} items have gold, drawn at random",
                "level",
                (0.03, 0.07),
                partial(_level, n),
            )
            for n in N_GOLD
        ),
        *(
            Case(
                "consensus.sets",
                f"{n} gold items, all items",
                "value",
                (SETS, SETS + 1 / (n + 1)),
                partial(_sets, n, False),
            )
            for n in N_GOLD
        ),
        *(
            Case(
                "consensus.sets_by_category",
                f"{n} gold items, category of prevalence {min(RARE):g}".replace("0.", "."),
                "value",
                (SETS, 1.0),
                partial(_sets, n, True),
            )
            for n in N_GOLD
        ),
    ]


def _votes(n_items: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw votes, and the items' categories."""
    category = rng.integers(3, size=n_items)
    kind = rng.choice(3, size=n_items, p=KINDS)
    is_right = rng.random((5, n_items)) < np.array([0.9, 0.45, 0.1])[kind]
    other = np.where(kind == 2, 1, rng.integers(1, 3, (5, n_items)))
    labels = np.where(is_right, category, (category + other) % 3)
    votes = (labels[:, :, None] == np.arange(3)).sum(axis=0)
    return votes, category


@cache
def _long_run() -> tuple[Ints, Ints]:
    """Draw votes and categories of very many items."""
    return _votes(LONG_RUN, np.random.default_rng(DEFAULT_SEED))


@cache
def _truth() -> tuple[float, float]:
    """Return the accuracy on very many items: on all, and where labels disagree."""
    votes, category = _long_run()
    right = votes.argmax(axis=1) == category
    return float(right.mean()), float(right[votes.max(axis=1) < 5].mean())


def _sample(labels: Annotations, times: float, n: int, rng: np.random.Generator) -> GoldSample:
    """Choose items by their agreement, and compare them with the others."""
    disputed = labels.counts.max(axis=1) < 5
    chance = disputed * 1.0 if np.isinf(times) else np.where(disputed, times, 1.0)
    known = np.zeros(N_ITEMS, dtype=bool)
    known[rng.choice(N_ITEMS, size=n, replace=False, p=chance / chance.sum())] = True
    return compare_gold(labels, known, rng=rng)


def _accuracy(times: float, n: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the interval, and the accuracy on items like those that gold represents."""
    votes, category = _votes(N_ITEMS, rng)
    sample = _sample(Annotations.from_counts(votes), times, n, rng)
    interval = sample.share(votes.argmax(axis=1) == category)
    of_all, of_disputed = _truth()
    return interval.lower, interval.upper, of_all if sample.represents else of_disputed


def _among(quantity: str, votes: Ints, category: Ints) -> tuple[Bools, Bools]:
    """Return whether an item counts, and is right, in a share of the first category."""
    answer = votes.argmax(axis=1)
    return (answer == 0 if quantity == "precision" else category == 0), answer == category


@cache
def _share_of_first(quantity: str, disputed: bool) -> float:
    """Return precision or recall on very many items: on all, or where labels disagree."""
    votes, category = _long_run()
    among, right = _among(quantity, votes, category)
    if disputed:
        among = among & (votes.max(axis=1) < 5)
    return float(right[among].mean())


def _of_category(
    quantity: str, times: float, n: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Return the interval of precision or recall of the first category, and the truth."""
    votes, category = _votes(N_ITEMS, rng)
    sample = _sample(Annotations.from_counts(votes), times, n, rng)
    among, right = _among(quantity, votes, category)
    interval = sample.part(right & among, among, 0.95)
    return interval.lower, interval.upper, _share_of_first(quantity, not sample.represents)


def _level(n: int, rng: np.random.Generator) -> tuple[float, ...]:
    labels = Annotations.from_counts(_votes(N_ITEMS, rng)[0])
    return (_sample(labels, 1.0, n, rng).p_value,)


def _sets(n: int, by_category: bool, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the share of items whose set has their category: of all, or of the rarest."""
    category = rng.choice(len(RARE), size=N_ITEMS, p=RARE)
    score = rng.normal(1.5 * np.eye(len(RARE))[category]) + np.log(RARE)
    posterior = np.exp(score)
    posterior /= posterior.sum(axis=1, keepdims=True)
    fold = np.full(N_ITEMS, -1)
    fold[rng.choice(N_ITEMS, size=n, replace=False)] = 0
    sets = conformal_sets([posterior], fold, category, SETS, by_category=by_category)
    counted = (fold < 0) & (not by_category or category == len(RARE) - 1)
    return (float(sets[counted, category[counted]].mean()),)
