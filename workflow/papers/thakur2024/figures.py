"""Draw the paper's Figures 1 to 4 and 16 from the public verdicts, and what surrounds them."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, legend_below, panels

from .values import Judged

TAKERS = {
    "llama2-7b-base": "Llama-2 7B base",
    "llama2-13b-base": "Llama-2 13B base",
    "llama2-70b-base": "Llama-2 70B base",
    "llama2-7b-chat": "Llama-2 7B chat",
    "llama2-13b-chat": "Llama-2 13B chat",
    "llama2-70b-chat": "Llama-2 70B chat",
    "mistral-7B": "Mistral 7B base",
    "mistral-7b-chat": "Mistral 7B instruct",
    "gpt-4t": "GPT-4 Turbo",
}
NAMES = {
    "Llama-7B": "Llama-2 7B",
    "Llama-13B": "Llama-2 13B",
    "Llama-70B": "Llama-2 70B",
    "Llama3-8B": "Llama-3 8B",
    "Llama3-70B": "Llama-3 70B",
    "Mistral-7B": "Mistral 7B",
    "Gemma-2B": "Gemma 2B",
}
FILES = {"v1": ("first file", BLUE, "o"), "v2": ("second file", VERMILION, "s")}


def _name(judge: str) -> str:
    return NAMES.get(judge, judge)


def _of_first(judges: pd.DataFrame) -> pd.DataFrame:
    return judges[judges["file"] == "v1"].sort_values("scott_pi").reset_index(drop=True)


def figure1(takers: pd.DataFrame, judges: pd.DataFrame) -> Figure:
    """Draw the scores by exam-taker, and pi with percent agreement by judge."""
    figure, (left, right) = panels(2, height=4.6, width=4.6)
    order = _of_first(judges)
    scores = takers[takers["file"] == "v1"]
    human = scores.drop_duplicates("exam_taker").set_index("exam_taker")["gold_score"]
    ranked = human.sort_values().index
    place = np.arange(len(ranked))
    for judge in order["judge"]:
        own = scores[scores["judge"] == judge].set_index("exam_taker").loc[ranked]
        strict = judge in ("EM", "Contains")
        look = {"color": VERMILION if strict else GREY, "linewidth": 1.2}
        left.plot(place, 100 * own["judge_score"], "--" if judge == "EM" else "-", **look)
    left.plot([], [], color=GREY, label="language models")
    left.plot([], [], color=VERMILION, label="Contains")
    left.plot([], [], "--", color=VERMILION, label="exact match")
    left.plot(place, 100 * human[ranked], "o-", color=INK, label="human")
    left.set_xticks(place, [TAKERS[name] for name in ranked], rotation=60, ha="right", fontsize=8)
    left.set(ylabel="answers called correct (%)", ylim=(0, 102), title="(a) Scores")
    x = np.arange(len(order))
    right.bar(x, 100 * order["scott_pi"], color=VERMILION, width=0.65, label="Scott's pi")
    right.errorbar(
        x, 100 * order["scott_pi"], 100 * order["sd_of_pi"], fmt="none", color=INK, linewidth=0.9
    )
    right.plot(x, 100 * order["agreement"], "o-", color=BLUE, label="percent agreement")
    right.set_xticks(x, [_name(j) for j in order["judge"]], rotation=60, ha="right", fontsize=8)
    right.set(ylim=(-12, 102), title="(b) Alignment with the human")
    right.axhline(0, color=INK, linewidth=0.8)
    legend_below(figure, left, right)
    return figure


def figure2(judges: pd.DataFrame, takers: pd.DataFrame) -> Figure:
    """Draw how far scores are off by pi and by percent agreement, a mark an exam-taker."""
    figure, axes = panels(2, height=3.9, width=4.4)
    for place, measure, label in (
        (axes[0], "scott_pi", "Scott's pi, mean over exam-takers"),
        (axes[1], "agreement", "percent agreement, mean over exam-takers"),
    ):
        for file, (name, colour, marker) in FILES.items():
            own = takers[takers["file"] == file].merge(
                judges.loc[judges["file"] == file, ["judge", measure]],
                on="judge",
                suffixes=("", "_mean"),
            )
            place.plot(
                100 * own[f"{measure}_mean"],
                100 * own["score_difference"],
                marker,
                color=colour,
                mfc="none",
                markersize=4.5,
                label=name,
            )
        place.axhspan(-5, 5, color=GREY, alpha=0.2, linewidth=0)
        place.axhline(0, color=INK, linewidth=0.8)
        place.set_xlabel(label)
    axes[0].set_ylabel("judge's score minus the human's (points)")
    legend_below(figure, axes[0])
    return figure


def figure3(judged: Judged) -> Figure:
    """Draw ranks of exam-takers, and the four outcomes of each judge."""
    figure, (left, right) = panels(2, height=4.8, width=4.6)
    found = judged.found
    order = sorted(found, key=lambda name: -found[name].mean("scott_pi"))
    shown = [
        name for name in order if name in ("Contains", "GPT-4", "Mistral-7B", "EM", "Gemma-2B")
    ]
    columns = ["human", *shown]
    first = found[order[0]].by_group.set_index("group")["gold_score"]
    scores = {"human": first} | {
        n: found[n].by_group.set_index("group")["judge_score"] for n in shown
    }
    ranks = pd.DataFrame(scores).rank(ascending=False)
    for k, taker in enumerate(ranks.sort_values("human").index):
        colour = (INK, BLUE, VERMILION, GREEN, GREY)[k % 5]
        line = "-" if k < 5 else "--"
        left.plot(
            range(len(columns)), ranks.loc[taker, columns], f"o{line}", color=colour, markersize=4
        )
        left.text(
            -0.15,
            ranks.loc[taker, "human"],
            TAKERS[str(taker)],
            ha="right",
            va="center",
            fontsize=8,
        )
    left.set_xticks(
        range(len(columns)), [_name(c) for c in columns], rotation=60, ha="right", fontsize=8
    )
    left.set(title="(a) Rankings", xlim=(-2.2, len(columns) - 0.6), yticks=[])
    left.invert_yaxis()
    left.spines["left"].set_visible(False)
    y = np.arange(len(order))
    start = np.zeros(len(order))
    for cell, name, colour in (
        ("tp", "true positive", BLUE),
        ("tn", "true negative", GREEN),
        ("fn", "false negative", GREY),
        ("fp", "false positive", VERMILION),
    ):
        width = np.array([judged.errors(judged.judges[judge])[cell] for judge in order])
        right.barh(y, width, left=start, color=colour, height=0.7, label=name)
        start = start + width
    right.set_yticks(y, [_name(judge) for judge in order], fontsize=8)
    right.invert_yaxis()
    right.set(title="(b) Outcomes", xlabel="share of answers (%)", xlim=(0, 100))
    legend_below(figure, right)
    return figure


def figure4(judges: pd.DataFrame) -> Figure:
    """Draw recall and precision by pi."""
    figure, axes = panels(2, height=3.6, width=4.2)
    for place, column, title in (
        (axes[0], "sensitivity", "Recall"),
        (axes[1], "precision", "Precision"),
    ):
        for file, (name, colour, marker) in FILES.items():
            own = judges[judges["file"] == file]
            place.plot(own["scott_pi"], own[column], marker, color=colour, mfc="none", label=name)
        place.set(title=title, xlabel="Scott's pi, mean over exam-takers", ylim=(None, 1.02))
    legend_below(figure, axes[0])
    return figure


def figure16(judges: pd.DataFrame) -> Figure:
    """Draw Youden's index, which is P_c, by pi, and leniency, which is P_+."""
    figure, axes = panels(2, height=3.9, width=4.2)
    for file, (name, colour, marker) in FILES.items():
        own = judges[judges["file"] == file]
        axes[0].vlines(own["scott_pi"], own["youden_lower"], own["youden_upper"], color=colour)
        axes[0].plot(own["scott_pi"], own["youden"], marker, color=colour, mfc="white", label=name)
        axes[1].plot(own["scott_pi"], own["leniency"], marker, color=colour, mfc="none")
    axes[0].axline((0.5, 0.5), slope=1, color=GREY, linestyle=":")
    axes[0].set(title="P_c, or Youden's index", xlabel="Scott's pi, mean over exam-takers")
    axes[1].axhline(0.5, color=GREY, linestyle=":")
    axes[1].set(title="P_+, leniency", xlabel="Scott's pi, mean over exam-takers", ylim=(0, 1.03))
    legend_below(figure, axes[0])
    return figure


def intervals(judges: pd.DataFrame) -> Figure:
    """Draw pi, kappa and the rank correlation with intervals."""
    figure, axes = panels(2, height=4.8, width=4.4)
    order = _of_first(judges)["judge"][::-1].reset_index(drop=True)
    y = pd.Series(np.arange(len(order)), index=order)
    for place, measure, label in (
        (axes[0], "scott_pi", "Scott's pi, mean over exam-takers"),
        (axes[1], "rank_correlation", "rank correlation of exam-takers"),
    ):
        for (file, (name, colour, marker)), shift in zip(FILES.items(), (-0.15, 0.15), strict=True):
            own = judges[judges["file"] == file]
            at = y[own["judge"]].to_numpy() + shift
            place.hlines(at, own[f"{measure}_lower"], own[f"{measure}_upper"], color=colour)
            place.plot(own[measure], at, marker, color=colour, markersize=5, label=name)
            if measure == "scott_pi":
                label_of = "Cohen's kappa" if file == "v2" else None
                place.plot(own["cohen_kappa"], at, "|", color=INK, markersize=9, label=label_of)
        place.set_yticks(y, [_name(judge) for judge in order], fontsize=8)
        place.invert_yaxis()
        place.set_xlabel(f"{label}, 95% interval")
    axes[1].set_yticklabels([])
    legend_below(figure, axes[0])
    return figure


def odd(table: pd.DataFrame) -> Figure:
    """Draw how each judge's verdicts go with those of the other judges, by exam-taker."""
    figure, (axes,) = panels(1, height=4.0, width=7.0)
    takers = list(dict.fromkeys(table["exam_taker"]))
    for x, taker in enumerate(takers):
        own = table[table["exam_taker"] == taker]
        models = own[~own["judge"].isin(["EM", "Contains", "GPT-4"])]
        axes.plot(
            np.full(len(models), x),
            models["median_phi_with_judges"],
            "o",
            color=GREY,
            mfc="none",
            label="other language models" if x == 0 else None,
        )
        gpt4 = own[own["judge"] == "GPT-4"]
        axes.plot(
            [x],
            gpt4["median_phi_with_judges"],
            "D",
            color=VERMILION,
            label="GPT-4" if x == 0 else None,
        )
    axes.set_xticks(range(len(takers)), [TAKERS[name] for name in takers], rotation=35, ha="right")
    axes.set_ylabel("median correlation with the other judges")
    axes.axhline(0, color=INK, linewidth=0.8)
    legend_below(figure, axes)
    return figure


def corrected(table: pd.DataFrame) -> Figure:
    """Draw the error of estimated scores, by judge and method, with a few checked answers."""
    figure, (axes,) = panels(1, height=4.2, width=7.0)
    mean = table.groupby(["judge", "method"], sort=False)["rms_error"].mean().unstack()
    order = mean["judge alone"].sort_values().index
    y = np.arange(len(order))
    for method, colour, marker in (
        ("judge alone", VERMILION, "o"),
        ("human alone", INK, "|"),
        ("joint model", BLUE, "s"),
        ("PPI++", GREEN, "^"),
    ):
        axes.plot(
            100 * mean.loc[order, method], y, marker, color=colour, markersize=7, label=method
        )
    axes.set_yticks(y, [_name(judge) for judge in order])
    axes.invert_yaxis()
    axes.set_xlabel("root mean square error of an exam-taker's score (points)")
    legend_below(figure, axes)
    return figure
