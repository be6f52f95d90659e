r"""The pooled multinomial model, by Gibbs sampling: one confusion matrix for all annotators.

An item is of category k with probability pi_k, the prevalence. Every annotator gives it the label l
with probability zeta_kl, independently given the category::

    pi ~ Dirichlet(1, ..., 1)           c_i ~ Categorical(pi)
    zeta_k ~ Dirichlet(1, ..., 1)       x_n ~ Categorical(zeta_{c_i})

Of six models of annotation that Paun et al. (2018) compare it is the simplest, and the baseline for
the others: any gain over it comes from distinguishing annotators, or items.
Items with the same labels have the same posterior, whoever gave them: it is a vote in which labels
of different categories may have different weights.

**The labels of the classes.** Permuting the categories does not change likelihood or prior, so the
posterior has K! equal parts. The prior is restricted to the part in which the classes are named
after their most frequent labels: no permutation of its rows increases the trace of the confusion
matrix, sum_k zeta_kk. A sweep that ends elsewhere is relabelled, which samples the restricted
posterior exactly; relabellings are counted. The paper has no such restriction.

**The sampler.** Given the items' categories, prevalence and rows have Dirichlet distributions;
given these, categories are independent. A sweep thus has two exact draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from annobench.labels.annotations import Annotations
from annobench.models._chains import (
    check_categories,
    check_memory,
    draw_categories,
    for_all,
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
from annobench.models.kernels.pooled_multinomial import run_sweeps

__all__ = ["METHOD", "Draws", "PooledMultinomialFit", "fit"]

METHOD = Method(
    name="pooled_multinomial",
    title="pooled multinomial model",
    reference="Paun et al. (2018), section 3",
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
        ties="by the common confusion matrix",
        smoothing="uniform priors of the prevalence and of the rows of one matrix for all",
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
    confusion : ndarray, shape (C, S, K, K)
        zeta: ``[..., k, l]`` is the probability of the label l on an item of category k.
    item_probability : ndarray of float32, shape (C, S', I, K)
        Probability of each category given the draw's prevalence and confusion matrix.
    """

    prevalence: NDArray[np.float64]
    confusion: NDArray[np.float64]
    item_probability: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PooledMultinomialFit(SampledFit):
    """Posterior of the pooled multinomial model.

    Attributes
    ----------
    draws : Draws
        The draws from which everything else is computed.
    label_switches : ndarray of int, shape (C,)
        Number of retained sweeps of each chain after which the classes were relabelled.
    thin : int
        T: item probabilities are stored for every T-th draw.
    """

    draws: Draws
    label_switches: NDArray[np.int64]
    thin: int = 1

    _axes: ClassVar[Mapping[str, Sequence[str]]] = {
        "prevalence": ("category",),
        "confusion": ("category", "label"),
        "item_probability": ("item", "category"),
    }

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Count the free parameters: one confusion matrix, and the prevalence.

        Parameters
        ----------
        n_annotators : int
            Annotators who gave labels.
        n_items : int
            I.

        Returns
        -------
        int
            Number of free parameters.
        """
        return len(self.categories) ** 2 - 1

    @cached_property
    def prevalence(self) -> NDArray[np.float64]:
        """Posterior mean probability of each category, shape (K,)."""
        return np.asarray(self.draws.prevalence.mean(axis=(0, 1)))

    @cached_property
    def confusion(self) -> NDArray[np.float64]:
        """Posterior mean of the common matrix, repeated for each annotator, shape (J, K, K)."""
        return for_all(self.draws.confusion.mean(axis=(0, 1)), self.annotators)

    @property
    def parameter_draws(self) -> ParameterDraws:
        """Every T-th draw of prevalence and confusion matrices, chains concatenated."""
        prevalence, confusion = (
            draws[:, :: self.thin].reshape(-1, *draws.shape[2:])
            for draws in (self.draws.prevalence, self.draws.confusion)
        )
        return ParameterDraws(prevalence, for_all(confusion, self.annotators))

    def _followed(self) -> dict[str, tuple[NDArray[Any], Sequence[str]]]:
        """Name pairs of categories "truth > label", and items by their best category."""
        names, draws = self.categories, self.draws
        best = self.posterior.argmax(axis=1)
        return {
            "prevalence": (draws.prevalence, names),
            "confusion": (
                draws.confusion.reshape(*self._shape, -1),
                [f"{truth} > {label}" for truth in names for label in names],
            ),
            "item_probability": (
                draws.item_probability[:, :, np.arange(best.size), best],
                self.items,
            ),
        }


def fit(
    annotations: Annotations,
    *,
    rng: np.random.Generator | int | None = None,
    chains: int = 4,
    warmup: int = 500,
    draws: int = 1_000,
    thin: int = 5,
    memory_limit: int = 2**32,
) -> PooledMultinomialFit:
    """Sample the posterior of the pooled multinomial model from dispersed starts.

    Parameters
    ----------
    annotations : Annotations
        Labels in K categories. Missing and repeated labels are fine.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed; each chain gets a generator spawned from it.
    chains, warmup, draws : int
        Number of chains C, of warm-up sweeps, and of draws S per chain.
    thin : int, default 5
        Keep item probabilities of every T-th draw. The items' posterior uses all.
    memory_limit : int, default 2**32
        Maximum size of the draws in bytes.

    Returns
    -------
    PooledMultinomialFit
        Draws, posterior of the items, diagnostics.

    Raises
    ------
    AnnotationError
        If there is only one category, no label, no item with labels of two annotators, the labels
        are not categories, or the memory limit is too low.
    ValueError
        If a number is out of range.

    Warns
    -----
    ConvergenceWarning
        If the chains have not converged by R-hat or effective sample size.

    Notes
    -----
    The probabilities of an item without labels are the prevalence. A sweep costs time linear in the
    number of labels times K; memory is C (S' I K + S K^2) numbers.

    References
    ----------
    Paun, Carpenter, Chamberlain, Hovy, Kruschwitz and Poesio (2018), Transactions of the ACL 6,
    section 3.

    Examples
    --------
    >>> a = Annotations.from_contingency([[40, 5, 1], [5, 50, 2], [2, 2, 30]])
    >>> result = fit(a, rng=np.random.default_rng(1), draws=100, warmup=100)
    >>> result.posterior.shape, result.draws.confusion.shape
    ((137, 3), (4, 100, 3, 3))
    """
    rng = np.random.default_rng(rng)
    annotations = METHOD.check(annotations)
    check_categories(METHOD.name, annotations)
    check_sampler(METHOD.name, warmup=warmup, chains=chains, draws=draws, thin=thin)
    view = annotations.by_item
    label = annotations.label[view.order].astype(np.int16)
    n_items, k = annotations.n_items, annotations.n_categories
    n_stored = -(-draws // thin)
    check_memory(METHOD.name, chains * n_stored, n_items * k + 2 * thin * k * k, memory_limit)

    def run(generator: np.random.Generator, stopped: Event) -> tuple[Any, ...]:
        category = draw_categories(generator, noisy_votes(generator, annotations))
        prevalence, confusion = np.empty((draws, k)), np.empty((draws, k, k))
        probability = np.empty((n_stored, n_items, k), dtype=np.float32)
        total = np.zeros((n_items, k))
        switches = 0
        for first, last in unless(stopped, blocks(warmup, draws)):
            switches += run_sweeps(
                generator,
                view.offsets,
                label,
                category,
                first,
                last,
                thin,
                prevalence,
                confusion,
                probability,
                total,
            )
        return prevalence, confusion, probability, total / draws, switches

    *stored, posterior, switches = run_chains(run, rng, chains)
    fitted = PooledMultinomialFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior.mean(axis=0),
        draws=Draws(*stored),
        label_switches=switches,
        thin=thin,
    )
    return warned_of(METHOD.name, fitted)
