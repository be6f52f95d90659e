"""Full grids of studies are stored with what made them, and are those of the configuration."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

TOP = Path(__file__).parents[2]
STORED = TOP / "benchmarks/measured"
CONFIG = yaml.safe_load((TOP / "config/config.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("study", ["coverage", "intervals", "noise", "audit", "guard", "pool"])
def test_what_is_stored_was_made_by_the_full_grid_of_the_configuration(study):
    settings = json.loads((STORED / study / "settings.json").read_text(encoding="utf-8"))
    assert settings["grid"] == "full"
    assert settings["design"] == CONFIG["studies"][study]["full"]
    assert settings["seed"] == CONFIG["seed"]
    assert {"annobench", "python", "numpy", "scipy", "numba"} <= set(settings["versions"])


def test_the_stored_coverage_has_every_design_of_the_grid():
    table = pd.read_csv(STORED / "coverage/coverage.csv")
    settings = json.loads((STORED / "coverage/settings.json").read_text(encoding="utf-8"))
    for part in settings["design"]:
        rows = table[(table["unit"] == part["unit"]) & table["missing"].isin(part["missing"])]
        assert set(part["items"]) <= set(rows["n_items"])
        assert set(part["annotators"]) >= set(rows["n_annotators"])
        assert set(part["prevalences"]) <= set(rows["prevalence"])
        assert (rows["repetitions"] == part["repetitions"]).all()


def test_the_stored_coverage_of_certificates_has_the_repetitions_of_the_grid():
    table = pd.read_csv(STORED / "noise/simulated.csv")
    settings = json.loads((STORED / "noise/settings.json").read_text(encoding="utf-8"))
    assert (table["repetitions"] == settings["design"]["repetitions"]).all()
