"""The study of the pool: what is learned, what is scored, what pages say of it."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.benchmark.cases import BenchmarkCase
from annobench.benchmark.fits import fit_all, fit_once
from annobench.core.errors import DataUnavailableError
from annobench.labels.annotations import Annotations
from annobench.models import pool
from commands import quote_studies
from studies.pool import cases, comparison, learning, summaries

TOP = Path(__file__).parents[2]
STORED = quote_studies.STORED / "pool"


def case(name, n, *, sharpness=1.0, seed=0, provenance="real"):
    """Return members of which the first is calibrated and the last too sure by a power."""
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.ones(2), n)
    gold = (rng.random(n) > q[:, 0]).astype(int)
    sure = q**sharpness / (q**sharpness).sum(axis=1, keepdims=True)
    even = np.full_like(q, 0.5)
    tables = dict.fromkeys(pool.MEMBERS, even) | {pool.MEMBERS[0]: sure}
    return cases.Case(name, provenance, gold, tables)


def test_the_learned_weights_undo_overconfidence():
    found = learning.learn(
        [case("a", 4_000, sharpness=3.0), case("b", 4_000, sharpness=3.0, seed=1)]
    )
    # The power 3 is undone by a third; the prior has the strength of one item.
    assert found.mean[0] == pytest.approx(1 / 3, abs=0.05)
    parts = learning.parts_of([case("a", 4_000, sharpness=3.0)])
    mean = learning.learn_mean(parts)
    gradient = learning.mean_loss(mean, parts)[1] + mean - 1 / len(pool.MEMBERS)
    assert gradient == pytest.approx(0, abs=1e-6)


def test_a_family_counts_once_however_many_data_sets_it_has():
    one = case("ti_trec", 900, sharpness=3.0)
    other = case("ti_dog", 900, seed=2)
    twice = cases.Case("ti_relevance", "real", one.gold, one.tables)
    once = learning.learn_mean(learning.parts_of([one, other]))
    again = learning.learn_mean(learning.parts_of([one, twice, other]))
    assert once == pytest.approx(again, abs=1e-9)


def test_spreads_grow_with_differences_between_data_sets():
    alike = [case(str(n), 800, seed=n) for n in range(6)]
    unlike = [case(str(n), 800, seed=n, sharpness=(0.7, 4.0)[n % 2]) for n in range(6)]
    assert learning.learn(alike).spread < learning.learn(unlike).spread


def test_weights_of_a_family_never_saw_it():
    found = [case("ti_trec", 300), case("ti_relevance", 300, seed=1), case("ti_dog", 300, seed=2)]
    before = comparison.weights_of(found)["TREC", comparison.POOL]
    found[0] = case("ti_trec", 300, sharpness=5.0)
    after = comparison.weights_of(found)
    assert after["TREC", comparison.POOL].mean.tolist() == before.mean.tolist()
    assert after["ti_dog", comparison.POOL].mean[0] < before.mean[0]


def test_the_corrected_error_of_calibrated_probabilities_is_about_nought():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(200):
        p = rng.uniform(0.5, 1, 400)
        found.append(comparison.corrected_calibration_error(p, rng.random(400) < p))
    # Half of the values below 0 are cut off, of a standard deviation of about .015.
    assert np.mean(found) < 0.015
    wrong = rng.uniform(0.5, 1, 40_000)
    right = rng.random(wrong.size) < wrong - 0.2
    assert comparison.corrected_calibration_error(wrong, right) == pytest.approx(0.2, abs=0.01)


def test_gold_items_are_not_scored(monkeypatch):
    scored = []

    def row(case, method, table, kept, sets):
        scored.append(int(kept.sum()))
        return {"method": method}

    monkeypatch.setattr(comparison, "_row", row)
    weights = pool.Weights(np.full(7, 1 / 7), 0.2, 1.0)
    known = np.arange(30)
    found = comparison._with_gold(case("ti_dog", 100), known, weights, np.random.default_rng(1))
    assert {each["method"] for each in found} >= {"pool", "stacking", "equal weights"}
    assert set(scored) == {70}


def test_differences_have_intervals_over_families():
    rows = [
        {"case": f"{family}{n}", "family": family, "provenance": "real", "n_gold": 0}
        | {"method": method, "log_loss": loss}
        for family, losses in {"a": (0.5, 0.1), "b": (0.4, 0.2), "c": (0.6, 0.3)}.items()
        for n in range(3)
        for method, loss in zip(("other", "pool"), losses, strict=True)
    ]
    found = summaries.differences(pd.DataFrame(rows), seed=1).iloc[0]
    assert found["difference"] == pytest.approx(-0.3)
    # Three families of differences -.4, -.2 and -.3: the extremes are all of one family.
    assert (found["lower"], found["upper"]) == pytest.approx((-0.4, -0.2))
    assert (found["n_better"], found["n_cases"]) == (9, 9)


def test_pages_say_what_the_stored_tables_say():
    for page in quote_studies.PAGES["pool"]:
        text = page.read_text(encoding="utf-8")
        assert quote_studies.quoting("pool", page, text) == text, "run make pool"


def test_the_stored_decision_is_that_of_the_stored_scores():
    tables = {name: pd.read_csv(STORED / f"{name}.csv") for name in ("scores", "decision")}
    seed = json.loads((STORED / "settings.json").read_text())["seed"]
    means = summaries.means(tables["scores"])
    found = summaries.decision(means, summaries.differences(tables["scores"], seed))
    assert found["holds"].tolist() == tables["decision"]["holds"].tolist()
    # Stored with five digits, also the scores of up to 3 whose differences these are.
    assert found["value"].to_numpy() == pytest.approx(
        tables["decision"]["value"], abs=1e-5, rel=2e-4
    )


@pytest.mark.parametrize("name", ["snow2008_temp", "snow2008_wsd"])
def test_the_shipped_weights_are_those_of_the_study(name):
    try:
        data = datasets.load(name, mode="real")
    except DataUnavailableError:
        pytest.skip(f"{name} is not available")
    weights = pool.shipped_weights(name)
    posterior = pool.fit(data.annotations, weights=weights).posterior
    loss = -np.log(posterior[np.arange(data.gold.size), data.gold]).mean()
    scores = pd.read_csv(STORED / "scores.csv")
    mine = scores[(scores["case"] == name) & (scores["n_gold"] == 0)].set_index("method")
    # Stored with five digits, and weights with six.
    assert loss == pytest.approx(mine.loc["pool", "log_loss"], rel=1e-4)


def test_every_rule_of_learning_is_stored():
    stored = json.loads(learning.SHIPPED.read_text(encoding="utf-8"))
    assert stored["rules"] == learning.rules()
    assert stored["families"] == learning.families_of(stored["data"])
    files = {name: datasets.get(name).files for name in stored["data"]}
    for name, found in files.items():
        digest = learning.digest(each.sha256 or "" for each in found)
        assert stored["data"][name]["sha256"] == digest
    table = pd.read_csv(STORED / "weights.csv").set_index("without")
    for family, row in table.iterrows():
        known = stored["all"] if family == "nothing" else stored["without"][family]
        assert row[list(pool.MEMBERS)].to_numpy() == pytest.approx(
            known["weights"], rel=1e-4, abs=1e-6
        )


def test_the_benchmark_fits_with_weights_that_never_saw_the_data_set(monkeypatch):
    found = []
    tiny = Annotations.from_arrays(list("xxyyzz"), list("ababab"), list("110010"))

    def fit(annotations, *, weights):
        found.append(weights)
        return SimpleNamespace(posterior=np.full((3, 2), 0.5))

    monkeypatch.setattr(pool, "fit", fit)
    for name, family in (("ti_rte", "Snow et al."), ("ti_product", "cti_product")):
        case = BenchmarkCase(name, tiny, np.array([1, 0, 1]), "real")
        found.clear()
        (record,) = fit_all([case], [pool], limit=5, seed=1)
        assert record.status == "scored"
        fit_once(pool, tiny, [1], 5, name)
        stored = json.loads(learning.SHIPPED.read_text(encoding="utf-8"))["without"][family]
        # Tiny labels of nowhere come first, which only compile.
        assert found[-1].mean.tolist() == stored["weights"] == found[-2].mean.tolist()
