"""Session 3: what follows from the printed tables, and what the derived intervals promise."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from annobench.agreement import cohen_kappa, difference
from annobench.labels.annotations import Annotations
from annobench_course import sessions
from annobench_course.draws import draw
from annobench_course.sessions.s03_how_sure import exercises as session

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = {exercise.id: exercise for exercise in session.EXERCISES}


def given(exercise: str, student: str = "Ada"):
    return draw(exercise, EXERCISES, student)


def test_the_session_is_found():
    assert list(sessions.get("03_how_sure").exercises.values()) == session.EXERCISES


def printed(number):
    """Read a confusion matrix of the paper."""
    path = ROOT / f"workflow/papers/su2008/tables/table{number}.csv"
    return pd.read_csv(path, comment="#", index_col="category")


def test_the_statements_that_count_as_supported_are_those_that_the_intervals_support():
    kappas = [cohen_kappa(Annotations.from_contingency(printed(n))) for n in (1, 2)]
    names = printed(2).columns
    merged = {
        level: cohen_kappa(kappas[1].annotations.recode(dict(zip(names, groups, strict=True))))
        for level, groups in {
            "polarity": ["B", "N", "P", "V", "NoPol", "N", "P"],
            "subjectivity": ["B", "S", "S", "S", "O", "O", "O"],
        }.items()
    }
    gains = {level: difference(kappa, kappas[1]) for level, kappa in merged.items()}
    change = kappas[1].estimate - kappas[0].estimate
    half = 1.96 * np.hypot(*(kappa.standard_error for kappa in kappas))
    supported = {level for level, gain in gains.items() if gain.lower > 0}
    supported |= {"no change"} if half < 0.01 else set()
    supported |= {"no big change"} if abs(change) + half < 0.2 else set()
    assert supported == EXERCISES["3.7"].keys
    # "overlap" is an option because the two intervals do.
    assert merged["polarity"].interval().lower < kappas[1].interval().upper


def test_bootstrapped_errors_lie_in_their_interval_but_for_its_tails():
    """The ends are 3.89 standard errors of a standard deviation of 1000 values away."""
    own = given("3.3")
    low, high = session._interval_of_error(own)
    counts = np.array(session._own_table(own))
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(counts.sum(), counts.ravel() / counts.sum(), size=(200, 1000))
    tables = drawn.reshape(200, 1000, 3, 3) / counts.sum()
    observed = np.trace(tables, axis1=2, axis2=3)
    expected = (tables.sum(axis=2) * tables.sum(axis=3)).sum(axis=2)
    errors = ((observed - expected) / (1 - expected)).std(axis=1)
    assert ((low <= errors) & (errors <= high)).all()
    # In units of the half-width errors have a standard deviation of 1 / 3.89, with 199 degrees of
    # freedom within 20% in all but 1 of 10,000 cases.
    half = (high - low) / 2
    assert errors.std(ddof=1) / half == pytest.approx(1 / stats.norm.isf(session.TAIL), rel=0.2)


def test_bootstrapped_error_is_that_of_the_function_of_the_exercise():
    own = given("3.3", "Grace")
    rng = np.random.default_rng(2)
    n = own["first"].size
    samples = [rng.integers(0, n, size=n) for _ in range(1000)]
    kappas = [
        session._chance_corrected(*(2 * (own["first"][i], own["second"][i]))) for i in samples
    ]
    low, high = session._interval_of_error(own)
    assert low <= np.std(kappas) <= high


def test_exact_coverage_is_that_of_simulated_studies():
    own = given("3.5")
    rng = np.random.default_rng(3)
    share = rng.binomial(own["items"], own["agreement"], size=200_000) / own["items"]
    error = np.sqrt(share * (1 - share) / (own["items"] - 1))
    found = np.mean(np.abs(share - own["agreement"]) <= session.Z * error)
    # Four standard errors of a share of 200,000.
    assert found == pytest.approx(
        session._exact_coverage(own), abs=4 * np.sqrt(found * (1 - found) / 200_000)
    )


def test_the_promised_level_does_not_pass_for_the_simulated_coverage():
    for student in "abcdefgh":
        own = given("3.5", student)
        assert not EXERCISES["3.5"].check(0.95, own).passed
