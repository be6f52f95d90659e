"""The pages of certificates and of their coverage, from labels to HTML."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.studies import certificates
from annobench.studies.parts import write_settings
from scripts.studies import (
    collect_certificate_coverage,
    measure_certificate_coverage,
    render_certificate,
    render_certificate_coverage,
)

SITE = Path(__file__).parents[2] / "workflow" / "site"
ATTACK = "<script>alert('x')</script>"


def write(folder, names, tables):
    folder.mkdir(exist_ok=True)
    for name, table in zip(names, tables, strict=True):
        table.to_csv(folder / f"{name}.csv", index=False)


def test_certificates_become_a_page_that_runs_nothing(tmp_path):
    datasets.prepare("ti_bluebird", tmp_path / "data", mode="simulated", seed=1)
    wanted = [{"title": ATTACK, "dataset": "ti_bluebird"}]
    write(
        tmp_path / "page", certificates.TABLES, certificates.certify([tmp_path / "data"], wanted, 1)
    )
    render_certificate.main(tmp_path / "page", tmp_path / "page", SITE, wanted, ["nowhere"], 1)
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert ATTACK not in page
    assert "&lt;script&gt;" in page
    assert "simulated" in page
    assert "nowhere" in page
    rules = pd.read_csv(tmp_path / "page" / "rules.csv")
    assert (rules["n_guesses"] <= rules["n_retained"]).all()
    assert rules["n_checked"].max() > 0


def test_without_data_sets_the_page_says_so(tmp_path):
    write(tmp_path, certificates.TABLES, certificates.certify([], [], 1))
    render_certificate.main(tmp_path, tmp_path, SITE, [], ["snow2008_rte"], 1)
    assert "None of the data sets" in (tmp_path / "index.html").read_text(encoding="utf-8")


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
    settings = {"grid": "reduced", "design": grid, "seed": 1}
    parts = [tmp_path / f"{part}.parquet" for part in range(2)]
    for part, path in enumerate(parts):
        table = measure_certificate_coverage.main(grid, 1, part=part, n_parts=2)
        table.to_parquet(path)
    tables = collect_certificate_coverage.main(parts, grid, 1)
    whole = measure_certificate_coverage.main(grid, 1, part=0, n_parts=1)
    assert tables[2]["regime"].tolist() == whole["regime"].tolist()
    names = ("curves", "exact", "simulated", "power")
    write(tmp_path, names, tables)
    write_settings(tmp_path / "settings.json", settings)
    tables = {name: tmp_path / f"{name}.csv" for name in names}
    render_certificate_coverage.main(tmp_path, tables, tmp_path / "settings.json", SITE)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Equation 1" in page
    assert "reduced grid" in page
    for name in ("exact", "simulated"):
        assert (tmp_path / f"{name}.svg").stat().st_size > 0
