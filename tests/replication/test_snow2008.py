"""Snow et al. (2008): readings that give the printed values, and slips that they show."""

import tarfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from annobench import datasets
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published
from annobench_replication.study import Study


@pytest.fixture(scope="module")
def study(paper, mirror):
    data = {
        id: datasets.load(id, mode="real", mirror=mirror, network=False)
        for id in paper.record.datasets
    }
    texts = {path.stem: path.read_text() for path in paper.record.printed_tables}
    return Study(data, texts)


@pytest.fixture(scope="module")
def kinds(analysis, study):
    return analysis.affect.read(study)


@pytest.fixture(scope="module")
def printed(paper):
    return read_published(paper.folder / "published.csv").set_index("target")["value"]


def test_both_copies_of_the_eleven_tables_are_the_same_byte_for_byte(mirror):
    copy = Path(mirror) / "snow2008" / "all_collected_data"
    seen = []
    with tarfile.open(
        Path(mirror) / "snow2008_authors" / "unified/all_standardized.tgz"
    ) as archive:
        for member in archive:
            own = copy / Path(member.name).name
            if member.isfile() and own.exists():
                assert archive.extractfile(member).read() == own.read_bytes(), member.name
                seen.append(own.name)
    assert sorted(seen) == sorted(path.name for path in copy.iterdir())
    assert len(seen) == 11


def test_every_item_has_ten_labels_by_ten_annotators(analysis, study):
    for id in analysis.numeric.LABELLED:
        labels = study.data(id).labels
        assert set(labels.groupby("item").size()) == {10}, id
        assert not labels.duplicated(["item", "annotator"]).any(), id


def test_the_gold_standard_of_word_similarity_is_miller_and_charles(study, mirror):
    lines = (Path(mirror) / "snow2008_authors" / "wordsim/mc.csv").read_text().splitlines()[1:]
    scores = {frozenset(row.split(",")[:2]): float(row.split(",")[2]) for row in lines}
    items = study.data("snow2008_wordsim").items
    assert {frozenset(item.split()) for item in items["item"]} == set(scores)
    for item, gold in zip(items["item"], items["gold"], strict=True):
        assert gold == scores[frozenset(item.split())]


def test_a_non_expert_is_one_annotator_in_each_form(kinds):
    affect = kinds["anger"]
    for form in np.unique(affect.form):
        own = affect.annotators[:, affect.form == form]
        assert own.shape == (10, 20)
        assert (own == own[:, :1]).all()


def test_table_1_by_single_correlations(kinds, printed):
    affect = kinds["fear"]
    others = [
        np.mean([row for j, row in enumerate(affect.experts) if j != i], axis=0) for i in range(6)
    ]
    e_e = np.mean([stats.pearsonr(a, b)[0] for a, b in zip(affect.experts, others, strict=True)])
    assert agrees(printed["table1.fear.e_e"], "eq", e_e, e_e)
    pairs = [stats.pearsonr(a, b)[0] for a in affect.answers for b in others]
    assert agrees(printed["table1.fear.ne_e"], "eq", np.mean(pairs), np.mean(pairs))
    ten = np.mean([stats.pearsonr(affect.answers.mean(axis=0), b)[0] for b in others])
    assert agrees(printed["table2.fear.ne10"], "eq", ten, ten)


def test_semeval_scores_in_the_pool_give_the_last_column_and_released_labels_do_not(
    analysis, kinds, printed
):
    gives = {"ne_all": 0, "ne_all_released": 0}
    for kind, each in kinds.items():
        found = analysis.affect.correlations(each, 1, "quick")
        for column in gives:
            value = float(getattr(found, column)[0])
            gives[column] += agrees(printed[f"table1.{kind}.ne_all"], "eq", value, value)
    assert gives == {"ne_all": 7, "ne_all_released": 4}


def test_semeval_scores_are_means_of_labels_stretched_to_a_hundred(analysis, kinds):
    table = analysis.affect.scores_of_semeval(kinds).set_index("kind")
    assert (table["stretched_equal"] == 100).all()
    assert (table["released_equal"] < 90).all()


def test_the_correlation_printed_for_five_is_that_of_six(kinds, printed):
    affect = kinds["valence"]
    six = [
        stats.pearsonr(affect.answers[list(subset)].mean(axis=0), other)[0]
        for subset in combinations(range(10), 6)
        for other in affect.others
    ]
    value = float(np.mean(six))
    assert agrees(printed["table2.valence.k_ne"], "eq", value, value)


def test_the_exchanged_averages_follow_from_the_printed_cells(analysis, printed):
    kinds = analysis.affect.KINDS
    e_e = [float(printed[f"table1.{kind}.e_e"]) for kind in kinds]
    e_all = [float(printed[f"table1.{kind}.e_all"]) for kind in kinds]
    assert round(np.mean(e_all[:6]), 3) == float(printed["table1.avg_all.e_e"])
    assert np.mean(e_e) == pytest.approx(float(printed["table1.avg_emo.e_all"]), abs=0.001)


def test_the_example_of_footnote_6_is_another(study, analysis):
    votes = analysis.votes.read(study.data("snow2008_wsd"))
    [wrong] = np.flatnonzero(votes.counts.argmax(axis=1) != votes.gold)
    assert votes.names[wrong] == "2:0@21@wsj/22/wsj_2278@wsj@en@on"
    assert votes.counts[wrong].tolist() == [1, 9, 0]
    named = list(votes.names).index("24:0@24@wsj/23/wsj_2381@wsj@en@on")
    assert votes.counts[named].tolist() == [10, 0, 0]
    assert votes.gold[named] == 0


def test_the_quoted_labels_are_those_of_one_annotator(study, analysis, printed):
    found = analysis.affect.quoted(study)
    assert all(float(printed[target]) == value for target, value in found.items())
    rows = [study.data(id).labels.query("item == '594'").iloc[3] for id in analysis.affect.CROWD]
    assert len({row["annotator"] for row in rows}) == 1


def test_calibrated_votes_are_those_of_bayes_rule(study, analysis):
    """Recompute one run item by item."""
    votes = analysis.votes.read(study.data("snow2008_temp"))
    rng = np.random.default_rng(5)
    found, plain = analysis.votes.calibrated(votes, 3, 20, 1.0, rng)
    rng = np.random.default_rng(5)
    annotator, label = analysis.votes.sample(votes, 3, rng)
    fold = rng.permutation(votes.gold.size) % 20
    for i in range(0, votes.gold.size, 50):
        log_odds = 0.0
        for j, given in zip(annotator[i], label[i], strict=True):
            known = (annotator == j) & (fold != fold[i])[:, None]
            row, _ = np.nonzero(known)
            chance = [
                (1 + (label[known][votes.gold[row] == c] == given).sum())
                / (2 + (votes.gold[row] == c).sum())
                for c in (0, 1)
            ]
            log_odds += np.log(chance[1] / chance[0])
        right = 0.5 if abs(log_odds) < 1e-9 else float((log_odds > 0) == votes.gold[i])
        assert found[i] == pytest.approx(right)
        assert plain[i] == float((label[i] == votes.gold[i]).sum() >= 2)


def test_scores_of_headlines_are_means_of_the_weights_of_known_words(analysis):
    training = analysis.training
    weight, used = training.scorer(["a b", "b c c"], ["b x a", "x", "c c b"], training.Reading())
    labels = np.array([10.0, 40.0])
    # a: 10, b: 25, c: 40.
    assert (labels @ weight).tolist() == pytest.approx([(25 + 10) / 2, 0, (40 + 40 + 25) / 3])
    assert used.all()
    left_out = training.Reading(unknown="left out")
    assert training.scorer(["a b", "b c c"], ["b x a", "x", "c c b"], left_out)[1].tolist() == [
        *(True, False, True)
    ]
    mean = training.Reading(unknown="mean score")
    weight, _ = training.scorer(["a b", "b c c"], ["x"], mean)
    assert (labels @ weight).tolist() == pytest.approx([25])


def test_no_reading_of_section_6_gives_the_experts(analysis, study, kinds, printed):
    train = analysis.training.headlines(study, kinds["anger"].items, None)
    test = analysis.training.headlines(study, kinds["anger"].test_items, None)
    table = analysis.training.table_of_readings(kinds, train, test)
    for kind in ("anger", "fear", "valence"):
        own = table[table["kind"] == kind]
        assert (own["expert"] > float(printed[f"table4.{kind}.expert"]) + 0.05).all()
    better = table["one"] > table["expert"]
    assert better.groupby(table["reading"]).sum().max() < float(printed["training.n_better"])
