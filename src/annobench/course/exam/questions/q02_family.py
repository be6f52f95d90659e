"""Questions on session 2: pi, S, AC1 and alpha, why packages disagree, and Bhowmick's A_m."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench.course.exam.records import Asked, ChoiceQuestion, NumberQuestion
from annobench.course.records import Given, Mistake
from annobench.course.two_annotators import corrected


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
        title="When all coefficients agree",
        options={
            "even": "If each annotator used all K categories equally often.",
            "perfect": "If observed agreement is so high that chance hardly matters.",
            "two": "If there are two categories.",
            "many": "If there are very many items.",
        },
        right="even",
        reasons={
            "perfect": "Only at exactly 1; at 0.95 with a rare category they differ widely.",
            "two": "S, pi and AC1 of two categories differ unless both are equally frequent.",
            "many": "Alpha tends to pi, but S, AC1 and pi don't meet.",
        },
        question="When do S, Scott's pi, Cohen's kappa and AC1 of two annotators all have the same "
        "value, below 1?",
        solution="With even margins all of them expect 1/K by chance.",
    ),
    ChoiceQuestion(
        id="2.B6",
        title="One category only",
        options={
            "undefined": "Kappa, pi and alpha are 0/0; S and AC1 are 1.",
            "one": "All are 1: the agreement is perfect.",
            "zero": "All are 0: nothing was won above chance.",
            "error": "None can be computed: a program must stop.",
        },
        right="undefined",
        reasons={
            "one": "Chance gives 1 as well in kappa, pi and alpha, so there was nothing to win.",
            "zero": "0/0 is not 0; and S and AC1 expect less than 1 by chance.",
            "error": "S and AC1 have a value, as they expect less than 1 by chance.",
        },
        question="Two annotators could say 'yes' or 'no' and said 'no' to all 50 items. What do "
        "the coefficients say?",
        solution="A_e is 1 in kappa, pi and alpha (0/0), 1/2 in S and 0 in AC1 (both 1).",
    ),
]
