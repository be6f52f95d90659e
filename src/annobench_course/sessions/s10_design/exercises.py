"""Exercises of session 10: information and cost, size of a study, judges, methods compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench_course import (
    Choice,
    Exercise,
    Function,
    Given,
    Lesson,
    Mistake,
    Number,
    Part,
    Property,
    Simulation,
)

Floats = NDArray[np.float64]

LESSON = Lesson(
    summary="Plan how many items, labels and annotators a study needs, say when a language model "
    "may replace annotators, and compare a method of your own with published ones.",
    needs=("01_chance", "05_votes", "06_dawid_skene", "confidence intervals", "logarithms"),
    data=("ti_bluebird", "ti_rte", "metaphor_discourse_binary"),
    papers=("passonneau2014", "calderon2025", "li2019"),
    worksheet=("10.1", "10.3", "10.4"),
    timing=(
        Part(10, "the worksheet: bits, and bits per euro"),
        Part(20, "what a label is worth", ("10.2",)),
        Part(10, "items, labels and annotators", ("10.5",)),
        Part(25, "a language model as an annotator", ("10.6", "10.7")),
        Part(10, "a prevalence from a judge, the figure only"),
        Part(15, "the published baselines, and a method of your own"),
    ),
)

#: Standard errors that a right simulation may be off: a normal distribution leaves 4.2 of them less
#: than 3 times in 10^5.
STANDARD_ERRORS = 4.2
#: The quantile of a 95% interval.
Z = 1.96

# ------------------------------------------------------------------------------- information


def _entropy(probability: ArrayLike) -> float:
    p = np.asarray(probability, dtype=np.float64)
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def _joint(given: Given, prevalence: float | None = None) -> Floats:
    """Return the joint distribution of category and label, the positive category first."""
    p = given["prevalence"] if prevalence is None else prevalence
    right, left = given["sensitivity"], given["specificity"]
    return np.array([[p * right, p * (1 - right)], [(1 - p) * (1 - left), (1 - p) * left]])


def _bits(joint: Floats) -> float:
    return _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0)) - _entropy(joint)


def _annotator(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "prevalence": round(float(rng.choice([0.1, 0.15, 0.2, 0.25, 0.3])), 2),
        "sensitivity": int(rng.integers(70, 96)) / 100,
        "specificity": int(rng.integers(60, 96)) / 100,
    }


BITS = Number(
    id="10.1",
    title="Bits of a label",
    given=_annotator,
    solve=lambda given: _bits(_joint(given)),
    digits=3,
    mistakes=(
        Mistake(
            "nats",
            lambda given: _bits(_joint(given)) * math.log(2),
            "This is in nats. For bits take logarithms to base 2.",
        ),
        Mistake(
            "entropy that is left",
            lambda given: _entropy(_joint(given)) - _entropy(_joint(given).sum(axis=0)),
            "This is the entropy that is left after the label. The question asks how much the "
            "label takes away from the entropy before it.",
        ),
        Mistake(
            "entropy before the label",
            lambda given: _entropy(_joint(given).sum(axis=1)),
            "This is the entropy before the label: all there is to know. The label doesn't give "
            "all of it.",
        ),
        Mistake(
            "entropy of the label",
            lambda given: _entropy(_joint(given).sum(axis=0)),
            "This is the entropy of the label. A part of it is the annotator's noise, and is "
            "unrelated to the category.",
        ),
        Mistake(
            "accuracy",
            lambda given: float(np.trace(_joint(given))),
            "This is the share of right labels. Bits measure how much less uncertain one is after "
            "a label.",
        ),
        Mistake(
            "equal prevalence",
            lambda given: _bits(_joint(given, 0.5)),
            "This supposes that both categories are equally frequent. Multiply the rows by the "
            "prevalence that is given.",
        ),
    ),
)


def _confusions(rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Draw a prevalence and a confusion matrix; the last matrix has zeros."""
    pairs = []
    for k in (2, 2, 3, 4):
        confusion = rng.dirichlet(np.ones(k), size=k) + 1.5 * np.eye(k)
        pairs.append((rng.dirichlet(np.full(k, 4.0)), confusion / confusion.sum(axis=1)[:, None]))
    pairs.append((np.array([0.2, 0.3, 0.5]), np.array([[1, 0, 0], [0, 0.9, 0.1], [0, 0, 1.0]])))
    return pairs


def _mutual_information(prevalence: ArrayLike, confusion: ArrayLike) -> float:
    """Return the library's bits of one annotator."""
    from annobench.evaluation import information

    return float(information.mutual_information(prevalence, np.asarray(confusion)[None])[0])


def _bits_of(joint: Floats) -> float:
    return _bits(joint / joint.sum())


def _with_zeros(prevalence: Floats, confusion: Floats) -> float:
    """Return what becomes of 0 log 0 if nothing is done about it."""
    joint = prevalence[:, None] * confusion
    with np.errstate(all="ignore"):
        product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        return float((joint * np.log2(joint / product)).sum())


def _nothing_from_spammers(function: Any, prevalence: Floats, confusion: Floats) -> bool:
    spammer = np.tile(np.full(len(prevalence), 1 / len(prevalence)), (len(prevalence), 1))
    return bool(abs(function(prevalence, spammer)) < 1e-6)


def _at_most_all(function: Any, prevalence: Floats, confusion: Floats) -> bool:
    return bool(function(prevalence, confusion) <= _entropy(prevalence) + 1e-6)


MUTUAL_INFORMATION = Function(
    id="10.2",
    title="Mutual information",
    signature="mutual_information(prevalence, confusion)",
    reference=_mutual_information,
    inputs=_confusions,
    properties=(
        Property(
            "nothing from a spammer",
            _nothing_from_spammers,
            "Labels that do not depend on the category must give 0 bits; with yours they give "
            "something.",
        ),
        Property(
            "at most the entropy",
            _at_most_all,
            "A label can't give more than there is to know, the entropy of the category; yours "
            "does.",
        ),
    ),
    mistakes=(
        Mistake(
            "nats",
            lambda prevalence, confusion: _mutual_information(prevalence, confusion) * math.log(2),
            "This is in nats. For bits take logarithms to base 2.",
        ),
        Mistake(
            "equal prevalence",
            lambda prevalence, confusion: _bits_of(confusion),
            "Your answer does not depend on the prevalence. The rows of the confusion matrix are "
            "distributions; multiply each by the probability of its category.",
        ),
        Mistake(
            "columns for rows",
            lambda prevalence, confusion: _bits_of(confusion * prevalence),
            "You multiplied the columns by the prevalence. Rows are the categories, columns the "
            "labels: prevalence[:, None] * confusion.",
        ),
        Mistake(
            "entropy that is left",
            lambda prevalence, confusion: (
                _entropy(prevalence) - _mutual_information(prevalence, confusion)
            ),
            "This is the entropy that is left after the label. Subtract it from the entropy of the "
            "prevalence.",
        ),
        Mistake(
            "zero times logarithm of zero",
            _with_zeros,
            "NumPy makes NaN of 0 log 0, which stands for nothing here: sum over the cells that "
            "are above 0 only.",
        ),
    ),
)

# ------------------------------------------------------------------------------------- cost


def _curve(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the information of 1 to 6 labels of equally good annotators, and prices in euros."""
    from annobench.evaluation import information

    p, right, left = rng.uniform(0.25, 0.5), rng.uniform(0.65, 0.85), rng.uniform(0.65, 0.85)
    matrix = [[right, 1 - right], [1 - left, left]]
    curve = information.information_curve([p, 1 - p], [matrix] * 6)
    return {
        "bits": pd.Series(
            curve.information[1:].round(3), index=pd.RangeIndex(1, 7, name="labels"), name="bits"
        ),
        "price_of_item": float(rng.choice([0.2, 0.3, 0.4, 0.5])),
        "price_of_label": float(rng.choice([0.05, 0.1, 0.15])),
    }


def _rates(given: Given, *, with_item: bool = True) -> Floats:
    labels = np.arange(1, 7)
    cost = given["price_of_label"] * labels + (given["price_of_item"] if with_item else 0)
    return np.asarray(given["bits"].to_numpy() / cost)


def _gain_of_next(given: Given) -> float:
    """Return the bits per euro that the last of the best number of labels adds."""
    best = int(_rates(given).argmax())
    bits = np.concatenate([[0.0], given["bits"].to_numpy()])
    return float((bits[best + 1] - bits[best]) / given["price_of_label"])


BEST_RATE = Number(
    id="10.3",
    title="Bits per euro",
    given=_curve,
    solve=lambda given: float(_rates(given).max()),
    digits=3,
    mistakes=(
        Mistake(
            "items for nothing",
            lambda given: float(_rates(given, with_item=False).max()),
            "You divided by the price of the labels alone. Finding and preparing an item costs as "
            "well, once for each item.",
        ),
        Mistake(
            "one label",
            lambda given: float(_rates(given)[0]),
            "This is the rate with one label per item. The item is paid for already: a second "
            "label may be worth its price.",
        ),
        Mistake(
            "all labels",
            lambda given: float(_rates(given)[-1]),
            "This is the rate with all six labels. The last ones are worth little for their price.",
        ),
        Mistake(
            "number of labels",
            lambda given: float(_rates(given).argmax() + 1),
            "This is the best number of labels. The question asks how many bits per euro it "
            "brings.",
        ),
        Mistake(
            "last label alone",
            _gain_of_next,
            "This is what the last label adds for its own price. The question asks for what all "
            "labels of the item and the item itself bring for their price.",
        ),
    ),
)


def _survey(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "share": round(float(rng.choice([0.2, 0.25, 0.3, 0.35, 0.4])), 2),
        "n_items": int(rng.choice([100, 150, 200, 250, 300])),
        "labels_per_item": int(rng.integers(3, 9)),
        "correlation": round(float(rng.choice([0.2, 0.25, 0.3, 0.4, 0.5])), 2),
    }


def _half_width(given: Given, design_effect: float | None = None) -> float:
    m = given["labels_per_item"]
    effect = 1 + (m - 1) * given["correlation"] if design_effect is None else design_effect
    variance = given["share"] * (1 - given["share"]) * effect / (given["n_items"] * m)
    return Z * math.sqrt(variance)


HALF_WIDTH = Number(
    id="10.4",
    title="How exact is a share?",
    given=_survey,
    solve=_half_width,
    digits=4,
    mistakes=(
        Mistake(
            "independent labels",
            lambda given: _half_width(given, 1.0),
            "This treats all labels as independent. Labels of one item resemble each other: "
            "divide their number by the design effect.",
        ),
        Mistake(
            "one label per item",
            lambda given: _half_width(given, given["labels_per_item"]),
            "This counts only the items, as if further labels of an item added nothing. With "
            "a correlation below 1 they add something.",
        ),
        Mistake(
            "m for m - 1",
            lambda given: _half_width(given, 1 + given["labels_per_item"] * given["correlation"]),
            "In the design effect it is m - 1: one label per item has no other to resemble.",
        ),
        Mistake(
            "whole width",
            lambda given: 2 * _half_width(given),
            "This is the width of the whole interval; the question asks for half of it.",
        ),
        Mistake(
            "standard error",
            lambda given: _half_width(given) / Z,
            "This is the standard error. A 95% interval reaches 1.96 of them to either side.",
        ),
    ),
)

ITEMS_OR_LABELS = Choice(
    id="10.5",
    title="What to buy",
    options={
        "items": "2000 items with one label each, by many annotators.",
        "labels": "200 items with ten labels each, by many annotators.",
        "one annotator": "2000 items with one label each, all by the annotator who is best.",
        "same": "It makes no difference: all three have 2000 labels.",
    },
    right="items",
    reasons={
        "items": "Each label is of an item of its own. Ten labels of an item would say more about "
        "this item, which nobody asked for.",
        "labels": "Ten labels say much about each of 200 items. The share in all texts is "
        "estimated from 200 items, and varies as they do.",
        "one annotator": "This is a sample of one annotator: their threshold is in every label, "
        "and 2000 items do not average it out.",
        "same": "The number of labels is the same, the number of independent ones is not.",
    },
)

# ------------------------------------------------------------------------------------ judges


def _judged(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    """Draw labels of a judge, of a human, and of others, -1 where there is none."""
    inputs: list[tuple[Any, ...]] = []
    for n_items, n_others, n_categories in ((4, 2, 2), (8, 3, 2), (20, 4, 3), (40, 5, 3)):
        truth = rng.integers(0, n_categories, n_items)
        noisy = [
            np.where(rng.random(n_items) < 0.6, truth, rng.integers(0, n_categories, n_items))
            for _ in range(n_others + 2)
        ]
        others = np.stack(noisy[2:], axis=1)
        others[(rng.random(others.shape) < 0.3) & (np.arange(n_others) > 0)] = -1
        inputs.append((noisy[0], noisy[1], others))
    return inputs


def _score(labels: ArrayLike, others: NDArray[np.int64]) -> Floats:
    """Return the share of the other humans of each item who gave the same label."""
    same = (others == np.asarray(labels)[:, None]).sum(axis=1)
    return np.asarray(same / (others >= 0).sum(axis=1))


def _advantage(judge: ArrayLike, human: ArrayLike, others: NDArray[np.int64]) -> float:
    return float((_score(judge, others) >= _score(human, others)).mean())


def _equal_judge(advantage: Any, judge: Any, human: Any, others: Any) -> bool:
    return bool(abs(advantage(human, human, others) - 1) < 1e-6)


ADVANTAGE = Function(
    id="10.6",
    title="The judge's advantage",
    signature="advantage(judge, human, others)",
    reference=_advantage,
    inputs=_judged,
    properties=(
        Property(
            "a judge who repeats the human",
            _equal_judge,
            "A judge whose labels are the human's is at least as good on every item: the answer "
            "must be 1.",
        ),
    ),
    mistakes=(
        Mistake(
            "ties lost",
            lambda judge, human, others: float(
                (_score(judge, others) > _score(human, others)).mean()
            ),
            "You counted the items on which the judge is better. At least as good is enough: where "
            "both agree with as many others, the judge wins as well.",
        ),
        Mistake(
            "agreement with the human",
            lambda judge, human, others: float((judge == human).mean()),
            "This is how often judge and human agree. They are compared by how many of the others "
            "agree with each.",
        ),
        Mistake(
            "human for judge",
            lambda judge, human, others: _advantage(human, judge, others),
            "This is the share of items on which the human is at least as good as the judge.",
        ),
        Mistake(
            "ties left out",
            lambda judge, human, others: _without_ties(judge, human, others),
            "You left out the items on which both agree with as many others. There the judge is at "
            "least as good: they count.",
        ),
        Mistake(
            "difference of the mean scores",
            lambda judge, human, others: float(
                (_score(judge, others) - _score(human, others)).mean()
            ),
            "This is the difference of the mean scores. The test counts items: on which share of "
            "them is the judge at least as good?",
        ),
    ),
)


def _without_ties(judge: ArrayLike, human: ArrayLike, others: NDArray[np.int64]) -> float:
    difference = _score(judge, others) - _score(human, others)
    return float((difference[difference != 0] > 0).mean()) if difference.any() else 1.0


JUDGE = Choice(
    id="10.7",
    title="A judge that passes",
    options={
        "not enough": "It agrees with annotators about as often as they agree with each other.",
        "replace": "It may replace the annotators: that is what the test is made to show.",
        "better": "It is better than the annotators, since its advantage probability is above "
        "one half.",
        "smaller": "Nothing; with a smaller margin of .1 in place of .2 the test would be valid.",
    },
    right="not enough",
    reasons={
        "not enough": "Within the margin, that is. Whether it distinguishes the categories must "
        "be shown besides, by its sensitivity and specificity on gold items: the birds showed a "
        "judge without eyes that passes.",
        "replace": "A judge that always gives the most frequent label agrees with many annotators "
        "more often than they do with each other, and is uninformative.",
        "better": "Ties count for the judge, so that two annotators of equal quality both have an "
        "advantage far above one half.",
        "smaller": "A smaller margin makes the test stricter for every judge, for the expert as "
        "well; it doesn't let it see what the judge knows.",
    },
)


def _judge_rates(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the rates of a judge, and the share that it judges positive."""
    sensitivity, specificity = int(rng.integers(75, 96)) / 100, int(rng.integers(65, 91)) / 100
    theta = rng.uniform(0.1, 0.5)
    share = theta * sensitivity + (1 - theta) * (1 - specificity)
    return {
        "judged_positive": round(float(share), 3),
        "sensitivity": sensitivity,
        "specificity": specificity,
    }


def _youden(given: Given) -> float:
    return float(given["sensitivity"] + given["specificity"] - 1)


ROGAN_GLADEN = Number(
    id="10.8",
    title="Prevalence behind a judge",
    given=_judge_rates,
    solve=lambda given: (given["judged_positive"] + given["specificity"] - 1) / _youden(given),
    digits=3,
    mistakes=(
        Mistake(
            "uncorrected",
            lambda given: given["judged_positive"],
            "This is the share that the judge calls positive. It has false alarms, and lacks the "
            "positives that the judge missed.",
        ),
        Mistake(
            "sensitivity for specificity",
            lambda given: (given["judged_positive"] + given["sensitivity"] - 1) / _youden(given),
            "You mistook the sensitivity for the specificity. False alarms come from negative "
            "items: their rate is 1 - specificity.",
        ),
        Mistake(
            "not divided",
            lambda given: given["judged_positive"] + given["specificity"] - 1,
            "You subtracted the false alarms, as if all items were negative. The rest still has to "
            "be divided by sensitivity + specificity - 1.",
        ),
        Mistake(
            "sensitivity alone",
            lambda given: given["judged_positive"] / given["sensitivity"],
            "You corrected for missed positives only. The share has false alarms as well.",
        ),
    ),
)


def _judge_of_sample(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "prevalence": round(float(rng.choice([0.1, 0.2, 0.3])), 2),
        "sensitivity": int(rng.integers(72, 86)) / 100,
        "specificity": int(rng.integers(66, 81)) / 100,
        "n_items": 1000,
        "runs": 4000,
    }


def _judged_share(given: Given) -> float:
    p = given["prevalence"]
    return float(p * given["sensitivity"] + (1 - p) * (1 - given["specificity"]))


def _spread(value: float, given: Given) -> tuple[float, float]:
    """Return 4.2 standard errors either side of a standard deviation, over the runs.

    A share of 1000 items is normal but for less than the margin, and the standard deviation of R
    normal numbers has a standard error of its own size divided by the root of 2 R.
    """
    half = STANDARD_ERRORS * value / math.sqrt(2 * given["runs"])
    return value - half, value + half


def _corrected_spread(given: Given) -> tuple[float, float]:
    """Return the limits of the standard deviation of corrected shares, see `_spread`.

    The share judged positive is binomial with probability q, and the correction divides it by
    sensitivity + specificity - 1, with which its standard deviation grows.
    """
    q = _judged_share(given)
    return _spread(math.sqrt(q * (1 - q) / given["n_items"]) / _youden(given), given)


def _raw_spread(given: Given) -> tuple[float, float]:
    q = _judged_share(given)
    return _spread(math.sqrt(q * (1 - q) / given["n_items"]), given)


def _true_spread(given: Given) -> tuple[float, float]:
    p = given["prevalence"]
    return _spread(math.sqrt(p * (1 - p) / given["n_items"]), given)


def _variance(given: Given) -> tuple[float, float]:
    low, high = _corrected_spread(given)
    return low**2, high**2


def _error_of_mean(given: Given) -> tuple[float, float]:
    low, high = _corrected_spread(given)
    return low / math.sqrt(given["runs"]), high / math.sqrt(given["runs"])


PRICE_OF_CORRECTION = Simulation(
    id="10.9",
    title="What the correction costs",
    given=_judge_of_sample,
    interval=_corrected_spread,
    mistakes=(
        Mistake(
            "uncorrected",
            _raw_spread,
            "This is the standard deviation of the share that the judge calls positive. Correct "
            "the share in each run first.",
        ),
        Mistake(
            "without a judge",
            _true_spread,
            "This is the standard deviation of the share of positive items in the sample. They are "
            "known only through the judge, which errs.",
        ),
        Mistake(
            "variance",
            _variance,
            "This is the variance. Take its square root.",
        ),
        Mistake(
            "standard error of the mean",
            _error_of_mean,
            "You divided by the root of the number of runs. A study is one run: the question "
            "asks how much single runs vary.",
        ),
    ),
)

EXERCISES: list[Exercise] = [
    BITS,
    MUTUAL_INFORMATION,
    BEST_RATE,
    HALF_WIDTH,
    ITEMS_OR_LABELS,
    ADVANTAGE,
    JUDGE,
    ROGAN_GLADEN,
    PRICE_OF_CORRECTION,
]
