"""The tables: each word, means over words, pairs of senses."""

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annobench.labels import merging
from annobench.labels.annotations import Annotations
from annobench.resampling import ratio

from .senses import RELATIONS
from .words import LEVEL, MEASURES, Word, limits, refitted

#: Replicates of the words.
WORD_REPLICATES = 2000
WAYS = {
    "labels": "supported by the labels",
    "held out": "same, on held-out items",
    "file": "lexicographer's file",
    "close": "WordNet relations",
}


def words(found: list[Word], labels: Mapping[str, Annotations]) -> pd.DataFrame:
    """Lay out each word before and after the merges that its labels support."""
    rows = [
        word.rows[0] | {"merges": groups_text(word)} | refitted(labels[word.name], word)
        for word in found
    ]
    return pd.DataFrame(rows).drop(columns="way")


def groups_text(word: Word) -> str:
    """Write the merged groups, such as "1+3 2+4"."""
    parents = merging.parents(word.partitions["labels"], word.evidence.categories)
    return " ".join(dict.fromkeys(name for name in parents.values() if "+" in name))


def mean_with_interval(values: pd.Series, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return a mean over words with its interval from resampled words."""
    x = values.dropna().to_numpy(float)
    if not x.size:
        return math.nan, math.nan, math.nan
    means = x[rng.integers(0, x.size, (WORD_REPLICATES, x.size))].mean(axis=1)
    return x.mean(), *limits(means)


def summary(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Average over the words that a way of merging changes, beside random merges."""
    result = []
    for (way, title), name in itertools.product(WAYS.items(), MEASURES):
        own = rows[(rows["way"] == way) & (rows["groups"] < rows["senses"])]
        before, after, random = own[f"{name}_before"], own[name], own[f"random_{name}"]
        quantities = {
            "before": before,
            "after": after,
            "change": after - before,
            "random change": random - before,
            "beyond random": after - random,
        }
        sizes = len(own), own["senses"].mean(), own["groups"].mean()
        for quantity, values in quantities.items():
            found = mean_with_interval(values, rng)
            result.append((title, name, quantity, *sizes, *found, LEVEL))
    columns = ["way", "measure", "quantity", "words", "senses", "groups"]
    return pd.DataFrame(result, columns=[*columns, "mean", "lower", "upper", "level"])


def curves(found: list[Word], rng: np.random.Generator) -> pd.DataFrame:
    """Average the paths over words, at equal shares of the merges that are possible."""
    grid, rows = np.linspace(0, 1, 11), []
    for name, kind in itertools.product(MEASURES, ("", "random_")):
        paths = [np.interp(grid, word.path["share"], word.path[kind + name]) for word in found]
        for share, values in zip(grid, np.transpose(paths), strict=True):
            mean = mean_with_interval(pd.Series(values), rng)
            rows.append((name, "random" if kind else "by labels", share, *mean))
    return pd.DataFrame(rows, columns=["measure", "merges", "share", "mean", "lower", "upper"])


def verdicts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of all pairs, by part of speech."""
    part = pairs["word"].str.rpartition("-")[2].map({"n": "nouns", "v": "verbs", "j": "adjectives"})
    table = pd.crosstab(part.rename("words"), pairs["verdict"], margins=True, margins_name="all")
    names = ["merge", "inconclusive", "keep", "sparse"]
    return table.reindex(columns=[*names, "all"], fill_value=0).reset_index()


def ordering(pairs: pd.DataFrame, tie: str) -> np.ndarray:
    """Count, by word, how often a related pair needs more labels than another, and of how many."""
    counts = []
    for _, rows in pairs.groupby("word", sort=False):
        related, others = (rows.loc[rows[tie] == value, "labels_needed"] for value in (1, 0))
        n = len(related) * len(others)
        counts.append((stats.mannwhitneyu(related, others).statistic if n else 0.0, n))
    return np.array(counts, float)


def relations(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Compare pairs of senses that a relation joins with the others, resampling words."""
    usable = pairs[pairs["verdict"] != "sparse"]
    rows = []
    for tie, title in RELATIONS.items():
        row: dict[str, Any] = {"relation": title}
        for value, who in ((1, "related"), (0, "unrelated")):
            own = usable[usable[tie] == value]
            row[f"{who}_pairs"] = len(own)
            for verdict in ("merge", "keep"):
                row[f"{who}_{verdict}"] = (own["verdict"] == verdict).mean()
            merged = (own["verdict"] == "merge").groupby(own["word"]).agg(["sum", "size"])
            row[f"{who}_lower"], row[f"{who}_upper"] = ratio_limits(merged.to_numpy(float), rng)
        counts = ordering(usable, tie)
        row["ordering"] = float(ratio(*counts.sum(axis=0)))
        row["ordering_lower"], row["ordering_upper"] = ratio_limits(counts, rng)
        rows.append(row)
    return pd.DataFrame(rows)


def ratio_limits(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the interval of a ratio of sums over words, shape (words, 2), words resampled."""
    if not len(counts):
        return np.full(2, np.nan)
    sums = counts[rng.integers(0, len(counts), (WORD_REPLICATES, len(counts)))].sum(axis=1)
    return limits(ratio(*sums.T))


def described(pairs: pd.DataFrame, senses: pd.DataFrame) -> pd.DataFrame:
    """Add the definitions of both senses."""
    text = senses.set_index(["word", "sense"])["definition"].str.slice(0, 80)
    table = pairs.copy()
    for which in ("first", "second"):
        keys = zip(table["word"], table[which], strict=True)
        table[f"definition_{which}"] = [text[key] for key in keys]
    return table
