"""A simulated corpus in place of the one of Bhowmick et al. (2008), which was never published."""

import itertools
from collections.abc import Sequence

import numpy as np
import scipy.optimize

from .values import CATEGORIES, CATEGORY_PAIRS, Printed, confusions_by_item


def dissents_of(table4: np.ndarray) -> np.ndarray:
    """Solve Table 4 for how often each annotator dissents from the two others, shape (3, 6).

    Two annotators disagree where one of the two dissents, so d_12 = e_1 + e_2 and so on. An
    odd total has halves; they are rounded so that the second row of the table, alone, is one
    too small.
    """
    own = table4.sum(axis=0) / 2 - table4[::-1]
    return np.stack([np.floor(own[0]), np.ceil(own[1]), np.floor(own[2])]).astype(int)


def share_of_two(share_single: float, expected: float, n_categories: int = 6) -> float:
    """Find the share of sentences in two categories that gives an expected agreement.

    A share of the sentences has one category, the others two or none; categories are
    equally common, and annotators have equal shares.
    """

    def excess(two: float) -> float:
        one = (share_single + 2 * two) / n_categories
        both = two / (n_categories * (n_categories - 1) / 2)
        neither = 1 - 2 * one + both
        return neither**2 + (2 * (one - both)) ** 2 + both**2 - expected

    return float(scipy.optimize.brentq(excess, 0, 1 - share_single))


def corpus(rng: np.random.Generator, printed: Printed, *, n_sentences: int = 1000) -> np.ndarray:
    """Simulate a corpus with the disagreements of Table 4 and the confusions of Table 5.

    Each sentence gets a set of one category, two or none. An annotator departs from it by a
    swap (one category for another; it makes a confusion with each of the two others) or by
    leaving a category out or adding one, half of these each, where that makes no further
    confusion. On one category of one sentence only one annotator departs, so the counts of
    departures are the dissents of Table 4.
    """
    n = len(CATEGORIES)
    share_single = printed.text["single_percent"] / 100
    expected = printed.table2["expected_agreement"].astype(float).mean()
    truth = draw_sets(rng, share_single, expected, n_sentences)
    labels = np.repeat(truth[:, None, :], 3, axis=1)
    free = np.ones((n_sentences, n), dtype=bool)
    left = dissents_of(printed.table4)

    def depart(items: np.ndarray, annotator: int, categories: Sequence[int]) -> None:
        labels[items[:, None], annotator, categories] ^= True
        free[np.ix_(items, categories)] = False
        left[annotator, categories] -= items.size

    for (a, b), confusions in zip(CATEGORY_PAIRS, printed.table5, strict=True):
        # Each swap is counted by both pairs of annotators that the swapper is in.
        for _ in range((confusions + rng.integers(2)) // 2):
            room = np.minimum(left[:, a], left[:, b])
            annotator = rng.choice(3, p=room / room.sum())
            candidates = np.flatnonzero((truth[:, a] != truth[:, b]) & free.all(axis=1))
            depart(rng.choice(candidates, 1), annotator, [a, b])
    for annotator, category in itertools.product(range(3), range(n)):
        count = left[annotator, category]
        for has, share in ((True, count // 2), (False, count - count // 2)):
            other = labels.copy()
            other[:, annotator, category] ^= True
            harmless = (confusions_by_item(other) <= confusions_by_item(labels)).all(axis=1)
            candidates = np.flatnonzero(free[:, category] & harmless & (truth[:, category] == has))
            depart(rng.choice(candidates, share, replace=False), annotator, [category])
    return labels


def draw_sets(
    rng: np.random.Generator, share_single: float, expected: float, n_sentences: int
) -> np.ndarray:
    """Draw sets of one category, two or none; all categories are equally common."""
    two = round(n_sentences * share_of_two(share_single, expected))
    single = round(n_sentences * share_single)
    size = rng.permutation(np.repeat([2, 1, 0], [two, single, n_sentences - two - single]))
    order = rng.random((n_sentences, len(CATEGORIES))).argsort(axis=1).argsort(axis=1)
    return order < size[:, None]
