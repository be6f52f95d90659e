"""The comparison of models: scores by hand, paired intervals, and the rules."""

import contextlib
import math
import zlib
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from annobench import models
from annobench.benchmark import comparison
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.comparison import (
    _resamples,
    compare,
    differences_to,
    studentise,
)
from annobench.benchmark.fits import FitRecord, fit_all, read_fits, write_fits
from annobench.benchmark.regimes import simulate
from annobench.benchmark.scores import (
    curves,
    resampled_scores,
    risk_area,
    score,
    score_confusion,
)
from annobench.benchmark.tables import describe_fits
from annobench.core.errors import AnnotationError
from annobench.evaluation.scores import category_scores, count_errors
from annobench.evaluation.selective import risk_coverage
from annobench.labels.annotations import Annotations
from annobench.models import voting
from annobench.models.base import Conventions, Method


def problem(n_items=60, name="toy", seed=0, n_labels=5):
    return simulate(
        "mixed",
        n_categories=2,
        labels_per_item=n_labels,
        n_items=n_items,
        n_annotators=12,
        seed=seed,
    )


def model(name, fit, *, deterministic=True, max_categories=None):
    """Make a model of a function."""
    record = Method(
        name=name,
        reference="made up",
        accepts=frozenset({"nominal"}),
        returns=frozenset(),
        deterministic=deterministic,
        conventions=Conventions("counted", "shared", "none", "none", "none"),
        max_categories=max_categories,
    )
    return SimpleNamespace(METHOD=record, fit=fit, __name__=name)


def even(annotations):
    """Give every category the same probability."""
    shape = annotations.n_items, annotations.n_categories
    return SimpleNamespace(posterior=np.full(shape, 1 / shape[1]))


# Scores by hand.


def test_scores_are_those_worked_out_by_hand():
    posterior = [[0.9, 0.1, 0.0], [0.4, 0.4, 0.2], [0.0, 0.3, 0.7]]
    found = score(posterior, [0, 1, 0])
    # Right, half right (a tie of two), wrong.
    assert found["accuracy"] == pytest.approx(1.5 / 3)
    # Minus the logarithms of .9, .4 and, for 0, of 1e-6.
    expected = -(math.log(0.9) + math.log(0.4) + math.log(1e-6)) / 3
    assert found["log_loss"] == pytest.approx(expected, rel=1e-12)
    brier = [0.1**2 + 0.1**2, 0.4**2 + 0.6**2 + 0.2**2, 1 + 0.3**2 + 0.7**2]
    assert found["brier"] == pytest.approx(sum(brier) / 3, rel=1e-12)
    # Bins .9, .4 and .7 hold one item each: |.9 - 1|, |.4 - .5|, |.7 - 0|.
    assert found["calibration_error"] == pytest.approx((0.1 + 0.1 + 0.7) / 3, rel=1e-12)
    # Named: category 0 for 1 + 1/2 items, 1 for 1/2, 2 for 1; F = 2 right / (gold + named).
    f_scores = [2 * 1 / (2 + 1.5), 2 * 0.5 / (1 + 0.5), 0.0]
    assert found["macro_f"] == pytest.approx(sum(f_scores) / 3, rel=1e-12)


def test_items_without_gold_are_left_out():
    found = score([[1.0, 0.0], [1.0, 0.0]], [-1, 1])
    assert found["accuracy"] == 0


def test_ties_count_as_they_do_elsewhere(rng):
    votes = rng.integers(0, 3, (200, 4)) + 1.0
    posterior, gold = votes / votes.sum(axis=1, keepdims=True), rng.integers(0, 4, 200)
    found = score(posterior, gold)
    assert found["accuracy"] == pytest.approx(count_errors(posterior, gold).expected_accuracy)


def test_confidence_on_an_edge_goes_into_the_bin_above():
    # 0.7 and 0.75 share the bin [0.7, 0.8): the mean of both against the accuracy 1/2.
    found = score([[0.7, 0.3], [0.75, 0.25]], [0, 1])
    assert found["calibration_error"] == pytest.approx(0.725 - 0.5)


def test_low_confidence_is_calibrated_too():
    found = score([[0.3, 0.25, 0.25, 0.2], [0.26, 0.26, 0.24, 0.24]], [0, 2])
    # One is right with confidence .3, the other, a tie of two wrong ones, wrong with .26.
    assert found["calibration_error"] == pytest.approx((0.7 + 0.26) / 2)


def test_probabilities_that_are_right_are_calibrated(rng):
    certain = rng.uniform(0.5, 1, 200_000)
    gold = (rng.random(certain.size) > certain).astype(int)
    found = score(np.column_stack([certain, 1 - certain]), gold)
    # Of each of the five bins the error is a half-normal of variance below 1/4 over its items.
    bound = 5 * scipy.stats.norm.isf(0.5e-5) * 0.5 / math.sqrt(200_000 / 5) / 5
    assert found["calibration_error"] < bound
    sharper = np.column_stack([certain**0.5, 1 - certain**0.5])
    assert score(sharper, gold)["calibration_error"] > bound


@pytest.mark.parametrize(
    ("gold", "message"),
    [([-1, -1], "no item has a gold"), ([0, 2], r"category 2 is not in \[0, 2")],
)
def test_golds_that_cannot_be_scored_are_refused(gold, message):
    with pytest.raises(AnnotationError, match=message):
        score([[0.5, 0.5], [0.5, 0.5]], gold)


# Which items count.


def test_items_count_that_have_a_gold_category_and_a_label():
    annotations = Annotations.from_arrays(
        ["x", "y"], ["a", "a"], ["0", "1"], items=["x", "y", "z"], categories=["0", "1"]
    )
    found = BenchmarkCase("toy", annotations, np.array([-1, 1, 0]), "real").scored
    assert found.tolist() == [False, True, False]


def test_a_problem_without_such_items_is_refused():
    annotations = Annotations.from_arrays(["x"], ["a"], ["0"], categories=["0", "1"])
    empty = BenchmarkCase("toy", annotations, np.array([-1]), "real")
    with pytest.raises(AnnotationError, match="toy has no item with a gold category and a label"):
        compare(empty, [], replicates=10, seed=1)


# Intervals and differences.


def scored(one, **posteriors):
    return [FitRecord(one.name, name, "scored", posterior=p) for name, p in posteriors.items()]


def test_estimates_are_the_scores_and_differences_are_paired():
    one = problem(200)
    votes = voting.fit(one.annotations).posterior
    sharper = votes**2 / (votes**2).sum(axis=1, keepdims=True)
    found = compare(one, scored(one, voting=votes, sharper=sharper), replicates=400, seed=1)
    table = found.scores.set_index(["method", "score"])
    for method, posterior in (("voting", votes), ("sharper", sharper)):
        for name, value in score(posterior, one.gold).items():
            row = table.loc[(method, name)]
            assert row["estimate"] == pytest.approx(value, rel=1e-12)
            assert row["lower"] <= row["estimate"] <= row["upper"] or name == "calibration_error"
    # The most probable category is the same, so that every paired difference is 0.
    paired = differences_to("voting", found.scores, found.differences).set_index("score")
    assert paired.loc["accuracy", ["difference", "error"]].tolist() == [0, 0]
    assert paired.loc["log_loss", "error"] > 0


def test_intervals_of_accuracy_have_the_width_of_a_binomial():
    one = problem(400)
    right = np.eye(2)[one.gold]
    right[:100] = right[:100, ::-1]
    found = compare(one, scored(one, made=right, other=right[:, ::-1]), replicates=4000, seed=1)
    row = found.scores[found.scores["score"] == "accuracy"].iloc[0]
    expected = 2 * scipy.stats.norm.isf(0.025) * math.sqrt(0.75 * 0.25 / 400)
    # The percentiles of 4,000 draws are themselves off by some hundredths of the width.
    assert row["upper"] - row["lower"] == pytest.approx(expected, rel=0.06)
    # The other is right where this one is wrong: the difference is 2 p - 1.
    (paired,) = (
        differences_to(name, found.scores, found.differences)
        .query("score == 'accuracy'")
        .to_dict("records")
        for name in ["other"]
    )
    assert paired[0]["difference"] == pytest.approx(0.5)
    # Of 4,000 draws the standard deviation has a relative error of 1 / sqrt(8,000).
    sd = 2 * math.sqrt(0.75 * 0.25 / 400)
    assert paired[0]["error"] == pytest.approx(sd, rel=4 / math.sqrt(8000))


def test_differences_to_any_method_are_those_computed_directly():
    one = problem(80)
    rng = np.random.default_rng(3)
    fits = {name: rng.dirichlet(np.ones(2), 80) for name in "abcd"}
    found = compare(one, scored(one, **fits), replicates=60, seed=1)
    direct = {}
    times = np.vstack(list(_resamples(80, 60, np.random.default_rng(source(one)))))
    for name, posterior in fits.items():
        direct[name] = resampled_scores(posterior, one.gold, times)[:, 2]
    for reference in fits:
        table = differences_to(reference, found.scores, found.differences)
        rows = table[table["score"] == "log_loss"].set_index("method")
        assert list(rows.index) == [name for name in fits if name != reference]
        for name, row in rows.iterrows():
            gap = direct[name] - direct[reference]
            assert row["difference"] == pytest.approx(gap[0], abs=1e-12)
            assert row["error"] == pytest.approx(gap[1:].std(ddof=1), rel=1e-9)
        assert len(set(rows["critical"])) == 1


def source(one, seed=1):
    return [seed, zlib.crc32(one.name.encode())]


def test_the_critical_value_is_that_of_independent_or_equal_normal_estimates(rng):
    # Of m independent normal estimates c has (2 Phi(c) - 1)^m = .95; of equal ones m counts as 1.
    drawn = rng.normal(size=(8, 40_000)) * np.arange(1, 9)[:, None] + 5
    errors, critical = studentise(drawn)
    expected = scipy.stats.norm.isf((1 - 0.95 ** (1 / 8)) / 2)
    # A quantile of R draws has the error sqrt(.95 .05 / R) / density, and the density is .12.
    assert critical == pytest.approx(expected, abs=4 * math.sqrt(0.0475 / 40_000) / 0.12)
    np.testing.assert_allclose(errors, np.arange(1, 9), rtol=4 / math.sqrt(80_000))
    _, alone = studentise(np.tile(drawn[:1], (8, 1)))
    assert alone == pytest.approx(1.96, abs=4 * math.sqrt(0.0475 / 40_000) / 0.12)


def test_estimates_that_do_not_vary_are_left_out_of_the_family(rng):
    drawn = np.vstack([np.zeros(500), rng.normal(size=500)])
    errors, critical = studentise(drawn)
    assert errors[0] == 0
    assert critical == studentise(drawn[1:])[1]
    assert np.isnan(studentise(drawn[:1])[1])


def test_the_order_of_methods_and_the_presence_of_others_change_nothing():
    one = problem()
    votes = voting.fit(one.annotations).posterior
    both = scored(one, a=votes, b=votes[:, ::-1])
    first = compare(one, both, replicates=50, seed=1)
    second = compare(one, both[::-1], replicates=50, seed=1)
    alone = compare(one, both[:1], replicates=50, seed=1)
    pd.testing.assert_frame_equal(first.scores, second.scores)
    pd.testing.assert_frame_equal(first.differences, second.differences)
    own = first.scores[first.scores["method"] == "a"].reset_index(drop=True)
    pd.testing.assert_frame_equal(own, alone.scores)


def test_resamples_in_blocks_are_those_in_one_piece(monkeypatch):
    whole = np.vstack(list(_resamples(30, 20, np.random.default_rng(1))))
    assert (whole[0] == 1).all()
    assert (whole.sum(axis=1) == 30).all()
    monkeypatch.setattr(comparison, "BLOCK", 70)
    blocks = list(_resamples(30, 20, np.random.default_rng(1)))
    assert len(blocks) == 11
    np.testing.assert_array_equal(np.vstack(blocks), whole)


# Risk and coverage, curves, confusion matrices.


def test_the_area_is_the_librarys_of_each_resample(rng):
    confidence, right = rng.integers(0, 6, 40) / 6, rng.random(40) < 0.7
    times = rng.integers(0, 3, (5, 40))
    found = risk_area(confidence, right.astype(float), times)
    for area, n in zip(found, times, strict=True):
        curve = risk_coverage(np.repeat(confidence, n), np.repeat(right, n))
        assert area == pytest.approx(curve.area, rel=1e-12)


def test_the_area_is_that_worked_out_by_hand():
    # Sure .9 and right; then two of .7, one right: risks 0, (0 + 1/2) / 2, 1/3.
    found = score([[0.9, 0.1], [0.7, 0.3], [0.7, 0.3]], [0, 0, 1])
    assert found["risk_area"] == pytest.approx((0 + 1 / 4 + 1 / 3) / 3)


def test_curves_are_those_worked_out_by_hand():
    table = curves(np.array([[0.95, 0.05], [0.72, 0.28], [0.74, 0.26]]), np.array([0, 0, 1]))
    calibration = table[table["curve"] == "calibration"]
    assert calibration["n_items"].tolist() == [2, 1]
    np.testing.assert_allclose(calibration[["x", "y"]], [[0.73, 0.5], [0.95, 1]])
    risk = table[table["curve"] == "risk"].set_index("x")["y"]
    # Of three items .1 to .4 are one, .5 to .8 two (1.5 rounds to 2), and 1 is all.
    assert risk[[0.1, 0.4, 0.5, 0.8, 1.0]].tolist() == pytest.approx([0, 0, 1 / 2, 1 / 2, 1 / 3])


def test_macro_f_is_that_of_the_confusion_matrix(rng):
    gold = rng.integers(0, 4, 200)
    answer = np.where(rng.random(200) < 0.6, gold, rng.integers(0, 3, 200))
    counts = np.zeros((6, 6))
    np.add.at(counts, (gold, answer), 1)
    # Categories 4 and 5 occur nowhere.
    expected = category_scores(counts).averaged_f1
    assert score(np.eye(6)[answer], gold)["macro_f"] == pytest.approx(expected, rel=1e-12)


def test_errors_of_confusion_matrices_are_weighted_by_labels():
    labels = Annotations.from_arrays(
        list("uvwxyzu"), list("aaaaaab"), list("0001111"), categories="01"
    )
    gold = np.array([0, 0, 0, 0, 1, -1])
    # a: category 0 three of four right, 1 once right; b: wrong of its one label of category 0.
    estimate = np.array([[[0.95, 0.05], [0.4, 0.6]], [[np.nan, np.nan], [0.5, 0.5]]])
    error, n = score_confusion(estimate, labels, gold)
    assert n.tolist() == [5, 1]
    assert error.tolist() == pytest.approx([4 * 0.2 + 1 * 0.4, 1])
    one = BenchmarkCase("toy", labels, gold, "real")
    votes = voting.fit(labels).posterior
    fit = FitRecord("toy", "m", "scored", posterior=votes, confusion=estimate)
    table = compare(one, [fit], replicates=50, seed=1).scores.set_index("score")
    assert table.loc["confusion_error", "estimate"] == pytest.approx(2.2 / 6)
    # Resampled annotators are only a, only b, or both.
    ends = table.loc["confusion_error", ["lower", "upper"]].tolist()
    assert ends == pytest.approx([1.2 / 5, 1])


# What a method may see, its seed, and its budget.


def test_a_method_sees_the_labels_alone():
    def curious(annotations):
        assert not hasattr(annotations, "gold")
        return even(annotations)

    methods = [model("curious", curious)]
    (found,) = fit_all([problem()], methods, limit=30, seed=1)
    assert found.status == "scored", found.note


def test_a_random_method_is_seeded_by_the_seed_its_name_and_the_data():
    def random(annotations, *, rng):
        first = rng.random(annotations.n_items)
        return SimpleNamespace(posterior=np.column_stack([first, 1 - first]))

    def drawn(seed, name="one"):
        methods = [model(name, random, deterministic=False)]
        return fit_all([problem()], methods, limit=30, seed=seed)[0].posterior.tolist()

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert drawn(1) != drawn(1, "two")


def busy(annotations):
    if annotations.n_items > 50:
        while True:
            sum(range(1000))
    return even(annotations)


def test_a_method_that_exceeds_its_budget_is_stopped():
    methods = [model("busy", busy), model("even", even)]
    small, large, larger = problem(20, seed=1), problem(60), problem(80)
    renamed = [
        BenchmarkCase(name, each.annotations, each.gold, each.provenance)
        for name, each in (("larger", larger), ("small", small), ("large", large))
    ]
    found = fit_all(renamed, methods, limit=0.5, seed=1)
    assert [(a.method, a.problem, a.status) for a in found] == [
        ("busy", "small", "scored"),
        ("busy", "large", "over budget"),
        ("busy", "larger", "over budget"),
        *(("even", name, "scored") for name in ("small", "large", "larger")),
    ]
    assert found[1].note == "more than 0.5 s of processor time"
    assert found[2].note == "more than 0.5 s of processor time"
    assert found[1].posterior is None


def test_a_fit_that_ends_late_has_no_score():
    def slow(annotations):
        # One call of compiled code, which no signal ends.
        sum(range(20_000_000 if annotations.n_items > 50 else 0))
        return even(annotations)

    methods = [model("slow", slow)]
    (found,) = fit_all([problem()], methods, limit=0.05, seed=1)
    assert found.status == "over budget"
    assert found.posterior is None
    assert found.seconds >= 0.05


def test_refusals_and_faults_are_told_apart():
    def refuses(annotations):
        raise AnnotationError("refuses: needs more. Give more.")

    def fails(annotations):
        raise ZeroDivisionError("by zero")

    def wrong(annotations):
        return SimpleNamespace(posterior=np.ones((annotations.n_items, 2)))

    def short(annotations):
        return SimpleNamespace(posterior=np.ones((1, 2)) / 2)

    narrow = model("narrow", even, max_categories=1)
    methods = [*(model(f.__name__, f) for f in (refuses, fails, wrong, short)), narrow]
    found = {a.method: a for a in fit_all([problem()], methods, limit=30, seed=1)}
    status = {name: attempt.status for name, attempt in found.items()}
    assert status == {
        "refuses": "not applicable",
        "narrow": "not applicable",
        "fails": "failed",
        "wrong": "failed",
        "short": "failed",
    }
    assert found["fails"].note == "ZeroDivisionError: by zero"
    assert "not probabilities" in found["wrong"].note
    assert "shape (1, 2), not (60, 2)" in found["short"].note
    assert all(attempt.posterior is None for attempt in found.values())


def test_an_exception_that_a_model_catches_does_not_hide_the_limit():
    def stubborn(annotations):
        while annotations.n_items > 50:
            with contextlib.suppress(Exception):
                sum(range(1000))
        return even(annotations)

    methods = [model("stubborn", stubborn)]
    (found,) = fit_all([problem()], methods, limit=0.3, seed=1)
    assert found.status == "over budget"


def test_fits_are_read_as_they_were_written(tmp_path):
    def refuses(annotations):
        raise AnnotationError("refuses: needs more. Give more.")

    methods = [model("even", even), model("refuses", refuses), model("voting", voting.fit)]
    found = fit_all([problem(20), problem(30, n_labels=3)], methods, limit=30, seed=1)
    write_fits(found, tmp_path / "fits")
    again = read_fits(tmp_path / "fits")
    for one, other in zip(found, again, strict=True):
        np.testing.assert_equal(vars(other), vars(one))
    write_fits([], tmp_path / "none")
    assert read_fits(tmp_path / "none") == []


def test_memory_is_the_rise_during_the_fit():
    def hungry(annotations):
        if annotations.n_items > 50:
            np.ones(10_000_000)  # 80 MB, given back at once
        return even(annotations)

    methods = [model("hungry", hungry), model("modest", even)]
    hungry_, modest = fit_all([problem()], methods, limit=30, seed=1)
    if math.isnan(modest.peak_bytes):
        pytest.skip("this system does not tell the peak of memory")
    assert 79e6 < hungry_.peak_bytes < 120e6
    assert modest.peak_bytes < 20e6


def test_a_limit_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match="limit must be more than 0 seconds, got 0"):
        fit_all([], [], limit=0, seed=1)


def test_every_discovered_model_appears_for_every_problem():
    one = problem(20)
    every = [each for _, each in sorted(models.discover().items())]
    found = fit_all([one], every, limit=60, seed=1)
    assert [attempt.method for attempt in found] == sorted(models.discover())
    table = describe_fits(found)
    assert set(table["method"]) == set(models.discover())
    assert (table["status"] != "failed").all()
    rows = compare(one, found, replicates=20, seed=1).scores
    assert set(rows["method"]) == set(table.loc[table["status"] == "scored", "method"])
