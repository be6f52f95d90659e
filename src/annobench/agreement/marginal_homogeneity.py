"""Do annotators use the categories equally often? Tests of marginal homogeneity, pair by pair.

For n items labelled by two annotators, with counts n_kl, the differences of the margins, d_k = n_k+
- n_+k, have under homogeneity the covariance matrix V, V_kk = n_k+ + n_+k - 2 n_kk and V_kl =
-(n_kl + n_lk). Stuart's and Maxwell's statistic is S = d' V^- d; Bhapkar's, with the covariance of
d without this hypothesis, is S / (1 - S / n). V is the Laplacian of the graph that joins confused
categories: its rank is the number of categories minus the number of connected components, and S is
the same for every generalised inverse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtr, chdtrc, ndtri

from annobench.agreement.forms.counts import LabelPairs
from annobench.core.errors import AnnotationError, check_level
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.labels.frames import as_annotations
from annobench.labels.view import View
from annobench.resampling.multiplicity import holm

__all__ = ["MarginalHomogeneity", "marginal_homogeneity"]


@dataclass(frozen=True, repr=False)
class MarginalHomogeneity(Summarised):
    """Whether annotators use the categories equally often.

    Attributes
    ----------
    pairs : DataFrame
        One row per pair of annotators with common items, the smallest p-value first: first, second,
        n_items in common, n_different (items with different labels), df, stuart_maxwell, bhapkar
        (chi-square statistics, McNemar's with two categories), p_value (exact with two categories,
        else of stuart_maxwell), p_bhapkar, p_adjusted (p_value by Holm's method over the pairs),
        and the category whose shares differ most, with its difference; for ordered labels also
        first_higher, the share of differing items on which the first annotator's label is higher,
        and p_higher, the exact p-value of one half. NaN if nothing differs.
    categories : DataFrame
        One row per pair and category that either used: first, second, category, share_first,
        share_second, difference (first - second), lower, upper.
    panel : DataFrame
        For more than two annotators, on the n_items that all labelled, one row per category used
        (of two, the second): category, n_items, cochran_q, df, p_value, p_adjusted by Holm's method
        over the categories. Empty for two annotators, or without such items.
    level : float
        Level of the intervals.
    """

    pairs: pd.DataFrame
    categories: pd.DataFrame
    panel: pd.DataFrame
    level: float

    def summary(self) -> pd.DataFrame:
        """Return the tests of pairs.

        Returns
        -------
        DataFrame
            By pair.
        """
        return self.pairs.set_index(["first", "second"])

    def _headline(self) -> str:
        n = len(self.pairs)
        differ = int((self.pairs["p_adjusted"] < 1 - self.level).sum())
        return f"margins of {differ} of {n} pairs differ at level {1 - self.level:.2g}, adjusted"


def marginal_homogeneity(
    annotations: Annotations, *, level: float = 0.95, min_items: int = 1
) -> MarginalHomogeneity:
    """Test whether annotators use the categories equally often on common items.

    Parameters
    ----------
    annotations : Annotations
        Nominal, ordinal or interval labels of at least two annotators; pairs are compared on the
        items that both labelled.
    level : float, default 0.95
        Level of the intervals, in (0, 1).
    min_items : int, default 1
        Pairs with fewer items in common are left out, and not counted in the adjustment.

    Returns
    -------
    MarginalHomogeneity
        Tests of pairs, differences by category, and Cochran's Q of all annotators.

    Raises
    ------
    AnnotationError
        If annotators are unknown, no two have `min_items` in common, one labelled an item twice,
        labels are sets, or the level is not in (0, 1).

    Notes
    -----
    Categories that neither annotator used, or on which the two never differ, do not enter the test:
    each connected component of confused categories has one degree of freedom less than categories.
    If the two never differ, the result is NaN. If all items differ in the same direction, Bhapkar's
    statistic is infinite. With two categories the p-value is exact, by the binomial distribution,
    since few items may differ.

    The intervals of differences are Wald's. The test compares all categories of a pair at once; the
    intervals are not adjusted.

    References
    ----------
    Stuart (1955), Biometrika 42, 412-416; Maxwell (1970), British Journal of Psychiatry 116,
    651-655; Bhapkar (1966), Journal of the American Statistical Association 61, 228-235; Cochran
    (1950), Biometrika 37, 256-266; Agresti (2013), Categorical Data Analysis, Section 11.1.

    Examples
    --------
    >>> found = marginal_homogeneity(Annotations.from_contingency([[20, 9], [1, 20]]))
    >>> round(found.pairs["stuart_maxwell"].item(), 6)  # (9 - 1)^2 / (9 + 1)
    6.4
    """
    a = as_annotations(annotations, "marginal_homogeneity")
    check_level(level, "marginal_homogeneity")
    a.check_annotators("marginal_homogeneity")
    if a.scale == "set":
        raise AnnotationError(
            "marginal_homogeneity: needs labels of one category each, got sets. Test one element "
            "at a time, with binary labels for its presence in the set."
        )
    if a.first_repeat is not None:
        at = a.first_repeat
        raise AnnotationError(
            f"marginal_homogeneity: annotator {a.annotators[a.annotator[at]]!r} labelled an item "
            f"twice: {a.items[a.item[at]]!r}. Keep one label of each."
        )
    pairs = LabelPairs(a)
    counts = np.bincount(pairs.pair, minlength=pairs.n_pairs)
    if not (counts >= min_items).any():
        few = "an item" if min_items == 1 else f"{min_items} items"
        raise AnnotationError(
            f"marginal_homogeneity: no two annotators have {few} in common. Choose annotators and "
            "items that overlap."
        )
    tests, categories = [], []
    by_pair = View.of(pairs.pair, pairs.n_pairs)
    for p in np.flatnonzero(counts >= max(min_items, 1)):
        rows = by_pair[int(p)]
        names = {
            "first": a.annotators[pairs.first_annotator[p]],
            "second": a.annotators[pairs.second_annotator[p]],
        }
        first, second = a.label[pairs.first[rows]], a.label[pairs.second[rows]]
        used, place = np.unique(np.concatenate([first, second]), return_inverse=True)
        k = used.size
        table = np.bincount(place[: first.size] * k + place[first.size :], minlength=k * k)
        table = table.reshape(k, k)
        shares = _shares([a.categories[code] for code in used], table, level)
        categories += [names | row for row in shares]
        most = max(shares, key=lambda row: abs(row["difference"]))
        test = _test(table) | {key: most[key] for key in ("category", "difference")}
        tests.append(names | test | (_higher(table) if a.scale != "nominal" else {}))
    tested = pd.DataFrame(tests)
    tested["p_adjusted"] = holm(tested["p_value"])
    tested = tested.sort_values(["p_value", "n_items"], ascending=[True, False], kind="stable")
    return MarginalHomogeneity(
        tested.reset_index(drop=True), pd.DataFrame(categories), _panel(a), level
    )


def _test(table: NDArray[np.int64]) -> dict[str, Any]:
    """Test the margins of a table of two annotators."""
    n, different = int(table.sum()), int(table.sum() - table.trace())
    confused = table + table.T
    np.fill_diagonal(confused, 0)
    found = {"n_items": n, "n_different": different, "df": 0}
    if not different:
        undefined = ("stuart_maxwell", "bhapkar", "p_value", "p_bhapkar")
        return found | dict.fromkeys(undefined, math.nan)
    d = (table.sum(axis=1) - table.sum(axis=0)).astype(np.float64)
    laplacian = np.diag(confused.sum(axis=1)) - confused
    # Ones are in its null space, and so are those of each part: least squares takes them out.
    solution, _, df, _ = np.linalg.lstsq(laplacian.astype(np.float64), d)
    found["df"] = int(df)
    statistic = float(d @ solution)
    room = 1 - statistic / n
    bhapkar = statistic / room if room > 1e-12 else math.inf
    p_value = float(chdtrc(df, statistic))
    if df == 1 and np.count_nonzero(confused) == 2:
        k, other = np.argwhere(np.triu(confused))[0]
        p_value = _sign_test(int(table[k, other]), different)
    return found | {
        "stuart_maxwell": statistic,
        "bhapkar": bhapkar,
        "p_value": p_value,
        "p_bhapkar": float(chdtrc(df, bhapkar)),
    }


def _sign_test(successes: int, n: int) -> float:
    """Return the exact two-sided p-value of the sign test."""
    return float(min(1.0, 2 * bdtr(min(successes, n - successes), n, 0.5)))


def _shares(names: list[str], table: NDArray[np.int64], level: float) -> list[dict[str, Any]]:
    """Compare how often two annotators chose each category: Agresti (2013), equation 11.1."""
    n = table.sum()
    first, second = table.sum(axis=1) / n, table.sum(axis=0) / n
    difference = first - second
    variance = (first + second - 2 * table.diagonal() / n - difference**2) / n
    half_width = -ndtri((1 - level) / 2) * np.sqrt(np.maximum(variance, 0))
    return [
        {
            "category": name,
            "share_first": first[k],
            "share_second": second[k],
            "difference": difference[k],
            "lower": difference[k] - half_width[k],
            "upper": difference[k] + half_width[k],
        }
        for k, name in enumerate(names)
    ]


def _higher(table: NDArray[np.int64]) -> dict[str, float]:
    """Return how often the first annotator's label is the higher one, if labels differ."""
    above, below = int(np.tril(table, -1).sum()), int(np.triu(table, 1).sum())
    n = above + below
    if not n:
        return {"first_higher": math.nan, "p_higher": math.nan}
    return {"first_higher": above / n, "p_higher": _sign_test(above, n)}


def _panel(a: Annotations) -> pd.DataFrame:
    """Test each category against the rest by Cochran's Q, on the items that all labelled."""
    columns = ["category", "n_items", "cochran_q", "df", "p_value", "p_adjusted"]
    complete = a.complete() if a.n_annotators > 2 else None
    if complete is None or not complete.n_items:
        return pd.DataFrame(columns=columns)
    shape = (complete.n_items, a.n_annotators)
    table = np.empty(shape, dtype=np.int64)
    table[complete.item, complete.annotator] = complete.label
    used = np.unique(table)
    rows = []
    for code in used[-1:] if used.size == 2 else used:
        chosen = table == code
        by_annotator, by_item = chosen.sum(axis=0), chosen.sum(axis=1)
        j, total = a.n_annotators, int(chosen.sum())
        spread = int((by_item * (j - by_item)).sum())
        q = (j - 1) * (j * int((by_annotator**2).sum()) - total**2) / spread if spread else math.nan
        rows.append((a.categories[code], shape[0], q, j - 1, float(chdtrc(j - 1, q))))
    found = pd.DataFrame(rows, columns=columns[:-1])
    return found.assign(p_adjusted=holm(found["p_value"]))
