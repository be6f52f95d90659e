"""Mixtures of binomials with lazy annotators, or with annotators who differ in their rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.noise.mixtures._binomial import binomial_pmf
from annobench.noise.mixtures._checks import check_method
from annobench.noise.mixtures._fitted import FittedMixture
from annobench.noise.mixtures._scoring import Method, best_start, minimise, with_jacobian
from annobench.noise.mixtures.counts import Counts, Floats
from annobench.noise.mixtures.mixture import BinomialMixture
from annobench.noise.mixtures.standard_errors import sandwich_covariance
from annobench.noise.reliability_threshold import poisson_binomial_pmf

__all__ = ["LazyFit", "annotator_histogram", "fit_lazy", "with_lazy"]


@dataclass(frozen=True, eq=False)
class LazyFit(FittedMixture):
    """The share of lazy annotators among diligent ones of a known mixture, fitted to counts.

    Attributes
    ----------
    lazy_share : float
        Probability that a label comes from a lazy annotator, xi_L.
    lazy_rate : float
        Rate of positive labels of lazy annotators, p_L; not identified if none is lazy.
    mixture : BinomialMixture
        The mixture of all labels: rates (1 - xi_L) p_t + xi_L p_L.
    counts : Counts
        The counts to which it was fitted.
    method : {"ml", "least_squares", "chi_square"}
        The criterion.
    standard_error : tuple of float
        Standard errors of the lazy share and the lazy rate, given the diligent mixture.
    """

    lazy_share: float
    lazy_rate: float
    mixture: BinomialMixture
    counts: Counts
    method: Method
    standard_error: tuple[float, float]

    @property
    def n_parameters(self) -> int:
        """The number of parameters fitted, 2: lazy share and lazy rate."""
        return 2

    def summary(self) -> pd.DataFrame:
        """Return the estimates with standard errors.

        Returns
        -------
        DataFrame
            A row for lazy_share and one for lazy_rate: estimate, standard_error; index parameter.
        """
        index = pd.Index(["lazy_share", "lazy_rate"], name="parameter")
        estimates = [self.lazy_share, self.lazy_rate]
        return pd.DataFrame(
            {"estimate": estimates, "standard_error": self.standard_error}, index=index
        )

    def _headline(self) -> str:
        return f"lazy share {self.lazy_share:.3f} at rate {self.lazy_rate:.3f} ({self.method})"


def with_lazy(diligent: BinomialMixture, lazy_share: float, lazy_rate: float) -> BinomialMixture:
    """Add lazy annotators, who label at one rate whatever the item, to a mixture.

    Parameters
    ----------
    diligent : BinomialMixture
        The mixture of diligent annotators' labels.
    lazy_share : float
        Probability that a label comes from a lazy annotator, in [0, 1].
    lazy_rate : float
        Probability that such a label is positive, in [0, 1].

    Returns
    -------
    BinomialMixture
        The mixture with unchanged shares and rates (1 - xi_L) p_t + xi_L p_L. The double sum of
        section 6 equals this mixture, since labels are independent given the component.

    Raises
    ------
    ValueError
        If a probability is out of range.
    """
    for name, value in (("lazy_share", lazy_share), ("lazy_rate", lazy_rate)):
        if not 0 <= value <= 1:
            raise ValueError(f"with_lazy: {name} must be in [0, 1], got {value}.")
    rate = (1 - lazy_share) * diligent.rate + lazy_share * lazy_rate
    return BinomialMixture(diligent.share, rate)


def fit_lazy(counts: Counts, diligent: BinomialMixture, *, method: Method = "ml") -> LazyFit:
    """Fit the share and the rate of lazy annotators, given the mixture of diligent ones.

    Parameters
    ----------
    counts : Counts
        Items by number of labels and of positive labels.
    diligent : BinomialMixture
        Shares and rates of the components, held fixed.
    method : {"ml", "least_squares", "chi_square"}, default "ml"
        The criterion; the paper uses least squares.

    Returns
    -------
    LazyFit
        The best of the fits from a grid of starts.

    Raises
    ------
    ValueError
        If the method is unknown.
    """
    check_method(method)

    def cells_of(lazy: Floats) -> Floats:
        share, rate = lazy[:, :1], lazy[:, 1:]
        rates = (1 - share) * diligent.rate + share * rate
        each = binomial_pmf(rates, counts.labels, counts.positives)
        return cast(Floats, counts.totals * np.einsum("t,btm->bm", diligent.share, each))

    grid = np.array([[share, rate] for share in (0.05, 0.2, 0.5) for rate in (0.1, 0.5, 0.9)])
    observed = np.tile(counts.items.astype(float), (len(grid), 1))
    model = with_jacobian(lambda theta: cells_of(expit(theta)))
    best = best_start(minimise(model, logit(grid), observed, method, tolerance=1e-13), 1)
    lazy = expit(best.parameters)
    jacobian = with_jacobian(cells_of)(np.clip(lazy, 1e-5, 1 - 1e-5), np.arange(1))[1][0]
    errors = np.sqrt(np.diag(sandwich_covariance(jacobian, best.expected[0], counts, method)))
    share, rate = map(float, lazy[0])
    mixture = with_lazy(diligent, share, rate)
    return LazyFit(share, rate, mixture, counts, method, (float(errors[0]), float(errors[1])))


def annotator_histogram(
    annotations: Annotations, prevalence: float, sensitivity: ArrayLike, specificity: ArrayLike
) -> Floats:
    """Compute the expected histogram of two components with annotator-specific rates.

    This is the model of the paper's Figure 4, given which annotators labelled which items: the
    number of positive labels of an item has a Poisson-binomial distribution in each component.

    Parameters
    ----------
    annotations : Annotations
        Binary labels, of which only the assignment of annotators to items is used. Every item
        has n labels.
    prevalence : float
        Probability that the true category of an item is positive, in [0, 1].
    sensitivity, specificity : array_like, shape (J,)
        Rates of each annotator, such as from a fit of `dawid_skene` or `hierarchical_binary`.

    Returns
    -------
    ndarray, shape (n + 1,)
        Expected items with 0, 1, ..., n positive labels.

    Raises
    ------
    AnnotationError
        If the number of labels differs from item to item.
    ValueError
        If a probability is out of range or there is not one rate per annotator.
    """
    positive, zero = _annotator_pmfs(annotations, prevalence, sensitivity, specificity)
    return cast(Floats, (prevalence * positive + (1 - prevalence) * zero).sum(axis=0))


def _annotator_pmfs(
    annotations: Annotations, prevalence: float, sensitivity: ArrayLike, specificity: ArrayLike
) -> tuple[Floats, Floats]:
    """Return the pmf of each item's positive labels if its category is 1 and 0, both (I, n + 1)."""
    right_1, right_0 = (np.asarray(v, dtype=float) for v in (sensitivity, specificity))
    if right_1.shape != (annotations.n_annotators,) or right_0.shape != right_1.shape:
        raise ValueError(
            f"annotator_histogram: {right_1.shape} sensitivities and {right_0.shape} "
            f"specificities for {annotations.n_annotators} annotators. Give one of each per "
            "annotator."
        )
    given = np.concatenate([[prevalence], right_1, right_0])
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("annotator_histogram: prevalence and rates must be in [0, 1].")
    sizes = np.diff(annotations.by_item.offsets)
    if sizes.size == 0 or (sizes != sizes[0]).any():
        raise AnnotationError(
            "annotator_histogram: the number of labels differs between items. Keep items with the "
            "same number."
        )
    who = annotations.annotator[annotations.by_item.order].reshape(sizes.size, -1)
    return poisson_binomial_pmf(right_1[who]), poisson_binomial_pmf(1 - right_0[who])
