"""Binomial probabilities of cells, and histograms drawn with given expected cells."""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from annobench.noise.mixtures.counts import Counts, Floats, Integers


def binomial_pmf(rate: Floats, labels: Integers, positives: Integers) -> Floats:
    """Return the binomial probabilities of cells: rates (..., m) give (..., m, M)."""
    coefficient = gammaln(labels + 1) - gammaln(positives + 1) - gammaln(labels - positives + 1)
    p = rate[..., None]
    log_pmf = coefficient + xlogy(positives, p) + xlog1py(labels - positives, -p)
    return cast(Floats, np.exp(log_pmf))


def draw_histograms(
    expected: Floats, counts: Counts, replicates: int, rng: np.random.Generator
) -> Floats:
    """Draw histograms with the given expected cells, shape (R, M)."""
    drawn = np.zeros((replicates, expected.size))
    for n in np.unique(counts.labels):
        cells = counts.labels == n
        total = expected[cells].sum()
        if total > 0:
            share = np.clip(expected[cells] / total, 0, None)
            items = round(counts.items[cells].sum())
            drawn[:, cells] = rng.multinomial(items, share / share.sum(), size=replicates)
    return drawn
