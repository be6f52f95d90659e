"""The compiled E-step of the random-clumped model.

An item has a category k and either a level of clumping and a shared impression z, or a level of
guessing. All combinations are summed over exactly. Impressions that no label of the item names
have one likelihood in common, so that with T levels the cost is K T per label, and K T times the
number of different labels per item. Likelihoods are relative to those of labels that are the
annotators' own, as products of factors of at least 1, which need no logarithms unless an item has
many labels.
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math

#: Products above this are divided by it, which is exact; its own with any factor is finite.
_LARGE = 2.0**332
_LOG_LARGE = 332.0 * math.log(2.0)

#: Labels of an item up to which the powers of levels are neither tiny nor many.
_FEW = 64


@kernel()
def expect(
    offsets,
    annotator,
    label,
    log_row,
    inverse_row,
    log_prevalence,
    impression,
    log_share,
    level,
    guess_level,
    guess,
    posterior,
    own,
    impressions,
    shares,
):
    """Compute the items' posterior and expected numbers."""
    n_categories, n_levels, n_guess = log_prevalence.size, level.size, guess_level.size
    odds, stays = level / (1.0 - level), np.log1p(-level)
    guess_odds, guess_stays = guess_level / (1.0 - guess_level), np.log1p(-guess_level)
    # A factor is largest at the highest level.
    highest = odds.argmax()
    highest_guess = guess_odds.argmax() if n_guess else 0
    slot_of = np.full(n_categories, -1)
    named = np.empty(n_categories, dtype=np.int64)
    score = np.empty((n_categories, n_levels + n_guess))
    gain = np.empty((n_categories, n_categories, n_levels))
    log_scale = np.empty((n_categories, n_categories, n_levels))
    guess_gain = np.empty((n_categories, n_guess))
    guess_log_scale = np.empty((n_categories, n_guess))
    base = np.empty(n_categories)
    share = np.exp(log_share)
    power = np.empty((_FEW + 1, n_levels + n_guess))
    for n in range(_FEW + 1):
        for t in range(n_levels):
            power[n, t] = share[t] * math.exp(n * stays[t])
        for t in range(n_guess):
            power[n, n_levels + t] = share[n_levels + t] * math.exp(n * guess_stays[t])
    for i in range(offsets.size - 1):
        first, last = offsets[i], offsets[i + 1]
        n_named = 0
        for n in range(first, last):
            if slot_of[label[n]] < 0:
                slot_of[label[n]] = n_named
                named[n_named] = label[n]
                n_named += 1
        for k in range(n_categories):
            base[k] = log_prevalence[k]
            for d in range(n_named):
                for t in range(n_levels):
                    gain[k, d, t] = 1.0
                    log_scale[k, d, t] = 0.0
            for t in range(n_guess):
                guess_gain[k, t] = 1.0
                guess_log_scale[k, t] = 0.0
        divided = False
        for n in range(first, last):
            j, x = annotator[n], label[n]
            d = slot_of[x]
            for k in range(n_categories):
                base[k] += log_row[j, k, x]
                inverse = inverse_row[j, k, x]
                for t in range(n_levels):
                    gain[k, d, t] *= 1.0 + odds[t] * inverse
                if gain[k, d, highest] > _LARGE:
                    divided = True
                    for t in range(n_levels):
                        while gain[k, d, t] > _LARGE:
                            gain[k, d, t] /= _LARGE
                            log_scale[k, d, t] += _LOG_LARGE
                if n_guess:
                    inverse *= guess[x]
                    for t in range(n_guess):
                        guess_gain[k, t] *= 1.0 + guess_odds[t] * inverse
                    if guess_gain[k, highest_guess] > _LARGE:
                        divided = True
                        for t in range(n_guess):
                            while guess_gain[k, t] > _LARGE:
                                guess_gain[k, t] /= _LARGE
                                guess_log_scale[k, t] += _LOG_LARGE
        few = not divided and last - first <= _FEW
        for k in range(n_categories):
            unnamed = 1.0
            for d in range(n_named):
                unnamed -= impression[k, named[d]]
            unnamed = max(unnamed, 0.0)
            for t in range(n_levels):
                top, inside = 0.0, unnamed
                if divided:
                    for d in range(n_named):
                        top = max(top, log_scale[k, d, t])
                    inside *= math.exp(-top)
                    for d in range(n_named):
                        gain[k, d, t] *= math.exp(log_scale[k, d, t] - top)
                for d in range(n_named):
                    gain[k, d, t] *= impression[k, named[d]]
                    inside += gain[k, d, t]
                # From here on the probability of each impression, given category and level.
                for d in range(n_named):
                    gain[k, d, t] /= inside
                if few:
                    score[k, t] = power[last - first, t] * inside
                else:
                    score[k, t] = log_share[t] + (last - first) * stays[t] + top + math.log(inside)
            for t in range(n_guess):
                if few:
                    score[k, n_levels + t] = power[last - first, n_levels + t] * guess_gain[k, t]
                else:
                    score[k, n_levels + t] = (
                        log_share[n_levels + t]
                        + (last - first) * guess_stays[t]
                        + guess_log_scale[k, t]
                        + math.log(guess_gain[k, t])
                    )
        best = -np.inf
        if few:
            for k in range(n_categories):
                best = max(best, base[k])
            for k in range(n_categories):
                base[k] = math.exp(base[k] - best)
                for t in range(n_levels + n_guess):
                    score[k, t] *= base[k]
        else:
            for k in range(n_categories):
                for t in range(n_levels + n_guess):
                    score[k, t] += base[k]
                    best = max(best, score[k, t])
            for k in range(n_categories):
                for t in range(n_levels + n_guess):
                    score[k, t] = math.exp(score[k, t] - best)
        mass = 0.0
        for k in range(n_categories):
            for t in range(n_levels + n_guess):
                mass += score[k, t]
        for k in range(n_categories):
            posterior[i, k] = 0.0
            for t in range(n_levels + n_guess):
                score[k, t] /= mass
                posterior[i, k] += score[k, t]
        if last > first:
            for t in range(n_levels + n_guess):
                for k in range(n_categories):
                    shares[t] += score[k, t]
            for k in range(n_categories):
                rest, unnamed = 0.0, 1.0
                for t in range(n_levels):
                    rest += score[k, t]
                for d in range(n_named):
                    here = 0.0
                    for t in range(n_levels):
                        gain[k, d, t] *= score[k, t]
                        here += gain[k, d, t]
                    impressions[k, named[d]] += here
                    rest -= here
                    unnamed -= impression[k, named[d]]
                if unnamed > 1e-12 and rest > 0.0:
                    for z in range(n_categories):
                        if slot_of[z] < 0:
                            impressions[k, z] += rest * impression[k, z] / unnamed
            for n in range(first, last):
                j, x = annotator[n], label[n]
                d = slot_of[x]
                for k in range(n_categories):
                    copied = 0.0
                    inverse = inverse_row[j, k, x]
                    for t in range(n_levels):
                        ratio = odds[t] * inverse
                        copied += gain[k, d, t] * ratio / (1.0 + ratio)
                    inverse *= guess[x]
                    for t in range(n_guess):
                        ratio = guess_odds[t] * inverse
                        copied += score[k, n_levels + t] * ratio / (1.0 + ratio)
                    own[j, k, x] += posterior[i, k] - copied
        for d in range(n_named):
            slot_of[named[d]] = -1
