"""Questions on session 3: standard errors, the bootstrap, coverage, differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from annobench_course import Given, Mistake
from annobench_course.sessions.s03_how_sure.exercises import Z
from annobench_course.teacher.questions import Asked, Case, ChoiceQuestion, NumberQuestion


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
                "The whole width of the interval was subtracted. Half of it lies below the "
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
                "These are the items in addition to the pilot's. The question asks for all.",
            ),
        ),
        question="A pilot study with {items} items gives kappa a standard error of {error}. "
        "About how many items in all give a standard error of {wanted} (a whole number)?",
        solution="{items} * ({error} / {wanted})^2 = {answer}.",
    ),
    NumberQuestion(
        id="3.B3",
        title="Two kappas of different items",
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
        title="Which interval",
        options={
            "confidence": "A confidence interval",
            "credible": "A credible interval",
            "prediction": "A prediction interval",
            "items": "A range of items",
        },
        cases={
            "confidence": Case(
                "If the study were repeated with new items many times, 95% of the intervals "
                "computed in this way would contain kappa of all items. Of which interval does "
                "this hold?",
                "A confidence interval: 95% is a property of the procedure.",
            ),
            "credible": Case(
                "Given these labels and a prior, kappa of all items lies in it with a probability "
                "of 95%. Of which interval does this hold?",
                "A credible interval: a probability of kappa itself needs a prior.",
            ),
            "prediction": Case(
                "Kappa of another sample of as many items will lie in it with a probability of "
                "95%. Of which interval does this hold?",
                "A prediction interval: it also has the error of the next sample, and is wider "
                "than a confidence interval.",
            ),
            "items": Case(
                "For each item the share of pairs of annotators that agree is computed. Of these "
                "shares 95% lie in it. Of which interval does this hold?",
                "A range of items: it is about single items, the others about one coefficient.",
            ),
        },
    ),
    ChoiceQuestion(
        id="3.B6",
        title="What to resample",
        options={
            "items": "The items",
            "annotators": "The annotators",
            "both": "Items and annotators",
        },
        cases={
            "items": Case(
                "Three annotators labelled 1,000 items drawn at random. Alpha is to be stated "
                "for these three on other items of the kind. What does the bootstrap resample?",
                "Items alone: three annotators show almost nothing about how annotators differ, "
                "and the statement is about these three.",
            ),
            "annotators": Case(
                "Forty annotators, drawn at random from a pool, labelled the same 50 items. "
                "Alpha is to be stated for other annotators of the pool on these 50 items. What "
                "does the bootstrap resample?",
                "Annotators alone: the items are those that the statement is about.",
            ),
            "both": Case(
                "Forty annotators, drawn at random from a pool, labelled 1,000 items drawn at "
                "random. Alpha is to be stated for other annotators of the pool on other items. "
                "What does the bootstrap resample?",
                "Both, since both would be others in another study.",
            ),
        },
    ),
]
