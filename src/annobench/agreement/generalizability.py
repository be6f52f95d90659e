"""Generalizability coefficients: the share of variance due to items.

A label is x_ij = mu + p_i + a_j + e_ij: the mean, the item, the annotator, and the residual, which
confounds interaction and error. Of the variance of the mean of n annotators,

    relative  s_p^2 / (s_p^2 + s_e^2 / n)
    absolute  s_p^2 / (s_p^2 + (s_a^2 + s_e^2) / n)

is due to items. The relative coefficient is for comparisons of items with the same annotators, the
absolute one for the labels themselves, and for items with different annotators.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from annobench.agreement._variance_components import Components, Refits, from_mean_squares
from annobench.agreement.coefficients.icc import f_interval, spearman_brown
from annobench.core.errors import AnnotationError, DegenerateWarning, check_level
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations

__all__ = ["Generalizability", "generalizability"]

Kind = Literal["relative", "absolute"]


@dataclass(frozen=True, repr=False)
class Generalizability(Summarised):
    """Variance components of items, annotators and residual, and coefficients.

    Attributes
    ----------
    items, annotators, residual : float
        Variance components, at least 0; the residual is the interaction and error. NaN if items
        and annotators explain all labels of an incomplete design.
    relative, relative_lower, relative_upper : float
        The relative coefficient of one annotator, in [0, 1], with its confidence limits.
    absolute, absolute_lower, absolute_upper : float
        The absolute coefficient of one annotator, in [0, 1], with its confidence limits.
    n_items, n_annotators, n_labels : int
        Numbers of items, annotators and labels.
    estimation : {"analysis of variance", "REML"}
        Method of estimation: analysis of variance if every annotator labelled every item.
    level : float
        Level of the limits.
    """

    items: float
    annotators: float
    residual: float
    relative: float
    relative_lower: float
    relative_upper: float
    absolute: float
    absolute_lower: float
    absolute_upper: float
    n_items: int
    n_annotators: int
    n_labels: int
    estimation: Literal["analysis of variance", "REML"]
    level: float

    def summary(self) -> pd.DataFrame:
        """Return the components.

        Returns
        -------
        DataFrame
            Three rows: variance, and its share of the total.
        """
        variance = np.array([self.items, self.annotators, self.residual])
        total = variance.sum()
        share = variance / total if total > 0 else np.full(3, math.nan)
        names = ["items", "annotators", "residual"]
        return pd.DataFrame({"variance": variance, "share": share}, index=names)

    def _headline(self) -> str:
        return (
            f"one annotator: relative {self.relative:.4g}, absolute {self.absolute:.4g}; "
            f"{self.n_items:,} items, {self.n_annotators:,} annotators"
        )

    def by_annotators(self, numbers: Iterable[int] = (1, 2, 3, 5, 10)) -> pd.DataFrame:
        """Return the coefficients for the mean of several annotators.

        Parameters
        ----------
        numbers : iterable of int, default (1, 2, 3, 5, 10)
            Numbers of annotators, at least 1.

        Returns
        -------
        DataFrame
            One row per number: n_annotators, relative, relative_lower, relative_upper, absolute,
            absolute_lower, absolute_upper.

        Raises
        ------
        AnnotationError
            If a number is below 1.
        """
        rows = []
        for n in numbers:
            if n < 1:
                raise AnnotationError(f"by_annotators: {n} annotators. Give 1 or more.")
            row: dict[str, float] = {"n_annotators": n}
            for kind in ("relative", "absolute"):
                for end in ("", "_lower", "_upper"):
                    row[kind + end] = spearman_brown(getattr(self, kind + end), n)
            rows.append(row)
        return pd.DataFrame(rows)

    def annotators_needed(
        self, target: float = 0.8, *, kind: Kind = "absolute"
    ) -> tuple[float, float, float]:
        """Return the number of annotators per item needed for a coefficient.

        Parameters
        ----------
        target : float, default 0.8
            Required value of the coefficient, in (0, 1).
        kind : {"relative", "absolute"}, default "absolute"
            Which coefficient.

        Returns
        -------
        estimate, lower, upper : float
            Whole numbers, at least 1; infinite if items do not vary, NaN if undefined.

        Raises
        ------
        AnnotationError
            If the target is not in (0, 1), or there is no such coefficient.
        """
        if not 0 < target < 1:
            raise AnnotationError(
                f"annotators_needed: target must be in (0, 1), got {target}. Give a share, such "
                "as 0.8."
            )
        if kind not in ("relative", "absolute"):
            raise AnnotationError(
                f"annotators_needed: kind {kind!r} is not one of relative, absolute."
            )
        single, lower, upper = (getattr(self, kind + end) for end in ("", "_lower", "_upper"))
        return _needed(single, target), _needed(upper, target), _needed(lower, target)


def _needed(single: float, target: float) -> float:
    """Solve Spearman and Brown's formula for the number, and round it up."""
    if math.isnan(single):
        return math.nan
    if single <= 0:
        return math.inf
    exact = target / (1 - target) * (1 - single) / single
    return float(max(1, math.ceil(exact - 1e-9)))


def generalizability(
    annotations: Annotations,
    *,
    level: float = 0.95,
    replicates: int = 200,
    rng: np.random.Generator | int | None = None,
) -> Generalizability:
    """Estimate variance components of items and annotators, and generalizability coefficients.

    Parameters
    ----------
    annotations : Annotations
        At least two annotators and two items, whose labels are numbers; labels may be missing.
    level : float, default 0.95
        Level of the limits, in (0, 1).
    replicates : int, default 200
        Samples of the parametric bootstrap, used if labels are missing; 0 for no limits.
    rng : numpy.random.Generator or int, optional
        The source of randomness of the bootstrap, or its seed.

    Returns
    -------
    Generalizability
        Components, and coefficients for one annotator; for more, see its methods.

    Raises
    ------
    AnnotationError
        If annotators are unknown, there are fewer than two items or annotators, no item has two
        labels, one annotator labelled an item twice, a label is not a number, or the level is not
        in (0, 1).

    Warns
    -----
    DegenerateWarning
        If all labels are the same, or items and annotators explain all labels of an incomplete
        design; coefficients are then NaN.

    Notes
    -----
    If every annotator labelled every item, components come from the analysis of variance, with
    negative ones set to 0. Unless a component is negative, the coefficients of one annotator are
    the intraclass correlations ICC(C,1) and ICC(A,1), with their F intervals. Otherwise components
    are estimated by REML, and limits by a parametric bootstrap with the same items and annotators.
    Both assume normal effects. The cost of REML is cubic in the number of annotators.

    References
    ----------
    Brennan (2001), Generalizability Theory, Sections 2.2 and 3.2; Patterson and Thompson (1971),
    Biometrika 58, 545-554; McGraw and Wong (1996), Psychological Methods 1, table 7.

    Examples
    --------
    >>> a = Annotations.from_arrays(list("xyzxyz"), list("aaabbb"), [1, 2, 3, 2, 3, 7])
    >>> found = generalizability(a)
    >>> round(found.items, 4), round(found.annotators, 4), round(found.residual, 4)
    (2.5, 1.5, 1.5)
    >>> found.annotators_needed(0.8, kind="relative")[0]  # 0.8 / 0.2 * 1.5 / 2.5 = 2.4
    3.0
    """
    a = as_annotations(annotations, "generalizability")
    check_level(level, "generalizability")
    a.check_annotators("generalizability")
    _check(a)
    labelled = a.select(items=np.diff(a.by_item.offsets) > 0)
    values = np.asarray(labelled.values, dtype=np.float64)
    n, j = labelled.n_items, labelled.n_annotators
    if labelled.n_labels == n * j:
        table = np.empty((n, j))
        table[labelled.item, labelled.annotator] = values
        found, squares = from_mean_squares(table)
        ends = {
            kind: f_interval(n, j, *squares, "two-way", model, level)
            for kind, model in (("relative", "consistency"), ("absolute", "agreement"))
        }
    else:
        refits = Refits(labelled, values)
        explained = refits.explains_all()
        found = Components(*[math.nan] * 3) if explained else refits.fit()
        drawn = 0 if explained else replicates
        ends = _bootstrap(refits, found, drawn, level, np.random.default_rng(rng))
    single = _coefficients(found)
    if math.isnan(single["relative"]):
        warnings.warn(
            "generalizability: undefined (NaN) on these labels. All labels are equal, or items and "
            "annotators explain them without residual.",
            DegenerateWarning,
            stacklevel=2,
        )
        ends = dict.fromkeys(ends, (math.nan, math.nan))
    limits = {
        f"{kind}_{end}": min(max(value, 0.0), 1.0) if value == value else math.nan
        for kind, pair in ends.items()
        for end, value in zip(("lower", "upper"), pair, strict=True)
    }
    return Generalizability(
        found.items,
        found.annotators,
        found.residual,
        **single,
        **limits,
        n_items=n,
        n_annotators=j,
        n_labels=labelled.n_labels,
        estimation="analysis of variance" if labelled.n_labels == n * j else "REML",
        level=level,
    )


def _check(a: Annotations) -> None:
    """Reject labels that do not identify the components."""
    per_item = np.diff(a.by_item.offsets)
    if a.first_repeat is not None:
        at = a.first_repeat
        raise AnnotationError(
            f"generalizability: annotator {a.annotators[a.annotator[at]]!r} labelled an item "
            f"twice: {a.items[a.item[at]]!r}. Keep one label of each."
        )
    if a.n_annotators < 2 or (per_item > 0).sum() < 2:
        raise AnnotationError(
            "generalizability: needs two items and two annotators, got "
            f"{(per_item > 0).sum()} and {a.n_annotators}."
        )
    if not (per_item > 1).any():
        raise AnnotationError(
            "generalizability: no item has two labels, so items and errors are confounded. Choose "
            "annotators and items that overlap."
        )


def _coefficients(of: Components) -> dict[str, float]:
    """Return the coefficients of one annotator."""
    total = of.items + of.annotators + of.residual
    if not total > 0 or not of.items + of.residual > 0:
        return {"relative": math.nan, "absolute": math.nan}
    return {"relative": of.items / (of.items + of.residual), "absolute": of.items / total}


def _bootstrap(
    refits: Refits, of: Components, replicates: int, level: float, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Return quantiles of coefficients by a parametric bootstrap."""
    drawn = [_coefficients(refits.draw(of, rng)) for _ in range(replicates)]
    if not drawn:
        return dict.fromkeys(("relative", "absolute"), (math.nan, math.nan))
    tails = [(1 - level) / 2, (1 + level) / 2]
    found = {}
    for kind in ("relative", "absolute"):
        lower, upper = np.nanquantile([each[kind] for each in drawn], tails).tolist()
        found[kind] = (lower, upper)
    return found
