"""From labels to tables of items and annotators: values against the models they come from."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from panels import skilled

from annobench import models
from annobench.aggregation.consensus import consensus, draw
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene


@pytest.fixture
def labels():
    made = skilled(60, 6, rng=3)
    return made.annotations


def test_tables_are_those_of_the_fit(labels, rng):
    found = consensus(labels, model="dawid_skene", rng=rng, replicates=50)
    fitted = dawid_skene.fit(labels)
    np.testing.assert_array_equal(found.items[["probability_0", "probability_1"]], fitted.posterior)
    assert list(found.items["category"]) == [
        fitted.categories[k] for k in fitted.posterior.argmax(axis=1)
    ]
    assert found.items["n_labels"].sum() == labels.n_labels
    np.testing.assert_array_equal(found.confusion["probability"], fitted.confusion.ravel())
    np.testing.assert_array_equal(found.annotators["accuracy"], fitted.accuracy)
    for table, name in ((found.annotators, "accuracy"), (found.annotators, "bits")):
        assert (table[f"{name}_lower95"] < table[f"{name}_upper95"]).all()
    inside = found.confusion["probability"].between(
        found.confusion["lower95"], found.confusion["upper95"]
    )
    assert inside.mean() > 0.9


def test_every_model_gives_the_same_tables(labels):
    for name in models.discover():
        found = consensus(labels, model=name, rng=np.random.default_rng(1), replicates=0)
        assert len(found.items) == labels.n_items
        assert len(found.annotators) == labels.n_annotators
        assert found.prevalence["prevalence"].sum() == pytest.approx(1)
        assert found.items["probability"].between(0.5, 1).all()


@pytest.mark.parametrize("model", ["hierarchical_binary", "hierarchical_dawid_skene"])
def test_samplers_have_intervals_from_their_draws(model, labels, rng):
    found = consensus(labels, model=model, rng=rng)
    for table, name in ((found.confusion, "probability"), (found.prevalence, "prevalence")):
        assert (table["lower95"] < table["upper95"]).all()
        assert table[name].between(table["lower95"], table["upper95"]).all()
    width = found.annotators["accuracy_upper95"] - found.annotators["accuracy_lower95"]
    assert width.between(0.01, 0.5).all()


def test_ties_and_items_without_labels_are_told_apart(rng):
    a = Annotations.from_frame(
        pd.DataFrame({"item": list("xxy"), "annotator": list("aba"), "label": list("011")}),
        items=["x", "y", "z"],
    )
    items = consensus(a, model="voting", rng=rng).items.set_index("item")
    assert items["tied_vote"].to_dict() == {"x": True, "y": False, "z": False}
    assert items["n_labels"].to_dict() == {"x": 2, "y": 1, "z": 0}


def test_a_better_optimum_is_told():
    # Labels by chance, so that EM from the votes misses the best optimum that was found.
    drawn = np.random.default_rng(5).integers(0, 3, size=(12, 3))
    a = Annotations.from_arrays(
        np.repeat(np.arange(12), 3).astype(str), np.tile(list("abc"), 12), drawn.ravel().astype(str)
    )
    found = consensus(a, model="dawid_skene", rng=np.random.default_rng(1), replicates=0)
    chance, remark, guarded = found.remarks
    assert "no more often than by chance" in chance
    assert "probably overconfident" in guarded
    assert "more than one optimum" in remark
    assert "of 12 items" in remark


def test_an_optimum_that_is_higher_by_a_rounding_error_is_no_other_one():
    # Five items of three annotators, with two optima of the same height.
    labels = ["001", "010", "010", "110", "100"]
    a = Annotations.from_arrays(
        np.repeat(np.arange(5), 3).astype(str), list("abc") * 5, list("".join(labels))
    )
    found = consensus(a, model="dawid_skene", rng=1, replicates=0)
    best = dawid_skene.restarts(a, rng=1, n_random=8).best
    assert abs(best.posterior - found.fitted.posterior).max() > 0.1
    assert 0 < best.log_posterior - found.fitted.log_posterior < 1e-6
    assert not [text for text in found.remarks if "optimum" in text]


def test_a_consensus_shows_as_one_line_and_as_a_table(labels):
    found = consensus(labels, model="voting")
    assert repr(found).startswith("Consensus: 60 items by voting, ")
    assert "<table" in found._repr_html_()
    assert found.plot().has_data()
    plt.close("all")


def test_options_reach_the_fit_and_the_search_for_other_optima(labels):
    options = {"tie": "one_coin", "smoothing": 1.0, "start": "diagonal"}
    tied = consensus(labels, model="dawid_skene", rng=1, replicates=0, **options)
    alone = dawid_skene.fit(labels, **options)
    np.testing.assert_array_equal(tied.fitted.posterior, alone.posterior)


def test_a_sampler_says_how_its_chains_converged(labels):
    options = {"model": "hierarchical_binary", "rng": 1, "draws": 200, "warmup": 100}
    found = consensus(labels, **options)
    pd.testing.assert_frame_equal(found.convergence, found.fitted.diagnostics.reset_index())
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what the remarks say is not said twice
        short = consensus(labels, **options | {"draws": 20, "warmup": 0})
    assert not short.fitted.converged
    assert any("chains have not converged (R-hat up to" in text for text in short.remarks)
    assert consensus(labels, model="voting").convergence.empty


def test_an_unknown_model_is_refused_with_those_known(labels, rng):
    with pytest.raises(AnnotationError, match=r"dawid_skene.*voting"):
        consensus(labels, model="magic", rng=rng)


def test_the_picture_is_drawn_and_tables_without_rows_are_left_out(labels, rng, tmp_path):
    found = consensus(labels, rng=rng, replicates=0)
    names = draw(found, tmp_path / "deep")
    assert sorted(names) == sorted(path.name for path in (tmp_path / "deep").iterdir())
    tables = ["items", "annotators", "confusion", "prevalence", "doubtful_labels"]
    assert list(found.tables()) == tables
    unanimous = consensus(Annotations.from_wide([[0, 0], [1, 1]]), model="voting")
    assert "doubtful_labels" not in unanimous.tables()
    assert found.tables()["items"] is found.items


def test_labels_most_likely_wrong_are_listed(labels, rng):
    found = consensus(labels, rng=rng, replicates=0)
    given = labels.to_frame()
    posterior = found.items.set_index("item")
    probability = [
        posterior.loc[item, f"probability_{label}"]
        for item, label in zip(given["item"], given["label"], strict=True)
    ]
    expected = given.assign(probability=probability).query("probability < 0.5")
    table = found.doubtful_labels
    assert table["probability"].is_monotonic_increasing
    names = ["item", "annotator", "label"]
    pd.testing.assert_frame_equal(
        table[[*names, "probability"]].sort_values(names, ignore_index=True),
        expected[[*names, "probability"]].sort_values(names, ignore_index=True),
        check_dtype=False,
    )
    category = posterior.loc[table["item"], ["category", "probability"]].to_numpy()
    assert (table[["category", "category_probability"]].to_numpy() == category).all()


def test_of_unknown_annotators_no_label_is_listed():
    counts = Annotations.from_counts([[3, 0], [2, 1], [0, 3]])
    assert consensus(counts, model="voting").doubtful_labels.empty
