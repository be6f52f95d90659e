"""What pages say of the stored benchmark is what the stored tables say."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from commands import quote_benchmark
from pages.benchmark_quotes import (
    PAUN_MODELS,
    PAUN_SCORES,
    closest_in_pairs,
    goals,
    quote_paun_models,
)


def averages(**changed):
    """Averages of three methods, of which random_clumped reaches every goal."""
    ours = {
        "mean_log_loss": 0.5,
        "median_log_loss": 0.4,
        "mean_accuracy": 0.9,
        "median_calibration_error": 0.05,
    }
    rows = [
        {"method": "random_clumped", "whole": "yes"} | ours | changed,
        {"method": "dawid_skene", "whole": "yes"} | dict.fromkeys(ours, 1.0),
        {"method": "voting", "whole": "yes"} | dict.fromkeys(ours, 0.6),
        {"method": "part", "whole": "no"} | dict.fromkeys(ours, 0.0),
    ]
    rows[1]["mean_accuracy"] = 0.8
    return pd.DataFrame(rows)


@pytest.mark.parametrize("page", quote_benchmark.PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_the_stored_tables_say(page):
    text = page.read_text(encoding="utf-8")
    assert quote_benchmark.quoting(page, text, quote_benchmark.STORED) == text, (
        "run workflow/commands/quote_benchmark.py, as `make aggregation` does"
    )


@pytest.mark.parametrize("page", quote_benchmark.PAGES, ids=lambda page: page.stem)
def test_what_stands_between_the_marks_is_replaced(page):
    old = f"before\n{quote_benchmark.BEGIN}\nold\n{quote_benchmark.END}\nafter"
    new = quote_benchmark.quoting(page, old, quote_benchmark.STORED)
    assert "old" not in new
    assert new.startswith("before\n")
    assert new.endswith("\nafter")
    assert "dawid_skene" in new
    with pytest.raises(SystemExit, match="there must be one"):
        quote_benchmark.quoting(page, "no marks", quote_benchmark.STORED)


def test_models_are_averaged_over_the_data_sets_that_all_have():
    names = PAUN_MODELS[:2]
    losses = {"a": (0.5, 0.4), "b": (0.3, 0.6), "c": (0.9, 0.7), "d": (0.1, None)}
    rows = [
        (problem, method, score, value)
        for problem, values in losses.items()
        for method, value in zip(names, values, strict=True)
        for score in PAUN_SCORES
        if value is not None
    ]
    problems = pd.DataFrame({"problem": list("abcd"), "provenance": "real"})
    tables = SimpleNamespace(
        scores=pd.DataFrame(rows, columns=["problem", "method", "score", "estimate"]),
        problems=problems.assign(same_labels_as=["", "", "b", ""]),
        settings={"versions": {"annobench": "1"}, "grid": "full", "seed": 1},
    )
    said = quote_paun_models(tables)
    assert "Means over 2 of 3 real data sets" in said
    assert f"| `{names[0]}` | .400 | .400 | .400 | 1 |" in said
    assert f"| `{names[1]}` | .500 | .500 | .500 | 1 |" in said
    assert f"Not in the stored tables: `{PAUN_MODELS[2]}`, " in said


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({}, []),
        ({"mean_log_loss": 0.76}, [0]),
        ({"median_log_loss": 0.7}, [2]),
        ({"median_log_loss": 0.6}, [2]),
        ({"mean_accuracy": 0.79}, [3]),
        ({"median_calibration_error": 0.07}, [4]),
    ],
)
def test_goals_are_reached_or_not(changed, missed):
    found = goals(averages(**changed))
    assert [n for n, text in enumerate(found) if text.startswith("Not reached: ")] == missed
    assert all(text.startswith(("Reached: ", "Not reached: ")) for text in found)


def test_goals_need_both_models_on_every_data_set():
    assert goals(averages(whole="no")) == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        # The median of the differences is .1, although the medians themselves are equal.
        ([0.3, 0.5, 0.9], "Reached: .* `other`, 2 of 3 data sets, median difference 0.100"),
        ([0.3, 0.3, 0.9], "Not reached: .* `other`, 1 of 3 data sets, median difference -0.100"),
        ([0.3, float("nan"), 0.9], "Reached: .* `other`, 1 of 2 data sets"),
    ],
)
def test_methods_are_compared_on_the_data_sets_that_both_have(other, said):
    losses = pd.DataFrame(
        {"random_clumped": [0.5, 0.4, 0.5], "other": other, "worst": [2.0, 2.0, 2.0]}
    )
    assert re.match(said, closest_in_pairs(losses))
