"""Annotators of different reliability: a judgement follows the model, or is a guess.

With probability r_j annotator j judges by Bradley and Terry's model; otherwise the outcome is drawn
from the annotator's own distribution, whatever the items, such as mostly the left one. In Chen et
al. (2013) annotators reverse their judgement instead; guesses with a preferred side are from
Toloka's crowd-kit (NoisyBradleyTerry), here with ties.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annobench.models._fixed_point import TOLERANCE, Settling
from annobench.pairwise._likelihood import Estimate, assemble, information, maximise, probabilities
from annobench.pairwise._likelihood import scores as scores_of
from annobench.pairwise.comparisons import TIE, Comparisons

__all__ = ["Reliable", "fit_reliability", "observed_information"]

Floats = NDArray[Any]

#: Comparisons that are added to each annotator, half of them judged and half guessed.
SMOOTHING: Final = 1.0
#: Of the prior of log-strengths, normal with standard deviation 10: without it the strength of an
#: item whose wins all are guesses would have no maximum.
PRECISION: Final = 0.01
_MAX_ITERATIONS: Final = 2_000


class Reliable(NamedTuple):
    """A fit.

    Attributes
    ----------
    estimate : Estimate
        Strengths and ties.
    reliability : ndarray, shape (J,)
        Share of comparisons that are judged, in (0, 1).
    guesses : ndarray, shape (J, 3)
        Distribution of the others over left, tie and right.
    judged : ndarray, shape (N,)
        Posterior probability that a comparison was judged.
    converged : bool
        Whether the iterations stopped.
    """

    estimate: Estimate
    reliability: Floats
    guesses: Floats
    judged: Floats
    converged: bool


def fit_reliability(
    of: Comparisons,
    start: Estimate,
    *,
    smoothing: float = SMOOTHING,
    precision: float = PRECISION,
) -> Reliable:
    """Estimate strengths and reliabilities by EM, from strengths of equally reliable annotators."""
    assert of.annotator is not None
    j, n = len(of.annotators), of.n_comparisons
    outcomes = 3 if (of.outcome == TIE).any() else 2
    possible = np.ones(3)
    possible[TIE] = outcomes == 3
    overall = np.bincount(of.outcome, minlength=3) / n
    at, reliability = start, np.full(j, 0.8)
    guesses = np.tile(0.5 * overall + 0.5 * possible / outcomes, (j, 1))
    each, settling, converged = np.arange(n), Settling(TOLERANCE), False
    total = np.bincount(of.annotator, minlength=j)
    judged = np.ones(n)  # the probability of each outcome to be by the model
    for _ in range(_MAX_ITERATIONS):
        by_model = reliability[of.annotator] * probabilities(of, at)[each, of.outcome]
        by_guess = (1 - reliability[of.annotator]) * guesses[of.annotator, of.outcome]
        before, judged = judged, by_model / (by_model + by_guess)
        converged = settling.has_settled(before, judged)
        if converged:
            break
        reliability = (np.bincount(of.annotator, judged, j) + smoothing / 2) / (total + smoothing)
        counts = np.zeros((j, 3))
        np.add.at(counts, (of.annotator, of.outcome), 1 - judged)
        counts += smoothing * possible / outcomes
        guesses = counts / counts.sum(axis=1, keepdims=True)
        at = maximise(of, judged, at, precision=precision)
    return Reliable(at, reliability, guesses, judged, converged)


def observed_information(of: Comparisons, found: Reliable) -> Floats:
    """Return the information on strengths and ties, annotators' parameters taken as known.

    Louis (1982), Journal of the Royal Statistical Society B 44: the complete-data information minus
    the missing information on which comparisons were judged.
    """
    complete = information(of, found.estimate, found.judged)
    points, ties = scores_of(of, found.estimate)
    unsure = found.judged * (1 - found.judged)
    lost = assemble(of, unsure * points**2, unsure * points * ties, float(unsure @ ties**2))
    found_information = complete - lost
    k = of.n_items
    found_information[:k, :k] += PRECISION * np.eye(k)
    return np.asarray(found_information)
