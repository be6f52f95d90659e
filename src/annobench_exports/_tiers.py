"""Tiers of ELAN and Praat: intervals of a recording, with labels, in milliseconds.

In a folder a file is an annotator and a tier is a layer; in a single file of several tiers a tier
is an annotator. `--annotator-from` file or person says so for other cases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from annobench.core.names import Name
from annobench.io.formats.base import Intake, Source, Span
from annobench_exports._parts import named_by_file
from annobench_exports._texts import annotator_and_document

#: The layer of tiers that are named after their annotators alone.
LAYER = "intervals"

_TIERS = (
    "Tiers are taken for annotators: {}. If all are the work of one annotator, give a folder with "
    "a file for each annotator, or add --annotator-from file."
)


class Tier(NamedTuple):
    """A tier of a file.

    Attributes
    ----------
    name : str
        Of the tier.
    kind : str
        What tiers of different annotators have in common; empty if the file does not say.
    annotator : str
        The one that the file names; empty if it names none.
    spans : list of Span
        Labelled intervals, in milliseconds.
    left_out : list of str
        Why intervals are no spans, a reason for each.
    reason : str
        Why the tier is none of spans; empty if it is one.
    """

    name: str
    kind: str
    annotator: str
    spans: list[Span]
    left_out: list[str]
    reason: str = ""


def with_ending(source: Source, ending: str) -> list[Path]:
    """Return the file, or the files of a folder whose names end so."""
    if not source.is_folder:
        return [source.path]
    return [path for path in source.files if path.suffix.lower() == ending]


def read_tiers(
    source: Source, files: list[Path], parse: Callable[[Path, Intake], list[Tier]], intake: Intake
) -> None:
    """Push the spans of every tier."""
    by_tier = intake.options.annotator_from == "person"
    for path in files:
        intake.begin(path.relative_to(source.path) if source.is_folder else "", "tier")
        annotator, document = annotator_and_document(path, source, files)
        tiers = parse(path, intake)
        if by_tier or (not source.is_folder and intake.options.annotator_from is None):
            _push_annotators(tiers, named_by_file(path, source.path), intake)
        else:
            for where, tier in enumerate(tiers, start=1):
                _push(tier, document, annotator, tier.name, where, False, intake)
    if source.is_folder:
        intake.leave_out_others(source)


def _push_annotators(tiers: list[Tier], document: Name, intake: Intake) -> None:
    """Push tiers that are annotators; those of one annotator differ in what is annotated."""
    names = [tier.annotator or tier.name for tier in tiers]
    layers = [_layer(tier, name) for tier, name in zip(tiers, names, strict=True)]
    times = Counter(zip(names, layers, strict=True))
    for where, (tier, name, layer) in enumerate(zip(tiers, names, layers, strict=True), start=1):
        unique = layer if times[name, layer] == 1 else tier.name
        _push(tier, document, name, unique, where, bool(tier.annotator), intake)
    guessed = [tier.name for tier in tiers if not tier.annotator and not tier.reason]
    if len(guessed) > 1:
        intake.notes.append(_TIERS.format(", ".join(map(repr, guessed))))


def _layer(tier: Tier, annotator: str) -> str:
    """Return the name of a tier without that of its annotator, or else what kind it is of."""
    name = rf"(?:^|[ @_.:/-]+){re.escape(annotator)}(?:$|[ @_.:/-]+)"
    rest = re.sub(name, "", tier.name, flags=re.IGNORECASE)
    return rest if rest and rest != tier.name else tier.kind or LAYER


def _push(
    tier: Tier,
    document: Name,
    annotator: Name,
    layer: str,
    where: int,
    personal: bool,
    intake: Intake,
) -> None:
    intake.read()
    if tier.reason:
        intake.leave_out(where, tier.reason)
    else:
        intake.marks(document, annotator, layer, tier.spans, where=where, personal=personal)
    for reason in tier.left_out:
        intake.read()
        intake.leave_out(where, reason)
