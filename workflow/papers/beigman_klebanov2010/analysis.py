"""Recompute Beigman Klebanov and Beigman (2010), and fit its models to the public labels.

=========================  ==========================================================
`reconstruct`, `left_out`  sections 4 and 5: the histogram of BRTEa that they determine
`arithmetic`               what printed numbers say of each other
`brtea_rows`               sections 4, 5 and 7.2 on that histogram
`brte_study`               BRTEb and the accuracies, simulated from model M
`srte_rows`, `lazy_table`  sections 3.1 and 6 on the public labels of RTE-1 (SRTE)
`fits_table`, `types_table`  how many types: by all methods, on both histograms
`annotators_study`         section 5: what heterogeneous annotators do to a histogram
`example_table`            section 7.1: the thirteen examples
`hard_items`               which items are hard, and who agrees with that
=========================  ==========================================================

The labels of BRTE were never published. But the paper prints three fits of one histogram of
eleven whole numbers that sum to 800: thirteen parameters and three chi-squares. They find one
histogram. What finds it can't confirm it, so each of the sixteen numbers is left out in turn,
and compared with what the histogram gives that the other fifteen find.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats
from scipy.special import xlogy

from annobench import datasets
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData
from annobench.evaluation import scores
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, hierarchical_binary
from annobench.noise import mixtures
from annobench.noise.lazy import LazyAnnotators, find_lazy
from annobench.noise.mixtures import BinomialMixture, Counts
from annobench.replication.compare import (
    PAPER_METHOD,
    Computed,
    parse_printed,
    plain_rows,
    write_computed,
)
from annobench.replication.reconstruct import integer_points, least_squares_step
from annobench.replication.rounding import propagate
from annobench.reporting import plotting

#: Bootstrap replicates and simulated data sets.
REPLICATES = {"full": 499, "quick": 19}
#: Draws a chain of Carpenter's model, after as many for warming up.
DRAWS = {"full": 1500, "quick": 200}
WARMUP = {"full": 500, "quick": 100}
#: How far a printed parameter may be off, in units of its last place: the optimiser that the
#: paper used stops short of the optimum by about that. With .7 and 1.3 the same histogram is
#: found, with .5 none.
UNITS_OFF = {"full": 1.0, "quick": 0.75}
#: The same where a number is left out, which leaves up to fifty times as many histograms.
LEFT_OUT_UNITS_OFF = 0.75
#: How far from model M a histogram may be, as a chi-square, if that of M is not to be used: M
#: would be rejected at one in a thousand (5 degrees of freedom).
FAR = 20.5
#: A search that lists more histograms has found nothing.
MOST_LISTED = 1_000_000
#: Bands of rates that may count as hard.
BANDS = ((0.45, 0.55), (0.4, 0.6), (0.35, 0.65))
#: The parameters of each model in the order of `Printed.parameters`, and what is printed twice:
#: all items less the others.
PARAMETERS = {
    "two": ("n_0", "p_0", "p_1"),
    "three": ("n_1", "n_2", "p_1", "p_2", "p_3"),
    "gaussian": ("n_1", "mean_1", "mean_2", "sd_1", "sd_2"),
}
SAME_NUMBER = {"two.n_1": "two.n_0", "three.n_3": "three.n_2", "gaussian.n_2": "gaussian.n_1"}
PALE, LIGHT_BLUE, ORANGE = "#A0A0A0", "#A6C8DD", "#E8A878"
#: A legend that a line may run behind.
BOXED: dict[str, Any] = {"frameon": True, "edgecolor": "none", "framealpha": 1}
RECONSTRUCTED = "BRTEa, reconstructed"


# ----------------------------------------------------------------------- printed numbers


@dataclass(frozen=True)
class Printed:
    """The models and numbers that the paper prints.

    `of` returns a model as a mixture, `value` a number, `unit` one of its last place.
    """

    models: pd.DataFrame
    statistics: pd.Series

    @classmethod
    def read(cls, paths: Mapping[str, Path]) -> "Printed":
        """Read the printed tables."""
        models = pd.read_csv(paths["models"], comment="#", dtype=str, keep_default_na=False)
        statistics = pd.read_csv(paths["statistics"], comment="#", index_col="name", dtype=str)
        return cls(models.set_index(["model", "part"]), statistics["value"])

    def value(self, name: str) -> float:
        """Return a printed number; of a type that divides by 0 as NumPy does."""
        return np.float64(parse_printed(self.statistics[name]).value)

    def unit(self, name: str) -> float:
        """Return one unit of the last place of a printed number."""
        return float(parse_printed(self.statistics[name]).unit)

    @property
    def n_labels(self) -> int:
        """Labels of an item."""
        return int(self.value("n_labels"))

    @property
    def n_hard(self) -> float:
        """The hard items that section 7.2 leaves."""
        return float(self.items("conservative")[1])

    def items(self, model: str) -> np.ndarray:
        """Return the items of each part of a model."""
        return self.models.loc[model, "items"].to_numpy(float)

    def of(self, model: str) -> BinomialMixture:
        """Return a mixture of binomials as printed."""
        return BinomialMixture(self.items(model), self.models.loc[model, "centre"].to_numpy(float))

    def cells(self, model: str, values: np.ndarray | None = None) -> np.ndarray:
        """Return the expected histogram of a model, at other parameters if given."""
        if values is None:
            values = np.array([parse_printed(text).value for text in self.parameters(model)], float)
        n, total = self.n_labels, self.value("n_items")
        m = len(self.models.loc[model])
        counts = np.append(values[: m - 1], total - values[: m - 1].sum())
        if model == "gaussian":
            centre, sd = values[m - 1 :].reshape(2, -1)
            return mixtures.gaussian_cells(counts, centre, sd, n, cells="interval")
        return total * BinomialMixture(counts, values[m - 1 :]).pmf(n)

    def parts(self, model: str) -> np.ndarray:
        """Return the expected histogram of each part of a model."""
        n, table = self.n_labels, self.models.loc[model]
        if model == "gaussian":
            centre, sd = (table[name].to_numpy(float)[:, None] for name in ("centre", "sd"))
            each = mixtures.gaussian_cells(np.ones((2, 1)), centre, sd, n, cells="interval")
        else:
            each = np.stack([BinomialMixture([1], [p]).pmf(n) for p in self.of(model).rate])
        return self.items(model)[:, None] * each

    def parameters(self, model: str) -> list[str]:
        """Return the printed parameters: items of all parts but the last, centres, deviations."""
        table = self.models.loc[model]
        return [*table["items"][:-1], *table["centre"], *filter(None, table["sd"])]


def pearson(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return Pearson's chi-square of each histogram."""
    return ((observed - expected) ** 2 / expected).sum(axis=-1)


# ------------------------------------------------------------------------ reconstruction


@dataclass(frozen=True)
class PaperFits:
    """The three models fitted to a histogram as the paper did, by least squares."""

    two: mixtures.MixtureFit
    three: mixtures.MixtureFit
    gaussian: mixtures.GaussianFit


@cache
def paper_fits(*histogram: int) -> PaperFits:
    """Fit two and three binomials and two normal distributions, once for each histogram."""
    counts = Counts.from_histogram(histogram)
    two, three = (mixtures.fit(counts, k, method="least_squares") for k in (2, 3))
    return PaperFits(two, three, mixtures.fit_gaussians(counts, cells="interval"))


def shift_of(printed: Printed, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (A, t): A h - t is how far a fit of h lies from the printed one, in printed units."""
    texts = [parse_printed(text) for text in printed.parameters(model)]
    at, units = (np.array([getattr(text, name) for text in texts], float)
                 for name in ("value", "unit"))  # fmt: skip
    return least_squares_step(lambda values: printed.cells(model, values), at, units)


Shifts = Mapping[str, tuple[np.ndarray, np.ndarray]]


def shifts_of(printed: Printed) -> Shifts:
    """Return `shift_of` for every model."""
    return {model: shift_of(printed, model) for model in PARAMETERS}


def chi_square_name(model: str) -> str:
    """Return the name of a model's printed chi-square."""
    return f"{model}_chi_square"


def reconstruct(
    printed: Printed, shifts: Shifts, *, units_off: float, without: str
) -> tuple[np.ndarray | None, pd.DataFrame]:
    """Find the histogram of BRTEa without one of the printed numbers, and list its rivals.

    All histograms are searched that lie as close to model M as its chi-square says, and for
    which least squares moves no printed parameter by more than so many units of its last
    place. Of these it is the only one that has the printed chi-squares. A chi-square is that of
    the model as printed, so that it can't be used where a parameter of its model is left out.

    Parameters
    ----------
    printed : Printed
        The printed numbers.
    shifts : mapping
        What `shifts_of` says of them.
    units_off : float
        How far a printed parameter may be off, in units of its last place.
    without : str
        The target of the number that is not used.

    Returns
    -------
    tuple
        The histogram, None if there is none or more than one; and all that were listed, those
        first whose chi-squares are closest to the printed ones.
    """
    names = [f"{model}.{name}" for model, each in PARAMETERS.items() for name in each]
    used = np.array([name != without for name in names])
    step, at = (np.concatenate(parts)[used] for parts in zip(*shifts.values(), strict=True))
    m_cells = printed.cells("three")
    reach = printed.value("three_chi_square") + printed.unit("three_chi_square")
    own_model = without.partition(".")[0]
    near = np.diag(1 / np.sqrt(m_cells * (FAR if own_model == "three" else reach)))
    # Each parameter adds at most 1 to the squared distance, and so does the ellipsoid.
    try:
        found = integer_points(
            np.vstack([near, step / units_off]), np.concatenate([near @ m_cells, at / units_off]),
            total=int(printed.value("n_items")), radius=np.sqrt(1 + used.sum()), most=MOST_LISTED,
        )  # fmt: skip
    except ValueError:  # more than can be listed
        found = np.empty((0, len(m_cells)), dtype=np.int64)
    off = np.abs(found @ step.T - at).max(axis=1)
    inside = (off <= units_off) & (found >= 0).all(axis=1)
    cells = [f"x{j}" for j in range(found.shape[1])]
    table = pd.DataFrame(found[inside], columns=cells).assign(units_off=off[inside])
    wrong = np.zeros(len(table))
    fits = np.ones(len(table), dtype=bool)
    for model in shifts:
        name = chi_square_name(model)
        table[name] = pearson(found[inside], printed.cells(model))
        away = (table[name] - printed.value(name)).abs() / printed.unit(name)
        table[f"{model}_units_off"] = away
        if model != own_model:
            wrong += away.clip(lower=0.5)
            fits &= away <= 0.5
    table = table.assign(fits=fits)
    table = table.iloc[np.argsort(wrong, kind="stable")].reset_index(drop=True)
    return (table.loc[0, cells].to_numpy(int) if fits.sum() == 1 else None), table


def least_squares_fits(histogram: np.ndarray) -> dict[str, float]:
    """Return the parameters of the paper's three models by target, and p-values of two."""
    fits = paper_fits(*histogram.tolist())
    n_items, values = histogram.sum(), {}
    for model, names, found in (("two", "01", fits.two), ("three", "123", fits.three)):
        for t, name in enumerate(names):
            values[f"{model}.n_{name}"] = n_items * found.mixture.share[t]
            values[f"{model}.p_{name}"] = found.mixture.rate[t]
        values[f"{model}.rejected_at"] = found.chi_square().p_value
    for t in (0, 1):
        values[f"gaussian.n_{t + 1}"] = n_items * fits.gaussian.share[t]
        values[f"gaussian.mean_{t + 1}"] = fits.gaussian.mean[t]
        values[f"gaussian.sd_{t + 1}"] = fits.gaussian.sd[t]
    return values


def left_out(printed: Printed, units_off: float) -> tuple[dict[str, float], pd.DataFrame]:
    """Compute every number that helps to find the histogram from the histogram without it.

    Returns
    -------
    tuple
        The values by target, NaN where the others leave no histogram or several, with the
        p-values of both mixtures, without their chi-square, as "two.rejected_at" and so on;
        and a table of the searches.
    """
    shifts = shifts_of(printed)
    values, rows = {}, []
    numbers = [f"{model}.{name}" for model, each in PARAMETERS.items() for name in each]
    texts = [text for model in PARAMETERS for text in printed.parameters(model)]
    chi_squares = [f"{model}.chi_square" for model in PARAMETERS]
    texts += [printed.statistics[chi_square_name(model)] for model in PARAMETERS]
    for name, text in zip(numbers + chi_squares, texts, strict=True):
        histogram, table = reconstruct(printed, shifts, units_off=units_off, without=name)
        found: dict[str, float] = {}
        if histogram is not None:
            found = least_squares_fits(histogram)
        if name in chi_squares:
            model = name.partition(".")[0]
            if histogram is not None:
                found[name] = float(pearson(histogram, printed.cells(model)))
            values[f"{model}.rejected_at"] = found.get(f"{model}.rejected_at", np.nan)
        values[name] = found.get(name, np.nan)
        values |= {same: found.get(same, np.nan) for same, of in SAME_NUMBER.items() if of == name}
        rows.append({"left_out": name, "printed": text, "from_the_others": values[name],
                     "histograms_listed": len(table), "with_the_chi_squares": table["fits"].sum(),
                     })  # fmt: skip
    return values, pd.DataFrame(rows)


# ------------------------------------------------------------------------------ arithmetic


def arithmetic(printed: Printed) -> list[Computed]:
    """Compute what printed numbers say of each other."""
    three, n_items = printed.items("three"), printed.value("n_items")
    statistics, chi2 = printed.statistics, scipy.stats.chi2
    agreements = n_items - printed.n_hard / 2  # of two fair coins
    values = {
        "brte.total_cost": n_items * printed.value("labels_per_item")
        * printed.value("pay") / printed.value("items_per_pay"),
        "brte.batches_total_labels": printed.value("n_batches")
        * printed.value("batch_labels_per_item"),
        "brte.group_labels_per_item": printed.value("labels_per_item") / printed.value("n_groups"),
        "two.n_total": printed.items("two").sum(),
        "three.n_total": three.sum(),
        "three.hard_share": 100 * three[1] / n_items,
        "gaussian.n_total": printed.items("gaussian").sum(),
        "brtea.accuracy_over_srte": printed.value("brtea_accuracy"),
        "brteb.accuracy_over_srte": printed.value("brteb_accuracy"),
        "discussion.hard_share": 100 * three[1] / n_items,
        "conservative.n_total": printed.items("conservative").sum(),
        "replication.disagreements": n_items - agreements,
        "replication.agreements": agreements,
        "replication.agreement": 100 * agreements / n_items,
        "replication.above_reported_low": 100 * agreements / n_items,
        "replication.below_reported_high": 100 * agreements / n_items,
    }  # fmt: skip
    rows = plain_rows(values, "printed_table")
    dfs = degrees_of_freedom(printed)
    for target, chi_square, df in (
        ("three.p_value", "three_chi_square", dfs["three.df"]),
        ("brteb.p_value", "brteb_chi_square", dfs["brteb.df"]),
    ):
        found = propagate(lambda x, df=df: float(chi2.sf(x[0], df)), [statistics[chi_square]])
        rows.append(Computed(target, found.value, rounding_lower=found.lower,
                             rounding_upper=found.upper, provenance="printed_table"))  # fmt: skip
    return rows


def degrees_of_freedom(printed: Printed) -> dict[str, float]:
    """Return the degrees of freedom of all chi-squares: cells less totals and parameters."""
    cells = printed.n_labels + 1
    two, three = (2 * printed.value(name) - 1 for name in ("first_k", "second_k"))
    return {
        "two.n_cells": cells,
        "two.n_fitted": two,
        "two.df": cells - 1 - two,
        "three.df": cells - 1 - three,
        "brteb.df": cells - 1,
        # Shares, means and standard deviations; share and coin of each further type of annotators.
        "gaussian.df": cells - 1 - (3 * printed.value("n_normals") - 1),
        "lazy.df": cells - 1 - 2 * (printed.value("n_annotator_types") - 1),
    }


def closed_forms(printed: Printed) -> dict[str, float]:
    """Compute degrees of freedom and critical values."""
    df, level = degrees_of_freedom(printed), printed.value("level")
    return df | {
        f"{name}.critical": float(scipy.stats.chi2.isf(level, df[f"{name}.df"]))
        for name in ("two", "gaussian", "lazy")
    }


# ----------------------------------------------------------------------------------- BRTEa


def with_error(target: str, value: float, error: float, **more: Any) -> Computed:
    """Return an estimate with its large-sample 95% interval."""
    if not np.isfinite(error):
        return Computed(target, value, **more)
    reach = error * scipy.stats.norm.isf(0.025)
    return Computed(target, value, lower=value - reach, upper=value + reach, level=0.95, **more)


def type_rows(prefix: str, names: str, counts: Counts) -> list[Computed]:
    """Fit as many binomials as there are names, by the methods that the paper did not use."""
    rows = []
    for method in [name for name in mixtures.METHODS if name != "least_squares"]:
        fitted = mixtures.fit(counts, len(names), method=method)
        more = {"provenance": "printed_table", "method": method.replace("_", " ")}
        error = fitted.standard_error
        for t, name in enumerate(names):
            items = counts.n_items * fitted.mixture.share[t]
            rows += [
                with_error(f"{prefix}.n_{name}", items, counts.n_items * error.share[t], **more),
                with_error(f"{prefix}.p_{name}", fitted.mixture.rate[t], error.rate[t], **more),
            ]
        rows.append(Computed(f"{prefix}.chi_square", fitted.chi_square().statistic, **more))
    return rows


def errors_of(prefix: str, names: str, fitted: mixtures.MixtureFit) -> dict[str, float]:
    """Return large-sample standard errors of a least-squares fit by target."""
    error = fitted.standard_error
    return {
        f"{prefix}.{kind}_{name}": scale * values[t]
        for kind, values, scale in (("n", error.share, fitted.counts.n_items), ("p", error.rate, 1))
        for t, name in enumerate(names)
    }


def gaussians_table(sets: Mapping[str, Counts]) -> pd.DataFrame:
    """Fit two normal distributions, by what stands for the probability of a count."""
    rows = []
    for data, counts in sets.items():
        for cells in ("interval", "density", "normalised"):
            found = mixtures.fit_gaussians(counts, cells=cells)
            test = found.chi_square()
            rows.append(
                {
                    "data": data, "cells": cells,
                    **{f"n_{t + 1}": counts.n_items * found.share[t] for t in (0, 1)},
                    **{f"mean_{t + 1}": found.mean[t] for t in (0, 1)},
                    **{f"sd_{t + 1}": found.sd[t] for t in (0, 1)},
                    "expected_items": found.expected.sum(), "chi_square": test.statistic,
                    "df": test.df, "p_value": test.p_value,
                    "sum_of_squares": found.sum_of_squares,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def fit_with_hard(counts: Counts, n_hard: float) -> np.ndarray:
    """Fit three binomials by least squares with n_hard items in the middle one.

    Returns the items of the first, and the three rates.
    """
    n_items, free = counts.n_items, paper_fits(*counts.histogram.tolist()).three.mixture

    def off(values: np.ndarray) -> np.ndarray:
        items = [values[0], n_hard, n_items - n_hard - values[0]]
        return n_items * BinomialMixture(items, values[1:]).pmf(10) - counts.histogram

    start = np.append(n_items * free.share[0], free.rate)
    bounds = np.zeros(4), np.append(n_items - n_hard, np.ones(3))
    return np.asarray(scipy.optimize.least_squares(off, start, bounds=bounds,
                                                   x_scale=[100, 0.1, 0.1, 0.1]).x)  # fmt: skip


def found_without(printed: Printed, others: Mapping[str, float]) -> dict[str, float]:
    """Compute sections 4 and 5, each number from what the others find (`left_out`)."""
    p_values = {int(printed.value(k)): others[f"{model}.rejected_at"]
                for k, model in (("first_k", "two"), ("second_k", "three"))}  # fmt: skip
    fits = {k: p > printed.value("level") for k, p in p_values.items()}
    unknown = any(np.isnan(p) for p in p_values.values())
    low, high = 100 * others["three.p_1"], 100 * (1 - others["three.p_3"])
    return {name: value for name, value in others.items() if "rejected" not in name} | {
        "intro.n_types": np.nan if unknown else min((k for k in fits if fits[k]), default=np.nan),
        "intro.n_rejected_types": np.nan
        if unknown
        else max((k for k in fits if not fits[k]), default=np.nan),
        "two.over_critical": others["two.chi_square"],
        "three.error_rate_0": low,
        "three.error_rate_1": high,
        "three.error_rate_difference": low - high,
        "gaussian.over_critical": others["gaussian.chi_square"],
        "conservative.m_hard": others["three.n_2"],
    }


def conservative_values(printed: Printed, counts: Counts | None) -> dict[str, float]:
    """Compute section 7.2 from the histogram of BRTEa; NaN without one."""
    names = ("n_1", "n_3", "p_1", "p_2", "p_3", "p_value", "smallest", "n_hard")
    if counts is None:
        return {f"conservative.{name}": np.nan for name in names}
    n_first, *rates = fit_with_hard(counts, printed.n_hard)
    fewest = mixtures.smallest_hard_count(counts)
    n_fewest = np.nan if fewest is None else fewest.n_hard
    n_third = counts.n_items - printed.n_hard - n_first
    p_value = p_of_items(printed, counts, printed.items("conservative"))
    found = (n_first, n_third, *rates, p_value, n_fewest, n_fewest)
    return {f"conservative.{name}": value for name, value in zip(names, found, strict=True)}


def p_of_items(printed: Printed, counts: Counts, items: np.ndarray) -> float:
    """Return the p-value of the conservative model with other numbers of items."""
    rates = printed.of("conservative").rate
    binomials = scipy.stats.binom.pmf(np.arange(11), 10, rates[:, None])
    return mixtures.chi_square(counts.histogram, items @ binomials, n_fitted=5).p_value


def brtea_rows(
    printed: Printed, counts: Counts | None, others: Mapping[str, float]
) -> list[Computed]:
    """Compute sections 4, 5 and 7.2 from the histogram of BRTEa, or NaN without one."""
    more = {"provenance": "printed_table"}
    values = found_without(printed, others) | conservative_values(printed, counts)
    if counts is None:
        return plain_rows(values, **more)
    fits = paper_fits(*counts.histogram.tolist())
    errors = errors_of("two", "01", fits.two) | errors_of("three", "123", fits.three)
    rows = [with_error(name, value, errors.get(name, np.nan), **more)
            for name, value in values.items()]  # fmt: skip
    for model, fitted in vars(fits).items():
        rows.append(Computed(f"{model}.chi_square", fitted.chi_square().statistic,
                             method="least squares, unrounded", **more))  # fmt: skip
    for short in range(3):  # the ten surplus items taken from one of the three types
        fewer = printed.items("conservative") - 10 * (np.arange(3) == short)
        rows.append(Computed("conservative.p_value", p_of_items(printed, counts, fewer),
                             method=f"10 items fewer in B{short + 1}", **more))  # fmt: skip
    profile = mixtures.hard_share_profile(counts)
    rows.append(Computed("three.hard_share", 100 * profile.estimate, lower=100 * profile.lower,
                         upper=100 * profile.upper, level=0.95,
                         method="profile likelihood, rate of .4 to .6", **more))  # fmt: skip
    return rows + type_rows("two", "01", counts) + type_rows("three", "123", counts)


def brte_study(printed: Printed, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Simulate BRTE from model M: 20 labels an item, split at random, M fitted to one half.

    The gold label of a simulated easy item is its type, that of a hard one a fair coin.
    """
    m, n_items = printed.of("three"), int(printed.value("n_items"))
    size = (replicates, n_items)
    kind = rng.choice(3, size=size, p=m.share)
    total = rng.binomial(20, m.rate[kind])
    first = rng.hypergeometric(total, 20 - total, 10)
    gold = np.where(kind == 1, rng.random(size) < 0.5, kind == 2)
    halves = {"a": first, "b": total - first}
    histogram = {name: np.stack([np.bincount(row, minlength=11) for row in half])
                 for name, half in halves.items()}  # fmt: skip
    fitted = mixtures.fit(Counts.from_histogram(histogram["a"][0]), 3, method="least_squares")
    at_m = mixtures.MixtureFit(m, fitted.counts, "least_squares")
    again = mixtures.refit(histogram["a"], at_m)
    right = {
        name: ((half > 5) == gold).mean(axis=1, where=half != 5) * (half != 5).mean(axis=1)
        + 0.5 * (half == 5).mean(axis=1)
        for name, half in halves.items()
    }
    return pd.DataFrame(
        {
            "chi_square_a": again.chi_square,
            "chi_square_b": pearson(histogram["b"], n_items * again.pmf(10)),
            "accuracy_a": 100 * right["a"],
            "accuracy_b": 100 * right["b"],
            "hard_share": 100 * again.hard_share(),
        }
    )


def brte_rows(printed: Printed, study: pd.DataFrame) -> list[Computed]:
    """Summarise the simulated BRTE: medians, and what 95% of the data sets have."""
    columns = {"brteb.chi_square": "chi_square_b", "brtea.majority_accuracy": "accuracy_a",
               "brteb.majority_accuracy": "accuracy_b"}  # fmt: skip
    reached = (study["chi_square_b"] >= printed.value("brteb_chi_square")).mean()
    rows = [Computed("brteb.p_value", reached, method="simulated law", provenance="simulated")]
    for target, column in columns.items():
        low, middle, high = np.quantile(study[column], [0.025, 0.5, 0.975])
        rows.append(Computed(target, middle, lower=low, upper=high, level=0.95,
                             provenance="simulated"))  # fmt: skip
    return rows


# ------------------------------------------------------------------------ how many types


def fits_table(
    sets: Mapping[str, Counts], rng: np.random.Generator, replicates: int
) -> pd.DataFrame:
    """Fit 1 to 5 types by every method, with chi-square's p-value and the bootstrap's."""
    rows = []
    for data, counts in sets.items():
        for types in range(1, mixtures.max_identifiable_components(counts.max_labels) + 1):
            for method in mixtures.METHODS if types <= 3 else ("ml",):
                fitted = mixtures.fit(counts, types, method=method)
                test, mix, error = fitted.chi_square(), fitted.mixture, fitted.standard_error
                drawn = np.nan
                if types in (2, 3) and method != "chi_square":
                    drawn = mixtures.goodness_of_fit(fitted, replicates=replicates, rng=rng).p_value
                pooled = fitted.chi_square(mixtures.pool_cells(fitted.expected))
                rows.append(
                    {
                        "data": data, "types": types, "method": method.replace("_", " "),
                        "items": _listed(counts.n_items * mix.share, 1),
                        "items_error": _listed(counts.n_items * error.share, 1),
                        "rates": _listed(mix.rate, 4), "rates_error": _listed(error.rate, 4),
                        "chi_square": test.statistic, "df": test.df, "p_value": test.p_value,
                        "bootstrap_p": drawn, "pooled_p": pooled.p_value,
                        "log_likelihood": fitted.log_likelihood,
                        "sum_of_squares": fitted.sum_of_squares,
                        "aic": fitted.aic, "bic": fitted.bic,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def _listed(values: np.ndarray, places: int) -> str:
    return "; ".join(f"{value:.{places}f}" for value in values)


def types_table(
    sets: Mapping[str, Counts], rng: np.random.Generator, replicates: int
) -> tuple[pd.DataFrame, dict[tuple[str, int], mixtures.BootstrapTest]]:
    """Test m types against m + 1 by the likelihood ratio, its law from a bootstrap."""
    tests = {
        (data, m): mixtures.likelihood_ratio_test(counts, m, replicates=2 * replicates + 1, rng=rng)
        for data, counts in sets.items()
        for m in (2, 3)
    }
    rows = [
        {
            "data": data, "types": m, "against": m + 1, "likelihood_ratio": test.statistic,
            "bootstrap_p": test.p_value, "monte_carlo_error": test.standard_error,
            "chi_square_p": scipy.stats.chi2.sf(test.statistic, 2),
            "law_95": np.quantile(test.draws, 0.95),
        }
        for (data, m), test in tests.items()
    ]  # fmt: skip
    return pd.DataFrame(rows), tests


def hard_share_table(
    sets: Mapping[str, Counts],
) -> tuple[pd.DataFrame, dict[str, mixtures.HardShareProfile]]:
    """Profile the share of hard items, by the band of rates that counts as hard."""
    rows, profiles = [], {}
    for data, counts in sets.items():
        for band in BANDS:
            profile = mixtures.hard_share_profile(counts, within=band)
            fewest = mixtures.smallest_hard_count(counts, within=band)
            if band == mixtures.HARD:
                profiles[data] = profile
            rows.append(
                {
                    "data": data, "band": f"{band[0]} to {band[1]}",
                    "percent": 100 * profile.estimate, "lower": 100 * profile.lower,
                    "upper": 100 * profile.upper, "rates": _listed(profile.mixture.rate, 3),
                    "items": _listed(counts.n_items * profile.mixture.share, 0),
                    "fewest_items": np.nan if fewest is None else fewest.n_hard,
                }
            )  # fmt: skip
    return pd.DataFrame(rows), profiles


# ------------------------------------------------------------------------------------ SRTE


def complete_counts(a: Annotations) -> Counts:
    """Count the items that have as many labels as any: the models want as many of each."""
    labels, positives = mixtures.positive_counts(a)
    n = int(labels.max())
    return Counts.from_histogram(np.bincount(positives[labels == n], minlength=n + 1))


def cells_for(printed: Printed, counts: Counts) -> np.ndarray:
    """Return model M's expected histogram of as many items."""
    return counts.n_items * printed.of("three").pmf(counts.max_labels)


def majority_right(positives: np.ndarray, labels: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Say how right the majority is on each item: 0, 1, or 1/2 for a tie."""
    vote = np.sign(2 * positives - labels)
    return (1 + vote * np.where(gold == 1, 1, -1)) / 2


def srte_rows(data: LoadedData, counts: Counts, printed: Printed) -> list[Computed]:
    """Compute sections 3.1 and 6 from the labels of RTE-1."""
    a = data.annotations
    word = data.provenance
    labels, positives = mixtures.positive_counts(a)
    right = majority_right(positives, labels, gold_of(data))
    against_m = mixtures.chi_square(counts.histogram, cells_for(printed, counts), n_fitted=0)
    plain = {
        "data.n_items": a.n_items,
        "srte.labels_per_item": a.n_labels / a.n_items,
        "srte.n_annotators": a.n_annotators,
        "srte.p_value_of_m": against_m.p_value,
    }
    return [
        *plain_rows(plain, word),
        with_error("srte.majority_accuracy", 100 * right.mean(),
                   100 * right.std() / np.sqrt(right.size), provenance=word),
        *easy_rate_rows(counts, printed, word),
    ]  # fmt: skip


def easy_rate_rows(counts: Counts, printed: Printed, word: str) -> list[Computed]:
    """Compute the rates of the clear types of SRTE in several readings.

    The paper fitted no model to SRTE. Its procedure (section 4) adds types "until a model with
    a good fit is found or no degrees of freedom are left"; the clear types are the outer ones.
    """
    level = printed.value("level")
    largest = mixtures.max_identifiable_components(counts.max_labels)
    for k in range(max(1, int(printed.value("first_k"))), largest + 1):
        fitted = mixtures.fit(counts, k, method="least_squares")
        if fitted.chi_square().p_value > level:
            break
    readings = {PAPER_METHOD: (fitted.mixture.rate, fitted.standard_error.rate)}
    three = mixtures.fit(counts, 3, method="least_squares")
    readings["three types, all free"] = three.mixture.rate, three.standard_error.rate
    readings["clear coins of M moved"] = moved_coins(counts, printed), np.full(2, np.nan)
    return [
        with_error(f"srte.easy_{name}_rate", rate[at], error[at], method=method, provenance=word)
        for method, (rate, error) in readings.items()
        for name, at in (("low", 0), ("high", -1))
    ]


def moved_coins(counts: Counts, printed: Printed) -> np.ndarray:
    """Fit the coins of M's clear types by least squares, everything else as printed."""
    m = printed.of("three")

    def off(rates: np.ndarray) -> np.ndarray:
        moved = BinomialMixture(m.share, [rates[0], m.rate[1], rates[1]])
        return counts.n_items * moved.pmf(counts.max_labels) - counts.histogram

    start = np.clip(m.rate[[0, 2]], 0.01, 0.99)
    return np.asarray(scipy.optimize.least_squares(off, start, bounds=(0, 1)).x)


def displayed_sum(diligent: BinomialMixture, lazy_share: float, lazy_rate: float, *,
                  first: int, n: int = 10) -> np.ndarray:  # fmt: skip
    """Evaluate the displayed formula of section 6 term by term, from r = first."""
    pmf, law = scipy.stats.binom.pmf, np.zeros(n + 1)
    for r in range(first, n + 1):
        weight = pmf(r, n, 1 - lazy_share)
        lazy = pmf(np.arange(n - r + 1), n - r, lazy_rate)
        for share, rate in zip(diligent.share, diligent.rate, strict=True):
            law += weight * share * np.convolve(pmf(np.arange(r + 1), r, rate), lazy)
    return law


def lazy_table(counts: Counts, printed: Printed) -> pd.DataFrame:
    """Fit lazy annotators to SRTE in several readings, and two free binomials beside them."""
    m, histogram, n_items = printed.of("three"), counts.histogram, counts.n_items
    rows = []

    def add(reading: str, share: float, rate: float, cells: np.ndarray, fitted: int,
            errors: tuple[float, float] = (np.nan, np.nan)) -> None:  # fmt: skip
        test = mixtures.chi_square(histogram, cells, n_fitted=fitted)
        rows.append(
            {"reading": reading, "lazy_share": share, "lazy_share_error": errors[0],
             "lazy_rate": rate, "lazy_rate_error": errors[1], "chi_square": test.statistic,
             "df": test.df, "p_value": test.p_value,
             "sum_of_squares": float(((histogram - cells) ** 2).sum()),
             "log_likelihood": float(xlogy(histogram, cells / n_items).sum())}
        )  # fmt: skip

    for method in ("least_squares", "ml", "chi_square"):
        found = mixtures.fit_lazy(counts, m, method=method)
        add(method.replace("_", " "), found.lazy_share, found.lazy_rate, found.expected, 2,
            found.standard_error)  # fmt: skip
    share, rate = printed.value("lazy_share"), printed.value("lazy_rate")
    add("as printed", share, rate, n_items * mixtures.with_lazy(m, share, rate).pmf(10), 2)
    for first in (0, 1):
        cells = n_items * displayed_sum(m, share, rate, first=first)
        add(f"as printed, displayed sum from r = {first}", share, rate, cells, 2)
    grid = [(s, p) for s in np.linspace(share - 0.005, share + 0.005, 41)
            for p in np.linspace(rate - 0.005, rate + 0.005, 41)]  # fmt: skip
    box = [pearson(histogram, n_items * mixtures.with_lazy(m, *at).pmf(10)) for at in grid]
    for name, at in (("smallest", np.argmin(box)), ("largest", np.argmax(box))):
        add(f"{name} chi-square of parameters that print so", *grid[at],
            n_items * mixtures.with_lazy(m, *grid[at]).pmf(10), 2)  # fmt: skip
    for types in (2, 3):
        free = mixtures.fit(counts, types, method="least_squares")
        add(f"{types} binomials, nobody lazy, least squares", np.nan, np.nan, free.expected,
            free.n_parameters)  # fmt: skip
    add("model M, nobody lazy", 0, np.nan, cells_for(printed, counts), 0)
    return pd.DataFrame(rows)


def lazy_rows(table: pd.DataFrame, annotators: LazyAnnotators, word: str) -> list[Computed]:
    """Return section 6's fit of lazy annotators as rows, and those found by name beside it."""
    by_name = {"lazy.lazy_share": annotators.share_of_labels,
               "lazy.lazy_rate": annotators.lazy_rate}  # fmt: skip
    rows = plain_rows(by_name, word, method="annotators by name, against gold")
    for reading, method in (
        ("least squares", PAPER_METHOD),
        ("ml", "ml"),
        ("chi square", "chi square"),
    ):
        found = table.set_index("reading").loc[reading]
        more = {"method": method, "provenance": word}
        share, error = found["lazy_share"], found["lazy_share_error"]
        rows += [
            with_error("lazy.lazy_share", share, error, **more),
            with_error("lazy.diligent_share", 1 - share, error, **more),
            with_error("lazy.lazy_share_words", 100 * share, 100 * error, **more),
            with_error("lazy.lazy_rate", found["lazy_rate"], found["lazy_rate_error"], **more),
            Computed("lazy.chi_square", found["chi_square"], **more),
            Computed("lazy.below_critical", found["chi_square"], **more),
        ]
    printed = table.set_index("reading").loc["as printed", "chi_square"]
    rows.append(
        Computed("lazy.chi_square", printed, method="parameters as printed", provenance=word)
    )
    return rows


# ------------------------------------------------------------------------------ annotators


def annotators_study(
    a: Annotations, counts: Counts, rng: np.random.Generator, printed: Printed, replicates: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask whether annotators of their own rates can pass for a third type of items.

    Two types of items and the rates of Dawid and Skene's fit, as the annotators of RTE-1 have
    them, with the real sets of annotators or with new ones for every label. Returns a summary
    of each design, and the chi-squares of two binomials fitted to each simulated histogram.
    """
    fitted = dawid_skene.fit(a)
    sensitivity, specificity = fitted.confusion[:, 1, 1], fitted.confusion[:, 0, 0]
    prevalence = float(fitted.prevalence[1])
    two, three = mixtures.fit(counts, 2), mixtures.fit(counts, 3)
    observed = two.chi_square().statistic
    gain = 2 * (three.log_likelihood - two.log_likelihood)
    expected = mixtures.annotator_histogram(a, prevalence, sensitivity, specificity)
    own = pearson(counts.histogram, expected)
    who = a.annotator[a.by_item.order].reshape(a.n_items, -1)
    draws: dict[str, list[float]] = {}
    critical = closed_forms(printed)["two.critical"]
    rows = []
    for design in ("real sets of annotators", "a new annotator for every label"):
        histograms = np.empty((replicates, who.shape[1] + 1))
        for r in range(replicates):
            chosen = who if design.startswith("real") else rng.choice(a.annotator, size=who.shape)
            positive = rng.random(a.n_items) < prevalence
            rate = np.where(positive[:, None], sensitivity[chosen], 1 - specificity[chosen])
            x = (rng.random(who.shape) < rate).sum(axis=1)
            histograms[r] = np.bincount(x, minlength=who.shape[1] + 1)
        found = mixtures.refit(histograms, two).chi_square
        ratio = mixtures.likelihood_ratios(histograms, two)
        against = pearson(histograms, expected)
        draws[design] = found.tolist()
        rows.append(
            {
                "design": design, "chi_square_95": np.quantile(found, 0.95),
                "chi_square_largest": found.max(),
                "rejected_percent": 100 * (found > critical).mean(),
                "rte1_chi_square": observed,
                "rte1_p": (1 + (found >= observed).sum()) / (1 + replicates),
                "likelihood_ratio_95": np.quantile(ratio, 0.95), "rte1_likelihood_ratio": gain,
                "rte1_likelihood_ratio_p": (1 + (ratio >= gain).sum()) / (1 + replicates),
                "rte1_chi_square_of_annotators": own,
                "rte1_p_of_annotators": (1 + (against >= own).sum()) / (1 + replicates),
            }
        )  # fmt: skip
    return pd.DataFrame(rows), pd.DataFrame(draws)


# -------------------------------------------------------------------------------- hard items


def gold_of(data: LoadedData) -> np.ndarray:
    """Return the gold label of every item as 0 or 1, by the items' codes."""
    gold = data.items.set_index("item")["gold"].astype(int)
    return gold.loc[list(data.annotations.items)].to_numpy()


def window_of(printed: Printed) -> tuple[int, int]:
    """Return the numbers of positive labels of an item that section 7.1 calls hard."""
    return int(printed.value("window_lower")), int(printed.value("window_upper"))


def example_table(data: LoadedData, examples: Path, window: tuple[int, int]) -> pd.DataFrame:
    """Find the examples of section 7.1 in the data, with their labels; NaN where one is not."""
    _, positives = mixtures.positive_counts(data.annotations)
    items = data.items.set_index("item").loc[list(data.annotations.items)].reset_index()
    items = items.assign(positives=positives, gold=gold_of(data))
    inside = items[items["positives"].between(*window)]
    rows = []
    for row in pd.read_csv(examples, comment="#").itertuples():
        found = items[
            items["hypothesis"].fillna("").str.contains(row.hypothesis_holds, regex=False)
        ]
        if found.empty and data.provenance == "simulated":  # a stand-in has no texts
            found = inside.iloc[[row.example]]
        if len(found) > 1:
            raise ValueError(f"example {row.example}: {len(found)} hypotheses hold its words.")
        rows.append({"example": row.example} | (found.iloc[0].to_dict() if len(found) else {}))
    return pd.DataFrame(rows, columns=["example", *items.columns])


def example_rows(table: pd.DataFrame, word: str) -> list[Computed]:
    """Return the positive and the gold labels of the examples."""
    by_number = table.set_index("example")
    values: dict[str, float] = {}
    for number, row in by_number.iterrows():
        values |= {f"example{number}.positives_lower": row["positives"],
                   f"example{number}.positives_upper": row["positives"],
                   f"example{number}.expert_label": row["gold"]}  # fmt: skip
    gold = by_number["gold"].astype(float)
    values |= {"examples.n_true_1_to_4": gold.loc[1:4].sum(skipna=False),
               "examples.n_true_8_9": gold.loc[8:9].sum(skipna=False),
               "examples.n_false_10_13": (1 - gold.loc[10:13]).sum(skipna=False)}  # fmt: skip
    return plain_rows(values, word)


def hard_items(
    data: LoadedData, printed: Printed, profile: mixtures.HardShareProfile,
    rng: np.random.Generator, effort: str,
) -> pd.DataFrame:  # fmt: skip
    """List every item with what speaks for its being hard."""
    a = data.annotations
    labels, positives = mixtures.positive_counts(a)
    gold = gold_of(data)
    carpenter = hierarchical_binary.fit(
        a, rng=rng, draws=DRAWS[effort], warmup=WARMUP[effort]
    ).posterior[:, 1]
    low, high = window_of(printed)
    skene = dawid_skene.fit(a).posterior[:, 1]
    lazy = mixtures.fit_lazy(Counts.from_annotations(a), printed.of("three")).mixture
    items = data.items.set_index("item").loc[list(a.items)].reset_index()
    table = items.assign(
        gold=gold,
        positives=positives,
        hard_probability=lazy.posterior(positives, labels)[:, 1],
        hard_probability_free=profile.mixture.posterior(positives, labels)[:, 1],
        carpenter_posterior=carpenter,
        carpenter_entropy=scipy.stats.entropy([1 - carpenter, carpenter], base=2),
        dawid_skene_posterior=skene,
        vote_right=majority_right(positives, labels, gold),
        in_window=(positives >= low) & (positives <= high),
        hard_by_model=lazy.posterior(positives, labels)[:, 1] >= 0.5,
        uncertain_carpenter=np.abs(carpenter - 0.5) < 0.45,
        uncertain_dawid_skene=np.abs(skene - 0.5) < 0.45,
    )
    doubted = np.where(gold == 1, carpenter, 1 - carpenter)
    table["gold_probability"] = doubted
    table["gold_doubtful"] = doubted < 0.05
    table["reasons"] = [_reasons(row) for row in table.to_dict("records")]
    closeness = np.abs(table["positives"] - labels / 2)
    order = np.lexsort(
        (closeness, -table["carpenter_entropy"], -table["hard_by_model"].astype(int))
    )
    return table.iloc[order].reset_index(drop=True)


def _reasons(row: Mapping[str, Any]) -> str:
    found = [f"{row['positives']} of 10 positive"] if row["in_window"] else []
    if row["uncertain_carpenter"]:
        found.append(f"posterior {row['carpenter_posterior']:.2f}")
    if row["gold_doubtful"]:
        found.append("annotators against the gold label")
    return "; ".join(found)


LISTS = {
    "in_window": "4 to 7 of 10 positive (section 7.1)",
    "hard_by_model": "M with lazy annotators: probably hard",
    "uncertain_carpenter": "Carpenter's model: posterior .05 to .95",
    "uncertain_dawid_skene": "Dawid and Skene: posterior .05 to .95",
    "gold_doubtful": "Carpenter's model: gold label below .05",
    "vote_wrong": "majority against the gold label",
}


def lists_table(items: pd.DataFrame) -> pd.DataFrame:
    """Compare the lists of hard, uncertain and doubtful items, each with each."""
    items = items.assign(vote_wrong=items["vote_right"] == 0)
    return scores.compare_lists({words: items[name] for name, words in LISTS.items()})


def by_count_table(
    items: pd.DataFrame, sets: Mapping[str, Counts], printed: Printed
) -> pd.DataFrame:
    """Say of each number of positive labels how many items have it, and how hard these are."""
    groups = items.groupby("positives")
    lazy = mixtures.fit_lazy(sets["SRTE"], printed.of("three"))
    types = lazy.mixture.posterior(np.arange(11), 10)
    table = pd.DataFrame({
        "positives": np.arange(11), "items": sets["SRTE"].histogram,
        "brtea_items": sets["BRTEa"].histogram, "model_m": printed.cells("three"),
        "model_m_lazy": lazy.expected,
        "hard_probability": types[:, 1],
        # If B1 and B3 are the gold labels 0 and 1, and a hard item's gold label is a coin's.
        "gold_expected": types[:, 2] + types[:, 1] / 2,
    })  # fmt: skip
    for name in ("gold", "vote_right", "uncertain_carpenter", "gold_doubtful", "carpenter_entropy"):
        table[name] = groups[name].mean().reindex(table["positives"]).to_numpy()
    return table


def tasks_table(items: pd.DataFrame) -> pd.DataFrame:
    """Count hard, uncertain and doubtful items by the task they were made for."""
    table = items.assign(task=items["task"].fillna("all")).groupby("task").agg(
        items=("item", "size"), in_window=("in_window", "sum"), hard=("hard_by_model", "sum"),
        uncertain=("uncertain_carpenter", "sum"), doubtful=("gold_doubtful", "sum"),
    )  # fmt: skip
    table["window_percent"] = 100 * table["in_window"] / table["items"]
    return table.sort_values("window_percent", ascending=False).reset_index()


# ------------------------------------------------------------------------------------ figures


def dots(axes: Any, histogram: np.ndarray, label: str, **style: Any) -> None:
    """Draw a histogram as the paper does: items against number of positive labels."""
    style = {"marker": "o", "color": plotting.INK, "linestyle": "none", "markersize": 5} | style
    axes.plot(np.arange(len(histogram)), histogram, label=label, **style)


def frame(axes: Any, top: float = 160) -> None:
    """Label the axes of a histogram of positive labels."""
    axes.set(xlabel="'1' labels out of 10", ylabel="items", xlim=(-0.4, 10.4), ylim=(0, top),
             xticks=range(11))  # fmt: skip


def figure_fit(
    name: str, cells: np.ndarray, parts: np.ndarray, histogram: np.ndarray, stem: Path
) -> None:
    """Draw Figure 2, 3 or 5: a printed model and its parts against the histogram of BRTEa."""
    with plotting.house_figure(1, height=3.6) as (figure, (axes,)):
        for each in parts:
            axes.plot(each, color=PALE, linewidth=1, zorder=1)
        axes.plot(cells, color=plotting.BLUE, marker="s", markersize=3.5, fillstyle="none",
                  label=name)  # fmt: skip
        dots(axes, histogram, RECONSTRUCTED)
        frame(axes, 150)
        statistic = ((histogram - cells) ** 2 / cells).sum()
        axes.set_title(f"{name}: chi-square {statistic:.4g}")
        axes.legend(loc="upper left")
        figure.set_size_inches(5.2, 3.6)
        plotting.save_figure(figure, stem)


def figure6(
    model_m: np.ndarray, sets: Mapping[str, Counts], lazy: np.ndarray, stem: Path, mark: str | None
) -> None:
    """Draw Figure 6: model M and SRTE, with BRTEa in grey, and what lazy annotators mend."""
    two = mixtures.fit(sets["SRTE"], 2, method="least_squares").expected
    mended = {"M with lazy annotators": (lazy, plotting.BLUE, "s"),
              "two binomials": (two, plotting.VERMILION, "^")}  # fmt: skip
    with plotting.house_figure(height=3.7, stand_in=mark) as (figure, panels):
        for axes, curves, title in (
            (panels[0], {"model M": (model_m, plotting.BLUE, "s")}, "M as printed"),
            (panels[1], mended, "Fitted to SRTE"),
        ):
            dots(axes, sets["BRTEa"].histogram, RECONSTRUCTED, color=PALE, linestyle="-",
                 markersize=3)  # fmt: skip
            for name, (cells, colour, marker) in curves.items():
                axes.plot(cells, color=colour, marker=marker, markersize=4, fillstyle="none",
                          label=name)  # fmt: skip
            dots(axes, sets["SRTE"].histogram, "SRTE")
            frame(axes, 185)
            axes.set_title(title)
            axes.legend(loc="upper left")
        plotting.save_figure(figure, stem)


def figures_of_models(folder: Path) -> None:
    """Draw Figures 1, 4 and 7."""
    x, theta, t = (
        (3.2, 0.2, "$x$", ""),
        (0.0, 1.2, r"$\theta$", "shares"),
        (1.7, 1.2, "$t$", "type"),
    )
    nodes = {"theta": theta, "t": t, "x": x, "p": (5.2, 0.2, "$p$", "one coin a type")}
    edges = [("theta", "t"), ("t", "x"), ("p", "x")]
    plates = [(1.0, -0.85, 3.1, 2.75, "N items"), (2.7, -0.4, 1.0, 1.0, "n")]
    alpha = {"p": (5.2, 0.2, "$p_{ti}$", ""), "alpha": (5.2, 1.4, r"$\alpha$", "law of the coins")}
    lazy = {"p": (5.2, 0.2, "$p$", "coins, and $p_L$"), "a": (1.7, -0.2, "$a$", ""),
            "xi": (0.0, -0.6, r"$\xi$", "lazy or not")}  # fmt: skip
    wide = [(1.0, -1.2, 3.1, 3.1, "N items"), (1.2, -0.75, 2.6, 1.35, "n")]
    for name, model in {
        "figure1": (nodes, edges, plates),
        "figure4": (nodes | alpha, [*edges, ("alpha", "p")], plates),
        "figure7": (nodes | lazy, [*edges, ("xi", "a"), ("a", "x")], wide),
    }.items():
        with plotting.house_figure(1, height=2.9) as (figure, (axes,)):
            plotting.graphical_model(axes, *model, seen=["x"])
            figure.set_size_inches(5.6, 2.9)
            plotting.save_figure(figure, folder / name)


def figure_reconstruction(
    table: pd.DataFrame, printed: tuple[float, float], model_m: np.ndarray, stem: Path
) -> None:
    """Draw the rivals of the histogram by their chi-squares, and the histogram."""
    axis = ["two_chi_square", "three_chi_square"]
    with plotting.house_figure(height=3.6) as (figure, panels):
        axes = panels[0]
        axes.scatter(table[axis[0]][1:], table[axis[1]][1:], s=6, color=plotting.GREY, alpha=0.6,
                     linewidth=0, label=f"{len(table) - 1:,} other histograms")  # fmt: skip
        axes.axvline(printed[0], color=plotting.VERMILION, linewidth=0.9)
        axes.axhline(printed[1], color=plotting.VERMILION, linewidth=0.9)
        axes.plot(*table.loc[0, axis], "o", color=plotting.BLUE, label="the one with both")
        axes.set(xlabel="chi-square of two binomials as printed", yscale="log",
                 ylabel="chi-square of three, model M", ylim=(3, 300),
                 title="Near all printed parameters")  # fmt: skip
        axes.set_yticks([5, 10, 50, 100], ["5", "10", "50", "100"])
        axes.legend(loc="upper right", **BOXED)
        axes = panels[1]
        axes.plot(model_m, color=plotting.GREY, linewidth=1, label="model M as printed")
        cells = table.loc[0, [f"x{j}" for j in range(11)]].to_numpy(float)
        dots(axes, cells, RECONSTRUCTED, color=plotting.BLUE)
        for j, value in enumerate(cells):
            axes.text(j, value + 5, f"{value:.0f}", ha="center", fontsize=8)
        frame(axes)
        axes.set_title("The only one with both")
        axes.legend(loc="upper left")
        plotting.save_figure(figure, stem)


def figure_types(
    tests: Mapping[tuple[str, int], mixtures.BootstrapTest], stem: Path, mark: str | None
) -> None:
    """Draw the likelihood ratio of two against three types, with its simulated law."""
    with plotting.house_figure(height=3.3, stand_in=mark) as (figure, panels):
        for axes, data in zip(panels, ("BRTEa", "SRTE"), strict=True):
            test = tests[data, 2]
            top = max(15.0, 1.1 * test.statistic)
            axes.hist(test.draws, bins=np.linspace(0, top, 31).tolist(), color=LIGHT_BLUE,
                      edgecolor=plotting.INK, linewidth=0.5, log=True,
                      label="simulated from two types")  # fmt: skip
            axes.axvline(test.statistic, color=plotting.VERMILION, linewidth=1.8,
                         label=f"{data}: {test.statistic:.1f}, p = {test.p_value:.3f}")  # fmt: skip
            axes.set(title=f"{data}: two types or three?", ylim=(0.8, 50_000),
                     xlabel="likelihood ratio", ylabel="data sets")  # fmt: skip
            axes.legend(loc="upper left", **BOXED)
        plotting.save_figure(figure, stem)


def figure_hard_share(
    profiles: Mapping[str, mixtures.HardShareProfile], stem: Path, mark: str | None
) -> None:
    """Draw the profile likelihood of the share of hard items."""
    styles = {"BRTEa": (plotting.BLUE, "-"), "SRTE": (plotting.VERMILION, "--")}
    with plotting.house_figure(1, height=3.5, stand_in=mark) as (figure, (axes,)):
        for data, (colour, line) in styles.items():
            found = profiles[data]
            best, low, high = (100 * v for v in (found.estimate, found.lower, found.upper))
            axes.plot(100 * found.share, found.log_likelihood, color=colour, linestyle=line,
                      label=f"{data}: {best:.0f}%, 95% interval {low:.0f} to {high:.0f}%",
                      )  # fmt: skip
        reach = scipy.stats.chi2.ppf(0.95, 1) / 2
        axes.axhline(-reach, color=plotting.GREY, linestyle=":", linewidth=1)
        axes.set(xlabel="percent of hard items (rate between .4 and .6)", xlim=(0, 60),
                 ylabel="log likelihood below its maximum", ylim=(-8, 2.4),
                 title="How many items are hard?")  # fmt: skip
        axes.legend(loc="upper right")
        figure.set_size_inches(5.4, 3.5)
        plotting.save_figure(figure, stem)


def figure_annotators(
    draws: pd.DataFrame,
    observed: Mapping[str, float],
    lazy: pd.DataFrame,
    stem: Path,
    mark: str | None,
) -> None:
    """Draw what heterogeneous annotators do to chi-square, and how lazy annotators look."""
    with plotting.house_figure(height=3.9, stand_in=mark) as (figure, panels):
        axes, edges = panels[0], np.linspace(0, 80, 41).tolist()
        for (design, values), colour, line in zip(
            draws.items(), (plotting.BLUE, plotting.GREY), ("-", "--"), strict=True
        ):
            axes.hist(np.clip(values, 0, 80), bins=edges, histtype="step", color=colour,
                      linestyle=line, linewidth=1.4, label=str(design))  # fmt: skip
        for (data, value), colour, line in zip(
            observed.items(), (plotting.INK, plotting.VERMILION), ("-", "-."), strict=True
        ):
            axes.axvline(value, color=colour, linewidth=1.5, linestyle=line, label=data)
        top = 1.75 * axes.get_ylim()[1]
        axes.set(xlabel="chi-square of two binomials", ylabel="simulated data sets",
                 title="Two types, unequal annotators", ylim=(0, top), xlim=(0, 80))  # fmt: skip
        axes.legend(loc="upper right", **BOXED)
        axes = panels[1]
        crossed = (lazy["lazy_probability"] > 0.5).to_numpy()
        plotting.accuracy_plane(axes, lazy["sensitivity"], lazy["specificity"], lazy["labels"] / 2,
                                removed=crossed)  # fmt: skip
        axes.set_title("Annotators of SRTE against gold")
        for text in axes.get_legend().get_texts():
            if text.get_text() == "removed":
                text.set_text("probably lazy")
        plotting.save_figure(figure, stem)


def figure_hard_items(
    by_count: pd.DataFrame, window: tuple[int, int], stem: Path, mark: str | None
) -> None:
    """Draw how hard, uncertain and doubtful items are, by their number of positive labels."""
    x, shaded = by_count["positives"], (window[0] - 0.5, window[1] + 0.5)
    lines = {
        "hard_probability": ("hard: M with lazy annotators", plotting.BLUE, "o", "-"),
        "uncertain_carpenter": ("uncertain: Carpenter's model", plotting.GREEN, "s", "--"),
    }
    with plotting.house_figure(height=3.7, stand_in=mark) as (figure, panels):
        for axes in panels:
            axes.axvspan(*shaded, color="#EFEFEF", zorder=0)
            axes.set(xlabel="'1' labels out of 10", xticks=range(11))
        axes = panels[0]
        for name, (label, colour, marker, line) in lines.items():
            axes.plot(x, by_count[name], marker=marker, color=colour, linestyle=line, markersize=4,
                      label=label)  # fmt: skip
        axes.set(ylabel="share of these items", ylim=(0, 1.0), title="Hard or uncertain")
        axes.legend(loc="upper left")
        axes, edge = panels[1], {"edgecolor": plotting.INK, "linewidth": 0.5}
        axes.bar(x, by_count["items"], color=LIGHT_BLUE, label="gold label 0", **edge)
        axes.bar(x, by_count["items"] * by_count["gold"].fillna(0), color=ORANGE, hatch="///",
                 label="gold label 1", **edge)  # fmt: skip
        axes.set(ylabel="items", ylim=(0, 150), title="What the experts said")
        axes.legend(loc="upper left")
        plotting.save_figure(figure, stem)


# --------------------------------------------------------------------------------------- main


def weakest(name: str, word: str) -> str:
    """Return the weakest provenance of what is in a figure or a table."""
    searched = ("reconstruction", "left_out")
    from_printed = (*searched, "types", "fits", "hard_share", "gaussians", "by_count", "figure6",
                    "annotators")  # fmt: skip
    if name == "brte" or (word == "simulated" and name not in searched):
        return "simulated"
    return "printed_table" if name in from_printed else word


def captions_of(word: str, seed: int, rivals: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Say of every figure what it shows, from which data."""
    third = rivals["gaussian_chi_square"]
    srte = f"SRTE: {word} labels of RTE-1."
    printed = {
        "figure2": "Two binomials as printed, in grey each of them, and the histogram of BRTEa "
        "that the printed numbers determine.",
        "figure3": "Model M as printed, in grey its three binomials, and the same histogram.",
        "figure5": "Two normal distributions as printed, each number standing for half a unit "
        "around it. They hold 716 items, not 800: the rest lies below 0 and above 10.",
        "reconstruction": "Left: histograms of 800 items for which least squares moves none of the "
        "13 printed parameters by more than a unit of its last place; red, the printed "
        "chi-squares. Right: the only one that has both. The third chi-square, not used, is "
        f"{third[0]:.2f} for it (printed 36.77), and {third[1:].min():.0f} to "
        f"{third[1:].max():.0f} for the others.",
    }
    models = {
        "figure1": "The model of section 2: an item's type decides which coin its annotators flip.",
        "figure4": "The model of section 5: annotators have coins of their own. If each label "
        "comes from an annotator drawn anew, this is exactly the two binomials of Figure 2.",
        "figure7": "The model of section 6: a label comes from a diligent annotator or from a lazy "
        "one, who flips one coin whatever the item.",
    }
    real = {
        "figure6": "Model M does not fit SRTE (left). With lazy annotators it does, but so do two "
        "binomials, with nobody lazy and no hard items (right).",
        "types": "Likelihood ratio of three against two types, and its law in data sets simulated "
        "from two types (no chi-square law holds). BRTEa: reconstructed.",
        "hard_share": "How likely each share of hard items is, with two easy types and everything "
        "else at its best. Dotted: what a 95% interval holds. BRTEa: reconstructed.",
        "annotators": "Left: chi-square of two binomials on data simulated with two types of items "
        "and the annotators that Dawid and Skene's model sees in SRTE. Right: these annotators "
        "against the gold standard; areas grow with their labels.",
        "hard_items": "Left: share of items called hard or uncertain, by their positive labels; "
        "shaded, the paper's window of 4 to 7. Right: the same items by gold label.",
    }
    texts = {name: ("printed_table", text) for name, text in printed.items()}
    texts |= {name: ("closed_form", text) for name, text in models.items()}
    texts |= {name: (weakest(name, word), f"{text} {srte}") for name, text in real.items()}
    return {name: {"provenance": provenance, "caption": text, "seed": seed}
            for name, (provenance, text) in texts.items()}  # fmt: skip


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder."""
    paths = {path.stem: path for path in printed_tables}
    printed, rte = Printed.read(paths), datasets.read(data["snow2008_rte"])
    word, rng, replicates = rte.provenance, np.random.default_rng(seed), REPLICATES[effort]
    histogram, rivals = reconstruct(
        printed, shifts_of(printed), units_off=UNITS_OFF[effort], without="gaussian.chi_square"
    )
    brtea = None if histogram is None else Counts.from_histogram(histogram)
    others, searches = left_out(printed, LEFT_OUT_UNITS_OFF)
    srte = complete_counts(rte.annotations)
    study = brte_study(printed, rng, replicates)
    lazy = lazy_table(srte, printed)
    annotators = find_lazy(rte.annotations, gold_of(rte))
    examples = example_table(rte, paths["examples"], window_of(printed))
    computed = [
        *arithmetic(printed),
        *plain_rows(closed_forms(printed), "closed_form"),
        *brtea_rows(printed, brtea, others),
        *brte_rows(printed, study),
        *srte_rows(rte, srte, printed),
        *lazy_rows(lazy, annotators, word),
        *example_rows(examples, word),
    ]
    write_computed(computed, folder / "computed.csv")

    if histogram is None or brtea is None:
        raise ValueError("The printed fits leave no histogram of BRTEa, or several.")
    sets = {"BRTEa": brtea, "SRTE": srte}
    types, tests = types_table(sets, rng, replicates)
    hard, profiles = hard_share_table(sets)
    designs, chi_squares = annotators_study(rte.annotations, srte, rng, printed, replicates)
    items = hard_items(rte, printed, profiles["SRTE"], rng, effort)
    by_count = by_count_table(items, sets, printed)
    tables = {
        "reconstruction": rivals.drop(columns="fits").head(200),
        "left_out": searches,
        "fits": fits_table(sets, rng, replicates),
        "types": types,
        "hard_share": hard,
        "gaussians": gaussians_table(sets),
        "brte": study.describe(percentiles=[0.025, 0.5, 0.975]).reset_index(names="summary"),
        "lazy": lazy,
        "designs": designs,
        "annotators": annotators.table,
        "by_count": by_count,
        "hard_items": items,
        "lists": lists_table(items),
        "tasks": tasks_table(items),
        "examples": examples,
    }
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    mark = None if word == "real" else "Simulated stand-in, not the real labels of RTE-1"
    figures_of_models(stems)
    names = {"two": "B1 + B2", "three": "M = B1 + B2 + B3", "gaussian": "G = N1 + N2"}
    for model, stem in (("two", "figure2"), ("three", "figure3"), ("gaussian", "figure5")):
        figure_fit(names[model], printed.cells(model), printed.parts(model), histogram,
                           stems / stem)  # fmt: skip
    m_cells = printed.cells("three")
    lazy_cells = mixtures.fit_lazy(srte, printed.of("three"), method="least_squares").expected
    figure6(m_cells, sets, lazy_cells, stems / "figure6", mark)
    both = printed.value("two_chi_square"), printed.value("three_chi_square")
    figure_reconstruction(rivals, both, m_cells, stems / "reconstruction")
    figure_types(tests, stems / "types", mark)
    figure_hard_share(profiles, stems / "hard_share", mark)
    observed = {
        name: mixtures.fit(sets[name], 2).chi_square().statistic for name in ("SRTE", "BRTEa")
    }
    figure_annotators(chi_squares, observed, annotators.table, stems / "annotators", mark)
    figure_hard_items(by_count, window_of(printed), stems / "hard_items", mark)
    of_tables = {f"tables/{name}": {"provenance": weakest(name, word)} for name in tables}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions_of(word, seed, rivals) | of_tables, indent=1) + "\n")


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={"snow2008_rte": Path(snakemake.input.snow2008_rte[0]).parent},
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
