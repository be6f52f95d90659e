"""Compiled kernels of mixtures fitted by variational Bayes.

A component is a category, or a category's subtype. What the labels of annotator j say of the C
components is a table of shape (J, K, C), by annotator and label, so that what a label adds is one
contiguous row: N C additions in either direction.
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math

#: From here on the asymptotic series of the digamma function is exact to rounding.
_LARGE = 10.0


def expect(item, annotator, label, table, log_component, responsibility):
    """Write the items' posterior of the components, (I, C); return the sum of log normalisers."""
    labelled = np.zeros(len(responsibility), dtype=np.bool_)  # a kernel's own compiles for longer
    return _expect(item, annotator, label, table, log_component, responsibility, labelled)


@kernel()
def _expect(item, annotator, label, table, log_component, responsibility, labelled):
    n_items, n_components = responsibility.shape
    for i in range(n_items):
        for c in range(n_components):
            responsibility[i, c] = log_component[c]
    for n in range(item.size):
        row, total = table[annotator[n], label[n]], responsibility[item[n]]
        for c in range(n_components):
            total[c] += row[c]
        labelled[item[n]] = True
    value = 0.0
    for i in range(n_items):
        score = responsibility[i]
        best = score[0]
        for c in range(1, n_components):  # `max` compiles as long as all of this
            best = max(best, score[c])
        total = 0.0
        for c in range(n_components):
            score[c] = math.exp(score[c] - best)
            total += score[c]
        for c in range(n_components):
            score[c] /= total
        if labelled[i]:
            value += best + math.log(total)
    return value


@kernel()
def collect(item, annotator, label, responsibility, table):
    """Add each item's probabilities of the components, shape (I, C), to the rows of its labels."""
    n_components = table.shape[2]
    for n in range(item.size):
        row, total = responsibility[item[n]], table[annotator[n], label[n]]
        for c in range(n_components):
            total[c] += row[c]


@kernel()
def take_logs(table, prior, log_normalisers):
    """Turn Dirichlet parameters into expected logarithms; return the divergence from the prior."""
    n_annotators, n_labels, n_components = table.shape
    of_prior, total_of_prior = np.empty_like(prior), np.zeros(n_components)
    for c in range(n_components):
        for k in range(n_labels):
            of_prior[k, c] = digamma(prior[k, c])
            total_of_prior[c] += prior[k, c]
        total_of_prior[c] = digamma(total_of_prior[c])
    divergence = 0.0
    for j in range(n_annotators):
        for c in range(n_components):
            total, moved = 0.0, False
            for k in range(n_labels):
                total += table[j, k, c]
                moved |= table[j, k, c] != prior[k, c]
            of_total = digamma(total) if moved else total_of_prior[c]
            if moved:
                divergence += log_normalisers[c] + math.lgamma(total)
            for k in range(n_labels):
                value = table[j, k, c]
                if value == prior[k, c]:
                    table[j, k, c] = of_prior[k, c] - of_total
                    if moved:
                        divergence -= math.lgamma(value)
                else:
                    table[j, k, c] = digamma(value) - of_total
                    divergence += (value - prior[k, c]) * table[j, k, c] - math.lgamma(value)
    return divergence


@kernel()
def digamma(x):
    """Return the digamma function of a number above 0."""
    below = 0.0
    while x < _LARGE:
        below += 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = 1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760))
    series = y * (1 / 12 - y * (1 / 120 - y * series))
    return math.log(x) - 0.5 / x - series - below
