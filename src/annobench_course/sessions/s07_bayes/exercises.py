"""Session 7: priors for annotators, partial pooling, Gibbs sampling and what to check."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench_course import (
    Choice,
    Function,
    Given,
    Lesson,
    Mistake,
    Number,
    Part,
    Property,
    Simulation,
)

Floats = NDArray[np.float64]
Interval = tuple[float, float]

LESSON = Lesson(
    summary=(
        "Put a prior on annotators, pool them partially, sample the posterior and check the "
        "chains, the sampler and the model."
    ),
    needs=("06_dawid_skene", "Bayes' theorem"),
    data=("snow2008_rte",),
    papers=("carpenter2008",),
    worksheet=("7.1", "7.2", "7.3"),
    timing=(
        Part(15, "the worksheet; a prior counts as labels"),
        Part(25, "without a gold standard: Gibbs sampling", ("7.4",)),
        Part(20, "have the chains converged?", ("7.5", "7.6")),
        Part(15, "Carpenter's Figures 5 to 7", ("7.7",)),
        Part(15, "checking the sampler and the model, the figures only"),
    ),
)


# 7.1 A prior counts as labels


def _labels_and_prior(rng: np.random.Generator) -> dict[str, Any]:
    labels = int(rng.choice([20, 25, 30, 40]))
    wrong = int(rng.integers(1, labels // 3))
    return {
        "a": int(rng.integers(4, 15)),
        "b": int(rng.integers(2, 6)),
        "labels": labels,
        "right": labels - wrong,
    }


PRIOR_COUNTS = Number(
    id="7.1",
    title="A prior counts as labels",
    given=_labels_and_prior,
    solve=lambda g: (g["a"] + g["right"]) / (g["a"] + g["b"] + g["labels"]),
    mistakes=(
        Mistake(
            "no prior",
            lambda g: g["right"] / g["labels"],
            "This is the share of right labels. The prior is missing: it counts as a + b labels "
            "more, a of them right.",
        ),
        Mistake(
            "mode for mean",
            lambda g: (g["a"] + g["right"] - 1) / (g["a"] + g["b"] + g["labels"] - 2),
            "This is the mode of the posterior, where its density is largest. The question asks "
            "for its mean, which for Beta(α, β) is α / (α + β).",
        ),
        Mistake(
            "prior mean",
            lambda g: g["a"] / (g["a"] + g["b"]),
            "This is the mean of the prior, before any label was seen.",
        ),
        Mistake(
            "all labels added to b",
            lambda g: (g["a"] + g["right"]) / (g["a"] + g["right"] + g["b"] + g["labels"]),
            "You have added all labels to b. The second parameter counts the wrong ones only: "
            "the right ones are in the first.",
        ),
        Mistake(
            "prior in the numerator only",
            lambda g: (g["a"] + g["right"]) / g["labels"],
            "The a right labels of the prior are counted, but its a + b labels are not among all "
            "labels. The result could exceed 1.",
        ),
    ),
)


# 7.2 The next batch


def _next_batch(rng: np.random.Generator) -> dict[str, Any]:
    labels = int(rng.choice([10, 15, 20]))
    return {
        "a": int(rng.integers(6, 15)),
        "b": int(rng.integers(2, 5)),
        "labels": labels,
        "right": labels - int(rng.integers(1, 4)),
        "batch": int(rng.integers(5, 11)),
    }


def _all_right(alpha: float, beta: float, batch: int) -> float:
    """Return the mean of theta^batch under Beta(alpha, beta)."""
    from scipy.special import betaln

    return float(np.exp(betaln(alpha + batch, beta) - betaln(alpha, beta)))


def _posterior(g: Given) -> tuple[float, float]:
    return g["a"] + g["right"], g["b"] + g["labels"] - g["right"]


def _posterior_mean(g: Given) -> float:
    alpha, beta = _posterior(g)
    return alpha / (alpha + beta)


NEXT_BATCH = Number(
    id="7.2",
    title="The next labels",
    given=_next_batch,
    solve=lambda g: _all_right(*_posterior(g), g["batch"]),
    mistakes=(
        Mistake(
            "posterior mean plugged in",
            lambda g: _posterior_mean(g) ** g["batch"],
            "This is a power of the posterior mean, as if the annotator's rate were known to be "
            "just that. It is not known, and each right label makes the next one more probable: "
            "average the power over the posterior, or multiply label by label.",
        ),
        Mistake(
            "share of right labels plugged in",
            lambda g: (g["right"] / g["labels"]) ** g["batch"],
            "This is a power of the share of right labels: it leaves out the prior, and treats "
            "the rate as known.",
        ),
        Mistake(
            "prior predictive",
            lambda g: _all_right(g["a"], g["b"], g["batch"]),
            "This is what the prior predicts, before the annotator's labels were seen. Start from "
            "the posterior.",
        ),
        Mistake(
            "one label",
            _posterior_mean,
            "This is the probability that the next label is right: one label, not the whole batch.",
        ),
        Mistake(
            "one factor too many",
            lambda g: _all_right(*_posterior(g), g["batch"] + 1),
            "One factor too many: for t labels, i runs from 0 to t - 1.",
        ),
    ),
)


# 7.3 Partial pooling


def _pooled_sensitivity(rng: np.random.Generator) -> dict[str, Any]:
    positive = int(rng.integers(6, 13))
    return {
        "mean": float(rng.choice([0.75, 0.8, 0.85, 0.9])),
        "concentration": int(rng.choice([5, 8, 10, 16])),
        "labels": positive + int(rng.integers(6, 13)),
        "positive": positive,
        "found": positive - int(rng.integers(1, 5)),
    }


POOLED_SENSITIVITY = Number(
    id="7.3",
    title="Partial pooling",
    given=_pooled_sensitivity,
    solve=lambda g: (
        (g["mean"] * g["concentration"] + g["found"]) / (g["concentration"] + g["positive"])
    ),
    mistakes=(
        Mistake(
            "no pooling",
            lambda g: g["found"] / g["positive"],
            "This is the annotator's own share, without the other annotators: no pooling.",
        ),
        Mistake(
            "complete pooling",
            lambda g: g["mean"],
            "This is the mean of all annotators; the annotator's own labels do not enter it: "
            "complete pooling.",
        ),
        Mistake(
            "weights exchanged",
            lambda g: (
                (g["concentration"] * g["found"] / g["positive"] + g["positive"] * g["mean"])
                / (g["concentration"] + g["positive"])
            ),
            "The two weights are exchanged: the more labels an annotator has, the more must their "
            "own share count.",
        ),
        Mistake(
            "all labels as the number",
            lambda g: (
                (g["mean"] * g["concentration"] + g["found"]) / (g["concentration"] + g["labels"])
            ),
            "You have divided by all labels. Labels on items of category 0 say nothing about "
            "sensitivity: they belong to the specificity.",
        ),
        Mistake(
            "concentration as right labels",
            lambda g: (g["concentration"] + g["found"]) / (g["concentration"] + g["positive"]),
            "You have counted all labels of the prior as right. Of as many labels as the "
            "concentration says, only the share given by the mean is right.",
        ),
        Mistake(
            "plain mean of the two",
            lambda g: (g["mean"] + g["found"] / g["positive"]) / 2,
            "This is half the annotator's own share and half the mean of all. The weights depend "
            "on the number of labels: n / (n + s) for their own share.",
        ),
    ),
)


# 7.4 The category of an item


def _joint(
    prevalence: float, sensitivity: Floats, specificity: Floats, labels: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the probabilities of category 1 and of category 0, each together with the labels."""
    seen = labels >= 0
    if_1 = np.where(labels == 1, sensitivity, 1 - sensitivity)[seen]
    if_0 = np.where(labels == 1, 1 - specificity, specificity)[seen]
    return float(prevalence * if_1.prod()), float((1 - prevalence) * if_0.prod())


def category_probability(
    prevalence: float, sensitivity: Floats, specificity: Floats, labels: NDArray[np.int64]
) -> float:
    """Return the probability that an item is of category 1, by Bayes' theorem.

    Parameters
    ----------
    prevalence : float
        Probability of category 1, in (0, 1).
    sensitivity, specificity : ndarray, shape (J,)
        Of each annotator, in (0, 1).
    labels : ndarray of int, shape (J,)
        Label of each annotator, 0 or 1; -1 where there is none.

    Returns
    -------
    float
        In (0, 1).

    References
    ----------
    Carpenter (2008), section 2, where the second formula prints pi for 1 - pi.
    """
    one, zero = _joint(prevalence, sensitivity, specificity, labels)
    return one / (one + zero)


def _items_of_annotators(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    rows = []
    for n_annotators in (3, 3, 4, 5, 6, 8):
        labels = rng.integers(0, 2, n_annotators)
        labels[rng.integers(n_annotators)] = -1
        rates = rng.uniform(0.55, 0.95, (2, n_annotators)).round(2)
        rows.append((float(rng.choice([0.1, 0.2, 0.3, 0.7, 0.8])), rates[0], rates[1], labels))
    return rows


def _equal_prevalence(
    prevalence: float, sensitivity: Floats, specificity: Floats, labels: NDArray[np.int64]
) -> float:
    return category_probability(0.5, sensitivity, specificity, labels)


CATEGORY = Function(
    id="7.4",
    title="The category of an item, given the rates",
    signature="category_probability(prevalence, sensitivity, specificity, labels)",
    reference=category_probability,
    inputs=_items_of_annotators,
    properties=(
        Property(
            "a probability",
            lambda f, *given: 0 <= f(*given) <= 1,
            "The result is a probability, between 0 and 1.",
        ),
        Property(
            "prevalence without labels",
            lambda f, p, se, sp, x: bool(np.isclose(f(p, se, sp, np.full_like(x, -1)), p)),
            "An item without labels must get the prevalence as its probability.",
        ),
    ),
    mistakes=(
        Mistake(
            "the same prevalence for both categories",
            _equal_prevalence,
            "The prevalence cancels out of your result: it stands before both products (as in the "
            "paper, where this is a misprint), or before neither. Category 0 has the probability "
            "1 - π.",
        ),
        Mistake(
            "missing labels counted as 0",
            lambda p, se, sp, x: category_probability(p, se, sp, np.maximum(x, 0)),
            "You have treated a missing label, -1, as a label 0. An annotator who did not label "
            "the item says nothing about it: leave the factor out.",
        ),
        Mistake(
            "specificity mistaken for the rate of label 1",
            lambda p, se, sp, x: category_probability(p, se, 1 - sp, x),
            "On an item of category 0 the label 0 has the probability specificity, and the "
            "label 1 has 1 - specificity. You have them the other way round.",
        ),
        Mistake(
            "not divided by the sum",
            lambda p, se, sp, x: _joint(p, se, sp, x)[0],
            "This is the probability of category 1 and of these labels. Divide it by the "
            "probability of the labels: the sum over both categories.",
        ),
        Mistake(
            "probability of the other category",
            lambda p, se, sp, x: 1 - category_probability(p, se, sp, x),
            "This is the probability of category 0.",
        ),
    ),
)


# 7.5 R-hat


def _r_hat(draws: Floats, *, ddof: int = 1, between: float = 1.0, root: bool = True) -> float:
    n_draws = draws.shape[1]
    within = draws.var(axis=1, ddof=ddof).mean()
    among = between * draws.mean(axis=1).var(ddof=1)
    ratio = ((n_draws - 1) / n_draws * within + among) / within
    return float(np.sqrt(ratio) if root else ratio)


def r_hat(draws: Floats) -> float:
    """Return the potential scale reduction of several chains.

    Parameters
    ----------
    draws : ndarray, shape (C, S)
        S draws of one number in each of C chains.

    Returns
    -------
    float
        At least sqrt((S - 1) / S), and close to 1 if the chains agree.

    References
    ----------
    Gelman and Rubin (1992), Statistical Science 7, 457-472, without their correction for the
    degrees of freedom.
    """
    return _r_hat(np.asarray(draws, dtype=np.float64))


def _chains(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    chains = []
    for n_chains, n_draws, spread in ((3, 5, 1.0), (4, 20, 0.0), (2, 50, 0.5), (4, 100, 2.0)):
        centres = spread * rng.normal(size=(n_chains, 1))
        chains.append(((centres + rng.normal(size=(n_chains, n_draws))).round(2),))
    return chains


R_HAT = Function(
    id="7.5",
    title="R-hat",
    signature="r_hat(draws)",
    reference=r_hat,
    inputs=_chains,
    properties=(
        Property(
            "the same for other units",
            lambda f, draws: bool(np.isclose(f(10 * draws - 3), f(draws))),
            "Measured in other units, or from another zero, R-hat must be the same.",
        ),
        Property(
            "the same in another order of draws",
            lambda f, draws: bool(np.isclose(f(draws[:, ::-1]), f(draws))),
            "The order of the draws within a chain must not matter.",
        ),
    ),
    mistakes=(
        Mistake(
            "no square root",
            lambda draws: _r_hat(draws, root=False),
            "This is the ratio of variances. R-hat is its square root: a ratio of standard "
            "deviations.",
        ),
        Mistake(
            "n for n - 1",
            lambda draws: float(
                np.sqrt(
                    (draws.shape[1] - 1) / draws.shape[1]
                    + draws.mean(axis=1).var() / draws.var(axis=1).mean()
                )
            ),
            "np.var divides by n. Both variances here have the divisor n - 1: ddof=1.",
        ),
        Mistake(
            "n for n - 1 within chains",
            lambda draws: _r_hat(draws, ddof=0),
            "The variances within the chains are divided by n instead of n - 1: ddof=1 is "
            "missing there.",
        ),
        Mistake(
            "rows for columns",
            lambda draws: _r_hat(draws.T),
            "You have treated the columns as the chains. A chain is a row: axis=1 runs along it.",
        ),
        Mistake(
            "B for B/S",
            lambda draws: _r_hat(draws, between=draws.shape[1]),
            "You have added B itself, the number of draws times the variance of the chains' means. "
            "In the formula it is divided by S.",
        ),
        Mistake(
            "total variance over W",
            lambda draws: float(np.sqrt(draws.var(ddof=1) / draws.var(axis=1, ddof=1).mean())),
            "You have compared the variance of all draws in one row with W. In the formula, V is "
            "(S - 1)/S · W + B/S.",
        ),
    ),
)


# 7.6 A chain that disagrees

MIRROR = Choice(
    id="7.6",
    title="A chain that disagrees",
    options={
        "longer": "Run all chains ten times as long, until R-hat falls below 1.01.",
        "average": "Average over the four chains: together they represent the whole posterior.",
        "restrict": "Assume in the model that annotators are better than chance on average, and "
        "turn chain 4 round: each category for the other.",
        "starts": "Start all four chains from the votes; R-hat will then be close to 1.",
        "flat": "Nothing: chain 4 shows that the prior is too flat, so report the first three "
        "together with its result.",
    },
    right="restrict",
    reasons={
        "restrict": "The two halves of the posterior are mirror images, equally probable; only an "
        "assumption can choose between them, and it should be stated in the model.",
        "longer": "The way from one half to the other leads through states of almost no "
        "probability: chain 4 would need longer than anybody can wait.",
        "average": "The average of a sensitivity and its mirror image, about one half, describes "
        "no annotator. And three chains to one is no estimate of the halves' probabilities, "
        "which are equal.",
        "starts": "R-hat would be close to 1 because nobody looked elsewhere. Dispersed starts are "
        "what makes R-hat a test.",
        "flat": "The mirror image has nothing to do with how flat the prior is: any prior that "
        "treats the two categories alike has it.",
    },
)


# 7.7 Thirty-nine percent

CHANCE_SHARE = Choice(
    id="7.7",
    title="No better than chance",
    options={
        "gold": "The share of annotators on or below the chance line against the gold standard.",
        "model": "The share of annotators on or below the chance line by the model's estimates.",
        "labels": "The share of the labels that come from annotators whose estimated sensitivity "
        "or specificity is below one half.",
        "annotators": "The share of annotators whose estimated sensitivity or specificity is below "
        "one half.",
        "twenty": "The share of annotators with twenty labels.",
    },
    right="labels",
    reasons={
        "labels": "The eleven annotators that the paper removes gave nearly two fifths of the "
        "labels: the busiest are among them. It is a share of labels, not of annotators.",
        "gold": "Count again: hardly any annotator lies on or below the line.",
        "model": "The model moves annotators with few labels towards the others, so that even "
        "fewer lie below the line.",
        "annotators": "These are the annotators that the paper removes, but they are few. Count "
        "something else of theirs.",
        "twenty": "Most annotators gave twenty labels; that says nothing about chance.",
    },
)


# 7.8 Calibrated intervals

N_SIMULATED = 4000


def _population(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "a": int(rng.integers(16, 33)),
        "b": int(rng.integers(4, 13)),
        "labels": int(rng.integers(15, 41)),
        "level": float(rng.choice([0.7, 0.8])),
        "annotators": N_SIMULATED,
    }


@cache
def _binomial_limits(share: float, n: int) -> tuple[float, float]:
    """Return the limits of the share of successes in n trials, but for a probability of 1e-4."""
    from scipy.stats import binom

    low, high = (float(binom.ppf(tail, n, share)) for tail in (0.5e-4, 1 - 0.5e-4))
    return low / n, high / n


def _calibrated(g: Given) -> tuple[float, float]:
    """Return the limits of the share of intervals that hold their annotator's rate.

    If a rate is drawn from the prior and labels from the rate, then the rate, given the labels, is
    distributed as the posterior: a central posterior interval of level L holds it with probability
    L exactly. The annotators are independent, so that the number is binomial.
    """
    return _binomial_limits(g["level"], g["annotators"])


@cache
def _coverage(a: int, b: int, labels: int, tail: float, weight: int = 1) -> float:
    """Return the coverage of intervals with this probability in each tail.

    The labels count `weight` times in the posterior that the intervals are taken from.
    """
    from scipy.stats import beta, betabinom

    right = np.arange(labels + 1)
    believed = beta(a + weight * right, b + weight * (labels - right))
    true = beta(a + right, b + labels - right)
    inside = true.cdf(believed.ppf(1 - tail)) - true.cdf(believed.ppf(tail))
    return float(betabinom.pmf(right, labels, a, b) @ inside)


@cache
def _coverage_at_the_mean(a: int, b: int, labels: int, tail: float) -> float:
    """Return the coverage where every annotator has the prior's mean for a rate."""
    from scipy.stats import beta, binom

    right = np.arange(labels + 1)
    posterior, mean = beta(a + right, b + labels - right), a / (a + b)
    inside = (posterior.ppf(tail) <= mean) & (mean <= posterior.ppf(1 - tail))
    return float(binom.pmf(right, labels, mean) @ inside)


def _limits_of(coverage: Callable[..., float], g: Given, tail: float, *more: int) -> Interval:
    """Return the limits of the share of intervals under one of the mistakes."""
    return _binomial_limits(coverage(g["a"], g["b"], g["labels"], tail, *more), g["annotators"])


CALIBRATION = Simulation(
    id="7.8",
    title="Calibrated intervals",
    given=_population,
    interval=_calibrated,
    mistakes=(
        Mistake(
            "one rate for all",
            lambda g: _limits_of(_coverage_at_the_mean, g, (1 - g["level"]) / 2),
            "All your annotators have the same rate, the mean of the prior. Draw a rate for each "
            "annotator from the prior.",
        ),
        Mistake(
            "tails of 1 - level each",
            lambda g: _limits_of(_coverage, g, 1 - g["level"]),
            "Your intervals leave out 1 - level on each side. Of a central interval, half of that "
            "lies on each side.",
        ),
        Mistake(
            "labels counted twice",
            lambda g: _limits_of(_coverage, g, (1 - g["level"]) / 2, 2),
            "Your intervals are too short, as short as if each label were counted twice in the "
            "posterior, which is Beta(a + right, b + wrong).",
        ),
        Mistake(
            "misses counted",
            lambda g: _binomial_limits(1 - g["level"], g["annotators"]),
            "This is the share of intervals that miss the annotator's rate. Count those that "
            "contain it.",
        ),
    ),
)

EXERCISES = [
    PRIOR_COUNTS,
    NEXT_BATCH,
    POOLED_SENSITIVITY,
    CATEGORY,
    R_HAT,
    MIRROR,
    CHANCE_SHARE,
    CALIBRATION,
]
