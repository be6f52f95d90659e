"""Consensus: each item's category with its probability, and each annotator's accuracy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import agreement, models, plotting
from annobench.aggregation._sets import CategorySets, category_sets
from annobench.aggregation._tables import (
    annotators_table,
    doubtful_labels_table,
    items_table,
)
from annobench.aggregation.gold import GoldCheck, fit_with_gold
from annobench.aggregation.partitioned import PartitionedConsensus, consensus_partitions
from annobench.aggregation.predictions import AddedValue, added_value
from annobench.core.choices import DEFAULT_MODEL
from annobench.core.errors import AnnotationError, ConvergenceWarning
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.models._guard import alone, guard
from annobench.models.base import (
    ConfusionFit,
    Fit,
    Method,
    SampledFit,
    SupportsDraws,
)
from annobench.models.pool import PoolFit
from annobench.scale._sources import BlockSource, Engine, blocks_of, in_memory
from annobench.scale._workers import Scheduler

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CERTAIN", "ENDS", "TABLES", "Consensus", "consensus", "draw"]

Floats = NDArray[np.float64]

#: The tables of a consensus.
_OF_MODEL = (
    *("items", "annotators", "confusion", "prevalence"),
    *("doubtful_labels", "convergence"),
)
TABLES = (*_OF_MODEL, "gold", "gold_strata", "to_label", "calibration", "predictions")
#: What `draw` writes.
PICTURES = ("consensus.svg", "consensus.png")

#: Columns of the ends of intervals.
ENDS = ["lower95", "upper95"]

#: From which probability of its category on an item counts as certain.
CERTAIN = 0.99

#: Probabilities of confusion matrices, beyond which they fill the memory.
MAX_CONFUSION = 5_000_000

#: Items with labels of two annotators, below which little is known of these.
FEW_SHARED = 10


@dataclass(frozen=True, eq=False)
class Consensus(Summarised):
    """A consensus by a model, as tables.

    Attributes
    ----------
    model : str
        Name of the model.
    fitted : Fit
        The model's own fit.
    items : DataFrame
        One row per item: `item`, `category` (the most probable; the first if tied), `probability`,
        `n_labels`, `tied_vote`, `overruled` (whether the category differs from the item's most
        frequent label), and for each category ``probability_<name>`` and ``votes_<name>``.
    annotators : DataFrame
        One row per annotator: `annotator`, `n_labels`, and, if the model has them, `accuracy` (the
        probability of being right on an item of the population), `bits` (the mutual information of
        one label) and others, each with ``_lower95`` and ``_upper95`` if there are draws; NaN for
        annotators who share no item with others.
    confusion : DataFrame
        One row per annotator, true category and label: `annotator`, `category`, `label`,
        `probability`, `lower95`, `upper95`; empty if the model has no such matrices.
    prevalence : DataFrame
        One row per category: `category`, `prevalence`, `lower95`, `upper95`.
    doubtful_labels : DataFrame
        One row per label whose category has a probability below .5, the least probable first, at
        most 10,000: `item`, `annotator`, `label`, its `probability`, the item's `category` and
        `category_probability`; empty if annotators are unknown.
    convergence : DataFrame
        R-hat and effective sample sizes of a sampler's parameters; empty for other models.
    remarks : tuple of str
        Cautions for the reader.
    gold : GoldCheck or None
        Accuracy and calibration on gold items; None without gold.
    sets : CategorySets or None
        Sets of categories of the items; None unless requested.
    predictions : AddedValue or None
        Contribution of a classifier's predictions to the pool; None without predictions, or with
        fewer than ten gold items.

    Notes
    -----
    Each interval contains its estimate: bootstrap quantiles for the fit, quantiles of draws for
    their mean. If the estimate is outside, both limits are NaN, with a remark.
    """

    model: str
    fitted: Fit
    items: pd.DataFrame
    annotators: pd.DataFrame
    confusion: pd.DataFrame
    prevalence: pd.DataFrame
    doubtful_labels: pd.DataFrame
    convergence: pd.DataFrame
    remarks: tuple[str, ...]
    gold: GoldCheck | None = None
    sets: CategorySets | None = None
    predictions: AddedValue | None = None

    def summary(self) -> pd.DataFrame:
        """Return the prevalence of the categories.

        Returns
        -------
        DataFrame
            `prevalence`, by category.
        """
        return self.prevalence.set_index("category")

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables that have rows.

        Returns
        -------
        dict of str to DataFrame
            By name; see `TABLES`.
        """
        found = {name: getattr(self, name) for name in _OF_MODEL if len(getattr(self, name))}
        if self.gold is not None:
            found["gold"] = self.gold.categories
            found |= self.gold.sample.tables()
            if self.gold.calibration is not None:
                found["calibration"] = self.gold.calibration.scores.reset_index()
        if self.predictions is not None:
            found["predictions"] = self.predictions.table
        return found

    @property
    def overruled(self) -> pd.DataFrame:
        """Items whose category differs from their most frequent label, the most certain first."""
        found = self.items[self.items["overruled"]]
        return found.sort_values("probability", ascending=False, kind="stable")

    @property
    def certainty(self) -> str:
        """The share of items with a certain category, and its assumptions."""
        certain = self.items["probability"].ge(CERTAIN).mean()
        return (
            f"{certain:.1%} of items have a category of probability {CERTAIN:.2f} or more, if "
            f"{self.fitted.premise()}"
        )

    def _headline(self) -> str:
        tied = int(self.items["tied_vote"].sum())
        return (
            f"{len(self.items):,} items by {self.model}, {tied:,} with tied votes; {self.certainty}"
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """Plot the share of items whose certainty is at least a given value.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        return Fit.plot(self.fitted, axes)


@overload
def consensus(
    annotations: Annotations,
    *,
    model: str = ...,
    rng: np.random.Generator | int | None = ...,
    replicates: int = ...,
    gold: Mapping[str, str] | None = ...,
    sets: float | None = ...,
    sets_by_category: bool = ...,
    **options: Any,
) -> Consensus: ...
@overload
def consensus(
    annotations: BlockSource,
    *,
    model: str = ...,
    rng: np.random.Generator | int | None = ...,
    replicates: int = ...,
    gold: Mapping[str, str] | None = ...,
    sets: float | None = ...,
    sets_by_category: bool = ...,
    engine: Engine = ...,
    scheduler: Scheduler = ...,
    out: str | Path | None = ...,
    **options: Any,
) -> Consensus | PartitionedConsensus: ...
def consensus(
    annotations: Annotations | BlockSource,
    *,
    model: str = DEFAULT_MODEL,
    rng: np.random.Generator | int | None = None,
    replicates: int = 200,
    gold: Mapping[str, str] | None = None,
    sets: float | None = None,
    sets_by_category: bool = False,
    engine: Engine = "auto",
    scheduler: Scheduler = None,
    out: str | Path | None = None,
    **options: Any,
) -> Consensus | PartitionedConsensus:
    """Fit a model and tabulate items, annotators and categories.

    Parameters
    ----------
    annotations : Annotations, BlockedLabels, str, Path or callable
        The labels, nominal or ordinal, in memory or in a folder of partitions; or a function that
        yields them for each pass, chunk by chunk, with all labels of an item in one chunk.
    model : str, default "adjusted_dawid_skene"
        Name of a model, as in `annobench.models.names`.
    rng : numpy.random.Generator or int, optional
        Source of randomness for starts, samplers and the bootstrap, or a seed.
    replicates : int, default 200
        Bootstrap samples of items for the intervals of a model that offers a bootstrap; 0 for no
        intervals. Samplers have intervals from their draws.
    gold : mapping of str to str, optional
        Known categories of some items: fixed in the fit, if the model accepts gold, and used to
        score categories and calibrate probabilities. `items` then has the columns `gold` and
        `calibrated`, the calibrated probability of the category.
    sets : float, optional
        Level of category sets, such as .9, in (0, 1): conformal with gold, else credible. `items`
        then has the columns `category_set`, names with commas, and `set_size`. There are none if
        gold does not represent all items.
    sets_by_category : bool, default False
        Whether the level of conformal sets holds for the items of each category, instead of on
        average; with twice the fewest gold items of each that can exclude it, it holds anyway.
    engine : {"auto", "memory", "dask"}, default "auto"
        Where partitions are fitted: in memory or on Dask's workers; by default on Dask if there
        are more than 5,000,000 labels.
    scheduler : str, distributed.Client or concurrent.futures.Executor, optional
        What processes partitions: an executor, or Dask workers, given by the address of their
        scheduler or a client. By default Dask workers are started locally, one per core.
    out : str or Path, optional
        Folder, accessible to the workers, for the items, one file per partition.
    **options
        Passed to the model's `fit`; on Dask to `consensus_partitions`.

    Returns
    -------
    Consensus or PartitionedConsensus
        Tables of items, annotators, confusion matrices and prevalence. With Dask there are no
        intervals, and items are in the folder.

    Raises
    ------
    AnnotationError
        If there is no such model or option, or the model does not accept the labels; if Dask is
        requested but the labels are not partitions, or no folder is given; if sets are requested
        but there are too few gold items, or the labels are not in memory.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xxxyyy"), list("abcabc"), list("110000"))
    >>> found = consensus(a, model="voting", rng=np.random.default_rng(1))
    >>> found.items[["item", "category", "n_labels"]].values.tolist()
    [['x', '1', 3], ['y', '0', 3]]
    """
    labels = blocks_of(annotations, engine, scheduler)
    if labels is not None:
        if out is None:
            raise AnnotationError(
                "consensus: items are written by partition or chunk. Name a folder with out=."
            )
        if sets is not None:
            raise AnnotationError(
                "consensus: category sets need all items in memory, but these are in blocks. Leave "
                "sets out."
            )
        return consensus_partitions(
            labels, out, model=model, rng=rng, gold=gold, scheduler=scheduler, **options
        )
    annotations = in_memory(annotations, "consensus")
    rng = np.random.default_rng(rng)
    module = models.get(model)
    _refuse_free_text(annotations, module.METHOD)
    checked: GoldCheck | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the remarks say it
        if gold is None:
            fitted = models.fit(annotations, model, rng=rng, **options)
        else:
            fitted, checked = fit_with_gold(
                annotations,
                gold,
                model,
                rng=rng,
                sets=sets,
                sets_by_category=sets_by_category,
                **options,
            )
    found_sets = None if sets is None else category_sets(fitted, checked, sets)
    if checked is not None and checked.fixed:
        options["gold"] = np.where(checked.codes < annotations.n_categories, checked.codes, -1)
    cautions = guard(fitted, annotations, rng=rng, **options)
    remarks = [*_design_remarks(annotations, module.METHOD), *(each.text for each in cautions)]
    if explanation := fitted.explanation():
        remarks.insert(0, explanation)
    draws: SupportsDraws | None = None
    if "bootstrap" in module.METHOD.offers:
        draws, said = _bootstrap(module, annotations, fitted, rng, replicates)
        remarks += said
    convergence = pd.DataFrame()
    if isinstance(fitted, SampledFit):
        draws, convergence = fitted.parameter_draws, fitted.diagnostics.reset_index()
    annotators = annotators_table(np.diff(annotations.by_annotator.offsets), fitted, draws)
    doubtful = doubtful_labels_table(annotations, fitted)
    if annotations.anonymous:
        annotators, doubtful = annotators.head(0), doubtful.head(0)
    confusion = pd.DataFrame(columns=["annotator", "category", "label", "probability"])
    if isinstance(fitted, ConfusionFit):
        confusion = fitted.confusion_frame(draws)
    if module.METHOD.compares:
        isolated = alone(annotations)
        annotators.iloc[isolated, 2:] = np.nan
        unjudged = confusion["annotator"].isin(annotators["annotator"][isolated])
        confusion.loc[unjudged, "probability":] = np.nan
    prevalence = fitted.prevalence_frame(draws)
    remarks += _without_interval(annotators, confusion, prevalence)
    added = None
    if isinstance(fitted, PoolFit) and options.get("predictions") is not None:
        added, said = _added(annotations, fitted, options["predictions"], checked, rng)
        remarks += said
    return Consensus(
        model=model,
        fitted=fitted,
        items=items_table(annotations, fitted, checked, found_sets),
        annotators=annotators,
        confusion=_with_ends(confusion),
        prevalence=_with_ends(prevalence),
        doubtful_labels=doubtful,
        convergence=convergence,
        remarks=(*remarks, *(() if checked is None else checked.remarks)),
        gold=checked,
        sets=found_sets,
        predictions=added,
    )


def _added(
    annotations: Annotations,
    fitted: PoolFit,
    predictions: Any,
    checked: GoldCheck | None,
    rng: np.random.Generator,
) -> tuple[AddedValue | None, list[str]]:
    """Measure the contribution of predictions, and report what was left out."""
    weight = None
    if checked is not None and checked.sample.differs:
        if not checked.sample.represents:
            return None, []
        weight = checked.sample.effective_weight
    try:
        found = added_value(annotations, fitted, predictions, weight=weight, rng=rng)
    except AnnotationError as error:
        return None, [str(error)]
    n = found.n_left_out
    said = f"{n:,} of {n + annotations.n_items:,} predicted items have no labels: left out."
    return found, [said] if n else []


def draw(found: Consensus, folder: Path) -> list[str]:
    """Plot items and annotators.

    Parameters
    ----------
    found : Consensus
        The consensus.
    folder : Path
        The folder; created if necessary. Files are written atomically.

    Returns
    -------
    list of str
        Names of the files.
    """
    # Of anonymous labels there are no annotators to show.
    with plotting.house_figure(1 if found.annotators.empty else 2) as (figure, (left, *right)):
        plotting.certainty(left, found.items["probability"])
        for axes in right:
            plotting.annotators_by_size(axes, found.annotators)
        plotting.save_figure(figure, folder / "consensus")
    return list(PICTURES)


def _with_ends(table: pd.DataFrame) -> pd.DataFrame:
    """Add the ends of intervals, NaN where there are no draws."""
    columns = [name for name in table if name not in ENDS]
    return table.reindex(columns=[*columns, *ENDS])


def _bootstrap(
    module: ModuleType,
    annotations: Annotations,
    fitted: Fit,
    rng: np.random.Generator,
    replicates: int,
) -> tuple[SupportsDraws | None, list[str]]:
    if not replicates:
        return None, []
    labelled = annotations.counts.any(axis=1)
    if labelled.sum() < 2:
        return None, ["There are no intervals: one item can't be resampled."]
    try:
        found = module.bootstrap(annotations, fitted, rng=rng, replicates=replicates)
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
            f"In {found.n_switched} of {replicates} bootstrap samples label switching "
            "occurred: the intervals mix two solutions."
        )
    return found, remarks


def _refuse_free_text(annotations: Annotations, method: Method) -> None:
    """Reject numbers of categories for which confusion matrices exceed memory."""
    a = annotations
    if "confusion" not in method.returns or a.n_annotators * a.n_categories**2 <= MAX_CONFUSION:
        return
    raise AnnotationError(
        f"consensus: {a.n_categories:,} categories in {a.n_labels:,} labels are too many for "
        f"{method.name}, which has a row of probabilities for each category and annotator. If they "
        "are free text, code them into categories first; or use a model without confusion "
        "matrices, such as voting or mace."
    )


def _design_remarks(annotations: Annotations, method: Method) -> list[str]:
    """Report limitations of the design."""
    if not method.compares:
        return []
    remarks = []
    isolated = alone(annotations)
    if isolated.size:
        names = ", ".join(repr(annotations.annotators[j]) for j in isolated[:5])
        more = f" and {isolated.size - 5:,} more" if isolated.size > 5 else ""
        remarks.append(
            f"No item of {names}{more} has a label by anybody else, so their accuracy cannot be "
            "estimated and is left out."
        )
    return remarks + _evidence_remarks(annotations)


def _evidence_remarks(annotations: Annotations) -> list[str]:
    """Report if annotators agree no more than by chance."""
    labels = annotations.first_labels()
    if labels.scale == "set":
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alpha = agreement.krippendorff_alpha(labels)
        found = alpha.interval() if alpha.n_items > 1 else None
    if found is None or math.isnan(found.lower):
        n = int((np.diff(labels.by_item.offsets) > 1).sum())
        if n >= FEW_SHARED:
            return []
        return [
            f"Only {n} {'item has' if n == 1 else 'items have'} labels of two annotators or more: "
            "too few to estimate their accuracy, so the probabilities depend on the model's "
            "assumptions."
        ]
    if found.lower > 0:
        return []
    return [
        "The annotators may agree no more often than by chance (Krippendorff's alpha "
        f"{found.estimate:.3g}, 95% interval {found.lower:.3g} to {found.upper:.3g}). A model can "
        "be overconfident even then: don't rely on its probabilities before checking some items."
    ]


def _without_interval(
    annotators: pd.DataFrame, confusion: pd.DataFrame, prevalence: pd.DataFrame
) -> list[str]:
    """Report estimates with draws but without an interval."""
    judged = [(name, annotators, name, f"{name}_lower95") for name in annotators]
    listed = []
    for what, table, estimate, lower in (
        *judged,
        ("the confusion matrices", confusion, "probability", "lower95"),
        ("the prevalence", prevalence, "prevalence", "lower95"),
    ):
        if lower in table:
            missed = int((table[estimate].notna() & table[lower].isna()).sum())
            listed += [f"{missed} of {len(table)} of {what}"] if missed else []
    if not listed:
        return []
    return [
        f"Without interval: {', '.join(listed)}. Nearly all draws lie to one side of these "
        "estimates, so the labels hardly determine them."
    ]
