"""What merging the senses of one word changes, as the labels support it, by WordNet, at random."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.labels import merging
from annobench.labels.annotations import Annotations
from annobench.labels.merging import Evidence
from annobench.models import dawid_skene
from annobench.resampling import central_limits
from annobench_datasets.wordnet import WordNet

from .senses import RELATIONS, related_pairs

NONE_OF_THEM = "0"
LEVEL = 0.95
MEASURES = ("alpha", "certain", "bits", "entropy", "entropy_explained")


@dataclass(frozen=True)
class Repetitions:
    """How much is drawn: random partitions for a comparison and a step of a curve, items anew."""

    n_random: int
    n_step: int
    replicates: int


@dataclass(frozen=True)
class Word:
    """What is found of one word, such as "add-v"; by way of merging its partitions and measures."""

    name: str
    evidence: Evidence
    pairs: pd.DataFrame  # of senses, with verdict and relations
    partitions: dict[str, np.ndarray]
    rows: list[dict[str, Any]]
    path: pd.DataFrame  # measures along the path of merges, beside random ones


def limits(draws: np.ndarray) -> np.ndarray:
    """Return the equal-tailed limits of the draws that are defined."""
    return central_limits(draws[~np.isnan(draws)], LEVEL)


def evidence_of(labels: Annotations) -> Evidence:
    """Fit the model of Dawid and Skene, and count the labels by its posterior."""
    fit = dawid_skene.fit(labels)
    return Evidence.of(labels, fit.posterior, apart=(NONE_OF_THEM,))


def measured(evidence: Evidence, partition: np.ndarray) -> dict[str, np.ndarray]:
    """Measure partitions: also the share of what there is to know that one label tells."""
    found = evidence.measures(partition)
    with np.errstate(invalid="ignore", divide="ignore"):
        return found | {"entropy_explained": np.divide(found["bits"], found["entropy"])}


def beside_random(
    evidence: Evidence, partition: np.ndarray, free: np.ndarray, n: int, rng: np.random.Generator
) -> dict[str, float]:
    """Measure a partition, and random ones with groups of the same sizes among free senses."""
    own = measured(evidence, partition)
    random = measured(evidence, merging.shuffled(partition, free, n, rng))
    row: dict[str, float] = {}
    for name in MEASURES:
        row |= {name: float(own[name]), f"random_{name}": float(random[name].mean())}
        row[f"random_{name}_lower"], row[f"random_{name}_upper"] = limits(random[name])
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
        row[f"{name}_lower"], row[f"{name}_upper"] = limits(values)
    return row


def path_of(evidence: Evidence, n_random: int, rng: np.random.Generator) -> pd.DataFrame:
    """Measure every step of the merges by labels, and random ones."""
    path = merging.merge_path(evidence)
    own = measured(evidence, path)
    rows = []
    for step, partition in enumerate(path):
        random = measured(evidence, merging.shuffled(partition, evidence.frequent, n_random, rng))
        rows.append(
            {"share": step / max(1, len(path) - 1)}
            | {name: own[name][step] for name in MEASURES}
            | {f"random_{name}": random[name].mean() for name in MEASURES}
        )
    return pd.DataFrame(rows)


def halves(labels: Annotations, rng: np.random.Generator) -> list[Annotations]:
    """Split the items at random."""
    first = np.zeros(labels.n_items, dtype=bool)
    first[rng.permutation(labels.n_items)[: labels.n_items // 2]] = True
    return [labels.select(items=keep) for keep in (first, ~first)]


def held_out(
    labels: Annotations, n_labels: float, effort: Repetitions, rng: np.random.Generator
) -> dict[Any, float]:
    """Choose merges on half of the items, measure them on the other; mean of both ways."""
    parts = [evidence_of(part) for part in halves(labels, rng)]
    rows = []
    for chosen, other in (parts, parts[::-1]):
        partition = merging.supported_partition(
            chosen, n_labels, replicates=effort.replicates // 2, rng=rng
        )
        before = measured(other, np.arange(len(partition)))
        rows.append(
            {f"{name}_before": float(before[name]) for name in MEASURES}
            | beside_random(other, partition, chosen.frequent, effort.n_random // 2, rng)
            | {"groups": n_groups(chosen, partition)}
        )
    return pd.DataFrame(rows).mean().to_dict()


def n_groups(evidence: Evidence, partition: np.ndarray) -> int:
    """Count the groups of senses."""
    return len(np.unique(partition[evidence.mergeable]))


def study_word(
    name: str,
    labels: Annotations,
    senses: pd.DataFrame,
    wordnet: WordNet | None,
    effort: Repetitions,
    rng: np.random.Generator,
) -> Word:
    """Find what merging does to one word."""
    evidence = evidence_of(labels)
    n_labels = float(np.median(np.bincount(labels.item)))
    related = related_pairs(senses, wordnet)
    pairs = merging.judge_pairs(evidence, n_labels, replicates=effort.replicates, rng=rng)
    pairs.insert(0, "word", name)
    ties = [related[pair] for pair in zip(pairs["first"], pairs["second"], strict=True)]
    pairs = pairs.join(pd.DataFrame(ties, index=pairs.index, columns=list(RELATIONS)))
    supported = merging.supported_partition(
        evidence, n_labels, replicates=effort.replicates, rng=rng
    )
    partitions = {"labels": supported}
    for way, tie in (("file", "same file"), ("close", "close")):
        joined = pairs.loc[pairs[tie] == 1, ["first", "second"]].itertuples(index=False)
        partitions[way] = merging.from_pairs(evidence.categories, joined)
    whole = measured(evidence, np.arange(len(evidence.categories)))
    before = {f"{what}_before": float(whole[what]) for what in MEASURES}
    n_senses, rows = int(evidence.mergeable.sum()), []
    for way, partition in partitions.items():
        # Sparse senses are never merged by labels, so they don't take part in random merges either.
        free = evidence.frequent if way == "labels" else evidence.mergeable
        n = n_groups(evidence, partition)
        rows.append(
            {"word": name, "way": way, "senses": n_senses, "groups": n}
            | before
            | beside_random(evidence, partition, free, effort.n_random, rng)
            | with_gain(evidence, partition, effort.replicates, rng)
        )
    held = held_out(labels, n_labels, effort, rng)
    rows.append({"word": name, "way": "held out", "senses": n_senses} | held)
    path = path_of(evidence, effort.n_step, rng)
    return Word(name, evidence, pairs, partitions, rows, path)


def refitted(labels: Annotations, word: Word) -> dict[str, float]:
    """Collapse the labels along the merges and fit the model anew."""
    parents = merging.parents(word.partitions["labels"], word.evidence.categories)
    coarse = labels.recode(parents)
    fit = dawid_skene.fit(coarse)
    return {
        "refitted_certain": float((fit.posterior.max(axis=1) > merging.CERTAIN).mean()),
        "refitted_alpha": agreement.krippendorff_alpha(coarse).estimate,
    }
