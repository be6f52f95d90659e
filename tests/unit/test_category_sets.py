"""Sets of categories: against slow definitions, and their coverage."""

import numpy as np
import pytest
from scipy.stats import binom

from annobench.aggregation.consensus import consensus
from annobench.core.errors import AnnotationError
from annobench.evaluation.category_sets import (
    conformal_sets,
    counts_by_category,
    credible_sets,
    fewest_gold,
)
from annobench.labels.annotations import Annotations


def drawn(rng, n, k=3):
    """Return calibrated probabilities and categories drawn from them."""
    q = rng.dirichlet(np.full(k, 0.4), n)
    return q, (rng.random((n, 1)) > q.cumsum(axis=1)).sum(axis=1)


def slow_conformal(posteriors, fold, gold, level, by_category):
    """Count as the definition does."""
    n_items, k = posteriors[0].shape
    inside = np.zeros((n_items, k), dtype=bool)
    known = [i for i in range(n_items) if fold[i] >= 0]
    for i in range(n_items):
        for category in range(k):
            pool = [g for g in known if not by_category or gold[g] == category]
            above = 0
            for g in pool:
                q = posteriors[fold[g]]
                above += 1 - q[g, gold[g]] >= 1 - q[i, category]
            inside[i, category] = (above + 1) / (len(pool) + 1) > 1 - level
    return inside


@pytest.mark.parametrize("by_category", [True, False])
@pytest.mark.parametrize("n_folds", [1, 3])
def test_conformal_sets_are_those_of_the_definition(by_category, n_folds):
    rng = np.random.default_rng(1)
    posteriors = [drawn(rng, 60)[0] for _ in range(n_folds)]
    gold = rng.integers(3, size=60)
    fold = np.where(np.arange(60) < 40, np.arange(60) % n_folds, -1)
    found = conformal_sets(posteriors, fold, gold, 0.85, by_category=by_category)
    assert (found == slow_conformal(posteriors, fold, gold, 0.85, by_category)).all()


@pytest.mark.parametrize("by_category", [True, False])
def test_split_conformal_sets_hold_their_guarantee(by_category):
    rng = np.random.default_rng(2)
    n_gold, repeats, level = 60, 400, 0.9
    held = 0
    for _ in range(repeats):
        q, category = drawn(rng, n_gold + 1)
        # Probabilities that mean nothing of the sort: the guarantee does not need them.
        wrong = q**3 / (q**3).sum(axis=1, keepdims=True)
        fold = np.r_[np.zeros(n_gold, dtype=int), -1]
        sets = conformal_sets([wrong], fold, category, level, by_category=by_category)
        held += sets[-1, category[-1]]
    # One new item a repeat: independent, each with a probability of at least .9.
    assert held >= binom.ppf(1e-4, repeats, level)


def test_sets_by_category_hold_it_for_a_rare_category():
    rng = np.random.default_rng(3)
    held = {True: 0, False: 0}
    repeats = 300
    for _ in range(repeats):
        category = np.r_[np.zeros(180, dtype=int), np.ones(20, dtype=int), 1]
        # Items of the rare category look like those of the other.
        p = np.clip(rng.normal(np.where(category == 1, 0.5, 0.15), 0.1), 0.01, 0.99)
        fold = np.r_[np.zeros(200, dtype=int), -1]
        for by_category in held:
            q = np.column_stack([1 - p, p])
            sets = conformal_sets([q], fold, category, 0.9, by_category=by_category)
            held[by_category] += sets[-1, 1]
    least = binom.ppf(1e-4, repeats, 0.9)
    assert held[True] >= least > held[False]


def test_credible_sets_are_the_smallest_of_their_probability():
    q, _ = drawn(np.random.default_rng(4), 200, 4)
    sets = credible_sets(q, 0.8)
    inside = np.where(sets, q, 0).sum(axis=1)
    least = np.where(sets, q, np.inf).min(axis=1)
    assert (inside >= 0.8).all()
    assert (inside - least < 0.8).all()
    assert (np.where(sets, 0, q).max(axis=1) <= least).all()


def test_too_few_gold_items_are_an_error_that_says_how_many():
    assert [fewest_gold(level) for level in (0.5, 0.9, 0.95)] == [1, 9, 19]
    q = np.full((10, 2), 0.5)
    with pytest.raises(AnnotationError, match="need at least 9 gold items, got 8"):
        conformal_sets([q], np.r_[np.zeros(8, int), -1, -1], np.zeros(10, int), 0.9)
    with pytest.raises(AnnotationError, match="level"):
        credible_sets(q, 90)


def test_every_category_needs_enough_gold_for_sets_of_its_own():
    assert counts_by_category(np.repeat([0, 1, -1], 18), 2, 0.9)
    assert not counts_by_category(np.repeat([0, 1], [200, 17]), 2, 0.9)
    assert not counts_by_category(np.repeat([0, 1], 100), 3, 0.9)


def labels(n_items=80):
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=n_items)
    item = np.repeat(np.arange(n_items), 5)
    annotator = np.tile(np.arange(5), n_items)
    label = np.where(rng.random(item.size) < 0.75, truth[item], 1 - truth[item])
    return Annotations.from_arrays(item, annotator, label, categories=[0, 1]), truth


@pytest.mark.parametrize(
    ("model", "kind"),
    [("voting", "split"), ("pool", "cross"), ("dawid_skene", "cross")],
)
def test_a_consensus_has_sets_and_says_what_they_promise(model, kind):
    a, truth = labels()
    gold = {str(i): str(truth[i]) for i in range(40)}
    found = consensus(a, model=model, gold=gold, sets=0.9, rng=1, replicates=0)
    assert f"{kind}-conformal" in found.sets.promise.replace("split conf", "split-conf")
    size = found.sets.inside.sum(axis=1)
    assert found.sets.counts() == {
        "one": (size == 1).sum(),
        "several": (size > 1).sum(),
        "none": (size == 0).sum(),
    }
    assert (found.items["set_size"] == size).all()
    assert found.items["category_set"][3] == str(truth[3])
    both = found.items.loc[size == 2, "category_set"]
    assert (both == "0, 1").all()


def test_without_gold_sets_are_credible():
    a, _ = labels()
    found = consensus(a, model="voting", sets=0.75)
    assert (found.sets.inside == credible_sets(found.fitted.posterior, 0.75)).all()
    assert "Nothing was checked" in found.sets.promise
    assert consensus(a, model="voting").sets is None


def test_by_category_rare_categories_are_covered():
    """Marginal sets cover the rare category less often; sets by category at the level."""
    rng = np.random.default_rng(8)
    coverage = {False: [], True: []}
    for _ in range(100):
        truth = rng.choice(3, size=600, p=[0.6, 0.3, 0.1])
        score = rng.normal(1.5 * np.eye(3)[truth]) + np.log([0.6, 0.3, 0.1])
        q = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
        fold = np.where(np.arange(600) < 100, 0, -1)
        rare = (truth == 2) & (fold < 0)
        for by_category, found in coverage.items():
            sets = conformal_sets([q], fold, truth, 0.9, by_category=by_category)
            found.append(sets[rare, 2].mean())
    error = np.std(coverage[True]) / 10
    assert np.mean(coverage[True]) > 0.9 - 3 * error
    assert np.mean(coverage[False]) < 0.85


def test_weights_are_those_of_the_items_that_gold_stands_for():
    # Three gold items of scores .1, .2 and .3; the first stands for four items.
    q = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.85, 0.15]])
    fold, gold = np.array([0, 0, 0, -1]), np.zeros(4, dtype=int)
    weight = np.array([4.0, 1.0, 1.0, 1.0])
    # Of category 0 the new item has the score .15: (1 + 1 + 1) / 7 of the weight is at least that.
    kept = [
        bool(conformal_sets([q], fold, gold, level, weight=weight)[3, 0])
        for level in (1 - 3.1 / 7, 1 - 2.9 / 7)
    ]
    assert kept == [False, True]
    same = conformal_sets([q], fold, gold, 0.7, weight=np.full(4, 2.5))
    assert (same == conformal_sets([q], fold, gold, 0.7)).all()


def test_a_consensus_says_which_guarantee_holds():
    a, truth = labels()
    gold = {str(i): str(truth[i]) for i in range(20)}
    options = {"model": "voting", "gold": gold, "sets": 0.9, "rng": 1}
    on_average = consensus(a, **options).sets
    by_category = consensus(a, **options, sets_by_category=True).sets
    assert "on average over all items (marginally)" in on_average.promise
    assert "for the items of every category" in by_category.promise
    assert (on_average.inside <= by_category.inside).mean() > 0.9
