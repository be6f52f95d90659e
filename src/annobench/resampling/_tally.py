"""A compiled kernel that counts draws."""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel


@kernel()
def tally(drawn, n):
    """Return how often each of n numbers was drawn, by row."""
    counts = np.zeros((drawn.shape[0], n))
    for replicate in range(drawn.shape[0]):
        for draw in range(drawn.shape[1]):
            counts[replicate, drawn[replicate, draw]] += 1.0
    return counts
