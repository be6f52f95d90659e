"""Exports of CVAT for images: tags, their attributes, shapes, a file for each annotator."""

import pytest

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise

HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n<version>1.1</version>\n<meta></meta>'
)


def image(number, *parts):
    return f'<image id="{number}" name="{number}.jpg" width="9" height="9">{"".join(parts)}</image>'


def tag(label, **attributes):
    inside = "".join(f'<attribute name="{k}">{v}</attribute>' for k, v in attributes.items())
    return f'<tag label="{label}" source="manual">{inside}</tag>'


def write(path, *images, end="</annotations>"):
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([HEAD, *images, end]))
    return path


def test_tags_of_a_folder_are_compared_image_by_image(tmp_path):
    home = tmp_path / "task"
    for who, tags in (("ann", "cdcc"), ("bob", "cddc")):
        labels = [{"c": "cat", "d": "dog"}[sign] for sign in tags]
        write(home / f"{who}.xml", *(image(n, tag(label)) for n, label in enumerate(labels)))
    (home / "0.jpg").write_bytes(b"\xff\xd8")
    assert recognise(home) == {"cvat": "images"}
    export = read_export(home)
    labels = export.labels("tags")
    assert labels.items == ("0.jpg", "1.jpg", "2.jpg", "3.jpg")
    assert labels.annotators == ("person-1", "person-2")
    # One of 4 pairs disagrees; of 8 labels 5 are cat: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(labels).estimate == pytest.approx(8 / 15)
    assert export.left_out[0][:2] == ("files of other kinds", 1)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    for who in ("ann", "bob"):
        (tmp_path / "task").mkdir(exist_ok=True)
        write(tmp_path / "task" / who / "annotations.xml", image(1, tag("cat")))
    export = read_export(tmp_path / "task", keep_names=True)
    assert sorted(export.annotators) == ["ann/annotations.xml", "bob/annotations.xml"]


def test_tags_attributes_and_shapes_are_questions(tmp_path):
    box = '<box label="car" xtl="1" ytl="1" xbr="2" ybr="2"><attribute name="a">b</attribute></box>'
    shape = '<mask label="sky" rle="1"></mask>'
    path = write(
        tmp_path / "ann.xml",
        image(1, tag("day", sure="yes &amp; no", empty=""), tag("rain"), box, box),
        image(2, shape, image(4, tag("night"))),
        image(3),
    )
    export = read_export(path)
    found = export.questions.set_index("question")
    assert found.categories.to_dict() == {
        "tags": ["day", "rain"],
        "objects": ["car", "sky"],
        "tags.day.sure": ["yes & no"],
    }
    assert found.answers.to_dict() == {"tags": 3, "objects": 3, "tags.day.sure": 1}
    assert {reason: n for reason, n, _ in export.left_out} == {
        "attributes of single shapes": 2,
        "elements <image>": 1,
    }


def test_other_documents_are_refused(tmp_path):
    path = write(tmp_path / "a.xml", image(1, "<tag/>"))
    with pytest.raises(ReaderError, match="line 5: <tag> without a label"):
        read_export(path)
    track = '<track id="0" label="car"><box frame="0"></box></track>'
    path = write(tmp_path / "b.xml", track)
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="line 5: a track of a video"):
        read_export(path, format="cvat")
    path.write_text("<annotation><filename>1.jpg</filename></annotation>")
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="the root is not <annotations>"):
        read_export(path, format="cvat")
    path = write(tmp_path / "c.xml", image(1))
    with pytest.raises(ReaderError, match="images without a tag or a shape"):
        read_export(path)
    path = write(tmp_path / "d.xml", image(1, tag("x")), end="")
    with pytest.raises(ReaderError, match="not well-formed XML"):
        read_export(path)
