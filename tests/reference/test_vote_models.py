"""crowd-kit finds the same fits of the one-coin model, MACE and GLAD."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import digamma

from annobench.labels.annotations import Annotations
from annobench.models import glad, mace, one_coin

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "vote_models"
CASES = sorted(path.stem for path in FOLDER.glob("*.csv"))

#: What is stored has twelve digits; step by step only the order of summation differs.
SAME_STEPS = 1e-10
#: Probabilities and their logs differ by at most about this before a search begins.
FIRST_DISTANCE = 1.0


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()


@cache
def stored(case: str) -> tuple[dict[str, str], pd.DataFrame]:
    path = FOLDER / f"{case}.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    return header, pd.read_csv(path, comment="#", keep_default_na=False)


def annotations_of(case: str) -> Annotations:
    return Annotations.from_frame(SCRIPT.labels(SCRIPT.CASES[case]))


def theirs(case: str, model: str, quantity: str, names, labels=("",)) -> np.ndarray:
    table = stored(case)[1]
    rows = table[(table["model"] == model) & (table["quantity"] == quantity)]
    wide = rows.pivot(index="name", columns="label", values="value")
    assert wide.shape == (len(names), len(labels))
    return wide.loc[list(names), list(labels)].to_numpy().squeeze()


def test_every_case_is_stored():
    assert set(CASES) == set(SCRIPT.CASES)


@pytest.mark.parametrize("case", CASES)
def test_stored_fits_name_their_script_and_labels(case):
    header, _ = stored(case)
    assert (ROOT / header["script"]).is_file()
    assert header["labels_sha256"] == SCRIPT.digest(SCRIPT.labels(SCRIPT.CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_one_coin_takes_the_same_steps(case):
    annotations = annotations_of(case)
    n_steps = SCRIPT.ITERATIONS["one_coin"]

    def fit(n_updates):
        return one_coin.fit(annotations, smoothing=0, tolerance=0, max_iterations=n_updates)

    posterior = theirs(case, "one_coin", "posterior", annotations.items, annotations.categories)
    np.testing.assert_allclose(fit(n_steps - 1).posterior, posterior, atol=SAME_STEPS)
    # Negative control
    assert np.abs(fit(n_steps).posterior - posterior).max() > SAME_STEPS
    accuracy = theirs(case, "one_coin", "accuracy", annotations.annotators)
    np.testing.assert_allclose(fit(n_steps).accuracy, accuracy, atol=SAME_STEPS)
    prevalence = theirs(case, "one_coin", "prevalence", annotations.categories)
    np.testing.assert_allclose(fit(n_steps).prevalence, prevalence, atol=SAME_STEPS)


def rate(history: np.ndarray) -> float:
    """Return the factor by which a search comes nearer to its optimum in an iteration.

    What is maximised falls short of its top by the square of the distance. The last gains that are
    no rounding tell.
    """
    gains = np.diff(history)
    last = np.flatnonzero(gains > 1e-11 * abs(history[-1]))[-1]
    return float(np.sqrt(gains[last] / gains[last - 1]))


def left_over(history: np.ndarray, n_iterations: int) -> float:
    """Return how far from the optimum a search is after some iterations, and the rounding."""
    return FIRST_DISTANCE * rate(history) ** n_iterations + SAME_STEPS


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("inference", ["em", "variational"])
def test_mace_comes_to_the_same_optimum(case, inference, rng):
    annotations = annotations_of(case)
    n_iterations = SCRIPT.ITERATIONS[f"mace_{inference}"]
    options = {"inference": inference, "n_starts": 1, "tolerance": 0}
    fit = mace.fit(annotations, rng=rng, max_iterations=n_iterations, **options)
    allowed = 2 * left_over(fit.history, n_iterations)
    names = annotations.items, annotations.categories
    posterior = theirs(case, f"mace_{inference}", "posterior", *names)
    know = theirs(case, f"mace_{inference}", "know", annotations.annotators)
    ours = fit.competence
    if inference == "variational":  # they give exp(E log), we the mean
        n = np.bincount(annotations.annotator)
        ours = np.exp(digamma(ours * (n + 1)) - digamma(n + 1))
    np.testing.assert_allclose(fit.posterior, posterior, rtol=0, atol=allowed)
    np.testing.assert_allclose(ours, know, rtol=0, atol=allowed)
    # Negative control
    early = mace.fit(annotations, rng=rng, max_iterations=10, **options)
    assert np.abs(early.posterior - posterior).max() > allowed


@pytest.mark.parametrize("case", CASES)
def test_glad_comes_to_the_same_optimum(case):
    annotations = annotations_of(case)
    fit = glad.fit(annotations, tolerance=1e-15)
    # As many updates as theirs, without acceleration, are this far from the optimum; each of their
    # M-steps stops at a slope, where the curvature is at least the prior's, 1, and what it leaves
    # adds up as a geometric series.
    plain = glad.fit(annotations, tolerance=0, max_iterations=SCRIPT.ITERATIONS["glad"])
    of_steps = SCRIPT.M_STEP_TOLERANCE / (1 - rate(plain.history)) + SAME_STEPS
    names = annotations.items, annotations.categories
    for ours, early, quantity in (
        (fit.posterior, plain.posterior, theirs(case, "glad", "posterior", *names)),
        (fit.ability, plain.ability, theirs(case, "glad", "ability", annotations.annotators)),
        (
            np.log(fit.easiness),
            np.log(plain.easiness),
            theirs(case, "glad", "log_easiness", annotations.items),
        ),
    ):
        allowed = of_steps + np.abs(early - ours).max()
        np.testing.assert_allclose(ours, quantity, rtol=0, atol=allowed)
