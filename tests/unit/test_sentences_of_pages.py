"""What pages say and draw of small tables, sentence by sentence."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench.judges.assessment import CONSTANT
from annobench.labels import Annotations
from annobench.reporting import (
    audit_page,
    figures,
    judge_at_work,
    judge_page,
    judge_sentences,
    plan_page,
    report_further,
    report_page,
)
from annobench.resampling.intervals import Interval


@pytest.mark.parametrize(
    ("p_any", "says"),
    [
        (0.001, "windows differ"),
        (0.4, "windows do not differ"),
        (math.nan, "needs 6 anchor items"),
    ],
)
def test_a_test_of_windows_is_said(p_any, says):
    assert says in judge_at_work._verdict(p_any, 0.95)


def judged(**row):
    rows, nothing = [row | {"judge": "j"}, {"judge": CONSTANT}], pd.DataFrame()
    return SimpleNamespace(
        summary_table=pd.DataFrame(rows), consistency=nothing, position=nothing, basis="gold"
    )


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [
        (1.2, 1.9, "is more informative than a human's: it can replace one"),
        (0.3, 0.7, "is less informative than a human's: use it in addition"),
        (0.6, math.inf, "is open: its worth is within 0.60 to more than 10 human labels"),
        (math.nan, math.nan, ""),
    ],
)
def test_what_to_do_with_a_judge_follows_from_its_worth(lower, upper, says):
    found = judged(human_labels_lower=lower, human_labels_upper=upper, is_informative=True)
    text = " ".join(judge_sentences.next_steps(found)[:1])
    assert says in text
    assert bool(says) is bool(text)


def test_rates_that_may_be_none_are_named():
    table = pd.DataFrame(
        {
            "judge": ["j"] * 3,
            "n_items": 5,
            "youden": 0.2,
            "youden_lower": [-0.1, 0.1, math.nan],
            "youden_upper": 0.9,
        }
    )
    found = judge_page._rate_rows(SimpleNamespace(rates=table))
    assert [row["words"] for row in found] == ["may be uninformative", "", "may be uninformative"]


def test_a_goal_that_checks_do_not_reach_is_said_to_be_hopeless():
    design = {"annotators": 0, "items": 0, "labels": 0, "checks": 50}
    cheapest = pd.DataFrame(
        [design | {"goal": "near", "cost": 9.0}, design | {"goal": "far", "cost": math.inf}]
    )
    near, far = plan_page._steps(cheapest, pd.DataFrame({"information": []}), "")
    assert near.startswith("For near: 50 checks")
    assert far.startswith("For far, checks alone are not enough")


def test_the_curve_of_information_has_room_for_all_items(monkeypatch):
    monkeypatch.setattr(figures, "inline_svg", lambda figure, _: figure.axes[0])
    axes = plan_page._information_plot(pd.DataFrame({"information": [0.5, 0.3, 0.1]}))
    assert (axes.get_xlim(), axes.get_ylim()[0]) == ((0, 4), 0)
    assert axes.get_xlabel()
    assert axes.get_ylabel()


def test_numbers_of_annotators_are_said():
    said = [report_further._whole(n) for n in (math.nan, math.inf, 1200.0)]
    assert said == ["", "infinitely many", "1,200"]


def test_items_to_discuss_have_texts_where_there_are_any():
    a = Annotations.from_arrays(list("xxyy"), list("abab"), list("1011"))
    assert "text" not in report_page.to_discuss(a, {})
    assert report_page.to_discuss(a, {"x": "a text"})["text"].tolist() == ["a text"]


@pytest.mark.parametrize(
    ("lower", "target", "expected"),
    [(0.5, 0.6, True), (0.5, 0.5, False), (0.5, 0.9, False), (0.5, None, False)],
)
def test_a_target_is_open_within_the_interval(lower, target, expected):
    row = {"breakdown": "overall", "coefficient": report_page.LEADING}
    table = pd.DataFrame([row | {"lower": lower, "upper": 0.8}])
    assert report_page.is_open(table, target) is expected
    assert report_page.is_open(table.iloc[:0], target) is False


def test_ends_of_axes_are_fifths_below_the_values():
    assert figures.limits_of_agreement([0.71, 0.9], "interval") == (0.6, 1.0)
    assert figures.limits_of_agreement([0.71], "nominal") == (0.0, 1.0)
    assert figures.limits_of([-0.33, 0.9]) == (-0.4, 1.0)
    empty = figures.heat_map("t", np.full((1, 1), math.nan), ["a"], ["b"], None, None)
    assert (empty["low"], empty["rows"][0]["cells"]) == ("0.0", [None])


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [
        (0.80, 0.89, "it is overconfident"),
        (0.91, 0.99, "it is not confident enough"),
        (0.85, 0.93, "the checks do not contradict it"),
    ],
)
def test_confidence_is_compared_with_the_interval_of_the_accuracy(lower, upper, says):
    found = SimpleNamespace(
        accuracy=Interval(0.88, lower, upper, 0.95, "stratified"),
        design=SimpleNamespace(certainty=np.full(5, 0.9)),
        calibration=SimpleNamespace(kind="none", n_gold=5),
    )
    assert says in audit_page._calibration_sentence(found)
