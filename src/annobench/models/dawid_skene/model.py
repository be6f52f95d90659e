"""The model of Dawid and Skene, fitted by the EM algorithm.

An item is of category k with probability ``prevalence[k]``. Annotator j gives it the label l with
probability ``confusion[j, k, l]``, independently of other annotators given the category. Categories
are not observed: the E-step computes the probability of each for every item (eq. 2.5), the M-step
counts labels weighted by these probabilities (eqs. 2.3 and 2.4).

Extensions of the paper:

- Smoothing. A number added to every count: the posterior mode under Dirichlet priors whose
  parameters are that number plus one. 0 is maximum likelihood.
- Known categories of some items (gold), which are fixed.
- Matrices shared by groups of annotators, and matrices with tied entries.

The likelihood has local optima, and permuting the categories does not change it:
`annobench.models.dawid_skene.optima` looks for others. Standard errors, bootstrap
intervals and checks of the fit are in `annobench.models.dawid_skene.uncertainty`.

Dawid and Skene (1979), Applied Statistics 28, 20-28; smoothing as in Passonneau and Carpenter
(2014), section 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._fixed_point import SETTLED, TOLERANCE, EMTrace
from annobench.models._gold import gold_codes
from annobench.models._passes import PartitionedFit, Passing
from annobench.models.base import ConfusionFit, Conventions, Method, accuracy, warned_of
from annobench.models.dawid_skene._passes import (
    DawidSkenePasses,
    Sums,
    Theta,
)
from annobench.models.dawid_skene.em import (
    NO_GOLD,
    NO_WEIGHT,
    Floats,
    Parameters,
    Problem,
    Settings,
    State,
    Tie,
    cells_of,
    confusion_of,
    width_of,
)
from annobench.models.dawid_skene.starts import Start, first_parameters, first_values, where
from annobench.models.kernels import dawid_skene as kernels
from annobench.scale._blocks import BlockedLabels

__all__ = ["METHOD", "DawidSkeneFit", "fit", "fit_partitions"]

METHOD = Method(
    name="dawid_skene",
    title="Dawid and Skene's model",
    reference="Dawid and Skene (1979), Applied Statistics 28, 20-28",
    accepts=frozenset({"nominal", "ordinal"}),
    returns=frozenset(
        {
            *("prevalence", "confusion", "accuracy", "parameters", "log_likelihood"),
            *("log_posterior", "n_parameters", "aic", "bic", "n_labelled", "n_iterations"),
            *("converged", "history", "settings"),
        }
    ),
    deterministic=True,
    conventions=Conventions(
        repeats="each is a label of its own",
        ties="by the annotators' confusion matrices; equal probabilities if these tie, too",
        smoothing="0.01 added to every count of the confusion matrices and of the prevalence",
        start="vote shares",
        optimum=f"a local maximum of the posterior density by EM; {SETTLED}",
    ),
    compares=True,
    offers=frozenset({"bootstrap", "fit_partitions", "restarts"}),
)


@dataclass(frozen=True, eq=False)
class DawidSkeneFit(ConfusionFit):
    """A fit: an optimum of the likelihood or of the posterior density.

    Attributes
    ----------
    posterior : ndarray of float, shape (I, K)
        Probability of each category for each item under the parameters below.
    prevalence : ndarray, shape (K,)
        Probability of each category, sums to 1.
    confusion : ndarray, shape (J, K, K)
        ``[j, k, l]``: annotator j gives l when the truth is k. Rows sum to 1, or are NaN if, in an
        unsmoothed fit, annotator j labelled no item of category k.
    log_likelihood : float
        Log probability of the labels (and of known categories), other categories summed out.
    log_posterior : float
        `log_likelihood` plus the logarithm of the Dirichlet densities, without their constants;
        equal to `log_likelihood` in an unsmoothed fit.
    n_iterations : int
        Updates of the parameters after the start.
    converged : bool
        Whether the items' probabilities settled to within the tolerance.
    history : ndarray, shape (n_iterations + 1,)
        `log_posterior` of the start and after every update; it never falls.
    n_labelled : int
        Number of items that have labels or a known category.
    n_parameters : int
        Number of free parameters, without those of annotators who gave no labels.
    settings : Settings
        What was asked for.
    """

    prevalence: Floats
    confusion: Floats
    log_likelihood: float
    log_posterior: float
    n_iterations: int
    converged: bool
    history: Floats
    n_labelled: int
    n_parameters: int
    settings: Settings

    @cached_property
    def accuracy(self) -> Floats:
        """Probability that each annotator is right on an item of the population, shape (J,)."""
        return accuracy(self.prevalence, self.confusion)

    @property
    def parameters(self) -> Parameters:
        """Prevalence and confusion matrices, as a start for another fit."""
        return Parameters(self.prevalence, self.confusion)

    @property
    def aic(self) -> float:
        """Akaike's information criterion; smaller is better.

        Raises
        ------
        ValueError
            If the fit is smoothed.
        """
        return 2 * self.n_parameters - 2 * self._maximised("aic")

    @property
    def bic(self) -> float:
        """Schwarz's criterion with the number of items as sample size; smaller is better.

        Raises
        ------
        ValueError
            If the fit is smoothed.
        """
        return float(np.log(self.n_labelled)) * self.n_parameters - 2 * self._maximised("bic")

    def _maximised(self, what: str) -> float:
        if self.settings.is_smoothed:
            raise ValueError(
                f"DawidSkeneFit.{what}: needs the maximum of the likelihood, but this fit is "
                "smoothed. Fit with smoothing=0."
            )
        return self.log_likelihood

    def count_parameters(self, n_annotators: int, n_items: int) -> int:
        """Return the number of free parameters.

        Parameters
        ----------
        n_annotators : int
            Annotators who gave labels.
        n_items : int
            I.

        Returns
        -------
        int
            `n_parameters`, which allows for tied matrices.
        """
        return self.n_parameters

    def predict(self, annotations: Annotations) -> Floats:
        """Compute the categories' probabilities for other items of the same annotators.

        Parameters
        ----------
        annotations : Annotations
            Labels by annotators and in categories known to the fit, by name; annotators without
            labels are allowed.

        Returns
        -------
        ndarray, shape (I, K)
            Rows sum to 1; NaN for items that are impossible under an unsmoothed fit.

        Raises
        ------
        AnnotationError
            If a name is unknown to the fit, or its annotator has no matrix.

        Warns
        -----
        DegenerateWarning
            If an item is impossible.
        """
        return _predict(self, as_annotations(annotations, "predict"))


def fit(
    annotations: Annotations,
    *,
    smoothing: float | ArrayLike = 0.01,
    prevalence_smoothing: float | ArrayLike | None = None,
    start: Start | Parameters | NDArray[Any] = "votes",
    gold: Mapping[str, str] | ArrayLike | None = None,
    groups: Literal["all"] | Sequence[object] | NDArray[Any] | None = None,
    tie: Tie = "none",
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
    threads: int = 1,
    memory_limit: int | None = None,
) -> DawidSkeneFit:
    """Fit the model of Dawid and Skene (1979) by EM.

    Parameters
    ----------
    annotations : Annotations
        Any number of annotators and categories. Repeated labels count as further labels.
    smoothing : float or array_like, default 0.01
        Added to every count of a confusion matrix: a number, or numbers above 0 of shape
        (K, K) or (G, K, K) by true category and label. 0 is maximum likelihood.
    prevalence_smoothing : float or array_like, optional
        Added to the expected number of items of each category: a number, or numbers above
        0 of shape (K,). By default `smoothing`, if that is one number.
    start : {"votes", "diagonal", "spectral"}, Parameters or ndarray, default "votes"
        The shares of each item's labels; confusion matrices of 0.7 on the diagonal and
        0.3 / K elsewhere, scaled to sum to 1, with uniform prevalence; `spectral_start`; given
        parameters; or given probabilities of the categories, shape (I, K).
    gold : mapping or array_like of int, optional
        Known categories of some items: names of categories by names of items, or codes
        of shape (I,), -1 where unknown. They inform prevalence as well.
    groups : "all" or sequence, optional
        Group of each annotator, length J; annotators of a group share a matrix. "all" puts all
        annotators in one group. By default each annotator has an individual matrix.
    tie : {"none", "category", "one_coin"}, default "none"
        "category": one accuracy per category, and equally probable errors; "one_coin": one accuracy
        for all categories.
    tolerance : float, default 1e-6
        Stop when no probability of an item is farther than this from its limit, as estimated from
        the rate of convergence; with 0 all updates are done, without acceleration.
    max_iterations : int, default 1_000
        Maximum number of updates of the parameters, at least 1.
    threads : int, default 1
        Number of blocks of items processed in parallel. Results differ only by rounding.
    memory_limit : int, optional
        Maximum memory of the fit beyond its input, in bytes.

    Returns
    -------
    DawidSkeneFit
        Posterior, prevalence, confusion matrices, likelihood, convergence.

    Raises
    ------
    AnnotationError
        If there are no labels, or they are on another scale; if no item has labels of two
        annotators and no labelled item has a known category; if priors, start, gold or groups have
        a wrong shape or value; or if the memory limit is too low.
    ValueError
        If an option is invalid.

    Warns
    -----
    ConvergenceWarning
        If the search stopped before the items' probabilities settled.
    DegenerateWarning
        If an unsmoothed fit leaves rows of confusion matrices undefined; they are NaN.

    Notes
    -----
    The posterior of an item without labels is the prevalence; it does not affect the fit. The
    matrix of an annotator without labels is the mode of the prior, or NaN in an unsmoothed fit. A
    probability of zero stays zero in an unsmoothed fit, as in the paper. The matrix of an annotator
    who shares no item with others, while others do, stays near its start. Products of probabilities
    that would underflow are computed in logarithms.

    An iteration costs N K multiplications and additions. Memory is 4 bytes per label, 8 (K + 1) per
    item, and 16 K per annotator and category. No update follows the last E-step, so posterior and
    likelihood belong to the returned parameters. Programs that update after the last E-step, too,
    report one more iteration for the same posterior.

    References
    ----------
    Dawid and Skene (1979), eqs. 2.3 to 2.5; Passonneau and Carpenter (2014), section 4.

    Examples
    --------
    Where categories are known, counting is all there is to do:

    >>> a = Annotations.from_arrays(list("xxyyzz"), list("ababab"), list("110010"))
    >>> known = {"x": "1", "y": "0", "z": "0"}
    >>> fit(a, gold=known, smoothing=0).confusion[0]  # of annotator "a"
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    annotations = METHOD.check(annotations, informed=gold is not None)
    settings = _settings(
        annotations,
        smoothing,
        prevalence_smoothing,
        gold,
        groups,
        tie,
        tolerance,
        max_iterations,
        threads,
    )
    if gold is not None and not (settings.gold[annotations.item] >= 0).any():
        METHOD.check(annotations)
    if memory_limit is not None:
        _check_memory(annotations, settings, memory_limit)
    problem = Problem.of(annotations, settings)
    state = problem.begin(*first_values(annotations, start))
    problem.maximise_likelihood(state, given=not isinstance(start, str))
    fitted = _fit_of(annotations, problem, state)
    return warned_of(METHOD.name, fitted, all_updates=tolerance == 0)


def fit_partitions(
    passing: Passing,
    *,
    smoothing: float | ArrayLike = 0.01,
    prevalence_smoothing: float | ArrayLike | None = None,
    start: Literal["votes", "diagonal"] | Parameters = "votes",
    gold: Mapping[str, str] | None = None,
    groups: Literal["all"] | Sequence[object] | NDArray[Any] | None = None,
    tie: Tie = "none",
    tolerance: float = TOLERANCE,
    max_iterations: int = 1_000,
) -> PartitionedFit:
    """Fit the model to partitions, as `fit` does to labels in memory.

    Parameters
    ----------
    passing : Passing
        The labels, and the workers that process them.
    smoothing, prevalence_smoothing
        As for `fit`.
    start : {"votes", "diagonal"} or Parameters, default "votes"
        As for `fit`.
    gold : mapping of str to str, optional
        Known categories of some items, by name; they stay in memory.
    groups, tie, tolerance, max_iterations
        As for `fit`.

    Returns
    -------
    PartitionedFit
        Without items.

    Raises
    ------
    AnnotationError
        As for `fit`.
    ValueError
        If an option is invalid.
    """
    labels = passing.labels
    METHOD.check(labels, informed=gold is not None)
    settings = _settings(
        labels,
        smoothing,
        prevalence_smoothing,
        None,
        groups,
        tie,
        tolerance,
        max_iterations,
        1,
    )
    known = {} if gold is None else labels.codes_of(gold)
    passes = DawidSkenePasses(settings, labels.n_categories, known)
    first = None
    if isinstance(start, Parameters) or start == "diagonal":
        given = first_parameters(start, labels.n_annotators, labels.n_categories)
        first = partial(passes.start, given)
    elif start != "votes":
        raise ValueError(
            f"dawid_skene.fit: for partitions, start {start!r} is not one of votes, diagonal. Give "
            "one of them, or Parameters."
        )
    what = (smoothing, prevalence_smoothing, start, groups, tie, sorted((gold or {}).items()))
    end = passing.run(passes, tolerance, max_iterations, start=first, what=what)
    fitted = fit_of_passes(labels, passes, end)
    warned_of(METHOD.name, fitted, all_updates=tolerance == 0)
    return PartitionedFit(fitted, passes, end.parameters)


# Checks of what the caller gives.


def _settings(
    annotations: Annotations | BlockedLabels,
    smoothing: float | ArrayLike,
    prevalence_smoothing: float | ArrayLike | None,
    gold: Mapping[str, str] | ArrayLike | None,
    groups: Literal["all"] | Sequence[object] | NDArray[Any] | None,
    tie: Tie,
    tolerance: float,
    max_iterations: int,
    threads: int,
) -> Settings:
    if tie not in get_args(Tie):
        raise ValueError(f"dawid_skene.fit: tie {tie!r} is not one of {', '.join(get_args(Tie))}.")
    for name, value, smallest in (
        ("tolerance", tolerance, 0),
        ("max_iterations", max_iterations, 1),
        ("threads", threads, 1),
    ):
        if not value >= smallest:
            raise ValueError(f"dawid_skene.fit: {name} must be at least {smallest}, got {value}.")
    k = annotations.n_categories
    group = _groups(annotations, groups)
    n_groups = int(group.max(initial=-1)) + 1
    if prevalence_smoothing is None:
        if np.ndim(smoothing) > 0:
            raise AnnotationError(
                "dawid_skene.fit: smoothing is an array, so that prevalence_smoothing does not "
                "follow from it. Give both."
            )
        prevalence_smoothing = smoothing
    return Settings(
        _prior("smoothing", smoothing, (n_groups, k, k), ((), (k, k), (n_groups, k, k))),
        _prior("prevalence_smoothing", prevalence_smoothing, (k,), ((), (k,))),
        tie,
        group,
        gold_codes(METHOD.name, annotations, gold),
        float(tolerance),
        int(max_iterations),
        int(threads),
    )


def _prior(
    name: str, value: float | ArrayLike, shape: tuple[int, ...], taken: Sequence[tuple[int, ...]]
) -> Floats:
    prior = np.asarray(value, dtype=np.float64)
    if prior.shape not in taken:
        shapes = " or ".join(map(str, taken[1:]))
        raise AnnotationError(
            f"dawid_skene.fit: {name} must be one number or have the shape {shapes}, got shape "
            f"{prior.shape}. Each entry belongs to one true category and label."
        )
    # One zero for all is maximum likelihood; a zero among others would be neither.
    wrong = ~(np.isfinite(prior) & (prior >= 0 if prior.ndim == 0 else prior > 0))
    if wrong.any():
        raise AnnotationError(
            f"dawid_skene.fit: {name} must be above 0, or the number 0 for maximum likelihood, "
            f"got {prior[wrong].ravel()[0]}{where(wrong)}. It is added to counts."
        )
    return np.broadcast_to(prior, shape)


def _groups(
    annotations: Annotations | BlockedLabels,
    groups: Literal["all"] | Sequence[object] | NDArray[Any] | None,
) -> NDArray[np.int64]:
    n = annotations.n_annotators
    if groups is None:
        return np.arange(n)
    if isinstance(groups, str):
        if groups != "all":
            raise AnnotationError(
                f"dawid_skene.fit: groups {groups!r} is not 'all'. Give 'all', or one group per "
                "annotator."
            )
        return np.zeros(n, dtype=np.int64)
    if len(groups) != n:
        raise AnnotationError(
            f"dawid_skene.fit: groups must have one entry for each of the {n} annotators, got "
            f"{len(groups)}."
        )
    return np.asarray(pd.factorize(pd.Series(list(groups), dtype=object).map(str))[0], np.int64)


def _check_memory(annotations: Annotations, settings: Settings, limit: int) -> None:
    width = width_of(annotations.n_categories)
    matrices = 8 * settings.n_groups * annotations.n_categories * width
    parts = {
        "labels": 4 * annotations.n_labels,
        "items": 8 * annotations.n_items * (annotations.n_categories + 3),
        "confusion matrices": matrices * (2 + settings.threads),
    }
    need = sum(parts.values())
    if need > limit:
        largest = max(parts, key=lambda name: parts[name])
        raise AnnotationError(
            f"dawid_skene.fit: needs {need / 2**20:.1f} MiB, {parts[largest] / 2**20:.1f} of them "
            f"for the {largest}, and memory_limit is {limit / 2**20:.1f} MiB. Raise the limit, fit "
            "parts of the items (a fit of one part predicts another), or put annotators in groups."
        )


def _fit_of(annotations: Annotations, problem: Problem, state: State) -> DawidSkeneFit:
    labelled = np.diff(problem.offsets) > 0
    if problem.settings.gold.size:
        labelled |= problem.settings.gold >= 0
    return _named_fit(annotations, annotations.items, problem, state, int(labelled.sum()))


def fit_of_passes(
    labels: Annotations | BlockedLabels,
    passes: DawidSkenePasses,
    end: EMTrace[Theta, Sums],
) -> DawidSkeneFit:
    """Build the fit from the results of passes over blocks."""
    problem, state = passes.ended(end.expected, end.parameters)
    state.n_iterations, state.converged = end.n_iterations, end.converged
    state.log_posterior, state.history = end.history[-1], tuple(end.history)
    return _named_fit(labels, (), problem, state, int(end.expected.n_labelled))


def _named_fit(
    labels: Annotations | BlockedLabels,
    items: tuple[str, ...],
    problem: Problem,
    state: State,
    n_labelled: int,
) -> DawidSkeneFit:
    k, settings = problem.n_categories, problem.settings
    confusion = confusion_of(problem, state)
    undefined = np.isnan(confusion[:, :, 0])
    if undefined.any():
        first = int(np.flatnonzero(undefined.any(axis=1))[0])
        warnings.warn(
            f"dawid_skene.fit: {int(undefined.sum())} row(s) of confusion matrices are undefined "
            f"and NaN, the first of annotator {labels.annotators[first]!r}: they labelled no item "
            "that is probably of that category. Smoothing defines them.",
            DegenerateWarning,
            stacklevel=4,
        )
    used = int((state.counts.sum(axis=(1, 2)) > 0).sum())
    free = {"none": k * (k - 1), "category": k if k > 1 else 0, "one_coin": int(k > 1)}
    return DawidSkeneFit(
        items,
        labels.annotators,
        labels.categories,
        posterior=state.posterior,
        prevalence=state.prevalence[:k].copy(),
        confusion=confusion,
        log_likelihood=state.log_likelihood,
        log_posterior=state.log_posterior,
        n_iterations=state.n_iterations,
        converged=state.converged,
        history=np.array(state.history),
        n_labelled=n_labelled,
        n_parameters=k - 1 + used * free[settings.tie],
        settings=settings,
    )


def _predict(fitted: DawidSkeneFit, annotations: Annotations) -> Floats:
    known = {name: j for j, name in enumerate(fitted.annotators)}
    code = {name: k for k, name in enumerate(fitted.categories)}
    for what, names, codes in (
        ("annotator", annotations.annotators, known),
        ("category", annotations.categories, code),
    ):
        unknown = [name for name in names if name not in codes]
        if unknown:
            raise AnnotationError(
                f"DawidSkeneFit.predict: {what} {unknown[0]!r} is unknown to the fit. Leave it "
                "out, or fit these labels as well."
            )
    annotator = np.array([known[name] for name in annotations.annotators], dtype=np.int32)
    category = np.array([code[name] for name in annotations.categories], dtype=np.int32)
    k = len(fitted.categories)
    width = width_of(k)
    used = annotator[np.unique(annotations.annotator)]
    bare = used[np.isnan(fitted.confusion[used]).all(axis=(1, 2))]
    if bare.size:
        raise AnnotationError(
            f"DawidSkeneFit.predict: annotator {fitted.annotators[bare[0]]!r} had no labels in the "
            "unsmoothed fit, hence no matrix. Fit with smoothing, or leave the annotator out."
        )
    table = np.zeros((len(fitted.annotators), k, width))
    # A row without items belongs to a category that the annotator never met.
    table[:, :, :k] = np.nan_to_num(fitted.confusion.swapaxes(1, 2), nan=1 / k)
    prevalence = np.zeros(width)
    prevalence[:k] = fitted.prevalence
    offsets = annotations.by_item.offsets.copy()
    owner, label = annotator[annotations.annotator], category[annotations.label]
    cells = cells_of(owner, label, k)[annotations.by_item.order]
    posterior = np.empty((annotations.n_items, k))
    counts, mass = np.zeros(table.size), np.zeros(width)

    def expect(first: int, last: int) -> float:
        log_likelihood, _ = kernels.sweep(
            first,
            last,
            offsets,
            cells,
            NO_GOLD,
            NO_WEIGHT,
            prevalence,
            table.ravel(),
            posterior,
            counts,
            mass,
        )
        return float(log_likelihood)

    if expect(0, annotations.n_items) == -np.inf:
        for i in range(annotations.n_items):
            if expect(i, i + 1) == -np.inf:
                posterior[i] = np.nan
    impossible = np.isnan(posterior[:, 0])
    if impossible.any():
        warnings.warn(
            f"DawidSkeneFit.predict: {int(impossible.sum())} item(s) have probability 0 and are "
            f"NaN, the first {annotations.items[int(impossible.argmax())]!r}. Fit with smoothing.",
            DegenerateWarning,
            stacklevel=3,
        )
    return posterior
