"""The pages of certificates and of their coverage, from labels to HTML."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from study_run import run_study

from annobench import datasets
from scripts.studies import measure_study
from studies.certificate import certificates
from study_contract.running import OwnStudy

ATTACK = "<script>alert('x')</script>"


def test_certificates_become_a_page_that_runs_nothing(tmp_path):
    datasets.prepare("ti_bluebird", tmp_path / "data", mode="simulated", seed=1)
    wanted = [{"title": ATTACK, "dataset": "ti_bluebird"}]
    settings = {"design": wanted, "left_out": ["nowhere"], "seed": 1}
    study = OwnStudy(settings, {"ti_bluebird": tmp_path / "data"})
    page = run_study("certificate", study, tmp_path / "page")
    assert ATTACK not in page
    assert "&lt;script&gt;" in page
    assert "simulated" in page
    assert "nowhere" in page
    rules = pd.read_csv(tmp_path / "page" / "rules.csv")
    assert (rules["n_guesses"] <= rules["n_retained"]).all()
    assert rules["n_checked"].max() > 0


def test_without_data_sets_the_page_says_so(tmp_path):
    study = OwnStudy({"design": [], "left_out": ["snow2008_rte"], "seed": 1})
    assert "None of the data sets" in run_study("certificate", study, tmp_path)


@pytest.mark.parametrize(
    ("what", "category", "gold"),
    [
        ({"threshold": 5}, ["below 5", "5 or more"], [1, 0, -1]),
        ({"part": {"word": "b"}, "threshold": 2}, ["below 2", "2 or more"], [1]),
    ],
)
def test_a_part_and_a_dichotomy_are_taken(tmp_path, what, category, gold):
    items = pd.DataFrame({"item": ["x", "y", "z"], "gold": [7.0, 1.0, np.nan], "word": list("baa")})
    labels = pd.DataFrame(
        {"item": list("xxyyzz"), "annotator": list("jkjkjk"), "label": [9, 1, 2, 3, 8, 1]}
    ).assign(word=list("bbaaaa"))

    class Data:
        pass

    data = Data()
    data.labels, data.items = labels, items
    annotations, codes, _ = certificates.select(data, what)
    assert list(annotations.categories) == category
    assert codes.tolist() == gold


def test_the_coverage_becomes_a_page(tmp_path):
    grid = {
        "exact_items": [20],
        "items": [20],
        "annotators": [2, 3],
        "rate_annotators": [5],
        "guesses": [0.5],
        "hard": [0.3],
        "repetitions": 2,
    }
    study = OwnStudy({"grid": "reduced", "design": grid, "seed": 1})
    parts = [tmp_path / f"{part}.parquet" for part in range(2)]
    for part, path in enumerate(parts):
        measure_study.main("noise", study, part=part, n_parts=2).to_parquet(path)
    page = run_study("noise", replace(study, parts=parts), tmp_path)
    whole = measure_study.main("noise", study, part=0, n_parts=1)
    simulated = pd.read_csv(tmp_path / "simulated.csv")
    assert simulated["regime"].tolist() == whole["regime"].tolist()
    assert "Equation 1" in page
    assert "reduced grid" in page
