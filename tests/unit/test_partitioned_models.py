"""Models fitted to partitions are those fitted to the same labels in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from annobench.core.errors import AnnotationError
from annobench.evaluation.partitioned import score_partitions
from annobench.evaluation.scores import confusion_counts, count_errors
from annobench.io import read_labels
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, glad, mace, one_coin, voting, weighted_voting
from annobench.models._passes import Passing
from annobench.models._votes import Votes
from annobench.scale.partitions import PartitionedLabels

pytest.importorskip("dask", reason="the extra `scale` is not installed")

from partitioning import AtOnce, partitioned

#: Numbers that fits in memory and on partitions have in common, if they have them at all.
NUMBERS = (
    *("prevalence", "confusion", "accuracy", "competence", "strategy", "weights", "ability"),
    *("log_likelihood", "log_posterior", "objective", "history", "starts"),
    *("n_iterations", "converged", "n_labelled", "n_parameters"),
)


def table_of(rng, n_labels, n_annotators=12, n_categories=3):
    """Return labels of a third as many items; annotators differ in how often they guess."""
    item = rng.integers(n_labels // 3, size=n_labels)
    annotator = rng.integers(n_annotators, size=n_labels)
    guesses = rng.random(n_labels) < (annotator + 1) / (2 * n_annotators)
    label = np.where(guesses, rng.integers(n_categories, size=n_labels), item % n_categories)
    names = np.array([f"category {k}" for k in range(n_categories)], dtype=object)
    return pd.DataFrame(
        {
            "item": [f"item {i}" for i in item],
            "worker": [f"worker {j}" for j in annotator],
            "label": names[label],
        }
    )


@pytest.fixture(scope="module", params=[1, 2, 7])
def both(request, tmp_path_factory):
    """The same labels in memory, and in one, two and seven partitions."""
    table = table_of(np.random.default_rng(3), 1_500)
    items = [*table["item"].unique(), "without labels"]
    annotations = Annotations.from_arrays(*(table[name] for name in table), items=items)
    return annotations, partitioned(annotations, tmp_path_factory.mktemp("labels"), request.param)


@pytest.fixture
def workers(both, tmp_path):
    """Passes over the partitions, in this process."""
    return Passing(both[1], AtOnce(), checkpoint=tmp_path / "checkpoint")


def posterior_of(labels, found, items):
    """Return the posterior of a fit to partitions, in the order of some items."""
    tables = []
    for number in range(labels.n_partitions):
        _, posterior = found.passes.sweep(Votes(labels.block(number)), found.theta, number)
        tables.append(pd.DataFrame(posterior, index=labels.names(number)))
    return pd.concat(tables).loc[list(items)].to_numpy()


def assert_same(fitted, labels, found):
    """Compare all numbers of a fit, and the items' posterior."""
    compared = [name for name in NUMBERS if hasattr(fitted, name)]
    assert compared
    for name in compared:
        ours, other = getattr(found.fit, name), getattr(fitted, name)
        np.testing.assert_allclose(ours, other, rtol=1e-10, err_msg=name)
    np.testing.assert_allclose(
        posterior_of(labels, found, fitted.items), fitted.posterior, rtol=1e-8, atol=1e-12
    )


GROUPS = [f"group {j % 4}" for j in range(12)]
FEW = {"max_iterations": 8}
CASES = {
    "voting": (voting, {}),
    "weighted voting": (weighted_voting, {}),
    "one coin": (one_coin, {"smoothing": 0.5, "tolerance": 1e-3}),
    "Dawid and Skene": (dawid_skene, {"tolerance": 1e-3}),
    "with groups": (dawid_skene, {"groups": GROUPS} | FEW),
    "all in one group": (dawid_skene, {"groups": "all", "start": "diagonal"} | FEW),
    "with ties": (dawid_skene, {"tie": "category"} | FEW),
    "unsmoothed": (dawid_skene, {"smoothing": 0, "tie": "one_coin"} | FEW),
    "MACE": (mace, {"rng": 1, "n_starts": 2} | FEW),
    "MACE by EM": (mace, {"rng": 1, "inference": "em", "n_starts": 1} | FEW),
    "GLAD": (glad, {"tolerance": 0} | FEW),
    "one coin, accelerated": (one_coin, {"tolerance": 1e-9}),
    "Dawid and Skene, accelerated": (dawid_skene, {"tolerance": 1e-9}),
    "MACE, accelerated": (mace, {"rng": 1, "n_starts": 1, "tolerance": 1e-9}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_finds_in_partitions_what_it_finds_in_memory(both, workers, case):
    module, options = CASES[case]
    annotations, labels = both
    found = module.fit_partitions(workers, **options)
    assert_same(module.fit(annotations, **options), labels, found)


def test_gold_is_fixed_in_partitions_as_in_memory(both, workers):
    annotations, labels = both
    gold = {name: annotations.categories[k % 3] for k, name in enumerate(annotations.items[::9])}
    found = dawid_skene.fit_partitions(workers, gold=gold, **FEW)
    fitted = dawid_skene.fit(annotations, gold=gold, **FEW)
    assert_same(fitted, labels, found)
    # Negative control: without gold it is another fit.
    assert np.abs(dawid_skene.fit(annotations).confusion - fitted.confusion).max() > 1e-2
    with pytest.raises(AnnotationError, match="gold names the item 'nobody'"):
        dawid_skene.fit_partitions(workers, gold={"nobody": "category 0"})


def test_scores_against_gold_are_those_in_memory(both, workers, dask_workers):
    annotations, labels = both
    rng = np.random.default_rng(2)
    codes = rng.integers(3, size=annotations.n_items)
    kept = rng.random(annotations.n_items) < 0.2
    gold = {annotations.items[i]: annotations.categories[codes[i]] for i in np.flatnonzero(kept)}
    found = voting.fit_partitions(workers)
    scores = score_partitions(labels, found, gold, scheduler=dask_workers)
    whole = count_errors(voting.fit(annotations).posterior[kept], codes[kept])
    assert scores.n_items == kept.sum()
    assert (scores.errors.errors, scores.errors.ties) == (whole.errors, whole.ties)
    assert scores.errors.expected_accuracy == pytest.approx(whole.expected_accuracy, rel=1e-12)
    some = annotations.select(items=kept)
    known = np.array([annotations.categories.index(gold[name]) for name in some.items])
    np.testing.assert_array_equal(scores.confusion, confusion_counts(some, known))
    with pytest.raises(AnnotationError, match="gold is empty"):
        score_partitions(labels, found, {}, scheduler=dask_workers)


@pytest.mark.slow
def test_a_million_labels_give_the_same_numbers(tmp_path, dask_workers):
    from annobench.io import partition

    table = table_of(np.random.default_rng(8), 1_000_000, n_annotators=200)
    table.to_parquet(tmp_path / "labels.parquet")
    annotations = read_labels(tmp_path / "labels.parquet")
    for n_partitions in (1, 2, 7):
        labels = partition(
            tmp_path / "labels.parquet",
            tmp_path / str(n_partitions),
            partition_labels=-(-len(table) // n_partitions),
            scheduler=dask_workers,
        )
        for module, options in (
            (voting, {}),
            (weighted_voting, {}),
            (one_coin, FEW),
            (dawid_skene, FEW),
            (mace, {"rng": 1, "n_starts": 1} | FEW),
            (glad, FEW),
        ):
            workers = Passing(labels, dask_workers, checkpoint=tmp_path / f"of {n_partitions}")
            found = module.fit_partitions(workers, **options)
            assert_same(module.fit(annotations, **options), labels, found)


@pytest.mark.parametrize("module", [one_coin, dawid_skene, glad])
def test_a_fit_goes_on_from_its_checkpoint_bit_by_bit(both, workers, tmp_path, module):
    _, labels = both
    options = {"tolerance": 0} | FEW
    whole = module.fit_partitions(workers, **options)
    checkpoint = tmp_path / "interrupted"
    module.fit_partitions(Passing(labels, AtOnce(), checkpoint=checkpoint), max_iterations=3)
    lines = []
    again = Passing(labels, AtOnce(), lines.append, checkpoint, resume=True)
    resumed = module.fit_partitions(again, **options)
    assert lines[0].startswith("iteration 3: log likelihood -")
    assert whole.fit.history.tobytes() == resumed.fit.history.tobytes()
    for ours, other in zip(whole.theta, resumed.theta, strict=True):
        assert np.asarray(ours).tobytes() == np.asarray(other).tobytes()
    with pytest.raises(AnnotationError, match="there is no complete checkpoint"):
        module.fit_partitions(Passing(labels, AtOnce(), checkpoint=tmp_path / "none", resume=True))


@pytest.mark.parametrize("module", [one_coin, dawid_skene])
def test_an_accelerated_fit_goes_on_bit_by_bit(both, workers, tmp_path, module):
    _, labels = both
    whole = module.fit_partitions(workers, tolerance=1e-12)
    assert whole.fit.converged
    checkpoint = tmp_path / "interrupted"
    module.fit_partitions(
        Passing(labels, AtOnce(), checkpoint=checkpoint), tolerance=1e-12, max_iterations=14
    )
    resumed = module.fit_partitions(
        Passing(labels, AtOnce(), checkpoint=checkpoint, resume=True), tolerance=1e-12
    )
    assert whole.fit.n_iterations == resumed.fit.n_iterations > 14
    assert whole.fit.history.tobytes() == resumed.fit.history.tobytes()


def test_easinesses_on_disk_are_not_accelerated_and_settle_all_the_same(both, workers):
    annotations, _ = both
    found = glad.fit_partitions(workers)
    exact = glad.fit(annotations, tolerance=1e-13)
    assert found.fit.converged
    np.testing.assert_allclose(found.fit.ability, exact.ability, atol=1e-5)


def test_a_checkpoint_of_another_fit_is_refused(both, workers):
    _, labels = both
    again = Passing(labels, AtOnce(), checkpoint=workers.checkpoint, resume=True)
    one_coin.fit_partitions(workers, **FEW)
    # The same fit goes on; those with other options, models or long arrays begin nothing.
    one_coin.fit_partitions(again, **FEW)
    groups = np.arange(2_000) % 7
    for fit, options in (
        (one_coin, {"smoothing": 1.0}),
        (dawid_skene, {}),
        (glad, {}),
    ):
        with pytest.raises(AnnotationError, match="checkpoint is of other labels, another model"):
            fit.fit_partitions(again, **options)
    assert again.kept_items(Passing, groups) == again.kept_items(Passing, groups.copy())
    groups[1_000] += 1
    assert again.kept_items(Passing, groups) != again.kept_items(Passing, np.arange(2_000) % 7)


def test_easinesses_need_a_folder_and_old_ones_are_removed(both, workers):
    _, labels = both
    with pytest.raises(AnnotationError, match="need a checkpoint folder"):
        glad.fit_partitions(Passing(labels, AtOnce()))
    found = glad.fit_partitions(workers, **FEW)
    kept = sorted(path.name for path in (workers.checkpoint / "items").iterdir())
    assert len(kept) == 2 * labels.n_partitions  # of the last two versions
    # Negative control: without one the posterior can't be made.
    (workers.checkpoint / "items" / kept[-1]).unlink()
    with pytest.raises(AnnotationError, match="there is no complete checkpoint"):
        posterior_of(labels, found, labels.names(0))


def test_labels_without_overlap_are_refused(tmp_path):
    annotations = Annotations.from_arrays(["x", "y"], ["a", "b"], ["1", "0"])
    workers = Passing(partitioned(annotations, tmp_path, 1), AtOnce(), checkpoint=tmp_path)
    for module in (one_coin, dawid_skene, mace, weighted_voting, glad):
        with pytest.raises(AnnotationError, match="no item has labels of two of the 2 annotators"):
            module.fit_partitions(workers)
    assert voting.fit_partitions(workers).fit.prevalence.tolist() == [0.5] * 2


def test_a_folder_that_is_not_one_of_partitions_is_refused(tmp_path):
    with pytest.raises(AnnotationError, match="not a finished folder of partitions"):
        PartitionedLabels.open(tmp_path)
