"""Compiled kernels of the pooled multinomial model.

response[k, l] is the log probability of the label l on an item of category k, whoever gives it.
Labels are sorted by item, those of item i at offsets[i]:offsets[i + 1].
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math
from annobench.models.kernels.hierarchical_dawid_skene import assignment, draw_log_dirichlet


@kernel()
def run_sweeps(
    rng,
    offsets,
    label,
    category,
    first,
    last,
    thin,
    prevalence_out,
    confusion_out,
    probability_out,
    total,
):
    """Run the sweeps numbered [first, last), storing those from 0; return the relabellings."""
    n_categories = prevalence_out.shape[1]
    counts = np.empty((n_categories, n_categories))
    sizes, log_prevalence = np.empty(n_categories), np.empty(n_categories)
    response = np.empty((n_categories, n_categories))
    weight = np.empty(n_categories)
    switches = 0
    for sweep in range(first, last):
        counts[:], sizes[:] = 1.0, 1.0
        for i in range(category.size):
            sizes[category[i]] += 1.0
            for n in range(offsets[i], offsets[i + 1]):
                counts[category[i], label[n]] += 1.0
        draw_log_dirichlet(rng, sizes, log_prevalence)
        for k in range(n_categories):
            draw_log_dirichlet(rng, counts[k], response[k])
        switches += _relabel(response, log_prevalence) and sweep >= 0
        stored = sweep >= 0 and sweep % thin == 0
        if sweep >= 0:
            for k in range(n_categories):
                prevalence_out[sweep, k] = math.exp(log_prevalence[k])
                for m in range(n_categories):
                    confusion_out[sweep, k, m] = math.exp(response[k, m])

        for i in range(category.size):
            for k in range(n_categories):
                weight[k] = log_prevalence[k]
            for n in range(offsets[i], offsets[i + 1]):
                for k in range(n_categories):
                    weight[k] += response[k, label[n]]
            highest, mass = weight[0], 0.0
            for k in range(1, n_categories):
                highest = max(highest, weight[k])
            for k in range(n_categories):
                weight[k] = math.exp(weight[k] - highest)
                mass += weight[k]
            if sweep >= 0:
                for k in range(n_categories):
                    total[i, k] += weight[k] / mass
                    if stored:
                        probability_out[sweep // thin, i, k] = weight[k] / mass
            category[i] = drawn(rng, weight, mass)
    return switches


@kernel()
def _relabel(response, log_prevalence):
    """Let the row that puts most on label l, taken together, be row l; say if that is a change."""
    n_categories = log_prevalence.size
    probability, old = np.empty(response.shape), np.empty(response.shape)
    old_prevalence = np.empty(n_categories)
    for k in range(n_categories):
        old_prevalence[k] = log_prevalence[k]
        for m in range(n_categories):
            old[k, m] = response[k, m]
            probability[k, m] = math.exp(response[k, m])
    order = assignment(probability)
    moved = False
    for k in range(n_categories):
        moved = moved or order[k] != k
        log_prevalence[k] = old_prevalence[order[k]]
        for m in range(n_categories):
            response[k, m] = old[order[k], m]
    return moved


@kernel()
def drawn(rng, weight, mass):
    """Draw an index by weights that sum to a mass."""
    point = rng.random() * mass
    k = 0
    while k < weight.size - 1 and point >= weight[k]:
        point -= weight[k]
        k += 1
    return k
