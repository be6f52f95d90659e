"""The study of the certificate's coverage, and the coverage itself on a small grid."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from annobench.core.errors import AnnotationError
from studies.noise import certificate_coverage

GRID = {
    "items": [60],
    "annotators": [2, 3],
    "rate_annotators": [5],
    "guesses": [0.6],
    "hard": [0.3],
}


def test_coverage_at_a_number_of_hard_items_is_a_sum_over_disagreements():
    table = certificate_coverage.exact_coverage(20, 0.5)
    assert table["n_hard"].tolist() == list(range(21))
    assert (table["certificate"] >= 0.95).all()
    # With 20 of 20 hard, all are certified unless few disagree.
    limits = [min(20 - d, int(stats.nbinom.isf(0.05, d + 1, 0.5))) for d in range(21)]
    held = sum(stats.binom.pmf(d, 20, 0.5) for d in range(21) if 20 - d <= limits[d])
    assert table["certificate"].iloc[-1] == pytest.approx(held)
    assert certificate_coverage.exact_coverage(20, 0.5, share=0.5)["n_hard"].tolist() == [10]


def test_equation_1_holds_on_average_and_not_where_all_is_hard():
    rows = certificate_coverage.exact_summary([60], [2], [0.5]).set_index("bound")
    assert (rows["prior"] >= 0.95).all()
    assert rows.loc["certificate", "least"] >= 0.95
    assert rows.loc["equation1", "least"] < 0.9
    assert rows.loc["equation1", "least_at"] == 60


def test_regimes_have_names_of_their_own_and_say_whether_an_assumption_fails():
    found = certificate_coverage.regimes(GRID)
    names = [regime.name for regime in found]
    assert len(set(names)) == len(names)
    assert {regime.inside for regime in found} == {True, False}


def test_a_pool_has_the_lazy_annotators_of_its_name():
    pools = [regime for regime in certificate_coverage.regimes(GRID) if regime.pool]
    assert pools
    for regime in pools:
        lazy = f" with {regime.pool * regime.lazy:.0f} lazy" if regime.lazy else ""
        assert f"a pool of {regime.pool}{lazy}, " in regime.name


def test_a_regime_draws_what_it_says(rng):
    regime = certificate_coverage.Regime("test", 2000, 4, 0.25, (0.3, 0.7), error=0.1, missing=0.5)
    annotations, rates, hard = regime.draw(rng)
    assert hard.sum() == 500
    assert annotations.counts.sum(axis=1).min() == 2
    # Two labels are sure, two are there in half: three on average, 6,000 within 4 errors.
    assert abs(annotations.n_labels - 6000) < 4 * np.sqrt(2000 * 2 * 0.25)
    share = annotations.counts[hard, 1].sum() / annotations.counts[hard].sum()
    assert abs(share - 0.7) < 4 * np.sqrt(0.21 / 1500)
    assert np.allclose(rates.sum(axis=1), 1)
    pooled = dataclasses.replace(regime, pool=10, lazy=0.2)
    annotations, _, _ = pooled.draw(rng)
    assert annotations.n_annotators >= 10
    assert annotations.annotator.max() < 10
    assert annotations.first_repeat is None


def test_a_certificate_of_no_guess_is_not_refused(rng):
    # Twelve annotators agree by guessing once in 2,000 times, and here nobody guesses.
    regime = certificate_coverage.Regime("test", 60, 12, 0.0, given=0.5)
    found = certificate_coverage.trial(regime, rng)
    assert (found.n_retained, found.n_guesses, found.truth) == (60, 0, 0)
    assert not found.refused


def test_differences_of_opposed_and_independent_systems_are_counted_apart(monkeypatch):
    trial = certificate_coverage.Trial(50, 5, 3, 4.0, False, (True, False))
    monkeypatch.setattr(certificate_coverage, "trial", lambda *_, **__: trial)
    regime = certificate_coverage.Regime("test", 60, 3, 0.3)
    row = certificate_coverage.simulated_coverage(regime, repetitions=4, seed=1)
    assert (row["opposed"], row["independent"]) == (1, 0)
    assert (row["coverage"], row["posterior"], row["n_refused"]) == (1, 1, 0)
    assert (row["mean_rate"], row["mean_truth"]) == (0.1, 0.06)


def test_the_same_seed_gives_the_same_row():
    regime = certificate_coverage.Regime("test", 60, 3, 0.3)
    one, other = (
        certificate_coverage.simulated_coverage(regime, repetitions=5, seed=1) for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize(
    "regime",
    [r for r in certificate_coverage.regimes(GRID) if r.inside],
    ids=lambda regime: regime.name,
)
def test_certificates_hold_where_their_assumptions_do(regime):
    row = certificate_coverage.simulated_coverage(regime, repetitions=20, seed=11)
    # At 95%, fewer than 14 of 20 hold once in ten thousand.
    assert row["coverage"] * 20 >= stats.binom.ppf(1e-4, 20, 0.95)
    assert row["mean_truth"] <= row["mean_rate"]


def test_certificates_do_not_hold_where_the_guesses_given_are_wrong():
    regime = next(r for r in certificate_coverage.regimes(GRID) if "guesses are 0.8" in r.name)
    row = certificate_coverage.simulated_coverage(
        dataclasses.replace(regime, n_items=400), repetitions=60, seed=11
    )
    assert row["verdict"] == "low"


@pytest.mark.slow
def test_certificates_hold_on_many_data_sets():
    grid = GRID | {"items": [40, 150], "annotators": [2, 3, 5], "guesses": [0.5, 0.8]}
    rows = [
        certificate_coverage.simulated_coverage(regime, repetitions=300, seed=5)
        for regime in certificate_coverage.regimes(grid)
        if regime.inside
    ]
    assert [row["regime"] for row in rows if row["verdict"] == "low"] == []


@pytest.mark.parametrize("wrong", [(0, 0.5, None), (5, 1.0, None), (5, 0.5, 1.2)])
def test_exact_coverage_needs_items_and_shares(wrong):
    n_items, chance, share = wrong
    with pytest.raises(AnnotationError, match="needs an item, a chance"):
        certificate_coverage.exact_coverage(n_items, chance, share=share)
