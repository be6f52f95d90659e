"""Questions on session 8: hard items and guesses, mixtures, certificates, differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.sessions.s08_noise.exercises import _markers, _marks
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion

# For an exam


def _corpus(rng: np.random.Generator) -> dict[str, Any]:
    return _markers(rng) | {"items": int(rng.choice([500, 1000, 2000]))}


def _coin(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "annotators": int(rng.integers(3, 6)),
        "guess": int(rng.choice([60, 65, 70, 75, 80, 85])),
    }


def _alike(g: Given) -> float:
    q = g["guess"] / 100
    return float(q ** g["annotators"] + (1 - q) ** g["annotators"])


def _lazy_labels(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "rate": int(rng.choice([10, 15, 20, 25])),
        "lazy": int(rng.choice([10, 20, 30, 40])),
        "lazy_rate": int(rng.choice([60, 70, 75, 80])),
    }


def _two_components(rng: np.random.Generator) -> dict[str, Any]:
    labels = int(rng.choice([5, 6, 8]))
    return {
        "hard": int(rng.choice([10, 20, 30])),
        "easy_rate": int(rng.choice([80, 85, 90])),
        "labels": labels,
        "ones": labels - int(rng.integers(1, 3)),
    }


def _component_weights(g: Given) -> tuple[float, float]:
    """Return the probabilities of the labels in the hard and in the easy component."""
    from scipy.stats import binom

    hard = binom.pmf(g["ones"], g["labels"], 0.5)
    easy = binom.pmf(g["ones"], g["labels"], g["easy_rate"] / 100)
    return float(hard), float(easy)


def _hard_probability(g: Given, share: float) -> float:
    hard, easy = _component_weights(g)
    return share * hard / (share * hard + (1 - share) * easy)


_CERTIFICATE = (
    'A certificate says: "With confidence 95%, at most 30 of the 208 retained labels are guesses." '
)

BANK: list[Asked] = [
    NumberQuestion(
        id="8.B1",
        title="Items marked at random",
        given=_corpus,
        digits=1,
        solve=lambda g: g["items"] * _marks(g).sf(g["marks"] - 1),
        mistakes=(
            Mistake(
                "exactly so many",
                lambda g: g["items"] * _marks(g).pmf(g["marks"]),
                "This counts the items with exactly so many marks.",
            ),
            Mistake(
                "more than so many",
                lambda g: g["items"] * _marks(g).sf(g["marks"]),
                "This counts the items with more marks than that.",
            ),
            Mistake(
                "marks of one annotator",
                lambda g: g["items"] * g["rate"],
                "This is the number of items that one annotator marks.",
            ),
        ),
        question=(
            "{annotators} annotators mark paragraphs at random, each with probability {rate}. How "
            "many of {items} paragraphs are expected to get at least {marks} marks? Give one "
            "decimal."
        ),
        solution=(
            "The number of marks of a paragraph is binomial with n = {annotators} and p = {rate}. "
            "The probability of at least {marks}, times {items}, is {answer}."
        ),
    ),
    NumberQuestion(
        id="8.B2",
        title="Guesses that agree",
        given=_coin,
        solve=_alike,
        mistakes=(
            Mistake(
                "one category only",
                lambda g: (g["guess"] / 100) ** g["annotators"],
                "The guesses may also all fall on the other category.",
            ),
            Mistake(
                "two annotators",
                lambda g: (g["guess"] / 100) ** 2 + (1 - g["guess"] / 100) ** 2,
                "This is the probability that two annotators agree; all of them must.",
            ),
            Mistake(
                "disagreement",
                lambda g: 1 - _alike(g),
                "This is the probability of a disagreement.",
            ),
        ),
        question=(
            "On hard items annotators guess one of two categories, the first with a probability of "
            "{guess}%. With what probability do {annotators} annotators agree on a hard item? Give "
            "three decimals."
        ),
        solution=(
            "With q = {guess}/100: q to the power {annotators} plus (1 - q) to the power "
            "{annotators} is {answer}."
        ),
    ),
    NumberQuestion(
        id="8.B3",
        title="Lazy labels",
        given=_lazy_labels,
        solve=lambda g: (
            (100 - g["lazy"]) / 100 * g["rate"] / 100 + g["lazy"] / 100 * g["lazy_rate"] / 100
        ),
        mistakes=(
            Mistake(
                "weights exchanged",
                lambda g: (
                    g["lazy"] / 100 * g["rate"] / 100
                    + (100 - g["lazy"]) / 100 * g["lazy_rate"] / 100
                ),
                "The shares of lazy and diligent labels are exchanged.",
            ),
            Mistake(
                "mean of the rates",
                lambda g: (g["rate"] + g["lazy_rate"]) / 200,
                "The two rates must be weighted by the shares of labels.",
            ),
            Mistake(
                "lazy labels added",
                lambda g: g["rate"] / 100 + g["lazy"] / 100 * g["lazy_rate"] / 100,
                "Lazy labels come in place of diligent ones, not in addition to them.",
            ),
        ),
        question=(
            "Diligent annotators give the items of a component the label 1 with a rate of {rate}%. "
            "{lazy}% of all labels come from lazy annotators, who say 1 with a rate of "
            "{lazy_rate}% whatever the item. What rate of labels 1 do the items of the component "
            "get (a share, three decimals)?"
        ),
        solution=(
            "(100 - {lazy})% of {rate}% plus {lazy}% of {lazy_rate}% is {answer}. The number of "
            "labels 1 is again binomial, with this rate."
        ),
    ),
    NumberQuestion(
        id="8.B4",
        title="Is this item hard?",
        given=_two_components,
        solve=lambda g: _hard_probability(g, g["hard"] / 100),
        mistakes=(
            Mistake(
                "shares left out",
                lambda g: _hard_probability(g, 0.5),
                "The shares of hard and easy items are left out.",
            ),
            Mistake(
                "not divided by the sum",
                lambda g: g["hard"] / 100 * _component_weights(g)[0],
                "This is the probability of a hard item with these labels; it must be divided by "
                "the probability of the labels.",
            ),
            Mistake(
                "easy for hard",
                lambda g: 1 - _hard_probability(g, g["hard"] / 100),
                "This is the probability that the item is easy.",
            ),
        ),
        question=(
            "{hard}% of the items are hard and get labels 1 at a rate of 50%; the others get them "
            "at a rate of {easy_rate}%. An item has {ones} labels 1 of {labels}. How probable is "
            "it that it is hard? Give three decimals."
        ),
        solution=(
            "Binomial probabilities of {ones} of {labels}, with 1/2 and with {easy_rate}%, "
            "weighted by the shares of hard and easy items; the first divided by the sum is "
            "{answer}."
        ),
    ),
    NumberQuestion(
        id="8.B5",
        title="Chebyshev's inequality",
        given=lambda rng: {"guesses": int(rng.integers(40, 300))},
        digits=1,
        solve=lambda g: np.sqrt(g["guesses"] / 2 / 0.05),
        mistakes=(
            Mistake(
                "variance R",
                lambda g: np.sqrt(g["guesses"] / 0.05),
                "The variance is R/2: on half of the guesses both systems are right or both wrong.",
            ),
            Mistake(
                "normal distribution",
                lambda g: 1.96 * np.sqrt(g["guesses"] / 2),
                "This is the limit of a normal distribution. Chebyshev's inequality holds for any "
                "distribution, and is wider.",
            ),
            Mistake(
                "no square root",
                lambda g: g["guesses"] / 2 / 0.05,
                "The inequality is about standard deviations: take the square root.",
            ),
        ),
        question=(
            "Two equally good systems answer {guesses} guesses independently, each right with "
            "probability 1/2. Below which difference in right answers do they stay with a "
            "probability of at least 95%, by Chebyshev's inequality? Give one decimal."
        ),
        solution=(
            "The variance is {guesses}/2. P(|S| >= s) <= variance/s², which is 5% at s = "
            "√({guesses}/2/0.05) = {answer}."
        ),
    ),
    ChoiceQuestion(
        id="8.B6",
        title="What a certificate assumes",
        options={
            "copying": "Some annotators copy their labels from others.",
            "few": "Far fewer items are labelled.",
            "prevalence": "One category is more frequent among the easy items.",
        },
        cases={
            "copying": Case(
                _CERTIFICATE
                + "Which of these can make such certificates false much more often than "
                "in 5% of cases?",
                "Guesses are assumed to be independent; a copied guess always agrees.",
            ),
            "few": Case(
                _CERTIFICATE
                + "Which of these makes the bound a larger share of the retained labels, "
                "and leaves it true?",
                "Fewer items mean a wider bound, which holds as it says.",
            ),
            "prevalence": Case(
                _CERTIFICATE + "Which of these makes the bound neither false nor a larger share?",
                "On easy items annotators agree, whatever the category.",
            ),
        },
    ),
    ChoiceQuestion(
        id="8.B7",
        title="Which gold standard is cleaner",
        options={
            "first": "In the first",
            "second": "In the second",
            "alike": "In neither: the share is the same",
        },
        cases={
            "second": Case(
                "Of 1,000 items two annotators agree on 900; of 1,000 items of another task five "
                "annotators all agree on 660. Guesses are fair coins. In which of the two sets of "
                "agreed labels are fewer per cent guesses?",
                "Two fair coins agree with probability 1/2: 100 expected guesses among 900. Five "
                "agree with probability 1/16: 340/15, about 23 among 660.",
            ),
            "first": Case(
                "Of 1,000 items two annotators agree on 990; of 1,000 items of another task three "
                "annotators all agree on 700. Guesses are fair coins. In which of the two sets of "
                "agreed labels are fewer per cent guesses?",
                "Two fair coins agree with probability 1/2: 10 expected guesses among 990. Three "
                "agree with probability 1/4: 300/3 = 100 among 700.",
            ),
            "alike": Case(
                "Of 1,000 items two annotators agree on 900; of 1,000 items of another task three "
                "annotators all agree on 750. Guesses are fair coins. In which of the two sets of "
                "agreed labels are fewer per cent guesses?",
                "Two fair coins agree with probability 1/2: 100 expected guesses among 900. Three "
                "agree with probability 1/4: 250/3 among 750. Both are one in nine.",
            ),
        },
    ),
]
