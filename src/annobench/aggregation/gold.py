"""Gold items: fixed if the model allows it, and used for scores and calibration.

If a model's fit accepts `gold`, gold items are fixed and inform its confusion matrices. Scores on
fixed items would be meaningless, so gold items are divided into folds, and each fold is scored by a
fit without it. Other models are fitted once, and scored on all gold items.
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
from annobench.evaluation.calibration import Calibration, Kind, calibrate
from annobench.evaluation.category_sets import conformal_sets, counts_by_category
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.models.base import Fit
from annobench.resampling.intervals import Interval
from annobench.resampling.proportions import proportion_interval

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
        Share of gold items with the correct category, in fits without them, with Wilson's interval.
    categories : DataFrame
        A row per category: `category`, `n_gold`, and `recall` and `precision` with Wilson's
        intervals, such as `recall_lower`; NaN if the denominator is 0.
    calibration : Calibration or None
        Calibration of the probabilities; None if no gold category occurs among the labels.
    remarks : tuple of str
        What was left out.
    sets : ndarray of bool, shape (I, K), or None
        Whether a category is in an item's conformal set (for a gold item only its category); None
        unless requested.
    sets_by_category : bool
        Whether the guarantee of the sets holds for items of each category.
    """

    codes: NDArray[np.int64]
    fixed: bool
    accuracy: Interval
    categories: pd.DataFrame
    calibration: Calibration | None
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
        known = "not known to the fit" if self.fixed else "which the model can't use"
        return (
            f"accuracy {a.estimate:.3f} ({100 * a.level:g}% interval {a.lower:.3f} to "
            f"{a.upper:.3f}) on {counted(int((self.codes >= 0).sum()), 'gold item')}, {known}"
        )


def fit_with_gold(
    annotations: Annotations,
    gold: Mapping[str, str],
    model: str = DEFAULT_MODEL,
    *,
    rng: np.random.Generator | int | None = None,
    level: float = 0.95,
    sets: float | None = None,
    **options: Any,
) -> tuple[Fit, GoldCheck]:
    """Fit a model with gold items, and score and calibrate it on them."""
    annotations = as_annotations(annotations, "fit_with_gold")
    rng = np.random.default_rng(rng)
    codes, remarks = _codes(annotations, gold)
    known = np.flatnonzero(codes >= 0)
    usable = np.where(codes < annotations.n_categories, codes, -1)
    module = models.get(model)
    fixed = "gold" in signature(module.fit).parameters and bool((usable >= 0).any())
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
    right = int((answer[known] == codes[known]).sum())
    calibration = None
    if (usable >= 0).any():
        # What gold items calibrate already is scored as it is.
        kind: Kind = "none" if "refit" in module.METHOD.offers else "auto"
        calibration = calibrate(posterior, usable, kind=kind, rng=rng, level=level)
    check = GoldCheck(
        codes=codes,
        fixed=fixed,
        accuracy=proportion_interval(right, known.size, level=level),
        categories=_by_category(annotations.categories, answer[known], codes[known], level),
        calibration=calibration,
        remarks=tuple(remarks),
    )
    return fitted, check if sets is None else _with_sets(check, held_out, fold, sets)


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
    check: GoldCheck, held_out: list[NDArray[np.float64]], fold: NDArray[np.int64], level: float
) -> GoldCheck:
    """Add conformal sets, in which a gold category without labels is never found."""
    k = held_out[0].shape[1]
    codes = check.codes
    by_category = counts_by_category(np.where(codes < k, codes, -1), k, level)
    # A category that no label names has probability 0.
    wide = [np.column_stack([table, np.zeros(len(table))]) for table in held_out]
    sets = conformal_sets(wide, fold, codes, level, by_category=by_category)[:, :k]
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
    answer: NDArray[np.int64],
    gold: NDArray[np.int64],
    level: float,
) -> pd.DataFrame:
    rows = []
    for k, name in enumerate(categories):
        hits = int(((answer == k) & (gold == k)).sum())
        row: dict[str, Any] = {"category": name, "n_gold": int((gold == k).sum())}
        for score, n in (("recall", row["n_gold"]), ("precision", int((answer == k).sum()))):
            found = proportion_interval(hits, n, level=level)
            row |= {
                score: found.estimate,
                f"{score}_lower": found.lower,
                f"{score}_upper": found.upper,
            }
        rows.append(row)
    return pd.DataFrame(rows)
