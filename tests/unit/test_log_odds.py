"""Steps of the samplers with normal log odds, each against its definition; and what fits refuse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.stats
from scipy.special import logsumexp

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import item_difficulty
from annobench.models._log_odds import N_POINTS, normal_points, off_diagonal
from annobench.models.kernels import log_odds

LEVEL = 1e-3
MODELS = [item_difficulty]

#: A block in category 1: four cells that meet three rows of odds, one of them three times labelled.
K, TRUTH = 3, 1
ODDS = np.array([[0.3, 1.0, 0.5], [2.0, 1.0, 0.1], [0.7, 1.0, 1.1]])
ROWS, TOTAL = np.array([0, 1, 2, 0]), np.array([1.0, 3.0, 1.0, 1.0])
OBSERVED = np.array([2.0, 3.0, 1.0])
MEAN, SPREAD = np.array([-0.5, 0.0, -1.0]), np.array([0.8, 1.0, 1.5])


def log_density(effect: np.ndarray, odds: np.ndarray = ODDS) -> float:
    """Return the log density of prior and labels at (l = 0, l = 2), up to a constant."""
    whole = np.array([effect[0], 0.0, effect[1]])
    log_odds = np.log(odds)[ROWS] + whole
    prior = -0.5 * (((whole - MEAN) / SPREAD) ** 2).sum()
    return prior + OBSERVED @ whole - TOTAL @ logsumexp(log_odds, axis=1)


def approximated(odds: np.ndarray):
    mode, precision, lean = np.empty((3, K))
    log_determinant = log_odds.approximate(
        odds, ROWS, TOTAL, OBSERVED, MEAN, SPREAD, TRUTH, mode, precision, lean
    )
    return mode, precision, lean, log_determinant


def test_the_approximation_is_at_the_mode():
    mode, _, _, _ = approximated(ODDS)
    best = scipy.optimize.minimize(lambda x: -log_density(x), [0, 0], tol=1e-12).x
    # Newton's method stops within a tenth of a standard deviation.
    deviation = np.sqrt(np.diag(np.linalg.inv(curvature(ODDS, best))))
    assert (np.abs(mode[[0, 2]] - best) < 0.1 * deviation).all()
    assert mode[TRUTH] == 0


def curvature(odds: np.ndarray, at: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """Return the negative Hessian of the log density by differences."""
    moves = step * np.eye(2)
    return -np.array(
        [
            [
                log_density(at + a + b, odds)
                - log_density(at + a - b, odds)
                - log_density(at - a + b, odds)
                + log_density(at - a - b, odds)
                for a in moves
            ]
            for b in moves
        ]
    ) / (4 * step**2)


def test_the_curvature_is_exact_where_all_cells_have_the_same_odds():
    same = np.repeat(ODDS[:1], 3, axis=0)
    mode, precision, lean, log_determinant = approximated(same)
    at = [0, 2]
    found = np.diag(precision[at]) - np.outer(lean[at], lean[at])
    # It belongs to the place before the last step, which was short.
    np.testing.assert_allclose(found, curvature(same, mode[at]), rtol=0.05)
    assert log_determinant == pytest.approx(np.linalg.slogdet(found)[1], rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_an_order_of_classes_is_the_best_of_all(k, rng):
    wrong = 1 - np.eye(k)
    found = []
    for _ in range(200):
        means = (rng.standard_normal((k, k)) - 0.5) * wrong
        orders = itertools.permutations(range(k))
        best = max(means[list(order), range(k)].sum() for order in orders)
        found.append(bool(log_odds.in_order(means)))
        assert found[-1] == (best <= 0)
    assert {True, False} == set(found)


def test_points_are_one_of_every_stratum(rng):
    points = normal_points(rng, 3)
    strata = np.floor(scipy.stats.norm.cdf(points) * N_POINTS).astype(int)
    assert (np.sort(strata, axis=0) == np.arange(N_POINTS)[:, None]).all()


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


def test_item_difficulty_does_not_ask_who_gave_a_label():
    a = few()
    other = Annotations.from_arrays(
        a.item, (a.annotator + a.item) % 4, a.label, items=range(5), categories=range(2)
    )
    first, second = (item_difficulty.fit(labels, **SHORT) for labels in (a, other))
    assert first.posterior.tobytes() == second.posterior.tobytes()


@pytest.mark.parametrize("model", MODELS)
def test_deviations_and_means_of_right_labels_are_zero(model):
    fitted = model.fit(few(), **SHORT)
    for name, draws in vars(fitted.draws).items():
        if name == "mean" or "deviation" in name:
            assert (draws[..., [0, 1], [0, 1]] == 0).all()
            assert (draws[..., [0, 1], [1, 0]] != 0).all()
    assert (fitted.draws.mean.sum(axis=(2, 3)) <= 0).all()  # the order of two classes
    assert ((fitted.difficulty > 0) & (fitted.difficulty < 1)).all()


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_can_not_take_is_refused(model):
    name = model.METHOD.name
    with pytest.raises(AnnotationError, match=f"{name}: needs at least two categories"):
        model.fit(Annotations.from_arrays([0, 0], ["a", "b"], ["x", "x"]))
    with pytest.raises(
        AnnotationError, match=rf"{name}\.fit: 800 draws need .* memory_limit is 0 MiB"
    ):
        model.fit(few(), memory_limit=2**10)
    many = Annotations.from_arrays([0, 0], ["a", "b"], [0, 1], categories=range(21))
    with pytest.raises(AnnotationError, match=f"{name}: needs at most 20 categories, got 21"):
        model.fit(many)
