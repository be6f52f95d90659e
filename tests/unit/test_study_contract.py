"""The contract of our own studies: cells in parts, listed tables, records."""

import json
import math
import shutil
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from annobench.core.errors import PublicationError
from documents import DocumentError
from study_contract.cells import join_parts, measure_part
from study_contract.record import read_studies, read_study
from study_contract.running import OwnStudy, StudyResults, read_settings

STUDIES = Path(__file__).parents[2] / "workflow" / "studies"


def table(cell):
    rows = [(f"{cell}.{n}", 1 / (3 + 7 * cell + n), math.nan, True) for n in range(2)]
    return pd.DataFrame(rows, columns=["name", "value", "nothing", "whether"])


@pytest.mark.parametrize("n_parts", [1, 2, 5, 9])
def test_parts_join_to_the_whole_study_to_the_last_bit(tmp_path, n_parts):
    cells = [partial(table, n) for n in range(5)]
    paths = [tmp_path / f"{part}.parquet" for part in range(n_parts)]
    for part, path in enumerate(paths):
        measure_part(cells, part, n_parts).to_parquet(path)
    whole = pd.concat(map(table, range(5)), ignore_index=True)
    pd.testing.assert_frame_equal(join_parts(paths), whole, check_exact=True)
    pd.testing.assert_frame_equal(OwnStudy({}, parts=paths).measured, whole, check_exact=True)


def test_every_study_has_a_record_with_all_its_files():
    studies = read_studies(STUDIES)
    assert set(studies) == {
        *("audit", "certificate", "conformance", "coverage", "guard", "intervals", "noise", "pool")
    }
    assert studies["noise"].runs == {"noise": "reduced", "noise_full": "full"}
    assert studies["conformance"].runs == {"conformance": ""}


def test_tables_are_written_with_what_made_them(tmp_path):
    results = StudyResults(tmp_path, ["one", "two"])
    results.table("one", pd.DataFrame({"value": [1 / 3]}))
    with pytest.raises(PublicationError, match=r"did not write two, which study\.yaml lists"):
        results.finish(OwnStudy({}))
    results.table("two", pd.DataFrame({"value": [1 / 3]}), digits=None)
    results.finish(OwnStudy({"grid": "full", "design": [], "seed": 7}))
    assert (tmp_path / "one.csv").read_text() == "value\n0.333333\n"
    assert (tmp_path / "two.csv").read_text() == "value\n0.3333333333333333\n"
    settings = read_settings(tmp_path)
    assert (settings["grid"], settings["seed"]) == ("full", 7)
    assert "numpy" in settings["versions"]
    assert list(json.loads((tmp_path / "settings.json").read_text())) == [
        *("grid", "design", "seed", "versions"),
    ]


def test_a_table_that_is_not_listed_is_refused(tmp_path):
    with pytest.raises(PublicationError, match=r"the table 'three'; study\.yaml lists one, two"):
        StudyResults(tmp_path, ["one", "two"]).table("three", pd.DataFrame())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("key: noise", "key: quiet", "'quiet' is not the folder's name 'noise'"),
        ("random: true", "randm: true", "'randm' is not known"),
        ("jobs: 55", "jobs: 0", r"key grids\.full\.jobs: 0 is less than"),
    ],
)
def test_a_faulty_record_is_refused_with_its_key(tmp_path, old, new, told):
    shutil.copytree(STUDIES / "noise", tmp_path / "noise")
    record = tmp_path / "noise/study.yaml"
    text = record.read_text()
    assert old in text
    record.write_text(text.replace(old, new))
    with pytest.raises(DocumentError, match=told):
        read_study(record)


@pytest.mark.parametrize("name", ["analysis.py", "cells.py", "page.py", "page.html.j2"])
def test_a_study_without_one_of_its_files_is_refused(tmp_path, name):
    shutil.copytree(STUDIES / "noise", tmp_path / "noise")
    (tmp_path / "noise" / name).unlink()
    with pytest.raises(DocumentError, match=f"{name}: missing, and a study has one. Write it"):
        read_studies(tmp_path)
