"""Parts of replication: what is changed to see whether a value depends on it, and by how much."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from annobench_replication import tracing
from annobench_replication.dependence import _halves, change
from annobench_replication.ledger import Computed
from annobench_replication.reconstruct import least_squares_step
from annobench_replication.rows import shown_beside


@pytest.mark.parametrize("n", [2, 5])
def test_two_halves_have_all_numbers_once(n, rng):
    first, second = _halves(list(range(n)), rng)
    assert (len(first), sorted(first + second)) == (n // 2, list(range(n)))
    assert _halves([1], rng) == []


@pytest.mark.parametrize("text", ["-50.0", "50.0"])
def test_a_number_is_changed_in_proportion_whatever_its_sign(text, rng):
    moved = [abs(Decimal(change(text, rng, share=0.5)) - Decimal(text)) for _ in range(20)]
    # By a fourth to a half of its size.
    assert min(moved) >= Decimal("12.5")
    assert max(moved) <= 25


def test_a_step_has_a_row_a_parameter():
    x = np.arange(4.0)
    step, start = least_squares_step(lambda v: v[0] + v[1] * x, [1.0, 2.0], [0.1, 0.1])
    assert step.shape == (2, 4)
    # From any start a linear model is fitted in one step: here to 3 + 4 x, in tenths.
    np.testing.assert_allclose(step @ (3 + 4 * x) - start, [20, 20], rtol=1e-6)


def test_the_last_draw_changes_labels_and_leaves_the_items(rng):
    labels = pd.DataFrame(
        {"item": [f"i{n}" for n in range(200)], "annotator": "a", "label": ["0", "1"] * 100}
    )
    data = tracing.LoadedData("x", labels, pd.DataFrame(), {})
    found = tracing._changed(data, tracing.N_DRAWS - 1).labels
    assert found[["item", "annotator"]].equals(labels[["item", "annotator"]])
    changed = (found["label"] != labels["label"]).mean()
    # Half of those that are drawn anew get the label that they had.
    assert 0 < changed < tracing.CHANGED_SHARE
    assert set(found["label"]) == {"0", "1"}


def test_rows_judged_otherwise_are_shown_beside():
    rows = [Computed(target, 1.0) for target in ("a", "b")]
    found = shown_beside(rows, {"b"})
    assert [(row.target, row.method) for row in found] == [("a", "paper"), ("b", "labels")]
