"""Rows of the report that say what was not computed, and how."""

from __future__ import annotations

import numpy as np
import pytest
from panels import noisy, simulated

from annobench import agreement
from annobench.agreement import report_table


@pytest.fixture(scope="module")
def labels():
    return noisy(8, 25, 4, 3, 0.3)


def test_breakdowns_have_analytic_intervals_whatever_the_overall_ones_are(labels):
    table = agreement.report(labels, rng=1, replicates=50)
    kinds = table.dropna(subset=["lower"]).groupby("breakdown")["interval"].agg(set)
    assert kinds.pop("overall") == {"percentile"}
    assert set.union(*kinds) == {"analytic"}


def test_lights_kappa_is_not_resampled_where_pairs_share_few_items(labels):
    shared = agreement.report(labels, rng=1, replicates=50)
    # Of 60 items, two annotators share one or two.
    sparse = simulated(np.random.default_rng(8), 3, 60, 12, share=0.15)
    table = agreement.report(sparse, rng=1, replicates=50)
    for found, kind in ((shared, "percentile"), (table, "analytic")):
        row = found[found["coefficient"].eq("light_kappa") & found["breakdown"].eq("overall")]
        assert row["interval"].tolist() == [kind]
        assert row["note"].str.contains("share few items").tolist() == [kind == "analytic"]


def test_annotators_left_out_in_turn_are_not_shown_where_that_takes_long(labels, monkeypatch):
    # There would be time for two of the four.
    monkeypatch.setattr(report_table, "MAX_ENTRIES", 2)
    monkeypatch.setattr(report_table, "entries", lambda result, weighted: 1)
    table = agreement.report(labels)
    left_out = table[table["breakdown"] == "without annotator"]
    assert left_out["note"].str.startswith("Left out: 4 annotators, one by one, take long").all()
    assert left_out["estimate"].isna().all()
    assert not left_out["coefficient"].duplicated().any()
