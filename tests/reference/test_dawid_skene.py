"""crowd-kit finds the same posteriors from the same start after the same number of iterations."""

from __future__ import annotations

import importlib.util
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.core.errors import DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene.optima import restarts

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "dawid_skene"
CASES = sorted(path.stem for path in FOLDER.glob("*.csv"))

#: Of design, section 5. What is stored has twelve digits.
ALLOWED = 1e-8


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()


@cache
def stored(case: str) -> tuple[dict[str, str], pd.DataFrame]:
    lines = (FOLDER / f"{case}.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    table = pd.read_csv(FOLDER / f"{case}.csv", comment="#", keep_default_na=False)
    return header, table


def ours(case: str, n_updates: int) -> dawid_skene.DawidSkeneFit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        return dawid_skene.fit(
            Annotations.from_frame(SCRIPT.labels(SCRIPT.CASES[case])),
            smoothing=0,
            tolerance=0,
            max_iterations=n_updates,
        )


def differences(case: str, fitted: dawid_skene.DawidSkeneFit, quantity: str) -> np.ndarray:
    table = stored(case)[1]
    rows = table[table["quantity"] == quantity]
    label = rows["label"].map({name: k for k, name in enumerate(fitted.categories)})
    if quantity == "prevalence":
        mine = fitted.prevalence[label]
    elif quantity == "posterior":
        item = rows["name"].map({name: i for i, name in enumerate(fitted.items)})
        mine = fitted.posterior[item, label]
    else:
        annotator = rows["name"].map({name: j for j, name in enumerate(fitted.annotators)})
        category = rows["category"].map({name: k for k, name in enumerate(fitted.categories)})
        mine = fitted.confusion[annotator, category, label]
    return np.abs(mine - rows["value"].to_numpy(dtype=float))


def test_there_are_cases_with_and_without_clipping():
    # crowd-kit clips counts, prevalence and, after the last iteration, posteriors at 1e-10. That
    # moves no posterior by 1e-8 in any case, so that none is excused.
    assert set(CASES) == set(SCRIPT.CASES)
    assert {stored(case)[0]["clipped"] for case in CASES} == {"True", "False"}


@pytest.mark.parametrize("case", CASES)
def test_stored_values_belong_to_these_labels(case):
    header, _ = stored(case)
    assert (ROOT / header["script"]).is_file()
    assert header["labels_sha256"] == SCRIPT.digest(SCRIPT.labels(SCRIPT.CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_posteriors_are_those_of_crowd_kit(case):
    # Its n-th posterior comes before its n-th update, ours after n - 1 updates.
    fitted = ours(case, SCRIPT.CASES[case].n_iter - 1)
    assert differences(case, fitted, "posterior").max() < ALLOWED


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("quantity", ["prevalence", "confusion"])
def test_parameters_are_those_of_crowd_kit(case, quantity):
    fitted = ours(case, SCRIPT.CASES[case].n_iter)
    difference = differences(case, fitted, quantity)
    # Where nothing is known of a row we say so; crowd-kit's clipping makes it look uniform.
    unknown = np.isnan(difference)
    assert difference[~unknown].max() < ALLOWED
    assert not unknown.any() or (case, quantity) == ("crowd", "confusion")


@pytest.mark.parametrize("case", ["binary", "four"])
def test_one_iteration_more_is_seen(case):
    # The negative control
    fitted = ours(case, SCRIPT.CASES[case].n_iter)
    assert differences(case, fitted, "posterior").max() > ALLOWED


@pytest.fixture(scope="module")
def anesthesia():
    return datasets.load("anesthesia", mode="real").annotations


def test_prevalences_of_1979_come_out(mirror, anesthesia):
    fitted = dawid_skene.fit(anesthesia, smoothing=0, tolerance=1e-12)
    assert fitted.converged
    assert [f"{p:.2f}" for p in fitted.prevalence] == ["0.40", "0.42", "0.11", "0.07"]


def test_the_solution_of_1979_is_not_the_best(mirror, anesthesia, rng):
    published = dawid_skene.fit(anesthesia, smoothing=0, tolerance=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        found = restarts(
            anesthesia, rng=rng, n_random=80, smoothing=0, tolerance=1e-12, max_iterations=10_000
        )
    optimum = found.table.set_index("start").loc["votes", "optimum"]
    assert optimum > 0
    assert found.fits[optimum].log_likelihood == pytest.approx(published.log_likelihood, abs=1e-6)
    # More than a nat, by a solution whose classes mean the same categories.
    assert found.best.log_likelihood > published.log_likelihood + 1
    assert not found.is_switched[0]
    assert [f"{p:.2f}" for p in found.best.prevalence] == ["0.40", "0.45", "0.09", "0.07"]
