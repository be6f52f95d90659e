"""The commands about reference posteriors, from files to files, and the page they write."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.cli._replacing import RECORD
from annobench.posteriors import stored
from annobench.posteriors.comparison import compare
from annobench.posteriors.draws import Draws
from annobench.reporting import draws_page

NAME = "two_annotators-hierarchical_binary"


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def chains(tmp_path):
    """Write the stored draws as CmdStan would, two chains of five each."""
    draws = stored.load(NAME).draws
    names = [re.sub(r"[\[,]", ".", name).replace("]", "") for name in draws.names]
    paths = []
    for c, array in enumerate(draws.array.reshape(2, 500, -1), 1):
        paths.append(tmp_path / f"chain_{c}.csv")
        pd.DataFrame(array, columns=names).assign(lp__=-1.0).to_csv(paths[-1], index=False)
    return paths


def test_draws_are_compared_from_files(run, chains, tmp_path):
    result = run("compare-draws", *chains, NAME)
    assert result.exit_code == 0, result.output
    assert "no error beyond" in result.output
    out = tmp_path / "chain_1_comparison"
    table = pd.read_csv(out / "comparison.csv", index_col="parameter")
    assert "sensitivity[2]" in table.index
    assert table["largest_error"].max() < 4
    page = (out / "comparison.html").read_text(encoding="utf-8")
    assert "The draws agree with the reference" in page
    assert page.count("<tr>") == 2 + len(table)
    assert not re.search(r'(?:src|href)="(?!#|data:)', page), "a page that opens offline"


def test_a_difference_is_told(run, chains):
    for path in chains:
        table = pd.read_csv(path)
        table["prevalence"] **= 2
        table.to_csv(path, index=False)
    result = run("compare-draws", *chains, NAME)
    assert result.exit_code == 0, result.output
    assert "1 of 9 parameters differ" in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing.csv", NAME), "no such file"),
        (("nothing.csv", "two_anotators-hierarchical_binary"), "Did you mean"),
    ],
)
def test_a_bad_call_says_how_to_mend_it(run, words, message):
    result = run("compare-draws", *words)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_posteriors_are_listed(run):
    result = run("reference-posterior")
    assert len(result.output.splitlines()) >= 10
    assert f"{NAME}: Two annotators" in result.output


def test_what_a_sampler_needs_is_written(run, tmp_path):
    result = run("reference-posterior", NAME, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "means_as_enumerated: passed" in result.output
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"data.json", "labels.csv", "draws.csv", "summary.csv", RECORD}


def test_a_reference_made_anew_is_the_stored_one(run, tmp_path, monkeypatch):
    # The whole posterior, with a tenth of the thinning: other draws of the same distribution.
    monkeypatch.setattr(stored, "folder", lambda: tmp_path / "stored")
    from annobench.posteriors import making, records

    record = records.Posterior(**{**vars(records.get(NAME)), "thin": 1, "enumerated": False})
    monkeypatch.setattr(records, "get", lambda name: record)
    monkeypatch.setattr(making, "make", _small(making.make))
    first = run("reference-posterior", NAME, "--make", "--out", tmp_path / "stored")
    assert "FAILED" in first.output, "too few draws"
    again = run("reference-posterior", NAME, "--make", "--out", tmp_path / "anew")
    assert "The draws equal the stored ones byte for byte." in again.output
    monkeypatch.setattr(
        records, "get", lambda name: records.Posterior(**{**vars(record), "seed": 9})
    )
    other = run("reference-posterior", NAME, "--make", "--out", tmp_path / "other")
    assert "The draws are other ones than those stored." in other.output


def _small(make):
    return lambda record: make(record, chains=4, draws=60)


def test_names_are_escaped():
    reference = stored.load(NAME)
    script = "<script>alert(1)</script>"
    draws = Draws(
        (*reference.draws.names, script), np.dstack([reference.draws.array] * 2)[:, :, :10]
    )
    found = compare(draws, reference)
    assert script in " ".join(found.remarks)
    page = draws_page.render(found, reference, source=f"{script}.csv")
    assert script not in page
    assert "&lt;script&gt;" in page
