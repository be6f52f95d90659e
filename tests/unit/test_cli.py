"""The command line, from a user's file to files on disk."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench import simulate
from annobench.cli import app
from annobench.io import write_labels


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def labels(tmp_path):
    made = simulate.binary(
        n_items=40,
        n_annotators=6,
        prevalence=0.4,
        sensitivity=(20, 4),
        specificity=(20, 4),
        missing=0.2,
        rng=np.random.default_rng(7),
    )
    path = tmp_path / "labels.csv"
    write_labels(made.annotations, path)
    return path


def test_fit_writes_items_annotators_convergence_and_a_plot(run, labels, tmp_path):
    out = tmp_path / "deep" / "fitted"
    result = run("fit", labels, "--out", out, "--draws", 200)
    assert result.exit_code == 0, result.output
    assert "prevalence of '1'" in result.output
    items = pd.read_csv(out / "items.csv")
    assert len(items) == 40
    np.testing.assert_allclose(items["probability_0"] + items["probability_1"], 1)
    annotators = pd.read_csv(out / "annotators.csv")
    assert (annotators["sensitivity_lower95"] <= annotators["sensitivity"]).all()
    assert annotators["n_labels"].sum() == len(pd.read_csv(labels))
    assert (out / "accuracy.svg").stat().st_size > 1_000
    assert not list(out.glob(".*")), "no temporary file may stay"


def test_the_positive_category_can_be_named(run, labels, tmp_path):
    ones, zeros = tmp_path / "ones", tmp_path / "zeros"
    run("fit", labels, "--out", ones, "--draws", 400)
    run("fit", labels, "--out", zeros, "--draws", 400, "--positive", "0")
    first, second = (
        pd.read_csv(f / "annotators.csv").set_index("annotator") for f in (ones, zeros)
    )
    # Exchanging the categories exchanges sensitivity and specificity; Monte Carlo noise of a
    # posterior mean from 1,600 draws of standard deviation at most 0.2 is below 0.03.
    np.testing.assert_allclose(first["sensitivity"], second["specificity"], atol=0.03)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,annotator,label\nx,ann,1\nx,bob\n", "line 3"),
        ("item,annotator,label\n", "a header but no rows"),
        (
            "item,annotator,label\nx,ann,1\ny,ann,2\nz,ann,3\n",
            "'1' (1 times), '2' (1 times), '3' (1 times)",
        ),
        ("thing,annotator,label\nx,ann,1\n", "item"),
        ("item,annotator,label\nx,ann,no\ny,ann,No\nz,ann,yes\n", "only by spaces or capitals"),
        ("item,annotator,label\nx,ann,1\ny,bob,1\n", "--positive and --negative"),
    ],
)
def test_a_bad_file_gets_a_message_and_leaves_nothing(run, tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    result = run("fit", path, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "out").exists()


def test_an_unknown_positive_category_is_refused_with_those_known(run, labels, tmp_path):
    result = run("fit", labels, "--out", tmp_path / "out", "--positive", "yes")
    assert result.exit_code == 1
    assert "'yes' is not among the labels ('0', '1')" in " ".join(result.output.split())


def test_an_output_folder_that_is_a_file_is_named(run, labels):
    result = run("fit", labels, "--out", labels, "--draws", 100)
    assert result.exit_code == 1
    assert "labels.csv can't be written" in " ".join(result.output.split())


def test_a_category_that_never_occurs_can_be_named(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label\nx,ann,yes\ny,ann,yes\nx,bob,yes\n")
    words = ("--out", tmp_path / "out", "--draws", 100, "--positive", "yes", "--negative", "no")
    result = run("fit", path, *words)
    assert result.exit_code == 0, result.output
    assert "hardly tell annotators from chance" in " ".join(result.output.split())


def test_a_negative_seed_is_refused_without_a_traceback(run, labels, tmp_path):
    result = run("fit", labels, "--out", tmp_path / "out", "--seed", -1)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_data_list_names_every_data_set(run):
    result = run("data", "list")
    assert result.exit_code == 0
    assert "snow2008_rte" in result.output


def test_data_fetch_simulates_on_request(run, tmp_path):
    result = run("data", "fetch", "anesthesia", "--mode", "simulated", "--out", tmp_path / "a")
    assert result.exit_code == 0, result.output
    assert "simulated, " in result.output


def test_data_fetch_suggests_the_nearest_name(run, tmp_path):
    result = run("data", "fetch", "snow2008_rt", "--out", tmp_path / "a")
    assert result.exit_code == 1
    assert "snow2008_rte" in result.output
