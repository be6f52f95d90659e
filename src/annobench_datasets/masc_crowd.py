"""Word senses in MASC by Mechanical Turk: 45 words, about 25 annotators per sentence.

Passonneau and Carpenter (2014) had about 1,000 sentences of each of 45 words labelled with
the senses of WordNet. A sense number means nothing without its word, so the words are 45
problems with common annotators: `by_word` returns the labels of each.

In the files the senses of a word are numbered from 1, and the answer "none of the above",
sense 0 of the paper, has the number after the largest sense observed. Here it is the label
"0". The number 12 of `number-n`, for which twelve senses were offered, is "0" too: the
repository counts 324 such answers before the renumbering, and the number 12 occurs 324 times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables, LoadedData
from annobench.labels.annotations import Annotations
from annobench.simulation.difficulty import rate_for, shared_ranks
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import take_forms
from annobench_datasets._text import read_integers, read_rows, read_text, report

ArrayT = TypeVar("ArrayT", bound=NDArray[Any])

__all__ = ["DATASETS", "WORDS", "Word", "by_word"]

_SOURCE = pinned(
    "masc_crowd",
    repository="bob-carpenter/anno",
    commit="a83afa9e0d052467497cb713a517c2b8a1a7c3e8",
    licence="MASC release, open data (see its README)",
)
_FOLDER = "data/amt-sense-mt-2013/"
_FILES = _SOURCE.below(_FOLDER + "munged/")
SENSES = _SOURCE.file(_FOLDER + "original/senses.tsv")
SENTENCES = _SOURCE.file(_FOLDER + "original/sentences.tsv")
_CITATION = (
    "Passonneau and Carpenter (2014). The benefits of a model of annotation. Transactions of "
    "the Association for Computational Linguistics 2, 311-326. "
    "https://doi.org/10.1162/tacl_a_00185"
)
_HOME = ("https://github.com/bob-carpenter/anno", "http://www.anc.org/data/masc/")

# "0" is the answer "none of the above".
_CATEGORIES = tuple(map(str, range(17)))
_N_ANNOTATORS = 228
_ITEMS_PER_FORM = 10
# Loads of annotators are log-normal, at most all items of the word; the standard deviation of
# their logarithms is between 1.1 and 2.1 in the 45 words.
_LOAD_SIGMA = 1.7


@dataclass(frozen=True)
class Word:
    """What is published of the labels of one word.

    Attributes
    ----------
    n_items, n_annotators : int
        Sizes.
    alpha : float
        Krippendorff's alpha (nominal) of the crowd's labels.
    counts : tuple of int
        How often each label was given: "0", "1", ....
    """

    n_items: int
    n_annotators: int
    alpha: float
    counts: tuple[int, ...]

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return sum(self.counts)


# Word, items, annotators, alpha, and the counts of the labels "0", "1", ....
_TABLE = """
add-v 967 57 0.465 388 15338 3289 1903 909 708 1560
appear-v 980 37 0.296 73 6780 2049 1511 4146 1156 487 338
ask-v 966 40 0.317 156 6101 6032 754 4868 151 98 178
board-n 960 30 0.749 2156 20047 216 425 53 731 6 47 81 237
book-n 910 58 0.269 524 17716 3204 547 51 242 3 203 11 65 122 61
color-n 980 53 0.137 1020 13486 1997 289 1393 326 1269 623 4094
common-j 989 54 0.306 101 1003 4003 4647 6110 617 204 46 57 1029
control-n 980 39 0.228 757 3065 4489 1431 9873 2701 602 259 69 736 45 463
date-n 959 42 0.384 1501 3030 796 1730 2646 4650 6113 3326 183
fair-j 660 37 0.548 1589 10732 2812 107 0 349 29 29 623 68 162
family-n 969 39 0.210 879 6183 6064 2950 2155 662 4700 157 475
find-v 950 39 0.119 192 3404 3786 2426 2363 362 262 162 175 460 715 297 5 364 35 102 60
fold-v 986 40 0.233 19466 1124 89 529 815 975
full-j 968 37 0.141 331 6811 7236 7117 266 309 1292 712 126
help-v 940 49 0.116 264 11988 3060 4424 538 31 2146 39 1010
high-j 980 38 0.625 1301 18070 1734 2844 318 85 10 137
image-n 960 41 0.351 995 1577 1623 13969 367 309 57 142 3871 1090
kill-v 970 41 0.246 663 15280 1461 582 598 223 189 109 97 1943 1784 30 467 106 294 423
know-v 1309 52 0.074 1157 14719 2531 4538 5386 1688 316 397 86 1370 292 245
land-n 970 41 0.156 1997 4571 3380 3966 4350 2569 1176 1154 228 160 5 204
late-j 980 32 0.650 408 13666 2993 875 2934 334 3073 213
level-n 985 50 0.149 332 16285 3885 2524 464 111 111 666 246
life-n 970 44 0.204 1073 4814 5196 4231 2536 987 424 347 1009 330 527 722 773 122 169
live-v 989 36 0.461 2383 10821 4746 1176 969 3417 804 409
long-j 1007 45 0.544 759 13395 9161 261 6 27 110 218 446 790
lose-v 980 42 0.340 1527 13975 2718 1250 706 1015 791 1362 401 61 498 195
meet-v 960 35 0.357 633 3430 3022 672 1927 4172 1613 567 6073 727 271 538 120 235
normal-j 970 41 0.088 93 7893 9571 6677 16
number-n 980 42 0.300 324 18093 3218 159 566 368 83 93 1187 8 386 14
paper-n 970 49 0.461 927 2658 1537 12812 1363 4229 598 125
particular-j 976 44 0.114 430 8364 10436 1762 2451 277 680
poor-j 988 37 0.510 783 1495 11105 2283 7725 1309
read-v 900 38 0.376 541 15590 1218 3020 392 219 540 100 662 11 33 174
say-v 1040 44 0.156 395 12302 6733 1968 313 170 150 341 1817 1415 152 244
sense-n 976 34 0.442 1012 9597 6658 1250 5081 802
serve-v 980 47 0.299 249 11179 2889 1350 2278 746 1658 243 2188 434 532 64 102 531 4 53
show-v 1270 59 0.183 636 2561 9351 6412 3522 5810 807 297 574 124 1635 18 3
suggest-v 998 41 0.258 70 4240 1986 18020 634
tell-v 970 40 0.204 307 7973 8371 3357 1813 800 666 861 102
time-n 1229 37 0.390 13034 8135 3164 2750 1020 1553 387 250 200 163 69
wait-v 879 41 0.221 788 11410 6146 3481 150
way-n 986 41 0.188 1172 15225 1536 557 1277 1352 295 1530 203 343 296 657 207
win-v 986 33 0.171 712 17312 3212 1563 1851
window-n 980 43 0.361 4623 10771 1421 368 1716 1430 1601 256 2314
work-n 1380 55 0.335 2797 10991 7988 6003 546 1473 2960 1742
"""


def _words() -> Iterator[tuple[str, Word]]:
    for line in _TABLE.strip().split("\n"):
        word, n_items, n_annotators, alpha, *counts = line.split()
        yield word, Word(int(n_items), int(n_annotators), float(alpha), tuple(map(int, counts)))


#: The 45 words.
WORDS: Mapping[str, Word] = dict(_words())


def by_word(data: LoadedData, *, column: str = "word") -> dict[str, Annotations]:
    """Split a data set whose labels mean different things for different words.

    Parameters
    ----------
    data : LoadedData
        A data set with the column in both tables, such as `masc_crowd`.
    column : str, default "word"
        What the parts are named by.

    Returns
    -------
    dict of str to Annotations
        In the order of the data. Items stand in the order of `items`, annotators in that of
        their first label, categories in ascending order with "0" (none of the above) and
        answers that are no numbers last; senses that nobody chose are left out only beyond the
        largest one chosen.

    Raises
    ------
    ReaderError
        If a table lacks the column, or a label has another word than its item.

    Examples
    --------
    >>> from annobench import datasets
    >>> by_word(datasets.load("masc_crowd", mode="simulated"))["normal-j"]
    Annotations(970 items, 41 annotators, 5 categories, 24250 labels, nominal)
    """
    for table in (data.labels, data.items):
        if column not in table:
            raise ReaderError(
                f"{data.id}: no column {column!r} to split by. Use a data set of words."
            )
    word_of_item, words = pd.factorize(data.items[column])
    word_of_label = pd.Index(words).get_indexer(pd.Index(data.labels[column]))
    item = pd.Index(data.items["item"]).get_indexer(pd.Index(data.labels["item"]))
    if (strays := np.flatnonzero(word_of_item[item] != word_of_label)).size:
        row = data.labels.iloc[strays[0]]
        own = data.items[column].iloc[item[strays[0]]]
        raise ReaderError(
            f"{data.id}: a label of item {row['item']!r} is of the {column} {row[column]!r}, "
            f"but the item is of {own!r}. Correct one of them."
        )
    annotator, annotators = pd.factorize(data.labels["annotator"])
    label, labels = pd.factorize(data.labels["label"])
    # Of each item among those of its word.
    place = np.empty(len(data.items), dtype=np.int32)
    result = {}
    for code, word in enumerate(words):
        rows = np.flatnonzero(word_of_label == code)
        own = np.flatnonzero(word_of_item == code)
        place[own] = np.arange(own.size)
        own_annotator, known = pd.factorize(annotator[rows])
        categories = _categories(labels[np.unique(label[rows])])
        result[str(word)] = Annotations(
            _frozen(place[item[rows]]),
            _frozen(own_annotator.astype(np.int32)),
            _frozen(pd.Index(categories).get_indexer(labels)[label[rows]].astype(np.int16)),
            tuple(data.items["item"].array[own]),
            tuple(annotators[known]),
            tuple(categories),
        )
    return result


def _frozen(array: ArrayT) -> ArrayT:
    array.setflags(write=False)
    return array


def _categories(labels: Iterable[str]) -> list[str]:
    """Return senses in ascending order, the answers that are no sense last."""
    found = set(labels)
    largest = max((int(name) for name in found if name.isdigit()), default=0)
    senses = [str(number) for number in range(1, largest + 1)]
    return senses + sorted(found - set(senses))


def _parse(files: Mapping[str, Path]) -> DataTables:
    offered = _offered(files[SENSES.path])
    parts = [_parse_word(word, files, offered[word]) for word in WORDS]
    return DataTables(
        *(pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    )


def _offered(path: Path) -> Mapping[str, int]:
    """Return how many senses the form showed for each word."""
    rows = read_rows(path, _SENSE_COLUMNS)
    lost = [word for word in WORDS if word not in set(rows["WordPos"])]
    report(path, (("without number", f"no senses of {word!r}") for word in lost))
    return dict(rows["WordPos"].value_counts())


def _parse_word(
    word: str, files: Mapping[str, Path], offered: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    def local(suffix: str) -> Path:
        return files[_FILES[word + suffix].path]

    path = local(".tsv")
    rows = read_integers(path, ("item", "annotator", "rating"), "\t")
    names = _annotators(local(".map" if f"{word}.map" in _FILES else ".map-a"), word)
    forms = _forms(local(".map-i"), word)
    item, annotator, label = rows.T
    report(
        path,
        (
            (n + 2, f"{what} {rows[n, column]} is not one of the {limit} known")
            for column, (what, limit) in enumerate(
                (("item", len(forms)), ("annotator", len(names)))
            )
            for n in np.flatnonzero((rows[:, column] < 1) | (rows[:, column] > limit))
        ),
    )
    report(path, ((n + 2, f"rating {label[n]} is below 1") for n in np.flatnonzero(label < 1)))
    label = np.where(label == label.max(), 0, label)
    return _layout(word, item - 1, names[annotator - 1], label, forms, offered)


def _layout(
    word: str,
    item: NDArray[np.int64],
    annotator: NDArray[np.int64],
    label: NDArray[np.int64],
    forms: NDArray[np.int64],
    offered: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lay out the two tables of a word; forms and sentences of items have shape (I, 2)."""
    names = _spelled(np.arange(1, len(forms) + 1), f"{word}/")
    labels = pd.DataFrame(
        {
            "item": names.take(item).reset_index(drop=True),
            "annotator": _spelled(annotator),
            "label": _spelled(label),
            "word": pd.Series(word, index=range(item.size), dtype="str"),
        }
    )
    items = pd.DataFrame({"item": names})
    items["gold"] = pd.Series(None, index=items.index, dtype="str")
    items["word"] = pd.Series(word, index=items.index, dtype="str")
    items["form"], items["sentence"] = forms.T
    items["senses_offered"] = np.int64(offered)
    return labels, items


def _spelled(codes: NDArray[np.int64], prefix: str = "") -> pd.Series[str]:
    """Convert integers to text, each distinct value only once."""
    distinct, place = np.unique(codes, return_inverse=True)
    return (prefix + pd.Series(distinct).astype("str")).take(place).reset_index(drop=True)


def _annotators(path: Path, word: str) -> NDArray[np.int64]:
    """Return the annotators' common numbers, in the order of their numbers in the word."""
    rows = read_integers(path, ("amtId", f"jj-{word}"), "\t")
    _counted(path, rows[:, 1])
    return rows[:, 0]


def _forms(path: Path, word: str) -> NDArray[np.int64]:
    """Return form and sentence of each item, shape (I, 2)."""
    # The file has a comma inside its first column, so that no single delimiter splits it.
    lines = read_text(path).splitlines()
    header = f"amtForm,Sentend\tii-{word}"
    if lines[:1] != [header]:
        raise ReaderError(f"{path}: the header is not {header!r}. Supply the pinned file.")
    fields = [line.replace(",", "\t").split("\t") for line in lines[1:]]
    report(
        path,
        (
            (number, f"{' '.join(row)!r} is not form, sentence and item")
            for number, row in enumerate(fields, start=2)
            if len(row) != 3 or not all(field.isdecimal() and len(field) < 10 for field in row)
        ),
    )
    rows = np.array(fields, dtype=np.int64).reshape(-1, 3)
    _counted(path, rows[:, 2])
    return rows[:, :2]


def _counted(path: Path, numbers: NDArray[np.int64]) -> None:
    wrong = np.flatnonzero(numbers != np.arange(1, numbers.size + 1))
    report(path, ((n + 2, f"number {numbers[n]} where {n + 1} is due") for n in wrong[:1]))


_SENSE_COLUMNS = (
    *("WordPos", "SenseId", "Definition"),
    *("Examples", "WordNetId", "WordNetSynonyms"),
)
_TEXT_COLUMNS = (
    *("WordPos", "FormId", "SentenceId", "Text", "AncDocPath"),
    *("SentenceStart", "WordStart", "WordEnd", "WordForm"),
)


def _parse_text(files: Mapping[str, Path]) -> DataTables:
    tables = _parse(files)
    if SENTENCES.path not in files:
        return DataTables(tables.labels, _with_text(tables.items, None))
    path = files[SENTENCES.path]
    rows = read_rows(path, _TEXT_COLUMNS)
    numbers = ["FormId", "SentenceId", "SentenceStart", "WordStart", "WordEnd"]
    report(
        path,
        (
            (line, f"{column} {rows[column][line]!r} is not a whole number")
            for column in numbers
            for line in rows.index[~rows[column].str.fullmatch(r"-?[0-9]{1,9}")]
        ),
    )
    rows[numbers] = rows[numbers].astype(np.int64)
    keys = ["WordPos", "FormId", "SentenceId"]
    report(path, ((n, "this sentence stands above") for n in rows.index[rows.duplicated(keys)]))
    found = tables.items[["word", "form", "sentence"]].merge(
        rows, how="left", left_on=["word", "form", "sentence"], right_on=keys
    )
    lost = tables.items["item"][found["Text"].isna()]
    report(path, (("without number", f"no sentence for item {item!r}") for item in lost))
    return DataTables(tables.labels, _with_text(tables.items, found))


def _with_text(items: pd.DataFrame, found: pd.DataFrame | None) -> pd.DataFrame:
    """Add what `sentences.tsv` says of the items; nothing where it is not available."""
    texts = {"text": "Text", "document": "AncDocPath", "word_form": "WordForm"}
    places = {"sentence_start": "SentenceStart", "word_start": "WordStart", "word_end": "WordEnd"}
    items = items.copy()
    for new, old in texts.items():
        items[new] = pd.Series(None if found is None else found[old].array, items.index, "str")
    for new, old in places.items():
        items[new] = pd.Series(None if found is None else found[old].array, items.index, "Int64")
    return items


def _simulate(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    parts = [
        _simulate_word(rng, word, known, annotators)
        for (word, known), annotators in zip(WORDS.items(), _choose_annotators(rng), strict=True)
    ]
    return DataTables(
        *(pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True))
    )


def _simulate_text(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Simulate labels; sentences are never simulated."""
    tables = _simulate(rng, files)
    return DataTables(tables.labels, _with_text(tables.items, None))


def _choose_annotators(rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Choose who labels each word, so that everybody labels at least one."""
    busy = np.exp(rng.standard_normal(_N_ANNOTATORS))
    parts = np.array_split(rng.permutation(_N_ANNOTATORS), len(WORDS))
    chosen = []
    for word, part in zip(WORDS.values(), parts, strict=True):
        others = np.setdiff1d(np.arange(_N_ANNOTATORS), part)
        share = busy[others] / busy[others].sum()
        more = rng.choice(others, word.n_annotators - part.size, replace=False, p=share)
        chosen.append(rng.permutation(np.concatenate([part, more])) + 1)
    return chosen


def _simulate_word(
    rng: np.random.Generator, word: str, known: Word, annotators: NDArray[np.int64]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    place = np.arange(known.n_items)
    forms = np.column_stack([place // _ITEMS_PER_FORM + 1, place % _ITEMS_PER_FORM + 1])
    item, annotator = _give_out(rng, known)
    label = draw_with_alpha(rng, np.array(known.counts), known.alpha, item, annotator, _CORRELATION)
    # Nobody chose the twelfth sense of this one word, so the counts don't show it.
    offered = 12 if word == "number-n" else len(known.counts) - 1
    return _layout(word, item, annotators[annotator], label, forms, offered)


def draw_with_alpha(
    rng: np.random.Generator,
    counts: NDArray[np.int64],
    alpha: float,
    item: NDArray[np.int64],
    annotator: NDArray[np.int64],
    correlation: float = 0.0,
) -> NDArray[np.int64]:
    """Draw labels of given shares and a given Krippendorff's alpha."""
    share = counts / counts.sum()
    # An alpha just below 0, as chance gives it, is simulated as 0; beta needs an open interval.
    concentration = 8.0  # spreads annotators about as widely as the fits of the paper do
    mean = rate_for(max(alpha, 0.0), correlation, concentration)
    knows = rng.beta(mean * concentration, (1 - mean) * concentration, annotator.max() + 1)
    category = rng.choice(share.size, item.max() + 1, p=share)
    guess = rng.choice(share.size, item.size, p=share)
    rank = shared_ranks(rng, item, category.size, correlation)
    return np.asarray(np.where(rank < knows[annotator], category[item], guess))


def _give_out(rng: np.random.Generator, known: Word) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give forms to annotators and lose as many labels as the word lacks."""
    n_forms = -(-known.n_items // _ITEMS_PER_FORM)
    per_form = -(-known.n_labels // known.n_items)
    form, annotator = take_forms(rng, n_forms, per_form, _loads(known, n_forms, per_form))
    item = (form[:, None] * _ITEMS_PER_FORM + np.arange(_ITEMS_PER_FORM)).ravel()
    annotator = np.repeat(annotator, _ITEMS_PER_FORM)
    there = np.flatnonzero(item < known.n_items)
    # Everybody keeps a first label, and so does every item.
    first = np.unique(
        np.concatenate([np.unique(c[there], return_index=True)[1] for c in (annotator, item)])
    )
    rest = np.setdiff1d(np.arange(there.size), first)
    more = rng.choice(rest, known.n_labels - first.size, replace=False)
    kept = there[np.sort(np.concatenate([first, more]))]
    return item[kept], annotator[kept]


def _loads(known: Word, n_forms: int, per_form: int) -> NDArray[np.int64]:
    """Return forms an annotator takes: log-normal, at most all, in sum what is needed."""
    total = n_forms * per_form
    rank = (np.arange(known.n_annotators) + 0.5) / known.n_annotators
    shape = np.exp(_LOAD_SIGMA * ndtri(rank))
    low, high = 0.0, float(n_forms / shape[0])
    for _ in range(100):
        scale = (low + high) / 2
        enough = np.clip(scale * shape, 1, n_forms).sum() >= total
        low, high = (low, scale) if enough else (scale, high)
    load = np.floor(np.clip(high * shape, 1, n_forms)).astype(np.int64)
    room = np.flatnonzero(load < n_forms)
    load[room[room.size - (total - int(load.sum())) :]] += 1
    return load


#: Of who knows an item: with it as many items are unanimous as in the release (5.2%).
_CORRELATION = 0.3

_TARGETS = {
    "n_items": 44682,
    "n_annotators": _N_ANNOTATORS,
    "n_labels": 1084551,
    **{
        f"label:{label}": sum(w.counts[label] for w in WORDS.values() if label < len(w.counts))
        / sum(word.n_labels for word in WORDS.values())
        for label in range(len(_CATEGORIES))
    },
}
_CALIBRATION = (
    "items, annotators and labels of each word, exactly (the release)",
    "shares of the labels and Krippendorff's alpha of each word (the release)",
    "share of unanimous items over all words (counted in the release)",
    "forms of ten sentences (the release's README)",
    "assumed: log-normal loads, lost labels spread evenly, annotators that know or guess",
)

DATASETS = (
    DataSet(
        id="masc_crowd",
        title="Word senses of 45 words in MASC by 228 annotators on Mechanical Turk",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(*_FILES.values(), SENSES),
        scale="nominal",
        categories=_CATEGORIES,
        parse=_parse,
        simulate=_simulate,
        calibration=_CALIBRATION,
        targets=_TARGETS,
    ),
    DataSet(
        id="masc_crowd_text",
        title="Word senses of 45 words in MASC by 228 annotators, with the sentences",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(*_FILES.values(), SENSES, SENTENCES),
        scale="nominal",
        categories=_CATEGORIES,
        parse=_parse_text,
        simulate=_simulate_text,
        calibration=(*_CALIBRATION, "no sentences"),
        targets=_TARGETS,
        simulate_from=(*_FILES.values(), SENSES),
        texts=(SENTENCES,),
    ),
)
