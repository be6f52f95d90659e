"""VariErr: the files of results, their order of equal scores, and what the abstract concludes."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_errata, read_published, read_remarks


@pytest.fixture(scope="module")
def load(mirror):
    return lambda id: datasets.load(f"varierr_{id}", mode="real", mirror=mirror, network=False)


@pytest.fixture(scope="module")
def scored(analysis, load):
    return analysis.values.Scored.of(load("scores"))


@pytest.fixture(scope="module")
def found(analysis, load):
    return analysis.people.Round2(load("judgements"))


@pytest.fixture(scope="module")
def precisions(analysis, scored):
    return analysis.claims.precisions(scored, np.random.default_rng(1), "full")


def published(paper):
    return read_published(paper.folder / "published.csv").set_index("target")["value"]


def test_every_value_of_the_files_of_results_is_reproduced(paper, analysis, scored):
    printed = published(paper)
    values = analysis.values.result_values(scored)
    assert set(values) == {
        name
        for name in printed.index
        if name.split(".")[0] in ("all", "single", "ambiguous", "either")
    }
    for target, value in values.items():
        assert agrees(printed[target], "eq", value, value), target


def test_sizes_and_the_counters_of_table_1_are_reproduced(paper, analysis, load, found):
    printed = published(paper)
    values = analysis.people.size_values(load("labels"), found)
    values |= analysis.people.example_values(found)
    assert set(values) == {n for n in printed.index if n.startswith(("sizes.", "table1."))}
    for target, value in values.items():
        assert agrees(printed[target], "eq", value, value), target


def test_the_marks_of_table_1_are_those_of_the_file(paper, analysis, found):
    marks = analysis.people.marks_table(found, paper.study().printed("marks"))
    assert len(marks) == 36
    assert (marks["printed"] == marks["in_the_file"]).all()


def test_the_order_of_equal_scores_is_numpys_without_vector_instructions(analysis, tmp_path, rng):
    columns = [rng.integers(9, size=n).astype(float) for n in (1, 2, 15, 16, 17, 100, 878)]
    np.savez(tmp_path / "values.npz", *columns)
    script = (
        "import sys, numpy as np\n"
        "with np.load(sys.argv[1]) as given:\n"
        "    np.savez(sys.argv[2], *(np.argsort(given[name]) for name in given.files))\n"
    )
    # Without what vectorises sorting on x86; elsewhere numpy ignores the names with a warning.
    features = "X86_V4 X86_V3 AVX512_ICL AVX512_SKX AVX512F AVX512CD AVX2"
    paths = [str(tmp_path / name) for name in ("values.npz", "orders.npz")]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, *paths],
        check=True,
        env=os.environ | {"NPY_DISABLE_CPU_FEATURES": features},
    )
    with np.load(paths[1]) as orders:
        for values, name in zip(columns, orders.files, strict=True):
            own = analysis.values.quicksort_order(values)
            np.testing.assert_array_equal(own, orders[name])


def test_another_order_of_equal_scores_gives_other_values(paper, analysis, scored, monkeypatch):
    printed = published(paper)
    monkeypatch.setattr(
        analysis.values, "quicksort_order", lambda values: np.argsort(values, kind="stable")
    )
    values = analysis.values.result_values(scored)
    off = [name for name, value in values.items() if not agrees(printed[name], "eq", value, value)]
    assert len(off) > 50
    assert not [name for name in off if name.split(".")[2].startswith("ap")]


def test_ambiguity_is_that_of_the_item(paper, analysis, scored):
    printed = published(paper)
    values = analysis.values.result_values(scored, of_item=False)
    own = [n for n in values if n.startswith("ambiguous.") and n.endswith(".ap")]
    assert not any(agrees(printed[name], "eq", values[name], values[name]) for name in own)


def test_errors_and_ambiguity_of_the_file_follow_from_the_judgements(found, scored):
    again = found.labels.set_index("key")
    pd.testing.assert_series_equal(
        again["is_error"].sort_index(),
        scored.labels["is_error"].sort_index(),
        check_names=False,
    )
    valid = (~again["is_error"]).groupby(again["pair"]).sum()
    assert ((valid > 1) == scored.labels.groupby("pair")["ambiguous"].first()).all()
    assert (again["count"].sort_index() == scored.labels["count"].sort_index()).all()


def test_gpt_4_leads_on_all_labels_and_not_among_those_that_one_annotator_gave(
    paper, analysis, precisions
):
    table = analysis.claims.claims_table(precisions).set_index(["where", "claim"])
    everywhere = table.loc["all labels"]
    assert (everywhere.loc[["gpt4_over_trained", "humans_over_gpt4"], "lower"] > 0).all()
    assert everywhere.loc["gpt35_over_trained", "difference"] < 0
    once = table.loc[("labels that one annotator gave", "gpt4_over_trained")]
    assert once["lower"] < 0 < once["upper"]
    assert once["difference"] < 0
    remark = read_remarks(paper.folder / "remarks.csv").set_index("id").loc["claim.rare_labels"]
    assert f"{once['difference']:.1f}" in remark["evidence"]


def test_what_the_erratum_quotes_is_computed(paper, precisions):
    row = (
        read_errata(paper.folder / "errata.csv").set_index("target").loc["claim.gpt35_over_trained"]
    )
    own = precisions["all labels"]
    for key in ("gpt35", "dm_mean", "dm_std"):
        assert f"{own[key].estimate:.1f}" in row["evidence"]


def test_scores_of_peers_come_from_another_state_of_the_judgements(analysis, found, scored):
    table = analysis.people.peers_table(found, scored).set_index("scores")
    assert (table["without_a_score"] == 1).all()
    assert table["other_scores"].tolist() == [9, 9, 14, 14]
    assert (table["ap_of_the_judgements"] > table["ap_of_the_file"]).all()


def test_a_model_of_the_judges_finds_more_errors_than_counts(analysis, found):
    table = analysis.people.detectors_table(found, np.random.default_rng(1), 200).set_index("score")
    best = table["all_ap"].idxmax()
    assert best.startswith("Dawid and Skene")
    assert table.loc[best, "all_lower"] > table.loc["annotators who gave the label", "all_ap"]


def test_without_the_files_nothing_is_claimed(paper, results):
    compared = paper.compared(results)
    assert set(compared["verdict"]) == {"input", "stand_in"}


def test_with_scores_that_know_nothing_no_claim_holds(analysis, scored, rng):
    noise = pd.DataFrame(
        rng.random(scored.scores.shape), scored.scores.index, scored.scores.columns
    )
    labels = scored.labels.assign(count=1.0)
    blind = analysis.values.Scored(labels, noise)
    values = analysis.claims.claim_values(analysis.claims.precisions(blind, rng, "quick"))
    assert len(values) == 5
    assert max(values.values()) < 0


def test_other_judgements_give_other_counters(analysis, load, found):
    data = load("judgements")
    before = analysis.people.example_values(found)
    own = data.items["pair"].isin(analysis.people.EXAMPLES.values())
    kept = data.items[~own | data.items["item"].duplicated()]
    labels = data.labels[data.labels["item"].isin(kept["item"])]
    without = datasets.LoadedData(data.id, labels, kept, data.meta)
    after = analysis.people.example_values(analysis.people.Round2(without))
    assert all(before[name] > after[name] for name in before)


def test_a_random_order_finds_the_share_of_errors(analysis, scored):
    other = scored.labels.assign(is_error=scored.labels["is_error"] & (scored.labels["count"] == 1))
    changed = analysis.values.Scored(other, scored.scores)
    values = [
        analysis.values.random_values(each, "all", of_item=True)["all.random.ap"]
        for each in (scored, changed)
    ]
    assert values[0] == pytest.approx(100 * 129 / 878)
    assert values[1] == pytest.approx(100 * 124 / 878)
