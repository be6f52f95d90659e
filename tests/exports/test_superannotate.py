"""Exports of SuperAnnotate: tags and their attributes, entities, objects, statuses."""

import json

import pytest
from written import json_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span


def tag(label, **groups):
    attributes = [{"groupName": group, "name": value} for group, value in groups.items()]
    return {"type": "tag", "className": label, "attributes": attributes}


def entity(label, start, end, **more):
    return {"type": "entity", "className": label, "start": start, "end": end} | more


def write(folder, name, who, *instances, status="Completed", **more):
    about = {"name": name, "status": status, "annotatorEmail": who}
    record = {"metadata": about, "instances": list(instances), "tags": [], "freeText": ""} | more
    path = folder / f"{name}.json"
    return json_file(path, record)


def test_attributes_of_tags_are_questions(tmp_path):
    home = tmp_path / "export"
    answers = {"1": ("pos", "pos"), "2": ("neg", "pos"), "3": ("neg", "neg"), "4": ("pos", "pos")}
    for name, given in answers.items():
        for who, label in zip(("ann", "bob"), given, strict=True):
            write(home / who, name, f"{who}@example.org", tag("Tone", Polarity=label))
    (home / "classes").mkdir()
    (home / "classes" / "classes.json").write_text('[{"id": 1, "name": "Tone"}]')
    assert recognise(home) == {"superannotate": "annotations of a project"}
    export = read_export(home)
    labels = export.labels("Tone.Polarity")
    assert set(labels.items) == set(answers)
    assert set(labels.annotators) == {"person-1", "person-2"}
    # One of 4 pairs disagrees; of 8 labels 5 are pos: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(labels).estimate == pytest.approx(8 / 15)
    assert export.left_out[0][:2] == ("files of other kinds", 1)


def test_entities_objects_tags_and_texts_have_their_questions(tmp_path):
    home = tmp_path / "export"
    attributes = [{"name": "a", "groupName": "b"}]
    write(home, "1", "a@x.org", entity("PER", 0, 2, attributes=attributes), tags=["good", "short"])
    box = {"type": "bbox", "className": "Car", "points": {"x1": 1}}
    write(home, "2", "a@x.org", box, box, freeText="unclear", comments=[{}])
    write(home, "3", "a@x.org", tag("Tone", A="x", B="y"))
    export = read_export(home)
    found = export.questions.set_index("question")
    assert found.categories.to_dict() == {
        "tags": ["Tone", "good", "short"],
        "objects": ["Car"],
        "free text": ["unclear"],
        "Tone.A": ["x"],
        "Tone.B": ["y"],
        "entities": ["PER"],
    }
    assert found.answers["tags"] == 3
    assert found.kind["free text"] == "text"
    assert [marks.spans for marks in export.marks()] == [(Span(0, 3, "PER"),), (), ()]
    assert {reason: n for reason, n, _ in export.left_out} == {
        "attributes of single instances": 1,
        "comments": 1,
    }


def test_only_finished_work_counts(tmp_path):
    home = tmp_path / "export"
    states = ["Completed", "Quality Check", "Returned", "Skipped", "InProgress", "Not Started", ""]
    for n, status in enumerate([*states, "New"]):
        write(home, str(n), "a@x.org", tag("T"), status=status)
    export = read_export(home)
    assert export.labels("tags").n_labels == 3
    totals = export.totals()
    assert totals["rejected answers"] == totals["skipped or ignored answers"] == 1
    assert totals["unfinished or expired answers"] == 3


def test_the_annotator_may_not_be_named(tmp_path):
    home = tmp_path / "export"
    write(home, "1", None, tag("T"), metadata={"name": "1", "lastAction": {"email": "b@x.org"}})
    write(home, "2", None, tag("T"))
    write(home, "3", None)
    export = read_export(home, keep_names=True)
    assert export.annotators == ("b@x.org", "annotator")
    path = write(tmp_path / "one", "3", None)
    with pytest.raises(ReaderError, match="items without annotations"):
        read_export(path)


def test_misshapen_instances_are_refused_with_their_file(tmp_path):
    home = tmp_path / "export"
    write(home, "1", "a@x.org", entity("PER", 3, 1))
    with pytest.raises(ReaderError, match=r"1\.json, record 1: an entity 'PER' begins at 3"):
        read_export(home)
    other = tmp_path / "x.json"
    other.write_text(json.dumps({"metadata": {"name": "x"}, "instances": []}))
    assert recognise(other) == {}
