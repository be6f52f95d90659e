"""What every chance-corrected coefficient promises."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annobench.agreement import cohen_kappa
from annobench.annotations import Annotations
from annobench.errors import AnnotationError, DegenerateWarning

#: Coefficients of two annotators; each returns an estimate and a standard error.
COEFFICIENTS = {"cohen_kappa": cohen_kappa}

#: Tables of 2 to 5 categories and at least one item.
TABLES = st.integers(2, 5).flatmap(
    lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 30)).filter(np.any)
)


@pytest.fixture(params=COEFFICIENTS)
def coefficient(request):
    return COEFFICIENTS[request.param]


@pytest.fixture(params=[2, 3, 7])
def n_categories(request):
    return request.param


def quietly(coefficient, table):
    """Return the result, the warning of an undefined estimate put aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        return coefficient(Annotations.from_contingency(table))


def test_perfect_agreement_gives_one_without_error(coefficient, n_categories):
    table = np.diag(np.arange(1, n_categories + 1))
    result = coefficient(Annotations.from_contingency(table))
    assert result.estimate == pytest.approx(1, rel=1e-14)
    assert result.standard_error == pytest.approx(0, abs=1e-7)


def test_equal_labels_throughout_give_nan_with_a_warning(coefficient, n_categories):
    table = np.zeros((n_categories, n_categories), dtype=int)
    table[1, 1] = 8
    with pytest.warns(DegenerateWarning, match="undefined"):
        result = coefficient(Annotations.from_contingency(table))
    assert math.isnan(result.estimate)
    assert math.isnan(result.standard_error)


def test_no_common_items_are_refused(coefficient):
    apart = Annotations.from_arrays(["x", "y"], ["a", "b"], [0, 1])
    with pytest.raises(AnnotationError, match="no item"):
        coefficient(apart)


# Hypothesis does not renew fixtures between examples; these tests loop over coefficients instead.


@settings(deadline=None)
@given(table=TABLES)
def test_no_table_gives_more_than_one(table):
    for coefficient in COEFFICIENTS.values():
        result = quietly(coefficient, table)
        if not math.isnan(result.estimate):
            assert -1 - 1e-12 <= result.estimate <= 1 + 1e-12
            assert result.standard_error >= 0


@settings(deadline=None)
@given(table=TABLES)
def test_the_order_of_the_annotators_does_not_matter(table):
    for coefficient in COEFFICIENTS.values():
        there, back = quietly(coefficient, table), quietly(coefficient, table.T)
        np.testing.assert_allclose(there.estimate, back.estimate, rtol=1e-10, atol=1e-12)
        # the root of a variance that may cancel to nothing
        np.testing.assert_allclose(there.standard_error, back.standard_error, atol=1e-6)


@settings(deadline=None)
@given(table=TABLES, data=st.data())
def test_the_order_of_the_categories_does_not_matter(table, data):
    order = data.draw(st.permutations(range(len(table))))
    for coefficient in COEFFICIENTS.values():
        first, second = quietly(coefficient, table), quietly(coefficient, table[order][:, order])
        np.testing.assert_allclose(first.estimate, second.estimate, rtol=1e-10, atol=1e-12)


@settings(deadline=None)
@given(table=TABLES)
def test_a_category_that_nobody_uses_changes_nothing(table):
    for coefficient in COEFFICIENTS.values():
        wider = quietly(coefficient, np.pad(table, (0, 1)))
        np.testing.assert_allclose(
            wider.estimate, quietly(coefficient, table).estimate, rtol=1e-10, atol=1e-12
        )


@settings(deadline=None)
@given(table=TABLES)
def test_twice_the_items_leave_the_estimate_and_shrink_the_error_by_root_two(table):
    for coefficient in COEFFICIENTS.values():
        once, twice = quietly(coefficient, table), quietly(coefficient, 2 * table)
        np.testing.assert_allclose(once.estimate, twice.estimate, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(
            once.standard_error, twice.standard_error * math.sqrt(2), atol=1e-6
        )
