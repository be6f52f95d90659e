"""Section 5: trained annotators beside the crowd, item by item and by information per label."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from annobench.evaluation import information
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene.uncertainty import bootstrap

from .corpus import FOUR, Corpus, Fits, nominal_agreement, of_several, typical_alpha
from .examples import unit_costs
from .model import authors_fit, is_certain, plurality, trained_prevalence, votes

PAIRS = ("trained_plurality", "trained_model", "plurality_model")
#: By word the crowd's item codes, and the shares of the trained labels (items, senses).
Shared = Mapping[str, tuple[np.ndarray, np.ndarray]]


def shared_items(corpus: Corpus) -> Shared:
    """Find items of both groups by the length of their sentence and the word's place in it."""
    items = corpus.text.items
    key = ["word", "sentence_length", "word_start"]
    one, other = (
        each.dropna(subset=key).drop_duplicates(key, keep=False)[[*key, "item"]]
        for each in (items.assign(sentence_length=items["text"].str.len()), corpus.trained.items)
    )
    result: dict[Any, tuple[np.ndarray, np.ndarray]] = {}
    for word, rows in one.merge(other, on=key, suffixes=("", "_trained")).groupby("word"):
        crowd, full = corpus.words[word], corpus.full[word]
        at = pd.Index(crowd.items).get_indexer(pd.Index(rows["item"]))
        share = votes(full)[pd.Index(full.items).get_indexer(pd.Index(rows["item_trained"]))]
        trained = by_sense(share, full.categories, crowd.categories)
        if agree_beyond_chance(trained, votes(crowd)[at]):
            result[word] = at, trained
    return result


def agree_beyond_chance(first: np.ndarray, second: np.ndarray) -> bool:
    """Say whether two sets of shares of the same items agree, as they must if rightly joined."""
    chance = first.mean(axis=0) @ second.mean(axis=0)
    return bool((first * second).sum(axis=1).mean() > chance)


def by_sense(share: np.ndarray, have: tuple[str, ...], want: tuple[str, ...]) -> np.ndarray:
    """Put shares of trained labels into the crowd's categories; what isn't there is 0."""
    columns = pd.DataFrame(share.T, index=[name if name in want else "0" for name in have])
    return columns.groupby(level=0).sum().reindex(want, fill_value=0.0).to_numpy().T


def drawn_trained(corpus: Corpus, fits: Fits, rng: Generator) -> Shared:
    """Draw a trained label for the crowd's items, by word.

    An annotator knows the model's sense as often as gives the public alpha, or guesses by the
    shares of trained labels (the model's where these are not public).
    """
    typical, result = typical_alpha(corpus), {}
    for word, fit in fits.items():
        full, sample = corpus.full.get(word), corpus.samples.get(word)
        n = len(fit.items) if full is None else min(len(fit.items), full.n_items)
        alpha = typical if sample is None else nominal_agreement(sample)["alpha"].estimate
        share = fit.prevalence if full is None else trained_prevalence(full, fit.categories)
        share = np.clip(share, 0, None)
        guessed = rng.choice(len(share), size=n, p=share / share.sum())
        knows = rng.random(n) < math.sqrt(max(alpha, 0))
        label = np.where(knows, fit.posterior[:n].argmax(axis=1), guessed)
        result[word] = np.arange(n), np.eye(len(share))[label]
    return result


def same_label_table(corpus: Corpus, fits: Fits, drawn: Shared, joined: Shared) -> pd.DataFrame:
    """Compute Figure 7: how often trained label, plurality and model are the same."""
    rows = []
    for word, (item, trained) in {**drawn, **joined}.items():
        share = votes(corpus.words[word])[item]
        by_vote, best = plurality(share), plurality(trained)
        model = np.eye(share.shape[1])[fits[word].posterior[item].argmax(axis=1)]
        pairs = (best * by_vote, best * model, by_vote * model)
        same = (pair.sum(axis=1).mean() for pair in pairs)
        rows.append((word, len(item), "real" if word in joined else "simulated", *same))
    table = pd.DataFrame(rows, columns=["word", "items", "trained_labels", *PAIRS])
    table["mean"] = table[[*PAIRS]].mean(axis=1)
    return table.sort_values("mean", ascending=False, ignore_index=True)


def same_label_facts(
    corpus: Corpus, table: pd.DataFrame, drawn: Shared, number: pd.Series
) -> dict[str, float]:
    """Compute for the simulated labels what section 5 says of the trained ones of all words."""
    mean, n_high = 100 * table["mean"], int(number["figure7_n_high"])
    enough = int((mean >= 100 * number["figure7_high_lower"]).sum())
    values = {"figure7.n_high": enough, "figure7.n_low": len(table) - enough}
    for name, part in (("high", mean[:n_high]), ("low", mean[n_high:])):
        values |= {f"figure7.{name}.lower": part.min(), f"figure7.{name}.upper": part.max()}
    for name, word in (("meet", "meet-v"), ("date", "date-n")):
        item, trained = drawn[word]
        here, there = (int(number[f"{name}_{who}_sense"]) - 1 for who in ("trained", "crowd"))
        both = trained[:, here] * plurality(votes(corpus.words[word])[item])[:, there]
        values[f"{name}.share"] = 100 * both.mean()
    return {**values, "common.board": len(drawn["board-n"][0])}


def of_equal_size(labels: Annotations, like: Annotations, rng: Generator) -> Annotations:
    """Draw as many items and annotators as another sample has, each item labelled by all."""
    able = np.flatnonzero(np.bincount(labels.annotator) >= labels.n_items / 2)
    chosen = rng.choice(able, size=min(like.n_annotators, able.size), replace=False)
    of_chosen = labels.item[np.isin(labels.annotator, chosen)]
    common = np.flatnonzero(np.bincount(of_chosen) >= chosen.size)
    items = rng.choice(common, size=min(like.n_items, common.size), replace=False)
    return labels.select(annotators=chosen, labels=np.isin(labels.item, items))


def information_table(corpus: Corpus, fits: Fits, replicates: int, rng: Generator) -> pd.DataFrame:
    """Return the mutual information of each annotator's label, with intervals over items."""
    groups = [(w, "crowd", corpus.words[w], fits[w]) for w in (*FOUR.values(), *corpus.full)]
    # A fit to few items makes labels look more informative than they are.
    few = {w: of_equal_size(corpus.words[w], a, rng) for w, a in corpus.samples.items()}
    trained = corpus.samples | {w: of_several(a) for w, a in corpus.trained_four.items()}
    for who, samples in (("crowd, as few", few), ("trained", trained)):
        groups += [(word, who, a, dawid_skene.fit(a)) for word, a in samples.items()]
    parts = []
    for word, who, labels, fit in groups:
        # The authors' program may stop short of the optimum that replicates arrive at.
        near = dawid_skene.fit(labels, start=fit.parameters)
        drawn = bootstrap(labels, near, rng=rng, replicates=replicates)
        bits = information.mutual_information(drawn.prevalence, drawn.confusion)
        ends = information.with_interval(bits)
        part = {
            "word": word,
            "annotators": who,
            "annotator": fit.annotators,
            "labels": np.bincount(labels.annotator, minlength=labels.n_annotators),
            "bits": information.mutual_information(fit.prevalence, fit.confusion),
            "lower": ends.lower,
            "upper": ends.upper,
            "entropy": information.entropy(fit.prevalence),
        }
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def cost_table(number: pd.Series, table: pd.DataFrame) -> pd.DataFrame:
    """Return dollars per item, label and bit, by the printed totals and the public words."""
    bits = table[table["word"].isin(table[table["annotators"] == "trained"]["word"])]
    costs = bits.groupby("annotators")[["bits", "lower", "upper"]].median().reset_index()
    who = costs["annotators"].str.partition(",")[0]
    costs["dollars_an_item"] = who.map(unit_costs(number))
    costs["dollars_a_label"] = costs["dollars_an_item"] / who.map({"trained": 1, "crowd": 25})
    costs["median_bits_a_label"] = costs["bits"]
    # Many bits cost little each: the upper end of the bits is the lower end of the costs.
    for column, ends in (("", "bits"), ("_lower", "upper"), ("_upper", "lower")):
        costs[f"dollars_a_bit{column}"] = costs["dollars_a_label"] / costs[ends]
    return costs.drop(columns=["bits", "lower", "upper"])


def growth_table(corpus: Corpus, fits: Fits, number: pd.Series, rng: Generator) -> pd.DataFrame:
    """Return what fewer labels of an item would have given, and what they cost."""
    price = unit_costs(number)["crowd"] / 25
    rows = []
    for word in FOUR.values():
        labels, fit = corpus.words[word], fits[word]
        share = np.bincount(labels.annotator) / labels.n_labels
        chosen = rng.choice(labels.n_annotators, size=25, p=share)
        confusion = fit.confusion[chosen]
        curve = information.information_curve(fit.prevalence, confusion, rng=rng, draws=1000)
        # A single label of each item leaves nothing to compare, and no posterior to be certain of.
        for n in (2, 3, 5, 10, 15, 20, 25):
            posterior = authors_fit(labels.subsample(n, rng)).posterior
            same = posterior.argmax(axis=1) == fit.posterior.argmax(axis=1)
            found = (is_certain(posterior).mean(), same.mean())
            rows.append((word, n, n * price, curve.entropy[n], *found))
    columns = "word labels dollars_an_item bits_left_by_the_model certain same_class_as_all_labels"
    return pd.DataFrame(rows, columns=columns.split())
