"""The parts of a report on how annotators differ."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench import agreement
from annobench.cli import app
from annobench.labels.annotations import Annotations
from annobench.reporting import report_page
from annobench.reporting.report_further import further

HOSTILE = "<script>alert(1)</script>"


def ratings(n_annotators: int, *, missing: float = 0.0) -> Annotations:
    rng = np.random.default_rng(4)
    shape = (40, n_annotators)
    x = (
        rng.normal(50, 15, size=(40, 1))
        + 5 * np.arange(n_annotators)
        + rng.normal(0, 6, size=shape)
    )
    item, annotator = np.nonzero(rng.random(shape) >= missing)
    names = np.array([HOSTILE, "ben", "cem", "dora"])
    return Annotations.from_arrays(
        item, names[annotator], np.round(x[item, annotator]), scale="interval"
    )


def page(labels: Annotations) -> str:
    table = agreement.report(labels)
    return report_page.render(
        labels, table, source="labels.csv", further=further(labels, level=0.95)
    )


def test_numbers_have_limits_and_variances_and_no_margins():
    labels = ratings(2)
    found = further(labels, level=0.95)
    assert found.margins is None
    assert found.limits is not None
    assert found.variances is not None
    assert set(found.tables) == {"limits_of_agreement", "generalizability"}
    text = page(labels)
    assert "How far apart are two labels?" in text
    assert "How many annotators per item?" in text
    assert "Do annotators use the categories" not in text
    assert HOSTILE not in text


def test_of_several_annotators_the_pair_that_differs_most_is_shown():
    labels = ratings(4, missing=0.2)
    found = further(labels, level=0.95)
    # Means are 5 apart from one annotator to the next.
    assert {found.limits.first, found.limits.second} == {HOSTILE, "dora"}
    assert found.variances.estimation == "REML"
    again = further(labels, level=0.95)
    assert again.variances.absolute_lower == found.variances.absolute_lower


def test_categories_have_margins_alone():
    table = [[20, 15, 3], [1, 15, 6], [1, 2, 12]]
    labels = Annotations.from_contingency(table, categories=["a", "b", HOSTILE])
    found = further(labels, level=0.95)
    assert found.limits is None
    assert found.variances is None
    assert set(found.tables) == {"margins", "margins_by_category"}
    text = page(labels)
    # 38 of 75 against 22.
    assert "chose “a” for 51% of their 75 common items" in text
    assert HOSTILE not in text


@pytest.mark.parametrize(
    "labels",
    [
        Annotations.from_counts([[2, 1], [0, 3]]),
        Annotations.from_sets([1, 1], ["x", "y"], [{"a"}, {"b"}]),
        Annotations.from_arrays([1, 2], ["x", "y"], [0, 1]),
        Annotations.from_arrays([1, 1, 2, 2], list("xyxy"), ["a"] * 4),
        Annotations.from_contingency([[3, 1], [2, 3]]),  # nine items
        Annotations.from_arrays([1, 1], list("xy"), [3, 4], scale="interval"),
    ],
)
def test_labels_to_which_nothing_applies_have_none_of_it(labels):
    assert further(labels, level=0.95).tables == {}


def test_pairs_that_do_not_differ_are_said_so():
    labels = Annotations.from_contingency([[20, 5], [5, 20]])
    assert "does not differ significantly" in page(labels)
    rows = np.tile([[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 1]], (3, 1))
    wide = pd.DataFrame(rows, columns=list("abc"))
    assert "No significant difference between any of 3 pairs" in page(Annotations.from_wide(wide))


def test_the_command_writes_page_and_tables(tmp_path):
    path = tmp_path / "labels.csv"
    ratings(3).to_frame().to_csv(path, index=False)
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["report", str(path), "--scale", "interval", "--out", str(out)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(out / "limits_of_agreement.csv")
    assert table["quantity"].tolist() == ["bias", "lower limit", "upper limit"]
    assert pd.read_csv(out / "generalizability.csv")["n_annotators"].tolist()[:3] == [1, 2, 3]
    assert "How many annotators per item?" in (out / "report.html").read_text(encoding="utf-8")
