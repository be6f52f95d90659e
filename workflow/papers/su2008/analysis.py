"""Recompute Su and Markert (2008) from its confusion matrices and from Micro-WNOp.

===========================  =======================================================
`read_confusion`             Tables 1 and 2, the raw material of sections 4.2 to 4.4
`table_cells`                Tables 1 to 4: totals, and the cells of collapsed tables
`agreement_rows`             sections 4.2 and 4.3: agreement, kappa, single categories
`differences`                sections 4.2 to 5: differences with interval and p-value
`annotator_table`            section 4.4: which annotator gives more polarity labels
`arithmetic`                 what printed numbers say of each other
`size_rows`                  section 4.1: how many synsets there are
`reliability`                Table 5
`readings`                   Table 5 by version of the scores and of the correction
===========================  =======================================================

Section 4.2 says that Annotator 1 stands in the columns of a confusion matrix and
Annotator 2 in the rows, and so they are read here; every coefficient is the same the other
way round.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats
from matplotlib.ticker import MultipleLocator

from annobench import agreement, datasets
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.labels.hierarchy import Hierarchy
from annobench.replication.compare import (
    CALIBRATION_METHOD,
    PAPER_METHOD,
    Computed,
    plain_rows,
    write_computed,
)
from annobench.reporting import plotting

#: Section 4.3: what each of the seven categories is at the two coarser levels.
LEVELS = Hierarchy(
    {
        "subjectivity": {
            **{"B": "B", "S:N": "S", "S:P": "S", "S:V": "S"},
            **{"O:NoPol": "O", "O:N": "O", "O:P": "O"},
        },
        "polarity": {
            **{"B": "B", "S:N": "N", "O:N": "N", "S:P": "P", "O:P": "P"},
            **{"S:V": "V", "O:NoPol": "NoPol"},
        },
    }
)
SCHEMES = {"full": "all seven categories", "subjectivity": "subjectivity", "polarity": "polarity"}
SCORES = ("negative", "positive")
#: What the simulators of Micro-WNOp are calibrated to: no finding where they stand in.
CALIBRATED = ("data.n_", "table5.")
#: Resampled sets of items behind each interval.
REPLICATES = {"full": 2000, "quick": 50}


@dataclass(frozen=True)
class Study:
    """The labels of section 4: training, test, and both at the coarser levels."""

    train: dict[str, Annotations]
    test: dict[str, Annotations]

    @classmethod
    def of(cls, train: Annotations, test: Annotations) -> "Study":
        """Collapse both sets of labels to every level."""
        return cls(*({"full": a} | {n: LEVELS.collapse(a, n) for n in LEVELS.levels}
                     for a in (train, test)))  # fmt: skip


# ---------------------------------------------------------------- sections 3 and 4: senses


def read_confusion(path: Path) -> Annotations:
    """Read a printed confusion matrix: Annotator 2 in rows, Annotator 1 in columns."""
    table = pd.read_csv(path, comment="#", index_col="category")
    if list(table.index) != list(table.columns):
        raise ValueError(f"{path}: rows are {list(table.index)}, but columns {list(table)}.")
    return Annotations.from_contingency(table.to_numpy().T, categories=table.columns)


def contingency(a: Annotations) -> pd.DataFrame:
    """Count pairs of labels as the paper prints them."""
    first, second = (a.label[a.by_annotator[j]] for j in (0, 1))
    table = np.zeros((a.n_categories, a.n_categories), dtype=int)
    np.add.at(table, (second, first), 1)
    return pd.DataFrame(table, index=list(a.categories), columns=list(a.categories))


def key(category: str) -> str:
    """Return a category as targets name it."""
    return category.lower().replace(":", "_")


def table_cells(number: int, a: Annotations, *, totals_only: bool) -> dict[str, float]:
    """Return the cells and totals of one confusion matrix, by target."""
    table = contingency(a)
    table["total"] = table.sum(axis=1)
    table.loc["total"] = table.sum(axis=0)
    return {
        f"table{number}.{key(str(row))}.{key(str(column))}": int(table.loc[row, column])
        for row in table.index
        for column in table.columns
        if not totals_only or "total" in (row, column)
    }


def agreement_rows(name: str, a: Annotations, *, single: bool) -> list[Computed]:
    """Compute what the paper prints of one set of labels, with other coefficients beside it."""
    percent, kappa = agreement.percent_agreement(a), agreement.cohen_kappa(a)
    rows = [
        estimate_row(f"{name}.observed_agreement", percent, scale=100),
        estimate_row(f"{name}.cohen_kappa", kappa),
    ]
    others = (agreement.scott_pi(a), agreement.krippendorff_alpha(a), agreement.gwet_ac1(a))
    rows += [estimate_row(f"{name}.cohen_kappa", each, method=each.name) for each in others]
    if single:
        rows += [
            Computed(f"{name}.{key(row.category)}.single_category_kappa", row.estimate,
                     lower=row.lower, upper=row.upper, level=0.95, provenance="printed_table")
            for row in kappa.by_category().itertuples()
        ]  # fmt: skip
    return rows


def estimate_row(
    target: str,
    found: agreement.Agreement,
    *,
    scale: float = 1.0,
    method: str = PAPER_METHOD,
    provenance: str = "printed_table",
) -> Computed:
    """Return a coefficient with its 95% interval as a row of computed.csv."""
    interval = found.interval()
    return Computed(
        target, scale * found.estimate, lower=scale * interval.lower, upper=scale * interval.upper,
        level=interval.level, method=method, provenance=provenance,
    )  # fmt: skip


def coefficients_table(study: Study, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Compare coefficients on training and test, whole and collapsed, with two intervals."""
    functions = (
        agreement.percent_agreement, agreement.cohen_kappa, agreement.scott_pi,
        agreement.krippendorff_alpha, agreement.gwet_ac1, agreement.brennan_prediger,
    )  # fmt: skip
    rows = []
    for data in ("train", "test"):
        for scheme, a in getattr(study, data).items():
            for function in functions:
                found = function(a)
                analytic = found.interval()
                drawn = found.interval("bca", replicates=replicates, rng=rng)
                rows.append(
                    {
                        "data": data, "scheme": scheme, "coefficient": found.name,
                        "estimate": found.estimate, "standard_error": found.standard_error,
                        "lower": analytic.lower, "upper": analytic.upper,
                        "bootstrap_lower": drawn.lower, "bootstrap_upper": drawn.upper,
                        "expected_agreement": found.expected_agreement,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def single_category_table(study: Study) -> pd.DataFrame:
    """List single-category kappas of training and test, whole and collapsed."""
    parts = []
    for data in ("train", "test"):
        for scheme, a in getattr(study, data).items():
            part = agreement.cohen_kappa(a).by_category()
            part.insert(0, "scheme", scheme)
            part.insert(0, "data", data)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def confusions_table(a: Annotations) -> pd.DataFrame:
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


def shares_table(a: Annotations) -> pd.DataFrame:
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
            {"categories": " and ".join(names), "labels": whose, "items": count,
             "percent": 100 * count / n}
            for whose, count in counts.items()
        ]  # fmt: skip
    return pd.DataFrame(rows)


# --------------------------------------------------------------------------- differences


def independent(first: agreement.Agreement, second: agreement.Agreement) -> dict[str, float]:
    """Test the difference of two coefficients of different items."""
    change = first.estimate - second.estimate
    error = float(np.hypot(first.standard_error, second.standard_error))
    reach = error * scipy.stats.norm.isf(0.025)
    p_value = 2 * float(scipy.stats.norm.sf(abs(change) / error))
    return {"estimate": change, "standard_error": error, "lower": change - reach,
            "upper": change + reach, "p_value": p_value}  # fmt: skip


def dependent(first: agreement.Agreement, second: agreement.Agreement) -> dict[str, float]:
    """Test the difference of two coefficients of the same items."""
    found = agreement.difference(first, second)
    names = ("estimate", "standard_error", "lower", "upper", "p_value")
    return {name: float(getattr(found, name)) for name in names}


def differences(study: Study, ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Test every difference that the paper talks about, and those it might have."""
    rows: list[dict[str, Any]] = []

    def add(target: str, section: str, what: str, found: dict[str, float]) -> None:
        rows.append({"target": target, "section": section, "difference": what} | found)

    for function in (agreement.percent_agreement, agreement.cohen_kappa):
        test = {scheme: function(a) for scheme, a in study.test.items()}
        full, subjectivity, polarity = (test[scheme] for scheme in SCHEMES)
        name = "observed_agreement" if function is agreement.percent_agreement else "cohen_kappa"
        train = function(study.train["full"])
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


def difference_rows(table: pd.DataFrame, provenance: str) -> list[Computed]:
    """Return the printed ones of the differences, in the paper's units."""
    printed = {
        "polarity.cohen_kappa_gain": 1,
        "subjectivity.cohen_kappa_gain": 1,
        "group2.alpha_gain": 100,
    }
    by_target = table.set_index("target")
    return [
        Computed(target, scale * found.estimate, lower=scale * found.lower,
                 upper=scale * found.upper, level=0.95,
                 provenance=provenance if target.startswith("group") else "printed_table")
        for target, scale in printed.items()
        for found in [by_target.loc[target]]
    ]  # fmt: skip


def bootstrap_row(study: Study, rng: np.random.Generator, replicates: int) -> Computed:
    """Give the gain of polarity an interval by resampling items, beside the large-sample one."""
    polarity, full = (agreement.cohen_kappa(study.test[name]) for name in ("polarity", "full"))
    found = agreement.difference(polarity, full, "percentile", replicates=replicates, rng=rng)
    return Computed(
        "polarity.cohen_kappa_gain", found.estimate, lower=found.lower, upper=found.upper,
        level=found.level, method="bootstrap", provenance="printed_table",
    )  # fmt: skip


# ---------------------------------------------------------- section 4.4: which annotator?


def annotator_table(study: Study) -> pd.DataFrame:
    """Count labels by annotator, and test whether both give them as often.

    `p_value` is McNemar's exact test on the items to which one annotator alone gives the
    label; `p_value_turned`, Fisher's exact test that in training and test these items
    divide alike between rows and columns.
    """
    rows = []
    for data in ("train", "test"):
        table = contingency(getattr(study, data)["polarity"])
        for names in (["P"], ["N"], ["P", "N"], ["NoPol"]):
            own = table.index.isin(names)
            only_rows = int(table.loc[own, ~own].to_numpy().sum())
            only_columns = int(table.loc[~own, own].to_numpy().sum())
            test = scipy.stats.binomtest(only_rows, only_rows + only_columns)
            rows.append(
                {
                    "data": data, "label": " or ".join(names),
                    "rows": int(table.loc[own].to_numpy().sum()),
                    "columns": int(table.loc[:, own].to_numpy().sum()),
                    "only_rows": only_rows, "only_columns": only_columns,
                    "p_value": test.pvalue,
                }
            )  # fmt: skip
    found = pd.DataFrame(rows)
    alone = found.groupby("label")[["only_rows", "only_columns"]].apply(
        lambda pair: scipy.stats.fisher_exact(pair).pvalue
    )
    return found.assign(p_value_turned=found["label"].map(alone))


def annotator_claims(study: Study) -> dict[str, float]:
    """Return the counts of polarity labels, with the annotators of section 4.2."""
    table = contingency(study.test["polarity"])
    second, first = table.sum(axis=1), table.sum(axis=0)
    return {
        "annotator2.n_positive": second["P"],
        "annotator2.n_negative": second["N"],
        "annotator1.n_positive": first["P"],
        "annotator1.n_negative": first["N"],
        "annotator2.n_more_polar": (second - first)[["P", "N"]].sum(),
    }


def turned(claims: Mapping[str, float]) -> dict[str, float]:
    """Return the same counts with the annotators exchanged."""
    swapped = {name.translate(str.maketrans("12", "21")): n for name, n in claims.items()}
    swapped["annotator2.n_more_polar"] = -swapped.pop("annotator1.n_more_polar")
    return swapped


# ------------------------------------------------------------------- printed numbers alone


def arithmetic(printed: Mapping[str, float], observed: Collection[float]) -> dict[str, float]:
    """Compute what printed numbers say of each other.

    `observed` are the agreements in percent on subjectivity alone and on polarity alone; of
    what is said of both at once, the lower must hold.
    """
    ambiguous = printed["subjectivity_ambiguous"]
    return {
        "general_inquirer.n_words": sum(
            printed[f"general_inquirer_{name}"] for name in ("positive", "negative", "no_polarity")
        ),
        "collapsed.observed_agreement": min(observed),
        "sense_level.observed_agreement_gain": min(observed) - printed["word_level_agreement"],
        "ambiguous.subjectivity_share": 100 * ambiguous / printed["words"],
        "ambiguous.n_fewer_polarity": ambiguous
        - printed["polarity_ambiguous"]
        - printed["varying_polarity"],
        "ambiguous.n_more_than_reversed": ambiguous - printed["polarity_ambiguous"],
    }


# ---------------------------------------------------------------- section 5 and Table 5


def rating_sets(ratings: Mapping[str, LoadedData]) -> dict[tuple[str, str], LoadedData]:
    """Return the sets of ratings of which agreement can be had, by group and score."""
    return {
        (group, score): ratings[f"micro_wnop_{group}_{score}"]
        for group in ("group1", "group2")
        for score in SCORES
    }


def wide(data: LoadedData) -> pd.DataFrame:
    """Lay out ratings with a row an item and a column an annotator."""
    table = data.labels.pivot(index="item", columns="annotator", values="label")
    return table.loc[list(data.items["item"])]


def pair_annotations(a: Annotations) -> dict[tuple[str, str], Annotations]:
    """Return the labels of each pair of annotators, by their numbers as the paper has them."""
    return {
        (str(i + 1), str(j + 1)): a.select(annotators=[i, j])
        for i, j in combinations(range(a.n_annotators), 2)
    }


def pair_alphas(a: Annotations) -> dict[tuple[str, str], agreement.Agreement]:
    """Compute the paper's alpha of each pair."""
    return {
        pair: agreement.krippendorff_alpha(labels, metric="absolute", small_sample=False)
        for pair, labels in pair_annotations(a).items()
    }


#: Beside the paper's two coefficients: their names in tables, as functions of one pair.
COEFFICIENTS = {
    "correlation": agreement.pearson,
    "alpha": lambda a: agreement.krippendorff_alpha(a, metric="absolute", small_sample=False),
    "alpha, corrected": lambda a: agreement.krippendorff_alpha(a, metric="absolute"),
    "alpha, squared": lambda a: agreement.krippendorff_alpha(a, metric="interval"),
    "rank correlation": agreement.spearman,
    "ICC(2,1)": lambda a: agreement.icc(a, model="two-way-random", kind="agreement"),
}


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
                        "group": group, "score": score, "raters": " and ".join(pair),
                        "coefficient": name, "estimate": 100 * found.estimate,
                        "lower": 100 * interval.lower, "upper": 100 * interval.upper,
                        "provenance": data.provenance,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def reliability_rows(table: pd.DataFrame) -> list[Computed]:
    """Return Table 5 as rows; a further coefficient stands beside the one it is akin to."""
    rows = []
    for found in table.itertuples():
        name = "correlation" if "correlation" in found.coefficient else "alpha"
        target = f"table5.{found.group}.{found.score}.{found.raters.replace(' and ', '_')}.{name}"
        rows.append(
            Computed(target, found.estimate, lower=found.lower, upper=found.upper, level=0.95,
                     method=PAPER_METHOD if found.coefficient == name else found.coefficient,
                     provenance=found.provenance)
        )  # fmt: skip
    return rows


def readings(ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Compute Table 5 from the scores as filed and as exact eighths, corrected and not."""
    rows = []
    for (group, score), data in rating_sets(ratings).items():
        for version, scores in (("as filed", data.labels["label"]),
                                ("eighths", (data.labels["label"] * 8).round() / 8)):  # fmt: skip
            a = Annotations.from_frame(data.labels.assign(label=scores), scale="interval")
            for pair, labels in pair_annotations(a).items():
                row = {"group": group, "score": score, "raters": " and ".join(pair)}
                for name in ("correlation", "alpha", "alpha, corrected"):
                    row[name] = 100 * COEFFICIENTS[name](labels).estimate
                rows.append(row | {"version": version})
    return pd.DataFrame(rows)


def size_rows(
    ratings: Mapping[str, LoadedData], printed: Mapping[str, float], provenance: str
) -> list[Computed]:
    """Count the synsets of the public ratings, beside the sum of the printed groups."""
    groups = ("common", "group1", "group2")
    counted = sum(ratings[f"micro_wnop_{group}_positive"].annotations.n_items for group in groups)
    by_hand = sum(printed[group] for group in groups)
    return [
        *plain_rows({"data.n_synsets": counted}, provenance),
        *plain_rows({"data.n_synsets": by_hand}, "printed_table", method="sum of the groups"),
    ]


def scores_table(ratings: Mapping[str, LoadedData]) -> pd.DataFrame:
    """Summarise each annotator's scores and what they leave to neutrality."""
    rows = []
    for group in ("common", "group1", "group2"):
        negative, positive = (wide(ratings[f"micro_wnop_{group}_{score}"]) for score in SCORES)
        for annotator in positive:
            p, n = positive[annotator], negative[annotator]
            rows.append(
                {
                    "group": group, "annotator": annotator, "items": len(p),
                    "mean_positive": p.mean(), "mean_negative": n.mean(),
                    "mean_neutrality": (1 - p - n).mean(),
                    "share_ones": ((p == 1) | (n == 1)).mean(),
                    "share_neutral": ((p == 0) & (n == 0)).mean(),
                    "share_both_nonzero": ((p > 0) & (n > 0)).mean(),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------- figures


def figure1(stem: Path) -> None:
    """Draw Figure 1: the categories between subjectivity above and polarity below."""
    order = ["B", "S:V", "S:P", "S:N", "O:N", "O:P", "O:NoPol"]
    place = {name: float(x) for x, name in enumerate(order)}
    words = {
        "subjectivity": {"S": "subjective (S)", "O": "objective (O)", "B": "both (B)"},
        "polarity": {"N": "negative (N)", "P": "positive (P)", "V": "varying (V)",
                     "NoPol": "no polarity\n(NoPol)", "B": "both (B)"},
    }  # fmt: skip
    # The children of P lie around those of N; at two heights no lines cross.
    height = {"S": 2.0, "O": 2.0, "N": 0.25, "P": -0.3, "V": 0.0, "NoPol": 0.0}
    box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": plotting.INK}
    with plotting.house_figure(1, height=3.6) as (figure, (axes,)):
        figure.set_size_inches(7.4, 3.6)
        for level, line, colour, row in (
            ("subjectivity", "-", plotting.BLUE, 2.0),
            ("polarity", "--", plotting.VERMILION, 0.0),
        ):
            for parent in LEVELS.parents(level):
                children = [place[n] for n in order if LEVELS.levels[level][n] == parent]
                x, y = float(np.mean(children)), height.get(parent, row)
                for child in children:
                    axes.plot([child, x], [1, y], line, color=colour, zorder=1)
                axes.text(x, y, words[level][parent], ha="center", va="center", bbox=box)
            axes.text(-0.75, row, f"{level}\nonly", ha="right", va="center", color=colour,
                      fontweight="bold")  # fmt: skip
        axes.text(-0.75, 1, "all seven", ha="right", va="center", fontweight="bold")
        shaded = box | {"facecolor": "#EAF2F8"}
        for name, x in place.items():
            axes.text(x, 1, name, ha="center", va="center", fontweight="bold", bbox=shaded)
        axes.set(xlim=(-1.6, 6.6), ylim=(-0.6, 2.35))
        axes.axis("off")
        plotting.save_figure(figure, stem)


def figure_confusions(tables: Mapping[str, Annotations], stem: Path, *, height: float) -> None:
    """Draw confusion matrices as the paper prints them, with their totals."""
    with plotting.house_figure(len(tables), height=height) as (figure, panels):
        for axes, (title, a) in zip(panels, tables.items(), strict=True):
            draw_confusion(axes, a)
            axes.set_title(title)
        plotting.save_figure(figure, stem)


def draw_confusion(axes: Any, a: Annotations) -> None:
    """Draw one confusion matrix: shares of the row as shading, counts as text."""
    table = contingency(a)
    counts, names = table.to_numpy(), list(a.categories)
    n = len(names)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1.15)
    for i in range(n):
        for j in range(n):
            axes.text(j, i, str(counts[i, j]), ha="center", va="center", fontsize=8.5,
                      color="white" if share[i, j] > 0.6 else plotting.INK if counts[i, j] else
                      "#BBBBBB", fontweight="bold" if i == j else "normal")  # fmt: skip
        axes.text(n, i, str(counts[i].sum()), ha="center", va="center", fontsize=8.5)
        axes.text(i, n, str(counts[:, i].sum()), ha="center", va="center", fontsize=8.5)
    axes.text(n, n, str(counts.sum()), ha="center", va="center", fontsize=8.5)
    axes.set(xticks=range(n + 1), yticks=range(n + 1), xlim=(-0.5, n + 0.5), ylim=(n + 0.5, -0.5))
    axes.set_xticklabels([*names, "total"], rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticklabels([*names, "total"])
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set(xlabel="Annotator 1", ylabel="Annotator 2")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.plot([n - 0.5, n - 0.5], [-0.5, n + 0.5], color=plotting.INK, linewidth=0.8)
    axes.plot([-0.5, n + 0.5], [n - 0.5, n - 0.5], color=plotting.INK, linewidth=0.8)


def intervals(axes: Any, names: list[str], sets: Mapping[str, pd.DataFrame]) -> None:
    """Draw estimates with their intervals, one line a name, sets of them side by side."""
    styles = [("o", plotting.BLUE, "full"), ("s", plotting.VERMILION, "none"),
              ("D", plotting.GREEN, "none")]  # fmt: skip
    step = 0.26
    for s, ((label, table), (marker, colour, fill)) in enumerate(
        zip(sets.items(), styles, strict=False)
    ):
        y = np.arange(len(names)) + step * (s - (len(sets) - 1) / 2)
        values, low, high = (table[c].to_numpy(float) for c in ("estimate", "lower", "upper"))
        axes.hlines(y, low, high, color=colour, linewidth=1.3)
        axes.plot(values, y, marker, color=colour, fillstyle=fill, markersize=5, label=label,
                  markerfacecolor=colour if fill == "full" else "white")  # fmt: skip
    axes.set(yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5))
    axes.set_yticklabels(names)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#E5E5E5", linewidth=0.7)
    axes.set_axisbelow(True)


def figure_kappas(single: pd.DataFrame, coefficients: pd.DataFrame, stem: Path) -> None:
    """Draw Cohen's kappa of the schemes and of single categories, training and test."""
    kappas = coefficients[coefficients["coefficient"] == "cohen_kappa"]
    names = list(LEVELS.categories)
    with plotting.house_figure(height=3.9) as (figure, panels):
        intervals(panels[0], list(SCHEMES.values()),
                  {title: kappas[kappas["data"] == data] for data, title in
                   (("test", "test, 496 items"), ("train", "training, 110 items"))})  # fmt: skip
        panels[0].set_title("Whole scheme and collapsed")
        full = single[single["scheme"] == "full"]
        intervals(panels[1], names,
                  {title: full[full["data"] == data].set_index("category").loc[names]
                   for data, title in (("test", "test"), ("train", "training"))})  # fmt: skip
        panels[1].set_title("Single categories")
        for axes in panels:
            axes.set(xlabel="Cohen's kappa and 95% interval", xlim=(None, 1.02))
        panels[0].set_ylim(len(SCHEMES) - 0.5, -1.0)
        panels[0].legend(loc="upper right")
        plotting.save_figure(figure, stem)


def figure_differences(table: pd.DataFrame, stem: Path) -> None:
    """Draw the differences of section 4 with their intervals."""
    names = {
        "test.{}_gain": "test − training",
        "subjectivity.{}_gain": "subjectivity − full",
        "polarity.{}_gain": "polarity − full",
        "polarity.{}_over_subjectivity": "polarity − subjectivity",
    }
    by_target = table.set_index("target")
    with plotting.house_figure(height=2.9) as (figure, panels):
        for axes, name, title in ((panels[0], "observed_agreement", "Observed agreement"),
                                  (panels[1], "cohen_kappa", "Cohen's kappa")):  # fmt: skip
            rows = by_target.loc[[target.format(name) for target in names]]
            intervals(axes, list(names.values()), {"": rows})
            axes.axvline(0, color=plotting.INK, linewidth=0.8)
            for y, p in enumerate(rows["p_value"]):
                text = "p < .0001" if p < 1e-4 else f"p = {p:.2g}".replace("0.", ".")
                axes.text(1.0, y - 0.22, text, ha="right", va="center", fontsize=8,
                          transform=axes.get_yaxis_transform())  # fmt: skip
            axes.set(title=title, xlabel="difference and 95% interval")
            axes.xaxis.set_major_locator(MultipleLocator(0.05))
        panels[1].set_yticklabels([])
        plotting.save_figure(figure, stem)


def figure_reliability(table: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw Table 5 with intervals."""
    with plotting.house_figure(height=3.7, stand_in=stand_in) as (figure, panels):
        for axes, coefficient, title in (
            (panels[0], "correlation", "Correlation"),
            (panels[1], "alpha", "Alpha, absolute difference"),
        ):
            rows = table[table["coefficient"] == coefficient]
            sets = dict(list(rows.groupby("score", sort=False)))
            first = sets[SCORES[0]]
            names = [f"Group {g[-1]}\nRaters {r}" for g, r in zip(first["group"], first["raters"],
                                                                 strict=True)]  # fmt: skip
            intervals(axes, names, sets)
            axes.set(title=title, xlabel="percent and 95% interval", xlim=(45, 101))
        panels[0].legend(loc="lower left")
        panels[1].set_yticklabels([])
        plotting.save_figure(figure, stem)


def figure_rater2(data: LoadedData, stem: Path, stand_in: str | None) -> None:
    """Draw how often each pair of positivity scores was given to one synset."""
    table, ticks = wide(data), np.linspace(0, 1, 5)
    with plotting.house_figure(height=4.8, stand_in=stand_in) as (figure, panels):
        for axes, other in ((panels[0], "2"), (panels[1], "3")):
            counts = table.groupby(["1", other]).size().rename("n").reset_index()
            axes.plot([0, 1], [0, 1], color=plotting.GREY, linestyle="--", linewidth=0.9, zorder=1)
            above = counts[other] > counts["1"]
            for rows, colour, name in (
                (counts[above], plotting.VERMILION, f"Rater {other} higher"),
                (counts[counts[other] < counts["1"]], plotting.BLUE, "Rater 1 higher"),
                (counts[counts[other] == counts["1"]], plotting.GREY, "equal"),
            ):
                axes.scatter(rows["1"], rows[other], s=9 * rows["n"].clip(upper=60), color=colour,
                             alpha=0.75, linewidth=0, zorder=2,
                             label=f"{name}: {rows['n'].sum()}")  # fmt: skip
            axes.set(title=f"Rater {other} against Rater 1", xlabel="positivity by Rater 1",
                     ylabel=f"positivity by Rater {other}", xlim=(-0.1, 1.1), ylim=(-0.42, 1.1),
                     aspect="equal", xticks=ticks, yticks=ticks)  # fmt: skip
            # Below 0 there is no score, so the legend hides nothing there.
            legend = axes.legend(loc="lower center", handletextpad=0.1)
            for handle in legend.legend_handles:
                handle.set_sizes([40])
        plotting.save_figure(figure, stem)


# ---------------------------------------------------------------------------------- main


def share_rows(shares: pd.DataFrame) -> list[Computed]:
    """Return the shares of B, and of B and V, by whose labels count."""
    share = shares.set_index(["categories", "labels"])["percent"]
    rare, both = share["B"], share["B and V"]
    paper = {"test.b.share": max(rare["annotator 1"], rare["annotator 2"]),
             "polarity.b_v.share": both["mean of both"]}  # fmt: skip
    rows = plain_rows(paper, "printed_table")
    for whose in ("annotator 1", "annotator 2", "either annotator"):
        beside = {"test.b.share": rare[whose], "polarity.b_v.share": both[whose]}
        rows += plain_rows(beside, "printed_table", method=whose)
    return rows


def calibrated(rows: Iterable[Computed]) -> list[Computed]:
    """Mark the values that a simulation was calibrated to as no result of it."""
    return [
        Computed(row.target, row.value, method=CALIBRATION_METHOD, provenance=row.provenance)
        if row.provenance == "simulated" and row.method == PAPER_METHOD
        and row.target.startswith(CALIBRATED)
        else row
        for row in rows
    ]  # fmt: skip


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
    study = Study.of(read_confusion(paths["table1"]), read_confusion(paths["table2"]))
    printed = pd.read_csv(paths["counts"], comment="#").set_index("name")["value"]
    ratings = {name: datasets.read(path) for name, path in data.items()}
    word = "real" if {data.provenance for data in ratings.values()} == {"real"} else "simulated"
    of_ratings, of_gain, of_tables = np.random.default_rng(seed).spawn(3)
    replicates = REPLICATES[effort]

    changes = differences(study, ratings)
    table5 = reliability(ratings, of_ratings, replicates)
    shares = shares_table(study.test["polarity"])
    of_levels = [
        row
        for level in LEVELS.levels
        for row in agreement_rows(level, study.test[level], single=True)
    ]
    observed = [row.value for row in of_levels if row.target.endswith("observed_agreement")]
    claims = annotator_claims(study)
    computed = [
        *plain_rows(table_cells(1, study.train["full"], totals_only=True), "printed_table"),
        *plain_rows(table_cells(2, study.test["full"], totals_only=True), "printed_table"),
        *plain_rows(table_cells(3, study.test["subjectivity"], totals_only=False), "printed_table"),
        *plain_rows(table_cells(4, study.test["polarity"], totals_only=False), "printed_table"),
        *agreement_rows("train", study.train["full"], single=False),
        *agreement_rows("test", study.test["full"], single=True),
        *of_levels,
        *share_rows(shares),
        *plain_rows(arithmetic(printed, observed), "printed_table"),
        *plain_rows(claims, "printed_table"),
        *plain_rows(turned(claims), "printed_table", method="annotators exchanged"),
        *difference_rows(changes, word),
        bootstrap_row(study, of_gain, replicates),
        *size_rows(ratings, printed, word),
        *reliability_rows(table5),
    ]
    write_computed(calibrated(computed), folder / "computed.csv")

    tables = {
        "coefficients": coefficients_table(study, of_tables, replicates),
        "single_category": single_category_table(study),
        "confusions": confusions_table(study.test["full"]),
        "differences": changes,
        "annotators": annotator_table(study),
        "shares": shares,
        "reliability": table5,
        "readings": readings(ratings),
        "scores": scores_table(ratings),
    }
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    mark = None if word == "real" else "Simulated stand-in, not the real Micro-WNOp ratings"
    figure1(stems / "figure1")
    whole = {"Training (Table 1)": study.train["full"], "Test (Table 2)": study.test["full"]}
    figure_confusions(whole, stems / "confusions", height=4.2)
    collapsed = {
        "Subjectivity (Table 3)": study.test["subjectivity"],
        "Polarity (Table 4)": study.test["polarity"],
    }
    figure_confusions(collapsed, stems / "collapsed", height=3.9)
    figure_kappas(tables["single_category"], tables["coefficients"], stems / "kappas")
    figure_differences(tables["differences"], stems / "differences")
    figure_reliability(tables["reliability"], stems / "reliability", mark)
    figure_rater2(ratings["micro_wnop_group1_positive"], stems / "rater2", mark)
    captions = {name: caption | {"seed": seed} for name, caption in caption_texts(word).items()}
    of_tables = {f"tables/{name}": {"provenance": table_provenance(name, word)} for name in tables}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions | of_tables, indent=1) + "\n")


def caption_texts(word: str) -> dict[str, dict[str, str]]:
    """Say of every figure what it shows, from which data."""
    shown = {
        "figure1": ("printed_table", "The seven categories (middle) and what they become if only "
                    "subjectivity (above, solid) or only polarity (below, dashed) is asked for."),
        "confusions": ("printed_table", "Confusion matrices as printed: Annotator 2 in rows and "
                       "Annotator 1 in columns by section 4.2. Shading: share of the row. Totals "
                       "are recomputed."),
        "collapsed": ("printed_table", "The confusion matrix of the test set, collapsed along the "
                      "hierarchy: every cell and total equals the printed one."),
        "kappas": ("printed_table", "Cohen's kappa with large-sample 95% intervals over items. "
                   "Single categories: one category against all others."),
        "differences": ("printed_table", "Differences with 95% intervals. Test and training are "
                        "different synsets; the others compare two readings of the same "
                        "labels, item by item. Observed agreement can't fall by collapsing."),
        "reliability": (word, "Correlation and alpha of each pair of annotators, with 95% "
                        f"intervals from resampled synsets. Data: {word} ratings of Micro-WNOp."),
        "rater2": (word, "Positivity scores of Group 1: area grows with the number of synsets that "
                   "got the pair of scores, up to 60. Rater 2 gives the top score to many "
                   f"synsets that Rater 1 puts in the middle. Data: {word} ratings."),
    }  # fmt: skip
    return {name: {"provenance": source, "caption": text} for name, (source, text) in shown.items()}


def table_provenance(name: str, word: str) -> str:
    """Return the weakest provenance of what is in a table."""
    of_ratings = ("reliability", "readings", "scores")
    if name == "differences":
        return "simulated" if word == "simulated" else "printed_table"
    return word if name in of_ratings else "printed_table"


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={
                name: Path(files[0]).parent
                for name, files in snakemake.input.items()
                if name.startswith("micro_wnop")
            },
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
