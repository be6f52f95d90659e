"""Calibration on gold: known maps are found again, and no item judges what it fitted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import expit, logit, softmax

from annobench import datasets, models
from annobench.core.errors import AnnotationError
from annobench.evaluation.calibration import (
    calibrate,
    expected_calibration_error,
    kind_for,
    log_losses,
)


def world(rng, n, *, temperature=1.0, n_categories=3):
    """Draw probabilities, gold from them, and the probabilities as a model too sure states them."""
    logs = 1.5 * rng.normal(size=(n, n_categories))
    honest = softmax(logs, axis=1)
    gold = (honest.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return softmax(logs * temperature, axis=1), np.minimum(gold, n_categories - 1), honest


def changes(posterior, gold, n_gold=100, draws=6):
    """Calibrate on drawn gold items; on the others, return the change of log loss and error."""
    rng, found = np.random.default_rng(5), []
    for _ in range(draws):
        chosen = np.zeros(gold.size, dtype=bool)
        chosen[rng.choice(gold.size, n_gold, replace=False)] = True
        own = calibrate(posterior, np.where(chosen, gold, -1), rng=rng, replicates=2)
        scores = [
            calibrate(each[~chosen], gold[~chosen], kind="none", rng=1, replicates=2).scores[
                "before"
            ]
            for each in (posterior, own.posterior)
        ]
        found.append((scores[1] - scores[0])[["log_loss", "calibration_error"]])
    return np.array(found)


def test_categories_without_a_vote_do_not_flatten_the_others():
    # Five votes for four categories; a thirtieth of the items have votes for others than the right.
    rng = np.random.default_rng(11)
    gold = rng.integers(0, 4, 1_500)
    right = np.where(rng.random((1_500, 1)) < 1 / 30, 0.0, 0.85)
    votes = np.where(rng.random((1_500, 5)) < right, gold[:, None], rng.integers(0, 4, (1_500, 5)))
    shares = (votes[:, :, None] == np.arange(4)).mean(axis=1)
    assert (shares[np.arange(1_500), gold] == 0).any()
    change = changes(shares, gold)
    assert (change.mean(axis=0) < 0).all()
    found = calibrate(shares, gold, kind="temperature", rng=1, replicates=2)
    assert found.parameters["T"] < 2
    assert 0 < found.parameters["e"] < 0.1


@pytest.mark.parametrize(
    "id", ["snow2008_rte", "ti_dog", pytest.param("ti_ms", marks=pytest.mark.slow)]
)
def test_calibration_on_a_hundred_real_gold_items_makes_nothing_worse(id, mirror):
    data = datasets.load(id, mode="real", mirror=mirror, network=False)
    gold = np.asarray(data.gold)
    for name in ("voting", "wawa", "one_coin"):
        change = changes(models.fit(data.annotations, name).posterior[gold >= 0], gold[gold >= 0])
        # With shares of 0 as 1e-12 these were up to +.05 and +.24.
        error = change.std(axis=0, ddof=1) / np.sqrt(len(change))
        assert (change.mean(axis=0) < 3 * error).all(), (id, name, change.mean(axis=0))


def test_the_temperature_is_found():
    stated, gold, _ = world(np.random.default_rng(1), 20_000, temperature=3.0)
    found = calibrate(stated, gold, kind="temperature", rng=1, replicates=10)
    # One over the square root of the information at the truth, by a second difference.
    logs = np.log(stated)

    def loss(t):
        return log_losses(softmax(logs / t, axis=1), gold).sum()

    curvature = (loss(3.05) - 2 * loss(3.0) + loss(2.95)) / 0.05**2
    assert abs(found.parameters["T"] - 3) < 4 / np.sqrt(curvature)


def test_beta_calibration_finds_its_own_map():
    rng = np.random.default_rng(2)
    p = rng.uniform(0.02, 0.98, 40_000)
    right = expit(0.5 * np.log(p) - 0.8 * np.log(1 - p) + 0.3)
    gold = (rng.random(p.size) < right).astype(int)
    found = calibrate(np.column_stack([1 - p, p]), gold, kind="beta", rng=1, replicates=10)
    values = [found.parameters[name] for name in ("a_1", "b_1", "c_1")]
    # Standard errors from the information matrix.
    features = np.column_stack([np.log(p), -np.log(1 - p), np.ones(p.size)])
    information = features.T @ (features * (right * (1 - right))[:, None])
    error = np.sqrt(np.diag(np.linalg.inv(information)))
    assert (np.abs(np.array(values) - [0.5, 0.8, 0.3]) < 4 * error).all()


@pytest.mark.parametrize("kind", ["temperature", "beta", "isotonic"])
@pytest.mark.parametrize("n_categories", [2, 3])
def test_every_map_mends_a_model_that_is_too_sure(kind, n_categories):
    rng = np.random.default_rng(3)
    stated, gold, _ = world(rng, 4_000, temperature=4.0, n_categories=n_categories)
    found = calibrate(stated, gold, kind=kind, rng=1, replicates=100)
    loss = found.scores.loc["log_loss"]
    assert loss["change_upper"] < 0
    assert found.scores.loc["calibration_error", "after"] < 0.05
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    assert (found.posterior >= 0).all()


def test_honest_probabilities_are_left_nearly_alone():
    _, gold, honest = world(np.random.default_rng(4), 3_000)
    found = calibrate(honest, gold, kind="temperature", rng=1, replicates=100)
    change = found.scores.loc["log_loss"]
    assert abs(change["change"]) < 0.002


def test_one_fold_does_not_know_itself():
    """Labels of pure noise: isotonic regression that judged itself would seem to learn them."""
    rng = np.random.default_rng(5)
    p = rng.random(300)
    gold = rng.integers(0, 2, 300)
    found = calibrate(np.column_stack([1 - p, p]), gold, kind="isotonic", rng=1, replicates=10)
    itself = log_losses(found.map(np.column_stack([1 - p, p])), gold).mean()
    assert itself < np.log(2) < found.scores.loc["log_loss", "after"]


def test_gold_without_an_error_makes_nothing_certain():
    sure = np.tile([[0.9, 0.1]], (50, 1))
    for kind in ("temperature", "beta", "isotonic"):
        found = calibrate(sure, np.zeros(50, dtype=int), kind=kind, rng=1, replicates=10)
        assert 0.9 < found.map(sure)[0, 0] < 1


def test_the_map_rises():
    stated, gold, _ = world(np.random.default_rng(6), 500, temperature=2.0, n_categories=2)
    grid = np.column_stack([1 - np.linspace(0, 1, 99), np.linspace(0, 1, 99)])
    for kind in ("temperature", "beta", "isotonic"):
        mapped = calibrate(stated, gold, kind=kind, rng=1, replicates=10).map(grid)[:, 1]
        assert (np.diff(mapped) >= -1e-12).all()
        assert np.isfinite(logit(np.clip(mapped, 1e-15, 1 - 1e-15))).all()


def test_few_gold_items_change_nothing():
    stated, gold, _ = world(np.random.default_rng(7), 100)
    few = np.where(np.arange(100) < 10, gold, -1)
    found = calibrate(stated, few, rng=1, replicates=10)
    assert found.kind == "none"
    np.testing.assert_array_equal(found.posterior, stated)
    assert found.n_gold == 10


def test_the_map_is_chosen_by_size():
    assert [kind_for(n, 10) for n in (19, 20, 499, 500, 4_999, 5_000)] == [
        "none",
        "temperature",
        "temperature",
        "beta",
        "beta",
        "isotonic",
    ]


def test_weights_count_as_repeated_items_do():
    stated, gold, _ = world(np.random.default_rng(8), 4_000, temperature=2.0)
    weight = np.where(np.arange(4_000) < 2_000, 3.0, 1.0)
    weighted = calibrate(stated, gold, kind="temperature", weight=weight, rng=1, replicates=10)
    times = weight.astype(int)
    repeated = calibrate(
        np.repeat(stated, times, axis=0),
        np.repeat(gold, times),
        kind="temperature",
        rng=1,
        replicates=10,
    )
    # Weights have mean 1, so that 4,000 items stand beside the priors, not 8,000.
    assert weighted.parameters["T"] == pytest.approx(repeated.parameters["T"], rel=0.01)


def test_scores_by_hand():
    table = np.array([[0.8, 0.2], [0.6, 0.4], [0.5, 0.5]])
    found = calibrate(table, np.array([0, 1, 0]), kind="none", rng=1, replicates=10)
    before = found.scores["before"]
    assert before["accuracy"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert before["log_loss"] == pytest.approx(-np.log([0.8, 0.4, 0.5]).mean())
    assert before["brier"] == pytest.approx((2 * 0.04 + 2 * 0.36 + 2 * 0.25) / 3)
    # Three bins of one item each: |1 - .8|, |0 - .6|, |.5 - .5|.
    assert before["calibration_error"] == pytest.approx((0.2 + 0.6 + 0.0) / 3)


def test_what_can_not_be_calibrated_is_refused():
    table, gold = np.tile([0.5, 0.5], (3, 1)), np.array([0, 1, -1])
    with pytest.raises(AnnotationError, match="no item has a gold category"):
        calibrate(table, np.full(3, -1))
    with pytest.raises(AnnotationError, match="codes of the 2 categories"):
        calibrate(table, np.array([0, 2, 0]))
    with pytest.raises(AnnotationError, match="weight must be a number above 0"):
        calibrate(table, gold, weight=np.zeros(3))
    with pytest.raises(ValueError, match="is not one of auto"):
        calibrate(table, gold, kind="platt")


def test_expected_calibration_error_is_that_of_a_loop(rng):
    sure = rng.integers(1, 21, size=200) / 20
    right = rng.random(200) < sure

    def by_loop(sure, right):
        error = 0.0
        for low, high in itertools.pairwise(np.linspace(0, 1, 11)):
            own = (sure > low) & (sure <= high)
            if own.any():
                error += own.mean() * abs(right[own].mean() - sure[own].mean())
        return error

    assert expected_calibration_error(sure, right) == pytest.approx(by_loop(sure, right))
    counts = rng.multinomial(200, np.full(200, 1 / 200), size=3)
    found = expected_calibration_error(sure, right, counts=counts)
    for value, row in zip(found, counts, strict=True):
        again = np.repeat(np.arange(200), row)
        assert value == pytest.approx(by_loop(sure[again], right[again]))


def test_a_confidence_outside_its_range_is_refused():
    with pytest.raises(AnnotationError, match="a confidence above 0"):
        expected_calibration_error([0.0], [1])
