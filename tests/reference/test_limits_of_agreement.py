"""Limits of agreement are those that Bland and Altman print; their limits, those of tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench.agreement import concordance_correlation, limits_of_agreement
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations

#: Peak expiratory flow of 17 subjects, first measurements: Bland and Altman (1986), table 1.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


def two(first, second) -> Annotations:
    wide = pd.DataFrame({"first": first, "second": second})
    return Annotations.from_wide(wide, scale="interval")


FLOW = two(WRIGHT, MINI)


def test_the_peak_flow_of_bland_and_altman_is_as_printed():
    found = limits_of_agreement(FLOW)
    assert round(found.bias, 1) == -2.1
    assert round(found.standard_deviation, 1) == 38.8
    assert (round(found.bias_lower, 1), round(found.bias_upper, 1)) == (-22.0, 17.8)
    # They take 2 for 1.96: -79.7 and 75.5, computed from what is rounded above.
    width = (found.upper - found.bias) / stats.norm.ppf(0.975)
    assert found.bias - 2 * width == pytest.approx(-2.1 - 2 * 38.8, abs=0.15)
    assert (round(found.lower, 1), round(found.upper, 1)) == (-78.1, 73.9)
    # Their confidence limits, -114.3 to -45.1 and 40.9 to 110.1, are an approximation, with
    # s sqrt(3/n) and t for the limits with 2; ours are exact and not symmetric.
    half = stats.t.ppf(0.975, 16) * found.standard_deviation * math.sqrt(3 / 17)
    assert half == pytest.approx((114.3 - 45.1) / 2, abs=0.1)
    assert found.lower_lower < -114.3 + 2
    assert found.lower - found.lower_lower > found.lower_upper - found.lower


@pytest.mark.parametrize(("n", "factor"), [(10, 2.911), (20, 2.396), (50, 2.065), (100, 1.927)])
def test_the_outer_confidence_limits_are_those_of_one_sided_tolerance(n, factor):
    # Natrella (1963), Experimental Statistics, table A-7: 95% of a population, confidence .95.
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    found = limits_of_agreement(two(x, y), coverage=0.9, level=0.9)
    assert (found.upper_upper - found.bias) / found.standard_deviation == pytest.approx(
        factor, abs=5e-4
    )
    assert (found.bias - found.lower_lower) / found.standard_deviation == pytest.approx(
        factor, abs=5e-4
    )


def test_the_trend_is_scipys_regression():
    d = np.subtract(WRIGHT, MINI)
    theirs = stats.linregress(np.add(WRIGHT, MINI) / 2, d)
    found = limits_of_agreement(FLOW)
    assert found.slope == pytest.approx(theirs.slope, rel=1e-12)
    assert found.slope_p_value == pytest.approx(theirs.pvalue, rel=1e-10)


def test_the_concordance_of_the_two_meters_is_that_of_audmetric():
    # audmetric 1.4.2: audmetric.concordance_cc(WRIGHT, MINI)
    found = concordance_correlation(FLOW).estimate
    assert found == pytest.approx(0.9427424314274846, rel=1e-12)


def test_equal_differences_leave_no_width():
    found = limits_of_agreement(two([1, 2, 3, 4], [0, 1, 2, 3]))
    assert found.summary().to_numpy().tolist() == [[1.0] * 3] * 3
    assert found.slope == 0
    assert repr(found) == "LimitsOfAgreement: first - second: 1 to 1, bias 1, 4 items"


def test_equal_means_have_no_trend():
    assert math.isnan(limits_of_agreement(two([1, 3, 2], [3, 1, 2])).slope)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (Annotations.from_wide(pd.DataFrame(np.eye(3)), scale="interval"), "exactly two"),
        (two([1, None], [None, 2]), "needs two items"),
        (Annotations.from_arrays([1, 1, 2, 2], list("xyxy"), list("abab")), "finite numbers"),
    ],
)
def test_labels_without_limits_are_refused(labels, message):
    with pytest.raises(AnnotationError, match=message):
        limits_of_agreement(labels)
