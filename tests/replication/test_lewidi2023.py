"""Labels of annotators left out: what is predicted, and from what."""

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene


@pytest.fixture(scope="module")
def found(analysis, mirror):
    return {
        name: analysis.values.Splits.of(
            datasets.load(f"lewidi_{name}", mode="real", mirror=mirror, network=False)
        )
        for name in ("armis", "hs_brexit")
    }


def test_the_splits_are_those_of_the_task(found):
    sizes = {name: (s.train.n_items, s.dev.n_items) for name, s in found.items()}
    assert sizes == {"armis": (657, 141), "hs_brexit": (784, 168)}


def test_an_annotator_left_out_is_not_looked_at(analysis, found):
    splits = found["armis"]
    fit = dawid_skene.fit(splits.train)
    dev = splits.dev
    own = np.flatnonzero(dev.annotator == 1)
    turned = 1 - dev.label
    frame = dev.to_frame()
    frame.loc[own, "label"] = np.asarray(dev.categories, dtype=object)[turned[own]]
    other = splits._replace(
        dev=Annotations.from_frame(
            frame, items=dev.items, annotators=dev.annotators, categories=dev.categories
        )
    )
    before = analysis.values.predictions(splits, fit, 1)
    after = analysis.values.predictions(other, fit, 1)
    for title, chance in before.items():
        np.testing.assert_allclose(chance, after[title], err_msg=title)
        np.testing.assert_allclose(chance.sum(axis=1), 1)


def test_knowing_who_is_asked_helps_most(analysis, found):
    table = analysis.values.held_out_table(found, np.random.default_rng(1), "quick")
    for name in found:
        own = table[table["dataset"] == name].set_index("prediction")["cross_entropy"]
        assert own.idxmin() == "posterior, as the annotator labels"
        # A posterior of the category is not yet a prediction of what is said.
        assert own["posterior"] > own["posterior, as others would label"]
        assert own["consensus of the others"] > own["labels of the others, shrunk"]


def test_baselines_by_hand(analysis, found):
    table = analysis.values.baselines_table(found).set_index(["dataset", "prediction"])
    dev = found["armis"].dev
    share = dev.counts[:, 1] / 3
    uniform = table.loc[("armis", "uniform")]
    assert uniform["manhattan"] == pytest.approx((2 * np.abs(share - 0.5)).mean())
    assert uniform["cross_entropy"] == pytest.approx(np.log(2))


def test_annotators_of_one_set_have_thresholds_of_their_own(analysis, found):
    table = analysis.values.annotators_table(found)
    own = table[(table["dataset"] == "hs_brexit") & (table["others"] == 3)]
    share = own.set_index("annotator")["share"]
    assert share[["Ann1", "Ann2", "Ann3"]].max() < 0.2 < 0.6 < share[["Ann4", "Ann5", "Ann6"]].min()
    # Every item is counted once for each annotator.
    sizes = table.groupby(["dataset", "annotator"])["n_items"].sum()
    pd.testing.assert_series_equal(
        sizes.groupby("dataset").max(), sizes.groupby("dataset").min(), check_names=False
    )
