"""What the results of models and evaluation show: one line, a table, a plot."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from panels import skilled

from annobench.core.results import Summarised
from annobench.evaluation import information, selective
from annobench.models import dawid_skene


@pytest.fixture(scope="module")
def labels():
    return skilled(40, 5, rng=3).annotations


@pytest.fixture(scope="module")
def results(labels) -> dict[str, Summarised]:
    fitted = dawid_skene.fit(labels)
    noisy = [[0.8, 0.2], [0.2, 0.8]]
    confidence, right = np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1], dtype=bool)
    return {
        "restarts": dawid_skene.restarts(labels, rng=1, n_random=2),
        "bootstrap": dawid_skene.bootstrap(labels, fitted, rng=1, replicates=20),
        "curve": information.information_curve([0.5, 0.5], [noisy] * 3),
        "needed": information.labels_needed([0.5, 0.5], [noisy], 0.9, rng=1, n_items=50),
        "risk": selective.risk_coverage(confidence, right),
        "abstaining": selective.abstaining_scores([0, -1, 1], [0, 1, 1], 2),
    }


NAMES = ("restarts", "bootstrap", "curve", "needed", "risk", "abstaining")


@pytest.mark.parametrize("name", NAMES)
def test_a_result_shows_as_one_line_and_as_a_table(name, results):
    found = results[name]
    assert repr(found).startswith(f"{type(found).__name__}: ")
    assert "\n" not in repr(found)
    assert "array(" not in repr(found)
    assert "<table" in found._repr_html_()
    assert len(found.summary())


@pytest.mark.parametrize("name", ["curve", "risk"])
def test_a_curve_draws_itself_on_axes_that_are_given(name, results):
    figure, axes = plt.subplots()
    assert results[name].plot(axes) is axes
    assert axes.has_data()
    plt.close(figure)


def test_summaries_are_of_the_numbers_they_name(results):
    restarts = results["restarts"].summary()
    assert restarts["n_starts"].sum() == len(results["restarts"].table)
    assert restarts["log_posterior"].is_monotonic_decreasing
    bootstrap = results["bootstrap"]
    np.testing.assert_array_equal(
        bootstrap.summary()[["lower95", "upper95"]].T, bootstrap.interval("prevalence")
    )
    curve = results["curve"]
    np.testing.assert_array_equal(curve.summary()["information"], curve.information)
