"""Planning: power against enumeration, and searches that find the smallest design."""

import numpy as np
import pytest
from scipy import stats

from annobench import noise
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise import planning
from studies.noise import certificate_coverage


def test_power_is_that_of_certificates_weighted_by_their_probability():
    n, hard, rate = 40, 0.1, 0.1
    certified = [
        noise.certificate(
            Annotations.from_contingency([[n - d, d], [0, 0]]), guess_distribution=0.5
        ).rate
        <= rate
        for d in range(n)
    ]
    probability = stats.binom.pmf(np.arange(n), n, hard * 0.5)
    assert 0 < sum(certified) < n
    assert noise.certification_power(n, 2, hard, rate=rate) == pytest.approx(
        probability @ np.array(certified)
    )


def test_the_number_of_annotators_is_the_smallest():
    n = noise.annotators_needed(1000, 0.2, power=0.9)
    assert noise.certification_power(1000, n, 0.2) >= 0.9
    assert noise.certification_power(1000, n - 1, 0.2) < 0.9


@pytest.mark.parametrize(("annotators", "hard"), [(2, 0.02), (3, 0.1), (4, 0.2)])
def test_the_number_of_items_suffices_and_one_less_does_not(annotators, hard):
    n = noise.items_needed(annotators, hard, power=0.7)
    assert noise.certification_power(n, annotators, hard) >= 0.7
    assert noise.certification_power(n - 1, annotators, hard) < 0.7


@pytest.mark.parametrize(("systems", "flips"), [("opposed", 1), ("independent", 2)])
def test_guesses_set_a_system_back_as_flipped_coins_do(systems, flips):
    # Of opposed systems, each guess is a point for one or the other; of independent ones, half of
    # the guesses are a point for both or none, which is what half points by two coins each are.
    n, miss = 12, 0.05
    heads = np.arange(flips * n + 1)
    probability = stats.binom.pmf(heads, flips * n, 0.5)
    ahead = np.abs(2 * heads / flips - n)
    back = planning._setback(n, systems, miss)
    assert probability[ahead > back].sum() < 2 * miss <= probability[ahead > back - 1].sum()


def test_less_can_be_told_apart_with_fewer_annotators():
    plan = noise.plan(1000, 0.2, annotators=range(2, 9))
    for column in ("chance", "guesses", "certified", "difference"):
        assert plan[column].is_monotonic_decreasing, column
    assert plan["power"].is_monotonic_increasing
    needed = [noise.items_to_tell_apart(j, 0.2, 0.02) for j in (2, 3, 5)]
    assert needed == sorted(needed, reverse=True)
    assert noise.items_to_tell_apart(6, 0.2, 0.1, systems="any") > 0


def test_a_skewed_guess_costs():
    assert noise.certification_power(
        500, 3, 0.1, guess_distribution=0.5
    ) > noise.certification_power(500, 3, 0.1, guess_distribution=(0.5, 0.8))


REFUSED = {
    "one annotator": (lambda: noise.certification_power(100, 1, 0.1), "two annotators"),
    "no item": (lambda: noise.certification_power(0, 2, 0.1), "needs an item"),
    "hard of 1": (lambda: noise.plan(100, 1.0), "hard must be between"),
    "rate of 0": (lambda: noise.items_needed(2, 0.1, rate=0.0), "rate must be between"),
    "p of 1": (lambda: noise.plan(100, 0.1, guess_distribution=1.0), "not between 0 and 1"),
    "too noisy": (lambda: noise.items_needed(2, 0.5), "Use more annotators"),
    "too few items": (lambda: noise.annotators_needed(1, 0.5), "no number of annotators"),
    "half an item": (lambda: noise.plan(100.5, 0.1), "must be whole numbers, got 100.5"),
    "half an annotator": (lambda: noise.items_needed(2.5, 0.1), "must be whole numbers"),
    "the same system": (lambda: noise.items_to_tell_apart(2, 0.5, 1e-9), "no number of items"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    call, message = REFUSED[case]
    with pytest.raises(AnnotationError, match=message):
        call()


@pytest.mark.parametrize(("annotators", "hard"), [(2, 0.05), (4, 0.2)])
def test_the_planned_power_is_met(annotators, hard):
    row = certificate_coverage.simulated_power(300, annotators, hard, repetitions=200, seed=3)
    assert 0.05 < row["planned"] < 0.95
    assert row["verdict"] == "holds"


def test_a_difference_that_was_planned_for_is_found(rng):
    n_annotators, hard, difference = 3, 0.2, 0.08
    n = noise.items_to_tell_apart(n_annotators, hard, difference)
    found = 0
    for _ in range(60):
        regime = certificate_coverage.Regime("test", n, n_annotators, rng.binomial(n, hard) / n)
        annotations, _, is_hard = regime.draw(rng)
        certificate = noise.certificate(annotations, guess_distribution=0.5)
        guessed = int((certificate.retained & is_hard).sum())
        easy = certificate.n_retained - guessed
        ahead = round(difference * easy) + rng.binomial(2 * guessed, 0.5) - guessed
        found += ahead >= certificate.smallest_difference("independent")
    # Planned is 0.8, conservatively; fewer than 37 of 60 come about once in a thousand at 0.8.
    assert found >= stats.binom.ppf(0.001, 60, 0.8)
