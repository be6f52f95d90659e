"""The commands `audit` and `plan`, their pages, planning, and labels placed by information."""

from __future__ import annotations

import json
import math
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from typer.testing import CliRunner

from annobench import models
from annobench.aggregation.gold import fit_with_gold
from annobench.audit import next_labels, planning
from annobench.benchmark.cases import BenchmarkCase
from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.evaluation import information
from annobench.labels.annotations import Annotations
from annobench.resampling.stratified import share_limits
from studies.audit import audit_coverage, label_replay

NASTY = "<script>alert('x')</script>"


def panel(n_items=120, n_annotators=5, seed=1, right=0.8):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n_items)
    wrong = rng.random((n_items, n_annotators)) > right
    wide = pd.DataFrame(
        (truth[:, None] ^ wrong).astype(int), columns=list("abcdefghij")[:n_annotators]
    )
    wide = wide.replace({0: "no", 1: NASTY})
    wide.index = [f"i{n}" for n in range(n_items)]
    return Annotations.from_wide(wide, categories=["no", NASTY]), truth


@pytest.fixture
def labels(tmp_path):
    a, truth = panel()
    path = tmp_path / "labels.csv"
    a.to_frame()[["item", "annotator", "label"]].to_csv(path, index=False)
    return path, {name: ["no", NASTY][k] for name, k in zip(a.items, truth, strict=True)}


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def check_self_contained(page):
    assert NASTY not in page
    # A script may stand in the page and ask for nothing.
    assert not re.search(r"https?://|@import|url\((?!#)|<script[^>]*src|fetch\(|import\(", page)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for target in re.findall(r'href="#([^"]+)"', page):
        assert target in ids


def test_an_audit_from_labels_to_release(labels, tmp_path):
    path, truth = labels
    drawn = run("audit", path, "--checks", 60)
    assert drawn.exit_code == 0, drawn.output
    folder = tmp_path / "labels_audit"
    check_self_contained((folder / "to_check.html").read_text())
    table = pd.read_csv(folder / "to_check.csv", dtype=str)
    assert len(table) == 60
    again = run("audit", path)
    assert again.exit_code == 1
    assert "items were drawn before" in again.output
    table["gold"] = table["item"].map(truth)
    table.to_csv(folder / "to_check.csv", index=False)
    done = run("audit", path, "--checked", folder / "to_check.csv", "--error-rate", 0.2)
    assert done.exit_code == 0, done.output
    assert "60 items checked" in done.output
    assert re.search(r"\d+ of 120 items can be released: with confidence 95%", done.output)
    page = (folder / "audit.html").read_text()
    check_self_contained(page)
    items = pd.read_csv(folder / "items.csv").set_index("item")
    assert len(items) == 120
    checked = items[items["checked"]]
    assert (checked["category"] == pd.Series(truth)[checked.index]).all()
    assert run("audit", path, "--checked", folder / "to_check.csv").exit_code == 0


def test_whoever_checks_reads_the_texts(tmp_path):
    rows = [
        (f"i{n}", a, "yn"[(n + (a == "c" and n % 4 == 0)) % 2], f"Text {n}\n{NASTY}")
        for n in range(30)
        for a in "abc"
    ]
    path = tmp_path / "it's crowd.csv"
    columns = ["item", "annotator", "label", "words"]
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    draw = ("audit", path, "--model", "voting", "--checks", 12, "--out", tmp_path / "with texts")
    without = run(*draw)
    assert "to_check.csv has no texts" in without.output
    assert list(pd.read_csv(tmp_path / "with texts" / "to_check.csv")) == ["item", "gold"]
    drawn = run(*draw, "--text", "words", "--force")
    assert drawn.exit_code == 0, drawn.output
    folder = tmp_path / "with texts"
    table = pd.read_csv(folder / "to_check.csv", dtype=str)
    assert list(table) == ["item", "text", "gold"]
    assert (table["text"] == "Text " + table["item"].str[1:] + f"\n{NASTY}").all()
    page = (folder / "to_check.html").read_text()
    check_self_contained(page)
    about = json.loads(re.search(r'id="about">(.*?)</script>', page)[1])
    assert [name for name, _, _ in about["items"]] == table["item"].tolist()
    assert all(text.endswith(NASTY) for _, _, text in about["items"])
    shown = re.findall(r"<td>(i\d+)</td><td class=\"whole\">Text (\d+)\n", page)
    assert [item for item, _ in shown] == table["item"].tolist()
    assert all(item == f"i{n}" for item, n in shown)
    table.assign(gold="y").to_csv(folder / "to_check.csv", index=False)
    following = drawn.output.partition("then: annobench ")[2].splitlines()[0]
    done = run(*shlex.split(following))
    assert done.exit_code == 0, done.output
    assert (folder / "audit.html").exists(), "the next command names the folder"


def test_an_audit_without_an_error_says_so(labels, tmp_path):
    path, _ = labels
    run("audit", path, "--checks", 30, "--out", tmp_path / "a")
    design = pd.read_csv(tmp_path / "a" / "design.csv").set_index("item")
    table = pd.read_csv(tmp_path / "a" / "to_check.csv", dtype=str)
    table["gold"] = table["item"].map(design["category"])
    table.to_csv(tmp_path / "a" / "to_check.csv", index=False)
    done = run("audit", path, "--checked", tmp_path / "a" / "to_check.csv", "--out", tmp_path / "a")
    assert done.exit_code == 0, done.output
    assert "30 items checked, 0 of them wrong" in done.output
    check_self_contained((tmp_path / "a" / "audit.html").read_text())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--checks", 5), "Use at least 10"),
        (
            ("--checked", "c.csv", "--error-rate", 1.5),
            "--error-rate 1.5 is not between 0 and 1. Give a share, such as 0.05.",
        ),
        (
            ("--checked", "c.csv", "--confidence", 95),
            "--confidence 95 is not between 0 and 1. Give a share, such as 0.95",
        ),
        (("--model", "nothing"), "there is no model 'nothing'"),
        (("--checked", "nowhere.csv"), "no such file"),
    ],
)
def test_an_audit_refuses_with_a_reason(labels, words, message):
    done = run("audit", labels[0], *words)
    assert done.exit_code == 1
    assert message in " ".join(done.output.split())


def test_a_plan_is_written(labels, tmp_path):
    path, truth = labels
    gold = tmp_path / "gold.csv"
    pd.DataFrame(list(truth.items())[:40], columns=["item", "gold"]).to_csv(gold, index=False)
    done = run(
        "plan", path, "--gold", gold, "--currency", "EUR", "--price-check", 2, "--items", 1000
    )
    assert done.exit_code == 0, done.output
    limits = r"0\.\d{3} \(95% interval 0\.\d{3} to [01]\.\d{3}\), from 40 gold items"
    assert re.search(limits, " ".join(done.output.split()))
    folder = tmp_path / "labels_plan"
    page = (folder / "plan.html").read_text()
    check_self_contained(page)
    plan = pd.read_csv(folder / "plan.csv")
    shown = re.findall(r'class="goal">([^<]*)</td>.*?</td><td class="right">([\d,]+|–)</td>', page)
    wanted = [f"{n:,.0f}" if n > 0 else "–" for n in plan["items"]]
    assert [items for _, items in shown] == wanted
    assert plan.groupby("goal")["cheapest"].sum().eq(1).all()
    following = pd.read_csv(folder / "next.csv")
    assert len(following) == 120
    assert (np.diff(following["information"]) <= 1e-12).all()
    promised = run("plan", path, "--out", tmp_path / "p")
    assert "the model's own estimate" in " ".join(promised.output.split())


def test_a_plan_costs_labels_and_checks_unless_items_have_a_price(labels, tmp_path):
    path, _ = labels
    given = ("plan", path, "--model", "voting", "--price-label", 3, "--price-check", 7)
    for folder, item in (("free", 0), ("paid", 2)):
        words = () if folder == "free" else ("--price-item", item)
        assert run(*given, *words, "--out", tmp_path / folder).exit_code == 0
        plan = pd.read_csv(tmp_path / folder / "plan.csv")
        assert (plan["items"] > 0).any()
        expected = 3 * plan["labels"] + 7 * plan["checks"] + item * plan["items"]
        assert plan["cost"].tolist() == pytest.approx(expected.tolist())


def test_a_plan_says_only_of_options_that_were_given_that_they_change_nothing(labels):
    idle = "--repeats first changes nothing"
    given = ("plan", labels[0], "--model", "voting")
    assert idle not in " ".join(run(*given).output.split())
    assert idle in " ".join(run(*given, "--repeats", "first").output.split())


def test_progress_of_a_plan_stays_out_of_the_output(labels, monkeypatch):
    path, _ = labels
    # So that the error stream counts as a terminal.
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    done = run("plan", path, "--model", "voting")
    assert done.exit_code == 0, done.output
    assert "Planning" in done.stderr
    assert "Planning" not in done.stdout


def test_gold_in_a_consensus_is_fixed_and_judged_unseen(labels, tmp_path):
    path, truth = labels
    gold = tmp_path / "gold.csv"
    pd.DataFrame(list(truth.items())[:60], columns=["item", "gold"]).to_csv(gold, index=False)
    done = run("consensus", path, "--gold", gold, "--replicates", 0, "--out", tmp_path / "c")
    assert done.exit_code == 0, done.output
    assert "on 60 gold items, not known to the fit" in " ".join(done.output.split())
    items = pd.read_csv(tmp_path / "c" / "items.csv").set_index("item")
    known = list(truth)[:60]
    assert (items.loc[known, "category"] == pd.Series(truth)[known]).all()
    assert (items.loc[known, "calibrated"] == 1).all()
    assert items.loc[list(truth)[60:], "gold"].isna().all()
    check_self_contained((tmp_path / "c" / "consensus.html").read_text())


def test_gold_that_is_fixed_does_not_judge_itself():
    """Gold against all labels of its item: right where it is fixed, and wrong where unseen."""
    a, truth = panel(n_items=80, right=1.0)
    wrong = {a.items[n]: a.categories[1 - truth[n]] for n in range(8)}
    fitted, check = fit_with_gold(a, wrong, rng=1)
    best = fitted.posterior.argmax(axis=1)
    assert all(best[n] == 1 - truth[n] for n in range(8))
    assert check.fixed
    assert check.accuracy.estimate == 0
    _, unfixed = fit_with_gold(a, wrong, "voting", rng=1)
    assert not unfixed.fixed
    assert unfixed.accuracy.estimate == 0


def test_gold_of_other_items_and_categories_is_said():
    a, truth = panel(n_items=30)
    gold = {a.items[0]: a.categories[truth[0]], a.items[1]: "other", "nobody": "no"}
    _, check = fit_with_gold(a, gold, "voting", rng=1)
    assert "1 of 3 gold items have no labels: left out." in check.remarks
    assert any("1 gold item has a category without labels" in text for text in check.remarks)
    assert check.accuracy.estimate <= 0.5
    spelled = dict.fromkeys(a.items[:2], f"{a.categories[0].upper()} ")
    _, check = fit_with_gold(a, spelled, "voting", rng=1)
    assert f"is written {a.categories[0]!r} there" in check.remarks[0]
    assert "2 gold items have" in check.remarks[0]
    with pytest.raises(AnnotationError, match="no gold item has labels"):
        fit_with_gold(a, {"nobody": "no"})


def test_expected_information_is_the_mutual_information():
    rng = np.random.default_rng(2)
    posterior, confusion = rng.dirichlet(np.ones(3), 20), rng.dirichlet(np.ones(3), 3)
    found = next_labels.expected_information(posterior, confusion)
    slow = [float(information.mutual_information(q, confusion[None])[0]) for q in posterior]
    np.testing.assert_allclose(found, slow, atol=1e-12)


def test_items_in_doubt_come_first_and_a_price_scales():
    a, _ = panel(n_items=60)
    fitted = models.fit(a, "dawid_skene")
    table = next_labels.next_labels(a, fitted, price=0.5)
    assert table["probability"].iloc[0] < table["probability"].iloc[-1]
    np.testing.assert_allclose(table["information_per_cost"], 2 * table["information"])
    with pytest.raises(AnnotationError, match="price must be above 0"):
        next_labels.next_labels(a, fitted, price=0)


def test_variance_components_of_a_known_panel():
    """Items named by a share p of annotators, p of 0.2 or 0.8: B = .09, W = .16."""
    rng = np.random.default_rng(3)
    p = rng.choice([0.2, 0.8], 4_000)
    wide = pd.DataFrame((rng.random((4_000, 5)) < p[:, None]).astype(int))
    between, within, share = planning.components(Annotations.from_wide(wide), "1")
    # Four standard errors of means of 4,000 bounded values.
    assert abs(within - 0.16) < 4 * 0.1 / math.sqrt(4_000)
    assert abs(between - 0.09) < 4 * 0.15 / math.sqrt(4_000)
    assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(4_000)


def test_planned_items_give_the_half_width_of_a_prevalence():
    between, within = 0.1, 0.14
    z = stats.norm.ppf(0.975)
    rows = planning._prevalence_rows(between, within, [3], 0.05, 0.95)
    for row in rows:
        m, n = row["annotators"], row["items"]
        assert z * math.sqrt((between + within / m) / n) <= 0.05
        assert z * math.sqrt((between + within / m) / (n - 1)) > 0.05


def test_planned_checks_give_the_half_width_of_an_accuracy():
    n = int(planning.checks_for_half_width(0.85, 0.06, 2_000))
    lower, upper = share_limits(round(0.85 * n), n, 2_000)
    assert (upper - lower) / 2 <= 0.06
    assert planning.checks_for_half_width(0.85, 0.0005, 200) == 200


def test_planned_items_for_agreement_scale_with_the_pilot():
    a, _ = panel(n_items=400, right=0.9)
    plan = planning.plan(a, accuracy=0.95, half_width=0.05, annotators=[5], rng=1)
    [row] = plan.table[plan.table["goal"].str.startswith("krippendorff")].to_dict("records")
    from annobench import agreement

    interval = agreement.krippendorff_alpha(a).interval()
    wanted = 400 * ((interval.upper - interval.lower) / 0.1) ** 2
    assert row["items"] == pytest.approx(wanted, rel=0.01)
    assert row["labels"] == 5 * row["items"]


def test_a_release_that_no_checks_reach_costs_infinitely_much():
    a, _ = panel(n_items=40)
    table = planning.plan(a, accuracy=0.9, error_rate=0.05, rng=1).table
    [row] = table[table["goal"].str.startswith("release")].to_dict("records")
    assert row["checks"] == math.inf


def test_a_plan_refuses_with_a_reason():
    a, _ = panel(n_items=20, n_annotators=1)
    with pytest.raises(AnnotationError, match="two or more items with two or more labels"):
        planning.plan(a, accuracy=0.9)
    b, _ = panel(n_items=20)
    with pytest.raises(AnnotationError, match="there is no category 'x'"):
        planning.plan(b, accuracy=0.9, category="x")
    with pytest.raises(AnnotationError, match="the price of a label is -1"):
        planning.Prices(label=-1)
    with pytest.raises(AnnotationError, match="there is no coefficient 'x'"):
        planning.plan(b, accuracy=0.9, coefficient="x")


def test_coverage_counts_what_is_true():
    """A world without errors: the accuracy is 1, every interval holds, and all is released."""
    rng = np.random.default_rng(4)
    case = audit_coverage.world("never wrong", 200, rng=rng)
    table = audit_coverage.measure(case, 80, repetitions=10, rng=rng).set_index(
        ["statement", "construction"]
    )
    assert table.loc[("accuracy", "beta"), "truth"] == 1
    assert table.loc["accuracy", "held"].eq(1).all()
    assert table.loc[("release", "at most 5% wrong"), "size"] == 1
    assert table.loc[("release", "at most 5% wrong"), "most"] == 0


def test_coverage_notices_intervals_that_are_too_narrow():
    """The negative control: few errors, and a normal approximation."""
    rng = np.random.default_rng(5)
    case = audit_coverage.world("upside down", 300, rng=rng)
    table = audit_coverage.measure(case, 50, repetitions=60, rng=rng)
    accuracy = table[table["statement"] == "accuracy"].set_index("construction")
    assert accuracy.loc["normal", "verdict"] == "low"
    assert accuracy.loc["beta", "verdict"] == "holds"


def test_a_replay_buys_the_labels_that_it_counts():
    a, truth = panel(n_items=60, n_annotators=8, right=0.7)
    case = BenchmarkCase("panel", a, truth.astype(np.int64), "regime")
    found = label_replay.compare([case], repeats=2, seed=1, model="voting")
    assert set(found["strategy"]) == set(label_replay.STRATEGIES)
    np.testing.assert_allclose(found["n_labels"], found["labels_per_item"] * 60)
    start = found[found["labels_per_item"] == label_replay.START]
    # All strategies begin with the same labels.
    assert start.groupby("repeat")["accuracy"].nunique().eq(1).all()
    assert set(label_replay.gains(found)["labels_per_item"]) <= set(label_replay.BUDGETS)
