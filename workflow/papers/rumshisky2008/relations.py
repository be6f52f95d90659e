"""Section 4: agreement by type of relation between senses, and by coarser inventories."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from annobench.evaluation import information
from annobench.labels.hierarchy import Hierarchy
from annobench.replication.statistics import kappas

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
    counts = {}
    for verb, (kept, _) in zip(verbs, tables, strict=True):
        types: dict[frozenset[str], set[str]] = {}
        for row in printed.related(verb.name).itertuples():
            types.setdefault(frozenset((row.first, row.second)), set()).add(row.relation)
        for pair in combinations(range(len(verb.senses)), 2):
            block = kept[np.ix_(pair, pair)]
            for relation in types.get(frozenset(verb.senses[k] for k in pair), {"none named"}):
                total = counts.setdefault((relation, verb.name), np.zeros(3))
                total += [1, np.trace(block), block.sum()]
    frame = pd.DataFrame(counts, index=["pairs", "equal", "both"]).T
    rows = []
    for relation in (*printed.types, "none named"):
        part = frame.loc[relation]
        pairs, equal, both = part.sum()
        drawn = rng.integers(len(part), size=(n_resampled, len(part)))
        resampled = part.to_numpy()[drawn].sum(axis=1)
        ends = np.quantile(resampled[:, 1] / resampled[:, 2], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        # One verb can't say how verbs differ.
        ends = ends if len(part) > 1 else [np.nan, np.nan]
        sizes = len(part), int(pairs), int(both), int(both - equal)
        rows.append((relation, *sizes, equal / both, *ends))
    columns = ["relation", "verbs", "pairs", "sentences", "unequal", "agreement", "lower", "upper"]
    return pd.DataFrame(rows, columns=columns)


def hierarchy(printed: Printed, verb: Verb) -> Hierarchy:
    """Make the levels of a verb: senses merged that are related in one way, or in any."""
    related = printed.related(verb.name)
    pairs = {relation: related[related["relation"] == relation] for relation in printed.types}
    pairs["any relation"] = related
    return Hierarchy(
        {
            level: merge(verb.senses, rows[["first", "second"]].to_numpy())
            for level, rows in pairs.items()
        }
    )


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
        before, after, by_chance, changed = [], [], [], 0
        for verb, e in zip(verbs, errors_of(verbs, error), strict=True):
            senses, parents = verb.senses, hierarchy(printed, verb).levels[level]
            to = indicator(senses, parents)
            changed += to.shape[1] < len(senses)
            # A verb left with one sense has no agreement to speak of.
            if not 1 < to.shape[1] < len(senses):
                continue
            own = verb, e, verb.joint(e, USUAL)[0][:-1, :-1]
            before.append(level_measures(*own, np.eye(len(senses))))
            after.append(level_measures(*own, to))
            random = [
                indicator(senses, random_merge(senses, parents, rng)) for _ in range(n_random)
            ]
            by_chance.append([level_measures(*own, each) for each in random])
        row = {"level": level, "verbs_changed": changed, "verbs_compared": len(after)}
        if after:
            for k, name in enumerate(("agreement", "kappa", "bits")):
                row[f"{name}_before"] = np.mean([found[k] for found in before])
                row[name] = np.mean([found[k] for found in after])
                random = [np.mean([found[k] for found in runs]) for runs in by_chance]
                row[f"{name}_random"] = np.mean(random)
        rows.append(row)
    return pd.DataFrame(rows)
