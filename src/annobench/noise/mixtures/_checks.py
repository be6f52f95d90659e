"""Checks of arguments that several functions share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annobench.noise.mixtures._scoring import METHODS
from annobench.noise.mixtures.counts import Counts, Floats, max_identifiable_components


def is_hard(rate: Floats, within: tuple[float, float]) -> NDArray[np.bool_]:
    """Return which rates lie in the band of hard components."""
    low, high = checked_band(within)
    return (rate >= low) & (rate <= high)


def checked_band(within: tuple[float, float]) -> tuple[float, float]:
    """Return the limits of a band of rates, which must be inside (0, 1)."""
    low, high = within
    if not 0 < low < high < 1:
        raise ValueError(
            f"mixtures: within must be two ascending rates between 0 and 1, got {within}."
        )
    return low, high


def check_n_components(n_components: int, counts: Counts) -> None:
    """Reject a number of components that the labels can't identify."""
    largest = max_identifiable_components(counts.max_labels)
    if not 1 <= n_components <= largest:
        raise ValueError(
            f"mixtures: {n_components} components, but {counts.max_labels} labels per item "
            f"identify 1 to {largest} (2 m - 1 <= n). Ask for fewer components or get more labels."
        )


def check_method(method: str) -> None:
    """Reject an unknown method of estimation."""
    if method not in METHODS:
        raise ValueError(f"mixtures: method {method!r} is not one of {', '.join(METHODS)}.")


def check_replicates(replicates: int) -> None:
    """Reject a bootstrap without replicates."""
    if replicates < 1:
        raise ValueError(f"mixtures: replicates must be at least 1, got {replicates}.")
