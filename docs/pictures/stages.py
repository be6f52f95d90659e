"""The picture of the workflow: what is made of what, in about ten boxes."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path
from shared import save

from annobench.plotting import BLUE, GREY, INK, house_figure

Point = tuple[float, float]

#: Stages by name: how the names of their rules begin, what the box says, and where its middle is.
STAGES = {
    "data": (("probe_network", "fetch_"), "data sets\nreal or simulated", (0, 1)),
    "analysis": (("replicate_",), "analysis\nvalues, figures", (2, 1.5)),
    "trace": (("trace_paper",), "tracing\nwhat moves a value", (2, 0.5)),
    "verdicts": (("compare_paper",), "verdicts\nprinted, computed", (4, 1)),
    "notebook": (("run_notebook",), "notebook", (6, 1.5)),
    "page": (("render_paper",), "page", (6, 0.5)),
    "across": (
        (
            *("collect_comparisons", "write_printed_tables"),
            *("render_lists", "render_index", "render_datasets"),
        ),
        "across papers\ndiscrepancies, values",
        (6, -0.75),
    ),
    "studies": (
        (*("restore_", "measure_", "analyse_", "fit_", "refit_", "score_", "render_"),),
        "studies\nof our own",
        (2, -1.25),
    ),
    "site": (("site",), "site", (8, 1)),
    "check": (("check",), "check", (8, -1.75)),
    "course": (
        (
            *("gather_course_", "copy_course_", "make_course_", "execute_", "render_session"),
            *("build_", "archive_course"),
        ),
        "course",
        (6, -1.75),
    ),
}

#: Where the lines of verdicts and of studies meet, the course and the pages across papers above it.
MEET, UPPER, LOWER = 4, -0.75, -1.75

#: What is made of what, and the corners of its line; what follows from other lines is not drawn.
ARROWS: dict[tuple[str, str], list[Point]] = {
    ("data", "analysis"): [],
    ("data", "trace"): [],
    ("data", "studies"): [(0, 0.7), (0, -1.25)],
    ("analysis", "verdicts"): [],
    ("trace", "verdicts"): [],
    ("verdicts", "notebook"): [],
    ("verdicts", "page"): [],
    ("verdicts", "across"): [(MEET, 0.7), (MEET, UPPER)],
    ("verdicts", "course"): [(MEET, 0.7), (MEET, LOWER)],
    ("studies", "across"): [(2.78, -1.25), (MEET, -1.25), (MEET, UPPER)],
    ("studies", "course"): [(2.78, -1.25), (MEET, -1.25), (MEET, LOWER)],
    ("notebook", "site"): [],
    ("page", "site"): [],
    ("across", "site"): [(6.78, UPPER), (7.7, UPPER), (7.7, 0.7)],
    ("site", "check"): [(8.3, 0.7), (8.3, -1.45)],
}

#: Half of the width and of the height of a box, and the stages of which each paper has its own.
WIDE, HIGH = 0.78, 0.3
OF_A_PAPER = ("analysis", "trace", "verdicts", "notebook", "page")


def draw_workflow() -> None:
    """Draw the stages of the workflow, and frame what is made for each paper by itself."""
    with house_figure(1, height=4.6) as (figure, (axes,)):
        figure.set_size_inches(9.6, 4.6)
        axes.set(xlim=(-0.9, 8.9), ylim=(-2.2, 2.4))
        axes.set_axis_off()
        _box(axes, (4, 1), 2.95, 1.0, edgecolor=GREY, facecolor="none", linestyle=(0, (4, 3)))
        axes.text(1.15, 2.08, "each paper by itself: snakemake --cores all carpenter2008")
        for name, (_, says, middle) in STAGES.items():
            own = name in OF_A_PAPER
            _box(axes, middle, WIDE, HIGH, edgecolor=BLUE if own else INK, facecolor="white")
            title, _, below = says.partition("\n")
            raised = 0.11 if below else 0
            x, y = middle
            axes.text(x, y + raised, title, ha="center", va="center", weight="bold")
            axes.text(x, y - 0.13, below, ha="center", va="center", fontsize=8.5)
        for (start, end), corners in ARROWS.items():
            _arrow(axes, STAGES[start][2], corners, STAGES[end][2])
        save(figure, "how-to/workflow")


def _box(axes: Axes, middle: Point, wide: float, high: float, **look: object) -> None:
    corner = middle[0] - wide, middle[1] - high
    style = "round,pad=0,rounding_size=0.08"
    axes.add_patch(FancyBboxPatch(corner, 2 * wide, 2 * high, boxstyle=style, **look))


def _arrow(axes: Axes, start: Point, corners: list[Point], end: Point) -> None:
    """Draw a line through its corners, or else from the right of a box, to the left of the next.

    A line whose last corner is not level with the box ends there, at the box's edge.
    """
    points = corners or [(start[0] + WIDE, start[1])]
    if not corners or corners[-1][1] == end[1]:
        points = [*points, (end[0] - WIDE, end[1])]
    axes.add_patch(
        FancyArrowPatch(path=Path(points), arrowstyle="-|>", mutation_scale=11, color=INK)
    )
