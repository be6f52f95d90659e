r"""The disorder of labels in an alignment: gamma of categories, and of one category.

In a row of an alignment with n units, a pair of units has the weight ::

    w = max(0, 1 - position * p**2) / (n - 1)

with p the relative difference of their boundaries, as in gamma: units that hardly overlap
contribute little, and a row of n units counts as n / 2 pairs. The disorder of labels is the share
of the weight of pairs with different labels; for a single label, among the pairs with at least one
unit of that label. Single units in a row contribute nothing, as single labels contribute nothing to
Krippendorff's alpha.

pygamma-agreement 0.5.9 (Titeux and Riad, 2021, JOSS 6(62), 2989) also counts units without a
counterpart: a unit and an empty unit have the weight delta_empty and the disorder delta_empty**2,
so its gamma-cat falls if annotators marked different places. For labels a, b and c by one annotator
and a, c and none by the other, with the same boundaries, half of the weight is on different labels
here, and two thirds there.

Mathet (2017), The agreement measure gamma-cat, a complement to gamma focused on categorization of a
continuum, Computational Linguistics 43, 661-681; section 4.2.5 of its preprint, hal-01712281.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from annobench.resampling.ratios import ratio
from annobench.spans.gamma_alignment import BestAlignment, Dissimilarity, Units

__all__ = ["LabelDisorder"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelDisorder:
    """Weights of all pairs of units, and of pairs with different labels.

    The first column is for all labels, the others for each label.

    Attributes
    ----------
    weight, differing : ndarray, shape (D', 1 + K)
        Weights in the best alignment of each document.
    expected : ndarray, shape (D', draws, 1 + K)
        Share of the weight with different labels in random annotations; NaN without any weight.
    """

    weight: Floats
    differing: Floats
    expected: Floats

    @property
    def by_chance(self) -> Floats:
        """Chance weight of pairs with different labels, at the document's weight, (D', 1 + K).

        NaN if no random annotations have overlapping units.
        """
        seen = np.isfinite(self.expected)
        mean = ratio(np.where(seen, self.expected, 0).sum(axis=1), seen.sum(axis=1))
        return np.asarray(self.weight * mean)

    @property
    def standard_error(self) -> Floats:
        """Monte Carlo standard error of the sum of `by_chance`, shape (1 + K,)."""
        seen = np.isfinite(self.expected)
        n = seen.sum(axis=1)
        values = np.where(seen, self.expected, 0)
        mean = ratio(values.sum(axis=1), n)
        squares = (np.where(seen, self.expected - mean[:, None], 0) ** 2).sum(axis=1)
        variance = np.nan_to_num(ratio(squares, n - 1) * ratio(self.weight**2, n))
        return np.asarray(np.sqrt(variance.sum(axis=0)))

    def gamma(self, times: Floats | None = None) -> Floats:
        """Compute gamma of categories and of each category.

        Parameters
        ----------
        times : ndarray, shape (S, D'), optional
            Multiplicity of each document in bootstrap samples; by default 1.

        Returns
        -------
        ndarray, shape (1 + K,) or (S, 1 + K)
            1 is perfect and 0 is chance; NaN if different labels never occur by chance, as with one
            label.
        """
        chance = self.by_chance
        known = np.isfinite(chance)
        counts = np.ones(len(chance)) if times is None else times
        observed = counts @ np.where(known, self.differing, 0)
        return np.asarray(1 - ratio(observed, counts @ np.where(known, chance, 0)))


def label_disorder(
    units: list[Units], best: BestAlignment, dissimilarity: Dissimilarity, n_labels: int
) -> tuple[Floats, Floats]:
    """Weight the pairs of alignments."""
    shape = best.disorder.size, 1 + n_labels
    weight, differing = np.zeros(shape), np.zeros(shape)
    size = (best.tuples >= 0).sum(axis=1)
    positions = Dissimilarity(dissimilarity.position, 0.0)
    for i, j in combinations(range(len(units)), 2):
        both = np.flatnonzero((best.tuples[:, i] >= 0) & (best.tuples[:, j] >= 0))
        first, second = (units[a].at(best.tuples[both, a]) for a in (i, j))
        w = np.maximum(0.0, 1.0 - positions.between(first, second)) / (size[both] - 1)
        differ = np.where(first.label != second.label, w, 0.0)
        all_labels = np.zeros_like(first.label)
        for total, column, added in (
            (weight, all_labels, w),
            (weight, 1 + first.label, w),
            (weight, 1 + second.label, differ),
            (differing, all_labels, differ),
            (differing, 1 + first.label, differ),
            (differing, 1 + second.label, differ),
        ):
            cell = first.document * shape[1] + column
            total += np.bincount(cell, added, total.size).reshape(shape)
    return weight, differing
