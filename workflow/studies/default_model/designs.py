"""Simulated crowds, whose errors are independent, moderately or strongly dependent.

An item has L distinct annotators. Annotator j is right on category k with a probability near the
annotator's accuracy, whose distribution is the crowd's; errors are half common confusions, half
uniform. Dependence has two forms. If annotators follow an impression, each label is, with a given
probability, a common impression of the item, drawn from the mean row of its category. If items are
hard, on a given share of them four labels in five are guesses.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations

Codes = NDArray[np.int64]

#: Share of labels on hard items that are guesses.
GUESSED: Final = 0.8
#: Levels: the probability of following the impression, and the share of hard items.
IMPRESSION: Final = {"moderate": 0.3, "strong": 0.5}
HARD: Final = {"moderate": 0.15, "strong": 0.4}


class Design(NamedTuple):
    """A simulated crowd.

    Attributes
    ----------
    dependence : str
        "none", "moderate" or "strong".
    form : str
        "impression", "hard items", or "" if there is none.
    crowd : str
        "ordinary", "constant" (one annotator in fifteen always gives the last category), "spam"
        (three in ten ignore the item), "careful" or "expert" (one in five).
    n_categories, labels_per_item, labels_per_annotator, n_items : int
        K, L, the mean number of labels of an annotator, and I.
    """

    dependence: str
    form: str
    crowd: str
    n_categories: int
    labels_per_item: int
    labels_per_annotator: int
    n_items: int

    @property
    def name(self) -> str:
        """The design in words."""
        form = f", {self.form}" if self.form else ""
        return (
            f"{self.crowd}, {self.dependence} dependence{form}, K = {self.n_categories}, "
            f"{self.labels_per_item} labels an item, {self.labels_per_annotator} an annotator"
        )


#: Crowd, K, labels an item, labels an annotator: ten settings, each at every level of dependence.
_SETTINGS: Final = (
    ("ordinary", 2, 10, 50),
    ("ordinary", 3, 5, 50),
    ("ordinary", 5, 5, 150),
    ("constant", 3, 5, 45),
    ("constant", 2, 20, 50),
    ("spam", 2, 5, 50),
    ("spam", 5, 10, 15),
    ("careful", 10, 3, 50),
    ("expert", 3, 10, 500),
    ("expert", 4, 2, 5),
)

#: The thirty designs of the criterion: the form of dependence alternates.
DESIGNS: Final = tuple(
    Design(
        dependence,
        "" if dependence == "none" else ("impression", "hard items")[number % 2],
        crowd,
        n_categories,
        per_item,
        per_annotator,
        1_000 if per_annotator > 150 else 400,
    )
    for dependence in ("none", "moderate", "strong")
    for number, (crowd, n_categories, per_item, per_annotator) in enumerate(_SETTINGS)
)


def simulate(design: Design, rng: np.random.Generator) -> tuple[Annotations, Codes]:
    """Draw labels, and the true category of each item."""
    k, n_items, per_item = design.n_categories, design.n_items, design.labels_per_item
    n_annotators = max(per_item + 1, round(n_items * per_item / design.labels_per_annotator))
    prevalence = np.arange(k, 0, -1.0) + 1
    truth = rng.choice(k, n_items, p=prevalence / prevalence.sum())
    rows = _rows(design.crowd, n_annotators, k, rng)
    annotator = np.argsort(rng.random((n_items, n_annotators)), axis=1)[:, :per_item].ravel()
    item = np.repeat(np.arange(n_items), per_item)
    label = _draw(rows[annotator, truth[item]], rng)
    if design.form == "impression":
        impression = _draw(rows.mean(axis=0)[truth], rng)
        follows = rng.random(item.size) < IMPRESSION[design.dependence]
        label = np.where(follows, impression[item], label)
    if design.form == "hard items":
        hard = rng.random(n_items) < HARD[design.dependence]
        guesses = hard[item] & (rng.random(item.size) < GUESSED)
        label = np.where(guesses, rng.integers(k, size=item.size), label)
    labels = Annotations.from_arrays(
        item,
        annotator,
        label,
        items=range(n_items),
        annotators=range(n_annotators),
        categories=range(k),
    )
    return labels, truth


def _rows(crowd: str, n_annotators: int, k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw confusion matrices, shape (J, K, K)."""
    accuracy = rng.beta(*((30, 2) if crowd == "careful" else (8, 3)), size=n_annotators)
    if crowd == "expert":
        accuracy = rng.beta(6, 4, size=n_annotators)
        accuracy[::5] = 0.95
    errors = (rng.dirichlet(np.ones(k), size=k) + 1 / k) / 2
    np.fill_diagonal(errors, 0)
    errors /= errors.sum(axis=1, keepdims=True)
    right = np.clip(accuracy[:, None] + rng.normal(0, 0.05, (n_annotators, k)), 0.02, 0.995)
    rows = errors * (1 - right)[:, :, None]
    rows[:, np.arange(k), np.arange(k)] = right
    if crowd == "constant":
        rows[::15] = np.eye(k)[-1]
    if crowd == "spam":
        spam = np.arange(n_annotators) % 10 < 3
        rows[spam] = rng.dirichlet(np.full(k, 3.0), size=spam.sum())[:, None]
    return rows


def _draw(rows: NDArray[np.float64], rng: np.random.Generator) -> Codes:
    """Draw a category from each row of probabilities."""
    categories: Codes = (rng.random((len(rows), 1)) > rows.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return categories
