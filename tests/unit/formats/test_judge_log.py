"""Logs of judges: single verdicts, pairs, prompts, people beside the judge, failed calls."""

import json
from collections import Counter

import pytest
from written import named_file as write

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def test_judges_and_people_are_annotators(tmp_path):
    records = [
        {"id": 1, "judge": "gpt", "verdict": "good", "text": "x", "gold": "good"},
        {"id": 1, "judge": "human-1", "verdict": "bad", "text": "x"},
        {"id": 2, "judge": "gpt", "verdict": None},
        {"id": 2, "judge": "human-1", "verdict": None, "error": "time out"},
    ]
    path = write(tmp_path / "log.jsonl", records)
    assert recognise(path) == {"judge_log": "verdicts"}
    selection = read_export(path).select()
    assert selection.labels.to_frame().values.tolist() == [
        ["1", "gpt", "good"],
        ["1", "human-1", "bad"],
    ]
    assert selection.gold == {"1": "good"}
    assert selection.texts == {"1": "x"}
    assert selection.ledger[["what", "rows", "first"]].values.tolist() == [
        ["records read", 4, ""],
        ["left out: records without a verdict", 1, "line 3"],
        ["records with answers", 3, ""],
        ["answers to 'verdict'", 3, "line 1"],
        ["left out: unfinished or expired answers", 1, "line 4"],
        ["labels", 2, ""],
    ]


def test_another_prompt_is_another_judge_and_a_repeat_is_not(tmp_path):
    records = [
        {"item_id": "a", "model": "gpt", "prompt_name": "short", "label": "yes", "run": 1},
        {"item_id": "a", "model": "gpt", "prompt_name": "short", "label": "no", "run": 2},
        {"item_id": "a", "model": "gpt", "prompt_name": "long", "label": "no", "run": 1},
    ]
    export = read_export(write(tmp_path / "log.jsonl", records))
    assert export.labels(repeats="all").annotators == ("gpt/short", "gpt/long")
    assert export.labels(repeats="last").to_frame().label.tolist() == ["no", "no"]


def test_a_judge_of_several_models_judges_each_answer(tmp_path):
    records = [
        {"question_id": 81, "model": m, "judge": ["gpt", "v1"], "score": s, "turn": 1}
        for m, s in (("llama", 7), ("claude", 9))
    ]
    export = read_export(write(tmp_path / "log.jsonl", records))
    labels = export.labels()
    assert labels.items == ("81 | llama | turn 1", "81 | claude | turn 1")
    assert labels.annotators == ("gpt/v1",)
    assert labels.scale == "interval"


def test_a_field_of_texts_that_is_not_there_is_named(tmp_path):
    path = write(tmp_path / "log.jsonl", [{"id": 1, "judge": "gpt", "verdict": "a", "reply": "x"}])
    assert read_export(path, text="reply").texts == {"1": "x"}
    with pytest.raises(ReaderError, match=r"'repl', given with --text\. Did you mean 'reply'"):
        read_export(path, text="repl")


def test_yes_and_no_as_numbers_are_categories(tmp_path):
    records = [{"id": n, "judge": "gpt", "verdict": n % 2} for n in range(4)]
    assert read_export(write(tmp_path / "log.jsonl", records)).labels().scale == "nominal"


@pytest.mark.parametrize(("field", "scale"), [("label", "nominal"), ("score", "interval")])
def test_numbers_of_a_field_of_labels_are_categories_as_in_a_table(tmp_path, field, scale):
    records = [{"item": n, "annotator": "ann", field: 1 + n % 3} for n in range(6)]
    labels = read_export(write(tmp_path / "log.jsonl", records)).labels()
    assert (labels.scale, labels.categories) == (scale, ("1", "2", "3"))


def test_verdicts_on_pairs_name_the_preferred_one(tmp_path):
    records = [
        {"question_id": 1, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": "gpt"},
        {"question_id": 1, "model_a": "y", "model_b": "x", "winner": "[[B]]", "judge": "ann"},
        {"question_id": 1, "model_a": "y", "model_b": "z", "winner": "tie", "judge": "gpt"},
    ]
    path = write(tmp_path / "pairs.json", records)
    assert recognise(path) == {"judge_log": "comparisons of pairs"}
    assert read_export(path).labels().to_frame().values.tolist() == [
        ["1 | x | y", "gpt", "x"],
        ["1 | x | y", "ann", "x"],
        ["1 | y | z", "gpt", "tie"],
    ]


def test_a_record_without_an_item_is_a_fault(tmp_path):
    records = [{"id": 1, "judge": "gpt", "verdict": "a"}, {"judge": "gpt", "verdict": "a"}]
    with pytest.raises(ReaderError, match="line 2: no item"):
        read_export(write(tmp_path / "log.jsonl", records))


@pytest.mark.parametrize(
    "record",
    [
        {"id": 1, "text": "x", "label": ["a"]},
        {"id": 1, "text": "x", "label": "a"},
        {"text": "x", "answer": "accept", "_annotator_id": "s", "_input_hash": 1, "id": 1},
        {"id": 1, "annotator": 7, "annotation_id": 3, "label": "a", "lead_time": 1.0},
        {"id": 1, "label": "a", "user": "u", "annotations": []},
    ],
)
def test_records_of_other_tools_are_no_judges(tmp_path, record):
    assert "judge_log" not in recognise(write(tmp_path / "log.jsonl", [record]))


@pytest.mark.parametrize(
    ("rival", "n", "failed", "judge", "human"),
    [
        ("gemini-2.5-flash", 325, 0, 68, 133),
        ("gemini-2.5-pro", 277, 1, 44, 65),
        ("qwen3-235b-a22b-no-thinking", 275, 0, 62, 110),
    ],
)
def test_the_arena_holds_what_was_counted(mirror, rival, n, failed, judge, human):
    claude = "claude-opus-4-20250514"
    path = mirror / "exports" / "judge_arena" / f"{claude}_vs_{rival}_gpt-4o-mini.json"
    wins = Counter()
    for record in json.loads(path.read_text()):
        names = {"A": record["model_a"], "B": record["model_b"], None: None}
        wins["judge", names[record["judge_pick"]]] += 1
        wins["human", record[record["human_winner"]]] += 1
    assert (wins["judge", claude], wins["human", claude]) == (judge, human)
    assert wins["judge", None] == failed
    selection = read_export(path).select()
    steps = selection.ledger.set_index("what").rows
    assert steps["records read"] == steps["records with answers"] == n
    assert steps["answers to 'verdict'"] == 2 * n
    assert steps.get("left out: unfinished or expired answers", 0) == failed
    assert steps["labels"] == 2 * n - failed
    frame = selection.labels.to_frame()
    won = Counter(zip(frame.annotator, frame.label, strict=True))
    assert (won["judge", claude], won["human", claude]) == (judge, human)
