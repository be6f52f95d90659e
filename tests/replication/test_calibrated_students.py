"""Volk et al.'s students: closed forms, calibration found again, and what can't be calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from machinery import module_of
from scipy import stats

from annobench.alignment import links
from annobench.core.errors import AnnotationError
from annobench.simulation.alignments import lay_links, rival_links, simulate_links, tree_pairs

calibration = module_of("volk2008", "calibration")
NAMES = [f"s{n}" for n in range(4)]


@pytest.fixture(scope="module")
def trees():
    return tree_pairs(40, 60, 0.5, np.random.default_rng(1))


@pytest.fixture(scope="module")
def gold(trees):
    counts = {"word": (900, 100), "phrase": (300, 50)}
    stars = [("source", 2)] * 20 + [("target", 3)] * 5
    return lay_links(trees, counts, stars, np.random.default_rng(2))


def test_skill_and_strictness_give_the_shares_back():
    hits, rivals = np.array([0.5, 0.8, 0.9]), np.array([0.5, 0.1, 0.02])
    skill, strictness = calibration.skill_and_strictness(hits, rivals)
    assert skill[0] == strictness[0] == 0
    np.testing.assert_allclose(stats.norm.cdf(skill / 2 - strictness), hits)
    np.testing.assert_allclose(stats.norm.cdf(-skill / 2 - strictness), rivals)
    with pytest.raises(AnnotationError, match="hits are"):
        calibration.skill_and_strictness([1.0], [0.1])


def test_all_and_none_are_products_when_nothing_is_shared():
    every, nobody = calibration.all_and_none([0.8, 0.6, 0.5], 0.0)
    assert every == pytest.approx(0.8 * 0.6 * 0.5, rel=1e-9)
    assert nobody == pytest.approx(0.2 * 0.4 * 0.5, rel=1e-9)
    with pytest.raises(AnnotationError, match=r"shared is 1\.0"):
        calibration.all_and_none([0.5], 1.0)


@pytest.mark.parametrize("shared", [0.0, 0.2, 0.6, 0.9, 0.99, 0.9999])
def test_two_even_annotators_agree_as_the_normal_orthant_says(shared):
    # P(both above 0) = 1/4 + asin(rho) / (2 pi)
    expected = 0.25 + np.arcsin(shared) / (2 * np.pi)
    np.testing.assert_allclose(calibration.all_and_none([0.5, 0.5], shared), expected, rtol=1e-9)


def test_calibration_is_found_again_by_counting(trees, gold):
    n, shared, n_rivals = len(gold), 0.6, 800
    hits, own = np.array([0.5, 0.6, 0.7, 0.8]) * n, np.array([40, 60, 80, 100])
    every, nobody = calibration.all_and_none(hits / n, shared)
    union = n * (1 - nobody) + n_rivals * (1 - calibration.all_and_none(own / n_rivals, shared)[1])
    found = calibration.calibrate(hits, own, n, intersection=n * every, union=union)
    assert found == (pytest.approx(shared, abs=1e-4), pytest.approx(n_rivals, abs=3))

    lean = np.array([-1.0, -0.7, -0.4, -0.1])
    drawn = [(n - 150, False, hits / n), (150, True, hits / n), (n_rivals, True, own / n_rivals)]
    shift, common = calibration.calibrate_strength(drawn, lean, shared, fuzzy=900, both=600)
    generator = np.random.default_rng(3)
    rivals = rival_links(trees, gold, n_rivals, generator)
    skill, strictness = calibration.skill_and_strictness(hits / n, own / n_rivals)
    pools = []
    for _ in range(6):
        a = simulate_links(
            trees,
            gold,
            rivals,
            skill=skill,
            strictness=strictness,
            leaning=lean + shift,
            shared=shared,
            shared_strength=common,
            names=NAMES,
            rng=generator,
        )
        pools.append(links.pool(a.of_annotators(NAMES), rng=1, replicates=2))
    # Counts of some 500 to 1,500 links have a standard deviation below 20, their means below 8.
    for name, expected in (
        ("union", union),
        ("intersection", n * every),
        ("fuzzy", 900),
        ("both", 600),
    ):
        assert np.mean([getattr(p, name) for p in pools]) == pytest.approx(expected, abs=32), name


def test_what_no_annotators_can_give_is_refused():
    with pytest.raises(AnnotationError, match="no annotators with these links have a intersection"):
        calibration.calibrate([50, 60], [5, 5], 100, intersection=55, union=100)
    with pytest.raises(AnnotationError, match="have a union of 500"):
        calibration.calibrate([50, 60], [5, 5], 100, intersection=40, union=500)
    for hits, own, n_gold in (([50, 60], [0, 0], 100), ([50, 60], [5, 5], 55), ([0], [5], 0)):
        with pytest.raises(AnnotationError, match="Give at most all gold links"):
            calibration.calibrate(hits, own, n_gold, intersection=40, union=70)
    for share in ([1.5], [np.nan]):
        with pytest.raises(AnnotationError, match=r"Give some in \[0, 1\]"):
            calibration.all_and_none(share, 0.5)
