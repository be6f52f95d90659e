"""ELAN: tiers of a recording, whose annotations are spans between time slots, in milliseconds."""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from annobench.core.errors import ReaderError
from annobench.io.formats.base import ExportFormat, Intake, Source, Span
from annobench.io.xml import read_xml
from annobench_exports._texts import are_only
from annobench_exports._tiers import Tier, read_tiers, with_ending
from annobench_exports._webanno_tsv import NO_VALUE

_ROOT = "ANNOTATION_DOCUMENT"
_REMEDY = "Save the file again in ELAN."
_TIME = re.compile(r"[0-9]{1,15}")

_REFERS = "annotations that refer to others and have no time of their own"


def _recognise(source: Source) -> str | None:
    """Return whether there is a file for each annotator."""
    files = with_ending(source, ".eaf")
    parts = [source.inside(path) for path in files] if source.is_folder else [source]
    is_elan = all(b"<" + _ROOT.encode() in part.head for part in parts)
    if not is_elan or (source.is_folder and not are_only(source, files)):
        return None
    return "a file per annotator" if source.is_folder and len(files) > 1 else "one file"


def _read(source: Source, intake: Intake) -> None:
    read_tiers(source, with_ending(source, ".eaf"), _tiers, intake)


def _tiers(path: Path, intake: Intake) -> list[Tier]:
    """Read the tiers of a file."""
    reader = _Reader(path)
    read_xml(path, reader.prepare, _REMEDY)
    if not reader.seen_root:
        raise ReaderError(f"{path}: the root is not <{_ROOT}>, as ELAN writes it. {_REMEDY}")
    return reader.tiers


class _Reader:
    """Handlers of the elements of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen_root = False
        self.tiers: list[Tier] = []
        self._times: dict[str, int | None] = {}
        self._open: list[str] = []
        self._limits: tuple[int | None, int | None] = (None, None)
        self._value: list[str] = []

    def prepare(self, parser: expat.XMLParserType) -> None:
        """Set the handlers."""
        self._parser = parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def _start(self, element: str, given: dict[str, str]) -> None:
        self._open.append(element)
        if len(self._open) == 1:
            self.seen_root = element == _ROOT
        elif element == "TIME_SLOT":
            name, time = self._given(given, "TIME_SLOT_ID"), given.get("TIME_VALUE")
            if name in self._times:
                raise self._refusal(f"the time slot {name!r} twice")
            if time is not None and not _TIME.fullmatch(time):
                raise self._refusal(f"the time slot {name!r} at {time[:40]!r}")
            self._times[name] = None if time is None else int(time)
        elif element == "TIER":
            self._begin_tier(given)
        elif element == "ALIGNABLE_ANNOTATION":
            first, last = (self._time(given, f"TIME_SLOT_REF{n}") for n in (1, 2))
            self._limits = first, last
            self._value.clear()

    def _begin_tier(self, given: dict[str, str]) -> None:
        name = self._given(given, "TIER_ID")
        if name in (tier.name for tier in self.tiers):
            raise self._refusal(f"the tier {name!r} twice")
        annotator = given.get("ANNOTATOR", "").strip() or given.get("PARTICIPANT", "").strip()
        self.tiers.append(Tier(name, given.get("LINGUISTIC_TYPE_REF", ""), annotator, [], []))

    def _text(self, text: str) -> None:
        if self._open[-1] == "ANNOTATION_VALUE":
            self._value.append(text)

    def _end(self, element: str) -> None:
        self._open.pop()
        if not self.tiers:
            return
        tier = self.tiers[-1]
        if element == "REF_ANNOTATION":
            tier.left_out.append(_REFERS)
        elif element == "ALIGNABLE_ANNOTATION":
            start, end = self._limits
            if start is None or end is None:
                tier.left_out.append("annotations without a time")
            elif start == end:
                tier.left_out.append("annotations without width")
            elif start > end:
                raise self._refusal(f"an annotation from {start} to {end}")
            else:
                tier.spans.append(Span(start, end, "".join(self._value).strip() or NO_VALUE))
        elif element == "TIER" and not tier.spans and _REFERS in tier.left_out:
            self.tiers[-1] = tier._replace(reason="tiers of such annotations alone")

    def _time(self, given: dict[str, str], key: str) -> int | None:
        name = self._given(given, key)
        if name not in self._times:
            raise self._refusal(f"a reference to the time slot {name!r}, which is not there")
        return self._times[name]

    def _given(self, given: dict[str, str], key: str) -> str:
        if not given.get(key, "").strip():
            raise self._refusal(f"<{self._open[-1]}> without {key}")
        return given[key]

    def _refusal(self, what: str) -> ReaderError:
        line = self._parser.CurrentLineNumber
        return ReaderError(f"{self.path}, line {line}: {what}. {_REMEDY}")


FORMAT = ExportFormat(
    name="elan",
    title="ELAN",
    recognise=_recognise,
    read=_read,
    note=(
        "A document is a recording, and spans are annotations with a time, in milliseconds. In a "
        "folder a file is an annotator and a tier a layer; in one file a tier is an annotator."
    ),
    annotators=("person", "file"),
)
