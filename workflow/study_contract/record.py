"""The studies of our own: one folder each, found by its `study.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from documents import DocumentError, read_yaml, validate

SCHEMA = Path(__file__).parents[1] / "schemas" / "study.schema.yaml"

#: Modules of every study: what computes its tables, and what shows them.
MODULES = ("analysis", "page")


@dataclass(frozen=True)
class Grid:
    """How a study's grid is computed: the jobs that share its cells, and the minutes of each."""

    jobs: int
    minutes: int


@dataclass(frozen=True)
class StudyRecord:
    """A study's record, and where its files are.

    Attributes
    ----------
    design : str
        Where the design stands in the configuration, under `studies`; empty if there is none.
    grids : mapping of str to Grid
        Of a study by simulation: "reduced", which every run computes, and "full", which is stored.
    files : mapping of str to str
        Other inputs by name, as paths in the repository.
    """

    folder: Path
    key: str
    title: str
    summary: str
    random: bool
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    mem_mb: int
    minutes: int
    design: str
    grids: dict[str, Grid]
    files: dict[str, str]

    @property
    def runs(self) -> dict[str, str]:
        """The grid of each folder of results; a study without grids has one folder."""
        if not self.grids:
            return {self.key: ""}
        return {self.key: "reduced", f"{self.key}_full": "full"}

    @property
    def template(self) -> Path:
        """The template of the study's page."""
        return self.folder / "page.html.j2"

    def module(self, name: str) -> Path:
        """Return the path of a module of the study."""
        return self.folder / f"{name}.py"


def read_study(path: Path) -> StudyRecord:
    """Read and validate one `study.yaml`.

    Raises
    ------
    DocumentError
        Naming the file and every faulty key, or a file that the study lacks.
    """
    record: dict[str, Any] = read_yaml(path)
    validate(record, SCHEMA, str(path))
    if record["key"] != path.parent.name:
        raise DocumentError(
            f"{path}, key key: {record['key']!r} is not the folder's name {path.parent.name!r}."
        )
    grids = {name: Grid(**grid) for name, grid in record.get("grids", {}).items()}
    modules = [*MODULES, "cells"] if grids else [*MODULES]
    needed = [f"{module}.py" for module in modules] + ["page.html.j2"]
    if missing := [name for name in needed if not (path.parent / name).is_file()]:
        raise DocumentError(
            f"{path.parent / missing[0]}: missing, and a study has one. Write it, or take the "
            f"study away with its folder {path.parent}."
        )
    optional = {"design": record.get("design", ""), "files": record.get("files", {})}
    lists = {kind: tuple(record[kind]) for kind in ("tables", "figures")}
    return StudyRecord(folder=path.parent, **record | optional | lists | {"grids": grids})


def read_studies(folder: Path) -> dict[str, StudyRecord]:
    """Find the studies of a folder by their `study.yaml` and read them, by key.

    Raises
    ------
    DocumentError
        If a record is faulty, or a file of a study is missing.
    """
    found = [read_study(path) for path in sorted(folder.glob("*/study.yaml"))]
    return {study.key: study for study in found}
