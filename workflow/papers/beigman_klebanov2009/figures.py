"""The figures of Beigman Klebanov and Beigman (2009)."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench import plotting
from annobench.noise import easy_hard
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION

from .classifiers import difference as chance_difference
from .kappa import without_minority
from .printed import FAIR, MARKS, Printed

COLOURS = {2: BLUE, 3: VERMILION, 4: GREEN, 5: INK}
LINES = {2: "-", 3: "--", 4: "-.", 5: ":"}
DISAGREED, CHANCE, ITEMS = "disagreed items d, percent", "chance agreement p", "items n"
_GUIDE = {"color": GREY, "linewidth": 0.9, "zorder": 0}


def mark(axes: Axes, case: str, x: float, y: float, *, at: tuple[float, float] = (0, 0)) -> None:
    """Put the letter of a project at its place."""
    circle = {"boxstyle": "circle,pad=0.18", "facecolor": INK, "edgecolor": "white"}
    font = {"fontsize": 8, "fontweight": "bold", "color": "white", "ha": "center", "va": "center"}
    style = font | {"bbox": circle, "zorder": 5, "annotation_clip": False}
    plotting.note(axes, MARKS[case], (x, y), at, **style)


def posterior(table: pd.DataFrame) -> Figure:
    """Draw the distribution of the share of guesses in each project, with its bound."""
    figure, (axes,) = plotting.panels(1, height=4.4, width=7.4)
    names = []
    for place, row in enumerate(table.iloc[::-1].itertuples()):
        sizes = f"n = {row.n_items:,}, d = {row.n_disagreed}, p = {row.chance:g}"
        names.append(f"{MARKS[row.Index]}   {sizes}")
        found = easy_hard.hard_given_agreed(row.n_items, row.n_disagreed, row.chance)
        x = 100 * found.support / found.n_kept
        y = place + 0.82 * found.pmf / found.pmf.max()
        shown = found.pmf > 1e-4 * found.pmf.max()
        tail = shown & (found.support > row.bound)
        for part, colour in ((shown, "#A6C8DD"), (tail, VERMILION)):
            axes.fill_between(x[part], place, y[part], color=colour, linewidth=0)
        axes.plot(x[shown], y[shown], color=INK, linewidth=0.9)
        axes.vlines(row.rate_percent, place, place + 0.6, color=VERMILION)
        text = f"{row.bound} of {row.n_agreed}: {row.rate_percent:.2f}%"
        plotting.note(axes, text, (row.rate_percent, place + 0.6), (4, 2), color=VERMILION)
    axes.set(xlabel="hard items among the agreed, percent", xlim=(0, 20), xticks=range(0, 21, 5))
    axes.set_ylim(-0.1, len(table))
    axes.set_yticks(np.arange(len(table)) + 0.3, names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    return figure


def noise(table: pd.DataFrame, printed: Printed, size: int) -> Figure:
    """Draw the noise rate over the disagreements, over p and over the items, one at a time."""
    figure, (left, middle, right) = plotting.panels(3, height=3.9)
    shares, chances = np.linspace(0.5, 40, size), np.linspace(0.02, 0.75, size)
    sizes = np.geomspace(100, 50_000, size).round()

    def rate(n: float, percent: float, chance: float) -> float:
        return 100 * printed.bound(int(n), round(percent * n / 100), chance).rate

    for j, colour in COLOURS.items():
        chance = easy_hard.agreement_chance(FAIR, j)
        style = {"color": colour, "linestyle": LINES[j]}
        label = f"{j} annotators with fair coins, p = 1/{1 / chance:.0f}"
        left.plot(shares, [rate(1_000, d, chance) for d in shares], label=label, **style)
        right.plot(sizes, [rate(n, 10, chance) for n in sizes], **style)
    for percent in (2, 5, 10, 20):
        rates = np.array([rate(1_000, percent, p) for p in chances])
        middle.plot(chances, rates, color=GREY, linewidth=1.1)
        at = int(np.flatnonzero(rates < 41).max())
        place = (chances[at], rates[at])
        plotting.note(middle, f"{percent}%", place, (-5, 2), ha="right", fontsize=8.5)
    for case, row in table.iterrows():
        share = 100 * row["n_disagreed"] / row["n_items"]
        mark(left, case, share, row["rate_percent"])
        if share == 10:
            mark(middle, case, row["chance"], row["rate_percent"])
            mark(right, case, row["n_items"], row["rate_percent"])
    plotting.logarithmic(right, "x", ticks=(100, 1_000, 10_000))
    left.set(xlabel=DISAGREED, ylabel="noise rate, percent", title="n = 1,000", xlim=(0, 40))
    middle.set(xlabel=CHANCE, title="n = 1,000, d in percent at the line", xlim=(0, 0.75))
    right.set(xlabel=ITEMS, title="d = 10% of the items", xlim=(100, 50_000))
    for axes in (left, middle, right):
        axes.set_ylim(0, 45)
        axes.axhline(100 * printed.tolerated, **_GUIDE)
    plotting.legend_below(figure, left, columns=2)
    return figure


def tolerance(table: pd.DataFrame, printed: Printed, size: int) -> Figure:
    """Draw the tolerated share of disagreements over items, and over p."""
    case = printed.projects.loc["reverse"]
    share = 100 * case["n_disagreed"] / case["n_items"]
    figure, (left, right) = plotting.panels(height=3.8)
    plotting.logarithmic(left, "x", ticks=(100, 1_000, 10_000, 100_000))
    for j, part in table.groupby("n_annotators"):
        style = {"color": COLOURS[j], "linestyle": LINES[j], "label": f"{j} annotators"}
        left.plot(part["n_items"], 100 * part["share"], **style)
        limit = 100 * part["limit"].iloc[0]
        left.hlines(limit, 50_000, 100_000, color=COLOURS[j], linewidth=3, alpha=0.4)
    left.set(xlabel=ITEMS, ylabel=DISAGREED, title="Fair coins", ylim=(0, 60))
    left.legend(loc="upper left", ncols=2)
    chances = np.linspace(0.03, 0.75, size)
    for n, line in ((10_000, "-"), (1_000, "--"), (100, ":")):
        largest = [100 * printed.largest_disagreement(n, p) / n for p in chances]
        right.plot(chances, largest, line, color=BLUE, label=f"{n:,} items")
    right.set(xlabel=CHANCE, ylabel=DISAGREED, title="Any coins", ylim=(0, 60), xlim=(0, 0.75))
    right.legend(loc="upper right")
    mark(left, "reverse", case["n_items"], share)
    mark(right, "reverse", case["chance"], share)
    return figure


def splits(table: pd.DataFrame, five: pd.Series) -> Figure:
    """Draw kappa of five annotators by the share of 4-1 splits, rightly and wrongly counted."""
    d, agreed = int(five["n_disagreed"]), int(five["n_items"] - five["n_disagreed"])
    rows = table.loc[["five.kappa_3_2", "five.kappa_most_likely", "five.kappa_4_1"]]
    ends, red = rows.iloc[[0, -1]], {"color": VERMILION}
    wrong = ends["without_minority_pairs"]
    figure, (axes,) = plotting.panels(1, height=3.7, width=6.2)
    axes.plot([0, 100], ends["kappa"], color=BLUE, label="all agreeing pairs")
    axes.plot([0, 100], wrong, linestyle="--", label="pairs of the minority left out", **red)
    axes.plot(0, without_minority(5, agreed, {3: d}), "s", **red)
    plotting.note(axes, f"{wrong.iloc[0]:.3f}", (0, wrong.iloc[0]), (7, -11), **red)
    for x, row in zip((0, 100 / 3, 100), rows.itertuples(), strict=True):
        axes.vlines(x, row.lower, row.upper, color=BLUE, linewidth=1)
        axes.plot(x, row.kappa, "o", color=BLUE, markersize=5)
        plotting.note(axes, f"{row.kappa:.3f}", (x, row.kappa), (-6, 6), ha="right", color=BLUE)
    axes.set_xlabel(f"of the {d} disagreed items, percent split 4-1 (the others 3-2)")
    axes.set(ylabel="Fleiss' kappa", ylim=(0.45, 0.8), xlim=(-12, 103))
    axes.legend(loc="lower right")
    return figure


def kappa(
    table: pd.DataFrame, splits: pd.DataFrame, mixtures: pd.DataFrame, printed: Printed
) -> Figure:
    """Draw the bounds that go with a kappa, and the kappas that go with a share of easy items."""
    kappas = np.linspace(0.3, 0.995, 60)
    figure, (left, right) = plotting.panels(height=4.0)
    for j, n in ((2, 100), (2, 1_000), (2, 100_000), (3, 1_000), (5, 1_000)):
        chance = easy_hard.agreement_chance(FAIR, j)
        disagreed = np.round((1 - kappas) * (1 - chance) * n)
        style = {"color": COLOURS[j], "linestyle": {100: ":", 1_000: "-", 100_000: "--"}[n]}
        rates = [100 * printed.bound(n, d, chance).rate for d in disagreed]
        left.plot(kappas, rates, label=f"{j} annotators, {n:,} items", **style)
    of_case = {"two": "two.kappa", "reverse": "reverse.kappa", "five": "five.kappa_most_likely"}
    for case, name in of_case.items():
        mark(left, case, splits.loc[name, "kappa"], table.loc[case, "rate_percent"])
    left.axvline(0.67, **_GUIDE)
    left.set(xlabel="Fleiss' kappa", ylabel="noise rate of the agreed items, percent")
    left.set(ylim=(0, 75), xlim=(0.3, 1), title="One distribution of categories")
    plotting.legend_below(figure, left, columns=3)
    size = 12 + 118 * (mixtures["prevalence"] - 0.5)
    ring = {"facecolor": "none", "edgecolor": BLUE, "linewidth": 0.9}
    right.scatter(mixtures["kappa"], mixtures["noise_percent"], s=size, **ring)
    alike = mixtures[np.isclose(mixtures["prevalence"], mixtures["guess"])]
    label = "easy and hard items alike"
    right.scatter(alike["kappa"], alike["noise_percent"], 22, VERMILION, zorder=3, label=label)
    right.scatter([], [], s=12, label="easy items evenly divided", **ring)
    right.scatter([], [], s=70, label="99% of easy items in one category", **ring)
    right.set(xlabel="expected Fleiss' kappa", ylabel="guesses among the agreed items, percent")
    right.set(title="80% of the items easy, two annotators", ylim=(10, 24))
    right.legend(loc="upper left")
    return figure


def difference(differences: pd.DataFrame, printed: Printed) -> Figure:
    """Draw the chance difference by the number of guesses, and by the size of the set."""
    styles = {
        "Chebyshev": {"color": VERMILION, "linestyle": "-"},
        "exact": {"color": BLUE, "linestyle": "-"},
        "normal": {"color": INK, "linestyle": ":"},
        "exact, all answers differ": {"color": GREEN, "linestyle": "-."},
    }
    row = differences.set_index(["case", "method"]).loc[("two", "Chebyshev")]
    figure, (left, right) = plotting.panels(height=3.8)
    counts = range(2, 401, 2)  # in steps of two no parity shows
    for name, style in styles.items():
        found = [chance_difference(name, r, 900, printed.level).n_items for r in counts]
        left.plot(counts, found, label=name, **style)
    mark(left, "two", row["n_hard"], row["items"])
    left.set(xlabel="hard items R in the gold standard", xlim=(0, 400), ylim=(0, 70))
    left.set(ylabel="correct answers that chance explains", title="By number of guesses")
    left.legend(loc="upper left")
    sizes = np.geomspace(100, 200_000, 60).round().astype(int)
    plotting.logarithmic(right, "x", ticks=(100, 1_000, 10_000, 100_000))
    plotting.logarithmic(right, "y", ticks=(0.1, 0.3, 1, 3, 10))
    for rate, line in ((0.01, ":"), (0.05, "--"), (row["n_hard"] / row["n_kept"], "-")):
        sets = [(max(1, round(rate * n)), int(n)) for n in sizes]
        for name in ("Chebyshev", "exact"):
            rates = [100 * chance_difference(name, *each, printed.level).rate for each in sets]
            label = f"{100 * rate:.3g}% noise" * (name == "exact")
            right.plot(sizes, rates, color=styles[name]["color"], linestyle=line, label=label)
    mark(right, "two", row["n_kept"], row["percent"])
    highest, lowest = (printed.numbers[f"wsj_{end}"] for end in ("highest", "lowest"))
    place = printed.numbers["wsj_n_items"], highest - lowest
    right.plot(*place, "D", color=INK, markersize=5)
    arrow = {"arrowstyle": "-", "linewidth": 0.7, "shrinkB": 4}
    plotting.note(right, "eight taggers", place, (22, 38), ha="right", arrowprops=arrow)
    right.set(xlabel="items in the gold standard L", ylabel="percentage points")
    right.set_title("By size, at a constant noise rate")
    right.legend(loc="lower left")
    return figure


def annotators(table: pd.DataFrame) -> Figure:
    """Draw what more annotators buy, by the rule of keeping an item."""
    odd = table["n_annotators"] % 2 == 1  # the majority of an even number may be a draw
    figure, (left, right) = plotting.panels(height=3.8)
    for rule, marker, colour, line in (
        ("all", "o", BLUE, "-"),
        ("all but one", "s", GREEN, "--"),
        ("majority", "^", VERMILION, ":"),
    ):
        part = table[(table["rule"] == rule) & (odd | (rule != "majority"))]
        style = {"linestyle": line, "color": colour, "markersize": 5, "label": rule}
        for axes, column in ((left, "rate_percent"), (right, "n_kept")):
            axes.plot(part["n_annotators"], part[column], marker, **style)
    alike = table[table["rule"] == "all"].set_index("n_annotators")
    style = {"color": BLUE, "linewidth": 0.8, "linestyle": "-."}
    left.plot(alike.index, alike["expected_percent"], label="all, expected", **style)
    for case, j in (("two", 2), ("adding", 3)):
        mark(left, case, j, alike.loc[j, "rate_percent"], at=(11, 6))
    left.set(xlabel="annotators", ylabel="noise rate, percent", ylim=(0, 25))
    left.set_title("Guesses in the gold standard")
    right.axhline(800, **_GUIDE)
    plotting.note(right, "easy items", (9, 800), (0, -11), ha="right")
    right.set(xlabel="annotators", ylabel="items kept of 1,000", ylim=(770, 1_010))
    right.set_title("Its size")
    right.yaxis.set_major_formatter("{x:,.0f}")
    left.legend(loc="center right", bbox_to_anchor=(1, 0.62), title="must agree")
    return figure


def footnote3(table: pd.DataFrame, counts: pd.DataFrame, printed: Printed) -> Figure:
    """Draw the chance of agreement against footnote 3's estimate, and what follows from it."""
    red, q = {"color": VERMILION}, np.linspace(0.02, 0.98, 97)
    figure, (left, middle, right) = plotting.panels(3, height=3.7)
    for first, colour in ((0.5, GREY), (0.7, GREEN), (0.9, BLUE)):
        true = first * q + (1 - first) * (1 - q)
        share = first * (1 - q) / (first * (1 - q) + q * (1 - first))
        left.plot(q, true - 2 * share * (1 - share), color=colour, label=f"{first:g}")
    left.plot(0.5, 0, "D", markersize=6, **red)
    left.set(xlabel="second annotator's guess", ylabel="true p less its estimate")
    left.set(title="Two annotators", ylim=(-0.02, 0.75), xlim=(0, 1))
    left.legend(loc="upper center", title="first annotator's guess", ncols=3)
    part = table[table["guesses"] == "2 annotators, one coin"].set_index("q")
    middle.plot(part["true_percent"], "o-", color=INK, markersize=4, label="guesses there are")
    middle.plot(part["bound_percent"], "s--", markersize=4, label="bound by footnote 3", **red)
    middle.set(xlabel="both annotators' guess", ylabel="of the agreed items, percent")
    middle.set(title="200 hard items of 1,000", ylim=(0, 20))
    middle.legend(loc="lower left")
    pv = printed.scenarios.loc["pv"]
    chance, n, d = np.linspace(0.3, 0.9, 121), int(pv["n_items"]), int(pv["n_disagreed"])
    rates = [100 * printed.bound(n, d, p).rate for p in chance]
    right.plot(chance, rates, color=BLUE)
    smallest = counts[counts["estimate"] == "least"]["chance"].min()
    right.axvspan(smallest, 0.9, color="#EAF2F8", zorder=0)
    text, style = f"p that the {d} disagreements allow", {"color": BLUE, "fontsize": 7.5}
    plotting.note(right, text, (smallest, 4), (4, 0), **style)
    mark(right, "pv", pv["chance"], np.interp(pv["chance"], chance, rates))
    right.set(xlabel=CHANCE, ylabel="noise rate, percent", ylim=(0, 100), xlim=(0.3, 0.9))
    right.set_title(f"Poesio and Vieira's {n} items")
    return figure


def coverage(table: pd.DataFrame, footnote: pd.DataFrame, level: float) -> Figure:
    """Draw the coverage of the bound, with p known and with footnote 3's p."""
    colours = (BLUE, VERMILION, INK, GREEN)
    figure, (left, right) = plotting.panels(height=3.6)
    for j, part in table.groupby("n_annotators"):
        style = {"color": COLOURS[j], "linewidth": 0.8, "label": f"{j} annotators"}
        left.plot(part["n_hard"], 100 * part["coverage"], LINES[j][:1], **style)
    left.set(xlabel="hard items of 200", ylabel="bound holds, percent", ylim=(85, 100.5))
    left.set_title("p known, fair coins")
    groups = footnote.groupby("guesses", sort=False)
    for (name, part), marker, colour in zip(groups, "osD^", colours, strict=True):
        style = {"marker": marker, "markersize": 4, "color": colour, "label": name}
        right.plot(part["q"], 100 * part["coverage"], **style)
    right.set(xlabel="guess of the first annotator", ylim=(-3, 103))
    right.set_title("p by footnote 3, 200 hard items")
    for axes in (left, right):
        axes.axhline(100 * level, **_GUIDE)
    plotting.legend_below(figure, left, right, columns=3)
    return figure
