"""Coefficients on partitions are those of the same labels in memory, their bootstrap too."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from annobench import agreement
from annobench.agreement.partitioned import agreement_of_partitions
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.io.table import read_table

pytest.importorskip("distributed", reason="the extra `scale` is not installed")


def written(table, folder, client, n_partitions, **options):
    """Return labels in memory and in partitions."""
    from annobench.io.partition import partition

    table.to_parquet(folder / "labels.parquet")
    size = -(-len(table) // n_partitions)
    labels = partition(
        folder / "labels.parquet",
        folder / "out",
        partition_labels=size,
        scheduler=client,
        **options,
    )
    return read_table(folder / "labels.parquet", **options), labels


@pytest.fixture(scope="module", params=[1, 2, 7])
def both(request, tmp_path_factory, dask_workers):
    rng = np.random.default_rng(5)
    item, annotator = np.divmod(np.flatnonzero(rng.random(300 * 5) < 0.6), 5)
    guess = rng.integers(3, size=item.size)
    label = np.where(rng.random(item.size) < 0.3, guess, item % 3)
    table = pd.DataFrame({"item": item, "worker": annotator, "label": label})
    folder = tmp_path_factory.mktemp("agreement")
    return written(
        table.sample(frac=1, random_state=1), folder, dask_workers, request.param, scale="ordinal"
    )


CASES = [
    ("krippendorff_alpha", {"metric": "nominal"}),
    ("krippendorff_alpha", {"metric": "ordinal"}),
    ("percent_agreement", {}),
    ("fleiss_kappa", {}),
    ("fleiss_kappa", {"weighting": "labels", "weights": "quadratic"}),
    ("gwet_ac1", {}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_estimate_error_and_bootstrap_are_those_in_memory(both, dask_workers, name, options):
    annotations, labels = both
    found = agreement_of_partitions(labels, name, scheduler=dask_workers, **options)
    whole = getattr(agreement, name)(annotations, **options)
    pd.testing.assert_frame_equal(
        found.summary(), whole.summary()[list(found.summary().columns)], rtol=1e-10
    )
    ours, other = (each.bootstrap(replicates=50, rng=7) for each in (found, whole))
    np.testing.assert_allclose(ours, other, rtol=1e-10)
    interval = found.interval(replicates=50, rng=7)
    assert interval.limits == pytest.approx(
        whole.interval("percentile", replicates=50, rng=7).limits
    )


def test_labels_that_a_coefficient_cannot_take_are_refused(tmp_path, dask_workers):
    rows = [("x", "a", 1), ("x", "b", 1), ("x", "b", 0), ("y", "a", 0)]
    table = pd.DataFrame(rows, columns=["item", "worker", "label"])
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    _, labels = written(table, tmp_path / "one", dask_workers, 2)
    with pytest.raises(AnnotationError, match="annotator 'b' labelled an item twice: 'x'"):
        agreement_of_partitions(labels, scheduler=dask_workers)
    for name in ("cohen_kappa", "conger_kappa"):
        with pytest.raises(AnnotationError, match="does not run on partitions"):
            agreement_of_partitions(labels, name, scheduler=dask_workers)
    with pytest.raises(AnnotationError, match="there is no coefficient 'krippendorf'"):
        agreement_of_partitions(labels, "krippendorf", scheduler=dask_workers)
    _, labels = written(table[:2], tmp_path / "two", dask_workers, 1)
    with pytest.warns(DegenerateWarning, match="undefined"):
        found = agreement_of_partitions(labels, scheduler=dask_workers)
    with warnings.catch_warnings(), pytest.raises(AnnotationError, match="only 1 enters"):
        found.bootstrap(replicates=5, rng=1)
