"""From labels to one category for each item, with certainty, and what each annotator is worth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import models, plotting
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.evaluation import information
from annobench.labels.annotations import Annotations
from annobench.models.base import Fit, Method, best_categories, central_interval

Floats = NDArray[np.float64]

#: Random starts beside the votes, by which other optima are looked for.
_RANDOM_STARTS = 8

#: Of a sampler's draws of confusion matrices each fifth is kept.
_THIN = 5


@dataclass(frozen=True, eq=False)
class Consensus:
    """What a model makes of labels, as tables.

    Attributes
    ----------
    model : str
        Name of the model.
    fitted : Fit
        The model's own fit.
    items : DataFrame
        One row an item: `item`, `category` (the most probable, of equals the first), `probability`,
        `n_labels`, `tied_vote`, and for each category ``probability_<name>`` and
        ``votes_<name>``.
    annotators : DataFrame
        One row an annotator: `annotator`, `n_labels`, and where the model says so `accuracy` (the
        probability of being right on an item of the population) and `bits` (the mutual information
        of one label), each with ``_lower95`` and ``_upper95`` where there are draws; NaN of
        annotators who share no item with others.
    confusion : DataFrame
        One row an annotator, true category and label: `annotator`, `category`, `label`,
        `probability`, `lower95`, `upper95`; empty if the model has no such matrices.
    prevalence : DataFrame
        One row a category: `category`, `prevalence`, `lower95`, `upper95`.
    remarks : tuple of str
        What a reader should know before using the tables.

    Notes
    -----
    Each interval is of the estimate beside it and holds it: quantiles of the bootstrap about the
    fit, of draws about their mean. Where the estimate is outside, both ends are NaN, and a remark
    says so.
    """

    model: str
    fitted: Fit
    items: pd.DataFrame
    annotators: pd.DataFrame
    confusion: pd.DataFrame
    prevalence: pd.DataFrame
    remarks: tuple[str, ...]


def consensus(
    annotations: Annotations,
    *,
    model: str = "dawid_skene",
    rng: np.random.Generator,
    replicates: int = 200,
) -> Consensus:
    """Fit a model and lay out what it says of items, annotators and categories.

    Parameters
    ----------
    annotations : Annotations
        The labels, nominal or ordinal.
    model : str, default "dawid_skene"
        The name of a model that `annobench.models.discover` finds.
    rng : numpy.random.Generator
        For random starts, samplers and the bootstrap.
    replicates : int, default 200
        Bootstrap samples of items for the intervals of Dawid and Skene's model; 0 for no
        intervals. Samplers have intervals from their draws.

    Returns
    -------
    Consensus
        Tables of items, annotators, confusion matrices and prevalence.

    Raises
    ------
    AnnotationError
        If there is no such model, or it can't take the labels.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), list("110000"))
    >>> found = consensus(a, model="voting", rng=np.random.default_rng(1))
    >>> found.items[["item", "category", "n_labels"]].values.tolist()
    [['x', '1', 3], ['y', '0', 3]]
    """
    known = models.discover()
    if model not in known:
        raise AnnotationError(
            f"consensus: there is no model {model!r}. Name one of {', '.join(sorted(known))}."
        )
    module = known[model]
    options: dict[str, Any] = {} if module.METHOD.deterministic else {"rng": rng}
    sampled = "draws" in module.METHOD.returns
    if sampled and "confusion" in module.METHOD.returns:
        # Prevalence and confusion matrices of the same draws.
        options["thin"] = _THIN
    fitted = module.fit(annotations, **options)
    remarks = _design_remarks(annotations, module.METHOD)
    if not getattr(fitted, "converged", True):
        remarks.append("The fit stopped before it converged.")
    draws = None
    if model == "dawid_skene":
        remarks += _other_optima(annotations, fitted, rng)
        draws, said = _bootstrap(annotations, fitted, rng, replicates)
        remarks += said
    elif sampled:
        draws = _sampled(fitted.draws)
    alone = _alone(annotations) if module.METHOD.compares else np.zeros(0, dtype=np.int64)
    intervals = _Intervals(draws)
    found = Consensus(
        model=model,
        fitted=fitted,
        items=_items(annotations, fitted),
        annotators=_annotators(annotations, fitted, intervals, alone, sampled=sampled),
        confusion=_confusion(fitted, intervals, alone),
        prevalence=_prevalence(fitted, intervals),
        remarks=tuple(remarks),
    )
    return replace(found, remarks=(*remarks, *intervals.remarks()))


def write(found: Consensus, folder: Path) -> list[str]:
    """Write the tables of a consensus as CSV, and a picture of items and annotators.

    Parameters
    ----------
    found : Consensus
        What to write.
    folder : Path
        Made if need be. Each file is written whole or not at all.

    Returns
    -------
    list of str
        Names of the files.
    """
    written = []
    for name in ("items", "annotators", "confusion", "prevalence"):
        table = getattr(found, name)
        if len(table):
            written.append(f"{name}.csv")
            with replacing(folder / written[-1]) as draft:
                table.to_csv(draft, index=False, lineterminator="\n")
    with plotting.house_figure(2) as (figure, (left, right)):
        plotting.certainty(left, found.items["probability"])
        plotting.annotators_by_size(right, found.annotators)
        plotting.save_figure(figure, folder / "consensus")
    return [*written, "consensus.svg", "consensus.png"]


def _sampled(draws: Any) -> tuple[Floats, Floats]:
    """Return draws of prevalence, shape (S, K), and of confusion matrices, (S, J, K, K)."""
    prevalence = _flat(draws.prevalence[:, ::_THIN])
    if hasattr(draws, "confusion"):
        return prevalence, _flat(draws.confusion)
    # Of two categories a rate is a row.
    specificity, sensitivity = (
        _flat(rate[:, ::_THIN]) for rate in (draws.specificity, draws.sensitivity)
    )
    rows = _with_rest(1 - specificity), _with_rest(sensitivity)
    return _with_rest(prevalence), np.stack(rows, axis=2)


def _with_rest(second: Floats) -> Floats:
    """Put the probability of the first of two categories before that of the second."""
    return np.stack([1 - second, second], axis=-1)


def _flat(draws: NDArray[Any]) -> Floats:
    """Put the draws of all chains in a row."""
    return np.asarray(draws, dtype=np.float64).reshape(-1, *draws.shape[2:])


def _other_optima(annotations: Annotations, fitted: Any, rng: np.random.Generator) -> list[str]:
    """Say if random starts find a better optimum than the votes did."""
    from annobench.models.dawid_skene import optima

    found = optima.restarts(annotations, rng=rng, n_random=_RANDOM_STARTS)
    best = found.fits[0]
    moved = int((best.posterior.argmax(axis=1) != fitted.posterior.argmax(axis=1)).sum())
    if best.log_posterior <= fitted.log_posterior or not moved:
        return []
    return [
        f"EM has more than one optimum here: another one has a log posterior higher by "
        f"{best.log_posterior - fitted.log_posterior:.3g} and gives {moved:,} of "
        f"{annotations.n_items:,} items another category. Shown is the one reached from the "
        "votes, whose classes keep their names."
    ]


def _bootstrap(
    annotations: Annotations, fitted: Any, rng: np.random.Generator, replicates: int
) -> tuple[tuple[Floats, Floats] | None, list[str]]:
    from annobench.models.dawid_skene import uncertainty

    if not replicates:
        return None, []
    labelled = annotations.counts.any(axis=1)
    if labelled.sum() < 2:
        return None, ["There are no intervals: one item can't be resampled."]
    try:
        found = uncertainty.bootstrap(annotations, fitted, rng=rng, replicates=replicates)
    except AnnotationError as error:
        return None, [f"There are no intervals. {error}"]
    remarks = []
    if annotations.n_categories > 1 and not annotations.is_disputed.any():
        remarks.append(
            "No item has two different labels. The bootstrap has no disagreement to draw, and its "
            "intervals are too narrow."
        )
    if found.n_switched:
        remarks.append(
            f"In {found.n_switched} of {replicates} bootstrap samples classes changed their "
            "meaning: the intervals mix two solutions."
        )
    return (found.prevalence, found.confusion), remarks


@dataclass(eq=False)
class _Intervals:
    """Intervals of 95% from draws of prevalence and matrices, and how many there are not."""

    draws: tuple[Floats, Floats] | None
    missed: dict[str, tuple[int, int]] = field(default_factory=dict)

    def of(self, estimate: Floats, draws: Floats | None, name: str) -> Floats:
        """Return lower and upper ends about an estimate, NaN where there are none."""
        if draws is None:
            return np.full((2, *estimate.shape), np.nan)
        ends, outside = central_interval(draws, estimate)
        if outside.any():
            self.missed[name] = int(outside.sum()), outside.size
        return ends

    def remarks(self) -> list[str]:
        """Say which intervals were left out."""
        if not self.missed:
            return []
        listed = ", ".join(f"{n} of {total} of {name}" for name, (n, total) in self.missed.items())
        return [
            f"Without interval: {listed}. Nearly all draws lie to one side of these estimates, so "
            "that the labels hardly tell them."
        ]


def _alone(annotations: Annotations) -> NDArray[np.int64]:
    """Return the codes of annotators who have labels, but on no item that another labelled."""
    a = annotations
    has_labels = np.bincount(a.annotator, minlength=a.n_annotators) > 0
    compared = np.bincount(a.annotator, a.is_shared[a.item], minlength=a.n_annotators) > 0
    return np.flatnonzero(has_labels & ~compared)


def _design_remarks(annotations: Annotations, method: Method) -> list[str]:
    """Say what the design of the labels, whatever they are, leaves open."""
    if not method.compares:
        return []
    remarks = []
    alone = _alone(annotations)
    if alone.size:
        names = ", ".join(repr(annotations.annotators[j]) for j in alone[:5])
        more = f" and {alone.size - 5:,} more" if alone.size > 5 else ""
        remarks.append(
            f"No item of {names}{more} has a label of anybody else, so that nothing tells how good "
            "they are: their accuracy is left out."
        )
    if np.unique(annotations.annotator).size - alone.size == 2:
        remarks.append(
            "Only two annotators share items: where they disagree, nothing but the model's start, "
            "smoothing or priors says who errs. A third annotator would tell."
        )
    return remarks


def _items(annotations: Annotations, fitted: Fit) -> pd.DataFrame:
    votes = annotations.counts
    best = fitted.posterior.argmax(axis=1)
    table = {
        "item": np.asarray(annotations.items, dtype=object),
        "category": np.asarray(fitted.categories, dtype=object)[best],
        "probability": fitted.posterior[np.arange(best.size), best],
        "n_labels": votes.sum(axis=1),
        "tied_vote": (best_categories(votes.astype(np.float64)).sum(axis=1) > 1)
        & votes.any(axis=1),
    }
    for code, name in enumerate(fitted.categories):
        table[f"probability_{name}"] = fitted.posterior[:, code]
        table[f"votes_{name}"] = votes[:, code]
    return pd.DataFrame(table)


def _annotators(
    annotations: Annotations,
    fitted: Any,
    intervals: _Intervals,
    alone: NDArray[np.int64],
    *,
    sampled: bool,
) -> pd.DataFrame:
    table: dict[str, Any] = {
        "annotator": np.asarray(annotations.annotators, dtype=object),
        "n_labels": np.diff(annotations.by_annotator.offsets),
    }
    confusion = getattr(fitted, "confusion", None)
    prevalence = getattr(fitted, "prevalence", None)
    if confusion is None or prevalence is None:
        for name in ("accuracy", "ability", "sensitivity", "specificity"):
            if hasattr(fitted, name):
                table[name] = _without(getattr(fitted, name), alone)
        return pd.DataFrame(table)
    for name, measure in (("accuracy", _accuracy), ("bits", _bits)):
        if intervals.draws is None:
            table[name] = _without(measure(prevalence, confusion), alone)
            continue
        values = np.array([measure(*pair) for pair in zip(*intervals.draws, strict=True)])
        # Of a posterior the mean of the measure, not the measure of the mean: bits of a mean
        # matrix are fewer than those of the matrices.
        estimate = values.mean(axis=0) if sampled else measure(prevalence, confusion)
        table[name] = _without(estimate, alone)
        lower, upper = intervals.of(table[name], values, name)
        table[f"{name}_lower95"], table[f"{name}_upper95"] = lower, upper
    return pd.DataFrame(table)


def _without(values: Floats, alone: NDArray[np.int64]) -> Floats:
    """Leave out what a model says of annotators whom nothing compares with others."""
    kept = np.array(values, dtype=np.float64)
    kept[alone] = np.nan
    return kept


def _accuracy(prevalence: Floats, confusion: Floats) -> Floats:
    return np.asarray(np.einsum("k,jkk->j", prevalence, confusion))


def _bits(prevalence: Floats, confusion: Floats) -> Floats:
    defined = np.isfinite(confusion).all(axis=(1, 2))
    bits = np.full(len(confusion), np.nan)
    bits[defined] = information.mutual_information(prevalence, confusion[defined])
    return bits


def _confusion(fitted: Any, intervals: _Intervals, alone: NDArray[np.int64]) -> pd.DataFrame:
    columns = ["annotator", "category", "label"]
    if not hasattr(fitted, "confusion"):
        return pd.DataFrame(columns=[*columns, "probability", "lower95", "upper95"])
    index = pd.MultiIndex.from_product(
        [fitted.annotators, fitted.categories, fitted.categories], names=columns
    )
    estimate = _without(fitted.confusion, alone)
    draws = None if intervals.draws is None else intervals.draws[1]
    lower, upper = intervals.of(estimate, draws, "the confusion matrices")
    return pd.DataFrame(
        {
            "probability": estimate.ravel(),
            "lower95": lower.ravel(),
            "upper95": upper.ravel(),
        },
        index=index,
    ).reset_index()


def _prevalence(fitted: Any, intervals: _Intervals) -> pd.DataFrame:
    prevalence = getattr(fitted, "prevalence", None)
    if prevalence is None:
        prevalence = fitted.posterior.mean(axis=0)
    draws = None if intervals.draws is None else intervals.draws[0]
    lower, upper = intervals.of(prevalence, draws, "the prevalence")
    return pd.DataFrame(
        {
            "category": fitted.categories,
            "prevalence": prevalence,
            "lower95": lower,
            "upper95": upper,
        }
    )
