"""Weighted voting, one-coin, MACE and GLAD: small cases by hand, and against plain loops."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from panels import panel, simulated

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, glad, mace, one_coin, weighted_voting


def bayes(annotations: Annotations, prevalence, confusion) -> tuple[np.ndarray, float]:
    """Compute posterior and log likelihood label by label; `confusion` by item and annotator."""
    joint = np.tile(np.asarray(prevalence, dtype=float), (annotations.n_items, 1))
    labels = zip(annotations.item, annotations.annotator, annotations.label, strict=True)
    for i, j, label in labels:
        joint[i] *= confusion(i, j)[:, label]
    total = joint.sum(axis=1)
    return joint / total[:, None], float(np.log(total).sum())


# Weighted voting.


def test_log_odds_of_agreement_by_hand():
    # Unweighted, x and z are 1 and y is 0. Annotator 0 agrees on all three, 1 and 2 on two.
    # With one right and one wrong more: 4 of 5, 3 of 5 and 3 of 5.
    fit = weighted_voting.fit(panel({"x": "111", "y": "001", "z": "101"}))
    np.testing.assert_allclose(fit.accuracy, [4 / 5, 3 / 5, 3 / 5], rtol=1e-12)
    np.testing.assert_allclose(fit.weights, np.log([4, 1.5, 1.5]), rtol=1e-12)
    # x: odds 4 x 1.5 x 1.5 = 9; y: 1.5 / (4 x 1.5); z: 4 x 1.5 / 1.5.
    np.testing.assert_allclose(fit.posterior[:, 1], [9 / 10, 1 / 5, 4 / 5], rtol=1e-12)
    assert (fit.n_iterations, fit.converged) == (1, True)


def test_three_categories_by_hand():
    # All three agree on x; on y nobody does, and each has a third of the win. Right: 4/3 of 2;
    # one right and two wrong more: 7/3 of 5. Weight log(7/3 x 2 / (8/3)) = log(7/4).
    fit = weighted_voting.fit(panel({"x": "000", "y": "012"}))
    np.testing.assert_allclose(fit.weights, np.log(7 / 4), rtol=1e-12)
    np.testing.assert_allclose(fit.accuracy, 7 / 15, rtol=1e-12)
    assert fit.is_tie.tolist() == [False, True]


def test_two_who_agree_with_most_outvote_three_who_do_not():
    # On x0 to x19 the first four are of one mind and the rest by halves; on y two stand alone.
    rows = {f"x{n}": "1111" + ("100" if n % 2 else "011") for n in range(20)} | {"y": "00--111"}
    fit = weighted_voting.fit(panel(rows))
    assert fit.winners[-1].tolist() == [True, False]
    assert fit.converged


def test_sums_that_differ_by_rounding_tie():
    # 0.1 + 0.2 is not 0.3 in binary.
    fit = weighted_voting.fit(panel({"x": "110"}), weights=[0.1, 0.2, 0.3])
    assert fit.is_tie.tolist() == [True]
    assert fit.posterior[0, 0] == fit.posterior[0, 1]
    assert (fit.n_iterations, fit.converged) == (0, True)
    assert not weighted_voting.fit(panel({"x": "110"}), weights=[0.1, 0.2, 0.30001]).is_tie[0]


def test_who_always_disagrees_votes_against():
    rows = {f"x{n}": "0001" if n % 2 else "1110" for n in range(10)} | {"y": "---1"}
    fit = weighted_voting.fit(panel(rows))
    assert fit.weights[3] < 0
    assert fit.winners[-1].tolist() == [True, False]


def test_an_annotator_without_labels_weighs_nothing():
    fit = weighted_voting.fit(panel({"x": "01"}, annotators="012"))
    assert fit.weights[2] == 0
    assert fit.accuracy[2] == 1 / 2


@pytest.mark.parametrize("weights", [[1, 2], [1, 2, np.nan], [[1, 2, 3]]])
def test_weights_of_another_shape_or_not_finite_are_refused(weights):
    with pytest.raises(AnnotationError, match="weights must be 3 finite numbers"):
        weighted_voting.fit(panel({"x": "110"}), weights=weights)


def test_no_round_of_voting_is_refused():
    with pytest.raises(ValueError, match="max_iterations must be at least 1, got 0"):
        weighted_voting.fit(panel({"x": "110"}), max_iterations=0)


# One coin.


def test_the_start_of_one_coin_by_hand():
    # Vote shares of "1": x 1, y 1/3. Annotator 0 is right with 1 and 1/3 of its labels, and so on.
    fit = one_coin.fit(panel({"x": "11-", "y": "100"}), smoothing=0, max_iterations=0)
    np.testing.assert_allclose(fit.accuracy, [(1 + 1 / 3) / 2, (1 + 2 / 3) / 2, 2 / 3], rtol=1e-12)
    np.testing.assert_allclose(fit.prevalence, [1 / 3, 2 / 3], rtol=1e-12)
    # x: 2/3 x 2/3 x 5/6 for 1, against 1/3 x 1/3 x 1/6 for 0: 20 to 1.
    # y: 2/3 x 2/3 x 1/6 x 1/3 against 1/3 x 1/3 x 5/6 x 2/3: 2 to 5.
    np.testing.assert_allclose(fit.posterior[:, 1], [20 / 21, 2 / 7], rtol=1e-12)
    assert (fit.n_iterations, fit.converged, fit.history.size) == (0, False, 1)


@pytest.mark.parametrize("n_categories", [2, 3, 5])
def test_posterior_and_likelihood_of_one_coin_are_those_of_bayes_rule(rng, n_categories):
    annotations = simulated(rng, n_categories)
    fit = one_coin.fit(annotations)
    posterior, likelihood = bayes(annotations, fit.prevalence, lambda i, j: fit.confusion[j])
    np.testing.assert_allclose(fit.posterior, posterior, rtol=1e-9)
    assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-12)


def test_one_coin_stops_where_its_update_changes_nothing(rng):
    annotations = simulated(rng)
    fit = one_coin.fit(annotations, smoothing=0.5, tolerance=0)
    right = fit.posterior[annotations.item, annotations.label]
    counts = np.bincount(annotations.annotator)
    hits = np.bincount(annotations.annotator, weights=right)
    np.testing.assert_allclose(fit.accuracy, (hits + 1.5) / (counts + 4.5), rtol=1e-12)
    np.testing.assert_allclose(fit.prevalence, (fit.posterior.sum(axis=0) + 0.5) / 61.5, rtol=1e-12)


@pytest.mark.parametrize("smoothing", [0, 0.01, 1])
@pytest.mark.parametrize("n_categories", [2, 4])
def test_one_coin_is_dawid_and_skene_tied_to_one_accuracy(rng, smoothing, n_categories):
    annotations = simulated(rng, n_categories)
    options = {"smoothing": smoothing, "tolerance": 0, "max_iterations": 7}
    ours = one_coin.fit(annotations, **options)
    other = dawid_skene.fit(annotations, tie="one_coin", **options)
    np.testing.assert_allclose(ours.posterior, other.posterior, atol=1e-10)
    np.testing.assert_allclose(ours.confusion, other.confusion, atol=1e-10)
    assert ours.log_posterior == pytest.approx(other.log_posterior, rel=1e-10)


def test_with_a_tolerance_of_zero_all_updates_are_done(rng):
    # The likelihood stands still, to the last digit, long before the parameters do.
    annotations = simulated(rng)
    for fit in (
        one_coin.fit(annotations, tolerance=0, max_iterations=400),
        mace.fit(annotations, rng=rng, n_starts=1, tolerance=0, max_iterations=400),
        glad.fit(annotations, tolerance=0, max_iterations=400),
    ):
        assert (fit.n_iterations, fit.converged) == (400, False)
        assert fit.history[-1] == pytest.approx(fit.history[-50], rel=1e-15)


def test_perfect_annotators_who_contradict_each_other_are_no_crash():
    rows = {f"x{n}": "00--" if n % 2 else "--11" for n in range(6)} | {"y": "0-1-"}
    fit = one_coin.fit(panel(rows), smoothing=0, max_iterations=50)
    assert np.isfinite(fit.posterior).all()
    assert np.isfinite(fit.log_likelihood)


def test_an_annotator_without_labels_guesses_and_changes_nothing():
    labels = {"x": "110", "y": "000", "z": "111"}
    with_idle = one_coin.fit(panel(labels, annotators="0123"))
    assert with_idle.accuracy[3] == pytest.approx(1 / 2)
    alone = one_coin.fit(panel(labels), tolerance=0, max_iterations=5)
    idle = one_coin.fit(panel(labels, annotators="0123"), tolerance=0, max_iterations=5)
    np.testing.assert_allclose(idle.posterior, alone.posterior, rtol=1e-12)


@pytest.mark.parametrize("smoothing", [-1, np.nan, np.inf])
def test_smoothing_out_of_its_range_is_refused(smoothing, rng):
    with pytest.raises(ValueError, match="smoothing must be a finite number"):
        one_coin.fit(panel({"x": "11"}), smoothing=smoothing)
    with pytest.raises(ValueError, match="smoothing must be a finite number"):
        mace.fit(panel({"x": "11"}), smoothing=smoothing, rng=rng)


# MACE.


def test_mace_without_the_even_start_has_the_random_ones(rng):
    annotations = simulated(rng)
    options = {"tolerance": 0, "max_iterations": 3}
    all_starts = mace.fit(annotations, rng=1, n_starts=3, **options).starts
    random_ones = mace.fit(annotations, rng=1, n_starts=2, even_start=False, **options).starts
    np.testing.assert_array_equal(random_ones, all_starts[1:])
    even = mace.fit(annotations, rng=2, n_starts=1, **options).starts
    np.testing.assert_array_equal(even, all_starts[:1])


@pytest.mark.parametrize("inference", ["em", "variational"])
def test_likelihood_of_mace_sums_over_who_spams(rng, inference):
    annotations = panel({"x": "012", "y": "00-", "z": "1-1"})
    fit = mace.fit(annotations, rng=rng, inference=inference)
    total = 0.0
    for i in range(3):
        of_item = 0.0
        mine = np.flatnonzero(annotations.item == i)
        for truth, spams in itertools.product(
            range(3), itertools.product([0, 1], repeat=mine.size)
        ):
            chance = 1 / 3
            for n, spam in zip(mine, spams, strict=True):
                j, label = annotations.annotator[n], annotations.label[n]
                known = fit.competence[j] * (label == truth)
                chance *= (1 - fit.competence[j]) * fit.strategy[j, label] if spam else known
            of_item += chance
        total += np.log(of_item)
    assert fit.log_likelihood == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("n_categories", [2, 3])
def test_posterior_of_mace_by_em_is_that_of_bayes_rule(rng, n_categories):
    annotations = simulated(rng, n_categories)
    fit = mace.fit(annotations, rng=rng, inference="em")
    even = np.full(n_categories, 1 / n_categories)
    posterior, likelihood = bayes(annotations, even, lambda i, j: fit.confusion[j])
    np.testing.assert_allclose(fit.posterior, posterior, rtol=1e-9, atol=1e-300)
    assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-12)


def test_mace_without_smoothing_is_at_a_top_of_the_likelihood(rng):
    # Moving any competence or strategy a little does not raise it.
    annotations = simulated(rng, 2)
    fit = mace.fit(annotations, rng=rng, inference="em", smoothing=0, tolerance=0)

    def likelihood(competence, strategy):
        spam = (1 - competence)[:, None] * strategy
        confusion = spam[:, None, :] + competence[:, None, None] * np.eye(2)
        return bayes(annotations, [0.5, 0.5], lambda i, j: confusion[j])[1]

    top = likelihood(fit.competence, fit.strategy)
    top += 1e-12 * abs(top)  # rounding
    for j, step in itertools.product(range(6), (-0.01, 0.01)):
        competence, strategy = fit.competence.copy(), fit.strategy.copy()
        competence[j] = np.clip(competence[j] + step, 0, 1)
        assert likelihood(competence, fit.strategy) <= top
        strategy[j] = np.clip(strategy[j] + [step, -step], 0, 1)
        assert likelihood(fit.competence, strategy / strategy.sum(axis=1)[:, None]) <= top


def test_stated_weights_need_no_second_annotator():
    assert weighted_voting.fit(panel({"x": "1"}, categories="01"), weights=[2.0]).winners[0, 1]
    with pytest.raises(AnnotationError, match="weighted_voting: all labels are of one annotator"):
        weighted_voting.fit(panel({"x": "1"}, categories="01"))


def test_the_bound_of_one_label_by_quadrature(rng, monkeypatch):
    # # One label says nothing about its annotator, and is refused; its bound is simple enough to
    # check.
    monkeypatch.setattr(mace, "METHOD", dataclasses.replace(mace.METHOD, compares=False))
    fit = mace.fit(panel({"x": "1"}, categories="01"), rng=rng, tolerance=1e-15)
    known = 2 * fit.competence[0] - 0.5  # the mean of Beta(0.5 + known, 0.5 + spammed)
    spammed = 1 - known
    competence = scipy.stats.beta(0.5 + known, 0.5 + spammed)
    strategy = scipy.stats.beta(10 + spammed, 10)

    def mean(distribution, of):
        return scipy.integrate.quad(lambda x: distribution.pdf(x) * of(x), 0, 1, limit=500)[0]

    # The label was known, and the category is 1; or it was spammed, and the category is either.
    in_logs = (
        np.log(1 / 2)
        + known * (mean(competence, np.log) - np.log(known))
        + spammed * (mean(competence, lambda x: np.log1p(-x)) - np.log(spammed / 2))
        + spammed * mean(strategy, np.log)
    )
    gaps = [
        mean(
            distribution,
            lambda x, distribution=distribution, prior=prior: (
                distribution.logpdf(x) - prior.logpdf(x)
            ),
        )
        for distribution, prior in (
            (competence, scipy.stats.beta(0.5, 0.5)),
            (strategy, scipy.stats.beta(10, 10)),
        )
    ]
    assert fit.objective == pytest.approx(in_logs - sum(gaps), abs=1e-6)
    # A lower bound: by symmetry the label has probability 1/2 under the priors.
    assert fit.objective < np.log(1 / 2)


def test_mace_without_labels_of_an_annotator_returns_the_prior(rng):
    fit = mace.fit(panel({"x": "110"}, annotators="0123"), rng=rng)
    assert fit.competence[3] == pytest.approx(1 / 2)
    np.testing.assert_allclose(fit.strategy[3], 1 / 2)


@pytest.mark.parametrize("inference", ["em", "variational"])
def test_mace_finds_the_spammer_and_the_label_the_spammer_likes(rng, inference):
    truth = rng.integers(3, size=100)
    rows = {}
    for n, k in enumerate(truth):
        honest = [k if rng.random() < 0.9 else rng.integers(3) for _ in range(4)]
        spam = 2 if rng.random() < 0.9 else rng.integers(3)
        rows[f"x{n}"] = "".join(map(str, [*honest, spam]))
    fit = mace.fit(panel(rows), rng=rng, inference=inference)
    assert fit.competence[:4].min() > 0.7
    assert fit.competence[4] < 0.2
    assert fit.strategy[4, 2] > 0.7
    assert fit.starts.shape == (10,)
    assert fit.objective == fit.starts.max()
    assert fit.objective == fit.history[-1]


def test_the_only_start_is_even_and_needs_no_luck(rng):
    annotations = simulated(rng)
    one = mace.fit(annotations, rng=np.random.default_rng(1), n_starts=1)
    other = mace.fit(annotations, rng=np.random.default_rng(2), n_starts=1)
    assert one.posterior.tobytes() == other.posterior.tobytes()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"inference": "vb"}, "inference must be one of variational, em, got 'vb'"),
        ({"n_starts": 0}, "n_starts at least 1, got 0.01 and 0"),
        ({"tolerance": -1}, "tolerance must be at least 0, got -1"),
    ],
)
def test_bad_options_of_mace_are_refused(options, match, rng):
    with pytest.raises(ValueError, match=match):
        mace.fit(panel({"x": "11"}), rng=rng, **options)


# GLAD.


def glad_confusion(ability: float, easiness: float, n_categories: int) -> np.ndarray:
    right = 1 / (1 + np.exp(-ability * easiness))
    wrong = (1 - right) / (n_categories - 1)
    return np.where(np.eye(n_categories, dtype=bool), right, wrong)


def glad_log_posterior(annotations: Annotations, ability, log_easiness) -> float:
    k = annotations.n_categories
    _, likelihood = bayes(
        annotations,
        np.full(k, 1 / k),
        lambda i, j: glad_confusion(ability[j], np.exp(log_easiness[i]), k),
    )
    return likelihood - ((ability - 1) ** 2).sum() / 2 - ((log_easiness - 1) ** 2).sum() / 2


@pytest.mark.parametrize("n_categories", [2, 4])
def test_posterior_and_likelihood_of_glad_are_those_of_bayes_rule(rng, n_categories):
    annotations = simulated(rng, n_categories)
    fit = glad.fit(annotations)
    k = n_categories
    posterior, likelihood = bayes(
        annotations,
        np.full(k, 1 / k),
        lambda i, j: glad_confusion(fit.ability[j], fit.easiness[i], k),
    )
    np.testing.assert_allclose(fit.posterior, posterior, rtol=1e-9)
    assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-12)
    expected = glad_log_posterior(annotations, fit.ability, np.log(fit.easiness))
    assert fit.log_posterior == pytest.approx(expected, rel=1e-12)
    right = glad_confusion(fit.ability[2], fit.easiness[5], k)[0, 0]
    np.testing.assert_allclose(fit.accuracy_on(5)[2], right)
    np.testing.assert_allclose(fit.difficulty * fit.easiness, 1)


def test_glad_stops_where_the_posterior_is_flat(rng):
    annotations = simulated(rng, 3, n_items=20)
    fit = glad.fit(annotations, tolerance=0, max_iterations=400)
    ability, log_easiness = fit.ability, np.log(fit.easiness)
    step = 1e-5
    # A slope by differences: rounding of two values, and a third derivative of the order of 1.
    allowed = 10 * np.finfo(float).eps * abs(fit.log_posterior) / step + 10 * step**2
    for move in np.eye(6) * step:
        up = glad_log_posterior(annotations, ability + move, log_easiness)
        down = glad_log_posterior(annotations, ability - move, log_easiness)
        assert abs(up - down) / (2 * step) < allowed
    for move in np.eye(20) * step:
        up = glad_log_posterior(annotations, ability, log_easiness + move)
        down = glad_log_posterior(annotations, ability, log_easiness - move)
        assert abs(up - down) / (2 * step) < allowed


def test_items_of_which_annotators_are_of_one_mind_are_easy():
    rows = {f"x{n}": "1111" if n % 2 else "0000" for n in range(10)} | {"y": "0011"}
    fit = glad.fit(panel(rows))
    assert fit.difficulty.argmax() == 10


def test_who_always_disagrees_has_a_negative_ability():
    rows = {f"x{n}": "0001" if n % 2 else "1110" for n in range(20)}
    fit = glad.fit(panel(rows))
    assert fit.ability[3] < 0 < fit.ability[:3].min()


def test_what_has_no_labels_keeps_its_prior(rng):
    fit = glad.fit(panel({"x": "110", "y": "000"}, items="xyz", annotators="0123"))
    assert fit.ability[3] == 1
    assert fit.easiness[2] == pytest.approx(np.e)
    assert fit.posterior[2].tolist() == [0.5, 0.5]


def test_one_category_is_no_evidence():
    fit = glad.fit(panel({"x": "00", "y": "0-"}))
    assert fit.log_likelihood == 0
    np.testing.assert_allclose(fit.ability, 1)
    np.testing.assert_allclose(fit.easiness, np.e)


def test_maces_smoothing_is_a_dirichlet_prior_at_its_mode():
    # Annotator 1 knew 3 of 6 labels and gave 1 and 2 of the others; annotator 2 has none.
    found = mace._smoothed(np.array([[3.0, 1.0, 2.0], [0.0, 0.0, 0.0]]), 0.5)
    np.testing.assert_allclose(found.know, np.log([0.5, 0.5]), rtol=1e-14)
    np.testing.assert_allclose(found.spam, np.log([0.5, 0.5]), rtol=1e-14)
    strategy = np.log([[1.5 / 4, 2.5 / 4], [0.5, 0.5]])
    np.testing.assert_allclose(found.strategy, strategy, rtol=1e-14)
    # One half of the sum of logs: of both annotators' competences, and of their strategies.
    expected = 0.5 * (4 * np.log(0.5) + strategy.sum())
    assert found.log_prior == pytest.approx(expected, rel=1e-14)
