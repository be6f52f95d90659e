"""Methods that others submitted: scored from their files, and shown on the benchmark's page."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench.benchmark import external_methods
from annobench.benchmark.cases import digest, read_cases
from annobench.benchmark.external_methods.data import DATA_SETS, REGIMES
from annobench.benchmark.external_methods.submitted import COLUMNS, score_submitted
from annobench.benchmark.regimes import simulate_regimes
from annobench.benchmark.tables import read_table
from annobench.core.choices import DEFAULT_SEED
from annobench.core.files import write_csv
from annobench.reporting import benchmark_page

FOLDER = Path(__file__).parents[2] / "benchmarks" / "submissions"
FILES = sorted(FOLDER.glob("*.json"))
#: Somebody's text.
NASTY = "<b>A\x1b[31m &\n1e3"


def shares(labels):
    return labels.counts / labels.counts.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def cases():
    return simulate_regimes(REGIMES, DEFAULT_SEED)[:3]


@pytest.fixture(scope="module")
def submission(cases, tmp_path_factory):
    """Answers of vote shares to the first two of three sets of labels."""
    path = tmp_path_factory.mktemp("submitted") / "shares.json"
    method = external_methods.from_function(shares)
    fits = external_methods.compare(
        cases[:2], [method], against=["voting"], limit=20, seed=1, replicates=10
    ).fits
    external_methods.write_submission(
        path, method, fits, cases[:2], author=NASTY, date="2026-11-27", seed=1
    )
    return external_methods.from_submission(path)


@pytest.fixture(scope="module")
def table(cases, submission):
    return score_submitted([submission], cases, seed=1, replicates=100)


def test_each_submission_is_scored_once_on_each_set_of_labels(table, cases):
    assert table.columns.tolist() == list(COLUMNS)
    assert table["problem"].tolist() == [case.name for case in cases]
    for case, row in zip(cases[:2], table.itertuples(), strict=False):
        votes = case.annotations.counts
        best = votes == votes.max(axis=1, keepdims=True)
        hits = best[np.arange(len(votes)), case.gold] / best.sum(axis=1)
        # The file rounds probabilities to six decimals
        assert row.accuracy == pytest.approx(hits.mean(), abs=1e-9)
        assert row.lower < row.accuracy < row.upper
        assert row.difference == pytest.approx(row.accuracy - row.reference_accuracy)
        assert row.difference_lower < row.difference < row.difference_upper
    assert (table["author"].nunique(), table["date"].unique().tolist()) == (1, ["2026-11-27"])


def test_labels_that_it_does_not_answer_have_no_score_and_a_reason(table):
    last = table.iloc[-1]
    assert pd.isna(last["accuracy"])
    assert "has no answers for these labels" in last["note"]


def test_without_submissions_there_is_an_empty_table(cases):
    assert score_submitted([], cases, seed=1, replicates=10).columns.tolist() == list(COLUMNS)


def test_the_page_shows_author_and_date_and_trusts_no_name(cases, table, tmp_path):
    write_csv(table, tmp_path / "submitted.csv", float_format="%.6g")
    found = external_methods.compare(cases, [], against=["voting"], limit=20, seed=1, replicates=10)
    read = read_table(tmp_path / "submitted.csv")
    page = benchmark_page.render(found.tables, submitted=read)
    section = page[page.index('id="submitted"') : page.index('id="explorer"')]
    assert "2 of 3" in section
    assert "2026-11-27" in section
    assert r"shares, &lt;b&gt;A\x1b[31m &amp; 1e3" in section
    assert "not scored:" in section
    assert 'id="submitted"' not in benchmark_page.render(found.tables)


def test_there_is_an_example_and_it_says_that_it_is_ours():
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert FILES
    for path in FILES:
        assert f"| `{path.name}` |" in told
    [example] = [path for path in FILES if path.stem == "agreement_weighted"]
    assert "(example)" in external_methods.from_submission(example).author
    assert "**example of our own**" in told


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stored_submission_answers_the_regimes_as_they_are_simulated_now(path):
    answered = {each["labels"] for each in json.loads(path.read_text("utf-8"))["answers"]}
    assert {
        digest(case.annotations) for case in simulate_regimes(REGIMES, DEFAULT_SEED)
    } <= answered


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_stored_submission_answers_the_real_data_sets(path, real_folder):
    answered = {each["labels"] for each in json.loads(path.read_text("utf-8"))["answers"]}
    real = read_cases([real_folder(id) for id in DATA_SETS])
    assert {digest(case.annotations) for case in real} <= answered
