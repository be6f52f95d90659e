r"""The item difficulty model, by Markov chain Monte Carlo: items differ, annotators do not.

An item is of category k with probability pi_k, the prevalence. Its log odds theta_il of each wrong
label l against the correct one are normally distributed over the items of a category, and the same
for all annotators, who label independently::

    pi ~ Dirichlet(1, ..., 1)                        z_i ~ Categorical(pi)
    mu_kl ~ Normal(0, 1)                             sigma_kl ~ HalfNormal(1)      for l != k
    theta_il ~ Normal(mu_kl, sigma_kl), k = z_i       theta_ik = 0
    x_n ~ Categorical(softmax(theta_i))

Of the six models that Paun et al. (2018) compare it is the one that attributes disagreement to
items alone. It generalises the beta-binomial distribution by item of Carpenter (2008).

**The reference label.** Softmax needs one label with fixed log odds. Published programs (the
examples of Pyro and NumPyro) use the last category as the reference; here it is the item's own
category. With two categories the models are equal. With more, the prior of those programs, and
hence the posterior, depends on the order of the categories, because differences between two free
log odds have a larger variance than those between a free one and the reference. Ours does not, and
theta is interpretable: an item's propensity to each mistake.

**The labels of the classes.** Nothing in the likelihood names the classes. The prior is restricted
to means for which no permutation of the rows increases the diagonal sum, sum_k mu_kk with mu_kk =
0. Relabelling a draw outside this region would change its prior if K > 2, since reference labels
change, too; such a draw is therefore rejected. Without the restriction it would have been accepted,
and labels switched: `label_switches` counts the retained sweeps in which this happens. The paper
has no such restriction.

**The sampler.** Categories and effects are summed out: only prevalence, means and standard
deviations are sampled, one after the other by slice sampling, and ten times per sweep jointly by a
random-walk step whose covariance is adapted in the warm-up. The probability of an item's labels in
a category is an integral over K - 1 effects. Given an auxiliary gamma variable, whose rate is the
sum of the item's odds and whose shape is its number of labels, effects are independent. The
integral thus reduces to one over this variable, of a product of one factor per effect, interpolated
in a table. It is shared by items with the same counts of labels.
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
    for_all,
    run_chains,
    unless,
)
from annobench.models._log_odds import (
    MAX_CATEGORIES,
    draw_means,
    draw_spreads,
    lay_out,
    off_diagonal,
    root_of_covariance,
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
from annobench.models.kernels.item_difficulty import LARGEST_MEAN, run_sweeps

__all__ = ["METHOD", "Draws", "ItemDifficultyFit", "fit"]

Floats = NDArray[np.float64]

#: Sweeps after which the warm-up learns how parameters vary together.
_STAGE = 50

METHOD = Method(
    name="item_difficulty",
    title="item-difficulty model",
    reference="Paun et al. (2018), section 3",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy", "difficulty"),
            *("draws", "thin", "converged", "diagnostics", "label_switches"),
        }
    ),
    deterministic=False,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by how often items of each category invite each mistake",
        smoothing="uniform prior of the prevalence; normal populations of log odds, estimated",
        start="several chains from random values",
        optimum="no optimum: draws from the posterior",
    ),
    max_categories=MAX_CATEGORIES,
    bounded=True,
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
        mu: ``[..., k, l]`` is the mean log odds of l against k on items of category k; 0 if l = k.
    deviation : ndarray, shape (C, S, K, K)
        sigma: their standard deviation between items; 0 if l = k.
    confusion : ndarray of float32, shape (C, S', K, K)
        Probability of the label l on an item of category k, averaged over such items.
    item_probability : ndarray of float32, shape (C, S', I, K)
        Probability of each category given the draw's other parameters.
    """

    prevalence: NDArray[np.float64]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    confusion: NDArray[np.float32]
    item_probability: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ItemDifficultyFit(SampledFit):
    """Posterior of the item difficulty model.

    Attributes
    ----------
    difficulty : ndarray, shape (I,)
        Posterior mean probability that a label of the item is wrong, in [0, 1].
    draws : Draws
        The draws from which everything else is computed.
    label_switches : ndarray of int, shape (C,)
        Number of retained sweeps of each chain in which a draw was rejected because it would have
        switched the labels of classes.
    thin : int
        T: confusion matrices and item probabilities are stored for every T-th draw.
    """

    difficulty: NDArray[np.float64]
    draws: Draws
    label_switches: NDArray[np.int64]
    thin: int = 1

    _premise: ClassVar[str] = "annotators err independently of each other given the item"
    _axes: ClassVar[Mapping[str, Sequence[str]]] = {
        "prevalence": ("category",),
        "mean": ("category", "label"),
        "deviation": ("category", "label"),
        "confusion": ("category", "label"),
        "item_probability": ("item", "category"),
    }

    @cached_property
    def prevalence(self) -> NDArray[np.float64]:
        """Posterior mean probability of each category, shape (K,)."""
        return np.asarray(self.draws.prevalence.mean(axis=(0, 1)))

    @cached_property
    def confusion(self) -> NDArray[np.float64]:
        """Posterior mean of the common matrix, repeated for each annotator, shape (J, K, K)."""
        return for_all(self.draws.confusion.mean(axis=(0, 1), dtype=np.float64), self.annotators)

    @property
    def parameter_draws(self) -> ParameterDraws:
        """Every T-th draw of prevalence and confusion matrices, chains concatenated."""
        prevalence, confusion = (
            np.asarray(draws, dtype=np.float64).reshape(-1, *draws.shape[2:])
            for draws in (self.draws.prevalence[:, :: self.thin], self.draws.confusion)
        )
        return ParameterDraws(prevalence, for_all(confusion, self.annotators))

    def dependence(self, annotations: Annotations) -> None:
        """Return None: difficulty lets the labels of an item depend on each other.

        Parameters
        ----------
        annotations : Annotations
            Not used.
        """

    def _followed(self) -> dict[str, tuple[NDArray[Any], Sequence[str]]]:
        """Name pairs of categories "truth > label", and items by their best category."""
        names, draws = self.categories, self.draws
        best = self.posterior.argmax(axis=1)
        return {
            "prevalence": (draws.prevalence, names),
            "mean": off_diagonal(draws.mean, names),
            "deviation": off_diagonal(np.log(draws.deviation + np.eye(len(names))), names),
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
    warmup: int = 200,
    draws: int = 400,
    thin: int = 2,
    memory_limit: int = 2**32,
) -> ItemDifficultyFit:
    """Sample the posterior of the item difficulty model from dispersed starts.

    Parameters
    ----------
    annotations : Annotations
        Labels in 2 to 20 categories. Missing and repeated labels are fine.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed; each chain gets a generator spawned from it.
    chains, warmup, draws : int
        Number of chains C, of warm-up sweeps, and of draws S per chain.
    thin : int, default 2
        Keep confusion matrices and item probabilities of every T-th draw. The items'
        posterior and difficulty use all.
    memory_limit : int, default 2**32
        Maximum size of the draws in bytes.

    Returns
    -------
    ItemDifficultyFit
        Draws, posterior and difficulty of the items, diagnostics.

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
    The probabilities of an item without labels are the prevalence, and its difficulty is that of a
    new item. A sweep costs time linear in K^3 and in the number of different counts of labels of an
    item, whatever the number of items; memory is C (S' I K + 2 S K^2) numbers. Probabilities of
    labels in a category are exact to 1e-4.

    References
    ----------
    Paun, Carpenter, Chamberlain, Hovy, Kruschwitz and Poesio (2018), Transactions of the ACL 6,
    section 3. Slice sampling: Neal (2003), Annals of Statistics 31. Jumps: Haario, Saksman and
    Tamminen (2001), Bernoulli 7.

    Examples
    --------
    >>> a = Annotations.from_contingency([[40, 5, 1], [5, 50, 2], [2, 2, 30]])
    >>> result = fit(a, rng=np.random.default_rng(1), draws=100, warmup=100)
    >>> result.posterior.shape, result.difficulty.shape
    ((137, 3), (137,))
    """
    rng = np.random.default_rng(rng)
    annotations = METHOD.check(annotations)
    check_categories(METHOD.name, annotations)
    check_sampler(METHOD.name, warmup=warmup, chains=chains, draws=draws, thin=thin)
    (n_items, k), n_stored = annotations.counts.shape, -(-draws // thin)
    check_memory(METHOD.name, chains * n_stored, n_items * k + (1 + 4 * thin) * k * k, memory_limit)
    data, pattern = lay_out(annotations.counts, LARGEST_MEAN)
    single, alone = lay_out(np.eye(k, dtype=np.int64), LARGEST_MEAN)
    n_patterns = len(data.code) + 1

    def run(generator: np.random.Generator, stopped: Event) -> tuple[Any, ...]:
        matrices = np.stack([draw_means(generator, k), np.log(draw_spreads(generator, k))])
        prevalence_now = generator.dirichlet(np.full(k, 10.0))
        width = np.ones((2, k, k))
        n_free = 2 * k * k - k - 1
        root, size, visited = np.zeros((n_free, n_free)), np.ones(1), np.empty((warmup, n_free))
        prevalence = np.empty((draws, k))
        mean, spread = np.empty((2, draws, k, k))
        confusion = np.empty((n_stored, k, k), dtype=np.float32)
        probability = np.empty((n_stored, n_patterns, k), dtype=np.float32)
        total, difficulty = np.zeros((n_patterns, k)), np.zeros(n_patterns)
        refusals = 0
        for first, last in unless(stopped, blocks(warmup, draws, _STAGE)):
            if first <= 0:
                root = root_of_covariance(visited[(first + warmup) // 3 : first + warmup], root)
            refusals += run_sweeps(
                generator,
                data,
                single,
                alone,
                matrices,
                prevalence_now,
                width,
                root,
                size,
                visited,
                first,
                last,
                thin,
                prevalence,
                mean,
                spread,
                confusion,
                probability,
                total,
                difficulty,
            )
        spread *= 1.0 - np.eye(k)
        stored = prevalence, mean, spread, confusion, probability
        return *stored, total / draws, difficulty / n_stored, refusals

    prevalence, mean, spread, confusion, probability, posterior, difficulty, refusals = run_chains(
        run, rng, chains
    )
    fitted = ItemDifficultyFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior.mean(axis=0)[pattern],
        difficulty=difficulty.mean(axis=0)[pattern],
        draws=Draws(prevalence, mean, spread, confusion, probability[:, :, pattern]),
        label_switches=refusals,
        thin=thin,
    )
    return warned_of(METHOD.name, fitted)
