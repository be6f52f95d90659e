"""Modules of a paper's folder, for the tests of what they compute."""

from pathlib import Path
from types import ModuleType

from annobench_replication.analysis import Analysis

PAPERS = Path(__file__).parents[1] / "workflow" / "papers"


def module_of(key: str, name: str) -> ModuleType:
    """Import a module of a paper, as the paper's analysis does."""
    modules = {m.__name__.rsplit(".", 1)[-1]: m for m in Analysis(PAPERS / key).modules}
    return modules[name]
