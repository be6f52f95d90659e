"""The papers: one folder each, named by the paper's key, with a notebook of that name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annobench_replication.exhibit import Exhibit
from documents import DocumentError, read_yaml, unknown, validate

SCHEMA = Path(__file__).parent / "schemas" / "paper.schema.yaml"

#: What is said of a paper's values, beside its record: tables of its folder, without their ending.
LEDGERS = ("published", "errata", "remarks", "standing")

#: The forms in which every figure is written: for pages, and for slides and manuscripts.
FIGURE_FORMATS = ("svg", "png")

#: The keys of papers, which are names of folders, of rules and of pages.
KEY = re.compile(r"[a-z0-9_]+")

#: What a record lists by name: figures and tables of the analysis, and tables of the print.
EXHIBITS = ("figures", "tables", "layouts")


@dataclass(frozen=True)
class MissingFigure:
    """A figure of a paper, or a part of one, that nothing shows, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class StandIn:
    """What an analysis simulates in place of labels that no data set has, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class Search:
    """Where something that is not available was searched for, when, and what was found.

    Attributes
    ----------
    subject : str
        The beginning of a sentence of `Paper.not_public`, or "all".
    where, when, found : str
        Places, day and outcome.
    """

    subject: str
    where: str
    when: str
    found: str

    def covers(self, sentence: str) -> bool:
        """Say whether the search was for what a sentence names."""
        return self.subject == "all" or sentence.startswith(self.subject)


@dataclass(frozen=True)
class Paper:
    """A paper's record, and where its files are."""

    folder: Path
    title: str
    authors: str
    year: int
    venue: str
    summary: str
    datasets: tuple[str, ...]
    figures: tuple[Exhibit, ...]
    tables: tuple[Exhibit, ...]
    results: str
    random: bool
    not_public: tuple[str, ...]
    mem_mb: int
    minutes: int
    url: str = ""
    calibrated: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    missing_figures: tuple[MissingFigure, ...] = ()
    contents: tuple[str, ...] = ()
    variations: Mapping[str, Any] = field(default_factory=dict)
    layouts: tuple[Exhibit, ...] = ()
    collection: str = "added"
    released: tuple[str, ...] = ()
    second_hand: tuple[str, ...] = ()
    text: str = "whole"
    stand_ins: tuple[StandIn, ...] = ()
    searches: tuple[Search, ...] = ()

    @property
    def key(self) -> str:
        """The name of its folder, of its notebook and of its results."""
        return self.folder.name

    @property
    def analysis(self) -> Path:
        """The module whose `analyse` computes the paper's values, tables and figures."""
        return self.folder / "analysis.py"

    @property
    def sources(self) -> list[Path]:
        """All modules of the paper's own."""
        return sorted(self.folder.glob("*.py"))

    def layout(self, table: Exhibit) -> Path:
        """The rows and columns of a printed table."""
        return self.folder / "layouts" / f"{table.name}.csv"

    @property
    def printed_tables(self) -> list[Path]:
        """The printed tables that the analysis takes as input."""
        return sorted((self.folder / "tables").glob("*.csv"))


def names_of_rules(workflow: Path) -> set[str]:
    """Return the names of the rules of the workflow, but those that are made of a paper's key."""
    paths = [workflow / "Snakefile", *workflow.glob("rules/*.smk")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return set().union(*(re.findall(r"^rule (\w+):", text, re.MULTILINE) for text in texts))


def is_key(name: str, taken: Collection[str] = ()) -> bool:
    """Return whether a name can be that of a paper: of its folder, its rule and its page."""
    return KEY.fullmatch(name) is not None and name not in taken


def read_paper(path: Path, datasets: Collection[str]) -> Paper:
    """Read and validate one `paper.yaml`.

    Raises
    ------
    DocumentError
        Naming the file and every faulty key.
    """
    record: dict[str, Any] = read_yaml(path)
    validate(record, SCHEMA, str(path))
    faults = [
        unknown(f"{path}, key datasets", name, datasets)
        for name in record["datasets"]
        if name not in datasets
    ]
    for kind in EXHIBITS:
        names = [entry["name"] for entry in record.get(kind, ())]
        faults += [
            f"{path}, key {kind}: the name {name!r} stands there twice."
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
    if faults:
        raise DocumentError("\n".join(faults))
    for kind in EXHIBITS:
        record[kind] = tuple(Exhibit(**entry) for entry in record.get(kind, ()))
    missing = record.get("missing_figures", ())
    record["missing_figures"] = tuple(MissingFigure(**entry) for entry in missing)
    record["stand_ins"] = tuple(StandIn(**entry) for entry in record.get("stand_ins", ()))
    record["searches"] = tuple(
        Search(each["for"], each["where"], each["when"], each["found"])
        for each in record.get("searches", ())
    )
    lists = ("datasets", "not_public", "calibrated", "resources", "contents")
    for kind in (*lists, "released", "second_hand"):
        record[kind] = tuple(record.get(kind, ()))
    return Paper(folder=path.parent, **record)


def read_papers(
    folder: Path, datasets: Collection[str], notebooks: Path, taken: Collection[str] = ()
) -> tuple[dict[str, Paper], dict[str, str]]:
    """Read the papers of a folder, and say what is wrong with those that can't be run.

    Parameters
    ----------
    folder : Path
        With a folder for each paper; one that holds no file is passed over.
    datasets : collection of str
        The ids of all data sets.
    notebooks : Path
        Folder of the notebooks.
    taken : collection of str
        Names of rules, which no paper may have.

    Returns
    -------
    papers : dict of str to Paper
        Those that can be run, by key.
    faults : dict of str to str
        Messages on the others, by the names of their folders, of which letters become small and
        other signs "_": a faulty record or name, or a file that is missing.
    """
    papers: dict[str, Paper] = {}
    refused: dict[str, str] = {}
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        if not any(path.is_file() for path in place.iterdir()):
            continue
        try:
            papers[place.name] = _whole_paper(place, datasets, notebooks, taken)
        except DocumentError as error:
            refused[place.name] = str(error)
    faults: dict[str, str] = {}
    for name, message in refused.items():
        key = re.sub(r"[^a-z0-9_]", "_", name.lower())
        while key in papers or key in faults:
            key += "_"
        faults[key] = message
    return papers, faults


def _whole_paper(
    folder: Path, datasets: Collection[str], notebooks: Path, taken: Collection[str]
) -> Paper:
    if not is_key(folder.name, taken):
        why = "the name of a rule" if folder.name in taken else "not of small letters, digits, '_'"
        raise DocumentError(
            f"{folder}: the folder's name is {why}. Rename it to author and year, as in smith2026."
        )
    paper = read_paper(folder / "paper.yaml", datasets)
    if faults := list(_missing_files(paper)):
        raise DocumentError("\n".join(faults))
    read_notebook(notebooks / f"{paper.key}.ipynb")
    return paper


def read_notebook(path: Path) -> dict[str, Any]:
    """Read a notebook, unchecked but for its outline.

    Raises
    ------
    DocumentError
        If it is missing, or no notebook.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DocumentError(
            f"{path}: missing, and every paper has a notebook of its name. Write it."
        ) from None
    except ValueError as error:
        raise DocumentError(f"{path}: no notebook ({error}). Correct the file.") from error
    if not (
        isinstance(notebook, dict)
        and isinstance(notebook.get("cells"), list)
        and isinstance(notebook.get("metadata"), dict)
    ):
        raise DocumentError(
            f"{path}: no notebook, as it lacks cells or metadata. Correct the file."
        )
    return notebook


def _missing_files(paper: Paper) -> Iterator[str]:
    for path in (paper.analysis, *(paper.folder / f"{name}.csv" for name in LEDGERS)):
        if not path.is_file():
            yield (
                f"{path}: missing, and every paper has one. Write it, or take the paper away "
                f"with its folder {paper.folder}."
            )
    for table in paper.layouts:
        if not paper.layout(table).is_file():
            yield (
                f"{paper.layout(table)}: missing, and {paper.folder / 'paper.yaml'} names it under "
                "layouts. Write the layout, or correct the name."
            )
