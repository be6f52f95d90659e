"""Fixtures shared by all layers of tests."""

import fcntl
import os
import sys
from pathlib import Path

# As Snakemake has it for each rule. Tests run side by side, where the threads of a library spend
# most of their time waiting for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Of the make that runs the tests; one that they run would print where it is, and take its options.
os.environ.pop("MAKEFLAGS", None)
os.environ.pop("MAKELEVEL", None)
os.environ.pop("MFLAGS", None)

import numpy as np
import pytest

#: Of simulated data, and of runs of papers on them.
SEED = 3


def pytest_collection_modifyitems(items):
    """Let long tests, and the workflow's, one long chain, begin first: none is waited for.

    What runs a paper for long waits for `make test-all`; the workflow runs it on real data.
    """
    from long_papers import LONG_PAPERS

    for item in items:
        runs_paper = "quick_run" in getattr(item, "fixturenames", ())
        if runs_paper and any(key in item.nodeid for key in LONG_PAPERS):
            item.add_marker(pytest.mark.slow)
    early = {"long", "workflow"}
    items.sort(key=lambda item: early.isdisjoint(mark.name for mark in item.iter_markers()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a file's tests in one process, and all of the workflow's, for what they share.

    The scheduler `loadfile` would build the session's clone of the workflow once for each of its
    files. `loadgroup` has no effect with pytest 9.2.0 and pytest-xdist 3.8.0: eight tests of one
    module with `pytestmark = pytest.mark.xdist_group("one")`, run with `-n 3 --dist loadgroup`,
    were spread over three processes, since xdist appends the group to `item._nodeid`, from which
    pytest no longer takes `item.nodeid`.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file, _, _ = nodeid.partition("::")
            if file.startswith(("tests/browser/", "tests/faults/")):
                return nodeid  # windows of a browser, and faults, share nothing
            return "workflow" if file.startswith("tests/workflow/") else file

    return ByFile(config, log)


@pytest.fixture(autouse=True, scope="session")
def legible():
    """Fail a test that saves a figure whose texts are small, cut or over one another."""
    from figure_audit import audited

    with audited():
        yield


@pytest.fixture(autouse=True)
def closed():
    """Close what pyplot keeps open: a figure for each model or result would be too many."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def rng():
    return np.random.default_rng(20080101)


@pytest.fixture(scope="session")
def mirror():
    """The folder of real data; a test that asks for it fails if it is set but lacks a file."""
    folder = os.environ.get("ANNOBENCH_DATA_MIRROR")
    if not folder:
        pytest.skip("ANNOBENCH_DATA_MIRROR is not set: the real data are not at hand")
    return Path(folder)


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory):
    """Return a function that fills a folder once in all processes, and returns it."""
    top = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent

    def folder(name, fill):
        path = top / "filled_once" / name
        path.parent.mkdir(exist_ok=True)
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                draft = tmp_path_factory.mktemp(name)
                fill(draft)
                draft.rename(path)
        return path

    return folder


@pytest.fixture(scope="session")
def simulated_folder(filled_once):
    """Return a function that gives the folder of a data set that is simulated once for all."""
    from annobench import datasets

    def of(id):
        def fill(folder):
            datasets.prepare(id, folder, mode="simulated", seed=SEED, mirror=None, network=False)

        return filled_once(f"simulated_{id}", fill)

    return of


@pytest.fixture(scope="session")
def real_folder(filled_once, mirror):
    """Return a function that gives the folder of a real data set that is read once for all."""
    from annobench import datasets

    def of(id):
        def fill(folder):
            datasets.prepare(id, folder, mode="real", mirror=mirror, network=False)

        return filled_once(f"real_{id}", fill)

    return of


@pytest.fixture(scope="session")
def quick_run(filled_once, simulated_folder):
    """Return a function that runs a paper on simulated data at quick effort, as the workflow does.

    It returns the folder of the results; beside it stands what can't be read in its figures:
    `faults.json`.
    """
    from figure_audit import collected

    from scripts.papers import run_paper

    def run(paper):
        data = {id: simulated_folder(id) for id in paper.datasets}

        def fill(top):
            with collected(top / "faults.json"):
                run_paper.main(paper, data, top / "out", SEED, effort="quick")

        return filled_once(f"quick_run_of_{paper.key}", fill) / "out"

    return run


@pytest.fixture(scope="session")
def dask_workers():
    """Two of Dask's workers as threads of this process, which start at once."""
    distributed = pytest.importorskip("distributed", reason="the extra `scale` is not installed")
    with distributed.Client(
        processes=False,
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
        set_as_default=False,
    ) as client:
        yield client
