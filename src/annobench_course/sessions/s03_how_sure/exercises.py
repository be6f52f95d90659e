"""Session 3: standard errors, the bootstrap, empirical coverage, differences of coefficients."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench import agreement
from annobench.labels.annotations import Annotations
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

LESSON = Lesson(
    summary="Give a coefficient a standard error and an interval, know what they are about, and "
    "test a difference.",
    needs=("01_chance", "mean and standard deviation", "normal distribution"),
    data=("caries",),
    papers=("su2008",),
    worksheet=("3.1", "3.2", "3.3"),
    timing=(
        Part(20, "the worksheet; new studies, and the bootstrap"),
        Part(15, "items or annotators", ("3.4",)),
        Part(25, "empirical coverage", ("3.5",)),
        Part(15, "two coefficients of the same items"),
        Part(15, "which of the claims stand", ("3.7",)),
    ),
)

#: The normal quantile of a 95% interval, as the notebook has it.
Z = 1.96
#: A right simulation lies outside its interval at most this often, on each side.
TAIL = 5e-5
#: The fewest bootstrap samples and simulated studies that exercises ask for.
SAMPLES, STUDIES = 1_000, 10_000
#: Bootstrap samples that stand for infinitely many.
MANY = 20_000

Labels = NDArray[np.int64]


def _draw_agreed(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a number of items and how many of them two annotators agree on."""
    items = int(rng.integers(25, 60))
    return {"items": items, "agreed": int(rng.integers(round(0.6 * items), round(0.93 * items)))}


def _agreed_share(given: Given) -> float:
    """Return the observed agreement."""
    return float(given["agreed"] / given["items"])


def _error_of_share(given: Given) -> float:
    """Return the standard error of the observed agreement, with I - 1."""
    share = _agreed_share(given)
    return float(np.sqrt(share * (1 - share) / (given["items"] - 1)))


def _draw_pair(rng: np.random.Generator, items: int, right: float) -> tuple[Labels, Labels]:
    """Draw labels of two annotators, who report the category with a probability or else guess."""
    shares = rng.dirichlet([12.0, 10.0, 8.0])
    category = rng.choice(3, size=items, p=shares)
    guess = rng.choice(3, size=(2, items), p=shares)
    first, second = np.where(rng.random((2, items)) < np.sqrt(right), category, guess)
    return first, second


def _kappa_of_sample(first: Labels, second: Labels, index: Labels) -> float:
    """Compute Cohen's kappa of the drawn items with the library."""
    x, y = np.asarray(first)[index], np.asarray(second)[index]
    return float(agreement.cohen_kappa(Annotations.from_wide(np.column_stack([x, y]))).estimate)


def _chance_corrected(x: Labels, y: Labels, of_x: Labels, of_y: Labels) -> float:
    """Compute kappa of two arrays of labels, the margins taken from two others."""
    observed = float(np.mean(x == y))
    expected = sum(float(np.mean(of_x == k) * np.mean(of_y == k)) for k in np.union1d(of_x, of_y))
    return (observed - expected) / (1 - expected)


def _pooled(x: Labels, y: Labels) -> float:
    """Compute Scott's pi of two arrays of labels."""
    both = np.concatenate([x, y])
    return _chance_corrected(x, y, both, both)


def _draw_samples(rng: np.random.Generator) -> list[tuple[Labels, Labels, Labels]]:
    """Draw labels of two annotators and bootstrap samples of their items."""
    found = []
    for items in (12, 20, 30, 50, 80):
        first, second = _draw_pair(rng, items, 0.6)
        found.append((first, second, rng.integers(0, items, size=items)))
    return found


def _draw_own_labels(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the labels that a student resamples."""
    first, second = _draw_pair(rng, int(rng.integers(80, 121)), 0.8)
    return {"first": first, "second": second}


def _own_table(given: Given) -> tuple[tuple[int, ...], ...]:
    """Count pairs of labels, as something that can be cached by."""
    table = np.zeros((3, 3), dtype=int)
    np.add.at(table, (given["first"], given["second"]), 1)
    return tuple(map(tuple, table.tolist()))


@lru_cache(maxsize=64)
def _bootstrapped(table: tuple[tuple[int, ...], ...], apart: bool) -> tuple[float, float, float]:
    """Return the mean, standard deviation and kurtosis of kappa over very many bootstrap samples.

    To draw items of two annotators with replacement is to draw from the cells of their table;
    `apart` draws each annotator's label for itself, that is from the product of the margins.
    """
    counts = np.array(table, dtype=float)
    shares = counts / counts.sum()
    if apart:
        shares = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    drawn = np.random.default_rng(0).multinomial(int(counts.sum()), shares.ravel(), size=MANY)
    cells = drawn.reshape(MANY, *counts.shape) / counts.sum()
    observed = np.trace(cells, axis1=1, axis2=2)
    expected = (cells.sum(axis=1) * cells.sum(axis=2)).sum(axis=1)
    kappa = (observed - expected) / (1 - expected)
    kurtosis = ((kappa - kappa.mean()) ** 4).mean() / kappa.var() ** 2
    return float(kappa.mean()), float(kappa.std()), float(kurtosis)


def _interval_of_error(given: Given, apart: bool = False) -> tuple[float, float]:
    """Return where the standard error from at least 1000 bootstrap samples lies.

    The standard deviation s of R values scatters around the true one, sigma, with the standard
    error sigma sqrt((kurtosis - 1) / (4 R)), by the delta method from the variance of s squared.
    Sigma itself comes of 20,000 samples, whose own error is added. The ends are normal quantiles
    of 1 in 20,000 on each side.
    """
    from scipy.special import ndtri

    _, spread, kurtosis = _bootstrapped(_own_table(given), apart)
    relative = np.sqrt((kurtosis - 1) / 4 * (1 / SAMPLES + 1 / MANY))
    half = -float(ndtri(TAIL) * relative)
    return spread * (1 - half), spread * (1 + half)


def _scaled_error(given: Given, factor: float) -> tuple[float, float]:
    """Return the interval of a multiple of the standard error."""
    low, high = _interval_of_error(given)
    return factor * low, factor * high


def _squared_error(given: Given) -> tuple[float, float]:
    """Return the interval of the variance."""
    low, high = _interval_of_error(given)
    return low**2, high**2


def _mean_replicate(given: Given) -> tuple[float, float]:
    """Return where the mean of the replicates lies, or the estimate itself."""
    mean, spread, _ = _bootstrapped(_own_table(given), False)
    return mean - spread / 2, mean + spread / 2


def _draw_study(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a true agreement and the items of a study, such that the interval breaks its promise."""
    while True:
        given = {
            "agreement": round(float(rng.uniform(0.77, 0.87)), 3),
            "items": int(rng.integers(18, 31)),
        }
        # Otherwise who types the promised 0.95 without a simulation would pass.
        if _exact_coverage(given) < 0.93:
            return given


def _exact_coverage(given: Given, z: float = Z, error: str = "own") -> float:
    """Sum the binomial probabilities of the numbers of agreed items whose interval holds the truth.

    `error` is "own" for the standard error of each study, "true" for that of the truth, and "item"
    for each study's standard deviation of single items.
    """
    from scipy.stats import binom

    items, truth = given["items"], given["agreement"]
    agreed = np.arange(items + 1)
    share = agreed / items
    of = np.full(share.size, truth) if error == "true" else share
    divisor = 1 if error == "item" else items - 1
    holds = np.abs(share - truth) <= z * np.sqrt(of * (1 - of) / divisor)
    return float(binom.pmf(agreed, items, truth)[holds].sum())


def _share_of_studies(probability: float) -> tuple[float, float]:
    """Return the limits of a share of 10,000 studies, each on its side missed 1 in 20,000 times."""
    from scipy.stats import binom

    low, high = (float(binom.ppf(tail, STUDIES, probability)) for tail in (TAIL, 1 - TAIL))
    return low / STUDIES, high / STUDIES


def _interval_of_coverage(given: Given) -> tuple[float, float]:
    """Return where the share of intervals that hold lies.

    The number of agreed items is binomial, and whether an interval holds depends on it alone. So
    the coverage is a sum of binomial probabilities, and the number of intervals that hold, of
    10,000 independent studies, is binomial with that probability.
    """
    return _share_of_studies(_exact_coverage(given))


def _draw_errors(rng: np.random.Generator) -> dict[str, Any]:
    """Draw two standard errors and the correlation of the estimates."""
    first, second = rng.uniform(0.02, 0.06, size=2).round(3)
    return {
        "first": float(first),
        "second": float(second),
        "correlation": round(float(rng.uniform(0.5, 0.95)), 2),
    }


def _error_of_difference(given: Given, times: float = -2.0) -> float:
    """Return the square root of the two variances and a multiple of the covariance."""
    first, second = given["first"], given["second"]
    return float(np.sqrt(first**2 + second**2 + times * given["correlation"] * first * second))


EXERCISES = [
    Number(
        id="3.1",
        title="The standard error of observed agreement",
        given=_draw_agreed,
        solve=_error_of_share,
        digits=4,
        mistakes=(
            Mistake(
                "n for n - 1",
                lambda given: _error_of_share(given) * np.sqrt(1 - 1 / given["items"]),
                "You divided by I. The spread is measured around the mean of the same values, "
                "which makes it a little too small; I - 1 makes up for that.",
            ),
            Mistake(
                "variance",
                lambda given: _error_of_share(given) ** 2,
                "This is the variance of the estimate, in squared units. The standard error is its "
                "square root.",
            ),
            Mistake(
                "standard deviation for standard error",
                lambda given: np.sqrt(_agreed_share(given) * (1 - _agreed_share(given))),
                "This is the standard deviation of single items. Their mean scatters less, the "
                "more items there are.",
            ),
            Mistake(
                "count for share",
                lambda given: _error_of_share(given) * given["items"],
                "This is the standard error of the number of agreed items. The question asks for "
                "that of their share.",
            ),
            Mistake(
                "the agreement itself",
                _agreed_share,
                "This is the observed agreement. The question asks for its standard error, how "
                "far it would scatter over repeated studies.",
            ),
            Mistake(
                "half-width of the interval",
                lambda given: Z * _error_of_share(given),
                "This is half the width of the 95% interval, 1.96 standard errors. The question "
                "asks for one standard error.",
            ),
        ),
    ),
    Function(
        id="3.2",
        title="Kappa of a bootstrap sample",
        signature="kappa_of_sample(first, second, index)",
        reference=_kappa_of_sample,
        inputs=_draw_samples,
        properties=(
            Property(
                "order of the draws",
                lambda f, x, y, index: np.allclose(f(x, y, index), f(x, y, np.sort(index))),
                "The order in which items were drawn must make no difference.",
            ),
            Property(
                "all items once",
                lambda f, x, y, index: np.allclose(
                    f(x, y, np.arange(x.size)), _chance_corrected(x, y, x, y)
                ),
                "If every item is drawn once, the result must be kappa of all items.",
            ),
        ),
        mistakes=(
            Mistake(
                "labels instead of items",
                lambda x, y, index: _chance_corrected(x[index], y, x[index], y),
                "You resampled the labels of the first annotator alone. An item is drawn with "
                "both of its labels; otherwise pairs are torn apart and kappa is about 0.",
            ),
            Mistake(
                "copies dropped",
                lambda x, y, index: _chance_corrected(
                    *(2 * (x[np.unique(index)], y[np.unique(index)]))
                ),
                "Items that were drawn twice count once in your function. They must count as often "
                "as they were drawn: that is what makes samples differ as new studies would.",
            ),
            Mistake(
                "margins of the whole",
                lambda x, y, index: _chance_corrected(x[index], y[index], x, y),
                "Your expected agreement is that of all items. A new study would have new margins: "
                "compute it from the drawn labels, too.",
            ),
            Mistake(
                "pooled margins",
                lambda x, y, index: _pooled(x[index], y[index]),
                "Your expected agreement is computed from the labels of both annotators together, "
                "as in Scott's pi. For kappa each annotator has their own shares.",
            ),
            Mistake(
                "observed agreement",
                lambda x, y, index: float(np.mean(x[index] == y[index])),
                "This is the observed agreement of the sample. Kappa subtracts the expected "
                "agreement and divides by the room above it.",
            ),
        ),
    ),
    Simulation(
        id="3.3",
        title="Your own standard error",
        given=_draw_own_labels,
        interval=_interval_of_error,
        mistakes=(
            Mistake(
                "labels instead of items",
                lambda given: _interval_of_error(given, apart=True),
                "This is the standard error for annotators who do not agree beyond chance: the "
                "labels of an item were torn apart. Draw one set of items for both annotators.",
            ),
            Mistake(
                "divided by the number of samples",
                lambda given: (0.0, _interval_of_error(given)[1] / np.sqrt(SAMPLES)),
                "You divided by the square root of the number of samples. That is the error of "
                "the simulation, which more samples make small; the standard error of kappa is "
                "the standard deviation of the values itself.",
            ),
            Mistake(
                "variance",
                _squared_error,
                "This is the variance of the values. The standard error is their standard "
                "deviation.",
            ),
            Mistake(
                "half-width of the interval",
                lambda given: _scaled_error(given, Z),
                "This is half the width of the 95% interval. The question asks for one standard "
                "error.",
            ),
            Mistake(
                "width of the interval",
                lambda given: _scaled_error(given, 2 * Z),
                "This is the width of the 95% interval. The question asks for one standard error.",
            ),
            Mistake(
                "mean for standard deviation",
                _mean_replicate,
                "This is about kappa itself: the mean of the values. The standard error is how far "
                "they scatter: their standard deviation.",
            ),
        ),
    ),
    Choice(
        id="3.4",
        title="Which unit?",
        options={
            "items": "Bootstrap over the 400 tweets",
            "annotators": "Jackknife over the twelve students",
            "labels": "Bootstrap over the 4800 labels",
            "both": "Bootstrap over tweets and students at once",
        },
        right="annotators",
        reasons={
            "annotators": "The tweets stay, the students change. With twelve the jackknife, "
            "which uses Student's t, is to be preferred to the bootstrap.",
            "items": "This says what the same twelve students would reach on other tweets. The "
            "users will have these tweets and other students.",
            "labels": "A label is not drawn alone: it comes with an item and from an annotator. "
            "Drawing labels one by one tears apart what agreement compares.",
            "both": "This is about other tweets as well, which the users will not have, and "
            "counts more uncertainty than there is in the question.",
        },
    ),
    Simulation(
        id="3.5",
        title="Empirical coverage",
        given=_draw_study,
        interval=_interval_of_coverage,
        mistakes=(
            Mistake(
                "misses for hits",
                lambda given: _share_of_studies(1 - _exact_coverage(given)),
                "This is the share of intervals that miss the truth. Coverage counts those that "
                "contain it.",
            ),
            Mistake(
                "one standard error",
                lambda given: _share_of_studies(_exact_coverage(given, 1.0)),
                "These intervals are one standard error to each side, which is meant to hold in "
                "68% of studies. For 95% take 1.96.",
            ),
            Mistake(
                "error of the truth",
                lambda given: _share_of_studies(_exact_coverage(given, error="true")),
                "This is the nominal coverage, not the actual one. You get it if "
                "all studies have one standard error, that of the true agreement; but a real "
                "study knows only its own.",
            ),
            Mistake(
                "standard deviation for standard error",
                lambda given: _share_of_studies(_exact_coverage(given, error="item")),
                "These intervals are far too long: a standard deviation of single items to each "
                "side. Divide by the square root of the number of items.",
            ),
            Mistake(
                "estimate for truth",
                lambda given: (1 - 1e-9, 1.0),
                "All intervals contain it. An interval always contains its own estimate; ask "
                "whether it contains the true agreement.",
            ),
        ),
    ),
    Number(
        id="3.6",
        title="The standard error of a difference",
        given=_draw_errors,
        solve=_error_of_difference,
        digits=4,
        mistakes=(
            Mistake(
                "as if independent",
                lambda given: _error_of_difference(given, 0.0),
                "This is right for two sets of different items. The same items raise and lower "
                "both coefficients together, so the covariance has to be subtracted.",
            ),
            Mistake(
                "sum for difference",
                lambda given: _error_of_difference(given, 2.0),
                "This is the standard error of the sum. In a difference the covariance is "
                "subtracted: what both share cancels.",
            ),
            Mistake(
                "covariance once",
                lambda given: _error_of_difference(given, -1.0),
                "The covariance comes twice in the variance of a difference, as 2ab does in the "
                "square of a - b.",
            ),
            Mistake(
                "difference of errors",
                lambda given: abs(given["first"] - given["second"]),
                "Standard errors are not subtracted. Variances add, and the covariance is "
                "subtracted twice.",
            ),
            Mistake(
                "variance",
                lambda given: _error_of_difference(given) ** 2,
                "This is the variance of the difference. The standard error is its square root.",
            ),
        ),
    ),
    Choice(
        id="3.7",
        title="Which statements are supported?",
        options={
            "polarity": "Kappa of polarity alone is higher than that of all seven categories.",
            "no big change": "Between training and test, kappa did not change by as much as 0.2.",
            "no change": "Kappa of the test is the same as that of training.",
            "subjectivity": "Kappa of subjectivity alone is higher than that of all seven "
            "categories.",
            "overlap": "The intervals of polarity and of all seven categories overlap, so "
            "nothing is known about their difference.",
            "percentage": "Observed agreement rises when categories are merged, so merging makes "
            "the labels more reliable.",
        },
        right={"polarity", "no big change"},
        reasons={
            "polarity": "The interval of the difference of polarity and all seven categories "
            "lies above 0.",
            "no big change": "An interval also says what can be excluded: changes beyond its ends.",
            "no change": "The interval of the change contains 0, and also a gain or a loss of a "
            "tenth. Not seeing a change is not the same as seeing that there is none.",
            "subjectivity": "The interval of this difference contains 0. There may be a gain, of "
            "a few hundredths at most, or none.",
            "overlap": "Both are computed from the same items, and the interval of the "
            "difference is what counts. It is much shorter than the two intervals suggest.",
            "percentage": "Observed agreement cannot fall when categories are merged, whatever "
            "the labels: equal labels stay equal. So that it rises says nothing.",
        },
    ),
]
