"""Pairwise judgements: a printed example, statsmodels, crowd-kit, and scipy directly."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from annobench.pairwise import Comparisons, bradley_terry
from annobench.pairwise._likelihood import Estimate, maximise
from annobench.pairwise._reliability import fit_reliability

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "pairwise"
STORED = pd.read_csv(FOLDER / "values.csv", comment="#")


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()

#: Wins of the row over the column, American League 1987: Agresti (2013), table 11.10.
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
#: The vignette of R's BradleyTerry2 (Turner and Firth, 2012), relative to Baltimore.
PRINTED = {
    "Boston": (1.1077, 0.3339),
    "Cleveland": (0.6839, 0.3319),
    "Detroit": (1.4364, 0.3396),
    "Milwaukee": (1.5814, 0.3433),
    "New York": (1.2476, 0.3359),
    "Toronto": (1.2945, 0.3367),
}


def stored(case: str, package: str) -> pd.DataFrame:
    rows = STORED[(STORED["case"] == case) & (STORED["package"] == package)]
    return rows.set_index("of")


def drawn(case: str) -> Comparisons:
    names = {"winner": "label", "annotator": "worker"}
    return Comparisons.from_frame(SCRIPT.comparisons(case), **names)


def test_what_is_stored_was_made_by_the_script():
    lines = (FOLDER / "values.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    assert (ROOT / header["script"]).is_file()
    assert "crowd-kit==" in header["packages"]
    assert set(STORED["case"]) == set(SCRIPT.CASES)


def test_the_baseball_teams_are_as_printed():
    rows = [
        (TEAMS[i], TEAMS[j], TEAMS[i])
        for i in range(7)
        for j in range(7)
        for _ in range(WINS[i][j])
    ]
    table = pd.DataFrame(rows, columns=["left", "right", "winner"])
    found = bradley_terry(Comparisons.from_frame(table))
    names = found.table["item"].tolist()
    strength = found.table.set_index("item")["strength"]
    last = names.index("Baltimore")
    for name, (printed, error) in PRINTED.items():
        assert round(strength[name] - strength["Baltimore"], 4) == printed
        c, i = found.covariance, names.index(name)
        assert round(float(np.sqrt(c[i, i] + c[last, last] - 2 * c[i, last])), 4) == error
    assert found.tie == 0


@pytest.mark.parametrize("case", SCRIPT.CASES)
def test_statsmodels_finds_the_same_strengths_and_errors(case):
    found = bradley_terry(drawn(case)).table.set_index("item")
    theirs = stored(case, "statsmodels").drop(index="log_likelihood")
    # Newton's steps of both leave some 1e-8.
    np.testing.assert_allclose(found.loc[theirs.index, "strength"], theirs["value"], atol=1e-6)
    np.testing.assert_allclose(
        found.loc[theirs.index, "standard_error"], theirs["standard_error"], atol=1e-6
    )


@pytest.mark.parametrize("case", SCRIPT.CASES)
def test_the_likelihood_of_crowdkit_has_its_maximum_where_ours_has(case):
    of = drawn(case)
    start = maximise(of, np.ones(of.n_comparisons))
    found = fit_reliability(of, start, smoothing=1e-9, precision=1e-9)
    theirs = stored(case, "crowd-kit")["value"]
    p = found.reliability[of.annotator] * _chosen(of, found.estimate)
    p += (1 - found.reliability[of.annotator]) * found.guesses[of.annotator, of.outcome]
    ours = float(np.log(p).sum())
    # EM stops at relative changes of 1e-9, and a reliability of nearly 1 is approached slowly.
    assert ours == pytest.approx(theirs["log_likelihood"], abs=1e-3)
    assert theirs["log_likelihood_where_it_stops"] < theirs["log_likelihood"] - 1
    np.testing.assert_allclose(found.estimate.strength, theirs[list(of.items)], atol=0.03)
    np.testing.assert_allclose(found.reliability, theirs[list(of.annotators)], atol=0.03)


def _chosen(of: Comparisons, at: Estimate) -> np.ndarray:
    """Write the probability of what happened anew, without ties."""
    ahead = at.strength[of.left] - at.strength[of.right]
    return 1 / (1 + np.exp(np.where(of.outcome == 0, -ahead, ahead)))


def with_ties(n: int, seed: int) -> Comparisons:
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 5, n)
    right = (left + rng.integers(1, 5, n)) % 5
    return Comparisons(tuple("abcde"), left, right, rng.choice(3, n, p=[0.5, 0.2, 0.3]))


@pytest.mark.parametrize("seed", [1, 2])
def test_ties_after_davidson_are_those_of_direct_optimisation(seed):
    of = with_ties(300, seed)

    def minus(x):
        p = np.exp(x[:5])
        below = p[of.left] + p[of.right] + np.exp(x[5]) * np.sqrt(p[of.left] * p[of.right])
        tie = np.exp(x[5]) * np.sqrt(p[of.left] * p[of.right])
        won = np.choose(of.outcome, [p[of.left], tie, p[of.right]])
        return -np.log(won / below).sum() + x[:5].sum() ** 2

    best = optimize.minimize(minus, np.zeros(6), method="BFGS", options={"gtol": 1e-9})
    found = bradley_terry(of)
    strength = found.table.set_index("item").loc[list("abcde"), "strength"]
    # BFGS on numerical derivatives.
    np.testing.assert_allclose(strength, best.x[:5], atol=1e-5)
    assert found.tie == pytest.approx(np.exp(best.x[5]), rel=1e-5)
    # Of its Hessian, numerically: the penalty is in the direction that is fixed.
    step = 1e-4
    points = np.eye(6) * step
    hessian = np.array(
        [
            [
                minus(best.x + a + b)
                - minus(best.x + a - b)
                - minus(best.x - a + b)
                + minus(best.x - a - b)
                for b in points
            ]
            for a in points
        ]
    ) / (4 * step**2)
    inverse = np.linalg.inv(hessian)[:5, :5]
    centred = inverse - inverse.mean()
    ours = found.table.set_index("item").loc[list("abcde"), "standard_error"]
    np.testing.assert_allclose(ours**2, centred.diagonal(), rtol=1e-3)
