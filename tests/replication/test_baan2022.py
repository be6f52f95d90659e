"""Calibration when humans disagree: the notebook's outputs, and what they rest on."""

from dataclasses import replace

import numpy as np
import pytest

from annobench import datasets
from annobench.evaluation.soft_labels import calibration_to_humans
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published


@pytest.fixture(scope="module")
def load(mirror):
    return lambda id: datasets.load(f"chaosnli_{id}", mode="real", mirror=mirror, network=False)


@pytest.fixture(scope="module")
def items(analysis, load):
    return analysis.values.Items.of(load("snli"), load("predictions"))


@pytest.fixture(scope="module")
def settings(paper, analysis):
    return analysis.values.Settings.of(paper.study().numbers("settings").to_dict())


@pytest.fixture(scope="module")
def compared(analysis, items, settings):
    return analysis.values.comparisons(items, settings)


def deviating(paper, values, beginning):
    published = read_published(paper.folder / "published.csv").set_index("target")
    printed = published.loc[published["kind"] == "result", "value"]
    assert set(values) == {name for name in printed.index if name.startswith(beginning)}
    return [name for name, v in values.items() if not agrees(printed[name], "eq", v, v)]


def test_table_1_is_reproduced(paper, analysis, items, settings):
    assert not deviating(paper, analysis.values.table1_values(items, settings), "table1.")


def test_table_2_and_the_later_figure_are_reproduced(paper, compared):
    for table, own in compared.items():
        assert not deviating(paper, own.values(table), f"{table}.")


def test_sizes_are_reproduced(paper, analysis, load, items):
    sets = {f"chaosnli_{name}": load(name) for name in ("snli", "mnli", "alphanli")}
    values = analysis.values.size_values(items, sets)
    printed = read_published(paper.folder / "published.csv").set_index("target")["value"]
    assert [n for n, v in values.items() if not agrees(printed[n], "eq", float(v), float(v))] == []


def reordered(items, order):
    logits = {model: own[order] for model, own in items.logits.items()}
    return replace(items, votes=items.votes[order], logits=logits, before=items.before[order])


def test_in_another_order_the_seed_gives_other_humans(paper, analysis, load, items, settings):
    uid = load("predictions").items["uid"].drop_duplicates()
    by_uid = reordered(items, np.argsort(uid.to_numpy().astype(str)))
    own = analysis.values.comparisons(by_uid, settings)["table2"].values("table2")
    assert {"table2.ece.h1", "table2.ece.h2"} <= set(deviating(paper, own, "table2."))
    assert own["table2.ece.h1"] == pytest.approx(0.178, abs=5e-4)


def test_the_logits_are_divided_by_the_temperature(paper, analysis, items, settings):
    other = replace(settings, temperature=1 / settings.temperature)
    off = deviating(paper, analysis.values.table1_values(items, other), "table1.")
    assert {f"table1.distce.roberta{model}_ts" for model in range(3)} <= set(off)


def test_an_oracles_error_is_the_share_of_votes_against_the_majority(analysis, items, settings):
    shares = items.shares
    found = analysis.values.scores(shares, shares, settings.bins)
    assert found["ece"] == pytest.approx(1 - shares.max(axis=1).mean(), rel=1e-12)


def test_no_claim_holds_where_humans_agree_or_know_nothing(analysis, items, settings, rng):
    unanimous = replace(items, votes=100 * np.eye(3, dtype=np.int64)[items.votes.argmax(axis=1)])
    blind = rng.multinomial(20, np.full(3, 1 / 3), len(items.votes)) / 20
    values = analysis.values
    own = values.comparisons(unanimous, settings)["bonus"]
    claims = analysis.uncertainty.claim_values(unanimous, own, settings, rng, "quick")
    assert claims["claim.oracle"] < 0
    assert claims["claim.humans_ece"] < 0
    guessing = replace(own, predicted=own.predicted | {"h1": blind})
    claims = analysis.uncertainty.claim_values(unanimous, guessing, settings, rng, "quick")
    assert claims["claim.humans_distce"] < 0


def test_some_items_have_four_earlier_labels(items):
    n_before = items.before.sum(axis=1)
    assert np.bincount(n_before)[4:].tolist() == [7, 1507]


def test_the_number_of_votes_is_counted(analysis, load, items):
    half = replace(items, votes=items.votes // 2)
    sets = {f"chaosnli_{name}": load(name) for name in ("snli", "mnli", "alphanli")}
    assert analysis.values.size_values(half, sets)["sizes.votes"] < 51


def test_a_model_is_worth_two_to_three_votes(analysis, items, settings):
    table = analysis.uncertainty.votes_table(items, settings, np.random.default_rng(1), "quick")
    distance = table.set_index("predicted")["DistCE"]
    assert distance["3 votes"] < distance["roberta0_ts"] < distance["2 votes"]
    error = table.set_index("predicted")["ECE"]
    assert error["50 votes"] > error["20 votes"] > error["5 votes"]


def test_ties_move_the_ranking_by_about_three_points(analysis, items, settings):
    table = analysis.uncertainty.ties_table(items, settings)
    rank = table[table["measure"] == "RankCS"].set_index("classifier")
    width = rank["highest"] - rank["lowest"]
    assert (width < 0.035).all()
    assert (rank["lowest"] <= rank["expected"]).all()
    expected = calibration_to_humans(items.predicted("0"), items.shares).ranking
    assert rank.loc["roberta0", "expected"] == pytest.approx(expected)


def test_without_the_files_nothing_is_claimed(paper, results):
    verdicts = paper.compared(results).set_index("target")["verdict"]
    assert not set(verdicts) & {"reproduced", "within_interval", "deviates"}
