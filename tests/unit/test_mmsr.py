"""M-MSR: agreement, completion and signs by hand and against plain loops."""

from __future__ import annotations

import dataclasses
import itertools
from statistics import mean

import numpy as np
import pytest
from panels import crowd
from scipy.sparse import csr_array

from annobench.labels.annotations import Annotations
from annobench.models import mmsr


def slow_agreement(a: Annotations) -> np.ndarray:
    """Compare every pair of labels of an item; NaN where annotators share none."""
    agreed, number = np.zeros((2, a.n_annotators, a.n_annotators))
    for n in range(a.n_labels):
        for m in range(a.n_labels):
            if a.item[n] == a.item[m] and a.annotator[n] != a.annotator[m]:
                number[a.annotator[n], a.annotator[m]] += 1
                agreed[a.annotator[n], a.annotator[m]] += a.label[n] == a.label[m]
    with np.errstate(invalid="ignore"):
        return (a.n_categories * agreed / number - 1) / (a.n_categories - 1)


def dense(matrix: csr_array) -> np.ndarray:
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    full = np.full(matrix.shape, np.nan)
    full[rows, matrix.indices] = matrix.data
    return full


@pytest.mark.parametrize("k", [2, 3])
def test_agreement_is_that_of_all_pairs_of_labels(rng, k):
    a = crowd(rng, [0.9, 0.6, 0.5, 0.4, 0.2], n_items=12, n_categories=k, share=0.3)
    rows = np.append(np.arange(a.n_labels), [0, 1])  # repeats, one of them contradictory
    label = np.append(a.label, [a.label[0], (a.label[1] + 1) % k])
    columns = {"item": a.item[rows], "annotator": a.annotator[rows], "label": label}
    a = dataclasses.replace(a, **columns)
    found = mmsr._agreement(a, k)
    np.testing.assert_allclose(dense(found.matrix), slow_agreement(a), rtol=1e-12)


def trimmed(ratios: list[float], before: float, f: int) -> float:
    """Take out the f largest and the f smallest, but none within the value of before."""
    below, above = [r for r in ratios if r < before], [r for r in ratios if r > before]
    left = [r for r in ratios if r == before]
    left += sorted(below)[min(f, len(below)) :]
    left += sorted(above, reverse=True)[min(f, len(above)) :]
    return mean(left) if left else before


def slow_completion(matrix: np.ndarray, f: int, n_updates: int) -> tuple[np.ndarray, np.ndarray]:
    n = len(matrix)
    u, v = [1.0] * n, [1.0] * n
    for _ in range(n_updates):
        for factor, other in ((v, u), (u, v)):
            others = list(other)
            for j in range(n):
                ratios = [
                    abs(matrix[j, k]) / others[k] for k in range(n) if not np.isnan(matrix[j, k])
                ]
                factor[j] = trimmed(ratios, factor[j], f)
    return np.array(u), np.array(v)


@pytest.mark.parametrize("f", [0, 1, 3])
def test_updates_are_those_of_the_definition(rng, f):
    found = mmsr._agreement(crowd(rng, np.linspace(0.2, 0.95, 14), share=0.3), 3)
    u, v = slow_completion(dense(found.matrix), f, 4)
    *_, absolute = itertools.islice(mmsr._completed(found, f, 0.05), 4)
    scale = np.sqrt(np.linalg.norm(v) / np.linalg.norm(u))
    np.testing.assert_allclose(absolute, u * scale, rtol=1e-10)
    # Negative control
    u, v = slow_completion(dense(found.matrix), f + 1, 4)
    assert np.abs(absolute - u * np.sqrt(np.linalg.norm(v) / np.linalg.norm(u))).max() > 1e-3


def rank_one(skill: np.ndarray) -> csr_array:
    matrix = csr_array(np.outer(skill, skill))
    rows = np.repeat(np.arange(skill.size), np.diff(matrix.indptr))
    keep = rows != matrix.indices
    entries = matrix.data[keep], (rows[keep], matrix.indices[keep])
    return csr_array(entries, shape=matrix.shape)


def test_skills_are_completed_exactly_though_some_rows_are_corrupt(rng):
    skill = rng.uniform(0.2, 0.9, 20)
    corrupt = rank_one(skill).toarray()
    for j in (3, 11):
        corrupt[j] = corrupt[:, j] = rng.uniform(0, 5, 20)
    corrupt[np.diag_indices(20)] = 0
    found = mmsr._Agreement(csr_array(corrupt), np.zeros(20, dtype=np.int32))
    honest = np.delete(np.arange(20), [3, 11])

    def largest_error(f: int) -> float:
        *_, absolute = itertools.islice(mmsr._completed(found, f, 0.05), 5_000)
        ratio = absolute[honest] / skill[honest]
        return np.ptp(ratio) / ratio.mean()  # the corrupt rows take part in the scale

    assert largest_error(2) < 1e-6
    assert largest_error(0) > 0.01  # the negative control


def test_a_row_without_agreement_does_not_divide_by_nothing():
    # a and b agree on one item of two: C is 0.
    labels = [("x", "a", 1), ("x", "b", 1), ("y", "a", 1), ("y", "b", 0)]
    fit = mmsr.fit(Annotations.from_arrays(*zip(*labels, strict=True)))
    assert np.isfinite(fit.posterior).all()
    np.testing.assert_allclose(fit.skill, 0, atol=1e-12)


def authors_signs(matrix: np.ndarray) -> np.ndarray:
    """Put nodes on edges of agreement, and take the eigenvector of the smallest eigenvalue."""
    sign = np.sign(np.nan_to_num(matrix))
    row, column = np.nonzero(np.triu(sign) > 0)
    new = np.zeros((row.size, len(sign)))
    new[np.arange(row.size), row] = new[np.arange(row.size), column] = 1
    graph = np.block([[(sign < 0) * 1.0, new.T], [new, np.zeros((row.size,) * 2)]])
    root = np.sqrt(graph.sum(axis=1))
    vector = np.linalg.eigh(graph / np.outer(root, root))[1][: len(sign), 0]
    return np.sign(vector) * np.sign(np.sign(vector).sum())


@pytest.mark.parametrize("seed", range(5))
def test_signs_are_those_of_the_graph_with_nodes_on_its_edges(seed):
    rng = np.random.default_rng(seed)
    accuracy = np.where(np.arange(15) < 4, 0.15, 0.7)
    a = crowd(rng, accuracy, n_items=150, n_categories=2)
    found = mmsr._agreement(a, 2)
    signs = mmsr._signs(found, np.ones(15))
    np.testing.assert_array_equal(signs, authors_signs(dense(found.matrix)))
    np.testing.assert_array_equal(signs, np.where(accuracy < 0.5, -1, 1))


def test_both_solvers_give_the_same_signs(rng, monkeypatch):
    a = crowd(rng, np.where(np.arange(30) < 6, 0.2, 0.6), n_items=100, n_categories=2, share=0.2)
    few = mmsr.fit(a)
    monkeypatch.setattr(mmsr, "LARGEST_DENSE", 10)
    np.testing.assert_array_equal(mmsr.fit(a).weights, few.weights)
    assert (few.skill < 0).any()


def test_of_two_who_disagree_the_one_with_more_labels_is_right():
    labels = [("x", "a", 1), ("x", "b", 0), ("y", "a", 1), ("z", "b", 1), ("w", "b", 1)]
    fit = mmsr.fit(Annotations.from_arrays(*zip(*labels, strict=True)))
    assert fit.skill[0] < 0 < fit.skill[1]


def test_posterior_is_that_of_bayes_rule(rng):
    a = crowd(rng, np.linspace(0.2, 0.95, 10), n_items=50)
    fit = mmsr.fit(a)
    joint = np.ones((a.n_items, 3))
    for i, j, label in zip(a.item, a.annotator, a.label, strict=True):
        joint[i] *= fit.confusion[j][:, label]
    np.testing.assert_allclose(fit.posterior, joint / joint.sum(axis=1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(fit.weights, np.log(2 * fit.accuracy / (1 - fit.accuracy)))


def test_blocks_do_not_meet(rng):
    parts = [crowd(rng, np.linspace(0.4, 0.8, 8)) for _ in range(2)]
    columns = {
        name: np.concatenate([getattr(parts[0], name), getattr(parts[1], name) + more])
        for name, more in (("item", 400), ("annotator", 8), ("label", 0))
    }
    both = Annotations.from_arrays(
        *columns.values(), items=range(800), annotators=range(16), categories=range(3)
    )
    alone = np.concatenate([mmsr.fit(part, n_trimmed=1).skill for part in parts])
    np.testing.assert_allclose(mmsr.fit(both, n_trimmed=1).skill, alone, atol=1e-6)


def test_an_annotator_who_shares_no_item_has_no_vote():
    labels = [("x", "a", 1), ("x", "b", 1), ("y", "a", 0), ("y", "b", 0), ("z", "c", 1)]
    fit = mmsr.fit(Annotations.from_arrays(*zip(*labels, strict=True)))
    assert fit.weights[2] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(fit.posterior[2], 0.5)


def test_a_number_below_zero_to_trim_is_refused(rng):
    with pytest.raises(ValueError, match=r"mmsr\.fit: n_trimmed must be at least 0, got -1"):
        mmsr.fit(crowd(rng, [0.9, 0.9]), n_trimmed=-1)
