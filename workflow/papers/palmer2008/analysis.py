"""Test the claim of Palmer and Brown (2008) on the senses that a crowd gave to 45 words.

The abstract of the talk prints no number. Its claim is that closely related senses can be merged
into a more general one with little loss. Here the 398 senses of the crowd's 45 words are merged in
three ways: as far as the labels support it (more labels than an item has would be needed to
distinguish two senses); by lexicographer's file and by relations in WordNet; and at random, with
groups of the same sizes. The answer "none of the above" is a category of its own throughout.
WordNet's files are an optional source: without them there are the lexicographer's file, which the
sense keys name, and synonyms, which the crowd's inventory lists.
"""

import numpy as np
import pandas as pd

from annobench_datasets.masc_crowd import by_word
from annobench_datasets.wordnet import read_wordnet
from annobench_replication.analysis import Effort
from annobench_replication.results import Results
from annobench_replication.study import Study

from . import figures, tables, words

REPETITIONS = {"full": words.Repetitions(60, 12, 200), "quick": words.Repetitions(12, 3, 40)}
SOURCE = "WordNet 3.0 for relations."
NO_WORDNET = (
    "WordNet's files were not available in this run: relations are those that the inventory itself "
    "tells, lexicographer's file and synonyms."
)


def analyse(study: Study, results: Results, rng: np.random.Generator, effort: Effort) -> None:
    """Merge the senses of each word in every way, and measure what is gained and lost."""
    folder = study.resource("wordnet")
    wordnet = None if folder is None else read_wordnet(folder)
    labels, senses = by_word(study.data("masc_crowd")), study.data("masc_crowd_senses").items
    of_word = dict(list(senses.groupby("word")))
    found = [
        words.study_word(name, labels[name], of_word[name], wordnet, REPETITIONS[effort], rng)
        for name in labels
    ]

    pairs = pd.concat([word.pairs for word in found], ignore_index=True)
    rows = pd.DataFrame([row for word in found for row in word.rows])
    merge = pairs[pairs["verdict"] == "merge"].sort_values("labels_needed", ascending=False)
    keep = pairs[(pairs["verdict"] == "keep") & (pairs["close"] == 1)].sort_values("labels_needed")
    of = study.datasets
    by_word_table = results.table("words", tables.words, found, labels, of=of)
    summary = results.table("summary", tables.summary, rows, rng, of=of)
    curves = results.table("curves", tables.curves, found, rng, of=of)
    results.table("verdicts", tables.verdicts, pairs, of=of)
    relations = results.table("relations", tables.relations, pairs, rng, of=of)
    results.table("merge", tables.described, merge, senses, of=of)
    results.table("keep", tables.described, keep, senses, of=of)
    results.table("pairs", pairs, of=of)

    source = {"source": SOURCE if wordnet else NO_WORDNET}
    results.figure("words", figures.words, by_word_table, of=of)
    results.figure("tradeoff", figures.tradeoff, curves, of=of)
    results.figure("gains", figures.gains, summary, of=of, caption=source)
    results.figure("relations", figures.relations, relations, of=of, caption=source)
    results.figure("pairs", figures.pairs, found, of=of)
