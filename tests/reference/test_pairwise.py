"""Pairwise judgements: a printed example, statsmodels, and scipy directly."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from annobench.pairwise import Comparisons, bradley_terry
from annobench.pairwise._likelihood import Model, maximise
from annobench.pairwise._reliability import CONCENTRATIONS, MEANS, PRECISION, fit_reliability

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


def drawn(case: str, **columns: str) -> Comparisons:
    names = {"winner": "label", "annotator": "worker"}
    return Comparisons.from_frame(SCRIPT.comparisons(case), **names, **columns)


def test_what_is_stored_was_made_by_the_script():
    lines = (FOLDER / "values.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    assert (ROOT / header["script"]).is_file()
    assert "statsmodels==" in header["packages"]
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
    # The table has the winner first: nothing is known of the order.
    assert "as if columns were the winner and the loser" in found.cautions[0]


@pytest.mark.parametrize("error", ["standard_error", "clustered_error"])
@pytest.mark.parametrize("case", SCRIPT.CASES)
def test_statsmodels_finds_the_same_strengths_and_errors(case, error):
    clusters = {"clusters": "prompt"} if error == "clustered_error" else {}
    found = bradley_terry(drawn(case, **clusters))
    theirs = STORED[STORED["case"] == case].set_index("of")
    table = found.table.set_index("item").reindex(theirs.index.drop("first"))
    # Newton's steps of both leave some 1e-8.
    np.testing.assert_allclose(table["strength"], theirs["value"].drop("first"), atol=1e-6)
    np.testing.assert_allclose(table["standard_error"], theirs[error].drop("first"), atol=1e-6)
    effect, se = theirs.loc["first", ["value", error]]
    width = stats.t.ppf(0.975, 29 if clusters else np.inf) * se
    expected = special.expit([effect, effect - width, effect + width])
    ours = [found.first.estimate, found.first.lower, found.first.upper]
    np.testing.assert_allclose(ours, expected, atol=1e-6)


def by_integration(of: Comparisons, mean: float, concentration: float) -> np.ndarray:
    """Maximise the marginal posterior of strengths and order, integrating with scipy."""
    kinds = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    shares = np.array([0.01, 0.01, 0.95, 0.01, 0.01]) / 0.99
    nodes, weights = special.roots_jacobi(
        60, concentration * (1 - mean) - 1, concentration * mean - 1
    )
    nodes, weights = (1 + nodes) / 2, weights / weights.sum()
    left = of.outcome == 0

    def minus(x):
        strength = np.append(x[:-1], -x[:-1].sum())
        p = special.expit(strength[of.left] - strength[of.right] + x[-1])
        p = np.where(left, p, 1 - p)[:, None, None]
        guess = np.where(left[:, None], kinds, 1 - kinds)[:, :, None]
        logs = np.log(nodes * p + (1 - nodes) * guess)
        total = PRECISION / 2 * strength @ strength
        for j in range(len(of.annotators)):
            joint = np.exp(logs[of.annotator == j].sum(axis=0))
            total -= np.log(shares @ joint @ weights)
        return total

    best = optimize.minimize(minus, np.zeros(of.n_items), method="BFGS", options={"gtol": 1e-7})
    return np.array([*best.x[:-1], -best.x[:-1].sum(), best.x[-1], -best.fun])


def test_maxima_over_the_grid_are_those_of_gaussian_quadrature():
    of = drawn("few")
    start = maximise(Model.of(of, side=True))
    posterior = fit_reliability(of, start, side=True, level=0.95).posterior
    grid = [(mean, size) for size in CONCENTRATIONS for mean in MEANS]
    theirs = np.array([by_integration(of, *point) for point in grid])
    prior = np.array([MEANS[mean] * CONCENTRATIONS[size] for mean, size in grid])
    chance = prior * np.exp(theirs[:, -1] - theirs[0, -1])
    weight = chance / chance.sum()
    # Sixteen cells and their means against sixty nodes of Gauss and Jacobi: some 1/16^2.
    np.testing.assert_allclose(posterior.weight, weight, atol=0.01)
    np.testing.assert_allclose(posterior.mean(), weight @ theirs[:, :-1], atol=0.01)
    likely = weight > 0.01
    np.testing.assert_allclose(posterior.centre[likely], theirs[likely, :-1], atol=0.01)


def with_ties(n: int, seed: int) -> Comparisons:
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 5, n)
    right = (left + rng.integers(1, 5, n)) % 5
    return Comparisons(tuple("abcde"), left, right, rng.choice(3, n, p=[0.5, 0.2, 0.3]))


@pytest.mark.parametrize("seed", [1, 2])
def test_ties_after_davidson_are_those_of_direct_optimisation(seed):
    of = with_ties(300, seed)

    def minus(x):
        first, second = np.exp(x[of.left] + x[6]), np.exp(x[of.right])
        tie = np.exp(x[5]) * np.sqrt(first * second)
        won = np.choose(of.outcome, [first, tie, second])
        return -np.log(won / (first + tie + second)).sum() + x[:5].sum() ** 2

    best = optimize.minimize(minus, np.zeros(7), method="BFGS", options={"gtol": 1e-9})
    found = bradley_terry(of)
    strength = found.table.set_index("item").loc[list("abcde"), "strength"]
    # BFGS on numerical derivatives.
    np.testing.assert_allclose(strength, best.x[:5], atol=1e-5)
    assert found.tie == pytest.approx(np.exp(best.x[5]), rel=1e-5)
    assert found.first.estimate == pytest.approx(special.expit(best.x[6]), rel=1e-5)
    # Of its Hessian, numerically: the penalty is in the direction that is fixed.
    step = 1e-4
    points = np.eye(7) * step
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
