"""Section 6: classifiers of headlines by their words, trained by experts or by non-experts.

A word's weight is the mean label of the training headlines that contain it, and a headline's score
the mean weight of its known words. Scores are linear in the labels, so that a classifier trained
on averaged labels gives the average of the scores of those trained on each.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from annobench.evaluation.panels import panel_correlations
from annobench.resampling.weights import draw_counts
from annobench_replication.analysis import Effort
from annobench_replication.ledger import Computed
from annobench_replication.study import Study

from .affect import KINDS, Affect, claim_row, interval, needed, paired_correlation

#: Bootstrap samples of test headlines.
REPLICATES = {"full": 400, "quick": 20}
#: Words of a headline of simulated data, which has no text, and how many different ones there are.
N_WORDS, N_DIFFERENT = 8, 1500


def _by_blanks(text: str) -> list[str]:
    return text.split()


def _in_small_letters(text: str) -> list[str]:
    return text.lower().split()


def _without_signs(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


TOKENISERS: dict[str, Callable[[str], list[str]]] = {
    "words as they stand": _by_blanks,
    "words in small letters": _in_small_letters,
    "without punctuation": _without_signs,
}
#: What the score is divided by: known words, as the text says, or all words.
DIVISORS = ("known words", "all words")
#: A headline without any known word has the score 0, the mean of the training set, or is left out.
UNKNOWN = ("score 0", "mean score", "left out")


@dataclass(frozen=True)
class Reading:
    """One way to read section 6; the first of each is the text's."""

    words: str = "words as they stand"
    divisor: str = "known words"
    unknown: str = "score 0"

    @property
    def name(self) -> str:
        """The reading in words."""
        return f"{self.words}, {self.divisor}, unknown {self.unknown}"


READINGS = [
    Reading(words, divisor, unknown)
    for words in TOKENISERS
    for divisor in DIVISORS
    for unknown in UNKNOWN
]


class Trained(NamedTuple):
    """Correlations of classifiers with five experts: an expert's, and by number of non-experts."""

    expert: float
    curve: np.ndarray


def headlines(study: Study, items: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return the texts of headlines; random words where labels are simulated."""
    texts = study.data(f"semeval2007_{KINDS[0]}").items.set_index("item")["text"]
    known = texts.reindex(items)
    if known.notna().all():
        return [str(text) for text in known]
    frequency = 1 / np.arange(1, N_DIFFERENT + 1)
    words = rng.choice(N_DIFFERENT, size=(len(items), N_WORDS), p=frequency / frequency.sum())
    return [" ".join(f"w{word}" for word in row) for row in words]


def scorer(
    train: Sequence[str], test: Sequence[str], reading: Reading
) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix that turns training labels into test scores, and which headlines count.

    The matrix has shape (training headlines, test headlines).
    """
    tokens = TOKENISERS[reading.words]
    column: dict[str, int] = {}
    for text in train:
        for word in tokens(text):
            column.setdefault(word, len(column))
    contains = np.zeros((len(train), len(column)))
    for row, text in enumerate(train):
        contains[row, [column[word] for word in tokens(text)]] = 1
    times = np.zeros((len(test), len(column)))
    length = np.zeros(len(test))
    for row, text in enumerate(test):
        words = tokens(text)
        length[row] = len(words)
        np.add.at(times[row], [column[word] for word in words if word in column], 1)
    n_known = times.sum(axis=1)
    divisor = n_known if reading.divisor == "known words" else length
    weight = (contains / contains.sum(axis=0)) @ times.T / np.maximum(divisor, 1)
    if reading.unknown == "mean score":
        weight[:, n_known == 0] = 1 / len(train)
    used = n_known > 0 if reading.unknown == "left out" else np.ones(len(test), dtype=bool)
    return weight, used


def trained(affect: Affect, weight: np.ndarray, used: np.ndarray, *, whole: bool) -> Trained:
    """Score test headlines, trained by each expert, and by every subset of non-experts.

    With `whole` false only one and ten non-experts are scored.
    """
    goal = affect.test_others[:, used]
    every = np.ones((1, goal.shape[1]))
    expert = paired_correlation((affect.experts @ weight)[:, used], goal, every)[0]
    scores = (affect.answers @ weight)[:, used]
    if whole:
        return Trained(float(expert), panel_correlations(scores, goal))
    one = np.mean([panel_correlations(row, goal)[0] for row in scores])
    return Trained(float(expert), np.array([one, panel_correlations(scores.mean(axis=0), goal)[0]]))


def samples(
    data: Mapping[str, Affect], weight: np.ndarray, seed: int, effort: Effort
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return correlations trained by an expert, one and ten non-experts, resampled headlines."""
    found = {}
    for kind, affect in data.items():
        goal = affect.test_others
        drawn = draw_counts(goal.shape[1], REPLICATES[effort], np.random.default_rng(seed))
        weights = np.vstack([np.ones(goal.shape[1]), drawn])
        scores = affect.answers @ weight
        one, ten = (
            np.mean([paired_correlation(rows, each, weights) for rows, each in pairs], axis=0)
            for pairs in (
                [(scores, np.broadcast_to(row, scores.shape)) for row in goal],
                [(np.broadcast_to(scores.mean(axis=0), goal.shape), goal)],
            )
        )
        found[kind] = (paired_correlation(affect.experts @ weight, goal, weights), one, ten)
    for name, kinds in (("avg_emo", KINDS[:-1]), ("avg_all", KINDS)):
        found[name] = tuple(np.mean([found[k][n] for k in kinds], axis=0) for n in range(3))
    return found


def table_values(
    by_kind: Mapping[str, Trained], drawn: Mapping[str, tuple[np.ndarray, ...]]
) -> dict[str, float | tuple[float, float, float]]:
    """Return the cells of Table 4, and what section 6.2 and the abstract conclude."""
    values: dict[str, float | tuple[float, float, float]] = {}
    for kind, (expert, curve) in with_averages(by_kind).items():
        values[f"table4.{kind}.expert"] = interval(drawn[kind][0])
        values[f"table4.{kind}.ne10"] = interval(drawn[kind][2])
        if kind != "joy":
            k = float(needed(curve, np.array(expert)))
            values[f"table4.{kind}.k"] = k
            values[f"table4.{kind}.k_ne"] = float(curve[min(int(k), curve.size) - 1])
    better = sum(by_kind[kind].curve[0] > by_kind[kind].expert for kind in KINDS)
    return values | {"training.n_better": float(better)}


def claim(drawn: Mapping[str, tuple[np.ndarray, ...]]) -> Computed:
    """Return how much better ten non-experts train than an expert, on average."""
    expert, _, ten = drawn["avg_all"]
    return claim_row("training.as_effective", ten - expert)


def one_non_expert(by_kind: Mapping[str, Trained]) -> dict[str, float]:
    """Return what one non-expert trains, by the target of Table 4's last column."""
    return {
        f"table4.{kind}.k_ne": float(found.curve[0])
        for kind, found in with_averages(by_kind).items()
        if kind != "joy"
    }


def with_averages(by_kind: Mapping[str, Trained]) -> dict[str, Trained]:
    """Add the means over six and over seven kinds."""
    means = {
        name: Trained(
            float(np.mean([by_kind[kind].expert for kind in kinds])),
            np.mean([by_kind[kind].curve for kind in kinds], axis=0),
        )
        for name, kinds in (("avg_emo", KINDS[:-1]), ("avg_all", KINDS))
    }
    return {**by_kind, **means}


def table_of_readings(
    data: Mapping[str, Affect],
    train: Sequence[str],
    test: Sequence[str],
    effort: Effort = "full",
) -> pd.DataFrame:
    """Return what each reading of section 6 gives, kind by kind."""
    rows = []
    for reading in READINGS if effort == "full" else READINGS[:2]:
        weight, used = scorer(train, test, reading)
        for kind, affect in data.items():
            expert, (one, ten) = trained(affect, weight, used, whole=False)
            rows.append(
                {"reading": reading.name, "kind": kind, "expert": expert, "one": one, "ten": ten}
            )
    return pd.DataFrame(rows)


def table_of_training(
    by_kind: Mapping[str, Trained], drawn: Mapping[str, tuple[np.ndarray, ...]]
) -> pd.DataFrame:
    """Return what one and ten non-experts train, beside an expert, with intervals."""
    rows = []
    for kind in with_averages(by_kind):
        expert, one, ten = drawn[kind]
        row: dict[str, float | str] = {"kind": kind}
        parts = {"expert": expert, "one": one, "ten": ten}
        parts |= {"one_less_expert": one - expert, "ten_less_expert": ten - expert}
        for name, values in parts.items():
            ends = ("", "_lower", "_upper")
            row |= {f"{name}{end}": x for end, x in zip(ends, interval(values), strict=True)}
        rows.append(row)
    return pd.DataFrame(rows)
