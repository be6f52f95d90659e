"""Questions on session 7: priors for annotators, partial pooling, Gibbs sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion

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
        title="Which check",
        options={
            "chains": "R-hat",
            "model": "A posterior predictive check",
            "program": "Simulation-based calibration",
            "prior": "Fits with other priors",
        },
        cases={
            "chains": Case(
                "Do chains that were started far apart now draw from much the same distribution? "
                "What answers this?",
                "R-hat compares the chains with one another, and with nothing else.",
            ),
            "model": Case(
                "Do the labels look like labels that the fitted model would give? What answers "
                "this?",
                "A posterior predictive check. A sampler of a wrong model converges as well.",
            ),
            "program": Case(
                "Does the sampler draw from the posterior of the model, as it is meant to be? "
                "What answers this?",
                "Simulation-based calibration: all chains may share an error of the program.",
            ),
            "prior": Case(
                "How much do the conclusions depend on what was assumed about annotators "
                "beforehand? What answers this?",
                "Fits with other priors. Chains agree however strong the prior is.",
            ),
        },
    ),
    ChoiceQuestion(
        id="7.B7",
        title="Who moves most",
        options={
            "few, far": "5 labels, 40% of them right",
            "many, far": "200 labels, 40% of them right",
            "few, near": "5 labels, 75% of them right",
            "many, near": "200 labels, 75% of them right",
        },
        cases={
            "few, far": Case(
                "Under partial pooling, with a prior that counts as 20 labels and a mean share "
                "of right labels of 0.8, which annotator's estimate differs most from their own "
                "share of right labels?",
                "The estimate goes the share 20 / (n + 20) of the way from their own share to "
                "the mean: far where n is small and the way is long.",
            ),
            "many, near": Case(
                "Under partial pooling, with a prior that counts as 20 labels and a mean share "
                "of right labels of 0.8, which annotator's estimate differs least from their own "
                "share of right labels?",
                "The estimate goes the share 20 / (n + 20) of the way from their own share to "
                "the mean: not far where n is large and the way is short.",
            ),
            "many, far": Case(
                "Under partial pooling, with a prior that counts as 20 labels and a mean share of "
                "right labels of 0.8, which annotator's estimate is the lowest?",
                "(80 + 16) / 220 = 0.44: many labels outweigh the prior.",
            ),
            "few, near": Case(
                "Under partial pooling, with a prior that counts as 20 labels and a mean share of "
                "right labels of 0.8, which annotator's estimate is the highest?",
                "(3.75 + 16) / 25 = 0.79: the prior outweighs few labels.",
            ),
        },
    ),
]
