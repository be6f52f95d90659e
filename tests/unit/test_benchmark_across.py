"""What is said over data sets: pairs of methods, averages, and labels that are there twice."""

import numpy as np
import pandas as pd
import pytest

from annobench.benchmark.across import compare_across, compared_with
from annobench.benchmark.averages import average
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.duplicates import fingerprint, same_labels
from annobench.benchmark.fits import fit_all
from annobench.benchmark.hierarchical import compare_hierarchically
from annobench.benchmark.regimes import simulate
from annobench.benchmark.scores import SCORES
from annobench.benchmark.signed_rank import signed_rank
from annobench.benchmark.tables import counted, describe_cases, tabulate
from annobench.labels.annotations import Annotations
from annobench.models import voting

NAMES = [f"d{n}" for n in range(6)]


def tables(values, errors):
    """Arrange values by method and score, and errors of differences between a and b by score."""
    scores = pd.DataFrame(
        [
            (problem, method, score, value)
            for (method, score), found in values.items()
            for problem, value in zip(NAMES, found, strict=False)
        ],
        columns=["problem", "method", "score", "estimate"],
    )
    differences = pd.DataFrame(
        [
            (problem, score, method, 2.0, errors[score][n] if method == "b" else np.nan)
            for score in errors
            for n, problem in enumerate(NAMES)
            for method in "ab"
        ],
        columns=["problem", "score", "method", "critical", "a"],
    ).assign(b=np.nan, c=np.nan)
    return scores, differences


def test_every_pair_is_compared_by_both_and_better_is_better_whichever_way_a_score_goes():
    a, b = np.linspace(0.9, 0.95, 6), np.linspace(0.8, 0.7, 6)
    errors = {"accuracy": np.full(6, 0.02), "log_loss": np.full(6, 0.02)}
    values = {
        ("a", "accuracy"): a,
        ("b", "accuracy"): b,
        ("a", "log_loss"): 1 - a,
        ("b", "log_loss"): 1 - b,
        ("c", "accuracy"): a[:4],
    }
    n_items = dict.fromkeys(NAMES, 100)
    found = compare_across(*tables(values, errors), n_items, seed=1)
    assert found[["score", "method", "other", "n_datasets"]].to_numpy().tolist() == [
        ["accuracy", "a", "b", 6],
        ["log_loss", "a", "b", 6],
    ]
    for row in found.itertuples():
        rope = SCORES[row.score].rope
        ranked = signed_rank(a - b, rope=rope, rng=1)
        modelled = compare_hierarchically(a - b, errors["accuracy"], rope=rope)
        assert (row.better, row.next_better) == (ranked.better, ranked.next_better)
        assert row.new_better == pytest.approx(modelled.new_better)
        assert row.typical == pytest.approx(modelled.typical)
    assert compare_across(*tables(values, errors), {"d0": 100}, seed=1).empty


def test_no_error_is_below_one_item():
    same = np.full(6, 0.9)
    values = {("a", "accuracy"): same, ("b", "accuracy"): same}
    n_items = dict(zip(NAMES, [50, 100, 100, 200, 400, 500], strict=True))
    found = compare_across(*tables(values, {"accuracy": np.zeros(6)}), n_items, seed=1)
    floor = 1 / np.array(list(n_items.values()))
    expected = compare_hierarchically(np.zeros(6), floor, rope=0.005)
    assert found["new_equivalent"].tolist() == pytest.approx([expected.new_equivalent])


def test_rows_of_a_reference_are_turned_to_it():
    a, b = np.linspace(0.9, 0.95, 6), np.linspace(0.8, 0.7, 6)
    values = {("a", "accuracy"): a, ("b", "accuracy"): b}
    across = compare_across(
        *tables(values, {"accuracy": np.full(6, 0.02)}), dict.fromkeys(NAMES, 100), seed=1
    )
    (ahead,) = compared_with("b", across).to_dict("records")
    (behind,) = compared_with("a", across).to_dict("records")
    assert (ahead["method"], ahead["other"]) == ("a", "b")
    assert (behind["method"], behind["other"]) == ("b", "a")
    for name, other in (("better", "worse"), ("new_better", "new_worse")):
        assert ahead[name] == behind[other]
    assert ahead["typical"] == -behind["typical"]
    assert ahead["typical_lower"] == -behind["typical_upper"]
    assert ahead["spread"] == behind["spread"]


# Averages.


def test_averages_are_those_worked_out_by_hand():
    rows = [
        (problem, method, score, value)
        for method, score, found in (
            ("whole", "log_loss", [0.2, 0.4, 0.9]),
            ("whole", "accuracy", [0.9, 0.8, 0.7]),
            ("whole", "calibration_error", [0.1, 0.2, 0.3]),
            ("part", "log_loss", [0.1, 0.2]),
            ("part", "accuracy", [0.5, 0.6]),
            ("part", "calibration_error", [0.0, 0.1]),
        )
        for problem, value in zip(["x", "y", "z"], found, strict=False)
    ]
    rows.append(("regime", "part", "log_loss", 99.0))
    scores = pd.DataFrame(rows, columns=["problem", "method", "score", "estimate"])
    # On x: 10 items at .9 of which .8 are right, 30 at .6 of which .7; on y 5 items, .1 too sure.
    curves = pd.DataFrame(
        [
            ("x", "whole", "calibration", 0.9, 0.8, 10),
            ("x", "whole", "calibration", 0.6, 0.7, 30),
            ("y", "whole", "calibration", 0.6, 0.5, 5),
            ("y", "whole", "risk", 0.6, 0.1, 5),
        ],
        columns=["problem", "method", "curve", "x", "y", "n_items"],
    )
    found = average(scores, curves, ["x", "y", "z"], "whole").set_index("method")
    assert list(found.index) == ["whole", "part"]
    assert found["whole"].tolist() == ["yes", "no"]
    assert found["n_datasets"].tolist() == [3, 2]
    whole, part = found.loc["whole"], found.loc["part"]
    assert (whole["mean_log_loss"], whole["median_log_loss"]) == pytest.approx((0.5, 0.4))
    assert whole["median_accuracy"] == pytest.approx(0.8)
    assert whole["mean_calibration_error"] == pytest.approx(0.2)
    assert part["mean_log_loss"] == pytest.approx(0.15)
    # On x and y: .1 - .2 and .2 - .4.
    assert part["log_loss_to_reference"] == pytest.approx(-0.15)
    assert whole["log_loss_to_reference"] == 0
    assert whole["overconfidence"] == pytest.approx(((0.1 - 0.3) / 4 + 0.1) / 2)
    assert np.isnan(part["overconfidence"])
    assert average(scores, curves, ["regime"], "none")["n_datasets"].tolist() == [1]
    assert average(scores, curves, [], "none").empty


# Labels that are there twice.


def renamed(labels, seed):
    """Rename and reorder items, annotators, categories and rows; add some without labels."""
    rng = np.random.default_rng(seed)
    item, annotator, label = (
        rng.permutation(size + 2)[code]
        for size, code in (
            (labels.n_items, labels.item),
            (labels.n_annotators, labels.annotator),
            (labels.n_categories, labels.label),
        )
    )
    rows = rng.permutation(labels.n_labels)
    return Annotations.from_arrays(
        item[rows],
        annotator[rows],
        label[rows],
        items=range(labels.n_items + 2),
        annotators=range(labels.n_annotators + 2),
        categories=range(labels.n_categories + 2),
    )


def case(seed, name="one", n_categories=3):
    found = simulate(
        "mixed", n_categories=n_categories, labels_per_item=4, n_items=50, n_annotators=9, seed=seed
    )
    return BenchmarkCase(name, found.annotations, found.gold, "real")


@pytest.mark.parametrize("seed", range(5))
def test_names_and_order_leave_the_fingerprint_as_it_is(seed):
    labels = case(seed).annotations
    assert fingerprint(renamed(labels, seed)) == fingerprint(labels)


@pytest.mark.parametrize("what", ["item", "annotator", "label"])
def test_one_changed_label_changes_the_fingerprint(what):
    labels = case(1).annotations
    codes = {name: getattr(labels, name).copy() for name in ("item", "annotator", "label")}
    # Exchanged between two labels that have nothing in common, so that the counts stay.
    differ = np.all([code != code[0] for code in codes.values()], axis=0)
    other = int(np.flatnonzero(differ)[0])
    codes[what][[0, other]] = codes[what][[other, 0]]
    changed = Annotations.from_arrays(*codes.values())
    assert fingerprint(changed) != fingerprint(labels)


def test_the_first_of_equal_tables_counts():
    one, other = case(1), case(2)
    twin = BenchmarkCase("twin", renamed(one.annotations, 3), np.zeros(52, dtype=int), "real")
    third = BenchmarkCase("third", renamed(one.annotations, 4), np.zeros(52, dtype=int), "real")
    another = BenchmarkCase("other", other.annotations, other.gold, "real")
    found = same_labels([one, another, twin, third])
    assert found == {"one": "", "other": "", "twin": "one", "third": "one"}
    problems = describe_cases([one, another, twin, third])
    assert problems["same_labels_as"].tolist() == ["", "", "one", "one"]
    assert counted(problems) == ["one", "other"]


def test_equal_tables_are_scored_each_and_counted_once():
    cases = [case(n, f"set {n}") for n in range(5)]
    first = cases[0]
    twin = BenchmarkCase("twin", first.annotations, first.gold, "real")
    methods = [voting]
    every = [*cases, twin]
    found = tabulate(
        every, fit_all(every, methods, limit=30, seed=1), methods, replicates=20, seed=1
    )
    assert set(found.scores["problem"]) == {each.name for each in every}
    assert found.averages["n_datasets"].tolist() == [5]
    alone = tabulate(
        cases, fit_all(cases, methods, limit=30, seed=1), methods, replicates=20, seed=1
    )
    pd.testing.assert_frame_equal(found.averages, alone.averages)
