"""Agreement of a judge by group: against the coefficients of two annotators, and by hand."""

import numpy as np
import pytest
import scipy.stats

from annobench.agreement import cohen_kappa, scott_pi
from annobench.core.errors import AnnotationError
from annobench.judges.groups import agreement_by_group, bias_of_errors
from annobench.labels.annotations import Annotations


@pytest.fixture
def judged(rng):
    """Four systems answer 50 questions; a judge with errors of its own labels most answers."""
    groups = np.repeat(["a", "b", "c", "d"], 50)
    question = np.tile(np.arange(50), 4)
    gold = (rng.random(200) < np.repeat([0.2, 0.5, 0.7, 0.9], 50)).astype(int)
    judge = np.where(rng.random(200) < 0.8, gold, 1)
    judge[rng.random(200) < 0.05] = -1
    return judge, gold, groups, question


def test_each_group_has_the_coefficients_of_two_annotators(judged):
    judge, gold, groups, question = judged
    found = agreement_by_group(judge, gold, groups, 2, clusters=question).by_group
    for row in found.itertuples(index=False):
        own = (groups == row.group) & (judge >= 0)
        items = np.flatnonzero(own)
        pair = Annotations.from_arrays(
            np.tile(items, 2).astype(str),
            ["judge"] * items.size + ["gold"] * items.size,
            np.concatenate([judge[own], gold[own]]).astype(str),
        )
        assert row.n_items == items.size
        assert row.scott_pi == pytest.approx(scott_pi(pair).estimate)
        assert row.cohen_kappa == pytest.approx(cohen_kappa(pair).estimate)
        assert row.agreement == pytest.approx((judge[own] == gold[own]).mean())
        assert row.score_difference == pytest.approx(judge[own].mean() - gold[own].mean())


def test_ranks_are_those_of_spearman(judged):
    judge, gold, groups, question = judged
    found = agreement_by_group(judge, gold, groups, 2, clusters=question)
    scores = found.by_group[["judge_score", "gold_score"]]
    expected = scipy.stats.spearmanr(scores["judge_score"], scores["gold_score"]).statistic
    assert found.rank_correlation == pytest.approx(expected)


def test_a_bootstrap_of_clusters_is_that_of_whole_questions(judged):
    # A system that answers each question ten times tells no more than one that does once.
    judge, gold, groups, question = judged
    once = agreement_by_group(judge, gold, groups, 2, clusters=question)
    tenfold = agreement_by_group(
        *(np.tile(values, 10) for values in (judge, gold, groups)),
        2,
        clusters=np.tile(question, 10),
    )
    first, second = (each.bootstrap(replicates=400, rng=1) for each in (once, tenfold))
    for name, interval in first.items():
        assert interval.lower == pytest.approx(second[name].lower), name
        assert interval.upper == pytest.approx(second[name].upper), name
        assert interval.lower <= interval.upper
    items = agreement_by_group(*(np.tile(v, 10) for v in (judge, gold, groups)), 2)
    narrow = items.bootstrap(replicates=400, rng=1)["scott_pi"]
    assert narrow.upper - narrow.lower < 0.6 * (first["scott_pi"].upper - first["scott_pi"].lower)


def test_a_group_of_one_category_has_no_coefficient_and_is_left_out_of_the_mean():
    found = agreement_by_group([1, 1, 1, 0], [1, 1, 1, 0], list("aabb"), 2)
    assert np.isnan(found.by_group["scott_pi"][0])
    assert found.mean("scott_pi") == 1


def test_guesses_of_a_judge_that_knows_half_and_always_guesses_yes(rng):
    gold = rng.integers(0, 2, 100_000)
    judge = np.where(rng.random(gold.size) < 0.5, gold, 1)
    sensitivity, specificity = judge[gold == 1].mean(), 1 - judge[gold == 0].mean()
    # The standard error of the specificity is below 0.0023.
    assert sensitivity + specificity - 1 == pytest.approx(0.5, abs=0.01)
    assert bias_of_errors(sensitivity, specificity) == 1
    assert np.isnan(bias_of_errors(1, 1))


def test_wrong_input_is_an_error_with_a_remedy():
    with pytest.raises(AnnotationError, match="Give one of each per item"):
        agreement_by_group([0, 1], [0, 1], ["a"], 2)
    with pytest.raises(AnnotationError, match="Give gold categories of items that it labelled"):
        agreement_by_group([-1], [0], ["a"], 2)
