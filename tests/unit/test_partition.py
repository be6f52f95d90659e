"""Labels of any file become a folder of partitions, the same whatever divides the work."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import read_labels, write_labels
from annobench.labels.annotations import Annotations
from annobench.scale._format import label_type
from annobench.scale.partitions import PartitionedLabels

pytest.importorskip("distributed", reason="the extra `scale` is not installed")

ROWS = [(f"item {i % 40}", f"worker {i * i % 7}", ("no", "yes")[i * i % 3 % 2]) for i in range(200)]


@pytest.fixture(scope="module")
def table():
    """Two hundred labels of forty items, a row without a label among them."""
    frame = pd.DataFrame(ROWS, columns=["item", "worker", "label"])
    frame.loc[17, "label"] = ""
    frame.loc[200] = ["seen, not labelled", "worker 9", ""]
    return frame


def partition(source, folder, client, **options):
    from annobench.io import partition

    return partition(source, folder, scheduler=client, **options)


def digest(folder):
    """Return hashes of what a folder holds, but for what names its source."""
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.name != "source.json"
    }


def test_a_folder_of_text_and_parquet_is_read_as_one_table(table, tmp_path, dask_workers):
    source = tmp_path / "source"
    source.mkdir()
    table[:90].to_csv(source / "a.csv", index=False)
    with gzip.open(source / "b.tsv.gz", "wt") as stream:
        table[90:140].to_csv(stream, index=False, sep="\t")
    table[140:].to_parquet(source / "c.parquet", index=False)
    table.to_csv(tmp_path / "all.csv", index=False)
    labels = partition(source, tmp_path / "out", dask_workers, partition_labels=60)
    whole = read_labels(tmp_path / "all.csv")
    found = read_labels(labels.folder)
    assert labels.n_partitions == 4
    assert (found.items, found.annotators, found.categories) == (
        (whole.items, whole.annotators, whole.categories)
    )
    order = np.argsort(whole.item, kind="stable")
    for name in ("item", "annotator", "label"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name)[order])
    place = labels.find(["item 5", "nobody", "seen, not labelled"])
    assert (place.partition >= 0).tolist() == [True, False, True]
    names = labels.names(int(place.partition[0]))
    assert names[place.code[0]] == "item 5"
    assert not (labels.folder / ".unfinished").exists()


def test_categories_have_codes_of_sixteen_bits_where_these_suffice():
    assert [label_type(k) for k in (2, 32_767)] == [np.int16] * 2
    assert [label_type(k) for k in (32_769, 10**6)] == [np.int32] * 2


def test_an_interrupted_run_goes_on_and_gives_the_same_files(table, tmp_path, dask_workers):
    table.to_csv(tmp_path / "labels.csv", index=False)
    out = tmp_path / "out"
    labels = partition(tmp_path / "labels.csv", out, dask_workers, partition_labels=60)
    whole = digest(out)
    kept = labels.file("labels", 1)
    before = kept.stat().st_mtime_ns
    for path in (out / "labels.json", labels.file("labels", 0), labels.file("labels", 3)):
        path.unlink()
    with pytest.raises(AnnotationError, match="not a finished folder"):
        PartitionedLabels.open(out)
    partition(tmp_path / "labels.csv", out, dask_workers, partition_labels=60)
    assert digest(out) == whole
    assert kept.stat().st_mtime_ns == before  # written once
    with pytest.raises(AnnotationError, match="partitions of other labels"):
        partition(tmp_path / "labels.csv", out, dask_workers, partition_labels=61)


def test_a_file_that_is_not_as_it_was_written_is_refused(table, tmp_path, dask_workers):
    table.to_csv(tmp_path / "labels.csv", index=False)
    out = tmp_path / "out"
    labels = partition(tmp_path / "labels.csv", out, dask_workers, partition_labels=100)
    whole = digest(out)
    victims = [labels.file("items", 0), labels.file("labels", 1), out / "annotators.parquet"]
    for path, harm in zip(victims, ("flip", "cut", "swap"), strict=True):
        content = bytearray(path.read_bytes())
        content[100] ^= harm == "flip"
        path.write_bytes(
            victims[0].read_bytes() if harm == "swap" else content[: -1 if harm == "cut" else None]
        )
        with pytest.raises(AnnotationError, match=f"{path.name}: damaged, removed or replaced"):
            PartitionedLabels.open(out).read()
        # As the message says.
        path.unlink()
        with pytest.raises(AnnotationError, match="damaged, removed or replaced"):
            PartitionedLabels.open(out).read()
        (out / "labels.json").unlink()
        partition(tmp_path / "labels.csv", out, dask_workers, partition_labels=100)
        assert digest(out) == whole
    text = (out / "labels.json").read_text()
    (out / "labels.json").write_text(text.replace('"yes"', '"yet"'))
    with pytest.raises(AnnotationError, match=r"labels.json: damaged.* Remove it"):
        PartitionedLabels.open(out)
    (out / "labels.json").write_text(text)
    assert PartitionedLabels.open(out).digests == labels.digests
    (out / "source.json").write_text("{")
    with pytest.raises(AnnotationError, match="holds partitions of other labels"):
        partition(tmp_path / "labels.csv", out, dask_workers, partition_labels=100)


def test_partitions_of_other_labels_are_replaced_only_when_told(table, tmp_path, dask_workers):
    table.to_csv(tmp_path / "one.csv", index=False)
    table[:50].to_csv(tmp_path / "other.csv", index=False)
    out = tmp_path / "out"
    partition(tmp_path / "one.csv", out, dask_workers, partition_labels=100)
    (out / "mine.txt").write_text("mine")
    before = digest(out)
    with pytest.raises(AnnotationError, match=r"partitions of other labels.*--force"):
        partition(tmp_path / "other.csv", out, dask_workers)
    assert digest(out) == before
    found = partition(tmp_path / "other.csv", out, dask_workers, replace=True)
    assert found.n_labels == PartitionedLabels.open(out).n_labels == 49
    assert (out / "mine.txt").read_text() == "mine"


def test_a_source_in_the_folder_of_its_partitions_is_not_replaced(table, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    table.to_csv(out / "labels.csv", index=False)
    words = ["partition", str(out / "labels.csv"), str(out), "--force"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "never replaced" in " ".join(done.output.split())
    assert [path.name for path in out.iterdir()] == ["labels.csv"]


def test_bad_rows_are_named_with_file_and_row(tmp_path, dask_workers):
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.csv").write_text("item,worker,label\nx,ann,1\n,bob,2\nz,,1\n")
    (source / "b.csv").write_text("item,worker,label\nx,ann,maybe\n")
    with pytest.raises(ReaderError) as caught:
        partition(source, tmp_path / "out", dask_workers, categories=["1", "2"])
    said = str(caught.value)
    assert "a.csv, row 2: no item" in said
    assert "a.csv, row 3: no annotator" in said
    assert "b.csv, row 1: label 'maybe' is not one of '1', '2'" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,worker,label\nx,ann\n", "row 1: 2 fields where the header has 3"),
        ("item,worker\nx,ann\n", "No column is the label"),
        ("item,worker,label\n", "a header but no rows"),
        ("", "the file is empty"),
        ("item,worker,label\nx,ann,\n", "no row has a label"),
    ],
)
def test_files_that_hold_no_labels_are_refused(tmp_path, dask_workers, text, message):
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(ReaderError, match=message):
        partition(tmp_path / "labels.csv", tmp_path / "out", dask_workers)


def shards(folder, scale, *categories):
    folder.mkdir()
    for n, names in enumerate(categories):
        labels = Annotations.from_arrays(
            [f"{n}", f"{n}"], ["ann", "bob"], names[:2], categories=names, scale=scale
        )
        write_labels(labels, folder / f"{n}.parquet")
    return folder


def test_what_parquet_notes_of_categories_and_scale_is_kept(tmp_path, dask_workers):
    names = ["low", "mid", "high"]
    source = shards(tmp_path / "alike", "ordinal", names, names)
    found = read_labels(partition(source, tmp_path / "out", dask_workers).folder)
    assert (found.categories, found.scale) == (tuple(names), "ordinal")
    source = shards(tmp_path / "nominal", "nominal", names, ["none", "low"])
    found = read_labels(partition(source, tmp_path / "out2", dask_workers).folder)
    assert (found.categories, found.scale) == (("low", "mid", "none"), "nominal")


def test_ordinal_parquet_that_notes_other_categories_is_refused(tmp_path, dask_workers):
    source = shards(tmp_path / "source", "ordinal", ["low", "mid"], ["mid", "low"])
    with pytest.raises(AnnotationError, match=r"differ in the categories.*Give the categories"):
        partition(source, tmp_path / "out", dask_workers)
    (source / "0.parquet").unlink()
    pd.DataFrame({"item": ["x"], "annotator": ["a"], "label": ["low"]}).to_parquet(
        source / "2.parquet"
    )
    with pytest.raises(AnnotationError, match=r"differ in the scale.*ordinal; none"):
        partition(source, tmp_path / "out", dask_workers)
    given = {"categories": ["low", "mid"], "scale": "ordinal"}
    assert partition(source, tmp_path / "out", dask_workers, **given).categories == ("low", "mid")


def test_a_whole_number_is_one_category_in_all_pieces(tmp_path, dask_workers, monkeypatch):
    folder = tmp_path / "labels"
    folder.mkdir()
    # One file is of integers, one has a gap, and one a fraction and names that are no numbers.
    items, annotators = list("wxyz"), list("abab")
    for name, label in {
        "1.csv": [5, 4, 5, 4],
        "2.csv": [5.0, np.nan, 5.0, 4.0],
        "3.csv": ["5.00", "4.5", "05", "none"],
    }.items():
        pd.DataFrame({"item": items, "annotator": annotators, "label": label}).to_csv(
            folder / name, index=False
        )
    frame = pd.DataFrame({"item": [1.0, 2.5], "annotator": [1, 1], "label": [4.5, 4.0]})
    frame.to_parquet(folder / "4.parquet")
    found = partition(folder, tmp_path / "out", dask_workers)
    assert found.categories == ("05", "4", "4.5", "5", "none")
    labels = found.read()
    assert labels.n_labels == 13
    assert np.bincount(labels.label).tolist() == [1, 4, 2, 5, 1]
    assert set(labels.items) == {*items, "1", "2.5"}
    asked = partition(
        folder, tmp_path / "asked", dask_workers, categories=["5.0", "4", "4.5", "05", "none"]
    )
    assert asked.categories == ("5", "4", "4.5", "05", "none")
    codes = asked.codes_of({"w": "5.0", "x": 4.0})
    assert sorted(k for _, categories in codes.values() for k in categories) == [0, 1]
    with pytest.raises(AnnotationError, match=r"item '1\.0', which .* '1\.0' is written '1' there"):
        asked.codes_of({"1.0": "5"})
    with pytest.raises(ReaderError, match=r"label '5' is not one of '4', '6'"):
        partition(folder, tmp_path / "wrong", dask_workers, categories=[4, 6])


def test_partitions_in_which_a_number_is_two_categories_are_refused(table, tmp_path, dask_workers):
    table.to_csv(tmp_path / "labels.csv", index=False)
    found = partition(tmp_path / "labels.csv", tmp_path / "out", dask_workers)
    names = [f"{5 + n // 2}{'.0' * (n % 2)}" for n in range(found.n_categories)]
    replace(found, categories=tuple(names)).write()
    with pytest.raises(
        AnnotationError, match=r"5 and 5\.0, as two categories. Make the partitions"
    ):
        PartitionedLabels.open(tmp_path / "out")


def test_missing_files_and_full_folders_are_refused(table, tmp_path, dask_workers):
    table.to_csv(tmp_path / "labels.csv", index=False)
    with pytest.raises(AnnotationError, match="does not exist"):
        partition(tmp_path / "none.csv", tmp_path / "other", dask_workers)
    with pytest.raises(AnnotationError, match="exists and is not empty"):
        partition(tmp_path / "labels.csv", tmp_path, dask_workers)


def test_the_commands_partition_and_fit(table, tmp_path, dask_workers):
    table.to_csv(tmp_path / "labels.csv", index=False)
    address = dask_workers.scheduler.address
    run = CliRunner().invoke
    found = run(
        app,
        ["partition", f"{tmp_path}/labels.csv", f"{tmp_path}/p", "--scheduler", address],
    )
    assert found.exit_code == 0, found.output
    assert "199 labels of" in found.output
    options = ["--engine", "dask", "--scheduler", address, "--out", f"{tmp_path}/on_dask"]
    on_dask = run(app, ["consensus", f"{tmp_path}/p", *options])
    assert on_dask.exit_code == 0, on_dask.output
    assert "log likelihood -" in on_dask.output
    # What it wrote is its own, and may be replaced.
    again = run(app, ["consensus", f"{tmp_path}/p", *options, "--resume"])
    assert again.exit_code == 0, again.output
    options = ["--replicates", "0", "--out", f"{tmp_path}/in_memory"]
    in_memory = run(app, ["consensus", f"{tmp_path}/labels.csv", *options])
    assert in_memory.exit_code == 0, in_memory.output
    for name in ("items", "annotators", "confusion", "prevalence"):
        ours, other = (
            pd.read_csv(tmp_path / folder / f"{name}.csv") for folder in ("on_dask", "in_memory")
        )
        if name == "items":
            ours, other = (frame.sort_values("item", ignore_index=True) for frame in (ours, other))
        pd.testing.assert_frame_equal(ours, other[list(ours.columns)], rtol=1e-7)
    refused = run(app, ["consensus", f"{tmp_path}/labels.csv", "--engine", "dask"])
    assert refused.exit_code == 1
    assert "annobench partition" in refused.output
