"""Compiled kernels of the hierarchical Dawid-Skene model.

counts[k, j, l] counts the labels l of annotator j on the items that are now of category k;
response[j, l, k] is log theta_jkl, laid out for the sums over an item's labels; mean[k] and
scale[k] are those of the rows k of all annotators. Annotators and labels are sorted by item,
those of item i at offsets[i]:offsets[i + 1].
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from annobench.kernels.hierarchical_binary import draw_log_gamma

#: Rising factorials are summed term by term up to this many labels of an annotator,
#: from a table shared by all annotators, and by log-gamma beyond it.
_TABLE = 48
#: The largest log scale, where differences of log-gamma still have six digits. The
#: prior leaves exp(-18 g) above it.
_LARGEST_LOG_SCALE = 18.0


@njit(nogil=True, cache=True)
def run_sweeps(
    rng, offsets, annotator, label, prevalence, mean, scale, response, category, first, last,
    exponent, thin, prevalence_out, mean_out, scale_out, confusion_out, probability_out, total,
):  # fmt: skip
    """Run the sweeps numbered [first, last), storing those from 0; return the relabellings."""
    n_items = offsets.size - 1
    n_annotators, n_categories, _ = response.shape
    counts = np.zeros((n_categories, n_annotators, n_categories))
    log_odds = np.empty(n_categories)
    log_prevalence = np.empty(n_categories)
    switches = 0
    for sweep in range(first, last):
        _count(offsets, annotator, label, category, counts)
        for k in range(n_categories):
            _draw_scale(rng, mean[k], scale, k, counts[k], exponent)
            _draw_mean(rng, mean[k], scale[k], counts[k])
            for j in range(n_annotators):
                _draw_log_dirichlet(rng, scale[k] * mean[k] + counts[k, j], response[j, :, k])
        _draw_log_dirichlet(
            rng, 1.0 + np.bincount(category, minlength=n_categories), log_prevalence
        )

        order = assignment(mean)
        moved = False
        for k in range(n_categories):
            moved = moved or order[k] != k
        if moved:
            # The class whose mean row puts most on label l, taken together, becomes class l.
            mean[:] = mean[order]
            scale[:] = scale[order]
            log_prevalence[:] = log_prevalence[order]
            for j in range(n_annotators):
                response[j] = response[j][:, order]
            switches += sweep >= 0
        prevalence[:] = np.exp(log_prevalence)

        store = sweep >= 0 and sweep % thin == 0
        for i in range(n_items):
            log_odds[:] = log_prevalence
            for n in range(offsets[i], offsets[i + 1]):
                for k in range(n_categories):
                    log_odds[k] += response[annotator[n], label[n], k]
            high = log_odds.max()
            mass = 0.0
            for k in range(n_categories):
                log_odds[k] = math.exp(log_odds[k] - high)
                mass += log_odds[k]
            point = rng.random() * mass
            chosen = 0
            while chosen < n_categories - 1 and point >= log_odds[chosen]:
                point -= log_odds[chosen]
                chosen += 1
            category[i] = chosen
            if sweep >= 0:
                for k in range(n_categories):
                    total[i, k] += log_odds[k] / mass
                    if store:
                        probability_out[sweep // thin, i, k] = log_odds[k] / mass
        if sweep >= 0:
            prevalence_out[sweep] = prevalence
            mean_out[sweep] = mean
            scale_out[sweep] = scale
            if store:
                for j in range(n_annotators):
                    for k in range(n_categories):
                        for m in range(n_categories):
                            confusion_out[sweep // thin, j, k, m] = math.exp(response[j, m, k])
    return switches


@njit(nogil=True, cache=True)
def _count(offsets, annotator, label, category, counts):
    counts[:] = 0.0
    for i in range(offsets.size - 1):
        for n in range(offsets[i], offsets[i + 1]):
            counts[category[i], annotator[n], label[n]] += 1.0


@njit(nogil=True, cache=True)
def _draw_log_dirichlet(rng, shape, out):
    """Draw from a Dirichlet distribution in logs, finite even for tiny shapes."""
    high = -np.inf
    for k in range(shape.size):
        out[k] = draw_log_gamma(rng, shape[k])
        high = max(high, out[k])
    mass = 0.0
    for k in range(shape.size):
        mass += math.exp(out[k] - high)
    norm = high + math.log(mass)
    for k in range(shape.size):
        out[k] -= norm


@njit(nogil=True, cache=True)
def _tabulate(counts, table):
    """Count, for each t, the annotators with more than t labels."""
    table[:] = 0.0
    for j in range(counts.size):
        if counts[j] > 0.0:
            table[min(int(counts[j]), _TABLE) - 1] += 1.0
    for t in range(_TABLE - 2, -1, -1):
        table[t] += table[t + 1]


@njit(nogil=True, cache=True)
def _rising(shape, counts, table):
    """Return sum_j log of the rising factorial shape (shape + 1) ... of counts[j] factors."""
    total = 0.0
    for t in range(_TABLE):
        if table[t] == 0.0:
            return total
        total += table[t] * math.log(shape + t)
    past = math.lgamma(shape + _TABLE)
    for j in range(counts.size):
        if counts[j] > _TABLE:
            total += math.lgamma(shape + counts[j]) - past
    return total


@njit(nogil=True, cache=True)
def _draw_scale(rng, mean, scales, k, counts, exponent):
    """Update log s_k by slice sampling, the annotators' rows integrated out."""
    n_categories = mean.size
    tables = np.empty((n_categories + 1, _TABLE))
    sizes = counts.sum(axis=1)
    _tabulate(sizes, tables[n_categories])
    columns = counts.T.copy()
    for m in range(n_categories):
        _tabulate(columns[m], tables[m])
    origin = math.log(scales[k])
    level = _scale_density(origin, mean, columns, sizes, tables, exponent)
    level += math.log(1.0 - rng.random())
    width = 1.0
    begin = max(0.0, origin - width * rng.random())
    end = min(_LARGEST_LOG_SCALE, begin + width)
    while begin > 0.0 and _scale_density(begin, mean, columns, sizes, tables, exponent) > level:
        begin = max(0.0, begin - width)
    while (
        end < _LARGEST_LOG_SCALE
        and _scale_density(end, mean, columns, sizes, tables, exponent) > level
    ):
        end = min(_LARGEST_LOG_SCALE, end + width)
    x = begin + (end - begin) * rng.random()
    while _scale_density(x, mean, columns, sizes, tables, exponent) <= level:
        if x < origin:
            begin = x
        else:
            end = x
        x = begin + (end - begin) * rng.random()
    scales[k] = math.exp(x)


@njit(nogil=True, cache=True)
def _scale_density(log_scale, mean, columns, sizes, tables, exponent):
    scale = math.exp(log_scale)
    total = -exponent * log_scale - _rising(scale, sizes, tables[mean.size])
    for m in range(mean.size):
        total += _rising(scale * mean[m], columns[m], tables[m])
    return total


@njit(nogil=True, cache=True)
def _draw_mean(rng, mean, scale, counts):
    """Update m_k: for each label, share its mass anew with a label chosen at random."""
    n_categories = mean.size
    table, other_table = np.empty(_TABLE), np.empty(_TABLE)
    for m in range(n_categories):
        other = int(rng.random() * (n_categories - 1))
        other += other >= m
        column, other_column = counts[:, m].copy(), counts[:, other].copy()
        _tabulate(column, table)
        _tabulate(other_column, other_table)
        mass = mean[m] + mean[other]
        origin = mean[m] / mass
        level = math.log(1.0 - rng.random()) + _share_density(
            origin, mass * scale, column, other_column, table, other_table
        )
        begin, end = 0.0, 1.0
        x = begin + (end - begin) * rng.random()
        while not (
            0.0 < x < 1.0
            and _share_density(x, mass * scale, column, other_column, table, other_table) > level
        ):
            if x < origin:
                begin = x
            else:
                end = x
            x = begin + (end - begin) * rng.random()
        mean[m] = x * mass
        mean[other] = (1.0 - x) * mass


@njit(nogil=True, cache=True)
def _share_density(x, shape, column, other_column, table, other_table):
    return _rising(x * shape, column, table) + _rising((1.0 - x) * shape, other_column, other_table)


@njit(nogil=True, cache=True)
def assignment(gain):
    """Return the order of the rows that puts most on the diagonal (shortest augmenting paths).

    Jonker and Volgenant (1987), Computing 38.
    """
    n = gain.shape[0]
    row_price, column_price = np.zeros(n + 1), np.zeros(n + 1)
    row_of, way = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for row in range(1, n + 1):
        row_of[0] = row
        column = 0
        slack = np.full(n + 1, np.inf)
        used = np.zeros(n + 1, dtype=np.bool_)
        while row_of[column] != 0:
            used[column] = True
            at, best, nearest = row_of[column], np.inf, 0
            for c in range(1, n + 1):
                if not used[c]:
                    reduced = -gain[at - 1, c - 1] - row_price[at] - column_price[c]
                    if reduced < slack[c]:
                        slack[c] = reduced
                        way[c] = column
                    if slack[c] < best:
                        best, nearest = slack[c], c
            for c in range(n + 1):
                if used[c]:
                    row_price[row_of[c]] += best
                    column_price[c] -= best
                else:
                    slack[c] -= best
            column = nearest
        while column != 0:
            row_of[column] = row_of[way[column]]
            column = way[column]
    return row_of[1:] - 1
