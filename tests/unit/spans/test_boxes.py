"""F1 of boxes: overlap, matching against an independent one, and boxes of Label Studio."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from typer.testing import CliRunner

from annobench.cli import app
from annobench.core.errors import AnnotationError
from annobench.io import select_labels
from annobench.spans import Box, box_f1, intersection_over_union, report_boxes


def some_boxes(rng, n_images=12, annotators="abc"):
    """Boxes around a few places, moved by each annotator; some are left out."""
    found = {}
    for image in range(n_images):
        places = rng.integers(0, 40, size=(rng.integers(1, 7), 2))
        for who in annotators:
            own = [
                Box(x + dx, y + dy, 10 + dw, 10 + dh, "cd"[k % 2])
                for k, ((x, y), (dx, dy, dw, dh)) in enumerate(
                    zip(places.tolist(), rng.integers(-3, 4, size=(99, 4)).tolist(), strict=False)
                )
                if rng.random() < 0.8
            ]
            found[f"image {image}", who] = own
    return found


def area_by_pixels(first, second):
    """Count the unit squares that two boxes with whole sides have in common, and cover."""
    one, two = (
        {
            (x, y)
            for x in range(int(b.left), int(b.left + b.width))
            for y in range(int(b.top), int(b.top + b.height))
        }
        for b in (first, second)
    )
    return len(one & two) / len(one | two)


def test_overlap_is_counted_in_pixels(rng):
    boxes = [box for own in some_boxes(rng, 4).values() for box in own]
    for first in boxes:
        for second in boxes:
            found = intersection_over_union(first, second)
            assert found == pytest.approx(area_by_pixels(first, second))
            assert found == intersection_over_union(second, first)


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.75])
def test_f1_is_that_of_assignments_by_another_algorithm(rng, threshold):
    boxes = some_boxes(rng)
    expected = {}
    for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
        matched = marked = 0
        for image in {image for image, _ in boxes}:
            for label in "cd":
                one, two = (
                    [box for box in boxes[image, who] if box.label == label]
                    for who in (first, second)
                )
                fits = np.array([[area_by_pixels(x, y) >= threshold for y in two] for x in one])
                if fits.size:
                    rows, columns = linear_sum_assignment(fits, maximize=True)
                    matched += fits[rows, columns].sum()
                marked += len(one) + len(two)
        expected[first, second] = 2 * matched / marked
    found = box_f1(boxes, threshold)
    by_pair = found.by_pair().set_index(["first", "second"])["f1"]
    assert by_pair.to_dict() == pytest.approx(expected)
    assert found.estimate == pytest.approx(np.mean(list(expected.values())))
    interval = found.interval(replicates=200, rng=1)
    assert interval.lower <= found.estimate <= interval.upper


def test_a_box_is_matched_with_one_other_and_as_many_as_possible_are():
    # b's first box fits both of a's; the second fits only a's first: a greedy choice loses one.
    a = [Box(0, 0, 10, 10, "x"), Box(4, 0, 10, 10, "x")]
    b = [Box(2, 0, 10, 10, "x"), Box(-2, 0, 10, 10, "x")]
    assert box_f1({("i", "a"): a, ("i", "b"): b}).estimate == 1
    assert box_f1({("i", "a"): a[:1], ("i", "b"): a[:1] * 2}).estimate == pytest.approx(2 / 3)
    assert box_f1({("i", "a"): a, ("i", "b"): [box._replace(label="y") for box in b]}).estimate == 0


def test_who_drew_nothing_counts_and_who_saw_nothing_does_not():
    box = [Box(0, 0, 1, 1, "x")]
    seen = {("i", "a"): box, ("i", "b"): box, ("j", "a"): box}
    assert box_f1(seen).estimate == 1
    assert box_f1({**seen, ("j", "b"): []}).estimate == pytest.approx(2 / 3)
    assert box_f1({**seen, ("j", "b"): []}).by_label()["f1"].tolist() == pytest.approx([2 / 3])


@pytest.mark.parametrize(
    ("boxes", "threshold", "said"),
    [
        ({("i", "a"): [], ("i", "b"): []}, 0.0, r"not in \(0, 1\]"),
        ({("i", "a"): [], ("j", "b"): []}, 0.5, "seen by two annotators"),
        ({("i", "a"): [Box(0, 0, 0, 1, "x")]}, 0.5, "image 'i', annotator 'a'"),
        ({("i", "a"): [Box(0, 0, np.inf, 1, "x")]}, 0.5, "without an area"),
    ],
)
def test_boxes_that_can_not_be_compared_are_refused(boxes, threshold, said):
    with pytest.raises(AnnotationError, match=said):
        box_f1(boxes, threshold)


def rectangle(x, label, **more):
    value = {"x": x, "y": 10, "width": 20, "height": 20, "rotation": 0, "rectanglelabels": [label]}
    return {
        "type": "rectanglelabels",
        "from_name": "what",
        "original_width": 640,
        "original_height": 480,
        "value": value | more,
    }


def write(folder, *tasks):
    path = folder / "export.json"
    content = [
        {
            "id": number,
            "data": {"image": f"{number}.jpg"},
            "annotations": [
                {"id": 10 * number + who, "completed_by": who, "result": result}
                for who, result in enumerate(results, start=1)
            ],
        }
        for number, results in enumerate(tasks, start=1)
    ]
    path.write_text(json.dumps(content))
    return path


def test_boxes_of_label_studio_are_compared_by_report(tmp_path):
    path = write(
        tmp_path,
        ([rectangle(0, "car")], [rectangle(2, "car")]),
        ([rectangle(0, "car"), rectangle(50, "<b>dog")], [rectangle(15, "car")]),
        ([rectangle(5, "<b>dog")], []),
    )
    found = select_labels(path)
    assert found.boxes["1", "2"] == (Box(2, 10, 20, 20, "car"),)
    assert found.boxes["3", "2"] == ()
    done = CliRunner().invoke(app, ["report", str(path)])
    assert done.exit_code == 0, done.output
    # Of 4 + 2 boxes one of each matches; those at 0 and 15 overlap by a seventh.
    assert "F1 of boxes is 0.333" in " ".join(done.output.split())
    table = pd.read_csv(tmp_path / "export_agreement" / "boxes.csv")
    expected = report_boxes(found.boxes, rng=0)
    assert table["estimate"].tolist() == pytest.approx(expected["estimate"].tolist(), nan_ok=True)
    page = (tmp_path / "export_agreement" / "report.html").read_text()
    assert 'id="boxes"' in page
    assert "&lt;b&gt;dog" in page
    assert "<b>dog" not in page


@pytest.mark.parametrize("odd", [{"rotation": 12}, {"width": 0}, {"y": None}, {"height": 1e300}])
def test_rectangles_without_a_place_are_said_and_not_compared(odd, tmp_path):
    path = write(tmp_path, ([rectangle(0, "car")], [rectangle(0, "car", **odd)]))
    found = select_labels(path)
    assert found.boxes == {}
    assert any("rotated or have no area" in text for text in found.remarks)
    assert found.labels.n_labels == 2
