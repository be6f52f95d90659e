"""Statistics that analyses share: kappas of tables, repetitions, rows."""

import numpy as np
import pytest

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench.resampling import proportion_interval
from annobench_replication.ledger import Computed
from annobench_replication.rounding import Rounded
from annobench_replication.rows import interval_columns, value_row
from annobench_replication.statistics import kappas, mean_and_range


def test_kappas_of_many_tables_are_cohens(rng):
    tables = rng.integers(1, 30, size=(5, 3, 3))
    single = [
        agreement.cohen_kappa(Annotations.from_contingency(one.tolist())).estimate for one in tables
    ]
    assert kappas(tables) == pytest.approx(single, rel=1e-12)


def test_equal_labels_have_no_kappa():
    assert np.isnan(kappas([[0, 0], [0, 74]]))


def test_wilsons_interval_of_one_half():
    # With z = 1.96 and n = 100: 0.5 -+ z / sqrt(n + z^2) / 2.
    half = 1.959963984540054 / (100 + 1.959963984540054**2) ** 0.5 / 2
    assert proportion_interval(50, 100).limits == pytest.approx((0.5 - half, 0.5 + half), rel=1e-12)


def test_the_exact_interval_of_no_success():
    # (1 - p)^10 = 0.025.
    ends = proportion_interval(0, 10, method="exact").limits
    assert ends == pytest.approx((0, 1 - 0.025**0.1), rel=1e-9)


def test_repetitions_have_a_mean_and_a_range():
    assert mean_and_range(np.arange(41)) == pytest.approx((20, 1, 39))
    assert mean_and_range(np.arange(5), level=0.5) == (2, 1, 3)


def test_values_become_rows_with_what_is_known_of_them():
    assert value_row("a", np.int64(3)) == Computed("a", 3.0)
    assert value_row("a", (3, 2, 4)) == Computed("a", 3.0, lower=2.0, upper=4.0, level=0.95)
    rounded = Rounded(3.0, 2.5, 3.5)
    assert value_row("a", rounded, method="other") == Computed(
        "a", 3.0, rounding_lower=2.5, rounding_upper=3.5, method="other"
    )


def test_the_ends_of_an_interval_become_columns():
    found = proportion_interval(3, 10)
    assert interval_columns(found, "kappa_") == {
        "kappa_lower": found.lower,
        "kappa_upper": found.upper,
    }
