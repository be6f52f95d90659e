"""Votes weighted by agreement with their winners: cases by hand, and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from annobench.labels.annotations import Annotations
from annobench.models import voting, wawa


def panel(labels: dict[str, str], **names: object) -> Annotations:
    """Labels of annotators "0", "1", ... by item; "-" is none: ``{"x": "11-0"}``."""
    rows = [
        (i, str(j), label)
        for i, row in labels.items()
        for j, label in enumerate(row)
        if label != "-"
    ]
    return Annotations.from_arrays(*zip(*rows, strict=True), **names)


def simulated(rng, n_categories: int = 3, n_items: int = 60, n_annotators: int = 7) -> Annotations:
    """Labels of annotators who are right from four to nine times in ten; some are missing."""
    truth = rng.integers(n_categories, size=(n_items, 1))
    shift = rng.integers(1, n_categories, size=(n_items, n_annotators))
    right = rng.random(shift.shape) < np.linspace(0.4, 0.9, n_annotators)
    label = (truth + np.where(right, 0, shift)) % n_categories
    item, annotator = np.nonzero(rng.random(shift.shape) < 0.6)
    return Annotations.from_arrays(
        item,
        annotator,
        label[item, annotator],
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(n_categories),
    )


# The definitions again, label by label, with plain loops.


def rows_of(annotations: Annotations):
    return list(zip(annotations.item, annotations.annotator, annotations.label, strict=True))


def vote(annotations: Annotations, weights) -> tuple[np.ndarray, list[list[int]]]:
    """Return shares and winners of a weighted vote; sums that are equal but for rounding tie."""
    votes = np.zeros((annotations.n_items, annotations.n_categories))
    for i, j, label in rows_of(annotations):
        votes[i, label] += weights[j]
    winners = [[k for k, v in enumerate(row) if v >= row.max() * (1 - 1e-11)] for row in votes]
    total = votes.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, votes / np.where(total > 0, total, 1), 1 / votes.shape[1])
    return shares, winners


def agreement(annotations: Annotations, winners) -> np.ndarray:
    """Return the share of each annotator's labels that name a winner, one of t counting 1/t."""
    right, number = np.zeros(annotations.n_annotators), np.zeros(annotations.n_annotators)
    for i, j, label in rows_of(annotations):
        number[j] += 1
        if label in winners[i]:
            right[j] += 1 / len(winners[i])
    return right / number


# Wawa.


def test_wawa_by_hand():
    # x: 1 wins, y: 0 wins, z: 0 and 1 tie. Annotator 0 is right on x and y and by a half on z.
    fit = wawa.fit(panel({"x": "111", "y": "001", "z": "01-"}))
    np.testing.assert_allclose(fit.accuracy, [2.5 / 3, 2.5 / 3, 1 / 2], rtol=1e-12)
    weight = 2.5 / 3
    share = [1, 0.5 / (2 * weight + 0.5), 0.5]
    np.testing.assert_allclose(fit.posterior[:, 1], share, rtol=1e-12)
    assert fit.posterior[2, 0] == fit.posterior[2, 1]  # still a tie, and shown as one


def test_the_second_vote_of_wawa_can_overturn_the_first():
    # On x the many who are seldom right win the first vote, two against one, by 0.4 each.
    rows = {f"y{n}": "1" + "1001"[n] + "0100"[n] + "11" for n in range(4)} | {"x": "100--"}
    fit = wawa.fit(panel(rows))
    assert voting.fit(panel(rows)).winners[-1].tolist() == [True, False]
    # Annotator 0: right on the four y, 1 and 2: on x and on two and one of the y.
    np.testing.assert_allclose(fit.accuracy, [4 / 5, 3 / 5, 2 / 5, 1, 1], rtol=1e-12)
    np.testing.assert_allclose(fit.posterior[-1], [1.0 / 1.8, 0.8 / 1.8], rtol=1e-12)


@pytest.mark.parametrize("n_categories", [2, 3, 6])
def test_wawa_against_plain_loops(rng, n_categories):
    annotations = simulated(rng, n_categories)
    fit = wawa.fit(annotations)
    weights = agreement(annotations, vote(annotations, np.ones(7))[1])
    np.testing.assert_allclose(fit.accuracy, weights, rtol=1e-12)
    np.testing.assert_allclose(fit.posterior, vote(annotations, weights)[0], rtol=1e-12)


def test_an_annotator_without_labels_agrees_with_nobody_and_changes_nothing():
    labels = {"x": "110", "y": "000", "z": "011"}
    for model in (wawa,):
        alone, idle = model.fit(panel(labels)), model.fit(panel(labels, annotators="0123"))
        assert np.isnan(idle.accuracy[3])
        np.testing.assert_array_equal(idle.accuracy[:3], alone.accuracy)
        np.testing.assert_array_equal(idle.posterior, alone.posterior)
