"""One-coin, MACE and GLAD find the parameters that labels were simulated from."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from annobench import datasets
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, glad, mace, one_coin, voting

#: Chance of a false alarm of one test.
LEVEL = 1e-3


def labels_of(item, annotator, label, n_items, n_annotators, n_categories) -> Annotations:
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(n_categories),
    )


def assigned(rng, n_items, n_annotators, per_item):
    """Give every item to as many annotators, drawn without replacement."""
    annotator = rng.random((n_items, n_annotators)).argsort(axis=1)[:, :per_item]
    return np.repeat(np.arange(n_items), per_item), annotator.ravel()


def squared_z(estimate, truth, n_labels) -> float:
    """Sum the squared errors of shares of right labels in standard errors."""
    return float(((estimate - truth) ** 2 * n_labels / (truth * (1 - truth))).sum())


@pytest.mark.parametrize("n_categories", [2, 4])
@pytest.mark.parametrize("n_items", [500, 3_000])
def test_one_coin_finds_accuracies_and_prevalence(n_items, n_categories, rng):
    # With fifteen labels an item the categories are all but known, and an accuracy is a share.
    n_annotators, per_item = 40, 15
    accuracy = rng.uniform(0.55, 0.95, n_annotators)
    prevalence = rng.dirichlet(np.full(n_categories, 5.0))
    truth = rng.choice(n_categories, n_items, p=prevalence)
    item, annotator = assigned(rng, n_items, n_annotators, per_item)
    shift = rng.integers(1, n_categories, size=item.size)
    right = rng.random(item.size) < accuracy[annotator]
    label = (truth[item] + np.where(right, 0, shift)) % n_categories
    fit = one_coin.fit(labels_of(item, annotator, label, n_items, n_annotators, n_categories))
    n_labels = np.bincount(annotator)
    low, high = scipy.stats.chi2.ppf([LEVEL / 2, 1 - LEVEL / 2], df=n_annotators)
    assert low < squared_z(fit.accuracy, accuracy, n_labels) < high
    assert squared_z(fit.accuracy, np.roll(accuracy, 1), n_labels) > high  # negative control
    miss = ((fit.prevalence - prevalence) ** 2 * n_items / prevalence).sum()
    assert miss < scipy.stats.chi2.isf(LEVEL, df=n_categories - 1)


def test_one_coin_fails_on_bluebirds_for_its_likelihood_and_not_for_its_start(mirror):
    # Many annotators call the birds of one category wrongly and those of the other rightly.
    loaded = datasets.load("ti_bluebird", mode="real")
    annotations = loaded.annotations
    gold = np.eye(2)[loaded.gold]
    fit = one_coin.fit(annotations)
    from_gold = dawid_skene.fit(annotations, tie="one_coin", start=gold)
    assert from_gold.history[0] < fit.log_posterior
    np.testing.assert_array_equal(from_gold.posterior.argmax(1), fit.posterior.argmax(1))
    assert dawid_skene.fit(annotations).log_likelihood > fit.log_likelihood + 400
    votes = voting.fit(annotations).posterior.argmax(axis=1)
    assert (fit.posterior.argmax(1) == loaded.gold).sum() < (votes == loaded.gold).sum()


@pytest.mark.parametrize("inference", ["em", "variational"])
def test_mace_finds_who_knows_and_how_the_others_spam(inference, rng):
    n_items, n_annotators, per_item, k = 1_500, 30, 15, 3
    competence = rng.uniform(0.1, 0.9, n_annotators)
    strategy = rng.dirichlet(np.ones(k), size=n_annotators)
    truth = rng.integers(k, size=n_items)
    item, annotator = assigned(rng, n_items, n_annotators, per_item)
    edges = strategy.cumsum(axis=1)[annotator]
    spam = (rng.random((item.size, 1)) > edges[:, :-1]).sum(axis=1)
    knows = rng.random(item.size) < competence[annotator]
    label = np.where(knows, truth[item], spam)
    annotations = labels_of(item, annotator, label, n_items, n_annotators, k)
    fit = mace.fit(annotations, rng=rng, inference=inference, n_starts=2)
    # The share of right labels is known from counts alone; the model can only do better.
    n_labels = np.bincount(annotator)
    right = competence + (1 - competence) / k
    high = scipy.stats.chi2.isf(LEVEL, df=n_annotators)
    assert squared_z(fit.accuracy, right, n_labels) < high
    assert squared_z(fit.accuracy, np.roll(right, 1), n_labels) > high  # negative control
    # A label l on an item of another category is spam: of these alone its share can be counted.
    spam = (1 - competence[:, None]) * strategy
    if inference == "variational":  # drawn to its prior, as if so many labels more were spam
        number = n_labels[:, None] * spam
        drawn = (number + mace.STRATEGY_PRIOR) / (number + mace.STRATEGY_PRIOR).sum(axis=1)[:, None]
        spam = (1 - competence[:, None]) * drawn
    found = (1 - fit.competence[:, None]) * fit.strategy
    error = np.sqrt(spam * (1 - spam) / (n_labels[:, None] * (1 - 1 / k)))
    bound = scipy.stats.norm.isf(LEVEL / 2 / spam.size)
    assert (np.abs(found - spam) / error).max() < bound
    assert (np.abs(found - np.roll(spam, 1, axis=0)) / error).max() > bound  # negative control


def simulate_glad(rng, n_items, n_categories, per_item):
    """Draw abilities and log easinesses, categories, and labels of 40 annotators."""
    ability, log_easiness = rng.normal(1, 1, 40), rng.normal(0, 1, n_items)
    truth = rng.integers(n_categories, size=n_items)
    item, annotator = assigned(rng, n_items, 40, per_item)
    chance = 1 / (1 + np.exp(-ability[annotator] * np.exp(log_easiness[item])))
    shift = rng.integers(1, n_categories, size=item.size)
    label = (truth[item] + np.where(rng.random(item.size) < chance, 0, shift)) % n_categories
    annotations = labels_of(item, annotator, label, n_items, 40, n_categories)
    return annotations, ability, log_easiness, truth


def fisher_z(correlation: float, n: int) -> float:
    """Return a correlation in standard errors of its transform."""
    return float(np.arctanh(correlation) * np.sqrt(n - 3))


@pytest.mark.parametrize("n_categories", [2, 4])
def test_glad_finds_abilities_and_difficulties(n_categories, rng):
    # As well as if the categories and the other factor were known. Then the error of an ability or
    # a log easiness follows from its information, and its correlation with the truth from that.
    annotations, ability, log_easiness, _ = simulate_glad(rng, 1_000, n_categories, 20)
    fit = glad.fit(annotations)
    assert fit.converged
    easiness = np.exp(log_easiness)[annotations.item]
    of_label = ability[annotations.annotator] * easiness
    weight = scipy.stats.logistic.pdf(of_label)
    of_ability = np.bincount(annotations.annotator, weight * easiness**2)
    of_easiness = np.bincount(annotations.item, weight * of_label**2)
    for found, truth, information in (
        (fit.ability, ability, of_ability),
        (np.log(fit.easiness), log_easiness, of_easiness),
    ):
        expected = np.sqrt(1 - np.mean(1 / (1 + information)))  # the prior's information is 1
        bound = scipy.stats.norm.isf(LEVEL)
        z = fisher_z(np.corrcoef(found, truth)[0, 1], truth.size)
        assert z > fisher_z(expected, truth.size) - bound
        # Negative control
        assert fisher_z(np.corrcoef(found, np.roll(truth, 1))[0, 1], truth.size) < bound


def test_glad_errs_less_than_votes(rng):
    annotations, _, _, truth = simulate_glad(rng, 3_000, 2, 10)
    right = glad.fit(annotations).posterior.argmax(axis=1) == truth
    votes = voting.fit(annotations).posterior.argmax(axis=1) == truth
    # McNemar: items that one has right and the other wrong
    gained, lost = int((right & ~votes).sum()), int((votes & ~right).sum())
    assert scipy.stats.binomtest(gained, gained + lost, alternative="greater").pvalue < LEVEL
