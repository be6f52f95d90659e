"""Questions on session 9: disagreement with a reason, merging, soft labels, validity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from annobench_course import Mistake
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion

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
        options={
            "averages out": "Less and less, as items are added",
            "is learned": "As much, however many items there are",
            "unknown": "That can't be said",
        },
        cases={
            "averages out": Case(
                "A classifier is trained on labels whose errors are independent of everything, "
                "and fewer than half. How much do the errors harm it?",
                "Independent errors average out: the classifier learns what is right most of the "
                "time.",
            ),
            "is learned": Case(
                "A classifier is trained on labels of one annotator, whose threshold is stricter "
                "than it should be. How much do the errors harm it?",
                "The threshold is in every label, and is learned.",
            ),
            "unknown": Case(
                "A classifier is trained on labels of which only the kappa with the truth is "
                "known. How much do the errors harm it?",
                "Kappa does not see in what direction labels are wrong: equal agreement can mean "
                "unequal harm.",
            ),
        },
    ),
    ChoiceQuestion(
        id="9.B5",
        title="Where annotators disagree",
        options={
            "abstain": "Let the system abstain in that context.",
            "annotator": "Leave out one annotator.",
            "votes": "Take more labels, and the majority.",
        },
        cases={
            "abstain": Case(
                "Annotators of addressees agree well where the speaker looks at somebody. Where "
                "the speaker looks at nobody, all disagree. What follows for a system that is "
                "trained on these labels?",
                "Where there is nothing to see, a majority is an accident. Reidsma and op den "
                "Akker recommend a system that answers only where annotators agree.",
            ),
            "annotator": Case(
                "Four of five annotators of addressees agree well with one another in all "
                "contexts. The fifth agrees with none of them more than chance would. What "
                "follows for a system that is trained on these labels?",
                "The disagreement is a person's, not a context's: these labels are uninformative.",
            ),
            "votes": Case(
                "Five annotators of addressees agree well with one another in all contexts. Each "
                "makes a few slips, on items of all kinds. What follows for a system that is "
                "trained on these labels?",
                "Independent slips average out in a majority.",
            ),
        },
    ),
    ChoiceQuestion(
        id="9.B6",
        title="Ninety-five per cent",
        options={
            "kept": "Agreement on the items that were kept",
            "all": "Agreement on all items",
            "chance": "Agreement corrected for chance",
            "accuracy": "Agreement with a gold standard",
        },
        cases={
            "kept": Case(
                "A data set of verb senses reports 95 %: 'instances that were marked N/A by one "
                "of the annotators, or thrown out during the adjudication, were not included'. "
                "What is the number?",
                "The disputed sentences are those that were thrown out. On all sentences it may "
                "be much lower.",
            ),
            "all": Case(
                "A data set of verb senses reports 95 %: 'the two annotators chose the same sense "
                "in 1,900 of the 2,000 sentences that they saw'. What is the number?",
                "A share of equal labels; nothing was left out and nothing was subtracted.",
            ),
            "chance": Case(
                "A data set of verb senses reports .95: 'of the agreement that is possible above "
                "shuffled labels, the annotators achieved this share'. What is the number?",
                "Shuffled labels agree as often as chance would have it: this is the idea of "
                "kappa.",
            ),
            "accuracy": Case(
                "A data set of verb senses reports 95 %: 'a sample of the labels was compared "
                "with what the lexicographers themselves decided'. What is the number?",
                "It compares labels with what is considered right, not annotators with one "
                "another.",
            ),
        },
    ),
]
