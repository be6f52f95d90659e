"""The compiled E-step of the random-clumped model.

An item has a category k and either a level of clumping and a shared impression z, or a level of
guessing. All combinations are summed over exactly. Impressions that no label of the item names
have one likelihood in common, so that with T levels the cost is K T per label, and K T times the
number of different labels per item.
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math


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
    slot_of = np.full(n_categories, -1)
    named = np.empty(n_categories, dtype=np.int64)
    score = np.empty((n_categories, n_levels + n_guess))
    gain = np.empty((n_categories, n_levels, n_categories))
    clumped = np.empty((n_categories, n_levels, n_categories))
    base = np.empty(n_categories)
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
            for t in range(n_levels):
                for d in range(n_named):
                    gain[k, t, d] = 0.0
            for t in range(n_guess):
                score[k, n_levels + t] = 0.0
        for n in range(first, last):
            j, x = annotator[n], label[n]
            d = slot_of[x]
            for k in range(n_categories):
                base[k] += log_row[j, k, x]
                inverse = inverse_row[j, k, x]
                for t in range(n_levels):
                    gain[k, t, d] += math.log1p(odds[t] * inverse)
                for t in range(n_guess):
                    score[k, n_levels + t] += math.log1p(guess_odds[t] * guess[x] * inverse)
        best = -np.inf
        for k in range(n_categories):
            unnamed = 1.0
            for d in range(n_named):
                unnamed -= impression[k, named[d]]
            unnamed = max(unnamed, 0.0)
            for t in range(n_levels):
                top = 0.0
                for d in range(n_named):
                    top = max(top, gain[k, t, d])
                inside = unnamed * math.exp(-top)
                for d in range(n_named):
                    clumped[k, t, d] = impression[k, named[d]] * math.exp(gain[k, t, d] - top)
                    inside += clumped[k, t, d]
                for d in range(n_named):
                    clumped[k, t, d] /= inside
                score[k, t] = (
                    base[k] + log_share[t] + (last - first) * stays[t] + top + math.log(inside)
                )
                best = max(best, score[k, t])
            for t in range(n_guess):
                score[k, n_levels + t] += (
                    base[k] + log_share[n_levels + t] + (last - first) * guess_stays[t]
                )
                best = max(best, score[k, n_levels + t])
        mass = 0.0
        for k in range(n_categories):
            for t in range(n_levels + n_guess):
                score[k, t] = math.exp(score[k, t] - best)
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
                        here += score[k, t] * clumped[k, t, d]
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
                        copied += score[k, t] * clumped[k, t, d] * ratio / (1.0 + ratio)
                    for t in range(n_guess):
                        ratio = guess_odds[t] * guess[x] * inverse
                        copied += score[k, n_levels + t] * ratio / (1.0 + ratio)
                    own[j, k, x] += posterior[i, k] - copied
        for d in range(n_named):
            slot_of[named[d]] = -1
