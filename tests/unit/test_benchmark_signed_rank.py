"""The Bayesian signed-rank test: worked cases, and the definition written out slowly."""

import math

import numpy as np
import pytest

from annobench.benchmark.signed_rank import signed_rank
from annobench.core.errors import AnnotationError

#: Four standard errors of a probability from so many draws.
DRAWS = 20_000
MARGIN = 4 * 0.5 / math.sqrt(DRAWS)


@pytest.mark.parametrize("strength", [0.5, 1, 2])
def test_one_data_set_is_that_worked_out_by_hand(strength):
    # theta_right = 1 - w_0^2 with w_0 ~ beta(s, 1): above theta_rope with probability 2^(-s / 2).
    found = signed_rank([0.4], rope=0.01, rng=1, strength=strength, draws=DRAWS)
    assert found.better == pytest.approx(2 ** (-strength / 2), abs=MARGIN)
    assert found.worse == 0
    assert found.equivalent == pytest.approx(1 - found.better)
    assert found.next_better == pytest.approx(1 / (1 + strength))


def test_two_opposite_data_sets_tell_nothing():
    # z = (-1, 1): left = w_1^2 + 2 w_0 w_1, rope = w_0^2 + 2 w_1 w_2, right = w_2^2 + 2 w_0 w_2.
    found = signed_rank([-1, 1], rope=0.1, rng=1, draws=DRAWS)
    w = np.random.default_rng(9).dirichlet([0.5, 1, 1], DRAWS)
    left = w[:, 1] ** 2 + 2 * w[:, 0] * w[:, 1]
    right = w[:, 2] ** 2 + 2 * w[:, 0] * w[:, 2]
    rope = 1 - left - right
    expected = (right > np.maximum(left, rope)).mean()
    assert found.better == pytest.approx(expected, abs=math.sqrt(2) * MARGIN)
    assert found.worse == pytest.approx(expected, abs=math.sqrt(2) * MARGIN)


def slowly(z, rope, weights):
    """The definition: three sums over all pairs, draw by draw."""
    z, won = [0.0, *z], np.zeros(3)
    for w in weights:
        theta = np.zeros(3)
        for i in range(len(z)):
            for j in range(len(z)):
                mean = (z[i] + z[j]) / 2
                theta[0 if mean < -rope else 2 if mean > rope else 1] += w[i] * w[j]
        won[theta.argmax()] += 1
    return won / len(weights)


def test_the_probabilities_are_those_of_the_definition(rng):
    z = rng.normal(0.01, 0.03, 7)
    weights = np.random.default_rng(4).dirichlet(np.r_[0.5, np.ones(7)], 300)
    found = signed_rank(z, rope=0.005, rng=4, draws=300)
    expected = slowly(z, 0.005, weights)
    assert (found.worse, found.equivalent, found.better) == pytest.approx(tuple(expected))


def test_the_other_way_round_is_the_mirror_image(rng):
    z = rng.normal(0.01, 0.03, 9)
    there, back = (signed_rank(side * z, rope=0.005, rng=2) for side in (1, -1))
    assert (there.better, there.next_better) == pytest.approx((back.worse, back.next_worse))
    assert there.better + there.equivalent + there.worse == pytest.approx(1)


def test_differences_within_the_region_are_equivalent():
    found = signed_rank([0.001, -0.002, 0.004], rope=0.005, rng=1)
    assert (found.better, found.equivalent, found.worse) == (0, 1, 0)
    assert (found.next_better, found.next_worse) == (0, 0)


@pytest.mark.parametrize("z", [[], [np.nan, 1], [[1, 2]]])
def test_what_is_no_difference_is_refused(z):
    with pytest.raises(AnnotationError, match="signed_rank: needs finite differences"):
        signed_rank(z, rope=0.01, rng=1)
