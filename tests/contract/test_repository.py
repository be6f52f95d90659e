"""What the repository as a whole promises to who clones it."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

import annobench
from annobench.cli import app
from annobench.reporting.pages import render

TOP = Path(__file__).parents[2]
LARGEST = 512 * 1024
#: A Python and a machine for which the lock's markers are read.
TARGET = {
    "python_version": "3.11",
    "python_full_version": "3.11.9",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "os_name": "posix",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}

PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
DEPENDENCIES = list(map(Requirement, PROJECT["dependencies"]))


def of_extra(name):
    """Return what an extra requires, with the extras that it names."""
    found = map(Requirement, PROJECT["optional-dependencies"][name])
    return [
        part
        for line in found
        for part in (
            [line] if line.name != "annobench" else [p for e in line.extras for p in of_extra(e)]
        )
    ]


@pytest.fixture(scope="module")
def files():
    """The files of the repository: tracked, or about to be."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [TOP / name for name in listing.stdout.split("\0") if name]
    found = [path for path in paths if path.is_file()]
    assert found
    return found


@pytest.fixture(scope="module")
def lock():
    """The locked versions by name, for one Python and machine."""
    lines = (TOP / "requirements" / "lock.txt").read_text().splitlines()
    entries = [Requirement(line.rstrip(" \\")) for line in lines if line and line[0].isalnum()]
    return {
        entry.name.lower(): str(entry.specifier).removeprefix("==")
        for entry in entries
        if entry.marker is None or entry.marker.evaluate(TARGET)
    }


@pytest.fixture(scope="module")
def direct():
    """The names that the workflow depends on directly."""
    return {line.name.lower() for line in (*DEPENDENCIES, *of_extra("workflow"))}


@pytest.mark.parametrize(
    "name", ["README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md"]
)
def test_a_reader_finds_the_usual_files(name):
    assert (TOP / name).read_text().strip()


def test_no_page_installs_the_package_from_a_registry(files):
    """None has it: it is installed from the clone."""
    pages = [path for path in files if path.suffix in {".md", ".py"} and path != Path(__file__)]
    assert len(pages) > 100
    found = re.compile(r"pip install [^\n]*annobench|nstall annobench\[")
    assert not [path for path in pages if found.search(path.read_text(encoding="utf-8"))]


def test_package_citation_changelog_and_pages_name_one_version():
    said = CliRunner().invoke(app, ["--version"])
    assert said.output == f"{annobench.__version__}\n"
    citation = yaml.safe_load((TOP / "CITATION.cff").read_text())
    assert citation["version"] == annobench.__version__
    headings = re.findall(r"^## \[(.+)\] - ", (TOP / "CHANGELOG.md").read_text(), re.M)
    assert headings[0] == annobench.__version__
    for guide in ("cite", "run", "teach"):
        quoted = (TOP / f"docs/how-to/{guide}.md").read_text(encoding="utf-8")
        assert annobench.__version__ in quoted, guide
    page = render("base.html.j2", title="")
    assert f"annobench {annobench.__version__}." in page


def test_the_changes_of_a_version_fit_a_page():
    text = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
    [section] = re.findall(
        rf"^## \[{re.escape(annobench.__version__)}\].*?(?=^## )", text, re.M | re.S
    )
    assert len(section.splitlines()) <= 60


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package as it is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(TOP / name, folder)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(TOP / "src", folder / "src", ignore=ignored)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, folder]
    subprocess.run(command, check=True)
    [found] = folder.glob("*.whl")
    return found


def test_the_wheel_has_the_version_and_every_file_of_the_package(wheel, files):
    assert wheel.name.startswith(f"annobench-{annobench.__version__}-")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [declared] = (archive.read(n).decode() for n in names if n.endswith("entry_points.txt"))
    packed = {name for name in names if ".dist-info/" not in name}
    source = TOP / "src"
    tracked = {path.relative_to(source).as_posix() for path in files if source in path.parents}
    assert packed == tracked
    assert {"annobench/py.typed", "annobench_datasets/pins/ami.csv"} <= packed
    assert "[annobench.formats]\nexports = annobench_exports\n" in declared
    assert "[annobench.datasets]\npublic = annobench_datasets\n" in declared
    assert "[annobench.commands]\ncourse = annobench_course." in declared


LOCKED = [
    *(TOP / "requirements").glob("*.txt"),
    *(TOP / "benchmarks" / "peers").glob("*/requirements.txt"),
]
LOCKS = pytest.mark.parametrize("path", LOCKED, ids=[str(path.relative_to(TOP)) for path in LOCKED])


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_make_finds_a_python_by_its_name(version, tmp_path):
    (tmp_path / f"python{version}").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / f"python{version}").chmod(0o755)
    for program in ("sh", "make", "test"):
        (tmp_path / program).symlink_to(shutil.which(program))
    command = ["make", "--dry-run", "--eval", "asked: ; $(PYTHON)", "asked"]
    told = subprocess.run(
        command, cwd=TOP, env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert told.stdout.split() == [f"python{version}"], told.stdout + told.stderr


@LOCKS
def test_a_lock_names_no_registry(path):
    text = path.read_text()
    assert not re.findall(r"^.*(?:https?://|--index|--extra-index|--find-links).*$", text, re.M)


@LOCKS
def test_everything_locked_has_a_hash(path):
    text = path.read_text()
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all("--hash=sha256:" in entry for entry in entries if entry[0].isalnum())


def test_the_lock_has_every_direct_dependency(lock, direct):
    assert direct <= set(lock)


@pytest.mark.parametrize("path", sorted((TOP / "envs").glob("*.yaml")), ids=lambda p: p.name)
def test_conda_environments_have_the_names_and_versions_of_the_lock(path, lock, direct):
    entries = yaml.safe_load(path.read_text())["dependencies"]
    by_pip = [line for entry in entries if isinstance(entry, dict) for line in entry["pip"]]
    versions = dict(
        re.fullmatch(r"([\w-]+)==?([\w.]+)", line).groups()
        for line in [*by_pip, *(e for e in entries if isinstance(e, str) and "=" in e)]
    )
    assert versions.pop("python") == TARGET["python_version"]
    assert versions == {name: lock[name] for name in direct}


def needed_by(names):
    """Return what distributions need, and what these need, as it is installed here."""
    found, waiting = set(), list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        with suppress(metadata.PackageNotFoundError):
            lines = map(Requirement, metadata.requires(name) or ())
            waiting += [r.name for r in lines if not r.marker or r.marker.evaluate({"extra": ""})]
    return found


def imported(files):
    """Return the modules that sources import, by their first name."""
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0]


def test_the_workflow_imports_and_runs_only_what_its_extra_installs(files, direct):
    sources = [
        path
        for path in files
        if path.suffix == ".py" and path.relative_to(TOP).parts[0] in ("src", "workflow")
    ]
    distributions = metadata.packages_distributions()
    # Labels that memory does not hold are no part of it.
    known = needed_by([*direct, *(line.name for line in of_extra("scale"))])
    missing = {
        module: owners
        for module in set(imported(sources))
        if (owners := {canonicalize_name(each) for each in distributions.get(module, ())})
        and "annobench" not in owners
        and not owners & known
    }
    assert missing == {}
    # A rule builds the course's wheel with it, without an import.
    assert "setuptools" in direct


def test_no_path_of_one_machine_stands_in_any_file(files):
    homes = "|".join(["home/\\w", "Users/\\w", "root/\\w", "work/\\w", "mnt/\\w", "opt/\\w"])
    pattern = re.compile(rf"(?<![\w.~}})/:-])/(?:{homes})")
    found = [
        f"{path.relative_to(TOP)}, line {number}: {line.strip()[:100]}"
        for path in files
        for number, line in enumerate(path.read_text(errors="ignore").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_no_file_is_large(files):
    large = [f"{path.relative_to(TOP)}" for path in files if path.stat().st_size > LARGEST]
    assert not large


def test_nothing_that_the_workflow_writes_is_committed(files):
    results = [path.name for path in files if path.is_relative_to(TOP / "results")]
    assert results == ["README.md"]


@pytest.mark.parametrize("name", ["default", "slurm"])
def test_a_profile_is_a_table_of_options(name):
    profile = yaml.safe_load((TOP / "profiles" / name / "config.yaml").read_text())
    from snakemake.cli import get_argument_parser

    known = {
        option.removeprefix("--")
        for action in get_argument_parser()._actions
        for option in action.option_strings
    }
    assert set(profile) <= known


def test_the_workflow_asks_for_the_version_of_snakemake_that_the_package_needs():
    [needed] = [line for line in of_extra("workflow") if line.name == "snakemake"]
    asked = re.findall(r'^min_version\("(.+)"\)$', (TOP / "workflow/Snakefile").read_text(), re.M)
    assert [f">={version}" for version in asked] == [str(needed.specifier)]


def test_the_formatter_formats_everything(files):
    # A table of numbers that it would mangle may be left out, and belongs into a file of data.
    mark = "# fmt: " + "skip"
    assert not [path for path in files if path.suffix == ".py" and mark in path.read_text()]


def test_archives_of_tests_have_no_time_in_them(files):
    """Else two processes that collect in different seconds give a test two names, and stop."""
    packed = [
        (path, call)
        for path in files
        if path.suffix == ".py" and path.is_relative_to(TOP / "tests")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "gzip.compress"
    ]
    assert packed
    for path, call in packed:
        named = {keyword.arg for keyword in call.keywords}
        assert "mtime" in named, f"{path.relative_to(TOP)}:{call.lineno}"


@pytest.mark.slow
def test_what_arviz_says_once_a_day_fails_no_test(tmp_path):
    script = tmp_path / "test_import.py"
    script.write_text("import arviz\n\ndef test():\n    assert arviz\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", script]
    # Where it keeps the day on which it said so last.
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    run = subprocess.run(
        [*command, "-c", TOP / "pyproject.toml", "--rootdir", TOP],
        cwd=TOP,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    assert list(tmp_path.glob("arviz/*"))
