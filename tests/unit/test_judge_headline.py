"""What the judge's page leads with: no more than its intervals."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench.judges import assessment, rates
from annobench.labels.annotations import Annotations
from annobench.reporting import judge_page, judge_sentences
from annobench.reporting.formats import by_interval

KNOWS = {"ann": 0.9, "bob": 0.9, "hal": 0.2, "ivy": 0.2, "llm": 0.45}


def crowd(rng, n=300, knows=KNOWS):
    """Draw labels of annotators who know the category of a share of the items, or guess."""
    truth = rng.integers(0, 2, n)
    rows = []
    for name, share in knows.items():
        labels = np.where(rng.random(n) < share, truth, rng.integers(0, 2, n))
        rows += [(f"i{i}", name, "yes" if label else "no") for i, label in enumerate(labels)]
    table = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    gold = {f"i{i}": "yes" if label else "no" for i, label in enumerate(truth)}
    return Annotations.from_frame(table), gold


@pytest.fixture(scope="module")
def found():
    labels, _ = crowd(np.random.default_rng(1))
    return assessment.assess(labels, ["llm"], replicates=200, rng=1)


def test_a_judge_that_beats_humans_near_chance_is_not_praised_for_it(found):
    first, _, blind, test = judge_sentences.sentences(found)
    # It is right where it knows, and on half of the others: .725.
    row = found.summary_table.iloc[0]
    assert row["accuracy_lower"] < 0.725 < row["accuracy_upper"]
    assert row["human_labels_upper"] < 1
    assert first.startswith("llm: accuracy ")
    assert first.endswith("less than one.")
    assert "hal" in blind
    assert "ivy" in blind
    assert "ann" not in blind.replace("humans", "").replace("chance", "")
    assert "llm passes the alternative annotator test" in test
    assert "to 2 of 4 humans, and half of them suffice" in test
    assert "Without hal, ivy, near chance, it does not pass: not inferior to 0 of 2 humans" in test
    page = judge_page.render(found, source="x.csv")
    assert "may replace" not in page
    assert page.index("accuracy ") < page.index("alternative annotator test: it")


def test_humans_are_measured_by_gold_where_there_is_gold():
    labels, gold = crowd(np.random.default_rng(2))
    known = {item: gold[item] for item in list(gold)[:150]}
    found = assessment.assess(labels, ["llm"], gold=known, replicates=100, rng=1)
    table = found.humans.set_index("human")
    assert table["n_items"].eq(150).all()
    assert table["near_chance"].tolist() == [False, False, True, True]
    assert "by gold" in judge_sentences.sentences(found)[0]


def test_without_humans_near_chance_the_test_is_not_repeated():
    labels, _ = crowd(np.random.default_rng(3), knows={"ann": 0.9, "bob": 0.8, "cy": 0.9, "llm": 1})
    found = assessment.assess(labels, ["llm"], replicates=100, rng=1)
    assert found.near_chance == []
    assert found.tests_without == {}
    assert not any("Without" in line for line in judge_sentences.sentences(found))


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (0.06, 0.13, "more often than they agree with each other"),
        (-0.13, -0.06, "less often than they agree with each other"),
        (-0.02, 0.05, "as often as they agree with each other, within ±0.05"),
        (np.nan, np.nan, ""),
    ],
)
def test_a_sentence_on_agreement_follows_from_its_interval(lower, upper, words):
    row = {"judge": "j", "measure": "agreement", "difference": 0.1}
    row |= {"difference_lower": lower, "difference_upper": upper}
    text = judge_sentences.agreement_of(SimpleNamespace(agreement=pd.DataFrame([row])), "j")
    assert words in text
    assert bool(text) == bool(words)


def test_without_memory_for_draws_worth_has_no_interval(monkeypatch):
    monkeypatch.setattr(assessment, "MAX_DRAWN", 0)
    labels, _ = crowd(np.random.default_rng(1), n=60)
    found = assessment.assess(labels, ["llm"], replicates=100, rng=1)
    assert found.humans.empty
    assert found.near_chance == []
    row = found.summary_table.iloc[0]
    assert np.isnan([row["human_labels_lower"], row["human_labels_upper"]]).all()
    first = judge_sentences.sentences(found)[0]
    assert first.endswith("of a human's.")
    assert "accuracy" in first


def test_a_distance_is_rounded_up():
    words = {"above": "", "below": "", "neither": "{within}"}
    assert by_interval(-0.031, 0.02, 0.0, **words) == "0.04"
    assert by_interval(-0.05, 0.05, 0.0, **words) == "0.05"


def test_draws_of_a_panel_are_around_its_parameters():
    """The mean of draws of a large panel is the truth, within four posterior deviations."""
    rng = np.random.default_rng(5)
    labels, gold = crowd(rng, n=2_000)
    truth = np.array([gold[item] == "yes" for item in labels.items]).astype(int)
    posterior = np.eye(2)[truth]
    sampled = rates.sample_panel(labels, posterior, draws=200, rng=1)
    for j, share in enumerate(KNOWS[name] for name in labels.annotators):
        right = sampled.humans[:, j, [0, 1], [0, 1]]
        assert (abs(right.mean(axis=0) - (1 + share) / 2) < 4 * right.std(axis=0) + 0.02).all()
