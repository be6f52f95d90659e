"""R-hat and effective sample sizes of Markov chains, for many parameters at once.

Definitions of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Rank-normalization, folding,
and localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16. Each
chain is split into halves; if the number of draws is odd, the middle draw is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special

__all__ = ["BLOCK", "ess_bulk", "ess_tail", "r_hat"]

Floats = NDArray[np.float64]

#: Of a chain, from which its halves have variances.
FEWEST_DRAWS: Final = 4
#: Draws that are worked on together, which bounds the memory.
BLOCK: Final = 2**21
#: Draws that range over less are all equal.
EQUAL: Final = 1e-15


def r_hat(draws: Floats) -> Floats:
    """Return the rank-normalised split R-hat.

    The larger of the R-hats of the draws (eq. 14) and of their distances from the median (section
    4.1).

    Parameters
    ----------
    draws : ndarray, shape (C, S, P)
        C chains of S draws of P parameters.

    Returns
    -------
    ndarray, shape (P,)
        NaN for a single chain, fewer than four draws, or draws that are all equal.
    """
    if draws.shape[0] < 2:
        return np.full(draws.shape[2], np.nan)
    return _by_block(_r_hat, draws)


def ess_mean(draws: Floats) -> Floats:
    """Return the effective sample size of the mean (eq. 10)."""
    return _by_block(lambda x: _ess(_split(x)), draws)


def ess_bulk(draws: Floats) -> Floats:
    """Return the effective sample size of the rank-normalised draws (section 4.1).

    Parameters
    ----------
    draws : ndarray, shape (C, S, P)
        C chains of S draws of P parameters.

    Returns
    -------
    ndarray, shape (P,)
        NaN for fewer than four draws.
    """
    return _by_block(lambda x: _ess(_normal_scores(_split(x))), draws)


def ess_tail(draws: Floats) -> Floats:
    """Return the smaller effective sample size of the 5% and 95% quantiles (section 4.3).

    Parameters
    ----------
    draws : ndarray, shape (C, S, P)
        C chains of S draws of P parameters.

    Returns
    -------
    ndarray, shape (P,)
        NaN for fewer than four draws.
    """
    return _by_block(_ess_tail, draws)


def _by_block(measure: Callable[[Floats], Floats], draws: Floats) -> Floats:
    n_chains, n_draws, n_parameters = draws.shape
    found = np.full(n_parameters, np.nan)
    if n_draws < FEWEST_DRAWS:
        return found
    size = max(1, BLOCK // (n_chains * n_draws))
    # 0/0 where draws do not vary.
    with np.errstate(invalid="ignore", divide="ignore"):
        for begin in range(0, n_parameters, size):
            block = slice(begin, begin + size)
            found[block] = measure(draws[:, :, block].astype(np.float64))
    return found


def _split(draws: Floats) -> Floats:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _r_hat(draws: Floats) -> Floats:
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves, axis=(0, 1)))
    bulk, tail = _potential_scale(halves), _potential_scale(folded)
    # Draws of two equally frequent values do not spread about their median.
    return np.where(tail > bulk, tail, bulk)


def _potential_scale(halves: Floats) -> Floats:
    scores = _normal_scores(halves)
    n = scores.shape[1]
    within = scores.var(axis=1, ddof=1).mean(axis=0)
    between = scores.mean(axis=1).var(axis=0, ddof=1)
    return np.asarray(np.sqrt(between / within + (n - 1) / n))


def _normal_scores(draws: Floats) -> Floats:
    """Replace draws by the normal quantiles of their ranks; ties get the middle rank."""
    n = draws.shape[0] * draws.shape[1]
    flat = draws.reshape(n, -1).T
    order = np.argsort(flat, axis=1)
    ordered = np.take_along_axis(flat, order, axis=1)
    position = np.broadcast_to(np.arange(n), flat.shape)
    ends = np.ones(flat.shape, dtype=bool)
    ends[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    begins = np.roll(ends, 1, axis=1)
    first = np.maximum.accumulate(np.where(begins, position, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, position, n)[:, ::-1], axis=1)[:, ::-1]
    rank = np.empty(flat.shape)
    np.put_along_axis(rank, order, (first + last) / 2 + 1, axis=1)
    scores = special.ndtri((rank - 3 / 8) / (n + 1 / 4))
    return np.asarray(scores.T.reshape(draws.shape))


def _ess_tail(draws: Floats) -> Floats:
    quantiles = np.quantile(draws, [0.05, 0.95], axis=(0, 1))
    lower, upper = (_ess(_split((draws <= q).astype(np.float64))) for q in quantiles)
    return np.minimum(lower, upper)


def _ess(halves: Floats) -> Floats:
    """Return the effective sample size by Geyer's initial monotone sequence (eq. 10 to 12)."""
    n_chains, n, _ = halves.shape
    covariance = _autocovariance(halves).mean(axis=0)
    variance = covariance[0] * n / (n - 1)
    total = covariance[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    correlation = 1 - (variance - covariance) / total
    correlation[0] = 1
    n_pairs = max(1, (n + 1) // 2 - 1)
    pairs = correlation[0 : 2 * n_pairs : 2] + correlation[1 : 2 * n_pairs : 2]
    positive = pairs > 0
    # The first pair that is not positive, or the last one.
    last = np.where(positive.all(axis=0), n_pairs - 1, np.argmin(positive, axis=0))
    counted = np.arange(n_pairs)[:, None] < last
    time = 2 * np.where(counted, np.minimum.accumulate(pairs, axis=0), 0).sum(axis=0) - 1
    parameter = np.arange(halves.shape[2])
    even = correlation[2 * last, parameter]
    time += np.where((even > 0) | (pairs[last, parameter] >= 0), even, 0)
    size = n_chains * n
    found = size / np.maximum(time, 1 / np.log10(size))
    return np.asarray(np.where(np.ptp(halves, axis=(0, 1)) < EQUAL, size, found))


def _autocovariance(draws: Floats) -> Floats:
    n = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    length = fft.next_fast_len(2 * n, real=True)
    spectrum = fft.rfft(centred, length, axis=1)
    power = (spectrum * spectrum.conj()).real
    return np.asarray(fft.irfft(power, length, axis=1)[:, :n] / n)
