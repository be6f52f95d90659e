"""Exercises of session 2: pi, S, AC1 and alpha, why packages disagree, and Bhowmick's A_m."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.agreement import fleiss_kappa, krippendorff_alpha
from annobench.agreement.coefficients.paired_agreement import PairedForm
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
from annobench_course.outcomes import same
from annobench_course.two_annotators import (
    Shares,
    corrected,
    draw_counts,
    kappa,
    observed,
    pooled,
    shares,
)

LESSON = Lesson(
    summary="Distinguish coefficients of agreement by their definition of chance, compute them "
    "for many annotators and missing labels, and check a published table against itself.",
    needs=("01_chance",),
    data=tuple(
        f"semeval2007_{emotion}"
        for emotion in ("anger", "disgust", "fear", "joy", "sadness", "surprise")
    ),
    papers=("bhowmick2008",),
    tables=("conformance/matrix", "conformance/disagreements"),
    worksheet=("2.1", "2.2", "2.3"),
    timing=(
        Part(15, "the worksheet; one formula, five ideas of chance"),
        Part(25, "many annotators, missing labels", ("2.4", "2.5")),
        Part(10, "why packages disagree", ("2.6",)),
        Part(20, "more than one category", ("2.7",)),
        Part(20, "the table that can't be", ("2.9",)),
    ),
)

CATEGORIES = ("positive", "neutral", "negative")
#: The risk that a right simulation is refused.
RISK = 1e-4


def _table(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a table of two annotators with three categories."""
    n_items = int(rng.choice([50, 80, 100, 120]))
    counts = draw_counts(rng, n_items, len(CATEGORIES), float(rng.uniform(0.45, 0.65)))
    rows = pd.Index(CATEGORIES, name="annotator 1")
    return {"table": pd.DataFrame(counts, index=rows, columns=rows.rename("annotator 2"))}


def _beyond(p: Shares, chance: float) -> float:
    return corrected(observed(p), chance)


def _pi(p: Shares) -> float:
    return _beyond(p, float((pooled(p) ** 2).sum()))


def _pi_of_sums(p: Shares) -> float:
    """Return pi with the sum of the margins for their mean."""
    chance = float(((2 * pooled(p)) ** 2).sum())
    return (observed(p) - chance) / (1 - chance)


def _s(p: Shares) -> float:
    return _beyond(p, 1 / len(p))


def _spread(p: Shares) -> float:
    """Return the sum of q (1 - q) over the categories."""
    q = pooled(p)
    return float((q * (1 - q)).sum())


def _ac1(p: Shares) -> float:
    return _beyond(p, _spread(p) / (len(p) - 1))


PI = Number(
    id="2.1",
    title="Scott's pi",
    given=_table,
    solve=lambda given: _pi(shares(given)),
    mistakes=(
        Mistake(
            "Cohen's kappa",
            lambda given: kappa(shares(given)),
            "This is Cohen's kappa: you multiplied the share of the row by that of the column. In "
            "pi both annotators draw from one distribution, the average of the two margins.",
        ),
        Mistake(
            "margins not halved",
            lambda given: _pi_of_sums(shares(given)),
            "You added the two margins and didn't halve: your shares add up to 2. Divide by the "
            "number of labels, which is twice the number of items.",
        ),
        Mistake(
            "equal categories",
            lambda given: _s(shares(given)),
            "You used 1/K as chance: this is the coefficient S. In pi chance comes from how often "
            "each category was used.",
        ),
    ),
)

AC1 = Number(
    id="2.2",
    title="Gwet's AC1",
    given="2.1",
    solve=lambda given: _ac1(shares(given)),
    mistakes=(
        Mistake(
            "Scott's pi",
            lambda given: _pi(shares(given)),
            "This is Scott's pi, with q times q. In AC1 it is q times (1 - q).",
        ),
        Mistake(
            "not divided by K - 1",
            lambda given: _beyond(shares(given), _spread(shares(given))),
            "You added up q (1 - q), but didn't divide by K - 1. With two categories it makes no "
            "difference; with three it does.",
        ),
        Mistake(
            "K for K - 1",
            lambda given: _beyond(shares(given), _spread(shares(given)) / len(CATEGORIES)),
            "You divided by K. Gwet divides by K - 1, so that A_e is 1/K at equal shares.",
        ),
    ),
)


def _random_counts(rng: np.random.Generator) -> list[tuple[NDArray[np.int64]]]:
    """Draw how often each category was given to each item, with one number of labels in each."""
    cases = []
    for n_items, n_labels, n_categories in ((4, 3, 2), (6, 3, 3), (20, 4, 3), (40, 6, 5)):
        share = rng.dirichlet(np.full(n_categories, 4.0))
        truth = rng.permutation(np.arange(n_items) % n_categories)
        of_item = 0.5 * np.eye(n_categories)[truth] + 0.5 * share
        cases.append((rng.multinomial(n_labels, of_item),))
    return cases


def _fleiss(
    counts: NDArray[np.int64], item_agreement: NDArray[np.float64], chance: float | None = None
) -> float:
    """Return a coefficient from the agreement of the items; chance is Fleiss' by default."""
    q = counts.sum(axis=0) / counts.sum()
    return corrected(float(item_agreement.mean()), float(q @ q) if chance is None else chance)


def _by_pairs(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    n = counts.sum(axis=1)
    return np.asarray((counts * (counts - 1)).sum(axis=1) / (n * (n - 1)))


def _without_replacement(counts: NDArray[np.int64]) -> float:
    n, of_category = counts.sum(), counts.sum(axis=0)
    return float((of_category * (of_category - 1)).sum() / (n * (n - 1)))


FLEISS = Function(
    id="2.3",
    title="Fleiss' kappa",
    signature="fleiss_kappa(counts)",
    reference=lambda counts: fleiss_kappa(Annotations.from_counts(counts)).estimate,
    inputs=_random_counts,
    properties=(
        Property(
            "perfect agreement",
            lambda function, counts: same(
                function(counts.sum(axis=1)[0] * np.eye(counts.shape[1], dtype=int)), 1
            ),
            "If every item has labels of one category only, and the categories differ, kappa "
            "must be 1.",
        ),
        Property(
            "every item twice",
            lambda function, counts: same(function(np.vstack([counts] * 2)), function(counts)),
            "Fleiss' kappa must not change if every item is there twice.",
        ),
    ),
    mistakes=(
        Mistake(
            "a label with itself",
            lambda counts: _fleiss(
                counts, (counts**2).sum(axis=1) / counts.sum(axis=1).astype(float) ** 2
            ),
            "You squared the counts, so that each label is also compared with itself, which always "
            "agrees. An item with n labels has n (n - 1) pairs, and n_k (n_k - 1) of them agree in "
            "category k.",
        ),
        Mistake(
            "unanimous items",
            lambda counts: _fleiss(counts, counts.max(axis=1) == counts.sum(axis=1)),
            "You counted the items on which all agree. Observed agreement is that of two labels "
            "drawn from an item: partial agreement counts in part.",
        ),
        Mistake(
            "share of the majority",
            lambda counts: _fleiss(counts, counts.max(axis=1) / counts.sum(axis=1)),
            "You took the share of the most frequent label. Observed agreement is the share of "
            "pairs of labels that agree.",
        ),
        Mistake(
            "not divided",
            lambda counts: (
                _by_pairs(counts).mean() - (counts.sum(axis=0) ** 2).sum() / counts.sum() ** 2
            ),
            "You return observed minus expected agreement. Divide it by 1 minus expected "
            "agreement.",
        ),
        Mistake(
            "observed agreement",
            lambda counts: _by_pairs(counts).mean(),
            "You return the observed agreement. Kappa corrects it for what chance would give.",
        ),
        Mistake(
            "equal categories",
            lambda counts: _fleiss(counts, _by_pairs(counts), 1 / counts.shape[1]),
            "You used 1/K as the expected agreement. In Fleiss' kappa it comes from how often "
            "each category was given.",
        ),
        Mistake(
            "Krippendorff's alpha",
            lambda counts: _fleiss(counts, _by_pairs(counts), _without_replacement(counts)),
            "Your expected agreement draws two labels without replacement: this is Krippendorff's "
            "alpha. Fleiss squares the shares.",
        ),
    ),
)


def _missing(rng: np.random.Generator) -> dict[str, Any]:
    """Draw eight items and three annotators; item 7 lacks one label, item 8 has one alone."""
    while True:
        truth = rng.permutation(["yes"] * 4 + ["no"] * 4)
        other = np.where(truth == "yes", "no", "yes")
        labels = np.where(rng.random((3, 8)) < 0.85, truth, other).T.astype(object)
        labels[6, rng.integers(3)] = ""
        labels[7] = np.where(np.arange(3) == rng.integers(3), labels[7], "")
        labels[rng.integers(6), rng.integers(3)] = ""
        if min((labels[:6] == "yes").sum(), (labels[:6] == "no").sum()) >= 4:
            items = [f"item {i}" for i in range(1, 9)]
            annotators = [f"annotator {j}" for j in range(1, 4)]
            return {"labels": pd.DataFrame(labels, index=items, columns=annotators)}


def _items(given: Given) -> list[list[str]]:
    """Return the labels that each item has."""
    return [[label for label in row if label] for row in given["labels"].to_numpy()]


def _alpha(
    items: Sequence[Sequence[str]],
    *,
    weighted: bool = True,
    replacement: bool = False,
    others: Sequence[str] = (),
) -> float:
    """Return nominal alpha of items' labels; the options are the usual mistakes.

    Without `weighted` all pairs count the same; with `replacement` a label is also paired with
    itself in expected disagreement, in which the labels `others` count besides.
    """
    pairs = [
        (one == other, 1 / (len(labels) - 1) if weighted else 1.0)
        for labels in items
        for one, other in itertools.permutations(labels, 2)
    ]
    agreement = sum(equal * weight for equal, weight in pairs) / sum(w for _, w in pairs)
    pairable = [label for labels in items if len(labels) > 1 for label in labels] + list(others)
    n = np.array([pairable.count(label) for label in set(pairable)])
    chance = (n * (n - (not replacement))).sum() / (n.sum() * (n.sum() - (not replacement)))
    return corrected(agreement, float(chance))


ALPHA = Number(
    id="2.4",
    title="Alpha with missing labels",
    given=_missing,
    solve=lambda given: krippendorff_alpha(Annotations.from_wide(given["labels"])).estimate,
    mistakes=(
        Mistake(
            "missing as a category",
            lambda given: _alpha(given["labels"].replace("", "missing").to_numpy().tolist()),
            "You treated 'missing' as a third category. That two annotators both skipped an item "
            "is no agreement about it: a missing label is no label.",
        ),
        Mistake(
            "complete items only",
            lambda given: _alpha([labels for labels in _items(given) if len(labels) == 3]),
            "You used only the items with three labels. An item with two labels has a pair, and "
            "alpha uses it.",
        ),
        Mistake(
            "with replacement",
            lambda given: _alpha(_items(given), replacement=True),
            "Your expected disagreement is 1 minus the sum of squared shares: labels drawn with "
            "replacement. Krippendorff draws the second label from the others: N (N - 1) pairs.",
        ),
        Mistake(
            "single labels counted",
            lambda given: _alpha(
                _items(given),
                others=[labels[0] for labels in _items(given) if len(labels) == 1],
            ),
            "You counted the label of the item that has only one. It can't be paired with any "
            "other, so it belongs neither to D_o nor to D_e.",
        ),
        Mistake(
            "all pairs alike",
            lambda given: _alpha(_items(given), weighted=False),
            "You gave every pair the same weight. An item with three labels has six ordered pairs "
            "and one with two has two; the weight 1 / (m - 1) lets every label count the same.",
        ),
    ),
)

CROWD = Choice(
    id="2.5",
    title="A crowd",
    options={
        "alpha": "Krippendorff's alpha (or Fleiss' kappa for unequal numbers of labels).",
        "cohen": "Cohen's kappa of every pair of workers, averaged.",
        "conger": "Conger's kappa: it generalises Cohen's kappa to many annotators.",
        "complete": "Observed agreement of the items that have all five labels.",
        "highest": "AC1, as it is the highest of them on these labels.",
    },
    right="alpha",
    reasons={
        "alpha": "Both treat the workers as interchangeable, which is what a crowd is, and both "
        "use every item with two labels or more.",
        "cohen": "Most pairs of workers share no item or very few, so their kappas are undefined "
        "or nearly random; the mean of such numbers says little.",
        "conger": "It needs the margin of each worker. Here these margins come from a handful of "
        "different items each, so a worker's habit can't be distinguished from the items that "
        "happened to come up.",
        "complete": "It isn't corrected for chance, and items that lost a label may be the "
        "difficult ones: leaving them out overestimates agreement.",
        "highest": "A coefficient is chosen by what chance means for the annotators, before its "
        "value is known.",
    },
)

PROGRAMS = Choice(
    id="2.6",
    title="Two programs, two values of S",
    options={
        "offered": "One counts the three categories that were offered, the other the two that "
        "occur.",
        "margins": "One pools the margins of the two annotators for chance agreement, the other "
        "keeps them apart.",
        "correction": "One divides by n, the other by n - 1.",
        "missing": "One treats missing labels as a category of their own.",
    },
    right="offered",
    reasons={
        "offered": "Chance is 1/K, so S depends on a number that isn't in the labels: with K = 3 "
        "it is 0.55, with K = 2 it is 0.40. The annotators could have chosen all three, and that "
        "is what the authors of S mean.",
        "margins": "S doesn't look at margins at all: its chance is the same for all labels.",
        "correction": "S has no such correction. And one divided by 20 or by 19 is a much smaller "
        "difference than this.",
        "missing": "No label is missing here.",
    },
)


def _random_sets(rng: np.random.Generator) -> list[tuple[NDArray[np.bool_]]]:
    """Draw which categories each annotator chose for an item, shapes (J, C)."""
    shapes = ((2, 3), (3, 4), (3, 6), (4, 5), (5, 6))
    cases = []
    for n_annotators, n_categories in shapes:
        common = rng.random(n_categories) < 0.4
        flipped = rng.random((n_annotators, n_categories)) < 0.3
        cases.append((common ^ flipped,))
    return cases


def _over_pairs(chosen: Any, agree: Any) -> float:
    """Average what pairs of annotators agree on."""
    pairs = itertools.combinations(np.asarray(chosen), 2)
    return float(np.mean([agree(one, other) for one, other in pairs]))


def _on_category_pairs(combinations_agree: Any) -> Any:
    """Make a function of two annotators' choices of one of two categories of each."""

    def agree(one: Any, other: Any) -> float:
        pairs = itertools.combinations(range(len(one)), 2)
        return float(
            np.mean([combinations_agree((one[a], one[b]), (other[a], other[b])) for a, b in pairs])
        )

    return agree


def _library_item_agreement(chosen: Any) -> float:
    form = PairedForm(np.asarray(chosen, dtype=bool)[None], None, 3)
    return float(1 - form.item_disagreement[0])


ITEM = Function(
    id="2.7",
    title="Agreement on the sets of one item",
    signature="item_agreement(chosen)",
    reference=_library_item_agreement,
    inputs=_random_sets,
    properties=(
        Property(
            "equal sets",
            lambda function, chosen: same(function(np.repeat(chosen[:1], 3, axis=0)), 1),
            "If all annotators chose the same set, the agreement must be 1.",
        ),
        Property(
            "complement",
            lambda function, chosen: same(function(~chosen), function(chosen)),
            "Leaving a category out counts as much as choosing it: exchanging yes and no "
            "everywhere must change nothing.",
        ),
    ),
    mistakes=(
        Mistake(
            "whole sets",
            lambda chosen: _over_pairs(chosen, lambda one, other: (one == other).all()),
            "You compared whole sets: all or nothing. Compare pairs of categories, so that sets "
            "that differ in one category agree in part.",
        ),
        Mistake(
            "single categories",
            lambda chosen: _over_pairs(chosen, lambda one, other: (one == other).mean()),
            "You compared category by category. The paper compares pairs of categories: the two "
            "annotators must give both categories of the pair alike.",
        ),
        Mistake(
            "absence not counted",
            lambda chosen: _over_pairs(
                chosen, _on_category_pairs(lambda one, other: one == other and any(one))
            ),
            "You left out the pairs of which both annotators chose neither category. In the paper "
            "that is agreement, too.",
        ),
        Mistake(
            "order ignored",
            lambda chosen: _over_pairs(
                chosen, _on_category_pairs(lambda one, other: sum(one) == sum(other))
            ),
            "You counted [0 1] and [1 0] as agreement: one annotator chose the first category, the "
            "other the second. That is disagreement (the paper pools the two only in chance).",
        ),
    ),
)


def _independent(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "probability": float(rng.choice([0.2, 0.25, 0.3, 0.35, 0.4])),
        "n_items": 2000,
        "n_annotators": 3,
        "n_categories": 4,
    }


def _agreements(given: Given) -> tuple[float, float, float]:
    """Return P_o, and P_e with three and four combinations, of independent annotators."""
    p = given["probability"]
    q = 1 - p
    both = (p**2 + q**2) ** 2
    return both, p**4 + 4 * p**2 * q**2 + q**4, both


def _independent_interval(given: Given) -> tuple[float, float]:
    """Return what A_m of independent annotators leaves once in 10,000 simulations.

    A pair of annotators agrees on a category with probability p^2 + (1 - p)^2 and on two of them
    with its square, P_o. The paper's expected agreement pools [0 1] and [1 0], which both give with
    probability 2 p (1 - p): P_e = p^4 + (2 p (1 - p))^2 + (1 - p)^4. So A_m tends to
    (P_o - P_e) / (1 - P_e) = -2 p^2 (1 - p)^2 / (1 - P_e).

    An item has one of 2^(3 x 4) outcomes with known probabilities w. A_m is a smooth function of
    the shares of these outcomes, with the influence value d of each, so that its variance is the
    sum of w d^2 over the number of items (delta method); the limits are 3.89 standard errors to
    both sides. The bias, of the order of 1/n, is below a tenth of a standard error.
    """
    size = given["n_annotators"], given["n_categories"]
    return _limits(given["probability"], given["n_items"], size)


@cache
def _limits(p: float, n_items: int, size: tuple[int, int]) -> tuple[float, float]:
    from scipy.stats import norm

    outcomes = np.array(list(itertools.product([False, True], repeat=math.prod(size))))
    weight = np.where(outcomes, p, 1 - p).prod(axis=1)
    form = PairedForm(outcomes.reshape(-1, *size), None, 3)
    rows = np.asarray(form.rows)
    totals = weight @ rows
    influence = form.value(totals + 1e-30j * rows).imag / 1e-30
    error = math.sqrt(weight @ influence**2 / n_items)
    centre, half = float(form.value(totals)), float(norm.isf(RISK / 2)) * error
    return centre - half, centre + half


INDEPENDENT = Simulation(
    id="2.8",
    title="A_m of annotators who don't look",
    given=_independent,
    interval=_independent_interval,
    mistakes=(
        Mistake(
            "four combinations",
            lambda given: 0.0,
            "This is about 0, what chance correction should give: A_m with four combinations, or "
            "another coefficient. Take A_m as published (`combinations=3`, the default).",
        ),
        Mistake(
            "observed agreement",
            lambda given: _agreements(given)[0],
            "This is the observed agreement. Give A_m itself: the field `estimate`.",
        ),
        Mistake(
            "expected agreement",
            lambda given: _agreements(given)[1],
            "This is the expected agreement. Give A_m itself: the field `estimate`.",
        ),
        Mistake(
            "one set for all",
            lambda given: 1.0,
            "This is perfect agreement: all annotators got the same choices. Draw each one's own.",
        ),
    ),
)


def _attainable_agreements() -> list[float]:
    """List the values that P_i can have with three annotators and six categories.

    On a category all three agree or one dissents. If annotators 1, 2 and 3 dissent on a, b and c
    categories, the pair 1-2 differs on a + b of them, and agrees on the pairs of the others.
    """
    dissents = [d for d in itertools.product(range(7), repeat=3) if sum(d) <= 6]
    found = {
        sum(math.comb(6 - one - other, 2) for one, other in itertools.combinations(d, 2)) / 45
        for d in dissents
    }
    return sorted(found)


EDGES = (0.0, 0.2, 0.4, 0.7, 1.0)


def _classes(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the numbers of sentences in the classes of Bhowmick's Table 3."""
    counts = rng.multinomial(1000, rng.dirichlet([2, 6, 16, 50]))
    names = [f"{low} < P_i <= {high}" for low, high in itertools.pairwise(EDGES)]
    return {"classes": pd.DataFrame({"sentences": counts}, index=names)}


def _mean_of_classes(given: Given, of_class: Any) -> float:
    """Return the mean agreement if every sentence has the value that its class is given."""
    possible = _attainable_agreements()
    values = [
        of_class([v for v in possible if low < v <= high + 1e-9], low, high)
        for low, high in itertools.pairwise(EDGES)
    ]
    counts = given["classes"]["sentences"].to_numpy()
    return float(np.dot(values, counts) / counts.sum())


CLASSES = Number(
    id="2.10",
    title="How large can P_o be?",
    given=_classes,
    solve=lambda given: _mean_of_classes(given, lambda inside, low, high: max(inside)),
    mistakes=(
        Mistake(
            "ends of the classes",
            lambda given: _mean_of_classes(given, lambda inside, low, high: high),
            "You put every sentence at the upper end of its class. With three annotators and six "
            "categories P_i can't have all of these values: look at the list.",
        ),
        Mistake(
            "middles of the classes",
            lambda given: _mean_of_classes(given, lambda inside, low, high: (low + high) / 2),
            "You took the middle of each class: a guess at P_o, not its largest value.",
        ),
        Mistake(
            "smallest for largest",
            lambda given: _mean_of_classes(given, lambda inside, low, high: min(inside)),
            "You took the smallest value of each class: this is the smallest possible P_o.",
        ),
    ),
)


#: Bhowmick et al. (2008), Table 2, and Table 1.
PARTS = ("observed_agreement", "expected_agreement", "am")
TABLE_2 = ((0.858, 0.526, 0.702), (0.868, 0.540, 0.713), (0.884, 0.531, 0.752))
TABLE_1 = (0.878, 0.534, 0.738)


def _table2(rng: np.random.Generator) -> dict[str, Any]:
    pairs = pd.DataFrame(TABLE_2, index=["1-2", "1-3", "2-3"], columns=list(PARTS))
    return {"table_2": pairs, "part": str(rng.choice(PARTS[:2]))}


PUBLISHED = Number(
    id="2.9",
    title="Table 1 from Table 2",
    given=_table2,
    solve=lambda given: float(given["table_2"][given["part"]].mean()),
    mistakes=(
        Mistake(
            "the printed value",
            lambda given: TABLE_1[PARTS.index(given["part"])],
            "This is what Table 1 prints. Compute it from the three rows of Table 2.",
        ),
        Mistake(
            "the median",
            lambda given: float(given["table_2"][given["part"]].median()),
            "This is the pair in the middle. Three annotators have the mean over the pairs.",
        ),
        Mistake(
            "the other part",
            lambda given: float(given["table_2"][PARTS[1 - PARTS.index(given["part"])]].mean()),
            "This is the mean of the other column: you mistook observed for expected agreement, or "
            "the other way round.",
        ),
        Mistake(
            "mean A_m",
            lambda given: float(given["table_2"]["am"].mean()),
            "This is the mean A_m of the pairs. The question asks for one of its parts.",
        ),
    ),
)

EXERCISES = [
    PI,
    AC1,
    FLEISS,
    ALPHA,
    CROWD,
    PROGRAMS,
    ITEM,
    INDEPENDENT,
    PUBLISHED,
    CLASSES,
]
