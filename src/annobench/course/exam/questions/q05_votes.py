"""Questions on session 5: votes and ties, Condorcet's theorem, optimal weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench.course.exam.records import Asked, ChoiceQuestion, NumberQuestion
from annobench.course.records import Given, Mistake
from annobench.course.sessions.s05_votes import _log_odds, _majority_accuracy

# Questions of the bank.


def _three(rng: np.random.Generator) -> dict[str, Any]:
    return {"p": round(float(rng.uniform(0.6, 0.9)), 2)}


def _two_and_a_guesser(rng: np.random.Generator) -> dict[str, Any]:
    return {"p": round(float(rng.uniform(0.65, 0.9)), 2)}


def _flattered(given: Given) -> float:
    """The guesser wins if the others are split, or if both agree and the guess is theirs."""
    split = 2 * given["p"] * (1 - given["p"])
    return float(split + (1 - split) / 2)


BANK: list[Asked] = [
    NumberQuestion(
        id="5.B1",
        title="Three annotators",
        hint="Two or three of them are right.",
        given=_three,
        solve=lambda given: _majority_accuracy(given["p"], 3),
        mistakes=(
            Mistake("all three", lambda given: given["p"] ** 3, "All three must be right here."),
            Mistake(
                "at least one",
                lambda given: 1 - (1 - given["p"]) ** 3,
                "At least one is right here; a majority needs two.",
            ),
            Mistake(
                "orders not counted",
                lambda given: given["p"] ** 3 + given["p"] ** 2 * (1 - given["p"]),
                "The one who errs can be any of the three.",
            ),
        ),
        question="Three annotators label a binary item independently, each right with probability "
        "{p}. With which probability is their majority right, to three decimals?",
        solution="p^3 + 3 p^2 (1 - p) = {answer}",
    ),
    NumberQuestion(
        id="5.B2",
        title="The estimate of a guesser",
        hint="Distinguish whether the two others agree.",
        given=_two_and_a_guesser,
        solve=_flattered,
        mistakes=(
            Mistake("one half", lambda given: 0.5, "This is the accuracy against gold."),
            Mistake(
                "only where the others disagree",
                lambda given: 2 * given["p"] * (1 - given["p"]),
                "Where the others agree, the guesser agrees with them half the time.",
            ),
            Mistake(
                "accuracy of the others",
                lambda given: given["p"],
                "This is the accuracy of the two others.",
            ),
        ),
        question="Each item of a binary task has three labels: one of an annotator who guesses, "
        "two of annotators who are right with probability {p}, all independent. How often does the "
        "guesser agree with the winner of the majority vote, to three decimals?",
        solution="The others disagree with probability 2 p (1 - p), and then the guess wins; where "
        "they agree, the guess is theirs half the time: {answer}.",
    ),
    NumberQuestion(
        id="5.B3",
        title="Labels that weigh as much as an expert's",
        hint="Compare log odds.",
        given=lambda rng: {
            "expert": round(float(rng.uniform(0.9, 0.98)), 2),
            "other": round(float(rng.uniform(0.6, 0.75)), 2),
        },
        solve=lambda given: float(_log_odds(given["expert"]) / _log_odds(given["other"])),
        digits=2,
        mistakes=(
            Mistake(
                "ratio of accuracies",
                lambda given: given["expert"] / given["other"],
                "This is the ratio of the accuracies; weights are log odds.",
            ),
            Mistake(
                "ratio of odds",
                lambda given: (
                    given["expert"]
                    * (1 - given["other"])
                    / (given["other"] * (1 - given["expert"]))
                ),
                "This is the ratio of the odds; take logarithms first.",
            ),
            Mistake(
                "ratio beyond chance",
                lambda given: (given["expert"] - 0.5) / (given["other"] - 0.5),
                "This is the ratio of what they are above one half; weights are log odds.",
            ),
        ),
        question="In a binary task, how many labels of annotators with accuracy {other} weigh as "
        "much as one label of an annotator with accuracy {expert}? Errors are independent. Give "
        "two decimals.",
        solution="log({expert} / (1 - {expert})) / log({other} / (1 - {other})) = {answer}",
    ),
    ChoiceQuestion(
        id="5.B4",
        title="Why a tenth label adds nothing",
        hint="What can the last label change?",
        options={
            "tie": "It matters only where it makes a tie, and there a coin decides.",
            "worse": "Annotators who are asked late are worse than those who were asked first.",
            "full": "Nine labels already show the truth.",
        },
        right="tie",
        reasons={
            "worse": "The theorem holds with annotators who are all alike.",
            "full": "With accuracies near one half nine labels are often wrong; eleven are better.",
        },
        question="By Condorcet's theorem ten independent annotators of the same accuracy, ties "
        "broken by a coin, are right exactly as often as nine. Why?",
        solution="The tenth label matters only if it ties a majority of one. What is then lost by "
        "broken right majorities is won by broken wrong ones.",
    ),
    ChoiceQuestion(
        id="5.B5",
        title="Below one half",
        hint="What is the weight of such a vote?",
        options={
            "against": "It counts as evidence for the other category.",
            "nothing": "It is left out, since the annotator is bad.",
            "small": "It counts for its category, with a small positive weight.",
        },
        right="against",
        reasons={
            "nothing": "Weight 0 belongs to an accuracy of one half. Who is wrong more often than "
            "right tells us something.",
            "small": "The log odds of an accuracy below one half are negative.",
        },
        question="In a binary task an annotator is known to be right with probability 0.2. What "
        "does the optimally weighted vote do with this annotator's label?",
        solution="log(0.2 / 0.8) is negative: the label speaks for the other category.",
    ),
    ChoiceQuestion(
        id="5.B6",
        title="Condorcet's promise",
        hint="Which of these adds information about the item?",
        options={
            "independent": "Their errors are independent, and each is mostly right.",
            "many": "There are enough of them, however accurate or inaccurate each of them is.",
            "agree": "They agree with each other as much as possible.",
        },
        right="independent",
        reasons={
            "many": "Many annotators who share an error repeat it, and many who are worse than "
            "guessing are nearly always wrong.",
            "agree": "Copies agree perfectly, and a hundred copies are as good as one annotator.",
        },
        question="Under which condition does the accuracy of a majority vote tend to 1 as "
        "annotators are added?",
        solution="Independent errors and accuracies that stay above one half.",
    ),
]
