"""Partial pooling: a Dirichlet distribution of annotators' rows, estimated from counts."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from annobench.models._votes import Floats


def pooled_rows(
    counts: Floats, mean: Floats, concentration: float, pseudo: Floats, gamma: tuple[float, float]
) -> tuple[Floats, float]:
    """Update mean rows, (K, K), and their concentration for (expected) counts, (J, K, K).

    Fixed-point updates that raise the Dirichlet-multinomial likelihood (Minka 2000), with `pseudo`
    counts for the mean rows and a gamma prior (shape, rate) on the concentration.
    """
    shape, rate = gamma
    # Cells without counts add nothing.
    cells = counts.nonzero()
    found, rows = counts[cells], cells[1:]

    def shares(s: float) -> Floats:
        own = s * mean[rows]
        tables = np.zeros_like(counts)
        tables[cells] = own * (digamma(found + own) - digamma(own))
        return tables

    slope = (digamma(counts.sum(axis=2) + concentration) - digamma(concentration)).sum()
    concentration = float((shares(concentration).sum() + shape) / (slope + rate))
    weight = pseudo + shares(concentration).sum(axis=0)
    return weight / weight.sum(axis=1, keepdims=True), concentration
