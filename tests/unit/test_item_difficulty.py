"""Parts of the item difficulty model, each against its definition; and what its fits refuse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from scipy.special import log_softmax

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import item_difficulty
from annobench.models._log_odds import lay_out, off_diagonal
from annobench.models.kernels import item_difficulty as kernel

#: Relative error of the probability of labels, as `fit` states it.
ACCURACY = 1e-4


# The probability of labels, effects summed out.


@pytest.mark.parametrize(
    ("n", "at", "spread"), [(0, -1.0, 0.5), (0, 2.0, 3.0), (1, 1.0, 1.5), (9, 1.0, 0.3), (40, 6, 2)]
)
def test_a_factor_is_the_mean_that_integration_gives(n, at, spread):
    def integrand(z: float) -> float:
        w = at + spread * z
        largest = n * np.log(n) - n if n else 0.0
        return np.exp(n * w - np.exp(w) - largest) * scipy.stats.norm.pdf(z)

    peak = (np.log(max(n, 1)) - at) / spread
    exact, _ = scipy.integrate.quad(integrand, -15, 15, points=[peak], limit=500, epsabs=0)
    assert kernel.log_factor(n, at, spread) == pytest.approx(np.log(exact), abs=1e-6)


def likelihoods(counts: np.ndarray, mean: np.ndarray, spread: np.ndarray, k: int) -> np.ndarray:
    """Return the kernel's probabilities of counts on items of category k, up to those of size."""
    data, pattern = lay_out(counts, kernel.LARGEST_MEAN)
    matrices = np.zeros((2, len(mean), len(mean)))
    matrices[:, k] = mean, np.log(spread)
    found = np.empty(len(data.code))
    kernel.refresh(matrices, k, data, kernel.allocate(data), found)
    return found[pattern]


@pytest.mark.parametrize("spread", [0.004, 0.3, 1.7])
@pytest.mark.parametrize("n", [1, 4, 13])
def test_probabilities_of_labels_are_those_of_integration(n, spread):
    # Counts of one size, whose probabilities sum to 1 once multinomial coefficients are there.
    counts = np.array([c for c in itertools.product(range(n + 1), repeat=3) if sum(c) == n])
    mean, spreads, k = np.array([-1.5, 0.0, 0.7]), np.array([spread, 1.0, 0.8]), 1
    found = likelihoods(counts, mean, spreads, k)
    found *= np.exp(scipy.special.xlogy(counts, counts).sum(axis=1))  # its factors' maxima
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    weight /= weight.sum()
    log_odds = np.zeros((60, 60, 3))
    log_odds[..., 0] = mean[0] + spreads[0] * node[:, None]
    log_odds[..., 2] = mean[2] + spreads[2] * node
    each = np.exp(np.einsum("abk,nk->nab", log_softmax(log_odds, axis=2), counts))
    exact = np.einsum("nab,a,b->n", each, weight, weight)
    np.testing.assert_allclose(found / found.sum(), exact / exact.sum(), rtol=ACCURACY)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_an_order_of_classes_is_the_best_of_all(k, rng):
    wrong = 1 - np.eye(k)
    found = []
    for _ in range(200):
        means = (rng.standard_normal((k, k)) - 0.5) * wrong
        orders = itertools.permutations(range(k))
        best = max(means[list(order), range(k)].sum() for order in orders)
        found.append(bool(kernel.in_order(means)))
        assert found[-1] == (best <= 0)
    assert {True, False} == set(found)


# Fits.


def test_names_of_mistakes_are_those_of_their_draws():
    draws = np.arange(9.0).reshape(1, 1, 3, 3)
    entries, names = off_diagonal(draws, ("a", "b", "c"))
    assert dict(zip(names, entries[0, 0], strict=True)) == {
        "a > b": 1,
        "a > c": 2,
        "b > a": 3,
        "b > c": 5,
        "c > a": 6,
        "c > b": 7,
    }


def few() -> Annotations:
    rows = ["0010", "1101", "0000", "1111", "01"]
    triples = [(i, j, label) for i, row in enumerate(rows) for j, label in enumerate(row)]
    return Annotations.from_arrays(*zip(*triples, strict=True))


SHORT = {"rng": 1, "chains": 2, "warmup": 20, "draws": 40}


def test_who_gave_a_label_does_not_matter():
    a = few()
    other = Annotations.from_arrays(
        a.item, (a.annotator + a.item) % 4, a.label, items=range(5), categories=range(2)
    )
    first, second = (item_difficulty.fit(labels, **SHORT) for labels in (a, other))
    assert first.posterior.tobytes() == second.posterior.tobytes()


def test_deviations_and_means_of_right_labels_are_zero():
    fitted = item_difficulty.fit(few(), **SHORT)
    for name, draws in vars(fitted.draws).items():
        if name in {"mean", "deviation"}:
            assert (draws[..., [0, 1], [0, 1]] == 0).all()
            assert (draws[..., [0, 1], [1, 0]] != 0).all()
    assert (fitted.draws.mean.sum(axis=(2, 3)) <= 0).all()  # the order of two classes
    assert ((fitted.difficulty > 0) & (fitted.difficulty < 1)).all()


def test_what_the_model_can_not_take_is_refused():
    name = item_difficulty.METHOD.name
    with pytest.raises(AnnotationError, match=f"{name}: needs at least two categories"):
        item_difficulty.fit(Annotations.from_arrays([0, 0], ["a", "b"], ["x", "x"]))
    with pytest.raises(
        AnnotationError, match=rf"{name}\.fit: .* draws need .* memory_limit is 0 MiB"
    ):
        item_difficulty.fit(few(), memory_limit=2**8)
    many = Annotations.from_arrays([0, 0], ["a", "b"], [0, 1], categories=range(21))
    with pytest.raises(AnnotationError, match=f"{name}: needs at most 20 categories, got 21"):
        item_difficulty.fit(many)


@pytest.mark.parametrize("thin", [1, 4])
def test_draws_larger_than_the_memory_limit_are_refused(thin):
    options = SHORT | {"draws": 4 * thin, "thin": thin}
    kept = item_difficulty.fit(few(), **options).draws
    arrays = kept.mean, kept.deviation, kept.confusion, kept.item_probability
    size = sum(array.nbytes for array in arrays)
    with pytest.raises(AnnotationError, match="draws need"):
        item_difficulty.fit(few(), **options, memory_limit=size - 1)
    # Chains are copied into one array, which takes the memory twice.
    item_difficulty.fit(few(), **options, memory_limit=2 * size)


def drawn(right: float, n_items: int) -> Annotations:
    """Return ten labels per item, each right with one probability, of two categories."""
    rng = np.random.default_rng(5)
    truth = np.arange(n_items) % 2
    labels = truth[:, None] ^ (rng.random((n_items, 10)) > right)
    item, annotator = np.indices(labels.shape)
    return Annotations.from_arrays(item.ravel(), annotator.ravel(), labels.ravel())


def test_classes_exchange_names_where_labels_are_guesses():
    switches = {
        right: item_difficulty.fit(drawn(right, 200), **SHORT).label_switches.sum()
        for right in (0.5, 0.9)
    }
    assert switches[0.9] == 0
    assert switches[0.5] > 0.1 * SHORT["chains"] * SHORT["draws"]


def test_classes_that_differ_keep_their_names_when_all_parameters_jump():
    # The warm-up is long enough for the covariance matrix that jumps are drawn from.
    fitted = item_difficulty.fit(drawn(0.9, 200), **SHORT | {"warmup": 100})
    assert fitted.label_switches.sum() == 0
