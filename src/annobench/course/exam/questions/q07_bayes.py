"""Questions on session 7: priors for annotators, partial pooling, Gibbs sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench.course.exam.records import Asked, ChoiceQuestion, NumberQuestion
from annobench.course.records import Given, Mistake

# For an exam


def _own_weight(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "a": int(rng.integers(6, 21)),
        "b": int(rng.integers(2, 6)),
        "labels": int(rng.choice([10, 20, 40, 60])),
    }


def _votes(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "prevalence": float(rng.choice([0.1, 0.2, 0.3])),
        "sensitivity": float(rng.choice([0.7, 0.75, 0.8, 0.9])),
        "specificity": float(rng.choice([0.65, 0.85, 0.95])),
        "ones": int(rng.integers(2, 4)),
        "zeros": 1,
    }


def _of_votes(g: Given, prevalence: float, specificity: float) -> float:
    one = prevalence * g["sensitivity"] ** g["ones"] * (1 - g["sensitivity"]) ** g["zeros"]
    zero = (1 - prevalence) * (1 - specificity) ** g["ones"] * specificity ** g["zeros"]
    return float(one / (one + zero))


def _some_draws(rng: np.random.Generator) -> dict[str, Any]:
    draws = int(rng.choice([2000, 4000, 6000]))
    return {
        "deviation": float(rng.integers(12, 60)) / 1000,
        "draws": draws,
        "effective": int(draws * rng.uniform(0.05, 0.4)) // 10 * 10,
    }


def _autocorrelated(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "draws": int(rng.choice([2000, 4000, 8000])),
        "sum": float(rng.integers(4, 40)) / 2,
    }


def _variances(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "draws": int(rng.choice([100, 200, 500])),
        "within": float(rng.integers(10, 40)) / 10,
        "between": float(rng.integers(2, 60)) / 10,
    }


def _reduction(g: Given) -> float:
    return float((g["draws"] - 1) / g["draws"] + g["between"] / g["within"])


BANK: list[Asked] = [
    NumberQuestion(
        id="7.B1",
        title="The weight of an annotator's own labels",
        hint="Compare the number of labels with the number that the prior counts for.",
        given=_own_weight,
        solve=lambda g: g["labels"] / (g["labels"] + g["a"] + g["b"]),
        mistakes=(
            Mistake(
                "weight of the prior",
                lambda g: (g["a"] + g["b"]) / (g["labels"] + g["a"] + g["b"]),
                "This is the weight of the prior's mean, the rest.",
            ),
            Mistake(
                "a for a + b",
                lambda g: g["labels"] / (g["labels"] + g["a"]),
                "You have counted the right labels of the prior only. It counts for a + b labels.",
            ),
            Mistake(
                "b for a + b",
                lambda g: g["labels"] / (g["labels"] + g["b"]),
                "You have counted the wrong labels of the prior only. It counts for a + b labels.",
            ),
        ),
        question=(
            "The accuracies of annotators come from Beta({a}, {b}). An annotator has given "
            "{labels} labels. With what weight does the annotator's own share of right labels "
            "enter the posterior mean of the accuracy? Give three decimals."
        ),
        solution=(
            "The prior counts for {a} + {b} labels, so that the weight is {labels} / ({labels} + "
            "{a} + {b}) = {answer}."
        ),
    ),
    NumberQuestion(
        id="7.B2",
        title="An item's category from its labels",
        hint="Bayes' theorem: prevalence times the probabilities of the labels, for each category.",
        given=_votes,
        solve=lambda g: _of_votes(g, g["prevalence"], g["specificity"]),
        mistakes=(
            Mistake(
                "prevalence left out",
                lambda g: _of_votes(g, 0.5, g["specificity"]),
                "The prevalence is missing, or is the same for both categories.",
            ),
            Mistake(
                "specificity exchanged",
                lambda g: _of_votes(g, g["prevalence"], 1 - g["specificity"]),
                "The specificity is the probability of a label 0, not of a label 1, on an item of "
                "category 0.",
            ),
            Mistake(
                "other category",
                lambda g: 1 - _of_votes(g, g["prevalence"], g["specificity"]),
                "This is the probability of category 0.",
            ),
            Mistake(
                "not divided by the sum",
                lambda g: (
                    g["prevalence"]
                    * g["sensitivity"] ** g["ones"]
                    * (1 - g["sensitivity"]) ** g["zeros"]
                ),
                "This is the probability of category 1 together with the labels; it must be "
                "divided by the probability of the labels.",
            ),
        ),
        question=(
            "The prevalence of category 1 is {prevalence}. All annotators have the sensitivity "
            "{sensitivity} and the specificity {specificity}. An item has {ones} labels 1 and "
            "{zeros} label 0. How probable is it that the item is of category 1? Give three "
            "decimals."
        ),
        solution=(
            "Category 1: {prevalence} times {sensitivity} for each label 1 and 1 - {sensitivity} "
            "for each label 0. Category 0: 1 - {prevalence} times 1 - {specificity} for each label "
            "1 and {specificity} for each label 0. The first divided by the sum is {answer}."
        ),
    ),
    NumberQuestion(
        id="7.B3",
        title="The Monte Carlo standard error",
        hint="Dependent draws are worth fewer independent ones.",
        given=_some_draws,
        digits=5,
        solve=lambda g: g["deviation"] / np.sqrt(g["effective"]),
        mistakes=(
            Mistake(
                "all draws",
                lambda g: g["deviation"] / np.sqrt(g["draws"]),
                "You have treated the draws as independent.",
            ),
            Mistake(
                "posterior standard deviation",
                lambda g: g["deviation"],
                "This is what the labels leave open. More draws do not change it.",
            ),
            Mistake(
                "no square root",
                lambda g: g["deviation"] / g["effective"],
                "Standard errors fall with the square root of the number.",
            ),
        ),
        question=(
            "{draws} draws of a prevalence have the standard deviation {deviation}; their "
            "effective number is {effective}. What is the Monte Carlo standard error of the "
            "posterior mean? Give five decimals."
        ),
        solution="{deviation} divided by the square root of {effective} is {answer}.",
    ),
    NumberQuestion(
        id="7.B4",
        title="The effective number of draws",
        hint="Each correlation counts twice: forwards and backwards.",
        given=_autocorrelated,
        digits=1,
        solve=lambda g: g["draws"] / (1 + 2 * g["sum"]),
        mistakes=(
            Mistake(
                "correlations counted once",
                lambda g: g["draws"] / (1 + g["sum"]),
                "The correlations count twice, forwards and backwards in the chain.",
            ),
            Mistake(
                "no correlation with itself",
                lambda g: g["draws"] / (2 * g["sum"]),
                "The 1 in the denominator is missing, the correlation of a draw with itself.",
            ),
            Mistake(
                "all draws", lambda g: g["draws"], "The draws are dependent, and are worth fewer."
            ),
        ),
        question=(
            "The autocorrelations of {draws} draws, from lag 1 on, sum to {sum}. What is the "
            "effective number of draws? Give one decimal."
        ),
        solution="{draws} / (1 + 2 × {sum}) = {answer}.",
    ),
    NumberQuestion(
        id="7.B5",
        title="R-hat from its parts",
        hint="Numerator: (S - 1)/S times W, plus the variance of the chains' means.",
        given=_variances,
        solve=lambda g: np.sqrt(_reduction(g)),
        mistakes=(
            Mistake("no square root", _reduction, "This is the square of R-hat."),
            Mistake(
                "between over within",
                lambda g: np.sqrt(g["between"] / g["within"]),
                "The variance within the chains is missing in the numerator; the result would be "
                "near 0 if the chains agree.",
            ),
            Mistake(
                "upside down",
                lambda g: 1 / np.sqrt(_reduction(g)),
                "Numerator and denominator are exchanged: R-hat is large where chains disagree.",
            ),
        ),
        question=(
            "Several chains of {draws} draws each have a mean variance W = {within} within the "
            "chains; the variance of the chains' means is {between}. Compute R-hat to three "
            "decimals. Have the chains converged?"
        ),
        solution=(
            "The square root of (({draws} - 1)/{draws} × {within} + {between}) / {within} is "
            "{answer}. Values far above 1 show that the chains have not converged to one "
            "distribution."
        ),
    ),
    ChoiceQuestion(
        id="7.B6",
        title="What R-hat shows",
        hint="R-hat sees chains only, no labels.",
        options={
            "chains": "The chains now draw from much the same distribution.",
            "model": "The model describes the labels well, as the chains agree on it.",
            "prior": "The prior hardly matters.",
            "program": "The sampler is programmed correctly.",
        },
        right="chains",
        reasons={
            "model": "A sampler of a wrong model converges as well. A posterior predictive check "
            "asks whether the labels look like those of the model.",
            "prior": "Chains agree however strong the prior is. Fit with other priors to see.",
            "program": "All chains may share an error. Simulation-based calibration finds it.",
        },
        question="R-hat is 1.00 for all parameters of a fit. What does that show?",
        solution="It compares the chains with one another, and with nothing else.",
    ),
    ChoiceQuestion(
        id="7.B7",
        title="Who moves most",
        hint="The weight of an annotator's own share is n / (n + s).",
        options={
            "few": "One with few labels, whose share of right labels is far from the mean.",
            "many": "One with many labels, whose share of right labels is far from the mean.",
            "mean": "One with few labels, whose share of right labels is near the mean.",
            "alike": "All annotators move by the same amount.",
        },
        right="few",
        reasons={
            "many": "Many labels outweigh the prior: such an annotator hardly moves.",
            "mean": "The weight of the prior is large, but the way to the mean is short.",
            "alike": "The share of the way depends on the number of labels, its length on the "
            "distance from the mean.",
        },
        question=(
            "Under partial pooling, whose estimate differs most from the annotator's own share of "
            "right labels?"
        ),
        solution=(
            "The estimate goes the share s / (n + s) of the way from the annotator's own share to "
            "the mean: far where n is small and the way is long."
        ),
    ),
]
