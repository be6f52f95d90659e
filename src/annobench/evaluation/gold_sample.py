"""Whether items with gold are like the others, and what represents the others if they are not.

Gold items stand for all items if they were drawn at random. If they were chosen, such as the items
on which annotators disagreed, accuracy on gold is that of the chosen items. What labels show of an
item is compared between items with gold and the others: the share of agreeing pairs of labels, the
number of labels, the category of the majority, and what else a command knows.

The test. If gold were a simple random sample of n of N labelled items, every n items would be
equally probable. The statistic of a number is the squared difference between its mean on gold and
on all items, that of a category Pearson's chi-square; p-values are from random samples of n items,
and the smallest of the features' p-values is compared with its own distribution in these samples
(Westfall and Young), so that the level holds for all features together.

Strata. If the test rejects, items are stratified by the most significant feature: the agreement
(number of agreeing labels), classes of the number of labels, or the category of the majority.
Features are then tested again, with random samples within strata, and added until none is
significant. Levels with fewer than a twentieth of the items are merged with neighbours; unanimous
items are never merged with others.

Weights. A gold item of a stratum with n_h gold items among N_h has the weight N_h / n_h. Gold
represents a stratum if n_h is at least half of the number that a random sample would have, or 10,
or all its items. If strata that it does not represent have more than a twentieth of the items, no
weights make gold like the others: more items have to be labelled.

References
----------
Holt and Smith (1979), Post stratification, Journal of the Royal Statistical Society A 142, 33-46;
Little and Rubin (2019), Statistical Analysis with Missing Data, section 3.3, for weights within
classes; Westfall and Young (1993), Resampling-based Multiple Testing, section 2.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from annobench.core.errors import AnnotationError
from annobench.core.results import Summarised
from annobench.core.texts import counted, plain
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.resampling.intervals import Interval
from annobench.resampling.proportions import proportion_interval, wilson_limits
from annobench.resampling.ratios import ratio
from annobench.resampling.stratified import stratified_share

__all__ = ["LEVEL", "GoldSample", "compare_gold", "random_p_value"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Level of the test. A difference that it misses is not corrected, a false alarm costs little: at
#: .01, intervals from 30 items chosen twice as often if labels disagree cover .91, at .05 .94.
LEVEL: Final = 0.05
#: Random samples by which it is carried out.
SAMPLES: Final = 1_999
#: Share of items below which a level is merged, and which may be without gold.
SMALL: Final = 0.05
#: Gold items by which a stratum is represented, and asked for at most.
FEWEST, ENOUGH = 10, 50
#: Categories that are compared one by one.
MAX_CATEGORIES: Final = 10
#: Values of a number that are compared one by one.
MAX_VALUES: Final = 20


@dataclass(frozen=True, eq=False)
class GoldSample(Summarised):
    """Items with gold compared with the others.

    Attributes
    ----------
    known : ndarray of bool, shape (I,)
        Whether an item has gold and labels.
    p_value : float
        Of the test that gold is a random sample; 1 if there is nothing to compare.
    differs : bool
        Whether the test rejects.
    differences : DataFrame
        One row per feature: `feature`, `quantity`, `gold` and `others` (its means; of a category,
        the share that differs most), `p_value`.
    stratum : ndarray of int, shape (I,)
        Strata in [0, H); -1 for items without labels. One stratum if gold does not differ.
    strata : DataFrame
        One row per stratum: `labels` (its description), `n_items`, `n_gold`, `represented`, and
        `to_label`, the number of further items to label.
    by : tuple of str
        The features by which items are stratified.
    to_label : DataFrame
        Items to label so that gold represents all items: `item`, `labels`, and `gold`, empty; drawn
        at random from the strata.
    """

    known: Bools
    p_value: float
    differs: bool
    differences: pd.DataFrame
    stratum: Ints
    strata: pd.DataFrame
    by: tuple[str, ...]
    to_label: pd.DataFrame

    @property
    def represents(self) -> bool:
        """Whether gold, weighted if it differs, represents all items."""
        missed = self.strata["n_items"][~self.strata["represented"]].sum()
        return bool(missed <= SMALL * self.strata["n_items"].sum())

    @property
    def represented(self) -> Bools:
        """Whether an item is in a stratum that gold represents, shape (I,)."""
        if self.represents:
            return np.asarray(self.stratum >= 0)
        return np.append(self.strata["represented"].to_numpy(dtype=bool), False)[self.stratum]

    @property
    def weight(self) -> Floats:
        """Number of items that each gold item stands for, shape (I,).

        0 for items without gold, and for strata that gold does not represent; 1 if gold does not
        differ.
        """
        use = self.known & self.represented
        if not self.differs:
            return use.astype(np.float64)
        by_stratum = ratio(self.strata["n_items"], self.strata["n_gold"])
        return np.where(use, np.nan_to_num(np.append(by_stratum, 0.0)[self.stratum]), 0.0)

    @property
    def odds(self) -> Floats:
        """Items without gold for each gold item of an item's stratum, shape (I,)."""
        others = self.strata["n_items"] - self.strata["n_gold"]
        by_stratum = np.nan_to_num(ratio(others, self.strata["n_gold"]))
        return np.asarray(np.append(by_stratum, 0.0)[self.stratum])

    @property
    def n_effective(self) -> float:
        """Kish's effective number of gold items: the number itself if gold does not differ."""
        weight = self.weight
        return float(weight.sum() ** 2 / (weight**2).sum())

    @property
    def effective_weight(self) -> Floats:
        """Weights whose sum is Kish's effective number of gold items, shape (I,)."""
        weight = self.weight
        return np.asarray(weight * weight.sum() / (weight**2).sum())

    def thinned(self, rng: np.random.Generator | int | None = None) -> Bools:
        """Draw gold items that are like all items.

        Parameters
        ----------
        rng : numpy.random.Generator or int, optional
            Source of randomness, or a seed.

        Returns
        -------
        ndarray of bool, shape (I,)
            All gold items if gold does not differ, none if it does not represent all items, else as
            many of each stratum as the scarcest allows.
        """
        if not self.differs:
            return self.known
        kept = np.zeros(self.known.size, dtype=bool)
        if not self.represents:
            return kept
        generator = np.random.default_rng(rng)
        strata = self.strata[self.strata["represented"]]
        share = float((strata["n_gold"] / strata["n_items"]).min())
        for h, n in strata["n_items"].items():
            inside = np.flatnonzero(self.known & (self.stratum == h))
            size = min(inside.size, round(share * n))
            kept[generator.choice(inside, size=size, replace=False)] = True
        return kept

    def share(self, right: ArrayLike, level: float = 0.95) -> Interval:
        """Estimate a share of the represented items.

        Parameters
        ----------
        right : array_like of bool, shape (I,)
            Whether an item counts; only gold items are used.
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        Interval
            Wilson's if gold does not differ; else post-stratified, from Jeffreys' limits of the
            strata.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        counts = np.asarray(right, dtype=bool)
        if not self.differs:
            known = self.known
            return proportion_interval(int(counts[known].sum()), int(known.sum()), level=level)
        use = self.represented & self.known
        h = len(self.strata)
        inside = np.bincount(self.stratum[self.represented], minlength=h)
        hits = np.bincount(self.stratum[use & counts], minlength=h)
        n_gold = np.bincount(self.stratum[use], minlength=h)
        some = inside > 0
        return stratified_share(
            hits[some],
            n_gold[some],
            inside[some],
            level=level,
            construction="jeffreys",
            unlimited=True,
        )

    def part(self, hits: ArrayLike, among: ArrayLike, level: float = 0.95) -> Interval:
        """Estimate a share among some items, such as those of a category.

        Parameters
        ----------
        hits, among : array_like of bool, shape (I,)
            Whether an item counts, and whether it is among those whose share it is; only gold items
            are used.
        level : float, default 0.95
            In (0, 1).

        Returns
        -------
        Interval
            Wilson's; weighted if gold differs, with Kish's effective number of items.

        Raises
        ------
        AnnotationError
            If the level is out of range.
        """
        inside = np.asarray(among, dtype=bool) & self.known & self.represented
        counts = inside & np.asarray(hits, dtype=bool)
        if not self.differs or not inside.any():
            return proportion_interval(int(counts.sum()), int(inside.sum()), level=level)
        weight = self.weight
        total = weight[inside].sum()
        estimate = float(weight[counts].sum() / total)
        effective = total**2 / (weight[inside] ** 2).sum()
        ends = wilson_limits(estimate, effective, None, float(ndtri((1 + level) / 2)))
        return Interval(estimate, float(ends[0]), float(ends[1]), level, "wilson")

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables that a command writes if gold differs.

        Returns
        -------
        dict of str to DataFrame
            `gold_strata`, and `to_label` if items are to be labelled; else empty.
        """
        if not self.differs:
            return {}
        tables = {"gold_strata": self.strata}
        return tables | ({"to_label": self.to_label} if len(self.to_label) else {})

    def summary(self) -> pd.DataFrame:
        """Return the strata.

        Returns
        -------
        DataFrame
            `strata`, by `labels`.
        """
        return self.strata.set_index("labels")

    def _headline(self) -> str:
        n = f"{int(self.known.sum()):,} of {int((self.stratum >= 0).sum()):,} items have gold"
        if not self.differs:
            return f"{n}; they do not differ from the others"
        return f"{n}; {self.difference}"

    @property
    def difference(self) -> str:
        """How items with gold differ from the others, in numbers."""
        rows = self.differences[self.differences["feature"].isin(self.by)].to_dict("records")
        named = "; ".join(
            f"{row['quantity']} {row['gold']:.2f} with gold and {row['others']:.2f} without"
            for row in rows
        )
        p = "p < .001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}".replace("0.", ".")
        return f"items with gold differ from the others (permutation test, {p}): {named}"

    @property
    def lacking(self) -> str:
        """The strata that gold does not represent, with their numbers of items."""
        missed = self.strata[~self.strata["represented"]]
        return "; ".join(
            f"{row['labels']}: {row['n_gold']:,} of {counted(row['n_items'], 'item')} with gold"
            for row in missed.to_dict("records")
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """The difference, what follows from it, and which items to label; empty without one."""
        if not self.differs:
            return ()
        text = f"Gold is not a random sample: {self.difference}."
        if self.represents:
            by = " and ".join(self.by)
            return (f"{text} What is estimated from gold is post-stratified by {by}.",)
        missed = self.strata[~self.strata["represented"]]
        wanted = "; ".join(
            f"{row['to_label']:,} of those with {row['labels']}"
            for row in missed.to_dict("records")
        )
        return (
            f"{text} Gold does not represent all items ({self.lacking}). What is estimated from "
            f"gold holds for the other {int(self.represented.sum()):,} of "
            f"{int((self.stratum >= 0).sum()):,} items, and no probabilities, weights or category "
            "sets are calibrated on gold.",
            f"To mend this, label {counted(len(self.to_label), 'more item')} ({wanted}) and add "
            "them to the gold standard: the table to_label names them, drawn at random.",
        )


def compare_gold(
    annotations: Annotations,
    known: ArrayLike,
    *,
    more: Mapping[str, ArrayLike] | None = None,
    rng: np.random.Generator | int | None = None,
) -> GoldSample:
    """Compare items with gold with the others.

    Parameters
    ----------
    annotations : Annotations
        The labels; items without labels are left out.
    known : array_like of bool, shape (I,)
        Whether an item has gold.
    more : mapping of str to array_like of int, shape (I,), optional
        Further categories of each item by name, such as the label of a judge: codes of the
        annotations' categories, -1 for none.
    rng : numpy.random.Generator or int, optional
        Source of randomness for the test and the items to label, or a seed. What is
        drawn from a generator later is the same without this.

    Returns
    -------
    GoldSample
        The differences, strata and weights.

    Raises
    ------
    AnnotationError
        If shapes do not match, or no item has labels and gold.

    Notes
    -----
    The test costs about 2,000 samples of as many cells as there are different items.

    References
    ----------
    Holt and Smith (1979), Journal of the Royal Statistical Society A 142, 33-46.

    Examples
    --------
    Of items with three labels, those on which annotators disagree have gold:

    >>> rows = [[1, 1, 1], [0, 0, 0]] * 50 + [[1, 1, 0], [0, 0, 1]] * 20
    >>> labels = Annotations.from_wide(rows)
    >>> found = compare_gold(labels, np.arange(140) >= 100, rng=1)
    >>> found.differs, found.represents, found.strata["to_label"].tolist()
    (True, False, [0, 29])
    """
    a = as_annotations(annotations, "compare_gold")
    votes = a.counts
    n_labels = votes.sum(axis=1)
    has = np.asarray(known, dtype=bool)
    if has.shape != n_labels.shape:
        raise AnnotationError(
            f"compare_gold: known has shape {has.shape}. Give one value for each of the "
            f"{a.n_items:,} items."
        )
    labelled = n_labels > 0
    has &= labelled
    if not has.any():
        raise AnnotationError("compare_gold: no item has labels and gold. Give some.")
    # Of a copy: what is drawn from the generator later does not depend on this.
    [stream] = deepcopy(np.random.default_rng(rng)).spawn(1)
    features = _features(votes[labelled], a.categories)
    for name, codes in (more or {}).items():
        features.append(_nominal(name, np.asarray(codes)[labelled], a.categories))
    by, stratum, names, differences, p_value = _stratify(features, has[labelled], stream)
    places = np.full(labelled.size, -1, dtype=np.int64)
    places[labelled] = stratum
    strata = _strata(stratum, has[labelled], names)
    return GoldSample(
        known=has,
        p_value=p_value,
        differs=p_value <= LEVEL,
        differences=differences,
        stratum=places,
        strata=strata,
        by=by,
        to_label=_to_label(a.items, places, has, strata, stream),
    )


def random_p_value(
    columns: ArrayLike,
    known: ArrayLike,
    stratum: ArrayLike | None = None,
    *,
    rng: np.random.Generator | int | None = None,
) -> float:
    """Test whether items are a random sample of their strata.

    Parameters
    ----------
    columns : array_like, shape (I, P)
        Numbers that describe items.
    known : array_like of bool, shape (I,)
        Whether an item is in the sample.
    stratum : array_like of int, shape (I,), optional
        Strata in [0, H); by default one.
    rng : numpy.random.Generator or int, optional
        Source of randomness, or a seed.

    Returns
    -------
    float
        P-value of all columns together.

    Examples
    --------
    >>> random_p_value(np.arange(100)[:, None], np.arange(100) < 20, rng=1) < 0.01
    True
    """
    table = np.asarray(columns, dtype=np.float64)
    has = np.asarray(known, dtype=bool)
    strata = np.zeros(has.size, dtype=np.int64) if stratum is None else np.asarray(stratum)
    generator = deepcopy(np.random.default_rng(rng))
    features = [_coarse(column[:, None]) for column in table.T]
    return _test(features, strata, has, generator)[0]


@dataclass(frozen=True, eq=False)
class _Feature:
    """A property of items: columns whose means are compared, and levels for strata."""

    name: str
    called: tuple[str, ...]
    columns: Floats
    level: Ints
    levels: tuple[str, ...]


def _features(votes: Ints, categories: tuple[str, ...]) -> list[_Feature]:
    """Describe items by their votes."""
    n, most = votes.sum(axis=1), votes.max(axis=1)
    agreeing = ratio((votes * (votes - 1)).sum(axis=1), n * (n - 1))
    if np.isnan(agreeing).all():
        agreeing = np.ones(n.size)
    agreeing = np.where(np.isnan(agreeing), np.nanmean(agreeing), agreeing)
    tied = (votes == most[:, None]).sum(axis=1) > 1
    winner = np.where(tied, len(categories), votes.argmax(axis=1))
    return [
        _Feature(
            "the agreement of labels",
            ("share of agreeing pairs",),
            agreeing[:, None],
            *_agreement_levels(most, n),
        ),
        _Feature(
            "the number of labels",
            ("labels per item",),
            n[:, None].astype(np.float64),
            *_number_levels(n),
        ),
        _nominal("the category of the majority", winner, (*categories, "tied votes")),
    ]


def _nominal(name: str, codes: Ints, names: tuple[str, ...]) -> _Feature:
    """Describe items by a category; rare ones are compared together."""
    values, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]
    frequent = frequent[counts[frequent] >= SMALL * codes.size]
    level = np.full(values.size, frequent.size)
    level[frequent] = np.arange(frequent.size)
    called = ["none" if values[at] < 0 else repr(plain(names[values[at]])) for at in frequent]
    called += ["another"] if frequent.size < values.size else []
    columns = np.eye(len(called))[level[place]]
    said = tuple(f"share with {each} as {name}" for each in called)
    levels = tuple(f"{each} as {name}" for each in called)
    return _Feature(name, said, columns, level[place], levels)


def _agreement_levels(most: Ints, n: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Class items by their number of agreeing labels; unanimous ones are a class of their own."""
    unanimous, alone = (most == n) & (n > 1), n == 1
    disputed = ~unanimous & ~alone
    shares = most / n
    level = np.zeros(n.size, dtype=np.int64)
    level[disputed] = _merged(shares[disputed], SMALL * n.size)
    names = []
    for number in range(int(level[disputed].max(initial=-1)) + 1):
        inside = disputed & (level == number)
        sizes, agreeing = np.unique(n[inside]), np.unique(most[inside])
        if sizes.size == 1:
            labels = " or ".join(map(str, agreeing)) if agreeing.size < 3 else None
            labels = labels or f"{agreeing[0]} to {agreeing[-1]}"
            names.append(f"{labels} of {sizes[0]} labels agreeing")
        else:
            low, high = shares[inside].min(), shares[inside].max()
            span = f"{low:.0%}" if low == high else f"{low:.0%} to {high:.0%}"
            names.append(f"{span} of labels agreeing")
    for mask, name in ((unanimous, "all labels agreeing"), (alone, "one label")):
        if mask.any():
            level[mask] = len(names)
            names.append(name)
    return level, tuple(names)


def _number_levels(n: Ints) -> tuple[Ints, tuple[str, ...]]:
    level = _merged(n.astype(np.float64), SMALL * n.size)
    names = []
    for number in range(int(level.max()) + 1):
        low, high = n[level == number].min(), n[level == number].max()
        names.append(counted(int(low), "label") if low == high else f"{low} to {high} labels")
    return level, tuple(names)


def _merged(values: Floats, least: float) -> Ints:
    """Class values in order, each class with at least so many items."""
    different, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    level = np.zeros(different.size, dtype=np.int64)
    inside, number = 0, 0
    for at, count in enumerate(counts):
        if inside >= least and counts[at:].sum() >= least:
            number, inside = number + 1, 0
        level[at] = number
        inside += count
    return level[place]


def _coarse(columns: Floats) -> Floats:
    """Replace a number that has many values by the means of its classes."""
    if columns.shape[1] > 1 or np.unique(columns).size <= MAX_VALUES:
        return columns
    level = _merged(columns[:, 0], len(columns) / MAX_VALUES)
    return np.asarray((np.bincount(level, columns[:, 0]) / np.bincount(level))[level, None])


def _stratify(
    features: list[_Feature], has: Bools, rng: np.random.Generator
) -> tuple[tuple[str, ...], Ints, tuple[str, ...], pd.DataFrame, float]:
    """Add features until items with gold are like a random sample within strata."""
    stratum = np.zeros(has.size, dtype=np.int64)
    names: tuple[str, ...] = ("",)
    remaining = list(features)
    by: tuple[str, ...] = ()
    differences, overall = pd.DataFrame(), 1.0
    while remaining and not has.all():
        p_value, p_values = _test([_coarse(each.columns) for each in remaining], stratum, has, rng)
        if not by:
            overall, differences = p_value, _differences(features, has, p_values)
        if p_value > LEVEL:
            break
        chosen = remaining.pop(int(np.argmin(p_values)))
        by = (*by, chosen.name)
        width = len(chosen.levels)
        keys, stratum = np.unique(stratum * width + chosen.level, return_inverse=True)
        names = tuple(
            ", ".join(filter(None, (names[key // width], chosen.levels[key % width])))
            for key in keys
        )
    return by, stratum, names, differences, overall


def _test(
    columns: list[Floats], stratum: Ints, has: Bools, rng: np.random.Generator
) -> tuple[float, Floats]:
    """Return the p-value of all features together, and that of each.

    Within a stratum every set of as many items is equally probable.
    """
    width = [table.shape[1] for table in columns]
    cell = stratum
    for table in columns:
        is_number = table.shape[1] == 1
        code = np.unique(table, return_inverse=True)[1] if is_number else table.argmax(axis=1)
        cell = cell * (code.max() + 1) + code.ravel()
    _, first, place, counts = np.unique(
        cell, return_index=True, return_inverse=True, return_counts=True
    )
    values, of_stratum = np.column_stack(columns)[first], stratum[first]
    size = np.bincount(stratum)
    n_gold = np.bincount(stratum[has], minlength=size.size)
    drawn = np.zeros((SAMPLES + 1, counts.size), dtype=np.int64)
    drawn[0] = np.bincount(place[has], minlength=counts.size)
    for h, n in enumerate(n_gold):
        inside = np.flatnonzero(of_stratum == h)
        drawn[1:, inside] = rng.multivariate_hypergeometric(
            counts[inside], n, size=SAMPLES, method="marginals"
        )
    expected = counts * (n_gold / size)[of_stratum]
    gaps = (drawn - expected) @ values
    # A category is weighted as in Pearson's chi-square; the scale of a number has no effect.
    scale = np.maximum(expected @ np.abs(values), np.finfo(np.float64).tiny)
    squares = np.split(gaps**2 / scale, np.cumsum(width)[:-1], axis=1)
    statistics = np.column_stack([square.sum(axis=1) for square in squares])
    # Sums of the same numbers in another order are equal.
    statistics = np.round(statistics, 9)
    ranks = np.column_stack(
        [
            (statistic.size - np.searchsorted(np.sort(statistic), statistic)) / statistic.size
            for statistic in statistics.T
        ]
    )
    smallest = ranks.min(axis=1)
    return float((smallest <= smallest[0]).mean()), ranks[0]


def _differences(features: list[_Feature], has: Bools, p_values: Floats) -> pd.DataFrame:
    """Tabulate features on gold and on the others."""
    rows = []
    for feature, p_value in zip(features, p_values, strict=True):
        gold, others = feature.columns[has].mean(axis=0), feature.columns[~has].mean(axis=0)
        at = int(np.abs(gold - others).argmax())
        rows.append(
            {
                "feature": feature.name,
                "quantity": feature.called[at],
                "gold": float(gold[at]),
                "others": float(others[at]),
                "p_value": float(p_value),
            }
        )
    return pd.DataFrame(rows)


def _strata(stratum: Ints, has: Bools, names: tuple[str, ...]) -> pd.DataFrame:
    """Count items and gold by stratum, and how many more are to be labelled."""
    size = np.bincount(stratum, minlength=len(names))
    n_gold = np.bincount(stratum[has], minlength=len(names))
    at_random = size * has.sum() / has.size
    least = np.maximum(1, np.minimum(FEWEST, at_random / 2))
    represented = (n_gold >= least) | (n_gold == size)
    wanted = np.minimum(size, np.clip(np.ceil(at_random), FEWEST, ENOUGH)).astype(np.int64)
    missed = size[~represented].sum() > SMALL * has.size
    to_label = np.where(represented | ~missed, 0, np.maximum(wanted - n_gold, 0))
    return pd.DataFrame(
        {
            "labels": list(names),
            "n_items": size,
            "n_gold": n_gold,
            "represented": represented,
            "to_label": to_label,
        }
    )


def _to_label(
    items: tuple[str, ...],
    stratum: Ints,
    has: Bools,
    strata: pd.DataFrame,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Draw the items to label."""
    chosen = [
        rng.choice(np.flatnonzero((stratum == h) & ~has), size=n, replace=False)
        for h, n in enumerate(strata["to_label"])
    ]
    order = np.concatenate([*chosen, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    return pd.DataFrame(
        {
            "item": [items[i] for i in order],
            "labels": strata["labels"].to_numpy()[stratum[order]],
            "gold": "",
        }
    )
