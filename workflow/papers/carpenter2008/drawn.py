"""Figures 2 to 7 as the author drew them, against what the labels give.

The drawings hold what R was given (data set `carpenter_figures`). Circles of Figures 5 and 6 are
the annotators in the order in which they first occur in the labels; the right half of Figure 6
lacks those who were removed. The estimates drawn are posterior medians, the intervals the 10% and
90% quantiles, and bars count items whose probability is the mean of sampled categories.

Each drawn number is compared with runs of the paper's length on the same labels, and with runs of
half that length: the author's script asks for 500 sweeps at one commit and for 1,000 at another.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.special
from scipy.stats import t as student

from annobench.datasets import LoadedData
from annobench.models import hierarchical_binary, voting
from annobench.models.hierarchical_binary import HierarchicalBinaryFit, PrunedFit

from .printed import Design
from .values import RATES, SHARE_OF_SWEEPS, with_sampled_categories

FIGURES = "carpenter_figures"

#: How often runs of half the paper's length are repeated, by effort.
N_SHORTER = {"full": 20, "quick": 3}
#: A hundredth of a point is .00003 of a rate; glyphs are placed to within two of these. Radii
#: are .9 times the root of the number of labels: a third of R's unit of 2.7 points.
RESOLUTION, RADIUS, RADIUS_RESOLUTION = 0.00006, 0.9, 0.02
#: What is drawn of an annotator, as quantiles of the posterior distribution.
QUANTILES = {"lower80": 0.1, "median": 0.5, "upper80": 0.9}
#: Bars of a panel of Figure 7. That of voting has one fewer, as no residual is above .8.
N_BARS, N_VOTING_BARS = 10, 9
#: R moves the edges of bars up by this share of their width, so that a number on an edge which
#: rounding errors have moved stays on its side.
FUZZ = 1e-7
PANELS = ("model", "voting", "model_pruned", "voting_pruned")
SAMPLED_PANELS = tuple(panel for panel in PANELS if panel != "voting")
PARTS = ("first", "second")


def marks(drawings: LoadedData, figure: str, mark: str) -> pd.DataFrame:
    """Return the coordinates of the marks of a figure by their number."""
    items = drawings.items
    number = items.set_index("item")["number"][
        ((items["figure"] == figure) & (items["mark"] == mark)).to_numpy()
    ]
    labels = drawings.labels
    named = labels.assign(number=labels["item"].map(number)).dropna(subset="number")
    wide = named.pivot(index="number", columns="annotator", values="label")
    return wide.set_axis(wide.index.astype(int))


def bars(residuals: np.ndarray) -> np.ndarray:
    """Count residuals as R's histogram does, in bars that contain their right edges."""
    edges = np.linspace(-1, 1, N_BARS + 1)
    edges += FUZZ * np.diff(edges).mean() * np.r_[-1, np.ones(N_BARS)]
    return np.asarray(np.histogram(-residuals, -edges[::-1])[0][::-1])


def bar_values(panel: str, heights: np.ndarray) -> dict[str, float]:
    """Name the heights of the bars of a panel of Figure 7."""
    return {f"rte.fig7.{panel}.bar_{n}": float(h) for n, h in enumerate(heights, start=1)}


def shown(drawings: LoadedData, annotators: pd.DataFrame) -> np.ndarray:
    """Return the codes of the annotators in the right half of Figure 6.

    As many as that half lacks are removed, those with the smallest estimates.
    """
    n_left_out = len(annotators) - marks(drawings, "figure6_pruned", "circle").index.max()
    smaller = annotators[[f"{name}_median" for name in RATES]].min(axis=1)
    order = np.argsort(smaller.to_numpy(), kind="stable")
    return np.sort(order[max(n_left_out, 0) :])


def estimates(fitted: HierarchicalBinaryFit) -> dict[str, np.ndarray]:
    """Return what is drawn of each annotator, and the lines: medians of the mean rates."""
    found = {}
    for name in RATES:
        draws, means = getattr(fitted.draws, name), getattr(fitted.draws, f"{name}_mean")
        for part, quantile in QUANTILES.items():
            found[f"{name}.{part}"] = np.quantile(draws, quantile, axis=(0, 1))
        found[f"{name}.line"] = np.median(means)
    return found


class Runs:
    """What Figures 5 to 7 show of repeated runs of one length.

    Each run is handed over with its fits before and after pruning; those whom the right half of
    Figure 6 shows are fitted here.
    """

    def __init__(
        self, rte: LoadedData, shown: np.ndarray, rng: np.random.Generator, **settings: Any
    ) -> None:
        self._rte, self._rng, self._settings = rte, rng, settings
        self._of_shown = rte.annotations.select(annotators=shown)
        self._each: list[dict[str, np.ndarray]] = []

    def __call__(self, pruned: PrunedFit) -> None:
        """Take one more run."""
        fitted = hierarchical_binary.fit(self._of_shown, rng=self._rng, **self._settings)
        found = estimates(pruned.first)
        found |= {f"pruned.{name}": value for name, value in estimates(fitted).items()}
        posteriors = {"model": pruned.first.posterior, "model_pruned": pruned.second.posterior}
        posteriors["voting_pruned"] = voting.fit(pruned.annotations).posterior
        found |= {part: bars(self._rte.gold - p[:, 1]) for part, p in posteriors.items()}
        self._each.append(found | {"n_kept": np.array(pruned.keep.sum())})

    def __getitem__(self, name: str) -> np.ndarray:
        """Return what was found by that name, a run a row."""
        return np.stack([run[name] for run in self._each])


def shorter_runs(
    design: Design, rte: LoadedData, shown: np.ndarray, rng: np.random.Generator, effort: str
) -> Runs:
    """Repeat runs of half the paper's length."""
    settings = design.paper_run(SHARE_OF_SWEEPS[effort] / 2)
    runs = Runs(rte, shown, rng, **settings)
    for _ in range(N_SHORTER[effort]):
        first = hierarchical_binary.fit(rte.annotations, rng=rng, **settings)
        pruned = hierarchical_binary.prune_and_refit(rte.annotations, first, rng=rng, **settings)
        both = {part: with_sampled_categories(getattr(pruned, part), rng) for part in PARTS}
        runs(replace(pruned, **both))
    return runs


def points(
    drawings: LoadedData, annotators: pd.DataFrame, kept: np.ndarray, runs: Runs
) -> pd.DataFrame:
    """Put every drawn number of an annotator beside those of repeated runs; one a row.

    The check interval is that of one more run, of log odds and at level 1 - 0.05 / n for the n
    numbers of one quantity in a figure.
    """
    parts = []
    for name, axis in zip(RATES, ("y", "x"), strict=True):
        ends = marks(drawings, f"figure5_{name}", "segment")
        for part, column in (("lower80", "y"), ("upper80", "y_end")):
            parts.append((f"figure5_{name}", f"{name}.{part}", ends[column], None, ""))
        for figure, codes, prefix in (("figure6", None, ""), ("figure6_pruned", kept, "pruned.")):
            drawn = marks(drawings, figure, "segment")[f"{axis}_end"]
            parts.append((figure, f"{name}.median", drawn, codes, prefix))
    rows = []
    for figure, quantity, drawn, codes, prefix in parts:
        found = runs[prefix + quantity]
        drawn = drawn[drawn.index <= found.shape[1]]
        place = drawn.index.to_numpy() - 1
        low, high = _check_intervals(found[:, place], len(drawn))
        code = place if codes is None else codes[place]
        table = pd.DataFrame({"figure": figure, "quantity": quantity, "number": drawn.index})
        table["annotator"] = annotators["annotator"].to_numpy()[code]
        table["n_labels"] = annotators["n_labels"].to_numpy()[code]
        table["drawn"], table["computed"] = drawn.to_numpy(), found[:, place].mean(axis=0)
        table["check_lower"], table["check_upper"] = low, high
        table["inside"] = table["drawn"].between(low - RESOLUTION, high + RESOLUTION)
        rows.append(table)
    return pd.concat(rows, ignore_index=True)


def _check_intervals(runs: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where one more run lies, for each column, as `predictive_interval` does."""
    # A rate nearer to 1 than the spacing of numbers is rounded to 1.
    rounded = np.finfo(np.float64).eps
    x = scipy.special.logit(runs.clip(rounded, 1 - rounded))
    quantile = student.isf(0.05 / max(n, 1) / 2, len(x) - 1)
    margin = quantile * x.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(x))
    low, high = (scipy.special.expit(x.mean(axis=0) + sign * margin) for sign in (-1, 1))
    return low, high


def circle_values(
    drawings: LoadedData, annotators: pd.DataFrame, kept: np.ndarray
) -> dict[str, float]:
    """Count the drawn circles that lie where an annotator's rates on the gold standard are."""
    found = {}
    for name in RATES:
        gold = annotators[f"gold_{name}"].to_numpy()
        drawn = marks(drawings, f"figure5_{name}", "circle")
        found[f"rte.fig5.{name}.circles"] = _near(drawn, x=gold, y=gold).sum()
    for figure, target, codes in (
        ("figure6", "rte.fig6", np.arange(len(annotators))),
        ("figure6_pruned", "rte.fig6.pruned", kept),
    ):
        part = annotators.iloc[codes]
        at = {"x": part["gold_sensitivity"].to_numpy(), "y": part["gold_specificity"].to_numpy()}
        radius = RADIUS * np.sqrt(part["n_labels"].to_numpy())
        drawn = marks(drawings, figure, "circle")
        found[f"{target}.circles"] = (_near(drawn, **at) & _sized(drawn, radius)).sum()
    return {name: float(count) for name, count in found.items()}


def _near(drawn: pd.DataFrame, **places: np.ndarray) -> np.ndarray:
    drawn = drawn[drawn.index <= len(next(iter(places.values())))]
    off = [np.abs(drawn[axis] - at[drawn.index - 1]) for axis, at in places.items()]
    return np.asarray(np.max(off, axis=0) <= RESOLUTION)


def _sized(drawn: pd.DataFrame, radius: np.ndarray) -> np.ndarray:
    drawn = drawn[drawn.index <= len(radius)]
    return np.abs(drawn["radius"].to_numpy() - radius[drawn.index - 1]) <= RADIUS_RESOLUTION


def point_values(table: pd.DataFrame) -> dict[str, float]:
    """Count the drawn numbers, or estimates of two, that one more run could have given."""
    found = {}
    for name in RATES:
        ends = table[table["figure"] == f"figure5_{name}"]
        found[f"rte.fig5.{name}.interval_ends"] = float(ends["inside"].sum())
    for figure, target in (("figure6", "rte.fig6"), ("figure6_pruned", "rte.fig6.pruned")):
        both = table[table["figure"] == figure].groupby("number")["inside"].agg(["all", "size"])
        found[f"{target}.estimates"] = float((both["all"] & (both["size"] == 2)).sum())
    return found


def sampled_values(runs: Runs) -> pd.DataFrame:
    """Return what is sampled of Figures 6 and 7 by target, a run a row."""
    columns: dict[str, np.ndarray] = {"rte.fig6.pruned.annotators": runs["n_kept"]}
    for name in RATES:
        columns[f"rte.fig6.{name}_line"] = runs[f"{name}.line"]
        columns[f"rte.fig6.pruned.{name}_line"] = runs[f"pruned.{name}.line"]
    tables = [
        pd.DataFrame([bar_values(panel, run) for run in runs[panel]]) for panel in SAMPLED_PANELS
    ]
    return pd.concat([pd.DataFrame(columns), *tables], axis=1)


def voting_bars(rte: LoadedData) -> dict[str, float]:
    """Return the heights of the bars of voting, by all annotators."""
    votes = voting.fit(rte.annotations).posterior
    return bar_values("voting", bars(rte.gold - votes[:, 1])[:N_VOTING_BARS])


def readings(
    drawings: LoadedData, fits: Mapping[str, HierarchicalBinaryFit], medians: str
) -> pd.DataFrame:
    """Measure how far drawn intervals and estimates of all annotators are from several fits.

    A distance is shown as it is and in posterior standard deviations of the fit `medians`, whose
    posterior means are one more reading of the estimates.
    """
    rows = []
    for name, axis in zip(RATES, ("y", "x"), strict=True):
        ends = marks(drawings, f"figure5_{name}", "segment")
        drawn = {"lower80": ends["y"], "upper80": ends["y_end"]}
        drawn["median"] = marks(drawings, "figure6", "segment")[f"{axis}_end"]
        spread = getattr(fits[medians].draws, name).std(axis=(0, 1))
        for part, places in drawn.items():
            computed = {fit: estimates(fits[fit])[f"{name}.{part}"] for fit in fits}
            if part == "median":
                computed["posterior means in place of medians"] = getattr(fits[medians], name)
            for reading, values in computed.items():
                at = places[places.index <= len(values)]
                off = np.abs(at - values[at.index - 1])
                rows.append(
                    {"quantity": f"{name}, {part}", "reading": reading, "n": len(at)}
                    | {"median_distance": off.median(), "largest_distance": off.max()}
                    | {"median_distance_in_sd": (off / spread[at.index - 1]).median()}
                    | {"largest_distance_in_sd": (off / spread[at.index - 1]).max()}
                )
    return pd.DataFrame(rows)


def heights(drawings: LoadedData, runs: Mapping[str, Runs], rte: LoadedData) -> pd.DataFrame:
    """List the bars of Figure 7 as drawn and as computed at each length."""
    rows = []
    voted = list(voting_bars(rte).values())
    for panel in PANELS:
        drawn = marks(drawings, f"figure7_{panel}", "bar")
        for number, left, right, height in drawn[["left", "right", "height"]].itertuples():
            row = {"panel": panel, "bar": number, "left": left, "right": right, "drawn": height}
            for method, found in runs.items():
                sampled = panel in SAMPLED_PANELS
                each = found[panel][:, number - 1] if sampled else [voted[number - 1]]
                row |= {f"{method}_mean": np.mean(each), f"{method}_sd": np.std(each)}
            rows.append(row)
    return pd.DataFrame(rows).round({"left": 3, "right": 3, "drawn": 3})


def points_by_length(points: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Put the drawn numbers of an annotator beside runs of every length."""
    return pd.concat(points, names=["runs"]).reset_index("runs")


def read_off(drawings: LoadedData) -> pd.DataFrame:
    """Read off the drawings what `published.csv` lists of Figures 2 to 7."""
    found: dict[str, float] = {}
    for name in RATES:
        circles, ends = (marks(drawings, f"figure2_{name}", mark) for mark in ("circle", "segment"))
        covered = (ends["y"] <= circles["x"]) & (circles["x"] <= ends["y_end"])
        found[f"sim.fig2.{name}_covered"] = covered.sum()
        found[f"sim.fig2.{name}_width"] = (ends["y_end"] - ends["y"]).mean()
        found[f"sim.fig3.{name}_mean_sd"] = marks(drawings, f"figure3_{name}", "circle")["x"].std()
        found[f"rte.fig5.{name}.circles"] = len(marks(drawings, f"figure5_{name}", "circle"))
        of_ends = marks(drawings, f"figure5_{name}", "segment")[["y", "y_end"]]
        found[f"rte.fig5.{name}.interval_ends"] = of_ends.size
    bins = marks(drawings, "figure4_prevalence", "bar")
    middle = (bins["left"] + bins["right"]) / 2
    mean = np.average(middle, weights=bins["height"])
    squares = np.average((middle - mean) ** 2, weights=bins["height"])
    # Sheppard's correction for the width of the bars.
    found["sim.fig4.prevalence_sd"] = np.sqrt(
        squares - (bins["right"] - bins["left"]).mean() ** 2 / 12
    )
    for figure, target in (("figure6", "rte.fig6"), ("figure6_pruned", "rte.fig6.pruned")):
        found[f"{target}.circles"] = len(marks(drawings, figure, "circle"))
        found[f"{target}.estimates"] = len(marks(drawings, figure, "segment"))
        lines = marks(drawings, figure, "line")
        # The line of chance comes first, then the upright and the level one.
        found[f"{target}.sensitivity_line"] = lines["x"].loc[2]
        found[f"{target}.specificity_line"] = lines["y"].loc[3]
    found["rte.fig6.pruned.annotators"] = found["rte.fig6.pruned.circles"]
    for panel in PANELS:
        drawn = marks(drawings, f"figure7_{panel}", "bar")["height"]
        found |= bar_values(panel, drawn.to_numpy())
    return pd.DataFrame({"target": list(found), "drawn": [float(v) for v in found.values()]})
