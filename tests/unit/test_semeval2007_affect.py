"""SemEval-2007 Affective Text: malformed files are refused, and simulated annotators correlate."""

import re
import zlib

import numpy as np
import pytest
import scipy.stats

from annobench import datasets
from annobench.core.errors import ReaderError

#: Correlation of an annotator with the mean of the other five, averaged over the annotators:
#: a fact of the published files.
CORRELATIONS = {
    "anger": 0.494,
    "disgust": 0.435,
    "fear": 0.634,
    "joy": 0.596,
    "sadness": 0.679,
    "surprise": 0.353,
    "valence": 0.781,
}


def correlation(tables):
    wide = tables.labels.pivot_table(index="item", columns="annotator", values="label")
    return np.mean([wide[name].corr(wide.drop(columns=name).mean(axis=1)) for name in wide])


@pytest.mark.parametrize("name", CORRELATIONS)
def test_correlations_are_facts_of_the_real_labels(name, mirror):
    real = datasets.load(f"semeval2007_{name}", mode="real", mirror=mirror, network=False)
    assert correlation(real) == pytest.approx(CORRELATIONS[name], abs=6e-4)


@pytest.mark.parametrize("name", CORRELATIONS)
def test_simulated_annotators_correlate_as_the_real_ones_do(name):
    dataset = datasets.get(f"semeval2007_{name}")
    seeds = ([seed, zlib.crc32(dataset.id.encode())] for seed in range(24))
    found = [correlation(dataset.simulate(np.random.default_rng(seed), {})) for seed in seeds]
    # The mean of 24 simulations goes beyond this bound once in 10,000 times.
    bound = scipy.stats.t.isf(0.5e-4, df=23)
    assert abs(scipy.stats.ttest_1samp(found, CORRELATIONS[name]).statistic) < bound


def test_the_headlines_are_those_of_the_labels(mirror):
    items = datasets.load("semeval2007_joy", mode="real", mirror=mirror, network=False).items
    assert items.set_index("item").loc["502", "text"] == "Sights and sounds from CES"
    assert items["gold"].isna().all()


HEADLINES = (
    '<corpus><instance id="1">One &amp; all</instance><instance id="2">Two</instance></corpus>'
)
GOOD = "1 0 0 0 15 0 0 33\n2 0 0 0 0 0 0 -4\n"


@pytest.fixture
def parse(tmp_path):
    dataset = datasets.get("semeval2007_joy")

    def run(labels=GOOD, texts=HEADLINES):
        """Parse six files, the first of them the given one."""
        files = {file.path: tmp_path / file.path.replace("/", "-") for file in dataset.files}
        for path in files.values():
            path.write_text(texts if path.suffix == ".xml" else GOOD)
        next(iter(files.values())).write_text(labels)
        return dataset.parse(files)

    return run


def test_a_file_is_parsed(parse):
    tables = parse()
    assert tables.labels["label"].tolist() == [15.0, 0.0] * 6
    assert tables.items["text"].tolist() == ["One & all", "Two"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("1 0 0 0 15 0 0\n2 0 0 0 0 0 0 0\n", "line 1: 7 fields where 8 are needed"),
        (GOOD + "2 0 0 0 0 0 0 0\n", "line 3: headline '2' stands there twice"),
        (GOOD + "7 0 0 0 0 0 0 0\n", "line 3: no text for headline '7'"),
        ("1 0 0 0 15 0 0 33\n", "headline '2' is missing"),
        (GOOD.replace("15", "much"), "line 1: joy 'much' is not a number"),
        (GOOD.replace("15", "101"), "line 1: joy 101 is not in [0, 100]"),
        ("", "headline '1' is missing"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(parse, labels, message):
    with pytest.raises(ReaderError, match=rf"(?s)F1\.txt:.*{re.escape(message)}"):
        parse(labels)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("<corpus>", "not XML"),
        ("<!DOCTYPE corpus><corpus/>", "declares a document type"),
        ("<corpus><instance>One</instance></corpus>", "it needs an id and a text"),
    ],
)
def test_malformed_texts_are_errors(parse, texts, message):
    with pytest.raises(ReaderError, match=message):
        parse(texts=texts)
