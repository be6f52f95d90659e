"""The figures of Carpenter (2008)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FormatStrFormatter

from annobench import plotting
from annobench.models.hierarchical_binary import HierarchicalBinaryFit, PrunedFit
from annobench.plotting import BLUE, INK
from annobench.simulation.panels import SimulatedBinary

from .drawn import N_BARS, bars
from .printed import Design
from .values import RATES

#: Of Figure 1, in the paper's notation; annotation k is of item i by annotator j.
SAMPLING = (
    r"$\pi \sim \mathrm{Beta}(1, 1)$",
    r"$c_i \sim \mathrm{Bernoulli}(\pi)$",
    r"$\theta_{0,j} \sim \mathrm{Beta}(\alpha_0, \beta_0)$",
    r"$\theta_{1,j} \sim \mathrm{Beta}(\alpha_1, \beta_1)$",
    r"$x_k \sim \mathrm{Bernoulli}(c_i \theta_{1,j} + (1 - c_i)(1 - \theta_{0,j}))$",
    r"$\alpha_0 / (\alpha_0 + \beta_0) \sim \mathrm{Beta}(1, 1)$",
    r"$\alpha_0 + \beta_0 \sim \mathrm{Pareto}(1.5)$",
    r"$\alpha_1 / (\alpha_1 + \beta_1) \sim \mathrm{Beta}(1, 1)$",
    r"$\alpha_1 + \beta_1 \sim \mathrm{Pareto}(1.5)$",
)


def figure1() -> Figure:
    """Draw Figure 1: the model in plate notation and in sampling notation."""
    nodes = {
        "pi": (0.0, 0.0, r"$\pi$", "prevalence"),
        "c": (1.9, 0.0, "$c_i$", "category"),
        "x": (3.9, 0.0, "$x_k$", "annotation"),
        "theta0": (6.0, 0.9, r"$\theta_{0,j}$", "specificity"),
        "theta1": (6.0, -0.9, r"$\theta_{1,j}$", "sensitivity"),
        "alpha0": (8.0, 1.4, r"$\alpha_0$", ""),
        "beta0": (8.0, 0.5, r"$\beta_0$", ""),
        "alpha1": (8.0, -0.5, r"$\alpha_1$", ""),
        "beta1": (8.0, -1.4, r"$\beta_1$", ""),
    }
    edges = [("pi", "c"), ("c", "x"), ("theta0", "x"), ("theta1", "x")]
    edges += [(f"{prior}{n}", f"theta{n}") for n in (0, 1) for prior in ("alpha", "beta")]
    plates = [
        (1.15, -0.8, 1.5, 1.7, "I"),
        (3.15, -0.8, 1.5, 1.7, "K"),
        (5.2, -1.7, 1.6, 3.5, "J"),
    ]
    figure, (left, right) = plotting.panels(height=3.6, width=5.2, width_ratios=(2, 1))
    plotting.graphical_model(left, nodes, edges, plates, seen=["x"])
    right.axis("off")
    for n, line in enumerate(SAMPLING):
        right.text(0, 1 - (n + 0.5) / len(SAMPLING), line, fontsize=10, va="center")
    return figure


def figure2(truth: SimulatedBinary, fitted: HierarchicalBinaryFit) -> Figure:
    """Draw Figure 2: estimates against simulated values."""
    figure, panels = plotting.panels()
    for axes, name in zip(panels, RATES, strict=True):
        found = (getattr(truth, name), getattr(fitted, name), *fitted.interval(name))
        plotting.estimates_against_truth(axes, *found, limits=(0.4, 1))
        axes.set(title=name.capitalize(), xlabel="simulated")
        axes.set_ylabel("posterior mean and 95% interval")
    return figure


def figure3(design: Design, fitted: HierarchicalBinaryFit) -> Figure:
    """Draw Figure 3: the posterior of the annotators' distributions."""
    figure, panels = plotting.panels()
    for axes, name in zip(panels, RATES, strict=True):
        mean, concentration = (
            getattr(fitted.draws, f"{name}_{parameter}")[:, ::10].ravel()
            for parameter in ("mean", "concentration")
        )
        mean_and_scale(axes, mean, concentration, design.population(name))
        axes.set(title=name.capitalize(), xlabel="mean", ylabel="scale", xlim=(0.55, 0.95))
    low, high = (f(a.get_ylim()[i] for a in panels) for i, f in enumerate((min, max)))
    for axes in panels:
        axes.set_ylim(low, high)
    return figure


def figure4(
    design: Design, truth: SimulatedBinary, fitted: HierarchicalBinaryFit, drawn: pd.DataFrame
) -> Figure:
    """Draw Figure 4: prevalence and residual errors, with the author's bars."""
    figure, (left, right) = plotting.panels()
    sample = float(truth.category.mean())
    marks = [(design.numbers["sim_prevalence"], "simulated value", "-")]
    marks.append((sample, "share in the sample", "--"))
    plotting.histogram(left, fitted.draws.prevalence, bins=40, marks=marks)
    left.set(title="Prevalence", xlabel="prevalence", ylabel="draws")
    edges = np.linspace(-1, 1, len(drawn) + 1)
    items, _ = np.histogram(truth.category - fitted.posterior[:, 1], edges)
    shape: dict[str, Any] = {"color": "#A6C8DD", "edgecolor": INK, "linewidth": 0.5}
    right.bar(
        edges[:-1], np.log2(items + 1), np.diff(edges), align="edge", label="computed", **shape
    )
    mark: dict[str, Any] = {"color": plotting.VERMILION, "mfc": "none", "ms": 4}
    centres = (drawn["left"] + drawn["right"]) / 2
    right.plot(centres, drawn["height"], "D", label="the author's data set", **mark)
    right.set(title="Residual error", xlabel="true category less estimate", ylim=(0, 12))
    right.set_ylabel("log2(items + 1)")
    right.legend(loc="upper right")
    return figure


def simulations(repeats: pd.DataFrame, printed: float) -> Figure:
    """Draw section 3 as a distribution over data sets."""
    figure, (left, right) = plotting.panels()
    counts = repeats["sim.n_large_residuals"]
    edges = np.arange(min(counts.min(), printed) - 1.5, max(counts.max(), printed) + 2)
    plotting.histogram(left, counts, bins=edges.tolist(), marks=[(printed, "printed", "-")])
    left.set(title="Items off by more than one half", xlabel="items of 1,000", ylabel="data sets")
    shares = repeats.filter(like="coverage.")
    error = 2 * shares.std(ddof=1) / np.sqrt(len(shares))
    y = np.arange(shares.shape[1])[::-1]
    right.errorbar(shares.mean(), y, xerr=error, fmt="o", color=plotting.INK, ms=4)
    right.axvline(0.95, color=plotting.VERMILION, linestyle="--")
    right.set_yticks(y, shares.columns.str.removeprefix("coverage.").str.replace("_", " "))
    right.set(title="Coverage of 95% intervals", xlabel="share that contains the true value")
    return figure


def estimates(
    table: pd.DataFrame, fitted: HierarchicalBinaryFit, points: pd.DataFrame | None = None
) -> Figure:
    """Draw Figures 5 and 8: rates on the gold standard, on the diagonal, and estimated intervals.

    The ends of the intervals that the author drew lie behind those of the `points`.
    """
    figure, panels = plotting.panels(height=4.4)
    for axes, name in zip(panels, RATES, strict=True):
        gold = table[f"gold_{name}"].to_numpy()
        lower, upper = (table[f"{name}_{end}80"].to_numpy() for end in ("lower", "upper"))
        mean = float(np.median(getattr(fitted.draws, f"{name}_mean")))
        axes.plot([0, 1], [0, 1], color=plotting.GREY, linewidth=0.8, zorder=1)
        axes.axhline(mean, color=BLUE, linewidth=1.0, label="estimated mean", zorder=1)
        if points is not None:
            ends = _drawn_ends(points, name)
            at = gold[ends.index - 1]
            axes.vlines(
                at,
                ends["lower80"],
                ends["upper80"],
                color=plotting.VERMILION,
                alpha=0.45,
                linewidth=3.5,
                label="80% interval, drawn by the author",
                zorder=2,
            )
        axes.vlines(
            gold, lower, upper, color=INK, linewidth=0.7, label="80% interval, computed", zorder=3
        )
        axes.plot(
            gold, gold, "o", color=INK, mfc="white", ms=4, mew=0.7, label="gold standard", zorder=4
        )
        smallest = np.nanmin([*gold, *lower])
        limits = (max(-0.03, np.floor(smallest * 10 - 0.2) / 10), 1.03)
        axes.set(title=name.capitalize(), xlim=limits, ylim=limits, aspect="equal")
        axes.set(xlabel="on the gold standard", ylabel="estimated")
    plotting.legend_below(figure, panels[0], columns=2)
    return figure


def _drawn_ends(points: pd.DataFrame, name: str) -> pd.DataFrame:
    own = points[points["figure"] == f"figure5_{name}"]
    ends = own.pivot(index="number", columns="quantity", values="drawn")
    return ends.rename(columns=lambda quantity: quantity.partition(".")[2])


def figure6(
    before: pd.DataFrame, after: pd.DataFrame, pruned: PrunedFit, points: pd.DataFrame
) -> Figure:
    """Draw Figure 6: annotators before and after pruning, and the author's estimates."""
    figure, (left, right) = plotting.panels(height=4.4)
    _plane(left, before, pruned.first, removed=~before["kept"])
    _plane(right, after, pruned.second)
    for axes, part in ((left, "figure6"), (right, "figure6_pruned")):
        own = points[points["figure"] == part]
        drawn = own.pivot(index="number", columns="quantity", values="drawn")
        places = (drawn[f"{name}.median"] for name in RATES[::-1])
        axes.plot(
            *places, ".", color=plotting.VERMILION, ms=3, label="estimate, drawn by the author"
        )
    left.set_title("All annotators")
    right.set_title("After pruning")
    plotting.legend_below(figure, left, columns=3)
    return figure


def figure9(table: pd.DataFrame, fitted: HierarchicalBinaryFit) -> Figure:
    """Draw Figure 9: fifty annotators, and the upper quadrant of all."""
    figure, (left, right) = plotting.panels(height=4.4)
    area = 225 / table["n_labels"].max()
    by_number = table.sort_values("annotator", key=pd.to_numeric)
    _plane(left, by_number.head(50), fitted, area=area)
    left.set_title("The first 50 annotators")
    rates = table["gold_sensitivity"], table["gold_specificity"]
    plotting.accuracy_plane(right, *rates, table["n_labels"], limits=(0.75, 1.01), area=area)
    right.set_title("Upper quadrant, all annotators")
    plotting.legend_below(figure, left, right)
    return figure


def _plane(axes: Axes, table: pd.DataFrame, fitted: HierarchicalBinaryFit, **more: Any) -> None:
    means = [float(np.median(getattr(fitted.draws, f"{name}_mean"))) for name in RATES[::-1]]
    estimates = table["sensitivity_median"], table["specificity_median"]
    gold = table["gold_sensitivity"], table["gold_specificity"], table["n_labels"]
    plotting.accuracy_plane(axes, *gold, estimates=estimates, means=means, **more)


def residuals(
    model: np.ndarray,
    votes: np.ndarray,
    gold: np.ndarray,
    heights: pd.DataFrame | None = None,
) -> Figure:
    """Draw Figures 7 and 10: residual errors of the model and of voting, in ten bars.

    Those of `heights` are the bars that the author drew.
    """
    figure, panels = plotting.panels(height=4.0)
    for axes, posterior, panel in zip(panels, (model, votes), ("model", "voting"), strict=True):
        # Above the author's marks.
        padding = 2 if heights is None else 7
        histogram_of_residuals(axes, gold - posterior[:, 1], padding)
        axes.set_title(panel.capitalize())
        if heights is not None:
            own = heights[heights["panel"] == panel]
            axes.plot(
                (own["left"] + own["right"]) / 2,
                own["drawn"],
                "D",
                color=plotting.VERMILION,
                mfc="none",
                ms=6,
                mew=1.2,
                label="drawn by the author",
            )
    top = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(0, top)
    if heights is not None:
        plotting.legend_below(figure, panels[0], columns=2)
    return figure


def histogram_of_residuals(axes: Axes, values: np.ndarray, padding: float = 2) -> None:
    """Draw ten bars, as the author did, each with its number."""
    heights = bars(values)
    edges = np.linspace(-1, 1, N_BARS + 1)
    placed = axes.bar(
        edges[:-1],
        heights,
        2 / N_BARS,
        align="edge",
        color="#A6C8DD",
        edgecolor=INK,
        linewidth=0.6,
        label="computed",
    )
    axes.bar_label(placed, [f"{height:,.0f}" for height in heights], padding=padding, fontsize=8)
    axes.set(xlim=(-1, 1), xlabel="gold category less estimate", ylabel="items")
    axes.margins(y=0.12)


def drawn_points(points: pd.DataFrame, heights: pd.DataFrame, lengths: Mapping[str, str]) -> Figure:
    """Draw the author's points and bars together with those computed again."""
    figure, (left, right) = plotting.panels(height=4.6)
    both = points[points["figure"] == "figure6"].pivot(index="number", columns="quantity")
    x, y = "sensitivity.median", "specificity.median"
    drawn, computed = both["drawn"], both["computed"]
    left.plot([0, 1], [1, 0], color=plotting.GREEN, label="chance", linewidth=0.9, zorder=1)
    ends = [np.array([each[axis] for each in (drawn, computed)]) for axis in (x, y)]
    left.plot(*ends, color=plotting.GREY, linewidth=0.8, zorder=2)
    ring: dict[str, Any] = {"facecolor": "none", "edgecolor": plotting.INK, "linewidth": 0.8}
    left.scatter(drawn[x], drawn[y], s=26, label="drawn by the author", zorder=3, **ring)
    left.scatter(computed[x], computed[y], s=5, label="computed", color=plotting.BLUE, zorder=4)
    left.set(title="Posterior medians (Figure 6, left)", xlim=(0.45, 1.0), ylim=(0.0, 1.03))
    left.set(xlabel="sensitivity", ylabel="specificity")
    of_model = heights[heights["panel"] == "model"]
    right.set_yscale("log")
    right.scatter(
        of_model["bar"], of_model["drawn"], s=40, label="drawn by the author", zorder=4, **ring
    )
    styles = ((plotting.BLUE, -0.15), (plotting.VERMILION, 0.15))
    for (method, label), (color, shift) in zip(lengths.items(), styles, strict=True):
        sd = 2 * of_model[f"{method}_sd"]
        place: dict[str, Any] = {"fmt": ".", "color": color, "label": label}
        right.errorbar(of_model["bar"] + shift, of_model[f"{method}_mean"], yerr=sd, **place)
    edges = [f"{low:.1f}" for low in of_model["left"]]
    right.set_xticks(of_model["bar"] - 0.5, edges)
    right.set(title="Residuals of the model (Figure 7)", ylabel="items")
    right.set_xlabel("gold category less estimate, from")
    plotting.legend_below(figure, left, right, columns=3)
    return figure


def kappa(pairs: pd.DataFrame) -> Figure:
    """Draw sample against posterior kappa."""
    titles = {
        "kappa_margins": "Chance from annotators' rates",
        "kappa_prevalence": "Chance from prevalence (paper)",
    }
    figure, panels = plotting.panels()
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        if len(pairs):
            found = (pairs[c] for c in ("sample_kappa", name, f"{name}_lower", f"{name}_upper"))
            plotting.against(axes, *found, label="pair of annotators")
        axes.set(title=title, xlabel="sample kappa (Cohen)")
        axes.set_ylabel("posterior mean and 95% interval")
    return figure


def mean_and_scale(
    axes: Axes, mean: np.ndarray, scale: np.ndarray, simulated: tuple[float, float]
) -> None:
    """Scatter draws of the mean and the scale of the annotators' distribution.

    The mean and scale that made the data are crossing lines.
    """
    axes.scatter(mean, scale, s=4, color=BLUE, alpha=0.35, linewidth=0, rasterized=True)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))
    axes.axvline(simulated[0], color=INK, linewidth=1)
    axes.axhline(simulated[1], color=INK, linewidth=1)
