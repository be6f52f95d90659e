"""The project with one's own labels: a checklist that looks at a student's folder.

The guide is `docs/how-to/project.md`. Whether something is there, agrees with the labels and is
quoted is checked here; how good it is, the rubric asks.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from annobench_course.errors import CourseError
from annobench_course.outcomes import brief

if TYPE_CHECKING:
    from annobench import Annotations

__all__ = ["MIN_ITEMS", "SECTIONS", "Checklist", "Point", "check_project"]

#: Items that at least two annotators must have labelled.
MIN_ITEMS = 60
#: Words of the guidelines, at least, and of the report.
GUIDELINE_WORDS, REPORT_WORDS = 150, (500, 1200)
#: Items with disagreement that the report discusses by name, at least.
DISCUSSED = 3
#: What the headings of the report must say.
SECTIONS = ("Question", "Labels", "Agreement", "Consensus", "Disagreement", "Limits")


@dataclass(frozen=True)
class Point:
    """A point of the checklist.

    Attributes
    ----------
    name : str
        A few words.
    done : bool
        Whether it is there.
    said : str
        What was found, or what is missing and what to do.
    """

    name: str
    done: bool
    said: str


@dataclass(frozen=True)
class Checklist:
    """What is there and what is missing in the folder of a project.

    Attributes
    ----------
    folder : Path
        The folder.
    points : tuple of Point
        In the order of the guide.
    """

    folder: Path
    points: tuple[Point, ...]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return all(point.done for point in self.points)

    def __repr__(self) -> str:
        """Return a line for each point."""
        done = sum(point.done for point in self.points)
        lines = [f"[{'x' if p.done else ' '}] {p.name}: {p.said}" for p in self.points]
        return "\n".join([f"{self.folder}: {done} of {len(self.points)} points", *lines])

    def _repr_html_(self) -> str:
        """Return the points as a list, whose marks say the same as their colour."""
        items = "".join(
            f'<li style="list-style: none"><b style="color: {"#2e7d32" if p.done else "#b26a00"}">'
            f"{'✓' if p.done else '✗'} {escape(p.name)}</b>: {escape(p.said)}</li>"
            for p in self.points
        )
        return f"<p>{escape(str(self.folder))}</p><ul>{items}</ul>"


def check_project(folder: str | Path) -> Checklist:
    """Look at the folder of a project, and say what is missing.

    Parameters
    ----------
    folder : str or path
        With `guidelines.md`, `labels` (of any format that `annobench` reads), `labels_agreement`
        and `labels_consensus`, which the commands wrote, and `report.md`.

    Returns
    -------
    Checklist
        Its points, done or not.

    Raises
    ------
    CourseError
        If there is no such folder.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CourseError(
            f"{folder}: there is no such folder. Give that of your project, which holds your "
            "labels, guidelines.md and report.md."
        )
    held = _Project(folder)
    return Checklist(folder, tuple(_point(name, look, held) for name, look in _POINTS.items()))


class _MissingError(Exception):
    """What is missing, and what to do."""


def _point(name: str, look: Callable[[_Project], str], held: _Project) -> Point:
    try:
        return Point(name, True, look(held))
    except _MissingError as error:
        return Point(name, False, str(error))


class _Project:
    """The files of a project; what cannot be had is missing with a remedy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def text(self, name: str) -> str:
        path = self.folder / name
        try:
            return path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise _MissingError(f"There is no {name}. Write it, as the guide says.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise _MissingError(
                f"{name} can't be read ({brief(error)}). Save it as text in UTF-8."
            ) from None

    @cached_property
    def path(self) -> Path:
        """The file of the labels."""
        found = sorted(path for path in self.folder.glob("labels.*") if path.is_file())
        if len(found) != 1:
            which = ", ".join(path.name for path in found) or "none"
            raise _MissingError(
                "There must be one file of labels, such as labels.csv: one row per label, with the "
                f"columns item, annotator and label. There is {which}."
            )
        return found[0]

    @cached_property
    def labels(self) -> Annotations:
        from annobench import read_labels

        try:
            return read_labels(self.path)
        except Exception as error:
            raise _MissingError(
                f"{self.path.name} can't be read ({brief(error)}). Try `annobench inspect "
                f"{self.path.name}`, which says how it is read."
            ) from None

    @cached_property
    def disputed(self) -> set[str]:
        """The items to which annotators gave several categories."""
        several = (self.labels.counts > 0).sum(axis=1) > 1
        return {self.labels.items[i] for i in np.flatnonzero(several)}

    def rows(self, name: str, command: str) -> list[dict[str, str]]:
        """Return the rows of a table that a command wrote."""
        path = self.folder / name
        try:
            with path.open(newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError, csv.Error):
            raise _MissingError(
                f"There is no {name}. Run `annobench {command} {self.path.name}` in the folder."
            ) from None

    @cached_property
    def alpha(self) -> dict[str, str]:
        """The row of Krippendorff's alpha in the table of agreement."""
        rows = self.rows("labels_agreement/report.csv", "report")
        for row in rows:
            if (row.get("breakdown"), row.get("coefficient")) == ("overall", "krippendorff_alpha"):
                return row
        raise _MissingError(
            "labels_agreement/report.csv has no Krippendorff's alpha. Run `annobench report "
            f"{self.path.name}` again."
        )

    def alphas(self) -> list[float]:
        """Return alpha of the labels as they are now, for every scale that they may have."""
        from annobench import read_labels
        from annobench.agreement import krippendorff_alpha

        found = []
        for scale in (None, "ordinal", "interval"):
            try:
                labels = self.labels if scale is None else read_labels(self.path, scale=scale)
                found.append(krippendorff_alpha(labels).estimate)
            except ValueError:
                continue  # words are on no interval scale
        return found


def _labels(held: _Project) -> str:
    labels = held.labels
    several = int((labels.counts.sum(axis=1) > 1).sum())
    if labels.n_annotators < 2:
        raise _MissingError("There is only one annotator. Let another person label the same items.")
    if several < MIN_ITEMS:
        raise _MissingError(
            f"{several} items have labels of two annotators or more; there must be {MIN_ITEMS}. "
            "Label more, or let the others label the same items."
        )
    return f"{labels.n_labels} labels of {labels.n_annotators} annotators, {several} items shared."


def _names(held: _Project) -> str:
    named = [name for name in held.labels.annotators if "@" in name]
    if named:
        raise _MissingError(
            f"{named[0]} is an address of a person. Replace names by initials or numbers, and "
            "keep the list elsewhere."
        )
    return "No annotator is named by an address. Are they by name?"


def _guidelines(held: _Project) -> str:
    text = held.text("guidelines.md")
    lacking = [c for c in held.labels.categories if c.casefold() not in text.casefold()]
    if lacking:
        raise _MissingError(
            f"guidelines.md says nothing about the category {lacking[0]!r}. Define every category, "
            "with an example and a case at its border."
        )
    if (n := len(text.split())) < GUIDELINE_WORDS:
        raise _MissingError(
            f"guidelines.md has {n} words. Say, in {GUIDELINE_WORDS} or more, what is labelled, "
            "what each category means, and what to do if it is unclear."
        )
    return f"{n} words, with every category."


def _agreement(held: _Project) -> str:
    stored = float(held.alpha["estimate"] or "nan")
    if not any(np.isclose(stored, now, atol=1e-9) for now in held.alphas()):
        raise _MissingError(
            "labels_agreement was computed from other labels than those in the file: alpha "
            "differs. Run "
            f"`annobench report {held.path.name} --force` again."
        )
    return "It is of the labels as they are now."


def _consensus(held: _Project) -> str:
    rows = held.rows("labels_consensus/items.csv", "consensus")
    if {row.get("item") for row in rows} != set(held.labels.items):
        raise _MissingError(
            "labels_consensus has other items than the labels. Run `annobench consensus "
            f"{held.path.name} --force` again."
        )
    return f"{len(rows)} items."


def _sections(held: _Project) -> str:
    headings = " ".join(re.findall(r"^#+ +(.+)$", held.text("report.md"), re.MULTILINE)).casefold()
    lacking = [name for name in SECTIONS if name.casefold() not in headings]
    if lacking:
        raise _MissingError(
            f"report.md has no section {', '.join(lacking)}. A heading is a line such as "
            f"`## {lacking[0]}`."
        )
    return "All sections are there."


def _length(held: _Project) -> str:
    n, (low, high) = len(held.text("report.md").split()), REPORT_WORDS
    if not low <= n <= high:
        raise _MissingError(f"report.md has {n} words. Two pages have {low} to {high}.")
    return f"{n} words."


def _quoted(held: _Project) -> str:
    text, alpha = held.text("report.md").replace("\N{MINUS SIGN}", "-"), held.alpha
    for name in ("estimate", "lower", "upper"):
        try:
            value = f"{float(alpha[name]):.2f}"
        except ValueError:
            raise _MissingError(
                "labels_agreement/report.csv has no interval of alpha. Label more items."
            ) from None
        if not re.search(_as_written(value), text):
            what = {"estimate": "Krippendorff's alpha"}.get(name, "the interval of alpha")
            raise _MissingError(
                f"report.md doesn't quote {what} as labels_agreement has it, to two decimals. A "
                "coefficient without its interval says little."
            )
    return "Alpha and its interval are quoted."


def _as_written(value: str) -> str:
    """Return a pattern of a number with two decimals, with or without the zero before the point."""
    sign, digits = ("-" if value.startswith("-") else ""), value.lstrip("-")
    whole, _, decimals = digits.partition(".")
    before = "0?" if whole == "0" else whole
    return rf"(?<![\d.]){sign}{before}\.{decimals}(?!\d)"


def _discussed(held: _Project) -> str:
    text = held.text("report.md")
    named = [i for i in held.disputed if re.search(rf"(?<!\w){re.escape(i)}(?!\w)", text)]
    if len(named) < min(DISCUSSED, len(held.disputed)):
        raise _MissingError(
            f"report.md names {len(named)} items on which annotators disagree; discuss "
            f"{DISCUSSED} or more by their names. labels_agreement/to_discuss.csv lists them."
        )
    return f"{len(named)} items are discussed."


#: The points in the order of the guide.
_POINTS: dict[str, Callable[[_Project], str]] = {
    "labels": _labels,
    "names": _names,
    "guidelines": _guidelines,
    "agreement": _agreement,
    "consensus": _consensus,
    "sections of the report": _sections,
    "length of the report": _length,
    "agreement in the report": _quoted,
    "disagreement in the report": _discussed,
}
