r"""Check whether annotators' errors are dependent, given the categories.

Models with a prevalence and confusion matrices assume that the labels of an item are independent
given its category. If they are not, as on a hard or misleading item, probabilities are
overconfident.

Let e_n = 1[x_n = k] - r_{j_n,k} be the residual of a label of an item of category k: 1 or 0, for
right or wrong, minus the annotator's share of right labels on items of category k. The statistic is
the estimated intraclass correlation of two labels of an item, averaged over its posterior q_i::

    r = sum_ik q_ik sum_{m != n} e_m e_n / sum_ik q_ik sum_{m != n} sd(e_m) sd(e_n)

The shares r_jk are computed from the posterior. The fit's own parameters may be shrunk by a prior
or averaged by ties, which would give all annotators' residuals the same sign.

If the categories were known, r would have expectation 0 for independent labels. But categories are
estimated from the same labels, and rows with few labels poorly. The null distribution of r is
therefore simulated from a working model, with refitting (a parametric bootstrap). In the working
model, row k of each annotator has a Dirichlet distribution with a common mean and concentration
(partial pooling), estimated in a few updates from the fit's posterior. For each simulated set of
labels, rows are drawn given the counts.

With correlation r, n labels of an item are as informative as n / (1 + (n - 1) r) independent labels
(Kish 1965, section 5.4: the design effect of a mean).

The correlation tends to be underestimated: without a gold standard, an error shared by all
annotators of an item cannot be distinguished from an item of another category (Albert and Dodd
2004).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from annobench.core.compiled import default_threads
from annobench.core.results import SummarisedScalars
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._pooling import pooled_rows
from annobench.models.dawid_skene.em import NO_GOLD, NO_WEIGHT, cells_of, width_of
from annobench.models.kernels import dawid_skene as kernels
from annobench.models.kernels.dependence import draw_labels, residual_products

__all__ = ["DependenceCheck", "check"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

#: From which p-value on a fit warns.
ALARM = 0.01
#: Labels from which r has a standard deviation of about .002 or less; of more, items are drawn.
ENOUGH = 100_000
#: Updates of the working model for each set of labels.
_UPDATES = 5
#: Gamma prior, shape and rate, of the concentration of annotators' rows.
_CONCENTRATION = (2.0, 0.2)
#: Pseudo-counts of a mean row, for right labels, and for wrong ones in all.
_PSEUDO = 0.1


@dataclass(frozen=True)
class DependenceCheck(SummarisedScalars):
    """Whether the labels of an item depend on each other given its category.

    Attributes
    ----------
    n_labels : int
        Number of labels of items with at least two labels.
    correlation : float
        r minus its mean under independence: the mean correlation between two labels of an item
        being correct, given its category. NaN if no item has two labels, or no label can be wrong.
    null_deviation : float
        Standard deviation of r under independence.
    p_value : float
        One-sided p-value of r by the t distribution; NaN if r is NaN.
    effective_labels : float
        The effective number of independent labels, sum_i n_i / (1 + (n_i - 1) r);
        `n_labels` if r is negative or NaN.
    """

    n_labels: int
    correlation: float
    null_deviation: float
    p_value: float
    effective_labels: float

    @property
    def is_alarming(self) -> bool:
        """Whether the p-value is below `ALARM`."""
        return self.p_value < ALARM

    def sentence(self) -> str:
        """Return the result in words.

        Returns
        -------
        str
            Two sentences.
        """
        return (
            "Annotators' errors are dependent, or the model does not fit: given the category, the "
            f"correlation between two labels of an item being correct is {self.correlation:.2f} (p "
            f"= {self.p_value:.1g} under independence). The effective number of independent labels "
            f"is at most {self.effective_labels:,.0f} of {self.n_labels:,}, and probabilities near "
            "1 are overconfident."
        )


def check(
    annotations: Annotations,
    posterior: Floats,
    *,
    replicates: int = 20,
    rng: np.random.Generator | int | None = 0,
) -> DependenceCheck:
    """Check labels for dependence given the category.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    posterior : ndarray, shape (I, K)
        The fit's probability of each category for each item.
    replicates : int, default 20
        Number of simulated sets of labels for the null distribution of r, at least 2.
    rng : numpy.random.Generator or int, default 0
        Source of randomness, or a seed.

    Returns
    -------
    DependenceCheck
        Correlation, p-value, and the effective number of labels.

    Raises
    ------
    ValueError
        If there are fewer than two replicates.

    Notes
    -----
    Each of the `replicates` + 1 sets of labels costs about 20 passes of K operations per label.
    Beyond 100,000 labels, a random sample of items with about that many labels is checked.

    References
    ----------
    Kish (1965), Survey Sampling, section 5.4. Minka (2000), Estimating a Dirichlet distribution.
    Albert and Dodd (2004), Biometrics 60, 427-435.

    Examples
    --------
    >>> from itertools import combinations
    >>> import numpy as np
    >>> split = [[int(j in pair) for j in range(5)] for pair in combinations(range(5), 2)]
    >>> a = Annotations.from_wide([[1] * 5] * 40 + [[0] * 5] * 40 + split * 4)
    >>> found = check(a, np.eye(2)[[1] * 40 + [0] * 80])
    >>> found.is_alarming, bool(found.effective_labels < 500)
    (True, True)
    """
    annotations = as_annotations(annotations, "dependence.check")
    if replicates < 2:
        raise ValueError(f"dependence.check: replicates must be at least 2, got {replicates}.")
    per_item = np.diff(annotations.by_item.offsets)
    per_item = per_item[per_item > 1]
    n_labels = int(per_item.sum())
    rng = np.random.default_rng(rng)
    items = enough_items(annotations, rng)
    panel = _Panel(annotations, items)
    working = panel.fit(panel.observed, np.asarray(posterior, dtype=np.float64)[items])
    found = panel.correlation(panel.observed, working.posterior)

    def refit(drawn: Codes) -> float:
        return panel.correlation(drawn, panel.fit(drawn, panel.expect(drawn, working)[0]).posterior)

    with ThreadPoolExecutor(default_threads()) as pool:
        sets = (panel.draw(rng, working) for _ in range(replicates if np.isfinite(found) else 0))
        null = np.array(list(pool.map(refit, sets)))
    null = null[np.isfinite(null)]
    spread = float(null.std(ddof=1)) if null.size > 1 else 0.0
    if not spread > 0:
        return DependenceCheck(n_labels, np.nan, np.nan, np.nan, float(n_labels))
    excess = found - float(null.mean())
    p_value = float(stdtr(null.size - 1, -excess / (spread * np.sqrt(1 + 1 / null.size))))
    effective = float((per_item / (1 + (per_item - 1) * max(excess, 0.0))).sum())
    return DependenceCheck(n_labels, excess, spread, p_value, effective)


def enough_items(annotations: Annotations, rng: np.random.Generator) -> Codes:
    """Return all items, or a random sample with about 100,000 labels if there are more."""
    items = np.arange(annotations.n_items)
    if annotations.n_labels <= ENOUGH:
        return items
    return np.sort(rng.permutation(items)[: items.size * ENOUGH // annotations.n_labels])


class _Working(NamedTuple):
    """The working model: prevalence, mean rows, their concentration, expected counts, (J, K, K)."""

    prevalence: Floats
    mean: Floats
    concentration: float
    counts: Floats
    posterior: Floats

    @property
    def parameters(self) -> Floats:
        """Parameters of the Dirichlet distributions of annotators' rows, (J, K, K)."""
        return np.asarray(self.counts + self.concentration * self.mean)


class _Panel:
    """The design, which annotator labelled which items, for simulated labels."""

    def __init__(self, annotations: Annotations, items: Codes) -> None:
        view, self.k = annotations.by_item, annotations.n_categories
        numbers = np.diff(view.offsets)
        kept = np.zeros(numbers.size, dtype=bool)
        kept[items] = True
        order = view.order[np.repeat(kept, numbers)]
        numbers = numbers[items]
        self.offsets = np.concatenate([[0], np.cumsum(numbers)])
        self.n_annotators = annotations.n_annotators
        self.annotator = annotations.annotator[order].astype(np.int64)
        self.observed: Codes = annotations.label[order].astype(np.int64)
        self.labelled = numbers > 0
        self.width = width_of(self.k)
        self.pseudo = np.full((self.k, self.k), _PSEUDO / max(self.k - 1, 1))
        np.fill_diagonal(self.pseudo, _PSEUDO)

    def fit(self, label: Codes, posterior: Floats) -> _Working:
        """Fit the working model from a posterior."""
        shape, rate = _CONCENTRATION
        mean, concentration = self.pseudo / self.pseudo.sum(axis=1, keepdims=True), shape / rate
        counts = self.counts(label, posterior)
        for update in range(_UPDATES + 1):
            if not update:
                mean = counts.sum(axis=0) + self.pseudo
                mean /= mean.sum(axis=1, keepdims=True)
            mean, concentration = pooled_rows(
                counts, mean, concentration, self.pseudo, _CONCENTRATION
            )
            prevalence = posterior[self.labelled].sum(axis=0) + 1
            working = _Working(
                prevalence / prevalence.sum(), mean, concentration, counts, posterior
            )
            posterior, counts = self.expect(label, working)
        return working._replace(posterior=posterior)

    def counts(self, label: Codes, posterior: Floats) -> Floats:
        """Count labels by annotator, category and label."""
        counts, mass = np.zeros(self.n_annotators * self.k * self.width), np.zeros(self.width)
        kernels.collect(*self._layout(label), posterior, counts, mass)
        return self._by_category(counts)

    def expect(self, label: Codes, working: _Working) -> tuple[Floats, Floats]:
        """Return the items' posterior under the means of the rows, and the counts under it."""
        rows = working.parameters
        rows = np.maximum(rows / rows.sum(axis=2, keepdims=True), np.finfo(float).tiny)
        posterior = np.empty((self.offsets.size - 1, self.k))
        table = np.zeros((self.n_annotators, self.k, self.width))
        self._by_category(table)[:] = rows
        prevalence, mass = np.zeros(self.width), np.zeros(self.width)
        prevalence[: self.k] = working.prevalence
        counts = np.zeros(table.size)
        layout, state = self._layout(label), (prevalence, table.ravel(), posterior, counts, mass)
        kernels.sweep(0, len(posterior), *layout, *state)
        return posterior, self._by_category(counts)

    def _layout(self, label: Codes) -> tuple[Codes, NDArray[np.uint32], NDArray[np.int32], Floats]:
        """Return labels as the kernels take them, without known categories or weights."""
        return self.offsets, cells_of(self.annotator, label, self.k), NO_GOLD, NO_WEIGHT

    def _by_category(self, table: Floats) -> Floats:
        """View a table of the kernels by annotator, category and label."""
        whole = table.reshape(self.n_annotators, self.k, self.width)
        return whole[:, :, : self.k].swapaxes(1, 2)

    def draw(self, rng: np.random.Generator, working: _Working) -> Codes:
        """Draw rows given the counts, categories, and labels independent given these."""
        rows = rng.standard_gamma(np.maximum(working.parameters, np.finfo(float).tiny))
        rows /= np.maximum(rows.sum(axis=2, keepdims=True), np.finfo(float).tiny)
        drawn = np.empty_like(self.observed)
        uniform = rng.random(self.offsets.size - 1 + drawn.size)
        draw_labels(uniform, self.offsets, self.annotator, working.prevalence, rows, drawn)
        return drawn

    def correlation(self, label: Codes, posterior: Floats) -> float:
        """Compute the statistic; NaN if no label can be wrong."""
        counts = self.counts(label, posterior)
        given = counts.sum(axis=2)
        hits = np.diagonal(counts, axis1=1, axis2=2)
        right = np.divide(hits, given, out=np.zeros_like(given), where=given > 0)
        deviation = np.sqrt(np.maximum(right * (1 - right), 0))
        product, scale = np.empty(len(posterior)), np.empty(len(posterior))
        residual_products(
            self.offsets, self.annotator, label, posterior, right, deviation, product, scale
        )
        whole = scale.sum()
        return float(product.sum() / whole) if whole > 1e-9 * label.size else np.nan
