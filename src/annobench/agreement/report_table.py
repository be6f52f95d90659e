"""Every coefficient that applies to a data set, with intervals and breakdowns, in one table.

Coefficients are discovered, and their records define when they apply: the scales and options of
`Coefficient.variants`, and two or any number of annotators. If a coefficient rejects the labels,
the note of its row gives the reason.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from annobench.agreement.annotators import annotator_agreement, pair_annotators
from annobench.agreement.forms.counts import count_label_pairs
from annobench.agreement.partitioned import report_partitions
from annobench.agreement.replicates import without_annotator
from annobench.agreement.report_rows import (
    COLUMNS,
    MAX_ENTRIES,
    PAIR_COST,
    Settings,
    Variant,
    described,
    entries,
    overall_row,
    variants,
)
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning, check_level
from annobench.labels.annotations import Annotations
from annobench.scale._sources import BlockSource, Engine, blocks_of, in_memory
from annobench.scale._workers import Scheduler

if TYPE_CHECKING:
    from annobench.agreement.result import Agreement

__all__ = ["MAX_CATEGORIES", "report"]

#: Breakdowns show at most so many categories and pairs of annotators.
MAX_CATEGORIES: Final = 30
MAX_PAIRS: Final = 45
#: A breakdown that shows fewer parts than this of more is left out.
MIN_SHOWN: Final = 3


def report(
    annotations: Annotations | BlockSource,
    *,
    rng: np.random.Generator | int | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    engine: Engine = "auto",
    scheduler: Scheduler = None,
) -> pd.DataFrame:
    """Compute all coefficients that apply, with intervals, by category, annotator and pair.

    Parameters
    ----------
    annotations : Annotations, BlockedLabels, str, Path or callable
        The labels, in memory or in a folder of partitions, or a function that yields them for each
        pass, chunk by chunk; their scale determines which coefficients apply.
    rng : numpy.random.Generator or int, optional
        The source of randomness, or its seed: the overall intervals are then quantiles of the
        bootstrap over items. By default all intervals are analytic.
    level : float, default 0.95
        Level of the intervals, in (0, 1).
    replicates : int, default 2000
        Number of bootstrap samples.
    engine : {"auto", "memory", "dask"}, default "auto"
        Where partitions are read: into memory or by Dask's workers, which compute the overall
        values only; by default by Dask if there are more than 5,000,000 labels.
    scheduler : str, distributed.Client or concurrent.futures.Executor, optional
        What processes partitions: an executor, or Dask workers, given by the address of their
        scheduler or a client. By default Dask workers are started locally, one per core.

    Returns
    -------
    DataFrame
        One row per value, with the columns

        - breakdown: "overall"; "category", this category (for sets, element) against the rest;
          "annotator", the observed agreement with all others; "without annotator", the coefficient
          when this one is left out; "pair", a pair of more than two annotators;
        - of: the category, the annotator, or "first × second";
        - coefficient, options: its name, such as "cohen_kappa", and "weights=quadratic";
        - estimate, standard_error, lower, upper, level, interval: NaN where undefined or left
          out, and the kind of interval;
        - n_items, n_labels: the numbers used; for a category, how often it was given;
        - observed_agreement, expected_agreement: NaN where the coefficient has none;
        - note: why a value is missing, how missing labels were treated, what was left out.

    Raises
    ------
    AnnotationError
        If an annotator labelled an item twice, or the level is not in (0, 1); if a path is not a
        folder of partitions; if Dask is requested but not installed, or labels are in memory.

    Notes
    -----
    Breakdowns are limited to what takes seconds, by sizes, not by time, so that the same labels
    give the same table everywhere; notes report the omissions. There are no warnings: undefined
    values are NaN with a note, and a note explains intervals of zero width.

    Examples
    --------
    >>> table = report(Annotations.from_contingency([[30, 10], [10, 30]]))
    >>> chosen = table["coefficient"].eq("cohen_kappa") & table["breakdown"].eq("overall")
    >>> table.loc[chosen, ["estimate", "n_items"]].values.tolist()
    [[0.5, 80.0]]
    """
    labels = blocks_of(annotations, engine, scheduler)
    if labels is not None:
        return report_partitions(
            labels, rng=rng, level=level, replicates=replicates, scheduler=scheduler
        )
    annotations = in_memory(annotations, "report")
    check_level(level, "report")
    if annotations.first_repeat is not None:
        at = annotations.first_repeat
        raise AnnotationError(
            f"report: annotator {annotations.annotators[annotations.annotator[at]]!r} labelled an "
            f"item twice: {annotations.items[annotations.item[at]]!r}. Keep one label of each "
            "(first_labels() keeps the first), or give the annotator's second round another name."
        )
    settings = Settings(
        np.random.default_rng(rng) if isinstance(rng, int | np.integer) else rng, level, replicates
    )
    chosen = variants(annotations.scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        warnings.simplefilter("ignore", IntervalWarning)
        rows, without = _overall(annotations, chosen, settings)
        rows += _by_category(annotations, settings)
        if not annotations.anonymous:
            rows += [*_by_annotator(annotations), *without]
            rows += _by_pair(annotations, chosen, settings)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _overall(
    annotations: Annotations, chosen: list[Variant], settings: Settings
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows for all labels, and for leaving out each annotator.

    Both use the same sums over items, held in memory for one coefficient at a time.
    """
    rows: list[dict[str, Any]] = []
    without: list[dict[str, Any]] = []
    for variant in chosen:
        if variant.method.per_category or (annotations.n_annotators != 2 and variant.two_only):
            continue
        result = variant.compute(annotations)
        values = described(result, settings, bootstrap=True, weighted=variant.weighted)
        rows.append(overall_row(variant, values, annotations))
        if annotations.n_annotators > 2 and not annotations.anonymous:
            without += _without_annotators(annotations, variant, result)
    return rows, without


def _by_category(annotations: Annotations, settings: Settings) -> Iterator[dict[str, Any]]:
    """Set each category, or element of sets, against the rest."""
    if annotations.scale == "interval" or annotations.n_annotators < 2:
        return
    plain = [
        variant
        for variant in variants("nominal")
        if not variant.options and (not variant.two_only or annotations.n_annotators == 2)
    ]
    binary = binary_labels(annotations)
    total = len(annotations.elements or annotations.categories)
    pair_cost = PAIR_COST * count_label_pairs(annotations)
    for variant in plain:
        cost = max(annotations.n_labels, pair_cost if variant.method.pairwise else 0, 1)
        shown = min(len(binary), MAX_ENTRIES // cost)
        if shown < min(MIN_SHOWN, len(binary)):
            note = f"Left out: {len(binary)} categories, one by one, take long."
            yield {"breakdown": "category", "of": "", **variant.names, "note": note}
            continue
        for name, labels in itertools.islice(binary.items(), shown):
            if variant.method.per_category:
                if annotations.scale == "set":
                    continue
                result = variant.compute(annotations, category=name)
            else:
                result = variant.compute(labels)
            values = described(result, settings)
            if shown < total:
                note = f"Of {total:,} categories, {shown} are shown."
                values["note"] = f"{values['note']} {note}".strip()
            values["n_labels"] = int((labels.label == 1).sum())
            yield {"breakdown": "category", "of": name, **variant.names, **values}


def binary_labels(annotations: Annotations) -> dict[str, Annotations]:
    """Set each of the most frequent categories, or elements of sets, against the rest."""
    a = annotations
    given = np.bincount(a.label, minlength=a.n_categories)
    if a.scale != "set":
        often = np.sort(np.argsort(-given, kind="stable")[:MAX_CATEGORIES])
        return {a.categories[k]: a.binarize(a.categories[k]) for k in often}
    times = given @ a.membership
    often = np.sort(np.argsort(-times, kind="stable")[:MAX_CATEGORIES])
    return {
        a.elements[c]: a.relabel(
            a.membership[a.label, c], categories=(f"not {a.elements[c]}", a.elements[c])
        )
        for c in often
    }


def _by_annotator(annotations: Annotations) -> Iterator[dict[str, Any]]:
    options = {"interval": "weights=quadratic", "set": "metric=masi"}.get(annotations.scale, "")
    if annotations.scale == "set" and annotations.n_categories > 1_000:
        yield {
            "breakdown": "annotator",
            "coefficient": "percent_agreement",
            "options": options,
            "note": f"Left out: distances of {annotations.n_categories:,} sets take long.",
        }
        return
    for row in annotator_agreement(annotations).itertuples():
        yield {
            "breakdown": "annotator",
            "of": row.annotator,
            "coefficient": "percent_agreement",
            "options": options,
            "estimate": row.observed_agreement,
            "n_items": row.n_items,
            "n_labels": row.n_labels,
            "observed_agreement": row.observed_agreement,
            "note": "" if row.n_pairs else "No item in common with another annotator.",
        }


def _without_annotators(
    annotations: Annotations, variant: Variant, result: Agreement | str
) -> Iterator[dict[str, Any]]:
    if isinstance(result, str):
        return
    n_labels = np.diff(annotations.by_annotator.offsets)
    order = np.argsort(-n_labels, kind="stable")
    # An item that only this annotator left unlabelled would come in, and it was left out.
    whole = result.annotations.n_items < annotations.n_items
    n_shown = min(order.size, MAX_ENTRIES // entries(result, variant.weighted))
    note = ""
    if n_shown < order.size:
        note = f"Of {order.size:,} annotators, the {n_shown} with the most labels are shown."
    if n_shown < min(MIN_SHOWN, order.size):
        note = f"Left out: {order.size:,} annotators, one by one, take long."
        yield {"breakdown": "without annotator", "of": "", **variant.names, "note": note}
        return
    for j in np.sort(order[:n_shown]):
        if whole:
            value = _again_without(variant, annotations, j)
        else:
            value = without_annotator(result, int(j))
        yield {
            "breakdown": "without annotator",
            "of": annotations.annotators[j],
            **variant.names,
            "estimate": value,
            "n_labels": annotations.n_labels - int(n_labels[j]),
            "note": note if not math.isnan(value) else f"Undefined. {note}".strip(),
        }


def _again_without(variant: Variant, annotations: Annotations, annotator: int) -> float:
    others = np.arange(annotations.n_annotators) != annotator
    result = variant.compute(annotations.select(annotators=others))
    return math.nan if isinstance(result, str) else result.estimate


def _by_pair(
    annotations: Annotations, chosen: list[Variant], settings: Settings
) -> Iterator[dict[str, Any]]:
    if annotations.n_annotators < 3:
        return
    shown_by_pair = [
        variant
        for variant in chosen
        if not variant.method.per_category and (variant.two_only or variant.method.by_pair)
    ]
    pairs = pair_annotators(annotations)
    shown = pairs[:MAX_PAIRS]
    note = ""
    if len(shown) < len(pairs):
        note = (
            f"Of {len(pairs):,} pairs with common items, the {len(shown)} with the most are shown."
        )
    labels = {
        f"{annotations.annotators[first]} × {annotations.annotators[second]}": _two(
            annotations, first, second
        )
        for first, second in zip(shown["first"], shown["second"], strict=True)
    }
    for variant in shown_by_pair:
        results = {name: variant.compute(two) for name, two in labels.items()}
        refusals = {result for result in results.values() if isinstance(result, str)}
        if len(refusals) == 1 and all(isinstance(result, str) for result in results.values()):
            yield {"breakdown": "pair", "of": "", **variant.names, "note": refusals.pop()}
            continue
        for name, result in results.items():
            values = described(result, settings)
            values["note"] = f"{values['note']} {note}".strip()
            yield {"breakdown": "pair", "of": name, **variant.names, **values}


def _two(annotations: Annotations, first: int, second: int) -> Annotations:
    """Keep the common items of two annotators, without names."""
    a = annotations
    rows = np.concatenate([a.by_annotator[first], a.by_annotator[second]])
    codes, item = np.unique(a.item[rows], return_inverse=True)
    both = replace(
        a,
        item=item.astype(np.int32),
        annotator=(a.annotator[rows] == second).astype(np.int32),
        label=a.label[rows],
        items=("",) * codes.size,
        annotators=(a.annotators[first], a.annotators[second]),
    )
    return both.complete()
