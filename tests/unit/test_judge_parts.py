"""Parts of the assessment of judges whose answer is known by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from annobench.audit.planning import _certificate_rows
from annobench.judges import prevalence
from annobench.judges.consistency import repeat_consistency
from annobench.judges.prevalence import JudgedCounts
from annobench.judges.regression import least_squares
from annobench.labels import Annotations


def test_a_caution_is_of_the_level_that_is_asked_for(monkeypatch):
    levels = []
    monkeypatch.setattr(prevalence, "caution_of", lambda _, level=None: levels.append(level))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prevalence.estimate_prevalence(JudgedCounts(45, 5, 10, 40, 300, 700), level=0.8)
    assert levels == [0.8]


@pytest.mark.parametrize(("n", "clusters"), [(2, [0, 1]), (4, [0, 0, 0, 0])])
def test_as_few_rows_as_columns_or_one_cluster_have_no_covariance(n, clusters):
    columns = np.column_stack([np.ones(n), np.arange(n)])
    found = least_squares(columns, 3 + 2.0 * np.arange(n), np.array(clusters))
    np.testing.assert_allclose(found.coefficients, [3, 2])
    assert np.isnan(found.covariance).all()


def test_a_pilot_of_numbers_plans_no_certificate():
    pilot = Annotations.from_wide([[1.5, 2.5], [0.5, 3.5]], scale="interval")
    assert _certificate_rows(pilot, 100, 0.1, 0.95, 0.8) == []


def test_kappa_of_repeats_is_their_agreement_beyond_chance():
    labels = Annotations.from_arrays(list("xxyyzzww"), ["j"] * 8, list("11001001"))
    [row] = repeat_consistency(labels).to_dict("records")
    # Two of four items get the same label twice, and both labels are as frequent.
    assert row["agreement"] == 0.5
    assert row["expected_agreement"] == 0.5
    assert row["kappa"] == 0
    labels = Annotations.from_arrays(list("xxyyzzww"), ["j"] * 8, list("11001100"))
    assert repeat_consistency(labels)["kappa"].tolist() == [1]
