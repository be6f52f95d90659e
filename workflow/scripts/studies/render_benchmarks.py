"""Render what `make bench` measured last: a table for each piece of work, and how models grow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from annobench.core.files import recording, replacing
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION, house_figure
from annobench.reporting.figures import inline_svg
from annobench.reporting.pages import records
from annobench_replication.pages import render

#: Headings that are more than the file's name with a capital.
TITLES = {"dawid_skene": "Dawid and Skene's model", "scale": "Labels in partitions, on Dask"}
#: How a benchmark is measured, where it is not as the others are.
COMMANDS = {"scale": ".venv-peers/bin/python -m benchmarks.scale 1e9"}
#: Two quantities of the model in memory that are drawn.
TIME, MEMORY = "time per label and iteration", "peak memory per label"
#: What a contender is compared with, and the beginnings of names that are ours or nobody's.
RATIO = "times ours"
OWN = ("annobench", "the same", "two threads", "floor")
#: How contenders are drawn, by what their names begin with: name, colour, marker, line.
LINES = {
    "annobench on Dask": ("annobench on Dask", BLUE, "o", "-"),
    "annobench, one": ("annobench, one thread", BLUE, "o", "-"),
    "two threads": ("two threads, elapsed", GREEN, "D", "-"),
    "plain NumPy": ("plain NumPy", INK, "s", "-"),
    "crowd-kit": ("crowd-kit", VERMILION, "^", "-"),
    "floor": ("floor: bytes over speed", GREY, "", "--"),
}


def read_benchmark(path: Path) -> dict[str, Any]:
    """Read one file of measurements: its circumstances, and a table for each piece of work."""
    with path.open(encoding="utf-8") as file:
        circumstances = file.readline().removeprefix("#").strip()
        rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    tables = []
    for work, part in rows.groupby("work", sort=False):
        columns: dict[str, None] = {}
        cells: dict[str, dict[str, str]] = {}
        for row in records(part):
            column = ", ".join(filter(None, (row["quantity"], row["unit"])))
            columns[column] = None
            cells.setdefault(row["contender"], {})[column] = f"{float(row['value']):,g}"
        targets = [target for target in dict.fromkeys(part["target"]) if target]
        tables.append({"work": work, "columns": list(columns), "rows": cells, "targets": targets})
    words = path.stem.replace("_", " ")
    return {
        "name": path.stem,
        "title": TITLES.get(path.stem, words[:1].upper() + words[1:]),
        "command": COMMANDS.get(path.stem, f".venv-peers/bin/python -m benchmarks {path.stem}"),
        "circumstances": circumstances[:1].upper() + circumstances[1:],
        "tables": tables,
    }


def fastest_others(path: Path) -> list[dict[str, str]]:
    """Return, for each piece of work with a rival, the fastest one and its time over ours."""
    rows = pd.read_csv(path, comment="#")
    rows = rows[(rows["quantity"] == RATIO) & ~rows["contender"].str.startswith(OWN)]
    best = rows.loc[rows.groupby("work", sort=False)["value"].idxmin()] if len(rows) else rows
    return [
        {"work": row["work"], "other": row["contender"], "ratio": f"{row['value']:,.3g}"}
        for row in records(best)
    ]


def sizes(path: Path) -> pd.DataFrame:
    """Read the measurements that name a number of labels and of categories, as numbers."""
    rows = pd.read_csv(path, comment="#")
    named = rows["work"].str.extract(r"([\d,]+) labels .* in (\d+) categories")
    rows["labels"] = pd.to_numeric(named[0].str.replace(",", ""))
    rows["categories"] = pd.to_numeric(named[1])
    return rows.dropna(subset="labels").sort_values("labels")


def growth(path: Path) -> Markup:
    """Draw time and memory per label against the number of labels, as SVG."""
    rows = sizes(path)
    times = rows[rows["quantity"] == TIME]
    numbers = sorted(int(k) for k in times["categories"].unique())
    if not numbers:
        return Markup("")
    with house_figure(len(numbers) + 1, height=3.5) as (figure, panels):
        for axes, k in zip(panels, numbers, strict=False):
            draw_lines(axes, times[times["categories"] == k])
            axes.set(title=f"Time, {k} categories", ylabel="ns per label and iteration")
        memory = rows[(rows["quantity"] == MEMORY) & (rows["categories"] == numbers[-1])]
        draw_lines(panels[-1], memory)
        panels[-1].set(title=f"Memory, {numbers[-1]} categories", ylabel="peak bytes per label")
        share_scale(panels[:-1])
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=5)
        return inline_svg(figure, "growth")


def growth_on_disk(path: Path) -> Markup:
    """Draw time of a pass and peak memory of a process against the number of labels, as SVG."""
    rows = pd.read_csv(path, comment="#")
    rows["labels"] = pd.to_numeric(
        rows["work"].str.extract(r"^([\d,]+) labels$")[0].str.replace(",", "")
    )
    rows = rows.dropna(subset="labels").sort_values("labels")
    with house_figure(2, height=3.5) as (figure, (time, memory)):
        draw_lines(time, rows[rows["quantity"] == "elapsed per pass"])
        time.set(title="Time of a pass", ylabel="seconds, elapsed")
        peaks = rows[rows["quantity"].str.startswith("peak memory")]
        draw_lines(memory, peaks)
        memory.set(title="Memory of a process", ylabel="MiB at the peak")
        figure.legend(*time.get_legend_handles_labels(), loc="outside upper left", ncols=5)
        return inline_svg(figure, "growth-on-disk")


#: Benchmarks that are measured at several sizes: what draws them, and what the picture shows.
GROWING = {
    "dawid_skene": (
        growth,
        "Time and memory per label against the number of labels, by contender",
        "Growth with the number of labels. A horizontal line means cost proportional to the number "
        "of labels; with few labels, fixed costs dominate. The floor is the bytes that an "
        "iteration must read and write over the speed at which one core reads memory: two threads "
        "can fall below it, and where memory is faster, it lies lower.",
    ),
    "scale": (
        growth_on_disk,
        "Time of a pass and peak memory against the number of labels, by contender",
        "A pass over labels in partitions by two workers of one thread each, and the peak memory "
        "of the larger worker. crowd-kit holds all labels in memory; its line ends at the last "
        "size that it was given and had memory for.",
    ),
}


def draw_lines(axes: Any, rows: pd.DataFrame) -> None:
    """Draw one line per contender, both axes logarithmic."""
    for start, (name, colour, marker, line) in LINES.items():
        mine = rows[rows["contender"].str.startswith(start)]
        if len(mine):
            axes.plot(
                mine["labels"],
                mine["value"],
                color=colour,
                marker=marker,
                linestyle=line,
                markersize=4.5,
                markerfacecolor="white",
                label=name,
            )
    axes.set(xscale="log", yscale="log", xlabel="labels")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.grid(axis="y", color="#E3E3E3", linewidth=0.6)


def share_scale(panels: Sequence[Any]) -> None:
    """Give panels of one quantity one scale."""
    ends = [axes.get_ylim() for axes in panels]
    for axes in panels:
        axes.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))


def main(measured: list[Path], site: Path) -> str:
    """Return the page as HTML."""
    return render(
        "benchmarks.html.j2",
        site,
        benchmarks=[read_benchmark(path) for path in sorted(measured)],
        fastest=[row for path in sorted(measured) for row in fastest_others(path)],
        growth={
            path.stem: {"svg": draw(path), "alt": alt, "caption": caption}
            for path in measured
            if path.stem in GROWING
            for draw, alt, caption in [GROWING[path.stem]]
        },
    )


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        page = main(
            measured=[Path(path) for path in snakemake.input.measured],
            site=Path(snakemake.input.site[0]).parent,
        )
        with replacing(snakemake.output.page) as draft:
            draft.write_text(page, encoding="utf-8")
