"""Simulated annotations with known truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annobench.annotations import Annotations


@dataclass(frozen=True, eq=False)
class SimulatedBinary:
    """Binary annotations and the values that made them.

    Attributes
    ----------
    annotations : Annotations
        Categories "0" and "1"; every item and annotator is named, labelled or not.
    category : ndarray of int8, shape (I,)
        The true categories.
    sensitivity, specificity : ndarray, shape (J,)
        Of each annotator.
    """

    annotations: Annotations
    category: NDArray[np.int8]
    sensitivity: NDArray[np.float64]
    specificity: NDArray[np.float64]


def binary(
    *,
    n_items: int,
    n_annotators: int,
    prevalence: float,
    sensitivity: tuple[float, float],
    specificity: tuple[float, float],
    missing: float,
    rng: np.random.Generator,
) -> SimulatedBinary:
    """Simulate a binary panel with labels missing completely at random.

    Parameters
    ----------
    n_items, n_annotators : int
        I and J.
    prevalence : float
        Probability of category 1, in [0, 1].
    sensitivity, specificity : tuple of float
        The (alpha, beta) of the beta distributions that annotators are drawn from.
    missing : float
        Probability that an annotator did not label an item, in [0, 1), not balanced by
        item or annotator.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    SimulatedBinary
        Labels and truth.

    Raises
    ------
    ValueError
        If a probability is out of its range.

    References
    ----------
    Carpenter (2008), section 3.
    """
    if not 0 <= prevalence <= 1:
        raise ValueError(f"simulate.binary: prevalence must be in [0, 1], got {prevalence}.")
    if not 0 <= missing < 1:
        raise ValueError(f"simulate.binary: missing must be in [0, 1), got {missing}.")
    category = (rng.random(n_items) < prevalence).astype(np.int8)
    theta_1 = rng.beta(*sensitivity, size=n_annotators)
    theta_0 = rng.beta(*specificity, size=n_annotators)
    says_one = np.where(category[:, None] == 1, theta_1, 1 - theta_0)
    labels = rng.random((n_items, n_annotators)) < says_one
    item, annotator = np.nonzero(rng.random((n_items, n_annotators)) >= missing)
    return SimulatedBinary(
        Annotations.from_arrays(
            item,
            annotator,
            labels[item, annotator].astype(np.int8),
            items=range(n_items),
            annotators=range(n_annotators),
            categories=("0", "1"),
        ),
        category,
        theta_1,
        theta_0,
    )
