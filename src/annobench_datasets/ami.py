"""Dialogue acts and focus of attention in the AMI meeting corpus, from its NXT release.

`ami_dialogue_acts` has the type that an annotator gave to each segment of speech of 139
meetings, with the words, the times, the addressee, and the speaker's role in the project.
`ami_focus` has the targets that annotators saw the participants of 14 meetings look at, an item
an interval of time.

One annotator labelled a meeting, so that no two labels of an item can be compared: agreement
can't be computed from this release.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import ReaderError, report_faults
from annobench.datasets.base import DataSet, DataTables, LoadedData
from annobench.datasets.progress import tracked
from annobench_datasets import nxt
from annobench_datasets._ami_simulator import (
    act_targets,
    as_tables,
    focus_targets,
    simulate_acts,
    simulate_focus,
)
from annobench_datasets._pins import pinned

__all__ = ["ADDRESSED", "DATASETS", "MINOR", "TYPES", "gaze_shares", "in_order", "speech_times"]

_TOP = "ami_public_manual_1.6.2/"
_SOURCE = pinned(
    "ami",
    repository="Hasetomo2142/ami-corpus-preprocessing",
    commit="6d845bc07b21c8862afbf38f1b1f9ab3bf40c437",
    licence="CC BY 4.0 (AMI corpus)",
)
_FILES = _SOURCE.below("")
_CITATION = (
    "Carletta (2007). Unleashing the killer corpus: experiences in creating the multi-everything "
    "AMI meeting corpus. Language Resources and Evaluation 41(2), 181-190. "
    "https://doi.org/10.1007/s10579-007-9040-x"
)
_HOME = ("https://groups.inf.ed.ac.uk/ami/corpus/",)

_MEETINGS = _TOP + "corpusResources/meetings.xml"
_ONTOLOGY = _TOP + "ontologies/da-types.xml"
_ACT_FILES = tuple(path for path in _FILES if path.endswith(".dialog-act.xml"))
_FOCUS_FILES = tuple(path for path in _FILES if path.endswith(".foa.xml"))

#: Types of dialogue acts, in the order of the release's ontology.
TYPES = (
    *("bck", "stl", "fra", "inf", "sug", "ass", "el.inf", "el.sug"),
    *("el.ass", "el.und", "off", "und", "be.pos", "be.neg", "oth"),
)
#: Backchannels, stalls and fragments: all other acts are called real.
MINOR = ("bck", "stl", "fra")
#: The meetings whose acts have addressees, by the release's README.
ADDRESSED = (
    *("ES2008a", "ES2008b", "ES2009c", "ES2009d", "IS1000a", "IS1001a", "IS1001b", "IS1001c"),
    *("IS1003b", "IS1003d", "IS1006b", "IS1006d", "IS1008a", "IS1008b", "IS1008c", "IS1008d"),
    *("TS3005a", "TS3005b"),
)
_TARGETS = (*"ABCD", "table", "slide-screen", "whiteboard", "unspecified")
#: Which attribute says what is looked at, by the type of an interval; else the type itself.
_TARGET = {"person": "nxt_agent", "place": "place"}
_REMEDY = "Correct the document, or supply the pinned file."

# ---------------------------------------------------------------------------------- reading


def _words_of(path: str) -> str:
    return path.replace("dialogueActs", "words").replace("dialog-act", "words")


@dataclass(frozen=True)
class _Speaker:
    """Who speaks on a channel of a meeting; a meeting without a scenario has no roles."""

    person: str
    role: str | None
    meeting_seconds: float


def _speakers(path: Path) -> dict[tuple[str, str], _Speaker]:
    """Return the speakers by meeting and letter."""
    layer = nxt.read_layer(path)
    seconds = layer.numbers("duration")
    found, faults = {}, []
    for n, (tag, parent) in enumerate(zip(layer.tag, layer.parent, strict=True)):
        if tag != "speaker":
            continue
        own = layer.attributes[n]
        meeting = layer.attributes[parent].get("observation") if parent >= 0 else None
        letter, person = own.get("nxt_agent"), own.get("global_name")
        if meeting and letter and person:
            found[meeting, letter] = _Speaker(person, own.get("role"), float(seconds[parent]))
        else:
            faults.append(f"line {layer.line[n]}: a speaker lacks meeting, nxt_agent or name")
    report_faults(path, faults, _REMEDY)
    return found


def _parse_acts(files: Mapping[str, Path]) -> DataTables:
    speakers, ontology = _speakers(files[_MEETINGS]), nxt.read_layer(files[_ONTOLOGY])
    parts = [
        _acts(files[path], files[_words_of(path)], ontology, speakers)
        for path in tracked(_ACT_FILES, "dialogue acts", len(_ACT_FILES))
    ]
    return _joined(parts)


def _acts(
    path: Path,
    words_path: Path,
    ontology: nxt.Layer,
    speakers: Mapping[tuple[str, str], _Speaker],
) -> dict[str, list[Any]]:
    """Read the dialogue acts of one speaker in one meeting, with their words."""
    layer, words = nxt.read_layer(path), nxt.read_layer(words_path)
    known = _about(path, len(layer), speakers)
    prefix = path.name.removesuffix(".xml")
    spans = nxt.spans(layer, words)
    types = [*ontology.column("name"), None]  # the last for acts that point at no type
    start, end = (words.numbers(name).tolist() for name in ("starttime", "endtime"))
    texts = [text if tag == "w" else "" for tag, text in zip(words.tag, words.text, strict=True)]
    return {
        "item": layer.ids,
        "annotator": _annotators(layer, rf"{re.escape(prefix)}\.([^.]+)\.[0-9]+"),
        "label": [types[place] for place in nxt.pointed(layer, "da-aspect", ontology)],
        **known,
        "start": [_known(min, start[a : b + 1]) for a, b in spans],
        "end": [_known(max, end[a : b + 1]) for a, b in spans],
        "addressee": [_addressee(names) for names in layer.column("addressee")],
        "text": [" ".join(filter(None, texts[a : b + 1])) for a, b in spans],
    }


def _about(
    path: Path, size: int, speakers: Mapping[tuple[str, str], _Speaker]
) -> dict[str, list[Any]]:
    """Return columns of the meeting and the speaker, whom a document is named by."""
    meeting, letter = path.name.split(".")[:2]
    if (meeting, letter) not in speakers:
        raise ReaderError(
            f"{path}: no speaker {letter!r} of meeting {meeting!r} in meetings.xml. {_REMEDY}"
        )
    who = speakers[meeting, letter]
    known = {"meeting": meeting, "speaker": letter, **asdict(who)}
    return {name: [value] * size for name, value in known.items()}


def _annotators(layer: nxt.Layer, pattern: str) -> list[str]:
    """Return who made each element, which its id tells."""
    compiled = re.compile(pattern)
    matches = [compiled.fullmatch(name) for name in layer.ids]
    faults = [
        f"line {layer.line[n]}: the id {layer.ids[n]!r} names no annotator; it must be {pattern}"
        for n, match in enumerate(matches)
        if match is None
    ]
    report_faults(layer.path, faults, _REMEDY)
    return [match.group(1) for match in matches if match]


def _known(choose: Callable[..., float], times: Iterable[float]) -> float:
    """Choose among the times that are known; the transcription lacks a few."""
    return choose((time for time in times if time == time), default=math.nan)


def _addressee(names: str | None) -> str | None:
    """Write a set of participants in alphabetical order: "A,D,C" as "A,C,D"."""
    return ",".join(sorted(names.split(","))) if names else None


def _parse_focus(files: Mapping[str, Path]) -> DataTables:
    speakers = _speakers(files[_MEETINGS])
    parts = [
        _intervals(files[path], speakers)
        for path in tracked(_FOCUS_FILES, "focus of attention", len(_FOCUS_FILES))
    ]
    return _joined(parts)


def _intervals(path: Path, speakers: Mapping[tuple[str, str], _Speaker]) -> dict[str, list[Any]]:
    """Read what one participant of a meeting looked at."""
    layer = nxt.read_layer(path)
    prefix = re.escape("_".join(path.name.split(".")[:2]))
    start, end = (layer.numbers(name).tolist() for name in ("starttime", "endtime"))
    labels = [own.get(_TARGET.get(own.get("type", ""), "type")) for own in layer.attributes]
    checks: tuple[tuple[Callable[[int], bool], str], ...] = (
        (lambda n: labels[n] in _TARGETS, f"looks at none of {', '.join(_TARGETS)}"),
        (lambda n: start[n] == start[n] and end[n] == end[n], "lacks a time"),
        (lambda n: not (n and start[n] < end[n - 1] - 1e-6), "begins before the one above ends"),
    )
    faults = [
        f"line {layer.line[n]}: {layer.ids[n]!r} {wrong}"
        for n in range(len(layer))
        for holds, wrong in checks
        if not holds(n)
    ]
    report_faults(path, faults, _REMEDY)
    return {
        "item": layer.ids,
        "annotator": _annotators(layer, rf"([^_]+)_{prefix}\.foa\.[0-9,]+"),
        "label": labels,
        **_about(path, len(layer), speakers),
        "start": start,
        "end": end,
    }


def _joined(parts: Sequence[Mapping[str, list[Any]]]) -> DataTables:
    """Concatenate the columns of many documents."""
    return as_tables(
        pd.DataFrame({name: list(chain(*(part[name] for part in parts))) for name in parts[0]})
    )


# ------------------------------------------------------------------------------------ using


def in_order(data: LoadedData) -> pd.DataFrame:
    """Join the dialogue acts with their types, in the order in which they begin.

    Parameters
    ----------
    data : LoadedData
        The data set `ami_dialogue_acts`.

    Returns
    -------
    DataFrame
        One row per act: the columns of its item, `annotator`, `label` (missing for a few
        acts), `group` (the four meetings of the same people) and `real` (no backchannel,
        stall or fragment).
    """
    acts = data.items.merge(data.labels[["item", "annotator", "label"]], on="item", how="left")
    of_meeting = data.labels.groupby("meeting")["annotator"].first()
    acts["annotator"] = acts["annotator"].fillna(acts["meeting"].map(of_meeting))
    acts["group"] = acts["meeting"].str[:6]
    acts["real"] = acts["label"].notna() & ~acts["label"].isin(MINOR)
    return acts.sort_values(["meeting", "start", "item"], kind="stable", ignore_index=True)


def gaze_shares(acts: pd.DataFrame, focus: LoadedData) -> pd.DataFrame:
    """Return for which share of an act its speaker looks at whom, and who at the speaker.

    Parameters
    ----------
    acts : DataFrame
        With `meeting`, `speaker`, `start` and `end`, such as from `in_order`.
    focus : LoadedData
        The data set `ami_focus`.

    Returns
    -------
    DataFrame
        With the index of `acts`, shares in [0, 1]: `speaker_1` to `speaker_3` at the others,
        counted on from the speaker's letter; `speaker_table` and `speaker_screen` (slides or
        whiteboard); `listener_1` to `listener_3` for each of the others at the speaker. NaN for
        a participant whose focus of attention is not known.
    """
    intervals = focus.items.assign(target=focus.labels["label"].to_numpy())
    looked = dict(list(intervals.groupby(["meeting", "speaker"])))
    names = [f"{who}_{n}" for who in ("speaker", "listener") for n in (1, 2, 3)]
    shares = pd.DataFrame(np.nan, acts.index, [*names, "speaker_table", "speaker_screen"])
    for (meeting, letter), own in acts.groupby(["meeting", "speaker"]):
        speaker = str(letter)
        wanted: dict[str, tuple[str, tuple[str, ...]]] = {
            "speaker_table": (speaker, ("table",)),
            "speaker_screen": (speaker, ("slide-screen", "whiteboard")),
        }
        for n in (1, 2, 3):
            other = "ABCD"["ABCD".index(speaker) + n - 4]
            wanted |= {f"speaker_{n}": (speaker, (other,)), f"listener_{n}": (other, (speaker,))}
        start, end = own["start"].to_numpy(), own["end"].to_numpy()
        for name, (looker, targets) in wanted.items():
            if (meeting, looker) in looked:
                seen = looked[meeting, looker]
                seconds = _seconds_within(seen[seen["target"].isin(targets)], start, end)
                share = seconds / np.maximum(end - start, 1e-3)
                shares.loc[own.index, name] = np.clip(share, 0, 1)
    return shares


def speech_times(acts: pd.DataFrame) -> pd.DataFrame:
    """Return how long acts last, how long their speaker is silent around, and who else speaks.

    Parameters
    ----------
    acts : DataFrame
        All acts of some meetings in the order in which they begin, as from `in_order`.

    Returns
    -------
    DataFrame
        With the index of `acts`: `seconds`; `pause_before` and `pause_after` to the speaker's
        neighbouring acts, in [-5, 60] (60 where there is none); and how many of the others speak
        `at_start`, `at_end` and a second later, `after_end`.
    """
    own = acts.groupby(["meeting", "speaker"])
    found = pd.DataFrame(
        {
            "seconds": acts["end"] - acts["start"],
            "pause_before": (acts["start"] - own["end"].shift()).clip(-5, 60).fillna(60),
            "pause_after": (own["start"].shift(-1) - acts["end"]).clip(-5, 60).fillna(60),
        }
    )
    times = {"at_start": acts["start"], "at_end": acts["end"], "after_end": acts["end"] + 1}
    speaking = np.zeros((len(acts), len(times)))
    for _, rows in acts.groupby("meeting"):
        for speaker, spoken in rows.groupby("speaker"):
            start, end = spoken["start"].to_numpy(), np.maximum.accumulate(spoken["end"].to_numpy())
            others = acts.index.get_indexer(rows.index[rows["speaker"] != speaker])
            for column, time in enumerate(times.values()):
                at = time.to_numpy()[others]
                place = np.searchsorted(start, at, "right") - 1
                speaking[others, column] += (place >= 0) & (end[np.maximum(place, 0)] > at)
    return found.assign(**dict(zip(times, speaking.T, strict=True)))


def _seconds_within(
    intervals: pd.DataFrame, start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the time that intervals without overlap cover in each span."""
    # Covered time is a piecewise linear function of time; a few intervals end before they begin.
    intervals = intervals[intervals["end"] > intervals["start"]]
    if intervals.empty:
        return np.zeros(start.size)
    edges = intervals[["start", "end"]].to_numpy()
    total = np.cumsum(edges[:, 1] - edges[:, 0])
    covered = np.column_stack([np.concatenate([[0.0], total[:-1]]), total]).ravel()
    until, since = (np.interp(time, edges.ravel(), covered) for time in (end, start))
    return np.asarray(until - since)


# ---------------------------------------------------------------------------------- records


def _record(
    id: str,
    title: str,
    paths: Iterable[str],
    categories: tuple[str, ...],
    parse: Callable[[Mapping[str, Path]], DataTables],
    simulate: Callable[[np.random.Generator, Mapping[str, Path]], DataTables],
    calibration: tuple[str, ...],
    targets: Mapping[str, float],
) -> DataSet:
    return DataSet(
        id=id,
        title=title,
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=tuple(_FILES[path] for path in paths),
        scale="nominal",
        categories=categories,
        parse=parse,
        simulate=simulate,
        calibration=calibration,
        targets=targets,
    )


DATASETS = (
    _record(
        "ami_dialogue_acts",
        "Types and addressees of the dialogue acts of 139 AMI meetings",
        (_MEETINGS, _ONTOLOGY, *_ACT_FILES, *map(_words_of, _ACT_FILES)),
        TYPES,
        _parse_acts,
        simulate_acts,
        (
            "acts, annotator, duration and addressees of each meeting, exactly (the release)",
            "types by annotator, exactly (the release)",
            'acts that begin with "Yeah", by annotator and type, exactly (Table 1 of Reidsma '
            "and op den Akker 2008)",
            "assumed: words, lengths and times are drawn independently of the annotator",
        ),
        act_targets(),
    ),
    _record(
        "ami_focus",
        "Visual focus of attention of the participants of 14 AMI meetings",
        (_MEETINGS, *_FOCUS_FILES),
        _TARGETS,
        _parse_focus,
        simulate_focus,
        (
            "intervals of each speaker and meeting, exactly (the release)",
            "targets by annotator and speaker, exactly (the release)",
            "assumed: intervals in random order, independent of who speaks and is addressed",
        ),
        focus_targets(),
    ),
)
