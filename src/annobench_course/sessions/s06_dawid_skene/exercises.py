"""Session 6: the model of Dawid and Skene, EM, label switching, optima, and the senses of MASC."""

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

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

LESSON = Lesson(
    summary="Describe the model, fit it with your own EM program, and judge what a fit "
    "says: which optimum, which names of the classes, how certain.",
    needs=("05_votes", "conditional probability", "loops over arrays in NumPy"),
    data=("anesthesia", "snow2008_rte", "masc_crowd"),
    papers=("dawid1979", "passonneau2014"),
    worksheet=("6.1", "6.2", "6.4"),
    timing=(
        Part(10, "the worksheet; the story once more"),
        Part(25, "the two steps", ("6.3", "6.5")),
        Part(20, "EM, and the estimates of 1979", ("6.6",)),
        Part(20, "label switching and optima", ("6.8",)),
        Part(15, "what happened to MASC"),
    ),
)


def _uneven(rng: np.random.Generator, k: int) -> Floats:
    """Draw a prevalence far from even, to two decimals."""
    share = rng.permutation([0.6, 0.28, 0.12][:k] if k == 3 else [0.75, 0.25])
    jitter = round(float(rng.uniform(-0.05, 0.05)), 2)
    share = share + np.array([jitter, -jitter, *[0.0] * (k - 2)])
    return np.asarray(share.round(2))


# 6.1: agreement of two annotators, by the story.


def _two_annotators(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "prevalence": _uneven(rng, 3),
        "confusion": _matrices(rng, 2, 3, lowest=0.45),
        "n_items": 40_000,
    }


def _agreement(given: Given, prevalence: ArrayLike | None = None) -> float:
    pi = np.asarray(given["prevalence"] if prevalence is None else prevalence)
    one, other = given["confusion"]
    return float(pi @ (one * other).sum(axis=1))


def _agreement_interval(given: Given) -> tuple[float, float]:
    """Four standard errors either side, which a normal distribution leaves 6 times in 10^5.

    Given category k the two annotators give the same label with probability
    sum over l of confusion[0, k, l] confusion[1, k, l]; averaged with the prevalence this is the
    probability q of agreement. The share of n_items independent items has the standard error
    sqrt(q (1 - q) / n_items).
    """
    q = _agreement(given)
    half = 4 * math.sqrt(q * (1 - q) / given["n_items"])
    return q - half, q + half


def _own_categories(given: Given) -> float:
    one, other = np.asarray(given["prevalence"]) @ given["confusion"]
    return float(one @ other)


def _columns_drawn(given: Given) -> float:
    """Draw labels from the columns, scaled to sum to 1 as a program must that draws from them."""
    columns = given["confusion"] / given["confusion"].sum(axis=1, keepdims=True)
    one, other = columns
    return float(np.asarray(given["prevalence"]) @ (one * other).sum(axis=0))


def _both_right(given: Given) -> float:
    one, other = map(np.diag, given["confusion"])
    return float(np.asarray(given["prevalence"]) @ (one * other))


def _right_labels(given: Given) -> float:
    return float(np.asarray(given["prevalence"]) @ np.diag(given["confusion"][0]))


# 6.2: one item.


def _one_item(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "prevalence": _uneven(rng, 2),
        "confusion": _matrices(rng, 3, 2),
        "labels": rng.permutation([0, 0, 1] if rng.random() < 0.5 else [0, 1, 1]).tolist(),
    }


def _joint(given: Given) -> Floats:
    """Return the probability of the labels together with each category."""
    likelihood = [m[:, label] for m, label in zip(given["confusion"], given["labels"], strict=True)]
    return np.asarray(given["prevalence"] * np.prod(likelihood, axis=0))


def _item_posterior(given: Given) -> float:
    joint = _joint(given)
    return float(joint[1] / joint.sum())


def _added_posterior(given: Given) -> float:
    """Add the probabilities of the labels, as their mean does, too, rather than multiply them."""
    rows = [m[:, label] for m, label in zip(given["confusion"], given["labels"], strict=True)]
    weight = given["prevalence"] * np.sum(rows, axis=0)
    return float(weight[1] / weight.sum())


def _even_posterior(given: Given) -> float:
    return _item_posterior({**given, "prevalence": np.array([0.5, 0.5])})


def _columns_posterior(given: Given) -> float:
    return _item_posterior({**given, "confusion": given["confusion"].swapaxes(1, 2)})


# 6.4: sensitivity from uncertain items.


def _uncertain(rng: np.random.Generator) -> dict[str, Any]:
    probability = np.concatenate([rng.uniform(0.6, 0.95, 3), rng.uniform(0.05, 0.45, 3)])
    labels = [1, 1, 0, 1, 0, 0]
    order = rng.permutation(6)
    return {
        "probability": probability[order].round(2).tolist(),
        "labels": [labels[n] for n in order],
    }


def _weights(given: Given) -> tuple[Floats, NDArray[np.bool_]]:
    return np.asarray(given["probability"], dtype=np.float64), np.asarray(given["labels"]) == 1


def _sensitivity(given: Given) -> float:
    weight, ones = _weights(given)
    return float(weight[ones].sum() / weight.sum())


def _hard_sensitivity(given: Given) -> float:
    weight, ones = _weights(given)
    return float(ones[weight > 0.5].mean())


def _predictive_value(given: Given) -> float:
    weight, ones = _weights(given)
    return float(weight[ones].mean())


def _specificity(given: Given) -> float:
    weight, ones = _weights(given)
    return float((1 - weight)[~ones].sum() / (1 - weight).sum())


def _divided_by_items(given: Given) -> float:
    weight, ones = _weights(given)
    return float(weight[ones].sum() / weight.size)


# E-step, M-step and EM by the library, and the usual mistakes in programming them.


def _matrices(rng: np.random.Generator, n_annotators: int, k: int, lowest: float = 0.55) -> Floats:
    """Draw confusion matrices with most probability on the diagonal, to two decimals."""
    right = rng.uniform(lowest, 0.92, (n_annotators, k)).round(2)
    if k == 2:
        return np.stack([[[a, 1 - a], [1 - b, b]] for a, b in right]).round(2)
    wrong = rng.dirichlet(np.ones(k - 1), (n_annotators, k)) * (1 - right)[..., None]
    matrix = np.zeros((n_annotators, k, k))
    for own in range(k):
        others = [other for other in range(k) if other != own]
        matrix[:, own, others] = wrong[:, own].round(2)
        matrix[:, own, own] = 1 - matrix[:, own, others].sum(axis=1)
    return matrix.round(2)


def _as_annotations(item: Codes, annotator: Codes, label: Codes, j: int, k: int) -> Annotations:
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(int(np.max(item)) + 1),
        annotators=range(j),
        categories=range(k),
    )


def _e_step(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    """Return the posterior of the items by the library's E-step."""
    from annobench.models.dawid_skene.em import Parameters, Problem, Settings

    labels = _as_annotations(item, annotator, label, len(confusion), len(prevalence))
    problem = Problem.of(labels, Settings.plain(labels, 0.0, max_iterations=1))
    state = problem.begin(None, Parameters(np.asarray(prevalence), np.asarray(confusion)))
    problem.expect(state)
    return np.asarray(state.posterior)


def _products(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    posterior = np.tile(prevalence, (int(np.max(item)) + 1, 1))
    np.multiply.at(posterior, item, confusion[annotator, :, label])
    return posterior


def _shares(weight: Floats) -> Floats:
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def _last_label_only(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    posterior = np.tile(prevalence, (int(np.max(item)) + 1, 1))
    posterior[item] *= confusion[annotator, :, label]
    return _shares(posterior)


def _no_prevalence(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    return _shares(_products(item, annotator, label, np.ones(len(prevalence)), confusion))


def _columns_for_rows(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    return _shares(_products(item, annotator, label, prevalence, confusion.swapaxes(1, 2)))


def _added_up(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    total = np.zeros((int(np.max(item)) + 1, len(prevalence)))
    np.add.at(total, item, confusion[annotator, :, label])
    return _shares(total * prevalence)


def _labelled(
    rng: np.random.Generator, n_items: int, j: int, k: int, missing: float = 0.0
) -> tuple[Codes, Codes, Codes, Floats, Floats]:
    """Draw labels by the story, with every annotator and item among them; shuffled."""
    prevalence, confusion = rng.dirichlet(np.full(k, 6.0)), _matrices(rng, j, k)
    item, annotator = (grid.ravel() for grid in np.indices((n_items, j)))
    category = rng.choice(k, n_items, p=prevalence)
    below = rng.random(item.size)[:, None] > confusion[annotator, category[item]].cumsum(axis=1)
    label = np.minimum(below.sum(axis=1), k - 1)
    label[:k] = np.arange(k)  # every category is among the labels
    keep = rng.random(item.size) >= missing
    keep[item == n_items - 1] = keep[annotator == 0] = True
    keep[:k] = True
    order = rng.permutation(np.flatnonzero(keep))
    return item[order], annotator[order], label[order], prevalence.round(3), confusion


def _e_inputs(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, j, k, missing in ((2, 2, 2, 0.0), (4, 3, 2, 0.3), (10, 5, 3, 0.3)):
        item, annotator, label, prevalence, confusion = _labelled(rng, n_items, j, k, missing)
        cases.append((item, annotator, label, _shares(prevalence), confusion))
    return cases


def _sums_to_one(step: Any, *arguments: Any) -> bool:
    return bool(np.allclose(np.sum(step(*arguments), axis=1), 1, atol=1e-6))


def _estimate_confusion(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    """Return the confusion matrices by the library's M-step."""
    from annobench.models.dawid_skene.em import Problem, Settings, confusion_of

    k = np.shape(posterior)[1]
    labels = _as_annotations(item, annotator, label, int(np.max(annotator)) + 1, k)
    problem = Problem.of(labels, Settings.plain(labels, smoothing, max_iterations=1))
    return confusion_of(problem, problem.begin(np.asarray(posterior, dtype=np.float64), None))


def _expected_counts(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    k = np.shape(posterior)[1]
    counts = np.full((int(np.max(annotator)) + 1, k, k), float(smoothing))
    cells = annotator[:, None], np.arange(k), label[:, None]
    np.add.at(counts, cells, np.asarray(posterior)[item])
    return counts


def _columns_scaled(*arguments: Any) -> Floats:
    counts = _expected_counts(*arguments)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _labels_in_rows(*arguments: Any) -> Floats:
    return _columns_scaled(*arguments).swapaxes(1, 2)


def _axes_swapped(*arguments: Any) -> Floats:
    return _shares(_expected_counts(*arguments)).swapaxes(1, 2)


def _hard_counts(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    hard = np.eye(np.shape(posterior)[1])[np.argmax(posterior, axis=1)]
    return _shares(_expected_counts(item, annotator, label, hard, smoothing))


def _unsmoothed(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    return _shares(_expected_counts(item, annotator, label, posterior, 0.0))


def _one_matrix(*arguments: Any) -> Floats:
    counts = _expected_counts(*arguments)
    return np.tile(_shares(counts.sum(axis=0)), (len(counts), 1, 1))


def _last_item_only(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    k = np.shape(posterior)[1]
    counts = np.full((int(np.max(annotator)) + 1, k, k), float(smoothing))
    counts[annotator, :, label] += np.asarray(posterior)[item]
    return _shares(counts)


def _m_inputs(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, j, k, missing in ((4, 2, 2, 0.0), (6, 3, 2, 0.3), (12, 4, 3, 0.3)):
        item, annotator, label, _, _ = _labelled(rng, n_items, j, k, missing)
        cases.append((item, annotator, label, rng.dirichlet(np.ones(k), n_items), 0.1))
    return cases


def _rows_sum_to_one(step: Any, *arguments: Any) -> bool:
    return bool(np.allclose(np.sum(step(*arguments), axis=2), 1, atol=1e-6))


def _fit_by_em(
    item: Codes, annotator: Codes, label: Codes, n_iterations: int, smoothing: float
) -> Floats:
    """Return the posterior after so many M- and E-steps from the votes, by the library."""
    from annobench.models import dawid_skene

    labels = _as_annotations(
        item, annotator, label, int(np.max(annotator)) + 1, int(np.max(label)) + 1
    )
    # The library does the first M-step and E-step before it counts an iteration.
    fitted = dawid_skene.fit(
        labels, smoothing=smoothing, tolerance=0, max_iterations=n_iterations - 1
    )
    return np.asarray(fitted.posterior)


def _em(
    item: Codes,
    annotator: Codes,
    label: Codes,
    n_iterations: int,
    smoothing: float,
    *,
    start: str = "votes",
    n_done: int | None = None,
    hard: bool = False,
    even: bool = False,
    plain: bool = False,
    pooled: bool = False,
) -> Floats:
    """Do EM with one thing wrong."""
    k = int(np.max(label)) + 1
    posterior = np.zeros((int(np.max(item)) + 1, k))
    np.add.at(posterior, (item, label), 1.0)
    posterior = np.full_like(posterior, 1 / k) if start == "uniform" else _shares(posterior)
    if start == "hard":
        posterior = np.eye(k)[posterior.argmax(axis=1)]
    for _ in range(n_done or n_iterations):
        if hard:
            posterior = np.eye(k)[posterior.argmax(axis=1)]
        prevalence = posterior.sum(axis=0) + (0.0 if plain else smoothing)
        if even:
            prevalence = np.ones(k)
        counts = _expected_counts(item, annotator, label, posterior, smoothing)
        if pooled:
            counts[:] = counts.sum(axis=0)
        posterior = _shares(_products(item, annotator, label, prevalence, _shares(counts)))
    return posterior


def _one_more(
    item: Codes, annotator: Codes, label: Codes, n_iterations: int, smoothing: float
) -> Floats:
    return _fit_by_em(item, annotator, label, n_iterations + 1, smoothing)


def _em_inputs(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, j, k, n_iterations in ((6, 3, 2, 2), (15, 4, 2, 5), (24, 5, 3, 8)):
        item, annotator, label, _, _ = _labelled(rng, n_items, j, k, 0.2)
        cases.append((item, annotator, label, n_iterations, 0.01))
    return cases


EXERCISES: list[Exercise] = [
    Simulation(
        id="6.1",
        title="Tell the story to a computer",
        given=_two_annotators,
        interval=_agreement_interval,
        mistakes=(
            Mistake(
                "a category for each annotator",
                _own_categories,
                "This is the agreement of two annotators who looked at different items: you drew "
                "a new category for the second annotator. Both label the same item.",
            ),
            Mistake(
                "categories all alike",
                lambda given: _agreement(given, np.full(3, 1 / 3)),
                "You drew the categories with equal probabilities. They have the given "
                "prevalences.",
            ),
            Mistake(
                "columns for rows",
                _columns_drawn,
                "You drew labels from a column of the matrix. confusion[j, k] is the row of "
                "probabilities of annotator j's labels for items of category k.",
            ),
            Mistake(
                "right labels",
                _right_labels,
                "This is how often the first annotator gives the true category. The question is "
                "how often the two annotators give the same label, right or wrong.",
            ),
            Mistake(
                "both right",
                _both_right,
                "This is how often both annotators give the true category. They also agree when "
                "both give the same wrong label.",
            ),
        ),
    ),
    Number(
        id="6.2",
        title="Three annotators, one item",
        given=_one_item,
        solve=_item_posterior,
        mistakes=(
            Mistake(
                "prevalence left out",
                _even_posterior,
                "You multiplied the probabilities of the labels and left out the prevalence: how "
                "probable each category is before anybody has labelled.",
            ),
            Mistake(
                "columns for rows",
                _columns_posterior,
                "You read the matrices by columns. The row is the true category, the column the "
                "label: for category k and label l take confusion[j][k][l].",
            ),
            Mistake(
                "joint for posterior",
                lambda given: _joint(given)[1],
                "This is the probability that the category is 1 and the labels are these. Divide "
                "by the same sum over both categories.",
            ),
            Mistake(
                "likelihood for posterior",
                lambda given: _joint(given)[1] / given["prevalence"][1],
                "This is the probability of these labels if the category is 1. Multiply by the "
                "prevalence, do the same for category 0, and divide by the sum.",
            ),
            Mistake(
                "sum for product",
                _added_posterior,
                "You added the probabilities of the labels. Labels are independent given the "
                "category: multiply their probabilities.",
            ),
            Mistake(
                "other category",
                lambda given: 1 - _item_posterior(given),
                "This is the probability of category 0.",
            ),
            Mistake(
                "share of the votes",
                lambda given: np.mean(given["labels"]),
                "This is the share of labels 1. The matrices and the prevalence have no part in "
                "it.",
            ),
        ),
    ),
    Function(
        id="6.3",
        title="The E-step",
        signature="e_step(item, annotator, label, prevalence, confusion)",
        reference=_e_step,
        inputs=_e_inputs,
        properties=(
            Property(
                "rows sum to 1",
                _sums_to_one,
                "The probabilities of an item's categories must sum to 1; yours do not.",
            ),
        ),
        mistakes=(
            Mistake(
                "joint for posterior",
                _products,
                "Your rows are the products of prevalence and probabilities of the labels. Divide "
                "each row by its sum.",
            ),
            Mistake(
                "prevalence left out",
                _no_prevalence,
                "The prevalence has no part in your result. Begin every row with it.",
            ),
            Mistake(
                "columns for rows",
                _columns_for_rows,
                "You use confusion[j, l, :], the row of the label. The true category is the second "
                "index and the label the third: confusion[j, :, l].",
            ),
            Mistake(
                "last label only",
                _last_label_only,
                "Only the last label of each item counts. posterior[item] *= ... changes a row "
                "once, even if the item stands in the index several times. Use a loop, or "
                "np.multiply.at.",
            ),
            Mistake(
                "sum for product",
                _added_up,
                "You add the probabilities of the labels. Labels are independent given the "
                "category: their probabilities are multiplied.",
            ),
        ),
    ),
    Number(
        id="6.4",
        title="Counting items that are uncertain",
        given=_uncertain,
        solve=_sensitivity,
        mistakes=(
            Mistake(
                "hard decisions",
                _hard_sensitivity,
                "You took every item with a probability above one half for a 1, and every other "
                "for a 0. Count each item with its probability.",
            ),
            Mistake(
                "by label for by category",
                _predictive_value,
                "You divided by the number of labels 1: of what the annotator calls 1, how much is "
                "1? The question is the reverse: of what is 1, how much is called 1.",
            ),
            Mistake(
                "specificity",
                _specificity,
                "This is the specificity: of what is 0, how much is called 0.",
            ),
            Mistake(
                "divided by all items",
                _divided_by_items,
                "You divided by the number of all items. Divide by the expected number of items of "
                "category 1.",
            ),
            Mistake(
                "share of labels 1",
                lambda given: np.mean(given["labels"]),
                "This is how often the annotator says 1, whatever the items are.",
            ),
        ),
    ),
    Function(
        id="6.5",
        title="The M-step",
        signature="estimate_confusion(item, annotator, label, posterior, smoothing)",
        reference=_estimate_confusion,
        inputs=_m_inputs,
        properties=(
            Property(
                "rows sum to 1",
                _rows_sum_to_one,
                "Each row, confusion[j, k], must sum to 1 over the labels; yours does not.",
            ),
        ),
        mistakes=(
            Mistake(
                "columns scaled",
                _columns_scaled,
                "You divided each column by its sum: of the items called l, the share that is k. A "
                "confusion matrix has the probabilities of the labels in its rows.",
            ),
            Mistake(
                "labels in rows",
                _labels_in_rows,
                "Your rows belong to labels: of the items called l, the share that is k. Rows "
                "belong to the true category: counts[j, k, l], divided by the sum over l.",
            ),
            Mistake(
                "label before category",
                _axes_swapped,
                "Your matrices are transposed: the second index is the true category, the third "
                "the label.",
            ),
            Mistake(
                "hard decisions",
                _hard_counts,
                "You gave each item to its most probable category. Count it for every category, "
                "with its probability.",
            ),
            Mistake(
                "smoothing left out",
                _unsmoothed,
                "The smoothing is not added to the counts.",
            ),
            Mistake(
                "one matrix for all",
                _one_matrix,
                "All annotators get the same matrix. Count the labels of each annotator "
                "separately.",
            ),
            Mistake(
                "last item only",
                _last_item_only,
                "Of an annotator's items with the same label only the last counts. "
                "counts[annotator, :, label] += ... changes an entry once, even if it stands in "
                "the index several times. Use a loop, or np.add.at.",
            ),
        ),
    ),
    Function(
        id="6.6",
        title="EM",
        signature="dawid_skene(item, annotator, label, n_iterations, smoothing)",
        reference=_fit_by_em,
        inputs=_em_inputs,
        properties=(
            Property(
                "rows sum to 1",
                _sums_to_one,
                "The probabilities of an item's categories must sum to 1; yours do not.",
            ),
        ),
        mistakes=(
            Mistake(
                "uniform start",
                partial(_em, start="uniform"),
                "You begin with equal probabilities. Then every category's row gets the same "
                "counts, and the E-step finds equal probabilities again, forever. Begin with the "
                "shares of the labels.",
            ),
            Mistake(
                "hard decisions",
                partial(_em, hard=True),
                "You gave each item to its most probable category before you counted. EM counts "
                "each item with its probabilities.",
            ),
            Mistake(
                "prevalence left out",
                partial(_em, even=True),
                "All categories are equally probable in your E-step. Estimate the prevalence in "
                "every iteration.",
            ),
            Mistake(
                "one matrix for all",
                partial(_em, pooled=True),
                "Your annotators share one confusion matrix. Then a label counts the same whoever "
                "gave it.",
            ),
            Mistake(
                "prevalence not smoothed",
                partial(_em, plain=True),
                "The smoothing is added to the counts of the confusion matrices, and here also to "
                "the expected number of items of each category, before it is divided by the sum.",
            ),
            Mistake(
                "hard start",
                partial(_em, start="hard"),
                "You begin with the majority's label of each item. Begin with the shares of its "
                "labels.",
            ),
            Mistake(
                "one iteration alone",
                partial(_em, n_done=1),
                "You did one iteration, whatever n_iterations is. Does the `return` stand inside "
                "the loop?",
            ),
            Mistake(
                "one iteration more",
                _one_more,
                "You did one iteration more than asked for: begin with the vote shares, then do "
                "n_iterations times M-step and E-step.",
            ),
        ),
        tolerance=1e-6,
    ),
    Choice(
        id="6.7",
        title="Two names exchanged",
        options={
            "same": "It stays the same.",
            "lower": "It falls, since all annotators now look as if they were nearly always wrong.",
            "higher": "It rises, since the start was not the best optimum.",
        },
        right="same",
        reasons={
            "same": "A sum does not depend on the order of its terms. Only the names of the "
            "classes have changed, and the model does not know names.",
            "lower": "They look so, but the likelihood is the same as before: what used to be "
            "category 1 with label 1 is now called category 2, with label 1.",
            "higher": "The two sets of parameters give the same probabilities of the labels.",
        },
    ),
    Choice(
        id="6.8",
        title="Several optima",
        options={
            "report": "Use the best optimum whose classes mean what their names say; report the "
            "starts.",
            "first": "Report the solution that the vote shares lead to, as it is the one that was "
            "published.",
            "average": "Average the confusion matrices of all optima.",
            "accuracy": "Take the optimum in which the annotators are most accurate.",
        },
        right="report",
        reasons={
            "report": "State the likelihoods too, and which conclusions change with the optimum.",
            "first": "That a solution was published does not make it more likely. Others fit "
            "these labels better, and a reader must know it.",
            "average": "The mean of two optima is no optimum, and usually fits worse than either. "
            "To average over uncertainty one needs a posterior; see Session 7.",
            "accuracy": "High accuracies are no sign of a good fit: a model in which all agree "
            "with the votes can be less likely than one in which some are biased.",
        },
    ),
    Choice(
        id="6.9",
        title="What a certainty says",
        options={
            "fitted": "With probability 0.99 it belongs to this class, if the model is true.",
            "sense": "The item has sense 6: of a hundred such items only one has another sense.",
            "votes": "99% of the annotators chose sense 6 for this item.",
        },
        right="fitted",
        reasons={
            "fitted": "Whether the class is sense 6 must be seen from the labels of its items.",
            "sense": "Only if the model is true, the parameters are known and the class means "
            "sense 6. At another optimum, with a higher posterior density, many of these items "
            "belong to another class.",
            "votes": "The items of this class have fewer labels of sense 6 than of sense 1. The "
            "model concludes from whole patterns of labels.",
        },
    ),
]
