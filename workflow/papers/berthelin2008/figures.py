"""The figures of Berthelin et al. (2008)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench import plotting
from annobench.simulation import panels as simulated
from annobench_replication.ledger import PAPER_METHOD, Computed

from .genre import GenreLabels
from .printed import REFERENCE, Printed
from .simulate import scale_shares

#: Points of the films that have another on their right.
NAMED_ON_THE_LEFT = {"34", "R3", "R4"}
HOLLOW = {"facecolor": "white", "edgecolor": plotting.BLUE}


def scale_change(table: pd.DataFrame, printed: Printed) -> Figure:
    """Draw agreement on the restricted scale against the wide scale, with what the scale does."""
    figure, panels = plotting.panels(height=4.0)
    shares, correlations = scale_shares(printed), np.sin(np.linspace(0, np.pi / 2, 60))
    for axes, corpus, wide_name, title in (
        (panels[0], "games", "table1", "Video games: 21 marks to 3"),
        (panels[1], "films", "table4", "Films: 5 marks to 3"),
    ):
        curve = [
            [simulated.kappa_from_correlation(float(r), share) for r in correlations]
            for share in shares[corpus]
        ]
        label = "simulated: the same\nperception on both scales"
        axes.plot(*curve, color=plotting.BLUE, label=label)
        axes.plot([0, 1], [0, 1], "--", color=plotting.GREY, linewidth=0.9, label="no gain")
        cells = table[table["table"] == wide_name]
        of_reference = cells["first"] == REFERENCE
        for part, colour, label in (
            (cells[of_reference], plotting.INK, "with the reference"),
            (cells[~of_reference], "white", "two judges"),
        ):
            points = part["printed"], part["printed_on_other_scale"]
            style = {"color": colour, "edgecolor": plotting.INK, "linewidth": 0.9, "zorder": 3}
            axes.scatter(*points, s=28, label=label, **style)
        name_points(axes, cells)
        axes.set(title=title, xlim=(0, 0.85), ylim=(0, 0.9), aspect="equal")
        axes.set(xlabel="kappa, wide scale (printed)", ylabel="kappa, restricted scale (printed)")
    panels[0].legend(loc="lower right")
    return figure


def name_points(axes: Axes, cells: pd.DataFrame) -> None:
    """Name the pairs of judges at their points, those of one point together."""
    names = cells["first"].replace(REFERENCE, "R") + cells["second"]
    for at, there in names.groupby([cells["printed"], cells["printed_on_other_scale"]]):
        left = len(there) == 1 and there.iloc[0] in NAMED_ON_THE_LEFT
        side = {"offset": (-5, 3), "ha": "right"} if left else {"offset": (5, -3), "ha": "left"}
        plotting.note(axes, ", ".join(there), at, va="center", fontsize=7.5, **side)


def genre(labels: GenreLabels, rows: Sequence[Computed]) -> Figure:
    """Draw the errors that Tables 7 and 8 determine, and Table 8 with intervals."""
    figure, (axes, right) = plotting.panels(height=3.4)
    documents = np.flatnonzero(labels.wrong.any(axis=0))
    for (j, x), wrong in np.ndenumerate(labels.wrong[:, documents]):
        colour = plotting.VERMILION if wrong else "white"
        axes.scatter([x], [j], s=150, marker="s", lw=0.8, edgecolor=plotting.INK, color=colour)
        if wrong:
            axes.scatter([x], [j], s=40, marker="x", color="white", linewidth=1.6)
    axes.set_yticks(range(len(labels.wrong)), [f"judge {name}" for name in labels.names[1:]])
    axes.set_xticks(range(documents.size), [chr(97 + x) for x in range(documents.size)])
    others = labels.wrong.shape[1] - documents.size
    axes.set(xlim=(-0.6, documents.size - 0.4), ylim=(3.6, -0.6))
    axes.set_xlabel(f"document (all right on the other {others})")
    axes.set_title("Documents that a judge got wrong")
    table = pd.DataFrame(map(vars, rows)).rename(columns={"value": "estimate"}).set_index("target")
    table = table[table.index.str.startswith("table8.")]
    analytic = table[table["method"] == PAPER_METHOD]
    exact = table[table["method"] == "exact_interval"].reindex(analytic.index)
    names = analytic.index.str.removeprefix("table8.").str.replace(REFERENCE, "reference")
    sets = {"analytic": analytic, "exact (reference)": exact}
    plotting.intervals(right, names.str.replace("_", ", "), sets)
    plotting.legend_below(figure, right)
    right.set(title="Table 8, with 95% intervals", xlabel="Cohen's kappa", xlim=(0.6, 1.02))
    return figure


def categories(pairs: pd.DataFrame, scores: pd.DataFrame) -> Figure:
    """Draw Table 9 against its prediction from itself, and Table 7 against that from Table 9."""
    figure, (left, right) = plotting.panels(height=3.8)
    names = pairs["first"].replace(REFERENCE, "reference") + ", " + pairs["second"]
    printed_and_simulated(left, pairs, names)
    left.set(title="Table 9, each from the others", xlabel="Cohen's kappa", xlim=(0, 1))
    own = scores[scores["target"].str.startswith("table7")]
    printed_and_simulated(right, own, "judge " + own["target"].str[-1], legend=True)
    right.set(title="Table 7 (categories) from Table 9", xlabel="strict F-score", xlim=(0, 1))
    return figure


def printed_and_simulated(
    axes: Axes, table: pd.DataFrame, names: Sequence[str], *, legend: bool = False
) -> None:
    """Draw printed values beside simulated ones with their intervals."""
    estimates = table.rename(columns={"predicted": "estimate"})
    plotting.intervals(axes, names, {"simulated, 95% on 60 documents": estimates})
    look = {"color": plotting.VERMILION, "mew": 1.8, "label": "printed"}
    axes.plot(table["printed"], range(len(table)), "x", **look)
    if legend:
        axes.set_ylim(len(table) - 0.4, -1.1)
        axes.legend(loc="upper left")


def precision_recall(table: pd.DataFrame) -> Figure:
    """Draw precision against recall by category, and how often each category is named."""
    # Where the names of categories stand beside their points, and on which side.
    offsets = {
        "international": ((0, 9), "center"),
        "literature": ((-5, 8), "center"),
        "television": ((-7, -4), "right"),
        "art": ((-2, -12), "center"),
    }
    figure, (axes, right) = plotting.panels(height=4.2)
    grid = np.linspace(0.01, 1, 200)
    for level in (0.5, 0.7, 0.9):
        precision = level * grid / (2 * grid - level + 1e-12)
        inside = (2 * grid > level) & (precision <= 1.0)
        axes.plot(grid[inside], precision[inside], color="#C9CED3", linewidth=0.8, zorder=1)
        end = level / (2 - level)
        axes.text(1.01, end, f"F {level}", fontsize=7.5, va="center", color=plotting.GREY)
    looks = {"first": ("o", plotting.BLUE), "second": ("s", plotting.VERMILION)}
    for subtask, (marker, colour) in looks.items():
        part = table[table["subtask"] == subtask]
        style = {"facecolor": "white", "edgecolor": colour, "linewidth": 1.5, "zorder": 3}
        label = f"{subtask} subtask"
        axes.scatter(part["recall"], part["precision"], s=34, marker=marker, label=label, **style)
    for row in table.itertuples():
        offset, side = offsets.get(row.category, ((6, 5), "left"))
        name, at = row.category.capitalize(), (row.recall, row.precision)
        plotting.note(axes, name, at, offset, ha=side, fontsize=7.5)
    axes.set(title="Nine categories, second test", xlabel="recall", ylabel="precision")
    axes.set(xlim=(0.2, 1), ylim=(0.2, 1.05))
    plotting.legend_below(figure, axes)
    named = table.sort_values("named_per_document")
    where = np.arange(len(named))
    right.axvline(1, color=plotting.GREY, linestyle="--", linewidth=0.9)
    right.hlines(where, 1, named["named_per_document"], color=plotting.INK, linewidth=1)
    right.scatter(named["named_per_document"], where, s=34, color=plotting.INK, zorder=3)
    right.set_yticks(where, named["category"].str.capitalize())
    right.set(title="Named too rarely, named too often", xlim=(0.5, 1.75))
    right.set_xlabel("labels per document of the category")
    return figure


def systems(printed: Printed) -> Figure:
    """Draw the ranges of judges and competitors in 2007 (Table 10) and 2008."""
    figure, (left, right) = plotting.panels(height=3.3)
    table10 = printed.difficulty.drop(columns="level")
    ranges(left, {str(corpus).capitalize(): list(row) for corpus, row in table10.iterrows()})
    left.set_title("2007 (Table 10)")
    both = {}
    for what in ("genre", "category"):
        scores = printed.floats("table7", what)
        ends = (printed.floats("systems", end)[what] for end in ("smallest", "largest"))
        both[what.capitalize()] = (scores.min(), scores.max(), *ends)
    ranges(right, both)
    right.set_title("2008 (Table 7 and section 4.2)")
    right.legend(loc="lower left")
    return figure


def ranges(axes: Axes, by_name: Mapping[str, Sequence[float]]) -> None:
    """Draw the range of judges above that of competitors: the ends of both by name."""
    for y, ends in enumerate(by_name.values()):
        for place, drawn, colour, marker, label in (
            (y - 0.13, ends[:2], plotting.INK, "o", "judges"),
            (y + 0.13, ends[2:], plotting.BLUE, "s", "competitors"),
        ):
            name = None if y else label
            axes.plot(drawn, [place] * 2, color=colour, marker=marker, lw=2.2, ms=5, label=name)
            for x, side, offset in zip(drawn, ("right", "left"), ((-6, 0), (6, 0)), strict=True):
                style = {"ha": side, "va": "center", "fontsize": 7.5, "color": colour}
                plotting.note(axes, f"{x:.2f}", (x, place), offset, **style)
    plotting.names_down(axes, list(by_name))
    axes.set(xlabel="strict F-score, smallest to largest", xlim=(0.28, 1.1))


def coefficients(by_scale: pd.DataFrame, own: pd.DataFrame) -> Figure:
    """Draw what other coefficients say on either scale, and Table 3 beside its prediction."""
    figure, (axes, right) = plotting.panels(height=3.4)
    values = by_scale.pivot(index="coefficient", columns="scale", values="value")
    values = values.loc[by_scale["coefficient"].unique()]
    where = np.arange(len(values))
    wide, restricted = values["0 to 20"], values["3 classes"]
    axes.hlines(where, wide, restricted, color=plotting.GREY, linewidth=1)
    axes.scatter(wide, where, s=34, color=plotting.INK, zorder=3, label="0 to 20")
    axes.scatter(restricted, where, s=34, lw=1.4, zorder=3, label="3 classes", **HOLLOW)
    plotting.names_down(axes, values.index.str.replace(", ", ",\n"), top=0.6)
    axes.set(title="Two simulated judges, two scales", xlabel="value", xlim=(0, 1.02))
    axes.legend(loc="lower left")
    printed_and_simulated(right, own, "judge " + own["judge"], legend=True)
    right.set(title="Table 3 (self) from Table 2", xlabel="Cohen's kappa", xlim=(0, 1.02))
    return figure
