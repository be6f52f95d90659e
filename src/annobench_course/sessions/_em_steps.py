"""Session 6: E-step, M-step and EM by the library, and the usual mistakes in programming them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def matrices(rng: np.random.Generator, n_annotators: int, k: int, lowest: float = 0.55) -> Floats:
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


def as_annotations(item: Codes, annotator: Codes, label: Codes, j: int, k: int) -> Annotations:
    return Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(int(np.max(item)) + 1),
        annotators=range(j),
        categories=range(k),
    )


def e_step(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    """Return the posterior of the items by the library's E-step."""
    from annobench.models.dawid_skene.em import Parameters, Problem, Settings

    labels = as_annotations(item, annotator, label, len(confusion), len(prevalence))
    problem = Problem.of(labels, Settings.plain(labels, 0.0, max_iterations=1))
    state = problem.begin(None, Parameters(np.asarray(prevalence), np.asarray(confusion)))
    problem.expect(state)
    return np.asarray(state.posterior)


def products(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    posterior = np.tile(prevalence, (int(np.max(item)) + 1, 1))
    np.multiply.at(posterior, item, confusion[annotator, :, label])
    return posterior


def shares(weight: Floats) -> Floats:
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def last_label_only(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    posterior = np.tile(prevalence, (int(np.max(item)) + 1, 1))
    posterior[item] *= confusion[annotator, :, label]
    return shares(posterior)


def no_prevalence(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    return shares(products(item, annotator, label, np.ones(len(prevalence)), confusion))


def columns_for_rows(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    return shares(products(item, annotator, label, prevalence, confusion.swapaxes(1, 2)))


def added_up(
    item: Codes, annotator: Codes, label: Codes, prevalence: Floats, confusion: Floats
) -> Floats:
    total = np.zeros((int(np.max(item)) + 1, len(prevalence)))
    np.add.at(total, item, confusion[annotator, :, label])
    return shares(total * prevalence)


def labelled(
    rng: np.random.Generator, n_items: int, j: int, k: int, missing: float = 0.0
) -> tuple[Codes, Codes, Codes, Floats, Floats]:
    """Draw labels by the story, with every annotator and item among them; shuffled."""
    prevalence, confusion = rng.dirichlet(np.full(k, 6.0)), matrices(rng, j, k)
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


def e_inputs(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, j, k, missing in ((2, 2, 2, 0.0), (4, 3, 2, 0.3), (10, 5, 3, 0.3)):
        item, annotator, label, prevalence, confusion = labelled(rng, n_items, j, k, missing)
        cases.append((item, annotator, label, shares(prevalence), confusion))
    return cases


def sums_to_one(step: Any, *arguments: Any) -> bool:
    return bool(np.allclose(np.sum(step(*arguments), axis=1), 1, atol=1e-6))


def estimate_confusion(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    """Return the confusion matrices by the library's M-step."""
    from annobench.models.dawid_skene.em import Problem, Settings, confusion_of

    k = np.shape(posterior)[1]
    labels = as_annotations(item, annotator, label, int(np.max(annotator)) + 1, k)
    problem = Problem.of(labels, Settings.plain(labels, smoothing, max_iterations=1))
    return confusion_of(problem, problem.begin(np.asarray(posterior, dtype=np.float64), None))


def expected_counts(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    k = np.shape(posterior)[1]
    counts = np.full((int(np.max(annotator)) + 1, k, k), float(smoothing))
    cells = annotator[:, None], np.arange(k), label[:, None]
    np.add.at(counts, cells, np.asarray(posterior)[item])
    return counts


def columns_scaled(*arguments: Any) -> Floats:
    counts = expected_counts(*arguments)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def labels_in_rows(*arguments: Any) -> Floats:
    return columns_scaled(*arguments).swapaxes(1, 2)


def axes_swapped(*arguments: Any) -> Floats:
    return shares(expected_counts(*arguments)).swapaxes(1, 2)


def hard_counts(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    hard = np.eye(np.shape(posterior)[1])[np.argmax(posterior, axis=1)]
    return shares(expected_counts(item, annotator, label, hard, smoothing))


def unsmoothed(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    return shares(expected_counts(item, annotator, label, posterior, 0.0))


def one_matrix(*arguments: Any) -> Floats:
    counts = expected_counts(*arguments)
    return np.tile(shares(counts.sum(axis=0)), (len(counts), 1, 1))


def last_item_only(
    item: Codes, annotator: Codes, label: Codes, posterior: Floats, smoothing: float
) -> Floats:
    k = np.shape(posterior)[1]
    counts = np.full((int(np.max(annotator)) + 1, k, k), float(smoothing))
    counts[annotator, :, label] += np.asarray(posterior)[item]
    return shares(counts)


def m_inputs(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, j, k, missing in ((4, 2, 2, 0.0), (6, 3, 2, 0.3), (12, 4, 3, 0.3)):
        item, annotator, label, _, _ = labelled(rng, n_items, j, k, missing)
        cases.append((item, annotator, label, rng.dirichlet(np.ones(k), n_items), 0.1))
    return cases


def rows_sum_to_one(step: Any, *arguments: Any) -> bool:
    return bool(np.allclose(np.sum(step(*arguments), axis=2), 1, atol=1e-6))


def fit_by_em(
    item: Codes, annotator: Codes, label: Codes, n_iterations: int, smoothing: float
) -> Floats:
    """Return the posterior after so many M- and E-steps from the votes, by the library."""
    from annobench.models import dawid_skene

    labels = as_annotations(
        item, annotator, label, int(np.max(annotator)) + 1, int(np.max(label)) + 1
    )
    # The library does the first M-step and E-step before it counts an iteration.
    fitted = dawid_skene.fit(
        labels, smoothing=smoothing, tolerance=0, max_iterations=n_iterations - 1
    )
    return np.asarray(fitted.posterior)


def em(
    item: Codes,
    annotator: Codes,
    label: Codes,
    n_iterations: int,
    smoothing: float,
    *,
    start: str = "votes",
    hard: bool = False,
    even: bool = False,
    plain: bool = False,
    pooled: bool = False,
) -> Floats:
    """Do EM with one thing wrong."""
    k = int(np.max(label)) + 1
    posterior = np.zeros((int(np.max(item)) + 1, k))
    np.add.at(posterior, (item, label), 1.0)
    posterior = np.full_like(posterior, 1 / k) if start == "uniform" else shares(posterior)
    for _ in range(n_iterations):
        if hard:
            posterior = np.eye(k)[posterior.argmax(axis=1)]
        prevalence = posterior.sum(axis=0) + (0.0 if plain else smoothing)
        if even:
            prevalence = np.ones(k)
        counts = expected_counts(item, annotator, label, posterior, smoothing)
        if pooled:
            counts[:] = counts.sum(axis=0)
        posterior = shares(products(item, annotator, label, prevalence, shares(counts)))
    return posterior


def one_more(
    item: Codes, annotator: Codes, label: Codes, n_iterations: int, smoothing: float
) -> Floats:
    return fit_by_em(item, annotator, label, n_iterations + 1, smoothing)


def em_inputs(rng: np.random.Generator) -> list[tuple[Any, ...]]:
    cases = []
    for n_items, j, k, n_iterations in ((6, 3, 2, 2), (15, 4, 2, 5), (24, 5, 3, 8)):
        item, annotator, label, _, _ = labelled(rng, n_items, j, k, 0.2)
        cases.append((item, annotator, label, n_iterations, 0.01))
    return cases
