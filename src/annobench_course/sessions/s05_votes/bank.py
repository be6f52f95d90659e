"""Questions on session 5: votes and ties, Condorcet's theorem, optimal weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.sessions.s05_votes.exercises import _log_odds, _majority_accuracy
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion

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
        title="More annotators",
        options={
            "higher": "Higher",
            "same": "The same",
            "lower": "Lower",
        },
        cases={
            "higher": Case(
                "Eleven independent annotators, each right with probability 0.7, vote in place of "
                "nine such annotators. How is the accuracy of the majority?",
                "Two more annotators of an accuracy above one half raise it.",
            ),
            "same": Case(
                "Ten independent annotators, each right with probability 0.7, vote in place of "
                "nine such annotators; ties are broken by a coin. How is the accuracy of the "
                "majority?",
                "The tenth label matters only if it ties a majority of one. What is then lost by "
                "broken right majorities is won by broken wrong ones.",
            ),
            "lower": Case(
                "Eleven independent annotators, each right with probability 0.4, vote in place of "
                "nine such annotators. How is the accuracy of the majority?",
                "Two more annotators of an accuracy below one half lower it.",
            ),
        },
    ),
    ChoiceQuestion(
        id="5.B5",
        title="The weight of a label",
        options={
            "against": "It counts for the other category.",
            "nothing": "It does not count.",
            "support": "It counts for its category.",
        },
        cases={
            "against": Case(
                "In a binary task an annotator is known to be right with probability 0.2. What "
                "does the optimally weighted vote do with this annotator's label?",
                "log(0.2 / 0.8) is negative: the label speaks for the other category.",
            ),
            "nothing": Case(
                "In a binary task an annotator is known to be right with probability 0.5. What "
                "does the optimally weighted vote do with this annotator's label?",
                "log(0.5 / 0.5) is 0.",
            ),
            "support": Case(
                "In a binary task an annotator is known to be right with probability 0.55. What "
                "does the optimally weighted vote do with this annotator's label?",
                "log(0.55 / 0.45) is positive, if small.",
            ),
        },
    ),
    ChoiceQuestion(
        id="5.B6",
        title="Condorcet's limit",
        options={
            "to one": "It tends to 1.",
            "to zero": "It tends to 0.",
            "stays": "It stays that of one annotator.",
        },
        cases={
            "to one": Case(
                "Annotators are added who are right with probability 0.6, independently. What "
                "happens to the accuracy of their majority?",
                "Independent errors and accuracies above one half.",
            ),
            "to zero": Case(
                "Annotators are added who are right with probability 0.4, independently. What "
                "happens to the accuracy of their majority?",
                "The majority is then nearly always wrong.",
            ),
            "stays": Case(
                "Annotators are added who copy the first, who is right with probability 0.6. "
                "What happens to the accuracy of their majority?",
                "A hundred copies are as good as one annotator.",
            ),
        },
    ),
]
