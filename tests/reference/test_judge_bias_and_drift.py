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
        theirs = STORED.loc[f"{case} {bias}", [*ENDS, "p_value"]].astype(float)
        assert found.loc[bias, [*ENDS, "p_value"]].tolist() == pytest.approx(theirs, rel=SAME)
    adjusted = found.loc["length", ["adjusted", "adjusted_lower", "adjusted_upper"]]
    theirs = STORED.loc[f"{case} length, adjusted", ENDS].astype(float)
    assert adjusted.tolist() == pytest.approx(theirs, rel=SAME)


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
    n, n_items = len(items), len(set(items))
    for contrast in ("latest", "trend"):
        theirs = STORED.loc[f"{case} {contrast}"]
        # The peer divides by rows less columns, the items' means among these; we by rows less one.
        error = theirs["standard_error"] * np.sqrt((n - 1 - n_items) / (n - 1))
        half = t.ppf(0.975, n_items - 1) * error
        ours = found.loc[contrast]
        assert ours["estimate"] == pytest.approx(theirs["estimate"], rel=SAME)
        assert (ours["upper"] - ours["lower"]) / 2 == pytest.approx(half, rel=SAME)
