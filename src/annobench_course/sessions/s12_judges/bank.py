"""Questions on session 12: the alternative annotator test, juries, prevalence behind a judge."""

from __future__ import annotations

import math

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion


def _tested(rng: np.random.Generator) -> dict[str, int]:
    n = int(rng.integers(60, 201))
    better = int(n * rng.uniform(0.1, 0.25))
    return {"n_items": n, "judge_better": better, "human_better": int(n * rng.uniform(0.1, 0.3))}


def _advantage(given: Given) -> float:
    return float(1 - given["human_better"] / given["n_items"])


def _pair(rng: np.random.Generator) -> dict[str, int]:
    """Draw how often two judges are wrong, and how often together."""
    first, second = int(rng.integers(20, 41)), int(rng.integers(20, 41))
    together = int(min(first, second) * rng.uniform(0.45, 0.85))
    return {"n_items": 200, "first": first, "second": second, "together": together}


def _correlation(given: Given) -> float:
    n = given["n_items"]
    a, b, both = given["first"] / n, given["second"] / n, given["together"] / n
    return float((both - a * b) / math.sqrt(a * (1 - a) * b * (1 - b)))


def _double(rng: np.random.Generator) -> dict[str, int]:
    return {
        "judged_positive": int(rng.integers(15, 41)),
        "right_if_positive": int(rng.integers(55, 86)),
        "positive_if_negative": int(rng.integers(4, 16)),
    }


def _joint(given: Given) -> float:
    p = given["judged_positive"] / 100
    among_positive = given["right_if_positive"] / 100
    among_negative = given["positive_if_negative"] / 100
    return float(p * among_positive + (1 - p) * among_negative)


BANK: list[Asked] = [
    NumberQuestion(
        id="12.B1",
        title="The judge's advantage",
        given=_tested,
        solve=_advantage,
        digits=2,
        mistakes=(
            Mistake(
                "ties lost",
                lambda given: given["judge_better"] / given["n_items"],
                "Ties count for the judge.",
            ),
            Mistake(
                "ties left out",
                lambda given: (
                    given["judge_better"] / (given["judge_better"] + given["human_better"])
                ),
                "Ties are items, and count for the judge.",
            ),
            Mistake(
                "difference",
                lambda given: (given["human_better"] - given["judge_better"]) / given["n_items"],
                "This is the mean difference that is tested.",
            ),
        ),
        question="In the alternative annotator test a judge is compared with one human on "
        "{n_items} items. On {judge_better} of them the judge agrees with more of the others, on "
        "{human_better} the human does. What is the share of items on which the judge is at least "
        "as good? Give two decimals.",
        solution="All items but those on which the human is better: 1 minus {human_better} of "
        "{n_items}, {answer}.",
    ),
    NumberQuestion(
        id="12.B2",
        title="Errors of two judges",
        given=_pair,
        solve=_correlation,
        digits=2,
        mistakes=(
            Mistake(
                "share in common",
                lambda given: given["together"] / given["n_items"],
                "This is the share of items on which both are wrong.",
            ),
            Mistake(
                "covariance",
                lambda given: (
                    given["together"] / given["n_items"]
                    - given["first"] * given["second"] / given["n_items"] ** 2
                ),
                "This is the covariance; divide by both standard deviations.",
            ),
            Mistake(
                "overlap",
                lambda given: (
                    given["together"] / (given["first"] + given["second"] - given["together"])
                ),
                "This is the share of common errors among all errors.",
            ),
        ),
        question="Of {n_items} items with known categories one judge gets {first} wrong, another "
        "{second}; on {together} both are wrong. What is the correlation of their errors (1 for "
        "wrong, 0 for right)? Give two decimals.",
        solution="The share of common errors minus the product of the two shares, divided by the "
        "standard deviations: {answer}.",
    ),
    NumberQuestion(
        id="12.B3",
        title="Prevalence by double sampling",
        given=_double,
        solve=_joint,
        digits=3,
        mistakes=(
            Mistake(
                "judge alone",
                lambda given: given["judged_positive"] / 100,
                "This is the judge's share.",
            ),
            Mistake(
                "missed positives left out",
                lambda given: given["judged_positive"] * given["right_if_positive"] / 1e4,
                "Positives among the items judged negative are missing.",
            ),
            Mistake(
                "unweighted",
                lambda given: (given["right_if_positive"] + given["positive_if_negative"]) / 200,
                "The two shares are averaged as if the judge gave both verdicts equally often.",
            ),
        ),
        question="A judge calls {judged_positive} % of a million items positive. Of a random "
        "sample of those judged positive {right_if_positive} % are positive, and of a random "
        "sample of those judged negative {positive_if_negative} %. What is the prevalence, as a "
        "share? Give three decimals.",
        solution="The two shares, weighted by how often the judge gives each verdict: {answer}.",
    ),
    ChoiceQuestion(
        id="12.B4",
        title="A jury",
        options={
            "gains": "It is right more often than one of them.",
            "same": "It is right exactly as often as one of them.",
            "loses": "It is right less often than one of them.",
        },
        cases={
            "gains": Case(
                "Five judges are each right on eight of ten items, and their errors are "
                "independent. What can be said about their majority?",
                "By Condorcet's theorem it is right on about 94 percent.",
            ),
            "same": Case(
                "Five judges are each right on eight of ten items, and are wrong on the same "
                "items. What can be said about their majority?",
                "They are one judge with five votes.",
            ),
            "loses": Case(
                "Five judges are each right on four of ten items, and their errors are "
                "independent. There are two categories. What can be said about their majority?",
                "Below one half Condorcet's theorem works the other way: about 32 percent.",
            ),
        },
    ),
    ChoiceQuestion(
        id="12.B5",
        title="Which estimate",
        options={
            "rogan": "Rogan and Gladen's estimate",
            "ppi": "Prediction-powered inference",
            "judge": "The share that the judge alone gives",
        },
        cases={
            "rogan": Case(
                "A hundred positive and a hundred negative items were picked as gold. A judge "
                "with known errors has labelled them and many others. Which of these is right on "
                "average, for a judge that errs?",
                "Sensitivity and specificity are shares within a category, whatever the numbers "
                "picked.",
            ),
            "ppi": Case(
                "Two hundred gold items were drawn at random. The judge's sensitivity and "
                "specificity sum to 1.01. Which of these is right on average, and does not divide "
                "by nearly 0?",
                "It adds the judge's mean error on gold items, and doesn't divide.",
            ),
            "judge": Case(
                "A judge of a million items never errs, which is known from elsewhere; 50 gold "
                "items were drawn at random. Which of these is simplest, and as good as any?",
                "Without errors there is nothing to correct; both corrections give the same share.",
            ),
        },
    ),
    ChoiceQuestion(
        id="12.B6",
        title="Not passed",
        options={
            "small": "The study is too small to tell.",
            "worse": "The judge is worse than the people.",
            "as good": "The judge is as good as the people.",
        },
        cases={
            "small": Case(
                "A judge does not pass the alternative annotator test with the margin .1. Against "
                "each of three people, on 35 items each, the human's mean lead is .02, with a "
                "standard error of .08. What follows?",
                "The lead may be -.1 or .15: with so few items hardly any judge passes.",
            ),
            "worse": Case(
                "A judge does not pass the alternative annotator test with the margin .1. Against "
                "each of three people, on 900 items each, the human's mean lead is .22, with a "
                "standard error of .02. What follows?",
                "The lead is clearly beyond the margin.",
            ),
            "as good": Case(
                "A judge passes the alternative annotator test with the margin .1. Against each "
                "of three people, on 900 items each, the human's mean lead is .00, with a "
                "standard error of .02. What follows, by the measure of the test?",
                "The lead is about 0, and clearly below the margin.",
            ),
        },
    ),
]
