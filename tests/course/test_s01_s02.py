"""Sessions 1 and 2: printed tables, limits of simulations, ways of computing beside the library."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from annobench import agreement
from annobench.agreement.coefficients.paired_agreement import PairedForm, from_membership
from annobench.labels.annotations import Annotations
from annobench_course import two_annotators
from annobench_course.draws import draw
from annobench_course.sessions.s01_chance import exercises as s01_chance
from annobench_course.sessions.s02_family import exercises as s02_family

PAPERS = Path(__file__).parents[2] / "workflow" / "papers"


def printed_table(paper, name):
    with (PAPERS / paper / "tables" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def test_the_table_is_the_printed_one():
    rows = printed_table("su2008", "table2")
    assert tuple(row["category"] for row in rows) == s01_chance.SENSES
    counts = tuple(tuple(int(row[name]) for name in s01_chance.SENSES) for row in rows)
    assert counts == s01_chance.TABLE_2


def test_tables_of_two_annotators_agree_with_the_library():
    counts = two_annotators.draw_counts(np.random.default_rng(1), 100, 4, 0.6)
    labels = Annotations.from_contingency(counts)
    kappa = agreement.cohen_kappa(labels)
    p = two_annotators.shares({"table": counts})
    assert two_annotators.observed(p) == pytest.approx(kappa.observed_agreement, abs=1e-12)
    assert two_annotators.expected(p) == pytest.approx(kappa.expected_agreement, abs=1e-12)
    assert two_annotators.kappa(p) == pytest.approx(kappa.estimate, abs=1e-12)
    chance = (two_annotators.pooled(p) ** 2).sum()
    assert chance == pytest.approx(agreement.scott_pi(labels).expected_agreement, abs=1e-12)


def test_the_limits_of_shuffling_have_the_variance_of_permutations():
    # The formula of the docstring beside the permutations themselves. The variance of R draws has
    # the relative standard error sqrt(2 / R); five of them.
    given = s01_chance._two_raters(np.random.default_rng(2))
    low, high = s01_chance._shuffled_interval(given)
    rng, draws = np.random.default_rng(3), 20_000
    found = [np.mean(given["first"] == rng.permutation(given["second"])) for _ in range(draws)]
    error = (high - low) / 2 / norm.isf(s01_chance.RISK / 2) * np.sqrt(s01_chance.SHUFFLES)
    assert np.var(found) == pytest.approx(error**2, rel=5 * np.sqrt(2 / draws))
    assert np.mean(found) == pytest.approx((low + high) / 2, abs=5 * error / np.sqrt(draws))


def test_one_shuffle_is_not_taken_for_many():
    # The limits are those of a mean of many shuffles: a single one lies outside mostly.
    given = s01_chance._two_raters(np.random.default_rng(4))
    rng = np.random.default_rng(5)
    single = [np.mean(given["first"] == rng.permutation(given["second"])) for _ in range(200)]
    low, high = s01_chance._shuffled_interval(given)
    assert np.mean([low <= one <= high for one in single]) < 0.25


def test_merged_readings_have_the_printed_kappas():
    rng = np.random.default_rng(6)
    with (PAPERS / "su2008" / "published.csv").open(encoding="utf-8") as file:
        printed = {row["target"]: row for row in csv.DictReader(file)}
    for reading in s01_chance.READINGS:
        given = s01_chance._printed(rng) | {"reading": reading}
        computed = s01_chance.PUBLISHED.right_answer(given)
        assert f"{computed:.2f}" == printed[f"{reading}.cohen_kappa"]["value"]


def test_the_tables_are_the_printed_ones():
    table2 = printed_table("bhowmick2008", "table2")
    assert (
        tuple(tuple(float(row[p]) for p in s02_family.PARTS) for row in table2)
        == s02_family.TABLE_2
    )
    table1 = {row["name"]: float(row["value"]) for row in printed_table("bhowmick2008", "table1")}
    assert tuple(table1[part] for part in s02_family.PARTS) == s02_family.TABLE_1


def test_the_family_agrees_with_the_library():
    counts = two_annotators.draw_counts(np.random.default_rng(1), 90, 3, 0.5)
    labels, p = Annotations.from_contingency(counts), two_annotators.shares({"table": counts})
    for ours, name in (
        (s02_family._pi, "scott_pi"),
        (s02_family._s, "brennan_prediger"),
        (s02_family._ac1, "gwet_ac1"),
    ):
        assert ours(p) == pytest.approx(getattr(agreement, name)(labels).estimate, abs=1e-12)


def test_alpha_without_options_is_that_of_the_library():
    for seed in range(5):
        given = s02_family._missing(np.random.default_rng(seed))
        labels = Annotations.from_wide(given["labels"])
        items = s02_family._items(given)
        alpha = agreement.krippendorff_alpha(labels)
        assert s02_family._alpha(items) == pytest.approx(alpha.estimate, abs=1e-12)
        large = agreement.krippendorff_alpha(labels, small_sample=False).estimate
        assert s02_family._alpha(items, replacement=True) == pytest.approx(large, abs=1e-12)


def test_the_attainable_agreements_are_those_of_all_patterns_of_dissent():
    # Bhowmick et al., Eq. 3, by the library: all sets of three annotators up to complements
    rng = np.random.default_rng(2)
    chosen = rng.random((4000, 3, 6)) < 0.5
    found = agreement.paired_agreement(from_membership(chosen)).item_agreement
    attainable = np.array(s02_family._attainable_agreements())
    assert len(attainable) == 20
    assert np.abs(found[:, None] - attainable).min(axis=1).max() < 1e-12


def test_the_limits_of_independent_annotators():
    # A_m of simulated annotators: its mean is the closed form, its spread the standard error.
    given = {"probability": 0.3, "n_items": 500, "n_annotators": 3, "n_categories": 4}
    low, high = s02_family._independent_interval(given)
    observed, expected, _ = s02_family._agreements(given)
    assert (low + high) / 2 == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)
    rng, draws = np.random.default_rng(3), 300
    forms = [PairedForm(rng.random((500, 3, 4)) < 0.3, None, 3) for _ in range(draws)]
    found = [float(form.value(np.asarray(form.rows).sum(axis=0))) for form in forms]
    error = (high - low) / 2 / norm.isf(s02_family.RISK / 2)
    # The standard deviation of R draws has the relative standard error sqrt(1 / (2 R)); four of it.
    assert np.std(found) == pytest.approx(error, rel=4 / np.sqrt(2 * draws))
    # The bias is small beside the standard error (as the docstring says), and so is the noise here.
    assert abs(np.mean(found) - (low + high) / 2) < error * (0.1 + 4 / np.sqrt(draws))


def by_rounding(decimals, *, inside):
    """Return Cohen's kappa as a student rounds it: both agreements, or the result."""

    def kappa(table):
        p = np.asarray(table) / np.sum(table)
        parts = np.trace(p), p.sum(axis=1) @ p.sum(axis=0)
        observed, expected = (round(part, decimals) if inside else part for part in parts)
        value = (observed - expected) / (1 - expected)
        return value if inside else round(value, decimals)

    return kappa


@pytest.mark.parametrize("inside", [True, False])
def test_rounding_inside_kappa_is_named(inside):
    exercises = {exercise.id: exercise for exercise in s01_chance.EXERCISES}
    given = draw("1.3", exercises, "Ann")
    for decimals in (2, 3, 4):
        outcome = exercises["1.3"].check(by_rounding(decimals, inside=inside), given)
        assert outcome.mistake == "rounding", (decimals, outcome)


def test_counts_and_the_modal_category_are_named():
    exercises = {exercise.id: exercise for exercise in s01_chance.EXERCISES}
    table = draw("1.1", exercises, "Ann")["table"]
    counts = np.asarray(table)
    outcome = exercises["1.1"].check(counts.sum() - np.trace(counts), {"table": table})
    assert outcome.mistake == "a count of disagreements"
    products = counts.sum(axis=1) * counts.sum(axis=0) / counts.sum() ** 2
    modal = (counts.sum(axis=1) + counts.sum(axis=0)).argmax()
    outcome = exercises["1.2"].check(products[modal], {"table": table})
    assert outcome.mistake == "modal category alone"
