"""crowd-kit finds the same votes and agreements by Wawa and zero-based skill."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench.labels.annotations import Annotations
from annobench.models import voting, wawa, zero_based_skill

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "weighted_votes"
CASES = sorted(path.stem for path in FOLDER.glob("*.csv"))
FITS = {"wawa": wawa.fit, "zero_based_skill": zero_based_skill.fit}

#: What is stored has fifteen digits, and sums have few terms.
SAME = 1e-12


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()


def header_of(case: str) -> dict[str, str]:
    lines = (FOLDER / f"{case}.csv").read_text(encoding="utf-8").splitlines()
    return dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))


def annotations_of(case: str) -> Annotations:
    return Annotations.from_frame(SCRIPT.labels(SCRIPT.CASES[case]))


def theirs(case: str, model: str, quantity: str, names, labels=("",)) -> np.ndarray:
    table = pd.read_csv(FOLDER / f"{case}.csv", comment="#", keep_default_na=False)
    rows = table[(table["model"] == model) & (table["quantity"] == quantity)]
    wide = rows.pivot(index="name", columns="label", values="value")
    assert wide.shape == (len(names), len(labels))
    return wide.loc[list(names), list(labels)].to_numpy().squeeze()


def test_every_case_is_stored():
    assert set(CASES) == set(SCRIPT.CASES)


@pytest.mark.parametrize("case", CASES)
def test_stored_fits_name_their_script_and_labels(case):
    header = header_of(case)
    assert (ROOT / header["script"]).is_file()
    assert header["labels_sha256"] == SCRIPT.digest(SCRIPT.labels(SCRIPT.CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_the_labels_have_no_ties_and_tell_the_methods_apart(case):
    # Of ties crowd-kit takes the first name.
    annotations = annotations_of(case)
    assert not voting.fit(annotations).is_tie.any()
    found = [fit(annotations).posterior for fit in (voting.fit, *FITS.values())]
    for one, other in itertools.pairwise(found):
        assert (one.argmax(axis=1) != other.argmax(axis=1)).any()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("model", FITS)
def test_posterior_and_agreement_are_those_of_crowd_kit(case, model):
    annotations = annotations_of(case)
    fit = FITS[model](annotations)
    posterior = theirs(case, model, "posterior", annotations.items, annotations.categories)
    accuracy = theirs(case, model, "accuracy", annotations.annotators)
    np.testing.assert_allclose(fit.posterior, posterior, rtol=0, atol=SAME)
    np.testing.assert_allclose(fit.accuracy, accuracy, rtol=0, atol=SAME)
