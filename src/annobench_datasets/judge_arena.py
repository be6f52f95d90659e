"""Pairs of answers from Chatbot Arena, with the human's choice and that of a language model.

Each item is a question to which two models answered. A human chose the better answer: the gold
category is the model that won. The one annotator, `gpt-4o-mini`, judged the same pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_json, wrong

_REPOSITORY = "yiqunchen/debias-llm-as-a-judge"
_SOURCE = pinned(
    "judge_arena",
    repository=_REPOSITORY,
    commit="4b4879ac7ae25fbe41b34ea1e0199d6986763167",
    licence="MIT",
    mirrored="exports/judge_arena",
)
_CLAUDE = "claude-opus-4-20250514"
_JUDGE = "gpt-4o-mini"


@dataclass(frozen=True)
class _Pair:
    """One pair of models: its name, the rival of Claude, and what was counted.

    `counts` has how often human and judge chose Claude, the human alone, the judge alone, neither.
    `unjudged` items, on which the human chose the rival, have no label.
    """

    name: str
    rival: str
    counts: tuple[int, int, int, int]
    unjudged: int = 0

    def record(self) -> DataSet:
        """Return the record of the data set."""
        both, human, judge, neither = self.counts
        n_labels = sum(self.counts)
        n_items = n_labels + self.unjudged
        return DataSet(
            id=f"arena_{self.name}",
            title=f"Answers of Claude Opus 4 or {self.rival}: the human's choice, and a judge's",
            citation=(
                "Chiang et al. (2024). Chatbot Arena: An open platform for evaluating LLMs by "
                "human preference. ICML, 8359-8388. "
                "https://proceedings.mlr.press/v235/chiang24b.html"
            ),
            home=(f"https://github.com/{_REPOSITORY}",),
            source=_SOURCE,
            files=(self.file,),
            scale="nominal",
            categories=(_CLAUDE, self.rival),
            parse=partial(_parse, pair=self),
            simulate=partial(_simulate, pair=self),
            calibration=(
                "number of items, and of those without a label",
                "counts of the human's and the judge's choices",
            ),
            targets={
                "n_items": n_items,
                "n_labels": n_labels,
                "n_annotators": 1,
                f"gold:{_CLAUDE}": (both + human) / n_items,
                f"label:{_CLAUDE}|{_CLAUDE}": both / (both + human),
                f"label:{_CLAUDE}|{self.rival}": judge / (judge + neither),
            },
        )

    @property
    def file(self) -> SourceFile:
        """Its file."""
        return _SOURCE.file(f"data/judge_results/{_CLAUDE}_vs_{self.rival}_{_JUDGE}.json")


def _parse(files: Mapping[str, Path], pair: _Pair) -> DataTables:
    path = files[pair.file.path]
    found = read_json(path)
    try:
        rows = pd.DataFrame(found)
        shown = {"A": rows["model_a"], "B": rows["model_b"]}
        pick, winner, item = rows["judge_pick"], rows["human_winner"], rows["id"].astype("str")
    except (ValueError, KeyError, TypeError) as error:
        what = "comparisons with id, model_a, model_b, human_winner and judge_pick"
        raise wrong(path, f"not a list of {what} ({error})") from error
    gold = shown["A"].where(winner == "model_a", shown["B"].where(winner == "model_b"))
    label = shown["A"].where(pick == "A", shown["B"].where(pick == "B"))
    models = set(rows["model_a"]) | set(rows["model_b"])
    if models != {_CLAUDE, pair.rival} or gold.isna().any() or item.duplicated().any():
        what = f"other models than {_CLAUDE} and {pair.rival}, a comparison without a winner"
        raise wrong(path, f"{what}, or one that comes twice")
    return _tables(item, gold, label, shown["A"])


def _simulate(rng: np.random.Generator, files: Mapping[str, Path], pair: _Pair) -> DataTables:
    """Draw the human's choice, and the judge's given it; who is shown first is a fair coin."""
    both, human, judge, neither = pair.counts
    n_items = sum(pair.counts) + pair.unjudged
    names = np.array([_CLAUDE, pair.rival], dtype=object)
    won = rng.random(n_items) < (both + human) / n_items
    chance = np.where(won, both / (both + human), judge / (judge + neither))
    label = pd.Series(np.where(rng.random(n_items) < chance, *names), dtype=object)
    label.iloc[n_items - pair.unjudged :] = None
    gold = pd.Series(np.where(won, *names))
    first = pd.Series(names[rng.integers(0, 2, n_items)])
    return _tables(numbered(np.arange(n_items)), gold, label, first)


def _tables(
    item: pd.Series[str], gold: pd.Series[str], label: pd.Series[str], first: pd.Series[str]
) -> DataTables:
    items = pd.DataFrame({"item": item, "gold": gold, "first": first}).astype("str")
    labels = pd.DataFrame({"item": item, "annotator": _JUDGE, "label": label})
    given = labels[label.notna()].astype("str").reset_index(drop=True)
    return DataTables(given, items.reset_index(drop=True))


DATASETS = tuple(
    pair.record()
    for pair in (
        _Pair("gemini_pro", "gemini-2.5-pro", (11, 54, 33, 178), unjudged=1),
        _Pair("gemini_flash", "gemini-2.5-flash", (38, 95, 30, 162)),
        _Pair("qwen", "qwen3-235b-a22b-no-thinking", (28, 82, 34, 131)),
    )
)
