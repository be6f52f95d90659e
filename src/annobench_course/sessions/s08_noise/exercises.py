"""Session 8: hard items and guesses, mixtures, lazy annotators, certificates, differences."""

from __future__ import annotations

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

LESSON = Lesson(
    summary=(
        "Bound the guesses among agreed labels, fit mixtures of binomials, see what a histogram "
        "can't tell, and judge differences between two systems."
    ),
    needs=("03_how_sure", "05_votes", "binomial distribution"),
    data=("snow2008_rte",),
    papers=(
        "beigman_klebanov2008",
        "beigman_klebanov2009",
        "beigman_klebanov2010",
        "carpenter2008",
        "northcutt2021",
    ),
    worksheet=("8.1", "8.2", "8.4"),
    timing=(
        Part(10, "the worksheet; marks at random, easy and hard items"),
        Part(20, "the bound", ("8.3",)),
        Part(10, "which chance of agreement", ("8.5",)),
        Part(30, "mixtures, lazy annotators and the published figure", ("8.6", "8.7")),
        Part(20, "certificate and differences", ("8.9",)),
    ),
)


# 8.1 Marks at random


def _markers(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "annotators": int(rng.integers(6, 13)),
        "rate": float(rng.choice([0.05, 0.08, 0.1, 0.12, 0.15])),
        "marks": int(rng.integers(2, 4)),
    }


def _marks(g: Given) -> Any:
    from scipy.stats import binom

    return binom(g["annotators"], g["rate"])


MARKS = Number(
    id="8.1",
    title="Marks at random",
    given=_markers,
    digits=4,
    solve=lambda g: _marks(g).sf(g["marks"] - 1),
    mistakes=(
        Mistake(
            "exactly so many",
            lambda g: _marks(g).pmf(g["marks"]),
            "This is the probability of exactly so many marks. At least so many includes more.",
        ),
        Mistake(
            "more than so many",
            lambda g: _marks(g).sf(g["marks"]),
            "This is the probability of more marks than that: sf(k) leaves k itself out.",
        ),
        Mistake(
            "at most so many",
            lambda g: _marks(g).cdf(g["marks"]),
            "This is the probability of at most so many marks, the other side.",
        ),
        Mistake(
            "these annotators",
            lambda g: g["rate"] ** g["marks"],
            "This is the probability that certain annotators all mark the item. It may be any of "
            "them: count the ways to choose them, and the annotators who don't mark it.",
        ),
    ),
)


# 8.2 Guesses among the agreed items


def _project(rng: np.random.Generator) -> dict[str, Any]:
    items = int(rng.choice([500, 800, 1000]))
    return {
        "items": items,
        "annotators": int(rng.integers(3, 6)),
        "guess": float(rng.choice([0.6, 0.65, 0.7, 0.75, 0.8])),
        "disagreed": int(rng.integers(items // 20, items // 6)),
    }


def _chance(g: Given) -> float:
    from annobench.noise.easy_hard import agreement_chance

    return agreement_chance(g["guess"], g["annotators"])


def _guesses_at(g: Given, chance: float) -> float:
    return float(g["disagreed"] * chance / (1 - chance))


GUESSES = Number(
    id="8.2",
    title="Guesses among the agreed items",
    given=_project,
    digits=1,
    solve=lambda g: _guesses_at(g, _chance(g)),
    mistakes=(
        Mistake(
            "agreement on one category only",
            lambda g: _guesses_at(g, g["guess"] ** g["annotators"]),
            "You have counted guesses that all fall on the one category. They may also all fall on "
            "the other.",
        ),
        Mistake(
            "agreement of two annotators",
            lambda g: _guesses_at(g, g["guess"] ** 2 + (1 - g["guess"]) ** 2),
            "This is the probability that two annotators agree. All of them must.",
        ),
        Mistake(
            "fair coins",
            lambda g: _guesses_at(g, 2 * 0.5 ** g["annotators"]),
            "You have treated guesses as fair coins. Here they favour one category.",
        ),
        Mistake(
            "share of the disagreed",
            lambda g: g["disagreed"] * _chance(g),
            "You have multiplied the disagreed items by the chance of agreement. That chance is a "
            "share of all hard items, of which the disagreed are only a part.",
        ),
        Mistake(
            "share of the agreed",
            lambda g: (g["items"] - g["disagreed"]) * _chance(g),
            "You have multiplied the agreed items by the chance of agreement, as if all items were "
            "hard.",
        ),
        Mistake(
            "all hard items",
            lambda g: g["disagreed"] / (1 - _chance(g)),
            "This is the expected number of hard items. Some of them are disagreed on; the "
            "question asks for those among the agreed.",
        ),
    ),
)


# 8.3 The bound


def guesses_bound(n_items: int, n_disagreed: int, chance: float, level: float) -> int:
    """Return the upper bound on the number of guesses among the agreed items.

    Parameters
    ----------
    n_items, n_disagreed : int
        All items, and those on which annotators disagree.
    chance : float
        Probability that the guesses on a hard item agree, in (0, 1).
    level : float
        Confidence, in (0, 1).

    Returns
    -------
    int
        The smallest t for which the probability of more than t guesses is below 1 - level.

    References
    ----------
    Beigman Klebanov and Beigman (2009), Equation 1.
    """
    from annobench.noise.easy_hard import noise_bound

    return noise_bound(n_items, n_disagreed, chance, level=level).n_hard


def _posterior(n_items: int, n_disagreed: int, chance: float, *, ways: bool = True) -> Floats:
    """Return the probabilities of 0, 1, ... guesses; without the ways to choose, if wrong."""
    from scipy.special import gammaln

    j = np.arange(n_items - n_disagreed + 1)
    log_weight = j * np.log(chance)
    if ways:
        log_weight = log_weight + gammaln(n_disagreed + j + 1) - gammaln(j + 1)
    weight: Floats = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    return weight


def _no_ways(n_items: int, n_disagreed: int, chance: float, level: float) -> int:
    above = 1 - np.cumsum(_posterior(n_items, n_disagreed, chance, ways=False))
    return int(np.argmax(above < 1 - level))


def _mean_guesses(n_items: int, n_disagreed: int, chance: float, level: float) -> float:
    pmf = _posterior(n_items, n_disagreed, chance)
    return float(np.arange(pmf.size) @ pmf)


def _projects(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    rows = []
    for n_items, n_annotators in ((20, 2), (100, 2), (200, 3), (500, 3), (1000, 4)):
        n_disagreed = int(rng.integers(n_items // 10, n_items // 4))
        rows.append((n_items, n_disagreed, 2 * 0.5**n_annotators, float(rng.choice([0.9, 0.95]))))
    return rows


BOUND = Function(
    id="8.3",
    title="An upper bound on the guesses",
    signature="guesses_bound(n_items, n_disagreed, chance, level)",
    reference=guesses_bound,
    inputs=_projects,
    properties=(
        Property(
            "a number of agreed items",
            lambda f, n, d, p, level: 0 <= f(n, d, p, level) <= n - d,
            "The bound is a number of agreed items: between 0 and n - d.",
        ),
        Property(
            "larger at a higher level",
            lambda f, n, d, p, level: f(n, d, p, 0.99) >= f(n, d, p, 0.8),
            "The more confidence is asked for, the larger must the bound be.",
        ),
    ),
    mistakes=(
        Mistake(
            "all hard items",
            lambda n, d, p, level: guesses_bound(n, d, p, level) + d,
            "This is the bound on all hard items. Subtract those that were disagreed on: they are "
            "not in the gold standard.",
        ),
        Mistake(
            "expected number",
            _mean_guesses,
            "This is the expected number of guesses. A bound leaves less than 1 - level above it.",
        ),
        Mistake(
            "at least for more than",
            lambda n, d, p, level: guesses_bound(n, d, p, level) + 1,
            "One too many: the bound is the smallest t with P(more than t) < 1 - level, not "
            "P(at least t).",
        ),
        Mistake(
            "no binomial coefficient",
            _no_ways,
            "The number of ways is missing: which of the d + j hard items are the disagreed ones "
            "can be chosen in (d + j over d) ways, more for larger j.",
        ),
        Mistake(
            "two-sided",
            lambda n, d, p, level: guesses_bound(n, d, p, (1 + level) / 2),
            "You have left half of 1 - level above the bound, as for a two-sided interval. Only "
            "too many guesses do harm: the bound is one-sided.",
        ),
    ),
)


# 8.4 What kappa says of noise


NOISE_BY_KAPPA = Number(
    id="8.4",
    title="What kappa says about noise",
    given=lambda rng: {"kappa": float(rng.integers(60, 95)) / 100},
    solve=lambda g: (1 - g["kappa"]) / (1 + g["kappa"]),
    mistakes=(
        Mistake(
            "share of hard items",
            lambda g: 1 - g["kappa"],
            "This is the share of hard items among all. Half of them were disagreed on and are not "
            "in the gold standard.",
        ),
        Mistake(
            "share of all items",
            lambda g: (1 - g["kappa"]) / 2,
            "This is the number of guesses divided by all items. Divide it by the agreed items: "
            "these are the gold standard.",
        ),
        Mistake(
            "guesses per easy item",
            lambda g: (1 - g["kappa"]) / (2 * g["kappa"]),
            "You have divided the guesses by the easy items. The agreed items are the easy ones "
            "and the guesses.",
        ),
        Mistake(
            "observed agreement",
            lambda g: (1 + g["kappa"]) / 2,
            "This is the observed agreement, the share of agreed items among all.",
        ),
        Mistake(
            "all hard items kept",
            lambda g: 2 * (1 - g["kappa"]) / (1 + g["kappa"]),
            "You have counted all hard items as guesses among the agreed. Two fair coins agree on "
            "half of them.",
        ),
    ),
)


# 8.5 Which chance of agreement

WHICH_CHANCE = Choice(
    id="8.5",
    title="Two annotators and no third",
    options={
        "disagreed": "Treat each annotator's labels on the disagreed items as their guesses, and "
        "compute p from them.",
        "half": "Take p = 1/2, the value of two fair coins.",
        "agreement": "Use the observed agreement on all items as p.",
        "range": "Report the bound for the worst possible guesses, and let a third annotator label "
        "some.",
        "kappa": "Take p from kappa: it is corrected for chance.",
    },
    right="range",
    reasons={
        "range": "With two labels the data leave p open: say which guess distributions are "
        "possible. The bound grows with p, so that the upper end of the range covers all of it.",
        "disagreed": "On a disagreed item one annotator says 1 and the other 0, however they "
        "guess. So this estimate is at most one half, and too small for all but fair coins.",
        "half": "This is the smallest p that two annotators with the same guess distribution can "
        "have. If they favour one category, there are more guesses than the bound says.",
        "agreement": "Most items on which annotators agree are easy. Their agreement on all items "
        "says little about their agreement on hard ones.",
        "kappa": "Kappa estimates the share of easy items, if easy and hard items have the same "
        "categories. It says nothing about how the hard ones are guessed.",
    },
)


# 8.6 Mixtures of binomials


def mixture_pmf(share: Floats, rate: Floats, n_labels: int) -> Floats:
    """Return the probability of each number of labels 1 of an item.

    Parameters
    ----------
    share, rate : ndarray, shape (m,)
        Share of items and rate of labels 1 of each component.
    n_labels : int
        Labels per item, n.

    Returns
    -------
    ndarray, shape (n + 1,)
        Probabilities of 0, 1, ..., n labels 1.

    References
    ----------
    Beigman Klebanov and Beigman (2010), section 2.
    """
    from annobench.noise.mixtures import BinomialMixture

    return BinomialMixture(share, rate).pmf(n_labels)


def _components(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    rows = []
    for n_components, n_labels in ((2, 3), (2, 5), (3, 8), (3, 10)):
        share = rng.dirichlet(np.full(n_components, 5.0)).round(2)
        share[-1] = 1 - share[:-1].sum()
        rate = np.sort(rng.uniform(0.05, 0.95, n_components)).round(2)
        rows.append((share, rate, n_labels))
    return rows


def _binomials(rate: Floats, n_labels: int) -> Floats:
    """Return the binomial probabilities of each component, shape (m, n + 1)."""
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(n_labels + 1), n_labels, rate[:, None]))


def _without_coefficient(share: Floats, rate: Floats, n_labels: int) -> Floats:
    j = np.arange(n_labels + 1)
    return share @ (rate[:, None] ** j * (1 - rate[:, None]) ** (n_labels - j))


MIXTURE = Function(
    id="8.6",
    title="A mixture of binomials",
    signature="mixture_pmf(share, rate, n_labels)",
    reference=mixture_pmf,
    inputs=_components,
    properties=(
        Property(
            "sums to one",
            lambda f, share, rate, n: bool(np.isclose(np.sum(f(share, rate, n)), 1)),
            "The probabilities of 0, 1, ..., n labels must sum to 1.",
        ),
        Property(
            "n + 1 values",
            lambda f, share, rate, n: np.shape(f(share, rate, n)) == (n + 1,),
            "An item with n labels has 0, 1, ..., n labels 1: n + 1 values.",
        ),
    ),
    mistakes=(
        Mistake(
            "one binomial of the mean rate",
            lambda share, rate, n: _binomials(np.array([share @ rate]), n)[0],
            "This is a single binomial with the mean rate. In a mixture each item has the rate of "
            "its own component; average the probabilities, not the rates.",
        ),
        Mistake(
            "no binomial coefficient",
            _without_coefficient,
            "The binomial coefficient is missing: labels 1 may come from any of the annotators.",
        ),
        Mistake(
            "shares left out",
            lambda share, rate, n: _binomials(rate, n).mean(axis=0),
            "All components count alike in your result. Weight each with its share of items.",
        ),
        Mistake(
            "labels 0 counted",
            lambda share, rate, n: share @ _binomials(1 - rate, n),
            "You have the distribution of the number of labels 0: the rates are those of label 1.",
        ),
    ),
)


# 8.7 What a histogram can't tell

HISTOGRAM = Choice(
    id="8.7",
    title="What a histogram can't tell",
    options={
        "lazy": "A fifth of the annotators is lazy: the model with lazy ones is not rejected.",
        "simple": "Nobody is lazy and no item is hard: of two models that fit, the one with fewer "
        "components is true.",
        "identity": "Neither follows. Lazy labels only shift the rates of all components. To find "
        "lazy annotators, one must know who gave which label.",
        "items": "Neither follows yet: with many more items, the histogram would show how many "
        "annotators are lazy.",
        "level": "Both models should be rejected, since two different models can't both fit.",
    },
    right="identity",
    reasons={
        "identity": "With lazy annotators the histogram is again a mixture with as many components "
        "and the same shares. It looks the same to any test that sees only counts.",
        "lazy": "That a model is not rejected does not make it true: another one without lazy "
        "annotators is not rejected either. And the fifth depends on rates from another data set.",
        "simple": "Simplicity is a reason to prefer a description, not evidence about annotators. "
        "That the sum of many effects looks simple does not show that they are absent.",
        "items": "More items make the histogram more precise, but any number of lazy annotators "
        "gives exactly a mixture with other rates. This is a lack of identification, not of data.",
        "level": "Not rejected means that the data are compatible with a model. They may well be "
        "compatible with many.",
    },
)


# 8.8 Two equally good systems

N_COMPARISONS = 10_000


def _two_systems(rng: np.random.Generator) -> dict[str, Any]:
    guesses = int(rng.integers(60, 161))
    deviation = np.sqrt(guesses / 2)
    return {
        "guesses": guesses,
        "difference": int(np.ceil(deviation * rng.uniform(0.7, 1.1))),
        "comparisons": N_COMPARISONS,
    }


@cache
def _binomial_limits(share: float, n: int) -> tuple[float, float]:
    """Return the limits of the share of successes in n trials, but for a probability of 1e-4."""
    from scipy.stats import binom

    low, high = (float(binom.ppf(tail, n, share)) for tail in (0.5e-4, 1 - 0.5e-4))
    return low / n, high / n


def _share_beyond(g: Given, limit: int) -> float:
    """Return the probability that the systems differ by at least so many right answers.

    Each is right on a guess with probability 1/2. The right answers of the one and the wrong ones
    of the other are 2R fair coins, and the difference is their number of heads less R.
    """
    from scipy.stats import binom

    return float(2 * binom.sf(g["guesses"] + limit - 1, 2 * g["guesses"], 0.5))


def _differences(g: Given) -> tuple[float, float]:
    """Return the limits of the share of comparisons with at least the given difference.

    The comparisons are independent, so that their number is binomial, with the exact probability of
    such a difference.
    """
    return _binomial_limits(_share_beyond(g, g["difference"]), g["comparisons"])


def _opposed(g: Given) -> float:
    """Return the probability of such a difference if the systems differ on every guess."""
    from scipy.stats import binom

    heads = -(-(g["guesses"] + g["difference"]) // 2)
    return float(2 * binom.sf(heads - 1, g["guesses"], 0.5))


DIFFERENCE = Simulation(
    id="8.8",
    title="Two equally good systems",
    given=_two_systems,
    interval=_differences,
    mistakes=(
        Mistake(
            "one direction only",
            lambda g: _binomial_limits(_share_beyond(g, g["difference"]) / 2, g["comparisons"]),
            "You have counted only the comparisons that one of the two wins. Either may: take the "
            "absolute difference.",
        ),
        Mistake(
            "more than for at least",
            lambda g: _binomial_limits(_share_beyond(g, g["difference"] + 1), g["comparisons"]),
            "You have counted larger differences only. A difference of just that size counts, too.",
        ),
        Mistake(
            "opposite answers",
            lambda g: _binomial_limits(_opposed(g), g["comparisons"]),
            "In your simulation one system is right wherever the other is wrong. Here they answer "
            "independently: on half of the guesses both are right or both wrong.",
        ),
        Mistake(
            "smaller differences",
            lambda g: _binomial_limits(1 - _share_beyond(g, g["difference"]), g["comparisons"]),
            "This is the share of comparisons with a smaller difference.",
        ),
    ),
)


# 8.9 A difference of twenty

TWENTY = Choice(
    id="8.9",
    title="A difference of twenty",
    options={
        "yes": "A is better: a difference of 20 is more than guesses explain.",
        "no": "There is no difference between A and B: guesses explain it.",
        "depends": "It is more than guesses explain if A and B answer independently.",
        "rate": "A is better on the easy items by 20 of 900, the difference that was observed on "
        "all.",
        "chebyshev": "Nothing can be said, since 20 is below the 35 of Chebyshev's inequality.",
    },
    right="depends",
    reasons={
        "depends": "If they mostly differ in their guesses, it is not; sampling error comes on "
        "top. One can look where A and B differ: on items of which kind?",
        "yes": "Only if they answer guesses independently, or alike. Systems that were built "
        "differently may differ on most hard items.",
        "no": "That guesses may explain a difference does not show that there is none on the easy "
        "items.",
        "rate": "The observed difference is made of the difference on the easy items and of that "
        "on guesses, which nobody can separate item by item.",
        "chebyshev": "Chebyshev's inequality holds for any distribution, and is far too "
        "conservative for this one, which is known exactly.",
    },
)

EXERCISES = [
    MARKS,
    GUESSES,
    BOUND,
    NOISE_BY_KAPPA,
    WHICH_CHANCE,
    MIXTURE,
    HISTOGRAM,
    DIFFERENCE,
    TWENTY,
]
