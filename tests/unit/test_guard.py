"""The cautions of fits: each appears where it should, and not where nothing is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench import models
from annobench.aggregation.consensus import consensus
from annobench.benchmark import regimes
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.fits import fit_all
from annobench.labels.annotations import Annotations
from annobench.models import _guard, dawid_skene, dependence
from annobench.models.dawid_skene import Parameters
from commands import quote_studies
from studies.guard import analysis as guard_study
from studies.guard import fits as guard_fits

PAGES = Path(__file__).parents[2] / "docs/models"


def simulated(kind="good", n_categories=2, labels=5, items=300, annotators=10, seed=1):
    return regimes.simulate(
        kind,
        n_categories=n_categories,
        labels_per_item=labels,
        n_items=items,
        n_annotators=annotators,
        seed=seed,
    ).annotations


def names(fitted, annotations):
    return [each.name for each in models.guard(fitted, annotations, rng=1)]


@pytest.mark.parametrize("model", ["voting", "dawid_skene", "ibcc", "glad", "wawa", "mmsr"])
def test_nothing_is_said_of_good_annotators(model):
    a = simulated()
    assert names(models.fit(a, model), a) == []


def test_exchanged_categories_are_noticed():
    a = simulated()
    posterior = np.eye(2)[a.counts.argmax(axis=1)]
    assert _guard.against_votes(posterior, a) == []
    few, all_of_them = posterior.copy(), posterior[:, ::-1]
    unanimous = np.flatnonzero(a.counts.max(axis=1) == 5)
    few[unanimous[:1]] = few[unanimous[:1], ::-1]
    assert _guard.against_votes(few, a) == []
    said = {each.name: each.text for each in _guard.against_votes(all_of_them, a)}
    assert list(said) == ["unanimous_overturned", "far_from_votes"]
    assert f"{unanimous.size} of {unanimous.size} items" in said["unanimous_overturned"]


def test_three_labels_by_one_annotator_are_not_unanimous():
    a = Annotations.from_arrays(list("xxxyy"), list("aaabc"), list("11101"))
    assert _guard.against_votes(np.array([[1.0, 0], [1, 0]]), a) == []


def test_few_shared_items_are_named():
    a = simulated("mixed", items=60, annotators=40, labels=3)
    winner = a.counts.argmax(axis=1)
    moved = np.where(np.arange(60) % 2, winner, 1 - winner)
    said = {each.name: each.text for each in _guard.against_votes(np.eye(2)[moved], a)}
    assert "pair of annotators shares only 1 item, too few to estimate" in said["far_from_votes"]


def test_a_rare_category_that_takes_items_of_others_is_named():
    a = simulated("imbalance", n_categories=2, items=1_000, labels=3)
    found = {each.name: each.text for each in models.guard(models.fit(a, "minimax_entropy"), a)}
    assert re.search(r"'1' is rare, \d\.\d% of the items by votes", found["rare_category"])
    assert "rare_category" not in names(models.fit(a, "ibcc"), a)


def test_two_annotators_are_noticed_where_a_model_judges_them():
    a = Annotations.from_wide([[1, 1], [0, 0], [1, 0]] * 10)
    assert "two_annotators" in names(models.fit(a, "one_coin"), a)
    assert "two_annotators" not in names(models.fit(a, "voting"), a)


def test_a_better_optimum_is_named():
    # Annotators of two opinions: whose categories are the right ones?
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    label = np.where(rng.random((60, 6)) < 0.8, truth[:, None], 1 - truth[:, None])
    label[:, 3:] = 1 - label[:, 3:]
    a = Annotations.from_wide(label)
    fitted = models.fit(a, "dawid_skene", start="diagonal")
    found = models.guard(fitted, a, rng=1)
    remarks = consensus(a, model="dawid_skene", rng=1, replicates=0, start="diagonal").remarks
    assert [each.text for each in found if each.name == "other_optimum"] == [
        text for text in remarks if "more than one optimum" in text
    ]


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("has_gold", [False, True])
def test_of_many_labels_a_better_optimum_is_found_among_some(monkeypatch, smoothing, has_gold):
    # Four annotators label one property of the items, three another, and the fit is of the latter.
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=(400, 2))
    labelled = truth[:, [0, 0, 0, 0, 1, 1, 1]]
    a = Annotations.from_wide(np.where(rng.random((400, 7)) < 0.8, labelled, 1 - labelled))
    gold = np.full(400, -1)
    if has_gold:
        gold[[3, 90]] = truth[[3, 90], 0]
    settings = {"smoothing": smoothing, "gold": gold}
    right = np.where(np.arange(7) < 4, 0.5, 0.8)[:, None, None]
    confusion = np.where(np.eye(2, dtype=bool), right, 1 - right)
    start = Parameters(np.full(2, 0.5), confusion)
    worse = models.fit(a, "dawid_skene", start=start, **settings)
    monkeypatch.setattr(dependence, "ENOUGH", 700)
    sizes = []
    restarts = dawid_skene.restarts
    monkeypatch.setattr(
        dawid_skene, "restarts", lambda some, **each: sizes.append(some) or restarts(some, **each)
    )
    [found] = _guard.other_optimum(dawid_skene, worse, a, 1, settings)
    best = restarts(a, rng=1, **settings).best
    gain = f"{best.log_posterior - worse.log_posterior:.3g}"
    assert f"higher by {gain} and gives" in found.text
    assert sizes[0].n_labels in (700, 707, 714)
    assert not has_gold or {"3", "90"} <= set(sizes[0].items)
    assert not _guard.other_optimum(dawid_skene, best, a, 1, settings)


@pytest.mark.parametrize(("gain", "is_named"), [(0.9e-6, False), (1.1e-6, True), (1.9e-6, True)])
def test_an_optimum_is_another_where_it_is_better_by_a_millionth(gain, is_named):
    a = Annotations.from_wide([list("010"), list("110")])
    found = models.fit(a, "voting")

    def fitted(posterior, value):
        return SimpleNamespace(posterior=posterior, log_posterior=value)

    best = fitted(1 - found.posterior, -9.0 + 10 * gain)
    module = SimpleNamespace(
        METHOD=dawid_skene.METHOD, restarts=lambda *_, **__: SimpleNamespace(best=best)
    )
    cautions = _guard.other_optimum(module, fitted(found.posterior, -9.0), a, 1, {})
    assert bool(cautions) is is_named


def test_pairs_share_as_many_items_as_the_median():
    a = Annotations.from_wide(
        [["1", "1", ""], ["1", "1", ""], ["1", "1", ""], ["1", "", "1"], ["", "1", ""]]
    )
    # Two pairs share 3 items and 1; the third shares none and does not count.
    assert _guard._typically_shared(a) == 2
    assert _guard._typically_shared(Annotations.from_wide([["1", ""], ["", "1"]])) == 0


def test_the_benchmark_notes_what_is_said_of_a_scored_fit():
    a = simulated("imbalance", n_categories=2, items=1_000, labels=3)
    case = BenchmarkCase("x", a, a.counts.argmax(axis=1), "simulated")
    far, near = fit_all(
        [case], [models.get("minimax_entropy"), models.get("ibcc")], limit=60, seed=1
    )
    assert far.status == near.status == "scored"
    assert "is rare" in far.note
    assert near.note == ""


def test_cautions_of_a_fit_are_those_of_the_guard():
    a = Annotations.from_wide([[1, 1], [0, 0], [1, 0]] * 10)
    fitted = models.fit(a, "one_coin")
    assert fitted.cautions(a) == [each.text for each in models.guard(fitted, a)]
    with pytest.raises(Exception, match="guard"):
        models.guard(fitted, "labels")


def test_every_caution_stands_under_when_it_fails_and_every_name_there_exists():
    found = set()
    for page in PAGES.glob("*.md"):
        section = page.read_text("utf-8").partition("## When it fails")[2].partition("\n## ")[0]
        found |= set(re.findall(r"caution\s+`(\w+)`", section))
    assert found == set(_guard.NAMES)


def test_the_study_counts_fits_that_fail_and_alarms_that_are_false():
    rows = [("a", True, "x"), ("a", True, ""), ("a", False, "x"), ("a", False, ""), ("b", True, "")]
    fitted = pd.DataFrame(rows, columns=["model", "fails", "said"])
    found = guard_study.power(fitted, "model").set_index("model")
    assert found.loc["a", ["n_fails", "n_others", "power", "false_alarms"]].tolist() == [
        2,
        2,
        0.5,
        0.5,
    ]
    assert found.loc["b", "power"] == 0
    assert np.isnan(found.loc["b", "false_alarms"])
    said = ["far_from_votes rare_category", "rare_category", "", "", ""]
    by_caution = guard_study.by_caution(fitted.assign(said=said)).set_index("caution")
    # Three fits fail; of both of the warned ones it is said that a category is rare.
    assert by_caution["power"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3])
    assert (by_caution["false_alarms"] == 0).all()


def test_the_page_says_what_the_stored_tables_of_cautions_say():
    [page] = quote_studies.PAGES["guard"]
    text = page.read_text(encoding="utf-8")
    assert quote_studies.quoting("guard", page, text) == text, "run make guard"


def test_the_level_of_the_check_of_dependence_holds_in_the_stored_study():
    table = pd.read_csv(quote_studies.STORED / "guard/dependence.csv")
    level = table[table["errors"] == "independent"].set_index("model")["below_05"]
    assert set(level.index) == set(guard_fits.CHECKED_MODELS)
    assert level.between(0.03, 0.07).all()
    assert table[table["errors"] == "dependent"]["below_05"].min() > 0.5


def test_every_caution_against_the_votes_has_a_design_in_which_it_is_right():
    table = pd.read_csv(quote_studies.STORED / "guard/cautions.csv")
    # Wilson's intervals of power lie above those of false alarms.
    assert (table["power_lower"] > table["false_alarms_upper"]).all()


def test_dawid_and_skenes_model_of_few_labels_per_annotator_is_overconfident():
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 400, p=[0.5, 0.3, 0.2])
    accuracy = rng.beta(8, 3, 45)
    annotator = np.argsort(rng.random((400, 45)), axis=1)[:, :5].ravel()
    item = np.repeat(np.arange(400), 5)
    wrong = (truth[item] + rng.integers(1, 3, 2_000)) % 3
    label = np.where(rng.random(2_000) < accuracy[annotator], truth[item], wrong)
    a = Annotations.from_arrays(item, annotator, np.where(annotator < 3, 2, label))
    texts = {each.name: each.text for each in _guard.guard(models.fit(a, "dawid_skene"), a)}
    assert "annobench audit labels.csv --checks 50" in texts["overconfident"]
    default = models.fit(a, "adjusted_dawid_skene")
    assert "overconfident" not in {each.name for each in _guard.guard(default, a)}
