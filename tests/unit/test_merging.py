"""Merging categories: sums against collapsed labels, closed forms, and planted confusions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annobench import agreement
from annobench.core.errors import AnnotationError
from annobench.evaluation import information
from annobench.labels import merging
from annobench.labels.annotations import Annotations
from annobench.labels.merging import Evidence

NAMES = ["0", "1", "2", "3", "4"]
#: Categories 1 and 2 are distinguished by nobody, 3 and 4 well by everybody.
CONFUSION = np.array(
    [
        [0.80, 0.05, 0.05, 0.05, 0.05],
        [0.04, 0.46, 0.44, 0.03, 0.03],
        [0.04, 0.44, 0.46, 0.03, 0.03],
        [0.04, 0.03, 0.03, 0.80, 0.10],
        [0.04, 0.03, 0.03, 0.10, 0.80],
    ]
)


def crowd(rng, n_items=400, n_annotators=12, confusion=CONFUSION, missing=0.0):
    truth = rng.choice(5, n_items, p=[0.1, 0.3, 0.2, 0.2, 0.2])
    item, annotator = np.divmod(np.arange(n_items * n_annotators), n_annotators)
    label = (rng.random(item.size)[:, None] > confusion[truth[item]].cumsum(axis=1)).sum(axis=1)
    stays = (rng.random(item.size) >= missing) | (annotator == 0)
    labels = Annotations.from_arrays(
        item[stays], annotator[stays], [NAMES[k] for k in label[stays]], categories=NAMES
    )
    likely = confusion[:, label].T
    log = np.zeros((n_items, 5))
    np.add.at(log, item[stays], np.log(likely[stays]))
    posterior = np.exp(log - log.max(axis=1, keepdims=True))
    return labels, posterior / posterior.sum(axis=1, keepdims=True)


@pytest.fixture
def evidence(rng):
    return Evidence.of(*crowd(rng), apart=("0",))


PARTITIONS = st.lists(st.integers(0, 4), min_size=5, max_size=5)


@settings(deadline=None, max_examples=25)
@given(partition=PARTITIONS, seed=st.integers(0, 100))
def test_alpha_is_that_of_the_collapsed_labels(partition, seed):
    labels, posterior = crowd(np.random.default_rng(seed), 30, 4, missing=0.2)
    found = Evidence.of(labels, posterior).alpha(partition)
    coarse = labels.recode(merging.parents(partition, NAMES))
    if len(set(partition)) == 1:
        assert np.isnan(found)
    else:
        expected = agreement.krippendorff_alpha(coarse).estimate
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_several_partitions_and_weights_are_as_one_by_one(evidence, rng):
    partitions = np.array([[0, 1, 2, 3, 4], [0, 1, 1, 3, 4], [0, 1, 1, 3, 3]])
    together = evidence.measures(partitions)
    for n, partition in enumerate(partitions):
        for name, value in evidence.measures(partition).items():
            assert together[name][n] == pytest.approx(value, rel=1e-12), name
    weights = evidence.resampled(3, rng)
    once = evidence.alpha(partitions[1], np.ones((1, evidence.n_items)))
    assert once[0] == pytest.approx(together["alpha"][1], rel=1e-12)
    assert evidence.alpha(partitions[1], weights).shape == (3,)


def test_information_is_that_of_the_merged_confusion_matrix(evidence):
    partition = np.array([0, 1, 1, 2, 2])
    to = np.eye(3)[partition]
    table = to.T @ evidence.confusion() @ to
    prevalence = table.sum(axis=1) / table.sum()
    rows = table / table.sum(axis=1, keepdims=True)
    bits, entropy = evidence.information(partition)
    assert bits == pytest.approx(information.mutual_information(prevalence, rows[None])[0])
    assert entropy == pytest.approx(information.entropy(prevalence))


def test_merging_never_adds_information_nor_takes_certainty_away(evidence, rng):
    whole = evidence.measures(np.arange(5))
    for partition in rng.integers(0, 5, (30, 5)):
        merged = evidence.measures(partition)
        assert merged["bits"] <= whole["bits"] + 1e-12
        assert merged["entropy"] <= whole["entropy"] + 1e-12
        assert merged["certain"] >= whole["certain"]


def test_separation_by_hand():
    # -log(sqrt(.9 * .1) + sqrt(.1 * .9)) = -log .6
    found = merging.separation([[90, 10], [1, 9]])
    np.testing.assert_allclose(found, [[0, -np.log(0.6)], [-np.log(0.6), 0]], atol=1e-15)
    assert np.isinf(merging.separation([[1, 0], [0, 1]])[0, 1])
    assert np.isnan(merging.separation([[1, 0], [0, 0]])[0, 1])
    # log 50 nats at 0.6 nats a label.
    assert merging.labels_needed(0.6) == pytest.approx(np.log(50) / 0.6)
    assert np.isfinite(merging.labels_needed(0.0))
    with pytest.raises(AnnotationError, match=r"certainty is 0\.5"):
        merging.labels_needed(0.1, certainty=0.5)


def test_so_many_labels_are_enough(rng):
    # Two categories at 0.8 and 0.2 need log(50) / -log(0.8) = 17.5 labels by the bound.
    n = int(np.ceil(merging.labels_needed(merging.separation([[8, 2], [2, 8]])[0, 1])))
    assert n == 18
    votes = rng.binomial(n, 0.8, 200_000)
    errors = (votes < n / 2).mean() + (votes == n / 2).mean() / 2
    assert errors < 0.01


def test_planted_confusions_are_merged_and_other_pairs_kept(evidence, rng):
    table = merging.judge_pairs(evidence, 12, rng=rng).set_index(["first", "second"])
    assert table.loc[("1", "2"), "verdict"] == "merge"
    rest = table.drop(("1", "2"))
    assert set(rest["verdict"]) == {"keep"}
    assert (table["lower"] <= table["labels_needed"] + 1e-9).all()
    assert not set(table.index.get_level_values(0)) & {"0"}
    partition = merging.supported_partition(evidence, 12, rng=rng)
    assert merging.parents(partition, NAMES)["2"] == "1+2"
    assert len(np.unique(partition)) == 4


def test_nothing_is_merged_where_all_is_clear(rng):
    clear = 0.85 * np.eye(5) + 0.03
    found = Evidence.of(*crowd(rng, confusion=clear), apart=("0",))
    assert merging.supported_partition(found, 12, rng=rng).tolist() == [0, 1, 2, 3, 4]


def test_a_path_merges_the_least_separable_first_and_leaves_sparse_ones(evidence):
    path = merging.merge_path(evidence)
    assert [len(np.unique(step)) for step in path] == [5, 4, 3, 2]
    assert merging.parents(path[1], NAMES)["1"] == "1+2"
    assert merging.parents(path[2], NAMES)["3"] == "3+4"
    assert (path[:, 0] == 0).all()
    sparse = Evidence(
        evidence.categories,
        evidence.mergeable,
        evidence.counts,
        evidence.posterior * [1, 1, 1, 1, 1e-3],
    )
    assert (merging.merge_path(sparse)[:, 4] == 4).all()


def test_a_category_that_nobody_chose_is_sparse_whatever_a_model_makes_of_it(evidence, rng):
    # The model has 50 items of category 4, and next to no label says so.
    counts = evidence.counts.copy()
    counts[:, 3] += counts[:, 4]
    counts[:, 4] = 0
    found = Evidence(evidence.categories, evidence.mergeable, counts, evidence.posterior)
    assert found.expected_items[4] > 50
    assert found.sizes[4] == 0
    table = merging.judge_pairs(found, 12, rng=rng)
    assert set(table.loc[table["second"] == "4", "verdict"]) == {"sparse"}
    assert (merging.merge_path(found)[:, 4] == 4).all()


def test_random_merges_have_the_same_sizes_and_leave_what_must_stay(rng):
    partition = np.array([0, 1, 1, 1, 4])
    drawn = merging.shuffled(partition, [False, True, True, True, True], 50, rng)
    assert (drawn[:, 0] == 0).all()
    for row in drawn:
        assert sorted(np.unique(row, return_counts=True)[1]) == [1, 1, 3]
    assert len({tuple(merging.same_group(row).ravel()) for row in drawn}) == 4


def test_pairs_are_joined_through_others_and_levels_are_a_hierarchy(rng):
    partition = merging.from_pairs(NAMES, [("3", "4"), ("4", "1")])
    assert merging.parents(partition, NAMES) == {
        "0": "0",
        "1": "1+3+4",
        "2": "2",
        "3": "1+3+4",
        "4": "1+3+4",
    }
    levels = merging.hierarchy({"some": partition, "none": np.arange(5)}, NAMES)
    labels, _ = crowd(rng, 20, 3)
    assert levels.collapse(labels, "some").categories == ("0", "1+3+4", "2")
    with pytest.raises(AnnotationError, match="'9' is not a category"):
        merging.from_pairs(NAMES, [("1", "9")])


def test_a_posterior_of_other_labels_is_refused(rng):
    labels, posterior = crowd(rng, 10, 3)
    with pytest.raises(AnnotationError, match=r"\(9, 5\). Give .* of shape \(10, 5\)"):
        Evidence.of(labels, posterior[:9])
    for wrong in (2 * posterior, np.tile([2.0, -1.0, 0, 0, 0], (10, 1)), posterior[0]):
        with pytest.raises(AnnotationError, match="rows sum to 1"):
            Evidence.of(labels, wrong)
    sets = Annotations.from_sets([1, 1], ["x", "y"], [{"a"}, {"b"}])
    with pytest.raises(AnnotationError, match="the labels are sets"):
        Evidence.of(sets, [[1.0, 0.0]])


def test_single_labels_have_no_alpha():
    labels = Annotations.from_arrays([1, 2, 3], list("xyz"), list("abc"))
    assert np.isnan(Evidence.of(labels, np.eye(3)).alpha([0, 1, 2]))


def test_groups_of_one_name_are_refused():
    with pytest.raises(AnnotationError, match="two groups would have the same name"):
        merging.parents([0, 0, 1, 1], ["a+b", "c", "a", "b+c"])
    with pytest.raises(AnnotationError, match="Give one code per category"):
        merging.parents([0, 0], ["a", "b", "c"])


@pytest.mark.parametrize("call", [merging.judge_pairs, merging.supported_partition])
@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"replicates": 0}])
def test_intervals_need_a_level_and_replicates(call, wrong, evidence, rng):
    with pytest.raises(AnnotationError, match=next(iter(wrong))):
        call(evidence, 10, rng=rng, **wrong)
