"""Draw gains with intervals, who wrote the responses, the number of answers, and readings."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, legend_below, panels

PROMPTS = {
    "geval": "auto CoT, score only",
    "geval_no_auto_cot": "score only",
    "llm_eval_no_cot": "free text",
    "rate_explain": "rate-explain",
    "analyze_rate": "analyze-rate",
    "rate_explain_auto_cot": "auto CoT, rate-explain",
    "analyze_rate_auto_cot": "auto CoT, analyze-rate",
    "both with reasons": "rate-explain and analyze-rate",
}
COLOURS = {
    "geval": GREY,
    "geval_no_auto_cot": INK,
    "llm_eval_no_cot": GREEN,
    "rate_explain": BLUE,
    "analyze_rate": VERMILION,
}


def _places(height: float) -> tuple[Figure, list[Axes]]:
    figure, axes = panels(2, rows=2, height=height, width=4.2)
    return figure, list(axes)


def _line(axes: Axes, table: pd.DataFrame, names: tuple[str, str, str], **look: Any) -> None:
    """Draw estimates with intervals; `names` are the columns."""
    y = np.arange(len(table)) + look.pop("shift")
    axes.hlines(y, table[names[1]], table[names[2]], color=look["color"], linewidth=1.4)
    axes.plot(table[names[0]], y, linestyle="", markersize=5, **look)


def gains(table: pd.DataFrame) -> Figure:
    """Draw what each change of the prompt adds to the correlation, a panel an attribute."""
    figure, axes = _places(6.4)
    for place, (name, own) in zip(axes, table.groupby("attribute", sort=False), strict=True):
        for shift, colour, marker, measure, label in (
            (-0.17, BLUE, "o", "r", "Pearson's r, all responses"),
            (0.17, VERMILION, "s", "tau", "Kendall's tau, within dialogues"),
        ):
            columns = measure, f"{measure}_lower", f"{measure}_upper"
            _line(place, own, columns, shift=shift, color=colour, marker=marker, label=label)
        place.axvline(0, color=INK, linewidth=0.8)
        place.set_yticks(np.arange(len(own)), own["comparison"], fontsize=8)
        place.set_title(str(name).capitalize(), fontsize=10)
        place.invert_yaxis()
    for place in axes[1::2]:
        place.set_yticklabels([])
    for place in axes[2:]:
        place.set_xlabel("gain, with 95% interval")
    legend_below(figure, axes[0])
    return figure


def writers(table: pd.DataFrame) -> Figure:
    """Draw the correlation over all responses and over generated ones alone."""
    figure, axes = _places(5.6)
    for place, (name, own) in zip(axes, table.groupby("attribute", sort=False), strict=True):
        for shift, colour, marker, kept in (
            (-0.17, INK, "o", "all"),
            (0.17, VERMILION, "s", "generated"),
        ):
            part = own[own["responses"] == kept]
            label = "all responses" if kept == "all" else "the four generated ones"
            _line(
                place,
                part,
                ("r", "lower", "upper"),
                shift=shift,
                color=colour,
                marker=marker,
                label=label,
            )
        known = own["r_of_who_wrote_it"].iloc[0]
        place.axvline(
            known,
            color=GREEN,
            linestyle="--",
            label="a judge that only knows whether people wrote it",
        )
        prompts = own.loc[own["responses"] == "all", "prompt"]
        place.set_yticks(np.arange(len(prompts)), [PROMPTS[p] for p in prompts], fontsize=8)
        place.set_title(str(name).capitalize(), fontsize=10)
        place.set_xlim(-0.15, 0.85)
        place.invert_yaxis()
    for place in axes[1::2]:
        place.set_yticklabels([])
    for place in axes[2:]:
        place.set_xlabel("Pearson's r, with 95% interval")
    legend_below(figure, axes[0])
    return figure


def answers(table: pd.DataFrame) -> Figure:
    """Draw the correlation by the number of answers averaged."""
    figure, axes = _places(5.6)
    for place, (name, own) in zip(axes, table.groupby("attribute", sort=False), strict=True):
        for prompt, colour in COLOURS.items():
            part = own[own["prompt"] == prompt]
            place.plot(
                part["answers"], part["r"], "o-", color=colour, markersize=4, label=PROMPTS[prompt]
            )
        both = own[own["prompt"] == "both with reasons"]
        place.plot(
            both["answers"],
            both["r"],
            "D--",
            color=GREEN,
            mfc="white",
            markersize=4,
            label=PROMPTS["both with reasons"],
        )
        place.set_xscale("log")
        place.set_xticks(sorted(own["answers"].unique()), sorted(own["answers"].unique()))
        place.minorticks_off()
        place.set_title(str(name).capitalize(), fontsize=10)
    for place in axes[2:]:
        place.set_xlabel("answers averaged")
    for place in axes[::2]:
        place.set_ylabel("Pearson's r")
    legend_below(figure, axes[0])
    return figure


def readings(table: pd.DataFrame) -> Figure:
    """Draw how many printed values each reading of the answers gives."""
    figure, (axes,) = panels(1, height=3.4, width=7.0)
    words = {"left out": "left out", "0": "counts as 0"}
    names = {
        "digit": "first digit",
        "decimal": "first number, one decimal",
        "last": "last number",
        "within the scale": "first number, if on the scale",
    }
    y = np.arange(len(table))
    axes.barh(y, table["share"], color=BLUE, height=0.6, label="printed values")
    axes.plot(
        table["share_by_chance"], y, "D", color=VERMILION, label="the same values, each shifted"
    )
    labels = [
        f"{names[number]}; no number: {words[unread]}"
        for number, unread in zip(table["number"], table["without a number"], strict=True)
    ]
    axes.set_yticks(y, labels, fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="share that the reading gives to the last digit", xlim=(0, 1))
    legend_below(figure, axes)
    return figure
