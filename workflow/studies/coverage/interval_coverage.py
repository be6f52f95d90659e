"""The empirical coverage of the intervals of coefficients.

Labels of a design are simulated repeatedly; the coverage of a kind of interval is the share of
repetitions in which it contains the estimand. The design: an item is of category k with a given
prevalence, and annotator j, given the category, draws a label from row k of a confusion matrix of
their own, independently of the other annotators. Rows of confusion matrices are Dirichlet
distributed around those of a mean annotator, who is right with probability `accuracy` and otherwise
the likelier wrong the nearer the category.

What is drawn anew in every repetition, and what the estimand is, follows the resampled unit:

``items``
    The annotators are fixed and the items are new. The estimand is the coefficient of these
    annotators on very many items.
``annotators``
    The items are fixed, by their categories, and the annotators are new, and so is what they make
    of each item. The estimand is the coefficient of these items labelled by very many annotators.
``both``
    All are new. The estimand is the coefficient of very many items and very many annotators.

Very many is a million items (`ESTIMAND_ITEMS`), in batches, whose scatter gives the estimand's
standard error. Where annotators are redrawn, a batch is made of blocks, and each block has two
annotators of its own: a block is the fixed items once more, or else `BLOCK` new ones. All
coefficients of any number of annotators compare them in pairs, so that two suffice; as there are
many blocks, distributions of labels that are pooled over annotators are those of all annotators.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from types import ModuleType
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from annobench.agreement.coefficients import discover
from annobench.agreement.intervals import KINDS, Kind
from annobench.agreement.record import Coefficient
from annobench.agreement.replicates import Unit
from annobench.agreement.result import Agreement
from annobench.core.errors import AnnotationError, DegenerateWarning, IntervalWarning
from annobench.labels.annotations import Annotations, Scale
from annobench.resampling.proportions import proportion_interval

#: Items that an estimand is computed from.
ESTIMAND_ITEMS: Final = 1_000_000
#: Batches that these come in.
BATCHES: Final = 20
#: Items that two annotators label, where items and annotators are new.
BLOCK: Final = 500
#: The most annotators of a block that all annotators of a batch label.
CROSSED: Final = 200

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Design:
    """What labels are like: how many, of what, by whom.

    Attributes
    ----------
    n_items, n_annotators : int
        I and J.
    prevalence : float
        In (0, 1). Category k of K has a binomial share, K - 1 trials with this probability;
        of two categories it is the share of the second.
    n_categories : int
        K.
    scale : {"nominal", "ordinal", "interval", "set"}
        Of the labels. Categories are named 0, 1, ...; on the set scale category k is the set of
        the first k of K - 1 elements.
    missing : float
        Probability in [0, 1) that an annotator did not label an item.
    accuracy : float
        Of the mean annotator, in (0, 1).
    concentration : float
        Of the Dirichlet distribution of the rows of confusion matrices; annotators are the more
        alike the larger it is.
    """

    n_items: int
    n_annotators: int
    prevalence: float
    n_categories: int = 2
    scale: Scale = "nominal"
    missing: float = 0.0
    accuracy: float = 0.85
    concentration: float = 20.0

    def __post_init__(self) -> None:
        shares = {"prevalence": self.prevalence, "accuracy": self.accuracy}
        for name, share in shares.items():
            if not 0 < share < 1:
                raise AnnotationError(f"Design: {name} must be between 0 and 1, got {share}.")
        if not 0 <= self.missing < 1:
            raise AnnotationError(f"Design: missing must be in [0, 1), got {self.missing}.")
        least = {"n_items": 1, "n_annotators": 2, "n_categories": 2}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise AnnotationError(
                    f"Design: {name} must be at least {number}, got {getattr(self, name)}."
                )

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each category among items, shape (K,)."""
        k = np.arange(self.n_categories)
        return np.asarray(stats.binom.pmf(k, self.n_categories - 1, self.prevalence))

    @property
    def mean_confusion(self) -> NDArray[np.float64]:
        """The confusion matrix of the mean annotator, shape (K, K), rows sum to 1."""
        k = np.arange(self.n_categories)
        wrong = 0.5 ** np.abs(k[:, None] - k)
        np.fill_diagonal(wrong, 0)
        wrong *= (1 - self.accuracy) / wrong.sum(axis=1, keepdims=True)
        return np.asarray(wrong + self.accuracy * np.eye(k.size))

    def draw_annotators(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw confusion matrices.

        Parameters
        ----------
        n : int
            How many; from one seed the first are the same whatever the number.
        rng : numpy.random.Generator
            The source of randomness.

        Returns
        -------
        ndarray, shape (n, K, K)
            Rows sum to 1.
        """
        weight = rng.standard_gamma(
            self.concentration * self.mean_confusion, size=(n, *self.mean_confusion.shape)
        )
        return np.asarray(weight / weight.sum(axis=-1, keepdims=True))

    def draw_items(self, n: int, rng: np.random.Generator) -> Labels:
        """Draw the categories of items.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator
            The source of randomness.

        Returns
        -------
        ndarray of int, shape (n,)
            Codes.
        """
        return rng.choice(self.n_categories, size=n, p=self.shares)

    @property
    def fixed_items(self) -> Labels:
        """The categories of I items that have the prevalence as nearly as can be, shape (I,)."""
        upto = np.rint(np.cumsum(self.shares) * self.n_items).astype(np.int64)
        return np.searchsorted(upto, np.arange(self.n_items), side="right")

    def annotations(self, labels: Labels, missing: NDArray[np.bool_] | None = None) -> Annotations:
        """Name the labels of a complete table.

        Parameters
        ----------
        labels : ndarray of int, shape (I, J)
            Codes.
        missing : ndarray of bool, shape (I, J), optional
            Labels to leave out.

        Returns
        -------
        Annotations
            Of the design's scale and categories.
        """
        present = np.ones(labels.shape, dtype=bool) if missing is None else ~missing
        item, annotator = np.nonzero(present)
        k = self.n_categories
        elements = _names(k - 1) if self.scale == "set" else ()
        sets = tuple(frozenset(elements[:code]) for code in range(k))
        return Annotations(
            item.astype(np.int32),
            annotator.astype(np.int32),
            labels[present].astype(np.int16),
            _names(labels.shape[0]),
            _names(labels.shape[1]),
            _names(k),
            self.scale,
            sets if self.scale == "set" else (),
            elements,
        )


def draw_labels(
    category: Labels, confusion: NDArray[np.float64], rng: np.random.Generator
) -> Labels:
    """Let annotators label items.

    Parameters
    ----------
    category : ndarray of int, shape (I,)
        What each item is.
    confusion : ndarray, shape (J, K, K)
        Of each annotator.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    ndarray of int, shape (I, J)
        Codes.
    """
    labels = np.zeros((category.size, len(confusion)), dtype=np.int64)
    below = np.cumsum(confusion, axis=-1)[..., :-1]
    for j, thresholds in enumerate(below):
        level = rng.random(category.size)
        for k in range(thresholds.shape[1]):
            labels[:, j] += level > thresholds[category, k]
    return labels


@dataclass(frozen=True)
class Case:
    """A coefficient with its options.

    Attributes
    ----------
    coefficient : str
        Its name.
    options : mapping
        Of its function.
    scale : {"nominal", "ordinal", "interval", "set"}
        Of the labels that it is tried on.
    n_categories : int
        Of these labels.
    """

    coefficient: str
    options: Mapping[str, Any] = field(default_factory=dict)
    scale: Scale = "nominal"
    n_categories: int = 2

    @property
    def method(self) -> Coefficient:
        """The coefficient's record."""
        record: Coefficient = _discovered()[self.coefficient].METHOD
        return record

    @property
    def label(self) -> str:
        """The options in words."""
        return ", ".join(f"{name} {value}" for name, value in self.options.items())

    def of(self, annotations: Annotations) -> Agreement | None:
        """Compute the coefficient.

        Parameters
        ----------
        annotations : Annotations
            Labels.

        Returns
        -------
        Agreement or None
            None where it is undefined or refuses the labels.
        """
        function = getattr(_discovered()[self.coefficient], self.coefficient)
        try:
            result: Agreement = function(annotations, **self.options)
        except AnnotationError:
            return None
        return None if math.isnan(result.estimate) else result


def cases() -> tuple[Case, ...]:
    """Return what is tried: the examples in the record of every coefficient.

    Returns
    -------
    tuple of Case
        A coefficient of one category is tried on the second one.
    """
    return tuple(
        Case(
            name,
            dict(example.options) | ({"category": "1"} if module.METHOD.per_category else {}),
            example.scale,
            example.n_categories,
        )
        for name, module in _discovered().items()
        for example in module.METHOD.examples
    )


def estimands(
    cases: Sequence[Case],
    design: Design,
    unit: Unit,
    confusion: NDArray[np.float64],
    rng: np.random.Generator,
    n_items: int = ESTIMAND_ITEMS,
) -> NDArray[np.float64]:
    """Compute coefficients on very many items of a design.

    Parameters
    ----------
    cases : sequence of Case
        The coefficients; all see the same labels.
    design : Design
        Its number of items matters for the unit "annotators" alone.
    unit : {"items", "annotators", "both"}
        What is redrawn; see the module.
    confusion : ndarray, shape (J, K, K)
        The annotators that are fixed when items are redrawn.
    rng : numpy.random.Generator
        The source of randomness.
    n_items : int, default 1,000,000
        Very many.

    Returns
    -------
    ndarray, shape (number of cases, 2)
        The mean over batches, and its standard error.
    """
    size = max(1, n_items // BATCHES)
    values = np.full((BATCHES, len(cases)), math.nan)
    for batch in values:
        if unit == "items":
            panel = _panel(design, design.draw_items(size, rng), confusion, rng)
            given = {False: panel, True: panel}
        else:
            given = {False: _in_blocks(design, unit, size, rng)}
            if any(case.method.complete for case in cases):
                given[True] = _crossed(design, unit, size, rng)
        for number, case in enumerate(cases):
            result = case.of(given[case.method.complete])
            batch[number] = math.nan if result is None else result.estimate
    error = values.std(axis=0, ddof=1) / math.sqrt(BATCHES)
    return np.stack([values.mean(axis=0), error], axis=1)


def _panel(
    design: Design, category: Labels, confusion: NDArray[np.float64], rng: np.random.Generator
) -> Annotations:
    labels = draw_labels(category, confusion, rng)
    if not design.missing:
        return design.annotations(labels)
    return design.annotations(labels, rng.random(labels.shape) < design.missing)


def _in_blocks(design: Design, unit: Unit, size: int, rng: np.random.Generator) -> Annotations:
    """Let two annotators label each block of items."""
    length = _block_length(design, unit, size)
    n_blocks = max(2, size // length)
    pairs = design.draw_annotators(2 * n_blocks, rng).reshape(
        n_blocks, 2, *[design.n_categories] * 2
    )
    table = [draw_labels(_category(design, unit, length, rng), pair, rng) for pair in pairs]
    annotations = design.annotations(np.concatenate(table))
    annotator = annotations.annotator + 2 * (annotations.item // length)
    return replace(
        annotations, annotator=annotator.astype(np.int32), annotators=_names(2 * n_blocks)
    )


def _crossed(design: Design, unit: Unit, size: int, rng: np.random.Generator) -> Annotations:
    """Let many annotators label one block of items, each of them all."""
    length = _block_length(design, unit, size)
    category = _category(design, unit, length, rng)
    confusion = design.draw_annotators(min(CROSSED, max(2, size // length)), rng)
    return design.annotations(draw_labels(category, confusion, rng))


def _block_length(design: Design, unit: Unit, size: int) -> int:
    return design.n_items if unit == "annotators" else min(BLOCK, size)


def _category(design: Design, unit: Unit, n: int, rng: np.random.Generator) -> Labels:
    return design.fixed_items if unit == "annotators" else design.draw_items(n, rng)


def draw(
    design: Design, unit: Unit, confusion: NDArray[np.float64], rng: np.random.Generator
) -> Annotations:
    """Simulate labels, with what varies by the unit drawn anew.

    Parameters
    ----------
    design : Design
        What the labels are like.
    unit : {"items", "annotators", "both"}
        What is new; see the module.
    confusion : ndarray, shape (J, K, K)
        The annotators if they are fixed.
    rng : numpy.random.Generator
        The source of randomness.

    Returns
    -------
    Annotations
        I items, J annotators.
    """
    category = _category(design, unit, design.n_items, rng)
    if unit != "items":
        confusion = design.draw_annotators(design.n_annotators, rng)
    return _panel(design, category, confusion, rng)


def study(
    cases: Sequence[Case],
    design: Design,
    unit: Unit,
    *,
    repetitions: int,
    replicates: int,
    seed: int,
    level: float = 0.95,
    n_items: int = ESTIMAND_ITEMS,
    truths: NDArray[np.float64] | None = None,
) -> pd.DataFrame:
    """Measure the empirical coverage of the intervals of coefficients.

    Parameters
    ----------
    cases : sequence of Case
        Coefficients, all for the scale and number of categories of the design.
    design : Design
        What labels are like.
    unit : {"items", "annotators", "both"}
        What varies.
    repetitions : int
        Data sets; all coefficients see the same.
    replicates : int
        Of the random kinds of intervals.
    seed : int
        Of everything; annotators that are fixed are those of the seed alone, whatever the size.
    level : float, default 0.95
        Nominal, in (0, 1).
    n_items : int, default 1,000,000
        That estimands are computed from.
    truths : ndarray, shape (number of cases, 2), optional
        What `estimands` gave, where it is known.

    Returns
    -------
    DataFrame
        A row for every coefficient and kind: coefficient, options, scale, n_categories, unit,
        kind, n_items, n_annotators, prevalence, missing, estimand, estimand_error, repetitions,
        replicates, n_undefined (repetitions without an interval), n_below and n_above (intervals
        below and above the estimand), coverage among the others, its 95% Wilson interval
        lower and upper, and the mean width.
    """
    confusion = design.draw_annotators(
        design.n_annotators, np.random.default_rng([seed, design.n_categories])
    )
    rng = np.random.default_rng([seed, 0, *_numbers(design, unit), design.n_items])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateWarning)
        # How far intervals are too narrow is what is measured here.
        warnings.simplefilter("ignore", IntervalWarning)
        if truths is None:
            own = np.random.default_rng([seed, 1, *_numbers(design, unit)])
            truths = estimands(cases, design, unit, confusion, own, n_items)
        ends: dict[tuple[int, Kind], list[tuple[float, float]]] = {
            (number, kind): [] for number in range(len(cases)) for kind in KINDS[unit]
        }
        for _ in range(repetitions):
            annotations = draw(design, unit, confusion, rng)
            for number, case in enumerate(cases):
                result = case.of(annotations)
                for kind in KINDS[unit]:
                    ends[number, kind].append(_ends(result, kind, unit, level, replicates, rng))
    rows = [
        {
            "coefficient": cases[number].coefficient,
            "options": cases[number].label,
            "scale": design.scale,
            "n_categories": design.n_categories,
            "unit": unit,
            "kind": kind,
            "n_items": design.n_items,
            "n_annotators": design.n_annotators,
            "prevalence": design.prevalence,
            "missing": design.missing,
            "replicates": replicates,
            "estimand": truths[number, 0],
            "estimand_error": truths[number, 1],
        }
        | tally(np.array(found), truths[number, 0])
        for (number, kind), found in ends.items()
    ]
    return pd.DataFrame(rows)


def tally(ends: NDArray[np.float64], estimand: float) -> dict[str, float]:
    """Count which intervals hold a value.

    Parameters
    ----------
    ends : ndarray, shape (R, 2)
        Lower and upper ends; NaN where there is none.
    estimand : float
        The value.

    Returns
    -------
    dict
        repetitions, n_undefined, n_below, n_above, coverage, lower, upper, width.

    Examples
    --------
    >>> found = tally(np.array([[0.1, 0.4], [0.3, 0.6], [np.nan, np.nan]]), 0.5)
    >>> found["coverage"], found["n_below"], found["n_undefined"]
    (0.5, 1, 1)
    """
    defined = ends[~np.isnan(ends).any(axis=1)]
    # An end that equals the estimand but for rounding contains it.
    slack = 1e-12
    below = int((defined[:, 1] < estimand - slack).sum())
    above = int((defined[:, 0] > estimand + slack).sum())
    n = len(defined)
    coverage = proportion_interval(n - below - above, n)
    return {
        "repetitions": len(ends),
        "n_undefined": len(ends) - n,
        "n_below": below,
        "n_above": above,
        "coverage": coverage.estimate,
        "lower": coverage.lower,
        "upper": coverage.upper,
        "width": float(np.diff(defined, axis=1).mean()) if n else math.nan,
    }


def bounds(level: float = 0.95) -> tuple[float, float]:
    """Return the coverages between which an interval is robust.

    Parameters
    ----------
    level : float, default 0.95
        Nominal, in (0, 1).

    Returns
    -------
    lower, upper : float
        It misses at most half more often than it should, and at least half as often.

    References
    ----------
    Bradley (1978), British Journal of Mathematical and Statistical Psychology 31, 144-152, the
    liberal criterion.

    Examples
    --------
    >>> [round(bound, 3) for bound in bounds(0.95)]
    [0.925, 0.975]
    """
    return 1 - 1.5 * (1 - level), 1 - 0.5 * (1 - level)


def verdict(table: pd.DataFrame, level: float = 0.95) -> pd.Series[str]:
    """Name the intervals that miss too often or too seldom.

    Parameters
    ----------
    table : DataFrame
        Rows of `study`.
    level : float, default 0.95
        Nominal.

    Returns
    -------
    Series of str
        "low" or "high" where the interval of the coverage lies wholly below or above `bounds`,
        "undefined" where no interval came out, and otherwise "fair".
    """
    lowest, highest = bounds(level)
    named = np.select(
        [table["coverage"].isna(), table["upper"] < lowest, table["lower"] > highest],
        ["undefined", "low", "high"],
        "fair",
    )
    return pd.Series(named, index=table.index, name="verdict")


@dataclass(frozen=True)
class Task:
    """One part of a study: the arguments of `study`, but for those that all parts share.

    Attributes
    ----------
    cases : tuple of Case
        Coefficients.
    designs : tuple of Design
        What labels are like; they differ in the number of items alone.
    unit : {"items", "annotators", "both"}
        What varies.
    repetitions, replicates : int
        Data sets, and replicates of the random kinds of intervals.
    """

    cases: tuple[Case, ...]
    designs: tuple[Design, ...]
    unit: Unit
    repetitions: int
    replicates: int

    def run(self, seed: int, n_items: int = ESTIMAND_ITEMS) -> pd.DataFrame:
        """Run this part.

        Parameters
        ----------
        seed : int
            Of the whole study.
        n_items : int, default 1,000,000
            That estimands are computed from.

        Returns
        -------
        DataFrame
            As `study`, for each design.
        """
        tables: list[pd.DataFrame] = []
        truths = None
        for design in self.designs:
            tables.append(
                study(
                    self.cases,
                    design,
                    self.unit,
                    repetitions=self.repetitions,
                    replicates=self.replicates,
                    seed=seed,
                    n_items=n_items,
                    truths=truths,
                )
            )
            if self.unit != "annotators":
                # Where items are redrawn, the estimand is the same whatever their number.
                rows = tables[0].drop_duplicates(["coefficient", "options"])
                truths = rows[["estimand", "estimand_error"]].to_numpy()
        return pd.concat(tables, ignore_index=True)


def plan(grid: Iterable[Mapping[str, Any]], cases: Sequence[Case]) -> list[Task]:
    """Cross the designs of a grid with the coefficients that suit them.

    Parameters
    ----------
    grid : iterable of mapping
        Parts, each with unit, the lists items, annotators, prevalences and missing, and the
        numbers repetitions and replicates.
    cases : sequence of Case
        Coefficients; those of two annotators are tried on designs of two.

    Returns
    -------
    list of Task
        One for every kind of labels and design, but for the number of items.
    """
    labels = dict.fromkeys((case.scale, case.n_categories) for case in cases)
    tasks = []
    for part in grid:
        crossed = product(labels, part["annotators"], part["prevalences"], part["missing"])
        for (scale, k), n_annotators, prevalence, missing in crossed:
            suited = tuple(
                case
                for case in cases
                if (case.scale, case.n_categories) == (scale, k)
                and (case.method.annotators == "any" or n_annotators == 2)
            )
            designs = tuple(
                Design(n_items, n_annotators, prevalence, k, scale, missing)
                for n_items in part["items"]
            )
            if suited:
                tasks.append(
                    Task(suited, designs, part["unit"], part["repetitions"], part["replicates"])
                )
    return tasks


def _ends(
    result: Agreement | None,
    kind: Kind,
    unit: Unit,
    level: float,
    replicates: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    if result is None:
        return math.nan, math.nan
    try:
        found = result.interval(kind, unit=unit, level=level, replicates=replicates, rng=rng)
    except AnnotationError:
        return math.nan, math.nan
    return found.lower, found.upper


@cache
def _discovered() -> dict[str, ModuleType]:
    return discover()


@cache
def _names(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))


def _numbers(design: Design, unit: Unit) -> tuple[int, ...]:
    """Return what distinguishes designs and units, but for the size, as numbers for a seed."""
    return (
        list(KINDS).index(unit),
        design.n_annotators,
        design.n_categories,
        ("nominal", "ordinal", "interval", "set").index(design.scale),
        round(design.prevalence * 1e6),
        round(design.missing * 1e6),
    )
