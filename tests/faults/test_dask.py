"""Labels on Dask: workers and schedulers that go away, checkpoints and partitions that are harmed.

Labels are few, so that a fit takes a second; what is tried depends on none of them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest

from annobench.aggregation.partitioned import consensus_partitions
from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, glad, mace
from annobench.models._passes import Passing
from annobench.models._votes import Votes
from annobench.scale.partitions import PartitionedLabels

pytest.importorskip("distributed", reason="the extra `scale` is not installed")

import distributed
from partitioning import AtOnce, partitioned

AREA = "Labels on Dask"
N_ITERATIONS = 5
FEW = {"tolerance": 0, "max_iterations": N_ITERATIONS}
N_BITS, N_CUTS = 500, 50


def labels_in(folder, seed=1, n_items=400):
    """Draw labels of ten annotators, four an item, in three partitions."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), 4)
    annotator = rng.integers(10, size=item.size)
    label = np.where(rng.random(item.size) < 0.3, rng.integers(3, size=item.size), item % 3)
    names = [f"item {i}" for i in item], [f"annotator {j}" for j in annotator], label.astype(str)
    folder.mkdir()
    return partitioned(Annotations.from_arrays(*names), folder, 3)


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    return labels_in(tmp_path_factory.mktemp("faults") / "partitions")


def digest(*values):
    """Return a hash of all bits."""
    return hashlib.sha256(b"".join(np.asarray(value).tobytes() for value in values)).hexdigest()


class Harm(NamedTuple):
    """Something that is done to a file, and its seed or place for a message."""

    name: str
    content: bytes


def harms(path, rng, n_bits, n_cuts):
    """Flip bits of a file, and cut it off, at random places."""
    content = path.read_bytes()
    for at in rng.integers(8 * len(content), size=n_bits):
        harmed = bytearray(content)
        harmed[at // 8] ^= 1 << (at % 8)
        yield Harm(f"{path.name}, bit {at}", bytes(harmed))
    for size in rng.integers(len(content), size=n_cuts):
        yield Harm(f"{path.name}, cut to {size}", content[:size])


def after(path, harm, attempt, same):
    """Say what comes of a harmed file, which is then mended: "same" or "refused"."""
    content = path.read_bytes()
    path.write_bytes(harm.content)
    said = found = None
    try:
        found = attempt()
    except AnnotationError as error:
        said = str(error)
    finally:
        path.write_bytes(content)
    if said is None:
        assert found == same, f"{harm.name}: another result"
        return "same"
    assert str(path if path.name != "labels.json" else path.parent) in said, harm.name
    assert "Begin anew" in said or "annobench partition" in said, harm.name
    return "refused"


class Dying:
    """Passes in each of which one worker is terminated, once, while it computes."""

    def __init__(self, passes, folder):
        self.passes = passes
        self.folder = folder

    def __getattr__(self, name):
        if name.startswith("__") or "passes" not in vars(self):
            raise AttributeError(name)
        return getattr(self.passes, name)

    def sweep(self, votes, theta, number):
        die_once(self.folder / digest(*theta), number)
        return self.passes.sweep(votes, theta, number)

    def attempt(self, votes, theta, number, ability, version):
        die_once(self.folder / digest(ability, version), number)
        return self.passes.attempt(votes, theta, number, ability, version)


def die_once(note, number):
    """End this process on the second partition, unless one was ended for the same work."""
    if number == 1 and not note.exists():
        note.touch()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(30)


@pytest.mark.parametrize(
    ("module", "place", "name", "model"),
    [
        (dawid_skene, dawid_skene.model, "DawidSkenePasses", "Dawid and Skene's model"),
        (glad, glad, "_Passes", "GLAD"),
    ],
)
def test_a_worker_is_terminated_in_each_pass(
    labels, tmp_path, monkeypatch, tried, module, place, name, model
):
    quiet = Passing(labels, AtOnce(), checkpoint=tmp_path / "quiet")
    whole = module.fit_partitions(quiet, **FEW)
    notes = tmp_path / "notes"
    notes.mkdir()
    make = getattr(place, name)
    monkeypatch.setattr(place, name, lambda *given: Dying(make(*given), notes))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        workers = Passing(labels, client, checkpoint=tmp_path / "harmed")
        found = module.fit_partitions(workers, **FEW)
    n_ended = len(list(notes.iterdir()))
    assert n_ended > N_ITERATIONS
    assert digest(found.fit.history, *found.theta) == digest(whole.fit.history, *whole.theta)
    fault = f"SIGTERM of a worker in each pass of a fit of {model}"
    tried(AREA, fault, times=n_ended, same=n_ended)


@contextmanager
def cluster():
    """Start a scheduler and a worker as a user does; yield the address and the scheduler."""
    module = [sys.executable, "-m"]
    options = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0", "--no-show"]
    command = [*module, "distributed.cli.dask_scheduler", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as scheduler:
        address = next(
            word for line in scheduler.stderr for word in line.split() if word.startswith("tcp://")
        )
        options = ["--nthreads", "1", "--no-dashboard", "--no-nanny"]
        command = [*module, "distributed.cli.dask_worker", address, *options]
        worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            yield address, scheduler
        finally:
            for process in (worker, scheduler):
                process.kill()
                process.wait()


def test_a_scheduler_goes_away(labels, tmp_path, tried):
    whole = dawid_skene.fit_partitions(Passing(labels, AtOnce()), **FEW).fit
    iterations = (0, 3)
    for at in iterations:
        out = tmp_path / str(at)
        with cluster() as (address, scheduler):

            def say(line, at=at, scheduler=scheduler):
                if line.startswith(f"iteration {at}:"):
                    scheduler.kill()
                    scheduler.wait()

            with pytest.raises(AnnotationError, match="--resume"):
                consensus_partitions(labels, out, scheduler=address, say=say, **FEW)
        lines = []
        with cluster() as (address, _):
            given = {"scheduler": address, "say": lines.append, "resume": True}
            found = consensus_partitions(labels, out, **given, **FEW).fitted
        assert lines[1].startswith(f"iteration {at}:")
        assert digest(found.history, found.confusion) == digest(whole.history, whole.confusion)
    n = len(iterations)
    tried(AREA, "The scheduler killed; then --resume with another one", times=n, same=n)


def last_version(folder):
    """Return the files of the newest easinesses, which a fit goes on from."""
    of = {path: int(path.stem.partition("-")[2]) for path in sorted(folder.glob("*"))}
    return [path for path, version in of.items() if version == max(of.values())]


def test_a_checkpoint_is_harmed(labels, tmp_path, tried):
    rng = np.random.default_rng(3)
    found = dict.fromkeys(("same", "refused"), 0)
    for module in (dawid_skene, glad):
        folder = tmp_path / module.METHOD.name
        module.fit_partitions(Passing(labels, AtOnce(), checkpoint=folder), **FEW)
        again = Passing(labels, AtOnce(), checkpoint=folder, resume=True)

        def attempt(again=again, module=module):
            fitted = module.fit_partitions(again, **FEW)
            posteriors = (
                fitted.passes.sweep(Votes(labels.block(n)), fitted.theta, n)[1]
                for n in range(labels.n_partitions)
            )
            return digest(fitted.fit.history, *posteriors)

        same = attempt()
        files = [*folder.glob("*.checkpoint"), *last_version(folder / "items")]
        for path in files:
            share = len(files)
            for harm in harms(path, rng, N_BITS // share, N_CUTS // share):
                found[after(path, harm, attempt, same)] += 1
    tried(AREA, "A checkpoint with one bit flipped, or cut off", times=sum(found.values()), **found)


def test_a_checkpoint_is_swapped(labels, tmp_path, tried):
    others = labels_in(tmp_path / "others", seed=2)
    fits = {
        "one": (labels, dawid_skene, {}),
        "smoothed": (labels, dawid_skene, {"smoothing": 1.0}),
        "tied": (labels, dawid_skene, {"tie": "category"}),
        "gold": (labels, dawid_skene, {"gold": {"item 3": "0"}}),
        "others": (others, dawid_skene, {}),
        "glad": (labels, glad, {}),
        "glad of others": (others, glad, {}),
        "mace": (labels, mace, {"n_starts": 1, "rng": 1}),
        "mace of another seed": (labels, mace, {"n_starts": 1, "rng": 2}),
    }
    names = {}
    for name, (of, module, options) in fits.items():
        workers = Passing(of, AtOnce(), checkpoint=tmp_path / name)
        module.fit_partitions(workers, **options, **FEW)
        names[name] = next(workers.checkpoint.glob("*.checkpoint"))
    refused = 0
    for name, (of, module, options) in fits.items():
        whole = names[name].read_bytes()
        for other in names.values():
            if other == names[name] or other.read_bytes() == whole:
                continue
            names[name].write_bytes(other.read_bytes())
            again = Passing(of, AtOnce(), checkpoint=tmp_path / name, resume=True)
            with pytest.raises(AnnotationError, match="Start again without resuming"):
                module.fit_partitions(again, **options, **FEW)
            refused += 1
            names[name].write_bytes(whole)
    # Easinesses of other partitions, versions and labels.
    kept = sorted((tmp_path / "glad" / "items").iterdir())
    last = last_version(tmp_path / "glad" / "items")
    for path in last:
        whole = path.read_bytes()
        for other in [*kept, *(tmp_path / "glad of others" / "items").iterdir()]:
            if other == path:
                continue
            path.write_bytes(other.read_bytes())
            again = Passing(labels, AtOnce(), checkpoint=tmp_path / "glad", resume=True)
            with pytest.raises(AnnotationError, match="Start again without resuming"):
                glad.fit_partitions(again, **FEW)
            refused += 1
            path.write_bytes(whole)
    assert len(last) == labels.n_partitions
    tried(AREA, "A checkpoint swapped with that of another fit", times=refused, refused=refused)


def contents(folder):
    """Read all that a folder says, and fit a model to it."""
    labels = PartitionedLabels.open(folder)
    names = [labels.names(n) for n in range(labels.n_partitions)]
    rows = [labels.first_rows(n) for n in range(labels.n_partitions)]
    fitted = dawid_skene.fit_partitions(Passing(labels, AtOnce()), max_iterations=1).fit
    text = repr((names, labels.annotators, labels.categories, labels.scale))
    return digest(text, *rows, fitted.history, fitted.confusion)


def test_a_file_of_the_partitions_is_harmed(labels, tmp_path, tried):
    rng = np.random.default_rng(4)
    folder = tmp_path / "partitions"
    shutil.copytree(labels.folder, folder)
    same = contents(folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(files) == 2 * labels.n_partitions + 2
    found = dict.fromkeys(("same", "refused"), 0)
    for path in files:
        for harm in harms(path, rng, N_BITS // len(files), N_CUTS // len(files)):
            found[after(path, harm, lambda: contents(folder), same)] += 1
    fault = "A file of the partitions with one bit flipped, or cut off"
    tried(AREA, fault, times=sum(found.values()), **found)


def test_files_of_the_partitions_are_swapped(labels, tmp_path, tried):
    folder = tmp_path / "partitions"
    shutil.copytree(labels.folder, folder)
    others = labels_in(tmp_path / "others", seed=2).folder
    same = contents(folder)
    found = dict.fromkeys(("same", "refused"), 0)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    for path in files:
        from_others = others / path.relative_to(folder)
        for other in [*path.parent.glob(f"*{path.suffix}"), from_others]:
            if other != path:
                harm = Harm(f"{path}, {other}", other.read_bytes())
                found[after(path, harm, lambda: contents(folder), same)] += 1
    tried(AREA, "A file of the partitions swapped with another", times=sum(found.values()), **found)
