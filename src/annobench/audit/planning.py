"""Numbers of items, annotators and checks, planned from a pilot.

Agreement. The width of a coefficient's interval falls with the square root of the number of items;
the number of items is extrapolated from the width in the pilot at the planned number of labels per
item.

Prevalence. The share of labels that name a category, for n items with m labels each, has the
variance (B + W / m) / n, with B the variance between items of the share of annotators who would
name it and W the mean variance within items; both are estimated from items with two or more labels
(Cochran 1977, chapter 10). If an item costs c and a label d, the cheapest m is near sqrt(W c / (B
d)); beyond that, another item is more informative for its price than more labels per item.

Accuracy. The number of checks whose exact interval has the required half width at the expected
accuracy. Difference: `annobench.evaluation.gold_size`. Release: `annobench.audit.release`.
Certificate without checks: `annobench.noise`.

Reference: Cochran (1977), Sampling Techniques, sections 4.4, 10.3 and 10.6.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import special

from annobench import agreement, noise
from annobench.audit.release import checks_needed
from annobench.core.errors import (
    AnnotationError,
    DegenerateWarning,
    IntervalWarning,
    check_level,
)
from annobench.core.numbers import plain_number
from annobench.core.results import Summarised
from annobench.evaluation import gold_size
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.stratified import share_limits

__all__ = ["Plan", "Prices", "components", "plan"]

#: Draws of labels for a design of fewer labels per item than the pilot has.
_SUBSAMPLES: Final = 5


@dataclass(frozen=True)
class Prices:
    """Prices of labels, items and checks.

    Attributes
    ----------
    label : float
        Price of a label, above 0.
    check : float
        Price of a check by an expert, at least 0.
    item : float
        Price of an item itself, such as obtaining it; at least 0.
    currency : str
        Written after amounts.

    Raises
    ------
    AnnotationError
        If a price is out of range.
    """

    label: float = 1.0
    check: float = 0.0
    item: float = 0.0
    currency: str = ""

    def __post_init__(self) -> None:
        """Reject invalid prices."""
        for name, price in (("label", self.label), ("check", self.check), ("item", self.item)):
            if not (math.isfinite(price) and price >= 0):
                raise AnnotationError(f"plan: the price of a {name} is {price}. Give at least 0.")

    def cost(self, items: float, labels: float, checks: float = 0.0) -> float:
        """Return the cost of a design.

        Parameters
        ----------
        items, labels, checks : float
            Numbers of items, labels and checks.

        Returns
        -------
        float
            Cost in the currency.
        """
        return self.item * items + self.label * labels + self.check * checks


@dataclass(frozen=True, eq=False)
class Plan(Summarised):
    """Designs, by goal.

    Attributes
    ----------
    table : DataFrame
        One row per design: `goal`, `annotators` (labels per item), `items`, `labels`, `checks`,
        `cost`, and `cheapest`, whether no other design for the goal costs less. Numbers that a goal
        does not need are 0; infinite numbers mean that no design reaches it.
    pilot : dict of str to float
        Estimates from the pilot, by name.
    currency : str
        Currency of the cost.
    """

    table: pd.DataFrame
    pilot: dict[str, float]
    currency: str

    def summary(self) -> pd.DataFrame:
        """Return the cheapest design for each goal.

        Returns
        -------
        DataFrame
            Rows of `table`.
        """
        return self.table[self.table["cheapest"]].drop(columns="cheapest").set_index("goal")

    def _headline(self) -> str:
        return f"{self.table['goal'].nunique()} goals, {len(self.table)} designs"


def plan(
    pilot: Annotations,
    *,
    half_width: float = 0.05,
    difference: float = 0.05,
    error_rate: float = 0.05,
    accuracy: float,
    annotators: Sequence[int] = (2, 3, 5, 7, 10),
    coefficient: str = "krippendorff_alpha",
    category: str | None = None,
    items: int | None = None,
    prices: Prices | None = None,
    level: float = 0.95,
    power: float = 0.8,
    rng: np.random.Generator | int | None = None,
) -> Plan:
    """Plan items, annotators and checks from a pilot.

    Parameters
    ----------
    pilot : Annotations
        Nominal labels of some items, several per item.
    half_width : float, default 0.05
        Half width of the intervals, in (0, 1); 0.05 plans for an estimate ± 0.05.
    difference : float, default 0.05
        Difference between two methods' accuracies to detect.
    error_rate : float, default 0.05
        The largest share of errors among released items.
    accuracy : float
        Expected accuracy of the consensus, in (0, 1), from checks of a pilot or by a model.
    annotators : sequence of int, default (2, 3, 5, 7, 10)
        Numbers of labels per item to consider; for agreement, those available in the pilot.
    coefficient : str, default "krippendorff_alpha"
        Coefficient of agreement, one of `annobench.agreement`.
    category : str, optional
        Category whose prevalence is estimated; by default the most frequent.
    items : int, optional
        Number of items to release; by default that of the pilot.
    prices : Prices, optional
        By default a label costs 1, and items and checks nothing.
    level : float, default 0.95
        Level of intervals, and confidence of the release.
    power : float, default 0.8
        Power for the difference and the release.
    rng : numpy.random.Generator or int, optional
        Source of randomness for subsampling labels, or a seed.

    Returns
    -------
    Plan
        One row per goal and number of annotators.

    Raises
    ------
    AnnotationError
        If a number is out of range, no item has two labels, or a name is unknown.
    """
    pilot = as_annotations(pilot, "plan")
    check_level(level, "plan")
    for name, value in (
        ("half_width", half_width),
        ("difference", difference),
        ("accuracy", accuracy),
    ):
        if not 0 < value < 1:
            raise AnnotationError(f"plan: {name} must be between 0 and 1, got {value}.")
    prices = Prices() if prices is None else prices
    rng = np.random.default_rng(rng)
    of_items = pilot.n_items if items is None else items
    between, within, share = components(pilot, category)
    rows = [
        *_agreement_rows(pilot, coefficient, annotators, half_width, level, rng),
        *_prevalence_rows(between, within, annotators, half_width, level),
    ]
    checks = checks_for_half_width(accuracy, half_width, of_items, level=level)
    rows.append(_row(f"accuracy ± {half_width:g}", checks=checks))
    discordance = min(1.0, max(difference, 2 * accuracy * (1 - accuracy)))
    rows.append(
        _row(
            f"difference of {difference:g}",
            checks=gold_size.items_needed(difference, discordance, level=1 - level, power=power),
        )
    )
    needed = checks_needed(
        1 - accuracy,
        of_items,
        error_rate=error_rate,
        confidence=level,
        of_items=of_items,
        power=power,
    )
    rows.append(_row(f"release at {error_rate:g}", checks=needed))
    rows += _certificate_rows(pilot, of_items, error_rate, level, power)
    table = pd.DataFrame(rows)
    table["cost"] = prices.cost(table["items"], table["labels"], table["checks"])  # type: ignore[arg-type]
    least = table.groupby("goal")["cost"].transform("min")
    first = ~table[table["cost"] == least].duplicated("goal")
    table["cheapest"] = table.index.isin(first.index[first])
    found = {
        "between": between,
        "within": within,
        "prevalence": share,
        "accuracy": accuracy,
        "labels_per_item": optimal_labels(between, within, prices),
    }
    return Plan(table, found, prices.currency)


def components(pilot: Annotations, category: str | None = None) -> tuple[float, float, float]:
    """Estimate the variance of a category's labels between items and within items.

    Parameters
    ----------
    pilot : Annotations
        Labels; items with a single label are left out.
    category : str, optional
        The category; by default the most frequent.

    Returns
    -------
    tuple of float
        Variance between items, at least 0; variance within items; and the share of labels that name
        the category.

    Raises
    ------
    AnnotationError
        If no two items have two labels, or there is no such category.

    Examples
    --------
    Two annotators who always agree vary between items alone:

    >>> a = Annotations.from_arrays(list("wwxxyyzz"), list("abababab"), list("00110011"))
    >>> components(a)
    (0.3333333333333333, 0.0, 0.5)
    """
    pilot = as_annotations(pilot, "components")
    category = None if category is None else plain_number(category)
    if category is not None and category not in pilot.categories:
        raise AnnotationError(
            f"plan: there is no category {category!r}. Name one of "
            f"{', '.join(map(repr, pilot.categories[:10]))}."
        )
    given = np.bincount(pilot.label, minlength=pilot.n_categories)
    code = int(given.argmax()) if category is None else pilot.categories.index(category)
    named = np.bincount(pilot.item, pilot.label == code, minlength=pilot.n_items)
    m = np.bincount(pilot.item, minlength=pilot.n_items)
    several = m >= 2
    if several.sum() < 2:
        raise AnnotationError(
            "plan: the pilot needs two or more items with two or more labels each. Have some items "
            "labelled again."
        )
    share, size = named[several] / m[several], m[several]
    inside = share * (1 - share) * size / (size - 1)
    within = float(inside.mean())
    between = max(0.0, float(share.var(ddof=1) - (inside / size).mean()))
    return between, within, float(share.mean())


def optimal_labels(between: float, within: float, prices: Prices) -> float:
    """Return the cheapest number of labels per item for estimating a prevalence."""
    if not between:
        return math.inf if within else 1.0
    if not prices.label:
        return math.inf
    return max(1.0, math.sqrt(within / between * prices.item / prices.label))


def checks_for_half_width(
    accuracy: float, half_width: float, n_items: int, *, level: float = 0.95
) -> float:
    """Return the number of checks for an interval of accuracy with a given half width."""

    def fits(n: int) -> bool:
        lower, upper = share_limits(round(accuracy * n), n, n_items, level)
        return upper - lower <= 2 * half_width

    high = 4
    while high < n_items and not fits(high):
        high *= 2
    high = min(high, n_items)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return float(high)


def _row(
    goal: str, *, annotators: int = 0, items: float = 0.0, checks: float = 0.0
) -> dict[str, Any]:
    return {
        "goal": goal,
        "annotators": annotators,
        "items": items,
        "labels": items * annotators if annotators else 0.0,
        "checks": checks,
    }


def _agreement_rows(
    pilot: Annotations,
    coefficient: str,
    annotators: Sequence[int],
    half_width: float,
    level: float,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    known = agreement.discover()
    if coefficient not in known:
        raise AnnotationError(
            f"plan: there is no coefficient {coefficient!r}. Name one of {', '.join(known)}."
        )
    compute = getattr(agreement, coefficient)
    per_item = np.diff(pilot.by_item.offsets)
    rows = []
    for m in annotators:
        kept = np.flatnonzero(per_item >= m)
        if m < 2 or kept.size < 10:
            continue
        some = pilot.select(items=per_item >= m)
        half_widths = []
        for _ in range(_SUBSAMPLES):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DegenerateWarning)
                warnings.simplefilter("ignore", IntervalWarning)
                interval = compute(some.subsample(m, rng)).interval(level=level)
            half_widths.append((interval.upper - interval.lower) / 2)
        mean = float(np.mean(half_widths))
        if math.isfinite(mean):
            n = max(math.ceil(kept.size * (mean / half_width) ** 2), 10)
            rows.append(_row(f"{coefficient} ± {half_width:g}", annotators=m, items=n))
    return rows


def _prevalence_rows(
    between: float, within: float, annotators: Sequence[int], half_width: float, level: float
) -> list[dict[str, Any]]:
    z = float(special.ndtri((1 + level) / 2))
    rows = []
    for m in (1, *annotators):
        n = math.ceil((z / half_width) ** 2 * (between + within / m))
        rows.append(_row(f"prevalence ± {half_width:g}", annotators=m, items=max(n, 10)))
    return rows


def _certificate_rows(
    pilot: Annotations, of_items: int, error_rate: float, level: float, power: float
) -> list[dict[str, Any]]:
    """Plan the certificate of unanimous items, if the pilot identifies the share of hard items."""
    try:
        shares = noise.hard_share(pilot, rng=0)
        hard = float(shares.loc[shares["model"] == "rates", "estimate"].iloc[0])
        k = pilot.n_categories
        options = {"rate": error_rate, "power": power, "level": level}
        guess = [1 / k] * k
        n = noise.annotators_needed(
            of_items, hard, guess_distribution=guess, n_categories=k, **options
        )
    except (AnnotationError, IndexError):
        return []
    return [_row(f"certificate at {error_rate:g}", annotators=n, items=of_items)]
