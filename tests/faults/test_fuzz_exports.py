"""Mutated exports in JSON: each is refused, or holds what a second reader finds in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from faults import second_readers, second_tools
from faults.exported import compare_labels, held
from faults.fuzzing import FEWER, TIMES, count, feed, folder_in_memory
from faults.mutations import as_json, mixed, of_bytes, of_parts

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import discover, read_export, recognise

REFUSALS = (ReaderError, AnnotationError)

SPAN = {"start": 0, "end": 2, "label": "ORG"}
PRODIGY = [
    {"text": "t1", "_input_hash": 1, "options": [{"id": "a"}, {"id": "b"}], "accept": ["a", "b"]},
    {"text": "t2", "_input_hash": 2, "_session_id": "s-ann", "options": [], "accept": []},
    {"text": "t1", "_input_hash": 1, "label": "SPAM", "_annotator_id": "bob"},
    {"text": "t2", "_input_hash": -2, "tokens": [], "spans": [SPAN], "_annotator_id": "bob"},
    {"text": "t3", "options": [{"id": 1, "text": "good"}, {"id": 2, "text": "bad"}], "accept": [2]},
]
PRODIGY = [
    record | {"answer": answer}
    for record, answer in zip(
        PRODIGY, ["accept", "ignore", "reject", "accept", "accept"], strict=True
    )
]
ENTITY = {"id": 1, "start_offset": 0, "end_offset": 2, "label": "ORG"}
DOCCANO = [
    {"id": 1, "text": "a text", "label": ["good", "bad"]},
    {"id": 2, "text": "b text", "label": ["good"], "entities": [ENTITY]},
    {"id": 3, "text": "c text", "annotations": [{"label": 2, "user": 3}, ENTITY | {"user": 4}]},
    {"id": 4, "text": "d text", "label": [[0, 1, "x"]]},
]


def response(user: str, status: str, **values: Any) -> dict[str, Any]:
    given = {question: {"value": value} for question, value in values.items()}
    return {"user_id": user, "status": status, "values": given}


ARGILLA = [
    {"id": "r1", "fields": {"text": "t"}, "responses": [response("u1", "submitted", mood="good")]},
    {
        "id": "r2",
        "fields": {"text": "t"},
        "responses": [
            response("u1", "submitted", mood="bad", topics=["a", "b"], ner=[SPAN]),
            response("u2", "draft", mood="good", topics=["a"], stars=4),
        ],
    },
    {"id": 3, "fields": {}, "responses": {"mood": [{"user_id": "u2", "value": "good"}]}},
]


def result(kind: str, question: str, **value: Any) -> dict[str, Any]:
    return {"id": "r", "type": kind, "from_name": question, "value": value}


ANN = {"id": 2, "email": "ann@example.org", "first_name": "A"}
LABEL_STUDIO = [
    {
        "id": 1,
        "data": {"text": "t1"},
        "annotations": [
            {
                "id": 11,
                "completed_by": ANN,
                "result": [
                    result("choices", "mood", choices=["good"]),
                    result("labels", "ner", start=0, end=2, labels=["ORG"]),
                    result("rating", "stars", rating=3),
                ],
            },
            {
                "id": 12,
                "completed_by": 7,
                "was_cancelled": False,
                "result": [
                    result("choices", "mood", choices=["good", "bad"]),
                    result("textarea", "why", text=["Because."]),
                    result("taxonomy", "topic", taxonomy=[["a", "b"]]),
                    result("rectanglelabels", "box", x=1, rectanglelabels=["Car"]),
                    result("ranker", "rank", ranker={"rank": ["p", "q"]}),
                ],
            },
        ],
        "predictions": [{"result": []}],
    },
    {"id": 2, "data": {"text": "t2"}, "annotations": [{"id": 13, "completed_by": 7, "result": []}]},
]
LEWIDI = {
    "1": {
        "annotation task": "hate",
        "annotations": "0,0,1",
        "annotators": "A1,A2,A3",
        "soft_label": {},
        "other_info": {"other annotations": {"offensive": "1,1,0"}},
    },
    "2": {"annotation task": "hate", "annotations": "1", "annotators": "A2", "soft_label": {}},
    "3": {"annotation task": "sarcasm", "annotations": {"A1": "6", "A9": "1.5"}, "annotators": ""},
    "4": {"annotation task": "nli", "annotations": {"A1": "x,y", "A2": "x"}, "annotators": ""},
}
JUDGES = [
    {"item": "q1", "judge": "gpt", "verdict": "good", "text": "t"},
    {"item": "q2", "judge": "gpt", "verdict": 1, "human": 0.5},
    {"item": 3, "judge": "gpt", "model_a": "m1", "model_b": "m2", "verdict": "A", "human": "b"},
    {"item": "q2", "judge": "llama", "verdict": None, "order": "ab", "human": True},
]
COMPARISONS = [
    {"question_id": 81, "g1_winner": "model_1", "g2_winner": "tie"},
    {"question_id": 82, "g1_winner": "error", "g2_winner": "model_2"},
    {"question_id": "q", "g1_winner": "m1", "g2_winner": "model_1"},
    {"question_id": 84, "g1_winner": None, "g2_winner": "error"},
]
COMPARISONS = [
    {"model_1": "m1", "model_2": f"m{n}", "judge": ["gpt", "pair"]} | record
    for n, record in enumerate(COMPARISONS, start=2)
]
SAMPLES = [
    {"id": "x", "input": "q", "target": "a", "output": {"completion": "it is a"}},
    {"id": 2, "input": "q", "target": "b", "output": {"completion": "b "}},
    {"id": "z", "input": "q", "target": "c", "output": {}, "error": {"message": "time out"}},
]
SCORES = [{"match": {"value": "C", "answer": "a"}}, {"match": {"value": 0.5}, "fit": 1}, {}]
INSPECT = {
    "status": "success",
    "eval": {"task": "t", "model": "openai/a"},
    "results": {"completed_samples": 3},
    "samples": [s | {"scores": score} for s, score in zip(SAMPLES, SCORES, strict=True)],
}
POTATO = [
    {
        "instance_id": "i1",
        "user_id": "ann",
        "labels": {"tone": {"good": "true"}, "why": {"plot": "true", "cast": "true"}},
        "spans": {"names": [SPAN]},
    },
    {"instance_id": "i2", "user_id": "u2", "labels": {"tone": {"bad": True}}, "spans": {}},
    {"instance_id": "i1", "user_id": "u2", "labels": {"grade": {"slider": "3"}}, "spans": {}},
    {"instance_id": 4, "user_id": "u2", "labels": {}, "spans": {}},
]


def annotated(worker: str, **content: Any) -> dict[str, Any]:
    return {"workerId": worker, "annotationData": {"content": json.dumps(content)}}


ENTITIES = {"entities": [{"startOffset": 0, "endOffset": 2, "label": "ORG"}]}
GROUND_TRUTH = [
    {
        "datasetObjectId": "0",
        "dataObject": {"content": "a text"},
        "annotations": [
            annotated("w1", tone={"label": "good"}, topics={"labels": ["a", "b"]}),
            annotated("w2", tone={"label": "bad"}, ner=ENTITIES),
        ],
    },
    {"datasetObjectId": 1, "annotations": [{"workerId": "w1", "annotationData": {"s3Uri": "s3"}}]},
    {"datasetObjectId": "2", "dataObject": {"content": "b"}, "annotations": []},
    {
        "datasetObjectId": "3",
        "annotations": [{"workerId": "w2", "annotationData": {"content": {"tone": "good"}}}],
    },
]


def labelled(who: str, *classifications: Any, objects: Any = ()) -> dict[str, Any]:
    return {
        "label_kind": "Default",
        "label_details": {"created_by": who},
        "annotations": {"objects": list(objects), "classifications": list(classifications)},
    }


def data_row(number: int, *labels: Any) -> dict[str, Any]:
    row = {"id": f"r{number}", "row_data": "a text"}
    return {"data_row": row, "projects": {"p": {"name": "p", "labels": list(labels)}}}


WHY = {"name": "Why", "text_answer": {"content": "because"}}
LABELBOX = [
    data_row(
        1,
        labelled("ann@x.org", {"name": "Tone", "radio_answer": {"name": "good"}}),
        labelled(
            "bob@x.org",
            {"name": "Tone", "radio_answer": {"name": "bad", "classifications": [WHY]}},
            {"name": "Topics", "checklist_answers": [{"name": "a"}, {"name": "b"}]},
        ),
    ),
    data_row(
        2,
        labelled(
            "ann@x.org",
            WHY,
            objects=[
                {
                    "name": "ORG",
                    "annotation_kind": "TextEntity",
                    "location": {"start": 0, "end": 1},
                },
                {"name": "dog", "annotation_kind": "ImageBoundingBox", "bounding_box": {"top": 1}},
            ],
        ),
    ),
    data_row(3),
]

COCO = {
    "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]},
        {"id": 2, "image_id": 1, "category_id": 2},
        {"id": 3, "image_id": 2, "segments_info": [{"category_id": 2}]},
    ],
}
CVAT = [
    b"""<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta></meta>
<image id="0" name="a.jpg"><tag label="cat"><attribute name="sure">yes</attribute></tag></image>
<image id="1" name="b.jpg"><tag label="dog"/><box label="car">
<attribute name="x">y</attribute></box></image><image id="2" name="c.jpg"/>
</annotations>
""",
]

PAIR = {"sentence1": "a", "sentence2": "b"}
NLI = [
    PAIR | {"pairID": "1", "annotator_labels": ["a", "b", "a"], "gold_label": "a"},
    PAIR | {"pairID": 2, "annotator_labels": ["a", "", "b"], "gold_label": "-"},
    PAIR | {"pairID": "3", "annotator_labels": [], "gold_label": "-"},
]


def graded(test: int, output: str, *grades: tuple[str, bool, float], **more: Any) -> dict[str, Any]:
    parts = [{"pass": p, "score": s, "assertion": {"type": kind}} for kind, p, s in grades]
    about = {"testIdx": test, "promptIdx": 0, "provider": {"id": "openai:a"}, "vars": {"q": "x"}}
    return (
        about
        | {"response": {"output": output}, "gradingResult": {"componentResults": parts}}
        | more
    )


PROMPTFOO = {
    "evalId": "e",
    "results": {
        "results": [
            graded(0, "yes", ("llm-rubric", True, 0.5), ("human", False, 0)),
            graded(1, "no", ("llm-rubric", False, 0)),
            graded(2, "", error="time out", failureReason=2),
        ]
    },
}


def event(sample: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "sample_id": sample, "type": kind, "data": data}


EVALS = [
    {"spec": {"completion_fns": ["gpt-a"], "eval_name": "e", "run_id": "r"}},
    event("s0", "sampling", prompt="q", sampled=["Lima"]),
    event("s0", "match", correct=True, expected="Lima", picked="Lima"),
    event("s1", "match", correct=False, expected=["Quito"], picked=None, sampled="Lima"),
    event("s1", "metrics", choice="Yes", score=0.5),
    {"final_report": {"accuracy": 0.5}},
]


def sample(number: int, filtered: Any, **more: Any) -> dict[str, Any]:
    about = {"doc_id": number, "doc": {}, "target": "Lima", "resps": [["x"]]}
    return about | {"filtered_resps": filtered} | more


LM_EVAL = [
    sample(0, ["Lima"], exact_match=1.0),
    sample(1, [[-1.5, False], [-0.5, True]], acc=0, metrics=["acc"]),
    sample(2, [], acc=[1, 2]),
]

SUPERANNOTATE = {
    "metadata": {
        "name": "a.txt",
        "status": "Completed",
        "annotatorEmail": "ann@x.org",
        "lastAction": {"email": "bob@x.org", "timestamp": 1},
    },
    "tags": ["short"],
    "freeText": "unclear",
    "instances": [
        {
            "type": "tag",
            "className": "Tone",
            "attributes": [{"groupName": "Polarity", "name": "good"}],
        },
        {"type": "entity", "className": "ORG", "start": 0, "end": 2, "attributes": []},
        {"type": "bbox", "className": "Car", "attributes": [{"groupName": "a", "name": "b"}]},
    ],
}

LIGHTTAG = {
    "schema": {"tags": [{"name": "ORG"}]},
    "examples": [
        {
            "example_id": "e1",
            "content": "Acme bought Bix",
            "seen_by": [
                {"annotator_id": 1, "annotator": "ann"},
                {"annotator_id": 2, "annotator": "bob"},
            ],
            "annotations": [
                {
                    "tagged_token_id": "t1",
                    "start": 0,
                    "end": 4,
                    "tag": "ORG",
                    "annotated_by": [{"annotator_id": 1, "annotator": "ann"}],
                },
                {
                    "tagged_token_id": "t2",
                    "start": 12,
                    "end": 15,
                    "tag": "ORG",
                    "annotated_by": [{"annotator_id": 1, "annotator": "ann"}],
                },
            ],
            "classifications": [
                {
                    "classname": "news",
                    "classified_by": [
                        {"annotator_id": 2, "timestamp": "2026-11-24"},
                        {"annotator_id": 1, "annotator": "ann"},
                    ],
                },
                {"classname": "short", "classified_by": [{"annotator": "ann"}]},
            ],
        },
        {"example_id": "e2", "annotations": [], "classifications": []},
    ],
    "relations": [
        {"id": "n1", "annotator": "ann", "tagged_token_id": "t1"},
        {"id": "n2", "parent_id": "n1", "annotator": "ann", "tagged_token_id": "t2"},
    ],
}

DEEPEVAL = {
    "testFile": "t.py",
    "testCases": [
        {
            "name": "a",
            "input": "q",
            "metricsData": [
                {"name": "Tone", "success": True, "score": 0.75, "evaluationModel": "gpt-a"},
                {"name": "JSON", "success": False, "score": 0},
            ],
        },
        {"name": "b", "metricsData": [{"name": "Tone", "success": False, "error": "time out"}]},
        {"name": "c", "metricsData": []},
    ],
}

#: The modules of second readers.
SECOND = (second_readers, second_tools)

FORMATS = {
    "coco": (COCO, False),
    "comparisons": (COMPARISONS, True),
    "deepeval": (DEEPEVAL, False),
    "ground_truth": (GROUND_TRUTH, False),
    "labelbox": (LABELBOX, True),
    "lighttag": (LIGHTTAG, False),
    "lm_eval": (LM_EVAL, True),
    "nli": (NLI, True),
    "openai_evals": (EVALS, True),
    "promptfoo": (PROMPTFOO, False),
    "superannotate": (SUPERANNOTATE, False),
    "prodigy": (PRODIGY, True),
    "doccano": (DOCCANO, True),
    "argilla": (ARGILLA, False),
    "label_studio": (LABEL_STUDIO, False),
    "lewidi": (LEWIDI, False),
    "judge_log": (JUDGES, True),
    "inspect_log": (INSPECT, False),
    "potato": (POTATO, True),
}

#: Read as tables of pandas, which takes longer.
SLOW = {"comparisons"}


def test_cvat(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "export.xml"

    def read(data):
        path.write_bytes(data)
        return held(read_export(path, format="cvat", keep_names=True))

    outcome = feed(
        read,
        lambda data: second_tools.cvat(data, "export"),
        lambda draw: of_bytes(CVAT, draw),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="cvat",
        named="export.xml",
    )
    count(outcome, tried, "Exports in XML", "CVAT: bytes")


@pytest.mark.parametrize("name", FORMATS)
def test_json(tried, tmp_path, tmp_path_factory, name):
    records, lines = FORMATS[name]
    path = folder_in_memory(tmp_path_factory) / "export.json"
    parts = records if isinstance(records, list) else [records]
    seeds = [json.dumps(records).encode(), "\n".join(map(json.dumps, parts)).encode()]
    turn = iter(range(10**9))
    second = next(getattr(module, name) for module in SECOND if hasattr(module, name))

    def read(data):
        path.write_bytes(data)
        if next(turn) % 100 == 0:
            recognise(path)
        export = read_export(path, format=name, keep_names=True)
        if next(turn) % 100 == 0:
            compare_labels(export)
        return held(export)

    outcome = feed(
        read,
        lambda data: second(data, "export"),
        mixed(
            lambda draw: of_bytes(seeds, draw),
            lambda draw: as_json(of_parts(records, draw), draw, lines=lines),
            lambda draw: as_json(of_parts(records, draw), draw, lines=draw.random() < 0.5),
        ),
        refusals=REFUSALS,
        folder=tmp_path,
        seed=name,
        named="export.json",
        times=FEWER if name in SLOW else TIMES,
    )
    title = discover()[name].title
    count(outcome, tried, "Exports in JSON", f"{title}: bytes and parts of records")
