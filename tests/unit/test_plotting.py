"""Drawings that papers share: rows from the top, and tables that stay legible."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.layout_engine import ConstrainedLayoutEngine

from annobench import plotting


def test_rows_are_named_from_the_top_and_dots_lie_in_them():
    _, (axes,) = plotting.panels(1)
    plotting.dots(axes, {"before": [0.1, 0.2, 0.3], "after": [0.4, np.nan, 0.6]})
    plotting.rows_of_names(axes, ["a", "b", "c"], top=0.8, fontsize=7)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["a", "b", "c"]
    assert axes.get_ylim() == (2.5, -0.8)
    first, second = axes.lines
    assert first.get_ydata().tolist() == second.get_ydata().tolist() == [0, 1, 2]
    assert first.get_marker() != second.get_marker()


def test_texts_of_a_shaded_table_stand_out_and_missing_cells_stay_empty():
    shades = pd.DataFrame([[0.0, 1.0], [np.nan, 0.5]], ["x", "y"], ["p", "q"])
    texts = pd.DataFrame([["low", "high"], [np.nan, "middle"]])
    _, (axes,) = plotting.panels(1)
    plotting.shaded_table(axes, shades, texts, limits=(0, 1), bold=np.eye(2, dtype=bool))
    written = {text.get_text(): text for text in axes.texts}
    assert set(written) == {"low", "high", "middle"}
    assert written["high"].get_color() == "white"
    assert written["middle"].get_color() == plotting.INK
    assert written["high"].get_position() == (1, 0)
    assert {t for t, text in written.items() if text.get_fontweight() == "bold"} == {
        "low",
        "middle",
    }
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["p", "q"]


def test_both_files_of_a_figure_have_the_layout_that_is_found_once(tmp_path, monkeypatch):
    found, execute = [], ConstrainedLayoutEngine.execute
    monkeypatch.setattr(
        ConstrainedLayoutEngine, "execute", lambda *given: found.append(execute(*given))
    )
    with plotting.house_style():
        figure, (axes,) = plotting.panels(1)
        axes.set_ylabel("what takes room")
        before = axes.get_position()
        plotting.save_figure(figure, tmp_path / "figure")
    assert len(found) == 1
    assert axes.get_position().x0 != before.x0
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".png"}


def test_a_legend_below_names_what_several_panels_draw_once():
    figure, (left, right) = plotting.panels()
    left.plot([0], [0], "o", label="a")
    for axes in (left, right):
        axes.plot([0], [0], "s", label="b")
    right.plot([0], [0], "D", label="c")
    plotting.legend_below(figure, left, right)
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]


def test_circles_sized_by_labels_have_a_key_of_round_numbers():
    _, (axes,) = plotting.panels(1)
    plotting.accuracy_plane(axes, [0.5, 0.9, 0.8], [0.9, 0.7, 0.8], [20, 100, 800], area=0.5)
    handles, names = axes.get_legend_handles_labels()
    sizes = dict(zip(names, handles, strict=True))
    assert set(sizes) == {"chance", "20 labels", "400 labels"}
    assert sizes["400 labels"].get_sizes() == [0.5 * 400 + 4]


def test_circles_of_one_size_have_no_key():
    _, (axes,) = plotting.panels(1)
    plotting.accuracy_plane(axes, [0.5, 0.9], [0.9, 0.7])
    assert axes.get_legend_handles_labels()[1] == ["chance"]


def test_lines_of_a_histogram_end_below_its_legend():
    _, (axes,) = plotting.panels(1)
    plotting.histogram(axes, [0, 1, 1, 2], bins=3, marks=[(1.0, "here", "-"), (2.0, "there", "--")])
    top = axes.get_ylim()[1]
    assert max(patch.get_height() for patch in axes.patches) < 0.75 * top
    assert max(max(line.get_ydata()) for line in axes.lines) <= 0.75


def test_a_confusion_matrix_has_totals_and_its_diagonal_in_bold():
    counts = pd.DataFrame([[8, 2], [0, 5]], index=["a", "b"], columns=["a", "b"])
    figure, axes = plt.subplots()
    plotting.confusion_matrix(axes, counts)
    found = {
        (int(text.get_position()[1]), int(text.get_position()[0])): text for text in axes.texts
    }
    shown = [[int(found[i, j].get_text()) for j in range(3)] for i in range(3)]
    assert shown == [[8, 2, 10], [0, 5, 5], [8, 7, 15]]
    assert {at for at, text in found.items() if text.get_fontweight() == "bold"} == {(0, 0), (1, 1)}
    assert {at for at, text in found.items() if text.get_color() == "white"} == {(0, 0), (1, 1)}
    assert found[1, 0].get_color() == "#BBBBBB"
    assert (axes.get_xlim(), axes.get_ylim()) == ((-0.5, 2.5), (2.5, -0.5))
    column, row = ([list(map(float, ends)) for ends in line.get_data()] for line in axes.lines)
    assert (column, row) == ([[1.5, 1.5], [-0.5, 2.5]], [[-0.5, 2.5], [1.5, 1.5]])
    plt.close(figure)


def test_dots_of_sets_have_one_size():
    figure, axes = plt.subplots()
    plotting.dots(axes, {"one": [1, 2], "two": [2, 3]})
    assert [line.get_markersize() for line in axes.lines] == [5, 5]
    assert [line.get_label() for line in axes.lines] == ["one", "two"]
    plt.close(figure)


def test_the_axes_of_the_plot_of_certainty_say_what_they_show():
    _, (axes,) = plotting.panels(1)
    plotting.certainty(axes, [0.99995, 0.995, 0.95, 0.6])
    assert axes.get_xlabel() == "probability of the consensus, at least"
    assert axes.get_ylabel() == "share of items"
    assert [text.get_text() for text in axes.texts] == ["25%", "50%", "75%"]
