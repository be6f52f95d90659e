"""statsmodels finds the same variance components by REML; mean squares are those printed."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from annobench.agreement import generalizability, icc
from annobench.agreement._variance_components import Refits, from_mean_squares
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent / "generalizability"
STORED = pd.read_csv(FOLDER / "values.csv", comment="#").set_index("case")
#: By what -2 log L may be short of the best where statsmodels stops: 1/30 of a standard error.
SHORT = 1e-3
#: What that leaves of variances, whose standard errors are below a third.
STOPPED = 1e-2


def load_script():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


SCRIPT = load_script()
#: Six targets, four judges: Shrout and Fleiss (1979), table 2.
SIX_TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def wide(rows) -> Annotations:
    table = np.array(rows, dtype=float)
    item, annotator = np.nonzero(~np.isnan(table))
    return Annotations.from_arrays(item, annotator, table[item, annotator], scale="interval")


def of_case(name: str) -> Annotations:
    table = SCRIPT.labels(SCRIPT.CASES[name])
    return Annotations.from_arrays(
        table["item"], table["annotator"], table["label"], scale="interval"
    )


def test_what_is_stored_was_made_by_the_script():
    lines = (FOLDER / "values.csv").read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    assert (ROOT / header["script"]).is_file()
    assert header["packages"].startswith("statsmodels==")
    assert set(STORED.index) == set(SCRIPT.CASES)


@pytest.mark.parametrize("case", SCRIPT.CASES)
def test_statsmodels_finds_the_same_components(case):
    a = of_case(case)
    found = generalizability(a, replicates=0)
    ours = np.array([found.items, found.annotators, found.residual])
    theirs = STORED.loc[case].to_numpy()
    np.testing.assert_allclose(ours, theirs, rtol=STOPPED, atol=STOPPED * theirs.sum() / 10)
    deviance, other = (
        Refits(a, np.asarray(a.values)).design.profile(np.sqrt(each[:2] / each[2]))[0]
        for each in (ours, theirs)
    )
    assert -1e-9 < other - deviance < SHORT
    assert found.estimation == ("analysis of variance" if case == "complete" else "REML")


def test_of_complete_labels_reml_and_mean_squares_are_one():
    table = np.array(SIX_TARGETS, dtype=float)
    a = wide(SIX_TARGETS)
    fitted = Refits(a, np.asarray(a.values)).fit()
    expected, _ = from_mean_squares(table)
    ours = (fitted.items, fitted.annotators, fitted.residual)
    theirs = (expected.items, expected.annotators, expected.residual)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


def test_the_mean_squares_of_shrout_and_fleiss_are_as_printed():
    # Table 3: 11.24, 32.49 and 1.02.
    _, squares = from_mean_squares(np.array(SIX_TARGETS, dtype=float))
    assert np.round(squares, 2).tolist() == [11.24, 32.49, 1.02]


def test_coefficients_of_complete_labels_are_intraclass_correlations():
    a = wide(SIX_TARGETS)
    found = generalizability(a)
    for kind, form in (("relative", "consistency"), ("absolute", "agreement")):
        one = icc(a, kind=form)
        ends = one.interval()
        assert getattr(found, kind) == pytest.approx(one.estimate, rel=1e-12)
        assert getattr(found, f"{kind}_lower") == pytest.approx(ends.lower, rel=1e-12)
        assert getattr(found, f"{kind}_upper") == pytest.approx(ends.upper, rel=1e-12)
        four = found.by_annotators([4])[kind].item()
        assert four == pytest.approx(icc(a, kind=form, ratings="average").estimate, rel=1e-12)


def test_the_annotators_that_are_needed_reach_the_coefficient_and_one_less_does_not():
    found = generalizability(wide(SIX_TARGETS))
    for kind in ("relative", "absolute"):
        n, few, many = found.annotators_needed(0.8, kind=kind)
        assert 1 <= few <= n <= many
        reached = found.by_annotators([int(n) - 1, int(n)])[kind].tolist()
        assert reached[0] < 0.8 <= reached[1]


def test_items_that_do_not_differ_need_infinitely_many_annotators():
    found = generalizability(wide([[1, 2], [2, 1], [1, 2], [2, 1]]))
    assert found.items == 0
    assert found.relative == 0
    assert found.annotators_needed()[0] == math.inf


@pytest.mark.parametrize(
    "rows", [[[3, 3], [3, 3]], [[1, 2, None], [2, 3, 4], [None, 4, 5], [4, 5, 6]]]
)
def test_labels_without_a_residual_or_any_difference_are_undefined(rows):
    with pytest.warns(DegenerateWarning, match="undefined"):
        found = generalizability(wide(rows))
    assert math.isnan(found.relative)
    assert math.isnan(found.absolute_lower)
    assert math.isnan(found.annotators_needed()[0])


def test_limits_of_the_bootstrap_are_reproducible_and_contain_the_estimate():
    a = of_case("some_missing")
    one, again = (generalizability(a, rng=1, replicates=30) for _ in range(2))
    assert one.relative_lower == again.relative_lower
    assert one.relative_lower < one.relative < one.relative_upper
    assert one.absolute_lower < one.absolute < one.absolute_upper
    none = generalizability(a, replicates=0)
    assert math.isnan(none.relative_lower)
    assert none.relative == one.relative


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (Annotations.from_arrays([1, 2, 3], list("xyx"), [1, 2, 3]), "no item has two labels"),
        (Annotations.from_arrays([1, 2], list("xx"), [1, 2]), "two annotators, got 2 and 1"),
        (Annotations.from_arrays([1, 1, 1], list("xxy"), [1, 2, 2]), "labelled an item twice"),
        (Annotations.from_arrays([1, 1, 2, 2], list("xyxy"), list("abab")), "finite numbers"),
    ],
)
def test_labels_without_components_are_refused(labels, message):
    with pytest.raises(AnnotationError, match=message):
        generalizability(labels)


def test_options_out_of_range_are_refused():
    found = generalizability(wide(SIX_TARGETS))
    with pytest.raises(AnnotationError, match=r"target must be in \(0, 1\), got 1"):
        found.annotators_needed(1)
    with pytest.raises(AnnotationError, match="kind 'both' is not one of"):
        found.annotators_needed(kind="both")
    with pytest.raises(AnnotationError, match="0 annotators"):
        found.by_annotators([0])
