"""The log-linear pool: its mode against other solvers, gold, intervals."""

import json

import numpy as np
import pytest
from scipy import optimize

from annobench.aggregation.gold import fit_with_gold
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import pool
from annobench.models._log_linear import FLOOR, log_features, log_loss, minimise, pooled


def crowd(n_items=120, n_annotators=12, k=3, seed=4):
    """Return labels of three in five annotators, right three times in four, and their truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n_items)
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) < 0.6)
    right = rng.random(item.size) < 0.75
    label = np.where(right, truth[item], rng.integers(k, size=item.size))
    labels = Annotations.from_arrays(
        item, annotator, label, items=range(n_items), categories=range(k)
    )
    return labels, truth


def problem(n=40, k=3, m=4, seed=5):
    rng = np.random.default_rng(seed)
    logs = log_features([rng.dirichlet(np.ones(k), n) for _ in range(m)])
    return logs, rng.integers(k, size=n), rng.normal(size=m + k)


@pytest.mark.parametrize("offsets", [True, False])
def test_derivatives_are_those_of_finite_differences(offsets):
    logs, category, theta = problem()
    theta = theta if offsets else theta[:4]
    _, gradient, second = log_loss(theta, logs, category)
    # Central differences of step h have an error of order h^2, beside rounding of order 1e-16 / h.
    step = 1e-5
    for p, direction in enumerate(np.eye(theta.size) * step):
        up, down = (log_loss(theta + s * direction, logs, category) for s in (1, -1))
        assert gradient[p] == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-7)
        assert second[p] == pytest.approx((up[1] - down[1]) / (2 * step), abs=1e-7)
    assert np.linalg.eigvalsh(second).min() > -1e-10


def test_the_mode_is_that_of_another_solver():
    logs, category, theta = problem()
    precision = np.linspace(0.5, 2, theta.size)

    def penalised(x):
        value, gradient, _ = log_loss(x, logs, category)
        return value + 0.5 * precision @ (x - theta) ** 2, gradient + precision * (x - theta)

    other = optimize.minimize(penalised, 0 * theta, jac=True, method="BFGS", tol=1e-9)
    found = minimise(lambda x: log_loss(x, logs, category), theta, precision)
    assert found.converged
    assert found.theta == pytest.approx(other.x, abs=1e-6)


def test_two_categories_are_a_logistic_regression_on_log_odds():
    linear_model = pytest.importorskip("sklearn.linear_model")
    logs, category, _ = problem(k=2)
    m = logs.shape[2]
    # b_1 - b_0 of two offsets with variance 1 has variance 2: all weights are scaled alike.
    odds = logs[:, 1] - logs[:, 0]
    regression = linear_model.LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10)
    other = regression.fit(np.column_stack([odds, np.full(len(odds), 2**0.5)]), category).coef_[0]
    found = minimise(lambda x: log_loss(x, logs, category), np.zeros(m + 2), np.ones(m + 2)).theta
    assert found[:m] == pytest.approx(other[:m], abs=1e-5)
    assert found[m + 1] - found[m] == pytest.approx(2**0.5 * other[m], abs=1e-5)


@pytest.mark.parametrize("n", [60, 600])
def test_the_evidence_is_that_of_a_sum_over_a_grid(n):
    logs, category, _ = problem(n=n, k=2, m=1)
    found = minimise(lambda x: log_loss(x, logs, category), np.zeros(1), np.ones(1))
    grid = np.linspace(-6, 6, 4001)
    values = [-log_loss(np.array([w]), logs, category)[0] - 0.5 * w**2 for w in grid]
    exact = np.log(np.exp(values).sum() * (grid[1] - grid[0])) - 0.5 * np.log(2 * np.pi)
    # Laplace's approximation errs by terms of order 1 / n, here of 1.1 / n.
    assert found.log_evidence == pytest.approx(exact, abs=2 / n)


def test_no_member_is_surer_than_the_floor():
    logs = log_features([np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])])
    assert np.exp(logs[0, 1, 0]) == pytest.approx(FLOOR / (1 + FLOOR))
    assert np.exp(logs).sum(axis=1) == pytest.approx(1)


def test_gold_items_are_known_and_move_the_weights():
    labels, truth = crowd()
    known = np.where(np.arange(truth.size) < 40, truth, -1)
    plain, informed = pool.fit(labels), pool.fit(labels, gold=known)
    assert (informed.posterior[:40] == np.eye(3)[truth[:40]]).all()
    assert not np.allclose(plain.member_weights, informed.member_weights)
    assert (plain.offsets == 0).all()
    # What is known narrows what weights may be.
    assert np.trace(informed.covariance) < np.trace(plain.covariance)
    again = pool.refit(labels, plain, gold=known)
    assert again.posterior == pytest.approx(informed.posterior, abs=1e-12)


def test_an_items_own_gold_does_not_move_its_score():
    labels, truth = crowd()
    gold = {str(i): str(truth[i]) for i in range(50)}
    other = gold | {"7": str((truth[7] + 1) % 3)}
    checks = [fit_with_gold(labels, each, "pool", rng=2)[1] for each in (gold, other)]
    first, second = (check.calibration.posterior[7] for check in checks)
    assert first == pytest.approx(second, abs=1e-12)


def test_intervals_of_items_are_those_of_draws_of_weights():
    labels, truth = crowd()
    known = np.where(np.arange(truth.size) < 60, truth, -1)
    fitted = pool.fit(labels, gold=known)
    lower, upper = fitted.item_intervals()
    assert (lower[:60] == 1).all()
    rng = np.random.default_rng(3)
    centre = np.append(fitted.member_weights, fitted.offsets)
    thetas = rng.multivariate_normal(centre, fitted.covariance, size=4_000)
    m = fitted.member_weights.size
    best = fitted.posterior.argmax(axis=1)
    at = np.arange(best.size)
    draws = np.stack([pooled(fitted.logs, t[:m], t[m:])[at, best] for t in thetas])
    ends = np.quantile(draws, [0.025, 0.975], axis=0)[:, 60:]
    # The standard error of a quantile of 4,000 draws is below .01, and the delta method is of
    # first order.
    assert np.abs(np.stack([lower, upper])[:, 60:] - ends).max() < 0.05
    assert np.abs(np.stack([lower, upper])[:, 60:] - ends).mean() < 0.01


def test_draws_hold_the_estimates():
    labels, _ = crowd()
    fitted = pool.fit(labels)
    draws = pool.bootstrap(labels, fitted, rng=1, replicates=100)
    lower, upper = np.quantile(draws.prevalence, [0.025, 0.975], axis=0)
    assert ((lower < fitted.prevalence) & (fitted.prevalence < upper)).all()
    assert draws.confusion.shape == (100, 12, 3, 3)
    with pytest.raises(AnnotationError, match="replicate"):
        pool.bootstrap(labels, fitted, replicates=0)


def test_confusion_matrices_are_counts_of_pooled_categories():
    labels, _ = crowd()
    fitted = pool.fit(labels)
    mine = labels.annotator == 4
    counts = np.zeros((3, 3))
    for i, given in zip(labels.item[mine], labels.label[mine], strict=True):
        counts[:, given] += fitted.posterior[i]
    counts += 0.01
    assert fitted.confusion[4] == pytest.approx(counts / counts.sum(axis=1, keepdims=True))


def test_shipped_weights_know_no_family_of_the_data_set():
    stored = json.loads((pool.files("annobench.models") / "pool.json").read_text("utf-8"))
    assert stored["members"] == list(pool.MEMBERS)
    assert stored["rules"]["floor"] == FLOOR
    assert set(stored["families"].values()) == set(stored["without"])
    everything = pool.shipped_weights()
    for name, family in stored["families"].items():
        found = pool.shipped_weights(name)
        assert found.mean.tolist() == stored["without"][family]["weights"]
        assert not np.array_equal(found.mean, everything.mean)
    assert np.array_equal(pool.shipped_weights("no such set").mean, everything.mean)
