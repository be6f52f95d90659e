"""Fixtures shared by all layers of tests."""

import os
from pathlib import Path

import numpy as np
import pytest


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
