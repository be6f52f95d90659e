"""The figures: those of the paper, and what it leaves out."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from annobench.labels.annotations import Annotations
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, grouped_bars, mark, panels

from .corpus import FOUR, Corpus, Fits
from .model import CERTAIN, SMOOTHING, votes
from .posterior import IN_USE, Bayes, Optimum

PALE = "#BBBBBB"
#: Annotators of help that the text names, and the one who fits what else it says.
SHOWN_OF_HELP = (8, 9, 41, 18)
DRAWN_MARK = "Simulated stand-in: trained labels drawn"
PARTS = {"j": "adj", "n": "noun", "v": "verb"}
PREVALENCES = {
    "trained": ("trained, share of labels", INK),
    "plurality": ("crowd, plurality", PALE),
    "model": ("crowd, model", BLUE),
}
PAIRS = ("trained_plurality", "trained_model", "plurality_model")
METHODS = {
    "true parameters": (INK, "^"),
    "authors' EM": (BLUE, "o"),
    "EM from votes": (GREEN, "s"),
    "full Bayes": (VERMILION, "D"),
}


def short(word: str) -> str:
    """Return a word with its part of speech as the paper writes it."""
    name, part = word.split("-")
    return f"{name} ({PARTS[part]})"


def named(senses: Iterable[str]) -> list[str]:
    """Return senses with "none" for 0."""
    return ["none" if s == "0" else s for s in senses]


def words_axis(axes: Axes, words: Sequence[str]) -> None:
    """Name the rows of a panel of words."""
    axes.set_yticks(np.arange(len(words)), [short(w) for w in words])
    axes.tick_params(axis="y", length=0, labelsize=7.5)
    axes.set_ylim(-0.7, len(words) - 0.1)
    axes.grid(axis="y", color="#E6E6E6", linewidth=0.6)
    axes.set_axisbelow(True)


def heat_map(axes: Axes, matrix: np.ndarray, names: Sequence[str], *, rows: bool) -> AxesImage:
    """Draw probabilities by true category and label in grey."""
    image = axes.imshow(matrix, cmap="Greys", vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, fontsize=6.5, rotation=90)
    axes.set_yticks(range(len(names)), names if rows else [], fontsize=6.5)
    axes.tick_params(length=2)
    axes.spines[["top", "right"]].set_visible(True)
    return image


def figure2(labels: Annotations) -> Figure:
    """Show the first and last labels of a word as the table of Figure 2."""
    codes = np.stack([np.arange(labels.n_labels), labels.item, labels.annotator, labels.label])
    cells = (codes[:, [0, 1, 2, 3, -2, -1]].T + 1).astype(str).tolist()
    cells.insert(4, ["\u22ee"] * 4)
    figure, [axes] = panels(1, height=2.6)
    axes.axis("off")
    style = {"loc": "center", "cellLoc": "center", "edges": "horizontal"}
    drawn = axes.table(cells, colLabels=["$n$", "$ii_n$", "$jj_n$", "$y_n$"], **style)
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9.5)
    drawn.scale(0.8, 1.35)
    axes.set_title("Labels of add (verb)")
    return figure


def figure3(table: pd.DataFrame) -> Figure:
    """Draw alpha and agreement of the 45 words, trained annotators and crowd."""
    table = table.sort_values("trained_alpha", ignore_index=True)
    y = np.arange(len(table))
    figure, both = panels(2, height=9.2)
    for axes, what in zip(both, ("alpha", "agreement"), strict=True):
        crowd, public = f"crowd_{what}", f"public_{what}"
        axes.hlines(y, table[f"{crowd}_lower"], table[f"{crowd}_upper"], color=BLUE)
        axes.plot(table[crowd], y, "o", color=BLUE, markersize=4, label="crowd, 95% interval")
        red = {"color": VERMILION, "markersize": 4, "markerfacecolor": "white"}
        axes.plot(table[f"trained_{what}"], y, "D", label="trained annotators, printed", **red)
        ends = table[f"{public}_lower"], table[f"{public}_upper"]
        axes.hlines(y + 0.3, *ends, color=VERMILION, linewidth=0.8)
        sample = "trained annotators, public sample, 95% interval"
        axes.plot(table[public], y + 0.3, "x", label=sample, **red)
        words_axis(axes, table["word"])
    both[0].set_xlabel("Krippendorff's alpha")
    both[1].set_xlabel("pairwise agreement")
    both[1].tick_params(labelleft=False)
    figure.legend(*both[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def senses(table: pd.DataFrame, found: pd.DataFrame) -> Figure:
    """Draw printed agreement against the printed number of senses used."""
    figure, both = panels()
    of = found[found["senses"] == "used"].set_index("measure")
    for axes, what in zip(both, ("alpha", "agreement"), strict=True):
        row = of.loc[what]
        axes.plot(table["used"], table[f"trained_{what}"], "o", color=BLUE, alpha=0.7)
        title = (
            f"r = {row['r']:.2f}, 95%: {row['lower']:.2f} to {row['upper']:.2f}\n"
            f"excluded at 5%: beyond \u00b1{row['equivalence_bound']:.2f}"
        )
        axes.set(xlabel="senses used", ylabel=what, ylim=(0, 1), title=title)
    return figure


def figure4(table: pd.DataFrame, words: Sequence[str]) -> Figure:
    """Draw prevalence of senses by the model and by vote, and by trained labels if known."""
    known = table[table["word"].isin(words)].notna().any()
    bars = {column: style for column, style in PREVALENCES.items() if known[column]}
    across = 2 if len(words) == 4 else 3
    down = math.ceil(len(words) / across)
    figure, grid = panels(across, rows=down, height=2.2 * down + 0.4)
    for axes, word in zip(grid, words, strict=True):
        rows, width = table[table["word"] == word], 0.8 / len(bars)
        for place, (column, (label, colour)) in enumerate(bars.items()):
            x = np.arange(len(rows)) + (place - (len(bars) - 1) / 2) * width
            style = {"color": colour, "edgecolor": INK, "linewidth": 0.4}
            axes.bar(x, rows[column], width, label=label, **style)
        axes.set_xticks(range(len(rows)), named(rows["sense"]))
        axes.tick_params(axis="x", labelsize=7)
        axes.set_title(short(word))
    figure.supylabel("prevalence", fontsize=9.5)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def figure5(optima: pd.DataFrame) -> Figure:
    """Draw the share of certain items of each word at two optima."""
    table = optima.sort_values("certain_authors", ignore_index=True)
    y = np.arange(len(table))
    figure, [axes] = panels(1, height=8.6, width=7.4)
    words_axis(axes, table["word"])
    axes.axvline(0.8, color=GREY, linestyle="--", linewidth=0.9)
    ends = table["certain_least"], table["certain_most"]
    axes.hlines(y, *ends, color=PALE, linewidth=3, label="all optima found")
    axes.plot(table["certain_authors"], y, "o", color=BLUE, label="authors' start")
    style = {"color": VERMILION, "markerfacecolor": "white", "markersize": 4.5}
    axes.plot(table["certain_best"], y, "D", label="best optimum found", **style)
    axes.set(xlabel="share of items with a sense of at least .99", xlim=(None, 1.01))
    axes.legend(loc="lower left")
    return figure


def figure6(corpus: Corpus, fits: Fits) -> Figure:
    """Draw confusion matrices of four annotators of add and of help."""
    done = np.bincount(corpus.words[FOUR["add"]].annotator)
    most = np.sort(np.argsort(-done, kind="stable")[:4]) + 1
    figure, grid = panels(4, rows=2, height=4.7, width=1.85)
    shown = [("add", person) for person in most] + [("help", person) for person in SHOWN_OF_HELP]
    for n, (axes, (word, person)) in enumerate(zip(grid, shown, strict=True)):
        fit, first = fits[FOUR[word]], n % 4 == 0
        j = min(person, len(fit.annotators)) - 1
        image = heat_map(axes, fit.confusion[j], named(fit.categories), rows=first)
        axes.set_title(f"{word}, annotator {person}", fontsize=8.5)
        if first:
            axes.set_ylabel("inferred sense", fontsize=8)
        if word == "help":
            axes.set_xlabel("label given", fontsize=8)
    figure.colorbar(image, ax=figure.axes, shrink=0.6, label="probability")
    return figure


def figure7(table: pd.DataFrame, n_high: int) -> Figure:
    """Draw how often trained label, plurality and model are the same, in two panels."""
    figure, both = panels(1, rows=2, height=6.6, width=11.1)
    for axes, rows in zip(both, (table[:n_high], table[n_high:]), strict=True):
        stars = rows["trained_labels"].map({"real": "*", "simulated": ""})
        names = rows["word"].map(short) + stars + " (" + rows["items"].astype(str) + ")"
        grouped_bars(axes, names, {pair.replace("_", " = "): rows[pair] for pair in PAIRS})
        axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=7.5)
        axes.set(ylim=(0, 1), ylabel="share of items", xlim=(-0.6, max(22.6, len(names) - 0.4)))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    # Real labels don't make up for this: trained labels of most words were never published.
    mark(figure, DRAWN_MARK)
    return figure


def figure8(table: pd.DataFrame) -> Figure:
    """Draw histograms of mutual information of the annotators of four words, and of nine."""
    figure, grid = panels(4, rows=2, height=5.2, width=2.775)
    for axes, (name, word) in zip(grid, sorted(FOUR.items()), strict=False):
        rows = table[(table["word"] == word) & (table["annotators"] == "crowd")]
        axes.hist(rows["bits"], np.arange(0, 2.6, 0.25), color=BLUE, edgecolor="white")
        axes.axvline(rows["entropy"].iloc[0], color=INK, linestyle="--", linewidth=0.9)
        axes.set(title=f"{name}, crowd", xlim=(0, 2.75), xlabel="bits")
    grid[0].set_ylabel("annotators")
    place = grid[4].get_gridspec()[1, :]
    for axes in grid[4:]:
        axes.remove()
    nine_words(figure.add_subplot(place), table[table["labels"] >= 50])
    return figure


def nine_words(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the mutual information of each annotator of the words with trained labels."""
    words = sorted(table[table["annotators"] == "trained"]["word"].unique())
    for who, colour, marker, left, width in (
        ("crowd", BLUE, "o", -0.42, 0.32),
        ("crowd, as few", GREEN, "s", -0.06, 0.22),
        ("trained", VERMILION, "D", 0.22, 0.22),
    ):
        rows = table[table["annotators"] == who]
        for x, word in enumerate(words):
            own = rows[rows["word"] == word].sort_values("bits")
            at = x + left + width * np.linspace(0, 1, max(len(own), 2))[: len(own)]
            axes.vlines(at, own["lower"], own["upper"], color=colour, linewidth=0.6)
            label = who if x == 0 else None
            axes.plot(at, own["bits"], marker, color=colour, markersize=3, label=label)
    axes.set_xticks(range(len(words)), [short(w) for w in words])
    axes.set(ylabel="bits", title="Nine words with public trained labels", ylim=(0, 2.75))
    axes.legend(loc="upper left", ncols=3)


def optima(table: pd.DataFrame) -> Figure:
    """Draw the gain of the best optimum, and how many items it leaves certain."""
    figure, (left, right) = panels(2, height=3.9)
    gain = table["gain"].sort_values(ignore_index=True).clip(lower=0.1)
    left.plot(gain, np.arange(1, len(gain) + 1), "o", color=BLUE, markersize=4)
    above = "log posterior above the authors' optimum"
    left.set(xscale="log", xlabel=above, ylabel="words, in order", title="A better optimum")
    right.plot([0.45, 1], [0.45, 1], color=GREY, linestyle="--", linewidth=0.9)
    at = table["certain_authors"], table["certain_best"]
    right.plot(*at, "o", color=BLUE, markersize=4, alpha=0.8)
    right.set(xlabel="authors' optimum", ylabel="best optimum found")
    right.set(title="Share of certain items", aspect="equal")
    return figure


def classes(
    corpus: Corpus, fits: Fits, found: Mapping[str, Optimum], table: pd.DataFrame
) -> Figure:
    """Draw the meaning of classes: labels of the items of each class of help, and all words."""
    word = FOUR["help"]
    share = votes(corpus.words[word])
    figure, (*left, axes) = panels(3, height=3.9)
    both = {"authors' optimum": fits[word], "best optimum": found[word].best}
    for panel, (name, fit) in zip(left, both.items(), strict=True):
        total = fit.posterior.sum(axis=0)[:, None]
        by_class = fit.posterior.T @ share / np.maximum(total, 1e-9)
        shown = np.where(total >= IN_USE * len(share), by_class, np.nan)
        image = heat_map(panel, shown, named(fit.categories), rows=True)
        panel.set(title=f"help, {name}", xlabel="labels of its items")
    left[0].set_ylabel("class")
    figure.colorbar(image, ax=left, shrink=0.7, label="share")
    by_name = table[["plurality_authors", "plurality_best"]].to_numpy().T
    axes.plot([-0.06, 0.94], by_name, color=BLUE, linewidth=0.5, alpha=0.5)
    for column, colour, marker, label, offset in (
        ("", BLUE, "o", "class read by its name", -0.06),
        ("_by_meaning", VERMILION, "D", "by its items' commonest label", 0.06),
    ):
        style = {"color": colour, "markersize": 3.5, "alpha": 0.6, "markerfacecolor": "white"}
        for place, name in enumerate(("authors", "best")):
            values = table[f"plurality_{name}{column}"]
            style["label"] = None if place else label
            axes.plot(np.full(len(values), place + offset), values, marker, **style)
    axes.set_xticks([0, 1], list(both))
    axes.set(xlim=(-0.4, 1.4), ylim=(0, 1), title="Items that agree with the plurality")
    axes.legend(loc="lower left")
    return figure


def bayes(found: Mapping[str, Bayes]) -> Figure:
    """Draw likelihood and certain items of each chain of full Bayes."""
    figure, four = panels(4, height=3.8, width=1.85)
    for axes, (word, full) in zip(four, found.items(), strict=True):
        rows = full.chains
        below = rows["log_likelihood"] - rows["log_likelihood"].max()
        margin = 2 * rows["deviation"]
        axes.hlines(rows["certain"], below - margin, below + margin, color=GREY)
        styles = zip(rows.groupby("start", sort=False), "oD", (BLUE, VERMILION), strict=True)
        for (start, own), marker, colour in styles:
            style = {"color": colour, "markersize": 5, "label": start}
            axes.plot(below[own.index], own["certain"], marker, **style)
        axes.set(title=f"{short(word)}\nR-hat {full.row['r_hat']:.2f}", ylim=(0, 1))
        axes.set_xlabel("log likelihood", fontsize=8.5)
    four[0].set_ylabel("share of certain items")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def four_words(axes: Sequence[Axes], table: pd.DataFrame, x: str, columns: Sequence[str]) -> None:
    """Draw a column of a table into each panel, a line for each of the four words."""
    styles = zip(FOUR.items(), "osD^", (BLUE, VERMILION, GREEN, INK), strict=True)
    for (name, word), marker, colour in styles:
        rows = table[table["word"] == word]
        for panel, column in zip(axes, columns, strict=True):
            style = {"marker": marker, "markersize": 4, "color": colour, "label": name}
            panel.plot(rows[x], rows[column], **style)


def smoothing(table: pd.DataFrame) -> Figure:
    """Draw what depends on the smoothing."""
    figure, three = panels(3, height=3.5)
    four_words(three[:2], table, "smoothing", ["certain_share", "accuracy_1"])
    many = (table["certain_share"] >= 0.8).groupby(table["smoothing"]).sum()
    three[2].plot(many.index, many, "o-", color=INK)
    titles = ("Certain items", "Mean accuracy on sense 1", "Words with 80% certain items")
    for axes, title in zip(three, titles, strict=True):
        axes.set(xscale="log", xlabel="smoothing", title=title)
        axes.axvline(SMOOTHING, color=GREY, linestyle=":", linewidth=0.9)
    three[0].legend()
    return figure


def calibration(table: pd.DataFrame) -> Figure:
    """Draw how many of the certain items are right."""
    drawn = table[table["data"].isin(table[table["method"] == "true parameters"]["data"])]
    figure, (left, right) = panels(2, height=4.0, width=5.55, width_ratios=(2, 1))
    for method in ("true parameters", "authors' EM", "EM from votes"):
        shares = drawn[drawn["method"] == method]["right"].sort_values()
        colour, marker = METHODS[method]
        order = np.arange(1, len(shares) + 1)
        left.plot(order, shares, marker, color=colour, markersize=4, label=method)
    left.set(xlabel="words, in order for each method", ylabel="right among certain items")
    left.set_title("Simulated from the fits of 45 words")
    some = table[table["data"].isin(FOUR.values()) | ~table["data"].isin(drawn["data"])]
    source = some.groupby("data", sort=False)["source"].first()
    for place, (method, (colour, marker)) in enumerate(METHODS.items()):
        rows = some[some["method"] == method]
        x = source.index.get_indexer(rows["data"]) + 0.17 * (place - 1.5)
        right.vlines(x, rows["lower"], rows["upper"], color=colour)
        style = {"color": colour, "markersize": 5}
        right.plot(x, rows["right_if_renamed"], marker, markerfacecolor="white", **style)
        right.plot(x, rows["right"], marker, label=method, **style)
    ticks = [f"{str(n).removeprefix('snow2008_').split('-')[0]}\n{of}" for n, of in source.items()]
    right.set_xticks(range(len(ticks)), ticks, fontsize=7.5)
    right.set_title("Four words, and sets with gold")
    for axes in (left, right):
        axes.axhline(CERTAIN, color=GREY, linestyle="--", linewidth=0.9)
        axes.set_ylim(min(0.35, some["lower"].min() - 0.02), 1.02)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def growth(table: pd.DataFrame) -> Figure:
    """Draw what an item's labels add, the first and the last of them."""
    figure, three = panels(3)
    columns = {
        "certain": "Certain items",
        "same_class_as_all_labels": "Same sense as by all labels",
        "bits_left_by_the_model": "Bits left, by the fitted model",
    }
    four_words(three, table, "labels", list(columns))
    cents = 100 * (table["dollars_an_item"] / table["labels"]).iloc[0]
    for axes, title in zip(three, columns.values(), strict=True):
        axes.set(title=title, xlabel=f"labels per item, {cents:.1f} cents each")
    for axes in three[:2]:
        axes.set_ylim(0, 1.03)
    three[2].set_yscale("log")
    three[0].legend(loc="lower right")
    return figure
