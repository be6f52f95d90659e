"""The figures of Tetreault and Chodorow (2008)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy.stats
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from annobench import plotting
from annobench.evaluation import sampling
from annobench.evaluation.sampling import METHODS, Population, StratifiedSample
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, note, panels

from .approach import sample_sizes
from .judgments import two_annotators

METHOD_NAMES = {
    "paper": "paper's formula",
    "paper_hits_only": "paper's, hits only",
    "stratified": "exact variance, normal",
    "logit": "exact variance, log odds",
    "wilson": "Wilson, combined (recommended)",
}
STYLES = {
    "paper": (VERMILION, "s", "-"),
    "paper_hits_only": (VERMILION, "v", ":"),
    "stratified": (GREY, "D", "--"),
    "logit": (GREEN, "^", "-."),
    "wilson": (BLUE, "o", "-"),
}


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Name the methods and rates of a table in words."""
    codes = {"method": METHOD_NAMES, "rate": {"false_positives": "false positives"}}
    codes["rate"] |= {"error_rate": "error rate"}
    return table.replace({name: words for name, words in codes.items() if name in table})


def coefficients(found: pd.DataFrame) -> Figure:
    """Draw the coefficients of Table 3 with their intervals."""
    figure, (axes,) = panels(1, height=3.3, width=6.4)
    chosen = [
        ("three categories", "agreement"),
        ("three categories", "Gwet's AC1"),
        ("three categories", "Brennan-Prediger"),
        ("three categories", "Cohen's kappa"),
        ("three categories", "Scott's pi"),
        ("error or not", "Cohen's kappa"),
        ("one against rest", "Cohen's kappa, extraneous or not"),
        ("one against rest", "Cohen's kappa, wrong choice or not"),
    ]
    names = [name + ", error or not" * (scheme == "error or not") for scheme, name in chosen]
    rows = found.set_index(["scheme", "coefficient"]).loc[chosen]
    plotting.intervals(axes, names, {"": rows})
    for at, (value, high) in enumerate(rows[["estimate", "upper"]].to_numpy()):
        note(axes, f"{value:.3f}", (high, at), (5, 0), va="center", fontsize=8.5)
    axes.set(xlabel="coefficient, 95% interval", xlim=(0.4, 1.08), xticks=[0.4, 0.6, 0.8, 1.0])
    return figure


def sets(
    by_number: Mapping[int, pd.DataFrame], printed: Mapping[str, float], kappa: float
) -> Figure:
    """Draw the range of kappa over sets divided at random, by the number of sets."""
    n_sets = max(by_number)
    figure, (left, right) = panels(height=3.7)
    bins = np.arange(-0.1, 1.06, 0.025)
    line = {"edgecolor": INK, "linewidth": 0.4}
    for end, colour in (("smallest", "#A6C8DD"), ("largest", "#5B9BC5")):
        left.hist(by_number[n_sets][end], bins, color=colour, label=f"{end} kappa", **line)
    title = f"{n_sets} simulated sets of 100 contexts"
    left.set(title=title, xlabel="Cohen's kappa", ylabel="repetitions")
    left.set_ylim(0, 1.45 * left.get_ylim()[1])
    for shift, end, marker in ((-0.12, "smallest", "o"), (0.12, "largest", "s")):
        for at, draws in enumerate(by_number.values()):
            low, middle, high = np.quantile(draws[end], [0.025, 0.5, 0.975])
            right.plot([at + shift] * 2, [low, high], color=INK, linewidth=1.3)
            label = f"{end}, median and 95%" if at == 0 else None
            right.plot(at + shift, middle, marker, markersize=6, color=BLUE, label=label)
    right.axhline(kappa, color=INK, linestyle=":", linewidth=1.1)
    for end, label in (("set_kappa_min", "printed range"), ("set_kappa_max", None)):
        style = {"color": VERMILION, "linewidth": 1.6, "label": label}
        left.axvline(printed[end], ymax=0.68, **style)
        right.axhline(printed[end], **style)
    left.legend(loc="upper left")
    right.set(title="Range by the number of sets", xlabel="sets (contexts in each)")
    right.set(ylabel="Cohen's kappa", yticks=[0, 0.2, 0.4, 0.6, 0.8, 1], ylim=(-0.08, 1.32))
    right.set_xticks(range(len(by_number)), [f"{n}\n({100 * n_sets // n})" for n in by_number])
    right.legend(loc="upper right")
    return figure


def two_annotators_as_gold(
    by_assumption: Mapping[float, pd.DataFrame], table: pd.DataFrame, feasible: pd.DataFrame
) -> Figure:
    """Draw differences of two annotators' scores, and the p-values that Table 4 leaves."""
    first, second = two_annotators(table)
    figure, (left, right) = panels(height=3.6)
    bins = np.arange(-37, 38, 2)
    looks = zip(by_assumption.items(), (GREY, BLUE, INK), (":", "-", "--"), strict=True)
    for (doubtful, runs), colour, line in looks:
        apart = 100 * (runs["rater1.precision"] - runs["rater2.precision"])
        look = {"histtype": "step", "color": colour, "linestyle": line, "linewidth": 1.4}
        weights = np.full(len(apart), 1 / len(apart))
        left.hist(apart, bins, weights=weights, label=f"{doubtful:g} times", **look)
    printed = 100 * (first["precision"] - second["precision"])
    left.axvline(printed, color=VERMILION, linewidth=1.6)
    above = {"xycoords": ("data", "axes fraction"), "va": "top"}
    note(left, "Table 4", (printed, 0.97), (4, 0), color=VERMILION, **above)
    left.legend(loc="upper left", title="doubtful errors\nflagged as often", alignment="left")
    left.set(title="Two gold standards (simulated)", ylabel="share of repetitions")
    left.set(xlabel="difference of precision, points")
    rate = feasible[[f"rater{j}_error_percent_{e}" for j in (1, 2) for e in ("lower", "upper")]]
    right.semilogy(rate.mean(axis=1), feasible["smallest_p"], "o", markersize=3.5, color=BLUE)
    right.axhline(0.05, color=VERMILION, linewidth=1.2)
    note(right, "p = .05", (1, 0.05), (0, 3), color=VERMILION)
    below = {"xycoords": ("data", "axes fraction"), "fontsize": 8.5, "color": GREY}
    for percent in (6, 10):
        right.axvline(percent, color=GREY, linestyle=":", linewidth=1)
        note(right, f"{percent}%", (percent, 0.02), (3, 0), **below)
    right.set(title="Smallest p-value Table 4 leaves", ylabel="exact McNemar test")
    right.set(xlabel="error rate of 2,000 contexts, percent", xlim=(0, 18), xticks=[0, 5, 10, 15])
    return figure


def figure1(sample: StratifiedSample) -> Figure:
    """Draw Figure 1: from the corpus by its two parts to hits, false positives and misses."""
    found = sampling.estimate(sample)
    n, m = sample.flagged_sample, sample.passed_sample
    corpus = sample.flagged + sample.passed
    flagged, precision = sample.flagged / corpus, found.precision.value
    figure, (axes,) = panels(1, height=3.9, width=9.0)
    ok, error = ("#DCE9F2", BLUE), ("#FBE3D5", VERMILION)
    boxes = {
        "corpus": (0.065, 0.5, f"Test corpus\n{corpus:,} prepositions", ("white", INK)),
        "passed": (0.255, 0.76, f"“OK” sub-corpus\n{sample.passed:,} ({1 - flagged:.0%})", ok),
        "flagged": (0.255, 0.24, f"“Error” sub-corpus\n{sample.flagged:,} ({flagged:.0%})", error),
        "passed_sample": (0.48, 0.76, f"random sample\n{m:,}", ok),
        "flagged_sample": (0.48, 0.24, f"random sample\n{n:,}", error),
        "annotated": (0.68, 0.5, f"Annotation set\n{n + m:,}, judged blind", ("white", INK)),
    }
    outcomes = (
        ("misses", 0.82, sample.misses, m, "Misses", ok),
        ("hits", 0.5, sample.hits, n, "Hits", error),
        ("false", 0.18, n - sample.hits, n, "False positives", error),
    )
    for name, y, k, size, words, colours in outcomes:
        boxes[name] = (0.885, y, f"{words}\n{k} / {size:,} = {k / size:.2f}", colours)
    for x, y, text, (fill, edge) in boxes.values():
        style = {"boxstyle": "round,pad=0.01,rounding_size=0.015", "facecolor": fill}
        place = (x - 0.07, y - 0.075), 0.14, 0.15
        axes.add_patch(FancyBboxPatch(*place, edgecolor=edge, linewidth=1.2, **style))
        axes.text(x, y, text, ha="center", va="center", fontsize=8.5, linespacing=1.5)
    arrow = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 0, "shrinkB": 0}
    sampled = {"passed": f"{m / sample.passed:.1%}", "flagged": f"{n / sample.flagged:.0%}"}
    for start, ends in (
        ("corpus", ("passed", "flagged")),
        ("passed", ("passed_sample",)),
        ("flagged", ("flagged_sample",)),
        ("passed_sample", ("annotated",)),
        ("flagged_sample", ("annotated",)),
        ("annotated", ("misses", "hits", "false")),
    ):
        for end in ends:
            (x0, y0, *_), (x1, y1, *_) = boxes[start], boxes[end]
            axes.annotate("", (x1 - 0.082, y1), (x0 + 0.082, y0), arrowprops=arrow)
        if start in sampled:
            axes.text((x0 + x1) / 2, y0 + 0.03, sampled[start], ha="center", fontsize=8.5)
    rates = f"precision {precision:.2f}, recall {found.recall.value:.2f}"
    axes.text(0.97, 0.0, rates, ha="right", fontsize=9.5, fontweight="bold")
    axes.set(xlim=(-0.02, 0.97), ylim=(-0.02, 0.93))
    axes.set_axis_off()
    return figure


def application(
    table: pd.DataFrame,
    printed: Mapping[str, float],
    samples: pd.DataFrame,
    population: Population,
) -> Figure:
    """Draw what Table 6 needs, and what repetitions of the sampling approach give."""
    by_approach = table.set_index("approach")
    figure, (left, right) = panels(height=3.8)
    rate = np.linspace(0, 0.12, 50)
    for name, line in (("standard", "-"), ("sampling", "--")):
        row = by_approach.loc[name]
        flagged = rate * printed["sampling_corpus"] * row["recall"] / row["precision"]
        left.plot(100 * rate, flagged, line, color=BLUE, label=f"rates of the {name} approach")
    small = {"fontsize": 8.5}
    sampled = printed["error_sample"]
    left.axhline(sampled, color=VERMILION, linewidth=1.3)
    note(left, "250 were sampled", (0.2, sampled), (0, 4), color=VERMILION, **small)
    for key, name in (("corpus_error_percent", "6% (§2)"), ("assumed_error_percent", "10% (§6)")):
        left.axvline(printed[key], ymax=0.78, color=GREY, linestyle=":", linewidth=1)
        note(left, name, (printed[key], 3), (-3, 3), ha="right", color=GREY, **small)
    left.set(title="Flagged contexts of 22,000", xlabel="error rate, percent")
    left.set(ylabel="flagged contexts", xlim=(0, 12), ylim=(0, 480))
    left.legend(loc="upper left")
    drawn = samples[:1500]
    look = {"color": BLUE, "alpha": 0.25, "linewidth": 0, "rasterized": True}
    label = "one sample of 250 + 500 each"
    right.scatter(drawn["recall"], drawn["precision"], s=6, label=label, **look)
    other = by_approach.loc["sampling"]
    for (x, y), marker, colour, label in (
        ((population.recall, population.precision), "+", INK, "standard approach: truth here"),
        ((other["recall"], other["precision"]), "x", VERMILION, "sampling approach, Table 6"),
    ):
        right.scatter(x, y, s=60, marker=marker, color=colour, linewidth=1.8, label=label)
    right.set(title="The sampling approach, simulated", xlabel="recall", ylabel="precision")
    right.set_ylim(0.74, 0.9)
    right.legend(loc="upper right", markerscale=1.0)
    return figure


def intervals(table: pd.DataFrame) -> Figure:
    """Draw the intervals of Figure 1's precision and recall by every method."""
    rows = table[table["sample"] == "Figure 1"].rename(columns={"value": "estimate"})
    figure, both = panels(height=3.0)
    for axes, rate in zip(both, ("precision", "recall"), strict=True):
        part = rows[rows["rate"] == rate].set_index("method").loc[list(METHODS)]
        plotting.intervals(axes, [METHOD_NAMES[method] for method in METHODS], {"": part})
        for at, (value, *ends) in enumerate(part[["estimate", "lower", "upper"]].to_numpy()):
            text = "{:.3f} to {:.3f}".format(*ends)
            note(axes, text, (value, at), (0, 6), ha="center", fontsize=8)
        axes.set(title=f"{rate.capitalize()} of Figure 1", xlabel=rate, ylim=(4.5, -0.8))
        axes.margins(x=0.2)
    both[1].set_yticklabels([])
    return figure


def coverage(table: pd.DataFrame) -> Figure:
    """Draw the exact coverage of every interval against the number of labels."""
    by_corpus = dict(list(table.groupby("corpus", sort=False)))
    figure, each = panels(len(by_corpus), height=3.9)
    for axes, (corpus, part) in zip(each, by_corpus.items(), strict=True):
        labels = part["flagged_sample"] + part["passed_sample"]
        axes.axhline(0.95, color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
        for method, (colour, marker, line) in STYLES.items():
            one = part["method"] == method
            look = {"marker": marker, "color": colour, "markersize": 5}
            recall, label = part.loc[one, "recall"], METHOD_NAMES[method]
            axes.plot(labels[one], recall, line, label=label, **look)
        axes.set(title=corpus, xlabel="labels, a third of them flagged")
        axes.set(ylim=(0, 1.03), xlim=(0, None))
    each[0].set_ylabel("coverage of recall")
    figure.legend(*each[0].get_legend_handles_labels(), loc="outside lower center", ncol=3)
    return figure


def sizes(population: Population, printed: Mapping[str, float]) -> Figure:
    """Draw half-widths by the division of 750 labels, and the labels that recall needs."""
    z = float(scipy.stats.norm.ppf(0.975))
    sampled, passed = sample_sizes(printed)
    total, ratio = sampled + passed, printed["ok_sample"] / printed["error_sample"]
    flagged = np.arange(10, population.flagged + 1)
    errors = np.array([population.standard_errors(int(n), int(total - n)) for n in flagged])
    figure, (left, right) = panels(height=3.7)
    for column, name, line in ((0, "precision", "--"), (1, "recall", "-")):
        left.plot(flagged, z * errors[:, column], line, color=BLUE, label=name)
    best = int(flagged[np.argmin(errors[:, 1])]), z * errors[:, 1].min()
    left.plot(*best, "o", color=BLUE)
    note(left, f"best for recall: {best[0]}", best, (0, 6), ha="center", fontsize=8.5)
    left.axvline(sampled, color=VERMILION, linewidth=1.3)
    note(left, "paper: 250", (sampled, 0.104), (-4, 0), ha="right", color=VERMILION, fontsize=8.5)
    left.set(title="750 labels, divided", xlabel='of them from the "Error" sub-corpus')
    left.set(ylabel="half-width of the 95% interval", ylim=(0, 0.11))
    widths = np.linspace(0.012, 0.06, 60)
    plans = [sampling.sample_sizes(population, recall_half_width=w) for w in widths]
    labels = [p.flagged_sample + p.passed_sample for p in plans]
    right.plot(widths, labels, color=BLUE, label="two strata, divided best")
    doubled = [(n, int(ratio * n)) for n in range(20, population.flagged + 1)]
    reached = [z * population.standard_errors(*pair)[1] for pair in doubled]
    label = "two strata, 2 to 1 (paper)"
    right.plot(reached, [sum(pair) for pair in doubled], "-.", color=VERMILION, label=label)
    random = [sampling.random_sample_size(population, w) for w in widths]
    right.plot(widths, random, "--", color=GREY, label="one random sample")
    right.axhline(population.size, color=INK, linewidth=0.8, linestyle=":")
    note(right, "everything", (0.06, population.size), (0, -11), ha="right", fontsize=8.5)
    right.set(title="Labels for a given recall", xlabel="half-width of recall wanted")
    right.set(ylabel="labels", yscale="log", xlim=(0.012, 0.06))
    right.set_ylim(top=20 * population.size)
    left.legend(loc="lower left")
    right.legend(loc="upper right")
    return figure
