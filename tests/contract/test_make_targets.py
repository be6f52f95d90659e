"""Snakemake can make what targets of the Makefile, and the documentation, ask of it."""

import re
import shutil
from pathlib import PurePath

import documented
import makefile
import pytest
from clones import EXAMPLE, TOP, Server, make_clone

from annobench import datasets

pytestmark = pytest.mark.commands

RUNS = {target: makefile.runs_of_snakemake(target) for target in makefile.targets()}
#: These studies need data sets that the clone has not.
RUNNING = [
    target for target, runs in RUNS.items() if runs and target not in {"pool", "default-model"}
]
#: What the archive of the course holds; a clone has nothing of it.
FILES = ["LICENSE", "README.md", "pyproject.toml", "requirements/course.txt"]
FOLDERS = ["docs/explanation"]


PAPERS = [path.name for path in (TOP / "workflow/papers").iterdir()]


def in_clone(word):
    """Return a word of a command with what a clone has in place of other papers and data sets."""
    word = re.sub(rf"\b({'|'.join(datasets.names())})\b", "anesthesia", word)
    word = word.replace("<key>", EXAMPLE)
    return re.sub(rf"\b({'|'.join(PAPERS)})\b", EXAMPLE, word)


def asked(arguments):
    """Return what a run of Snakemake is asked for, without how it runs."""
    return re.sub(r"--(cores|logger)[= ]\S+ ?", "", " ".join(arguments)).strip()


def documented_runs():
    """Return the arguments of each run of Snakemake that only pages ask for."""
    known = {asked(arguments) for runs in RUNS.values() for arguments in runs} | {"check"}
    found = {}
    for page in documented.PAGES:
        for command in documented.commands(page):
            if command.runner == documented.DRY and command.words != ["make", "help"]:
                program, *words = command.words
                runs = [words] if program == "snakemake" else makefile.runs_of_snakemake(*words)
                for run in (run for run in runs if asked(run) not in known):
                    known.add(asked(run))
                    found[command.text] = [in_clone(word) for word in run]
    return found


DOCUMENTED = documented_runs()


def test_a_package_that_could_not_be_audited_is_not_taken_for_sound():
    [line] = makefile.lines("vulnerabilities", "SUPPLY=")
    assert {"pip-audit", "--strict"} <= {word.rpartition("/")[2] for word in line.split()}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Return a server in a clone; it finds the logger of make as Snakemake does."""
    clone = make_clone(tmp_path_factory.mktemp("make") / "clone")
    for folder in FOLDERS:
        shutil.copytree(TOP / folder, clone.top / folder, dirs_exist_ok=True)
    (clone.top / "requirements").mkdir(exist_ok=True)
    for file in FILES:
        shutil.copy(TOP / file, clone.top / file)
    # The one in the repository names data sets that a clone lacks.
    (clone.top / "config/ci.yaml").write_text("data:\n  mode: simulated\n")
    server = Server(clone, plugins=TOP / "workflow/logging")
    with server.process:
        yield server
        server.process.stdin.close()


def test_the_targets_that_run_snakemake_are_found():
    assert {"results", "check", "course", "docs", "audits"} <= set(RUNNING)
    assert not {"help", "format", "test"} & set(RUNNING)


def test_make_passes_a_configuration_that_takes_no_target_with_it():
    (arguments,) = makefile.runs_of_snakemake("course", "CONFIG=config/ci.yaml")
    assert arguments[-2:] == ["--logger=brief", "course"]
    assert "--configfile=config/ci.yaml" in arguments


@pytest.mark.parametrize("target", RUNNING)
def test_snakemake_can_make_what_a_target_asks_of_it(server, target):
    for arguments in RUNS[target]:
        status, output = server.dry_run(arguments)
        assert status == 0, output


@pytest.mark.parametrize("command", DOCUMENTED)
def test_snakemake_takes_what_the_documentation_says(server, command):
    status, output = server.dry_run(DOCUMENTED[command])
    assert status == 0, output


#: What is no output of a rule: the folder of logs, and what `make peer` and `make crate` write.
ELSEWHERE = {"results/logs", "results/peers/crowd_kit.html", "results/crate"}


def test_every_file_of_the_results_that_a_page_names_is_made(server):
    status, output = server.dry_run(["--cores=1", "all", "check", "course", EXAMPLE, "--summary"])
    assert status == 0, output
    made = set(re.findall(r"results/[^\s,]+", output))
    made |= {str(parent) for path in made for parent in PurePath(path).parents}
    for page in documented.PAGES:
        named = re.findall(r"(?<![\w/.])results/[\w./<>-]*[\w>]", documented.text_of(page))
        for name in set(named) - ELSEWHERE:
            # The site is one output; its computed pages are made in another folder before.
            path = in_clone(name).replace("results/site/", "results/pages/")
            assert path in made, f"{page}: {name}"
