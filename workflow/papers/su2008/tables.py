"""The tables of Su and Markert (2008)."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from annobench import agreement
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench_replication.rows import interval_columns

from .values import (
    COEFFICIENTS,
    GROUPS,
    SCHEMES,
    SCORES,
    Senses,
    contingency,
    pair_annotations,
    rating_sets,
    wide,
)

#: Parts of the result of a test.
TESTED = ("estimate", "standard_error", "lower", "upper", "p_value")


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
    return pd.DataFrame(
        {
            "data": data,
            "scheme": scheme,
            "coefficient": found.name,
            "estimate": found.estimate,
            "standard_error": found.standard_error,
            **interval_columns(found.interval()),
            **interval_columns(found.interval("bca", replicates=replicates, rng=rng), "bootstrap_"),
            "expected_agreement": found.expected_agreement,
        }
        for (data, scheme), a in senses.items()
        for found in (function(a) for function in functions)
    )


def single_category(senses: Senses) -> pd.DataFrame:
    """List single-category kappas of training and test, whole and collapsed."""
    found = {key: agreement.cohen_kappa(a).by_category() for key, a in senses.items()}
    return pd.concat(found, names=["data", "scheme"]).droplevel(-1).reset_index()


def confusions(a: Annotations) -> pd.DataFrame:
    """Count, for each category, the items on which the other annotator chose another."""
    table = contingency(a)
    between = (table + table.T).rename_axis("category").rename_axis("confused_with", axis=1)
    pairs = between.melt(value_name="items", ignore_index=False).reset_index()
    pairs = pairs[(pairs["category"] != pairs["confused_with"]) & (pairs["items"] > 0)]
    return pairs.sort_values(["category", "items"], ascending=[True, False], kind="stable")


def shares(a: Annotations) -> pd.DataFrame:
    """Return how many percent of items are B, and B or V, by whose labels count."""
    table = contingency(a)
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
        rows += [(" and ".join(names), whose, count) for whose, count in counts.items()]
    found = pd.DataFrame(rows, columns=["categories", "labels", "items"])
    return found.assign(percent=100 * found["items"] / table.to_numpy().sum())


def independent(first: agreement.Agreement, second: agreement.Agreement) -> dict[str, float]:
    """Test the difference of two coefficients of different items."""
    change = first.estimate - second.estimate
    error = float(np.hypot(first.standard_error, second.standard_error))
    margin = error * scipy.stats.norm.isf(0.025)
    p_value = 2 * float(scipy.stats.norm.sf(abs(change) / error))
    return dict(
        zip(TESTED, (change, error, change - margin, change + margin, p_value), strict=True)
    )


def dependent(first: agreement.Agreement, second: agreement.Agreement) -> dict[str, float]:
    """Test the difference of two coefficients of the same items."""
    found = agreement.difference(first, second)
    return {name: float(getattr(found, name)) for name in TESTED}


def differences(senses: Senses, ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Test every difference that the paper talks about, and those it might have."""
    rows: list[dict[str, Any]] = []

    def add(target: str, section: str, what: str, found: dict[str, float]) -> None:
        rows.append({"target": target, "section": section, "difference": what} | found)

    for name, function in (
        ("observed_agreement", agreement.percent_agreement),
        ("cohen_kappa", agreement.cohen_kappa),
    ):
        train, full, subjectivity, polarity = (
            function(senses[key])
            for key in (("train", "full"), *(("test", scheme) for scheme in SCHEMES))
        )
        add(f"test.{name}_gain", "4.2", f"test less training, {name}", independent(full, train))
        for level, found in (("subjectivity", subjectivity), ("polarity", polarity)):
            what = f"{level} less full scheme, {name}"
            add(f"{level}.{name}_gain", "4.3", what, dependent(found, full))
        what = f"polarity less subjectivity, {name}"
        gain = dependent(polarity, subjectivity)
        add(f"polarity.{name}_over_subjectivity", "4.3", what, gain)

    alphas: dict[str, list[agreement.Agreement]] = {"group1": [], "group2": []}
    for (group, score), data in rating_sets(ratings).items():
        pairs = pair_annotations(data.annotations)
        found = {pair: COEFFICIENTS["alpha"](labels) for pair, labels in pairs.items()}
        alphas[group] += found.values()
        if group == "group1":
            what = (
                f"Group 1, {score}: pair without Rater 2 less the better pair with Rater 2, alpha"
            )
            better = max(found["1", "2"], found["2", "3"], key=attrgetter("estimate"))
            target = f"group1.{score}.annotator2_lowers_alpha"
            add(target, "5", what, dependent(found["1", "3"], better))
    best = max(alphas["group1"], key=attrgetter("estimate"))
    worst = min(alphas["group2"], key=attrgetter("estimate"))
    what = "lowest pair of Group 2 less the highest of Group 1, alpha"
    add("group2.alpha_gain", "5", what, independent(worst, best))
    return pd.DataFrame(rows)


def annotators(senses: Senses) -> pd.DataFrame:
    """Count labels by annotator, and test whether both give them as often.

    `p_value` is McNemar's exact test on the items to which one annotator alone gives the
    label; `p_value_turned`, Fisher's exact test that in training and test these items
    divide alike between rows and columns.
    """
    rows = []
    for data in ("train", "test"):
        table = contingency(senses[data, "polarity"])
        for names in (["P"], ["N"], ["P", "N"], ["NoPol"]):
            own = table.index.isin(names)
            only_rows = int(table.loc[own, ~own].to_numpy().sum())
            only_columns = int(table.loc[~own, own].to_numpy().sum())
            both = int(table.loc[own, own].to_numpy().sum())
            test = scipy.stats.binomtest(only_rows, only_rows + only_columns)
            counts = both + only_rows, both + only_columns, only_rows, only_columns
            rows.append((data, " or ".join(names), *counts, test.pvalue))
    columns = ["data", "label", "rows", "columns", "only_rows", "only_columns", "p_value"]
    found = pd.DataFrame(rows, columns=columns)
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
                what = group, score, " and ".join(pair), name
                percent = 100 * found.estimate, 100 * interval.lower, 100 * interval.upper
                rows.append((*what, *percent, data.provenance))
    columns = ["group", "score", "raters", "coefficient", "estimate", "lower", "upper"]
    return pd.DataFrame(rows, columns=[*columns, "provenance"])


def readings(ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Compute Table 5 from the scores as filed and as exact eighths, corrected and not."""
    names = ("correlation", "alpha", "alpha, corrected")
    rows = []
    for (group, score), data in rating_sets(ratings).items():
        for version, scores in (
            ("as filed", data.labels["label"]),
            ("eighths", (data.labels["label"] * 8).round() / 8),
        ):
            a = Annotations.from_frame(data.labels.assign(label=scores), scale="interval")
            for pair, labels in pair_annotations(a).items():
                found = (100 * COEFFICIENTS[name](labels).estimate for name in names)
                rows.append((group, score, " and ".join(pair), *found, version))
    return pd.DataFrame(rows, columns=["group", "score", "raters", *names, "version"])


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
