"""Results of promptfoo: judges, people, several providers and prompts, errors."""

import json

import pytest
from written import json_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def grade(passed, kind="llm-rubric", score=None, **assertion):
    score = float(passed) if score is None else score
    return {"pass": passed, "score": score, "assertion": {"type": kind} | assertion}


def result(test, output, *grades, prompt=0, provider="openai:a", **more):
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "provider": {"id": provider},
        "vars": {"q": f"question {test}"},
        "response": {"output": output},
        "failureReason": 0,
        "gradingResult": {"pass": True, "score": 1, "componentResults": list(grades)},
    } | more


def write(path, *results):
    summary = {"version": 3, "results": list(results), "prompts": [], "stats": {}}
    return json_file(path, {"evalId": "e", "results": summary, "config": {}})


def test_judges_and_people_give_verdicts_on_the_same_answers(tmp_path):
    judged, rated = "ppfp", "pffp"
    path = write(
        tmp_path / "results.json",
        *(
            result(n, "yes", grade(a == "p"), grade(b == "p", kind="human"))
            for n, (a, b) in enumerate(zip(judged, rated, strict=True))
        ),
    )
    assert recognise(path) == {"promptfoo": "results"}
    export = read_export(path)
    labels = export.labels("verdict")
    assert labels.annotators == ("llm-rubric", "human")
    # One of 4 pairs disagrees; of 8 labels 5 are pass: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(labels).estimate == pytest.approx(8 / 15)
    assert export.texts["0"] == "q: question 0"
    lines = tmp_path / "results.jsonl"
    records = json.loads(path.read_text())["results"]["results"]
    lines.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert recognise(lines) == {"promptfoo": "results"}
    assert read_export(lines).labels("verdict").n_labels == 8


def test_items_and_annotators_are_named_by_what_distinguishes_them(tmp_path):
    path = write(
        tmp_path / "results.json",
        result(
            0,
            "a",
            grade(True, value="polite", provider="x"),
            grade(False, value="short", provider={"id": "x"}, metric="brevity"),
            grade(True, kind="equals", value={"a": 1}, score=0.5),
        ),
        result(0, "b", prompt=1, provider="openai:b"),
        result(0, {"a": 1}, grade(True, kind="equals"), provider="openai:b"),
    )
    export = read_export(path)
    assert export.labels("answer").to_frame().values.tolist() == [
        ["0/0", "openai:a", "a"],
        ["0/1", "openai:b", "b"],
        ["0/0", "openai:b", '{"a": 1}'],
    ]
    assert export.labels("verdict").to_frame().values.tolist() == [
        ["0/0/openai:a", "llm-rubric (x): polite", "pass"],
        ["0/0/openai:a", "llm-rubric (x): brevity", "fail"],
        ["0/0/openai:a", "equals", "pass"],
        ["0/0/openai:b", "equals", "pass"],
    ]
    scores = export.labels("score").to_frame()
    assert scores.label.astype(float).tolist() == [1, 0, 0.5, 1]


def test_errors_are_left_out_and_answers_without_assertions_kept(tmp_path):
    path = write(
        tmp_path / "results.json",
        result(0, None, error="time out", failureReason=2),
        result(1, "a", grade(False), error="Expected b", failureReason=1),
        result(2, "word " * 20, gradingResult=None),
    )
    export = read_export(path)
    assert export.questions.set_index("question").answers.to_dict() == {"answer": 2, "verdict": 1}
    assert export.kind("answer") == "text"
    [(reason, n, place)] = export.left_out
    assert (reason, n, place) == ("results with an error and without an answer", 1, "result 1")


def test_misshapen_results_are_refused_with_their_place(tmp_path):
    path = write(tmp_path / "results.json", result(0, "a"), result([], "a"))
    with pytest.raises(ReaderError, match="result 2: testIdx is"):
        read_export(path)
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"results": [{"score": 1}]}))
    assert recognise(other) == {}
