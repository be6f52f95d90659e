"""Questions on session 11: agreement on spans and units."""

from __future__ import annotations

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion


def _counted(rng: np.random.Generator) -> dict[str, int]:
    ann, bob = int(rng.integers(30, 61)), int(rng.integers(30, 61))
    exact = int(min(ann, bob) * rng.uniform(0.4, 0.7))
    return {"ann": ann, "bob": bob, "exact": exact, "more": int(rng.integers(3, 9))}


def _f1(given: Given, matches: int) -> float:
    return float(2 * matches / (given["ann"] + given["bob"]))


def _of_pairs(rng: np.random.Generator) -> dict[str, int]:
    return {
        "precision": int(rng.integers(55, 96)),
        "recall": int(rng.integers(45, 91)),
    }


def _harmonic(given: Given) -> float:
    p, r = given["precision"], given["recall"]
    return float(2 * p * r / (p + r) / 100)


def _disorder(rng: np.random.Generator) -> dict[str, float]:
    return {
        "observed": round(float(rng.uniform(1.5, 4.0)), 1),
        "expected": round(float(rng.uniform(5.5, 9.0)), 1),
        "spans": int(rng.integers(4, 9)),
    }


BANK: list[Asked] = [
    NumberQuestion(
        id="11.B1",
        title="F1 by overlap",
        given=_counted,
        solve=lambda given: _f1(given, given["exact"] + given["more"]),
        digits=2,
        mistakes=(
            Mistake(
                "exact matches",
                lambda given: _f1(given, given["exact"]),
                "This is F1 with exact matches.",
            ),
            Mistake(
                "overlaps alone",
                lambda given: _f1(given, given["more"]),
                "Exact matches overlap, too.",
            ),
            Mistake(
                "intersection over union",
                lambda given: (
                    (m := given["exact"] + given["more"]) / (given["ann"] + given["bob"] - m)
                ),
                "Matches are divided by all different spans.",
            ),
        ),
        question="Ann marked {ann} spans and Bob {bob}. {exact} of them have the same boundaries "
        "and labels; {more} further ones of Ann's have the same label as one of Bob's that nothing "
        "else matches, and share some characters with it. What is F1 by overlap? Give two "
        "decimals.",
        solution="Twice the matches of both kinds, divided by the spans of both: {answer}.",
    ),
    NumberQuestion(
        id="11.B2",
        title="From precision and recall",
        given=_of_pairs,
        solve=_harmonic,
        digits=3,
        mistakes=(
            Mistake(
                "mean",
                lambda given: (given["precision"] + given["recall"]) / 200,
                "This is the arithmetic mean.",
            ),
            Mistake(
                "product",
                lambda given: given["precision"] * given["recall"] / 10_000,
                "This is the product.",
            ),
            Mistake(
                "geometric mean",
                lambda given: float(np.sqrt(given["precision"] * given["recall"])) / 100,
                "This is the geometric mean.",
            ),
        ),
        question="Measured against Ann's marks, Bob has a precision of {precision} % and a recall "
        "of {recall} %. What is F1 of the two, as a share? Give three decimals.",
        solution="Twice the product divided by the sum, the harmonic mean: {answer}.",
    ),
    NumberQuestion(
        id="11.B3",
        title="Gamma from disorders",
        given=_disorder,
        solve=lambda given: 1 - given["observed"] / given["expected"],
        digits=3,
        mistakes=(
            Mistake(
                "ratio",
                lambda given: given["observed"] / given["expected"],
                "This is the disorder as a share of that of chance, not the agreement.",
            ),
            Mistake(
                "by spans",
                lambda given: 1 - given["observed"] / given["spans"],
                "The disorder is compared with the number of spans, not with chance.",
            ),
            Mistake(
                "kappa's form",
                lambda given: (given["expected"] - given["observed"]) / (given["expected"] - 1),
                "The denominator is that of kappa, for agreements; disorders have none at 1.",
            ),
        ),
        question="The best alignment of two annotators, who marked {spans} spans each, has a "
        "disorder of {observed}; for marks at random it is {expected} on average. What is gamma? "
        "Give three decimals.",
        solution="1 minus {observed} divided by {expected}: {answer}.",
    ),
    ChoiceQuestion(
        id="11.B4",
        title="Where the trouble is",
        options={
            "limits": "In the boundaries of the spans",
            "labels": "In the labels of the spans",
            "places": "In the places that are marked",
        },
        cases={
            "limits": Case(
                "Two annotators have F1 of .48 with exact matches, and .93 by overlap. Where is "
                "the trouble?",
                "They find the same names with the same labels, and cut them differently.",
            ),
            "labels": Case(
                "Two annotators have F1 of .55 with exact matches, and .57 by overlap. If labels "
                "are ignored, both are .95. Where is the trouble?",
                "Without labels they agree almost always.",
            ),
            "places": Case(
                "Two annotators have F1 of .55 with exact matches, and .57 by overlap. If labels "
                "are ignored, both are the same as before. Where is the trouble?",
                "What one marks the other does not mark at all.",
            ),
        },
    ),
    ChoiceQuestion(
        id="11.B5",
        title="A text without marks",
        options={
            "agreement": "As agreement of the two",
            "nothing": "Not at all: leave it out",
            "disagreement": "As disagreement of the two",
        },
        cases={
            "agreement": Case(
                "Two annotators opened a text and marked nothing. How does it count in alpha for "
                "unitizing?",
                "Both say that the whole text is a gap.",
            ),
            "nothing": Case(
                "One annotator marked three spans in a text, the other never opened it. How does "
                "the text count in a measure of their agreement?",
                "Nothing is known about what the other would have marked.",
            ),
            "disagreement": Case(
                "One annotator marked three spans in a text, the other opened it and marked "
                "nothing. How does the text count in F1?",
                "Three marks without a match are added to the denominator.",
            ),
        },
    ),
    ChoiceQuestion(
        id="11.B6",
        title="What is defined",
        options={
            "gamma": "Gamma",
            "unitizing": "Alpha for unitizing",
            "kappa": "Cohen's kappa",
        },
        cases={
            "gamma": Case(
                "Several annotators mark long, nested spans, whose boundaries hardly ever match. "
                "Which of these measures fits?",
                "It aligns spans that differ, and lets them nest.",
            ),
            "unitizing": Case(
                "Several annotators cut interviews into passages without overlap, and give each a "
                "topic; what is between them counts. Which of these measures fits?",
                "It compares units and gaps along the text.",
            ),
            "kappa": Case(
                "Two annotators give each sentence of a text one of three categories. Which of "
                "these measures fits?",
                "The sentences are a given list of items, and each has one label.",
            ),
        },
    ),
]
