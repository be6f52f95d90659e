"""Simulated labels with the paper's design, and what ways to handle N/A make of them (3.2).

Twenty verbs, 200 sentences each, two annotators, the senses that the paper names, related as it
says. The labels are calibrated to the printed 95%, and to the disagreements that are shown: a pair
of senses is confused the more, the more often the paper shows it confused, and a verb has the more
errors, the more other senses it has and the more disagreements are shown. Senses have shares of
1, 1/2, 1/3, ...; a verb whose senses are not named has two. All of this is assumed, not known.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench.resampling import proportion_interval
from annobench_replication.statistics import kappas

from .printed import Printed

LEVEL = 0.95
#: Every pair of senses counts as confused so often, and once more for each printed example.
BASE_WEIGHT = 0.5

#: Counts or probabilities of pairs of labels, N/A last: kept, and thrown out.
Tables = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Scenario:
    """What is assumed about N/A, in shares of sentences."""

    unclear: float  # no sense fits them, or several do
    says_so: float = 0.8  # of these: get N/A from an annotator; the other labels are guesses
    needless: float = 0.01  # of clear ones: get N/A
    thrown_out: float = 0.5  # of unclear ones with two different senses: dropped


#: The scenario of the simulated labels, and shares of unclear sentences to compare.
USUAL = Scenario(unclear=0.1)
UNCLEAR = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb with K senses; its error rate is in proportion to its difficulty."""

    name: str
    senses: tuple[str, ...]
    share: np.ndarray  # of each sense, shape (K,)
    spread: np.ndarray  # [k, l]: probability that an error on sense k is the label l
    difficulty: float

    @classmethod
    def of(cls, printed: Printed, name: str) -> "Verb":
        """Make a verb: errors go to other senses as often as the paper shows them confused."""
        senses = printed.inventory(name)
        weight = np.full((len(senses), len(senses)), BASE_WEIGHT)
        shown = printed.disagreements.query("verb == @name")
        for row in shown.itertuples():
            one, two = senses.index(row.first), senses.index(row.second)
            weight[[one, two], [two, one]] += 1
        np.fill_diagonal(weight, 0)
        share = 1 / np.arange(1, len(senses) + 1)
        spread = weight / weight.sum(axis=1, keepdims=True)
        return cls(name, senses, share / share.sum(), spread, len(senses) - 1 + len(shown))

    def confusion(self, error: float) -> np.ndarray:
        """Return the confusion matrix on clear sentences, shape (K, K)."""
        return (1 - error) * np.eye(len(self.senses)) + error * self.spread

    def joint(self, error: float, scenario: Scenario) -> Tables:
        """Return the probability of each pair of labels."""
        s = scenario
        needless = np.full(len(self.senses), s.needless)
        clear = np.column_stack([(1 - s.needless) * self.confusion(error), needless])
        guess = np.append((1 - s.says_so) * self.share, s.says_so)
        pairs = (1 - s.unclear) * np.einsum("k,kl,km->lm", self.share, clear, clear)
        unclear = s.unclear * np.outer(guess, guess)
        dropped = s.thrown_out * unclear
        np.fill_diagonal(dropped, 0)
        dropped[-1], dropped[:, -1] = 0, 0
        return pairs + unclear - dropped, dropped


def verbs_of(printed: Printed) -> list[Verb]:
    """Make all verbs."""
    return [Verb.of(printed, name) for name in printed.verbs["verb"]]


def errors_of(verbs: Sequence[Verb], error: float) -> np.ndarray:
    """Return each verb's error rate, in proportion to its difficulty."""
    difficulty = np.array([verb.difficulty for verb in verbs])
    return np.minimum(error * difficulty / difficulty.mean(), 0.5)


def joints(verbs: Sequence[Verb], error: float, scenario: Scenario) -> list[Tables]:
    """Return the probability of each pair of labels, by verb."""
    own = errors_of(verbs, error)
    return [verb.joint(e, scenario) for verb, e in zip(verbs, own, strict=True)]


def as_printed(table: np.ndarray) -> float:
    """Return the share of equal labels among those without N/A (section 3.2)."""
    senses = table[:-1, :-1]
    return float(np.trace(senses) / senses.sum())


def calibrate(verbs: Sequence[Verb], scenario: Scenario, wanted: float) -> float:
    """Find the error rate at which the expected average is the printed one, at least 0."""

    def excess(error: float) -> float:
        average = np.mean([as_printed(kept) for kept, _ in joints(verbs, error, scenario)])
        return float(average) - wanted

    return 0.0 if excess(0.0) <= 0 else float(scipy.optimize.brentq(excess, 0.0, 0.4))


def draw(
    verbs: Sequence[Verb], error: float, scenario: Scenario, n: int, rng: np.random.Generator
) -> list[Tables]:
    """Draw n sentences of each verb: counts of pairs of labels."""
    tables = []
    for joint in joints(verbs, error, scenario):
        p = np.stack(joint)
        tables.append(tuple(rng.multinomial(n, p.ravel() / p.sum()).reshape(p.shape)))
    return tables


#: Everything is averaged over verbs but the pooled agreement.
MEASURES: Mapping[str, Callable[..., Any]] = {
    "retained": lambda kept, dropped: kept[:-1, :-1].sum() / (kept + dropped).sum(),
    "as_printed": lambda kept, dropped: as_printed(kept),
    "with_thrown_out": lambda kept, dropped: as_printed(kept + dropped),
    "na_is_a_label": lambda kept, dropped: np.trace(kept + dropped) / (kept + dropped).sum(),
    "kappa_retained": lambda kept, dropped: kappas(kept[:-1, :-1]),
    "kappa_na_is_a_label": lambda kept, dropped: kappas(kept + dropped),
}


def measure(tables: Sequence[Tables]) -> dict[str, float]:
    """Average every measure over the verbs, and pool the printed one over sentences."""
    values = {
        name: float(np.nanmean([function(*pair) for pair in tables]))
        for name, function in MEASURES.items()
    }
    senses = [kept[:-1, :-1] for kept, _ in tables]
    pooled = sum(map(np.trace, senses)) / sum(s.sum() for s in senses)
    return values | {"pooled_as_printed": pooled}


def scenarios(
    printed: Printed, verbs: Sequence[Verb], rng: np.random.Generator, *, n_studies: int
) -> pd.DataFrame:
    """Compare ways to handle N/A, by the share of unclear sentences.

    In each scenario errors are calibrated so that the paper's rule gives 95%. Where unclear
    sentences alone make it less, there are no errors and the 95% is not reached.
    """
    n = int(printed.design["sentences_per_verb"])
    rows = []
    for unclear, thrown_out in product(UNCLEAR, (0.0, USUAL.thrown_out, 1.0)):
        scenario = Scenario(unclear=unclear, thrown_out=thrown_out)
        error = calibrate(verbs, scenario, printed.agreement)
        runs = (draw(verbs, error, scenario, n, rng) for _ in range(n_studies))
        found = pd.Series([measure(run)["as_printed"] for run in runs])
        low, high = found.quantile([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        row = {"unclear": unclear, "thrown_out": thrown_out, "error": error}
        row |= measure(joints(verbs, error, scenario))
        rows.append(row | {"as_printed_lower": low, "as_printed_upper": high})
    return pd.DataFrame(rows)


def labels_of(verb: Verb, table: np.ndarray) -> Annotations:
    """Return the retained labels of a verb as annotations."""
    return Annotations.from_contingency(table[:-1, :-1], categories=verb.senses)


def verbs_table(verbs: Sequence[Verb], tables: Sequence[Tables]) -> pd.DataFrame:
    """Give each verb's agreement by the paper's rule with intervals, and corrected for chance."""
    rows = []
    for verb, (kept, dropped) in zip(verbs, tables, strict=True):
        labels = labels_of(verb, kept)
        share, kappa = agreement.percent_agreement(labels).estimate, agreement.cohen_kappa(labels)
        n = labels.n_items
        ends = proportion_interval(round(share * n), n, level=LEVEL, method="exact").limits
        of_kappa = kappa.estimate, *kappa.interval().limits
        on_all = MEASURES["na_is_a_label"](kept, dropped)
        rows.append((verb.name, len(verb.senses), n, share, *ends, *of_kappa, on_all))
    columns = ["verb", "senses", "retained", "agreement", "lower", "upper"]
    columns += ["kappa", "kappa_lower", "kappa_upper", "na_is_a_label"]
    return pd.DataFrame(rows, columns=columns)
