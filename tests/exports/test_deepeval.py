"""Test runs of DeepEval: judges, scores, errors, cases of one name."""

import pytest
from written import json_file

from annobench.agreement import krippendorff_alpha
from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise


def metric(passed, name="Politeness", judge="gpt-a", **more):
    about = {"name": name, "threshold": 0.5, "success": passed, "evaluationModel": judge}
    return about | more


def case(name, *metrics):
    return {"name": name, "input": "Hello", "actualOutput": "Hi", "metricsData": list(metrics)}


def write(path, *cases, **more):
    return json_file(path, {"testFile": "t.py", "testCases": list(cases)} | more)


def test_runs_of_several_judges_are_compared(tmp_path):
    home = tmp_path / "runs"
    for judge, verdicts in (("gpt-a", "pfpf"), ("gpt-b", "pfpp")):
        cases = [case(f"c{n}", metric(v == "p", judge=judge)) for n, v in enumerate(verdicts)]
        write(home / f"2025_{judge}", *cases)
    assert recognise(home) == {"deepeval": "test run"}
    export = read_export(home)
    labels = export.labels("Politeness")
    assert labels.annotators == ("gpt-a", "gpt-b")
    # One of 4 pairs disagrees; of 8 labels 5 are pass: 1 - (1 / 4) / (2 * 5 * 3 / (8 * 7))
    assert krippendorff_alpha(labels).estimate == pytest.approx(8 / 15)
    assert export.texts["c0"] == "input: Hello\nactualOutput: Hi"


def test_metrics_are_questions_and_errors_unfinished_work(tmp_path):
    path = write(
        tmp_path / "run",
        case("a", metric(True, score=0.75), metric(None, name="JSON", judge=None, score=1)),
        case("a", metric(False, error="time out")),
        case("b"),
        conversationalTestCases=[{"name": "d", "metricsData": [metric(False)], "turns": []}],
    )
    export = read_export(path)
    found = export.questions.set_index("question")
    assert found.kind.to_dict() == {
        "Politeness": "choice",
        "Politeness.score": "rating",
        "JSON": "choice",
        "JSON.score": "rating",
    }
    assert export.labels("Politeness").to_frame().values.tolist() == [
        ["a 1", "gpt-a", "pass"],
        ["d", "gpt-a", "fail"],
    ]
    assert export.annotators == ("gpt-a", "metric")
    assert export.totals()["unfinished or expired answers"] == 1
    assert export.left_out[0][:2] == ("test cases without metrics", 1)


def test_misshapen_runs_are_refused(tmp_path):
    path = write(tmp_path / "run", case("a", metric(True)), case("b", metric(True, name=None)))
    with pytest.raises(ReaderError, match="test case 2: the name of a metric is None"):
        read_export(path)
    other = write(tmp_path / "other.json", {"name": "a"})
    assert recognise(other) == {}
    write(path, {"metricsData": []})
    with pytest.raises(ReaderError, match="test case 1: the name of a test case"):
        read_export(path, format="deepeval")
