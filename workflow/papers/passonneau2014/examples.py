"""The worked examples of section 2, and what printed numbers imply of one another."""

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from annobench.evaluation import information
from annobench.resampling import Interval, normal_interval, proportion_interval

from .corpus import FOUR

#: Of the two categories.
Prior = tuple[Fraction, Fraction]
#: By target, or by what they are called in a table.
Values = dict[str, float]


def chance_paradox(prevalence: float, accuracy: float) -> Values:
    """Return agreement and its coefficient of two annotators who err independently."""
    observed = accuracy**2 + (1 - accuracy) ** 2
    share = prevalence * accuracy + (1 - prevalence) * (1 - accuracy)
    expected = share**2 + (1 - share) ** 2
    return {
        "paradox.observed_agreement": observed,
        "paradox.majority_label_share": share,
        "paradox.minority_label_share": 1 - share,
        "paradox.coefficient": (observed - expected) / (1 - expected),
    }


def coefficient_range(n_items: int) -> tuple[float, float]:
    """Return the minimum and maximum of chance-adjusted agreement over all 2 x 2 tables."""
    cells = itertools.product(range(n_items + 1), repeat=3)
    a, b, c = np.array([abc for abc in cells if sum(abc) <= n_items]).T
    d = n_items - a - b - c
    observed = (a + d) / n_items
    expected = ((a + b) * (a + c) + (c + d) * (b + d)) / n_items**2
    possible = expected < 1
    found = (observed[possible] - expected[possible]) / (1 - expected[possible])
    return float(found.min()), float(found.max())


def confusion_matrices(examples: pd.DataFrame) -> dict[str, list[list[Fraction]]]:
    """Return the matrices of section 2.2.1 by annotator, rows by true category."""
    first = examples["label1"].map(Fraction)
    of = first.groupby(examples["annotator_category"].str.split("/").str[0], sort=False)
    return {name: [[share, 1 - share] for share in part] for name, part in of}


def worked_example(examples: pd.DataFrame, prior: Prior, given: Mapping[str, int]) -> Values:
    """Compute the posterior of section 2.2.1 exactly, from the labels by annotator."""
    matrices, labels = confusion_matrices(examples), list(given.values())
    joint = [math.nan, math.nan]
    if set(labels) <= {1, 2}:
        joint = [
            float(p * math.prod(matrices[who][k][label - 1] for who, label in given.items()))
            for k, p in enumerate(prior)
        ]
    total = sum(joint)
    posterior = [each / total if total else math.nan for each in joint]
    return {
        **{f"example.joint.{k}": each for k, each in enumerate(joint, start=1)},
        **{f"example.posterior.{k}": each for k, each in enumerate(posterior, start=1)},
        "example.majority": max(labels, key=labels.count),
    }


def example_information(examples: pd.DataFrame, prior: Prior) -> Values:
    """Compute the entropies and mutual informations of section 2.2.2."""
    matrices = confusion_matrices(examples)
    names, confusion = list(matrices), np.array(list(matrices.values()), dtype=float)
    prevalence = [float(p) for p in prior]
    left = dict(zip(names, information.conditional_entropy(prevalence, confusion), strict=True))
    bits = dict(zip(names, information.mutual_information(prevalence, confusion), strict=True))
    people = [name for name in names if name.isdigit()]
    return {
        **{f"information.conditional_entropy.{n}": left[n] for n in people},
        **{f"information.mutual.{n}": bits[n] for n in people},
        "information.best_annotator": int(max(people, key=bits.__getitem__)),
        "information.spam": bits["spam"],
        "information.perfect_conditional_entropy": left["perfect"],
    }


def interval(k: float, n: float, level: float, kind: Any = "normal") -> Interval:
    """Return the interval of a proportion, by the normal approximation or a better method."""
    if kind != "normal":
        return proportion_interval(int(k), int(n), level=level, method=kind)
    return normal_interval(k / n, math.sqrt(k / n * (1 - k / n) / n), level)


def closed_forms(number: pd.Series, examples: pd.DataFrame) -> Values:
    """Compute everything in section 2, and the interval of section 3.2."""
    prevalence = Fraction(str(number["example_prevalence_1"]))
    prior = (prevalence, 1 - prevalence)
    given = {n: int(number[f"example_label_{n}"]) for n in "123"}
    n, correct = number["accuracy_interval_n"], number["accuracy_interval_correct"]
    accuracy = interval(correct, n, number["accuracy_interval_level"])
    items, rare = number["prevalence_interval_n"], number["prevalence_interval_prevalence"]
    rare_sense = interval(items * rare, items, number["prevalence_interval_level"])
    minimum, maximum = coefficient_range(6)
    adversaries = chance_paradox(number["paradox_prevalence"], number["adversaries_accuracy"])
    return {
        "coefficient.min": minimum,
        "coefficient.max": maximum,
        "both_wrong.share": 100 * (1 - number["both_wrong_accuracy"]) ** 2,
        **chance_paradox(number["paradox_prevalence"], number["paradox_accuracy"]),
        "adversaries.coefficient": 100 * adversaries["paradox.coefficient"],
        "accuracy_interval.lower": 100 * accuracy.lower,
        "accuracy_interval.upper": 100 * accuracy.upper,
        "bootstrap.factor": normal_interval(0, 1, number["bootstrap_level"]).upper,
        **worked_example(examples, prior, given),
        "voting.max_weight": math.log(1),
        **example_information(examples, prior),
        "prevalence_interval.expected": items * rare,
        "prevalence_interval.half_width": rare_sense.half_width,
    }


def table(values: Mapping[str, float], number: pd.Series) -> pd.DataFrame:
    """List the worked cases, with better intervals beside the normal approximation."""
    rows = {name: float(value) for name, value in values.items()}
    items = int(number["prevalence_interval_n"])
    rare, level = number["prevalence_interval_prevalence"], number["prevalence_interval_level"]
    right, of = number[["accuracy_interval_correct", "accuracy_interval_n"]]
    cases = {
        "accuracy_interval": (right, of),
        "prevalence_interval": (round(rare * items), items),
        "prevalence_interval of 100 items": (round(rare * 100), 100),
    }
    for (case, (k, n)), kind in itertools.product(cases.items(), ("normal", "wilson", "exact")):
        found = interval(k, n, level, kind)
        rows[f"{case}.lower, {kind}"] = 100 * found.lower
        rows[f"{case}.upper, {kind}"] = 100 * found.upper
    return pd.DataFrame({"case": rows.keys(), "value": rows.values()})


def with_sense(counts: pd.DataFrame) -> pd.DataFrame:
    """Split the first column of Figure 5's table into word and sense, which may be "rest"."""
    parts = counts["word_sense"].str.split("/", expand=True)
    return counts.assign(word=parts[0], sense=parts[1])


def arithmetic(number: pd.Series, words: pd.DataFrame) -> Values:
    """Compute what printed numbers imply of one another."""
    unit = unit_costs(number)
    printed = words.set_index(words["word"].str.split("-").str[0])
    ranks = printed.loc[list(FOUR), "alpha"].rank(ascending=False)
    result = {
        "low_alpha.n_words": (words["alpha"] < number["low_alpha_threshold"]).sum(),
        "figure6.add.rank": ranks["add"],
        "figure6.help.rank": ranks["help"],
        "figure7.n_words": number["figure7_n_high"] + number["figure7_n_low"],
        **{f"cost.{who}_unit": dollars for who, dollars in unit.items()},
        "cost.ratio": unit["crowd"] / unit["trained"],
    }
    for name in FOUR:
        result[f"figure4.{name}.alpha"] = printed.loc[name, "alpha"]
        result[f"figure4.text.{name}.alpha"] = printed.loc[name, "alpha"]
        result[f"figure4.{name}.agreement"] = printed.loc[name, "agreement"]
    return result


def sums(number: pd.Series, counts: pd.DataFrame) -> Values:
    """Compute from other printed numbers what the labels determine as well."""
    counts = with_sense(counts)
    rest = counts["sense"] == "rest"
    subtotal = counts[~rest].groupby("word")["count"].sum()
    left = counts[rest].set_index("word")["count"]
    p = number["paradox_prevalence"]
    chance = p**2 + (1 - p) ** 2
    return {
        "paradox.coefficient": (number["paradox_accuracy"] - chance) / (1 - chance),
        "uncertain.help": 100 * left["help"] / (subtotal["help"] + left["help"]),
        **{f"figure5.{name}.subtotal.count": subtotal[name] for name in FOUR},
        **{f"figure5.{name}.total.count": subtotal[name] + left[name] for name in FOUR},
    }


def unit_costs(number: pd.Series) -> Values:
    """Return dollars per item, by the printed totals."""
    return {
        who: number[f"cost_{who}_total"]
        / (number[f"cost_{who}_words"] * number[f"cost_{who}_sentences"])
        for who in ("trained", "crowd")
    }
