"""statsmodels and the textbooks test margins with the same result."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench.agreement import marginal_homogeneity
from annobench.labels.annotations import Annotations

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "marginal_homogeneity"
STORED = pd.read_csv(FOLDER / "values.csv", comment="#").set_index(["case", "test"])
#: What is stored has fifteen digits; statsmodels inverts what is solved here.
SAME = 1e-10


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()


def test_what_is_stored_was_made_by_the_script():
    lines = (FOLDER / "values.csv").read_text(encoding="utf-8").splitlines()
    header = dict(
        line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ":" in line
    )
    assert (ROOT / header["script"]).is_file()
    assert header["packages"].startswith("statsmodels==")
    assert {case for case, _ in STORED.index} == {*SCRIPT.TABLES, *SCRIPT.PANELS}


@pytest.mark.parametrize("case", SCRIPT.TABLES)
@pytest.mark.parametrize("test", ["stuart_maxwell", "bhapkar"])
def test_statsmodels_finds_the_same_statistics(case, test):
    found = marginal_homogeneity(Annotations.from_contingency(SCRIPT.TABLES[case])).pairs.iloc[0]
    theirs = STORED.loc[case, test]
    assert found[test] == pytest.approx(theirs["statistic"], rel=SAME)
    assert found["df"] == theirs["df"]
    exact = test == "stuart_maxwell" and len(SCRIPT.TABLES[case]) == 2
    ours = found["p_bhapkar"] if test == "bhapkar" else found["p_value"]
    expected = STORED.loc[case, "mcnemar"]["p_value"] if exact else theirs["p_value"]
    assert ours == pytest.approx(expected, rel=SAME)


@pytest.mark.parametrize("case", SCRIPT.PANELS)
def test_statsmodels_finds_the_same_q(case):
    wide = pd.DataFrame(SCRIPT.panel(case)).rename(columns=str)
    found = marginal_homogeneity(Annotations.from_wide(wide)).panel.iloc[0]
    theirs = STORED.loc[case, "cochran_q"]
    assert found["cochran_q"] == pytest.approx(theirs["statistic"], rel=SAME)
    assert found["df"] == theirs["df"]
    assert found["p_value"] == pytest.approx(theirs["p_value"], rel=SAME)


def test_the_margins_of_vision_are_as_printed():
    # Agresti (2013), Section 11.3.1, and Stuart (1955): 11.96 with three degrees of freedom;
    # Bhapkar's 11.98.
    found = marginal_homogeneity(Annotations.from_contingency(SCRIPT.VISION)).pairs.iloc[0]
    assert found["stuart_maxwell"].round(2) == 11.96
    assert found["bhapkar"].round(2) == 11.98
    assert found["df"] == 3


def test_the_approval_of_the_prime_minister_is_as_printed():
    # Agresti (2013), Section 11.1.2: z^2 = 17.36; the difference .04, from .02 to .06.
    table = Annotations.from_contingency(SCRIPT.TABLES["approval"], categories=["yes", "no"])
    found = marginal_homogeneity(table)
    assert round(found.pairs["stuart_maxwell"].item(), 2) == 17.36
    row = found.categories[found.categories["category"] == "yes"].iloc[0]
    ends = np.round([row["difference"], row["lower"], row["upper"]], 3)
    assert ends.tolist() == [0.04, 0.021, 0.059]
