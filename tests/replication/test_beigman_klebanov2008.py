"""Beigman Klebanov et al. (2008): what the printed numbers depend on, and what is written."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import yaml

from annobench import datasets
from annobench.compare import check, compare, read_computed, read_errata, read_published
from annobench.reliability_threshold import compare_cuts

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "beigman_klebanov2008"
TABLES = sorted((PAPER / "tables").glob("*.csv"))
RECORD = yaml.safe_load((PAPER / "paper.yaml").read_text())
RATING, DECISION = RECORD["datasets"]
SIMULATED = {"mode": "simulated", "seed": 3, "mirror": None}


@pytest.fixture(scope="module")
def analysis(analysis):
    """With few repetitions."""
    analysis.N_SIMULATED, analysis.N_BOOTSTRAP = 4, 100
    return analysis


@pytest.fixture(scope="module")
def printed(analysis):
    return analysis.read_printed(TABLES)


def run(analysis, top, **source):
    for name in (RATING, DECISION):
        datasets.prepare(name, top / name, network=False, **source)
    analysis.main(
        rating=top / RATING,
        decision=top / DECISION,
        printed_tables=TABLES,
        folder=top / "out",
        seed=3,
    )
    return top / "out"


@pytest.fixture(scope="module")
def results(analysis, without_figures, tmp_path_factory):
    """Everything the analysis writes, with simulated judgements for the extension."""
    top = tmp_path_factory.mktemp("beigman_klebanov2008")
    with without_figures():
        return run(analysis, top, **SIMULATED)


@pytest.mark.slow
def test_every_figure_is_drawn(analysis, tmp_path):
    folder = run(analysis, tmp_path, **SIMULATED)
    drawn = list((folder / "figures").iterdir())
    assert len(drawn) == 2 * len(RECORD["figures"])
    assert all(path.stat().st_size > 5_000 for path in drawn)


def test_nothing_is_missing_unexplained_or_stale(results):
    comparison = compare(
        read_published(PAPER / "published.csv"),
        read_computed(results / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
        paper="beigman_klebanov2008",
    )
    assert len(comparison) == 170
    assert check(comparison) == []
    deviating = set(comparison.loc[comparison["verdict"] == "deviates", "target"])
    assert deviating == set(read_errata(PAPER / "errata.csv")["target"])


def test_the_analysis_writes_every_figure_and_table_of_its_record(results):
    figures = {figure["name"] for figure in RECORD["figures"]}
    tables = {table["name"] for table in RECORD["tables"]}
    for suffix in ("svg", "png"):
        assert {path.stem for path in (results / "figures").glob(f"*.{suffix}")} == figures
    assert {path.stem for path in (results / "tables").iterdir()} == tables
    captions = json.loads((results / "captions.json").read_text())
    assert set(captions) == figures | {f"tables/{name}" for name in tables}
    assert captions["marks"]["provenance"] == captions["discourse"]["provenance"] == "simulated"
    assert captions["acceptance"]["provenance"] == "printed_table"


def test_the_chances_of_section_3_are_binomial(analysis, printed):
    found = analysis.chance_values(printed)
    assert found["chance.at_least_3"] == pytest.approx(scipy.stats.binom.sf(2, 9, 0.04))
    assert found["chance.none"] == pytest.approx(0.96**9)
    assert found["deliberate.least_marks"] == found["conclusion.threshold"] == 4


def test_bottom_lines_are_weighted_by_paragraphs(analysis, printed):
    found = analysis.totals(printed).set_index(["table", "subset"])
    assert found.loc[("table2", "human"), "plain"] == (73 + 64 + 51 + 68) / 4
    assert found.loc[("table2", "unreliable"), "weighted"] == pytest.approx(21877 / 477)
    assert found["weighted_fits"].all()
    assert (~found["plain_fits"]).sum() == 3


def test_the_tables_agree_on_the_mixture_of_own_and_others_marks(analysis, printed):
    ranges = analysis.feasible(printed).set_index(["type", "quantity"])
    accept = ranges[ranges.index.get_level_values("quantity").str.endswith("accept")]
    assert accept["fits"].all()
    # The share of own marks is at most 3 of 7 below the threshold and at least 2 of 7 above.
    own = ranges.xs("unreliable share of own marks", level="quantity")
    assert (own["upper"] <= 3 / 7).all()
    own = ranges.xs("reliable share of own marks", level="quantity")
    assert (own["lower"] >= 2 / 7).all()
    # Everybody of the seven marked 24 VEHICLE paragraphs, so no more than 24 have nine marks.
    assert ranges.loc[("vehicle", "paragraphs with 9 marks"), "upper"] == pytest.approx(24)


def test_a_printed_number_that_does_not_fit_is_found(analysis, printed):
    cells = printed.cells.copy()
    cells.loc[("table2", "reliable", "build"), "percent"] = 99
    changed = analysis.Printed(printed.table1, cells, printed.lines, printed.human, printed.design)
    ranges = analysis.feasible(changed).set_index(["type", "quantity"])
    assert not ranges.loc[("build", "reliable accept"), "fits"]
    with pytest.raises(ValueError, match="the printed numbers of build contradict each other"):
        analysis.patterns(changed, "build")


def test_the_simulation_meets_every_table(analysis, printed):
    tables = {name: analysis.patterns(printed, name) for name in printed.types}
    marks = analysis.simulated_marks(
        printed, analysis.simulate_types(printed, np.random.default_rng(1), tables)
    )
    assert (abs(marks["kappa"] - marks["kappa_printed"]) < 0.005).all()
    assert (abs(marks["marked"] - marks["marked_printed"]) < 0.05).all()
    assert marks["reliable"].tolist() == [102, 56, 40, 40]
    assert (marks["threshold"] == 4).all()


def test_simulated_votes_agree_with_the_printed_ones(results):
    votes = pd.read_csv(results / "tables" / "simulated_votes.csv")
    assert (votes["n"] == votes["n_printed"]).all()
    assert abs(votes["percent"] - votes["percent_printed"]).max() < 6


def test_exact_intervals_are_those_of_scipy(analysis):
    exact = scipy.stats.binomtest(12, 40).proportion_ci(0.95, "exact")
    assert analysis.clopper_pearson(0.3, 40) == pytest.approx((exact.low, exact.high))
    assert analysis.clopper_pearson(0.0, 40)[0] == 0
    assert analysis.clopper_pearson(1.0, 40)[1] == 1


def test_a_difference_between_pairs_is_no_difference_within(analysis):
    rng = np.random.default_rng(2)
    pair = np.repeat([0, 1], 100)
    value = pair + 0.1 * rng.standard_normal(200)
    first = rng.random(200) < np.where(pair == 1, 0.8, 0.2)
    everything = np.ones(200, dtype=bool)
    assert analysis.permuted(value, first, everything, pair, rng) > 0.001
    assert analysis.permuted(value + first, first, everything, pair, rng) == 1 / (
        1 + analysis.N_BOOTSTRAP
    )


def test_real_judgements_split_as_reported(analysis, mirror):
    data = [datasets.load(name, mode="real", mirror=mirror) for name in (RATING, DECISION)]
    study = analysis.Discourse.of(*data)
    thresholds = analysis.thresholds(study)
    chosen = thresholds.query("rates == 'one rate for all' and confidence == 0.999")
    assert chosen.set_index("label")["reliable_items"].to_dict() == {"lit": 0, "met": 31}
    rng = np.random.default_rng(4)
    groups = analysis.groups(study, rng).set_index(["rating", "comparison"])
    assert groups.loc[("rating", "reliable less unreliable"), "lower"] > 0.25
    cuts = compare_cuts(study.marks, study.rating, rng=rng, replicates=100)
    assert cuts["best"].idxmax() == 3
    steps = analysis.beyond_the_number(study).set_index("term")
    assert (
        steps.loc["step at the threshold", "upper"]
        > 0
        > steps.loc["step at the threshold", "lower"]
    )


def test_a_missing_number_that_nothing_determines_is_an_error(analysis, tmp_path):
    for path in TABLES:
        shutil.copy(path, tmp_path / path.name)
    design = tmp_path / "design.csv"
    design.write_text(design.read_text().replace("threshold,4", "threshold,2", 1))
    with pytest.raises(ValueError, match=r"table4\.csv: give the number of reliable"):
        analysis.read_printed(sorted(tmp_path.glob("*.csv")))
