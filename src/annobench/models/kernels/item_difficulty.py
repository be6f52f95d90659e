"""Compiled kernel of the item difficulty model.

mean[k, l] and spread[k, l] are those of the log odds of the label l against k on items of category
k. What is sampled besides them and the prevalence is noise: item i would have in category k the
effect that noise[i, k] becomes by the approximation of the effect's distribution. log_weight[i, k]
is the density of that effect and of the item's labels over that of the proposal: an unbiased
estimate of the probability of the labels in category k. With categories summed out, means and
spreads are drawn given the noise.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from annobench.models.kernels.log_odds import (
    HIGHEST,
    LOWEST,
    approximate,
    draw_noise,
    in_order,
    log_proposal,
)

#: In the warm-up widths of slices follow this many times the moves, at this pace, plus the last.
_MOVES, _PACE, _SHORTEST = 3.0, 0.05, 0.01


@njit(nogil=True, cache=True)
def run_sweeps(
    rng,
    patterns,
    pattern,
    points,
    mean,
    spread,
    prevalence,
    width,
    noise,
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

    `patterns[p, l]` counts the labels l of the items i with pattern[i] = p; `points` are standard
    normal, for averages over items. Returned is the number of kept sweeps in which the order of the
    classes refused a draw.
    """
    n_items, n_categories = pattern.size, mean.shape[0]
    log_weight = np.empty((n_categories, n_items))
    others, probability = np.empty(n_items), np.empty(n_categories)
    size = (n_categories, len(patterns), n_categories)
    shapes = np.empty(size), np.empty(size), np.empty(size), np.empty(size[:2])
    effect = np.empty(n_categories)
    before = np.empty((2, n_categories, n_categories))
    refusals = 0
    for sweep in range(first, last):
        refused = False
        before[0], before[1] = mean, np.log(spread)
        for k in range(n_categories):
            _weigh(patterns, pattern, mean, spread, k, noise, shapes, log_weight[k])
        for k in range(n_categories):
            _sum_others(log_weight, prevalence, k, others)
            place = math.log(prevalence[k])
            for label in range(n_categories):
                for slope in (False, True):
                    if label != k:
                        refused |= _draw_parameter(
                            rng,
                            mean,
                            spread,
                            width[int(slope), k, label],
                            k,
                            label,
                            slope,
                            (patterns, pattern, noise, shapes, log_weight[k], others, place),
                        )
        if sweep < 0:  # a slice begins with the typical length of recent moves
            width[0] += _PACE * (_MOVES * np.abs(mean - before[0]) + _SHORTEST - width[0])
            width[1] += _PACE * (_MOVES * np.abs(np.log(spread) - before[1]) + _SHORTEST - width[1])
        _draw_prevalence(rng, log_weight, prevalence)
        for i in range(n_items):
            highest, mass = log_weight[:, i].max(), 0.0
            for k in range(n_categories):
                probability[k] = prevalence[k] * math.exp(log_weight[k, i] - highest)
                mass += probability[k]
            at = rng.random() * mass
            category = 0
            while category < n_categories - 1 and at >= probability[category]:
                at -= probability[category]
                category += 1
            if sweep >= 0:
                for k in range(n_categories):
                    total[i, k] += probability[k] / mass
                    if sweep % thin == 0:
                        probability_out[sweep // thin, i, k] = probability[k] / mass
                _weight(
                    patterns[pattern[i]],
                    pattern[i],
                    mean,
                    spread,
                    category,
                    noise[i, category],
                    shapes,
                    effect,
                )
                difficulty[i] += 1.0 - 1.0 / np.exp(effect).sum()
            _renew(rng, patterns, pattern[i], mean, spread, category, shapes, noise[i])
        if sweep < 0:
            continue
        refusals += refused
        prevalence_out[sweep] = prevalence
        mean_out[sweep], spread_out[sweep] = mean, spread
        if sweep % thin == 0:
            for k in range(n_categories):
                _average(mean[k], spread[k], k, points, confusion_out[sweep // thin, k])
    return refusals


@njit(nogil=True, cache=True)
def _approximate(patterns, mean, spread, k, shapes):
    """Approximate the effects of items of category k, by their labels."""
    mode, precision, lean, log_determinant = shapes
    odds, nobody = np.ones((1, mean.shape[0])), np.zeros(1, dtype=np.int64)
    amount = np.empty(1)
    for p in range(len(patterns)):
        amount[0] = patterns[p].sum()
        log_determinant[k, p] = approximate(
            odds,
            nobody,
            amount,
            patterns[p],
            mean[k],
            spread[k],
            k,
            mode[k, p],
            precision[k, p],
            lean[k, p],
        )


@njit(nogil=True, cache=True)
def _weigh(patterns, pattern, mean, spread, k, noise, shapes, out):
    """Approximate the effects of items of category k, and write the items' log weights."""
    _approximate(patterns, mean, spread, k, shapes)
    effect = np.empty(mean.shape[0])
    for i in range(pattern.size):
        out[i] = _weight(
            patterns[pattern[i]], pattern[i], mean, spread, k, noise[i, k], shapes, effect
        )


@njit(nogil=True, cache=True)
def _weight(counts, p, mean, spread, k, noise, shapes, effect):
    """Return the log weight of the effect that noise stands for, and write the effect."""
    mode, precision, lean, log_determinant = shapes
    n_categories = effect.size
    inner = 0.0
    for label in range(n_categories):
        inner += lean[k, p, label] * lean[k, p, label] / precision[k, p, label]
    common = noise[k] / math.sqrt(1.0 - inner)
    log_density, distance, along, mass, labels = 0.0, 0.0, 0.0, 1.0, counts[k]
    scale = 1.0
    for label in range(n_categories):
        if label == k:
            effect[label] = 0.0
            continue
        own = noise[label] / math.sqrt(precision[k, p, label])
        moved = own + common * lean[k, p, label] / precision[k, p, label]
        moved *= noise[n_categories]
        effect[label] = mode[k, p, label] + moved
        distance += precision[k, p, label] * moved * moved
        along += lean[k, p, label] * moved
        labels += counts[label]
        mass += math.exp(effect[label])
        scale *= spread[k, label]
        from_mean = (effect[label] - mean[k, label]) / spread[k, label]
        log_density += counts[label] * effect[label] - 0.5 * from_mean * from_mean
    if labels == 0.0:
        return 0.0
    distance = max(distance - along * along, 0.0)
    log_density -= labels * math.log(mass) + math.log(scale)
    return log_density - log_proposal(distance, n_categories - 1, log_determinant[k, p])


@njit(nogil=True, cache=True)
def _renew(rng, patterns, p, mean, spread, category, shapes, noise):
    """Draw the noise of an item anew: in its category by a Metropolis step, elsewhere outright."""
    n_categories = mean.shape[0]
    effect = np.empty(n_categories)
    for k in range(n_categories):
        if k != category:
            draw_noise(rng, noise[k])
            continue
        fresh = np.empty(n_categories + 1)
        draw_noise(rng, fresh)
        ratio = _weight(patterns[p], p, mean, spread, k, fresh, shapes, effect)
        ratio -= _weight(patterns[p], p, mean, spread, k, noise[k], shapes, effect)
        if math.log(1.0 - rng.random()) < ratio:
            noise[k] = fresh
    if patterns[p].sum() == 0.0:
        noise[:, -1] = 1.0  # the effect's own distribution, which is normal


@njit(nogil=True, cache=True)
def _sum_others(log_weight, prevalence, k, others):
    """Write the log probability of each item's labels in the categories other than k."""
    for i in range(others.size):
        highest = -np.inf
        for other in range(prevalence.size):
            if other != k:
                highest = max(highest, log_weight[other, i])
        mass = 0.0
        for other in range(prevalence.size):
            if other != k:
                mass += prevalence[other] * math.exp(log_weight[other, i] - highest)
        others[i] = highest + math.log(mass)


@njit(nogil=True, cache=True)
def _draw_parameter(rng, mean, spread, width, k, label, slope, data):
    """Draw a mean or, if `slope`, a spread by slice sampling; say if it was refused."""
    origin = math.log(spread[k, label]) if slope else mean[k, label]
    lowest, highest = (LOWEST, HIGHEST) if slope else (-np.inf, np.inf)
    level = _density(origin, mean, spread, k, label, slope, data) + math.log(1.0 - rng.random())
    begin = max(origin - width * rng.random(), lowest)
    end = min(begin + width, highest)
    while begin > lowest and _density(begin, mean, spread, k, label, slope, data) > level:
        begin = max(begin - width, lowest)
    while end < highest and _density(end, mean, spread, k, label, slope, data) > level:
        end = min(end + width, highest)
    refused = False
    while True:
        x = begin + (end - begin) * rng.random()
        if _density(x, mean, spread, k, label, slope, data) > level:
            if in_order(mean):
                break
            refused = True
        if x < origin:
            begin = x
        else:
            end = x
        if end - begin < 1e-12:
            _density(origin, mean, spread, k, label, slope, data)
            break
    return refused


@njit(nogil=True, cache=True)
def _density(x, mean, spread, k, label, slope, data):
    """Set a parameter, and return its log density given the noise, the categories summed out."""
    patterns, pattern, noise, shapes, own, others, place = data
    if slope:
        spread[k, label] = math.exp(x)
        log_density = x - 0.5 * math.exp(2.0 * x)
    else:
        mean[k, label] = x
        log_density = -0.5 * x * x
    _weigh(patterns, pattern, mean, spread, k, noise, shapes, own)
    product = 1.0
    for i in range(own.size):
        difference = own[i] + place - others[i]
        if difference > 30.0:
            log_density += difference
        else:
            product *= 1.0 + math.exp(difference)
            if product > 1e200:
                log_density += math.log(product)
                product = 1.0
    return log_density + math.log(product)


@njit(nogil=True, cache=True)
def _draw_prevalence(rng, log_weight, prevalence):
    """For each category, share its prevalence anew with another, the categories summed out."""
    n_categories, n_items = log_weight.shape
    rest, gain = np.empty(n_items), np.empty(n_items)
    for k in range(n_categories):
        other = int(rng.random() * (n_categories - 1))
        other += other >= k
        both = prevalence[k] + prevalence[other]
        for i in range(n_items):
            highest = log_weight[:, i].max()
            rest[i] = both * math.exp(log_weight[other, i] - highest)
            gain[i] = both * math.exp(log_weight[k, i] - highest) - rest[i]
            for third in range(n_categories):
                if third != k and third != other:
                    rest[i] += prevalence[third] * math.exp(log_weight[third, i] - highest)
        origin = prevalence[k] / both
        level = np.log(rest + origin * gain).sum() + math.log(1.0 - rng.random())
        begin, end = 0.0, 1.0
        while True:
            x = begin + (end - begin) * rng.random()
            if 0.0 < x < 1.0 and np.log(rest + x * gain).sum() > level:
                break
            if x < origin:
                begin = x
            else:
                end = x
        prevalence[k], prevalence[other] = both * x, both * (1.0 - x)


@njit(nogil=True, cache=True)
def _average(mean, spread, k, points, out):
    """Write the probabilities of labels on an item of category k, averaged over such items."""
    out[:] = 0.0
    odds = np.empty(mean.size)
    for q in range(points.shape[0]):
        mass = 0.0
        for label in range(mean.size):
            log_odds = mean[label] + spread[label] * points[q, label]
            odds[label] = 1.0 if label == k else math.exp(log_odds)
            mass += odds[label]
        for label in range(mean.size):
            out[label] += odds[label] / (mass * points.shape[0])
