"""Compiled kernels of minimax entropy: probabilities of labels, and Newton steps of their terms."""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math

#: How often a step that leads down is halved.
HALVINGS = 20


@kernel()
def add_log_probabilities(item, annotator, label, of_annotator, of_item, score):
    """Add the log probability of each label given each category to its item's scores."""
    k = score.shape[1]
    for n in range(item.size):
        i, j = item[n], annotator[n]
        for c in range(k):
            top = -np.inf
            for m in range(k):
                top = max(top, of_annotator[j, c, m] + of_item[i, c, m])
            total = 0.0
            for m in range(k):
                total += math.exp(of_annotator[j, c, m] + of_item[i, c, m] - top)
            own = of_annotator[j, c, label[n]] + of_item[i, c, label[n]]
            score[i, c] += own - top - math.log(total)


@kernel()
def refit_terms(offsets, order, item, partner, label, posterior, fixed, ridge, terms):
    """Take a Newton step in the terms of each group and category, the partners' terms fixed."""
    k = posterior.shape[1]
    slope, step, trial = np.empty(k), np.empty(k), np.empty(k)
    curvature = np.empty((k, k))
    for g in range(terms.shape[0]):
        labels = order[offsets[g] : offsets[g + 1]]
        if labels.size == 0:
            continue
        for c in range(k):
            now = terms[g, c]
            value = _expected(
                labels, item, partner, label, posterior, fixed, ridge, c, now, slope, curvature
            )
            _solve(curvature, slope, step)
            floor = value - 1e-12 * abs(value)
            for _ in range(HALVINGS):
                for m in range(k):
                    trial[m] = now[m] + step[m]
                reached = _expected(
                    labels, item, partner, label, posterior, fixed, ridge, c, trial, slope, None
                )
                if reached >= floor:
                    now[:] = trial
                    break
                step *= 0.5


@kernel()
def _expected(labels, item, partner, label, posterior, fixed, ridge, c, x, slope, curvature):
    """Give what is maximised over the terms of a category; fill in its slope and curvature."""
    k = x.size
    share = np.empty(k)
    value = 0.0
    for m in range(k):
        value -= 0.5 * ridge * x[m] * x[m]
        slope[m] = -ridge * x[m]
    if curvature is not None:
        curvature[:] = 0.0
        for m in range(k):
            curvature[m, m] = ridge
    for n in labels:
        weight = posterior[item[n], c]
        other = fixed[partner[n], c]
        top = -np.inf
        for m in range(k):
            top = max(top, x[m] + other[m])
        total = 0.0
        for m in range(k):
            share[m] = math.exp(x[m] + other[m] - top)
            total += share[m]
        value += weight * (x[label[n]] + other[label[n]] - top - math.log(total))
        if curvature is not None:
            slope[label[n]] += weight
            for m in range(k):
                share[m] /= total
                slope[m] -= weight * share[m]
            for m in range(k):
                curvature[m, m] += weight * share[m]
                for h in range(k):
                    curvature[m, h] -= weight * share[m] * share[h]
    return value


@kernel()
def _solve(matrix, vector, result):
    """Solve a symmetric positive definite system in place, by Cholesky's factors."""
    k = vector.size
    for a in range(k):
        for b in range(a + 1):
            rest = matrix[a, b]
            for m in range(b):
                rest -= matrix[a, m] * matrix[b, m]
            matrix[a, b] = math.sqrt(rest) if a == b else rest / matrix[b, b]
    for a in range(k):
        rest = vector[a]
        for m in range(a):
            rest -= matrix[a, m] * result[m]
        result[a] = rest / matrix[a, a]
    for a in range(k - 1, -1, -1):
        rest = result[a]
        for m in range(a + 1, k):
            rest -= matrix[m, a] * result[m]
        result[a] = rest / matrix[a, a]
