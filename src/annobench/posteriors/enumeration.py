"""Exact posterior means of the hierarchical models of two categories, for few items.

Given the categories of all items, everything except means and concentrations can be integrated out
in closed form, and the two categories are independent: each needs an integral over a mean and a
concentration, on a grid. The posterior is the sum over all 2^I categories of I items. It uses no
draws and no code of the samplers.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaln, gammaln, logsumexp

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["exact_means"]

Floats = NDArray[np.float64]

#: The most items whose categories are enumerated.
MAX_ITEMS = 12
#: Exponent g of the concentrations' prior, and the largest logarithm of one.
_EXPONENT, _LARGEST = 1.5, 18.0


def exact_means(
    annotations: Annotations, model: str, *, n_means: int = 200, n_concentrations: int = 120
) -> pd.Series:
    """Compute posterior means by summing over all categories of all items.

    Parameters
    ----------
    annotations : Annotations
        Labels in two categories of at most `MAX_ITEMS` items; the second is the positive one.
    model : str
        "hierarchical_binary" or "hierarchical_dawid_skene", which names the parameters. With two
        categories they are one model.
    n_means, n_concentrations : int
        Points of the grids. The first rule is the midpoint rule, the second that of Gauss and
        Legendre on logarithms.

    Returns
    -------
    Series
        By parameter: prevalence, item probabilities, sensitivity and specificity or confusion
        matrices, means, and concentrations as logarithms.

    Raises
    ------
    AnnotationError
        If there are more items, not two categories, or repeated labels.

    Notes
    -----
    With c the categories, n1 of them positive, and for k = 0, 1 and annotator j, r_jk right and
    w_jk wrong labels on items of category k,

        p(c, m, s | labels) proportional to Beta(1 + n1, 1 + I - n1) prod_k s_k^-(g + 1)
            prod_j Beta(m_k s_k + r_jk, (1 - m_k) s_k + w_jk) / Beta(m_k s_k, (1 - m_k) s_k)

    for m_0 + m_1 > 1.
    """
    annotations = as_annotations(annotations, "exact_means")
    n_items = annotations.n_items
    if n_items > MAX_ITEMS or annotations.n_categories != 2 or annotations.first_repeat is not None:
        raise AnnotationError(
            f"exact_means: needs two categories and at most {MAX_ITEMS} items without repeated "
            f"labels, got {annotations.n_categories} and {n_items}."
        )
    size = (n_items, annotations.n_annotators)
    positive, labelled = np.zeros(size), np.zeros(size)
    positive[annotations.item, annotations.annotator] = annotations.label
    labelled[annotations.item, annotations.annotator] = 1
    category = np.array(list(product((0, 1), repeat=n_items)))
    n1 = category.sum(axis=1)
    right = np.stack([(1 - category) @ (labelled - positive), category @ positive])
    given = np.stack([(1 - category) @ labelled, category @ labelled])
    mean = (np.arange(n_means) + 0.5) / n_means
    node, weight = np.polynomial.legendre.leggauss(n_concentrations)
    log_s, weight = _LARGEST * (node + 1) / 2, _LARGEST / 2 * weight
    parts = [_integrate(r, t, mean, log_s, weight) for r, t in zip(right, given, strict=True)]
    log_c = betaln(1 + n1, 1 + n_items - n1) + sum(part.log_scale for part in parts)
    of_c = np.exp(log_c - logsumexp(log_c))
    # Points whose means sum to 1 lie on the boundary, and count half.
    pair = mean[:, None] + mean
    inside = np.where(np.isclose(pair, 1), 0.5, (pair > 1).astype(float))
    beside = [parts[1].mass @ inside.T, parts[0].mass @ inside]
    joint = [of_c[:, None] * parts[k].mass * beside[k] for k in (0, 1)]
    total = joint[0].sum()
    p_c = joint[0].sum(axis=1) / total
    of = [
        {
            "mean": float(joint[k].sum(axis=0) @ mean / total),
            "concentration": float(
                (of_c[:, None] * parts[k].log_concentration * beside[k]).sum() / total
            ),
            "right": (of_c[:, None, None] * parts[k].right * beside[k][:, None]).sum(axis=(0, 2))
            / total,
        }
        for k in (0, 1)
    ]
    prevalence = float(p_c @ ((1 + n1) / (2 + n_items)))
    item = p_c @ category
    return pd.Series(
        _binary_names(prevalence, item, of)
        if model == "hierarchical_binary"
        else _matrix_names(prevalence, item, of)
    )


class _Part:
    """Integrals over the concentration of one category: by categories of items and mean."""

    def __init__(self, mass: Floats, log_concentration: Floats, right: Floats, log_scale: Floats):
        self.mass, self.log_concentration = mass, log_concentration
        self.right, self.log_scale = right, log_scale


def _integrate(right: Floats, given: Floats, mean: Floats, log_s: Floats, weight: Floats) -> _Part:
    s = np.exp(log_s)
    alpha, beta = np.outer(mean, s), np.outer(1 - mean, s)
    most = int(given.max())
    steps = np.arange(most + 1)[:, None, None]
    # Logarithms of rising factorials, by the number of factors.
    up, down = (np.real(gammaln(x + steps) - gammaln(x)) for x in (alpha, beta))
    both = gammaln(s + steps) - gammaln(s)
    prior = weight * np.exp(-_EXPONENT * log_s)
    shape = (len(right), mean.size)
    mass, log_concentration = np.empty(shape), np.empty(shape)
    correct = np.empty((len(right), right.shape[1], mean.size))
    log_scale = np.empty(len(right))
    seen: dict[bytes, int] = {}
    for c, (r, t) in enumerate(zip(right.astype(int), given.astype(int), strict=True)):
        key = np.concatenate([r, t]).tobytes()
        if key in seen:
            for array in (mass, log_concentration, correct, log_scale):
                array[c] = array[seen[key]]
            continue
        seen[key] = c
        density = (up[r] + down[t - r] - both[t]).sum(axis=0)
        log_scale[c] = density.max()
        density = np.exp(density - log_scale[c]) * prior
        mass[c] = density.sum(axis=1)
        log_concentration[c] = density @ log_s
        for j in range(r.size):
            correct[c, j] = (density * (alpha + r[j]) / (s + t[j])).sum(axis=1)
    return _Part(mass, log_concentration, correct, log_scale)


def _binary_names(prevalence: float, item: Floats, of: list[dict[str, Any]]) -> dict[str, float]:
    found = {"prevalence": prevalence}
    found |= {f"item_probability[{i}]": p for i, p in enumerate(item, 1)}
    for k, name in enumerate(("specificity", "sensitivity")):
        found[f"{name}_mean"] = of[k]["mean"]
        found[f"{name}_concentration"] = of[k]["concentration"]
        found |= {f"{name}[{j}]": p for j, p in enumerate(of[k]["right"], 1)}
    return found


def _matrix_names(prevalence: float, item: Floats, of: list[dict[str, Any]]) -> dict[str, float]:
    found = {"prevalence[1]": 1 - prevalence, "prevalence[2]": prevalence}
    for i, p in enumerate(item, 1):
        found |= {f"item_probability[{i},1]": 1 - p, f"item_probability[{i},2]": p}
    for k in (1, 2):
        other = 3 - k
        found[f"concentration[{k}]"] = of[k - 1]["concentration"]
        found[f"mean[{k},{k}]"] = of[k - 1]["mean"]
        found[f"mean[{k},{other}]"] = 1 - of[k - 1]["mean"]
        for j, p in enumerate(of[k - 1]["right"], 1):
            found |= {f"confusion[{j},{k},{k}]": p, f"confusion[{j},{k},{other}]": 1 - p}
    return found
