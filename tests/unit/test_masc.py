"""The word-sense labels of MASC: the crowd's by word, and the trained annotators'."""

import functools

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.labels.annotations import Annotations
from annobench_datasets import masc_crowd, masc_trained
from annobench_datasets.masc_crowd import WORDS, by_word

#: Alphas that the release itself states for its samples.
RELEASED = {
    "2.1/fair-j": 0.355,
    "2.1/know-v": 0.041,
    "2.1/time-n": 0.417,
    "2.2/fair-j.5ann": 0.541,
    "2.2/know-v.5ann": 0.377,
    "2.2/land-n.6ann": 0.493,
    "2.2/long-j.6ann": 0.669,
    "2.2/quiet-j.6ann": 0.493,
    "2.2/say-v.6ann": 0.377,
    "2.2/show-v.5ann": 0.456,
    "2.2/tell-v.5ann": 0.453,
    "2.2/tell-v.6ann": 0.459,
    "2.2/time-n.5ann": 0.683,
    "2.2/work-n.5ann": 0.624,
    "3/rip-v": 0.477,
    "4/success-n": 0.403,
}


@functools.cache
def crowd(mirror):
    return datasets.load("masc_crowd", mode="real", mirror=mirror, network=False)


def alpha(annotations: Annotations) -> float:
    return krippendorff_alpha(annotations).estimate


def simulated(id: str, seed: int = 1) -> datasets.LoadedData:
    return datasets.load(id, mode="simulated", seed=seed)


def test_the_table_of_words_states_the_labels_of_each_word(mirror):
    words = by_word(crowd(mirror))
    assert list(words) == list(WORDS)
    for word, annotations in words.items():
        known = WORDS[word]
        assert (annotations.n_items, annotations.n_annotators) == (
            known.n_items,
            known.n_annotators,
        )
        counts = dict(zip(annotations.categories, annotations.counts.sum(axis=0), strict=True))
        assert [counts[str(label)] for label in range(len(known.counts))] == list(known.counts)
        assert alpha(annotations) == pytest.approx(known.alpha, abs=6e-4)


def test_codes_of_a_word_are_those_of_the_file(mirror):
    path = mirror / "masc_crowd/data/amt-sense-mt-2013/munged/number-n.tsv"
    rows = pd.read_csv(path, sep="\t")
    number = by_word(crowd(mirror))["number-n"]
    assert number.categories == (*map(str, range(1, 12)), "0")
    assert np.array_equal(number.item, rows["item"] - 1)
    assert np.array_equal(number.annotator, rows["annotator"] - 1)
    assert np.array_equal(number.label, rows["rating"] - 1)


def test_a_sense_that_nobody_chose_keeps_its_code(mirror):
    fair = by_word(crowd(mirror))["fair-j"]
    assert fair.categories == (*map(str, range(1, 11)), "0")
    assert fair.counts.sum(axis=0)[3] == 0


def test_annotators_are_the_same_in_all_words(mirror):
    labels = crowd(mirror).labels
    assert labels["annotator"].nunique() == 228
    # The map of `help-v` gives its annotator 8 the common number 98.
    assert by_word(crowd(mirror))["help-v"].annotators[7] == "98"


def test_items_say_which_sentence_of_which_form_they_are(mirror):
    items = crowd(mirror).items.set_index("item")
    assert items.loc["add-v/1", ["word", "form", "sentence"]].tolist() == ["add-v", 10, 1]
    offered = crowd(mirror).items.groupby("word")["senses_offered"].first()
    assert offered[["add-v", "number-n", "work-n"]].tolist() == [6, 12, 7]
    made = simulated("masc_crowd").items.groupby("word")["senses_offered"].first()
    assert made.equals(offered)
    assert not crowd(mirror).items.duplicated(["word", "form", "sentence"]).any()


def test_every_simulated_word_has_the_published_shares_and_alpha():
    words = by_word(simulated("masc_crowd"))
    for word, annotations in words.items():
        known = WORDS[word]
        assert (annotations.n_items, annotations.n_annotators) == (
            known.n_items,
            known.n_annotators,
        )
        assert annotations.n_labels == known.n_labels
        share = np.bincount(annotations.label, minlength=annotations.n_categories)
        expected = np.roll(known.counts, -1)[: annotations.n_categories] / known.n_labels
        # The category of an item colours all its labels: at worst I items are drawn. Five
        # standard errors are passed once in two million times; there are 440 shares.
        error = np.sqrt(expected * (1 - expected) / known.n_items)
        assert (abs(share / known.n_labels - expected) <= 5 * error + 0.002).all(), word
        # Alpha varies with the annotators drawn: deviation of the mean knowledge of J of
        # them, variance at most a quarter over 9, times the slope 2 of the square.
        assert (
            abs(alpha(annotations) - known.alpha)
            <= 5 * np.sqrt(known.alpha / 9 / annotations.n_annotators) + 0.05
        ), word


def test_alpha_is_the_square_of_the_mean_knowledge(rng):
    item, annotator = np.divmod(np.arange(40_000), 40)
    label = masc_crowd.draw_with_alpha(rng, np.array([5, 3, 2]), 0.36, item, annotator)
    found = alpha(Annotations.from_arrays(item, annotator, label))
    # Knowledge is beta with mean 0.6 and concentration 8: variance 0.24 / 9, over 40
    # annotators, times the square of the slope 2 * 0.6; sampling of 1,000 items adds little.
    assert abs(found - 0.36) <= 5 * 1.2 * np.sqrt(0.24 / 9 / 40)


@pytest.mark.parametrize("value", [-0.03, 0.0, 1.0])
def test_alphas_at_the_ends_can_be_simulated(rng, value):
    item, annotator = np.divmod(np.arange(2_000), 2)
    label = masc_crowd.draw_with_alpha(rng, np.array([1, 1]), value, item, annotator)
    assert alpha(Annotations.from_arrays(item, annotator, label)) == pytest.approx(
        max(value, 0), abs=5 / np.sqrt(1_000)
    )


def test_loads_meet_the_forms():
    for word in WORDS.values():
        n_forms = -(-word.n_items // 10)
        per_form = -(-word.n_labels // word.n_items)
        load = masc_crowd._loads(word, n_forms, per_form)
        assert load.sum() == n_forms * per_form
        assert load.min() >= 1
        assert load.max() <= n_forms


def test_the_samples_have_the_alphas_that_the_release_states(mirror):
    data = datasets.load("masc_trained_samples", mode="real", mirror=mirror, network=False)
    samples = by_word(data, column="sample")
    assert len(samples) == 44
    for sample, stated in RELEASED.items():
        assert alpha(samples[sample]) == pytest.approx(stated, abs=6e-4), sample
        assert masc_trained._SAMPLE_PARTS[sample].alpha == pytest.approx(stated, abs=6e-4)


def test_senses_of_the_full_sets_have_numbers(mirror):
    data = datasets.load("masc_trained_full", mode="real", mirror=mirror, network=False)
    # The README of the round lists fairish%5:00:00:moderate:00 as sense 2 of `fair`.
    first = data.labels[data.labels["item"] == "fair-j/1"]
    assert first.iloc[:2]["label"].tolist() == ["1", "1"]
    assert (data.items["word_end"] <= data.items["sentence_length"]).all()
    assert (data.items["word_start"] >= 0).all()
    words = by_word(data)
    assert words["long-j"].categories == (*map(str, range(1, 9)), "C", "G", "N", "P")
    assert alpha(words["long-j"]) == pytest.approx(0.674, abs=6e-4)


def test_a_data_set_without_words_is_not_split():
    data = datasets.load("caries", mode="simulated")
    with pytest.raises(ReaderError, match="caries: no column 'word'"):
        by_word(data)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Files of one word with two items and two annotators, and a function that parses them."""
    monkeypatch.setattr(masc_crowd, "WORDS", {"add-v": WORDS["add-v"]})
    content = {
        "add-v.tsv": "item\tannotator\trating\n1\t1\t2\n2\t1\t1\n1\t2\t3\n",
        "add-v.map-a": "amtId\tjj-add-v\n7\t1\n5\t2\n",
        "add-v.map-i": "amtForm,Sentend\tii-add-v\n10,1\t1\n10,2\t2\n",
    }

    def parse(id="masc_crowd", sentences=None, **changes):
        files = {}
        for name, text in content.items():
            path = tmp_path / name
            path.write_text(changes.get(name.replace("-", "_").replace(".", "_"), text))
            files[masc_crowd._FILES[name].path] = path
        path = tmp_path / "senses.tsv"
        rows = ["\t".join(masc_crowd._SENSE_COLUMNS), *["add-v\t1\td\te\tk\ts"] * 6]
        path.write_text(changes.get("senses", "\n".join(rows)))
        files[masc_crowd.SENSES.path] = path
        if sentences is not None:
            path = tmp_path / "sentences.tsv"
            path.write_text("\t".join(masc_crowd._TEXT_COLUMNS) + "\n" + sentences)
            files[masc_crowd.SENTENCES.path] = path
        return datasets.get(id).parse(files)

    return parse


def test_the_largest_code_of_a_word_is_none_of_the_above(tiny):
    labels = tiny().labels
    assert labels["label"].tolist() == ["2", "1", "0"]
    assert labels["annotator"].tolist() == ["7", "7", "5"]
    assert labels["item"].tolist() == ["add-v/1", "add-v/2", "add-v/1"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"add_v_tsv": "item\tannotator\trating\n1\t1\tx\n"}, "line 2: rating 'x' is not a whole"),
        ({"add_v_tsv": "item\tannotator\trating\n3\t1\t1\n"}, "line 2: item 3 is not one of the 2"),
        ({"add_v_tsv": "item\tannotator\trating\n1\t9\t1\n"}, "line 2: annotator 9 is not one"),
        ({"add_v_tsv": "item\tannotator\trating\n1\t1\t0\n"}, "line 2: rating 0 is below 1"),
        ({"add_v_tsv": "item\tannotator\trating\n1\t1\n"}, "line 2: 2 fields where 3"),
        ({"add_v_tsv": "item\tannotator\trating\n1\t1\t1\t1\n"}, "line 2: 4 fields where 3"),
        ({"add_v_tsv": "item\tannotator\trating\n"}, "no rows"),
        ({"add_v_tsv": "item\tannotator\n"}, "the header is"),
        ({"add_v_map_a": "amtId\tjj-add-v\n7\t2\n"}, "line 2: number 2 where 1 is due"),
        ({"add_v_map_i": "amtForm,Sentend\tii-add-v\n10\t1\n"}, "line 2: '10 1' is not form"),
        ({"senses": "\t".join(masc_crowd._SENSE_COLUMNS)}, "no senses of 'add-v'"),
        ({"add_v_map_i": "form\tii-add-v\n"}, "the header is not 'amtForm,Sentend"),
    ],
)
def test_malformed_files_of_a_word_are_errors(tiny, changes, message):
    with pytest.raises(ReaderError, match=message):
        tiny(**changes)


SENTENCE = "add-v\t10\t{}\tThey add up.\twritten/a.anc\t{}\t5\t8\tadd\n"


def test_sentences_are_joined_by_form_and_place(tiny):
    rows = SENTENCE.format(2, 40) + SENTENCE.format(1, -1)
    items = tiny("masc_crowd_text", rows).items
    assert items["text"].tolist() == ["They add up."] * 2
    assert items["sentence_start"].tolist() == [-1, 40]
    assert items[["word_start", "word_end"]].iloc[0].tolist() == [5, 8]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (SENTENCE.format(1, 0), "no sentence for item 'add-v/2'"),
        (SENTENCE.format(1, 0) * 2, "line 3: this sentence stands above"),
        (SENTENCE.format("x", 0), "line 2: SentenceId 'x' is not a whole number"),
    ],
)
def test_malformed_sentences_are_errors(tiny, rows, message):
    with pytest.raises(ReaderError, match=message):
        tiny("masc_crowd_text", rows)


def test_sentences_are_never_made_up(mirror):
    data = datasets.load("masc_crowd_text", mode="simulated", mirror=mirror)
    assert data.provenance == "real", "the labels are, since the mirror has them"
    assert data.meta["without"] == [masc_crowd.SENTENCES.path]
    assert data.items["text"].isna().all()
    assert len(data.labels) == 1084551
    assert data.labels["label"].iloc[:3].tolist() == ["6", "3", "1"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("101\t102\n1\n", "line 2: 1 answers where 2"),
        ("101\t102\n1\t44\n", "line 2: answer '44' is not a sense"),
        ("101\t102\n", "no rows"),
    ],
)
def test_malformed_samples_are_errors(tmp_path, content, message):
    path = tmp_path / "sample.txt"
    path.write_text(content)
    with pytest.raises(ReaderError, match=message):
        masc_trained._parse_sample("2.1/fair-j", path)


GRAF = '<graph xmlns="http://www.xces.org/ns/GrAF/1.0/">{}</graph>'
REGIONS = '<region xml:id="r0" anchors="10 40"/><region xml:id="r1" anchors="{}"/>'
NODE = (
    '<node xml:id="n0"><link targets="r1"/></node><a ref="n0"><fs><f name="annotation0"><fs>'
    '<f name="sense" value="{}"/><f name="annotator" value="ann101"/></fs></f></fs></a>'
)


def test_a_full_set_is_read_with_the_place_of_the_word(tmp_path):
    path = tmp_path / "fair-j-wn.xml"
    path.write_text(GRAF.format(REGIONS.format("12 16") + NODE.format("fair%1")))
    tables = masc_trained._parse_word("fair-j", path, {"fair%1": "1"})
    assert tables.labels.iloc[0].tolist() == ["fair-j/1", "101", "1", "fair-j"]
    columns = ["sentence_length", "word_start", "word_end"]
    assert tables.items.loc[0, columns].tolist() == [30, 2, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<graph", "not well-formed XML"),
        (GRAF.format(REGIONS.format("12 16") + NODE.format("fair%9")), "'fair%9' is not one of"),
        (GRAF.format(NODE.format("fair%1")), "of n0: no region"),
    ],
)
def test_malformed_full_sets_are_errors(tmp_path, content, message):
    path = tmp_path / "fair-j-wn.xml"
    path.write_text(content)
    with pytest.raises(ReaderError, match=message):
        masc_trained._parse_word("fair-j", path, {"fair%1": "1"})


def test_labels_of_a_word_are_of_its_items():
    items = pd.DataFrame({"item": ["i1", "i2", "i3"], "word": ["long-j", "fair-j", "fair-j"]})
    labels = pd.DataFrame(
        {"item": ["i3", "i1"], "annotator": "a", "label": "1", "word": ["fair-j", "long-j"]}
    )
    assert by_word(datasets.LoadedData("toy", labels, items, {}))["fair-j"].item.tolist() == [1]
    wrong = labels.assign(word="fair-j")
    said = "label of item 'i1' is of the word 'fair-j', but the item is of 'long-j'"
    with pytest.raises(ReaderError, match=said):
        by_word(datasets.LoadedData("toy", wrong, items, {}))
