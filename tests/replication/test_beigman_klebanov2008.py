"""Beigman Klebanov et al. (2008): what the printed numbers depend on, and what is written."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from annobench import datasets
from annobench.noise.reliability_threshold import compare_cuts
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published


@pytest.fixture(scope="module")
def printed(analysis, paper):
    return analysis.Printed.read(paper.study())


def with_another(analysis, paper, name, old, new):
    """Read the printed tables with one line changed."""
    text = (paper.folder / "tables" / f"{name}.csv").read_text()
    assert text.count(old) == 1
    return analysis.Printed.read(paper.study(tables={name: text.replace(old, new)}))


def test_what_the_tables_determine_comes_out_but_for_one_contradiction(paper, results):
    comparison = paper.compared(results).set_index("target")
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


def test_a_simulation_of_the_study_says_that_it_is_one(results):
    said = {path.stem: b"Simulated" in path.read_bytes() for path in results.glob("figures/*.svg")}
    assert {name for name, simulated in said.items() if simulated} == {"marks", "discourse"}


def test_rounded_parts_leave_room_for_the_printed_average(analysis, paper, printed):
    """Only AUTHORITY needs it: its rounded parts give 50.4, and 51 is printed."""
    rows = {
        row.target: row
        for row in analysis.values.tables_2_to_4(printed)
        if row.method == "paper" and row.rounding_lower is not None
    }
    published = read_published(paper.folder / "published.csv").set_index("target")["value"]
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


def test_other_percentages_would_give_other_bottom_lines(analysis, paper):
    changed = with_another(
        analysis, paper, "table2", "reliable,build,40,96", "reliable,build,40,86"
    )
    average = analysis.values.averages(changed)["table2", "reliable"]
    assert not agrees("95", "eq", average.lower, average.upper)


def test_another_most_common_type_would_be_seen(analysis, paper, printed):
    assert analysis.values.design(printed)["data.vehicle.rank"] == 1
    changed = with_another(analysis, paper, "table1", "love,0.66,2.5", "love,0.66,4.1")
    assert analysis.values.design(changed)["data.vehicle.rank"] == 2


def test_the_chances_of_section_3_are_binomial(analysis, printed):
    found = analysis.values.chance(printed)
    three = found["chance.at_least_3"]
    assert three.value == pytest.approx(scipy.stats.binom.sf(2, 9, 0.04))
    ends = scipy.stats.binom.sf(2, 9, [0.0395, 0.0405])
    assert (three.lower, three.upper) == pytest.approx(tuple(ends))
    assert found["chance.none"].value == pytest.approx(0.96**9)
    assert found["deliberate.least_marks"] == found["conclusion.threshold"] == 4


def test_bottom_lines_are_weighted_by_paragraphs(analysis, printed):
    found = analysis.values.bottom_lines(printed).set_index(["table", "subset"])
    assert found.loc[("table2", "human"), "plain"] == (73 + 64 + 51 + 68) / 4
    assert found.loc[("table2", "unreliable"), "weighted"] == pytest.approx(21877 / 477)
    assert found["weighted_fits"].all()
    assert (~found["plain_fits"]).sum() == 3


def test_the_tables_agree_on_the_mixture_of_own_and_others_marks(analysis, printed):
    ranges = analysis.constraints.feasible(printed).set_index(["type", "quantity"])
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
    ranges = analysis.constraints.feasible(changed).set_index(["type", "quantity"])
    assert not ranges.loc[("build", "reliable accept"), "fits"]
    with pytest.raises(ValueError, match="the printed numbers of build contradict each other"):
        analysis.constraints.patterns(changed, "build")


def test_the_simulation_meets_every_table(analysis, printed):
    tables = {name: analysis.constraints.patterns(printed, name) for name in printed.types}
    marks = analysis.simulation.describe(
        printed, analysis.simulation.simulate(printed, np.random.default_rng(1), tables)
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
    assert analysis.values.clopper_pearson(0.3, 40) == pytest.approx((exact.low, exact.high))
    assert analysis.values.clopper_pearson(0.0, 40)[0] == 0
    assert analysis.values.clopper_pearson(1.0, 40)[1] == 1


def test_a_difference_between_pairs_is_no_difference_within(analysis):
    rng = np.random.default_rng(2)
    pair = np.repeat([0, 1], 100)
    value = pair + 0.1 * rng.standard_normal(200)
    first = rng.random(200) < np.where(pair == 1, 0.8, 0.2)
    test = analysis.discourse.permutation_test
    assert test(value, first, pair, rng, 2000) > 0.001
    assert test(value + first, first, pair, rng, 100) == 1 / 101


def test_real_judgements_split_as_reported(analysis, mirror):
    data = [
        datasets.load(name, mode="real", mirror=mirror)
        for name in (analysis.RATING, analysis.DECISION)
    ]
    study = analysis.discourse.Discourse.of(*data)
    thresholds = analysis.discourse.thresholds(study)
    chosen = thresholds.query("rates == 'one rate for all' and confidence == 0.999")
    assert chosen.set_index("label")["reliable_items"].to_dict() == {"lit": 0, "met": 31}
    rng = np.random.default_rng(4)
    groups = analysis.discourse.groups(study, rng, 100).set_index(["rating", "comparison"])
    assert groups.loc[("rating", "reliable less unreliable"), "lower"] > 0.25
    cuts = compare_cuts(study.marks, study.rating, rng=rng, replicates=100)
    assert cuts["best"].idxmax() == 3
    steps = analysis.discourse.beyond_the_number(study).set_index("term")
    assert (
        steps.loc["step at the threshold", "upper"]
        > 0
        > steps.loc["step at the threshold", "lower"]
    )


def test_a_missing_number_that_nothing_determines_leaves_its_rows_open(analysis, paper):
    printed = with_another(analysis, paper, "design", "threshold,4", "threshold,2")
    rows = {row.target: row.value for row in analysis.values.tables_2_to_4(printed)}
    assert np.isnan([rows["table4.reliable.love.n"], rows["table4.reliable.all.n"]]).all()
    assert rows["table3.reliable.all.n"] == 184
    with pytest.raises(ValueError, match=r"table4\.csv: give the number of reliable"):
        printed.refuse_gaps()
