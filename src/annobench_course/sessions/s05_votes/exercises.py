"""Session 5: majority votes and ties, Condorcet's theorem, learning curves, optimal weights."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
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

LESSON = Lesson(
    summary="Count votes and ties, say how many annotators replace an expert, and weight votes "
    "by what is known about the annotators.",
    needs=("binomial distribution", "Bayes' rule", "logarithms"),
    data=("snow2008_rte",),
    papers=("snow2008", "carpenter2008"),
    worksheet=("5.1", "5.2", "5.4"),
    timing=(
        Part(15, "the worksheet; votes, ties and Condorcet's theorem"),
        Part(15, "the learning curve of real labels"),
        Part(25, "the optimal weight of a vote", ("5.6", "5.7", "5.8")),
        Part(20, "weights without a gold standard", ("5.9",)),
        Part(15, "two published results"),
    ),
)


def _of_independent(p: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return the probabilities of 0 to n right labels, of annotators right with probability p."""
    from scipy.special import comb

    share, m = np.asarray(p, dtype=np.float64)[..., None], np.arange(n + 1)
    return np.asarray(comb(n, m) * share**m * (1 - share) ** (n - m))


def _of_drawn(right: ArrayLike, n_labels: int, k: int) -> NDArray[np.float64]:
    """Return the probabilities of 0 to k right labels among k drawn without replacement."""
    from scipy.special import comb

    r, m = np.asarray(right)[..., None], np.arange(k + 1)
    return np.asarray(comb(r, m) * comb(n_labels - r, k - m) / comb(n_labels, k))


def _majority(chance: NDArray[np.float64], tie: float = 0.5) -> NDArray[np.float64]:
    """Return the probability of a majority by the probabilities of 0 to n right labels."""
    n = chance.shape[-1] - 1
    m = np.arange(n + 1)
    return np.asarray(chance @ np.where(2 * m > n, 1.0, np.where(2 * m == n, tie, 0.0)))


# 5.1: a vote with ties.


def _ballot(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the votes of twelve items with four labels each; the gold category is the likelier."""
    gold = rng.integers(0, 2, 12)
    right = rng.binomial(4, 0.65, 12)
    yes = np.where(gold == 1, right, 4 - right)
    return {"yes": yes.tolist(), "n_labels": 4, "gold": gold.tolist()}


def _right_votes(given: Given) -> NDArray[np.int64]:
    yes, gold = np.array(given["yes"]), np.array(given["gold"])
    return np.asarray(np.where(gold == 1, yes, given["n_labels"] - yes))


def _vote_accuracy(given: Given, tie: float = 0.5) -> float:
    right, half = _right_votes(given), given["n_labels"] / 2
    return float(np.mean((right > half) + tie * (right == half)))


def _without_ties(given: Given) -> float:
    right, half = _right_votes(given), given["n_labels"] / 2
    return float(np.mean(right[right != half] > half))


def _ties_are_yes(given: Given) -> float:
    winner = np.array(given["yes"]) >= given["n_labels"] / 2
    return float(np.mean(winner == np.array(given["gold"])))


# 5.2: Condorcet's theorem.


def _majority_accuracy(p: float, n: int) -> float:
    """Return how often a majority of n annotators of accuracy p is right, a tie for a half."""
    return float(_majority(_of_independent(p, n)))


def _from_half_down(p: float, n: int) -> float:
    return float(_of_independent(p, n)[n // 2 :].sum())


def _ties_lost(p: float, n: int) -> float:
    return float(_majority(_of_independent(p, n), tie=0.0))


def _ties_won(p: float, n: int) -> float:
    return float(_majority(_of_independent(p, n), tie=1.0))


def _without_orders(p: float, n: int) -> float:
    m = np.arange(n + 1)
    return float(_majority(p**m * (1 - p) ** (n - m)))


def _juries(rng: np.random.Generator) -> list[tuple[float, int]]:
    sizes = [1, 2, 3, 4, 5, 8, 11, 20]
    return [(float(p), n) for p, n in zip(rng.uniform(0.3, 0.9, len(sizes)), sizes, strict=True)]


# 5.3: a panel whose members differ.


def _panel(rng: np.random.Generator) -> dict[str, Any]:
    """Draw two good annotators and three who nearly guess."""
    good, poor = rng.uniform(0.85, 0.97, 2), rng.uniform(0.48, 0.62, 3)
    return {"accuracy": np.concatenate([good, poor]).round(2).tolist(), "n_items": 20_000}


def _number_right(accuracy: ArrayLike) -> NDArray[np.float64]:
    """Return the distribution of the number of right labels, annotators independent."""
    chance = np.ones(1)
    for p in np.asarray(accuracy, dtype=np.float64):
        chance = np.convolve(chance, [1 - p, p])
    return chance


def _panel_accuracy(given: Given) -> float:
    return float(_majority(_number_right(given["accuracy"])))


def _panel_interval(given: Given) -> tuple[float, float]:
    """Four standard errors either side, which a normal distribution leaves 6 times in 10^5.

    The number of right labels of an item is a sum of independent trials with the five
    accuracies; its distribution is the convolution of theirs. The vote is right if three or more
    are, with probability q, and the share of n_items independent items has the standard error
    sqrt(q (1 - q) / n_items).
    """
    q = _panel_accuracy(given)
    half = 4 * math.sqrt(q * (1 - q) / given["n_items"])
    return q - half, q + half


def _number_of_items(given: Given) -> tuple[float, float]:
    low, high = _panel_interval(given)
    return low * given["n_items"], high * given["n_items"]


# 5.4 and 5.5: labels drawn from those that are there.


def _one_item(rng: np.random.Generator) -> dict[str, Any]:
    return {"right": int(rng.integers(4, 9)), "n_labels": 10, "drawn": int(rng.choice([3, 5]))}


def _drawn_right(given: Given) -> float:
    return float(_majority(_of_drawn(given["right"], given["n_labels"], given["drawn"])))


def _just_a_majority(given: Given) -> float:
    chance = _of_drawn(given["right"], given["n_labels"], given["drawn"])
    return float(chance[given["drawn"] // 2 + 1])


def _put_back(given: Given) -> float:
    return _majority_accuracy(given["right"] / given["n_labels"], given["drawn"])


def _learning_curve(right: ArrayLike, n_labels: int, k: int) -> float:
    """Return the mean accuracy of a vote among k labels drawn of each item's n_labels."""
    return float(_majority(_of_drawn(right, n_labels, k)).mean())


def _curve_put_back(right: ArrayLike, n_labels: int, k: int) -> float:
    return float(_majority(_of_independent(np.asarray(right) / n_labels, k)).mean())


def _curve_of_the_mean(right: ArrayLike, n_labels: int, k: int) -> float:
    return _majority_accuracy(float(np.asarray(right).mean()) / n_labels, k)


def _curve_ties_lost(right: ArrayLike, n_labels: int, k: int) -> float:
    return float(_majority(_of_drawn(right, n_labels, k), tie=0.0).mean())


def _curve_of_all(right: ArrayLike, n_labels: int, k: int) -> float:
    return _learning_curve(right, n_labels, n_labels)


def _curves(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, n_labels, k in ((2, 5, 3), (4, 10, 1), (4, 10, 2), (8, 10, 3), (20, 10, 6)):
        hard = rng.beta(4, 2, n_items)
        cases.append((rng.binomial(n_labels, hard), n_labels, k))
    return cases


def _one_label(curve: Any, right: Any, n_labels: int, k: int) -> bool:
    return math.isclose(
        curve(right, n_labels, 1), np.mean(right) / n_labels, rel_tol=1e-6, abs_tol=1e-6
    )


# 5.6 and 5.7: optimal weights.


def _dispute(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a good annotator who says one thing, and three poorer ones, most of whom say another."""
    accuracy = [*rng.uniform(0.85, 0.95, 1), *rng.uniform(0.55, 0.75, 3)]
    labels = [1, 0, 0, int(rng.integers(0, 2))]
    order = rng.permutation(4)
    flip = int(rng.integers(0, 2))
    return {
        "accuracy": [round(float(accuracy[n]), 2) for n in order],
        "labels": [labels[n] ^ flip for n in order],
    }


def _log_odds(accuracy: ArrayLike) -> NDArray[np.float64]:
    a = np.asarray(accuracy, dtype=np.float64)
    return np.asarray(np.log(a / (1 - a)))


def _sides(given: Given) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    return np.asarray(given["accuracy"], dtype=np.float64), np.asarray(given["labels"]) == 1


def _votes_for_one(given: Given) -> float:
    accuracy, ones = _sides(given)
    weight = _log_odds(accuracy)
    return float(weight[ones].sum() - weight[~ones].sum())


def _probability_of_one(given: Given) -> float:
    return 1 / (1 + math.exp(-_votes_for_one(given)))


def _likelihood_of_one(given: Given) -> float:
    accuracy, ones = _sides(given)
    return float(np.where(ones, accuracy, 1 - accuracy).prod())


def _share_of_accuracy(given: Given) -> float:
    accuracy, ones = _sides(given)
    return float(accuracy[ones].sum() / accuracy.sum())


def _accuracies_alone(given: Given) -> float:
    accuracy, ones = _sides(given)
    one, zero = accuracy[ones].prod(), accuracy[~ones].prod()
    return float(one / (one + zero))


def _ones_alone(given: Given) -> float:
    accuracy, ones = _sides(given)
    return 1 / (1 + math.exp(-float(_log_odds(accuracy)[ones].sum())))


def _annotations(labels: ArrayLike) -> Annotations:
    """Make annotations of a table with a row per item, a column per annotator, -1 for no label."""
    given = np.asarray(labels)
    item, annotator = np.nonzero(given >= 0)
    return Annotations.from_arrays(
        item,
        annotator,
        given[item, annotator],
        items=range(len(given)),
        annotators=range(given.shape[1]),
        categories=range(2),
    )


def _weighted_vote(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    """Return the probability of category 1 of each item by the library's weighted vote."""
    from annobench.models import weighted_voting

    voted = weighted_voting.fit(_annotations(labels), weights=_log_odds(accuracy))
    return np.asarray(voted.posterior[:, 1])


def _logistic(score: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-score)))


def _missing_is_no(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    sign = np.where(np.asarray(labels) == 1, 1.0, -1.0)
    return _logistic(sign @ _log_odds(accuracy))


def _weight_is_accuracy(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    given, weight = np.asarray(labels), np.asarray(accuracy, dtype=np.float64)
    return np.asarray(((given == 1) @ weight) / ((given >= 0) @ weight))


def _votes_of_one_only(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    return _logistic((np.asarray(labels) == 1) @ _log_odds(accuracy))


def _unweighted_vote(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(labels)
    return np.asarray((given == 1).sum(axis=1) / (given >= 0).sum(axis=1))


def _decided(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    return np.asarray((np.sign(_score_itself(labels, accuracy)) + 1) / 2)


def _score_itself(labels: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(labels)
    return np.asarray(((given == 1) * 1.0 - (given == 0)) @ _log_odds(accuracy))


def _tables(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    """Draw tables of labels, the first without gaps; every item has a label."""
    cases = []
    for n_items, n_annotators, missing in ((3, 3, 0.0), (5, 4, 0.3), (20, 6, 0.4)):
        accuracy = rng.uniform(0.35, 0.95, n_annotators).round(2)
        truth = rng.integers(0, 2, (n_items, 1))
        labels = np.where(rng.random((n_items, n_annotators)) < accuracy, truth, 1 - truth)
        gaps = rng.random(labels.shape) < missing
        gaps[np.arange(n_items), rng.integers(0, n_annotators, n_items)] = False
        cases.append((np.where(gaps, -1, labels), accuracy))
    return cases


def _turned_round(vote: Any, labels: Any, accuracy: Any) -> bool:
    swapped = np.where(labels < 0, labels, 1 - labels)
    return bool(np.allclose(vote(labels, accuracy) + vote(swapped, accuracy), 1, atol=1e-6))


EXERCISES: list[Exercise] = [
    Number(
        id="5.1",
        title="Score a vote that has ties",
        given=_ballot,
        solve=_vote_accuracy,
        mistakes=(
            Mistake(
                "ties for errors",
                partial(_vote_accuracy, tie=0.0),
                "You counted every tie as an error. A tie is no decision: if a coin breaks it, it "
                "is right half the time, so it counts one half.",
            ),
            Mistake(
                "ties for hits",
                partial(_vote_accuracy, tie=1.0),
                "You counted every tie as right. Nobody knows the gold category when the tie is "
                "broken; a coin finds it half the time, so a tie counts one half.",
            ),
            Mistake(
                "ties left out",
                _without_ties,
                "You left the tied items out of the denominator. They are items that need a label, "
                "too; leaving them out makes any vote look better the more often it can't decide.",
            ),
            Mistake(
                "ties for yes",
                _ties_are_yes,
                "You let ties go to category 1, as votes >= half does. What a tie is worth then "
                "depends on which category happens to be called 1.",
            ),
        ),
    ),
    Function(
        id="5.2",
        title="Condorcet's theorem as a function",
        signature="majority_accuracy(p, n)",
        reference=_majority_accuracy,
        inputs=_juries,
        properties=(
            Property(
                "one annotator",
                lambda f, p, n: math.isclose(f(p, 1), p, rel_tol=1e-6, abs_tol=1e-6),
                "With n = 1 the vote is one annotator's label, right with probability p; yours is "
                "not.",
            ),
            Property(
                "guessers",
                lambda f, p, n: math.isclose(f(0.5, n), 0.5, rel_tol=1e-6, abs_tol=1e-6),
                "A vote among annotators who guess, p = 1/2, is a guess; yours is not.",
            ),
        ),
        mistakes=(
            Mistake(
                "half counts as a majority",
                _from_half_down,
                "Your sum begins at k = n // 2. For odd n, such as 3, that is k = 1: one right "
                "label of three counted as a majority. Begin at n // 2 + 1.",
            ),
            Mistake(
                "ties for errors",
                _ties_lost,
                "For even n you leave out k = n/2. A tie is broken by a coin: add half of its "
                "probability.",
            ),
            Mistake(
                "ties for hits",
                _ties_won,
                "For even n you count k = n/2 in full. A tie is broken by a coin: add half of its "
                "probability.",
            ),
            Mistake(
                "orders not counted",
                _without_orders,
                "You add p^k (1 - p)^(n - k) without the binomial coefficient: k right labels can "
                "be those of different annotators, in n! / (k! (n - k)!) ways.",
            ),
        ),
    ),
    Simulation(
        id="5.3",
        title="A panel whose members differ",
        given=_panel,
        interval=_panel_interval,
        mistakes=(
            Mistake(
                "share of right labels",
                lambda given: np.mean(given["accuracy"]),
                "This is the share of right labels. The question asks for the share of items "
                "with more right labels than wrong ones: count by item first.",
            ),
            Mistake(
                "all annotators alike",
                lambda given: _majority_accuracy(float(np.mean(given["accuracy"])), 5),
                "This is what a panel gives whose members all have the mean accuracy. Compare each "
                "annotator's random numbers with that annotator's own accuracy.",
            ),
            Mistake(
                "all must be right",
                lambda given: np.prod(given["accuracy"]),
                "This counts the items on which all five are right. A majority suffices.",
            ),
            Mistake(
                "someone is right",
                lambda given: 1 - np.prod(1 - np.array(given["accuracy"])),
                "This counts the items on which at least one of the five is right. The vote needs "
                "three.",
            ),
            Mistake(
                "best annotator",
                lambda given: max(given["accuracy"]),
                "This is how often the best annotator is right. The question asks for the vote "
                "of all five.",
            ),
            Mistake(
                "count for share",
                _number_of_items,
                "This is the number of items on which the vote is right. Divide by n_items.",
            ),
        ),
    ),
    Number(
        id="5.4",
        title="Fewer labels of one item",
        given=_one_item,
        solve=_drawn_right,
        mistakes=(
            Mistake(
                "with replacement",
                _put_back,
                "This is the binomial probability: as if a label were put back and could be drawn "
                "again. Each of the ten labels can be drawn once.",
            ),
            Mistake(
                "only just a majority",
                _just_a_majority,
                "You counted the draws in which a majority is only just reached. Those in which "
                "more labels are right belong to it, too.",
            ),
            Mistake(
                "share of right labels",
                lambda given: given["right"] / given["n_labels"],
                "This is the probability that one drawn label is right. The question asks for "
                "the majority of those drawn.",
            ),
        ),
    ),
    Function(
        id="5.5",
        title="A learning curve by subsampling",
        signature="learning_curve(right, n_labels, k)",
        reference=_learning_curve,
        inputs=_curves,
        properties=(
            Property(
                "one label",
                _one_label,
                "With k = 1 the curve is the share of right labels; yours is not.",
            ),
        ),
        mistakes=(
            Mistake(
                "with replacement",
                _curve_put_back,
                "This is the binomial distribution for each item, labels drawn with replacement. "
                "Then ten draws from ten labels would not give the vote of all ten.",
            ),
            Mistake(
                "items alike",
                _curve_of_the_mean,
                "You averaged the items first, and applied Condorcet's theorem to the mean share. "
                "That is the curve of items that are all as difficult. Compute each item's "
                "probability, then the mean.",
            ),
            Mistake(
                "all labels",
                _curve_of_all,
                "This is the vote of all labels, whatever k is.",
            ),
            Mistake(
                "ties for errors",
                _curve_ties_lost,
                "For even k, ties count nothing here. Add half of their probability.",
            ),
        ),
    ),
    Number(
        id="5.6",
        title="One against many",
        given=_dispute,
        solve=_probability_of_one,
        mistakes=(
            Mistake(
                "share of the votes",
                lambda given: np.mean(given["labels"]),
                "This is the share of votes for 1. It doesn't know that the annotators differ.",
            ),
            Mistake(
                "accuracies as weights",
                _share_of_accuracy,
                "You weighted votes by the accuracies themselves. Then a guesser, with accuracy "
                "1/2, has a weight of more than half an expert's. The weight is log(a / (1 - a)).",
            ),
            Mistake(
                "likelihood for posterior",
                _likelihood_of_one,
                "This is the probability of these labels if the category is 1. Divide by the sum "
                "of this and the probability of these labels if it is 0.",
            ),
            Mistake(
                "errors left out",
                _accuracies_alone,
                "You compared the products of the accuracies on the two sides. If the category is "
                "1, those who say 0 are wrong, each with probability 1 - a; this belongs to the "
                "product, too.",
            ),
            Mistake(
                "votes for 0 left out",
                _ones_alone,
                "You added the weights of those who say 1 and left out those who say 0. A label 0 "
                "speaks against 1 with its annotator's full weight.",
            ),
            Mistake(
                "log odds for probability",
                _votes_for_one,
                "This is the sum of the weights, the log odds of category 1. The probability is "
                "1 / (1 + exp(-sum)).",
            ),
        ),
    ),
    Function(
        id="5.7",
        title="Weighted voting as a function",
        signature="weighted_vote(labels, accuracy)",
        reference=_weighted_vote,
        inputs=_tables,
        properties=(
            Property(
                "symmetric in the categories",
                _turned_round,
                "If 0 and 1 change places in all labels, the probabilities p must become 1 - p; "
                "yours do not.",
            ),
        ),
        mistakes=(
            Mistake(
                "log odds for probability",
                _score_itself,
                "Your function returns the sums of the weights, the log odds. Turn them into "
                "probabilities: 1 / (1 + exp(-sum)).",
            ),
            Mistake(
                "decision for probability",
                _decided,
                "Your function returns the winners. The question asks for the probabilities: "
                "1 / (1 + exp(-sum)) of the weights.",
            ),
            Mistake(
                "accuracies as weights",
                _weight_is_accuracy,
                "The votes are weighted by the accuracies themselves. The weight is the log odds, "
                "log(a / (1 - a)): 0 for a guesser, negative for annotators who are worse.",
            ),
            Mistake(
                "unweighted",
                _unweighted_vote,
                "This is the share of the votes for 1; the accuracies have no part in it.",
            ),
            Mistake(
                "votes for 0 left out",
                _votes_of_one_only,
                "Only labels 1 count. A label 0 speaks against 1 with its annotator's full weight.",
            ),
            Mistake(
                "missing for 0",
                _missing_is_no,
                "Where an annotator gave no label (-1), your function counts a vote for 0. An "
                "annotator who gives no label has no vote.",
            ),
        ),
    ),
    Choice(
        id="5.8",
        title="Three who copy",
        options={
            "expert": "The label of the one who worked alone.",
            "three": "The label of the three: three weights of 1.1 exceed one of 2.2.",
            "tie": "Neither: copies carry no information, so that the item is undecided.",
        },
        right="expert",
        reasons={
            "expert": "The three are one opinion, of weight 1.1; the formula may add weights only "
            "of annotators who err independently.",
            "three": "Weights may be added if errors are independent. An annotator who copies "
            "makes the same error: the three labels are right or wrong together, and weigh as "
            "much as one, 1.1.",
            "tie": "The first of the three did look at the item: together they are worth one "
            "annotator of weight 1.1, neither three nor none.",
        },
    ),
    Choice(
        id="5.9",
        title="Whose agreement is it?",
        options={
            "half": "About one half, since the guesses do not depend on the items.",
            "more": "Clearly above one half, since the annotator's own vote helps to make the "
            "winner.",
            "less": "Below one half, since the two others usually agree and outvote the guesser.",
        },
        right="more",
        reasons={
            "half": "Against a gold standard, yes. But the winner of three votes is no gold "
            "standard: whenever the two others disagree, the guesser's own label is the winner.",
            "more": "Whenever the two others disagree, the guess itself decides, and agrees with "
            "itself.",
            "less": "When the two others agree, the guesser agrees with them half the time, no "
            "less. And when they disagree, the guess itself wins.",
        },
    ),
]
