"""Coefficients on partitions are those of the same labels in memory, their bootstrap too."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from annobench import agreement
from annobench.agreement.partitioned import agreement_of_partitions, report_partitions
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations

pytest.importorskip("distributed", reason="the extra `scale` is not installed")

from partitioning import partitioned


@pytest.fixture(scope="module", params=[1, 2, 7])
def both(request, tmp_path_factory):
    rng = np.random.default_rng(5)
    item, annotator = np.divmod(np.flatnonzero(rng.random(300 * 5) < 0.6), 5)
    guess = rng.integers(3, size=item.size)
    label = np.where(rng.random(item.size) < 0.3, guess, item % 3)
    order = rng.permutation(item.size)
    columns = (column[order].astype(str) for column in (item, annotator, label))
    annotations = Annotations.from_arrays(*columns, scale="ordinal", categories="012")
    folder = tmp_path_factory.mktemp("agreement")
    return annotations, partitioned(annotations, folder, request.param)


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
    assert found.n_items == (np.bincount(annotations.item) > 1).sum()
    ours, other = (each.bootstrap(replicates=50, rng=7) for each in (found, whole))
    np.testing.assert_allclose(ours, other, rtol=1e-10)
    for kind in ("analytic", "percentile"):
        ours, other = (each.interval(kind, replicates=50, rng=7) for each in (found, whole))
        assert ours.limits == pytest.approx(other.limits, rel=1e-10)
        assert (ours.kind, ours.level) == (other.kind, other.level)


@pytest.mark.parametrize("both", [2], indirect=True)
def test_the_report_has_the_overall_rows_of_the_one_in_memory(both, dask_workers):
    annotations, labels = both
    found = report_partitions(labels, rng=3, replicates=50, scheduler=dask_workers)
    whole = agreement.report(annotations, rng=3, replicates=50)
    whole = whole[whole["breakdown"].eq("overall")].reset_index(drop=True)
    left_out = found["note"].str.contains("oes not run on partitions")
    left = {"conger_kappa", "kendall_w", "light_kappa"}
    assert set(found["coefficient"][left_out]) == left
    # All draw from one generator in turn, so that what one leaves out the next one takes.
    same = whole.drop(columns=["lower", "upper"])[~left_out]
    pd.testing.assert_frame_equal(found[~left_out][list(same)], same, rtol=1e-9)
    first = slice(int(left_out.idxmax()))
    assert first.stop > 0
    pd.testing.assert_frame_equal(found[first], whole[first], rtol=1e-9)
    assert found.loc[~left_out, "lower"].lt(found.loc[~left_out, "estimate"]).all()


def of_rows(rows, folder):
    """Return partitions of some rows."""
    folder.mkdir()
    return partitioned(Annotations.from_arrays(*zip(*rows, strict=True)), folder, 2)


def test_labels_that_a_coefficient_cannot_take_are_refused(tmp_path, dask_workers):
    rows = [("x", "a", 1), ("x", "b", 1), ("x", "b", 0), ("y", "a", 0)]
    labels = of_rows(rows, tmp_path / "one")
    with pytest.raises(AnnotationError, match="annotator 'b' labelled an item twice: 'x'"):
        agreement_of_partitions(labels, scheduler=dask_workers)
    with pytest.raises(AnnotationError, match="annotator 'b' labelled an item twice: 'x'"):
        report_partitions(labels, scheduler=dask_workers)
    for name in ("cohen_kappa", "conger_kappa"):
        with pytest.raises(AnnotationError, match="does not run on partitions"):
            agreement_of_partitions(labels, name, scheduler=dask_workers)
    with pytest.raises(AnnotationError, match="there is no coefficient 'krippendorf'"):
        agreement_of_partitions(labels, "krippendorf", scheduler=dask_workers)
    labels = of_rows(rows[:2], tmp_path / "two")
    with pytest.warns(DegenerateWarning, match="undefined"):
        found = agreement_of_partitions(labels, scheduler=dask_workers)
    with warnings.catch_warnings(), pytest.raises(AnnotationError, match="only 1 enters"):
        found.bootstrap(replicates=5, rng=1)


def test_an_interval_without_width_says_what_it_means(tmp_path, dask_workers):
    rows = [(f"item {i}", name, str(i % 2)) for i in range(9) for name in "ab"]
    found = agreement_of_partitions(of_rows(rows, tmp_path / "one"), scheduler=dask_workers)
    whole = agreement.krippendorff_alpha(Annotations.from_arrays(*zip(*rows, strict=True)))
    with pytest.warns(IntervalWarning, match="the labels of each of the 9 items agree"):
        ours = found.interval("percentile", rng=1)
    with pytest.warns(IntervalWarning):
        other = whole.interval("percentile", rng=1)
    assert ours.limits == other.limits == (1.0, 1.0)
    with pytest.raises(AnnotationError, match="no 'bca' interval on partitions"):
        found.interval("bca")
