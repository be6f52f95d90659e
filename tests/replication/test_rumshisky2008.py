"""Rumshisky and Batiukova (2008): what the lists determine, and what is simulated."""

import numpy as np
import pandas as pd
import pytest

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench_replication.ledger import read_computed
from annobench_replication.statistics import kappas
from annobench_replication.verdicts import check


@pytest.fixture
def printed(analysis, paper):
    return analysis.printed.Printed.of(paper.study())


@pytest.fixture(scope="module")
def verbs(analysis, paper):
    return analysis.simulate.verbs_of(analysis.printed.Printed.of(paper.study()))


@pytest.fixture(scope="module")
def comparison(paper, results):
    return paper.compared(results)


def test_every_figure_says_that_it_shows_simulated_labels(results):
    # Letters are drawn as shapes; matplotlib leaves each text beside them as a comment.
    for path in (results / "figures").glob("*.svg"):
        assert b"imulated" in path.read_bytes(), path


def test_two_references_are_slips_and_the_agreement_is_claimed_by_nobody(comparison):
    assert check(comparison) == []
    deviating = comparison[comparison["verdict"] == "deviates"]
    assert dict(zip(deviating["target"], deviating["computed"], strict=True)) == {
        "reference.coastline": 8,
        "reference.success": 29,
    }
    assert set(deviating["cause"]) == {"misprint"}
    calibrated = comparison.set_index("target").loc["agreement.macro_average"]
    assert calibrated["verdict"] == "not_public"
    assert np.isnan(calibrated["computed"])


def test_nothing_but_references_is_computed(results):
    computed = read_computed(results / "computed.csv").query("method == 'paper'")
    assert computed["target"].str.startswith("reference.").all()


def test_a_reference_is_right_if_the_example_has_its_number(analysis, printed):
    before = analysis.printed.reference_values(printed)
    assert (before["reference.coastline"], before["reference.success"]) == (8, 29)
    numbers = printed.examples.set_index("word")["number"]
    numbers[["coastline", "success"]] = [7, 28]
    printed.examples["number"] = numbers.to_numpy()
    after = analysis.printed.reference_values(printed)
    assert (after["reference.coastline"], after["reference.success"]) == (7, 28)


def test_the_verbs_are_twenty_in_three_positions(printed):
    assert printed.verbs["position"].value_counts().to_dict() == {
        "dobj": 16,
        "subj": 3,
        "iobj_with": 1,
    }
    assert printed.examples["number"].is_unique
    assert len(printed.disagreements) == 16


def test_printed_disagreements_bound_the_average(analysis, printed):
    # 16 of 20 * 200 sentences; verbs have equally many, so the average is the share.
    assert analysis.printed.largest_agreement(printed) == pytest.approx(100 - 100 * 16 / 4000)


def test_bounds_meet_where_everything_is_retained(analysis, printed):
    found = analysis.printed.bounds(printed).set_index("retained")
    assert found.loc[0.8, ["lower", "upper"]].tolist() == pytest.approx([0.76, 0.96])
    assert found.loc[1.0, "lower"] == found.loc[1.0, "upper"] == pytest.approx(0.95)


def test_kappa_at_95_percent_is_that_of_the_library(analysis, printed):
    found = analysis.printed.chance_corrected(printed).set_index(["senses", "first_share"])
    # 200 sentences, 10 unequal, the first sense 90% for both annotators.
    table = Annotations.from_contingency([[175, 5], [5, 15]])
    assert found.loc[(2, 0.9), "kappa"] == pytest.approx(agreement.cohen_kappa(table).estimate)


def test_chances_of_pairs_sum_to_one(analysis, verbs):
    for verb in verbs:
        kept, dropped = verb.joint(0.1, analysis.simulate.USUAL)
        assert (kept >= 0).all()
        assert kept.sum() + dropped.sum() == pytest.approx(1)
        assert kept == pytest.approx(kept.T)
        # Nothing with N/A and no pair of equal labels is thrown out.
        assert not dropped[-1].any()
        assert not np.diag(dropped).any()


def test_errors_are_calibrated_to_the_printed_agreement(analysis, printed, verbs):
    for unclear in analysis.simulate.UNCLEAR:
        scenario = analysis.simulate.Scenario(unclear=unclear)
        error = analysis.simulate.calibrate(verbs, scenario, 0.95)
        tables = [
            verb.joint(own, scenario)
            for verb, own in zip(verbs, analysis.simulate.errors_of(verbs, error), strict=True)
        ]
        assert analysis.simulate.measure(tables)["as_printed"] == pytest.approx(0.95, abs=1e-9)


def test_simulated_verbs_average_what_was_calibrated(analysis, verbs):
    error = analysis.simulate.calibrate(verbs, analysis.simulate.USUAL, 0.95)
    rng = np.random.default_rng(5)
    found = [
        analysis.simulate.measure(
            analysis.simulate.draw(verbs, error, analysis.simulate.USUAL, 200, rng)
        )["as_printed"]
        for _ in range(50)
    ]
    # Four standard errors of the mean of 50.
    assert abs(np.mean(found) - 0.95) < 4 * np.std(found, ddof=1) / np.sqrt(50)


def test_more_unclear_sentences_leave_the_printed_agreement_alone(results):
    found = pd.read_csv(results / "tables" / "scenarios.csv").query("thrown_out == 0.5")
    assert found["as_printed"].to_numpy() == pytest.approx(0.95)
    assert (found["na_is_a_label"].diff().dropna() < -0.01).all()


def test_merging_connects_what_is_related(analysis, printed, verbs):
    assert analysis.relations.merge(("a", "b", "c", "d"), [("b", "c"), ("c", "d")]) == {
        "a": "a",
        "b": "b",
        "c": "b",
        "d": "b",
    }
    assert analysis.relations.merge(("a", "b", "c"), [("c", "b"), ("b", "a")])["c"] == "a"
    drive = next(verb for verb in verbs if verb.name == "drive")
    levels = analysis.relations.hierarchy(printed, drive)
    assert set(levels.parents("argument structure")) == {"vehicle", "motivate", "power"}
    assert levels.parents("any relation") == ("vehicle",)


def test_collapsed_labels_have_the_merged_table(analysis, printed, verbs):
    verb = next(verb for verb in verbs if verb.name == "fall")
    rng = np.random.default_rng(6)
    counts = analysis.simulate.draw([verb], 0.1, analysis.simulate.USUAL, 200, rng)[0][0]
    levels = analysis.relations.hierarchy(printed, verb)
    collapsed = levels.collapse(analysis.simulate.labels_of(verb, counts), "generic and specific")
    to = analysis.relations.indicator(verb.senses, levels.levels["generic and specific"])
    merged = to.T @ counts[:-1, :-1] @ to
    assert agreement.cohen_kappa(collapsed).estimate == pytest.approx(float(kappas(merged)))
    assert agreement.percent_agreement(collapsed).estimate == pytest.approx(
        np.trace(merged) / merged.sum()
    )


def test_coarser_levels_gain_agreement_and_lose_information(results):
    found = pd.read_csv(results / "tables" / "coarser.csv").dropna()
    assert (found["agreement"] > found["agreement_before"]).all()
    assert (found["bits"] < found["bits_before"]).all()


def test_a_relation_of_an_unknown_sense_is_an_error(analysis, paper):
    text = (paper.folder / "tables" / "relations.csv").read_text()
    wrong = paper.study(tables={"relations": f"{text}meet,person,football,metaphor,§4.4\n"})
    with pytest.raises(ValueError, match=r"relations\.csv: meet has no sense \['football'\]"):
        analysis.printed.Printed.of(wrong)
