"""Every target of the Makefile that runs Snakemake names what Snakemake can make."""

import shutil

import makefile
import pytest
from clones import TOP, Server, make_clone

RUNS = {target: makefile.runs_of_snakemake(target) for target in makefile.targets()}
RUNNING = [target for target, runs in RUNS.items() if runs]
#: What the archive of the course holds; a clone has nothing of it.
FILES = ["LICENSE", "README.md", "pyproject.toml", "requirements/course.txt"]
FOLDERS = ["course/archive", "docs/explanation"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Return a server in a clone; it finds the logger of make as Snakemake does."""
    clone = make_clone(tmp_path_factory.mktemp("make") / "clone")
    for folder in FOLDERS:
        shutil.copytree(TOP / folder, clone.top / folder)
    (clone.top / "requirements").mkdir()
    for file in FILES:
        shutil.copy(TOP / file, clone.top / file)
    server = Server(clone, plugins=TOP / "workflow/logging")
    with server.process:
        yield server
        server.process.stdin.close()


def test_the_targets_that_run_snakemake_are_found():
    assert {"results", "check", "course", "docs", "audits"} <= set(RUNNING)
    assert not {"help", "format", "test"} & set(RUNNING)


@pytest.mark.parametrize("target", RUNNING)
def test_snakemake_can_make_what_a_target_asks_of_it(server, target):
    for arguments in RUNS[target]:
        status, output = server.dry_run(arguments)
        assert status == 0, output


def test_make_passes_a_configuration_and_snakemake_takes_it(server):
    (arguments,) = makefile.runs_of_snakemake("course", "CONFIG=config/ci.yaml")
    assert "--configfile=config/ci.yaml" in arguments
    status, output = server.dry_run(arguments)
    assert status == 1
    assert "muc6_person" in output, "the clone has no data set of this configuration"
