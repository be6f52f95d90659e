"""Replicates over annotators, and coefficients without one of them."""

from __future__ import annotations

import numpy as np
import pytest
from panels import noisy

from annobench import agreement
from annobench.agreement.replicates import bootstrap, without_annotator


@pytest.fixture(scope="module")
def labels():
    return noisy(3, 30, 6, 4, 0.4, scale="interval")


def test_there_is_a_replicate_for_each_sample_of_annotators(labels):
    result = agreement.krippendorff_alpha(labels)
    found = bootstrap(result, "annotators", replicates=60, rng=np.random.default_rng(1))
    assert found.shape == (60,)
    # A sample drawn twice has one value, and more samples than annotators have several.
    again = bootstrap(result, "annotators", replicates=60, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(found, again)
    first = bootstrap(result, "annotators", replicates=9, rng=np.random.default_rng(1))
    np.testing.assert_allclose(first, found[:9])
    assert np.unique(found.round(12)).size > 20


@pytest.mark.parametrize("name", ["krippendorff_alpha", "light_kappa", "percent_agreement"])
def test_without_an_annotator_the_others_are_measured(labels, name):
    measure = getattr(agreement, name)
    some = labels.select(labels=np.random.default_rng(2).random(labels.n_labels) < 0.6)
    result = measure(some)
    for annotator, left in enumerate(some.annotators):
        others = [one for one in some.annotators if one != left]
        expected = measure(some.select(annotators=others)).estimate
        assert without_annotator(result, annotator) == pytest.approx(expected, rel=1e-9)
