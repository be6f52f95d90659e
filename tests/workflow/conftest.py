"""A copy of the repository in which nothing has run, one in which all has, and copies of it."""

from dataclasses import replace

import pytest
from clones import Server, make_clone


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """A copy in which nothing has run."""
    clone = make_clone(tmp_path_factory.mktemp("sources") / "clone")
    server = Server(clone)
    with server.process:
        yield replace(clone, server=server)
        server.process.stdin.close()


@pytest.fixture(scope="session")
def built(sources, tmp_path_factory):
    """A copy in which everything was built, and what the run printed."""
    clone = sources.copy(tmp_path_factory.mktemp("built") / "clone")
    return clone, clone.snakemake()


@pytest.fixture
def clone(built, tmp_path):
    """A copy of the built copy, to do with as a test likes."""
    return built[0].copy(tmp_path / "clone")
