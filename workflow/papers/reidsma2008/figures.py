"""The figures of Reidsma and op den Akker (2008)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench import plotting
from annobench.evaluation.selective import RiskCoverage

from .utterances import ANNOTATORS, CODES, NAMES

_STYLES = (("o", plotting.BLUE), ("s", plotting.VERMILION), ("D", plotting.GREEN))


def definitions(table: pd.DataFrame) -> Figure:
    """Draw how many utterances each reading counts, and the closest one cell by cell."""
    figure, (left, right) = plotting.panels(height=3.9, width=4.8)
    own, printed = table.iloc[:-1], table.iloc[-1]
    own = own.sort_values("absolute difference", ascending=False, ignore_index=True)
    bars = {"edgecolor": plotting.INK, "linewidth": 0.5, "height": 0.66}
    colours = np.where(own.index == own.index[-1], plotting.BLUE, "#C9D9E4")
    left.barh(own["definition"], own["utterances"], color=colours, **bars)
    for y, counted in own["utterances"].items():
        left.text(21_500, y, f"{counted:,}", va="center", ha="right", fontsize=8.5)
    total = printed["utterances"]
    left.axvline(total, color=plotting.VERMILION, linewidth=1.3)
    above = {"xycoords": ("data", "axes fraction"), "ha": "right", "color": plotting.VERMILION}
    plotting.note(left, f"Table 1: {total:,}", (total, 0.96), (-4, 0), va="center", **above)
    left.set(xlim=(0, 21_500), ylim=(-0.6, len(own) + 0.3), xlabel="“yeah” utterances")
    left.xaxis.set_major_formatter("{x:,.0f}")
    left.set_title("By what counts as one")
    best, x = table.iloc[0], np.arange(len(CODES))
    for shift, who, (marker, colour) in zip((-0.2, 0, 0.2), ANNOTATORS, _STYLES, strict=True):
        cells = [f"{who} {code}" for code in CODES]
        off = [best[c] - printed[c] for c in cells]
        right.plot(x + shift, off, marker, color=colour, label=who.upper(), markersize=6)
    right.axhline(0, color=plotting.GREY, linestyle="--", linewidth=0.9, zorder=0)
    right.set_xticks(x, [NAMES[code] for code in CODES])
    right.set(ylabel="counted less printed", ylim=(-1, 10), title="The closest one, cell by cell")
    right.legend(loc="upper center", ncol=3)
    return figure


def differences(
    tests: pd.DataFrame, nulls: Mapping[str, np.ndarray], tendencies: pd.DataFrame
) -> Figure:
    """Draw both permutation tests, and what each annotator labels more often than expected."""
    observed = tests.set_index("statistic")["observed"]
    figure, (left, middle, right) = plotting.panels(3, height=3.4)
    groups = "departure, whole groups of one annotator"
    for axes, name, bins in ((left, "own advantage", 15), (middle, groups, 25)):
        marks = [(observed[name], "observed", "-")]
        plotting.histogram(axes, nulls[name], bins=bins, marks=marks)
        axes.set_ylabel("permutations")
    left.set(title="Trees trained anew", xlabel="advantage on own test data, points")
    middle.set(title="Whole groups of meetings", xlabel="chi-square distance from expected")
    sets = tendencies.rename(columns={"excess": "estimate"}).groupby("annotator")
    plotting.intervals(right, list(NAMES.values()), dict(list(sets)))
    right.axvline(0, color=plotting.GREY, linestyle="--", linewidth=0.9)
    right.set(xlabel="percentage points", title="Given more often than expected")
    plotting.legend_below(figure, right)
    return figure


def contexts(scores: pd.DataFrame) -> Figure:
    """Draw accuracy in the three contexts, and precision and recall of the detection module."""
    names = {"all": "all", "focus": "somebody\nin focus", "no_focus": "nobody\nin focus"}
    figure, (left, right) = plotting.panels(height=3.8, width=4.2)
    models = ("Bayesian network", "gradient boosting")
    for n, (model, (marker, colour)) in enumerate(zip(models, _STYLES, strict=False)):
        own = scores[(scores["model"] == model) & (scores["experiment"] == "1")]
        accuracy, recall = (
            own.pivot(index="test", columns="context", values=value)[list(names)]
            for value in ("accuracy", "recall of all")
        )
        x = np.arange(3) + 0.16 * (2 * n - 1)
        left.plot(x, accuracy.T, color=colour, alpha=0.18, linewidth=0.8)
        left.plot(x, accuracy.mean(), marker, color=colour, label=model, markersize=7)
        both = ["all", "focus"]
        right.plot(recall[both].T, accuracy[both].T, color=colour, alpha=0.25, linewidth=0.8)
        for context, fill, what in zip(
            both, (colour, "white"), ("always", "somebody in focus"), strict=True
        ):
            style = {"color": colour, "linestyle": "none", "markerfacecolor": fill}
            label = f"{model}, {what}"
            right.plot(recall[context], accuracy[context], marker, label=label, **style)
    left.set(
        xticks=range(3),
        xlim=(-0.4, 2.4),
        ylabel="accuracy, percent",
        title="Trained on all contexts",
    )
    left.set_xticklabels(names.values())
    right.set(xlabel="recall, percent", ylabel="precision, percent", ylim=(54, 82))
    right.set_title("The detection module answers ...")
    plotting.legend_below(figure, left, right, columns=3)
    return figure


def risk_coverage(table: pd.DataFrame, curves: Mapping[str, RiskCoverage]) -> Figure:
    """Draw risk against coverage of the models, and the one point of the vote."""
    figure, (axes,) = plotting.panels(1, height=4.6, width=6.4)
    for name, line, colour in (
        ("all annotators pooled", "-", plotting.INK),
        ("soft labels of three classifiers", "--", plotting.GREEN),
        ("soft labels, confusion matrices", "-.", plotting.BLUE),
        ("annotator known, shared and own weights", "-", plotting.VERMILION),
    ):
        late = curves[name].coverage >= 0.03
        x, y = 100 * curves[name].coverage[late], 100 * curves[name].risk[late]
        axes.plot(x, y, line, color=colour, label=name)
    vote = table.iloc[0]
    style = {"color": plotting.INK, "markerfacecolor": "white", "markersize": 8}
    errors = 100 - vote["accuracy of answers"]
    axes.plot(vote["coverage"], errors, "D", label="voting classifier", **style)
    axes.set(xlabel="coverage, percent", ylabel="errors among answers, percent", xlim=(0, 101))
    plotting.legend_below(figure, axes, columns=2)
    return figure
