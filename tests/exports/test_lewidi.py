"""Files of the shared tasks on learning with disagreements."""

import json
from collections import Counter

import pytest
from written import json_file

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def entry(annotations, annotators="Ann1,Ann2,Ann3", **more):
    return {
        "text": "x",
        "annotation task": "hate speech detection",
        "number of annotations": 3,
        "annotations": annotations,
        "annotators": annotators,
        "lang": "en",
        "hard_label": "0",
        "soft_label": {"0": 0.67, "1": 0.33},
        "split": "dev",
        "other_info": {},
        **more,
    }


def test_lists_with_commas_and_further_annotations_are_questions(tmp_path):
    further = {"other annotations": {"offensive": "1,1,0"}, "group1": "target group"}
    content = {"1": entry("0,0,1", other_info=further), "2": entry("", hard_label="")}
    path = json_file(tmp_path / "set.json", content)
    assert recognise(path) == {"lewidi": "LeWiDi 2023"}
    export = read_export(path)
    assert export.questions.question.tolist() == ["hate speech detection", "offensive"]
    selection = export.select("offensive")
    assert selection.labels.to_frame().values.tolist() == [
        ["1", "Ann1", "1"],
        ["1", "Ann2", "1"],
        ["1", "Ann3", "0"],
    ]
    steps = selection.ledger.set_index("what").rows
    assert steps["records read"] == 2
    assert steps["left out: items without annotations"] == 1
    # A hard label is a vote, not gold.
    assert selection.gold == {}


def test_annotations_by_annotator_are_those_of_2025(tmp_path):
    more = {"number of annotators": 2, "annotation task": "sarcasm detection"}
    text = {"context": "Rain.", "response": "Lovely."}
    content = {"1": entry({"Ann1": "6", "Ann9": "1"}, "Ann1,Ann9", text=text, **more)}
    path = json_file(tmp_path / "CSC_dev.json", content)
    assert recognise(path) == {"lewidi": "LeWiDi 2025"}
    export = read_export(path)
    assert export.labels().scale == "interval"
    assert export.texts == {"1": "context: Rain.\nresponse: Lovely."}
    assert read_export(path, text="response").texts == {"1": "response: Lovely."}


def test_several_categories_of_an_annotator_are_a_set(tmp_path):
    more = {"number of annotators": 2, "annotation task": "natural language inference"}
    content = {"1": entry({"Ann1": "neutral,entailment", "Ann2": "neutral"}, **more)}
    labels = read_export(json_file(tmp_path / "VariErrNLI_dev.json", content)).labels()
    assert labels.scale == "set"
    assert labels.n_labels == 2


def test_lists_of_different_lengths_are_faults(tmp_path):
    path = json_file(tmp_path / "set.json", {"1": entry("0,0,1"), "2": entry("0,1"), "3": [1]})
    with pytest.raises(ReaderError) as caught:
        read_export(path)
    assert "item 2: 2 annotations of 'hate speech detection', 3 names" in str(caught.value)
    assert "item 3: '[1]' where an object is expected" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "n_items", "n_annotators", "ones"),
    [
        ("ArMIS_dev", 141, 3, [168]),
        ("ArMIS_train", 657, 3, [808]),
        ("HS-Brexit_dev", 168, 6, [132, 116, 199]),
        ("HS-Brexit_train", 784, 6, [605, 468, 1021]),
    ],
)
def test_the_sets_of_2023_hold_what_was_counted(mirror, name, n_items, n_annotators, ones):
    path = mirror / "exports" / "lewidi" / f"{name}.json"
    export = read_export(path)
    counts = [Counter() for _ in ones]
    for content in json.loads(path.read_text()).values():
        lists = [content["annotations"]]
        lists += content["other_info"].get("other annotations", {}).values()
        for count, labels in zip(counts, lists, strict=True):
            count.update(labels.split(","))
    assert [count["1"] for count in counts] == ones
    for question, count in zip(export.questions.question, counts, strict=True):
        selection = export.select(question)
        assert selection.labels.n_items == n_items
        assert selection.labels.n_annotators == n_annotators
        assert Counter(selection.labels.to_frame().label) == count
        assert selection.ledger.rows.tolist() == [n_items, n_items] + [n_items * n_annotators] * 2


def test_two_labels_of_hs_brexit_are_slips(mirror):
    # "No" among labels of 0 and 1, in the public file itself
    export = read_export(mirror / "exports" / "lewidi" / "HS-Brexit_train.json")
    frame = export.labels("offensive language detection").to_frame()
    assert frame[frame.label == "No"].values.tolist() == [
        ["426", "Ann2", "No"],
        ["604", "Ann2", "No"],
    ]
