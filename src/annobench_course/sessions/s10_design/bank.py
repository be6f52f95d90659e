"""Questions on session 10: information and cost, size of a study, judges, methods compared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.sessions.s10_design.exercises import Z
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion

# ---------------------------------------------------------------------------------- the exam


def _wins(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "mean": round(float(rng.uniform(-0.1, 0.12)), 3),
        "deviation": round(float(rng.uniform(0.35, 0.6)), 2),
        "n_items": int(rng.integers(40, 151)),
        "margin": float(rng.choice([0.1, 0.15, 0.2])),
    }


def _t(given: Given, margin: float) -> float:
    return float((given["mean"] - margin) / given["deviation"] * math.sqrt(given["n_items"]))


def _tests(rng: np.random.Generator) -> dict[str, Any]:
    return {"n": int(rng.integers(4, 9)), "rank": int(rng.integers(2, 4))}


def _systems(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "difference": int(rng.integers(2, 6)),
        "discordance": int(rng.integers(8, 21)),
    }


def _connor(given: Given, power: float = 0.842, level: float = 1.96) -> float:
    d, psi = given["difference"] / 100, given["discordance"] / 100
    return float(((level * math.sqrt(psi) + power * math.sqrt(psi - d**2)) / d) ** 2)


BANK: list[Asked] = [
    NumberQuestion(
        id="10.B1",
        title="The test of one human",
        given=_wins,
        solve=lambda given: _t(given, given["margin"]),
        digits=2,
        mistakes=(
            Mistake(
                "without the margin",
                lambda given: _t(given, 0.0),
                "This tests against 0; the test allows the judge a margin.",
            ),
            Mistake(
                "margin added",
                lambda given: _t(given, -given["margin"]),
                "The margin is added; it is what the mean is compared with, and is subtracted.",
            ),
            Mistake(
                "standard deviation for standard error",
                lambda given: (given["mean"] - given["margin"]) / given["deviation"],
                "Divided by the standard deviation; the mean of n items varies by it divided by "
                "the root of n.",
            ),
        ),
        question="In the alternative annotator test one human is compared with a judge on "
        "{n_items} items. The differences W_human - W_judge have mean {mean} and standard "
        "deviation {deviation}; the margin is {margin}. Compute the t statistic, to two decimals. "
        "For which values is the judge taken to be as good as this human?",
        solution="({mean} - {margin}) divided by {deviation} over the root of {n_items}: {answer}. "
        "The judge wins if it is far enough below 0 (about -1.66, and less after the correction "
        "for several humans).",
    ),
    NumberQuestion(
        id="10.B2",
        title="Benjamini and Yekutieli's threshold",
        given=_tests,
        solve=lambda given: (
            0.05 * given["rank"] / given["n"] / sum(1 / k for k in range(1, given["n"] + 1))
        ),
        digits=4,
        mistakes=(
            Mistake(
                "Benjamini and Hochberg",
                lambda given: 0.05 * given["rank"] / given["n"],
                "This is the threshold of Benjamini and Hochberg, for independent tests.",
            ),
            Mistake(
                "Bonferroni",
                lambda given: 0.05 / given["n"],
                "This is Bonferroni's threshold, the same for all ranks.",
            ),
            Mistake(
                "Holm",
                lambda given: 0.05 / (given["n"] - given["rank"] + 1),
                "This is Holm's threshold.",
            ),
        ),
        question="A judge is tested against {n} humans, with the correction of Benjamini and "
        "Yekutieli at .05. With which threshold is the p-value number {rank} (in increasing order) "
        "compared? Give four decimals.",
        solution=".05 times {rank}, divided by {n} and by 1 + 1/2 + ... + 1/{n}: {answer}.",
    ),
    NumberQuestion(
        id="10.B3",
        title="Gold items for a difference",
        given=_systems,
        solve=_connor,
        digits=0,
        mistakes=(
            Mistake(
                "no power",
                lambda given: _connor(given, power=0.0),
                "This leaves out the power: with so many items the difference is found every "
                "second time.",
            ),
            Mistake(
                "one-sided",
                lambda given: _connor(given, level=1.645),
                "This is for a one-sided test.",
            ),
            Mistake(
                "one share",
                lambda given: (Z / (given["difference"] / 100)) ** 2 / 4,
                "This is for one share near one half, not for the difference of two methods on the "
                "same items.",
            ),
        ),
        question="Of two methods exactly one is right on {discordance} % of the items, and the "
        "first is more accurate by {difference} percentage points. How many gold items show the "
        "difference with probability .8 at the level .05 (two-sided)? (Connor: n = (1.96 root of "
        "psi + .842 root of (psi - d squared)) squared / d squared. Round to a whole number.)",
        solution="With d = .0{difference} and psi = {discordance} / 100: {answer}.",
    ),
    ChoiceQuestion(
        id="10.B4",
        title="Whose labels are worth more",
        options={
            "first": "The first annotator's",
            "second": "The second annotator's",
            "both": "Both are worth the same",
        },
        cases={
            "second": Case(
                "Two categories are equally frequent. One annotator is right on half of the items "
                "of either category, another on one in ten. Whose labels are worth more?",
                "Turned round, the second's labels give about .53 bits; those of the first give "
                "nothing.",
            ),
            "first": Case(
                "Two categories are equally frequent. One annotator is right on eight in ten of "
                "the items of either category, another on three in ten. Whose labels are worth "
                "more?",
                "The first's labels give about .28 bits, the second's, turned round, about .12.",
            ),
            "both": Case(
                "Two categories are equally frequent. One annotator is right on seven in ten of "
                "the items of either category, another on three in ten. Whose labels are worth "
                "more?",
                "Turned round, the second's labels are right on seven in ten, too.",
            ),
        },
    ),
    ChoiceQuestion(
        id="10.B5",
        title="What an accuracy is worth",
        options={
            "high": "It is too high on average.",
            "right": "It is right on average.",
            "low": "It is too low on average.",
        },
        cases={
            "high": Case(
                "Twenty methods are compared on 100 gold items drawn at random, and the best has "
                "an accuracy of .89. What can be said about this number as its accuracy on all "
                "items?",
                "The method was chosen on the items that measure it. The more methods and the "
                "fewer items, the more luck is in the first place.",
            ),
            "right": Case(
                "A method, chosen on other items, has an accuracy of .89 on 100 gold items drawn "
                "at random. What can be said about this number as its accuracy on all items?",
                "Nothing was chosen on these items: the number is uncertain, and too high as "
                "often as too low.",
            ),
            "low": Case(
                "A method, chosen on other items, has an accuracy of .89 on 100 gold items, "
                "which were taken because annotators disagreed on them. What can be said about "
                "this number as its accuracy on all items?",
                "On items that divide annotators methods err more often, too.",
            ),
        },
    ),
    ChoiceQuestion(
        id="10.B6",
        title="A hundred answers",
        options={
            "one": "Hardly more than one label",
            "nine": "About as much as nine independent labels",
            "hundred": "As much as a hundred independent labels",
        },
        cases={
            "one": Case(
                "A language model is asked a hundred times about the same item, and always errs "
                "in the same way. What are the answers worth?",
                "They show its consistency, not its accuracy: with errors correlated at 1 the "
                "effective number of labels is 1.",
            ),
            "nine": Case(
                "A hundred annotators label an item. Their errors have a correlation of 0.1 with "
                "one another. What are their labels worth?",
                "The effective number of labels is 100 / (1 + 99 x 0.1), about 9.",
            ),
            "hundred": Case(
                "A hundred annotators label an item. Their errors are independent. What are their "
                "labels worth?",
                "The effective number of labels is 100: nothing is repeated.",
            ),
        },
    ),
]
