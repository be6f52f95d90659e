"""Fixtures shared by all layers of tests."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest


def pytest_collection_modifyitems(items):
    """Let the workflow's tests, one long chain, begin first, so that no process waits for them."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


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
            return "workflow" if file.startswith("tests/workflow/") else file

    return ByFile(config, log)


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
