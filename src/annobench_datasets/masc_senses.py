"""The inventory of `masc_crowd`: the 398 senses that the forms offered, with their WordNet keys.

What annotators of `masc_crowd` chose from: for each of the 45 words its senses, numbered as in the
labels, each with definition, examples and the key by which WordNet knows it. WordNet's
lexicographers put every sense into one of 45 files, such as "verb.change", which the key
names: that is the label of a sense here, and they are the one annotator.

Three senses have no key of their own in the file. It stands among their synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._text import read_rows, report
from annobench_datasets.masc_crowd import (
    _CITATION,
    _HOME,
    _SENSE_COLUMNS,
    _SOURCE,
    SENSES,
    WORDS,
)
from annobench_datasets.wordnet import LEX_FILES, parse_key

__all__ = ["DATASETS"]

_KEY_OF_SYNONYM = re.compile(r"\(([^()\s]+%[1-5]:[^()\s]*)\)")
#: Number of senses in each of the lexicographers' files that occur.
_FILES = {
    "adj.all": 65,
    "noun.Tops": 2,
    "noun.act": 8,
    "noun.artifact": 26,
    "noun.attribute": 17,
    "noun.cognition": 14,
    "noun.communication": 21,
    "noun.event": 2,
    "noun.food": 2,
    "noun.group": 17,
    "noun.location": 3,
    "noun.motive": 1,
    "noun.object": 3,
    "noun.person": 6,
    "noun.phenomenon": 2,
    "noun.possession": 4,
    "noun.quantity": 2,
    "noun.relation": 1,
    "noun.state": 8,
    "noun.substance": 3,
    "noun.time": 16,
    "verb.body": 1,
    "verb.change": 15,
    "verb.cognition": 26,
    "verb.communication": 35,
    "verb.competition": 8,
    "verb.consumption": 6,
    "verb.contact": 12,
    "verb.creation": 4,
    "verb.emotion": 2,
    "verb.motion": 4,
    "verb.perception": 12,
    "verb.possession": 11,
    "verb.social": 16,
    "verb.stative": 23,
}
_PARTS = {"n": "noun", "v": "verb", "j": "adj"}


def _parse(files: Mapping[str, Path]) -> DataTables:
    path = files[SENSES.path]
    rows = read_rows(path, _SENSE_COLUMNS)
    report(
        path,
        (
            (n, "this sense stands above")
            for n in rows.index[rows.duplicated(["WordPos", "SenseId"])]
        ),
    )
    keys, faults = {}, []
    for line, row in rows.iterrows():
        keys[line] = _key(row)
        try:
            parse_key(keys[line])
        except ReaderError as error:
            faults.append((line, str(error)))
    report(path, faults)
    return _layout(
        rows["WordPos"],
        rows["SenseId"],
        pd.Series(keys, dtype="str"),
        rows["Definition"],
        rows["Examples"],
        rows["WordNetSynonyms"],
    )


def _key(row: pd.Series[str]) -> str:
    """Return the key of a sense: its own, or that of its word among the synonyms."""
    if row["WordNetId"]:
        return row["WordNetId"]
    lemma = row["WordPos"].rpartition("-")[0]
    found = _KEY_OF_SYNONYM.findall(row["WordNetSynonyms"])
    return next((key for key in found if key.startswith(f"{lemma}%")), "")


def _layout(
    word: pd.Series[str],
    sense: pd.Series[str],
    key: pd.Series[str],
    definition: pd.Series[str],
    examples: pd.Series[str],
    synonyms: pd.Series[str],
) -> DataTables:
    """Lay out the two tables."""
    name = (word + "/" + sense).reset_index(drop=True)
    columns = {
        "word": word,
        "sense": sense,
        "sense_key": key,
        "definition": definition,
        "examples": examples,
        "synonyms": synonyms,
    }
    items = pd.DataFrame(
        {"item": name, "gold": pd.Series(None, index=name.index, dtype="str")}
        | {title: column.reset_index(drop=True).astype("str") for title, column in columns.items()}
    )
    labels = pd.DataFrame({"item": name})
    labels["annotator"] = pd.Series("WordNet", index=name.index, dtype="str")
    labels["label"] = items["sense_key"].map(lambda text: parse_key(text).lex_file).astype("str")
    return DataTables(labels, items)


def _simulate(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Assign the lexicographers' files to senses of their part of speech; texts stay empty."""
    names = [
        (word, str(number))
        for word, known in WORDS.items()
        for number in range(1, len(known.counts) + (word == "number-n"))
    ]
    pools = {
        part: rng.permutation(
            [file for file, n in _FILES.items() if file.startswith(part) for _ in range(n)]
        ).tolist()
        for part in _PARTS.values()
    }
    digit = {"n": 1, "v": 2, "j": 3}
    keys = []
    for number, (word, _) in enumerate(names):
        lemma, _, pos = word.rpartition("-")
        file = LEX_FILES.index(pools[_PARTS[pos]].pop())
        keys.append(f"{lemma}%{digit[pos]}:{file:02d}:{number % 100:02d}::")
    blank = pd.Series([""] * len(names), dtype="str")
    words, senses = (pd.Series(column, dtype="str") for column in zip(*names, strict=True))
    return _layout(words, senses, pd.Series(keys, dtype="str"), blank, blank, blank)


DATASETS = (
    DataSet(
        id="masc_crowd_senses",
        title="The senses of the 45 words of masc_crowd, with WordNet's keys",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(SENSES,),
        scale="nominal",
        categories=LEX_FILES,
        parse=_parse,
        simulate=_simulate,
        calibration=(
            "senses of each word, exactly (the release)",
            "senses in each of the lexicographers' files, exactly (the release)",
            "not kept: which senses of a word are in one file; definitions",
        ),
        targets={
            "n_items": 398,
            "n_annotators": 1,
            "n_labels": 398,
            **{f"label:{file}": n / 398 for file, n in _FILES.items()},
        },
    ),
)
