"""Standard errors, bootstrap and checks for fits of the model of Dawid and Skene.

Standard errors come from the curvature of the log likelihood with the categories summed out. Those
computed from the counts of the M-step would be too small, as they treat the categories as known.
For estimates at a boundary, 0 or 1, this approximation does not exist; use the bootstrap over
items. Both are conditional on the optimum found.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import linalg, sparse

from annobench.core.compiled import default_threads
from annobench.core.errors import AnnotationError, DegenerateWarning
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.base import central_interval
from annobench.models.dawid_skene.em import Floats, Problem, State, confusion_of
from annobench.models.dawid_skene.model import DawidSkeneFit
from annobench.models.dawid_skene.optima import best_order
from annobench.models.dawid_skene.samples import LANES, distinct_items, fit_samples
from annobench.models.dawid_skene.starts import first_values, votes_start
from annobench.models.kernels import dawid_skene as kernels
from annobench.resampling.weights import draw_counts

__all__ = ["Bootstrap", "StandardErrors", "bootstrap", "predictive_check", "standard_errors"]

#: Fewer expected labels than this in a cell of a confusion matrix, and it is at the boundary.
_BOUNDARY = 0.01
#: Posterior probabilities below this add nothing to the information.
_NEGLIGIBLE = 1e-12
#: The part of the votes in the start of a replicate: what is zero in the fit may come back.
_VOTES = 0.01
#: How far a parameter of a replicate may be from its limit, which no percentile shows.
_TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class StandardErrors(Summarised):
    """Asymptotic standard errors.

    Attributes
    ----------
    prevalence : ndarray, shape (K,)
        NaN at a boundary.
    confusion : ndarray, shape (J, K, K)
        NaN at a boundary; equal for annotators who share a matrix.
    n_boundary : int
        Number of entries of the prevalence and of distinct matrices at a boundary.
    """

    prevalence: Floats
    confusion: Floats
    n_boundary: int

    def summary(self) -> pd.DataFrame:
        """Return the standard errors of the prevalence.

        Returns
        -------
        DataFrame
            One row per category: prevalence; the index is the category's code.
        """
        index = pd.RangeIndex(self.prevalence.size, name="category")
        return pd.DataFrame({"prevalence": self.prevalence}, index)

    def _headline(self) -> str:
        # The maximum of pandas leaves out NaN, and does not warn where there is nothing else.
        prevalence, confusion = (
            pd.Series(part.ravel()).max() for part in (self.prevalence, self.confusion)
        )
        return (
            f"at most {prevalence:.4g} for the prevalence and {confusion:.4g} for the confusion "
            f"matrices, {self.n_boundary:,} estimates at a boundary"
        )


def standard_errors(
    annotations: Annotations, fitted: DawidSkeneFit, *, memory_limit: int = 2**30
) -> StandardErrors:
    """Compute standard errors from the observed information.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    fitted : DawidSkeneFit
        A converged fit. For a smoothed fit the curvature of the log posterior is used.
    memory_limit : int, default 2**30
        Maximum size in bytes of the information matrix, of order K + G K^2.

    Returns
    -------
    StandardErrors
        Standard errors of the prevalence and the confusion matrices.

    Raises
    ------
    AnnotationError
        If the labels are not those of the fit, or the memory limit is too low.

    Warns
    -----
    DegenerateWarning
        If estimates are at a boundary, with fewer than 0.01 expected labels or items: they are NaN,
        and held fixed for the others. If the information is singular: all are NaN.

    Notes
    -----
    The observed information of an item is the posterior expectation of the complete-data
    information minus the variance of the complete-data score (Louis 1982, eq. 3.1). It is
    restricted to directions in which rows sum to 1 and tied entries stay equal. Time and memory
    grow with the square and cube of the number of parameters.

    References
    ----------
    Louis (1982), Journal of the Royal Statistical Society B 44, 226-233.
    """
    annotations = as_annotations(annotations, "standard_errors")
    problem, state = _at_fit(annotations, fitted)
    g, k = problem.settings.n_groups, problem.n_categories
    size = k + g * k * k
    need = 6 * 8 * size * size  # two sparse products, their difference, its dense form
    if need > memory_limit:
        raise AnnotationError(
            f"standard_errors: the information of {size:,} parameters needs {need / 2**20:,.0f} "
            f"MiB, and memory_limit is {memory_limit / 2**20:,.0f} MiB. Raise the limit, or use "
            "bootstrap."
        )
    # Entries by [g, k, l], after those of prevalence.
    probability = np.concatenate(
        [state.prevalence[:k], state.table[:, :, :k].swapaxes(1, 2).ravel()]
    )
    count = np.concatenate([state.mass[:k], state.counts[:, :, :k].swapaxes(1, 2).ravel()])
    prior = np.concatenate(
        [problem.settings.prevalence_smoothing, problem.settings.smoothing.ravel()]
    )
    directions, boundary = _directions(problem, count)
    information = _information(annotations, problem, state, probability)
    inside = probability > 0
    information[inside, inside] += prior[inside] / probability[inside] ** 2
    restricted = np.asarray(directions.T @ (directions.T @ information).T)
    errors = np.full(size, np.nan)
    try:
        factor = linalg.cho_factor(restricted)
    except linalg.LinAlgError:
        warnings.warn(
            "standard_errors: the information is singular, so all are NaN: the labels do not "
            "identify all parameters. Tie or smooth them, or use bootstrap.",
            DegenerateWarning,
            stacklevel=2,
        )
    else:
        solved = linalg.cho_solve(factor, directions.T.toarray())
        variance = np.asarray(directions.multiply(solved.T).sum(axis=1)).ravel()
        errors = np.where(boundary, np.nan, np.sqrt(np.maximum(variance, 0)))
    if boundary.any():
        warnings.warn(
            f"standard_errors: {int(boundary.sum())} of {size} estimates are at a boundary; they "
            "are NaN, and held fixed for the others. Use bootstrap.",
            DegenerateWarning,
            stacklevel=2,
        )
    matrices = errors[k:].reshape(g, k, k)
    return StandardErrors(errors[:k], matrices[problem.settings.group], int(boundary.sum()))


def _at_fit(annotations: Annotations, fitted: DawidSkeneFit) -> tuple[Problem, State]:
    """Return the problem and the state at the fit's parameters, with expected counts."""
    for what in ("items", "annotators", "categories"):
        if getattr(annotations, what) != getattr(fitted, what):
            raise AnnotationError(
                f"dawid_skene: the {what} of the labels are not those of the fit. Give the labels "
                "that were fitted."
            )
    problem = Problem.of(annotations, replace(fitted.settings, threads=1))
    state = problem.begin(*first_values(annotations, fitted.parameters))
    problem.expect(state)
    return problem, state


def _information(
    annotations: Annotations, problem: Problem, state: State, probability: Floats
) -> Floats:
    """Return the negative Hessian of the log likelihood, without the constraints on rows."""
    k, gold = problem.n_categories, problem.settings.gold
    items, group = annotations.item, problem.settings.group[annotations.annotator]
    counted = np.bincount(items, minlength=annotations.n_items) > 0
    if gold.size:
        counted |= gold >= 0
    # The complete data's score for category c of item i, one row per item and category.
    rows, columns = [], []
    for c in range(k):
        likely = state.posterior[:, c] > _NEGLIGIBLE
        some = np.flatnonzero(counted & likely)
        labels = likely[items]
        rows += [some * k + c, items[labels].astype(np.int64) * k + c]
        columns += [
            np.full(some.size, c),
            k + (group[labels] * k + c) * k + annotations.label[labels],
        ]
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (annotations.n_items * k, probability.size)
    score = sparse.csr_array((1 / probability[column], (row, column)), shape=shape)
    share = sparse.diags_array(np.sqrt(state.posterior.ravel()))
    spread = share @ score
    item_of = sparse.csr_array(
        (
            state.posterior.ravel(),
            (np.arange(shape[0]) // k, np.arange(shape[0])),
        ),
        shape=(annotations.n_items, shape[0]),
    )
    mean = sparse.csr_array(item_of @ score)
    information = np.asarray((mean.T @ mean - spread.T @ spread).todense())
    weight = state.posterior.ravel()[row] / probability[column] ** 2
    information[np.diag_indices(probability.size)] += np.bincount(
        column, weight, minlength=probability.size
    )
    return information


def _directions(problem: Problem, count: Floats) -> tuple[sparse.csr_array, NDArray[np.bool_]]:
    """Return the free directions, one per column, and the entries at a boundary."""
    k, tie = problem.n_categories, problem.settings.tie
    columns: list[list[tuple[int, float]]] = []
    boundary = np.zeros(count.size, dtype=bool)
    blocks = [np.arange(k)]
    if tie == "none":
        blocks += list(np.arange(k, count.size).reshape(-1, k))
    for block in blocks:
        inside = block[count[block] >= _BOUNDARY]
        if inside.size > 1:
            columns += [[(int(e), 1.0), (int(inside[-1]), -1.0)] for e in inside[:-1]]
            boundary[np.setdiff1d(block, inside)] = True
        elif k > 1:
            boundary[block] = True
    if tie != "none" and k > 1:
        for matrix in np.arange(k, count.size).reshape(-1, k, k):
            for rows in matrix[:, None] if tie == "category" else [matrix]:
                first = int((rows[0, 0] - matrix[0, 0]) // k)
                right = np.array([row[first + r] for r, row in enumerate(rows)])
                wrong = np.setdiff1d(rows, right)
                if min(count[right].sum(), count[wrong].sum()) < _BOUNDARY:
                    boundary[rows] = True
                    continue
                columns.append(
                    [(int(e), 1.0) for e in right] + [(int(e), -1 / (k - 1)) for e in wrong]
                )
    entries = [(e, n, value) for n, column in enumerate(columns) for e, value in column]
    row, number, value = zip(*entries, strict=True) if entries else ((), (), ())
    directions = sparse.csr_array(
        (np.array(value, dtype=float), (np.array(row, dtype=int), np.array(number, dtype=int))),
        shape=(count.size, len(columns)),
    )
    return directions, boundary


@dataclass(frozen=True, eq=False)
class Bootstrap(Summarised):
    """Refits to bootstrap samples of the items.

    Attributes
    ----------
    fitted : DawidSkeneFit
        The original fit.
    prevalence : ndarray, shape (B, K)
        Prevalence of each replicate.
    confusion : ndarray, shape (B, J, K, K)
        NaN where a row is undefined.
    posterior : ndarray of float32, shape (B, I, K), or None
        Posterior of all items under each replicate's parameters.
    n_switched : int
        Number of replicates with label switching. If there are any, intervals mix two solutions.
    n_unconverged : int
        Number of replicates that stopped at the maximum number of iterations.
    """

    fitted: DawidSkeneFit
    prevalence: Floats
    confusion: Floats
    posterior: NDArray[np.float32] | None
    n_switched: int
    n_unconverged: int

    def summary(self, *, level: float = 0.95) -> pd.DataFrame:
        """Return the prevalence with intervals.

        Parameters
        ----------
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        DataFrame
            By category: `prevalence` of the fit, and the limits of its interval.
        """
        return self.fitted.prevalence_frame(self, level=level).set_index("category")

    def _headline(self) -> str:
        return (
            f"{len(self.prevalence):,} replicates, {self.n_switched:,} with switched classes, "
            f"{self.n_unconverged:,} not converged"
        )

    def interval(
        self, parameter: Literal["prevalence", "confusion", "posterior"], level: float = 0.95
    ) -> Floats:
        """Return percentile intervals.

        Parameters
        ----------
        parameter : {"prevalence", "confusion", "posterior"}
            Name of the parameter.
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        ndarray, shape (2, ...)
            Lower and upper limits; NaN where no replicate has a value, or the fit's estimate is
            outside.

        Raises
        ------
        ValueError
            If the level is out of range, or posteriors were not stored.

        Warns
        -----
        DegenerateWarning
            If estimates lie outside the quantiles of their replicates, as when labels hardly
            identify the parameters. These intervals are NaN.
        """
        if not 0 < level < 1:
            raise ValueError(f"interval: level must be between 0 and 1, got {level}.")
        draws = {
            "prevalence": self.prevalence,
            "confusion": self.confusion,
            "posterior": self.posterior,
        }.get(parameter)
        if draws is None:
            raise ValueError(
                f"interval: there are no replicates of {parameter!r}. Give prevalence, confusion, "
                "or posterior after bootstrap(..., posteriors=True)."
            )
        ends, outside = central_interval(draws, getattr(self.fitted, parameter), level)
        if outside.any():
            warnings.warn(
                f"Bootstrap.interval: {int(outside.sum())} of {outside.size} estimates of "
                f"{parameter} lie outside the middle {level:.4g} of their replicates, and have no "
                "interval (NaN): the labels hardly determine them. Tie or smooth parameters, or "
                "get more labels.",
                DegenerateWarning,
                stacklevel=2,
            )
        return ends


def bootstrap(
    annotations: Annotations,
    fitted: DawidSkeneFit,
    *,
    rng: np.random.Generator | int | None = None,
    replicates: int = 200,
    posteriors: bool = False,
    threads: int | None = None,
    memory_limit: int = 2**30,
) -> Bootstrap:
    """Refit the model to items drawn with replacement.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted; they are weighted, not copied.
    fitted : DawidSkeneFit
        The fit, with its settings, from which replicates start.
    rng : numpy.random.Generator or int, optional
        Draws the weights.
    replicates : int, default 200
        B.
    posteriors : bool, default False
        Whether to store the posteriors of all items.
    threads : int, optional
        Number of threads; by default numba's, NUMBA_NUM_THREADS. Results do not depend on it.
    memory_limit : int, default 2**30
        Maximum size of the result in bytes.

    Returns
    -------
    Bootstrap
        Replicates of prevalence, confusion matrices and, if requested, posteriors.

    Raises
    ------
    AnnotationError
        If the labels are not those of the fit, or the memory limit is too low.
    ValueError
        If there is less than one replicate.

    Notes
    -----
    Items without labels are not drawn. A replicate starts from the fit's posterior mixed with one
    per cent of the votes, so that it finds the optimum corresponding to the fit's, and zero
    probabilities may become positive.
    """
    annotations = as_annotations(annotations, "bootstrap")
    rng = np.random.default_rng(rng)
    if replicates < 1:
        raise ValueError(f"bootstrap: replicates must be at least 1, got {replicates}.")
    n_items, j, k = annotations.n_items, annotations.n_annotators, annotations.n_categories
    need = replicates * (8 * (k + j * k * k) + 4 * n_items * k * posteriors)
    if need > memory_limit:
        raise AnnotationError(
            f"bootstrap: {replicates} replicates need {need / 2**20:,.0f} MiB, and memory_limit is "
            f"{memory_limit / 2**20:,.0f} MiB. Raise the limit, ask for fewer replicates, or set "
            "posteriors=False."
        )
    problem, at_fit = _at_fit(annotations, fitted)
    is_drawn = np.diff(problem.offsets) > 0
    if problem.settings.gold.size:
        is_drawn |= problem.settings.gold >= 0
    drawn = np.flatnonzero(is_drawn)
    start = problem.begin((1 - _VOTES) * fitted.posterior + _VOTES * votes_start(annotations), None)
    distinct, which = distinct_items(problem)
    tolerance = max(problem.settings.tolerance, _TOLERANCE) if problem.settings.tolerance else 0.0
    distinct = replace(distinct, settings=replace(distinct.settings, tolerance=tolerance))
    which = which[drawn]

    def draw(generators: Sequence[np.random.Generator]) -> Iterator[Floats]:
        for generator in generators:
            for counts in draw_counts(drawn.size, LANES, generator):
                weight = np.bincount(which, counts, distinct.offsets.size - 1)
                yield weight.astype(np.float64, copy=False)

    prevalence = np.empty((replicates, k))
    confusion = np.empty((replicates, j, k, k))
    posterior = np.empty((replicates, n_items, k), dtype=np.float32) if posteriors else None
    is_switched, converged = np.zeros((2, replicates), dtype=bool)
    batches = rng.spawn(-(-replicates // LANES))
    threads = min(threads or default_threads(), len(batches))
    ends = [len(batches) * n // threads for n in range(threads + 1)]

    def run(part: tuple[int, int]) -> None:
        weights = itertools.islice(draw(batches[slice(*part)]), replicates - LANES * part[0])
        for number, state in fit_samples(distinct, start, weights):
            b = LANES * part[0] + number
            prevalence[b], confusion[b] = state.prevalence[:k], confusion_of(problem, state)
            is_switched[b], converged[b] = _is_switched(at_fit, state, k), state.converged
            if posterior is not None:
                state.posterior = np.empty((n_items, k))
                problem.expect(state)
                posterior[b] = state.posterior

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, itertools.pairwise(ends)))  # raises what a thread raised
    n_switched, n_unconverged = int(is_switched.sum()), int((~converged).sum())
    return Bootstrap(fitted, prevalence, confusion, posterior, n_switched, n_unconverged)


def _is_switched(fitted: State, sample: State, k: int) -> bool:
    """Return whether a permutation of a sample's classes explains the fit's counts better."""
    logs = np.log(np.maximum(sample.table[:, :, :k], _NEGLIGIBLE))
    explained = np.einsum("gln,glm->nm", fitted.counts[:, :, :k], logs)
    order = best_order(explained, float(fitted.counts.sum()))
    return bool((order != np.arange(k)).any())


def predictive_check(
    annotations: Annotations,
    fitted: DawidSkeneFit,
    *,
    rng: np.random.Generator | int | None = None,
    replicates: int = 200,
) -> pd.DataFrame:
    """Compare the labels with labels simulated from the fitted model.

    Each replicate draws a category for each item from the prevalence (known ones are fixed), and a
    label for each annotator of the item. If the model's assumptions fail, simulated labels agree
    more or less than the real ones: if some items are harder than others of their category, too few
    simulated items are unanimous, and too few are split.

    Parameters
    ----------
    annotations : Annotations
        The labels that were fitted.
    fitted : DawidSkeneFit
        The fit, whose parameters are treated as known.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.
    replicates : int, default 200
        B.

    Returns
    -------
    DataFrame
        Index `statistic`: "pairwise agreement" of labels within items, "unanimous items" and
        "largest share, standard deviation" over items with two or more labels, and the share of
        each label. Columns: `observed`; `mean`, `standard_deviation` of the replicates; `p_value`,
        two-sided.

    Raises
    ------
    AnnotationError
        If the labels are not those of the fit.
    ValueError
        If there is less than one replicate.
    """
    annotations = as_annotations(annotations, "predictive_check")
    rng = np.random.default_rng(rng)
    if replicates < 1:
        raise ValueError(f"predictive_check: replicates must be at least 1, got {replicates}.")
    problem, state = _at_fit(annotations, fitted)
    observed = _statistics(annotations.counts.astype(np.float64))
    drawn = np.array(
        [
            _statistics(
                kernels.simulate_counts(
                    rng,
                    problem.offsets,
                    problem.cells,
                    problem.settings.gold,
                    state.prevalence,
                    state.table.ravel(),
                    problem.n_categories,
                )
            )
            for _ in range(replicates)
        ]
    )
    above = (1 + (drawn >= observed).sum(axis=0)) / (1 + replicates)
    below = (1 + (drawn <= observed).sum(axis=0)) / (1 + replicates)
    names = ["pairwise agreement", "unanimous items", "largest share, standard deviation"]
    names += [f"label {name}" for name in annotations.categories]
    p_value = np.minimum(1, 2 * np.minimum(above, below))
    return pd.DataFrame(
        {
            "observed": observed,
            "mean": drawn.mean(axis=0),
            "standard_deviation": drawn.std(axis=0),
            "p_value": np.where(np.isnan(observed), np.nan, p_value),
        },
        index=pd.Index(names, name="statistic"),
    )


def _statistics(counts: Floats) -> Floats:
    total = counts.sum(axis=1)
    several = total > 1
    some, size = counts[several], total[several]
    agreement = unanimous = spread = np.nan
    if size.size:
        agreement = (some * (some - 1)).sum() / (size * (size - 1)).sum()
        largest = some.max(axis=1) / size
        unanimous, spread = (largest == 1).mean(), largest.std()
    return np.array([agreement, unanimous, spread, *(counts.sum(axis=0) / total.sum())])
