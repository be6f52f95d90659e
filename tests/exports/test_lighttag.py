"""Results of LightTag: classes, tags, relations, who saw an example."""

import pytest
from written import json_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Relation, Span

NUMBERS = {"ann": 1, "bob": 2}


def by(*people, when="2026-11-24T10:05:00+00:00"):
    return [{"annotator_id": NUMBERS[who], "annotator": who, "timestamp": when} for who in people]


def tag(token, start, end, label, *people, **more):
    about = {"tagged_token_id": token, "start": start, "end": end, "tag": label, "value": "x"}
    return about | {"reviewed": False, "correct": None, "annotated_by": by(*people)} | more


def classes(**given):
    return [
        {"classname": label, "class_id": f"c-{label}", "classified_by": by(*people)}
        for label, people in given.items()
    ]


def example(number, seen=("ann", "bob"), annotations=(), classifications=()):
    return {
        "example_id": f"e{number}",
        "content": f"Text no. {number} of Lima",
        "metadata": {},
        "seen_by": [{"annotator_id": NUMBERS[who], "annotator": who} for who in seen],
        "annotations": list(annotations),
        "classifications": list(classifications),
    }


def node(number, above, token, who, kind=None):
    return {
        "id": f"n{number}",
        "parent_id": above,
        "children": [],
        "type": "token" if token else "pseudo_node",
        "relation_type": kind,
        "annotator": who,
        "annotator_id": NUMBERS[who],
        "tagged_token_id": token,
    }


def write(folder, *examples, relations=(), file="task.json"):
    path = folder / file
    task = {"id": "t", "name": "task", "schema": {"tags": []}, "relations": list(relations) or {}}
    return json_file(path, task | {"examples": examples})


def test_classes_are_sets_of_all_who_saw_an_example(tmp_path):
    given = [
        {"pos": ["ann", "bob"]},
        {"pos": ["ann"], "neg": ["bob"]},
        {"neg": ["ann", "bob"]},
        {"pos": ["ann", "bob"]},
    ]
    path = write(
        tmp_path,
        *(example(n, classifications=classes(**each)) for n, each in enumerate(given)),
        example(9, seen=["bob"]),
        example(10, seen=[]),
    )
    assert recognise(path) == {"lighttag": "results of a task"}
    export = read_export(path)
    found = export.select("classes")
    # One of 4 pairs disagrees; of 8 labels 5 are pos: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(found.labels).estimate == pytest.approx(8 / 15)
    assert set(found.labels.annotators) == {"person-1", "person-2"}
    assert found.texts["e1"] == "Text no. 1 of Lima"
    assert export.totals()["answers that chose nothing"] == 1
    assert {each.reason: each.n for each in export.left_out} == {
        "examples that nobody has annotated": 1
    }


def test_several_classes_of_one_annotator_are_one_set(tmp_path):
    path = write(tmp_path, example(1, classifications=classes(pos=["ann"], long=["ann", "bob"])))
    labels = read_export(path, keep_names=True).labels("classes")
    assert labels.scale == "set"
    given = {
        (labels.items[i], labels.annotators[j]): labels.categories[k]
        for i, j, k in zip(labels.item, labels.annotator, labels.label, strict=True)
    }
    assert given == {("e1", "ann"): "{long, pos}", ("e1", "bob"): "{long}"}


def test_tags_are_spans_of_all_who_saw_the_text(tmp_path):
    path = write(
        tmp_path,
        example(1, annotations=[tag("t1", 12, 16, "PLACE", "ann"), tag("t2", 0, 4, "X", "bob")]),
        example(2, annotations=[tag("t3", 0, 4, "X", "ann", "bob", reviewed=True, correct=False)]),
        example(3, seen=["ann"]),
    )
    export = read_export(path, keep_names=True)
    found = {(m.document, m.annotator): m.spans for m in export.marks("tags")}
    assert found == {
        ("e1", "ann"): (Span(12, 16, "PLACE"),),
        ("e1", "bob"): (Span(0, 4, "X"),),
        ("e2", "ann"): (Span(0, 4, "X"),),
        ("e2", "bob"): (Span(0, 4, "X"),),
        ("e3", "ann"): (),
    }
    assert export.documents["e1"] == "Text no. 1 of Lima"


def test_relations_lead_from_a_node_to_its_children(tmp_path):
    spans = [tag(f"t{n}", n, n + 1, "X", "ann") for n in range(3)]
    relations = [
        node(1, None, "t0", "ann"),
        node(2, "n1", "t1", "ann", "owns"),
        node(3, "n2", "t2", "ann"),
        node(4, "n1", None, "ann"),
        node(5, "n1", "far", "ann"),
        node(6, "n1", "t1", "bob"),
    ]
    path = write(
        tmp_path,
        example(1, annotations=spans),
        example(2, annotations=[tag("far", 0, 1, "X", "ann")]),
        relations=relations,
    )
    export = read_export(path, keep_names=True)
    [found] = [m for m in export.marks() if (m.document, m.annotator) == ("e1", "ann")]
    first, second, third = (Span(n, n + 1, "X") for n in range(3))
    assert found.relations == (
        Relation(first, second, "owns"),
        Relation(second, third, "relation"),
    )
    assert {each.reason: each.n for each in export.left_out} == {
        "relations that are not between two spans of one example": 2,
        "relations of spans that another annotator marked": 1,
    }


def test_tasks_may_be_several_files(tmp_path):
    home = tmp_path / "export"
    home.mkdir()
    write(home, example(1, classifications=classes(pos=["ann"])), file="a.json")
    write(home, example(2, classifications=classes(neg=["bob"])), file="b.json")
    assert read_export(home).labels("classes").n_labels == 2


def test_misshapen_examples_are_refused_with_their_number(tmp_path):
    good = example(1, classifications=classes(pos=["ann"]))
    bad = example(2, annotations=[tag("t", 5, 3, "X", "ann")])
    nameless = example(3, classifications=[{"classname": "a", "classified_by": [{}]}])
    path = write(tmp_path, good, bad, nameless)
    with pytest.raises(ReaderError, match=r"example 2.*begins at 5(.|\n)*example 3.*annotator_id"):
        read_export(path)
    path = write(tmp_path, good, relations=[{"id": None}])
    with pytest.raises(ReaderError, match="relation 1: the id of a node"):
        read_export(path)
