"""The effective number of judges covers the true one; nested cross-validation is honest."""

import numpy as np
import pytest
from scipy import stats

from annobench import judges
from annobench.judges import jury

K = 3


def draw(n, n_judges, accuracy, copying, rng):
    """Return gold and labels; two errors have the correlation `copying`."""
    gold = rng.integers(K, size=n)
    common, own = rng.random((n, 1)) < accuracy, rng.random((n, n_judges)) < accuracy
    right = np.where(rng.random((n, n_judges)) < copying**0.5, common, own)
    wrong = (gold[:, None] + rng.integers(1, K, size=right.shape)) % K
    return np.where(right, gold[:, None], wrong), gold


def named(labels):
    return {str(j): labels[:, j] for j in range(labels.shape[1])}


@pytest.mark.parametrize(("n_judges", "copying"), [(3, 0.0), (3, 0.5), (6, 0.3)])
def test_intervals_of_the_effective_number_cover(n_judges, copying):
    true = n_judges / (1 + (n_judges - 1) * copying)
    rng = np.random.default_rng(5)
    n_sets, covered, covered_by_half = 300, 0, 0
    for _ in range(n_sets):
        labels, gold = draw(100, n_judges, 0.75, copying, rng)
        found = judges.effective_judges(named(labels), gold)
        margin = np.log(found.upper / found.estimate)
        away = abs(np.log(true / found.estimate))
        covered += away <= margin
        covered_by_half += away <= margin / 2
    # A 99.9% binomial limit below a coverage of .93, from which small samples may fall short.
    lowest = stats.binom.ppf(0.001, n_sets, 0.93)
    assert covered >= lowest
    assert covered_by_half < lowest


def test_nested_cross_validation_is_honest_and_the_sample_is_not():
    rng = np.random.default_rng(6)
    excess = []
    for _ in range(60):
        # Judges who are alike: whoever is chosen is chosen for chance.
        labels, gold = draw(1_060, 5, 0.65, 0.0, rng)
        known = np.where(np.arange(gold.size) < 60, gold, -1)
        found = jury.assess_jury(named(labels), known, K, budget=2, rng=rng)
        new = found.posterior[60:]
        true = -np.log(new[np.arange(1_000), gold[60:]]).mean()
        excess.append(found.estimates["log_loss"].to_numpy() - true)
    mean, error = np.mean(excess, axis=0), np.std(excess, axis=0) / np.sqrt(len(excess))
    in_sample, of_best, nested = mean / error
    assert in_sample < -5
    assert of_best < -2
    # Weights learned from four fifths of the gold are a little worse.
    assert -2 < nested < 4
