"""Labels of crowds whose annotators are fixed, and what is true of them on very many items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations, Scale

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Crowd:
    """Items of categories, and annotators who label some of them.

    Attributes
    ----------
    n_items, n_annotators : int
        I and J.
    labels_per_item : int
        By as many different annotators, drawn at random.
    shares : tuple of float
        Of the categories.
    accuracy : tuple of float
        Of the worst and of the best annotator; errors are uniform over the other categories.
    unequal : bool
        Whether the j-th annotator is drawn in proportion to 1 / j.
    scale : {"nominal", "ordinal", "interval"}
        Of the labels, which are 0, 1, ...
    """

    n_items: int
    n_annotators: int
    labels_per_item: int
    shares: tuple[float, ...] = (0.5, 0.5)
    accuracy: tuple[float, float] = (0.65, 0.95)
    unequal: bool = False
    scale: Scale = "nominal"

    @property
    def words(self) -> str:
        """The design."""
        complete = self.labels_per_item == self.n_annotators
        parts = [
            f"{self.n_items} items",
            f"{self.n_annotators} annotators",
            "" if complete else f"{self.labels_per_item} labels per item",
            "prevalence " + ", ".join(f"{share:g}".lstrip("0") for share in self.shares[1:]),
            "annotators of unequal activity" if self.unequal else "",
            "" if self.scale == "nominal" else f"{self.scale} scale",
        ]
        return ", ".join(part for part in parts if part)

    @cached_property
    def activity(self) -> Floats:
        """Relative frequency of each annotator, shape (J,)."""
        weight = 1 / np.arange(1.0, self.n_annotators + 1)
        return weight if self.unequal else np.ones(self.n_annotators)

    @cached_property
    def right(self) -> Floats:
        """The probability that each annotator is right, shape (J,), in an order of no meaning."""
        order = np.random.default_rng(1).permutation(self.n_annotators)
        return np.linspace(*self.accuracy, self.n_annotators)[order]

    def truth(self, rng: np.random.Generator) -> Ints:
        """Draw the items' categories."""
        return rng.choice(len(self.shares), size=self.n_items, p=self.shares)

    def who(self, rng: np.random.Generator) -> Ints:
        """Draw the annotators of each item, shape (I, labels per item)."""
        if self.labels_per_item == self.n_annotators:
            return np.tile(np.arange(self.n_annotators), (self.n_items, 1))
        # The first to arrive in independent Poisson processes: a draw without replacement.
        arrival = rng.standard_exponential((self.n_items, self.n_annotators)) / self.activity
        return np.argpartition(arrival, self.labels_per_item, axis=1)[:, : self.labels_per_item]

    def labels(self, truth: Ints, who: Ints, rng: np.random.Generator) -> Ints:
        """Let annotators label items, shape (I, labels per item)."""
        wrong = truth[:, None] + rng.integers(1, len(self.shares), size=who.shape)
        is_right = rng.random(who.shape) < self.right[who]
        return np.where(is_right, truth[:, None], wrong % len(self.shares))

    def draw(self, rng: np.random.Generator) -> Annotations:
        """Draw a data set."""
        who = self.who(rng)
        label = self.labels(self.truth(rng), who, rng)
        return Annotations.from_arrays(
            np.repeat(np.arange(self.n_items), self.labels_per_item),
            who.ravel(),
            label.ravel(),
            annotators=range(self.n_annotators),
            categories=range(len(self.shares)),
            scale=self.scale,
        )

    def in_the_long_run(self, statistic: Callable[[Annotations], float]) -> float:
        """Compute a statistic of a data set so large that chance hardly matters."""
        large = replace(self, n_items=200_000)
        return statistic(large.draw(np.random.default_rng(0)))
