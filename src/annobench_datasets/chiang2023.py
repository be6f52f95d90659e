"""Answers of a dialogue system, rated by people and twenty times by ChatGPT under seven prompts.

Mehri and Eskenazi (2020) had three people rate six responses to each of 60 dialogues of
Topical-Chat; only the average of each response is public, and is the gold standard here. Chiang
and Lee (2023) had ChatGPT rate the same responses. The annotators are their prompts. A label is the
first number of an answer, with one decimal; the column `last` has the last number, `answer` which
of the twenty answers it is. Answers without a number are left out, and so have no row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench_datasets._pins import pinned
from annobench_datasets._text import read_json, wrong

_REPOSITORY = "d223302/A-Closer-Look-To-LLM-Evaluation"
_SOURCE = pinned(
    "chiang2023",
    repository=_REPOSITORY,
    commit="90084422bb32e89f77109dce578d0bd1db3912c4",
    licence="none stated",
)
_RESPONSES = _SOURCE.file("data/topical_chat.json")
#: Answers asked for under each prompt.
N_ANSWERS = 20
_N_DOCUMENTS = 60
#: Who wrote a response, and how far above the average it is rated: two are people's.
_SYSTEMS = {
    "Original Ground Truth": 1.0,
    "Argmax Decoding": -0.5,
    "Nucleus Decoding (p = 0.3)": -0.6,
    "Nucleus Decoding (p = 0.5)": -0.7,
    "Nucleus Decoding (p = 0.7)": -0.6,
    "New Human Generated": 1.4,
}
_N_ITEMS = _N_DOCUMENTS * len(_SYSTEMS)
#: In the order of the paper's tables: those with score only, free text, and with reasons.
PROMPTS = (
    *("geval", "geval_no_auto_cot", "llm_eval_no_cot", "rate_explain", "analyze_rate"),
    *("rate_explain_auto_cot", "analyze_rate_auto_cot"),
)
#: With one decimal, as the released program reads it.
_NUMBER = re.compile(r"\d(?:\.\d)?")


@dataclass(frozen=True)
class _Attribute:
    """An attribute of responses: its name in files, its scale, and what was counted.

    `averages` has how many responses have each average of three people, from the lowest on;
    `records` and `labels` those of each prompt.
    """

    name: str
    short: str
    scale: tuple[int, int]
    averages: tuple[int, ...]
    records: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def files(self) -> dict[str, SourceFile]:
        """The file of each prompt."""
        folder = "results/topical_chat"
        return {name: _SOURCE.file(f"{folder}/gpt3.5_{self.short}_{name}.json") for name in PROMPTS}

    @property
    def gold(self) -> np.ndarray:
        """The averages of all responses, in ascending order."""
        values: np.ndarray = self.scale[0] + np.arange(len(self.averages)) / 3
        return np.repeat(values, self.averages)

    def record(self) -> DataSet:
        """Return the record of the data set."""
        return DataSet(
            id=f"chiang2023_{self.name}",
            title=f"{self.name.capitalize()} of 360 responses in dialogues, rated by ChatGPT",
            citation=(
                "Chiang and Lee (2023). A closer look into using large language models for "
                "automatic evaluation. Findings of EMNLP, 8928-8942. "
                "https://doi.org/10.18653/v1/2023.findings-emnlp.599"
            ),
            home=(f"https://github.com/{_REPOSITORY}",),
            source=_SOURCE,
            files=(_RESPONSES, *self.files.values()),
            scale="interval",
            categories=None,
            parse=partial(_parse, attribute=self),
            simulate=partial(_simulate, attribute=self),
            calibration=(
                "people: how many responses have each average (counted in the release), with "
                "people's responses above those of systems",
                "ChatGPT: the numbers of records and labels; its labels are noise, since its "
                "answers are known only from the release",
            ),
            targets={
                "n_items": _N_ITEMS,
                "n_annotators": len(PROMPTS),
                "n_labels": sum(self.labels),
                "max_load": max(self.labels),
                "gold_mean": float(self.gold.mean()),
                "gold_sd": float(self.gold.std(ddof=1)),
            },
        )


def first_and_last(answer: str) -> tuple[float, float] | None:
    """Read the first and the last number of an answer, as the released program reads the first.

    Parameters
    ----------
    answer : str
        Of the judge; if it says "rating:", what follows the last one counts.

    Returns
    -------
    tuple of float, or None
        With at most one decimal; None if there is no number.

    Examples
    --------
    >>> first_and_last("1. Naturalness: 2.5")
    (1.0, 2.5)
    """
    text = answer.lower().replace("\n", " ").replace("1-3", "").rpartition("rating:")[2]
    numbers = _NUMBER.findall(text)
    return (float(numbers[0]), float(numbers[-1])) if numbers else None


def _read(path: Path) -> list[dict[str, Any]]:
    found = read_json(path)
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise wrong(path, "no list of records")
    return found


def _parse(files: Mapping[str, Path], attribute: _Attribute) -> DataTables:
    path = files[_RESPONSES.path]
    try:
        rows = [
            (record["source"], record["system_id"], float(record["scores"][attribute.name]))
            for record in _read(path)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise wrong(path, f"a record without source, system_id or scores ({error})") from error
    table = pd.DataFrame(rows, columns=["source", "system", "gold"])
    code = pd.factorize(table["source"])[0]
    if len(set(zip(code, table["system"], strict=True))) != len(table):
        raise wrong(path, "a response that comes twice")
    items = _items(code, table["system"], table["gold"])
    name = dict(zip(zip(table["source"], table["system"], strict=True), items["item"], strict=True))
    labels = []
    for prompt, file in attribute.files.items():
        path = files[file.path]
        try:
            for record in _read(path):
                item = name[record["source"], record["system_id"]]
                for number, answer in enumerate(record["all_responses"], start=1):
                    if found := first_and_last(answer):
                        labels.append((item, prompt, found[0], number, found[1]))
        except (KeyError, TypeError, AttributeError) as error:
            raise wrong(path, f"a record of no response, or without answers ({error})") from error
    return DataTables(_labels(labels), items)


def _items(document: np.ndarray, system: pd.Series[str], gold: Any) -> pd.DataFrame:
    names = pd.Series([f"dialogue_{n + 1:02d}" for n in document], dtype="str")
    table = pd.DataFrame(
        {"item": names + " " + system, "gold": gold, "document": names, "system": system}
    )
    return table.astype({"item": "str", "gold": float, "document": "str", "system": "str"})


def _labels(rows: list[tuple[str, str, float, int, float]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["item", "annotator", "label", "answer", "last"])
    types: dict[str, Any] = {
        "item": "str",
        "annotator": "str",
        "label": float,
        "answer": int,
        "last": float,
    }
    return table.astype(types)


def _simulate(
    rng: np.random.Generator, files: Mapping[str, Path], attribute: _Attribute
) -> DataTables:
    """Rank responses by who wrote them and by chance; ChatGPT's labels are noise."""
    document = np.repeat(np.arange(_N_DOCUMENTS), len(_SYSTEMS))
    system = pd.Series(list(_SYSTEMS) * _N_DOCUMENTS, dtype="str")
    quality = system.map(_SYSTEMS).to_numpy(dtype=float) + rng.standard_normal(_N_ITEMS)
    gold = np.empty(_N_ITEMS)
    gold[np.argsort(quality)] = attribute.gold
    items = _items(document, system, gold)
    rows = []
    for prompt, n_records, n_labels in zip(
        PROMPTS, attribute.records, attribute.labels, strict=True
    ):
        answered = np.sort(rng.permutation(_N_ITEMS)[:n_records])
        read = np.sort(rng.permutation(n_records * N_ANSWERS)[:n_labels])
        given = rng.integers(attribute.scale[0], attribute.scale[1] + 1, n_labels).astype(float)
        own = items["item"].to_numpy()[answered[read // N_ANSWERS]]
        number = read % N_ANSWERS + 1
        rows += list(zip(own, [prompt] * n_labels, given, number, given, strict=True))
    return DataTables(_labels(rows), items)


_ATTRIBUTES = (
    _Attribute(
        "naturalness",
        "nat",
        (1, 3),
        (24, 29, 43, 45, 59, 66, 94),
        (358, 353, 359, 358, 360, 357, 357),
        (7160, 7060, 7180, 7159, 7149, 7139, 6940),
    ),
    _Attribute(
        "coherence",
        "coh",
        (1, 3),
        (29, 35, 39, 46, 59, 51, 101),
        (359, 355, 356, 359, 360, 358, 354),
        (7180, 7097, 7110, 7180, 7183, 7158, 7078),
    ),
    _Attribute(
        "engagingness",
        "eng",
        (1, 3),
        (32, 41, 57, 52, 48, 55, 75),
        (356, 354, 359, 359, 360, 358, 355),
        (7120, 7080, 7179, 7180, 7186, 7160, 7084),
    ),
    _Attribute(
        "groundedness",
        "gro",
        (0, 1),
        (129, 26, 52, 153),
        (357, 357, 353, 360, 358, 356, 355),
        (7137, 7139, 7016, 7198, 7154, 7119, 7094),
    ),
)

DATASETS = tuple(attribute.record() for attribute in _ATTRIBUTES)
