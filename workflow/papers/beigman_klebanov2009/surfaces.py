"""Quantities of Beigman Klebanov and Beigman (2009) over two others, with its projects on them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from annobench import plotting
from annobench.noise import easy_hard
from annobench.plotting import INK

from .printed import FAIR, MARKS, Printed

Quantity = Callable[[int, int, float], float]
DISAGREED, CHANCE, ITEMS = "disagreed items d, percent", "chance agreement p", "items n"
TICKS = {
    DISAGREED: (1, 2, 5, 10, 20, 40),
    CHANCE: (0.05, 0.1, 0.2, 0.5),
    ITEMS: (100, 1_000, 10_000),
}


@dataclass(frozen=True)
class Surface:
    """A quantity over two others, with the projects that lie on it: letter, x and y."""

    title: str
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    xlabel: str
    ylabel: str
    points: Sequence[tuple[str, float, float]]

    def draw(self, axes: Axes, levels: Sequence[float], form: str) -> None:
        """Draw labelled contours, and the projects that lie on the surface."""
        for axis, name, values in (("x", self.xlabel, self.x), ("y", self.ylabel, self.y)):
            if name in TICKS and values.min() > 0:
                plotting.logarithmic(axes, axis, ticks=TICKS[name])
        axes.set(xlim=(self.x.min(), self.x.max()), ylim=(self.y.min(), self.y.max()))
        places = [(x, y) for _, x, y in self.points]
        contours(axes, self.x, self.y, self.z, levels=levels, label=form, avoid=places)
        for case, x, y in self.points:
            mark(axes, case, x, y)
        axes.set(xlabel=self.xlabel, ylabel=self.ylabel, title=self.title)


def mark(axes: Axes, case: str, x: float, y: float, *, at: tuple[float, float] = (0, 0)) -> None:
    """Put the letter of a project at its place."""
    circle = {"boxstyle": "circle,pad=0.18", "facecolor": plotting.VERMILION, "edgecolor": "white"}
    font = {"fontsize": 8, "fontweight": "bold", "color": "white", "ha": "center", "va": "center"}
    style = font | {"bbox": circle, "zorder": 5, "annotation_clip": False}
    plotting.note(axes, MARKS[case], (x, y), at, **style)


def panels(*surfaces: tuple[Surface, Sequence[float], str]) -> Figure:
    """Draw surfaces side by side, with the levels of their contours and their format."""
    figure, axes = plotting.panels(len(surfaces), height=3.6)
    for each, (surface, levels, form) in zip(axes, surfaces, strict=True):
        surface.draw(each, levels, form)
    return figure


def quantities(printed: Printed) -> dict[str, tuple[Quantity, Sequence[float], str]]:
    """Return what is drawn of n, d and p, with the levels of the contours and their format."""

    def difference(n: int, d: int, p: float) -> float:
        found = easy_hard.hard_given_agreed(n, d, p)
        return 100 * easy_hard.chance_difference(found, level=printed.level).rate

    counts, percent = [10, 30, 100, 300, 1_000, 3_000], [1, 2, 5, 10, 20, 40, 80]
    return {
        "surface_bound": (lambda *of: printed.bound(*of).n_hard, counts, "%g"),
        "surface_noise": (lambda *of: 100 * printed.bound(*of).rate, percent, "%g%%"),
        "surface_difference": (difference, [0.2, 0.5, 1, 2, 3, 5], "%g%%"),
    }


def over_each_two(
    quantity: Quantity, levels: Sequence[float], form: str, table: pd.DataFrame, size: int
) -> Figure:
    """Draw a quantity of n, d and p over d and p, over d and n, and over p and n."""
    share = 100 * table["n_disagreed"] / table["n_items"]
    cases = pd.DataFrame({DISAGREED: share, CHANCE: table["chance"], ITEMS: table["n_items"]})
    sides = {
        DISAGREED: np.geomspace(1, 40, size),
        CHANCE: np.geomspace(0.03, 0.7, size),
        # Below 500 items contours of whole numbers are stairs.
        ITEMS: np.geomspace(500, 50_000, size).round(),
    }

    def at(n: float, percent: float, p: float) -> float:
        return quantity(int(n), round(percent * n / 100), p)

    surfaces = []
    for title, x, y, z, shown in (
        ("n = 1,000 items", DISAGREED, CHANCE, lambda d, p: at(1_000, d, p), share > 0),
        ("p = 1/2", DISAGREED, ITEMS, lambda d, n: at(n, d, FAIR), cases[CHANCE] == FAIR),
        ("d = 10% of the items", CHANCE, ITEMS, lambda p, n: at(n, 10, p), share == 10),
    ):
        values = np.array([[z(u, v) for u in sides[x]] for v in sides[y]])
        points = cases.loc[shown, [x, y]].itertuples(name=None)
        surface = Surface(title, sides[x], sides[y], values, x, y, list(points))
        surfaces.append((surface, levels, form))
    return panels(*surfaces)


def kappa(table: pd.DataFrame, splits: pd.DataFrame) -> Figure:
    """Draw kappa over its causes, and the noise it suggests over kappa and p."""
    kappa, size = splits["kappa"], 41
    d, expected = np.linspace(0, 40, size), np.linspace(0.5, 0.9, size)
    four_one = np.linspace(0, 100, size)
    unequal = 0.6 - 0.2 * four_one / 100  # of ten pairs 6 differ in a 3-2 split, 4 in a 4-1 split
    kappas, chances = np.linspace(0.4, 0.99, size), np.geomspace(0.03, 0.7, size)
    of_two = 1 - d / 100 / (1 - expected[:, None])
    of_five = 1 - 2 * d[:, None] / 100 * unequal
    hidden = (1 - kappas) * chances[:, None]
    noise = 100 * hidden / (kappas + hidden)
    share = 100 * table["n_disagreed"] / table["n_items"]
    twos = [(case, share[case], 0.5) for case in ("two", "reverse")]
    fives = [("five", x, share["five"]) for x in (0, 100 / 3, 100)]
    of_case = {"two": "two.kappa", "reverse": "reverse.kappa", "five": "five.kappa_most_likely"}
    places = [(case, kappa[name], table.loc[case, "chance"]) for case, name in of_case.items()]
    names = ("Fleiss' kappa, two annotators", "Fleiss' kappa, five annotators")
    two = Surface(names[0], d, expected, of_two, DISAGREED, "expected agreement", twos)
    split = "disagreed items split 4-1, percent"
    five = Surface(names[1], four_one, d, of_five, split, DISAGREED, fives)
    title = "Noise that kappa suggests"
    suggested = Surface(title, kappas, chances, noise, "Fleiss' kappa", CHANCE, places)
    return panels(
        (two, [0.0, 0.2, 0.4, 0.6, 0.8, 0.93], "%g"),
        (five, [0.5, 0.6, 0.7, 0.8, 0.9], "%g"),
        (suggested, [0.5, 1, 2, 5, 10, 20, 40], "%g%%"),
    )


def contours(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    z: ArrayLike,
    *,
    levels: Sequence[float],
    label: str,
    avoid: Sequence[tuple[float, float]],
) -> None:
    """Draw a quantity over two others, as bands between labelled contours.

    Labels stay away from some points, as they do from one another and from the frame. Set a
    logarithmic scale before.
    """
    # Pale enough everywhere for black lines and labels.
    blues = LinearSegmentedColormap.from_list("pale", ["#FFFFFF", "#6FA8CC"])
    bands = blues(np.linspace(0, 1, len(levels) + 1)).tolist()
    axes.contourf(x, y, z, levels=list(levels), colors=bands, extend="both")
    lines = axes.contour(x, y, z, levels=list(levels), colors=INK, linewidths=0.8)
    drawn = [np.concatenate(each) for each in lines.allsegs if sum(map(len, each))]
    places = _far_apart(axes, drawn, avoid)
    axes.clabel(lines, fmt=label, fontsize=8, manual=places)


def _far_apart(
    axes: Axes, lines: Sequence[np.ndarray], avoid: Sequence[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Choose a point of each line, far from those to avoid, those chosen and the frame.

    A line that has none gets none.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    taken = [to_axes.transform(point) for point in avoid]
    chosen = []
    for line in lines:
        points = to_axes.transform(line)
        room = 2 * np.minimum(points, 1 - points).min(axis=1)
        for other in taken:
            room = np.minimum(room, np.linalg.norm(points - other, axis=1))
        best = int(room.argmax())
        if room[best] < 0.08:
            continue
        taken.append(points[best])
        chosen.append((float(line[best, 0]), float(line[best, 1])))
    return chosen
