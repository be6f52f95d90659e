"""Predictive checks: labels that every replicate repeats are as probable as can be."""

from __future__ import annotations

import numpy as np

from annobench.labels import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene.uncertainty import predictive_check


def test_a_statistic_that_never_varies_has_a_p_value_of_one():
    # Two annotators make no errors.
    a = Annotations.from_wide([["1", "1"], ["0", "0"]] * 30)
    fitted = dawid_skene.fit(a, smoothing=0)
    found = predictive_check(a, fitted, replicates=20, rng=1)
    never = ["pairwise agreement", "unanimous items"]
    assert found.loc[never, "p_value"].eq(1).all()
    assert np.ptp(found.loc[never, ["observed", "mean"]].to_numpy(), axis=1).max() == 0
