"""Session 8: the intervals of its simulation, found by simulations with each mistake."""

import numpy as np
import pytest

from annobench_course.sessions.s08_noise import exercises as session


@pytest.fixture
def given():
    return {"guesses": 101, "difference": 7, "comparisons": session.N_COMPARISONS}


def differences(given, rng, *, opposed=False):
    first = rng.binomial(given["guesses"], 0.5, size=given["comparisons"])
    if opposed:
        return 2 * first - given["guesses"]
    return first - rng.binomial(given["guesses"], 0.5, size=given["comparisons"])


def test_a_right_simulation_of_two_systems_passes(given, rng):
    share = np.mean(np.abs(differences(given, rng)) >= given["difference"])
    assert session.DIFFERENCE.check(share, given).passed


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("one direction only", lambda d, s: d >= s),
        ("more than for at least", lambda d, s: np.abs(d) > s),
        ("smaller differences", lambda d, s: np.abs(d) < s),
    ],
)
def test_mistakes_in_a_simulation_of_two_systems_are_named(given, rng, name, count):
    share = np.mean(count(differences(given, rng), given["difference"]))
    found = session.DIFFERENCE.check(share, given)
    assert (found.passed, found.mistake) == (False, name)


@pytest.mark.parametrize("difference", [7, 8])
def test_systems_that_differ_on_all_guesses_are_recognised(given, rng, difference):
    # The difference of opposed systems has the parity of the guesses
    given["difference"] = difference
    share = np.mean(np.abs(differences(given, rng, opposed=True)) >= difference)
    low, high = session._binomial_limits(session._opposed(given), given["comparisons"])
    assert low <= share <= high


def test_no_guess_shares_are_lost_in_the_mistaken_posterior():
    assert session._posterior(200, 30, 0.25).sum() == pytest.approx(1)
    assert session._mean_guesses(10_000, 30, 0.25, 0.95) == pytest.approx(31 / 3, rel=1e-9)
