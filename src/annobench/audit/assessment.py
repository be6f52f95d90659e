"""Estimates from checked items: accuracy, prevalence, calibration, and items to release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.audit.design import Design
from annobench.audit.difference_estimator import DifferenceEstimate, difference_estimate
from annobench.audit.release import Release, release
from annobench.core.errors import AnnotationError
from annobench.core.numbers import spelling_hint
from annobench.core.results import Summarised
from annobench.evaluation.calibration import Calibration, calibrate
from annobench.evaluation.gold_sample import LEVEL, random_p_value
from annobench.resampling.intervals import Interval
from annobench.resampling.stratified import share_limits, stratified_prevalence, stratified_share

__all__ = ["Assessment", "assess"]

Ints = NDArray[np.int64]

#: Checks below which nothing is estimated.
FEWEST_CHECKS: Final = 10


@dataclass(frozen=True, eq=False)
class Assessment(Summarised):
    """Estimates of a model's quality from checks.

    Attributes
    ----------
    design : Design
        The design by which items were drawn.
    gold : ndarray of int, shape (I,)
        Codes of the checked categories; -1 if an item was not checked, K if the category is unknown
        to the model.
    accuracy : Interval
        Share of all items whose category is correct.
    accuracy_by_probabilities : DifferenceEstimate or None
        Accuracy with the model's probabilities as predictions; None if a stratum has fewer than two
        checks.
    strata : DataFrame
        By stratum, the most certain first: `n_items`, `probability` (mean certainty), `checked`,
        `wrong`, and `accuracy` with `lower` and `upper`.
    prevalence : DataFrame
        One row per category: `category`; `by_model`, its share among the model's categories;
        `estimate`, that share corrected for the errors found; `by_probabilities`, the difference
        estimate with the model's probabilities, whose interval needs about ten errors of the
        category; and `by_checks`, from the checks alone; each with interval limits: `lower` and
        `upper`, or such as `by_checks_lower`.
    release : Release
        The items that can be released.
    calibration : Calibration or None
        Calibration of the model's probabilities; None if no checked category is known to the model.
    wrong : DataFrame
        Checked items whose category is wrong, the most certain first: `item`, `category`,
        `probability`, `gold`.
    remarks : tuple of str
        Cautions for the reader.
    """

    design: Design
    gold: Ints
    accuracy: Interval
    accuracy_by_probabilities: DifferenceEstimate | None
    strata: pd.DataFrame
    prevalence: pd.DataFrame
    release: Release
    calibration: Calibration | None
    wrong: pd.DataFrame
    remarks: tuple[str, ...]

    @property
    def n_checked(self) -> int:
        """Number of items checked."""
        return int((self.gold >= 0).sum())

    def summary(self) -> pd.DataFrame:
        """Return the accuracy, overall and by stratum.

        Returns
        -------
        DataFrame
            One row for all items and one per stratum: `n_items`, `checked`, `wrong`, `accuracy`,
            `lower`, `upper`; index `items`.
        """
        of_all = {
            "n_items": len(self.design.items),
            "checked": self.n_checked,
            "wrong": len(self.wrong),
            "accuracy": self.accuracy.estimate,
            "lower": self.accuracy.lower,
            "upper": self.accuracy.upper,
        }
        strata = self.strata.drop(columns="probability")
        strata.index = pd.Index([f"stratum {h}" for h in strata.index])
        return pd.concat([pd.DataFrame([of_all], ["all"]), strata]).rename_axis("items")

    def _headline(self) -> str:
        a = self.accuracy
        return (
            f"{self.n_checked:,} of {len(self.design.items):,} items checked, accuracy "
            f"{a.estimate:.3f} ({100 * a.level:g}% interval {a.lower:.3f} to {a.upper:.3f}); "
            f"{self.release.n_items:,} can be released"
        )

    def items_frame(self) -> pd.DataFrame:
        """Return every item's final category.

        Returns
        -------
        DataFrame
            One row per item: `item`, `category` (the checked one, if it was checked), `probability`
            (calibrated; 1 for a checked item), `checked`, and `released`, true for items that can
            be released or were checked.
        """
        design, checked = self.design, self.gold >= 0
        names = np.asarray([*design.categories, ""], dtype=object)
        codes = np.where(checked, self.gold, design.category)
        category = names[codes]
        for i in np.flatnonzero(self.gold == len(design.categories)):
            category[i] = self._unknown[design.items[i]]
        found = design.posterior if self.calibration is None else self.calibration.posterior
        own = found[np.arange(codes.size), design.category]
        return pd.DataFrame(
            {
                "item": np.asarray(design.items, dtype=object),
                "category": category,
                "probability": np.where(checked, 1.0, own),
                "checked": checked,
                "released": checked | self.release.items,
            }
        )

    @property
    def _unknown(self) -> Mapping[str, str]:
        return dict(zip(self.wrong["item"], self.wrong["gold"], strict=True))


def assess(
    design: Design,
    checked: Mapping[str, str],
    *,
    error_rate: float = 0.05,
    confidence: float = 0.95,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> Assessment:
    """Estimate the accuracy of a model's categories from checks.

    Parameters
    ----------
    design : Design
        The design by which items were drawn.
    checked : mapping of str to str
        Correct category by item, for items that were drawn. Not all need be checked, provided that
        the order was kept.
    error_rate : float, default 0.05
        The largest share of errors among released items.
    confidence : float, default 0.95
        Confidence that this share is not exceeded.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the folds and the bootstrap of the calibration, or a seed.

    Returns
    -------
    Assessment
        Accuracy, prevalence, calibration, and what can be released.

    Raises
    ------
    AnnotationError
        If fewer than ten items were checked (unless all were), a checked item was not drawn, or a
        number is out of range.

    Notes
    -----
    Estimates and intervals refer to these items, are based on the inclusion probabilities, and do
    not assume that the model holds. Each interval, and the release, has its own level.
    """
    gold = design.codes_of(checked)
    is_checked = gold >= 0
    n = int(is_checked.sum())
    if n < min(FEWEST_CHECKS, len(design.items)):
        raise AnnotationError(
            f"audit: {n} checked items are too few. Check at least {FEWEST_CHECKS}."
        )
    is_wrong = is_checked & (gold != design.category)
    n_checked = _by_stratum(design, is_checked)
    right = stratified_share(
        n_checked - _by_stratum(design, is_wrong), n_checked, design.sizes, level=level
    )
    outcome = np.where(is_checked, 1.0 - is_wrong, np.nan)
    calibration = None
    known = np.where(gold < len(design.categories), gold, -1)
    if (known >= 0).any():
        weight = 1 / np.maximum((n_checked / design.sizes)[design.stratum], 1e-300)
        calibration = calibrate(
            design.posterior, known, weight=np.where(known >= 0, weight, 0.0), rng=rng, level=level
        )
    return Assessment(
        design=design,
        gold=gold,
        accuracy=right,
        accuracy_by_probabilities=_by_probabilities(design, outcome, design.certainty, level),
        strata=_strata(design, is_checked, is_wrong, level),
        prevalence=_prevalence(design, gold, level),
        release=release(design, is_wrong, is_checked, error_rate=error_rate, confidence=confidence),
        calibration=calibration,
        wrong=_wrong(design, checked, is_wrong),
        remarks=tuple(_remarks(design, gold, checked, rng)),
    )


def _by_stratum(design: Design, mask: NDArray[np.bool_]) -> Ints:
    return np.bincount(design.stratum[mask], minlength=design.sizes.size)


def _by_probabilities(
    design: Design, outcome: NDArray[np.float64], prediction: NDArray[np.float64], level: float
) -> DifferenceEstimate | None:
    try:
        return difference_estimate(outcome, prediction, design.stratum, level=level)
    except AnnotationError:
        return None


def _strata(
    design: Design, is_checked: NDArray[np.bool_], is_wrong: NDArray[np.bool_], level: float
) -> pd.DataFrame:
    checked, wrong = _by_stratum(design, is_checked), _by_stratum(design, is_wrong)
    ends = np.array(
        [
            share_limits(int(n - x), int(n), int(size), level)
            for x, n, size in zip(wrong, checked, design.sizes, strict=True)
        ]
    )
    return pd.DataFrame(
        {
            "n_items": design.sizes,
            "probability": np.bincount(design.stratum, design.certainty) / design.sizes,
            "checked": checked,
            "wrong": wrong,
            "accuracy": 1
            - np.divide(wrong, checked, out=np.full(wrong.size, np.nan), where=checked > 0),
            "lower": ends[:, 0],
            "upper": ends[:, 1],
        }
    ).rename_axis("stratum")


def _prevalence(design: Design, gold: Ints, level: float) -> pd.DataFrame:
    is_checked = gold >= 0
    n_checked = _by_stratum(design, is_checked)
    rows: list[dict[str, Any]] = []
    for k, name in enumerate(design.categories):
        given, true = design.category == k, gold == k
        corrected = stratified_prevalence(
            float(given.mean()),
            _by_stratum(design, is_checked & true & ~given),
            _by_stratum(design, is_checked & given & ~true),
            n_checked,
            design.sizes,
            level=level,
        )
        alone = stratified_share(
            _by_stratum(design, is_checked & true), n_checked, design.sizes, level=level
        )
        outcome = np.where(is_checked, true.astype(np.float64), np.nan)
        powered = _by_probabilities(design, outcome, design.posterior[:, k], level)
        row: dict[str, Any] = {"category": name, "by_model": float(given.mean())}
        for prefix, found in (
            ("", corrected),
            ("by_probabilities", powered),
            ("by_checks", alone),
        ):
            names = [f"{prefix}_lower", f"{prefix}_upper"] if prefix else ["lower", "upper"]
            ends = (found.estimate, found.lower, found.upper) if found else (np.nan,) * 3
            row |= zip([prefix or "estimate", *names], np.clip(ends, 0, 1), strict=True)
        rows.append(row)
    return pd.DataFrame(rows)


def _wrong(design: Design, checked: Mapping[str, str], is_wrong: NDArray[np.bool_]) -> pd.DataFrame:
    rows = np.flatnonzero(is_wrong)
    rows = rows[np.argsort(-design.certainty[rows], kind="stable")]
    return pd.DataFrame(
        {
            "item": [design.items[i] for i in rows],
            "category": [design.categories[design.category[i]] for i in rows],
            "probability": design.certainty[rows],
            "gold": [checked[design.items[i]] for i in rows],
        }
    )


def _skipped(
    design: Design, is_checked: NDArray[np.bool_], rng: np.random.Generator | int | None
) -> list[str]:
    """Compare the items that were drawn and checked with those skipped, within strata."""
    drawn = design.drawn
    some = is_checked[drawn]
    sure = design.certainty[drawn]
    columns = np.column_stack([sure, np.eye(len(design.categories))[design.category[drawn]]])
    p_value = random_p_value(columns, some, design.stratum[drawn], rng=rng)
    if p_value > LEVEL:
        return []
    return [
        f"Checked items differ from those not checked (permutation test within strata, p = "
        f"{p_value:.3f}): mean probability of the category {sure[some].mean():.2f} and "
        f"{sure[~some].mean():.2f}. The estimates are biased: check the {int((~some).sum()):,} "
        "items of to_check.csv that are still empty."
    ]


def _remarks(
    design: Design,
    gold: Ints,
    checked: Mapping[str, str],
    rng: np.random.Generator | int | None,
) -> list[str]:
    remarks = []
    n = int((gold >= 0).sum())
    missing = int(design.drawn.sum()) - n
    if missing:
        skipped = int((design.order[gold >= 0] >= n).sum())
        remarks.append(
            f"{missing:,} of the {int(design.drawn.sum()):,} items drawn were not checked."
            + (
                f" {skipped:,} were checked out of order: the estimates are valid only if items "
                "were skipped at random, not because they are hard."
                if skipped
                else ""
            )
        )
        if skipped:
            remarks += _skipped(design, gold >= 0, rng)
    empty = np.flatnonzero(_by_stratum(design, gold >= 0) == 0)
    if empty.size:
        remarks.append(
            f"{empty.size} of {design.sizes.size} strata have no checks, so their error rates are "
            "unknown."
        )
    unknown = [checked[design.items[i]] for i in np.flatnonzero(gold == len(design.categories))]
    if unknown:
        have = "1 checked item has" if len(unknown) == 1 else f"{len(unknown):,} checked items have"
        they = "it counts" if len(unknown) == 1 else "they count"
        remarks.append(
            f"{have} a category without labels, such as {unknown[0]!r}: {they} as wrong."
            f"{spelling_hint(unknown, design.categories)}"
        )
    return remarks
