"""Items that are hard or mislead: shares of labels stay, errors of an item's annotators do not."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from annobench.simulation import difficulty
from annobench.simulation.difficulty import Difficulty

CONFUSION = np.array([[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.1, 0.3, 0.6]])


def simulated(rng, correlation, misleading, n_items=3000, n_annotators=10):
    looks = difficulty.appearances(CONFUSION, misleading)
    category = np.arange(n_items) % 3
    seen = difficulty.draw_appearance(rng, category, looks)
    own = difficulty.confusion_by_appearance(CONFUSION, looks)
    confusion = np.broadcast_to(own, (n_annotators, 3, 3))
    item = np.repeat(np.arange(n_items), n_annotators)
    annotator = np.tile(np.arange(n_annotators), n_items)
    label = difficulty.draw_labels(rng, confusion, annotator, item, seen, correlation)
    return category, label.reshape(n_items, n_annotators)


@pytest.mark.parametrize(("correlation", "misleading"), [(0, 0), (0.5, 0), (0, 0.4), (0.4, 0.3)])
def test_shares_of_labels_stay_whatever_the_difficulty(rng, correlation, misleading):
    category, labels = simulated(rng, correlation, misleading)
    for k, row in enumerate(CONFUSION):
        found = np.stack([(labels[category == k] == m).mean(axis=1) for m in range(3)], axis=1)
        # Items are independent, labels of one item are not.
        error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
        assert (np.abs(found.mean(axis=0) - row) < 4.5 * error).all()


def test_errors_of_an_item_depend_on_each_other_only_where_they_should(rng):
    def variance_of_errors(*strengths):
        category, labels = simulated(rng, *strengths)
        wrong = (labels != category[:, None]).sum(axis=1)
        return np.mean([wrong[category == k].var() for k in range(3)])

    independent = 10 * np.mean(np.diag(CONFUSION) * (1 - np.diag(CONFUSION)))
    assert variance_of_errors(0, 0) == pytest.approx(independent, rel=0.1)
    assert variance_of_errors(0.4, 0) > 1.5 * independent
    assert variance_of_errors(0, 0.4) > 1.5 * independent


def test_on_a_misleading_item_annotators_err_towards_one_category(rng):
    category, labels = simulated(rng, 0.0, 0.5)
    counts = np.stack([(labels == m).sum(axis=1) for m in range(3)], axis=1)
    misled = counts.argmax(axis=1) != category
    # Half of the wrong labels, 30% of all, come of items that look like another category.
    assert misled.mean() == pytest.approx(0.15, abs=0.02)
    assert counts[misled].max(axis=1).mean() > 7


def test_shares_too_small_to_be_drawn_are_those_of_the_mean(rng):
    # Gamma variables of shape 1e-9 underflow to zero; those of the other annotator do not.
    concentration = np.array([[1e-9] * 3, [50.0] * 3])
    confusion = difficulty.draw_confusions(rng, CONFUSION[None], concentration, np.array([1, 2]))
    np.testing.assert_allclose(confusion.sum(axis=2), 1)
    wrong = np.where(np.eye(3, dtype=bool), 0, confusion[0])
    right = np.diag(confusion[0])[:, None]
    expected = (1 - right) * CONFUSION / (1 - np.diag(CONFUSION)[:, None])
    np.testing.assert_allclose(wrong, np.where(np.eye(3, dtype=bool), 0, expected))


def test_as_many_items_mislead_as_the_shares_say(rng):
    looks = difficulty.appearances(CONFUSION, 0.5)
    category = np.repeat([0, 1, 2], 100)
    table = np.zeros((3, 3))
    np.add.at(table, (category, difficulty.draw_appearance(rng, category, looks)), 1)
    assert (np.abs(table - 100 * looks) <= 1).all()


def test_confusions_of_appearances_undo_the_appearances():
    looks = difficulty.appearances(CONFUSION, 0.3)
    own = difficulty.confusion_by_appearance(CONFUSION, looks)
    assert looks @ own == pytest.approx(CONFUSION)
    assert (np.diag(own) > np.diag(CONFUSION)).all()


def test_drawn_confusions_have_the_mean_and_are_stratified_by_load(rng):
    mean = np.broadcast_to(CONFUSION, (4000, 3, 3))
    load = rng.permutation(4000)
    drawn = difficulty.draw_confusions(rng, mean, np.full((4000, 3), 5.0), load)
    assert drawn.sum(axis=2) == pytest.approx(1.0)
    error = np.sqrt(CONFUSION * (1 - CONFUSION) / 6 / 4000)
    assert (np.abs(drawn.mean(axis=0) - CONFUSION) < 4.5 * error).all()
    quarter = np.searchsorted(
        np.quantile(drawn[:, 0, 0], [0.25, 0.5, 0.75]), drawn[np.argsort(-load), 0, 0]
    )
    whole = [set(four) == {0, 1, 2, 3} for four in quarter.reshape(-1, 4)]
    assert np.mean(whole) > 0.9  # 0.09 of independent annotators


def test_a_row_without_errors_stays_without():
    sure = np.array([[1.0, 0.0], [0.0, 1.0]])
    rng = np.random.default_rng(1)
    drawn = difficulty.draw_confusions(rng, sure[None], np.array([[2.0, 2.0]]), np.array([1]))
    assert drawn[0].tolist() == sure.tolist()


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.8])
def test_both_know_as_often_as_the_bivariate_normal_says(correlation):
    first, second = 0.6, 0.85
    expected = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).cdf(
        norm.ppf([first, second])
    )
    assert difficulty.both([first], [second], correlation) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("concentration", [None, 8.0])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
@pytest.mark.parametrize("agreement", [0.05, 0.4, 0.9])
def test_the_rate_for_an_agreement_gives_it(agreement, correlation, concentration):
    mean = difficulty.rate_for(agreement, correlation, concentration)
    rates = difficulty.quantiles(mean, concentration)
    assert difficulty.both(rates, rates, correlation) == pytest.approx(agreement, abs=1e-6)


def test_the_rate_is_within_its_limits_at_no_and_full_agreement():
    assert 0 < difficulty.rate_for(0.0, 0.3) < 1e-5
    assert 1 - 1e-5 < difficulty.rate_for(1.0, 0.3) < 1


@pytest.mark.parametrize("values", [{"correlation": 1.0}, {"misleading": -0.1}])
def test_a_difficulty_out_of_range_is_an_error_that_names_it(values):
    (name,) = values
    with pytest.raises(ValueError, match=rf"Difficulty: {name} must be in \[0, 1\)"):
        Difficulty(**values)
