"""Questions on session 4: distances, weighted kappa, alpha, sets, intraclass correlations."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.sessions.s04_distances.exercises import Floats, _overlap
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion


def _draw_topics(rng: np.random.Generator) -> dict[str, Any]:
    """Draw two sets of numbered topics that overlap without nesting."""
    topics = rng.permutation(9) + 1
    common, first, second = (
        int(rng.integers(1, 4)),
        int(rng.integers(1, 3)),
        int(rng.integers(1, 4)),
    )
    ends = np.cumsum([common, first, second])
    shared = topics[: ends[0]]
    return {
        "ann": sorted([*shared.tolist(), *topics[ends[0] : ends[1]].tolist()]),
        "bob": sorted([*shared.tolist(), *topics[ends[1] : ends[2]].tolist()]),
    }


def _jaccard_of_topics(given: Given) -> float:
    """Return the share of common topics."""
    return _overlap(set(given["ann"]), set(given["bob"]))


def _draw_disagreements(rng: np.random.Generator) -> dict[str, Any]:
    """Draw observed and expected disagreement."""
    expected = round(float(rng.uniform(0.3, 0.6)), 3)
    return {"observed": round(expected * float(rng.uniform(0.15, 0.45)), 3), "expected": expected}


def _draw_ratings(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the scores of two annotators for four items, at most three apart."""
    first = rng.choice(9, size=4, replace=False)
    second = first + rng.integers(-3, 4, size=4)
    return {"ann": first.tolist(), "bob": second.tolist()}


def _squared_difference(given: Given) -> Floats:
    """Return the squared differences of the two annotators."""
    found: Floats = np.square(np.subtract(given["ann"], given["bob"], dtype=float))
    return found


def _draw_single(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the reliability of one annotator and how many are averaged."""
    return {
        "single": round(float(rng.uniform(0.35, 0.7)), 2),
        "annotators": int(rng.integers(3, 8)),
    }


BANK: list[Asked] = [
    NumberQuestion(
        id="4.B1",
        title="MASI of two sets",
        given=_draw_topics,
        solve=lambda given: 1 - _jaccard_of_topics(given) / 3,
        mistakes=(
            Mistake(
                "Jaccard",
                lambda given: 1 - _jaccard_of_topics(given),
                "This is the Jaccard distance; MASI also multiplies by 1/3 here.",
            ),
            Mistake(
                "nested",
                lambda given: 1 - _jaccard_of_topics(given) * 2 / 3,
                "2/3 is for sets of which one contains the other. These only overlap.",
            ),
            Mistake(
                "similarity for distance",
                lambda given: _jaccard_of_topics(given) / 3,
                "This is the similarity. The distance is one minus it.",
            ),
        ),
        question="Ann gave a text the topics {ann}, Bob gave it {bob}. Compute the MASI distance "
        "(three decimals).",
        solution="The sets overlap and neither contains the other, so the share of common topics "
        "is multiplied by 1/3: {answer}.",
    ),
    NumberQuestion(
        id="4.B2",
        title="Alpha from two disagreements",
        given=_draw_disagreements,
        solve=lambda given: 1 - given["observed"] / given["expected"],
        mistakes=(
            Mistake(
                "ratio",
                lambda given: given["observed"] / given["expected"],
                "This is the ratio of the two disagreements; alpha is one minus it.",
            ),
            Mistake(
                "difference",
                lambda given: given["expected"] - given["observed"],
                "The difference has to be divided by the expected disagreement.",
            ),
            Mistake(
                "as if agreements",
                lambda given: (given["observed"] - given["expected"]) / (1 - given["expected"]),
                "This formula is for agreements; these are disagreements.",
            ),
        ),
        question="The mean distance of two labels of one item is {observed}, that of two labels "
        "of all items is {expected}. Compute Krippendorff's alpha (three decimals).",
        solution="1 - {observed} / {expected} = {answer}.",
    ),
    NumberQuestion(
        id="4.B3",
        title="Observed disagreement, interval distance",
        given=_draw_ratings,
        solve=lambda given: _squared_difference(given).mean(),
        digits=2,
        mistakes=(
            Mistake(
                "absolute distance",
                lambda given: np.sqrt(_squared_difference(given)).mean(),
                "The interval distance is the squared difference.",
            ),
            Mistake(
                "square of the mean",
                lambda given: np.sqrt(_squared_difference(given)).mean() ** 2,
                "Square first, then take the mean.",
            ),
            Mistake(
                "sum",
                lambda given: _squared_difference(given).sum(),
                "This is the sum over the items; divide by their number.",
            ),
        ),
        question="Four items were scored {ann} by Ann and {bob} by Bob. Compute the observed "
        "disagreement with the interval distance (two decimals).",
        solution="The mean of the four squared differences: {answer}.",
    ),
    NumberQuestion(
        id="4.B4",
        title="The mean of several annotators",
        given=_draw_single,
        solve=lambda given: (
            given["annotators"]
            * given["single"]
            / (1 + (given["annotators"] - 1) * given["single"])
        ),
        mistakes=(
            Mistake(
                "k for k - 1",
                lambda given: (
                    given["annotators"]
                    * given["single"]
                    / (1 + given["annotators"] * given["single"])
                ),
                "The denominator has k - 1 times the reliability, not k times.",
            ),
            Mistake(
                "single",
                lambda given: given["single"],
                "This is the reliability of one annotator; the mean of several has less error.",
            ),
            Mistake(
                "square root",
                lambda given: np.sqrt(given["single"]),
                "That would be the correlation of one annotator with the true value.",
            ),
        ),
        question="The ICC of a single annotator is {single}. What is the reliability of the mean "
        "of {annotators} such annotators (three decimals)?",
        solution="{annotators} * {single} / (1 + ({annotators} - 1) * {single}) = {answer} "
        "(Spearman and Brown).",
    ),
    ChoiceQuestion(
        id="4.B5",
        title="Which distance",
        options={
            "circular": "A circular distance",
            "interval": "The interval distance",
            "nominal": "The nominal distance",
            "ratio": "The ratio distance",
        },
        cases={
            "circular": Case(
                "Annotators say at which hour of the day, from 0 to 23, an event of a story "
                "happens. Which distance should alpha have?",
                "A circular distance with the period 24, because 23 and 1 o'clock are two hours "
                "apart.",
            ),
            "interval": Case(
                "Annotators say in which year, from 1900 to 2000, an undated letter was written. "
                "Being wrong by ten years is as bad at either end. Which distance should alpha "
                "have?",
                "The interval distance: the squared difference is the same wherever on the scale "
                "it occurs.",
            ),
            "nominal": Case(
                "Annotators name the language in which a message is written. Which distance "
                "should alpha have?",
                "The nominal distance: the languages have no order.",
            ),
            "ratio": Case(
                "Annotators estimate how many people are in a picture, from 1 to 5,000. To say 10 "
                "in place of 5 is as bad as 2,000 in place of 1,000. Which distance should alpha "
                "have?",
                "The ratio distance: it takes differences relative to the size of the numbers.",
            ),
        },
    ),
    ChoiceQuestion(
        id="4.B6",
        title="Correlation and alpha",
        options={
            "shift": "One of them uses higher numbers, and orders the items alike.",
            "noise": "They err at random, with the same mean and spread.",
            "narrow": "Nearly all items have one true score.",
        },
        cases={
            "shift": Case(
                "Two annotators' scores have a correlation of 0.95 and an interval alpha of 0.60. "
                "Which is the likeliest cause?",
                "A correlation does not change if one annotator's scores are raised; alpha does.",
            ),
            "noise": Case(
                "Two annotators' scores have a correlation of 0.60 and an interval alpha of 0.60. "
                "Which is the likeliest cause?",
                "Random errors lower both alike; a difference of the means would lower alpha "
                "alone.",
            ),
            "narrow": Case(
                "On a scale from 1 to 10 two annotators' scores never differ by more than one, "
                "and yet their correlation and their interval alpha are 0.1. Which is the "
                "likeliest cause?",
                "Both compare errors with the differences between items. Where these are small, "
                "small errors weigh much.",
            ),
        },
    ),
]
