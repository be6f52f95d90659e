"""The tables of items and annotators, of labels in memory and of a partition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.aggregation._sets import CategorySets
from annobench.aggregation.gold import GoldCheck
from annobench.evaluation import information
from annobench.labels.annotations import Annotations
from annobench.models.base import (
    ConfusionFit,
    Fit,
    SampledFit,
    SupportsDraws,
    best_categories,
    central_interval,
    measured,
)

Floats = NDArray[np.float64]


def items_table(
    annotations: Annotations,
    fitted: Fit,
    checked: GoldCheck | None = None,
    sets: CategorySets | None = None,
) -> pd.DataFrame:
    """Lay out the category of each item, with votes."""
    votes = annotations.counts
    table = fitted.items_frame()
    winners = best_categories(votes.astype(np.float64))
    chosen = fitted.posterior.argmax(axis=1)
    tied = winners.sum(axis=1) > 1
    overruled = ~tied & ~winners[np.arange(chosen.size), chosen]
    if checked is not None and checked.fixed:
        overruled &= checked.codes < 0
    table.insert(3, "n_labels", votes.sum(axis=1))
    table.insert(4, "tied_vote", tied & votes.any(axis=1))
    table.insert(5, "overruled", overruled)
    # The votes for each category stand behind its probability.
    head, probabilities, rest = table.iloc[:, :6], table.iloc[:, 6:], []
    for code, name in enumerate(fitted.categories):
        rest += [
            probabilities.iloc[:, [code]],
            pd.DataFrame({f"votes_{name}": votes[:, code]}, index=table.index),
        ]
    table = pd.concat([head, *rest, probabilities.iloc[:, len(fitted.categories) :]], axis=1)
    # A category may be called anything, so that these names have no prefix.
    if intervals := getattr(fitted, "item_intervals", None):
        table["lower95"], table["upper95"] = intervals()
    if checked is not None:
        names = np.asarray([*fitted.categories, "", ""], dtype=object)
        table["gold"] = names[np.where(checked.codes < 0, -1, checked.codes)]
        if checked.calibration is not None:
            best = fitted.posterior.argmax(axis=1)
            found = checked.calibration.posterior[np.arange(best.size), best]
            sure = (checked.codes == best) & checked.fixed
            table["calibrated"] = np.where(sure, 1.0, found)
    if sets is not None:
        table["category_set"] = sets.names(fitted.categories)
        table["set_size"] = sets.inside.sum(axis=1)
    return table


#: Labels that are listed as doubtful.
MAX_DOUBTFUL = 10_000


def doubtful_labels_table(annotations: Annotations, fitted: Fit) -> pd.DataFrame:
    """List the labels that are more probably wrong than right, the least probable first."""
    a = annotations
    probability = fitted.posterior[a.item, a.label]
    doubtful = np.flatnonzero(probability < 0.5)
    doubtful = doubtful[np.argsort(probability[doubtful], kind="stable")][:MAX_DOUBTFUL]
    item, best = a.item[doubtful], fitted.posterior.argmax(axis=1)
    names = [np.array(each, dtype=object) for each in (a.items, a.annotators, a.categories)]
    return pd.DataFrame(
        {
            "item": names[0][item],
            "annotator": names[1][a.annotator[doubtful]],
            "label": names[2][a.label[doubtful]],
            "probability": probability[doubtful],
            "category": np.array(fitted.categories, dtype=object)[best[item]],
            "category_probability": fitted.posterior[item, best[item]],
        }
    )


def annotators_table(
    n_labels: NDArray[Any], fitted: Fit, draws: SupportsDraws | None = None
) -> pd.DataFrame:
    """Tabulate a fit's parameters of annotators."""
    table = fitted.annotators_frame(draws)
    table.insert(1, "n_labels", n_labels)
    prevalence = getattr(fitted, "prevalence", None)
    if not isinstance(fitted, ConfusionFit) or prevalence is None:
        return table
    columns = {"bits": _bits(prevalence, fitted.confusion)}
    if draws is not None:
        values = measured(_bits, draws)
        if isinstance(fitted, SampledFit):
            # The mean of the measure, not the measure of the mean: bits of a mean matrix are
            # fewer than those of the matrices.
            columns["bits"] = values.mean(axis=0)
        ends = central_interval(values, columns["bits"])[0]
        columns |= dict(zip(("bits_lower95", "bits_upper95"), ends, strict=True))
    for n, (name, column) in enumerate(columns.items()):
        table.insert(2 + len(columns) + n, name, column)
    return table


def _bits(prevalence: Floats, confusion: Floats) -> Floats:
    defined = np.isfinite(confusion).all(axis=(1, 2))
    bits = np.full(len(confusion), np.nan)
    bits[defined] = information.mutual_information(prevalence, confusion[defined])
    return bits
