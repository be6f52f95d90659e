"""Judges of items of one text, and of answers in a shown order."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.judges import consistency
from annobench.judges.clusters import cluster_codes, design_effect, widen
from annobench.judges.prevalence import METHODS, JudgedCounts, clustered_estimates
from annobench.judges.rates import rates_by_gold, rates_by_posterior
from annobench.labels.annotations import Annotations
from annobench.resampling.intervals import Interval


def test_the_design_effect_by_hand():
    # Sums 3 and -3 of six residuals of 1: 2 / 1 * 18 / 6
    r = np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    assert design_effect(r, np.array([0, 0, 0, 1, 1, 1])).tolist() == [6.0]
    # Opposite residuals in a cluster cancel, and an interval is never made narrower.
    assert design_effect(r, np.array([0, 1, 2, 0, 1, 2])).tolist() == [1.0]
    assert design_effect(0 * r, np.array([0, 0, 0, 1, 1, 1])).tolist() == [3.0]
    assert np.isinf(design_effect(r, np.zeros(6, dtype=int))).all()


def test_widening_keeps_the_estimate_and_the_range():
    found = widen(
        Interval(np.array([0.5, 0.9]), np.array([0.4, 0.8]), np.array([0.6, 0.95]), 0.95, ""),
        [4.0, np.inf],
        0,
        1,
    )
    np.testing.assert_allclose(found.lower, [0.3, 0])
    np.testing.assert_allclose(found.upper, [0.7, 1])


def test_clusters_are_one_an_item():
    assert cluster_codes(None, 3) is None
    assert cluster_codes(["x", "y", "x"], 3).tolist() == [0, 1, 0]
    for wrong in (["x"], ["x", None, "y"]):
        with pytest.raises(AnnotationError, match="Give each item one"):
            cluster_codes(wrong, 3)


@pytest.fixture
def texts():
    """Thirty texts of ten items, of which the judge gets all right or all wrong."""
    rng = np.random.default_rng(3)
    text = np.repeat(np.arange(30), 10)
    gold = rng.integers(0, 2, 300)
    judge = np.where((rng.random(30) < 0.8)[text], gold, 1 - gold)
    return text, gold, judge


def test_rates_of_texts_are_as_sure_as_their_number(texts):
    text, gold, judge = texts
    alone = rates_by_gold(judge, gold, ("no", "yes"))
    found = rates_by_gold(judge, gold, ("no", "yes"), clusters=text)
    for name in ("sensitivity", "specificity", "youden"):
        one, other = getattr(alone, name), getattr(found, name)
        np.testing.assert_array_equal(one.estimate, other.estimate)
        # Of ten equal items a cluster, about ten times the variance; of one category half of them.
        times = (other.upper - other.lower) / (one.upper - one.lower)
        assert (times > 1.5).all()
        assert (times < 4).all()
    apart = rates_by_gold(judge, gold, ("no", "yes"), clusters=np.arange(300))
    np.testing.assert_allclose(apart.youden.lower, alone.youden.lower, atol=0.01)


def test_rates_by_the_posterior_are_widened_too(texts):
    text, gold, judge = texts
    posterior = np.where(np.eye(2)[gold] > 0, 0.95, 0.05)
    ends = [
        rates_by_posterior(judge, posterior, ("no", "yes"), clusters=clusters, draws=200, rng=1)
        for clusters in (None, text)
    ]
    width = [found.youden.upper - found.youden.lower for found in ends]
    assert (width[1] > 1.5 * width[0]).all()


def test_prevalence_behind_a_judge_of_texts(texts):
    text, gold, judge = texts
    known = np.where(text < 10, gold, -1)
    alone = clustered_estimates(judge, known, 1)
    counts = JudgedCounts.of(judge, known, 1)
    assert alone == [method(counts, 0.95) for method in METHODS.values()]
    found = clustered_estimates(judge, known, 1, clusters=text)
    for one, other in zip(alone, found, strict=True):
        assert (one.method, one.estimate) == (other.method, other.estimate)
        assert other.lower <= one.lower
        assert other.upper >= one.upper
    # Gold is drawn item by item here, and the errors of a text go both ways: nothing is clustered.
    assert found[1].standard_error < 1.6 * alone[1].standard_error


def test_prevalence_of_a_share_has_the_cluster_sampling_error():
    # All items of a text are alike: the share judged positive is that of 20 texts, not 100 items.
    text = np.repeat(np.arange(20), 5)
    judge = (text % 4 == 0).astype(int)
    found = clustered_estimates(judge, np.full(100, -1), 1, clusters=text)[0]
    by_text = (np.arange(20) % 4 == 0).astype(float)
    assert found.standard_error == pytest.approx(by_text.std(ddof=1) / np.sqrt(20), rel=0.01)


def test_repeats_in_another_order_are_not_the_same_question():
    labels = Annotations.from_arrays([*"xxxx"], ["llm"] * 4, [*"ABAB"])
    assert consistency.repeat_consistency(labels)["unanimous"].tolist() == [0.0]
    found = consistency.repeat_consistency(labels, order=[*"ABAB"])
    assert found[["n_items", "unanimous"]].iloc[0].tolist() == [2.0, 1.0]


def test_position_bias_of_clusters(rng):
    item = np.arange(200)
    first = np.tile(["A", "B"], 100)
    question = item // 20
    # In eight questions of ten the first answer always wins, in two the second.
    picked = np.where(question < 8, first, np.where(first == "A", "B", "A"))
    alone = consistency.position_bias(item, first, picked)
    found = consistency.position_bias(item, first, picked, clusters=question)
    assert alone.picks_first == found.picks_first == 0.8
    assert found.lower < 0.6 < alone.lower
    assert alone.p_value < 1e-10 < 0.03 < found.p_value
    same = consistency.position_bias(item, first, first, clusters=question)
    assert same.p_value == 0
    one = consistency.position_bias(item, first, first, clusters=np.zeros(200))
    assert (one.p_value, one.lower, one.upper) == (1, 0, 1)


@pytest.mark.parametrize(
    ("sums", "p_value"),
    [
        ([3.0], 1),
        ([0.0], 1),
        ([0.0, 0.0], 1),
        ([2.0, 2.0], 0),
        ([1.0, -1.0], 1),
        ([1.0, 3.0], 0.295),
    ],
)
def test_sums_of_clusters_are_compared_with_0(sums, p_value):
    # The last t is 2 on one degree of freedom: 1 - 2 atan(2) / pi.
    assert consistency._p_value_of_mean(np.array(sums, dtype=float)) == pytest.approx(
        p_value, abs=5e-4
    )


def test_ties_and_one_sided_orders():
    labels = Annotations.from_arrays([*"xyz"], ["llm"] * 3, ["A", "tie", "B"])
    found = consistency.position_table(labels, ["A", "B", "A"]).iloc[0]
    assert (found["n"], found["n_ties"], found["picks_first"]) == (2, 1, 0.5)
    with pytest.raises(AnnotationError, match=r"always 'A'.*either answer first"):
        consistency.position_table(labels, ["A", "A", ""])
    with pytest.raises(AnnotationError, match="none of the categories"):
        consistency.position_table(labels, ["left"] * 3)


@pytest.fixture
def comparisons(tmp_path):
    """Judge forty pairs of answers to ten questions by three people, and by a model both ways."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(40):
        better = "AB"[rng.integers(2)]
        for who in ("h1", "h2", "h3"):
            pick = better if rng.random() < 0.8 else "AB"[rng.integers(2)]
            rows.append((f"p{i}", who, pick, "AB"[rng.integers(2)], f"q{i // 4}"))
        for first in "AB":
            pick = first if rng.random() < 0.6 else better
            rows.append((f"p{i}", "gpt", pick, first, f"q{i // 4}"))
    table = pd.DataFrame(rows, columns=["item", "annotator", "label", "first", "question text"])
    table.to_csv(tmp_path / "labels.csv", index=False)
    return tmp_path / "labels.csv"


def run(*words):
    return CliRunner().invoke(app, ["judge", *map(str, words)])


def test_the_command_takes_clusters_and_the_shown_order(comparisons):
    out = comparisons.parent / "out"
    words = [comparisons, "--judge", "gpt", "--shown-first", "first", "--clusters", "question text"]
    done = run(*words, "--out", out)
    assert done.exit_code == 0, done.output
    position = pd.read_csv(out / "position.csv").set_index("annotator")
    assert position.index.tolist() == ["gpt"]
    assert position.loc["gpt", "n_both"] == 40
    assert position.loc["gpt", "lower"] > 0.5
    assert not (out / "consistency.csv").exists()  # nothing was asked twice in one order
    page = (out / "judges.html").read_text()
    assert "10 clusters" in page
    assert "gpt picks the answer shown first in" in page
    assert "Which answer is shown first" in page
    plain = comparisons.parent / "plain"
    assert run(comparisons, "--judge", "gpt", "--out", plain).exit_code == 0
    widths = []
    for folder in (plain, out):
        table = pd.read_csv(folder / "rates.csv")
        widths.append((table["youden_upper"] - table["youden_lower"]).mean())
    assert widths[1] > widths[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--clusters", "nowhere"], "Column 'nowhere'"),
        (["--shown-first", "nowhere"], "Column 'nowhere'"),
    ],
)
def test_columns_that_are_not_there_are_refused(comparisons, words, message):
    done = run(comparisons, "--judge", "gpt", *words)
    assert done.exit_code == 1
    assert message in " ".join(done.output.split())


def test_an_item_without_a_cluster_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,annotator,label,doc\nx,a,1,d\nx,llm,1,d\ny,a,2,\ny,llm,2,\n")
    done = run(path, "--judge", "llm", "--clusters", "doc")
    assert "--clusters doc: 1 of 2 items have no value there, such as 'y'" in " ".join(
        done.output.split()
    )


def test_the_order_of_a_log_of_pairs_is_that_of_its_fields(tmp_path):
    records = [
        {
            "id": f"p{i}",
            "judge": "gpt",
            "model_a": ("m1", "m2")[i % 2],
            "model_b": ("m2", "m1")[i % 2],
            "winner": "A",
            "human_winner": "AB"[i % 2],
        }
        for i in range(20)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    done = run(path, "--judge", "gpt", "--shown-first", "model_a", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    found = pd.read_csv(tmp_path / "out" / "position.csv").iloc[0]
    assert (found["n"], found["picks_first"]) == (20, 1.0)
