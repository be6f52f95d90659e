"""Sections 3.2 and 3.3: what kappa says of the share of easy items and of noise."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pandas as pd
import scipy.special
import scipy.stats

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench.noise import easy_hard
from annobench_replication.ledger import Computed
from annobench_replication.rows import value_row

from .printed import FAIR, NAMES, Printed


def labels_of(n_agreed: int, splits: Mapping[int, int], n_annotators: int) -> Annotations:
    """Make labels of two equally frequent categories with these majorities."""
    patterns = [(n_annotators, 0)[i % 2] for i in range(n_agreed)]
    for majority, count in splits.items():
        patterns += [(majority, n_annotators - majority)[i % 2] for i in range(count)]
    label = np.array([[a < k for a in range(n_annotators)] for k in patterns], dtype=int)
    item, annotator = np.indices(label.shape)
    frame = {"item": item.ravel(), "annotator": annotator.ravel(), "label": label.ravel()}
    return Annotations.from_frame(pd.DataFrame(frame))


def splits(printed: Printed) -> pd.DataFrame:
    """Compute Fleiss' kappa of the projects by how the disagreed items are split."""
    disagreed = printed.projects["n_disagreed"]
    agreed = printed.projects["n_items"] - disagreed
    n, d, j = agreed["five"], disagreed["five"], int(printed.projects.loc["five", "n_annotators"])
    # Of the patterns of five fair coins that differ, 10 of 30 are 4-1; their likeliest number:
    likely = int((d + 1) * Fraction(comb(j, j - 1), comb(j, j - 1) + comb(j, j - 2)))
    given = {
        "five.kappa_4_1": (j, n, {j - 1: d}),
        "five.kappa_3_2": (j, n, {j - 2: d}),
        "five.kappa_most_likely": (j, n, {j - 1: likely, j - 2: d - likely}),
    }
    for name in ("two", "reverse"):
        given[f"{name}.kappa"] = (2, agreed[name], {1: disagreed[name]})
    rows = []
    for target, (k, n_agreed, split) in given.items():
        found = agreement.fleiss_kappa(labels_of(n_agreed, split, k))
        ends = found.interval()
        rows.append(
            {"target": target, "n_annotators": k, "n_agreed": n_agreed}
            | {"splits": ", ".join(f"{c} of {m}-{k - m}" for m, c in split.items())}
            | {"observed_agreement": found.observed_agreement}
            | {"expected_agreement": found.expected_agreement, "kappa": found.estimate}
            | {"standard_error": found.standard_error, "lower": ends.lower, "upper": ends.upper}
            | {"without_minority_pairs": without_minority(k, n_agreed, split)}
            | kept_rates(k, n_agreed, split, printed)
        )
    return pd.DataFrame(rows).set_index("target")


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Name the projects of `splits` in words; their splits stand beside them."""
    projects = [NAMES[target.split(".")[0]] for target in table.index]
    return table.set_axis(pd.Index(projects, name="project")).reset_index()


def kept_rates(
    n_annotators: int, n_agreed: int, split: Mapping[int, int], printed: Printed
) -> dict[str, float]:
    """Bound the noise in percent if splits go into the gold standard by their majority."""
    chance, d = (
        easy_hard.agreement_chance(printed.numbers["coin"], n_annotators),
        sum(split.values()),
    )
    needed = (n_annotators, n_annotators - 1, n_annotators // 2 + 1)
    rates = {}
    for rule, smallest in zip(("all", "all_but_one", "majority"), needed, strict=True):
        kept = sum(count for majority, count in split.items() if majority >= smallest)
        rate = 100 * printed.bound(n_agreed + d, d, chance, kept).rate
        rates[f"noise_percent_{rule}"] = rate if n_annotators > 2 else np.nan
    return rates


def without_minority(n_annotators: int, n_agreed: int, split: Mapping[int, int]) -> float:
    """Compute kappa as if pairs that agree in the minority were not counted."""
    pairs = n_annotators * (n_annotators - 1) / 2
    agreeing = n_agreed + sum(c * m * (m - 1) / 2 / pairs for m, c in split.items())
    return 2 * agreeing / (n_agreed + sum(split.values())) - 1


def negative_kappa_probability(n_easy: int, n_hard: int) -> float:
    """Compute how often kappa of two annotators with fair coins is negative."""
    n, total = n_easy + n_hard, 0.0
    easy = scipy.stats.binom.pmf(np.arange(n_easy + 1), n_easy, FAIR)
    for both, weight in enumerate(scipy.stats.binom.pmf(np.arange(n_hard + 1), n_hard, 0.25)):
        rest = n_hard - both
        neither = np.arange(rest + 1)
        share = scipy.stats.binom.pmf(neither, rest, 1 / 3)
        split = rest - neither
        for k, chance in enumerate(easy):
            marginal = (2 * (k + both) + split) / (2 * n)
            kappa_sign = (1 - split / n) - (marginal**2 + (1 - marginal) ** 2)
            total += weight * chance * share[kappa_sign < 0].sum()
    return total


def kappas(table: pd.DataFrame, level: float) -> list[Computed]:
    """Return kappas with the intervals that labels of this kind would have."""
    found = table[["kappa", "lower", "upper"]].itertuples()
    return [value_row(target, tuple(kappa), level=level) for target, *kappa in found]


def values(splits: pd.DataFrame, table: pd.DataFrame, printed: Printed) -> dict[str, float]:
    """Compute what section 3.3 reads from kappa, and the identities it rests on."""
    numbers, kappa = printed.numbers, splits["kappa"]
    shares = np.linspace(0, 1, 21)
    distributions = [[0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5], [0.7, 0.1, 0.1, 0.1]]
    gaps = [abs(easy_hard.expected_kappa(e, q, q).kappa - e) for e in shares for q in distributions]
    thirds = [numbers["aickin_hard_first"], numbers["aickin_hard_second"]]
    hard, easy = np.array(thirds) / sum(thirds), aickin_easy(thirds)
    bias = [easy_hard.expected_kappa(e, easy, hard).kappa - e for e in shares[1:-1]]
    # Footnote 6: 3-2 splits for each 4-1 split.
    three_two, four_one = (
        float(scipy.special.comb(numbers["binomial_n"], numbers[f"binomial_{name}"]))
        for name in ("3_2", "4_1")
    )
    found = {
        "five.split_ratio": three_two / four_one if four_one else np.nan,
        "kappa.easy_share_gap": max(gaps),
        "kappa.negative_probability": negative_kappa_probability(10, 100),
        "aickin.uniform_gap": np.abs(aickin_easy([0.5, 0.5]) - 0.5).max(),
        "aickin.easy.first": 5 * easy[0],
        "aickin.easy.second": 5 * easy[1],
        "aickin.kappa_bias": max(bias),
        "two.kappa_hard_share": 100 * (1 - kappa["two.kappa"]),
        "two.kappa_easy_share": 100 * kappa["two.kappa"],
    }
    for name, target in (("two", "two.kappa"), ("five", "five.kappa_most_likely")):
        case = table.loc[name]
        n_easy = kappa[target] * case["n_items"]
        rate = 100 * (case["n_agreed"] - n_easy) / case["n_agreed"]
        found |= {f"{name}.kappa_n_easy": n_easy, f"{name}.kappa_rate": rate}
        found[f"{name}.kappa_rate_lower"] = rate - case["rate_percent"]
    return found


def aickin_easy(hard: Iterable[float]) -> np.ndarray:
    """Return the categories of easy items in Aickin's model: those of hard ones, squared."""
    square = np.asarray(list(hard)) ** 2
    return square / square.sum()


def mixtures(easy_share: float = 0.8) -> pd.DataFrame:
    """Compute expected kappa and noise for one share of easy items and many distributions."""
    shares = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
    rows = []
    for prevalence, hard, turned in product(shares, shares, (False, True)):
        guess = 1 - hard if turned else hard
        found = easy_hard.expected_kappa(easy_share, prevalence, guess)
        rows.append((easy_share, prevalence, guess, found.kappa, 100 * found.noise))
    columns = ["easy_share", "prevalence", "guess", "kappa", "noise_percent"]
    table = pd.DataFrame(rows, columns=columns)
    return table.drop_duplicates(["prevalence", "guess"], ignore_index=True)
