"""Marks are read off a drawing as they were put there, and anything else is an error."""

import itertools
import zlib

import numpy as np
import pytest

from annobench import datasets
from annobench.core.errors import ReaderError
from annobench_datasets._r_drawings import DISC_X, DISC_Y, read_drawing

#: The region, and where the axes have 0 and 1.
LEFT, BOTTOM, RIGHT, TOP = 50.0, 60.0, 450.0, 360.0
ZERO, ONE = (100.0, 90.0), (400.0, 330.0)

AXES = f"""
{LEFT} {BOTTOM} {RIGHT - LEFT} {TOP - BOTTOM} re W n
100.00 60.00 m 400.00 60.00 l S
100.00 60.00 m 100.00 52.80 l S
400.00 60.00 m 400.00 52.80 l S
BT /F2 1 Tf 18.00 0.00 -0.00 18.00 92.00 40.00 Tm (0.0) Tj
/F2 1 Tf 18.00 0.00 -0.00 18.00 392.00 40.00 Tm (1.0) Tj
/F2 1 Tf 18.00 0.00 -0.00 18.00 392.00 20.00 Tm (a \\(sensitivity\\)) Tj ET
50.00 90.00 m 50.00 330.00 l S
50.00 90.00 m 42.80 90.00 l S
50.00 330.00 m 42.80 330.00 l S
BT /F2 1 Tf 0.00 18.00 -18.00 0.00 30.00 82.00 Tm (0) Tj
/F2 1 Tf 0.00 18.00 -18.00 0.00 30.00 322.00 Tm (1) Tj ET
"""


def place(x, y):
    return ZERO[0] + x * (ONE[0] - ZERO[0]), ZERO[1] + y * (ONE[1] - ZERO[1])


def disc(x, y, size=7.48):
    (left, bottom) = place(x, y)
    at = f"{left - DISC_X * size:.2f} {bottom - DISC_Y * size:.2f}"
    return f"BT /F1 1 Tf 1 Tr {size} 0 0 {size} {at} Tm (l) Tj 0 Tr ET\n"


def ring(x, y, radius):
    (cx, cy), k = place(x, y), 0.55
    ends = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, 0)]
    text = f"{cx - radius:.2f} {cy:.2f} m\n"
    for (ax, ay), (bx, by) in itertools.pairwise(ends):
        points = ((ax + k * bx, ay + k * by), (bx + k * ax, by + k * ay), (bx, by))
        text += " ".join(f"{cx + radius * u:.2f} {cy + radius * v:.2f}" for u, v in points) + " c\n"
    return text + "S\n"


def line(x, y, x_end, y_end):
    (a, b), (c, d) = place(x, y), place(x_end, y_end)
    return f"{a:.2f} {b:.2f} m\n{c:.2f} {d:.2f} l\nS\n"


def bar(left, right, height):
    (a, b), (c, d) = place(left, 0), place(right, height)
    return f"{a:.2f} {b:.2f} {c - a:.2f} {d - b:.2f} re B\n"


def pdf(page, *, packed=False, header=None):
    content = page.encode("latin-1")
    if packed:
        content, header = zlib.compress(content), header or "/Filter /FlateDecode"
    start = f"%PDF-1.1\n7 0 obj\n<<\n/Length 8 0 R {header or ''}\n>>\nstream\r\n"
    return start.encode() + content + b"\nendstream\nendobj\n%%EOF\n"


def read(tmp_path, content):
    path = tmp_path / "drawing.pdf"
    path.write_bytes(content)
    return read_drawing(path)


@pytest.mark.parametrize("packed", [False, True])
def test_every_mark_is_read_where_it_was_drawn(tmp_path, packed):
    page = AXES + disc(0.25, 0.5) + ring(0.7, 0.9, 12) + line(0.1, 0.2, 0.1, 0.8)
    page += line(0.3, 0.4, 0.35, 0.6) + bar(0.2, 0.4, 0.75) + bar(0.4, 0.6, 0)
    page += f"{LEFT:.2f} 200.00 m {RIGHT:.2f} 200.00 l S\n"
    found = read(tmp_path, pdf(page, packed=packed))
    # A hundredth of a point is 1/30000 of the x axis and 1/24000 of the y axis.
    near = {"abs": 1.1 * max(found.step)}
    assert found.step == pytest.approx((1 / 30_000, 1 / 24_000))
    assert found.circles[:, :2] == pytest.approx(np.array([[0.25, 0.5], [0.7, 0.9]]), **near)
    assert found.circles[:, 2] == pytest.approx([2.70, 12], abs=0.01)
    assert found.segments == pytest.approx(
        np.array([[0.1, 0.2, 0.1, 0.8], [0.3, 0.4, 0.35, 0.6]]), **near
    )
    assert found.lines == pytest.approx(
        np.array([[-1 / 6, 110 / 240, 350 / 300, 110 / 240]]), **near
    )
    assert found.bars == pytest.approx(np.array([[0.2, 0.4, 0.75], [0.4, 0.6, 0]]), **near)


def test_a_line_that_leaves_the_region_is_no_tick(tmp_path):
    # An interval may end below what the axis shows.
    found = read(tmp_path, pdf(AXES + line(0.5, -0.5, 0.5, 0.5)))
    assert found.segments == pytest.approx(np.array([[0.5, -0.5, 0.5, 0.5]]), abs=1e-3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin with %PDF-"),
        (b"%PDF-1.1\nnothing", "0 pages"),
        (pdf(AXES) + pdf(AXES), "2 pages"),
        (pdf(AXES, header="/Filter /LZWDecode"), "another method than FlateDecode"),
        (pdf(AXES, header="/Filter /FlateDecode"), "can't be unpacked"),
        (pdf(AXES, packed=True)[:160] + b"\nendstream", "truncated"),
        (pdf("0 " * (1 << 24), packed=True), "has more than 16777216 bytes"),
        (pdf("S"), "no region"),
        (pdf(AXES.replace("(1.0)", "(one)")), "axis x has 2 ticks and 1 labels"),
        (pdf(AXES.replace("(1.0)", "(0.0)")), "axis x has one label, 0.0, at every tick"),
        (pdf(AXES.replace("(1.0)", "(-1.0)")), "axis x is not linear"),
        (pdf(AXES + "1 2 3 m"), "operator 'm' with 3 numbers"),
        (pdf(AXES + "1 2 l 3 4 c"), "operator 'c' with 2 numbers"),
        (pdf(AXES + "9" * 400 + " 1 l"), "operator 'l' with a number that is too large"),
        (pdf(AXES + "{1}"), "'{' is no operator"),
    ],
)
def test_what_is_no_plot_is_an_error_that_names_the_file(tmp_path, content, message):
    with pytest.raises(
        ReaderError, match=rf"drawing\.pdf: no plot of R's pdf device \(.*{message}"
    ):
        read(tmp_path, content)


def test_a_drawing_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(ReaderError, match="can't be read"):
        read_drawing(tmp_path / "drawing.pdf")


def test_a_figure_with_other_marks_than_those_drawn_is_refused(tmp_path):
    record = datasets.get("carpenter_figures")
    path = tmp_path / "drawing.pdf"
    path.write_bytes(pdf(AXES + disc(0.5, 0.5)))
    with pytest.raises(ReaderError, match=r"drawing\.pdf: 1 circles where 20 are drawn"):
        record.parse({file.path: path for file in record.files})


def test_an_error_analysis_with_other_marks_is_refused_with_the_line(tmp_path):
    record = datasets.get("muc6_error_analysis")
    path = tmp_path / "tokens.txt"
    path.write_text("[FP] 1695   -1  Tass\n\n[XX] 3\n")
    with pytest.raises(ReaderError, match=r"(?s)tokens\.txt.*line 3: '\[XX\] 3' does not begin"):
        record.parse({record.files[0].path: path})
