"""Questions on session 6: the model of Dawid and Skene, EM, label switching, optima."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion

# Questions of the bank.


def _test(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "prevalence": round(float(rng.uniform(0.05, 0.35)), 2),
        "sensitivity": round(float(rng.uniform(0.7, 0.95)), 2),
        "specificity": round(float(rng.uniform(0.75, 0.97)), 2),
    }


def _share_positive(given: Given) -> float:
    p, a, b = given["prevalence"], given["sensitivity"], given["specificity"]
    return float(p * a + (1 - p) * (1 - b))


BANK: list[Asked] = [
    NumberQuestion(
        id="6.B1",
        title="A positive label",
        given=_test,
        solve=lambda given: given["prevalence"] * given["sensitivity"] / _share_positive(given),
        mistakes=(
            Mistake(
                "sensitivity",
                lambda given: given["sensitivity"],
                "This is the probability of the label given the category.",
            ),
            Mistake(
                "prevalence left out",
                lambda given: (
                    given["sensitivity"] / (given["sensitivity"] + 1 - given["specificity"])
                ),
                "The prevalence is left out.",
            ),
            Mistake(
                "joint for posterior",
                lambda given: given["prevalence"] * given["sensitivity"],
                "This is the probability of category and label together; divide by that of the "
                "label.",
            ),
        ),
        question="A share {prevalence} of the items is positive. An annotator has sensitivity "
        "{sensitivity} and specificity {specificity}, and calls an item positive. What is the "
        "probability that it is, to three decimals?",
        solution="{prevalence} x {sensitivity} / ({prevalence} x {sensitivity} + "
        "(1 - {prevalence}) x (1 - {specificity})) = {answer}",
    ),
    NumberQuestion(
        id="6.B2",
        title="How many positive labels",
        given=_test,
        solve=_share_positive,
        mistakes=(
            Mistake(
                "true positives only",
                lambda given: given["prevalence"] * given["sensitivity"],
                "Negative items are labelled positive, too.",
            ),
            Mistake(
                "prevalence",
                lambda given: given["prevalence"],
                "This is the share of positive items, not of positive labels.",
            ),
            Mistake(
                "specificity for its complement",
                lambda given: (
                    given["prevalence"] * given["sensitivity"]
                    + (1 - given["prevalence"]) * given["specificity"]
                ),
                "This is the share of right labels.",
            ),
        ),
        question="A share {prevalence} of the items is positive. An annotator has sensitivity "
        "{sensitivity} and specificity {specificity}. Which share of this annotator's labels is "
        "expected to be positive, to three decimals?",
        solution="{prevalence} x {sensitivity} + (1 - {prevalence}) x (1 - {specificity}) = "
        "{answer}",
    ),
    NumberQuestion(
        id="6.B3",
        title="Number of parameters",
        given=lambda rng: {
            "n_annotators": int(rng.integers(5, 60)),
            "n_categories": int(rng.integers(3, 10)),
        },
        solve=lambda given: (
            given["n_annotators"] * given["n_categories"] * (given["n_categories"] - 1)
            + given["n_categories"]
            - 1
        ),
        digits=0,
        mistakes=(
            Mistake(
                "all entries",
                lambda given: (
                    given["n_annotators"] * given["n_categories"] ** 2 + given["n_categories"]
                ),
                "Rows sum to 1: the last entry of each is not free.",
            ),
            Mistake(
                "prevalence left out",
                lambda given: (
                    given["n_annotators"] * given["n_categories"] * (given["n_categories"] - 1)
                ),
                "The prevalence has free parameters, too.",
            ),
            Mistake(
                "one matrix for all",
                lambda given: (given["n_categories"] + 1) * (given["n_categories"] - 1),
                "Every annotator has a matrix.",
            ),
        ),
        question="How many free parameters has the model of Dawid and Skene with {n_annotators} "
        "annotators and {n_categories} categories?",
        solution="J K (K - 1) + K - 1 = {answer}",
    ),
    NumberQuestion(
        id="6.B4",
        title="What a positive label weighs",
        given=_test,
        solve=lambda given: math.log(given["sensitivity"] / (1 - given["specificity"])),
        mistakes=(
            Mistake(
                "log odds of the sensitivity",
                lambda given: math.log(given["sensitivity"] / (1 - given["sensitivity"])),
                "This is the weight of an annotator whose sensitivity and specificity are equal.",
            ),
            Mistake(
                "log odds of the specificity",
                lambda given: math.log(given["specificity"] / (1 - given["specificity"])),
                "This is the weight of a negative label, and only if sensitivity and "
                "specificity are equal.",
            ),
            Mistake(
                "negative label",
                lambda given: math.log(given["specificity"] / (1 - given["sensitivity"])),
                "This is what a negative label weighs.",
            ),
        ),
        question="By how much does a positive label of an annotator with sensitivity {sensitivity} "
        "and specificity {specificity} raise the log odds that the item is positive? Natural "
        "logarithm, three decimals.",
        solution="log({sensitivity} / (1 - {specificity})) = {answer}",
    ),
    ChoiceQuestion(
        id="6.B5",
        title="What EM shows",
        options={
            "program": "There is an error in the program.",
            "stationary": "EM has converged, perhaps at a local optimum.",
            "several": "The likelihood has several optima.",
        },
        cases={
            "program": Case(
                "In your EM for Dawid and Skene's model (no smoothing) the log likelihood falls "
                "by 3 from one iteration to the next. What does it show?",
                "A right E-step and M-step never lower the likelihood.",
            ),
            "stationary": Case(
                "In your EM for Dawid and Skene's model, from one start, neither the log "
                "likelihood nor the parameters change any more. What does it show?",
                "EM stops wherever an iteration changes nothing; only other starts show whether "
                "there is a higher optimum.",
            ),
            "several": Case(
                "Your EM for Dawid and Skene's model ends at a log likelihood of -812 from one "
                "start and of -830 from another, and stays there. What does it show?",
                "Each start leads to an optimum near it. The higher one explains the labels "
                "better.",
            ),
        },
    ),
    ChoiceQuestion(
        id="6.B6",
        title="What a label tells",
        options={
            "nothing": "It leaves it as it is.",
            "support": "It raises it.",
            "against": "It lowers it.",
        },
        cases={
            "nothing": Case(
                "An annotator says 'yes' to 80% of the items that are 'yes', and to 80% of those "
                "that are 'no'. What does a 'yes' of this annotator do to the probability that an "
                "item is 'yes'?",
                "The two rows of the confusion matrix are equal: a factor that all categories "
                "share cancels.",
            ),
            "support": Case(
                "An annotator says 'yes' to 60% of the items that are 'yes', and to 50% of those "
                "that are 'no'. What does a 'yes' of this annotator do to the probability that an "
                "item is 'yes'?",
                "The label is more probable if the item is 'yes': the odds grow by 0.6 / 0.5.",
            ),
            "against": Case(
                "An annotator says 'yes' to 20% of the items that are 'yes', and to 40% of those "
                "that are 'no'. What does a 'yes' of this annotator do to the probability that an "
                "item is 'yes'?",
                "The label is less probable if the item is 'yes': the odds are multiplied by 0.2 "
                "/ 0.4.",
            ),
        },
    ),
]
