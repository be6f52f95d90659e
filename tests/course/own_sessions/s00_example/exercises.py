"""Session 0, an example: how to add a session."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from annobench.agreement import cohen_kappa
from annobench.labels.annotations import Annotations
from annobench_course import (
    Choice,
    Function,
    Given,
    Lesson,
    Mistake,
    Number,
    Property,
    Simulation,
)

LESSON = Lesson(
    summary="Compute the agreement of two annotators, observed and expected by chance.",
    needs=("means and shares",),
    data=("anesthesia",),
    papers=("example_paper",),
)


def _matrix(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a confusion matrix of two annotators who disagree in different directions."""
    return {"matrix": rng.integers([[20, 3], [12, 15]], [[60, 12], [30, 50]])}


def _observed(given: Given) -> float:
    return float(np.trace(given["matrix"]) / given["matrix"].sum())


def _expected(given: Given) -> float:
    matrix = given["matrix"]
    return float(matrix.sum(axis=1) @ matrix.sum(axis=0) / matrix.sum() ** 2)


def _kappa(given: Given) -> float:
    return (_observed(given) - _expected(given)) / (1 - _expected(given))


def _pi(given: Given) -> float:
    matrix = given["matrix"]
    shares = (matrix.sum(axis=1) + matrix.sum(axis=0)) / (2 * matrix.sum())
    return float((_observed(given) - shares @ shares) / (1 - shares @ shares))


def _library_kappa(one: list[str], other: list[str]) -> float:
    n = len(one)
    labels = Annotations.from_arrays([*range(n)] * 2, ["a"] * n + ["b"] * n, [*one, *other])
    return cohen_kappa(labels).estimate


def _label_lists(rng: np.random.Generator) -> list[tuple[list[str], list[str]]]:
    """Draw the labels of two annotators, few items first; both categories occur."""
    pairs = []
    for n in (4, 8, 20, 50):
        one = rng.permutation(["yes", "no", *rng.choice(["yes", "no"], n - 2, p=[0.7, 0.3])])
        other = np.where(rng.random(n) < 0.7, one, rng.choice(["yes", "no"], n))
        pairs.append((one.tolist(), other.tolist()))
    return pairs


def _agreement(one: list[str], other: list[str]) -> float:
    return float(np.mean(np.array(one) == np.array(other)))


def _kappa_of_uniform(one: list[str], other: list[str]) -> float:
    return 2 * _agreement(one, other) - 1


def _ratio(one: list[str], other: list[str]) -> float:
    expected = sum(one.count(c) * other.count(c) for c in ("yes", "no")) / len(one) ** 2
    return (_agreement(one, other) - expected) / expected


def _symmetric(kappa: Any, one: list[str], other: list[str]) -> bool:
    return math.isclose(kappa(one, other), kappa(other, one), rel_tol=1e-6, abs_tol=1e-6)


def _coins(given: Given) -> tuple[float, float]:
    """Four standard errors either side, which a normal distribution leaves 6 times in 10^5.

    The mean of `runs` shares of agreement, each of `n_items` items on which two annotators guess
    yes with probability p, is that of runs * n_items trials with probability p^2 + (1 - p)^2.
    """
    p = given["p"] ** 2 + (1 - given["p"]) ** 2
    half = 4 * math.sqrt(p * (1 - p) / (given["runs"] * given["n_items"]))
    return p - half, p + half


EXERCISES = [
    Number(
        id="0.1",
        title="Observed agreement",
        given=_matrix,
        solve=_observed,
        mistakes=(
            Mistake(
                "disagreement for agreement",
                lambda given: 1 - _observed(given),
                "This is the share of items on which they disagree.",
            ),
            Mistake(
                "one category only",
                lambda given: given["matrix"][0, 0] / given["matrix"].sum(),
                "This counts only the items to which both give the first category; they also agree "
                "where both give the second.",
            ),
            Mistake(
                "count for share",
                lambda given: np.trace(given["matrix"]),
                "This is the number of items; divide it by the number of all items.",
            ),
        ),
    ),
    Number(
        id="0.2",
        title="Expected agreement",
        given="0.1",
        solve=_expected,
        mistakes=(
            Mistake(
                "row margins twice",
                lambda given: ((given["matrix"].sum(axis=1) / given["matrix"].sum()) ** 2).sum(),
                "Here the shares of the first annotator are squared. By chance the first "
                "annotator's shares meet the second's, which stand below the columns.",
            ),
            Mistake(
                "column margins twice",
                lambda given: ((given["matrix"].sum(axis=0) / given["matrix"].sum()) ** 2).sum(),
                "Here the shares of the second annotator are squared. By chance they meet the "
                "first's, which stand beside the rows.",
            ),
            Mistake(
                "equally probable categories",
                lambda given: 1 / 2,
                "This supposes that both annotators give the two categories equally often.",
            ),
        ),
    ),
    Number(
        id="0.3",
        title="Cohen's kappa",
        given="0.1",
        solve=_kappa,
        mistakes=(
            Mistake("observed agreement", _observed, "This is the observed agreement itself."),
            Mistake(
                "not divided",
                lambda given: _observed(given) - _expected(given),
                "This is the agreement beyond chance. Divide it by the largest that it can be.",
            ),
            Mistake(
                "pooled margins",
                _pi,
                "This is Scott's pi: its expected agreement is computed from the margins of both "
                "annotators taken together. Kappa's has those of each.",
            ),
        ),
    ),
    Function(
        id="0.4",
        title="Kappa as a function",
        signature="kappa(one, other)",
        reference=_library_kappa,
        inputs=_label_lists,
        properties=(
            Property(
                "symmetric",
                _symmetric,
                "Kappa is the same if the annotators change places; yours is not.",
            ),
        ),
        mistakes=(
            Mistake("observed agreement", _agreement, "This is the observed agreement."),
            Mistake(
                "equally probable categories",
                _kappa_of_uniform,
                "This takes one half for the expected agreement, whatever the labels are.",
            ),
            Mistake(
                "divided by expected agreement",
                _ratio,
                "This divides by the expected agreement; divide by what it leaves up to 1.",
            ),
        ),
    ),
    Choice(
        id="0.5",
        title="What kappa corrects",
        options={
            "chance": "Agreement that two annotators reach who label without reading.",
            "difficulty": "Items that are hard.",
            "missing": "Items that one of them left out.",
        },
        right="chance",
        reasons={
            "chance": "Expected agreement is that of labels given independently of the items.",
            "difficulty": "Hard items lower observed agreement; kappa knows nothing of items.",
            "missing": "Kappa takes the items that both labelled; nothing is corrected for.",
        },
    ),
    Simulation(
        id="0.6",
        title="Agreement of two who guess",
        given=lambda rng: {
            "p": float(rng.choice([0.1, 0.2, 0.8, 0.9])),
            "n_items": int(rng.integers(80, 121)),
            "runs": 200,
        },
        interval=_coins,
        mistakes=(
            Mistake(
                "both say yes only",
                lambda given: given["p"] ** 2,
                "This counts only the items on which both say yes.",
            ),
            Mistake(
                "fair coins",
                lambda given: 0.5,
                "This is what comes of fair coins. Theirs are not: see `p`.",
            ),
        ),
    ),
]
