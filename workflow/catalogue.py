"""The papers: one folder each, found by its `paper.yaml`."""

from __future__ import annotations

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
    key: str
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
    notebook: str
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
    def rules(self) -> Path:
        """Rules of the paper's own, where one generated rule does not do; few papers have any."""
        return self.folder / "rules.smk"

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
    if record["key"] != path.parent.name:
        faults.append(
            f"{path}, key key: {record['key']!r} is not the folder's name {path.parent.name!r}."
        )
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


def read_papers(folder: Path, datasets: Collection[str], notebooks: Path) -> dict[str, Paper]:
    """Find the papers of a folder by their `paper.yaml` and read them, by key.

    Raises
    ------
    DocumentError
        If a record is faulty, a file of a paper or its notebook is missing, or two papers have
        one notebook.
    """
    found = [read_paper(path, datasets) for path in sorted(folder.glob("*/paper.yaml"))]
    faults = [fault for paper in found for fault in _missing_files(paper, notebooks)]
    names = [paper.notebook for paper in found]
    faults += [
        f"{paper.folder / 'paper.yaml'}, key notebook: {paper.notebook!r} is also the "
        "notebook of another paper. Each paper needs its own."
        for paper in found
        if names.count(paper.notebook) > 1
    ]
    if faults:
        raise DocumentError("\n".join(faults))
    return {paper.key: paper for paper in found}


def _missing_files(paper: Paper, notebooks: Path) -> Iterator[str]:
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
    notebook = notebooks / f"{paper.notebook}.ipynb"
    if not notebook.is_file():
        yield (
            f"{notebook}: missing, and {paper.folder / 'paper.yaml'} names it under notebook. "
            "Write the notebook, or correct the name."
        )
