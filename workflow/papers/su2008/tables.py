"""The tables of Su and Markert (2008)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from annobench import agreement
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations

from .values import (
    COEFFICIENTS,
    GROUPS,
    LEVELS,
    SCHEMES,
    SCORES,
    Senses,
    contingency,
    pair_alphas,
    pair_annotations,
    rating_sets,
    wide,
)


def coefficients(senses: Senses, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Compare coefficients on training and test, whole and collapsed, with two intervals."""
    functions = (
        agreement.percent_agreement,
        agreement.cohen_kappa,
        agreement.scott_pi,
        agreement.krippendorff_alpha,
        agreement.gwet_ac1,
        agreement.brennan_prediger,
    )
    rows = []
    for data in ("train", "test"):
        for scheme, a in getattr(senses, data).items():
            for function in functions:
                found = function(a)
                analytic = found.interval()
                drawn = found.interval("bca", replicates=replicates, rng=rng)
                rows.append(
                    {
                        "data": data,
                        "scheme": scheme,
                        "coefficient": found.name,
                        "estimate": found.estimate,
                        "standard_error": found.standard_error,
                        "lower": analytic.lower,
                        "upper": analytic.upper,
                        "bootstrap_lower": drawn.lower,
                        "bootstrap_upper": drawn.upper,
                        "expected_agreement": found.expected_agreement,
                    }
                )
    return pd.DataFrame(rows)


def single_category(senses: Senses) -> pd.DataFrame:
    """List single-category kappas of training and test, whole and collapsed."""
    parts = []
    for data in ("train", "test"):
        for scheme, a in getattr(senses, data).items():
            part = agreement.cohen_kappa(a).by_category()
            part.insert(0, "scheme", scheme)
            part.insert(0, "data", data)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def confusions(a: Annotations) -> pd.DataFrame:
    """Count, for each category, the items on which the other annotator chose another."""
    table = contingency(a)
    between = (table + table.T).where(~np.eye(len(table), dtype=bool), 0)
    rows = [
        {"category": name, "confused_with": other, "items": int(between.loc[name, other])}
        for name in between.index
        for other in between.columns
        if between.loc[name, other]
    ]
    return pd.DataFrame(rows).sort_values(
        ["category", "items"], ascending=[True, False], kind="stable", ignore_index=True
    )


def shares(a: Annotations) -> pd.DataFrame:
    """Return how many percent of items are B, and B or V, by whose labels count."""
    table = contingency(a)
    n = table.to_numpy().sum()
    rows = []
    for names in (["B"], ["B", "V"]):
        rare = table.index.isin(names)
        second, first = (table.sum(axis=axis)[rare].sum() for axis in (1, 0))
        both = table.loc[rare, rare].to_numpy().sum()
        counts = {
            "annotator 1": first,
            "annotator 2": second,
            "mean of both": (first + second) / 2,
            "either annotator": first + second - both,
            "both annotators": both,
        }
        rows += [
            {
                "categories": " and ".join(names),
                "labels": whose,
                "items": count,
                "percent": 100 * count / n,
            }
            for whose, count in counts.items()
        ]
    return pd.DataFrame(rows)


def independent(first: agreement.Agreement, second: agreement.Agreement) -> dict[str, float]:
    """Test the difference of two coefficients of different items."""
    change = first.estimate - second.estimate
    error = float(np.hypot(first.standard_error, second.standard_error))
    reach = error * scipy.stats.norm.isf(0.025)
    p_value = 2 * float(scipy.stats.norm.sf(abs(change) / error))
    return {
        "estimate": change,
        "standard_error": error,
        "lower": change - reach,
        "upper": change + reach,
        "p_value": p_value,
    }


def dependent(first: agreement.Agreement, second: agreement.Agreement) -> dict[str, float]:
    """Test the difference of two coefficients of the same items."""
    found = agreement.difference(first, second)
    names = ("estimate", "standard_error", "lower", "upper", "p_value")
    return {name: float(getattr(found, name)) for name in names}


def differences(senses: Senses, ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Test every difference that the paper talks about, and those it might have."""
    rows: list[dict[str, Any]] = []

    def add(target: str, section: str, what: str, found: dict[str, float]) -> None:
        rows.append({"target": target, "section": section, "difference": what} | found)

    for function in (agreement.percent_agreement, agreement.cohen_kappa):
        test = {scheme: function(a) for scheme, a in senses.test.items()}
        full, subjectivity, polarity = (test[scheme] for scheme in SCHEMES)
        name = "observed_agreement" if function is agreement.percent_agreement else "cohen_kappa"
        train = function(senses.train["full"])
        add(f"test.{name}_gain", "4.2", f"test less training, {name}", independent(full, train))
        for level in LEVELS.levels:
            gain = dependent(test[level], full)
            add(f"{level}.{name}_gain", "4.3", f"{level} less full scheme, {name}", gain)
        gain = dependent(polarity, subjectivity)
        what = f"polarity less subjectivity, {name}"
        add(f"polarity.{name}_over_subjectivity", "4.3", what, gain)

    alphas = {at: pair_alphas(data.annotations) for at, data in rating_sets(ratings).items()}
    for score in SCORES:
        found = alphas["group1", score]
        better = max(found["1", "2"], found["2", "3"], key=_estimate)
        what = f"Group 1, {score}: pair without Rater 2 less the better pair with Rater 2, alpha"
        target = f"group1.{score}.annotator2_lowers_alpha"
        add(target, "5", what, dependent(found["1", "3"], better))
    best = max((a for score in SCORES for a in alphas["group1", score].values()), key=_estimate)
    worst = min((a for score in SCORES for a in alphas["group2", score].values()), key=_estimate)
    what = "lowest pair of Group 2 less the highest of Group 1, alpha"
    add("group2.alpha_gain", "5", what, independent(worst, best))
    return pd.DataFrame(rows)


def _estimate(found: agreement.Agreement) -> float:
    return float(found.estimate)


def annotators(senses: Senses) -> pd.DataFrame:
    """Count labels by annotator, and test whether both give them as often.

    `p_value` is McNemar's exact test on the items to which one annotator alone gives the
    label; `p_value_turned`, Fisher's exact test that in training and test these items
    divide alike between rows and columns.
    """
    rows = []
    for data in ("train", "test"):
        table = contingency(getattr(senses, data)["polarity"])
        for names in (["P"], ["N"], ["P", "N"], ["NoPol"]):
            own = table.index.isin(names)
            only_rows = int(table.loc[own, ~own].to_numpy().sum())
            only_columns = int(table.loc[~own, own].to_numpy().sum())
            test = scipy.stats.binomtest(only_rows, only_rows + only_columns)
            rows.append(
                {
                    "data": data,
                    "label": " or ".join(names),
                    "rows": int(table.loc[own].to_numpy().sum()),
                    "columns": int(table.loc[:, own].to_numpy().sum()),
                    "only_rows": only_rows,
                    "only_columns": only_columns,
                    "p_value": test.pvalue,
                }
            )
    found = pd.DataFrame(rows)
    alone = found.groupby("label")[["only_rows", "only_columns"]].apply(
        lambda pair: scipy.stats.fisher_exact(pair).pvalue
    )
    return found.assign(p_value_turned=found["label"].map(alone))


def reliability(
    ratings: Mapping[str, LoadedData], rng: np.random.Generator, replicates: int
) -> pd.DataFrame:
    """Compute Table 5 in percent, with 95% intervals and further coefficients.

    Items are resampled, since scores that heap at 0 and 1 are far from normal.
    """
    rows = []
    for (group, score), data in rating_sets(ratings).items():
        for pair, labels in pair_annotations(data.annotations).items():
            for name, function in COEFFICIENTS.items():
                found = function(labels)
                interval = found.interval("bca", replicates=replicates, rng=rng)
                rows.append(
                    {
                        "group": group,
                        "score": score,
                        "raters": " and ".join(pair),
                        "coefficient": name,
                        "estimate": 100 * found.estimate,
                        "lower": 100 * interval.lower,
                        "upper": 100 * interval.upper,
                        "provenance": data.provenance,
                    }
                )
    return pd.DataFrame(rows)


def readings(ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Compute Table 5 from the scores as filed and as exact eighths, corrected and not."""
    rows = []
    for (group, score), data in rating_sets(ratings).items():
        for version, scores in (
            ("as filed", data.labels["label"]),
            ("eighths", (data.labels["label"] * 8).round() / 8),
        ):
            a = Annotations.from_frame(data.labels.assign(label=scores), scale="interval")
            for pair, labels in pair_annotations(a).items():
                row = {"group": group, "score": score, "raters": " and ".join(pair)}
                for name in ("correlation", "alpha", "alpha, corrected"):
                    row[name] = 100 * COEFFICIENTS[name](labels).estimate
                rows.append(row | {"version": version})
    return pd.DataFrame(rows)


def scores(ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Summarise each annotator's scores and what they leave to neutrality."""
    rows = []
    for group in GROUPS:
        negative, positive = (wide(ratings[f"micro_wnop_{group}_{score}"]) for score in SCORES)
        for annotator in positive:
            p, n = positive[annotator], negative[annotator]
            rows.append(
                {
                    "group": group,
                    "annotator": annotator,
                    "items": len(p),
                    "mean_positive": p.mean(),
                    "mean_negative": n.mean(),
                    "mean_neutrality": (1 - p - n).mean(),
                    "share_ones": ((p == 1) | (n == 1)).mean(),
                    "share_neutral": ((p == 0) & (n == 0)).mean(),
                    "share_both_nonzero": ((p > 0) & (n > 0)).mean(),
                }
            )
    return pd.DataFrame(rows)
