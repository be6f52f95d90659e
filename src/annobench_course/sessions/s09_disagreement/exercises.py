"""Exercises of session 9: disagreement with a reason, merging, soft labels, validity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.labels.annotations import Annotations
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

LESSON = Lesson(
    summary="Distinguish systematic disagreement from noise, decide on merging categories, score "
    "soft labels, and say why agreement is not validity.",
    needs=("01_chance", "02_family", "cross-validation by a test set"),
    data=(
        "ami_dialogue_acts",
        "ami_focus",
        "masc_crowd",
        "metaphor_discourse_binary",
    ),
    papers=("reidsma2008", "rumshisky2008", "baan2022", "weber2024"),
    worksheet=("9.1", "9.3", "9.5"),
    timing=(
        Part(15, "the worksheet; noise, and disagreement with a direction", ("9.2",)),
        Part(20, "classifiers inherit their annotator; context"),
        Part(20, "too many senses", ("9.4",)),
        Part(20, "soft labels", ("9.7",)),
        Part(15, "agreement is not validity", ("9.9",)),
    ),
)

#: Items of the simulation, and how many standard errors a right result may be off: a normal
#: distribution leaves 4.2 of them less than 3 times in 10^5.
ITEMS, STANDARD_ERRORS = 100_000, 4.2

# ------------------------------------------------------------------------- one-sided or not


def _decisions(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the decisions of two annotators, of whom the first says yes more often."""
    cells = [
        [int(rng.integers(60, 120)), int(rng.integers(22, 40))],
        [int(rng.integers(5, 20)), int(rng.integers(60, 120))],
    ]
    return {
        "table": pd.DataFrame(
            cells,
            index=pd.Index(["yes", "no"], name="annotator A"),
            columns=pd.Index(["yes", "no"], name="annotator B"),
        )
    }


def _cells(given: Given) -> Floats:
    return np.asarray(given["table"], dtype=np.float64)


def _mcnemar(given: Given) -> float:
    (_, b), (c, _) = _cells(given)
    return float((b - c) ** 2 / (b + c))


def _mcnemar_corrected(given: Given) -> float:
    (_, b), (c, _) = _cells(given)
    return float((abs(b - c) - 1) ** 2 / (b + c))


def _mcnemar_of_all(given: Given) -> float:
    (_, b), (c, _) = _cells(given)
    return float((b - c) ** 2 / _cells(given).sum())


def _mcnemar_of_agreements(given: Given) -> float:
    (a, _), (_, d) = _cells(given)
    return float((a - d) ** 2 / (a + d))


def _mcnemar_root(given: Given) -> float:
    (_, b), (c, _) = _cells(given)
    return float(abs(b - c) / math.sqrt(b + c))


ONE_SIDED = Number(
    id="9.1",
    title="One-sided disagreement",
    given=_decisions,
    solve=_mcnemar,
    digits=2,
    mistakes=(
        Mistake(
            "all items for disagreements",
            _mcnemar_of_all,
            "You divided by all items. Items on which the two agree say nothing about the "
            "direction of their disagreements: divide by the number of disagreements.",
        ),
        Mistake(
            "agreements",
            _mcnemar_of_agreements,
            "These are the cells on the diagonal, on which the two agree. A direction shows in "
            "the other two.",
        ),
        Mistake(
            "difference not squared",
            lambda given: float(
                math.sqrt(_mcnemar(given) / (_cells(given) * [[0, 1], [1, 0]]).sum())
            ),
            "This is the difference of the two disagreements as a share of both. Square the "
            "difference before you divide.",
        ),
        Mistake(
            "not squared",
            _mcnemar_root,
            "This is the square root of the statistic, a z value. It may be compared with 1.96, "
            "but the statistic asked for is its square.",
        ),
        Mistake(
            "continuity correction",
            _mcnemar_corrected,
            "This is the statistic with a continuity correction, which subtracts 1 from the "
            "difference. The formula in the text has none.",
        ),
    ),
)

WHICH_UNIT = Choice(
    id="9.2",
    title="What to exchange",
    options={
        "meetings": "Exchange the annotators among whole meetings, many times, and see how often "
        "chance makes the difference as large.",
        "utterances": "Exchange the annotators among single utterances, many times, and see how "
        "often chance makes the difference as large.",
        "chi square": "A chi-square test of the table of annotators by categories, in which each "
        "utterance counts once.",
        "kappa": "Cohen's kappa between VK and DH, with its standard error.",
    },
    right="meetings",
    reasons={
        "meetings": "Whole meetings were assigned to annotators, so whole meetings are what has "
        "to be permuted.",
        "utterances": "Utterances of one meeting resemble each other: some groups chat, some "
        "decide. Exchanged one by one, they make any two annotators of different meetings "
        "look different.",
        "chi square": "The test treats utterances as independent. Those of one meeting are not, "
        "and all of a meeting have the same annotator, so that the test finds a difference too "
        "easily.",
        "kappa": "Kappa needs items that both labelled. In the release every meeting has one "
        "annotator.",
    },
)

# ------------------------------------------------------------------------------ merging


def _senses(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the table of two annotators who confuse the first two of three senses."""
    cells = [
        [rng.integers(25, 45), rng.integers(12, 24), rng.integers(1, 6)],
        [rng.integers(12, 24), rng.integers(25, 45), rng.integers(1, 6)],
        [rng.integers(1, 6), rng.integers(1, 6), rng.integers(20, 40)],
    ]
    senses = ["stay", "expect", "serve"]
    return {
        "table": pd.DataFrame(
            np.array(cells, dtype=np.int64),
            index=pd.Index(senses, name="annotator A"),
            columns=pd.Index(senses, name="annotator B"),
        )
    }


def _merged(counts: Floats) -> Floats:
    """Add up the first two rows and columns of a table."""
    to = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    return np.asarray(to.T @ counts @ to)


def _agreements(counts: Floats) -> tuple[float, float]:
    """Return observed and expected agreement of a table of counts."""
    p = counts / counts.sum()
    return float(np.trace(p)), float(p.sum(axis=1) @ p.sum(axis=0))


def _kappa(observed: float, expected: float) -> float:
    return (observed - expected) / (1 - expected)


def _old_expectation(given: Given) -> float:
    observed, _ = _agreements(_merged(_cells(given)))
    _, expected = _agreements(_cells(given))
    return _kappa(observed, expected)


def _left_out_confusions(given: Given) -> float:
    """Return kappa if the labels that the merge makes equal are still counted as different."""
    observed, _ = _agreements(_cells(given))
    _, expected = _agreements(_merged(_cells(given)))
    return _kappa(observed, expected)


MERGED_KAPPA = Number(
    id="9.3",
    title="Kappa after a merge",
    given=_senses,
    solve=lambda given: _kappa(*_agreements(_merged(_cells(given)))),
    digits=3,
    mistakes=(
        Mistake(
            "before the merge",
            lambda given: _kappa(*_agreements(_cells(given))),
            "This is kappa of the three senses. Merge the first two, and compute it again.",
        ),
        Mistake(
            "observed agreement",
            lambda given: _agreements(_merged(_cells(given)))[0],
            "This is the observed agreement after the merge. Chance agreement rises with it: "
            "subtract the new expected agreement.",
        ),
        Mistake(
            "observed agreement before",
            lambda given: _agreements(_cells(given))[0],
            "This is the observed agreement of the three senses. Merge the first two, and correct "
            "for chance.",
        ),
        Mistake(
            "old expected agreement",
            _old_expectation,
            "The observed agreement is that of the merged senses, but the expected one is still "
            "that of three. A larger category is hit by chance more often.",
        ),
        Mistake(
            "confusions still disagree",
            _left_out_confusions,
            "You added up the diagonal of the old table. Labels 'stay' against 'expect' are now in "
            "one category, and agree.",
        ),
    ),
)

MERGE_EVIDENCE = Choice(
    id="9.4",
    title="Evidence for a merge",
    options={
        "beyond random": "On other items alpha rises more than after any other merge.",
        "observed": "Observed agreement rises.",
        "threshold": "Alpha rises above the threshold that the field asks for in its guidelines.",
        "certain": "More items have a category that is certain.",
    },
    right="beyond random",
    reasons={
        "beyond random": "The comparison with other merges removes the effect of any merge, and "
        "the held-out items remove the luck of having chosen the best. Few bits should be lost.",
        "observed": "Observed agreement rises, or stays, after any merge: labels that were equal "
        "stay equal.",
        "threshold": "That says that the coarse categories are reliable. Two categories that "
        "annotators distinguish well could have been merged for it, and a distinction lost.",
        "certain": "Two probabilities of an item are added up by any merge, so that certainty can "
        "only grow.",
    },
)

# --------------------------------------------------------------------------- soft labels


def _label_columns(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    """Draw columns of items and labels; items have different numbers of labels, at least one."""
    inputs = []
    for n_items, n_categories in ((2, 2), (4, 2), (6, 3), (12, 4)):
        sizes = rng.permutation(np.arange(n_items) % 4 + 2)
        item = np.repeat(np.arange(n_items), sizes)
        label = rng.integers(0, n_categories, item.size)
        order = rng.permutation(item.size)
        inputs.append((item[order], label[order], n_items, n_categories))
    return inputs


def _soft_labels(
    item: NDArray[np.int64], label: NDArray[np.int64], n_items: int, n_categories: int
) -> Floats:
    """Return the shares of votes, by the library's voting."""
    from annobench.models import voting

    labels = Annotations.from_arrays(
        item, np.arange(len(item)), label, items=range(n_items), categories=range(n_categories)
    )
    return voting.fit(labels).posterior


def _counted(item: Any, label: Any, n_items: int, n_categories: int) -> Floats:
    counts = np.zeros((n_items, n_categories))
    np.add.at(counts, (item, label), 1)
    return counts


def _counted_once(item: Any, label: Any, n_items: int, n_categories: int) -> Floats:
    seen = np.zeros((n_items, n_categories))
    seen[item, label] += 1
    return np.asarray(seen / seen.sum(axis=1, keepdims=True))


def _most_frequent(*columns: Any) -> Floats:
    counts = _counted(*columns)
    best = counts == counts.max(axis=1, keepdims=True)
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def _by_category(*columns: Any) -> Floats:
    counts = _counted(*columns)
    return np.asarray(counts / np.maximum(counts.sum(axis=0), 1))


def _by_largest(*columns: Any) -> Floats:
    counts = _counted(*columns)
    return np.asarray(counts / counts.sum(axis=1).max())


def _sums_to_one(soft_labels: Any, *columns: Any) -> bool:
    return bool(np.allclose(np.sum(soft_labels(*columns), axis=1), 1))


def _without_order(soft_labels: Any, item: Any, label: Any, *sizes: int) -> bool:
    return bool(
        np.allclose(
            soft_labels(np.array(item), np.array(label), *sizes),
            soft_labels(np.array(item)[::-1], np.array(label)[::-1], *sizes),
        )
    )


SOFT_LABELS = Function(
    id="9.5",
    title="Soft labels",
    signature="soft_labels(item, label, n_items, n_categories)",
    reference=_soft_labels,
    inputs=_label_columns,
    properties=(
        Property(
            "rows sum to 1",
            _sums_to_one,
            "The shares of an item must sum to 1, whatever the number of its labels is.",
        ),
        Property(
            "order of the labels",
            _without_order,
            "The same labels in another order must give the same shares.",
        ),
    ),
    mistakes=(
        Mistake(
            "counts",
            _counted,
            "These are counts. Items have different numbers of labels: divide each row by its sum.",
        ),
        Mistake(
            "repeated cells counted once",
            _counted_once,
            "counts[item, label] += 1 counts a cell once only, however often it stands in the "
            "arrays. np.add.at(counts, (item, label), 1) counts them all.",
        ),
        Mistake(
            "majority",
            _most_frequent,
            "This gives everything to the most frequent label. A soft label keeps the shares of "
            "the others.",
        ),
        Mistake(
            "majority, ties to the first",
            lambda *columns: np.eye(columns[3])[_counted(*columns).argmax(axis=1)],
            "This gives everything to one of the most frequent labels, the first where there are "
            "several. A soft label keeps the shares of the others.",
        ),
        Mistake(
            "columns for rows",
            _by_category,
            "You divided by the sum of each category. Then an item's numbers are its part of the "
            "category, and don't sum to 1; divide by the sum of each item.",
        ),
        Mistake(
            "one number of labels for all",
            _by_largest,
            "You divided by the largest number of labels of any item. Items with fewer labels then "
            "sum to less than 1.",
        ),
    ),
)


def _distributions(rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Draw observed shares, some of them 0 in the larger inputs, and predicted ones above 0."""
    pairs = []
    for n_items, n_categories in ((1, 2), (3, 2), (5, 3), (20, 4)):
        target = rng.multinomial(5, rng.dirichlet(np.ones(n_categories)), size=n_items) / 5
        target = target * 0.8 + 0.2 / n_categories if n_items < 5 else target
        predicted = rng.dirichlet(np.full(n_categories, 4.0), size=n_items)
        predicted = 0.98 * predicted + 0.02 / n_categories
        pairs.append((target, predicted))
    return pairs


def _cross_entropy(target: ArrayLike, predicted: ArrayLike) -> float:
    """Return the mean over items of the expected bits that the prediction needs for a label."""
    return float(-(np.asarray(target) * np.log2(predicted)).sum(axis=1).mean())


def _swapped(target: ArrayLike, predicted: ArrayLike) -> float:
    logarithms = np.log2(np.maximum(target, 1e-12))
    return float(-(np.asarray(predicted) * logarithms).sum(axis=1).mean())


def _relative_entropy(target: ArrayLike, predicted: ArrayLike) -> float:
    """Return the cross-entropy minus the entropy of the target; a share of 0 adds nothing."""
    p = np.asarray(target)
    ratios = np.where(p > 0, p, 1) / np.where(p > 0, predicted, 1)
    return float((p * np.log2(ratios)).sum(axis=1).mean())


def _least_at_target(cross_entropy: Any, target: Floats, predicted: Floats) -> bool:
    smoothed = 0.9 * target + 0.1 / target.shape[1]
    return bool(cross_entropy(smoothed, smoothed) <= cross_entropy(smoothed, predicted) + 1e-6)


CROSS_ENTROPY = Function(
    id="9.6",
    title="Cross-entropy of soft labels",
    signature="cross_entropy(target, predicted)",
    reference=_cross_entropy,
    inputs=_distributions,
    properties=(
        Property(
            "least at the target",
            _least_at_target,
            "The best prediction of a distribution is the distribution itself; with yours another "
            "one scores better.",
        ),
    ),
    mistakes=(
        Mistake(
            "target and prediction exchanged",
            lambda target, predicted: -(predicted * np.log2(target)).sum(axis=1).mean(),
            "You took the logarithm of the observed shares. Of these, some are 0. What is scored "
            "is the prediction: its logarithm, weighted by the observed shares.",
        ),
        Mistake(
            "exchanged, with zeros avoided",
            _swapped,
            "You took the logarithm of the observed shares, with zeros replaced. What is scored is "
            "the prediction: its logarithm, weighted by the observed shares.",
        ),
        Mistake(
            "minus sign",
            lambda target, predicted: -_cross_entropy(target, predicted),
            "The minus sign is missing: logarithms of probabilities are negative.",
        ),
        Mistake(
            "entropy of the target",
            lambda target, predicted: _cross_entropy(target, target),
            "This is the entropy of the observed shares; the prediction doesn't enter. Take the "
            "logarithm of the prediction.",
        ),
        Mistake(
            "relative entropy",
            _relative_entropy,
            "This is the relative entropy (Kullback and Leibler), the cross-entropy minus the "
            "entropy of the observed shares. Take the logarithm of the prediction alone.",
        ),
        Mistake(
            "relative entropy, undefined at 0",
            lambda target, predicted: (target * np.log2(target / predicted)).sum(axis=1).mean(),
            "This is the relative entropy, which also takes the logarithm of observed shares, of "
            "which some are 0. Take the logarithm of the prediction alone.",
        ),
        Mistake(
            "natural logarithm",
            lambda target, predicted: _cross_entropy(target, predicted) * math.log(2),
            "This is in nats. For bits take the logarithm to base 2.",
        ),
        Mistake(
            "sum for mean",
            lambda target, predicted: _cross_entropy(target, predicted) * len(target),
            "This is the sum over the items. Take their mean, so that data sets of different sizes "
            "compare.",
        ),
        Mistake(
            "mean over all cells",
            lambda target, predicted: _cross_entropy(target, predicted) / np.shape(target)[1],
            "You took the mean over items and categories. Within an item the categories are "
            "summed: that is the expectation.",
        ),
    ),
)


def _divided_opinion(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the share of a population that says yes, and how many of them are asked."""
    return {
        "share_yes": float(rng.choice([0.3, 0.35, 0.4, 0.6, 0.65, 0.7])),
        "n_annotators": int(rng.integers(3, 6)),
        "n_items": ITEMS,
    }


def _around(p: float, n: int) -> tuple[float, float]:
    half = STANDARD_ERRORS * math.sqrt(p * (1 - p) / n)
    return p - half, p + half


def _unanimous(given: Given) -> tuple[float, float]:
    """Return 4.2 standard errors either side, beyond which is a share of 3 in 10^5.

    Each of m annotators says yes with probability p, independently, so that an item is unanimous
    with probability p^m + (1 - p)^m; the number of unanimous items is binomial, and of so many
    items normal but for less than the margin.
    """
    p, m = given["share_yes"], given["n_annotators"]
    return _around(p**m + (1 - p) ** m, given["n_items"])


UNANIMOUS = Simulation(
    id="9.7",
    title="Unanimous by luck",
    given=_divided_opinion,
    interval=_unanimous,
    mistakes=(
        Mistake(
            "all yes only",
            lambda given: _around(given["share_yes"] ** given["n_annotators"], given["n_items"]),
            "You counted the items on which everybody says yes. Everybody saying no looks just as "
            "unanimous.",
        ),
        Mistake(
            "all no only",
            lambda given: _around(
                (1 - given["share_yes"]) ** given["n_annotators"], given["n_items"]
            ),
            "You counted the items on which everybody says no. Everybody saying yes looks just as "
            "unanimous.",
        ),
        Mistake(
            "disputed for unanimous",
            lambda given: _around(
                1
                - given["share_yes"] ** given["n_annotators"]
                - (1 - given["share_yes"]) ** given["n_annotators"],
                given["n_items"],
            ),
            "This is the share of items on which somebody disagrees.",
        ),
        Mistake(
            "one answer for all annotators",
            lambda given: 1.0,
            "All items are unanimous: did you draw one answer for an item, and give it to all "
            "annotators? Each annotator is a person drawn from the population.",
        ),
    ),
)

# ------------------------------------------------------------------------------ validity


def _agreement_of_two(rng: np.random.Generator) -> dict[str, Any]:
    n_items = int(rng.choice([150, 200, 250, 300, 400]))
    return {"n_items": n_items, "n_agree": int(n_items * rng.uniform(0.62, 0.94))}


def _share(given: Given) -> float:
    return float(given["n_agree"] / given["n_items"])


HIGHEST_ACCURACY = Number(
    id="9.8",
    title="What agreement says about accuracy",
    given=_agreement_of_two,
    solve=lambda given: (1 + _share(given)) / 2,
    digits=3,
    mistakes=(
        Mistake(
            "agreement for accuracy",
            _share,
            "This is the observed agreement. Where the two differ one of them may be right, so "
            "that their mean accuracy can be higher.",
        ),
        Mistake(
            "independent errors",
            lambda given: (1 + math.sqrt(2 * _share(given) - 1)) / 2,
            "This is the accuracy of two equally good annotators whose errors on two categories "
            "are independent. Nothing says that they are: the question asks for the largest that "
            "is possible.",
        ),
        Mistake(
            "one of the two",
            lambda given: 1.0,
            "One of them may be right everywhere, but then the other is wrong wherever they "
            "differ. The question asks for the mean of the two.",
        ),
        Mistake(
            "lower bound",
            lambda given: (1 - _share(given)) / 2,
            "With two categories this is the lowest possible mean accuracy: both are wrong where "
            "they agree. It is also the smallest possible mean share of errors. The question "
            "asks for the highest accuracy.",
        ),
        Mistake(
            "lower bound, many categories",
            lambda given: 0.0,
            "With more than two categories both may be wrong everywhere: 0 is the lowest possible "
            "mean accuracy. The question asks for the highest.",
        ),
    ),
)

VALIDITY = Choice(
    id="9.9",
    title="Higher agreement",
    options={
        "not known": "More reliable labels. Whether they are nearer to the truth is open.",
        "valid": "The labels are more accurate, since alpha rose.",
        "worse": "The labels are worse: unclear cases do not exist any more.",
        "users": "Users of the labels will agree with them more often, since annotators do.",
    },
    right="not known",
    reasons={
        "not known": "A rule that all follow makes them agree, whether it is right or not. "
        "Compare a sample of both rounds with judgements that don't depend on the guidelines.",
        "valid": "Alpha compares annotators with each other. If the rule is wrong for unclear "
        "cases, both are now wrong in the same way, and alpha rises.",
        "worse": "They may be better, if unclear cases mostly are neutral. Agreement can't tell.",
        "users": "Users don't know the rule. They judge unclear cases as they did before.",
    },
)

EXERCISES: list[Exercise] = [
    ONE_SIDED,
    WHICH_UNIT,
    MERGED_KAPPA,
    MERGE_EVIDENCE,
    SOFT_LABELS,
    CROSS_ENTROPY,
    UNANIMOUS,
    HIGHEST_ACCURACY,
    VALIDITY,
]
