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

from .senses import RELATIONS
from .words import LEVEL, MEASURES, Word, refitted

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
    return x.mean(), *np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])


def summary(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Average over the words that a way of merging changes, beside random merges."""
    result = []
    for way, title in WAYS.items():
        own = rows[(rows["way"] == way) & (rows["groups"] < rows["senses"])]
        for name in MEASURES:
            quantities = {
                "before": own[f"{name}_before"],
                "after": own[name],
                "change": own[name] - own[f"{name}_before"],
                "random change": own[f"random_{name}"] - own[f"{name}_before"],
                "beyond random": own[name] - own[f"random_{name}"],
            }
            for quantity, values in quantities.items():
                mean, lower, upper = mean_with_interval(values, rng)
                result.append(
                    (
                        title,
                        name,
                        quantity,
                        len(own),
                        own["senses"].mean(),
                        own["groups"].mean(),
                        mean,
                        lower,
                        upper,
                        LEVEL,
                    )
                )
    return pd.DataFrame(
        result,
        columns=[
            "way",
            "measure",
            "quantity",
            "words",
            "senses",
            "groups",
            "mean",
            "lower",
            "upper",
            "level",
        ],
    )


def curves(found: list[Word], rng: np.random.Generator) -> pd.DataFrame:
    """Average the paths over words, at equal shares of the merges that are possible."""
    grid, rows = np.linspace(0, 1, 11), []
    for name, kind in itertools.product(MEASURES, ("", "random_")):
        curves = pd.DataFrame(
            [np.interp(grid, word.path["share"], word.path[kind + name]) for word in found]
        )
        for place, share in enumerate(grid):
            mean, lower, upper = mean_with_interval(curves[place], rng)
            rows.append((name, "random" if kind else "by labels", share, mean, lower, upper))
    return pd.DataFrame(rows, columns=["measure", "merges", "share", "mean", "lower", "upper"])


def verdicts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of all pairs, by part of speech."""
    part = pairs["word"].str.rpartition("-")[2].map({"n": "nouns", "v": "verbs", "j": "adjectives"})
    table = pd.crosstab(part.rename("words"), pairs["verdict"], margins=True, margins_name="all")
    names = ["merge", "inconclusive", "keep", "sparse"]
    return table.reindex(columns=[*names, "all"], fill_value=0).reset_index()


def ordering(pairs: pd.DataFrame, tie: str) -> tuple[float, int]:
    """Return how often a related pair needs more labels than an unrelated one of its word."""
    wins, n = 0.0, 0
    for _, rows in pairs.groupby("word"):
        related, others = (rows.loc[rows[tie] == value, "labels_needed"] for value in (1, 0))
        if len(related) and len(others):
            count = len(related) * len(others)
            wins += float(stats.mannwhitneyu(related, others).statistic)
            n += count
    return (wins / n if n else math.nan), n


def relations(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Compare pairs of senses that a relation joins with the others, resampling words."""
    usable = pairs[pairs["verdict"] != "sparse"]
    names = usable["word"].unique()
    of_word = dict(list(usable.groupby("word")))
    rows = []
    for tie, title in RELATIONS.items():
        known = usable[usable[tie].notna()]
        row: dict[str, Any] = {"relation": title}
        for value, who in ((1, "related"), (0, "unrelated")):
            verdicts = known.loc[known[tie] == value, "verdict"]
            row[f"{who}_pairs"] = len(verdicts)
            for verdict in ("merge", "keep"):
                row[f"{who}_{verdict}"] = (verdicts == verdict).mean()
            row[f"{who}_lower"], row[f"{who}_upper"] = share_interval(known, tie, value, rng)
        row["ordering"], _ = ordering(known, tie)
        parts = {name: ordering(of_word[name], tie) for name in names}
        wins = np.array([[share * n if n else 0.0, n] for share, n in parts.values()])
        drawn = rng.integers(0, len(wins), (WORD_REPLICATES, len(wins)))
        sums = wins[drawn].sum(axis=1)
        with np.errstate(invalid="ignore"):
            ends = (
                np.nanquantile(sums[:, 0] / sums[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
                if wins[:, 1].any()
                else (math.nan, math.nan)
            )
        rows.append(row | {"ordering_lower": ends[0], "ordering_upper": ends[1]})
    return pd.DataFrame(rows)


def share_interval(
    pairs: pd.DataFrame, tie: str, value: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the interval of the share to merge, words resampled."""
    own = pairs[pairs[tie] == value]
    counts = own.groupby("word")["verdict"].agg([lambda v: (v == "merge").sum(), "size"])
    if counts.empty:
        return math.nan, math.nan
    table = counts.to_numpy(float)
    sums = table[rng.integers(0, len(table), (WORD_REPLICATES, len(table)))].sum(axis=1)
    return tuple(np.quantile(sums[:, 0] / sums[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))


def described(pairs: pd.DataFrame, senses: pd.DataFrame) -> pd.DataFrame:
    """Add the definitions of both senses."""
    text = senses.set_index(["word", "sense"])["definition"].str.slice(0, 80)
    table = pairs.copy()
    for which in ("first", "second"):
        table[f"definition_{which}"] = [
            text[key] for key in zip(table["word"], table[which], strict=True)
        ]
    return table
