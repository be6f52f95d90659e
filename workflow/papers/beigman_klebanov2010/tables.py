"""The tables of Beigman Klebanov and Beigman (2010)."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats
from scipy.special import xlogy

from annobench.datasets import LoadedData
from annobench.evaluation import scores
from annobench.models import dawid_skene
from annobench.noise import mixtures
from annobench.noise.mixtures import BinomialMixture, Counts

from .models import Printed, pearson, percents
from .values import majority_right

#: Bands of rates that may count as hard.
BANDS = ((0.45, 0.55), (0.4, 0.6), (0.35, 0.65))
#: What stands for the probability of a count in a normal distribution.
CELLS = ("interval", "density", "normalised")
LISTS = {
    "in_window": "4 to 7 of 10 positive (section 7.1)",
    "hard_by_model": "M with lazy annotators: probably hard",
    "uncertain_carpenter": "Carpenter's model: posterior .05 to .95",
    "uncertain_dawid_skene": "Dawid and Skene: posterior .05 to .95",
    "gold_doubtful": "Carpenter's model: gold label below .05",
    "vote_wrong": "majority against the gold label",
}


def _tested(test: mixtures.ChiSquare) -> dict[str, float]:
    return {"chi_square": test.statistic, "df": test.df, "p_value": test.p_value}


def _listed(values: np.ndarray, places: int) -> str:
    return "; ".join(f"{value:.{places}f}" for value in values)


def fits(sets: Mapping[str, Counts], rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Fit 1 to 5 components by every method, with chi-square's p-value and the bootstrap's."""
    rows = []
    for data, counts in sets.items():
        largest = mixtures.max_identifiable_components(counts.max_labels)
        methods = {k: mixtures.METHODS if k <= 3 else ("ml",) for k in range(1, largest + 1)}
        for k, method in ((k, method) for k, of in methods.items() for method in of):
            fitted, drawn = mixtures.fit(counts, k, method=method), np.nan
            if k in (2, 3) and method != "chi_square":
                drawn = mixtures.goodness_of_fit(fitted, replicates=replicates, rng=rng).p_value
            parts: dict[str, Any] = {"": fitted.mixture, "_error": fitted.standard_error}
            pooled = mixtures.pool_cells(fitted.expected)
            scores = "log_likelihood", "sum_of_squares", "aic", "bic"
            rows.append(
                {"data": data, "types": k, "method": method.replace("_", " ")}
                | {f"items{of}": _listed(counts.n_items * p.share, 1) for of, p in parts.items()}
                | {f"rates{of}": _listed(p.rate, 4) for of, p in parts.items()}
                | _tested(fitted.chi_square())
                | {"bootstrap_p": drawn, "pooled_p": fitted.chi_square(pooled).p_value}
                | {score: getattr(fitted, score) for score in scores}
            )
    return pd.DataFrame(rows)


def components(tests: Mapping[tuple[str, int], mixtures.BootstrapTest]) -> pd.DataFrame:
    """List likelihood ratios of m against m + 1 components, with their bootstrap p-values."""
    rows = []
    for (data, m), test in tests.items():
        found = (test.statistic, test.p_value, test.standard_error)
        by_laws = scipy.stats.chi2.sf(test.statistic, 2), np.quantile(test.draws, 0.95)
        rows.append((data, m, m + 1, *found, *by_laws))
    names = ["likelihood_ratio", "bootstrap_p", "monte_carlo_error", "chi_square_p", "law_95"]
    return pd.DataFrame(rows, columns=["data", "types", "against", *names])


def hard_share(sets: Mapping[str, Counts]) -> pd.DataFrame:
    """Profile the share of hard items, by the band of rates that counts as hard."""
    rows = []
    for (data, counts), band in itertools.product(sets.items(), BANDS):
        profile = mixtures.hard_share_profile(counts, within=band)
        fewest = mixtures.smallest_hard_count(counts, within=band)
        row = {"data": data, "band": f"{band[0]} to {band[1]}"}
        row |= dict(zip(("percent", "lower", "upper"), percents(profile), strict=True))
        row["rates"] = _listed(profile.mixture.rate, 3)
        row["items"] = _listed(counts.n_items * profile.mixture.share, 0)
        rows.append(row | {"fewest_items": np.nan if fewest is None else fewest.n_hard})
    return pd.DataFrame(rows)


def gaussians(sets: Mapping[str, Counts]) -> pd.DataFrame:
    """Fit two normal distributions, by what stands for the probability of a count."""
    names, rows = ("n_1", "n_2", "mean_1", "mean_2", "sd_1", "sd_2"), []
    for (data, counts), cells in itertools.product(sets.items(), CELLS):
        found = mixtures.fit_gaussians(counts, cells=cells)
        parameters = [*(counts.n_items * found.share), *found.mean, *found.sd]
        row = {"data": data, "cells": cells, **dict(zip(names, parameters, strict=True))}
        row |= {"expected_items": found.expected.sum(), **_tested(found.chi_square())}
        rows.append(row | {"sum_of_squares": found.sum_of_squares})
    return pd.DataFrame(rows)


def displayed_sum(
    diligent: BinomialMixture, lazy_share: float, lazy_rate: float, *, first: int, n: int = 10
) -> np.ndarray:
    """Evaluate the displayed formula of section 6 term by term, from r = first."""
    pmf, total = scipy.stats.binom.pmf, np.zeros(n + 1)
    for r in range(first, n + 1):
        weight = pmf(r, n, 1 - lazy_share)
        lazy = pmf(np.arange(n - r + 1), n - r, lazy_rate)
        for share, rate in zip(diligent.share, diligent.rate, strict=True):
            total += weight * share * np.convolve(pmf(np.arange(r + 1), r, rate), lazy)
    return total


def lazy(counts: Counts, printed: Printed) -> pd.DataFrame:
    """Fit lazy annotators to SRTE in several readings, and two free binomials beside them."""
    m, histogram, unknown = printed.mixture("three"), counts.histogram, (np.nan, np.nan)
    as_printed, rows = (printed.value("lazy_share"), printed.value("lazy_rate")), []

    def cells_at(at: tuple[float, float]) -> np.ndarray:
        return mixtures.with_lazy(m, *at).expected(counts)

    def add(
        reading: str, at: Sequence[float], cells: np.ndarray, n: int = 2, errors: Any = unknown
    ) -> None:
        """Add a reading: share and rate, expected cells, parameters fitted, standard errors."""
        row: dict[str, Any] = {"reading": reading}
        for name, value, error in zip(("lazy_share", "lazy_rate"), at, errors, strict=True):
            row |= {name: value, f"{name}_error": error}
        row |= _tested(mixtures.chi_square(histogram, cells, n_fitted=n))
        row["sum_of_squares"] = ((histogram - cells) ** 2).sum()
        row["log_likelihood"] = xlogy(histogram, cells / counts.n_items).sum()
        rows.append(row)

    for method in ("least_squares", "ml", "chi_square"):
        fit = mixtures.fit_lazy(counts, m, method=method)
        fitted = fit.lazy_share, fit.lazy_rate
        add(method.replace("_", " "), fitted, fit.expected, errors=fit.standard_error)
    add("as printed", as_printed, cells_at(as_printed))
    for first in (0, 1):
        cells = counts.n_items * displayed_sum(m, *as_printed, first=first)
        add(f"as printed, displayed sum from r = {first}", as_printed, cells)
    ends = (np.linspace(at - 0.005, at + 0.005, 41) for at in as_printed)
    grid = list(itertools.product(*ends))
    box = [pearson(histogram, cells_at(at)) for at in grid]
    for name, at in (("smallest", grid[np.argmin(box)]), ("largest", grid[np.argmax(box)])):
        add(f"{name} chi-square of parameters that print so", at, cells_at(at))
    for k in (2, 3):
        free = mixtures.fit(counts, k, method="least_squares")
        name = f"{k} binomials, nobody lazy, least squares"
        add(name, unknown, free.expected, free.n_parameters)
    add("model M, nobody lazy", (0, np.nan), m.expected(counts), 0)
    return pd.DataFrame(rows)


def examples(data: LoadedData, known: pd.DataFrame, window: tuple[int, int]) -> pd.DataFrame:
    """Find the examples of section 7.1 in the data, with their labels; NaN where one is not."""
    _, positives = mixtures.positive_counts(data.annotations)
    items = data.items.assign(positives=positives, gold=data.gold)
    inside, hypotheses = items[items["positives"].between(*window)], items["hypothesis"].fillna("")
    rows = []
    for row in known.itertuples():
        found = items[hypotheses.str.contains(row.hypothesis_holds, regex=False)]
        if found.empty and data.provenance == "simulated":  # a stand-in has no texts
            found = inside.iloc[[row.example]]
        if len(found) > 1:
            raise ValueError(f"example {row.example}: {len(found)} hypotheses hold its words.")
        rows.append({"example": row.example} | (found.iloc[0].to_dict() if len(found) else {}))
    return pd.DataFrame(rows, columns=["example", *items.columns])


def hard_items(
    data: LoadedData, printed: Printed, carpenter: np.ndarray, free: BinomialMixture
) -> pd.DataFrame:
    """List every item with the evidence that it is hard: posteriors of 1, free hard component."""
    a, gold = data.annotations, data.gold
    labels, positives = mixtures.positive_counts(a)
    skene = dawid_skene.fit(a).posterior[:, 1]
    lazy = mixtures.fit_lazy(Counts.from_annotations(a), printed.mixture("three")).mixture
    hard = lazy.posterior(positives, labels)[:, 1]
    gold_probability = np.where(gold == 1, carpenter, 1 - carpenter)
    table = data.items.assign(
        gold=gold,
        positives=positives,
        hard_probability=hard,
        hard_probability_free=free.posterior(positives, labels)[:, 1],
        carpenter_posterior=carpenter,
        carpenter_entropy=scipy.stats.entropy([1 - carpenter, carpenter], base=2),
        dawid_skene_posterior=skene,
        vote_right=majority_right(positives, labels, gold),
        in_window=pd.Series(positives).between(*printed.window),
        hard_by_model=hard >= 0.5,
        uncertain_carpenter=np.abs(carpenter - 0.5) < 0.45,
        uncertain_dawid_skene=np.abs(skene - 0.5) < 0.45,
        gold_probability=gold_probability,
        gold_doubtful=gold_probability < 0.05,
    )
    found = {
        "in_window": [f"{n} of 10 positive" for n in positives],
        "uncertain_carpenter": [f"posterior {p:.2f}" for p in carpenter],
        "gold_doubtful": ["annotators against the gold label"] * len(table),
    }
    said = zip(*(np.where(table[name], text, "") for name, text in found.items()), strict=True)
    table["reasons"] = ["; ".join(filter(None, reasons)) for reasons in said]
    distance = np.abs(positives - labels / 2)
    order = np.lexsort((distance, -table["carpenter_entropy"], ~table["hard_by_model"]))
    return table.iloc[order].reset_index(drop=True)


def lists(items: pd.DataFrame) -> pd.DataFrame:
    """Compare the lists of hard, uncertain and doubtful items, each with each."""
    items = items.assign(vote_wrong=items["vote_right"] == 0)
    return scores.compare_lists({title: items[name] for name, title in LISTS.items()})


def by_count(items: pd.DataFrame, sets: Mapping[str, Counts], printed: Printed) -> pd.DataFrame:
    """List the items with each number of positive labels, and how hard these are."""
    lazy = mixtures.fit_lazy(sets["SRTE"], printed.mixture("three"))
    posterior = lazy.mixture.posterior(np.arange(11), 10)
    table = pd.DataFrame(
        {
            "positives": np.arange(11),
            "items": sets["SRTE"].histogram,
            "brtea_items": sets["BRTEa"].histogram,
            "model_m": printed.cells("three"),
            "model_m_lazy": lazy.expected,
            "hard_probability": posterior[:, 1],
            # If B1 and B3 are the gold labels 0 and 1, and that of a hard item is random.
            "gold_expected": posterior[:, 2] + posterior[:, 1] / 2,
        }
    )
    names = ["gold", "vote_right", "uncertain_carpenter", "gold_doubtful", "carpenter_entropy"]
    return table.join(items.groupby("positives")[names].mean(), on="positives")


def tasks(items: pd.DataFrame) -> pd.DataFrame:
    """Count hard, uncertain and doubtful items by the task they were made for."""
    flags = {"in_window": "in_window", "hard_by_model": "hard"}
    flags |= {"uncertain_carpenter": "uncertain", "gold_doubtful": "doubtful"}
    groups = items.assign(task=items["task"].fillna("all")).groupby("task")
    table = groups[list(flags)].sum().rename(columns=flags)
    table.insert(0, "items", groups.size())
    table["window_percent"] = 100 * table["in_window"] / table["items"]
    return table.sort_values("window_percent", ascending=False).reset_index()
