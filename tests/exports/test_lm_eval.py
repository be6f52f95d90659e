"""Samples of lm-evaluation-harness: filters, multiple choice, several models and tasks."""

import pytest
from written import json_lines

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def sample(number, filtered, target="Lima", **more):
    about = {"doc_id": number, "doc": {"q": "?"}, "target": target, "arguments": []}
    return about | {"resps": [[str(filtered)]], "filtered_resps": filtered} | more


def test_each_folder_is_a_model(tmp_path):
    home = tmp_path / "results"
    file = "samples_capitals_2024-05-01T10-00-00.123456.jsonl"
    first = sample(0, ["Lima"], exact_match=1.0), sample(1, ["Lima"], "Quito", exact_match=0.0)
    json_lines(home / "model-a" / file, *first)
    json_lines(home / "model-b" / file, sample(1, [" Quito "], "Quito", exact_match=1.0))
    (home / "model-a" / "results_2024.json").write_text("{}")
    assert recognise(home) == {"lm_eval": "samples of tasks"}
    export = read_export(home)
    assert export.labels("answer").to_frame().values.tolist() == [
        ["0", "model-a", "Lima"],
        ["1", "model-a", "Lima"],
        ["1", "model-b", "Quito"],
    ]
    assert export.select("answer").gold == {"0": "Lima", "1": "Quito"}
    assert export.kind("exact_match") == "rating"
    assert export.left_out[0][:2] == ("files of other kinds", 1)


def test_the_answer_to_multiple_choice_is_the_most_likely_option(tmp_path):
    path = json_lines(
        tmp_path / "samples_arc.jsonl",
        sample(0, [[-3.5, False], [-1.25, True], [-2, False]], 1, acc=1.0),
        sample(1, [["-1.5", "False"], ["-2.5", "False"]], 1, acc=0.0, metrics=["acc"]),
        sample(2, [["-inf", "False"], ["-2.5", "False"]], {"a": 1}, acc=0.0),
        sample(3, [[-2.5, False]], "", acc=(0.5, 1), note="x"),
    )
    assert recognise(path) == {"lm_eval": "samples of a task"}
    export = read_export(path)
    assert export.labels("answer").to_frame().values.tolist() == [
        ["0", "model", "1"],
        ["1", "model", "0"],
    ]
    assert export.select("answer").gold == {"0": "1", "1": "1"}
    assert export.left_out[0][:2] == ("metrics that are not one number", 2)


def test_filters_are_questions_and_not_repeated_answers(tmp_path):
    home = tmp_path / "results" / "model-a"
    path = json_lines(
        home / "samples_gsm8k.jsonl",
        sample(0, ["4"], "4", filter="strict-match", exact_match=1),
        sample(1, ["[invalid]"], "5", filter="strict-match", exact_match=0),
        sample(0, ["4"], "4", filter="flexible-extract", exact_match=1),
    )
    assert read_export(path).questions.question.tolist() == [
        "answer.strict-match",
        "exact_match.strict-match",
        "answer.flexible-extract",
        "exact_match.flexible-extract",
    ]
    json_lines(path, sample(0, ["4"]), sample(1, ["x" * 61]), sample(0, ["4"]))
    export = read_export(path)
    assert export.questions.question.tolist() == ["answer.filter 1", "answer.filter 2"]
    assert export.kind("answer.filter 1") == "text"
    json_lines(home / "samples_other.jsonl", sample(0, ["4"]))
    export = read_export(tmp_path / "results")
    assert export.questions.question.tolist()[-1] == "other/answer"
    assert export.items == ("gsm8k/0", "gsm8k/1", "other/0")


def test_misshapen_samples_are_refused(tmp_path):
    path = json_lines(tmp_path / "samples_x.jsonl", sample(0, ["4"]), sample([1], ["4"]))
    with pytest.raises(ReaderError, match="line 2: doc_id is"):
        read_export(path)
    other = json_lines(tmp_path / "other.jsonl", {"doc_id": 1, "doc": {}, "target": "x"})
    assert recognise(other) == {}
