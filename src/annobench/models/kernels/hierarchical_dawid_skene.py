"""Compiled kernels of the hierarchical Dawid-Skene model.

counts[j, l, k] counts the labels l of annotator j on the items that are now of category k, and
given[j, k] all labels of j on them; mean[k] and concentration[k] are those of the rows k of all
annotators. Annotators and labels are sorted by item, those of item i at
offsets[i]:offsets[i + 1].
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math
from annobench.models.kernels.hierarchical_binary import draw_log_gamma

#: Rising factorials are summed term by term up to this many labels of an annotator,
#: from a table shared by all annotators, and by log-gamma beyond it.
_TABLE = 48
#: The largest log concentration, where differences of log-gamma still have six digits. The
#: prior leaves exp(-18 g) above it.
_LARGEST_LOG_CONCENTRATION = 18.0
#: The power of probabilities at which a tempered warm-up begins.
_WARMEST = 0.1
#: Below this a sum of weights is scaled up, before it underflows.
_SMALL = 1e-100


@kernel()
def run_sweeps(
    rng,
    offsets,
    annotator,
    label,
    n_annotators,
    mean,
    concentration,
    category,
    first,
    last,
    exponent,
    cold_from,
    tempered,
    thin,
    prevalence_out,
    mean_out,
    concentration_out,
    confusion_out,
    probability_out,
    total,
):
    """Run the sweeps numbered [first, last), storing those from 0; return the relabellings."""
    n_categories = concentration.size
    counts = np.zeros((n_annotators, n_categories, n_categories))
    given = np.zeros((n_annotators, n_categories))
    of_class, of_annotator = np.empty((n_categories, n_annotators)), np.empty(n_annotators)
    repeated = _has_repeats(offsets, annotator, n_annotators)
    weight, prior = np.empty(n_categories), np.empty((n_categories, n_categories))
    sizes, log_prevalence = np.empty(n_categories), np.empty(n_categories)
    shape, row = np.empty(n_categories), np.empty(n_categories)
    response = np.empty((n_annotators, n_categories, n_categories))
    _count(offsets, annotator, label, category, counts, given)
    switches = 0
    for sweep in range(first, last):
        for k in range(n_categories):
            for j in range(n_annotators):
                of_annotator[j] = given[j, k]
                for m in range(n_categories):
                    of_class[m, j] = counts[j, m, k]
            _draw_concentration(rng, mean[k], concentration, k, of_class, of_annotator, exponent)
            _draw_mean(rng, mean[k], concentration[k], of_class)
        if _relabel(mean, concentration, category):
            _count(offsets, annotator, label, category, counts, given)
            switches += sweep >= 0

        sizes[:] = 1.0
        for i in range(category.size):
            sizes[category[i]] += 1.0
        for k in range(n_categories):
            for m in range(n_categories):
                prior[m, k] = concentration[k] * mean[k, m]
        for i in range(category.size):
            low, high = offsets[i], offsets[i + 1]
            old = category[i]
            sizes[old] -= 1.0
            for n in range(low, high):
                counts[annotator[n], label[n], old] -= 1.0
                given[annotator[n], old] -= 1.0
            for k in range(n_categories):
                weight[k] = sizes[k]
            mass = _weigh(
                low,
                high,
                annotator,
                label,
                repeated[i],
                counts,
                given,
                prior,
                concentration,
                weight,
            )
            if sweep >= 0:
                for k in range(n_categories):
                    total[i, k] += weight[k] / mass
            elif sweep < cold_from:
                power = 1.0 - (1.0 - _WARMEST) * (cold_from - sweep) / tempered
                mass = 0.0
                for k in range(n_categories):
                    weight[k] = weight[k] ** power
                    mass += weight[k]
            point = rng.random() * mass
            new = 0
            while new < n_categories - 1 and point >= weight[new]:
                point -= weight[new]
                new += 1
            category[i] = new
            sizes[new] += 1.0
            for n in range(low, high):
                counts[annotator[n], label[n], new] += 1.0
                given[annotator[n], new] += 1.0

        if sweep < 0:
            continue
        draw_log_dirichlet(rng, sizes, log_prevalence)
        for k in range(n_categories):
            prevalence_out[sweep, k] = math.exp(log_prevalence[k])
            concentration_out[sweep, k] = concentration[k]
            for m in range(n_categories):
                mean_out[sweep, k, m] = mean[k, m]
        if sweep % thin == 0:
            for j in range(n_annotators):
                for k in range(n_categories):
                    for m in range(n_categories):
                        shape[m] = prior[m, k] + counts[j, m, k]
                    draw_log_dirichlet(rng, shape, row)
                    for m in range(n_categories):
                        response[j, m, k] = row[m]
                        confusion_out[sweep // thin, j, k, m] = math.exp(row[m])
            _probabilities(
                offsets,
                annotator,
                label,
                log_prevalence,
                response,
                row,
                probability_out[sweep // thin],
            )
    return switches


@kernel()
def _relabel(mean, concentration, category):
    """Let the class whose mean row puts most on label l, taken together, be class l."""
    order = assignment(mean)
    n_categories = order.size
    name = np.zeros(n_categories, dtype=np.int64)
    moved = False
    for k in range(n_categories):
        name[order[k]] = k
        moved = moved or order[k] != k
    if moved:
        old_mean, old_concentration = np.empty(mean.shape), np.empty(n_categories)
        for k in range(n_categories):
            old_concentration[k] = concentration[k]
            for m in range(n_categories):
                old_mean[k, m] = mean[k, m]
        for k in range(n_categories):
            concentration[k] = old_concentration[order[k]]
            for m in range(n_categories):
                mean[k, m] = old_mean[order[k], m]
        for i in range(category.size):
            category[i] = name[category[i]]
    return moved


@kernel()
def _count(offsets, annotator, label, category, counts, given):
    counts[:], given[:] = 0.0, 0.0
    for i in range(offsets.size - 1):
        for n in range(offsets[i], offsets[i + 1]):
            counts[annotator[n], label[n], category[i]] += 1.0
            given[annotator[n], category[i]] += 1.0


@kernel()
def _has_repeats(offsets, annotator, n_annotators):
    """Say of each item whether an annotator labelled it more than once."""
    before = np.zeros(n_annotators, dtype=np.int64)  # the item of the last label, from 1
    found = np.zeros(offsets.size - 1, dtype=np.int64)
    for i in range(offsets.size - 1):
        for n in range(offsets[i], offsets[i + 1]):
            if before[annotator[n]] == i + 1:
                found[i] = 1
            before[annotator[n]] = i + 1
    return found


@kernel(error_model="numpy")
def _weigh(low, high, annotator, label, repeated, counts, given, prior, concentration, weight):
    """Multiply weights by the probabilities of an item's labels, and return their sum."""
    for n in range(low, high):
        j, m = annotator[n], label[n]
        mass = 0.0
        for k in range(weight.size):
            weight[k] *= (counts[j, m, k] + prior[m, k]) / (given[j, k] + concentration[k])
            mass += weight[k]
        if mass < _SMALL:
            # What is lost here is improbable by hundreds of digits.
            for k in range(weight.size):
                weight[k] = weight[k] / mass if mass > 0.0 else 1.0
        if repeated:
            for k in range(weight.size):
                counts[j, m, k] += 1.0
                given[j, k] += 1.0
    if repeated:
        for n in range(low, high):
            for k in range(weight.size):
                counts[annotator[n], label[n], k] -= 1.0
                given[annotator[n], k] -= 1.0
    mass = 0.0
    for k in range(weight.size):
        mass += weight[k]
    return mass


@kernel()
def _probabilities(offsets, annotator, label, log_prevalence, response, row, out):
    """Write the probabilities of items' categories given prevalence and annotators' rows."""
    for i in range(offsets.size - 1):
        for k in range(row.size):
            row[k] = log_prevalence[k]
        for n in range(offsets[i], offsets[i + 1]):
            for k in range(row.size):
                row[k] += response[annotator[n], label[n], k]
        best, mass = row[0], 0.0
        for k in range(1, row.size):
            best = max(best, row[k])
        for k in range(row.size):
            row[k] = math.exp(row[k] - best)
            mass += row[k]
        for k in range(row.size):
            out[i, k] = row[k] / mass


@kernel()
def draw_log_dirichlet(rng, shape, out):
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


@kernel()
def _tabulate(counts, table):
    """Count, for each t, the annotators with more than t labels."""
    table[:] = 0.0
    for j in range(counts.size):
        if counts[j] > 0.0:
            table[min(int(counts[j]), _TABLE) - 1] += 1.0
    for t in range(_TABLE - 2, -1, -1):
        table[t] += table[t + 1]


@kernel()
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


@kernel()
def _draw_concentration(rng, mean, concentrations, k, columns, sizes, exponent):
    """Update log s_k by slice sampling, the annotators' rows integrated out."""
    n_categories = mean.size
    tables = np.empty((n_categories + 1, _TABLE))
    _tabulate(sizes, tables[n_categories])
    for m in range(n_categories):
        _tabulate(columns[m], tables[m])
    origin = math.log(concentrations[k])
    level = _concentration_density(origin, mean, columns, sizes, tables, exponent)
    level += math.log(1.0 - rng.random())
    width = 1.0
    begin = max(0.0, origin - width * rng.random())
    end = min(_LARGEST_LOG_CONCENTRATION, begin + width)
    while (
        begin > 0.0
        and _concentration_density(begin, mean, columns, sizes, tables, exponent) > level
    ):
        begin = max(0.0, begin - width)
    while (
        end < _LARGEST_LOG_CONCENTRATION
        and _concentration_density(end, mean, columns, sizes, tables, exponent) > level
    ):
        end = min(_LARGEST_LOG_CONCENTRATION, end + width)
    x = begin + (end - begin) * rng.random()
    while _concentration_density(x, mean, columns, sizes, tables, exponent) <= level:
        if x < origin:
            begin = x
        else:
            end = x
        x = begin + (end - begin) * rng.random()
    concentrations[k] = math.exp(x)


@kernel()
def _concentration_density(log_concentration, mean, columns, sizes, tables, exponent):
    concentration = math.exp(log_concentration)
    total = -exponent * log_concentration - _rising(concentration, sizes, tables[mean.size])
    for m in range(mean.size):
        total += _rising(concentration * mean[m], columns[m], tables[m])
    return total


@kernel()
def _draw_mean(rng, mean, concentration, columns):
    """Update m_k: for each label, share its mass anew with a label chosen at random."""
    n_categories = mean.size
    table, other_table = np.empty(_TABLE), np.empty(_TABLE)
    for m in range(n_categories):
        other = int(rng.random() * (n_categories - 1))
        other += other >= m
        column, other_column = columns[m], columns[other]
        _tabulate(column, table)
        _tabulate(other_column, other_table)
        mass = mean[m] + mean[other]
        origin = mean[m] / mass
        level = math.log(1.0 - rng.random()) + _share_density(
            origin, mass * concentration, column, other_column, table, other_table
        )
        begin, end = 0.0, 1.0
        x = begin + (end - begin) * rng.random()
        while not (
            0.0 < x < 1.0
            and _share_density(x, mass * concentration, column, other_column, table, other_table)
            > level
        ):
            if x < origin:
                begin = x
            else:
                end = x
            x = begin + (end - begin) * rng.random()
        mean[m] = x * mass
        mean[other] = (1.0 - x) * mass


@kernel()
def _share_density(x, shape, column, other_column, table, other_table):
    return _rising(x * shape, column, table) + _rising((1.0 - x) * shape, other_column, other_table)


@kernel()
def assignment(gain):
    """Return the order of the rows that puts most on the diagonal (shortest augmenting paths)."""
    n = gain.shape[0]
    row_price, column_price = np.zeros(n + 1), np.zeros(n + 1)
    row_of, way = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    slack, used = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    order = np.zeros(n, dtype=np.int64)
    for row in range(1, n + 1):
        row_of[0] = row
        column = 0
        for c in range(n + 1):
            slack[c], used[c] = np.inf, 0
        while row_of[column] != 0:
            used[column] = 1
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
    for c in range(n):
        order[c] = row_of[c + 1] - 1
    return order
