"""The figures of Beigman Klebanov and Beigman (2010)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench import plotting
from annobench.noise import mixtures
from annobench.noise.mixtures import Counts
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, panels

from .models import Printed, pearson, percents

PALE, LIGHT_BLUE, ORANGE = "#A0A0A0", "#A6C8DD", "#E8A878"
#: A legend that a line may run behind.
BOXED: dict[str, Any] = {"frameon": True, "edgecolor": "none", "framealpha": 1}
RECONSTRUCTED = "BRTEa, reconstructed"
NAMES = {"two": "B1 + B2", "three": "M = B1 + B2 + B3", "gaussian": "G = N1 + N2"}


def _dots(axes: Axes, histogram: np.ndarray, label: str, **style: Any) -> None:
    style = {"marker": "o", "color": INK, "linestyle": "none", "markersize": 5} | style
    axes.plot(np.arange(len(histogram)), histogram, label=label, **style)


def _label_counts(axes: Axes, title: str, top: float = 160) -> None:
    axes.set(xlabel="'1' labels out of 10", xticks=range(11), xlim=(-0.5, 10.5))
    axes.set(ylabel="items", ylim=(0, top), title=title)


def fit(printed: Printed, model: str, histogram: np.ndarray) -> Figure:
    """Draw Figure 2, 3 or 5: a printed model and its components against the histogram of BRTEa."""
    figure, (axes,) = panels(1, height=3.6, width=5.2)
    name, cells = NAMES[model], printed.cells(model)
    axes.plot(printed.components(model).T, color=PALE, linewidth=1, zorder=1)
    axes.plot(cells, "s-", color=BLUE, markersize=3.5, fillstyle="none", label=name)
    _dots(axes, histogram, RECONSTRUCTED)
    _label_counts(axes, f"{name}: chi-square {pearson(histogram, cells):.4g}", 150)
    axes.legend(loc="upper left")
    return figure


def figure6(printed: Printed, sets: Mapping[str, Counts]) -> Figure:
    """Draw Figure 6: model M and SRTE, with BRTEa in grey, and what fits SRTE."""
    m, srte = printed.mixture("three"), sets["SRTE"]
    lazy = mixtures.fit_lazy(srte, m, method="least_squares").expected
    two = mixtures.fit(srte, 2, method="least_squares").expected
    grey = {"color": PALE, "linestyle": "-", "markersize": 3}
    line = {"markersize": 4, "fillstyle": "none"}
    figure, (left, right) = panels(height=3.7)
    for axes in (left, right):
        _dots(axes, sets["BRTEa"].histogram, RECONSTRUCTED, **grey)
    left.plot(printed.cells("three"), "s-", color=BLUE, label="model M", **line)
    right.plot(lazy, "s-", color=BLUE, label="M with lazy annotators", **line)
    right.plot(two, "^-", color=VERMILION, label="two binomials", **line)
    for axes, title in ((left, "M as printed"), (right, "Fitted to SRTE")):
        _dots(axes, srte.histogram, "SRTE")
        _label_counts(axes, title, 150)
    plotting.legend_below(figure, left, right)
    return figure


def graphical_model(section: int) -> Figure:
    """Draw Figure 1, 4 or 7: the model of section 2, 5 or 6."""
    nodes = {
        "theta": (0.0, 1.2, r"$\theta$", "shares"),
        "t": (1.7, 1.2, "$t$", "component"),
        "x": (3.2, 0.2, "$x$", ""),
        "p": (5.2, 0.2, "$p$", "a rate per component"),
    }
    edges = [("theta", "t"), ("t", "x"), ("p", "x")]
    plates = [(1.0, -0.85, 3.1, 2.75, "N items"), (2.7, -0.4, 1.0, 1.0, "n")]
    if section == 5:
        nodes["p"] = (5.2, 0.2, "$p_{ti}$", "")
        nodes["alpha"] = (5.2, 1.4, r"$\alpha$", "distribution of rates")
        edges.append(("alpha", "p"))
    if section == 6:
        nodes["p"] = (5.2, 0.2, "$p$", "rates, and $p_L$")
        nodes |= {"a": (1.7, -0.2, "$a$", ""), "xi": (0.0, -0.6, r"$\xi$", "lazy or not")}
        edges += [("xi", "a"), ("a", "x")]
        plates = [(1.0, -1.2, 3.1, 3.1, "N items"), (1.2, -0.75, 2.6, 1.35, "n")]
    figure, (axes,) = panels(1, height=2.9, width=5.6)
    plotting.graphical_model(axes, nodes, edges, plates, seen=["x"])
    return figure


def reconstruction(rivals: pd.DataFrame, printed: Printed) -> Figure:
    """Draw the rivals of the histogram by their chi-squares, and the histogram."""
    two, three = rivals["two_chi_square"], rivals["three_chi_square"]
    figure, (left, right) = panels(height=3.6)
    style = {"s": 6, "color": GREY, "alpha": 0.6, "linewidth": 0}
    left.scatter(two[1:], three[1:], label=f"{len(rivals) - 1:,} other histograms", **style)
    for name, line in (("two_chi_square", left.axvline), ("three_chi_square", left.axhline)):
        line(printed.value(name), color=VERMILION, linewidth=0.9)
    left.plot(two[0], three[0], "o", color=BLUE, label="the one with both")
    left.set(title="Near all printed parameters", yscale="log", ylim=(3, 300))
    left.set(xlabel="chi-square of two binomials as printed", ylabel="chi-square of three, model M")
    left.set_yticks([5, 10, 50, 100], ["5", "10", "50", "100"])
    left.legend(loc="upper right", **BOXED)
    right.plot(printed.cells("three"), color=GREY, linewidth=1, label="model M as printed")
    cells = rivals.loc[0, [f"x{j}" for j in range(11)]].to_numpy(float)
    _dots(right, cells, RECONSTRUCTED, color=BLUE)
    for j, value in enumerate(cells):
        right.text(j, value + 5, f"{value:.0f}", ha="center", fontsize=8)
    _label_counts(right, "The only one with both")
    return figure


def components(tests: Mapping[tuple[str, int], mixtures.BootstrapTest]) -> Figure:
    """Draw the likelihood ratio of two against three components and its null distribution."""
    figure, both = panels(height=3.3)
    for axes, data in zip(both, ("BRTEa", "SRTE"), strict=True):
        test = tests[data, 2]
        bins = np.linspace(0, max(15.0, 1.1 * test.statistic), 31).tolist()
        name = f"{data}: {test.statistic:.1f}, p = {test.p_value:.3f}"
        marks = [(test.statistic, name, "-")]
        plotting.histogram(axes, test.draws, bins=bins, marks=marks, log=True)
        axes.set(title=f"{data}: two components or three?")
        axes.set(xlabel="likelihood ratio", ylabel="data sets")
    return figure


def hard_share(profiles: Mapping[str, mixtures.HardShareProfile]) -> Figure:
    """Draw the profile likelihood of the share of hard items."""
    figure, (axes,) = panels(1, height=3.5, width=5.4)
    for data, colour, line in (("BRTEa", BLUE, "-"), ("SRTE", VERMILION, "--")):
        found = profiles[data]
        name = "{}: {:.0f}%, 95% interval {:.0f} to {:.0f}%".format(data, *percents(found))
        axes.plot(100 * found.share, found.log_likelihood, line, color=colour, label=name)
    axes.axhline(-scipy.stats.chi2.ppf(0.95, 1) / 2, color=GREY, linestyle=":", linewidth=1)
    axes.set(title="How many items are hard?", xlim=(0, 60), ylim=(-8, 2.4))
    axes.set(xlabel="percent of hard items (rate between .4 and .6)")
    axes.set(ylabel="log likelihood below its maximum")
    axes.legend(loc="upper right")
    return figure


def annotators(draws: pd.DataFrame, sets: Mapping[str, Counts], lazy: pd.DataFrame) -> Figure:
    """Draw what heterogeneous annotators do to chi-square, and how lazy annotators look."""
    figure, (left, right) = panels(height=3.9)
    edges = np.linspace(0, 80, 41).tolist()
    styles = (BLUE, "-"), (GREY, "--")
    for (design, values), (colour, line) in zip(draws.items(), styles, strict=True):
        style = {"histtype": "step", "linewidth": 1.4, "color": colour, "linestyle": line}
        left.hist(np.clip(values, 0, 80), bins=edges, label=str(design), **style)
    for data, colour, line in (("SRTE", INK, "-"), ("BRTEa", VERMILION, "-.")):
        value = mixtures.fit(sets[data], 2).chi_square().statistic
        left.axvline(value, ymax=0.6, color=colour, linewidth=1.5, linestyle=line, label=data)
    left.set(title="Two components, unequal annotators", xlim=(0, 80))
    left.set(xlabel="chi-square of two binomials", ylabel="simulated data sets")
    left.set_ylim(0, 1.75 * left.get_ylim()[1])
    left.legend(loc="upper right")
    is_lazy = (lazy["lazy_probability"] > 0.5).to_numpy()
    rates = lazy["sensitivity"], lazy["specificity"]
    plotting.accuracy_plane(right, *rates, lazy["labels"], removed=is_lazy, area=0.45)
    right.set_title("Annotators of SRTE against gold")
    handles, names = right.get_legend_handles_labels()
    names = ["probably lazy" if name == "removed" else name for name in names]
    right.legend(handles, names, loc="lower left")
    return figure


def hard_items(by_count: pd.DataFrame, window: tuple[int, int]) -> Figure:
    """Draw how hard, uncertain and doubtful items are, by their number of positive labels."""
    x, items = by_count["positives"], by_count["items"]
    figure, (left, right) = panels(height=3.7)
    line = {"markersize": 4, "label": "hard: M with lazy annotators", "color": BLUE}
    left.plot(x, by_count["hard_probability"], "o-", **line)
    line |= {"label": "uncertain: Carpenter's model", "color": GREEN}
    left.plot(x, by_count["uncertain_carpenter"], "s--", **line)
    edge = {"edgecolor": INK, "linewidth": 0.5}
    right.bar(x, items, color=LIGHT_BLUE, label="gold label 0", **edge)
    true = items * by_count["gold"].fillna(0)
    right.bar(x, true, color=ORANGE, hatch="///", label="gold label 1", **edge)
    for axes, title in ((left, "Hard or uncertain"), (right, "What the experts said")):
        axes.axvspan(window[0] - 0.5, window[1] + 0.5, color="#EFEFEF", zorder=0)
        _label_counts(axes, title, 150)
    left.set(ylabel="share of these items", ylim=(0, 1.0))
    plotting.legend_below(figure, left, right)
    return figure
