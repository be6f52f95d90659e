"""What Beigman Klebanov and Beigman (2010) print, by target.

Sections 4, 5 and 7.2 are computed from the reconstructed histogram of BRTEa, sections 3.1, 6 and
7.1 from the public labels of RTE-1 (SRTE), and results that use BRTEb from simulations.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats

from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.noise import mixtures
from annobench.noise.lazy import LazyAnnotators
from annobench.noise.mixtures import BinomialMixture, Counts
from annobench_replication.ledger import PAPER_METHOD, Computed
from annobench_replication.rounding import Rounded, propagate
from annobench_replication.rows import Value

from .models import Printed, by_target, percents
from .reconstruction import paper_fits

#: Values by target, and the method that they are computed by.
ByMethod = Iterator[tuple[str, Mapping[str, Value]]]


def with_error(value: float, error: float) -> Value:
    """Return an estimate with its large-sample 95% interval, if it has a standard error."""
    if not np.isfinite(error):
        return value
    margin = error * scipy.stats.norm.isf(0.025)
    return value, value - margin, value + margin


def arithmetic(printed: Printed) -> dict[str, Value]:
    """Compute what printed numbers say of each other."""
    number = printed.value
    three, n_items, per_item = printed.items("three"), number("n_items"), number("labels_per_item")
    agreements = n_items - printed.items("conservative")[1] / 2  # of two fair coins
    hard_share, agreement = 100 * three[1] / n_items, 100 * agreements / n_items

    def p_value(name: str) -> Rounded:
        df = printed.closed_forms()[f"{name}.df"]
        text = printed.statistics[f"{name}_chi_square"]
        return propagate(lambda x: float(scipy.stats.chi2.sf(x[0], df)), [text])

    return {
        "brte.total_cost": n_items * per_item * number("pay") / number("items_per_pay"),
        "brte.batches_total_labels": number("n_batches") * number("batch_labels_per_item"),
        "brte.group_labels_per_item": per_item / number("n_groups"),
        "two.n_total": printed.items("two").sum(),
        "three.n_total": three.sum(),
        "three.hard_share": hard_share,
        "gaussian.n_total": printed.items("gaussian").sum(),
        **{f"{half}.accuracy_over_srte": number(f"{half}_accuracy") for half in ("brtea", "brteb")},
        "discussion.hard_share": hard_share,
        "conservative.n_total": printed.items("conservative").sum(),
        "replication.disagreements": n_items - agreements,
        "replication.agreements": agreements,
        "replication.agreement": agreement,
        "replication.above_reported_low": agreement,
        "replication.below_reported_high": agreement,
        **{f"{data}.p_value": p_value(data) for data in ("three", "brteb")},
    }


def fit_with_hard(counts: Counts, n_hard: float) -> np.ndarray:
    """Fit the items of the first binomial, and three rates, with n_hard items in the middle one."""
    n_items, free = counts.n_items, paper_fits(*counts.histogram.tolist())["three"].mixture

    def residuals(values: np.ndarray) -> np.ndarray:
        items = [values[0], n_hard, n_items - n_hard - values[0]]
        return BinomialMixture(items, values[1:]).expected(counts) - counts.histogram

    start = np.append(n_items * free.share[0], free.rate)
    bounds = np.zeros(4), np.append(n_items - n_hard, np.ones(3))
    scale = [100, 0.1, 0.1, 0.1]
    return scipy.optimize.least_squares(residuals, start, bounds=bounds, x_scale=scale).x


def sections_4_and_5(printed: Printed, others: Mapping[str, float]) -> dict[str, float]:
    """Compute sections 4 and 5, each number from what the others determine (`left_out`)."""
    p_values = {
        int(printed.value(k)): others[f"{model}.rejected_at"]
        for k, model in (("first_k", "two"), ("second_k", "three"))
    }
    unknown = np.isnan(list(p_values.values())).any()
    fits = [k for k, p in p_values.items() if p > printed.value("level") and not unknown]
    rejected = [k for k in p_values if k not in fits and not unknown]
    low, high = 100 * others["three.p_1"], 100 * (1 - others["three.p_3"])
    return {name: value for name, value in others.items() if "rejected" not in name} | {
        "intro.n_types": min(fits, default=np.nan),
        "intro.n_rejected_types": max(rejected, default=np.nan),
        "two.over_critical": others["two.chi_square"],
        "three.error_rate_0": low,
        "three.error_rate_1": high,
        "three.error_rate_difference": low - high,
        "gaussian.over_critical": others["gaussian.chi_square"],
        "conservative.m_hard": others["three.n_2"],
    }


def section_7_2(printed: Printed, counts: Counts | None) -> dict[str, float]:
    """Compute the conservative model from the histogram of BRTEa; NaN without one."""
    names = ("n_1", "n_3", "p_1", "p_2", "p_3", "p_value", "smallest", "n_hard")
    found = [np.nan] * len(names)
    if counts is not None:
        items = printed.items("conservative")
        n_first, *rates = fit_with_hard(counts, items[1])
        fewest = mixtures.smallest_hard_count(counts)
        n_fewest = np.nan if fewest is None else fewest.n_hard
        n_third = counts.n_items - items[1] - n_first
        p_value = p_of_items(printed, counts, items)
        found = [n_first, n_third, *rates, p_value, n_fewest, n_fewest]
    return {f"conservative.{name}": value for name, value in zip(names, found, strict=True)}


def p_of_items(printed: Printed, counts: Counts, items: np.ndarray) -> float:
    """Return the p-value of the conservative model with other numbers of items."""
    rates = printed.mixture("conservative").rate
    binomials = scipy.stats.binom.pmf(np.arange(11), 10, rates[:, None])
    return mixtures.chi_square(counts.histogram, items @ binomials, n_fitted=5).p_value


def brtea(printed: Printed, counts: Counts | None, others: Mapping[str, float]) -> dict[str, Value]:
    """Compute sections 4, 5 and 7.2 from the histogram of BRTEa, or NaN without one."""
    errors: dict[str, float] = {}
    if counts is not None:
        fits = paper_fits(*counts.histogram.tolist())
        for model in ("two", "three"):
            errors |= by_target(model, fits[model].standard_error, counts.n_items)
    found = sections_4_and_5(printed, others) | section_7_2(printed, counts)
    return {name: with_error(value, errors.get(name, np.nan)) for name, value in found.items()}


def brtea_otherwise(printed: Printed, counts: Counts) -> ByMethod:
    """Compute values of BRTEa by methods that the paper did not use."""
    fits = paper_fits(*counts.histogram.tolist())
    chi_squares = {f"{model}.chi_square": fits[model].chi_square().statistic for model in fits}
    yield "least squares, unrounded", chi_squares
    for short in range(3):  # the ten surplus items taken from one of the three components
        fewer = printed.items("conservative") - 10 * (np.arange(3) == short)
        p_value = p_of_items(printed, counts, fewer)
        yield f"10 items fewer in B{short + 1}", {"conservative.p_value": p_value}
    hard_share = percents(mixtures.hard_share_profile(counts))
    yield "profile likelihood, rate of .4 to .6", {"three.hard_share": hard_share}
    for model, n_components in (("two", 2), ("three", 3)):
        for method in ("ml", "chi_square"):
            fitted = mixtures.fit(counts, n_components, method=method)
            errors = by_target(model, fitted.standard_error, counts.n_items)
            found = by_target(model, fitted.mixture, counts.n_items)
            parameters = {name: with_error(value, errors[name]) for name, value in found.items()}
            chi_square = {f"{model}.chi_square": fitted.chi_square().statistic}
            yield method.replace("_", " "), parameters | chi_square


def brte(study: pd.DataFrame) -> dict[str, Value]:
    """Summarise the simulated BRTE: medians, and what 95% of the data sets have."""
    targets = ("brteb.chi_square", "brtea.majority_accuracy", "brteb.majority_accuracy")
    columns = study[["chi_square_b", "accuracy_a", "accuracy_b"]]
    quantiles = np.quantile(columns, [0.5, 0.025, 0.975], axis=0)
    return dict(zip(targets, map(tuple, quantiles.T), strict=True))


def complete_counts(a: Annotations) -> Counts:
    """Count the items that have as many labels as any: the models want as many of each."""
    labels, positives = mixtures.positive_counts(a)
    n = int(labels.max())
    return Counts.from_histogram(np.bincount(positives[labels == n], minlength=n + 1))


def majority_right(positives: np.ndarray, labels: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Say how right the majority is on each item: 0, 1, or 1/2 for a tie."""
    vote = np.sign(2 * positives - labels)
    return (1 + vote * np.where(gold == 1, 1, -1)) / 2


def srte(data: LoadedData, counts: Counts, printed: Printed) -> dict[str, Value]:
    """Compute sections 3.1 and 6 from the labels of RTE-1."""
    a = data.annotations
    labels, positives = mixtures.positive_counts(a)
    right = majority_right(positives, labels, data.gold)
    cells = printed.mixture("three").expected(counts)
    error = 100 * right.std() / np.sqrt(right.size)
    return {
        "data.n_items": a.n_items,
        "srte.labels_per_item": a.n_labels / a.n_items,
        "srte.n_annotators": a.n_annotators,
        "srte.p_value_of_m": mixtures.chi_square(counts.histogram, cells, n_fitted=0).p_value,
        "srte.majority_accuracy": with_error(100 * right.mean(), error),
    }


def easy_rates(counts: Counts, printed: Printed) -> ByMethod:
    """Compute the rates of the outer components of SRTE in several readings.

    Section 4 adds components "until a model with a good fit is found or no degrees of freedom are
    left"; the paper fitted no model to SRTE.
    """
    largest = mixtures.max_identifiable_components(counts.max_labels)
    for k in range(max(1, int(printed.value("first_k"))), largest + 1):
        fitted = mixtures.fit(counts, k, method="least_squares")
        if fitted.chi_square().p_value > printed.value("level"):
            break
    three = mixtures.fit(counts, 3, method="least_squares")
    for method, rate, error in (
        (PAPER_METHOD, fitted.mixture.rate, fitted.standard_error.rate),
        ("three components, all free", three.mixture.rate, three.standard_error.rate),
        ("clear coins of M moved", moved_rates(counts, printed), np.full(2, np.nan)),
    ):
        low, high = (with_error(rate[t], error[t]) for t in (0, -1))
        yield method, {"srte.easy_low_rate": low, "srte.easy_high_rate": high}


def moved_rates(counts: Counts, printed: Printed) -> np.ndarray:
    """Fit the rates of M's clear components by least squares, everything else as printed."""
    m = printed.mixture("three")

    def residuals(rates: np.ndarray) -> np.ndarray:
        moved = BinomialMixture(m.share, [rates[0], m.rate[1], rates[1]])
        return moved.expected(counts) - counts.histogram

    start = np.clip(m.rate[[0, 2]], 0.01, 0.99)
    return scipy.optimize.least_squares(residuals, start, bounds=(0, 1)).x


def lazy(table: pd.DataFrame, annotators: LazyAnnotators) -> ByMethod:
    """Return section 6's fit of lazy annotators, and those found by name beside it."""
    by_name = {"lazy_share": annotators.share_of_labels, "lazy_rate": annotators.lazy_rate}
    yield "annotators by name, against gold", {f"lazy.{n}": value for n, value in by_name.items()}
    by_reading = table.set_index("reading")
    for reading in ("least squares", "ml", "chi square"):
        found = by_reading.loc[reading]
        share, error = found["lazy_share"], found["lazy_share_error"]
        values = {
            "lazy.lazy_share": with_error(share, error),
            "lazy.diligent_share": with_error(1 - share, error),
            "lazy.lazy_share_words": with_error(100 * share, 100 * error),
            "lazy.lazy_rate": with_error(found["lazy_rate"], found["lazy_rate_error"]),
            "lazy.chi_square": float(found["chi_square"]),
            "lazy.below_critical": float(found["chi_square"]),
        }
        yield PAPER_METHOD if reading == "least squares" else reading, values
    yield "parameters as printed", {"lazy.chi_square": by_reading["chi_square"]["as printed"]}


def examples(table: pd.DataFrame, data: LoadedData, window: tuple[int, int]) -> Iterator[Computed]:
    """Yield the positive and the gold labels of the examples, with those of all items."""
    by_number = table.set_index("example")
    _, positives = mixtures.positive_counts(data.annotations)
    inside = ((window[0] <= positives) & (positives <= window[1])).mean()
    for number, row in by_number.iterrows():
        yield Computed(f"example{number}.positives", row["positives"], base_rate=inside)
        alike = (data.gold == row["gold"]).mean()
        yield Computed(f"example{number}.expert_label", row["gold"], base_rate=alike)
    gold = by_number["gold"].astype(float)
    yield Computed("examples.n_true_1_to_4", gold.loc[1:4].sum(skipna=False))
    yield Computed("examples.n_true_8_9", gold.loc[8:9].sum(skipna=False))
    yield Computed("examples.n_false_10_13", (1 - gold.loc[10:13]).sum(skipna=False))
