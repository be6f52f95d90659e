"""Questions on session 9: disagreement with a reason, merging, soft labels, validity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from annobench.course.exam.records import Asked, ChoiceQuestion, NumberQuestion
from annobench.course.records import Mistake

# ------------------------------------------------------------------------------ the exam


def _votes(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(8, 16))
    return {"n": n, "yes": int(rng.integers(2, n // 2))}


def _entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def _voting_classifier(rng: np.random.Generator) -> dict[str, Any]:
    return {"answered": int(rng.integers(50, 76)), "right": int(rng.integers(30, 46))}


BANK: list[Asked] = [
    NumberQuestion(
        id="9.B1",
        title="Entropy of a soft label",
        hint="Sum minus p log2 p over both categories.",
        given=_votes,
        solve=lambda given: _entropy(given["yes"] / given["n"]),
        mistakes=(
            Mistake(
                "nats",
                lambda given: _entropy(given["yes"] / given["n"]) * math.log(2),
                "This is in nats; bits take the logarithm to base 2.",
            ),
            Mistake(
                "one category",
                lambda given: -given["yes"] / given["n"] * math.log2(given["yes"] / given["n"]),
                "This is the term of one category; add that of the other.",
            ),
            Mistake(
                "not weighted",
                lambda given: -math.log2(given["yes"] / given["n"]),
                "This is the information of one label 'yes', not the mean over both.",
            ),
        ),
        question="Of {n} annotators {yes} call an item dominant. What is the entropy of its soft "
        "label in bits, to three decimals?",
        solution="With p = {yes}/{n}: minus p log2 p minus (1 - p) log2 (1 - p) = {answer}.",
    ),
    NumberQuestion(
        id="9.B2",
        title="Precision of a classifier that abstains",
        hint="Of what are the right answers a share?",
        given=_voting_classifier,
        solve=lambda given: given["right"] / given["answered"],
        mistakes=(
            Mistake(
                "of all utterances",
                lambda given: given["right"] / 100,
                "This is the share of all utterances; it counts an abstention as an error.",
            ),
            Mistake(
                "product",
                lambda given: given["right"] * given["answered"] / 1e4,
                "The two shares are multiplied; the right answers are already a part of the "
                "answers given.",
            ),
            Mistake(
                "abstentions as right",
                lambda given: (given["right"] + 100 - given["answered"]) / 100,
                "This counts abstentions as right answers.",
            ),
        ),
        question="Three classifiers, each trained on the labels of one annotator, vote; where they "
        "differ, the vote gives no answer. It answers {answered} % of the utterances, and {right} "
        "% of all utterances get the right answer. What share of its answers is right? Give three "
        "decimals.",
        solution="{right} / {answered} = {answer}. Reidsma and op den Akker's voting classifier "
        "trades answers for precision in this way.",
    ),
    NumberQuestion(
        id="9.B3",
        title="Standard error of a soft label",
        hint="The annotators are a sample of those who might have been asked.",
        given=_votes,
        solve=lambda given: math.sqrt(
            given["yes"] / given["n"] * (1 - given["yes"] / given["n"]) / given["n"]
        ),
        mistakes=(
            Mistake(
                "variance",
                lambda given: (
                    given["yes"] / given["n"] * (1 - given["yes"] / given["n"]) / given["n"]
                ),
                "This is the variance; take its square root.",
            ),
            Mistake(
                "standard deviation of one label",
                lambda given: math.sqrt(
                    given["yes"] / given["n"] * (1 - given["yes"] / given["n"])
                ),
                "This is the standard deviation of one label; a share of several varies less.",
            ),
            Mistake(
                "divided by n outside the root",
                lambda given: (
                    math.sqrt(given["yes"] / given["n"] * (1 - given["yes"] / given["n"]))
                    / given["n"]
                ),
                "Divide by the square root of the number of annotators.",
            ),
        ),
        question="Of {n} annotators {yes} call an item dominant. What is the standard error of "
        "this share, if the annotators are a random sample? Give three decimals.",
        solution="The square root of p (1 - p) / {n} with p = {yes}/{n}: {answer}.",
    ),
    ChoiceQuestion(
        id="9.B4",
        title="Noise and bias in training data",
        hint="What happens to each with more items?",
        options={
            "bias stays": "Independent errors average out with more items, a threshold is learned.",
            "both average out": "Both kinds of disagreement average out as items are added.",
            "agreement decides": "Only the agreement matters: with equal kappa both do equal harm.",
            "noise stays": "A systematic difference averages out as items are added, independent "
            "errors do not.",
        },
        right="bias stays",
        reasons={
            "bias stays": "So equal agreement can mean unequal harm.",
            "both average out": "A threshold of one annotator is in every item of theirs.",
            "agreement decides": "Kappa does not see in what direction annotators differ.",
            "noise stays": "It is the other way round.",
        },
        question="Two sets of training labels have the same agreement with the truth. In one the "
        "errors are independent of everything, in the other they come of one annotator's stricter "
        "threshold. What is the difference for a classifier that is trained on them?",
    ),
    ChoiceQuestion(
        id="9.B5",
        title="Where annotators disagree most",
        hint="Think of what the annotators could see.",
        options={
            "abstain": "Let the system abstain in the contexts where annotators disagree.",
            "majority": "Take the majority label everywhere; it is right by definition.",
            "drop the annotator": "Drop the annotator who disagrees most, and report the new "
            "alpha.",
            "pool": "Report one alpha over all contexts, as it is the mean quality of the labels.",
        },
        right="abstain",
        reasons={
            "abstain": "It answers where they agree and says elsewhere that it does not know, as "
            "Reidsma and op den Akker recommend for addressees.",
            "majority": "Where there is nothing to see, the majority is an accident.",
            "drop the annotator": "All annotators disagree in the same context; it is not a "
            "person.",
            "pool": "One number hides that labels of one context are good and of another are not.",
        },
        question="Annotators of addressees agree well where the speaker looks at somebody, and "
        "badly where the speaker looks at nobody. What do you do with a system that is trained on "
        "these labels?",
    ),
    ChoiceQuestion(
        id="9.B6",
        title="95 per cent agreement",
        hint="Which sentences were counted?",
        options={
            "retained only": "It is the agreement on what was kept: the disputed sentences were "
            "not.",
            "chance": "It is corrected for chance, so that it can be compared with the kappa of "
            "other data.",
            "accurate": "The labels are right for 95 % of the sentences.",
            "all": "It is the agreement on all sentences that the annotators saw.",
        },
        right="retained only",
        reasons={
            "retained only": "An annotator or the adjudication threw out the disputed ones. On "
            "all sentences it may be much lower.",
            "chance": "It is a share of equal labels; nothing was subtracted.",
            "accurate": "The paper itself shows sentences on which both chose the same wrong "
            "sense.",
            "all": "Sentences marked N/A by one of the two, or thrown out later, were not counted.",
        },
        question="A data set of verb senses reports an agreement of 95 %: 'instances that were "
        "marked N/A by one of the annotators, or thrown out during the adjudication, were not "
        "included'. What does the number say?",
    ),
]
