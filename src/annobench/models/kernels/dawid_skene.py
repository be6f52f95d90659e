"""Compiled kernels of the model of Dawid and Skene.

One pass does the E-step and collects the counts of the M-step while an item's posterior is at
hand, so that labels are read once an iteration and nothing is kept for a label but its cell.

A matrix of probabilities or counts is stored with the true category last: cell (g, l), of
annotator or group g and label l, begins at ``(g K + l) W``, and its W numbers belong to the true
categories. W is K, padded with zeros to 2 or to a multiple of four, so that the products of an
item stay in registers. Labels are sorted by item, those of item i at ``offsets[i]:offsets[i + 1]``.
An empty `known` or `weight` means that there are none. Indices in the pass are unsigned: of
a signed one numba asks, label by label, whether it counts from the end.
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math
from annobench.models.kernels.vectors import (
    add,
    divide,
    least,
    length,
    load,
    load_eight,
    load_four,
    load_pair,
    multiply,
    quotient,
    scale,
    store,
    total,
)

#: Below this an item's likelihood is computed in logarithms. Factors are at most 1, so that a
#: product that ends above it has underflowed nowhere, except in categories of a posterior
#: probability below 1e-100.
_SMALL = 1e-200
#: Likelihoods are multiplied and their logarithm is taken when the product falls below this.
_LOW = 1e-100

#: How the entries of a confusion matrix are tied: not at all; equal errors within a row; one
#: accuracy for all rows as well.
FREE, CATEGORY, ONE_COIN = 0, 1, 2


def sweep(first, last, offsets, cells, known, weight, prevalence, table, posterior, counts, mass):
    """Write the posterior of the items [first, last), and add to the counts.

    Returns the log likelihood, and the largest change of a probability that was there before.
    """
    labels = first, last, offsets, cells, known, weight
    row = np.empty(prevalence.size)
    if prevalence.size > 4:
        return _sweep_wide(labels, prevalence, table, posterior, counts, mass, row)
    narrow = _sweep_two if prevalence.size == 2 else _sweep_four
    return narrow(labels, prevalence, table, posterior, counts, mass, row, np.eye(row.size))


@kernel(error_model="numpy")
def _sweep_two(labels, prevalence, table, posterior, counts, mass, row, identity):
    start = load_pair(prevalence, np.uint64(0))
    return _sweep_narrow(start, labels, prevalence, table, posterior, counts, mass, row, identity)


@kernel(error_model="numpy")
def _sweep_four(labels, prevalence, table, posterior, counts, mass, row, identity):
    start = load_four(prevalence, np.uint64(0))
    return _sweep_narrow(start, labels, prevalence, table, posterior, counts, mass, row, identity)


@kernel(error_model="numpy")
def _sweep_narrow(start, labels, prevalence, table, posterior, counts, mass, scratch, identity):
    """Sweep where the prevalence, `start`, is one vector."""
    first, last, offsets, cells, known, weight = labels
    zero, one, width = np.uint64(0), np.uint64(1), np.uint64(length(start))
    n_categories = np.uint64(posterior.shape[1])
    masses = load(start, mass, zero)
    log_likelihood, moved = 0.0, 0.0
    product = 1.0
    for i in range(np.uint64(first), np.uint64(last)):
        low, high = np.uint64(offsets[i]), np.uint64(offsets[i + one])
        gold = known[i] if known.size else -1
        w = weight[i] if weight.size else 1.0
        row = start
        n = low
        while n < high:
            row = multiply(row, load(start, table, np.uint64(cells[n])))
            n += one
        if gold >= 0:
            row = multiply(row, load(start, identity, np.uint64(gold) * width))
        likelihood = total(row)
        if likelihood > _SMALL:
            row = divide(row, likelihood)
        else:
            likelihood = 1.0
            log_likelihood += w * _in_logs(
                low, high, cells, gold, prevalence, table, scratch, one, zero
            )
            row = load(start, scratch, zero)
        if n_categories == width:
            change = add(row, scale(load(start, posterior, i * width), -1.0))
            # The most that one loses; if there are two, the other gains as much.
            moved = max(moved, -least(change))
            if width > 2:
                moved = max(moved, -least(scale(change, -1.0)))
            store(posterior, i * width, row)
        else:
            store(scratch, zero, row)
            for k in range(n_categories):
                moved = max(moved, abs(scratch[k] - posterior[i, k]))
                posterior[i, k] = scratch[k]
        if low == high and gold < 0:
            continue  # it says nothing, and must not slow convergence either
        if weight.size:
            if w == 0.0:
                continue
            log_likelihood += w * math.log(likelihood)
            row = scale(row, w)
        else:
            if product < _LOW:
                log_likelihood += math.log(product)
                product = 1.0
            product *= likelihood
        masses = add(masses, row)
        n = low
        while n < high:
            cell = np.uint64(cells[n])
            store(counts, cell, add(load(start, counts, cell), row))
            n += one
    store(mass, zero, masses)
    return log_likelihood + math.log(product), moved


@kernel(error_model="numpy")
def _sweep_wide(labels, prevalence, table, posterior, counts, mass, row):
    """Sweep four categories after the other."""
    first, last, offsets, cells, known, weight = labels
    zero, one, four = np.uint64(0), np.uint64(1), np.uint64(4)
    n_categories, width = np.uint64(posterior.shape[1]), np.uint64(prevalence.size)
    log_likelihood, moved = 0.0, 0.0
    product = 1.0
    for i in range(np.uint64(first), np.uint64(last)):
        low, high = np.uint64(offsets[i]), np.uint64(offsets[i + one])
        gold = known[i] if known.size else -1
        w = weight[i] if weight.size else 1.0
        likelihood = 0.0
        for k in range(zero, width, four):
            part = load_four(prevalence, k)
            n = low
            while n < high:
                part = multiply(part, load_four(table, np.uint64(cells[n]) + k))
                n += one
            store(row, k, part)
            likelihood += total(part)
        if gold >= 0:
            likelihood = row[gold]
            row[:] = 0.0
            row[gold] = likelihood
        if likelihood > _SMALL:
            for k in range(width):
                row[k] /= likelihood
        else:
            likelihood = 1.0
            log_likelihood += w * _in_logs(
                low, high, cells, gold, prevalence, table, row, one, zero
            )
        for k in range(n_categories):
            moved = max(moved, abs(row[k] - posterior[i, k]))
            posterior[i, k] = row[k]
        if low == high and gold < 0:
            continue  # it says nothing, and must not slow convergence either
        if weight.size:
            if w == 0.0:
                continue
            log_likelihood += w * math.log(likelihood)
        else:
            if product < _LOW:
                log_likelihood += math.log(product)
                product = 1.0
            product *= likelihood
        for k in range(zero, width, four):
            part = scale(load_four(row, k), w)
            store(mass, k, add(load_four(mass, k), part))
            n = low
            while n < high:
                cell = np.uint64(cells[n]) + k
                store(counts, cell, add(load_four(counts, cell), part))
                n += one
    return log_likelihood + math.log(product), moved


@kernel(error_model="numpy")
def sweep_samples(offsets, cells, known, weight, prevalence, table, row, spare, counts, mass):
    """Sweep eight samples of items at once, each with its own parameters; no posterior is kept.

    What a sample gets does not depend on the others: `spare`, of sixteen numbers, has likelihoods
    and factors of an item that underflows in some of them.
    """
    zero, one, eight = np.uint64(0), np.uint64(1), np.uint64(8)
    width = np.uint64(prevalence.size) // eight
    for i in range(np.uint64(offsets.size - 1)):
        low, high = np.uint64(offsets[i]), np.uint64(offsets[i + one])
        gold = known[i] if known.size else -1
        if low == high and gold < 0:
            continue  # it says nothing, and must not slow convergence either
        likelihood = scale(load_eight(prevalence, zero), 0.0)
        for k in range(width):
            part = load_eight(prevalence, eight * k)
            n = low
            while n < high:
                part = multiply(part, load_eight(table, eight * (np.uint64(cells[n]) + k)))
                n += one
            if gold >= 0 and np.uint64(gold) != k:
                part = scale(part, 0.0)
            store(row, eight * k, part)
            likelihood = add(likelihood, part)
        factor = quotient(load_eight(weight, eight * i), likelihood)
        if not least(likelihood) > _SMALL:
            store(spare, zero, likelihood)
            store(spare, eight, factor)
            for lane in range(eight):
                if not spare[lane] > _SMALL:
                    _in_logs(low, high, cells, gold, prevalence, table, row, eight, lane)
                    spare[eight + lane] = weight[i, lane]
            factor = load_eight(spare, eight)
        for k in range(width):
            part = multiply(load_eight(row, eight * k), factor)
            store(mass, eight * k, add(load_eight(mass, eight * k), part))
            n = low
            while n < high:
                cell = eight * (np.uint64(cells[n]) + k)
                store(counts, cell, add(load_eight(counts, cell), part))
                n += one


@kernel(error_model="numpy")
def _in_logs(low, high, cells, gold, prevalence, table, row, step, lane):
    """Fill an item's posterior and return its log likelihood; slower, and never underflows."""
    width = np.uint64(row.size) // step
    best = -np.inf
    for k in range(width):
        at = k * step + lane
        value = math.log(prevalence[at]) if gold < 0 or np.uint64(gold) == k else -np.inf
        for n in range(low, high):
            value += math.log(table[(np.uint64(cells[n]) + k) * step + lane])
        row[at] = value
        best = max(best, value)
    if best == -np.inf:
        for k in range(width):
            at = k * step + lane
            if gold < 0:
                row[at] = prevalence[at]
            else:
                row[at] = 1.0 if np.uint64(gold) == k else 0.0
        return best
    total = 0.0
    for k in range(width):
        at = k * step + lane
        row[at] = math.exp(row[at] - best)
        total += row[at]
    for k in range(width):
        row[k * step + lane] /= total
    return best + math.log(total)


@kernel()
def collect(offsets, cells, known, weight, posterior, counts, mass):
    """Add to the counts what a given posterior says, as the M-step of a start does."""
    for i in range(offsets.size - 1):
        low, high = offsets[i], offsets[i + 1]
        w = weight[i] if weight.size else 1.0
        if w == 0.0 or (low == high and not (known.size and known[i] >= 0)):
            continue
        for k in range(posterior.shape[1]):
            share = w * posterior[i, k]
            mass[k] += share
            for n in range(low, high):
                counts[np.uint64(cells[n]) + np.uint64(k)] += share


@kernel(error_model="numpy")
def maximise(counts, smoothing, tie, table):
    """Fill the table of probabilities, shape (G, K, W), from smoothed counts of that shape."""
    n_groups, n_categories, _ = counts.shape
    for g in range(n_groups):
        all_right, everything = 0.0, 0.0
        for k in range(n_categories):
            total = 0.0
            for label in range(n_categories):
                value = counts[g, label, k] + smoothing[g, k, label]
                table[g, label, k] = value
                total += value
            right = table[g, k, k]
            all_right += right
            everything += total
            if tie == CATEGORY:
                _spread(right, total, k, table[g])
            elif tie == FREE:
                for label in range(n_categories):
                    table[g, label, k] = (
                        table[g, label, k] / total if total > 0 else 1.0 / n_categories
                    )
        if tie == ONE_COIN:
            for k in range(n_categories):
                _spread(all_right, everything, k, table[g])


@kernel(error_model="numpy")
def _spread(right, total, k, matrix):
    """Give the label k the share that is right, and each other label an equal part of the rest."""
    n_categories = matrix.shape[0]
    for label in range(n_categories):
        if not total > 0:
            matrix[label, k] = 1.0 / n_categories
        elif label == k:
            matrix[label, k] = right / total
        else:
            matrix[label, k] = (total - right) / total / (n_categories - 1)


@kernel()
def simulate_counts(rng, offsets, cells, known, prevalence, table, n_categories):
    """Draw a category for each item and labels of the same annotators; return counts, (I, K)."""
    n_items = offsets.size - 1
    width = prevalence.size
    counts = np.zeros((n_items, n_categories))
    for i in range(n_items):
        k = known[i] if known.size else -1
        if k < 0:
            k = _draw(rng, prevalence, 0, 1, n_categories)
        for n in range(offsets[i], offsets[i + 1]):
            # All labels of this annotator, of which the cell is one.
            first = np.int64(cells[n]) // (n_categories * width) * (n_categories * width)
            counts[i, _draw(rng, table, first + k, width, n_categories)] += 1.0
    return counts


@kernel()
def _draw(rng, probabilities, first, step, n_categories):
    left = rng.random()
    for k in range(n_categories - 1):
        left -= probabilities[first + k * step]
        if left < 0:
            return k
    return n_categories - 1
