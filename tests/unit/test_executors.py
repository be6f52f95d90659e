"""Any executor of Python's passes over partitions, and gives what this process alone gives."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from partitioning import partitioned

import annobench as ab
from annobench.agreement.partitioned import agreement_of_partitions
from annobench.core.errors import AnnotationError
from annobench.evaluation.partitioned import score_partitions
from annobench.models import dawid_skene, glad, mace, one_coin, voting, weighted_voting
from annobench.models._fixed_point import TOLERANCE
from annobench.models._passes import Passing
from annobench.scale._blocks import Block
from annobench.scale._format import OF_PARQUET, digest_of_file, partition_file
from annobench.scale._workers import open_workers, results
from annobench.scale.partitions import PartitionedLabels

#: Too few to be accelerated, and hence the same but for rounding.
FEW = {"max_iterations": 6}
MODELS = {
    "voting": (voting, {}),
    "weighted voting": (weighted_voting, {}),
    "one coin": (one_coin, FEW),
    "Dawid and Skene": (dawid_skene, FEW),
    "MACE": (mace, {"rng": 1, "n_starts": 2} | FEW),
    "GLAD": (glad, FEW),
}
POOLS = {
    "threads": lambda: ThreadPoolExecutor(2),
    # A fork of this process would share locks of threads that other tests have started.
    "processes": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same labels in memory and in three partitions."""
    rng = np.random.default_rng(4)
    item, annotator = np.divmod(np.flatnonzero(rng.random(80 * 5) < 0.7), 5)
    label = np.where(rng.random(item.size) < 0.3, rng.integers(3, size=item.size), item % 3)
    annotations = ab.Annotations.from_arrays(
        [f"item {i}" for i in item], [f"worker {j}" for j in annotator], label.astype(str)
    )
    return annotations, partitioned(annotations, tmp_path_factory.mktemp("labels"), 3)


@pytest.fixture(scope="module", params=POOLS)
def pool(request):
    with POOLS[request.param]() as found:
        yield found


def bits(values):
    """Return all bits of some parameters."""
    return b"".join(np.asarray(value).tobytes() for value in values)


@pytest.mark.parametrize("name", MODELS)
def test_models_are_those_of_this_process_and_of_memory(both, pool, tmp_path, name):
    annotations, labels = both
    module, options = MODELS[name]
    found = module.fit_partitions(Passing(labels, pool, checkpoint=tmp_path / "pool"), **options)
    alone = module.fit_partitions(Passing(labels, checkpoint=tmp_path / "alone"), **options)
    assert bits(found.theta) == bits(alone.theta)
    fitted = module.fit(annotations, **options)
    numbers = ("accuracy", "competence", "ability", "confusion", "prevalence")
    compared = [name for name in numbers if hasattr(fitted, name)]
    assert compared
    for what in compared:
        np.testing.assert_allclose(getattr(found.fit, what), getattr(fitted, what), rtol=1e-9)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
def test_alpha_is_that_of_memory(both, pool, metric):
    annotations, labels = both
    found = agreement_of_partitions(labels, scheduler=pool, metric=metric)
    alpha = ab.agreement.krippendorff_alpha(annotations, metric=metric)
    assert found.estimate == pytest.approx(alpha.estimate, rel=1e-12)
    assert found.standard_error == pytest.approx(alpha.standard_error, rel=1e-9)


def test_what_takes_a_scheduler_takes_an_executor(both, pool, tmp_path):
    annotations, labels = both
    whole = ab.report(annotations)
    table = ab.report(labels.folder, scheduler=pool)
    computed = table["estimate"].notna()
    whole = whole[whole["breakdown"].eq("overall")].reset_index(drop=True)
    pd.testing.assert_frame_equal(table[computed], whole[computed], rtol=1e-9, check_dtype=False)
    fitted = ab.models.fit(labels, "one_coin", scheduler=pool)
    accuracy = one_coin.fit(annotations).accuracy
    # A mean of posteriors, each of which either accelerated fit leaves within 1e-6 of its limit.
    settled = {"rtol": 0, "atol": 2 * TOLERANCE}
    np.testing.assert_allclose(fitted.fit.accuracy, accuracy, **settled)
    found = ab.consensus(labels, model="one_coin", scheduler=pool, out=tmp_path)
    items = pd.concat(map(pd.read_parquet, sorted((tmp_path / "items").iterdir())))
    assert sorted(items["item"]) == sorted(annotations.items)
    np.testing.assert_allclose(found.annotators["accuracy"], accuracy, **settled)
    gold = dict.fromkeys(annotations.items[:5], "1")
    assert score_partitions(labels, fitted, gold, scheduler=pool).n_items == 5


def test_an_executor_that_can_not_do_it_is_refused(both, tmp_path):
    annotations, labels = both
    pool = ThreadPoolExecutor(1)
    for engine in ("dask", "memory"):
        with pytest.raises(AnnotationError, match=f"engine {engine} does not use a ThreadPool"):
            ab.report(labels, engine=engine, scheduler=pool)
    with pytest.raises(AnnotationError, match="labels in memory: ThreadPoolExecutor needs a fol"):
        ab.report(annotations, scheduler=pool)
    annotations.to_frame().to_csv(tmp_path / "labels.csv", index=False)
    with pytest.raises(AnnotationError, match="can process partitions, but not make them"):
        ab.io.partition(tmp_path / "labels.csv", tmp_path / "out", scheduler=pool)
    pool.shutdown()
    with pytest.raises(AnnotationError, match=r"accepts no tasks.*an open executor"):
        ab.report(labels, scheduler=pool)


def ended(task, given):
    os._exit(1)


def failed(task, given):
    raise AnnotationError(f"task {task}, {given}")


def test_a_lost_process_or_an_error_is_said_once():
    with (
        POOLS["processes"]() as pool,
        pytest.raises(AnnotationError, match=r"a process was lost.*smaller partitions"),
        open_workers(pool) as workers,
    ):
        results(workers, ended, range(3), given=1)
    with ThreadPoolExecutor(1) as pool, pytest.raises(AnnotationError, match="task 0, 1"):
        results(pool, failed, range(1_000), given=1)


def as_parquet(labels, folder):
    """Write partitions as version 2 of their format had them."""
    shutil.copytree(labels.folder, folder)
    digests = {name: value for name, value in labels.digests.items() if "arrow" not in name}
    for n in range(labels.n_partitions):
        block = labels.block(n)
        columns = {name: getattr(block, name) for name in ("item", "annotator", "label")}
        path = partition_file(folder, "labels", n)
        pq.write_table(pa.table(columns), path, compression="none", use_dictionary=["label"])
        path.with_suffix(".arrow").unlink()
        digests[f"labels/{path.name}"] = digest_of_file(path)
    replace(labels, folder=folder, digests=digests, version=OF_PARQUET).write()


def test_partitions_of_the_version_before_are_read(both, tmp_path):
    _, labels = both
    as_parquet(labels, tmp_path / "old")
    old = PartitionedLabels.open(tmp_path / "old")
    assert old.version == OF_PARQUET
    for n in range(labels.n_partitions):
        ours, other = Block(labels, n), Block(old, n)
        assert ours.names == other.names
        for name in ("item", "annotator", "label"):
            column, before = (getattr(each.annotations, name) for each in (ours, other))
            assert column.dtype == before.dtype
            np.testing.assert_array_equal(column, before)
    found, before = (dawid_skene.fit_partitions(Passing(each), **FEW) for each in (labels, old))
    assert bits(found.theta) == bits(before.theta)
    (tmp_path / "old" / "labels" / "00001.parquet").write_bytes(b"PAR1")
    with pytest.raises(AnnotationError, match=r"00001.parquet: damaged, removed or replaced"):
        old.read()
