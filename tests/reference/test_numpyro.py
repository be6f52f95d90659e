"""Another sampler on another package gives the same posterior of the multilevel binary model."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from annobench.models import hierarchical_binary

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "numpyro"
CASES = sorted(path.stem for path in FOLDER.glob("*.csv"))

#: Chance of a false alarm of one test, shared out among the numbers it compares.
LEVEL = 1e-3
#: Item probabilities are kept in single precision; next to 1 each is off by up to this much.
ROUNDING = np.finfo(np.float32).epsneg / 2


def load_script(path: str):
    spec = importlib.util.spec_from_file_location("generate", ROOT / path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@cache
def reference(case: str) -> tuple[dict[str, str], pd.DataFrame]:
    lines = (FOLDER / f"{case}.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    script = load_script(header["script"])
    return header, script.read(case)


@cache
def sampled(case: str, concentration_exponent: float, parameters: str = ".*") -> pd.DataFrame:
    """Summarise our draws of some parameters as the script does those of NUTS."""
    script = load_script(reference(case)[0]["script"])
    annotations = script.load(case)
    fitted = hierarchical_binary.fit(
        annotations,
        rng=np.random.default_rng(2008),
        concentration_exponent=concentration_exponent,
        draws=2_500,
    )
    draws = {name: x for name, x in vars(fitted.draws).items() if re.fullmatch(parameters, name)}
    return script.summarise(draws, annotations, convergence=False)


def largest_z(ours: pd.DataFrame, theirs: pd.DataFrame, parameters: str) -> tuple[float, float]:
    """Return the largest difference in Monte Carlo standard errors, and its bound."""
    keys = ["parameter", "name"]
    ours, theirs = (table[table["parameter"].str.fullmatch(parameters)] for table in (ours, theirs))
    both = ours.merge(theirs, on=keys, suffixes=("", "_theirs"), validate="one_to_one")
    assert len(both) == len(ours) == len(theirs)
    z = []
    for column in ("mean", "q2.5", "q50", "q97.5"):
        rows = both.dropna(subset=[column])
        error = np.hypot(rows[f"mcse_{column}"], rows[f"mcse_{column}_theirs"])
        difference = (rows[column] - rows[f"{column}_theirs"]).abs()
        rounding = np.where(rows["parameter"] == "item_probability", ROUNDING, 0.0)
        z.append(np.maximum(difference - rounding, 0) / error)
    z = np.concatenate(z)
    assert z.size
    assert np.isfinite(z).all()
    return z.max(), scipy.stats.norm.isf(LEVEL / 2 / z.size)


@pytest.fixture(params=CASES)
def case(request):
    if request.param == "rte1":
        request.getfixturevalue("mirror")
    return request.param


def test_there_are_stored_posteriors():
    assert CASES == ["rte1", "simulated"]


def test_stored_posteriors_name_the_labels_they_belong_to(case):
    header, _ = reference(case)
    script = load_script(header["script"])
    assert script.digest(script.load(case)) == header["labels_sha256"]


@pytest.mark.parametrize("stored", CASES)
def test_stored_posteriors_converged(stored):
    header, table = reference(stored)
    assert int(header["divergences"]) == 0
    continuous = table[table["parameter"] != "item_probability"]
    assert continuous["r_hat"].max() < 1.01
    assert continuous[["ess_bulk", "ess_tail"]].min().min() > 400


def test_every_parameter_of_the_model_is_stored(case):
    _, table = reference(case)
    annotations = load_script(reference(case)[0]["script"]).load(case)
    number = table["parameter"].value_counts().to_dict()
    assert number == {
        "prevalence": 1,
        **dict.fromkeys(hierarchical_binary.HYPERPARAMETERS, 1),
        "sensitivity": annotations.n_annotators,
        "specificity": annotations.n_annotators,
        "item_probability": annotations.n_items,
    }


@pytest.mark.parametrize(
    "parameters",
    ["prevalence", ".*_(mean|scale)", "sensitivity|specificity", "item_probability"],
)
def test_means_and_quantiles_agree_within_monte_carlo_error(case, parameters):
    z, bound = largest_z(sampled(case, 1.5), reference(case)[1], parameters)
    assert z < bound


def test_another_prior_of_the_scale_does_not_agree(case):
    scales = ".*_concentration"
    z, bound = largest_z(sampled(case, 0.5, scales), reference(case)[1], scales)
    assert z > bound


def test_exchanged_categories_do_not_agree(case):
    other = {"sensitivity": "specificity", "specificity": "sensitivity"}
    swapped = reference(case)[1].replace({"parameter": other})
    z, bound = largest_z(sampled(case, 1.5), swapped, "sensitivity|specificity")
    assert z > bound
