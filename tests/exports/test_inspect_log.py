"""Logs of Inspect: archives and JSON, epochs, failed samples, scorers, logs without samples."""

import json
import zipfile

import pytest

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise


def header(task="capitals", model="openai/a", completed=2):
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": task, "model": model, "run_id": "r"},
        "results": {"total_samples": completed, "completed_samples": completed},
    }


def sample(name, answer, *, epoch=1, value="C", target="Paris", scorer="match", **more):
    return {
        "id": name,
        "epoch": epoch,
        "input": [{"role": "user", "content": f"question {name}"}],
        "target": target,
        "output": {"completion": f"It is {answer}."},
        "scores": {scorer: {"value": value, "answer": answer}},
        **more,
    }


def write_json(path, samples, **of):
    path.write_text(json.dumps({**header(**of), "samples": samples}, indent=2))
    return path


def write_archive(path, samples, members=None, **of):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps(header(**of)))
        archive.writestr("header.json", json.dumps(header(**of)))
        for n, content in enumerate(samples):
            archive.writestr(f"samples/{n}_epoch_1.json", json.dumps(content))
        for name, data in (members or {}).items():
            archive.writestr(name, data)
    return path


SAMPLES = [
    sample("x", "Paris"),
    sample("y", "Rome", value="I"),
    sample("z", "Oslo", error={"message": "time out"}),
    {"id": "w", "epoch": 1, "input": "q", "target": "", "scores": {}, "output": {"choices": []}},
]


@pytest.mark.parametrize("write", [write_json, write_archive])
def test_the_model_answers_and_the_scorer_judges(tmp_path, write):
    name = "log.json" if write is write_json else "log.eval"
    path = write(tmp_path / name, SAMPLES)
    assert list(recognise(path)) == ["inspect_log"]
    export = read_export(path)
    answers = export.select("answer")
    assert answers.labels.to_frame().values.tolist() == [
        ["x", "openai/a", "Paris"],
        ["y", "openai/a", "Rome"],
    ]
    assert answers.gold == {"x": "Paris", "y": "Paris"}
    assert answers.texts["x"] == "question x"
    assert answers.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 4],
        ["left out: samples without an answer", 1],
        ["records with answers", 3],
        ["answers to 'answer'", 3],
        ["left out: unfinished or expired answers", 1],
        ["labels", 2],
    ]
    verdicts = export.labels("verdict")
    assert verdicts.to_frame().values.tolist() == [["x", "match", "C"], ["y", "match", "I"]]


def test_epochs_are_repeats(tmp_path):
    samples = [sample("x", "Paris"), sample("x", "Rome", epoch=2)]
    export = read_export(write_json(tmp_path / "log.json", samples))
    with pytest.raises(AnnotationError, match="--repeats"):
        export.labels("answer")
    assert export.labels("answer", repeats="all").n_labels == 2


def test_a_folder_of_logs_has_an_annotator_a_model_and_tasks_apart(tmp_path):
    write_json(tmp_path / "a.json", SAMPLES[:2])
    write_archive(tmp_path / "b.eval", [sample("x", "Lyon")], model="openai/b")
    assert recognise(tmp_path) == {"inspect_log": "2 logs"}
    export = read_export(tmp_path)
    assert export.labels("answer").annotators == ("openai/a", "openai/b")
    # What two models answered are two things to judge.
    assert export.labels("verdict").items == ("x/openai/a", "y/openai/a", "x/openai/b")
    write_json(tmp_path / "c.json", [sample("x", "4")], task="sums")
    export = read_export(tmp_path)
    assert export.questions.question.tolist() == [
        "capitals/answer",
        "capitals/verdict",
        "sums/answer",
        "sums/verdict",
    ]
    assert export.labels("sums/answer").items == ("sums/x",)


def test_scorers_may_give_numbers_and_several_values(tmp_path):
    scores = {
        "quality": {"value": {"style": 3, "facts": float("nan")}},
        "length": {"value": 0.5, "answer": "a " * 40},
        "tags": {"value": ["short", "rude"]},
    }
    path = write_json(tmp_path / "log.json", [{**SAMPLES[0], "scores": scores}])
    questions = read_export(path).questions.set_index("question")
    assert questions.kind["answer"] == "text"
    assert questions.kind["verdict.style"] == "rating"
    assert questions.categories["verdict.facts"] == []
    assert questions.categories["verdict"] == ["0.5", "rude", "short"]


def test_a_log_without_its_samples_is_refused(tmp_path):
    path = write_json(tmp_path / "log.json", [], completed=3)
    with pytest.raises(ReaderError, match="holds no sample, of 3 that were scored"):
        read_export(path)
    # Beside another log, which holds one sample of two, the missing ones are counted.
    write_json(tmp_path / "other.json", SAMPLES[:1])
    assert read_export(tmp_path).select("answer").ledger.rows.tolist()[:3] == [5, 4, 1]


@pytest.mark.parametrize(
    ("data", "message"),
    [("{", "not JSON"), ("[1]", "no JSON object"), ("\xff", "not JSON")],
)
def test_a_damaged_sample_is_named(tmp_path, data, message):
    path = write_archive(tmp_path / "log.eval", SAMPLES[:1], {"samples/9_epoch_1.json": data})
    with pytest.raises(ReaderError, match=rf"samples/9_epoch_1.json: {message}"):
        read_export(path)


def test_a_log_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = write_archive(tmp_path / "log.eval", SAMPLES)
    monkeypatch.setattr("annobench_exports.inspect_log.MAX_SAMPLE_BYTES", 100)
    with pytest.raises(ReaderError, match="when unpacked"):
        read_export(path)
    monkeypatch.setattr("annobench_exports.inspect_log.MAX_LOG_BYTES", 100)
    with pytest.raises(ReaderError, match="more than a log should"):
        read_export(path)


def test_a_cut_off_archive_is_no_log(tmp_path):
    path = write_archive(tmp_path / "log.eval", SAMPLES)
    path.write_bytes(path.read_bytes()[:-30])
    assert recognise(path) == {}
    with pytest.raises(ReaderError):
        read_export(path)


#: Of each real log: samples, and the grades that its scorer gave.
REAL = {
    "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval": (10, ""),
    "2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval": (10, "CCCCCCCCII"),
    "2025-05-12T20-27-36-04-00_browser.json": (1, "C"),
    "2025-05-12T20-28-13-04-00_popularity.json": (3, "CCI"),
    "2025-05-12T20-28-26-04-00_security-guide.json": (3, "CCC"),
    "mmlu-no-summary-choices.eval": (1, "I"),
    "mmlu-summary-choices.eval": (1, "I"),
}


@pytest.mark.parametrize("name", REAL)
def test_real_logs_hold_what_was_counted(mirror, name):
    n_samples, grades = REAL[name]
    path = mirror / "exports" / "inspect" / name
    if path.suffix == ".json":
        samples = json.loads(path.read_text())["samples"]
    else:
        with zipfile.ZipFile(path) as archive:
            names = [part for part in archive.namelist() if part.startswith("samples/")]
            samples = [json.loads(archive.read(part)) for part in names]
    assert len(samples) == n_samples
    given = [score["value"] for part in samples for score in part["scores"].values()]
    assert "".join(sorted(given)) == grades
    export = read_export(path)
    questions = export.questions.set_index("question")
    assert questions.answers["answer"] == n_samples
    if grades:
        labels = export.labels("verdict")
        assert sorted(labels.to_frame().label) == list(grades)
    targets = {
        str(part["id"]): part["target"].strip() for part in samples if part["target"].strip()
    }
    if questions.kind["answer"] == "choice":
        selection = export.select("answer")
        assert selection.gold == targets
        assert selection.ledger.rows.tolist() == [n_samples] * 4


def test_the_folder_of_real_logs_says_which_samples_are_missing(mirror):
    folder = mirror / "exports" / "inspect"
    selection = read_export(folder).select("popularity/answer", repeats="all")
    # Ten, ten and three samples of one task; the log without samples scored three.
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 32],
        ["left out: samples that the log does not hold", 3],
        ["records with answers", 29],
        ["answers to 'popularity/answer'", 23],
        ["labels", 23],
    ]
    assert selection.ledger["first"].tolist()[1].startswith("2025-05-12T20-28-13-04-00_no-samples")
