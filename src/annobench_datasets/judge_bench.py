"""The human side of JUDGE-BENCH: five sets whose single ratings are handed out.

Bavaresco et al. (2025) collected sets on which judges, such as language models, can be compared
with humans, in one format: an instance has for each property a list of ratings, and their mean or
majority. Raters have no names in it. Here a rating's annotator is its position in the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_json, report, wrong

_REPOSITORY = "dmg-illc/JUDGE-BENCH"
_SOURCE = pinned(
    "judge_bench",
    repository=_REPOSITORY,
    commit="5a0bf500325029efb5dc8adff2c1e991996f0e78",
    licence="DICES, Inferential strategies CC BY 4.0; NewsRoom, recipes Apache-2.0",
)
_CITATION = (
    "Bavaresco et al. (2025). LLMs instead of human judges? A large scale empirical study across "
    "20 NLP evaluation tasks. ACL (short papers), 238-255. "
    "https://aclanthology.org/2025.acl-short.20/"
)


@dataclass(frozen=True)
class _Set:
    """One property of one file, and what was counted in it.

    `lengths` has how many items have how many ratings, `counts` how often each category was given.
    The ratings of an item share `item` of the variance of a normal number behind them, and those
    of an annotator `annotator`.
    """

    name: str
    file: str
    metric: str
    title: str
    lengths: tuple[tuple[int, int], ...]
    counts: Mapping[str, int]
    item: float
    annotator: float = 0.0
    scale: Literal["nominal", "ordinal"] = "ordinal"

    def record(self) -> DataSet:
        """Return the record of the data set."""
        file = _SOURCE.file(f"data/{self.file}")
        n_items = sum(n for _, n in self.lengths)
        n_labels = sum(self.counts.values())
        longest = max(length for length, _ in self.lengths)
        loads = [sum(n for length, n in self.lengths if length > j) for j in range(longest)]
        return DataSet(
            id=f"judge_bench_{self.name}",
            title=self.title,
            citation=_CITATION,
            home=(f"https://github.com/{_REPOSITORY}",),
            source=_SOURCE,
            files=(file,),
            scale=self.scale,
            categories=tuple(self.counts),
            parse=partial(_parse, path=file.path, design=self),
            simulate=partial(_simulate, design=self),
            calibration=(
                "numbers of items, and of ratings of each",
                "shares of the categories among all ratings",
                "Krippendorff's alpha, by the share of a normal number that an item's ratings have "
                "in common (counted in the release)",
            ),
            targets={
                "n_items": n_items,
                "n_annotators": longest,
                "n_labels": n_labels,
                "median_load": float(np.median(loads)),
                "max_load": max(loads),
                **{f"label:{name}": n / n_labels for name, n in self.counts.items()},
            },
        )


def _parse(files: Mapping[str, Path], *, path: str, design: _Set) -> DataTables:
    """Read the ratings of one property; items in the order of the file."""
    where = files[path]
    try:
        instances = read_json(where)["instances"]
    except (KeyError, TypeError) as error:
        raise wrong(where, f"no instances ({error})") from error
    labels: dict[str, list[str]] = {"item": [], "annotator": [], "label": []}
    items: dict[str, list[str]] = {"item": [], "aggregate": []}
    faults = []
    for number, instance in enumerate(instances, start=1):
        found = _ratings(instance, design.metric)
        if found is None or not set(found[0]) <= set(design.counts):
            faults.append((f"of instance {number}", f"no ratings, or unknown ones: {found}"))
            continue
        given, aggregate = found
        name = str(instance["id"])
        items["item"].append(name)
        items["aggregate"].append(aggregate)
        for position, label in enumerate(given, start=1):
            labels["item"].append(name)
            labels["annotator"].append(f"position {position}")
            labels["label"].append(label)
    report(where, faults)
    return _tables(pd.DataFrame(labels, dtype="str"), pd.DataFrame(items, dtype="str"))


def _ratings(instance: Any, metric: str) -> tuple[list[str], str] | None:
    try:
        found = instance["annotations"][metric]
        given = [str(label) for label in found["individual_human_scores"]]
        # Some graded properties have both.
        aggregate = found["mean_human"] if "mean_human" in found else found["majority_human"]
        return given, str(aggregate)
    except (KeyError, TypeError):
        return None


def _tables(labels: pd.DataFrame, items: pd.DataFrame) -> DataTables:
    """Make the tables; the aggregate is that of the ratings, and no gold standard."""
    gold = pd.Series([None] * len(items), dtype="str")
    return DataTables(labels, items.assign(gold=gold)[["item", "gold", "aggregate"]])


def _simulate(rng: np.random.Generator, files: Mapping[str, Path], *, design: _Set) -> DataTables:
    """Draw ratings from a normal number that items and annotators share."""
    length = rng.permutation(np.repeat(*np.array(design.lengths).T))
    item = np.repeat(np.arange(length.size), length)
    position = np.concatenate([np.arange(n) for n in length])
    own = rng.standard_normal(item.size) * np.sqrt(1 - design.item - design.annotator)
    value = (
        np.sqrt(design.item) * rng.standard_normal(length.size)[item]
        + np.sqrt(design.annotator) * rng.standard_normal(length.max())[position]
        + own
    )
    share = np.cumsum([*design.counts.values()]) / sum(design.counts.values())
    code: NDArray[np.int64] = np.searchsorted(share[:-1], ndtr(value), side="right")
    names = np.array(list(design.counts), dtype=object)
    labels = pd.DataFrame(
        {
            "item": numbered(item),
            "annotator": numbered(position, "position "),
            "label": pd.Series(names[code], dtype="str"),
        }
    )
    by_item = labels.groupby("item", sort=False)["label"]
    if design.scale == "nominal":
        aggregate = by_item.agg(lambda given: Counter(given).most_common(1)[0][0])
    else:
        aggregate = by_item.agg(lambda given: str(round(given.astype(float).mean(), 3)))
    items = pd.DataFrame({"item": aggregate.index, "aggregate": aggregate.to_numpy()})
    return _tables(labels.astype("str"), items.astype("str"))


_RECIPES = "recipe_crowd_sourcing_data/meta_evaluation_recipes.json"
_RECIPE_LENGTHS = ((15, 10), (17, 10), (18, 20), (20, 10), (88, 2))
_DICES_990_LENGTHS = (
    *((69, 5), (70, 15), (71, 93), (72, 281)),
    *((73, 298), (74, 233), (75, 63), (76, 2)),
)


def _graded(counts: tuple[int, ...]) -> dict[str, int]:
    return {str(grade): n for grade, n in enumerate(counts, start=1)}


_RECIPE_COUNTS = {
    "grammar": ((170, 176, 143, 181, 232, 154), 0.45),
    "fluency": ((284, 179, 168, 157, 140, 128), 0.48),
    "verbosity": ((225, 173, 143, 171, 179, 165), 0.44),
    "structure": ((254, 157, 135, 143, 191, 176), 0.44),
    "success": ((259, 166, 146, 157, 163, 165), 0.41),
    "overall": ((312, 195, 146, 145, 153, 105), 0.48),
}
_NEWSROOM_COUNTS = {
    "Informativeness": ((139, 128, 343, 484, 166), 0.31),
    "Relevance": ((109, 122, 232, 483, 314), 0.14),
    "Fluency": ((139, 164, 308, 324, 325), 0.0),
    "Coherence": ((142, 142, 296, 440, 240), 0.08),
}

_SETS = (
    _Set(
        "dices_350",
        "dices/dices_350_crowdsourced.json",
        "safety",
        "Is an answer of a chatbot unsafe? 350 conversations",
        ((123, 350),),
        {"No": 26292, "Unsure": 2694, "Yes": 14064},
        item=0.25,
        annotator=0.2,
        scale="nominal",
    ),
    _Set(
        "dices_990",
        "dices/dices_990.json",
        "safety",
        "Is an answer of a chatbot unsafe? 990 conversations",
        _DICES_990_LENGTHS,
        {"No": 48995, "Unsure": 3751, "Yes": 19357},
        item=0.25,
        scale="nominal",
    ),
    _Set(
        "inferential_strategies",
        "inferential-strategies/inferential_strategies.json",
        "Sound Reasoning",
        "Is the reasoning of a language model sound? 300 answers",
        ((2, 300),),
        {"no": 484, "yes": 116},
        item=1.0,
        scale="nominal",
    ),
    *(
        _Set(
            f"recipes_{metric}",
            _RECIPES,
            metric,
            f"Quality of 52 recipes, from 1 to 6: {metric}",
            _RECIPE_LENGTHS,
            _graded(counts),
            item=item,
        )
        for metric, (counts, item) in _RECIPE_COUNTS.items()
    ),
    *(
        _Set(
            f"newsroom_{metric.lower()}",
            "newsroom/newsroom.json",
            metric,
            f"Quality of 420 summaries of news, from 1 to 5: {metric}",
            ((3, 420),),
            _graded(counts),
            item=item,
        )
        for metric, (counts, item) in _NEWSROOM_COUNTS.items()
    ),
)

DATASETS = tuple(each.record() for each in _SETS)
