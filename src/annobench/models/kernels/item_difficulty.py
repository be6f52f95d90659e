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

import numpy as np

from annobench.core.compiled import kernel, math
from annobench.models.kernels.hierarchical_dawid_skene import assignment
from annobench.models.kernels.slices import DRAW, LEVEL, PHASE, SIZE, begin_slice, next_point

#: Bounds of a mean, and of the logarithm of a spread; the prior leaves less than 1e-5 outside.
LARGEST_MEAN, LOWEST, HIGHEST = 6.5, -12.0, 1.75
#: Rows of the table are at logarithms of spreads; below the first the spread is as good as none.
FIRST_ROW, ROW_STEP = -6.0, 0.125
#: Interpolation uses so many neighbours, MARGIN of them below.
TAPS, MARGIN = 6, 2
_NODES = tuple(
    1.0 / math.prod(t - other for other in range(TAPS) if other != t) for t in range(TAPS)
)
#: Below this a sum of probabilities has underflown; what is lost is improbable by far.
_SMALL = 1e-300
#: In the warm-up widths of slices follow this many times the moves, at this pace, plus the last.
_MOVES, _PACE, _SHORTEST = 3.0, 0.05, 0.01
#: Jumps in a sweep, and the share of them that is to be accepted (Roberts et al. 1997).
_JUMPS, ACCEPTED = 10, 0.25
#: A normal variable with mean m and variance s^2 turned into a probability by the logistic
#: function has about the mean of one without variance at m / sqrt(1 + _SHRINKAGE s^2).
_SHRINKAGE = (16.0 * math.sqrt(3.0) / (15.0 * math.pi)) ** 2
#: Adding it rounds a number to an integer, which is then in its last bits.
_TO_INTEGER = 1.5 * 2.0**52


@kernel()
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


@kernel()
def _exponent(n, at, rate, spread, z):
    return n * (at + spread * z) - rate * math.exp(spread * z) - 0.5 * z * z


@kernel()
def tabulate(numbers, start, step, table):
    """Write table[s, a % 2, c, a // 2], the log factor of numbers[c] at row s, start + a step."""
    for s in range(table.shape[0]):
        spread = math.exp(FIRST_ROW + (s - MARGIN) * ROW_STEP)
        for c in range(table.shape[2]):
            for a in range(2 * table.shape[3]):
                table[s, a % 2, c, a // 2] = log_factor(numbers[c], start + a * step, spread)


@kernel()
def interpolation(fraction, weight):
    """Write Lagrange's weights of the neighbours of a place between two of them."""
    product = 1.0
    for t in range(TAPS):
        weight[t] = _NODES[t] * product
        product *= fraction + MARGIN - t
    product = 1.0
    for t in range(TAPS - 1, -1, -1):
        weight[t] *= product
        product *= fraction + MARGIN - t


@kernel(fastmath={"reassoc", "contract"})
def take_rows(table, log_spread, line):
    """Write line[parity, c, column], the table at a spread."""
    weight = np.empty(TAPS)
    height = (max(log_spread, FIRST_ROW) - FIRST_ROW) / ROW_STEP
    row = math.floor(height)
    interpolation(height - row, weight)
    out, rows = line.reshape(line.size), table.reshape(table.shape[0], line.size)
    a, b, c = rows[row], rows[row + 1], rows[row + 2]
    d, e, f = rows[row + 3], rows[row + 4], rows[row + 5]
    for n in range(out.size):
        out[n] = (weight[0] * a[n] + weight[1] * b[n] + weight[2] * c[n]) + (
            weight[3] * d[n] + weight[4] * e[n] + weight[5] * f[n]
        )


@kernel(fastmath={"reassoc", "contract"})
def take_columns(line, origin, step, mean, out):
    """Write out[c, q], the factor of numbers[c] labels at grid points q."""
    weight, power = np.empty(TAPS), np.empty(out.size)
    place = 2.0 * mean / step + 2 * origin
    column = math.floor(place) - MARGIN
    interpolation(place - column - MARGIN, weight)
    for c in range(out.shape[0]):
        first = line[column % 2, c, column // 2 :]
        second = line[(column + 1) % 2, c, (column + 1) // 2 :]
        values = out[c]
        for q in range(values.size):
            values[q] = (
                weight[0] * first[q] + weight[2] * first[q + 1] + weight[4] * first[q + 2]
            ) + (weight[1] * second[q] + weight[3] * second[q + 1] + weight[5] * second[q + 2])
    exponentiate(out.reshape(out.size), power)


@kernel()
def exponentiate(x, power):
    """Replace numbers of at most 700 by their exponentials, exact to 2e-7, without calls."""
    for n in range(x.size):
        value = max(x[n], -700.0)
        power[n] = value * (1.0 / math.log(2.0)) + _TO_INTEGER
        f = value - (power[n] - _TO_INTEGER) * math.log(2.0)
        x[n] = 1.0 + f * (
            1.0 + f * (1 / 2 + f * (1 / 6 + f * (1 / 24 + f * (1 / 120 + f * (1 / 720)))))
        )
    bits = power.view(np.int64)
    for n in range(x.size):
        bits[n] = (bits[n] + 1023) << 52
    for n in range(x.size):
        x[n] *= power[n]


@kernel()
def run_sweeps(
    rng,
    data,
    single,
    alone,
    matrices,
    prevalence,
    width,
    root,
    jump_size,
    visited,
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
    """Run the sweeps numbered [first, last), storing those from 0; return the refusals."""
    n_patterns, n_categories = data.code.shape
    mean, log_spread = matrices[0], matrices[1]
    state, trial = allocate(data), allocate(data)
    likelihood, others = np.empty((n_categories, n_patterns)), np.empty(n_patterns)
    new_likelihood, new_prevalence = np.empty((n_categories, n_patterns)), np.empty(n_categories)
    new_matrices = np.zeros((2, n_categories, n_categories))
    n_free = root.shape[0]
    packed, jumped, normal = np.empty(n_free), np.empty(n_free), np.empty(n_free)
    of_single, state_of_single = np.empty((n_categories, n_categories)), allocate(single)
    for k in range(n_categories):
        refresh(matrices, k, data, state, likelihood[k])
    refusals = 0
    for sweep in range(first, last):
        refused = False
        for k in range(n_categories):
            for p in range(n_patterns):
                others[p] = 0.0
                for other in range(n_categories):
                    if other != k:
                        others[p] += prevalence[other] * likelihood[other, p]
            for label in range(n_categories):
                if label == k:
                    continue
                _multiply(data, state, k, label)
                given = state, others, prevalence[k], likelihood[k]
                for scale in (True, False):
                    parameter, size = (log_spread, width[1]) if scale else (mean, width[0])
                    old = parameter[k, label]
                    refused |= _draw_parameter(
                        rng, mean, log_spread, size[k, label], k, label, scale, data, given
                    )
                    if sweep < 0:  # a slice begins with the typical length of recent moves
                        move = _MOVES * abs(parameter[k, label] - old) + _SHORTEST
                        size[k, label] += _PACE * (move - size[k, label])
        draw_prevalence(rng, likelihood, data.amount, prevalence)
        if root[0, 0] > 0.0:
            now = whole_density(matrices, prevalence, likelihood, data.amount)
            for _ in range(_JUMPS):
                pack(matrices, prevalence, packed)
                for n in range(n_free):
                    normal[n] = rng.standard_normal()
                    jump = 0.0
                    for m in range(n + 1):
                        jump += root[n, m] * normal[m]
                    jumped[n] = packed[n] + jump_size[0] * jump
                then = -np.inf
                if unpack(jumped, new_matrices, new_prevalence):
                    for k in range(n_categories):
                        refresh(new_matrices, k, data, trial, new_likelihood[k])
                    then = whole_density(new_matrices, new_prevalence, new_likelihood, data.amount)
                accepted = math.log(1.0 - rng.random()) < then - now
                if accepted and not in_order(new_matrices[0]):
                    refused, accepted = True, False
                if accepted:
                    now = then
                    unpack(jumped, matrices, prevalence)
                    likelihood, new_likelihood = new_likelihood, likelihood
                    state, trial = trial, state
                if sweep < 0:
                    jump_size[0] *= math.exp(_PACE * (accepted - ACCEPTED))
        if sweep < 0:
            pack(matrices, prevalence, visited[sweep])
            continue
        refusals += refused
        stored = sweep % thin == 0
        at = sweep // thin
        for k in range(n_categories):
            prevalence_out[sweep, k] = prevalence[k]
            for label in range(n_categories):
                mean_out[sweep, k, label] = mean[k, label]
                spread_out[sweep, k, label] = math.exp(log_spread[k, label])
            total[n_patterns, k] += prevalence[k]
            if stored:
                probability_out[at, n_patterns, k] = prevalence[k]
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
                refresh(matrices, k, single, state_of_single, of_single[k])
                mass = 0.0
                for label in range(n_categories):
                    mass += of_single[k, label]
                for label in range(n_categories):
                    confusion_out[at, k, label] = of_single[k, alone[label]] / mass
                difficulty[n_patterns] += prevalence[k] * (1.0 - confusion_out[at, k, k])
                refresh(matrices, k, data, state, likelihood[k])
                _add_difficulty(data, state, k, probability_out[at, :, k], difficulty)
    return refusals


@kernel()
def pack(matrices, prevalence, out):
    """Write all free parameters in a row: prevalences as logarithms of ratios to the last."""
    k = prevalence.size
    for row in range(k - 1):
        out[row] = math.log(prevalence[row] / prevalence[k - 1])
    at = k - 1
    for row in range(k):
        for label in range(k):
            if label != row:
                for m in range(matrices.shape[0]):
                    out[at] = matrices[m, row, label]
                    at += 1


@kernel()
def unpack(packed, matrices, prevalence):
    """Write what `pack` has packed; say whether means and logarithms of spreads are in bounds."""
    k = prevalence.size
    highest, mass = 0.0, 0.0
    for row in range(k - 1):
        highest = max(highest, packed[row])
    for row in range(k):
        prevalence[row] = math.exp((packed[row] if row < k - 1 else 0.0) - highest)
        mass += prevalence[row]
    for row in range(k):
        prevalence[row] /= mass
    at, inside = k - 1, True
    for row in range(k):
        for label in range(k):
            if label != row:
                for m in range(matrices.shape[0]):
                    x = packed[at]
                    matrices[m, row, label] = x
                    inside &= abs(x) <= LARGEST_MEAN if m == 0 else LOWEST <= x <= HIGHEST
                    at += 1
    return inside


@kernel()
def whole_density(matrices, prevalence, likelihood, amount):
    """Return the log density of all parameters as `pack` has them."""
    density = 0.0
    for p in range(amount.size):
        mass = 0.0
        for k in range(prevalence.size):
            mass += prevalence[k] * likelihood[k, p]
        density += amount[p] * math.log(max(mass, _SMALL))
    for k in range(prevalence.size):
        density += math.log(max(prevalence[k], _SMALL))
        for label in range(prevalence.size):
            if label != k:
                density -= 0.5 * matrices[0, k, label] ** 2
                for m in range(1, matrices.shape[0]):
                    x = matrices[m, k, label]
                    density += x - 0.5 * math.exp(2.0 * x)
    return density


@kernel()
def allocate(data):
    """Make room for factors of each label in each category, for rows of the table, for products."""
    n_categories = data.code.shape[1]
    response = np.empty((n_categories, n_categories, *data.own.shape))
    for k in range(n_categories):
        for c in range(data.own.shape[0]):
            for q in range(data.own.shape[1]):
                response[k, k, c, q] = data.own[c, q]
    points = 0
    for p in range(data.length.size):
        points += data.length[p]
    return response, np.empty(data.table.shape[1:]), np.empty(points)


@kernel()
def refresh(matrices, k, data, state, likelihood):
    """Write factors of a category, their products without label 0, and patterns' probabilities."""
    response, line, _ = state
    for label in range(data.code.shape[1]):
        if label != k:
            take_rows(data.table, matrices[1, k, label], line)
            take_columns(line, data.origin, data.step, matrices[0, k, label], response[k, label])
    # A literal 0 would be a type of its own, for which both would be compiled again.
    first = np.int64(0)
    _multiply(data, state, k, first)
    _integrate(data, state, k, first, likelihood)


@kernel()
def _multiply(data, state, k, left_out):
    """Write the products of factors of all labels but one, pattern by pattern."""
    response, _, rest = state
    at = 0
    for p in range(data.length.size):
        begin, length, stride = data.begin[p], data.length[p], data.stride[p]
        for t in range(length):
            rest[at + t] = 1.0
        for label in range(response.shape[0]):
            if label != left_out:
                factor = response[k, label, data.code[p, label]]
                for t in range(length):
                    rest[at + t] *= factor[begin + t * stride]
        at += length


@kernel(fastmath={"reassoc", "contract"})
def _integrate(data, state, k, label, likelihood):
    """Multiply with the factor of the label that was left out, and add."""
    response, _, rest = state
    at = 0
    for p in range(data.length.size):
        factor = response[k, label, data.code[p, label]]
        begin, length, stride = data.begin[p], data.length[p], data.stride[p]
        mass = 0.0
        if stride == 1:  # this loop runs several numbers at a time
            for t in range(length):
                mass += rest[at + t] * factor[begin + t]
        else:
            for t in range(length):
                mass += rest[at + t] * factor[begin + t * stride]
        likelihood[p] = mass
        at += length


@kernel()
def _add_difficulty(data, state, k, probability, difficulty):
    """Add the probability of a category times that of a wrong label there, given the labels."""
    response, _, rest = state
    at = 0
    for p in range(data.length.size):
        factor = response[k, 0, data.code[p, 0]]
        mass, moment = 0.0, 0.0
        for t in range(data.length[p]):
            q = data.begin[p] + t * data.stride[p]
            part = rest[at + t] * factor[q]
            mass += part
            moment += part * data.values[q]
        difficulty[p] += probability[p] * (1.0 - moment / max(data.size[p] * mass, _SMALL))
        at += data.length[p]


@kernel()
def _log_density(own, others, prevalence, amount):
    total = 0.0
    for p in range(others.size):
        total += amount[p] * math.log(max(others[p] + prevalence * own[p], _SMALL))
    return total


@kernel()
def _draw_parameter(rng, mean, log_spread, width, k, label, scale, data, given):
    """Draw a mean or, if `scale`, a spread by slice sampling; say if one was refused."""
    (_, line, _), others, prevalence, likelihood = given
    if scale:
        origin, lowest, highest = log_spread[k, label], LOWEST, HIGHEST
        fixed = mean[k, label] / stretch(origin)
    else:
        origin, lowest, highest = mean[k, label], -LARGEST_MEAN, LARGEST_MEAN
        fixed = log_spread[k, label]
        take_rows(data.table, fixed, line)
    now = log_prior(mean[k, label], log_spread[k, label], scale)
    now += _log_density(likelihood, others, prevalence, data.amount)
    refused, place = False, np.empty(SIZE)
    x = begin_slice(rng, place, origin, now, width, lowest, highest)
    while not math.isnan(x):
        value = _density(x, fixed, mean, log_spread, k, label, scale, data, given)
        if value > place[LEVEL] and not in_order(mean):
            refused |= place[PHASE] == DRAW
            value = -np.inf
        x = next_point(rng, place, x, value)
    return refused


@kernel()
def in_order(mean):
    """Say whether no other order of the rows has larger log odds on its diagonal, together."""
    highest = 0.0
    for k in range(mean.shape[0]):
        for label in range(mean.shape[0]):
            highest = max(highest, mean[k, label])
    if highest > 0.0:
        order = assignment(mean)
        for k in range(order.size):
            if order[k] != k:
                return False
    return True


@kernel()
def stretch(log_spread):
    """Return how many times a mean grows with its spread."""
    return math.sqrt(1.0 + _SHRINKAGE * math.exp(2.0 * log_spread))


@kernel()
def log_prior(mean, log_spread, scale):
    """Return the log prior of a mean, and of a spread with the mean that moves along."""
    density = -0.5 * mean * mean
    if scale:
        density += log_spread - 0.5 * math.exp(2.0 * log_spread) + math.log(stretch(log_spread))
    return density


@kernel()
def _density(x, fixed, mean, log_spread, k, label, scale, data, given):
    """Set a parameter, and return its log density, the items' categories and effects summed out."""
    state, others, prevalence, likelihood = given
    response, line, _ = state
    if scale:
        log_spread[k, label], mean[k, label] = x, fixed * stretch(x)
        if abs(mean[k, label]) > LARGEST_MEAN:
            return -np.inf
        take_rows(data.table, x, line)
    else:
        mean[k, label] = x
    take_columns(line, data.origin, data.step, mean[k, label], response[k, label])
    _integrate(data, state, k, label, likelihood)
    density = _log_density(likelihood, others, prevalence, data.amount)
    return density + log_prior(mean[k, label], log_spread[k, label], scale)


@kernel()
def draw_prevalence(rng, likelihood, amount, prevalence):
    """For each category, share its prevalence anew with another, the items' summed out."""
    n_categories, n_patterns = likelihood.shape
    rest, gain = np.empty(n_patterns), np.empty(n_patterns)
    for k in range(n_categories):
        other = int(rng.random() * (n_categories - 1))
        other += other >= k
        both = prevalence[k] + prevalence[other]
        for p in range(n_patterns):
            rest[p] = 0.0
            for third in range(n_categories):
                if third != k and third != other:
                    rest[p] += prevalence[third] * likelihood[third, p]
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
