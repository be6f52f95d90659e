"""Variations of a paper: its own functions on fewer labels, with other settings or another seed."""

import gc
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from annobench import datasets
from annobench.core.errors import PublicationError
from annobench_replication import dependence, ledger, verdicts
from annobench_replication.notebooks import open_paper
from annobench_replication.tracing import TracedPaper
from annobench_replication.variations import Variation, _tables, _thinned, vary
from catalogue import read_paper
from scripts.papers import run_paper, trace_paper

TOP = Path(__file__).parents[2]
EXAMPLE = TOP / "tests/workflow/example_paper"
RECORD = {
    "key": "a_paper",
    "random": True,
    "variations": {
        "per_item": ["labels"],
        "settings": {"prior": {"uniform": {"design": {"shape": 2}}}},
    },
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory, simulated_folder):
    """A folder with the worked example and its results."""
    top = tmp_path_factory.mktemp("repository")
    (top / "Snakefile").touch()
    source = top / "workflow/papers/example_paper"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    data = top / "results/data/anesthesia"
    shutil.copytree(simulated_folder("anesthesia"), data)
    results = top / "results/papers/example_paper"
    paper = read_paper(source / "paper.yaml", datasets.names())
    run_paper.main(paper, {"anesthesia": data}, results, None)
    traced = TracedPaper(source, {"anesthesia": data}, 3)
    dependence.write(trace_paper.main(traced, 3), results / "dependence.csv")
    judged = verdicts.compare(
        ledger.read_published(source / "published.csv"),
        ledger.read_computed(results / "computed.csv"),
        ledger.read_errata(source / "errata.csv"),
        standing=ledger.read_standing(source / "standing.csv"),
        dependence=dependence.read(results / "dependence.csv"),
        paper="example_paper",
    )
    ledger.write_comparison(judged, results / "comparison.csv")
    return top


@pytest.fixture
def opened(repository, monkeypatch):
    monkeypatch.chdir(repository)
    return open_paper("results/papers/example_paper")


def test_nothing_given_is_the_published_analysis(opened):
    assert opened.varied(per_item=None) is opened
    assert opened.variation == ""


def test_a_variation_redraws_figures_and_tables_and_says_so(opened):
    published = opened.printed_table("table1")
    varied = opened.redraw("table1", per_item=2)
    assert "Variation: at most 2 labels per item." in varied.html
    assert "Variation" not in published.html
    assert "315" in published.text
    computed = opened.varied(per_item=2).comparison.set_index("target")["computed"]
    assert computed["table1.labels"] == 2 * computed["table1.patients"]
    figure = opened.redraw("figure1", per_item=2)
    assert "Figure 1. Labels by annotator" in figure.html
    assert figure.html != opened.figure("figure1").html
    assert "A variation, not the published analysis" in opened.varied(per_item=2)._repr_html_()


def test_only_data_sets_that_may_be_thinned_are(repository, tmp_path):
    source = repository / "workflow/papers/example_paper"
    record = yaml.safe_load((source / "paper.yaml").read_text(encoding="utf-8"))
    published = repository / "results/papers/example_paper"
    n_labels = {}
    for per_item in (["anesthesia"], []):
        given = record | {"variations": {"per_item": per_item}}
        vary(source, given, published, tmp_path, Variation(per_item=2))
        rows = ledger.read_computed(tmp_path / "computed.csv").set_index("target")
        n_labels[len(per_item)] = rows.loc["table1.labels", "value"]
    assert n_labels == {1: 2 * 45, 0: 7 * 45}


def test_thinned_labels_keep_the_codes_of_annotators(opened):
    data = opened.data("anesthesia")
    thinned = _thinned(data, 1, seed=3)
    labels = thinned.annotations
    assert (labels.items, labels.annotators) == (
        data.annotations.items,
        data.annotations.annotators,
    )
    assert labels.n_labels == labels.n_items == len(thinned.labels)
    names = np.array(labels.annotators)[labels.annotator]
    assert list(names) == list(thinned.labels["annotator"].astype(str))
    assert list(np.array(labels.categories)[labels.label]) == list(thinned.labels["label"])


def test_a_variation_is_computed_once(opened, capsys):
    assert opened.varied(per_item=3) is opened.varied(per_item=3)
    assert capsys.readouterr().out.count("Computing a variation: at most 3 labels per item") == 1


def test_a_variation_outlives_the_paper_that_it_was_made_of(repository, monkeypatch):
    monkeypatch.chdir(repository)
    varied = open_paper("results/papers/example_paper", per_item=2)
    gc.collect()
    assert "Variation" in varied.figure("figure1").html
    folder = varied._results
    del varied
    gc.collect()
    assert not folder.exists()


def test_the_published_results_stay_as_they_are(opened):
    before = {path: path.read_bytes() for path in opened.folder.rglob("*") if path.is_file()}
    opened.varied(per_item=1)
    after = {path: path.read_bytes() for path in opened.folder.rglob("*") if path.is_file()}
    assert before == after


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sead": 1}, "has no parameter 'sead'; it has seed, per_item, prior"),
        ({"prior": "flat"}, "prior: 'flat' is not among uniform"),
        ({"per_item": 0}, "per_item: 0. Give a whole number of at least 1"),
        ({"per_item": True}, "per_item: True. Give a whole number of at least 1"),
        ({"per_item": 2.5}, "per_item: 2.5. Give a whole number of at least 1"),
        ({"seed": "x"}, "seed: 'x'. Give a whole number of at least 0"),
    ],
)
def test_a_parameter_that_does_nothing_is_refused(parameters, message):
    with pytest.raises(PublicationError, match=message):
        Variation.of(RECORD, parameters)


def test_a_seed_is_no_parameter_of_an_analysis_that_draws_nothing(opened):
    with pytest.raises(PublicationError, match="has no parameter 'seed'; it has per_item"):
        opened.varied(seed=7)


def test_a_number_may_be_a_text_as_on_a_command_line():
    assert Variation.of(RECORD, {"seed": "7", "per_item": 5}) == Variation(7, 5)


def test_few_repetitions_are_a_variation_and_said():
    assert str(Variation.of(RECORD, {"seed": 7}, "quick")) == "seed 7, few repetitions"
    assert str(Variation.of(RECORD, {}, "quick")) == "few repetitions"
    with pytest.raises(PublicationError, match=r"effort: 'fast'\. Choose one of full, quick"):
        Variation.of(RECORD, {}, "fast")


def test_a_setting_changes_the_printed_numbers_that_it_names(tmp_path):
    (tmp_path / "tables").mkdir()
    design = tmp_path / "tables/design.csv"
    design.write_text("# As printed.\nname,value\nshape,1.5\nsize,20\n", encoding="utf-8")
    variation = Variation.of(RECORD, {"prior": "uniform", "seed": 7})
    assert str(variation) == "prior uniform, seed 7"
    assert _tables(tmp_path, RECORD, variation)["design"] == "name,value\nshape,2\nsize,20\n"
    design.write_text("name,value\nsize,20\n", encoding="utf-8")
    with pytest.raises(PublicationError, match=r"tables/design.csv has no number 'shape'"):
        _tables(tmp_path, RECORD, variation)


@pytest.mark.parametrize(
    "path",
    sorted((TOP / "workflow/papers").glob("*/paper.yaml")),
    ids=lambda path: path.parent.name,
)
def test_the_variations_of_a_paper_name_data_and_numbers_that_it_has(path):
    record = yaml.safe_load(path.read_text(encoding="utf-8"))
    offered = record.get("variations", {})
    assert set(offered.get("per_item", ())) <= set(record["datasets"])
    for name, choices in offered.get("settings", {}).items():
        for choice in choices:
            texts = _tables(path.parent, record, Variation.of(record, {name: choice}))
            assert all(isinstance(text, str) for text in texts.values())
