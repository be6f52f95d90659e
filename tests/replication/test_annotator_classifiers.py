"""Classifiers learned from several annotators' labels of different items."""

import numpy as np
import pytest
import scipy.sparse as sp
from machinery import module_of
from sklearn.linear_model import LogisticRegression

from annobench.core.errors import AnnotationError

learning = module_of("reidsma2008", "learning")


@pytest.fixture(scope="module")
def data():
    """Two annotators: the second calls every other 1 of the first a 0, told by the features."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(3000, 3))
    truth = (x[:, 0] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    annotator = rng.integers(2, size=3000)
    label = np.where((annotator == 1) & (rng.random(3000) < 0.5), 0, truth)
    return x, truth, annotator, label


def test_voters_that_differ_abstain():
    assert learning.unanimous(np.array([[0, 1, 2], [0, 1, 0], [0, 0, 2]])).tolist() == [0, -1, -1]
    assert learning.unanimous(np.array([[2, 1]])).tolist() == [2, 1]


def test_a_category_never_trained_on_has_probability_0():
    model = LogisticRegression().fit([[0.0], [1.0], [2.0]], [0, 2, 2])
    found = learning.probabilities(model, np.array([[0.5]]), 4)
    assert found.shape == (1, 4)
    assert found[0, [1, 3]].tolist() == [0, 0]
    assert found.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    "learn", [learning.fit_feature_augmentation, lambda *a: learning.fit_raykar(*a)[0]]
)
def test_predictions_tell_annotators_apart_and_sum_to_1(data, learn):
    x, _, annotator, label = data
    found = learn(x[:2000], label[:2000], annotator[:2000], x[2000:])
    assert found.by_annotator.sum(axis=2) == pytest.approx(1, rel=1e-9)
    assert found.soft.sum(axis=1) == pytest.approx(1, rel=1e-9)
    clear = x[2000:, 0] > 1
    first, second = found.by_annotator[:, clear, 1].mean(axis=1)
    assert first > 0.9
    assert second < 0.75
    own = found.of_annotator(annotator[2000:])
    log_score = [-np.log(p[np.arange(1000), label[2000:]]).mean() for p in (own, found.soft)]
    assert log_score[0] < log_score[1]


def test_confusion_matrices_find_the_truth_behind_a_biased_annotator(data):
    x, truth, annotator, label = data
    _, found = learning.fit_raykar(
        x[:2000], label[:2000], annotator[:2000], x[2000:], n_rounds=10, prior=1.0
    )
    pooled = LogisticRegression().fit(x[:2000], label[:2000]).predict_proba(x[2000:])
    right = [np.mean(p.argmax(axis=1) == truth[2000:]) for p in (found, pooled)]
    # The pooled labels lack a quarter of the ones; a classifier of them calls fewer items 1.
    assert right[0] > right[1]


def test_annotators_without_weights_of_their_own_are_alike(data):
    x, _, annotator, label = data
    found = learning.fit_feature_augmentation(x, label, annotator, x[:50], own_scale=1e-9)
    found = found.by_annotator
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_nobody_has_no_answer():
    with pytest.raises(AnnotationError, match="there is no voter"):
        learning.unanimous(np.zeros((0, 3), dtype=int))


def test_em_needs_a_round_and_codes():
    features, codes = np.eye(3), np.array([0, 1, 0])
    with pytest.raises(AnnotationError, match="needs a round and a prior"):
        learning.fit_raykar(features, codes, codes, features, n_rounds=0)
    with pytest.raises(AnnotationError, match="a code is below 0"):
        learning.fit_feature_augmentation(features, codes - 1, codes, features)


def test_sparse_and_dense_features_give_the_same(data):
    x, _, annotator, label = data
    dense, sparse = (
        learning.fit_feature_augmentation(f, label, annotator, f[:20]).by_annotator
        for f in (x, sp.csr_matrix(x))
    )
    assert dense == pytest.approx(sparse, rel=1e-12)


@pytest.mark.parametrize("learn", [learning.fit_feature_augmentation, learning.fit_raykar])
def test_bad_input_is_refused(learn):
    x = np.ones((3, 1))
    with pytest.raises(AnnotationError, match="3 rows of features, 2 labels and 3 annotators"):
        learn(x, np.array([0, 1]), np.array([0, 0, 0]), x)
    with pytest.raises(AnnotationError, match="not two different labels"):
        learn(x, np.array([1, 1, 1]), np.array([0, 0, 1]), x)
