"""Searches for what is printed: other labels and numbers of senses, other rows."""

import functools
from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

import numpy as np
import pandas as pd

from annobench.labels.annotations import Annotations
from annobench_replication.ledger import Computed
from annobench_replication.searches import Search, chance, search_rows, single_values

from .corpus import Corpus

MEASURES = ("alpha", "agreement")


def search_samples(
    corpus: Corpus, printed: pd.DataFrame, rng: np.random.Generator
) -> list[Computed]:
    """Return the nearest reading of each public word, and how often such a search finds anything.

    `printed` has the texts of Figure 3, whose places count.
    """
    searches = {
        row.word.split("-")[0]: Search(
            (row.alpha, row.agreement), readings(corpus.samples[row.word], corpus.full[row.word])
        )
        for row in printed.itertuples()
        if row.word in corpus.samples and row.word in corpus.full
    }
    if not searches:
        return []
    by_chance = chance([*searches.values()], rng)
    return [
        row
        for word, search in searches.items()
        for row in search_rows([f"figure3.{word}.{of}" for of in MEASURES], search, by_chance)
    ]


def search_senses(
    available: pd.DataFrame, printed: pd.DataFrame, rng: np.random.Generator
) -> list[Computed]:
    """Return the nearest reading of each word's senses available, of those in `available`."""
    target = "figure3." + printed["word"].str.split("-").str[0] + ".senses"
    readings = available.set_index("word").drop(columns=["printed", "printed_used"])
    return single_values(
        dict(zip(target, printed["senses"], strict=True)),
        dict(zip(target, readings.loc[printed["word"]].to_numpy(float), strict=True)),
        rng,
    )


def search_accuracies(
    accuracy: Mapping[str, float], printed: Mapping[str, str], rng: np.random.Generator
) -> list[Computed]:
    """Return which two of the accuracies of add are nearest to the two that are printed last."""
    targets = ("accuracy.add.6", "accuracy.add.7")
    pairs = np.array([*permutations(accuracy.values(), 2)])
    search = Search(tuple(printed[target] for target in targets), pairs)
    return search_rows(targets, search, chance([search], rng))


@functools.lru_cache(maxsize=64)
def readings(sample: Annotations, full: Annotations) -> np.ndarray:
    """Return alpha and agreement of every set of annotators by every treatment, shape (R, 2).

    The items are those of the released sample, or of the full set, that all of the set labelled;
    answers that are no sense are categories of their own, one category, or left out.
    """
    found = [
        complete_agreement(codes[:, annotators][(codes[:, annotators] >= 0).all(axis=1)])
        for labels in (sample, full)
        for codes in treatments(labels)
        for annotators in sets_of(labels.n_annotators)
    ]
    return np.array(found)


def treatments(labels: Annotations) -> Iterator[np.ndarray]:
    """Yield the labels by item and annotator as codes, -1 for none, by each treatment."""
    is_sense = np.array([name.isdigit() for name in labels.categories])
    own = np.arange(labels.n_categories)
    no_sense = own[~is_sense].min(initial=labels.n_categories)
    for code in (own, np.where(is_sense, own, no_sense), np.where(is_sense, own, -1)):
        table = np.full((labels.n_items, labels.n_annotators), -1)
        table[labels.item, labels.annotator] = code[labels.label]
        yield table


def sets_of(n: int) -> Iterator[list[int]]:
    """Yield every set of two or more of n."""
    for size in range(2, n + 1):
        yield from map(list, combinations(range(n), size))


def complete_agreement(codes: np.ndarray) -> tuple[float, float]:
    """Return nominal alpha and pairwise agreement where all annotators labelled all items."""
    n_items, n = codes.shape
    if not n_items:
        return np.nan, np.nan
    counts = (codes[:, :, None] == np.unique(codes)).sum(axis=1)
    agreement = (counts * (counts - 1)).sum() / (n_items * n * (n - 1))
    totals, n_labels = counts.sum(axis=0), n_items * n
    expected = (totals * (totals - 1)).sum() / (n_labels * (n_labels - 1))
    alpha = np.nan if expected == 1 else (agreement - expected) / (1 - expected)
    return alpha, agreement
