"""Exercises of session 9: disagreement with a reason, merging, soft labels, validity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.course.records import (
    Choice,
    Exercise,
    Function,
    Given,
    Lesson,
    Mistake,
    Number,
    Property,
    Simulation,
)
from annobench.course.texts import table
from annobench.labels.annotations import Annotations

Floats = NDArray[np.float64]

LESSON = Lesson(
    id="09_disagreement",
    title="When annotators differ for a reason",
    summary="Tell disagreement with a reason from noise, decide on merging categories, score soft "
    "labels, and say why agreement is not validity.",
    needs=("01_chance", "02_family", "cross-validation by a test set"),
    data=(
        "ami_dialogue_acts",
        "ami_focus",
        "masc_crowd",
        "metaphor_discourse_binary",
    ),
    papers=("reidsma2008", "rumshisky2008"),
    timing=(
        (20, "noise and reasons, with exercises 9.1 and 9.2"),
        (25, "Reidsma and op den Akker's tables, and context"),
        (15, "senses and merging, with exercises 9.3 and 9.4"),
        (20, "soft labels, with exercises 9.5 to 9.7"),
        (10, "validity, with exercises 9.8 and 9.9"),
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
    hint="Only the two cells off the diagonal count. If neither direction is preferred, their "
    "difference has variance b + c.",
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
            "This is the statistic with a continuity correction, which takes 1 off the "
            "difference. The formula in the text has none.",
        ),
    ),
    question=lambda given: (
        "Two annotators decide on the same items whether a speaker is dominant:\n\n"
        + table(
            given["table"].to_numpy().tolist(),
            rows=["A: yes", "A: no"],
            columns=["B: yes", "B: no"],
        )
        + "\n\nCompute McNemar's statistic (without continuity correction), to two decimals, and "
        "say whether the disagreement is one-sided at the level .05 (critical value 3.84)."
    ),
    solution="The difference of the two cells off the diagonal, squared, divided by their sum: "
    "{answer}. Beyond 3.84 one annotator says yes systematically more often.",
)

WHICH_UNIT = Choice(
    id="9.2",
    title="What to exchange",
    hint="What would differ between two annotators' labels even if they were one person?",
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
        "meetings": "Meetings were given to annotators as wholes, so wholes are what chance could "
        "have given to another annotator.",
        "utterances": "Utterances of one meeting resemble each other: some groups chat, some "
        "decide. Exchanged one by one, they make any two annotators of different meetings "
        "look different.",
        "chi square": "The test treats utterances as independent. Those of one meeting are not, "
        "and all of a meeting have the same annotator, so that the test finds a difference too "
        "easily.",
        "kappa": "Kappa needs items that both labelled. In the release every meeting has one "
        "annotator.",
    },
    question="Three annotators each labelled meetings of their own. One uses the category 'other' "
    "more than twice as often as another. How do you test that this is not the meetings?",
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
    hint="Write down the new table first: it has two rows and two columns, and the same total.",
    given=_senses,
    solve=lambda given: _kappa(*_agreements(_merged(_cells(given)))),
    digits=3,
    mistakes=(
        Mistake(
            "before the merge",
            lambda given: _kappa(*_agreements(_cells(given))),
            "This is kappa of the three senses. Merge the first two, and compute it anew.",
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
    question=lambda given: (
        "Two annotators labelled uses of *wait* with three senses:\n\n"
        + table(
            given["table"].to_numpy().tolist(),
            rows=["A: stay", "A: expect", "A: serve"],
            columns=["B: stay", "B: expect", "B: serve"],
        )
        + "\n\n'Stay' and 'expect' are merged into one sense. Compute Cohen's kappa after the "
        "merge, to three decimals."
    ),
    solution="Add up the first two rows and the first two columns, and compute observed and "
    "expected agreement of the new table of two by two: kappa is {answer}.",
)

MERGE_EVIDENCE = Choice(
    id="9.4",
    title="Evidence for a merge",
    hint="Which of these would also be seen after a senseless merge?",
    options={
        "beyond random": "On items that did not take part in choosing the merge, alpha rises by "
        "more than after merging any other pair, and few bits are lost.",
        "observed": "Observed agreement rises.",
        "threshold": "Alpha rises above the threshold that the field asks for.",
        "certain": "More items have a category that is certain.",
    },
    right="beyond random",
    reasons={
        "beyond random": "The comparison with other merges takes out what any merge does, and the "
        "held-out items take out the luck of having chosen the best.",
        "observed": "Observed agreement rises, or stays, after any merge: labels that were equal "
        "stay equal.",
        "threshold": "That says that the coarse categories are reliable. Two categories that "
        "annotators distinguish well could have been merged for it, and a distinction lost.",
        "certain": "Two probabilities of an item are added up by any merge, so that certainty can "
        "only grow.",
    },
    question="Which observation supports merging two categories?",
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
    hint="Count the labels of each item and category in an array of shape (n_items, n_categories); "
    "np.add.at(counts, (item, label), 1) does it in one line. Then divide each row by its sum.",
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


def _least_at_target(cross_entropy: Any, target: Floats, predicted: Floats) -> bool:
    smoothed = 0.9 * target + 0.1 / target.shape[1]
    return bool(cross_entropy(smoothed, smoothed) <= cross_entropy(smoothed, predicted) + 1e-9)


CROSS_ENTROPY = Function(
    id="9.6",
    title="Cross-entropy of soft labels",
    hint="For each item sum p log2 q over its categories, p observed and q predicted; then take "
    "the mean over the items, with a minus sign.",
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
            lambda target, predicted: (target * np.log2(target / predicted)).sum(axis=1).mean(),
            "This is the relative entropy, the cross-entropy less the entropy of the observed "
            "shares. Take the logarithm of the prediction alone.",
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
    hint="Draw an array of n_items by n_annotators of independent answers. Which rows are all yes, "
    "or all no?",
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
    hint="Go through the items: where the two agree, how many of them can be right at most? And "
    "where they differ?",
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
            "are independent. Nothing says that they are: asked is the largest that is possible.",
        ),
        Mistake(
            "one of the two",
            lambda given: 1.0,
            "One of them may be right everywhere, but then the other is wrong wherever they "
            "differ. Asked is the mean of the two.",
        ),
        Mistake(
            "half of the disagreement",
            lambda given: (1 - _share(given)) / 2,
            "This is the smallest possible mean share of errors. Asked is the share that is right.",
        ),
    ),
    question="Two annotators gave the same label to {n_agree} of {n_items} items. At most how "
    "large is the mean of their accuracies? And at least? Give the largest to three decimals.",
    solution="Where they agree both may be right, where they differ at most one: (1 + A_o) / 2 = "
    "{answer}. At least: 0, as both may be wrong on every item.",
)

VALIDITY = Choice(
    id="9.9",
    title="Higher agreement",
    hint="What did the sentence in the guidelines change: what annotators see, or what they write?",
    options={
        "not known": "The labels are more reliable. Whether they are closer to what they are to "
        "measure is not known: compare a sample of both rounds with judgements that don't rest on "
        "the guidelines.",
        "valid": "The labels are more accurate, since alpha rose.",
        "worse": "The labels are worse: unclear cases do not exist any more.",
        "users": "Users of the labels will agree with them more often, since annotators do.",
    },
    right="not known",
    reasons={
        "not known": "A rule that all follow makes them agree, whether it is right or not.",
        "valid": "Alpha compares annotators with each other. If the rule is wrong for unclear "
        "cases, both are now wrong in the same way, and alpha rises.",
        "worse": "They may be better, if unclear cases mostly are neutral. Agreement can't tell.",
        "users": "Users don't know the rule. They judge unclear cases as they did before.",
    },
    question="The guidelines of a task with low agreement get a new sentence, 'If unclear, choose "
    "neutral.' In the next round alpha is much higher. What follows?",
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

# ------------------------------------------------------------------------------ the exam


def _votes(rng: np.random.Generator) -> dict[str, Any]:
    n = int(rng.integers(8, 16))
    return {"n": n, "yes": int(rng.integers(2, n // 2))}


def _entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def _voting_classifier(rng: np.random.Generator) -> dict[str, Any]:
    return {"answered": int(rng.integers(50, 76)), "right": int(rng.integers(30, 46))}


BANK: list[Exercise] = [
    Number(
        id="9.B1",
        title="Entropy of a soft label",
        hint="Sum minus p log2 p over both categories.",
        given=_votes,
        solve=lambda given: _entropy(given["yes"] / given["n"]),
        mistakes=(
            Mistake(
                "nats",
                lambda given: _entropy(given["yes"] / given["n"]) * math.log(2),
                "This is in nats; bits take the logarithm to base 2.",
            ),
            Mistake(
                "one category",
                lambda given: -given["yes"] / given["n"] * math.log2(given["yes"] / given["n"]),
                "This is the term of one category; add that of the other.",
            ),
            Mistake(
                "not weighted",
                lambda given: -math.log2(given["yes"] / given["n"]),
                "This is the information of one label 'yes', not the mean over both.",
            ),
        ),
        question="Of {n} annotators {yes} call an item dominant. What is the entropy of its soft "
        "label in bits, to three decimals?",
        solution="With p = {yes}/{n}: minus p log2 p minus (1 - p) log2 (1 - p) = {answer}.",
    ),
    Number(
        id="9.B2",
        title="Precision of a classifier that abstains",
        hint="Of what are the right answers a share?",
        given=_voting_classifier,
        solve=lambda given: given["right"] / given["answered"],
        mistakes=(
            Mistake(
                "of all utterances",
                lambda given: given["right"] / 100,
                "This is the share of all utterances; it counts an abstention as an error.",
            ),
            Mistake(
                "product",
                lambda given: given["right"] * given["answered"] / 1e4,
                "The two shares are multiplied; the right answers are already a part of the "
                "answers given.",
            ),
            Mistake(
                "abstentions as right",
                lambda given: (given["right"] + 100 - given["answered"]) / 100,
                "This counts abstentions as right answers.",
            ),
        ),
        question="Three classifiers, each trained on the labels of one annotator, vote; where they "
        "differ, the vote gives no answer. It answers {answered} % of the utterances, and {right} "
        "% of all utterances get the right answer. What share of its answers is right? Give three "
        "decimals.",
        solution="{right} / {answered} = {answer}. Reidsma and op den Akker's voting classifier "
        "trades answers for precision in this way.",
    ),
    Number(
        id="9.B3",
        title="Standard error of a soft label",
        hint="The annotators are a sample of those who might have been asked.",
        given=_votes,
        solve=lambda given: math.sqrt(
            given["yes"] / given["n"] * (1 - given["yes"] / given["n"]) / given["n"]
        ),
        mistakes=(
            Mistake(
                "variance",
                lambda given: (
                    given["yes"] / given["n"] * (1 - given["yes"] / given["n"]) / given["n"]
                ),
                "This is the variance; take its square root.",
            ),
            Mistake(
                "standard deviation of one label",
                lambda given: math.sqrt(
                    given["yes"] / given["n"] * (1 - given["yes"] / given["n"])
                ),
                "This is the standard deviation of one label; a share of several varies less.",
            ),
            Mistake(
                "divided by n outside the root",
                lambda given: (
                    math.sqrt(given["yes"] / given["n"] * (1 - given["yes"] / given["n"]))
                    / given["n"]
                ),
                "Divide by the square root of the number of annotators.",
            ),
        ),
        question="Of {n} annotators {yes} call an item dominant. What is the standard error of "
        "this share, if the annotators are a random sample? Give three decimals.",
        solution="The square root of p (1 - p) / {n} with p = {yes}/{n}: {answer}.",
    ),
    Choice(
        id="9.B4",
        title="Noise and bias in training data",
        hint="What happens to each with more items?",
        options={
            "bias stays": "Independent errors average out as items are added; one annotator's "
            "threshold is learned, whatever the number of items.",
            "both average out": "Both kinds of disagreement average out as items are added.",
            "agreement decides": "Only the agreement matters: with equal kappa both do equal harm.",
            "noise stays": "A systematic difference averages out, independent errors do not.",
        },
        right="bias stays",
        reasons={
            "bias stays": "So equal agreement can mean unequal harm.",
            "both average out": "A threshold of one annotator is in every item of theirs.",
            "agreement decides": "Kappa does not see in what direction annotators differ.",
            "noise stays": "It is the other way round.",
        },
        question="Two sets of training labels have the same agreement with the truth. In one the "
        "errors are independent of everything, in the other they come of one annotator's stricter "
        "threshold. What is the difference for a classifier that is trained on them?",
    ),
    Choice(
        id="9.B5",
        title="Where annotators disagree most",
        hint="Think of what the annotators could see.",
        options={
            "abstain": "Let the system answer only in the contexts where annotators agree, and say "
            "that it does not know in the others.",
            "majority": "Take the majority label everywhere; it is right by definition.",
            "drop the annotator": "Drop the annotator who disagrees most, and report the new "
            "alpha.",
            "pool": "Report one alpha over all contexts, as it is the mean quality of the labels.",
        },
        right="abstain",
        reasons={
            "abstain": "This is the recommendation of Reidsma and op den Akker for addressees.",
            "majority": "Where there is nothing to see, the majority is an accident.",
            "drop the annotator": "All annotators disagree in the same context; it is not a "
            "person.",
            "pool": "One number hides that labels of one context are good and of another are not.",
        },
        question="Annotators of addressees agree well where the speaker looks at somebody, and "
        "badly where the speaker looks at nobody. What do you do with a system that is trained on "
        "these labels?",
    ),
    Choice(
        id="9.B6",
        title="95 per cent agreement",
        hint="Which sentences were counted?",
        options={
            "retained only": "It is the agreement on the sentences that were kept. Those that an "
            "annotator or the adjudication threw out were the disputed ones.",
            "chance": "It is corrected for chance, so that it can be compared with kappa.",
            "accurate": "The labels are right for 95 % of the sentences.",
            "all": "It is the agreement on all sentences that the annotators saw.",
        },
        right="retained only",
        reasons={
            "retained only": "On all sentences it may be much lower.",
            "chance": "It is a share of equal labels; nothing was subtracted.",
            "accurate": "The paper itself shows sentences on which both chose the same wrong "
            "sense.",
            "all": "Sentences marked N/A by one of the two, or thrown out later, were not counted.",
        },
        question="A data set of verb senses reports an agreement of 95 %: 'instances that were "
        "marked N/A by one of the annotators, or thrown out during the adjudication, were not "
        "included'. What does the number say?",
    ),
]
