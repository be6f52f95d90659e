"""The simulated marks and votes of Beigman Klebanov et al. (2008) are as their patterns say."""

import numpy as np
import pytest
import scipy.stats
from machinery import module_of

marks = module_of("beigman_klebanov2008", "marks")

PATTERNS = np.array([[0, 4, 1], [6, 2, 0], [0, 3, 5]])


def marks_and_votes(rng, **changes):
    arguments = {
        "patterns": PATTERNS,
        "n_items": 60,
        "n_added": 7,
        "accept_own": [0, 1, 1, 1, 1],
        "accept_other": [0, 0, 0, 1, 1],
    }
    return marks.marks_and_votes(**(arguments | changes), rng=rng)


def test_marks_have_the_given_patterns(rng):
    made = marks_and_votes(rng)
    labels = np.zeros((60, 4), dtype=int)
    labels[made.annotations.item, made.annotations.annotator] = made.annotations.label
    found = np.zeros_like(PATTERNS)
    np.add.at(found, (labels[:, :2].sum(axis=1), labels[:, 2:].sum(axis=1)), 1)
    assert found[0, 0] == 60 - PATTERNS.sum()
    found[0, 0] = 0
    assert found.tolist() == PATTERNS.tolist()
    assert made.validated.size == PATTERNS.sum() + 7
    assert np.unique(made.validated).size == made.validated.size
    assert (labels[made.validated, :2] == made.marked).all()


def test_votes_follow_own_marks_and_their_number(rng):
    made = marks_and_votes(rng)
    n_marks = np.bincount(made.annotations.item, weights=made.annotations.label)[made.validated]
    # Own marks are always accepted, those of others from three marks on.
    assert (made.accepted == (made.marked | (n_marks[:, None] >= 3))).all()
    assert not made.accepted[n_marks == 0].any()


def test_who_marks_is_drawn_evenly(rng):
    made = marks_and_votes(
        rng,
        patterns=[[0], [4000], [0], [0]],
        n_items=4000,
        n_added=0,
        accept_own=[0.5] * 4,
        accept_other=[0.5] * 4,
    )
    assert scipy.stats.chisquare(made.marked.sum(axis=0)).pvalue > 1e-4
    low, high = scipy.stats.binom.interval(0.9999, 12_000, 0.5)
    assert low <= made.accepted.sum() <= high


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"patterns": [[0, -1]]}, "patterns must be a table of counts"),
        ({"patterns": [1, 2]}, "patterns must be a table of counts"),
        ({"n_items": 20}, "of 20 items 21 are marked"),
        ({"n_added": 40}, "n_added must be from 0 to 39, got 40"),
        ({"accept_own": [1, 1]}, r"accept_own must be 5 numbers in \[0, 1\]"),
        ({"accept_other": [0, 0, 0, 0, 1.5]}, r"accept_other must be 5 numbers in \[0, 1\]"),
    ],
)
def test_marks_that_cannot_be_are_refused(rng, changes, message):
    with pytest.raises(ValueError, match=message):
        marks_and_votes(rng, **changes)
