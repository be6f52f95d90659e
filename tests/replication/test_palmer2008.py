"""Palmer and Brown (2008): what the analysis does to a few words, real and simulated."""

import importlib
import json

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.datasets.base import LoadedData
from annobench.labels.merging import parents
from annobench_datasets.masc_crowd import WORDS, by_word, draw_with_alpha

FEW = ("ask-v", "date-n", "help-v", "normal-j")


def few(data: LoadedData) -> LoadedData:
    """Keep a few words."""
    tables = [
        table[table["item"].str.split("/").str[0].isin(FEW)].reset_index(drop=True)
        for table in (data.labels, data.items)
    ]
    return LoadedData(data.id, *tables, data.meta)


def small_crowd() -> LoadedData:
    """Simulate 12 annotators of 150 sentences of each word, with the word's shares and alpha."""
    rng, parts = np.random.default_rng(3), []
    item, annotator = np.divmod(np.arange(150 * 12), 12)
    for word in FEW:
        known = WORDS[word]
        label = draw_with_alpha(rng, np.array(known.counts), known.alpha, item, annotator)
        parts.append(
            pd.DataFrame(
                {
                    "item": [f"{word}/{n}" for n in item],
                    "word": word,
                    "annotator": annotator.astype(str),
                    "label": label.astype(str),
                }
            )
        )
    labels = pd.concat(parts, ignore_index=True)
    items = labels[["item", "word"]].drop_duplicates(ignore_index=True)
    return LoadedData("masc_crowd", labels, items, {"provenance": "simulated"})


def run(paper, folder, crowd, senses):
    data = {"masc_crowd": few(crowd), "masc_crowd_senses": few(senses)}
    return paper.run(paper.study(data), folder, seed=5)


@pytest.fixture(scope="module")
def simulated(paper, tmp_path_factory):
    senses = datasets.load("masc_crowd_senses", mode="simulated")
    return run(paper, tmp_path_factory.mktemp("palmer"), small_crowd(), senses)


def test_a_paper_without_a_number_has_an_empty_comparison(paper, simulated):
    assert paper.compared(simulated).empty


def test_without_wordnet_the_page_says_so_and_relations_are_unknown(simulated):
    captions = json.loads((simulated / "captions.json").read_text())
    assert "WordNet's files were not available" in captions["relations"]["caption"]
    table = pd.read_csv(simulated / "tables" / "relations.csv").set_index("relation")
    assert (table.loc[["share a hypernym", "one verb group"], "related_pairs"] == 0).all()
    assert table.loc["same lexicographer's file", "related_pairs"] > 0


def test_simulated_annotators_who_guess_confuse_no_senses_in_particular(simulated):
    # They know the category or guess, so any two senses are as far apart as their shares allow,
    # and the path merges at little gain: on real labels even the lower limit is above 0.1.
    words = pd.read_csv(simulated / "tables" / "words.csv").set_index("word")
    assert words.loc["date-n", "gain_upper"] < 0.1


@pytest.fixture(scope="module")
def real(paper, mirror, tmp_path_factory):
    crowd, senses = (
        datasets.load(name, mode="real", mirror=mirror, network=False)
        for name in ("masc_crowd", "masc_crowd_senses")
    )
    return run(paper, tmp_path_factory.mktemp("palmer"), crowd, senses)


@pytest.mark.slow
def test_merges_that_labels_support_raise_agreement_beyond_random_ones(real):
    words = pd.read_csv(real / "tables" / "words.csv").set_index("word")
    assert (words.loc[["ask-v", "date-n", "help-v"], "gain_lower"] > 0.1).all()
    assert (words["alpha"] > words["random_alpha"]).all()
    # Collapsing the labels along the hierarchy gives the alpha that sums over blocks give.
    np.testing.assert_allclose(words["alpha"], words["refitted_alpha"], rtol=1e-10)
    held = pd.read_csv(real / "tables" / "summary.csv").set_index(["way", "measure", "quantity"])
    assert held.loc[("same, on held-out items", "alpha", "beyond random"), "lower"] > 0
    # A label never tells more of a coarser sense in bits.
    assert (words["bits"] <= words["bits_before"] + 1e-12).all()


def test_the_labels_of_ask_support_merges_that_raise_agreement(analysis, mirror):
    crowd, senses = (
        datasets.load(name, mode="real", mirror=mirror, network=False)
        for name in ("masc_crowd", "masc_crowd_senses")
    )
    of_word = senses.items[senses.items["word"] == "ask-v"]
    labels = crowd.labels[crowd.labels["word"] == "ask-v"]
    items = crowd.items[crowd.items["word"] == "ask-v"].reset_index(drop=True)
    ask = by_word(LoadedData("masc_crowd", labels, items, crowd.meta))["ask-v"]
    rng = np.random.default_rng(5)
    found = analysis.words.study_word(
        "ask-v", ask, of_word, None, analysis.REPETITIONS["quick"], rng
    )
    [row] = [row for row in found.rows if row["way"] == "labels"]
    assert row["groups"] < row["senses"]
    assert row["gain_lower"] > 0.1
    assert row["alpha"] > row["random_alpha_upper"]
    # "Make a request to somebody" and "consider obligatory": 116 to 188 labels, of 25 at most.
    pair = found.pairs.set_index(["first", "second"]).loc[("1", "3")]
    assert pair["verdict"] == "merge"
    assert pair["lower"] > 80


@pytest.mark.slow
def test_senses_are_told_apart_or_not_as_far_as_they_were_chosen(real):
    pairs = pd.read_csv(real / "tables" / "pairs.csv", dtype={"first": str, "second": str})
    verdict = pairs.set_index(["word", "first", "second"])
    # "Make a request to somebody" and "consider obligatory": 116 to 188 labels.
    row = verdict.loc[("ask-v", "1", "3")]
    assert row["verdict"] == "merge"
    assert row["lower"] > 80
    # "Forming a right angle" was chosen 16 times in 24,250, though the model makes use of it.
    assert verdict.loc[("normal-j", "2", "4"), "verdict"] == "sparse"


def test_relations_need_no_wordnet_where_the_inventory_has_them(analysis):
    ask = "make a request"
    first = pd.Series(
        {
            "sense_key": "ask%2:32:04::",
            "synonyms": "ask#4 (ask%2:32:04::), inquire#1 (inquire%2:32:01::)",
            "definition": ask,
        }
    )
    second = pd.Series(
        {
            "sense_key": "ask%2:32:05::",
            "synonyms": "ask#3 (ask%2:32:05::), inquire#2 (inquire%2:32:00::)",
            "definition": ask,
        }
    )
    senses = importlib.import_module(".senses", analysis.__package__)
    found = senses.relations(first, second, None, {})
    assert found["same file"] == found["synonyms"] == found["close"] == 1
    assert np.isnan(found["hypernym"])


def test_groups_are_named_as_the_hierarchy_names_them():
    labels = by_word(small_crowd())["normal-j"]
    coarse = labels.recode(parents([0, 1, 1, 0, 4], labels.categories))
    assert coarse.categories == ("1+4", "2+3", "0")
