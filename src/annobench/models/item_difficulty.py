r"""The item difficulty model, by Markov chain Monte Carlo: items differ, annotators do not.

An item is of category k with probability pi_k, the prevalence. It has log odds theta_il of each
wrong label l against the right one, normally distributed over the items of its category, and
whoever labels it labels it with those, independently of others::

    pi ~ Dirichlet(1, ..., 1)                        c_i ~ Categorical(pi)
    eta_kl ~ Normal(0, 1)                            chi_kl ~ HalfNormal(1)        for l != k
    theta_il ~ Normal(eta_kl, chi_kl), k = c_i       theta_ik = 0
    x_n ~ Categorical(softmax(theta_i))

Of the six models that Paun et al. (2018) compare it is the one that explains disagreement by
items alone. It generalises the beta-binomial distribution by item of Carpenter (2008).

**The reference label.** Softmax needs one label whose log odds are fixed. Published programs
(the examples of Pyro and NumPyro) fix those of the last category; here it is the item's own. With
two categories this is the same model. With more, the prior there, and so the posterior, depends
on the order in which the categories are listed: the differences of two free log odds have a
larger variance than those of one and the reference. Ours does not, and theta has a meaning, how
much an item invites each mistake.

**The labels of the classes.** Nothing in the likelihood names the classes. The prior is restricted
to means of which no other order of the rows has a larger sum on its diagonal, sum_k eta_kk
with eta_kk = 0: typical odds of right labels, taken together. Relabelling a draw from outside
would change its prior if K > 2, as reference labels change too; so such a draw is refused. Without
the restriction it would have been taken, and classes would have exchanged their names:
`label_switches` counts the kept sweeps in which that happens. The paper has no such restriction.

**The sampler.** Categories and effects are summed out: what is sampled are prevalence, means and
standard deviations alone, one after the other by slice sampling. The probability of an item's
labels in a category is an integral over K - 1 effects. Given a gamma variable
whose rate is the sum of the item's odds, and whose shape the number of its labels, effects are
independent: the integral is one over this variable, of a product of factors of one effect each,
which are interpolated in a table. Items with the same counts of labels share it, so that a sweep
costs nothing for further items of the same counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from annobench.labels.annotations import Annotations
from annobench.models._chains import (
    check_categories,
    check_memory,
    for_all,
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
)
from annobench.models.kernels.item_difficulty import (
    FIRST_ROW,
    HIGHEST,
    LARGEST_MEAN,
    ROW_STEP,
    TAPS,
    run_sweeps,
    tabulate,
)

Floats = NDArray[np.float64]

#: Largest number of categories: the order of the classes is checked at every draw of a mean, at
#: a cost of K ** 5 a sweep where labels tell little.
_MAX_CATEGORIES = 20
#: Steps of the grid, in standard deviations of log gamma variables: sums are exact to 1e-4.
_STEP = 1.2

METHOD = Method(
    name="item_difficulty",
    reference="Paun et al. (2018), section 3",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy", "difficulty"),
            *("draws", "thin", "diagnostics", "label_switches"),
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
    max_categories=_MAX_CATEGORIES,
    bounded=True,
    compares=True,
)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from the posterior, C chains of S draws; of each T-th draw, S' = ceil(S / T).

    Attributes
    ----------
    prevalence : ndarray, shape (C, S, K)
        pi.
    mean : ndarray, shape (C, S, K, K)
        eta: ``[..., k, l]`` is the mean log odds of l against k on items of category k; 0 if l = k.
    deviation : ndarray, shape (C, S, K, K)
        chi: their standard deviation between items; 0 if l = k.
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
    items, annotators, categories : tuple of str
        Names, by code.
    posterior : ndarray, shape (I, K)
        Posterior probability of each category of each item, averaged over all draws.
    difficulty : ndarray, shape (I,)
        Posterior mean probability that a label of the item is wrong, in [0, 1].
    draws : Draws
        The draws that everything else is computed from.
    label_switches : ndarray of int, shape (C,)
        Sweeps in the kept part of each chain in which a draw was refused because classes would
        have exchanged their names.
    thin : int
        T: every T-th draw has confusion matrices and the items' probabilities.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    posterior: NDArray[np.float64]
    difficulty: NDArray[np.float64]
    draws: Draws
    label_switches: NDArray[np.int64]
    thin: int = 1

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
        """Posterior mean of the common matrix, for every annotator the same, shape (J, K, K)."""
        return for_all(self.draws.confusion.mean(axis=(0, 1), dtype=np.float64), self.annotators)

    @property
    def parameter_draws(self) -> ParameterDraws:
        """Every T-th draw of prevalence and confusion matrices, of all chains in a row."""
        prevalence, confusion = (
            np.asarray(draws, dtype=np.float64).reshape(-1, *draws.shape[2:])
            for draws in (self.draws.prevalence[:, :: self.thin], self.draws.confusion)
        )
        return ParameterDraws(prevalence, for_all(confusion, self.annotators))

    def _followed(self) -> dict[str, tuple[NDArray[Any], Sequence[str]]]:
        """Names of pairs of categories are "truth > label"; of items the best category."""
        names, draws = self.categories, self.draws
        best = self.posterior.argmax(axis=1)
        return {
            "prevalence": (draws.prevalence, names),
            "mean": _mistakes(draws.mean, names),
            "deviation": _mistakes(np.log(draws.deviation + np.eye(len(names))), names),
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
) -> ItemDifficultyFit:
    """Sample the posterior of the item difficulty model from dispersed starts.

    Parameters
    ----------
    annotations : Annotations
        Labels in 2 to 20 categories. Missing and repeated labels are fine.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed; each chain gets a generator spawned from it.
    chains, warmup, draws : int
        Chains C, sweeps thrown away, and draws S kept in each.
    thin : int, default 5
        Keep confusion matrices and item probabilities of every T-th draw. The items'
        posterior and difficulty use all.
    memory_limit : int, default 2**32
        Bytes that the draws may take.

    Returns
    -------
    ItemDifficultyFit
        Draws, posterior and difficulty of the items, diagnostics.

    Raises
    ------
    AnnotationError
        If there is only one category, no label, no item with labels of two annotators, the
        labels are not categories, or the memory limit does not suffice.
    ValueError
        If a number is out of its range.

    Notes
    -----
    An item without labels has the prevalence for its probabilities, and the difficulty of an item
    not yet seen. A sweep costs time linear in K^3 and in the number of different counts of labels
    of an item, whatever the number of items; memory is C (S' I K + 2 S K^2) numbers.
    Probabilities of labels in a category are exact to 1e-4.

    References
    ----------
    Paun, Carpenter, Chamberlain, Hovy, Kruschwitz and Poesio (2018), Transactions of the ACL 6,
    section 3. Slice sampling: Neal (2003), Annals of Statistics 31.

    Examples
    --------
    >>> a = Annotations.from_contingency([[40, 5, 1], [5, 50, 2], [2, 2, 30]])
    >>> result = fit(a, rng=np.random.default_rng(1), draws=100, warmup=100)
    >>> result.posterior.shape, result.difficulty.shape
    ((137, 3), (137,))
    """
    rng = np.random.default_rng(rng)
    METHOD.check(annotations)
    check_categories(METHOD.name, annotations)
    check_sampler(METHOD.name, warmup=warmup, chains=chains, draws=draws, thin=thin)
    (n_items, k), n_stored = annotations.counts.shape, -(-draws // thin)
    check_memory(METHOD.name, chains * n_stored, n_items * k + (1 + 4 * thin) * k * k, memory_limit)
    data, pattern = _patterns(annotations.counts)
    n_patterns = len(data.code)

    def run(generator: np.random.Generator, stopped: Event) -> tuple[Any, ...]:
        mean_now = -generator.uniform(0.5, 2.5, size=(k, k))
        log_spread = np.log(generator.uniform(0.2, 1.5, size=(k, k)))
        for matrix in (mean_now, log_spread):
            np.fill_diagonal(matrix, 0.0)
        prevalence_now = generator.dirichlet(np.full(k, 10.0))
        width = np.ones((2, k, k))
        prevalence = np.empty((draws, k))
        mean, spread = np.empty((2, draws, k, k))
        confusion = np.empty((n_stored, k, k), dtype=np.float32)
        probability = np.empty((n_stored, n_patterns, k), dtype=np.float32)
        total, difficulty = np.zeros((n_patterns, k)), np.zeros(n_patterns)
        refusals = 0
        for first, last in unless(stopped, blocks(warmup, draws)):
            refusals += run_sweeps(
                generator,
                data,
                mean_now,
                log_spread,
                prevalence_now,
                width,
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
    return ItemDifficultyFit(
        annotations.items,
        annotations.annotators,
        annotations.categories,
        posterior=posterior.mean(axis=0)[pattern],
        difficulty=difficulty.mean(axis=0)[pattern],
        draws=Draws(prevalence, mean, spread, confusion, probability[:, :, pattern]),
        label_switches=refusals,
        thin=thin,
    )


def _mistakes(draws: Floats, categories: Sequence[str]) -> tuple[Floats, list[str]]:
    """Take from matrices (C, S, K, K) the entries of wrong labels, and name them."""
    wrong = ~np.eye(len(categories), dtype=bool)
    names = np.array([[f"{truth} > {label}" for label in categories] for truth in categories])
    return draws[:, :, wrong], list(names[wrong])


class _Patterns(NamedTuple):
    """What the kernel's `run_sweeps` reads: P patterns of counts, a grid of Q values of v.

    Attributes
    ----------
    table : ndarray, shape (numbers, rows, columns)
        Log factors of each number of labels that occurs.
    own : ndarray, shape (numbers, Q)
        Factor of the labels of an item's own category.
    values : ndarray, shape (Q,)
        exp(v).
    origin : int
        Column of the first grid point.
    step : float
        Of the grid.
    low : int
        The first grid point that a pattern of an item needs.
    code : ndarray of int, shape (P, K)
        Which number of labels of each category a pattern has.
    size, amount : ndarray, shape (P,)
        Labels of a pattern; items with labels that have it.
    begin, length, stride : ndarray of int, shape (P,)
        Its grid points.
    single : ndarray of int, shape (K,)
        The pattern of one label of each category.
    """

    table: Floats
    own: Floats
    values: Floats
    origin: int
    step: float
    low: int
    code: NDArray[np.int64]
    size: Floats
    amount: Floats
    begin: NDArray[np.int64]
    length: NDArray[np.int64]
    stride: NDArray[np.int64]
    single: NDArray[np.int64]


def _patterns(counts: NDArray[np.int64]) -> tuple[_Patterns, NDArray[np.int64]]:
    """Lay out the patterns of labels of items, and say which one each item has.

    Given n labels exp(v) is a gamma variable of shape n times the probability of a right label:
    the ends leave out what has probability 1e-6 for probabilities down to exp(-7).
    """
    n_items, k = counts.shape
    known, found = np.unique(np.r_[counts, np.eye(k, dtype=int)], axis=0, return_inverse=True)
    found = found.ravel()
    numbers, code = np.unique(known, return_inverse=True)
    size = known.sum(axis=1).astype(np.float64)
    labelled = size > 0
    amount = np.bincount(found[:n_items], minlength=len(known)) * labelled
    n = np.maximum(size, 1)
    low, high = np.log(n) - 7 - 14 / n, np.log(n + 8 * np.sqrt(n) + 14)
    fine = _STEP / np.sqrt(1 + n)
    step = fine.min()
    start = low.min()
    begin, stride = ((low - start) / step).astype(int), (fine / step).astype(int)
    length = np.where(labelled, np.ceil((high - start) / step - begin) / stride + 1, 0).astype(int)
    v = start + step * np.arange((begin + length * stride).max() + 1)
    beyond = int(2 * LARGEST_MEAN / step) + TAPS
    lines = int((HIGHEST - FIRST_ROW) / ROW_STEP) + TAPS + 1
    table = np.empty((numbers.size, lines, 2 * v.size + 2 * beyond + TAPS))
    tabulate(numbers.astype(np.float64), start - beyond * step / 2, step / 2, table)
    often = numbers[:, None]
    own = np.exp(often * v - np.exp(v) - xlogy(often, often) + often)
    shaped = code.reshape(known.shape)
    first = int(begin[amount > 0].min())
    layout = begin, length, stride, found[n_items:]
    described = shaped, size, amount.astype(np.float64), *layout
    return _Patterns(table, own, np.exp(v), beyond, step, first, *described), found[:n_items]
