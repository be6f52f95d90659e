"""Reidsma and op den Akker (2008): what the numbers depend on, and what the analysis writes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import yaml

from annobench import datasets
from annobench.compare import check, compare, read_computed, read_errata, read_published
from annobench.datasets import ami

PAPER = Path(__file__).parents[2] / "workflow" / "papers" / "reidsma2008"
TABLES = sorted((PAPER / "tables").glob("*.csv"))
RECORD = yaml.safe_load((PAPER / "paper.yaml").read_text())


@pytest.fixture(scope="module")
def printed():
    return {path.stem: pd.read_csv(path, comment="#") for path in TABLES}


def run(analysis, top, **source):
    for name in RECORD["datasets"]:
        datasets.prepare(name, top / name, network=False, **source)
    analysis.main(
        data_folders={name: top / name for name in RECORD["datasets"]},
        printed_tables=TABLES,
        folder=top / "out",
        seed=20081,
    )
    return compare(
        read_published(PAPER / "published.csv"),
        read_computed(top / "out" / "computed.csv"),
        read_errata(PAPER / "errata.csv"),
        paper="reidsma2008",
    )


@pytest.mark.slow
def test_the_release_leaves_nothing_missing_unexplained_or_stale(analysis, tmp_path, mirror):
    comparison = run(analysis, tmp_path, mode="real", mirror=mirror)
    assert len(comparison) == 126
    assert check(comparison) == []
    verdict = comparison.set_index("target")["verdict"]
    cells = verdict[verdict.index.str.fullmatch(r"table1\..*_(train|test)")]
    assert cells.value_counts().to_dict() == {"deviates": 13, "reproduced": 11}
    assert set(cells[cells.index.str.contains(r"\.s9_")]) == {"reproduced"}
    assert set(verdict[verdict.index.str.match(r"table[23].*(accuracy|\.(dh|s9|vk|mixed))$")]) == {
        "within_interval"
    }


@pytest.mark.slow
def test_a_simulated_corpus_claims_nothing(analysis, tmp_path):
    comparison = run(analysis, tmp_path, mode="simulated", seed=3)
    assert check(comparison) == []
    of_corpus = comparison[comparison["basis"] == "public_data"].query("kind == 'result'")
    assert set(of_corpus["verdict"]) == {"stand_in"}
    computed = read_computed(tmp_path / "out" / "computed.csv")
    targets = computed.loc[computed["method"] == "calibration target", "target"]
    assert targets.str.startswith("table1.").sum() == 24
    figures = {figure["name"] for figure in RECORD["figures"]}
    tables = {table["name"] for table in RECORD["tables"]}
    for suffix in ("svg", "png"):
        assert {p.stem for p in (tmp_path / "out/figures").glob(f"*.{suffix}")} == figures
    assert {p.stem for p in (tmp_path / "out/tables").iterdir()} == tables
    captions = json.loads((tmp_path / "out/captions.json").read_text())
    assert set(captions) == figures | {f"tables/{name}" for name in tables}
    assert {captions[name]["provenance"] for name in figures} == {"simulated"}
    for name in figures:
        assert b"#d55e00" in (tmp_path / f"out/figures/{name}.svg").read_bytes().lower()


def subsets_with_sum(counts, target):
    """Return all sets of rows that add up to the target, by meeting in the middle."""

    def sums(rows):
        total, chosen = np.zeros((1, len(target)), int), np.zeros(1, int)
        for n, row in enumerate(rows):
            more = total + row
            kept = (more <= target).all(axis=1)
            total = np.concatenate([total, more[kept]])
            chosen = np.concatenate([chosen, chosen[kept] | 1 << n])
        return total, chosen

    half = len(counts) // 2
    (first, one), (second, two) = sums(counts[:half]), sums(counts[half:])
    missing = {}
    for total, chosen in zip(map(tuple, first), one, strict=True):
        missing.setdefault(total, []).append(chosen)
    found = []
    for rest, chosen in zip(map(tuple, target - second), two, strict=True):
        found += [int(chosen) << half | int(other) for other in missing.get(rest, ())]
    return [[n for n in range(len(counts)) if mask >> n & 1] for mask in found]


def test_subsets_are_found_by_hand():
    assert subsets_with_sum(np.array([[1], [2], [3], [4]]), np.array([5])) == [[1, 2], [0, 3]]


@pytest.mark.slow
def test_one_set_of_meetings_alone_has_the_printed_test_counts_of_s9(analysis, mirror, printed):
    acts = ami.in_order(datasets.load("ami_dialogue_acts", mode="real", mirror=mirror))
    first = acts["text"].str.split().str[0]
    own = acts[(first == "Yeah") & (acts["annotator"] == "s9553330")]
    category = own["label"].map(analysis.CATEGORIES).fillna("ot")
    counts = pd.crosstab(own["meeting"], category)
    target = printed["table1"].set_index("category").loc[counts.columns, "s9_test"].to_numpy()
    [chosen] = subsets_with_sum(counts.to_numpy(), target)
    in_test = counts.index.str[:6].isin(analysis.TEST_GROUPS)
    assert counts.index[chosen].tolist() == counts.index[in_test].tolist()
    # And one set is what the training counts leave out.
    rest = counts[~in_test].sum().to_numpy()
    train = printed["table1"].set_index("category").loc[counts.columns, "s9_train"].to_numpy()
    [unused] = subsets_with_sum(counts[~in_test].to_numpy(), rest - train)
    assert set(counts.index[~in_test][unused]) <= set(analysis.UNUSED)


def test_printed_numbers_fit_each_other(analysis, printed):
    found = analysis.arithmetic(printed)
    # 1393 + 670 + 980, and the sums of the train and test columns.
    assert found["table1.bc.train_total"] == 3043
    assert [found[f"table3.{who}.n_train"] for who in ("dh", "s9", "vk")] == [3585, 1753, 3500]
    assert (found["table3.mix.n_train"], found["table3.n_test"]) == (8838, 4179)
    # (69 * 2289 + 64 * 528 + 52 * 1362) / 4179
    assert found["table2.dh.mixed.arithmetic"] == pytest.approx(262557 / 4179, rel=1e-12)
    assert found["voting.n_more_precise"] == 4


def test_the_coverage_of_the_vote_follows_from_tables_1_3_and_4(analysis, printed):
    found = analysis.implied_coverage(printed).set_index("classifier")
    assert 54 < found.loc["voting", "least"] < found.loc["voting", "most"] < 65
    # A classifier that always answers must be able to.
    assert (found.drop("voting")["most"] > 99.99).all()


@pytest.fixture(scope="module")
def corpus():
    return {name: datasets.load(name, mode="simulated") for name in RECORD["datasets"]}


@pytest.fixture(scope="module")
def acts(corpus):
    return ami.in_order(corpus["ami_dialogue_acts"])


def test_definitions_are_counted_by_annotator_and_category(analysis, acts, printed):
    table, chosen = analysis.definitions(acts, printed["table1"])
    found = table.set_index("definition")
    # The simulator makes exactly the printed number of utterances begin with a capital Yeah.
    assert found.loc["first token Yeah, capital", "absolute difference"] == 0
    assert found.loc["first token yeah, no capital", "utterances"] == 0
    assert not acts.loc[chosen, "meeting"].isin(analysis.UNUSED).any()
    assert found.loc["printed in Table 1", "utterances"] == 13017


@pytest.fixture(scope="module")
def yeah(analysis):
    """Made-up utterances of 20 meetings: annotators call the same feature differently."""
    rng = np.random.default_rng(2)
    meeting = np.repeat([f"ES20{n:02d}a" for n in range(2, 22)], 60)
    annotator = np.repeat(rng.permutation(["dh"] * 8 + ["s9"] * 6 + ["vk"] * 6), 60)
    truth = rng.integers(4, size=meeting.size)
    category = np.where((annotator == "vk") & (truth == 0), 3, truth)
    features = sp.csr_matrix(np.eye(4)[truth] + 0.2 * rng.random((meeting.size, 4)))
    return analysis.Yeah(features, category, annotator, meeting, (4,))


def test_precision_counts_answers_and_recall_items(analysis, yeah):
    test = np.isin(yeah.group, ["ES2004", "ES2011", "ES2014", "ES2017", "ES2020"])
    found = analysis.ratios(yeah, ~test, test)
    top, bottom = found["table4.bc.voting"]
    assert (bottom >= top).all()
    answers = sum(found[f"table4.{code}.voting"][1] for code in analysis.CODES)
    assert (answers == found["voting.coverage"][0]).all()
    right = sum(found[f"table4.{code}.voting"][0] for code in analysis.CODES)
    assert (right == found["table3.voting.accuracy"][0]).all()
    values = analysis.summary(found)
    # VK never says backchannel, so the three can't agree on one, and its precision is 0.
    assert values["table4.bc.voting"] == values["table4.bc.vk"] == 0
    assert values["table2.dh.dh"] > 95
    assert values["table2.dh.vk"] < 85


def test_annotators_that_differ_are_found_and_equal_ones_are_not(analysis, yeah, monkeypatch):
    monkeypatch.setattr(analysis, "N_RETRAINED", 19)
    monkeypatch.setattr(analysis, "N_PERMUTED", 199)
    monkeypatch.setattr(analysis, "TEST_GROUPS", tuple(sorted(set(yeah.group))[::3]))
    rng = np.random.default_rng(0)
    tests, _, tendency = analysis.difference_tests(yeah, rng)
    by_name = tests.set_index("statistic")["p_value"]
    assert by_name["own advantage"] == 1 / 20
    assert by_name["departure"] <= 0.01
    vk = tendency[tendency["annotator"] == "VK"].set_index("category")
    assert vk.loc["other", "lower"] > 0
    alike = analysis.Yeah(
        yeah.features, yeah.features.toarray().argmax(axis=1), yeah.annotator, yeah.meeting, (4,)
    )
    tests, _, _ = analysis.difference_tests(alike, rng)
    assert tests.set_index("statistic").loc["own advantage", "observed"] == pytest.approx(0, abs=3)


def test_contexts_are_scored_by_hand(analysis):
    answer, gold = np.array([0, 1, 2, 0, 3, 0]), np.array([0, 1, 1, 2, 3, 0])
    focus = np.array([True, True, True, False, False, False])
    every, seen, unseen = analysis.context_scores(answer, gold, focus)
    assert every["accuracy"] == pytest.approx(100 * 4 / 6)
    assert (seen["accuracy"], unseen["accuracy"]) == (
        pytest.approx(200 / 3),
        pytest.approx(200 / 3),
    )
    assert every["found as one"] == 75
    assert every["right one among found"] == pytest.approx(200 / 3)
    assert seen["recall of all"] == pytest.approx(100 * 2 / 6)
    assert analysis.percent(np.array([], dtype=bool)) == 0


def test_the_addressee_is_counted_round_the_table(analysis, corpus, acts):
    rows = analysis.addressed(acts, corpus["ami_focus"])
    assert set(rows["context"]) == {"focus", "no_focus", "unknown"}
    own = rows[rows["real"] & (rows["kind"] == "one") & (rows["context"] != "unknown")]
    data = analysis.Addressing.of(rows)
    assert (data.gold > 0).sum() == len(own)
    assert set(data.gold) == {0, 1, 2, 3}
    assert data.bins.max() < 5
    assert data.bins.shape[0] == data.numbers.shape[0] == data.gold.size
