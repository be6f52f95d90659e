"""Exercises of session 12: the alternative annotator test, juries, prevalence behind a judge."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench_course import (
    Choice,
    Exercise,
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
Codes = NDArray[np.int64]

LESSON = Lesson(
    summary="Carry out the alternative annotator test, distinguish a jury from one opinion heard "
    "several times, and estimate a prevalence with a judge that errs.",
    needs=("03_how_sure", "05_votes", "10_design"),
    data=("alt_cebab_aspects", "llm_eval_v2", "arena_gemini_pro"),
    papers=("calderon2025", "judge_arena"),
    worksheet=("12.1", "12.3", "12.7"),
    timing=(
        Part(10, "the worksheet: margins compared, and what a shared mistake costs"),
        Part(20, "the whole test", ("12.2",)),
        Part(25, "juries", ("12.4", "12.6")),
        Part(15, "a prevalence behind a judge", ("12.8",)),
        Part(20, "the published table"),
    ),
)

#: The quantiles of a one-sided test at 5 percent, and of a two-sided one.
ONE_SIDED, TWO_SIDED = 1.645, 1.96
#: Standard errors that a right simulation may be off: a normal distribution leaves 4.2 of them less
#: than 3 times in 10^5.
STANDARD_ERRORS = 4.2

# --------------------------------------------------------------------- the test of one human


def _outcomes(rng: np.random.Generator) -> dict[str, int]:
    """Draw on how many items the judge is better, the human is, and neither."""
    n_items = int(rng.integers(100, 241))
    better = int(n_items * rng.uniform(0.06, 0.12))
    worse = int(n_items * rng.uniform(0.14, 0.24))
    return {"judge_better": better, "tied": n_items - better - worse, "human_better": worse}


def _margin(given: Given, *, quantile: float = ONE_SIDED, ties: bool = True) -> float:
    """Return the smallest margin with which the judge wins against this human."""
    better, worse = given["judge_better"], given["human_better"]
    n = better + worse + (given["tied"] if ties else 0)
    mean = (worse - better) / n
    variance = ((better + worse) / n - mean**2) * n / (n - 1)
    return float(mean + quantile * math.sqrt(variance / n))


def _shares(given: Given) -> tuple[float, float]:
    """Return the mean difference, and the advantage of the judge."""
    n = sum(given.values())
    difference = (given["human_better"] - given["judge_better"]) / n
    return difference, (given["judge_better"] + given["tied"]) / n


MARGIN = Number(
    id="12.1",
    title="The smallest margin",
    given=_outcomes,
    solve=_margin,
    digits=3,
    mistakes=(
        Mistake(
            "difference alone",
            lambda given: _shares(given)[0],
            "This is the mean difference. With it as the margin the test would reject every second "
            "time; the standard error has to be added, 1.645 times.",
        ),
        Mistake(
            "ties left out",
            lambda given: _margin(given, ties=False),
            "You left out the items on which neither is better. There the difference is 0, and "
            "they count among the items.",
        ),
        Mistake(
            "two-sided",
            lambda given: _margin(given, quantile=TWO_SIDED),
            "You took 1.96, the quantile of a two-sided test. The question asks only whether the "
            "judge is not much worse: one-sided, 1.645.",
        ),
        Mistake(
            "standard error subtracted",
            lambda given: _margin(given, quantile=-ONE_SIDED),
            "You went below the difference by the standard errors. The margin must lie so far "
            "above it that chance hardly explains the distance.",
        ),
        Mistake(
            "advantage",
            lambda given: _shares(given)[1],
            "This is the share of items on which the judge is at least as good, which enters the "
            "advantage probability. The question asks for a margin.",
        ),
        Mistake(
            "difference of judge and human",
            lambda given: _margin(
                {
                    **given,
                    "judge_better": given["human_better"],
                    "human_better": given["judge_better"],
                }
            ),
            "You subtracted the human from the judge. The test is about how much better the human "
            "is.",
        ),
    ),
)


def _p_values(rng: np.random.Generator) -> list[tuple[Floats]]:
    """Draw p-values, some of them just above their own threshold but below that of the next."""
    inputs = []
    for n in (3, 4, 5, 8, 10):
        thresholds = _thresholds(n)
        p = rng.uniform(0.2, 1.0, n)
        # The first is above its own threshold, the second below its own: step-up rejects both.
        p[0] = thresholds[0] + 0.5 * (thresholds[1] - thresholds[0])
        p[1] = thresholds[0] + 0.8 * (thresholds[1] - thresholds[0])
        p[2] = rng.uniform(thresholds[2] * 1.2, 0.05)
        inputs.append((rng.permutation(p.round(5)),))
    # Five below their own thresholds, of which the last are above that of Bonferroni.
    below = _thresholds(8)[:5] * rng.uniform(0.85, 0.98, 5)
    inputs.append((rng.permutation(np.r_[below, rng.uniform(0.3, 1, 3)]),))
    return inputs


def _thresholds(n: int) -> Floats:
    rank = np.arange(1, n + 1)
    return np.asarray(0.05 * rank / n / (1 / rank).sum())


def _winning_rate(p_values: Floats) -> float:
    """Return the library's winning rate."""
    from annobench.judges.alternative_annotators import adjusted_p_values

    return float((adjusted_p_values(p_values) <= 0.05).mean())


def _up_to_largest(p_values: Floats, thresholds: Floats) -> float:
    below = np.flatnonzero(np.sort(p_values) <= thresholds)
    return float((below[-1] + 1) / len(p_values)) if len(below) else 0.0


def _hochberg(p_values: Floats) -> float:
    n = len(p_values)
    return _up_to_largest(p_values, 0.05 * np.arange(1, n + 1) / n)


def _each_alone(p_values: Floats) -> float:
    return float((np.sort(p_values) <= _thresholds(len(p_values))).mean())


def _no_order(winning_rate: Any, p_values: Any) -> bool:
    return bool(abs(winning_rate(p_values) - winning_rate(np.sort(p_values))) < 1e-9)


WINNING_RATE = Function(
    id="12.2",
    title="The winning rate",
    signature="winning_rate(p_values)",
    reference=_winning_rate,
    inputs=_p_values,
    properties=(
        Property(
            "whatever the order",
            _no_order,
            "The answer must not depend on the order of the humans: sort the p-values first.",
        ),
    ),
    mistakes=(
        Mistake(
            "no correction",
            lambda p_values: float((p_values <= 0.05).mean()),
            "You compared every p-value with .05. With many humans some are below it by luck; the "
            "procedure compares the k-th smallest with a smaller threshold.",
        ),
        Mistake(
            "Benjamini and Hochberg",
            _hochberg,
            "This is the procedure of Benjamini and Hochberg, for independent tests. The humans "
            "share items and references: divide by 1 + 1/2 + ... + 1/n, too.",
        ),
        Mistake(
            "Bonferroni",
            lambda p_values: float((p_values <= 0.05 / len(p_values)).mean()),
            "You compared every p-value with .05 / n, which is Bonferroni's correction. The "
            "threshold grows with the rank of the p-value.",
        ),
        Mistake(
            "each against its own threshold",
            _each_alone,
            "You compared each p-value with its own threshold alone. Take the largest k whose "
            "p-value is below its threshold: all k smallest are rejected, also those above their "
            "own.",
        ),
    ),
)

# -------------------------------------------------------------------------------------- juries


def _misled(rng: np.random.Generator) -> dict[str, float]:
    """Draw the accuracy of a judge, and the share of items that mislead all."""
    return {
        "accuracy": int(rng.integers(72, 86)) / 100,
        "misleading": int(rng.integers(4, 13)) / 100,
    }


def _three(p: float) -> float:
    return p * p * (3 - 2 * p)


def _clear(given: Given) -> float:
    """Return a judge's accuracy on the items that mislead nobody."""
    return float(given["accuracy"] / (1 - given["misleading"]))


JURY = Number(
    id="12.3",
    title="Three judges, one mistake in common",
    given=_misled,
    solve=lambda given: (1 - given["misleading"]) * _three(_clear(given)),
    digits=3,
    mistakes=(
        Mistake(
            "independent judges",
            lambda given: _three(given["accuracy"]),
            "This is the majority of three independent judges. On the misleading items all three "
            "are wrong together.",
        ),
        Mistake(
            "accuracy not raised",
            lambda given: (1 - given["misleading"]) * _three(given["accuracy"]),
            "You used the judge's accuracy on all items as that on the clear ones. All of its "
            "right answers are there, so that it is right more often on these: divide by their "
            "share.",
        ),
        Mistake(
            "clear items alone",
            lambda given: _three(_clear(given)),
            "This is how often the jury is right on the clear items. On the misleading ones it "
            "is wrong; they count, too.",
        ),
        Mistake(
            "coin on misleading items",
            lambda given: (
                (1 - given["misleading"]) * _three(_clear(given)) + given["misleading"] / 2
            ),
            "You let the jury be right on half of the misleading items. They mislead all three "
            "judges.",
        ),
        Mistake(
            "all three right",
            lambda given: (1 - given["misleading"]) * _clear(given) ** 3,
            "This asks for all three to be right. Two of three are a majority.",
        ),
    ),
)


def _verdicts(rng: np.random.Generator) -> list[tuple[Codes, Codes]]:
    """Draw verdicts of judges, shape (I, J), who share some errors, and the gold standard."""
    inputs = []
    for n_items, n_judges in ((12, 2), (30, 3), (60, 4), (80, 5)):
        gold = (rng.random(n_items) < 0.6).astype(np.int64)
        shared = rng.random(n_items) < 0.25
        own = rng.random((n_items, n_judges)) < 0.2
        wrong = own | (shared[:, None] & (rng.random((n_items, n_judges)) < 0.8))
        # Nobody is always right or always wrong, which would have no correlation.
        wrong[0], wrong[1] = True, False
        wrong[2 + np.arange(n_judges), np.arange(n_judges)] ^= True
        inputs.append((np.where(wrong, 1 - gold[:, None], gold[:, None]), gold))
    return inputs


def _between_columns(table: NDArray[Any], *, diagonal: bool = False) -> float:
    correlations = np.atleast_2d(np.corrcoef(np.asarray(table, dtype=np.float64).T))
    chosen = np.ones_like(correlations) if diagonal else np.triu(np.ones_like(correlations), 1)
    return float(correlations[chosen.astype(bool)].mean())


def _error_correlation(labels: Codes, gold: Codes) -> float:
    return _between_columns(labels != gold[:, None])


def _both_wrong(labels: Codes, gold: Codes) -> float:
    wrong = (labels != gold[:, None]).astype(np.float64)
    together = wrong.T @ wrong / len(gold)
    return float(together[np.triu_indices(len(together), 1)].mean())


def _agreement(labels: Codes, gold: Codes) -> float:
    same = (labels[:, :, None] == labels[:, None, :]).mean(axis=0)
    return float(same[np.triu_indices(len(same), 1)].mean())


def _one_with_a_copy(error_correlation: Any, labels: Any, gold: Any) -> bool:
    return bool(abs(error_correlation(labels[:, [0, 0]], gold) - 1) < 1e-9)


ERROR_CORRELATION = Function(
    id="12.4",
    title="Do judges err together?",
    signature="error_correlation(labels, gold)",
    reference=_error_correlation,
    inputs=_verdicts,
    properties=(
        Property(
            "a judge and its copy",
            _one_with_a_copy,
            "The errors of a judge and of its copy have a correlation of 1; yours is another.",
        ),
    ),
    mistakes=(
        Mistake(
            "labels for errors",
            lambda labels, gold: _between_columns(labels),
            "This is the correlation of the verdicts. Good judges' verdicts are correlated because "
            "both follow the truth; the question asks whether they are wrong on the same items.",
        ),
        Mistake(
            "diagonal included",
            lambda labels, gold: _between_columns(labels != gold[:, None], diagonal=True),
            "You averaged the whole matrix, with the ones of its diagonal. A judge is no pair with "
            "itself.",
        ),
        Mistake(
            "both wrong",
            _both_wrong,
            "This is the share of items on which both are wrong. It is also large where both are "
            "poor; the correlation compares it with what independent errors give.",
        ),
        Mistake(
            "agreement",
            _agreement,
            "This is how often two judges agree. Two judges that are always right agree always, "
            "and make no error in common.",
        ),
    ),
)


def _large_jury(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "n_judges": int(rng.choice([5, 7, 9])),
        "accuracy": int(rng.integers(70, 81)) / 100,
        "misleading": int(rng.integers(8, 16)) / 100,
        "n_items": 20_000,
    }


def _majority(p: float, n: int) -> float:
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n // 2 + 1, n + 1))


def _around(p: float, given: Given) -> tuple[float, float]:
    half = STANDARD_ERRORS * math.sqrt(p * (1 - p) / given["n_items"])
    return p - half, p + half


def _jury_right(given: Given) -> tuple[float, float]:
    """Return 4.2 standard errors either side of the share of items on which the jury is right.

    Items are independent. A clear one, with probability 1 - c, is judged right by each judge with
    probability a / (1 - c), independently, and the jury by the binomial distribution; a misleading
    one is judged wrong by all.
    """
    p = (1 - given["misleading"]) * _majority(_clear(given), given["n_judges"])
    return _around(p, given)


SIMULATED_JURY = Simulation(
    id="12.5",
    title="A larger jury",
    given=_large_jury,
    interval=_jury_right,
    mistakes=(
        Mistake(
            "independent judges",
            lambda given: _around(_majority(given["accuracy"], given["n_judges"]), given),
            "This is what independent judges would give. Draw first which items are misleading: "
            "there all judges are wrong.",
        ),
        Mistake(
            "one judge",
            lambda given: _around(given["accuracy"], given),
            "This is how often one judge is right. The question asks for the majority of the jury.",
        ),
        Mistake(
            "clear items alone",
            lambda given: _around(_majority(_clear(given), given["n_judges"]), given),
            "This is the share among the clear items. The misleading ones count, and the jury is "
            "wrong on them.",
        ),
    ),
)

UNANIMOUS = Choice(
    id="12.6",
    title="Unanimous judges",
    options={
        "little more": "Not much more than one of these verdicts.",
        "nine": "As much as nine independent verdicts.",
        "sure": "Practically certain, as nine errors at once have a tiny probability.",
        "nothing": "Nothing: one family can't be right.",
    },
    right="little more",
    reasons={
        "little more": "If their errors are strongly correlated, the nine are one judge heard nine "
        "times. Gold items on which all agree show how often that judge is wrong.",
        "nine": "They would be if their errors were independent. Here most errors of one are "
        "errors of the others.",
        "sure": "The product of nine probabilities of error supposes independence; with shared "
        "errors all nine fail on the same misleading item.",
        "nothing": "They may well be right, as often as one of them is. What is missing is the "
        "second, third and ninth opinion.",
    },
)

# ---------------------------------------------------------------------------------- prevalence


def _judged_study(rng: np.random.Generator) -> dict[str, int]:
    """Draw a small gold sample with the judge's labels, and the judge's labels of the others."""
    theta, n = rng.uniform(0.15, 0.4), int(rng.choice([80, 100, 120]))
    sensitivity, specificity = rng.uniform(0.65, 0.9), rng.uniform(0.7, 0.9)
    joint = [theta * sensitivity, theta * (1 - sensitivity)]
    joint += [(1 - theta) * (1 - specificity), (1 - theta) * specificity]
    counts = rng.multinomial(n, joint)
    others = 1000
    positive = int(rng.binomial(others, joint[0] + joint[2]))
    names = ("true_positive", "false_negative", "false_positive", "true_negative")
    drawn = dict(zip(names, map(int, counts), strict=True))
    return {**drawn, "judged_positive": positive, "judged_negative": others - positive}


def _ppi(given: Given) -> float:
    """Return the library's estimate by prediction-powered inference."""
    from annobench.judges.prevalence import JudgedCounts, ppi

    return ppi(JudgedCounts(**given)).estimate


def _parts(given: Given) -> tuple[float, float, float]:
    """Return the share of gold positives, and what the judge says of gold items and of others."""
    n = sum(given[name] for name in list(given)[:4])
    gold = (given["true_positive"] + given["false_negative"]) / n
    said = (given["true_positive"] + given["false_positive"]) / n
    return gold, said, given["judged_positive"] / 1000


def _rogan_gladen(given: Given) -> float:
    sensitivity = given["true_positive"] / (given["true_positive"] + given["false_negative"])
    specificity = given["true_negative"] / (given["true_negative"] + given["false_positive"])
    return float((_parts(given)[2] + specificity - 1) / (sensitivity + specificity - 1))


PPI = Number(
    id="12.7",
    title="A prevalence powered by predictions",
    given=_judged_study,
    solve=_ppi,
    digits=3,
    mistakes=(
        Mistake(
            "judge alone",
            lambda given: _parts(given)[2],
            "This is the share that the judge calls positive among the items without gold. "
            "Correct it by the judge's mean error on the gold items.",
        ),
        Mistake(
            "gold alone",
            lambda given: _parts(given)[0],
            "This is the share of positives among the gold items. It is right on average, and "
            "makes no use of the judge.",
        ),
        Mistake(
            "sign of the correction",
            lambda given: _parts(given)[2] + _parts(given)[1] - _parts(given)[0],
            "You moved the judge's share the wrong way. If it says positive too often on gold "
            "items, subtract that much.",
        ),
        Mistake(
            "Rogan and Gladen",
            _rogan_gladen,
            "This is Rogan and Gladen's estimate. Here the mean error of the judge on the gold "
            "items is added, without dividing.",
        ),
        Mistake(
            "mean of both",
            lambda given: (_parts(given)[2] + _parts(given)[0]) / 2,
            "This is the mean of the judge's share and that of gold. Half of the judge's bias is "
            "still in it.",
        ),
    ),
)

WHICH = Choice(
    id="12.8",
    title="Gold chosen by category",
    options={
        "rogan": "Rogan and Gladen's.",
        "ppi": "Prediction-powered inference, with the judge counted in full.",
        "gold": "The share of positives among the gold items.",
        "joint": "The joint model of judge and gold.",
    },
    right="rogan",
    reasons={
        "rogan": "It uses gold items only for sensitivity and specificity, which are shares within "
        "a category: how many items of each were chosen does not matter.",
        "ppi": "It adds the judge's mean error on the gold items, which has a half of positives in "
        "it; among all items they are rare, and the mean error is another.",
        "gold": "It is one half by design, whatever the prevalence.",
        "joint": "It takes from the gold items how many positives there are among those judged "
        "positive. With half of them positive by design, that is far too many.",
    },
)


def _crossed(rng: np.random.Generator) -> dict[str, int]:
    while True:
        drawn = _judged_study(rng)
        table = {name: drawn[name] for name in list(drawn)[:4]}
        if min(table.values()) > 2:
            return table


def _phi(given: Given) -> float:
    a, b, c, d = given.values()
    return float((a * d - b * c) / math.sqrt((a + b) * (c + d) * (a + c) * (b + d)))


WORTH = Number(
    id="12.9",
    title="What the judge is worth in gold",
    given=_crossed,
    solve=lambda given: sum(given.values()) / (1 - _phi(given) ** 2),
    digits=1,
    mistakes=(
        Mistake(
            "correlation not squared",
            lambda given: sum(given.values()) / (1 - _phi(given)),
            "You didn't square the correlation. What the judge takes away from the variance is its "
            "square.",
        ),
        Mistake(
            "multiplied",
            lambda given: sum(given.values()) * (1 - _phi(given) ** 2),
            "You multiplied by 1 minus the squared correlation. The judge makes gold items worth "
            "more, not less: divide.",
        ),
        Mistake(
            "accuracy for correlation",
            lambda given: (
                sum(given.values())
                / (
                    1
                    - ((given["true_positive"] + given["true_negative"]) / sum(given.values())) ** 2
                )
            ),
            "You used the accuracy as the correlation. A judge that always says the frequent "
            "category is accurate, and its correlation with gold is 0.",
        ),
        Mistake(
            "gained items alone",
            lambda given: sum(given.values()) * _phi(given) ** 2 / (1 - _phi(given) ** 2),
            "This is how many items the judge adds. The question asks how many gold items alone "
            "would be as precise in all.",
        ),
    ),
)

EXERCISES: list[Exercise] = [
    MARGIN,
    WINNING_RATE,
    JURY,
    ERROR_CORRELATION,
    SIMULATED_JURY,
    UNANIMOUS,
    PPI,
    WHICH,
    WORTH,
]
