"""The workflow as others use it: a module from a repository, in a folder with a configuration."""

import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from clones import EXAMPLE, make_clone

pytestmark = pytest.mark.workflow

#: As snakedeploy writes it.
SNAKEFILE = """
from snakemake.utils import min_version

min_version("6.10.0")


configfile: "config/config.yaml"


module annobench:
    snakefile:
        github("someone/annobench", path="workflow/Snakefile", tag="v1")
    config:
        config


use rule * from annobench
"""


def git(folder, *arguments):
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment in which a host's address leads to a bare repository on this machine."""
    folder = tmp_path_factory.mktemp("host")
    clone = make_clone(folder / "clone")
    # A library that is not the one that is installed.
    init = clone.top / "src/annobench/__init__.py"
    init.write_text(init.read_text() + '\n__version__ = "9.9.9"\n')
    (clone.top / ".gitignore").write_text("__pycache__\n")
    git(clone.top, "init")
    git(clone.top, "add", ".")
    git(clone.top, "commit", "--message", "all")
    git(clone.top, "tag", "v1")
    git(folder, "clone", "--bare", clone.top, "annobench.git")
    (folder / "gitconfig").write_text(
        f'[url "{(folder / "annobench.git").as_uri()}"]\n'
        "    insteadOf = https://github.com/someone/annobench\n"
    )
    own = {"GIT_CONFIG_GLOBAL": str(folder / "gitconfig"), "XDG_CACHE_HOME": str(folder / "cache")}
    kept = clone.environment(**own)
    return {name: value for name, value in kept.items() if name != "PYTHONPATH"}


@pytest.fixture
def deployed(tmp_path):
    """A folder with a workflow of three lines and a configuration of one."""
    for name, text in {
        "workflow/Snakefile": SNAKEFILE,
        "config/config.yaml": "data: {mode: simulated}\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder, environment, *arguments):
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_module_of_a_repository_computes_a_paper_by_its_own_library(environment, deployed):
    status, output = run(deployed, environment, EXAMPLE)
    assert status == 0, output
    paper = deployed / "results/papers" / EXAMPLE
    verdicts = pd.read_csv(paper / "comparison.csv").set_index("target")["verdict"]
    assert verdicts["section2.accuracy_of_three"] == "reproduced"
    page = (deployed / f"results/pages/papers/{EXAMPLE}/index.html").read_text()
    assert "annobench 9.9.9" in page
    alone = (paper / "page.html").read_text()
    assert "<style>" in alone
    assert (paper / re.search(r'<img [^>]*src="([^"]+)"', alone)[1]).is_file()
    assert (paper / re.search(r'href="([^"]*source\.html)#', alone)[1]).is_file()
    notebook = (deployed / f"results/notebooks/{EXAMPLE}.ipynb").read_text()
    assert "reproduced" in notebook
    # The second run uses what the first has unpacked.
    status, output = run(deployed, environment, EXAMPLE)
    assert status == 0, output
    assert "Nothing to be done" in output


def test_everything_can_be_planned_from_there(environment, deployed):
    status, output = run(deployed, environment, "--dry-run")
    assert status == 0, output
    assert re.search(r"^site +1$", output, re.M)


def test_a_wrong_key_of_a_deployed_configuration_is_named(environment, deployed):
    (deployed / "config/config.yaml").write_text("data: {mod: simulated}\n")
    status, output = run(deployed, environment, "--dry-run")
    assert status != 0
    assert "key data" in output
    assert "'mod'" in output


def test_a_folder_with_a_partial_archive_is_unpacked_anew(environment, deployed):
    # As after a kill: drafts are left behind, and the folder of the commit is not there.
    (deployed / ".snakemake/annobench/tmpdraft/workflow").mkdir(parents=True)
    status, output = run(deployed, environment, "--dry-run", EXAMPLE)
    assert status == 0, output
    [commit] = [p for p in (deployed / ".snakemake/annobench").iterdir() if len(p.name) == 40]
    assert (commit / "src/annobench.egg-info/entry_points.txt").is_file()
    assert os.access(commit / "workflow/Snakefile", os.R_OK)
