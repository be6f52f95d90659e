"""Questions on session 2: pi, S, AC1 and alpha, why packages disagree, and Bhowmick's A_m."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion
from annobench_course.two_annotators import corrected


def _sizes(rng: np.random.Generator) -> dict[str, Any]:
    sizes = map(int, rng.integers([2, 5, 20, 40], [6, 15, 40, 90]))
    return dict(zip(("none", "one", "two", "three"), sizes, strict=True))


def _step(given: Given, n_labels: float) -> float:
    """Return alpha of complete labels from Fleiss' kappa."""
    return float(given["kappa"] + (1 - given["kappa"]) / n_labels)


BANK: list[Asked] = [
    NumberQuestion(
        id="2.B1",
        title="Bennett's S",
        given=lambda rng: {
            "agreeing": int(rng.integers(55, 95)),
            "n_categories": int(rng.integers(3, 7)),
        },
        solve=lambda given: corrected(given["agreeing"] / 100, 1 / given["n_categories"]),
        mistakes=(
            Mistake(
                "two categories",
                lambda given: 2 * given["agreeing"] / 100 - 1,
                "Chance was taken as 1/2, which holds for two categories.",
            ),
            Mistake(
                "not divided",
                lambda given: given["agreeing"] / 100 - 1 / given["n_categories"],
                "Not divided by 1 - 1/K.",
            ),
            Mistake(
                "K - 1 for K",
                lambda given: corrected(given["agreeing"] / 100, 1 / (given["n_categories"] - 1)),
                "Chance was taken as 1 / (K - 1).",
            ),
        ),
        question="Two annotators choose among {n_categories} categories and agree on {agreeing} of "
        "100 items. What is Bennett's S?",
        solution="A_e = 1 / {n_categories}; (A_o - A_e) / (1 - A_e) = {answer}.",
    ),
    NumberQuestion(
        id="2.B2",
        title="From Fleiss' kappa to alpha",
        given=lambda rng: {
            "kappa": int(rng.integers(20, 70)) / 100,
            "n_items": int(rng.integers(5, 13)),
            "n_annotators": int(rng.integers(3, 6)),
        },
        solve=lambda given: _step(given, given["n_items"] * given["n_annotators"]),
        mistakes=(
            Mistake(
                "items for labels",
                lambda given: _step(given, given["n_items"]),
                "N is the number of labels, not of items.",
            ),
            Mistake(
                "Fleiss' kappa",
                lambda given: given["kappa"],
                "Alpha has a correction for small samples, which kappa has not.",
            ),
            Mistake(
                "subtracted",
                lambda given: _step(given, -given["n_items"] * given["n_annotators"]),
                "Alpha is never below Fleiss' kappa of complete labels.",
            ),
        ),
        digits=4,
        question="{n_annotators} annotators each labelled the same {n_items} items; Fleiss' kappa "
        "is {kappa}. What is Krippendorff's nominal alpha, to four decimals?",
        solution="alpha = kappa + (1 - kappa) / N with N labels: {answer}.",
    ),
    NumberQuestion(
        id="2.B3",
        title="Pairable labels",
        given=_sizes,
        digits=0,
        solve=lambda given: 2 * given["two"] + 3 * given["three"],
        mistakes=(
            Mistake(
                "all labels",
                lambda given: given["one"] + 2 * given["two"] + 3 * given["three"],
                "A label that is alone on its item has no partner.",
            ),
            Mistake(
                "items", lambda given: given["two"] + given["three"], "These are items, not labels."
            ),
            Mistake(
                "pairs",
                lambda given: given["two"] + 3 * given["three"],
                "These are pairs of labels, not labels.",
            ),
        ),
        question="Of the items of a project, {none} have no label, {one} have one, {two} have two "
        "and {three} have three. How many labels enter Krippendorff's alpha?",
        solution="Those of items with two labels or more: {answer}.",
    ),
    NumberQuestion(
        id="2.B4",
        title="A_m from rounded parts",
        given=lambda rng: {
            "observed": int(rng.integers(800, 900)) / 1000,
            "expected": int(rng.integers(500, 600)) / 1000,
        },
        solve=lambda given: corrected(given["observed"] + 0.0005, given["expected"] - 0.0005),
        digits=4,
        mistakes=(
            Mistake(
                "as printed",
                lambda given: corrected(given["observed"], given["expected"]),
                "The value at the printed numbers; rounding leaves a larger one possible.",
            ),
            Mistake(
                "both upwards",
                lambda given: corrected(given["observed"] + 0.0005, given["expected"] + 0.0005),
                "A larger expected agreement makes A_m smaller.",
            ),
            Mistake(
                "a whole unit",
                lambda given: corrected(given["observed"] + 0.001, given["expected"] - 0.001),
                "Rounding moves a number by half a unit of its last digit at most.",
            ),
        ),
        question="A paper prints P_o = {observed:.3f} and P_e = {expected:.3f}, both rounded. How "
        "large can A_m = (P_o - P_e) / (1 - P_e) have been at most, to four decimals?",
        solution="P_o half a unit larger, P_e half a unit smaller: {answer}.",
    ),
    ChoiceQuestion(
        id="2.B5",
        title="When coefficients agree",
        options={
            "all": "All three are equal.",
            "equal margins": "Pi and kappa are equal, S differs.",
            "one even": "S and kappa are equal, pi differs.",
            "none": "All three differ.",
        },
        cases={
            "all": Case(
                "Two annotators agree on most items, not all. Each says 'yes' to half of them. "
                "What is true of S, Scott's pi and Cohen's kappa?",
                "All expect 1/2 by chance.",
            ),
            "equal margins": Case(
                "Two annotators agree on most items, not all. Each says 'yes' to 20% of them. "
                "What is true of S, Scott's pi and Cohen's kappa?",
                "With equal margins pi and kappa expect 0.2^2 + 0.8^2 = 0.68; S expects 0.5.",
            ),
            "one even": Case(
                "Two annotators agree on most items, not all. One says 'yes' to half of them, the "
                "other to 30%. What is true of S, Scott's pi and Cohen's kappa?",
                "Kappa expects 0.5 x 0.3 + 0.5 x 0.7 = 0.5, as S does; pi expects 0.4^2 + 0.6^2 = "
                "0.52.",
            ),
            "none": Case(
                "Two annotators agree on most items, not all. One says 'yes' to 10% of them, the "
                "other to 30%. What is true of S, Scott's pi and Cohen's kappa?",
                "Expected are 0.5 by S, 0.2^2 + 0.8^2 = 0.68 by pi and 0.1 x 0.3 + 0.9 x 0.7 = "
                "0.66 by kappa.",
            ),
        },
    ),
    ChoiceQuestion(
        id="2.B6",
        title="What is expected by chance",
        options={
            "kappa": "Cohen's kappa",
            "pi": "Scott's pi",
            "uniform": "S",
            "gwet": "AC1",
        },
        cases={
            "kappa": Case(
                "Two annotators label the same items. Which coefficient expects the agreement of "
                "two people who keep their own shares of the categories, and label independently?",
                "Kappa: the product of the two shares of a category, summed over the categories.",
            ),
            "pi": Case(
                "Two annotators label the same items. Which coefficient expects the agreement of "
                "two people who draw labels from the mean of both annotators' shares?",
                "Pi: the squared mean share of a category, summed over the categories.",
            ),
            "uniform": Case(
                "Two annotators label the same items. Which coefficient expects an agreement that "
                "the labels do not change, given the number of categories?",
                "S: 1/K.",
            ),
            "gwet": Case(
                "Two annotators label the same items. Which coefficient expects the less "
                "agreement, the more of the labels fall into one category?",
                "AC1: the mean share of a category times what is left to 1, summed and divided by "
                "K - 1.",
            ),
        },
    ),
]
