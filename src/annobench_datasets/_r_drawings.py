"""Points, lines and bars of a drawing that R's pdf device wrote, in the units of its axes.

R draws everything with few operators: rectangles (`re`), lines (`m`, `l`), large circles as four
curves (`c`), and small ones as a glyph of ZapfDingbats. The plot's region is the first rectangle
that clips; ticks are short lines that leave it, each axis with one label a tick, in the same
order. Pages are compressed or not.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annobench.core.errors import ReaderError

#: The glyph of a disc, per unit of its size: its centre, right of and above the origin, and its
#: radius (R's sources, devPS.c, PDF_Circle).
DISC_X, DISC_Y, DISC_RADIUS = 0.396, 0.347, 0.361

#: R writes hundredths of a point, so a place read off is within this of the one drawn; and the
#: largest page that is unpacked, in bytes.
PLACE, LARGEST_PAGE = 0.01, 1 << 24

_STREAM = re.compile(rb"<<([^<>]*)>>\s*stream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_TOKEN = re.compile(
    rb"\((?P<text>(?:\\.|[^\\()])*)\)|(?P<number>[-+]?\d*\.?\d+)|(?P<name>/[^\s/\[\]()]+)"
    rb"|(?P<bracket>[\[\]])|(?P<operator>[A-Za-z*']+)|(?P<space>\s+)|(?P<other>.)",
    re.DOTALL,
)
#: Numbers that each operator needs, of those that draw.
_ARITY = {"m": 2, "l": 2, "c": 6, "re": 4, "Tm": 6}
_Pair = tuple[float, float]


@dataclass(frozen=True)
class Drawing:
    """What a plot shows, in the units of its axes.

    Attributes
    ----------
    circles : ndarray
        Centre and radius of each circle, shape (n, 3); the radius in points of the page.
    segments : ndarray
        Both ends of each line that stays inside the region, shape (n, 4): x, y, x, y.
    lines : ndarray
        The same of lines from edge to edge of the region.
    bars : ndarray
        Left, right and height of each bar, shape (n, 3).
    step : tuple of float
        Of both axes: what a hundredth of a point is worth.
    """

    circles: np.ndarray
    segments: np.ndarray
    lines: np.ndarray
    bars: np.ndarray
    step: tuple[float, float]


def read_drawing(path: Path) -> Drawing:
    """Read a plot with two numeric axes."""
    try:
        return _Page(_page(path.read_bytes())).drawing()
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error.strerror}). Supply the file.") from error
    except ValueError as error:
        raise ReaderError(
            f"{path}: no plot of R's pdf device ({error}). Supply the pinned file."
        ) from error


def _page(content: bytes) -> bytes:
    """Return the operators of the only page."""
    if not content.startswith(b"%PDF-"):
        raise ValueError("it does not begin with %PDF-")
    # Objects nest no dictionaries in front of what R writes as a page.
    streams = [found.groups() for found in _STREAM.finditer(content)]
    if len(streams) != 1:
        raise ValueError(f"{len(streams)} pages where one is needed")
    header, packed = streams[0]
    if b"/Filter" not in header:
        return packed
    if b"/FlateDecode" not in header:
        raise ValueError("the page is packed by another method than FlateDecode")
    try:
        unpacking = zlib.decompressobj()
        page = unpacking.decompress(packed, LARGEST_PAGE)
    except zlib.error as error:
        raise ValueError(f"the page can't be unpacked: {error}") from error
    if not unpacking.eof:
        raise ValueError(f"the page is truncated or has more than {LARGEST_PAGE} bytes")
    return page


def _operations(page: bytes) -> Iterator[tuple[str, list[float], str]]:
    """Yield operators with the numbers and the text before them."""
    numbers: list[float] = []
    text = ""
    for token in _TOKEN.finditer(page):
        kind, found = str(token.lastgroup), token.group().decode("latin-1")
        if kind == "number":
            numbers.append(float(found))
        elif kind == "text":
            text = found[1:-1].replace("\\", "")
        elif kind == "operator":
            yield found, numbers, text
            numbers, text = [], ""
        elif kind == "other":
            raise ValueError(f"{found!r} is no operator")


class _Page:
    """The marks of a page, in points."""

    def __init__(self, page: bytes) -> None:
        self._region: tuple[float, float, float, float] | None = None
        self._circles: list[tuple[float, float, float]] = []
        self._lines: list[tuple[_Pair, _Pair]] = []
        self._bars: list[tuple[float, float, float, float]] = []
        self._labels: tuple[list[str], list[str]] = ([], [])
        path: list[_Pair] = []
        curves: list[_Pair] = []
        rectangle: list[float] = []
        matrix: list[float] = []
        for operator, n, text in _operations(page):
            if operator in _ARITY and len(n) != _ARITY[operator]:
                raise ValueError(f"operator {operator!r} with {len(n)} numbers")
            if not np.isfinite(n).all():
                raise ValueError(f"operator {operator!r} with a number that is too large")
            if operator == "m":
                path, curves = [(n[0], n[1])], []
            elif operator == "l":
                path.append((n[0], n[1]))
            elif operator == "c":
                curves.append((n[4], n[5]))
            elif operator == "re":
                rectangle = n
            elif operator == "W" and self._region is None and rectangle:
                x, y, width, height = rectangle
                self._region = x, y, round(x + width, 2), round(y + height, 2)
            elif operator in ("S", "B", "f", "n"):
                if rectangle and operator in ("S", "B"):
                    x, y, width, height = rectangle
                    self._bars.append((x, y, x + width, y + height))
                if len(curves) == 4 and path:
                    (left, y), (right, _) = path[0], curves[1]
                    self._circles.append(((left + right) / 2, y, (right - left) / 2))
                elif len(path) == 2:
                    self._lines.append((path[0], path[1]))
                path, curves, rectangle = [], [], []
            elif operator == "Tm":
                matrix = n
            elif operator == "Tj" and len(matrix) == 6:
                self._text(matrix, text)

    def _text(self, matrix: list[float], text: str) -> None:
        size, turned, _, _, x, y = matrix
        if text == "l":
            self._circles.append((x + DISC_X * size, y + DISC_Y * size, DISC_RADIUS * size))
        elif re.fullmatch(r"-?\d+(\.\d+)?", text):
            self._labels[turned != 0].append(text)

    def drawing(self) -> Drawing:
        """Return the marks inside the region, in the units of the axes."""
        if self._region is None:
            raise ValueError("no region of a plot")
        left, bottom, right, top = self._region
        segments: list[tuple[float, ...]] = []
        lines: list[tuple[float, ...]] = []
        ticks: tuple[list[float], list[float]] = ([], [])
        for (x0, y0), (x1, y1) in self._lines:
            if x0 == x1 and y0 == bottom > y1:
                ticks[0].append(x0)
            elif y0 == y1 and x0 == left > x1:
                ticks[1].append(y0)
            elif y0 == y1 == bottom or x0 == x1 == left:
                continue  # an axis
            elif (x0, x1) == (left, right) or (y0, y1) == (bottom, top):
                lines.append((x0, y0, x1, y1))
            else:
                segments.append((x0, y0, x1, y1))
        (x_zero, x_unit), (y_zero, y_unit) = (
            _axis(places, labels, name)
            for places, labels, name in zip(ticks, self._labels, "xy", strict=True)
        )

        def places(rows: list[tuple[float, ...]], columns: str) -> np.ndarray:
            table = np.array(rows, dtype=float).reshape(-1, len(columns))
            for n, column in enumerate(columns):
                if column != "r":
                    zero, unit = (x_zero, x_unit) if column == "x" else (y_zero, y_unit)
                    table[:, n] = (table[:, n] - zero) / unit
            return table

        bars = places(list(self._bars), "xyxy")
        bars[:, 1] = bars[:, 3] - bars[:, 1]
        return Drawing(
            places(list(self._circles), "xyr"),
            places(segments, "xyxy"),
            places(lines, "xyxy"),
            bars[:, [0, 2, 1]],
            (PLACE / x_unit, PLACE / y_unit),
        )


def _axis(places: list[float], labels: list[str], name: str) -> tuple[float, float]:
    """Return where an axis has its zero, in points, and how long its unit is."""
    if len(places) != len(labels) or len(places) < 2:
        raise ValueError(f"axis {name} has {len(places)} ticks and {len(labels)} labels")
    values = np.array([float(label) for label in labels])
    if len(set(values)) < 2:
        raise ValueError(f"axis {name} has one label, {labels[0]}, at every tick")
    unit, zero = np.polyfit(values, places, 1)
    if unit <= 0 or np.abs(zero + unit * values - places).max() > 2 * PLACE:
        raise ValueError(f"axis {name} is not linear: {', '.join(labels)}")
    return float(zero), float(unit)
