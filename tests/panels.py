"""Small sets of labels, written where they are tested."""

import numpy as np

from annobench.labels.annotations import Annotations


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
