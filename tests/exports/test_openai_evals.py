"""Logs of OpenAI evals: matches, metrics of judges, several models and evaluations."""

import json

import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def log(path, *events, models=("gpt-a",), name="capitals.v0"):
    spec = {"completion_fns": list(models), "eval_name": name, "run_id": "r"}
    lines = [{"spec": spec}]
    for number, (sample, kind, data) in enumerate(events):
        about = {"run_id": "r", "event_id": number, "sample_id": sample}
        lines.append(about | {"type": kind, "data": data})
    lines.append({"final_report": {"accuracy": 1.0}})
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def match(sample, picked, expected, **more):
    data = {"correct": picked == expected, "expected": expected, "picked": picked}
    return sample, "match", data | more


def test_models_answer_and_matches_are_verdicts(tmp_path):
    home = tmp_path / "logs"
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Peru?"}]
    sampling = ("s0", "sampling", {"prompt": prompt, "sampled": ["Lima"]})
    log(home / "a.jsonl", sampling, match("s0", "Lima", "Lima"), match("s1", "Lima", "Quito"))
    log(home / "b.jsonl", match("s0", "Lima", "Lima"), models=["gpt-b"])
    assert recognise(home) == {"openai_evals": "log of a run"}
    export = read_export(home)
    assert export.labels("answer").to_frame().values.tolist() == [
        ["s0", "gpt-a", "Lima"],
        ["s1", "gpt-a", "Lima"],
        ["s0", "gpt-b", "Lima"],
    ]
    assert export.labels("verdict").to_frame().values.tolist() == [
        ["s0/gpt-a", "match", "correct"],
        ["s1/gpt-a", "match", "incorrect"],
        ["s0/gpt-b", "match", "correct"],
    ]
    assert export.select("answer").gold == {"s0": "Lima", "s1": "Quito"}
    assert export.texts["s0"] == "Be brief.\nPeru?"
    assert export.left_out[0][:2] == ("events of the type 'sampling'", 1)


def test_metrics_are_questions_to_the_judge(tmp_path):
    path = log(
        tmp_path / "a.jsonl",
        ("s0", "metrics", {"choice": "Yes", "score": 0.5, "details": {"a": 1}}),
        ("s1", "metrics", {"choice": "No", "score": 1}),
        ("s2", "metrics", {"details": []}),
        ("s2", "error", {"message": "time out"}),
        models=["gpt-a", "gpt-judge"],
    )
    export = read_export(path)
    assert export.labels("choice").to_frame().values.tolist() == [
        ["s0", "gpt-judge", "Yes"],
        ["s1", "gpt-judge", "No"],
    ]
    assert export.kind("score") == "rating"
    assert {reason: n for reason, n, _ in export.left_out} == {
        "metrics that are not one value": 2,
        "events of the type 'error'": 1,
    }
    other = read_export(log(tmp_path / "b.jsonl", ("s0", "metrics", {"choice": "Yes"})))
    assert other.annotators == ("grader",)


def test_evaluations_have_their_own_samples_and_questions(tmp_path):
    home = tmp_path / "logs"
    log(home / "a.jsonl", match("s0", ["Lima"], ["Lima"]))
    log(home / "b.jsonl", match("s0", None, ["4", "four"], sampled="4 " * 40), name="sums.v0")
    export = read_export(home)
    questions = ["capitals.v0/answer", "capitals.v0/verdict", "sums.v0/answer", "sums.v0/verdict"]
    assert export.questions.question.tolist() == questions
    assert export.items == ("capitals.v0/s0", "sums.v0/s0")
    assert export.kind("sums.v0/answer") == "text"
    assert export.select("capitals.v0/answer").gold == {"capitals.v0/s0": "Lima"}


def test_logs_without_a_specification_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"run_id": "r", "sample_id": "s", "type": "match", "data": {}}\n')
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="no specification of a run"):
        read_export(path, format="openai_evals")
    log(path, (["s"], "match", {"correct": True}))
    with pytest.raises(ReaderError, match="line 2: sample_id is"):
        read_export(path)
