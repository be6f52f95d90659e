"""Li, Rubinstein and Cohn (2019): every printed digit, and the readings that give them."""

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.datasets import LoadedData
from annobench.models import bwa, ibcc
from annobench.reporting.printed import agrees
from annobench_replication.ledger import read_published


@pytest.fixture(scope="module")
def printed(paper):
    published = read_published(paper.folder / "published.csv")
    return published[published["kind"] == "result"].set_index("target")["value"]


@pytest.fixture(scope="module")
def loaded(analysis, mirror):
    return {
        name: datasets.load(id, mode="real", mirror=mirror, network=False)
        for name, id in analysis.values.NAMES.items()
    }


@pytest.fixture(scope="module")
def from_seed(paper, analysis, loaded):
    def fit(name, prior="votes"):
        seed = int(paper.study().numbers("seeds")[name])
        return analysis.values.ebcc_from_seed(loaded[name], seed, 10, prior, 500)

    return fit


def test_every_printed_accuracy_of_ibcc_and_bwa_is_reproduced(analysis, loaded, printed):
    found = {}
    for name, data in loaded.items():
        found |= analysis.values.plain_values(name, data)
    assert set(found) == {t for t in printed.index if ".ibcc." in t or ".bwa." in t}
    for target, value in found.items():
        assert agrees(printed[target], "eq", value, value), target


def test_every_printed_value_of_ebcc_is_reproduced_from_its_seed(paper, from_seed, printed):
    names = paper.study().numbers("seeds").index
    assert {f"{name}.ebcc.bound" for name in names} == {t for t in printed.index if "bound" in t}
    for name in names:
        found = from_seed(name)
        for what, value in (("accuracy", found.right.mean()), ("bound", found.bound)):
            assert agrees(printed[f"{name}.ebcc.{what}"], "eq", value, value), (name, what)


def test_with_a_prior_of_1_for_each_category_no_bound_is_the_printed_one(from_seed, printed):
    for name in ("bird", "cf", "ms", "rte", "dog", "sp_amt"):
        value = from_seed(name, 1.0).bound
        assert not agrees(printed[f"{name}.ebcc.bound"], "eq", value, value), name
    # Nor are all accuracies.
    assert from_seed("rte", 1.0).right.mean() == pytest.approx(0.9275)


def test_the_printed_bound_is_the_evidence_bound_but_for_constants(analysis, loaded, from_seed):
    # The constants are those of the priors, the same for every start; beyond these the notebook's
    # bound mixes the counts before with the entropy after the last update.
    values, data = analysis.values, loaded["bird"]
    found = values.starts(data, np.random.default_rng(1), 5, 500)
    gap = found["bound"] - found["evidence_bound"]
    # The last update raised the bound by less than a hundredth.
    assert np.ptp(gap) < 0.01
    single = from_seed("bird")
    assert single.bound - single.evidence_bound == pytest.approx(gap.mean(), abs=0.01)


def test_contradictory_repeats_decide_the_values_of_bwa(analysis, loaded, printed):
    # With the first label of each annotator alone ZenCrowd is not the printed one.
    for name in ("zc_all", "zc_in", "zc_us"):
        data = loaded[name]
        first = bwa.fit(data.annotations.first_labels()).item_values
        value = analysis.values.rightness(first, data.gold).mean()
        assert not agrees(printed[f"{name}.bwa.accuracy"], "eq", value, value), name


def test_exact_repeats_are_dropped_and_contradictory_ones_kept(analysis):
    rows = [("1", "a", "0"), ("1", "a", "0"), ("1", "a", "1"), ("2", "a", "1"), ("2", "b", "1")]
    labels = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    items = pd.DataFrame({"item": ["1", "2"], "gold": ["0", "1"]})
    meta = {"categories": ["0", "1"], "scale": "nominal", "provenance": "real"}
    data = LoadedData("toy", labels, items, meta)
    kept = analysis.values.distinct(data)
    assert kept.to_frame()["label"].tolist() == ["0", "1", "1", "1"]
    table = analysis.values.labels_table({"toy": data})
    assert table.loc[0, ["exact_repeats", "contradictory_repeats"]].tolist() == [1, 1]


def test_a_start_belongs_to_an_items_number_and_not_to_its_place(analysis, loaded, from_seed):
    data = loaded["bird"]
    order = np.random.default_rng(1).permutation(len(data.items))
    turned = LoadedData(
        data.id, data.labels, data.items.iloc[order].reset_index(drop=True), data.meta
    )
    other = analysis.values.ebcc_from_seed(turned, 45725321, 10, "votes", 500)
    assert other.bound == pytest.approx(from_seed("bird").bound, rel=1e-12)


def test_ties_are_shared_and_items_without_gold_do_not_count(analysis):
    probability = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    found = analysis.values.rightness(probability, np.array([0, 1, -1]))
    assert found.tolist() == [0.5, 0.0]


def test_tables_hold_what_was_fitted(analysis, loaded, from_seed):
    values, seed = analysis.values, from_seed("bird")
    drawn = values.starts(loaded["bird"], np.random.default_rng(1), 4, 500)
    # Above by 2 nats is another optimum, by half a nat the same one.
    drawn["bound"] = seed.bound + np.array([2.0, 0.5, -3.0, -1.0])
    table = values.starts_table({"bird": drawn}, {"bird": seed}).loc[0]
    assert table["starts_above_seed"] == 1
    assert table["accuracy_of_best"] == drawn["accuracy"][0]
    assert table["best_bound"] - table["lowest_bound"] == pytest.approx(5)
    two = {name: loaded[name] for name in ("fact", "bird")}
    accuracies = values.accuracy_table(two, {"bird": seed}).pivot(index="data", columns="method")
    above = accuracies["accuracy"].sub(accuracies["accuracy"]["voting"], axis=0)
    np.testing.assert_allclose(above, accuracies["above_votes"], atol=1e-12)
    assert np.isnan(above.loc["fact", "ebcc"])
    # By McNemar's variance of a paired difference, from the birds that one of the two gets right.
    right = values.right_by_method(loaded["bird"])
    wins, losses = ((right["ibcc"] - right["voting"] == sign).sum() for sign in (1, -1))
    error = np.sqrt((wins + losses - (wins - losses) ** 2 / 108) / (108 * 107))
    half = accuracies["upper"].loc["bird", "ibcc"] - accuracies["above_votes"].loc["bird", "ibcc"]
    assert half == pytest.approx(1.959964 * error, rel=1e-6)


def test_ibcc_is_the_model_of_the_library_with_its_defaults(analysis, loaded):
    data = loaded["dog"]
    fitted = ibcc.fit(data.annotations)
    right = analysis.values.rightness(fitted.posterior, data.gold)
    np.testing.assert_array_equal(right, analysis.values.right_by_method(data)["ibcc"])
