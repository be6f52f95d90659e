"""The figures of Volk, Marek and Samuelsson (2008)."""

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench import plotting
from annobench.alignment.links import UNIVERSES, Alignments
from annobench.plotting import BLUE, GREY, INK, VERMILION, panels
from annobench.simulation.alignments import GOLD

from .printed import PARTS, SIDES, Printed
from .simulate import Group, Simulation

PALE = "#A6C8DD"
HATCHED = {"color": "white", "hatch": "////", "edgecolor": VERMILION}
SMALL = {"va": "center", "fontsize": 8.5}


def gold(table: pd.DataFrame, nodes: pd.DataFrame) -> Figure:
    """Draw the first table, and how many links the nodes have."""
    figure, (left, right) = panels(height=3.1)
    rows = table[table["kind"] != "both"].reset_index(drop=True)
    names = [f"{PARTS[part]}\n{kind}s" for part, kind in rows[["part", "kind"]].to_numpy()]
    left.barh(names, rows["exact"], color=BLUE, label="exact", height=0.62)
    left.barh(names, rows["fuzzy"], left=rows["exact"], label="fuzzy", height=0.62, **HATCHED)
    for y, row in rows.iterrows():
        text = f"{row['exact']} + {row['fuzzy']} = {row['total']}"
        left.text(row["total"] + 3, y, text, **SMALL)
    left.set(xlim=(0, 262), xlabel="links", title="Kind and strength")
    left.invert_yaxis()
    left.legend(loc="lower right")
    sides = list(itertools.product(PARTS, SIDES))
    counts = nodes.pivot_table("nodes", ["part", "side"], "links", fill_value=0).loc[sides]
    start = counts.cumsum(axis=1) - counts
    labels = [f"{PARTS[part]}\n{side.capitalize()}" for part, side in sides]
    for links, colour, hatch in ((1, PALE, ""), (2, BLUE, ""), (3, VERMILION, "xxx")):
        look = {"color": colour, "hatch": hatch, "edgecolor": "white", "height": 0.62}
        right.barh(labels, counts[links], left=start[links], label=f"1:{links}", **look)
    for y, key in enumerate(sides):
        text = " + ".join(f"{int(n)}" for n in counts.loc[key] if n)
        right.text(counts.loc[key].sum() + 3, y, text, **SMALL)
    right.set(xlim=(0, 345), xlabel="nodes with a link", title="Links of a node")
    right.invert_yaxis()
    right.legend(loc="upper right", bbox_to_anchor=(1.0, 0.86))
    return figure


def students(printed: Printed, table: pd.DataFrame) -> Figure:
    """Draw where the eight can lie in the plane of own links and overlap."""
    figure, both = panels(height=3.9)
    for axes, (part, title) in zip(both, PARTS.items(), strict=True):
        row, n_gold = printed.students.loc[part], printed.n_gold(part)
        width = 1.25 * row["max_own"]
        own = np.linspace(0, width, 200)
        for score in (0.5, 0.6, 0.7, 0.8, 0.9):
            recall = score * (own + n_gold) / (2 - score) / n_gold
            axes.plot(own, 100 * recall, color="#DDDDDD", linewidth=0.8, zorder=1)
            if recall[-1] < 1:
                style = {"fontsize": 7.5, "ha": "right", "va": "center", "color": GREY}
                axes.text(width, 100 * recall[-1], f"F {score:g}", **style)
        edge = 100 * (row["max_links"] - own) / n_gold
        inside = (own >= row["min_own"]) & (own <= row["max_own"])
        ends = row["min_overlap"], np.minimum(row["max_overlap"], edge)[inside]
        axes.fill_between(own[inside], *ends, color="#D8E8F2", label="printed ranges", zorder=2)
        line = {"color": INK, "linestyle": "--", "linewidth": 1, "zorder": 3}
        axes.plot(own, edge, label="most links that a student drew", **line)
        spots = table[(table["part"] == part) & ~table["excluded"]]
        overlap = 100 * spots["shared_links"] / n_gold
        look = {"color": VERMILION, "markersize": 5, "fillstyle": "none", "zorder": 4}
        axes.plot(spots["own_links"], overlap, "o", label="simulated students", **look)
        axes.set(xlabel="own links, not in the gold standard", xlim=(0, width), ylim=(30, 100))
        axes.set(ylabel="overlap with the gold standard (percent)")
        axes.set_title(f"{title} ({n_gold} links)\nmost drawn: {int(row['max_links'])}")
    plotting.legend_below(figure, both[0])
    return figure


def union(printed: Printed, unions: pd.DataFrame) -> Figure:
    """Draw the union beside the largest student and the gold standard."""
    table = unions.query("union_is == 'as printed'").set_index("part")
    figure, both = panels(height=2.9)
    names = ["union of the eight", "gold standard", "largest student", "smallest of twelve"]
    for axes, (part, title) in zip(both, PARTS.items(), strict=True):
        row, smallest = table.loc[part], printed.students.loc[part, "min_links"]
        widths = [row["union"], row["gold"], row["largest"], smallest]
        axes.barh(names, widths, color=[BLUE, PALE, PALE, "#DDDDDD"], height=0.6)
        axes.text(5, 0, f"{row['union']:g}", color="white", **SMALL)
        shade = {"color": VERMILION, "alpha": 0.35, "linewidth": 0}
        for y, of, label in ((1, "gold", "40% to 50% more"), (2, "largest", None)):
            axes.text(5, y, f"{row[of]:g}   union {row[f'over_{of}_percent']:+.1f}%", **SMALL)
            ends = 1.4 * row[of], 1.5 * row[of]
            axes.fill_betweenx([y - 0.3, y + 0.3], *ends, label=label, **shade)
        axes.text(smallest + 4, 3, f"{smallest:g}", **SMALL)
        axes.axvline(row["union"], color=BLUE, linewidth=1, linestyle=":")
        axes.set(title=title, xlabel="links", xlim=(0, 1.12 * row["union"]))
        axes.invert_yaxis()
    both[1].legend(loc="lower right", bbox_to_anchor=(0.85, 0.02))
    both[1].set_yticklabels([])
    return figure


def strengths(table: pd.DataFrame, gold: pd.DataFrame) -> Figure:
    """Draw the second table as the three parts of the union, beside the gold standard's shares."""
    of_students = table.set_index("part")[["only_exact", "both", "only_fuzzy"]]
    of_gold = gold[gold["kind"] == "both"].set_index("part")[["exact", "fuzzy"]]
    of_gold.insert(1, "both", 0)
    figure, (axes,) = panels(1, height=2.7)
    figure.set_size_inches(6.6, 2.7)
    bars = {
        f"{title}: {name}": counts.loc[part].to_numpy()
        for part, title in PARTS.items()
        for name, counts in (("students", of_students), ("gold", of_gold))
    }
    plain, boxed = {"edgecolor": "white"}, {"facecolor": "white", "edgecolor": "none", "pad": 1}
    looks = {
        "exact only": (plain | {"color": BLUE}, {"color": "white"}),
        "exact by some, fuzzy by others": (plain | {"color": PALE}, {"color": INK}),
        "fuzzy only": (HATCHED, {"color": INK, "bbox": boxed}),
    }
    for y, counts in enumerate(bars.values()):
        shares = 100 * counts / counts.sum()
        start = 0.0
        for share, count, (label, (bar, text)) in zip(shares, counts, looks.items(), strict=True):
            name = None if y else label
            axes.barh(y, share, left=start, height=0.62, label=name, **bar)
            if share > 4:
                axes.text(start + share / 2, y, f"{count:g}", ha="center", **SMALL | text)
            start += share
    plotting.names_down(axes, list(bars))
    axes.set(xlabel="percent of links", xlim=(0, 100))
    axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=3)
    return figure


def support(simulation: Simulation) -> Figure:
    """Draw by how many of the eight students a link is drawn, in the gold standard and outside."""
    figure, both = panels(height=3.4)
    number = np.arange(9)
    for axes, (part, title) in zip(both, PARTS.items(), strict=True):
        group = simulation.groups[part]
        gold, own = drawn_by(simulation.links[part], group)
        axes.bar(number, gold, color=BLUE, width=0.7, label="gold standard")
        axes.bar(number, own, bottom=gold, width=0.7, label="not in it", **HATCHED)
        gold, _ = drawn_by(simulation.independent[part], group)
        look = {"color": INK, "markersize": 4, "linewidth": 1, "fillstyle": "none"}
        axes.plot(number, gold, "o--", label="gold standard, if independent", **look)
        axes.set(title=f"{title}, simulated", xlabel="students who drew the link")
        axes.set(ylabel="links", xticks=number)
    both[1].set_ylim(0, 1.3 * both[1].get_ylim()[1])
    both[1].legend(loc="upper left")
    return figure


def drawn_by(links: Alignments, group: Group) -> tuple[np.ndarray, np.ndarray]:
    """Count links by how many of the eight drew them: in the gold standard, and outside."""
    drawn = links.of_annotators([*group.eight, GOLD]).drawn > 0
    n_students, in_gold = drawn[:, :-1].sum(axis=1), drawn[:, -1]
    inside, outside = (np.bincount(n_students[part], minlength=9) for part in (in_gold, ~in_gold))
    return inside, outside


def agreement(table: pd.DataFrame) -> Figure:
    """Draw alpha and specific agreement of the eight against the number of candidate links."""
    eight = table[(table["students"] == "eight") & table["universe"].isin(UNIVERSES)]
    styles = {
        "specific_agreement": (0.96, "s", BLUE, BLUE, "positive specific agreement"),
        "krippendorff_alpha": (1.04, "o", VERMILION, "none", "Krippendorff's alpha"),
    }
    names = {"drawn": "drawn by\nsomebody", "kind": "of one\nkind", "nodes": "all\nnodes"}
    figure, both = panels(height=3.4)
    for axes, (part, title) in zip(both, PARTS.items(), strict=True):
        for name, (shift, marker, colour, face, label) in styles.items():
            rows = eight[(eight["part"] == part) & (eight["coefficient"] == name)]
            x = rows["candidates"] * shift
            axes.vlines(x, rows["lower"], rows["upper"], color=colour, linewidth=1.4)
            look = {"color": colour, "markerfacecolor": face, "markersize": 5}
            axes.plot(x, rows["estimate"], marker, label=label, **look)
        for row in rows.itertuples():
            # Two of the three are close to each other.
            y = 0.14 if row.universe == "kind" else 0.03
            axes.text(row.candidates, y, names[row.universe], ha="center", fontsize=7.5)
        axes.set(xscale="log", title=f"{title}, simulated", ylim=(0, 1), xlim=(100, 3e4))
        axes.set_xlabel("links that could be drawn (log scale)")
        axes.set_ylabel("agreement and 95% interval")
    both[0].legend(loc="lower right", bbox_to_anchor=(1.0, 0.2))
    return figure


def tree_pair(links: Alignments, group: Group) -> Figure:
    """Draw one sentence pair, the width of a line by the number of students (section 6)."""
    chosen = links.of_annotators([*group.eight, GOLD])
    pair = chosen.pairs[pair_to_show(chosen)]
    sides = [list(nodes) for nodes in (pair.source, pair.target)]
    lines = []
    for link, (*row, gold) in zip(chosen.links, chosen.drawn, strict=True):
        if link.pair == pair.name:
            place = sides[0].index(link.source), sides[1].index(link.target)
            marks = Counter(row)
            lines.append((*place, marks[1] + marks[2], bool(gold), marks[2] > marks[1]))
    styles = {
        "drawn by 8": {"linewidth": 6.2},
        "by 2": {"linewidth": 2.0},
        "by nobody": {"linewidth": 0.8, "linestyle": ":"},
        "mostly fuzzy": {"linewidth": 2.0, "linestyle": (0, (2, 1))},
        "not in the gold standard": {"linewidth": 2.0, "color": VERMILION},
    }
    figure, (axes,) = panels(1, height=3.6)
    figure.set_size_inches(7.4, 3.6)
    source, target = ([kind == "word" for kind in n.values()] for n in (pair.source, pair.target))
    aligned_pair(axes, source, target, lines)
    for label, style in styles.items():
        axes.plot([], [], label=label, **({"color": BLUE} | style))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=5)
    axes.set_xlim(-3.2, max(pair.n_nodes))
    axes.set_title("One simulated sentence pair")
    return figure


def pair_to_show(links: Alignments) -> int:
    """Choose the pair with most own links."""
    own = links.pair[links.drawn[:, -1] == 0]
    return Counter(own.tolist()).most_common(1)[0][0]


def aligned_pair(
    axes: Axes,
    source: Sequence[bool],
    target: Sequence[bool],
    links: Sequence[tuple[int, int, int, bool, bool]],
) -> None:
    """Draw the links between two sentences, lines as wide as students are many.

    Of each node it is given whether it is a word (a dot) or a phrase (a square); of each link its
    nodes, how many drew it, whether the gold standard has it, and whether most call it fuzzy.
    """
    for first, second, n, in_gold, fuzzy in links:
        axes.plot(
            [first, second],
            [1, 0],
            color=BLUE if in_gold else VERMILION,
            alpha=0.75,
            linewidth=0.6 + 0.7 * n,
            solid_capstyle="butt",
            linestyle=(0, (2, 1)) if fuzzy else ":" if n == 0 else "-",
        )
    for y, nodes, name in ((1, source, "German"), (0, target, "English")):
        for x, word in enumerate(nodes):
            axes.plot(
                x,
                y,
                "o" if word else "s",
                color=INK,
                markersize=5,
                markerfacecolor=INK if word else "white",
            )
        axes.text(-0.8, y, name, ha="right", va="center", parse_math=False)
    axes.set(ylim=(-0.12, 1.12))
    axes.set_axis_off()
