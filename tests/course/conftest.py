"""The sessions of the course and the worked example, for tests that hold for all of them."""

import csv
import re
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
#: A folder of sessions beside the course's, as a teacher has one of their own.
OWN = HERE / "own_sessions"


def pytest_generate_tests(metafunc):
    """Run a test that asks for `lesson` for every session, by its folder."""
    if "lesson" in metafunc.fixturenames:
        folders = [
            path for home in (OWN, *sessions.__path__) for path in Path(home).glob("s[0-9]*")
        ]
        ids = sorted(path.name.removeprefix("s") for path in folders)
        metafunc.parametrize("lesson", ids, indirect=True)


@pytest.fixture(autouse=True, scope="module")
def example():
    """Make the worked example one of the sessions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "__path__", [*sessions.__path__, str(OWN)])
        yield


@pytest.fixture
def lesson(request):
    """A session: its id, its syllabus, its text, its records; whether it is one of ours."""
    held = sessions.get(request.param)
    bank = banks.get(request.param) if (held.folder / "bank.py").is_file() else {}
    return SimpleNamespace(
        id=request.param,
        syllabus=held.lesson,
        source=held.text,
        exercises=held.exercises,
        hints=held.hints,
        bank=bank,
        is_ours=TOP / "src" in held.folder.resolve().parents,
    )


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
def other_processes():
    """Make the worked example a session in other processes, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(sessions.FOLDERS, str(OWN))
        yield


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """The folder of sessions that the guide to one's own shows, as a teacher writes it."""
    page = (TOP / "docs" / "how-to" / "own-session.md").read_text(encoding="utf-8")
    folder = tmp_path_factory.mktemp("teacher")
    files = r"^`([\w./-]+)`:?\n\n(`{3,})\w*\n(.*?)^\2$"
    for name, _, text in re.findall(files, page, re.MULTILINE | re.DOTALL):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "my_sessions"


@pytest.fixture(scope="session")
def example_source():
    """The source of the worked example."""
    return OWN / "s00_example" / "session.md"
