"""Dawid and Skene's model, adjusted for the measured dependence of errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import adjusted_dawid_skene as model
from annobench.models._passes import Passing
from studies.default_model.designs import DESIGNS, simulate
from studies.default_model.scoring import scores_of


def crowd(rng: np.random.Generator) -> tuple[Annotations, np.ndarray]:
    """Draw 5 labels of each of 400 items by 45 annotators, who err independently.

    Accuracies are from Beta(8, 3), errors uniform; three annotators always give the last category.
    """
    truth = rng.choice(3, 400, p=[0.5, 0.3, 0.2])
    accuracy = rng.beta(8, 3, 45)
    annotator = np.argsort(rng.random((400, 45)), axis=1)[:, :5].ravel()
    item = np.repeat(np.arange(400), 5)
    right = rng.random(2_000) < accuracy[annotator]
    label = np.where(right, truth[item], (truth[item] + rng.integers(1, 3, 2_000)) % 3)
    label = np.where(annotator < 3, 2, label)
    shape = {"items": range(400), "annotators": range(45), "categories": range(3)}
    return Annotations.from_arrays(item, annotator, label, **shape), truth


def labels_of(dependence: str, number: int = 0) -> tuple[Annotations, np.ndarray]:
    designs = [design for design in DESIGNS if design.dependence == dependence]
    return simulate(designs[number], np.random.default_rng(3))


def test_independent_errors_give_calibrated_probabilities():
    scores = []
    for seed in range(5):
        labels, truth = crowd(np.random.default_rng(seed))
        scores.append(scores_of(model.fit(labels).posterior, truth))
    assert np.mean([row["log_loss"] for row in scores]) <= 0.33
    ratio = sum(row["expected_0"] for row in scores) / sum(row["actual_0"] for row in scores)
    assert 0.8 <= ratio <= 1.25


def test_dependent_errors_are_measured_and_allowed_for():
    labels, truth = labels_of("moderate")
    fitted = model.fit(labels)
    assert fitted.weight > 0.9
    unadjusted = model.combine(fitted.evidence, 0.0, fitted.adjustment)
    adjusted, plain = (scores_of(table, truth) for table in (fitted.posterior, unadjusted))
    assert adjusted["log_loss"] < plain["log_loss"]
    assert plain["expected_0.95"] < 0.5 * plain["actual_0.95"]
    assert adjusted["expected_0.95"] > 0.8 * adjusted["actual_0.95"]


def test_independent_errors_are_not_discounted():
    fitted = model.fit(labels_of("none", 1)[0])
    assert fitted.weight < 0.2


def test_scores_leave_the_item_out():
    labels = Annotations.from_arrays(
        [0, 0, 1, 1, 2, 2, 2], [0, 1, 0, 1, 0, 1, 2], [0, 0, 1, 0, 1, 1, 0], categories=range(2)
    )
    fitted = model.fit(labels)
    pooled = model._fit_pooled(labels, np.zeros(0, dtype=np.int32), 1e-6, 1_000)
    expected = np.zeros((3, 2))
    for item in range(3):
        rest = labels.item != item
        for category in range(2):
            for n in np.flatnonzero(~rest):
                j, label = labels.annotator[n], labels.label[n]
                others = rest & (labels.annotator == j)
                weight = pooled.posterior[labels.item[others], category]
                hits = weight[labels.label[others] == label].sum()
                hits += pooled.concentration * pooled.mean[category, label]
                expected[item, category] += np.log(hits / (weight.sum() + pooled.concentration))
    np.testing.assert_allclose(fitted.evidence.scores, expected, rtol=1e-10)


def test_scores_do_not_depend_on_the_size_of_chunks(monkeypatch):
    labels = labels_of("none", 1)[0]
    whole = model.fit(labels).evidence.scores
    monkeypatch.setattr(model, "_CHUNK", 7)
    np.testing.assert_allclose(model.fit(labels).evidence.scores, whole, rtol=1e-10)


def test_probabilities_are_a_mixture_of_both_cases():
    seen = model.Evidence(np.array([[-1.0, -3.0]]), np.log([0.6, 0.4]), np.array([[2, 1]]))
    constants = model.Adjustment(0.5, 0.7, 0.3, 0.1, -3.0, 1.0, 0.4, 0.2)
    independent = softmax(seen.log_prevalence + seen.scores, axis=1)
    # Three labels count as 3 / (1 + 2 / 2) = 1.5, half of three; vote shares are 2.5/4 and 1.5/4.
    logs = 0.7 * seen.log_prevalence + 0.3 * np.log([2.5 / 4, 1.5 / 4]) + seen.scores / 2
    dependent = 0.9 * softmax(logs, axis=1) + 0.1 / 2
    for weight in (0.0, 0.25, 1.0):
        np.testing.assert_allclose(
            model.combine(seen, weight, constants),
            (1 - weight) * independent + weight * dependent,
        )


def test_gold_is_certain():
    labels = labels_of("none", 1)[0]
    gold = np.full(labels.n_items, -1)
    gold[:3] = [2, 0, 1]
    fitted = model.fit(labels, gold=gold)
    np.testing.assert_array_equal(fitted.posterior[:3], np.eye(3)[[2, 0, 1]])


def test_partitions_give_what_memory_gives():
    labels = labels_of("moderate", 1)[0]
    gold = {labels.items[0]: labels.categories[0]}
    in_memory = model.fit(labels)
    in_blocks = model.fit_partitions(Passing.in_memory(labels)).fit
    assert in_blocks.weight == pytest.approx(in_memory.weight, abs=1e-3)
    # Both stop within 1e-6 of the limit of the probabilities.
    np.testing.assert_allclose(in_blocks.confusion, in_memory.confusion, atol=1e-3)
    np.testing.assert_allclose(in_blocks.prevalence, in_memory.prevalence, atol=1e-4)
    with pytest.raises(AnnotationError, match="not looked up by name"):
        model.fit_partitions(Passing.in_memory(labels), gold=gold)


def test_the_same_labels_give_the_same_result():
    labels = labels_of("moderate")[0]
    np.testing.assert_array_equal(model.fit(labels).posterior, model.fit(labels).posterior)


def test_intervals_cover_simulated_accuracy():
    covered = []
    for dependence in ("none", "moderate"):
        labels, truth = labels_of(dependence, 1)
        fitted = model.fit(labels)
        table = fitted.annotators_frame(model.bootstrap(labels, fitted, rng=1))
        assert (table["accuracy"] >= table["accuracy_lower95"]).all()
        assert (table["accuracy"] <= table["accuracy_upper95"]).all()
        right = np.bincount(labels.annotator, labels.label == truth[labels.item])
        share = right / np.bincount(labels.annotator)
        covered.extend((table["accuracy_lower95"] <= share) & (share <= table["accuracy_upper95"]))
    # Of 80 annotators at a level of .95 fewer than 70 are covered once in 1,000 times.
    assert sum(covered) >= 70


def test_draws_reject_other_labels():
    fitted = model.fit(labels_of("none", 1)[0])
    with pytest.raises(AnnotationError, match="needs the labels that were fitted"):
        model.bootstrap(labels_of("none", 8)[0], fitted)


def test_constants_without_a_family_differ():
    assert model.shipped("snow2008_rte") != model.shipped()
    assert model.unseen("snow2008_rte") == {"adjustment": model.shipped("snow2008_temp")}
    assert model.shipped("a data set of somebody else") == model.shipped()


@pytest.mark.parametrize(
    ("dependence", "words"),
    [("moderate", "Therefore n labels of an item count as"), ("none", "independence")],
)
def test_a_fit_says_how_dependent_errors_are(dependence, words):
    assert words in model.fit(labels_of(dependence)[0]).explanation()


def test_labels_without_disagreement_are_treated_as_dependent():
    labels = Annotations.from_wide([[1, 1, 1], [0, 0, 0]] * 10)
    fitted = model.fit(labels)
    assert fitted.weight > 0.8
    assert fitted.posterior.max() < 0.999
