"""The eleven sets of labels that Snow et al. (2008) collected on Mechanical Turk.

Each item was labelled by ten annotators. The standardised files have one row per label:
submission, annotator, item, response, gold standard.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench.simulation.difficulty import Difficulty
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import (
    Forms,
    Given,
    Interval,
    Stratum,
    interval,
    nominal,
    numbered,
)
from annobench_datasets._text import numbers, one_per_item, read_rows, report

_COLUMNS = ("!amt_annotation_ids", "!amt_worker_ids", "orig_id", "response", "gold")


_SOURCE = pinned(
    "snow2008",
    repository="edwinrobots/bayesian_combination_tutorial2",
    commit="f98448e2e9a941463aa92f418eefd1f43bd5a637",
    licence="none stated (Snow et al. 2008 research release)",
)
_FILES = {
    path.removesuffix(".standardized.tsv"): file
    for path, file in _SOURCE.below("all_collected_data/").items()
}
_ORIGINAL = "snow2008_mturk_data_with_orig_files_assembled_201904/"
_RTE_TEXT = _SOURCE.file(_ORIGINAL + "rte/rte1.tsv")
_AFFECT_TEXT = _SOURCE.file(_ORIGINAL + "affect_emotion/affect.tsv")
_CITATION = (
    "Snow, O'Connor, Jurafsky and Ng (2008). Cheap and fast - but is it good? Evaluating "
    "non-expert annotations for natural language tasks. EMNLP, 254-263. "
    "https://aclanthology.org/D08-1027/"
)
HOME = (
    "https://sites.google.com/site/nlpannotations/",
    "https://ai.stanford.edu/~rion/annotations/",
)


def _parse(
    files: Mapping[str, Path], *, file: SourceFile, categories: tuple[str, ...] | None
) -> DataTables:
    """Parse one standardised file; items stand in the order of the file."""
    return parse_table(files[file.path], categories)


def parse_table(path: Path, categories: tuple[str, ...] | None) -> DataTables:
    """Parse a table in the layout of the standardised files."""
    rows = read_rows(path, _COLUMNS).set_axis(
        ["annotation_id", "annotator", "item", "label", "gold"], axis=1
    )
    report(
        path,
        (
            (line, f"no {column}")
            for column in ("annotator", "item", "label", "gold")
            for line in rows.index[rows[column] == ""]
        ),
    )
    one_per_item(path, rows["item"], rows["gold"], "gold")
    for column in ("label", "gold"):
        if categories is None:
            rows[column] = numbers(path, rows[column], column)
        else:
            unknown = rows.index[~rows[column].isin(categories)]
            report(
                path,
                (
                    (line, f"{column} {rows[column][line]!r} is not one of {categories}")
                    for line in unknown
                ),
            )
    items = rows.drop_duplicates("item")[["item", "gold"]]
    labels = rows[["item", "annotator", "label", "annotation_id"]]
    return DataTables(labels.reset_index(drop=True), items.reset_index(drop=True))


def _with_text(
    tables: DataTables, path: Path, columns: Mapping[str, str], header: tuple[str, ...]
) -> DataTables:
    """Add columns of a file of texts, whose first column names the item."""
    texts = read_rows(path, header).set_index(header[0])
    lost = tables.items.index[~tables.items["item"].isin(texts.index)]
    report(path, ((i + 2, f"no text for item {tables.items['item'][i]!r}") for i in lost))
    found = texts.loc[tables.items["item"]]
    # The texts are stored as they stood in XML, with its entities.
    extra = {new: found[old].map(html.unescape).to_numpy() for old, new in columns.items()}
    return DataTables(tables.labels, tables.items.assign(**extra).astype(dict.fromkeys(extra, str)))


def _parse_rte(files: Mapping[str, Path]) -> DataTables:
    tables = _parse(files, file=_FILES["rte"], categories=("0", "1"))
    return _with_text(
        tables,
        files[_RTE_TEXT.path],
        {"text": "text", "hypothesis": "hypothesis", "task": "task"},
        ("id", "value", "task", "text", "hypothesis"),
    )


def _parse_affect(files: Mapping[str, Path], *, file: SourceFile) -> DataTables:
    tables = _parse(files, file=file, categories=None)
    return _with_text(tables, files[_AFFECT_TEXT.path], {"headline": "text"}, ("id", "headline"))


def _parse_wordsim(files: Mapping[str, Path]) -> DataTables:
    tables = _parse(files, file=_FILES["wordsim"], categories=None)
    return DataTables(tables.labels, tables.items.assign(text=tables.items["item"]))


def _tables(
    given: Given, label: pd.Series[str] | pd.Series[float], gold: object, texts: tuple[str, ...]
) -> DataTables:
    labels = pd.DataFrame(
        {
            "item": numbered(given.item),
            "annotator": numbered(given.annotator, "simulated-"),
            "label": label,
            "annotation_id": numbered(given.submission, "submission-"),
        }
    )
    items = pd.DataFrame({"gold": gold})
    items.insert(0, "item", numbered(items.index))
    for text in texts:
        items[text] = pd.Series(None, index=items.index, dtype="str")
    return DataTables(labels, items)


def simulate_nominal(
    rng: np.random.Generator,
    files: Mapping[str, Path],
    *,
    forms: Forms,
    categories: tuple[str, ...],
    gold_counts: tuple[int, ...],
    strata: tuple[Stratum, ...],
    difficulty: Difficulty,
    texts: tuple[str, ...] = (),
) -> DataTables:
    """Simulate labels of a nominal set, in the layout of the standardised files."""
    return _tables(*nominal(rng, forms, categories, gold_counts, strata, difficulty), texts)


def _simulate_interval(
    rng: np.random.Generator, files: Mapping[str, Path], *, forms: Forms, spec: Interval
) -> DataTables:
    return _tables(*interval(rng, forms, spec), ("text",))


# The design and the annotators of the three nominal sets. Loads are the published counts
# of forms an annotator took. Annotators with many forms make other errors than those
# with few, so both get a mean confusion matrix of their own: pooled shares against the
# gold, with the concentration by the method of moments (Mosimann 1962). The senses of
# `wsd` are so clear that annotators differ no more than chance makes them; 200 stands
# for that.
_RTE_FORMS = Forms(
    800,
    20,
    10,
    (
        *((1, 124), (2, 17), (3, 10), (4, 4), (5, 1), (7, 1), (9, 1), (14, 1), (21, 1)),
        *((27, 1), (35, 1), (38, 1), (40, 1)),
    ),
)
_RTE_STRATA = (
    Stratum(1, ((0.8669, 0.1331), (0.1794, 0.8206)), (3.75, 14.6)),
    Stratum(5, ((0.4351, 0.5649), (0.2177, 0.7823)), (1.81, 40.0)),
)
_TEMP_FORMS = Forms(
    462,
    10,
    10,
    (
        *((1, 37), (2, 7), (3, 6), (4, 5), (5, 4), (6, 3), (7, 2), (8, 2), (10, 1), (14, 1)),
        *((19, 1), (20, 1), (35, 1), (36, 1), (41, 1), (45, 1), (46, 1), (47, 1)),
    ),
)
_TEMP_STRATA = (
    Stratum(1, ((0.9018, 0.0982), (0.1777, 0.8223)), (9.25, 1.63)),
    Stratum(5, ((0.6321, 0.3679), (0.2069, 0.7931)), (0.40, 0.63)),
)
_WSD_FORMS = Forms(177, 20, 10, ((1, 20), (2, 3), (3, 1), (4, 4), (5, 1), (6, 1), (8, 2), (9, 2)))
_WSD_STRATA = (
    Stratum(
        1,
        ((0.9899, 0.0093, 0.0008), (0.0, 1.0, 0.0), (0.0239, 0.0174, 0.9587)),
        (200.0, 200.0, 3.7),
    ),
)

#: How items differ, by a search of a grid for what brings these numbers nearest.
_DIFFICULTY = {
    "rte": Difficulty(correlation=0.05, misleading=0.25),
    "temp": Difficulty(misleading=0.2),
    "wsd": Difficulty(correlation=0.1, misleading=0.4),
}
_MET = {
    "rte": "difficulty of items: errors of the majority vote, 82.5, and of Dawid and Skene's "
    "model, 58 (Carpenter 2008, section 4)",
    "temp": "difficulty of items: accuracy of the majority vote, .94 (Snow et al. 2008, section "
    "4.4), and errors of Dawid and Skene's model on the released labels, 27 (counted; no paper at "
    "hand prints it)",
    "wsd": "difficulty of items: accuracy of the majority vote, .994, against one item on which "
    "annotators agree (Snow et al. 2008, section 4.5)",
}

_LOADS = "sizes, forms of items and the number of forms an annotator took (Snow et al. 2008)"
_CALIBRATION_NOMINAL = (
    _LOADS,
    "counts of the gold standard's categories",
    "mean confusion matrices of annotators against the gold, by load, and their spread (counted "
    "in the release)",
)
_CALIBRATION_INTERVAL = (
    _LOADS,
    "fortieths of the published distributions of labels and of the gold standard",
    "standard deviation of the means of items and of annotators",
    "correlation of labels with the gold standard",
)


def _nominal_set(
    name: str,
    title: str,
    forms: Forms,
    categories: tuple[str, ...],
    gold_counts: tuple[int, ...],
    strata: tuple[Stratum, ...],
    targets: Mapping[str, float],
) -> DataSet:
    file = _FILES[name]
    is_rte = name == "rte"
    texts = ("text", "hypothesis", "task") if is_rte else ()
    return DataSet(
        id=f"snow2008_{name}",
        title=title,
        citation=_CITATION,
        home=HOME,
        source=_SOURCE,
        files=(file, _RTE_TEXT) if is_rte else (file,),
        scale="nominal",
        categories=categories,
        parse=_parse_rte if is_rte else partial(_parse, file=file, categories=categories),
        simulate=partial(
            simulate_nominal,
            forms=forms,
            categories=categories,
            gold_counts=gold_counts,
            strata=strata,
            difficulty=_DIFFICULTY[name],
            texts=texts,
        ),
        calibration=(*_CALIBRATION_NOMINAL, _MET[name]),
        targets=targets,
    )


def _interval_set(
    name: str, title: str, forms: Forms, spec: Interval, targets: Mapping[str, float]
) -> DataSet:
    file = _FILES[name]
    is_wordsim = name == "wordsim"
    return DataSet(
        id=f"snow2008_{name}",
        title=title,
        citation=_CITATION,
        home=HOME,
        source=_SOURCE,
        files=(file,) if is_wordsim else (file, _AFFECT_TEXT),
        scale="interval",
        categories=None,
        parse=_parse_wordsim if is_wordsim else partial(_parse_affect, file=file),
        simulate=partial(_simulate_interval, forms=forms, spec=spec),
        calibration=_CALIBRATION_INTERVAL,
        targets=targets,
    )


_AFFECT_FORMS = Forms(100, 20, 10, ((1, 31), (2, 4), (3, 2), (5, 1)))
_WORDSIM_FORMS = Forms(30, 30, 10, ((1, 10),))


def _steps(text: str) -> tuple[float, ...]:
    pairs = (word.rpartition("*") for word in text.split())
    return tuple(float(value) for count, _, value in pairs for _ in range(int(count or 1)))


#: Fortieths of the published distributions (`3*10` is three of 10), and shares of variance
#: fitted so that the simulated standard deviations of means and the correlations are the
#: published ones.
_INTERVAL = {
    "wordsim": Interval(
        labels=_steps("9*0 1 3*2 3 3*4 2*5 6 2*7 4*8 7*9 7*10"),
        golds=_steps(
            "0.33 2*0.95 1.03 1.05 2*1.07 1.09 1.14 2*1.24 1.26 1.31 2*1.36 1.48 1.58 "
            "2*1.7 2 2.02 2*2.17 2.48 2.72 2*2.74 2.91 2.97 2*3.1 3.24 3.38 2*3.62 "
            "3.64 3.89 3*4"
        ),
        item_share=0.786,
        annotator_share=0.114,
        gold_correlation=0.975,
    ),
    "anger": Interval(
        labels=_steps("28*0 5 10 15 20 25 40 50 60 75 87 2*100"),
        golds=_steps("16*0 1 3*2 2*4 7 2*8 9 11 13 15 2*17 18 23 24 30 32 40 47 51 52"),
        item_share=0.506,
        annotator_share=0.098,
        gold_correlation=0.821,
    ),
    "disgust": Interval(
        labels=_steps("27*0 5 10 15 20 25 32 45 50 65 80 90 2*100"),
        golds=_steps("23*0 1 2*2 5 7 2*8 2*10 2*13 2*15 19 26 54 64"),
        item_share=0.579,
        annotator_share=0.055,
        gold_correlation=0.894,
    ),
    "fear": Interval(
        labels=_steps("30*0 5 10 2*20 30 40 50 60 75 100"),
        golds=_steps("21*0 1 3 5 6 7 8 9 15 17 19 24 28 30 45 47 53 67 75 82"),
        item_share=0.458,
        annotator_share=0.139,
        gold_correlation=0.821,
    ),
    "joy": Interval(
        labels=_steps("30*0 5 2*10 20 30 40 50 65 80 100"),
        golds=_steps("15*0 2*2 5 7 8 10 13 14 17 18 20 23 31 32 34 38 41 43 45 48 50 55 60 63 68"),
        item_share=0.388,
        annotator_share=0.224,
        gold_correlation=0.771,
    ),
    "sadness": Interval(
        labels=_steps("25*0 1 10 15 2*20 30 40 2*50 70 80 89 3*100"),
        golds=_steps("14*0 2*1 2 2*3 4 6 8 9 11 13 14 16 20 21 22 23 28 31 36 2*40 45 53 67 93"),
        item_share=0.569,
        annotator_share=0.082,
        gold_correlation=0.878,
    ),
    "surprise": Interval(
        labels=_steps("23*0 2*5 3*10 3*20 25 30 40 45 50 55 70 85 100"),
        golds=_steps(
            "2*0 2*2 3 4 2*5 7 8 9 10 11 3*12 13 14 2*16 17 18 19 20 2*22 2*24 25 26 "
            "27 31 35 36 40 44 53 56 65 75"
        ),
        item_share=0.109,
        annotator_share=0.442,
        gold_correlation=0.767,
    ),
    "valence": Interval(
        labels=_steps(
            "2*-100 -90 -80 -70 2*-50 -40 -30 -25 -20 -10 -5 16*0 1 5 15 20 30 40 50 60 80 85 100"
        ),
        golds=_steps(
            "-90 -86 -81 -69 -66 -56 -51 -46 -45 -44 -43 -42 -34 -32 -29 -24 -18 -13 "
            "-10 -6 -2 2 6 13 16 21 26 27 31 32 35 38 42 44 50 52 60 61 62 67"
        ),
        item_share=0.372,
        annotator_share=0.081,
        gold_correlation=0.951,
    ),
}

_TARGETS = {
    "wordsim": {
        "n_items": 30,
        "n_annotators": 10,
        "n_labels": 300,
        "median_load": 30,
        "max_load": 30,
        "mean": 5.443,
        "sd": 3.909,
        "zeros": 0.227,
        "item_sd": 3.326,
        "annotator_sd": 1.187,
        "gold_mean": 2.182,
        "gold_sd": 1.088,
        "gold_r": 0.798,
    },
    "anger": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": 14.675,
        "sd": 28.82,
        "zeros": 0.693,
        "item_sd": 18.704,
        "annotator_sd": 8.823,
        "gold_mean": 10.94,
        "gold_sd": 15.219,
        "gold_r": 0.46,
    },
    "disgust": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": 16.01,
        "sd": 29.761,
        "zeros": 0.677,
        "item_sd": 20.804,
        "annotator_sd": 7.851,
        "gold_mean": 6.86,
        "gold_sd": 14.332,
        "gold_r": 0.532,
    },
    "fear": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": 10.348,
        "sd": 23.112,
        "zeros": 0.74,
        "item_sd": 13.857,
        "annotator_sd": 7.627,
        "gold_mean": 13.44,
        "gold_sd": 22.282,
        "gold_r": 0.417,
    },
    "joy": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": 10.486,
        "sd": 23.956,
        "zeros": 0.743,
        "item_sd": 13.039,
        "annotator_sd": 9.339,
        "gold_mean": 18.76,
        "gold_sd": 21.727,
        "gold_r": 0.347,
    },
    "sadness": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": 19.156,
        "sd": 32.438,
        "zeros": 0.634,
        "item_sd": 22.875,
        "annotator_sd": 9.691,
        "gold_mean": 15.21,
        "gold_sd": 21.28,
        "gold_r": 0.556,
    },
    "surprise": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": 14.926,
        "sd": 25.015,
        "zeros": 0.571,
        "item_sd": 9.742,
        "annotator_sd": 15.144,
        "gold_mean": 21.06,
        "gold_sd": 17.844,
        "gold_r": 0.204,
    },
    "valence": {
        "n_items": 100,
        "n_annotators": 38,
        "n_labels": 1000,
        "median_load": 20,
        "max_load": 100,
        "mean": -4.613,
        "sd": 44.726,
        "zeros": 0.411,
        "item_sd": 28.144,
        "annotator_sd": 14.917,
        "gold_mean": -4.95,
        "gold_sd": 45.544,
        "gold_r": 0.532,
    },
}


DATASETS = (
    _nominal_set(
        "rte",
        "Recognising textual entailment (RTE-1): does the text entail the hypothesis?",
        _RTE_FORMS,
        ("0", "1"),
        (400, 400),
        _RTE_STRATA,
        {
            "n_items": 800,
            "n_annotators": 164,
            "n_labels": 8000,
            "median_load": 20,
            "max_load": 800,
            "label:1": 0.5726,
            "label:0": 0.4274,
            "gold:1": 0.5,
            "gold:0": 0.5,
            "label:0|0": 0.6565,
            "label:1|0": 0.3435,
            "label:1|1": 0.8017,
            "label:0|1": 0.1983,
        },
    ),
    _nominal_set(
        "temp",
        "Temporal order of two events: the first before (1) or after (2) the second",
        _TEMP_FORMS,
        ("1", "2"),
        (259, 203),
        _TEMP_STRATA,
        {
            "n_items": 462,
            "n_annotators": 76,
            "n_labels": 4620,
            "max_load": 462,
            "label:2": 0.5286,
            "label:1": 0.4714,
            "gold:1": 0.5606,
            "gold:2": 0.4394,
            "label:1|1": 0.683,
            "label:2|1": 0.317,
            "label:2|2": 0.7985,
            "label:1|2": 0.2015,
        },
    ),
    _nominal_set(
        "wsd",
        "Word sense of 'president' in context, three senses",
        _WSD_FORMS,
        ("1", "2", "3"),
        (129, 2, 46),
        _WSD_STRATA,
        {
            "n_items": 177,
            "n_annotators": 34,
            "n_labels": 1770,
            "median_load": 20,
            "max_load": 177,
            "label:1": 0.7277,
            "label:3": 0.2497,
            "label:2": 0.0226,
            "gold:1": 0.7288,
            "gold:3": 0.2599,
            "gold:2": 0.0113,
            "label:1|1": 0.9899,
            "label:2|1": 0.0093,
            "label:3|1": 0.0008,
            "label:2|2": 1,
            "label:3|3": 0.9587,
            "label:1|3": 0.0239,
            "label:2|3": 0.0174,
        },
    ),
    _interval_set(
        "wordsim",
        "Similarity of two words, from 0 to 10; gold from 0 to 4",
        _WORDSIM_FORMS,
        _INTERVAL["wordsim"],
        _TARGETS["wordsim"],
    ),
    *(
        _interval_set(
            emotion,
            f"{emotion.capitalize()} in a headline, from 0 to 100",
            _AFFECT_FORMS,
            _INTERVAL[emotion],
            _TARGETS[emotion],
        )
        for emotion in ("anger", "disgust", "fear", "joy", "sadness", "surprise")
    ),
    _interval_set(
        "valence",
        "Valence of a headline, from -100 (negative) to 100 (positive)",
        _AFFECT_FORMS,
        _INTERVAL["valence"],
        _TARGETS["valence"],
    ),
)
