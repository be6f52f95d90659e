"""JUDGE-BENCH: released values from released ratings and the released seed, and what they mean."""

import random

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from annobench import datasets
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published


@pytest.fixture(scope="module")
def data(analysis, mirror):
    def read(name):
        loaded = datasets.load(f"judge_bench_{name}", mode="real", mirror=mirror, network=False)
        return analysis.values.read(loaded)

    return {name: read(name) for name in analysis.values.NAMES}


@pytest.fixture(scope="module")
def printed(paper):
    return read_published(paper.folder / "published.csv").set_index("target")["value"]


def test_raters_are_those_of_pythons_generator(analysis, data):
    ratings = data["recipes_grammar"]
    found = analysis.values.released_raters(ratings, 47, 30)
    generator = random.Random(47)
    for item, code in enumerate(ratings.code):
        answers = [int(each) for each in code if each >= 0]
        assert found[:, item].tolist() == generator.choices(answers, k=30)


def test_scores_are_those_of_other_packages(analysis, data):
    ratings = data["dices_350"]
    raters = analysis.values.released_raters(ratings, 47, 3)
    found = analysis.values.agreements(ratings, raters, ratings.aggregate)
    expected = [cohen_kappa_score(row, ratings.aggregate) for row in raters]
    assert found == pytest.approx(expected)
    ratings = data["newsroom_fluency"]
    raters = analysis.values.released_raters(ratings, 47, 3)
    found = analysis.values.agreements(ratings, raters, ratings.aggregate)
    grades = ratings.grades[raters]
    expected = [stats.spearmanr(row, ratings.aggregate).statistic for row in grades]
    assert found == pytest.approx(expected)


def test_every_bound_is_that_of_the_released_seed_and_one_rater_after_the_other_gives_others(
    analysis, data, printed
):
    agreed = {"items": 0, "raters": 0}
    for name, ratings in data.items():
        by_item = analysis.values.released_raters(ratings, 47, 1000)
        # As if a rater's answers to all items were drawn before the next rater's.
        uniform = analysis.values.uniform(47, (1000, len(ratings.code)))
        place = (uniform * ratings.length).astype(int)
        by_rater = np.take_along_axis(ratings.code, place.T, axis=1).T
        for order, raters in (("items", by_item), ("raters", by_rater)):
            score = float(analysis.values.agreements(ratings, raters, ratings.aggregate).mean())
            agreed[order] += agrees(printed[f"bound.{name}.mean"], "eq", score, score)
    assert agreed["items"] == 13
    assert agreed["raters"] < 10


def test_both_ratings_of_inferential_strategies_are_equal(data):
    code = data["inferential_strategies"].code
    assert code.shape == (300, 2)
    assert (code[:, 0] == code[:, 1]).all()


def test_aggregates_are_those_of_the_ratings(analysis, data):
    for name, ratings in data.items():
        found = analysis.values.aggregate_of(ratings, ratings.code)
        if not ratings.is_nominal:
            assert found == pytest.approx(ratings.aggregate, abs=0.005), name
            continue
        counts = (ratings.code[..., None] == np.arange(len(ratings.grades))).sum(axis=1)
        given = counts[np.arange(len(counts)), ratings.aggregate]
        assert (given == counts.max(axis=1)).all(), name


def test_a_bound_without_agreement_is_that_of_one_answer_of_three(analysis):
    """A standard normal number and the mean of it and two others correlate with 1 / sqrt(3)."""
    rng = np.random.default_rng(1)
    code = rng.integers(0, 40, size=(400, 3))
    grades = np.arange(40.0)
    plain = analysis.values.Ratings(False, code, grades[code].mean(axis=1), grades)
    raters, _ = analysis.values.drawn_raters(plain, 50, rng)
    bound = analysis.values.agreements(plain, raters, plain.aggregate).mean()
    # Spearman's rho is a little lower than Pearson's; its standard error is below .01 here.
    assert bound == pytest.approx(1 / np.sqrt(3), abs=0.03)
    assert abs(analysis.values.against_the_others(plain, 50, rng)) < 0.1
    assert analysis.values.without_agreement(plain, 5, rng) == pytest.approx(bound, abs=0.05)


def test_crossed_alphas_scatter_about_alpha(analysis, data):
    ratings = data["dices_350"]
    found = analysis.values.crossed_alphas(ratings, np.random.default_rng(2), 40)
    assert abs(found.mean() - 0.1609) < 4 * found.std() / np.sqrt(40) + 0.005


def test_positions_of_dices_350_are_raters_and_those_of_newsroom_are_not(analysis, data):
    table = analysis.values.table_of_positions(data, np.random.default_rng(3), "quick")
    ratio = table.set_index("property")["ratio"]
    assert ratio["dices_350"] > 30
    assert ratio["newsroom_fluency"] < 3
