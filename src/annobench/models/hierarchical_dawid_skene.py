r"""The hierarchical Dawid-Skene model, by Gibbs sampling, for any number of categories.

An item is of category k with probability pi_k, the prevalence. Annotator j gives an item of
category k the label l with probability theta_jkl, independently given the category. Row k of the
annotators' confusion matrices comes from a Dirichlet distribution whose mean m_k and concentration
s_k are estimated::

    pi ~ Dirichlet(1, ..., 1)           c_i ~ Categorical(pi)
    m_k ~ Dirichlet(1, ..., 1)          p(s_k) proportional to s_k ** -(g + 1), s_k >= 1
    theta_jk ~ Dirichlet(s_k m_k)       x_n ~ Categorical(theta_{j, c_i})

With two categories this is the multilevel binary model of `hierarchical_binary`. Estimates for
annotators with few labels are shrunk towards the mean, the more so the less annotators differ.

**The labels of the classes.** Permuting the categories does not change likelihood or prior, so the
posterior has K! equal parts. The prior is restricted to the part in which the classes are named
after their most frequent labels: no permutation of its rows increases the trace of the matrix of
means, sum_k m_kk. A sweep that ends elsewhere is relabelled, which samples the restricted posterior
exactly; relabellings are counted.

**The sampler.** Rows and prevalence are integrated out (Dirichlet-multinomial) where they can be:
m and s are drawn by slice sampling given the counts of the annotators' labels, and each item's
category given those of all other items. Rows and prevalence are drawn only for kept draws. A
sampler that draws categories given rows mixes slowly if annotators have few labels, because each
row depends strongly on the items' current categories.

In the first two thirds of the warm-up categories are drawn from a power of their probabilities
that rises from 0.1 to 1, so that a chain leaves modes with little mass before it settles. If chains
still end in different modes, R-hat shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._chains import (
    check_categories,
    check_memory,
    draw_categories,
    noisy_votes,
    run_chains,
    unless,
)
from annobench.models.base import (
    Conventions,
    Method,
    ParameterDraws,
    SampledFit,
    blocks,
    check_sampler,
    warned_of,
)
from annobench.models.kernels.hierarchical_dawid_skene import run_sweeps

__all__ = ["METHOD", "Draws", "HierarchicalDawidSkeneFit", "fit"]

METHOD = Method(
    name="hierarchical_dawid_skene",
    title="hierarchical Dawid-Skene",
    reference="Carpenter (2008), sections 2 and 8",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy"),
            *("draws", "thin", "converged", "diagnostics", "label_switches"),
        }
    ),
    deterministic=False,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' confusion matrices",
        smoothing="uniform prior of the prevalence; Dirichlet populations of rows, estimated",
        start="several chains from random values",
        optimum="no optimum: draws from the posterior",
    ),
    max_categories=200,
    compares=True,
)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from the posterior: C chains of S draws, thinned to S' = ceil(S / T) for large arrays.

    Attributes
    ----------
    prevalence : ndarray, shape (C, S, K)
        pi.
    mean : ndarray, shape (C, S, K, K)
        m: ``[..., k, l]`` is the mean probability of the label l on an item of category k.
    concentration : ndarray, shape (C, S, K)
        s: concentration of the annotators' rows k.
    confusion : ndarray of float32, shape (C, S', J, K, K)
        theta: ``[..., j, k, l]``.
    item_probability : ndarray of float32, shape (C, S', I, K)
        Probability of each category given the draw's other parameters.
    """

    prevalence: NDArray[np.float64]
    mean: NDArray[np.float64]
    concentration: NDArray[np.float64]
    confusion: NDArray[np.float32]
    item_probability: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class HierarchicalDawidSkeneFit(SampledFit):
    """Posterior of the hierarchical Dawid-Skene model.

    Attributes
    ----------
    draws : Draws
        The draws from which everything else is computed.
    label_switches : ndarray of int, shape (C,)
        Number of retained sweeps of each chain after which the classes were relabelled.
    thin : int
        T: confusion matrices and item probabilities are stored for every T-th draw.
    """

    draws: Draws
    label_switches: NDArray[np.int64]
    thin: int = 1

    _axes: ClassVar[Mapping[str, Sequence[str]]] = {
        "prevalence": ("category",),
        "mean": ("category", "label"),
        "concentration": ("category",),
        "confusion": ("annotator", "category", "label"),
        "item_probability": ("item", "category"),
    }

    @cached_property
    def prevalence(self) -> NDArray[np.float64]:
        """Posterior mean probability of each category, shape (K,)."""
        return np.asarray(self.draws.prevalence.mean(axis=(0, 1)))

    @cached_property
    def confusion(self) -> NDArray[np.float64]:
        """Posterior mean confusion matrices, shape (J, K, K): ``[j, truth, label]``."""
        return np.asarray(self.draws.confusion.mean(axis=(0, 1), dtype=np.float64))

    @property
    def parameter_draws(self) -> ParameterDraws:
        """Every T-th draw of prevalence and confusion matrices, chains concatenated."""
        prevalence, confusion = (
            np.asarray(draws, dtype=np.float64).reshape(-1, *draws.shape[2:])
            for draws in (self.draws.prevalence[:, :: self.thin], self.draws.confusion)
        )
        return ParameterDraws(prevalence, confusion)

    def _followed(self) -> dict[str, tuple[NDArray[Any], Sequence[str]]]:
        """Name pairs of categories "truth > label", and items by their best category."""
        names = self.categories
        pairs = [f"{truth} > {label}" for truth in names for label in names]
        draws = self.draws
        shape = draws.mean.shape[:2]
        best = self.posterior.argmax(axis=1)
        return {
            "prevalence": (draws.prevalence, names),
            "mean": (draws.mean.reshape(*shape, -1), pairs),
            "concentration": (np.log(draws.concentration), names),
            "item_probability": (
                draws.item_probability[:, :, np.arange(best.size), best],
                self.items,
            ),
        }

    def log_likelihoods(self, annotations: Annotations, n_draws: int) -> NDArray[np.float64]:
        """Compute the log likelihood of a subset of draws, the items' categories summed out.

        Parameters
        ----------
        annotations : Annotations
            The labels that were fitted; every item must have one.
        n_draws : int
            Number of evenly spaced draws per chain, among those with confusion matrices.

        Returns
        -------
        ndarray, shape (C, n_draws)
            Log likelihoods. Chains whose log likelihoods differ are in different modes.
        """
        annotations = as_annotations(annotations, "log_likelihoods")
        draws, view = self.draws, annotations.by_item
        annotator, label = annotations.annotator[view.order], annotations.label[view.order]
        result = np.empty((len(draws.confusion), n_draws))
        for c, s in np.ndindex(result.shape):
            at = s * draws.confusion.shape[1] // n_draws
            # A probability may be 0 in single precision.
            matrix = np.log(np.maximum(draws.confusion[c, at], 1e-30)).swapaxes(1, 2)
            log_joint = np.add.reduceat(matrix[annotator, label], view.offsets[:-1])
            log_joint = log_joint.astype(float) + np.log(draws.prevalence[c, at * self.thin])
            result[c, s] = np.logaddexp.reduce(log_joint, axis=1).sum()
        return result

    def predict_new_annotator(
        self, n_annotators: int = 1000, *, rng: np.random.Generator | int | None = None
    ) -> NDArray[np.float64]:
        """Draw confusion matrices of new annotators.

        Parameters
        ----------
        n_annotators : int, default 1000
            Number of annotators.
        rng : numpy.random.Generator or int, optional
            Source of randomness, or a seed.

        Returns
        -------
        ndarray, shape (n_annotators, K, K)
            Rows are drawn from the Dirichlet distributions of one posterior draw per annotator.

        Raises
        ------
        ValueError
            If `n_annotators` is below 1.
        """
        rng = np.random.default_rng(rng)
        if n_annotators < 1:
            raise ValueError(
                f"predict_new_annotator: n_annotators must be above 0, got {n_annotators}."
            )
        k = len(self.categories)
        mean = self.draws.mean.reshape(-1, k, k)
        concentration = self.draws.concentration.reshape(-1, k)
        chosen = rng.integers(len(mean), size=n_annotators)
        gammas = rng.standard_gamma(mean[chosen] * concentration[chosen][..., None])
        gammas += np.finfo(float).tiny
        return np.asarray(gammas / gammas.sum(axis=2, keepdims=True))


def fit(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    concentration_exponent: float = 1.5,
    chains: int = 4,
    warmup: int = 500,
    draws: int = 1_000,
    thin: int = 5,
    start: ArrayLike | None = None,
    threads: int | None = None,
    memory_limit: int = 2**32,
    progress: Callable[[int], None] | None = None,
) -> HierarchicalDawidSkeneFit:
    """Sample the posterior of the hierarchical Dawid-Skene model from dispersed starts.

    Parameters
    ----------
    annotations : Annotations
        Labels in K categories. Missing and repeated labels are fine.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed; each chain gets a generator spawned from it.
    concentration_exponent : float, default 1.5
        g > 0 in p(s) proportional to s ** -(g + 1).
    chains, warmup, draws : int
        Number of chains C, of warm-up sweeps, and of draws S per chain.
    thin : int, default 5
        Keep confusion matrices and item probabilities of every T-th draw. The items'
        posterior uses all.
    start : array_like, optional
        Probabilities, shape (I, K), from which every chain draws its initial categories, such as
        the posterior of another fit. The warm-up is then not tempered. By default the votes, with
        noise of random strength.
    threads : int, optional
        Number of chains sampled in parallel; by default all.
    memory_limit : int, default 2**32
        Maximum size of the draws in bytes.
    progress : callable, optional
        Called, from any thread, with the number of sweeps since its last call.

    Returns
    -------
    HierarchicalDawidSkeneFit
        Draws, posterior of the items, diagnostics.

    Raises
    ------
    AnnotationError
        If there is only one category, no label, no item with labels of two annotators, the labels
        are not categories, the start is not probabilities of that shape, or the memory limit is too
        low.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the chains have not converged by R-hat or effective sample size.

    Notes
    -----
    The probabilities of an item without labels are the prevalence; those of an annotator without
    labels are draws from the annotators' distribution. A sweep costs time linear in the number of
    labels times K, and in J K^2; memory is C S' (J K^2 + I K) numbers.

    References
    ----------
    Carpenter (2008), sections 2 and 8; Paun et al. (2018), Transactions of the ACL 6, for the
    same model. Slice sampling: Neal (2003), Annals of Statistics 31.

    Examples
    --------
    >>> a = Annotations.from_contingency([[40, 5, 1], [5, 50, 2], [2, 2, 30]])
    >>> result = fit(a, rng=np.random.default_rng(1), draws=100, warmup=100)
    >>> result.posterior.shape, result.confusion.shape
    ((137, 3), (2, 3, 3))
    """
    rng = np.random.default_rng(rng)
    annotations = METHOD.check(annotations)
    check_categories(METHOD.name, annotations)
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
        annotations.label[view.order].astype(np.int16),
    )
    n_items, n_annotators = annotations.n_items, annotations.n_annotators
    k = annotations.n_categories
    n_stored = -(-draws // thin)
    n_numbers = n_items * k + n_annotators * k * k
    check_memory(METHOD.name, chains * n_stored, n_numbers, memory_limit)
    given = None if start is None else _checked(start, (n_items, k))
    n_tempered = 2 * warmup // 3 if start is None else 0

    def run(generator: np.random.Generator, stopped: Event) -> tuple[Any, ...]:
        mean_now, concentration_now, category = _start(generator, annotations, given)
        prevalence, mean = np.empty((draws, k)), np.empty((draws, k, k))
        concentration = np.empty((draws, k))
        confusion = np.empty((n_stored, n_annotators, k, k), dtype=np.float32)
        probability = np.empty((n_stored, n_items, k), dtype=np.float32)
        total = np.zeros((n_items, k))
        switches = 0
        for first, last in unless(stopped, blocks(warmup, draws)):
            switches += run_sweeps(
                generator,
                *labels,
                n_annotators,
                mean_now,
                concentration_now,
                category,
                first,
                last,
                concentration_exponent,
                n_tempered - warmup,
                n_tempered,
                thin,
                prevalence,
                mean,
                concentration,
                confusion,
                probability,
                total,
            )
            if progress is not None:
                progress(last - first)
        return prevalence, mean, concentration, confusion, probability, total / draws, switches

    *stored, posterior, switches = run_chains(run, rng, chains, threads)
    fitted = HierarchicalDawidSkeneFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior.mean(axis=0),
        draws=Draws(*stored),
        label_switches=switches,
        thin=thin,
    )
    return warned_of(METHOD.name, fitted)


def _checked(start: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    shares = np.asarray(start, dtype=np.float64)
    if shares.shape != shape or not (
        (shares >= 0).all() and np.allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-6)
    ):
        raise AnnotationError(
            f"hierarchical_dawid_skene.fit: start must be probabilities of shape {shape} whose "
            f"rows sum to 1, got shape {shares.shape}. Give the posterior of another fit."
        )
    return shares


def _start(
    rng: np.random.Generator, annotations: Annotations, given: NDArray[np.float64] | None
) -> tuple[NDArray[Any], ...]:
    """Draw categories from the given start or from votes with noise, and parameters at random."""
    k = annotations.n_categories
    category = draw_categories(rng, noisy_votes(rng, annotations) if given is None else given)
    accuracy = rng.uniform(0.5, 0.95, size=k)
    mean = np.full((k, k), 1.0) * ((1 - accuracy) / (k - 1))[:, None]
    np.fill_diagonal(mean, accuracy)
    concentration = np.exp(rng.uniform(0.5, 4.0, size=k))
    return mean, concentration, category
