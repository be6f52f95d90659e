"""What the tests of all papers share."""

import importlib.util
import sys
from pathlib import Path

import pytest

PAPERS = Path(__file__).parents[2] / "workflow" / "papers"


@pytest.fixture(scope="module")
def analysis(request):
    """The analysis of the paper that the test's module is named after."""
    key = Path(request.path).stem.removeprefix("test_")
    spec = importlib.util.spec_from_file_location(f"{key}_analysis", PAPERS / key / "analysis.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
