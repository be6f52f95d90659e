"""Comparisons of models as labels, what `inspect` proposes for them, and FastChat's scores."""

from __future__ import annotations

import json
import random

import pandas as pd
import pytest
from exports.test_mutated_exports import COMPARISONS, STRANGE, places, replaced
from proposals import proposed, run
from unit.test_comparisons_of_tools import alpaca_eval, arena_hard, fastchat, one_hot

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import select_labels
from annobench.io.formats import read_export, recognise
from annobench.io.pairs import read_comparisons

FILE = "pairs.json"


def said(done) -> str:
    return " ".join(done.output.split())


@pytest.mark.parametrize(
    ("make", "variant"),
    [(alpaca_eval, "AlpacaEval"), (fastchat, "FastChat"), (arena_hard, "Arena-Hard")],
)
def test_inspect_proposes_to_rank(make, variant, write):
    path = write(make())
    assert recognise(path) == {"comparisons": variant}
    assert f"annobench rank {path}" in proposed(path)


def test_games_of_one_judge_are_two_annotators(write):
    path = write(fastchat())
    done = run("inspect", path)
    assert "80 comparisons of 4 models by gpt-x, in 160 games" in said(done)
    assert "34 of 80 comparisons have one outcome in both orders" in said(done)
    labels = read_export(path).labels()
    assert labels.annotators == ("gpt-x/game 1", "gpt-x/game 2")
    assert (labels.n_items, labels.n_labels) == (80, 160)
    # A second reader: items and the preferred models, from the records.
    expected = set()
    for record in json.loads(path.read_text()):
        pair = sorted((record["model_1"], record["model_2"]))
        item = " | ".join([str(record["question_id"]), f"turn {record['turn']}", *pair])
        for n in (1, 2):
            word = record[f"g{n}_winner"]
            expected.add((item, f"gpt-x/game {n}", record.get(word, word)))
    assert set(map(tuple, labels.to_frame().to_numpy().tolist())) == expected


def test_a_game_that_failed_is_unfinished_and_a_record_without_games_is_left_out(write):
    records = fastchat()
    records[0]["g2_winner"] = "error"
    records[1] |= {"g1_winner": "error", "g2_winner": "error"}
    ledger = read_export(write(records)).select().ledger.set_index("what")["rows"]
    assert ledger["records read"] == 80
    assert ledger["left out: games that failed"] == 1
    assert ledger["records with answers"] == 79
    assert ledger["left out: unfinished or expired answers"] == 1
    assert ledger["labels"] == 157


def test_a_long_instruction_is_a_text_and_no_name(write):
    records = alpaca_eval()[:3]
    records[1]["instruction"] = "Write a poem on rain. " * 10
    export = read_export(write(records))
    assert export.labels().items[1] == "question 2 | fern | reed"
    assert export.texts["question 2 | fern | reed"] == records[1]["instruction"]


def people_and_a_judge() -> pd.DataFrame:
    """Three who judged 40 pairs, each shown to them in its own order."""
    draw, rows = random.Random(5), []
    for n in range(40):
        pair = ["fern", "moss"]
        better = draw.choice(pair)
        for who, accuracy in (("ann", 0.9), ("bea", 0.85), ("gpt-x", 0.8)):
            draw.shuffle(pair)
            winner = better if draw.random() < accuracy else "tie"
            word = "tie" if winner == "tie" else "ab"[pair.index(winner)]
            rows.append((f"q{n}", *pair, "tie" if word == "tie" else f"model_{word}", who))
    return pd.DataFrame(rows, columns=["question_id", "model_a", "model_b", "winner", "judge"])


def test_a_table_of_people_and_a_judge_is_ranked_and_judged(write, tmp_path):
    table = people_and_a_judge()
    table.to_csv(tmp_path / "pairs.csv", index=False)
    path = tmp_path / "pairs.csv"
    assert recognise(path) == {"comparisons": "a table of comparisons"}
    commands = proposed(path)
    assert commands[0] == f"annobench rank {path}"
    assert f"annobench judge {path} --judge gpt-x" in commands
    done = run("judge", path, "--judge", "gpt-x", "--shown-first", "model_a")
    assert done.exit_code == 0, done.output
    # As the same records in JSON, which a log of judges holds.
    records = write(table.to_dict("records"), "pairs.jsonl")
    assert recognise(records) == {"judge_log": "comparisons of pairs"}
    assert proposed(records)[0] == f"annobench rank {records}"
    frames = [select_labels(each).labels.to_frame() for each in (path, records)]
    pd.testing.assert_frame_equal(*frames)


def test_judge_without_people_names_the_command_that_works(write, tmp_path):
    path = write(fastchat())
    done = run("judge", path, "--judge", "gpt-x")
    assert done.exit_code == 1
    assert f"To rank the models: annobench rank {path}" in said(done)
    one_hot().to_csv(tmp_path / "train.csv", index=False)
    done = run("judge", tmp_path / "train.csv", "--judge", "gpt-x")
    assert f"annobench rank {tmp_path / 'train.csv'}" in said(done)


def test_why_models_cannot_be_ranked_is_said(write):
    path = write("model_a,model_b,winner\nx,y,x\nx,z,x\n", "pairs.csv")
    done = run("inspect", path)
    assert "The models can't be ranked: no two items beat or tie with each other" in said(done)
    log = {"id": 1, "model_a": "x", "model_b": "y", "judge_pick": "A"}
    done = run("inspect", write([log, log | {"id": 2, "judge_pick": "B"}]))
    assert "Name it with --winner." in said(done)
    assert f"annobench rank {path}" not in proposed(path)


@pytest.mark.parametrize("columns", [["model_a", "model_b", "winner"], ["left", "right", "winner"]])
def test_a_bare_table_of_comparisons_is_one(columns, tmp_path):
    table = people_and_a_judge()[["model_a", "model_b", "winner"]].set_axis(columns, axis=1)
    table["winner"] = table["winner"].replace({"model_a": "a", "model_b": "b"})
    table.to_csv(tmp_path / "pairs.csv", index=False)
    assert proposed(tmp_path / "pairs.csv")[0] == f"annobench rank {tmp_path / 'pairs.csv'}"


@pytest.mark.parametrize(
    "table",
    [
        "id,left,right,preferred\n1,yes,no,maybe\n2,no,no,no\n",
        "id,model_a,model_b,winner\n1,yes,yes,yes\n2,no,yes,no\n",
        "item,annotator,label,model_a,model_b,winner\ni,a,x,m,n,m\ni,b,x,m,n,m\n",
    ],
)
def test_other_tables_are_no_comparisons(table, write):
    path = write(table, "labels.csv")
    assert f"annobench rank {path}" not in proposed(path)


def test_scores_of_fastchat_leave_out_failed_calls_by_reason(write):
    records = [
        {"question_id": n, "model": model, "judge": ["gpt-x", "single"], "score": score, "turn": 1}
        | {"judgment": f"Not bad. Rating: [[{score}]]"}
        for model in ("fern", "moss")
        for n, score in enumerate((7, -1, 9.5, 3))
    ]
    selection = read_export(write(records)).select()
    ledger = selection.ledger.set_index("what")["rows"]
    assert ledger["records read"] == 8
    assert ledger["left out: failed calls, whose score is -1"] == 2
    assert ledger["labels"] == 6
    assert selection.labels.scale == "interval"
    scores = [record["score"] for record in records if record["score"] != -1]
    assert selection.labels.to_frame()["label"].astype(float).tolist() == scores
    # Elsewhere -1 is a rating.
    ratings = [{"item": n, "judge": "j", "score": -1} for n in range(3)]
    assert read_export(write(ratings)).labels().n_labels == 3


@pytest.mark.parametrize("n", range(len(COMPARISONS)))
def test_no_damaged_record_ends_rank_without_a_message(n, write):
    record, draw = COMPARISONS[n], random.Random(n)
    for place in places(record):
        for part in draw.sample(STRANGE, 4):
            path = write([record, replaced(record, place, part)])
            try:
                read_comparisons(path)
            except (ReaderError, AnnotationError) as error:
                assert str(path) in str(error)  # noqa: PT017
