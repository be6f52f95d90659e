"""Judgements of how metaphorical a piece of discourse is, by crowds, in two studies.

Piccirilli and Schulte im Walde took 1,000 pieces of discourse from a corpus of the web, 20 for
each of 50 pairs of a literal and a metaphorical expression. In study 1 fifteen annotators
rated each from 1 (mostly literal) to 6 (mostly metaphorical); in study 2 ten annotators
called each literal or metaphorical. The files have one line per label.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logit

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import Forms, give_out, numbered
from annobench_datasets._text import one_per_item, read_rows, report

_REPOSITORY = "priscapiccirilli/discourse-met-lit"
_SOURCE = pinned(
    "metaphor_discourse",
    repository=_REPOSITORY,
    commit="ed4c9a3dda937956d48d1475d50b17dc7e4a81de",
    licence="Apache-2.0",
)
_RATINGS = _SOURCE.file("data/3.full-data-annotation1-task1.tsv")
_DECISIONS = _SOURCE.file("data/6.full-data-annotation2.tsv")
_TEXTS = _SOURCE.file("data/8.discourses_id.tsv")
_HOME = (f"https://github.com/{_REPOSITORY}",)
_PAIR = ("Expression.Lit", "Expression.Met", "Original.Expression")
_NAMES = ("literal", "metaphorical", "original")
_N_ITEMS = 1000


class _Study(NamedTuple):
    """The file of a study, its columns, the one with the labels, and the labels."""

    file: SourceFile
    columns: tuple[str, ...]
    label: str
    categories: tuple[str, ...]


_STUDY_1 = _Study(
    _RATINGS,
    ("WorkerId", "DiscourseId", *_PAIR, "Category.MetLit"),
    "Category.MetLit",
    ("1", "2", "3", "4", "5", "6"),
)
_STUDY_2 = _Study(
    _DECISIONS,
    (
        *("WorkerId", "DiscourseId", *_PAIR, "Discourse.MetLit"),
        *("word1", "word2", "word3", "word4", "word5"),
    ),
    "Discourse.MetLit",
    ("lit", "met"),
)


def _parse(files: Mapping[str, Path], *, study: _Study) -> DataTables:
    """Read a study's labels, with the texts and expressions of the items."""
    path = files[study.file.path]
    rows = read_rows(path, study.columns)
    texts = _read_texts(files[_TEXTS.path])
    item, annotator, label = (rows[name] for name in ("DiscourseId", "WorkerId", study.label))
    twice = rows.index[rows.duplicated(["WorkerId", "DiscourseId"])]
    report(
        path,
        [
            *((n, f"no text for item {item[n]!r}") for n in rows.index[~item.isin(texts.index)]),
            *((n, "no annotator") for n in rows.index[annotator == ""]),
            *(
                (n, f"label {label[n]!r} is not one of {', '.join(study.categories)}")
                for n in rows.index[~label.isin(study.categories)]
            ),
            *((n, f"annotator {annotator[n]!r} has judged {item[n]!r} before") for n in twice),
        ],
    )
    for column in _PAIR:
        one_per_item(path, item, rows[column], column)
    about = rows.drop_duplicates("DiscourseId").set_index("DiscourseId")[list(_PAIR)]
    items = pd.DataFrame({"item": item.drop_duplicates().to_numpy(), "gold": None}, dtype="str")
    items["text"] = texts.reindex(items["item"]).to_numpy(dtype=object)
    for column, name in zip(_PAIR, _NAMES, strict=True):
        items[name] = about[column].reindex(items["item"]).to_numpy(dtype=object)
    labels = pd.DataFrame({"item": item, "annotator": annotator, "label": label}, dtype="str")
    return DataTables(labels.reset_index(drop=True), items.astype("str"))


def _read_texts(path: Path) -> pd.Series[str]:
    """Read the texts by item."""
    rows = read_rows(path, ("DiscourseId", "Discourse"))
    name = rows["DiscourseId"]
    report(
        path,
        ((n, f"item {name[n]!r} stands there twice") for n in rows.index[name.duplicated()]),
    )
    return rows.set_index("DiscourseId")["Discourse"]


def _items() -> pd.DataFrame:
    """Return items without text."""
    items = pd.DataFrame({"item": numbered(np.arange(_N_ITEMS), "d"), "gold": None})
    return items.assign(text=None, literal=None, metaphorical=None, original=None).astype("str")


def _tables(item: NDArray[np.int64], annotator: NDArray[np.int64], label: object) -> DataTables:
    labels = {"item": numbered(item, "d"), "annotator": numbered(annotator, "w"), "label": label}
    return DataTables(pd.DataFrame(labels, dtype="str"), _items())


def _simulate_ratings(
    rng: np.random.Generator,
    files: Mapping[str, Path],
    *,
    forms: Forms,
    counts: tuple[int, ...],
    variances: tuple[float, float, float],
) -> DataTables:
    """Draw what each annotator perceives of each item, and cut it into counts of labels."""
    given = give_out(rng, forms)
    of_items, of_annotators, of_labels = np.sqrt(variances)
    perceived = (
        of_items * rng.standard_normal(forms.n_items)[given.item]
        + of_annotators * rng.standard_normal(forms.load.size)[given.annotator]
        + of_labels * rng.standard_normal(given.item.size)
    )
    label = np.empty(perceived.size, dtype=object)
    label[np.argsort(perceived)] = np.repeat(_STUDY_1.categories, counts)
    return _tables(given.item, given.annotator, label)


def _simulate_decisions(
    rng: np.random.Generator,
    files: Mapping[str, Path],
    *,
    forms: Forms,
    histogram: tuple[int, ...],
    leaning: tuple[float, float],
) -> DataTables:
    """Give each item its number of "met" labels, by annotators who lean towards them."""
    given = give_out(rng, forms)
    marks = rng.permutation(np.repeat(np.arange(len(histogram)), histogram))
    # The largest of logit + Gumbel noise are a weighted draw without replacement.
    lean = logit(rng.beta(*leaning, size=forms.load.size))
    score = lean[given.annotator] + rng.gumbel(size=given.item.size)
    rank = np.argsort(np.argsort(-score.reshape(forms.n_items, -1), axis=1), axis=1)
    label = np.where(rank.ravel() < marks[given.item], "met", "lit")
    return _tables(given.item, given.annotator, label)


# Pairs of a number of labels and how many annotators gave that many (the published files).
_LOADS_1 = (
    *((1, 16), (2, 8), (3, 5), (4, 3), (5, 12), (6, 4), (7, 3), (8, 2), (10, 2), (11, 1), (12, 3)),
    *((13, 1), (15, 2), (16, 1), (17, 4), (18, 2), (19, 4), (20, 39), (21, 1), (22, 2), (24, 1)),
    *((26, 1), (27, 3), (29, 2), (34, 1), (37, 3), (40, 6), (43, 1), (46, 1), (49, 1), (51, 2)),
    *((52, 1), (54, 1), (60, 2), (61, 1), (62, 1), (66, 1), (76, 1), (79, 1), (80, 1), (84, 1)),
    *((85, 1), (88, 1), (98, 1), (100, 4), (113, 1), (120, 2), (126, 1), (127, 1), (140, 1)),
    *((142, 1), (145, 1), (185, 1), (193, 1), (194, 1), (200, 1), (215, 1), (296, 1), (305, 1)),
    *((407, 1), (473, 1), (555, 1), (570, 1), (588, 1), (625, 1), (697, 1), (718, 1), (797, 2)),
    *((847, 1), (863, 1), (892, 1)),
)
_LOADS_2 = (
    *((1, 199), (2, 94), (3, 39), (4, 33), (5, 23), (6, 14), (7, 12), (8, 14), (9, 13), (10, 9)),
    *((11, 6), (12, 7), (13, 3), (14, 2), (15, 5), (16, 6), (17, 2), (18, 4), (19, 3), (20, 43)),
    *((21, 22), (22, 14), (23, 10), (24, 9), (25, 6), (26, 6), (27, 5), (28, 6), (29, 3), (30, 3)),
    *((31, 2), (32, 5), (33, 1), (34, 2), (35, 4), (36, 2), (37, 2), (38, 5), (40, 6), (41, 3)),
    *((42, 5), (43, 2), (44, 1), (45, 1), (46, 1), (47, 1), (50, 2), (51, 2), (52, 1), (54, 1)),
    *((55, 1), (56, 2), (57, 2), (59, 1), (62, 2), (64, 1), (65, 1), (66, 1), (67, 1), (69, 1)),
    *((75, 1), (91, 1), (96, 1), (108, 1), (112, 1), (133, 1), (155, 1), (165, 1), (205, 1)),
    *((638, 1), (828, 1)),
)

DATASETS = (
    DataSet(
        id="metaphor_discourse_rating",
        title="1,000 pieces of discourse rated from literal (1) to metaphorical (6) by a crowd",
        citation=(
            "Piccirilli and Schulte im Walde (2021). Synonymous pairs of metaphorical and literal "
            "expressions in context. Workshop on Integrating Perspectives on Discourse Annotation. "
            "https://www.ims.uni-stuttgart.de/documents/team/schulte/publications/workshop/discann-21.pdf"
        ),
        home=_HOME,
        source=_SOURCE,
        files=(_RATINGS, _TEXTS),
        scale="ordinal",
        categories=_STUDY_1.categories,
        parse=partial(_parse, study=_STUDY_1),
        simulate=partial(
            _simulate_ratings,
            forms=Forms(_N_ITEMS, 1, 15, _LOADS_1),
            counts=(2034, 2232, 2760, 3566, 3204, 1204),
            # Annotators and labels: random effects in normal scores of the published labels.
            # Items: so that the means of items vary as the published ones do.
            variances=(0.047, 0.375, 0.690),
        ),
        calibration=(
            "sizes: 15 labels for each of 1,000 items, and the load of each annotator",
            "counts of the six labels",
            "variance between items, between annotators and of single labels",
        ),
        targets={
            "n_items": 1000,
            "n_annotators": 183,
            "n_labels": 15000,
            "median_load": 20,
            "max_load": 892,
            "label:1": 0.136,
            "label:2": 0.149,
            "label:3": 0.184,
            "label:4": 0.238,
            "label:5": 0.214,
            "label:6": 0.080,
            "unanimous": 0.0,
        },
    ),
    DataSet(
        id="metaphor_discourse_binary",
        title="1,000 pieces of discourse called literal or metaphorical by a crowd",
        citation=(
            "Piccirilli and Schulte im Walde (2022). Features of perceived metaphoricity on the "
            "discourse level: Abstractness and emotionality. LREC. "
            "http://www.lrec-conf.org/proceedings/lrec2022/pdf/2022.lrec-1.564.pdf"
        ),
        home=_HOME,
        source=_SOURCE,
        files=(_DECISIONS, _TEXTS),
        scale="nominal",
        categories=_STUDY_2.categories,
        parse=partial(_parse, study=_STUDY_2),
        simulate=partial(
            _simulate_decisions,
            forms=Forms(_N_ITEMS, 1, 10, _LOADS_2),
            histogram=(168, 217, 158, 122, 78, 78, 67, 44, 37, 28, 3),
            # Beta-binomial fit to the annotators' counts of "met".
            leaning=(3.50, 8.45),
        ),
        calibration=(
            "sizes: ten labels for each of 1,000 items, and the load of each annotator",
            'how many items have 0, 1, ... 10 labels "met"',
            'how annotators differ in their share of "met"',
        ),
        targets={
            "n_items": 1000,
            "n_annotators": 688,
            "n_labels": 10000,
            "median_load": 4,
            "max_load": 828,
            "label:lit": 0.711,
            "label:met": 0.289,
            "unanimous": 0.171,
        },
    ),
)
