"""The figures: those of the paper, and what it leaves out."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from annobench.labels.annotations import Annotations
from annobench.plotting import (
    BLUE,
    GREEN,
    GREY,
    INK,
    VERMILION,
    graphical_model,
    grouped_bars,
    intervals,
    legend_below,
    mark,
    panels,
)

from .corpus import FOUR, Corpus, Fits
from .groups import PAIRS
from .model import CERTAIN, SMOOTHING, votes
from .posterior import IN_USE, Bayes, Optimum

PALE = "#BBBBBB"
#: Annotators of help that the text names, and the one who fits what else it says.
SHOWN_OF_HELP = (8, 9, 41, 18)
DRAWN_MARK = "Simulated stand-in: trained labels drawn"
PARTS = {"j": "adj", "n": "noun", "v": "verb"}
#: Whose agreement, by the beginning of its columns.
WHOSE = {
    "crowd": "crowd, 95% interval",
    "trained": "trained annotators, printed",
    "public": "trained annotators, public sample, 95% interval",
}
PREVALENCES = {
    "trained": "trained, share of labels",
    "plurality": "crowd, plurality",
    "model": "crowd, model",
}
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


def heat_map(axes: Axes, matrix: np.ndarray, names: Sequence[str], *, rows: bool) -> AxesImage:
    """Draw probabilities by true category and label in grey."""
    image = axes.imshow(matrix, cmap="Greys", vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, fontsize=7.5, rotation=90)
    axes.set_yticks(range(len(names)), names if rows else [], fontsize=7.5)
    axes.tick_params(length=2)
    axes.spines[["top", "right"]].set_visible(True)
    return image


def figure1() -> Figure:
    """Draw Figure 1, the model of Dawid and Skene with Dirichlet priors, in plate notation."""
    nodes = {
        "beta": (0.0, 0.0, r"$\beta$", "prior"),
        "pi": (1.6, 0.0, r"$\pi$", "prevalence"),
        "z": (3.5, 0.0, "$z_i$", "true category"),
        "y": (5.6, 0.0, "$y_n$", "label"),
        "theta": (7.9, 0.0, r"$\theta_{j,k}$", "accuracies, biases"),
        "alpha": (10.2, 0.0, r"$\alpha_k$", "prior"),
    }
    edges = [("beta", "pi"), ("pi", "z"), ("z", "y"), ("theta", "y"), ("alpha", "theta")]
    plates = [
        (2.5, -0.8, 2.0, 1.7, "I items"),
        (4.8, -0.8, 1.6, 1.7, "N labels"),
        (6.7, -1.1, 2.6, 2.2, "J annotators"),
        (6.85, -0.75, 2.2, 1.65, "K categories"),
    ]
    figure, [axes] = panels(1, height=2.3, width=9.0)
    graphical_model(axes, nodes, edges, plates, seen=["y"])
    return figure


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
    table = table.sort_values("trained_alpha", ascending=False)
    figure, both = panels(2, height=11.5, width=4.4)
    for axes, what in zip(both, ("alpha", "agreement"), strict=True):
        sets = {label: table.filter(like=f"{who}_{what}") for who, label in WHOSE.items()}
        for each in sets.values():
            each.columns = pd.Index(["estimate", "lower", "upper"][: each.shape[1]])
        intervals(axes, table["word"].map(short).tolist(), sets)
        axes.grid(axis="y", color="#F0F0F0", linewidth=7, zorder=0)
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
        said = (
            f"r = {row['r']:.2f}, 95% interval {row['lower']:.2f} to {row['upper']:.2f};\n"
            f"beyond \u00b1{row['equivalence_bound']:.2f} excluded at 5%"
        )
        axes.set(xlabel=f"senses used\n{said}", ylim=(0, 1), xticks=range(4, 15, 2))
        axes.set_title({"alpha": "Alpha, printed", "agreement": "Agreement, printed"}[what])
    return figure


def figure4(table: pd.DataFrame, words: Sequence[str]) -> Figure:
    """Draw prevalence of senses by the model and by vote, and by trained labels if known."""
    known = table[table["word"].isin(words)].notna().any()
    down = math.ceil(len(words) / 2)
    figure, grid = panels(2, rows=down, height=2.2 * down + 0.4, width=5)
    for axes in grid[len(words) :]:
        axes.remove()
    for axes, word in zip(grid, words, strict=False):
        rows = table[table["word"] == word]
        bars = {label: rows[column] for column, label in PREVALENCES.items() if known[column]}
        grouped_bars(axes, named(rows["sense"]), bars)
        axes.set_title(short(word))
    figure.supylabel("prevalence", fontsize=9.5)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def figure5(table: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Draw Figure 5, a table: certain items of four words by sense, printed and computed."""
    counts = printed.set_index("word_sense")["count"]
    figure, grid = panels(2, rows=2, height=5.2, width=5)
    for axes, (name, word) in zip(grid, FOUR.items(), strict=True):
        rows = table[table["word"] == word].replace({"sense": {"not certain": "rest"}})
        bars = {"printed": counts.reindex(f"{name}/" + rows["sense"])}
        bars |= {"authors' start": rows["authors"], "best optimum found": rows["best_optimum"]}
        grouped_bars(axes, named(rows["sense"]), bars)
        axes.set(title=short(word), ylabel="items", xlabel="sense")
    legend_below(figure, axes)
    return figure


def certain(optima: pd.DataFrame) -> Figure:
    """Draw the share of certain items of each word at two optima."""
    table = optima.sort_values("certain_authors", ascending=False)
    figure, [axes] = panels(1, height=8.6, width=7.4)
    axes.axvline(0.8, color=GREY, linestyle="--", linewidth=0.9)
    ends = table["certain_least"], table["certain_most"]
    axes.hlines(range(len(table)), *ends, color=PALE, linewidth=3, label="all optima found")
    starts = {"authors' start": "certain_authors", "best optimum found": "certain_best"}
    sets = {label: table[[name]].set_axis(["estimate"], axis=1) for label, name in starts.items()}
    intervals(axes, table["word"].map(short).tolist(), sets)
    axes.set(xlabel="share of items with a sense of at least .99", xlim=(None, 1.01))
    legend_below(figure, axes)
    return figure


def figure6(corpus: Corpus, fits: Fits) -> Figure:
    """Draw confusion matrices of four annotators of add and of help."""
    done = np.bincount(corpus.words[FOUR["add"]].annotator)
    most = np.sort(np.argsort(-done, kind="stable")[:4]) + 1
    figure, grid = panels(4, rows=2, height=6.0, width=2.6)
    shown = [("add", person) for person in most] + [("help", person) for person in SHOWN_OF_HELP]
    for n, (axes, (word, person)) in enumerate(zip(grid, shown, strict=True)):
        fit, first = fits[FOUR[word]], n % 4 == 0
        j = min(person, len(fit.annotators)) - 1
        image = heat_map(axes, fit.confusion[j], named(fit.categories), rows=first)
        axes.set_title(f"{word}, annotator {person}")
        if first:
            axes.set_ylabel("inferred sense")
        if word == "help":
            axes.set_xlabel("label given")
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
    """Draw histograms of mutual information of the annotators of four words, and of nine words.

    Trained annotators are in the top row, as in the paper, if their labels are available.
    """
    of_four = table[table["word"].isin(FOUR.values())]
    groups = [who for who in ("trained", "crowd") if who in set(of_four["annotators"])]
    down = len(groups)
    figure, grid = panels(4, rows=down + 1, height=2.6 * (down + 1), width=2.775)
    for row, who in enumerate(groups):
        for axes, (name, word) in zip(grid[4 * row :], sorted(FOUR.items()), strict=False):
            rows = of_four[(of_four["word"] == word) & (of_four["annotators"] == who)]
            axes.hist(rows["bits"], np.arange(0, 2.6, 0.25), color=BLUE, edgecolor="white")
            for entropy in rows["entropy"].head(1):
                axes.axvline(entropy, color=INK, linestyle="--", linewidth=0.9)
            axes.set(title=f"{name}, {who}", xlim=(0, 2.75), xlabel="bits")
        grid[4 * row].set_ylabel("annotators")
    place = grid[4 * down].get_gridspec()[down, :]
    for axes in grid[4 * down :]:
        axes.remove()
    of_nine = table[~table["word"].isin(FOUR.values())]
    nine_words(figure.add_subplot(place), of_nine[of_nine["labels"] >= 50])
    return figure


def nine_words(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the mutual information of each annotator of the words with trained labels."""
    words = sorted(table[table["annotators"] == "trained"]["word"].unique())
    styles = {"crowd": (BLUE, "o"), "crowd, as few": (GREEN, "s"), "trained": (VERMILION, "D")}
    for place, (who, (colour, marker)) in enumerate(styles.items()):
        rows = table[(table["annotators"] == who) & table["word"].isin(words)].sort_values("bits")
        rank = rows.groupby("word")["bits"].rank(method="first", pct=True)
        x = pd.Index(words).get_indexer(rows["word"]) + 0.26 * rank + 0.3 * place - 0.45
        axes.vlines(x, rows["lower"], rows["upper"], color=colour, linewidth=0.6)
        axes.plot(x, rows["bits"], marker, color=colour, markersize=3, label=who)
    axes.set_xticks(range(len(words)), [short(w) for w in words])
    axes.set(ylabel="bits", title="Nine words with public trained labels", ylim=(0, 3.3))
    axes.legend(loc="upper left", ncols=3)


def optima(table: pd.DataFrame) -> Figure:
    """Draw the gain of the best optimum, and how many items it leaves certain."""
    figure, (left, right) = panels(2, height=3.9)
    gain = table["gain"].sort_values(ignore_index=True).clip(lower=0.1)
    left.plot(gain, np.arange(1, len(gain) + 1), "o", color=BLUE, markersize=4)
    left.set(xscale="log", xlabel="log posterior above the authors'")
    left.set(ylabel="words, in order", title="A better optimum")
    right.plot([0.45, 1], [0.45, 1], color=GREY, linestyle="--", linewidth=0.9)
    at = table["certain_authors"], table["certain_best"]
    right.plot(*at, "o", color=BLUE, markersize=4, alpha=0.8)
    right.set(xlabel="authors' optimum", ylabel="best optimum found")
    right.set(title="Share of certain items", aspect="equal")
    return figure


def classes(corpus: Corpus, fits: Fits, best: Mapping[str, Optimum], table: pd.DataFrame) -> Figure:
    """Draw the meaning of classes: labels of the items of each class of help, and all words."""
    word, share = FOUR["help"], votes(corpus.words[FOUR["help"]])
    figure, (*left, axes) = panels(3, height=4.2)
    both = {"authors' optimum": fits[word], "best optimum": best[word].best}
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
        values = table[[f"plurality_authors{column}", f"plurality_best{column}"]].to_numpy()
        x = np.broadcast_to([offset, 1 + offset], values.shape)
        style = {"color": colour, "markersize": 3.5, "alpha": 0.6, "markerfacecolor": "white"}
        axes.plot(x.ravel(), values.ravel(), marker, label=label, **style)
    axes.set_xticks([0, 1], list(both))
    axes.set(xlim=(-0.4, 1.4), ylim=(0, 1), title="Items that agree with plurality")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1))
    return figure


def bayes(found: Mapping[str, Bayes]) -> Figure:
    """Draw likelihood and certain items of each chain of full Bayes."""
    figure, four = panels(4, height=3.8, width=2.3)
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
    for method, shares in drawn[drawn["method"] != "full Bayes"].groupby("method")["right"]:
        colour, marker = METHODS[method]
        order = np.arange(1, len(shares) + 1)
        left.plot(order, shares.sort_values(), marker, color=colour, markersize=4)
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
    right.set_xticks(range(len(ticks)), ticks, fontsize=7.5, rotation=35, ha="right")
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
