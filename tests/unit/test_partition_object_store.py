"""Labels in an object store, here a server on this machine, are partitioned as those of a disk."""

from __future__ import annotations

import numpy as np
import pytest

from annobench.io import read_labels

pytest.importorskip("distributed", reason="the extra `scale` is not installed")
moto_server = pytest.importorskip("moto.server", reason="run by `make test-object-store`")
s3fs = pytest.importorskip("s3fs", reason="run by `make test-object-store`")


@pytest.fixture
def bucket(monkeypatch):
    """A bucket of a server, whose address and credentials stand in the environment."""
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "nobody")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem()
    system.mkdir("labels")
    yield system
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_a_bucket_is_partitioned_as_a_folder(bucket, tmp_path, dask_workers):
    from annobench.io import partition

    rows = [f"item {n % 20},worker {n % 7},{n * n % 3}" for n in range(200)]
    header = "item,worker,label"
    for name, part in (("a.csv", rows[:90]), ("b.csv", rows[90:])):
        with bucket.open(f"labels/{name}", "w") as stream:
            stream.write("\n".join([header, *part]) + "\n")
    (tmp_path / "all.csv").write_text("\n".join([header, *rows]) + "\n")
    labels = partition("s3://labels", tmp_path / "out", partition_labels=60, scheduler=dask_workers)
    found, whole = labels.read(), read_labels(tmp_path / "all.csv")
    assert (found.items, found.annotators) == (whole.items, whole.annotators)
    np.testing.assert_array_equal(found.label, whole.label[np.argsort(whole.item, kind="stable")])
