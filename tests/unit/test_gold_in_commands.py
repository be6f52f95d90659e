"""What commands say of gold that was chosen: judge, plan, audit, certificate, compare."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench import judges
from annobench.audit import assessment
from annobench.audit.design import draw
from annobench.cli import app
from annobench.labels.annotations import Annotations


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def table(path, with_gold):
    """Write 180 items of three annotators, 67 of them disputed, and gold of some."""
    rows = [["1", "1", "0"]] * 57 + [["0", "1", "0"]] * 10 + [["1"] * 3] * 60 + [["0"] * 3] * 53
    truth = ["1"] * 127 + ["0"] * 53
    lines = [
        f"i{n:03},{','.join(row)},{truth[n] if n in with_gold else ''}"
        for n, row in enumerate(rows)
    ]
    path.write_text("\n".join(["item,Anna,Ben,Carla,Adjudicated", *lines]))
    return path, ("--from", "wide", "--gold", "Adjudicated")


@pytest.fixture
def adjudicated(tmp_path):
    return table(tmp_path / "clean.csv", range(67))


def test_plan_does_not_expect_the_accuracy_of_disputed_items(adjudicated, tmp_path):
    path, options = adjudicated
    said = run("plan", path, *options, "--model", "voting")
    assert "the model's own estimate, as gold does not represent all items" in said
    assert "label 43 more items" in said
    assert len(pd.read_csv(tmp_path / "clean_plan" / "to_label.csv")) == 43
    path, options = table(tmp_path / "more.csv", [*range(67), *range(115, 139)])
    said = run("plan", path, *options, "--model", "voting")
    # 57 of 67 disputed items and all of 113 unanimous ones are right.
    share = float(said.split("Expected accuracy of the consensus: ")[1][:5])
    assert share == pytest.approx((57 + 113) / 180, abs=0.02)
    assert "post-stratified by the agreement of labels" in said


def test_certificate_compares_retained_labels_with_gold(tmp_path):
    path, options = table(tmp_path / "clean.csv", [*range(67), *range(115, 139)])
    said = run("certificate", path, *options, "--min-agreement", "unanimous")
    # Of the unanimous items, 24 have gold, and all are right.
    assert "gold: 0 of 24 retained labels with gold are wrong, 0.0% (95% interval 0.0% to" in said
    assert "Gold is not a random sample" not in said


def test_compare_says_that_the_others_may_rank_differently(adjudicated):
    path, options = adjudicated
    said = run("compare", "--labels", path, *options, "--against", "voting,wawa")
    assert "may rank differently on all items (all labels agreeing: 0 of 113 items" in said


def test_audit_compares_what_was_checked_with_what_was_skipped():
    rng = np.random.default_rng(3)
    sure = rng.uniform(0.5, 1, 400)
    names = tuple(f"i{n}" for n in range(400))
    design = draw(names, ("no", "yes"), np.column_stack([sure, 1 - sure]), 100, rng=1)
    inside = np.flatnonzero(design.drawn)
    inside = inside[np.argsort(design.order[inside])]
    at_random = {names[i]: "no" for i in rng.permutation(inside)[:60]}
    middle = pd.Series(design.certainty).groupby(design.stratum).transform("median")
    easy = {names[i]: "no" for i in inside if design.certainty[i] > middle[i]}
    assert 20 < len(easy) < 80
    texts = [" ".join(assessment.assess(design, each, rng=1).remarks) for each in (at_random, easy)]
    assert ["differ from those not checked" in text for text in texts] == [False, True]
    assert f"check the {100 - len(easy)} items of to_check.csv" in texts[1]


def judged(n_unanimous):
    """Return labels of three humans and a judge, and gold of the disputed items and of others."""
    rows = [["1", "1", "0", "0"]] * 67 + [["1", "1", "1", "1"]] * 60 + [["0", "0", "0", "0"]] * 60
    labels = Annotations.from_wide(pd.DataFrame(rows, columns=["a", "b", "c", "llm"]))
    gold = dict.fromkeys(labels.items[:67], "1")
    gold |= dict.fromkeys(labels.items[67 : 67 + n_unanimous], "1")
    gold |= dict.fromkeys(labels.items[127 : 127 + n_unanimous], "0")
    return labels, gold


def test_judges_are_not_assessed_on_disputed_items_alone():
    labels, gold = judged(0)
    found = judges.assess(labels, ["llm"], gold=gold, rng=1, replicates=50)
    assert found.gold is None
    assert found.basis == "humans"
    assert found.prevalence.empty
    assert any("Judges are assessed by the humans' labels" in text for text in found.remarks)
    assert len(found.tables["to_label"]) == 43


def test_judges_are_assessed_on_gold_that_is_like_all_items():
    labels, gold = judged(20)
    found = judges.assess(labels, ["llm"], gold=gold, rng=1, replicates=50)
    assert found.basis == "gold"
    kept = np.array([name in found.gold for name in labels.items])
    # Unanimous items are 120 of 187; 40 of them have gold, and 22 of the 67 others are used.
    assert kept[67:].sum() == 40
    assert kept[:67].sum() == round(67 * 40 / 120)
    accuracy = found.summary_table.set_index("judge").loc["llm", "accuracy"]
    assert accuracy == pytest.approx(40 / 62)
    assert "40 of the" not in found.remarks[0]
    assert "62 of the 107 gold items are used" in " ".join(found.remarks)


def test_random_gold_of_judges_is_used_as_it_is():
    labels, _ = judged(0)
    chosen = np.random.default_rng(2).choice(187, 60, replace=False)
    gold = {labels.items[i]: "0" if i >= 127 else "1" for i in chosen}
    found = judges.assess(labels, ["llm"], gold=gold, rng=1, replicates=50)
    assert found.gold == gold
    assert not any("random sample" in text for text in found.remarks)
