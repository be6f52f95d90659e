"""Compiled kernels of models in which a label speaks for its own category alone.

The likelihood of a category differs from that of the others only by the item's labels that name
it, so that an item's scores are weighted votes, and what a posterior says of annotators are their
labels' probabilities of being right. Either costs one addition a label, whatever the number of
categories.
"""

from __future__ import annotations

from annobench.core.compiled import kernel, math


@kernel()
def add_votes(item, annotator, label, weight, score):
    """Add the weight of each label, by annotator and label, to its item's score of it."""
    for n in range(item.size):
        score[item[n], label[n]] += weight[annotator[n], label[n]]


@kernel()
def collect_right(item, annotator, label, posterior, right):
    """Add up how often each annotator's labels of each kind are expected to be right."""
    for n in range(item.size):
        right[annotator[n], label[n]] += posterior[item[n], label[n]]


@kernel()
def add_scaled_votes(item, annotator, label, ability, easiness, bonus, score, base):
    """Add votes of the weight ability times easiness plus a bonus."""
    for n in range(item.size):
        s = ability[annotator[n]] * easiness[item[n]]
        score[item[n], label[n]] += s + bonus
        base[item[n]] -= max(s, 0.0) + math.log(1.0 + math.exp(-abs(s)))


@kernel()
def slopes(item, annotator, label, posterior, ability, easiness, of_items, out):
    """Add each label's part of the expected log likelihood, its slope and its curvature."""
    for n in range(item.size):
        i, j = item[n], annotator[n]
        right = posterior[i, label[n]]
        s = ability[j] * easiness[i]
        small = math.exp(-abs(s))
        sigma = (1.0 if s > 0.0 else small) / (1.0 + small)
        surplus = right - sigma
        group = i if of_items else j
        out[0, group] += right * s - max(s, 0.0) - math.log(1.0 + small)
        if of_items:
            out[1, group] += surplus * s
            out[2, group] += sigma * (1.0 - sigma) * s * s + max(-surplus * s, 0.0)
        else:
            out[1, group] += surplus * easiness[i]
            out[2, group] += sigma * (1.0 - sigma) * easiness[i] ** 2


@kernel()
def add_squares(item, annotator, value, total):
    """Add the squares of each label's item, shape (I, K), to its annotator's, shape (J, K)."""
    for n in range(item.size):
        of_item, of_annotator = value[item[n]], total[annotator[n]]
        for k in range(of_item.size):
            of_annotator[k] += of_item[k] * of_item[k]


@kernel()
def add_weights(item, annotator, weight, total):
    """Add the weights of each label's annotator, shape (J, K), to its item's, shape (I, K)."""
    for n in range(item.size):
        of_item, of_annotator = total[item[n]], weight[annotator[n]]
        for k in range(of_item.size):
            of_item[k] += of_annotator[k]


@kernel()
def correct_squares(item, annotator, label, value, total):
    """Turn z^2 into (z - 1)^2 where a label names the category, z being the item's value."""
    for n in range(item.size):
        total[annotator[n], label[n]] += 1.0 - 2.0 * value[item[n], label[n]]


@kernel()
def collect_confusion(item, annotator, label, posterior, counts):
    """Add each label's item, shape (I, K), to the label's column of its annotator, (J, K, K)."""
    for n in range(item.size):
        of_item, of_annotator, given = posterior[item[n]], counts[annotator[n]], label[n]
        for k in range(of_item.size):
            of_annotator[k, given] += of_item[k]
