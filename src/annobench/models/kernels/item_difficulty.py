"""Compiled kernel of the item difficulty model, with categories and effects of items summed out.

mean[k, l] and log_spread[k, l] are those of the log odds of the label l against k on items of
category k. Items with the same counts of labels have the same probability of these labels in a
category. It is an integral over K - 1 effects, which an exponential variable of each label turns
into one over v, the logarithm of the sum of these variables, of a product over labels::

    integral over v of g(n_k, v) * product over l != k of E[g(n_l, v + effect_l)],
    g(n, w) = exp(n w - exp(w)), but for factors that all categories share.

The factors are functions of n, of v + mean, and of the spread: they are interpolated in a table
that is made once. v takes the values of an even grid, on which such sums converge exponentially.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from annobench.models.kernels.hierarchical_dawid_skene import assignment

#: Bounds of a mean, and of the logarithm of a spread; the prior leaves less than 1e-5 outside.
LARGEST_MEAN, LOWEST, HIGHEST = 6.5, -12.0, 1.75
#: Rows of the table are at logarithms of spreads; below the first the spread is as good as none.
FIRST_ROW, ROW_STEP = -6.0, 0.125
#: Interpolation uses so many neighbours, MARGIN of them below.
TAPS, MARGIN = 6, 2
#: Below this a sum of probabilities has underflown; what is lost is improbable by far.
_SMALL = 1e-300
#: In the warm-up widths of slices follow this many times the moves, at this pace, plus the last.
_MOVES, _PACE, _SHORTEST = 3.0, 0.05, 0.01


@njit(nogil=True, cache=True)
def log_factor(n, at, spread):
    """Return the logarithm of E[g(n, at + spread z)], z standard normal, over the maximum of g."""
    rate = math.exp(at)
    z = 0.0
    if n > 0.0 and at < math.log(n):
        z = min(n * spread, (math.log(n) - at) / spread)
    for _ in range(200):  # Newton's method from the right, where it can't overshoot
        hot = spread * rate * math.exp(spread * z)
        step = (n * spread - z - hot) / (1.0 + spread * hot)
        z += step
        if abs(step) < 1e-6:
            break
    # Sums converge with the width of the peak, and as exp(exp(spread z)) changes.
    width = 1.0 / math.sqrt(1.0 + spread * spread * rate * math.exp(spread * z))
    width = min(width, 0.6 / spread)
    top = _exponent(n, at, rate, spread, z)
    total = 1.0
    for direction in (-1.0, 1.0):
        distance = direction * width
        while True:
            height = _exponent(n, at, rate, spread, z + distance) - top
            if height < -30.0:
                break
            total += math.exp(height)
            distance += direction * width
    largest = n * math.log(n) - n if n > 0.0 else 0.0
    return top - largest + math.log(width * total / math.sqrt(2.0 * math.pi))


@njit(nogil=True, cache=True)
def _exponent(n, at, rate, spread, z):
    return n * (at + spread * z) - rate * math.exp(spread * z) - 0.5 * z * z


@njit(nogil=True, cache=True)
def tabulate(numbers, start, step, table):
    """Write table[c, s, a], the log factor of numbers[c] labels at row s and at start + a step."""
    for c in range(table.shape[0]):
        for s in range(table.shape[1]):
            spread = math.exp(FIRST_ROW + (s - MARGIN) * ROW_STEP)
            for a in range(table.shape[2]):
                table[c, s, a] = log_factor(numbers[c], start + a * step, spread)


@njit(nogil=True, cache=True)
def _interpolation(fraction, weight):
    """Write Lagrange's weights of the neighbours of a place between two of them."""
    for t in range(TAPS):
        weight[t] = 1.0
        for other in range(TAPS):
            if other != t:
                weight[t] *= (fraction + MARGIN - other) / (t - other)


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def look_up(table, origin, step, mean, log_spread, low, out):
    """Write out[c, q], the factor of numbers[c] labels at grid point q of v, from q = low.

    The table's columns are half a step of the grid apart; column `origin` is the first grid
    point, with no mean.
    """
    weight, row = np.empty(TAPS), np.empty(2 * out.shape[1] + TAPS)
    place = 2.0 * mean / step + origin
    column = math.floor(place)
    across = np.empty(TAPS)
    _interpolation(place - column, across)
    column -= MARGIN
    height = (max(log_spread, FIRST_ROW) - FIRST_ROW) / ROW_STEP
    line = math.floor(height)
    _interpolation(height - line, weight)
    for c in range(out.shape[0]):
        row[:] = 0.0
        for t in range(TAPS):
            for a in range(2 * low, row.size):
                row[a] += weight[t] * table[c, line + t, column + a]
        for q in range(low, out.shape[1]):
            log_value = 0.0
            for t in range(TAPS):
                log_value += across[t] * row[2 * q + t]
            out[c, q] = math.exp(log_value)


@njit(nogil=True, cache=True)
def run_sweeps(
    rng,
    data,
    mean,
    log_spread,
    prevalence,
    width,
    first,
    last,
    thin,
    prevalence_out,
    mean_out,
    spread_out,
    confusion_out,
    probability_out,
    total,
    difficulty,
):
    """Run the sweeps numbered [first, last), storing those from 0; return the refusals.

    Results are of patterns, not of items. `data` has the table and its geometry, the code of the
    number of each label in each pattern, its labels, how many items have it, its grid points (the
    first, their number, and the stride), and the pattern of each single label. In between stored
    draws factors are up to date from the grid point `low`, the first that items need.
    Returned is the number of kept sweeps in which the order of the classes refused a draw.
    """
    (
        table,
        own,
        values,
        origin,
        step,
        low,
        code,
        size,
        amount,
        begin,
        length,
        stride,
        single,
    ) = data
    n_patterns, n_categories = code.shape
    response = np.empty((n_categories, n_categories, *own.shape))
    likelihood = np.empty((n_categories, n_patterns))
    rest = np.empty(length.sum())
    others = np.empty(n_patterns)
    before = np.empty((2, n_categories, n_categories))
    for k in range(n_categories):
        response[k, k] = own
        _refresh(mean, log_spread, k, data, response[k], rest, likelihood[k])
    refusals = 0
    for sweep in range(first, last):
        refused = False
        before[0], before[1] = mean, log_spread
        for k in range(n_categories):
            others[:] = 0.0
            for other in range(n_categories):
                if other != k:
                    for p in range(n_patterns):
                        others[p] += prevalence[other] * likelihood[other, p]
            for label in range(n_categories):
                if label == k:
                    continue
                _multiply(response[k], code, begin, length, stride, label, rest)
                for scale in (False, True):
                    refused |= _draw_parameter(
                        rng,
                        mean,
                        log_spread,
                        width[int(scale), k, label],
                        k,
                        label,
                        scale,
                        (table, origin, step, low, code[:, label], amount, begin, length, stride),
                        (rest, others, prevalence[k], response[k, label], likelihood[k]),
                    )
        if sweep < 0:  # a slice begins with the typical length of recent moves
            width[0] += _PACE * (_MOVES * np.abs(mean - before[0]) + _SHORTEST - width[0])
            width[1] += _PACE * (_MOVES * np.abs(log_spread - before[1]) + _SHORTEST - width[1])
        _draw_prevalence(rng, likelihood, amount, prevalence)
        if sweep < 0:
            continue
        refusals += refused
        prevalence_out[sweep] = prevalence
        mean_out[sweep], spread_out[sweep] = mean, np.exp(log_spread)
        stored = sweep % thin == 0
        at = sweep // thin
        for p in range(n_patterns):
            mass = 0.0
            for k in range(n_categories):
                mass += prevalence[k] * likelihood[k, p]
            for k in range(n_categories):
                probability = prevalence[k] * likelihood[k, p] / max(mass, _SMALL)
                total[p, k] += probability
                if stored:
                    probability_out[at, p, k] = probability
        if stored:
            for k in range(n_categories):
                _refresh(mean, log_spread, k, data, response[k], rest, likelihood[k])
                mass = likelihood[k][single].sum()
                for label in range(n_categories):
                    confusion_out[at, k, label] = likelihood[k, single[label]] / mass
                _add_difficulty(
                    rest,
                    response[k, 0],
                    code[:, 0],
                    begin,
                    length,
                    stride,
                    values,
                    size,
                    confusion_out[at, k, k],
                    probability_out[at, :, k],
                    difficulty,
                )
    return refusals


@njit(nogil=True, cache=True)
def _refresh(mean, log_spread, k, data, response, rest, likelihood):
    """Write factors at all grid points, their products without label 0, and their sums."""
    table, _, _, origin, step, _, code, _, _, begin, length, stride, _ = data
    for label in range(mean.shape[0]):
        if label != k:
            look_up(table, origin, step, mean[k, label], log_spread[k, label], 0, response[label])
    _multiply(response, code, begin, length, stride, 0, rest)
    _integrate(rest, response[0], code[:, 0], begin, length, stride, likelihood)


@njit(nogil=True, cache=True)
def _multiply(response, code, begin, length, stride, left_out, rest):
    """Write the products of factors of all labels but one, pattern by pattern."""
    at = 0
    for p in range(length.size):
        for t in range(length[p]):
            rest[at + t] = 1.0
        for label in range(code.shape[1]):
            if label != left_out:
                factor = response[label, code[p, label]]
                for t in range(length[p]):
                    rest[at + t] *= factor[begin[p] + t * stride[p]]
        at += length[p]


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _integrate(rest, response, code, begin, length, stride, out):
    """Multiply with the label's factor that was left out, and add; 1 for no labels."""
    at = 0
    for p in range(length.size):
        factor = response[code[p]]
        mass = 0.0
        for t in range(length[p]):
            mass += rest[at + t] * factor[begin[p] + t * stride[p]]
        out[p] = mass if length[p] > 0 else 1.0
        at += length[p]


@njit(nogil=True, cache=True)
def _add_difficulty(
    rest, response, code, begin, length, stride, values, size, right, probability, difficulty
):
    """Add the probability of a category times that of a wrong label there, given the labels.

    The mean of exp(v) is the number of labels times the probability of a right one more.
    """
    at = 0
    for p in range(length.size):
        factor = response[code[p]]
        mass, moment = 0.0, 0.0
        for t in range(length[p]):
            q = begin[p] + t * stride[p]
            part = rest[at + t] * factor[q]
            mass += part
            moment += part * values[q]
        if length[p] > 0:
            difficulty[p] += probability[p] * (1.0 - moment / max(size[p] * mass, _SMALL))
        else:
            difficulty[p] += probability[p] * (1.0 - right)
        at += length[p]


@njit(nogil=True, cache=True)
def _log_density(own, others, prevalence, amount):
    total = 0.0
    for p in range(own.size):
        if amount[p] > 0.0:
            total += amount[p] * math.log(max(others[p] + prevalence * own[p], _SMALL))
    return total


@njit(nogil=True, cache=True)
def _draw_parameter(rng, mean, log_spread, width, k, label, scale, data, state):
    """Draw a mean or, if `scale`, a spread by slice sampling; say if it was refused."""
    _, others, prevalence, _, likelihood = state
    amount = data[5]
    origin = log_spread[k, label] if scale else mean[k, label]
    lowest = LOWEST if scale else -LARGEST_MEAN
    highest = HIGHEST if scale else LARGEST_MEAN
    level = _log_prior(origin, scale) + _log_density(likelihood, others, prevalence, amount)
    level += math.log(1.0 - rng.random())
    begin = max(origin - width * rng.random(), lowest)
    end = min(begin + width, highest)
    while (
        begin > lowest and _density(begin, mean, log_spread, k, label, scale, data, state) > level
    ):
        begin = max(begin - width, lowest)
    while end < highest and _density(end, mean, log_spread, k, label, scale, data, state) > level:
        end = min(end + width, highest)
    refused = False
    while True:
        x = begin + (end - begin) * rng.random()
        if end - begin < 1e-10:
            _density(origin, mean, log_spread, k, label, scale, data, state)
            return refused
        if _density(x, mean, log_spread, k, label, scale, data, state) > level:
            if scale or in_order(mean):
                return refused
            refused = True
        if x < origin:
            begin = x
        else:
            end = x


@njit(nogil=True, cache=True)
def _log_prior(x, scale):
    return x - 0.5 * math.exp(2.0 * x) if scale else -0.5 * x * x


@njit(nogil=True, cache=True)
def _density(x, mean, log_spread, k, label, scale, data, state):
    """Set a parameter, and return its log density, the items' categories and effects summed out."""
    table, origin, step, low, code, amount, begin, length, stride = data
    rest, others, prevalence, response, likelihood = state
    if scale:
        log_spread[k, label] = x
    else:
        mean[k, label] = x
    look_up(table, origin, step, mean[k, label], log_spread[k, label], low, response)
    _integrate(rest, response, code, begin, length, stride, likelihood)
    return _log_prior(x, scale) + _log_density(likelihood, others, prevalence, amount)


@njit(nogil=True, cache=True)
def in_order(mean):
    """Say whether no other order of the rows has larger log odds on its diagonal, together."""
    return mean.max() <= 0.0 or (assignment(mean) == np.arange(mean.shape[0])).all()


@njit(nogil=True, cache=True)
def _draw_prevalence(rng, likelihood, amount, prevalence):
    """For each category, share its prevalence anew with another, the items' summed out."""
    n_categories, n_patterns = likelihood.shape
    rest, gain = np.empty(n_patterns), np.empty(n_patterns)
    for k in range(n_categories):
        other = int(rng.random() * (n_categories - 1))
        other += other >= k
        both = prevalence[k] + prevalence[other]
        rest[:] = 0.0
        for third in range(n_categories):
            if third != k and third != other:
                for p in range(n_patterns):
                    rest[p] += prevalence[third] * likelihood[third, p]
        for p in range(n_patterns):
            rest[p] += both * likelihood[other, p]
            gain[p] = both * (likelihood[k, p] - likelihood[other, p])
        origin = prevalence[k] / both
        level = _log_density(gain, rest, origin, amount) + math.log(1.0 - rng.random())
        begin, end = 0.0, 1.0
        while True:
            x = begin + (end - begin) * rng.random()
            if 0.0 < x < 1.0 and _log_density(gain, rest, x, amount) > level:
                break
            if x < origin:
                begin = x
            else:
                end = x
        prevalence[k], prevalence[other] = both * x, both * (1.0 - x)
