"""The ranking of methods, which the terminal, the page, the LaTeX table and the file all show.

Methods are ranked by their mean log loss over data sets; equal values share a rank. A method has no
rank unless every data set has a score of it from a fit that converged: means over fewer data sets
are not comparable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import ndtr

from annobench import datasets, models
from annobench.benchmark.comparison import NORMAL, differences_to
from annobench.benchmark.tables import BenchmarkTables, counted, without_unconverged
from annobench.core.texts import counted as with_noun
from annobench.resampling.multiplicity import holm

__all__ = ["LEVEL", "ORDER", "conclusion", "places", "rank"]

#: The level of the tests that distinguish methods.
LEVEL: Final = 0.05

#: Digits of a mean log loss beyond which a difference is rounding.
DIGITS: Final = 9

#: Names in a sentence at most.
NAMED: Final = 5

#: What the order is, for readers.
ORDER: Final = (
    "Ordered by mean log loss; ties share a rank. Methods without a rank have no score, or did not "
    "converge (†), on some data set."
)


def rank(
    tables: BenchmarkTables, reference: str, problems: Sequence[str] | None = None
) -> pd.DataFrame:
    """Rank methods by their mean log loss.

    Parameters
    ----------
    tables : BenchmarkTables
        Scores, differences and fits.
    reference : str
        The method that others are compared with.
    problems : sequence of str, optional
        The data sets; by default the distinct real ones or, if there are none, all.

    Returns
    -------
    DataFrame
        One row per method: rank, NaN unless every data set on which some method has a score has one
        of it; method; title; n_problems, the number of data sets, with the numbers n_scored,
        n_failed (failed or over budget) and n_unconverged, whose scores are left out; log_loss and
        accuracy, means over the data sets with a score, with 95% intervals over items, given these
        data sets, log_loss_lower to log_loss_upper and lower to upper; p_log_loss, the p-value of
        no difference in log loss from the first method, adjusted by Holm's method, NaN for the
        first; difference, the mean difference in accuracy from the reference, with its interval
        difference_lower to difference_upper; wins and losses, the data sets on which the method is
        significantly more and less accurate than the reference, simultaneously for all methods.
        Ordered by rank, methods without one last.
    """
    chosen = list(problems or ranked_over(tables.problems))
    fits = tables.fits[tables.fits["problem"].isin(chosen)]
    scores = without_unconverged(tables.scores, tables.fits)
    scores = scores[scores["problem"].isin(chosen)]
    loss, accuracy = (scores[scores["score"] == name] for name in ("log_loss", "accuracy"))
    n_scored = loss.groupby("method").size()
    table = pd.DataFrame({"method": list(dict.fromkeys(fits["method"]))})
    table["title"] = table["method"].map(title_of)
    table = table.set_index("method").assign(
        n_problems=len(chosen),
        n_scored=n_scored,
        n_failed=fits["status"].isin(["failed", "over budget"]).groupby(fits["method"]).sum(),
        n_unconverged=(fits["converged"] == "no").groupby(fits["method"]).sum(),
    )
    table["n_scored"] = table["n_scored"].fillna(0).astype(int)
    names = ["log_loss", "log_loss_lower", "log_loss_upper"]
    table = table.join(_means(loss).set_axis(names, axis=1))
    table = table.join(_means(accuracy).set_axis(["accuracy", "lower", "upper"], axis=1))
    table = table.join(_compared(reference, accuracy, tables.differences))
    whole = table["n_scored"].eq(loss["problem"].nunique()) & table["log_loss"].notna()
    exact = table["log_loss"].round(DIGITS)
    table.insert(0, "rank", exact[whole].rank(method="min"))
    ordered = table.assign(exact=exact).sort_values(["rank", "exact", "title"], kind="stable")
    ordered = ordered.drop(columns="exact").reset_index()
    at = list(ordered.columns).index("accuracy")
    ordered.insert(at, "p_log_loss", _from_first(ordered, loss, tables.differences))
    return ordered


def ranked_over(problems: pd.DataFrame) -> list[str]:
    """Return the data sets of the ranking: the distinct real ones or, if there are none, all."""
    return counted(problems) or list(problems["problem"])


def _means(scores: pd.DataFrame) -> pd.DataFrame:
    """Average scores over data sets, with intervals over items.

    The distances of the limits from the estimates are combined as standard errors are, for each
    side alone, so that no limit leaves the range of the score (Zou and Donner 2008, Statistics in
    Medicine 27, 1693-1702).
    """
    below = (scores["estimate"] - scores["lower"]) ** 2
    above = (scores["upper"] - scores["estimate"]) ** 2
    grouped = scores.assign(below=below, above=above).groupby("method")
    mean, n = grouped["estimate"].mean(), grouped.size()
    lower = mean - np.sqrt(grouped["below"].sum()) / n
    upper = mean + np.sqrt(grouped["above"].sum()) / n
    return pd.DataFrame({"mean": mean, "lower": lower, "upper": upper})


def _compared(reference: str, scores: pd.DataFrame, differences: pd.DataFrame) -> pd.DataFrame:
    """Average the differences from the reference, and count the significant ones."""
    table = differences_to(reference, scores, differences).dropna(subset="difference")
    clear = table["difference"].abs() > table["critical"] * table["error"]
    table = table.assign(
        variance=table["error"] ** 2,
        wins=clear & (table["difference"] > 0),
        losses=clear & (table["difference"] < 0),
    )
    grouped = table.groupby("method")
    mean = grouped["difference"].mean()
    half_width = NORMAL * np.sqrt(grouped["variance"].sum()) / grouped.size()
    return pd.DataFrame(
        {
            "difference": mean,
            "difference_lower": mean - half_width,
            "difference_upper": mean + half_width,
            "wins": grouped["wins"].sum(),
            "losses": grouped["losses"].sum(),
        }
    ).astype(float)


def _from_first(
    ordered: pd.DataFrame, loss: pd.DataFrame, differences: pd.DataFrame
) -> pd.Series[float]:
    """Test the ranked methods' differences in mean log loss from the first."""
    p_values = pd.Series(np.nan, index=ordered.index)
    others = ordered["rank"].notna() & (ordered.index > 0)
    if not others.any():
        return p_values
    table = differences_to(ordered["method"].iloc[0], loss, differences)
    table = table.dropna(subset="difference")
    grouped = table.assign(variance=table["error"] ** 2).groupby("method")
    difference, variance = grouped["difference"].sum(), grouped["variance"].sum()
    # Equal answers have neither a difference nor an error.
    z = (difference / np.sqrt(variance.where(variance > 0))).fillna(0)
    z = ordered.loc[others, "method"].map(z).abs()
    p_values[others] = holm(2 * ndtr(-z.to_numpy(dtype=float)))
    return p_values


def title_of(method: str) -> str:
    """Return the name of a method in sentences and tables."""
    module = models.discover().get(method)
    return (module.METHOD.title if module else "") or method


def data_title(problem: str) -> str:
    """Return the title of a data set; of other labels their name."""
    return datasets.get(problem).title if problem in datasets.names() else problem


def conclusion(ranking: pd.DataFrame, problems: Sequence[str] = ()) -> str:
    """Return the conclusion of a ranking in a sentence.

    Parameters
    ----------
    ranking : DataFrame
        As from `rank`.
    problems : sequence of str, optional
        The name of the data set, if there is one.

    Returns
    -------
    str
        Which methods do not differ significantly from the lowest mean log loss; empty if nothing is
        ranked.
    """
    ranked = ranking[ranking["rank"].notna()]
    if ranked.empty:
        return ""
    first = ranked.iloc[0]
    n, alone = int(first["n_scored"]), len(problems) == 1
    where = f"On “{data_title(problems[0])}”," if alone else f"On {with_noun(n, 'data set')},"
    what = "log loss" if n == 1 else "mean log loss"
    if len(ranked) == 1:
        return f"{where} the {what} of {first['title']} is {first['log_loss']:.3f}."
    alike = ranked[(ranked["rank"] == 1) | ~(ranked["p_log_loss"] <= LEVEL)]
    if len(alike) == 1:
        return (
            f"{where} {first['title']} has the lowest {what}, {first['log_loss']:.3f}, "
            "significantly lower than that of every other ranked method."
        )
    if len(alike) == len(ranked):
        return (
            f"{where} no method has a significantly lower {what} than another: "
            f"{first['log_loss']:.3f} to {ranked['log_loss'].max():.3f}."
        )
    names = list(alike["title"])
    listed = ", ".join(names[:NAMED]) + (
        f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    )
    return (
        f"{where} {len(alike)} of {len(ranked)} methods do not differ significantly from the "
        f"lowest {what}, {first['log_loss']:.3f}: {listed}."
    )


def places(ranking: pd.DataFrame) -> list[str]:
    """Return the ranks as shown: shared ones with =, † where a fit did not converge.

    Parameters
    ----------
    ranking : DataFrame
        As from `rank`.

    Returns
    -------
    list of str
        Such as "1", "2=", "2=", "", "†".
    """
    shared = ranking["rank"].duplicated(keep=False)
    return [
        ("†" if n_unconverged else "") if np.isnan(place) else f"{place:.0f}{'=' if tied else ''}"
        for place, tied, n_unconverged in zip(
            ranking["rank"], shared, ranking["n_unconverged"], strict=True
        )
    ]
