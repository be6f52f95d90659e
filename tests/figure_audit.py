"""Measure the texts of a figure as it is drawn: their size, what they cover, whether they fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.mathtext import MathTextParser
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from annobench import plotting
from annobench.plotting import PAGE_WIDTH, STYLE

_SAVE = Figure.savefig

#: Points: 10 pixels of a page, which shows a figure at its own size. What stands above or below
#: the line in a formula has 8.
SMALLEST, SMALLEST_INDEX = 7.5, 6.0
#: Of the height of a line of text, what may lie over another one: ink fills less than its line.
SLACK = 0.12
#: Of the height of a line of text, what texts of one line stand apart at least.
GAP = 0.25
#: Pixels by which a text may leave the figure, or a curve enter a legend.
ROUNDING = 3.0


def faults(figure: Figure) -> list[str]:
    """Say what can't be read in a figure that was saved.

    Its layout is that of the last time it was drawn.
    """
    # The width of letters depends on the resolution: that of the last file.
    figure.dpi, dpi = STYLE["savefig.dpi"], figure.dpi
    engine = figure.get_layout_engine()
    figure.set_layout_engine("none")
    try:
        return _faults(figure)
    finally:
        figure.dpi = dpi
        figure.set_layout_engine(engine)


def _faults(figure: Figure) -> list[str]:
    with _recorded() as texts:
        figure.draw_without_rendering()
    page = figure.bbox
    width = figure.get_figwidth()
    found = [] if width <= PAGE_WIDTH + 1e-9 else [f"{width:.2f} inches wide"]
    for text in texts:
        found += [f"{_quoted(text)} is small: {size:g} points" for size in _too_small(text)]
    corners = {text: _corners(text) for text in texts}
    for text, points in corners.items():
        low, high = points.min(axis=0), points.max(axis=0)
        if (low < page.min - ROUNDING).any() or (high > page.max + ROUNDING).any():
            found.append(f"{_quoted(text)} leaves the figure")
    for a, b in _near(corners):
        if _overlap(corners[a], corners[b]):
            found.append(f"{_quoted(a)} lies over {_quoted(b)}")
    for legend in figure.findobj(Legend):
        found += [f"a legend lies over {what}" for what in _under(legend, figure)]
    return found


@contextmanager
def audited() -> Iterator[None]:
    """Raise an error when a figure is saved that can't be read."""

    def save(figure: Figure, file, **how):
        _SAVE(figure, file, **how)
        if found := faults(figure):
            raise AssertionError(f"A figure that can't be read, {file}: {'; '.join(found)}.")

    with _saved_by(save):
        yield


@contextmanager
def collected(path: Path) -> Iterator[None]:
    """Write the faults of each figure of a paper that is saved within this context, by its name.

    Of the two files of a figure, the PNG is empty.
    """
    write, found = plotting.save_figure, {}

    def save(figure: Figure, stem: Path):
        write(figure, stem)
        found[stem.name] = faults(figure)

    def quick(figure: Figure, file, *, format, **how):
        # The layout is found for the first file; the second one is of the same.
        if format == "png":
            Path(file).touch()
        else:
            _SAVE(figure, file, format=format, **how)

    plotting.save_figure = save
    try:
        with _saved_by(quick):
            yield
    finally:
        plotting.save_figure = write
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False), "utf-8")


@contextmanager
def _saved_by(save: Callable[..., None]) -> Iterator[None]:
    before, Figure.savefig = Figure.savefig, save
    try:
        yield
    finally:
        Figure.savefig = before


@contextmanager
def _recorded() -> Iterator[list[Text]]:
    """Collect the texts that are really drawn, such as the ticks within the limits alone."""
    draw, texts = Text.draw, []

    def recording(text, renderer):
        draw(text, renderer)
        if text.get_visible() and text.get_text().strip() and text not in texts:
            texts.append(text)

    Text.draw = recording
    try:
        yield texts
    finally:
        Text.draw = draw


def _quoted(text: Text) -> str:
    return repr(text.get_text())


def _too_small(text: Text) -> list[float]:
    size = text.get_fontsize()
    if "$" not in text.get_text() or not text.get_parse_math():
        return [size] if size < SMALLEST else []
    parsed = MathTextParser("path").parse(text.get_text(), 72, text.get_fontproperties())
    sizes = {round(font_size, 2) for _, font_size, *_ in parsed.glyphs}
    small = [each for each in (max(sizes),) if each < SMALLEST]
    return small + [each for each in sizes if each < SMALLEST_INDEX]


def _corners(text: Text) -> np.ndarray:
    """Return the corners of a text, shape (4, 2), in pixels, whichever way it is turned."""
    centre = np.mean(Text.get_window_extent(text).get_points(), axis=0)
    turn, angle = text.get_rotation(), np.deg2rad(text.get_rotation())
    text.set_rotation(0)
    box = Text.get_window_extent(text)
    text.set_rotation(turn)
    half = np.array([box.width, box.height]) / 2
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return centre + (signs * half) @ rotation


def _near(corners: dict[Text, np.ndarray]) -> Iterator[tuple[Text, Text]]:
    """Yield the pairs of texts whose upright boxes, with the gap around them, meet."""
    if not corners:
        return
    points = np.stack(list(corners.values()))
    gap = GAP * np.linalg.norm(points[:, 2] - points[:, 1], axis=1)[:, None]
    low, high = points.min(axis=1) - gap, points.max(axis=1) + gap
    meet = np.all((low[:, None] <= high) & (low <= high[:, None]), axis=2)
    texts = list(corners)
    for a, b in np.argwhere(np.triu(meet, 1)):
        yield texts[a], texts[b]


def _overlap(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether two rectangles have more than a margin in common: no axis separates them."""
    heights = [np.linalg.norm(points[2] - points[1]) for points in (first, second)]
    slack = SLACK * min(heights) * 2
    if _in_one_line(first, second):
        gap = max(second[0, 0] - first[1, 0], first[0, 0] - second[1, 0])
        return bool(gap < GAP * min(heights))
    for points in (first, second):
        for side in (points[1] - points[0], points[2] - points[1]):
            axis = side / max(np.linalg.norm(side), 1e-9)
            a, b = first @ axis, second @ axis
            if min(a.max(), b.max()) - max(a.min(), b.min()) <= slack:
                return False
    return True


def _in_one_line(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether two texts are upright and in one line, as ticks below a plot are."""
    upright = all(np.isclose(points[0, 1], points[1, 1]) for points in (first, second))
    height = min(points[2, 1] - points[1, 1] for points in (first, second))
    return upright and abs(first[:, 1].mean() - second[:, 1].mean()) < 0.3 * height


def _under(legend: Legend, figure: Figure) -> list[str]:
    """Name what is drawn where a legend stands, apart from grids and bands behind the data."""
    box = legend.get_window_extent()
    inner = Bbox(box.get_points() + ROUNDING * np.array([[1, 1], [-1, -1]]))
    found = []
    for axes in figure.axes:
        if not axes.get_visible() or not axes.bbox.overlaps(inner):
            continue
        for line in axes.lines:
            if line.get_visible() and _crosses(line, axes, inner):
                found.append(f"a line {line.get_label()}")
        for patch in axes.patches:
            if patch.get_visible() and not _is_band(patch, axes):
                path = patch.get_transform().transform_path(patch.get_path())
                if path.intersects_bbox(inner, filled=patch.get_fill()):
                    found.append("a bar")
        for collection in axes.collections:
            if collection.get_visible() and _collection_crosses(collection, inner):
                found.append(f"a {type(collection).__name__}")
        if any(image.get_visible() for image in axes.images):
            found.append("an image")
    return found


def _crosses(line, axes: Axes, box: Bbox) -> bool:
    path = line.get_transform().transform_path(line.get_path())
    visible = Bbox.intersection(box, axes.bbox)
    if visible is None or not len(path.vertices):
        return False
    if line.get_linestyle() not in ("None", "", " "):
        return bool(path.intersects_bbox(visible, filled=False))
    return bool(visible.count_contains(path.vertices))


def _is_band(patch, axes: Axes) -> bool:
    """Tell whether a patch spans its axes from end to end, as `axvspan` and `axhspan` make it."""
    box = patch.get_window_extent()
    spans = box.width >= axes.bbox.width - 1 or box.height >= axes.bbox.height - 1
    return isinstance(patch, Rectangle) and spans


def _collection_crosses(collection, box: Bbox) -> bool:
    offsets = collection.get_offset_transform().transform(collection.get_offsets())
    transform = collection.get_transform()
    if len(offsets) and not np.allclose(collection.get_offsets(), 0):
        return bool(box.count_contains(np.ma.filled(offsets, np.nan)))
    filled = bool(len(collection.get_facecolor()))
    paths = (transform.transform_path(path) for path in collection.get_paths())
    return any(path.intersects_bbox(box, filled=filled) for path in paths if len(path.vertices))
