"""No two formats claim one file, none claims a plain table, and damaged files give no traceback."""

import contextlib
import csv
import json
import random

import pytest

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import read_labels
from annobench.io.formats import discover, read_export, recognise


def test_each_real_export_is_of_exactly_one_format(mirror):
    folder = mirror / "exports"
    with (folder / "SOURCES.csv").open() as stream:
        files = [row["file"] for row in csv.DictReader(stream)]
    # Of brat the folder is the export; a configuration is none.
    exports = [file for file in files if not file.startswith("brat/") and "config" not in file]
    exports += ["brat", "potato", "inspect"]
    found = {file: recognise(folder / file) for file in exports}
    assert {file: formats for file, formats in found.items() if len(formats) != 1} == {}
    assert len(found) == 103
    assert [list(found[name]) for name in exports[-3:]] == [["brat"], ["potato"], ["inspect_log"]]


@pytest.mark.parametrize(
    "header",
    [
        "item,annotator,label",
        "task,worker,label",
        "question,rater,answer,text,gold",
        "item_id,worker_id,response",
        "unit,coder,category,annotator_note",
        "id,judge,rating",
    ],
)
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_plain_table_is_nobodys_export(tmp_path, header, delimiter):
    width = header.count(",") + 1
    rows = [",".join(["1"] * width), ",".join(["0"] * width)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join([header, *rows]).replace(",", delimiter) + "\n")
    assert recognise(path) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "{",
        "[",
        "[]",
        "{}",
        "[1]",
        "null",
        "a",
        "a,b",
        '"',
        "PK\x03\x04",
        "PAR1",
        "ARROW1",
    ],
)
def test_fragments_are_nobodys_export_or_are_refused(tmp_path, text):
    path = tmp_path / "x"
    path.write_text(text)
    with contextlib.suppress(ReaderError):
        assert recognise(path) == {}
    for name in discover():
        with pytest.raises((ReaderError, AnnotationError)):
            read_export(path, format=name).labels()


def test_a_damaged_json_file_is_said_to_be_one(tmp_path):
    path = tmp_path / "set.json"
    path.write_text(LEWIDI[:-20])
    assert recognise(path) == {}
    for read in (read_labels, read_export):
        with pytest.raises(ReaderError, match=r"not JSON .*cut off; export it again"):
            read(path)


def test_a_table_that_ends_within_quotes_was_cut_off(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(MTURK + 'h3,W1,Approved,"x')
    with pytest.raises(ReaderError, match="after row 2: unexpected end of data"):
        read_export(path)


MTURK = (
    "HITId,WorkerId,AssignmentStatus,Input.t,Answer.q,Answer.taskAnswers\n"
    'h1,W1,Approved,x,a|b,"[{""s"":{""label"":""p""},""e"":{""entities"":[{""startOffset"":0,'
    '""endOffset"":1,""label"":""x""}]}}]"\nh2,W2,Rejected,y,c,[]\n'
)
TOLOKA = (
    "INPUT:i\tOUTPUT:r\tGOLDEN:r\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"
    "1\ta\t\tw\tAPPROVED\n2\t[1,2]\tb\tw\tREJECTED\n"
)
POTATO = json.dumps(
    {
        "user_id": "u1",
        "instance_id_ordering": ["a", "b"],
        "instance_id_to_label_to_value": {"a": [[{"schema": "s", "name": "n"}, "true"]]},
        "instance_id_to_span_to_value": {
            "a": [[{"schema": "s", "name": "p", "start": 0, "end": 1}, "x"]]
        },
    }
)
LEWIDI = json.dumps(
    {
        "1": {
            "annotation task": "t",
            "annotations": "0,1",
            "annotators": "a,b",
            "soft_label": {},
            "text": {"x": "y"},
            "other_info": {"other annotations": {"o": "1,1"}},
        },
        "2": {"annotations": {"a": "1,2"}, "annotators": "a", "soft_label": {}},
    }
)
JUDGES = "\n".join(
    json.dumps(
        {"id": n, "model_a": "x", "model_b": "y", "winner": "A", "judge": ["j", 1], "turn": n}
    )
    for n in range(3)
)
INSPECT = json.dumps(
    {
        "status": "success",
        "eval": {"task": "t", "model": "m"},
        "results": {"completed_samples": 1},
        "samples": [
            {
                "id": 1,
                "target": "a",
                "input": [{"content": "q"}],
                "scores": {"s": {"value": {"x": 1}, "answer": "a"}},
                "output": {"choices": [{"message": {"content": "a"}}]},
            }
        ],
    }
)
LISTS = "id,labels,annotators\n1,\"['a', ['b']]\",\"['x', 'y']\"\n2,[],[]\n"
CATEGORIES = "id,rater_id,joy,fear,flag\n1,a,0,1,True\n2,b,1,1,False\n"
WIDE = "id,rater_1,rater_2,gold\n1,a,b,a\n2,a,,\n"
ZOONIVERSE = (
    "user_name,workflow_id,annotations,subject_data,subject_ids\n"
    'a,1,"[{""task"":""T0"",""value"":[{""choice"":""x"",""answers"":{""n"":1}}]}]","{""7"":{}}",7\n'
    'b,1,"[{""task"":""T1"",""value"":[{""tool"":0}]},{""task"":""T2"",""value"":[]}]",{},8\n'
)
APPEN = (
    "_unit_id,_golden,_tainted,_worker_id,q,why,text,q_gold\n"
    '1,false,false,w1,a,"x\ny",t,\n1,true,true,w2,b,,t,a\n'
)
GROUND_TRUTH = json.dumps(
    [
        {
            "datasetObjectId": "0",
            "dataObject": {"content": "t"},
            "annotations": [
                {"workerId": "w", "annotationData": {"content": '{"q": {"label": "a"}}'}},
                {"workerId": "v", "annotationData": {"content": '{"b": {"boundingBoxes": []}}'}},
            ],
        }
    ]
)
LABELBOX = json.dumps(
    {
        "data_row": {"id": "r", "row_data": "text"},
        "projects": {
            "p": {
                "labels": [
                    {
                        "label_details": {"created_by": "a@b.org"},
                        "annotations": {
                            "classifications": [{"name": "q", "radio_answer": {"name": "x"}}],
                            "objects": [{"name": "dog", "annotation_kind": "ImagePoint"}],
                        },
                    }
                ]
            }
        },
    }
)
COCO = json.dumps(
    {
        "images": [{"id": 1, "file_name": "a"}, {"id": 2, "file_name": "b"}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1},
            {"image_id": 2, "segments_info": [{"category_id": 1}]},
        ],
    }
)
CVAT = (
    '<annotations><version>1.1</version><image name="a"><tag label="x"><attribute name="b">c'
    '</attribute></tag></image><image name="d"><box label="y"/></image></annotations>'
)
NLI = json.dumps(
    {
        "annotator_labels": ["a", "b", ""],
        "gold_label": "a",
        "pairID": "1",
        "sentence1": "x",
        "sentence2": "y",
    }
)
PROMPTFOO = json.dumps(
    {
        "results": {
            "results": [
                {
                    "testIdx": 0,
                    "promptIdx": 0,
                    "provider": {"id": "p"},
                    "response": {"output": "a"},
                    "gradingResult": {
                        "componentResults": [
                            {"pass": True, "score": 0.5, "assertion": {"type": "x"}}
                        ]
                    },
                }
            ]
        }
    }
)
EVALS = "\n".join(
    map(
        json.dumps,
        [
            {"spec": {"eval_name": "e", "run_id": "r", "completion_fns": ["m"]}},
            {"sample_id": "s", "type": "match", "data": {"correct": True, "picked": "a"}},
            {"sample_id": "s", "type": "metrics", "data": {"choice": "b", "n": 1}},
        ],
    )
)
LM_EVAL = json.dumps(
    {
        "doc_id": 0,
        "doc": {},
        "target": "a",
        "resps": [["a"]],
        "filtered_resps": [[-1.5, False], [-2.5, False]],
        "acc": 1.0,
    }
)
SUPERANNOTATE = json.dumps(
    {
        "metadata": {"name": "a", "status": "Completed", "annotatorEmail": "a@b.org"},
        "tags": ["x"],
        "instances": [
            {"type": "tag", "className": "c", "attributes": [{"name": "n", "groupName": "g"}]},
            {"type": "entity", "className": "d", "start": 0, "end": 1},
        ],
    }
)
DEEPEVAL = json.dumps(
    {
        "testCases": [
            {
                "name": "a",
                "metricsData": [
                    {"name": "m", "success": True, "score": 0.5, "evaluationModel": "j"},
                    {"name": "n", "success": False, "error": "e"},
                ],
            }
        ]
    }
)
LIGHTTAG = json.dumps(
    {
        "schema": {"tags": []},
        "examples": [
            {
                "example_id": "e1",
                "content": "Lima",
                "seen_by": [{"annotator_id": 1, "annotator": "ann"}],
                "annotations": [
                    {
                        "tagged_token_id": "t1",
                        "start": 0,
                        "end": 4,
                        "tag": "PLACE",
                        "annotated_by": [{"annotator_id": 1, "annotator": "ann"}],
                    }
                ],
                "classifications": [
                    {
                        "classname": "short",
                        "classified_by": [{"annotator_id": 1, "timestamp": "2026-11-24"}],
                    }
                ],
            }
        ],
        "relations": [{"id": "n1", "tagged_token_id": "t1"}, {"id": "n2"}],
    }
)
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n"
TAGGED = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\nLee\tI-PER\n"
ELAN = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0"><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="120"/><TIME_SLOT TIME_SLOT_ID="t2" TIME_VALUE="480"/>
</TIME_ORDER><TIER TIER_ID="head@kim" LINGUISTIC_TYPE_REF="gesture" PARTICIPANT="kim"><ANNOTATION>
<ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">
<ANNOTATION_VALUE>nod</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>
"""
PRAAT = """File type = "ooTextFile"
Object class = "TextGrid"
0
2
<exists>
1
"IntervalTier" "words" 0 2 2
0 0.5 "sea"
0.5 2 ""
"""
SPANS = "doc,annotator,start,end,label\nd1,a,0,3,X\nd1,a,5,9,Y\nd1,b,0,3,X\nd2,b,,,\n"
SAMPLES = {
    "span_table": SPANS,
    "elan": ELAN,
    "praat": PRAAT,
    "conll": TAGGED,
    "trec_qrels": QRELS,
    "lighttag": LIGHTTAG,
    "deepeval": DEEPEVAL,
    "superannotate": SUPERANNOTATE,
    "openai_evals": EVALS,
    "lm_eval": LM_EVAL,
    "promptfoo": PROMPTFOO,
    "nli": NLI,
    "coco": COCO,
    "cvat": CVAT,
    "labelbox": LABELBOX,
    "ground_truth": GROUND_TRUTH,
    "appen": APPEN,
    "mturk": MTURK,
    "toloka": TOLOKA,
    "potato": POTATO,
    "lewidi": LEWIDI,
    "judge_log": JUDGES,
    "inspect_log": INSPECT,
    "list_cells": LISTS,
    "category_columns": CATEGORIES,
    "wide": WIDE,
    "zooniverse": ZOONIVERSE,
}


def refusal(path, name):
    """Return the message that refuses a file, or its path if it is read."""
    try:
        read_export(path, format=name).labels(repeats="all")
    except (ReaderError, AnnotationError) as error:
        return str(error)
    return str(path)


@pytest.mark.parametrize("name", SAMPLES)
def test_damaged_files_are_read_or_refused_with_a_reason(tmp_path, name):
    path, whole = tmp_path / "export", SAMPLES[name].encode()
    path.write_bytes(whole)
    assert list(recognise(path)) == [name]
    read_export(path)
    chance = random.Random(name)
    parts = [b"\0", b"\xff", b"[", b"{", b'"', b",", b"null", b"1e999", b"\r", b"<b>", b"[" * 3000]
    for _ in range(25):
        at, upto = sorted(chance.choices(range(len(whole)), k=2))
        damaged = whole[:at] + chance.choice([b"", *parts]) + whole[min(upto, at + 9) :]
        path.write_bytes(damaged if chance.random() < 0.8 else damaged[:upto])
        assert str(path) in refusal(path, name)


def test_json_of_unexpected_kinds_is_read_or_refused_with_a_reason(tmp_path):
    """Put values of every kind in every place of the JSON formats."""
    path = tmp_path / "export.json"
    values = (None, -1.5, "", [[]], {"a": None})
    for name in (
        "potato",
        "lewidi",
        "inspect_log",
        "judge_log",
        "ground_truth",
        "labelbox",
        "nli",
        "promptfoo",
        "deepeval",
        "superannotate",
        "lighttag",
        "lm_eval",
        "coco",
    ):
        for content in places(json.loads(SAMPLES[name].partition("\n")[0]), values):
            path.write_text(json.dumps(content))
            assert str(path) in refusal(path, name)


def places(content, values):
    """Yield the content with each of its parts replaced by each of the values."""
    parts = content.items() if isinstance(content, dict) else enumerate(content)
    for key, part in parts:
        copies = list(values)
        if isinstance(part, dict | list):
            copies += places(part, values)
        for value in copies:
            changed = dict(content) if isinstance(content, dict) else list(content)
            changed[key] = value
            yield changed
