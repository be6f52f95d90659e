"""A consensus of fewer labels than parameters says so, and lists the labels it overrules."""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from partitioning import AtOnce, partitioned
from typer.testing import CliRunner

import annobench as ab
from annobench import Annotations, models
from annobench.aggregation.consensus import consensus
from annobench.aggregation.partitioned import consensus_partitions
from annobench.cli import app
from annobench.models.base import _sizes
from annobench.reporting import consensus_page
from annobench.simulation import panels

#: 17 labels; the confusion matrices of three annotators of three categories have 18 free entries.
ROWS = [
    ["pos", "pos", "neu"],
    ["neu", "neg", "neu"],
    ["pos", "pos", "pos"],
    ["pos", "neu", "pos"],
    ["neg", "pos", "neu"],
    ["neu", "neg", None],
]
SAID = r"fewer labels \(17\) than free parameters of the model \(20\)"


@pytest.fixture
def few():
    return Annotations.from_wide(ROWS, categories=["neg", "neu", "pos"])


@pytest.fixture
def enough():
    made = panels.binary(
        n_items=200,
        n_annotators=5,
        prevalence=0.5,
        sensitivity=(90, 10),
        specificity=(90, 10),
        missing=0,
        rng=np.random.default_rng(3),
    )
    return made.annotations


def test_too_few_labels_are_a_caution(few):
    found = consensus(few, model="dawid_skene", rng=1, replicates=0)
    assert found.items["probability"][0] == pytest.approx(0.99, abs=5e-4)
    [said] = [text for text in found.remarks if "free parameters" in text]
    assert "(17)" in said
    assert "(20)" in said
    assert said in found.fitted.cautions(few)
    assert found.fitted.has_few_labels(few)


def test_enough_labels_are_none(few, enough):
    found = consensus(enough, model="dawid_skene", rng=1, replicates=0)
    assert not any("free parameters" in text for text in found.remarks)
    assert not found.fitted.has_few_labels(enough)
    # The same labels suffice for a model of few parameters.
    assert not models.fit(few, "voting").has_few_labels(few)
    assert not models.fit(few, "one_coin").has_few_labels(few)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("voting", 0),
        ("weighted_voting", 3),
        ("one_coin", 3 + 2),
        ("zencrowd", 3),
        ("mace", 3 * 3),
        ("glad", 3 + 6),
        ("dawid_skene", 3 * 6 + 2),
        ("fast_dawid_skene", 3 * 6 + 2),
        ("ibcc", 3 * 6 + 2),
    ],
)
def test_parameters_are_counted(few, name, number):
    # An annotator without labels has none.
    idle = Annotations.from_wide([[*row, None] for row in ROWS], categories=["neg", "neu", "pos"])
    for labels in (few, idle):
        fitted = models.fit(labels, name, rng=1)
        assert fitted.count_parameters(*_sizes(labels)[1:]) == number
        assert fitted.few_labels(number - 1, 3, 6)
        assert not fitted.few_labels(number, 3, 6)
        assert fitted.has_few_labels(labels) == (number > labels.n_labels)


def test_items_whose_majority_is_overruled_are_listed(few):
    found = consensus(few, model="dawid_skene", rng=1, replicates=0)
    named = found.overruled
    assert "0" in named["item"].tolist()
    for row in found.items.to_dict("records"):
        votes = {name: row[f"votes_{name}"] for name in few.categories}
        most = [name for name in votes if votes[name] == max(votes.values())]
        is_overruled = len(most) == 1 and row["category"] != most[0]
        assert row["overruled"] == is_overruled == (row["item"] in named["item"].tolist())
    assert not len(consensus(few, model="voting").overruled)


def test_a_known_category_overrules_nobody():
    labels = Annotations.from_wide(ROWS, categories=["neg", "neu", "pos"])
    found = consensus(
        labels, model="dawid_skene", rng=1, replicates=0, gold={"0": "neu", "2": "pos"}
    )
    assert "0" not in found.overruled["item"].tolist()


def test_the_page_says_so(few, enough):
    found = consensus(few, model="dawid_skene", rng=1, replicates=0)
    page = consensus_page.render(found, few, source="few.csv")
    assert "free parameters" in page
    assert "Items whose majority was overruled" in page
    assert "No item is in doubt" not in page
    sure = consensus(enough, model="dawid_skene", rng=1, replicates=0)
    page = consensus_page.render(sure, enough, source="enough.csv")
    assert "free parameters" not in page
    assert ("Items whose majority was overruled" in page) == bool(len(sure.overruled))


@pytest.mark.parametrize("kind", ["few", "enough"])
def test_the_terminal_says_so(tmp_path, request, kind):
    path = tmp_path / "labels.csv"
    ab.write_labels(request.getfixturevalue(kind), path)
    done = CliRunner().invoke(
        app, ["consensus", str(path), "--model", "dawid_skene", "--replicates", "0"]
    )
    assert done.exit_code == 0, done.output
    output = " ".join(done.output.split())
    assert ("than free parameters" in output) == (kind == "few")
    if kind == "few":
        assert "the model disagrees with the majority" in output
        assert "'0' (2 'pos', 1 'neu'; category 'neu', 0.990)" in output


@pytest.mark.parametrize(("model", "said"), [("dawid_skene", [SAID]), ("one_coin", [])])
def test_a_fit_of_partitions_says_so(few, tmp_path, monkeypatch, model, said):
    labels = partitioned(few, tmp_path / "labels", 2)
    at_once = contextmanager(lambda scheduler, say: (yield AtOnce()))
    monkeypatch.setattr("annobench.scale._sources.open_workers", at_once)
    found = consensus_partitions(labels, tmp_path / "out", model=model)
    assert all(re.search(*pair) for pair in zip(said, found.remarks, strict=True))
