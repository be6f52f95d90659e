"""TextGrids of Praat: tiers of a recording, whose labelled intervals are spans, in milliseconds.

The long and the short format hold the same numbers and quoted texts in the same order; what stands
between them is for people, and Praat does not read it either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Source, Span
from annobench_exports._parts import as_number
from annobench_exports._texts import are_only, head_of, text_of
from annobench_exports._tiers import Tier, read_tiers, with_ending

_REMEDY = "Save it again in Praat, as a text file."

#: A quoted text, a flag, a free-standing number; comments, and words for people.
_PART = re.compile(
    r'"((?:[^"]|"")*)"|<(\w+)>|(?<!\S)([+-]?\.?[0-9][0-9.eE+-]*)(?!\S)|![^\n]*|[^\s"]+|"'
)

#: The largest time, of more than three years, in seconds.
_LONGEST = 1e8


def _recognise(source: Source) -> str | None:
    """Return whether there is a file for each annotator."""
    files = with_ending(source, ".textgrid")
    parts = [source.inside(path) for path in files] if source.is_folder else [source]
    if not all(map(_is_textgrid, parts)) or (source.is_folder and not are_only(source, files)):
        return None
    return "a file per annotator" if source.is_folder and len(files) > 1 else "one file"


def _is_textgrid(source: Source) -> bool:
    if source.head.startswith(b"ooBinaryFile\x08TextGrid"):
        return True
    beginning = head_of(source)[:1_000]
    return '"ooTextFile' in beginning and '"TextGrid"' in beginning


def _read(source: Source, intake: Intake) -> None:
    read_tiers(source, with_ending(source, ".textgrid"), _tiers, intake)


def _tiers(path: Path, intake: Intake) -> list[Tier]:
    """Read the tiers of a file."""
    if path.read_bytes().startswith(b"ooBinaryFile"):
        raise ReaderError(f"{path}: a binary TextGrid. {_REMEDY}")
    parts = _Parts(path)
    if not parts.text().startswith("ooTextFile") or parts.text() != "TextGrid":
        raise parts.refusal("not the beginning of a TextGrid")
    parts.number()
    parts.number()
    tiers = []
    for _ in range(parts.count() if parts.flag() else 0):
        kind, name = parts.text(), parts.text()
        if kind not in ("IntervalTier", "TextTier"):
            raise parts.refusal(f"a tier of the class {kind[:40]!r}")
        parts.number()
        parts.number()
        tier = Tier(name.strip() or "(no name)", "", "", [], [])
        for _ in range(parts.count()):
            start = parts.number()
            end = parts.number() if kind == "IntervalTier" else start
            label = parts.text().strip()
            if kind == "IntervalTier" and label:
                _take(tier, start, end, label, parts)
        is_of_points = kind == "TextTier"
        tiers.append(tier._replace(reason="tiers of points") if is_of_points else tier)
    parts.end()
    if name := next((t.name for t in tiers if [u.name for u in tiers].count(t.name) > 1), ""):
        raise ReaderError(f"{path}: two tiers are called {name!r}. Rename one in Praat.")
    return tiers


def _take(tier: Tier, start: float, end: float, label: str, parts: _Parts) -> None:
    first, last = round(1000 * start), round(1000 * end)
    if not 0 <= start <= end <= _LONGEST:
        raise parts.refusal(f"an interval from {start:g} to {end:g}")
    if first == last:
        tier.left_out.append("intervals shorter than a millisecond")
    else:
        tier.spans.append(Span(first, last, label))


class _Parts:
    """The texts, flags and numbers of a file, one after the other."""

    def __init__(self, path: Path) -> None:
        self._path, self._content = path, text_of(path)
        self._at = 0
        self._parts: Iterator[re.Match[str]] = (
            match
            for match in _PART.finditer(self._content)
            if match.lastindex is not None or match[0] == '"'
        )

    def text(self) -> str:
        """Return the next part, a text."""
        return self._next(1, "a text in quotation marks").replace('""', '"')

    def flag(self) -> bool:
        """Return whether the next part, a flag, says that there is something."""
        return self._next(2, "<exists> or <absent>") == "exists"

    def number(self) -> float:
        """Return the next part, a number."""
        number = as_number(self._next(3, "a number"))
        if number is None:
            raise self.refusal("a number that can't be read")
        return number

    def count(self) -> int:
        """Return the next part, a number of what follows."""
        number = self.number()
        if not number.is_integer() or not 0 <= number <= len(self._content):
            raise self.refusal(f"{number:g} where a number of tiers or intervals is expected")
        return int(number)

    def end(self) -> None:
        """Refuse what stands below the last tier: a number of tiers or intervals is too small."""
        if (match := next(self._parts, None)) is not None:
            self._at = match.start()
            raise self.refusal(f"{match[0][:40]!r} below the last of the tiers that were announced")

    def _next(self, group: int, wanted: str) -> str:
        match = next(self._parts, None)
        if match is None:
            raise ReaderError(f"{self._path}: the file ends where {wanted} is expected. {_REMEDY}")
        self._at = match.start()
        if match[group] is None:
            raise self.refusal(f"{match[0][:40]!r} where {wanted} is expected")
        return match[group]

    def refusal(self, what: str) -> ReaderError:
        """Return an error that names the line."""
        line = self._content.count("\n", 0, self._at) + 1
        return ReaderError(f"{self._path}, line {line}: {what}. {_REMEDY}")


FORMAT = ExportFormat(
    name="praat",
    title="Praat",
    recognise=_recognise,
    read=_read,
    note=(
        "A document is a recording, and spans are labelled intervals, in milliseconds. In a folder "
        "a file is an annotator and a tier a layer; in one file a tier is an annotator."
    ),
    annotators=("person", "file"),
)
