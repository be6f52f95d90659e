"""Compiled kernels of the multilevel binary model.

right[k, j] and wrong[k, j] count the labels of annotator j on the items
that are now of category k; theta[k, 0, j] is log theta_kj, theta[k, 1, j] is
log(1 - theta_kj); main holds pi, m_0, s_0, m_1, s_1. Annotators and labels are sorted by
item, those of item i at offsets[i]:offsets[i + 1]; items_of holds the distinct items of each
annotator, at item_offsets[j]:item_offsets[j + 1].
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math

#: Rising factorials are summed term by term up to this many labels of an annotator,
#: from a table shared by all annotators, and by log-gamma beyond it.
_TABLE = 48
#: The largest log concentration, where differences of log-gamma still have six digits. The
#: prior leaves exp(-18 g) above it.
_LARGEST_LOG_CONCENTRATION = 18.0
#: Sweeps for each proposal to exchange an annotator's items: one in four costs a tenth of
#: the time and still brings chains out of mirror modes within the warm-up.
_SWEEPS_A_FLIP = 4


@kernel()
def run_sweeps(
    rng,
    offsets,
    annotator,
    label,
    item_offsets,
    items_of,
    main,
    theta,
    category,
    first,
    last,
    hierarchical,
    collapsed,
    exponent,
    thin,
    main_out,
    theta_out,
    probability_out,
    total,
):
    """Run the sweeps numbered [first, last), storing those from 0; return the reflections."""
    n_items = offsets.size - 1
    n_annotators = theta.shape[2]
    right = np.zeros((2, n_annotators))
    wrong = np.zeros((2, n_annotators))
    weight = np.zeros((2, n_annotators))
    table = np.zeros((3, _TABLE))
    switches = 0
    _count(offsets, annotator, label, category, right, wrong)
    for sweep in range(first, last):
        if hierarchical:
            for k in range(2):
                if collapsed:
                    _tabulate(right[k], wrong[k], table)
                sum_log, sum_log_complement = 0.0, 0.0
                for j in range(n_annotators):
                    sum_log += theta[k, 0, j]
                    sum_log_complement += theta[k, 1, j]
                target = exponent, collapsed, right[k], wrong[k], table, sum_log, sum_log_complement
                _draw_mean_and_concentration(rng, main[1 + 2 * k : 3 + 2 * k], target)
        # Between the draws that may be given theta and those that renew it: the proposal has
        # theta integrated out, and leaves it at odds with the categories.
        if sweep % _SWEEPS_A_FLIP == 0:
            _propose_flip(
                rng, offsets, annotator, label, item_offsets, items_of, main, category, right, wrong
            )
        for k in range(2):
            alpha = main[1 + 2 * k] * main[2 + 2 * k]
            beta = (1.0 - main[1 + 2 * k]) * main[2 + 2 * k]
            for j in range(n_annotators):
                _draw_log_beta(rng, alpha + right[k, j], beta + wrong[k, j], theta[k, :, j])
        positives = 0
        for i in range(n_items):
            positives += category[i]
        main[0] = rng.beta(1.0 + positives, 1.0 + n_items - positives)

        if _in_mirror_half(main, theta, hierarchical):
            _reflect(main, theta)
            switches += sweep >= 0

        for j in range(n_annotators):
            weight[0, j] = theta[1, 1, j] - theta[0, 0, j]
            weight[1, j] = theta[1, 0, j] - theta[0, 1, j]
        prior = math.log(main[0]) - math.log1p(-main[0])
        for i in range(n_items):
            odds = prior
            for n in range(offsets[i], offsets[i + 1]):
                odds += weight[label[n], annotator[n]]
            chance = 1.0 / (1.0 + math.exp(-odds))
            category[i] = rng.random() < chance
            if sweep >= 0:
                total[i] += chance
                if sweep % thin == 0:
                    probability_out[sweep // thin, i] = chance
        _count(offsets, annotator, label, category, right, wrong)
        if sweep >= 0:
            for m in range(main.size):
                main_out[sweep, m] = main[m]
            for k in range(2):
                for j in range(n_annotators):
                    theta_out[sweep, k, j] = math.exp(theta[k, 0, j])
    return switches


@kernel()
def _count(offsets, annotator, label, category, right, wrong):
    right[:] = 0.0
    wrong[:] = 0.0
    for i in range(offsets.size - 1):
        k = category[i]
        for n in range(offsets[i], offsets[i + 1]):
            hit = label[n] == k
            right[k, annotator[n]] += hit
            wrong[k, annotator[n]] += not hit


@kernel()
def _propose_flip(
    rng, offsets, annotator, label, item_offsets, items_of, main, category, right, wrong
):
    """Exchange the categories of all items of one annotator, or leave them."""
    n_annotators = item_offsets.size - 1
    j = int(rng.random() * n_annotators)
    first, last = item_offsets[j], item_offsets[j + 1]
    if first == last:
        return
    new_right, new_wrong = np.empty(right.shape), np.empty(wrong.shape)
    for k in range(2):
        for a in range(n_annotators):
            new_right[k, a], new_wrong[k, a] = right[k, a], wrong[k, a]
    more_positives = 0
    for m in range(first, last):
        i = items_of[m]
        k = category[i]
        more_positives += 1 - 2 * k
        for n in range(offsets[i], offsets[i + 1]):
            if label[n] == k:
                new_right[k, annotator[n]] -= 1
                new_wrong[1 - k, annotator[n]] += 1
            else:
                new_wrong[k, annotator[n]] -= 1
                new_right[1 - k, annotator[n]] += 1
    n_items = category.size
    positives = 0
    for i in range(n_items):
        positives += category[i]
    after = positives + more_positives
    log_ratio = (
        math.lgamma(1.0 + after)
        + math.lgamma(1.0 + n_items - after)
        - math.lgamma(1.0 + positives)
        - math.lgamma(1.0 + n_items - positives)
    )
    for k in range(2):
        alpha = main[1 + 2 * k] * main[2 + 2 * k]
        beta = (1.0 - main[1 + 2 * k]) * main[2 + 2 * k]
        for a in range(n_annotators):
            if new_right[k, a] != right[k, a] or new_wrong[k, a] != wrong[k, a]:
                log_ratio += _log_marginal(new_right[k, a], new_wrong[k, a], alpha, beta)
                log_ratio -= _log_marginal(right[k, a], wrong[k, a], alpha, beta)
    if math.log(1.0 - rng.random()) < log_ratio:
        for k in range(2):
            for a in range(n_annotators):
                right[k, a], wrong[k, a] = new_right[k, a], new_wrong[k, a]
        for m in range(first, last):
            category[items_of[m]] = 1 - category[items_of[m]]


@kernel()
def _log_marginal(right, wrong, alpha, beta):
    """Log probability of an annotator's labels, up to a constant in alpha and beta."""
    return (
        math.lgamma(alpha + right)
        + math.lgamma(beta + wrong)
        - math.lgamma(alpha + beta + right + wrong)
    )


@kernel()
def _in_mirror_half(main, theta, hierarchical):
    if hierarchical:
        return main[1] + main[3] < 1.0
    total = 0.0
    for k in range(2):
        for j in range(theta.shape[2]):
            total += math.exp(theta[k, 0, j])
    return total < theta.shape[2]


@kernel()
def _reflect(main, theta):
    """Exchange the categories: sensitivity becomes 1 - specificity and conversely."""
    main[0] = 1.0 - main[0]
    main[1], main[3] = 1.0 - main[3], 1.0 - main[1]
    main[2], main[4] = main[4], main[2]
    for j in range(theta.shape[2]):
        theta[0, 0, j], theta[1, 1, j] = theta[1, 1, j], theta[0, 0, j]
        theta[0, 1, j], theta[1, 0, j] = theta[1, 0, j], theta[0, 1, j]


@kernel()
def _draw_log_beta(rng, a, b, out):
    """Draw x from Beta(a, b); write log x and log(1 - x), finite even for tiny a or b."""
    log_x = draw_log_gamma(rng, a)
    log_y = draw_log_gamma(rng, b)
    high = max(log_x, log_y)
    norm = high + math.log(math.exp(log_x - high) + math.exp(log_y - high))
    out[0] = log_x - norm
    out[1] = log_y - norm


@kernel()
def draw_log_gamma(rng, shape):
    """Draw the logarithm of a gamma variable, finite even for a tiny shape."""
    if shape >= 1.0:
        return math.log(rng.standard_gamma(shape))
    # Gamma(a) is Gamma(a + 1) times U ** (1 / a); in logs nothing underflows.
    return math.log(rng.standard_gamma(shape + 1.0)) + math.log(1.0 - rng.random()) / shape


@kernel()
def _draw_mean_and_concentration(rng, population, target):
    """Update the mean, then the log concentration, by slice sampling with stepping out."""
    x = np.empty(2)
    x[0], x[1] = population[0], math.log(population[1])
    for which in range(2):
        low, high, width = (0.0, 1.0, 0.1) if which == 0 else (0.0, _LARGEST_LOG_CONCENTRATION, 1.0)
        level = math.log(1.0 - rng.random()) + _log_density(x, *target)
        origin = x[which]
        begin = max(low, origin - width * rng.random())
        end = min(high, begin + width)
        x[which] = begin
        while begin > low and _log_density(x, *target) > level:
            begin = x[which] = max(low, begin - width)
        x[which] = end
        while end < high and _log_density(x, *target) > level:
            end = x[which] = min(high, end + width)
        x[which] = begin + (end - begin) * rng.random()
        while not (low < x[which] < high and _log_density(x, *target) > level):
            if x[which] < origin:
                begin = x[which]
            else:
                end = x[which]
            x[which] = begin + (end - begin) * rng.random()
    population[0] = x[0]
    population[1] = math.exp(x[1])


@kernel()
def _log_density(x, exponent, collapsed, right, wrong, table, sum_log, sum_log_complement):
    """Log density of mean and log concentration, given the counts if collapsed or else theta."""
    concentration = math.exp(x[1])
    alpha, beta = x[0] * concentration, (1.0 - x[0]) * concentration
    total = -exponent * x[1]
    if not collapsed:
        norm = math.lgamma(concentration) - math.lgamma(alpha) - math.lgamma(beta)
        return total + right.size * norm + alpha * sum_log + beta * sum_log_complement
    for t in range(_TABLE):
        if table[2, t] == 0.0:
            return total
        total -= table[2, t] * math.log(concentration + t)
        if table[0, t] > 0.0:
            total += table[0, t] * math.log(alpha + t)
        if table[1, t] > 0.0:
            total += table[1, t] * math.log(beta + t)
    past_alpha = math.lgamma(alpha + _TABLE)
    past_beta = math.lgamma(beta + _TABLE)
    past_concentration = math.lgamma(concentration + _TABLE)
    for j in range(right.size):
        if right[j] > _TABLE:
            total += math.lgamma(alpha + right[j]) - past_alpha
        if wrong[j] > _TABLE:
            total += math.lgamma(beta + wrong[j]) - past_beta
        if right[j] + wrong[j] > _TABLE:
            total -= math.lgamma(concentration + right[j] + wrong[j]) - past_concentration
    return total


@kernel()
def _tabulate(right, wrong, table):
    """Count, for each t, the annotators with more than t right, wrong and total labels."""
    table[:] = 0.0
    for j in range(right.size):
        for row in range(3):
            count = (right[j] if row != 1 else 0.0) + (wrong[j] if row != 0 else 0.0)
            if count > 0.0:
                table[row, int(min(count, _TABLE)) - 1] += 1.0
    for row in range(3):
        for t in range(_TABLE - 2, -1, -1):
            table[row, t] += table[row, t + 1]
