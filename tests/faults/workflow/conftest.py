"""Copies of the repository in which runs are disturbed."""

from dataclasses import replace

import pytest
from clones import Clone, Server, make_clone


@pytest.fixture(scope="session")
def built(filled_once):
    """A copy in which everything was built, once for all processes; nothing changes it."""

    def fill(folder):
        make_clone(folder / "clone").snakemake()

    clone = Clone(filled_once("built_workflow", fill) / "clone")
    server = Server(clone)
    with server.process:
        yield replace(clone, server=server)
        server.process.stdin.close()


@pytest.fixture
def clone(built, tmp_path):
    """A copy of it, to do with as a test likes."""
    return built.copy(tmp_path / "clone")
