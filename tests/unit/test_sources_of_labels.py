"""Whether labels are worked on in memory or on Dask is decided by one rule."""

from __future__ import annotations

import sys
from concurrent.futures import CancelledError
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import annobench as ab
from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.scale import _sources as sources
from annobench.scale._workers import dask_client

pytest.importorskip("distributed", reason="the extra `scale` is not installed")

from partitioning import AtOnce, partitioned

from annobench.models._fixed_point import TOLERANCE

#: Each engine stops this close to the limit.
APART = 2 * TOLERANCE


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same labels in memory and in three partitions."""
    rng = np.random.default_rng(4)
    item, annotator = np.divmod(np.flatnonzero(rng.random(80 * 5) < 0.7), 5)
    label = np.where(rng.random(item.size) < 0.3, rng.integers(2, size=item.size), item % 2)
    annotations = ab.Annotations.from_arrays(
        [f"item {i}" for i in item], [f"worker {j}" for j in annotator], label.astype(str)
    )
    return annotations, partitioned(annotations, tmp_path_factory.mktemp("labels"), 3)


def test_the_size_decides_unless_an_engine_is_named(both, monkeypatch):
    annotations, labels = both
    for source in (labels, labels.folder, str(labels.folder)):
        assert sources.blocks_of(source, "dask").folder == labels.folder
        assert sources.blocks_of(source, "memory") is None
        assert sources.blocks_of(source, "auto") is None
    monkeypatch.setattr(sources, "MEMORY_LABELS", labels.n_labels - 1)
    assert sources.blocks_of(labels, "auto") is labels
    assert sources.blocks_of(annotations, "auto") is None
    with pytest.raises(AnnotationError, match=r"labels in memory: engine dask needs a folder"):
        sources.blocks_of(annotations, "dask")
    with pytest.raises(AnnotationError, match="engine 'spark' is not one of auto, memory, dask"):
        sources.blocks_of(labels, "spark")


def test_without_dask_the_error_says_how_to_install_it(both, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        AnnotationError, match=r'needs distributed, which is not .* pip install "\.\[scale\]"'
    ):
        ab.consensus(both[1], engine="dask", out=tmp_path / "out")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(AnnotationError, match=r'fsspec.*: pip install "\.\[scale\]"'):
        ab.io.partition("labels.csv", tmp_path / "out")


def test_a_report_is_the_same_by_either_engine(both, dask_workers):
    annotations, labels = both
    whole = ab.report(annotations)
    pd.testing.assert_frame_equal(whole, ab.report(labels.folder))
    found = ab.report(labels.folder, engine="dask", scheduler=dask_workers)
    whole = whole[whole["breakdown"].eq("overall")].reset_index(drop=True)
    computed = found["estimate"].notna()
    assert computed.sum() >= 5
    pd.testing.assert_frame_equal(found[computed], whole[computed], rtol=1e-9, check_dtype=False)
    with pytest.raises(AnnotationError, match=r"labels.csv: not a folder of partitions"):
        ab.report("labels.csv")


@pytest.mark.parametrize("model", ["dawid_skene", "glad"])
def test_consensus_is_the_same_by_either_engine(both, dask_workers, tmp_path, model):
    annotations, labels = both
    whole = ab.consensus(annotations, model=model, replicates=0)
    read = ab.consensus(labels.folder, model=model, replicates=0)
    pd.testing.assert_frame_equal(whole.items, read.items)
    found = ab.consensus(
        labels, model=model, engine="dask", scheduler=dask_workers, out=tmp_path / "out"
    )
    items = pd.concat(pd.read_parquet(path) for path in sorted(found.folder.glob("items/*")))
    items = items.set_index("item").loc[whole.items["item"]].reset_index()
    pd.testing.assert_frame_equal(items, whole.items, rtol=0, atol=APART)
    ours = found.annotators
    pd.testing.assert_frame_equal(ours, whole.annotators[list(ours.columns)], rtol=0, atol=APART)
    with pytest.raises(AnnotationError, match=r"Name a folder with out="):
        ab.consensus(labels, engine="dask")
    with pytest.raises(AnnotationError, match=r"Read labels first, with annobench\.read_labels"):
        ab.consensus(tmp_path / "labels.csv")


def test_a_model_is_fitted_by_its_name_on_either_engine(both, dask_workers):
    annotations, labels = both
    fitted = ab.models.fit(annotations, "one_coin")
    assert ab.models.fit(labels, "one_coin").accuracy.tobytes() == fitted.accuracy.tobytes()
    found = ab.models.fit(labels, "one_coin", engine="dask", scheduler=dask_workers)
    np.testing.assert_allclose(found.fit.accuracy, fitted.accuracy, rtol=0, atol=APART)
    with pytest.raises(AnnotationError, match=r"catd does not run on partitions. Use one of adju"):
        ab.models.fit(labels, "catd", engine="dask", scheduler=dask_workers)
    with pytest.raises(AnnotationError, match="there is no option 'smooth'"):
        ab.models.fit(labels, "one_coin", engine="dask", scheduler=dask_workers, smooth=1)


def test_the_report_of_a_folder_is_that_of_its_labels(both, dask_workers, tmp_path):
    _, labels = both
    address = dask_workers.scheduler.address

    def run(out, *options):
        arguments = ["report", str(labels.folder), "--out", str(tmp_path / out), *options]
        return CliRunner().invoke(app, arguments)

    in_memory = run("memory")
    assert in_memory.exit_code == 0, in_memory.output
    on_dask = run("dask", "--engine", "dask", "--scheduler", address)
    assert on_dask.exit_code == 0, on_dask.output
    ours, other = (
        pd.read_csv(tmp_path / out / "report.csv").query("breakdown == 'overall'")
        for out in ("dask", "memory")
    )
    same = ours["estimate"].notna()
    assert set(ours["coefficient"][same]) >= {
        *("krippendorff_alpha", "percent_agreement", "fleiss_kappa", "gwet_ac1"),
    }
    ours, other = (table.drop(columns="of")[: len(same)][same] for table in (ours, other))
    pd.testing.assert_frame_equal(ours, other, rtol=1e-9, check_dtype=False)
    alpha = next(line for line in on_dask.output.splitlines() if "Krippendorff" in line)
    assert alpha in in_memory.output
    refused = run("other", "--engine", "dask", "--scale", "ordinal")
    assert refused.exit_code == 1
    assert "--scale has no effect on a folder of partitions" in refused.output


def n_items_of(block):
    return (block.annotations.n_items,)


def test_a_lost_scheduler_or_worker_is_an_error_that_says_what_to_do(both, dask_workers):
    from distributed import KilledWorker

    _, labels = both
    client = AtOnce()
    client.status = "connecting"  # tasks that are submitted now would be waited for in vain
    with pytest.raises(
        AnnotationError, match=r"the connection to the scheduler was lost.*resumes with --resume"
    ):
        labels.map_sum(client, n_items_of)
    worker = SimpleNamespace(address="tcp://host:1")
    for lost, said in (
        (CancelledError(), "the connection to the scheduler was lost"),
        (KilledWorker("task", worker, 3), r"tcp://host:1 was the last.*smaller partitions"),
    ):
        with pytest.raises(AnnotationError, match=said), dask_client(dask_workers):
            raise lost
