"""Tables 2 to 4: classifiers trained on one annotator and tested on another, and their vote.

The features of the paper's classifiers are not printed. Its tables are computed on its own test
meetings, from all features of three kinds; how much they depend on features shows in analyses
of random parts of them, which give the intervals.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from annobench.aggregation.c45 import C45
from annobench.evaluation.selective import ABSTAIN
from annobench.resampling import predictive_interval
from annobench_replication.ledger import Computed

from . import learning
from .addressing import percent
from .utterances import ANNOTATORS, CODES, NAMES, Utterances, excess

CLASSIFIERS = ("dh", "s9", "vk", "mix")
#: What stands for them, and for whom they are tested on, in tables.
CLASSIFIER_NAMES = {
    "dh": "DH",
    "s9": "S9",
    "vk": "VK",
    "mix": "all annotators",
    "mixed": "all",
    "voting": "the vote",
}
#: Of the features of each kind, an analysis has from this share to all.
LEAST_PART = 0.5
#: Values that depend on the features, beside the cells of Tables 2 to 4.
SAMPLED_CLAIMS = ("voting.other_recall", "voting.precision_lead")

#: What is right, and among what, by utterance.
Ratio = tuple[np.ndarray, np.ndarray]


def tree(n_smallest_leaf: int = 2) -> C45:
    """Return J48 as Weka has it by default, but for subtree raising."""
    return C45(min_cases=n_smallest_leaf, confidence=0.25)


def maximum_entropy() -> LogisticRegression:
    """Return a maximum entropy classifier."""
    return LogisticRegression(C=1.0, max_iter=200, tol=1e-3)


def trained(make: Callable[[], Any], yeah: Utterances, train: np.ndarray) -> dict[str, Any]:
    """Train on each annotator's utterances, and on all."""
    masks = {who: train & (yeah.annotator == who) for who in ANNOTATORS} | {"mix": train}
    return {who: make().fit(yeah.features[m], yeah.category[m]) for who, m in masks.items()}


def ratios(yeah: Utterances, train: np.ndarray, test: np.ndarray) -> dict[str, Ratio]:
    """Return the numerator and the denominator of every value of Tables 2 to 4."""
    gold, annotator = yeah.category[test], yeah.annotator[test]
    features, every = yeah.features[test], np.ones(gold.size, bool)
    found: dict[str, Ratio] = {}
    for who, model in trained(tree, yeah, train).items():
        right = model.predict(features) == gold
        for other in (*ANNOTATORS, "mixed"):
            among = every if other == "mixed" else annotator == other
            found[f"table2.{who}.{other}"] = (right & among, among)
    answers = {w: m.predict(features) for w, m in trained(maximum_entropy, yeah, train).items()}
    vote = answers["voting"] = learning.unanimous(np.stack([answers[who] for who in ANNOTATORS]))
    for who, answer in answers.items():
        right = answer == gold
        found[f"table3.{who}.accuracy"] = (right, every)
        for n, code in enumerate(CODES):
            found[f"table4.{code}.{who}"] = (right & (answer == n), answer == n)
    for n, code in enumerate(CODES):
        found[f"voting.{NAMES[code]}_recall"] = ((vote == gold) & (gold == n), gold == n)
    found["voting.coverage"] = (vote != ABSTAIN, every)
    return found


def summary(found: Mapping[str, Ratio]) -> dict[str, float]:
    """Return the values in percent, and the smallest lead of the vote in precision.

    A category that is never answered has precision 0.
    """
    values = {name: 100 * top.sum() / max(bottom.sum(), 1) for name, (top, bottom) in found.items()}
    precision = np.array(
        [[values[f"table4.{code}.{who}"] for who in ("voting", *CLASSIFIERS)] for code in CODES]
    )
    values["voting.precision_lead"] = float((precision[:, 0] - precision[:, 1:].max(axis=1)).min())
    return values


def repeated_analyses(
    yeah: Utterances, test: np.ndarray, printed: pd.DataFrame, rng: np.random.Generator, n: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute everything anew from random parts of the features, on the paper's own meetings.

    Which features the paper used is not printed. An analysis has some of the features of each
    kind, from `LEAST_PART` of them to all, and lacks utterances that Table 1 doesn't count.
    Returns the values, and those that are shares as log odds, so that an interval stays in range.
    """
    columns, values, odds = yeah.features.tocsc(), [], []
    for _ in range(n):
        sizes = np.diff((0, *yeah.ends))
        used = [rng.random(size) < rng.uniform(LEAST_PART, 1) for size in sizes]
        own = np.ones(yeah.category.size, bool)
        own[excess(yeah, test, printed, rng)] = False
        part = yeah.with_features(columns[:, np.concatenate(used)].tocsr())
        found = ratios(part, ~test & own, test & own)
        values.append(summary(found))
        odds.append({name: log_odds(*ratio) for name, ratio in found.items()})
    return pd.DataFrame(values), pd.DataFrame(odds)


def log_odds(top: np.ndarray, bottom: np.ndarray) -> float:
    """Return the log odds of a share, half an item added to either side; NaN of no items."""
    right, rest = float(np.sum(top)), float(np.sum(bottom) - np.sum(top))
    return float(np.log((right + 0.5) / (rest + 0.5))) if right + rest else np.nan


def interval_of(
    target: str, values: pd.DataFrame, odds: pd.DataFrame, level: float
) -> tuple[float, float]:
    """Return where one more analysis lies, among those that have the value at all."""
    is_share = target in odds
    seen = (odds if is_share else values)[target].dropna()
    if seen.size < 2:  # next to no analysis answers the category, so that all is possible
        return (0.0 if is_share else -100.0), 100.0
    low, high = predictive_interval(seen, level).limits
    return (100 * float(expit(low)), 100 * float(expit(high))) if is_share else (low, high)


def rows(
    values: Mapping[str, float],
    analyses: tuple[pd.DataFrame, pd.DataFrame],
    drawn: Mapping[str, np.ndarray],
    targets: list[str],
    level: float,
) -> dict[str, Computed]:
    """Return Tables 2 to 4 from all features, with the intervals of analyses of parts of them."""
    found = {}
    for target in targets:
        low, high = interval_of(target, *analyses, level)
        row = Computed(target, float(values[target]), check_lower=low, check_upper=high)
        # A category never answered in a sample has no precision there.
        if target in drawn and not np.isnan(drawn[target]).all():
            lower, upper = 100 * np.nanquantile(drawn[target], [0.025, 0.975])
            row = replace(row, lower=lower, upper=upper, level=0.95)
        found[target] = row
    return found


def in_words(target: str) -> str:
    """Name a value of Tables 2 to 4, or of the text, without codes."""
    place, first, second = (*target.split("."), "")[:3]
    if place == "table2":
        return f"accuracy, tree of {CLASSIFIER_NAMES[first]} on {CLASSIFIER_NAMES[second]}"
    if place == "table3":
        return f"accuracy, {CLASSIFIER_NAMES[first]}"
    if place == "table4":
        return f"precision of {NAMES[first]}, {CLASSIFIER_NAMES[second]}"
    return f"{place}: {first.replace('_', ' ')}"


def variants(yeah: Utterances) -> pd.DataFrame:
    """Compute Tables 2 and 3 from fewer features, and with smaller and larger leaves."""
    test = yeah.test
    gold, annotator = yeah.category[test], yeah.annotator[test]
    makers: dict[str, Callable[[], Any]] = {"maximum entropy": maximum_entropy}
    makers |= {f"tree, leaves of {n}": partial(tree, n) for n in (2, 5, 20, 50)}
    kinds = ("words", "words and times", "words, times and acts before")
    rows = []
    for kind, end in zip(kinds, yeah.ends, strict=True):
        part = yeah.with_features(yeah.features[:, :end])
        for classifier, make in makers.items():
            row: dict[str, Any] = {"features": kind, "classifier": classifier}
            for who, model in trained(make, part, ~test).items():
                answer = model.predict(part.features[test])
                right = answer == gold
                name = CLASSIFIER_NAMES[who]
                on = {CLASSIFIER_NAMES[w]: percent(right[annotator == w]) for w in ANNOTATORS}
                row |= {f"{name} on {w}": share for w, share in on.items()}
                row[f"{name} on all"] = percent(right)
                row[f"{name}, precision of other"] = percent(right[answer == CODES.index("ot")])
            rows.append(row)
    return pd.DataFrame(rows)


def coincidence(analyses: pd.DataFrame) -> pd.DataFrame:
    """Say how often trees and maximum entropy have one accuracy, as Tables 2 and 3 print it."""
    trees, entropy = (
        analyses[[name.format(who) for who in ANNOTATORS]].set_axis(list(ANNOTATORS), axis=1)
        for name in ("table2.{}.mixed", "table3.{}.accuracy")
    )
    same = trees.round() == entropy.round()
    columns = {"entropy less tree": (entropy - trees).mean(), "percent equal": 100 * same.mean()}
    table = pd.DataFrame(columns)
    table = table.rename(index=CLASSIFIER_NAMES)
    table.loc["all three"] = [np.nan, 100 * same.all(axis=1).mean()]
    return table.reset_index(names="trained on")
