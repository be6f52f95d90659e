"""Compiled steps of samplers whose log odds have normally distributed effects.

On an item of category k the odds of the label l against k are the product of what annotator and
item contribute. An effect is a vector of K log odds whose entry k, that of the right label, is 0:
of an item, or of an annotator in category k. A cell is an item and an annotator who labelled it,
once or `total` times. Of a block, which is an item or an annotator in one category, `rows` are the
rows of `odds` that its cells meet, the contributions of the other side, and `observed[l]` counts
its labels l.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from annobench.models.kernels.hierarchical_dawid_skene import assignment

#: Degrees of freedom of proposals: their tails are longer than those of any block.
_FREEDOM = 5.0
#: Newton's method stops after so many steps, or at one below this share of a standard deviation.
_STEPS, _SMALL_STEP = 10, 0.1
#: The longest step, in log odds: far from the mode the curvature is that of the prior alone.
_LONGEST = 2.0
#: Bounds of the logarithm of a spread; the prior leaves less than 1e-5 below and 1e-80 above.
LOWEST, HIGHEST = -12.0, 3.0


@njit(nogil=True, cache=True)
def in_order(mean):
    """Say whether no other order of the rows has larger log odds on its diagonal, together."""
    return mean.max() <= 0.0 or (assignment(mean) == np.arange(mean.shape[0])).all()


@njit(nogil=True, cache=True)
def approximate(odds, rows, total, observed, mean, spread, k, mode, precision, lean):
    """Approximate the distribution of a block's effect by a normal one; return its log determinant.

    It is centred at `mode`; its inverse covariance is diag(`precision`) - lean lean', exact if all
    cells have the same odds. The result depends on nothing that the block's own draw changes.
    """
    n_categories = mean.size
    factor, expected = np.empty(n_categories), np.empty(n_categories)
    whole = total.sum()
    mode[:] = mean
    mode[k] = lean[k] = 0.0
    precision[k] = 1.0
    determinant = 0.0
    for _ in range(_STEPS):
        for label in range(n_categories):
            factor[label] = math.exp(mode[label])
            expected[label] = 0.0
        for n in range(rows.size):
            mass = 0.0
            for label in range(n_categories):
                mass += odds[rows[n], label] * factor[label]
            share = total[n] / mass
            for label in range(n_categories):
                expected[label] += share * odds[rows[n], label]
        inner, along = 0.0, 0.0
        for label in range(n_categories):
            if label == k:
                continue
            inverse = 1.0 / (spread[label] * spread[label])
            expected[label] *= factor[label]
            precision[label] = expected[label] + inverse
            lean[label] = expected[label] / math.sqrt(max(whole, 1.0))
            slope = observed[label] - expected[label] - (mode[label] - mean[label]) * inverse
            factor[label] = slope  # no longer needed as a factor
            inner += lean[label] * lean[label] / precision[label]
            along += lean[label] * slope / precision[label]
        determinant = 1.0 - inner
        longest = 0.0
        for label in range(n_categories):
            if label == k:
                continue
            step = (factor[label] + lean[label] * along / determinant) / precision[label]
            step = min(max(step, -_LONGEST), _LONGEST)
            mode[label] += step
            longest = max(longest, abs(step) * math.sqrt(precision[label]))
        if longest < _SMALL_STEP:
            break
    log_determinant = math.log(determinant)
    for label in range(n_categories):
        log_determinant += math.log(precision[label])
    return log_determinant


@njit(nogil=True, cache=True)
def draw_noise(rng, noise):
    """Draw what becomes a multivariate t variable: K normals, and a width that they share.

    Entry k of the K, of a label without effect, is a normal that the others have in common.
    """
    for at in range(noise.size - 1):
        noise[at] = rng.standard_normal()
    noise[-1] = math.sqrt(_FREEDOM / (2.0 * rng.standard_gamma(0.5 * _FREEDOM)))


@njit(nogil=True, cache=True)
def log_proposal(distance, dimensions, log_determinant):
    """Return the log density of a proposal at a squared distance from the mode, but a constant."""
    power = 0.5 * (_FREEDOM + dimensions)
    return 0.5 * log_determinant - power * math.log1p(distance / _FREEDOM)
