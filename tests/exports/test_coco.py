"""Files in the layout of COCO: one for each annotator, whose ids differ."""

import json

import pytest
from written import json_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def write(path, found, *, first=0, categories=("cat", "dog"), **more):
    """Write what was found in each image; ids of images begin at `first`."""
    numbers = {name: n for n, name in enumerate(categories, start=1)}
    images = {name: n for n, name in enumerate(found, start=first)}
    annotations = [
        {"id": n, "image_id": images[image], "category_id": numbers[name], "bbox": [0, 0, 5, 5]}
        for n, (image, name) in enumerate((i, name) for i, names in found.items() for name in names)
    ]
    content = {
        "images": [{"id": n, "file_name": name} for name, n in images.items()],
        "categories": [{"id": n, "name": name} for name, n in numbers.items()],
        "annotations": annotations + more.get("annotations", []),
    }
    return json_file(path, content)


def test_files_of_a_folder_are_compared_image_by_image(tmp_path):
    home = tmp_path / "files"
    write(home / "ann.json", {"0.jpg": ["cat"], "1.jpg": ["dog"], "2.jpg": ["cat"]})
    found = {"2.jpg": ["dog"], "1.jpg": ["dog"], "0.jpg": ["cat"]}
    write(home / "bob.json", found, first=7, categories=("dog", "cat"))
    assert recognise(home) == {"coco": "objects of images"}
    export = read_export(home)
    labels = export.labels("objects")
    assert labels.items == ("0.jpg", "1.jpg", "2.jpg")
    assert labels.annotators == ("person-1", "person-2")
    # One of 3 pairs disagrees; of 6 labels 3 are cat: 1 - (1 / 3) / (2 * 3 * 3 / (6 * 5))
    assert krippendorff_alpha(labels).estimate == pytest.approx(4 / 9)
    assert read_export(home, keep_names=True).annotators == ("ann", "bob")


def test_an_image_has_the_categories_of_all_its_objects(tmp_path):
    caption = {"id": 8, "image_id": 0, "caption": "Two dogs."}
    panoptic = {"image_id": 1, "segments_info": [{"category_id": 1}, {"category_id": 2}]}
    described = {"image_id": 2, "category_id": 2, "attributes": {"occluded": True}}
    path = write(
        tmp_path / "ann.json",
        {"a": ["dog", "dog", "cat"], "b": [], "c": [], "d": []},
        annotations=[caption, panoptic, described],
    )
    export = read_export(path)
    assert export.labels("objects", empty="category").n_labels == 4
    assert export.labels("objects=dog").to_frame().label.tolist() == ["yes", "yes", "yes"]
    assert {reason: n for reason, n, _ in export.left_out} == {
        "annotations without a category, such as captions": 1,
        "attributes of single objects": 1,
    }


def test_files_that_contradict_themselves_are_refused(tmp_path):
    path = tmp_path / "ann.json"
    for annotation, message in (
        ({"image_id": 9, "category_id": 1}, "of image '9', which is not listed"),
        ({"image_id": 0, "category_id": 9}, "has category '9', which is not listed"),
    ):
        write(path, {"a": ["cat"]}, annotations=[annotation])
        with pytest.raises(ReaderError, match=message):
            read_export(path)
    content = json.loads(write(path, {"a": ["cat"]}).read_text())
    for images, message in (
        ([{"id": 0, "file_name": "a"}, {"id": 0, "file_name": "b"}], "have the id '0'"),
        ([{"id": 0, "file_name": "a"}, {"id": 1, "file_name": "a"}], "the same file_name"),
    ):
        path.write_text(json.dumps(content | {"images": images}))
        with pytest.raises(ReaderError, match=message):
            read_export(path)


@pytest.mark.parametrize(
    "content",
    [
        {"images": [], "categories": [], "annotations": []},
        {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": []},
        {"images": [1], "categories": [1], "annotations": [1]},
        [{"image_id": 1, "category_id": 1, "bbox": [], "score": 0.5}],
    ],
)
def test_other_json_is_not_of_the_layout(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    assert recognise(path) == {}
