"""Shares of hard items, likely hard items, and whether items or annotators differ."""

import math

import numpy as np
import pytest
from scipy import stats

from annobench import noise
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.noise import _rates, mixtures
from annobench.noise._votes import Votes
from annobench.noise.easy_hard._checks import check_distributions
from annobench.noise.estimates import _dawid_skene_row
from annobench.noise.heterogeneity import fit_components
from studies.noise import certificate_coverage


@pytest.fixture
def coins(rng):
    """300 items of 12 labels, 90 of them coins, and 10% errors on the others."""
    regime = certificate_coverage.Regime("test", 300, 12, 0.3, error=0.1, model="rates")
    return regime.draw(rng)[0]


def test_every_model_has_a_row_and_most_find_the_share(coins, rng):
    table = noise.hard_share(coins, rng=rng, replicates=20).set_index("model")
    assert list(dict.fromkeys(table.index)) == [
        "easy_hard",
        "mixture",
        "mixture with a hard component",
        "diligent and lazy",
        "dawid_skene",
        "rates",
    ]
    for model in ("mixture with a hard component", "rates"):
        row = table.loc[model]
        assert row["lower"] <= 0.3 <= row["upper"], model
    three = table.loc["mixture"].set_index("n_components").loc[3]
    assert three["estimate"] == pytest.approx(0.3, abs=0.1)
    # Errors on easy items look hard where there are none.
    assert table.loc["easy_hard", "estimate"] > 0.6
    assert "not identified" in table.loc["diligent and lazy", "note"]


def test_the_lazy_are_found_beside_diligent_annotators_that_are_known(coins):
    diligent = mixtures.BinomialMixture([0.35, 0.3, 0.35], [0.05, 0.5, 0.95])
    row = noise.hard_share(coins, diligent=diligent).set_index("model").loc["diligent and lazy"]
    assert row["estimate"] == pytest.approx(0.3)
    assert "lazy share 0." in row["note"]


def test_two_labels_and_three_categories_say_what_they_lack():
    two = noise.hard_share(Annotations.from_contingency([[40, 5], [5, 40]])).set_index("model")
    assert "Give it as guess_distribution, such as 0.5" in two.loc["easy_hard", "note"]
    assert "three labels" in two.loc["mixture", "note"]
    labels = Annotations.from_counts([[5, 0, 0]] * 20 + [[2, 2, 1]] * 5 + [[0, 0, 5]] * 20)
    three = noise.hard_share(labels).set_index("model")
    assert three.loc["mixture", "note"] == "for two categories only"
    assert three.loc["easy_hard", "lower"] == pytest.approx(5 / 45)


@pytest.mark.parametrize(
    "option", [{"level": 1.0}, {"level": 0.0}, {"easy_rate": 0.5}, {"easy_rate": 1}]
)
def test_a_level_or_a_rate_out_of_range_is_refused(option):
    labels = Annotations.from_contingency([[45, 5], [5, 45]])
    with pytest.raises(AnnotationError, match=r"hard_share: level .* and easy_rate"):
        noise.hard_share(labels, **option)


def test_the_share_of_easy_hard_is_bounded_by_what_is_not_rejected():
    labels = Annotations.from_contingency([[45, 5], [5, 45]])
    row = noise.hard_share(labels, guess_distribution=0.5).set_index("model").loc["easy_hard"]
    # h of the hard items disagree in one half: the largest h with P(B(h, 1/2) <= 10) > 0.05.
    largest = max(h for h in range(10, 100) if stats.binom.cdf(10, h, 0.5) > 0.05)
    assert row["upper"] == pytest.approx(largest / 100)
    assert row["lower"] == pytest.approx(0.1)


def test_the_posterior_of_a_rate_is_empirical_bayes():
    # All pairs have one of two rates: sure ones, and coins.
    counts = [[40, 0]] * 50 + [[0, 40]] * 50 + [[20, 20], [22, 18], [17, 23]] * 10
    spread = _rates.RateDistribution.of(Votes.of(Annotations.from_counts(counts), "test"), 0.6)
    assert spread.easy_share(0.6) == pytest.approx(100 / 130, abs=0.01)
    probability = spread.guess_probability(0.6)
    assert probability[:100] == pytest.approx(np.zeros(100), abs=1e-6)
    assert (probability[100:] > 0.95).all()


def test_hard_items_come_first_with_reasons():
    counts = [[10, 0]] * 30 + [[0, 10]] * 30 + [[5, 5], [6, 4], [4, 6]]
    labels = Annotations.from_counts(counts, categories=["no", "yes"])
    gold = np.r_[np.zeros(30), np.ones(30), 0, 1, -1].astype(int)
    table = noise.hard_items(labels, gold=gold)
    assert set(table["item"].iloc[:3]) == {"60", "61", "62"}
    reasons = table.set_index("item")["reasons"]
    assert "tied between no and yes" in reasons["60"]
    assert "gold says yes" in reasons["61"]
    assert reasons["0"] == ""
    assert table["probability"].between(0, 1).all()
    with pytest.raises(AnnotationError, match="gold must be 63 codes"):
        noise.hard_items(labels, gold=[0, 1])
    with pytest.raises(AnnotationError, match="gold code 2 is none of the 2 categories"):
        noise.hard_items(labels, gold=np.full(63, 2))
    with pytest.raises(AnnotationError, match="easy_rate must be"):
        noise.hard_items(labels, easy_rate=0.2)


def simulated(rng, *, hard, spread):
    """Labels of 25 annotators on 150 items, all crossed; hard items, or annotators that differ."""
    items, annotators = 150, 25
    accuracy = rng.beta(*spread, size=annotators) if spread else np.full(annotators, 0.85)
    category = rng.integers(0, 2, size=items)
    right = rng.random((items, annotators)) < accuracy
    labels = np.where(right, category[:, None], 1 - category[:, None])
    guessed = np.arange(items) < hard * items
    labels[guessed] = rng.integers(0, 2, size=(int(guessed.sum()), annotators))
    return Annotations.from_wide(labels)


@pytest.mark.parametrize(
    ("hard", "spread", "wins", "loses"),
    [
        (0.3, None, "hard items", "own annotators"),
        (0.0, (3, 1), "own annotators", "hard items"),
        (0.3, (3, 1), "both", "plain"),
    ],
)
def test_the_model_that_made_the_labels_predicts_them_best(rng, hard, spread, wins, loses):
    labels = simulated(rng, hard=hard, spread=spread)
    table = noise.heterogeneity(labels, rng=rng, folds=3).set_index("model")
    # A model that allows for more than there is may do as well.
    assert table.loc[wins, "minus_best"] > -2 * table.loc[wins, "standard_error"] - 1e-9
    assert table.loc[loses, "minus_best"] < -3 * table.loc[loses, "standard_error"]
    if hard:
        assert table.loc[wins, "hard_share"] == pytest.approx(hard, abs=0.12)


def test_components_start_as_the_categories_and_are_shares(rng):
    fitted = fit_components(simulated(rng, hard=0.3, spread=None), hard=True, concentration=None)
    assert fitted.share.sum() == pytest.approx(1)
    assert fitted.rate.argmax(axis=1)[:2].tolist() == [0, 1]
    assert fitted.rate[2].max() < 0.65
    assert fitted.posterior.sum(axis=1) == pytest.approx(np.ones(150))


@pytest.mark.parametrize("folds", [1, 2.5, 7])
def test_folds_are_checked(folds, rng):
    with pytest.raises(AnnotationError, match="folds must be a whole number from 2 to 6"):
        noise.heterogeneity(Annotations.from_counts([[2, 1], [1, 2]]), rng=rng, folds=folds)


def test_the_share_of_guesses_of_dawid_and_skene_has_the_error_of_a_mean():
    a = Annotations.from_wide([["1", "1", "1"], ["0", "0", "0"], ["1", "0", "1"]] * 20)
    votes = Votes.of(a, "test")
    row = _dawid_skene_row(a, votes, 0.95)
    doubt = 2 * (1 - dawid_skene.fit(a).posterior.max(axis=1))
    margin = 1.959964 * doubt.std(ddof=1) / math.sqrt(60)
    assert row["estimate"] == pytest.approx(doubt.mean())
    assert row["upper"] == pytest.approx(min(1.0, doubt.mean() + margin), abs=1e-6)
    assert row["lower"] == pytest.approx(max(0.0, doubt.mean() - margin), abs=1e-6)


def test_the_row_that_is_farthest_from_a_distribution_is_named():
    with pytest.raises(ValueError, match=r"rows: row 2 is \[0\.9, 0\.9\], not a distribution"):
        check_distributions("rows", np.array([[0.5, 0.5], [0.3, 0.3], [0.9, 0.9]]))
