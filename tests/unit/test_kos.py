"""KOS: messages by hand, against plain loops and against the eigenvector that they tend to."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import kos


def crowd(rng, n_items=60, n_annotators=12, share=0.4, worst=0.35, prefix="") -> Annotations:
    """Labels of annotators who are right with a probability up to .95."""
    truth, accuracy = rng.integers(2, size=n_items), np.linspace(worst, 0.95, n_annotators)
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) < share)
    right = rng.random(item.size) < accuracy[annotator]
    label = np.where(right, truth[item], 1 - truth[item])
    return Annotations.from_arrays(
        [f"{prefix}{i}" for i in item],
        [f"{prefix}{j}" for j in annotator],
        label,
        items=[f"{prefix}{i}" for i in range(n_items)],
        annotators=[f"{prefix}{j}" for j in range(n_annotators)],
        categories=range(2),
    )


def together(*parts: Annotations) -> Annotations:
    """All labels of several sets."""
    rows = [row for a in parts for row in a.to_frame().itertuples(index=False)]
    item, annotator, label = zip(*((r.item, r.annotator, r.label) for r in rows), strict=True)
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=dict.fromkeys(name for a in parts for name in a.items),
        annotators=dict.fromkeys(name for a in parts for name in a.annotators),
        categories=range(2),
    )


def slow_scores(annotations: Annotations, start: np.ndarray, n_rounds: int) -> np.ndarray:
    """Follow the definition, message by message; labels must be one for each pair."""
    rows = sorted(zip(annotations.item, annotations.annotator, annotations.label, strict=True))
    sign = {(i, j): 2 * label - 1 for i, j, label in rows}
    y = dict(zip(sign, start, strict=True))
    for _ in range(n_rounds):
        x = {
            (i, j): sum(sign[i, k] * y[i, k] for h, k in sign if h == i and k != j) for i, j in sign
        }
        y = {
            (i, j): sum(sign[h, j] * x[h, j] for h, k in sign if k == j and h != i) for i, j in sign
        }
    score = np.zeros(annotations.n_items)
    for (i, j), a in sign.items():
        score[i] += a * y[i, j]
    return score


@pytest.mark.parametrize("n_rounds", [1, 2, 5])
def test_rounds_are_those_of_the_definition(rng, n_rounds):
    annotations = crowd(rng)
    start = np.random.default_rng(3).normal(1, 1, annotations.n_labels)
    slow = slow_scores(annotations, start, n_rounds)
    fit = kos.fit(annotations, rng=3, max_iterations=n_rounds, tolerance=0)
    np.testing.assert_allclose(fit.scores / fit.scores[0], slow / slow[0], rtol=1e-9)
    # Negative control
    slow = slow_scores(annotations, start, n_rounds + 1)
    assert np.abs(fit.scores / fit.scores[0] - slow / slow[0]).max() > 1e-3


def test_messages_tend_to_the_leading_eigenvector(rng):
    annotations = crowd(rng, worst=0.5)
    order = np.lexsort((annotations.annotator, annotations.item))
    item, annotator = annotations.item[order], annotations.annotator[order]
    sign = 2.0 * annotations.label[order] - 1
    others = ~np.eye(item.size, dtype=bool)
    to_item = (item[:, None] == item) & others
    to_annotator = (annotator[:, None] == annotator) & others
    values, vectors = np.linalg.eig((to_annotator * sign) @ (to_item * sign))
    leading = vectors[:, np.abs(values).argmax()].real
    scores = np.bincount(item, sign * leading)
    fit = kos.fit(annotations, rng=1)
    assert fit.converged
    np.testing.assert_allclose(fit.scores / fit.scores[0], scores / scores[0], atol=1e-5)


def test_messages_that_go_round_for_ever_have_not_converged():
    # With few and poor labels the largest eigenvalues may be a complex pair, as they are here.
    fit = kos.fit(crowd(np.random.default_rng(0), n_items=40), rng=1)
    assert not fit.converged
    assert [text[:31] for text in fit.cautions()] == ["The search stopped before the i"]


def test_scale_and_posterior_by_hand():
    # All of one mind: all messages are alike, each label is right, and 2 p - 1 is 1.
    labels = [(i, j, 1) for i in "xyz" for j in "abc"]
    a = Annotations.from_arrays(*zip(*labels, strict=True), categories="01")
    fit = kos.fit(a, rng=1, tolerance=1e-12)
    np.testing.assert_allclose(fit.weights, 1, rtol=1e-6)
    np.testing.assert_allclose(fit.scores, 3, rtol=1e-6)
    np.testing.assert_allclose(fit.posterior[:, 1], 1 / (1 + np.exp(-6)), rtol=1e-6)


def test_a_block_with_one_cycle_votes():
    # x, y, a and b make a ring of four labels, z hangs on it. One cycle: all messages are 1.
    labels = [("x", "a", 1), ("x", "b", 1), ("y", "a", 1), ("y", "b", 0), ("z", "b", 0)]
    fit = kos.fit(Annotations.from_arrays(*zip(*labels, strict=True)), rng=1)
    # Three of five labels are with the score (of x both, of z one), and two tie: c = 3/5.
    np.testing.assert_allclose(fit.scores, [6 / 5, 0, -3 / 5], rtol=1e-12)
    np.testing.assert_allclose(fit.weights, 3 / 5, rtol=1e-12)
    assert (fit.n_iterations, fit.converged) == (1, True)


def test_blocks_do_not_meet(rng):
    parts = crowd(rng, worst=0.5, prefix="p"), crowd(rng, n_items=45, worst=0.5, prefix="q")
    fit = kos.fit(together(*parts), rng=1)
    alone = [kos.fit(part, rng=2) for part in parts]
    scores = np.concatenate([part.scores for part in alone])
    np.testing.assert_allclose(fit.scores, scores, atol=1e-4)
    weights = np.concatenate([part.weights for part in alone])
    np.testing.assert_allclose(fit.weights, weights, atol=1e-5)


def test_who_is_mostly_wrong_is_turned_round(rng):
    fit = kos.fit(crowd(rng, n_items=200), rng=1)
    assert fit.weights[0] < 0 < fit.weights[-1]


def test_an_annotator_of_one_item_has_no_vote(rng):
    annotations = crowd(rng, worst=0.5)
    extra = Annotations.from_arrays(["0"], ["new"], [1], categories=range(2))
    fit, before = kos.fit(together(annotations, extra), rng=1), kos.fit(annotations, rng=1)
    assert fit.weights[-1] == 0
    np.testing.assert_allclose(fit.posterior, before.posterior, atol=1e-6)


def with_rows(annotations: Annotations, rows: np.ndarray, label: np.ndarray) -> Annotations:
    """The labels of some rows, repeated ones included, with these codes."""
    columns = {"item": annotations.item[rows], "annotator": annotations.annotator[rows]}
    return dataclasses.replace(annotations, **columns, label=label)


def test_repeated_labels_count_once_by_their_mean(rng):
    annotations = crowd(rng)
    every = np.arange(annotations.n_labels)
    twice = with_rows(annotations, np.tile(every, 2), np.tile(annotations.label, 2))
    fit = kos.fit(annotations, rng=1)
    assert kos.fit(twice, rng=1).scores.tobytes() == fit.scores.tobytes()
    # A label and its contrary are none.
    rows = np.append(every, 0)
    label = np.append(annotations.label, 1 - annotations.label[0])
    contrary = kos.fit(with_rows(annotations, rows, label), rng=1)
    without = kos.fit(with_rows(annotations, every[1:], annotations.label[1:]), rng=1)
    assert contrary.scores.tobytes() == without.scores.tobytes()
    assert contrary.scores.tobytes() != fit.scores.tobytes()


def test_one_category_is_refused():
    a = Annotations.from_arrays(list("xx"), list("ab"), list("11"))
    with pytest.raises(AnnotationError, match=r"kos: needs two categories, got 1 \('1'\)"):
        kos.fit(a)
