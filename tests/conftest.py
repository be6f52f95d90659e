"""Fixtures shared by all layers of tests."""

import os
from pathlib import Path

import numpy as np
import pytest


def pytest_collection_modifyitems(items):
    """Let the workflow's tests, one long chain, begin first, so that no process waits for them."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture
def rng():
    return np.random.default_rng(20080101)


@pytest.fixture
def mirror():
    """The folder of real data; a test that asks for it fails if it is set but lacks a file."""
    folder = os.environ.get("ANNOBENCH_DATA_MIRROR")
    if not folder:
        pytest.skip("ANNOBENCH_DATA_MIRROR is not set: the real data are not at hand")
    return Path(folder)
