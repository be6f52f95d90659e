"""Test the claim of Palmer and Brown (2008) on the senses that a crowd gave to 45 words.

=====================  ==============================================================
`study_word`           one word: fit, pairs of senses, merges, random merges
`held_out`             merges chosen on half of the items, measured on the other
`words_table`          each word before and after the merges that its labels ask for
`summary_table`        means over words of each way of merging
`curves_table`         means over words as the inventories coarsen
`relations_table`      are senses that WordNet relates told apart less?
=====================  ==============================================================

The abstract of the talk prints no number. Its claim is that closely related senses can be merged
into a more general one with little loss. Here the 398 senses of the crowd's 45 words are merged in
three ways: as far as the labels ask for it (more labels than an item has would be needed to
tell two senses apart); by lexicographer's file and by relations in WordNet; and at random, with
groups of the same sizes. The answer "none of the above" is a category of its own throughout.
WordNet's files are an optional source: without them there are the lexicographer's file, which the
sense keys name, and synonyms, which the crowd's inventory lists.
"""

import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from annobench import agreement, datasets, plotting
from annobench.core.files import recording, replacing
from annobench.datasets.masc_crowd import by_word
from annobench.io.wordnet import Synset, WordNet, has_wordnet, parse_key, read_wordnet
from annobench.labels import merging
from annobench.labels.annotations import Annotations
from annobench.labels.hierarchy import collapse
from annobench.labels.merging import Evidence
from annobench.models import dawid_skene
from annobench.replication.compare import write_computed

NONE_OF_THEM = "0"
LEVEL = 0.95
MEASURES = ("alpha", "certain", "bits", "entropy", "told")
#: Replicates of the words.
WORD_REPLICATES = 2000
#: Relations that make two senses close; the lexicographer's file alone does not.
CLOSE = ("synonyms", "hypernym", "sisters", "group", "similar")
RELATIONS = {
    "same file": "same lexicographer's file", "synonyms": "share a synonym",
    "hypernym": "one above the other", "sisters": "share a hypernym",
    "group": "one verb group", "similar": "similar adjectives", "close": "any of the last five",
}  # fmt: skip
WAYS = {"labels": "as the labels ask", "held out": "same, on held-out items",
        "file": "lexicographer's file", "close": "WordNet relations"}  # fmt: skip
SHOWN = ("help-v", "ask-v", "date-n", "particular-j")
SYNONYM = re.compile(r"(?:^|, )([^,#]+)#\d+ \(")


@dataclass(frozen=True)
class Effort:
    """How much is drawn: random partitions for a comparison and a step of a curve, items anew."""

    n_random: int
    n_step: int
    replicates: int


EFFORTS = {"full": Effort(60, 12, 200), "quick": Effort(12, 3, 40)}


@dataclass(frozen=True)
class Word:
    """What is found of one word.

    Attributes
    ----------
    name : str
        Such as "add-v".
    evidence : Evidence
        Its labels, with the posterior of the model.
    n_labels : float
        Median labels of an item.
    pairs : DataFrame
        Pairs of senses with verdict and relations.
    partitions : dict
        The ways of merging, by name.
    rows : list of dict
        Measures of each way beside random ones.
    path : DataFrame
        Measures along the path of merges, beside random ones.
    """

    name: str
    evidence: Evidence
    n_labels: float
    pairs: pd.DataFrame
    partitions: dict[str, np.ndarray]
    rows: list[dict[str, Any]]
    path: pd.DataFrame


# ----------------------------------------------------------------------------- relations


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


def related_pairs(
    senses: pd.DataFrame, wordnet: WordNet | None
) -> dict[tuple[str, str], dict[str, float]]:
    """Relate all pairs of senses of a word."""
    known = {key: wordnet.by_key(key) if wordnet else None for key in senses["sense_key"]}
    rows = list(senses.itertuples())
    return {(a.sense, b.sense): relations(a, b, wordnet, known)
            for a, b in itertools.combinations(rows, 2)}  # fmt: skip


# -------------------------------------------------------------------------------- a word


def evidence_of(labels: Annotations) -> Evidence:
    """Fit the model of Dawid and Skene, and count the labels by its posterior."""
    fit = dawid_skene.fit(labels, tolerance=1e-6)
    return Evidence.of(labels, fit.posterior, apart=(NONE_OF_THEM,))


def measured(evidence: Evidence, partition: np.ndarray) -> dict[str, np.ndarray]:
    """Measure partitions: also the share of what there is to know that one label tells."""
    found = evidence.measures(partition)
    with np.errstate(invalid="ignore", divide="ignore"):
        return found | {"told": np.divide(found["bits"], found["entropy"])}


def beside_random(
    evidence: Evidence, partition: np.ndarray, free: np.ndarray, n: int, rng: np.random.Generator
) -> dict[str, float]:
    """Measure a partition, and random ones with groups of the same sizes among free senses."""
    own = measured(evidence, partition)
    random = measured(evidence, merging.shuffled(partition, free, n, rng))
    row: dict[str, float] = {}
    for name in MEASURES:
        lower, upper = np.nanquantile(random[name], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        row |= {name: float(own[name]), f"random_{name}": float(random[name].mean()),
                f"random_{name}_lower": lower, f"random_{name}_upper": upper}  # fmt: skip
    # The observed one counts among the random ones, so that no p-value is 0.
    row["p_alpha"] = (1 + (random["alpha"] >= own["alpha"] - 1e-12).sum()) / (n + 1)
    return row


def with_gain(
    evidence: Evidence, partition: np.ndarray, replicates: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return alpha before and after merging and its gain, with intervals over items."""
    weights = evidence.resampled(replicates, rng)
    whole = np.arange(len(partition))
    before, after = (evidence.alpha(codes, weights) for codes in (whole, partition))
    row = {}
    for name, values in (("alpha_before", before), ("alpha", after), ("gain", after - before)):
        row[f"{name}_lower"], row[f"{name}_upper"] = np.nanquantile(
            values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        )
    return row


def path_of(evidence: Evidence, n_random: int, rng: np.random.Generator) -> pd.DataFrame:
    """Measure every step of the merges by labels, and random ones."""
    path = merging.merge_path(evidence)
    own = measured(evidence, path)
    rows = []
    for step, partition in enumerate(path):
        random = measured(evidence, merging.shuffled(partition, evidence.often, n_random, rng))
        rows.append({"share": step / max(1, len(path) - 1)}
                    | {name: own[name][step] for name in MEASURES}
                    | {f"random_{name}": random[name].mean() for name in MEASURES})  # fmt: skip
    return pd.DataFrame(rows)


def halves(labels: Annotations, rng: np.random.Generator) -> list[Annotations]:
    """Split the items at random."""
    first = np.zeros(labels.n_items, dtype=bool)
    first[rng.permutation(labels.n_items)[: labels.n_items // 2]] = True
    return [of_items(labels, keep) for keep in (first, ~first)]


def of_items(labels: Annotations, keep: np.ndarray) -> Annotations:
    """Keep some items; annotators and categories stay."""
    stays, code = keep[labels.item], np.cumsum(keep) - 1
    return Annotations(
        code[labels.item[stays]].astype(np.int32), labels.annotator[stays].copy(),
        labels.label[stays].copy(), tuple(itertools.compress(labels.items, keep)),
        labels.annotators, labels.categories,
    )  # fmt: skip


def held_out(
    labels: Annotations, n_labels: float, effort: Effort, rng: np.random.Generator
) -> dict[str, float]:
    """Choose merges on half of the items, measure them on the other; mean of both ways."""
    parts = [evidence_of(part) for part in halves(labels, rng)]
    rows = []
    for chosen, other in (parts, parts[::-1]):
        partition = merging.asked_partition(
            chosen, n_labels, replicates=effort.replicates // 2, rng=rng
        )
        before = measured(other, np.arange(len(partition)))
        rows.append(
            {f"{name}_before": float(before[name]) for name in MEASURES}
            | beside_random(other, partition, chosen.often, effort.n_random // 2, rng)
            | {"groups": n_groups(chosen, partition)}
        )
    return pd.DataFrame(rows).mean().to_dict()


def n_groups(evidence: Evidence, partition: np.ndarray) -> int:
    """Count the groups of senses."""
    return len(np.unique(partition[evidence.mergeable]))


def study_word(
    name: str, labels: Annotations, senses: pd.DataFrame, wordnet: WordNet | None,
    effort: Effort, rng: np.random.Generator,
) -> Word:  # fmt: skip
    """Find what merging does to one word."""
    evidence = evidence_of(labels)
    n_labels = float(np.median(np.bincount(labels.item)))
    related = related_pairs(senses, wordnet)
    pairs = merging.judge_pairs(evidence, n_labels, replicates=effort.replicates, rng=rng)
    pairs.insert(0, "word", name)
    ties = [related[first, second] for first, second in zip(pairs["first"], pairs["second"],
                                                            strict=True)]  # fmt: skip
    pairs = pairs.join(pd.DataFrame(ties, index=pairs.index, columns=list(RELATIONS)))
    partitions = {
        "labels": merging.asked_partition(
            evidence, n_labels, replicates=effort.replicates, rng=rng
        ),
        **{way: merging.from_pairs(
            evidence.categories,
            pairs.loc[pairs[tie] == 1, ["first", "second"]].itertuples(index=False))
           for way, tie in (("file", "same file"), ("close", "close"))},
    }  # fmt: skip
    whole = measured(evidence, np.arange(len(evidence.categories)))
    before = {f"{what}_before": float(whole[what]) for what in MEASURES}
    # Labels never ask to merge rare senses, so those don't take part in the random merges either.
    free = {way: evidence.often if way == "labels" else evidence.mergeable for way in partitions}
    rows = [
        {"word": name, "way": way, "senses": int(evidence.mergeable.sum()),
         "groups": n_groups(evidence, partition)} | before
        | beside_random(evidence, partition, free[way], effort.n_random, rng)
        | with_gain(evidence, partition, effort.replicates, rng)
        for way, partition in partitions.items()
    ]  # fmt: skip
    rows.append({"word": name, "way": "held out", "senses": int(evidence.mergeable.sum())}
                | held_out(labels, n_labels, effort, rng))  # fmt: skip
    path = path_of(evidence, effort.n_step, rng)
    return Word(name, evidence, n_labels, pairs, partitions, rows, path)


def refitted(labels: Annotations, word: Word) -> dict[str, float]:
    """Collapse the labels along the merges and fit the model anew."""
    parents = merging.parents(word.partitions["labels"], word.evidence.categories)
    coarse = collapse(labels, parents)
    fit = dawid_skene.fit(coarse, tolerance=1e-6)
    return {"refitted_certain": float((fit.posterior.max(axis=1) > merging.CERTAIN).mean()),
            "refitted_alpha": agreement.krippendorff_alpha(coarse).estimate}  # fmt: skip


# -------------------------------------------------------------------------------- tables


def words_table(found: list[Word], labels: Mapping[str, Annotations]) -> pd.DataFrame:
    """Lay out each word before and after the merges that its labels ask for."""
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


def summary_table(rows: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Average over the words that a way of merging changes, beside random merges."""
    result = []
    for way, title in WAYS.items():
        own = rows[(rows["way"] == way) & (rows["groups"] < rows["senses"])]
        for name in MEASURES:
            quantities = {
                "before": own[f"{name}_before"], "after": own[name],
                "change": own[name] - own[f"{name}_before"],
                "random change": own[f"random_{name}"] - own[f"{name}_before"],
                "beyond random": own[name] - own[f"random_{name}"],
            }  # fmt: skip
            for quantity, values in quantities.items():
                mean, lower, upper = mean_with_interval(values, rng)
                result.append((title, name, quantity, len(own), own["senses"].mean(),
                               own["groups"].mean(), mean, lower, upper, LEVEL))  # fmt: skip
    return pd.DataFrame(
        result, columns=["way", "measure", "quantity", "words", "senses", "groups", "mean",
                         "lower", "upper", "level"],
    )  # fmt: skip


def curves_table(found: list[Word], rng: np.random.Generator) -> pd.DataFrame:
    """Average the paths over words, at equal shares of the merges that are possible."""
    grid, rows = np.linspace(0, 1, 11), []
    for name, kind in itertools.product(MEASURES, ("", "random_")):
        curves = pd.DataFrame([
            np.interp(grid, word.path["share"], word.path[kind + name]) for word in found
        ])  # fmt: skip
        for place, share in enumerate(grid):
            mean, lower, upper = mean_with_interval(curves[place], rng)
            rows.append((name, "random" if kind else "by labels", share, mean, lower, upper))
    return pd.DataFrame(rows, columns=["measure", "merges", "share", "mean", "lower", "upper"])


def verdicts_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of all pairs, by part of speech."""
    part = pairs["word"].str.rpartition("-")[2].map({"n": "nouns", "v": "verbs", "j": "adjectives"})
    table = pd.crosstab(part.rename("words"), pairs["verdict"], margins=True, margins_name="all")
    names = ["asked", "open", "forbidden", "too rare"]
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


def relations_table(pairs: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Compare pairs of senses that a relation joins with the others, resampling words."""
    usable = pairs[pairs["verdict"] != "too rare"]
    names = usable["word"].unique()
    of_word = dict(list(usable.groupby("word")))
    rows = []
    for tie, title in RELATIONS.items():
        known = usable[usable[tie].notna()]
        row: dict[str, Any] = {"relation": title}
        for value, who in ((1, "related"), (0, "unrelated")):
            asked = (known.loc[known[tie] == value, "verdict"] == "asked").sum()
            forbidden = (known.loc[known[tie] == value, "verdict"] == "forbidden").sum()
            n = int((known[tie] == value).sum())
            row |= {f"{who}_pairs": n, f"{who}_asked": asked / n if n else math.nan,
                    f"{who}_forbidden": forbidden / n if n else math.nan}  # fmt: skip
            row[f"{who}_lower"], row[f"{who}_upper"] = share_interval(known, tie, value, rng)
        row["ordering"], _ = ordering(known, tie)
        parts = {name: ordering(of_word[name], tie) for name in names}
        wins = np.array([[share * n if n else 0.0, n] for share, n in parts.values()])
        drawn = rng.integers(0, len(wins), (WORD_REPLICATES, len(wins)))
        sums = wins[drawn].sum(axis=1)
        with np.errstate(invalid="ignore"):
            ends = np.nanquantile(sums[:, 0] / sums[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) \
                if wins[:, 1].any() else (math.nan, math.nan)  # fmt: skip
        rows.append(row | {"ordering_lower": ends[0], "ordering_upper": ends[1]})
    return pd.DataFrame(rows)


def share_interval(
    pairs: pd.DataFrame, tie: str, value: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the interval of the share asked for, words resampled."""
    own = pairs[pairs[tie] == value]
    counts = own.groupby("word")["verdict"].agg([lambda v: (v == "asked").sum(), "size"])
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


# ------------------------------------------------------------------------------- figures


def figure_words(table: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw alpha and certainty of each word before and after merging, and at random."""
    rows = table.sort_values("alpha_before").reset_index(drop=True)
    panels_of = (("alpha", "Krippendorff's alpha"), ("certain", "Share of certain items"))
    with plotting.house_figure(height=8.6, stand_in=stand_in) as (figure, panels):
        for axes, (name, title) in zip(panels, panels_of, strict=True):
            y = rows.index
            axes.hlines(y, rows[f"{name}_before"], rows[name], color="#BBBBBB", linewidth=1)
            axes.hlines(y, rows[f"random_{name}_lower"], rows[f"random_{name}_upper"],
                        color="#D8E8F2", linewidth=5, label="random merges, 95%")  # fmt: skip
            if name == "alpha":
                axes.hlines(y, rows["alpha_lower"], rows["alpha_upper"], color=plotting.VERMILION,
                            linewidth=1)  # fmt: skip
            axes.plot(rows[f"{name}_before"], y, "o", color=plotting.INK, fillstyle="none",
                      markersize=4, label="all senses")  # fmt: skip
            axes.plot(rows[name], y, "D", color=plotting.VERMILION, markersize=4,
                      label="merged as the labels ask")  # fmt: skip
            axes.set(yticks=list(y), ylim=(-0.8, len(rows) - 0.2), title=title)
            axes.set_xlim(0 if name == "alpha" else 0.6, 0.85 if name == "alpha" else 1.01)
            axes.set_yticklabels(
                [f"{row.word}  {row.senses} → {row.groups}" for row in rows.itertuples()]
                if name == "alpha" else [], fontsize=7.5,
            )  # fmt: skip
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x", color="#EEEEEE")
            axes.set_axisbelow(True)
        panels[0].legend(loc="lower right", fontsize=8)
        plotting.save_figure(figure, stem)


def figure_tradeoff(table: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw agreement, certainty and information as the inventories coarsen."""
    titles = {"alpha": "Alpha", "certain": "Share of certain items", "bits": "Bits of a label"}
    with plotting.house_figure(3, height=3.4, stand_in=stand_in) as (figure, panels):
        for axes, (name, title) in zip(panels, titles.items(), strict=True):
            for kind, colour, line in (("by labels", plotting.VERMILION, "-"),
                                       ("random", plotting.BLUE, "--")):  # fmt: skip
                rows = table[(table["measure"] == name) & (table["merges"] == kind)]
                # At the end all senses are one, and only "none of the above" is left beside it.
                rows = rows[rows["share"] < 0.95]
                axes.fill_between(rows["share"], rows["lower"], rows["upper"], color=colour,
                                  alpha=0.15, linewidth=0)  # fmt: skip
                axes.plot(rows["share"], rows["mean"], line, color=colour, label=kind)
            axes.set(title=title, xlabel="share of the possible merges done")
        entropy = table[(table["measure"] == "entropy") & (table["share"] < 0.95)]
        for kind, colour in (("by labels", plotting.VERMILION), ("random", plotting.BLUE)):
            rows = entropy[entropy["merges"] == kind]
            panels[2].plot(rows["share"], rows["mean"], ":", color=colour,
                           label=f"bits there are, {kind}")  # fmt: skip
        panels[0].legend(loc="upper left")
        panels[2].set_ylim(0, None)
        panels[2].legend(*panels[2].get_legend_handles_labels(), loc="upper right", fontsize=7.5)
        plotting.save_figure(figure, stem)


def figure_gains(table: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw the mean changes of each way of merging beside random merges of the same sizes."""
    titles = {"alpha": "Alpha", "certain": "Share of certain items", "bits": "Bits of a label"}
    with plotting.house_figure(3, height=2.9, stand_in=stand_in) as (figure, panels):
        for axes, (name, title) in zip(panels, titles.items(), strict=True):
            rows = table[table["measure"] == name].set_index(["way", "quantity"])
            for shift, quantity, marker, colour in (
                (-0.13, "change", "D", plotting.VERMILION), (0.13, "random change", "o",
                                                             plotting.BLUE),
            ):  # fmt: skip
                own = rows.xs(quantity, level="quantity").loc[list(WAYS.values())]
                y = np.arange(len(own)) + shift
                axes.hlines(y, own["lower"], own["upper"], color=colour, linewidth=1.3)
                axes.plot(own["mean"], y, marker, color=colour, markersize=5,
                          fillstyle="full" if marker == "D" else "none",
                          label={"change": "these merges"}.get(quantity, "random ones of the "
                                                               "same sizes"))  # fmt: skip
            axes.axvline(0, color=plotting.INK, linewidth=0.8)
            axes.set(yticks=range(len(WAYS)), ylim=(len(WAYS) - 0.4, -0.6), title=title,
                     xlabel="mean change over words")  # fmt: skip
            axes.set_yticklabels(list(WAYS.values()) if axes is panels[0] else [])
            axes.grid(axis="x", color="#EEEEEE")
            axes.set_axisbelow(True)
        panels[1].legend(loc="upper center", bbox_to_anchor=(0.3, -0.2), ncol=2)
        plotting.save_figure(figure, stem)


def figure_relations(table: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw how often related and unrelated senses are too close to tell apart."""
    with plotting.house_figure(height=3.3, stand_in=stand_in) as (figure, panels):
        left, right = panels
        y = np.arange(len(table))
        for shift, who, marker, colour in ((-0.13, "related", "D", plotting.VERMILION),
                                           (0.13, "unrelated", "o", plotting.BLUE)):  # fmt: skip
            ends = [100 * table[f"{who}_{end}"] for end in ("lower", "upper")]
            left.hlines(y + shift, *ends, color=colour, linewidth=1.3)
            left.plot(100 * table[f"{who}_asked"], y + shift, marker, color=colour, label=who,
                      markersize=5, fillstyle="full" if marker == "D" else "none")  # fmt: skip
        left.set(
            yticks=y,
            ylim=(len(table) - 0.4, -0.6),
            xlim=(0, None),
            xlabel="percent of pairs",
            title="Merges that the labels ask for",
        )
        left.set_yticklabels([f"{row.relation} ({row.related_pairs})" for row in
                              table.itertuples()])  # fmt: skip
        left.legend(loc="upper right")
        right.hlines(y, table["ordering_lower"], table["ordering_upper"], color=plotting.INK)
        right.plot(table["ordering"], y, "s", color=plotting.INK, markersize=5)
        right.axvline(0.5, color=plotting.GREY, linestyle="--", linewidth=1)
        right.set(yticks=y, ylim=(len(table) - 0.4, -0.6), title="Related senses are closer")
        right.set(xlim=(0.3, 1), xlabel="share of comparisons (AUC)")
        right.set_yticklabels([])
        for axes, none in ((left, "WordNet not at hand"), (right, "")):
            for place in np.flatnonzero(table["related_pairs"] == 0):
                axes.text(0.03, place, none, fontsize=7.5, va="center",
                          transform=axes.get_yaxis_transform())  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_pairs(found: list[Word], stem: Path, stand_in: str | None) -> None:
    """Draw how many labels tell the senses of four words apart."""
    chosen = [word for word in found if word.name in SHOWN]
    with plotting.house_figure(len(chosen), height=3.7, stand_in=stand_in) as (figure, panels):
        for axes, word in zip(panels, chosen, strict=True):
            names = [c for c, m in zip(word.evidence.categories, word.evidence.mergeable,
                                       strict=True) if m]  # fmt: skip
            place = {name: n for n, name in enumerate(names)}
            grid = np.full((len(names), len(names)), np.nan)
            for row in word.pairs.itertuples():
                at = place[row.second], place[row.first]
                rare = row.verdict == "too rare"
                grid[at] = np.nan if rare else math.log10(row.labels_needed)
                text = "rare" if rare else f"{min(row.labels_needed, 999):.0f}"
                weight = "bold" if row.verdict == "asked" else "normal"
                dark = not rare and row.labels_needed > 60
                axes.text(at[1], at[0], text, ha="center", va="center", fontsize=7, weight=weight,
                          color="white" if dark else plotting.INK)  # fmt: skip
                if row.verdict == "asked":
                    axes.add_patch(mark(at[1] - 0.46, at[0] - 0.46))
            axes.imshow(grid, cmap="Oranges", vmin=0.3, vmax=2.6)
            axes.set(xticks=range(len(names)), yticks=range(len(names)), title=word.name,
                     xlabel="sense", ylabel="sense")  # fmt: skip
            axes.set_xticklabels(names)
            axes.set_yticklabels(names)
            axes.spines[:].set_visible(False)
        plotting.save_figure(figure, stem)


def mark(x: float, y: float) -> Any:
    """Frame a cell."""
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), 0.92, 0.92, fill=False, edgecolor=plotting.INK, linewidth=1.3)


# ---------------------------------------------------------------------------------- main


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path] = (),
    folder: Path,
    seed: int,
    effort: str = "full",
    wordnet: Path | None = None,
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ into a folder.

    The paper prints no number and no table, so that `computed.csv` has none.
    """
    write_computed([], folder / "computed.csv")

    crowd, inventory = (datasets.read(data[name]) for name in ("masc_crowd", "masc_crowd_senses"))
    word = "real" if {crowd.provenance, inventory.provenance} == {"real"} else "simulated"
    database = read_wordnet(wordnet) if wordnet is not None and has_wordnet(wordnet) else None
    labels, senses = by_word(crowd), inventory.items
    rng = np.random.default_rng(seed)
    of_word = dict(list(senses.groupby("word")))
    found = [
        study_word(name, labels[name], of_word[name], database, EFFORTS[effort], rng)
        for name in labels
    ]

    pairs = pd.concat([each.pairs for each in found], ignore_index=True)
    rows = pd.DataFrame([row for each in found for row in each.rows])
    asked = pairs[pairs["verdict"] == "asked"].sort_values("labels_needed", ascending=False)
    against = pairs[(pairs["verdict"] == "forbidden") & (pairs["close"] == 1)]
    tables = {
        "words": words_table(found, labels),
        "summary": summary_table(rows, rng),
        "curves": curves_table(found, rng),
        "verdicts": verdicts_table(pairs),
        "relations": relations_table(pairs, rng),
        "asked": described(asked, senses),
        "forbidden": described(against.sort_values("labels_needed"), senses),
        "pairs": pairs,
    }
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    stand_in = None if word == "real" else "Simulated stand-in, not the real labels"
    figure_words(tables["words"], stems / "words", stand_in)
    figure_tradeoff(tables["curves"], stems / "tradeoff", stand_in)
    figure_gains(tables["summary"], stems / "gains", stand_in)
    figure_relations(tables["relations"], stems / "relations", stand_in)
    figure_pairs(found, stems / "pairs", stand_in)
    source = "WordNet 3.0 for relations." if database else WITHOUT
    captions = {
        name: {"provenance": word, "caption": text.format(source=source, word=word), "seed": seed}
        for name, text in CAPTIONS.items()
    } | {f"tables/{name}": {"provenance": word, "seed": seed} for name in tables}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions, indent=1, ensure_ascii=False) + "\n")


WITHOUT = (
    "WordNet's files were not at hand in this run: relations are those that the inventory itself "
    "tells, lexicographer's file and synonyms."
)
CAPTIONS = {
    "words": (
        "Each of the 45 words, with its number of senses before and after the merges that its "
        "labels ask for. Blue bars: random merges with groups of the same sizes. Alpha can rise "
        "by merging at random, too. Red lines: 95% intervals over items. Data: {word} labels."
    ),
    "tradeoff": (
        "Means over the words as senses are merged, the least separable first, or at random. "
        "Dotted: the bits that the sense itself has. Bands: 95% over words. Data: {word} labels."
    ),
    "gains": (
        "Mean change over the words that a way of merging changes, beside random merges with "
        "groups of the same sizes, with 95% intervals over words. Held out: merges chosen on half "
        "of the sentences and measured on the other. {source} Data: {word} labels."
    ),
    "relations": (
        "Left: how many pairs of senses of a word the labels ask to merge, by relation; in "
        "brackets the related pairs. Right: how often a related pair needs more labels than an "
        "unrelated one of the same word; 0.5 if relations say nothing. {source} "
        "Data: {word} labels."
    ),
    "pairs": (
        "How many labels tell two senses apart with 99% certainty, if both are equally frequent. "
        "Framed: more than an item has, so that the labels ask for a merge. Data: {word} labels."
    ),
}


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={
                name: Path(snakemake.input[name][0]).parent
                for name in ("masc_crowd", "masc_crowd_senses")
            },
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
            wordnet=Path(snakemake.params.wordnet) if snakemake.params.wordnet else None,
        )
