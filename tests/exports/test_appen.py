"""Reports of Appen jobs: test questions, tainted judgments, aggregated answers."""

import pytest
from typer.testing import CliRunner
from written import csv_file

from annobench.agreement import krippendorff_alpha
from annobench.cli import app
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise

PLATFORM = "_unit_id,_created_at,_golden,_id,_missed,_tainted,_channel,_trust,_worker_id,_ip"


def judgment(unit, worker, *answers, golden="false", tainted="false"):
    about = [unit, "5/1/2016 10:00:00", golden, "1", "", tainted, "elite", "0.9", worker, "1.2.3.4"]
    return [*about, *answers]


def write(path, columns, *rows, platform=PLATFORM):
    return csv_file(path, f"{platform},{columns}", *rows)


def report(path):
    """Write four units with three judgments each, and a test question with four."""
    words = {"p": "pos", "n": "neg"}
    given = {"1": "ppp", "2": "npn", "3": "nnn", "4": "pnp"}
    rows = [
        judgment(unit, who, words[sign], f"text {unit}", "")
        for unit, signs in given.items()
        for who, sign in zip(["w1", "w2", "w3"], signs, strict=True)
    ]
    test = [
        judgment("9", who, words[sign], "text 9", "pos", golden="true", tainted=tainted)
        for who, sign, tainted in zip(
            ["w1", "w2", "w3", "w4"], "ppnn", ["false"] * 3 + ["true"], strict=True
        )
    ]
    return write(path, "sentiment,text,sentiment_gold", *rows, *test)


def alpha(export, **choices):
    return krippendorff_alpha(export.labels("sentiment", **choices)).estimate


def test_test_questions_and_tainted_judgments_are_left_out(tmp_path):
    path = report(tmp_path / "full.csv")
    assert recognise(path) == {"appen": "full report"}
    export = read_export(path)
    assert export.questions.question.tolist() == ["sentiment"]
    # 4 of 12 pairs disagree; of 12 labels 6 are pos: 1 - (4 / 12) / (2 * 6 * 6 / (12 * 11))
    assert alpha(export) == pytest.approx(7 / 18)
    steps = dict(export.select().ledger[["what", "rows"]].values.tolist())
    assert steps["left out: rejected answers"] == 1
    assert steps["left out: answers on control items"] == 3
    assert export.select().gold == {"9": "pos"}
    assert export.texts["1"] == "text 1"
    assert export.notes == ["Columns interpreted as data that were shown, not as answers: text."]


def test_test_questions_and_tainted_judgments_can_be_kept(tmp_path):
    export = read_export(report(tmp_path / "full.csv"))
    # Of 15 labels 8 are pos; 6 of 15 pairs disagree: 1 - (6 / 15) / (2 * 8 * 7 / (15 * 14))
    assert alpha(export, gold_items="use") == pytest.approx(1 / 4)
    # Of 16 labels 8 are pos; 4 + 4 (4 / 6) of 16 disagree: 1 - (5 / 12) / (2 * 8 * 8 / (16 * 15))
    both = alpha(export, gold_items="use", status=("done", "rejected"))
    assert both == pytest.approx(7 / 32)


def test_known_answers_are_asked_for_by_the_word_export(tmp_path):
    path = report(tmp_path / "full.csv")
    words = ["consensus", str(path), "--model", "voting", "--gold-items", "use"]
    words += ["--out", str(tmp_path / "out"), "--gold"]
    refused = CliRunner().invoke(app, [*words, "sentiment_gold"])
    assert refused.exit_code == 1
    assert "Use --gold export." in " ".join(refused.output.split())
    assert CliRunner().invoke(app, [*words, "export"]).exit_code == 0


def test_questions_precede_the_data_that_were_shown(tmp_path):
    path = write(
        tmp_path / "full.csv",
        "agreed,differs,colour,known,colour_gold,known_gold_reason,orig__golden,url",
        judgment("1", "w1", "yes", "a", "red", "k", "", "", "", "u"),
        judgment("1", "w2", "yes", "b", "red", "k", "", "", "", "u"),
    )
    export = read_export(path)
    assert export.questions.question.tolist() == ["agreed", "differs", "colour"]
    assert export.texts == {"1": "known: k\nurl: u"}
    assert "known" in list(read_export(path, question="known").questions.question)


def test_lines_of_a_cell_are_options_and_long_ones_a_text(tmp_path):
    path = write(
        tmp_path / "full.csv",
        "topics,why,topics_gold,why_gold",
        judgment("1", "w1", "war\nsport", "x" * 61, "war\nsport", "", golden="true"),
        judgment("1", "w2", "war", "a\nb", "war\nsport", "", golden="true"),
        judgment("1", "w3", "", "", "war\nsport", "", golden="true"),
    )
    export = read_export(path)
    kinds = export.questions.set_index("question").kind
    assert kinds.to_dict() == {"topics": "choices", "why": "text"}
    assert export.combined_options("topics") == ("war", "sport")
    assert export.labels("topics", gold_items="use").n_labels == 2
    assert export.select("topics", gold_items="use").gold == {"1": "sport; war"}


def test_several_accepted_answers_are_no_known_category(tmp_path):
    path = write(
        tmp_path / "full.csv",
        "tone,tone_gold",
        judgment("1", "w1", "kind", "kind\nneutral", golden="true"),
        judgment("2", "w1", "kind", "", golden="false"),
    )
    assert read_export(path).select(gold_items="use").gold == {}


def test_an_aggregated_report_is_a_consensus(tmp_path):
    path = write(
        tmp_path / "aggregated.csv",
        "tone,tone:confidence,text,tone_gold",
        ["1", "false", "finalized", "3", "kind", "0.7", "t", ""],
        ["2", "false", "judging", "1", "rude", "1.0", "t", ""],
        ["9", "true", "golden", "9", "kind", "1.0", "t", "kind"],
        platform="_unit_id,_golden,_unit_state,_trusted_judgments",
    )
    assert recognise(path) == {"appen": "aggregated report"}
    export = read_export(path)
    assert export.labels().to_frame().values.tolist() == [["1", "consensus", "kind"]]
    assert export.labels(status=("done", "unfinished"), gold_items="use").n_labels == 3
    assert "Agreement needs the full report." in export.notes[0]


def test_reports_without_judgments_are_refused(tmp_path):
    path = tmp_path / "workset.csv"
    path.write_text("worker_id,judgments_count,trust_overall\nw1,3,0.9\n")
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="Download the full report"):
        read_export(path, format="appen")
    path = write(tmp_path / "full.csv", "a,b", judgment("1", "w1", "x", "y"))
    with pytest.raises(ReaderError, match=r"'a', 'b'\. Name one with --question"):
        read_export(path)
    with pytest.raises(AnnotationError):
        read_export(path, question="a").labels("b")
    assert read_export(path, question="a").labels("a").n_labels == 1
    path = write(
        tmp_path / "full.csv",
        "a,a_gold",
        judgment("", "w1", "x", ""),
        judgment("1", "", "x", ""),
        judgment("1", "w2", "x", ""),
    )
    assert {reason: n for reason, n, _ in read_export(path).left_out} == {
        "rows without a unit": 1,
        "judgments without a contributor": 1,
    }
