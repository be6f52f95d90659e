"""C4.5: which attribute splits, what is pruned, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from annobench.aggregation.c45 import C45, _more_errors
from annobench.core.errors import AnnotationError


def test_a_tree_learns_what_two_words_say_together():
    # Exclusive or has no gain at the root, so a third column distinguishes the two halves a little.
    words = np.array([[a, b] for a in (0, 1) for b in (0, 1) for _ in range(40)])
    label = (words[:, 0] & words[:, 1]).astype(int)
    model = C45().fit(sp.csr_matrix(words), label)
    assert (model.predict(words) == label).all()
    assert model.n_leaves == 3


def test_the_gain_ratio_decides_among_gains_above_the_average():
    # 100 items, half of them 1, 50 with word A, 10 with B, 50 with C:
    # A is in 35 ones and 15 others: gain 1 - H(.3) = .119, split 1 bit, ratio .119.
    # B is in 10 ones: gain 1 - .9 H(40/90) = .108, split H(.1) = .469 bits, ratio .230.
    # C is in 26 ones and 24 others: gain .001, below the average of the three, .076.
    label = np.repeat([1, 0], 50)
    a, b, c = (np.zeros(100) for _ in range(3))
    a[:35] = a[50:65] = 1
    b[30:40] = 1
    c[:26] = c[50:74] = 1
    assert C45().fit(np.column_stack([a, b, c]), label)._tree.feature[0] == 1
    # Without C the average is .114, which B does not reach.
    assert C45().fit(np.column_stack([a, b]), label)._tree.feature[0] == 0


def test_a_numeric_attribute_pays_for_its_thresholds():
    # Noise that is numeric has a threshold with some gain in every sample; the words have none.
    rng = np.random.default_rng(1)
    label = rng.integers(2, size=200)
    noise = rng.random((200, 3))
    assert C45().fit(noise, label).n_leaves <= 4
    # A threshold that does tell is found, between the two values.
    found = C45().fit(np.column_stack([noise, label + 0.25]), label)
    assert found.n_leaves == 2
    assert found._tree.threshold[0] == pytest.approx(0.75)


def test_the_bound_of_the_errors_is_quinlans():
    # Quinlan (1993), section 4.2: U_25%(0, 6) = .206, U_25%(0, 9) = .143, U_25%(0, 1) = .750.
    size = np.array([6.0, 9.0, 1.0])
    assert _more_errors(size, np.zeros(3), 0.25) / size == pytest.approx(
        [0.206, 0.143, 0.750], abs=0.0005
    )
    # U_25%(1, 16) = .157 is exact there; the normal approximation is within a hundredth.
    [more] = _more_errors(np.array([16.0]), np.array([1.0]), 0.25)
    assert (1 + more) / 16 == pytest.approx(0.157, abs=0.01)


def test_a_smaller_confidence_prunes_more():
    rng = np.random.default_rng(2)
    words = rng.integers(2, size=(600, 30))
    label = np.where(rng.random(600) < 0.3, rng.integers(3, size=600), words[:, 0] + words[:, 1])
    sizes = [C45(confidence=c).fit(words, label).n_leaves for c in (0.5, 0.25, 0.001)]
    assert sizes[0] > sizes[1] > sizes[2] >= 3


def test_sparse_and_dense_features_give_one_tree():
    rng = np.random.default_rng(3)
    x = np.where(rng.random((300, 6)) < 0.5, 0, rng.random((300, 6)))
    x[:, 0] = rng.integers(2, size=300)
    label = np.where(x[:, 1] > 0.4, "a", np.where(x[:, 0] == 1, "b", "c"))
    dense, sparse = (C45().fit(kind(x), label) for kind in (np.asarray, sp.csc_matrix))
    new = rng.random((50, 6))
    assert dense.predict(new).tolist() == sparse.predict(sp.csr_matrix(new)).tolist()
    assert set(dense.predict(x)) == {"a", "b", "c"}


def test_one_label_makes_one_leaf():
    model = C45().fit(np.eye(4), np.array([7, 7, 7, 7]))
    assert model.n_leaves == 1
    assert model.predict(np.zeros((2, 4))).tolist() == [7, 7]


def test_bad_input_is_refused():
    with pytest.raises(AnnotationError, match="min_cases is 0"):
        C45(min_cases=0)
    with pytest.raises(AnnotationError, match=r"confidence 0\.7"):
        C45(confidence=0.7)
    with pytest.raises(AnnotationError, match="at least one item one label"):
        C45().fit(np.zeros((3, 2)), np.array([1, 2]))
    with pytest.raises(AnnotationError, match="Call fit first"):
        C45().predict(np.zeros((3, 2)))
