"""Nominal 95% intervals hold their estimand in about 95% where they should, and fail on purpose."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench.agreement import result
from studies.coverage import interval_coverage
from studies.coverage.interval_coverage import Case, Design

pytestmark = pytest.mark.slow

REPETITIONS = 400
#: Chance of a false alarm of one test, shared out among its rows.
ALARM = 0.001
CASES = [Case("percent_agreement"), Case("fleiss_kappa"), Case("krippendorff_alpha")]


def far_from_nominal(table: pd.DataFrame) -> pd.DataFrame:
    """Rows whose coverage is not within Bradley's bounds, beyond what chance explains."""
    low, high = interval_coverage.bounds(0.95)
    n = table["repetitions"] - table["n_undefined"]
    held = (table["coverage"] * n).round()
    too_low = stats.binom.cdf(held, n, low)
    too_high = stats.binom.sf(held - 1, n, high)
    return table[np.minimum(too_low, too_high) < ALARM / len(table)]


def measure(design, unit, replicates, repetitions=REPETITIONS):
    return interval_coverage.study(
        CASES, design, unit, repetitions=repetitions, replicates=replicates, seed=11
    )


@pytest.mark.parametrize(
    ("design", "unit", "replicates"),
    [
        (Design(200, 2, 0.4), "items", 400),
        (Design(200, 5, 0.4, missing=0.2), "items", 400),
    ],
    ids=["two annotators", "labels missing"],
)
def test_intervals_of_many_items_hold(design, unit, replicates):
    assert far_from_nominal(measure(design, unit, replicates)).empty


def test_the_jackknife_of_many_annotators_holds():
    table = measure(Design(60, 20, 0.4), "annotators", 1, 200)
    assert far_from_nominal(table[table["kind"] == "jackknife"]).empty


def test_halved_intervals_are_found_out(monkeypatch):
    whole = result.interval

    def halved(*arguments):
        found = whole(*arguments)
        quarter = (found.upper - found.lower) / 4
        return replace(found, lower=found.lower + quarter, upper=found.upper - quarter)

    monkeypatch.setattr(result, "interval", halved)
    table = measure(Design(200, 2, 0.4), "items", 200)
    assert len(far_from_nominal(table)) == len(table)
    assert set(interval_coverage.verdict(table)) == {"low"}


@pytest.mark.parametrize(
    "case",
    [c for c in interval_coverage.cases() if c.method.annotators == "any" and c.scale == "nominal"],
    ids=lambda case: case.coefficient,
)
def test_resampled_annotators_agree_no_more_than_they_do(case, rng):
    # A copy agrees with itself: a tenth or so of all pairs, were they counted.
    design = Design(60, 8, 0.4)
    shifts, inflated = [], []
    for _ in range(60):
        found = case.of(interval_coverage.draw(design, "annotators", np.zeros((8, 2, 2)), rng))
        values = found.bootstrap(unit="annotators", replicates=40, rng=rng)
        shifts.append(values.mean() - found.estimate)
        inflated.append(shifts[-1] + (1 - found.estimate) / design.n_annotators)
    assert stats.ttest_1samp(shifts, 0).pvalue > ALARM
    assert stats.ttest_1samp(inflated, 0).pvalue < ALARM
