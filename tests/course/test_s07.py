"""Session 7: what it checks students against, against the library and by simulation."""

import numpy as np
import pytest

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench_course.sessions.s07_bayes import exercises as session


def test_r_hat_is_that_of_gelman_and_rubin(rng):
    arviz = pytest.importorskip("arviz")
    for spread in (0, 1, 5):
        draws = spread * rng.normal(size=(4, 1)) + rng.normal(size=(4, 80))
        expected = arviz.rhat(draws, method="identity")
        assert session.r_hat(draws) == pytest.approx(float(expected), rel=1e-12)


def test_the_probability_of_a_category_is_that_of_the_fitted_model(rng):
    labels = Annotations.from_wide(rng.integers(0, 2, (40, 4)).tolist())
    fit = dawid_skene.fit(labels)
    wide = np.full((labels.n_items, labels.n_annotators), -1)
    wide[labels.item, labels.annotator] = labels.label
    wide[::5, 1] = -1
    seen = wide >= 0
    item, annotator = np.nonzero(seen)
    fewer = Annotations.from_arrays(
        item,
        annotator,
        wide[seen],
        items=labels.items,
        annotators=labels.annotators,
        categories=labels.categories,
    )
    rates = fit.confusion[:, 1, 1], fit.confusion[:, 0, 0]
    found = [session.category_probability(fit.prevalence[1], *rates, row) for row in wide]
    np.testing.assert_allclose(found, fit.predict(fewer)[:, 1], atol=1e-9)


def simulated_share(g, rng, *, rate=None, tail=None, weight=1):
    """Return the share of intervals that hold the rate, as a student would find it."""
    from scipy.stats import beta

    n = g["annotators"]
    rate = rng.beta(g["a"], g["b"], size=n) if rate is None else np.full(n, rate)
    right = rng.binomial(g["labels"], rate)
    posterior = beta(g["a"] + weight * right, g["b"] + weight * (g["labels"] - right))
    tail = (1 - g["level"]) / 2 if tail is None else tail
    return np.mean((posterior.ppf(tail) <= rate) & (rate <= posterior.ppf(1 - tail)))


def test_intervals_of_calibration_hold_what_simulations_find(rng):
    given = {"a": 25, "b": 8, "labels": 20, "level": 0.8, "annotators": session.N_SIMULATED}
    wrong = {
        "one rate for all": {"rate": 25 / 33},
        "tails of 1 - level each": {"tail": 1 - 0.8},
        "labels counted twice": {"weight": 2},
    }
    exercise = session.CALIBRATION
    assert exercise.check(simulated_share(given, rng), given).passed
    for name, change in wrong.items():
        found = exercise.check(simulated_share(given, rng, **change), given)
        assert (found.passed, found.mistake) == (False, name)
