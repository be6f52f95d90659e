"""No file, however malformed, ends in anything but labels or a message that names it."""

import io
import json
import random
import zipfile

import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import discover, read_export
from annobench.io.formats.base import Source

SPAN = {"start": 0, "end": 2, "labels": ["ORG"]}
LABEL_STUDIO = {
    "id": 1,
    "data": {"text": "t1"},
    "annotations": [
        {
            "id": 11,
            "completed_by": {"id": 2, "email": "ann@example.org", "first_name": "A"},
            "ground_truth": True,
            "result": [
                {"id": "a", "type": "labels", "from_name": "ner", "value": SPAN},
                {"type": "choices", "from_name": "mood", "value": {"choices": ["good", "bad"]}},
                {"type": "taxonomy", "from_name": "topic", "value": {"taxonomy": [["a", "b"]]}},
                {"type": "rating", "from_name": "stars", "value": {"rating": 3}},
                {"type": "textarea", "from_name": "why", "value": {"text": ["Because."]}},
                {"type": "relation", "from_id": "a", "to_id": "a", "labels": ["x"]},
            ],
        }
    ],
    "drafts": [{"id": 3, "user": "bob@example.org", "result": []}],
    "predictions": [{"result": []}],
}
MIN = {"id": 1, "text": "t1", "mood": {"choices": ["a", "b"]}, "ner": [SPAN], "annotator": 2}
MIN |= {"annotation_id": 11, "lead_time": 1.0}
PRODIGY = {
    "text": "t1",
    "_input_hash": 1,
    "_task_hash": 2,
    "_view_id": "blocks",
    "_annotator_id": "ann",
    "options": [{"id": 1, "text": "positive"}],
    "accept": [1],
    "tokens": [],
    "spans": [{"start": 0, "end": 2, "label": "ORG"}],
    "relations": [
        {"head_span": {"start": 0, "end": 2}, "child_span": {"start": 0, "end": 2}, "label": "x"}
    ],
    "answer": "accept",
}
BINARY = {"text": "t1", "_input_hash": 1, "_task_hash": 2, "label": "SPAM", "answer": "reject"}
ENTITY = {"id": 1, "start_offset": 0, "end_offset": 2, "label": "ORG"}
DOCCANO = {
    "id": 1,
    "text": "t1",
    "label": ["a", [0, 1, "b"]],
    "entities": [ENTITY],
    "relations": [{"from_id": 1, "to_id": 1, "type": "x"}],
}
OLD_DOCCANO = {"id": 1, "text": "t1", "annotations": [ENTITY | {"user": 3}, {"label": 2}]}
ARGILLA = {
    "id": "r1",
    "fields": {"text": "t1"},
    "suggestions": [],
    "responses": [
        {
            "user_id": "u1",
            "status": "submitted",
            "values": {
                "mood": {"value": "good"},
                "topics": {"value": ["a", "b"]},
                "ner": {"value": [{"start": 0, "end": 2, "label": "ORG"}]},
            },
        }
    ],
}
ARGILLA_2 = ARGILLA | {"responses": {"mood": [{"user_id": "u1", "value": "good"}]}}
OLD_ARGILLA = {"id": 1, "text": "t1", "tokens": ["t1"], "prediction": None, "status": "Validated"}
OLD_ARGILLA |= {"annotation": [["ORG", 0, 2]], "annotation_agent": "ann"}
WINNERS = {"winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}
COMPARISONS = [
    {"instruction": "t1", "generator_1": "m1", "generator_2": "m2", "preference": 1.25},
    {"question_id": 1, "model_1": "m1", "model_2": "m2", "g1_winner": "model_1"}
    | {"g2_winner": "tie", "judge": ["j", "pair"], "turn": 1},
    {"uid": "q1", "model": "m1", "judge": "j", "games": [{"score": "A>>B"}, {"score": "A=B"}]},
    {"id": 1, "model_a": "m1", "model_b": "m2"} | WINNERS,
]
RECORDS = {
    "comparisons": COMPARISONS,
    "label_studio": [LABEL_STUDIO, MIN],
    "prodigy": [PRODIGY, BINARY],
    "doccano": [DOCCANO, OLD_DOCCANO],
    "argilla": [ARGILLA, ARGILLA_2, OLD_ARGILLA],
}
STRANGE = [None, True, -1, 0, 2**70, 1e308, 0.5, "", "  ", "\0<b>", [], {}, [None], [[]], [{}]]
STRANGE += [{"a": 1}, {"value": None}, "x" * 10_000]


def places(value, path=()):
    """Yield the path of every part of a record."""
    yield path
    if isinstance(value, dict):
        parts = value.items()
    else:
        parts = enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def replaced(record, path, part):
    """Return the record with another part at a path."""
    if not path:
        return part
    copy = json.loads(json.dumps(record))
    inside = copy
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = part
    return copy


def outcome(path, name):
    """Read a file; any error but that of a reader goes through."""
    try:
        read_export(path, format=name)
    except ReaderError as error:
        return "refused" if str(path) in str(error) else f"a message without a file: {error}"
    return "read"


CASES = [(name, n) for name, records in RECORDS.items() for n in range(len(records))]


@pytest.mark.parametrize(("name", "n"), CASES)
def test_a_record_with_a_strange_part_is_read_or_named(tmp_path, name, n):
    record = RECORDS[name][n]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([record]))
    assert outcome(path, name) == "read"
    draw, found = random.Random(n), set()
    for place in places(record):
        for part in draw.sample(STRANGE, 4):
            path.write_text(json.dumps([record, replaced(record, place, part)]))
            found.add(outcome(path, name))
    assert found == {"read", "refused"}


@pytest.mark.parametrize("name", RECORDS)
def test_a_file_with_damaged_bytes_is_read_or_named(tmp_path, name):
    draw = random.Random(1)
    path = tmp_path / "export.json"
    whole = json.dumps(RECORDS[name]).encode()
    for _ in range(30):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(bytes(data[: draw.choice([len(data), draw.randrange(len(data))])]))
        assert outcome(path, name) in ("read", "refused")
        for format in discover().values():
            format.recognise(Source(path))


def test_a_damaged_archive_is_read_or_named(tmp_path):
    draw = random.Random(3)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann.jsonl", json.dumps(DOCCANO))
    whole = packed.getvalue()
    path = tmp_path / "export.zip"
    # The version that unpacking needs, as the directory of the archive has it.
    needed = whole.index(b"PK\x01\x02") + 6
    for place in [needed, *(draw.randrange(2, len(whole)) for _ in range(40))]:
        path.write_bytes(whole[:place] + bytes([draw.randrange(200, 256)]) + whole[place + 1 :])
        assert outcome(path, "doccano") in ("read", "refused")
        for format in discover().values():
            format.recognise(Source(path))
