"""Labeling jobs of SageMaker Ground Truth: requests, worker responses, manifests."""

import json

import pytest

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import Span

WORDS = {"p": "pos", "n": "neg"}
#: What three workers answered about four objects.
ANSWERS = ["ppp", "npn", "nnn", "pnp"]


def classified(sign):
    return {"crowd-classifier": {"label": WORDS[sign]}}


def request(number, contents, **about):
    return {
        "datasetObjectId": str(number),
        "dataObject": about or {"content": f"text {number}"},
        "annotations": [
            {"workerId": f"w{n}", "annotationData": {"content": json.dumps(content)}}
            for n, content in enumerate(contents)
        ],
    }


def responses(path, contents):
    path.parent.mkdir(parents=True, exist_ok=True)
    answers = [
        {"workerId": f"w{n}", "answerContent": content, "workerMetadata": {}}
        for n, content in enumerate(contents)
    ]
    path.write_text(json.dumps({"answers": answers}))


def written(path, *records):
    path.write_text(json.dumps(records))
    return path


def check(export):
    labels = export.labels("crowd-classifier")
    assert labels.items == ("0", "1", "2", "3")
    assert labels.annotators == ("w0", "w1", "w2")
    # 4 of 12 pairs disagree; of 12 labels 6 are pos: 1 - (4 / 12) / (2 * 6 * 6 / (12 * 11))
    assert krippendorff_alpha(labels).estimate == pytest.approx(7 / 18)


def test_a_consolidation_request_holds_the_answers_and_the_objects(tmp_path):
    objects = [request(n, map(classified, signs)) for n, signs in enumerate(ANSWERS)]
    path = written(tmp_path / "request.json", *objects)
    assert recognise(path) == {"ground_truth": "consolidation request"}
    export = read_export(path)
    check(export)
    assert export.texts["2"] == "text 2"


def test_worker_responses_are_a_file_an_object(tmp_path):
    for n, signs in enumerate(ANSWERS):
        file = tmp_path / "iteration-1" / str(n) / "2024-05-01_10-00-09.json"
        responses(file, map(classified, signs))
    assert recognise(tmp_path) == {"ground_truth": "worker responses"}
    check(read_export(tmp_path))


def test_what_repeats_the_answers_is_left_out_of_a_whole_job(tmp_path):
    job = tmp_path / "job"
    for n, signs in enumerate(ANSWERS):
        file = job / "annotations/worker-response/iteration-1" / str(n) / "time.json"
        responses(file, map(classified, signs))
    folder = job / "annotations/consolidated-annotation"
    folder.mkdir()
    written(folder / "request.json", request(0, [classified("p")]))
    written(folder / "response.json", {"datasetObjectId": "0", "consolidatedAnnotation": {}})
    (job / "output.manifest").write_text(json.dumps(line(0)) + "\n")
    assert recognise(job) == {"ground_truth": "worker responses"}
    export = read_export(job)
    check(export)
    assert {reason: n for reason, n, _ in export.left_out} == {"files of other kinds": 3}


def test_each_element_of_a_template_is_a_question(tmp_path):
    contents = [
        {"tone": {"label": "kind"}, "topics": {"labels": ["war", "sport"]}, "sure": {"on": True}},
        {"boxes": {"boundingBoxes": [{"label": "dog", "top": 1}], "inputImageProperties": {}}},
        {"ner": {"entities": [{"startOffset": 0, "endOffset": 3, "label": "PER"}]}},
        {},
    ]
    path = written(
        tmp_path / "request.json",
        request("a", contents, content=json.dumps({"source": "Ada met him."})),
        request("b", []),
        request("c", [], s3Uri="s3://bucket/key"),
        {
            "datasetObjectId": 7,
            "annotations": [{"workerId": "w", "annotationData": {"s3Uri": "s3://bucket/key"}}],
        },
    )
    export = read_export(path)
    found = export.questions.set_index("question")
    assert found.categories.to_dict() == {
        "tone": ["kind"],
        "topics": ["sport", "war"],
        "sure": ["on"],
        "boxes": ["dog"],
        "ner": ["PER"],
    }
    assert export.marks()[0].spans == (Span(0, 3, "PER"),)
    assert export.documents == {"a": "Ada met him.", "b": "text b"}
    assert {reason: n for reason, n, _ in export.left_out} == {
        "answers without content": 1,
        "objects that nobody annotated": 2,
        "annotations of which the request contains only the address": 1,
    }
    assert export.totals()["records"] == 7


def line(number, value=0, **about):
    described = {"type": "groundtruth/text-classification", "human-annotated": "yes"}
    described |= about or {"class-name": "pos"}
    return {"source": f"text {number}", "job": value, "job-metadata": described}


def test_an_output_manifest_is_a_consensus(tmp_path):
    path = tmp_path / "output.manifest"
    classes = {"0": "a", "2": "c"}
    entity = {"annotations": {"entities": [{"startOffset": 0, "endOffset": 4, "label": "X"}]}}
    lines = [
        line(0),
        line(1, [0, 2], **{"class-map": classes}),
        line(2, {"annotations": [{"class_id": 2}, {"class_id": 2}]}, **{"class-map": classes}),
        line(3, entity, objects=[]),
        line(4, **{"class-name": "neg", "human-annotated": "no"}),
        {"source-ref": "s3://b/5.png", "other": 1},
        {"source-ref": "s3://b/6.png"} | {k: v for k, v in line(6).items() if k != "source"},
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert recognise(path) == {"ground_truth": "output manifest"}
    export = read_export(path)
    frame = export.labels("job", scale="nominal").to_frame()
    assert frame.values.tolist() == [
        ["line 1", "consensus", "pos"],
        ["line 2", "consensus", "a; c"],
        ["line 3", "consensus", "c"],
        ["line 5", "model", "neg"],
        ["s3://b/6.png", "consensus", "pos"],
    ]
    assert export.marks()[0].spans == (Span(0, 4, "X"),)
    assert export.texts["line 1"] == "text 0"
    assert export.notes[0].startswith("An output manifest contains one label per object")
    [(reason, n, place)] = export.left_out
    assert (reason, n, place) == ("lines without a label that can be compared", 1, "line 6")


def test_misshapen_answers_are_refused_with_their_place(tmp_path):
    path = written(tmp_path / "request.json", request(0, [classified("p"), "no object"]))
    with pytest.raises(ReaderError, match=r"record 1: the content of an annotation"):
        read_export(path)
    other = tmp_path / "some.json"
    other.write_text(json.dumps({"answers": ["a", "b"]}))
    assert recognise(other) == {}
    with pytest.raises(ReaderError, match="Give the folder worker-response"):
        read_export(other, format="ground_truth")
