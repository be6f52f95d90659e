"""Parts of commands: what is proposed, refused, replaced, and warned of."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from annobench.cli._proposals import Facts, _of_question, propose
from annobench.cli._reading import refuse_sets
from annobench.cli._replacing import _is_of
from annobench.cli._requirements import Requirement
from annobench.cli._shared import _first_formula, _may_begin_formula
from annobench.cli.judge import _outcomes
from annobench.cli.plan import _compared, _expected
from annobench.cli.rank import _table_of
from annobench.cli.report import _overall_table
from annobench.core.errors import AnnotationError
from annobench.labels import Annotations


@pytest.mark.parametrize(("n_repeats", "option"), [(0, ""), (3, " --repeats first")])
def test_repeated_labels_need_a_choice(n_repeats, option):
    found = propose(Facts("spans", 2, 2, 5, n_repeats), "labels.csv")
    assert found.commands == [f"annobench report labels.csv{option}"]


def test_a_question_without_finished_answers_has_a_reason():
    def select(*_, **__):
        raise AnnotationError("nothing is left")

    found = _of_question(Path("x.json"), SimpleNamespace(select=select), "q", [], [])
    assert found.commands == []
    assert found.reasons[0].startswith("No answer is finished.")


def test_of_sets_the_option_that_was_chosen_most_often_is_proposed():
    sets = [{"a", "c"}, {"b", "c"}, {"c"}, {"a"}]
    labels = Annotations.from_sets([0, 0, 1, 1], list("abab"), sets)
    with pytest.raises(AnnotationError, match=r"--question q=c\."):
        refuse_sets(SimpleNamespace(labels=labels, question="q"), "consensus")


def test_a_target_is_its_source_though_neither_is_there(tmp_path):
    source = tmp_path / "labels.csv"
    assert _is_of(tmp_path / "x" / ".." / "labels.csv", source, "convert")
    assert not _is_of(tmp_path / "other.csv", source, "convert")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *(("=1", True), ("x,=1", True), ('x,"=1"', True), ('"=1",x', True)),
        *(('x,"a"', False), ("x,a=1", False)),
    ],
)
def test_a_cell_that_a_spreadsheet_would_compute_is_seen(line, expected, tmp_path):
    assert _may_begin_formula(f"\n{line}\n".encode(), ",") is expected
    # Behind a megabyte, too, which is one block.
    path = tmp_path / "labels.csv"
    path.write_text("plain,cells\n" * 100_000 + f"{line}\n")
    assert (_first_formula(path) == "=1") is expected


def test_a_formula_is_seen_behind_a_long_text(tmp_path):
    # Nothing has yet been read that raises the limit.
    limit = csv.field_size_limit(1 << 17)
    try:
        path = tmp_path / "to_check.csv"
        path.write_text("item,text\n" + f"x,{'long ' * 40_000}\ny,=1+1\n")
        assert _first_formula(path) == "=1+1"
    finally:
        csv.field_size_limit(limit)


def printed(table):
    console = Console(width=100, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


def test_a_coefficient_without_an_interval_has_none():
    row = {"breakdown": "overall", "coefficient": "fleiss_kappa", "options": "", "n_items": 7.0}
    ends = [{"lower": 0.1, "upper": 0.3}, {"lower": math.nan, "upper": math.nan}]
    shown = printed(_overall_table(pd.DataFrame([row | {"estimate": 0.2} | e for e in ends]), 0.95))
    assert shown.count("0.100 to 0.300") == 1
    assert "nan" not in shown


def test_a_strength_without_bounds_has_no_interval():
    row = {"item": "x", "strength": 1.0, "upper": 2.0, "n_comparisons": 3}
    row |= {"rank": 1.0, "rank_best": 1.0, "rank_worst": 2.0}
    table = pd.DataFrame([row | {"lower": low} for low in (0.5, -math.inf, math.inf)])
    shown = printed(_table_of(SimpleNamespace(table=table, level=0.95)))
    assert shown.count(" to 2.00") == 1


#: Of agreement and of kappa: the difference of the judge from humans, and its own value.
VALUES = {
    column: values
    for name, values in (("difference", [0.1, 0.2]), ("human_judge", [0.5, 0.6]))
    for column in (name, f"{name}_lower", f"{name}_upper")
}


@pytest.mark.parametrize(("quantity", "estimate"), [("difference", 0.1), ("kappa", 0.6)])
def test_a_requirement_of_a_judge_is_of_its_measure(quantity, estimate):
    agreement = pd.DataFrame(
        {"judge": "j", "measure": ["agreement", "kappa"], "category": "", **VALUES}
    )
    [found] = _outcomes(Requirement(quantity, 0.0), {"agreement": agreement}, ["j"])
    assert found.estimate == estimate


def test_the_accuracy_that_a_model_expects_is_the_mean_over_items():
    a = Annotations.from_wide([["1", "0"], ["1", "1"], ["0", "0"]])
    fitted = SimpleNamespace(
        items=a.items, posterior=np.array([[0.4, 0.6], [0.1, 0.9], [0.7, 0.3]])
    )
    assert _expected(a, fitted, None, None, None)[0] == pytest.approx((0.6 + 0.9 + 0.7) / 3)
    assert _expected(a, fitted, 0.5, None, None)[0] == 0.5
    gold = {"0": "1", "1": "0"}
    assert _expected(a, fitted, None, gold, _compared(a, gold, 1))[0] == (1 + 1) / (2 + 2)
