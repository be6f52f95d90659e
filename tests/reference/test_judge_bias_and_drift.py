"""statsmodels finds the same coefficients, cluster-robust errors, intervals and tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from annobench.judges.bias import judge_bias
from annobench.judges.drift import judge_drift
from annobench.judges.regression import least_squares
from annobench.labels.annotations import Annotations

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "judges"

#: What is stored has fifteen digits; least squares lose some by the condition of the design.
SAME = 1e-9


def load_script():
    spec = importlib.util.spec_from_file_location("generate_judges", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()
STORED = pd.read_csv(FOLDER / "values.csv", comment="#").set_index("case")
ENDS = ["estimate", "lower", "upper"]


def test_the_values_name_their_script_and_packages():
    lines = (FOLDER / "values.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    assert (ROOT / header["script"]).is_file()
    assert header["packages"].startswith("statsmodels==")


@pytest.mark.parametrize("case", SCRIPT.BIAS)
def test_bias_is_that_of_the_peer(case):
    table = SCRIPT.bias_case(*SCRIPT.BIAS[case])
    found = judge_bias(
        table["judge"],
        table["human"],
        lengths=table["length"],
        own=table["own"],
        clusters=table["cluster"],
    ).set_index("bias")
    for bias in ("score difference", "length", "own family"):
        theirs = float(STORED.loc[f"{case} {bias}", "estimate"])
        assert found.loc[bias, "estimate"] == pytest.approx(theirs, rel=SAME)
    theirs = float(STORED.loc[f"{case} length, adjusted", "estimate"])
    assert found.loc["length", "adjusted"] == pytest.approx(theirs, rel=SAME)
    # For a mean over clusters of one size the jackknife is the peer's covariance.
    columns = [*ENDS, "p_value"]
    mean = STORED.loc[f"{case} score difference", columns].astype(float)
    assert found.loc["score difference", columns].tolist() == pytest.approx(mean, rel=SAME)


@pytest.mark.parametrize("case", SCRIPT.DRIFT)
def test_drift_is_that_of_the_peer_with_a_mean_of_each_item(case):
    table = SCRIPT.drift_case(SCRIPT.DRIFT[case])
    items = [f"i{n}" for n in table["item"]]
    labels = Annotations.from_arrays(
        items, ["llm"] * len(items), ["1" if agrees else "0" for agrees in table["agrees"]]
    )
    drift = judge_drift(labels, ["llm"], table["run"], gold=dict.fromkeys(items, "1"))["llm"]
    assert drift.within_items
    found = drift.tests.set_index("contrast")
    for contrast in ("latest", "trend"):
        theirs = float(STORED.loc[f"{case} {contrast}", "estimate"])
        assert found.loc[contrast, "estimate"] == pytest.approx(theirs, rel=SAME)


@pytest.mark.parametrize("size", [1, 4])
def test_standard_errors_are_those_of_the_jackknife_by_clusters(size):
    rng = np.random.default_rng(size)
    n = 40
    x, clusters = rng.exponential(size=n), np.arange(n) // size
    columns, y = np.column_stack([x, np.ones(n)]), x + rng.normal(0, 1 + x, n)
    found = least_squares(columns, y, clusters)
    left_out = np.array(
        [
            np.linalg.lstsq(columns[clusters != c], y[clusters != c], rcond=None)[0]
            for c in np.unique(clusters)
        ]
    )
    difference, g = left_out - found.coefficients, len(left_out)
    jackknife = (g - 1) / g * difference.T @ difference
    np.testing.assert_allclose(found.covariance, jackknife, rtol=1e-9)
    tested = found.test(0, 0.95)
    half = t.ppf(0.975, g - 1) * np.sqrt(jackknife[0, 0])
    assert tested["upper"] - tested["estimate"] == pytest.approx(half)


def test_a_cluster_that_alone_determines_a_coefficient_has_no_error():
    columns = np.column_stack([[1.0, 0, 0, 0, 0], np.ones(5)])
    found = least_squares(columns, np.array([3.0, 1, 2, 1, 2]), np.arange(5))
    assert found.coefficients[0] == pytest.approx(1.5)
    assert np.isnan(found.covariance).all()
