"""Parts of commands: what is proposed, refused, replaced, and warned of."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from annobench.cli._proposals import Facts, _of_question, propose
from annobench.cli._reading import refuse_sets
from annobench.cli._replacing import _is_of
from annobench.cli._shared import _first_formula, _may_begin_formula
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
    [("=1", True), ("x,=1", True), ('x,"=1"', True), ('"=1",x', True), ('x,"a"', False)],
)
def test_a_cell_that_a_spreadsheet_would_compute_is_seen(line, expected, tmp_path):
    assert _may_begin_formula(f"\n{line}\n".encode(), ",") is expected
    # Behind a megabyte, too, which is one block.
    path = tmp_path / "labels.csv"
    path.write_text("plain,cells\n" * 100_000 + f"{line}\n")
    assert (_first_formula(path) == "=1") is expected
