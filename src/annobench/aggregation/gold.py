"""Gold items: fixed if the model allows it, and used for scores and calibration.

If a model's fit accepts `gold`, gold items are fixed and inform its confusion matrices. Scores on
fixed items would be meaningless, so gold items are divided into folds, and each fold is scored by a
fit without it. Other models are fitted once, and scored on all gold items.

Fixing gold items is right however they were chosen, as long as they were chosen by their labels,
which the likelihood conditions on. Scores, calibration, sets and learned weights need gold that
represents all items; `evaluation.gold_sample` says whether it does, and weights it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench import models
from annobench.core.choices import DEFAULT_MODEL
from annobench.core.errors import AnnotationError
from annobench.core.numbers import plain_number, spelling_hint
from annobench.core.results import Summarised
from annobench.core.texts import counted
from annobench.evaluation.calibration import Calibration, Kind, calibrate, kind_for
from annobench.evaluation.category_sets import conformal_sets, counts_by_category
from annobench.evaluation.gold_sample import GoldSample, compare_gold
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models._predictions import probabilities
from annobench.models.base import Fit
from annobench.resampling.intervals import Interval

__all__ = ["GoldCheck"]

#: Folds of gold items.
FOLDS: Final = 5


@dataclass(frozen=True, eq=False)
class GoldCheck(Summarised):
    """Scores and calibration of a model on gold items.

    Attributes
    ----------
    codes : ndarray of int, shape (I,)
        Gold categories; -1 if unknown, K for a category without labels.
    fixed : bool
        Whether the fit has gold items fixed.
    accuracy : Interval
        Share of items with the correct category, in fits without their gold: Wilson's interval, or
        post-stratified if items with gold differ from the others.
    categories : DataFrame
        A row per category: `category`, `n_gold`, and `recall` and `precision` with Wilson's
        intervals, such as `recall_lower`; NaN if the denominator is 0. Weighted if items with gold
        differ from the others.
    calibration : Calibration or None
        Calibration of the probabilities; None if no gold category occurs among the labels, or gold
        does not represent all items.
    sample : GoldSample
        Items with gold compared with the others.
    remarks : tuple of str
        What was left out.
    sets : ndarray of bool, shape (I, K), or None
        Whether a category is in an item's conformal set (for a gold item only its category); None
        unless requested, or if gold does not represent all items.
    sets_by_category : bool
        Whether the guarantee of the sets holds for items of each category.
    """

    codes: NDArray[np.int64]
    fixed: bool
    accuracy: Interval
    categories: pd.DataFrame
    calibration: Calibration | None
    sample: GoldSample
    remarks: tuple[str, ...]
    sets: NDArray[np.bool_] | None = None
    sets_by_category: bool = False

    def summary(self) -> pd.DataFrame:
        """Return the scores by category.

        Returns
        -------
        DataFrame
            `categories`, by category.
        """
        return self.categories.set_index("category")

    def _headline(self) -> str:
        a = self.accuracy
        sample = self.sample
        of = (
            ""
            if not sample.differs
            else " of all items"
            if sample.represents
            else f" of the {int(sample.represented.sum()):,} items that gold represents"
        )
        how = ", post-stratified" if sample.differs else ""
        use = "not known to the fit" if self.fixed else "which the model can't use"
        return (
            f"accuracy{of} {a.estimate:.3f} ({100 * a.level:g}% interval {a.lower:.3f} to "
            f"{a.upper:.3f}{how}) on {counted(int((self.codes >= 0).sum()), 'gold item')}, {use}"
        )


def fit_with_gold(
    annotations: Annotations,
    gold: Mapping[str, str],
    model: str = DEFAULT_MODEL,
    *,
    rng: np.random.Generator | int | None = None,
    level: float = 0.95,
    sets: float | None = None,
    sets_by_category: bool = False,
    **options: Any,
) -> tuple[Fit, GoldCheck]:
    """Fit a model with gold items, and score and calibrate it on them."""
    annotations = as_annotations(annotations, "fit_with_gold")
    rng = np.random.default_rng(rng)
    codes, remarks = _codes(annotations, gold)
    known = np.flatnonzero(codes >= 0)
    usable = np.where(codes < annotations.n_categories, codes, -1)
    sample = compare_gold(
        annotations, codes >= 0, more=_predicted(annotations, options.get("predictions")), rng=rng
    )
    module = models.get(model)
    accepted = signature(module.fit).parameters
    fixed = "gold" in accepted and bool((usable >= 0).any())
    if sample.differs and fixed and "gold_weights" in accepted:
        # Of gold that does not represent all items nothing is learned.
        options["gold_weights"] = sample.effective_weight * sample.represents
        if not sample.represents:
            remarks.append(
                "The weights of the pool are those learned on other labels"
                + (", and predictions are not used." if "predictions" in options else ".")
            )
    informed = {"gold": usable} if fixed else {}
    fitted = models.fit(annotations, model, rng=rng, **informed, **options)
    fold = np.full(codes.size, -1)
    fold[known] = 0
    held_out = [fitted.posterior]
    if fixed:
        fold[known] = rng.permutation(np.arange(known.size) % min(FOLDS, known.size))
        held_out = [
            _without(annotations, fitted, model, usable, fold == each, rng, options)
            for each in range(fold.max() + 1)
        ]
    posterior = fitted.posterior.copy()
    for each, table in enumerate(held_out):
        posterior[fold == each] = table[fold == each]
    answer = posterior.argmax(axis=1)
    calibration = None
    if (usable >= 0).any() and sample.represents:
        # What gold items calibrate already is scored as it is.
        kind: Kind = "none" if "refit" in module.METHOD.offers else "auto"
        weight = None
        if sample.differs:
            weight = sample.weight
            kind = (
                kind_for(int(sample.n_effective), annotations.n_categories)
                if kind == "auto"
                else kind
            )
        calibration = calibrate(posterior, usable, kind=kind, weight=weight, rng=rng, level=level)
    check = GoldCheck(
        codes=codes,
        fixed=fixed,
        accuracy=sample.share(answer == codes, level),
        categories=_by_category(annotations.categories, answer, codes, sample, level),
        calibration=calibration,
        sample=sample,
        remarks=(*sample.remarks, *remarks),
    )
    if sets is None or not sample.represents:
        return fitted, check
    return fitted, _with_sets(check, held_out, fold, sets, by_category=sets_by_category)


def _predicted(annotations: Annotations, predictions: Any) -> dict[str, NDArray[np.int64]]:
    """Return the most probable category of each item by predictions, if there are any."""
    if predictions is None:
        return {}
    return {"the predicted category": probabilities(annotations, predictions).argmax(axis=1)}


def _without(
    annotations: Annotations,
    fitted: Any,
    model: str,
    gold: NDArray[np.int64],
    out: NDArray[np.bool_],
    rng: np.random.Generator,
    options: Mapping[str, Any],
) -> NDArray[np.float64]:
    """Fit without knowing some gold items, and return the posterior."""
    hidden = np.where(out, -1, gold)
    more = {"gold": hidden} if (hidden >= 0).any() else {}
    module = models.get(model)
    if "refit" in module.METHOD.offers:
        again: Fit = module.refit(annotations, fitted, **more, **options)
    else:
        again = models.fit(annotations, model, rng=rng, **more, **options)
    return again.posterior


def _with_sets(
    check: GoldCheck,
    held_out: list[NDArray[np.float64]],
    fold: NDArray[np.int64],
    level: float,
    *,
    by_category: bool,
) -> GoldCheck:
    """Add conformal sets, in which a gold category without labels is never found."""
    k = held_out[0].shape[1]
    codes = check.codes
    by_category |= counts_by_category(np.where(codes < k, codes, -1), k, level)
    # A category that no label names has probability 0.
    wide = [np.column_stack([table, np.zeros(len(table))]) for table in held_out]
    weight = check.sample.odds if check.sample.differs else None
    sets = conformal_sets(wide, fold, codes, level, by_category=by_category, weight=weight)[:, :k]
    gold = codes >= 0
    sets[gold] = codes[gold, None] == np.arange(k)
    return replace(check, sets=sets, sets_by_category=by_category)


def said_of_gold(annotations: Annotations, gold: Mapping[str, str]) -> list[str]:
    """Say which gold items have no labels, or a category that no label names."""
    return _codes(as_annotations(annotations, "said_of_gold"), gold)[1]


def _codes(
    annotations: Annotations, gold: Mapping[str, str]
) -> tuple[NDArray[np.int64], list[str]]:
    """Return codes by item, and remarks on what was left out."""
    place = {name: i for i, name in enumerate(annotations.items)}
    known = {name: k for k, name in enumerate(annotations.categories)}
    labelled = np.diff(annotations.by_item.offsets) > 0
    codes = np.full(annotations.n_items, -1, dtype=np.int64)
    for item, category in gold.items():
        i = place.get(item)
        if i is not None and labelled[i]:
            codes[i] = known.get(plain_number(category), len(known))
    n = int((codes >= 0).sum())
    if not n:
        raise AnnotationError(
            "gold: no gold item has labels, such as "
            f"{next(iter(gold), '')!r}. Name items as the labels do, such as "
            f"{annotations.items[0]!r}.{spelling_hint(gold, annotations.items)}"
        )
    remarks = []
    if n < len(gold):
        remarks.append(f"{len(gold) - n:,} of {len(gold):,} gold items have no labels: left out.")
    if unknown := [gold[annotations.items[i]] for i in np.flatnonzero(codes == len(known))]:
        have = "1 gold item has" if len(unknown) == 1 else f"{len(unknown):,} gold items have"
        they = "it counts as an error" if len(unknown) == 1 else "they count as errors"
        remarks.append(
            f"{have} a category without labels, such as {unknown[0]!r}: {they}."
            f"{spelling_hint(unknown, known)}"
        )
    return codes, remarks


def _by_category(
    categories: tuple[str, ...],
    answer: NDArray[np.intp],
    codes: NDArray[np.int64],
    sample: GoldSample,
    level: float,
) -> pd.DataFrame:
    rows = []
    for k, name in enumerate(categories):
        row: dict[str, Any] = {"category": name, "n_gold": int((codes == k).sum())}
        for score, among in (("recall", codes == k), ("precision", answer == k)):
            interval = sample.part((answer == k) & (codes == k), among, level)
            row |= {
                score: interval.estimate,
                f"{score}_lower": interval.lower,
                f"{score}_upper": interval.upper,
            }
        rows.append(row)
    return pd.DataFrame(rows)
