"""ZenCrowd: cases by hand, Bayes' rule label by label, its optimum, and one coin beside it."""

from __future__ import annotations

import numpy as np
import pytest
from panels import panel, simulated

from annobench.labels.annotations import Annotations
from annobench.models import one_coin, zencrowd


def bayes(annotations: Annotations, accuracy) -> tuple[np.ndarray, float]:
    """Compute posterior and log likelihood label by label."""
    k = annotations.n_categories
    joint = np.full((annotations.n_items, k), 1 / k)
    for i, j, label in zip(annotations.item, annotations.annotator, annotations.label, strict=True):
        wrong = (1 - accuracy[j]) / (k - 1)
        joint[i] *= [accuracy[j] if truth == label else wrong for truth in range(k)]
    total = joint.sum(axis=1)
    return joint / total[:, None], float(np.log(total).sum())


def test_the_first_steps_by_hand():
    # Odds of a right label are 4. x: 1 by 4 x 4; y: 1 to 4 for "1".
    labels = panel({"x": "11", "y": "100"})
    start = zencrowd.fit(labels, max_iterations=0)
    np.testing.assert_allclose(start.posterior[:, 1], [16 / 17, 1 / 5], rtol=1e-12)
    assert start.log_likelihood == pytest.approx(
        np.log((0.64 + 0.04) / 2) + np.log((0.8 * 0.04 + 0.2 * 0.64) / 2), rel=1e-12
    )
    first = zencrowd.fit(labels, max_iterations=1)
    right = [(16 / 17 + 1 / 5) / 2, (16 / 17 + 4 / 5) / 2, 4 / 5]
    np.testing.assert_allclose(first.accuracy, right, rtol=1e-12)
    assert (first.n_iterations, first.converged, first.history.size) == (1, False, 2)


def test_errors_fall_on_the_wrong_labels_evenly():
    start = zencrowd.fit(panel({"x": "01", "y": "2-"}, categories="01234"), max_iterations=0)
    np.testing.assert_allclose(start.confusion[0, 3], [0.05, 0.05, 0.05, 0.8, 0.05], rtol=1e-12)
    np.testing.assert_allclose(start.posterior[0], [16, 16, 1, 1, 1] / np.float64(35), rtol=1e-12)


@pytest.mark.parametrize("n_categories", [2, 3, 5])
def test_posterior_and_likelihood_are_those_of_bayes_rule(rng, n_categories):
    annotations = simulated(rng, n_categories)
    fit = zencrowd.fit(annotations)
    posterior, likelihood = bayes(annotations, fit.accuracy)
    np.testing.assert_allclose(fit.posterior, posterior, rtol=1e-9)
    assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-12)


@pytest.mark.parametrize("n_categories", [2, 4])
def test_the_end_is_a_top_of_the_likelihood(rng, n_categories):
    # Moving any accuracy a little does not raise it, moving them far lowers it.
    annotations = simulated(rng, n_categories)
    fit = zencrowd.fit(annotations, tolerance=0, max_iterations=400)
    for j in range(6):
        for step in (-0.05, -1e-3, 1e-3, 0.05):
            moved = fit.accuracy.copy()
            moved[j] = np.clip(moved[j] + step, 0, 1)
            below = fit.log_likelihood - bayes(annotations, moved)[1]
            assert below >= -1e-12 * abs(fit.log_likelihood)
            assert abs(step) < 0.01 or below > 1e-4


def test_each_label_twice_doubles_the_evidence_of_the_start():
    # At given accuracies log odds are sums over labels.
    labels = panel({"x": "110", "y": "-01", "z": "1--"})
    twice = Annotations.from_arrays(
        *(np.tile(labels.to_frame()[column], 2) for column in ("item", "annotator", "label"))
    )
    once, more = (zencrowd.fit(a, max_iterations=0).posterior for a in (labels, twice))
    np.testing.assert_allclose(
        np.log(more[:, 1] / more[:, 0]), 2 * np.log(once[:, 1] / once[:, 0]), atol=1e-12
    )


def test_one_coin_has_a_prevalence_as_well(rng):
    # Where one category is rare, one_coin's likelihood is higher, and with even ones they agree.
    even = simulated(rng, 2, n_items=2_000)
    assert np.abs(zencrowd.fit(even).accuracy - one_coin.fit(even).accuracy).max() < 0.01
    skewed = Annotations.from_arrays(
        even.item, even.annotator, np.where(even.item % 10 == 0, even.label, even.label[0])
    )
    ours, theirs = zencrowd.fit(skewed), one_coin.fit(skewed, smoothing=0)
    assert theirs.log_likelihood > ours.log_likelihood + 100
    assert theirs.prevalence.max() > 0.9


def test_an_annotator_without_labels_guesses_and_changes_nothing():
    labels = {"x": "110", "y": "000", "z": "111"}
    idle, alone = zencrowd.fit(panel(labels, annotators="0123")), zencrowd.fit(panel(labels))
    assert idle.accuracy[3] == 1 / 2
    np.testing.assert_array_equal(idle.posterior, alone.posterior)


def test_perfect_annotators_who_contradict_each_other_are_no_crash():
    rows = {f"x{n}": "00--" if n % 2 else "--11" for n in range(6)} | {"y": "0-1-"}
    fit = zencrowd.fit(panel(rows), tolerance=0, max_iterations=300)
    assert np.isfinite(fit.posterior).all()
    assert np.isfinite(fit.log_likelihood)
