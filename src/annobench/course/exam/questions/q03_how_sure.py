"""Questions on session 3: standard errors, the bootstrap, coverage, differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench.course.exam.records import Asked, ChoiceQuestion, NumberQuestion
from annobench.course.records import Given, Mistake
from annobench.course.sessions.s03_how_sure import Z


def _draw_estimate(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a coefficient and its standard error."""
    return {
        "kappa": round(float(rng.uniform(0.5, 0.8)), 3),
        "error": round(float(rng.uniform(0.02, 0.07)), 3),
    }


def _draw_pilot(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the items and the standard error of a pilot study, and the standard error wanted."""
    return {
        "items": int(rng.integers(5, 16)) * 10,
        "error": round(float(rng.uniform(0.05, 0.09)), 3),
        "wanted": round(float(rng.uniform(0.02, 0.035)), 3),
    }


def _draw_two_studies(rng: np.random.Generator) -> dict[str, Any]:
    """Draw two independent kappas with their standard errors."""
    first, second = np.sort(rng.uniform(0.5, 0.85, size=2)).round(3)
    errors = rng.uniform(0.02, 0.06, size=2).round(3)
    return {
        "first": float(first),
        "second": float(second),
        "error_first": float(errors[0]),
        "error_second": float(errors[1]),
    }


def _standardised(given: Given) -> float:
    """Return the difference of independent kappas in standard errors."""
    error = np.hypot(given["error_first"], given["error_second"])
    return float((given["second"] - given["first"]) / error)


def _draw_misses(rng: np.random.Generator) -> dict[str, Any]:
    """Draw how many of simulated intervals lie below and above the truth."""
    return {
        "studies": int(rng.integers(4, 11)) * 100,
        "below": int(rng.integers(20, 70)),
        "above": int(rng.integers(3, 20)),
    }


BANK: list[Asked] = [
    NumberQuestion(
        id="3.B1",
        title="The lower end of an interval",
        hint="Estimate less 1.96 standard errors.",
        given=_draw_estimate,
        solve=lambda given: given["kappa"] - Z * given["error"],
        mistakes=(
            Mistake(
                "upper end",
                lambda given: given["kappa"] + Z * given["error"],
                "This is the upper end.",
            ),
            Mistake(
                "one standard error",
                lambda given: given["kappa"] - given["error"],
                "One standard error makes a 68% interval. For 95% take 1.96.",
            ),
            Mistake(
                "whole width",
                lambda given: given["kappa"] - 2 * Z * given["error"],
                "The whole width of the interval was taken away. Half of it lies below the "
                "estimate.",
            ),
        ),
        question="Cohen's kappa is {kappa}, with a standard error of {error}. Compute the lower "
        "end of the 95% interval (three decimals).",
        solution="{kappa} - 1.96 * {error} = {answer}.",
    ),
    NumberQuestion(
        id="3.B2",
        title="How many items for a given standard error",
        hint="The standard error falls with the square root of the number of items.",
        given=_draw_pilot,
        solve=lambda given: given["items"] * (given["error"] / given["wanted"]) ** 2,
        digits=0,
        mistakes=(
            Mistake(
                "proportional",
                lambda given: given["items"] * given["error"] / given["wanted"],
                "The standard error falls with the square root of the number of items, so the "
                "ratio has to be squared.",
            ),
            Mistake(
                "square root",
                lambda given: given["items"] * np.sqrt(given["error"] / given["wanted"]),
                "The ratio has to be squared, not its root taken.",
            ),
            Mistake(
                "only the additional",
                lambda given: given["items"] * ((given["error"] / given["wanted"]) ** 2 - 1),
                "These are the items in addition to the pilot's. Asked for are all.",
            ),
        ),
        question="A pilot study with {items} items gives kappa a standard error of {error}. "
        "About how many items in all give a standard error of {wanted} (a whole number)?",
        solution="{items} * ({error} / {wanted})^2 = {answer}.",
    ),
    NumberQuestion(
        id="3.B3",
        title="Two kappas of different items",
        hint="Different items: the variances add.",
        given=_draw_two_studies,
        solve=_standardised,
        digits=2,
        mistakes=(
            Mistake(
                "sum of errors",
                lambda given: (
                    (given["second"] - given["first"])
                    / (given["error_first"] + given["error_second"])
                ),
                "Standard errors do not add, variances do.",
            ),
            Mistake(
                "one error",
                lambda given: (given["second"] - given["first"]) / given["error_first"],
                "The second kappa has an error, too.",
            ),
            Mistake(
                "divided by the variance",
                lambda given: (
                    (given["second"] - given["first"])
                    / (given["error_first"] ** 2 + given["error_second"] ** 2)
                ),
                "The difference is divided by its standard error, not by its variance.",
            ),
        ),
        question="Before training, kappa is {first} (standard error {error_first}); after "
        "training, on different items, it is {second} (standard error {error_second}). How many "
        "standard errors is the gain (two decimals)?",
        solution="({second} - {first}) / sqrt({error_first}^2 + {error_second}^2) = {answer}. "
        "Beyond 1.96 it is significant at the level of 5%.",
    ),
    NumberQuestion(
        id="3.B4",
        title="Coverage from counts",
        hint="Both kinds of misses are misses.",
        given=_draw_misses,
        solve=lambda given: 1 - (given["below"] + given["above"]) / given["studies"],
        mistakes=(
            Mistake(
                "misses for hits",
                lambda given: (given["below"] + given["above"]) / given["studies"],
                "This is the share that misses the truth.",
            ),
            Mistake(
                "only below",
                lambda given: 1 - given["below"] / given["studies"],
                "Intervals above the truth miss it, too.",
            ),
            Mistake(
                "only above",
                lambda given: 1 - given["above"] / given["studies"],
                "Intervals below the truth miss it, too.",
            ),
        ),
        question="Of {studies} simulated 95% intervals, {below} lie entirely below the true "
        "kappa and {above} entirely above it. Compute the empirical coverage (three decimals).",
        solution="1 - ({below} + {above}) / {studies} = {answer}. An interval that misses more "
        "often on one side is not only too short but in the wrong place.",
    ),
    ChoiceQuestion(
        id="3.B5",
        title="What 95% means",
        hint="What is random before the labels are seen: the true value or the interval?",
        options={
            "procedure": "Of such intervals from many studies, 95% contain the true value.",
            "items": "95% of the items have an agreement within the interval.",
            "replication": "The next study's estimate will lie in the interval with a "
            "probability of 95%.",
            "labels": "95% of the labels are right.",
        },
        right="procedure",
        reasons={
            "items": "The interval is about one number, the coefficient of all items of the "
            "kind, not about single items.",
            "replication": "The next estimate has an error of its own. It lies in this interval "
            "less often: about 83% of the time.",
            "labels": "Agreement does not say which labels are right, and neither does its "
            "interval.",
        },
        question="What does the 95% of a 95% confidence interval for kappa over items mean?",
        solution="It is a property of the procedure: 95% of the intervals from repeated studies "
        "contain the true value.",
    ),
    ChoiceQuestion(
        id="3.B6",
        title="Three annotators",
        hint="How many values does a bootstrap over annotators draw from?",
        options={
            "these": "Report an interval over items, and say that it speaks of these three "
            "annotators.",
            "bootstrap": "Report the bootstrap over annotators, as the guideline is what matters.",
            "labels": "Report the bootstrap over labels, of which there are enough.",
            "nothing": "Report no interval: with three annotators nothing can be said.",
        },
        right="these",
        reasons={
            "bootstrap": "Three values say next to nothing of how annotators differ, and samples "
            "of three are often one person three times.",
            "labels": "Labels of one item belong together, and so do labels of one annotator; "
            "drawn singly they are not a new study.",
            "nothing": "A lot can be said of these three on other items. Only the step to other "
            "annotators is not possible.",
        },
        question="Three annotators labelled 1000 items. Which interval should be reported with "
        "alpha?",
        solution="An interval over items, with the statement that it speaks of these three "
        "annotators.",
    ),
]
