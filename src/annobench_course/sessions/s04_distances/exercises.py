"""Session 4: distances between labels, weighted kappa, alpha, sets, intraclass correlations."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench import agreement
from annobench.agreement.weights import Weights, distances
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
    summary="Choose a distance for a task, and compute weighted kappa, alpha with that distance "
    "and intraclass correlations.",
    needs=("01_chance", "02_family", "03_how_sure"),
    data=(
        "micro_wnop_group1_negative",
        "micro_wnop_group1_positive",
        "micro_wnop_group2_negative",
        "micro_wnop_group2_positive",
    ),
    papers=("berthelin2008", "su2008"),
    worksheet=("4.1", "4.3", "4.4"),
    timing=(
        Part(20, "the worksheet; what the scale alone does", ("4.2",)),
        Part(25, "distances and disagreement", ("4.5",)),
        Part(5, "sets of categories, the figure only"),
        Part(20, "agreement is not association", ("4.7",)),
        Part(20, "the published table", ("4.8",)),
    ),
)

#: A right simulation lies outside its interval at most this often, on each side.
TAIL = 5e-5
#: The fewest texts of a student's simulation, and those of the panel that its error is taken from.
TEXTS, PANEL = 20_000, 4_000

Floats = NDArray[np.float64]


def _draw_classes(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the correlation of two impressions and the shares of three classes."""
    shares = rng.dirichlet([12.0, 12.0, 12.0]).round(2)
    shares[2] = round(1 - shares[0] - shares[1], 2)
    return {
        "correlation": round(float(rng.uniform(0.75, 0.93)), 2),
        "shares": shares.tolist(),
    }


def _kappa_of_classes(given: Given, power: float = 1.0) -> float:
    """Return kappa of infinitely many texts, the correlation raised to a power."""
    from annobench.simulation.panels import kappa_from_correlation

    return kappa_from_correlation(given["correlation"] ** power, given["shares"])


@lru_cache(maxsize=64)
def _large_panel(correlation: float, shares: tuple[float, ...]) -> Annotations:
    """Return the classes of many texts by two judges."""
    from annobench.simulation.panels import ordinal

    loading = [np.sqrt(correlation)] * 2
    return ordinal(n_items=PANEL, prevalence=shares, loading=loading, rng=0).annotations


def _panel_of(given: Given) -> Annotations:
    """Return a large panel of a student's numbers."""
    return _large_panel(given["correlation"], tuple(given["shares"]))


def _interval_of_kappa(given: Given) -> tuple[float, float]:
    """Return where kappa of 20,000 texts lies.

    The exact kappa is a sum of bivariate normal probabilities; around it the estimate is normal
    with the large-sample standard error of Fleiss, Cohen and Everitt, taken from a panel of fewer
    texts. The ends are normal quantiles of 1 in 20,000 on each side.
    """
    from scipy.special import ndtri

    error = agreement.cohen_kappa(_panel_of(given)).standard_error * np.sqrt(PANEL / TEXTS)
    half = -float(ndtri(TAIL) * error)
    exact = _kappa_of_classes(given)
    return exact - half, exact + half


def _observed_of_classes(given: Given) -> float:
    """Return the observed agreement of infinitely many texts."""
    expected = float(np.square(given["shares"]).sum())
    return expected + (1 - expected) * _kappa_of_classes(given)


def _panel_kappa(given: Given, weights: Weights) -> float:
    """Return weighted kappa of the large panel."""
    return float(agreement.cohen_kappa(_panel_of(given), weights=weights).estimate)


def _draw_table(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a table of three marks by two annotators, the second of whom gives higher ones."""
    least = [[9, 4, 1], [1, 9, 5], [0, 1, 8]]
    most = [[18, 9, 4], [4, 18, 10], [2, 4, 16]]
    return {"table": rng.integers(least, most)}


def _weighted_kappa(given: Given, weights: Weights = "linear") -> float:
    """Compute weighted kappa with the library."""
    labels = Annotations.from_contingency(given["table"])
    return float(agreement.cohen_kappa(labels, weights=weights).estimate)


def _disagreements(given: Given, *, pooled: bool = False) -> tuple[float, float]:
    """Return observed and expected mean absolute distance, as a share of the largest."""
    shares = given["table"] / given["table"].sum()
    steps = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2
    row, column = shares.sum(axis=1), shares.sum(axis=0)
    if pooled:
        row = column = (row + column) / 2
    return float((shares * steps).sum()), float((np.outer(row, column) * steps).sum())


def _draw_marks(rng: np.random.Generator) -> dict[str, Any]:
    """Draw how often each of five marks was given, and two marks that are not neighbours."""
    low = int(rng.integers(0, 3))
    return {
        "labels": rng.integers(2, 30, size=5).tolist(),
        "from": low,
        "to": int(rng.integers(low + 2, 5)),
    }


def _ordinal_distance(given: Given, ends: float = 0.5) -> float:
    """Return the squared number of labels from one mark to the other, those at the ends in part."""
    labels, low, high = given["labels"], given["from"], given["to"]
    return float((sum(labels[low + 1 : high]) + ends * (labels[low] + labels[high])) ** 2)


def _alpha_absolute(first: Floats, second: Floats) -> float:
    """Compute alpha with the absolute distance by the library."""
    labels = Annotations.from_wide(np.column_stack([first, second]), scale="interval")
    return float(agreement.krippendorff_alpha(labels, metric="absolute").estimate)


def _alpha_of(
    first: Floats,
    second: Floats,
    distance: Callable[[Floats], Floats] = np.abs,
    less: int = 1,
    pairs: tuple[Floats, Floats] | None = None,
) -> float:
    """Compute alpha of differences, expected over all pairs of labels or over given ones."""
    labels = np.concatenate([first, second])
    n = labels.size
    observed = distance(first - second).mean()
    if pairs is None:
        expected = distance(np.subtract.outer(labels, labels)).sum() / (n * (n - less))
    else:
        expected = distance(np.subtract.outer(*pairs)).mean()
    return float(1 - observed / expected)


def _sums_for_labels(first: Floats, second: Floats) -> float:
    """Take the sums of the two scores for all labels."""
    sums = first + second
    expected = np.abs(np.subtract.outer(sums, sums)).sum() / (sums.size * (sums.size - 1))
    return float(1 - np.abs(first - second).mean() / expected)


def _draw_scores(rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Draw scores of two annotators in eighths, few items first."""
    found = []
    for items in (5, 8, 20, 40):
        first = rng.integers(0, 9, size=items)
        second = np.clip(first + rng.integers(-1, 4, size=items), 0, 8)
        # Neither all scores nor all differences are equal.
        first[:2], second[:2] = (0, 6), (2, 8)
        found.append((first / 8, second / 8))
    return found


def _masi_distance(a: Set[str], b: Set[str]) -> float:
    """Take the MASI distance of two sets from the library."""
    return _masi_of_library(frozenset(a), frozenset(b))


@lru_cache(maxsize=256)
def _masi_of_library(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the largest distance of two labels of one item."""
    labels = Annotations.from_sets([1, 1], ["1", "2"], [a, b])
    return float(distances(labels, "masi", "masi_distance").max())


def _overlap(a: set[str], b: set[str]) -> float:
    """Return the share of common elements; two empty sets have all in common."""
    return len(a & b) / len(a | b) if a | b else 1.0


def _monotonicity(a: set[str], b: set[str]) -> float:
    """Return 1 for equal sets, 2/3 for nested ones, 1/3 for others that overlap, and 0."""
    if a == b:
        return 1.0
    if not a & b:
        return 0.0
    return 2 / 3 if a <= b or b <= a else 1 / 3


#: What takes the place of each factor if those of nested and of overlapping sets are exchanged.
_EXCHANGED = {1.0: 1.0, 2 / 3: 1 / 3, 1 / 3: 2 / 3, 0.0: 0.0}


def _divided_by_none(a: set[str], b: set[str]) -> float:
    """Return the MASI distance without a thought of empty sets."""
    return 1 - len(a & b) / len(a | b) * _monotonicity(a, b)


def _dice(a: set[str], b: set[str]) -> float:
    """Return twice the common elements by those of both."""
    return 2 * len(a & b) / (len(a) + len(b)) if a | b else 1.0


def _draw_sets(rng: np.random.Generator) -> list[tuple[set[str], set[str]]]:
    """Draw pairs of sets: overlapping, nested, equal, disjoint and empty."""
    names = rng.permutation(["anger", "disgust", "fear", "joy", "sadness", "surprise"]).tolist()
    one, two, three, four, five, _ = names
    return [
        ({one, two}, {two, three}),
        ({one}, {one, two, three}),
        ({one, two, three, four}, {one, two}),
        ({one, two}, {two, one}),
        ({one}, {two}),
        ({one, two, three}, {two, three, four, five}),
        (set(), {one}),
        (set(), set()),
    ]


def _draw_squares(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the mean squares of a two-way analysis of variance."""
    rest = round(float(rng.uniform(0.4, 1.2)), 2)
    items, annotators = int(rng.integers(20, 61)), int(rng.integers(3, 7))
    return {
        "items": items,
        "annotators": annotators,
        "ms_items": round(rest * float(rng.uniform(5, 14)), 2),
        "ms_annotators": round(rest * (1 + items * float(rng.uniform(0.3, 1.2))), 2),
        "ms_rest": rest,
    }


def _intraclass(given: Given, form: str = "agreement") -> float:
    """Compute an intraclass correlation from mean squares."""
    i, j = given["items"], given["annotators"]
    between, raters, rest = given["ms_items"], given["ms_annotators"], given["ms_rest"]
    shift = {
        "agreement": j / i * (raters - rest),
        "consistency": 0.0,
        "exchanged": i / j * (raters - rest),
        "not divided": j * (raters - rest),
        "one too many": rest + j / i * (raters - rest),
        "rest kept": j / i * raters,
        "average": 0.0,
    }[form]
    if form == "average":
        return float((between - rest) / (between + (raters - rest) / i))
    return float((between - rest) / (between + (j - 1) * rest + shift))


EXERCISES = [
    Simulation(
        id="4.1",
        title="Merge the marks",
        given=_draw_classes,
        interval=_interval_of_kappa,
        mistakes=(
            Mistake(
                "correlation for loading",
                lambda given: _kappa_of_classes(given, 2.0),
                "You gave the correlation as the loading of both judges. Their impressions then "
                "correlate by its square. Each loading is the square root.",
            ),
            Mistake(
                "observed agreement",
                _observed_of_classes,
                "This is the observed agreement. Kappa subtracts what chance gives and divides "
                "by the room above it.",
            ),
            Mistake(
                "quadratic weights",
                lambda given: _panel_kappa(given, "quadratic"),
                "This is kappa with quadratic weights. The question asks for kappa without "
                "weights, as Berthelin et al. report it.",
            ),
            Mistake(
                "linear weights",
                lambda given: _panel_kappa(given, "linear"),
                "This is kappa with linear weights. The question asks for kappa without weights, "
                "as Berthelin et al. report it.",
            ),
            Mistake(
                "correlation for kappa",
                lambda given: given["correlation"],
                "This is the correlation itself, before impressions are cut into classes. (It is "
                "also kappa of panels.nominal, which has no order.) Look for the panel of "
                "ordered classes.",
            ),
        ),
    ),
    Choice(
        id="4.2",
        title="What follows from the tables of Berthelin et al.?",
        options={
            "scale": "With fewer marks there are fewer near misses, which kappa counts in full.",
            "people": "The judges understood the texts better on the restricted scale.",
            "chance": "On 21 marks chance agreement is smaller, and that alone makes kappa lower.",
            "quadratic": "With quadratic weights kappa would be equal on both scales.",
        },
        right="scale",
        reasons={
            "scale": "Much of the rise would come about if nobody judged any better. For the "
            "films it is most of the mean gain.",
            "people": "That may be, but kappa rises as much if the same impressions are cut less "
            "finely, so the tables do not show it.",
            "chance": "Chance agreement is smaller, and that alone would make kappa higher: less "
            "is subtracted. What falls is the observed agreement.",
            "quadratic": "The figure shows that it rises with the number of marks, by less than "
            "kappa without weights falls. No coefficient is free of the scale.",
        },
    ),
    Number(
        id="4.3",
        title="Weighted kappa by hand",
        given=_draw_table,
        solve=_weighted_kappa,
        mistakes=(
            Mistake(
                "without weights",
                lambda given: _weighted_kappa(given, None),
                "This is kappa without weights: a miss by two counts as much as a miss by one.",
            ),
            Mistake(
                "quadratic weights",
                lambda given: _weighted_kappa(given, "quadratic"),
                "You squared the steps. Linear weights take them as they are.",
            ),
            Mistake(
                "pooled margins",
                lambda given: 1 - np.divide(*_disagreements(given, pooled=True)),
                "Your expected disagreement takes the labels of both annotators together, as "
                "alpha and Scott's pi do. For kappa each annotator has their own margins.",
            ),
            Mistake(
                "distance for weight",
                lambda given: (
                    (_disagreements(given)[0] - _disagreements(given)[1])
                    / (1 - _disagreements(given)[1])
                ),
                "You put distances where the formula has weights of agreement. A weight is 1 for "
                "equal marks and 0 for the largest distance.",
            ),
            Mistake(
                "without chance",
                lambda given: 1 - _disagreements(given)[0],
                "This is the observed agreement, with partial credit. Kappa compares the "
                "disagreement with the one that chance gives.",
            ),
            Mistake(
                "counts for shares",
                lambda given: 1 - given["table"].sum() * np.divide(*_disagreements(given)),
                "One of your two disagreements is of counts, the other of shares. Divide the "
                "table by the number of items first.",
            ),
            Mistake(
                "disagreement for agreement",
                lambda given: np.divide(*_disagreements(given)),
                "This is the ratio of observed to expected disagreement. Kappa is one minus it.",
            ),
        ),
    ),
    Number(
        id="4.4",
        title="An ordinal distance",
        given=_draw_marks,
        solve=_ordinal_distance,
        digits=2,
        mistakes=(
            Mistake(
                "ends in full",
                lambda given: _ordinal_distance(given, 1.0),
                "You counted all labels of the two marks themselves. Only half of each lies "
                "between their middles.",
            ),
            Mistake(
                "ends left out",
                lambda given: _ordinal_distance(given, 0.0),
                "You counted only the marks between. Half of the labels at either end belongs to "
                "the way, too; otherwise neighbours would have the distance 0.",
            ),
            Mistake(
                "slice without its end",
                lambda given: sum(given["labels"][given["from"] : given["to"]]) ** 2,
                "A slice in Python ends before its last index: the labels of the one mark count "
                "in full, and those of the other not at all.",
            ),
            Mistake(
                "not squared",
                lambda given: np.sqrt(_ordinal_distance(given)),
                "The number of labels is right; the distance is its square.",
            ),
            Mistake(
                "steps",
                lambda given: (given["to"] - given["from"]) ** 2,
                "This is the interval distance, steps squared. The ordinal distance counts "
                "labels, so that it depends on how often each mark is given.",
            ),
        ),
    ),
    Function(
        id="4.5",
        title="Alpha of your own",
        signature="alpha_absolute(first, second)",
        reference=_alpha_absolute,
        inputs=_draw_scores,
        properties=(
            Property(
                "symmetric in the annotators",
                lambda alpha, first, second: np.allclose(
                    alpha(first, second), alpha(second, first)
                ),
                "Alpha must be the same if the annotators are exchanged.",
            ),
            Property(
                "1 for equal scores",
                lambda alpha, first, second: np.allclose(alpha(first, first), 1),
                "If both give the same scores, alpha must be 1.",
            ),
            Property(
                "unit of the scale",
                lambda alpha, first, second: np.allclose(
                    alpha(first, second), alpha(100 * first, 100 * second)
                ),
                "Alpha must be the same whether scores are shares or in per cent.",
            ),
        ),
        mistakes=(
            Mistake(
                "with replacement",
                lambda first, second: _alpha_of(first, second, less=0),
                "You counted all N^2 pairs of labels, a label and itself included. Two different "
                "labels are drawn, so no label is paired with itself. Su and Markert's Table 5 "
                "does it as you did.",
            ),
            Mistake(
                "margins apart",
                lambda first, second: _alpha_of(first, second, pairs=(first, second)),
                "Your expected disagreement compares labels of the one annotator with labels of "
                "the other, as weighted kappa does. Alpha draws both from the labels of all.",
            ),
            Mistake(
                "squared distance",
                lambda first, second: _alpha_of(first, second, np.square),
                "You squared the differences: that is alpha with the interval distance.",
            ),
            Mistake(
                "nominal",
                lambda first, second: _alpha_of(first, second, lambda gap: gap != 0),
                "You counted every difference as 1: that is nominal alpha.",
            ),
            Mistake(
                "each pair once",
                lambda first, second: (1 + _alpha_of(first, second)) / 2,
                "Your expected disagreement is twice too large. np.subtract.outer has every pair "
                "twice, as (a, b) and (b, a): count the pairs in the same way.",
            ),
            Mistake(
                "without chance",
                lambda first, second: 1 - np.abs(first - second).mean(),
                "This is one minus the observed disagreement. It has to be divided by the one "
                "that is expected by chance.",
            ),
            Mistake(
                "sum for concatenation",
                _sums_for_labels,
                "first + second adds two NumPy arrays item by item. To put one after the other, "
                "use np.concatenate.",
            ),
            Mistake(
                "correlation",
                lambda first, second: float(np.corrcoef(first, second)[0, 1]),
                "This is Pearson's correlation, which compares no scores with one another.",
            ),
            Mistake(
                "disagreement for agreement",
                lambda first, second: 1 - _alpha_of(first, second),
                "This is the ratio of observed to expected disagreement. Alpha is one minus it.",
            ),
        ),
    ),
    Function(
        id="4.6",
        title="MASI",
        signature="masi_distance(a, b)",
        reference=_masi_distance,
        inputs=_draw_sets,
        properties=(
            Property(
                "symmetric",
                lambda distance, a, b: np.allclose(distance(a, b), distance(b, a)),
                "The distance from a to b must be that from b to a.",
            ),
            Property(
                "0 for equal sets",
                lambda distance, a, b: np.allclose(distance(a, a), 0),
                "A set must have the distance 0 to itself.",
            ),
        ),
        mistakes=(
            Mistake(
                "Jaccard",
                lambda a, b: 1 - _overlap(a, b),
                "This is the Jaccard distance. MASI multiplies the share of common elements by "
                "1, 2/3, 1/3 or 0 before it is taken from 1.",
            ),
            Mistake(
                "similarity for distance",
                lambda a, b: _overlap(a, b) * _monotonicity(a, b),
                "This is 1 for equal sets: a similarity. The distance is one minus it.",
            ),
            Mistake(
                "monotonicity alone",
                lambda a, b: 1 - _monotonicity(a, b),
                "This asks only whether one set contains the other. MASI also multiplies by the "
                "share of common elements.",
            ),
            Mistake(
                "Dice for Jaccard",
                lambda a, b: 1 - _dice(a, b) * _monotonicity(a, b),
                "You divided twice the common elements by the sum of both sizes. Jaccard's share "
                "divides the common elements by those of the union.",
            ),
            Mistake(
                "rounded constants",
                lambda a, b: 1 - _overlap(a, b) * round(_monotonicity(a, b), 2),
                "Your constants are 0.67 and 0.33, as in some packages. Write 2/3 and 1/3.",
            ),
            Mistake(
                "constants exchanged",
                lambda a, b: 1 - _overlap(a, b) * _EXCHANGED[_monotonicity(a, b)],
                "You multiply by 1/3 if one set contains the other, and by 2/3 if they only "
                "overlap. It is the other way round: a subset is nearer.",
            ),
            Mistake(
                "empty sets",
                _divided_by_none,
                "Two empty sets make your function divide 0 by 0. They are equal: distance 0.",
            ),
        ),
    ),
    Number(
        id="4.7",
        title="An intraclass correlation by hand",
        given=_draw_squares,
        solve=_intraclass,
        mistakes=(
            Mistake(
                "consistency",
                lambda given: _intraclass(given, "consistency"),
                "This is the ICC for consistency, which does not count that one annotator gives "
                "higher scores than another.",
            ),
            Mistake(
                "annotators for one less",
                lambda given: _intraclass(given, "one too many"),
                "The denominator has the mean square of the rest J - 1 times, not J times.",
            ),
            Mistake(
                "rest not subtracted",
                lambda given: _intraclass(given, "rest kept"),
                "In the last term the mean square of the rest has to be subtracted from that of "
                "the annotators.",
            ),
            Mistake(
                "items and annotators exchanged",
                lambda given: _intraclass(given, "exchanged"),
                "In the last term you divided by the number of annotators and multiplied by that "
                "of items. It is the other way round.",
            ),
            Mistake(
                "not divided by items",
                lambda given: _intraclass(given, "not divided"),
                "In the last term the division by the number of items is missing.",
            ),
            Mistake(
                "average",
                lambda given: _intraclass(given, "average"),
                "This is the ICC of the mean of all annotators, which is higher. The question "
                "asks for that of a single one.",
            ),
        ),
    ),
    Choice(
        id="4.8",
        title="Which coefficient?",
        options={
            "alpha": "Alpha with the interval or absolute distance",
            "pearson": "Pearson's correlation",
            "consistency": "The intraclass correlation for consistency",
            "kappa": "Cohen's kappa without weights, each score a category",
            "rank": "Spearman's rank correlation, or alpha of ranks within each annotator",
        },
        right="alpha",
        reasons={
            "alpha": "It compares the numbers themselves. With many items it is nearly the one-way "
            "ICC. The ICC for agreement compares them, too; where annotators are biased it is "
            "higher.",
            "pearson": "It is the same if one annotator's scores are all raised or stretched: it "
            "measures association, and would hide what is asked.",
            "consistency": "It leaves out differences between the annotators' means, which is "
            "what is asked here.",
            "kappa": "It would change, but it treats a score that is an eighth higher as no less "
            "wrong than one at the other end.",
            "rank": "Ranks are the same if all scores of an annotator are raised.",
        },
    ),
]
