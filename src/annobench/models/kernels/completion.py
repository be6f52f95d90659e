"""Compiled kernel of robust rank-one completion."""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel


@kernel()
def refit_factor(offsets, column, value, other, n_trimmed, floor, factor):
    """Set each entry of a factor to the trimmed mean of its row's values over the other factor."""
    for j in range(factor.size):
        ratio = np.empty(offsets[j + 1] - offsets[j])
        for n in range(ratio.size):
            place = offsets[j] + n
            ratio[n] = value[place] / other[column[place]]
        ratio.sort()
        below, above = 0, 0
        for n in range(ratio.size):
            below += ratio[n] < factor[j]
            above += ratio[n] > factor[j]
        first, last = min(below, n_trimmed), ratio.size - min(above, n_trimmed)
        if first < last:
            factor[j] = ratio[first:last].mean()
            if factor[j] == 0.0:
                factor[j] = floor
