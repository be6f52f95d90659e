"""Compiled kernels of the model of Dawid and Skene.

One pass does the E-step and collects the counts of the M-step while an item's posterior is at
hand, so that labels are read once an iteration and nothing is kept for a label but its cell.

A matrix of probabilities or counts is stored with the true category last: cell (g, l), of
annotator or group g and label l, begins at ``(g K + l) W``, and its W numbers belong to the true
categories. W is K, padded with zeros to 2 or to a multiple of four, so that the products of an
item stay in registers. Labels are sorted by item, those of item i at ``offsets[i]:offsets[i + 1]``.
An empty `known` or `weight` means that there are none.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

#: Below this an item's likelihood is computed in logarithms. Factors are at most 1, so that a
#: product that ends above it has underflowed nowhere, except in categories of a posterior
#: probability below 1e-100.
_SMALL = 1e-200
#: Likelihoods are multiplied and their logarithm is taken when the product falls below this.
_LOW = 1e-100

#: How the entries of a confusion matrix are tied: not at all; equal errors within a row; one
#: accuracy for all rows as well.
FREE, CATEGORY, ONE_COIN = 0, 1, 2


@njit(nogil=True, cache=True)
def sort_cells(item, owner, label, n_items, n_categories, width):
    """Return where each item's labels start, and the cells of its labels, in the given order."""
    offsets = np.zeros(n_items + 1, dtype=np.int64)
    for n in range(item.size):
        offsets[item[n] + 1] += 1
    for i in range(n_items):
        offsets[i + 1] += offsets[i]
    cells = np.empty(item.size, dtype=np.uint32)
    place = offsets[:-1].copy()
    for n in range(item.size):
        i = item[n]
        cells[place[i]] = (owner[n] * n_categories + label[n]) * width
        place[i] += 1
    return offsets, cells


@njit(nogil=True, cache=True)
def votes(item, label, n_items, n_categories):
    """Return the shares of each item's labels, 1/K where it has none."""
    shares = np.zeros((n_items, n_categories))
    for n in range(item.size):
        shares[item[n], label[n]] += 1.0
    for i in range(n_items):
        total = shares[i].sum()
        for k in range(n_categories):
            shares[i, k] = shares[i, k] / total if total > 0 else 1.0 / n_categories
    return shares


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(first, last, offsets, cells, known, weight, prevalence, table, posterior, counts, mass):
    """Write the posterior of the items [first, last), add to the counts, return the likelihood.

    The value is the log marginal likelihood of these items, -inf if one of them can't occur.
    """
    if prevalence.size == 2:
        return _sweep_pairs(
            first, last, offsets, cells, known, weight, prevalence, table, posterior, counts, mass
        )
    return _sweep_fours(
        first, last, offsets, cells, known, weight, prevalence, table, posterior, counts, mass
    )


@njit(nogil=True, cache=True, error_model="numpy")
def _sweep_pairs(
    first, last, offsets, cells, known, weight, prevalence, table, posterior, counts, mass
):
    one = np.uint64(1)
    row = np.empty(2)
    log_likelihood = 0.0
    product = 1.0
    for i in range(first, last):
        low, high = offsets[i], offsets[i + 1]
        gold = known[i] if known.size else -1
        w = weight[i] if weight.size else 1.0
        a, b = prevalence[0], prevalence[1]
        for n in range(low, high):
            c = np.uint64(cells[n])
            a *= table[c]
            b *= table[c + one]
        if gold >= 0:
            a, b = (a, 0.0) if gold == 0 else (0.0, b)
        total = a + b
        if total > _SMALL:
            a, b = a / total, b / total
        else:
            total = 1.0
            log_likelihood += w * _in_logs(low, high, cells, gold, prevalence, table, row)
            a, b = row[0], row[1]
        posterior[i, 0] = a
        if posterior.shape[1] == 2:
            posterior[i, 1] = b
        if low == high and gold < 0:
            continue  # it says nothing, and must not slow convergence either
        if weight.size:
            if w == 0.0:
                continue
            log_likelihood += w * math.log(total)
            a, b = w * a, w * b
        else:
            if product < _LOW:
                log_likelihood += math.log(product)
                product = 1.0
            product *= total
        mass[0] += a
        mass[1] += b
        for n in range(low, high):
            c = np.uint64(cells[n])
            counts[c] += a
            counts[c + one] += b
    return log_likelihood + math.log(product)


@njit(nogil=True, cache=True, error_model="numpy")
def _sweep_fours(
    first, last, offsets, cells, known, weight, prevalence, table, posterior, counts, mass
):
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    n_categories = posterior.shape[1]
    width = prevalence.size
    row = np.empty(width)
    log_likelihood = 0.0
    product = 1.0
    for i in range(first, last):
        low, high = offsets[i], offsets[i + 1]
        gold = known[i] if known.size else -1
        w = weight[i] if weight.size else 1.0
        total = 0.0
        for k in range(0, width, 4):
            a, b, c, d = prevalence[k], prevalence[k + 1], prevalence[k + 2], prevalence[k + 3]
            for n in range(low, high):
                at = np.uint64(cells[n]) + np.uint64(k)
                a *= table[at]
                b *= table[at + one]
                c *= table[at + two]
                d *= table[at + three]
            row[k], row[k + 1], row[k + 2], row[k + 3] = a, b, c, d
            total += a + b + c + d
        if gold >= 0:
            total = row[gold]
            row[:] = 0.0
            row[gold] = total
        if total > _SMALL:
            for k in range(width):
                row[k] /= total
        else:
            total = 1.0
            log_likelihood += w * _in_logs(low, high, cells, gold, prevalence, table, row)
        for k in range(n_categories):
            posterior[i, k] = row[k]
        if low == high and gold < 0:
            continue  # it says nothing, and must not slow convergence either
        if weight.size:
            if w == 0.0:
                continue
            log_likelihood += w * math.log(total)
        else:
            if product < _LOW:
                log_likelihood += math.log(product)
                product = 1.0
            product *= total
        for k in range(0, width, 4):
            a, b, c, d = w * row[k], w * row[k + 1], w * row[k + 2], w * row[k + 3]
            mass[k] += a
            mass[k + 1] += b
            mass[k + 2] += c
            mass[k + 3] += d
            for n in range(low, high):
                at = np.uint64(cells[n]) + np.uint64(k)
                counts[at] += a
                counts[at + one] += b
                counts[at + two] += c
                counts[at + three] += d
    return log_likelihood + math.log(product)


@njit(nogil=True, cache=True, error_model="numpy")
def _in_logs(low, high, cells, gold, prevalence, table, row):
    """Fill an item's posterior and return its log likelihood; slower, and never underflows."""
    best = -np.inf
    for k in range(row.size):
        value = math.log(prevalence[k]) if gold < 0 or gold == k else -np.inf
        for n in range(low, high):
            value += math.log(table[np.uint64(cells[n]) + np.uint64(k)])
        row[k] = value
        best = max(best, value)
    if best == -np.inf:
        for k in range(row.size):
            row[k] = prevalence[k] if gold < 0 else 0.0
        if gold >= 0:
            row[gold] = 1.0
        return best
    total = 0.0
    for k in range(row.size):
        row[k] = math.exp(row[k] - best)
        total += row[k]
    for k in range(row.size):
        row[k] /= total
    return best + math.log(total)


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True, error_model="numpy")
def maximise(counts, smoothing, tie, table):
    """Fill the table of probabilities, shape (G, K, W), from smoothed counts of that shape.

    `smoothing` is (G, K, K), by true category and label. A row without counts is made
    uniform: no item of its annotator has a share in the category, so that any row will do.
    """
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


@njit(nogil=True, cache=True, error_model="numpy")
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def _draw(rng, probabilities, first, step, n_categories):
    left = rng.random()
    for k in range(n_categories - 1):
        left -= probabilities[first + k * step]
        if left < 0:
            return k
    return n_categories - 1
