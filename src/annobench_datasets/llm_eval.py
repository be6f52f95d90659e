"""Language models as judges of short answers to trivia questions, with a human's verdict.

Eight or nine models answer the same 400 questions of TriviaQA. An item is an answer: a model (the
column `exam_taker`) and a question. The gold category is a human's verdict, "True" for a correct
answer; the annotators are judges, language models and (in the first file) the lexical rules exact
match, `EM`, and `Contains`. The answers themselves are not in the files: the column called response
has the prompt.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench_datasets._pins import pinned
from annobench_datasets._text import read_text, wrong

_REPOSITORY = "UMass-Meta-LLM-Eval/llm_eval"
_SOURCE = pinned(
    "llm_eval",
    repository=_REPOSITORY,
    commit="7c0bf28e75703cd41c6088bebb64eefcdf348bd4",
    licence="none stated",
)
_CATEGORIES = ("False", "True")
_N_QUESTIONS = 400


@dataclass(frozen=True)
class _File:
    """One file: its columns, and what was counted in it.

    `correct` has how many answers of each model the human calls correct, `labels` how many
    verdicts each judge gave.
    """

    version: str
    human: str
    correct: Mapping[str, int]
    labels: Mapping[str, int]

    @property
    def file(self) -> SourceFile:
        """Where it is."""
        return _SOURCE.file(f"results/TriviaQA_Judges_w_HumanJudgement_{self.version.upper()}.csv")

    def record(self) -> DataSet:
        """Return the record of the data set."""
        n_items = _N_QUESTIONS * len(self.correct)
        return DataSet(
            id=f"llm_eval_{self.version}",
            title=f"Answers of {len(self.correct)} models to trivia, judged by "
            f"{len(self.labels)} judges and a human",
            citation=(
                "Thakur, Choudhary, Ramayapally, Vaidyanathan and Hupkes (2024). Judging the "
                "judges: Evaluating alignment and vulnerabilities in LLMs-as-judges. "
                "https://doi.org/10.48550/arXiv.2406.12624"
            ),
            home=(f"https://github.com/{_REPOSITORY}",),
            source=_SOURCE,
            files=(self.file,),
            scale="nominal",
            categories=_CATEGORIES,
            parse=partial(_parse, layout=self),
            simulate=partial(_simulate, layout=self),
            calibration=(
                "the human: how many answers of each model are correct (counted in the "
                "release), with questions that are hard for all",
                "judges: the numbers of labels alone; their labels are noise, as what they said is "
                "known from the release alone",
            ),
            targets={
                "n_items": n_items,
                "n_annotators": len(self.labels),
                "n_labels": sum(self.labels.values()),
                "gold:True": sum(self.correct.values()) / n_items,
            },
        )


def _parse(files: Mapping[str, Path], layout: _File) -> DataTables:
    path = files[layout.file.path]
    rows = list(csv.DictReader(io.StringIO(read_text(path), newline="")))
    needed = {"model", "question", layout.human, *layout.labels}
    if not rows or not needed <= set(rows[0]):
        raise wrong(path, f"not the columns {', '.join(sorted(needed))}")
    # A model stands there twice, once without a verdict of the human.
    kept = [row for row in rows if row[layout.human]]
    verdicts = {row[name] for row in kept for name in (layout.human, *layout.labels)}
    if not verdicts <= {"True", "False", ""} or {row["model"] for row in kept} != {*layout.correct}:
        raise wrong(path, "a verdict other than True and False, or another model")
    taker = pd.Series([row["model"] for row in kept], dtype="str")
    question = pd.factorize(pd.Series([row["question"] for row in kept]))[0]
    gold = [row[layout.human] for row in kept]
    items = _items(taker, question, gold)
    labels = [
        (item, judge, row[judge])
        for judge in layout.labels
        for item, row in zip(items["item"], kept, strict=True)
        if row[judge]
    ]
    return DataTables(_labels(labels), items)


def _items(taker: pd.Series[str], question: np.ndarray, gold: list[str]) -> pd.DataFrame:
    # Some questions come twice to one model, so that items are numbered by row.
    row = taker.groupby(taker).cumcount() + 1
    names = taker + " " + row.map("{:03d}".format)
    number = pd.Series([f"question_{n + 1:03d}" for n in question])
    table = pd.DataFrame({"item": names, "gold": gold, "exam_taker": taker, "question": number})
    return table.astype("str")


def _labels(rows: list[tuple[str, str, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item", "annotator", "label"]).astype("str")


def _simulate(rng: np.random.Generator, files: Mapping[str, Path], layout: _File) -> DataTables:
    """Let the models fail on the questions that are hard for all; judges flip coins."""
    takers = list(layout.correct)
    ease = rng.standard_normal(_N_QUESTIONS)
    gold: list[str] = []
    for n_correct in layout.correct.values():
        rank = np.argsort(np.argsort(-(ease + rng.standard_normal(_N_QUESTIONS))))
        gold += ["True" if place < n_correct else "False" for place in rank]
    taker = pd.Series(np.repeat(takers, _N_QUESTIONS), dtype="str")
    items = _items(taker, np.tile(np.arange(_N_QUESTIONS), len(takers)), gold)
    names = items["item"].to_numpy()
    labels = []
    for judge, n_labels in layout.labels.items():
        given = np.sort(rng.permutation(len(names))[:n_labels])
        said = np.array(_CATEGORIES, dtype=object)[rng.integers(0, 2, n_labels)]
        labels += list(zip(names[given], [judge] * n_labels, said, strict=True))
    return DataTables(_labels(labels), items)


_FIRST = {
    "Mistral-7B": 3595,
    "Llama-7B": 3595,
    "Llama-13B": 3595,
    "Llama3-8B": 3595,
    "Gemma-2B": 3595,
    "Llama-70B": 3465,
    "EM": 3595,
    "Llama3-70B": 3595,
    "GPT-4": 3595,
    "JudgeLM": 3595,
    "Contains": 3595,
}
_SECOND = (
    *("JudgeLM", "Gemma-2B", "Llama3-70B", "Llama-70B", "GPT-4", "Llama-7B", "Llama3-8B"),
    *("Llama-13B", "Mistral-7B"),
)

DATASETS = tuple(
    layout.record()
    for layout in (
        _File(
            "v1",
            "HumanJudgement",
            {
                "gpt-4t": 365,
                "llama2-70b-base": 334,
                "llama2-7b-base": 251,
                "llama2-13b-base": 290,
                "llama2-7b-chat": 223,
                "mistral-7B": 287,
                "llama2-70b-chat": 289,
                "llama2-13b-chat": 226,
                "mistral-7b-chat": 242,
            },
            _FIRST,
        ),
        _File(
            "v2",
            "Human-Eval",
            {
                "gpt-4t": 341,
                "llama2-70b-chat": 267,
                "llama2-13b-chat": 222,
                "llama2-7b-chat": 190,
                "mistral-7b-chat": 216,
                "llama2-70b-base": 311,
                "llama2-7b-base": 235,
                "llama2-13b-base": 257,
            },
            dict.fromkeys(_SECOND, 3200),
        ),
    )
)
