"""Word senses in MASC by trained annotators: agreement samples and full sets.

Students labelled the sentences of a word with the senses of WordNet (Passonneau et al. 2012).
All annotators of a round labelled a common sample of about 50 or 100 sentences of each word;
the rest of the thousand sentences of a word was labelled by one or two of them. A sense
number means nothing without its word: split with `masc_crowd.by_word`, the samples by the
column `sample`.

Senses of the nine full sets have the numbers that they have in `masc_crowd`.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._text import read_text, report
from annobench_datasets.masc_crowd import draw_with_alpha

__all__ = ["DATASETS", "joined", "labels_of", "tables_of"]

_SOURCE = pinned(
    "masc_trained",
    repository="konradneithercutt/DisambiguatorSnK",
    commit="6e397bdf72f1b6c6a2988d7041bd4b653195dbaf",
    licence="MASC release, open data (see its README)",
)
_FOLDER = "masc_wordsense/data/"
_SAMPLES = _SOURCE.below(_FOLDER + "IAA/")
_FULL = _SOURCE.below(_FOLDER + "Full_set/round2.2/")
_INVENTORY = _FULL["README.round2.2"]
_CITATION = (
    "Passonneau, Baker, Fellbaum and Ide (2012). The MASC word sense corpus. LREC, 3025-3030. "
    "https://aclanthology.org/L12-1335/"
)
_HOME = ("http://www.anc.org/data/masc/",)

_SENSES = tuple(map(str, range(1, 13)))
#: Answers of the samples that are no sense: a collocation, none given, three undocumented.
_SAMPLE_ANSWERS = {
    "999": "glob",
    "9999": "missing",
    **{code: f"code_{code}" for code in ("2147483644", "2147483646", "2147483647")},
}
#: Answers of the full sets that are no sense: not enough context, collocation, no sense
#: applies, wrong part of speech, undocumented.
_FULL_ANSWERS = ("C", "G", "N", "P", "U")


@dataclass(frozen=True)
class _Part:
    """What is published of the labels of one sample or word.

    Attributes
    ----------
    labels_per_item : tuple of (int, int)
        Pairs of a number of labels and how many items have that many.
    loads : tuple of (str, int)
        Annotators, and how many labels each gave.
    alpha : float
        Krippendorff's alpha (nominal), every answer being a category.
    counts : tuple of (str, int)
        How often each answer was given.
    """

    labels_per_item: tuple[tuple[int, int], ...]
    loads: tuple[tuple[str, int], ...]
    alpha: float
    counts: tuple[tuple[str, int], ...]

    @property
    def n_items(self) -> int:
        """The number of items."""
        return sum(items for _, items in self.labels_per_item)


# Sample, items, annotators (all label all items), alpha, and the counts of the answers.
_SAMPLE_TABLE = """
2.1/fair-j 50 101,102,103,104,105,106 0.355 1:158 2:60 3:1 8:3 10:1 glob:16 missing:61
2.1/know-v 50 101,102,103,104,105,106 0.041 1:155 2:5 3:36 4:25 5:56 7:5 9:11 10:1 glob:4
 missing:2
2.1/land-n 50 101,102,103,104,105,106 0.263 1:93 2:15 3:32 4:53 5:35 6:29 7:20 9:4 glob:12
 missing:7
2.1/long-j 50 101,102,103,104,105,106 0.666 1:199 2:71 4:1 5:1 6:5 7:6 8:2 9:7 missing:8
2.1/quiet-j 50 101,102,103,104,105,106 0.292 1:99 2:138 3:40 4:13 5:2 glob:7 missing:1
2.1/say-v 50 101,102,103,104,105,106 0.283 1:97 2:96 3:16 4:7 5:3 6:4 7:7 8:24 9:27 11:2 glob:6
 missing:11
2.1/show-v 50 101,102,103,104,105,106 0.264 1:17 2:80 3:61 4:38 5:53 6:1 7:6 8:10 9:6 10:15 11:3
 glob:3 missing:7
2.1/tell-v 50 101,102,103,104,105,106 0.415 1:108 2:48 3:35 4:46 5:21 6:17 7:8 8:3 glob:5
 missing:9
2.1/time-n 50 101,102,103,104,105,106 0.417 1:91 2:45 3:51 4:9 5:17 6:1 7:14 8:2 10:2 glob:17
 missing:51
2.1/work-n 50 101,102,103,104,105,106 0.536 1:117 2:64 3:40 4:3 5:6 6:9 7:13 glob:3 missing:45
2.2/fair-j.5ann 99 101,102,105,107,108 0.541 1:255 2:126 3:1 5:24 7:1 8:4 glob:84
2.2/know-v.5ann 99 101,102,105,107,108 0.377 1:189 2:13 3:74 4:112 5:9 6:1 7:2 9:35 10:1 11:5
 glob:54
2.2/land-n.6ann 98 101,102,103,105,107,108 0.493 1:127 2:58 3:38 4:119 5:89 6:72 7:6 8:2 9:12 11:4
 glob:61
2.2/long-j.6ann 99 101,102,103,105,107,108 0.669 1:316 2:213 3:9 8:1 glob:55
2.2/quiet-j.6ann 100 101,102,103,105,107,108 0.493 1:257 2:137 3:145 4:15 5:10 glob:36
2.2/say-v.6ann 99 101,102,103,105,107,108 0.377 1:225 2:226 3:24 4:12 5:3 6:3 7:2 8:75 9:13 11:1
 glob:10
2.2/show-v.5ann 100 101,102,105,107,108 0.456 1:56 2:95 3:61 4:73 5:98 6:31 7:11 8:31 9:1 10:6
 glob:37
2.2/tell-v.5ann 100 101,102,103,107,108 0.453 1:166 2:195 3:50 4:38 5:13 6:17 7:1 8:4 glob:16
2.2/tell-v.6ann 75 101,102,103,105,107,108 0.459 1:147 2:170 3:60 4:34 5:6 6:14 7:1 glob:18
2.2/time-n.5ann 100 101,102,105,107,108 0.683 1:88 2:84 3:151 4:14 5:16 6:9 7:14 8:13 glob:111
2.2/work-n.5ann 97 101,102,105,107,108 0.624 1:128 2:178 3:26 4:8 5:68 6:6 7:28 glob:43
3/chance-n 50 107,108,105 0.684 1:61 2:13 3:6 4:52 5:18
3/cool-j 50 107,108,105 0.694 1:60 2:18 3:1 4:6 6:53 glob:12
3/familiar-j 50 107,108,105 0.630 1:36 2:32 3:78 4:2 glob:2
3/forget-v 50 107,108,105 0.689 1:76 2:48 3:23 glob:3
3/juice-n 50 107,108,105 0.567 1:128 2:15 4:1 glob:6
3/justify-v 50 107,108,105 0.502 1:65 2:13 3:68 4:3 glob:1
3/player-n 50 107,108,105 0.971 1:105 2:9 3:4 5:32
3/rapid-j 50 107,108,105 -0.029 1:124 2:21 glob:5
3/rip-v 50 107,108,105 0.477 1:52 2:8 3:4 4:3 glob:83
3/try-v 50 107,108,105 0.715 1:111 2:26 4:5 glob:8
4/curious-j 100 101,102 0.941 1:96 2:103 glob:1
4/entitle-v 104 101,102 1.000 1:122 2:86
4/exercise-n 254 101,102 0.400 1:248 2:75 3:56 4:107 glob:22
4/exercise-v 128 101,102 0.504 1:94 2:41 3:19 4:57 glob:45
4/mature-v 146 101,102 0.714 1:50 2:5 3:1 4:2 5:1 glob:233
4/maturity-n 31 101,102 0.556 1:19 2:28 3:15
4/officer-n 334 101,102 0.703 1:209 2:242 3:207 4:9 glob:1
4/rate-n 334 101,102 0.566 1:58 2:225 3:62 4:261 glob:62
4/smart-j 143 101,102 -0.009 1:150 2:18 3:86 4:2 7:27 glob:3
4/succeed-v 158 101,102 0.822 1:263 2:48 glob:5
4/success-n 100 101,102 0.403 1:50 2:47 3:48 5:39 code_2147483644:7 code_2147483646:1
 code_2147483647:8
4/succession-n 40 101,102 0.345 1:32 2:14 3:7 4:4 5:23
4/suspicious-j 50 101,102 0.320 1:45 2:55
"""

# Word, labels of each annotator, items by their number of labels, alpha, and the counts.
_FULL_TABLE = """
fair-j 8:128,101:108,102:106,103:26,104:1,105:219,107:510,108:108 1:189,2:213,5:64,6:37,7:7 0.580
 1:723 2:220 3:10 5:40 6:1 7:1 8:13 9:2 10:10 C:7 G:70 N:31 P:78
know-v 8:263,101:106,102:106,103:24,105:347,107:1086,108:106 1:500,2:480,5:66,6:32,7:8 0.455 1:884
 2:39 3:327 4:489 5:39 6:2 7:8 9:84 10:8 11:7 C:19 G:29 N:31 P:71 U:1
land-n 101:683,102:407,103:673,105:110,107:110,108:110 1:859,2:287,6:110 0.468 1:660 2:139 3:105
 4:373 5:288 6:180 7:22 8:5 9:16 11:7 C:46 G:50 N:80 P:122
long-j 101:341,102:573,103:449,105:106,107:107,108:107 1:832,2:105,5:1,6:106 0.674 1:885 2:684
 3:14 4:1 6:6 7:12 8:3 C:13 G:36 N:7 P:22
say-v 101:348,102:348,103:604,105:105,107:105,108:105 1:985,6:105 0.357 1:741 2:510 3:64 4:40 5:7
 6:6 7:8 8:168 9:26 10:2 11:3 C:6 G:5 N:18 P:11
show-v 8:271,101:105,102:105,103:28,105:342,107:1062,108:105 1:478,2:480,5:57,6:41,7:7 0.553 1:220
 2:430 3:182 4:367 5:365 6:139 7:47 8:91 9:16 10:54 11:2 G:14 N:6 P:85
tell-v 101:346,102:337,103:338,105:77,107:103,108:103 1:712,5:26,6:77 0.452 1:565 2:358 3:172 4:98
 5:35 6:31 7:1 8:13 C:3 G:3 N:6 P:19
time-n 8:284,101:106,102:106,103:29,105:357,107:1105,108:106 1:494,2:505,5:55,6:43,7:8 0.632 1:376
 2:263 3:731 4:81 5:69 6:34 7:84 8:91 C:1 G:23 N:281 P:59
work-n 8:259,101:109,102:109,103:30,105:367,107:1118,108:110 1:518,2:490,4:1,5:57,6:49,7:3 0.680
 1:636 2:731 3:137 4:23 5:306 6:29 7:88 C:10 G:47 N:13 P:82
"""


def _lines(table: str) -> list[str]:
    """Return the lines of a table; those that begin with a space continue the line above."""
    return table.strip().replace("\n ", " ").split("\n")


def _pairs(fields: str | list[str]) -> tuple[tuple[str, int], ...]:
    fields = fields.split(",") if isinstance(fields, str) else fields
    return tuple((name, int(n)) for name, _, n in (field.partition(":") for field in fields))


def _sample_parts() -> Iterator[tuple[str, _Part]]:
    for line in _lines(_SAMPLE_TABLE):
        sample, n_items, annotators, alpha, *counts = line.split()
        names = annotators.split(",")
        loads = tuple((name, int(n_items)) for name in names)
        yield sample, _Part(((len(names), int(n_items)),), loads, float(alpha), _pairs(counts))


def _full_parts() -> Iterator[tuple[str, _Part]]:
    for line in _lines(_FULL_TABLE):
        word, loads, items, alpha, *counts = line.split()
        sizes = tuple((int(size), n) for size, n in _pairs(items))
        yield word, _Part(sizes, _pairs(loads), float(alpha), _pairs(counts))


_SAMPLE_PARTS = dict(_sample_parts())
_FULL_PARTS = dict(_full_parts())


def _place_of(sample: str) -> dict[str, str]:
    """Return round and word of a sample, as ``2.2/tell-v.6ann``."""
    number, _, name = sample.partition("/")
    return {"word": name.partition(".")[0], "round": number, "sample": sample}


def _parse_samples(files: Mapping[str, Path]) -> DataTables:
    return joined([_parse_sample(s, files[_SAMPLES[f"round{s}.txt"].path]) for s in _SAMPLE_PARTS])


def _parse_sample(sample: str, path: Path) -> DataTables:
    lines = [line.rstrip("\t\r").split("\t") for line in read_text(path).rstrip().split("\n")]
    annotators, rows = lines[0], lines[1:]
    report(
        path,
        (
            (number, f"{len(row)} answers where {len(annotators)} are needed")
            for number, row in enumerate(rows, start=2)
            if len(row) != len(annotators)
        ),
    )
    names = {str(sense + shift): str(sense) for sense in map(int, _SENSES) for shift in (0, 100)}
    names |= _SAMPLE_ANSWERS
    report(
        path,
        (
            (number, f"answer {answer!r} is not a sense or one of {', '.join(_SAMPLE_ANSWERS)}")
            for number, row in enumerate(rows, start=2)
            for answer in row
            if answer not in names
        ),
    )
    if not rows:
        raise ReaderError(f"{path}: no rows. Supply the pinned file.")
    item = np.repeat(np.arange(len(rows)), len(annotators))
    label = [names[answer] for row in rows for answer in row]
    return tables_of(sample, item, annotators * len(rows), label, len(rows), _place_of(sample))


def tables_of(
    part: str,
    item: NDArray[np.int64],
    annotator: list[str],
    label: list[str],
    n_items: int,
    columns: Mapping[str, str],
) -> DataTables:
    """Lay out the tables of a sample or word.

    Parameters
    ----------
    part : str
        The sample or word, with which names of items begin.
    item : ndarray of int, shape (N,)
        The item of each label.
    annotator, label : list of str
        Of each label.
    n_items : int
        Number of items.
    columns : mapping
        Columns added to both tables, with their one value.

    Returns
    -------
    DataTables
        Both tables, without a gold standard.
    """
    names = part + "/" + pd.Series(np.arange(1, n_items + 1)).astype("str")
    labels = pd.DataFrame(
        {"item": names.take(item).array, "annotator": annotator, "label": label}, dtype="str"
    )
    items = pd.DataFrame({"item": names, "gold": pd.Series(None, names.index, dtype="str")})
    for table in (labels, items):
        for column, value in columns.items():
            table[column] = pd.Series(value, index=table.index, dtype="str")
    return DataTables(labels, items)


def joined(parts: list[DataTables]) -> DataTables:
    """Join the tables of samples or words.

    Parameters
    ----------
    parts : list of DataTables
        In their order.

    Returns
    -------
    DataTables
        All labels and all items.
    """
    return DataTables(
        pd.concat([part.labels for part in parts], ignore_index=True),
        pd.concat([part.items for part in parts], ignore_index=True),
    )


_GRAF = "{http://www.xces.org/ns/GrAF/1.0/}"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_PARTS_OF_SPEECH = {"noun": "n", "verb": "v", "adj": "j"}


def _parse_full(files: Mapping[str, Path]) -> DataTables:
    senses = _inventory(files[_INVENTORY.path])
    return joined(
        [
            _parse_word(word, files[_FULL[f"{word}/{word}-wn.xml"].path], senses.get(word, {}))
            for word in _FULL_PARTS
        ]
    )


def _inventory(path: Path) -> dict[str, dict[str, str]]:
    """Return the number of each sense key of each word."""
    senses = senses_of(read_text(path))
    lost = [word for word in _FULL_PARTS if word not in senses]
    if lost:
        raise ReaderError(f"{path}: no senses of {', '.join(lost)}. Supply the pinned file.")
    return senses


def senses_of(text: str) -> dict[str, dict[str, str]]:
    """Read the senses of a round from its README."""
    senses: dict[str, dict[str, str]] = {}
    word = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"\s*([A-Z]+),\s*(noun|verb|adj)\s*", line):
            word = f"{heading[1].lower()}-{_PARTS_OF_SPEECH[heading[2]]}"
        elif word and (row := re.fullmatch(r"\s*([0-9]+)\s*\|\s*(\S+)\s*", line)):
            senses.setdefault(word, {})[row[2]] = row[1]
    return senses


def labels_of(root: ET.Element) -> tuple[list[str], list[int], list[str], list[str]]:
    """Read the labels of a word's stand-off annotations (GrAF).

    Parameters
    ----------
    root : Element
        The graph.

    Returns
    -------
    tuple of list
        The nodes; and of each label the place of its node, the annotator, and the answer: a sense
        key, or another code.
    """
    nodes: list[str] = []
    item: list[int] = []
    annotator: list[str] = []
    label: list[str] = []
    for place, element in enumerate(root.iter(f"{_GRAF}a")):
        nodes.append(element.get("ref", ""))
        for features in element.findall(f"{_GRAF}fs/{_GRAF}f/{_GRAF}fs"):
            found = {f.get("name"): f.get("value", "") for f in features.findall(f"{_GRAF}f")}
            if "sense" in found:
                item.append(place)
                annotator.append(found.get("annotator", "").removeprefix("ann"))
                label.append(found["sense"])
    return nodes, item, annotator, label


def _parse_word(word: str, path: Path, senses: Mapping[str, str]) -> DataTables:
    try:
        root = ET.parse(path).getroot()  # noqa: S314 -- the bytes are pinned by checksum
    except ET.ParseError as error:
        raise ReaderError(
            f"{path}: not well-formed XML ({error}). Supply the pinned file."
        ) from error
    names = dict(senses) | {answer: answer for answer in _FULL_ANSWERS}
    nodes, item, annotator, label = labels_of(root)
    report(
        path,
        (
            (f"of {nodes[i]}", f"sense {key!r} is not one of {word}")
            for i, key in zip(item, label, strict=True)
            if key not in names
        ),
    )
    label = [names[key] for key in label]
    tables = tables_of(word, np.array(item), annotator, label, len(nodes), {"word": word})
    spans = _spans(path, root, nodes)
    return DataTables(tables.labels, tables.items.assign(**spans))


def _spans(path: Path, root: ET.Element, nodes: list[str]) -> dict[str, NDArray[np.int64]]:
    """Return where the word of each node begins and ends in its sentence, and the length."""
    regions = {
        region.get(_XML_ID, ""): tuple(map(int, region.get("anchors", "").split()))
        for region in root.iter(f"{_GRAF}region")
    }
    target = {
        node.get(_XML_ID, ""): link.get("targets", "")
        for node in root.iter(f"{_GRAF}node")
        for link in node.findall(f"{_GRAF}link")
    }
    report(path, ((f"of {n}", "no region") for n in nodes if target.get(n) not in regions))
    words = np.array([regions[target[node]] for node in nodes])
    # Sentences are the regions that no other one encloses; the rest are words, some without a
    # label.
    spans = np.array(sorted(regions.values(), key=lambda span: (span[0], -span[1])))
    beyond = np.maximum.accumulate(spans[:, 1])
    sentences = spans[np.concatenate([[True], spans[1:, 1] > beyond[:-1]])]
    found = np.searchsorted(sentences[:, 0], words[:, 0], side="right") - 1
    start, end = sentences[found].T
    outside = (found < 0) | (words[:, 1] > end)
    report(path, ((f"of {nodes[n]}", "outside all sentences") for n in np.flatnonzero(outside)))
    return {
        "sentence_length": end - start,
        "word_start": words[:, 0] - start,
        "word_end": words[:, 1] - start,
    }


def _simulate_samples(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    return joined(
        [_simulate(rng, name, part, _place_of(name)) for name, part in _SAMPLE_PARTS.items()]
    )


def _simulate_full(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    tables = joined(
        [_simulate(rng, word, part, {"word": word}) for word, part in _FULL_PARTS.items()]
    )
    # Sentences of a hundred letters with a word of four somewhere: nothing is known of them.
    start = rng.integers(0, 97, len(tables.items))
    items = tables.items.assign(sentence_length=100, word_start=start, word_end=start + 4)
    return DataTables(tables.labels, items)


def _simulate(
    rng: np.random.Generator, name: str, part: _Part, columns: Mapping[str, str]
) -> DataTables:
    sizes, items = np.array(part.labels_per_item).T
    n_labels = rng.permutation(np.repeat(sizes, items))
    # Those with the largest exponential race times win: a draw without replacement with
    # probabilities proportional to the loads.
    load = np.array([n for _, n in part.loads])
    order = np.argsort(rng.standard_exponential((part.n_items, load.size)) / load, axis=1)
    chosen = np.arange(load.size) < n_labels[:, None]
    item = np.repeat(np.arange(part.n_items), n_labels)
    annotator = order[chosen]
    answers, counts = zip(*part.counts, strict=True)
    label = draw_with_alpha(rng, np.array(counts), part.alpha, item, annotator, _CORRELATION)
    annotators = [part.loads[j][0] for j in annotator]
    return tables_of(name, item, annotators, [answers[k] for k in label], part.n_items, columns)


def _targets(parts: Mapping[str, _Part], categories: tuple[str, ...]) -> dict[str, float]:
    total = dict.fromkeys(categories, 0)
    for part in parts.values():
        for answer, n in part.counts:
            total[answer] += n
    n_labels = sum(total.values())
    return {
        "n_items": sum(part.n_items for part in parts.values()),
        "n_annotators": len({name for part in parts.values() for name, _ in part.loads}),
        "n_labels": n_labels,
    } | {f"label:{category}": n / n_labels for category, n in total.items() if n}


_SAMPLE_CATEGORIES = (*_SENSES, *_SAMPLE_ANSWERS.values())
_FULL_CATEGORIES = (*_SENSES, *_FULL_ANSWERS)
_CALIBRATION = (
    "items, annotators and labels of each word, exactly (the release)",
    "shares of the answers and Krippendorff's alpha of each word (the release)",
    "share of unanimous items over all words (counted in the release)",
    "assumed: annotators that know or guess",
)
#: Of who knows an item: with it about as many items are unanimous as in the release.
_CORRELATION = 0.4

DATASETS = (
    DataSet(
        id="masc_trained_samples",
        title="Word senses in MASC: samples that all trained annotators of a round labelled",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=tuple(_SAMPLES.values()),
        scale="nominal",
        categories=_SAMPLE_CATEGORIES,
        parse=_parse_samples,
        simulate=_simulate_samples,
        calibration=_CALIBRATION,
        targets=_targets(_SAMPLE_PARTS, _SAMPLE_CATEGORIES),
    ),
    DataSet(
        id="masc_trained_full",
        title="Word senses of nine words in MASC: all labels of trained annotators",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=tuple(_FULL.values()),
        scale="nominal",
        categories=_FULL_CATEGORIES,
        parse=_parse_full,
        simulate=_simulate_full,
        calibration=_CALIBRATION,
        targets=_targets(_FULL_PARTS, _FULL_CATEGORIES),
    ),
)
