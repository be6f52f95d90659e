"""The sessions of the course and the worked example, for tests that hold for all of them."""

import csv
import importlib
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from annobench_course import sessions
from annobench_course.results import COLUMNS, Results
from annobench_course.teacher import banks
from studies.conformance import conformance

HERE = Path(__file__).parent
TOP = HERE.parents[1]
EXAMPLE = HERE / "example_session"
SOURCES = {path.stem: path for path in [*EXAMPLE.glob("*.md"), *(TOP / "course").glob("*.md")]}
MODULES = {
    path.stem.removeprefix("s"): path
    for path in [*EXAMPLE.glob("s*.py"), *Path(sessions.__path__[0]).glob("s[0-9]*.py")]
}


def pytest_generate_tests(metafunc):
    """Run a test that asks for `lesson` for every session, by its file."""
    if "lesson" in metafunc.fixturenames:
        metafunc.parametrize("lesson", sorted(SOURCES | MODULES), indirect=True)


@pytest.fixture(autouse=True, scope="module")
def example():
    """Make the worked example one of the sessions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "__path__", [*sessions.__path__, str(EXAMPLE)])
        patch.setattr(banks, "__path__", [*banks.__path__, str(EXAMPLE)])
        yield


@pytest.fixture
def lesson(request):
    """A session: its id, its source, its records."""
    id = request.param
    assert id in SOURCES, f"course/{id}.md is missing"
    assert id in MODULES, f"src/annobench/course/sessions/s{id}.py is missing"
    module = sessions.get(id)
    exercises = {e.id: e for e in module.EXERCISES}
    bank = banks.get(id)
    return SimpleNamespace(id=id, source=SOURCES[id], module=module, exercises=exercises, bank=bank)


def published():
    """Yield the rows of printed values, for a run without results."""
    papers = [TOP / "tests" / "workflow" / "example_paper", *(TOP / "workflow/papers").iterdir()]
    for paper in papers:
        if (paper / "published.csv").is_file():
            with (paper / "published.csv").open(newline="", encoding="utf-8") as file:
                for row in csv.DictReader(line for line in file if not line.startswith("#")):
                    yield paper.name, row


@pytest.fixture(scope="session")
def results_file(tmp_path_factory):
    """A file of results: printed values also stand where computed ones would, in tests only."""
    path = tmp_path_factory.mktemp("results") / "results.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for paper, row in published():
            printed = row["value"]
            number = printed.replace(",", "").rstrip("%").lstrip("<>=~")
            writer.writerow(
                {
                    "paper": paper,
                    "target": row["target"],
                    "label": row["label"],
                    "source": row["source"],
                    "published": printed,
                    "computed": number,
                    "verdict": "reproduced",
                }
            )
    return path


@pytest.fixture(scope="session")
def results(results_file):
    return Results.read(results_file)


@pytest.fixture(scope="session")
def study_tables(tmp_path_factory):
    """The tables of studies, of a few stored values of other packages each."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "conformance").mkdir()
    stored = TOP / "tests" / "reference" / "agreement"
    peers = conformance.read_peers(stored / "peers.csv")
    few = peers[peers["dataset"].isin(["two_missing", "two_unused", "two_all_equal"])]
    entries = conformance.read_disagreements(stored / "disagreements.csv")
    compared = conformance.compare(few, conformance.load_datasets(stored / "datasets.py"), entries)
    conformance.matrix(compared).to_csv(folder / "conformance" / "matrix.csv", index=False)
    # All entries, as if each explained one value
    listed = pd.DataFrame(entries).assign(n_values=1)
    listed.to_csv(folder / "conformance" / "disagreements.csv", index=False)
    return folder


@pytest.fixture
def folder(tmp_path, results_file, study_tables):
    """An empty folder beside the course's data, as the archive has it."""
    shutil.copytree(study_tables, tmp_path / "data")
    (tmp_path / "data" / "results.csv").write_bytes(results_file.read_bytes())
    (tmp_path / "notebooks").mkdir()
    return tmp_path / "notebooks"


@pytest.fixture(scope="module")
def other_processes(tmp_path_factory):
    """Make the worked example a session in other processes, too."""
    site = tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text(
        "import annobench_course.sessions as sessions\n"
        f"sessions.__path__.append({str(EXAMPLE)!r})\n"
    )
    home = str(Path(importlib.import_module("annobench").__file__).parents[1])
    path = [str(site), home, *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(path))
        yield


@pytest.fixture(scope="session")
def example_source():
    """The source of the worked example."""
    return EXAMPLE / "00_example.md"
