"""Section 4: agreement by type of relation between senses, and by coarser inventories."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from annobench.evaluation import information
from annobench.labels.hierarchy import Hierarchy
from annobench.resampling import central_limits
from annobench_replication.statistics import kappas

from .printed import Printed
from .simulate import LEVEL, USUAL, Tables, Verb, errors_of


def by_relation(
    printed: Printed,
    verbs: Sequence[Verb],
    tables: Sequence[Tables],
    rng: np.random.Generator,
    *,
    n_resampled: int,
) -> pd.DataFrame:
    """Compute agreement within related pairs of senses, by type of relation.

    Of the sentences that both annotators gave one of the two senses, the share with equal labels.
    Intervals resample verbs, for errors differ by verb.
    """
    counts: dict[str, dict[str, np.ndarray]] = {}
    for verb, (kept, _) in zip(verbs, tables, strict=True):
        for pair in combinations(range(len(verb.senses)), 2):
            block, senses = kept[np.ix_(pair, pair)], [verb.senses[k] for k in pair]
            for relation in printed.relations_of(verb.name, *senses) or ["none named"]:
                total = counts.setdefault(relation, {}).setdefault(verb.name, np.zeros(3))
                total += [1, np.trace(block), block.sum()]
    rows = []
    for relation in (*printed.types, "none named"):
        part = np.array(list(counts[relation].values()))
        pairs, equal, both = part.sum(axis=0)
        drawn = part[rng.integers(len(part), size=(n_resampled, len(part)))].sum(axis=1)
        # One verb can't say how verbs differ.
        ends = [np.nan] * 2 if len(part) == 1 else central_limits(drawn[:, 1] / drawn[:, 2], LEVEL)
        sizes = len(part), int(pairs), int(both), int(both - equal)
        rows.append((relation, *sizes, equal / both, *ends))
    columns = ["relation", "verbs", "pairs", "sentences", "unequal", "agreement", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)


def hierarchy(printed: Printed, verb: Verb) -> Hierarchy:
    """Make the levels of a verb: senses merged that are related in one way, or in any."""
    related = printed.related(verb.name)
    pairs = {relation: related[related["relation"] == relation] for relation in printed.types}
    pairs["any relation"] = related
    joined = {level: rows[["first", "second"]].to_numpy() for level, rows in pairs.items()}
    return Hierarchy({level: merge(verb.senses, rows) for level, rows in joined.items()})


def merge(senses: tuple[str, ...], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each sense to the first sense that it is connected with."""
    parent = {sense: sense for sense in senses}
    for first, second in pairs:
        one, two = sorted((parent[first], parent[second]), key=senses.index)
        parent = {sense: one if top == two else top for sense, top in parent.items()}
    return parent


def random_merge(
    senses: tuple[str, ...], level: Mapping[str, str], rng: np.random.Generator
) -> dict[str, str]:
    """Give a level's groups to other senses, at random."""
    shuffled = [senses[k] for k in rng.permutation(len(senses))]
    return {sense: level[other] for sense, other in zip(senses, shuffled, strict=True)}


def indicator(senses: tuple[str, ...], level: Mapping[str, str]) -> np.ndarray:
    """Return which sense goes to which parent, shape (K, parents)."""
    parents = list(dict.fromkeys(level[sense] for sense in senses))
    return np.array([[level[sense] == parent for parent in parents] for sense in senses], float)


def level_measures(verb: Verb, error: float, table: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Return agreement, kappa (NaN for one sense) and bits per label of collapsed labels."""
    merged = to.T @ table @ to
    share = verb.share @ to
    confusion = to.T @ ((verb.share[:, None] * verb.confusion(error)) @ to) / share[:, None]
    bits = information.mutual_information(share, confusion[None])
    return np.array([np.trace(merged) / merged.sum(), kappas(merged), float(np.squeeze(bits))])


def coarser(
    printed: Printed,
    verbs: Sequence[Verb],
    error: float,
    rng: np.random.Generator,
    *,
    n_random: int,
) -> pd.DataFrame:
    """Average agreement, kappa and information over the verbs that each level changes.

    Expected values of retained labels; beside each level, random merges to as many senses.
    """
    rows = []
    for level in (*printed.types, "any relation"):
        found, changed = [], 0
        for verb, e in zip(verbs, errors_of(verbs, error), strict=True):
            senses, parents = verb.senses, hierarchy(printed, verb).levels[level]
            to = indicator(senses, parents)
            changed += to.shape[1] < len(senses)
            # A verb left with one sense has no agreement to speak of.
            if not 1 < to.shape[1] < len(senses):
                continue
            own = verb, e, verb.joint(e, USUAL)[0][:-1, :-1]
            random = [random_merge(senses, parents, rng) for _ in range(n_random)]
            merges = (np.eye(len(senses)), to, *(indicator(senses, each) for each in random))
            found.append([level_measures(*own, each) for each in merges])
        row = {"level": level, "verbs_changed": changed, "verbs_compared": len(found)}
        if found:
            by_measure = np.moveaxis(found, -1, 0)
            for name, of_verbs in zip(("agreement", "kappa", "bits"), by_measure, strict=True):
                before, after = of_verbs[:, :2].mean(axis=0)
                row |= {f"{name}_before": before, name: after}
                row[f"{name}_random"] = of_verbs[:, 2:].mean(axis=1).mean()
        rows.append(row)
    return pd.DataFrame(rows)
