"""Judges at work: systems compared by a judge and humans, bias, drift."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from benchmarks import judge_systems
from scipy.stats import f_oneway, ttest_ind

from annobench.core.errors import AnnotationError
from annobench.judges import drift
from annobench.judges import systems as systems_module
from annobench.judges.at_work import examine
from annobench.judges.bias import judge_bias
from annobench.judges.drift import REPLICATES, judge_drift
from annobench.judges.scores import score_items
from annobench.judges.systems import compare_systems
from annobench.labels.annotations import Annotations


def scores(seed=1, n=300, n_human=60, effect=0.5):
    """Draw scores of two systems on the same questions; humans score some questions."""
    rng = np.random.default_rng(seed)
    hard = np.tile(rng.normal(0, 1, n), 2)
    new = np.repeat([1.0, 0.0], n)
    truth = hard + effect * new + rng.normal(0, 0.7, 2 * n)
    judge = truth + 0.4 * new + rng.normal(0, 0.5, 2 * n)  # favours the new system
    seen = np.tile(rng.permutation(n) < n_human, 2)
    human = np.where(seen, truth + rng.normal(0, 0.3, 2 * n), np.nan)
    questions = np.tile(np.arange(n), 2)
    return judge, human, np.where(new, "new", "old"), questions


def test_the_judges_favour_is_corrected_and_pairing_shortens_the_interval():
    judge, human, systems, questions = scores(n=3_000, n_human=600)
    paired = compare_systems(judge, human, systems, clusters=questions, baseline="old")
    row = paired.differences.iloc[0]
    assert row["judge_score"] > row["upper"]
    assert row["lower"] < 0.5 < row["upper"]
    alone = compare_systems(judge, human, systems, baseline="old").differences.iloc[0]
    assert row["standard_error"] < 0.8 * alone["standard_error"]
    assert row["standard_error"] < 0.9 * row["human_standard_error"]
    assert set(paired.systems["system"]) == {"new", "old"}


def test_the_weight_has_the_least_standard_error():
    judge, human, systems, questions = scores()

    def error(weight):
        found = compare_systems(judge, human, systems, clusters=questions, weight=weight)
        return found.differences["standard_error"].iloc[0]

    chosen = compare_systems(judge, human, systems, clusters=questions).differences.iloc[0]
    assert 0 < chosen["weight"] < 1
    least = error(chosen["weight"])
    assert all(error(w) >= least for w in np.linspace(0, 1, 21))
    # A chosen weight is a parameter, whose variance counts.
    assert least < chosen["standard_error"] < 1.1 * least


def test_the_estimate_follows_a_change_of_units_and_of_order():
    judge, human, systems, questions = scores()
    one = compare_systems(judge, human, systems, clusters=questions, baseline="old")
    order = np.random.default_rng(1).permutation(judge.size)
    two = compare_systems(
        3 * judge[order] + 1,
        3 * human[order] + 1,
        systems[order],
        clusters=questions[order],
        baseline="old",
    )
    columns = ["estimate", "lower", "upper", "standard_error"]
    expected = (3 * one.differences[columns]).to_numpy()
    assert two.differences[columns].to_numpy() == pytest.approx(expected, rel=1e-9)


def test_a_judge_that_says_nothing_counts_nothing():
    judge, human, systems, questions = scores()
    found = compare_systems(np.ones_like(judge), human, systems, clusters=questions)
    row = found.differences.iloc[0]
    assert row["weight"] == 0
    assert row["estimate"] == pytest.approx(row["human_score"])
    assert row["standard_error"] == row["human_standard_error"]


def test_without_the_judge_separate_questions_make_welchs_test(rng):
    new, old = rng.normal(0.3, 1, 5), rng.normal(0, 2, 100)
    human = np.concatenate([new, old])
    systems = np.repeat(["new", "old"], [5, 100])
    found = compare_systems(np.zeros(105), human, systems, baseline="old").differences.iloc[0]
    theirs = ttest_ind(new, old, equal_var=False)
    low, high = theirs.confidence_interval()
    assert found["degrees_of_freedom"] == pytest.approx(theirs.df)
    assert (found["lower"], found["upper"]) == pytest.approx((low, high))
    assert found["p_value"] == pytest.approx(theirs.pvalue)
    assert found["caution"].startswith("few human scores")
    assert compare_systems(np.zeros(105), human, systems[::-1]).differences["caution"].all()


def test_few_human_scores_of_one_system_count_as_few():
    rng, repetitions, covered = np.random.default_rng(6), 200, 0
    systems = np.repeat(["new", "old"], 300)
    for _ in range(repetitions):
        quality = np.concatenate([rng.normal(0.3, 1.4, 300), rng.normal(0, 2, 300)])
        judge = quality + rng.normal(0, 0.6, 600)
        human = quality.copy()
        human[5:300] = human[400:] = np.nan  # answers are in no order
        row = compare_systems(judge, human, systems, baseline="old").differences.iloc[0]
        covered += row["lower"] <= 0.3 <= row["upper"]
    assert row["degrees_of_freedom"] < 10
    # Four standard errors of a share of .95; with pooled degrees of freedom it is .85.
    assert abs(covered / repetitions - 0.95) < 4 * np.sqrt(0.95 * 0.05 / repetitions)


def test_slices_of_one_system_each_are_compared_by_welchs_analysis_of_variance(rng):
    slices = [rng.normal(0, scale, n) for scale, n in ((1, 6), (2, 9), (1, 30))]
    rows = pd.DataFrame(
        {
            "estimate": [x.mean() for x in slices],
            "standard_error": [x.std(ddof=1) / np.sqrt(x.size) for x in slices],
            "degrees_of_freedom": [x.size - 1 for x in slices],
        }
    )
    p = f_oneway(*slices, equal_var=False).pvalue
    assert systems_module._p_of_equal(rows) == pytest.approx(p)


def test_slices_are_compared_and_tested():
    judge, human, systems, questions = scores(n=2_000, n_human=800)
    where = np.where(questions % 2, "en", "de")
    shifted = human + np.where((systems == "new") & (where == "en"), 1.0, 0.0)
    equal = compare_systems(judge, human, systems, clusters=questions, slices=where)
    apart = compare_systems(judge, shifted, systems, clusters=questions, slices=where)
    assert list(equal.slices["slice"]) == ["de", "en"]
    assert equal.slices["p_value_slices"].iloc[0] > 1e-3 > apart.slices["p_value_slices"].iloc[0]


def test_answers_that_humans_chose_are_noticed():
    judge, human, systems, questions = scores()
    random = compare_systems(judge, human, systems, clusters=questions)
    best = np.where(judge > np.quantile(judge, 0.7), human, np.nan)
    best = np.where(np.isnan(best) & (judge > np.quantile(judge, 0.7)), judge, best)
    chosen = compare_systems(judge, best, systems, clusters=questions)
    assert random.selection["p_value"] > 1e-3 > chosen.selection["p_value"]


def test_several_systems_are_compared_in_pairs_or_with_a_baseline():
    rng = np.random.default_rng(2)
    systems = np.repeat([*"abc"], 40)
    judge = rng.normal(size=120)
    every = compare_systems(judge, judge, systems, clusters=np.tile(np.arange(40), 3))
    pairs = list(zip(every.differences["system"], every.differences["baseline"], strict=True))
    assert pairs == [("b", "a"), ("c", "a"), ("c", "b")]
    one = compare_systems(judge, judge, systems, baseline="b")
    assert list(one.differences["system"]) == ["a", "c"]
    assert (one.differences["p_adjusted"] >= one.differences["p_value"]).all()


def test_a_system_that_no_human_scored_has_no_estimate():
    judge, human, systems, questions = scores()
    found = compare_systems(
        judge, np.where(systems == "new", np.nan, human), systems, clusters=questions
    )
    row = found.differences.iloc[0]
    assert np.isnan([row["estimate"], row["lower"], row["standard_error"]]).all()
    assert row["caution"] == "no answer scored by humans"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "nwe"}, "Did you mean 'new'"),
        ({"weight": 2}, "outside"),
        ({"level": 2}, "level"),
        ({"slices": ["x"]}, "1 slices of 600"),
        ({"clusters": [1]}, "have a cluster"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    judge, human, systems, _ = scores()
    with pytest.raises(AnnotationError, match=message):
        compare_systems(judge, human, systems, **options)


def test_one_system_or_no_human_is_refused():
    judge, human, systems, _ = scores()
    with pytest.raises(AnnotationError, match="two systems"):
        compare_systems(judge, human, np.full(judge.size, "new"))
    with pytest.raises(AnnotationError, match="scored by humans"):
        compare_systems(judge, np.full(judge.size, np.nan), systems)
    with pytest.raises(AnnotationError, match="600 scores of the judge, 1 of"):
        compare_systems(judge, human[:1], systems)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["right or wrong, 30 by humans", "grades, other questions"])
def test_intervals_have_their_coverage_and_those_of_the_judge_alone_do_not(name):
    n = 400
    found = judge_systems.measure(judge_systems.DESIGNS[name], repetitions=n, seed=2)
    coverage = found.set_index("estimate")["coverage"]
    # Four standard errors of a share of .95.
    assert abs(coverage["corrected"] - 0.95) < 4 * np.sqrt(0.95 * 0.05 / n)
    assert coverage["judge alone"] < 0.5
    length = found.set_index("estimate")["length"]
    assert length["corrected"] < length["humans alone"]


def answers(seed=3, n=400):
    """Draw labels of a human and two judges; one favours long answers and its family."""
    rng = np.random.default_rng(seed)
    length = np.exp2(rng.normal(8, 1, n))
    family = rng.choice(["ours", "theirs"], n)
    truth = rng.integers(2, 5, n)
    fair = truth + rng.integers(-1, 2, n)
    biased = truth + np.round(0.5 * (np.log2(length) - 8) + 0.8 * (family == "ours")).astype(int)
    items = [f"i{k}" for k in range(n)]
    labels = Annotations.from_arrays(
        items * 3,
        np.repeat(["ann", "fair", "biased"], n),
        np.concatenate([truth, fair, biased]).astype(str),
    )
    return labels, length, family


def test_length_and_family_are_told_apart():
    labels, length, family = answers()
    found = examine(
        labels,
        ["fair", "biased"],
        lengths=[f"{x:.3f}" for x in length],
        families=list(family),
        own={"fair": "ours", "biased": "ours"},
    )
    table = found.bias.set_index(["judge", "bias"])
    assert table.loc[("biased", "length"), "lower"] > 0.3
    assert table.loc[("biased", "own family"), "lower"] > 0.5
    assert table.loc[("biased", "own family"), "n_own"] == (family == "ours").sum()
    for bias in ("length", "own family"):
        row = table.loc[("fair", bias)]
        assert row["lower"] < 0 < row["upper"]
        assert row["adjusted_lower"] < row["adjusted"] < row["adjusted_upper"]


def test_what_is_not_identified_is_said():
    rng = np.random.default_rng(1)
    judge, human = rng.normal(size=(2, 30))
    same = judge_bias(judge, human, lengths=np.full(30, 7), own=np.zeros(30)).set_index("bias")
    assert same.loc["length", "note"] == "all answers scored by humans have the same length"
    assert "no answer of the judge's family" in same.loc["own family", "note"]
    assert np.isnan(same.loc["length", ["estimate", "lower", "p_value"]].astype(float)).all()
    all_own = judge_bias(judge, human, own=np.ones(30)).set_index("bias")
    assert "only answers of the judge's family" in all_own.loc["own family", "note"]
    with pytest.raises(AnnotationError, match="bias cannot be distinguished from quality"):
        judge_bias(judge, np.full(30, np.nan))
    with pytest.raises(AnnotationError, match="above 0"):
        judge_bias(judge, human, lengths=np.zeros(30))


def test_a_family_that_no_answer_has_is_said():
    labels, _, family = answers(n=40)
    found = examine(labels, ["fair"], families=list(family))
    assert "--own fair=FAMILY" in found.remarks[0]
    assert list(found.bias["bias"]) == ["score difference"]
    named = examine(labels, ["fair"], families=["fair" if f == "ours" else f for f in family])
    assert list(named.bias["bias"]) == ["score difference", "own family"]


def test_the_longer_of_two_answers():
    rng = np.random.default_rng(4)
    n = 200
    longer, better = rng.choice(["A", "B"], n), rng.choice(["A", "B"], n)
    biased = np.where(rng.random(n) < 0.4, longer, better).astype(object)
    biased[:20] = "tie"
    items = [f"p{k}" for k in range(n)]
    labels = Annotations.from_arrays(
        items * 2, np.repeat(["ann", "llm"], n), np.concatenate([better, biased])
    )
    named = np.where(np.arange(n) < 190, longer, "equal")
    found = examine(labels, ["llm"], lengths=list(named)).bias.iloc[0]
    picks = np.where(biased == longer, 1.0, np.where(biased == "tie", 0.5, 0.0))
    assert found["bias"] == "longer answer"
    assert found["n_items"] == 190
    assert found["estimate"] == pytest.approx((picks - (better == longer))[:190].mean())
    with pytest.raises(AnnotationError, match="Give the length of each answer"):
        examine(labels, ["llm"], lengths=["long"] * n)


def test_scores_need_numbers_or_a_category():
    labels = Annotations.from_arrays([*"xxy"], ["ann", "llm", "llm"], ["yes", "no", "yes"])
    with pytest.raises(AnnotationError, match="category='yes'"):
        score_items(labels, ["llm"])
    with pytest.raises(AnnotationError, match="Did you mean 'yes'"):
        score_items(labels, ["llm"], category="yess")
    found = score_items(labels, ["llm"], category="yes", gold={"y": "no", "z": "no"})
    assert found.judges["llm"].tolist() == [0.0, 1.0]
    assert np.array_equal(found.human, [np.nan, 0.0], equal_nan=True)


def runs(seed=5, n=60, n_runs=8, worse=0.0, by_time=False):
    """Draw what a judge says of anchor items in each run; in the last it is worse."""
    rng = np.random.default_rng(seed)
    item, run = np.tile(np.arange(n), n_runs), np.repeat(np.arange(n_runs), n)
    right = rng.random(n * n_runs) < rng.beta(4, 1, n)[item] - worse * (run == n_runs - 1)
    label = np.where(right, item % 2, 1 - item % 2)
    gold = {f"i{k}": str(k % 2) for k in range(n)}
    labels = Annotations.from_arrays(
        [f"i{k}" for k in item], ["llm"] * item.size, label.astype(str)
    )
    times = run.astype(float)
    if by_time:
        times = np.datetime64("2026-11-01T02:00") + run * np.timedelta64(1, "D")
        times = times + item.astype("timedelta64[s]")
    return labels, times, gold


def test_a_judge_that_got_worse_is_found_and_one_that_did_not_is_not():
    for worse in (0.0, 0.4):
        labels, times, gold = runs(worse=worse)
        found = judge_drift(labels, ["llm"], times, gold=gold, values=[0, 1])["llm"]
        latest = found.tests.set_index(["measure", "contrast"]).loc[("agreement", "latest")]
        assert len(found.windows) == 8
        assert found.within_items
        if worse:
            assert latest["upper"] < 0
            assert latest["p_any"] < 0.05
        else:
            assert latest["lower"] < 0 < latest["upper"]


def test_the_windows_of_dates_are_days():
    labels, times, gold = runs(by_time=True)
    found = judge_drift(labels, ["llm"], times, gold=gold)["llm"]
    assert len(found.windows) == 8
    assert found.windows["begins"].iloc[1] == pd.Timestamp("2026-11-02 02:00")
    assert found.windows["score_difference"].isna().all()


def test_humans_are_the_anchor_without_gold():
    labels, times, gold = runs()
    humans = Annotations.from_arrays(list(gold), ["ann"] * len(gold), list(gold.values()))
    frame = pd.concat([labels.to_frame(), humans.to_frame()])
    both = Annotations.from_frame(frame)
    when = np.concatenate([times, np.full(len(gold), np.nan)])
    one = judge_drift(both, ["llm"], when)["llm"].windows
    two = judge_drift(labels, ["llm"], times, gold=gold)["llm"].windows
    pd.testing.assert_frame_equal(one, two)


def test_a_judge_that_never_changes_has_no_drift():
    labels, times, gold = runs()
    same = Annotations.from_arrays(
        [labels.items[i] for i in labels.item],
        ["llm"] * labels.n_labels,
        [gold[labels.items[i]] if i % 5 else "0" for i in labels.item],
    )
    tests = judge_drift(same, ["llm"], times, gold=gold)["llm"].tests
    assert (tests["estimate"].abs() < 1e-12).all()
    assert (tests["p_value"] == 1).all()


def anchored(agrees):
    """Label anchor items, rows, in windows, columns; NaN for no label."""
    item, window = np.nonzero(~np.isnan(agrees))
    names = [f"i{k}" for k in item]
    labels = Annotations.from_arrays(
        names, ["llm"] * item.size, agrees[item, window].astype(int).astype(str)
    )
    return judge_drift(labels, ["llm"], window.astype(float), gold=dict.fromkeys(names, "1"), rng=1)


def test_the_test_of_all_windows_compares_all_signs(rng):
    agrees = np.where(rng.random((10, 3)) < [0.9, 0.4, 0.8], 1.0, 0.0)
    residual = agrees - agrees.mean(axis=1, keepdims=True)
    signs = np.array(list(product((1, -1), repeat=10)))
    # Windows have equal numbers of labels, so they explain the sum of their squared means.
    explained = ((signs @ residual) ** 2).sum(axis=1)
    p = (explained >= (residual.sum(axis=0) ** 2).sum() - 1e-9).mean()
    found = anchored(agrees)["llm"].tests["p_any"].iloc[0]
    assert found == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / REPLICATES))


@pytest.mark.parametrize(("n_items", "n_windows"), [(40, 52), (100, 12)])
@pytest.mark.parametrize("stays", [0.0, 0.8])
def test_a_judge_without_drift_is_rejected_as_often_as_promised(n_items, n_windows, stays):
    rng, repetitions, rejected = np.random.default_rng(4), 300, 0
    for _ in range(repetitions):
        right = rng.beta(4, 1, n_items)
        columns = [rng.random(n_items) < right]
        for _ in range(n_windows - 1):
            again = rng.random(n_items) < right
            columns.append(np.where(rng.random(n_items) < stays, columns[-1], again))
        agrees = np.column_stack(columns).astype(float)
        indicators = np.tile(np.eye(n_windows)[:, 1:], (n_items, 1))
        item = np.repeat(np.arange(n_items), n_windows)
        centred = (agrees - agrees.mean(axis=1, keepdims=True)).reshape(-1, 1)
        columns_within = indicators - 1 / n_windows
        rejected += drift._p_of_any(columns_within, centred, item, rng) <= 0.05
    # Four standard errors of a share of .05.
    assert abs(rejected / repetitions - 0.05) < 4 * np.sqrt(0.05 * 0.95 / repetitions)


def test_a_test_of_all_windows_needs_six_anchors_and_shared_windows(rng):
    agrees = rng.integers(0, 2, (5, 4)).astype(float)
    assert np.isnan(anchored(agrees)["llm"].tests["p_any"]).all()
    apart = np.where(np.eye(8)[np.repeat(np.arange(8), 5)], rng.integers(0, 2, (40, 8)), np.nan)
    assert not np.isnan(anchored(apart)["llm"].tests["p_any"]).any()
    residual = np.tile([1.0, -1.0], 4)[:, None]
    alone = drift._p_of_any(np.eye(8), residual, np.arange(8), rng)
    assert np.isnan(alone)


def test_one_time_is_no_drift():
    labels, times, gold = runs()
    with pytest.raises(AnnotationError, match="two times"):
        judge_drift(labels, ["llm"], np.zeros(times.size), gold=gold)
    with pytest.raises(AnnotationError, match="one time per label"):
        judge_drift(labels, ["llm"], times[:3], gold=gold)


def test_times_that_are_no_times_are_refused():
    labels = Annotations.from_arrays([*"xyxy"], ["llm"] * 4, [*"0111"])
    with pytest.raises(AnnotationError, match="judge_drift: times are neither numbers nor"):
        judge_drift(labels, ["llm"], ["early"] * 4, gold={"x": "0", "y": "1"})


def test_systems_of_two_spellings_are_said():
    rows = [(f"i{n}", who, n % 3) for n in range(12) for who in ("ann", "llm")]
    labels = Annotations.from_frame(pd.DataFrame(rows, columns=["item", "annotator", "label"]))
    systems = ["New", "old", "new"] * 4
    found = examine(labels, ["llm"], systems=np.array(systems))
    [said] = [text for text in found.remarks if "differ only by" in text]
    assert "The systems “New” and “new” differ only by spaces or capitals" in said
