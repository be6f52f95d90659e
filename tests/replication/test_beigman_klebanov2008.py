"""Beigman Klebanov et al. (2008): what the printed numbers depend on, and what is written."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import yaml

from annobench import datasets
from annobench.noise.reliability_threshold import compare_cuts
from annobench.replication.compare import (
    agrees,
    compare,
    read_computed,
    read_errata,
    read_published,
    read_standing,
)

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "beigman_klebanov2008"
TABLES = sorted((PAPER / "tables").glob("*.csv"))
RECORD = yaml.safe_load((PAPER / "paper.yaml").read_text())
RATING, DECISION = RECORD["datasets"]
SIMULATED = {"mode": "simulated", "seed": 3, "mirror": None}


@pytest.fixture(scope="module")
def printed(analysis):
    return analysis.read_printed(TABLES)


def run(analysis, top, tables=TABLES, **source):
    for name in (RATING, DECISION):
        datasets.prepare(name, top / name, network=False, **source)
    analysis.main(
        data={name: top / name for name in (RATING, DECISION)},
        printed_tables=tables,
        folder=top / "out",
        seed=3,
        effort="quick",
    )
    return top / "out"


def with_another(folder, name, old, new):
    """Copy the tables with one line changed."""
    for path in TABLES:
        shutil.copy(path, folder / path.name)
    text = (folder / name).read_text()
    assert text.count(old) == 1
    (folder / name).write_text(text.replace(old, new))
    return sorted(folder.glob("*.csv"))


@pytest.fixture(scope="module")
def results(analysis, tmp_path_factory):
    """Everything the analysis writes, with simulated judgements for the extension."""
    return run(analysis, tmp_path_factory.mktemp("beigman_klebanov2008"), **SIMULATED)


def test_what_the_tables_determine_comes_out_but_for_one_contradiction(results):
    comparison = compare(
        read_published(PAPER / "published.csv"),
        read_computed(results / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
        standing=read_standing(PAPER / "standing.csv"),
        paper="beigman_klebanov2008",
    ).set_index("target")
    verdicts = comparison["verdict"]
    assert not (verdicts == "missing").any()
    assert set(verdicts.index[verdicts == "deviates"]) == {"self.most_marks_unreliable"}
    assert comparison.loc["self.most_marks_unreliable", "cause"] == "contradiction"
    for target in (
        "chance.at_least_3",
        "chance.none",
        "table2.human.all.accept",
        "table4.unreliable.all.reject",
        "validation.share_reliable",
    ):
        assert verdicts[target] == "reproduced", target
    # What the study found and never published is no evidence, nor is a number printed again.
    assert (verdicts[["table1.vehicle.kappa", "table2.reliable.love.accept"]] == "given").all()
    assert verdicts["table3.unreliable.love.n"] == "restated"


def test_simulations_say_that_they_are_simulations(results):
    said = {path.stem: b"Simulated" in path.read_bytes() for path in results.glob("figures/*.svg")}
    assert said == {
        "marks": True,
        "discourse": True,
        "chance": False,
        "acceptance": False,
        "consistency": False,
    }


def test_rounded_parts_leave_room_for_the_printed_average(analysis, printed):
    """Only AUTHORITY needs it: its rounded parts give 50.4, and 51 is printed."""
    rows = {
        row.target: row
        for row in analysis.total_rows(printed, analysis.totals(printed))
        if row.method == "paper" and row.rounding_lower is not None
    }
    published = read_published(PAPER / "published.csv").set_index("target")["value"]
    missed = [
        target for target, row in rows.items() if not agrees(published[target], "eq", row.value)
    ]
    assert missed == ["table2.human.authority.accept"]
    row = rows["table2.human.authority.accept"]
    assert (row.rounding_lower, row.rounding_upper) == pytest.approx(
        ((218 * 41.5 + 40 * 95.5) / 258, (218 * 42.5 + 40 * 96.5) / 258)
    )
    assert agrees("51", "eq", row.rounding_lower, row.rounding_upper)
    assert not agrees("52", "eq", row.rounding_lower, row.rounding_upper)


def test_other_percentages_would_give_other_bottom_lines(analysis, tmp_path):
    tables = with_another(tmp_path, "table2.csv", "reliable,build,40,96", "reliable,build,40,86")
    changed = analysis.read_printed(tables)
    average = analysis.averages(changed)["table2", "reliable"]
    assert not agrees("95", "eq", average.lower, average.upper)


def test_another_most_common_type_would_be_seen(analysis, printed, tmp_path):
    assert analysis.design_values(printed)["data.vehicle.rank"] == 1
    tables = with_another(tmp_path, "table1.csv", "love,0.66,2.5", "love,0.66,4.1")
    assert analysis.design_values(analysis.read_printed(tables))["data.vehicle.rank"] == 2


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
    found = {row.target: row for row in analysis.chance_rows(printed)}
    three = found["chance.at_least_3"]
    assert three.value == pytest.approx(scipy.stats.binom.sf(2, 9, 0.04))
    ends = scipy.stats.binom.sf(2, 9, [0.0395, 0.0405])
    assert (three.rounding_lower, three.rounding_upper) == pytest.approx(tuple(ends))
    assert found["chance.none"].value == pytest.approx(0.96**9)
    assert found["deliberate.least_marks"].value == found["conclusion.threshold"].value == 4


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
    changed = replace(printed, cells=cells)
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
    assert analysis.permuted(value, first, everything, pair, rng, 2000) > 0.001
    assert analysis.permuted(value + first, first, everything, pair, rng, 100) == 1 / 101


def test_real_judgements_split_as_reported(analysis, mirror):
    data = [datasets.load(name, mode="real", mirror=mirror) for name in (RATING, DECISION)]
    study = analysis.Discourse.of(*data)
    thresholds = analysis.thresholds(study)
    chosen = thresholds.query("rates == 'one rate for all' and confidence == 0.999")
    assert chosen.set_index("label")["reliable_items"].to_dict() == {"lit": 0, "met": 31}
    rng = np.random.default_rng(4)
    groups = analysis.groups(study, rng, 100).set_index(["rating", "comparison"])
    assert groups.loc[("rating", "reliable less unreliable"), "lower"] > 0.25
    cuts = compare_cuts(study.marks, study.rating, rng=rng, replicates=100)
    assert cuts["best"].idxmax() == 3
    steps = analysis.beyond_the_number(study).set_index("term")
    assert (
        steps.loc["step at the threshold", "upper"]
        > 0
        > steps.loc["step at the threshold", "lower"]
    )


def test_a_missing_number_that_nothing_determines_leaves_its_rows_open(analysis, tmp_path):
    tables = with_another(tmp_path, "design.csv", "threshold,4", "threshold,2")
    printed = analysis.read_printed(tables)
    rows = {row.target: row.value for row in analysis.total_rows(printed, analysis.totals(printed))}
    assert np.isnan([rows["table4.reliable.love.n"], rows["table4.reliable.all.n"]]).all()
    assert rows["table3.reliable.all.n"] == 184
    with pytest.raises(ValueError, match=r"table4\.csv: give the number of reliable"):
        analysis.refuse_gaps(printed)
