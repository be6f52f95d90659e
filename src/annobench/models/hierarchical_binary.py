r"""The multilevel model of binary annotation of Carpenter (2008), by Gibbs sampling.

An item is of category 1 with probability pi, the prevalence. Annotator j labels an item of category
1 "1" with probability theta_1j (sensitivity) and an item of category 0 "0" with probability
theta_0j (specificity), independently given the category. Sensitivities and specificities have beta
distributions whose mean m and concentration s are estimated::

    pi ~ Beta(1, 1)                     c_i ~ Bernoulli(pi)
    m_k ~ Uniform(0, 1)                 p(s_k) proportional to s_k ** -(g + 1), s_k >= 1
    theta_kj ~ Beta(m_k s_k, (1 - m_k) s_k)                          for k = 0, 1
    x_n ~ Bernoulli(theta_1j if c_i = 1 else 1 - theta_0j)

**The prior of the concentration.** The paper calls s, the sum of a beta distribution's two
parameters, a scale. It states a uniform prior on its inverse square, calls this Pareto(1.5), and
defines Pareto(x | g) as proportional to x ** -(g + 1). The three statements are inconsistent:
uniform on s ** -2 is Pareto(2), and the prior of Gelman et al. that it cites, uniform on s ** -0.5,
is Pareto(0.5). The default is Pareto(1.5) as printed; `concentration_exponent` g gives the other
two readings.

**Label switching.** Exchanging the categories (pi, theta_1, theta_0 for 1 - pi, 1 - theta_0, 1 -
theta_1) does not change likelihood or prior, so the posterior has two equal halves. The prior is
restricted to the half in which an annotator is
on average better than chance, m_0 + m_1 > 1. A sweep that ends in the other half is
reflected, which samples the restricted posterior exactly; reflections are counted.

**The sampler.** The paper's three steps, with one change: the m and s of an annotator
population are drawn given the annotators' counts alone, their theta integrated out
(beta-binomial), and theta after them. This mixes far faster than drawing m and s given theta;
`collapsed=False` does the latter, as in the paper. In both cases every fourth sweep proposes to
switch the categories of all items of one annotator: if most annotators of a batch of items labelled
nothing else, the batch has its own mirror mode, nearly as probable as the correct one without the
hierarchy, and a sampler without this move stays in the mode that it reaches first.

Differences from the paper: its conditional of c_i = 0 has pi instead of 1 - pi, and the mean of its
beta-binomial lacks the factor n.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaln, gammaln

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised, axes_or_new
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._chains import run_chains, unless
from annobench.models.base import (
    Conventions,
    Method,
    ParameterDraws,
    SampledFit,
    SupportsDraws,
    blocks,
    check_sampler,
    warned_of,
)
from annobench.models.kernels.hierarchical_binary import run_sweeps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "HYPERPARAMETERS",
    "METHOD",
    "Draws",
    "HierarchicalBinaryFit",
    "NewAnnotator",
    "PrunedFit",
    "better_than_half",
    "fit",
    "prune_and_refit",
]

METHOD = Method(
    name="hierarchical_binary",
    title="Carpenter's binary model",
    reference="Carpenter (2008), section 2",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "sensitivity", "specificity", "accuracy", "confusion"),
            *("draws", "thin", "converged", "diagnostics", "label_switches", "hierarchical"),
        }
    ),
    deterministic=False,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' sensitivities and specificities",
        smoothing="uniform prior of the prevalence; beta populations of annotators, estimated",
        start="several chains from random values",
        optimum="no optimum: draws from the posterior",
    ),
    max_categories=2,
    compares=True,
)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from the posterior, C chains of S draws.

    Attributes
    ----------
    prevalence : ndarray, shape (C, S)
        pi.
    sensitivity, specificity : ndarray, shape (C, S, J)
        theta_1 and theta_0.
    sensitivity_mean, specificity_mean : ndarray, shape (C, S)
        Means of the annotators' distributions; 1/2 where they are fixed.
    sensitivity_concentration, specificity_concentration : ndarray, shape (C, S)
        Their concentrations, the sum of the two parameters of a beta distribution; 2 where they
        are fixed.
    item_probability : ndarray of float32, shape (C, S', I)
        Probability that the item is of category 1 given each draw's other parameters
        (Rao-Blackwellised), of every T-th draw, S' = ceil(S / T).
    """

    prevalence: NDArray[np.float64]
    sensitivity: NDArray[np.float64]
    specificity: NDArray[np.float64]
    sensitivity_mean: NDArray[np.float64]
    sensitivity_concentration: NDArray[np.float64]
    specificity_mean: NDArray[np.float64]
    specificity_concentration: NDArray[np.float64]
    item_probability: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class NewAnnotator(Summarised):
    """Prediction for a new annotator.

    Attributes
    ----------
    true_positives : ndarray, shape (P + 1,)
        Probability of each number of correct labels on P items of category 1.
    true_negatives : ndarray, shape (N + 1,)
        Probability of each number of correct labels on N items of category 0.
    """

    true_positives: NDArray[np.float64]
    true_negatives: NDArray[np.float64]

    def summary(self) -> pd.DataFrame:
        """Return the expected numbers of correct labels.

        Returns
        -------
        DataFrame
            By category, "1" and "0": `items`, and the expected number of correct labels,
            `expected_correct`.
        """
        parts = (self.true_positives, self.true_negatives)
        return pd.DataFrame(
            {
                "items": [part.size - 1 for part in parts],
                "expected_correct": [float(np.arange(part.size) @ part) for part in parts],
            },
            index=pd.Index(["1", "0"], name="category"),
        )

    def _headline(self) -> str:
        shown = (
            f"{expected:.4g} of {items} in category {category}"
            for category, items, expected in self.summary().itertuples()
        )
        return f"expected correct {', '.join(shown)}"


@dataclass(frozen=True, eq=False)
class HierarchicalBinaryFit(SampledFit):
    """Posterior of the multilevel binary model.

    Attributes
    ----------
    categories : tuple of str
        Names, by code; ``categories[1]`` is the positive category.
    hierarchical : bool
        False for the variant with Beta(1, 1) on each sensitivity and specificity.
    draws : Draws
        The draws from which everything else is computed.
    label_switches : ndarray of int, shape (C,)
        Number of retained sweeps of each chain that crossed into the mirror half and were
        reflected.
    thin : int
        T: item probabilities are stored for every T-th draw.
    """

    hierarchical: bool
    draws: Draws
    label_switches: NDArray[np.int64]
    thin: int = 1

    _axes: ClassVar[Mapping[str, Sequence[str]]] = {
        "sensitivity": ("annotator",),
        "specificity": ("annotator",),
        "item_probability": ("item",),
    }

    @cached_property
    def prevalence(self) -> NDArray[np.float64]:
        """Posterior mean probability of each category, shape (2,)."""
        positive = float(self.draws.prevalence.mean())
        return np.array([1 - positive, positive])

    @cached_property
    def sensitivity(self) -> NDArray[np.float64]:
        """Posterior mean sensitivity of each annotator, shape (J,)."""
        return cast(NDArray[np.float64], self.draws.sensitivity.mean(axis=(0, 1)))

    @cached_property
    def specificity(self) -> NDArray[np.float64]:
        """Posterior mean specificity of each annotator, shape (J,)."""
        return cast(NDArray[np.float64], self.draws.specificity.mean(axis=(0, 1)))

    @cached_property
    def confusion(self) -> NDArray[np.float64]:
        """Posterior mean confusion matrices, shape (J, 2, 2): ``[j, truth, label]``."""
        return np.stack(
            [
                np.stack([self.specificity, 1 - self.specificity], axis=1),
                np.stack([1 - self.sensitivity, self.sensitivity], axis=1),
            ],
            axis=1,
        )

    @property
    def parameter_draws(self) -> ParameterDraws:
        """Every T-th draw of prevalence and confusion matrices, chains concatenated."""
        prevalence, specificity, sensitivity = (
            rate[:, :: self.thin].reshape(-1, *rate.shape[2:])
            for rate in (self.draws.prevalence, self.draws.specificity, self.draws.sensitivity)
        )
        rows = _with_rest(1 - specificity), _with_rest(sensitivity)
        return ParameterDraws(_with_rest(prevalence), np.stack(rows, axis=2))

    def _followed(self) -> dict[str, tuple[NDArray[Any], Sequence[str]]]:
        population = ("prevalence", *(HYPERPARAMETERS if self.hierarchical else ()))
        return {name: (getattr(self.draws, name)[..., None], ("",)) for name in population} | {
            "sensitivity": (self.draws.sensitivity, self.annotators),
            "specificity": (self.draws.specificity, self.annotators),
            "item_probability": (self.draws.item_probability, self.items),
        }

    def annotators_frame(
        self, draws: SupportsDraws | None = None, *, level: float = 0.95
    ) -> pd.DataFrame:
        """Return the parameters of each annotator.

        Parameters
        ----------
        draws : ParameterDraws, optional
            For intervals; by default the fit's own.
        level : float, default 0.95
            Level of the intervals, in (0, 1).

        Returns
        -------
        DataFrame
            As for other models, and `probability_better_than_chance`, the posterior probability
            that sensitivity and specificity sum to more than 1.
        """
        table = super().annotators_frame(draws, level=level)
        total = self.draws.sensitivity + self.draws.specificity
        table["probability_better_than_chance"] = (total > 1).mean(axis=(0, 1))
        return table

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot annotators by sensitivity and specificity.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from annobench import plotting

        axes = axes_or_new(axes)
        plotting.accuracy_plane(axes, self.sensitivity, self.specificity)
        axes.legend(loc="lower left")
        return axes

    def predict_new_annotator(self, n_positive: int, n_negative: int) -> NewAnnotator:
        """Predict the numbers of correct labels of a new annotator.

        Parameters
        ----------
        n_positive, n_negative : int
            Numbers of items of category 1 and of category 0 in the batch, at least 0.

        Returns
        -------
        NewAnnotator
            Beta-binomial probabilities averaged over the draws of mean and concentration.

        Raises
        ------
        ValueError
            If a number is negative.

        References
        ----------
        Carpenter (2008), section 2: Beta-Bin(alpha_1, beta_1, P) true positives and
        Beta-Bin(alpha_0, beta_0, N) true negatives.
        """
        draws = self.draws
        return NewAnnotator(
            _beta_binomial(draws.sensitivity_mean, draws.sensitivity_concentration, n_positive),
            _beta_binomial(draws.specificity_mean, draws.specificity_concentration, n_negative),
        )


def _with_rest(second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put the probability of the first of two categories before that of the second."""
    return np.stack([1 - second, second], axis=-1)


HYPERPARAMETERS = (
    "sensitivity_mean",
    "sensitivity_concentration",
    "specificity_mean",
    "specificity_concentration",
)


@dataclass(frozen=True, eq=False)
class PrunedFit(Summarised):
    """A fit, the annotators retained, and the refit to them.

    Attributes
    ----------
    first : HierarchicalBinaryFit
        The fit to all annotators.
    keep : ndarray of bool, shape (J,)
        The annotators that are retained.
    annotations : Annotations
        The labels of the retained annotators.
    second : HierarchicalBinaryFit
        The fit to the retained annotators.
    """

    first: HierarchicalBinaryFit
    keep: NDArray[np.bool_]
    annotations: Annotations
    second: HierarchicalBinaryFit

    def summary(self) -> pd.DataFrame:
        """Return the first fit's annotators.

        Returns
        -------
        DataFrame
            As `annotators_frame` of the first fit, and whether the annotator is retained.
        """
        return self.first.annotators_frame().assign(kept=self.keep)

    def _headline(self) -> str:
        return f"{int(self.keep.sum()):,} of {self.keep.size:,} annotators kept"


def fit(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    hierarchical: bool = True,
    concentration_exponent: float = 1.5,
    collapsed: bool = True,
    chains: int = 4,
    warmup: int = 1_000,
    draws: int = 2_500,
    thin: int = 5,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> HierarchicalBinaryFit:
    """Sample the posterior of the multilevel binary model from dispersed starts.

    Parameters
    ----------
    annotations : Annotations
        Labels in two categories; the second is the positive one. Missing and repeated
        labels are fine.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed; each chain gets a generator spawned from it.
    hierarchical : bool, default True
        If False, every sensitivity and specificity has the prior Beta(1, 1), and the half of the
        posterior is chosen by the annotators' mean sensitivity + specificity.
    concentration_exponent : float, default 1.5
        g > 0 in p(s) proportional to s ** -(g + 1): 1.5 as printed, 2 for a uniform
        inverse square, 0.5 for a uniform inverse square root.
    collapsed : bool, default True
        Draw the means and concentrations with the annotators integrated out. False follows the
        paper's steps, and mixes more slowly.
    chains, warmup, draws : int
        Number of chains C, of warm-up sweeps, and of draws S per chain.
    thin : int, default 5
        Keep the item probabilities of every T-th draw. Their mean uses all.
    threads : int, optional
        Number of chains sampled in parallel; by default all.
    progress : callable, optional
        Called, from any thread, with the number of sweeps since its last call.

    Returns
    -------
    HierarchicalBinaryFit
        Draws, posterior of the items, diagnostics.

    Raises
    ------
    AnnotationError
        If there are not exactly two categories, no labels, or interval labels; or if no item
        has labels of two annotators.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the chains have not converged by R-hat or effective sample size.

    Notes
    -----
    The probability of an item without labels is the prevalence; the parameters of an annotator
    without labels are draws from the annotators' distribution. If all labels are equal, the
    posterior is proper but wide, and depends on the prior. A sweep costs time linear in the number
    of labels; memory is C S (2 J + I / T) numbers.

    References
    ----------
    Carpenter (2008), section 2. Slice sampling: Neal (2003), Annals of Statistics 31.

    Examples
    --------
    >>> a = Annotations.from_contingency([[40, 5], [5, 50]])
    >>> result = fit(a, rng=np.random.default_rng(1), draws=200, warmup=100)
    >>> result.posterior.shape
    (100, 2)
    """
    rng = np.random.default_rng(rng)
    annotations = METHOD.check(annotations)
    if annotations.n_categories < 2:
        raise AnnotationError(
            f"hierarchical_binary: needs two categories, got {annotations.n_categories} "
            f"({', '.join(map(repr, annotations.categories))}). Name both categories if only one "
            "occurs."
        )
    check_sampler(
        METHOD.name,
        warmup=warmup,
        concentration_exponent=concentration_exponent,
        chains=chains,
        draws=draws,
        thin=thin,
    )
    view = annotations.by_item
    labels = (
        view.offsets,
        annotations.annotator[view.order],
        annotations.label[view.order].astype(np.int8),
    )
    n_items, n_annotators = annotations.n_items, annotations.n_annotators
    pairs = np.unique(annotations.annotator.astype(np.int64) * n_items + annotations.item)
    items_of = (
        np.searchsorted(pairs, np.arange(n_annotators + 1) * n_items),
        (pairs % n_items).astype(np.int32),
    )

    def run(generator: np.random.Generator, stopped: Event) -> tuple[Any, ...]:
        state = _start(generator, n_items, n_annotators, labels, hierarchical)
        main = np.empty((draws, 5))
        theta = np.empty((draws, 2, n_annotators))
        probability = np.empty((-(-draws // thin), n_items), dtype=np.float32)
        total = np.zeros(n_items)
        switches = 0
        for first, last in unless(stopped, blocks(warmup, draws)):
            switches += run_sweeps(
                generator,
                *labels,
                *items_of,
                state.main,
                state.theta,
                state.category,
                first,
                last,
                hierarchical,
                collapsed,
                concentration_exponent,
                thin,
                main,
                theta,
                probability,
                total,
            )
            if progress is not None:
                progress(last - first)
        return main, theta, probability, total / draws, switches

    main, theta, probability, means, switches = run_chains(run, rng, chains, threads)
    positive = means.mean(axis=0)
    found = Draws(
        prevalence=main[..., 0],
        sensitivity=theta[:, :, 1],
        specificity=theta[:, :, 0],
        specificity_mean=main[..., 1],
        specificity_concentration=main[..., 2],
        sensitivity_mean=main[..., 3],
        sensitivity_concentration=main[..., 4],
        item_probability=probability,
    )
    fitted = HierarchicalBinaryFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        hierarchical=hierarchical,
        posterior=np.stack([1 - positive, positive], axis=1),
        draws=found,
        label_switches=switches,
        thin=thin,
    )
    return warned_of(METHOD.name, fitted)


def better_than_half(fitted: HierarchicalBinaryFit) -> NDArray[np.bool_]:
    """Mark annotators whose posterior median sensitivity and specificity are at least one half.

    Parameters
    ----------
    fitted : HierarchicalBinaryFit
        The fit; no gold standard is used.

    Returns
    -------
    ndarray of bool, shape (J,)
        True for annotators to retain.

    References
    ----------
    Carpenter (2008), section 4; medians as in the scripts published with the data.
    """
    medians = [
        np.median(d, axis=(0, 1)) for d in (fitted.draws.sensitivity, fitted.draws.specificity)
    ]
    return np.minimum(*medians) >= 0.5


def prune_and_refit(
    annotations: Annotations,
    fitted: HierarchicalBinaryFit,
    *,
    rng: np.random.Generator | int | None = None,
    **settings: Any,
) -> PrunedFit:
    """Remove annotators below one half, and refit to the rest.

    Parameters
    ----------
    annotations : Annotations
        The labels that `fitted` was fitted to.
    fitted : HierarchicalBinaryFit
        The fit by which annotators are removed (`better_than_half`).
    rng : numpy.random.Generator or int, optional
        Source of randomness for the second fit, or a seed.
    **settings
        Passed to `fit`.

    Returns
    -------
    PrunedFit
        Both fits. The probability of items that lost all labels is the prevalence.

    References
    ----------
    Carpenter (2008), section 4.
    """
    annotations = as_annotations(annotations, "prune_and_refit")
    rng = np.random.default_rng(rng)
    keep = better_than_half(fitted)
    kept = annotations.select(annotators=keep)
    return PrunedFit(fitted, keep, kept, fit(kept, rng=rng, **settings))


def _beta_binomial(
    mean: NDArray[np.float64], concentration: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    if size < 0:
        raise ValueError(f"predict_new_annotator: numbers of items must be >= 0, got {size}.")
    alpha = (mean * concentration).ravel()
    beta = ((1 - mean) * concentration).ravel()
    k = np.arange(size + 1)
    choose = gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1)
    total = np.zeros(size + 1)
    for some in np.array_split(np.arange(alpha.size), max(1, alpha.size * (size + 1) // 1_000_000)):
        a, b = alpha[some, None], beta[some, None]
        total += np.exp(choose + betaln(a + k, b + size - k) - betaln(a, b)).sum(axis=0)
    return total / alpha.size


@dataclass(frozen=True)
class _State:
    main: NDArray[np.float64]  # pi, m_0, s_0, m_1, s_1
    theta: NDArray[np.float64]  # (2, 2, J): log theta_k and log(1 - theta_k)
    category: NDArray[np.int8]  # (I,)


def _start(
    rng: np.random.Generator,
    n_items: int,
    n_annotators: int,
    labels: tuple[NDArray[Any], ...],
    hierarchical: bool,
) -> _State:
    """Start from votes with noise of random strength."""
    offsets, _, label = labels
    sums = np.concatenate([[0], np.cumsum(label, dtype=np.int64)])
    size = np.diff(offsets)
    votes = (np.diff(sums[offsets]) + 0.5) / (size + 1)
    noise = rng.uniform(0, 0.8)
    probability = (1 - noise) * votes + noise * rng.uniform()
    category = (rng.random(n_items) < probability).astype(np.int8)
    mean = rng.uniform(0.55, 0.95, size=2) if hierarchical else np.full(2, 0.5)
    concentration = np.exp(rng.uniform(0.5, 4.0, size=2)) if hierarchical else np.full(2, 2.0)
    theta = rng.uniform(0.55, 0.95, size=(2, n_annotators))
    main = np.array([rng.uniform(0.1, 0.9), mean[0], concentration[0], mean[1], concentration[1]])
    return _State(main, np.stack([np.log(theta), np.log1p(-theta)], axis=1), category)
