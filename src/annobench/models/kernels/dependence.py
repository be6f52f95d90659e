"""Compiled passes of the check whether labels are independent given the category."""

from __future__ import annotations

from annobench.core.compiled import kernel

#: A category of a smaller posterior probability adds nothing that shows.
_NEGLIGIBLE = 1e-9


@kernel()
def residual_products(offsets, annotator, label, posterior, right, deviation, product, scale):
    """Add up products of residuals of each item's pairs of labels, and their largest values."""
    n_categories = posterior.shape[1]
    for i in range(offsets.size - 1):
        first, last = offsets[i], offsets[i + 1]
        product[i] = scale[i] = 0.0
        if last - first < 2:
            continue
        for k in range(n_categories):
            share = posterior[i, k]
            if share < _NEGLIGIBLE:
                continue
            residuals, squares, deviations, variances = 0.0, 0.0, 0.0, 0.0
            for n in range(first, last):
                j = annotator[n]
                residual = (1.0 if label[n] == k else 0.0) - right[j, k]
                residuals += residual
                squares += residual * residual
                deviations += deviation[j, k]
                variances += deviation[j, k] * deviation[j, k]
            product[i] += share * (residuals * residuals - squares)
            scale[i] += share * (deviations * deviations - variances)


@kernel()
def draw_labels(uniform, offsets, annotator, prevalence, confusion, label):
    """Draw the labels of each item anew: a category, and labels independent given it.

    Of the I + N uniform numbers each item takes one, and then one for each of its labels: to
    compile a generator takes half a second.
    """
    n_categories = prevalence.size
    for i in range(offsets.size - 1):
        k = _draw(uniform[offsets[i] + i], prevalence, n_categories)
        for n in range(offsets[i], offsets[i + 1]):
            label[n] = _draw(uniform[n + i + 1], confusion[annotator[n], k], n_categories)


@kernel()
def _draw(uniform, probability, n_categories):
    for k in range(n_categories - 1):
        uniform -= probability[k]
        if uniform < 0.0:
            return k
    return n_categories - 1
