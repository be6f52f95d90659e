"""Carpenter (2008): the analysis is complete, and what needs no sampling is exact."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from annobench import datasets
from annobench.compare import compare, read_computed, read_errata, read_published

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "carpenter2008"


@pytest.fixture(scope="module")
def results(analysis, tmp_path_factory):
    """Everything the analysis writes, from simulated data and with few draws."""
    top = tmp_path_factory.mktemp("carpenter2008")
    for name in ("snow2008_rte", "muc6_gold", "muc6_person"):
        datasets.prepare(name, top / name, mode="simulated", seed=3, mirror=None, network=False)
    analysis.main(
        rte_folder=top / "snow2008_rte",
        muc_gold_folder=top / "muc6_gold",
        muc_folder=top / "muc6_person",
        printed_counts=PAPER / "tables" / "printed_counts.csv",
        folder=top / "out",
        seed=3,
        n_simulations=4,
        n_repeats=3,
        n_draws=100,
    )
    return top / "out"


def test_every_printed_result_is_computed_or_was_never_public(results):
    comparison = compare(
        read_published(PAPER / "published.csv"),
        read_computed(results / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
    )
    assert len(comparison) > 110
    assert not (comparison["verdict"] == "missing").any()
    of_simulated = comparison[comparison["basis"] == "public_data"].query("kind == 'result'")
    assert set(of_simulated["verdict"]) == {"stand_in"}, "simulated labels must claim nothing"


def test_the_analysis_writes_every_figure_and_table_of_its_record(results):
    paper = yaml.safe_load((PAPER / "paper.yaml").read_text())
    figures = {figure["name"] for figure in paper["figures"]}
    for suffix in ("svg", "png"):
        assert {path.stem for path in (results / "figures").glob(f"*.{suffix}")} == figures
    assert {path.stem for path in (results / "tables").iterdir()} == {
        table["name"] for table in paper["tables"]
    }
    captions = json.loads((results / "captions.json").read_text())
    assert set(captions) == figures | {f"tables/{table['name']}" for table in paper["tables"]}
    assert all({"caption", "provenance", "seed"} <= set(captions[name]) for name in figures)


def test_figures_of_stand_in_data_say_so_in_the_drawing(results):
    # The line of text is drawn as glyphs, so its presence is looked for by its colour.
    red = b"#d55e00"
    marked = (results / "figures" / "figure9.svg").read_bytes()
    assert b"Simulated stand-in" in marked
    assert red in marked.lower()
    assert b"Simulated stand-in" not in (results / "figures" / "figure2.svg").read_bytes()


def test_the_printed_arithmetic_is_right_but_for_one_total_and_its_share(analysis):
    printed = pd.read_csv(PAPER / "tables" / "printed_counts.csv", comment="#")
    derived = analysis.arithmetic(printed.set_index("name")["value"])
    assert derived["rte.voting.expected_errors.arithmetic"] == 82.5
    assert derived["rte.pruned.voting.expected_errors.arithmetic"] == 60  # printed: 59.5
    assert derived["muc.voting.expected_errors.arithmetic"] == 242.5


def test_a_check_interval_holds_one_more_draw_as_often_as_it_says(analysis, rng):
    # Level 1 - 0.05/m with m = 1; 4,000 trials, so the share lies within 0.95 +- 4 * 0.0034.
    held = 0
    for _ in range(4_000):
        low, high = analysis.check_interval(pd.Series(rng.normal(size=12)), 1)
        held += low <= rng.normal() <= high
    assert abs(held / 4_000 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 4_000)


def test_real_muc_labels_get_a_check_interval_and_a_verdict(analysis, tmp_path):
    datasets.prepare("muc6_person", tmp_path, mode="simulated", seed=4, mirror=None, network=False)
    muc = datasets.read(tmp_path)
    real = dataclasses.replace(muc, meta=muc.meta | {"provenance": "real"})
    fitted = analysis.fit_muc(real, np.random.default_rng(1), n_draws=50)
    values = analysis.muc_model_values(real, fitted)
    repeats = analysis.repeat_muc(real, np.random.default_rng(2), n=3, threads=2)
    rows = analysis.sampled_rows(values, repeats, 2, "real")
    assert {row.target for row in rows} == {"muc.model.errors", "muc.model.accuracy"}
    # Runs differ by a few errors of 6,753 tokens at the most.
    errors = rows[0]
    assert errors.check_lower <= errors.check_upper
    assert abs(errors.value - (errors.check_lower + errors.check_upper) / 2) < 10


def test_the_labels_and_the_gold_standard_give_the_printed_counts(analysis, mirror):
    rte = datasets.load("snow2008_rte", mode="real", mirror=mirror)
    fitted = analysis.hierarchical_binary.fit(
        rte.annotations, rng=np.random.default_rng(5), n_draws=200
    )
    facts = analysis.rte_facts(rte, analysis.annotator_table(rte.annotations, rte.gold, fitted))
    assert facts["rte.voting.errors"] == 50
    assert facts["rte.voting.ties"] == 65
    assert facts["rte.voting.expected_errors"] == 82.5
    assert facts["rte.worst_annotator.n_labels"] == 20
    # Four of 164 annotators, where the paper says 39%.
    assert facts["rte.n_annotators_at_chance_share"] == pytest.approx(100 * 4 / 164)


def test_removing_ten_or_eleven_annotators_gives_the_two_printed_totals(analysis, mirror):
    rte = datasets.load("snow2008_rte", mode="real", mirror=mirror)
    fitted = analysis.hierarchical_binary.fit(
        rte.annotations, rng=np.random.default_rng(6), n_draws=1_000
    )
    table = analysis.annotator_table(rte.annotations, rte.gold, fitted)
    pruning = analysis.pruning_table(rte.annotations, rte.gold, table).set_index("removed")
    assert pruning.loc[10, "voting_expected_errors"] == 59.5
    assert pruning.loc[11, ["voting_errors", "voting_ties"]].tolist() == [49, 22]
    assert pruning.loc[11, "percent_of_labels"] == 39.0
