"""Averages and votes of every n annotators, against subsets that are enumerated one by one."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from annobench.core.errors import AnnotationError
from annobench.evaluation.panels import panel_correlations, smallest_panel, vote_accuracy


def slow_correlation(labels, targets, n):
    """Average over subsets and targets, one call of scipy each."""
    found = [
        stats.pearsonr(labels[list(subset)].mean(axis=0), target).statistic
        for subset in combinations(range(len(labels)), n)
        for target in targets
    ]
    return np.mean(found)


def slow_accuracy(labels, gold, n, n_categories):
    """Average the vote over all ways to draw n labels of each item."""
    scores = []
    for row, right in zip(labels, gold, strict=True):
        for subset in combinations(row, n):
            votes = np.bincount(subset, minlength=n_categories)
            best = votes == votes.max()
            scores.append((best[right] / best.sum(), len(list(combinations(row, n)))))
    return sum(score / ways for score, ways in scores) / len(gold)


def test_correlations_are_those_of_enumerated_subsets(rng):
    labels, targets = rng.normal(size=(5, 30)), rng.normal(size=(3, 30))
    expected = [slow_correlation(labels, targets, n) for n in range(1, 6)]
    assert panel_correlations(labels, targets) == pytest.approx(expected)


def test_weights_count_items_as_often_as_repeating_them(rng):
    labels, targets = rng.normal(size=(4, 12)), rng.normal(size=(2, 12)) + 100
    weights = rng.integers(0, 4, size=(3, 12))
    expected = [
        panel_correlations(labels[:, places], targets[:, places])
        for places in (np.repeat(np.arange(12), row) for row in weights)
    ]
    assert panel_correlations(labels, targets, weights=weights) == pytest.approx(np.array(expected))


def test_a_constant_annotator_has_no_correlation():
    found = panel_correlations([[1, 1, 1], [1, 2, 3]], [1, 2, 3])
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(1)


def test_the_smallest_panel_is_the_first_that_reaches_the_reference():
    curves = [[0.4, 0.5, 0.6], [0.4, 0.5, 0.6], [0.6, 0.5, 0.7]]
    assert smallest_panel(curves, [0.5, 0.7, 0.6]).tolist() == [2, np.inf, 1]


@pytest.mark.parametrize("n_categories", [2, 3, 4])
def test_votes_are_those_of_enumerated_subsets(rng, n_categories):
    labels = rng.integers(n_categories, size=(8, 6))
    gold = rng.integers(n_categories, size=8)
    counts = np.array([np.bincount(row, minlength=n_categories) for row in labels])
    expected = [slow_accuracy(labels, gold, n, n_categories) for n in range(1, 7)]
    assert vote_accuracy(counts, gold) == pytest.approx(expected)


def test_with_two_categories_an_even_number_of_labels_adds_nothing(rng):
    counts = rng.multinomial(10, [0.7, 0.3], size=50)
    accuracy = vote_accuracy(counts, np.zeros(50, dtype=int))
    assert accuracy[1::2] == pytest.approx(accuracy[0::2])


def test_unsuitable_panels_are_refused():
    with pytest.raises(AnnotationError, match="at most 14"):
        panel_correlations(np.ones((15, 3)), np.ones(3))
    with pytest.raises(AnnotationError, match="labels of shape"):
        panel_correlations(np.ones((2, 3)), np.ones(4))
    with pytest.raises(AnnotationError, match="missing"):
        panel_correlations([[1, np.nan, 2]], [1, 2, 3])
    with pytest.raises(AnnotationError, match="weights of 2 items for 3"):
        panel_correlations([[1, 3, 2]], [1, 2, 3], weights=[[1, 1]])
    with pytest.raises(AnnotationError, match="different numbers of labels"):
        vote_accuracy([[1, 2], [1, 1]], [0, 0])
    with pytest.raises(AnnotationError, match="code of a category"):
        vote_accuracy([[1, 2]], [2])
