"""The extension: the threshold on real judgements of metaphor, in two studies."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import scipy.stats

from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.noise.reliability_threshold import deliberate

from .values import LEVEL

CONFIDENCES = (0.95, 0.99, 0.999)
MARK = "met"


@dataclass(frozen=True, eq=False)
class Discourse:
    """Both studies of the same pieces of discourse; arrays have one number per item."""

    decisions: Annotations  # of study 2: "lit" or "met"
    marks: np.ndarray  # decisions for "met"
    rating: np.ndarray  # of study 1: mean rating
    adjusted: np.ndarray  # the same of ratings less their annotator's mean
    pair: np.ndarray  # code of the pair of expressions that the item was collected for

    @classmethod
    def of(cls, rating: LoadedData, decision: LoadedData) -> "Discourse":
        """Match the studies by item."""
        a, b = rating.annotations, decision.annotations
        value = a.label + 1.0
        of_annotator = np.bincount(a.annotator, weights=value) / np.bincount(a.annotator)
        n = np.bincount(a.item)
        mean = np.bincount(a.item, weights=value) / n
        adjusted = np.bincount(a.item, weights=value - of_annotator[a.annotator]) / n
        place = pd.Index(a.items).get_indexer(pd.Index(b.items))
        if (place < 0).any() or len(place) != a.n_items:
            raise ValueError("Discourse: the two studies have different items.")
        marks = b.counts[:, b.categories.index(MARK)]
        about = decision.items[["literal", "metaphorical"]].fillna("").agg(" / ".join, axis=1)
        pair = pd.factorize(about)[0]
        return cls(b, marks, mean[place], adjusted[place], pair)

    def share(self, label: str) -> float:
        """Return a label's share of all decisions."""
        return float(np.mean(self.decisions.label == self.decisions.categories.index(label)))

    def reliable(self) -> np.ndarray:
        """Say which items are reliably deliberate by the paper's rule, with one rate for all."""
        rate, confidence = self.share(MARK), CONFIDENCES[-1]
        return deliberate(self.decisions, MARK, level=confidence, rates=rate).reliable


def thresholds(study: Discourse) -> pd.DataFrame:
    """Find thresholds for both labels, with one rate for all annotators and with own rates."""
    rows = []
    for label, confidence in product(study.decisions.categories, CONFIDENCES):
        share = study.share(label)
        for rates, name in ((share, "one rate for all"), (None, "each annotator's own")):
            found = deliberate(study.decisions, label, level=confidence, rates=rates)
            needed, n = found.threshold, found.n_labels
            rows.append(
                {"label": label, "share": share, "confidence": confidence, "rates": name}
                | {"threshold_least": needed.min(), "threshold_median": np.median(needed)}
                | {"threshold_most": needed.max(), "without_threshold": (needed > n).sum()}
                | {"reliable_items": found.reliable.sum()}
                | {"expected_by_chance": found.expected_items}
            )
    return pd.DataFrame(rows)


def groups(study: Discourse, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Compare study 1's ratings of items with no, few and reliably many marks."""
    reliable, no_mark = study.reliable(), study.marks == 0
    sets = {"no mark": no_mark, "unreliable": ~reliable & ~no_mark, "reliable": reliable}
    rows = []
    for rating in ("rating", "adjusted"):
        value = getattr(study, rating)
        for name, chosen in sets.items():
            row = {"rating": rating, "comparison": name, "items": int(chosen.sum())}
            rows.append(row | mean_interval(value[chosen]))
        for first, second in (("unreliable", "no mark"), ("reliable", "unreliable")):
            one, two = sets[first], sets[second]
            high, low = value[one], value[two]
            ends = scipy.stats.ttest_ind(high, low, equal_var=False).confidence_interval(LEVEL)
            both = one | two
            p = permutation_test(value[both], one[both], study.pair[both], rng, replicates)
            above = scipy.stats.mannwhitneyu(high, low).statistic
            rows.append(
                {"rating": rating, "comparison": f"{first} less {second}"}
                | {"items": int(both.sum()), "mean": high.mean() - low.mean()}
                | {"lower": ends.low, "upper": ends.high, "p_within_pairs": p}
                | {"auc": float(above / (high.size * low.size))}
            )
    return pd.DataFrame(rows)


def mean_interval(values: np.ndarray) -> dict[str, float]:
    """Return the mean with its interval."""
    half = scipy.stats.t.ppf((1 + LEVEL) / 2, values.size - 1) * scipy.stats.sem(values)
    return {"mean": values.mean(), "lower": values.mean() - half, "upper": values.mean() + half}


def permutation_test(
    value: np.ndarray, first: np.ndarray, pair: np.ndarray, rng: np.random.Generator, n: int
) -> float:
    """Test a difference of means by n times exchanging items of the same pair of expressions."""
    order = np.argsort(pair, kind="stable")
    value, first, pair = value[order], first[order], pair[order]
    # Sorting random keys within each pair permutes there and nowhere else. The permuted values
    # keep the differences between pairs, so the difference of means is not 0 on average.
    shuffled = value[np.argsort(rng.random((n, pair.size)) + pair, axis=1)]
    drawn = shuffled[:, first].mean(axis=1) - shuffled[:, ~first].mean(axis=1)
    observed = value[first].mean() - value[~first].mean()
    as_far = np.abs(drawn - drawn.mean()) >= abs(observed - drawn.mean())
    return float((1 + as_far.sum()) / (1 + n))


def by_marks(study: Discourse) -> pd.DataFrame:
    """List the mean rating by the number of marks."""
    n = np.bincount(study.marks)
    return pd.DataFrame(
        {"marks": k, "items": int(n[k])} | mean_interval(study.rating[study.marks == k])
        for k in np.flatnonzero(n > 1)
    )


def beyond_the_number(study: Discourse) -> pd.DataFrame:
    """Ask whether the split tells more than the number of marks: a line with a step.

    Errors are clustered by pair of expressions.
    """
    step = study.reliable().astype(float)
    x = np.column_stack([np.ones(step.size), study.marks, step])
    inverse = np.linalg.inv(x.T @ x)
    slope = inverse @ x.T @ study.rating
    score = x * (study.rating - x @ slope)[:, None]
    n_pairs = study.pair.max() + 1
    by_pair = np.array([score[study.pair == p].sum(axis=0) for p in range(n_pairs)])
    small = n_pairs / (n_pairs - 1) if n_pairs > 1 else 1.0
    error = np.sqrt(np.diag(small * inverse @ by_pair.T @ by_pair @ inverse))
    t = scipy.stats.t(max(n_pairs - 1, 1))
    half = t.ppf((1 + LEVEL) / 2) * error
    table = pd.DataFrame({"term": ["constant", "each mark", "step at the threshold"]})
    table = table.assign(estimate=slope, lower=slope - half, upper=slope + half)
    return table.assign(p_value=2 * t.sf(np.abs(slope / error)))
