"""Small sets of labels, written where they are tested."""

from collections.abc import Sequence

import numpy as np

from annobench.labels.annotations import Annotations
from annobench.simulation import panels


def panel(labels: dict[str, str], **names: object) -> Annotations:
    """Labels of annotators "0", "1", ... by item; "-" is none: ``{"x": "11-0"}``."""
    rows = [
        (i, str(j), label)
        for i, row in labels.items()
        for j, label in enumerate(row)
        if label != "-"
    ]
    return Annotations.from_arrays(*zip(*rows, strict=True), **names)


def simulated(
    rng: np.random.Generator,
    n_categories: int = 3,
    n_items: int = 60,
    n_annotators: int = 6,
    *,
    right: tuple[float, float] = (0.7, 0.7),
    share: float = 0.75,
) -> Annotations:
    """Labels of annotators from the least to the most often right, a share of all there are."""
    truth = rng.integers(n_categories, size=(n_items, 1))
    shift = rng.integers(1, n_categories, size=(n_items, n_annotators))
    is_right = rng.random(shift.shape) < np.linspace(*right, n_annotators)
    label = (truth + np.where(is_right, 0, shift)) % n_categories
    item, annotator = np.nonzero(rng.random(shift.shape) < share)
    return Annotations.from_arrays(
        item,
        annotator,
        label[item, annotator],
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(n_categories),
    )


def crowd(
    rng: np.random.Generator,
    accuracy: Sequence[float],
    n_items: int = 400,
    n_categories: int = 3,
    share: float = 0.5,
) -> Annotations:
    """Labels of annotators of given accuracies, a share of all there are."""
    k, n_annotators = n_categories, len(accuracy)
    truth = rng.integers(k, size=n_items)
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) < share)
    right = rng.random(item.size) < np.asarray(accuracy)[annotator]
    wrong = (truth[item] + rng.integers(1, k, size=item.size)) % k
    return Annotations.from_arrays(
        item,
        annotator,
        np.where(right, truth[item], wrong),
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(k),
    )


def skilled(
    n_items: int, n_annotators: int, *, missing: float = 0.2, rng: int = 7
) -> panels.SimulatedBinary:
    """Two categories, prevalence .4, and annotators who are right five times in six."""
    return panels.binary(
        n_items=n_items,
        n_annotators=n_annotators,
        prevalence=0.4,
        sensitivity=(20, 4),
        specificity=(20, 4),
        missing=missing,
        rng=np.random.default_rng(rng),
    )


def noisy(
    rng: int, n_items: int, n_annotators: int, n_categories: int, noise: float, **names: object
) -> Annotations:
    """Labels of all annotators on all items, of categories in turn; a share of them is noise."""
    rng = np.random.default_rng(rng)
    item, annotator = np.indices((n_items, n_annotators)).reshape(2, -1)
    guess = rng.random(item.size) < noise
    label = np.where(guess, rng.integers(0, n_categories, item.size), item % n_categories)
    return Annotations.from_arrays(item, annotator, label, **names)
