"""Metaphor in discourse: what is read, what is refused, and what the simulators keep."""

import re

import numpy as np
import pytest
import scipy.stats

from annobench import datasets
from annobench.core.errors import ReaderError

RATING, DECISION = "metaphor_discourse_rating", "metaphor_discourse_binary"
HISTOGRAM = [168, 217, 158, 122, 78, 78, 67, 44, 37, 28, 3]


def marks(tables):
    met = tables.labels["label"] == "met"
    return met.groupby(tables.labels["item"]).sum()


def test_items_are_the_same_in_both_studies(mirror):
    rating, decision = (
        datasets.load(id, mode="real", mirror=mirror, network=False) for id in (RATING, DECISION)
    )
    assert set(rating.items["item"]) == set(decision.items["item"])
    both = decision.items.set_index("item")
    columns = ["text", "literal", "metaphorical", "original"]
    assert both[columns].equals(rating.items.set_index("item").loc[both.index, columns])
    assert both.groupby(["literal", "metaphorical"]).size().tolist() == [20] * 50
    assert (both["original"] == "met").sum() == 500
    assert both.loc["d2", "metaphorical"] == "story grab"
    assert both.loc["d2", "text"].startswith("This is a book of great depth")
    assert not both["text"].str.contains("\r").any()


def test_the_marks_of_items_are_those_of_the_simulator(mirror):
    real = datasets.load(DECISION, mode="real", mirror=mirror, network=False)
    assert np.bincount(marks(real)).tolist() == HISTOGRAM
    made = datasets.get(DECISION).simulate(np.random.default_rng(1), {})
    assert np.bincount(marks(made)).tolist() == HISTOGRAM


def test_simulated_ratings_keep_the_variance_between_items(mirror):
    def spread(tables):
        value = tables.labels["label"].astype(float)
        return value.groupby(tables.labels["item"]).mean().var()

    real = spread(datasets.load(RATING, mode="real", mirror=mirror, network=False))
    assert real == pytest.approx(0.2178, abs=6e-5)
    dataset = datasets.get(RATING)
    found = [spread(dataset.simulate(np.random.default_rng(seed), {})) for seed in range(12)]
    # The mean of 12 simulations goes beyond this bound once in 10,000 times.
    bound = scipy.stats.t.isf(0.5e-4, df=11)
    assert abs(scipy.stats.ttest_1samp(found, real).statistic) < bound


HEADER = {
    RATING: "WorkerId\tDiscourseId\tExpression.Lit\tExpression.Met\tOriginal.Expression\t"
    "Category.MetLit",
    DECISION: "WorkerId\tDiscourseId\tExpression.Lit\tExpression.Met\tOriginal.Expression\t"
    "Discourse.MetLit\tword1\tword2\tword3\tword4\tword5",
}
ROW = "w1\td1\tmake remark\tthrow remark\tmet\t"
TEXTS = "DiscourseId\tDiscourse\r\nd1\tSo it goes.\r\n"


@pytest.fixture
def parse(tmp_path):
    def parse(id, rows, texts=TEXTS):
        dataset = datasets.get(id)
        for file, content in zip(dataset.files, (HEADER[id] + "\r\n" + rows, texts), strict=True):
            (tmp_path / file.path.replace("/", "_")).write_bytes(content.encode())
        return dataset.parse(
            {file.path: tmp_path / file.path.replace("/", "_") for file in dataset.files}
        )

    return parse


def test_a_row_is_a_label(parse):
    tables = parse(RATING, ROW + "6\r\n")
    assert tables.labels.to_dict("records") == [{"item": "d1", "annotator": "w1", "label": "6"}]
    assert tables.items.loc[0, ["text", "literal", "original"]].tolist() == [
        "So it goes.",
        "make remark",
        "met",
    ]
    assert tables.items["gold"].isna().all()


@pytest.mark.parametrize(
    ("id", "rows", "texts", "message"),
    [
        (RATING, ROW + "7\r\n", TEXTS, "line 2: label '7' is not one of 1, 2, 3, 4, 5, 6"),
        (DECISION, ROW + "maybe\t\t\t\t\t\r\n", TEXTS, "line 2: label 'maybe' is not one of lit"),
        (RATING, ROW + "1\r\n" + ROW + "2\r\n", TEXTS, "line 3: annotator 'w1' has judged 'd1'"),
        (RATING, ROW.replace("d1", "d9") + "1\r\n", TEXTS, "line 2: no text for item 'd9'"),
        (RATING, ROW[2:] + "1\r\n", TEXTS, "line 2: no annotator"),
        (
            RATING,
            ROW + "1\r\n" + ROW.replace("w1", "w2").replace("throw", "lift") + "1\r\n",
            TEXTS,
            "line 3: item 'd1' has Expression.Met 'lift remark', but 'throw remark' above",
        ),
        (RATING, "w1\td1\r\n", TEXTS, "line 2: 2 fields where 6 are needed"),
        (RATING, ROW + "1\r\n", TEXTS + "d1\tAgain.\r\n", "line 3: item 'd1' stands there twice"),
        (RATING, ROW + "1\r\n", "id\ttext\r\n", "the header is"),
    ],
)
def test_malformed_files_are_errors(parse, id, rows, texts, message):
    with pytest.raises(ReaderError, match=re.escape(message)):
        parse(id, rows, texts)
