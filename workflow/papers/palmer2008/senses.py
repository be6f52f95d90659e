"""How two senses of a word are related, by WordNet and by the crowd's own inventory."""

import itertools
import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from annobench_datasets.wordnet import Synset, WordNet, parse_key

#: Relations that make two senses close; the lexicographer's file alone does not.
CLOSE = ("synonyms", "hypernym", "sisters", "group", "similar")
RELATIONS = {
    "same file": "same lexicographer's file",
    "synonyms": "share a synonym",
    "hypernym": "one above the other",
    "sisters": "share a hypernym",
    "group": "one verb group",
    "similar": "similar adjectives",
    "close": "any of the other relations",
}
SYNONYM = re.compile(r"(?:^|, )([^,#]+)#\d+ \(")


def synonyms(text: str) -> set[str]:
    """Read the words of a synset from the inventory's list."""
    return {name.strip().lower() for name in SYNONYM.findall(text)}


def relations(
    first: Any, second: Any, wordnet: WordNet | None, known: Mapping[str, Synset | None]
) -> dict[str, float]:
    """Say how two senses are related, NaN where only WordNet could tell."""
    keys = first.sense_key, second.sense_key
    files = {parse_key(key).lex_file for key in keys}
    found: dict[str, float] = dict.fromkeys(RELATIONS, math.nan)
    both = [known.get(key) for key in keys]
    if wordnet is not None and all(both):
        found |= {name: float(holds) for name, holds in wordnet.relations(*both).items()}
    found["same file"] = float(len(files) == 1)
    # The word in question is in both lists.
    found["synonyms"] = float(len(synonyms(first.synonyms) & synonyms(second.synonyms)) > 1)
    found["close"] = float(any(found[name] == 1 for name in CLOSE))
    return found


def related_pairs(senses: pd.DataFrame, wordnet: WordNet | None) -> dict[Any, dict[str, float]]:
    """Relate all pairs of senses of a word."""
    known = {key: wordnet.by_key(key) if wordnet else None for key in senses["sense_key"]}
    rows = list(senses.itertuples())
    return {
        (a.sense, b.sense): relations(a, b, wordnet, known)
        for a, b in itertools.combinations(rows, 2)
    }
