"""The checks of a method from outside: what each finds, and what sound methods keep."""

import itertools
import time

import numpy as np
import pytest

from annobench import models
from annobench.benchmark.external_methods import Candidate, check
from annobench.benchmark.external_methods.answers import to_posterior
from annobench.benchmark.external_methods.candidate import Answer, record
from annobench.benchmark.external_methods.contract import synthetic
from annobench.core.errors import AnnotationError, MethodError, MethodTimeoutError
from annobench.models import dawid_skene, voting

CHECKS = [
    "same seed, same answer",
    "order of the labels",
    "names of items and annotators",
    "order of the categories",
    "three categories and one without labels",
    "repeated labels of one annotator",
]


def candidate(function, *, random=False):
    """Make a candidate of a function that returns probabilities."""

    def fit(labels, rng=None):
        posterior = to_posterior(function(labels, rng) if random else function(labels), labels)
        return Answer(labels.items, labels.annotators, labels.categories, posterior)

    return Candidate(record("toy", reference="none", deterministic=not random), fit, "toy")


def broken(function, *, random=False):
    """Name the checks that a method does not keep."""
    found = check(candidate(function, random=random), limit=5, seed=3)
    assert [each.check for each in found] == CHECKS
    assert all(bool(each.note) is not each.kept for each in found)
    return {each.check: each.note for each in found if not each.kept}


@pytest.mark.parametrize("name", ["voting", "dawid_skene", "one_coin", "mace"])
def test_models_of_the_library_keep_to_the_contract(name):
    model = models.get(name)
    found = check(Candidate(model.METHOD, model.fit, name), limit=20, seed=3)
    assert [each for each in found if not each.kept] == []


def test_a_generator_that_is_used_is_no_fault():
    def noisy(labels, rng):
        shares = voting.fit(labels).posterior + 0.2 * rng.random((labels.n_items, 1))
        return shares / shares.sum(axis=1, keepdims=True)

    assert broken(noisy, random=True) == {}


def test_another_source_of_randomness_is_found():
    own = np.random.default_rng(5)

    def noisy(labels):
        p = own.random(labels.n_items) if labels.n_categories == 2 else np.ones(labels.n_items)
        rest = np.zeros((labels.n_items, labels.n_categories - 2))
        return np.column_stack([p, 1 - p, rest])

    note = broken(noisy)["same seed, same answer"]
    assert "two runs differ by up to" in note
    assert "Draw from rng" in note


def test_a_state_that_is_kept_between_fits_is_found():
    calls = itertools.count()

    def tired(labels):
        shares = voting.fit(labels).posterior
        return shares if next(calls) == 0 else 0.5 * shares + 0.5 / labels.n_categories

    assert "same seed, same answer" in broken(tired)


def test_a_method_that_trusts_the_first_label_depends_on_the_order():
    def first(labels):
        codes = labels.label[labels.by_item.order[labels.by_item.offsets[:-1]]]
        return np.eye(labels.n_categories)[codes]

    note = broken(first)["order of the labels"]
    assert "whatever the order of the labels; they change by up to 1" in note


def test_a_method_that_trusts_the_first_name_is_found():
    def first_of_the_alphabet(labels):
        expert = labels.annotators.index(min(labels.annotators))
        weights = np.where(labels.annotator == expert, 10, 1)
        table = np.zeros((labels.n_items, labels.n_categories))
        np.add.at(table, (labels.item, labels.label), weights)
        return table / table.sum(axis=1, keepdims=True)

    assert list(broken(first_of_the_alphabet)) == ["names of items and annotators"]


def test_ties_that_go_to_the_first_category_are_found():
    def mode(labels):
        return np.eye(labels.n_categories)[labels.counts.argmax(axis=1)]

    found = broken(mode)
    assert list(found) == ["order of the categories"]
    assert "favoured by argmax if votes are tied" in found["order of the categories"]


def test_a_method_of_two_categories_is_told_what_it_misses():
    def binary(labels):
        if labels.n_categories > 2:
            raise AnnotationError("two categories only")
        return voting.fit(labels).posterior

    found = broken(binary)
    assert list(found) == ["three categories and one without labels"]
    assert "two categories only Data sets with such labels" in found[CHECKS[4]]


def test_a_method_that_refuses_repeats_is_told_what_it_misses():
    def pivoted(labels):
        if labels.first_repeat is not None:
            raise MethodError("Index contains duplicate entries")
        return voting.fit(labels).posterior

    assert list(broken(pivoted)) == ["repeated labels of one annotator"]


def test_a_method_that_forgets_a_category_without_labels_is_stopped():
    def seen_only(labels):
        seen = np.unique(labels.label)
        return voting.fit(labels).posterior[:, seen]

    with pytest.raises(MethodError, match="A column is missing for '“4”'"):
        check(candidate(seen_only), limit=5, seed=3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda labels: np.full((3, 2), 0.5), r"got shape \(3, 2\)"),
        (lambda labels: voting.fit(labels).posterior * np.nan, "expected finite"),
        (lambda labels: labels.counts, "Divide each row by its sum"),
        (lambda labels: None, "got None"),
    ],
)
def test_an_answer_that_is_no_table_of_probabilities_stops(function, message):
    with pytest.raises(MethodError, match=message):
        check(candidate(function), limit=5, seed=3)


def test_a_method_that_does_not_end_is_stopped():
    with pytest.raises(MethodTimeoutError, match=r"within 0\.2 s; got none. Raise --limit"):
        check(candidate(endless), limit=0.2, seed=3)


def endless(labels):
    while True:
        time.process_time()


def test_labels_of_the_checks_are_a_fair_trial():
    labels = synthetic(3, 3, idle=True)
    assert labels.n_items == 40
    assert (labels.counts.sum(axis=0) == 0).tolist() == [False, False, False, True]
    assert labels.first_repeat is None
    sizes = np.bincount(labels.item)
    assert sizes.min() >= 1
    assert len(np.unique(sizes)) > 2
    two = synthetic(2, 3)
    assert voting.fit(two).is_tie.any(), "a tie, or its treatment would not be seen"
    assert dawid_skene.fit(two).converged
