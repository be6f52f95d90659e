"""Coverage of intervals: against enumeration, closed forms, and the promises of the plan."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench import agreement
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from studies.coverage import interval_coverage
from studies.coverage.interval_coverage import Case, Design

PERCENT = Case("percent_agreement")
#: Chance of a false alarm of a check by simulation.
ALARM = 1e-4


def population_agreement(design: Design, confusion: np.ndarray) -> float:
    """The probability that a pair of these annotators agrees on a new item."""
    pairs = [
        (design.shares[:, None] * confusion[j] * confusion[k]).sum()
        for j, k in product(range(len(confusion)), repeat=2)
        if j < k
    ]
    return float(np.mean(pairs))


def test_coverage_of_the_wald_interval_is_that_of_enumeration():
    # Two annotators agree on each item with probability p, independently: the number of
    # agreements is binomial, and each has its one interval.
    design = Design(n_items=6, n_annotators=2, prevalence=0.3)
    rng = np.random.default_rng([5, 2])
    p = population_agreement(design, design.draw_annotators(2, rng))
    n = design.n_items
    x = np.arange(n + 1)
    share = x / n
    half_width = stats.norm.ppf(0.975) * np.sqrt(share * (1 - share) / n)
    exact = stats.binom.pmf(x, n, p)[np.abs(share - p) <= half_width].sum()
    table = interval_coverage.study(
        [PERCENT], design, "items", repetitions=400, replicates=1, seed=5, n_items=200_000
    )
    row = table[table["kind"] == "analytic"].iloc[0]
    held = round(row["coverage"] * 400)
    assert stats.binomtest(held, 400, exact).pvalue > ALARM
    # A normal interval of 6 items is not what it says; the check would notice if it were.
    assert stats.binomtest(held, 400, 0.95).pvalue < ALARM


def test_the_estimand_of_items_is_the_value_in_the_population(rng):
    design = Design(n_items=10, n_annotators=4, prevalence=0.2)
    confusion = design.draw_annotators(4, rng)
    found = interval_coverage.estimands([PERCENT], design, "items", confusion, rng)
    estimate, error = found[0]
    t = abs(estimate - population_agreement(design, confusion)) / error
    assert 2 * stats.t.sf(t, interval_coverage.BATCHES - 1) > ALARM
    # Of a million coins it would be this.
    assert error < 0.5 / np.sqrt(interval_coverage.ESTIMAND_ITEMS) * 2


@pytest.mark.parametrize("unit", ["annotators", "both"])
def test_the_estimand_of_redrawn_annotators_is_that_of_mean_annotators(unit, rng):
    # Two annotators drawn independently are, for one item, two draws of the mean annotator.
    design = Design(n_items=30, n_annotators=5, prevalence=0.2)
    cases = [PERCENT, Case("fleiss_kappa"), Case("conger_kappa"), Case("krippendorff_alpha")]
    found = interval_coverage.estimands(cases, design, unit, np.zeros((5, 2, 2)), rng)
    mean = design.mean_confusion
    shares = np.bincount(design.fixed_items) / 30 if unit == "annotators" else design.shares
    observed = (shares @ mean**2).sum()
    expected = ((shares @ mean) ** 2).sum()
    kappa = (observed - expected) / (1 - expected)
    t = np.abs(found[:, 0] - [observed, kappa, kappa, kappa]) / found[:, 1]
    assert (2 * stats.t.sf(t, interval_coverage.BATCHES - 1) > ALARM).all()


def test_the_estimands_of_intraclass_correlations_are_shares_of_variance(rng):
    design = Design(40, 5, 0.3, n_categories=5, scale="ordinal", concentration=3)
    cases = [Case("icc"), Case("icc", {"kind": "consistency"})]
    found = interval_coverage.estimands(cases, design, "both", np.zeros((5, 5, 5)), rng)
    k = np.arange(5)
    mean = design.mean_confusion @ k
    within = design.mean_confusion @ k**2 - mean**2
    items = design.shares @ mean**2 - (design.shares @ mean) ** 2
    total = items + design.shares @ within
    # A row of a Dirichlet distribution about m has the variance of m over concentration + 1.
    annotators = (design.shares**2 * within).sum() / (design.concentration + 1)
    t = np.abs(found[:, 0] - [items / total, items / (total - annotators)]) / found[:, 1]
    assert (2 * stats.t.sf(t, interval_coverage.BATCHES - 1) > ALARM).all()


def test_one_seed_gives_one_table_and_another_another():
    design = Design(n_items=12, n_annotators=5, prevalence=0.4)
    settings = {"repetitions": 3, "replicates": 20, "n_items": 400}
    for unit in interval_coverage.KINDS:
        one, again, other = (
            interval_coverage.study([PERCENT], design, unit, seed=seed, **settings)
            for seed in (1, 1, 2)
        )
        pd.testing.assert_frame_equal(one, again)
        assert (one["estimand"] != other["estimand"]).all()


def test_fixed_annotators_are_the_same_whatever_the_size_and_prevalence():
    few, many = (
        Design(n_items, n_annotators, prevalence).draw_annotators(
            n_annotators, np.random.default_rng(1)
        )
        for n_items, n_annotators, prevalence in ((10, 2, 0.5), (99, 7, 0.1))
    )
    np.testing.assert_array_equal(few, many[:2])


def test_labels_follow_prevalence_and_confusion(rng):
    design = Design(10, 2, 0.25, n_categories=3)
    # Binomial shares of two trials.
    np.testing.assert_allclose(design.shares, [0.5625, 0.375, 0.0625])
    np.testing.assert_allclose(design.mean_confusion[0], [0.85, 0.1, 0.05])
    n = 200_000
    labels = interval_coverage.draw_labels(
        np.full(n, 1), np.array([[[1, 0, 0], [0.2, 0.5, 0.3]]]), rng
    )
    assert stats.chisquare(np.bincount(labels[:, 0]), [0.2 * n, 0.5 * n, 0.3 * n]).pvalue > ALARM


def test_fixed_items_have_the_prevalence():
    assert np.bincount(Design(40, 2, 0.1).fixed_items).tolist() == [36, 4]
    assert Design(7, 2, 0.5, n_categories=3).fixed_items.size == 7


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "set"])
def test_labels_are_of_the_scale_asked_for(scale, rng):
    design = Design(30, 3, 0.5, n_categories=4, scale=scale, missing=0.3)
    made = interval_coverage.draw(design, "both", np.zeros((3, 4, 4)), rng)
    assert made.scale == scale
    assert 0 < made.n_labels < 90
    if scale == "set":
        again = Annotations.from_sets(
            [made.items[i] for i in made.item],
            [made.annotators[j] for j in made.annotator],
            [made.members[k] for k in made.label],
        )
        assert again.membership.sum(axis=1).tolist() == sorted(again.membership.sum(axis=1))


def test_every_coefficient_that_is_discovered_is_tried():
    cases = interval_coverage.cases()
    # The value of W depends on the number of annotators, and the estimand is that of very many.
    assert {case.coefficient for case in cases} == set(agreement.discover()) - {"kendall_w"}
    assert all(case.scale in case.method.accepts for case in cases)
    part = {
        "unit": "items",
        "items": [9],
        "annotators": [2],
        "prevalences": [0.5],
        "missing": [0],
        "repetitions": 1,
        "replicates": 1,
    }
    planned = [case for task in interval_coverage.plan([part], cases) for case in task.cases]
    assert len(planned) == len(cases)
    of_three = interval_coverage.plan([part | {"annotators": [3]}], cases)
    assert {case.method.annotators for task in of_three for case in task.cases} == {"any"}


def test_sizes_of_one_design_share_their_estimand_and_their_table_is_that_of_each_alone():
    designs = Design(9, 3, 0.5), Design(14, 3, 0.5)
    settings = {"repetitions": 2, "replicates": 5}
    table = interval_coverage.Task((PERCENT,), designs, "items", **settings).run(3, 400)
    assert len(set(table["estimand"])) == 1
    alone = [
        interval_coverage.study([PERCENT], design, "items", seed=3, n_items=400, **settings)
        for design in designs
    ]
    pd.testing.assert_frame_equal(table, pd.concat(alone, ignore_index=True))


def test_data_without_an_interval_are_counted_apart():
    ends = np.array([[0.1, 0.4], [0.3, 0.6], [0.6, 0.9], [np.nan, np.nan]])
    found = interval_coverage.tally(ends, 0.5)
    assert (found["n_below"], found["n_above"], found["n_undefined"]) == (1, 1, 1)
    assert found["coverage"] == pytest.approx(1 / 3)
    assert found["width"] == pytest.approx(0.3)
    # Wilson: (x + z^2/2 -+ z sqrt(x (n - x) / n + z^2/4)) / (n + z^2) with x = 1, n = 3.
    z2 = stats.norm.ppf(0.975) ** 2
    half_width = np.sqrt(z2 * (2 / 3 + z2 / 4))
    assert found["lower"] == pytest.approx((1 + z2 / 2 - half_width) / (3 + z2))
    assert found["upper"] == pytest.approx((1 + z2 / 2 + half_width) / (3 + z2))
    nothing = interval_coverage.tally(ends[3:], 0.5)
    assert np.isnan(nothing["coverage"])
    assert nothing["n_undefined"] == 1


def test_a_verdict_needs_the_whole_interval_of_the_coverage():
    rows = pd.DataFrame(
        {
            "coverage": [0.80, 0.91, 0.95, 0.96, 0.99, np.nan],
            "lower": [0.70, 0.88, 0.93, 0.94, 0.98, np.nan],
            "upper": [0.90, 0.94, 0.97, 0.98, 1.00, np.nan],
        }
    )
    assert interval_coverage.verdict(rows).tolist() == [
        "low",
        "fair",
        "fair",
        "fair",
        "high",
        "undefined",
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"prevalence": 1.0}, "prevalence must be between 0 and 1, got 1.0"),
        ({"missing": 1.0}, r"missing must be in \[0, 1\), got 1.0"),
        ({"n_annotators": 1}, "n_annotators must be at least 2, got 1"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(AnnotationError, match=message):
        Design(**({"n_items": 5, "n_annotators": 2, "prevalence": 0.5} | wrong))
